"""Stable radix sort in one read and one write a digit: keys, or keys with 32-bit payloads.

A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (arXiv:2206.01784). Three
kernels: `digit_counts` reads the keys once and counts every digit of every pass; `digit_offsets` turns the counts into the
digits' first places; `radix_pass`, once for each 8-bit digit, moves the keys: a CTA ranks a tile's keys by digit, learns by
decoupled look-back (see lookback.py) how many keys of each digit stand in the tiles before it, orders the tile in shared
memory, and writes runs of equal digits.

Shapes: keys[n] -> sorted[n], payload[n] -> moved[n] (u32); keys are u8, s8, u16, s16, f16, u32, s32, f32, u64, s64 or f64,
ascending or descending; n below 2^30. -0.0 sorts before 0.0, and NaNs by their bits: IEEE 754's totalOrder.

Floor: (1 + 2*passes) * bytes * n of keys; 2^24 u32 at an H200's 4.3 TB/s take 0.14 ms.
"""

from __future__ import annotations

import struct
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f16, f32, kernel, ptr, s8, s32, u8, u16, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP, warp_scan
from ptxgen.kernels.blocks.lookback import AGGREGATE, PREFIX, take_ticket
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BITS", "DIGITS", "KERNEL", "LIMIT", "VARIANTS", "check_size", "counts_plan", "offsets_plan", "ordered_bits", "pass_plan",
    "passes_of", "tile_of",
]  # fmt: skip

K = TypeVar("K", bound=Value)

BITS = 8
DIGITS = 1 << BITS
LIMIT = 1 << 30
"""Keys: a tile's state is a count in 30 bits and a status in two."""

COUNT_THREADS = 512
COUNT_KEYS = 16

THREADS = 384
WINDOW = 8
"""Tiles that a round of looking back sees."""

MASK = LIMIT - 1


def ordered_bits(k: Builder, key: Any, descending: bool) -> Any:
    """The key's bits as an unsigned integer in the order to sort by (Knuth; IEEE 754-2019 5.10 for floats)."""
    isa = type(key).isa
    unsigned = k.types[f"u{isa.bits}"]
    top = 1 << (isa.bits - 1)
    bits: Any = key.bits(unsigned) if type(key) is not unsigned else key
    if isa.is_float:
        negative = bits.bits(k.types[f"s{isa.bits}"]) >> (isa.bits - 1)
        bits = bits ^ (negative.bits(unsigned) | top)
    elif isa.is_signed:
        bits = bits ^ top
    return ~bits if descending else bits


def _digit(k: Builder, key: Any, shift: u32 | int, descending: bool) -> u32:
    """The digit of a key at a bit position."""
    bits: Integer = ordered_bits(k, key, descending)
    if bits.isa.bits < 32:
        bits = bits.to(u32)
    return (bits >> shift).to(u32) & (DIGITS - 1)


@kernel(threads=COUNT_THREADS)
def digit_counts(
    k: Builder, n: u32, keys: ptr[K], counts: ptr[u32], *, element: type[K], passes: int, descending: bool
) -> None:
    """counts[pass, digit] += how many keys have the digit there. The counts are zero before."""
    mine = k.shared(u32, (passes, DIGITS), name="cta_counts")
    flat = mine.pointer
    for i in range(0, passes * DIGITS, COUNT_THREADS):
        with k.pred(k.tid.x < min(COUNT_THREADS, passes * DIGITS - i)):
            flat.at(k.tid.x).store(i, 0)
    k.barrier()
    tile = COUNT_THREADS * COUNT_KEYS
    for begin in k.range(k.ctaid.x * tile + k.tid.x, n, k.nctaid.x * tile):
        found = [k.var(element) for _ in range(COUNT_KEYS)]
        place = keys.at(begin)
        for i, key in enumerate(found):
            with k.pred(begin + i * COUNT_THREADS < n):
                key.set(place[i * COUNT_THREADS])
        for i, key in enumerate(found):
            with k.if_(begin + i * COUNT_THREADS < n):
                for p in range(passes):
                    digit = _digit(k, key, p * BITS, descending)
                    k.reduce_add(flat.at(p * DIGITS), digit, 1)
    k.barrier()
    for i in range(0, passes * DIGITS, COUNT_THREADS):
        with k.if_(k.tid.x < min(COUNT_THREADS, passes * DIGITS - i)):
            total = flat.at(k.tid.x)[i]
            with k.if_(total != 0):
                k.reduce_add(counts.at(k.tid.x), i, total)


