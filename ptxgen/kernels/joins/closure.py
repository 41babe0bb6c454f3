"""Transitive closure of a list of edges, by one launch: every pair (a, c) such that a path leads from a to c.

Semi-naive evaluation (F. Bancilhon, "Naive evaluation of recursively defined relations", 1986): a round extends the pairs of
the round before, and only those, by one edge. Pairs that are new enter an open table of 64-bit slots by compare-and-swap, and
are appended to the result, whose end is the next round's work. The edges lie in a table of buckets by their first vertex
(see hash_join.py). Rounds are separated by a barrier of the whole grid, so the launch is cooperative.

Shapes: edges targets[m], in a table by their sources; sources[n] and nexts[n], the edges that paths begin with: all of them, or
those of some vertices, for the pairs of these alone; slots[mask + 1] of u64, all ones before; left[capacity], right[capacity] of
u32, the pairs in no certain order; state[STATE_WORDS] of u32, zero before. A warp appends what its lanes found at once. When
there are more pairs than `capacity`, state[TOTAL] exceeds it, nothing is written beyond, and the rounds end.

Floor: each pair that is found, new or not, reads an edge's bucket and a slot, 32-byte sectors at random, 96 bytes with the
entry and its target; each new one writes a slot and 8 bytes. 10^7 of them take 0.3 ms at an H200's 4.3 TB/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import bucket_of
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "KERNEL", "MOST_PAIRS", "ROUNDS", "STATE_WORDS", "THREADS", "TOTAL", "VARIANTS", "plan", "slots_for"
]  # fmt: skip

THREADS = 256
MIN_CTAS = 2
"""CTAs that an SM holds whatever the compiler does, so that a cooperative grid of so many is sure to fit."""

EMPTY = (1 << 64) - 1
"""A slot without a pair. It would also be that of the last pair, the vertex 2^32-1 with itself, which has a word of the state."""
MOST_PAIRS = 1 << 30

TOTAL, ROUNDS, _LAST_PAIR, _ARRIVED, _FOUND, STATE_WORDS = 0, 1, 2, 3, 4, 7
"""Words of the state: pairs, rounds, whether the last pair was found; arrivals at the barrier, what three rounds found."""


def slots_for(capacity: int) -> int:
    """A power of two, at least twice as many slots as pairs."""
    return 1 << max(0, 2 * capacity - 1).bit_length()


@kernel(threads=THREADS, min_ctas=MIN_CTAS)
def closure(
    k: Builder, n: u32, sources: ptr[u32], nexts: ptr[u32], targets: ptr[u32], bucket_mask: u32, starts: ptr[u32],
    entries: ptr[u32], slots: ptr[u64], mask: u32, capacity: u32, left: ptr[u32], right: ptr[u32], state: ptr[u32],
) -> None:  # fmt: skip
    """Round 0 takes the seeds themselves; then rounds, as long as they bring pairs and there is room."""
    first, last, number = k.var(u32, 0), k.var(u32, 0), k.var(u32, 0)
    warp = k.ctaid.x * THREADS + k.tid.x // WARP * WARP

    def add(there: Any, a: Any, c: Any) -> Any:
        """Append the warp's pairs that are new. How many pairs there are then."""
        fresh = k.var(u32, 0)
        with k.if_(there):
            key = (a.to(u64) << 32) | c.to(u64)
            with k.if_else(key == EMPTY) as (last_pair, others):
                with last_pair:
                    fresh.set(k.atomic_exch(state, _LAST_PAIR, 1) ^ 1)
                with others:
                    fresh.set(_insert(k, slots, mask, key))
        ballot = k.ballot(fresh != 0)
        end = k.var(u32, 0)
        with k.if_(ballot != 0):
            begin = k.var(u32, 0)
            with k.if_(k.lane == 0):
                begin.set(last + k.atomic_add(state, _FOUND + number % 3, k.popc(ballot)))
            begin.set(k.shfl_idx(begin, 0))
            place = begin + k.popc(ballot & k.special("%lanemask_lt"))
            with k.if_((fresh != 0) & (place < capacity)):
                left[place] = a
                right[place] = c
            end.set(begin + k.popc(ballot))
        return end

    with k.while_():
        with k.if_(k.global_id.x == 0):
            state[_FOUND + (number + 1) % 3] = 0  # read two barriers ago
        with k.if_else(number == 0) as (edges, pairs):
            with edges:
                for base in k.range(warp, n, k.grid_size.x):
                    i = base + k.lane
                    a, c = k.var(u32, 0), k.var(u32, 0)
                    with k.if_(i < n):
                        a.set(sources[i])
                        c.set(nexts[i])
                    with k.if_(add(i < n, a, c) > capacity):
                        k.break_()
            with pairs:
                for base in k.range(first + warp, last, k.grid_size.x):
                    _extend(k, base, last, (left, right, targets, bucket_mask, starts, entries), add, capacity)
                    found = state.load(_FOUND + number % 3, "relaxed.gpu")
                    with k.if_(last + found > capacity):
                        k.break_()
        _grid_barrier(k, state)
        found = state.load(_FOUND + number % 3, "relaxed.gpu")
        first.set(last)
        last += found
        number += 1
        with k.if_((found == 0) | (last > capacity)):
            k.break_()
    with k.if_(k.global_id.x == 0):
        state[TOTAL] = last
        state[ROUNDS] = number


