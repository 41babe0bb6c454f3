"""Rewrites of a module that change nothing of what it means: other names, another order, constants in registers, scopes.

Each rewrite is written with as little as can be of what it is there to test: it asks the table what an instruction reads, writes
and does, and otherwise stays away from what is not plain.
"""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.dataflow.matching.operands import match
from ptxgen.ir import (
    Block,
    BranchTargets,
    Function,
    Immediate,
    Instruction,
    Label,
    Register,
    RegisterDeclaration,
    Special,
    Symbol,
    Variable,
)
from ptxgen.isa.types import TYPES
from ptxgen.text import parse, print_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Module, Operand, Statement

    Rewrite = Callable[[str, Random], str]

__all__ = ["REWRITES", "rewritten"]

_TELLING = ("wgmma", "tcgen05")
"""Instructions that use registers after they were issued: nothing changes its place beside them."""


def rewritten(module: Module, rng: Random, rewrites: Sequence[Rewrite] = ()) -> Module:
    """The module after these rewrites, or some of all."""
    text = print_module(module)
    for rewrite in rewrites or [rng.choice(REWRITES) for _ in range(rng.randint(1, 4))]:
        text = rewrite(text, rng)
    return parse(text)


def _on_ir(rewrite: Callable[[Module, Random], None]) -> Callable[[str, Random], str]:
    @wraps(rewrite)
    def on_text(text: str, rng: Random) -> str:
        module = parse(text)
        rewrite(module, rng)
        return print_module(module)

    return on_text


def _functions(module: Module) -> Iterator[Function]:
    yield from (function for function in module.functions if function.body is not None)


