"""A function under a pass: what it is, and what shall stand in place of its instructions.

Also what passes ask of an instruction: may it be dropped when nothing reads its result, may it be computed once for several.
The answers come from the table's effects; what the table cannot say stands here, with its reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.matching.operands import match
from ptxgen.ir import (
    Address,
    Block,
    Function,
    Immediate,
    Instruction,
    Label,
    Operand,
    Register,
    RegisterDeclaration,
    Special,
    Symbol,
    Variable,
)
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Statement

__all__ = ["Edit", "Pass", "is_legal", "is_plain_load", "is_plain_store", "move_into"]

_EFFECTS = frozenset({"reads", "writes", "orders", "barrier", "control", "converged"})


class Edit:
    """A body, and the changes that a pass asks for. Positions are those of `body`; nothing changes before `apply`.

    `numbers` of registers are `body`'s too. `read_only`: parameters whose memory nobody writes while the kernel runs.
    `remarks`: by position, what the pass would have done and why it did not.
    """

    def __init__(self, body: Body, read_only: frozenset[str] = frozenset()) -> None:
        self.body = body
        self.read_only = read_only
        self.remarks: list[tuple[int, str]] = []
        self._instead: dict[int, tuple[Instruction | Label, ...]] = {}
        self._made: list[Register] = []

    @property
    def changes(self) -> int:
        """How many instructions are replaced or deleted so far."""
        return len(self._instead)

    def is_changed(self, position: int) -> bool:
        """Has the pass replaced or deleted that instruction?"""
        return position in self._instead

    def instead(self, position: int) -> tuple[Instruction, ...]:
        """The instructions that the pass puts in place of that one; () where it keeps or deletes it."""
        return tuple(each for each in self._instead.get(position, ()) if isinstance(each, Instruction))

    def replace(self, position: int, *instructions: Instruction | Label) -> None:
        """Let these stand there instead. An instruction of theirs without a source gets the old one's."""
        source = self.body.instructions[position].source
        for instruction in instructions:
            if instruction.source is None:
                instruction.source = source
        self._instead[position] = instructions

    def delete(self, position: int) -> None:
        """Drop an instruction."""
        self._instead[position] = ()

    def remark(self, position: int, text: str) -> None:
        """Note why an instruction stays as it is, where somebody may wonder."""
        self.remarks.append((position, text))

    def fresh(self, type: ScalarType) -> Register:
        """A new register, declared at the top of the function."""
        register = Register(f"{self._prefix}{len(self._made)}", type)
        self._made.append(register)
        return register

    @lazy
    def _prefix(self) -> str:
        """What no register of the function starts with, except for those of earlier passes; counts on behind these."""
        taken = {name for scope in {id(s): s for s in self.body.scopes}.values() for name in scope.names}
        taken |= {register.name for register in self.body.registers}
        number = 0
        while any(name.startswith(f"%x{number}_") for name in taken):
            number += 1
        return f"%x{number}_"

    @lazy
    def pinned(self) -> int:
        """Registers that mean more than their text here, as bits: parameters and results in .reg, and vectors of lanes."""
        function = self.body.function
        names = {v.name for v in (*function.parameters, *function.results) if v.space == "reg"}
        found = 0
        for number, register in enumerate(self.body.registers):
            if register.lanes > 1 or register.name in names:
                found |= 1 << number
        return found

    def number(self, operand: Operand, position: int) -> int | None:
        """The number of a register operand; None for what is not a register, and for a pinned one."""
        if type(operand) is not Register:
            return None
        number = self.body.number(operand, position)
        return None if number is None or self.pinned >> number & 1 else number

    def names(self, number: int, position: int) -> Register | None:
        """How the register with that number is written at a position; None where its name means another, or nothing."""
        register = self.body.registers[number]
        scope = self.body.scopes[position]
        known = scope.registers.get(register.name)
        if known is not None:
            return register if known[0] == number else None
        home = self._homes.get(number)
        return register if home is not None and scope.find(register.name) is home else None

    @lazy
    def _homes(self) -> dict[int, object]:
        """The declaration of each register that is written."""
        found: dict[int, object] = {}
        for position, written in enumerate(self.body.writes):
            for number in written:
                if number not in found:
                    found[number] = self.body.scopes[position].find(self.body.registers[number].name)
        return found

    def destination(self, position: int) -> int | None:
        """The number of the one register that an instruction writes, as its first operand; else None."""
        written = self.body.writes[position]
        if len(written) != 1 or type(self.body.instructions[position].operands[0]) is not Register:
            return None
        return None if self.pinned >> written[0] & 1 else written[0]

    def computes(self, position: int) -> bool:
        """Does it only compute, the same from the same operands whenever it runs?"""
        instruction, form = self.body.instructions[position], self.body.forms[position]
        if form is None or "pure" not in form.form.traits or form.form.effects & _EFFECTS:
            return form is not None and self.is_parameter(position)
        if ".cc" in instruction.op:
            return False
        return not any(type(o) is Special and variation(o.name).changes != "never" for o in instruction.operands)

    def is_parameter(self, position: int) -> bool:
        """Is it a load of a kernel's parameter, by its name? These never change (manual 5.1.6.1)."""
        instruction = self.body.instructions[position]
        if not self.body.function.is_entry or not instruction.op.startswith("ld.param"):
            return False
        address = instruction.operands[1]
        if type(address) is not Address or type(address.base) is not Symbol:
            return False
        known = self.body.scopes[position].find(address.base.name)
        return isinstance(known, Variable) and any(known is parameter for parameter in self.body.function.parameters)

    def may_drop(self, position: int) -> bool:
        """May it go when nobody wants its results? A load may, unless it is volatile or orders memory."""
        form = self.body.forms[position]
        if form is None:
            return False
        if form.form.effects & _EFFECTS == {"reads"}:
            return "load" in form.form.traits and is_plain_load(self.body.instructions[position].op)
        if "pure" not in form.form.traits or form.form.effects & _EFFECTS:
            return False
        return ".cc" not in self.body.instructions[position].op  # a carry is a result that no operand names

    def apply(self) -> Function:
        """The function with the changes made; the old one stays as it is."""
        old = self.body.function
        assert old.body is not None
        statements, _ = self._rebuild(old.body, 0)
        if self._made:
            statements.statements[:0] = _declarations(self._made)
        return Function(
            old.name,
            is_entry=old.is_entry,
            parameters=old.parameters,
            results=old.results,
            linkage=old.linkage,
            directives=old.directives,
            attributes=old.attributes,
            body=statements,
            source=old.source,
            dynamic_shared=old.dynamic_shared,
            tensors=old.tensors,
        )

    def _rebuild(self, block: Block, position: int) -> tuple[Block, int]:
        statements: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, Instruction):
                instead = self._instead.get(position)
                statements += (statement,) if instead is None else instead
                position += 1
            elif isinstance(statement, Block):
                inner, position = self._rebuild(statement, position)
                statements.append(inner)
            else:
                statements.append(statement)
        return Block(statements), position


