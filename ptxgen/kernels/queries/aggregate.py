"""Filter, expressions and aggregates of a query in one launch: one row, or one for each of a few groups.

Shapes: columns[c][n] -> outputs[o][1], or outputs[o][groups] in the order of the keys, and total[0] = how many groups there are,
OVERFLOW where they are more than a CTA's table holds (`Shape.slots`): then nothing else is written, and the groups are found
another way (ptxgen.ops.queries).

A thread keeps what it adds up to itself: in registers, or, where there are groups, in its own column of shared memory, which needs
no atomics and has no bank conflicts. A table of keys of the CTA says where in there a group is; a key that it has not seen claims a
slot. The CTA's totals go to `partials`, at the group's place in a table of the whole grid, and the CTA that finishes last adds
them up in the order of the CTAs. The grid follows from n and the device alone: all sums are the same bits in every run, those of
floats too. Integers are added up in 64 bits, and wrap.

Floor: every column is read once. TPC-H 6 reads 16 bytes a row, TPC-H 1 on dictionary codes 18: 6 * 10^7 rows take 0.22 ms and 0.25
at an H200's 4.3 TB/s.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.builder import Builder, f64, kernel, ptr, s64, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.blocks.collectives import WARP, combine, fold, warp_reduce
from ptxgen.kernels.blocks.collectives import identity as identity_of
from ptxgen.kernels.plan import KernelPlan, ceil_div, using
from ptxgen.kernels.queries.expressions import Expression, code_of
from ptxgen.kernels.queries.reading import Source, Tiling, each_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.host import Array, Device

__all__ = [
    "OVERFLOW", "PLACES", "Accumulator", "Key", "Output", "Query", "Shape", "aggregate", "cleared_scratch",
    "plan", "shape_of",
]  # fmt: skip

T = TypeVar("T", bound=Value)

OVERFLOW = (1 << 32) - 1
"""`total` where the groups are too many."""

EMPTY = (1 << 64) - 1
"""The word of a slot that is free."""

PLACES = 64
"""Places of the table of the whole grid."""

HEADER = 2 + PLACES
"""Words in front of the partial results: a ticket, whether something did not fit, and the keys of the grid's table."""


class Accumulator(NamedTuple):
    """What is added up: `op` "sum", "min" or "max" of `value`'s values, which are of 32 or 64 bits; `value` None counts rows."""

    op: str
    value: Expression | None

    @property
    def element(self) -> type[Value]:
        """The type that it is added up in."""
        if self.value is None:
            return u64
        kind = self.value.type
        if self.op != "sum":
            return kind
        return f64 if kind.isa.is_float else s64 if kind.isa.is_signed else u64


class Key(NamedTuple):
    """A part of the key of a row's group: `bits` of the key's word from `shift` on have the order of the values."""

    value: Expression
    shift: int
    bits: int


class Output(NamedTuple):
    """A column of the result: `what` "key" of `keys[first]`, "value" of `accumulators[first]`, or "mean" of that one over the
    count in `accumulators[second]`."""

    what: str
    type: type[Value]
    first: int
    second: int = 0


class Query(NamedTuple):
    """What the kernel is generated for. `keys` is empty where there is one row; `limited`: how many rows there are says the
    device."""

    sources: tuple[Source, ...]
    predicate: Expression | None
    keys: tuple[Key, ...]
    accumulators: tuple[Accumulator, ...]
    outputs: tuple[Output, ...]


class Shape(NamedTuple):
    """Threads of a CTA, slots of its table (a power of two; 1 where there are no keys), and how many CTAs there are."""

    threads: int
    slots: int
    ctas: int


