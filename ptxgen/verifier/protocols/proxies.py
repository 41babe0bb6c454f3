"""Proxy fences: generic writes before the async proxy reads them, changed tensor maps before copies use them.

Manual 8.2.1 and 9.7.13.4. st.shared writes through the generic proxy; bulk copies, wgmma and tcgen05 read shared memory
through the async proxy. A barrier alone does not order the two: the writing threads run fence.proxy.async, then the barrier.
What non-bulk cp.async writes is not judged here: pipelines that feed wgmma with it rely on its completion. Aliased addresses
(fence.proxy.alias) do not show in a program's text.
"""

from __future__ import annotations

from operator import gt

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.paths.paths import PathEvent
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.ir import Address
from ptxgen.verifier.protocols.memory import ProxyAccess, overlap
from ptxgen.verifier.protocols.report import Verdicts
from ptxgen.verifier.protocols.warpgroups import WARPGROUP

if TYPE_CHECKING:
    from ptxgen.dataflow.threads.active_threads import ActiveThreads
    from ptxgen.dataflow.threads.thread_integers import Threads
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_proxies", "check_tensor_maps"]


def check_proxies(view: View) -> None:
    """Report generic writes to shared memory that the async proxy reads without a proxy fence."""
    if not view.whole:
        return
    reads = [a for a in view.accesses if a.kind in ("bulk read", "matrix")]
    symbols = frozenset[str]().union(*(a.place.symbols for a in reads))
    stores = [a for a in view.accesses if a.kind == "store" and not a.place.remote and a.place.symbols & symbols]
    if reads and stores:
        _Proxies(view, stores, reads).check()


class _Writes(NamedTuple):
    """Stores as bits: those that no fence has followed, and those behind whose fence no barrier has come."""

    unfenced: int = 0
    unmet: int = 0


