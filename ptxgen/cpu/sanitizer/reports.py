"""What is found, as generated code notes it: each pair of instructions once, and how often."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of, nth_cta
from ptxgen.cpu.sanitizer.clocks import record_of, state_of
from ptxgen.cpu.sanitizer.state_layout import (
    AGENT,
    AGENTS,
    EPOCH,
    INSTRUCTION,
    INSTRUCTIONS,
    ROOM,
    WHO,
    CtaStart,
    FindingRecord,
)

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["write_report"]

_WHO = (1 << EPOCH - WHO) - 1


def write_report(e: Emitter, *arguments: LlvmValue) -> None:
    """`void sanitizer_report(state, kind, mine, earlier, address, size)`: notes a finding, or that it was made again. `mine` and
    `earlier` are accesses as they are kept, `earlier` 0 where there is none."""
    pointer, kind, mine, earlier, address, size = arguments
    state = state_of(e, pointer)
    record = record_of(state)
    own, other = (((each >> INSTRUCTION) & INSTRUCTIONS).trunc("i32") for each in (mine, earlier))
    epoch = earlier >> EPOCH
    here = epoch.uge(record.get("first_epoch"))
    length, found = ctypes.sizeof(FindingRecord), record.get("found")
    findings = e.ptr(record.get("findings"))
    with e.count(0, found) as i:
        seen = MemoryRecord(e, FindingRecord, e.offset(findings, i * length))
        pair = seen.get("instruction"), seen.get("other_instruction")
        alike = seen.get("other_epoch").uge(record.get("first_epoch")).eq(here)
        same = seen.get("kind").eq(kind) & pair[0].eq(own) & pair[1].eq(other) & alike
        turned = pair[0].eq(other) & pair[1].eq(own) & other.ne(0) & here  # a race, found by the other of the two
        with e.if_(same | turned):
            seen.add("times", 1)
            e.leave("out")
    e.break_if(found.uge(ROOM), "out")
    record.set("found", found + 1)
    new = MemoryRecord(e, FindingRecord, e.offset(findings, found * length))
    warp = state.follow("warp", record_layout.Warp)
    cta = cta_of(warp)
    rank = cta.get("rank")
    for name, value in (("kind", kind), ("instruction", own), ("other_instruction", other), ("size", size), ("rank", rank),
                        ("who", ((mine >> WHO) & _WHO).trunc("i32")), ("times", 1), ("window", 0), ("owner", rank),
                        ("other_who", ((earlier >> WHO) & _WHO).trunc("i32")), ("address", address), ("other_cta", 0),
                        ("other_epoch", epoch)):  # fmt: skip
        new.set(name, value)
    for axis in range(3):
        new.set("ctaid", cta.get("ctaid", axis), axis)
    _place(e, new, warp, cta, address)
    with e.if_(here):
        _name_earlier(e, new, record, earlier)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def _place(e: Emitter, new: MemoryRecord, warp: MemoryRecord, cta: MemoryRecord, address: LlvmValue) -> None:
    """In which window the address lies, and where there."""
    launch, first = launch_of(warp), cta.follow("cluster", record_layout.Cta)
    with e.count(0, launch.get("cluster_ctas")) as owner:
        offset = address - nth_cta(e, first.pointer, owner).get("shared")
        with e.if_(offset.ult(launch.get("shared_bytes").zext("i64"))):
            new.set("window", int(record_layout.Window.SHARED))
            new.set("owner", owner)
            new.set("address", offset)
    stride = launch.get("local_stride")
    offset = address - warp.get("local")
    with e.if_(offset.ult(stride << 5)):
        new.set("window", int(record_layout.Window.LOCAL))
        new.set("address", offset.urem(stride))


def _name_earlier(e: Emitter, new: MemoryRecord, record: MemoryRecord, earlier: LlvmValue) -> None:
    """Which CTA of the launch made the earlier access: the last that was given its column before."""
    number = ((earlier >> AGENT) & AGENTS).udiv(record.get("stretch")).trunc("i32")
    epoch, log = (earlier >> EPOCH).trunc("i32"), e.ptr(record.get("log"))
    left = e.var("i64", record.get("logged"))
    with e.loop() as end:
        now = left.get()
        e.break_if(now.eq(0), end)
        left.set(now - 1)
        start = MemoryRecord(e, CtaStart, e.offset(log, (now - 1) * ctypes.sizeof(CtaStart)))
        with e.if_(start.get("column").eq(number) & start.get("epoch").ule(epoch)):
            new.set("other_cta", start.get("index") + 1)
            e.leave(end)