def shape_of(query: Query, rows: int, processors: int, shared: int, tiling: Tiling) -> Shape:
    """Two CTAs of 256 threads a multiprocessor, and a table of up to 32 slots in the shared memory of half of one. `shared`: the
    bytes that a CTA may have."""
    threads, slots, each = 256, 1, 8 * len(query.accumulators)
    if query.keys:
        room = min(shared, 112 << 10) - (4 << 10)
        slots = 32
        while slots > 8 and slots * each * threads > room:
            slots //= 2
        while threads > 32 and slots * each * threads > room:
            threads //= 2
    most = processors * (2 if query.keys else 4)
    return Shape(threads, slots, max(1, min(ceil_div(rows, threads * tiling.rows), most)))


def scratch_words(query: Query, shape: Shape) -> int:
    """Words of u64: the header, a mask a CTA, and the partial results."""
    return HEADER + shape.ctas * (1 + (PLACES if query.keys else 1) * len(query.accumulators))


def cleared_scratch(device: Device, query: Query, shape: Shape) -> Array:
    """Scratch memory for any number of launches, one at a time: each leaves its header as it was."""
    made = device.zeros(scratch_words(query, shape), u64)
    made[2:HEADER].copy_from([EMPTY] * PLACES)
    return made


def identity(op: str, element: type[Value]) -> int | float:
    """What changes nothing; NaN for the smallest and largest of floats, so that it is what there is of NaNs alone, or of nothing."""
    return math.nan if element.isa.is_float and op != "sum" else identity_of(op, element)


def word_of(value: Any) -> Any:
    """A number as 64 bits."""
    return value.bits(u64) if value.isa.bits == 64 else value.bits(u32).to(u64)


def _value_of(kind: type[Value], word: Any) -> Any:
    if kind is u64:
        return word
    return word.bits(kind) if kind.isa.bits == 64 else word.to(u32) if kind is u32 else word.to(u32).bits(kind)


@kernel
def aggregate(
    k: Builder, n: u64, limit: ptr[u32], total: ptr[u32], scratch: ptr[u64], *pointers: T, types: tuple[type[T], ...],
    query: Query, shape: Shape, tiling: Tiling, counted: bool,
) -> None:  # fmt: skip
    """`pointers`: the columns, then the outputs."""
    columns, outputs = pointers[: len(query.sources)], pointers[len(query.sources) :]
    rows = k.min(n, limit[0].to(u64)) if counted else n
    totals = _Groups(k, query, shape) if query.keys else _Registers(k, query, shape)
    for found in each_row(k, rows, columns, query.sources, tiling, shape.threads):
        for _, values in found:
            totals.take(values)
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
        _finish(k, query, shape, header, masks, partials, total, outputs)


KERNEL = aggregate


