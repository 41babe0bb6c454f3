"""The sanitizer finds in code that runs several lanes at once what it finds in code that runs one after the other."""

from __future__ import annotations

import struct

import pytest

from ptxgen.cpu import KernelFault
from ptxgen.cpu.sanitizer.tools import TOOLS, Sanitizer
from tests.ptxgen.cpu.machine import BASE, FAST, arena, entry, load

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
