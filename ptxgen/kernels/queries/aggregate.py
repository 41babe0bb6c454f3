"""Filter, expressions and aggregates of a query in one launch: one row, or one for each of a few groups.

Shapes: columns[c][n] -> outputs[o][1], or outputs[o][groups] in the order of the keys, and total[0] = how many groups there are,
OVERFLOW where they are more than a CTA's table holds (`Shape.slots`): then nothing else is written, and the groups are found
another way (ptxgen.ops.queries).

A thread keeps what it adds up to itself: in registers, or, where there are groups, in its own column of shared memory, which
needs no atomics and has no bank conflicts. A table of keys of the CTA says where in there a group is; a key that it has not seen
claims a slot. The CTA's totals go to scratch memory, at the group's place in a table of the whole grid, and the CTA that
finishes last adds them up in the order of the CTAs. The grid follows from n and the device alone: all sums are the same bits in
every run, those of floats too. Integers are added up in 64 bits, and wrap.

Floor: every column is read once. TPC-H 6 reads 16 bytes a row, TPC-H 1 with flags as codes 22: 6 * 10^7 rows take 0.22 ms and
0.31 at an H200's 4.3 TB/s.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f64, kernel, pred, ptr, s32, s64, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers
from ptxgen.kernels.plan import KernelPlan, using
from ptxgen.kernels.queries.described import (
    HEADER,
    PLACES,
    Accumulator,
    Key,
    Output,
    Query,
    Shape,
    cleared_header,
    scratch_words,
)
from ptxgen.kernels.queries.expressions import Expression
from ptxgen.kernels.queries.finish import finish
from ptxgen.kernels.queries.reading import Source, Tiling, each_row
from ptxgen.kernels.queries.totals import GroupTotals, RowTotals

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "aggregate", "plan"]

T = TypeVar("T", bound=Value)


@kernel
def aggregate(
    k: Builder, n: u64, limit: ptr[u32], total: ptr[u32], scratch: ptr[u64], *pointers: T, types: tuple[type[T], ...],
    query: Query, shape: Shape, tiling: Tiling, counted: bool,
) -> None:  # fmt: skip
    """`pointers`: the columns, then the outputs."""
    columns, outputs = pointers[: len(query.sources)], pointers[len(query.sources) :]
    rows = k.min(n, limit[0].to(u64)) if counted else n
    totals = GroupTotals(k, query, shape) if query.keys else RowTotals(k, query, shape)
    for found, together in each_row(k, rows, columns, query.sources, tiling, shape.threads):
        for _, values in found:
            totals.take(values, together=together)
    header, masks = scratch, scratch.at(HEADER)
    partials = masks.at(shape.ctas)
    k.barrier()
    totals.publish(header, masks, partials)
    is_last = k.shared(u32, 1, name="is_last")
    k.barrier()
    with k.if_(k.tid.x == 0):
        taken = k.atomic_add(header, 0, 1, order="acq_rel")
        is_last[0] = (taken == k.nctaid.x.to(u64) - 1).to(u32)
    k.barrier()
    with k.if_(is_last[0] != 0):
        finish(k, query, shape, header, masks, partials, total, outputs)


KERNEL = aggregate


def plan(
    rows: int, limit: Any, total: Any, scratch: Any, columns: Sequence[Any], outputs: Sequence[Any],
    *, query: Query, shape: Shape, tiling: Tiling, counted: bool = False,
) -> KernelPlan:  # fmt: skip
    """The query over so many rows, or over limit[0] of them, with scratch memory as `cleared_scratch` makes it."""
    kinds = [source.type for source in query.sources] + [each.type for each in query.outputs]
    types = tuple([ptr.__class_getitem__(kind) for kind in kinds])
    launch = using(aggregate, types=types, query=query, shape=shape, tiling=tiling, counted=counted)
    shared = 8 * shape.slots * len(query.accumulators) * shape.threads if query.keys else 0
    arguments = (rows, limit, total, scratch, *columns, *outputs)
    return KernelPlan(launch, shape.ctas, shape.threads, arguments, shared=shared or None)


# --- the catalogue ----------------------------------------------------------------------------------------------------


def _number(value: int, kind: type[Value] = s32) -> Expression:
    return Expression("literal", kind, (), value)


_PRICE, _OFF, _MANY = (Expression("column", s32, (), number) for number in range(3))
_FLAG = Expression("cast", u32, (Expression("column", u8, (), 3),))
_FEW = Expression("lt", pred, (_MANY, _number(24)))
_REVENUE = Expression("mul", s64, tuple([Expression("cast", s64, (each,)) for each in (_PRICE, _OFF)]))
_SHARE = Expression("truediv", f64, tuple([Expression("cast", f64, (each,)) for each in (_PRICE, _OFF)]))
_SOURCES = (Source(s32), Source(s32), Source(s32), Source(u8))
_SUMS = (Accumulator("sum", _REVENUE), Accumulator("sum", None), Accumulator("max", _SHARE))
_RESULTS = (Output("value", s64, 0), Output("mean", f64, 0, 1), Output("value", u32, 1), Output("value", f64, 2))

QUERIES = {
    "row": Query(_SOURCES, _FEW, (), _SUMS, _RESULTS),
    "groups": Query(_SOURCES, _FEW, (Key(_FLAG, 0, 8),), _SUMS, (Output("key", u8, 0), *_RESULTS)),
    "all": Query(_SOURCES[:1], None, (), (Accumulator("sum", None), Accumulator("min", _PRICE)),
                 (Output("value", u32, 0), Output("value", s32, 1))),
}  # fmt: skip


def _case(n: int, rng: np.random.Generator, *, name: str, shape: Shape, tiling: Tiling) -> Case:
    import numpy as np

    query = QUERIES[name]
    price, off, many = (integers(rng, n, s32, *bounds) for bounds in ((-1000, 1000), (1, 20), (0, 50)))
    flag = integers(rng, n, u8, 3, 6)
    columns = [price, off, many, flag][: len(query.sources)]
    p, o, m, f = (each.values.astype(np.int64) for each in (price, off, many, flag))
    groups = [m < 24] if name == "row" else [p == p] if name == "all" else [(m < 24) & (f == key) for key in (3, 4, 5)]
    keys = [key for key, group in zip((3, 4, 5), groups) if name != "groups" or group.any()]
    groups = [group for group in groups if name != "groups" or group.any()]
    with np.errstate(all="ignore"):
        sums = [(p * o)[group].sum() for group in groups]
        found: list[Any] = [
            sums, [total / group.sum() if group.any() else np.nan for total, group in zip(sums, groups)],
            [group.sum() for group in groups], [(p / o)[group].max() if group.any() else np.nan for group in groups],
        ]  # fmt: skip
    if name == "all":
        found = [[n], [p.min() if n else (1 << 31) - 1]]
    found = [keys, *found] if name == "groups" else found
    outputs = {}
    for number, (how, values) in enumerate(zip(query.outputs, found)):
        outputs[f"out{number}"] = np.zeros(
            PLACES, how.type.isa.name.replace("u", "uint").replace("s", "int").replace("f", "float")
        )
        outputs[f"out{number}"][: len(groups)] = values
    blank = {
        key: HostArray(np.zeros_like(value), how.type) for (key, value), how in zip(outputs.items(), query.outputs)
    }
    scratch = np.zeros(scratch_words(query, shape), np.uint64)
    scratch[:HEADER] = cleared_header()
    arrays = {f"column{number}": column for number, column in enumerate(columns)} | blank
    arrays |= {"total": HostArray(np.zeros(1, np.uint32), u32), "scratch": HostArray(scratch, u64)}
    return Case(
        arrays=arrays,
        plan=lambda on: plan(
            n, on["total"], on["total"], on["scratch"], [on[f"column{number}"] for number in range(len(columns))],
            [on[key] for key in outputs], query=query, shape=shape, tiling=tiling,
        ),
        expected=outputs | {"total": np.array([len(groups)], np.uint32)},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(name: str, shape: Shape, tiling: Tiling) -> Variant:
    how: dict[str, Any] = {"shape": shape, "tiling": tiling}
    query = QUERIES[name]
    kinds = [source.type for source in query.sources] + [each.type for each in query.outputs]
    types = tuple([ptr.__class_getitem__(kind) for kind in kinds])
    made = using(aggregate, types=types, query=query, counted=False, **how)
    tile = shape.threads * tiling.rows
    return Variant("query", name, made, partial(_case, name=name, **how), sizes=(0, 1, 31, tile, 3 * tile + 257))


VARIANTS = (
    _variant("row", Shape(64, 1, 3), Tiling(4, 2)),
    _variant("groups", Shape(64, 8, 3), Tiling(4, 1)),
    _variant("all", Shape(64, 1, 2), Tiling(2, 2)),
)
