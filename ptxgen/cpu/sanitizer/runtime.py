"""The functions that sanitized kernels link against, and what begins a CTA."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord, launch_of
from ptxgen.cpu.sanitizer import barriers, bounds, clocks, in_flight, initialised, operands, order, races, rows, warps
from ptxgen.cpu.sanitizer.clocks import fill, forget_told, sync_lanes
from ptxgen.cpu.sanitizer.granules import GRANULE, head_of
from ptxgen.cpu.sanitizer.reports import write_report
from ptxgen.cpu.sanitizer.state_layout import (
    AGENT,
    CLOCKS,
    COLUMNS,
    EPOCH,
    EPOCHS,
    BlockHead,
    Column,
    CtaStart,
    SanitizerRecord,
    WarpState,
    arrivals_at,
    clocks_at,
)

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
    length, rank, warps = record.get("block_bytes"), cta.get("rank"), launch.get("warps")
    block = record.get("blocks") + number * length
    races = record.get("race_bias").ne(0)
    fill(e, e.ptr(block), races.select(e.const("i64", arrivals_at()), 0))
    fill(e, e.ptr(block + arrivals_at()), e.const("i64", clocks_at() - arrivals_at()))
    stretch, layers = record.get("stretch"), record.get("layers")
    words = record.get("words")
    pitch = words * (layers << 2)
    states, stride = block + pitch * CLOCKS + clocks_at(), pitch + ctypes.sizeof(WarpState)
    epoch = e.intrinsic("llvm.umin", record.get("last_epoch") + 1, e.const("i64", EPOCHS))
    first = epoch.trunc("i32")
    record.set("last_epoch", epoch)
    used = e.intrinsic("llvm.umax", launch.get("resident"), e.const("i32", COLUMNS)).zext("i64")
    column = _take_column(e, record, cta, used, first)
    MemoryRecord(e, BlockHead, e.ptr(block)).set("column", column.trunc("i32"))
    _note_start(e, record, column, first, cta.get("index"))
    first_word = column * stretch
    reach = (used * stretch + 7) & -8
    with e.count(0, warps) as w:
        state = MemoryRecord(e, WarpState, e.ptr(states + w.zext("i64") * stride))
        place = cta.get("warps") + w.zext("i64") * launch.get("warp_stride")
        agent = first_word + 1 + w.zext("i64")
        for name, value in (("record", record.address()), ("warp", place), ("launch", launch.address()), ("block", block),
                            ("cluster_block", block - rank.zext("i64") * length), ("agent", agent.trunc("i32")),
                            ("tag", reach.trunc("i32")), ("column", column.trunc("i32")),
                            ("first_word", first_word.trunc("i32")), ("first_epoch", first),
                            ("now", (epoch << EPOCH) | (agent << AGENT)),
                            ("race_bias", record.get("race_bias")), ("head_bias", record.get("head_bias")),
                            ("floor", record.get("settled")), ("init_bias", record.get("init_bias")),
                            ("async_bias", record.get("async_bias")), ("box_bias", record.get("box_bias")),
                            ("bounds", record.get("bounds").trunc("i32"))):  # fmt: skip
            state.set(name, value)
        clock = e.offset(state.pointer, ctypes.sizeof(WarpState))
        e.store(first, e.element("i32", clock, agent))
        with e.if_(races):
            sync_lanes(state, e.const("i32", -1), first)
            forget_told(state)
            with e.count(0, layers) as layer:
                fill(e, e.offset(clock, layer * (words << 2)), reach << 2)
            e.store(~first, e.element("i32", clock, first_word))
            e.store(first, e.element("i32", clock, agent))
        MemoryRecord(e, record_layout.Warp, e.ptr(place)).set("sanitizer", state.address())
    _forget_memory(e, record, launch, cta)
    e.line("ret void")


def _take_column(
    e: Emitter, record: MemoryRecord, cta: MemoryRecord, used: LlvmValue, epoch: LlvmValue
) -> LlvmValue:  # fmt: skip
    """The next of so many columns whose CTA does not run any more: a number, an i64. One is free."""
    table, blocks, length = e.ptr(record.get("columns")), record.get("blocks"), record.get("block_bytes")
    first = launch_of(cta).get("ctas")
    found = e.var("i64", record.get("turn"))
    with e.loop() as end:
        column = found.get().urem(used)
        found.set(column)
        entry = MemoryRecord(e, Column, e.offset(table, column * ctypes.sizeof(Column)))
        address = entry.get("cta")
        e.break_if(address.eq(0) | address.eq(cta.address()), end)
        number = (address - first).udiv(ctypes.sizeof(record_layout.Cta))
        theirs = MemoryRecord(e, BlockHead, e.ptr(blocks + number * length)).get("column")
        runs = MemoryRecord(e, record_layout.Cta, e.ptr(address)).get("running").ne(0)
        e.break_if(~(runs & theirs.eq(column.trunc("i32"))), end)
        found.set(column + 1)
    column = found.get()
    record.set("turn", column + 1)
    entry = MemoryRecord(e, Column, e.offset(table, column * ctypes.sizeof(Column)))
    entry.set("cta", cta.address())
    entry.set("first_epoch", epoch)
    return column


def _note_start(e: Emitter, record: MemoryRecord, column: LlvmValue, epoch: LlvmValue, index: LlvmValue) -> None:
    """In the launch's log, where it has one."""
    with e.if_(record.get("log").ne(0)):
        logged = record.get("logged")
        entry = MemoryRecord(e, CtaStart, e.offset(e.ptr(record.get("log")), logged * ctypes.sizeof(CtaStart)))
        for name, value in (("column", column.trunc("i32")), ("epoch", epoch), ("index", index)):
            entry.set(name, value)
        record.set("logged", logged + 1)


