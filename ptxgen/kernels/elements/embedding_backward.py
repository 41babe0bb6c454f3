"""out[v] = the sum of the rows i of g with indices[i] = v: the gradient of an embedding's table.

Indices become keys that a stable radix sort puts in order, with their places (`index_keys`); a thread a row of the table finds
its first by bisection (`embedding_begins`), and groups of threads add up rows of g in their order, in f32 (`embedding_sums`). So
every run gives the same bits, and a row that no index names becomes zeros. An index that is no row counts nowhere.

Shapes: indices[count] of s64 or s32 -> keys[count], numbers[count] of u32; keys in order -> begins[rows + 1] of u32; g[count,
columns] of f32, bf16 or f16, rows any number of elements apart, numbers in the keys' order -> out[rows, columns] of g's type
or f32.

Floor: g is read and out written, once each. A row of the table is one group of threads' work, however often it is named: an index
that is a large part of all takes as long as one group needs to read its rows.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f32, kernel, ptr, s32, s64, u32, u64
from ptxgen.builder.values import Float, Integer
from ptxgen.kernels.blocks.tiles import as_vectors, load, store
from ptxgen.kernels.cases import EXACT, Case, HostArray, Tolerance, Variant, normal, unit_roundoff
from ptxgen.kernels.elements.embedding import places_of
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "KERNEL", "VARIANTS", "begins_plan", "embedding_begins", "embedding_sums", "index_keys", "keys_plan", "sums_plan",
]  # fmt: skip

N = TypeVar("N", bound=Integer)
E = TypeVar("E", bound=Float)
R = TypeVar("R", bound=Float)

THREADS = 256
UNROLL = 4
ACCESSES = 2
"""Of a thread to a row: most rows of a table have few rows of g, or none."""


@kernel(max_threads=THREADS)
def index_keys(
    k: Builder, count: u32, rows: u32, cleared: u32, indices: ptr[N], keys: ptr[u32], numbers: ptr[u32], scratch: ptr[u32],
    *, index: type[N],
) -> None:  # fmt: skip
    """keys[i] = indices[i], or `rows` where that is no row; numbers[i] = i; scratch[:cleared] = 0, for the sort behind it."""
    for i in k.range(k.global_id.x, count, k.grid_size.x):
        found = indices[i].to(s64).bits(u64)  # a negative one is far beyond the last row
        keys[i] = k.select(found < rows.to(u64), found.to(u32), rows)
        numbers[i] = i
    for i in k.range(k.global_id.x, cleared, k.grid_size.x):
        scratch[i] = 0


@kernel(max_threads=THREADS)
def embedding_sums(
    k: Builder, rows: u32, columns: u32, begins: ptr[u32], numbers: ptr[u32], g: ptr[E], step: u64, out: ptr[R],
    *, element: type[E], result: type[R], vector: int, lanes: int,
) -> None:  # fmt: skip
    """`lanes` threads a row of the table."""
    row = k.ctaid.x * (THREADS // lanes) + k.tid.x // lanes
    with k.if_(row < rows):
        begin, end = begins[row], begins[row + 1]
        target = as_vectors(out.at(row.to(u64) * columns.to(u64)), vector)
        for access in k.range(k.tid.x % lanes, columns // vector, lanes):
            total = [k.var(f32, 0.0) for _ in range(vector)]
            for i in k.range(begin, end, unroll=UNROLL):
                found = load(as_vectors(g.at(numbers[i].to(u64) * step), vector), access)
                for each, value in zip(total, found):
                    each += value.to(f32)
            store(target, access, [each.to(result) for each in total])


KERNEL = embedding_sums


@kernel(max_threads=THREADS)
def embedding_begins(k: Builder, count: u32, rows: u32, keys: ptr[u32], begins: ptr[u32]) -> None:
    """begins[row] = the first place at which a key in order is not below it, up to row `rows`."""
    row = k.global_id.x
    with k.if_(row <= rows):
        low, high = k.var(u32, 0), k.var(u32, count)
        with k.while_(lambda: low < high):
            middle = low + (high - low) // 2
            below = keys[middle] < row
            low.set(k.select(below, middle + 1, low))
            high.set(k.select(below, high, middle))
        begins[row] = low


def keys_plan(
    count: int, rows: int, indices: Any, keys: Any, numbers: Any, scratch: Any = 0, cleared: int = 0,
    *, index: type[Integer] = s64,
) -> KernelPlan:  # fmt: skip
    """Keys of indices, and `cleared` words of zeros."""
    arguments = (count, rows, cleared, indices, keys, numbers, scratch)
    return KernelPlan(using(index_keys, index=index), grid_for(max(count, cleared), THREADS, 1056), THREADS, arguments)


def begins_plan(count: int, rows: int, keys: Any, begins: Any) -> KernelPlan:
    """Where each row's keys begin, and where the last one's end."""
    return KernelPlan(embedding_begins, grid_for(rows + 1, THREADS), THREADS, (count, rows, keys, begins))


def sums_plan(
    rows: int, columns: int, begins: Any, numbers: Any, g: Any, step: int, out: Any, *, element: type[Float] = f32,
    result: type[Float] = f32, vector: int, lanes: int | None = None,
) -> KernelPlan:  # fmt: skip
    """`step`: elements from row to row of g."""
    if lanes is None:
        lanes = 1
        while lanes * vector * ACCESSES < columns and lanes < THREADS:
            lanes *= 2
    launch = using(embedding_sums, element=element, result=result, vector=vector, lanes=lanes)
    grid = max(1, ceil_div(rows, THREADS // lanes))
    return KernelPlan(launch, grid, THREADS, (rows, columns, begins, numbers, g, step, out))


def _keys_case(size: tuple[int, int], rng: np.random.Generator, *, index: type[Integer]) -> Case:
    import numpy as np

    count, rows = size
    indices = places_of(rng, count, rows, index)
    there = (indices.values >= 0) & (indices.values < rows)
    ones = HostArray(np.ones(count, np.uint32), u32)
    return Case(
        arrays={"indices": indices, "keys": ones, "numbers": ones, "scratch": HostArray(np.ones(100, np.uint32), u32)},
        plan=lambda on: keys_plan(
            count, rows, on["indices"], on["keys"], on["numbers"], on["scratch"], 70, index=index
        ),
        expected={
            "keys": np.where(there, indices.values, rows).astype(np.uint32),
            "numbers": np.arange(count, dtype=np.uint32),
            "scratch": (np.arange(100) >= 70).astype(np.uint32),
        },
        tolerance=EXACT,
    )


def _begins_case(size: tuple[int, int], rng: np.random.Generator) -> Case:
    import numpy as np

    count, rows = size
    keys = np.sort(rng.integers(0, rows + 1, count)).astype(np.uint32)
    return Case(
        arrays={"keys": HostArray(keys, u32), "begins": HostArray(np.zeros(rows + 1, np.uint32), u32)},
        plan=lambda on: begins_plan(count, rows, on["keys"], on["begins"]),
        expected={"begins": np.searchsorted(keys, np.arange(rows + 1)).astype(np.uint32)},
        tolerance=EXACT,
    )


def _sums_case(
    size: tuple[int, int, int],
    rng: np.random.Generator,
    *,
    element: type[Float],
    result: type[Float],
    vector: int,
    lanes: int,
) -> Case:
    import numpy as np

    count, rows, columns = size
    g = normal(rng, (count, columns), element)
    keys = np.where(np.arange(count) % 7 == 3, rows, rng.integers(0, max(rows, 1), count) // 2 * 2).astype(np.uint32)
    numbers = np.argsort(keys, kind="stable").astype(np.uint32)
    exact, sizes = np.zeros((rows + 1, columns)), np.zeros((rows + 1, columns))
    np.add.at(exact, keys, g.values.astype(np.float64))
    np.add.at(sizes, keys, abs(g.values.astype(np.float64)))
    limit = sizes * 2.0**-24 * count + abs(exact) * unit_roundoff(result)
    return Case(
        arrays={
            "g": g,
            "begins": HostArray(np.searchsorted(keys[numbers], np.arange(rows + 1)).astype(np.uint32), u32),
            "numbers": HostArray(numbers, u32),
            "out": normal(rng, (rows, columns), result),
        },
        plan=lambda on: sums_plan(
            rows, columns, on["begins"], on["numbers"], on["g"], columns, on["out"], element=element, result=result,
            vector=vector, lanes=lanes,
        ),
        expected={"out": exact[:rows]},
        tolerance=Tolerance(limit[:rows], "a rounding an addition, and one to the type"),
    )  # fmt: skip


def _sums_variant(element: type[Float], result: type[Float], vector: int, lanes: int, columns: int) -> Variant:
    given: dict[str, Any] = {"element": element, "result": result, "vector": vector, "lanes": lanes}
    return Variant(
        "embedding_backward",
        f"sums.{element.isa.name}.{result.isa.name}.lanes-{lanes}",
        using(embedding_sums, **given),
        partial(_sums_case, **given),
        sizes=((0, 3, columns), (1, 1, columns), (60, 9, columns)),
    )


VARIANTS = (
    Variant(
        "embedding_backward", "keys.s32", using(index_keys, index=s32), partial(_keys_case, index=s32), ((0, 5), (300, 9))
    ),
    Variant("embedding_backward", "begins", embedding_begins, _begins_case, ((0, 5), (300, 9), (70, 600))),
    _sums_variant(f32, f32, 4, 32, 136),
    _sums_variant(bf16, bf16, 1, 8, 21),
)  # fmt: skip
