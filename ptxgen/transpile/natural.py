"""The builder's natural forms, `a + b` and `k.select(p, a, b)`, for instructions that they emit.

A row is a candidate; whether it is right for an instruction is asked of the builder itself: the form is tried on a builder of the
same target, with values of the same types, and is taken where it emits that very instruction and nothing else. To add a form, add
its row.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder.builder import Builder
from ptxgen.builder.core.module_builder import ModuleBuilder
from ptxgen.builder.values.scalars import SCALARS, Value
from ptxgen.errors import BuildError
from ptxgen.ir import Address, Instruction, Register

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.ir import Operand

__all__ = ["Bench", "Natural", "special_text"]


class Natural(NamedTuple):
    """A form that fits: its text with a place for each operand, and the type of its result."""

    text: str
    type: Any


_RESULT: dict[str, tuple[tuple[str, Callable[..., Any]], ...]] = {
    "add": (("{0} + {1}", operator.add),),
    "sub": (("{0} - {1}", operator.sub),),
    "mul": (
        ("{0} * {1}", operator.mul),
        ("k.mul_wide({0}, {1})", lambda a, b: _builder(a, b).mul_wide(a, b)),
        ("k.mulhi({0}, {1})", lambda a, b: _builder(a, b).mulhi(a, b)),
    ),
    "div": (("{0} // {1}", operator.floordiv), ("{0} / {1}", operator.truediv)),
    "rem": (("{0} % {1}", operator.mod),),
    "and": (("{0} & {1}", operator.and_),),
    "or": (("{0} | {1}", operator.or_),),
    "xor": (("{0} ^ {1}", operator.xor),),
    "not": (("~{0}", operator.invert),),
    "neg": (("-{0}", operator.neg),),
    "abs": (("abs({0})", abs),),
    "shl": (("{0} << {1}", operator.lshift),),
    "shr": (("{0} >> {1}", operator.rshift),),
    "min": (("k.min({0}, {1})", lambda a, b: _builder(a, b).min(a, b)),),
    "max": (("k.max({0}, {1})", lambda a, b: _builder(a, b).max(a, b)),),
    "fma": (("k.fma({0}, {1}, {2})", lambda a, b, c: _builder(a, b, c).fma(a, b, c)),),
    "mad": (("k.fma({0}, {1}, {2})", lambda a, b, c: _builder(a, b, c).fma(a, b, c)),),
    "setp": (
        ("{0} < {1}", operator.lt),
        ("{0} <= {1}", operator.le),
        ("{0} > {1}", operator.gt),
        ("{0} >= {1}", operator.ge),
        ("{0} == {1}", operator.eq),
        ("{0} != {1}", operator.ne),
    ),
    "selp": (("k.select({2}, {0}, {1})", lambda a, b, p: _builder(p).select(p, a, b)),),
    "popc": (("k.popc({0})", lambda a: _builder(a).popc(a)),),
    "clz": (("k.clz({0})", lambda a: _builder(a).clz(a)),),
    "brev": (("k.brev({0})", lambda a: _builder(a).brev(a)),),
    "sqrt": (("k.sqrt({0})", lambda a: _builder(a).sqrt(a)),),
    "rsqrt": (("k.rsqrt({0})", lambda a: _builder(a).rsqrt(a)),),
    "rcp": (("k.rcp({0})", lambda a: _builder(a).rcp(a)),),
    "ex2": (("k.exp2({0})", lambda a: _builder(a).exp2(a)),),
    "lg2": (("k.log2({0})", lambda a: _builder(a).log2(a)),),
    "sin": (("k.sin({0})", lambda a: _builder(a).sin(a)),),
    "cos": (("k.cos({0})", lambda a: _builder(a).cos(a)),),
    "tanh": (("k.tanh({0})", lambda a: _builder(a).tanh(a)),),
}
"""Opcode -> forms of its operands behind the destination."""

_IN_PLACE: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add": ("{0} += {1}", operator.iadd),
    "sub": ("{0} -= {1}", operator.isub),
    "mul": ("{0} *= {1}", operator.imul),
    "and": ("{0} &= {1}", operator.iand),
    "or": ("{0} |= {1}", operator.ior),
    "xor": ("{0} ^= {1}", operator.ixor),
    "shl": ("{0} <<= {1}", operator.ilshift),
    "shr": ("{0} >>= {1}", operator.irshift),
}

_INDICES = ("%tid", "%ntid", "%ctaid", "%nctaid")
_PLAIN_READS = {"%laneid": "k.lane", "%clock64": "k.clock"}


def _converting(opcode: str, type_: Any) -> tuple[tuple[str, Callable[..., Any]], ...]:
    """The forms that say the type of their result."""
    if opcode not in ("cvt", "mov") or not hasattr(type_, "isa"):
        return ()
    method = "to" if opcode == "cvt" else "bits"
    return ((f"{{0}}.{method}({type_.__name__})", lambda a: getattr(a, method)(type_)),)


def _builder(*values: Any) -> Any:
    return next(each.builder for each in values if isinstance(each, Value))


class Bench:
    """A builder to try forms on. `kept` are the special registers that the builder being written for would not read again."""

    def __init__(self, target: str) -> None:
        self.k = Builder(ModuleBuilder(target), "trial")
        self._values: dict[tuple[str, Any, bool], Any] = {}
        self._known: dict[Any, Natural | None] = {}

    def value(self, name: str, type_: Any, mutable: bool) -> Any:
        """A value or variable of a type in a register of that name."""
        made = self._values.get((name, type_, mutable))
        if made is None:
            register = Register(f"%{name}", type_.storage)
            made = type_(self.k, register, self.k.scope)
            made.mutable = mutable
            self._values[name, type_, mutable] = made
        return made

    def emitted(self, form: Callable[..., Any], *values: Any) -> tuple[list[Any], Any]:
        """What a form emits for some values, and what it returns; BuildError where it takes none such."""
        k = self.k
        k.statements.clear()
        k.scope.cache.clear()
        return k.statements, form(*values)

    def result(self, op: str, type_: Any, values: list[Any], operands: tuple[Operand, ...]) -> Natural | None:
        """The form that computes an instruction's first operand, of a type, from the others: these values and operands."""
        opcode = op.partition(".")[0]
        rows = _RESULT.get(opcode) or _converting(opcode, type_)
        if not any(isinstance(each, Value) for each in values):
            return None
        if not all(isinstance(each, (Value, int, float)) for each in values):
            return None
        key = (op, type_, *[self._key(each) for each in values])
        if key not in self._known:
            found = (self._try(row, op, values, operands) for row in rows)
            self._known[key] = next(filter(None, found), None)
        return self._known[key]

    def _key(self, value: Any) -> Any:
        """What of a value decides over a form: which of several registers it is does not."""
        return (type(value), value.mutable) if isinstance(value, Value) else (type(value), repr(value))

    def _try(
        self, row: tuple[str, Callable[..., Any]], op: str, values: list[Any], operands: tuple[Operand, ...]
    ) -> Natural | None:
        text, form = row
        try:
            statements, result = self.emitted(form, *values)
        except (BuildError, TypeError, ValueError, AttributeError):
            return None
        if not isinstance(result, Value) or any(result is each for each in values):
            return None
        same = statements == [Instruction(op, (result.operand, *operands))]
        return Natural(text, type(result)) if same else None

    def in_place(self, op: str, values: list[Any], operands: tuple[Operand, ...]) -> str | None:
        """The statement that changes the variable `values[0]` as an instruction of these operands does."""
        opcode = op.partition(".")[0]
        if opcode == "mov" and len(values) == 2:
            text, form = "{0}.set({1})", lambda a, b: a.set(b)
            statement = Instruction(op, operands)
        elif opcode in _IN_PLACE and len(values) == 3 and values[0] is values[1]:
            text, form = _IN_PLACE[opcode]
            statement, values = Instruction(op, operands), [values[0], values[2]]
        else:
            return None
        try:
            statements, _ = self.emitted(form, *values)
        except (BuildError, TypeError, ValueError, AttributeError):
            return None
        return text if statements == [statement] else None

    def beginning(self, op: str, type_: Any, value: Any, operand: Operand) -> bool:
        """Does `k.var(type, value)` begin with that instruction?"""
        try:
            statements, made = self.emitted(self.k.var, type_, value)
        except (BuildError, TypeError, ValueError, AttributeError):
            return False
        return bool(statements == [Instruction(op, (made.operand, operand))])

    def exactly(self, op: str, values: list[Any], instruction: Instruction) -> bool:
        """Does the exact call emit that instruction?"""
        try:
            statements, _ = self.emitted(self.k.ptx[op], *values)
        except (BuildError, TypeError, ValueError, AttributeError):
            return False
        return bool(statements == [Instruction(op, instruction.operands)])

    def pointed(self, op: str, base: Any, operand: Operand, value: Any, address: Address) -> str | None:
        """`k.pointer(base, type)[index]` of a load (`value` None) or a store in global memory."""
        opcode, _, rest = op.partition(".")
        words = rest.split(".")
        element: Any = SCALARS.get(words[-1])
        if len(words) != 2 or words[0] != "global" or element is None or element.isa.kind == "p":
            return None
        index, beyond = divmod(address.offset, element.isa.bytes)
        if beyond or address.coordinates or address.handle or not isinstance(address.base, Register):
            return None
        pointer = self.k.pointer(base, element)
        try:
            if opcode == "ld":
                statements, result = self.emitted(pointer.load, index)
                same = statements == [Instruction(op, (result.operand, address))]
            else:
                statements, _ = self.emitted(pointer.store, index, value)
                same = statements == [Instruction(op, (address, operand))]
        except (BuildError, TypeError, ValueError, AttributeError):
            return None
        return f"k.pointer({{0}}, {words[-1]})[{index}]" if same else None


def special_text(name: str) -> tuple[str, Any]:
    """How the builder reads a special register, and the type that it gives it; "" where it has no word for it."""
    base, _, axis = name.partition(".")
    if base in _INDICES and axis in ("x", "y", "z"):
        return f"k.{base[1:]}.{axis}", SCALARS["u32"]
    if name in _PLAIN_READS:
        return _PLAIN_READS[name], SCALARS["u64" if name == "%clock64" else "u32"]
    return "", None
