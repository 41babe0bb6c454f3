"""cvt between all types, bit for bit (manual 9.7.9.21); narrow sources exhaustively."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.ptxgen.cpu.machine import check, evaluate
from tests.ptxgen.cpu.oracle import (
    FORMATS,
    Special,
    clamp,
    decode,
    encode,
    exact,
    floor_log2,
    flushed,
    infinite,
    is_negative,
    is_tiny,
    nan,
    number,
    passed_on,
    round_fraction,
    rows,
    saturate,
    wrap,
    zero,
)

INTEGERS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGRAL = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def register(type):
    """8-bit values live in 16-bit registers."""
    return "b16" if type in ("u8", "s8") else type


def in_register(value, type):
    """What cvt writes into the register: values of 8 bits are extended by their sign to 16 (9.4.1)."""
    return wrap(number(value, type), 16) if type in ("u8", "s8") else wrap(value, int(type[1:]))


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integer_to_integer(target, source):
    check(
        f"cvt.{target}.{source} %d, %a;",
        register(target),
        [register(source)],
        lambda a: in_register(number(a, source), target),
    )


@pytest.mark.parametrize(
    "source,target", [("s32", "u8"), ("s32", "s8"), ("u32", "s32"), ("s64", "u32"), ("u64", "s16"), ("s8", "u64")]
)
def test_saturating_integers(source, target):
    check(
        f"cvt.sat.{target}.{source} %d, %a;",
        register(target),
        [register(source)],
        lambda a: in_register(clamp(number(a, source), target), target),
    )


@pytest.mark.parametrize("rounding", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", FLOATS)
def test_integer_to_float(target, source, rounding):
    def oracle(a):
        value = number(a, source)
        return encode(Fraction(value) if value else Special("zero"), target, rounding)

    check(f"cvt.{rounding}.{target}.{source} %d, %a;", target, [register(source)], oracle)


def to_integer(x, source, target, rounding):
    bits = int(target[1:])
    if nan(x):
        return 0 if source != "f64" and bits <= 32 else 1 << (bits - 1)
    if infinite(x):
        return clamp(-(1 << 70) if x.negative else 1 << 70, target)
    value = exact(x)
    whole = round_fraction(abs(value), rounding, value < 0)
    return clamp(-whole if value < 0 else whole, target)


@pytest.mark.parametrize("rounding", INTEGRAL)
@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", INTEGERS)
def test_float_to_integer(target, source, rounding):
    def oracle(a):
        return in_register(to_integer(decode(a, source), source, target, INTEGRAL[rounding]), target)

    check(f"cvt.{rounding}.{target}.{source} %d, %a;", register(target), [source], oracle)


def converted(pattern, source, target, rounding="rn"):
    """Float to float. To and from f64 a NaN keeps its sign and as much of its payload as fits, and becomes quiet."""
    x = decode(pattern, source)
    if not nan(x) or "f64" not in (source, target):
        return encode(x, target, rounding)
    f, t = FORMATS[source], FORMATS[target]
    sign, payload = pattern >> (f.bits - 1), pattern & ((1 << f.mantissa) - 1)
    shift = t.mantissa - f.mantissa
    payload = payload << shift if shift > 0 else payload >> -shift
    return sign << (t.bits - 1) | t.infinity | 1 << (t.mantissa - 1) | payload


@pytest.mark.parametrize("rounding", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize(
    "source,target", [("f64", "f32"), ("f64", "f16"), ("f32", "f16"), ("f32", "bf16"), ("f64", "bf16")]
)
def test_narrowing(source, target, rounding):
    near = [(encode(decode(p, target), source) + d,) for (p,) in rows([target], 100) for d in (-1, 0, 1)]  # around ties
    halfway = FORMATS[source].mantissa - FORMATS[target].mantissa - 1
    near = [(p & ((1 << FORMATS[source].bits) - 1) ^ (i & 1) << halfway,) for i, (p,) in enumerate(near)]
    check(
        f"cvt.{rounding}.{target}.{source} %d, %a;",
        target,
        [source],
        lambda a: converted(a, source, target, rounding),
        rows([source], 200) + near,
    )


@pytest.mark.parametrize(
    "source,target", [("f16", "f32"), ("bf16", "f32"), ("f16", "f64"), ("bf16", "f64"), ("f32", "f64")]
)
def test_widening(source, target):
    cases = [(p,) for p in range(0, 1 << 16, 11)] if FORMATS[source].bits == 16 else None

    def oracle(a):
        if (source, target) == ("bf16", "f32"):
            return a << 16  # NaNs too
        return converted(a, source, target)

    check(f"cvt.{target}.{source} %d, %a;", target, [source], oracle, cases)


@pytest.mark.parametrize("type", ["f16", "f32", "f64"])
@pytest.mark.parametrize("rounding", INTEGRAL)
def test_rounding_to_an_integral_value(rounding, type):
    def oracle(a):
        x = decode(a, type)
        if isinstance(x, Special):
            return passed_on([a]) if nan(x) and type == "f64" else encode(x, type)
        whole = round_fraction(abs(x), INTEGRAL[rounding], x < 0)
        return encode(Fraction(-whole if x < 0 else whole), type, zero_sign=x < 0)

    check(f"cvt.{rounding}.{type}.{type} %d, %a;", type, [type], oracle)


@pytest.mark.parametrize("rounding", ["rn", "rz", "rm", "rp"])
def test_narrowing_flushes(rounding):
    def oracle(a):
        x = decode(a, "f64")
        pattern = converted(a, "f64", "f32", rounding)
        return pattern & 1 << 31 if is_tiny(x, "f32", rounding) else pattern

    near = [((897 << 52) + d - (1 << 30),) for d in range(0, 1 << 31, 0x123_4567)]  # around 2^-126
    check(f"cvt.{rounding}.ftz.f32.f64 %d, %a;", "f32", ["f64"], oracle, rows(["f64"], 256) + near)


def test_flushing_and_saturation():
    def widened(a):
        x = decode(a, "f32")
        return 0x7FFFFFFFE0000000 if nan(x) else encode(decode(flushed(a, "f32"), "f32"), "f64")

    check("cvt.ftz.f64.f32 %d, %a;", "f64", ["f32"], widened)
    check(
        "cvt.rpi.ftz.s32.f32 %d, %a;",
        "s32",
        ["f32"],
        lambda a: wrap(to_integer(decode(flushed(a, "f32"), "f32"), "f32", "s32", "rp"), 32),
    )
    check("cvt.sat.f32.f32 %d, %a;", "f32", ["f32"], lambda a: saturate(a, "f32"))
    check("cvt.rn.sat.f16.f32 %d, %a;", "f16", ["f32"], lambda a: encode(decode(saturate(a, "f32"), "f32"), "f16"))


# -- small formats ----------------------------------------------------------------------------------------------------


def small(x, format, rounding="rn", *, satfinite=False, relu=False):
    pattern = encode(x, format, rounding, satfinite=satfinite)
    top = 1 << (FORMATS[format].bits - 1)
    return 0 if relu and pattern & top and not nan(x) else pattern


@pytest.mark.parametrize("modifiers", [".rn", ".rz", ".rn.relu", ".rn.satfinite", ".rz.relu.satfinite"])
@pytest.mark.parametrize("format", ["f16", "bf16"])
def test_half_pairs(format, modifiers):
    options = {"satfinite": "satfinite" in modifiers, "relu": "relu" in modifiers}

    def half(a):
        return small(decode(a, "f32"), format, modifiers[1:3], **options)

    check(f"cvt{modifiers}.{format}.f32 %d, %a;", format, ["f32"], half)
    check(
        f"cvt{modifiers}.{format}x2.f32 %d, %a, %b;", f"{format}x2", ["f32"] * 2, lambda a, b: half(a) << 16 | half(b)
    )


def stochastic(pattern, format, random, bits, *, relu=False):
    """Of an f32: `random` of so many bits, as a fraction of the last place, is added before it is cut off."""
    x = decode(pattern, "f32")
    if isinstance(x, Special) or x == 0:
        return small(x, format, satfinite=True, relu=relu)
    exponent = max(floor_log2(abs(x)), 1 - FORMATS[format].bias)
    unit = Fraction(2) ** (exponent - FORMATS[format].mantissa)
    whole = abs(x) / unit + Fraction(random, 1 << bits)
    rounded = int(whole) * unit * (-1 if x < 0 else 1)
    return small(rounded or Special("zero", x < 0), format, "rz", satfinite=True, relu=relu)


@pytest.mark.parametrize("relu", ["", ".relu"])
@pytest.mark.parametrize("format", ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"])
def test_stochastic_rounding_of_four(format, relu):
    """The manual's layout of random bits (9.7.9.21); no device of sm_100a was at hand."""
    width = 4 if format == "e2m1" else 8

    def oracle(a, b, c, e):
        halves = c >> 16, c & 0xFFFF
        if format == "e2m1":
            halves = c >> 24 << 8 | c >> 8 & 0xFF, (c >> 16 & 0xFF) << 8 | c & 0xFF
        found = 0
        for source, random in ((a, halves[0]), (b, halves[0]), (e, halves[1]), (a, halves[1])):
            found = found << width | stochastic(source, format, random, 16, relu=bool(relu))
        return found

    of = "b16" if width == 4 else "b32"
    near = [
        (encode(decode(p, format), "f32") ^ p << 13) & 0xFFFFFFFF for p in range(256 >> 8 - width - (width == 4) * 4)
    ]
    cases = [(near[i], near[i * 7 % len(near)], i * 0x9E3779B1 & 0xFFFFFFFF, near[-i]) for i in range(len(near))]
    cases += rows(["f32", "f32", "b32", "f32"], 100)
    check(
        f"cvt.rs{relu}.satfinite.{format}x4.f32 %d, {{%a, %b, %e, %a}}, %c;",
        of,
        ["f32", "f32", "b32", "f32"],
        oracle,
        cases,
    )


