"""Joins by any comparison: every pair of rows for which it holds (ptxgen.kernels.joins.loop_join)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.errors import BuildError
from ptxgen.kernels.arrays.select import COMPARISONS
from ptxgen.kernels.joins import loop_join
from ptxgen.ops.arguments import check_array, check_count, check_device, check_element
from ptxgen.ops.joins.keys import MOST_ROWS
from ptxgen.ops.joins.pairs import PairJoin
from ptxgen.ops.launches import Fill

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["LoopJoin"]


class LoopJoin(PairJoin):
    """`join = LoopJoin(device, u32, "lt", most, most_pairs)`, then `join(probe, build)` and `join.pairs()`: every pair with
    `probe OP build`, by "eq", "ne", "lt", "le", "gt" or "ge", of columns of integers of 8 to 64 bits, f16, f32 or f64.

    Pairs are in order of the probe rows, and those of a row in order of the build rows. Comparisons are those of numbers: a NaN
    equals nothing. Every row meets every other: equality of large columns is what `Join` is for. `most` probe rows a call.
    """

    def __init__(self, device: Device, element: type[Value], op: str, most: int, most_pairs: int) -> None:
        if op not in COMPARISONS:
            raise BuildError(f"no comparison {op!r}", hint=", ".join(COMPARISONS))
        self.element, self.op = check_element("nested-loop join", element, bits=(8, 16, 32, 64)), op
        super().__init__(check_device(device), check_count("most", most, most=MOST_ROWS), most_pairs)

    def __call__(self, probe: Any, build: Any) -> None:
        """Launch on the current stream, or on the arrays'."""
        self._launch((), (probe, build))

    def plans(self, probe: Array, build: Array) -> Plans:
        n = check_array("probe", probe, self.element, device=self.device, most=self.most)
        m = check_array("build", build, self.element, device=self.device, most=MOST_ROWS)
        results = (self.total, self.capacity, self.left, self.right)
        return (
            Fill(self.total),
            loop_join.count_plan(n, probe, m, build, self.counts, self.total, element=self.element, op=self.op),
            self.scan_plan(n),
            loop_join.write_plan(n, probe, m, build, self.places, *results, element=self.element, op=self.op),
        )  # fmt: skip
