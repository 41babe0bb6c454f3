"""Mutations of a module that change what it means: one instruction is another, gone, or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.dataflow.matching.operands import match
from ptxgen.ir import Address, Block, Immediate, Instruction, Not, Register, Symbol
from ptxgen.isa.forms import resolve
from ptxgen.text import parse, print_module
from ptxgen.text.printer import format_instruction

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Module, Operand

__all__ = ["KINDS", "mutated"]

KINDS = (
    "operand",
    "modifier",
    "type",
    "space",
    "order",
    "immediate",
    "offset",
    "removed",
    "doubled",
    "exchanged",
    "guard",
)

_TYPES = frozenset(
    "u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 f16 f32 f64 bf16 f16x2 bf16x2 e4m3 e5m2 tf32 u16x2 s16x2".split()
)
_SPACES = frozenset("global shared local const param shared::cta shared::cluster".split())
_ORDERS = frozenset("volatile relaxed acquire release acq_rel weak sc cta cluster gpu sys".split())


def mutated(module: Module, kind: str, rng: Random) -> tuple[Module, str] | None:
    """A copy of the module with one instruction changed, and what was done, in words; None where nothing fits."""
    copy = parse(print_module(module))
    for body in rng.sample(bodies := bodies_of(copy), len(bodies)):
        positions = rng.sample(range(len(body.instructions)), len(body.instructions))
        for position in positions[:200]:
            done = _mutate(body, position, kind, rng)
            if done:
                return parse(print_module(copy)), f"{body.function.name}: {kind}: {done}"
    return None


def _mutate(body: Body, position: int, kind: str, rng: Random) -> str:
    instruction = body.instructions[position]
    if body.forms[position] is None or instruction.opcode == "call" or not _matters(body, position):
        return ""
    before = _text(instruction)
    if kind == "removed":
        return f"removed {before}" if _replace(body, position, []) else ""
    if kind == "doubled":
        if not body.forms[position].form.effects & {"writes", "barrier", "orders"}:  # type: ignore[union-attr]
            return ""
        twice = [instruction, Instruction(instruction.op, instruction.operands, instruction.pred)]
        return f"doubled {before}" if _replace(body, position, twice) else ""
    if kind == "exchanged":
        return _exchange(body, position)
    make = _MAKERS.get(kind)
    changed = _modifier(body, position, rng, kind) if make is None else make(body, position, rng)
    if changed is None or changed == instruction or not _is_legal(changed):
        return ""
    instruction.op, instruction.operands, instruction.pred = changed.op, changed.operands, changed.pred
    return f"{before} -> {_text(changed)}"


def _matters(body: Body, position: int) -> bool:
    """Has the instruction an effect, or does somebody read its result?"""
    form, flow = body.forms[position], body.flow
    assert form is not None
    if flow.block_at(position).index not in flow.reachable:
        return False
    if form.form.effects - {"reads", "converged"}:
        return True
    return any(body.chains.is_read(register, position) for register in body.writes[position])


def _text(instruction: Instruction) -> str:
    return format_instruction(instruction)


def _is_legal(instruction: Instruction) -> bool:
    found = match(instruction.op, instruction.operands)
    return found.resolved is not None and found.mismatch is None


def _operand(body: Body, position: int, rng: Random) -> Instruction | None:
    """A source register becomes another one that is written elsewhere."""
    instruction, form = body.instructions[position], body.forms[position]
    assert form is not None
    sources = [n for n, spec in enumerate(form.form.operands[: len(instruction.operands)]) if not spec.written]
    places = [n for n in sources if isinstance(instruction.operands[n], (Register, Address))]
    if not places:
        return None
    place = rng.choice(places)
    operand = instruction.operands[place]
    old = operand.base if isinstance(operand, Address) else operand
    if not isinstance(old, Register):
        return None
    number = body.number(old, position)
    others = [
        register
        for other, register in enumerate(body.registers)
        if other != number
        and register.type is old.type
        and body.number(register, position) == other
        and _is_computed_before(body, other, position)
        and other not in body.reads[position]
        and not _is_copied(body, number, other)
    ]
    if not others:
        return None
    new = rng.choice(others)
    fresh: Operand = new
    if isinstance(operand, Address):
        fresh = Address(new, operand.offset, operand.coordinates, operand.handle, operand.zero)
    return _with(instruction, place, fresh)


def _is_copied(body: Body, one: int | None, other: int) -> bool:
    """Is one of the registers anywhere a copy of the other? Then they may be equal."""
    return any(
        instruction.opcode == "mov" and {*reads, *writes} == {one, other}
        for instruction, reads, writes in zip(body.instructions, body.reads, body.writes)
    )


def _is_computed_before(body: Body, register: int, position: int) -> bool:
    """Is a register written once, further up, by more than a copy?"""
    where = list(body.chains.definitions.get(register, ()))
    return len(where) == 1 and where[0] < position and body.instructions[where[0]].opcode not in ("mov", "cvta")


def _with(instruction: Instruction, place: int, operand: Operand) -> Instruction:
    operands = list(instruction.operands)
    operands[place] = operand
    return Instruction(instruction.op, tuple(operands), instruction.pred)


def _immediate(body: Body, position: int, rng: Random) -> Instruction | None:
    instruction = body.instructions[position]
    places = [n for n, operand in enumerate(instruction.operands) if isinstance(operand, Immediate)]
    if not places:
        return None
    place = rng.choice(places)
    old = instruction.operands[place]
    assert isinstance(old, Immediate)
    change = rng.choice((1, -1, 2, 8))
    if old.kind != "int":
        change <<= 32 if old.kind == "f64" else 8  # what an f32 keeps of an f64
    return _with(instruction, place, Immediate(abs(old.value + change), old.kind))


def _offset(body: Body, position: int, rng: Random) -> Instruction | None:
    instruction = body.instructions[position]
    for place, operand in enumerate(instruction.operands):
        if isinstance(operand, Address) and isinstance(operand.base, Register):
            moved = Address(operand.base, operand.offset + rng.choice((4, -4, 16)), operand.coordinates, operand.handle)
            return _with(instruction, place, moved)
    return None


def _guard(body: Body, position: int, rng: Random) -> Instruction | None:
    instruction = body.instructions[position]
    guard = instruction.pred
    if guard is None or (len(set(body.flow.block_at(position).successors)) == 1 and instruction.opcode == "bra"):
        return None
    inverted = guard.operand if isinstance(guard, Not) else Not(guard)
    assert isinstance(inverted, (Register, Symbol, Not))
    return Instruction(instruction.op, instruction.operands, inverted)


def _modifier(body: Body, position: int, rng: Random, kind: str) -> Instruction | None:
    """One modifier becomes another one of its set."""
    instruction, form = body.instructions[position], body.forms[position]
    assert form is not None
    if instruction.opcode == "mov":
        return None  # of one size, all types are one
    words = {"type": _TYPES, "space": _SPACES, "order": _ORDERS}.get(kind)
    choices = []
    for segment in form.form.segments:
        for word in segment.choices:
            if words is not None and word not in words:
                continue
            if words is None and word in _TYPES | _SPACES | _ORDERS:
                continue
            chosen = form.bindings.get(segment.name)
            if chosen is not None and word != chosen and (words is None or chosen in words):
                choices.append((segment.name, word))
    rng.shuffle(choices)
    for name, word in choices:
        bindings = {**form.bindings, name: word}
        spelled = (bindings.get(segment.name) for segment in form.form.segments)
        op = ".".join([form.form.opcode, *(each for each in spelled if each)])
        changed = Instruction(op, instruction.operands, instruction.pred)
        if resolve(op) and _is_legal(changed):
            return changed
    return None


_MAKERS = {"operand": _operand, "immediate": _immediate, "offset": _offset, "guard": _guard}


def _exchange(body: Body, position: int) -> str:
    """Two neighbours of which the second reads what the first writes change places."""
    if position + 1 >= len(body.instructions) or body.forms[position + 1] is None:
        return ""
    one, other = body.instructions[position], body.instructions[position + 1]
    if not set(body.writes[position]) & set(body.reads[position + 1]) or not _matters(body, position + 1):
        return ""
    for block in _blocks(body.function.body):
        for place in range(len(block.statements) - 1):
            if block.statements[place] is one and block.statements[place + 1] is other:
                block.statements[place : place + 2] = [other, one]
                return f"exchanged {_text(one)} and {_text(other)}"
    return ""


def _replace(body: Body, position: int, instead: list[Instruction]) -> bool:
    for block in _blocks(body.function.body):
        for place, statement in enumerate(block.statements):
            if statement is body.instructions[position]:
                block.statements[place : place + 1] = instead
                return True
    return False


def _blocks(block: Block | None) -> Iterator[Block]:
    if block is not None:
        yield block
        for statement in block.statements:
            if isinstance(statement, Block):
                yield from _blocks(statement)
