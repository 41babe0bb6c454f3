"""f32, f64, f16 and bf16 arithmetic, bit for bit against exact fractions (manual 9.7.3, 9.7.4)."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest

from tests.ptxgen.cpu.machine import FAST, check, evaluate
from tests.ptxgen.cpu.oracle import (
    FORMATS,
    Special,
    decode,
    encode,
    exact,
    flushed,
    infinite,
    is_negative,
    nan,
    number,
    operate,
    passed_on,
    rows,
    zero,
)

ROUNDINGS = ("rn", "rz", "rm", "rp")


OPERATIONS = {
    "add": "%a, %b",
    "sub": "%a, %b",
    "mul": "%a, %b",
    "div": "%a, %b",
    "fma": "%a, %b, %c",
    "sqrt": "%a",
    "rcp": "%a",
}


@pytest.mark.parametrize("type", ["f32", "f64"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("op", OPERATIONS)
def test_rounding(op, rounding, type):
    operands = [type] * OPERATIONS[op].count("%")
    check(f"{op}.{rounding}.{type} %d, {OPERATIONS[op]};", type, operands, lambda *p: operate(op, type, rounding, *p))


@pytest.mark.parametrize("type", ["f16", "bf16"])
@pytest.mark.parametrize(
    "op, modifiers", [("add", ".rz"), ("add", ""), ("sub", ".rp.sat"), ("fma", ".rm"), ("fma", ".rn.sat")]
)
def test_halves_and_f32(op, modifiers, type):
    """As the manual says (9.7.5): halves are widened, the rest is f32's. No device of sm_100 was at hand."""
    operands = [type] * (OPERATIONS[op].count("%") - 1) + ["f32"]
    rounding = next((word for word in modifiers.split(".") if word in ROUNDINGS), "rn")

    def oracle(*given):
        wide = [encode(decode(pattern, type), "f32") for pattern in given[:-1]]
        return operate(op, "f32", rounding, *wide, given[-1], sat="sat" in modifiers)

    check(f"{op}{modifiers}.f32.{type} %d, {OPERATIONS[op]};", "f32", operands, oracle)


@pytest.mark.parametrize("rounding", ["rn", "rp"])
@pytest.mark.parametrize("op", OPERATIONS)
def test_flushing(op, rounding):
    operands = ["f32"] * OPERATIONS[op].count("%")

    def flushing(*patterns):
        return operate(op, "f32", rounding, *patterns, ftz=True)

    check(f"{op}.{rounding}.ftz.f32 %d, {OPERATIONS[op]};", "f32", operands, flushing)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "fma"])
def test_saturation(op):
    operands = ["f32"] * OPERATIONS[op].count("%")
    check(f"{op}.rn.sat.f32 %d, {OPERATIONS[op]};", "f32", operands, lambda *p: operate(op, "f32", "rn", *p, sat=True))
    check(
        f"{op}.rz.ftz.sat.f32 %d, {OPERATIONS[op]};",
        "f32",
        operands,
        lambda *p: operate(op, "f32", "rz", *p, ftz=True, sat=True),
    )


@pytest.mark.parametrize("op", ["add", "sub", "mul", "fma"])
def test_packed_f32(op):
    operands = ["f32x2"] * OPERATIONS[op].count("%")

    def both(*words):
        halves = (operate(op, "f32", "rn", *(w >> shift & 0xFFFFFFFF for w in words)) for shift in (0, 32))
        low, high = halves
        return low | high << 32

    check(f"{op}.rn.f32x2 %d, {OPERATIONS[op]};", "f32x2", operands, both)


HALF_FORMS = [
    ("f16", ""), ("f16", ".ftz"), ("f16", ".sat"), ("bf16", ""), ("f16x2", ""), ("bf16x2", ""), ("f16x2", ".ftz.sat"),
]  # fmt: skip


@pytest.mark.parametrize("op", ["add", "sub", "mul", "fma"])
@pytest.mark.parametrize("type,modifiers", HALF_FORMS)
def test_half(op, type, modifiers):
    element = type.partition("x")[0]
    ftz, sat = ".ftz" in modifiers, ".sat" in modifiers

    def one(*p):
        return operate(op, element, "rn", *p, ftz=ftz, sat=sat)

    def both(*p):
        return one(*(w & 0xFFFF for w in p)) | one(*(w >> 16 for w in p)) << 16

    operands = OPERATIONS[op]
    check(
        f"{op}.rn{modifiers}.{type} %d, {operands};",
        type,
        [type] * operands.count("%"),
        both if "x2" in type else one,
        count=800,
    )


