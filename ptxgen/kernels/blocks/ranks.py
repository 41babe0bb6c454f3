"""The order of a row's elements, largest first, and where in it a count or a weight is reached.

An element's `rank_key` is 64 bits: the number as an integer in the order of the numbers, then its place, so that of equals the
first is before the others and no two elements are alike. NaN is above all numbers, -0 equals 0, as in PyTorch.

`cutoff` is a radix select (Alabi, Blanchard, Gordon and Steinbach, 2012) of 11 bits a reading, over sums of weights instead of
counts: from the most significant digit on, it adds up the weights of each digit's elements, and goes on in the one in which
the wanted weight is reached, until that is one element, or is wanted whole. Weights are integers: sums are exact in any order.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import s32, u16, u32, u64
from ptxgen.kernels.blocks.collectives import cta_scan, fold
from ptxgen.kernels.blocks.peers import Peers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder import Builder

__all__ = ["Histogram", "cutoff", "narrow_key", "number_key", "place_in", "rank_key"]

BITS = 11
DIGITS = 1 << BITS


def number_key(k: Builder, value: Any) -> Any:
    """An integer in the order of the numbers: -0 as 0, NaN above all."""
    bits = (value + 0.0).bits(s32)
    key = (bits ^ ((bits >> 31) | -(1 << 31))).bits(u32)
    return k.select(k.is_nan(value), k.const(u32, 0xFFFF_FFFF), key)


def narrow_key(k: Builder, value: Any) -> Any:
    """The same of bf16 or f16, in the upper 16 bits; the lower ones are 0."""
    bits = value.bits(u16).to(u32) << 16
    infinity = k.const(u32, 0x7F80_0000 if value.isa.name == "bf16" else 0x7C00_0000)
    signed = k.select(bits == 1 << 31, k.const(u32, 0), bits).bits(s32)
    key = (signed ^ ((signed >> 31) | -(1 << 31))).bits(u32) & 0xFFFF_0000
    return k.select(bits & 0x7FFF_FFFF > infinity, k.const(u32, 0xFFFF_0000), key)


def rank_key(key: Any, place: Any) -> Any:
    """A key with its place behind it; never 0."""
    return (key.to(u64) << 32) | (~place).to(u64)


def place_in(rank: Any) -> Any:
    """The place that is behind a key."""
    return ~rank.to(u32)


class Histogram(NamedTuple):
    """Shared memory of a `cutoff`: counts of elements, parts of their weights (none where each weighs 1), what is found; and
    the CTAs that have elements."""

    counts: Any
    parts: tuple[Any, ...]
    found: Any
    peers: Peers

    @classmethod
    def of(cls, k: Builder, peers: Peers, parts: int = 0) -> Histogram:
        """With weights in so many parts of 12 bits, the lowest first."""
        arrays = [k.shared(u32, DIGITS, name=f"digit_{i}").pointer for i in range(1 + parts)]
        return cls(arrays[0], tuple(arrays[1:]), k.shared(u64, 3, name="digit_found").pointer, peers)


def cutoff(
    k: Builder, shared: Histogram, threads: int, over: Callable[[Callable[..., None]], None], wanted: u64, weighed: Any = True,
    *, stop: Any = 0,
) -> u64:  # fmt: skip
    """A bound: the elements whose `rank_key` is at or above it are the fewest, largest first, whose weights together reach
    `wanted` (1 or more, and at most the sum); some of weight 0 may be among them.

    `over(body)` calls `body(rank, *parts)` for each of the thread's elements that take part. Where `weighed` (a predicate, the
    same in all threads) does not hold, each element weighs 1. The lower `stop` bits of the bound may be left 0: more
    elements may reach it then. All threads of the CTA, and of its peers, call it.
    """
    arrays = (shared.counts, *shared.parts)
    prefix, left = k.var(u64, 0), k.var(u64, wanted)
    above, shift = k.var(u32, 64), k.var(u32, 64 - BITS)
    with k.while_():
        shared.peers.sync()
        for digit in k.range(k.tid.x, DIGITS, threads):
            for array in arrays:
                array[digit] = 0
        k.barrier()

        def count(rank: Any, *parts: Any) -> None:
            with k.if_(rank >> above == prefix >> above):
                digit = (rank >> shift).to(u32) & (DIGITS - 1)
                for array, each in zip(arrays, (1, *parts)):
                    k.reduce_add(array, digit, each)

        over(count)
        shared.peers.sync()
        _crossing(k, shared, threads, left, weighed)
        k.barrier()
        prefix |= shared.found[0] << shift
        left.set(shared.found[1])
        with k.if_((shared.found[2] == 1) | (shift <= stop)):
            k.break_()
        above.set(shift)
        shift.set(k.select(shift > BITS, shift - BITS, k.const(u32, 0)))
    return prefix


def _crossing(k: Builder, shared: Histogram, threads: int, left: u64, weighed: Any) -> None:
    """Each CTA finds the digit in which the sum from the largest one on reaches `left`: (digit, what is left in it, whether that
    is one element or all of it)."""
    each = DIGITS // threads
    end = DIGITS - k.tid.x * each  # the first thread has the largest digits

    def whole(array: Any, digit: Any) -> Any:
        return fold(k, "sum", shared.peers.everywhere(array, digit)).to(u64)

    def weight(digit: Any) -> Any:
        one = whole(shared.counts, digit)
        if not shared.parts:
            return one
        total = fold(k, "sum", [whole(part, digit) << 12 * i for i, part in enumerate(shared.parts)])
        return k.select(weighed, total, one)

    # neighbouring threads begin in different banks
    own = fold(k, "sum", [weight(end - each + ((i + k.tid.x) & (each - 1))) for i in range(each)])
    before = k.var(u64, cta_scan(k, own, threads)[0])
    with k.if_((before < left) & (before + own >= left)):
        digit = k.var(u32, end)
        here = k.var(u64, 0)
        with k.while_(lambda: before < left):
            digit -= 1
            here.set(weight(digit))
            before += here
        rest = left - (before - here)
        shared.found[0] = digit.to(u64)
        shared.found[1] = rest
        shared.found[2] = k.select(
            (here == rest) | (whole(shared.counts, digit) == 1), k.const(u64, 1), k.const(u64, 0)
        )