Pass = Callable[[Edit], None]


def _declarations(made: list[Register]) -> list[Statement]:
    """One line a type, in the order in which the types were first asked for."""
    by_type: dict[ScalarType, list[str]] = {}
    for register in made:
        by_type.setdefault(register.type, []).append(register.name)
    return [RegisterDeclaration(type, tuple(names)) for type, names in by_type.items()]


def is_legal(instruction: Instruction) -> bool:
    """Does the table take it as it stands, without a warning?"""
    found = match(instruction.op, instruction.operands)
    return found.resolved is not None and found.mismatch is None and found.warning is None


_WEAK = frozenset({"weak", "global", "shared", "shared::cta", "local", "const", "param", "param::entry", "nc"})


def is_plain_load(op: str) -> bool:
    """A load that nothing but its address and type says more of: no volatile, no ordering, no hint for a cache."""
    return op.startswith("ld.") and _is_plain(op)


def is_plain_store(op: str) -> bool:
    """The same of a store."""
    return op.startswith("st.") and _is_plain(op)


def _is_plain(op: str) -> bool:
    words = op.split(".")
    return words[-1] in TYPES and all(word in _WEAK or word in ("v2", "v4", "v8") for word in words[1:-1])


def move_into(destination: Register, value: Operand, pred: Instruction | None = None) -> Instruction:
    """`destination = value`, for a register of the same size, or an integer as the bits of one.

    With `pred`, under the guard of that instruction and from its source.
    """
    type_ = destination.type
    if type_.kind == "p":
        op = "mov.pred"
    elif type_.kind in "us" or (type_.name in ("f32", "f64") and type(value) is not Immediate):
        same = isinstance(value, Register) and value.type is not type_
        op = f"mov.b{type_.bits}" if same else f"mov.{type_.name}"
    else:
        op = f"mov.b{type_.bits}"
    guard, source = (None, None) if pred is None else (pred.pred, pred.source)
    return Instruction(op, (destination, value), guard, source)
