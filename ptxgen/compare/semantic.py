"""What differs in meaning between two modules."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from ptxgen.compare.changes import Change, Difference
from ptxgen.ir import Instruction
from ptxgen.ir.source import resolve
from ptxgen.text.printer import format_instruction

if TYPE_CHECKING:
    from ptxgen.ir import Function, Module

__all__ = ["difference"]

_NAME = re.compile(r"[%$A-Za-z_][\w$.]*")


def difference(old: Module, new: Module) -> Difference:
    """What has another meaning in `new` than in `old`."""
    changes: list[Change] = []
    if (old.version, old.target, old.address_size) != (new.version, new.target, new.address_size):
        changes.append(Change("changed", "", _head(old), _head(new)))
    before, after = ({f.name: f for f in module.functions if f.body} for module in (old, new))
    for name, function in before.items():
        if name not in after:
            changes.append(Change("removed", name, f"function {name}"))
        else:
            changes += _functions(function, after[name])
    changes += [Change("added", name, "", f"function {name}") for name in after if name not in before]
    return Difference(tuple(changes))


def _head(module: Module) -> str:
    version = ".".join(map(str, module.version))
    return f".version {version} .target {module.target} .address_size {module.address_size}"


def _functions(old: Function, new: Function) -> list[Change]:
    one, other = list(old.instructions()), list(new.instructions())
    changes: list[Change] = []
    matcher = difflib.SequenceMatcher(None, _renumbered(old), _renumbered(new), False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "equal":
            changes += [_change("removed", old, each) for each in one[start:end]]
            changes += [_change("added", old, each) for each in other[new_start:new_end]]
    return changes


def _change(kind: str, function: Function, instruction: Instruction) -> Change:
    text, places = format_instruction(instruction), resolve(instruction.source)
    if kind == "removed":
        return Change(kind, function.name, text, "", places)
    return Change(kind, function.name, "", text, (), places)


def _renumbered(function: Function) -> list[str]:
    assert function.body is not None
    numbers: dict[str, str] = {}
    names = {p.name: f"parameter {n}" for n, p in enumerate(function.parameters)}

    def renamed(match: re.Match[str]) -> str:
        name = match[0]
        if name in names:
            return names[name]
        if name[0] != "%" or not name[-1].isdigit():
            return name
        return numbers.setdefault(name, f"%{len(numbers)}")

    lines = []
    for instruction in function.instructions():
        op, _, rest = format_instruction(instruction).partition(" ")
        lines.append(f"{op} {_NAME.sub(renamed, rest)}")
    return lines
