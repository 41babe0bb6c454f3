"""Expressions over a thread: `%f1 * 2 > x`, `%tid.x == 3 and shared.f32[tile + 4 * %laneid] < 0`.

Python's arithmetic, comparisons, `and`, `or`, `not` and conditional expressions, over

    %r1, $L, acc        registers of the function in hand; of the thread where none is written yet the value is None
    %tid.x, %laneid     special registers
    n, x                parameters of the kernel, by their declared types
    tile                a variable in shared or local memory: its address there
    shared.f32[a]       memory: a state space, a type, an address in bytes; `shared.f32[a:b]` elements up to an address
    f32(%r1)            the bits of a register as another type

`%` before a letter begins a register, so that a remainder is written with a blank: `%r1 % 4`.
"""

from __future__ import annotations

import ast
import operator
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ptxgen.cpu.debugger.memory import SPACES
from ptxgen.debugger.values import Value, find_type
from ptxgen.errors import DebugError
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.isa.types import ScalarType

__all__ = ["Expression", "Reference"]

_MOST_ELEMENTS = 4096
_TOKEN = re.compile(
    r"(?P<memory>\b(?:" + "|".join(SPACES) + r")\.\w+)(?=\s*\[)|(?P<name>[%$][A-Za-z_$][\w$]*(?:\.[xyzw])?)"
)
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


class Reference(NamedTuple):
    """What can be changed and watched: a register where `space` is "", else so many elements of memory from an address on."""

    space: str
    name: str
    address: int
    type: ScalarType | None
    elements: int


class Scope(Protocol):
    """Whose names an expression means: a `threads.Thread`."""

    def lookup(self, name: str) -> Value | None: ...

    def raw(self, name: str) -> int | None: ...

    def read(self, space: str, address: int, type: ScalarType | str, count: int = 1) -> list[Value]: ...