@kernel(threads=DIGITS)
def digit_offsets(k: Builder, counts: ptr[u32]) -> None:
    """Each row of counts[pass, digit] becomes its exclusive scan; a CTA a pass."""
    place = counts.at(k.ctaid.x * DIGITS + k.tid.x)
    place[0] = _scan_digits(k, place[0])


def _scan_digits(k: Builder, value: u32) -> u32:
    """Exclusive scan over the first DIGITS threads of the CTA; all threads call it, the others with anything."""
    warps = DIGITS // WARP
    sums = k.shared(u32, warps, name="digit_sums")
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    upto: u32 = warp_scan(k, value, WARP)
    with k.if_((lane == WARP - 1) & (warp < warps)):
        sums[warp] = upto
    k.barrier()
    with k.if_(k.tid.x < WARP):
        has_sum = lane < warps
        mine = k.var(u32, 0)
        with k.pred(
            has_sum
        ):  # each lane its own word alone: a shuffle does not order the others' loads before the stores
            mine.set(sums[lane])
        before = warp_scan(k, mine, warps) - mine
        with k.pred(has_sum):
            sums[lane] = before
    k.barrier()
    return upto - value + sums[warp % warps]


@kernel(threads=THREADS)
def radix_pass(
    k: Builder, n: u32, keys: ptr[K], sorted_: ptr[K], payload: ptr[u32], moved: ptr[u32], offsets: ptr[u32],
    states: ptr[u32], ticket: ptr[u32], shift: u32, *, element: type[K], items: int, descending: bool, pairs: bool,
) -> None:  # fmt: skip
    """One pass: each key goes to its digit's next place. A CTA a tile of threads*items keys; `states[tile, digit]` is zero.

    Dynamic shared memory: the tile's keys. Without `pairs` the payload is not touched.
    """
    size, warps = THREADS * items, THREADS // WARP
    tile = take_ticket(k, ticket)
    begin = tile * size
    left = n - begin
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    within = warp * (WARP * items) + lane  # the thread's first key in the tile; the others follow a warp's width apart
    has_digit = k.tid.x < DIGITS  # thread t answers for digit t

    counts = k.shared(u32, (warps, DIGITS), name="warp_counts").pointer
    for i in range(0, warps * DIGITS, THREADS):
        counts.at(k.tid.x).store(i, 0)
    found = _fetch(k, keys.at(begin + within), within, left, size, [k.var(element) for _ in range(items)],
                   _last_key(k, element, descending))  # fmt: skip
    k.barrier()

    mine = counts.at(warp * DIGITS)
    ranks = [_rank_in_warp(k, mine, _digit(k, key, shift, descending)) for key in found]
    k.barrier()

    total = k.var(u32, 0)
    with k.if_(has_digit):
        _exclusive_over_warps(k, counts.at(k.tid.x), warps, total)
        status = k.select(tile == 0, k.const(u32, PREFIX << 30), AGGREGATE << 30)
        states.at(tile * DIGITS).store(k.tid.x, total | status, "relaxed.gpu")
    start = _scan_digits(k, total)
    starts, places = (k.shared(u32, DIGITS, name=name).pointer for name in ("starts", "places"))
    with k.if_(has_digit):
        starts[k.tid.x] = start
    k.barrier()

    staged = k.dynamic_shared(element).pointer
    positions: list[Any] = []
    for key, rank in zip(found, ranks):
        digit = _digit(k, key, shift, descending)
        positions.append(rank + starts[digit] + mine[digit])
        staged[positions[-1]] = key
    with k.if_(has_digit):
        before = _before_tile(k, states, tile, total)
        places[k.tid.x] = offsets[k.tid.x] + before - start
    k.barrier()

    keys_out = [staged.at(k.tid.x).load(i * THREADS) for i in range(items)]
    targets = [places[_digit(k, key, shift, descending)] + k.tid.x + i * THREADS for i, key in enumerate(keys_out)]
    _store(k, sorted_, targets, keys_out, left, size)
    if not pairs:
        return
    taken = _fetch(k, payload.at(begin + within), within, left, size, [k.var(u32) for _ in range(items)], 0)
    words = k.dynamic_shared(u32).pointer
    k.barrier()
    for value, position in zip(taken, positions):
        words[position] = value
    k.barrier()
    _store(k, moved, targets, [words.at(k.tid.x).load(i * THREADS) for i in range(items)], left, size)


KERNEL = radix_pass


def _store(k: Builder, out: Any, targets: list[Any], values: list[Any], left: u32, size: int) -> None:
    """Store the thread's elements of the ordered tile, a CTA's width apart, unless they are padding."""
    with k.if_else(left >= size) as (whole, partial_):
        with whole:
            for target, value in zip(targets, values):
                out[target] = value
        with partial_:
            for i, (target, value) in enumerate(zip(targets, values)):
                with k.if_(k.tid.x + i * THREADS < left):
                    out[target] = value


