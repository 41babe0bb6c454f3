"""Constants that leave nothing to compute, masks without lanes."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify


def found(body: str, before: str = "") -> list[tuple[str, str]]:
    text = (
        f".version 8.0\n.target sm_90\n.address_size 64\n{before}.entry k(.param .u64 a)\n"
        "{\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\n"
        f"mov.u32 %r1, %tid.x; mov.u16 %h1, 3; setp.eq.u32 %p1, %r1, 3;\n{body}\nret;\n}}\n"
    )
    return [(f.code, f.message) for f in verify(parse(text))]


@pytest.mark.parametrize(
    "instruction, said",
    [
        ("shl.b32 %r3, %r1, 32;", "shl.b32 shifts by 32, and the value has 32 bits"),
        ("shr.u32 %r3, %r1, 40;", "shr.u32 shifts by 40, and the value has 32 bits"),
        ("shl.b16 %h2, %h1, 16;", "shl.b16 shifts by 16, and the value has 16 bits"),
        ("mov.u32 %r2, 64; shl.b64 %rd2, %rd1, %r2;", "shl.b64 shifts by 64, and the value has 64 bits"),
        ("bfe.u32 %r3, %r1, 40, 8;", "bfe.u32 takes a field from bit 40, and the value has 32 bits"),
        ("div.u32 %r3, %r1, 0;", "div.u32 divides by zero"),
        ("rem.s64 %rd2, %rd1, 0;", "rem.s64 divides by zero"),
    ],
)
def test_constants_that_leave_nothing(instruction: str, said: str) -> None:
    ((code, message),) = found(instruction)
    assert code == "PTX313"
    assert message.startswith(said)


@pytest.mark.parametrize(
    "instruction",
    [
        "shl.b32 %r3, %r1, 31;",
        "shr.s32 %r3, %r1, 31;",
        "shl.b32 %r3, %r1, %r1;",
        "bfe.u32 %r3, %r1, 31, 1;",
        "div.u32 %r3, %r1, 3;",
        "shf.l.wrap.b32 %r3, %r1, %r1, 40;",  # modulo 32
    ],
)
def test_constants_that_are_fine(instruction: str) -> None:
    assert found(instruction) == []


@pytest.mark.parametrize(
    "instruction, code",
    [
        ("bar.warp.sync 0;", ["PTX503"]),
        ("shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0;", ["PTX503"]),
        ("vote.sync.all.pred %p2, %p1, 0;", ["PTX503"]),
        ("bar.warp.sync 1;", []),
        ("bar.sync 0;", []),
        ("shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;", []),
    ],
)
def test_masks(instruction: str, code: list[str]) -> None:
    assert [each for each, _ in found(instruction)] == code
