"""How sums leave a CTA: piece by piece through shared memory, each stored by a tensor copy while the next one is written."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ptxgen.builder import b32, u32
from ptxgen.builder.tiles.fragments import PackedFragment
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder import Builder, TensorMap, pred
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.values import Value

    Put = Callable[[pred, DeviceTile, tuple[u32, u32], Any, Any], None]

__all__ = ["PIECE", "Pieces", "piece_buffers", "piece_starts", "piece_width"]

PIECE = 128
"""Bytes of a row of C that one tensor copy stores: the widest swizzle."""


def piece_width(bn: int, result_bytes: int) -> int:
    """Columns of a piece of a tile of bn: a power of two, as the widths of swizzles are."""
    return 1 << min(bn, PIECE // result_bytes).bit_length() - 1


def piece_starts(bn: int, width: int) -> list[int]:
    """The first columns of the pieces that a tile is stored in; the last one overlaps the one before where the width does not
    divide the tile, and stores the same values there."""
    return sorted({min(start, bn - width) for start in range(0, bn, width)})


def piece_buffers(pieces: int) -> int:
    """Buffers that pieces take in turn, such that a tile ends where the next one begins: 3 for 3 pieces, else 2 or 1."""
    return pieces if pieces in (1, 3) else 2 - pieces % 2


class Pieces:
    """Shared memory for the pieces of `groups` warpgroups, each of which has `rows` x bn sums of a tile at a time.

    `transposed`: C is stored as (columns, rows). With `late` the sums of a tile are rounded, which frees their registers for the
    next tile's, and are stored beside the first products of that one, a piece a step: a loop over tiles calls `store_kept` in
    each step, and has as many steps as there are `starts` or more. `put(one, piece, (row, column), matrix, left)` stores a piece
    in another way than a tensor copy of all of it, where only its first `left` columns are to be stored.
    """

    def __init__(
        self, k: Builder, c: TensorMap, result: type[Value], rows: int, bn: int, groups: int = 1,
        *, transposed: bool = False, late: bool = False, put: Put | None = None,
    ) -> None:  # fmt: skip
        if late and result.isa.bits != 16:
            raise BuildError(
                f"sums kept as .{result.isa.name}", hint="late=False: registers have room for 16 bits each"
            )
        self.k, self.c, self.result, self.transposed = k, c, result, transposed
        self.width = piece_width(bn, result.isa.bits // 8)
        self.starts = piece_starts(bn, self.width)
        self.buffers = piece_buffers(len(self.starts))
        shape = (self.width, rows) if transposed else (rows, self.width)
        line = min(PIECE, shape[1] * result.isa.bits // 8)
        self.tiles = k.tile(result, shape, stages=(groups, self.buffers), swizzle=f"{line}B")
        self.turned = {"transposed": True} if transposed else {}  # which sums of tensor memory do not know
        self.ready = k.named_barrier(128, groups)
        self.put = put or self._put
        self.kept = _Kept(k, result, rows, self.width, len(self.starts)) if late else None

    def steps(self, steps: u32) -> u32:
        """So many, or as many as it takes to store what is kept: those behind the depth multiply zeros."""
        return self.k.max(steps, len(self.starts)) if self.kept else steps

    def begin(self) -> None:
        """With `late`, where the threads that have sums begin, before their loop over tiles: nothing is kept yet."""
        if self.kept:
            self.kept.clear()

    def store(
        self, total: Any, mine: Any, one: pred, corner: tuple[u32, u32], matrix: u32 | None,
        finish: Callable[..., Any] | None, *, count: u32 | None = None,
    ) -> None:  # fmt: skip
        """All pieces of the sums of warpgroup `mine` to C, or to matrix `matrix` of it; those of the first `count` columns where
        that is given. With `late` they are kept.

        `corner` is the place of the first sum, (row, column); `finish(value, row, column)` is applied to each before it is
        rounded. The thread where `one` holds makes the copies.
        """
        for number, start in enumerate(self.starts):
            kept = self.kept
            with nullcontext() if kept or count is None or not start else self.k.if_(count > start):
                block = total.cut(start, self.width)
                if finish is not None:
                    block = block.map(finish, corner[0], corner[1] + start)
                if kept:
                    block.to(self.result, into=kept.words[number])
                else:
                    self._leave(number, block, mine, one, corner, matrix, count)
            if not kept:
                self._commit(one)
        if self.kept:
            self.kept.remember(corner, matrix, self.starts[-1] + self.width if count is None else count)

    def store_kept(self, step: u32, mine: Any, one: pred) -> None:
        """With `late`, in each step of a tile: a piece of the tile before."""
        for number in range(len(self.starts)) if self.kept else ():
            with self.k.if_(step == number):
                self._leave_kept(number, mine, one, under_way=0)

    def end(self, mine: Any, one: pred) -> None:
        """Store what is kept, and wait until all has been read, before the CTA ends."""
        with self.k.if_(one):
            self.k.bulk_wait(0)
        if self.kept:
            for number in range(len(self.starts)):
                self._leave_kept(number, mine, one, under_way=self.buffers - 1)
            with self.k.if_(one):
                self.k.bulk_wait(0)

    def _leave_kept(self, number: int, mine: Any, one: pred, under_way: int) -> None:
        kept = self.kept
        assert kept is not None
        with self.k.if_(kept.count > self.starts[number]):
            self._leave(number, kept.words[number], mine, one, kept.corner, kept.matrix, kept.count, under_way)
            self._commit(one)

    def _leave(
        self, number: int, block: Any, mine: Any, one: pred, corner: tuple[u32, u32], matrix: u32 | None, count: u32 | None,
        under_way: int | None = None,
    ) -> None:  # fmt: skip
        """One piece: written when the store that used its place has read it, and stored."""
        k, start = self.k, self.starts[number]
        piece = self.tiles[mine, number % self.buffers]
        with k.if_(one):
            k.bulk_wait(self.buffers - 1 if under_way is None else under_way)
        self.ready[mine].sync()
        (block if isinstance(block, PackedFragment) else block.to(self.result)).store(piece, **self.turned)
        k.publish_shared()
        self.ready[mine].sync()
        left = None if count is None else count - start if start else count
        self.put(one, piece, (corner[0], corner[1] + start), matrix, left)

    def _commit(self, one: pred) -> None:
        with self.k.if_(one):
            self.k.bulk_commit()  # also of nothing: the groups are counted

    def _put(self, one: pred, piece: DeviceTile, corner: tuple[u32, u32], matrix: u32 | None, left: u32 | None) -> None:
        place = corner if self.transposed else corner[::-1]
        with self.k.if_(one):
            self.c.store(piece, place if matrix is None else (*place, matrix))


class _Kept:
    """The rounded sums of a tile, in registers, and where they belong; `count` columns, of which there are none at first."""

    def __init__(self, k: Builder, result: type[Value], rows: int, width: int, pieces: int) -> None:
        each = rows * width // 128 // 2  # two in each register
        self.words = [PackedFragment(k, rows, width, result, [k.var(b32) for _ in range(each)]) for _ in range(pieces)]
        self.corner = k.var(u32), k.var(u32)
        self.matrix, self.count = k.var(u32), k.var(u32)

    def clear(self) -> None:
        """Registers of their own from here on: a whole CTA has too few of them before `k.roles` shares them out."""
        for variable in (*(word for each in self.words for word in each.words), *self.corner, self.matrix, self.count):
            variable.set(0)

    def remember(self, corner: tuple[u32, u32], matrix: u32 | None, count: u32 | int) -> None:
        for variable, value in zip(
            (*self.corner, self.matrix, self.count), (*corner, 0 if matrix is None else matrix, count)
        ):
            variable.set(value)
