"""Stages that a bulk copy fills again while other threads may still read them (manual 9.7.13.15).

A loop that copies into a buffer once more has to know that the readers are done: it waits for an mbarrier on which they arrive
("empty"), or at a barrier. Said is only of loops in which nothing at all waits for other threads, and whose copies are followed
until one of them comes back to an earlier place.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.values.constant_rules import Pointer
from ptxgen.verifier.protocols.barrier_uses import ARRIVALS, same_object
from ptxgen.verifier.protocols.iteration_values import iteration_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.verifier.protocols.barrier_uses import BarrierUse
    from ptxgen.verifier.protocols.memory import ProxyAccess
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_stage_reuse"]


class _StageReuse(NamedTuple):
    """A copy into a place that iteration `before` of the loop has filled, and a thread that may still read it."""

    fill: ProxyAccess
    reader: ProxyAccess
    iteration: int
    before: int
    where: Pointer


def check_stage_reuse(view: View) -> None:
    """PTX548, once a variable: a loop of copies comes back to a stage and has not waited for its readers."""
    if not view.whole:
        return
    copies = {use.position for use in view.barrier_uses if use.kind == "complete"}
    fills: dict[str, list[ProxyAccess]] = {}
    for access in view.accesses:
        if access.kind == "bulk write" and access.position in copies and access.place.symbol is not None:
            fills.setdefault(access.place.symbol, []).append(access)
    for symbol, own in fills.items():
        found = next(_refills(view, symbol, own), None)
        if found is not None:
            _report(view, symbol, found)


def _report(view: View, symbol: str, found: _StageReuse) -> None:
    stage = symbol + (f"+{found.where.offset}" if found.where.offset else "")
    view.body.report(
        "PTX548",
        f"iteration {found.iteration} of the loop fills {stage}, as iteration {found.before} did, "
        f"and has not waited for those that read it: {view.body.line_of(found.reader.position)}",
        found.fill.position,
        expected='a wait for an mbarrier on which they arrive behind their reads ("empty"), or a barrier, before the copy',
        hint="WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [empty], phase; @!p bra WAIT;",
    )


def _refills(view: View, symbol: str, fills: list[ProxyAccess]) -> Iterator[_StageReuse]:
    readers = [a for a in view.accesses if a.kind in ("load", "matrix") and a.place.symbol == symbol]
    if not readers or any(not _is_plain_loop(view, fill) for fill in fills):
        return
    for fill in fills:
        block = view.body.flow.block_at(fill.position).index
        for loop in [loop for loop in view.loops.all if block in loop.blocks]:
            reader = next((reader for reader in readers if _is_overtaken(view, loop, fill, reader)), None)
            back = _comes_back(view, loop, fill) if reader is not None else None
            if reader is not None and back is not None:
                yield _StageReuse(fill, reader, *back)
                break


def _is_plain_loop(view: View, fill: ProxyAccess) -> bool:
    """Is a copy in loops none of which waits for its readers, or in no loop?"""
    block = view.body.flow.block_at(fill.position).index
    return not any(block in loop.blocks and _waits_for_others(view, loop) for loop in view.loops.all)


def _waits_for_others(view: View, loop: Loop) -> bool:
    """Does a loop have anything by which a thread learns that others have come somewhere?"""
    flow, uses = view.body.flow, view.barrier_uses
    if any(flow.block_at(p).index in loop.blocks and not view.op(p).startswith("bar.warp") for p in view.barriers):
        return True
    if any(flow.block_at(p).index in loop.blocks for p in view.asking):
        return True
    inside = [use for use in uses if flow.block_at(use.position).index in loop.blocks]
    return any(use.kind == "wait" and _is_from_elsewhere(view, use, inside) for use in inside)


def _is_from_elsewhere(view: View, wait: BarrierUse, inside: list[BarrierUse]) -> bool:
    """May others than the loop's own threads complete the phase that is waited for?"""
    if wait.object is None or wait.place.remote:
        return True
    arrivals = [use for use in view.barrier_uses if use.kind in ARRIVALS and same_object(wait, use)]
    return not arrivals or any(use not in inside or use.place.remote for use in arrivals)


def _is_overtaken(view: View, loop: Loop, fill: ProxyAccess, reader: ProxyAccess) -> bool:
    """Is it certain that others than the filling threads read, and that no step of theirs and of the loop's goes together?"""
    flow = view.body.flow
    block = flow.block_at(reader.position).index
    if block not in loop.blocks:  # in another branch, as a role of its own
        return not view.reaches(block, loop.head) and not view.reaches(loop.head, block)
    body = view.body
    for index in loop.blocks:
        for position in range(flow.blocks[index].start, flow.blocks[index].end):
            form = body.forms[position]
            if form is None or not form.form.effects.isdisjoint(("converged", "barrier")):
                return False
    reading, filling = view.active_first.at(reader.position), view.active_first.at(fill.position)
    return bool(reading and filling) and any(r and not f for r, f in zip(reading or (), filling or ()))


def _comes_back(view: View, loop: Loop, fill: ProxyAccess) -> tuple[int, int, Pointer] | None:
    """(iteration, earlier iteration, place) of the first copy into a place that was filled before; None if none is sure."""
    flow, values = view.body.flow, view.values
    exiting = tuple(sorted(i for i in loop.blocks if not loop.blocks.issuperset(flow.blocks[i].successors)))
    for index in exiting:  # a bound such as min(n, stages) says more than can be followed
        last = flow.blocks[index].end - 1
        guard = view.body.instructions[last].pred
        if guard is not None and _is_bounded(values.number(guard, last), view):
            return None
    operand = view.body.instructions[fill.position].operands[0]
    found = iteration_values(view, (operand,), fill.position, loop, exiting, of_some=True)
    seen: dict[Pointer, int] = {}
    for iteration, (where,) in enumerate(found.repeated if found is not None else (), 1):
        if not isinstance(where, Pointer):
            return None
        if where in seen:
            return iteration, seen[where], where
        seen[where] = iteration
    return None


def _is_bounded(number: int, view: View) -> bool:
    """Is a condition made with a minimum, or a choice of values?"""
    work, seen = [number], set[int]()
    while work:
        current = work.pop()
        if current not in seen:
            seen.add(current)
            if view.values.keys[current][0] in ("min", "selp", "slct"):
                return True
            work += view.values.inputs(current)
    return False
