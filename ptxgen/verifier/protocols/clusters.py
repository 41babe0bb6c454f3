"""Clusters: barrier.cluster in pairs, shared memory of other CTAs while they run; dependent grids.

Manual 9.7.13.3, 5.1.7 and 9.7.13.13.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.launch_bounds import product
from ptxgen.dataflow.paths.path_walk import walk
from ptxgen.dataflow.paths.paths import PathEvent
from ptxgen.ir import Address
from ptxgen.isa.forms import opcodes_with
from ptxgen.verifier.protocols.memory import overlap
from ptxgen.verifier.protocols.report import Verdicts

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.memory import ProxyAccess
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_clusters", "check_dependent_grids"]

_WRITING = opcodes_with("store", "atomic") | {"multimem"}


class _ClusterState(NamedTuple):
    """`arrived` at barrier.cluster and not waited, `met`: a wait has completed.

    `remote`: the last access to another CTA since the last arrival; `loose`: the last write that an arrival which
    releases nothing would leave unordered. These are positions, -1 for none. `flying`: accesses to other CTAs that may not
    be performed yet (a load is, where its result has been read); `unordered`: (arrival, access) of those before an arrival
    that releases nothing.
    """

    arrived: int = -1
    met: bool = False
    remote: int = -1
    loose: int = -1
    flying: frozenset[int] = frozenset()
    unordered: frozenset[tuple[int, int]] = frozenset()


def check_clusters(view: View) -> None:
    """Report what is wrong with the barriers of a cluster and the accesses to other CTAs' shared memory."""
    _check_ranks(view)
    arrives, waits = view.at("barrier", "barrier.cluster.arrive"), view.at("barrier", "barrier.cluster.wait")
    remote = [a.position for a in view.accesses if a.place.remote and a.kind in ("load", "store")]
    if view.whole and (arrives or waits or remote):
        _Clusters(view, arrives, waits, remote).check()


def _check_ranks(view: View) -> None:
    """A rank that the cluster, as the directives state it, does not have."""
    size = cluster_size(view)
    if size is None:
        return
    for position in view.at("mapa"):
        rank = view.values.constant(view.body.instructions[position].operands[2], position)
        if rank is not None and not 0 <= rank < size:
            view.body.report(
                "PTX585",
                f"mapa to the CTA of rank {rank}, and a cluster of this kernel has {size}",
                position,
                expected=f"a rank below {size}",
                hint=f".reqnctapercluster {rank + 1}" if rank > 0 else None,
            )


def cluster_size(view: View) -> int | None:
    """CTAs of a cluster, where a directive says it."""
    return product(view.body.function, "reqnctapercluster")


