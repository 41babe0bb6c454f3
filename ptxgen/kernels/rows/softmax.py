"""Softmax of every row of a matrix: y[r, c] = exp(x[r, c] - max_r) / sum_c exp(x[r, c] - max_r).

Shapes: x[rows, columns] -> y[rows, columns], row-major; f32, f16 or bf16, computed in f32. A row with a NaN or +inf, or of
nothing but -inf, becomes NaN, as the formula says.

Floor: each element is read once and written once. 65,536 rows of 1,024 f32 are 537 MB, 0.125 ms at an H200's 4.3 TB/s. So
a row stays in registers: `lanes` neighbouring threads hold it, `items` elements each, and all of a thread's 16-byte loads are
in flight before the first is used. With 32 lanes or fewer a row needs no shared memory and no barrier at all. A row too long
for the registers of a CTA (over 32,768 elements) is read twice: once for its maximum and its sum together, by the online
algorithm (Milakov and Gimelshein, 2018: the running sum is rescaled when the running maximum grows), and once to write; the
second reading mostly finds it in the L2 cache.

exp(x - m) is 2^((x - m) log2(e)): a subtraction, a product and one ex2.approx (2^-22.5, manual 9.7.3.21). Folding the product
into one fma with m log2(e) would save an instruction, and overflow for |m| over about 2^30, where that product's rounding error
alone is an exponent of 100.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, kernel, pred, ptr, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.collectives import WARP, fold, group_reduce
from ptxgen.kernels.blocks.tiles import as_vectors, load, load_where, store
from ptxgen.kernels.cases import Case, Tolerance, Variant, normal, smallest, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ptxgen.builder import DeviceArray

__all__ = ["KERNEL", "VARIANTS", "plan"]

E = TypeVar("E", bound=Float)

CTA = 128
"""Threads of a CTA whose rows fit in warps; a longer row has a CTA of its own."""
LOG2E = math.log2(math.e)
LOWEST = -3.4028234663852886e38
"""The most negative finite f32: as a running maximum it lets -inf elements have the weight 2^-inf = 0, not NaN."""


def _threads(lanes: int, **_: Any) -> int:
    return lanes if lanes > WARP else CTA


@kernel(max_threads=_threads)
def softmax(
    k: Builder, rows: u32, columns: u32, x: ptr[E], y: ptr[E],
    *, element: type[E], lanes: int, items: int, vector: int = 1, online: bool = False,
) -> None:  # fmt: skip
    """`lanes` threads a row; `vector` elements an access: `columns` is a multiple of it, and the arrays are aligned to it.

    A thread holds `items` elements, so that columns <= lanes * items; `online`, it takes as many at a time.
    """
    row = k.ctaid.x * (_threads(lanes) // lanes) + k.tid.x // lanes
    lane = k.tid.x % lanes
    start = row.to(u64) * columns.to(u64)
    source, target = as_vectors(x.at(start), vector), as_vectors(y.at(start), vector)
    scratch = _scratch(k, lanes)
    row_reduce = partial(group_reduce, k, threads=lanes, scratch=scratch)
    last = columns // vector
    own = row < rows
    if online:
        with k.if_(own):
            _online(k, element, source, target, lane, last, lanes, items // vector, row_reduce)
        return
    inside = [own & (lane + j * lanes < last) for j in range(items // vector)]
    values = _load_row(k, element, source.at(lane), inside, lanes, vector)
    largest = row_reduce("max", fold(k, "max", values))
    weights = [_weight(k, value, largest) for value in values]
    scale = k.rcp(row_reduce("sum", fold(k, "sum", weights)))
    _store_row(k, element, target.at(lane), inside, lanes, [weight * scale for weight in weights])


KERNEL = softmax


def _weight(k: Builder, value: f32, largest: f32) -> f32:
    """exp(value - largest)."""
    return k.exp2((value - largest) * LOG2E)


def _scratch(k: Builder, lanes: int) -> Callable[[], DeviceArray[f32]]:
    """A fresh array of a value a warp at every call: two reductions then need no barrier between them."""
    return lambda: k.shared(f32, lanes // WARP)


def _load_row(k: Builder, element: Any, source: Any, inside: list[pred], lanes: int, vector: int) -> list[f32]:
    """This thread's elements as f32; -inf, which weighs nothing, where the row has ended."""
    loaded = []
    for j, condition in enumerate(inside):
        raw = [k.var(element, -math.inf) for _ in range(vector)]
        load_where(k, condition, source, j * lanes, raw)
        loaded += raw
    return [value.to(f32) for value in loaded]


def _store_row(k: Builder, element: Any, target: Any, inside: list[pred], lanes: int, values: list[f32]) -> None:
    vector = len(values) // len(inside)
    for j, condition in enumerate(inside):
        narrow = [value.to(element) for value in values[j * vector : (j + 1) * vector]]
        with k.pred(condition):
            store(target, j * lanes, narrow)


