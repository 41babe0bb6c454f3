"""What is computed of each group in one pass: {"total": ("sum", sold), "rows": ("count",), "dearest": ("max", price)}."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import f64, u8, u32
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.kernels.arrays.group_accumulators import accumulator_of
from ptxgen.kernels.arrays.group_merge import Output
from ptxgen.kernels.arrays.reduce_by_key import reduction_of
from ptxgen.ops.arguments import check_all_apart, check_array, value_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.host import Device
    from ptxgen.kernels.arrays.group_accumulators import Accumulator

__all__ = ["OPS", "Aggregate", "HashPlan", "check_outputs", "hash_plan", "read_aggregates", "separated", "type_of"]

OPS = ("sum", "mean", "min", "max", "any", "all", "count", "first")


class Aggregate(NamedTuple):
    """One result: its name, one of OPS, the values (None of a count), and the type of a group's result."""

    name: str
    op: str
    values: Array | None
    stored: type[Value]


def separated(wanted: Mapping[str, Sequence[Any]]) -> tuple[tuple[tuple[str, str], ...], list[Any]]:
    """((name, op) of each aggregate, the columns of those that have one). BuildError for what is none."""
    ops: list[tuple[str, str]] = []
    columns: list[Any] = []
    for name, given in wanted.items():
        op, *values = (given,) if isinstance(given, str) else given
        if op not in OPS:
            raise BuildError(f"{name}: no aggregate {op!r}", hint=", ".join(OPS))
        if len(values) != (op != "count"):
            raise BuildError(f"{name}: {op!r} of {len(values)} columns", hint='("sum", column), or ("count",)')
        ops.append((name, op))
        columns += values
    return tuple(ops), columns


def type_of(column: Any) -> Any:
    """The type of a column of any library, as this library says it."""
    return column.type if isinstance(column, Array) else getattr(column, "dtype", None)


def read_aggregates(
    ops: Sequence[tuple[str, str]], columns: Sequence[Array], device: Device, rows: int
) -> list[Aggregate]:
    """What `separated` gave, of a table of so many rows. BuildError for columns that it cannot have."""
    found: list[Aggregate] = []
    values = iter(columns)
    for name, op in ops:
        if op == "count":
            found.append(Aggregate(name, op, None, u32))
            continue
        column = next(values)
        element = value_type(name, column)
        size = check_array(name, column, element, device=device)
        if size != rows:
            raise BuildError(f"{name}: the column has {size} rows, the keys have {rows}")
        found.append(Aggregate(name, op, column, element if op == "first" else reduction_of(op, element).stored))
    return found


def check_outputs(out: Mapping[str, Array], wanted: Sequence[Aggregate], read: Iterable[Array], rows: int) -> None:
    """BuildError unless `out` has an array for each aggregate, of its type, with room for every row, apart from what is read."""
    names = [each.name for each in wanted]
    if sorted(out) != sorted(names):
        raise BuildError(f"out has {', '.join(out) or 'nothing'}", hint=f"arrays for {', '.join(names)}")
    for each in wanted:
        check_array(f"out[{each.name!r}]", out[each.name], each.stored, device=out[each.name].device, least=rows)
    written = {f"out[{name!r}]": array for name, array in out.items()}
    check_all_apart(written, {f"an input, number {number}": array for number, array in enumerate(read)})


class HashPlan(NamedTuple):
    """Aggregates as hashing computes them: columns of values, their accumulators, and an output for each aggregate, by name,
    but for "first", which are gathered by the number of the group's first row."""

    values: list[Array]
    accumulators: tuple[Accumulator, ...]
    outputs: dict[str, Output]


def hash_plan(wanted: Sequence[Aggregate]) -> HashPlan:
    """Columns and accumulators that several aggregates need are there once."""
    values: list[Array] = []
    accumulators: list[Accumulator] = []
    outputs: dict[str, Output] = {}

    def accumulator(op: str, column: Array | None) -> int:
        if column is None:
            made = accumulator_of(op, -1, u32)
        else:
            places = [each._here == column._here and each.type is column.type for each in values]
            number = places.index(True) if True in places else len(values)
            if number == len(values):
                values.append(column)
            made = accumulator_of(op, number, value_type("values", column))
        if made not in accumulators:
            accumulators.append(made)
        return accumulators.index(made)

    for each in wanted:
        if each.op == "first":
            continue
        number = accumulator(each.op, each.values)
        if each.op == "mean":
            outputs[each.name] = Output("mean", f64, number, accumulator("count", None))
        else:
            outputs[each.name] = Output("value", u8 if each.op in ("any", "all") else each.stored, number)
    return HashPlan(values, tuple(accumulators), outputs)
