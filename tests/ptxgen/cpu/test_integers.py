"""Integer, logic and bit operations: every form against its definition in the manual (9.7.1, 9.7.2, 9.7.8)."""

from __future__ import annotations

import pytest

from tests.ptxgen.cpu.machine import FAST, check, evaluate
from tests.ptxgen.cpu.oracle import clamp, number, rows, signed, wrap

SIZES = ("u16", "u32", "u64", "s16", "s32", "s64")


def bits(type: str) -> int:
    return int(type[1:])


def typed(function):
    """An oracle over numbers of a type, as one over patterns."""

    def make(type):
        return lambda *patterns: wrap(function(type, *(number(p, type) for p in patterns)), bits(type))

    return make


def quotient(type, a, b):
    """Division by zero gives all ones; MIN / -1 wraps."""
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(type, a, b):
    return -1 if b == 0 else a - b * quotient(type, a, b)


BINARY = {
    "add": lambda type, a, b: a + b,
    "sub": lambda type, a, b: a - b,
    "mul.lo": lambda type, a, b: a * b,
    "mul.hi": lambda type, a, b: a * b >> bits(type),
    "div": quotient,
    "rem": remainder,
    "min": lambda type, a, b: min(a, b),
    "max": lambda type, a, b: max(a, b),
}
TERNARY = {
    "mad.lo": lambda type, a, b, c: a * b + c,
    "mad.hi": lambda type, a, b, c: (a * b >> bits(type)) + c,
    "sad": lambda type, a, b, c: abs(a - b) + c,
}


@pytest.mark.parametrize("type", SIZES)
@pytest.mark.parametrize("op", BINARY)
def test_two_operands(op, type):
    check(f"{op}.{type} %d, %a, %b;", type, [type] * 2, typed(BINARY[op])(type))


@pytest.mark.parametrize("type", SIZES)
@pytest.mark.parametrize("op", TERNARY)
def test_three_operands(op, type):
    check(f"{op}.{type} %d, %a, %b, %c;", type, [type] * 3, typed(TERNARY[op])(type))


@pytest.mark.parametrize("type", ["u16", "s16", "u32", "s32"])
def test_wide_products(type):
    wide = f"{type[0]}{2 * bits(type)}"
    check(
        f"mul.wide.{type} %d, %a, %b;",
        wide,
        [type, type],
        lambda a, b: wrap(number(a, type) * number(b, type), 2 * bits(type)),
    )
    check(
        f"mad.wide.{type} %d, %a, %b, %c;",
        wide,
        [type, type, wide],
        lambda a, b, c: wrap(number(a, type) * number(b, type) + c, 2 * bits(type)),
    )


@pytest.mark.parametrize("type", ["s16", "s32", "s64"])
def test_signs(type):
    check(f"neg.{type} %d, %a;", type, [type], typed(lambda t, a: -a)(type))
    check(f"abs.{type} %d, %a;", type, [type], typed(lambda t, a: abs(a))(type))


SATURATED = {
    "add.sat.s32 %d, %a, %b;": lambda a, b: a + b,
    "sub.sat.s32 %d, %a, %b;": lambda a, b: a - b,
    "mad.hi.sat.s32 %d, %a, %b, %c;": lambda a, b, c: (a * b >> 32) + c,
    "mad24.hi.sat.s32 %d, %a, %b, %c;": lambda a, b, c: (signed(a, 24) * signed(b, 24) >> 16) + c,
}


@pytest.mark.parametrize("instruction", SATURATED)
def test_saturation(instruction):
    exact = SATURATED[instruction]
    operands = ["s32"] * exact.__code__.co_argcount
    check(instruction, "s32", operands, lambda *p: wrap(clamp(exact(*(signed(v, 32) for v in p)), "s32"), 32))


