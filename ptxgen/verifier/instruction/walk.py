"""The one walk over a body: names first, then forms, then what each instruction reads and writes.

This is where the verifier spends most of its time, so that the common cases (operands that are declared registers,
constants, addresses in registers) stay inside the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.body import Body
from ptxgen.dataflow.bodies.scope import Scope, body_scope, declared, enter
from ptxgen.dataflow.matching.operands import match
from ptxgen.ir import (
    Address,
    Arguments,
    Block,
    CallPrototype,
    Comment,
    Element,
    Immediate,
    Instruction,
    Label,
    Operand,
    Register,
    RegisterDeclaration,
    Variable,
    Vector,
)
from ptxgen.isa.forms import CHAPTERS
from ptxgen.isa.targets import find_target
from ptxgen.verifier.findings.silence import note
from ptxgen.verifier.instruction.accumulators import note_accumulators
from ptxgen.verifier.instruction.calls import check_call
from ptxgen.verifier.instruction.forms import check_form
from ptxgen.verifier.instruction.names import check_names
from ptxgen.verifier.instruction.state_spaces import check_addresses
from ptxgen.verifier.program.allowance import Allowance
from ptxgen.verifier.program.context import Context, Site

if TYPE_CHECKING:
    from ptxgen.ir import Function, Module, Statement
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.notation import Form

__all__ = ["body_of", "walk"]

_PLAIN = frozenset("mov ld ldu st red atom cvt cvta prefetch prefetchu applypriority discard createpolicy".split())
_COMPUTED = frozenset("call setp shl shr bfe div rem addc subc madc".split())
_CHAPTERS = ("movement", "bulk", "synchronization", "matrix", "wmma", "wgmma", "tcgen05", "miscellaneous")
_NOTABLE = frozenset(name for chapter in _CHAPTERS for name in CHAPTERS[chapter].split()) - _PLAIN | _COMPUTED

_destinations: dict[Form, int] = {}
_notable: dict[str, str] = {}


def walk(context: Context, function: Function) -> Body:
    """Check each instruction of a function with a body by itself, and note what the checks of the whole need."""
    assert function.body is not None
    body = Body(context, function, len(context.bodies))
    context.bodies.append(body)
    outer = Scope(context.names)
    for parameter in (*function.parameters, *function.results):
        outer.add(parameter.name, parameter)
    scope = body_scope(function.body, outer)
    _walk(body, function.body, scope)
    if "wgmma" in body.at:
        note_accumulators(body)
    return body


def body_of(module: Module, name: str) -> Body:
    """The body of a function with its module's names, for those who want to know of it rather than judge it."""
    context = Context(module, find_target(module.target))
    for item in module:
        enter(item, context.names)
    return walk(context, module.function(name))


def _walk(body: Body, block: Block, scope: Scope) -> None:
    registers, visible, opened = scope.registers, scope.names, list[Allowance]()
    instructions, forms, scopes, reads, writes = body.instructions, body.forms, body.scopes, body.reads, body.writes
    site = Site(body, scope)
    for statement in block.statements:
        if type(statement) is not Instruction:
            _note_statement(body, statement, scope, opened)
            continue
        site.instruction = statement
        operands = statement.operands
        named: list[int] = []
        known, memory, by_name = True, False, False
        for operand in operands:
            kind = type(operand)
            if kind is Immediate:
                continue
            if kind is Address:
                memory = True
                if not operand.coordinates:  # type: ignore[union-attr]
                    operand = operand.base  # type: ignore[union-attr]
                    kind = type(operand)
                    by_name = by_name or kind is not Register
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
            known = check_names(site, operand, named) and known
        guard: list[int] = []
        if statement.pred is not None:
            known = check_names(site, statement.pred, guard) and known
        form = None
        if known:
            found = match(statement.op, operands)
            form = found.resolved
            if form is None or form.since or guard or found.mismatch or found.warning or form.form.until:
                form = check_form(site)
        if memory:
            body.memory.append(len(instructions))
            if form is not None and (by_name or "::func" in statement.op):
                check_addresses(site, form)
        # What it reads and writes: destinations stand first. What an illegal instruction names counts as written.
        cut = len(named)
        if form is not None:
            row = form.form
            count = _destinations.get(row)
            if count is None:
                count = _destinations[row] = _leading_destinations(form)
            if count == 1 and type(operands[0]) is Register:
                cut = 1
            elif count:
                cut = _mentioned(site, operands[:count])
                parts = _partly_written(site, operands[:count])
                if parts:
                    named += parts
                    body.partly[len(instructions)] = frozenset(parts)
            else:
                cut = _results_of_call(site) if row.opcode == "call" else 0
        op = statement.op
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
    for allowance in opened:
        allowance.end = len(instructions)
    if scope.duplicates:
        _report_duplicates(body, scope)


def _note_statement(body: Body, statement: Statement, scope: Scope, opened: list[Allowance]) -> None:
    """What is no instruction: nested scopes, declarations, remarks to the verifier."""
    kind = type(statement)
    if kind is Label:
        return
    if kind is Block:
        _walk(body, statement, body_scope(statement, scope))  # type: ignore[arg-type]
    elif kind is Comment:
        if "ptxgen:" in statement.text:  # type: ignore[union-attr]
            note(body, statement.text, opened)  # type: ignore[union-attr]
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


def _report_duplicates(body: Body, scope: Scope) -> None:
    for name, source in scope.duplicates:
        body.context.report(
            "PTX302", f"{name} is declared twice in this scope", source, body=body, position=len(body.instructions)
        )


def _results_of_call(site: Site) -> int:
    """Checks a call; how many registers it writes."""
    check_call(site)
    operands = site.instruction.operands
    return _mentioned(site, operands[:1]) if len(operands) > 1 and isinstance(operands[0], Arguments) else 0


def _leading_destinations(form: Resolved) -> int:
    count = 0
    for spec in form.form.operands:
        if not spec.written:
            break
        count += 1
    return count


def _mentioned(site: Site, operands: tuple[object, ...]) -> int:
    """How many registers these operands name."""
    found: list[int] = []
    for operand in operands:
        check_names(site, operand, found)  # type: ignore[arg-type]
    return len(found)


def _partly_written(site: Site, operands: tuple[Operand, ...]) -> list[int]:
    """The vector registers of which some of these destinations are components: what else is in them is kept."""
    found: list[int] = []
    for operand in operands:
        for part in operand.elements if isinstance(operand, Vector) else (operand,):
            if type(part) is Element:
                check_names(site, part, found)
    return found


def _notable_name(op: str) -> str:
    """Under which name an instruction stands in `Body.at`; "" for the plain ones."""
    opcode, _, rest = op.partition(".")
    if opcode in ("st", "red"):
        return f"{opcode}.async" if "async" in rest.split(".") else ""
    if opcode == "cvta":
        return "cvta.u32" if rest.endswith("u32") else ""
    if opcode == "ld":
        return "ld.nc" if "nc" in rest.split(".") else ""
    return opcode if opcode in _NOTABLE else ""
