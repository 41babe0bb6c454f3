"""Calls through the stack: of functions that call themselves, and through registers. All others are copies of what they call.

Each lane has a stack behind its local variables; it grows upwards. A function that is called so stands once in the kernel, and
its registers are the same whoever calls it: the caller puts those that it still needs on the stack. activation.py has what else
lies there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Mark, Op, ParamVariable, Reg, StackCall
from ptxgen.cpu.normalize.activation import CALLER_FP, CALLER_SP, Activation, record_of
from ptxgen.cpu.normalize.name_scope import SymbolScope
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.normalize.call_site import CallSite
    from ptxgen.cpu.normalize.operands import Operands
    from ptxgen.cpu.normalize.writer import Writer

__all__ = ["StackCalls"]


def _sizes(variables: Sequence[ir.Variable]) -> list[tuple[int, int]]:
    return [(v.size, v.alignment) for v in variables]


def _word(variable: ir.Variable) -> str:
    """How `ld` and `st` name what a variable in registers has: `.b32`, `.v2.b32`."""
    lanes = variable.vector
    return (f".v{lanes}" if lanes > 1 else "") + f".b{8 * variable.size // lanes}"


def _same_number(activations: Sequence[Activation], back: int) -> int:
    """A number by which each of these finds back to that label; what is skipped in one of them leads there too."""
    number = max((len(activation.returns) for activation in activations), default=0)
    for activation in activations:
        activation.returns += [back] * (number + 1 - len(activation.returns))
    return number


class StackCalls:
    """Writes such calls and their functions into the list of a flattener."""

    def __init__(self, flattener: Writer, operands: Operands) -> None:
        self.f = flattener
        self.operands = operands
        self.frame_pointer = flattener.reg("FP", TYPES["b64"], owned=False)
        self.stack_pointer = flattener.reg("SP", TYPES["b64"], owned=False)
        self.activations: dict[str, Activation] = {}
        self.waiting: list[Activation] = []

    def activation(self, function: ir.Function) -> Activation:
        """The function's; it is written later."""
        found = self.activations.get(function.name)
        if found is None:
            found = Activation(function, self.f.label(), self.frame_pointer)
            self.activations[function.name] = found
            self.waiting.append(found)
        return found

    # -- the caller -----------------------------------------------------------------------------------------------------

    def call(self, site: CallSite, function: ir.Function) -> None:
        """A call of a function by its name."""
        activation = self.activation(function)
        leave = Op("bra", (activation.label,), site.instruction)
        self._around(site, function.results, function.parameters, [activation], [leave])

    def call_through(
        self, site: CallSite, pointer: Reg, results: Sequence[ir.Variable], parameters: Sequence[ir.Variable],
        candidates: Sequence[ir.Function],
    ) -> None:  # fmt: skip
        """A call through a register: it leads to one of those candidates that take and give the same sizes."""
        f, i = self.f, site.instruction
        wanted = _sizes(results), _sizes(parameters)
        fitting = [c for c in candidates if (_sizes(c.results), _sizes(c.parameters)) == wanted]
        index = f.reg("callee", TYPES["b32"])
        numbers = tuple(f.functions.number(c.name) for c in fitting)
        activations = [self.activation(c) for c in fitting]
        labels = tuple(activation.label for activation in activations)
        leave = [Op("callee", (index, pointer, numbers), i)]
        leave.append(Op("brx.idx", (index, labels), i) if labels else Op("exit", (), i))
        self._around(site, results, parameters, activations, leave)

    def _around(
        self, site: CallSite, results: Sequence[ir.Variable], parameters: Sequence[ir.Variable],
        activations: Sequence[Activation], leave: list[Op],
    ) -> None:  # fmt: skip
        """What comes before and after `leave`, which goes to the function: one of these activations."""
        f, i = self.f, site.instruction
        places, size = record_of(results, parameters)
        after, back = f.label(), f.label()
        f.emit(Op("call", (), i, site.guard, site.negated))
        if site.guard is not None:
            f.emit(Op("bra", (after,), i, site.guard, not site.negated))
        record = f.reg("record", TYPES["b64"])
        save = Op("stack.save", (record, self.stack_pointer, ir.Immediate(size), ()), i)
        f.emit(save)
        for parameter, place, given in zip(parameters, places[len(results) :], site.arguments):
            self._copy(parameter, FlatAddress("local", record, place), given, i, out=True)
        number = _same_number(activations, back)
        f.emit(Op("st.local.b32", (FlatAddress("local", record, 0), ir.Immediate(number)), i))
        f.emit(Op("st.local.b64", (FlatAddress("local", record, CALLER_FP), self.frame_pointer), i))
        f.emit(Op("st.local.b64", (FlatAddress("local", record, CALLER_SP), self.stack_pointer), i))
        f.emit(Op("mov.b64", (self.frame_pointer, record), i))
        for op in leave:
            f.emit(op)
        f.kernel.items.append(Mark(back))
        callee = f.reg("callee.record", TYPES["b64"])
        returned = Op("mov.b64", (callee, self.frame_pointer), i)
        f.emit(returned)
        f.emit(Op("ld.local.b64", (self.frame_pointer, FlatAddress("local", callee, CALLER_FP)), i))
        f.emit(Op("ld.local.b64", (self.stack_pointer, FlatAddress("local", callee, CALLER_SP)), i))
        restore = Op("stack.restore", ((), self.stack_pointer), i)
        f.emit(restore)
        registers = f.activation.registers if f.activation else []
        f.kernel.stack_calls.append(StackCall(save, restore, registers, self.frame_pointer, returned))
        for result, place, wanted in zip(results, places, site.results):
            self._copy(result, FlatAddress("local", callee, place), wanted, i, out=False)
        f.kernel.items.append(Mark(after))

    def _copy(
        self, variable: ir.Variable, place: FlatAddress, outside: FlatOperand, i: ir.Instruction, *, out: bool
    ) -> None:
        """A parameter into the record (`out`), or a result from there."""
        if variable.type.kind == "p":
            raise unsupported("a predicate as a parameter of a function that is called through the stack", i.source)
        if not (isinstance(outside, FlatAddress) and outside.frame is not None):
            op, operands = ("st", (place, outside)) if out else ("ld", (outside, place))
            self.f.emit(Op(f"{op}.local{_word(variable)}", operands, i))
            return
        at = 0
        while at < variable.size:
            step = min(variable.type.bytes if variable.type.bytes > 1 else variable.alignment, 8)
            while step > variable.size - at:
                step //= 2
            part = self.f.reg("part", TYPES[f"b{8 * step}"])
            load, store = ("param", "local") if out else ("local", "param")
            source, target = (outside, place) if out else (place, outside)
            self.f.emit(Op(f"ld.{load}.b{8 * step}", (part, source.plus(at)), i))
            self.f.emit(Op(f"st.{store}.b{8 * step}", (target.plus(at), part), i))
            at += step

    # -- the function -----------------------------------------------------------------------------------------------------

    def write_functions(self) -> None:
        """Every function that is called so, once."""
        while self.waiting:
            self._write(self.waiting.pop(0))

    def _write(self, activation: Activation) -> None:
        f, function = self.f, activation.function
        i = ir.Instruction("ret", source=function.source)
        f.enter(activation)
        f.kernel.items.append(Mark(activation.label))
        activation.enter = Op("stack.enter", (self.stack_pointer, self.frame_pointer, ir.Immediate(0)), i)
        f.emit(activation.enter)
        scope = SymbolScope(f.root)
        formals = (*function.results, *function.parameters)
        in_registers = []
        for number, (formal, place) in enumerate(zip(formals, activation.places)):
            held = ParamVariable(formal.name, formal.size, formal.alignment, base=self.frame_pointer, offset=place)
            where = FlatAddress("param", None, 0, formal.name, held)
            scope.names[formal.name] = where
            if formal.space == "reg":
                reg = scope.names[formal.name] = self.operands.declared(formal.name, formal.type, formal.vector)
                if number < len(function.results):
                    in_registers.append(Op(f"st.param{_word(formal)}", (where, reg), i))
                else:
                    f.emit(Op(f"ld.param{_word(formal)}", (reg, where), i))
        end = f.label()
        assert function.body is not None
        f.block(function.body, scope, end)
        f.kernel.items.append(Mark(end))
        for op in in_registers:
            f.emit(op)
        token = f.reg("call", TYPES["b32"])
        f.emit(Op("ld.local.b32", (token, FlatAddress("local", self.frame_pointer, 0)), i))
        activation.leave = Op("brx.idx", (token, ()), i)
        f.emit(activation.leave)
        for op in f.kernel.ops[activation.enter.index :]:
            op.leads = op.leads and op.origin is not i  # what stands in no line of the function

    def finish(self, local_bytes: int) -> None:
        """Fills in what is known when all is written: where the stack begins, the sizes of records, where functions go back."""
        f = self.f
        begin = -(-local_bytes // 16) * 16
        first = f.kernel.ops[0].origin
        f.emit_first(Op("mov.b64", (self.stack_pointer, ir.Immediate(begin)), first))
        for activation in self.activations.values():
            assert activation.enter is not None
            stack, frame, _ = activation.enter.operands
            size = -(-activation.size // 16) * 16
            activation.enter.operands = (stack, frame, ir.Immediate(size))
            assert activation.leave is not None
            activation.leave.operands = (activation.leave.operands[0], tuple(activation.returns))
