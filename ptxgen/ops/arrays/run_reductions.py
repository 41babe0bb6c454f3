"""What is computed of each run of equal neighbours (ptxgen.kernels.arrays.reduce_by_key)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.builder import u8, u32, u64
from ptxgen.kernels.arrays import reduce_by_key as kernels
from ptxgen.kernels.arrays.reduce_by_key import Step
from ptxgen.kernels.joins.hash_join import COLUMN
from ptxgen.ops.arguments import value_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["Reduced", "RunReductions"]


class Reduced(NamedTuple):
    """A column of values, how its runs are reduced ("sum", "min", "max", "any", "all", or "mean", the sum that is to be
    divided), and where the results go, of the type of `kernels.reduction_of`."""

    values: Array
    op: str
    out: Array


class RunReductions:
    """Scratch memory of reductions by runs of at most `most` places, and their launches."""

    def __init__(self, device: Device, most: int) -> None:
        self._device, words, self._tiles = device, kernels.scratch_words(most), kernels.tiles_of(most)
        self._scratch = device.zeros(words, u64)
        self._total = device.empty(1, u32)
        self._befores = device.empty(self._tiles + 1, u32)
        self._open = [device.empty(2 * 8 * self._tiles, u8)]  # heads and tails of as many columns as there have been

    def of_keys(
        self, keys: Array, order: Array | None, wanted: Sequence[Reduced], total: Array, starts: Array | None,
        first: Array,
    ) -> Plans:  # fmt: skip
        """Of runs of equal keys; writes how many there are, the keys, and where each begins, unless that is None."""
        element = COLUMN[keys.type.bytes]
        return self._plans(keys.view(element), order, wanted, (total, starts, first.view(element)), marked=False)

    def of_marks(self, marks: Array, order: Array, wanted: Sequence[Reduced]) -> Plans:
        """Of runs that begin where the marks are not 0."""
        return self._plans(marks, order, wanted, (self._total, None, marks), marked=True)

    def _plans(
        self, keys: Array, order: Array | None, wanted: Sequence[Reduced], found: tuple[Array, Array | None, Array], *,
        marked: bool,
    ) -> Plans:  # fmt: skip
        n, steps, columns = keys.size, [], []
        for number, each in enumerate(wanted):
            element = value_type("values", each.values)
            steps.append(Step(element, kernels.reduction_of(each.op, element)))
            if len(self._open) <= number:
                self._open.append(self._device.empty(2 * 8 * self._tiles, u8))
            half, kind = self._open[number].size // 2, steps[-1].how.accumulator
            heads, tails = (part.view(kind) for part in (self._open[number][:half], self._open[number][half:]))
            columns.append((each.values, each.out, heads, tails))
        total, starts, first = found
        ticket = self._scratch[self._scratch.size - 1 :]
        reduce = kernels.reduce_plan(
            n, keys, order, total, self._scratch, ticket, self._befores, total if starts is None else starts, first, columns,
            element=COLUMN[keys.type.bytes], marked=marked, placed=starts is not None, steps=tuple(steps),
        )  # fmt: skip
        joins = [
            kernels.join_plan(n, self._befores, heads, tails, out, how=step.how)
            for step, (_, out, heads, tails) in zip(steps, columns)
        ]
        return [reduce, *joins]

    def close(self) -> None:
        for each in (self._scratch, self._total, self._befores, *self._open):
            each.close()
