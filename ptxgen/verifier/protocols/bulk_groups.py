"""Bulk copies out of shared memory (manual 9.7.9.25.6).

They are committed as groups, and waited for before their source is written again and before the CTA ends.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.paths.paths import PathEvent
from ptxgen.verifier.protocols.memory import overlap, same_buffer
from ptxgen.verifier.protocols.report import Verdicts

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.memory import ProxyAccess
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_bulk_groups"]

_Copy = tuple[int, bool]
"""A copy by its position; has the thread waited for some group since?"""


class _BulkGroupState(NamedTuple):
    open: frozenset[_Copy] = frozenset()
    groups: tuple[frozenset[_Copy], ...] = ()
    committed: bool = False


def check_bulk_groups(view: View) -> None:
    """Report what is wrong with the bulk groups of a kernel."""
    if not view.whole:
        return
    copies = [p for p in view.at("cp") if view.op(p).endswith("bulk_group") or ".bulk_group." in view.op(p)]
    others = view.at("cp", "cp.async.bulk.commit_group") + view.at("cp", "cp.async.bulk.wait_group")
    if copies or others:
        _Groups(view, copies).check()


class _Groups:
    def __init__(self, view: View, copies: list[int]) -> None:
        self.view = view
        self.verdicts = Verdicts(always="idle")
        self.sources = {a.position: a for a in view.accesses if a.kind == "bulk read"}
        self.writes = {a.position: a for a in view.accesses if a.kind in ("store", "cp.async", "bulk write")}
        self.overwritten: dict[int, int] = {}
        read = {symbol for p in copies if p in self.sources for symbol in self.sources[p].place.symbols}
        waits = view.at("cp", "cp.async.bulk.wait_group")
        self.deepest = 1 + max((view.left_pending(p) for p in waits), default=0)
        self.events = [PathEvent(p, "copy") for p in copies]
        self.events += [PathEvent(p, "commit", settles=True) for p in view.at("cp", "cp.async.bulk.commit_group")]
        self.events += [PathEvent(p, "wait", view.left_pending(p), settles=True) for p in waits]
        self.events += [PathEvent(p, "write", a) for p, a in self.writes.items() if a.place.symbols & read]

    def check(self) -> None:
        if self.verdicts.walk(self.view.paths, self.events, _BulkGroupState(), self.step, self.leave):
            self._report()

    def step(self, state: _BulkGroupState, event: PathEvent) -> _BulkGroupState:
        if event.kind == "copy":
            return state._replace(open=state.open | {(event.position, False)})
        if event.kind == "commit":
            groups = (*state.groups, state.open)
            if len(groups) > self.deepest:
                groups = (groups[0] | groups[1], *groups[2:])
            return _BulkGroupState(frozenset(), groups, True)
        if event.kind == "wait":
            left = event.data
            assert isinstance(left, int)
            self.verdicts.mark("idle", event.position, not state.committed)
            kept = state.groups[max(len(state.groups) - left, 0) :] if left else ()
            return state._replace(groups=tuple(frozenset((p, True) for p, _ in group) for group in kept))
        self._write(state, event.data)  # type: ignore[arg-type]
        return state

    def _write(self, state: _BulkGroupState, write: ProxyAccess) -> None:
        broken = unsure = touched = False
        copies: list[int] = []
        for position, waited in sorted(state.open.union(*state.groups)):
            source = self.sources.get(position)
            if source is None or overlap(self.view.values, source.place, source.size, write.place) is False:
                continue
            touched = True
            if same_buffer(self.view.values, source.place, write.place):
                broken = True
            elif not waited and self._later(source, write):
                unsure = True
            else:
                continue
            copies.append(position)
        self.verdicts.mark("overwritten", write.position, broken)
        if touched:
            self.verdicts.mark("unwaited", write.position, unsure or broken)
        if copies:
            self.overwritten.setdefault(write.position, copies[0])

    def _later(self, source: ProxyAccess, write: ProxyAccess) -> bool:
        """May the write be into the copy's source, rather than into a buffer in front of it?"""
        return write.place.offset >= source.place.offset

    def leave(self, state: _BulkGroupState, position: int) -> None:
        for copy, _ in state.open:
            self.verdicts.mark("uncommitted", copy, True)
        for copy, _ in frozenset[_Copy]().union(*state.groups):
            self.verdicts.mark("pending", copy, True)

    def _report(self) -> None:
        body, verdicts = self.view.body, self.verdicts
        uncommitted = verdicts.ever("uncommitted")
        for position in uncommitted[:1]:
            body.report(
                "PTX521",
                "this bulk copy is never made part of a group: a path ends without a commit behind it",
                position,
                expected="cp.async.bulk.commit_group, then cp.async.bulk.wait_group, in the thread that issued the copy",
                hint="cp.async.bulk.commit_group;",
            )
        for position in [] if uncommitted else verdicts.always("idle"):
            body.report(
                "PTX520",
                f"{self.view.op(position)} waits for nothing: no bulk group is committed before it on any path",
                position,
                expected="cp.async.bulk.commit_group behind the copies, before the wait",
            )
        overwritten = sorted({*verdicts.ever("overwritten"), *verdicts.always("unwaited")})
        reported: set[int] = set()
        for position in overwritten:
            copy = self.overwritten[position]
            if copy in reported:
                continue
            reported.add(copy)
            body.report(
                "PTX522",
                f"{self.writes[position].place.symbol} is written while a bulk copy may still read it: {body.line_of(copy)}",
                position,
                expected="cp.async.bulk.wait_group.read in the thread that issued the copy, then a barrier",
                hint="cp.async.bulk.wait_group.read 0;",
            )
        if not uncommitted and not verdicts.ever("pending"):
            self._check_waiting()
        for position in verdicts.ever("pending"):
            if position not in reported and position not in uncommitted:
                body.report(
                    "PTX523",
                    "the thread may exit while this bulk copy still reads shared memory",
                    position,
                    expected="cp.async.bulk.wait_group.read 0 before the exit: shared memory ends with its CTA",
                    hint="cp.async.bulk.wait_group.read 0;",
                )
                break

    def _check_waiting(self) -> None:
        """PTX523 for a thread that issues copies where all waits are of other threads: groups are each thread's own."""
        view, active = self.view, self.view.active
        waits = [event.position for event in self.events if event.kind == "wait"]
        if active is None or view.exact_threads is None or not waits:
            return
        waiting = [active.at(position) for position in waits]
        for copy in (event.position for event in self.events if event.kind == "copy"):
            issuing = active.at(copy)
            if issuing is None or None in waiting:
                return
            alone = [t for t, c in enumerate(issuing) if c and not any(w is not None and w[t] for w in waiting)]
            if alone:
                view.body.report(
                    "PTX523",
                    f"thread {alone[0]} issues this bulk copy, and never waits: {view.body.line_of(waits[0])} "
                    "is run by other threads, which have groups of their own",
                    copy,
                    expected="cp.async.bulk.wait_group in the thread that issued the copy",
                    hint="cp.async.bulk.wait_group.read 0;",
                )
                return