def _extend(k: Builder, base: Any, last: Any, arrays: tuple[Any, ...], add: Any, capacity: Any) -> None:
    """A warp's 32 pairs, each by every edge that goes on from it."""
    left, right, targets, bucket_mask, starts, entries = arrays
    i = base + k.lane
    a, b, place, end = (k.var(u32, 0) for _ in range(4))
    with k.if_(i < last):
        a.set(left[i])
        b.set(right[i])
        bucket = bucket_of(k, b, bucket_mask, hashed=False)
        place.set(starts[bucket])
        end.set(starts[bucket + 1])
    with k.while_(lambda: k.ballot(place < end) != 0):
        c, there = k.var(u32, 0), k.var(u32, 0)
        with k.if_(place < end):
            source, row = entries.vectors(2)[place]
            with k.if_(source == b):
                c.set(targets[row])
                there.set(1)
            place += 1
        with k.if_(add(there != 0, a, c) > capacity):
            k.break_()


def _insert(k: Builder, slots: Any, mask: Any, key: Any) -> Any:
    """1 if the pair was not there. A table without an empty slot has more pairs than there is room for: 0 then."""
    fresh, probes = k.var(u32, 0), k.var(u32, 0)
    slot = k.var(u32, _mix(key) & mask)
    with k.while_():
        seen = k.var(u64, slots.load(slot, "relaxed.gpu"))
        with k.if_(seen == EMPTY):
            seen.set(k.atomic_cas(slots, slot, EMPTY, key))
            with k.if_(seen == EMPTY):
                fresh.set(1)
                k.break_()
        with k.if_((seen == key) | (probes == mask)):
            k.break_()
        slot.set((slot + 1) & mask)
        probes += 1
    return fresh


def _mix(key: Any) -> Any:
    """32 bits of which each depends on all of the key's (the finaliser of splitmix64: S. Vigna, public domain)."""
    found = key
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found = (found ^ (found >> shift)) * factor
    return (found ^ (found >> 31)).to(u32)


def _grid_barrier(k: Builder, state: Any) -> None:
    """All CTAs have come here, and what they wrote is seen. The count only grows: a CTA's ticket says which it waits for."""
    k.barrier()
    with k.if_(k.tid.x == 0):
        k.fence("gpu", "acq_rel")
        ctas = k.nctaid.x
        all_of_them = (k.atomic_add(state, _ARRIVED, 1, order="acq_rel") // ctas + 1) * ctas
        with k.while_(lambda: state.load(_ARRIVED, "acquire.gpu") < all_of_them):
            pass
        k.fence("gpu", "acq_rel")
    k.barrier()


KERNEL = closure


def plan(
    n: int, sources: Any, nexts: Any, targets: Any, bucket_mask: int, starts: Any, entries: Any, slots: Any, capacity: int,
    left: Any, right: Any, state: Any, *, ctas: int,
) -> KernelPlan:  # fmt: skip
    """The pairs of n seeds; `ctas` at most MIN_CTAS for each SM."""
    arguments = (
        n, sources, nexts, targets, bucket_mask, starts, entries, slots, slots.size - 1, capacity, left, right, state
    )  # fmt: skip
    return KernelPlan(using(closure), ctas, THREADS, arguments, cooperative=True)


def _case(n: int, rng: np.random.Generator) -> Case:
    """Short steps around a ring, some of them twice. The order of the pairs depends on timing, so what is counted is compared."""
    import numpy as np

    from ptxgen.kernels.joins.hash_join import buckets_for, table_of

    vertices = max(2, n)
    sources = rng.integers(0, vertices, n).astype(np.uint32)
    targets = ((sources + rng.integers(1, 3, n)) % vertices).astype(np.uint32)
    reach: dict[int, set[int]] = {}
    for a, b in zip(sources.tolist(), targets.tolist()):
        reach.setdefault(a, set()).add(b)
    delta = {(a, b) for a, some in reach.items() for b in some}
    pairs, found = set(delta), [len(delta)]
    while delta:
        delta = {(a, c) for a, b in delta for c in reach.get(b, ())} - pairs
        pairs |= delta
        found.append(len(delta))
    rounds, ctas = len(found), 2
    state = np.zeros(STATE_WORDS, np.uint32)
    state[[TOTAL, ROUNDS, _ARRIVED]] = len(pairs), rounds, rounds * ctas
    for number in range(max(0, rounds - 2), rounds):
        state[_FOUND + number % 3] = found[number]
    table = table_of(sources, u32, buckets_for(n) - 1)
    capacity = len(pairs) + 1
    return Case(
        arrays={
            "sources": HostArray(sources, u32), "targets": HostArray(targets, u32), "starts": HostArray(table.starts, u32),
            "entries": HostArray(table.entries, u32), "slots": HostArray(np.full(slots_for(capacity), EMPTY, np.uint64), u64),
            "left": HostArray(np.zeros(capacity, np.uint32), u32), "right": HostArray(np.zeros(capacity, np.uint32), u32),
            "state": HostArray(np.zeros(STATE_WORDS, np.uint32), u32),
        },
        plan=lambda on: plan(
            n, on["sources"], on["targets"], on["targets"], table.mask, on["starts"], on["entries"], on["slots"], capacity,
            on["left"], on["right"], on["state"], ctas=ctas,
        ),
        expected={"state": state},
        tolerance=EXACT,
    )  # fmt: skip


VARIANTS = (Variant("closure", "u32", using(closure), _case, (0, 1, 30, 300)),)
