"""E-classes on the device: which become one, and what every id becomes.

The fixed point works on *dense* e-class ids, places in the sorted list of all ids (`to_dense`, `from_dense`). A round is
`match_rows`; `merge_classes`, which hooks the larger root under the smaller by compare-and-swap (as in J. Jaiganesh and
M. Burtscher, "A High-Performance Connected Components Implementation for GPUs", HPDC 2018), so that a set's root is its
smallest id; `settle`, where every id becomes its root and the table is cleared; and `end_round`, which counts. After the
last round they return at once, so rounds may be launched without looking.

Floor of a round, n rows with c children in all: that of `match_rows`; 12*n bytes and a sector or two for each row that found
another; and 4*(n + c) read, what changes written, and the table of 8*n bytes or more cleared.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, kernel, ptr, u32
from ptxgen.kernels.blocks.collectives import WARP, group_reduce
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.egraph.egraph import (
    DONE,
    GOES_ON,
    MERGED,
    ROUNDS,
    STATE_WORDS,
    THREADS,
    grid_of,
    leave_when_done,
    place_of,
    slots_for,
    zeros,
)  # fmt: skip
from ptxgen.kernels.plan import KernelPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

__all__ = [
    "KERNEL", "VARIANTS", "end_round_plan", "from_dense_plan", "merge_plan", "settle_plan", "to_dense_plan",
]  # fmt: skip


def _root(k: Builder, parents: Any, member: Any) -> Any:
    """Up from a member to its root, as others see it now; parents are smaller than their children."""
    root, above = k.var(u32, member), k.var(u32, parents.load(member, "relaxed.gpu"))
    with k.while_(lambda: above != root):
        root.set(above)
        above.set(parents.load(root, "relaxed.gpu"))
    return root


@kernel(threads=THREADS)
def merge_classes(
    k: Builder, n: u32, reps: ptr[u32], eclasses: ptr[u32], parents: ptr[u32], state: ptr[u32]
) -> None:  # fmt: skip
    """Join the e-classes of each row and its rep; state[MERGED] += how many roots that took away."""
    leave_when_done(k, state)
    merged = k.var(u32, 0)
    for row in k.range(k.global_id.x, n, k.grid_size.x):
        rep = reps[row]
        with k.if_(rep != row):
            a, b = k.var(u32, _root(k, parents, eclasses[row])), k.var(u32, _root(k, parents, eclasses[rep]))
            with k.while_(partial(a.__ne__, b)):
                low, high = k.min(a, b), k.max(a, b)
                found = k.atomic_cas(parents, high, high, low)
                with k.if_(found == high):
                    merged += 1
                    k.break_()
                a.set(low)
                b.set(_root(k, parents, found))  # somebody hooked it first: go on from where it hangs
    sums = k.shared(u32, THREADS // WARP, name="sums")
    whole = group_reduce(k, "sum", merged, THREADS, lambda: sums)
    with k.if_((k.tid.x == 0) & (whole != 0)):
        k.reduce_add(state, MERGED, whole)


@kernel(max_threads=THREADS)
def settle(
    k: Builder, rows: u32, children_count: u32, slots: u32, eclasses: ptr[u32], children: ptr[u32], parents: ptr[u32],
    table: ptr[u32], state: ptr[u32],
) -> None:  # fmt: skip
    """Every e-class id of rows and children becomes its root; the table is cleared for the next round."""
    leave_when_done(k, state)
    with k.if_(state[MERGED] != 0):
        for column, count in ((eclasses, rows), (children, children_count)):
            for i in k.range(k.global_id.x, count, k.grid_size.x):
                member = column[i]
                root = _root(k, parents, member)
                with k.if_(root != member):
                    column[i] = root
                    parents[member] = root  # any order of these is right: it is a way up in each
    for i in k.range(k.global_id.x, slots, k.grid_size.x):
        table[i] = 0


@kernel(max_threads=THREADS)
def end_round(k: Builder, most: u32, state: ptr[u32], history: ptr[u32]) -> None:
    """By one thread: history[round] = merges; a round without any is the last, and so is round `most`."""
    with k.if_(k.global_id.x == 0):
        leave_when_done(k, state)
        merged, number = state[MERGED], state[ROUNDS]
        history[number] = merged
        state[ROUNDS] = number + 1
        state[MERGED] = 0
        state[GOES_ON] = ((merged != 0) & (number + 1 < most)).to(u32)
        with k.if_(number + 1 >= most):
            state[DONE] = 2
        with k.if_(merged == 0):
            state[DONE] = 1


@kernel(max_threads=THREADS)
def to_dense(
    k: Builder, rows: u32, children_count: u32, groups: u32, ids: ptr[u32], eclasses: ptr[u32], children: ptr[u32],
    dense_eclasses: ptr[u32], dense_children: ptr[u32], parents: ptr[u32],
) -> None:  # fmt: skip
    """Each id becomes its place in the sorted `ids`; every place is its own parent."""
    for source, target, count in ((eclasses, dense_eclasses, rows), (children, dense_children, children_count)):
        for i in k.range(k.global_id.x, count, k.grid_size.x):
            value = source[i]
            place = k.var(u32, value)
            known = k.var(u32, 0)  # ids without gaps are their own places, which one look shows
            with k.if_(value < groups):
                known.set((ids[value] == value).to(u32))
            with k.if_(known == 0):
                place.set(place_of(k, ids, groups, value))
            target[i] = place
    for i in k.range(k.global_id.x, groups, k.grid_size.x):
        parents[i] = i


@kernel(max_threads=THREADS)
def from_dense(
    k: Builder, rows: u32, children_count: u32, ids: ptr[u32], dense_eclasses: ptr[u32], dense_children: ptr[u32],
    eclasses: ptr[u32], children: ptr[u32],
) -> None:  # fmt: skip
    """The way back: each place becomes the id that stands there."""
    for source, target, count in ((dense_eclasses, eclasses, rows), (dense_children, children, children_count)):
        for i in k.range(k.global_id.x, count, k.grid_size.x):
            target[i] = ids[source[i]]


KERNEL = merge_classes


def merge_plan(n: int, reps: Any, eclasses: Any, parents: Any, state: Any) -> KernelPlan:
    """Union the e-classes of equal rows."""
    return KernelPlan(merge_classes, grid_of(n), THREADS, (n, reps, eclasses, parents, state))


def settle_plan(
    rows: int, count: int, eclasses: Any, children: Any, parents: Any, table: Any, state: Any
) -> KernelPlan:
    """Ids to roots."""
    arguments = (rows, count, table.size, eclasses, children, parents, table, state)
    return KernelPlan(settle, grid_of(max(rows, count)), THREADS, arguments)


def end_round_plan(most: int, state: Any, history: Any) -> KernelPlan:
    """Count a round."""
    return KernelPlan(end_round, 1, WARP, (most, state, history))


def to_dense_plan(
    rows: int, count: int, groups: int, ids: Any, eclasses: Any, children: Any, dense_eclasses: Any,
    dense_children: Any, parents: Any,
) -> KernelPlan:  # fmt: skip
    """Ids to places."""
    arguments = (rows, count, groups, ids, eclasses, children, dense_eclasses, dense_children, parents)
    return KernelPlan(to_dense, grid_of(max(rows, count, groups)), THREADS, arguments)


def from_dense_plan(
    rows: int, count: int, ids: Any, dense_eclasses: Any, dense_children: Any, eclasses: Any, children: Any
) -> KernelPlan:
    """Places to ids."""
    arguments = (rows, count, ids, dense_eclasses, dense_children, eclasses, children)
    return KernelPlan(from_dense, grid_of(max(rows, count)), THREADS, arguments)


# Cases


def _components(n: int, links: Any) -> Any:
    """The smallest member of each place's set."""
    import numpy as np

    roots = np.arange(n, dtype=np.uint32)
    while True:
        before = roots.copy()
        for a, b in ((0, 1), (1, 0)):
            np.minimum.at(roots, links[:, a], before[links[:, b]])
        roots = roots[roots]
        if np.array_equal(roots, before):
            return roots


