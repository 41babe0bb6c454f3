"""Checked runs of bytes: what copies of a size known only at run time may touch."""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import Window
from ptxgen.cpu.rt.memory import FaultKind, find_block
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["Span", "write_span"]


class Span(IntFlag):
    """What kind of address a run of bytes has, and what happens to it."""

    GLOBAL = 0
    WRITE = 1
    SHARED = 2
    """The address is an offset in shared memory."""
    GENERIC = 4
    """The address may lead to shared or parameter memory too."""
    RANKED = 16
    """Of one in shared memory: it has the CTA's rank in it, see rt/clusters.py."""
    PREFETCH = 8
    """Nothing is read or written, so that the run may lie anywhere. Of tensor copies, which have other rules beside that."""


def write_span(e: Emitter, *arguments: LlvmValue) -> None:
    """`i64 span(address, bytes, alignment, access, warp, lane, instruction)`: the machine's address of the run, 0 when it is a
    fault, which is noted then. `access` is a Span; `alignment` is a power of two.
    """
    address, nbytes, alignment, access, warp_pointer, lane, instruction = arguments
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    cta, launch = cta_of(warp), launch_of(warp)
    kind, size = e.var("i32", int(FaultKind.MISALIGNED_ADDRESS)), e.var("i64", alignment)
    found = e.var("i64", 0)

    def inside(base: LlvmValue, available: LlvmValue) -> None:
        """The run is good when it lies within these bytes."""
        offset = address - base
        with e.if_(offset.ule(available) & (available - offset).uge(nbytes)):
            found.set(address)
            e.leave("out")

    is_shared = (access & Span.SHARED).ne(0)
    with e.if_((address & (alignment - 1)).eq(0)):
        kind.set(int(FaultKind.ILLEGAL_ADDRESS))
        size.set(nbytes)
        shared_bytes = launch.get("shared_bytes").zext("i64")
        with e.if_(is_shared):
            window = cta.get("rank").zext("i64") << record_layout.RANK_SHIFT
            offset = address - (access & Span.RANKED).ne(0).select(window, 0)
            with e.if_(offset.ule(shared_bytes) & (shared_bytes - offset).uge(nbytes)):
                found.set(cta.get("shared") + offset)
                e.leave("out")
            e.leave("bad")
        with e.if_((access & Span.GENERIC).ne(0)):
            inside(cta.get("shared"), shared_bytes)
            with e.if_((access & Span.WRITE).eq(0)):
                inside(launch.get("param"), launch.get("param_bytes"))
        with find_block(e, launch, address) as (base, available, read_only):
            with e.if_(read_only & (access & Span.WRITE).ne(0)):
                kind.set(int(FaultKind.READ_ONLY_ADDRESS))
                e.leave("bad")
            inside(base, available)
    e.jump("bad")
    e.label("bad")
    launch.set("fault_window", is_shared.select(e.const("i32", int(Window.SHARED)), 0))
    e.invoke("fault", warp_pointer, kind.get(), instruction, lane, address, size.get().trunc("i32"))
    e.jump("out")
    e.label("out")
    e.line(f"ret i64 {found.get().text}")