class Expression:
    """Read once, evaluated in many threads. Raises DebugError for what is none."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self._names: dict[str, str] = {}
        try:
            self._tree = ast.parse(_TOKEN.sub(self._replaced, self.text), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise DebugError(
                f"{self.text!r} is no expression", hint="such as %r1 == 3, shared.f32[0] + 1, f32(%r2); % 4 has a blank"
            ) from None
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Constant) and not isinstance(node.value, (int, float)) and node.value is not None:
                raise DebugError(f"{node.value!r} in {self.text!r}: expressions have numbers")
            if type(node) not in _ALLOWED:
                raise DebugError(f"{type(node).__name__} in {self.text!r}: expressions have arithmetic and comparisons")

    def __str__(self) -> str:
        return self.text

    def _replaced(self, found: re.Match[str]) -> str:
        """A name that Python does not take, as one that it does."""
        name = f"_{len(self._names)}_"
        self._names[name] = found[0]
        return name

    # -- values -------------------------------------------------------------------------------------------------------

    def evaluate(self, scope: Scope) -> Any:
        """Its value in a thread. Raises DebugError where a name or an address is not there, or a register not written."""
        try:
            return self._value(self._tree, scope)
        except DebugError:
            raise
        except (TypeError, ZeroDivisionError, ValueError, OverflowError, RecursionError) as wrong:
            raise DebugError(f"{self.text}: {wrong}") from None

    def holds(self, scope: Scope) -> bool:
        """Is it true? What cannot be computed, because a register is not written, is not."""
        try:
            return bool(self._value(self._tree, scope))
        except TypeError:
            return False

    def _value(self, node: ast.expr, scope: Scope) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return scope.lookup(self._named(node))
        if isinstance(node, ast.Subscript):
            where = self._memory(node, scope)
            assert where.type is not None
            found = scope.read(where.space, where.address, where.type, where.elements)
            return found if isinstance(node.slice, ast.Slice) else found[0]
        if isinstance(node, ast.Call):
            return self._cast(node, scope)
        if isinstance(node, ast.BoolOp):
            stops = isinstance(node.op, ast.Or)
            value = None
            for part in node.values:
                value = self._value(part, scope)
                if bool(value) is stops:
                    break
            return value
        if isinstance(node, ast.BinOp):
            left, right = self._value(node.left, scope), self._value(node.right, scope)
            if isinstance(node.op, ast.LShift) and isinstance(right, int) and right > 1024:
                raise DebugError(f"{self.text}: a shift by {right}")
            return _BINARY[type(node.op)](left, right)
        if isinstance(node, ast.UnaryOp):
            return _UNARY[type(node.op)](self._value(node.operand, scope))
        if isinstance(node, ast.IfExp):
            return self._value(node.body if self._value(node.test, scope) else node.orelse, scope)
        assert isinstance(node, ast.Compare)
        left = self._value(node.left, scope)
        for compare, part in zip(node.ops, node.comparators):
            right = self._value(part, scope)
            if not _COMPARE[type(compare)](left, right):
                return False
            left = right
        return True

    def _named(self, node: ast.Name) -> str:
        return self._names.get(node.id, node.id)

    def _memory(self, node: ast.Subscript, scope: Scope) -> Reference:
        name = self._named(node.value) if isinstance(node.value, ast.Name) else ""
        space, dot, kind = name.partition(".")
        if not dot or name.startswith("%"):
            raise DebugError(
                f"{self.text}: memory is a space, a type and an address", hint="shared.f32[0], global.u8[%rd1]"
            )
        type_ = find_type(kind)
        if not isinstance(node.slice, ast.Slice):
            return Reference(space, name, self._address(node.slice, scope), type_, 1)
        if node.slice.lower is None or node.slice.upper is None or node.slice.step is not None:
            raise DebugError(f"{self.text}: a range has two addresses", hint="shared.f32[0:64]: 16 elements")
        first, end = (self._address(part, scope) for part in (node.slice.lower, node.slice.upper))
        count = max(end - first, 0) // type_.bytes
        if not 0 < count <= _MOST_ELEMENTS:
            raise DebugError(f"{self.text}: {count} elements, and a range has 1 to {_MOST_ELEMENTS}")
        return Reference(space, name, first, type_, count)

    def _address(self, node: ast.expr, scope: Scope) -> int:
        found = self._value(node, scope)
        if not isinstance(found, int):
            raise DebugError(f"{self.text}: an address is a whole number, not {found}")
        return found

    def _cast(self, node: ast.Call, scope: Scope) -> Value | None:
        from ptxgen.debugger.values import value_of

        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in TYPES or len(node.args) != 1 or node.keywords:
            raise DebugError(f"{self.text}: a type is called with a register", hint="f32(%r1), s32(%r2), f16x2(%r3)")
        (argument,) = node.args
        if isinstance(argument, ast.Name):
            bits = scope.raw(self._named(argument))
            return None if bits is None else value_of(bits, find_type(name))
        found = self._value(argument, scope)
        if not isinstance(found, int):
            raise DebugError(f"{self.text}: {name}() takes a register or whole number, not {found}")
        return value_of(found, find_type(name))

    # -- places -------------------------------------------------------------------------------------------------------

    def reference(self, scope: Scope) -> Reference:
        """What it names, where that is a register or memory. Raises DebugError."""
        if isinstance(self._tree, ast.Name):
            return Reference("", self._named(self._tree), 0, None, 1)
        if isinstance(self._tree, ast.Subscript):
            return self._memory(self._tree, scope)
        raise DebugError(f"{self.text} is neither a register nor memory", hint="%r1, shared.f32[0], global.u32[x]")


_ALLOWED = frozenset(
    {
        ast.Constant, ast.Name, ast.Subscript, ast.Slice, ast.Call, ast.BoolOp, ast.And, ast.Or, ast.BinOp, ast.UnaryOp,
        ast.IfExp, ast.Compare, ast.Load, *_BINARY, *_UNARY, *_COMPARE,
    }
)  # fmt: skip
