"""Reduction of the segments of an array, pieces between offsets, at the speed of reading it: sum, minimum or maximum.

Each warp takes a piece of the array and walks along the offsets in it. As far as no segment ends, lanes add up vectors, and
nothing else is done; where one ends, the lanes' totals are brought together. Where ends are close together, each lane takes a
segment of its own. `segmented_reduce` writes the segments that lie in one piece, and of each piece two parts: that of the segment
that it ends first, if this began in an earlier piece, and that of the one which it leaves open. `join_pieces` puts such
segments together, in the order of the pieces: the same bits in every run.

Shapes: x[n], offsets[segments + 1] of u32, ascending; an offset beyond n counts as n -> y[segments]. What lies before the first
offset or behind the last is of no segment. Elements are integers of 8 to 64 bits, f16, f32 and f64; narrower ones than 32 bits
are computed in 32, and reduced to these. heads[pieces] and tails[pieces] of what is computed in, ended[pieces] of u32.

Floor: elements are read once, and offsets and results take 8 bytes a segment; 2^27 u32 at an H200's 4.3 TB/s take 0.13 ms.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f16, kernel, ptr, u32
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.prefix import computed
from ptxgen.kernels.arrays.segmented_scan import first_offset
from ptxgen.kernels.blocks.collectives import WARP, combine, fold, identity, warp_reduce
from ptxgen.kernels.blocks.tiles import as_vectors, load, load_where
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, integers
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder import Kernel

__all__ = ["KERNEL", "VARIANTS", "pieces_of", "plans"]

E = TypeVar("E", bound=Value)
R = TypeVar("R", bound=Value)

THREADS = 256
WARPS = THREADS // WARP
UNROLL = 4
"""Vectors that a thread reads together."""
PIECE = 8192
"""Elements of a warp at most, and of fewer than fill the device a part."""
LEAST = 1024
RESIDENT = 132 * 8 * WARPS
"""Warps that an H200 runs at a time."""
NEAR = 64
"""Elements to the next end from which on lanes take segments of their own, WARP of them, of at most CLOSE elements in all."""
CLOSE = 1024
AHEAD = 8
"""Parts of a segment that a lane reads together."""
NONE = 0xFFFFFFFF
"""An offset that no element has; no segment."""


@kernel(threads=THREADS)
def segmented_reduce(
    k: Builder, n: u32, x: ptr[E], y: ptr[R], offsets: ptr[u32], segments: u32, size: u32, pieces: u32, heads: ptr[R],
    tails: ptr[R], ended: ptr[u32], *, element: type[E], result: type[R], op: str, vector: int,
) -> None:  # fmt: skip
    """A warp a piece of `size` elements. ended[piece]: the segment that heads[piece] is a part of, or NONE. Segments of nothing
    are written by all threads."""
    k.launch_dependents()
    nothing = identity(op, element)
    for s in k.range(k.global_id.x, segments, k.grid_size.x):
        with k.if_(k.min(offsets[s], n) >= k.min(offsets[s + 1], n)):
            y[s] = nothing
    piece = k.ctaid.x * WARPS + k.tid.x // WARP
    with k.if_(piece >= pieces):
        k.return_()
    begin = piece * size
    end = begin + k.min(n - begin, size)
    walk = _Walk(k, n, begin, y, offsets, segments, piece, heads, ended)
    total = k.var(result, nothing)
    with k.while_(lambda: walk.place < end):
        last = k.var(u32, NONE)
        with k.if_(walk.next - walk.place < NEAR):
            walk.close_together(op, x, result, end, last)
        with k.if_(last == NONE):
            stop = k.min(walk.next, end)
            total.set(nothing)
            with k.if_(stop > walk.place):
                _add_up(k, op, x, walk.place, stop, vector, total)
            total.set(warp_reduce(k, op, total))
            walk.place.set(stop)
            with k.if_(walk.next == stop):
                walk.close(walk.number - 1, total, k.lane == 0)
                walk.spans.set(0)
                walk.number.set(walk.number + 1)
                total.set(nothing)
                walk.read_next()
    with k.if_(k.lane == 0):
        tails[piece] = total


class _Walk:
    """A warp's way along the offsets in its piece: the `place` up to which it has come, the `number` of the next offset and where
    that is, `next`; whether the segment there `spans` pieces."""

    def __init__(
        self, k: Builder, n: u32, begin: u32, y: Any, offsets: Any, segments: u32, piece: u32, heads: Any, ended: Any
    ) -> None:  # fmt: skip
        self.k, self.n, self.y, self.offsets, self.segments = k, n, y, offsets, segments
        self.piece, self.heads, self.ended = piece, heads, ended
        self.place, self.number = k.var(u32, begin), k.var(u32, first_offset(k, begin + 1, offsets, segments))
        self.next = k.var(u32, NONE)
        self.read_next()
        self.spans = k.var(u32, 0)
        with k.if_((self.number != 0) & (self.number <= segments)):
            self.spans.set(k.select(offsets[self.number - 1] < begin, k.const(u32, 1), 0))
        with k.if_(k.lane == 0):
            ended[piece] = NONE

    def read_next(self) -> None:
        self.next.set(NONE)
        with self.k.if_(self.number <= self.segments):
            self.next.set(self.k.min(self.offsets[self.number], self.n))

    def close(self, segment: Any, value: Any, here: Any) -> None:
        """The end of a segment; one that `spans` pieces is not finished."""
        k = self.k
        with k.if_(here & (segment < self.segments)):
            with k.if_else(self.spans != 0) as (part, whole):
                with part:
                    self.heads[self.piece] = value
                    self.ended[self.piece] = segment
                with whole:
                    self.y[segment] = value

    def close_together(self, op: str, x: Any, result: type[Value], end: u32, last: Any) -> None:
        """A segment for each lane, if so many end soon in this piece; `last`: where the last of them does, else NONE."""
        k, place, number, segments = self.k, self.place, self.number, self.segments
        at = number + k.lane
        own_end = k.var(u32, NONE)
        with k.if_(at <= segments):
            own_end.set(k.min(self.offsets[at], self.n))
        own_begin = k.shfl_up(own_end, 1)
        own_begin = k.select(k.lane == 0, place, own_begin)
        last.set(k.shfl_idx(own_end, WARP - 1))
        with k.if_else((last <= end) & (last - place <= CLOSE)) as (close_together, apart):
            with close_together:
                own = k.var(result, identity(op, x.element))
                for i in k.range(own_begin, own_end):
                    own.set(combine(k, op, own, x[i].to(result)))
                first = k.lane == 0
                self.close(number - 1, own, first & (own_end > own_begin))
                self.spans.set(0)
                self.close(at - 1, own, ~first & (own_end > own_begin))
                with k.if_else(last == place) as (stays, goes_on):
                    with stays:
                        number.set(first_offset(k, place + 1, self.offsets, segments))
                    with goes_on:
                        number.set(number + WARP)
                place.set(last)
                self.read_next()
            with apart:
                last.set(NONE)


KERNEL = segmented_reduce


def _add_up(k: Builder, op: str, x: Any, begin: Any, end: Any, vector: int, total: Any) -> None:
    """The warp's lanes take the elements from `begin` to `end`, of which there are some, in `vector`s as far as these go."""
    result = type(total)
    nothing = identity(op, x.element)

    def take(values: list[Any]) -> None:
        total.set(combine(k, op, total, fold(k, op, [each.to(result) for each in values])))

    first, last = (begin + (vector - 1)) // vector, end // vector
    vectors, at = as_vectors(x, vector), k.var(u32, first + k.lane)
    with k.while_(lambda: at + (UNROLL - 1) * WARP < last):
        place = vectors.at(at)
        take([value for j in range(UNROLL) for value in load(place, j * WARP)])
        at += UNROLL * WARP
    rows = [[k.var(x.element, nothing) for _ in range(vector)] for _ in range(UNROLL - 1)]
    for j, row in enumerate(rows):
        load_where(k, at + j * WARP < last, vectors, at + j * WARP, row)
    edges = [k.var(x.element, nothing) for _ in range(2)]
    before, behind = begin + k.lane, k.max(last * vector, begin) + k.lane
    with k.pred(before < k.min(first * vector, end)):
        edges[0].set(x[before])
    with k.pred((behind < end) & (first <= last)):
        edges[1].set(x[behind])
    take([value for row in rows for value in row] + edges)