@pytest.mark.parametrize("type", ["u32", "s32"])
def test_24_bit_products(type):
    def low(a):
        return signed(a, 24) if type == "s32" else a & 0xFFFFFF

    check(f"mul24.lo.{type} %d, %a, %b;", type, [type] * 2, lambda a, b: wrap(low(a) * low(b), 32))
    check(f"mul24.hi.{type} %d, %a, %b;", type, [type] * 2, lambda a, b: wrap(low(a) * low(b) >> 16, 32))
    check(f"mad24.lo.{type} %d, %a, %b, %c;", type, [type] * 3, lambda a, b, c: wrap(low(a) * low(b) + c, 32))


@pytest.mark.parametrize("op", ["add", "min", "max"])
@pytest.mark.parametrize("type", ["u16x2", "s16x2"])
def test_packed(op, type):
    element = type[:3]
    one = typed(BINARY[op])(element)
    check(
        f"{op}.{type} %d, %a, %b;",
        type,
        [type] * 2,
        lambda a, b: one(a & 0xFFFF, b & 0xFFFF) | one(a >> 16, b >> 16) << 16,
    )


@pytest.mark.parametrize("op", ["min", "max"])
def test_relu(op):
    choose = {"min": min, "max": max}[op]
    check(f"{op}.relu.s32 %d, %a, %b;", "s32", ["s32"] * 2, lambda a, b: max(choose(signed(a, 32), signed(b, 32)), 0))


@pytest.mark.parametrize("a", ["u32", "s32"])
@pytest.mark.parametrize("b", ["u32", "s32"])
def test_dot_products(a, b):
    def part(word, type, index, width):
        piece = word >> index * width & ((1 << width) - 1)
        return signed(piece, width) if type == "s32" else piece

    def dp4a(x, y, c):
        return wrap(c + sum(part(x, a, i, 8) * part(y, b, i, 8) for i in range(4)), 32)

    def dp2a(first):
        return lambda x, y, c: wrap(c + sum(part(x, a, i, 16) * part(y, b, first + i, 8) for i in range(2)), 32)

    check(f"dp4a.{a}.{b} %d, %a, %b, %c;", "b32", ["b32"] * 3, dp4a)
    check(f"dp2a.lo.{a}.{b} %d, %a, %b, %c;", "b32", ["b32"] * 3, dp2a(0))
    check(f"dp2a.hi.{a}.{b} %d, %a, %b, %c;", "b32", ["b32"] * 3, dp2a(2))


# -- bits -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [32, 64])
def test_counting_bits(n):
    check(f"popc.b{n} %d, %a;", "u32", [f"b{n}"], lambda a: a.bit_count())
    check(f"clz.b{n} %d, %a;", "u32", [f"b{n}"], lambda a: n - a.bit_length())
    check(f"brev.b{n} %d, %a;", f"b{n}", [f"b{n}"], lambda a: int(f"{a:0{n}b}"[::-1], 2))


@pytest.mark.parametrize("type", ["u32", "u64", "s32", "s64"])
def test_bfind(type):
    def position(a):
        a = ~number(a, type) if number(a, type) < 0 else a
        return a.bit_length() - 1

    check(f"bfind.{type} %d, %a;", "u32", [type], lambda a: wrap(position(a), 32))
    check(
        f"bfind.shiftamt.{type} %d, %a;",
        "u32",
        [type],
        lambda a: wrap(-1 if position(a) < 0 else bits(type) - 1 - position(a), 32),
    )


@pytest.mark.parametrize("type", ["u32", "u64", "s32", "s64"])
def test_bfe(type):
    def bfe(a, b, c):
        msb, pos, length = bits(type) - 1, b & 0xFF, c & 0xFF
        sign = 0 if type[0] == "u" or length == 0 else a >> min(pos + length - 1, msb) & 1
        return sum((a >> (pos + i) & 1 if i < length and pos + i <= msb else sign) << i for i in range(msb + 1))

    check(f"bfe.{type} %d, %a, %b, %c;", type, [type, "u8", "u8"], bfe)


