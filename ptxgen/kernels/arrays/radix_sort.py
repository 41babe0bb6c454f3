"""Stable radix sort in one read and one write a digit: keys, or keys with payloads of 32 or 64 bits.

A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (arXiv:2206.01784). Two kernels:
`digit_counts` (see radix_counts.py) reads the keys once and knows all digits' first places; `radix_pass`, once for each 8-bit
digit, moves the keys: a CTA counts a tile's keys by digit and tells the CTAs behind, puts them in order in shared memory,
learns by decoupled look-back (see lookback.py) how many keys of each digit stand in the tiles before it, and writes runs of
equal digits. A pass in which all keys have one digit moves nothing: the launch ends at once.

Shapes: keys[n] -> sorted[n], payload[n] -> moved[n] (u32 or u64); keys are u8, s8, u16, s16, f16, u32, s32, f32, u64, s64 or f64,
ascending or descending; n below 2^30. -0.0 sorts before 0.0, and NaNs by their bits: IEEE 754's totalOrder.

Floor: (1 + 2*passes) * bytes * n of keys; 2^24 u32 at an H200's 4.3 TB/s take 0.14 ms.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, Kernel, f16, f32, kernel, ptr, s8, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.radix_counts import counts_plan
from ptxgen.kernels.arrays.radix_keys import (
    SIZE,
    TICKETS,
    WRITTEN,
    Work,
    digit_of,
    ordered_bits,
    original,
    passes_of,
    random_keys,
    reference_bits,
)
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.digits import BITS, DIGITS, DigitRows
from ptxgen.kernels.blocks.lookback import AGGREGATE, PREFIX, take_ticket
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = [
    "KERNEL", "VARIANTS", "Arrays", "Share", "Tiles", "Tiling", "move_tile", "sort_plans", "tiling_of", "tilings_of",
    "work_size",
]  # fmt: skip

K = TypeVar("K", bound=Value)
P = TypeVar("P", bound=Value)

MASK = (1 << 30) - 1


class Tiling(NamedTuple):
    """How many keys a CTA sorts at a time, on how many threads; the registers of a thread, which
    with 56 leave three CTAs of 384 threads room on an SM, with 80 two; tiles that a round of looking back sees."""

    threads: int
    items: int
    registers: int
    window: int

    @property
    def size(self) -> int:
        return self.threads * self.items

    def within(self, room: int, each: int) -> Tiling:
        """With fewer keys where a CTA has no more than `room` bytes of shared memory, and a key and its payload are `each`."""
        items = min(self.items, (room - STATIC) // (self.threads * each))
        return self if items == self.items else self._replace(items=items)


STATIC = 14 << 10
"""Bytes of shared memory for counters of 384 threads, beside the keys, or fewer."""
ROOM = 227 << 10
"""Bytes of shared memory that a CTA may have on an H200, for whose tilings they are enough; on sm_75 it is 64 KiB."""

TILINGS = {
    (4, False): (Tiling(384, 23, 56, 2), Tiling(384, 12, 56, 8)),
    (4, True): (Tiling(384, 22, 80, 2), Tiling(384, 16, 64, 8)),
    (8, False): (Tiling(384, 15, 56, 2), Tiling(384, 8, 56, 8)),
    (8, True): (Tiling(384, 18, 80, 2), Tiling(384, 14, 80, 8)),
}
"""For many keys and for few, by their bytes (4 or fewer, 8) and whether there are payloads."""
WIDE = {
    4: (Tiling(384, 18, 80, 2), Tiling(384, 14, 80, 8)),
    8: (Tiling(384, 14, 80, 2), Tiling(384, 12, 80, 8)),
}
"""The same of payloads of 8 bytes."""
FEW = 1 << 21


def tilings_of(element: type[Value], *, pairs: bool, wide: bool = False, room: int = ROOM) -> tuple[Tiling, Tiling]:
    """(that for many keys, that for few); `wide` payloads have 8 bytes."""
    size = max(4, element.isa.bytes)
    large, small = WIDE[size] if wide else TILINGS[size, pairs]
    each = element.isa.bytes + (8 if wide else 4) * pairs
    return large.within(room, each), small.within(room, each)


def tiling_of(element: type[Value], n: int, pairs: bool, *, wide: bool = False, room: int = ROOM) -> Tiling:
    """Few keys are spread over all of the device's SMs."""
    large, small = tilings_of(element, pairs=pairs, wide=wide, room=room)
    return large if n > FEW else small


