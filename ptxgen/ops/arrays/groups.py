"""Groups of rows with equal keys in one call: `groupby(keys).sum(values)`."""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

from driver_ctypes.lifetime import Process
from ptxgen.builder import SCALARS, f64, u32
from ptxgen.kernels.arrays.reduce_by_key import reduction_of
from ptxgen.ops.arguments import value_type
from ptxgen.ops.arrays.aggregates import separated
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.groupby import GroupBy
from ptxgen.ops.calls import Call, Held, launched_before, read_again
from ptxgen.ops.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.ops.arrays.equality import Equal

__all__ = ["Groups", "groupby"]


class Groups:
    """The groups of `groupby`, in order of their keys. `keys` has the key of each, an array or a list of columns, and
    `len(groups)` is how many there are. Results are arrays of one element a group, of the library of the keys; values are columns
    with a row for each of the keys'. Work goes to the stream that the groups were found on, in order with the values' own.
    """

    _held: Held | None = None

    def __init__(self, found: _Found, results: Results, keys: Sequence[Any]) -> None:
        """`keys` have room for as many groups as there are rows."""
        self._held, self._by, self._rows = found.held, found.held.operation, found.rows
        self._by.assume(found.rows)
        self._device = results.device
        self._stream = self._device.current_stream
        self._count: int = self._by.count()
        cut = [results.cut(key, self._count) for key in keys]
        self.keys: Any = cut[0] if found.alone else cut
        self._like = cut[0]

    def __del__(self, _process: type[Process] = Process) -> None:  # a default outlives the module's names
        if self._held is not None and not _process.closing:
            self._held.give_back()

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
    width = 1 if alone else len(keys)
    key, again, made = launched_before(("groups", equal), (keys,), (None,) * width, held=True)
    if again is not None:
        return read_again(again, keys if alone else keys[0])(made)
    with Call(keys=keys) as call:
        call.waits("groupby")
        columns = as_columns(call["keys"], call.device)
        by = call.operation(
            GroupBy, columns[0].size, tuple(column.type for column in columns), equal, "held",
            make=lambda most: GroupBy(call.device, columns, most=most, equal=equal),
        )  # fmt: skip
        by(columns)
        firsts = []
        for column in columns:  # launched before the number of groups is waited for
            first, ours = call.result(column.size, SCALARS[column.type.name])
            by.first(column, ours)
            firsts.append(first)
        found = _Found(call.hold(by), columns[0].size, alone)
        call.remember(key, *firsts, read=found)
        return found(call)(firsts)


class _Found:
    """Groups as they were launched: the object that has them, how many rows they are of, and whether these have one column."""

    def __init__(self, held: Held, rows: int, alone: bool) -> None:
        self.held, self.rows, self.alone = held, rows, alone

    def __call__(self, results: Results) -> Callable[[Sequence[Any]], Groups]:
        return partial(Groups, self, results)


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
