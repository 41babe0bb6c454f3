"""What every join has in common: memory for the pairs, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.joins.hash_join import NO_ROW
from ptxgen.ops.arguments import check_count
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.arrays.scan import Scan
from ptxgen.ops.borrowing import Launches, takes_any_array
from ptxgen.ops.scratch import HostNumber, read_number

if TYPE_CHECKING:
    from ptxgen.host import Array, Device
    from ptxgen.kernels.plan import KernelPlan
    from ptxgen.ops.launches import Plans

__all__ = ["MOST_PAIRS", "NO_ROW", "JoinOverflowError", "JoinResult", "PairJoin", "Pairs"]

MOST_PAIRS = (1 << 32) - 1
"""Pairs of a join: their places have 32 bits."""

Self = TypeVar("Self", bound="JoinResult")


class JoinOverflowError(BuildError):
    """A join has more pairs than can be numbered in 32 bits. `total` is how many."""

    def __init__(self, total: int) -> None:
        super().__init__(
            f"the join has {total} pairs, at most {MOST_PAIRS} can be written at once",
            hint="join the probe side in parts",
        )
        self.total = total


class Pairs(NamedTuple):
    """Rows of both sides: `left[i]` of the probe side belongs with `right[i]` of the build side.

    `total` is how many pairs there are, of which no more than the room that the join was given were written.
    """

    left: Array
    right: Array
    total: int

    @property
    def device(self) -> Device:
        """Where they lie."""
        return self.left.device

    @property
    def overflowed(self) -> bool:
        """Were there more than were written?"""
        return self.total > self.left.size

    @takes_any_array
    def gather(
        self, probe: Sequence[Array] = (), build: Sequence[Array] = (), *, fill: float | Sequence[float] = 0
    ) -> list[Array]:
        """The joined table in arrays of its own: columns of the probe side, then of the build side. `fill`: what these have
        where an outer join has no row, one number or one for each of them, of their types."""
        fills: list[float] = list(fill) if isinstance(fill, Sequence) else [fill] * len(build)
        if len(fills) != len(build):
            raise BuildError(f"fill has {len(fills)} numbers for {len(build)} columns of the build side")
        found: list[Array] = []
        for rows, columns, numbers in ((self.left, probe, [0] * len(probe)), (self.right, build, fills)):
            for column, number in zip(columns, numbers):
                found.append(column.device.empty(rows.size, column.type))
                gather(rows, column, found[-1], fill=number)
        return found


class JoinResult:
    """Memory for a join's pairs and their number, and the launches that find them, which what derives from it plans."""

    def __init__(self, device: Device, most_pairs: int, *, host_total: bool = False) -> None:
        self.device, self.capacity = device, check_count("most_pairs", most_pairs, most=MOST_PAIRS)
        self._number = HostNumber(device, u64) if host_total else None
        self.total = device.zeros(1, u64) if self._number is None else self._number.array
        self.left, self.right = (device.empty(self.capacity, u32) for _ in range(2))
        self.launches = Launches(device)
        self._asked: tuple[tuple[Any, ...], tuple[Any, ...]] | None = None  # the last call's options and arrays

    def pairs(self, *, grow: bool = False) -> Pairs:
        """What the last call found; waits for it. JoinOverflowError when the pairs cannot be numbered in 32 bits.

        `grow` makes room for all pairs where there was too little, and joins anew, with the table and the keys as they are now.
        Not for a join that a graph holds: that one goes on writing where it was captured to write.
        """
        total = self._read_total()
        while grow and total > self.capacity and self._asked is not None:
            self._make_room(total)
            self._launch(*self._asked)
            total = self._read_total()
        written = min(total, self.capacity)
        return Pairs(self.left[:written], self.right[:written], total)

    def _read_total(self) -> int:
        total = read_number(self.total) if self._number is None else self._number.read()
        if total > MOST_PAIRS:
            raise JoinOverflowError(total)
        return total

    def _make_room(self, total: int) -> None:
        self.left.close()
        self.right.close()
        self.capacity = 0  # what stays where there is no memory for all of them
        self.left, self.right = (self.device.empty(0, u32) for _ in range(2))
        self.left, self.right = (self.device.empty(total, u32) for _ in range(2))
        self.capacity = total

    def _launch(self, options: tuple[Any, ...], arrays: tuple[Any, ...]) -> None:
        """Launch what `plans` gives for the arrays, and again where the pairs have no room."""
        self._asked = options, arrays
        self.launches.run(self.plans, options, *arrays)

    if TYPE_CHECKING:

        def plans(self, *arrays: Any) -> Plans:
            """What finds the pairs, from a call's arrays and options."""

    def let_go(self) -> None:
        """Forget the arrays of the last call."""
        self._asked = None

    def close(self) -> None:
        """Free the results."""
        self.launches.close()
        for each in (self.total if self._number is None else self._number, self.left, self.right):
            each.close()
        self._asked = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PairJoin(JoinResult):
    """Counts its matches, scans the counts and writes the pairs: three launches that what derives from it plans."""

    def __init__(self, device: Device, most: int, most_pairs: int) -> None:
        super().__init__(device, most_pairs)
        self.most = most
        self.counts, self.places = device.empty(most, u32), device.empty(most, u32)
        self._scan = Scan(device, u32, most, exclusive=True)

    def scan_plan(self, rows: int) -> KernelPlan:
        """places[:rows] from counts[:rows]."""
        return self._scan.plan(self.counts[:rows], self.places[:rows])

    def close(self) -> None:
        """Free the scratch memory and the results."""
        super().close()
        for each in (self.counts, self.places, self._scan):
            each.close()
