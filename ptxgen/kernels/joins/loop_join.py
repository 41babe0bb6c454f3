"""Nested-loop join: every pair of rows of two columns that a comparison holds for, also where it is not equality.

`count_pairs` counts each probe row's pairs, a scan of the counts gives each row its place, `write_pairs` goes through the build
side again and writes. A CTA takes a tile of probe rows, a thread each, and brings the build side through shared memory tile
by tile. Pairs are in order of the probe rows, and those of a row in order of the build rows: the same in every run.

Shapes: probe[n] and build[m] of integers of 8 to 64 bits, f16, f32 or f64; counts[n], places[n], left and right of u32; total[1]
of u64. Comparisons are those of numbers: 0.0 equals -0.0, and a NaN nothing.

Floor: n*m comparisons twice over; at one a lane and clock, 132 SMs of 128 lanes at 1.7 GHz do 2.9 * 10^13 a second. Equality
is what hash_join is for.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, kernel, ptr, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.select import holds
from ptxgen.kernels.blocks.collectives import WARP, group_reduce
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import NO_ROW
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "count_plan", "write_plan"]

E = TypeVar("E", bound=Value)

TILE = 256
"""Threads of a CTA: a probe row each, and build rows in shared memory."""
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""


def _pairs(
    k: Builder, probe: Any, n: Any, row: Any, build: Any, m: Any, element: type[Value], op: str, found: Callable[[Any, Any], None]
) -> None:  # fmt: skip
    """`found(predicate, build row)` for every build row, with the thread's probe row. The whole CTA calls it."""
    staged = k.shared(element, TILE, name="build_tile")
    own, inside = k.var(element, 0), row < n
    with k.pred(inside):
        own.set(probe[row])
    for begin in k.range(0, m, TILE):
        k.barrier()
        with k.if_(begin + k.tid.x < m):
            staged[k.tid.x] = build[begin + k.tid.x]
        k.barrier()
        for i in k.range(0, k.min(m - begin, TILE)):
            found(holds(op, own, staged[i]) & inside, begin + i)


@kernel(threads=TILE)
def count_pairs(
    k: Builder, n: u32, probe: ptr[E], m: u32, build: ptr[E], counts: ptr[u32], total: ptr[u64], *, element: type[E], op: str
) -> None:  # fmt: skip
    """counts[row] = how many build rows there are with `probe[row] OP build`; total += all counts, in 64 bits."""
    own = k.var(u64, 0)
    for first in k.range(k.ctaid.x * TILE, n, k.nctaid.x * TILE):
        row, count = first + k.tid.x, k.var(u32, 0)

        def note(holds_: Any, _: Any, count: Any = count) -> None:
            with k.pred(holds_):
                count.set(count + 1)

        _pairs(k, probe, n, row, build, m, element, op, note)
        with k.if_(row < n):
            counts[row] = count
        own += count.to(u64)
    sums = k.shared(u64, TILE // WARP, name="sums")
    whole = group_reduce(k, "sum", own, TILE, lambda: sums)
    with k.if_((k.tid.x == 0) & (whole != 0)):
        k.reduce_add(total, 0, whole)


@kernel(threads=TILE)
def write_pairs(
    k: Builder, n: u32, probe: ptr[E], m: u32, build: ptr[E], places: ptr[u32], total: ptr[u64], capacity: u32,
    left: ptr[u32], right: ptr[u32], *, element: type[E], op: str,
) -> None:  # fmt: skip
    """The pairs of each probe row from its place on; what would lie past `capacity` is not written. Of 2^32 pairs and more
    nothing is: the places, of 32 bits, mean nothing then."""
    with k.if_(total[0] > NO_ROW):
        k.return_()
    for first in k.range(k.ctaid.x * TILE, n, k.nctaid.x * TILE):
        row, place = first + k.tid.x, k.var(u32, 0)
        with k.pred(row < n):
            place.set(places[row])

        def write(holds_: Any, build_row: Any, row: Any = row, place: Any = place) -> None:
            with k.if_(holds_):
                with k.if_(place < capacity):
                    left[place] = row
                    right[place] = build_row
                place.set(place + 1)

        _pairs(k, probe, n, row, build, m, element, op, write)


KERNEL = count_pairs


def count_plan(
    n: int, probe: Any, m: int, build: Any, counts: Any, total: Any, *, element: type[Value], op: str
) -> KernelPlan:  # fmt: skip
    """The pairs of n probe rows with m build rows; `total`, one u64, is zero before."""
    launch = using(count_pairs, element=element, op=op)
    return KernelPlan(launch, grid_for(n, TILE, CTAS), TILE, (n, probe, m, build, counts, total))


def write_plan(
    n: int, probe: Any, m: int, build: Any, places: Any, total: Any, capacity: int, left: Any, right: Any, *,
    element: type[Value], op: str,
) -> KernelPlan:  # fmt: skip
    """The pairs; `places` is the exclusive scan of the counts."""
    launch = using(write_pairs, element=element, op=op)
    arguments = (n, probe, m, build, places, total, capacity, left, right)
    return KernelPlan(launch, grid_for(n, TILE, CTAS), TILE, arguments)


def _case(n: int, rng: np.random.Generator, *, element: type[Value], op: str, write: bool) -> Case:
    """n probe rows and n/2 + 1 build rows of few values; the last quarter of the pairs does not fit."""
    import numpy as np

    probe, build = (rng.integers(0, 6, size).astype(numpy_name(element.isa)) for size in (n, n // 2 + 1))
    if element.isa.is_float:
        probe[::5] = np.nan
    ufunc = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
    matches = getattr(np, ufunc[op])(probe[:, None], build[None, :])
    counts = matches.sum(axis=1).astype(np.uint32)
    left, right = np.nonzero(matches)
    total, capacity = len(left), len(left) - len(left) // 4
    written = np.arange(total) < capacity
    arrays = {
        "probe": HostArray(probe, element), "build": HostArray(build, element),
        "counts": HostArray(np.full(n, 7, np.uint32), u32),
        "places": HostArray((np.cumsum(counts) - counts).astype(np.uint32), u32),
        "total": HostArray(np.array([total if write else 0], np.uint64), u64),
        "left": HostArray(np.full(total, 7, np.uint32), u32), "right": HostArray(np.full(total, 7, np.uint32), u32),
    }  # fmt: skip

    def launch(on: Any) -> KernelPlan:
        sides = (n, on["probe"], len(build), on["build"])
        if not write:
            return count_plan(*sides, on["counts"], on["total"], element=element, op=op)
        results = (on["total"], capacity, on["left"], on["right"])
        return write_plan(*sides, on["places"], *results, element=element, op=op)

    expected = {
        "left": np.where(written, left, 7).astype(np.uint32), "right": np.where(written, right, 7).astype(np.uint32),
    }  # fmt: skip
    if not write:
        expected = {"counts": counts, "total": np.array([total], np.uint64)}
    return Case(arrays=arrays, plan=launch, expected=expected, tolerance=EXACT)


_SIZES = (0, 1, 100, 2 * TILE + 7)


def _variant(element: type[Value], op: str, *, write: bool) -> Variant:
    how: dict[str, Any] = {"element": element, "op": op}
    name = f"{'write' if write else 'count'}.{op}.{element.isa.name}"
    case = partial(_case, write=write, **how)
    return Variant("loop_join", name, using(write_pairs if write else count_pairs, **how), case, _SIZES)


VARIANTS = tuple(
    _variant(element, op, write=write)
    for element, op in ((u32, "lt"), (f32, "ne"), (u8, "eq"))
    for write in (False, True)
)
