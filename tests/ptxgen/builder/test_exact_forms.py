"""Every row of the table through `k.ptx`: the printed text is the manual's order, and reading it gives the same program.

The expected text is that of `ptxgen.isa.examples`, which the certifier has assembled; registers are compared by place alone.
"""

from __future__ import annotations

import re

import pytest

from ptxgen import sink
from ptxgen.builder.builder import Builder
from ptxgen.builder.core.module_builder import ModuleBuilder
from ptxgen.builder.exact.chain import attribute
from ptxgen.builder.values import SCALARS
from ptxgen.ir import (
    Block,
    BranchTargets,
    Element,
    Function,
    Instruction,
    Label,
    Module,
    Negated,
    Not,
    Register,
    RegisterDeclaration,
)
from ptxgen.isa.examples import covering_names, examples
from ptxgen.isa.forms import chapters, forms_of, resolve
from ptxgen.isa.targets import TARGETS
from ptxgen.isa.types import TYPES
from ptxgen.text import parse, print_module
from ptxgen.text.printer import format_instruction


class Operands:
    """What a user gives where the form has an operand: variables, tuples, lists, numbers, names."""

    def __init__(self, k: Builder, variables: dict[type, list], *, rich: bool) -> None:
        self.k = k
        self.variables = variables
        self.rich = rich
        self.taken: dict[type, int] = {}

    def __call__(self, entry):
        spec = entry.spec
        if spec.second is not None and (self.rich or not spec.second_optional):
            first = self(entry._replace(spec=spec._replace(second=None)))
            return first, self.variable(TYPES[spec.second.type])
        if spec.kind == "address":
            return self.address(entry)
        if spec.kind == "vector" or entry.lanes > 1:
            parts = entry.parts or (entry._replace(spec=spec._replace(lanes=""), lanes=1),) * entry.lanes
            return tuple(self(part) for part in parts)
        if spec.kind == "immediate":
            top = spec.range[1] if spec.range and spec.range[1] < 2**31 - 1 else 1
            return spec.values[-1] if spec.values else top
        fixed = {"sink": sink, "label": "TARGETS" if spec.name == "tlist" else "DONE", "call": "callee"}
        if spec.kind in fixed:
            return fixed[spec.kind]
        variable = self.variable(entry.type, spec.wider)
        if self.rich and spec.selectors:
            return Element(variable, spec.selectors[-1])
        if self.rich and spec.negatable:
            return Not(variable) if entry.type is TYPES["pred"] else Negated(variable)
        return variable

    def variable(self, type_, wider=False):
        """A variable of the type; packed and alternate formats live in untyped ones."""
        if type_ is None:
            type_ = TYPES["b32"]
        name = type_.name if type_.bits > 8 or type_.kind == "p" else f"b{8 if not wider and type_.bits == 8 else 16}"
        if name == "b8":  # no value of the builder lives in an 8-bit register
            return Register("%b1", TYPES["b8"])
        known = SCALARS.get(name) or SCALARS[f"b{type_.bits}"]
        number = self.taken[known] = self.taken.get(known, 0) + 1
        made = self.variables.setdefault(known, [])
        while len(made) < number:
            made.append(self.k.var(known))
        return made[number - 1]

    def address(self, entry):
        base = self.variable(entry.type or TYPES["u64"])
        inside = [self(part) for part in entry.inside]
        if not entry.parts:
            return [base, *inside] if self.rich or inside else base
        places = tuple(
            self.variable(p.type if p.type is None or p.type.is_float else TYPES[f"b{p.type.bits}"])
            for p in entry.parts
        )
        sampled = entry.spec.needs_sampler or (entry.spec.sampler and self.rich)
        return [base, self.variable(TYPES["u64"]), places] if sampled else [base, *inside, places]


def shape(text: str) -> str:
    """An instruction's text with every register as %."""
    return re.sub(r"%[a-z]+(?:\d+_)?\d+\b", "%", text.strip())


def homes(resolved) -> list[str]:
    """The targets that have the form, oldest first."""
    return [
        t.name for t in TARGETS.values() if all(any(t.provides(c.sm, c.suffix) for c in row) for row in resolved.since)
    ]


def cases(form):
    """(name, the form as it reads that name, a target that has it) for names that cover every modifier of a row."""
    for name in covering_names(form):
        resolved = next(found for found in resolve(name) if found.form is form)
        places = homes(resolved)
        if places:
            yield name, resolved, places[0]


def spelled(k: Builder, name: str):
    """k.ptx.<name>, attribute by attribute."""
    chain = k.ptx
    for word in name.split("."):
        chain = getattr(chain, attribute(word))
    return chain


class Written:
    """A function for one target that takes every instruction of a chapter, and what each must look like."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.k = Builder(ModuleBuilder(target), "k")
        self.variables: dict[type, list] = {}

    def add(self, name: str, resolved, *, optional: bool, rich: bool) -> str:
        """Build one; its text by shape."""
        give = Operands(self.k, self.variables, rich=rich)
        entries = [entry for entry in resolved.operands if optional or not entry.spec.optional]
        spelled(self.k, name)(*[give(entry) for entry in entries])
        assert self.k.statements[-1].op == resolved.name, "modifiers in the manual's order"
        return shape(format_instruction(self.k.statements[-1]))

    def module(self) -> Module:
        body = self.k.finish()
        body.statements[:0] = [BranchTargets("TARGETS", ("DONE",)), RegisterDeclaration(TYPES["b8"], ("%b",), 2)]
        body.statements.append(Label("DONE"))
        callee = Function("callee", is_entry=False, body=Block([Instruction("ret")]))
        return Module((9, 0), self.target, [callee, Function("k", is_entry=True, body=body)])


@pytest.mark.parametrize("chapter", chapters())
def test_every_row_is_built_printed_and_read_again(chapter):
    written: dict[str, Written] = {}
    for opcode in chapters()[chapter]:
        for form in forms_of(opcode):
            for name, resolved, target in cases(form):
                into = written.setdefault(target, Written(target))
                found = {
                    into.add(name, resolved, optional=optional, rich=rich)
                    for optional, rich in ((False, False), (True, False), (True, True))
                }
                assert found == {shape(text) for text in examples(name, resolved)}
    assert written
    for into in written.values():
        module = into.module()
        assert parse(print_module(module)) == module
