"""Which functions take part in what their caller does: in its barriers, asynchronous copies, fences and shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.calls.call import call_parts
from ptxgen.dataflow.graph.algorithms import reachable_from
from ptxgen.dataflow.lazy import lazy
from ptxgen.ir import Symbol
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Function, Instruction, Module

__all__ = ["HARMLESS", "Callees", "callees_of", "takes_part_in"]

HARMLESS = frozenset({"vprintf", "__assertfail", "malloc", "free", "__nv_nanosleep"})
"""Functions of the system that keep to themselves."""

_PARTS = opcodes_with("protocol", "fence", "barrier") - opcodes_with("store", "atomic", "hint")
"""Opcodes by which a function takes part in what its caller does."""

_MEMORY = opcodes_with("load", "store", "atomic")
"""By these it does where they are on shared memory."""


class Callees:
    """The functions of a module as calls name them, and which of them take part in what their callers do.

    Found out for the whole module at once: a function is looked at once, however often and however deep it is called.
    """

    def __init__(self, module: Module) -> None:
        self.by_name: dict[str, Function] = {}
        for function in module.functions:
            known = self.by_name.get(function.name)
            if not function.is_entry and (known is None or (known.body is None and function.body is not None)):
                self.by_name[function.name] = function

    def of(self, instruction: Instruction) -> Function | None:
        """The function that a call names; None where that is not known."""
        name = call_parts(instruction).callee
        return self.by_name.get(name.name) if isinstance(name, Symbol) else None

    def take_part(self, function: Function) -> bool:
        """Does a function, or one that it calls, do anything that a protocol of its caller may need?"""
        return function.name in self._taking_part if function.name in self.by_name else self._does_part(function)

    @lazy
    def _taking_part(self) -> set[str]:
        callers: dict[str, list[str]] = {}
        work = []
        for name, function in self.by_name.items():
            if self._does_part(function):
                work.append(name)
                continue
            for instruction in function.instructions() if function.body is not None else ():
                if instruction.opcode == "call":
                    callee = self.of(instruction)
                    assert callee is not None  # else the function takes part itself
                    callers.setdefault(callee.name, []).append(name)
        return reachable_from(work, lambda name: callers.get(name, ()))

    def _does_part(self, function: Function) -> bool:
        """Does the function itself, or what it calls without a name?"""
        if function.body is None:
            return function.name not in HARMLESS
        for instruction in function.instructions():
            opcode = instruction.opcode
            if opcode in _PARTS or (opcode in _MEMORY and ".shared" in instruction.op):
                return True
            if opcode == "call" and self.of(instruction) is None:
                return True
        return False


def callees_of(body: Body) -> Callees:
    """The functions that a body's calls name: `body.analysis(callees_of)`."""
    return Callees(body.module)


def takes_part_in(body: Body, position: int) -> bool:
    """May the function that the call there names do anything that matters to others: is it not known to keep to itself?"""
    name = call_parts(body.instructions[position]).callee
    if isinstance(name, Symbol) and name.name in HARMLESS:
        return False
    callees = body.analysis(callees_of)
    callee = callees.of(body.instructions[position])
    return callee is None or callees.take_part(callee)
