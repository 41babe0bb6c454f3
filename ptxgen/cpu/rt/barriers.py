"""The 16 named barriers of a CTA (manual 9.7.13.1) and the one of a cluster (9.7.13.3), counted in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, call_hook, cta_of, launch_of, nth_cta

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = [
    "write_barrier_arrive", "write_barrier_complete", "write_cluster_complete", "write_lanes_exit", "write_same_lanes",
]  # fmt: skip


def write_barrier_complete(e: Emitter, *arguments: LlvmValue) -> None:
    """`void barrier_complete(cta, id)`: lets every waiting lane of the CTA go on, if enough threads have arrived."""
    cta_pointer, index = arguments
    cta = MemoryRecord(e, record_layout.Cta, cta_pointer)
    launch = launch_of(cta)
    barrier = MemoryRecord(
        e, record_layout.Barrier, e.element("[4 x i32]", cta.pointer_to("barriers"), index.zext("i64"))
    )
    arrived = barrier.get("arrived")
    explicit = barrier.get("expected")
    expected = explicit.eq(0).select(cta.get("alive"), explicit)
    with e.if_(arrived.ne(0) & arrived.uge(expected)):
        predicates = barrier.get("set_predicates")
        reduction = barrier.get("reduction")
        result = reduction.eq(1).select(
            predicates,
            reduction.eq(2).select(predicates.eq(arrived).zext("i32"), predicates.ne(0).zext("i32")),
        )
        call_hook(launch, "barrier_complete", cta.pointer, index)
        with e.if_(explicit.eq(0)):
            call_hook(launch, "all_complete", cta.pointer, index)
        first, stride = cta.get("warps"), launch.get("warp_stride")
        with e.count(0, launch.get("warps")) as i:
            warp = MemoryRecord(e, record_layout.Warp, e.ptr(first + i.zext("i64") * stride))
            waiting = warp.get("barrier_lanes", index)
            with e.if_(waiting.ne(0)):
                warp.set("released", warp.get("released") | waiting)
                warp.set("barrier_lanes", 0, index)
                with e.if_(reduction.ne(0)):
                    with e.count(0, e.const("i32", 32)) as lane:
                        with e.if_(((waiting >> lane) & 1).ne(0)):
                            warp.set("barrier_result", result, lane)
        for name in ("arrived", "expected", "set_predicates", "reduction"):
            barrier.set(name, 0)
    e.line("ret void")


def write_barrier_arrive(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 barrier_arrive(warp, id, count, lanes, wait, reduction, predicates, instruction)`: false when it is a fault.

    `lanes` arrive together; `count` 0 means every thread of the CTA; `wait` lanes are released later; `predicates` are the
    lanes whose bar.red predicate is set.
    """
    warp_pointer, index, count, lanes, wait, reduction, predicates, instruction = arguments
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    cta = cta_of(warp)

    def refuse(condition: LlvmValue, kind: FaultKind, detail: LlvmValue) -> None:
        with e.if_(condition):
            lane = e.intrinsic("llvm.cttz", lanes, False)
            kind_value, size = e.const("i32", int(kind)), e.const("i32", 0)
            e.invoke("fault", warp_pointer, kind_value, instruction, lane, detail.zext("i64"), size)
            e.leave("refused")

    refuse(index.uge(16), FaultKind.BARRIER_INDEX, index)
    refuse((count & 31).ne(0), FaultKind.BARRIER_COUNT, count)
    barrier = MemoryRecord(
        e, record_layout.Barrier, e.element("[4 x i32]", cta.pointer_to("barriers"), index.zext("i64"))
    )
    total = barrier.add("arrived", e.intrinsic("llvm.ctpop", lanes))
    refuse(count.ne(0) & total.ugt(count), FaultKind.BARRIER_OVERFULL, total)
    barrier.set("expected", count)
    with e.if_(reduction.ne(0)):
        barrier.set("reduction", reduction)
        barrier.add("set_predicates", e.intrinsic("llvm.ctpop", predicates))
    warp.set("barrier_lanes", warp.get("barrier_lanes", index) | wait, index)
    warp.set("arrived", warp.get("arrived") | wait)
    e.invoke("barrier_complete", cta.pointer, index)
    e.line("ret i1 true")
    e.label("refused")
    e.line("ret i1 false")


def write_lanes_exit(e: Emitter, *arguments: LlvmValue) -> None:
    """`void lanes_exit(warp, lanes)`: the lanes are gone; barriers that count every thread may now be complete."""
    warp_pointer, lanes = arguments
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    cta = cta_of(warp)
    warp.set("live", warp.get("live") & ~lanes)
    alive = cta.add("alive", -e.intrinsic("llvm.ctpop", lanes))
    with e.if_(alive.ne(0)):
        with e.count(0, e.const("i32", 16)) as index:
            barrier = MemoryRecord(
                e, record_layout.Barrier, e.element("[4 x i32]", cta.pointer_to("barriers"), index.zext("i64"))
            )
            with e.if_(barrier.get("arrived").ne(0) & barrier.get("expected").eq(0)):
                e.invoke("barrier_complete", cta.pointer, index)
    e.line("ret void")


def write_cluster_complete(e: Emitter, *arguments: LlvmValue) -> None:
    """`void cluster_complete(warp, lanes)`: these lanes, which have arrived or exited, are not waited for any more; ends the
    phase of the cluster's barrier when every thread of its CTAs that has not exited is there."""
    warp_pointer, lanes = arguments
    cta = cta_of(MemoryRecord(e, record_layout.Warp, warp_pointer))
    launch, first = launch_of(cta), cta.follow("cluster", record_layout.Cta)
    missing = first.get("missing") - e.intrinsic("llvm.ctpop", lanes)
    first.set("missing", missing)
    with e.if_(missing.eq(0)):
        call_hook(launch, "cluster_complete", first.pointer)
        alive, stride = e.var("i32", 0), launch.get("warp_stride")
        with e.count(0, launch.get("cluster_ctas")) as rank:
            member = nth_cta(e, first.pointer, rank)
            alive.set(alive.get() + member.get("alive"))
            warps = member.get("warps")
            with e.count(0, launch.get("warps")) as i:
                MemoryRecord(e, record_layout.Warp, e.ptr(warps + i.zext("i64") * stride)).set("in_cluster", 0)
        first.set("missing", alive.get())
    e.line("ret void")


def write_same_lanes(e: Emitter, *arguments: LlvmValue) -> None:
    """`i32 same_lanes(values, lanes, value)`: those of the lanes whose entry in the array of 32 words equals `value`."""
    values, lanes, value = arguments
    found = e.var("i32", 0)
    with e.count(0, e.const("i32", 32)) as lane:
        same = e.load("i32", e.element("i32", values, lane.zext("i64"))).eq(value)
        found.set(found.get() | (same.zext("i32") << lane))
    e.line(f"ret i32 {(found.get() & lanes).text}")
