"""Groups of rows with equal keys, and what is computed of each group (ptxgen.kernels.arrays.segments)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import f64, u32
from ptxgen.builder.values import Float
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import logsumexp, segments
from ptxgen.kernels.arrays.group_merge import Output
from ptxgen.kernels.arrays.reduce_by_key import reduction_of
from ptxgen.ops.arguments import (
    check_apart,
    check_array,
    check_column,
    check_device,
    check_element,
    check_result,
    check_same_types,
    value_type,
)
from ptxgen.ops.arrays.aggregates import check_outputs, hash_plan, read_aggregates
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.equality import Equality
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.arrays.hash_groups import HashGroups, ManyGroups
from ptxgen.ops.arrays.run_reductions import Reduced, RunReductions
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ops.arrays.aggregates import Aggregate
    from ptxgen.ops.arrays.equality import Equal

__all__ = ["GroupBy"]


class GroupBy:
    """Groups of rows with equal keys: `by = GroupBy(device, keys)`, then all of a query in one call,

        results = by.aggregate(keys, {"total": ("sum", sold), "rows": ("count",), "dearest": ("max", price)})

    or `by(keys)`, and of each group `by.sizes(out)`, `by.sum(values, out)`, `mean`, `min`, `max`, `any`, `all`, `logsumexp`, and
    `by.first(column, out)`, which also gives the keys themselves; `by.ids(out)` numbers the rows' groups. Keys and values are
    integers of 8 to 64 bits, f16, f32 or f64; keys are equal as `equal` says, one column or several as in `Dedup`.

    `order` has the row numbers group by group, those of a group ascending, and `starts` the places in it where each begins.
    Groups are in order of their keys; a result's element g is of group g. Calls only launch; `total` is a device array of one
    u32, given for ordered groups or its own: how many there are; `count()` waits and reads it. `out` has room for as many
    groups as there are rows. Results are the same bits in every run, those of floating-point sums too.

    `presorted`: equal keys are neighbours already, and groups are these runs, in their order: `{"length": ("count",)}` makes it
    run-length encoding.

    With `ordered=False`, groups come in any order, another in each run, and there is only `aggregate`: it hashes,
    which is faster up to some thousand groups, as long as the host has read of no more (`rows()`, `count()`). A group's results
    are the same in every run, but for sums and means of floats (and means of 64-bit integers): these are added up in f64, in an
    order that depends on timing.
    """

    @takes_any_array
    def __init__(
        self, device: Device, keys: Array | Sequence[Array], *, most: int | None = None, ordered: bool = True,
        presorted: bool = False, equal: Equal = "bits", total: Array | None = None,
    ) -> None:  # fmt: skip
        arrays = as_columns(keys, check_device(device))
        if presorted and not ordered:
            raise BuildError("presorted groups in no order", hint="presorted=True alone, which takes no sort either")
        self._equality = Equality(device, arrays, most, equal)
        self._groups = None if ordered else HashGroups(device, arrays, most)
        self._sorted = Runs(device, arrays, most, presorted=presorted, total=total) if ordered else None
        found = self._groups or self._sorted
        assert found is not None
        self.device, self.most, self.total = device, found.most, found.total
        self._types = [each.type for each in arrays]
        self._rows = device.empty(self.most, u32)
        self._reductions = RunReductions(device, self.most if ordered else 0)
        self._many = ManyGroups(device, self._sorted_groups)
        if self._sorted is not None:
            self.order, self.starts = self._sorted.order, self._sorted.starts
        self._terms: tuple[Array, Array] | None = None
        self._results: dict[tuple[str, type[Value]], Array] = {}
        self._last: dict[str, Array] = {}
        self.keys: list[Array] = []
        """The keys of the groups that `aggregate` found, a column each."""

    @property
    def _runs(self) -> Runs:
        if self._sorted is None:
            raise BuildError("groups in no order are not kept", hint="by.aggregate(...), or GroupBy(..., ordered=True)")
        return self._sorted

    @takes_any_array
    def __call__(self, keys: Array | Sequence[Array]) -> None:
        """Find the groups, on the current stream."""
        self._runs(self._equality(keys))

    def count(self) -> int:
        """How many groups the last call found; waits for it."""
        self._many.found = int.from_bytes(self.total.bytes(), "little")
        return self._many.found

    @takes_any_array
    def aggregate(
        self, keys: Array | Sequence[Array], aggregates: Mapping[str, Sequence[Any]], *, out: Mapping[str, Array] | None = None
    ) -> dict[str, Array]:  # fmt: skip
        """Find the groups and compute of each what is asked for: name -> (op, column), where `op` is "sum", "mean", "min", "max",
        "any", "all" or "first", whose results are as those of the methods, or ("count",), u32.

        Returns an array for each name, of which the first `total` elements count: those of `out`, each with room for every row,
        or arrays of this object, which its next call writes anew. `by.keys` has the groups' keys. The first call of a kind makes
        scratch memory, so it comes before a capture.
        """
        columns = self._equality(keys)
        check_same_types("the keys", columns, tuple(self._types))
        n = columns[0].size
        if n > self.most:
            raise BuildError(f"{n} rows, this operation was made for at most {self.most}")
        wanted = read_aggregates(aggregates, self.device, n)
        if out is not None:
            check_outputs(out, wanted, [*columns, *(each.values for each in wanted if each.values is not None)], n)
        if not self.keys:
            self.keys = [self.device.empty(self.most, kind) for kind in self._types]
        results = {each.name: self._result(each) if out is None else out[each.name] for each in wanted}
        if self._groups is None:
            self._by_order(columns, wanted, results)
        elif (sorting := self._many.way(columns)) is not None:
            sorting.keys = self.keys
            sorting._by_order(columns, wanted, results)
            sorting.keys = []
        else:
            self._by_hash(self._groups, columns, wanted, results)
        self._last = results
        return results

    def rows(self) -> tuple[list[Array], dict[str, Array]]:
        """(keys, results) of the last `aggregate`, cut to the number of groups; waits for it."""
        n = self.count()
        return [key[:n] for key in self.keys], {name: array[:n] for name, array in self._last.items()}

    def _result(self, each: Aggregate) -> Array:
        key = (each.name, each.stored)
        if key not in self._results:
            self._results[key] = self.device.empty(self.most, each.stored)
        return self._results[key]

    def _sorted_groups(self, columns: list[Array]) -> GroupBy:
        return GroupBy(self.device, columns, most=self.most, total=self.total)

    def _by_hash(
        self, groups: HashGroups, columns: list[Array], wanted: list[Aggregate], results: dict[str, Array]
    ) -> None:  # fmt: skip
        plan = hash_plan(wanted)
        outputs, outs = list(plan.outputs.values()), [results[name] for name in plan.outputs]
        single = len(columns) == 1
        if single:
            outputs.append(Output("key", groups.element))
            outs.append(self.keys[0].view(groups.element))
        firsts = [
            (each.values, results[each.name]) for each in wanted if each.op == "first" and each.values is not None
        ]
        if not single:
            firsts += list(zip(columns, self.keys))
        if firsts:
            outputs.append(Output("row", u32))
            outs.append(self._rows)
        groups(columns, plan.values, plan.accumulators, tuple(outputs), outs)
        for column, into in firsts:
            gather(self._rows[: column.size], column, into, limit=self.total)

    def _by_order(self, columns: list[Array], wanted: list[Aggregate], results: dict[str, Array]) -> None:
        if len(columns) > 1:
            self._runs(columns)
            for column, key in zip(columns, self.keys):
                self.first(column, key)
        values = {each.values.pointer: each.values for each in wanted if each.values is not None}
        reduced = [
            Reduced(each.values, each.op, results[each.name])
            for each in wanted if each.values is not None and each.op != "first"
        ]  # fmt: skip
        if len(columns) == 1:
            self._reduce_sorted(columns[0], values, reduced, rows=any(each.op == "first" for each in wanted))
        elif reduced:
            self._reductions.of_marks(self._runs.marks[: self._runs.rows], self._runs.order, reduced)
        for each in wanted:
            if each.op == "count":
                self.sizes(results[each.name])
            elif each.op == "mean":
                self._divide(results[each.name])
            elif each.op == "first" and each.values is not None:
                self.first(each.values, results[each.name])

    def _reduce_sorted(self, column: Array, values: dict[int, Array], reduced: list[Reduced], *, rows: bool) -> None:
        """Sort the keys, with the values where there is one column of 4 bytes, else with their rows; then all in one pass."""
        runs, n = self._runs, column.size
        runs.rows = n
        order: Array | None = None
        if runs.presorted:
            keys = column
        elif not rows and len(values) == 1 and all(each.type.bytes == 4 for each in values.values()):
            (given,) = values.values()
            keys, moved = (
                runs.sorted(column, given.view(u32), self._rows),
                self._rows[:n].view(value_type("values", given)),
            )
            reduced = [each._replace(values=moved) for each in reduced]
        else:
            assert runs.numbers is not None
            keys, order = runs.sorted(column, runs.numbers[:n], runs.order), runs.order
        self._reductions.of_keys(keys, order, reduced, runs.total, runs.starts, self.keys[0])

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
        self._divide(out)

    def _divide(self, sums: Array) -> None:
        runs = self._runs
        segments.divide_plan(runs.rows, runs.total, runs.starts, sums).launch()

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
        check_array("out", out, reduction_of(op, element).stored, device=self.device, least=n)
        check_apart("out", out, "values", values)
        self._reductions.of_marks(runs.marks[:n], runs.order, [Reduced(values, op, out)])

    def close(self) -> None:
        """Free the scratch memory."""
        kept = (*self.keys, *self._results.values(), *(self._terms or ()))
        for each in (self._equality, self._sorted, self._groups, self._many, self._reductions, self._rows, *kept):
            if each is not None:
                each.close()

    def __enter__(self) -> GroupBy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
