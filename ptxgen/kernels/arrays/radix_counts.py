"""The first kernel of a radix sort: every digit of every pass counted in one reading of the keys, and what follows from that.

Each CTA counts in shared memory, in copies of the counters that neighbouring lanes share out among them, so that they seldom
meet in one bank. The CTA that finishes last turns the counts into the digits' first places, and finds the passes in which all
keys have the same digit: such a pass moves nothing, and its route says so (see `radix_sort`). It also leaves the counts zero
for the next sort; all CTAs clear the states of the first pass.

Shapes: keys[n], work as `radix_keys.Work` lays it out.

Floor: n * bytes of a key; 2^28 u32 at an H200's 4.3 TB/s take 0.25 ms.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f16, f32, kernel, ptr, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import (
    SIZE,
    TICKETS,
    WRITTEN,
    Work,
    check_size,
    digit_of,
    ordered_bits,
    passes_of,
    random_keys,
    reference_bits,
)
from ptxgen.kernels.blocks.collectives import WARP, warp_reduce, warp_scan
from ptxgen.kernels.blocks.digits import BITS, DIGITS
from ptxgen.kernels.blocks.tiles import as_vectors, load
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "counts_plan"]

K = TypeVar("K", bound=Value)

THREADS = 512
BYTES = 64
"""Of keys that a thread loads at once."""
MOST_COUNTERS = 12 * 1024
"""48 KB of counters: four CTAs on each of an H200's SMs."""
CTAS = 528
EACH = DIGITS // WARP


