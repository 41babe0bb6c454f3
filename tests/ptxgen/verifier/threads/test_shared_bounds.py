"""Shared memory past its end by a thread's number, where the kernel states how many threads it has."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.text import parse
from ptxgen.verifier import verify


def findings(body: str, head: str = ".reqntid 64") -> list[str]:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"
        f".entry k(.param .u32 n)\n{head}\n"
        "{\n.reg .pred %p<9>; .reg .b32 %r<40>; .shared .align 16 .b8 s[128]; .shared .align 16 .b8 large[32768];\n"
        "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;\n"
        "setp.lt.u32 %p1, %r1, 32; setp.eq.u32 %p2, %r2, 3; mov.u32 %r9, large; mov.u32 %r10, dynamic;\n"
        f"{body}\nret;\n}}\n"
    )
    return [finding.message for finding in verify(parse(text)) if finding.code == "PTX426"]


STORE = "st.shared.u32 [%r5], %r1;"


@pytest.mark.parametrize(
    "body, head, said",
    [
        (STORE, ".reqntid 64", "st.shared.u32: thread 32 reaches s+128, and s has 128 bytes"),
        (STORE, ".reqntid 8, 8", None),  # %tid.x is 7 at most
        (STORE, ".reqntid 33", "st.shared.u32: thread 32 reaches s+128, and s has 128 bytes"),
        (STORE, ".reqntid 1024", "st.shared.u32: thread 32 reaches s+128, and s has 128 bytes"),
        ("ld.shared.u32 %r6, [%r5+4];", ".reqntid 32", "ld.shared.u32: thread 31 reaches s+128, and s has 128 bytes"),
        ("ld.shared.u32 %r6, [%r5+-4];", ".reqntid 32", "ld.shared.u32: thread 0 reaches s-4, and s has 128 bytes"),
        (
            "st.shared.v2.u32 [%r5], {%r1, %r1};",
            ".reqntid 32",
            "st.shared.v2.u32: thread 31 reaches s+124, and s has 128 bytes",
        ),
        ("@!%p1 " + STORE, ".reqntid 64", "st.shared.u32: thread 32 reaches s+128, and s has 128 bytes"),
        (
            "@%p1 bra X; atom.shared.add.u32 %r6, [%r5], 1; X:",
            ".reqntid 64",
            "atom.shared.add.u32: thread 32 reaches s+128, and s has 128 bytes",
        ),
        # a condition that is the same for all threads, whatever it is
        ("@%p2 " + STORE, ".reqntid 64", "st.shared.u32: thread 32 reaches s+128, and s has 128 bytes"),
        # far behind the first threads
        (
            "mad.lo.u32 %r6, %r1, 128, %r9; st.shared.u32 [%r6], %r1;",
            ".reqntid 1024",
            "st.shared.u32: thread 256 reaches large+32768, and large has 32768 bytes",
        ),
        (
            "and.b32 %r6, %r1, 1020; mad.lo.u32 %r7, %r6, 128, %r9; st.shared.u32 [%r7], %r1;",
            ".reqntid 1024",
            "st.shared.u32: thread 256 reaches large+32768, and large has 32768 bytes",
        ),
    ],
)
def test_a_thread_that_reaches_past_a_variable(body: str, head: str, said: str | None) -> None:
    assert findings(body, head) == ([] if said is None else [said])


@pytest.mark.parametrize(
    "body, head",
    [
        (STORE, ".reqntid 32"),
        (STORE, ".maxntid 64"),  # perhaps launched with 32
        (STORE, ""),
        ("@%p1 " + STORE, ".reqntid 64"),
        ("@!%p1 bra X; " + STORE + " X:", ".reqntid 64"),
        ("mov.u32 %r6, %ntid.x; setp.eq.u32 %p3, %r6, 32; @!%p3 bra X; " + STORE + " X:", ".reqntid 64"),
        ("and.b32 %r6, %r4, 127; add.u32 %r7, %r6, %r3; st.shared.u32 [%r7], %r1;", ".reqntid 1024"),
        ("mad.lo.u32 %r6, %r1, 32, %r9; st.shared.u32 [%r6], %r1;", ".reqntid 1024"),
        # who knows
        ("mad.lo.u32 %r6, %r2, 4, %r5; st.shared.u32 [%r6], %r1;", ".reqntid 64"),
        ("setp.lt.u32 %p3, %r1, %r2; @%p3 " + STORE, ".reqntid 64"),
        ("add.u32 %r6, %r10, %r4; st.shared.u32 [%r6], %r1;", ".reqntid 64"),
        ("ld.shared.u32 %r6, [%r3]; mad.lo.u32 %r7, %r6, 4, %r5; st.shared.u32 [%r7], %r1;", ".reqntid 32"),
        # an index of 32 bits wraps round, and the smaller of two is taken
        (
            "sub.u32 %r6, %r1, 1; min.u32 %r7, %r6, 31; mad.lo.u32 %r8, %r7, 4, %r3; ld.shared.u32 %r11, [%r8];",
            ".reqntid 32",
        ),
        (
            "sub.u32 %r6, %r1, 1; and.b32 %r7, %r6, 31; mad.lo.u32 %r8, %r7, 4, %r3; ld.shared.u32 %r11, [%r8];",
            ".reqntid 32",
        ),
        ("sub.u32 %r6, %r1, 1; setp.lt.u32 %p3, %r6, 31; @%p3 ld.shared.u32 %r7, [%r5];", ".reqntid 64"),
        (
            "sub.u32 %r6, 0, %r1; rem.u32 %r7, %r6, 32; mad.lo.u32 %r8, %r7, 4, %r3; ld.shared.u32 %r11, [%r8];",
            ".reqntid 32",
        ),
        (
            "sub.u32 %r6, 0, %r1; shr.u32 %r7, %r6, 27; mad.lo.u32 %r8, %r7, 4, %r3; ld.shared.u32 %r11, [%r8];",
            ".reqntid 32",
        ),
    ],
)
def test_what_stays_inside_or_may(body: str, head: str) -> None:
    assert findings(body, head) == []


def test_a_variable_is_named_once() -> None:
    assert len(findings(STORE + " ld.shared.u32 %r6, [%r5];")) == 1


@px.kernel(threads=64)
def filled(k: px.Builder, out: px.ptr[f32], *, size: int = 64):
    tile = k.shared(f32, size)
    tile[k.tid.x] = 1.0
    k.barrier()
    out[k.tid.x] = tile[0]


@px.kernel(threads=64)
def by_threads_of_one_warp(k: px.Builder, out: px.ptr[u32]):
    sums = k.shared(u32, 2)
    with k.if_(k.tid.x % 32 == 0):
        sums[k.tid.x // 32] = k.tid.x
    k.barrier()
    out[k.tid.x] = sums[k.tid.x // 32]


@pytest.mark.filterwarnings("ignore::ptxgen.errors.PtxWarning")
def test_kernels_in_python() -> None:
    assert verify(filled.module(target="sm_80")) == []
    assert verify(by_threads_of_one_warp.module(target="sm_80")) == []
    (found,) = verify(filled.module(target="sm_80", size=32))
    assert (found.code, found.severity) == ("PTX426", "warning")
    assert "thread 32 reaches" in found.message
