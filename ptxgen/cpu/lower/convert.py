"""Conversion between types (manual 9.7.9.21 and 9.7.9.22: cvt, cvt.pack)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt import formats
from ptxgen.cpu.rt.half import bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, quiet_half
from ptxgen.cpu.rt.numbers import flush, saturate, tiny_to_zero
from ptxgen.cpu.rt.rounding import rounded
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

NUMBERS = "u8 u16 u32 u64 s8 s16 s32 s64 bf16 f16 f32 f64"
_TO_INTEGRAL = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


@lowers(
    "cvt{.rnd}{.ftz}{.sat}.dtype.type", rnd="rni rzi rmi rpi rn rz rm rp", dtype=NUMBERS, type=NUMBERS, writes="dtype"
)
def cvt(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    source, target = form.type, form.dtype
    if source is target and not (form.rnd or form.ftz or form.sat):
        return quiet_half(a, source.name) if source.name in ("f16", "bf16") else a  # a NaN too (measured, H200)
    if not source.is_float:
        return _from_integer(k, form, a, source, target)
    x = _to_native(k, a, source)
    if form.ftz and source.name == "f32":
        x = flush(x.soiled())
    if not target.is_float:
        rounding = form.rnd or "rzi"
        result = k.e.use(formats.float_to_integer, x, rounding=rounding, signed=target.is_signed, bits=target.bits)
        return result.resize(representation(target))
    if form.rnd in _TO_INTEGRAL:
        x = k.e.intrinsic(f"llvm.{_TO_INTEGRAL[form.rnd]}", x)
    if form.sat:
        x = saturate(x)
    return _from_native(k, form, x, target)


def _to_native(k: LoweringContext, a: LlvmValue, source: ScalarType) -> LlvmValue:
    """A floating value as f32 or f64, exactly."""
    if source.name == "f16":
        return k.e.use(f16_to_f32, a)
    if source.name == "bf16":
        return k.e.use(bf16_to_f32, a)
    return a


def _from_native(k: LoweringContext, form: FormModifiers, x: LlvmValue, target: ScalarType) -> LlvmValue:
    """f32 or f64 -> the target's representation, with the form's rounding."""
    rounding = form.rnd if form.rnd in ("rn", "rz", "rm", "rp") else "rn"
    if target.name == "f64":  # a NaN keeps its sign and payload
        return x.cast("fpext", "double") if x.type == "float" else x
    if target.name == "f32":
        if x.type == "float":
            x = x.soiled() if form.type.name != "bf16" or form.ftz else x
            return flush(x) if form.ftz else x
        result = _to_single(k, x, rounding)
        if not form.ftz:
            return result
        return tiny_to_zero(result, _to_single(k, x * k.e.double(2.0**32), rounding))
    if rounding == "rn" and x.type == "float":
        return k.e.use(f32_to_f16 if target.name == "f16" else f32_to_bf16, x)
    return k.e.use(formats.narrow, x, format=target.name, rounding=rounding).trunc("i16")


def _to_single(k: LoweringContext, x: LlvmValue, rounding: str) -> LlvmValue:
    """f64 -> f32; a NaN keeps its sign and the top of its payload."""
    if rounding == "rn":
        return x.cast("fptrunc", "float")
    return k.e.use(rounded, x, operation="fptrunc", rounding=rounding, type="float")


def _from_integer(
    k: LoweringContext, form: FormModifiers, a: LlvmValue, source: ScalarType, target: ScalarType
) -> LlvmValue:
    if not target.is_float:
        return _clamp(a, source, target) if form.sat else a.resize(representation(target), source.is_signed)
    rounding = form.rnd or "rn"
    signed = source.is_signed
    if target.name in ("f32", "f64"):
        kind = representation(target)
        wide = a.resize("i32", signed) if a.bits < 32 else a
        x = k.e.use(formats.integer_to_float, wide, signed=signed, rounding=rounding, type=kind).known_number()
        return saturate(x) if form.sat else x
    x = k.e.use(formats.integer_to_odd_double, a.resize("i64", signed), signed=signed)
    x = saturate(x) if form.sat else x
    return k.e.use(formats.narrow, x, format=target.name, rounding=rounding).trunc("i16")


def limits(type: ScalarType) -> tuple[int, int]:
    """The least and the greatest integer of a type."""
    return (-(1 << (type.bits - 1)), (1 << (type.bits - 1)) - 1) if type.is_signed else (0, (1 << type.bits) - 1)


def _clamp(a: LlvmValue, source: ScalarType, target: ScalarType) -> LlvmValue:
    """An integer limited to another type's range, in that type."""
    low, high = limits(target)
    least, greatest = limits(source)
    e = a.emitter
    if low > least:
        a = e.intrinsic(f"llvm.{'s' if source.is_signed else 'u'}max", a, e.const(a.type, low))
    if high < greatest:
        a = e.intrinsic(f"llvm.{'s' if source.is_signed else 'u'}min", a, e.const(a.type, high))
    return a.resize(representation(target), source.is_signed)