@kernel(threads=THREADS)
def join_pieces(
    k: Builder, n: u32, y: ptr[R], offsets: ptr[u32], size: u32, pieces: u32, heads: ptr[R], tails: ptr[R],
    ended: ptr[u32], *, result: type[R], op: str,
) -> None:  # fmt: skip
    """The segments of several pieces, a warp for each piece that ends one."""
    k.wait_for_dependencies()
    piece = k.ctaid.x * WARPS + k.tid.x // WARP
    with k.if_(piece >= pieces):
        k.return_()
    segment = ended[piece]
    with k.if_(segment == NONE):
        k.return_()
    total = k.var(result, identity(op, result))
    for place in k.range(offsets[segment] // size + k.lane, piece, WARP * AHEAD):
        found = [k.var(result, identity(op, result)) for _ in range(AHEAD)]
        for j, each in enumerate(found):
            with k.pred(place + j * WARP < piece):
                each.set(tails[place + j * WARP])
        total.set(combine(k, op, total, fold(k, op, found)))
    whole = warp_reduce(k, op, total)
    with k.if_(k.lane == 0):
        y[segment] = combine(k, op, whole, heads[piece])


def size_for(n: int) -> int:
    """Elements of a piece, a power of two."""
    size = PIECE
    while size > LEAST and size * RESIDENT > n:
        size //= 2
    return size


def pieces_of(n: int) -> int:
    """Pieces of at most n elements, or more."""
    return min(ceil_div(n, LEAST), max(2 * RESIDENT, ceil_div(n, PIECE)))


def plans(
    n: int, x: Any, y: Any, offsets: Any, segments: int, heads: Any, tails: Any, ended: Any, *, element: type[Value], op: str
) -> list[KernelPlan]:  # fmt: skip
    """y = the reductions of the segments of x[:n]."""
    size = size_for(n)
    pieces, result = ceil_div(n, size), computed(element)
    parts = (size, pieces, heads, tails, ended)
    reducing = _using(element, op, widest_vector(element.isa.bytes, common_alignment(x)))
    grid = grid_for(pieces, WARPS)
    return [
        KernelPlan(reducing, grid, THREADS, (n, x, y, offsets, segments, *parts)),
        KernelPlan(using(join_pieces, result=result, op=op), grid, THREADS, (n, y, offsets, *parts), programmatic=True),
    ]


def _using(element: type[Value], op: str, vector: int) -> Kernel:
    return using(segmented_reduce, element=element, result=computed(element), op=op, vector=vector)


class _Problem:
    """Small integers, so that floating-point sums are exact, in segments of none, of one and of many elements; and what both
    kernels make of them."""

    def __init__(self, n: int, rng: np.random.Generator, element: type[Value], op: str) -> None:
        import numpy as np

        kind, wide = np.dtype(numpy_name(element.isa)), np.dtype(numpy_name(computed(element).isa))
        if element.isa.is_float:
            self.x = HostArray(rng.integers(-8, 9, n).astype(kind), element)
        else:
            self.x = integers(rng, n, element, 0, (1 << min(31, element.isa.bits - element.isa.is_signed)) - 1)
        cuts = np.concatenate([rng.integers(n // 50, n + 9, 7 if n % 2 else n // 3 + 2), np.full(40, n // 2)])
        self.offsets, size = np.sort(cuts).astype(np.uint32), size_for(n)
        bounds, pieces = self.offsets.astype(np.int64).clip(0, n), ceil_div(n, size)
        ufunc = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
        nothing = np.array(identity(op, element), wide)

        def reduced(begin: int, end: int) -> Any:
            return ufunc.reduce(self.x.values[begin:end], dtype=wide, initial=nothing[()])

        self.y = np.array([reduced(*each) for each in pairwise(bounds)], wide)
        self.heads, self.tails = np.zeros(pieces, wide), np.full(pieces, nothing, wide)
        self.ended, self.spanning = np.full(pieces, NONE, np.uint32), np.zeros(len(self.y), bool)
        for piece in range(pieces):
            begin, end = piece * size, min(n, piece * size + size)
            inner = bounds[(bounds > begin) & (bounds <= end)]
            segment = int(np.searchsorted(bounds, begin, side="right")) - 1
            if len(inner) and 0 <= segment < len(self.y) and bounds[segment] < begin:
                self.heads[piece], self.ended[piece] = reduced(begin, inner[0]), segment
                self.spanning[segment] = True
            self.tails[piece] = reduced(inner[-1] if len(inner) else begin, end)


def _case(n: int, rng: np.random.Generator, *, element: type[Value], op: str, join: bool) -> Case:
    import numpy as np

    problem = _Problem(n, rng, element, op)
    result, segments = computed(element), len(problem.y)
    parts = {name: HostArray(getattr(problem, name), result) for name in ("heads", "tails")}
    parts["ended"] = HostArray(problem.ended, u32)
    partly = np.where(problem.spanning, problem.y.dtype.type(0), problem.y)
    given = parts if join else {name: HostArray(np.zeros_like(each.values), each.type) for name, each in parts.items()}
    return Case(
        arrays={
            "x": problem.x, "offsets": HostArray(problem.offsets, u32),
            "y": HostArray(partly if join else np.zeros_like(partly), result), **given,
        },
        plan=lambda on: plans(
            n, on["x"], on["y"], on["offsets"], segments, on["heads"], on["tails"], on["ended"], element=element, op=op
        )[join],
        expected={"y": problem.y} if join else {"y": partly, **{name: each.values for name, each in parts.items()}},
        tolerance=Tolerance(0.0, "exact: integers wrap, and the floating inputs are small integers"),
    )  # fmt: skip


def _variant(element: type[Value], op: str = "sum", *, join: bool = False) -> Variant:
    launch = (
        using(join_pieces, result=computed(element), op=op)
        if join
        else _using(element, op, min(8, 16 // element.isa.bytes))
    )
    case = partial(_case, element=element, op=op, join=join)
    name = f"{op}.{element.isa.name}" + ".join" * join
    return Variant("segmented_reduce", name, launch, case, sizes=(0, 1, LEAST, 5 * LEAST + 77))


VARIANTS = (_variant(u32), _variant(f16, "max"), _variant(u32, join=True))
