"""Groups of rows with equal keys, and what is computed of each group (ptxgen.kernels.arrays.segments)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import f64, u32, u64
from ptxgen.builder.values import Float
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import gather as gathering
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
from ptxgen.ops.arrays.aggregates import check_outputs, hash_plan, read_aggregates, separated, type_of
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.equality import Equality
from ptxgen.ops.arrays.hash_groups import HashGroups, ManyGroups
from ptxgen.ops.arrays.run_reductions import Reduced, RunReductions
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.borrowing import Launches, takes_any_array
from ptxgen.ops.scratch import read_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.kernels.plan import KernelPlan
    from ptxgen.ops.arrays.aggregates import Aggregate
    from ptxgen.ops.arrays.equality import Equal
    from ptxgen.ops.launches import Plan, Plans

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

    With `ordered=False`, groups come in any order, another in each run, and there is only `aggregate`: it hashes, which is
    faster up to some thousand groups, or sorts where the host has read of more (`rows()`, `count()`) or the device finds more. A
    group's results are the same in every run, but for sums and means of floats (and means of 64-bit integers): these are added up
    in f64, in an order that depends on timing.
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
        self._many = ManyGroups(device, self.most, self._sorted_groups)
        if self._sorted is not None:
            self.order, self.starts = self._sorted.order, self._sorted.starts
        self._terms: tuple[Array, Array] | None = None
        self._results: dict[tuple[str, type[Value]], Array] = {}
        self._named: dict[Any, dict[str, Array]] = {}  # the results of calls, by what they asked for
        self._last: dict[str, Any] = {}
        self._count = 0  # rows of the last call
        self.keys: list[Array] = []
        """The keys of the groups that `aggregate` found, a column each."""
        self.launches = Launches(device)

    @property
    def _runs(self) -> Runs:
        if self._sorted is None:
            raise BuildError("groups in no order are not kept", hint="by.aggregate(...), or GroupBy(..., ordered=True)")
        return self._sorted

    def __call__(self, keys: Any) -> None:
        """Find the groups, on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (), keys)
        self._count = _rows_of(keys)

    def assume(self, rows: int) -> None:
        """The launches of a call of so many rows were made again, by whoever keeps them: this is the last call now."""
        self._count = rows

    def plans(self, keys: Array | Sequence[Array]) -> Plans:
        """The launches that find the groups."""
        columns, copies = self._equality.plans(keys)
        return [*copies, *self._runs.plans(columns)]

    def count(self) -> int:
        """How many groups the last call found; waits for it."""
        found = self._many.found = read_number(self.total)
        return found

    def aggregate(
        self, keys: Any, aggregates: Mapping[str, Sequence[Any]], *, out: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """Find the groups and compute of each what is asked for: name -> (op, column), where `op` is "sum", "mean", "min", "max",
        "any", "all" or "first", whose results are as those of the methods, or ("count",), u32.

        Returns an array for each name, of which the first `total` elements count: those of `out`, each with room for every row,
        or arrays of this object, which its next call writes anew. `by.keys` has the groups' keys. The first call of a kind makes
        scratch memory.
        """
        ops, values = separated(aggregates)
        form = (ops, *map(type_of, values))
        outs, names = (None, None) if out is None else (list(out.values()), tuple(out))
        many = self._many.expected
        self.launches.run(self.aggregate_plans, (form, names, many), keys, values, outs)
        self._count = _rows_of(keys)
        self._last = self._named[form] if out is None else dict(out)
        return self._last

    def aggregate_plans(
        self,
        keys: Array | Sequence[Array],
        values: list[Array],
        outs: list[Array] | None,
        form: Any,
        names: Any,
        many: bool | None,
    ) -> Plans:
        """The launches of `aggregate`; `form` has the names and operations, and the types of the values. `many` groups
        are expected, None where that is not known."""
        columns, copies = self._equality.plans(keys)
        check_same_types("the keys", columns, tuple(self._types))
        n = columns[0].size
        if n > self.most:
            raise BuildError(f"{n} rows, this operation was made for at most {self.most}")
        wanted = read_aggregates(form[0], values, self.device, n)
        if not self.keys:
            self.keys = [self.device.empty(self.most, kind) for kind in self._types]
        if outs is None:
            results = {each.name: self._result(each) for each in wanted}
            self._named[form] = results
        else:
            results = dict(zip(names, outs))
            check_outputs(results, wanted, [*columns, *values], n)
        if self._groups is None:
            return [*copies, *self._by_order(columns, wanted, results, self.keys)]
        groups, keys = self._groups, self.keys
        found = self._many.plans(
            columns, many, lambda: self._by_hash(groups, columns, wanted, results),
            lambda way: way._by_order(columns, wanted, results, keys),
        )  # fmt: skip
        return [*copies, *found]

    def rows(self) -> tuple[list[Array], dict[str, Any]]:
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
    ) -> Plans:  # fmt: skip
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
        found = groups.plans(columns, plan.values, plan.accumulators, tuple(outputs), outs)
        n = columns[0].size
        return [*found, *(gathering.plan(n, self._rows, column, into, limit=self.total) for column, into in firsts)]

    def _by_order(
        self, columns: list[Array], wanted: list[Aggregate], results: dict[str, Array], keys: list[Array]
    ) -> Plans:  # fmt: skip
        n = columns[0].size
        plans: list[Plan] = []
        if len(columns) > 1:
            plans += self._runs.plans(columns)
            for column, key in zip(columns, keys):
                plans += self.first_plans(column, key, n)
        values = {each.values._here: each.values for each in wanted if each.values is not None}
        reduced = [
            Reduced(each.values, each.op, results[each.name])
            for each in wanted if each.values is not None and each.op != "first"
        ]  # fmt: skip
        if len(columns) == 1:
            plans += self._reduce_sorted(columns[0], keys[0], values, reduced, {each.op for each in wanted})
        elif reduced:
            plans += self._reductions.of_marks(self._runs.marks[:n], self._runs.order, reduced)
        for each in wanted:
            if each.op == "count":
                plans += self.sizes_plans(results[each.name], n)
            elif each.op == "mean":
                plans.append(self._divide(results[each.name], n))
            elif each.op == "first" and each.values is not None:
                plans += self.first_plans(each.values, results[each.name], n)
        return plans

    def _reduce_sorted(
        self, column: Array, first: Array, values: dict[int, Array], reduced: list[Reduced], ops: set[str]
    ) -> Plans:  # fmt: skip
        """Sort the keys, with the values where there is one column of 4 or 8 bytes, else with their rows; then all in one
        pass."""
        runs, n = self._runs, column.size
        order: Array | None = None
        starts: Array | None = runs.starts
        sort: Plans = ()
        if runs.presorted:
            keys = column
        elif "first" not in ops and len(values) == 1 and all(each.type.bytes >= 4 for each in values.values()):
            (given,) = values.values()
            moved = self._rows
            if not ops & {"count", "mean"}:
                starts = None
            if given.type.bytes == 4:
                keys, sort = runs.sorted(column, given.view(u32), moved)
            else:
                keys, moved, sort = runs.sorted_wide(column, given.view(u64))
            moved = moved[:n].view(value_type("values", given))
            reduced = [each._replace(values=moved) for each in reduced]
        else:
            assert runs.numbers is not None
            keys, sort = runs.sorted(column, runs.numbers[:n], runs.order)
            order = runs.order
        return [*sort, *self._reductions.of_keys(keys, order, reduced, runs.total, starts, first)]

    def sizes(self, out: Any) -> None:
        """out[g] = rows of the group, u32."""
        self.launches.run(self.sizes_plans, (self._count,), out)

    def sizes_plans(self, out: Array, n: int) -> Plans:
        """The launches, of n rows; those of the other methods likewise."""
        runs = self._runs
        check_array("out", out, u32, device=self.device, least=n)
        return (segments.lengths_plan(n, runs.total, runs.starts, out),)

    def first(self, column: Any, out: Any) -> None:
        """out[g] = the column's element in the first row of the group."""
        self.launches.run(self.first_plans, (self._count,), column, out)

    def first_plans(self, column: Array, out: Array, n: int) -> Plans:
        runs = self._runs
        check_column("column", column, device=self.device)
        if column.size != n:
            raise BuildError(f"the column has {column.size} rows, the keys had {n}")
        check_result("out", out, column, n)
        return (
            *self.firsts_plans(self._rows, n),
            gathering.plan(n, self._rows, column, out, limit=runs.total),
        )

    def firsts(self, out: Any) -> None:
        """out[g] = the number of the group's first row, u32."""
        self.launches.run(self.firsts_plans, (self._count,), out)

    def firsts_plans(self, out: Array, n: int) -> Plans:
        runs = self._runs
        check_array("out", out, u32, device=self.device, least=n)
        return (gathering.plan(n, runs.starts, runs.order, out, limit=runs.total),)

    def sum(self, values: Any, out: Any) -> None:
        """out[g] = the sum of the group's values, in u64, s64 or f64; 64-bit integers wrap."""
        self.launches.run(self.reduce_plans, (self._count, "sum"), values, out)

    def mean(self, values: Any, out: Any) -> None:
        """out[g] = the sum of the group's values in f64, divided by how many there are."""
        self.launches.run(self.reduce_plans, (self._count, "mean"), values, out)

    def any(self, values: Any, out: Any) -> None:
        """out[g] = 1 where any of the group's values is not 0 (as NaN is not), else 0; u8."""
        self.launches.run(self.reduce_plans, (self._count, "any"), values, out)

    def all(self, values: Any, out: Any) -> None:
        """out[g] = 1 where none of the group's values is 0, else 0; u8."""
        self.launches.run(self.reduce_plans, (self._count, "all"), values, out)

    def min(self, values: Any, out: Any) -> None:
        """out[g] = the smallest of the group's values; of a number and NaN, the number, and NaN of nothing but NaN."""
        self.launches.run(self.reduce_plans, (self._count, "min"), values, out)

    def max(self, values: Any, out: Any) -> None:
        """out[g] = the largest of the group's values; of a number and NaN, the number, and NaN of nothing but NaN."""
        self.launches.run(self.reduce_plans, (self._count, "max"), values, out)

    def reduce_plans(self, values: Array, out: Array, n: int, op: str) -> Plans:
        runs, element = self._runs, value_type("values", values)
        if check_array("values", values, element, device=self.device) != n:
            raise BuildError(f"values have {values.size} rows, the keys had {n}")
        check_array("out", out, reduction_of(op, element).stored, device=self.device, least=n)
        check_apart("out", out, "values", values)
        found = self._reductions.of_marks(runs.marks[:n], runs.order, [Reduced(values, op, out)])
        return [*found, self._divide(out, n)] if op == "mean" else found

    def _divide(self, sums: Array, n: int) -> KernelPlan:
        runs = self._runs
        return segments.divide_plan(n, runs.total, runs.starts, sums)

    def ids(self, out: Any) -> None:
        """out[row] = the number of the row's group, u32."""
        self.launches.run(self.ids_plans, (self._count,), out)

    def ids_plans(self, out: Array, n: int) -> Plans:
        runs = self._runs
        check_array("out", out, u32, device=self.device, least=n)
        return (segments.numbers_plan(n, runs.total, runs.starts, runs.order, out),)

    def logsumexp(self, values: Any, out: Any) -> None:
        """out[g] = log(sum(exp(value))) of the group's values, f32 or f64, in f64; nothing overflows. A group with a NaN becomes
        NaN. The first call makes scratch memory of 16 bytes a row."""
        self.launches.run(self.logsumexp_plans, (self._count,), values, out)

    def logsumexp_plans(self, values: Array, out: Array, n: int) -> Plans:
        element = check_element("logsumexp", value_type("values", values))
        if not issubclass(element, Float):
            raise BuildError(f"no logsumexp of .{element.isa.name} values", hint="f32 or f64")
        check_array("out", out, f64, device=self.device, least=n)
        check_apart("out", out, "values", values)
        if self._terms is None:
            self._terms = (self.device.empty(self.most, f64), self.device.empty(self.most, f64))
        terms, tops = self._terms[0][:n], self._terms[1].view(element)[:n]
        return [
            *self.reduce_plans(values, tops, n, "max"),
            *self.ids_plans(self._rows, n),
            logsumexp.shifted_exp_plan(n, values, self._rows, tops, terms, element=element),
            *self.reduce_plans(terms, out, n, "sum"),
            logsumexp.add_log_plan(n, self.total, tops, out, out, element=element),
        ]

    def close(self) -> None:
        """Free the scratch memory."""
        self.launches.close()
        kept = (*self.keys, *self._results.values(), *(self._terms or ()))
        for each in (self._equality, self._sorted, self._groups, self._many, self._reductions, self._rows, *kept):
            if each is not None:
                each.close()

    def __enter__(self) -> GroupBy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _rows_of(keys: Any) -> int:
    """Rows of one array or several of any library."""
    first = keys[0] if isinstance(keys, (list, tuple)) else keys
    return int(first.shape[0])