# -- to small formats -------------------------------------------------------------------------------------------------


def _narrow(
    k: LoweringContext, form: FormModifiers, x: LlvmValue, format: str, *rbits: LlvmValue, random: int = 0
) -> LlvmValue:
    return k.e.use(
        formats.narrow, x, *rbits, format=format, rounding=form.rnd,
        satfinite=bool(form.get("satfinite")), relu=bool(form.get("relu")), random=random,
    )  # fmt: skip


@lowers("cvt.rnd{.relu}{.satfinite}.dtype.f32", rnd="rn rz", dtype="f16 bf16", writes="dtype")
def cvt_half(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return _narrow(k, form, a, form.dtype.name).trunc("i16")


@lowers("cvt.rnd{.relu}{.satfinite}.dtype.f32", rnd="rn rz", dtype="f16x2 bf16x2", writes="b32")
def cvt_half_pair(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """The first source goes to the upper half."""
    high, low = (_narrow(k, form, x, form.dtype.element) for x in (a, b))
    return (high << 16) | low


@lowers("cvt.rnd{.relu}{.satfinite}.dtype.f32", rnd="rs", dtype="f16x2 bf16x2", reads="f32 f32 b32", writes="b32")
def cvt_half_pair_stochastic(
    k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, rbits: LlvmValue
) -> LlvmValue:
    random = 23 - formats.FORMATS[form.dtype.element].mantissa
    mask = (1 << random) - 1
    high = _narrow(k, form, a, form.dtype.element, (rbits >> 16) & mask, random=random)
    return (high << 16) | _narrow(k, form, b, form.dtype.element, rbits & 0xFFFF & mask, random=random)


@lowers("cvt.rnd{.relu}.satfinite.dtype.f32", rnd="rs", dtype="e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4", raw=True)
def cvt_four_stochastic(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """The first source goes to the top. The first two have random bits from the upper half of rbits, the others from the lower;
    of e2m1 both pairs have 8 bits from each half, one above the other, the first pair the upper ones (manual 9.7.9.21)."""
    target, sources, rbits = op.operands
    assert isinstance(sources, tuple)
    format, type = formats.FORMATS[form.dtype.element], form.dtype
    with k.when(k.guard()):
        given, word = k.read(rbits, TYPES["b32"]), k.e.const("i32", 0)
        for number, source in enumerate(sources):
            if format.bits == 4:
                up = given >> (0 if number >= 2 else 8)
                some = (up & 0xFF) | (up >> 8 & 0xFF00)
            else:
                some = (given if number >= 2 else given >> 16) & 0xFFFF
            pattern = _narrow(k, form, k.read(source, TYPES["f32"]), type.element, some, random=16)
            word = word << type.bits // 4 | pattern
        k.write(target, word.resize(representation(type)), type)


@lowers("cvt.rnd{.satfinite}.tf32.f32", rnd="rna", writes="b32")
@lowers("cvt.rnd{.satfinite}{.relu}.tf32.f32", rnd="rn rz", writes="b32")
def cvt_tf32(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    pattern = _narrow(k, form, a, "tf32") << 13
    if form.rnd != "rna":
        return pattern
    cut = (a.bitcast("i32") & 0xFFFFE000) - (0x2000 if form.satfinite else 0)  # of a NaN (measured, H200)
    return a.is_nan().select(cut, pattern)


EIGHTS = "e4m3x2 e5m2x2 e2m3x2 e3m2x2"


@lowers("cvt.rnd.satfinite{.relu}.dtype.f32", rnd="rn", dtype=EIGHTS, writes="b16")
def cvt_eight_pair(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    high, low = (_narrow(k, form, x, form.dtype.element) for x in (a, b))
    return ((high << 8) | low).trunc("i16")


@lowers("cvt.rnd.satfinite{.relu}.dtype.f16x2", rnd="rn", dtype="e4m3x2 e5m2x2", reads="b32", writes="b16")
def cvt_eight_from_half(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    low, high = (k.e.use(f16_to_f32, (a >> shift).trunc("i16")) for shift in (0, 16))
    packed = (_narrow(k, form, high, form.dtype.element) << 8) | _narrow(k, form, low, form.dtype.element)
    return packed.trunc("i16")


@lowers("cvt.rnd.satfinite{.relu}.e2m1x2.f32", rnd="rn", writes="b8")
def cvt_four_pair(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return ((_narrow(k, form, a, "e2m1") << 4) | _narrow(k, form, b, "e2m1")).trunc("i8")


@lowers("cvt.rnd{.satfinite}.ue8m0x2.f32", rnd="rz rp", writes="b16")
def cvt_scale_pair(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return _scales(k, form, a, b)


def _scales(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    high, low = (k.e.use(formats.narrow_scale, x, rounding=form.rnd, satfinite=bool(form.satfinite)) for x in (a, b))
    return ((high << 8) | low).trunc("i16")


@lowers("cvt.rnd{.satfinite}.ue8m0x2.bf16x2", rnd="rz rp", reads="b32", writes="b16")
def cvt_scale_from_bf16(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    high, low = (k.e.use(bf16_to_f32, (a >> shift).trunc("i16")) for shift in (16, 0))
    return _scales(k, form, high, low)


# -- from small formats -----------------------------------------------------------------------------------------------


def _relu(form: FormModifiers, h: LlvmValue) -> LlvmValue:
    """`.relu` on an f16 pattern: negative numbers become +0, NaN stays."""
    if not form.get("relu"):
        return h
    negative = h.slt(0) & (h & 0x7FFF).ule(0x7C00)
    return negative.select(h.emitter.const("i16", 0), h)


@lowers("cvt.rn{.relu}.f16x2.type", type=EIGHTS, reads="b16", writes="b32")
def cvt_from_eight(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return _pair_to_half(k, form, a.zext("i32"), 8)


@lowers("cvt.rn{.relu}.f16x2.e2m1x2", reads="b8", writes="b32")
def cvt_from_four(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return _pair_to_half(k, form, a.zext("i32"), 4)


def _pair_to_half(k: LoweringContext, form: FormModifiers, word: LlvmValue, width: int) -> LlvmValue:
    result = k.e.const("i32", 0)
    for i in (0, 1):
        pattern = (word >> (width * i)) & ((1 << width) - 1)
        h = k.e.use(f32_to_f16, k.e.use(formats.widen, pattern, format=form.type.element))
        result = result | (_relu(form, h).zext("i32") << (16 * i))
    return result


@lowers("cvt.rn.bf16x2.ue8m0x2", reads="b16", writes="b32")
def cvt_from_scale(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    result = k.e.const("i32", 0)
    for i in (0, 1):
        x = k.e.use(formats.widen_scale, (a.zext("i32") >> (8 * i)) & 0xFF)
        result = result | (k.e.use(f32_to_bf16, x).zext("i32") << (16 * i))
    return result


# -- cvt.pack ---------------------------------------------------------------------------------------------------------


@lowers("cvt.pack.sat.to.s32", to="u16 s16", reads="s32", writes="b32")
@lowers("cvt.pack.sat.to.s32.b32", to="u2 s2 u4 s4 u8 s8", reads="s32 s32 b32", writes="b32")
def cvt_pack(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, *c: LlvmValue) -> LlvmValue:
    """a above b in the low bits; what is left comes from the low bits of c."""
    signed, bits = form.to[0] == "s", int(form.to[1:])
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    e = k.e
    parts = [
        e.intrinsic("llvm.smin", e.intrinsic("llvm.smax", x, e.const("i32", low)), e.const("i32", high))
        & ((1 << bits) - 1)
        for x in (a, b)
    ]
    word = (parts[0] << bits) | parts[1]
    return word | (c[0] << (2 * bits)) if c else word
