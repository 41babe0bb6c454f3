"""Stages of a ring that are given back too early: wgmma.wait_group N leaves N groups in flight, which still read theirs (manual
9.7.15.7.3).

A loop that waits for a stage ("full"), commits one group that reads it and keeps N of them in flight may give back the stage of
N iterations before. Which one it gives back is seen by the addresses: those of "empty" follow those of "full", the same
distance apart, as many iterations later as the stage is given back after its wait.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.values.constant_rules import Pointer
from ptxgen.verifier.protocols.barrier_uses import barrier_address, same_object
from ptxgen.verifier.protocols.iteration_values import iteration_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.verifier.protocols.barrier_uses import BarrierUse
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_stage_release"]


class _InFlight(NamedTuple):
    """A loop that commits one group of wgmma at `commit` and leaves `groups` of them in flight behind `wait`."""

    loop: Loop
    commit: int
    wait: int
    groups: int


def check_stage_release(view: View) -> None:
    """PTX547: a stage is given back while a group of wgmma that is in flight reads it."""
    if not view.whole:
        return
    copied = [use for use in view.barrier_uses if use.kind == "complete"]
    full = [u for u in view.barrier_uses if u.kind == "wait" and u.object and any(same_object(u, c) for c in copied)]
    for found in _loops(view):
        filled = [use for use in full if _comes_before(view, found.loop, use.position, found.commit)]
        releases = [
            u
            for u in view.barrier_uses
            if u.kind == "arrive" and _comes_before(view, found.loop, found.wait, u.position)
        ]
        for release in releases:
            lag = next((n for n in (_lag(view, found, release, use) for use in filled) if n is not None), None)
            if lag is not None and lag < found.groups:
                _report(view, found, release, lag)


def _loops(view: View) -> Iterator[_InFlight]:
    """The loops that keep groups in flight from one iteration to the next."""
    commits, waits = view.at("wgmma", "wgmma.commit_group"), view.at("wgmma", "wgmma.wait_group")
    for commit in commits:
        loop = view.loops.around(view.body.flow.block_at(commit).index)
        if loop is None or any(other != commit and view.loops.written(loop, other) for other in commits):
            continue
        behind = [(view.left_pending(p), p) for p in waits if _comes_before(view, loop, commit, p)]
        if behind and min(behind)[0] > 0:
            yield _InFlight(loop, commit, min(behind)[1], min(behind)[0])


def _comes_before(view: View, loop: Loop, first: int, then: int) -> bool:
    """Does each iteration of a loop that comes to `then` come to `first` before?"""
    flow = view.body.flow
    one, other = flow.block_at(first).index, flow.block_at(then).index
    if not (one in loop.blocks and other in loop.blocks):
        return False
    return first < then if one == other else flow.dominates(one, other)


def _lag(view: View, found: _InFlight, release: BarrierUse, full: BarrierUse) -> int | None:
    """How many iterations after its wait a stage is given back; None where the addresses do not say."""
    if release.object is None or same_object(release, full):
        return None
    operands = barrier_address(view.body, release), barrier_address(view.body, full)
    pairs = iteration_values(view, operands, release.position, found.loop, of_some=True)
    given, waited = list[Pointer](), list[Pointer]()
    for one, other in pairs.repeated if pairs is not None else ():
        if not (isinstance(one, Pointer) and isinstance(other, Pointer)):
            return None
        given.append(one)
        waited.append(other)
    stages = len(set(waited))
    if not 1 < stages < len(waited):  # without a stage that comes again, each distance fits
        return None
    for lag in range(min(stages, found.groups)):
        distances = {(one.symbol, other.symbol, one.offset - other.offset) for one, other in zip(given[lag:], waited)}
        if len(distances) == 1:
            return lag
    return None


def _report(view: View, found: _InFlight, release: BarrierUse, lag: int) -> None:
    whose = "this iteration" if lag == 0 else f"{lag} iteration{'s' * (lag > 1)} before"
    view.body.report(
        "PTX547",
        f"the stage of {whose} is given back while wgmma.mma_async may still read it: "
        f"{view.body.line_of(found.wait)} leaves {found.groups} group{'s' * (found.groups > 1)} in flight",
        release.position,
        expected=f"the stage of {found.groups} iteration{'s' * (found.groups > 1)} before, or wgmma.wait_group {lag}",
        hint=f"wgmma.wait_group.sync.aligned {lag};",
    )
