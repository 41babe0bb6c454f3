"""values[r] = the k largest elements of row r, largest first, places[r] = where they were: of equals the first come first, NaN is
larger than all numbers, -0 equals 0. With `flip` the smallest ones, smallest first, NaN last.

Shapes: x[rows, columns] of f32, f16 or bf16, rows any number of elements apart -> values[rows, k] of x's type, places[rows, k]
of s64.

Floor: x is read once. A CTA has a row, or a part of one, and of it a tile of up to 8,192 elements at a time, in registers. Of
the first tile its threads' elements fall into `groups` each, and the k-th largest of all groups' maxima, by bisection of their
upper 16 bits, is a bound that k elements reach or more: of independent numbers few more, since there are at least twice as many
groups. Those of each tile that reach it are listed in shared memory, each as its number with its place behind it: 64 bits, or
of bf16 and f16 in parts of 65,536 elements 32. When the list is full, `cutoff` (ranks.py) finds the first k of all so far, which
stay, and the bound rises to the last of them: of n independent numbers k log(n / 8,192) come later than the first tile. In the
end the list is sorted (bitonic.py), of many more than k these alone. Parts' results are rows of a next launch, which looks
their places up.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, s64, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.bitonic import EACH, Entries, sort_descending
from ptxgen.kernels.blocks.collectives import WARP, fold, warp_reduce, warp_scan
from ptxgen.kernels.blocks.peers import Peers
from ptxgen.kernels.blocks.ranks import Histogram, cutoff, narrow_key, number_key, place_in, rank_key
from ptxgen.kernels.blocks.tiles import as_vectors, load_where
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, normal
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, using, widest_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = [
    "ELEMENTS", "KERNEL", "MOST", "VARIANTS", "Form", "Split", "any_of", "drawn_rows", "order_of", "plan", "split", "topk",
    "vector_of",
]  # fmt: skip

E = TypeVar("E", bound=Float)

ELEMENTS: tuple[type[Float], ...] = (f32, bf16, f16)
MOST = 2048
"""Of k: twice as many entries of 8 bytes fit in the shared memory that every device has."""
ITEMS, TILE_ITEMS = 32, 16
"""Elements that a thread holds: of a row that one tile holds, and of one of several, which takes more registers."""
THREADS = (128, 256, 512)
TRIMMED = 1024
"""Entries that are sorted as they are."""
GROUPS = 8
BOUND_BITS = 16
COUNTERS = 1 + BOUND_BITS
"""Of entries; of the keys that reach each bound that is tried."""
NARROW = 1 << 16
"""Elements of a part whose places are in 16 bits."""
BATCH = 4
"""Entries of a thread that are moved together."""


def _ctas(threads: int, tiled: bool, **_: Any) -> int:
    """64 registers a thread where there are tiles, so that others are read while one is listed."""
    return 1024 // threads if tiled else 1


@kernel(max_threads=lambda threads, **_: threads, min_ctas=_ctas)
def topk(
    k: Builder, columns: u32, parts: u32, length: u32, longer: u32, count: u32, room: u32, flip: u32, x: ptr[E], step: u64,
    values: ptr[E], places: ptr[s64], lookup: ptr[s64], *, element: type[E], threads: int, vector: int = 1, groups: int = 1,
    tiled: bool = False, narrow: bool = False, mapped: bool = False,
) -> None:  # fmt: skip
    """A CTA a part of a row: `length` accesses of `vector` elements, of the first `longer` parts one more, of a single tile
    where it is not `tiled`. `room` entries in dynamic shared memory, of 32 bits where they are `narrow`; `flip`: all ones for
    the smallest."""
    row, part = k.ctaid.x // parts, k.ctaid.x % parts
    begin = (part * length + k.min(part, longer)) * vector
    accesses = length + k.select(part < longer, k.const(u32, 1), k.const(u32, 0))
    n = accesses * vector
    source = x.at(row.to(u64) * step + begin.to(u64))
    form = Form(k, element, flip, narrow)
    entries = Entries(k.dynamic_shared(form.entry).pointer, form.entry)
    counters = k.shared(u32, COUNTERS, name="counters").pointer
    with k.pred(k.tid.x < COUNTERS):
        counters[k.tid.x] = 0

    many = as_vectors(source, vector)
    listed, bound = k.var(u32, 0), k.var(u32, 0)  # entries of the tiles before
    each = (TILE_ITEMS if tiled else ITEMS) // vector
    tile = threads * each
    for base in k.range(0, accesses, tile) if tiled else [k.const(u32, 0)]:
        raw = [[k.var(element, 0) for _ in range(vector)] for _ in range(each)]
        first = base + k.tid.x
        inside = [first + j * threads < accesses for j in range(each)]
        for j, found in enumerate(raw):
            load_where(k, inside[j], many, first + j * threads, found)
        keys = [k.select(inside[j], form.key(value), k.const(u32, 0)) for j, found in enumerate(raw) for value in found]
        k.barrier()
        with k.if_((base == 0) & (n > room) if tiled else n > room):
            _raise(k, bound, [fold(k, "max", keys[g::groups]) for g in range(groups)], count, counters)
        _append(k, form, entries, counters, keys, inside, first, bound, room, source, groups > 1, threads)
        k.barrier()
        total = counters[0]
        over = total > room
        long = (total > TRIMMED) & (k.clz(total - 1) < k.clz(count - 1))
        if tiled:
            long = (base + tile >= accesses) & long | (total > room - room // 4)
        with k.if_(over | long):
            origin = base * vector
            upto = k.select(over, k.min(origin + tile * vector, n), origin)
            listed.set(k.select(over, listed, total))
            bound.set(_exactly(k, form, entries, listed, counters, count, threads, bound, source, origin, upto))
        listed.set(counters[0])
    total = listed
    size = k.max(k.const(u32, 1) << (32 - k.clz(total - 1)), k.const(u32, EACH))
    for i in k.range(total + k.tid.x, size, threads):
        entries[i] = 0
    k.barrier()
    sort_descending(k, entries, size, threads)

    target = k.ctaid.x.to(u64) * count.to(u64)
    for j in k.range(k.tid.x, count, threads):
        place = form.place_in(entries[j])
        values.at(target)[j] = source[place]
        if mapped:
            places.at(target)[j] = lookup.at(row.to(u64) * columns.to(u64))[begin + place]
        else:
            places.at(target)[j] = (begin + place).to(u64).bits(s64)


KERNEL = topk


class Form:
    """What is sorted: a number's key with the place in the part behind it, 64 bits, or `narrow` of numbers of 16 bits 32."""

    def __init__(self, k: Builder, element: type[Float], flip: u32, narrow: bool) -> None:
        self.short = element.isa.bytes == 2
        self.narrow = narrow
        self.entry: type[u32] | type[u64] = u32 if narrow else u64
        self._builder = k
        self._flip = flip << 16 if self.short else flip

    def key(self, value: Any) -> Any:
        """Its number in the order wanted."""
        make = narrow_key if self.short else number_key
        return make(self._builder, value) ^ self._flip

    def entry_of(self, key: Any, place: Any) -> Any:
        """Of the last place of 2^16 and the lowest key 0, as what is behind the list: either will do."""
        return key | (place ^ 0xFFFF) if self.narrow else rank_key(key, place)

    def rank(self, entry: Any) -> Any:
        """64 bits, for `cutoff`."""
        return entry.to(u64) << 32 if self.narrow else entry

    def entry_at(self, rank: Any) -> Any:
        return (rank >> 32).to(u32) if self.narrow else rank

    def after(self, entry: Any) -> Any:
        """The least key of a later place that is before this entry in the order; of NaN, which none is, its own."""
        key = entry & 0xFFFF_0000 if self.narrow else (entry >> 32).to(u32)
        return self._builder.max(key, key + (1 << 16 if self.short else 1))

    def place_in(self, entry: Any) -> Any:
        return entry & 0xFFFF ^ 0xFFFF if self.narrow else place_in(entry)


