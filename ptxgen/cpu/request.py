"""What is to be launched: the shape of a grid, checked, and how it runs. The launches of one shape share one."""

from __future__ import annotations

from math import prod

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu.options import FILLS

if TYPE_CHECKING:
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.options import LaunchOptions
    from ptxgen.cpu.relocatable import KernelCode

__all__ = ["FIRST_TICK", "TICK", "Request"]

LARGEST_CLUSTER = 16

TICK = 8_000_000
"""Instructions (times lanes) between looks at a launch in unoptimised code: about 3 ms."""
FIRST_TICK = 400_000
"""The same that a launch runs alone before it may have more workers: 50 to 200 us."""
_PARTS = 3
"""A worker takes one in 2 to the power of this of its part of what is left: the last ones to end differ by little."""
_MOST_TAKEN = 64
"""Clusters that a worker takes at a time, of a kernel whose CTAs do not wait for each other: neighbours share pages."""
_ALL = (0, (1 << 32) - 1)
_SHARED_UNIT = 128
"""Bytes that shared memory is allocated in (manual 10, %total_smem_size)."""


class Request:
    """A grid of CTAs, `together` of them in a cluster, `resident` in flight at first and `most` at last; sizes in bytes.

    room: `most` of a larger grid. shares: several workers may run it. share: what one of them takes at a time, `claim_shift` and
    `claim_most` of the launch record. tick: instructions until the first look. head: how that record begins.
    """

    __slots__ = (
        "block", "cluster", "cooperative", "ctas", "dynamic_shared", "fills", "grid", "head", "most", "options", "resident",
        "room", "share", "shared", "shares", "tick", "together",
    )  # fmt: skip

    def __init__(
        self, code: KernelCode, static_shared: int, grid: Dim3, block: Dim3, dynamic_shared: int, cluster: Dim3 | None,
        cooperative: bool, room: int, options: LaunchOptions,
    ) -> None:  # fmt: skip
        """Raises ValueError for an impossible grid."""
        if min(grid) < 1:
            raise ValueError(f"a grid is three positive numbers of CTAs, not {grid}")
        self.grid = grid
        self.block = block
        self.cluster = cluster
        self.cooperative = cooperative
        self.dynamic_shared = dynamic_shared
        units = (options.bounds == "units" and options.sanitizer is None) or code.reserved_shared
        unit = _SHARED_UNIT if units else 1
        self.shared = -(-(static_shared + dynamic_shared) // unit) * unit + code.reserved_shared
        self.options = options
        self.ctas = prod(grid)
        self.together = 1 if cluster is None else _ctas_of(cluster, grid)
        self.resident = self.ctas if cooperative else self.together
        room = options.max_resident or room
        if "racecheck" in code.tools:
            room = _watchable(room, self.resident, block)
        self.room = max(room, self.resident)
        most = min(self.room, self.ctas)
        self.most = most - most % self.together
        self.shares = self.ctas > self.together and not options.alone and not code.prints
        self.share = _ALL
        self.tick = TICK
        if self.shares:
            waits = code.polls or cooperative  # for those before them: they start one by one, in order
            self.share = (options.workers - 1).bit_length() + _PARTS, 1 if waits else _MOST_TAKEN
            self.tick = FIRST_TICK
        self.fills = FILLS[options.shared] or int(code.uses_copies or options.sanitizer is not None)
        self.head = (
            *grid, *(cluster or (1, 1, 1)), options.budget, self.resident, cluster is not None, self.together, 0, 0, self.ctas,
        )  # fmt: skip


def _ctas_of(cluster: Dim3, grid: Dim3) -> int:
    """CTAs of a cluster. Raises ValueError when a grid has no such clusters."""
    if min(cluster) < 1:
        raise ValueError(f"a cluster is three positive numbers of CTAs, not {cluster}")
    if prod(cluster) > LARGEST_CLUSTER:
        raise ValueError(f"{prod(cluster)} CTAs in a cluster: at most {LARGEST_CLUSTER}")
    if any(extent % size for extent, size in zip(grid, cluster)):
        raise ValueError(f"clusters of {cluster} CTAs do not divide a grid of {grid}")
    return prod(cluster)


def _watchable(most: int, resident: int, block: Dim3) -> int:
    """As many CTAs as racecheck can tell apart. Raises ValueError where that is too few."""
    from ptxgen.cpu.sanitizer.launch import most_records

    limit = most_records(-(-prod(block) // 32))
    if resident > limit:
        raise ValueError(
            f"racecheck watches {limit} CTAs of {prod(block)} threads at once, and the launch has {resident}"
        )
    return min(most, limit)
