"""The way through a kernel's statements, which become one list of operations."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import Call, FlatAddress, FlatKernel, FlatOperand, Mark, Op, Reg
from ptxgen.cpu.normalize.calls import Calls
from ptxgen.cpu.normalize.functions import ModuleFunctions
from ptxgen.cpu.normalize.name_scope import SymbolScope
from ptxgen.cpu.normalize.operands import Operands
from ptxgen.cpu.normalize.variables import Variables, layout_parameters
from ptxgen.cpu.unsupported import unsupported
from ptxgen.dataflow.matching.operands import manual_name
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.targets import INDEPENDENT_THREADS, find_target
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ptxgen.cpu.normalize.activation import Activation
    from ptxgen.dataflow.bodies.source_lines import InlinedCalls
    from ptxgen.isa.types import ScalarType

__all__ = ["flatten"]


class Flattener:
    """Writes the operations of one kernel."""

    def __init__(self, module: ir.Module, entry: ir.Function, symbols: Mapping[int, str]) -> None:
        self.kernel = FlatKernel(entry.name, lockstep=find_target(module.target).number < INDEPENDENT_THREADS)
        self.labels = 0
        self.calls: tuple[Call, ...] = (Call(entry.name, None),)
        self.leading: ir.Instruction | None = None  # the last whose operations have begun, in the function in hand
        self.carry: Reg | None = None
        self.lines: tuple[ir.LineDirective, ...] = ()  # the .loc in force, then those of the calls around it
        self.callers: tuple[ir.LineDirective, ...] = ()
        self.inlined: InlinedCalls | None = None
        self.functions = ModuleFunctions(module)
        self.variables = Variables(module, self.kernel, symbols)
        self.operands = Operands(self, self.variables, self.functions)
        self.written_calls = Calls(self, entry, self.operands)
        self.root = SymbolScope(None)
        self.root.names.update(self.functions.named)
        self.activation: Activation | None = None  # of the function in hand, where it is called through the stack

    # -- what the list is made of -------------------------------------------------------------------------------------

    def reg(self, name: str, type: ScalarType, *, owned: bool = True) -> Reg:
        """A new register, of the function in hand where it is called through the stack."""
        reg = Reg(len(self.kernel.regs), name, type, self.calls)
        self.kernel.regs.append(reg)
        if owned and self.activation is not None:
            self.activation.registers.append(reg)
        return reg

    def enter(self, activation: Activation) -> None:
        """What follows is the body of a function that is called through the stack."""
        self.activation = activation
        self.calls, self.leading = (Call(activation.function.name, None),), None
        self.lines = self.callers = ()

    def frame(self, name: str, size: int, align: int) -> FlatAddress:
        """A new .param variable of the function in hand."""
        return self.variables.frame(name, size, align, self.activation)

    @contextmanager
    def inside(self, calls: tuple[Call, ...]) -> Iterator[None]:
        """What its body writes is a copy of the function that these calls lead to."""
        outer = self.lines, self.callers, self.calls, self.leading
        self.calls, self.leading, self.callers = calls, None, self.lines
        yield
        self.lines, self.callers, self.calls, self.leading = outer

    def _with_calls(self, directive: ir.LineDirective) -> ir.LineDirective:
        """A .loc with all places that its line is inlined at."""
        if self.inlined is None and directive.inlined is not None:
            from ptxgen.dataflow.bodies.source_lines import InlinedCalls  # most programs have none

            self.inlined = InlinedCalls()
        return directive if self.inlined is None else self.inlined.around(directive)

    def label(self) -> int:
        """A new one."""
        self.labels += 1
        return self.labels

    # -- statements ---------------------------------------------------------------------------------------------------

    def entry(self, function: ir.Function) -> None:
        k = self.kernel
        k.parameters, k.parameter_bytes = layout_parameters(function.parameters)
        scope = SymbolScope(self.root)
        for name, offset, _ in k.parameters:
            scope.names[name] = FlatAddress("param", None, offset, name)
        assert function.body is not None
        self.block(function.body, scope, None)
        self.emit(Op("exit", (), ir.Instruction("ret", source=function.source)))  # falling off the end
        if self.written_calls.stack is not None:
            self.written_calls.stack.write_functions()

    def block(self, block: ir.Block, parent: SymbolScope, end: int | None) -> None:
        """A scope's statements; `ret` jumps to label `end`, or exits when that is None."""
        scope = SymbolScope(parent)
        for statement in block:  # labels and tables may be used before they come
            if isinstance(statement, ir.Label):
                scope.labels[statement.name] = self.label()
            elif isinstance(statement, ir.BranchTargets):
                scope.tables[statement.name] = statement.labels
            elif isinstance(statement, (ir.CallTargets, ir.CallPrototype)):
                scope.callees[statement.name] = statement
        for statement in block:
            if isinstance(statement, ir.Instruction):
                self._instruction(statement, scope, end)
            elif isinstance(statement, ir.Label):
                self.kernel.items.append(Mark(scope.labels[statement.name]))
            elif isinstance(statement, ir.LineDirective):
                if not statement.intermediate:
                    self.lines = (self._with_calls(statement), *self.callers)
            elif isinstance(statement, ir.RegisterDeclaration):
                self.operands.declare(statement, scope)
            elif isinstance(statement, ir.Variable):
                scope.names[statement.name] = self.variables.of_body(
                    statement, self.calls[-1].function, self.activation
                )
            elif isinstance(statement, ir.Block):
                self.block(statement, scope, end)

    def _instruction(self, i: ir.Instruction, scope: SymbolScope, end: int | None) -> None:
        opcode = i.opcode
        if opcode == "call":
            self.written_calls.call(i, scope)
            return
        guard, negated = self.operands.guard(i, scope)
        if opcode == "ret":
            op = Op("exit", (), i, guard, negated) if end is None else Op("bra", (end,), i, guard, negated)
        elif opcode == "brx":
            index, table = i.operands
            names = scope.table(table.name) if isinstance(table, ir.Symbol) else None
            if names is None:
                raise unsupported(f"{i.op} without a .branchtargets list in its scope", i.source)
            labels = tuple(self._target(name, scope, i) for name in names)
            op = Op(i.op, (self.operands.flat(index, scope, i), labels), i, guard, negated)
        elif opcode == "bra":
            target = i.operands[0]
            assert isinstance(target, ir.Symbol)
            op = Op("bra", (self._target(target.name, scope, i),), i, guard, negated)
        else:
            name = manual_name(i.op, i.operands)
            operands = tuple(self.operands.flat(o, scope, i) for o in i.operands)
            op = Op(self._own_space(name, operands), operands, i, guard, negated)
            self._make_carry_explicit(op, i)
            if opcode in opcodes_with("stack"):
                self._make_stack_explicit(op)
        self.emit(op)

    def _own_space(self, name: str, operands: tuple[FlatOperand, ...]) -> str:
        """The name of an instruction of a function that reaches its parameters through a register: they lie in local memory."""
        opcode, *words = name.split(".")
        in_function = self.activation is not None or len(self.calls) > 1
        if (
            not in_function
            or words[:1] not in (["param"], ["param::func"])
            or opcode not in opcodes_with("load", "store")
        ):
            return name
        through = any(isinstance(o, FlatAddress) and o.frame is None and o.base is not None for o in operands)
        return ".".join([opcode, "local", *words[1:]]) if through else name

    def _make_carry_explicit(self, op: Op, i: ir.Instruction) -> None:
        """The carry flag CC.CF (manual 9.7.2) becomes a register that operations name."""
        if op.opcode in opcodes_with("carry"):
            op.operands = (*op.operands, self._carry_flag())
        if "cc" in i.modifiers:
            op.operands = ((op.operands[0], self._carry_flag()), *op.operands[1:])

    def _make_stack_explicit(self, op: Op) -> None:
        """The stack pointer becomes a register that operations name."""
        pointer = self.written_calls.needs_stack().stack_pointer
        if op.opcode == "alloca":
            op.operands = ((op.operands[0], pointer), *op.operands[1:], pointer)
        elif op.opcode == "stacksave":
            op.operands = (*op.operands, pointer)
        else:
            op.operands = (pointer, *op.operands)

    def _carry_flag(self) -> Reg:
        if self.carry is None:
            self.carry = self.reg("CC.CF", TYPES["pred"])
        return self.carry

    def emit(self, op: Op) -> None:
        """Appends an operation."""
        op.index = len(self.kernel.ops)
        op.lines = self.lines
        op.calls = self.calls
        op.leads, self.leading = op.origin is not self.leading, op.origin
        self.kernel.ops.append(op)
        self.kernel.items.append(op)
        self.variables.note_accesses(op)

    def emit_first(self, op: Op) -> None:
        """Puts an operation before all others."""
        op.calls = self.kernel.ops[0].calls
        self.kernel.ops.insert(0, op)
        self.kernel.items.insert(0, op)
        for index, each in enumerate(self.kernel.ops):
            each.index = index

    def _target(self, name: str, scope: SymbolScope, i: ir.Instruction) -> int:
        label = scope.label(name)
        if label is None:
            raise unsupported(f"a branch to {name!r}, which is not a label in its scope", i.source)
        return label

    def finish(self) -> FlatKernel:
        """The kernel, when all is written."""
        self.variables.settle_frames(self)
        if self.written_calls.stack is not None:
            self.written_calls.stack.finish(self.kernel.local_bytes)
        self.variables.settle_dynamic()
        return self.kernel


def flatten(module: ir.Module, entry: ir.Function, symbols: Mapping[int, str]) -> FlatKernel:
    """The flat form of a kernel.

    `symbols` names every .global and .const variable of the module and of bodies, by its `id`. Raises UnsupportedError for what
    cannot be resolved here.
    """
    flattener = Flattener(module, entry, symbols)
    flattener.entry(entry)
    return flattener.finish()
