"""Which functions take part in what their caller does: in its barriers, asynchronous copies, fences and shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.calls.call import call_parts
from ptxgen.ir import Symbol
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Function, Instruction, Module

__all__ = ["HARMLESS", "callee_of", "takes_part", "takes_part_in"]

HARMLESS = frozenset({"vprintf", "__assertfail", "malloc", "free", "__nv_nanosleep"})
"""Functions of the system that keep to themselves."""

_PARTS = opcodes_with("protocol", "fence", "barrier") - opcodes_with("store", "atomic", "hint")
"""Opcodes by which a function takes part in what its caller does."""

_MEMORY = opcodes_with("load", "store", "atomic")
"""By these it does where they are on shared memory."""


def takes_part(module: Module, function: Function, seen: frozenset[str] = frozenset()) -> bool:
    """Does a function, or one that it calls, do anything that a protocol of its caller may need?"""
    if function.body is None:
        return function.name not in HARMLESS
    if function.name in seen:
        return False
    for instruction in function.instructions():
        opcode = instruction.opcode
        if opcode in _PARTS or (opcode in _MEMORY and ".shared" in instruction.op):
            return True
        if opcode == "call":
            callee = callee_of(module, instruction)
            if callee is None or takes_part(module, callee, seen | {function.name}):
                return True
    return False


def takes_part_in(body: Body, position: int) -> bool:
    """May the function that the call there names do anything that matters to others: is it not known to keep to itself?"""
    name = call_parts(body.instructions[position]).callee
    if isinstance(name, Symbol) and name.name in HARMLESS:
        return False
    callee = callee_of(body.module, body.instructions[position])
    return callee is None or takes_part(body.module, callee)


def callee_of(module: Module, instruction: Instruction) -> Function | None:
    """The function that a call names; None where that is not known."""
    name = call_parts(instruction).callee
    if not isinstance(name, Symbol):
        return None
    found = [f for f in module.functions if f.name == name.name and not f.is_entry]
    return next((f for f in found if f.body is not None), found[0] if found else None)
