"""A kernel with its device functions in place of the calls.

An asynchronous protocol does not end where a function does: a device function waits for what its caller has copied. Arguments
and results become moves, so that an mbarrier's address is followed into the function. Each instruction of the whole leads back
to the one that it stands for.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.calls.call import call_parts
from ptxgen.dataflow.calls.participation import HARMLESS, Callees
from ptxgen.ir import (
    Address,
    Block,
    Function,
    Instruction,
    Label,
    Not,
    Register,
    RegisterDeclaration,
    Sink,
    Symbol,
    Variable,
)
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.ir import Module, Operand, Statement
    from ptxgen.isa.types import ScalarType

__all__ = ["Inlined", "inlined"]

_MOST_INSTRUCTIONS = 20_000
_LEAST, _GROWTH = 4000, 4
"""A whole has at most so many instructions; one of a small module fewer: `_LEAST`, and so many times those of its functions."""

_DEEPEST = 16
"""So deep may calls be in one another; a function that calls itself is too deep."""

_CALL = 4
"""What stands around a function in the place of its call."""

_MOVED = frozenset({"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"})
"""Types of parameters that become registers."""


class Inlined(NamedTuple):
    """The kernel as one body, and for each of its instructions (by identity) the function and the instruction it stands for."""

    function: Function
    origins: dict[int, tuple[Function, Instruction]]


class _CannotInlineError(Exception):
    """A recursion, a call of what is not known, two variables of one name, or too much of it."""


def inlined(module: Module, kernel: Function, callees: Callees | None = None) -> Inlined | None:
    """The kernel as one body; None where it calls what is not known, or itself, or the whole would be very long.

    `callees` are the module's functions, for who has them.
    """
    try:
        return _Inliner(module, kernel, callees or Callees(module)).run()
    except _CannotInlineError:
        return None


class _Inliner:
    def __init__(self, module: Module, kernel: Function, callees: Callees) -> None:
        self.module, self.kernel, self.callees = module, kernel, callees
        self.origins: dict[int, tuple[Function, Instruction]] = {}
        self.owners: dict[str, Function | None] = dict.fromkeys(v.name for v in module.variables)
        self.parts: dict[str, dict[str, Register]] = {}
        """By .param variable in sight, its registers."""
        self.labels = 0

    def run(self) -> Inlined:
        kernel = self.kernel
        assert kernel.body is not None
        self._check_length()
        body = self._block(kernel, kernel.body, None, frozenset())
        function = Function(
            kernel.name, is_entry=True, parameters=kernel.parameters, linkage=kernel.linkage, directives=kernel.directives,
            attributes=kernel.attributes, body=body, source=kernel.source,
        )  # fmt: skip
        return Inlined(function, self.origins)

    def _of(self, instruction: Instruction, function: Function, original: Instruction) -> Instruction:
        """Note where an instruction of the whole comes from."""
        self.origins[id(instruction)] = (function, original)
        return instruction

    def _check_length(self) -> None:
        """The whole doubles with each function that calls the next twice: how long it would be is found out first."""
        wholes: dict[str, tuple[int, int]] = {}
        owns = 0

        def measured(function: Function, depth: int) -> tuple[int, int]:
            """(instructions of the whole, how deep its calls go)"""
            nonlocal owns
            if depth > _DEEPEST:
                raise _CannotInlineError
            length = height = own = 0
            for instruction in function.instructions():
                own += 1
                callee = self.callees.of(instruction) if instruction.opcode == "call" else None
                if callee is not None and callee.body is not None:
                    if callee.name not in wholes:
                        wholes[callee.name] = measured(callee, depth + 1)
                    inner, deep = wholes[callee.name]
                    length, height = length + inner + _CALL, max(height, deep + 1)
            if depth + height > _DEEPEST:
                raise _CannotInlineError
            owns += own
            return length + own, height

        length, _ = measured(self.kernel, 0)
        if length > min(_MOST_INSTRUCTIONS, max(_LEAST, _GROWTH * owns)):
            raise _CannotInlineError

    def _block(self, function: Function, block: Block, end: str | None, moved: frozenset[str]) -> Block:
        """The statements of a `{}` of one function. `end` is the label behind a device function; `moved` its .param variables."""
        own = {s.name for s in block.statements if isinstance(s, Variable) and s.space == "param"}
        parts = _parts_of(block, own)
        outer, self.parts = self.parts, {**self.parts, **parts}
        moved |= own
        found: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, Block):
                found.append(self._block(function, statement, end, moved))
            elif isinstance(statement, Instruction):
                found += self._instruction(function, statement, end, moved)
            else:
                if isinstance(statement, Variable) and statement.space != "param":
                    self._claim(statement.name, function)
                found.append(statement)
        self.parts = outer
        return Block([*_declarations(own, parts), *found])

    def _claim(self, name: str, function: Function) -> None:
        """Variables keep their names; two of one name cannot be told apart then."""
        if self.owners.setdefault(name, function) is not function:
            raise _CannotInlineError

    # -- parameters ------------------------------------------------------------------------------------------------

    def _instruction(
        self,
        function: Function,
        instruction: Instruction,
        end: str | None,
        moved: frozenset[str],
    ) -> list[Statement]:
        opcode = instruction.opcode
        if opcode == "call":
            return self._call(function, instruction)
        if opcode == "ret" and end is not None:
            jump = Instruction("bra", (Symbol(end),), instruction.pred, source=instruction.source)
            return [self._of(jump, function, instruction)]
        part = _part(instruction, moved)
        if part is not None:
            place = Register(*part)
            to, value = (place, instruction.operands[1]) if opcode == "st" else (instruction.operands[0], place)
            move = Instruction(f"mov.b{place.type.bits}", (to, value), instruction.pred, source=instruction.source)
            return [self._of(move, function, instruction)]
        return [self._of(instruction, function, instruction)]

    # -- calls -----------------------------------------------------------------------------------------------------

    def _call(self, function: Function, instruction: Instruction) -> list[Statement]:
        callee = self.callees.of(instruction)
        if callee is not None and callee.name in HARMLESS and callee.body is None:
            return [self._of(instruction, function, instruction)]
        if callee is None or callee.body is None:
            raise _CannotInlineError
        call = call_parts(instruction)
        self.labels += 1
        end, skip = f"$end{self.labels}", f"$skip{self.labels}"
        formals = frozenset(v.name for v in (*callee.parameters, *callee.results) if v.space == "param")
        parts = _parts_of(callee.body, formals)
        outside: list[Statement] = []
        inside: list[Statement] = []
        behind: list[Statement] = []
        after: list[Statement] = []

        def move(to: Register, value: Operand) -> Instruction:
            made = Instruction(f"mov.{_moving(to)}", (to, value), source=instruction.source)
            return self._of(made, function, instruction)

        for number, (formal, actual) in enumerate(zip(callee.parameters, call.arguments)):
            for own, other in self._pairs(formal, actual, parts):
                between = Register(f"$in{number}_{own.name}", own.type)
                outside += [_declaration(between), move(between, other)]
                inside += [_declaration(own)] * (formal.space == "reg") + [move(own, between)]
        for number, (formal, actual) in enumerate(zip(callee.results, call.results)):
            inside += [_declaration(Register(formal.name, formal.type))] * (formal.space == "reg")
            for own, other in self._pairs(formal, actual, parts):
                between = Register(f"$out{number}_{own.name}", own.type)
                outside.append(_declaration(between))
                behind.append(move(between, own))
                after.append(move(other, between))  # type: ignore[arg-type]
        variables = [Variable("param", v.type, v.name, shape=v.shape, align=v.align)
                     for v in (*callee.parameters, *callee.results) if v.space == "param"]  # fmt: skip
        body = self._block(callee, callee.body, end, formals)
        whole = Block(
            [*outside, Block([*variables, *_declarations(formals, parts), *inside, body, Label(end), *behind]), *after]
        )
        if instruction.pred is None:
            return [whole]
        guard = instruction.pred.operand if isinstance(instruction.pred, Not) else Not(instruction.pred)
        jump = Instruction("bra", (Symbol(skip),), guard, source=instruction.source)  # type: ignore[arg-type]
        return [Block([self._of(jump, function, instruction), whole, Label(skip)])]

    def _pairs(
        self, formal: Variable, actual: Operand, parts: dict[str, dict[str, Register]]
    ) -> list[tuple[Register, Operand]]:
        """The registers of a parameter or result inside the function, and what they are outside."""
        if isinstance(actual, Sink):
            return []
        if formal.space == "reg":
            return [(Register(formal.name, formal.type), actual)]
        if not isinstance(actual, Symbol):
            return []
        outside = self.parts.get(actual.name, {})
        return [(place, outside[suffix]) for suffix, place in parts.get(formal.name, {}).items() if suffix in outside]


def _declaration(register: Register) -> RegisterDeclaration:
    return RegisterDeclaration(register.type, (register.name,))


def _declarations(names: frozenset[str] | set[str], parts: dict[str, dict[str, Register]]) -> list[Statement]:
    return [_declaration(place) for name in sorted(names) for place in parts.get(name, {}).values()]


def _moving(register: Register) -> str:
    """The type of a mov into a register."""
    name = register.type.name
    return name if name in _MOVED or name == "pred" else f"b{max(register.type.bits, 16)}"


def _name(variable: str, suffix: str) -> str:
    return f"{variable}${suffix}"


def _part(instruction: Instruction, names: frozenset[str] | set[str]) -> tuple[str, ScalarType] | None:
    """(name, type) of the register for the part of a .param variable that an instruction loads or stores."""
    opcode, *words = instruction.op.split(".")
    if (
        opcode not in opcodes_with("load", "store")
        or not words[:-1]
        or not words[0].startswith("param")
        or len(instruction.operands) != 2
    ):
        return None
    address = instruction.operands[1 if opcode == "ld" else 0]
    if (
        len(words) != 2
        or words[1] not in _MOVED
        or not isinstance(address, Address)
        or not isinstance(address.base, Symbol)
    ):
        return None
    if address.base.name not in names:
        return None
    type_ = TYPES[f"b{TYPES[words[1]].bits}"]
    return _name(address.base.name, f"{address.base.offset + address.offset}_{type_.bits}"), type_


def _parts_of(block: Block, names: frozenset[str] | set[str]) -> dict[str, dict[str, Register]]:
    """By variable, the registers for the parts of it that a `{}` loads or stores: by offset and width."""
    found: dict[str, dict[str, Register]] = {}
    if not names:
        return found
    work = [block]
    while work:
        for statement in work.pop().statements:
            if isinstance(statement, Block):
                work.append(statement)
            elif isinstance(statement, Instruction):
                part = _part(statement, names)
                if part is not None:
                    name, suffix = part[0].rsplit("$", 1)
                    found.setdefault(name, {})[suffix] = Register(*part)
    return found
