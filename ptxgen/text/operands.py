"""Tokens -> operands and instructions (manual chapters 6 and 7).

The common operand, a declared register or a literal seen before, costs one look-up. An undeclared name becomes a
Symbol: whether it exists is for the verifier to say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ptxgen.ir import (
    Address,
    Arguments,
    Element,
    Immediate,
    Instruction,
    Negated,
    Not,
    Pair,
    Register,
    Special,
    Sum,
    Symbol,
    Vector,
)
from ptxgen.isa.specials import is_special
from ptxgen.text.constants import ENDS, OPERATORS, WARP_SZ, constant, expression
from ptxgen.text.cursor import BARE_OPCODES, SPACES, STATEMENT_DIRECTIVES, Unexpected, is_name
from ptxgen.text.lexer import END

if TYPE_CHECKING:
    from ptxgen.ir import Operand
    from ptxgen.text.cursor import Cursor

__all__ = ["instruction"]

_COMPONENT = re.compile(r"[xyzwrgba]|[bh]\d+")
"""Of a vector register (manual 6.4.2), or the bytes and halves that a video instruction selects (9.7.17)."""

_OPERAND = "an operand: register, constant, name, [address], {vector} or _"


def instruction(c: Cursor) -> Instruction:
    """Read one instruction with its guard, up to and over its semicolon."""
    texts, start = c.texts, c.i
    guard = _guard(c) if texts[start] == "@" else None
    op = texts[c.i]
    if not (op[0].isalpha() and op.isascii()):
        raise c.unexpected("an instruction" + (" after the guard" if guard else ""), at=c.i)
    c.i += 1
    while texts[c.i][0] == "." and _is_modifier(texts[c.i], op):  # `ld .global .f32`: modifiers apart
        op += texts[c.i]
        c.i += 1
    c.op = op
    if texts[c.i] == ";":
        c.i += 1
        return Instruction(op, (), guard, c.source(start))
    if texts[c.i] in ("}", END) or c.begins_statement(c.i):
        raise Unexpected(c.missing_semicolon())
    operands = _call_operands(c) if op == "call" or op[:5] == "call." else _operands(c)
    return Instruction(op, operands, guard, c.source(start))


def _is_modifier(text: str, op: str) -> bool:
    """May a word with a dot that stands apart belong to the opcode before it?"""
    if text in STATEMENT_DIRECTIVES and (op in BARE_OPCODES or text not in SPACES):
        return False
    return len(text) > 1 and text not in (".branchtargets", ".calltargets", ".callprototype", ".entry", ".func")


def _guard(c: Cursor) -> Any:
    """`@p` or `@!p`: a Register or Not of one, but a Symbol where nobody declared the name."""
    c.i += 1
    negated = c.texts[c.i] == "!"
    if negated:
        c.i += 1
    text = c.texts[c.i]
    if not is_name(text):
        raise c.unexpected("a predicate register after '@'")
    operand = _name(c, text)
    if not isinstance(operand, (Register, Symbol)):
        raise c.unexpected("a predicate register after '@'")
    c.i += 1
    if c.texts[c.i] in ENDS:
        raise c.unexpected("an instruction after the guard")
    return Not(operand) if negated else operand


def _operands(c: Cursor) -> tuple[Operand, ...]:
    texts, known = c.texts, c.scope.known
    found: list[Operand] = []
    while True:
        i = c.i
        operand = known.get(texts[i])
        if operand is not None and texts[i + 1] in ENDS:
            c.i = i = i + 1
        else:
            operand = _operand(c)
            i = c.i
        found.append(operand)
        if texts[i] == ",":
            c.i = i + 1
        elif texts[i] == ";":
            c.i = i + 1
            return tuple(found)
        else:
            c.expect_semicolon("',' or ")
            return tuple(found)


def _operand(c: Cursor) -> Operand:
    """Any operand, with what may follow it: `a|b`, `a+4`, `a.x`, `a[3]`, an operator of a constant expression."""
    texts = c.texts
    text = texts[c.i]
    first = text[0]
    if first == "[":
        return _address(c)
    if first == "{":
        operand: Operand = _vector(c)
    elif first == "!" and is_name(texts[c.i + 1]) and texts[c.i + 1] != "WARP_SZ":
        c.i += 1
        negated = _name(c, texts[c.i])
        c.i += 1
        return Not(negated)
    elif first == "-" and is_name(texts[c.i + 1]) and texts[c.i + 1] != "WARP_SZ":
        c.i += 1
        subtracted = _name(c, texts[c.i])
        c.i += 1
        return Negated(_component(c, subtracted))
    elif is_name(text) or text == "_":
        operand = _name(c, text)
        if isinstance(operand, Immediate) and texts[c.i + 1] in OPERATORS:
            return expression(c)
        c.i += 1
    else:
        return constant(c)
    return _suffix(c, operand)


def _suffix(c: Cursor, operand: Operand) -> Operand:
    text = c.texts[c.i]
    if text == "|":
        c.i += 1
        second = c.texts[c.i]
        if second == "WARP_SZ" or (not is_name(second) and second != "_"):
            raise c.unexpected("a register or _ after '|'")
        other = _name(c, second)
        c.i += 1
        return Pair(operand, other)
    if text == "+" and isinstance(operand, (Symbol, Register)):
        c.i += 1
        offset = _offset(c)
        zero = not offset
        return Symbol(operand.name, offset, zero) if isinstance(operand, Symbol) else Sum(operand, offset, zero)
    if text == "[" and isinstance(operand, Symbol):
        return _array_element(c, operand)
    return _component(c, operand)


def _component(c: Cursor, operand: Operand) -> Operand:
    """`%v .x`, `%tid .x`: a component that stands apart from its register."""
    text = c.texts[c.i]
    if text[0] == "." and len(text) > 1:
        if isinstance(operand, Register) and _COMPONENT.fullmatch(text[1:]):
            c.i += 1
            return Element(operand, text[1:])
        if isinstance(operand, Special) and is_special(operand.name + text):
            c.i += 1
            return Special(operand.name + text)
    return operand


def _name(c: Cursor, text: str) -> Operand:
    """What a name stands for; the current token stays."""
    operand = c.scope.known.get(text) or c.scope.resolve(text)
    if operand is not None:
        return operand
    if text == "WARP_SZ":
        return Immediate(WARP_SZ)
    base, dot, tail = text.partition(".")
    if not dot:
        return Symbol(text)
    if not _COMPONENT.fullmatch(tail):
        if c.begins_statement(c.i):
            raise c.unexpected(_OPERAND)
        raise c.unexpected("a component .x, .y, .z, .w or a selector .b0, .h1", message=f"no component .{tail}")
    register = c.scope.known.get(base) or c.scope.resolve(base)
    return Element(register, tail) if isinstance(register, Register) else Symbol(text)


def _offset(c: Cursor) -> int:
    """The constant after `name+`, in bytes."""
    at = c.i
    value = constant(c)
    if value.kind != "int":
        raise c.unexpected("an integer offset", at=at, code="PTX108", message="an address offset is not an integer")
    return value.value


def _array_element(c: Cursor, array: Symbol) -> Operand:
    """`name[3]` (manual 6.4.2): `name+offset` where an instruction wants the address, `[name+offset]` elsewhere."""
    c.i += 1
    at = c.i
    if is_name(c.texts[at]) and c.texts[at] != "WARP_SZ":
        raise c.unexpected("a constant index", hint="compute the address in a register and use [register]")
    index = _offset(c)
    c.expect("]", "the index")
    size = c.scope.element_size(array.name)
    if size is None:
        raise c.unexpected("a declared array before '['", at=at, message=f"{array.name!r} is not a declared array")
    if c.op.startswith(("mov.", "cvta.")):
        return Symbol(array.name, index * size)
    return Address(Symbol(array.name), index * size)


def _address(c: Cursor) -> Address:
    """`[base]`, `[base+offset]`, `[12]`, `[map, {x, y}]`, `[texture, sampler, {x, y}]`, `[endpoint, offset]` of the fabric."""
    texts = c.texts
    c.i += 1
    text = texts[c.i]
    base = c.scope.known.get(text)
    if base is None and is_name(text):
        base = _name(c, text)
    if base is None or isinstance(base, Immediate):
        at = c.i
        base = constant(c)
        if base.kind != "int":
            raise c.unexpected("an integer address", at=at)
    elif isinstance(base, (Register, Symbol)):
        c.i += 1
    else:
        raise c.unexpected("a register, a name or an integer as the address")
    offset, zero = 0, False
    if texts[c.i] == "+":
        c.i += 1
        offset = _offset(c)
        zero = not offset
    elif texts[c.i] == "-":
        raise c.unexpected("'+', ',' or ']'", hint=f"write [{text}+-{texts[c.i + 1]}]")
    coordinates, handle = _coordinates(c) if texts[c.i] == "," else ((), False)
    c.expect("]", "the address")
    return Address(base, offset, coordinates, handle, zero)


def _takes_handles(op: str) -> bool:
    """Does the instruction take a handle of the fabric (PTX ISA 9.3, CFT handles)?"""
    return op.startswith("fabric.") or (op.startswith("createpolicy.") and ".fabric" in op)


def _coordinates(c: Cursor) -> tuple[tuple[Operand, ...], bool]:
    """What follows the base, and is it a handle's? `{x, y}` or a bare `x` give (x, y) or (x,), several parts each of them."""
    parts: list[Operand] = []
    fabric = _takes_handles(c.op)
    while c.texts[c.i] == ",":
        if len(parts) == 1 and isinstance(parts[0], Vector):
            raise c.unexpected("']' after the coordinates")
        c.i += 1
        braced = c.texts[c.i] == "{"
        if len(parts) == 1 and not braced and not fabric:
            raise c.unexpected("{coordinates} after the sampler")
        parts.append(_vector(c) if braced else _element(c))
    if fabric and not any(isinstance(part, Vector) for part in parts):
        return tuple(parts), True
    if len(parts) == 1 and isinstance(parts[0], Vector):
        return parts[0].elements, False
    return tuple(parts), False


