"""What a function is made of: instructions by kind, virtual registers by type."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ptxgen.ir import Register
from ptxgen.ir.node import Node
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.ir import Function

__all__ = ["GROUPS", "group", "opcodes", "virtual_registers"]

GROUPS = {
    "memory": opcodes_with("reads", "writes") - opcodes_with("matrix") - {"mbarrier"} | opcodes_with("hint"),
    "control": opcodes_with("control"),
    "barriers": opcodes_with("barrier", "fence") | {"mbarrier", "griddepcontrol"},
    "matrix": opcodes_with("matrix"),
    "moves": opcodes_with("copy"),
}
"""Kinds of instructions and their opcodes; every other one is of the kind "other": arithmetic, logic, shuffles."""

_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}


def group(opcode: str) -> str:
    """The kind of an opcode."""
    return _GROUP_OF.get(opcode, "other")


def opcodes(function: Function) -> dict[str, int]:
    """How many instructions of each opcode, the most frequent first."""
    counts = Counter(instruction.opcode for instruction in function.instructions())
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def virtual_registers(function: Function) -> dict[str, int]:
    """The registers that instructions name, by type. An assembler needs fewer, or more: `resources` of a report says how many."""
    used: dict[str, str] = {}
    for instruction in function.instructions():
        for operand in (*instruction.operands, instruction.pred):
            _collect(operand, used)
    return dict(sorted(Counter(used.values()).items()))


def _collect(operand: object, used: dict[str, str]) -> None:
    if isinstance(operand, Register):
        used[operand.name] = f".{operand.type.name}"
    elif isinstance(operand, tuple):
        for part in operand:
            _collect(part, used)
    elif isinstance(operand, Node):
        for field in operand._fields:
            _collect(getattr(operand, field), used)