def _merge_case(n: int, rng: np.random.Generator) -> Case:
    """Pairs of places, each met once: every set has two members, so every parent is known."""
    import numpy as np

    half = n // 2
    order = rng.permutation(n).astype(np.uint32)
    reps = np.arange(n, dtype=np.uint32)
    reps[:half] = np.arange(half, 2 * half)
    links = np.stack([order, order[reps]], axis=1)
    return Case(
        arrays={
            "reps": HostArray(reps, u32), "eclasses": HostArray(order, u32),
            "parents": HostArray(np.arange(n, dtype=np.uint32), u32), "state": zeros(STATE_WORDS),
        },
        plan=lambda on: merge_plan(n, on["reps"], on["eclasses"], on["parents"], on["state"]),
        expected={"parents": _components(n, links), "state": np.array([0, 0, half, 0], np.uint32)},
        tolerance=EXACT,
    )  # fmt: skip


def _settle_case(n: int, rng: np.random.Generator) -> Case:
    """Long ways up: each place hangs below a random smaller one."""
    import numpy as np

    parents = (rng.random(n) * np.arange(n)).astype(np.uint32)
    roots = parents.copy()
    while not np.array_equal(roots, parents[roots]):
        roots = parents[roots]
    eclasses, children = (rng.integers(0, max(1, n), count).astype(np.uint32) for count in (n, 2 * n))
    eclasses[:], children = (eclasses, children) if n else (eclasses, children[:0])
    return Case(
        arrays={
            "eclasses": HostArray(eclasses, u32), "children": HostArray(children, u32), "parents": HostArray(parents, u32),
            "table": HostArray(np.ones(slots_for(n), np.uint32), u32), "state": HostArray(np.array([0, 0, 1, 0], np.uint32), u32),
        },
        plan=lambda on: settle_plan(
            n, len(children), on["eclasses"], on["children"], on["parents"], on["table"], on["state"]
        ),
        expected={"eclasses": roots[eclasses], "children": roots[children], "table": np.zeros(slots_for(n), np.uint32)},
        tolerance=EXACT,
    )  # fmt: skip