class _Clusters:
    def __init__(self, view: View, arrives: list[int], waits: list[int], remote: list[int]) -> None:
        self.view = view
        self.verdicts = Verdicts()
        shared_out = {s for a in view.accesses if a.place.remote for s in a.place.symbols}
        self.events = [PathEvent(p, "arrive", ".relaxed" in view.op(p)) for p in arrives]
        self.events += [PathEvent(p, "wait", settles=True) for p in waits]
        self.events += [PathEvent(p, "remote") for p in remote]
        self.events += [
            PathEvent(a.position, "own")
            for a in view.accesses
            if a.kind in ("store", "cp.async") and not a.place.remote and a.place.symbols & shared_out
        ]
        self.events += [PathEvent(u.position, "own") for u in view.barrier_uses if u.kind == "init"]
        self.events += [PathEvent(p, "fence", settles=True) for p in view.at("fence") if _releases(view.op(p))]
        self.signalled = any(use.kind in ("arrive", "arrive expect") and use.place.remote for use in view.barrier_uses)
        """Other CTAs are told through their mbarriers: they may stay for as long as they wait there."""
        self.accesses = {} if self.signalled else self._accesses(shared_out)
        self.culprits: dict[int, tuple[int, int]] = {}
        """By relaxed arrival, an access before it and the access, or the exit, behind it that needs it performed."""

    def _accesses(self, symbols: set[str]) -> dict[int, ProxyAccess]:
        """What is done to memory that CTAs share, by position; adds its events, and those of results of loads that are read."""
        chains = self.view.body.chains
        found: dict[int, ProxyAccess] = {}
        for access in self.view.accesses:
            if access.kind not in ("load", "store") or not access.place.symbols & symbols:
                continue
            found[access.position] = access
            self.events.append(PathEvent(access.position, "touch"))
            if access.place.remote:
                uses = {use for r in self.view.body.writes[access.position] for use in chains.uses.get(r, ())}
                self.events += [PathEvent(use, "use", access.position) for use in sorted(uses)]
        return found

    def check(self) -> None:
        if walk(self.view.paths, self.events, _ClusterState(), self.step, self.leave):
            self._report()

    def step(self, state: _ClusterState, event: PathEvent) -> _ClusterState:
        if event.kind == "arrive":
            self.verdicts.mark("twice", event.position, state.arrived >= 0)
            self.verdicts.mark("relaxed", event.position, bool(event.data) and state.loose >= 0)
            before = {(event.position, access) for access in state.flying}
            return _ClusterState(
                event.position, state.met, unordered=state.unordered | before if event.data else frozenset()
            )
        if event.kind == "wait":
            if event.credited and state.arrived < 0:
                return state
            self.verdicts.mark("alone", event.position, state.arrived < 0)
            return state._replace(arrived=-1, met=True)
        if event.kind == "remote":
            self.verdicts.mark("unmet", event.position, not state.met)
            return state._replace(remote=event.position)
        if event.kind == "own":
            return state._replace(loose=event.position)
        if event.kind == "touch":
            return self._touch(state, event.position)
        if event.kind == "use":
            return state._replace(flying=state.flying - {event.data})
        return state._replace(loose=-1, flying=frozenset())

    def _touch(self, state: _ClusterState, position: int) -> _ClusterState:
        """An access to memory that CTAs share; behind a barrier, one of the own CTA to what others had before it."""
        access = self.accesses[position]
        if access.place.remote:
            return state._replace(flying=state.flying | {position})
        for arrival, earlier in state.unordered if state.arrived < 0 else ():
            before = self.accesses[earlier]
            both = overlap(self.view.values, before.place, before.size, access.place)
            if both and "store" in (before.kind, access.kind):
                self.culprits.setdefault(arrival, (earlier, position))
        return state

    def leave(self, state: _ClusterState, position: int) -> None:
        if state.arrived >= 0:
            self.verdicts.mark("unwaited", state.arrived, True)
        if state.remote >= 0 and not self.signalled:
            self.verdicts.mark("left", state.remote, True)
        for arrival, earlier in state.unordered if state.arrived < 0 else ():
            self.culprits.setdefault(arrival, (earlier, -1))

    def _report(self) -> None:
        rules = (
            (
                "twice",
                "PTX580",
                "barrier.cluster.arrive again without barrier.cluster.wait in between",
                "arrive and wait in turn: each thread arrives once a phase",
                "barrier.cluster.wait.aligned;",
            ),
            (
                "unwaited",
                "PTX580",
                "a path ends behind this barrier.cluster.arrive without barrier.cluster.wait",
                "barrier.cluster.wait before the exit: until then other CTAs may still use this one's shared memory",
                "barrier.cluster.wait.aligned;",
            ),
            (
                "alone",
                "PTX581",
                "barrier.cluster.wait without barrier.cluster.arrive before it: nothing to wait for",
                "barrier.cluster.arrive first",
                "barrier.cluster.arrive.aligned;",
            ),
            (
                "unmet",
                "PTX582",
                "shared memory of another CTA is used before a barrier.cluster: that CTA may not run yet",
                "barrier.cluster.arrive and .wait before the first access, behind what initialises the memory",
                "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
            ),
            (
                "left",
                "PTX583",
                "a thread may exit without a barrier.cluster behind this access: the other CTA and its memory may be gone",
                "barrier.cluster.arrive and .wait between the last access and the exit",
                "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
            ),
            (
                "relaxed",
                "PTX584",
                "barrier.cluster.arrive.relaxed orders nothing, and shared memory that other CTAs use was written before it",
                "fence.mbarrier_init.release.cluster behind mbarrier.init, fence.acq_rel.cluster behind stores, or .release",
                "barrier.cluster.arrive.release.aligned;",
            ),
        )
        for rule, code, message, expected, hint in rules:
            for position in self.verdicts.ever(rule)[:1]:
                self.view.body.report(code, message, position, expected=expected, hint=hint)
        if not self.verdicts.ever("relaxed"):
            self._report_unordered()

    def _report_unordered(self) -> None:
        """The first relaxed arrival that leaves an access to another CTA unordered with what the CTA does behind the barrier."""
        body = self.view.body
        for arrival, (earlier, later) in sorted(self.culprits.items())[:1]:
            what = "ends" if later < 0 else f"runs {body.line_of(later)}"
            body.report(
                "PTX584",
                f"barrier.cluster.arrive.relaxed orders nothing: the access to another CTA before it, {body.line_of(earlier)}, "
                f"need not be performed when that CTA {what} behind the barrier",
                arrival,
                expected="barrier.cluster.arrive.release, or fence.acq_rel.cluster before it; a load is taken for performed "
                "where its result is read",
                hint="barrier.cluster.arrive.release.aligned;",
            )


def _releases(op: str) -> bool:
    """Does a fence order what came before it for the cluster?"""
    words = op.split(".")
    return words[1].startswith("mbarrier_init") or (
        words[1] != "proxy" and bool({"cluster", "gpu", "sys"} & set(words)) and "acquire" not in words
    )


# -- dependent grids -----------------------------------------------------------------------------------------------


def check_dependent_grids(view: View) -> None:
    """Report writes to global memory before griddepcontrol.wait: a grid before this one may still use what they write."""
    waits = view.at("griddepcontrol", "griddepcontrol.wait")
    if not waits or not view.whole:
        return
    writes = [position for position in view.body.memory if _writes_global(view, position)]
    if all(any(view.comes_before(wait, write) for wait in waits) for write in writes):
        return
    events = [PathEvent(position, "wait", settles=True) for position in waits]
    events += [PathEvent(position, "write") for position in writes]
    verdicts = Verdicts(always="early")

    def step(state: bool, event: PathEvent) -> bool:
        if event.kind == "write":
            verdicts.mark("early", event.position, not state)
        return state or event.kind == "wait"

    if not verdicts.walk(view.paths, events, False, step):
        return
    for position in verdicts.always("early")[:1]:
        view.body.report(
            "PTX586",
            "global memory is written before griddepcontrol.wait: the grid that this one depends on may still use it",
            position,
            expected="griddepcontrol.wait before the first access to what other grids use",
            hint="griddepcontrol.wait;",
        )


def _writes_global(view: View, position: int) -> bool:
    instruction = view.body.instructions[position]
    words = instruction.op.split(".")
    if words[0] in _WRITING and "global" in words:
        return True
    return words[0] == "cp" and "bulk_group" in words and isinstance(instruction.operands[0], Address)