@pytest.mark.parametrize("modifiers", [".rna", ".rn", ".rz", ".rna.satfinite", ".rn.relu"])
def test_tf32(modifiers):
    rounding = modifiers.split(".")[1]

    def tf32(a):
        x = decode(a, "f32")
        if nan(x) and rounding == "rna":  # cut off, as an H200 does
            return (a & 0xFFFFE000) - (0x2000 if "satfinite" in modifiers else 0)
        return small(x, "tf32", rounding, satfinite="satfinite" in modifiers, relu="relu" in modifiers) << 13

    check(f"cvt{modifiers}.tf32.f32 %d, %a;", "b32", ["f32"], tf32)


@pytest.mark.parametrize("relu", ["", ".relu"])
@pytest.mark.parametrize("format", ["e4m3", "e5m2", "e2m3", "e3m2"])
def test_eight_bit_pairs(format, relu):
    def one(x):
        return small(x, format, satfinite=True, relu=bool(relu))

    cases = rows(["f32", "f32"], 256) + [
        (encode(decode(p, format), "f32") ^ (p & 3) << 18, encode(decode(255 - p, format), "f32") + p % 3)
        for p in range(256)
    ]
    cases = [(a & 0xFFFFFFFF, b & 0xFFFFFFFF) for a, b in cases]
    check(
        f"cvt.rn.satfinite{relu}.{format}x2.f32 %d, %a, %b;",
        "b16",
        ["f32"] * 2,
        lambda a, b: one(decode(a, "f32")) << 8 | one(decode(b, "f32")),
        cases,
    )
    if format in ("e4m3", "e5m2"):
        everything = [(p | (p * 40503 & 0xFFFF) << 16,) for p in range(0, 1 << 16, 23)]
        check(
            f"cvt.rn.satfinite{relu}.{format}x2.f16x2 %d, %a;",
            "b16",
            ["b32"],
            lambda a: one(decode(a >> 16, "f16")) << 8 | one(decode(a & 0xFFFF, "f16")),
            everything,
        )


