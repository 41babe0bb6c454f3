"""Video instructions, on parts of 32-bit registers: scalar and SIMD (manual 9.7.18).

What the parts hold is computed in wider integers, as the manual does, and cut to 32 bits or to the part at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import Selection
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatOperand, Op
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

WORDS = "u32 s32"
COMPARISONS = "eq ne lt le gt ge"
SATURATED = {8: (0xFF, 0x7F, -0x80), 16: (0xFFFF, 0x7FFF, -0x8000), 32: (0xFFFFFFFF, 0x7FFFFFFF, -0x80000000)}
"""Bits of a part -> the largest unsigned number, the largest and the smallest signed one."""


def plain(operand: FlatOperand) -> tuple[FlatOperand, str, bool]:
    """(the operand, its selector, is it negated)."""
    if isinstance(operand, Selection):
        return operand.operand, operand.selector, operand.negated
    return operand, "", False


def part(selector: str) -> tuple[int, int]:
    """(bits, place of the lowest) of a scalar selector."""
    if not selector:
        return 32, 0
    bits = 8 if selector[0] == "b" else 16
    return bits, bits * int(selector[1])


def extended(value: LlvmValue, bits: int, at: int | LlvmValue, type: ScalarType, wide: str) -> LlvmValue:
    """Bits of an integer, extended by the type's sign."""
    return (value >> at).trunc(f"i{bits}").resize(wide, type.is_signed)


def source(k: LoweringContext, operand: FlatOperand, type: ScalarType, wide: str = "i64") -> LlvmValue:
    """partSelectSignExtend."""
    inner, selector, _ = plain(operand)
    return extended(k.read(inner, TYPES["b32"]), *part(selector), type, wide)


def saturated(k: LoweringContext, value: LlvmValue, bits: int, *, signed: bool) -> LlvmValue:
    """optSaturate, of a signed number of more bits."""
    unsigned, highest, lowest = SATURATED[bits]
    top = k.e.const(value.type, highest if signed else unsigned)
    bottom = k.e.const(value.type, lowest if signed else 0)
    return k.e.intrinsic("llvm.smax", k.e.intrinsic("llvm.smin", value, top), bottom)