class _Registers:
    """The totals of a thread in registers."""

    def __init__(self, k: Builder, query: Query, shape: Shape) -> None:
        self.k, self.query, self.shape = k, query, shape
        self.totals = [k.var(each.element, identity(each.op, each.element)) for each in query.accumulators]

    def take(self, columns: list[Any]) -> None:
        k, query = self.k, self.query
        condition, *values = code_of(k, [query.predicate, *(each.value for each in query.accumulators)], columns)
        for how, total, value in zip(query.accumulators, self.totals, values):
            changed = _changed(k, how, total, value)
            total.set(changed if condition is None else k.select(condition, changed, total))

    def publish(self, header: Any, masks: Any, partials: Any) -> None:
        k, warps = self.k, self.shape.threads // WARP
        words = k.shared(u64, len(self.totals) * warps, name="words")
        for number, (how, total) in enumerate(zip(self.query.accumulators, self.totals)):
            whole = warp_reduce(k, how.op, total)
            with k.if_(k.lane == 0):
                words[number * warps + k.tid.x // WARP] = word_of(whole)
        k.barrier()
        with k.if_(k.tid.x == 0):
            for number, how in enumerate(self.query.accumulators):
                parts = [_value_of(how.element, words[number * warps + warp]) for warp in range(warps)]
                partials.store(k.ctaid.x + number * self.shape.ctas, word_of(fold(k, how.op, parts)))


class _Groups:
    """The totals of a thread for each slot of the CTA's table, in dynamic shared memory: those of neighbouring threads side by
    side."""

    def __init__(self, k: Builder, query: Query, shape: Shape) -> None:
        self.k, self.query, self.shape = k, query, shape
        self.keys = k.shared(u64, shape.slots, name="keys")
        self.lost = k.shared(u32, 1, name="lost")
        self.totals = k.dynamic_shared(u64).pointer
        with k.if_(k.tid.x < shape.slots):
            self.keys[k.tid.x] = EMPTY
        with k.if_(k.tid.x == 0):
            self.lost[0] = 0
        for slot in range(shape.slots):
            for number, how in enumerate(query.accumulators):
                nothing = k.const(how.element, identity(how.op, how.element))
                self.totals[self._place(slot, number)] = word_of(nothing)
        k.barrier()

    def _place(self, slot: Any, number: int) -> Any:
        return (slot * len(self.query.accumulators) + number) * self.shape.threads + self.k.tid.x

    def take(self, columns: list[Any]) -> None:
        k, query = self.k, self.query
        condition, *values = code_of(k, [query.predicate, *(each.value for each in query.accumulators)], columns)
        parts = code_of(k, [key.value for key in query.keys], columns)
        word = _key_word(k, query.keys, parts)
        slot = self._slot(word, condition)
        with k.if_(slot < self.shape.slots):
            base = self.totals.at(slot * (len(query.accumulators) * self.shape.threads) + k.tid.x)
            for number, (how, value) in enumerate(zip(query.accumulators, values)):
                at = number * self.shape.threads
                base[at] = word_of(_changed(k, how, _value_of(how.element, base[at]), value))

    def _slot(self, word: Any, condition: Any) -> Any:
        """The slot of a key, claimed where it has none; the number of slots where there is none left, or the row does not count."""
        k, slots = self.k, self.shape.slots
        here = word != EMPTY if condition is None else condition & (word != EMPTY)
        start = ((word ^ (word >> 32)).to(u32) * 0x9E3779B1) >> (33 - slots.bit_length())
        slot, at = k.var(u32, slots), k.var(u32, start)
        tries = k.var(u32, 0)
        with k.if_(here):
            seen = k.var(u64, self.keys.pointer.load(at, "relaxed.cta"))
            with k.if_else(seen == word) as (usual, otherwise):
                with usual:
                    slot.set(at)
                with otherwise, k.while_():
                    with k.if_(seen == EMPTY):
                        seen.set(k.atomic_cas(self.keys, at, EMPTY, word, scope="cta", order="relaxed"))
                    with k.if_((seen == EMPTY) | (seen == word)):
                        slot.set(at)
                        k.break_()
                    tries += 1
                    k.break_(tries == slots)
                    at.set((at + 1) & (slots - 1))
                    seen.set(self.keys.pointer.load(at, "relaxed.cta"))
        lost = slot == slots
        with k.if_(lost if condition is None else lost & condition):
            self.lost[0] = 1
        return slot

    def publish(self, header: Any, masks: Any, partials: Any) -> None:
        k, query, shape = self.k, self.query, self.shape
        places = k.shared(u32, shape.slots, name="places")
        mask = k.shared(u64, 1, name="mask")
        with k.if_(k.tid.x == 0):
            mask[0] = 0
            with k.if_(self.lost[0] != 0):
                k.reduce_max(header, 1, 1)
        k.barrier()
        with k.if_(k.tid.x < shape.slots):
            word = self.keys[k.tid.x]
            place = k.var(u32, PLACES)
            with k.if_(word != EMPTY):
                place.set(self._place_in_grid(header, word))
            places[k.tid.x] = place
            with k.if_(place < PLACES):
                k.reduce_add(mask, 0, k.const(u64, 1) << place)  # each slot has another bit
        k.barrier()
        with k.if_(k.tid.x == 0):
            masks.store(k.ctaid.x, mask[0])
        accumulators = len(query.accumulators)
        for slot in k.range(k.tid.x // WARP, shape.slots, shape.threads // WARP):
            place = places[slot]
            with k.if_(place < PLACES):
                for number, how in enumerate(query.accumulators):
                    row = self.totals.at((slot * accumulators + number) * shape.threads + k.lane)
                    parts = [_value_of(how.element, row[j * WARP]) for j in range(shape.threads // WARP)]
                    whole = warp_reduce(k, how.op, fold(k, how.op, parts))
                    with k.if_(k.lane == 0):
                        partials.store((place * accumulators + number) * shape.ctas + k.ctaid.x, word_of(whole))

    def _place_in_grid(self, header: Any, word: Any) -> Any:
        """The place of a key in the table of the whole grid; PLACES where it is full."""
        k, table = self.k, header.at(2)
        place = k.var(u32, PLACES)
        at, tries = k.var(u32, (word ^ (word >> 32)).to(u32) * 0x9E3779B1 >> 26), k.var(u32, 0)
        with k.while_():
            seen = k.atomic_cas(table, at, EMPTY, word)
            with k.if_((seen == EMPTY) | (seen == word)):
                place.set(at)
                k.break_()
            tries += 1
            with k.if_(tries == PLACES):
                k.reduce_max(header, 1, 1)
                k.break_()
            at.set((at + 1) % PLACES)
        return place


def _changed(k: Builder, how: Accumulator, total: Any, value: Any) -> Any:
    """A total with one more row in it."""
    if value is None:
        return total + 1
    if value.isa is not how.element.isa:
        value = value.to(how.element)
    return combine(k, how.op, total, value)


def _key_word(k: Builder, keys: Sequence[Key], parts: Sequence[Any]) -> Any:
    """The parts of a key in one word, in their order."""
    word = None
    for key, part in zip(keys, parts):
        ordered = _ordered(k, key, part)
        ordered = ordered if not key.shift else ordered << key.shift
        word = ordered if word is None else word | ordered
    return word


def _ordered(k: Builder, key: Key, part: Any) -> Any:
    """A number as `key.bits` bits of a u64, in the order of the numbers."""
    kind, bits = key.value.type, key.bits
    if kind.isa.is_float:
        raw = word_of(part)
        sign = 1 << (kind.isa.bits - 1)
        return k.select((raw & sign) != 0, ~raw & (2 * sign - 1), raw | sign)
    if not kind.isa.is_signed:
        return part.to(u64)
    return (part.to(s64).bits(u64) + (1 << (bits - 1))) & ((1 << bits) - 1)


def _unordered(k: Builder, key: Key, word: Any) -> Any:
    """The number of those bits."""
    kind, bits = key.value.type, key.bits
    raw = (word >> key.shift) & ((1 << bits) - 1)
    if kind.isa.is_float:
        sign = 1 << (kind.isa.bits - 1)
        return _value_of(kind, k.select((raw & sign) != 0, raw ^ sign, ~raw & (2 * sign - 1)))
    if not kind.isa.is_signed:
        return raw.to(kind) if kind is not u64 else raw
    return (raw - (1 << (bits - 1))).bits(s64).to(kind) if kind is not s64 else (raw - (1 << (bits - 1))).bits(s64)


def _finish(
    k: Builder, query: Query, shape: Shape, header: Any, masks: Any, partials: Any, total: Any, outputs: Sequence[Any]
) -> None:  # fmt: skip
    """The last CTA adds up the partial results, writes the outputs, and leaves the header as it was."""
    accumulators, places = len(query.accumulators), PLACES if query.keys else 1
    words = k.shared(u64, places * accumulators, name="whole")
    keys = header.at(2)
    with k.if_(k.tid.x == 0):
        header[0] = 0
    for place in k.range(k.tid.x // WARP, places, shape.threads // WARP):
        there = keys.load(place, "relaxed.gpu") != EMPTY if query.keys else None
        with k.if_(there if there is not None else place == 0):
            sums = [k.var(each.element, identity(each.op, each.element)) for each in query.accumulators]
            for cta in k.range(k.lane, shape.ctas, WARP):
                inside = ((masks.load(cta, "relaxed.gpu") >> place) & 1) != 0 if query.keys else None
                for number, (how, whole) in enumerate(zip(query.accumulators, sums)):
                    at = (place * accumulators + number) * shape.ctas + cta
                    part = _value_of(how.element, partials.load(at, "relaxed.gpu"))
                    found = combine(k, how.op, whole, part)
                    whole.set(found if inside is None else k.select(inside, found, whole))
            for number, (how, whole) in enumerate(zip(query.accumulators, sums)):
                result = warp_reduce(k, how.op, whole)
                with k.if_(k.lane == 0):
                    words[place * accumulators + number] = word_of(result)
    k.barrier()
    if query.keys:
        _write_groups(k, query, shape, header, words, total, outputs)
        return
    with k.if_(k.tid.x == 0):
        total[0] = 1
        _write_row(k, query, k.const(u64, 0), lambda number: words[number], k.const(u32, 0), outputs)


def _write_groups(
    k: Builder, query: Query, shape: Shape, header: Any, words: Any, total: Any, outputs: Sequence[Any]
) -> None:  # fmt: skip
    """A row for each group, in the order of the keys."""
    accumulators, keys = len(query.accumulators), header.at(2)
    found = k.shared(u64, PLACES, name="found")
    lost = k.shared(u32, 1, name="any_lost")
    for place in k.range(k.tid.x, PLACES, shape.threads):
        found[place] = keys.load(place, "relaxed.gpu")
        keys.store(place, EMPTY)
    with k.if_(k.tid.x == 0):
        lost[0] = header.load(1, "relaxed.gpu").to(u32)
    k.barrier()
    with k.if_(k.tid.x == 0):
        header[1] = 0
        count = k.var(u32, 0)
        for place in range(PLACES):
            count.set(count + k.select(found[place] != EMPTY, k.const(u32, 1), 0))
        total[0] = k.select(lost[0] != 0, k.const(u32, OVERFLOW), count)
    for place in k.range(k.tid.x, PLACES, shape.threads):
        word = found[place]
        with k.if_((word != EMPTY) & (lost[0] == 0)):
            rank = k.var(u32, 0)
            for other in range(PLACES):
                rank.set(rank + k.select(found[other] < word, k.const(u32, 1), 0))
            _write_row(k, query, word, lambda number: words[place * accumulators + number], rank, outputs)


def _write_row(
    k: Builder, query: Query, key: Any, word: Callable[[int], Any], row: Any, outputs: Sequence[Any]
) -> None:  # fmt: skip
    for how, out in zip(query.outputs, outputs):
        if how.what == "key":
            value = _unordered(k, query.keys[how.first], key)
        else:
            kind = query.accumulators[how.first].element
            value = _value_of(kind, word(how.first))
            if how.what == "mean":
                count = word(how.second)
                value = k.div(value.to(f64) if kind is not f64 else value, count.to(f64))
        out[row] = value if value.isa is how.type.isa else value.to(how.type)


def plan(
    rows: int, limit: Any, total: Any, scratch: Any, columns: Sequence[Any], outputs: Sequence[Any],
    *, query: Query, shape: Shape, tiling: Tiling, counted: bool = False,
) -> KernelPlan:  # fmt: skip
    """The query over so many rows, or over limit[0] of them, with scratch memory as `cleared_scratch` makes it."""
    types = tuple([ptr.__class_getitem__(each.type) for each in (*query.sources, *query.outputs)])
    launch = using(aggregate, types=types, query=query, shape=shape, tiling=tiling, counted=counted)
    shared = 8 * shape.slots * len(query.accumulators) * shape.threads if query.keys else 0
    arguments = (rows, limit, total, scratch, *columns, *outputs)
    return KernelPlan(launch, shape.ctas, shape.threads, arguments, shared=shared or None)
