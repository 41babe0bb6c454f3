"""The verifier: every finding about a module, in text order.

Its *errors* are what an assembler refuses, no more and no less; what an assembler accepts but the manual forbids, or a wise
reader would not write, is a *warning*. Each check is one function that takes a `Context` and reports into it.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from ptxgen.check.flow import check_definitions
from ptxgen.check.limits import check_limits
from ptxgen.check.operands import Mismatch, describe, expected_operands, match
from ptxgen.check.scope import Declaration, Scope, body_scope, module_scope
from ptxgen.errors import Diagnostic, VerifyError
from ptxgen.ir import (
    Address,
    Arguments,
    Block,
    CallPrototype,
    Function,
    Immediate,
    Instruction,
    Module,
    Not,
    Operand,
    Pair,
    Register,
    RegisterDeclaration,
    Source,
    Special,
    Symbol,
    Variable,
    Vector,
    resolve,
)
from ptxgen.isa.forms import Resolved, opcodes
from ptxgen.isa.forms import resolve as resolve_form
from ptxgen.isa.notation import Availability
from ptxgen.isa.spaces import WINDOW
from ptxgen.isa.specials import special
from ptxgen.isa.targets import TARGETS, VERSIONS, Target, find_target

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Context", "assert_valid", "minimum_version", "verify"]


class Context:
    """One run of the verifier over a module: the target, the names of the module and the findings so far."""

    __slots__ = ("findings", "module", "names", "target")

    def __init__(self, module: Module, target: Target) -> None:
        self.module = module
        self.target = target
        self.names = module_scope(module)
        self.findings: list[Diagnostic] = []

    def report(
        self,
        code: str,
        message: str,
        source: Source | None = None,
        *,
        expected: str | None = None,
        hint: str | None = None,
        severity: str = "error",
    ) -> None:
        self.findings.append(
            Diagnostic(code, message, severity=severity, locations=resolve(source), expected=expected, hint=hint)
        )


def verify(module: Module) -> list[Diagnostic]:
    """Every error and warning about the module, in text order; [] when there is nothing to say."""
    try:
        target = find_target(module.target)
    except ValueError as unknown:
        return [Diagnostic("PTX402", str(unknown))]
    context = Context(module, target)
    _check_header(context)
    for name, source in context.names.duplicates:
        context.report("PTX302", f"{name} is declared twice in this module", source)
    for item in module:
        if isinstance(item, Function):
            check_limits(context, item)
            if item.body is not None:
                _FunctionCheck(context, item).run()
    return context.findings


def assert_valid(module: Module, *, strict: bool = False) -> list[Diagnostic]:
    """The warnings of a module; VerifyError with every finding when there is an error (or, `strict`, a warning)."""
    findings = verify(module)
    errors = [finding for finding in findings if finding.is_error]
    if errors or (strict and findings):
        count = len(errors or findings)
        raise VerifyError(f"{module.name}: {count} {'error' if errors else 'warning'}{'s' * (count > 1)}", findings)
    return findings


def _check_header(context: Context) -> None:
    module, target = context.module, context.target
    if module.version not in VERSIONS and module.version >= VERSIONS[0]:
        newest = ".".join(map(str, VERSIONS[-1]))
        context.report(
            "PTX401", f"PTX version {module.version[0]}.{module.version[1]} is unknown", expected=f"{newest} or older"
        )
    elif module.version < target.since:
        needed = f"{target.since[0]}.{target.since[1]}"
        context.report(
            "PTX403",
            f"target {target.name} needs PTX {needed}, this module says {module.version[0]}.{module.version[1]}",
            expected=f".version {needed} or newer",
            hint=f'version="{needed}" or version="auto"',
        )
    if module.address_size != 64:
        context.report("PTX404", f".address_size {module.address_size} is not supported", expected="64")


class _FunctionCheck:
    """The walk through one function's body."""

    def __init__(self, context: Context, function: Function) -> None:
        self.context = context
        self.function = function
        self.scope = Scope(context.names)
        self.labels: set[str] = set()
        for parameter in (*function.parameters, *function.results):
            self.scope.add(parameter.name, parameter)

    def run(self) -> None:
        if self.function.body is None:
            return
        self._block(self.function.body, self.scope)
        check_definitions(self.context, self.function)

    def _block(self, block: Block, parent: Scope) -> None:
        scope = body_scope(block, parent)
        if parent is self.scope:  # parameters share the body's scope
            for name, declaration in scope.names.items():
                if parent.here(name) is not None:
                    scope.duplicates.append((name, declaration.source))
        for name, source in scope.duplicates:
            self.context.report("PTX302", f"{name} is declared twice in this scope", source)
        for statement in block:
            if isinstance(statement, Instruction):
                self._instruction(statement, scope)
            elif isinstance(statement, Block):
                self._block(statement, scope)

    def _instruction(self, instruction: Instruction, scope: Scope) -> None:
        problem = self._names(instruction, scope)
        if problem:
            return
        guard = instruction.pred.operand if isinstance(instruction.pred, Not) else instruction.pred
        if guard is not None and (not isinstance(guard, Register) or guard.type.kind != "p"):
            self._report(
                "PTX206", instruction, f"the guard {describe(guard)} is not a predicate", expected="a .pred register"
            )
        found = match(instruction.op, instruction.operands)
        if found.resolved is None:
            self._unknown_form(instruction)
            return
        if found.mismatch is not None:
            self._mismatch(instruction, found.resolved, found.mismatch, "error")
            return
        if found.warning is not None:
            self._mismatch(instruction, found.resolved, found.warning, "warning")
        self._availability(instruction, found.resolved)
        self._spaces(instruction, found.resolved, scope)
        if instruction.opcode == "call":
            self._call(instruction, scope)

    def _report(
        self, code: str, instruction: Instruction, message: str, *, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.context.report(code, message, instruction.source, expected=expected, hint=hint)

    # Names

    def _names(self, instruction: Instruction, scope: Scope) -> bool:
        """Report names that mean nothing here; True when one did."""
        before = len(self.context.findings)
        is_call = instruction.opcode == "call"
        if instruction.pred is not None:
            self._use(instruction, instruction.pred, scope, is_call)
        for operand in instruction.operands:
            self._use(instruction, operand, scope, is_call)
        return len(self.context.findings) > before

    def _use(self, instruction: Instruction, operand: Operand, scope: Scope, is_call: bool) -> None:
        kind = type(operand)
        if kind is Register:
            self._register(instruction, operand, scope)  # type: ignore[arg-type]
        elif isinstance(operand, Symbol):
            if scope.find(operand.name) is None:
                self._unknown_name(instruction, operand.name, scope)
        elif isinstance(operand, Address):
            self._use(instruction, operand.base, scope, is_call)
            for part in operand.coordinates:
                self._use(instruction, part, scope, is_call)
        elif isinstance(operand, (Vector, Arguments)):
            for part in operand:
                self._use(instruction, part, scope, is_call)
        elif isinstance(operand, Pair):
            self._use(instruction, operand.first, scope, is_call)
            self._use(instruction, operand.second, scope, is_call)
        elif isinstance(operand, Not):
            self._use(instruction, operand.operand, scope, is_call)
        elif isinstance(operand, Special):
            self._special(instruction, operand)

    def _register(self, instruction: Instruction, register: Register, scope: Scope) -> None:
        declaration = scope.find(register.name)
        if isinstance(declaration, (RegisterDeclaration, Variable)):
            if declaration.type is not register.type:
                self._report(
                    "PTX203",
                    instruction,
                    f"{register.name} is used as .{register.type.name} but declared as .{declaration.type.name}",
                )
        else:
            self._unknown_name(instruction, register.name, scope)

    def _unknown_name(self, instruction: Instruction, name: str, scope: Scope) -> None:
        known: list[str] = []
        walk: Scope | None = scope
        while walk is not None:
            known += walk.names
            walk = walk.parent
        near = difflib.get_close_matches(name, known, n=1)
        what = "label" if instruction.opcode in ("bra", "brx") else "name"
        self._report(
            "PTX304" if what == "label" else "PTX301",
            instruction,
            f"unknown {what} {name}",
            hint=f"{near[0]}" if near else "declare it before its use",
        )

    def _special(self, instruction: Instruction, operand: Special) -> None:
        known = special(operand.name)
        if known is None:
            self._report("PTX301", instruction, f"unknown special register {operand.name}")
            return
        target, version = self.context.target, self.context.module.version
        if target.sm < known.target or version < known.since:
            self._report(
                "PTX424",
                instruction,
                f"{operand.name} is not there for {target.name} with PTX {version[0]}.{version[1]}",
                expected=f"PTX {known.since[0]}.{known.since[1]} and sm_{known.target} or newer",
            )

    # Forms

    def _unknown_form(self, instruction: Instruction) -> None:
        if resolve_form(instruction.op):
            return
        names = opcodes()
        if instruction.opcode not in names:
            near = difflib.get_close_matches(instruction.opcode, names, n=1)
            self._report(
                "PTX200", instruction, f"unknown instruction {instruction.opcode!r}", hint=near[0] if near else None
            )
            return
        self._report(
            "PTX201",
            instruction,
            f"{instruction.op} is no form of {instruction.opcode}",
            hint=nearest_form(instruction.op),
        )

    def _mismatch(self, instruction: Instruction, form: Resolved, problem: Mismatch, severity: str) -> None:
        if problem.position < 0:
            what = f"{instruction.op} has {problem.found}"
        else:
            what = f"operand {problem.position + 1} of {instruction.op} is {problem.found}"
        self.context.report(
            problem.code,
            what,
            instruction.source,
            expected=problem.expected,
            hint=None if problem.position < 0 else f"{instruction.op} {expected_operands(form)}",
            severity=severity,
        )

    def _availability(self, instruction: Instruction, form: Resolved) -> None:
        version, target = self.context.module.version, self.context.target
        for choices in form.since:
            on_target = [c for c in choices if target.provides(c.sm, c.suffix)]
            if not on_target:
                self._report(
                    "PTX412",
                    instruction,
                    f"{instruction.op} needs target {_targets_text(choices)}, this module is for {target.name}",
                    expected=" or ".join(map(str, choices)),
                    hint=f'target="sm_{choices[0].sm}{choices[0].suffix}"',
                )
                return
            if all(version < c.version for c in on_target):
                needed = min(c.version for c in on_target)
                self._report(
                    "PTX411",
                    instruction,
                    f"{instruction.op} needs PTX {needed[0]}.{needed[1]}, this module says {version[0]}.{version[1]}",
                    expected=f".version {needed[0]}.{needed[1]} or newer on {target.name}",
                    hint='version="auto"',
                )
                return

    # Addresses and calls

    def _spaces(self, instruction: Instruction, form: Resolved, scope: Scope) -> None:
        for index, operand in enumerate(instruction.operands):
            if not isinstance(operand, Address):
                continue
            space = _space_of(form, index)
            if isinstance(operand.base, Immediate):
                if space != "local":
                    self._report(
                        "PTX204", instruction, "a constant address is only for .local", expected="a register or a name"
                    )
            elif isinstance(operand.base, Symbol):
                self._named_address(instruction, operand.base, space, scope)

    def _named_address(self, instruction: Instruction, base: Symbol, space: str, scope: Scope) -> None:
        declaration = scope.find(base.name)
        if not isinstance(declaration, Variable):
            self._report("PTX204", instruction, f"{base.name} is not a variable", expected="a variable's name in []")
            return
        if instruction.opcode == "st" and declaration.space == "param" and declaration in self.function.parameters:
            self._report("PTX307", instruction, f"{base.name} is an input parameter and cannot be written")
        wanted = WINDOW.get(space, space)
        if wanted and declaration.space != wanted:
            self._report(
                "PTX207",
                instruction,
                f"{base.name} is in .{declaration.space}, the instruction works on .{wanted}",
                hint=f".{declaration.space} in place of .{wanted}",
            )
        elif not wanted and declaration.space == "param":
            self._report(
                "PTX207", instruction, f"{base.name} is in .param, which has no generic address here", hint="ld.param"
            )

    def _call(self, instruction: Instruction, scope: Scope) -> None:
        results, callee, arguments, prototype = call_parts(instruction)
        if callee is None:
            self._report(
                "PTX306", instruction, "a call names no function", expected="call (results), name, (arguments)"
            )
            return
        declaration: Declaration | None
        if isinstance(callee, Symbol):
            declaration = scope.find(callee.name)
            if not isinstance(declaration, Function) or declaration.is_entry:
                self._report(
                    "PTX306", instruction, f"{callee.name} is not a device function", expected="the name of a .func"
                )
                return
        else:
            declaration = scope.find(prototype.name) if prototype is not None else None
            if not isinstance(declaration, CallPrototype):
                return
        self._call_list(instruction, results, declaration.results, "result")
        self._call_list(instruction, arguments, declaration.parameters, "argument")

    def _call_list(
        self, instruction: Instruction, given: tuple[Operand, ...], wanted: tuple[Variable, ...], what: str
    ) -> None:
        if len(given) != len(wanted):
            self._report("PTX306", instruction, f"the call passes {len(given)} {what}s, the function has {len(wanted)}")
            return
        for operand, formal in zip(given, wanted):
            if isinstance(operand, Register) and formal.space == "reg" and not _passes(operand, formal):
                self._report(
                    "PTX306",
                    instruction,
                    f"{describe(operand)} does not match the {what} {formal.name}",
                    expected=f"a .{formal.type.name} register",
                )


def _passes(operand: Register, formal: Variable) -> bool:
    a, b = operand.type, formal.type
    return a.bits == b.bits and (a.kind == "b" or b.kind == "b" or a.is_float == b.is_float)


def call_parts(
    instruction: Instruction,
) -> tuple[tuple[Operand, ...], Symbol | Register | None, tuple[Operand, ...], Symbol | None]:
    """(results, callee, arguments, prototype or target list) of a call instruction (manual 9.7.12.5)."""
    rest = list(instruction.operands)
    results: tuple[Operand, ...] = ()
    if len(rest) > 1 and isinstance(rest[0], Arguments):
        results = rest.pop(0).elements  # type: ignore[union-attr]
    callee = rest.pop(0) if rest and isinstance(rest[0], (Symbol, Register)) else None
    arguments: tuple[Operand, ...] = ()
    if rest and isinstance(rest[0], Arguments):
        arguments = rest.pop(0).elements  # type: ignore[union-attr]
    prototype = rest[0] if rest and isinstance(rest[0], Symbol) else None
    return results, callee, arguments, prototype  # type: ignore[return-value]


def _space_of(form: Resolved, index: int) -> str:
    """The state space that the form's modifiers name; "" for generic. cp.async writes shared and reads global."""
    if form.form.opcode == "cp":
        return "shared" if index == 0 else "global"
    for segment in form.form.segments:
        chosen = form.bindings.get(segment.name, "")
        if WINDOW.get(chosen, chosen) in ("const", "global", "local", "param", "shared"):
            return chosen
    return ""


def _targets_text(choices: Iterable[Availability]) -> str:
    return " or ".join(f"sm_{c.sm}{c.suffix}" for c in choices)


def nearest_form(op: str) -> str | None:
    """The legal instruction name nearest to an illegal one: by dropping or exchanging one modifier, else by likeness."""
    from ptxgen.isa.forms import forms_of

    opcode, *modifiers = op.split(".")
    for i in range(len(modifiers)):
        shorter = [*modifiers[:i], *modifiers[i + 1 :]]
        for order in (shorter, [*shorter, modifiers[i]]):
            name = ".".join([opcode, *order])
            if resolve_form(name):
                return name
    candidates = [form.syntax for form in forms_of(opcode)]
    near = difflib.get_close_matches(op, candidates, n=1, cutoff=0.0)
    return near[0] if near else None


def minimum_version(module: Module) -> tuple[int, int]:
    """The lowest PTX version that is enough for the module on its target; its forms must exist on that target."""
    target = TARGETS[find_target(module.target).name]
    needed = max(target.since, VERSIONS[0])
    for function in module.functions:
        for instruction in function.instructions():
            form = match(instruction.op, instruction.operands).resolved
            for choices in form.since if form is not None else ():
                versions = [c.version for c in choices if target.provides(c.sm, c.suffix)]
                needed = max(needed, min(versions, default=needed))
            for operand in instruction.operands:
                if type(operand) is Special:
                    known = special(operand.name)
                    needed = max(needed, known.since if known is not None else needed)
        if function.is_entry and sum(p.size for p in function.parameters) > target.parameter_bytes((8, 0)):
            needed = max(needed, (8, 1))
        for directive in function.directives:
            needed = max(needed, _DIRECTIVE_VERSIONS.get(directive.name, needed))
    return needed


_DIRECTIVE_VERSIONS: dict[str, tuple[int, int]] = {
    "noreturn": (6, 4), "explicitcluster": (7, 8), "reqnctapercluster": (7, 8), "maxclusterrank": (7, 8),
}  # fmt: skip