def _raise(k: Builder, bound: Any, tops: list[Any], count: u32, counters: Any) -> None:
    """To the largest number of 16 bits, 16 zeros behind it, that the largest keys of `count` groups reach."""
    for i in k.range(BOUND_BITS):
        tried = bound | (k.const(u32, 1 << 31) >> i)
        if len(tops) == 1:
            reached = k.popc(k.ballot(tops[0] >= tried))
        else:  # five shuffles cost less than a popc each
            ones = [k.select(top >= tried, k.const(u32, 1), k.const(u32, 0)) for top in tops]
            reached = warp_reduce(k, "sum", fold(k, "sum", ones))
        with k.if_(k.lane == 0):
            k.reduce_add(counters, 1 + i, reached)
        k.barrier()
        bound.set(k.select(counters[1 + i] >= count, tried, bound))


def _append(
    k: Builder, form: Form, entries: Entries, counters: Any, keys: list[Any], inside: list[Any], first: Any, bound: Any,
    room: Any, source: Any, many: bool, threads: int,
) -> None:  # fmt: skip
    """Of the thread's keys, those of accesses that are `inside` which reach the bound, to the end of the list; `first`: the
    first of its accesses; `many`: most threads have some."""
    vector = len(keys) // len(inside)
    there = [
        k.select(each, k.const(u32, (1 << vector) - 1 << j * vector), k.const(u32, 0)) for j, each in enumerate(inside)
    ]
    reached = [k.select(key >= bound, k.const(u32, 1 << i), k.const(u32, 0)) for i, key in enumerate(keys)]
    taken = any_of(there) & any_of(reached)
    if many:
        at = k.var(u32, _reserve(k, counters, k.popc(taken)))
        for i, key in enumerate(keys):
            with k.if_((taken >> i & 1 != 0) & (at < room)):
                entries[at] = form.entry_of(key, (first + i // vector * threads) * vector + i % vector)
                at += 1
        return
    with k.if_(taken != 0):  # few have any, just read, so that they are read again
        at = k.var(u32, k.atomic_add(counters, 0, k.popc(taken)))
        left = k.var(u32, taken)
        with k.while_(lambda: (left != 0) & (at < room)):
            bit = k.clz(k.brev(left))
            left.set(left & (left - 1))
            place = (first + bit // vector * threads) * vector + bit % vector
            entries[at] = form.entry_of(form.key(source[place]), place)
            at += 1


def _reserve(k: Builder, counters: Any, number: u32) -> Any:
    """The first of `number` places in the list for each thread; all threads of a warp call it together."""
    upto = warp_scan(k, number)
    begin = k.var(u32, 0)
    with k.if_(k.lane == WARP - 1):
        begin.set(k.atomic_add(counters, 0, upto))
    return k.shfl_idx(begin, WARP - 1) + upto - number


def any_of(words: list[Any]) -> Any:
    """The bits of all of them."""
    while len(words) > 1:
        words = [words[i] | words[i + 1] if i + 1 < len(words) else words[i] for i in range(0, len(words), 2)]
    return words[0]


def _exactly(
    k: Builder, form: Form, entries: Entries, listed: Any, counters: Any, count: u32, threads: int, bound: Any, source: Any,
    first: Any, upto: Any,
) -> Any:  # fmt: skip
    """The list anew: of its first `listed` entries and the elements from `first` to `upto` that reach the bound, the first
    `count`. The next bound."""

    def over(body: Callable[..., None]) -> None:
        for i in k.range(k.tid.x, listed, threads):
            body(form.rank(entries[i]))
        for i in k.range(first + k.tid.x, upto, threads):
            key = form.key(source[i])
            with k.if_(key >= bound):
                body(form.rank(form.entry_of(key, i)))

    last = form.entry_at(cutoff(k, Histogram.of(k, Peers.of(k, 1)), threads, over, count.to(u64)))
    with k.pred(k.tid.x == 0):
        counters[0] = 0
    k.barrier()

    def keep(found: list[Any], inside: list[Any]) -> None:
        """All threads of the CTA call it; what is written has been read."""
        stay = [each & (entry >= last) for entry, each in zip(found, inside)]
        number = fold(k, "sum", [k.select(each, k.const(u32, 1), k.const(u32, 0)) for each in stay])
        at = k.var(u32, _reserve(k, counters, number))
        for entry, each in zip(found, stay):
            with k.if_(each):
                entries[at] = entry
                at += 1

    for base in k.range(k.tid.x, k.tid.x + listed, BATCH * threads):
        inside = [base + i * threads < listed for i in range(BATCH)]
        found = [k.var(form.entry, 0) for _ in inside]
        for i, entry in enumerate(found):
            with k.if_(inside[i]):
                entry.set(entries[base + i * threads])
        k.barrier()
        keep(found, inside)
        k.barrier()
    for base in k.range(first + k.tid.x, upto + k.tid.x, BATCH * threads):
        places = [base + i * threads for i in range(BATCH)]
        raw = [k.var(source.element, 0) for _ in places]
        for place, value in zip(places, raw):
            with k.pred(place < upto):
                value.set(source[place])
        keys = [form.key(value) for value in raw]
        reached = [(place < upto) & (key >= bound) for place, key in zip(places, keys)]
        keep([form.entry_of(key, place) for place, key in zip(places, keys)], reached)
    k.barrier()
    return form.after(last)


class Split(NamedTuple):
    """How a launch shares rows: parts of a row, accesses of each, how many parts have one more."""

    parts: int
    length: int
    longer: int


def split(rows: int, columns: int, count: int, vector: int, *, processors: int = 132) -> Split:
    """Of few rows, as many parts as there are processors, of 4,096 elements and 8 k at least; fewer than four save no time."""
    useful = columns // max(4096, 8 * count)
    parts = min(useful, ceil_div(processors, max(rows, 1))) if useful >= 4 else 1
    return Split(parts, *divmod(columns // vector, parts))


class Shape(NamedTuple):
    """How a CTA takes a part: its threads, whether in tiles, and the entries that its list has room for."""

    threads: int
    tiled: bool
    room: int


def _shape(most: int, count: int, narrow: bool) -> Shape:
    """Of a part of up to `most` elements. There are twice as many groups as k, unless all elements are listed."""
    groups, room = 2 * count, min(2 * MOST, 1 << (2 * count + 127).bit_length())
    threads = next((each for each in THREADS if each * ITEMS >= most), THREADS[-1])
    if (
        narrow and threads == THREADS[-1] and most <= threads * ITEMS
    ):  # a bound of all is nearer than one of half of them
        return Shape(threads, False, room)
    if most > threads * ITEMS or (threads == THREADS[-1] and groups > threads):
        return Shape(threads, True, min(4 * MOST, 4 * room))
    if most <= 2 * MOST and groups > threads * GROUPS:
        return Shape(threads, False, 2 * MOST)
    while groups > threads * GROUPS and most > room:
        threads *= 2
    return Shape(threads, False, room)


def plan(
    rows: int, columns: int, count: int, x: Any, values: Any, places: Any, *, step: int | None = None, element: type[Float] = f32,
    largest: bool = True, lookup: Any = None, parts: int | None = None, processors: int = 132, vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """One launch. In `parts` (see `split`), values and places are [rows, parts * count]: rows of the next one's x and lookup."""
    distance = columns if step is None else step
    if vector is None:
        vector = vector_of(x, columns, distance if rows > 1 else 0, element)
    shares = split(rows, columns, count, vector, processors=processors)
    if parts is not None:
        shares = Split(parts, *divmod(columns // vector, parts))
    most = (shares.length + bool(shares.longer)) * vector
    narrow = element.isa.bytes == 2 and most <= NARROW
    threads, tiled, room = _shape(most, count, narrow)
    launch = using(
        topk, element=element, threads=threads, vector=vector, groups=1 if 2 * count <= threads else GROUPS, tiled=tiled,
        narrow=narrow, mapped=lookup is not None,
    )  # fmt: skip
    arguments = (
        columns, shares.parts, shares.length, shares.longer, count, room, 0 if largest else 0xFFFF_FFFF, x, distance, values,
        places, 0 if lookup is None else lookup,
    )  # fmt: skip
    return KernelPlan(launch, rows * shares.parts, threads, arguments, shared=(4 if narrow else 8) * room)


def vector_of(x: Any, columns: int, distance: int, element: type[Float]) -> int:
    """Elements of an access: of 16 bytes, or one; `distance`: elements from row to row, where there are several."""
    wide = widest_vector(element.isa.bytes, common_alignment(x), columns, distance or columns)
    return wide if wide * element.isa.bytes == 16 else 1


def order_of(x: np.ndarray[Any, Any], count: int, largest: bool = True) -> np.ndarray[Any, Any]:
    """The places of the first `count` of each row."""
    import numpy as np

    wide = x.astype(np.float64)
    missing = np.isnan(wide)
    keys = np.where(missing, 0, -wide if largest else wide) + 0.0
    first = ~missing if largest else missing
    return np.lexsort((keys, first), axis=-1)[..., :count]


def drawn_rows(rng: np.random.Generator, rows: int, columns: int, element: type[Float]) -> HostArray:
    """Normal numbers, many equal ones, NaN and infinities, falling ones, zeros of both signs, all equal."""
    import numpy as np

    x = normal(rng, (rows, columns), element, 3.0)
    values = x.values
    for row in range(1, rows):
        if row % 5 == 1:
            values[row] = np.round(values[row])
        elif row % 5 == 2:
            values[row, :: max(2, columns // 3)] = np.nan
            values[row, 1 :: max(3, columns // 4)] = np.inf
        elif row % 5 == 3:
            values[row] = -np.sort(-values[row])
        elif row % 5 == 4:
            values[row] = np.where(np.arange(columns) % 3 == 0, 0.0, -0.0)
    return x


def _case(
    size: tuple[int, int, int], rng: np.random.Generator, *, element: type[Float], vector: int, parts: int, mapped: bool
) -> Case:
    import numpy as np

    rows, columns, count = size
    x = drawn_rows(rng, rows, columns, element)
    values = x.values
    largest = columns % 2 == 0
    own = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns) * 7
    shares = Split(parts, *divmod(columns // vector, parts))
    edges = [(p * shares.length + min(p, shares.longer)) * vector for p in range(parts + 1)]
    found = [order_of(values[:, a:b], count, largest) + a for a, b in pairwise(edges)]
    places = np.concatenate(found, axis=1)
    arrays = {
        "x": x,
        "lookup": HostArray(own, s64),
        "values": HostArray(np.zeros((rows, parts * count), values.dtype), element),
        "places": HostArray(np.full((rows, parts * count), -7), s64),
    }
    return Case(
        arrays=arrays,
        plan=lambda on: plan(
            rows, columns, count, on["x"], on["values"], on["places"], element=element, largest=largest,
            lookup=on["lookup"] if mapped else None, parts=parts, vector=vector,
        ),
        expected={
            "values": np.take_along_axis(values, places, axis=1),
            "places": np.take_along_axis(own, places, axis=1) if mapped else places,
        },
        tolerance=EXACT,
    )  # fmt: skip


def _variant(
    element: type[Float], threads: int, vector: int, groups: int, sizes: tuple[Any, ...], *, parts: int = 1, mapped: bool = False,
    tiled: bool = False,
) -> Variant:  # fmt: skip
    given: dict[str, Any] = {"element": element, "vector": vector}
    words = ["scalar"] * (vector == 1) + ["tiled"] * tiled + ["mapped"] * mapped
    narrow = element.isa.bytes == 2
    return Variant(
        "topk",
        ".".join([element.isa.name, f"threads-{threads}", *words]),
        using(topk, **given, threads=threads, groups=groups, tiled=tiled, narrow=narrow, mapped=mapped),
        partial(_case, **given, parts=parts, mapped=mapped),
        sizes=sizes,
    )


VARIANTS = (
    _variant(f32, 128, 4, 1, ((1, 4, 4), (6, 1000, 40), (7, 1036, 3))),
    _variant(bf16, 512, 8, 8, ((6, 9000, 700),), tiled=True),
    _variant(f16, 128, 1, 1, ((1, 1, 1), (6, 333, 33)), parts=1, mapped=True),
)