@kernel(threads=lambda threads, **_: threads, max_registers=lambda registers, **_: registers)
def radix_pass(
    k: Builder, keys: ptr[K], one: ptr[K], two: ptr[K], sorted_: ptr[K], payload: ptr[P], payload_one: ptr[P],
    payload_two: ptr[P], moved: ptr[P], work: ptr[u32], number: u32, more: ptr[K], split: u32,
    *, element: type[K], passes: int, threads: int, items: int, registers: int, window: int, descending: bool, pairs: bool,
    limited: bool, joined: bool, payload_type: type[P],
) -> None:  # fmt: skip
    """Pass `number`: each key goes to its digit's next place, from and to where its route says. A CTA a tile.

    Dynamic shared memory: the tile's keys, then its payloads. Without `pairs` no payload is touched. `limited`: the pass
    that writes the result writes only as much of it as the work memory says. `joined`: of the keys only `split` are in `keys`,
    those behind in `more`.
    """
    layout, size = Work(passes), threads * items
    kept_shift = k.shared(u32, 1, name="shift").pointer
    ranks = DigitRows.of(k, threads)
    ranks.clear()
    k.wait_for_dependencies()
    route = work[layout.routes + number]
    with k.if_(route == 0):
        k.return_()
    with k.if_(k.tid.x == 0):
        kept_shift[0] = number * BITS
    n = work[SIZE]
    limit = k.select(route >> 2 & 3 == 3, work[WRITTEN], n) if limited else None
    tile = take_ticket(k, work.at(TICKETS + number))
    k.launch_dependents()
    read, write = _routed(k, route, (keys, one, two, sorted_))
    begin, end = tile * size, n
    if joined:
        given, in_keys = route & 3 == 0, (split + (size - 1)) // size * size
        behind = given & (begin >= in_keys)
        read = k.select(behind, more, read)
        end = k.select(behind, n - split, k.select(given, split, n))
        begin = k.select(behind, begin - in_keys, begin)
    with k.if_(begin >= end):
        k.return_()
    half = k.nctaid.x * DIGITS
    odd, even = (k.select(route >= 16, *each) for each in ((half, k.const(u32, 0)), (k.const(u32, 0), half)))
    states, following = work.at(layout.states + odd), work.at(layout.states + even)
    my = Share(k, threads, items, end - begin, limit)
    arrays = [(read.at(begin), write)]
    if pairs:
        read, write = _routed(k, route, (payload, payload_one, payload_two, moved))
        arrays.append((read.at(begin), write))
    first = partial(work.at(layout.offsets + number * DIGITS).load, k.tid.x)
    tiles = Tiles(states, tile, following.at(tile * DIGITS), window)
    move_tile(
        my,
        ranks,
        arrays,
        tiles,
        first,
        number * BITS,
        kept_shift,
        element=element,
        descending=descending,
        joined=joined,
    )


class Tiles(NamedTuple):
    """The states of the tiles that follow each other, the number of this one among them, and what is cleared for the next pass:
    its states of that. `window` tiles are seen at a time."""

    states: Any
    number: u32
    following: Any
    window: int


