"""Boxes of a tensor (manual 5.5): what a tensor map and the coordinates of a copy say.

In tiled mode a box has a row for each of its elements but those of the innermost dimension; in im2col mode one for each pixel;
where rows are gathered or scattered it has four, each with a coordinate of its own. In the modes im2col::w pixels go along W, and
on to the next image with the same H and D; behind them, or behind each 32 of them, come halo pixels, which go on along W.
Of an interleaved tensor (manual 5.5.6) the dimensions are W, (H, (D,)) slices of channels, N: its elements are slices of 16 or 32
bytes, whatever the type, and a copy takes one slice of each pixel (as an H200 does).
The map is the driver's: ptxgen.emulated_driver.memory.tensormaps tells what its words hold. Extents come innermost first.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.value import Var

__all__ = [
    "CHUNK", "GATHERED", "LARGEST_BOX", "MAP_ALIGNMENT", "MAP_BYTES", "MAP_WORDS", "RANK", "TYPE_CODES", "Box", "Dimension",
    "MapFault", "MapMode", "type_code",
]  # fmt: skip

MAP_BYTES, MAP_ALIGNMENT = 128, 64
MAP_WORDS = 16
"""Words of 32 bits of a map that say something; the rest is 0."""
RANK = 5
CHUNK = 16
"""Bytes that stay together whatever the swizzle."""


class MapMode(IntEnum):
    """What the map is for. Those of im2col::w are numbered by ptxgen: no device that has them was at hand."""

    TILE = 0
    IM2COL = 1
    IM2COL_W = 2
    IM2COL_W_128 = 3


WIDE_PIXELS, HALO_AFTER = 128, 32
"""Of im2col::w::128: pixels of a copy, and of those so many before each halo (manual 5.5.5)."""
GATHERED = 4
"""Rows of a copy that gathers or scatters them (manual 5.5.3.4): the last of its `numbers` is 1, and those from the second on are
the rows."""
SMALLEST_SLICE = 16
"""Bytes of an interleaved tensor's slice of channels: these, or twice as many."""
LARGEST_BOX = 228 << 10
"""Bytes of the largest box that the driver makes a map for."""
TYPE_CODES = {
    name: code
    for code, name in enumerate(("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32_ftz", "f64", "bf16"))
}
"""The types as a map has them; tf32 is f32 with a bit of its own."""
_SIZES = sum(log2 << 4 * code for code, log2 in enumerate((0, 1, 2, 2, 3, 3, 1, 2, 2, 3, 1)))
"""log2 of the bytes of an element, four bits for each code of a type in the map."""


class MapFault(IntEnum):
    """Why a tensor map does not serve an instruction."""

    MODE = 1
    RANK = 2
    INTERLEAVE = 3
    TYPE = 4
    OPERATION = 5
    SIZE = 6
    ADDRESS = 7


def type_code(e: Emitter, map: LlvmValue) -> LlvmValue:
    """The code of a map's type, as i32."""
    return (e.load("i32", e.offset(map, 8)) >> 7) & 15


class Dimension(NamedTuple):
    """One dimension of a copy, all i64; of those that the tensor does not have, the extents are 1 and the rest 0.

    From row to row of a box the coordinate goes from `first` in steps to `last`, then on from `restart`. What is accessed
    lies `offset` beyond it. In tiled mode the copy brings `elements` of the dimension. `stride` is in bytes.
    """

    elements: LlvmValue
    stride: LlvmValue
    extent: LlvmValue
    first: LlvmValue
    step: LlvmValue
    last: LlvmValue
    restart: LlvmValue
    offset: LlvmValue


