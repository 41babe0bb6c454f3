"""In which order tiles of attention are taken by CTAs that each take every so manieth one.

Where a query sees only the keys before it, the tiles of a head are of very different length. CTAs have as much to do as each
other when heads go alternately from their shortest tile to the longest one and back: what a CTA's place in one group of heads
gives it too much, the next one takes away. Of groups that all went the same way, some CTAs would have the long tiles of each
(1.5 times the mean at 64 heads of 32 tiles, in groups of 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, u32
from ptxgen.kernels.plan import KernelPlan, ceil_div

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["heads_beside", "in_turn", "tiles_in_turn"]

FEW, MOST = 8, 16
"""Heads beside each other: L2 holds the keys and values of few better, more have tiles enough for all CTAs (measured, H200)."""

MANY = 32
"""Tiles of a head of which few heads have enough."""


def heads_beside(d: int, heads: int, tiles: int, causal: bool) -> int:
    """The heads, of so many in all, whose `tiles` are taken beside each other; causal ones in an even number of groups."""
    if causal:
        return ceil_div(heads, 2 * ceil_div(heads, 2 * (FEW if tiles >= MANY else MOST)))
    return min(MOST if d == 64 else 1, heads)


def in_turn(kernel: Any, arguments: tuple[Any, ...], tiles: int, processors: int, consumers: int) -> KernelPlan:
    """A CTA a SM at most, of a loading warpgroup and so many that compute: together they take all tiles."""
    return KernelPlan(kernel, max(1, min(tiles, processors)), 128 * (1 + consumers), arguments, programmatic=True)


def tiles_in_turn(k: Builder, heads: u32, tiles: u32, group: u32, causal: bool) -> Iterator[tuple[u32, u32]]:
    """(head, place) of this CTA's tiles; place 0 is a head's longest one, and those behind it are ever shorter."""
    for head, place in k.persistent_tiles(heads, tiles, group=group):
        if causal:
            rising = head // group % 2 == 0
            place = k.select(rising, tiles - 1 - place, place)
        yield head, place