@pytest.mark.parametrize("type", ["f16", "bf16"])
def test_half_fma_relu(type):
    def relu(a, b, c):
        pattern = operate("fma", type, "rn", a, b, c)
        return 0 if pattern & 0x8000 else pattern

    check(f"fma.rn.relu.{type} %d, %a, %b, %c;", type, [type] * 3, relu)


# -- signs, classes, extremes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", ["f32", "f64", "f16", "bf16"])
def test_signs(type):
    f = FORMATS[type]
    top = 1 << (f.bits - 1)

    def sign(change):
        """A NaN has no sign: it becomes the canonical one, in f64 a quiet one."""
        return lambda a: change(a) if not nan(decode(a, type)) else passed_on([a]) if type == "f64" else f.nan

    check(f"neg.{type} %d, %a;", type, [type], sign(lambda a: a ^ top))
    check(f"abs.{type} %d, %a;", type, [type], sign(lambda a: a & ~top))
    if type == "f32":
        check("neg.ftz.f32 %d, %a;", type, [type], sign(lambda a: flushed(a, type) ^ top))
    if type in ("f32", "f64"):
        check(f"copysign.{type} %d, %a, %b;", type, [type] * 2, lambda a, b: a & top | b & ~top)


CLASSES = {
    "finite": lambda x, p: not nan(x) and not infinite(x),
    "infinite": lambda x, p: infinite(x),
    "number": lambda x, p: not nan(x),
    "notanumber": lambda x, p: nan(x),
    "subnormal": lambda x, p: p,
    "normal": lambda x, p: not nan(x) and not infinite(x) and not p,
}


@pytest.mark.parametrize("type", ["f32", "f64"])
@pytest.mark.parametrize("test", CLASSES)
def test_testp(test, type):
    def is_subnormal(a):
        return not zero(decode(a, type)) and zero(decode(flushed(a, type), type))

    check(
        f"testp.{test}.{type} %d, %a;", "pred", [type], lambda a: int(CLASSES[test](decode(a, type), is_subnormal(a)))
    )


def order(pattern, type):
    """A key that orders patterns of numbers like the numbers, -0 before +0."""
    f = FORMATS[type]
    magnitude = pattern & ((1 << (f.bits - 1)) - 1)
    return -magnitude - 1 if pattern >> (f.bits - 1) else magnitude


def extreme(op, type, *patterns, propagate=False, ftz=False):
    if ftz:
        patterns = tuple(flushed(p, type) for p in patterns)
    numbers = [p for p in patterns if not nan(decode(p, type))]
    if not numbers and type == "f64":
        return passed_on([*reversed(patterns)])
    if not numbers or (propagate and len(numbers) < len(patterns)):
        return FORMATS[type].nan
    return {"min": min, "max": max}[op](numbers, key=lambda p: order(p, type))


@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("type", ["f32", "f64", "f16", "bf16"])
def test_extremes(op, type):
    check(f"{op}.{type} %d, %a, %b;", type, [type] * 2, lambda a, b: extreme(op, type, a, b))
    if type == "f64":
        return
    check(f"{op}.NaN.{type} %d, %a, %b;", type, [type] * 2, lambda a, b: extreme(op, type, a, b, propagate=True))
    f = FORMATS[type]
    top = 1 << (f.bits - 1)

    def xorsign(a, b):
        result = extreme(op, type, a & ~top, b & ~top)
        return result if nan(decode(result, type)) else result & ~top | (a ^ b) & top

    check(f"{op}.xorsign.abs.{type} %d, %a, %b;", type, [type] * 2, xorsign)


@pytest.mark.parametrize("op", ["min", "max"])
def test_extremes_of_f32(op):
    three = "%d, %a, %b, %c;"
    check(f"{op}.ftz.f32 %d, %a, %b;", "f32", ["f32"] * 2, lambda a, b: extreme(op, "f32", a, b, ftz=True))
    check(f"{op}.f32 {three}", "f32", ["f32"] * 3, lambda a, b, c: extreme(op, "f32", a, b, c))
    check(f"{op}.NaN.f32 {three}", "f32", ["f32"] * 3, lambda a, b, c: extreme(op, "f32", a, b, c, propagate=True))


# -- comparison -------------------------------------------------------------------------------------------------------

