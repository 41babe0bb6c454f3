"""The functions that sanitized kernels link against, and what begins a CTA."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.sanitizer import barriers, bounds, initialised, races
from ptxgen.cpu.sanitizer.races import fill
from ptxgen.cpu.sanitizer.state_layout import BARRIERS, FIRST_HASHED, HASHED, MBARRIERS, SanitizerRecord, WarpState

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["SANITIZER"]


def write_start(e: Emitter, *arguments: LlvmValue) -> None:
    """`void sanitizer_start(launch, cta)`: nobody in the CTA knows anything of anybody, and nobody has touched its memory."""
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    cta = MemoryRecord(e, record_layout.Cta, arguments[1])
    record = launch.follow("sanitizer", SanitizerRecord)
    number = (cta.address() - launch.get("ctas")).udiv(ctypes.sizeof(record_layout.Cta))
    length, rank = record.get("block_bytes"), cta.get("rank")
    block = record.get("blocks") + number * length
    fill(e, e.ptr(block), length)
    words, warps = record.get("agents"), launch.get("warps")
    states = block + words * (4 * (FIRST_HASHED + HASHED)) + 8 * (MBARRIERS + BARRIERS)
    stride = (words << 2) + ctypes.sizeof(WarpState)
    with e.count(0, warps) as w:
        state = MemoryRecord(e, WarpState, e.ptr(states + w.zext("i64") * stride))
        place = cta.get("warps") + w.zext("i64") * launch.get("warp_stride")
        agent = rank * warps + w
        for name, value in (("record", record.address()), ("warp", place), ("block", block), ("agent", agent),
                            ("cluster_block", block - rank.zext("i64") * length), ("agents", words.trunc("i32")),
                            ("race_bias", record.get("race_bias")), ("init_bias", record.get("init_bias"))):  # fmt: skip
            state.set(name, value)
        with e.count(0, e.const("i32", 32)) as lane:
            state.set("synced", 1, lane)
        e.store(
            e.const("i32", 1), e.element("i32", e.offset(state.pointer, ctypes.sizeof(WarpState)), agent.zext("i64"))
        )
        MemoryRecord(e, record_layout.Warp, e.ptr(place)).set("sanitizer", state.address())
    shared, nbytes = cta.get("shared"), launch.get("shared_bytes").zext("i64")
    bias = record.get("race_bias")
    with e.if_(bias.ne(0)):
        fill(e, e.ptr((shared << 3) + bias), ((nbytes + 3) >> 2) << 5)
    bias = record.get("init_bias")
    with e.if_(bias.ne(0)):
        fill(e, e.ptr(shared + bias), ((nbytes + 31) >> 5) << 5)
        local = MemoryRecord(e, record_layout.Warp, e.ptr(cta.get("warps"))).get("local")
        fill(e, e.ptr(local + bias), (warps.zext("i64") << 5) * launch.get("local_stride"))
    e.line("ret void")


SANITIZER: dict[str, tuple[str, tuple[str, ...], Callable[..., None]]] = {
    "sanitizer_report": ("void", ("ptr", "i32", "i64", "i64", "i64", "i32"), races.write_report),
    "sanitizer_start": ("void", ("ptr", "ptr"), write_start),
    "bounds_of_variable": ("void", ("ptr", "i64", "i32", "i32", "i32", "i32"), bounds.write_bounds_of_variable),
    "bounds_of_block": (
        "void",
        ("ptr", "i64", "i32", "i32", "i32", "i32", "i64", "ptr"),
        bounds.write_bounds_of_block,
    ),
    "init_access": ("void", ("ptr", "i64", "i32", "i32", "i32"), initialised.write_init_access),
    "init_block": ("void", ("ptr", "i64"), initialised.write_init_block),
    "race_access": ("void", ("ptr", "i64", "i32", "i32", "i32", "ptr"), races.write_race_access),
    "race_elsewhere": ("void", ("ptr", "i64", "i32", "i32", "i32", "ptr"), races.write_race_elsewhere),
    "race_order": ("void", ("ptr", "i64", "i32", "i32"), races.write_race_order),
    "race_warp_sync": ("void", ("ptr", "i32"), races.write_race_warp_sync),
    "race_arrive": ("void", ("ptr", "i32", "i32"), races.write_race_arrive),
    "race_barrier_complete": ("void", ("ptr", "i32"), races.write_race_barrier_complete),
    "race_cluster_complete": ("void", ("ptr",), races.write_race_cluster_complete),
    "sync_barrier": ("void", ("ptr", "i32", "i32", "i32", "i32"), barriers.write_sync_barrier),
    "sync_complete": ("void", ("ptr", "i32"), barriers.write_sync_complete),
    "sync_mbarrier": ("void", ("ptr", "i64", "i32", "i32", "i32"), barriers.write_sync_mbarrier),
}
"""Name in generated code -> result type, argument types, and what writes the body."""
