"""A random permutation of 0 to n-1, or its first elements, which are a sample without replacement; nothing is read or sorted.

A number i of `bits` bits goes through a network of Feistel rounds, which is a permutation of all numbers of so many bits, keyed
by the seed; where the result is n or more, it goes through again (J. Black and P. Rogaway, "Ciphers with Arbitrary Finite
Domains", 2002), four times on average at most, since 2^bits is at most 4n. So out[i] is known from i, n and the seed alone.

Shapes: out[m] of u32, m <= n. Floor: 4*m bytes written.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, kernel, ptr, u32
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import MIX_32
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "permuted", "plan"]

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""
ROUNDS = 8
"""Twice the four after which a network of ideal functions is as good as random (M. Luby and C. Rackoff, 1988)."""
GOLDEN = 0x9E3779B9


def _mix(x: Any) -> Any:
    """The mix of hash_join.py, of values and of numpy's arrays alike."""
    for shift, factor in MIX_32:
        x = x ^ (x >> shift)
        x = x if factor is None else x * factor
    return x


@kernel(max_threads=THREADS)
def permutation(k: Builder, m: u32, n: u32, half: u32, low: u32, high: u32, out: ptr[u32]) -> None:
    """out[i] = where i goes, for i below m. `half`: half the bits of the network; (low, high): the seed."""
    mask = (k.const(u32, 1) << half) - 1
    for i in k.range(k.global_id.x, m, k.grid_size.x):
        x = k.var(u32, i)
        with k.while_():
            left, right = k.var(u32, x >> half), k.var(u32, x & mask)
            for number in range(ROUNDS):
                key = (low if number % 2 == 0 else high) + (GOLDEN * (number + 1)) % 2**32
                mixed = left ^ (_mix(_mix(right + key) + (high if number % 2 == 0 else low)) & mask)
                left.set(right)
                right.set(mixed)
            x.set((left << half) | right)
            with k.if_(x < n):
                k.break_()
        out[i] = x


KERNEL = permutation


def half_of(n: int) -> int:
    """Half the bits of a network for numbers below n."""
    return max(1, (max(n - 1, 1).bit_length() + 1) // 2)


def plan(m: int, n: int, seed: int, out: Any) -> KernelPlan:
    """The first m of n numbers in the seed's order; a seed has 64 bits."""
    arguments = (m, n, half_of(n), seed & 0xFFFFFFFF, seed >> 32, out)
    return KernelPlan(using(permutation), grid_for(m, THREADS, CTAS), THREADS, arguments)


def permuted(m: int, n: int, seed: int) -> Any:
    """The same by numpy."""
    import numpy as np

    half, mask = np.uint32(half_of(n)), np.uint32((1 << half_of(n)) - 1)
    seeds = np.array([seed & 0xFFFFFFFF, seed >> 32], np.uint32)
    x = np.arange(m, dtype=np.uint32)
    todo = np.ones(m, bool)
    while todo.any():
        left, right = x[todo] >> half, x[todo] & mask
        for number in range(ROUNDS):
            key = np.uint32((int(seeds[number % 2]) + GOLDEN * (number + 1)) % 2**32)
            left, right = right, left ^ (_mix(_mix(right + key) + seeds[1 - number % 2]) & mask)
        x[todo] = (left << half) | right
        todo = x >= n
    return x


def _case(size: tuple[int, int], rng: np.random.Generator) -> Case:
    import numpy as np

    m, n = size
    seed = int(rng.integers(0, 2**63))
    return Case(
        arrays={"out": HostArray(np.zeros(m, np.uint32), u32)},
        plan=lambda on: plan(m, n, seed, on["out"]),
        expected={"out": permuted(m, n, seed)},
        tolerance=EXACT,
    )


VARIANTS = (
    Variant(
        "permutation", "u32", using(permutation), partial(_case), ((0, 0), (1, 1), (2, 2), (1000, 1000), (99, 2**31))
    ),
)
