"""Barriers with a thread count, and the threads that come to them (manual 9.7.13.1).

Where .reqntid says how many threads there are, and conditions on their numbers say which of them come to the barriers of a
number. Barriers count whole warps.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.launch_bounds import product
from ptxgen.dataflow.calls.participation import takes_part_in
from ptxgen.dataflow.threads.active_threads import active_threads
from ptxgen.dataflow.threads.branches import Branches
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.verifier.threads.barriers import NumberedBarrier, barriers

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_barrier_counts"]


class _Site(NamedTuple):
    """A barrier instruction, the count that it states, and the warps that come there with one number; None: not known."""

    barrier: NumberedBarrier
    counts: int | None
    warps: frozenset[int] | None


def check_barrier_counts(body: CheckedBody) -> None:
    """PTX509: other threads come to the barriers of a number than these count."""
    threads = product(body.function, "reqntid")
    if not body.function.is_entry or not threads or threads > body.context.target.max_threads:
        return
    found = barriers(body)
    if not any(barrier.counted for barrier in found):
        return
    if any(takes_part_in(body, position) for position in body.at.get("call", ())):
        return
    by_number = _sites(body, found, threads) or {}
    for number, sites in by_number.items():
        count = sites[0].counts
        if count is None or count > threads or any(site.counts != count for site in sites):
            continue
        come = [site.warps for site in sites]
        known = [warps for warps in come if warps]
        if len(known) == len(come) and not _compare(body, number, [site.barrier for site in sites], count, known):
            _check_shared(body, number, by_number)


def _compare(
    body: CheckedBody, number: int, sites: list[NumberedBarrier], count: int, come: list[frozenset[int]]
) -> bool:
    """Say if what comes to the sites of a number cannot be what they count; whether that was said."""
    waiting = [warps for site, warps in zip(sites, come) if site.kind != "arrive"]
    arriving = [warps for site, warps in zip(sites, come) if site.kind == "arrive"]
    every = frozenset[int]().union(*come)
    most = WARP_SIZE * (len(frozenset[int]().union(*waiting)) + sum(map(len, arriving)))  # a phase has no more
    alone = len(sites) == 1
    apart = len(every) == sum(map(len, come))  # nobody comes twice
    if not waiting or not (most < count or (alone and most != count) or (apart and most % count)):
        return False
    where = "" if alone else f", at {len(sites)} places"
    first = next(site for site in sites if site.kind != "arrive")
    end = "it waits for ever" if most < count else "which of them meet is not said"
    body.report(
        "PTX509",
        f"{body.instructions[first.position].op} {number} counts {count} threads, and {most} come{where}: {end}",
        first.position,
        expected="the number of the threads that come",
        hint=str(most),
    )
    return True


def _check_shared(body: CheckedBody, number: int, by_number: dict[int, list[_Site]]) -> None:
    """Say if groups of threads, together more than the count, come to barriers of one number and no other barrier puts them in an
    order: it lets go of the first warps that come, of whichever group."""
    waiting = [site for site in by_number[number] if site.barrier.kind != "arrive"]
    count = waiting[0].counts or 0
    for n, one in enumerate(waiting):
        for other in waiting[n:]:
            first, second = one.warps or frozenset[int](), other.warps or frozenset[int]()
            come = WARP_SIZE * len(first | second)
            if come <= count or (one is not other and first & second):
                continue
            if not _others_meet(body, number, (one, other), by_number):
                _report_shared(body, number, come, one, other)
                return


def _others_meet(body: CheckedBody, number: int, pair: tuple[_Site, _Site], by_number: dict[int, list[_Site]]) -> bool:
    """Do threads of two sites meet at a barrier of another number, or may some wait for others at an mbarrier, other than before
    both sites?"""
    flow = body.flow
    here = [flow.block_at(site.barrier.position).index for site in pair]
    waits = [position for position in body.at.get("mbarrier", ()) if "_wait" in body.instructions[position].op]
    if pair[0] is not pair[1] and not all(
        flow.dominates(flow.block_at(position).index, block) for position in waits for block in here
    ):
        return True
    for other, sites in by_number.items():
        if other == number:
            continue
        come = frozenset[int]().union(*(site.warps or frozenset() for site in sites))
        unknown = any(site.warps is None for site in sites)
        before = all(
            flow.dominates(flow.block_at(site.barrier.position).index, block) for site in sites for block in here
        )
        if not before and (unknown or all(site.warps and site.warps & come for site in pair)):
            return True
    return False


def _report_shared(body: CheckedBody, number: int, come: int, one: _Site, other: _Site) -> None:
    position = one.barrier.position
    at = "" if one is other else f" here and to {body.line_of(other.barrier.position)}"
    body.report(
        "PTX509",
        f"{body.instructions[position].op} {number} counts {one.counts} threads, and {come} come in no certain order{at}: "
        "it lets go of the first, of whichever group they are",
        position,
        expected="a number for each group",
        hint="add.u32 number, warpgroup, 1; bar.sync number, 128;",
    )


def _sites(body: CheckedBody, found: list[NumberedBarrier], threads: int) -> dict[int, list[_Site]] | None:
    """The sites by the number of their barrier; None where one may have any number."""
    active = active_threads(body, max(threads, WARP_SIZE + 1))
    values = active.threads
    by_number: dict[int, list[_Site]] = {}
    for barrier in found:
        operands = body.instructions[barrier.position].operands[1 if barrier.kind == "red" else 0 :]
        numbers = values.of(operands[0], barrier.position)
        if numbers is None or not numbers.exact:
            return None
        counts = values.of(operands[1], barrier.position) if barrier.counted else None
        count = counts.constant if counts is not None else None
        come = None if _some_have_left(body, barrier.position) else active.at(barrier.position)
        for number in dict.fromkeys(numbers.parts):
            here = None
            if come is not None:
                here = _warps([c > 0 and n == number for c, n in zip(come, numbers.parts)])
            by_number.setdefault(number, []).append(_Site(barrier, count, here))
    return by_number


def _warps(come: list[bool]) -> frozenset[int] | None:
    """The warps that come as a whole; None where of one only some threads do."""
    found = set()
    for first in range(0, len(come), WARP_SIZE):
        lanes = come[first : first + WARP_SIZE]
        if all(lanes):
            found.add(first // WARP_SIZE)
        elif any(lanes):
            return None
    return frozenset(found)


def _some_have_left(body: CheckedBody, position: int) -> bool:
    """May threads have left the kernel on the way there? Whether barriers count these is not relied on."""
    flow = body.flow
    return bool(flow.controllers[flow.block_at(position).index] & body.analysis(Branches).deserted)
