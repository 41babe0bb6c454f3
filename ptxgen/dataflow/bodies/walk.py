"""The one walk over a body: names first, then forms, then what each instruction reads and writes.

Nothing is reported here: a listener is told of what is not plainly legal (listener.py). The verifier spends most of its time in
this loop, so that the common cases (operands that are declared registers, constants, addresses in registers) stay inside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.accumulators import note_accumulators
from ptxgen.dataflow.bodies.body import Body, Remarks
from ptxgen.dataflow.bodies.names import NameResolver
from ptxgen.dataflow.bodies.scope import NameScope, body_scope, declared, enter
from ptxgen.dataflow.matching.operands import Match, destinations, match_shapes, shape
from ptxgen.ir import (
    Address,
    Arguments,
    Block,
    CallPrototype,
    Comment,
    Element,
    Function,
    Immediate,
    Instruction,
    Label,
    Not,
    Operand,
    Register,
    RegisterDeclaration,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.isa.forms import opcodes, opcodes_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.dataflow.bodies.listener import WalkListener
    from ptxgen.ir import Module, Statement
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.types import ScalarType

__all__ = ["bodies_of", "body_of", "walk"]

_PLAIN = opcodes_with("pure", "load", "store", "atomic", "hint", "branch", "ends")
_COMPUTED = opcodes_with("shift", "division", "carry") | {"setp", "bfe", "isspacep", "mapa"}
_STORES = opcodes_with("store", "atomic")
_NOTABLE = frozenset(opcodes()) - _PLAIN | _COMPUTED

_notable: dict[str, str] = {}

_Lists = dict[int, tuple[list[int], object]]
"""By its id, a vector's registers and shape. Chains of matrix instructions have one list of accumulators again and again."""


def walk(body: Body, listener: WalkListener | None = None) -> None:
    """Fill in a body, which is empty yet. `listener` is told of what is not plainly legal."""
    function = body.function
    assert function.body is not None
    outer = NameScope(body.names)
    for parameter in (*function.parameters, *function.results):
        outer.add(parameter.name, parameter)
    _walk(body, function.body, body_scope(function.body, outer), NameResolver(body, listener), listener)
    if "wgmma" in body.at:
        note_accumulators(body)


def bodies_of(module: Module, wanted: Callable[[Function], bool] | None = None) -> list[Body]:
    """The bodies of a module's functions, or of those that are `wanted`, each with the names that are declared before it."""
    names = NameScope()
    bodies = []
    for item in module:
        enter(item, names)
        if isinstance(item, Function) and item.body is not None and (wanted is None or wanted(item)):
            body = Body(module, names, item)
            walk(body)
            bodies.append(body)
    return bodies


def body_of(module: Module, name: str) -> Body:
    """The body of one function, with all of its module's names."""
    names = NameScope()
    for item in module:
        enter(item, names)
    body = Body(module, names, module.function(name))
    walk(body)
    return body


def _walk(body: Body, block: Block, scope: NameScope, resolver: NameResolver, listener: WalkListener | None) -> None:
    registers, visible, remarks = scope.registers, scope.names, Remarks()
    instructions, forms, scopes, reads, writes = body.instructions, body.forms, body.scopes, body.reads, body.writes
    resolve_names = resolver.resolve
    lists: _Lists = {}
    legal: dict[int, Match] = {}
    """By their ids, forms that are not legal everywhere, but here."""
    for statement in block.statements:
        if type(statement) is not Instruction:
            if type(statement) is Block:
                _walk(body, statement, body_scope(statement, scope), resolver, listener)
            else:
                _note_statement(body, statement, scope, remarks)
                if type(statement) is RegisterDeclaration:
                    lists.clear()
            continue
        op, operands = statement.op, statement.operands
        shapes: list[object] = [op]
        named: list[int] = []
        known, memory, by_name, constant = True, False, False, False
        for operand in operands:
            kind = type(operand)
            if kind is Immediate:
                shapes.append((operand.kind, operand.value))  # type: ignore[union-attr]
                continue
            if kind is not Register:
                if kind is Vector:
                    listed = lists.get(id(operand)) or _listed(registers, operand, lists)  # type: ignore[arg-type]
                    shapes.append(listed[1])
                    if listed[0] is not None:
                        named += listed[0]
                        continue
                else:
                    shapes.append(shape(operand))
                if kind is Address:
                    memory = True
                    if not operand.coordinates:  # type: ignore[union-attr]
                        operand = operand.base  # type: ignore[union-attr]
                        kind = type(operand)
                        by_name = by_name or kind is not Register
                elif kind is Symbol:
                    constant = constant or operand.is_sum  # type: ignore[union-attr]
            else:
                shapes.append(operand.type if operand.lanes == 1 else shape(operand))  # type: ignore[union-attr]
            if kind is Register:
                register = registers.get(operand.name)  # type: ignore[union-attr]
                if register is None:
                    declaration = visible.get(operand.name)  # type: ignore[union-attr]
                    if type(declaration) is RegisterDeclaration:  # its first use
                        register = registers[operand.name] = (len(body.registers), declaration.type)  # type: ignore[union-attr]
                        body.registers.append(operand)  # type: ignore[arg-type]
                if register is not None and register[1] is operand.type:  # type: ignore[union-attr]
                    named.append(register[0])
                    continue
            known = resolve_names(scope, statement, operand, named) and known
        guard: list[int] = []
        if statement.pred is not None:
            known = resolve_names(scope, statement, statement.pred, guard) and known
        form = None
        count = 0
        if known:
            found = match_shapes(tuple(shapes), operands)
            form = found.resolved
            if not (found.everywhere or id(found) in legal) or (guard and not _is_predicate(statement.pred)):
                form = _judged(scope, statement, found, listener)
                if form is found.resolved and form is not None:
                    legal[id(found)] = found
            count = found.written if found.everywhere else 0 if form is None else destinations(form.form)
        if memory:
            body.memory.append(len(instructions))
        named_place = constant or (memory and (by_name or "::func" in op))
        if named_place and listener is not None and form is not None:
            listener.addresses(scope, statement, form)
        # What it reads and writes: destinations stand first. What an illegal instruction names counts as written.
        cut = len(named)
        if form is not None:
            if count == 1 and type(operands[0]) is Register:
                cut = 1
            elif count == 1 and (id(operands[0]) in lists or _all_registers(operands[0])):
                cut = len(operands[0].elements)  # type: ignore[union-attr]
            elif count:
                cut = _mentioned(body, scope, statement, operands[:count])
                parts = _partly_written(body, scope, statement, operands[:count])
                if parts:
                    named += parts
                    body.partly[len(instructions)] = frozenset(parts)
            elif form.form.opcode == "call":
                if listener is not None:
                    listener.call(scope, statement)
                cut = _results_of_call(body, scope, statement)
            else:
                cut = 0
        notable = _notable.get(op)
        if notable is None:
            notable = _notable[op] = _notable_name(op)
        if notable:
            body.at.setdefault(notable, []).append(len(instructions))
        instructions.append(statement)
        forms.append(form)
        scopes.append(scope)
        writes.append(named[:cut])
        reads.append(guard + named[cut:] if guard else named[cut:])
    if remarks.lines:
        remarks.end = len(instructions)
        body.remarks.append(remarks)
    if listener is not None and scope.duplicates:
        listener.duplicates(scope)