def _online(
    k: Builder, element: Any, source: Any, target: Any, lane: u32, last: u32, lanes: int, accesses: int, row_reduce: Any
) -> None:
    """Rows of any length: one pass for maximum and sum, one to write."""
    largest, total = k.var(f32, LOWEST), k.var(f32, 0.0)

    def absorb(first: Any, count: int) -> None:
        values = [v.to(f32) for j in range(count) for v in load(source.at(first), j * lanes)]
        new = k.max(largest, fold(k, "max", values))
        weights = [_weight(k, value, new) for value in values]
        total.set(k.fma(total, _weight(k, largest, new), fold(k, "sum", weights)))
        largest.set(new)

    step = lanes * accesses
    whole = last // step * step
    for base in k.range(0, whole, step):
        absorb(base + lane, accesses)
    for rest in k.range(whole + lane, last, lanes):
        absorb(rest, 1)

    row_max = row_reduce("max", largest)
    scale = k.rcp(row_reduce("sum", total * _weight(k, largest, row_max)))
    for i in k.range(lane, last, lanes, unroll=accesses):
        weights = [_weight(k, value.to(f32), row_max) * scale for value in load(source, i)]
        store(target, i, [weight.to(element) for weight in weights])


def plan(
    rows: int, columns: int, x: Any, y: Any, *, element: type[Float] = f32,
    lanes: int | None = None, items: int | None = None, vector: int | None = None, online: bool | None = None,
) -> KernelPlan:  # fmt: skip
    """y = softmax of the rows of x. The fewest lanes that hold a row at up to 32 elements each; past 1,024 lanes, online."""
    wide = vector or widest_vector(element.isa.bytes, common_alignment(x, y), columns)
    if lanes is None or items is None or online is None:
        lanes, items, online = _layout(columns, wide)
    launch = using(softmax, element=element, lanes=lanes, items=items, vector=wide, online=online)
    block = _threads(lanes)
    return KernelPlan(launch, grid_for(rows, block // lanes), block, (rows, columns, x, y))


def _layout(columns: int, vector: int) -> tuple[int, int, bool]:
    """(lanes, items, online) for a row: 8 to 32 elements a thread, powers of two, so that few variants serve all lengths."""
    lanes, items = 1, max(8, vector)
    while lanes * items < columns and lanes < WARP:
        lanes *= 2
    while lanes * items < columns and items < 32:
        items *= 2
    while lanes * items < columns and lanes < 1024:
        lanes *= 2
    return (lanes, items, False) if lanes * items >= columns else (512, 4 * max(vector, 2), True)


def _case(
    size: tuple[int, int],
    rng: np.random.Generator,
    *,
    element: type[Float],
    lanes: int,
    items: int,
    vector: int,
    online: bool,
) -> Case:
    import numpy as np

    rows, columns = size
    x = normal(rng, size, element, scale=4.0)
    wide = x.values.astype(np.float64)
    weights = np.exp(wide - wide.max(axis=1, keepdims=True)) if columns else wide
    exact = weights / weights.sum(axis=1, keepdims=True)
    # Relative error of a weight: that of ex2, and three roundings of an exponent of up to 64 in size; the sum adds its depth,
    # log2(columns) roundings where it is a tree and columns/lanes where it is a loop.
    u = 2.0**-24
    depth = 20 + (columns // lanes if online else 0)
    limit = exact * (u * (4 + 3 * 64 + depth) + unit_roundoff(element)) + smallest(element)
    return Case(
        arrays={"x": x, "y": normal(rng, size, element)},
        plan=lambda on: plan(
            rows, columns, on["x"], on["y"],
            element=element, lanes=lanes, items=items, vector=vector, online=online,
        ),
        expected={"y": exact},
        tolerance=Tolerance(limit, "2 ulp of ex2.approx (manual 9.7.3.21), the roundings of exponent and sum, one to the type"),
    )  # fmt: skip


def _variant(
    name: str,
    element: type[Float],
    lanes: int,
    items: int,
    vector: int,
    columns: tuple[int, ...],
    *,
    online: bool = False,
) -> Variant:
    chosen: dict[str, Any] = {"lanes": lanes, "items": items, "vector": vector, "online": online}
    per_cta = ceil_div(_threads(lanes), lanes)
    sizes = [(0, columns[0]), (1, columns[0]), *((per_cta + 1, n) for n in columns)]
    return Variant(
        "softmax",
        name,
        using(softmax, element=element, **chosen),
        partial(_case, element=element, **chosen),
        sizes=tuple(sizes),
    )


VARIANTS = (
    _variant("f32.columns-128", f32, 32, 4, 4, (4, 100, 128)),
    _variant("f32.columns-1024", f32, 32, 32, 4, (4, 1000, 1024)),
    _variant("f32.columns-1000.scalar", f32, 32, 32, 1, (1, 33, 999)),
    _variant("f32.columns-8192", f32, 256, 32, 4, (36, 5000, 8192)),
    _variant("f32.online", f32, 512, 16, 4, (4, 9000, 40000), online=True),
    _variant("f16.columns-16", f16, 2, 8, 8, (8, 16)),
    _variant("f16.columns-1024", f16, 32, 32, 8, (8, 1000, 1024)),
    _variant("bf16.columns-1024", bf16, 32, 32, 8, (8, 1000, 1024)),
    _variant("bf16.online", bf16, 512, 32, 8, (8, 40000), online=True),
)
