"""Which kernels of a legal module this device surely runs, told from their instructions without compiling them.

The verifier has left few reasons for a refusal: an instruction without a lowering, and the operands named below. A kernel that
has one of them somewhere in its calls must be compiled to know.
"""

from __future__ import annotations

from itertools import starmap

from ptxgen import ir
from ptxgen.cpu.blocks import TERMINATORS
from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.lower.special import is_read
from ptxgen.cpu.normalize.functions import ModuleFunctions
from ptxgen.cpu.normalize.system_calls import SYSTEM
from ptxgen.dataflow.matching.operands import manual_name

__all__ = ["Survey"]

_CONTROL = TERMINATORS | {"call", "ret"}
_SPACES = ("global", "const", "shared", "texref", "surfref", "samplerref")


class Survey:
    """What is known of a module's functions."""

    def __init__(self, module: ir.Module) -> None:
        self._functions = ModuleFunctions(module).named
        self._has_known_variables = all(v.space in _SPACES or v.type.kind == "o" for v in module.variables)
        self._calls: dict[str, tuple[str, ...] | None] = {}

    def surely_runs(self, entry: ir.Function) -> bool:
        """Is there nothing in a kernel and in all that it calls that could be refused?"""
        if not self._has_known_variables or any(p.type.kind == "o" for p in entry.parameters):
            return False
        waiting, seen = [entry], {entry.name}
        while waiting:
            calls = self._plain_calls(waiting.pop())
            if calls is None:
                return False
            for name in calls:
                if name not in seen:
                    seen.add(name)
                    waiting.append(self._functions[name])
        return True

    def _plain_calls(self, function: ir.Function) -> tuple[str, ...] | None:
        """The functions of the module that it calls; None where something in it could be refused."""
        if function.name not in self._calls:
            instructions = list(function.instructions())
            names = {i.op: i.operands for i in instructions}
            plain = all(starmap(_has_lowering, names.items())) and not any(map(_is_odd, instructions))
            called = [self._callee(i) for i in instructions if i.opcode == "call"] if plain else [None]
            self._calls[function.name] = None if None in called else tuple(name for name in called if name)
        return self._calls[function.name]

    def _callee(self, call: ir.Instruction) -> str | None:
        """The function that is called; "" for one that the driver defines, None where that is not known."""
        symbol = next((o for o in call.operands if isinstance(o, ir.Symbol)), None)
        callee = self._functions.get(symbol.name) if symbol is not None else None
        if callee is None or any(isinstance(o, ir.Register) for o in call.operands):
            return None
        if callee.body is not None:
            return symbol.name if symbol is not None else None
        counts = len(callee.results), len(callee.parameters)
        return "" if callee.name == "__assertfail" or SYSTEM.get(callee.name) == counts else None


def _has_lowering(op: str, operands: tuple[ir.Operand, ...]) -> bool:
    return op.partition(".")[0] in _CONTROL or find(op) is not None or find(manual_name(op, operands)) is not None


_PLAIN = frozenset({ir.Register, ir.Immediate, ir.Sink})
"""Kinds of operands that are never refused."""


def _is_odd(i: ir.Instruction) -> bool:
    """Has it an operand that only the compiler can judge: a special register that is not read here, an address in .param
    space that a register holds?"""
    for operand in i.operands:
        kind = type(operand)
        if kind in _PLAIN:
            continue
        if isinstance(operand, (ir.Vector, ir.Arguments)):
            if any(type(each) not in _PLAIN and _is_doubtful(each, i) for each in operand):
                return True
        elif _is_doubtful(operand, i):
            return True
    return False


def _is_doubtful(operand: ir.Operand, i: ir.Instruction) -> bool:
    if isinstance(operand, ir.Special):
        return not is_read(operand.name)
    if isinstance(operand, ir.Address):
        return i.opcode != "ld" and ".param" in i.op and isinstance(operand.base, ir.Register)
    return False
