"""One element of an image, as four words: its channels in the format that the texture says, and what stands for missing ones."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu.rt.half import f16_to_f32
from ptxgen.cpu.rt.records import MemoryRecord
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


def texel_address(e: Emitter, image: LlvmValue, level: LlvmValue, x: LlvmValue, y: LlvmValue, z: LlvmValue) -> LlvmValue:
    """The pointer to an element inside the level."""
    record = MemoryRecord(e, LevelRecord, level)
    size = image_of(e, image).get("texel_bytes").zext("i64")
    rows = z.zext("i64") * record.get("slice") + y.zext("i64") * record.get("pitch")
    return e.ptr(record.get("base") + rows + x.zext("i64") * size)


def read_texel(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, level: LlvmValue, x: LlvmValue, y: LlvmValue, z: LlvmValue,
    out: LlvmValue,
) -> LlvmValue:  # fmt: skip
    """Writes the four words of the element to `out`; that of the border where an index (i32) is negative. Gives 0."""
    record = image_of(e, image)
    border = image_of(e, sampler)
    channels, format = record.get("channels"), record.get("format")
    done = e.fresh("texel")
    with e.if_((x | y | z).slt(0)):
        for c in range(4):
            there = channels.ugt(c)
            e.store(there.select(border.get("border", c), _missing(e, format, c)), e.offset(out, 4 * c))
        e.jump(done)
        e.label(e.fresh("dead"))
    place = texel_address(e, image, level, x, y, z)
    for c in range(4):
        e.store(_missing(e, format, c), e.offset(out, 4 * c))
        with e.if_(channels.ugt(c)):
            e.store(e.use(read_channel, image, place, channel=c), e.offset(out, 4 * c))
    e.jump(done)
    e.label(done)
    return e.const("i32", 0)


def _missing(e: Emitter, format: LlvmValue, channel: int) -> LlvmValue:
    """What a channel that the format does not have is read as."""
    return e.const("i32", 0)


def read_channel(e: Emitter, image: LlvmValue, place: LlvmValue, *, channel: int) -> LlvmValue:
    """A channel of the element at `place`, as its word."""
    record = image_of(e, image)
    format, normalizes = record.get("format"), record.get("normalizes").ne(0)
    found = e.var("i32", 0)
    for bits, unsigned, signed in ((8, ImageFormat.U8, ImageFormat.S8), (16, ImageFormat.U16, ImageFormat.S16)):
        for kind, is_signed in ((unsigned, False), (signed, True)):
            with e.if_(format.eq(int(kind))):
                raw = e.load(f"i{bits}", e.offset(place, channel * bits // 8)).resize("i32", is_signed)
                found.set(normalizes.select(_normalized(e, raw, bits, is_signed), raw))
    with e.if_(format.eq(int(ImageFormat.U8)) & record.get("srgb").ne(0)):
        if channel < 3:
            linear = e.use(srgb_to_linear, found.get().bitcast("float"))
            found.set(linear.bitcast("i32"))
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


def srgb_to_linear(e: Emitter, x: LlvmValue) -> LlvmValue:
    """IEC 61966-2-1, in f64: x / 12.92, or ((x + 0.055) / 1.055) ** 2.4."""
    from ptxgen.cpu.rt import transcendental as rt

    wide = x.cast("fpext", "double")
    low = wide / e.double(12.92)
    base = (wide + e.double(0.055)) / e.double(1.055)
    power = e.use(rt.exp2, e.use(rt.log2, base) * e.double(2.4))
    return wide.fcmp("ole", e.double(0.04045)).select(low, power).cast("fptrunc", "float").known_number()
