"""ir -> flat: resolves every name, lays out variables and parameters, inlines calls.

Each call of a `.func` becomes a copy of its body, but for those that stack_calls.py writes; its `.param` variables become
registers where their accesses allow it. Module variables are named by symbols, whose addresses come in when code is loaded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import (
    Call,
    FlatAddress,
    FlatKernel,
    FlatOperand,
    Inverse,
    LocalVariable,
    Mark,
    Op,
    ParamVariable,
    Reg,
    Selection,
    SharedVariable,
)
from ptxgen.cpu.functions import ModuleFunctions
from ptxgen.cpu.name_scope import SymbolScope
from ptxgen.cpu.stack_calls import Activation, CallSite, StackCalls
from ptxgen.cpu.unsupported import undefined, unsupported
from ptxgen.dataflow.matching.operands import manual_name
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.isa.types import ScalarType

__all__ = ["SYSTEM", "flatten", "layout_parameters"]

_LONG = 4096
"""A declared list of more registers is taken apart only as they are used."""
SYSTEM = {"vprintf": (1, 2), "malloc": (1, 1), "free": (0, 1)}
"""Functions that the driver defines: how many results and arguments they have."""
_COMPONENTS = {name: index for index, names in enumerate(("xr", "yg", "zb", "wa")) for name in names}


_DEEPEST, _MOST_COPIED = 64, 100_000
"""So deep may calls be in one another, and so many instructions may their copies have in one kernel: further calls go through
the stack."""


def layout_parameters(parameters: tuple[ir.Variable, ...]) -> tuple[tuple[tuple[str, int, int], ...], int]:
    """((name, offset, size) of each parameter, bytes of all): aligned one after the other (manual 5.1.6.1)."""
    rows, end = [], 0
    for p in parameters:
        offset = -(-end // p.alignment) * p.alignment
        rows.append((p.name, offset, p.size))
        end = offset + p.size
    return tuple(rows), end


class Flattener:
    """Writes the operations of one kernel."""

    def __init__(self, module: ir.Module, entry: ir.Function, symbols: Mapping[int, str]) -> None:
        self.module = module
        self.kernel = FlatKernel(entry.name)
        self.labels = 0
        self.frames: list[tuple[ParamVariable, Activation | None]] = []
        self.dynamic: list[FlatAddress] = []
        self.dynamic_align = 1
        self.shared: dict[int, FlatAddress] = {}  # id of a variable -> its place
        self.calls: tuple[Call, ...] = (Call(entry.name, None),)
        self.leading: ir.Instruction | None = None  # the last whose operations have begun, in the function in hand
        self.copied = 0
        self.carry: Reg | None = None
        self.lines: tuple[ir.LineDirective, ...] = ()  # the .loc in force, then those of the calls around it
        self.callers: tuple[ir.LineDirective, ...] = ()
        self.variables = {v.name: v for v in module.variables}
        self.symbols = symbols
        self.functions = ModuleFunctions(module)
        self.root = SymbolScope(None)
        self.root.names.update(self.functions.named)
        self.stack: StackCalls | None = None  # in kernels that need one
        self.activation: Activation | None = None  # of the function in hand, where it is called through the stack

    # -- variables ----------------------------------------------------------------------------------------------------

    def _module_variable(self, variable: ir.Variable) -> FlatAddress:
        if variable.space == "shared":
            if id(variable) not in self.shared:
                self.shared[id(variable)] = self._allocate_shared(variable)
            return self.shared[id(variable)]
        if id(variable) in self.symbols:
            return FlatAddress(variable.space, None, 0, self.symbols[id(variable)])
        raise unsupported(f"variables in .{variable.space} space ({variable.name!r})", variable.source)

    def _allocate_shared(self, variable: ir.Variable) -> FlatAddress:
        k = self.kernel
        if variable.linkage == "extern" or (variable.shape and variable.shape[0] is None):
            place = FlatAddress("shared", None, 0, variable.name)
            k.dynamic_shared = True
            self.dynamic.append(place)
            k.shared_variables.append(SharedVariable(variable.name, place, 0))
            self.dynamic_align = max(self.dynamic_align, variable.alignment)
            return place
        offset = -(-k.shared_bytes // variable.alignment) * variable.alignment
        k.shared_bytes = offset + variable.size
        place = FlatAddress("shared", None, offset, variable.name)
        k.shared_variables.append(SharedVariable(variable.name, place, variable.size))
        return place

    def _allocate_local(self, size: int, align: int) -> int:
        if self.activation is not None:
            return self.activation.allocate(size, align)
        k = self.kernel
        offset = -(-k.local_bytes // align) * align
        k.local_bytes = offset + size
        return offset

    def _body_variable(self, variable: ir.Variable) -> FlatAddress:
        if variable.space == "local":
            base = self.activation.frame_pointer if self.activation is not None else None
            offset = self._allocate_local(variable.size, variable.alignment)
            local = LocalVariable(self.calls[-1].function, variable.name, offset, variable.size, base)
            self.kernel.local_variables.append(local)
            return FlatAddress("local", base, offset, variable.name)
        if variable.space == "param":
            return self._frame(variable.name, variable.size, variable.alignment)
        if variable.space == "shared":
            if id(variable) not in self.shared:
                self.shared[id(variable)] = self._allocate_shared(variable)
            return self.shared[id(variable)]
        if id(variable) in self.symbols:
            return FlatAddress(variable.space, None, 0, self.symbols[id(variable)])
        raise unsupported(f"a .{variable.space} variable in a function ({variable.name!r})", variable.source)

    def _frame(self, name: str, size: int, align: int) -> FlatAddress:
        base = self.activation.frame_pointer if self.activation is not None else None
        frame = ParamVariable(name, size, align, base=base)
        self.frames.append((frame, self.activation))
        return FlatAddress("param", None, 0, name, frame)

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

    def _needs_stack(self) -> StackCalls:
        if self.stack is None:
            self.stack = StackCalls(self)
            self.kernel.uses_stack = True
        return self.stack

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
        if self.stack is not None:
            self.stack.write_functions()

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
                    self.lines = (statement, *self.callers)
            elif isinstance(statement, ir.RegisterDeclaration):
                self._registers(statement, scope)
            elif isinstance(statement, ir.Variable):
                scope.names[statement.name] = self._body_variable(statement)
            elif isinstance(statement, ir.Block):
                self.block(statement, scope, end)

    def _registers(self, declaration: ir.RegisterDeclaration, scope: SymbolScope) -> None:
        for stem in declaration.names:
            if declaration.count is not None and declaration.count > _LONG:
                declare = partial(self._declare, type=declaration.type, lanes=declaration.vector)
                scope.ranges.append((stem, declaration.count, declare))
                continue
            names = [stem] if declaration.count is None else [f"{stem}{i}" for i in range(declaration.count)]
            for name in names:
                scope.names[name] = self._declare(name, declaration.type, declaration.vector)

    def _declare(self, name: str, type: ScalarType, lanes: int) -> Reg | tuple[Reg, ...]:
        if lanes == 1:
            return self.reg(name, type)
        return tuple(self.reg(f"{name}.{'xyzw'[i]}", type) for i in range(lanes))

    def _instruction(self, i: ir.Instruction, scope: SymbolScope, end: int | None) -> None:
        guard, negated = self._guard(i, scope)
        opcode = i.opcode
        if opcode == "call":
            self._call(i, scope, guard, negated)
            return
        if opcode == "ret":
            op = Op("exit", (), i, guard, negated) if end is None else Op("bra", (end,), i, guard, negated)
        elif opcode == "brx":
            index, table = i.operands
            names = scope.table(table.name) if isinstance(table, ir.Symbol) else None
            if names is None:
                raise unsupported(f"{i.op} without a .branchtargets list in its scope", i.source)
            labels = tuple(self._target(name, scope, i) for name in names)
            op = Op(i.op, (self._operand(index, scope, i), labels), i, guard, negated)
        elif opcode == "bra":
            target = i.operands[0]
            assert isinstance(target, ir.Symbol)
            op = Op("bra", (self._target(target.name, scope, i),), i, guard, negated)
        else:
            name = manual_name(i.op, i.operands)
            op = Op(name, tuple(self._operand(o, scope, i) for o in i.operands), i, guard, negated)
            self._make_carry_explicit(op, i)
            if opcode in opcodes_with("stack"):
                self._make_stack_explicit(op)
        self.emit(op)

    def _make_carry_explicit(self, op: Op, i: ir.Instruction) -> None:
        """The carry flag CC.CF (manual 9.7.2) becomes a register that operations name."""
        if op.opcode in opcodes_with("carry"):
            op.operands = (*op.operands, self._carry_flag())
        if "cc" in i.modifiers:
            op.operands = ((op.operands[0], self._carry_flag()), *op.operands[1:])

    def _make_stack_explicit(self, op: Op) -> None:
        """The stack pointer becomes a register that operations name."""
        pointer = self._needs_stack().stack_pointer
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
        self.copied += len(self.calls) > 1
        self.kernel.ops.append(op)
        self.kernel.items.append(op)
        self._note_frames(op)

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

    def _guard(self, i: ir.Instruction, scope: SymbolScope) -> tuple[Reg | None, bool]:
        if i.pred is None:
            return None, False
        negated = isinstance(i.pred, ir.Not)
        operand = i.pred.operand if isinstance(i.pred, ir.Not) else i.pred
        reg = self._operand(operand, scope, i)
        assert isinstance(reg, Reg)
        return reg, negated

    # -- operands -----------------------------------------------------------------------------------------------------

    def _operand(self, operand: ir.Operand, scope: SymbolScope, i: ir.Instruction) -> FlatOperand:
        if isinstance(operand, ir.Register):
            return self._register(operand, scope)
        if isinstance(operand, ir.Element):
            whole = self._register(operand.base, scope)
            if isinstance(whole, Reg):
                return Selection(whole, operand.name)
            index = _COMPONENTS.get(operand.name)
            if index is None or index >= len(whole):
                raise unsupported(f"the selector {operand.base.name}.{operand.name}", i.source)
            return whole[index]
        if isinstance(operand, ir.Symbol):
            return self._symbol(operand, scope, i)
        if isinstance(operand, ir.Address):
            place = self._address(operand, scope, i)
            return (place, *(self._operand(c, scope, i) for c in operand.coordinates)) if operand.coordinates else place
        if isinstance(operand, (ir.Vector, ir.Arguments)):
            return tuple(self._operand(o, scope, i) for o in operand)
        if isinstance(operand, ir.Pair):
            return (self._operand(operand.first, scope, i), self._operand(operand.second, scope, i))
        if isinstance(operand, ir.Not):
            reg = self._operand(operand.operand, scope, i)
            assert isinstance(reg, Reg)
            return Inverse(reg)
        if isinstance(operand, ir.Negated):
            inner = self._operand(operand.operand, scope, i)
            chosen = inner if isinstance(inner, Selection) else Selection(inner)
            return Selection(chosen.operand, chosen.selector, negated=True)
        return operand

    def _register(self, register: ir.Register, scope: SymbolScope) -> Reg | tuple[Reg, ...]:
        found = scope.find(register.name)
        if isinstance(found, (Reg, tuple)):
            return found
        made = self._declare(
            register.name, register.type, register.lanes
        )  # the verifier has said that it is undeclared
        scope.names[register.name] = made
        return made

    def _symbol(self, symbol: ir.Symbol, scope: SymbolScope, i: ir.Instruction) -> FlatOperand:
        if symbol.name == "WARP_SZ":
            return ir.Immediate(32)
        found = scope.find(symbol.name)
        if isinstance(found, (Reg, tuple)):
            if symbol.is_sum:
                raise unsupported(
                    f"a register and a number, {symbol.name}{symbol.offset:+}, as an operand of {i.op}", i.source
                )
            return found
        if isinstance(found, ir.Function):
            return ir.Immediate(self.functions.address(symbol.name) + symbol.offset)
        if found is None and symbol.name in self.variables:
            found = self._module_variable(self.variables[symbol.name])
        if not isinstance(found, FlatAddress):
            raise unsupported(f"the name {symbol.name!r} as an operand of {i.op}", i.source)
        if not symbol.offset:
            return found
        place = found.plus(symbol.offset)
        if found in self.dynamic:
            self.dynamic.append(place)
        return place

    def _address(self, address: ir.Address, scope: SymbolScope, i: ir.Instruction) -> FlatAddress:
        if isinstance(address.base, ir.Immediate):
            return FlatAddress("", None, address.base.value + address.offset)
        base = self._operand(address.base, scope, i)
        if isinstance(base, FlatAddress):
            place = base.plus(address.offset)
            if base in self.dynamic:
                self.dynamic.append(place)
            return place
        assert isinstance(base, Reg)
        return FlatAddress("", base, address.offset)

    # -- calls --------------------------------------------------------------------------------------------------------

    def _call(self, i: ir.Instruction, scope: SymbolScope, guard: Reg | None, negated: bool) -> None:
        lists = [o for o in i.operands if isinstance(o, ir.Arguments)]
        results = lists[0].elements if lists and isinstance(i.operands[0], ir.Arguments) else ()
        arguments = lists[-1].elements if len(lists) > (1 if results else 0) else ()
        if isinstance(i.operands[0], ir.Arguments) and not results and len(lists) > 1:
            arguments = lists[1].elements
        names = [o for o in i.operands if isinstance(o, ir.Symbol)]
        callee = scope.find(names[0].name) if names else None
        pointer = next((o for o in i.operands if isinstance(o, ir.Register)), None)
        if pointer is not None:
            self._call_through(i, pointer, names, results, arguments, scope, guard, negated)
            return
        if not isinstance(callee, ir.Function):
            raise unsupported(f"{i.op} of an unknown function", i.source)
        if callee.body is None:
            self._call_system(i, callee.name, results, arguments, scope, guard, negated)
            return
        running = [call.function for call in self.calls]
        if (
            callee.name in running or len(running) > _DEEPEST or self.copied > _MOST_COPIED
            or callee.name in self.functions.recursive
        ):  # fmt: skip
            self._needs_stack().call(self._site(i, results, arguments, scope, guard, negated), callee)
            return
        after = self.label()
        self.emit(Op("call", (), i, guard, negated))
        if guard is not None:
            self.emit(Op("bra", (after,), i, guard, not negated))
        inner = SymbolScope(self.root)
        calls = (*self.calls, Call(callee.name, i))
        copies: list[tuple[FlatOperand, FlatOperand]] = []
        for formal, actual in zip(callee.parameters, arguments):
            inner.names[formal.name] = self._bind(
                formal, self._operand(actual, scope, i), i, copies, calls, is_result=False
            )
        for formal, actual in zip(callee.results, results):
            inner.names[formal.name] = self._bind(
                formal, self._operand(actual, scope, i), i, copies, calls, is_result=True
            )
        end = self.label()
        kept = self._keep_stack(callee, i)
        outer = self.lines, self.callers, self.calls, self.leading
        self.calls, self.leading = calls, None
        self.callers = self.lines
        self.block(callee.body, inner, end)
        self.lines, self.callers, self.calls, self.leading = outer
        self.kernel.items.append(Mark(end))
        if kept is not None and self.stack is not None:
            self.emit(Op("mov.b64", (self.stack.stack_pointer, kept), i))
        for target, value in copies:
            self._move(target, value, i)
        self.kernel.items.append(Mark(after))

    def _keep_stack(self, callee: ir.Function, i: ir.Instruction) -> Reg | None:
        """Where the stack ends before a function of which a copy follows, if it takes memory there: its end gives it back."""
        if not any(each.opcode == "alloca" for each in callee.instructions()):
            return None
        kept = self.reg("kept", TYPES["b64"])
        self.emit(Op("mov.b64", (kept, self._needs_stack().stack_pointer), i))
        return kept

    def _site(
        self, i: ir.Instruction, results: Sequence[ir.Operand], arguments: Sequence[ir.Operand], scope: SymbolScope,
        guard: Reg | None, negated: bool,
    ) -> CallSite:  # fmt: skip
        given = [[self._operand(o, scope, i) for o in operands] for operands in (results, arguments)]
        return CallSite(i, given[0], given[1], guard, negated)

    def _call_through(
        self, i: ir.Instruction, pointer: ir.Register, names: list[ir.Symbol], results: Sequence[ir.Operand],
        arguments: Sequence[ir.Operand], scope: SymbolScope, guard: Reg | None, negated: bool,
    ) -> None:  # fmt: skip
        """A call through a register: a prototype says what the function takes, or a list which functions there are."""
        known = scope.callee(names[-1].name) if names else None
        candidates: Sequence[ir.Function] = self.functions.addressed
        shape: ir.CallPrototype | ir.Function
        if isinstance(known, ir.CallPrototype):
            shape = known
        elif isinstance(known, ir.CallTargets):
            listed = [self.functions.named[n] for n in known.functions if n in self.functions.named]
            candidates = [f for f in listed if f.body is not None]
            if not candidates:
                raise undefined(f"a call of {', '.join(known.functions)}, none of which is in this module", i.source)
            shape = candidates[0]
        else:
            raise unsupported(f"{i.op} without a .callprototype or .calltargets list in its scope", i.source)
        reg = self._register(pointer, scope)
        assert isinstance(reg, Reg)
        site = self._site(i, results, arguments, scope, guard, negated)
        self._needs_stack().call_through(site, reg, shape.results, shape.parameters, candidates)

    def _call_system(
        self, i: ir.Instruction, name: str, results: Sequence[ir.Operand], arguments: Sequence[ir.Operand],
        scope: SymbolScope, guard: Reg | None, negated: bool,
    ) -> None:  # fmt: skip
        """A call of a function that the driver defines."""
        counts = (len(results), len(arguments))
        if name == "__assertfail" and arguments:
            self._assert(i, self._operand(arguments[0], scope, i), guard, negated)
        elif name in SYSTEM and counts == SYSTEM[name]:
            self._ask_host(name, i, (*results, *arguments), scope, guard, negated)
        else:
            raise undefined(f"a call of {name!r}, which this module only declares", i.source)

    def _assert(self, i: ir.Instruction, message: FlatOperand, guard: Reg | None, negated: bool) -> None:
        """The call that C++'s assert() makes: a fault that shows the text at the address `message`."""
        self.emit(Op("assertfail", (self._argument(message, i),), i, guard, negated))

    def _ask_host(
        self, name: str, i: ir.Instruction, given: tuple[ir.Operand, ...], scope: SymbolScope, guard: Reg | None,
        negated: bool,
    ) -> None:  # fmt: skip
        """The call of vprintf, malloc or free; `given` are the result, if there is one, and the arguments."""
        operands = [self._operand(each, scope, i) for each in given]
        if not SYSTEM[name][0]:
            self.emit(Op(name, (self._argument(operands[0], i),), i, guard, negated))
            return
        result, type = operands[0], TYPES["b32" if name == "vprintf" else "b64"]
        answer = self.reg("answer", type) if isinstance(result, FlatAddress) else result
        arguments = [self._argument(each, i) for each in operands[1:]]
        self.emit(Op(name, (answer, *arguments), i, guard, negated))
        if answer is not result:
            self.emit(Op(f"st.param.{type.name}", (result, answer), i, guard, negated))

    def _argument(self, given: FlatOperand, i: ir.Instruction) -> FlatOperand:
        """A 64-bit argument of a call, which may lie in a .param variable."""
        if not isinstance(given, FlatAddress):
            return given
        value = self.reg("argument", TYPES["b64"])
        self.emit(Op("ld.param.b64", (value, given), i))
        return value

    def _bind(
        self,
        formal: ir.Variable,
        actual: FlatOperand,
        i: ir.Instruction,
        copies: list[tuple[FlatOperand, FlatOperand]],
        calls: tuple[Call, ...],
        *,
        is_result: bool,
    ) -> Reg | FlatAddress:
        """The callee's name for an argument or a result; results that need copying back are put on `copies`. `calls` are the
        callee's."""
        if isinstance(actual, FlatAddress) and actual.frame is not None and formal.space != "reg":
            return actual
        inner: Reg | FlatAddress
        if formal.space == "reg":
            inner = self.reg(formal.name, formal.type)
            inner.calls = calls
        else:
            inner = self._frame(formal.name, formal.size, formal.alignment)
        if is_result:
            copies.append((actual, inner))
        else:
            self._move(inner, actual, i)
        return inner

    def _move(self, target: FlatOperand, value: FlatOperand, i: ir.Instruction) -> None:
        """target = value, where each is a register or a .param variable, and value may be a constant."""
        if isinstance(target, FlatAddress):
            assert target.frame is not None
            self.emit(Op(f"st.param.b{8 * target.frame.size}", (target, value), i))
        elif isinstance(value, FlatAddress) and value.frame is not None:
            self.emit(Op(f"ld.param.b{8 * value.frame.size}", (target, value), i))
        elif isinstance(target, Reg):
            kind = "pred" if target.type.kind == "p" else f"b{target.type.bits}"
            self.emit(Op(f"mov.{kind}", (target, value), i))

    # -- .param variables of bodies -----------------------------------------------------------------------------------

    def _note_frames(self, op: Op) -> None:
        for operand in op.operands:
            if isinstance(operand, FlatAddress) and operand.frame is not None:
                modifiers = op.op.split(".")
                type = TYPES.get(modifiers[-1])
                if modifiers[0] not in opcodes_with("load", "store") or type is None:
                    operand.frame.exposed = True
                    continue
                count = next((int(m[1:]) for m in modifiers if m in ("v2", "v4", "v8")), 1)
                for index in range(count):
                    operand.frame.accesses.add((operand.offset + index * type.bytes, type.bytes))

    def finish(self) -> FlatKernel:
        """The kernel, when all is written."""
        k = self.kernel
        for frame, activation in self.frames:
            self.activation = activation
            if frame.fits_registers:
                for offset, size in sorted(frame.accesses):
                    frame.fields[offset] = self.reg(f"{frame.name}+{offset}", TYPES[f"b{8 * size}"])
            else:
                frame.offset = self._allocate_local(frame.size, frame.align)
        if self.stack is not None:
            self.stack.finish(k.local_bytes)
        if self.dynamic:
            start = -(-k.shared_bytes // self.dynamic_align) * self.dynamic_align
            k.shared_bytes = start
            for place in self.dynamic:
                place.offset += start
        return k


def flatten(module: ir.Module, entry: ir.Function, symbols: Mapping[int, str]) -> FlatKernel:
    """The flat form of a kernel.

    `symbols` names every .global and .const variable of the module and of bodies, by its `id`. Raises UnsupportedError for what
    cannot be resolved here.
    """
    flattener = Flattener(module, entry, symbols)
    flattener.entry(entry)
    return flattener.finish()