@pytest.mark.parametrize("n", [32, 64])
def test_bfi(n):
    def bfi(a, b, c, d):
        pos, length = c & 0xFF, d & 0xFF
        for i in range(n):
            if i < length and pos + i < n:
                b = b & ~(1 << pos + i) | (a >> i & 1) << pos + i
        return b

    check(f"bfi.b{n} %d, %a, %b, %c, %e;", f"b{n}", [f"b{n}", f"b{n}", "u8", "u8"], bfi)


def test_fns():
    def fns(mask, base, offset):
        offset = signed(offset, 32)
        if offset == 0:
            return base if mask >> base & 1 else 0xFFFFFFFF
        if offset == -(1 << 31):
            return 0
        count, step = abs(offset), 1 if offset > 0 else -1
        while 0 <= base < 32:
            count -= mask >> base & 1
            if count == 0:
                return base
            base += step
        return 0xFFFFFFFF

    cases = [(m, b & 31, (o % 19 - 9) & 0xFFFFFFFF) for m, b, o in rows(["b32", "b32", "b32"], 384)]
    cases += [(0xFFFFFFFF, b, o) for b in (0, 31, 32, 0x7C00, 1 << 31) for o in (0, 2, 0xFFFFFFFF, 1 << 31)]
    found = evaluate("fns.b32 %d, %a, %b, %c;", "b32", ["b32", "b32", "s32"], cases)
    assert found == [fns(*case) for case in cases]


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_bmsk_and_szext(mode):
    def bmsk(a, b):
        if mode == "wrap":
            a, b = a & 31, b & 31
        return 0 if a >= 32 else wrap(((1 << min(b, 32)) - 1) << a, 32)

    def szext(type):
        def apply(a, b):
            n = b & 31 if mode == "wrap" else min(b, 32)
            low = a & ((1 << n) - 1)
            return wrap(signed(low, n), 32) if type == "s32" and n else low

        return apply

    check(f"bmsk.{mode}.b32 %d, %a, %b;", "b32", ["u8", "u8"], bmsk)
    check(f"szext.{mode}.u32 %d, %a, %b;", "u32", ["u32", "u8"], szext("u32"))
    check(f"szext.{mode}.s32 %d, %a, %b;", "s32", ["s32", "u8"], szext("s32"))


# -- logic ------------------------------------------------------------------------------------------------------------

LOGIC = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}


@pytest.mark.parametrize("type", ["pred", "b16", "b32", "b64"])
def test_logic(type):
    n = 1 if type == "pred" else bits(type)
    for op, function in LOGIC.items():
        check(f"{op}.{type} %d, %a, %b;", type, [type] * 2, function, count=128)
    check(f"not.{type} %d, %a;", type, [type], lambda a: wrap(~a, n), count=128)
    if type != "pred":
        check(f"cnot.{type} %d, %a;", type, [type], lambda a: int(a == 0), count=128)


@pytest.mark.parametrize("n", [16, 32, 64])
def test_shifts(n):
    check(f"shl.b{n} %d, %a, %b;", f"b{n}", [f"b{n}", "u32"], lambda a, b: wrap(a << min(b, n), n))
    check(f"shr.u{n} %d, %a, %b;", f"u{n}", [f"u{n}", "u32"], lambda a, b: a >> min(b, n))
    check(f"shr.s{n} %d, %a, %b;", f"s{n}", [f"s{n}", "u32"], lambda a, b: wrap(signed(a, n) >> min(b, n), n))


