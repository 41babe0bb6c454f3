"""Split-KV: blocks of keys of many sequences shared out over CTAs, and the parts of a softmax put together again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, f32, ptr, u32, u64

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.tiles.fragments import Sums
    from ptxgen.kernels.attention.online_softmax import Softmax

__all__ = ["Finish", "Share", "padded"]


def padded(rows: int) -> int:
    """Rows of a warp's part in shared memory."""
    return 8 if rows <= 8 else 16


class Share:
    """The blocks of keys of all sequences and heads, shared out evenly: each CTA has as many, one after the other.

    A sequence has `items` items (a head, or some rows of it), an item its blocks of `block` keys, at least one. No sequence has
    more than `longest` keys. Where a `reach` is stated, of its keys only the last ones count, so many of them.
    """

    def __init__(
        self, k: Builder, lengths: ptr[u32], batch: u32, longest: u32, *, items: u32, block: int, reach: int | None = None
    ) -> None:  # fmt: skip
        self.k, self.lengths, self.longest, self.per_sequence, self.block = k, lengths, longest, items, block
        self.reach = reach
        total = k.var(u32, 0)
        for start in k.range(0, batch, 32):
            total += self._units(start + k.lane, batch)
        total = k.shfl_idx(k.warp_reduce("add", total), 0)  # so that it is known to be the same in all lanes
        self.each, self.longer = total // k.nctaid.x, total % k.nctaid.x
        self.first = k.ctaid.x * self.each + k.min(k.ctaid.x, self.longer)
        self.last = self.first + self.each + k.select(k.ctaid.x < self.longer, k.const(u32, 1), 0)
        self._find(batch)

    def _units(self, sequence: u32, batch: u32) -> u32:
        """Blocks of a sequence, of all its items; 0 behind the last one."""
        k = self.k
        inside = sequence < batch
        length = k.var(u32, 0)
        with k.if_(inside):
            length.set(self.lengths[sequence])
        return k.select(inside, self._blocks(length)[1] * self.per_sequence, 0)

    def _blocks(self, length: u32) -> tuple[u32, u32]:
        """(keys, blocks) of an item: of no more keys than the table has pages for."""
        keys = self.k.min(length, self.longest)
        blocks = self.k.max((keys + (self.block - 1)) // self.block, 1)
        return keys, blocks if self.reach is None else blocks - self._skipped(keys)

    def _skipped(self, keys: u32) -> u32:
        """Blocks before the last `reach` keys."""
        assert self.reach is not None
        skipped: u32 = (self.k.max(keys, self.reach) - self.reach) // self.block
        return skipped

    def _find(self, batch: u32) -> None:
        """The sequence in which this CTA's blocks begin, and the number of its first block."""
        k = self.k
        sequence, begin, before = k.var(u32, 0), k.var(u32, 0), k.var(u32, 0)
        for start in k.range(0, batch, 32):
            units = self._units(start + k.lane, batch)
            upto = units
            for distance in (1, 2, 4, 8, 16):
                upto = upto + k.select(k.lane >= distance, k.shfl_up(upto, distance), 0)
            begins = before + upto - units
            here = k.ballot((begins <= self.first) & (self.first < begins + units))
            source = k.ctz(here) & 31
            found = k.shfl_idx(begins, source)
            with k.if_(here != 0):
                sequence.set(start + source)
                begin.set(found)
            before += k.shfl_idx(upto, 31)
        self.sequence, self.start = k.shfl_idx(sequence, 0), k.shfl_idx(begin, 0)

    def items(self) -> Iterator[tuple[u32, u32, u32, u32, u32]]:
        """(sequence, item of it, keys, first block, last block) of each part of an item that this CTA has."""
        k = self.k
        unit, sequence, start = k.var(u32, self.first), k.var(u32, self.sequence), k.var(u32, self.start)
        with k.while_(lambda: unit < self.last):
            keys, blocks = self._blocks(self.lengths[sequence])
            item, first = (unit - start) // blocks, (unit - start) % blocks
            last = k.min(blocks, first + (self.last - unit))
            self.begin, self.end = unit - first, unit - first + blocks  # the item's
            skipped = 0 if self.reach is None else self._skipped(keys)
            yield sequence, item, keys, _further(first, skipped), _further(last, skipped)
            unit += last - first
            with k.if_(unit - start == blocks * self.per_sequence):
                sequence += 1
                start.set(unit)

    def cta(self, unit: u32) -> u32:
        """The CTA that has a block."""
        k = self.k
        long = self.longer * (self.each + 1)
        return k.select(unit < long, unit // (self.each + 1), self.longer + (unit - long) // k.max(self.each, 1))


def _further(block: u32, skipped: Any) -> u32:
    return block if isinstance(skipped, int) else block + skipped


class Finish:
    """The parts of an item put together: those of the CTA's warps in shared memory, those of several CTAs in `parts`.

    A part is for each row the sum of its weighted values, the largest score and the sum of the weights, in d + 4 words. Items
    and CTAs are in one order, so that the number of an item and that of a CTA that has some of it add up to a place that no
    other pair has.
    """

    def __init__(
        self,
        k: Builder,
        share: Share,
        parts: ptr[f32],
        arrived: ptr[u32],
        d: int,
        rows: int,
        consumers: int,
        turns: int,
    ) -> None:
        self.k, self.share, self.parts, self.arrived = k, share, parts, arrived
        self.d, self.rows, self.threads, self.pad = d, rows, 128 * consumers * turns, padded(rows)
        self.warps = 4 * turns  # that have parts of a row
        self.sums = k.tile(f32, (consumers * self.warps * self.pad, d))
        self.tops = k.shared(f32, (consumers * self.warps * self.pad, 2), align=8)
        self.number = k.shared(u32, 1)
        self.together = k.named_barrier(self.threads)

    def part(self, mine: u32, softmax: Softmax, out: Sums) -> None:
        """A warp's part to shared memory."""
        k = self.k
        self.scale = softmax.scale
        self.together.sync()  # the parts before are read
        first = (mine * 4 + k.tid.x // 32 % 4) * self.pad
        for half in range(self.pad // 8):
            row = first + k.lane // 4 + 8 * half
            total = softmax.total[half]
            for lanes in (1, 2):
                total = total + k.shfl_xor(total, lanes)
            with k.if_(k.lane % 4 == 0):
                self.tops.vectors(2)[row] = [softmax.top[half], total]
            for index in range(2 * half, len(out.values), 4):
                place = self.sums.at(row, out.column(index))
                place.vectors(2)[0] = out.values[index : index + 2]
        self.together.sync()

    def whole(self, sequence: u32, item: u32) -> Iterator[tuple[u32, f32, list[f32]]]:
        """(which four columns, sum of weights, four sums) of what this thread has to store, where the item is complete."""
        k, share, quads = self.k, self.share, self.rows * self.d // 4
        thread = k.tid.x - 128
        first, last = share.cta(share.begin), share.cta(share.end - 1)
        alone = first == last
        number = sequence * share.per_sequence + item
        for index in k.range(thread, quads, self.threads):
            _, total, *sums = part = self._of_warps(index)
            with k.if_(alone):
                yield index, total, sums
            with k.if_(~alone):
                self._leave(number + k.ctaid.x, index, part)
        with k.if_(~alone):
            k.fence("gpu")
            self.together.sync()
            with k.if_(thread == 0):
                self.number[0] = k.atomic_inc(self.arrived, number, last - first)
            self.together.sync()
            with k.if_(k.shfl_idx(self.number[0], 0) == last - first):
                k.fence("gpu")
                for index in k.range(thread, quads, self.threads):
                    _, total, *sums = part = self._nothing()
                    for cta in k.range(first, last + 1, unroll=8):
                        self._merge(part, self._left(number + cta, index))
                    yield index, total, sums

    def _nothing(self) -> list[f32]:
        """The part of no keys."""
        return [self.k.var(f32, each) for each in (-math.inf, 0, 0, 0, 0, 0)]

    def _of_warps(self, index: u32) -> list[f32]:
        """Four columns of a row: the parts of its warps together."""
        row, column = index // (self.d // 4), index % (self.d // 4) * 4
        place = row // 16 * (self.warps * self.pad) + row % 16
        merged = self._nothing()
        for warp in range(self.warps):
            line = place + warp * self.pad
            sums = self.sums.at(line, column).vectors(4)[0]
            self._merge(merged, [*self.tops.vectors(2)[line], *sums])
        return merged

    def _merge(self, into: list[f32], other: list[f32]) -> None:
        """Both parts as one: [largest score, sum of weights, four sums]."""
        k = self.k
        top = k.max(into[0], other[0])
        base = k.select(top == -math.inf, 0.0, top * self.scale)
        mine, theirs = (k.exp2(k.fma(each, self.scale, -base), ftz=True) for each in (into[0], other[0]))
        into[0].set(top)
        for value, addend in zip(into[1:], other[1:]):
            value.set(k.fma(value, mine, addend * theirs))

    def _place(self, part: u32, index: u32) -> tuple[Any, u32]:
        """Where a part's row begins, in pairs of words, and which four columns of it."""
        row, quad = index // (self.d // 4), index % (self.d // 4)
        start = part.to(u64) * (self.rows * (self.d + 4)) + (row * (self.d + 4)).to(u64)
        return self.parts.at(start), quad

    def _leave(self, number: u32, index: u32, part: list[f32]) -> None:
        row, quad = self._place(number, index)
        row.vectors(4)[quad] = part[2:]
        with self.k.if_(quad == 0):
            row.vectors(2)[self.d // 2] = part[:2]

    def _left(self, number: u32, index: u32) -> list[f32]:
        row, quad = self._place(number, index)
        return [*row.vectors(2)[self.d // 2], *row.vectors(4)[quad]]
