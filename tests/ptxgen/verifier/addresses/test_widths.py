"""Global and generic addresses have 64 bits: what assemblers refuse is an error, what they cut a warning."""

from __future__ import annotations

import pytest

from ptxgen.assembler import assemble_many
from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx


def program(body: str, target: str) -> str:
    return ptx.kernel(
        body,
        ".param .u64 a",
        registers=".reg .pred %p<3>; .reg .b16 %h<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
        "mov.u32 %r1, 0; mov.u32 %r2, s; mov.u16 %h1, 0; mov.u64 %rd1, g;",
        before=".global .align 16 .u32 g[64]; .const .u32 c[4]; .shared .align 128 .b8 s[1024];",
        version="8.6",
        target=target,
    )


def found(body: str, target: str = "sm_90") -> list[str]:
    """The severities of PTX209."""
    return [f.severity for f in verify(parse(program(body, target))) if f.code == "PTX209"]


REFUSED = [
    "ld.global.u32 %r3, [%r1];",
    "ld.u32 %r3, [%r1+8];",
    "ld.volatile.u32 %r3, [%r1];",
    "ld.global.nc.u32 %r3, [%r1];",
    "st.global.u32 [%r1], 1;",
    "red.global.add.u32 [%r1], 1;",
    "atom.add.u32 %r3, [%r1], 1;",
    "ldu.global.u32 %r3, [%r1];",
    "prefetch.global.L2 [%r1];",
    "discard.global.L2 [%r1], 128;",
    "applypriority.global.L2::evict_normal [%r1], 128;",
    "mbarrier.init.b64 [%r2], 1;",
    "mov.u32 %r3, g;",
    "cvta.global.u32 %r3, %r1;",
    "cvta.to.global.u32 %r3, %r1;",
    "cvta.shared.u32 %r3, %r2;",
]
TAKEN = [
    "ld.global.u32 %r3, [%rd1];",
    "ld.shared.u32 %r3, [%r2];",
    "ld.local.u32 %r3, [%r1];",
    "ld.const.u32 %r3, [%r1];",
    "mov.u32 %r3, c;",
    "mov.u32 %r3, s;",
    "atom.shared.add.u32 %r3, [%r2], 1;",
    "mbarrier.init.shared.b64 [%r2], 1;",
    "mapa.shared::cluster.u32 %r3, %r2, 0;",
    "ld.global.u32 %r3, [g];",
]
CUT = ["cp.async.bulk.prefetch.L2.global [%r1], 16;", "ld.global.u32 %r3, [%h1];"]


@pytest.mark.parametrize("body", REFUSED)
def test_refused_from_sm_90_on(body: str) -> None:
    assert found(body) == ["error"]


@pytest.mark.parametrize("body", [b for b in REFUSED if b.startswith(("ld", "st", "red", "atom"))])
def test_cut_before(body: str) -> None:
    assert found(body, "sm_80") == ["warning"]


@pytest.mark.parametrize("body", TAKEN)
def test_fine(body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize("body", CUT)
def test_cut_where_assemblers_say_nothing(body: str) -> None:
    assert found(body) == ["warning"]


def test_the_assembler_agrees() -> None:
    texts = [program(body, "sm_90") for body in (*REFUSED, *TAKEN, *CUT)]
    taken = [hasattr(result, "cubin") for result in assemble_many(texts)]
    assert taken == [False] * len(REFUSED) + [True] * (len(TAKEN) + len(CUT))


def test_the_finding_says_what_to_do() -> None:
    (finding,) = verify(parse(program("ld.global.u32 %r3, [%r1];", "sm_90")))
    assert finding.message == "[%r1] is a .global address in the 32-bit register %r1"
    assert "64-bit register" in str(finding.expected)