@pytest.mark.parametrize("n", [16, 32, 64])
@pytest.mark.parametrize("over", [-64, -63, -1, 0, 1])
def test_shifts_by_constants(n, over):
    """Around the width, and around zero."""
    amount = max(n + over, 0)
    check(f"shl.b{n} %d, %a, {amount};", f"b{n}", [f"b{n}"], lambda a: wrap(a << amount, n), count=32)
    check(f"shr.b{n} %d, %a, {amount};", f"b{n}", [f"b{n}"], lambda a: a >> amount, count=32)
    check(f"shr.s{n} %d, %a, {amount};", f"s{n}", [f"s{n}"], lambda a: wrap(signed(a, n) >> amount, n), count=32)


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_funnel_shifts(mode):
    def amount(c):
        return min(c, 32) if mode == "clamp" else c & 31

    both = ["b32", "b32", "u32"]
    check(f"shf.l.{mode}.b32 %d, %a, %b, %c;", "b32", both, lambda a, b, c: wrap((b << 32 | a) << amount(c) >> 32, 32))
    check(f"shf.r.{mode}.b32 %d, %a, %b, %c;", "b32", both, lambda a, b, c: wrap((b << 32 | a) >> amount(c), 32))


@pytest.mark.parametrize("table", [0x00, 0x80, 0x96, 0xE8, 0xCA, 0x1A, 0xF0, 0xFE, 0xFF, 0x01])
def test_lop3(table):
    def lop3(a, b, c):
        return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))

    check(f"lop3.b32 %d, %a, %b, %c, {table};", "b32", ["b32"] * 3, lop3, count=128)


def test_lop3_with_a_predicate():
    check(
        "lop3.and.b32 _|%d, %a, %b, %c, 0x80, %e;",
        "pred",
        ["b32", "b32", "b32", "pred"],
        lambda a, b, c, q: int((a & b & c) != 0) & q,
    )


def permuted(a, b, selectors):
    """Bytes of {b, a}; selectors from 8 on replicate the byte's sign."""

    def byte(selector):
        value = (b << 32 | a) >> 8 * (selector & 7) & 0xFF
        return (0xFF if value & 0x80 else 0) if selector & 8 else value

    return sum(byte(s) << 8 * i for i, s in enumerate(selectors))


EXTRACTS = {
    "f4e": lambda c: [c, c + 1, c + 2, c + 3],
    "b4e": lambda c: [c, (c - 1) & 7, (c - 2) & 7, (c - 3) & 7],
    "rc8": lambda c: [c] * 4,
    "ecl": lambda c: [max(i, c) for i in range(4)],
    "ecr": lambda c: [min(i, c) for i in range(4)],
    "rc16": lambda c: [2 * (c & 1), 2 * (c & 1) + 1] * 2,
}


def test_prmt():
    check(
        "prmt.b32 %d, %a, %b, %c;",
        "b32",
        ["b32"] * 3,
        lambda a, b, c: permuted(a, b, [c >> 4 * i & 15 for i in range(4)]),
    )


@pytest.mark.parametrize("mode", EXTRACTS)
def test_prmt_modes(mode):
    order = EXTRACTS[mode]
    check(
        f"prmt.b32.{mode} %d, %a, %b, %c;", "b32", ["b32"] * 3, lambda a, b, c: permuted(a, b, order(c & 3)), count=64
    )


# -- extended precision -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [32, 64])
def test_carry_chains(n):
    """A sum and a difference of two words each, and a product and sum of one word by two."""
    word = f"u{n}"
    double = 2 * n

    def chain(first, second):
        return f"{first} %d, %a, %b; {second} %d, %c, %e;"

    high = [f"b{n}"] * 4
    check(
        chain(f"add.cc.{word}", f"addc.{word}"),
        word,
        high,
        lambda a, b, c, e: wrap((c << n | a) + (e << n | b), double) >> n,
    )
    check(
        chain(f"sub.cc.{word}", f"subc.{word}"),
        word,
        high,
        lambda a, b, c, e: wrap((c << n | a) - (e << n | b), double) >> n,
    )
    check(
        f"mad.lo.cc.{word} %d, %a, %b, %c; madc.hi.{word} %d, %a, %b, %e;",
        word,
        high,
        lambda a, b, c, e: wrap(a * b + (e << n | c), double) >> n,
    )
    check(
        f"add.cc.{word} %d, %a, %b; addc.cc.{word} %d, %c, %c; addc.{word} %d, 0, 0;",
        word,
        high[:3],
        lambda a, b, c: 2 * c + (a + b >> n) >> n,
    )


