"""Mathematical functions. f32 ones without an exact instruction use the hardware's approximation, as CUDA's fast math does;
their error bounds are the manual's (9.7.3): 2 ulp for rcp and exp2, 2^-22 for log2, 2^-20.5 for sin and cos in [-2pi, 2pi].
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic, conversions
from ptxgen.builder.values.scalars import Float, Value, f32, pred
from ptxgen.ir import Immediate

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.errors import BuildError

__all__ = [
    "absolute",
    "canonical",
    "ceil",
    "clamp",
    "cos",
    "div",
    "exp",
    "exp2",
    "floor",
    "is_finite",
    "is_inf",
    "is_nan",
    "log",
    "log2",
    "rcp",
    "rsqrt",
    "sin",
    "sqrt",
    "tanh",
    "to_nearest",
    "trunc",
]

F = TypeVar("F", bound=Float)
V = TypeVar("V", bound=Value)


def _float(k: FunctionBuilder, op: str, x: F, single: str, double: str | None = None, half: str | None = None) -> F:
    """One instruction of x's type; the half types go through f32 where they have none."""
    isa = _scalar(op, x).isa
    if isa.name == "f32":
        return k.emit1(type(x), single, k.use(x))
    if isa.name == "f64":
        if double is None:
            raise _no_f64(op)
        return k.emit1(type(x), double, k.use(x))
    if isa.name == "f16" and half is not None:
        return k.emit1(type(x), half, k.use(x))
    if isa.name in ("f16", "bf16"):
        return conversions.convert(_float(k, op, conversions.convert(x, f32), single), type(x))
    raise build_error("PTX220", f"{op} of a .{isa.name} value", expected="f16, bf16, f32 or f64", hint="x.to(f32)")


def _no_f64(op: str) -> BuildError:
    return build_error(
        "PTX220",
        f"{op} has no f64 instruction",
        hint=f"k.{op}(x.to(f32)).to(f64), of f32's range and accuracy; a polynomial in f64 for more",
    )


def _checked(op: str, x: Any) -> None:
    """BuildError where a function made of others cannot take x; it names the function that was called."""
    if _scalar(op, x).isa.name == "f64":
        raise _no_f64(op)


def _flush(ftz: bool) -> str:
    return ".ftz" if ftz else ""


def sqrt(k: FunctionBuilder, x: F, *, approx: bool = False, ftz: bool = False) -> F:
    """Square root, rounded to nearest; `approx` is faster (relative error 2^-23)."""
    kind = "approx" if approx else "rn"
    return _float(k, "sqrt", x, f"sqrt.{kind}{_flush(ftz)}.f32", "sqrt.rn.f64")


def rsqrt(k: FunctionBuilder, x: F, *, ftz: bool = False) -> F:
    """1/sqrt(x), approximately (relative error 2^-22.9 for f32)."""
    return _float(k, "rsqrt", x, f"rsqrt.approx{_flush(ftz)}.f32", "rsqrt.approx.f64")


def rcp(k: FunctionBuilder, x: F, *, approx: bool = False, ftz: bool = False) -> F:
    """1/x, rounded to nearest; `approx` is faster (1 ulp)."""
    kind = "approx" if approx else "rn"
    return _float(k, "rcp", x, f"rcp.{kind}{_flush(ftz)}.f32", "rcp.rn.f64")


def div(k: FunctionBuilder, a: F, b: F | float, *, approx: bool = False, ftz: bool = False) -> F:
    """a/b; `approx` is faster (2 ulp for |b| between 2^-126 and 2^126)."""
    if a.isa.name != "f32" or not approx:
        return arithmetic.binary("div", a, b)
    return k.emit1(type(a), f"div.approx{_flush(ftz)}.f32", k.use(a), k.use(arithmetic.coerce(a, b, "div")))


def exp2(k: FunctionBuilder, x: F, *, ftz: bool = False) -> F:
    """2^x, approximately (2 ulp)."""
    return _float(k, "exp2", x, f"ex2.approx{_flush(ftz)}.f32", half="ex2.approx.f16")


def exp(k: FunctionBuilder, x: F, *, ftz: bool = False) -> F:
    """e^x as 2^(x log2 e), approximately: about 2 + |x|/2^0.5 ulp, from the rounding of the product."""
    _checked("exp", x)
    if x.isa.name in ("f16", "bf16"):
        return conversions.convert(exp(k, conversions.convert(x, f32), ftz=ftz), type(x))
    return exp2(k, x * math.log2(math.e), ftz=ftz)


