"""Writes ptxgen/builder/exact/chains.pyi, the types of `k.ptx.<instruction>(operands)`, from the table.

    python tools/make_stubs.py            write it
    python tools/make_stubs.py --check    fail if the file is not what the table says
    python tools/make_stubs.py --stat     how large it is

The table spells more than a hundred thousand names. As a tree of classes they would be too many for a type checker, so places
from which the same words and the same operands follow are one class, across opcodes: the smallest automaton that knows every
name. What is kept: every modifier at its place, how many operands there are, what each may be. What is given up: the length of
vectors, and which of two forms with the same modifiers and as many operands is meant (each operand then takes what either does).
"""

from __future__ import annotations

import argparse
import keyword
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ptxgen.builder.exact.chain import attribute
from ptxgen.builder.values import SCALARS
from ptxgen.isa.forms import forms_of, opcodes, resolve
from ptxgen.isa.spelling import begin, following, is_complete
from ptxgen.isa.types import TYPES, accepts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.isa.forms import OperandType, Resolved
    from ptxgen.isa.spelling import State
    from ptxgen.isa.types import ScalarType

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "ptxgen" / "builder" / "exact" / "chains.pyi"

HEAD = '''\
"""The types of `k.ptx.<instruction>(operands)`. Written by tools/make_stubs.py from the table; do not edit.

An alias in capitals is what may be given where the table says a type: values of that type and of its signed, unsigned or untyped
twin, or a register of the ir.
"""

from typing import Any, TypeVar, overload

from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.tiles.tensor_maps import TensorMap
from ptxgen.builder.values.vectors import vec
from ptxgen.builder.values.scalars import (
    b8, b16, b32, b64, b128, bf16, e4m3, e5m2, f16, f16x2, f32, f64, pred, s8, s16, s32, s64, u8, u16, u32, u64,
)
from ptxgen.ir import Address as _Address
from ptxgen.ir import Element, Not, Register, Sink, Special, Symbol

_T = TypeVar("_T")
Vector = tuple[_T, ...] | vec
New = type[Any]  # a type, where the call makes the value
Guard = pred | Not | None
Name = str | Symbol
Coordinates = list[Any] | _Address
Address = ptr[Any] | DeviceArray[Any] | TensorMap | list[Any] | _Address | u64 | s64 | b64 | u32 | s32 | b32
'''


# ---- operands --------------------------------------------------------------------------------------------------------


