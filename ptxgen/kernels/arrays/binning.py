"""counts[channel, b] += how many elements of a channel lie in bin b: bins between edges, or one a value; any number of bins.

Shapes: x[n, channels] of integers of 8 to 64 bits, f16, f32 or f64; edges[bins + 1], ascending, of `wide_of(element)`;
counts[active, bins] of u32, of the first `active` channels. Bin b holds edges[b] <= x < edges[b + 1], and the last one its upper
edge too where it is `closed`; a NaN lies in none. Of bins that are one a value (`way="values"`, unsigned integers), b holds
x == b. The kernel adds to what `counts` holds; sums of integers make the result independent of all order.

`way="ranges"` searches the edges by halving, or for many elements with a grid over them (edge_grid.py), which takes half the
time on an H200. `way="even"` computes the bin from the distance to the first edge, and then corrects it by the edges: so the
result is that of the edges, as numpy's is, whatever the rounding. The first edge and bins a unit lie behind the edges, in two
words of `real_of(element)`, so that a launch serves any range.

Floor: every value is read once, 2^28 f32 at an H200's 4.3 TB/s take 0.25 ms. Counters lie in shared memory, as many `copies` of
them as fit into ROOM, of which a lane uses its own; where not even one fits, they are those in global memory, and so are edges.
`histogram.py` counts values of few bins in one channel, with nothing to search.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f16, f32, f64, kernel, ptr, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.edge_grid import CELLS, NO_CELLS, Cells, build_grid, cells_of, search_in_grid
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.tiles import as_vectors, load, tail, vector_tiles
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "Layout", "layout_of", "plan", "real_of", "wide_of"]

E = TypeVar("E", bound=Value)
W = TypeVar("W", bound=Value)
F = TypeVar("F", bound=Value)

THREADS = 512
UNROLL = 4
CTAS = 528
"""Four CTAs on each of an H200's 132 SMs. On other devices a matter of speed alone."""
ROOM = 32 << 10
"""Bytes of copies of the counters: a lane has one of its own where they fit, or shares it with few others."""


TOGETHER = 4
"""Elements of a thread whose cells are looked up together."""
MANY = 1 << 18
"""Elements from which on a grid over the edges, which each CTA makes, is worth it."""


class Layout(NamedTuple):
    """What lies in a CTA's shared memory: `copies` of the counters, 0 for none, the edges, and a grid over them."""

    copies: int
    edges: bool
    grid: bool
    nbytes: int


def wide_of(element: type[Value]) -> type[Value]:
    """The type of edges: one that holds what lies beside the narrower types' ends."""
    isa = element.isa
    if isa.is_float:
        return f32 if isa.bits <= 32 else f64
    return s32 if isa.bits <= 16 else s64 if isa.bits == 32 else element


def padded(place: Any) -> Any:
    """Where an edge lies in shared memory: a search by halving reads places whose distances are powers of two, which would all be
    in one bank."""
    return place + (place >> 5)


def real_of(element: type[Value]) -> type[Value]:
    """The type that an even bin, or a cell of a grid, is computed in."""
    return f64 if element.isa.bits == 64 else f32


