"""A function's body: instructions, their forms, and the registers they read and write, by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from ptxgen.dataflow.graph.cfg import ControlFlow
from ptxgen.dataflow.graph.loops import Loop, natural_loops
from ptxgen.dataflow.graph.merges import Merges
from ptxgen.dataflow.graph.solver import DefUseChains
from ptxgen.dataflow.lazy import lazy
from ptxgen.ir import Immediate, Not, Register

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.dataflow.bodies.scope import NameScope
    from ptxgen.ir import CallPrototype, Function, Instruction, Module, Operand, RegisterDeclaration, Variable
    from ptxgen.isa.forms import Resolved

__all__ = ["Body", "Remarks"]

Analysis = TypeVar("Analysis")


class Remarks:
    """The remarks of one `{}`: (position of the instruction behind it, text); `end` is the position behind the `{}`."""

    __slots__ = ("end", "lines")

    def __init__(self) -> None:
        self.lines: list[tuple[int, str]] = []
        self.end: int = 0


class Body:
    """What one walk over a function's body has found. An instruction's *position* is its place in text order.

    `names`       those of the module, as far as they were declared when the body was walked over
    `forms`       by position; None for an illegal instruction
    `reads`, `writes`  by position, the numbers of registers; a guard is read (and stands first), what an illegal instruction
                  names counts as written; wgmma.mma_async reads its accumulators too (last), unless its scale-d is 0
    `partly`      position -> vector registers of which it writes components; they are among its reads, the others being kept
    `accumulators`  position -> scale-d of the wgmma.mma_async that may read what they write
    `scopes`      by position, the names visible there
    `registers`   by number; equal names in different `{}` are different registers
    `at`          opcode -> positions of the instructions that do more than compute, load and store (barriers, shuffles, mma,
                  asynchronous copies, ...; `st.async`, `red.async`, `ld.nc`, `cvta.u32` under two words), of calls, and of
                  what is looked at for its constants (setp, shl, div, addc, ...)
    `memory`      the positions of all that have an address
    `variables`   those that the body declares
    `vectors`     its declarations of registers that are vectors; `prototypes` its .callprototype
    `symbols`     the names of variables and functions that operands mention
    `remarks`     the comments that begin with `ptxgen:`, by the `{}` that they stand in
    """

    def __init__(self, module: Module, names: NameScope, function: Function) -> None:
        self.module = module
        self.names = names
        self.function = function
        self.instructions: list[Instruction] = []
        self.forms: list[Resolved | None] = []
        self.reads: list[list[int]] = []
        self.writes: list[list[int]] = []
        self.accumulators: dict[int, Operand] = {}
        self.partly: dict[int, frozenset[int]] = {}
        self.scopes: list[NameScope] = []
        self.registers: list[Register] = []
        self.at: dict[str, list[int]] = {}
        self.memory: list[int] = []
        self.variables: list[Variable] = []
        self.vectors: list[RegisterDeclaration] = []
        self.prototypes: list[CallPrototype] = []
        self.symbols: set[str] = set()
        self.remarks: list[Remarks] = []
        self._analyses: dict[object, object] = {}
        self._guards: dict[int, tuple[int, bool] | None] = {}

    @lazy
    def flow(self) -> ControlFlow:
        """The control-flow graph; its positions are these."""
        return ControlFlow(self.function)

    @lazy
    def chains(self) -> DefUseChains:
        """Where each register is written and read."""
        return DefUseChains(self.flow, self.reads, self.writes)

    @lazy
    def branching(self) -> dict[int, int]:
        """By register, the blocks, as bits, whose last instruction it guards."""
        found: dict[int, int] = {}
        for block in self.flow.blocks:
            guard = self.guard(block.end - 1) if block.end > block.start else None
            if guard is not None:
                found[guard[0]] = found.get(guard[0], 0) | 1 << block.index
        return found

    @lazy
    def loops(self) -> list[Loop]:
        """Its natural loops, the inner ones first."""
        return natural_loops(self.flow)

    @lazy
    def merges(self) -> Merges:
        """Which one value each read sees."""
        return Merges(self.flow, self.chains.definitions)

    def analysis(self, make: Callable[[Body], Analysis]) -> Analysis:
        """What an analysis, such as `Uniformity`, finds out about this body: made at the first question, and kept."""
        found = self._analyses.get(make)
        if found is None:
            found = self._analyses[make] = make(self)
        return cast("Analysis", found)

    def constant(self, operand: Operand, position: int) -> int | None:
        """The integer that an operand is, where it is one or a register that is only ever set to one; else None."""
        if isinstance(operand, Immediate):
            return operand.value if operand.kind == "int" else None
        number = self.number(operand, position) if isinstance(operand, Register) else None
        where = () if number is None else self.chains.definitions.get(number, ())
        if len(where) != 1 or not self.instructions[where[0]].op.startswith("mov."):
            return None
        value = self.instructions[where[0]].operands[1]
        return value.value if isinstance(value, Immediate) and value.kind == "int" else None

    def number(self, register: Register, position: int) -> int | None:
        """The number of a register named at that position; None when it is not declared."""
        known = self.scopes[position].registers.get(register.name)
        return None if known is None else known[0]

    def guard(self, position: int) -> tuple[int, bool] | None:
        """(number of the guard, does it hold where the register is true); None for an instruction without one."""
        guard = self.instructions[position].pred
        if guard is None:
            return None
        if position in self._guards:
            return self._guards[position]
        inverted = isinstance(guard, Not)
        register = guard.operand if isinstance(guard, Not) else guard
        number = self.number(register, position) if isinstance(register, Register) else None
        found = self._guards[position] = None if number is None else (number, not inverted)
        return found
