"""Runs of equal rows in an order: where they begin, how long they are, and which run a row is in.

`mark_changes` says where a run begins, one column at a time; selection (select.py) turns that into starts[groups]. A run g is
the places starts[g] to starts[g+1] (or n) of the order; `groups` lies on the device. reduce_by_key.py computes something of each.

`choose_runs` is for sets: rows below `split` come from the left side, the others from the right one.

Floor, n rows: 4*n bytes of places, a sector of 32 bytes of a column in random order, and what is written.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f64, kernel, ptr, u8, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import COLUMN
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    import numpy as np


__all__ = [
    "KERNEL", "KINDS", "VARIANTS", "choose_plan", "divide_plan", "lengths_plan", "mark_plan", "numbers_plan",
]  # fmt: skip

C = TypeVar("C", bound=Integer)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""
KINDS = ("union", "intersection", "difference")


@kernel(max_threads=THREADS)
def mark_changes(
    k: Builder, n: u32, order: ptr[u32], column: ptr[C], flags: ptr[u8], *, element: type[C], first: bool
) -> None:
    """flags[i] = 1 where the column's bits differ from the place before. The `first` column is sorted itself; for the others,
    which the order leads to, flags that are there stay."""
    for i in k.range(k.global_id.x, n, k.grid_size.x):
        differs = k.var(u32, 1)
        with k.if_(i != 0):
            here = column.at(i) if first else order.at(i)
            now, before = (here[0], here[-1]) if first else (column[here[0]], column[here[-1]])
            differs.set(k.select(now != before, k.const(u32, 1), 0))
        if first:
            flags[i] = differs.to(u8)
        else:
            with k.if_(differs != 0):
                flags[i] = differs.to(u8)


def _end(k: Builder, g: Any, groups: Any, starts: Any, n: Any) -> Any:
    """Where the run g ends."""
    end = k.var(u32, n)
    with k.pred(g + 1 < groups):
        end.set(starts[g + 1])
    return end


@kernel(max_threads=THREADS)
def run_lengths(k: Builder, n: u32, groups: ptr[u32], starts: ptr[u32], out: ptr[u32]) -> None:
    """out[g] = how many places the run has."""
    count = groups[0]
    for g in k.range(k.global_id.x, count, k.grid_size.x):
        out[g] = _end(k, g, count, starts, n) - starts[g]


def _run_at(k: Builder, starts: Any, count: Any, place: Any) -> Any:
    """The run that a place is in: the last that starts there or before."""
    low, high = k.var(u32, 0), k.var(u32, count)
    with k.while_(lambda: high - low > 1):
        middle = low + ((high - low) >> 1)
        with k.if_else(starts[middle] <= place) as (after, before):
            with after:
                low.set(middle)
            with before:
                high.set(middle)
    return low


@kernel(max_threads=THREADS)
def divide_by_lengths(k: Builder, n: u32, groups: ptr[u32], starts: ptr[u32], sums: ptr[f64]) -> None:
    """sums[g] /= how many places the run has."""
    count = groups[0]
    for g in k.range(k.global_id.x, count, k.grid_size.x):
        sums[g] = sums[g] / (_end(k, g, count, starts, n) - starts[g]).to(f64)


@kernel(max_threads=THREADS)
def choose_runs(
    k: Builder, n: u32, groups: ptr[u32], starts: ptr[u32], order: ptr[u32], split: u32, flags: ptr[u8], *, kind: str
) -> None:
    """flags[g] = is the run in the set? Rows of a run are in order, so its first and last say which sides it has."""
    count = groups[0]
    for g in k.range(k.global_id.x, n, k.grid_size.x):
        chosen = k.var(u32, 0)
        with k.if_(g < count):
            on_left = order[starts[g]] < split
            on_right = order[_end(k, g, count, starts, n) - 1] >= split
            holds = {
                "union": lambda p, q: p | q, "intersection": lambda p, q: p & q, "difference": lambda p, q: p & ~q,
            }[kind](on_left, on_right)  # fmt: skip
            chosen.set(k.select(holds, k.const(u32, 1), 0))
        flags[g] = chosen.to(u8)


@kernel(max_threads=THREADS)
def run_numbers(k: Builder, n: u32, groups: ptr[u32], starts: ptr[u32], order: ptr[u32], numbers: ptr[u32]) -> None:
    """numbers[row] = the run that the row is in."""
    count = groups[0]
    for place in k.range(k.global_id.x, n, k.grid_size.x):
        numbers[order[place]] = _run_at(k, starts, count, place)


KERNEL = mark_changes


def mark_plan(n: int, order: Any, column: Any, flags: Any, *, first: bool) -> KernelPlan:
    """Where a column changes along the order; `first`: where a sorted one does."""
    element = COLUMN[column.type.bytes]
    launch = using(mark_changes, element=element, first=first)
    return KernelPlan(launch, grid_for(n, THREADS, CTAS), THREADS, (n, order, column.view(element), flags))


def lengths_plan(n: int, groups: Any, starts: Any, out: Any) -> KernelPlan:
    """out[g] = places of each run."""
    return KernelPlan(using(run_lengths), grid_for(n, THREADS, CTAS), THREADS, (n, groups, starts, out))


def numbers_plan(n: int, groups: Any, starts: Any, order: Any, numbers: Any) -> KernelPlan:
    """numbers[:n], by row."""
    return KernelPlan(using(run_numbers), grid_for(n, THREADS, CTAS), THREADS, (n, groups, starts, order, numbers))


def divide_plan(n: int, groups: Any, starts: Any, sums: Any) -> KernelPlan:
    """sums[g] /= places of each run."""
    return KernelPlan(using(divide_by_lengths), grid_for(n, THREADS, CTAS), THREADS, (n, groups, starts, sums))


def choose_plan(n: int, groups: Any, starts: Any, order: Any, split: int, flags: Any, *, kind: str) -> KernelPlan:
    """flags[:n], of which those from groups[0] on are 0."""
    launch = using(choose_runs, kind=kind)
    return KernelPlan(launch, grid_for(n, THREADS, CTAS), THREADS, (n, groups, starts, order, split, flags))


def _runs(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Starts of runs of random lengths, of which the longest has half of all places; and an order."""
    import numpy as np

    starts = np.sort(rng.choice(max(1, n // 2), max(1, n // 8), replace=False)) if n else np.zeros(0)
    if n:
        starts[0] = 0
    return starts.astype(np.uint32), rng.permutation(n).astype(np.uint32)


def _padded(values: Any, n: int, element: type[Value]) -> HostArray:
    """An array of n elements that begins with these."""
    import numpy as np

    found = np.zeros(n, numpy_name(element.isa))
    found[: len(values)] = values
    return HostArray(found, element)


def _mark_case(n: int, rng: np.random.Generator, *, element: type[Integer], first: bool) -> Case:
    import numpy as np

    column = rng.integers(0, 3, n).astype(numpy_name(element.isa))
    order = rng.permutation(n).astype(np.uint32)
    flags = np.full(n, 9, np.uint8) if first else rng.integers(0, 2, n).astype(np.uint8)
    changes = np.ones(n, np.uint8)
    changes[1:] = np.diff((np.sort(column) if first else column[order]).astype(np.int64)) != 0
    column = np.sort(column) if first else column
    return Case(
        arrays={"order": HostArray(order, u32), "column": HostArray(column, element), "flags": HostArray(flags, u8)},
        plan=lambda on: mark_plan(n, on["order"], on["column"], on["flags"], first=first),
        expected={"flags": changes if first else changes | flags},
        tolerance=EXACT,
    )


def _lengths_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    starts, _ = _runs(n, rng)
    return Case(
        arrays={
            "groups": HostArray(np.array([len(starts)], np.uint32), u32), "starts": _padded(starts, n, u32),
            "out": _padded([], n, u32),
        },
        plan=lambda on: lengths_plan(n, on["groups"], on["starts"], on["out"]),
        expected={"out": _padded(np.diff(starts, append=np.uint32(n)), n, u32).values},
        tolerance=EXACT,
    )  # fmt: skip


def _divide_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    starts, _ = _runs(n, rng)
    sums = rng.integers(-1000, 1000, len(starts)).astype(np.float64)
    return Case(
        arrays={
            "groups": HostArray(np.array([len(starts)], np.uint32), u32), "starts": _padded(starts, n, u32),
            "sums": _padded(sums, n, f64),
        },
        plan=lambda on: divide_plan(n, on["groups"], on["starts"], on["sums"]),
        expected={"sums": _padded(sums / np.diff(starts, append=np.uint32(n)), n, f64).values},
        tolerance=EXACT,
    )  # fmt: skip


def _numbers_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    starts, order = _runs(n, rng)
    numbers = np.zeros(n, np.uint32)
    numbers[order] = np.searchsorted(starts, np.arange(n), side="right") - 1
    return Case(
        arrays={
            "groups": HostArray(np.array([len(starts)], np.uint32), u32), "starts": _padded(starts, n, u32),
            "order": HostArray(order, u32), "numbers": _padded([], n, u32),
        },
        plan=lambda on: numbers_plan(n, on["groups"], on["starts"], on["order"], on["numbers"]),
        expected={"numbers": numbers},
        tolerance=EXACT,
    )  # fmt: skip


def _choose_case(n: int, rng: np.random.Generator, *, kind: str) -> Case:
    import numpy as np

    starts, order = _runs(n, rng)
    split = n // 3
    ends = np.append(starts[1:], np.uint32(n)) if n else starts
    for start, end in zip(starts, ends):
        order[start:end].sort()
    left, right = (order[starts] < split, order[ends - 1] >= split) if n else (starts > 0, starts > 0)
    chosen = {"union": left | right, "intersection": left & right, "difference": left & ~right}[kind]
    return Case(
        arrays={
            "groups": HostArray(np.array([len(starts)], np.uint32), u32), "starts": _padded(starts, n, u32),
            "order": HostArray(order, u32), "flags": HostArray(np.full(n, 9, np.uint8), u8),
        },
        plan=lambda on: choose_plan(n, on["groups"], on["starts"], on["order"], split, on["flags"], kind=kind),
        expected={"flags": _padded(chosen, n, u8).values},
        tolerance=EXACT,
    )  # fmt: skip


_SIZES = (0, 1, 15, 100, 5000)


def _mark(element: type[Integer], *, first: bool) -> Variant:
    how: dict[str, Any] = {"element": element, "first": first}
    name = f"mark.{element.isa.name}" + ".first" * first
    return Variant("segments", name, using(mark_changes, **how), partial(_mark_case, **how), _SIZES)


VARIANTS = (
    _mark(u32, first=True),
    _mark(u8, first=False),
    _mark(u64, first=False),
    Variant("segments", "lengths", using(run_lengths), _lengths_case, _SIZES),
    Variant("segments", "divide", using(divide_by_lengths), _divide_case, _SIZES),
    Variant("segments", "numbers", using(run_numbers), _numbers_case, _SIZES),
    *(
        Variant("segments", kind, using(choose_runs, kind=kind), partial(_choose_case, kind=kind), _SIZES)
        for kind in KINDS
    ),
)
