"""The softmax of rows whose scores come block by block, in registers.

Sums of weighted values are multiplied anew only where a row's largest score has risen by some powers of two since they last
were (FlashAttention-4, Zadouri and others 2026): after the first blocks seldom. Until then weights may be that much above 1, and
lanes that share a row need not tell each other its largest score.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, f32, pred

if TYPE_CHECKING:
    from ptxgen.builder.tiles.fragments import Fragment

__all__ = ["RAISED", "Softmax"]

RAISED = (7.0, 1.75)
"""`raised` and `slack` of weights of fp8: the largest is below the 448 that e4m3 holds, and those below 2^-16 of the reference
become zero instead of those below 2^-9."""


class Softmax:
    """Of each row of `scores` the reference `top`, at most `slack` (times 1 / scale) below the largest score so far, and the sum
    `total` of the weights, 2^(scale (score - top) + raised)."""

    def __init__(self, k: Builder, scores: Fragment, scale: f32, raised: float = 0.0, slack: float = 8.0) -> None:
        self.k, self.scores, self.raised, self.slack = k, scores, raised, slack
        rows = range(2 * scores.rows // scores.block)
        self.top, self.bound, self.total, self.base, self.factors = (
            [k.var(f32, value) for _ in rows] for value in (-math.inf, -math.inf, 0, 0, 1)
        )
        self.risen = k.var(pred, False)
        self.multiply(scale)

    def multiply(self, scale: f32) -> None:
        """Scores have another factor, before the first ones of a row."""
        self.scale, self.above = scale, self.k.rcp(scale) * self.slack

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
        highest = self.scores.reduce_rows(k.max, own=True)
        self.risen.set(k.any(reduce(lambda a, b: a | b, (~(high <= most) for high, most in zip(highest, self.bound)))))
        with k.if_(self.risen):
            for row, high in enumerate(highest):
                self._follow(row, high)
        for row, (values, total) in enumerate(zip(rows, self.total)):
            minus = -self.base[row]
            for value in values:
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
            found.append(k.select(whole == 0, 0.0, k.rcp(whole)))
        return found

    def log_sums(self) -> list[f32]:
        """The logarithm of each row's sum of e^score, behind `inverse`: -inf for a row without a key."""
        k = self.k
        return [(base + k.log2(whole)) * math.log(2) for base, whole in zip(self.base, self.whole)]

    def _follow(self, row: int, high: f32) -> None:
        """The row's reference becomes its largest score, of four lanes' `high`, where that is above its bound: what other rows
        of the warp have changes no bit of its result."""
        k, top, bound = self.k, self.top[row], self.bound[row]
        for lanes in (1, 2):
            high = k.max(high, k.shfl_xor(high, lanes))
        before = k.select(top == -math.inf, top, self.base[row])
        top.set(k.select(high <= bound, top, k.max(top, high)))
        bound.set(top + self.above)
        self._move(row)
        self.factors[row].set(k.exp2(before - self.base[row], ftz=True))
        self.total[row].set(self.total[row] * self.factors[row])

    def _move(self, row: int) -> None:
        """What is subtracted from a row's scores."""
        k, top = self.k, self.top[row]
        base = k.select(top == -math.inf, 0.0, top * self.scale)  # of a row without a key
        self.base[row].set(base - self.raised if self.raised else base)


def _sum(values: list[Any]) -> Any:
    """Four sums side by side, then together: short chains of additions."""
    parts = [reduce(add, values[i::4]) for i in range(4)]
    return (parts[0] + parts[1]) + (parts[2] + parts[3])