@pytest.mark.parametrize("relu", ["", ".relu"])
@pytest.mark.parametrize("format", ["e4m3", "e5m2", "e2m3", "e3m2"])
def test_from_eight_bits(format, relu):
    bits = FORMATS[format].bits

    def one(p):
        x = decode(p & ((1 << bits) - 1), format)
        return 0 if relu and is_negative(x) and not nan(x) else encode(x, "f16")

    everything = [(p | (p * 7 & 0xFF) << 8,) for p in range(256)]
    check(
        f"cvt.rn{relu}.f16x2.{format}x2 %d, %a;",
        "f16x2",
        ["b16"],
        lambda a: one(a >> 8) << 16 | one(a & 0xFF),
        everything,
    )


def test_four_bits():
    def pair(a, b):
        return small(decode(a, "f32"), "e2m1", satfinite=True) << 4 | small(decode(b, "f32"), "e2m1", satfinite=True)

    check("{ .reg .b8 %q; cvt.rn.satfinite.e2m1x2.f32 %q, %a, %b; cvt.u16.u8 %d, %q; }", "b16", ["f32"] * 2, pair)
    check(
        "{ .reg .b8 %q; cvt.u8.u16 %q, %a; cvt.rn.f16x2.e2m1x2 %d, %q; }",
        "f16x2",
        ["b16"],
        lambda a: encode(decode(a >> 4 & 15, "e2m1"), "f16") << 16 | encode(decode(a & 15, "e2m1"), "f16"),
        [(p,) for p in range(256)],
    )


