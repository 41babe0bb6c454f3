"""Operands and instructions as Python text of the builder's exact layer, and as the values that the text will mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder.exact.chain import attribute, sink, word_of
from ptxgen.ir import (
    Address,
    Arguments,
    Element,
    Immediate,
    Pair,
    Register,
    Sink,
    Special,
    Sum,
    Symbol,
    Vector,
    float_immediate,
)
from ptxgen.isa.forms import opcodes_with, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.ir import Operand

__all__ = ["Spelled", "chain_text", "float_text", "integer_text", "is_pattern", "spelled"]

_SMALL = 4096
_BITS = opcodes_with("warp") | {"and", "or", "xor", "lop3", "prmt", "bfe", "bar"}
"""Opcodes whose constants are patterns of bits, which are read in hexadecimal."""


class Spelled(NamedTuple):
    """An operand: the text, what it means to the builder, the names that it reads and those of `ptxgen.ir` that it needs."""

    text: str
    value: Any
    reads: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def spelled(operand: Operand, register: Callable[[Register], Spelled], *, plain: bool, bits: bool = False) -> Spelled:
    """The text of an operand. `register` spells a register; constants are Python's own where `plain`, else those of the ir;
    `bits`: integers are patterns of bits."""

    def inner(each: Operand) -> Spelled:
        return spelled(each, register, plain=plain, bits=bits)

    if isinstance(operand, Register):
        return register(operand)
    if isinstance(operand, Immediate):
        return _constant(operand, plain=plain, bits=bits)
    if isinstance(operand, Symbol):
        return _symbol(operand)
    if isinstance(operand, Special):
        return Spelled(f'Special("{operand.name}")', operand, needs=("Special",))
    if isinstance(operand, Sink):
        return Spelled("px.sink", sink)
    if isinstance(operand, Address):
        return _address(operand, inner)
    if isinstance(operand, Pair):
        return _tuple((inner(operand.first), inner(operand.second)))
    if isinstance(operand, (Vector, Arguments)):
        return _tuple(tuple(inner(each) for each in operand))
    if isinstance(operand, Element):
        base = register(operand.base)
        return Spelled(
            f'Element({base.text}, "{operand.name}")', Element(base.value, operand.name), base.reads, ("Element",)
        )
    name = type(operand).__name__
    of = inner(operand.operand)
    if isinstance(operand, Sum):
        zero = ", zero=True" if operand.zero else ""
        value = Sum(of.value, operand.offset, operand.zero)
        return Spelled(f"Sum({of.text}, {operand.offset}{zero})", value, of.reads, (*of.needs, name))
    return Spelled(f"{name}({of.text})", type(operand)(of.value), of.reads, (*of.needs, name))


def _tuple(parts: tuple[Spelled, ...]) -> Spelled:
    texts = [each.text for each in parts]
    if len(texts) > 3 and len(set(texts)) == 1 and texts[0].isidentifier():  # types of results, mostly
        text = f"({texts[0]},) * {len(texts)}"
    else:
        text = f"({', '.join(texts)}{',' * (len(texts) == 1)})"
    return Spelled(
        text,
        tuple(each.value for each in parts),
        tuple(name for each in parts for name in each.reads),
        tuple(name for each in parts for name in each.needs),
    )


def _symbol(operand: Symbol) -> Spelled:
    if not operand.is_sum:
        return Spelled(f'"{operand.name}"', operand.name)
    zero = ", zero=True" if operand.zero else ""
    return Spelled(f'Symbol("{operand.name}", {operand.offset}{zero})', operand, needs=("Symbol",))


def _address(operand: Address, inner: Callable[[Operand], Spelled]) -> Spelled:
    base: Any = operand.base
    if operand.zero:
        of = inner(base) if isinstance(base, Register) else Spelled(f'Symbol("{base.name}")', base, (), ("Symbol",))
        made = Address(of.value, zero=True)
        return Spelled(f"Address({of.text}, zero=True)", made, of.reads, (*of.needs, "Address"))
    parts = [inner(Symbol(base.name) if isinstance(base, Symbol) else base)]
    if operand.offset:
        parts.append(Spelled(str(operand.offset), operand.offset))
    if operand.handle or any(isinstance(each, Vector) for each in operand.coordinates):
        parts += [inner(each) for each in operand.coordinates]
    elif operand.coordinates:
        parts.append(_tuple(tuple(inner(each) for each in operand.coordinates)))
    return Spelled(
        f"[{', '.join(part.text for part in parts)}]",
        [part.value for part in parts],
        tuple(name for part in parts for name in part.reads),
        tuple(name for part in parts for name in part.needs),
    )


def _constant(operand: Immediate, *, plain: bool, bits: bool) -> Spelled:
    if operand.kind == "int":
        text = integer_text(operand.value, bits=bits)
        if plain:
            return Spelled(text, operand.value)
        return Spelled(f"Immediate({text})", operand, needs=("Immediate",))
    number = float_text(operand)
    if plain and number is not None:
        return Spelled(number, operand.as_float())
    digits = 8 if operand.kind == "f32" else 16
    return Spelled(f'Immediate(0x{operand.value:0{digits}X}, "{operand.kind}")', operand, needs=("Immediate",))


def integer_text(value: int, *, bits: bool = False) -> str:
    """An integer as Python writes it; patterns of bits and large ones in hexadecimal."""
    return f"0x{value:X}" if value > 9 and (bits or (value >= _SMALL and _is_round(value))) else str(value)


def _is_round(value: int) -> bool:
    """Is it shorter to grasp in base 16: mostly equal digits?"""
    return len(set(f"{value:x}")) <= 2


def float_text(operand: Immediate) -> str | None:
    """A floating constant as Python writes it; None for infinities and NaN."""
    value = operand.as_float()
    if not math.isfinite(value):
        return None
    if operand.kind == "f64":
        return repr(value)
    # The shortest decimal that rounds to the same binary32.
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    found = next((each for each in texts if float_immediate(float(each), operand.kind) == operand), repr(value))
    return found if any(sign in found for sign in ".en") else f"{found}.0"


def chain_text(op: str) -> str:
    """An instruction's name behind `k.ptx`: attributes where Python can spell each word, else in brackets."""
    words = op.split(".")
    names = [attribute(word) for word in words]
    if resolve(op) and all(name.isidentifier() and word_of(name) == word for name, word in zip(names, words)):
        return f".{'.'.join(names)}"
    return f'["{op}"]'


def is_pattern(op: str) -> bool:
    """Are an instruction's constants patterns of bits?"""
    return op.partition(".")[0] in _BITS