def _blocks(block: Block | None) -> Iterator[Block]:
    if block is not None:
        yield block
        for statement in block.statements:
            if isinstance(statement, Block):
                yield from _blocks(statement)


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with these names replaced wherever they stand alone."""
    return re.sub(r"(?<![\w$%.])[%$\w][\w$]*", lambda found: names.get(found[0], found[0]), text)


def _new_names(names: list[str], prefix: str, rng: Random) -> dict[str, str]:
    numbers = rng.sample(range(10 * len(names) + 10), len(names))
    return {name: f"{prefix}{number}" for name, number in zip(names, numbers)}


def _registers(text: str, rng: Random) -> str:
    """Every register gets another name, declared one by one and in another order."""
    module = parse(text)
    used = {register.name for body in bodies_of(module) for register in body.registers}
    for function in _functions(module):
        for block in _blocks(function.body):
            statements: list[Statement] = []
            for statement in block.statements:
                if isinstance(statement, RegisterDeclaration) and statement.count is not None:
                    spelled = [f"{name}{n}" for name in statement.names for n in range(statement.count)]
                    alone = [name for name in spelled if name in used]
                    rng.shuffle(alone)
                    statements += [
                        RegisterDeclaration(statement.type, (name,), vector=statement.vector) for name in alone
                    ]
                else:
                    statements.append(statement)
            block.statements[:] = statements
    declared = dict.fromkeys(
        name
        for function in _functions(module)
        for block in _blocks(function.body)
        for statement in block.statements
        if isinstance(statement, RegisterDeclaration)
        for name in statement.names
    )
    return _renamed(print_module(module), _new_names(list(declared), f"%{rng.choice('qzv')}q", rng))


def _labels(text: str, rng: Random) -> str:
    """Every label and branch table gets another name."""
    names = dict.fromkeys(
        statement.name
        for function in _functions(parse(text))
        for block in _blocks(function.body)
        for statement in block.statements
        if isinstance(statement, (Label, BranchTargets))
    )
    return _renamed(text, _new_names(list(names), "$other_", rng))


def _locals(text: str, rng: Random) -> str:
    """Every parameter and variable of a function gets another name."""
    module = parse(text)
    outside = {item.name for item in module.items if isinstance(item, (Variable, Function))}
    names = dict.fromkeys(
        variable.name
        for function in module.functions
        for variable in (
            *function.parameters,
            *function.results,
            *(s for block in _blocks(function.body) for s in block.statements if isinstance(s, Variable)),
        )
    )
    return _renamed(text, _new_names([name for name in names if name not in outside], "own_", rng))


def _is_free(body: Body, position: int) -> str:
    """ "pure", "load" or "store" for an instruction whose place only registers and memory decide; else ""."""
    instruction, form = body.instructions[position], body.forms[position]
    if form is None or any(word in instruction.op for word in (".cc", "addc", "subc", "madc", "volatile")):
        return ""
    if any(isinstance(operand, Special) and "clock" in operand.name for operand in instruction.operands):
        return ""
    if any(isinstance(operand, Special) and "timer" in operand.name for operand in instruction.operands):
        return ""
    if "pure" in form.form.traits and not form.form.effects:
        return "pure"
    words = instruction.op.split(".")
    if {"load", "store"} & form.form.traits and not {"relaxed", "acquire", "release", "mmio", "async"} & set(words):
        return "load" if "load" in form.form.traits else "store"
    return ""


def _order(module: Module, rng: Random) -> None:
    """Neighbours that do not depend on each other change places, many times."""
    for body in bodies_of(module):
        if any(opcode in body.at for opcode in _TELLING):
            continue
        number = {id(instruction): position for position, instruction in enumerate(body.instructions)}
        for block in _blocks(body.function.body):
            statements = block.statements
            for _ in range(3):
                for place in range(len(statements) - 1):
                    one, other = statements[place], statements[place + 1]
                    if rng.random() < 0.5 or not isinstance(one, Instruction) or not isinstance(other, Instruction):
                        continue
                    if _independent(body, number[id(one)], number[id(other)]):
                        statements[place], statements[place + 1] = other, one


def _independent(body: Body, one: int, other: int) -> bool:
    kinds = {_is_free(body, one), _is_free(body, other)}
    if "" in kinds or kinds == {"store"} or kinds == {"load", "store"}:
        return False
    written, written_there = set(body.writes[one]), set(body.writes[other])
    return written.isdisjoint((*body.reads[other], *body.writes[other])) and written_there.isdisjoint(body.reads[one])


def _constants(module: Module, rng: Random) -> None:
    """Constants are put into a register before they are used."""
    prefix = f"%constant{rng.randrange(1 << 30)}_"
    for body in bodies_of(module):
        number = {id(instruction): position for position, instruction in enumerate(body.instructions)}
        made = 0
        for block in _blocks(body.function.body):
            statements: list[Statement] = []
            for statement in block.statements:
                if isinstance(statement, Instruction) and rng.random() < 0.3:
                    found = _with_register(body, number[id(statement)], Register(f"{prefix}{made}", TYPES["b32"]))
                    if found is not None:
                        register, value, statement = found
                        made += 1
                        statements.append(RegisterDeclaration(register.type, (register.name,)))
                        move = f"mov.{register.type.name}"
                        statements.append(Instruction(move, (register, value)))
                statements.append(statement)
            block.statements[:] = statements


def _with_register(body: Body, position: int, register: Register) -> tuple[Register, Immediate, Instruction] | None:
    """An instruction with a register in place of its first constant, where the table allows one."""
    instruction, form = body.instructions[position], body.forms[position]
    if form is None or len(form.operands) != len(instruction.operands):
        return None
    for place, (operand, type_) in enumerate(zip(instruction.operands, form.operands)):
        if not isinstance(operand, Immediate) or type_.type is None or type_.spec.kind != "value":
            continue
        if (
            not type_.type.fundamental
            or type_.type.bits not in (16, 32, 64)
            or (type_.type.is_float != (operand.kind != "int"))
        ):
            continue
        register = Register(register.name, type_.type)
        operands: tuple[Operand, ...] = (*instruction.operands[:place], register, *instruction.operands[place + 1 :])
        matched = match(instruction.op, operands)
        if matched.resolved is not None and matched.mismatch is None and matched.warning is None:
            return register, operand, Instruction(instruction.op, operands, instruction.pred, instruction.source)
    return None


def _scopes(module: Module, rng: Random) -> None:
    """Stretches of instructions get a scope of their own."""
    for function in _functions(module):
        for block in list(_blocks(function.body)):
            start = rng.randrange(len(block.statements) + 1)
            end = start
            while end < len(block.statements) and isinstance(block.statements[end], Instruction) and rng.random() < 0.9:
                end += 1
            if end > start:
                block.statements[start:end] = [Block(block.statements[start:end])]


def _declarations(module: Module, rng: Random) -> None:
    """Declarations at the head of a body, and variables of the module, change places."""
    for function in _functions(module):
        assert function.body is not None
        statements = function.body.statements
        count = 0
        while count < len(statements) and isinstance(statements[count], (RegisterDeclaration, Variable)):
            count += 1
        head = statements[:count]
        rng.shuffle(head)
        statements[:count] = head
    places = [n for n, item in enumerate(module.items) if isinstance(item, Variable) and item.init is None]
    if places and places[-1] - places[0] == len(places) - 1:
        items = [module.items[place] for place in places]
        rng.shuffle(items)
        module.items[places[0] : places[-1] + 1] = items


def _numbers(text: str, rng: Random) -> str:
    """Constants are written in hexadecimal."""

    def other(found: re.Match[str]) -> str:
        return f", {int(found[1]):#x}" if rng.random() < 0.5 else found[0]

    lines = [
        re.sub(r", (\d+)(?=[;,])", other, line) if line.startswith("\t") and not line.lstrip().startswith(".") else line
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def _jumps(module: Module, rng: Random) -> None:
    """Labels that nobody names, and branches to the next line."""
    prefix = f"$next{rng.randrange(1 << 30)}_"
    for body in bodies_of(module):
        made = 0
        for block in _blocks(body.function.body):
            for place in range(len(block.statements) - 1, 0, -1):
                if isinstance(block.statements[place], Instruction) and rng.random() < 0.05:
                    label = f"{prefix}{made}"
                    made += 1
                    branch = Instruction("bra", (Symbol(label),))
                    block.statements[place:place] = [branch, Label(label)] if rng.random() < 0.5 else [Label(label)]


REWRITES: tuple[Rewrite, ...] = (
    _registers,
    _labels,
    _locals,
    _numbers,
    *(_on_ir(rewrite) for rewrite in (_order, _constants, _scopes, _declarations, _jumps)),
)