def _fetch(
    k: Builder, source: Any, first: u32, left: u32, size: int, found: list[Any], other: int | float
) -> list[Any]:
    """Load the thread's elements, a warp's width apart; `other` past the end of the array."""
    with k.if_else(left >= size) as (whole, partial_):
        with whole:
            for i, variable in enumerate(found):
                variable.set(source[i * WARP])
        with partial_:
            for i, variable in enumerate(found):
                variable.set(other)
                with k.pred(first + i * WARP < left):
                    variable.set(source[i * WARP])
    return found


def _last_key(k: Builder, element: type[Value], descending: bool) -> Any:
    """A key that no other comes after: it fills the last tile, behind everything."""
    isa = element.isa
    ones = (1 << isa.bits) - 1
    if isa.is_float:
        bits = ones if descending else ones >> 1
        if isa.bits == 16:  # a number would lose the sign of a NaN on its way through f32
            return k.const(u16, bits).bits(element)
        return struct.unpack("<f" if isa.bits == 32 else "<d", bits.to_bytes(isa.bytes, "little"))[0]
    if isa.is_signed:
        return -(1 << (isa.bits - 1)) if descending else ones >> 1
    return 0 if descending else ones


def _rank_in_warp(k: Builder, counts: Any, digit: u32) -> u32:
    """How many keys with this digit the warp has seen before this lane's; counts it."""
    peers = _peers(k, digit)
    before = k.popc(peers & k.special("%lanemask_lt"))
    old = k.var(u32, 0)
    counter = counts.at(digit)
    with k.pred(before == 0):  # the lowest of the lanes that hold the digit counts for all of them
        old.set(counter[0])
        counter[0] = old + k.popc(peers)
    k.syncwarp()
    return k.shfl_idx(old, k.clz(k.brev(peers))) + before


def _peers(k: Builder, digit: u32) -> u32:
    """The lanes with the same digit. A ballot for each of its bits is faster than one match.any: a third less time a pass on
    an H200."""
    peers = k.var(u32, 0xFFFFFFFF)
    for b in range(BITS):
        bit = (digit & (1 << b)) != 0
        with_it = k.ballot(bit)
        peers &= k.select(bit, with_it, ~with_it)
    return peers


def _exclusive_over_warps(k: Builder, column: Any, warps: int, total: Any) -> None:
    """Each warp's count of a digit becomes what stands in the warps before it; `total` becomes the tile's count."""
    row = [column[w * DIGITS] for w in range(warps)]
    for w, count in enumerate(row):
        column[w * DIGITS] = total
        total += count


def _before_tile(k: Builder, states: Any, tile: u32, total: Any) -> Any:
    """Keys with this thread's digit in all tiles before this one; tells the tiles behind."""
    before = k.var(u32, 0)
    column = states.at(k.tid.x)
    place = k.var(s32, tile.to(s32) - 1)
    found = k.var(u32, 0)
    with k.while_(lambda: found < PREFIX << 30):
        states_seen = [k.var(u32, PREFIX << 30) for _ in range(WINDOW)]
        for j, state in enumerate(states_seen):
            with k.pred(place >= j):
                state.set(column.load((place - j).bits(u32) * DIGITS, "relaxed.gpu"))
        for j, state in enumerate(states_seen):
            with k.if_(found < PREFIX << 30):
                with k.while_(partial(state.__eq__, 0)):
                    state.set(column.load((place - j).bits(u32) * DIGITS, "relaxed.gpu"))
                before += state & MASK
                found.set(state)
        place -= WINDOW
    with k.if_(tile != 0):
        column.store(tile * DIGITS, (before + total) | (PREFIX << 30), "relaxed.gpu")
    return before


def passes_of(element: type[Value], bits: int | None = None) -> int:
    """Passes for keys of which only the lowest `bits` differ (default: all of them)."""
    return ceil_div(bits or element.isa.bits, BITS)


def items_of(element: type[Value]) -> int:
    """Keys a thread holds."""
    return 64 // max(4, element.isa.bytes)


def tile_of(element: type[Value]) -> int:
    """Keys a CTA holds."""
    return THREADS * items_of(element)


def counts_plan(
    n: int, keys: Any, counts: Any, *, element: type[Value], passes: int | None = None, descending: bool = False,
    ctas: int = 264,
) -> KernelPlan:  # fmt: skip
    """counts[pass, digit] of keys[:n]; the counts are zero before. Two CTAs on each of an H200's SMs."""
    check_size(n)
    launch = using(digit_counts, element=element, passes=passes or passes_of(element), descending=descending)
    return KernelPlan(
        launch, max(1, min(ctas, ceil_div(n, COUNT_THREADS * COUNT_KEYS))), COUNT_THREADS, (n, keys, counts)
    )


