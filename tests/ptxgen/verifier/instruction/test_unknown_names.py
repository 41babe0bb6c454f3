"""Names that mean nothing, and constants that do not fit: what is needed, and what to write instead."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

FUNCTION = ".func (.reg .b32 o) scale(.reg .b32 x, .reg .f32 y) { mov.b32 o, x; ret; }\n"


def finding(body: str, before: str = "") -> tuple[str, str | None, str | None]:
    """(code, expected, hint) of the one finding."""
    text = (
        f".version 8.0\n.target sm_90\n.address_size 64\n{before}.visible .entry k(.param .u64 out, .param .u32 count)\n"
        "{\n.reg .pred %p<4>; .reg .b16 %h<3>; .reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .f32 total;\n"
        f"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [count];\n{body}\nret;\n}}\n"
    )
    (found,) = verify(parse(text))
    return found.code, found.expected, found.hint


@pytest.mark.parametrize(
    "body, expected, hint",
    [
        ("add.u32 %r3, %r1, %r99;", "%r0 to %r19, as they are declared", ".reg .b32 %r<100>;"),
        ("add.u32 %r3, %rr1, 1;", None, "%r1"),
        ("mov.f32 totl, 0f00000000;", None, "total"),
        ("mov.u32 %r3, %tidx;", None, "%tid.x"),
        ("mov.u32 %r3, %laneidd;", None, "%laneid"),
        ("ld.param.u32 %r3, [cuont];", "a parameter of k: out, count", "count"),
        ("call scle, (%r1);", "a device function, declared before its use", "scale"),
        ("call other;", "a device function, declared before its use", ".extern .func other;"),
        ("add.u32 %r3, xyz, 1;", None, "declare it before its use"),
    ],
)
def test_unknown_names(body: str, expected: str | None, hint: str) -> None:
    assert finding(body, FUNCTION) == ("PTX301", expected, hint)


def test_an_unknown_label_is_near_a_label() -> None:
    assert finding("bra LOPP;\nLOOP: mov.u32 %r2, 1;")[0::2] == ("PTX304", "LOOP")


def test_a_call_with_too_few_arguments_lists_them() -> None:
    code, expected, _ = finding("call (%r3), scale, (%r1);", FUNCTION)
    assert (code, expected) == ("PTX306", "a .b32 register for x, a .f32 register for y")


@pytest.mark.parametrize(
    "body, expected",
    [
        ("mov.u32 %r3, 0x1FFFFFFFF;", "a constant of 32 bits: from -2147483648 to 4294967295"),
        ("mov.u16 %h2, 70000;", "a constant of 16 bits: from -32768 to 65535"),
        ("st.global.u8 [%rd1], 300;", "a constant of 8 bits: from -128 to 255"),
        ("setp.lt.s32 %p1, %r1, -2147483649;", "a constant of 32 bits: from -2147483648 to 4294967295"),
        ("bar.sync 1, 33;", "a constant that is a multiple of 32"),
        ("bar.sync 16;", "a constant from 0 to 15"),
    ],
)
def test_constants_that_do_not_fit(body: str, expected: str) -> None:
    assert finding(body) == ("PTX205", expected, None)


@pytest.mark.parametrize(
    "body",
    [
        "mov.u32 %r3, -1;",
        "mov.s32 %r3, 4294967295;",
        "and.b32 %r3, %r1, 0xFFFFFFFFFFFFFFF0;",  # the sign in all 64 bits
        "mov.u16 %h2, 65535;",
        "st.global.u8 [%rd1], 255;",
        "mov.u64 %rd2, 0xFFFFFFFFFFFFFFFF;",
        "mov.b32 %r3, 0f3F800000;",
    ],
)
def test_constants_that_fit(body: str) -> None:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a)\n{\n.reg .b16 %h<3>; .reg .b32 %r<4>; "
        f".reg .b64 %rd<3>;\nld.param.u64 %rd1, [a]; mov.u32 %r1, 1;\n{body}\nret;\n}}\n"
    )
    assert verify(parse(text)) == []


def test_an_unknown_guard_of_a_branch_is_no_label() -> None:
    assert finding("@%pp bra LOOP;\nLOOP: mov.u32 %r2, 1;")[0] == "PTX301"