def _others_of(threads: Threads, one: int, *, alone: bool) -> bool:
    """Are there others than the warp of one thread among these, in the CTA or in the thread's warpgroup?"""
    warp = one // WARP_SIZE * WARP_SIZE
    first, end = (0, len(threads)) if alone else (one // WARPGROUP * WARPGROUP, (one // WARPGROUP + 1) * WARPGROUP)
    return any(threads[first:warp]) or any(threads[warp + WARP_SIZE : end])


class _Proxies:
    def __init__(self, view: View, stores: list[ProxyAccess], reads: list[ProxyAccess]) -> None:
        self.view = view
        self.stores = {store.position: store for store in stores}
        self.reads = {read.position: read for read in reads}
        self.verdicts = Verdicts()
        self.bits: dict[tuple[object, ...], int] = {}
        self.first: list[ProxyAccess] = []
        self.culprits: dict[int, ProxyAccess] = {}
        self.written: dict[ActiveThreads, dict[Threads, int]] = {}
        self.events = [PathEvent(store.position, "store", self._bit(store)) for store in stores]
        self.masks = {id(read): self._touched(read) for read in reads}
        self.foreign = {id(read): self._of_others(read) for read in reads if read.kind == "bulk read"}
        self.events += [PathEvent(read.position, "read", read) for read in reads]
        self.believed = frozenset[int]()
        """Fences of some threads, of which it is not known whether they are those that write."""
        self.narrow = self._fences_of_few()
        self.events += [PathEvent(position, "fence", settles=True) for position in view.async_fences]
        if any(self.foreign.values()):
            waits = [use.position for use in view.barrier_uses if use.kind == "wait"]
            wide = [position for position in view.barriers if not view.op(position).startswith("bar.warp")]
            self.events += [PathEvent(position, "meet", settles=True) for position in (*wide, *waits, *view.asking)]

    def _of_others(self, read: ProxyAccess) -> int:
        """The stores, as bits, that threads of another warp make than the one thread that issues a copy. Where several issue it,
        one of each warpgroup, the threads of each one's warpgroup count."""
        active = self.view.active or self.view.active_first
        issuing = active.at(read.position)
        issuers = [thread for thread, issues in enumerate(issuing or ()) if issues]
        if len({thread // WARPGROUP for thread in issuers}) != len(issuers):
            return 0
        touched, found = self.masks[id(read)], 0
        for writing, stores in self._writing(active).items() if issuers and touched else ():
            if touched & stores and all(_others_of(writing, thread, alone=len(issuers) == 1) for thread in issuers):
                found |= touched & stores
        return found

    def _writing(self, active: ActiveThreads) -> dict[Threads, int]:
        """By the threads that make them, where these are known, the stores as bits."""
        if active not in self.written:
            found = self.written[active] = {}
            for store in self.stores.values():
                writing = active.at(store.position)
                if writing is not None:
                    found[writing] = found.get(writing, 0) | self._bit(store)
        return self.written[active]

    def _fences_of_few(self) -> dict[int, int]:
        """By fence that not all threads run, the stores, as bits, that a thread makes without running it."""
        view, flow = self.view, self.view.body.flow
        few = [
            p
            for p in view.async_fences
            if view.body.instructions[p].pred is not None or flow.controllers[flow.block_at(p).index]
        ]
        active = view.active if few else None
        if active is None:
            self.believed = frozenset(few)
            return {}
        sure = view.exact_threads or WARP_SIZE  # where there may be fewer than stated, the first warp is there
        found: dict[int, int] = {}
        for position in few:
            fencing = active.at(position)
            for writing, stores in self._writing(active).items():
                if fencing is not None and any(map(gt, writing[:sure], fencing)):  # writes, and does not fence
                    found[position] = found.get(position, 0) | stores
        return found

    def _bit(self, store: ProxyAccess) -> int:
        """Stores to one place are one bit."""
        key = (*sorted(store.place.symbols), store.place.offset, store.place.terms)
        if key not in self.bits:
            self.bits[key] = len(self.first)
            self.first.append(store)
        return 1 << self.bits[key]

    def _touched(self, read: ProxyAccess) -> int:
        """The stores that surely write what the async proxy reads there, as bits."""
        mask = 0
        for bit, store in enumerate(self.first):
            if overlap(self.view.values, read.place, read.size, store.place):
                mask |= 1 << bit
        return mask

    def check(self) -> None:
        if not self.verdicts.walk(self.view.paths, self.events, _Writes(), self.step):
            return
        reported = set()
        for position in self.verdicts.ever("unfenced"):
            store = self.culprits[position]
            symbol = store.place.symbol
            if symbol in reported:
                continue
            reported.add(symbol)
            self._report(position, store)
        for position in self.verdicts.ever("unmet"):
            store = self.culprits[position]
            if store.place.symbol not in reported:
                reported.add(store.place.symbol)
                self._report_unmet(position, store)
        self._check_across(reported)

    def step(self, state: _Writes, event: PathEvent) -> _Writes:
        if event.kind == "store":
            assert isinstance(event.data, int)
            return _Writes(state.unfenced | event.data, state.unmet & ~event.data)
        if event.kind == "fence":
            left = state.unfenced & self.narrow.get(event.position, 0)
            unmet = 0 if event.position in self.believed else state.unmet | (state.unfenced & ~left)
            return _Writes(left, unmet)
        if event.kind == "meet":
            return state._replace(unmet=0) if state.unmet else state
        read = event.data
        assert isinstance(read, ProxyAccess)
        unfenced = state.unfenced & self.masks[id(read)]
        unmet = state.unmet & self.foreign.get(id(read), 0)
        if unfenced or unmet:
            self.verdicts.mark("unfenced" if unfenced else "unmet", event.position, True)
            self.culprits.setdefault(event.position, self.first[(unfenced or unmet).bit_length() - 1])
        return state

    def _report_unmet(self, position: int, store: ProxyAccess) -> None:
        body = self.view.body
        body.report(
            "PTX560",
            f"{body.instructions[position].op} reads {store.place.symbol} through the async proxy; behind the proxy fence of the "
            f"threads that write it there is no barrier: {body.line_of(store.position)}",
            position,
            expected="fence.proxy.async in the writing threads, behind the write and before the barrier",
            hint="fence.proxy.async.shared::cta; bar.sync 0;",
        )

    def _report(self, position: int, store: ProxyAccess) -> None:
        body = self.view.body
        by_few = any(m & self._bit(store) and ".proxy." in self.view.op(p) for p, m in self.narrow.items())
        whose = "proxy fence behind it in the threads that write" if by_few else "proxy fence behind it"
        body.report(
            "PTX560",
            f"{body.instructions[position].op} reads {store.place.symbol} through the async proxy; a generic write to it has no "
            f"{whose}: {body.line_of(store.position)}",
            position,
            expected="fence.proxy.async in the writing threads, behind the write and before the barrier",
            hint="fence.proxy.async.shared::cta; bar.sync 0;",
        )

    def _check_across(self, reported: set[str | None]) -> None:
        """Writers and reader in different branches (warp specialisation): no fence behind the write, none before the read."""
        view = self.view
        flow = view.body.flow
        judged = set[tuple[int, int]]()
        for position, store in self.stores.items():
            symbol, block = store.place.symbol, flow.block_at(position).index
            if symbol is None or symbol in reported or (block, self._bit(store)) in judged:
                continue
            judged.add((block, self._bit(store)))
            readers = [read for read in self.reads.values() if self.masks[id(read)] & self._bit(store)]
            blocks = [flow.block_at(read.position).index for read in readers]
            if not readers or any(view.reaches(block, other) or view.reaches(other, block) for other in blocks):
                continue
            fences = [flow.block_at(fence).index for fence in view.async_fences]
            behind = any(view.reaches_from_end(block, f) or f == block for f in fences)
            before = any(view.reaches(f, other) for f in fences for other in blocks)
            if not behind and not before:
                reported.add(symbol)
                self._report(readers[0].position, store)


# -- tensor maps ---------------------------------------------------------------------------------------------------


class _Maps(NamedTuple):
    """Positions of tensormap.replace not yet published; maps published and not yet acquired, by the number of their address."""

    replaced: frozenset[int] = frozenset()
    published: frozenset[int] = frozenset()


def check_tensor_maps(view: View) -> None:
    """Report tensor maps that are changed and used without fence.proxy.tensormap on both sides (manual 9.7.9.26, 9.7.13.4.1)."""
    replaces = view.at("tensormap", "tensormap.replace")
    if not replaces or not view.whole:
        return
    releases = view.at("tensormap", "tensormap.cp_fenceproxy")
    fences = view.at("fence", "fence.proxy.tensormap")
    local = {p for p in replaces if "shared::cta" in view.op(p)}
    events = [PathEvent(p, "replace") for p in replaces]
    events += [PathEvent(p, "publish", _address(view, p), settles=True) for p in releases]
    events += [
        PathEvent(p, "acquire" if ".acquire." in view.op(p) else "release", _address(view, p), settles=True)
        for p in fences
    ]
    events += [PathEvent(p, "use", _map_of(view, p)) for p in view.at("cp") if ".tensor." in view.op(p)]
    changed = {p: _address(view, p) for p in replaces}
    verdicts = Verdicts()

    def step(state: _Maps, event: PathEvent) -> _Maps:
        if event.kind == "replace":
            return state._replace(replaced=state.replaced | {event.position})
        if event.kind == "publish":
            return _Maps(state.replaced - local, state.published | {event.data})  # type: ignore[arg-type]
        if event.kind == "release":
            maps = frozenset(changed[p] for p in state.replaced - local)
            return _Maps(state.replaced & local, state.published | maps)
        if event.kind == "acquire":
            return state._replace(published=state.published - {event.data})
        direct = event.data in {changed[p] for p in state.replaced - local}
        verdicts.mark("stale", event.position, direct or event.data in state.published)
        return state

    def leave(state: _Maps, position: int) -> None:
        for replaced in state.replaced & local:
            verdicts.mark("lost", replaced, True)

    if not verdicts.walk(view.paths, events, _Maps(), step, leave):
        return
    for position in verdicts.ever("stale")[:1]:
        view.body.report(
            "PTX562",
            "this copy uses a tensor map that was changed, and no fence brings the change to the tensor-map proxy",
            position,
            expected="fence.proxy.tensormap::generic.release (or tensormap.cp_fenceproxy) behind the change, and "
            "fence.proxy.tensormap::generic.acquire on the map before the copy",
            hint="fence.proxy.tensormap::generic.acquire.gpu [map], 128;",
        )
    for position in [p for p in verdicts.ever("lost") if not _sent_on(view, p, releases)][:1]:
        view.body.report(
            "PTX563",
            "a tensor map is changed in shared memory, and a path ends without copying it to where copies can use it",
            position,
            expected="tensormap.cp_fenceproxy from shared to global memory behind the last tensormap.replace",
            hint="tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [map], [copy], 128;",
        )


def _sent_on(view: View, replace: int, releases: list[int]) -> bool:
    """Do the threads that change a tensor map all come to a copy of it later, though the conditions differ?

    One thread changes the map and its warp copies it: `tid == 0` implies `tid < 32`, which no path through the text shows.
    """
    block, active = view.body.flow.block_at(replace).index, view.active or view.active_first
    for release in releases:
        there = view.body.flow.block_at(release).index
        if not (there == block and replace < release) and not view.reaches_from_end(block, there):
            continue
        changing, sending = active.beyond(replace, release), active.beyond(release, replace)
        if changing and sending and all(s or not c for c, s in zip(changing, sending)):
            return True
    return False


def _address(view: View, position: int) -> int:
    """The number of the address that the first operand is, offset aside."""
    operands = view.body.instructions[position].operands
    first = operands[0] if operands else None
    return view.values.number(first.base, position) if isinstance(first, Address) else -1


def _map_of(view: View, position: int) -> int:
    """The number of the address of a tensor copy's map."""
    for operand in view.body.instructions[position].operands[:2]:
        if isinstance(operand, Address) and operand.coordinates:
            return view.values.number(operand.base, position)
    return -1
