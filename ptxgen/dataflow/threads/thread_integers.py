"""One integer in each of some threads, known except for a part that is the same in all of them.

Such a value is a sum: *leaves* (what is one value for all the threads looked at: a parameter, %ctaid.x, what was loaded through
one address) times constants, and a number for each thread. `%ctaid.x * %ntid.x + %tid.x` in a warp is a leaf, a multiple of
32, plus 0, 1, ..., 31. Arithmetic is that of integers without overflow, as addresses are meant.
"""

from __future__ import annotations

from operator import add, sub

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["LARGEST_STEP", "Leaf", "ThreadArithmetic", "ThreadIntegers", "Threads", "both", "power_of_two", "without"]

Leaf = tuple[object, ...]
"""What is the same for all threads: ("special", name), ("param", name), ("symbol", name), ("value", register, where) or
("at", position), what the instruction there makes of leaves."""


Threads = bytes
"""Some of the threads: by their numbers, 1 for those and 0 for the others."""


def both(one: Threads, other: Threads) -> Threads:
    """The threads that are in both, a machine word of them at a time."""
    return (int.from_bytes(one, "little") & int.from_bytes(other, "little")).to_bytes(len(one), "little")


def without(one: Threads, other: Threads) -> Threads:
    """The threads that are in the first alone."""
    return (int.from_bytes(one, "little") & ~int.from_bytes(other, "little")).to_bytes(len(one), "little")


LARGEST_STEP = 1 << 20
"""The largest power of two that is kept: what is a multiple of more counts as a multiple of this."""


class ThreadIntegers(NamedTuple):
    """A value in each thread: the sum of `base` (leaf, factor), a multiple of the power of two `step`, and `parts[t]`."""

    base: frozenset[tuple[Leaf, int]]
    parts: tuple[int, ...]
    step: int

    @property
    def exact(self) -> bool:
        """Is it known to the last bit?"""
        return not self.base

    @property
    def uniform(self) -> bool:
        """Is it the same in every thread?"""
        return self.parts.count(self.parts[0]) == len(self.parts)

    def plus(self, number: int) -> ThreadIntegers:
        """The sum with one number in every thread."""
        return ThreadIntegers(self.base, tuple([part + number for part in self.parts]), self.step)

    @property
    def constant(self) -> int | None:
        """The number that it is in every thread, where that is known."""
        return self.parts[0] if self.exact and self.uniform else None


def power_of_two(value: int, modulus: int) -> int:
    """The power of two that `value`, known modulo `modulus`, is certainly a multiple of."""
    return min(value & -value, modulus) if value else modulus


class ThreadArithmetic:
    """Sums and products of integers in each of `count` threads; it knows which power of two each leaf is a multiple of."""

    __slots__ = ("_same", "_steps", "count")

    def __init__(self, count: int) -> None:
        self.count: int = count
        self._steps: dict[Leaf, int] = {}
        self._same: dict[int, tuple[int, ...]] = {}

    def same(self, value: int) -> tuple[int, ...]:
        """One number for every thread, by which it is known at once that they are all the same."""
        known = self._same.get(value)
        if known is None:
            known = self._same[value] = (value,) * self.count
        return known

    def is_same(self, parts: Sequence[int]) -> bool:
        """Was this made by `same`?"""
        return self._same.get(parts[0]) is parts

    def each(self, function: Callable[..., int], *parts: tuple[int, ...]) -> tuple[int, ...]:
        """A function of the numbers of each thread."""
        if all(map(self.is_same, parts)):
            return self.same(int(function(*[those[0] for those in parts])))
        return tuple(map(function, *parts))

    def number(self, value: int) -> ThreadIntegers:
        """One number in every thread."""
        return ThreadIntegers(frozenset(), self.same(value), LARGEST_STEP)

    def exact(self, parts: tuple[int, ...]) -> ThreadIntegers:
        """A number for each thread."""
        return ThreadIntegers(frozenset(), parts, LARGEST_STEP)

    def leaf(self, leaf: Leaf, step: int = 1, parts: tuple[int, ...] | None = None) -> ThreadIntegers:
        """A leaf, a multiple of `step` where it is met first, plus a number for each thread (0 where none are given)."""
        step = self._steps.setdefault(leaf, min(step, LARGEST_STEP))
        return ThreadIntegers(frozenset(((leaf, 1),)), parts or self.same(0), step)

    def narrowed(self, leaf: Leaf, step: int, parts: tuple[int, ...]) -> ThreadIntegers:
        """The same for a leaf that a later look may know as a multiple of less: what a loop gives."""
        self._steps[leaf] = step = min(step, self._steps.get(leaf, LARGEST_STEP))
        return ThreadIntegers(frozenset(((leaf, 1),)), parts, step)

    def sum(self, one: ThreadIntegers, other: ThreadIntegers, sign: int = 1) -> ThreadIntegers:
        """one + other, or with `sign` -1 their difference."""
        if self.is_same(other.parts) and not other.parts[0]:
            parts = one.parts
        else:
            parts = self.each(add if sign == 1 else sub, one.parts, other.parts)
        if not other.base:
            return ThreadIntegers(one.base, parts, one.step)
        factors = dict(one.base)
        for leaf, factor in other.base:
            factors[leaf] = factors.get(leaf, 0) + sign * factor
        return self._of_factors(factors, parts)

    def times(self, one: ThreadIntegers, factor: int) -> ThreadIntegers:
        """one * factor."""
        same = self.is_same(one.parts)
        parts = self.same(one.parts[0] * factor) if same else tuple([part * factor for part in one.parts])
        return self._of_factors({leaf: f * factor for leaf, f in one.base}, parts)

    def _of_factors(self, factors: Mapping[Leaf, int], parts: tuple[int, ...]) -> ThreadIntegers:
        base = frozenset((leaf, factor) for leaf, factor in factors.items() if factor)
        known = (power_of_two(factor, LARGEST_STEP) * self._steps.get(leaf, 1) for leaf, factor in base)
        return ThreadIntegers(base, parts, min(min(known, default=LARGEST_STEP), LARGEST_STEP))
