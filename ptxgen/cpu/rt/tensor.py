"""Copies of boxes of a tensor (manual 5.5): what a tensor map says, and the bytes that a copy moves.

In tiled mode a box has a row for each of its elements but those of the innermost dimension; in im2col mode one for each pixel.
The map is the driver's: ptxgen.cpu.driver.memory.tensormaps tells what its words hold. Extents come innermost first.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu import layout
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import Record, cta_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import Emitter, Value

__all__ = [
    "MAP_ALIGNMENT", "MAP_BYTES", "TYPE_CODES", "MapFault", "type_code", "write_tensor_check", "write_tensor_move",
]  # fmt: skip

MAP_BYTES, MAP_ALIGNMENT = 128, 64
RANK = 5
CHUNK = 16
"""Bytes that stay together whatever the swizzle."""
LARGEST_BOX = 228 << 10
"""Bytes of the largest box that the driver makes a map for."""
TYPE_CODES = {
    name: code
    for code, name in enumerate(("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32_ftz", "f64", "bf16"))
}
"""The types as a map has them; tf32 is f32 with a bit of its own."""
_SIZES = sum(log2 << 4 * code for code, log2 in enumerate((0, 1, 2, 2, 3, 3, 1, 2, 2, 3, 1)))
"""log2 of the bytes of an element, four bits for each code of a type in the map."""
_NAN = 0x7FF77FF77FF77FF7
"""What elements outside the tensor are with the fill "nan" (measured on sm_120)."""


class MapFault(IntEnum):
    """Why a tensor map does not serve an instruction."""

    MODE = 1
    RANK = 2
    INTERLEAVE = 3
    TYPE = 4
    OPERATION = 5
    SIZE = 6


def type_code(e: Emitter, map: Value) -> Value:
    """The code of a map's type, as i32."""
    return (e.load("i32", e.offset(map, 8)) >> 7) & 15


class _Dimension(NamedTuple):
    """One dimension of a copy, all i64; of those that the tensor does not have, the extents are 1 and the rest 0.

    From row to row of a box the coordinate goes from `first` in steps to `last`, then on from `restart`. What is accessed
    lies `offset` beyond it. In tiled mode the copy brings `elements` of the dimension. `stride` is in bytes.
    """

    elements: Value
    stride: Value
    extent: Value
    first: Value
    step: Value
    last: Value
    restart: Value
    offset: Value


