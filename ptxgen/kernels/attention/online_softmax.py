"""The softmax of rows whose scores come block by block, in registers.

Two things that a block costs beside its 2^x are left out where they can be. Sums of weighted values are multiplied anew only
where a row's largest score has risen by some powers of two since they last were (FlashAttention-4, Zadouri and others 2026):
after the first blocks seldom. Until then weights may be that much above 1. And a part of the weights may be computed by a
polynomial: 2^x has 16 results a clock and multiprocessor, a multiplication and addition 128.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, f32, pred, s32

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.tiles.fragments import Fragment

__all__ = ["RAISED", "Softmax"]

RAISED = (7.0, 1.75)
"""`raised` and `slack` of weights of fp8: the largest is below the 448 that e4m3 holds, and those below 2^-16 of the reference
become zero instead of those below 2^-9."""

LOWEST, SPAN = -118, 128
"""Exponents that the polynomial has: those below are as good as 0, and none is above 10."""

ROUND = 1.5 * 2.0**23
"""Added to a number below 2^22, its nearest integer is in the lowest bits of the sum."""

COEFFICIENTS = (0.9999280993, 0.6932609892, 0.2426107045, 0.05517139)
"""Of 2^x, -1/2 <= x <= 1/2, with a relative error of 2^-13.7: the polynomial of degree 3 whose largest error is the least."""

LEAST = 0.5
"""Sums of weights are above it, since that of the reference is 1; but of a row without a key, whose weights are 0 or 2^LOWEST."""


class Softmax:
    """Of each row of `scores` the reference `top`, at most `slack` (times 1 / scale) below the largest score so far, and the sum
    `total` of the weights, 2^(scale (score - top) + raised). Of every 16 weights `polynomials` are computed by a polynomial."""

    def __init__(
        self, k: Builder, scores: Fragment, scale: f32, raised: float = 0.0, slack: float = 8.0, *, polynomials: int = 0
    ) -> None:  # fmt: skip
        self.k, self.scores, self.raised, self.slack, self.polynomials = k, scores, raised, slack, polynomials
        rows = range(2 * scores.rows // scores.block)
        self.top, self.bound, self.total, self.base, self.start, self.factors = (
            [k.var(f32, value) for _ in rows] for value in (-math.inf, -math.inf, 0, 0, 0, 1)
        )
        self.risen = k.var(pred, False)
        self.larger = self._larger if polynomials else k.max
        self.multiply(scale)

    def multiply(self, scale: f32) -> None:
        """Scores have another factor, before the first ones of a row."""
        self.scale, self.above = scale, self.k.rcp(scale) * self.slack
        self.part = scale * (1 / SPAN)

    def clear(self) -> None:
        """New rows."""
        for row, (top, bound, total) in enumerate(zip(self.top, self.bound, self.total)):
            top.set(-math.inf)
            bound.set(-math.inf)
            total.set(0)
            self._move(row)

    def update(self) -> None:
        """The scores become weights; sums of earlier ones are to be `rescale`d."""
        k, rows = self.k, self.scores.halves()
        highest = [_tree(values, self.larger) for values in rows]  # of this thread's scores
        self.risen.set(k.any(reduce(lambda a, b: a | b, (~(high <= most) for high, most in zip(highest, self.bound)))))
        with k.if_(self.risen):
            for row, high in enumerate(highest):
                self._follow(row, high)
        for row, (values, total) in enumerate(zip(rows, self.total)):
            minus = -self.base[row]
            for index, value in enumerate(values):
                if index * self.polynomials % 16 < self.polynomials:
                    value.set(self._polynomial(value, self.start[row]))
                else:
                    value.set(k.exp2(k.fma(value, self.scale, minus), ftz=True))
            total += _sum(values)

    def rescale(self, sums: Fragment) -> None:
        """Sums of values by earlier weights, to which those of the last `update` are to be added."""
        with self.k.if_(self.risen):
            for values, factor in zip(sums.halves(), self.factors):
                for value in values:
                    value *= factor

    def inverse(self) -> list[f32]:
        """What each row's sum of weighted values is to be multiplied by: 0 for a row without a key."""
        k, found, self.whole = self.k, [], []
        for total in self.total:
            whole = total
            for lanes in (1, 2):
                whole = whole + k.shfl_xor(whole, lanes)
            self.whole.append(whole)
            found.append(k.select(whole < LEAST, 0.0, k.rcp(whole)))
        return found

    def log_sums(self) -> list[f32]:
        """The logarithm of each row's sum of e^score, behind `inverse`: -inf for a row without a key."""
        k = self.k
        sums = [(base + k.log2(whole)) * math.log(2) for base, whole in zip(self.base, self.whole)]
        return [k.select(whole < LEAST, -math.inf, each) for whole, each in zip(self.whole, sums)]

    def _follow(self, row: int, high: f32) -> None:
        """The row's reference becomes its largest score, of four lanes' `high`, where that is above its bound: what other rows
        of the warp have changes no bit of its result."""
        k, top, bound = self.k, self.top[row], self.bound[row]
        for lanes in (1, 2):
            high = self.larger(high, k.shfl_xor(high, lanes))
        before = k.select(top == -math.inf, top, self.base[row])
        top.set(k.select(high <= bound, top, self.larger(top, high)))
        bound.set(top + self.above)
        self._move(row)
        self.factors[row].set(k.exp2(before - self.base[row], ftz=True))
        self.total[row].set(self.total[row] * self.factors[row])

    def _move(self, row: int) -> None:
        """What is subtracted from a row's scores, and where the polynomial's span begins."""
        k, top = self.k, self.top[row]
        base = k.select(top == -math.inf, 0.0, top * self.scale)  # of a row without a key
        self.base[row].set(base - self.raised if self.raised else base)
        if self.polynomials:
            self.start[row].set(self.base[row] * (-1 / SPAN) - LOWEST / SPAN)

    def _larger(self, a: f32, b: f32) -> f32:
        """The larger one; NaN if one is: a polynomial would lose it, and so has a row of which one score is NaN it everywhere."""
        found = self.k.var(f32)
        self.k.ptx["max.NaN.f32"](found, a, b)
        return found

    def _polynomial(self, score: f32, start: f32) -> f32:
        """A weight, 2^n for the nearest integer n times a polynomial of what is left."""
        k, place = self.k, self.k.var(f32)
        k.ptx["fma.rn.ftz.sat.f32"](place, score, self.part, start)  # within the span, from 0 to 1
        whole = k.fma(place, SPAN, ROUND)
        rest = k.fma(place, SPAN, ROUND - whole)
        lowest, *others = (each * 2.0**LOWEST for each in reversed(COEFFICIENTS))
        found: f32 = k.const(f32, lowest)
        for each in others:
            found = k.fma(found, rest, each)
        return k.fma(whole.bits(s32), 1 << 23, found.bits(s32)).bits(f32)


def _tree(values: list[f32], combine: Callable[[f32, f32], f32]) -> f32:
    found = list(values)
    while len(found) > 1:
        found = [combine(*found[i : i + 2]) if i + 1 < len(found) else found[i] for i in range(0, len(found), 2)]
    return found[0]


def _sum(values: list[Any]) -> Any:
    """Four sums side by side, then together: short chains of additions."""
    parts = [reduce(add, values[i::4]) for i in range(4)]
    return (parts[0] + parts[1]) + (parts[2] + parts[3])