def _end_case(merged: int, rng: np.random.Generator) -> Case:
    import numpy as np

    return Case(
        arrays={"state": HostArray(np.array([0, 2, merged, 0], np.uint32), u32), "history": zeros(5)},
        plan=lambda on: end_round_plan(5, on["state"], on["history"]),
        expected={
            "state": np.array([merged == 0, 3, 0, merged != 0], np.uint32), "history": np.array([0, 0, merged, 0, 0], np.uint32)
        },
        tolerance=EXACT,
    )  # fmt: skip


def _dense_case(n: int, rng: np.random.Generator, *, back: bool) -> Case:
    import numpy as np

    ids = np.unique(rng.integers(0, 1 << 32, max(1, n), dtype=np.uint32))
    ids[: len(ids) // 2] = np.arange(len(ids) // 2)  # without gaps at first
    places = [rng.integers(0, len(ids), count).astype(np.uint32) for count in (n, 2 * n)]
    values = [ids[place] for place in places]
    before, after = (places, values) if back else (values, places)
    arrays = {
        "ids": HostArray(ids, u32), "eclasses": HostArray(before[0], u32), "children": HostArray(before[1], u32),
        "out_eclasses": zeros(n), "out_children": zeros(2 * n), "parents": zeros(len(ids)),
    }  # fmt: skip

    def launch(on: Mapping[str, Any]) -> KernelPlan:
        columns = (on["ids"], on["eclasses"], on["children"], on["out_eclasses"], on["out_children"])
        return (
            from_dense_plan(n, 2 * n, *columns) if back else to_dense_plan(n, 2 * n, len(ids), *columns, on["parents"])
        )

    expected = {"out_eclasses": after[0], "out_children": after[1]}
    if not back:
        expected["parents"] = np.arange(len(ids), dtype=np.uint32)
    return Case(arrays=arrays, plan=launch, expected=expected, tolerance=EXACT)


_SIZES = (0, 1, 100, 1000)


def _variant(name: str, kernel_: Any, case: Callable[..., Case], sizes: tuple[int, ...] = _SIZES) -> Variant:
    return Variant("egraph_classes", name, kernel_, case, sizes)


VARIANTS = (
    _variant("merge", merge_classes, _merge_case),
    _variant("settle", settle, _settle_case),
    _variant("end_round", end_round, _end_case, (0, 1, 7)),
    _variant("to_dense", to_dense, partial(_dense_case, back=False)),
    _variant("from_dense", from_dense, partial(_dense_case, back=True)),
)