def _vector(c: Cursor) -> Vector:
    return Vector(_list(c, "}", "the elements of the vector"))


def _list(c: Cursor, close: str, what: str) -> tuple[Operand, ...]:
    """Elements up to `close`, over both brackets."""
    texts, known = c.texts, c.scope.known
    c.i += 1
    found: list[Operand] = []
    while True:
        operand = known.get(texts[c.i])
        if operand is not None and texts[c.i + 1] in ENDS:
            c.i += 1
        else:
            operand = _element(c)
        found.append(operand)
        if texts[c.i] == close:
            c.i += 1
            return tuple(found)
        if texts[c.i] != ",":
            raise c.unexpected(f"',' or {close!r} after {what}")
        c.i += 1


def _element(c: Cursor) -> Operand:
    """A register, name, constant or `_`: what vectors and lists of arguments hold."""
    text = c.texts[c.i]
    if not is_name(text) and text != "_":
        return constant(c)
    operand = _name(c, text)
    if isinstance(operand, Immediate) and c.texts[c.i + 1] in OPERATORS:
        return expression(c)
    c.i += 1
    return _component(c, operand)


def _call_operands(c: Cursor) -> tuple[Operand, ...]:
    """`(results), function, (arguments), prototype` (manual 9.7.12.5); all but the function may be absent."""
    found: list[Operand] = []
    if c.texts[c.i] == "(":
        found.append(_arguments(c))
        c.expect(",", "the results of the call")
    found.append(_callee(c, "a function or a register that holds its address"))
    if c.texts[c.i] == "," and c.texts[c.i + 1] == "(":
        c.i += 1
        found.append(_arguments(c))
    if c.texts[c.i] == ",":
        c.i += 1
        found.append(_callee(c, "(arguments), a prototype or a list of targets"))
    c.expect_semicolon("',' or ")
    return tuple(found)


def _callee(c: Cursor, what: str) -> Operand:
    text = c.texts[c.i]
    if not is_name(text):
        raise c.unexpected(what)
    operand = _name(c, text)
    c.i += 1
    return operand


def _arguments(c: Cursor) -> Arguments:
    if c.texts[c.i + 1] == ")":
        c.i += 2
        return Arguments(())
    return Arguments(_list(c, ")", "the arguments"))