def offsets_plan(counts: Any, passes: int) -> KernelPlan:
    """The counts of each pass become the digits' first places."""
    return KernelPlan(using(digit_offsets), passes, DIGITS, (counts,))


def pass_plan(
    n: int, keys: Any, sorted_: Any, payload: Any, moved: Any, offsets: Any, states: Any, ticket: Any, *,
    element: type[Value], number: int, descending: bool = False, pairs: bool = False,
) -> KernelPlan:  # fmt: skip
    """Pass `number`, 0 for the lowest digit. `offsets` are that pass's; states and ticket are zero."""
    check_size(n)
    launch = using(radix_pass, element=element, items=items_of(element), descending=descending, pairs=pairs)
    arguments = (n, keys, sorted_, payload, moved, offsets, states, ticket, number * BITS)
    shared = tile_of(element) * max(element.isa.bytes, 4 * pairs)
    return KernelPlan(launch, max(1, ceil_div(n, tile_of(element))), THREADS, arguments, shared)


def check_size(n: int) -> None:
    """BuildError when there are too many keys."""
    if not 0 <= n < LIMIT:
        raise BuildError(f"a radix sort of {n} keys", hint=f"fewer than {LIMIT} (2^30) at a time")


def _case(
    n: int, rng: np.random.Generator, *, element: type[Value], number: int, descending: bool, pairs: bool
) -> Case:
    """One pass over random keys, half of which share a digit."""
    import numpy as np

    unsigned = {8: u8, 16: u16, 32: u32, 64: u64}[element.isa.bits]
    keys = integers(rng, n, unsigned, 0, (1 << element.isa.bits) - 1).values
    keys[::2] &= np.array(0xFFFF00FF & (1 << element.isa.bits) - 1, keys.dtype)
    values = keys.view(numpy_name(element.isa))
    digits = _reference_digits(keys, element, number, descending)
    order = np.argsort(digits, kind="stable")
    payload = np.arange(n, dtype=np.uint32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(digits, minlength=DIGITS))[:-1]]).astype(np.uint32)
    tiles = max(1, ceil_div(n, tile_of(element)))
    zeros = HostArray(np.zeros(n, values.dtype), element)
    return Case(
        arrays={
            "keys": HostArray(values, element), "sorted": zeros, "payload": HostArray(payload, u32),
            "moved": HostArray(np.zeros(n, np.uint32), u32), "offsets": HostArray(starts, u32),
            "states": HostArray(np.zeros(tiles * DIGITS, np.uint32), u32), "ticket": HostArray(np.zeros(1, np.uint32), u32),
        },
        plan=lambda on: pass_plan(
            n, on["keys"], on["sorted"], on["payload"], on["moved"], on["offsets"], on["states"], on["ticket"],
            element=element, number=number, descending=descending, pairs=pairs,
        ),
        expected={"sorted": values[order], **({"moved": payload[order]} if pairs else {})},
        tolerance=EXACT,
    )  # fmt: skip


def _reference_digits(bits: Any, element: type[Value], number: int, descending: bool) -> Any:
    """What `_digit` computes, by numpy."""
    import numpy as np

    isa = element.isa
    top = bits.dtype.type(1 << (isa.bits - 1))
    if isa.is_float:
        bits = np.where(bits & top, ~bits, bits | top)
    elif isa.is_signed:
        bits = bits ^ top
    return (((~bits if descending else bits) >> bits.dtype.type(number * BITS)) & bits.dtype.type(DIGITS - 1)).astype(
        np.int64
    )


def _variant(name: str, element: type[Value], number: int, *, descending: bool = False, pairs: bool = False) -> Variant:
    chosen: dict[str, Any] = {"element": element, "descending": descending, "pairs": pairs}
    tile = tile_of(element)
    return Variant(
        "radix_sort",
        name,
        using(radix_pass, **chosen, items=items_of(element)),
        partial(_case, **chosen, number=number),
        sizes=(0, 1, 1000, tile, 2 * tile + 77),
    )


VARIANTS = (
    _variant("u32", u32, 0),
    _variant("u32.pairs", u32, 3, pairs=True),
    _variant("s32", s32, 3),
    _variant("f32.descending", f32, 3, descending=True),
    _variant("u64.pairs", u64, 5, pairs=True),
    _variant("s8", s8, 0),
    _variant("f16.pairs.descending", f16, 1, descending=True, pairs=True),
)