class _Box:
    """A tensor map and the coordinates of a copy, taken apart. `numbers` leads to five coordinates and three offsets."""

    def __init__(self, e: Emitter, map: Value, numbers: Value) -> None:
        self.e = e
        self.word = [e.load("i32", e.offset(map, 4 * i)) for i in range(16)]
        self.numbers = [e.load("i32", e.offset(numbers, 4 * i)).sext("i64") for i in range(8)]
        head = self.word[2]
        self.mode = head & 15
        self.rank = ((head >> 4) & 7) + 1
        self.code = type_code(e, map)
        self.rounds = (head >> 16) & 1  # tf32
        self.interleave = (head >> 11) & 3
        self.swizzle = (head >> 13) & 3
        self.fill = (head >> 15) & 1
        self.base = e.load("i64", map)
        self.shift = (e.const("i64", _SIZES) >> (self.code.zext("i64") << 2)) & 15
        self.size = e.const("i64", 1) << self.shift
        self.columns = self.mode.ne(0)  # im2col
        self.dimensions = [self._dimension(d) for d in range(RANK)]
        self.inner = self.dimensions[0].elements << self.shift  # bytes of a row of the box
        rows = self.dimensions[1].elements
        for d in self.dimensions[2:]:
            rows = rows * d.elements
        pixels = (self.word[15] & 1023).zext("i64") + 1
        self.rows = self.columns.select(pixels, rows)

    def _dimension(self, d: int) -> _Dimension:
        e, word = self.e, self.word
        one, zero = e.const("i64", 1), e.const("i64", 0)
        box = (word[13] >> 24) if d == 0 else (word[14] >> 8 * (d - 1)) & 255
        extent, first = word[8 + d].zext("i64") + 1, self.numbers[d]
        if d == 0:  # "TMA doesn't support the stride for dimension zero", says the driver's manual
            step, stride = one, self.size
        else:
            step = ((word[13] >> 3 * d) & 7).zext("i64") + 1
            units = word[2 + d].zext("i64") | (((word[7] >> 4 * (d - 1)) & 15).zext("i64") << 32)
            stride = units << 4
        elements = (box.zext("i64") + step).udiv(step)  # of extent `box + 1`, rounded up
        last, restart, offset = first + (elements - 1) * step, first, zero
        if d:
            batch = self.rank.eq(d + 1)  # the outermost dimension of im2col has no box
            low, high = self._corners(d)
            last = self.columns.select(batch.select(e.const("i64", 1 << 40), extent - 1 + high), last)
            restart = self.columns.select(low, restart)
            step = (self.columns & batch).select(one, step)
            offset = (self.columns & ~batch).select(self.numbers[min(4 + d, 7)], zero)
        there = self.rank.ugt(d)
        return _Dimension(
            elements=there.select(elements, one), stride=there.select(stride, zero), extent=there.select(extent, one),
            first=there.select(first, zero), step=there.select(step, zero), last=there.select(last, zero),
            restart=there.select(restart, zero), offset=there.select(offset, zero),
        )  # fmt: skip

    def _corners(self, d: int) -> tuple[Value, Value]:
        """The corners of the box of im2col in a spatial dimension: in 16, 8 or 5 bits, by the rank."""
        e = self.e
        found = []
        for half in (0, 16):
            corner = e.const("i64", 0)
            for rank, bits in ((3, 16), (4, 8), (5, 5)):
                if bits * d <= 16:
                    value = (self.word[14].zext("i64") << (64 - half - bits * d)).sra(64 - bits)
                    corner = self.rank.eq(rank).select(value, corner)
            found.append(corner)
        return found[0], found[1]

    @contextmanager
    def each_row(self) -> Iterator[tuple[Value, Value, Value]]:
        """Its body runs for each row of the box: (number, address of the tensor's row there, does it lie in the tensor)."""
        e = self.e
        outer = self.dimensions[1:]
        at = [e.var("i64", d.first) for d in outer]
        with e.count(0, self.rows) as row:
            address, inside = self.base, e.const("i1", 1)
            for d, x in zip(outer, at):
                place = x.get() + d.offset
                address = address + place * d.stride
                inside = inside & place.ult(d.extent)
            yield row, address, inside
            end = e.fresh("stepped")
            for d, x in zip(outer, at):
                x.set(x.get() + d.step)
                e.break_if(x.get().sle(d.last), end)
                x.set(d.restart)
            e.jump(end)
            e.label(end)


def write_tensor_check(e: Emitter, *arguments: Value) -> None:
    """`i32 tensor_check(map, numbers, rank, mode, access, warp, lane, instruction)`: the bytes of the box; 0 when the map or
    the part of the box that lies in the tensor is a fault. `mode` is 0 for tiles, 1 for im2col; `access` is a Span."""
    map_, numbers, rank, mode, access, *who = arguments
    box = _Box(e, map_, numbers)
    for wrong, why in (
        (box.mode.ne(mode), MapFault.MODE),
        (box.rank.ne(rank), MapFault.RANK),
        (box.interleave.ne(0), MapFault.INTERLEAVE),
        (box.code.ugt(10), MapFault.TYPE),
        ((box.inner * box.rows).ugt(LARGEST_BOX), MapFault.SIZE),
    ):
        with e.if_(wrong):
            warp, lane, instruction = who
            detail = (e.const("i32", int(FaultKind.TENSOR_MAP)), instruction, lane, e.const("i64", int(why)))
            e.invoke("fault", warp, *detail, e.const("i32", 0))
            e.leave("bad")
    inner, zero = box.dimensions[0], e.const("i64", 0)
    begin = e.intrinsic("llvm.smax", inner.first, zero) << box.shift
    end = e.intrinsic("llvm.smin", inner.first + inner.elements, inner.extent) << box.shift
    low, high = e.var("i64", -1), e.var("i64", 0)
    with box.each_row() as (_, address, inside):
        with e.if_(inside & begin.slt(end)):
            low.set(e.intrinsic("llvm.umin", low.get(), address + begin))
            high.set(e.intrinsic("llvm.umax", high.get(), address + end))
    with e.if_(low.get().ult(high.get())):
        nbytes = high.get() - low.get()
        found = e.call("span", "i64", low.get(), nbytes, e.const("i64", 1), access, *who)
        e.break_if(found.eq(0), "bad")
    e.line(f"ret i32 {(box.inner * box.rows).trunc('i32').text}")
    e.label("bad")
    e.line("ret i32 0")


