"""Non-bulk cp.async: groups are committed and waited for, and what they fill is read after that (manual 9.7.9.25.3).

A thread's copies become a group with commit_group; wait_group N waits until at most its N newest groups are pending. Other
threads may read what a thread has copied behind a barrier only. Instead of groups, cp.async.mbarrier.arrive tells an mbarrier.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.paths.paths import PathEvent
from ptxgen.ir import Immediate
from ptxgen.verifier.protocols.memory import overlap, same_buffer
from ptxgen.verifier.protocols.report import Verdicts

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.memory import ProxyAccess
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_async_copies"]


class _AsyncCopyState(NamedTuple):
    """Copies by their positions: not committed, in groups (oldest first), left to an mbarrier.

    ~position stands for a copy that this path has bypassed. Nothing is pending for it; but behind the wait for its group
    nobody is early, since what that copy would have filled is not looked at on this path.
    Variables: those of which some copy has arrived, and those whose copies other threads may not read yet.
    """

    open: frozenset[int] = frozenset()
    groups: tuple[frozenset[int], ...] = ()
    handed: frozenset[int] = frozenset()
    committed: bool = False
    done: frozenset[str] = frozenset()
    unshared: frozenset[str] = frozenset()

    def pending(self) -> frozenset[int]:
        """The copies that this path has made and not waited for."""
        return frozenset(p for p in self.open.union(self.handed, *self.groups) if p >= 0)


def check_async_copies(view: View) -> None:
    """Report what is wrong with the non-bulk asynchronous copies of a kernel."""
    positions = view.at("cp", "cp.async.")
    if view.whole and any(".bulk" not in view.op(position) for position in positions):
        _Copies(view, positions).check()


class _Copies:
    def __init__(self, view: View, positions: list[int]) -> None:
        self.view = view
        self.reads: dict[int, ProxyAccess] = {}
        self.copies: dict[int, ProxyAccess | None] = {}
        self.verdicts = Verdicts(always="idle")
        self.events: list[PathEvent] = []
        self.deepest = 1 + max((self._left(p) for p in positions if ".wait_group" in view.op(p)), default=0)
        for position in positions:
            op = view.op(position)
            words = op.split(".")
            if ".bulk" in op:
                continue
            if not {"ca", "cg"}.isdisjoint(words):
                self.copies[position] = None
                self.events.append(PathEvent(position, "copy"))
            elif words[2] == "commit_group":
                self.events.append(PathEvent(position, "commit", settles=True))
            elif words[2] == "mbarrier":
                self.events.append(PathEvent(position, "hand over", settles=True))
            else:
                self.events.append(PathEvent(position, "wait", self._left(position), settles=True))
        self._shared_memory()
        self.gone_around = self._conditional()
        self.filling = self._filling()

    def _left(self, position: int) -> int:
        """How many groups a wait leaves pending; -1 for wait_all, which commits as well."""
        return self.view.left_pending(position) if self.view.body.instructions[position].operands else -1

    def _conditional(self) -> dict[int, frozenset[int]]:
        """By what closes a group: the copies that may be in it, as ~position."""
        flow = self.view.body.flow
        inside: list[list[PathEvent]] = [[] for _ in flow.blocks]
        for event in sorted(self.events, key=lambda event: event.position):
            if event.kind in ("copy", "commit", "hand over") or (event.kind == "wait" and event.data == -1):
                inside[flow.block_at(event.position).index].append(event)
        found: dict[int, frozenset[int]] = {}
        into: dict[int, frozenset[int]] = dict.fromkeys(range(len(flow.blocks)), frozenset())
        work = [index for index, events in enumerate(inside) if events]
        while work:
            index = work.pop()
            copies = into[index]
            for event in inside[index]:
                if event.kind == "copy":
                    copies |= {~event.position}
                else:
                    found[event.position], copies = copies, frozenset()
            for successor in flow.blocks[index].successors:
                if not copies <= into[successor]:
                    into[successor] |= copies
                    work.append(successor)
        return found

    def _filling(self) -> frozenset[int]:
        """The commits in loops that wait for nothing, as before the main one: how many groups they make does not show."""
        flow = self.view.body.flow
        waits = ("wait", "hand over", "mbarrier wait")
        waiting = {flow.block_at(event.position).index for event in self.events if event.kind in waits}
        loops = [loop for loop in self.view.body.loops if loop.blocks.isdisjoint(waiting)]
        commits = [event.position for event in self.events if event.kind == "commit"] if loops else []
        return frozenset(p for p in commits if any(flow.block_at(p).index in loop.blocks for loop in loops))

    def _shared_memory(self) -> None:
        accesses = self.view.accesses
        self.copies |= {access.position: access for access in accesses if access.kind == "cp.async"}
        filled = frozenset(access.place.symbol for access in self.copies.values() if access is not None)
        for access in accesses:
            if access.kind == "cp.async" or filled.isdisjoint(access.place.symbols):
                continue
            if access.kind in ("store", "bulk write"):
                self.events.append(PathEvent(access.position, "fill", access.place.symbols))
            elif access.place.symbol is not None:
                self.reads[access.position] = access
                self.events.append(PathEvent(access.position, "read", access))
        self.events += [PathEvent(position, "barrier") for position in self.view.barriers]
        self.events += [
            PathEvent(p, "mbarrier wait", settles=True)
            for p in self.view.at("mbarrier")
            if self.view.op(p).split(".")[1] in ("try_wait", "test_wait")
        ]

    def symbols(self, copies: frozenset[int]) -> frozenset[str]:
        found = (self.copies[max(position, ~position)] for position in copies)
        return frozenset[str]().union(*(access.place.symbols for access in found if access is not None))

    def check(self) -> None:
        if not self.verdicts.walk(self.view.paths, self.events, _AsyncCopyState(), self.step, self.leave):
            return
        self._report()

    # -- what happens on a path ------------------------------------------------------------------------------------

    def step(self, state: _AsyncCopyState, event: PathEvent) -> _AsyncCopyState:
        kind = event.kind
        if kind == "copy":
            return state._replace(open=state.open | {event.position})
        if kind == "commit":
            groups = (*state.groups, self._closed(state, event))
            if event.position in self.filling:  # taken to be enough of them
                groups += groups[-1:] * (self.deepest - 1)
            if len(groups) > self.deepest:  # older groups all arrive with the first wait
                older = len(groups) - self.deepest + 1
                groups = (frozenset[int]().union(*groups[:older]), *groups[older:])
            return state._replace(open=frozenset(), groups=groups, committed=True)
        if kind == "wait":
            return self._wait(state, event)
        if kind == "hand over":
            handed = self._closed(state, event).union(state.handed, *state.groups)
            return state._replace(open=frozenset(), groups=(), handed=handed, committed=True)
        if kind == "mbarrier wait":
            return state._replace(
                handed=frozenset(), done=state.done | self.symbols(state.handed), unshared=frozenset()
            )
        if kind == "barrier":
            return state._replace(unshared=frozenset()) if state.unshared else state
        if kind == "fill":
            if state.done.issuperset(event.data):  # type: ignore[arg-type]
                return state
            return state._replace(done=state.done | event.data)  # type: ignore[operator]
        self._read(state, event.data)  # type: ignore[arg-type]
        return state

    def _closed(self, state: _AsyncCopyState, event: PathEvent) -> frozenset[int]:
        """The group that ends here: the copies made, and those gone around."""
        return state.open | {p for p in self.gone_around.get(event.position, ()) if ~p not in state.open}

    def _wait(self, state: _AsyncCopyState, event: PathEvent) -> _AsyncCopyState:
        left = event.data
        assert isinstance(left, int)
        idle = not state.done and len(state.groups) <= left if state.committed else left >= 0
        if left < 0:
            idle = not state.committed and not state.open and not state.done
        self.verdicts.mark("idle", event.position, idle)
        if left < 0:
            state = state._replace(groups=(*state.groups, self._closed(state, event)), open=frozenset())
        cut = len(state.groups) - max(left, 0)
        if cut <= 0:
            return state
        copies = frozenset[int]().union(*state.groups[:cut])
        done, unshared = self.symbols(copies), self.symbols(frozenset(p for p in copies if p >= 0))
        return state._replace(groups=state.groups[cut:], done=state.done | done, unshared=state.unshared | unshared)

    def _read(self, state: _AsyncCopyState, read: ProxyAccess) -> None:
        symbol = read.place.symbol
        assert symbol is not None
        pending = [self.copies[position] for position in sorted(state.pending())]
        overlapping = [c for c in pending if c is not None and c.place.symbol == symbol and self._overlaps(c, read)]
        early = bool(overlapping) and (
            symbol not in state.done or any(same_buffer(self.view.values, c.place, read.place) for c in overlapping)
        )
        self.verdicts.mark("early", read.position, early)
        self.verdicts.mark("unshared", read.position, not early and symbol in state.unshared and self._of_others(read))

    def _overlaps(self, copy: ProxyAccess, read: ProxyAccess) -> bool:
        return overlap(self.view.values, copy.place, copy.size, read.place) is not False

    def _of_others(self, read: ProxyAccess) -> bool:
        """Does a read surely touch what other threads have copied? Not where it uses the copy's own thread-dependent terms."""
        if self.view.op(read.position).startswith("ldmatrix") or read.kind != "load":
            return True
        own = self._thread_terms(read)
        return all(
            self._thread_terms(copy) != own
            for copy in self.copies.values()
            if copy is not None and copy.place.symbol == read.place.symbol
        )

    def _thread_terms(self, access: ProxyAccess) -> frozenset[int]:
        values = self.view.values
        return frozenset(t for t in access.place.terms if values.thread[t] and values.keys[t][0] != "reg")

    def leave(self, state: _AsyncCopyState, position: int) -> None:
        for copy in state.open:
            self.verdicts.mark("uncommitted", copy, True)

    # -- the findings ---------------------------------------------------------------------------------------------

    def _report(self) -> None:
        body = self.view.body
        for position in self.verdicts.always("idle"):
            left = self._left(position)
            what = "no cp.async is pending here" if left < 0 else "no cp.async group is pending here on any path"
            if left > 0:
                what = f"it leaves the newest {left} groups pending, and there are never more here when it is first reached"
            body.report(
                "PTX510",
                f"{view_name(self.view, position)} waits for nothing: {what}",
                position,
                expected="a cp.async.commit_group behind the copies, before the wait"
                if left <= 0
                else f"at least {left + 1} groups committed before it, or a smaller number",
            )
        for position in self.verdicts.ever("uncommitted"):
            body.report(
                "PTX511",
                "this cp.async is never made part of a group: a path ends without a commit behind it",
                position,
                expected="cp.async.commit_group and then cp.async.wait_group, or cp.async.wait_all, or cp.async.mbarrier.arrive",
            )
        reported: set[str] = set()
        for position in self.verdicts.ever("early"):
            self._report_early(position, reported)
        for position in self.verdicts.ever("unshared"):
            symbol = str(self.reads[position].place.symbol)
            if symbol not in reported:
                reported.add(symbol)
                body.report(
                    "PTX514",
                    f"{symbol} is read behind the wait without a barrier: the wait covers this thread's own copies alone",
                    position,
                    expected="bar.sync between the wait and the first read of what other threads have copied",
                    hint="bar.sync 0;",
                )
        self._report_unwaited(reported)

    def _report_early(self, position: int, reported: set[str]) -> None:
        symbol = str(self.reads[position].place.symbol)
        if symbol in reported:
            return
        reported.add(symbol)
        copies = [p for p, copy in self.copies.items() if copy is not None and copy.place.symbol == symbol]
        self.view.body.report(
            "PTX513",
            f"{symbol} may be read before the copy into it has arrived: {self.view.body.line_of(copies[0])}",
            position,
            expected="cp.async.wait_group N that leaves fewer groups pending than were committed behind that copy, then bar.sync",
            hint="cp.async.wait_group 0; bar.sync 0;",
        )

    def _report_unwaited(self, reported: set[str]) -> None:
        """Committed groups that nothing ever waits for, where nobody reads what they fill before one would have to."""
        waits = any(event.kind in ("wait", "hand over") for event in self.events)
        commits = [event.position for event in self.events if event.kind == "commit"]
        if commits and self.copies and not waits and not reported:
            self.view.body.report(
                "PTX512",
                "this group of copies is never waited for",
                commits[0],
                expected="cp.async.wait_group before the data is used, and before the kernel ends",
            )


def view_name(view: View, position: int) -> str:
    """The instruction with its constant: `cp.async.wait_group 1`."""
    instruction = view.body.instructions[position]
    first = instruction.operands[0] if instruction.operands else None
    return f"{instruction.op} {first.value}" if isinstance(first, Immediate) else instruction.op
