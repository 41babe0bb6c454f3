"""Values of generated code: SSA values and constants of LLVM, with Python's operators; and variables on its stack.

A value may be a vector, one element for each of several lanes of a warp. Operators take any mixture: what is the same in every
lane is spread over them. So a lowering that only computes serves one lane and several alike; what cannot be done for several
lanes at once (calls, branches, addresses) raises OneLaneError, and is done lane by lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Union

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BITS", "LlvmValue", "Number", "OneLaneError", "Var", "shaped"]

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128, "float": 32, "double": 64, "ptr": 64}
"""Size of every LLVM type that generated code uses. half and bfloat are not among them: their lowering is host-dependent."""

Number = Union["LlvmValue", int]


class OneLaneError(Exception):
    """What was asked for is written for one lane at a time only. Never leaves the lowering."""


def shaped(type: str, lanes: int) -> str:
    """LLVM's name of a type, or of the vector of so many of it."""
    return f"<{lanes} x {type}>" if lanes else type


class Writer(Protocol):
    """Who writes the instructions of values: an `emit.Emitter`."""

    def line(self, text: str) -> None: ...

    def op(self, type: str, text: str, lanes: int = 0) -> LlvmValue: ...

    def splat(self, value: LlvmValue, lanes: int) -> LlvmValue: ...

    def numbered(self, type: str, lanes: int, step: int = 1) -> LlvmValue: ...

    def const(self, type: str, number: int) -> LlvmValue: ...

    def const_float(self, type: str, pattern: int) -> LlvmValue: ...

    def intrinsic(self, name: str, *arguments: LlvmValue | bool) -> LlvmValue: ...

    def use(self, function: Callable[..., LlvmValue], *arguments: LlvmValue, **constants: object) -> LlvmValue: ...


