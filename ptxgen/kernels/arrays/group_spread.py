"""Parts of groups and rows that were missed, brought together by ranges of their hashes: see group_cache.py."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u8, u16, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.group_accumulators import Accumulator, accumulated, accumulator_of, word_of
from ptxgen.kernels.arrays.group_cache import CASE, TILE, Layout, Records, hashes_of, missed_bytes
from ptxgen.kernels.arrays.group_table import Keys
from ptxgen.kernels.blocks.counters import THREADS, clear, scan, words_for
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import element_of, zeros
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "spread_plan", "staged_bytes"]

C = TypeVar("C", bound=Integer)
T = TypeVar("T", bound=Value)


FLIGHT = 4
"""Items of a thread that are read together."""
NOWHERE = 0xFFFF
"""The place of a row that was not missed."""


@kernel(threads=THREADS, min_ctas=2)
def group_spread(
    k: Builder, n: u32, share: u32, keys: ptr[C], missed: ptr[u8], left: ptr[u32], tags: ptr[C], rows: ptr[u32],
    lasts: ptr[u32], parts: ptr[u64], room: u32, each: u32, bins: u32, shift: u32, padded: u32, size: u32, offsets: ptr[u32],
    totals: ptr[u32], firsts: ptr[u32], to_tags: ptr[C], to_rows: ptr[u32], to_lasts: ptr[u32], to_words: ptr[u64],
    to_room: u32, *columns: T, element: type[C], hashed: bool, rowed: bool, sided: bool,
    accumulators: tuple[Accumulator, ...], types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """The entries, bin by bin, and where bins begin. Dynamic shared memory: 2*padded words, at least `bins` each, then
    `staged_bytes` of each of a tile's `size` items, a multiple of FLIGHT*THREADS.

    A CTA takes the missed rows of its share, and then its parts, a tile at a time: each takes a place in its bin. Then the arrays
    of the entries, one after the other, are brought into order in shared memory and written in runs.
    """
    k.launch_dependents()
    k.wait_for_dependencies()
    of = Keys(keys, keys, element, int(hashed))
    given, entries = Records(tags, rows, lasts, parts, room), Records(to_tags, to_rows, to_lasts, to_words, to_room)
    counts = k.dynamic_shared(u32).pointer
    moves = counts.at(padded)
    with k.allow("PTX507"):  # the parts of shared memory lie one behind the other
        _begin(k, moves, padded, bins, offsets.at(k.ctaid.x * bins), totals, firsts)
    begin, end, from_parts = k.var(u32, k.ctaid.x * share), k.var(u32, 0), k.var(u32, 0)
    with k.if_((left[k.ctaid.x * 2] != 0) & (n != 0)):
        end.set(begin + k.min(n - begin, share))
    for source in k.range(2):
        with k.if_(source == 1):
            from_parts.set(1)
            begin.set(k.ctaid.x * each)
            end.set(begin + left[k.ctaid.x * 2 + 1])
        for first in k.range(begin, end, size):
            tile = _Tile(k, of, given, size, padded, first, k.min(end - first, size), from_parts != 0)
            clear(k, counts, padded)
            with k.allow("PTX507"):
                tile.take_places(missed, shift)
            k.barrier()
            last = counts[bins - 1]
            k.barrier()
            scan(k, counts, padded)
            total = counts[bins - 1] + last
            with k.allow("PTX507"):
                tile.move_tags(total, shift, entries.tags)
                if rowed or hashed:
                    tile.move(u32, partial(tile.row_of, rows), entries.rows)
                if sided:
                    tile.move(u32, partial(tile.row_of, lasts), entries.lasts)
                for number, how in enumerate(accumulators):
                    tile.move(u64, partial(tile.word, number, how, columns), entries.word(k, number))
                for b in k.range(k.tid.x, bins, THREADS):
                    behind = k.var(u32, total)
                    with k.if_(b + 1 < bins):
                        behind.set(counts[b + 1])
                    moves[b] += behind - counts[b]
            k.barrier()


def _begin(k: Builder, moves: Any, padded: Any, bins: Any, offsets: Any, totals: Any, firsts: Any) -> None:
    """Where the CTA's first entry of each bin goes; by the first CTA where the bins begin."""
    for b in k.range(k.tid.x, padded, THREADS):
        total = k.var(u32, 0)
        with k.if_(b < bins):
            total.set(totals[b])
        moves[b] = total
    k.barrier()
    last = moves[bins - 1]
    k.barrier()
    scan(k, moves, padded, name="totals_of_warps")
    with k.if_(k.ctaid.x == 0):
        for b in k.range(k.tid.x, bins, THREADS):
            firsts[b] = moves[b]
        with k.if_(k.tid.x == 0):
            firsts[bins] = moves[bins - 1] + last
    k.barrier()
    for b in k.range(k.tid.x, bins, THREADS):
        moves[b] += offsets[b]
    k.barrier()


