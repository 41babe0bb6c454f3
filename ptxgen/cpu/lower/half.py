"""Arithmetic in f16 and bf16, scalar and packed (manual 9.7.4 and 9.7.3.21 on).

Each element is widened to f32, where sums and products of two elements round the same in two steps as in one; fma goes
through rounding to odd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.floating import ROUNDS, arithmetic
from ptxgen.cpu.lower.floating import min_max as min_max_f32
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt import transcendental as rt
from ptxgen.cpu.rt.formats import narrow
from ptxgen.cpu.rt.half import bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, fused_multiply_add, quiet_half
from ptxgen.cpu.rt.numbers import absolute, saturate

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

HALVES = "f16 f16x2"
BRAINS = "bf16 bf16x2"
_TINY = 0x387FF000
"""2^-14 - 2^-26: what is less is tiny, although from 2^-14 - 2^-25 on it rounds up to 2^-14, because subnormals have fewer bits
(measured, H200; `numbers.tiny_to_zero`)."""
OUTSIDE = 0x7FF7
"""The OOB NaN but for its sign (measured, H200)."""


def each(form: FormModifiers, function: Callable[..., LlvmValue], *operands: LlvmValue) -> LlvmValue:
    """Applies a function of 16-bit patterns to the operand, or to both halves of packed ones."""
    if form.type.lanes == 1:
        return function(*operands)
    low = function(*(o.trunc("i16") for o in operands))
    high = function(*((o >> 16).trunc("i16") for o in operands))
    return low.zext("i32") | (high.zext("i32") << 16)


def flush_half(h: LlvmValue) -> LlvmValue:
    """`.ftz` for f16."""
    return (h & 0x7C00).eq(0).select(h & 0x8000, h)


def widen(k: LoweringContext, form: FormModifiers, h: LlvmValue) -> LlvmValue:
    if form.type.element == "bf16":
        return k.e.use(bf16_to_f32, h)
    return k.e.use(f16_to_f32, flush_half(h) if form.get("ftz") else h)


def finish(k: LoweringContext, form: FormModifiers, x: LlvmValue) -> LlvmValue:
    """f32 -> the element's pattern, with the form's .sat, .relu and .ftz."""
    if form.get("sat"):
        x = saturate(x)
    if form.get("relu"):
        x = x.fcmp("olt", k.e.const("float", 0)).select(k.e.const("float", 0), x)
    h = k.e.use(f32_to_bf16 if form.type.element == "bf16" else f32_to_f16, x)
    if form.get("relu"):
        h = h.eq(-0x8000).select(k.e.const("i16", 0), h)
    return absolute(x).fcmp("olt", k.e.const_float("float", _TINY)).select(h & 0x8000, h) if form.get("ftz") else h


@lowers("add{.rn}{.ftz}{.sat}.type", "sub{.rn}{.ftz}{.sat}.type", "mul{.rn}{.ftz}{.sat}.type", type=HALVES)
@lowers("add{.rn}.type", "sub{.rn}.type", "mul{.rn}.type", type=BRAINS)
def two_operands(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    operation = {"add": "__add__", "sub": "__sub__", "mul": "__mul__"}[form.op[:3]]

    def element(x: LlvmValue, y: LlvmValue) -> LlvmValue:
        return finish(k, form, getattr(widen(k, form, x), operation)(widen(k, form, y)))

    return each(form, element, a, b)


@lowers("fma.rn{.ftz}{.sat}{.relu}.type", type=HALVES)
@lowers("fma.rn{.relu}.type", type=BRAINS)
def fma(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    def element(*operands: LlvmValue) -> LlvmValue:
        return finish(
            k,
            form,
            k.e.use(fused_multiply_add, *(widen(k, form, o) for o in operands), format=form.type.element).soiled(),
        )

    return each(form, element, a, b, c)


@lowers(
    "add{.rnd}{.sat}.f32.type", "sub{.rnd}{.sat}.f32.type", rnd=ROUNDS, type="f16 bf16", reads="type f32", writes="f32"
)
@lowers("fma.rnd{.sat}.f32.type", rnd=ROUNDS, type="f16 bf16", reads="type type f32", writes="f32")
def mixed(k: LoweringContext, form: FormModifiers, *operands: LlvmValue) -> LlvmValue:
    """Halves are widened, and the rest is that of f32 (manual 9.7.5)."""
    *halves, last = operands
    return arithmetic(k, form, *(widen(k, form, h).soiled() for h in halves), last)


@lowers("fma.rn.oob{.relu}.type", type=f"{HALVES} {BRAINS}")
def fma_inside(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    """+0 where a factor is the NaN that tensor copies fill with what lies outside a tensor (manual 9.7.4.4)."""
    zero = k.e.const("i16", 0)

    def element(x: LlvmValue, y: LlvmValue, result: LlvmValue) -> LlvmValue:
        return ((x & 0x7FFF).eq(OUTSIDE) | (y & 0x7FFF).eq(OUTSIDE)).select(zero, result)

    return each(form, element, a, b, fma(k, form, a, b, c))


@lowers("min{.ftz}{.NaN}{.xorsign}{.abs}.type", "max{.ftz}{.NaN}{.xorsign}{.abs}.type", type=HALVES)
@lowers("min{.NaN}{.xorsign}{.abs}.type", "max{.NaN}{.xorsign}{.abs}.type", type=BRAINS)
def min_max(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    plain = FormModifiers(form.op, {**form.slots, "ftz": None})  # flushing is this format's, not f32's

    def element(x: LlvmValue, y: LlvmValue) -> LlvmValue:
        return finish(k, form, min_max_f32(k, plain, widen(k, form, x), widen(k, form, y)))

    return each(form, element, a, b)


@lowers("neg{.ftz}.type", "abs{.ftz}.type", type=HALVES)
@lowers("neg.type", "abs.type", type=BRAINS)
def sign(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    def element(h: LlvmValue) -> LlvmValue:
        h = flush_half(h) if form.get("ftz") else h
        return quiet_half(h ^ 0x8000 if form.op.startswith("neg") else h & 0x7FFF, form.type.element)

    return each(form, element, a)


def in_double(k: LoweringContext, form: FormModifiers, function: Callable[..., LlvmValue], a: LlvmValue) -> LlvmValue:
    """A function computed in f64 and rounded once."""

    def element(h: LlvmValue) -> LlvmValue:
        x = widen(k, form, h).soiled().clean().cast("fpext", "double")
        return k.e.use(narrow, k.e.use(function, x), format=form.type.element).trunc("i16")

    return each(form, element, a)


@lowers("ex2.approx.type", type=HALVES)
@lowers("ex2.approx.ftz.type", type=BRAINS)
def ex2(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, rt.exp2, a)


@lowers("tanh.approx.type", type=f"{HALVES} {BRAINS}")
def tanh(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, rt.tanh, a)