class Box:
    """A tensor map and the coordinates of a copy, taken apart. `numbers` leads to five coordinates and three offsets."""

    def __init__(self, e: Emitter, map: LlvmValue, numbers: LlvmValue) -> None:
        self.e, self.map = e, map
        self.word = [e.load("i32", e.offset(map, 4 * i)) for i in range(MAP_WORDS)]
        self.numbers = [e.load("i32", e.offset(numbers, 4 * i)).sext("i64") for i in range(8)]
        head = self.word[2]
        self.mode = head & 15
        self.rank = ((head >> 4) & 7) + 1
        self.code = type_code(e, map)
        self.rounds = (head >> 16) & 1  # tf32
        self.interleave = (head >> 11) & 3
        self.swizzle = (head >> 13) & 3
        self.atomicity = (head >> 22) & 3
        self.fill = (head >> 15) & 1
        self.shift = (e.const("i64", _SIZES) >> (self.code.zext("i64") << 2)) & 15
        self.size = e.const("i64", 1) << self.shift
        self.interleaves = self.interleave.ne(0)
        self.slice = e.const("i64", SMALLEST_SLICE // 2) << self.interleave.zext("i64")  # bytes, where it interleaves
        self.columns = self.mode.ne(int(MapMode.TILE))
        self.wide = self.mode.uge(int(MapMode.IM2COL_W))
        self.halo = self.wide.select(self.numbers[5], 0)
        self.gathers = ~self.columns & self.numbers[7].ne(0)
        self._places = numbers
        self.base, self.slice_at, self.slice_inside = self._of_slice()
        self.dimensions = [self._dimension(d) for d in range(RANK)]
        self.inner = self.dimensions[0].elements << self.shift  # bytes of a row of the box
        self.begin = self.dimensions[0].first << self.shift  # where it begins in a row of the tensor, in bytes
        self.end = self.dimensions[0].extent << self.shift  # bytes of a row of the tensor
        # a row that is narrower than the swizzle's span takes a whole span in shared memory (measured, H200)
        span = e.const("i64", CHUNK) << self.swizzle.zext("i64")
        self.pitch = self.interleaves.select(self.inner, e.intrinsic("llvm.umax", self.inner, span))
        rows = self.dimensions[1].elements
        for d in self.dimensions[2:]:
            rows = rows * d.elements
        pixels = (self.word[15] & 1023).zext("i64") + 1
        by_parts = self.mode.eq(int(MapMode.IM2COL_W_128))
        self.part = by_parts.select(e.const("i64", HALO_AFTER), pixels)  # pixels before a halo
        pixels = by_parts.select((self.halo + HALO_AFTER) * (WIDE_PIXELS // HALO_AFTER), pixels + self.halo)
        self.rows = self.columns.select(pixels, self.gathers.select(e.const("i64", GATHERED), rows))

    def _stated(self, d: int) -> tuple[LlvmValue, ...]:
        """(box less one, stride, extent, first coordinate, step) of a dimension, as the map and the copy state them."""
        word = self.word
        box = (word[13] >> 24) if d == 0 else (word[14] >> 8 * (d - 1)) & 255
        stride = self.slice
        if d:
            stride = (word[2 + d].zext("i64") | (((word[7] >> 4 * (d - 1)) & 15).zext("i64") << 32)) << 4
        step = ((word[13] >> 3 * d) & 7).zext("i64") + 1
        return box.zext("i64"), stride, word[8 + d].zext("i64") + 1, self.numbers[d], step

    def _of_slice(self) -> tuple[LlvmValue, LlvmValue, LlvmValue]:
        """(where the tensor begins, or the slices do that the copy takes; their coordinate, or 0; do they lie in the tensor?)"""
        e = self.e
        base, at, inside = e.load("i64", self.map), e.const("i64", 0), e.const("i1", 1)
        for d in range(1, RANK - 1):
            _, stride, extent, first, _ = self._stated(d)
            here = self.interleaves & self.rank.eq(d + 2)
            base, at = here.select(base + first * stride, base), here.select(first, at)
            inside = here.select(first.ult(extent), inside)
        return base, at, inside

    def _dimension(self, d: int) -> Dimension:
        """Of an interleaved tensor 0 is within the slice, and those before the slices' own follow."""
        e = self.e
        one, zero = e.const("i64", 1), e.const("i64", 0)
        box, stride, extent, first, step = self._stated(d)
        if d == 0:  # "TMA doesn't support the stride for dimension zero", says the driver's manual
            of_slice = self.slice >> self.shift
            step, stride = one, self.size
            box, extent = self.interleaves.select(of_slice - 1, box), self.interleaves.select(of_slice, extent)
            first = self.interleaves.select(zero, first)
        else:
            moved = self.interleaves & self.rank.ne(d + 1)
            stated = (box, stride, extent, first, step)
            box, stride, extent, first, step = (
                moved.select(one_before, own) for one_before, own in zip(self._stated(d - 1), stated)
            )
        elements = (box + step).udiv(step)  # of extent `box + 1`, rounded up
        last, restart, offset = first + (elements - 1) * step, first, zero
        if d:
            batch = self.rank.eq(d + 1)  # the outermost dimension of im2col has no box
            low, high = self._corners(d)
            last = self.columns.select(batch.select(e.const("i64", 1 << 40), extent - 1 + high), last)
            restart = self.columns.select(low, restart)
            offset = self.wide.select(self.numbers[6], self.numbers[5]) if d == 1 else self.numbers[min(4 + d, 7)]
            offset = (self.columns & ~batch).select(offset, zero)
            if d > 1:  # the box of im2col::w has one pixel in H and D
                still = self.wide & ~batch
                last, restart, offset = (
                    still.select(first, last),
                    still.select(first, restart),
                    still.select(zero, offset),
                )
        there = self.rank.ugt(d)
        return Dimension(
            elements=there.select(elements, one), stride=there.select(stride, zero), extent=there.select(extent, one),
            first=there.select(first, zero), step=there.select(step, zero), last=there.select(last, zero),
            restart=there.select(restart, zero), offset=there.select(offset, zero),
        )  # fmt: skip

    def _corners(self, d: int) -> tuple[LlvmValue, LlvmValue]:
        """The corners of the box of im2col in a spatial dimension: in 16, 8 or 5 bits, by the rank."""
        e = self.e
        found = []
        for half in (0, 16):
            corner = e.const("i64", 0)
            for rank, bits in ((3, 16), (4, 8), (5, 5)):
                if bits * d <= 16:
                    value = (self.word[14].zext("i64") << (64 - half - bits * d)).sra(64 - bits)
                    known = self.rank.eq(rank) & ~self.wide
                    corner = (known | self.wide if bits == 16 else known).select(value, corner)
            found.append(corner)
        return found[0], found[1]

    def swizzled(self, linear: LlvmValue) -> tuple[LlvmValue, LlvmValue]:
        """Where the 16 bytes at an address of shared memory go (manual 5.5.7), and what is flipped in the addresses of their
        bytes: 8 in odd lines of one of the ways in which the swizzle of 128 bytes keeps more of them together, else 0. Memory of
        CTAs is aligned to what a swizzle looks at."""
        e = self.e
        wide = self.swizzle.eq(3).select(self.atomicity, 0)
        log2 = wide.eq(0).select(e.const("i32", 0), wide.eq(3).select(e.const("i32", 2), 1)).zext("i64")
        line = linear >> 7
        flips = (e.const("i64", 1) << (self.swizzle.zext("i64") - log2)) - 1
        return linear ^ ((line & flips) << (log2 + 4)), wide.eq(2).select((line & 1) << 3, 0)

    def spatial(self, d: int) -> LlvmValue:
        """Is it a dimension in which im2col goes from pixel to pixel? Those lie between channels and batch."""
        return self.columns & self.rank.ugt(d + 1)

    @contextmanager
    def each_row(self) -> Iterator[tuple[LlvmValue, LlvmValue, LlvmValue]]:
        """Its body runs for each row of the box: (number, address of the tensor's row there, does it lie in the tensor)."""
        e = self.e
        outer = self.dimensions[1:]
        at = [e.var("i64", d.first) for d in outer]
        with e.count(0, self.rows) as row:
            beyond = row.urem(self.part + self.halo)
            beyond = (self.halo.ne(0) & beyond.uge(self.part)).select(
                beyond - self.part + 1, 0
            )  # the halo pixel's number
            with e.if_(row.ne(0) & beyond.eq(0)):
                self._step(at)
            address, inside = self.base, self.slice_inside
            for axis, (d, x) in enumerate(zip(outer, at)):
                place = x.get() + d.offset
                if axis == 0:
                    place = place + beyond * d.step
                    own = e.load("i32", e.element("i32", self._places, (row & GATHERED - 1) + 1)).sext("i64")
                    place = self.gathers.select(own, place)
                address = address + place * d.stride
                inside = inside & place.ult(d.extent)
            yield row, address, inside

    def _step(self, at: list[Var]) -> None:
        """To the coordinates of the next row."""
        e, end = self.e, self.e.fresh("stepped")
        for d, x in zip(self.dimensions[1:], at):
            x.set(x.get() + d.step)
            e.break_if(x.get().sle(d.last), end)
            x.set(d.restart)
        e.jump(end)
        e.label(end)
