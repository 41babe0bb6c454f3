"""Groups of rows with equal keys, and what is computed of each group (ptxgen.kernels.arrays.segments)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder import f64, u8, u32
from ptxgen.builder.values import Float
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import logsumexp, segments
from ptxgen.ops.arguments import check_apart, check_array, check_column, check_element, check_result, value_type
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device

__all__ = ["GroupBy"]


class GroupBy:
    """`by = GroupBy(device, keys)`, then `by(keys)`, and of each group `by.sizes(out)`, `by.sum(values, out)`, `mean`, `min`,
    `max`, `any`, `all`, `logsumexp`, and `by.first(column, out)`, which also gives the keys themselves; `by.ids(out)` numbers the
    rows' groups. Keys and values are integers of 8 to 64 bits, f16, f32 or f64.

    `order` has the row numbers group by group, those of a group ascending, and `starts` the places in it where each begins.
    Groups are in order of their keys, one column or several as in `Dedup`; a result's element g is of group g. Calls only
    launch; `total` is a device array of one u32, how many groups there are, and `count()` waits and reads it. `out` has room
    for as many groups as there are rows. Results are the same bits in every run, those of floating-point sums too.
    """

    @takes_any_array
    def __init__(self, device: Device, keys: Array | Sequence[Array], *, most: int | None = None) -> None:
        self._runs = Runs(device, keys, most)
        self.device, self.most, self.total = device, self._runs.most, self._runs.total
        pieces = segments.pieces_of(self.most)
        self._pieces = device.empty(2 * 8 * pieces, u8)
        self._rows = device.empty(self.most, u32)
        self.order, self.starts = self._runs.order, self._runs.starts
        self._terms: tuple[Array, Array] | None = None

    @takes_any_array
    def __call__(self, keys: Array | Sequence[Array]) -> None:
        """Find the groups, on the current stream."""
        self._runs(keys)

    def count(self) -> int:
        """How many groups the last call found; waits for it."""
        return self._runs.count()

    @takes_any_array
    def sizes(self, out: Array) -> None:
        """out[g] = rows of the group, u32."""
        runs = self._runs
        check_array("out", out, u32, device=self.device, least=runs.rows)
        segments.lengths_plan(runs.rows, runs.total, runs.starts, out).launch()

    @takes_any_array
    def first(self, column: Array, out: Array) -> None:
        """out[g] = the column's element in the first row of the group."""
        runs = self._runs
        check_column("column", column, device=self.device)
        if column.size != runs.rows:
            raise BuildError(f"the column has {column.size} rows, the keys had {runs.rows}")
        check_result("out", out, column, runs.rows)
        rows = self._rows[: runs.rows]
        gather(runs.starts[: runs.rows], runs.order, rows, limit=runs.total)
        gather(rows, column, out, limit=runs.total)

    @takes_any_array
    def sum(self, values: Array, out: Array) -> None:
        """out[g] = the sum of the group's values, in u64, s64 or f64; 64-bit integers wrap."""
        self._reduce("sum", values, out)

    @takes_any_array
    def mean(self, values: Array, out: Array) -> None:
        """out[g] = the sum of the group's values in f64, divided by how many there are."""
        self._reduce("mean", values, out)
        runs = self._runs
        segments.divide_plan(runs.rows, runs.total, runs.starts, out).launch()

    @takes_any_array
    def any(self, values: Array, out: Array) -> None:
        """out[g] = 1 where any of the group's values is not 0 (as NaN is not), else 0; u8."""
        self._reduce("any", values, out)

    @takes_any_array
    def all(self, values: Array, out: Array) -> None:
        """out[g] = 1 where none of the group's values is 0, else 0; u8."""
        self._reduce("all", values, out)

    @takes_any_array
    def min(self, values: Array, out: Array) -> None:
        """out[g] = the smallest of the group's values; of a number and NaN, the number, and NaN of nothing but NaN."""
        self._reduce("min", values, out)

    @takes_any_array
    def max(self, values: Array, out: Array) -> None:
        """out[g] = the largest of the group's values; of a number and NaN, the number, and NaN of nothing but NaN."""
        self._reduce("max", values, out)

    @takes_any_array
    def ids(self, out: Array) -> None:
        """out[row] = the number of the row's group, u32."""
        runs = self._runs
        check_array("out", out, u32, device=self.device, least=runs.rows)
        segments.numbers_plan(runs.rows, runs.total, runs.starts, runs.order, out).launch()

    @takes_any_array
    def logsumexp(self, values: Array, out: Array) -> None:
        """out[g] = log(sum(exp(value))) of the group's values, f32 or f64, in f64; nothing overflows. A group with a NaN becomes
        NaN. The first call makes scratch memory of 16 bytes a row."""
        element = check_element("logsumexp", value_type("values", values))
        if not issubclass(element, Float):
            raise BuildError(f"no logsumexp of .{element.isa.name} values", hint="f32 or f64")
        n = self._runs.rows
        check_array("out", out, f64, device=self.device, least=n)
        check_apart("out", out, "values", values)
        if self._terms is None:
            self._terms = (self.device.empty(self.most, f64), self.device.empty(self.most, f64))
        terms, tops = self._terms[0][:n], self._terms[1].view(element)[:n]
        self.max(values, tops)
        self.ids(self._rows)
        logsumexp.shifted_exp_plan(n, values, self._rows, tops, terms, element=element).launch()
        self.sum(terms, out)
        logsumexp.add_log_plan(n, self.total, tops, out, out, element=element).launch()

    def _reduce(self, op: str, values: Array, out: Array) -> None:
        runs, element = self._runs, value_type("values", values)
        n = runs.rows
        if check_array("values", values, element, device=self.device) != n:
            raise BuildError(f"values have {values.size} rows, the keys had {n}")
        how = segments.reduction_of(op, element)
        check_array("out", out, how.stored, device=self.device, least=n)
        check_apart("out", out, "values", values)
        half = self._pieces.size // 2
        heads, tails = (part.view(how.accumulator) for part in (self._pieces[:half], self._pieces[half:]))
        found = (runs.total, runs.starts)
        segments.reduce_plan(n, *found, runs.order, values, out, heads, tails, element=element, op=op).launch()
        segments.join_plan(n, *found, heads, tails, out, element=element, op=op).launch()

    def close(self) -> None:
        """Free the scratch memory."""
        for each in (self._runs, self._pieces, self._rows, *(self._terms or ())):
            each.close()

    def __enter__(self) -> GroupBy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
