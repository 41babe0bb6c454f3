"""The different rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder import u32
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device

__all__ = ["Dedup"]


class Dedup:
    """`Dedup(device, columns)(columns)`: `out` has the number of the first of all rows that are equal, in order of the rows.

    A row has one column or several, of integers of 8 to 64 bits, f16, f32 or f64; rows are equal when their bits are. A
    call only launches; `total` is a device array of one u32, and `rows()` waits and cuts `out` to size. `most` rows a call, by
    default as many as `columns` have.
    """

    @takes_any_array
    def __init__(self, device: Device, columns: Array | Sequence[Array], *, most: int | None = None) -> None:
        self._runs = Runs(device, columns, most)
        self.device, self.most, self.total = device, self._runs.most, self._runs.total
        self.out = device.empty(self.most, u32)

    @takes_any_array
    def __call__(self, columns: Array | Sequence[Array]) -> None:
        """Launch on the current stream."""
        runs = self._runs
        runs(columns)
        gather(runs.starts[: runs.rows], runs.order, self.out, limit=self.total)

    def rows(self) -> Array:
        """What the last call found; waits for it."""
        return self.out[: self._runs.count()]

    def close(self) -> None:
        """Free the scratch memory and the result."""
        self._runs.close()
        self.out.close()

    def __enter__(self) -> Dedup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