@pytest.mark.parametrize("first", ["add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"])
@pytest.mark.parametrize("second", ["addc.cc", "subc.cc", "madc.lo.cc", "madc.hi.cc"])
@pytest.mark.parametrize("n", [32, 64])
def test_sums_and_differences_share_one_carry(first, second, n):
    """Any instruction with .cc may stand before any that takes the carry: a subtraction adds the complement (an H200 does)."""
    most = (1 << n) - 1

    def step(name, a, b, c, carry):
        """The low word and the carry out of one instruction."""
        if name.startswith("mad"):
            terms = (a * b & most if ".lo" in name else a * b >> n) + c
        else:
            terms = a + (b ^ most if name.startswith("sub") else b)
        taken = carry if name.partition(".")[0].endswith("c") else name.startswith("sub")
        total = terms + int(taken)
        return total & most, total >> n

    def expected(a, b, c):
        _, carry = step(first, a, b, c, 0)
        high, carry = step(second, c, a, b, carry)
        return high ^ step("addc", 0, 0, 0, carry)[0] ^ step("subc", 0, 0, 0, carry)[0]

    def text(name, d, a, b, c):
        return f"{name}.u{n} {d}, {a}, {b}{f', {c}' if name.startswith('mad') else ''};"

    program = (
        f"{{ .reg .b{n} x, y; {text(first, 'x', '%a', '%b', '%c')} {text(second, '%d', '%c', '%a', '%b')} "
        f"addc.u{n} x, 0, 0; subc.u{n} y, 0, 0; xor.b{n} %d, %d, x; xor.b{n} %d, %d, y; }}"
    )
    check(program, f"u{n}", [f"b{n}"] * 3, expected)


@pytest.mark.parametrize("type", ["u32", "b64", "f32"])
def test_a_vector_is_read_before_it_is_written(type):
    """mov.v2 {a, b}, {b, a} swaps; mov.v4 rotates."""
    bits = int(type[1:])
    word = f"b{bits}"
    swap = f"{{ .reg .{word} x, y; mov.{word} x, %a; mov.{word} y, %b; mov.v2.{type} {{x, y}}, {{y, x}}; "
    check(swap + f"sub.u{bits} %d, x, y; }}", f"u{bits}", [word] * 2, lambda a, b: (b - a) % (1 << bits))
    turn = f"{{ .reg .{word} x, y, z; mov.{word} x, %a; mov.{word} y, %b; mov.{word} z, %c; "
    turn += f"mov.v4.{type} {{x, y, z, _}}, {{y, z, x, x}}; shl.b{bits} y, y, 1; sub.u{bits} x, x, y; xor.b{bits} %d, x, z; }}"
    check(turn, f"u{bits}", [word] * 3, lambda a, b, c: (b - 2 * c) % (1 << bits) ^ a)


SAMPLE = [
    ("mad.hi.s32 %d, %a, %b, %c;", "s32", ["s32", "s32", "s32"]),
    ("bfe.s64 %d, %a, %b, %c;", "s64", ["s64", "u8", "u8"]),
    ("div.s32 %d, %a, %b;", "s32", ["s32", "s32"]),
    ("shr.s64 %d, %a, %b;", "s64", ["s64", "u32"]),
    ("prmt.b32 %d, %a, %b, %c;", "b32", ["b32", "b32", "b32"]),
]


@pytest.mark.parametrize("instruction,result,operands", SAMPLE)
def test_optimised_code_agrees(instruction, result, operands):
    """The fast tier compiles the same text: a sample of what optimisers know tricks for."""
    cases = rows(operands)
    plain = evaluate(instruction, result, operands, cases)
    assert evaluate(instruction, result, operands, cases, options=FAST) == plain
