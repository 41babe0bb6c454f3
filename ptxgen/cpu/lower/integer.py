"""Integer arithmetic (manual 9.7.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.value import OneLaneError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

INTEGERS = "u16 u32 u64 s16 s32 s64"
PACKED = "u16x2 s16x2"


def double_width(value: LlvmValue, signed: bool) -> LlvmValue:
    """The integer in a type of twice its width."""
    return value.resize(f"i{2 * value.bits}", signed)


def halves(e: Emitter, function: Callable[..., LlvmValue], *packed: LlvmValue) -> LlvmValue:
    """Applies a function of 16-bit values to both halves of 32-bit ones."""
    low = function(*(p.trunc("i16") for p in packed))
    high = function(*((p >> 16).trunc("i16") for p in packed))
    return low.zext("i32") | (high.zext("i32") << 16)


# -- sums and differences ---------------------------------------------------------------------------------------------


@lowers("add.type", type=INTEGERS)
def add(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return a + b


@lowers("sub.type", type=INTEGERS)
def sub(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return a - b


@lowers("add.sat.s32")
def add_sat(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.sadd.sat", a, b)


@lowers("sub.sat.s32")
def sub_sat(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.ssub.sat", a, b)


@lowers("add.type", type=PACKED)
def add_packed(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return halves(k.e, lambda x, y: x + y, a, b)


@lowers("sad.type", type=INTEGERS)
def sad(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    less = a.icmp("slt" if form.type.is_signed else "ult", b)
    return c + less.select(b - a, a - b)


@lowers("neg.type", type="s16 s32 s64")
def neg(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return -a


@lowers("abs.type", type="s16 s32 s64")
def absolute(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.abs", a, False)


# -- products ---------------------------------------------------------------------------------------------------------


def product(form: FormModifiers, a: LlvmValue, b: LlvmValue, mode: str) -> LlvmValue:
    """The low or high half of a product, or all of it."""
    if mode == "lo":
        return a * b
    signed = form.type.is_signed
    whole = double_width(a, signed) * double_width(b, signed)
    return whole if mode == "wide" else (whole >> a.bits).trunc(a.type)


@lowers("mul.mode.type", type=INTEGERS, mode="lo hi")
def mul(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return product(form, a, b, form.mode)


@lowers("mul.wide.type", type="u16 s16", writes="b32")
@lowers("mul.wide.type", type="u32 s32", writes="b64")
def mul_wide(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return product(form, a, b, "wide")


@lowers("mad.mode.type", type=INTEGERS, mode="lo hi")
def mad(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return product(form, a, b, form.mode) + c


@lowers("mad.wide.type", type="u16 s16", reads="type type b32", writes="b32")
@lowers("mad.wide.type", type="u32 s32", reads="type type b64", writes="b64")
def mad_wide(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return product(form, a, b, "wide") + c


@lowers("mad.hi.sat.s32")
def mad_sat(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.sadd.sat", product(form, a, b, "hi"), c)


def product24(form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """Bits 31..0 or 47..16 of the product of two 24-bit integers."""
    signed = form.type.is_signed
    a, b = ((v << 8).sra(8) if signed else v & 0xFFFFFF for v in (a, b))
    if form.mode == "lo":
        return a * b
    return ((double_width(a, signed) * double_width(b, signed)) >> 16).trunc("i32")


@lowers("mul24.mode.type", type="u32 s32", mode="lo hi")
def mul24(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return product24(form, a, b)


@lowers("mad24.mode.type", type="u32 s32", mode="lo hi")
def mad24(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return product24(form, a, b) + c


@lowers("mad24.mode.sat.s32", mode="hi")
def mad24_sat(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.sadd.sat", product24(form, a, b), c)


@lowers("dp4a.atype.btype", atype="u32 s32", btype="u32 s32", reads="b32", writes="b32")
def dp4a(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    for shift in (0, 8, 16, 24):
        x = (a >> shift).trunc("i8").resize("i32", form.atype.is_signed)
        y = (b >> shift).trunc("i8").resize("i32", form.btype.is_signed)
        c = c + x * y
    return c


@lowers("dp2a.mode.atype.btype", mode="lo hi", atype="u32 s32", btype="u32 s32", reads="b32", writes="b32")
def dp2a(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    first = 0 if form.mode == "lo" else 16
    for i in (0, 1):
        x = (a >> (16 * i)).trunc("i16").resize("i32", form.atype.is_signed)
        y = (b >> (first + 8 * i)).trunc("i8").resize("i32", form.btype.is_signed)
        c = c + x * y
    return c


# -- quotients --------------------------------------------------------------------------------------------------------


def divide(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, op: str) -> LlvmValue:
    """A quotient or remainder that cannot trap: division by zero gives all ones (as GPUs do), MIN / -1 wraps."""
    zero = b.eq(0)
    if not form.type.is_signed:
        safe = zero.select(k.e.const(b.type, 1), b)
        return zero.select(k.e.const(a.type, -1), quotient(a, safe, op, signed=False))
    minus_one = b.eq(-1)
    safe = (zero | minus_one).select(k.e.const(b.type, 1), b)
    plain = quotient(a, safe, op, signed=True)
    wrapped = -a if op == "div" else k.e.const(a.type, 0)
    return zero.select(k.e.const(a.type, -1), minus_one.select(wrapped, plain))


def quotient(a: LlvmValue, b: LlvmValue, op: str, *, signed: bool) -> LlvmValue:
    """The quotient or remainder. Vectors are divided as f64: a quotient of integers of 32 bits is at least 2^-32 of itself below
    the next integer, so that rounding does not reach it."""
    letter = "s" if signed else "u"
    if not (a.lanes or b.lanes):
        return a.binary(f"{letter}{op}", b)
    if a.bits > 32:
        raise OneLaneError
    x, y = (v.cast(f"{letter}itofp", "double") for v in (a, b))
    whole = (x / y).cast(f"fpto{letter}i", a.type)
    return whole if op == "div" else a - whole * b


@lowers("div.type", type=INTEGERS)
def div(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return divide(k, form, a, b, "div")


@lowers("rem.type", type=INTEGERS)
def rem(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return divide(k, form, a, b, "rem")


# -- extremes ---------------------------------------------------------------------------------------------------------


def extreme(k: LoweringContext, opcode: str, signed: bool, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """min or max of two integers."""
    return k.e.intrinsic(f"llvm.{'s' if signed else 'u'}{opcode}", a, b)


@lowers("min.type", "max.type", type=INTEGERS)
def min_max(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return extreme(k, form.op[:3], form.type.is_signed, a, b)


@lowers("min.type", "max.type", type=PACKED)
def min_max_packed(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return halves(k.e, lambda x, y: extreme(k, form.op[:3], form.type.is_signed, x, y), a, b)


@lowers("min.relu.s32", "max.relu.s32")
def min_max_relu(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return extreme(k, "max", True, extreme(k, form.op[:3], True, a, b), k.e.const("i32", 0))


@lowers("min.relu.s16x2", "max.relu.s16x2")
def min_max_relu_packed(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    zero = k.e.const("i16", 0)
    return halves(k.e, lambda x, y: extreme(k, "max", True, extreme(k, form.op[:3], True, x, y), zero), a, b)


# -- bits -------------------------------------------------------------------------------------------------------------


@lowers("popc.type", type="b32 b64", writes="u32")
def popc(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.ctpop", a).trunc("i32")


@lowers("clz.type", type="b32 b64", writes="u32")
def clz(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.ctlz", a, False).trunc("i32")


@lowers("brev.type", type="b32 b64")
def brev(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.bitreverse", a)


@lowers("bfind{.shiftamt}.type", type="u32 u64 s32 s64", writes="u32")
def bfind(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    if form.type.is_signed:
        a = a ^ a.sra(a.bits - 1)
    zeros = k.e.intrinsic("llvm.ctlz", a, False).trunc("i32")
    found = zeros if form.shiftamt else k.e.const("i32", a.bits - 1) - zeros
    return a.eq(0).select(k.e.const("i32", -1), found)


@lowers("fns.b32", reads="b32 b32 s32")
def fns(k: LoweringContext, form: FormModifiers, mask: LlvmValue, base: LlvmValue, offset: LlvmValue) -> LlvmValue:
    return k.e.use(find_nth_set, mask, base, offset)


def find_nth_set(e: Emitter, mask: LlvmValue, base: LlvmValue, offset: LlvmValue) -> LlvmValue:
    """The position of the |offset|-th set bit from bit `base` on, upwards or downwards; all ones when there is none. Of the
    least offset it is 0 (measured, H200)."""
    up = offset.sgt(0)
    here = e.var("i32", base)
    left = e.var("i32", e.intrinsic("llvm.abs", offset, False))
    left.set(offset.eq(0).select(e.const("i32", 1), left.get()))
    least = offset.eq(-0x80000000)
    found = e.var("i32", least.select(e.const("i32", 0), -1))
    with e.loop() as end:
        at = here.get()
        e.break_if(at.uge(32) | least, end)
        rest = left.get() - ((mask >> at) & 1)
        left.set(rest)
        with e.if_(rest.eq(0)):
            found.set(at)
            e.leave(end)
        here.set(offset.eq(0).select(e.const("i32", 32), at + up.select(e.const("i32", 1), -1)))
    return found.get()


def field(a: LlvmValue, number: LlvmValue) -> LlvmValue:
    """A position or length: the 32-bit instructions look at 8 bits of it, the 64-bit ones, which GPUs build of others, at all."""
    return number & 0xFF if a.bits == 32 else number.zext("i64")


@lowers("bfe.type", type="u32 u64 s32 s64", reads="type u32 u32")
def bfe(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    e, bits = k.e, a.bits
    pos, length = field(a, b), field(a, c)
    last = e.intrinsic("llvm.umin", pos + length - 1, e.const(a.type, bits - 1))
    beyond = pos.uge(bits)
    shifted = beyond.select(e.const(a.type, 0), a >> (pos & (bits - 1)))
    mask = length.uge(bits).select(e.const(a.type, -1), (e.const(a.type, 1) << (length & (bits - 1))) - 1)
    if not form.type.is_signed:
        return shifted & mask
    sign = -((a >> (last & (bits - 1))) & 1)  # of the field, or of the operand when the field reaches beyond it
    inside = beyond.select(
        e.const(a.type, 0),
        (pos + length).uge(bits).select(e.const(a.type, -1) >> (pos & (bits - 1)), mask) & mask,
    )
    return length.eq(0).select(e.const(a.type, 0), (shifted & inside) | (sign & ~inside))


@lowers("bfi.type", type="b32 b64", reads="type type u32 u32")
def bfi(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue, d: LlvmValue) -> LlvmValue:
    e, bits = k.e, a.bits
    pos, length = field(a, c), field(a, d)
    ones = length.uge(bits).select(e.const(a.type, -1), (e.const(a.type, 1) << (length & (bits - 1))) - 1)
    at = pos & (bits - 1)
    mask = pos.uge(bits).select(e.const(a.type, 0), ones << at)
    return (b & ~mask) | ((a << at) & mask)


@lowers("bmsk.mode.b32", mode="clamp wrap", reads="b32 b32")
def bmsk(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    e = k.e
    if form.mode == "wrap":
        a, b = a & 31, b & 31
    else:
        b = e.intrinsic("llvm.umin", b, e.const("i32", 32))
    field = (e.const("i64", 1) << b.zext("i64")) - 1
    placed = (field << (a & 31).zext("i64")).trunc("i32")
    return a.uge(32).select(e.const("i32", 0), placed)


@lowers("szext.mode.type", mode="clamp wrap", type="u32 s32", reads="type u32")
def szext(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    e = k.e
    width = b & 31
    spare = (e.const("i32", 32) - width) & 31
    up = a << spare
    value = width.eq(0).select(e.const("i32", 0), up.sra(spare) if form.type.is_signed else up >> spare)
    return b.uge(32).select(a, value) if form.mode == "clamp" else value
