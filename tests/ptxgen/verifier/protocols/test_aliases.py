"""Addresses that are used in two ways: multimem addresses by plain instructions, stored memory through the cache of .nc."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify


def found(body: str) -> list[tuple[str, int]]:
    """(code, line of the body) of each finding."""
    text = (
        ".version 8.1\n.target sm_90\n.address_size 64\n.global .u32 g[64];\n"
        ".entry k(.param .u64 mc, .param .u64 uc, .param .u32 n)\n{\n"
        ".reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [mc]; ld.param.u64 %rd2, [uc]; ld.param.u32 %r1, [n]; mul.wide.u32 %rd3, %r1, 4;\n"
        f"{body}\nst.global.u32 [g], %r2;\nret;\n}}\n"
    )
    return [(finding.code, finding.locations[0].line - 8) for finding in verify(parse(text))]


ADD = "multimem.red.release.sys.global.add.u32 [%rd1+16], 1;\n"
WAIT = "W: ld.acquire.sys.global.u32 %r2, [{}];\nsetp.ne.u32 %p, %r2, 8;\n@%p bra W;"


def test_a_flag_that_is_raised_for_all_is_awaited_by_its_own_address() -> None:
    assert found(ADD + "fence.proxy.alias;\n" + WAIT.format("%rd2+16")) == []
    assert found(ADD + WAIT.format("%rd1+16")) == [("PTX564", 2)]


@pytest.mark.parametrize(
    "plain",
    [
        "ld.global.u32 %r2, [%rd1];",  # the pointer itself, elsewhere
        "add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];",  # and an index
        "mov.u32 %r2, 0; red.global.add.u32 [%rd1+16], %r2;",
        "atom.add.u32 %r2, [%rd1], 1;",
        "cvta.to.global.u64 %rd4, %rd1; ld.global.u32 %r2, [%rd4];",
    ],
)
def test_a_multimem_address_by_a_plain_instruction(plain: str) -> None:
    assert found(ADD + plain) == [("PTX564", 2)]


@pytest.mark.parametrize(
    "fine",
    [
        "ld.global.u32 %r2, [%rd2+16];",
        "add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r2, [%rd4];",
        # one index into both
        "add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3; multimem.st.global.u32 [%rd4], %r1; ld.global.u32 %r2, [%rd5];",
        "multimem.ld_reduce.global.add.u32 %r2, [%rd1];",
    ],
)
def test_two_addresses(fine: str) -> None:
    assert found(ADD + fine) == []


@pytest.mark.parametrize(
    "body, line",
    [
        ("st.global.u32 [%rd2], %r1;\nld.global.nc.u32 %r2, [%rd2];", 2),
        ("st.global.v2.u32 [%rd2], {%r1, %r1};\nld.global.nc.u32 %r2, [%rd2+4];", 2),
        ("add.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r1;\nld.global.nc.L1::no_allocate.u32 %r2, [%rd4];", 3),
        ("atom.global.add.u32 %r3, [%rd2], 1;\nbar.sync 0;\nld.global.nc.u32 %r2, [%rd2];", 3),
        ("st.global.u32 [g+4], %r1;\nld.global.nc.u32 %r2, [g+4];", 2),
    ],
)
def test_what_is_stored_and_read_through_another_cache(body: str, line: int) -> None:
    assert found(body) == [("PTX565", line)]


@pytest.mark.parametrize(
    "body",
    [
        "ld.global.nc.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2;",  # read first
        "st.global.u32 [%rd2], %r1; ld.global.nc.u32 %r2, [%rd2+4];",  # next to it
        "st.global.u32 [%rd2], %r1; ld.global.nc.u32 %r2, [%rd1];",
        "st.global.u32 [%rd2], %r1; ld.global.u32 %r2, [%rd2];",
        "add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1; ld.global.nc.u32 %r2, [%rd2];",  # another element perhaps
        # a pointer that moves
        "mov.u64 %rd4, %rd2; mov.u32 %r3, 0; L: st.global.u32 [%rd4], %r1; add.u64 %rd4, %rd4, 4; ld.global.nc.u32 %r2, [%rd4];"
        " add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, %r1; @%p bra L;",
    ],
)
def test_other_memory(body: str) -> None:
    assert found(body) == []
