"""y = x transposed: y[c, r] = x[r, c], through a tile in shared memory; elements of 1, 2, 4 or 8 bytes, any shape.

Shapes: x[rows, columns] -> y[columns, rows], both row-major and dense.

Floor: each element is read once and written once: 16,384 x 16,384 f32 are 2.15 GB, 0.50 ms at an H200's 4.3 TB/s. Reading rows
and writing columns of the same matrix cannot both be contiguous, so a CTA reads a square tile by rows into shared memory and
writes it by columns. Every access to global memory is one contiguous piece for 8 or 32 neighbouring lanes (128 bytes, where
the shape allows vectors), and all of a thread's loads are in flight at once. In shared memory a row is one element longer
than the tile, so that a column lies in different banks: with 32-bit words and one word a lane there is no conflict at all.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, b8, b16, b32, b64, kernel, pred, ptr, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.tiles import as_vectors, load_where, store
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan"]

E = TypeVar("E", bound=Value)

THREADS = 256


@kernel(max_threads=THREADS)
def transpose(
    k: Builder, rows: u32, columns: u32, x: ptr[E], y: ptr[E], *, element: type[E], tile: int, vector: int = 1
) -> None:
    """A CTA a tile of `tile` x `tile` elements; `vector` elements an access: both extents and the alignments are multiples."""
    lanes = _lanes(element, vector)
    across = (columns + (tile - 1)) // tile
    tile_row = k.ctaid.x // across
    row0, column0 = tile_row * tile, (k.ctaid.x - tile_row * across) * tile
    shared = k.shared(element, (tile, tile + 1), name="tile")
    line, lane = k.tid.x // lanes, k.tid.x % lanes * vector

    # Steps of the CTA over the tile: `lanes` lanes take neighbouring vectors of a line, the next lanes the next line.
    steps = [(down, along) for along in range(0, tile, lanes * vector) for down in range(0, tile, THREADS // lanes)]
    inside, source = _window(k, x, (rows, columns), (row0 + line, column0 + lane), steps, vector)
    loaded = []
    for step in steps:
        values = [k.var(element) for _ in range(vector)]
        load_where(k, inside[step], *source[step], values)
        loaded.append(values)
    place = shared.at(line, lane)
    for (down, along), values in zip(steps, loaded):
        for v, value in enumerate(values):
            place.store(down * (tile + 1) + along + v, value)
    k.barrier()
    inside, target = _window(k, y, (columns, rows), (column0 + line, row0 + lane), steps, vector)
    place = shared.at(lane, line)
    for down, along in steps:
        values = [place.load((along + v) * (tile + 1) + down) for v in range(vector)]
        with k.pred(inside[down, along]):
            store(*target[down, along], values)


def _window(
    k: Builder, matrix: Any, shape: tuple[u32, u32], corner: tuple[u32, u32], steps: list[tuple[int, int]], vector: int
) -> tuple[dict[tuple[int, int], pred], dict[tuple[int, int], tuple[Any, int]]]:
    """For each step away from this thread's corner: is it inside the matrix, and its (pointer, index), in vectors."""
    row, column = corner
    length = shape[1].to(u64)
    base = matrix.at(k.fma(row.to(u64), length, column.to(u64)))
    lines = {down: as_vectors(base.at(length * down) if down else base, vector) for down in dict(steps)}
    below = {down: row + down < shape[0] for down in lines}
    before = {along: column + along < shape[1] for along in dict.fromkeys(along for _, along in steps)}
    inside = {(down, along): below[down] & before[along] for down, along in steps}
    return inside, {(down, along): (lines[down], along // vector) for down, along in steps}


KERNEL = transpose


def _lanes(element: type[Value], vector: int) -> int:
    """Lanes that share a row of the tile: a warp where each moves a word or less, 8 where each moves 16 bytes."""
    return 8 if vector * element.isa.bytes == 16 else 32


def _shape_of_tile(element: type[Value], vector: int) -> int:
    """32 words to a row of a warp, or 64 f32s and 32 f64s read as 16-byte vectors."""
    return {1: 128, 2: 64}.get(element.isa.bytes * (vector > 1), 64 if vector == 4 else 32)


_BITS: dict[int, type[Value]] = {1: b8, 2: b16, 4: b32, 8: b64}
_VECTOR = {1: 4, 2: 2, 4: 4, 8: 2}
"""Element bytes -> elements an access: a word for the narrow types, which no bank conflict then slows, else 16 bytes."""


def plan(rows: int, columns: int, x: Any, y: Any, *, element: type[Value], vector: int | None = None) -> KernelPlan:
    """y = x transposed. Any element type of 1, 2, 4 or 8 bytes: its bits are moved. Vectors where shape and arrays allow."""
    size = element.isa.bytes
    wide = _VECTOR[size]
    fits = rows % wide == 0 and columns % wide == 0 and common_alignment(x, y) >= wide * size
    lanes = vector or (wide if fits else 1)
    bits = _BITS[size]
    tile = _shape_of_tile(bits, lanes)
    launch = using(transpose, element=bits, tile=tile, vector=lanes)
    grid = max(1, ceil_div(rows, tile) * ceil_div(columns, tile))
    return KernelPlan(launch, grid, THREADS, (rows, columns, x, y))


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Value], vector: int) -> Case:
    import numpy as np

    rows, columns = size
    bits = element.isa.bits
    x = integers(rng, size, element, 0, (1 << bits) - 1)
    return Case(
        arrays={"x": x, "y": HostArray(np.zeros((columns, rows), numpy_name(element.isa)), element)},
        plan=lambda on: plan(rows, columns, on["x"], on["y"], element=element, vector=vector),
        expected={"y": x.values.T},
        tolerance=EXACT,
    )


def _variant(element: type[Value], vector: int) -> Variant:
    bits = _BITS[element.isa.bytes]
    tile = _shape_of_tile(bits, vector)
    v = vector
    return Variant(
        "transpose",
        bits.isa.name if vector > 1 else f"{bits.isa.name}.scalar",
        using(transpose, element=bits, tile=tile, vector=vector),
        partial(_case, element=element, vector=vector),
        sizes=((0, v), (v, 0), (v, v), (v, 5 * v), (tile, tile), (tile + v, 2 * tile - v), (3 * tile + v, v)),
    )


VARIANTS = tuple(_variant(element, _VECTOR[element.isa.bytes]) for element in (u8, u16, u32, u64)) + tuple(
    _variant(element, 1) for element in (u8, u16, u32, u64)
)