ORDERED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def compare(name, type, a, b):
    x, y = (decode(p, type) for p in (a, b))
    either = nan(x) or nan(y)
    if name in ("num", "nan"):
        return either == (name == "nan")
    if either:
        return name not in ORDERED

    def value(v):
        return math.inf * (-1 if is_negative(v) else 1) if infinite(v) else exact(v)

    return eval(
        f"x {ORDERED[name.removesuffix('u') if name not in ORDERED else name]} y", {"x": value(x), "y": value(y)}
    )


@pytest.mark.parametrize("type", ["f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize("name", [*ORDERED, *(f"{n}u" for n in ORDERED), "num", "nan"])
def test_setp(name, type):
    check(f"setp.{name}.{type} %d, %a, %b;", "pred", [type] * 2, lambda a, b: int(compare(name, type, a, b)), count=256)


def test_setp_with_two_results_and_a_third_operand():
    check(
        "setp.lt.and.f32 %d|%p1, %a, %b, %c; @%p1 not.pred %d, %d;",
        "pred",
        ["f32", "f32", "pred"],
        lambda a, b, c: int(compare("lt", "f32", a, b) and c) ^ int(not compare("lt", "f32", a, b) and c),
    )
    check(
        "setp.ge.or.ftz.f32 %d, %a, %b, !%c;",
        "pred",
        ["f32", "f32", "pred"],
        lambda a, b, c: int(compare("ge", "f32", flushed(a, "f32"), flushed(b, "f32")) or not c),
    )


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("type", ["s16", "s32", "s64", "u16", "u32", "u64"])
def test_setp_of_integers(name, type):
    def oracle(a, b):
        return int(eval(f"x {ORDERED[name]} y", {"x": number(a, type), "y": number(b, type)}))

    check(f"setp.{name}.{type} %d, %a, %b;", "pred", [type] * 2, oracle, count=128)
    alias = {"lt": "lo", "le": "ls", "gt": "hi", "ge": "hs"}.get(name)
    if alias and type[0] == "u":
        check(f"setp.{alias}.{type} %d, %a, %b;", "pred", [type] * 2, oracle, count=128)


def test_set_and_select():
    check(
        "set.lt.u32.f32 %d, %a, %b;",
        "u32",
        ["f32"] * 2,
        lambda a, b: 0xFFFFFFFF if compare("lt", "f32", a, b) else 0,
    )
    check(
        "set.ge.f32.s32 %d, %a, %b;",
        "f32",
        ["s32"] * 2,
        lambda a, b: 0x3F800000 if (a ^ 1 << 31) >= (b ^ 1 << 31) else 0,
    )
    check("selp.b64 %d, %a, %b, %c;", "b64", ["b64", "b64", "pred"], lambda a, b, c: a if c else b)
    check("slct.u32.s32 %d, %a, %b, %c;", "u32", ["u32", "u32", "s32"], lambda a, b, c: b if c >> 31 else a)
    check(
        "slct.f32.f32 %d, %a, %b, %c;",
        "f32",
        ["f32"] * 3,
        lambda a, b, c: a if compare("ge", "f32", c, 0) else b,
    )


@pytest.mark.parametrize("type", ["f16x2", "bf16x2"])
def test_packed_comparison(type):
    element = type.partition("x")[0]
    one = {"f16": 0x3C00, "bf16": 0x3F80}[element]

    def both(true):
        def oracle(a, b):
            parts = [compare("gt", element, a >> s & 0xFFFF, b >> s & 0xFFFF) for s in (0, 16)]
            return sum((true if p else 0) << 16 * i for i, p in enumerate(parts))

        return oracle

    check(f"set.gt.{type}.{type} %d, %a, %b;", type, [type] * 2, both(one))
    check(f"set.gt.u32.{type} %d, %a, %b;", "u32", [type] * 2, both(0xFFFF))


# -- approximations ---------------------------------------------------------------------------------------------------


def as_float(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern))[0]


def rsqrt(x):
    return 1 / math.sqrt(x) if x > 0 else (math.copysign(math.inf, x) if x == 0 else math.nan)


def lg2(x):
    return math.log2(x) if x > 0 else (-math.inf if x == 0 else math.nan)


def ex2(x):
    return math.inf if x > 1100 else 2.0**x


def over_infinity(function):
    return lambda x: function(x) if math.isfinite(x) else math.nan


APPROXIMATIONS = {
    "rcp": lambda x: 1 / x if x else math.copysign(math.inf, x),
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "rsqrt": rsqrt,
    "lg2": lg2,
    "ex2": ex2,
    "tanh": math.tanh,
    "sin": over_infinity(math.sin),
    "cos": over_infinity(math.cos),
}


@pytest.mark.parametrize("op", APPROXIMATIONS)
def test_approximations_are_the_nearest_f32_or_its_neighbour(op):
    """Far inside what the manual allows, so that results are the same on every processor."""
    cases = rows(["f32"], 512)
    if op in ("sin", "cos"):  # beyond, the manual promises nothing
        cases = [row for row in cases if abs(as_float(row[0])) < 1e6 or not math.isfinite(as_float(row[0]))]
    found = evaluate(f"{op}.approx.f32 %d, %a;", "f32", ["f32"], cases)
    for (pattern,), result in zip(cases, found):
        x = as_float(pattern)
        exactly = math.nan if math.isnan(x) else APPROXIMATIONS[op](x)
        if math.isnan(exactly):
            assert result == 0x7FFFFFFF, (op, x, hex(result))
            continue
        try:
            nearest = struct.unpack("<I", struct.pack("<f", exactly))[0]
        except OverflowError:
            nearest = 0x7F800000 if exactly > 0 else 0xFF800000
        assert abs(result - nearest) <= 1, (op, x, hex(result), hex(nearest))


@pytest.mark.parametrize("type", ["f16", "bf16"])
def test_half_approximations(type):
    for op, ftz in (("ex2", ".ftz" if type == "bf16" else ""), ("tanh", "")):
        cases = rows([type], 512)
        found = evaluate(f"{op}.approx{ftz}.{type} %d, %a;", type, [type], cases)
        for (pattern,), result in zip(cases, found):
            value = decode(pattern, type)
            if nan(value):
                assert result == FORMATS[type].nan
                continue
            magnitude = math.inf if infinite(value) else abs(float(exact(value)))
            x = math.copysign(magnitude, -1 if is_negative(value) else 1)
            y = APPROXIMATIONS[op](x)
            expected = encode(Special("inf"), type) if math.isinf(y) else encode_float(y, type)
            assert abs(result - expected) <= 1, (op, x, hex(result), hex(expected))


def encode_float(y, type):
    return encode(Fraction(y) if y else Special("zero", math.copysign(1, y) < 0), type)


def test_approximate_division():
    def divided(a, b):
        return operate("div", "f32", "rn", a, b)

    ordinary = [
        (a, b) for a, b in rows(["f32", "f32"], 768) if b & 0x7FFFFFFF <= 0x7E800000 or b & 0x7FFFFFFF >= 0x7F800000
    ]
    for form in ("div.approx.f32", "div.full.f32"):
        found = evaluate(f"{form} %d, %a, %b;", "f32", ["f32", "f32"], ordinary)
        assert all(abs(f - divided(*case)) <= 2 for f, case in zip(found, ordinary))
    huge = [(0x3F800000, 0x7F000000), (0xBF800000, 0x7F000000), (0x7F800000, 0x7F000000), (0x3F800000, 0xFF000000)]
    found = evaluate("div.approx.f32 %d, %a, %b;", "f32", ["f32", "f32"], huge)
    assert found == [0x00000000, 0x80000000, 0x7FFFFFFF, 0x80000000]


def test_gross_forms_keep_only_the_upper_word():
    cases = rows(["f64"], 256)
    for op, function in (("rcp", APPROXIMATIONS["rcp"]), ("rsqrt", rsqrt)):
        found = evaluate(f"{op}.approx.ftz.f64 %d, %a;", "f64", ["f64"], cases)
        for (pattern,), result in zip(cases, found):
            assert result & 0xFFFFFFFF == 0
            x = struct.unpack("<d", struct.pack("<Q", flushed(pattern & ~0xFFFFFFFF, "f64")))[0]
            exactly = math.nan if math.isnan(x) else function(x)
            if math.isnan(exactly):
                assert result == 0x7FFFFFFF00000000
                continue
            expected = flushed(struct.unpack("<Q", struct.pack("<d", exactly))[0], "f64") & ~0xFFFFFFFF
            assert result == expected, (op, x)


@pytest.mark.parametrize(
    "instruction", ["fma.rm.f32 %d, %a, %b, %c;", "add.rp.f64 %d, %a, %b;", "mul.rz.ftz.f32 %d, %a, %b;"]
)
def test_optimised_code_agrees(instruction):
    type = "f64" if "f64" in instruction else "f32"
    operands = [type] * (instruction.count("%") - 1)
    cases = rows(operands, 512)
    plain = evaluate(instruction, type, operands, cases)
    assert evaluate(instruction, type, operands, cases, options=FAST) == plain
