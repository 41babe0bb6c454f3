"""Scan of a whole array in one pass: y[i] = x[0] + ... + x[i], or (exclusive) all before x[i]; also min and max.

Shapes: x[n] -> y[n]; integers of 8 to 64 bits, which wrap, f16, which is computed in f32, f32 and f64; any n. In place if y is
x. `states` and `ticket` are scratch that is zero before the first launch: `scratch_words(...)` of u64, of which the last is
the ticket.

Floor: each element is read once and written once, 2*4*n bytes; 2^28 f32 at an H200's 4.3 TB/s take 0.50 ms. A CTA loads a
tile, each warp a contiguous piece with vectors of neighbouring lanes, scans it in registers and by shuffles, learns what
stands before it by decoupled look-back (see lookback.py), and writes. It reaches 87 to 92 % of a device copy's speed on an
H200, min and max of f64 83 %. Sums of f32 are combined in an order that depends on timing; integers are exact.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f16, f32, f64, kernel, ptr, s16, s32, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP, combine, fold, identity, warp_reduce, warp_scan, warps_before
from ptxgen.kernels.blocks.lookback import before_tile, publish_total, take_turn, words_of
from ptxgen.kernels.blocks.tiles import as_vectors, load, store
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, integers
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["AHEAD", "KERNEL", "VARIANTS", "computed", "items_of", "plan", "prefetch", "scratch_words", "tile_of"]

E = TypeVar("E", bound=Value)

THREADS = 128
ITEM_BYTES = 256
"""What a thread holds."""

CTAS = {4: 5, 8: 4}
"""How many CTAs an SM should hold, by the element's bytes. Tiles wait for the slowest one before them, so what counts is how
much is under way: with f32 on an H200, of a device copy's speed, 96 KB of tiles on an SM 77 %, 128 KB 84 %, 144 KB 86 %, 160 KB
88 %; four CTAs of 320 bytes a thread are as good, larger CTAs are not. With five, elements of 8 bytes spill: u64 73 % and f64
83 %, with four 88 % and 91 %."""

AHEAD = 132
"""Tiles between a tile and the one that it prefetches: as many as an H200 has SMs; from 66 to 200 make no difference."""

PAUSE = {4: 2500, 8: 1500}
"""Nanoseconds before a tile looks back, by the element's bytes: 4 to 6 % faster on an H200 than looking at once."""


@kernel(threads=THREADS, min_ctas=lambda *, element, **_: CTAS[computed(element).isa.bytes])
def prefix(
    k: Builder, n: u64, x: ptr[E], y: ptr[E], states: ptr[u64], ticket: ptr[u64], *,
    element: type[E], op: str = "sum", exclusive: bool = False, vector: int = 1,
) -> None:  # fmt: skip
    """A CTA a tile of THREADS*items elements; `vector` elements an access, to which x and y are aligned."""
    turn = take_turn(k, ticket)
    tile = turn.tile
    items = items_of(element)
    size, warps, accesses = THREADS * items, THREADS // WARP, items // vector
    inside, nothing = computed(element), identity(op, element)
    begin = tile.to(u64) * size
    left = n - begin
    if k.target.sm >= 90 and vector * element.isa.bytes == 16:
        prefetch(k, x, begin + AHEAD * size, n, size * element.isa.bytes)
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    place = warp * (WARP * items) + lane * vector
    source, target = (p.at(begin + place.to(u64)) for p in (x, y))

    values = [k.var(inside) for _ in range(items)]
    with k.if_else(left >= size) as (full, partial_):
        with full:
            for j in range(accesses):
                for value, raw in zip(values[j * vector :], load(as_vectors(source, vector), j * WARP)):
                    value.set(raw.to(inside))
        with partial_:
            for value, offset in zip(values, _offsets(items, vector)):
                value.set(nothing)
                with k.pred((place + offset).to(u64) < left):
                    value.set(source[offset].to(inside))

    # The tile's total first, for all the tiles that wait for it; then the scan of the warp's piece.
    before_warp, whole = warps_before(k, warp_reduce(k, op, fold(k, op, values)), warps, op, nothing)
    publish_total(k, states, turn, whole)
    held = _scan_piece(k, op, values, vector, exclusive, nothing)
    base = combine(k, op, before_tile(k, op, states, turn, whole, nothing, pause=PAUSE[inside.isa.bytes]), before_warp)

    results = [combine(k, op, base, value).to(element) for value in held]
    with k.if_else(left >= size) as (full, partial_):
        with full:
            for j in range(accesses):
                store(as_vectors(target, vector), j * WARP, results[j * vector : (j + 1) * vector])
        with partial_:
            for result, offset in zip(results, _offsets(items, vector)):
                with k.pred((place + offset).to(u64) < left):
                    target.store(offset, result)


KERNEL = prefix


