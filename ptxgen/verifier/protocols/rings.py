"""mbarriers iteration by iteration: which stage of a ring each iteration names, and whether its first phase can ever complete.

A wait for parity P returns once the phase of that parity has completed; a new mbarrier counts as having completed a phase of
parity 1. So whoever fills a ring first waits for parity 1 of "empty", and whoever empties it for parity 0 of "full"; each
flips its parity where its stage wraps (manual 9.7.13.15.16).
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.values.constant_rules import Pointer, Value
from ptxgen.dataflow.values.possible_values import PossibleValues
from ptxgen.verifier.protocols.barrier_uses import (
    ARRIVALS,
    BarrierUse,
    Object,
    barrier_address,
    same_object,
    wait_operands,
)
from ptxgen.verifier.protocols.iteration_values import first_values, iteration_values
from ptxgen.verifier.protocols.waits import first_waits, outcome

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.ir import Operand
    from ptxgen.verifier.protocols.iteration_values import IterationValues
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_rings"]


class _Wait(NamedTuple):
    """A wait for a parity: block `branch_block` ends with the branch that asks, `passed` is the one where it is over."""

    use: BarrierUse
    branch_block: int
    passed: int
    parity: Operand


def check_rings(view: View) -> None:
    """Report stages and parities that go wrong in some iteration, and first phases that wait for each other."""
    uses = view.barrier_uses
    if not view.whole or not any(use.kind == "wait" for use in uses):
        return
    waits = [wait for wait in (_wait(view, use) for use in uses if use.kind == "wait") if wait is not None]
    for wait in waits:
        _check_parities_of_iterations(view, wait, uses)
        _check_start(view, wait, uses)
    _check_stages(view, uses)
    _check_circles(view, waits, uses)


def _wait(view: View, use: BarrierUse) -> _Wait | None:
    """A wait that a branch repeats until it is over."""
    instruction = view.body.instructions[use.position]
    operands = wait_operands(instruction)
    if ".parity" not in instruction.op or len(operands) < 3:
        return None
    found = outcome(view, use.position)
    return None if found is None else _Wait(use, found.branch_block, found.completed, operands[2])


def _loop_of(view: View, use: BarrierUse, passed: int | None = None) -> Loop | None:
    """The loop of which each iteration uses the mbarrier once; not the one that repeats a wait."""
    block = view.body.flow.block_at(use.position).index
    return view.loops.around(block, block if passed is None else passed)


# -- parities ------------------------------------------------------------------------------------------------------


def _check_parities_of_iterations(view: View, wait: _Wait, uses: list[BarrierUse]) -> None:
    """PTX536: two iterations in a row wait for one parity of the same mbarrier."""
    use = wait.use
    loop = _loop_of(view, use, wait.passed)
    if loop is None:
        return
    for other in uses:
        changes = other is not use and other.kind in ("wait", "init", "inval")
        if changes and view.loops.written(loop, other.position) and same_object(use, other):
            return
    parity = view.values.number(wait.parity, use.position)
    if not view.loops.varies(loop, frozenset((parity,))):
        return  # judged as one that never flips
    found = iteration_values(
        view, (barrier_address(view.body, use), wait.parity), use.position, loop, (wait.branch_block,)
    )
    last: dict[object, tuple[object, int]] = {}
    for iteration, (where, now) in enumerate(found.repeated if found is not None else (), 1):
        if not isinstance(where, Pointer) or not isinstance(now, int):
            return
        before = last.get(where)
        last[where] = now, iteration
        if before is not None and before[0] == now:
            view.body.report(
                "PTX536",
                f"iteration {iteration} of the loop waits for parity {now & 1} of {_named(where)}, as iteration {before[1]} did",
                use.position,
                expected="a parity that flips each time the same mbarrier is waited for again, and only then",
                hint="xor.b32 phase, phase, 1; where the stage index wraps",
            )
            return


def _named(where: Pointer) -> str:
    return where.symbol + (f"+{where.offset}" if where.offset else "")


def _check_start(view: View, wait: _Wait, uses: list[BarrierUse]) -> None:
    """PTX531: the first wait for what copies fill is for parity 1, which a new mbarrier has completed: it does not wait."""
    use, flow = wait.use, view.body.flow
    here = flow.block_at(use.position).index
    if use.object is None or here not in flow.reachable:
        return

    def before(other: BarrierUse) -> bool:
        """Does every path to the wait come by another use, or by the choice of the threads that make it for all?"""
        block = flow.block_at(other.position).index
        if block == here:
            return other.position < use.position
        if block not in flow.reachable:
            return False
        while not flow.dominates(block, here):
            above = flow.dominators[block]
            if above == here or not (flow.post_dominates(block, above) or view.parts_threads(above)):
                return False
            block = above
        return True

    def elsewhere(other: BarrierUse) -> bool:
        """Does no path lead from the wait to another use: do others make it?"""
        block = flow.block_at(other.position).index
        return block != here and not view.reaches(wait.passed, block)

    def asks_the_same(other: BarrierUse) -> bool:
        """Is another wait for the same parity, as where the first try stands before the loop?"""
        operands = wait_operands(view.body.instructions[other.position])
        return len(operands) > 2 and view.values.number(operands[2], other.position) == parity

    parity = view.values.number(wait.parity, use.position)
    own = [other for other in uses if other is not use and same_object(use, other)]
    copies = [other for other in own if other.kind == "complete"]
    if not copies or not (any(map(before, copies)) or all(map(elsewhere, copies))):
        return
    if any(other.kind == "wait" and not asks_the_same(other) for other in own):
        return
    first = first_values(view, (wait.parity,), use.position, (wait.branch_block,))
    if first and all(isinstance(value, int) and value & 1 for (value,) in first):
        view.body.report(
            "PTX531",
            f"this wait is over at once: the first is for parity 1 of {use.object}, which a new mbarrier counts as completed",
            use.position,
            expected="parity 0 the first time, for what a copy fills",
            hint="mov.u32 phase, 0;",
        )


# -- stages --------------------------------------------------------------------------------------------------------


def _check_stages(view: View, uses: list[BarrierUse]) -> None:
    """Stages that nothing initialises (PTX530), and stages that are waited for but never arrived on (PTX538)."""
    for symbol in dict.fromkeys(use.place.symbol for use in uses if use.place.symbol is not None):
        own = [use for use in uses if use.place.symbol == symbol]
        if all(use.place.exact for use in own):
            continue  # judged one by one
        if any(use.place.symbol is None and (symbol in use.place.symbols or not use.place.symbols) for use in uses):
            continue
        if not _may_be_missing(view, own):
            continue
        where = {use.position: _addresses_by_iteration(view, use) for use in own}
        missing = _missing(own, where, frozenset({"init"}), [use for use in own if use.kind != "init"])
        if missing is not None:
            use, at, iteration = missing
            view.body.report(
                "PTX530",
                f"{_named(at)} is used as an mbarrier in iteration {iteration} of the loop, and nothing initialises it",
                use.position,
                expected="mbarrier.init of each stage, or an index that wraps where the stages end",
            )
            continue  # nothing arrives on it either
        missing = _missing(own, where, ARRIVALS, [use for use in own if use.kind == "wait"])
        if missing is not None:
            use, at, iteration = missing
            view.body.report(
                "PTX538",
                f"nothing ever arrives on {_named(at)}, for which iteration {iteration} of the loop waits",
                use.position,
                expected="the same stages on both sides of the ring",
            )


def _may_be_missing(view: View, own: list[BarrierUse]) -> bool:
    """May some path use a stage that none initialises, or wait for one that none arrives on?

    That is seen without a look at which iteration names which.
    """
    possible = view.body.analysis(PossibleValues)
    initialised, arrived, used, awaited = set[Value](), set[Value](), set[Value](), set[Value]()
    for use in own:
        stages = possible.of(barrier_address(view.body, use), use.position)
        if stages is None:
            return True
        (initialised if use.kind == "init" else used).update(stages)
        if use.kind in ARRIVALS:
            arrived |= stages
        elif use.kind == "wait":
            awaited |= stages
    return not (used <= initialised and awaited <= arrived)


def _missing(
    own: list[BarrierUse], where: dict[int, IterationValues | None], kinds: frozenset[str], users: list[BarrierUse]
) -> tuple[BarrierUse, Pointer, int] | None:
    """The first use, by `users`, of a stage that nothing of these kinds names; None where it is not known what they name."""
    there: set[Value] = set()
    makers = [where[use.position] for use in own if use.kind in kinds]
    for found in makers:
        if found is None or not found.complete:
            return None
        there |= {at for (at,) in found.values}
    if not makers or not all(isinstance(at, Pointer) for at in there):
        return None
    for use in users:
        found = where[use.position]
        for iteration, (at,) in enumerate(found.values if found is not None else (), 1):
            if isinstance(at, Pointer) and at not in there:
                return use, at, iteration
    return None


def _addresses_by_iteration(view: View, use: BarrierUse) -> IterationValues | None:
    wait = _wait(view, use) if use.kind == "wait" else None
    if wait is None:
        return iteration_values(view, (barrier_address(view.body, use),), use.position, _loop_of(view, use))
    loop = _loop_of(view, use, wait.passed)
    return iteration_values(view, (barrier_address(view.body, use),), use.position, loop, (wait.branch_block,))


# -- first phases --------------------------------------------------------------------------------------------------


def _check_circles(view: View, waits: list[_Wait], uses: list[BarrierUse]) -> None:
    """PTX539: all that arrives on one mbarrier comes behind a first wait for another, and so on around.

    None of these phases ever completes: every thread waits.
    """
    arrivals = [use for use in uses if use.kind in ARRIVALS]
    if any(use.object is None for use in arrivals):
        return
    flow = view.body.flow
    firsts = [wait for wait in waits if wait.use.object is not None and _waits_first(view, wait)]
    behind: dict[Object, dict[Object, _Wait]] = {}
    for target in dict.fromkeys(use.object for use in arrivals if use.object is not None):
        blocks = [flow.block_at(use.position).index for use in arrivals if use.object == target]
        for wait in firsts:
            assert wait.use.object is not None
            if _passes(view, wait) and all(flow.dominates(wait.passed, block) for block in blocks):
                behind.setdefault(target, {}).setdefault(wait.use.object, wait)
    circle = _circle(behind)
    if circle:
        first = min(circle, key=lambda wait: wait.use.position)
        others = ", ".join(dict.fromkeys(str(wait.use.object) for wait in circle))
        around = (
            f"all that arrives on {others} comes behind this wait"
            if len(circle) == 1
            else f"so do all that arrive on {others}"
        )
        view.body.report(
            "PTX539",
            f"every thread waits: this is for the first phase of {first.use.object} (parity 0), and {around}",
            first.use.position,
            expected="parity 1 the first time where buffers are free at first: the phase before the first counts as complete",
            hint="xor.b32 parity, phase, 1;",
        )


def _waits_first(view: View, wait: _Wait) -> bool:
    """Is the parity 0 whenever control first comes there?"""
    found = first_values(view, (wait.parity,), wait.use.position, (wait.branch_block,))
    return bool(found) and all(isinstance(value, int) and value & 1 == 0 for (value,) in found or ())


def _passes(view: View, wait: _Wait) -> bool:
    """Is there no path around the wait to the block where it is over?"""
    alone = view.body.flow.blocks[wait.passed].predecessors == [wait.branch_block]
    return alone and first_waits(view, wait.use.position, wait.branch_block)


def _circle(behind: dict[Object, dict[Object, _Wait]]) -> list[_Wait]:
    """The waits of a circle in the graph: object -> objects that are waited for before anything arrives on it."""
    for start in behind:
        trail: list[tuple[Object, list[_Wait]]] = [(start, [])]
        seen: set[Object] = set()
        while trail:
            current, waits = trail.pop()
            for to, wait in behind.get(current, {}).items():
                if to == start:
                    return [*waits, wait]
                if to not in seen:
                    seen.add(to)
                    trail.append((to, [*waits, wait]))
    return []
