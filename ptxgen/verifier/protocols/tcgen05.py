"""tcgen05: tensor memory allocated and given back, loads and stores waited for, matrix instructions committed (manual 9.7.16).

tcgen05.ld and tcgen05.st are asynchronous to the thread that issues them until tcgen05.wait::ld and ::st; tcgen05.mma and cp
until an mbarrier that tcgen05.commit names completes.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.paths.paths import PathEvent
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.verifier.protocols.report import Verdicts

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_tcgen05"]

_ORDERED = ("ld", "mma", "cp", "shift", "commit", "dealloc", "fence::before_thread_sync")
"""What follows a tcgen05.st only behind tcgen05.wait::st."""


def check_tcgen05(view: View) -> None:
    """Report what is wrong with the tensor-memory instructions of a body."""
    _check_groups(view)
    if view.whole:
        _check_allocation(view)
        _check_loads_and_stores(view)
        _check_commits(view)
        _check_fences(view)


def _word(view: View, position: int) -> str:
    return view.op(position).split(".")[1]


def _check_groups(view: View) -> None:
    """One value of .cta_group in a kernel, as assemblers insist (manual 9.7.16.5)."""
    seen: dict[str, int] = {}
    for position in view.at("tcgen05"):
        for word in view.op(position).split("."):
            if word.startswith("cta_group::"):
                seen.setdefault(word, position)
    if len(seen) > 1:
        (one, _), (other, position) = list(seen.items())[:2]
        view.body.report(
            "PTX559",
            f"a kernel uses .{one} and .{other}",
            position,
            expected="the same .cta_group on all tcgen05 instructions of a kernel",
            hint=f".{one}",
            severity="error",
        )


# -- tensor memory -------------------------------------------------------------------------------------------------


class _Memory(NamedTuple):
    live: frozenset[int] = frozenset()
    relinquished: bool = False
    columns: int = 0


def _check_allocation(view: View) -> None:
    """Every allocation is given back before the exit, none follows relinquish_alloc_permit (manual 9.7.16.7.1)."""
    allocations = view.at("tcgen05", "tcgen05.alloc")
    frees = view.at("tcgen05", "tcgen05.dealloc")
    if not allocations:
        return
    events = [PathEvent(p, "alloc", _constant(view, p)) for p in allocations]
    events += [PathEvent(p, "free", _constant(view, p), settles=True) for p in frees]
    events += [PathEvent(p, "relinquish") for p in view.at("tcgen05", "tcgen05.relinquish")]
    verdicts = Verdicts()

    def step(state: _Memory, event: PathEvent) -> _Memory:
        if event.kind == "relinquish":
            return state._replace(relinquished=True)
        if event.kind == "free":
            return state._replace(live=frozenset(sorted(state.live)[1:]) if len(state.live) > 1 else frozenset())
        columns = event.data if isinstance(event.data, int) else 0
        verdicts.mark("late", event.position, state.relinquished)
        verdicts.mark("grows", event.position, bool(columns and state.columns and columns > state.columns))
        return state._replace(live=state.live | {event.position}, columns=columns or state.columns)

    def leave(state: _Memory, position: int) -> None:
        for allocation in state.live:
            verdicts.mark("kept", allocation, True)

    if not verdicts.walk(view.paths, events, _Memory(), step, leave):
        return
    for position in verdicts.ever("kept"):
        view.body.report(
            "PTX554",
            "this tensor memory is not given back on some path to the end of the kernel",
            position,
            expected="tcgen05.dealloc of all that was allocated, by a warp of the CTA, before the kernel ends",
            hint="tcgen05.dealloc.cta_group::1.sync.aligned.b32 taddr, columns;",
        )
    for position in verdicts.ever("late"):
        view.body.report(
            "PTX555",
            "tcgen05.alloc behind tcgen05.relinquish_alloc_permit: the CTA has given up the right to allocate",
            position,
            expected="relinquish_alloc_permit behind the last tcgen05.alloc",
        )
    for position in verdicts.ever("grows"):
        view.body.report(
            "PTX556",
            "tcgen05.alloc of more columns than an allocation before it",
            position,
            expected="allocations in falling order of size (manual 9.7.16.7.1)",
        )
    _check_sizes(view, allocations, frees)
    _check_warps(view, allocations)


def _check_warps(view: View, allocations: list[int]) -> None:
    """PTX557: warps that all run one tcgen05.alloc, each for itself, and write where it is to the same place."""
    active = view.active if view.exact_threads is not None else None
    for position in allocations if active is not None else ():
        running = active.at(position) if active is not None else None
        warps = {thread // WARP_SIZE for thread, runs in enumerate(running or ()) if runs}
        place = view.values.place(view.body.instructions[position].operands[0], position)
        if len(warps) < 2 or place.symbol is None or any(view.values.thread[term] for term in place.terms):
            continue
        view.body.report(
            "PTX557",
            f"{len(warps)} warps allocate tensor memory here, and all write its address to {place.symbol}: all but one are lost",
            position,
            expected="one warp that allocates for the CTA, and gives back",
            hint="a condition such as %tid.x < 32 around it",
        )


def _constant(view: View, position: int) -> int | None:
    operands = view.body.instructions[position].operands
    return view.values.constant(operands[1], position) if len(operands) > 1 else None


def _check_sizes(view: View, allocations: list[int], frees: list[int]) -> None:
    """The size of a dealloc is one that was allocated, where both are constants."""
    allocated = {_constant(view, p) for p in allocations}
    if None in allocated:
        return
    for position in frees:
        columns = _constant(view, position)
        if columns is not None and columns not in allocated:
            sizes = ", ".join(map(str, sorted(allocated, key=lambda n: n or 0)))
            view.body.report(
                "PTX556",
                f"tcgen05.dealloc of {columns} columns, and {sizes} were allocated",
                position,
                expected=f"{sizes} columns",
                hint=sizes,
            )


# -- loads, stores, matrix instructions ----------------------------------------------------------------------------


class _Flying(NamedTuple):
    """Registers that a tcgen05.ld still writes, as bits; is a tcgen05.st pending?"""

    loads: int = 0
    stores: bool = False


def _check_loads_and_stores(view: View) -> None:
    bits: dict[int, int] = {}
    loads: dict[int, int] = {}
    for position in view.at("tcgen05", "tcgen05.ld"):
        mask = 0
        for register in view.body.writes[position]:
            mask |= 1 << bits.setdefault(register, len(bits))
        loads[position] = mask
    stores = view.at("tcgen05", "tcgen05.st.")
    if not loads and not stores:
        return
    touched: dict[int, int] = {}
    for register, bit in bits.items():
        for where in (view.body.chains.uses, view.body.chains.definitions):
            for position in where.get(register, ()):
                touched[position] = touched.get(position, 0) | 1 << bit
    events = [PathEvent(p, "touch", mask) for p, mask in touched.items() if p not in loads]
    events += [PathEvent(p, "load", mask) for p, mask in loads.items()]
    events += [PathEvent(p, "store") for p in stores]
    events += [PathEvent(p, "wait ld", settles=True) for p in view.at("tcgen05", "tcgen05.wait::ld")]
    events += [PathEvent(p, "wait st", settles=True) for p in view.at("tcgen05", "tcgen05.wait::st")]
    events += [PathEvent(p, "order") for p in view.at("tcgen05") if p not in loads and _word(view, p) in _ORDERED]
    events += [PathEvent(use.position, "order") for use in view.barrier_uses if use.kind in ("arrive", "arrive expect")]
    culprits: dict[int, int] = {}
    verdicts = Verdicts()

    def step(state: _Flying, event: PathEvent) -> _Flying:
        if event.kind == "wait ld":
            return state._replace(loads=0)
        if event.kind == "wait st":
            return state._replace(stores=False)
        if event.kind == "store":
            return state._replace(stores=True)
        if event.kind in ("order", "load"):
            verdicts.mark("unstored", event.position, state.stores)
        if event.kind == "order":
            return state
        mask = event.data
        assert isinstance(mask, int)
        if state.loads & mask:
            verdicts.mark("unloaded", event.position, True)
            culprits.setdefault(event.position, next(p for p, m in loads.items() if m & state.loads & mask))
        return state._replace(loads=state.loads | mask) if event.kind == "load" else state

    if verdicts.walk(view.paths, events, _Flying(), step):
        _report_flying(view, verdicts, culprits)


def _report_flying(view: View, verdicts: Verdicts, culprits: dict[int, int]) -> None:
    reported: set[int] = set()
    for position in verdicts.ever("unloaded"):
        load = culprits[position]
        if load not in reported:
            reported.add(load)
            view.body.report(
                "PTX550",
                f"a register is used before it has arrived: {view.body.line_of(load)}",
                position,
                expected="tcgen05.wait::ld between tcgen05.ld and the first use of its registers",
                hint="tcgen05.wait::ld.sync.aligned;",
            )
    for position in verdicts.ever("unstored")[:1]:
        view.body.report(
            "PTX551",
            f"{'.'.join(view.op(position).split('.')[:2])} behind tcgen05.st, which has not completed",
            position,
            expected="tcgen05.wait::st behind tcgen05.st, before anybody relies on what it stored",
            hint="tcgen05.wait::st.sync.aligned;",
        )


def _check_commits(view: View) -> None:
    """Nobody learns of a tcgen05.mma or cp that no commit follows (manual 9.7.16.6.2)."""
    flow = view.body.flow
    commits = view.at("tcgen05", "tcgen05.commit")
    for position in view.at("tcgen05"):
        if _word(view, position) not in ("mma", "cp"):
            continue
        if _word(view, position) == "cp" and view.at("tcgen05", "tcgen05.mma"):
            continue  # copies are ordered before the mma that follows them
        block = flow.block_at(position).index
        blocks = [(c, flow.block_at(c).index) for c in commits]
        if not any((b == block and c > position) or view.reaches_from_end(block, b) for c, b in blocks):
            view.body.report(
                "PTX552",
                f"no tcgen05.commit follows this {'.'.join(view.op(position).split('.')[:2])}: nobody learns when it completes",
                position,
                expected="tcgen05.commit to an mbarrier in the same thread, and a wait for that mbarrier",
                hint="tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [mbar];",
            )
            return


def _check_fences(view: View) -> None:
    """fence::before_thread_sync of one thread pairs with fence::after_thread_sync of another (manual 9.7.16.6.4)."""
    before = view.at("tcgen05", "tcgen05.fence::before_thread_sync")
    after = view.at("tcgen05", "tcgen05.fence::after_thread_sync")
    if before and not after:
        missing, where, there = (
            "after_thread_sync",
            before[0],
            "behind the barrier or the wait, in the thread that goes on",
        )
    elif after and not before and not view.at("tcgen05", "tcgen05.commit"):
        missing, where, there = (
            "before_thread_sync",
            after[0],
            "before the barrier or the arrival, in the thread that was first",
        )
    else:
        return
    view.body.report(
        "PTX553",
        f"tcgen05.fence::{missing} is missing: the two fences order the tcgen05 instructions of two threads together",
        where,
        expected=f"tcgen05.fence::{missing} {there}",
        hint=f"tcgen05.fence::{missing};",
    )
