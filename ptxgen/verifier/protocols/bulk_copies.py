"""Bulk copies that complete on an mbarrier: bytes expected, awaited, and read after that (manual 9.7.9.25.4, 9.7.13.15.5)."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.paths.paths import PathEvent, stretches
from ptxgen.verifier.protocols.barrier_uses import EXPECTS, BarrierUse, Object, same_object
from ptxgen.verifier.protocols.memory import same_buffer
from ptxgen.verifier.protocols.report import Verdicts

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.memory import ProxyAccess
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_bulk_copies"]

_MOST_PAIRS = 100_000
"""Of instructions that are compared before paths are walked."""


def check_bulk_copies(view: View) -> None:
    """Report bulk copies without an expect-tx operation or a wait, and data that is read before the wait."""
    uses = view.barrier_uses
    copies = [use for use in uses if use.kind == "complete" and use.object is not None and not use.place.remote]
    if not view.whole or not copies:
        return
    _check_expected(view, uses, copies)
    unawaited = _check_awaited(view, uses, copies)
    _check_reads(view, uses, copies, unawaited)


# -- bytes ---------------------------------------------------------------------------------------------------------


class _Expected(NamedTuple):
    """Bytes expected so far, copies that still lack theirs, copies issued, and those (since then waited?) not expected anew."""

    known: frozenset[tuple[Object, int | None]] = frozenset()
    owed: frozenset[int] = frozenset()
    issued: frozenset[int] = frozenset()
    stale: frozenset[tuple[int, bool]] = frozenset()


def _check_expected(view: View, uses: list[BarrierUse], copies: list[BarrierUse]) -> None:
    expects = [use for use in uses if use.kind in EXPECTS]
    without = [copy for copy in copies if not any(same_object(copy, expect) for expect in expects)]
    reported: set[Object] = set()
    for copy in without:
        assert copy.object is not None
        if copy.object not in reported:
            reported.add(copy.object)
            _report_unexpected(view, copy, "nothing tells it to expect them")
    rest = [copy for copy in copies if copy not in without]
    if rest and all(expect.object is not None for expect in expects):
        _check_expected_on_ways(view, uses, rest, expects)


def _check_expected_on_ways(
    view: View, uses: list[BarrierUse], copies: list[BarrierUse], expects: list[BarrierUse]
) -> None:
    waits = [use for use in uses if use.kind == "wait"]
    few = len(copies) * (len(expects) + len(waits)) < _MOST_PAIRS
    if few and all(_is_just_expected(view, copy, expects, waits) for copy in copies):
        return
    by_position = {copy.position: copy for copy in copies}
    verdicts = Verdicts(always="unexpected again")
    events = [PathEvent(use.position, "expect", use, settles=True) for use in expects]
    events += [PathEvent(use.position, "wait", use) for use in waits]
    events += [PathEvent(use.position, "copy", use) for use in copies]

    def settle(state: _Expected) -> None:
        for position in state.owed:
            verdicts.mark("unexpected", position, True)

    def step(state: _Expected, event: PathEvent) -> _Expected:
        if event.kind == "wait":
            settle(state)
            return state._replace(owed=frozenset(), stale=frozenset((p, True) for p, _ in state.stale))
        use = event.data
        assert isinstance(use, BarrierUse)
        assert use.object is not None
        offset = _offset(use)
        if event.kind == "expect":
            for position in state.owed:
                if same_object(use, by_position[position]):
                    verdicts.mark("unexpected", position, False)
            return state._replace(
                known=state.known | {(use.object, offset)},
                owed=frozenset(p for p in state.owed if not same_object(use, by_position[p])),
                stale=frozenset(s for s in state.stale if not same_object(use, by_position[s[0]])),
            )
        position = use.position
        if position in state.issued:
            verdicts.mark("again", position, (position, True) in state.stale)
        covered = any(o == use.object and (at is None or offset is None or at == offset) for o, at in state.known)
        if covered:
            verdicts.mark("unexpected", position, False)
        return state._replace(
            owed=state.owed if covered else state.owed | {position},
            issued=state.issued | {position},
            stale=(state.stale - {(position, True)}) | {(position, False)},
        )

    if not verdicts.walk(view.paths, events, _Expected(), step, lambda state, position: settle(state)):
        return
    reported: set[Object | None] = set()
    for rule, what in (
        ("unexpected", "no path tells it to expect them"),
        ("again", "from the second iteration on nothing expects them"),
    ):
        for position in verdicts.always(rule):
            copy = by_position[position]
            if copy.object not in reported:
                reported.add(copy.object)
                _report_unexpected(view, copy, what)


def _is_just_expected(view: View, copy: BarrierUse, expects: list[BarrierUse], waits: list[BarrierUse]) -> bool:
    """Are the bytes of a copy expected right before it, in its block and behind the last wait there?"""
    flow, instructions = view.body.flow, view.body.instructions
    start = flow.block_at(copy.position).start
    start = max([wait.position for wait in waits if start <= wait.position < copy.position], default=start)
    for expect in expects:
        if start <= expect.position < copy.position and instructions[expect.position].pred is None:
            at, offset = _offset(expect), _offset(copy)
            if expect.object == copy.object and (at is None or offset is None or at == offset):
                return True
    return False


def _offset(use: BarrierUse) -> int | None:
    """Which mbarrier of its object a use names; None for one that an index chooses."""
    return use.place.offset if use.place.exact else None


def _report_unexpected(view: View, copy: BarrierUse, what: str) -> None:
    view.body.report(
        "PTX525",
        f"the bytes of this copy complete on {copy.object}, and {what}: its phase may end before they arrive",
        copy.position,
        expected="mbarrier.arrive.expect_tx (or mbarrier.expect_tx) with the bytes of the copies, on the same mbarrier",
        hint=f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [{copy.object.symbol if copy.object else ''}], BYTES;",
    )


# -- waits and reads -----------------------------------------------------------------------------------------------


def _check_awaited(view: View, uses: list[BarrierUse], copies: list[BarrierUse]) -> set[Object | None]:
    """A thread waits for each mbarrier that copies complete on; those without a wait are returned."""
    waits = [use for use in uses if use.kind == "wait"]
    missing = [copy for copy in copies if not any(same_object(copy, wait) for wait in waits)]
    reported: set[Object | None] = set()
    for copy in missing:
        if copy.object not in reported:
            reported.add(copy.object)
            view.body.report(
                "PTX526",
                f"nobody waits for {copy.object}, on which this copy completes",
                copy.position,
                expected="a loop around mbarrier.try_wait on it before the data is used, and before the CTA ends",
            )
    return reported


class _Arrived(NamedTuple):
    """Objects waited for on this path, variables filled otherwise, copies issued, those since the last wait; a barrier passed."""

    waited: frozenset[Object] = frozenset()
    filled: frozenset[str] = frozenset()
    issued: frozenset[int] = frozenset()
    flying: frozenset[int] = frozenset()
    met: bool = False


class _Read(NamedTuple):
    """A read of what copies fill: the variable, the objects that they complete on, and the copies into this very place."""

    position: int
    symbol: str
    objects: frozenset[Object]
    copies: frozenset[int]


def _check_reads(view: View, uses: list[BarrierUse], copies: list[BarrierUse], unawaited: set[Object | None]) -> None:
    """What a copy fills is read behind a wait for its mbarrier."""
    places = {a.position: a for a in view.accesses if a.kind == "bulk write"}
    filled: dict[str, set[Object]] = {}
    for copy in copies:
        access = places.get(copy.position)
        if access is not None and access.place.symbol is not None and copy.object is not None:
            filled.setdefault(access.place.symbol, set()).add(copy.object)
    unclear = {a.place.symbol for p, a in places.items() if p not in {copy.position for copy in copies}}
    reads = [
        a
        for a in view.accesses
        if a.kind in ("load", "matrix", "bulk read") and a.place.symbol in filled and a.place.symbol not in unclear
    ]
    waits = [use for use in uses if use.kind == "wait"]
    if not reads or any(use.object is None for use in waits):
        return
    events = [PathEvent(use.position, "copy", use) for use in copies if use.position in places]
    events += [PathEvent(use.position, "wait", use.object, settles=True) for use in waits]
    fills = [a for a in view.accesses if a.kind in ("store", "cp.async") and not a.place.symbols.isdisjoint(filled)]
    events += [PathEvent(a.position, "fill", a.place.symbols) for a in fills]
    events += [PathEvent(position, "barrier") for position in view.barriers]
    relayed = _relayed(view, waits)
    reads_at: dict[int, list[_Read]] = {}
    for read in reads:
        assert read.place.symbol is not None
        same = frozenset(p for p, a in places.items() if same_buffer(view.values, a.place, read.place))
        one = _Read(read.position, read.place.symbol, frozenset(filled[read.place.symbol]), same)
        reads_at.setdefault(read.position, []).append(one)
    few = len(reads) * (len(waits) + len(fills)) < _MOST_PAIRS
    if few and all(_is_behind(view, read, waits, fills) for those in reads_at.values() for read in those):
        return
    for position, stretch in stretches(view.body, reads_at, events):
        events.append(PathEvent(position, "read", tuple([read for those in stretch for read in those])))
    verdicts = Verdicts(always="early stale")
    objects = {copy.position: copy.object for copy in copies}

    def step(state: _Arrived, event: PathEvent) -> _Arrived:
        if event.kind == "copy":
            one = frozenset((event.position,))
            return state._replace(issued=state.issued | one, flying=state.flying | one)
        if event.kind == "wait":
            flying = frozenset(p for p in state.flying if objects[p] != event.data)
            return state._replace(waited=state.waited | {event.data}, flying=flying)  # type: ignore[arg-type]
        if event.kind == "fill":
            if state.filled.issuperset(event.data):  # type: ignore[arg-type]
                return state
            return state._replace(filled=state.filled | event.data)  # type: ignore[operator]
        if event.kind == "barrier":
            flying = frozenset(p for p in state.flying if objects[p] not in relayed)  # somebody may have waited for all
            return state if state.met and flying == state.flying else state._replace(met=True, flying=flying)
        if verdicts.once((state, event.position)):
            for read in event.data:  # type: ignore[attr-defined]
                judge(state, read)
        return state

    def judge(state: _Arrived, read: _Read) -> None:
        fine = not read.objects.isdisjoint(state.waited) or read.symbol in state.filled
        verdicts.mark("early", read.position, not (fine or (state.met and not read.objects.isdisjoint(relayed))))
        same = read.copies & state.issued
        if same and read.symbol not in state.filled:
            verdicts.mark("stale", read.position, not same.isdisjoint(state.flying))

    if not verdicts.walk(view.paths, events, _Arrived(), step):
        return
    reported: set[str] = set()
    for position in sorted({*verdicts.always("early"), *verdicts.always("stale")}):
        read = next(a for a in reads if a.position == position)
        symbol = str(read.place.symbol)
        if symbol in reported:
            continue
        reported.add(symbol)
        names = ", ".join(sorted(map(str, filled[symbol])))
        source = next(p for p, a in places.items() if a.place.symbol == symbol)
        view.body.report(
            "PTX524",
            f"{symbol} is read without waiting for {names}, on which the copy into it completes: {view.body.line_of(source)}",
            position,
            expected="a loop around mbarrier.try_wait before the data is read",
            hint="WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [...], phase; @!p bra WAIT;",
        )


def _is_behind(view: View, read: _Read, waits: list[BarrierUse], fills: list[ProxyAccess]) -> bool:
    """Does a read come behind a wait, or another write, on any path, and no copy into its place before it?"""
    flow, position = view.body.flow, read.position
    block = flow.block_at(position).index
    for copy in read.copies:
        from_ = flow.block_at(copy).index
        if (from_ == block and copy < position) or view.reaches_from_end(from_, block):
            return False
    return any(wait.object in read.objects and view.comes_before(wait.position, position) for wait in waits) or any(
        read.symbol in fill.place.symbols and view.comes_before(fill.position, position) for fill in fills
    )


def _relayed(view: View, waits: list[BarrierUse]) -> frozenset[Object]:
    """Objects that one thread may wait for on behalf of others: a barrier of the CTA can follow the wait."""
    flow = view.body.flow
    found = set()
    for use in waits:
        start = flow.block_at(use.position).index
        for position in (*view.at("bar"), *view.at("barrier")):
            block = flow.block_at(position).index
            if (block == start and position > use.position) or view.reaches_from_end(start, block):
                if use.object is not None:
                    found.add(use.object)
                break
    return frozenset(found)
