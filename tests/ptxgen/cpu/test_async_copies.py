"""cp.async and its groups (manual 9.7.9.25.3): what arrives, when it arrives, and what may not be copied."""

from __future__ import annotations

import struct

import pytest

from ptxgen.cpu import KernelFault
from ptxgen.errors import UnsupportedError
from tests.ptxgen.cpu.machine import BASE, FAST, run
from tests.ptxgen.cpu.on_device import run_on

WORDS = list(range(1000, 1256))
DATA = struct.pack("<256I", *WORDS)

TILE = """
	.shared .align 16 .b32 tile[256];
	mov.u32 %r1, tile; mad.lo.u32 %r1, %t, {size}, %r1; mad.wide.u32 %d1, %t, {size}, %in;
"""
MIRRORED = """
	mov.u32 %r2, %ntid.x; sub.u32 %r2, %r2, 1; sub.u32 %r2, %r2, %t; mov.u32 %r3, tile; mad.lo.u32 %r3, %r2, 4, %r3;
	ld.shared.u32 %r4, [%r3]; st.global.u32 [%o], %r4;
"""
"""Thread t stores word n - 1 - t of the tile."""


@pytest.mark.parametrize(
    "copy, size",
    [
        ("ca.shared", 4), ("ca.shared", 8), ("ca.shared", 16), ("cg.shared", 16), ("ca.shared::cta", 4),
        ("cg.shared.{}.L2::128B", 16),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wait", ["commit_group; cp.async.wait_group 0", "wait_all"])
def test_a_tile_arrives(device_name, copy, size, wait):
    space, _, hints = copy.partition(".{}")
    body = (
        TILE.format(size=size)
        + f"""
	setp.lt.u32 %p1, %t, {256 // size};
	@%p1 cp.async.{space}.global{hints} [%r1], [%d1], {size};
	cp.async.{wait};
	bar.sync 0;{MIRRORED}"""
    )
    assert run_on(device_name, body, words=64, block=64, data=DATA) == WORDS[63::-1]


@pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
@pytest.mark.cpu_only
def test_both_tiers(options):
    body = (
        TILE.format(size=4)
        + f"\tcp.async.ca.shared.global [%r1], [%d1], 4;\n\tcp.async.wait_all;\n\tbar.sync 0;{MIRRORED}"
    )
    assert run(body, data=DATA, options=options).u32 == WORDS[31::-1]


def test_a_policy_is_a_hint(device_name):
    body = (
        TILE.format(size=16)
        + """
	createpolicy.fractional.L2::evict_last.b64 %d2, 1.0;
	setp.lt.u32 %p1, %t, 8; mov.u32 %r5, 16;
	@%p1 cp.async.cg.shared.global.L2::cache_hint [%r1], [%d1], 16, %r5, %d2;
	cp.async.wait_all;
	bar.sync 0;"""
        + MIRRORED
    )
    assert run_on(device_name, body, data=DATA) == WORDS[31::-1]


@pytest.mark.parametrize("taken", [0, 1, 4, 5, 7, 12, 15, 16])
def test_the_rest_is_filled_with_zeros(device_name, taken):
    """src-size, from a register; the tile held something else before."""
    body = (
        TILE.format(size=16)
        + f"""
	mov.u32 %r5, -1; st.shared.v4.u32 [%r1], {{%r5, %r5, %r5, %r5}};
	mov.u32 %r6, {taken};
	cp.async.cg.shared.global [%r1], [%d1], 16, %r6;
	cp.async.wait_all;
	ld.shared.v4.u32 {{%r5, %r6, %r7, %r8}}, [%r1];
	mad.wide.u32 %d2, %t, 16, %out; st.global.v4.u32 [%d2], {{%r5, %r6, %r7, %r8}};"""
    )
    rows = (DATA[16 * t : 16 * t + taken].ljust(16, b"\0") for t in range(4))
    expected = list(struct.unpack("<16I", b"".join(rows)))
    assert run_on(device_name, body, words=16, block=4, data=DATA) == expected


@pytest.mark.parametrize("operand, ignored", [("%p1", (1, 3)), ("!%p1", (0, 2))])
def test_an_ignored_source_gives_zeros(device_name, operand, ignored):
    """What is ignored needs no address: those of the odd threads lead nowhere."""
    body = (
        TILE.format(size=4)
        + f"""
	and.b32 %r5, %t, 1; setp.eq.u32 %p1, %r5, 1;
	mov.u32 %r6, -1; st.shared.u32 [%r1], %r6;
	mov.u64 %d2, 0; {"@%p1" if operand == "%p1" else "@!%p1"} mov.u64 %d1, %d2;
	cp.async.ca.shared.global [%r1], [%d1], 4, {operand};
	cp.async.wait_all;
	ld.shared.u32 %r5, [%r1]; st.global.u32 [%o], %r5;"""
    )
    expected = [0 if t in ignored else WORDS[t] for t in range(4)]
    assert run_on(device_name, body, words=4, block=4, data=DATA, version="8.0") == expected


def test_the_last_groups_may_stay_under_way(device_name):
    """Two stages; after wait_group 1 the first is there, after wait_group 0 the second too."""
    body = (
        TILE.format(size=4)
        + """
	cp.async.ca.shared.global [%r1], [%d1], 4;
	cp.async.commit_group;
	cp.async.ca.shared.global [%r1+128], [%d1+128], 4;
	cp.async.commit_group;
	cp.async.wait_group 1;
	ld.shared.u32 %r2, [%r1];
	cp.async.wait_group 0;
	ld.shared.u32 %r3, [%r1+128];
	add.u32 %r2, %r2, %r3; st.global.u32 [%o], %r2;"""
    )
    assert run_on(device_name, body, data=DATA) == [WORDS[t] + WORDS[32 + t] for t in range(32)]


def test_a_pipeline_of_stages(device_name):
    """Three stages in flight over eight tiles; an empty group keeps the count at the end."""
    body = """
	.shared .align 16 .b32 tile[128];
	mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1; mad.wide.u32 %d1, %t, 4, %in;
	mov.u32 %r2, 0; mov.u32 %r3, 0;
FILL:
	shl.b32 %r4, %r2, 7; add.u32 %r5, %r1, %r4; cvt.u64.u32 %d2, %r4; add.u64 %d2, %d1, %d2;
	cp.async.ca.shared.global [%r5], [%d2], 4;
	cp.async.commit_group;
	add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra FILL;
	mov.u32 %r6, 0;
NEXT:
	cp.async.wait_group 2;
	and.b32 %r4, %r6, 3; shl.b32 %r4, %r4, 7; add.u32 %r5, %r1, %r4;
	ld.shared.u32 %r7, [%r5]; add.u32 %r3, %r3, %r7;
	setp.lt.u32 %p2, %r2, 8;
	and.b32 %r4, %r2, 3; shl.b32 %r4, %r4, 7; add.u32 %r5, %r1, %r4;
	mul.wide.u32 %d2, %r2, 128; add.u64 %d2, %d1, %d2;
	@%p2 cp.async.ca.shared.global [%r5], [%d2], 4;
	cp.async.commit_group;
	add.u32 %r2, %r2, 1; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 8; @%p1 bra NEXT;
	st.global.u32 [%o], %r3;"""
    assert run_on(device_name, body, data=DATA) == [sum(WORDS[t::32]) for t in range(32)]


def test_more_copies_than_the_ring_holds(device_name):
    """One thread brings all 256 words, one by one."""
    body = (
        """
	.shared .align 16 .b32 tile[256];
	setp.ne.u32 %p1, %t, 0; @%p1 bra READ;
	mov.u32 %r1, tile; mov.u32 %r2, 0; mov.u64 %d1, %in;
NEXT:
	cp.async.ca.shared.global [%r1], [%d1], 4;
	add.u32 %r1, %r1, 4; add.u64 %d1, %d1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 256; @%p2 bra NEXT;
	cp.async.wait_all;
READ:
	bar.sync 0;"""
        + MIRRORED
    )
    assert run_on(device_name, body, words=256, block=256, data=DATA) == WORDS[::-1]


# -- what a GPU may do either way ----------------------------------------------------------------------------------------


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "waits",
    ["", "cp.async.commit_group;", "cp.async.commit_group; cp.async.wait_group 1;", "cp.async.wait_group 0;"],
    ids=["none", "no wait", "one group left", "never committed"],
)
def test_who_does_not_wait_reads_what_was_there(waits):
    body = (
        TILE.format(size=4)
        + f"""
	mov.u32 %r5, 7; st.shared.u32 [%r1], %r5;
	cp.async.ca.shared.global [%r1], [%d1], 4;
	{waits}
	bar.sync 0;{MIRRORED}"""
    )
    assert run(body, data=DATA).u32 == [7] * 32


@pytest.mark.cpu_only
def test_what_was_there_is_not_the_tile_of_the_cta_before():
    """All ones, which are NaN."""
    body = TILE.format(size=4) + "\tcp.async.ca.shared.global [%r1], [%d1], 4;\n\tbar.sync 0;" + MIRRORED
    assert run(body, words=96, grid=(3, 1, 1), data=DATA).u32 == [0xFFFFFFFF] * 96


@pytest.mark.cpu_only
def test_the_source_is_read_late():
    """A thread that changes the source before it waits copies what it wrote."""
    body = (
        TILE.format(size=4)
        + """
	cp.async.ca.shared.global [%r1], [%d1], 4;
	st.global.u32 [%d1], %t;
	cp.async.wait_all;
	ld.shared.u32 %r5, [%r1]; st.global.u32 [%o], %r5;"""
    )
    assert run(body, data=DATA).u32 == list(range(32))


@pytest.mark.cpu_only
def test_a_copy_is_done_when_its_thread_exits():
    """The upper warp leaves with its copies under way; the CTAs that follow find nothing left over."""
    body = (
        TILE.format(size=4)
        + """
	mov.u32 %r5, 7; st.shared.u32 [%r1], %r5;
	setp.lt.u32 %p1, %t, 32; @%p1 bra STAY;
	cp.async.ca.shared.global [%r1], [%d1], 4;
	exit;
STAY:
	bar.sync 0;
	ld.shared.u32 %r5, [%r1+128]; ld.shared.u32 %r6, [%r1]; add.u32 %r5, %r5, %r6;
	st.global.u32 [%o], %r5;"""
    )
    expected = [WORDS[32 + t] + 7 for t in range(32)] + [0] * 32
    assert run(body, words=192, block=(64, 1, 1), grid=(3, 1, 1), data=DATA).u32 == expected * 3


# -- mistakes ------------------------------------------------------------------------------------------------------------


def fault(copy: str, **options):
    body = TILE.format(size=16) + f"\tmov.u32 %r9, 17;\n\t{copy}\n\tcp.async.wait_all;"
    with pytest.raises(KernelFault) as caught:
        run(body, data=DATA, **options)
    return caught.value


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "copy, kind, space, said",
    [
        ("cp.async.cg.shared.global [%r1+8], [%d1], 16;", "misaligned address", "shared", "cp.async writes 16 bytes at 0x8, "),
        ("cp.async.cg.shared.global [%r1], [%d1+8], 16;", "misaligned address", "global", "cp.async reads 16 bytes at 0x"),
        ("cp.async.ca.shared.global [%r1+2], [%d1], 4;", "misaligned address", "shared", "multiple of 4"),
        (
            "cp.async.cg.shared.global [%r1+1024], [%d1], 16;", "illegal address", "shared",
            "0x400 of .shared memory, which has 1024 bytes",
        ),
        (
            "cp.async.cg.shared.global [%r1], [%d1+1024], 16;", "illegal address", "global",
            "the nearest has 1024 bytes at 0x",
        ),
        ("cp.async.cg.shared.global [%r1], [%d1+1016], 16, 8;", "misaligned address", "global", "a multiple of 16"),
        ("cp.async.cg.shared.global [%r1], [%d1+1024], 16, 8;", "illegal address", "global", "reads 8 bytes"),
        ("cp.async.cg.shared.global [%r1], [%d1], 16, %r9;", "copy size", "", "17 bytes of the source"),
    ],
)  # fmt: skip
def test_bad_addresses_and_sizes(copy, kind, space, said):
    error = fault(copy)
    assert (error.kind, error.space) == (kind, space)
    assert said in str(error)
    assert error.instruction is not None
    assert f"{error.instruction.op} " in str(error)
    assert "test.ptx:" in str(error)


@pytest.mark.cpu_only
def test_a_part_of_the_source_may_reach_to_the_end_of_its_memory():
    """The last 4 of 1012 bytes, in a copy of 16."""
    body = (
        TILE.format(size=16)
        + """
	cp.async.cg.shared.global [%r1], [%d1+1008], 16, 4;
	cp.async.wait_all;
	ld.shared.u32 %r5, [%r1]; st.global.u32 [%o], %r5;"""
    )
    assert run(body, words=1, block=(1, 1, 1), data=DATA[:1012]).u32 == [WORDS[252]]


@pytest.mark.cpu_only
def test_a_copy_of_another_size():
    with pytest.raises(UnsupportedError, match="of 12 bytes"):
        run(TILE.format(size=16) + "\tcp.async.ca.shared.global [%r1], [%d1], 12;")
