"""Sums of products by fused multiply-adds in f32, in the order of K, each rounded to nearest: the fast mode of the CPU device.

They are as accurate as f32, and not what tensor cores compute: results differ in their last bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix.quads import LINES, QUAD
from ptxgen.cpu.rt.matrix.results import Results
from ptxgen.cpu.rt.matrix.sides import HALF, Left, Right
from ptxgen.cpu.rt.matrix.vectors import LlvmVector, held, load, variable

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments
    from ptxgen.cpu.rt.matrix.results import Place

__all__ = ["FusedSums"]

UNROLLED = 8


class FusedSums(Results):
    """D, eight rows by eight columns at a time, from a filled left and right side."""

    def __init__(self, f: Fragments, left: Left, right: Right) -> None:
        super().__init__(f)
        self.left, self.right = left, right

    def tile(self, c: LlvmValue, write: Place, kept: LlvmValue | None = None) -> None:
        e, depth = self.e, self.left.depth
        with e.count(0, e.const("i32", self.left.lines // LINES)) as block:
            halves = [e.const("i32", half) for half in (0, HALF)]
            odds = [e.const("i32", odd) for odd in (0, 1)]
            sums = [variable(e, self.addend(c, block, half, odd, kept)) for half in halves for odd in odds]
            first = e.element("float", self.left.values, block * (2 * depth * HALF))
            unrolled = min(depth, UNROLLED)
            with e.count(0, e.const("i32", depth // unrolled)) as n:
                x, y = (
                    e.element("float", first, n * (unrolled * HALF)),
                    e.element("float", self.right.values, n * (unrolled * LINES)),
                )
                totals = [held(place) for place in sums]
                for k in range(unrolled):
                    left = [load(e, "float", e.offset(x, 4 * HALF * (k + depth * half)), HALF) for half in range(2)]
                    right = [
                        _four(load(e, "float", e.offset(y, 4 * (LINES * k + QUAD * odd)), QUAD)) for odd in range(2)
                    ]
                    pairs = [(a, b) for a in left for b in right]
                    totals = [a.intrinsic("fma", b, total) for (a, b), total in zip(pairs, totals)]
                for place, total in zip(sums, totals):
                    total.put(place)
            for number, half in enumerate(halves):
                even, odd = (_clean(held(place)) for place in sums[2 * number : 2 * number + 2])
                self.put(even, odd, block, half, write)


def _four(x: LlvmVector) -> LlvmVector:
    """Four numbers, once for each of four rows."""
    return x.shuffled([i % QUAD for i in range(HALF)])


def _clean(x: LlvmVector) -> LlvmVector:
    """With the canonical NaN in place of every NaN."""
    return x.compare("uno", x).select(x.bitcast("i32").alike(0x7FFFFFFF).bitcast("float"), x)
