"""A random permutation of the numbers below n, each place computed by itself: out[i] = P(i).

Shapes: out[n] of u32, n up to 2^32 - 2^20; eight round keys of 32 bits choose P. Nothing is sorted and nothing is exchanged: P
is a Feistel network of eight rounds on the numbers of 2*half bits, the least with at least n of them, and a number that it sends
beyond n is sent on until it comes to one below (cycle walking: J. Black and P. Rogaway, "Ciphers with Arbitrary Finite Domains",
CT-RSA 2002). A network permutes, and so do its cycles cut short. A round's function is the finaliser of MurmurHash3, which mixes
all 32 bits.

Floor: 4*n bytes are written; at most four numbers are walked through on average, less than two where n is near a power of
four: some 60 operations each, so that an H200 takes about as long to compute 2^28 of them as to write them (0.25 ms).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, kernel, ptr, u32
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "ROUNDS", "VARIANTS", "plan"]

THREADS = 256
ROUNDS = 8
CTAS = 1056
"""Eight CTAs on each of an H200's 132 SMs."""


@kernel(threads=THREADS)
def shuffle(
    k: Builder, n: u32, half: u32, out: ptr[u32], key0: u32, key1: u32, key2: u32, key3: u32, key4: u32, key5: u32, key6: u32,
    key7: u32,
) -> None:  # fmt: skip
    """A thread a place, in steps of the grid."""
    keys = (key0, key1, key2, key3, key4, key5, key6, key7)
    mask = (k.const(u32, 1) << half) - 1
    for i in k.range(k.global_id.x, n, k.grid_size.x):
        found = k.var(u32, i)
        walking = k.var(u32, 1)
        with k.while_(partial(walking.__ne__, 0)):
            left, right = found >> half, found & mask
            for key in keys:
                left, right = right, left ^ (_mixed(right ^ key) & mask)
            found.set(left << half | right)
            walking.set((found >= n).to(u32))
        out[i] = found


def _mixed(value: Any) -> Any:
    """MurmurHash3's fmix32 (A. Appleby, public domain)."""
    value = (value ^ value >> 16) * 0x85EBCA6B
    value = (value ^ value >> 13) * 0xC2B2AE35
    return value ^ value >> 16


KERNEL = shuffle


def half_of(n: int) -> int:
    """Half the bits of the network: 4**half >= n."""
    return max(1, -(-max(n - 1, 1).bit_length() // 2))


def plan(n: int, out: Any, keys: Sequence[int]) -> KernelPlan:
    """out[:n] = the permutation of the round keys."""
    return KernelPlan(using(shuffle), grid_for(n, THREADS, CTAS), THREADS, (n, half_of(n), out, *keys))


def _permutation(n: int, keys: Sequence[int]) -> np.ndarray[Any, Any]:
    """The same on the host."""
    import numpy as np

    half = half_of(n)
    mask = np.uint32((1 << half) - 1)

    def once(numbers: Any) -> Any:
        left, right = numbers >> half, numbers & mask
        for key in keys:
            left, right = right, left ^ (_mixed(right ^ np.uint32(key)) & mask)
        return left << half | right

    found: np.ndarray[Any, Any] = once(np.arange(n, dtype=np.uint32))
    while (beyond := found >= n).any():
        found = np.where(beyond, once(found), found)
    return found


def _case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    keys = [int(each) for each in rng.integers(0, 1 << 32, ROUNDS)]
    return Case(
        arrays={"out": HostArray(np.zeros(n, np.uint32), u32)},
        plan=lambda on: plan(n, on["out"], keys),
        expected={"out": _permutation(n, keys)},
        tolerance=EXACT,
    )


VARIANTS = (Variant("shuffle", "u32", using(shuffle), partial(_case), sizes=(0, 1, 2, 17, 256, 5000)),)
