"""The frequent keys of a hash join's build side (see hash_join.py): found in a sample, and kept apart from the buckets.

All rows of one key meet in one bucket, one counter and one CTA, and all pairs of a probe row in one warp. So rows of a key that
many rows have are partitions of their own (hash_partition.py), *runs*, which need no order within: a probe row that has such a
key knows the number of its pairs at once, and many CTAs write them (hash_runs.py).

Shapes: tags[n] of u32 or u64 -> frequent[WORDS] of u32: how many frequent keys there are, at most MOST; an open table of SLOTS
words, each 0, a key's number + 1, or TAKEN; the tags by number, two words each. Their numbers depend on timing.

A sample of SAMPLES rows, one at a random place of each step of n / SAMPLES rows, is counted twice by one CTA: by FINGERPRINTS
bits of a hash, then, where those are many, by the tags themselves. So the table of tags is small, whatever the tags are. Of 10^7
rows a key of 0.1 % is at the limit; what is frequent and not found, or found and not frequent, costs time and changes no result.

Floor: one wave of SAMPLES random 32-byte sectors by one CTA, and the launch: 3 us.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.kernels.blocks.counters import THREADS
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import bucket_of, buckets_of, element_of, zeros
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "LEAST_RUN", "MOST", "NONE", "VARIANTS", "WORDS", "find_plan", "frequent_at", "only_frequent"]

T = TypeVar("T", bound=Integer)

SAMPLES = 1 << 13
LEAST = 8
"""Rows of the sample that a frequent key has; fewer are there by chance."""
LEAST_RUN = 1024
"""Rows of a frequent key: fewer are no trouble in a bucket."""
MOST = 1024
FINGERPRINTS = 1 << 12
SLOT_BITS = 11
SLOTS = 1 << SLOT_BITS
PROBES = 64
"""Slots that a tag tries: of few, a table that an adversary filled does not hold up the rest."""
ITEMS = SAMPLES // THREADS
_SLOTS_AT = 4
_TAGS_AT = _SLOTS_AT + SLOTS
WORDS = _TAGS_AT + 2 * MOST
TAKEN = NONE = 0xFFFFFFFF
"""A slot of a tag that is not frequent after all; what `frequent_at` gives where there is no number."""
HASH_MASK = 0xFFFFFFFF
JITTER = 0x9E3779B1
"""An odd factor that spreads consecutive numbers over 32 bits: 2^32 / golden ratio (D. Knuth, TAOCP 3, 6.4)."""


def frequent_at(k: Builder, frequent: Any, tag: Any) -> Any:
    """The number of a frequent tag, or NONE."""
    slot = k.var(u32, bucket_of(k, tag, HASH_MASK, hashed=False) >> (32 - SLOT_BITS))
    found = k.var(u32, NONE)
    words = _words_of(tag)
    with k.while_():
        seen = frequent[_SLOTS_AT + slot]
        with k.if_(seen == 0):
            k.break_()
        with k.if_(seen != TAKEN):
            low, high = frequent.vectors(2)[_TAGS_AT // 2 + seen - 1]
            with k.if_((low == words[0]) & (high == words[1])):
                found.set(seen - 1)
                k.break_()
        slot.set((slot + 1) & (SLOTS - 1))
    return found


def _words_of(tag: Any) -> tuple[Any, Any]:
    return (tag, 0) if tag.isa.bits == 32 else (tag.to(u32), (tag >> 32).to(u32))


@kernel(threads=THREADS)
def find_frequent(
    k: Builder, tags: ptr[T], sampled: u32, step: u32, least: u32, frequent: ptr[u32], *, element: type[T]
) -> None:
    """The tags that `least` of `sampled` rows have, one of each `step` rows. One CTA; writes all of `frequent`."""
    counters = k.shared(u32, FINGERPRINTS, name="counters")
    slots, counts = k.shared(u32, SLOTS, name="slots"), k.shared(u32, SLOTS, name="counts")
    found = k.shared(u32, 1, name="found")
    for words, size in ((counters, FINGERPRINTS), (slots, SLOTS), (counts, SLOTS)):
        for i in range(0, size, THREADS):
            words[k.tid.x + i] = 0
    with k.if_(k.tid.x == 0):
        found[0] = 0

    def place_of(sample: Any) -> Any:
        return sample * step + k.mulhi(sample * JITTER, step)

    samples = [k.tid.x + i * THREADS for i in range(ITEMS)]
    values = [k.var(element, 0) for _ in range(ITEMS)]
    for sample, value in zip(samples, values):
        with k.pred(sample < sampled):
            value.set(tags[place_of(sample)])
    k.barrier()
    hashes = [bucket_of(k, value, HASH_MASK, hashed=False) for value in values]
    for sample, hash_ in zip(samples, hashes):
        with k.pred(sample < sampled):
            k.reduce_add(counters, hash_ & (FINGERPRINTS - 1), 1)
    k.barrier()
    for sample, value, hash_ in zip(samples, values, hashes):
        with k.if_((sample < sampled) & (counters[hash_ & (FINGERPRINTS - 1)] >= least)):
            _count_exactly(k, slots, counts, sample, value, hash_, lambda other: tags[place_of(other)])
    k.barrier()
    for i in range(0, SLOTS, THREADS):
        slot = k.tid.x + i
        sample, state = slots[slot], k.var(u32, 0)
        with k.if_(sample != 0):
            state.set(TAKEN)
            with k.if_(counts[slot] >= least):
                number = k.atomic_add(found, 0, 1)
                with k.if_(number < MOST):
                    state.set(number + 1)
                    frequent.vectors(2)[_TAGS_AT // 2 + number] = _words_of(tags[place_of(sample - 1)])
        frequent[_SLOTS_AT + slot] = state
    k.barrier()
    with k.if_(k.tid.x == 0):
        frequent[0] = k.min(found[0], MOST)


def _count_exactly(k: Builder, slots: Any, counts: Any, sample: Any, tag: Any, hash_: Any, tag_of_sample: Any) -> None:
    """Count a tag in its slot, which holds the number + 1 of the first sample that has it."""
    slot, tries = k.var(u32, hash_ >> (32 - SLOT_BITS)), k.var(u32, 0)
    with k.while_(lambda: tries < PROBES):
        seen = k.var(u32, slots.pointer.load(slot, "relaxed.cta"))
        with k.if_(seen == 0):
            seen.set(k.atomic_cas(slots, slot, 0, sample + 1))
        mine = k.var(u32, 1)
        with k.if_(seen != 0):
            mine.set((tag_of_sample(seen - 1) == tag).to(u32))
        with k.if_(mine != 0):
            k.reduce_add(counts, slot, 1)
            k.break_()
        slot.set((slot + 1) & (SLOTS - 1))
        tries += 1


KERNEL = find_frequent


def find_plan(n: int, tags: Any, frequent: Any) -> KernelPlan:
    """The frequent ones of n tags."""
    sampled, step, least = _sample_of(n)
    return KernelPlan(
        using(find_frequent, element=element_of(tags)), 1, THREADS, (tags, sampled, step, least, frequent)
    )


def _sample_of(n: int) -> tuple[int, int, int]:
    sampled = min(n, SAMPLES)
    return sampled, n // max(1, sampled), max(LEAST, ceil_div(LEAST_RUN * sampled, max(1, n)))


def only_frequent(tag: Any) -> Any:
    """The words where this tag, a numpy number, is the only frequent one."""
    import numpy as np

    words = np.zeros(WORDS, np.uint32)
    slot = int(buckets_of(np.array([tag]), HASH_MASK)[0]) >> (32 - SLOT_BITS)
    words[[0, _SLOTS_AT + slot]] = 1
    words[_TAGS_AT : _TAGS_AT + 2] = int(tag) & HASH_MASK, int(tag) >> 32
    return words


def _find_case(n: int, rng: np.random.Generator, *, element: type[Integer]) -> Case:
    """One key has two of three rows, the others are different, and no other has its fingerprint."""
    import numpy as np

    tags = rng.permutation(n).astype(np.uint64) << np.uint64(0 if element is u32 else 32)
    tags[rng.permutation(n)[: 2 * n // 3]] = 77
    tags = tags.astype(np.uint32 if element is u32 else np.uint64)
    fingerprints = buckets_of(np.append(tags, tags.dtype.type(77)), FINGERPRINTS - 1)
    tags[fingerprints[:-1] == fingerprints[-1]] = 77
    sampled, step, least = _sample_of(n)
    numbers = np.arange(sampled, dtype=np.uint64)
    jitter = (numbers * np.uint64(JITTER) & np.uint64(HASH_MASK)) * np.uint64(step) >> np.uint64(32)
    places = (numbers * np.uint64(step) + jitter).astype(np.int64)
    found = tags[places[tags[places] == 77]]
    expected = only_frequent(found[0]) if len(found) >= least else np.zeros(WORDS, np.uint32)
    return Case(
        arrays={"tags": HostArray(tags, element), "frequent": zeros(WORDS)},
        plan=lambda on: find_plan(n, on["tags"], on["frequent"]),
        expected={"frequent": expected},
        tolerance=EXACT,
    )


VARIANTS = tuple(
    Variant(
        "hash_frequent", element.isa.name, using(find_frequent, element=element), partial(_find_case, element=element),
        (0, 1, 1000, 3000, 40_000),
    )
    for element in (u32, u64)
)  # fmt: skip