def scale(x, rounding, satfinite):
    """ue8m0: the exponent alone; 2^-127 is the least, 0xff is NaN."""
    if nan(x):
        return 0xFF
    if infinite(x):
        return 254 if satfinite else 255
    if zero(x):
        return 0
    value = abs(exact(x))
    exponent = max(floor_log2(value), -127)
    if rounding == "rp" and value > Fraction(2) ** exponent:
        exponent += 1
    return min(exponent + 127, 254 if satfinite else 255)


@pytest.mark.parametrize("satfinite", ["", ".satfinite"])
@pytest.mark.parametrize("rounding", ["rz", "rp"])
def test_to_scales(rounding, satfinite):
    def pair(a, b):
        high, low = (scale(decode(p, "f32"), rounding, bool(satfinite)) for p in (a, b))
        return high << 8 | low

    check(f"cvt.{rounding}{satfinite}.ue8m0x2.f32 %d, %a, %b;", "b16", ["f32"] * 2, pair)


def test_from_scales():
    def bf16(p):
        return 0x7FFF if p == 255 else encode(Fraction(2) ** (p - 127), "bf16")

    everything = [(p | (255 - p) << 8,) for p in range(256)]
    check("cvt.rn.bf16x2.ue8m0x2 %d, %a;", "bf16x2", ["b16"], lambda a: bf16(a >> 8) << 16 | bf16(a & 255), everything)


@pytest.mark.parametrize("type", ["u16", "s16"])
def test_pack_words(type):
    check(
        f"cvt.pack.sat.{type}.s32 %d, %a, %b;",
        "b32",
        ["s32"] * 2,
        lambda a, b: wrap(clamp(number(a, "s32"), type), 16) << 16 | wrap(clamp(number(b, "s32"), type), 16),
    )


@pytest.mark.parametrize("type", ["u8", "s8", "u4", "s4", "u2", "s2"])
def test_pack_small(type):
    bits = int(type[1:])
    check(
        f"cvt.pack.sat.{type}.s32.b32 %d, %a, %b, %c;",
        "b32",
        ["s32", "s32", "b32"],
        lambda a, b, c: wrap(
            wrap(clamp(number(a, "s32"), type), bits) << bits
            | wrap(clamp(number(b, "s32"), type), bits)
            | c << 2 * bits,
            32,
        ),
    )


def test_what_becomes_of_a_nan():
    """Measured on an H200: a conversion that changes nothing keeps its bits, one that flushes gives the canonical NaN."""
    assert evaluate("cvt.f32.f32 %d, %a;", "f32", ["f32"], [(0xFFC00001,)]) == [0xFFC00001]
    assert evaluate("cvt.f32.bf16 %d, %a;", "f32", ["bf16"], [(0xFFC1,)]) == [0xFFC10000]
    assert evaluate("cvt.ftz.f32.bf16 %d, %a;", "f32", ["bf16"], [(0xFFC1,)]) == [0x7FFFFFFF]
