"""The operands that may come next: registers of a type that fits, the nearest first; variables, labels, functions, special
registers, constants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.isa.forms import resolve
from ptxgen.isa.spaces import WINDOW
from ptxgen.isa.specials import SPECIALS
from ptxgen.isa.types import TYPES, accepts
from ptxgen.lsp.answers.before_cursor import operand_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.isa.forms import OperandType
    from ptxgen.isa.targets import Target
    from ptxgen.isa.types import ScalarType
    from ptxgen.lsp.model.declarations import Declaration
    from ptxgen.lsp.model.program import Program

__all__ = ["Names", "Proposal", "guards", "operands"]

Proposal = tuple[str, str, str, int]
"""(text, kind, a few words, how many characters before the cursor it replaces)."""

_NEAR = 20_000
"""Members of a family that are used so many characters before the cursor, or behind it, are proposed."""
_MOST = 60
_MEMBER = re.compile(r"[%$A-Za-z_][\w$]*")
_AXES_OF_FEW = (".w", ".r", ".g", ".b", ".a")


class Names:
    """What is declared where the cursor is; `near` are the names that stand around it, the nearest first."""

    def __init__(self, program: Program, offset: int, target: Target | None) -> None:
        self.program = program
        self.offset = offset
        self.target = target
        self.visible = list(program.visible(offset))

    def near(self) -> dict[str, None]:
        text, offset = self.program.text, self.offset
        before = _MEMBER.findall(text, max(0, offset - _NEAR), offset)
        behind = _MEMBER.findall(text, offset, offset + _NEAR)
        return dict.fromkeys([*reversed(before), *behind])

    def registers(self, fits: ScalarType | None, *, wider: bool = False) -> Iterator[tuple[str, Declaration]]:
        """The registers of a type that fits, those near the cursor first, with the next free one of each family; untyped ones
        come behind those of the type itself."""
        fitting = [each for each in self.visible if each.kind == "register" and _fits(fits, each, wider)]
        single = {each.name: each for each in fitting if each.members is None}
        families = [each for each in fitting if each.members is not None]
        found: list[tuple[str, Declaration]] = []
        for name in self.near():
            declaration = single.pop(name, None) or next((f for f in families if _is_member(f, name)), None)
            if declaration is not None and len(found) < _MOST:
                found.append((name, declaration))
        found += single.items()
        for family in families:
            free = self._free(family)
            if free is not None:
                found.append((free, family))
        yield from sorted(found, key=lambda each: fits is not None and fits.kind != "b" and each[1].type[:1] == "b")

    def _free(self, family: Declaration) -> str | None:
        """The first member that nothing uses."""
        routine = self.program.routine_at(self.offset)
        span = routine.span if routine is not None else self.program.module.span
        used = re.compile(rf"{re.escape(family.name)}(\d+)").findall(self.program.text, span.start, span.end)
        index = max((int(each) for each in used if len(each) < 10), default=-1) + 1
        return f"{family.name}{index}" if index < (family.members or 0) else None

    def of_kinds(self, *kinds: str) -> list[Declaration]:
        return [each for each in self.visible if each.kind in kinds]


def _is_member(family: Declaration, name: str) -> bool:
    index = name[len(family.name) :]
    return name.startswith(family.name) and index.isdigit() and family.has(index)


def _fits(wanted: ScalarType | None, declaration: Declaration, wider: bool) -> bool:
    type_ = TYPES.get(declaration.type)
    return wanted is None or type_ is None or accepts(wanted, type_, wider=wider)


def guards(names: Names) -> Iterator[Proposal]:
    """The predicates."""
    for name, declaration in names.registers(TYPES["pred"]):
        yield name, "register", declaration.written, 0


def operands(op: str, rest: str, names: Names) -> Iterator[Proposal]:
    """What may stand at the end of `rest`, behind the name `op`."""
    number, brackets, word = operand_of(rest)
    size = len(word)
    seen: set[str] = set()
    for wanted in _wanted(op, number):
        for text, kind, detail in _of_operand(wanted, brackets, names):
            if text not in seen:
                seen.add(text)
                yield text, kind, detail, size
    if op.startswith("call"):
        for text, kind, detail in _of_call(names):
            if text not in seen:
                seen.add(text)
                yield text, kind, detail, size


def _wanted(op: str, number: int) -> list[OperandType]:
    """The operands of the forms of a name that may stand at a place, each kind once."""
    found = []
    for form in resolve(op):
        optional = sum(entry.spec.optional for entry in form.operands)
        for skipped in range(optional + 1) if any(e.spec.optional for e in form.operands[:number]) else (0,):
            if number + skipped < len(form.operands):
                found.append(form.operands[number + skipped])
    return list({repr(each): each for each in found}.values())


def _of_operand(wanted: OperandType, brackets: list[tuple[str, int]], names: Names) -> Iterator[tuple[str, str, str]]:
    spec = wanted.spec
    if spec.kind == "label":
        yield from ((each.name, "label", each.written) for each in names.of_kinds("label", "table"))
    elif spec.kind == "call":
        yield from _of_call(names)
    elif spec.kind == "address":
        yield from _of_address(wanted, brackets, names)
    elif spec.kind == "immediate":
        yield from _constants(wanted)
    elif spec.kind == "vector" or wanted.lanes > 1:
        inside = brackets[-1][1] if brackets else 0
        parts = wanted.parts or ((wanted,) * max(wanted.lanes, 1))
        type_ = parts[min(inside, len(parts) - 1)].type if parts else wanted.type
        yield from _registers(names.registers(type_, wider=spec.wider))
    else:
        yield from _of_value(wanted, names)


def _of_value(wanted: OperandType, names: Names) -> Iterator[tuple[str, str, str]]:
    spec = wanted.spec
    yield from _registers(names.registers(wanted.type, wider=spec.wider))
    if spec.sink:
        yield "_", "constant", "nobody wants this result"
    if not spec.written:
        yield from _constants(wanted)
        if spec.special:
            yield from _specials(wanted, names.target)
        if spec.kind == "symbol" or spec.special:
            yield from ((each.name, "variable", each.written) for each in names.of_kinds("variable", "parameter"))


def _of_address(wanted: OperandType, brackets: list[tuple[str, int]], names: Names) -> Iterator[tuple[str, str, str]]:
    if not brackets:
        yield "[", "constant", "an address"
        return
    if len(brackets) > 1 and wanted.parts:
        yield from _registers(names.registers(wanted.parts[0].type))
        return
    space = WINDOW.get(wanted.space, wanted.space)
    for each in names.of_kinds("variable", "parameter"):
        if not space or each.space == space or (space == "const" and each.space == "const"):
            yield each.name, "variable", each.written
    type_ = wanted.type
    for wide in (type_,) if type_ is not None else _address_types(space):
        yield from _registers(names.registers(wide))


def _address_types(space: str) -> tuple[ScalarType, ...]:
    """The types of registers that hold an address: 32 bits are enough for shared memory."""
    return (TYPES["u32"], TYPES["u64"]) if space in ("shared", "local", "param", "const") else (TYPES["u64"],)


def _of_call(names: Names) -> Iterator[tuple[str, str, str]]:
    for each in names.of_kinds("function"):
        yield each.name, "function", each.written
    for each in names.of_kinds("variable"):
        if each.space == "param":
            yield each.name, "variable", each.written


def _registers(found: Iterable[tuple[str, Declaration]]) -> Iterator[tuple[str, str, str]]:
    for name, declaration in found:
        yield name, "register", f".{declaration.space} .{declaration.type}"


def _constants(wanted: OperandType) -> Iterator[tuple[str, str, str]]:
    spec = wanted.spec
    values = list(spec.values)[:_MOST]
    if not values and spec.range is not None and spec.range[1] - spec.range[0] < 16:
        values = list(range(spec.range[0], spec.range[1] + 1))
    for value in values:
        yield str(value), "constant", f"{spec.name}"


def _specials(wanted: OperandType, target: Target | None) -> Iterator[tuple[str, str, str]]:
    for name, row in SPECIALS.items():
        if name.endswith(_AXES_OF_FEW) or (target is not None and target.sm < row.target):
            continue
        if wanted.type is None or row.reads_as(wanted.type, wider=wanted.spec.wider):
            yield name, "special", f".{row.type.name}: {row.purpose}"