@kernel(threads=THREADS)
def digit_counts(
    k: Builder, n: u32, keys: ptr[K], work: ptr[u32], tiles: u32, first: u32, counted: ptr[u32],
    more: ptr[K], split: u32,
    *, element: type[K], passes: int, descending: bool, copies: int, vector: int, choose: bool, follows: bool, joined: bool,
) -> None:  # fmt: skip
    """Routes and offsets[pass, digit] of keys[n] into `work`; clears the tickets, and `tiles` states of the first pass.

    The last pass is to write the `first` keys in order. `choose`: a pass over the highest digit that differs is to write just the
    keys that may be among them. `follows`: n is counted[0], which an earlier launch has found, and the keys need not stay.
    `joined`: only `split` keys are in `keys`, those behind in `more`.
    """
    layout, counters = Work(passes), passes * DIGITS
    mine = k.shared(u32, (counters, copies), name="counters", align=16).pointer
    zeros = (k.const(u32, 0),) * 4
    for i in k.range(k.tid.x, counters * copies // 4, THREADS):
        mine.vectors(4).store(i, zeros)
    k.launch_dependents()
    k.wait_for_dependencies()
    if follows:
        n = counted[0]
    states = work.at(layout.states)
    for i in k.range(k.global_id.x, tiles * DIGITS, k.grid_size.x):
        states[i] = 0
    k.barrier()

    lane = mine.at(k.lane % copies)

    def count(key: Any) -> None:
        bits = ordered_bits(k, key, descending)
        for p in range(passes):
            k.reduce_add(lane.at(p * DIGITS * copies), digit_of(bits, p * BITS) * copies, 1)

    unroll = BYTES // element.isa.bytes // vector
    tile = THREADS * unroll * vector
    for source, size in [(keys, split), (more, n - split)] if joined else [(keys, n)]:
        for number in k.range(k.ctaid.x, size // tile, k.nctaid.x):
            place = as_vectors(source, vector).at(number * (THREADS * unroll) + k.tid.x)
            for row in [load(place, j * THREADS) for j in range(unroll)]:
                for key in row:
                    count(key)
        for i in k.range(size // tile * tile + k.global_id.x, size, k.grid_size.x):
            count(source[i])
    k.barrier()
    for digit in k.range(k.tid.x, counters, THREADS):
        total = k.var(u32, 0)
        for c in range(copies):
            total += mine[digit * copies + (c + k.lane) % copies]
        with k.if_(total != 0):
            k.reduce_add(work.at(layout.counts), digit, total)
    is_last = k.shared(u32, 1, name="is_last")
    k.barrier()
    with k.if_(k.tid.x == 0):
        taken = k.atomic_inc(work, 0, k.nctaid.x - 1, order="acq_rel")
        is_last[0] = (taken == k.nctaid.x - 1).to(u32)
    k.barrier()
    with k.if_(is_last[0] != 0):
        _finish(k, n, work, layout, first, choose, follows)


KERNEL = digit_counts


def _finish(k: Builder, n: u32, work: Any, layout: Work, first: u32, choose: bool, follows: bool) -> None:
    """A warp a pass: counts become offsets, and zero. Then the routes."""
    warp, passes = k.tid.x // WARP, layout.passes
    alike = k.shared(u32, passes, name="alike")
    with k.if_(warp < passes):
        place = warp * DIGITS + k.lane * EACH
        counts, offsets = work.at(layout.counts + place), work.at(layout.offsets + place)
        found = [counts.load(i, "relaxed.gpu") for i in range(EACH)]
        total = k.var(u32, 0)
        whole = k.var(u32, 0)
        for i, count in enumerate(found):
            total += count
            whole.set(k.select(count == n, k.const(u32, 1), whole))
            counts[i] = 0
        before = k.var(u32, warp_scan(k, total) - total)
        for i, count in enumerate(found):
            offsets[i] = before
            before += count
        all_ = k.any(whole != 0)
        with k.if_(k.lane == 0):
            alike[warp] = all_.to(u32)
    k.barrier()
    with k.if_(k.tid.x < WARP):
        lane = k.min(k.lane, passes - 1)
        moves = k.ballot((k.lane < passes) & (alike[lane] == 0))
        moves = k.select(moves == 0, k.const(u32, 1), moves)  # somebody must bring the keys to the result
        limit = first
        if choose:
            highest = 31 - k.clz(moves)
            moves = k.const(u32, 1) << highest
            limit = _covering(k, work.at(layout.offsets + highest * DIGITS), first, n)
        with k.if_(k.lane < passes):
            work[TICKETS + lane] = 0
            work[layout.routes + lane] = route_of(k, moves, lane, overwrites=follows)
        with k.if_(k.lane == 0):
            work[SIZE] = n
            work[WRITTEN] = limit


def _covering(k: Builder, offsets: Any, first: u32, n: u32) -> u32:
    """How many keys the fewest digits have, from the lowest on, that have `first` or more."""
    found = k.var(u32, n)
    for i in range(EACH):
        start = offsets[k.lane * EACH + i]
        found.set(k.select(start >= first, k.min(found, start), found))
    covering: u32 = warp_reduce(k, "min", found)
    return covering


def route_of(k: Builder, moves: u32, number: u32, *, overwrites: bool) -> u32:
    """From where to where a pass moves the keys, and which half of the states it uses; 0 where it does not.

    source + 4 * target + 16 * half: 0 the keys, 1 and 2 the two arrays between, 3 the result. Passes write 1 and 2 in turn, the
    last that moves the result. 2 is the last before it, so that 1 may be the result itself; or, where a pass `overwrites`
    what it has read, 2 is the first, so that 1 may be the keys.
    """
    before = k.popc(moves & ((k.const(u32, 1) << number) - 1))
    after = k.popc(moves >> number >> 1)
    between = 2 - (before & 1) if overwrites else 1 + (after & 1)
    source = k.select(before == 0, k.const(u32, 0), 3 - between)
    target = k.select(after == 0, k.const(u32, 3), between)
    route = source + target * 4 + (before & 1) * 16
    return k.select((moves >> number) & 1 != 0, route, k.const(u32, 0))


def counts_plan(
    n: int, keys: Any, work: Any, tiles: int, *, element: type[Value], passes: int | None = None, descending: bool = False,
    vector: int | None = None, first: int | None = None, choose: bool = False, counted: Any = None, more: Any = None,
    split: int = 0,
) -> KernelPlan:  # fmt: skip
    """What the passes over `tiles` tiles need to know of keys[:n], or of as many as `counted` says, at most n; with `more`, of
    keys[:split] and more[:n - split]."""
    check_size(n)
    passes, behind = passes or passes_of(element), keys if more is None else more
    lanes = vector or widest_vector(element.isa.bytes, common_alignment(keys, behind))
    launch = using(
        digit_counts, element=element, passes=passes, descending=descending, copies=_copies(n, passes), vector=lanes,
        choose=choose, follows=counted is not None, joined=more is not None,
    )  # fmt: skip
    limit, count = n if first is None else first, 0 if counted is None else counted
    arguments = (n, keys, work, tiles, limit, count, behind, split)
    return KernelPlan(launch, grid_for(n, THREADS * BYTES // element.isa.bytes, CTAS), THREADS, arguments)


def _copies(n: int, passes: int) -> int:
    """Copies of the counters: they cost time to clear and to add up, which few keys do not repay."""
    copies = 1
    while copies < WARP and 2 * copies * passes * DIGITS <= MOST_COUNTERS:
        copies *= 2
    return copies if n > 1 << 22 else min(copies, 2)


def _case(n: int, rng: np.random.Generator, *, element: type[Value], descending: bool, vector: int) -> Case:
    import numpy as np

    keys, passes, tiles = random_keys(rng, n, element), passes_of(element), 3
    octets = keys.view(np.uint8).reshape(n, element.isa.bytes)
    octets[:, 0] = 7  # the lowest digits alike: that pass is left out
    octets[:, -1] &= 0x7F  # those of negative floats would differ
    layout = Work(passes)
    work = np.full(layout.size(tiles), 9, np.uint32)
    work[: layout.cleared] = 0
    expected = np.zeros_like(work)
    bits = reference_bits(keys, element, descending)
    for p in range(passes):
        digits = (bits >> np.array(p * BITS, bits.dtype) & np.array(DIGITS - 1, bits.dtype)).astype(np.int64)
        found = np.bincount(digits, minlength=DIGITS)
        expected[layout.offsets + p * DIGITS :][:DIGITS] = np.cumsum(found) - found
    moving = [p for p in range(passes) if p > 0 and n > 1] or [0]
    for place, p in enumerate(moving):
        after = len(moving) - 1 - place
        source, target = 2 - after % 2 if place else 0, 1 + after % 2 if after else 3
        expected[layout.routes + p] = source + 4 * target + 16 * (place % 2)
    expected[SIZE] = expected[WRITTEN] = n
    expected[layout.states + tiles * DIGITS :] = 9  # the other half: the passes clear it
    expected[layout.offsets + passes * DIGITS : layout.states] = 9
    return Case(
        arrays={"keys": HostArray(keys, element), "work": HostArray(work, u32)},
        plan=lambda on: counts_plan(
            n, on["keys"], on["work"], tiles, element=element, descending=descending, vector=vector
        ),
        expected={"work": expected},
        tolerance=EXACT,
    )


def _variant(name: str, element: type[Value], vector: int, *, descending: bool = False) -> Variant:
    launch = counts_plan(0, 0, 0, 1, element=element, descending=descending, vector=vector).kernel
    make = partial(_case, element=element, descending=descending, vector=vector)
    return Variant("radix_counts", name, launch, make, sizes=(0, 1, 1000, 2 * THREADS * BYTES + 13))


VARIANTS = (
    _variant("u32", u32, 4),
    _variant("u64.unaligned", u64, 1),
    _variant("f32.descending", f32, 4, descending=True),
    _variant("f16", f16, 8),
)
