"""Tokens -> registers, variables, parameters and initialisers (manual 5.1 to 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Generic, Immediate, Masked, RegisterDeclaration, Symbol, Variable
from ptxgen.isa.types import TYPES
from ptxgen.text.bounds import NESTED, VARIABLES, check_bound
from ptxgen.text.constants import constant, expression, integer
from ptxgen.text.cursor import SPACES, Unexpected, is_name, nearest
from ptxgen.text.lexer import END

if TYPE_CHECKING:
    from ptxgen.ir import Initializer, Source
    from ptxgen.isa.types import ScalarType
    from ptxgen.text.cursor import Cursor

__all__ = ["FUNDAMENTAL", "attribute_list", "declare_register", "parameters", "registers", "variables"]

_POINTER_SPACES = frozenset((".const", ".global", ".local", ".shared", ".param"))
_VECTORS = {".v2": 2, ".v4": 4, ".v8": 8}
FUNDAMENTAL = {f".{name}": type for name, type in TYPES.items() if type.fundamental}


class _Kind:
    """What stands before the names of a declaration."""

    __slots__ = ("align", "attributes", "linkage", "pointer", "source", "space", "type", "vector")

    def __init__(self, linkage: str | None, source: Source) -> None:
        self.linkage = linkage
        self.source = source
        self.space = ""
        self.align: int | None = None
        self.attributes: tuple[str, ...] = ()
        self.vector = 1
        self.type: ScalarType = TYPES["b32"]
        self.pointer: tuple[str, int | None] | None = None

    def variable(self, name: str, shape: tuple[int | None, ...] = (), init: Initializer | None = None) -> Variable:
        return Variable(
            self.space,
            self.type,
            name,
            shape=shape,
            vector=self.vector,
            align=self.align,
            init=init,
            linkage=self.linkage,
            attributes=self.attributes,
            pointer=self.pointer,
            source=self.source,
        )


def _kind(c: Cursor, spaces: frozenset[str], linkage: str | None = None) -> _Kind:
    """`.space .attribute(...) .align n`, in any order, then `.v4 .type`."""
    kind = _Kind(linkage, c.source(c.i))
    while True:
        text = c.texts[c.i]
        if text in spaces and not kind.space:
            kind.space = text[1:]
            c.i += 1
        elif text == ".align":
            c.i += 1
            kind.align = integer(c, "a number of bytes after .align")
        elif text == ".attribute":
            kind.attributes += attribute_list(c)
        else:
            break
    if not kind.space:
        raise c.unexpected(f"a state space ({', '.join(sorted(spaces))})")
    if kind.space == "const" and text == "[":
        raise c.unexpected("a type", message="constant banks ended with PTX 2.2", hint="declare .const without a bank")
    if text in _VECTORS:
        kind.vector = _VECTORS[text]
        c.i += 1
    kind.type = _type(c)
    return kind


def _type(c: Cursor) -> ScalarType:
    text = c.texts[c.i]
    found = FUNDAMENTAL.get(text)
    if found is None:
        if text[1:] in TYPES:
            raise c.unexpected(
                "a fundamental type", code="PTX107", message=f"{text} is a type of instructions only",
                hint=f"declare it as .b{max(16, TYPES[text[1:]].bits)}",
            )  # fmt: skip
        if text[0] == "." and text[1:2].isalpha():
            raise c.unexpected("a type", code="PTX107", message=f"unknown type {text}", hint=nearest(text, FUNDAMENTAL))
        raise c.unexpected("a type such as .b32")
    c.i += 1
    return found


def attribute_list(c: Cursor) -> tuple[str, ...]:
    """`.attribute(.managed, .unified(1, 2))` (manual 5.4.8) as ("managed", "unified(1, 2)")."""
    c.i += 1
    c.expect("(", ".attribute")
    found: list[str] = []
    while True:
        name = c.texts[c.i]
        if name[0] != "." or len(name) == 1:
            raise c.unexpected("an attribute such as .managed")
        c.i += 1
        text = name[1:]
        if c.texts[c.i] == "(":
            c.i += 1
            values = _integers(c, "a number")
            c.expect(")")
            text = f"{text}({', '.join(map(str, values))})"
        found.append(text)
        if c.texts[c.i] != ",":
            c.expect(")", "the attributes")
            return tuple(found)
        c.i += 1


def _integers(c: Cursor, what: str) -> list[int]:
    values = [integer(c, what)]
    while c.texts[c.i] == ",":
        c.i += 1
        values.append(integer(c, what))
    return values


def registers(c: Cursor) -> list[RegisterDeclaration]:
    """`.reg .f32 a, b, %f<9>;`: one declaration for each run of names with the same count."""
    kind = _kind(c, frozenset((".reg",)))
    found: list[RegisterDeclaration] = []
    while is_name(c.texts[c.i]):
        name = c.expect_name("the name of a register")
        count = _count(c)
        if c.texts[c.i] == "[":
            raise c.unexpected("',' or ';'", hint=f"registers have no arrays; {name}<4> declares {name}0 to {name}3")
        declare_register(c, found, name, count, kind.type, kind.vector, kind.source)
        if c.texts[c.i] != ",":
            break
        c.i += 1
        if not is_name(c.texts[c.i]):
            raise c.unexpected("the name of a register")
    if not found and c.texts[c.i] != ";":
        raise c.unexpected("the name of a register")
    c.expect_semicolon("',', '<' or ")
    return found


def declare_register(
    c: Cursor,
    found: list[RegisterDeclaration],
    name: str,
    count: int | None,
    type: ScalarType,
    lanes: int = 1,
    source: Source | None = None,
) -> None:
    """Add `name` or `name<count>` to the declarations of a statement: to the last one, where that has the same count."""
    if count is None:
        c.scope.register(name, type, lanes)
    else:
        c.scope.family(name, type, lanes, count)
    if found and found[-1].count == count:
        found[-1].names += (name,)
    else:
        found.append(RegisterDeclaration(type, (name,), count, lanes, source))


def _count(c: Cursor) -> int | None:
    """`<9>` behind a name."""
    if c.texts[c.i] != "<":
        return None
    c.i += 1
    count = integer(c, "how many, as in %r<9>")
    c.expect(">", "the count")
    return count


def variables(c: Cursor, linkage: str | None = None) -> list[Variable]:
    """`.shared .align 16 .b8 a[64], b;`, `.global .u32 c[] = {1, 2};`: one Variable for each name."""
    kind = _kind(c, SPACES, linkage)
    found: list[Variable] = []
    while is_name(c.texts[c.i]):
        name = c.expect_name("the name of a variable")
        count = _count(c)
        shape = _shape(c)
        init = None
        if c.texts[c.i] == "=":
            c.i += 1
            init = _initializer(c, opaque=kind.type.kind == "o")
        check_bound(c, count or 0, VARIABLES, "variables in one declaration")
        names = [name] if count is None else [f"{name}{index}" for index in range(count)]
        for each in names:
            found.append(kind.variable(each, shape, init))
            c.scope.variable(found[-1])
        if c.texts[c.i] != ",":
            break
        c.i += 1
        if not is_name(c.texts[c.i]):
            raise c.unexpected("the name of a variable")
    if not found and c.texts[c.i] != ";":
        raise c.unexpected("the name of a variable")
    c.expect_semicolon("',', '[', '=' or ")
    return found


def _shape(c: Cursor) -> tuple[int | None, ...]:
    """`[4][]`."""
    shape: list[int | None] = []
    while c.texts[c.i] == "[":
        c.i += 1
        if c.texts[c.i] == "]":
            shape.append(None)
        else:
            shape.append(integer(c, "a number of elements, or ']'"))
        c.expect("]", "the number of elements, a single integer")
    return tuple(shape)


def parameters(c: Cursor, *, spaces: frozenset[str] = frozenset((".param",))) -> tuple[Variable, ...]:
    """`(.param .u64 .ptr .global .align 16 a, .reg .b32 b)` (manual 5.1.6, 7.1); a wrong one does not hide the next."""
    c.i += 1
    found: list[Variable] = []
    if c.texts[c.i] == ")":
        c.i += 1
        return ()
    while True:
        try:
            found.append(_parameter(c, spaces))
            if c.texts[c.i] not in (",", ")"):
                raise c.unexpected("',' or ')' after the parameter")
        except Unexpected as error:
            c.findings.append(error.finding)
            while c.texts[c.i] not in (",", ")", "{", ";", "}", END):
                c.i += 1
        if c.texts[c.i] != ",":
            c.expect(")", "the parameters")
            return tuple(found)
        c.i += 1


def _parameter(c: Cursor, spaces: frozenset[str]) -> Variable:
    kind = _kind(c, spaces)
    if c.texts[c.i] == ".ptr":
        c.i += 1
        space = ""
        if c.texts[c.i] in _POINTER_SPACES:
            space = c.texts[c.i][1:]
            c.i += 1
        align = None
        if c.texts[c.i] == ".align":
            c.i += 1
            align = integer(c, "a number of bytes after .align")
        kind.pointer = (space, align)
    if c.texts[c.i] == "_":  # the sink, in prototypes
        name = "_"
        c.i += 1
    else:
        name = c.expect_name("the name of a parameter")
    shape = _shape(c)
    if len(shape) > 1:
        raise c.unexpected("',' or ')'", message="an array parameter has one dimension")
    return kind.variable(name, shape)


# Initialisers (manual 5.4.4).


def _initializer(c: Cursor, depth: int = 0, *, opaque: bool = False) -> Initializer:
    text = c.texts[c.i]
    if text == "{":
        check_bound(c, depth + 1, NESTED, "levels")
        return _initializer_list(c, depth + 1, opaque)
    if text == "generic":
        return _generic(c)
    if is_name(text) and text != "WARP_SZ":
        return Symbol(c.expect_name("a name"), _plus_offset(c))
    value = constant(c)
    if c.texts[c.i] == "(":  # one byte of an address: 0xff00(name)
        c.i += 1
        symbol = _generic(c) if c.texts[c.i] == "generic" else Symbol(c.expect_name("a name"), _plus_offset(c))
        c.expect(")", "the masked name")
        return Masked(value.value, symbol)
    return value


def _initializer_list(c: Cursor, depth: int, opaque: bool) -> tuple[Initializer, ...]:
    c.i += 1
    texts, known = c.texts, c.scope.known
    found: list[Initializer] = []
    while texts[c.i] != "}":
        seen = known.get(texts[c.i])
        if isinstance(seen, Immediate) and texts[c.i + 1] == "," and texts[c.i + 2] != "}":
            found.append(seen)
            c.i += 2
            continue
        if opaque and c.texts[c.i + 1] == "=":  # a field of a sampler or a texture (manual 5.3)
            field = Symbol(c.expect_name("a field"))
            c.i += 1
            found.append((field, _initializer(c, depth)))
        else:
            found.append(_initializer(c, depth, opaque=opaque))
        if c.texts[c.i] != ",":
            break
        c.i += 1
        if c.texts[c.i] == "}":
            raise c.unexpected("a value after ','")
    c.expect("}", "the values")
    return tuple(found)


def _generic(c: Cursor) -> Generic:
    """`generic(name)`, `generic(name)+4`."""
    c.i += 1
    c.expect("(", "generic")
    name = c.expect_name("the name of a variable")
    c.expect(")", "the name")
    return Generic(Symbol(name, _plus_offset(c)))


def _plus_offset(c: Cursor) -> int:
    if c.texts[c.i] != "+":
        return 0
    c.i += 1
    at = c.i
    value = expression(c)
    if value.kind != "int":
        raise c.unexpected("an integer offset", at=at, code="PTX108", message="an address offset is not an integer")
    return value.value