class _Tile:
    """Rows, or parts, that a CTA has: item i of them is that of thread i % THREADS."""

    def __init__(
        self, k: Builder, of: Keys, given: Records, size: Any, padded: Any, first: Any, count: Any, is_part: Any
    ) -> None:  # fmt: skip
        self.k, self.of, self.given, self.first, self.count, self.is_part = k, of, given, first, count, is_part
        self.wide = of.element.isa.bytes // 4
        self.counts = k.dynamic_shared(u32).pointer
        self.moves = self.counts.at(padded)
        staged = self.counts.at(2 * padded)
        self.staged, self.targets = staged.cast(of.element), staged
        self.places = staged.at(self.wide * size).cast(u16)
        self.others = staged.at(self.wide * size + size // 2)
        self.total = k.var(u32, 0)
        self.tags = k.select(is_part, given.tags, of.column).at(first)

    def _each(self, count: Any) -> Iterator[list[Any]]:
        """A loop over a thread's items, some at a time."""
        for begin in self.k.range(self.k.tid.x, count, FLIGHT * THREADS):
            yield [begin + i * THREADS for i in range(FLIGHT)]

    def _inside(self, items: list[Any], count: Any) -> list[tuple[Any, Any]]:
        """Items, each with whether it is one of so many. Those that are not stand for the thread's first, as in `inside`."""
        return [(self.k.select(item < count, item, items[0]), item < count) for item in items]

    def _bin(self, tag: Any, shift: Any) -> Any:
        return self.of.hash(self.k, tag) >> shift

    def take_places(self, missed: Any, shift: Any) -> None:
        """Each takes a place among those of its bin."""
        k = self.k
        for items in self._each(self.count):
            here_ = self._inside(items, self.count)
            found = [self.tags[item] for item, _ in here_]
            missed_ = [k.var(u32, 1) for _ in items]
            with k.if_(~self.is_part):
                rows = [self.first + item for item, _ in here_]
                for each, row in zip(missed_, rows):
                    each.set((missed[row // TILE * THREADS + row % THREADS].to(u32) >> (row % TILE // THREADS)) & 1)
            for (item, there), tag, each in zip(here_, found, missed_):
                with k.if_(there):
                    place = k.var(u32, NOWHERE)
                    with k.if_(each != 0):
                        place.set(k.atomic_add(self.counts, self._bin(tag, shift), 1, scope="cta", order="relaxed"))
                    self.places[item] = place.to(u16)

    def _placed(self, items: list[Any]) -> list[tuple[Any, Any, Any]]:
        """Items, each with its place, and whether it has one."""
        found = []
        for item, there in self._inside(items, self.count):
            place = self.places[item].to(u32)
            found.append((item, place, there & (place != NOWHERE)))
        return found

    def move_tags(self, total: Any, shift: Any, out: Any) -> None:
        """Bring the tags into order and write them; where each goes is kept in their stead."""
        k = self.k
        self.total.set(total)
        for items in self._each(self.count):
            placed = self._placed(items)
            found = [self.tags[item] for item, *_ in placed]
            for tag, (item, place, here) in zip(found, placed):
                with k.if_(here):
                    to = self.counts[self._bin(tag, shift)] + place
                    self.staged[to] = tag
                    self.places[item] = to.to(u16)
        k.barrier()
        for items in self._each(self.total):
            here = self._inside(items, self.total)
            found = [self.staged[item] for item, _ in here]
            for tag, (item, there) in zip(found, here):
                with k.if_(there):
                    number = self._bin(tag, shift)
                    target = self.moves[number] + item - self.counts[number]
                    out[target] = tag
                    self.targets[item * self.wide] = target
        k.barrier()

    def move(self, element: type[Value], value: Callable[[list[Any]], list[Any]], out: Any) -> None:
        """The same of another array, of which `value` gives items."""
        k, staged = self.k, self.others.cast(element)
        for items in self._each(self.count):
            placed = self._placed(items)
            for each, (_, place, here) in zip(value([item for item, *_ in placed]), placed):
                with k.if_(here):
                    staged[place] = each
        k.barrier()
        for items in self._each(self.total):
            here = self._inside(items, self.total)
            found = [(self.targets[item * self.wide], staged[item]) for item, _ in here]
            for (target, each), (_, there) in zip(found, here):
                with k.if_(there):
                    out[target] = each
        k.barrier()

    def row_of(self, parts: Any, items: list[Any]) -> list[Any]:
        """The first or last rows of items: of a row itself."""
        found = [self.k.var(u32, self.first + item) for item in items]
        with self.k.if_(self.is_part):
            for row, item in zip(found, items):
                row.set(parts.at(self.first)[item])
        return found

    def word(self, number: int, how: Accumulator, columns: Any, items: list[Any]) -> list[Any]:
        """An accumulator of items, of rows that of their values."""
        k, found = self.k, [self.k.var(u64, 1) for _ in items]
        with k.if_else(self.is_part) as (part, row):
            with part:
                source = self.given.word(k, number).at(self.first)
                for word, each in zip(found, [source[item] for item in items]):
                    word.set(each)
            with row:
                if how.op != "count":
                    column = columns[how.column].at(self.first)
                    for word, value in zip(found, [column[item] for item in items]):
                        word.set(word_of(how, accumulated(k, how, value)))
        return found


KERNEL = group_spread


def staged_bytes(element: type[Value], accumulators: Sequence[Accumulator], *, rowed: bool) -> int:
    """Of an item in shared memory: its tag, in whose stead there is later where it goes; what else is moved; its place."""
    return element.isa.bytes + (8 if accumulators else 4 * rowed) + 2


def spread_plan(
    n: int, layout: Layout, keys: Any, missed: Any, left: Any, parts: Records, offsets: Any, totals: Any, firsts: Any,
    entries: Records, columns: Sequence[Any], *, hashed: bool, accumulators: tuple[Accumulator, ...], rowed: bool, sided: bool,
    types: tuple[type[Value], ...],
) -> KernelPlan:  # fmt: skip
    """The entries of n rows; `types` are those of the columns."""
    padded, element = words_for(layout.bins), element_of(keys)
    kernel_ = using(
        group_spread, element=element, hashed=hashed, rowed=rowed, sided=sided, accumulators=accumulators,
        types=tuple(map(ptr.__class_getitem__, types)),
    )  # fmt: skip
    arguments = (
        n, layout.share, keys, missed, left, *parts, layout.parts, layout.bins, layout.shift, padded, layout.tile, offsets,
        totals, firsts, *entries, *columns,
    )  # fmt: skip
    shared = 8 * padded + layout.tile * staged_bytes(element, accumulators, rowed=rowed or hashed or sided)
    return KernelPlan(kernel_, grid_for(n, layout.share), THREADS, arguments, shared=shared, programmatic=True)


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer], summed: bool) -> Case:
    """(rows, parts of the first CTA), each in a bin of its own, so that no place depends on timing. A third of the rows are
    missed."""
    import numpy as np

    n, parts = size
    kind: Any = np.dtype(numpy_name(element.isa))
    drawn = np.unique(rng.integers(0, np.iinfo(kind).max, 20 * (n + parts), dtype=kind))
    _, first = np.unique(hashes_of(drawn) >> CASE.shift, return_index=True)
    tags = rng.permutation(drawn[first])[: n + parts]
    n, missed = len(tags) - parts, rng.random(len(tags) - parts) < 1 / 3
    numbers = np.concatenate([np.nonzero(missed)[0], np.arange(n, n + parts)])
    bins = hashes_of(tags[numbers]) >> CASE.shift
    chosen = numbers[np.argsort(bins)]
    totals = np.bincount(bins, minlength=CASE.bins).astype(np.uint32)
    values, rows = rng.integers(0, 1000, len(tags)).astype(np.uint32), np.arange(len(tags), dtype=np.uint32)
    accumulators = (accumulator_of("sum", 0, u32),) if summed else ()
    expected = {"to_tags": tags[chosen], "firsts": np.append(0, np.cumsum(totals)).astype(np.uint32)}
    if summed:
        expected |= {"to_rows": rows[chosen], "to_words": values[chosen].astype(np.uint64)}
    out, room = len(chosen), max(1, parts)
    left = np.array([missed.any(), parts], np.uint32)
    return Case(
        arrays={
            "keys": HostArray(tags[:n], element), "missed": HostArray(missed_bytes(missed, n), u8),
            "left": HostArray(left, u32), "tags": HostArray(tags[n:], element), "rows": HostArray(rows[n:], u32),
            "parts": HostArray(np.append(values[n:].astype(np.uint64), np.uint64(0)), u64),
            "values": HostArray(values[:n], u32), "offsets": zeros(CASE.bins), "totals": HostArray(totals, u32),
            "firsts": zeros(CASE.bins + 1), "to_tags": HostArray(np.zeros(out, kind), element), "to_rows": zeros(out),
            "to_words": HostArray(np.zeros(out, np.uint64), u64),
        },
        plan=lambda on: spread_plan(
            n, CASE, on["keys"], on["missed"], on["left"], Records(on["tags"], on["rows"], on["rows"], on["parts"], room),
            on["offsets"], on["totals"], on["firsts"],
            Records(on["to_tags"], on["to_rows"], on["to_rows"], on["to_words"], out), [on["values"]] if summed else [],
            hashed=False, accumulators=accumulators, rowed=summed, sided=False, types=(u32,) * summed,
        ),
        expected=expected,
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Integer], *, summed: bool = False) -> Variant:
    kernel_ = using(
        group_spread, element=element, hashed=False, rowed=summed, sided=False,
        accumulators=(accumulator_of("sum", 0, u32),) if summed else (), types=(ptr[u32],) * summed,
    )  # fmt: skip
    case = partial(_case, element=element, summed=summed)
    name = element.isa.name + ".sum" * summed
    return Variant("group_spread", name, kernel_, case, ((0, 0), (1, 0), (1, 30), (500, 200)))


VARIANTS = (_variant(u32), _variant(u64, summed=True))