class Types:
    """The aliases that operands use, each made once: equal unions have one name."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._by_union: dict[str, str] = {}
        self._by_type: dict[tuple[ScalarType, bool], str] = {}

    def register(self, type_: ScalarType | None, *, wider: bool = False) -> str:
        """The alias of the values that may stand where an instruction has a register of this type."""
        if type_ is None:
            return "Any"
        known = self._by_type.get((type_, wider))
        if known is None:
            known = self._by_type[type_, wider] = self._alias(type_, wider)
        return known

    def _alias(self, type_: ScalarType, wider: bool) -> str:
        found = [n for n, c in SCALARS.items() if _may_hold(type_, n) and accepts(type_, c.storage, wider=wider)]
        if {"u64", "u32"} & {*found}:
            found += ["ptr[Any]", "DeviceArray[Any]"]
        if "u64" in found:  # their generic address
            found.append("TensorMap")
        union = " | ".join([*found, "Register"])
        if union not in self._by_union:
            kind = "i" if type_.kind in "us" else type_.kind
            name = f"{kind}{type_.bits}" if type_.fundamental and type_.kind != "p" else type_.name
            self._by_union[union] = f"{name}{'_wider' if wider else ''}".upper()
            self.lines.append(f"{self._by_union[union]} = {union}")
        return self._by_union[union]


def _may_hold(type_: ScalarType, name: str) -> bool:
    """As `ptxgen.builder.exact.chain` has it: a value's own type says more than its register's."""
    own = TYPES[name]
    if type_.lanes > 1:
        return True
    return not ((type_.is_float and own.is_integer) or (type_.is_integer and own.is_float))


def operand(types: Types, form: Resolved, entry: OperandType) -> str:
    """The annotation of one operand."""
    spec = entry.spec
    if spec.second is not None:
        first = operand(types, form, entry._replace(spec=spec._replace(second=None)))
        pair = f"tuple[{first} | Sink, {types.register(TYPES[spec.second.type])} | New | Sink]"
        return f"{first} | {pair}" if spec.second_optional else pair
    if spec.kind == "address":
        return "Coordinates" if entry.parts else "Address"
    if spec.kind == "vector" or entry.lanes > 1:
        parts = entry.parts or (entry._replace(spec=spec._replace(lanes="", sink=True), lanes=1),)
        inner = dict.fromkeys(operand(types, form, part) for part in dict.fromkeys(parts))
        return f"Vector[{_union(inner)}]"
    if spec.kind == "value" or spec.kind == "symbol":
        return _value(types, form, entry)
    return {"label": "Name", "sink": "Sink", "call": "Any", "immediate": "int"}[spec.kind]


def _value(types: Types, form: Resolved, entry: OperandType) -> str:
    spec, type_ = entry.spec, entry.type
    found = [types.register(type_, wider=spec.wider)]
    if spec.written:
        return " | ".join([*found, *["Sink"] * spec.sink, "New"])
    if type_ is not None and not spec.register_only:
        if type_.kind in "usp":
            found.append("int")
        elif type_.kind == "b" or (type_.bits >= 32 and type_.lanes == 1):
            found.append("float")
    if form.form.opcode in ("mov", "cvt"):
        found.append("Special")
    if spec.selectors:
        found.append("Element")
    if spec.kind == "symbol":
        found.append("Name")
    return " | ".join(found)


def _union(texts: dict[str, None]) -> str:
    """One annotation for several: their alternatives, each once."""
    if len(texts) == 1:
        return next(iter(texts))
    if "Any" in texts:
        return "Any"
    return " | ".join(dict.fromkeys(part for text in texts for part in _alternatives(text)))


def _alternatives(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def calls(types: Types, forms: Sequence[Resolved]) -> tuple[str, ...]:
    """The parameter lists of `__call__`, one for each number of operands; each parameter takes what any of the forms takes."""
    by_count: dict[int, list[list[tuple[str, str]]]] = {}
    for form in forms:
        if form.operands and form.operands[0].spec.kind == "call":
            return ("*operands: Any",)
        for chosen in _chosen(form.operands):
            by_count.setdefault(len(chosen), []).append([(e.spec.name, operand(types, form, e)) for e in chosen])
    texts = []
    for _, lists in sorted(by_count.items()):
        merged: list[str] = []
        names: list[str] = []
        for column in zip(*lists):
            name = column[0][0]
            name = f"{name}_" if keyword.iskeyword(name) else name
            while name in names or name in ("self", "pred"):
                name += "_"
            names.append(name)
            merged.append(f"{name}: {_union(dict.fromkeys(text for _, text in column))}")
        texts.append(", ".join(merged))
    return tuple(texts)


def _chosen(operands: tuple[OperandType, ...]) -> Iterator[list[OperandType]]:
    """The operands with each choice of the optional ones."""
    optional = [i for i, entry in enumerate(operands) if entry.spec.optional]
    for count in range(len(optional) + 1):
        for left_out in combinations(optional, count):
            yield [entry for i, entry in enumerate(operands) if i not in left_out]


# ---- classes ---------------------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """A class: what calling it takes, and the attribute and class of each word that may follow."""

    calls: tuple[str, ...]
    words: tuple[tuple[str, str], ...]


class Classes:
    """The automaton's states, each as one class; equal ones are the same."""

    def __init__(self) -> None:
        self.types = Types()
        self.names: dict[Node, str] = {}
        self._known: dict[State, str] = {}

    def add(self, path: str, state: State) -> str:
        """The name of the class of a state that `path` leads to."""
        known = self._known.get(state)
        if known is not None:
            return known
        words = tuple((attribute(word), self.add(f"{path}.{word}", there)) for word, there in following(state).items())
        node = Node(calls(self.types, resolve(path)) if is_complete(state) else (), words)
        name = self.names.get(node)
        if name is None:
            name = self.names[node] = "_" + path.replace("::", "__").replace(":", "_").replace(".", "_")
        self._known[state] = name
        return name


def _class(name: str, node: Node) -> Iterator[str]:
    lines = [f"    {word}: {target}" for word, target in node.words]
    for text in node.calls:
        if len(node.calls) > 1:
            lines.append("    @overload")
        positional = "self, *operands: Any" if text.startswith("*") else f"self, {text}, /, *" if text else "self, *"
        result = "Any" if "New" in text or text.startswith("*") else "None"
        lines.append(f"    def __call__({positional}, pred: Guard = ...) -> {result}: ...")
    yield f"class {name}(_Chain):"
    yield from lines


def stub() -> str:
    """The text of the stub file; the same for the same table."""
    classes = Classes()
    roots = [(opcode, classes.add(opcode, begin(opcode))) for opcode in opcodes()]
    lines = [*HEAD.splitlines(), *classes.types.lines, ""]
    lines += ["class _Chain:", "    def __getitem__(self, name: str, /) -> Any: ..."]
    for node, name in classes.names.items():
        lines += _class(name, node)
    lines += ["", "class Ptx(_Chain):", '    """Exactly one instruction, its modifiers in the manual\'s order."""', ""]
    for opcode, name in roots:
        lines.append(f"    {attribute(opcode)}: {name}")
        syntax = [f"    {line}" for line in dict.fromkeys(_syntax(opcode))]
        lines += ['    """', *syntax, '    """'] if len(syntax) > 1 else [f'    """{syntax[0].strip()}"""']
    return "\n".join(lines) + "\n"


def _syntax(opcode: str) -> Iterator[str]:
    for form in forms_of(opcode):
        yield form.syntax


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    parser.add_argument("--stat", action="store_true", help="print how large the stubs are")
    arguments = parser.parse_args()
    text = stub()
    if arguments.stat:
        print(
            f"{text.count(chr(10) + 'class ')} classes, {len(text.splitlines())} lines, {len(text.encode()) / 1000:.0f} KB"
        )
    if arguments.check:
        if STUB.read_text() != text:
            print(f"{STUB.relative_to(ROOT)} is not what the table says: python tools/make_stubs.py", file=sys.stderr)
            return 1
        return 0
    STUB.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
