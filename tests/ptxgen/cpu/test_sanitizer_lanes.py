"""The sanitizer finds in code that runs several lanes at once what it finds in code that runs one after the other."""

from __future__ import annotations

import struct

import pytest

from ptxgen.cpu import KernelFault
from ptxgen.cpu.debugger import DEBUG
from ptxgen.cpu.jit import Tier
from ptxgen.cpu.lower.kernel_text import lower_kernel
from ptxgen.cpu.machine_code import lanes_of
from ptxgen.cpu.normalize.statements import flatten
from ptxgen.cpu.profiler.counters import TOOL
from ptxgen.cpu.sanitizer.tools import TOOLS, Sanitizer
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import BASE, FAST, HEADER, arena, entry, load

NOT_AT_ALL = 999
PLACES = {
    "consecutive": lambda t: t,
    "what nobody has written": lambda t: t + 10,
    "beyond the last": lambda t: t + 40,
    "the same": lambda t: 7,
    "the same, not written": lambda t: 30,
    "the same, beyond": lambda t: 70,
    "backward": lambda t: 70 - t,
    "apart": lambda t: 3 * t,
    "two elements": lambda t: 20 + t // 16,
    "all but one": lambda t: 66 if t == 21 else t % 20,
    "some lanes": lambda t: NOT_AT_ALL if t < 13 else t,
    "no block": lambda t: 1 << 27 if t == 19 else t,
}
ACCESSES = {
    "ld.{}.u8 %r2, [{}]": 1,
    "ld.{}.u32 %r2, [{}]": 4,
    "ld.{}.v2.u32 {{%r2, %r3}}, [{}]": 8,
    "st.{}.u32 [{}], %r1": 4,
    "st.{}.v2.u32 [{}], {{%r1, 5}}": 8,
    "st.{}.u8 [{}], %r1": 1,
}


def body(space: str) -> str:
    """Each access of an element, and of the next, in 256 bytes of shared or global memory, of which the first hundred are
    written. The thread's word of the input says which element."""
    if space == "shared":
        base, add, start = "%r6", "mad.lo.u32 %r6, {}, {}, %r5", "mov.u32 %r5, tile;"
    else:
        base, add, start = "%d6", "mad.wide.u32 %d6, {}, {}, %out", ""
    lines = [
        ".shared .align 16 .b8 tile[256]; .shared .align 16 .b8 more[1024];",
        f"mad.wide.u32 %d1, %t, 4, %in; ld.global.u32 %r1, [%d1]; {start} {add.format('%t', 4)};",
        f"setp.lt.u32 %p2, %t, 25; @%p2 st.{space}.u32 [{base}], %t; bar.warp.sync 0xFFFFFFFF;",
        f"setp.eq.u32 %p1, %r1, {NOT_AT_ALL}; @%p1 bra DONE;",
    ]
    for access, size in ACCESSES.items():
        lines.append(f"{add.format('%r1', size)};")
        for offset in (0, size):
            lines.append(access.format(space, f"{base}+{offset}") + ";")
            if offset or "v2" in access:
                lines.append("bar.warp.sync 0xFFFFFFFF;")
    return "\n\t".join([*lines, "DONE:"])


@pytest.mark.parametrize("tools", [TOOLS, ("initcheck", "memcheck")], ids=["all", "without racecheck"])
@pytest.mark.parametrize("space", ["shared", "global"])
def test_findings_are_the_same(space, tools):
    kernel, memory = load(entry("test", body(space))).kernels["test"], arena()
    out, given, behind = (memory.allocate(256) for _ in range(3))
    memory.note_written(given, 256)
    for name, place in PLACES.items():
        memory.view(given, 256)[:] = struct.pack("<64I", *map(place, [*range(32), *range(32)]))
        found = []
        for options in (BASE, FAST):
            sanitizer = Sanitizer(tools)
            watched = options.replaced(sanitizer=sanitizer)
            try:
                kernel.launch((1, 1, 1), (32, 1, 1), struct.pack("<QQ", out, given), options=watched)
                found.append(sorted(map(str, sanitizer.findings)))
            except KernelFault as fault:  # what came before depends on the order of the lanes
                found.append([fault.kind])
            memory.free(out)
            out = memory.allocate(256)
        assert found[0] == found[1], name
        assert bool(found[0]) == (name != "the same"), name
    for block in (out, given, behind):
        memory.free(block)


MIXED = """.shared .b32 sums[64]; .local .b32 own[4]; mul.wide.u32 %d1, %t, 4; add.u64 %d2, %in, %d1; add.u64 %d3, %out, %d1;
	mul.lo.u32 %r1, %t, 4; mov.u32 %r2, sums; add.u32 %r2, %r2, %r1; ld.global.u32 %r3, [%d2]; st.shared.u32 [%r2], %r3;
	bar.warp.sync 0xFFFFFFFF; ld.shared.u32 %r4, [%r2]; ld.global.u32 %r5, [%d2+4]; st.local.u32 [own], %r4;
	bar.warp.sync 0xFFFFFFFF; ld.global.u32 %r6, [%d2]; st.global.u32 [%d3], %r6;"""
"""Three blocks, the second of which turns out to run lane by lane when it is half written."""


@pytest.mark.parametrize("tools", [*((tool,) for tool in TOOLS), TOOLS], ids=lambda tools: " ".join(tools))
def test_tiers_share_their_memory(tools):
    source = parse(f"{HEADER}{entry('k', MIXED)}", "k.ptx")
    one, several = (
        lower_kernel(flatten(source, source.entries[0], {}), {}, frozenset(tools), lanes) for lanes in (0, 16)
    )
    assert (one.slot_bytes, one.warp_bytes, one.waits) == (several.slot_bytes, several.warp_bytes, several.waits)
    assert "llvm.masked.store" not in one.text
    assert "llvm.masked.store" in several.text


@pytest.mark.parametrize("tool", [TOOL, DEBUG])
def test_the_profile_and_the_debugger_have_one_lane_at_a_time(tool):
    assert lanes_of(Tier.FAST, {"memcheck", tool}) == 0
    assert lanes_of(Tier.BASE, {"memcheck"}) == 0
