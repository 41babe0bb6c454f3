"""C = A B^T on targets without wgmma, and of operands that tensor maps do not take: any sizes, strides and alignments.

Shapes: A (m, depth), B (n, depth), C (m, n), of each `batch` matrices; every matrix has three strides, in elements. Products
by mma.sync where the target has it for the elements, by fma elsewhere (bf16 and f32 before sm_80, f16 before sm_75) or where
asked for; sums are f32, of integers s32.

Floor: 2*m*n*depth operations. A warp's 64 x 32 sums take 6 ldmatrix for 16 mma of a step, so that shared memory keeps up;
a ring of stages, filled by cp.async, hides global memory. What cp.async cannot move (16-bit elements that are not aligned, or
are converted) goes through registers, which are loaded before a step's products and stored behind them.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, kernel, ptr, read_only, s64, u32
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.tiles import as_vectors, load, store

if TYPE_CHECKING:
    from ptxgen.builder import pred
    from ptxgen.builder.tiles.mma import FmaSums, MmaSums, WarpFragment

__all__ = ["gemm_mma"]

E = TypeVar("E", bound=Value)
R = TypeVar("R", bound=Value)

_ASYNC = 80
"""The first target with cp.async."""

_BYTES, _LANES = 16, 8
"""The widest access, in bytes and in elements that go through registers."""

_LINE = 64
"""Bytes along K of a stage's rows, unless stated."""


def _threads(warps: tuple[int, int] = (2, 4), **_: Any) -> int:
    return 32 * warps[0] * warps[1]


@kernel(max_threads=_threads)
def gemm_mma(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32,
    a: read_only[E], a_row: s64, a_column: s64, a_batch: s64,
    b: read_only[E], b_row: s64, b_column: s64, b_batch: s64,
    c: ptr[R], c_row: s64, c_column: s64, c_batch: s64,
    *, element: type[E] = bf16, result: type[R] = bf16, bm: int = 128, bn: int = 128, bk: int | None = None,
    stages: int = 3, warps: tuple[int, int] = (2, 4), group: int = 8, major_a: str = "K", major_b: str = "K",
    aligned: bool = False, exact: bool = False, epilogue: Any = None,
) -> None:  # fmt: skip
    """C (m, n) = A (m, depth) B (n, depth)^T of `batch` matrices; any number of CTAs of 32 * warps[0] * warps[1] threads.

    A CTA computes tiles of bm x bn, each of its warps a part of bm / warps[0] rows and bn / warps[1] columns; `bk` is 64 bytes
    of a row unless stated. `major` is the direction in which threads load an operand, best the one in which its elements lie
    together: "K" along depth, "MN" along m or n. `aligned`: in that direction the stride is 1, whatever is passed, as it is
    along n for C, and the address and the other strides of all three are multiples of 16 bytes; sizes may be any. `exact`:
    products by fma, f32 not rounded to tf32. `epilogue(k, value, row, column)` is applied to each sum before it is converted.
    """
    _check(bm, bn, stages, warps)
    wm, wn, threads = bm // warps[0], bn // warps[1], _threads(warps)
    total = k.warp_sums(wm, wn, element, exact=exact)
    bk = bk or _LINE * 8 // total.element.isa.bits
    feed_a = _Feed(k, a, total, (bm, bk), major_a, stages, threads, aligned)
    feed_b = _Feed(k, b, total, (bn, bk), major_b, stages, threads, aligned)
    feed_a.over(m, depth, (a_row, a_column, a_batch))
    feed_b.over(n, depth, (b_row, b_column, b_batch))
    my_row, my_column = k.tid.x // 32 // warps[1] * wm, k.tid.x // 32 % warps[1] * wn
    left, right = total.left(feed_a.tile, my_row), total.right(feed_b.tile, my_column)
    down, across, steps = (m + bm - 1) // bm, (n + bn - 1) // bn, (depth + bk - 1) // bk
    slot = k.var(u32, 0)
    for row, column, matrix in k.persistent_tiles(down, across, group=group, batch=batch):
        total.clear()
        slot.set(0)
        feed_a.begin(row * bm, matrix)
        feed_b.begin(column * bn, matrix)
        for step in range(stages - 1):
            for feed in (feed_a, feed_b):
                feed.load(step, step)
                feed.store(step)
            k.copy_commit()
        for step in k.range(steps):
            k.copy_wait(stages - 2)
            k.barrier()
            free = k.select(slot == 0, stages - 1, slot - 1)  # that of the step before, which all have read
            feed_a.load(step + (stages - 1), free)
            feed_b.load(step + (stages - 1), free)
            k.copy_commit()
            total.add_product(left[slot], right[slot])
            feed_a.store(free)
            feed_b.store(free)
            slot.set(k.select(slot == stages - 1, 0, slot + 1))
        k.copy_wait()
        k.barrier()
        corner = (row * bm + my_row, column * bn + my_column)
        found = total if epilogue is None else total.map(partial(epilogue, k), *corner)
        _write(c.at(matrix.to(s64) * c_batch), found, result, corner, (m, n), (c_row, c_column), aligned)


def _check(bm: int, bn: int, stages: int, warps: tuple[int, int]) -> None:
    """BuildError for tiles that warps do not share out evenly."""
    if bm % warps[0] or bn % warps[1]:
        raise BuildError(f"a tile of {bm} x {bn} shared by {warps[0]} x {warps[1]} warps", hint="powers of two")
    if stages < 2:
        raise BuildError(f"{stages} stages", hint="2 or more: one is filled while another is read")