def log2(k: FunctionBuilder, x: F, *, ftz: bool = False) -> F:
    """Base-2 logarithm, approximately."""
    return _float(k, "log2", x, f"lg2.approx{_flush(ftz)}.f32")


def log(k: FunctionBuilder, x: F, *, ftz: bool = False) -> F:
    """Natural logarithm, approximately."""
    _checked("log", x)
    if x.isa.name in ("f16", "bf16"):
        return conversions.convert(log(k, conversions.convert(x, f32), ftz=ftz), type(x))
    return log2(k, x, ftz=ftz) * math.log(2)


def sin(k: FunctionBuilder, x: F, *, ftz: bool = False) -> F:
    """Sine, approximately."""
    return _float(k, "sin", x, f"sin.approx{_flush(ftz)}.f32")


def cos(k: FunctionBuilder, x: F, *, ftz: bool = False) -> F:
    """Cosine, approximately."""
    return _float(k, "cos", x, f"cos.approx{_flush(ftz)}.f32")


def tanh(k: FunctionBuilder, x: F) -> F:
    """Hyperbolic tangent, approximately (relative error 2^-11)."""
    return _float(k, "tanh", x, "tanh.approx.f32", half="tanh.approx.f16")


def absolute(k: FunctionBuilder, x: V) -> V:
    """|x|; of a vector, lane by lane."""
    return abs(x) if hasattr(type(x), "lanes") else arithmetic.unary("abs", x)  # type: ignore[arg-type]


def clamp(k: FunctionBuilder, x: V, low: V | float, high: V | float) -> V:
    """x limited to [low, high]; NaN becomes `low`."""
    return arithmetic.minimum(k, arithmetic.maximum(k, x, low), high)


# ---- whole numbers ---------------------------------------------------------------------------------------------------


def floor(k: FunctionBuilder, x: F) -> F:
    """The largest whole number that is not above x. Infinities and NaN stay what they are."""
    return _whole(k, "floor", "rmi", x)


def ceil(k: FunctionBuilder, x: F) -> F:
    """The smallest whole number that is not below x."""
    return _whole(k, "ceil", "rpi", x)


def trunc(k: FunctionBuilder, x: F) -> F:
    """x without what stands behind its point."""
    return _whole(k, "trunc", "rzi", x)


def to_nearest(k: FunctionBuilder, x: F) -> F:
    """The nearest whole number, of two the even one, as Python's round has it."""
    return _whole(k, "round", "rni", x)


def _whole(k: FunctionBuilder, op: str, mode: str, x: F) -> F:
    name = f"cvt.{mode}.{{0}}.{{0}}"  # bf16 goes through f32, which holds every result
    return _float(k, op, x, name.format("f32"), name.format("f64"), name.format("f16"))


# ---- classes of numbers ----------------------------------------------------------------------------------------------


def is_nan(k: FunctionBuilder, x: Float) -> pred:
    """Is it not a number?"""
    return arithmetic.compare("nan", _scalar("is_nan", x), x)


def is_inf(k: FunctionBuilder, x: Float) -> pred:
    """Is it infinite, of either sign?"""
    return arithmetic.compare("eq", arithmetic.unary("abs", _scalar("is_inf", x)), math.inf)


def is_finite(k: FunctionBuilder, x: Float) -> pred:
    """Is it neither infinite nor NaN?"""
    return arithmetic.compare("lt", arithmetic.unary("abs", _scalar("is_finite", x)), math.inf)


def _scalar(op: str, x: Any) -> Float:
    if hasattr(type(x), "lanes"):
        raise build_error(
            "PTX220",
            f"{op} of a {type(x).__name__}",
            hint=f"lane by lane: v.map(k.{op})",
        )
    if not isinstance(x, Float) or x.isa.lanes > 1:
        value = isinstance(x, Value)
        raise build_error(
            "PTX220",
            f"{op} of {f'a .{x.isa.name} value' if value else repr(x)}",
            expected="a floating-point value of one element",
            hint="x.to(f32)"
            if value
            else f"k.const(f32, {x!r}), or math.{op}: what is known while building is Python's",
        )
    return x


_NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8 << 48}


def canonical(k: FunctionBuilder, x: F) -> F:
    """x, with one bit pattern for every NaN: that which arithmetic gives (0x7fffffff for f32, manual 9.7.3).

    What a kernel stores is then the same bits on every device, whatever NaN went in.
    """
    bits = _NAN[_scalar("canonical", x).isa.name]
    name = x.isa.name
    operand: Any = Immediate(bits, name) if name in ("f32", "f64") else k.half_constant(bits)
    return arithmetic.select(k, is_nan(k, x), type(x)(k, operand, k.scope), x)
