"""Groups of the entries of a range of bins, and what is computed of each: see group_cache.py.

A table holds so many groups at most. Where a range has more, they are found in rounds: a round admits as many as fit, then takes
their entries, and moves the others together.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f64, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.kernels.arrays.group_accumulators import Accumulator, accumulator_of, result_of, value_of
from ptxgen.kernels.arrays.group_cache import (
    CASE,
    CTAS,
    Layout,
    Records,
    drawn_keys,
    hashes_of,
    inside,
    records_of,
)
from ptxgen.kernels.arrays.group_table import AT_ONCE, NONE, GroupTable, Keys, most_groups, slot_bytes, table_bytes
from ptxgen.kernels.blocks.counters import THREADS
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import element_of, zeros
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "MOST", "VARIANTS", "Output", "merge_plan"]

C = TypeVar("C", bound=Integer)
T = TypeVar("T", bound=Value)

MOST = 0xFFFFFFFF
"""Rows and parts together are fewer: entries are numbered in 32 bits."""
ENTRIES = 2048
"""Entries of bins that are put together into one table."""
BOTH, ADMIT, TAKE = range(3)


class Output(NamedTuple):
    """A result of each group: "row", the number of its first row; "key", of a key of one column; "value", of an accumulator, or
    "mean", of one divided by another, the count; as `element`."""

    kind: str
    element: type[Value]
    accumulator: int = 0
    divisor: int = 0


@kernel(threads=THREADS, min_ctas=2)
def group_merge(
    k: Builder, keys: ptr[C], packed: ptr[u32], tags: ptr[C], rows: ptr[u32], lasts: ptr[u32], totals: ptr[u64],
    room: u32, bins: u32, firsts: ptr[u32], split: u32, total: ptr[u32], *outs: T, element: type[C],
    words: int, slots: int, accumulators: tuple[Accumulator, ...], outputs: tuple[Output, ...], rowed: bool, side: str,
    types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """`outs` are the outputs. `side`: groups that have rows below `split` and others ("both"), only those ("left"), or any
    ("")."""
    k.wait_for_dependencies()
    of, entries = Keys(keys, packed, element, words), Records(tags, rows, lasts, totals, room)
    table = GroupTable(
        k,
        k.dynamic_shared(u32).pointer,
        slots,
        of,
        accumulators,
        rowed=rowed,
        sided=bool(side),
        wide=True,
        bounded=False,
    )

    def chosen(slot: Any) -> Any:
        assert table.first is not None
        assert table.last is not None
        right = table.last[slot] >= split
        return (table.first[slot] < split) & (right if side == "both" else ~right)

    def write(place: Any, slot: Any) -> None:
        pointers: Any = outs
        for output, out in zip(outputs, pointers):
            out[place] = _result(k, table, output, slot)

    def merge(begin: Any, end: Any) -> None:
        """The groups of the entries from `begin` to `end`."""
        end, size, mode = k.var(u32, end), k.var(u32, 64), k.var(u32, BOTH)
        with k.while_(lambda: (size < slots) & (size < (end - begin) // 2 * 3)):
            size <<= 1
        with k.while_(lambda: begin < end):
            with k.if_(mode != TAKE):
                table.clear(size)
            left = _take(k, table, entries, begin, end, size, mode, kept)
            more = k.barrier_any(left != 0)
            with k.if_((mode == TAKE) | ((mode == BOTH) & ~more)):
                table.each_chosen(chosen if side else None, total, write)
                k.barrier()
                with k.if_(~more):
                    k.break_()
                end.set(begin + kept[0])
            mode.set(k.select(mode == ADMIT, k.const(u32, TAKE), ADMIT))

    kept = k.shared(u32, 1, name="kept")
    each = ((firsts[bins] + (bins - 1)) // bins) * 2
    together = k.var(u32, 1)
    with k.while_(lambda: (together < bins) & (each * together < ENTRIES)):
        together <<= 1
    for first in k.range(k.ctaid.x * together, bins, k.nctaid.x * together):
        merge(firsts[first], firsts[first + together])


def _take(
    k: Builder, table: GroupTable, entries: Records, begin: Any, end: Any, size: Any, mode: Any, kept: Any
) -> Any:  # fmt: skip
    """Entries, of which there are some, into the table; is one left that has found no room? Such entries are kept where the mode
    is TAKE."""
    left, limit = k.var(u32, 0), k.select(mode == TAKE, k.const(u32, 0), most_groups(size))
    mask = size // table.bucket - 1
    with k.if_((mode == TAKE) & (k.tid.x == 0)):
        kept[0] = 0
    tags = [k.var(table.keys.element) for _ in range(AT_ONCE)]
    arrays = dict(records_of(table, entries))

    def read_tags(base: Any) -> None:
        for i, tag in enumerate(tags):
            tag.set(arrays["tag"][k.min(base + k.tid.x + i * THREADS, end - 1)])

    read_tags(begin)
    for base in k.range(begin, end, THREADS * AT_ONCE):
        there = inside(k, [base + k.tid.x + i * THREADS for i in range(AT_ONCE)], end)
        places = [place for place, _ in there]
        given = {name: [array[place] for place in places] for name, array in arrays.items() if name != "tag"}
        words = [[entries.word(k, number)[place] for place in places] for number in range(len(table.accumulators))]
        given["tag"] = [k.var(table.keys.element, tag) for tag in tags]
        read_tags(base + THREADS * AT_ONCE)  # those of the next round, which come meanwhile
        found, fresh = ([k.var(u32, nothing) for _ in places] for nothing in (NONE, 0))
        rows = given.get("row", found)
        for slot, new, tag, row, (_, here) in zip(found, fresh, given["tag"], rows, there):
            table.find(slot, new, tag, row, here, table.keys.hash(k, tag) & mask, mask, limit)
        table.enlist(found, fresh)
        missing = [here & (slot == NONE) for slot, (_, here) in zip(found, there)]
        for each in missing:
            left.set(k.select(each, k.const(u32, 1), left))
        takes = [(slot != NONE) & (mode != ADMIT) for slot in found] if table.keeps else []
        for slot, row, last, here in zip(found, rows, given.get("last", rows), takes):
            table.note_row(slot, row, last, here)
        if table.accumulators:
            for i, (slot, here) in enumerate(zip(found, takes)):
                values = [[value_of(how, each[i])] for how, each in zip(table.accumulators, words)]
                table.take([slot], [here], values)
        with k.if_(mode == TAKE):
            _keep(k, table, entries, begin, places, missing, kept)
    return left


def _keep(
    k: Builder, table: GroupTable, entries: Records, begin: Any, places: list[Any], missing: list[Any], kept: Any
) -> None:  # fmt: skip
    """Move the entries that are missing behind those that are kept, which have been read."""
    k.barrier()
    targets = [k.var(u32, 0) for _ in places]
    for target, each in zip(targets, missing):
        with k.if_(each):
            target.set(begin + k.atomic_add(kept, 0, 1))
    arrays = [array for _, array in records_of(table, entries)]
    for array in [*arrays, *(entries.word(k, number) for number in range(len(table.accumulators)))]:
        values = [array[place] for place in places]
        k.barrier()
        for target, value, each in zip(targets, values, missing):
            with k.if_(each):
                array[target] = value


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
    return result_of(k, how, found, f64) / table.read(output.divisor, slot).to(f64)


KERNEL = group_merge


def merge_plan(
    layout: Layout, keys: Any, packed: Any, entries: Records, firsts: Any, split: int, total: Any,
    outs: Sequence[Any], *, words: int, accumulators: tuple[Accumulator, ...], outputs: tuple[Output, ...], rowed: bool,
    side: str,
) -> KernelPlan:  # fmt: skip
    """The groups of the entries."""
    element = element_of(keys)
    slot = slot_bytes(element, accumulators, hashed=words > 0, rowed=rowed, sided=bool(side))
    kernel_ = using(
        group_merge, element=element, words=words, slots=layout.merged, accumulators=accumulators, outputs=outputs, rowed=rowed,
        side=side, types=tuple(ptr.__class_getitem__(output.element) for output in outputs),
    )  # fmt: skip
    arguments = (keys, packed, *entries, layout.bins, firsts, split, total, *outs)
    shared = table_bytes(layout.merged, slot)
    return KernelPlan(kernel_, min(2 * CTAS, layout.bins), THREADS, arguments, shared=shared, programmatic=True)


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer], side: str, tight: bool) -> Case:
    """(entries, groups): each entry stands for one row, in order of their bins. Where a group's results lie depends on timing,
    unless there is one. `tight`: tables of so few slots that there are many rounds."""
    import numpy as np

    n, groups = size
    layout = CASE._replace(merged=64) if tight else CASE
    keys, values = drawn_keys(rng, n, groups, element), rng.integers(0, 50, n).astype(np.uint64)
    order = np.argsort(hashes_of(keys) >> layout.shift, kind="stable").astype(np.uint32)
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
    kinds: dict[str, type[Value]] = {"key": element, "row": u32, "sum": u64}
    how: dict[str, Any] = {"words": 0, "accumulators": (accumulator_of("sum", 0, u32),)}
    how |= {"outputs": _outputs(element), "side": side, "rowed": True}
    return Case(
        arrays={
            "keys": HostArray(keys, element), "tags": HostArray(keys[order], element), "rows": HostArray(order, u32),
            "totals": HostArray(values[order], u64), "firsts": HostArray(firsts, u32), "total": zeros(1),
            **{name: HostArray(np.zeros_like(outs[name]), kind) for name, kind in kinds.items()},
        },
        plan=lambda on: merge_plan(
            layout, on["keys"], on["rows"], Records(on["tags"], on["rows"], on["rows"], on["totals"], n), on["firsts"], split,
            on["total"], [on[name] for name in outs], **how,
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
        outputs=_outputs(element), rowed=True, types=tuple(map(ptr.__class_getitem__, (element, u32, u64))), **how,
    )  # fmt: skip
    sizes = ((0, 1), (1, 1), (3000, 1), (3000, 700))
    name = element.isa.name + f".{side}" * bool(side) + ".tight" * tight
    return Variant("group_merge", name, kernel_, partial(_case, tight=tight, **how), sizes)


VARIANTS = (_variant(u32, "", tight=True), _variant(u64, "both"))
