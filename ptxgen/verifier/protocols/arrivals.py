"""Arrivals and bytes that add up: as many threads arrive on an mbarrier as it counts, and as many bytes come as it expects.

Manual 9.7.13.15.5. Where the text says who arrives: a stated CTA size, and conditions on the number of the thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.threads.uniformity import Level, Uniformity
from ptxgen.ir import Address, Register, Symbol
from ptxgen.verifier.protocols.barrier_uses import ARRIVALS, EXPECTS, BarrierUse, Object, barrier_address
from ptxgen.verifier.protocols.iteration_values import iteration_values

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.dataflow.threads.active_threads import ActiveThreads
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_arrivals_and_bytes"]


def check_arrivals_and_bytes(view: View) -> None:
    """Report counts of arrivals that are not those of mbarrier.init, and bytes that are not those of the copies."""
    uses = view.barrier_uses
    if not view.whole or any(use.object is None and use.kind != "wait" for use in uses):
        return
    objects = dict.fromkeys(use.object for use in uses if use.object is not None)
    for target in objects:
        own = [use for use in uses if use.object == target]
        if not any(use.place.remote for use in own):
            _check_bytes(view, own)
            _check_count(view, target, own)


# -- bytes ---------------------------------------------------------------------------------------------------------


def _check_bytes(view: View, own: list[BarrierUse]) -> None:
    """PTX529: the bytes expected and those of the copies, where both are constants and come equally often."""
    expects = [use for use in own if use.kind in EXPECTS]
    copies = [use for use in own if use.kind == "complete"]
    if not expects or not copies or len({_occasion(view, use) for use in (*expects, *copies)}) > 1:
        return
    if any(word in view.op(use.position) for use in copies for word in ("multicast", ".tensor", ".ignore_oob")):
        return
    expected = [_bytes(view, use) for use in expects]
    copied = [view.values.constant(view.body.instructions[use.position].operands[2], use.position) for use in copies
              if view.op(use.position).startswith("cp.")]  # fmt: skip
    if None in expected or None in copied or len(copied) != len(copies):
        return
    total, come = sum(filter(None, expected)), sum(filter(None, copied))
    if total != come:
        view.body.report(
            "PTX529",
            f"{expects[-1].object} expects {total} bytes a phase, and the copies bring {come}: "
            + ("the phase never completes" if come < total else "the phase ends before they have arrived"),
            expects[-1].position,
            expected=f"{come} bytes, the sum of the copies that complete on it",
            hint=str(come),
        )


def _occasion(view: View, use: BarrierUse) -> tuple[object, ...]:
    """When an instruction runs: the conditions over its block, and its guard. Equal for two that run equally often."""
    flow = view.body.flow
    guard = view.body.instructions[use.position].pred
    facts = view.values.facts(guard, use.position, True) if guard is not None else ()
    return flow.controllers[flow.block_at(use.position).index], facts


def _bytes(view: View, use: BarrierUse) -> int | None:
    operands = view.body.instructions[use.position].operands
    return view.values.constant(operands[-1], use.position)


# -- arrivals ------------------------------------------------------------------------------------------------------


def _check_count(view: View, target: Object, own: list[BarrierUse]) -> None:
    """PTX538: a phase gets more or fewer arrivals than it counts."""
    counted = _counted(view, own)
    sites = [use for use in own if use.kind in ARRIVALS]
    active = view.active
    if counted is None or active is None or view.exact_threads is None or not sites:
        return
    blocks = {view.body.flow.block_at(use.position).index for use in sites}
    between = any(use.kind == "wait" and sites[0].position < use.position < sites[-1].position for use in own)
    plain = all(use.kind in ("arrive", "arrive expect") and "arrive_drop" not in view.op(use.position) for use in sites)
    if len(blocks) > 1 or between or not plain or not all(_once_a_phase(view, use, own) for use in sites):
        return
    total = _total(view, active, sites)
    if total is None:
        return
    if total < counted or (total > counted and not (len(sites) > 1 and any(_chosen(view, use) for use in sites))):
        many = "is 1 arrival" if total == 1 else f"are {total} arrivals"
        view.body.report(
            "PTX538",
            f"{target} counts {counted} a phase, and there {many}: "
            + ("it never completes" if total < counted else "phases complete too early"),
            sites[0].position,
            expected=f"mbarrier.init with {total}, or {counted} arrivals a phase",
            hint=f"mbarrier.init.shared::cta.b64 [{target.symbol}], {total};",
        )


def _total(view: View, active: ActiveThreads, sites: list[BarrierUse]) -> int | None:
    """The arrivals that a phase of one mbarrier gets; None where that is not known, or not the same for each that is named.

    Threads may name different ones of an array: those of two warpgroups that take turns arrive on each other's.
    """
    totals: dict[tuple[object, int], int] = {}
    for use in sites:
        threads, each = active.at(use.position), _each(view, use)
        if len(sites) == 1 and threads is not None and each is not None and _is_one(view, use):
            return each * sum(threads)
        where = active.threads.of(barrier_address(view.body, use), use.position)
        if threads is None or each is None or where is None:
            return None
        coming = [(sum(threads), where.parts[0])] if where.uniform else zip(threads, where.parts)
        for comes, part in coming:
            totals[where.base, part] = totals.get((where.base, part), 0) + each * comes
    different = {total for total in totals.values() if total} or {0}
    alone = len({base for base, _ in totals}) == 1
    return different.pop() if alone and len(different) == 1 else None


def _is_one(view: View, use: BarrierUse) -> bool:
    """Do all threads of the CTA name the same mbarrier?"""
    address = barrier_address(view.body, use)
    base = address.base if isinstance(address, Address) else address
    number = view.body.number(base, use.position) if isinstance(base, Register) else None
    if number is None:
        return isinstance(base, Symbol)
    return view.body.analysis(Uniformity).register(number, use.position) <= Level.CTA


def _chosen(view: View, use: BarrierUse) -> bool:
    """Has it a guard that is the same in the whole CTA? Of several such arrivals, perhaps not all are made."""
    guard = view.body.guard(use.position)
    return guard is not None and view.body.analysis(Uniformity).register(guard[0], use.position) <= Level.CTA


def _counted(view: View, own: list[BarrierUse]) -> int | None:
    """The count of every mbarrier.init of an object, where they agree."""
    inits = [use for use in own if use.kind == "init"]
    counts = {view.values.constant(view.body.instructions[use.position].operands[1], use.position) for use in inits}
    return counts.pop() if len(counts) == 1 else None


def _each(view: View, use: BarrierUse) -> int | None:
    """How many arrivals one thread makes."""
    operands = view.body.instructions[use.position].operands
    if use.kind == "arrive expect" or len(operands) < 3:
        return 1
    return view.values.constant(operands[2], use.position)


def _once_a_phase(view: View, use: BarrierUse, own: list[BarrierUse]) -> bool:
    """Does a thread surely come there once in each phase: in no loop, in one that waits for the object, or round a ring?"""
    block = view.body.flow.block_at(use.position).index
    loop = view.loops.around(block)
    if loop is None:
        return True
    if not all(view.parts_threads(branch) for branch in _choices(view, loop, block)):
        return False
    for other in own:
        where = view.body.flow.block_at(other.position).index
        if other.kind == "wait" and where in loop.blocks and view.loops.every_iteration(loop, where):
            return True
    found = iteration_values(view, (barrier_address(view.body, use),), use.position, loop, of_some=True)
    return found is not None and found.ring


def _choices(view: View, loop: Loop, block: int) -> list[int]:
    """The blocks of a loop whose branches decide whether one of its iterations comes to a block."""
    flow = view.body.flow
    inside, current = [], block
    while not view.loops.every_iteration(loop, current):
        above = flow.dominators[current]
        if not flow.post_dominates(current, above):
            inside.append(above)
        current = above
    return inside