def write_tensor_move(e: Emitter, *arguments: Value) -> None:
    """`void tensor_move(map, numbers, shared, store, function, warp)`: moves a box between the tensor and a shared address.

    Loads fill what lies outside the tensor, stores leave it out. `function`, when it is not 0, does what a store does with
    the elements of a chunk that lie in the tensor.
    """
    map_, numbers, shared, store, function, warp = arguments
    box = _Box(e, map_, numbers)
    window = cta_of(Record(e, layout.Warp, warp)).get("shared")
    converts = box.rounds.ne(0) | box.code.eq(TYPE_CODES["f32_ftz"])
    fill = box.fill.ne(0).select(e.const("i64", _NAN), 0)
    flips = (e.const("i64", 1) << box.swizzle.zext("i64")) - 1
    inner = box.dimensions[0]
    begin, end = inner.first << box.shift, inner.extent << box.shift  # bytes of a row: of the box, of the tensor
    reduces = function.ne(0)
    with box.each_row() as (row, address, inside):
        with e.count(0, box.inner >> 4) as chunk:
            linear = shared - window + row * box.inner + (chunk << 4)
            place = e.ptr(window + (linear ^ (((linear >> 7) & flips) << 4)))
            first = begin + (chunk << 4)
            with e.if_(inside & reduces):
                _reduce(e, place, address + first, (first, end), (function, box.code))
            whole = inside & first.sge(0) & (first + CHUNK).sle(end)
            easy = whole & ((address + first) & 7).eq(0)
            with e.if_(easy & ~reduces):
                for half in (0, 8):
                    there, here = e.ptr(address + first + half), e.offset(place, half)
                    to, source = (store.ne(0).select(there, here), store.ne(0).select(here, there))
                    e.store(e.load("i64", source), to)
            with e.if_(~easy & ~reduces):
                _move_bytes(e, place, address + first, inside, (first, end), (store, fill))
            with e.if_(converts & store.eq(0)):
                _convert(e, place, box)
    e.line("ret void")


def _reduce(e: Emitter, place: Value, address: Value, row: tuple[Value, Value], how: tuple[Value, Value]) -> None:
    """Calls the function of a reduction for the part of a chunk that lies in its row; `row` is as in _move_bytes, `how`
    (function, code of the type)."""
    first, end = row
    zero = e.const("i64", 0)
    begin = e.intrinsic("llvm.smax", -first, zero)
    stop = e.intrinsic("llvm.smin", end - first, e.const("i64", CHUNK))
    with e.if_(begin.slt(stop)):
        to, source = e.ptr(address + begin), e.offset(place, begin)
        run = f"ptr {to.text}, ptr {source.text}, i64 {(stop - begin).text}"
        e.op("i32", f"call i32 {e.ptr(how[0]).text}({run}, i32 {how[1].text})")


def _move_bytes(
    e: Emitter, place: Value, address: Value, inside: Value, row: tuple[Value, Value], how: tuple[Value, Value]
) -> None:
    """Moves a chunk byte by byte. `row` is (the chunk's first byte in its row, the row's end), `how` (store, fill)."""
    first, end = row
    store, fill = how
    with e.count(0, e.const("i64", CHUNK)) as byte:
        here, there = e.offset(place, byte), e.ptr(address + byte)
        known = inside & (first + byte).ult(end)
        with e.if_(known & store.eq(0)):
            e.store(e.load("i8", there), here)
        with e.if_(known & store.ne(0)):
            e.store(e.load("i8", here), there)
        with e.if_(~known & store.eq(0)):
            e.store((fill >> ((byte & 7) << 3)).trunc("i8"), here)


def _convert(e: Emitter, place: Value, box: _Box) -> None:
    """The f32 of a chunk as the map's type has them: subnormals flushed, or rounded to tf32, to nearest even, with NaN
    0x7fffe000 (measured on sm_120)."""
    with e.count(0, e.const("i64", CHUNK // 4)) as i:
        pointer = e.element("i32", place, i)
        bits = e.load("i32", pointer)
        exponent, mantissa = bits & 0x7F800000, bits & 0x7FFFFF
        flushed = (box.code.eq(TYPE_CODES["f32_ftz"]) & exponent.eq(0)).select(bits & -0x80000000, bits)
        rounded = (flushed + ((flushed >> 13) & 1) + 0xFFF) & -0x2000
        nan = exponent.eq(0x7F800000) & mantissa.ne(0)
        tf32 = nan.select(e.const("i32", 0x7FFFE000), rounded)
        e.store(box.rounds.ne(0).select(tf32, flushed), pointer)
