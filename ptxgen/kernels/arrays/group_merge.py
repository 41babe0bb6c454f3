"""Groups of the entries of a range of bins, and what is computed of each: see group_cache.py.

A table holds so many groups at most. Where a range has more, they are found in rounds: a round admits as many as fit, then takes
their entries, whose numbers are crossed out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.builder import Builder, f64, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.kernels.arrays.group_cache import CASE, CTAS, Layout, drawn_keys, hashes_of, value_of
from ptxgen.kernels.arrays.group_table import (
    NONE,
    Accumulator,
    GroupTable,
    Keys,
    accumulated,
    accumulator_of,
    each_chosen,
    result_of,
    slot_bytes,
    table_bytes,
)
from ptxgen.kernels.blocks.counters import THREADS
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import NO_ROW, element_of, entries_of, entry_bytes, load_entry, tag_of, zeros
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "MOST", "VARIANTS", "Output", "merge_plan"]

C = TypeVar("C", bound=Integer)
T = TypeVar("T", bound=Value)

MOST = NO_ROW
"""Rows and parts together are fewer: entries number both."""
READ = 4
"""Entries that a thread has in flight."""
ENTRIES = 2048
"""Entries of bins that are put together into one table."""
BOTH, ADMIT, TAKE = range(3)


class Output(NamedTuple):
    """A result of each group: "row", the number of its first row; "key", of a key of one column; "value", of an accumulator, or
    "mean", of one divided by another, the count; as `element`."""

    kind: str
    element: type[Value]
    accumulator: int = 0
    count: int = 0


@kernel(threads=THREADS, min_ctas=2)
def group_merge(
    k: Builder, n: u32, keys: ptr[C], packed: ptr[u32], pairs: ptr[u32], rows: ptr[u32], lasts: ptr[u32],
    parts: ptr[u64], room: u32, bins: u32, firsts: ptr[u32], split: u32, total: ptr[u32], *pointers: T, element: type[C],
    words: int, slots: int, accumulators: tuple[Accumulator, ...], outputs: tuple[Output, ...],
    rowed: bool, side: str, types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """`pointers` are the columns of values, then the outputs. `side`: groups that have rows below `split` and others ("both"),
    only those ("left"), or any ("")."""
    of = Keys(keys, packed, element, words)
    table = GroupTable(k, k.dynamic_shared(u32).pointer, slots, of, accumulators, rowed=rowed, sided=bool(side))
    columns, outs = pointers[: len(pointers) - len(outputs)], pointers[len(pointers) - len(outputs) :]

    def chosen(slot: Any) -> Any:
        if not side:
            return table.occupied(slot)
        assert table.first is not None
        assert table.last is not None
        right = table.last[slot] >= split
        return table.occupied(slot) & (table.first[slot] < split) & (right if side == "both" else ~right)

    def write(place: Any, slot: Any) -> None:
        for output, out in zip(outputs, outs):
            out[place] = _result(k, table, output, slot)

    each = ((firsts[bins] + (bins - 1)) // bins) * 2
    together = k.var(u32, 1)
    with k.while_(lambda: (together < bins) & (each * together < ENTRIES)):
        together <<= 1
    for bin_ in k.range(k.ctaid.x * together, bins, k.nctaid.x * together):
        begin, end = firsts[bin_], firsts[bin_ + together]
        size, mode = k.var(u32, 64), k.var(u32, BOTH)
        with k.while_(lambda: (size < slots) & (size < (end - begin) // 2 * 3)):
            size <<= 1
        with k.while_(lambda: begin < end):
            with k.if_(mode != TAKE):
                table.clear(size)
            left = _take(k, table, columns, pairs, rows, lasts, parts, room, begin, end, n, size, mode)
            more = k.barrier_any(left != 0)
            with k.if_((mode == TAKE) | ((mode == BOTH) & ~more)):
                each_chosen(k, size, slots, chosen, total, write)
                k.barrier()
                with k.if_(~more):
                    k.break_()
            mode.set(k.select(mode == ADMIT, k.const(u32, TAKE), ADMIT))


def _take(
    k: Builder, table: GroupTable, columns: Any, pairs: Any, rows: Any, lasts: Any, parts: Any, room: Any, begin: Any,
    end: Any, n: Any, size: Any, mode: Any,
) -> Any:  # fmt: skip
    """Entries into the table; is one left that has found no room?"""
    of, left, limit = table.keys, k.var(u32, 0), k.select(mode == TAKE, k.const(u32, 0), size - (size >> 3))
    for base in k.range(begin, end, THREADS * READ):
        read = []
        for i in range(READ):
            at = base + k.tid.x + i * THREADS
            entry = [k.var(u32, NO_ROW) for _ in range(of.element.isa.bytes // 4 + 1)]
            with k.pred(at < end):
                for variable, word in zip(entry, load_entry(pairs, at, of.element)):
                    variable.set(word)
            read.append((at, entry))
        found = []
        for at, entry in read:
            number, tag = entry[-1], tag_of(entry, of.element)
            here = number != NO_ROW
            is_part = here & (number >= n)
            part = number - n
            row = k.var(u32, number)
            if table.hashed or table.first is not None:
                with k.pred(is_part):
                    row.set(rows[part])
            slot = k.var(u32, NONE)
            buckets = size // table.bucket
            table.find(slot, tag, row, here, of.hash(k, tag) & (buckets - 1), buckets - 1, limit)
            hit = slot != NONE
            left.set(k.select(here & ~hit, k.const(u32, 1), left))
            takes = hit & (mode != ADMIT)
            last = row if table.last is None else k.var(u32, row)
            if table.last is not None:
                with k.pred(is_part):
                    last.set(lasts[part])
            table.note_row(slot, row, last, takes)
            with k.if_(takes & (mode == TAKE)):
                pairs[k.mul_wide(at, entry_bytes(of.element) // 4) + (of.element.isa.bytes // 4)] = NO_ROW
            found.append((row, part, is_part, slot, takes))
        for number, how in enumerate(table.accumulators):
            values = []
            for row, part, is_part, _, takes in found:
                value = k.var(how.element, 1 if how.op == "count" else 0)
                if how.op != "count":
                    with k.if_(takes & ~is_part):
                        value.set(accumulated(k, how, columns[how.column][row]))
                with k.if_(takes & is_part):
                    value.set(value_of(how, parts[k.mul_wide(room, number) + part.to(u64)]))
                values.append(value)
            for value, (*_, slot, takes) in zip(values, found):
                table.add(number, slot, value, takes)
    return left


def _result(k: Builder, table: GroupTable, output: Output, slot: Any) -> Any:
    if output.kind == "row":
        assert table.first is not None
        return table.first[slot]
    if output.kind == "key":
        tag = table.key(slot)
        return tag if output.element is table.keys.element else tag.to(output.element)
    how, found = table.accumulators[output.accumulator], table.read(output.accumulator, slot)
    if output.kind == "value":
        return result_of(k, how, found, output.element)
    return result_of(k, how, found, f64) / table.read(output.count, slot).to(f64)


KERNEL = group_merge


def merge_plan(
    n: int, layout: Layout, keys: Any, packed: Any, pairs: Any, rows: Any, lasts: Any, parts: Any, firsts: Any, split: int,
    total: Any, columns: Sequence[Any], outs: Sequence[Any], *, words: int, accumulators: tuple[Accumulator, ...],
    outputs: tuple[Output, ...], rowed: bool, side: str, types: tuple[type[Value], ...],
) -> KernelPlan:  # fmt: skip
    """The groups of n rows; `types` are those of the columns."""
    element = element_of(keys)
    slot = slot_bytes(element, accumulators, hashed=words > 0, rowed=rowed, sided=bool(side))
    slots = layout.merged
    kernel_ = using(
        group_merge, element=element, words=words, slots=slots, accumulators=accumulators, outputs=outputs, rowed=rowed,
        side=side,        types=tuple(ptr[each] for each in (*types, *(output.element for output in outputs))),
    )  # fmt: skip
    arguments = (
        n, keys, packed, pairs, rows, lasts, parts, layout.room, layout.bins, firsts, split, total, *columns, *outs,
    )  # fmt: skip
    grid = min(CTAS, layout.bins)
    return KernelPlan(kernel_, grid, THREADS, arguments, shared=table_bytes(slots, slot))


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer], side: str, tight: bool) -> Case:
    """(rows, groups): all rows are entries, in order of their bins; every fifth is a part, with its key in a row further on. Where
    a group's results lie depends on timing, unless there is one. `tight`: tables of so few slots that there are many rounds."""
    import numpy as np

    n, groups = size
    layout = CASE._replace(merged=64) if tight else CASE
    keys, values = drawn_keys(rng, n, groups, element), rng.integers(0, 50, n).astype(np.uint32)
    order = np.argsort(hashes_of(keys) >> layout.shift, kind="stable").astype(np.uint32)
    numbers = order.copy()
    numbers[::5] = n + order[::5]  # part i stands for row i
    bins = np.bincount(hashes_of(keys) >> layout.shift, minlength=layout.bins)
    firsts = np.append(np.uint32(0), np.cumsum(bins)).astype(np.uint32)
    first_of = {key: int(np.nonzero(keys == key)[0][0]) for key in np.unique(keys)}
    last_of = {key: int(np.nonzero(keys == key)[0][-1]) for key in first_of}
    split = n // 2
    chosen = [
        key for key in first_of if not side or (first_of[key] < split) & ((last_of[key] >= split) == (side == "both"))
    ]
    expected = {"total": np.array([len(chosen)], np.uint32)}
    outs = {"key": np.zeros(n, keys.dtype), "row": np.zeros(n, np.uint32), "sum": np.zeros(n, np.uint64)}
    if groups == 1 and chosen:
        outs["key"][0], outs["row"][0], outs["sum"][0] = chosen[0], 0, values.sum()
    room = layout.room
    parts = np.zeros(room, np.uint64)
    parts[:n] = values
    rows = np.zeros(room, np.uint32)
    rows[:n] = np.arange(n)
    how: dict[str, Any] = {"words": 0, "accumulators": (accumulator_of("sum", 0, u32),), "types": (u32,)}
    how |= {"outputs": _outputs(element), "side": side, "rowed": True}
    return Case(
        arrays={
            "keys": HostArray(keys, element), "values": HostArray(values, u32), "parts": HostArray(parts, u64),
            "pairs": HostArray(entries_of(keys[order], numbers, element), u32), "rows": HostArray(rows, u32),
            "firsts": HostArray(firsts, u32), "total": zeros(1),
            **{name: HostArray(np.zeros_like(out), kind) for (name, out), kind in zip(outs.items(), (element, u32, u64))},
        },
        plan=lambda on: merge_plan(
            n, layout, on["keys"], on["rows"], on["pairs"], on["rows"], on["rows"], on["parts"], on["firsts"], split,
            on["total"], [on["values"]], [on[name] for name in outs], **how,
        ),
        expected=expected | (outs if groups == 1 else {}),
        tolerance=EXACT,
    )  # fmt: skip


def _outputs(element: type[Integer]) -> tuple[Output, ...]:
    return Output("key", element), Output("row", u32), Output("value", u64)


def _variant(element: type[Integer], side: str, *, tight: bool = False) -> Variant:
    how: dict[str, Any] = {"element": element, "side": side}
    kernel_ = using(
        group_merge, words=0, slots=64 if tight else CASE.merged, accumulators=(accumulator_of("sum", 0, u32),),
        outputs=_outputs(element), rowed=True, types=tuple(map(ptr.__class_getitem__, (u32, element, u32, u64))), **how,
    )  # fmt: skip
    sizes = ((0, 1), (1, 1), (3000, 1), (3000, 700))
    name = element.isa.name + f".{side}" * bool(side) + ".tight" * tight
    return Variant("group_merge", name, kernel_, partial(_case, tight=tight, **how), sizes)


VARIANTS = (
    _variant(u32, ""),
    _variant(u32, "both"),
    _variant(u64, "left"),
    _variant(u32, "", tight=True),
)
