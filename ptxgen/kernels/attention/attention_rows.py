"""Rows of sequences that lie behind each other in one array: what a tile's last rows need, since those behind are another's."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, u32, u64

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.builder.tiles.barriers import NamedBarrier
    from ptxgen.builder.tiles.device_tile import DeviceTile

__all__ = ["Strided", "clear", "moved", "store_rows"]


class Strided(NamedTuple):
    """An array's first element, and the elements from row to row and from head to head."""

    array: Any
    row: Any
    head: Any


def moved(row: u32, start: Any) -> u32:
    """A row of a sequence that begins at `start` in its array."""
    return row if isinstance(start, int) else row + start


def clear(k: Builder, tiles: Iterable[DeviceTile], first: u32, consumers: int, done: NamedBarrier) -> None:
    """The columns of MN-major tiles from `first` on become zeros, before a product reads them: by the threads of so many
    warpgroups, whose barrier is `done`; by more than one, if it is all that there are behind the one that loads."""
    threads = 128 * consumers
    mine = k.tid.x % 128 if consumers == 1 else k.tid.x - 128
    for tile in tiles:
        lanes = 16 // tile.element.isa.bytes
        each = tile.rows // lanes
        zeros = [k.const(u32, 0)] * 4
        for index in k.range(first * each + mine, tile.columns * each, threads):
            tile.at(index % each * lanes, index // each).cast(u32).vectors(4)[0] = zeros
    k.publish_shared()
    done.sync()


def store_rows(k: Builder, into: Strided, head: u32, begin: Any, start: u32, behind: u32, result: Any) -> None:
    """Of 64 packed rows of a warpgroup, which are a sequence's from `start` on, those before `behind`, two neighbours at a time.
    The sequence begins at the row `begin`."""
    for half in range(2):
        row = k.tid.x % 128 // 32 * 16 + k.lane // 4 + 8 * half + start
        with k.if_(row < behind):
            place = moved(row, begin).to(u64) * into.row + head.to(u64) * into.head
            line = into.array.at(place).cast(u32)
            for index in range(result.columns // 8):
                line[(k.lane % 4) + 4 * index] = result.words[2 * index + half].bits(u32)
