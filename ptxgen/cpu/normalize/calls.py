"""Calls of functions: a copy of the body, but where the function calls itself or a register says which one, or where copies would
be too many: these go through the stack."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import Call, FlatAddress, FlatOperand, Mark, Op, Reg
from ptxgen.cpu.normalize.call_site import CallSite, call_site
from ptxgen.cpu.normalize.name_scope import SymbolScope
from ptxgen.cpu.normalize.stack_calls import StackCalls
from ptxgen.cpu.normalize.system_calls import call_system
from ptxgen.cpu.unsupported import undefined, unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from ptxgen.cpu.normalize.operands import Operands
    from ptxgen.cpu.normalize.writer import Writer

__all__ = ["Calls"]

_DEEPEST = 64
"""So deep may calls be in one another: further ones go through the stack."""
_MOST_COPIED = 10_000
"""A kernel that had more instructions than these, were every call a copy, calls through the stack: compiling takes 1 ms each."""
_SMALL = 100
"""There, too, copies stand for calls of functions of at most so many, and of those that are called in one place."""


class Calls:
    """Those of one kernel, written into the list of `f`."""

    def __init__(self, f: Writer, entry: ir.Function, operands: Operands) -> None:
        self.f = f
        self.entry = entry
        self.operands = operands
        self.stack: StackCalls | None = None  # in kernels that need one

    def needs_stack(self) -> StackCalls:
        if self.stack is None:
            self.stack = StackCalls(self.f, self.operands)
            self.f.kernel.uses_stack = True
        return self.stack

    def call(self, i: ir.Instruction, scope: SymbolScope) -> None:
        names = [o.name for o in i.operands if isinstance(o, ir.Symbol)]
        pointer = next((o for o in i.operands if isinstance(o, ir.Register)), None)
        if pointer is not None:
            self._call_through(i, pointer, names, scope)
            return
        callee = scope.find(names[0]) if names else None
        if not isinstance(callee, ir.Function):
            raise unsupported(f"{i.op} of an unknown function", i.source)
        site = call_site(i, scope, self.operands)
        if callee.body is None:
            call_system(self.f, site, callee.name)
        elif self._fits_a_copy(callee):
            self._copy(site, callee)
        else:
            self.needs_stack().call(site, callee)

    def _fits_a_copy(self, callee: ir.Function) -> bool:
        functions = self.f.functions
        if callee.name in functions.recursive or len(self.f.calls) > _DEEPEST:
            return False
        return self._sites is None or functions.sizes[callee.name] <= _SMALL or self._sites[callee.name] == 1

    @cached_property
    def _sites(self) -> Counter[str] | None:
        """How many calls there are of each function, in a kernel that would be too long if each were a copy."""
        functions = self.f.functions
        return functions.sites(self.entry) if functions.sizes[self.entry.name] > _MOST_COPIED else None

    # -- a register that says which function ----------------------------------------------------------------------------

    def _call_through(self, i: ir.Instruction, pointer: ir.Register, names: list[str], scope: SymbolScope) -> None:
        """A prototype says what the function takes, or a list which functions there are."""
        known = scope.callee(names[-1]) if names else None
        named = self.f.functions.named
        candidates: Sequence[ir.Function] = self.f.functions.addressed
        shape: ir.CallPrototype | ir.Function
        if isinstance(known, ir.CallPrototype):
            shape = known
        elif isinstance(known, ir.CallTargets):
            candidates = [named[n] for n in known.functions if n in named and named[n].body is not None]
            if not candidates:
                raise undefined(f"a call of {', '.join(known.functions)}, none of which is in this module", i.source)
            shape = candidates[0]
        else:
            raise unsupported(f"{i.op} without a .callprototype or .calltargets list in its scope", i.source)
        reg = self.operands.register(pointer, scope)
        assert isinstance(reg, Reg)
        site = call_site(i, scope, self.operands)
        self.needs_stack().call_through(site, reg, shape.results, shape.parameters, candidates)

    # -- copies of bodies -----------------------------------------------------------------------------------------------

    def _copy(self, site: CallSite, callee: ir.Function) -> None:
        f, i = self.f, site.instruction
        assert callee.body is not None
        after, end = f.label(), f.label()
        f.emit(Op("call", (), i, site.guard, site.negated))
        if site.guard is not None:
            f.emit(Op("bra", (after,), i, site.guard, not site.negated))
        inner, calls = SymbolScope(f.root), (*f.calls, Call(callee.name, i))
        for formal, actual in zip(callee.parameters, site.arguments):
            name = inner.names[formal.name] = self._formal(formal, actual, calls)
            if name is not actual:
                self._move(name, actual, i)
        copies = []
        for formal, actual in zip(callee.results, site.results):
            name = inner.names[formal.name] = self._formal(formal, actual, calls)
            if name is not actual:
                copies.append((actual, name))
        kept = self._keep_stack(callee, i)
        with f.inside(calls):
            f.block(callee.body, inner, end)
        f.kernel.items.append(Mark(end))
        if kept is not None:
            f.emit(Op("mov.b64", (self.needs_stack().stack_pointer, kept), i))
        for target, value in copies:
            self._move(target, value, i)
        f.kernel.items.append(Mark(after))

    def _formal(
        self, formal: ir.Variable, actual: FlatOperand, calls: tuple[Call, ...]
    ) -> Reg | tuple[Reg, ...] | FlatAddress:
        """The callee's name for an argument or a result: the actual one, where that is a .param variable as well. `calls` are the
        callee's."""
        if isinstance(actual, FlatAddress) and actual.frame is not None and formal.space != "reg":
            return actual
        if formal.space != "reg":
            return self.f.frame(formal.name, formal.size, formal.alignment)
        inner = self.operands.declared(formal.name, formal.type, formal.vector)
        for reg in inner if isinstance(inner, tuple) else (inner,):
            reg.calls = calls
        return inner

    def _keep_stack(self, callee: ir.Function, i: ir.Instruction) -> Reg | None:
        """Where the stack ends before a function of which a copy follows, if it takes memory there: its end gives it back."""
        if not any(each.opcode == "alloca" for each in callee.instructions()):
            return None
        kept = self.f.reg("kept", TYPES["b64"])
        self.f.emit(Op("mov.b64", (kept, self.needs_stack().stack_pointer), i))
        return kept

    def _move(self, target: FlatOperand, value: FlatOperand, i: ir.Instruction) -> None:
        """target = value, where each is a register, a vector's registers or a .param variable, and value may be a constant."""
        if isinstance(target, tuple) and isinstance(value, tuple):
            for component, given in zip(target, value):
                self._move(component, given, i)
        elif isinstance(target, FlatAddress):
            assert target.frame is not None
            self.f.emit(Op(f"st.param.b{8 * target.frame.size}", (target, value), i))
        elif isinstance(value, FlatAddress) and value.frame is not None:
            self.f.emit(Op(f"ld.param.b{8 * value.frame.size}", (target, value), i))
        elif isinstance(target, Reg):
            kind = "pred" if target.type.kind == "p" else f"b{target.type.bits}"
            self.f.emit(Op(f"mov.{kind}", (target, value), i))
