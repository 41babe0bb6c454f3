"""Are there many groups? What is known of that from some of the rows, before any of the ways to find them all begins.

One CTA reads SAMPLES rows, spread over all of them in no pattern (multiples of the golden ratio, Knuth 6.4), and counts how many
have a hash that no other has had: it sets a bit for each in shared memory (linear counting: K.-Y. Whang et al., "A linear-time
probabilistic counting algorithm for database applications", 1990). That is not the number of groups, but how many rows would find
theirs new: few where few groups have most rows, however many there are.

Shapes: keys[n] -> chosen[1], 1 where there are many groups, else 0.

Floor: SAMPLES sectors of 32 bytes at random by one SM, some microseconds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP, warp_reduce
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import COLUMN, hash_of, zeros
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "SAMPLES", "VARIANTS", "sample_plan"]

C = TypeVar("C", bound=Integer)

THREADS = 1024
EACH = 4
SAMPLES = THREADS * EACH
"""Rows that are looked at."""
MANY = SAMPLES // 2
"""Of them, new ones from which on there are many groups: as of 2,600 that have as many rows each. Of 10^7 u32 keys on an H200,
with 2,000 groups hashing takes 0.073 ms and sorting 0.152, with 5,000 hashing 0.216 and sorting 0.154; sums of u64 by 2,000 of
them 0.102 and 0.298, by 3,000 0.369 and 0.299."""
BITS = 16
"""2^BITS bits; of so many samples, one of sixteen meets a bit that another has set."""
GOLDEN = 0x9E3779B1
"""2^32 divided by the golden ratio, odd."""


@kernel(threads=THREADS)
def group_sample(k: Builder, n: u32, keys: ptr[C], chosen: ptr[u32], *, element: type[C]) -> None:
    """One CTA."""
    seen, found = k.shared(u32, 1 << BITS - 5, name="seen"), k.shared(u32, 1, name="found")
    for i in k.range(k.tid.x, 1 << BITS - 5, THREADS):
        seen[i] = 0
    with k.if_(k.tid.x == 0):
        found[0] = 0
    k.barrier()
    with k.if_(n != 0):
        rows = [k.mulhi((k.tid.x + i * THREADS) * GOLDEN, n) for i in range(EACH)]
        keys_ = [keys[row] for row in rows]
        fresh = k.var(u32, 0)
        for key in keys_:
            bit = hash_of(k, key if element.isa.bits >= 32 else key.to(u32), hashed=False) >> 32 - BITS
            mask = k.const(u32, 1) << (bit & 31)
            before = k.atomic_or(seen, bit >> 5, mask, scope="cta", order="relaxed")
            fresh += k.select(before & mask == 0, k.const(u32, 1), 0)
        whole = warp_reduce(k, "sum", fresh)
        with k.if_(k.tid.x % WARP == 0):
            k.reduce_add(found, 0, whole, scope="cta", order="relaxed")
    k.barrier()
    with k.if_(k.tid.x == 0):
        chosen[0] = k.select(found[0] >= MANY, k.const(u32, 1), 0)


KERNEL = group_sample


def sample_plan(n: int, keys: Any, chosen: Any) -> KernelPlan:
    """Of a column of integers, or of the bits of others."""
    element = COLUMN[keys.type.bytes]
    return KernelPlan(using(group_sample, element=element), 1, THREADS, (n, keys.view(element), chosen))


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer]) -> Case:
    """(rows, groups), far from where it is hard to tell."""
    import numpy as np

    n, groups = size
    keys = rng.integers(0, groups, n).astype(numpy_name(element.isa))
    many = min(n, groups) > 4 * SAMPLES
    return Case(
        arrays={"keys": HostArray(keys, element), "chosen": zeros(1)},
        plan=lambda on: sample_plan(n, on["keys"], on["chosen"]),
        expected={"chosen": np.array([many], np.uint32)},
        tolerance=EXACT,
    )


def _variant(element: type[Integer]) -> Variant:
    sizes = ((0, 1), (1, 1), (50_000, 1000), (50_000, 1 << 30))
    launch = using(group_sample, element=element)
    return Variant("group_sample", element.isa.name, launch, partial(_case, element=element), sizes)


VARIANTS = (_variant(u32), _variant(u64))