def _forget_memory(e: Emitter, record: MemoryRecord, launch: MemoryRecord, cta: MemoryRecord) -> None:
    """What the shadows say of the CTA's shared and local memory."""
    shared, nbytes = cta.get("shared"), launch.get("shared_bytes").zext("i64")
    whole = ((nbytes + 31) >> 5) << 5
    with e.if_(record.get("race_bias").ne(0)):
        fill(e, head_of(e, shared, record.get("head_bias")), ((nbytes + GRANULE - 1) >> 7) << 5)
    for name in ("async_bias", "box_bias"):
        bias = record.get(name)
        with e.if_(bias.ne(0)):
            fill(e, e.ptr(shared + bias), whole)
    bias = record.get("init_bias")
    with e.if_(bias.ne(0)):
        fill(e, e.ptr(shared + bias), whole)
        with e.count(0, record.get("reserved")) as i:
            e.store(e.const("i8", 1), e.ptr(shared + nbytes - record.get("reserved") + i + bias))
        local = MemoryRecord(e, record_layout.Warp, e.ptr(cta.get("warps"))).get("local")
        fill(e, e.ptr(local + bias), (launch.get("warps").zext("i64") << 5) * launch.get("local_stride"))


SANITIZER: dict[str, tuple[str, tuple[str, ...], Callable[..., None]]] = {
    "sanitizer_report": ("void", ("ptr", "i32", "i64", "i64", "i64", "i32"), write_report),
    "sanitizer_start": ("void", ("ptr", "ptr"), write_start),
    "bounds_of_variable": ("void", ("ptr", "i64", "i32", "i32", "i32", "i32"), bounds.write_bounds_of_variable),
    "bounds_of_block": (
        "void",
        ("ptr", "i64", "i32", "i32", "i32", "i32", "i64"),
        bounds.write_bounds_of_block,
    ),
    "init_access": ("void", ("ptr", "i64", "i32", "i32", "i32"), initialised.write_init_access),
    "race_access": ("void", ("ptr", "i64", "i32", "i32", "i32", "ptr"), races.write_race_access),
    "race_elsewhere": ("void", ("ptr", "i64", "i32", "i32", "i32", "ptr"), races.write_race_elsewhere),
    "race_write": ("void", ("ptr", "ptr", "i64", "i64", "i32", "i64", "i64", "ptr", "i32"), races.write_race_write),
    "race_read": ("void", ("ptr", "ptr", "i64", "i64", "i32"), races.write_race_read),
    "race_warp": ("void", ("ptr", "ptr", "i64", "i32", "i32", "i32", "ptr", "ptr"), warps.write_race_warp),
    "race_row": ("void", ("ptr", "ptr", "i64", "i32", "i32", "i32", "i32", "i32"), rows.write_race_row),
    "race_lanes": ("void", ("ptr", "ptr", "i64", "i32", "i32", "i32", "ptr", "ptr"), warps.write_race_lanes),
    "race_span": ("void", ("ptr", "i64", "i64", "i32"), warps.write_race_span),
    "init_warp": ("void", ("ptr", "ptr", "i64", "i32", "i32", "i32"), warps.write_init_warp),
    "clock_join": ("void", ("ptr", "ptr", "ptr", "i32", "i64", "i64", "i64"), clocks.write_clock_join),
    "race_order": ("void", ("ptr", "i64", "i32", "i32"), order.write_race_order),
    "race_fence": ("void", ("ptr", "i32"), order.write_race_fence),
    "race_warp_sync": ("void", ("ptr", "i32"), order.write_race_warp_sync),
    "race_warpgroup": ("void", ("ptr", "i32"), order.write_race_warpgroup),
    "race_arrive": ("void", ("ptr", "i32", "i32"), order.write_race_arrive),
    "race_barrier_complete": ("void", ("ptr", "i32"), order.write_race_barrier_complete),
    "race_cluster_complete": ("void", ("ptr",), order.write_race_cluster_complete),
    "async_access": ("void", ("ptr", "i64", "i32", "i32", "i32", "ptr"), in_flight.write_async_access),
    "async_mark": ("void", ("ptr", "i64", "i32", "i32", "i32", "i32"), in_flight.write_async_mark),
    "under_way": ("i32", ("ptr", "i32", "i64", "ptr"), in_flight.write_under_way),
    "async_registers": ("void", ("ptr", "ptr", "ptr", "i32", "i32", "i32"), in_flight.write_async_registers),
    "async_exit": ("void", ("ptr", "ptr", "i32", "i32"), in_flight.write_async_exit),
    "matrix_access": ("void", ("ptr", "ptr", "i64", "i32", "i32", "i1", "i32"), operands.write_matrix_access),
    "box_mark": ("void", ("ptr", "ptr", "ptr", "i64"), operands.write_box_mark),
    "tensor_access": ("void", ("ptr", "ptr", "ptr", "i32", "i32", "i32"), operands.write_tensor_access),
    "sync_barrier": ("void", ("ptr", "i32", "i32", "i32", "i32"), barriers.write_sync_barrier),
    "sync_complete": ("void", ("ptr", "i32"), barriers.write_sync_complete),
    "sync_mbarrier": ("void", ("ptr", "i64", "i32", "i32", "i32"), barriers.write_sync_mbarrier),
}
"""Name in generated code -> result type, argument types, and what writes the body."""
