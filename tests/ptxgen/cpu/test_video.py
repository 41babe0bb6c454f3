"""Video instructions against the manual's own definitions (9.7.18), and against the table: every name has a lowering."""

from __future__ import annotations

import random

import pytest

from ptxgen.cpu.lower.registry import find
from ptxgen.isa.examples import covering_names
from ptxgen.isa.forms import forms_of
from tests.ptxgen.cpu.machine import check

SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset")
SIMD = tuple(
    f"v{name}{n}" for n in "24" for name in ("add", "sub", "avrg", "absdiff", "min", "max", "set")
)  # fmt: skip
COMPARE = {
    "eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__, "gt": int.__gt__, "ge": int.__ge__,
}  # fmt: skip
OPERATIONS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "absdiff": lambda a, b: abs(a - b), "min": min, "max": max,
    "avrg": lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1,
}  # fmt: skip


def extended(value: int, bits: int, type: str) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if type == "s32" and value >> (bits - 1) else value


def part(value: int, selector: str, type: str) -> int:
    """partSelectSignExtend."""
    bits = {"": 32, "b": 8, "h": 16}[selector[:1]]
    return extended(value >> bits * int(selector[1:] or 0), bits, type)


def clamped(value: int, bits: int, type: str) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if type == "s32" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def finished(value: int, c: int, dsel: str, op2: str, type: str, sat: str) -> int:
    """optSaturate, then optSecondaryOp or optMerge."""
    bits = {"": 32, "b": 8, "h": 16}[dsel[:1]]
    if sat:
        value = clamped(value, bits, type)
    if op2:
        c = extended(c, 32, type)
        value = value + c if op2 == "add" else min(value, c) if op2 == "min" else max(value, c)
    elif dsel:
        at = bits * int(dsel[1:])
        mask = ((1 << bits) - 1) << at
        value = c & ~mask | value << at & mask
    return value & 0xFFFFFFFF


def written(name: str, selector: str) -> str:
    return f"{name}.{selector}" if selector else name


def scalar_cases(count: int):
    """(instruction, oracle), drawn."""
    draw = random.Random(7).choice
    selectors = ("", "", "b0", "b1", "b2", "b3", "h0", "h1")
    for _ in range(count):
        opcode, d, a, b, sat = (
            draw(SCALAR),
            draw(("u32", "s32")),
            draw(("u32", "s32")),
            draw(("u32", "s32")),
            draw(("", ".sat")),
        )
        asel, bsel = draw(selectors), draw(selectors)
        dsel, op2 = draw((("", ""), ("", draw(("add", "min", "max"))), (draw(selectors[2:]), "")))
        third = ", %c" if dsel or op2 else ""
        tail = f"%{written('a', asel)}, %{written('b', bsel)}"
        if opcode == "vmad":
            minus_a, minus_b, minus_c, po = (
                draw("-x") == "-",
                draw("-x") == "-",
                draw("-x") == "-",
                draw(("", "", ".po")),
            )
            minus_a, minus_b, minus_c = (m and not po for m in (minus_a, minus_b, minus_c))
            minus_c = minus_c and minus_a == minus_b
            scale = draw(("", ".shr7", ".shr15"))
            signs = ["-" if m else "" for m in (minus_a, minus_b, minus_c)]
            sources = f"{signs[0]}%{written('a', asel)}, {signs[1]}%{written('b', bsel)}, {signs[2]}%c"
            text = f"vmad.{d}.{a}.{b}{po}{sat}{scale} %d, {sources};"

            def oracle(
                x, y, z, asel=asel, bsel=bsel, a=a, b=b, sat=sat, po=po, scale=scale, m=minus_a != minus_b, n=minus_c
            ):
                product = "s32" if "s32" in (a, b) or m else "u32"
                final = "s32" if product == "s32" or n else "u32"
                value = part(x, asel, a) * part(y, bsel, b) * (-1 if m else 1)
                value += extended(z, 32, product) * (-1 if n else 1) + bool(po)
                value >>= int(scale[4:] or 0)
                return (clamped(value, 32, final) if sat else value) & 0xFFFFFFFF

            yield text, oracle
            continue
        second = f".{op2}" if op2 else ""
        if opcode == "vset":
            cmp = draw(tuple(COMPARE))
            text = f"vset.{a}.{b}.{cmp}{second} %{written('d', dsel)}, {tail}{third};"

            def oracle(x, y, z, cmp=cmp, asel=asel, bsel=bsel, a=a, b=b, dsel=dsel, op2=op2):
                return finished(int(COMPARE[cmp](part(x, asel, a), part(y, bsel, b))), z, dsel, op2, "u32", "")

        elif opcode in ("vshl", "vshr"):
            mode = draw(("clamp", "wrap"))
            text = f"{opcode}.{d}.{a}.u32{sat}.{mode}{second} %{written('d', dsel)}, {tail}{third};"

            def oracle(x, y, z, opcode=opcode, mode=mode, asel=asel, bsel=bsel, a=a, d=d, dsel=dsel, op2=op2, sat=sat):
                amount = part(y, bsel, "u32")
                amount = min(amount, 32) if mode == "clamp" else amount & 31
                value = part(x, asel, a)
                return finished(value << amount if opcode == "vshl" else value >> amount, z, dsel, op2, d, sat)

        else:
            text = f"{opcode}.{d}.{a}.{b}{sat}{second} %{written('d', dsel)}, {tail}{third};"

            def oracle(x, y, z, opcode=opcode, asel=asel, bsel=bsel, a=a, b=b, d=d, dsel=dsel, op2=op2, sat=sat):
                value = OPERATIONS[opcode[1:]](part(x, asel, a), part(y, bsel, b))
                return finished(value, z, dsel, op2, d, sat)

        yield text, oracle