def _offsets(items: int, vector: int) -> list[int]:
    """Where a thread's elements lie, from its first: vectors of neighbouring lanes follow each other."""
    return [i // vector * WARP * vector + i % vector for i in range(items)]


def _exclusive(k: Builder, upto: Any, width: int, nothing: int | float) -> Any:
    """From an inclusive scan over segments of `width` lanes, the exclusive one."""
    below = k.shfl_up(upto, 1, width=width)
    return k.select(k.lane % width == 0, k.const(type(upto), nothing), below)


def _scan_piece(
    k: Builder, op: str, values: list[Any], vector: int, exclusive: bool, nothing: int | float
) -> list[Any]:
    """The scan of the warp's piece: what of it stands before each of the thread's values, and with it unless `exclusive`."""
    held: list[Any] = []
    carry: Any = None  # what the accesses so far add up to
    for first in range(0, len(values), vector):
        row = list(itertools.accumulate(values[first : first + vector], partial(combine, k, op)))
        upto = warp_scan(k, row[-1], WARP, op)
        before = _exclusive(k, upto, WARP, nothing)
        if carry is not None:
            before = combine(k, op, carry, before)
        row = [combine(k, op, before, value) for value in row]
        held += [before, *row[:-1]] if exclusive else row
        whole = k.shfl_idx(upto, WARP - 1)
        carry = whole if carry is None else combine(k, op, carry, whole)
    return held


def prefetch(k: Builder, x: Any, begin: u64, n: u64, size: int) -> None:
    """Bring a tile that will soon be wanted into the L2 cache: tiles wait for the slowest one before them, and loads from
    the cache are fast alike."""
    with k.if_((k.tid.x == 0) & (begin + size <= n)):
        k.ptx.cp.async_.bulk.prefetch.L2.global_([x.at(begin)], size)


def computed(element: type[Value]) -> type[Value]:
    """The type that a scan of these elements computes in: that of 32 bits for narrower ones."""
    isa = element.isa
    if isa.bits >= 32:
        return element
    return f32 if isa.is_float else s32 if isa.is_signed else u32


def items_of(element: type[Value]) -> int:
    """Elements a thread holds."""
    return ITEM_BYTES // computed(element).isa.bytes


def tile_of(element: type[Value]) -> int:
    """Elements a CTA holds."""
    return THREADS * items_of(element)


def scratch_words(n: int, element: type[Value]) -> int:
    """u64 words of scratch for n elements: the states of the tiles and the ticket."""
    return ceil_div(max(n, 1), tile_of(element)) * words_of(computed(element)) + 1


def plan(
    n: int, x: Any, y: Any, states: Any, ticket: Any, *, element: type[Value] = f32, op: str = "sum",
    exclusive: bool = False, vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """y = scan of x[:n]. The scratch is zero before the first launch."""
    if vector is None:
        vector = min(8, min(16, max(element.isa.bytes, common_alignment(x, y))) // element.isa.bytes)
    launch = using(prefix, element=element, op=op, exclusive=exclusive, vector=vector)
    return KernelPlan(launch, grid_for(n, tile_of(element)), THREADS, (n, x, y, states, ticket))


def _case(n: int, rng: np.random.Generator, *, element: type[Value], op: str, exclusive: bool, vector: int) -> Case:
    """Small integers: floating-point sums are exact in any order, integer ones wrap."""
    import numpy as np

    kind = np.dtype(numpy_name(element.isa))
    if element.isa.is_float:
        x = HostArray(rng.integers(-8, 9, n).astype(kind), element)
    else:
        x = integers(rng, n, element, 0, (1 << min(31, element.isa.bits - element.isa.is_signed)) - 1)
    scratch = scratch_words(n, element)
    return Case(
        arrays={
            "x": x,
            "y": HostArray(np.zeros(n, kind), element),
            "states": HostArray(np.zeros(scratch, np.uint64), u64),
            "ticket": HostArray(np.zeros(1, np.uint64), u64),
        },
        plan=lambda on: plan(
            n, on["x"], on["y"], on["states"], on["ticket"], element=element, op=op, exclusive=exclusive,
            vector=vector,
        ),
        expected={"y": _reference(x.values, op, exclusive, identity(op, element), numpy_name(computed(element).isa))},
        tolerance=Tolerance(0.0, "exact: integers wrap, and the floating inputs are small integers, sums of f16 in f32"),
    )  # fmt: skip


def _reference(x: Any, op: str, exclusive: bool, nothing: int | float, wide: str) -> Any:
    import numpy as np

    ufunc = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
    upto = ufunc.accumulate(x, dtype=wide).astype(x.dtype)
    return np.concatenate([np.array([nothing], x.dtype), upto[:-1]])[: len(x)] if exclusive else upto


def _variant(element: type[Value], op: str = "sum", *, exclusive: bool = False, vector: int = 4) -> Variant:
    chosen: dict[str, Any] = {"element": element, "op": op, "exclusive": exclusive, "vector": vector}
    tile = tile_of(element)
    name = f"{op}.{element.isa.name}" + ".exclusive" * exclusive + ".scalar" * (vector == 1)
    return Variant(
        "prefix",
        name,
        using(prefix, **chosen),
        partial(_case, **chosen),
        sizes=(0, 1, tile - 1, tile, 3 * tile + 77),
    )


VARIANTS = (
    _variant(f32),
    _variant(u32, vector=1),
    _variant(f32, "min"),
    _variant(u64, exclusive=True, vector=2),
    _variant(f64, vector=2),
    _variant(u8, vector=8),
    _variant(s16, "max", exclusive=True, vector=8),
    _variant(f16, vector=8),
)
