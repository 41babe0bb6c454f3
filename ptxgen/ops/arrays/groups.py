"""Groups of rows with equal keys in one call: `groupby(keys).sum(values)`."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ptxgen.builder import SCALARS, f64, u32
from ptxgen.kernels.arrays.reduce_by_key import reduction_of
from ptxgen.ops.arguments import value_type
from ptxgen.ops.arrays.aggregates import separated
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.groupby import GroupBy
from ptxgen.ops.calls import Call, launched_before, read_again
from ptxgen.ops.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.host import Array
    from ptxgen.ops.arrays.equality import Equal

__all__ = ["Groups", "groupby"]


class Groups:
    """The groups of `groupby`, in order of their keys. `keys` has the key of each, an array or a list of columns, and
    `len(groups)` is how many there are. Results are arrays of one element a group, of the library of the keys; values are columns
    with a row for each of the keys'. Work goes to the stream that the groups were found on, in order with the values' own.
    """

    def __init__(self, call: Call, by: GroupBy, columns: list[Array], alone: bool) -> None:
        self._by, self._rows = by, columns[0].size
        self._device, self._stream = call.device, call.device.current_stream
        made = []
        for column in columns:  # launched before the number of groups is waited for
            key, ours = call.result(column.size, SCALARS[column.type.name])
            by.first(column, ours)
            made.append(key)
        self._count = by.count()
        keys = [call.cut(key, self._count) for key in made]
        self.keys: Any = keys[0] if alone else keys
        self._like = keys[0]
        weakref.finalize(self, call.hold(by)).atexit = False

    def __len__(self) -> int:
        return self._count

    def sizes(self) -> Any:
        """Rows of each group, u32 (s32 in PyTorch)."""
        return self._of_each("sizes", None, lambda rows: rows)

    def ids(self) -> Any:
        """Of each row the number of its group, u32 (s32 in PyTorch)."""
        with self._device.use(self._stream), Call(like=self._like) as call:
            made, ours = call.numbers(self._rows)
            self._by.ids(ours)
            return made

    def first(self, column: Any) -> Any:
        """A column's element in the first row of each group."""
        return self._of_each("first", column, lambda element: element)

    def sum(self, values: Any) -> Any:
        """The sum of each group's values, in u64, s64 or f64; 64-bit integers wrap."""
        return self._reduced("sum", values)

    def mean(self, values: Any) -> Any:
        """The sum of each group's values in f64, divided by how many there are."""
        return self._reduced("mean", values)

    def min(self, values: Any) -> Any:
        """The smallest of each group's values; of a number and NaN, the number."""
        return self._reduced("min", values)

    def max(self, values: Any) -> Any:
        """The largest of each group's values; of a number and NaN, the number."""
        return self._reduced("max", values)

    def any(self, values: Any) -> Any:
        """Whether any of a group's values is not 0, as 1 or 0 in u8."""
        return self._reduced("any", values)

    def all(self, values: Any) -> Any:
        """Whether none of a group's values is 0, as 1 or 0 in u8."""
        return self._reduced("all", values)

    def logsumexp(self, values: Any) -> Any:
        """log(sum(exp(value))) of each group's values, f32 or f64, in f64."""
        return self._reduced("logsumexp", values)

    def _reduced(self, op: str, values: Any) -> Any:
        return self._of_each(op, values, lambda element: f64 if op == "logsumexp" else reduction_of(op, element).stored)

    def _of_each(self, op: str, values: Any, stored: Callable[[type[Value]], type[Value]]) -> Any:
        """A result for each group, by a method of `GroupBy`, of values whose type decides that of the result."""
        options = (op, weakref.ref(self._by), self._rows, self._count, type(self._like))
        with self._device.use(self._stream):
            key, again, (made,) = launched_before(options, (self._like if values is None else values,), (None,))
            if again is not None:
                return made
            with Call(like=self._like, values=values) as call:
                given = [] if op == "sizes" else [call["values"]]
                element = u32 if op == "sizes" else value_type("values", call["values"])
                found = call.scratch(self._rows, stored(element))
                getattr(self._by, op)(*given, found)
                part = found[: self._count]
                made = call.copied_numbers(part) if op == "sizes" else call.copied(part)
                call.remember(key, made)
                return made


def groupby(
    keys: Any, aggregates: Mapping[str, Sequence[Any]] | None = None, *, sorted: bool = True, equal: Equal = "bits"
) -> Any:
    """The groups of rows with equal keys, of one column or several: `groupby(city).sum(sold)`. It waits for their number.

    With `aggregates` all of a query in one pass: `groupby(city, {"total": ("sum", sold), "rows": ("count",)})` gives (keys,
    results by name); the operations are the methods of `Groups`. Then `sorted=False` lets the groups come in any order, which
    takes no sort. Keys are equal as in `unique`. BuildError for arrays that it cannot have.
    """
    alone = not isinstance(keys, (list, tuple))
    if aggregates is not None:
        return _aggregated(keys, *separated(aggregates), sorted, equal, alone)
    with Call(keys=keys) as call:
        call.waits("groupby")
        columns = as_columns(call["keys"], call.device)
        by = call.operation(
            GroupBy, columns[0].size, tuple(column.type for column in columns), equal, "held",
            make=lambda most: GroupBy(call.device, columns, most=most, equal=equal),
        )  # fmt: skip
        by(columns)
        return Groups(call, by, columns, alone)


def _aggregated(keys: Any, ops: Any, values: list[Any], ordered: bool, equal: Equal, alone: bool) -> Any:
    key, again, _ = launched_before(("groupby", ops, ordered, equal), (keys, values))
    if again is not None:
        return read_again(again, keys if alone else keys[0])
    with Call(keys=keys, values=values) as call:
        call.waits("groupby")
        columns = as_columns(call["keys"], call.device)
        by = call.operation(
            GroupBy, columns[0].size, tuple(column.type for column in columns), ordered, equal,
            make=lambda most: GroupBy(call.device, columns, most=most, ordered=ordered, equal=equal),
        )  # fmt: skip
        taken = iter(call["values"])
        found = by.aggregate(columns, {name: (op,) if op == "count" else (op, next(taken)) for name, op in ops})

        def read(results: Results) -> Any:
            n = by.count()
            made = [results.copied(column[:n]) for column in by.keys]
            return made[0] if alone else made, {name: results.copied(each[:n]) for name, each in found.items()}

        call.remember(key, read=read)
        return read(call)
