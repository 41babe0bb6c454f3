"""ir -> flat: resolves every name, lays out variables and parameters, inlines calls.

Each call of a `.func` becomes a copy of its body (recursion is refused); its `.param` variables become registers where their
accesses allow it. Module variables are named by symbols, whose addresses come in when code is loaded.
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
    SharedVariable,
)
from ptxgen.cpu.name_scope import SymbolScope
from ptxgen.cpu.unsupported import undefined, unsupported
from ptxgen.dataflow.matching.operands import manual_name
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.isa.types import ScalarType

__all__ = ["flatten", "layout_parameters"]

_LONG = 4096
"""A declared list of more registers is taken apart only as they are used."""
_COMPONENTS = {name: index for index, names in enumerate(("xr", "yg", "zb", "wa")) for name in names}


_DEEPEST, _MOST_COPIED = 64, 100_000
"""So deep may calls be in one another, and so many instructions may their copies have in one kernel."""


def layout_parameters(parameters: tuple[ir.Variable, ...]) -> tuple[tuple[tuple[str, int, int], ...], int]:
    """((name, offset, size) of each parameter, bytes of all): aligned one after the other (manual 5.1.6.1)."""
    rows, end = [], 0
    for p in parameters:
        offset = -(-end // p.alignment) * p.alignment
        rows.append((p.name, offset, p.size))
        end = offset + p.size
    return tuple(rows), end


class _Flattener:
    def __init__(self, module: ir.Module, entry: ir.Function, symbols: Mapping[int, str]) -> None:
        self.module = module
        self.kernel = FlatKernel(entry.name)
        self.labels = 0
        self.frames: list[ParamVariable] = []
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
        self.root = SymbolScope(None)
        for function in module.functions:
            if function.body is not None or function.name not in self.root.names:
                self.root.names[function.name] = function
        for item in module.items:
            if isinstance(item, ir.Alias):
                target = self.root.names.get(item.aliasee)
                if isinstance(target, ir.Function):
                    self.root.names[item.name] = target

    # -- variables ----------------------------------------------------------------------------------------------------

    def _module_variable(self, variable: ir.Variable) -> FlatAddress:
        if variable.space == "shared":
            if id(variable) not in self.shared:
                self.shared[id(variable)] = self._allocate_shared(variable)
            return self.shared[id(variable)]
        if variable.type.kind == "o":
            raise unsupported(f"the .{variable.type.name} {variable.name!r}", variable.source)
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
        k = self.kernel
        offset = -(-k.local_bytes // align) * align
        k.local_bytes = offset + size
        return offset

    def _body_variable(self, variable: ir.Variable) -> FlatAddress:
        if variable.space == "local":
            offset = self._allocate_local(variable.size, variable.alignment)
            local = LocalVariable(self.calls[-1].function, variable.name, offset, variable.size)
            self.kernel.local_variables.append(local)
            return FlatAddress("local", None, offset, variable.name)
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
        frame = ParamVariable(name, size, align)
        self.frames.append(frame)
        return FlatAddress("param", None, 0, name, frame)

    def _reg(self, name: str, type: ScalarType) -> Reg:
        reg = Reg(len(self.kernel.regs), name, type, self.calls)
        self.kernel.regs.append(reg)
        return reg

    def _label(self) -> int:
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
        self._block(function.body, scope, None)
        self._emit(Op("exit", (), ir.Instruction("ret", source=function.source)))  # falling off the end

    def _block(self, block: ir.Block, parent: SymbolScope, end: int | None) -> None:
        """A scope's statements; `ret` jumps to label `end`, or exits when that is None."""
        scope = SymbolScope(parent)
        for statement in block:  # labels and tables may be used before they come
            if isinstance(statement, ir.Label):
                scope.labels[statement.name] = self._label()
            elif isinstance(statement, ir.BranchTargets):
                scope.tables[statement.name] = statement.labels
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
                self._block(statement, scope, end)

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
            return self._reg(name, type)
        return tuple(self._reg(f"{name}.{'xyzw'[i]}", type) for i in range(lanes))

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
            op = Op("brx.idx", (self._operand(index, scope, i), labels), i, guard, negated)
        elif opcode == "bra":
            target = i.operands[0]
            assert isinstance(target, ir.Symbol)
            op = Op("bra", (self._target(target.name, scope, i),), i, guard, negated)
        else:
            name = manual_name(i.op, i.operands)
            op = Op(name, tuple(self._operand(o, scope, i) for o in i.operands), i, guard, negated)
            self._make_carry_explicit(op, i)
        self._emit(op)

    def _make_carry_explicit(self, op: Op, i: ir.Instruction) -> None:
        """The carry flag CC.CF (manual 9.7.2) becomes a register that operations name."""
        if op.opcode in opcodes_with("carry"):
            op.operands = (*op.operands, self._carry_flag())
        if "cc" in i.modifiers:
            op.operands = ((op.operands[0], self._carry_flag()), *op.operands[1:])

    def _carry_flag(self) -> Reg:
        if self.carry is None:
            self.carry = self._reg("CC.CF", TYPES["pred"])
        return self.carry

    def _emit(self, op: Op) -> None:
        op.index = len(self.kernel.ops)
        op.lines = self.lines
        op.calls = self.calls
        op.leads, self.leading = op.origin is not self.leading, op.origin
        if len(self.calls) > 1:
            self.copied += 1
            if self.copied > _MOST_COPIED:
                raise unsupported(
                    f"{self.kernel.name!r}, whose calls make more than {_MOST_COPIED:,} instructions", op.origin.source,
                    "fewer calls of functions that call others several times: each call is a copy",
                )  # fmt: skip
        self.kernel.ops.append(op)
        self.kernel.items.append(op)
        self._note_frames(op)

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
            index = _COMPONENTS.get(operand.name)
            if index is None or not isinstance(whole, tuple) or index >= len(whole):
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
            raise unsupported(f"a negated operand of {i.op}", i.source)
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
        if address.coordinates and i.opcode != "cp":
            raise unsupported(f"{i.op} with tensor coordinates", i.source)
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
        names = [o for o in i.operands if isinstance(o, ir.Symbol)]
        callee = self.root.names.get(names[0].name) if names else None
        if not isinstance(callee, ir.Function) or any(isinstance(o, ir.Register) for o in i.operands):
            raise unsupported(f"{i.op} through a register or to an unknown function", i.source)
        results = lists[0].elements if lists and isinstance(i.operands[0], ir.Arguments) else ()
        arguments = lists[-1].elements if len(lists) > (1 if results else 0) else ()
        if callee.body is None and callee.name == "__assertfail" and arguments:
            self._assert(i, self._operand(arguments[0], scope, i), guard, negated)
            return
        if callee.body is None and callee.name == "vprintf" and len(results) == 1 and len(arguments) == 2:
            self._print(i, (*results, *arguments), scope, guard, negated)
            return
        if callee.body is None:
            raise undefined(f"a call of {callee.name!r}, which this module only declares", i.source)
        running = [call.function for call in self.calls]
        if callee.name in running:
            raise unsupported(f"recursion: {' calls '.join([*running, callee.name])}", i.source)
        if len(running) > _DEEPEST:
            raise unsupported(f"more than {_DEEPEST} calls in one another, the last of {callee.name!r}", i.source)
        after = self._label()
        self._emit(Op("call", (), i, guard, negated))
        if guard is not None:
            self._emit(Op("bra", (after,), i, guard, not negated))
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
        end = self._label()
        outer = self.lines, self.callers, self.calls, self.leading
        self.calls, self.leading = calls, None
        self.callers = self.lines
        self._block(callee.body, inner, end)
        self.lines, self.callers, self.calls, self.leading = outer
        self.kernel.items.append(Mark(end))
        for target, value in copies:
            self._move(target, value, i)
        self.kernel.items.append(Mark(after))

    def _assert(self, i: ir.Instruction, message: FlatOperand, guard: Reg | None, negated: bool) -> None:
        """The call that C++'s assert() makes: a fault that shows the text at the address `message`."""
        self._emit(Op("assertfail", (self._argument(message, i),), i, guard, negated))

    def _print(
        self, i: ir.Instruction, given: tuple[ir.Operand, ...], scope: SymbolScope, guard: Reg | None, negated: bool
    ) -> None:
        """The call that C++'s printf() makes; `given` are the result, the format and the values."""
        result, text, values = (self._operand(each, scope, i) for each in given)
        count = self._reg("printed", TYPES["b32"]) if isinstance(result, FlatAddress) else result
        arguments = self._argument(text, i), self._argument(values, i)
        self._emit(Op("vprintf", (count, *arguments), i, guard, negated))
        if count is not result:
            self._emit(Op("st.param.b32", (result, count), i, guard, negated))

    def _argument(self, given: FlatOperand, i: ir.Instruction) -> FlatOperand:
        """A 64-bit argument of a call, which may lie in a .param variable."""
        if not isinstance(given, FlatAddress):
            return given
        value = self._reg("argument", TYPES["b64"])
        self._emit(Op("ld.param.b64", (value, given), i))
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
            inner = self._reg(formal.name, formal.type)
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
            self._emit(Op(f"st.param.b{8 * target.frame.size}", (target, value), i))
        elif isinstance(value, FlatAddress) and value.frame is not None:
            self._emit(Op(f"ld.param.b{8 * value.frame.size}", (target, value), i))
        elif isinstance(target, Reg):
            kind = "pred" if target.type.kind == "p" else f"b{target.type.bits}"
            self._emit(Op(f"mov.{kind}", (target, value), i))

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
        k = self.kernel
        for frame in self.frames:
            if frame.fits_registers:
                for offset, size in sorted(frame.accesses):
                    frame.fields[offset] = self._reg(f"{frame.name}+{offset}", TYPES[f"b{8 * size}"])
            else:
                frame.offset = self._allocate_local(frame.size, frame.align)
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
    flattener = _Flattener(module, entry, symbols)
    flattener.entry(entry)
    return flattener.finish()