def move_tile(
    my: Share, ranks: DigitRows, arrays: list[tuple[Any, Any]], tiles: Tiles, first: Callable[[], Any], shift: Any,
    kept_shift: Any, *, element: type[Value], descending: bool, joined: bool = False,
) -> None:  # fmt: skip
    """Each key of a tile, from where the tile begins in the first of a pair of arrays to its digit's next place in the second;
    the first place of the thread's digit is `first()`. Payloads, where there is a second pair, likewise. `joined`: tiles may
    follow one that is not full."""
    k, threads, items = my.k, my.threads, my.items
    has_digit, pairs = k.tid.x < DIGITS, len(arrays) > 1
    bits, taken = my.fetch([source for source, _ in arrays], element, descending)
    ranks.count_keys(digit_of(each, shift) for each in bits)
    k.barrier()
    counts, total = ranks.totals()
    if joined:
        with k.pred(k.tid.x == DIGITS - 1):  # which counted what fills the tile
            total -= threads * items - k.min(my.left, threads * items)
    with k.if_(has_digit):
        status = k.select(tiles.number == 0, k.const(u32, PREFIX << 30), AGGREGATE << 30)
        tiles.states.at(tiles.number * DIGITS).store(k.tid.x, total | status, "relaxed.gpu")
        tiles.following[k.tid.x] = 0
    start = ranks.spread(counts, total)
    k.barrier()

    staged = k.dynamic_shared(k.types[f"u{element.isa.bits}"]).pointer
    kind: type[Value] = arrays[1][0].element if pairs else u32
    beside = k.dynamic_shared(kind).pointer.at(threads * items * element.isa.bytes // kind.isa.bytes)
    shift = kept_shift[0]  # from memory: with one that it knew, ptxas would keep all digits in registers
    for i, position in enumerate(ranks.places(bits, lambda each: digit_of(each, shift))):
        staged[position] = bits[i]
        if pairs:
            beside[position] = taken[i]
    places = k.shared(u32, DIGITS, name="places").pointer
    with k.if_(has_digit):
        before = _before_tile(k, tiles, total)
        places[k.tid.x] = first() + before - start
    k.barrier()

    ordered = [staged.at(k.tid.x).load(i * threads) for i in range(items)]
    targets = [places[digit_of(each, shift)] + k.tid.x + i * threads for i, each in enumerate(ordered)]
    values = [[original(k, each, element, descending) for each in ordered]]
    if pairs:
        values.append([beside.at(k.tid.x).load(i * threads) for i in range(items)])
    my.store(targets, [(target, found) for (_, target), found in zip(arrays, values)])


KERNEL = radix_pass


def _routed(k: Builder, route: u32, arrays: tuple[Any, Any, Any, Any]) -> tuple[Any, Any]:
    """The arrays that a pass reads and writes (see `route_of`)."""
    keys, one, two, result = arrays
    source, target = route & 3, route >> 2 & 3
    read = k.select(source == 0, keys, k.select(source == 1, one, two))
    return read, k.select(target == 1, one, k.select(target == 2, two, result))


class Share(NamedTuple):
    """A thread's part of a tile, of which `left` elements are there: loaded a warp's width apart, stored a CTA's."""

    k: Builder
    threads: int
    items: int
    left: u32
    limit: Any
    """Elements that are stored; None: all."""

    def fetch(self, tiles: list[Any], element: type[Value], descending: bool) -> tuple[list[Any], list[Any]]:
        """(the thread's keys as `ordered_bits`, its payloads); past the end ones, behind which no key is."""
        k, first = self.k, self.first
        keys, *payload = (tile.at(first) for tile in tiles)
        bits = [k.var(k.types[f"u{element.isa.bits}"], (1 << element.isa.bits) - 1) for _ in range(self.items)]
        taken = [k.var(each.element, 0) for each in payload for _ in range(self.items)]

        def load(some: range) -> None:
            found = [keys[i * WARP] for i in some]
            for i, key in zip(some, found):
                bits[i].set(ordered_bits(k, key, descending))
                if payload:
                    taken[i].set(payload[0][i * WARP])

        with k.if_else(self.left >= self.threads * self.items) as (whole, partial_):
            with whole:
                load(range(self.items))
            with partial_:
                for i in range(self.items):
                    with k.if_(first + i * WARP < self.left):
                        load(range(i, i + 1))
        return bits, taken

    @property
    def first(self) -> Any:
        """The thread's first element in the tile."""
        return self.k.tid.x // WARP * (WARP * self.items) + self.k.lane

    def store(self, targets: list[Any], outs: list[tuple[Any, list[Any]]]) -> None:
        """The thread's elements of the ordered tile, into each array its own."""
        k = self.k

        def store_one(i: int) -> None:
            for out, values in outs:
                out[targets[i]] = values[i]

        with k.if_else(self.left >= self.threads * self.items) as (whole, partial_):
            with whole:
                for i in range(self.items):
                    with k.if_(targets[i] < self.limit) if self.limit is not None else nullcontext():
                        store_one(i)
            with partial_:
                for i in range(self.items):
                    there = k.tid.x + i * self.threads < self.left
                    with k.if_(there & (targets[i] < self.limit) if self.limit is not None else there):
                        store_one(i)


def _before_tile(k: Builder, tiles: Tiles, total: Any) -> Any:
    """Keys with this thread's digit in all tiles before this one; tells the tiles behind."""
    states, tile, _, window = tiles
    before = k.var(u32, 0)
    column = states.at(k.tid.x)
    place = k.var(s32, tile.to(s32) - 1)
    found = k.var(u32, 0)
    with k.while_(lambda: found < PREFIX << 30):
        states_seen = [k.var(u32, PREFIX << 30) for _ in range(window)]
        for j, state in enumerate(states_seen):
            with k.pred(place >= j):
                state.set(column.load((place - j).bits(u32) * DIGITS, "relaxed.gpu"))
        for j, state in enumerate(states_seen):
            with k.if_(found < PREFIX << 30):
                with k.while_(partial(state.__eq__, 0)):
                    state.set(column.load((place - j).bits(u32) * DIGITS, "relaxed.gpu"))
                before += state & MASK
                found.set(state)
        place -= window
    with k.if_(tile != 0):
        column.store(tile * DIGITS, (before + total) | (PREFIX << 30), "relaxed.gpu")
    return before


def work_size(
    n: int, element: type[Value], passes: int, pairs: bool, *, wide: bool = False, room: int = ROOM
) -> int:  # fmt: skip
    """u32 of work memory for up to n keys. What `Work.cleared` says is zero before the first sort."""
    large, small = tilings_of(element, pairs=pairs, wide=wide, room=room)
    return Work(passes).size(
        1 + max(ceil_div(n, large.size), ceil_div(min(n, FEW), small.size))
    )  # joined keys take one more


class Arrays(NamedTuple):
    """Keys, or payloads, of a sort: where they are, two arrays between passes, where they come. The first of those between
    may be the result's, or where the number of keys is `counted` that of the keys; a single pass uses neither."""

    given: Any
    one: Any
    two: Any
    result: Any


def sort_plans(
    n: int, keys: Arrays, work: Any, payload: Arrays | None = None, *, element: type[Value], passes: int | None = None,
    descending: bool = False, tiling: Tiling | None = None, first: int | None = None, choose: bool = False, counted: Any = None,
    more: Any = None, split: int = 0, room: int = ROOM,
) -> list[KernelPlan]:  # fmt: skip
    """The launches that sort n keys, and the payload with them if there is one. `work`: see `work_size`, with the same `room`,
    bytes of shared memory that a CTA may have. `first`: only so many are written; `choose`, `counted`: see `digit_counts`. With
    `more`, which has no payload, those from `split` on are there."""
    passes, pairs = passes or passes_of(element), payload is not None
    moved: type[Value] = u32 if payload is None or payload.given.type.bytes == 4 else u64
    tiling = tiling or tiling_of(element, n, pairs, wide=moved is u64, room=room)
    tiles = max(1, ceil_div(split, tiling.size) + ceil_div(n - split, tiling.size))
    chosen: dict[str, Any] = {"element": element, "passes": passes, "descending": descending}
    launch = _launch(
        **chosen, tiling=tiling, pairs=pairs, limited=first is not None, joined=more is not None, moved=moved
    )
    shared = tiling.size * (element.isa.bytes + moved.isa.bytes * pairs)
    others = (0, 0, 0, 0) if payload is None else payload
    behind = (keys.given if more is None else more, split)
    return [
        counts_plan(
            n, keys.given, work, tiles, **chosen, first=first, choose=choose, counted=counted, more=more, split=split
        ),
        *(
            KernelPlan(
                launch, tiles, tiling.threads, (*keys, *others, work, number, *behind), shared, programmatic=True
            )
            for number in range(passes)
        ),
    ]


def _launch(
    *, element: type[Value], passes: int, tiling: Tiling, descending: bool, pairs: bool, limited: bool = False,
    joined: bool = False, moved: type[Value] = u32,
) -> Kernel:  # fmt: skip
    return using(
        radix_pass, element=element, passes=passes, **tiling._asdict(), descending=descending, pairs=pairs,
        limited=limited, joined=joined, payload_type=moved,
    )  # fmt: skip


def _case(
    n: int,
    rng: np.random.Generator,
    *,
    element: type[Value],
    number: int,
    descending: bool,
    pairs: bool,
    moved: type[Value],
) -> Case:
    """One pass over random keys, after what the counts kernel leaves."""
    import numpy as np

    keys, passes = random_keys(rng, n, element), passes_of(element)
    layout, tiling = Work(passes), tiling_of(element, n, pairs, wide=moved is u64)
    bits = reference_bits(keys, element, descending) >> np.array(number * BITS, f"u{element.isa.bytes}")
    digits = (bits & np.array(DIGITS - 1, bits.dtype)).astype(np.int64)
    order = np.argsort(digits, kind="stable")
    payload = np.arange(n).astype(numpy_name(moved.isa))
    work = np.zeros(work_size(n, element, passes, pairs, wide=moved is u64), np.uint32)
    work[layout.routes + number] = 12  # from the keys to the result
    work[SIZE] = n
    work[layout.offsets + number * DIGITS :][:DIGITS] = np.cumsum(np.bincount(digits, minlength=DIGITS)) - np.bincount(
        digits, minlength=DIGITS
    )
    zeros = HostArray(np.zeros(n, keys.dtype), element)
    more = {"payload": HostArray(payload, moved), "moved": HostArray(np.zeros_like(payload), moved)} if pairs else {}
    return Case(
        arrays={"keys": HostArray(keys, element), "sorted": zeros, "spare": zeros, **more, "work": HostArray(work, u32)},
        plan=lambda on: sort_plans(
            n, Arrays(on["keys"], on["spare"], on["spare"], on["sorted"]), on["work"],
            Arrays(on["payload"], on["moved"], on["moved"], on["moved"]) if pairs else None,
            element=element, descending=descending, tiling=tiling,
        )[1 + number],
        expected={"sorted": keys[order], **({"moved": payload[order]} if pairs else {})},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(
    name: str,
    element: type[Value],
    number: int,
    *,
    descending: bool = False,
    pairs: bool = False,
    moved: type[Value] = u32,
) -> Variant:
    chosen: dict[str, Any] = {"element": element, "descending": descending, "pairs": pairs, "moved": moved}
    small = tiling_of(element, 0, pairs, wide=moved is u64)
    launch = _launch(passes=passes_of(element), tiling=small, **chosen)
    sizes = (0, 1, 1000, small.size, 2 * small.size + 77)
    return Variant("radix_sort", name, launch, partial(_case, **chosen, number=number), sizes)


VARIANTS = (
    _variant("u32", u32, 0),
    _variant("u32.pairs", u32, 3, pairs=True),
    _variant("f32.descending", f32, 3, descending=True),
    _variant("u64.wide", u64, 5, pairs=True, moved=u64),
    _variant("s8", s8, 0),
    _variant("f16.pairs.descending", f16, 1, descending=True, pairs=True),
)
