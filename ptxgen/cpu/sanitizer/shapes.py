"""The shape of a launch, and who a thread is by its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.record_layout import LaunchRecord

__all__ = ["LaunchShape", "coordinates", "shape_of"]


Dim3 = tuple[int, int, int]
"""x, y, z."""


class LaunchShape(NamedTuple):
    """CTAs of the grid, threads of a CTA, warps of a CTA."""

    grid: Dim3
    block: Dim3
    warps: int

    def thread(self, who: int) -> Dim3:
        """The coordinates of a thread: `who` is its warp's word in a clock and, in the lowest five bits, its lane."""
        warp = (who >> 5) % (self.warps + 1) - 1
        return coordinates(32 * warp + (who & 31), self.block)

    def column(self, who: int) -> int:
        """The number of its CTA's column."""
        return (who >> 5) // (self.warps + 1)

    def cta(self, index: int) -> Dim3:
        """The coordinates of a CTA by its number in the grid."""
        return coordinates(index, self.grid)


def shape_of(launch: LaunchRecord) -> LaunchShape:
    """That of the launch that a record is of."""
    grid, block = launch.grid, launch.block
    return LaunchShape((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]), launch.warps)


def coordinates(number: int, extents: Sequence[int]) -> Dim3:
    """x, y and z of a number that counts through these extents, x first."""
    return number % extents[0], number // extents[0] % extents[1], number // extents[0] // extents[1]
