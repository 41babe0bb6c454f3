"""How sums leave a CTA: piece by piece through shared memory, each stored by a tensor copy while the next one is written."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder import Builder, TensorMap, pred, u32
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.values import Value

__all__ = ["PIECE", "Pieces", "piece_buffers", "piece_starts"]

PIECE = 128
"""Bytes of a row of C that one tensor copy stores: the widest swizzle."""


def piece_starts(bn: int, width: int) -> list[int]:
    """The first columns of the pieces that a tile is stored in; the last one overlaps the one before where the width does not
    divide the tile, and stores the same values there."""
    return sorted({min(start, bn - width) for start in range(0, bn, width)})


def piece_buffers(pieces: int) -> int:
    """Buffers that pieces take in turn, such that a tile ends where the next one begins: 3 for 3 pieces, else 2 or 1."""
    return pieces if pieces in (1, 3) else 2 - pieces % 2


class Pieces:
    """Shared memory for the pieces of `groups` warpgroups, each of which has `rows` x bn sums of a tile at a time.

    `transposed`: C is stored as (columns, rows).
    """

    def __init__(
        self,
        k: Builder,
        c: TensorMap,
        result: type[Value],
        rows: int,
        bn: int,
        groups: int = 1,
        *,
        transposed: bool = False,
    ) -> None:
        self.k, self.c, self.result, self.transposed = k, c, result, transposed
        self.width = min(bn, PIECE * 8 // result.isa.bits)
        self.starts = piece_starts(bn, self.width)
        self.buffers = piece_buffers(len(self.starts))
        shape = (self.width, rows) if transposed else (rows, self.width)
        self.tiles = k.tile(result, shape, stages=(groups, self.buffers))
        self.turned = {"transposed": True} if transposed else {}  # which sums of tensor memory do not know
        self.ready = k.named_barrier(128, groups)

    def written(
        self, total: Any, mine: Any, one: pred, corner: tuple[u32, u32], finish: Callable[..., Any] | None,
        *, count: u32 | None = None,
    ) -> Iterator[tuple[DeviceTile, u32]]:  # fmt: skip
        """(a piece that a copy may read, the column that it begins at), one by one, of the sums of warpgroup `mine`; of the first
        `count` columns where that is given.

        `corner` is the place of the first sum, (row, column); `finish(value, row, column)` is applied to each before it is
        rounded. The thread where `one` holds makes the copies, in the loop's body.
        """
        k, (row, column) = self.k, corner
        for number, start in enumerate(self.starts):
            with nullcontext() if count is None or not start else k.if_(count > start):
                block = total.cut(start, self.width)
                if finish is not None:
                    block = block.map(finish, row, column + start)
                piece = self.tiles[mine, number % self.buffers]
                with k.if_(one):
                    k.bulk_wait(self.buffers - 1)  # the store that used the piece has read it
                self.ready[mine].sync()
                block.to(self.result).store(piece, **self.turned)
                k.publish_shared()
                self.ready[mine].sync()
                yield piece, column + start
            with k.if_(one):
                k.bulk_commit()  # also of nothing: the groups are counted

    def store(
        self, total: Any, mine: Any, one: pred, corner: tuple[u32, u32], matrix: u32 | None,
        finish: Callable[..., Any] | None,
    ) -> None:  # fmt: skip
        """All pieces of a tile to C, or to matrix `matrix` of it."""
        for piece, column in self.written(total, mine, one, corner, finish):
            place = (corner[0], column) if self.transposed else (column, corner[0])
            with self.k.if_(one):
                self.c.store(piece, place if matrix is None else (*place, matrix))

    def end(self, one: pred) -> None:
        """Wait until all have been read, before the CTA ends."""
        with self.k.if_(one):
            self.k.bulk_wait(0)