@kernel(max_threads=THREADS)
def binning(
    k: Builder, n: u64, bins: u32, x: ptr[E], edges: ptr[W], counts: ptr[u32], low: F, scale: F, shift: u32,
    closed: u32, *, element: type[E], wide: type[W], real: type[F], way: str, cells: str, channels: int, active: int,
    copies: int, near_edges: bool, vector: int,
) -> None:  # fmt: skip
    """In shared memory the grid, if there is one, with `cells` of a kind; the edges, where these are near; and `copies` of the
    counters. `vector` elements an access, of one channel, to which x is aligned. `low`, `scale` and `shift` say where the cells
    are (see `Cells`)."""
    grid = k.dynamic_shared(u32).pointer
    shared = k.dynamic_shared(wide).pointer.at(CELLS * 4 // wide.isa.bytes if cells else 0)
    mine = (shared.at(padded(bins + 1)) if near_edges else shared).cast(u32)
    all_ = bins * active
    if near_edges:
        for i in k.range(k.tid.x, bins + 1, k.ntid.x):
            shared[padded(i)] = edges[i]
    if copies:
        for i in k.range(k.tid.x, all_ * copies, k.ntid.x):
            mine[i] = 0
    k.barrier()
    bounds: Callable[[Any], Any] = (lambda i: shared[padded(i)]) if near_edges else edges.__getitem__
    own: Any = mine.at(k.lane % copies) if copies else counts
    if cells:
        word_of = build_grid(k, grid, cells, bins, bounds, real, (low, scale, shift))
        find = _in_grid(k, bins, bounds, wide, word_of, closed)
    else:
        find = _finder(k, way, bins, bounds, wide, edges.at(bins + 1).cast(real), closed)

    def count(values: list[Any], channels: list[int]) -> None:
        # values are searched for together, so that loads overlap; where a guess is near, fewer registers are faster
        together = len(values) if way == "ranges" and not cells else TOGETHER if cells else 1
        for first in range(0, len(values), together):
            found = find(values[first : first + together])
            for (inside, place), channel in zip(found, channels[first:]):
                with k.pred(inside):
                    k.reduce_add(own, (place + bins * channel if channel else place) * max(copies, 1), 1)

    if channels == 1:
        tile = THREADS * UNROLL * vector
        for first in vector_tiles(k, n, tile, THREADS * UNROLL):
            place = as_vectors(x, vector).at(first)
            count([each for j in range(UNROLL) for each in load(place, j * THREADS)], [0] * UNROLL * vector)
        for i in tail(k, n, tile):
            count([x[i]], [0])
    else:
        for i in k.range(k.global_id.x.to(u64), n, k.grid_size.x.to(u64)):
            pixel = x.at(i * channels)
            count([pixel[c] for c in range(active)], list(range(active)))
    if copies:
        k.barrier()
        first_copy = k.lane // (WARP // copies)  # neighbouring lanes begin with copies in different banks
        for b in k.range(k.tid.x, all_, k.ntid.x):
            total = k.var(u32, 0)
            for c in range(copies):
                total += mine[b * copies + (first_copy + c) % copies]
            with k.if_(total != 0):
                k.reduce_add(counts, b, total)


def _finder(
    k: Builder,
    way: str,
    bins: Any,
    bounds: Callable[[Any], Any],
    wide: type[Value],
    behind: Any,
    closed: Any,
) -> Callable[[list[Any]], list[tuple[Any, Any]]]:
    """values -> of each, (whether it lies in a bin, which). `behind` the edges of even bins are the first one and bins a unit."""
    if way == "values":
        return lambda values: [(value.to(u64) < bins.to(u64), value.to(u32)) for value in values]
    is_inside = _bounded(bounds(0), bounds(bins), closed)
    low, scale = (behind[0], behind[1]) if way == "even" else (None, None)

    def find(values: list[Any]) -> list[tuple[Any, Any]]:
        given = [value.to(wide) for value in values]
        inside = list(map(is_inside, given))
        places = [k.var(u32, 0) for _ in given]
        if way == "ranges":
            step = k.var(u32, k.const(u32, 1 << 31) >> k.clz(bins))  # the largest power of two up to the bins
            with k.while_(partial(step.__ne__, 0)):
                there = [k.min(place + step, bins - 1) for place in places]
                reached = [each >= bound for each, bound in zip(given, [bounds(place) for place in there])]
                for place, next_, condition in zip(places, there, reached):
                    with k.pred(condition):
                        place.set(next_)
                step.set(step >> 1)
        else:
            for each, place, condition in zip(given, places, inside):
                with k.if_(condition):
                    _even(k, each, place, bins, bounds, ((each.to(behind.element) - low) * scale).to(u32))
        return list(zip(inside, places))

    return find


def _in_grid(
    k: Builder, bins: Any, bounds: Callable[[Any], Any], wide: type[Value], word_of: Callable[[Any], Any], closed: Any
) -> Callable[[list[Any]], list[tuple[Any, Any]]]:
    """As `_finder` gives it, by a grid."""
    is_inside = _bounded(bounds(0), bounds(bins), closed)

    def find(values: list[Any]) -> list[tuple[Any, Any]]:
        given = [value.to(wide) for value in values]
        words = [word_of(value) for value in values]
        inside = list(map(is_inside, given))
        return [(here, at - 1) for here, at in zip(inside, search_in_grid(k, words, given, bounds))]

    return find


def _bounded(first: Any, last: Any, closed: Any) -> Callable[[Any], Any]:
    """Whether an element lies between the first and the last edge."""
    return lambda each: (each >= first) & ((each < last) | ((each == last) & (closed != 0)))


def _even(k: Builder, value: Any, place: Any, bins: Any, bounds: Callable[[Any], Any], guess: Any) -> None:
    """Set the place to the bin that a guess is near to."""
    place.set(k.min(guess, bins - 1))
    with k.while_(lambda: (place > 0) & (value < bounds(place))):
        place.set(place - 1)
    with k.while_(lambda: (place < bins - 1) & (value >= bounds(k.min(place + 1, bins)))):
        place.set(place + 1)


KERNEL = binning


def layout_of(bins: int, active: int, wide: type[Value], room: int, *, edges: bool, grid: bool = False) -> Layout:
    """What fits into `room` bytes of shared memory: counters first, then edges, then a grid, if it is wanted."""
    counters = 4 * bins * active
    beside = padded(bins + 1) * wide.isa.bytes if edges else 0
    if counters > room:
        alone = edges and beside <= min(room, ROOM)
        return Layout(0, alone, False, beside if alone else 0)
    near = edges and counters + beside <= room
    held = beside * near
    grid = grid and near and counters + held + 4 * CELLS <= room
    held += 4 * CELLS * grid
    copies = WARP
    while copies > 1 and (counters * copies > ROOM or counters * copies + held > room):
        copies //= 2
    return Layout(copies, near, grid, counters * copies + held)


def plan(
    n: int, bins: int, x: Any, edges: Any, counts: Any, *, element: type[Value], way: str, closed: bool = False,
    cells: Cells = NO_CELLS, channels: int = 1, active: int = 1, room: int = 48 << 10,
    layout: Layout | None = None, vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """Count x[:n] (n of several channels' elements each). `room`: bytes of shared memory that a CTA may have. `edges` stand for
    nothing where the bins are values; `cells` are those of ranges."""
    wide, real = wide_of(element), real_of(element)
    found = layout or layout_of(
        bins, active, wide, room, edges=way != "values", grid=cells.kind != "" and n * channels >= MANY
    )
    if not found.grid:
        cells = NO_CELLS
    if vector is None:
        vector = widest_vector(element.isa.bytes, common_alignment(x)) if channels == 1 else 1
    launch = using(
        binning, element=element, wide=wide, real=real, way=way, cells=cells.kind, channels=channels, active=active,
        copies=found.copies, near_edges=found.edges, vector=vector,
    )  # fmt: skip
    return KernelPlan(
        launch, grid_for(n, THREADS * UNROLL * vector, CTAS), THREADS,
        (n, bins, x, edges, counts, cells.low, cells.scale, cells.shift, int(closed)), shared=found.nbytes,
    )  # fmt: skip


# Cases


def _case(
    size: tuple[int, int], rng: np.random.Generator, *, element: type[Value], way: str, channels: int, active: int, copies: int,
    cells: str,
) -> Case:  # fmt: skip
    """Values around the edges, and on them; some lie in no bin."""
    import numpy as np

    n, bins = size
    kind, wide = np.dtype(numpy_name(element.isa)), wide_of(element)
    at = np.dtype(numpy_name(wide.isa))
    top = min(3 * bins + 9, 120 if kind.itemsize == 1 else 30000)
    steps = np.sort(rng.integers(1, top, bins + 1)) if way == "ranges" else np.linspace(1, top - 1, bins + 1)
    edges = (steps if kind.kind == "f" else np.ceil(steps)).astype(kind).astype(at)
    values = rng.integers(0, top + 5, (n, channels)).astype(kind)
    if kind.kind == "f":
        values[rng.random(values.shape) < 0.1] = np.nan
        values = (values + rng.choice([0, 0.25], values.shape)).astype(kind)
    if way == "values":
        expected = np.stack([np.bincount(values[:, c], minlength=bins)[:bins] for c in range(active)])
    else:
        shown = np.where(np.isnan(values), -1, values) if kind.kind == "f" else values
        expected = np.stack([np.histogram(shown[:, c].astype("f8"), edges.astype("f8"))[0] for c in range(active)])
    copied, near = max(copies, 0), way != "values" and copies > 0
    grid = cells_of(edges.tolist(), real_of(element))._replace(kind=cells) if cells else NO_CELLS
    held = padded(bins + 1) * at.itemsize * near + 4 * CELLS * bool(cells)
    layout = Layout(copied, near, bool(cells), 4 * copied * bins * active + held)
    behind = np.zeros(2, at)
    behind.view(numpy_name(real_of(element).isa))[:2] = edges[0], bins / (float(edges[-1] - edges[0]) or 1.0)
    return Case(
        arrays={
            "x": HostArray(values, element), "edges": HostArray(np.append(edges, behind), wide),
            "counts": HostArray(np.full((active, bins), 3, np.uint32), u32),
        },
        plan=lambda on: plan(
            n, bins, on["x"], on["edges"], on["counts"], element=element, way=way, closed=True, cells=grid, channels=channels,
            active=active, layout=layout,
        ),
        expected={"counts": (expected + 3).astype(np.uint32)},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(
    element: type[Value], way: str, bins: int, *, copies: int, channels: int = 1, active: int = 1, cells: str = ""
) -> Variant:
    vector = 16 // element.isa.bytes if channels == 1 else 1
    chosen: dict[str, Any] = {"element": element, "way": way, "channels": channels, "active": active, "copies": copies}
    chosen["cells"] = cells
    launch = using(
        binning, **chosen, wide=wide_of(element), real=real_of(element), vector=min(vector, 8),
        near_edges=way != "values" and copies > 0,
    )  # fmt: skip
    tile = THREADS * UNROLL * min(vector, 8)
    name = (
        f"{way}.{element.isa.name}"
        + f".{cells}" * bool(cells)
        + f".{active}-of-{channels}" * (channels > 1)
        + ".far" * (copies == 0)
    )
    return Variant(
        "binning", name, launch, partial(_case, **chosen), sizes=((0, bins), (1, 1), (1000, bins), (tile + 77, bins))
    )


VARIANTS = (
    _variant(f32, "even", 100, copies=8),
    _variant(f32, "ranges", 100, copies=8),
    _variant(f64, "even", 7, copies=32),
    _variant(f16, "ranges", 9, copies=16),
    _variant(u8, "even", 10, copies=32, channels=4, active=3),
    _variant(s32, "ranges", 33, copies=4),
    _variant(s64, "ranges", 70, copies=2, cells="logarithmic", channels=2, active=2),
    _variant(u32, "ranges", 70, copies=2, cells="linear", channels=3, active=2),
    _variant(u64, "even", 50, copies=1),
    _variant(u16, "values", 500, copies=0),
    _variant(f32, "even", 300, copies=0),
)