class LlvmValue:
    """An SSA value or a constant of generated code.

    `number` is the value of an integer constant, so that arithmetic on constants folds while it is written. `dirty` marks an
    f32 that may be a NaN with other bits than the canonical one (manual 9.7.3); whoever looks at its bits cleans it first.
    NaNs of f64 keep their payload, as on GPUs: see numbers.propagate_nan. `lanes` is 0, or of how many lanes it has the values;
    `type` is that of one.
    """

    __slots__ = ("dirty", "emitter", "lanes", "number", "text", "type")

    def __init__(
        self, emitter: Writer, type: str, text: str, number: int | None = None, dirty: bool = False, lanes: int = 0
    ) -> None:
        self.emitter = emitter
        self.type = type
        self.text = text
        self.number = number
        self.dirty = dirty
        self.lanes = lanes

    def __repr__(self) -> str:
        return f"{self.kind} {self.text}"

    @property
    def kind(self) -> str:
        """LLVM's name of its type."""
        return shaped(self.type, self.lanes) if self.lanes else self.type

    def spread(self, lanes: int) -> LlvmValue:
        """The same value in so many lanes."""
        if self.lanes == lanes:
            return self
        if self.text.startswith("%"):
            return self.emitter.splat(self, lanes)
        text = f"splat ({self.type} {self.text})"
        return LlvmValue(self.emitter, self.type, text, self.number, self.dirty, lanes)

    def one(self) -> LlvmValue:
        """This value. Raises OneLaneError where it is several."""
        if self.lanes:
            raise OneLaneError
        return self

    def _paired(self, b: LlvmValue) -> tuple[str, str, int]:
        """(the type and name of this value, the name of the other, their lanes), both in the same lanes."""
        lanes = self.lanes or b.lanes
        if not lanes:
            return f"{self.type} {self.text}", b.text, 0
        return f"{shaped(self.type, lanes)} {self.spread(lanes).text}", b.spread(lanes).text, lanes

    @property
    def bits(self) -> int:
        return BITS[self.type]

    @property
    def is_float(self) -> bool:
        return self.type in ("float", "double")

    def _coerce(self, other: Number) -> LlvmValue:
        return self.emitter.const(self.type, other) if isinstance(other, int) else other

    def binary(self, op: str, other: Number) -> LlvmValue:
        """An LLVM instruction of two operands of this type, by its name."""
        b = self._coerce(other)
        assert b.type == self.type, (op, self, b)
        if b.number is not None:
            if self.number is not None and op in _FOLD:
                return self.emitter.const(self.type, _FOLD[op](self.number, b.number))
            if _NEUTRAL.get(op) == b.number or (op == "and" and b.number == (1 << self.bits) - 1):
                return self
            if op == "and" and b.number == 0:
                return b
        if self.lanes or b.lanes:
            first, second, lanes = self._paired(b)
            return self.emitter.op(self.type, f"{op} {first}, {second}", lanes).soiled()
        result = self.emitter.op(self.type, f"{op} {self.type} {self.text}, {b.text}")
        result.dirty = self.type == "float"
        return result

    def __add__(self, other: Number) -> LlvmValue:
        return self.binary("fadd" if self.is_float else "add", other)

    def __sub__(self, other: Number) -> LlvmValue:
        return self.binary("fsub" if self.is_float else "sub", other)

    def __mul__(self, other: Number) -> LlvmValue:
        return self.binary("fmul" if self.is_float else "mul", other)

    def __truediv__(self, other: Number) -> LlvmValue:
        return self.binary("fdiv", other)

    def __and__(self, other: Number) -> LlvmValue:
        return self.binary("and", other)

    def __or__(self, other: Number) -> LlvmValue:
        return self.binary("or", other)

    def __xor__(self, other: Number) -> LlvmValue:
        return self.binary("xor", other)

    def __lshift__(self, other: Number) -> LlvmValue:
        """Shift left; the amount must be below the width."""
        return self.binary("shl", other)

    def __rshift__(self, other: Number) -> LlvmValue:
        """Logical shift right; the amount must be below the width."""
        return self.binary("lshr", other)

    def sra(self, other: Number) -> LlvmValue:
        """Arithmetic shift right; the amount must be below the width."""
        return self.binary("ashr", other)

    def udiv(self, other: Number) -> LlvmValue:
        return self.binary("udiv", other)

    def urem(self, other: Number) -> LlvmValue:
        return self.binary("urem", other)

    def sdiv(self, other: Number) -> LlvmValue:
        return self.binary("sdiv", other)

    def srem(self, other: Number) -> LlvmValue:
        return self.binary("srem", other)

    def __invert__(self) -> LlvmValue:
        return self ^ self.emitter.const(self.type, -1)

    def __neg__(self) -> LlvmValue:
        if self.is_float:
            return self.emitter.op(self.type, f"fneg {self.kind} {self.text}", self.lanes)
        return self.emitter.const(self.type, 0) - self

    def icmp(self, condition: str, other: Number) -> LlvmValue:
        """`condition` is LLVM's: eq ne ult ule ugt uge slt sle sgt sge."""
        b = self._coerce(other)
        assert b.type == self.type, (condition, self, b)
        if self.lanes or b.lanes:
            first, second, lanes = self._paired(b)
            return self.emitter.op("i1", f"icmp {condition} {first}, {second}", lanes)
        return self.emitter.op("i1", f"icmp {condition} {self.type} {self.text}, {b.text}")

    def eq(self, other: Number) -> LlvmValue:
        return self.icmp("eq", other)

    def ne(self, other: Number) -> LlvmValue:
        return self.icmp("ne", other)

    def ult(self, other: Number) -> LlvmValue:
        return self.icmp("ult", other)

    def ule(self, other: Number) -> LlvmValue:
        return self.icmp("ule", other)

    def ugt(self, other: Number) -> LlvmValue:
        return self.icmp("ugt", other)

    def uge(self, other: Number) -> LlvmValue:
        return self.icmp("uge", other)

    def slt(self, other: Number) -> LlvmValue:
        return self.icmp("slt", other)

    def sgt(self, other: Number) -> LlvmValue:
        return self.icmp("sgt", other)

    def sle(self, other: Number) -> LlvmValue:
        return self.icmp("sle", other)

    def sge(self, other: Number) -> LlvmValue:
        return self.icmp("sge", other)

    def fcmp(self, condition: str, other: LlvmValue) -> LlvmValue:
        """`condition` is LLVM's: oeq one olt ole ogt oge ord, ueq une ult ule ugt uge uno."""
        first, second, lanes = self._paired(other)
        return self.emitter.op("i1", f"fcmp {condition} {first}, {second}", lanes)

    def is_nan(self) -> LlvmValue:
        return self.fcmp("uno", self)

    def select(self, then: LlvmValue, otherwise: Number) -> LlvmValue:
        """`then` where this i1 is set, else `otherwise`."""
        other = then._coerce(otherwise)
        assert (self.type, then.type) == ("i1", other.type), (self, then, other)
        if self.number is not None:
            return then if self.number else other
        if then.text == other.text:
            return then
        if then.dirty != other.dirty and then.text.startswith("%") and other.text.startswith("%"):
            then, other = then.clean(), other.clean()  # the one that is clean may be a NaN whose bits are to stay
        lanes, type = self.lanes or then.lanes or other.lanes, then.type
        if lanes:
            then, other = then.spread(lanes), other.spread(lanes)
            picked = f"select {self.kind} {self.text}, {then.kind} {then.text}, {other.kind} {other.text}"
        else:
            picked = f"select i1 {self.text}, {type} {then.text}, {type} {other.text}"
        result = self.emitter.op(type, picked, lanes)
        result.dirty = then.dirty or other.dirty
        return result

    def cast(self, op: str, type: str) -> LlvmValue:
        lanes = self.lanes
        if lanes:
            return self.emitter.op(type, f"{op} {self.kind} {self.text} to {shaped(type, lanes)}", lanes)
        return self.emitter.op(type, f"{op} {self.type} {self.text} to {type}")

    def zext(self, type: str) -> LlvmValue:
        if type == self.type:
            return self
        return self.emitter.const(type, self.number) if self.number is not None else self.cast("zext", type)

    def sext(self, type: str) -> LlvmValue:
        return self if type == self.type else self.cast("sext", type)

    def trunc(self, type: str) -> LlvmValue:
        if type == self.type:
            return self
        return self.emitter.const(type, self.number) if self.number is not None else self.cast("trunc", type)

    def resize(self, type: str, signed: bool = False) -> LlvmValue:
        """The integer in another width: truncated, or extended by its sign or with zeros."""
        if BITS[type] < self.bits:
            return self.trunc(type)
        return self.sext(type) if signed else self.zext(type)

    def bitcast(self, type: str) -> LlvmValue:
        """The same bits as another type of the same size; a NaN becomes canonical before its bits are seen."""
        if type == self.type:
            return self
        return self.clean().cast("bitcast", type)

    def clean(self) -> LlvmValue:
        """This f32 with the canonical NaN in place of every NaN that arithmetic may have made."""
        if not self.dirty:
            return self
        canonical = self.emitter.const_float("float", 0x7FFFFFFF)
        return self.is_nan().select(canonical, LlvmValue(self.emitter, self.type, self.text, lanes=self.lanes))

    def known_number(self) -> LlvmValue:
        """This float, marked as one that is not NaN, or whose NaN nobody will see."""
        self.dirty = False
        return self

    def soiled(self) -> LlvmValue:
        """This value, marked as the result of arithmetic when it is an f32."""
        self.dirty = self.type == "float"
        return self


_FOLD: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "lshr": lambda a, b: a >> b,
}


_NEUTRAL = {"add": 0, "sub": 0, "or": 0, "xor": 0, "shl": 0, "lshr": 0, "ashr": 0, "mul": 1, "udiv": 1}
"""The right operand with which an instruction gives its left one."""


class Var:
    """A place on the stack of a generated function; the optimiser makes registers of it."""

    __slots__ = ("emitter", "text", "type")

    def __init__(self, emitter: Writer, type: str, text: str) -> None:
        self.emitter = emitter
        self.type = type
        self.text = text

    def get(self) -> LlvmValue:
        return self.emitter.op(self.type, f"load {self.type}, ptr {self.text}")

    @property
    def pointer(self) -> LlvmValue:
        return LlvmValue(self.emitter, "ptr", self.text)

    def set(self, value: Number) -> None:
        v = self.emitter.const(self.type, value) if isinstance(value, int) else value.one()
        self.emitter.line(f"store {v.type} {v.text}, ptr {self.text}")