def _judged(scope: NameScope, instruction: Instruction, found: Match, listener: WalkListener | None) -> Resolved | None:
    """The form of an instruction that is not legal everywhere, where it is legal here; the listener is told why it is not."""
    form = found.resolved
    if listener is None:
        return None if found.mismatch is not None else form
    legal = form is not None and not found.mismatch and not found.warning
    if legal and (instruction.pred is None or _is_predicate(instruction.pred)) and listener.exists(form):  # type: ignore[arg-type]
        return form
    return listener.form(scope, instruction)


def _listed(
    registers: dict[str, tuple[int, ScalarType]], vector: Vector, lists: _Lists
) -> tuple[list[int] | None, object]:
    """A vector's registers, None where not all were named before, rightly typed; and its shape."""
    numbers: list[int] = []
    for part in vector.elements:
        register = registers.get(part.name) if type(part) is Register else None
        if register is None or register[1] is not part.type:  # type: ignore[union-attr]
            return None, shape(vector)
        numbers.append(register[0])
    found = lists[id(vector)] = numbers, shape(vector)
    return found


def _all_registers(operand: Operand) -> bool:
    return type(operand) is Vector and all(type(part) is Register for part in operand.elements)


def _is_predicate(guard: object) -> bool:
    register = guard.operand if type(guard) is Not else guard
    return type(register) is Register and register.type.kind == "p"


def _note_statement(body: Body, statement: Statement, scope: NameScope, remarks: Remarks) -> None:
    """What is neither an instruction nor a nested scope: declarations, and remarks to ptxgen's tools."""
    kind = type(statement)
    if kind is Label:
        return
    if kind is Comment:
        if "ptxgen:" in statement.text:  # type: ignore[union-attr]
            remarks.lines.append((len(body.instructions), statement.text))  # type: ignore[union-attr]
    else:
        if kind is Variable:
            body.variables.append(statement)  # type: ignore[arg-type]
        elif kind is CallPrototype:
            body.prototypes.append(statement)  # type: ignore[arg-type]
        elif kind is RegisterDeclaration and statement.vector > 1:  # type: ignore[union-attr]
            body.vectors.append(statement)  # type: ignore[arg-type]
        declared(statement, scope)
        if kind is RegisterDeclaration and scope.registers:  # names that meant an outer one so far
            for name in [name for name in scope.registers if scope.here(name) is statement]:
                del scope.registers[name]


def _results_of_call(body: Body, scope: NameScope, instruction: Instruction) -> int:
    """How many registers a call writes."""
    operands = instruction.operands
    if len(operands) < 2 or not isinstance(operands[0], Arguments):
        return 0
    return _mentioned(body, scope, instruction, operands[:1])


def _mentioned(body: Body, scope: NameScope, instruction: Instruction, operands: tuple[Operand, ...]) -> int:
    """How many registers these operands name."""
    found: list[int] = []
    for operand in operands:
        NameResolver(body, None).resolve(scope, instruction, operand, found)
    return len(found)


def _partly_written(body: Body, scope: NameScope, instruction: Instruction, operands: tuple[Operand, ...]) -> list[int]:
    """The vector registers of which some of these destinations are components: what else is in them is kept."""
    found: list[int] = []
    for operand in operands:
        for part in operand.elements if isinstance(operand, Vector) else (operand,):
            if type(part) is Element:
                NameResolver(body, None).resolve(scope, instruction, part, found)
    return found


def _notable_name(op: str) -> str:
    """Under which name an instruction stands in `Body.at`; "" for the plain ones."""
    opcode, _, rest = op.partition(".")
    if opcode in _STORES:
        return f"{opcode}.async" if "async" in rest.split(".") else ""
    if opcode == "cvta":
        return "cvta.u32" if rest.endswith("u32") else ""
    if opcode == "ld":
        return "ld.nc" if "nc" in rest.split(".") else ""
    return opcode if opcode in _NOTABLE else ""
