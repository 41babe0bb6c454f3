"""Barriers of a CTA (manual 9.7.13.1: bar, barrier)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatOperand, Op
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.sync import SyncBlock

B32, PRED = TYPES["b32"], TYPES["pred"]
_REDUCTIONS = {"popc": 1, "and": 2, "or": 3}


def arrive(
    s: SyncBlock,
    form: FormModifiers,
    index: FlatOperand,
    count: FlatOperand,
    *,
    wait: bool,
    predicate: FlatOperand | None = None,
) -> LlvmValue:
    """Counts the lanes that are new at this barrier; the lanes that were counted.

    The lanes of an aligned barrier are counted when every lane of the warp that has not exited is here: all of them execute
    the same barrier instruction.
    """
    e, k = s.e, s.k
    new = s.arrived & ~k.warp.get("arrived") if wait else s.arrived
    if form.op.startswith("bar.") or form.get("aligned"):
        new = s.arrived.eq(k.warp.get("live")).select(new, 0)
    left, predicates = e.var("i32", new), e.var("i32", 0)
    if predicate is not None:
        with e.if_(new.ne(0)):
            with s.lanes(new, 1) as sums:
                sums[0] = sums[0] | k.read(predicate, PRED).select(k.bit, 0)
            predicates.set(sums[0])
    with e.loop() as end:
        now = left.get()
        e.break_if(now.eq(0), end)
        group, numbers = _same_barrier(s, now, (index, count))
        k.probe.arrive(k, numbers[0], numbers[1], group, wait=wait)
        good = e.call(
            "barrier_arrive", "i1", k.warp.pointer, *numbers, group, group if wait else e.const("i32", 0),
            e.const("i32", _REDUCTIONS.get(form.get("do") or "", 0)), predicates.get() & group,
            e.const("i32", s.op.index),
        )  # fmt: skip
        e.break_if(~good, "faulted")
        left.set(now & ~group)
    return new


def _same_barrier(
    s: SyncBlock, lanes: LlvmValue, operands: tuple[FlatOperand, FlatOperand]
) -> tuple[LlvmValue, list[LlvmValue]]:
    """The lanes that name the same barrier and count as the lowest one, and these two numbers."""
    e = s.e
    lane = e.intrinsic("llvm.cttz", lanes, True)
    numbers = []
    for operand in operands:
        array = s.array(operand)
        if array is not None:
            numbers.append(e.load("i32", e.element("i32", array, lane.zext("i64"))))
            lanes = e.call("same_lanes", "i32", array, lanes, numbers[-1])
        else:
            numbers.append(s.k.read(operand, B32))
    return lanes, numbers


def released(s: SyncBlock) -> LlvmValue:
    """Takes the lanes whose barrier is complete; the others keep waiting."""
    warp = s.k.warp
    free = s.arrived & warp.get("released")
    warp.set("released", warp.get("released") & ~free)
    warp.set("arrived", warp.get("arrived") & ~free)
    s.keep(s.arrived & ~free)
    return free


ALL = ir.Immediate(0)
"""The count that means every thread of the CTA."""


@lowers("bar{.cta}.sync", "barrier{.cta}.sync{.aligned}", sync=True, destinations=0)
def bar_sync(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    arrive(s, form, op.operands[0], op.operands[1] if len(op.operands) > 1 else ALL, wait=True)
    s.release(released(s))


@lowers("bar{.cta}.arrive", "barrier{.cta}.arrive{.aligned}", sync=True, destinations=0)
def bar_arrive(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    gone = arrive(s, form, op.operands[0], op.operands[1], wait=False)
    s.keep(s.arrived & ~gone)
    s.release(gone)


@lowers("bar{.cta}.red.do.u32", "barrier{.cta}.red.do{.aligned}.u32", do="popc", sync=True)
@lowers("bar{.cta}.red.do.pred", "barrier{.cta}.red.do{.aligned}.pred", do="and or", sync=True)
def bar_red(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    d, index, *count, predicate = op.operands
    arrive(s, form, index, count[0] if count else ALL, wait=True, predicate=predicate)
    free = released(s)
    with s.e.if_(free.ne(0)):
        with s.lanes(free):
            value = s.k.warp.get("barrier_result", s.k.lane)
            s.write(d, value if form.do == "popc" else value.ne(0), B32 if form.do == "popc" else PRED)
    s.release(free)