def apply(k: LoweringContext, operation: str, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """What a video instruction does to two parts, by its name without the `v`."""
    if operation == "add":
        return a + b
    if operation == "sub":
        return a - b
    if operation == "absdiff":
        return k.e.intrinsic("llvm.abs", a - b, False)
    if operation == "avrg":  # halves are rounded away from zero
        total = a + b
        return (total + total.icmp("sge", 0).zext(total.type)).sra(1)
    return k.e.intrinsic(f"llvm.s{operation}", a, b)


def compared(a: LlvmValue, b: LlvmValue, comparison: str) -> LlvmValue:
    return a.icmp(comparison if comparison in ("eq", "ne") else f"s{comparison}", b).zext(a.type)


def finish(
    k: LoweringContext, form: FormModifiers, op: Op, result: LlvmValue, type: ScalarType, extra: tuple[FlatOperand, ...]
) -> None:
    """optSaturate, optSecondaryOp or optMerge of a scalar instruction, into its destination."""
    target, selector, _ = plain(op.operands[0])
    bits, at = part(selector)
    if form.get("sat"):
        result = saturated(k, result, bits, signed=type.is_signed)
    value = result.trunc("i32")
    if extra:
        c = k.read(extra[0], TYPES["b32"])
        second = form.get("op2")
        if second == "add":
            value = value + c
        elif second is not None:  # of what has not been cut to 32 bits yet
            wide = c.resize(result.type, type.is_signed)
            value = k.e.intrinsic(f"llvm.s{second}", result, wide).trunc("i32")
        else:
            mask = ((1 << bits) - 1) << at
            value = ((value << at) & mask) | (c & ~mask)
    k.set(target, value, TYPES["b32"])


@lowers(
    *(f"v{name}.dtype.atype.btype{{.sat}}{{.op2}}" for name in ("add", "sub", "absdiff", "min", "max")),
    raw=True, dtype=WORDS, atype=WORDS, btype=WORDS, op2="add min max",
)  # fmt: skip
def scalar(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    _, a, b, *extra = op.operands
    operation = op.opcode[1:]
    result = apply(k, operation, source(k, a, form.atype), source(k, b, form.btype))
    finish(k, form, op, result, form.dtype, tuple(extra))


@lowers(
    "vshl.dtype.atype.u32{.sat}.mode{.op2}", "vshr.dtype.atype.u32{.sat}.mode{.op2}",
    raw=True, dtype=WORDS, atype=WORDS, mode="clamp wrap", op2="add min max",
)  # fmt: skip
def shift(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    _, a, b, *extra = op.operands
    value, amount = source(k, a, form.atype, "i128"), source(k, b, TYPES["u32"], "i128")
    if form.mode == "wrap":
        amount = amount & 31
    else:
        amount = k.e.intrinsic("llvm.umin", amount, k.e.const("i128", 32))
    finish(k, form, op, value << amount if op.opcode == "vshl" else value.sra(amount), form.dtype, tuple(extra))


@lowers("vset.atype.btype.cmp{.op2}", raw=True, atype=WORDS, btype=WORDS, cmp=COMPARISONS, op2="add min max")
def vset(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    _, a, b, *extra = op.operands
    result = compared(source(k, a, form.atype), source(k, b, form.btype), form.cmp)
    finish(k, form, op, result, TYPES["u32"], tuple(extra))


@lowers(
    "vmad.dtype.atype.btype{.po}{.sat}{.scale}",
    raw=True, dtype=WORDS, atype=WORDS, btype=WORDS, scale="shr7 shr15",
)  # fmt: skip
def vmad(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    target, a, b, c = op.operands
    minus_product = plain(a)[2] != plain(b)[2]
    minus_c = plain(c)[2]
    signed_product = form.atype.is_signed or form.btype.is_signed or minus_product
    signed = signed_product or minus_c
    product = source(k, a, form.atype, "i128") * source(k, b, form.btype, "i128")
    added = source(k, c, TYPES["s32" if signed_product else "u32"], "i128")
    result = (-product if minus_product else product) + (-added if minus_c else added)
    if form.get("po"):
        result = result + 1
    if form.get("scale"):
        result = result.sra(int(form.scale[3:]))
    if form.get("sat"):
        result = saturated(k, result, 32, signed=signed)
    k.set(plain(target)[0], result.trunc("i32"), TYPES["b32"])


# -- SIMD: two half-words or four bytes at once ------------------------------------------------------------------------


def lanes(k: LoweringContext, both: LlvmValue, selector: str, type: ScalarType, count: int) -> list[LlvmValue]:
    """The parts of the 64 bits of two registers that a selector chooses, the one of the lowest lane first."""
    bits = 32 // count
    return [extended(both, bits, bits * int(digit), type, "i64") for digit in reversed(selector)]


def simd(k: LoweringContext, form: FormModifiers, op: Op, type: ScalarType) -> None:
    """All lanes, then the merge or the sum of those of the destination's mask."""
    count = int(op.opcode[-1])
    bits = 32 // count
    target, mask, _ = plain(op.operands[0])
    masked = {int(digit) for digit in mask[1:]} if mask else set(range(count))
    (a, a_selector, _), (b, b_selector, _), (c, _, _) = map(plain, op.operands[1:])
    both = k.read(a, TYPES["b32"]).zext("i64") | (k.read(b, TYPES["b32"]).zext("i64") << 32)
    digits = "76543210"[-2 * count :]
    first = lanes(k, both, a_selector[1:] or digits[count:], form.atype, count)
    second = lanes(k, both, b_selector[1:] or digits[:count], form.btype, count)
    old = k.read(c, TYPES["b32"])
    result = old if form.get("add") else k.e.const("i32", 0)
    for lane, (x, y) in enumerate(zip(first, second)):
        value = compared(x, y, form.cmp) if form.get("cmp") else apply(k, op.opcode[1:-1], x, y)
        if form.get("sat"):
            value = saturated(k, value, bits, signed=type.is_signed)
        field = ((1 << bits) - 1) << (bits * lane)
        if form.get("add"):
            result = result + value.trunc("i32") if lane in masked else result
        else:
            result = result | (((value.trunc("i32") << (bits * lane)) if lane in masked else old) & field)
    k.set(target, result, TYPES["b32"])


@lowers(
    *(f"v{name}{n}.dtype.atype.btype{{.sat}}" for name in ("add", "sub", "avrg", "absdiff", "min", "max") for n in "24"),
    *(f"v{name}{n}.dtype.atype.btype.add" for name in ("add", "sub", "avrg", "absdiff", "min", "max") for n in "24"),
    raw=True, dtype=WORDS, atype=WORDS, btype=WORDS,
)  # fmt: skip
def several(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    simd(k, form, op, form.dtype)


@lowers(
    "vset2.atype.btype.cmp{.add}", "vset4.atype.btype.cmp{.add}", raw=True, atype=WORDS, btype=WORDS, cmp=COMPARISONS
)
def vset_several(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    simd(k, form, op, TYPES["u32"])