class _Feed:
    """One operand's way into shared memory: the tile, and what this thread copies of each step.

    Threads go along `major`, `vector` elements each, then line by line; a thread's `hops` copies are `apart` lines apart. The
    tile has the operand's major where the products can read it so; others are turned on the way.
    """

    def __init__(
        self, k: Builder, source: read_only[Any], total: MmaSums | FmaSums, shape: tuple[int, int], major: str,
        stages: int, threads: int, aligned: bool,
    ) -> None:  # fmt: skip
        element, given = total.element, source.element
        size = given.isa.bytes
        turned = major not in total.majors
        kept = "K" if turned else major
        line = shape[kept == "K"] * element.isa.bytes
        self.k, self.source, self.along_k, self.aligned = k, source, major == "K", aligned
        self.tile = k.tile(element, shape, stages=stages, major=kept, swizzle=f"{min(line, 128)}B")
        self.columns = shape[1]
        vector = _BYTES // size if aligned and not turned and element is given else 1
        self.asynchronous = k.target.sm >= _ASYNC and element is given and vector * size >= 4
        self.vector = vector if self.asynchronous else min(vector, _LANES)
        length, lines = (shape[1], shape[0]) if self.along_k else shape
        in_line = length // self.vector
        self.apart = max(threads // in_line, 1)
        self.hops = -(-lines // self.apart)
        if length % self.vector or threads % in_line or (self.hops > 1 and lines % self.apart):
            raise BuildError(
                f"{threads} threads share a tile of {shape[0]} x {shape[1]}, {in_line} copies a line",
                hint="powers of two, and no more copies a line than threads",
            )
        self.busy = k.tid.x < lines * in_line if self.hops * self.apart > lines else None
        place, across = k.tid.x % in_line * self.vector, k.tid.x // in_line
        self.row, self.column = (across, place) if self.along_k else (place, across)
        self.offset = self.tile.offset_of(self.row, self.column)
        self.loaded: list[Any] = []

    def over(self, extent: u32, depth: u32, strides: tuple[s64, s64, s64]) -> None:
        """The matrices: (extent, depth), and how many elements apart rows, columns and matrices are."""
        one = self.k.const(s64, 1)
        row, column, self.batch = strides
        self.extent, self.depth = extent, depth
        self.strides = (one if self.aligned and not self.along_k else row, one if self.aligned and self.along_k else column)
        self.hop = self.strides[not self.along_k] * self.apart

    def begin(self, first: u32, matrix: u32) -> None:
        """From row `first` of a matrix on."""
        self.first = first + self.row
        index = self.first.to(s64) * self.strides[0] + self.column.to(s64) * self.strides[1]
        self.start = self.source.at(matrix.to(s64) * self.batch + index)

    def load(self, step: u32 | int, slot: u32 | int) -> None:
        """Begin to copy the tile of a step, with zeros where the matrix ends."""
        k = self.k
        column = self.column + step * self.columns
        along, line = (column, self.first) if self.along_k else (self.first, column)
        length, lines = (self.depth, self.extent) if self.along_k else (self.extent, self.depth)
        rest = length - k.min(length, along)
        pointer = self.start.at(self.strides[1] * (step * self.columns if isinstance(step, int) else (step * self.columns).to(s64)))
        self.loaded = []
        for hop in range(self.hops):
            count = k.select(line + hop * self.apart < lines, rest, 0)
            if self.asynchronous:
                with _where(k, self.busy):
                    k.copy_async(self._to(slot, hop), pointer, self.vector * pointer.stride, count=count)
            else:
                self.loaded.append(load(as_vectors(pointer.bounded(count), self.vector), 0))
            pointer = pointer.at(self.hop)

    def store(self, slot: u32 | int) -> None:
        """Store what went through registers."""
        element = self.tile.element
        for hop, values in enumerate(self.loaded):
            found = [value.to(element) for value in values]
            with _where(self.k, self.busy):
                store(as_vectors(self._to(slot, hop), self.vector), 0, found)

    def _to(self, slot: u32 | int, hop: int) -> ptr[Any]:
        """Where in shared memory a copy goes."""
        lines = hop * self.apart
        return self.tile[slot].beyond(self.offset, *((lines, 0) if self.along_k else (0, lines)))


def _where(k: Builder, condition: pred | None) -> Any:
    return nullcontext() if condition is None else k.pred(condition)


def _write(
    c: ptr[Any], found: WarpFragment, result: Any, corner: tuple[u32, u32], shape: tuple[u32, u32],
    strides: tuple[s64, s64], aligned: bool,
) -> None:  # fmt: skip
    """A warp's values to C, as far as it reaches."""
    k = found.builder
    lanes = 1 if not aligned else 4 if result.isa.bits == 16 else 2
    for row, column, values in found.runs(result, lanes):
        at_row, at_column = corner[0] + row, corner[1] + column
        pointer = c.at(at_row.to(s64) * strides[0])
        place = pointer.at(at_column if aligned else at_column.to(s64) * strides[1])
        rest = k.select(at_row < shape[0], shape[1] - k.min(shape[1], at_column), 0)
        store(as_vectors(place.bounded(rest), lanes), 0, values)
