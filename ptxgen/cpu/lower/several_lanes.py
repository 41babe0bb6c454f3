"""Several lanes in hand at once: how they are taken and left, and what runs in some of them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["enter_lanes", "first_lane", "leave_lanes", "where"]


def enter_lanes(k: LoweringContext, lanes: int, first: LlvmValue, active: LlvmValue) -> None:
    """What follows is for `lanes` lanes from number `first` on at once, of which these are active."""
    e = k.e
    k.lanes, k.first, k.active, k.values = lanes, first, active, {}
    e.spread = [], {}
    k.lane = e.numbered("i32", lanes) + first
    k.lane64 = k.lane.zext("i64")
    k.bit = e.const("i32", 1) << k.lane


def leave_lanes(k: LoweringContext) -> list[str]:
    """What follows is for one lane at a time, or for none; no check is shared with what came before. The lines that belong
    before the loop over groups of lanes."""
    before = k.e.spread[0] if k.e.spread is not None else []
    k.lanes, k.e.spread = 0, None
    k.groups, k.checked_groups, k.reaches = {}, set(), {}
    return before


@contextmanager
def where(k: LoweringContext, condition: LlvmValue, needed: int) -> Iterator[None]:
    """`when`, of several lanes: the body is passed over where it holds in none."""
    e = k.e
    before, outer, origin, at = dict(k.values), k.active, e.block, len(e.lines)
    k.active = outer & condition
    then, end = e.fresh("then"), e.fresh("end")
    e.branch(k.some_of(k.active), then, end)
    at = len(e.lines) - 1
    e.label(then)
    yield
    changed = k.changed(before, needed)
    otherwise = {reg: before.get(reg) or e.undef(value.type) for reg, value in changed.items()}
    merged = {reg: condition.select(value.clean(), otherwise[reg]).spread(k.lanes) for reg, value in changed.items()}
    inner = e.block
    e.jump(end)
    behind, e.lines = e.lines[at:], e.lines[:at]
    spread = {reg: value.spread(k.lanes) for reg, value in otherwise.items()}
    e.lines += behind
    e.label(end)
    for reg, value in merged.items():
        k.values[reg] = e.phi(value.type, [(value, inner), (spread[reg], origin)])
    k.active = outer


@contextmanager
def first_lane(k: LoweringContext) -> Iterator[None]:
    """In its body the lane in hand is the first of several that run, as far as faults tell."""
    lane = k.lane
    k.lane = k.first + k.e.intrinsic("llvm.cttz", k.active_bits(), False)
    yield
    k.lane = lane