@pytest.mark.parametrize("text, oracle", list(scalar_cases(40)), ids=lambda v: v if isinstance(v, str) else "")
def test_scalar(text, oracle):
    check(text, "u32", ["u32"] * 3, oracle, count=100)


def simd_cases(count: int):
    draw = random.Random(11).choice
    for _ in range(count):
        opcode, d, a, b = draw(SIMD), draw(("u32", "s32")), draw(("u32", "s32")), draw(("u32", "s32"))
        n = int(opcode[-1])
        letter, digits = ("h", "0123") if n == 2 else ("b", "01234567")
        asel, bsel = ("".join(draw(digits) for _ in range(n)) for _ in "ab")
        lanes = sorted({draw(range(n)) for _ in range(n)}, reverse=True)
        mask, more = f".{letter}{''.join(map(str, lanes))}", draw(("", ".sat", ".add"))
        cmp = draw(tuple(COMPARE)) if "set" in opcode else ""
        more = more if not cmp or more == ".add" else ""
        types = f"{a}.{b}.{cmp}" if cmp else f"{d}.{a}.{b}"
        text = f"{opcode}.{types}{more} %d{mask}, %a.{letter}{asel}, %b.{letter}{bsel}, %c;"

        def oracle(x, y, z, n=n, a=a, b=b, d=d, asel=asel, bsel=bsel, lanes=lanes, more=more, cmp=cmp, opcode=opcode):
            bits, both = 32 // n, y << 32 | x
            result = z if more == ".add" else 0
            for lane in range(n):
                p = extended(both >> bits * int(asel[n - 1 - lane]), bits, a)
                q = extended(both >> bits * int(bsel[n - 1 - lane]), bits, b)
                value = int(COMPARE[cmp](p, q)) if cmp else OPERATIONS[opcode[1:-1]](p, q)
                if more == ".sat":
                    value = clamped(value, bits, d)
                if more == ".add":
                    result += value if lane in lanes else 0
                else:
                    field = (1 << bits) - 1 << bits * lane
                    result |= (value << bits * lane if lane in lanes else z) & field
            return result & 0xFFFFFFFF

        yield text, oracle


@pytest.mark.parametrize("text, oracle", list(simd_cases(40)), ids=lambda v: v if isinstance(v, str) else "")
def test_simd(text, oracle):
    check(text, "u32", ["u32"] * 3, oracle, count=100)


def test_without_selectors_parts_are_of_a_and_of_b_in_their_order():
    def bytewise(a, b, c):
        return sum(((a >> s) + (b >> s) & 255) << s for s in (0, 8, 16, 24))

    check("vadd4.u32.u32.u32 %d, %a, %b, %c;", "u32", ["u32"] * 3, bytewise)


def test_every_name_runs():
    names = [name for opcode in (*SCALAR, *SIMD) for form in forms_of(opcode) for name in covering_names(form)]
    assert [name for name in names if find(name) is None] == []
