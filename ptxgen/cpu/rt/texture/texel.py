"""One element of an image, as four words: its channels in the format that the texture says, and what stands for missing ones."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu.rt.half import f16_to_f32
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.rt.transcendental import exp2, log2
from ptxgen.cpu.textures import ImageFormat, ImageRecord, LevelRecord

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["Level", "image_of", "level_of", "read_texel", "texel_address"]


def image_of(e: Emitter, image: LlvmValue) -> MemoryRecord:
    return MemoryRecord(e, ImageRecord, image)


class Level:
    """A level of an image in memory: its record, and its extents as i32."""

    def __init__(self, e: Emitter, pointer: LlvmValue) -> None:
        self.record = MemoryRecord(e, LevelRecord, pointer)
        self.extents = [self.record.get(name) for name in ("width", "height", "depth")]


def level_of(e: Emitter, image: LlvmValue, number: LlvmValue) -> LlvmValue:
    """The pointer to a level's record."""
    first = e.offset(image, ImageRecord.level.offset)
    return e.offset(first, number.zext("i64") * ctypes.sizeof(LevelRecord))


def texel_address(
    e: Emitter, image: LlvmValue, level: LlvmValue, x: LlvmValue, y: LlvmValue, z: LlvmValue
) -> LlvmValue:
    """The pointer to an element inside the level."""
    record = MemoryRecord(e, LevelRecord, level)
    size = image_of(e, image).get("texel_bytes").zext("i64")
    rows = z.zext("i64") * record.get("slice") + y.zext("i64") * record.get("pitch")
    return e.ptr(record.get("base") + rows + x.zext("i64") * size)


def read_texel(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, level: LlvmValue, x: LlvmValue, y: LlvmValue, z: LlvmValue,
    out: LlvmValue, *, filtered: bool = False,
) -> LlvmValue:  # fmt: skip
    """Writes the four words of the element to `out`; that of the border where an index (i32) is negative. Gives 0.

    `filtered`: floats for a filter; integers that are read as fractions come as the integers of 16 bits that they are as such.
    """
    record = image_of(e, image)
    border = image_of(e, sampler)
    channels = record.get("channels")
    done = e.fresh("texel")
    with e.if_((x | y | z).slt(0)):
        for c in range(4):
            there = channels.ugt(c)
            word = border.get("border", c)
            if filtered:
                scaled = word.bitcast("float") * _largest(e, record)
                word = record.get("normalizes").ne(0).select(scaled, word.bitcast("float")).soiled().bitcast("i32")
            e.store(there.select(word, 0), e.offset(out, 4 * c))
        e.jump(done)
        e.label(e.fresh("dead"))
    place = texel_address(e, image, level, x, y, z)
    for c in range(4):
        e.store(e.const("i32", 0), e.offset(out, 4 * c))
        with e.if_(channels.ugt(c)):
            e.store(e.use(read_channel, image, place, channel=c, filtered=filtered), e.offset(out, 4 * c))
    e.jump(done)
    e.label(done)
    return e.const("i32", 0)


def _largest(e: Emitter, record: MemoryRecord) -> LlvmValue:
    """What 1 is as an integer of 16 bits, as a float."""
    signed = record.get("format").uge(int(ImageFormat.S8))
    return signed.select(e.const("float", 32767), e.const("float", 65535))


def read_channel(e: Emitter, image: LlvmValue, place: LlvmValue, *, channel: int, filtered: bool = False) -> LlvmValue:
    """A channel of the element at `place`, as its word; `filtered` as in `read_texel`."""
    record = image_of(e, image)
    format, normalizes = record.get("format"), record.get("normalizes").ne(0)
    found = e.var("i32", 0)
    for bits, unsigned, signed in ((8, ImageFormat.U8, ImageFormat.S8), (16, ImageFormat.U16, ImageFormat.S16)):
        for kind, is_signed in ((unsigned, False), (signed, True)):
            with e.if_(format.eq(int(kind))):
                raw = e.load(f"i{bits}", e.offset(place, channel * bits // 8)).resize("i32", is_signed)
                fraction = _wide(e, raw, bits, is_signed) if filtered else _normalized(e, raw, bits, is_signed)
                found.set(normalizes.select(fraction, raw))
    with e.if_(format.eq(int(ImageFormat.U8)) & record.get("srgb").ne(0)):
        raw = e.load("i8", e.offset(place, channel)).zext("i32")
        value = _normalized(e, raw, 8, False)
        found.set(e.use(srgb_to_linear, value.bitcast("float")).bitcast("i32") if channel < 3 else value)
    with e.if_(format.eq(int(ImageFormat.F16))):
        found.set(e.use(f16_to_f32, e.load("i16", e.offset(place, channel * 2))).bitcast("i32"))
    with e.if_(format.eq(int(ImageFormat.U32)) | format.eq(int(ImageFormat.S32)) | format.eq(int(ImageFormat.F32))):
        found.set(e.load("i32", e.offset(place, channel * 4)))
    return found.get()


def _normalized(e: Emitter, raw: LlvmValue, bits: int, is_signed: bool) -> LlvmValue:
    """An integer of the format as a float: its largest value is 1, and nothing is below -1."""
    largest = (1 << bits - is_signed) - 1
    value = raw.cast("sitofp", "double") / e.double(float(largest))
    if is_signed:
        low = e.double(-1.0)
        value = value.fcmp("olt", low).select(low, value)
    return value.cast("fptrunc", "float").known_number().bitcast("i32")


def _wide(e: Emitter, raw: LlvmValue, bits: int, is_signed: bool) -> LlvmValue:
    """An integer of the format as one of 16 bits, as a float."""
    largest = (1 << bits - is_signed) - 1
    wide = raw.cast("sitofp", "double") * e.double(float((1 << 16 - is_signed) - 1)) / e.double(float(largest))
    return wide.cast("fptrunc", "float").known_number().bitcast("i32")


def srgb_to_linear(e: Emitter, x: LlvmValue) -> LlvmValue:
    """IEC 61966-2-1: x / 12.92, or ((x + 0.055) / 1.055) ** 2.4; to 8 significant bits, and 14 behind the point (H200)."""
    wide = x.cast("fpext", "double")
    low = wide / e.double(12.92)
    base = (wide + e.double(0.055)) / e.double(1.055)
    power = e.use(exp2, e.use(log2, base) * e.double(2.4))
    exact = wide.fcmp("ole", e.double(0.04045)).select(low, power)
    steps, half = e.double(float(1 << 14)), e.double(0.5)
    near = e.intrinsic("llvm.floor", exact * steps + half) / steps
    bits = exact.cast("fptrunc", "float").known_number().bitcast("i32")
    cut = ((bits + 0x8000) & -0x10000).bitcast("float")
    small = exact.fcmp("olt", e.double(2.0**-7))
    return small.select(near.cast("fptrunc", "float").known_number(), cut)
