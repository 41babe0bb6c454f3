"""Writing LLVM IR as text: values with operators, straight-line emission, a little structured control flow.

Text and not `llvmlite.ir`: it is faster to make, it can say all that LLVM accepts, and what is printed is what is compiled.
Only core instructions and long-stable intrinsics are used, so the same text serves LLVM 20 and later.

The native launcher of driver_ctypes has a writer of its own (`driver_ctypes.trampoline.writer`): that package stands without
this one, and this room without a driver.
"""

from __future__ import annotations

import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu.value import BITS, LlvmValue, Var

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.value import Number

__all__ = ["BITS", "Emitter", "LlvmValue", "ModuleText", "Var", "convention"]


LARGEST_INLINED = 64
"""Lines of a helper that optimised code takes in whole; calls cost it its floating-point registers."""


RARE = frozenset({"cluster_address", "cluster_pointer", "fault", "resolve"})
"""Functions of the run-time library that loops hardly ever call: they leave all registers as they are, and loops keep theirs.
They call nothing but each other: else they would save every register that there is."""


def convention(name: str) -> str:
    """How a function of the library is called, before the type of its result."""
    return "preserve_allcc " if name in RARE else ""


class ModuleText:
    """The text of one LLVM module: declarations and helper functions are added when something first uses them."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.declarations: dict[str, str] = {}
        self.functions: list[str] = []
        self._helpers: dict[tuple[object, ...], tuple[str, str]] = {}

    def declare(self, name: str, result: str, arguments: tuple[str, ...]) -> None:
        if name not in self.declarations:
            self.declarations[name] = f"declare {convention(name)}{result} @{name}({', '.join(arguments)})"

    def helper(
        self, function: Callable[..., LlvmValue], types: tuple[str, ...], constants: dict[str, object]
    ) -> tuple[str, str]:
        """(name, result type) of the LLVM function that `function` writes for these argument types and constants."""
        known = (function, types, tuple(constants.items()))
        found = self._helpers.get(known)
        if found is None:
            name = ".".join([function.__name__, *(str(c) for c in constants.values() if c), *types])
            if any(name == other for other, _ in self._helpers.values()):  # True may stand for several of its constants
                name += f".{len(self._helpers)}"
            e = Emitter(self)
            result = function(e, *(LlvmValue(e, t, f"%a{i}") for i, t in enumerate(types)), **constants).clean()
            e.line(f"ret {result.type} {result.text}")
            arguments = ", ".join(f"{t} %a{i}" for i, t in enumerate(types))
            inline = "alwaysinline " if len(e.lines) <= LARGEST_INLINED and not e.allocas else ""
            attributes = "noinline strictfp nounwind" if e.strict else f"{inline}nounwind"
            self.functions.append(e.function(f"internal {result.type} @{name}({arguments}) {attributes}"))
            found = self._helpers[known] = (name, result.type)
        return found

    def __str__(self) -> str:
        return "\n".join([*self.heads, *self.declarations.values(), *self.functions, ""])


class Emitter:
    """Writes the body of one LLVM function, in order."""

    def __init__(self, module: ModuleText) -> None:
        self.module = module
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.block = "entry"  # label of the block being written, for phi
        self.strict = False  # uses constrained floating point: the function must not be inlined or reordered
        self._names = 0

    def function(self, head: str) -> str:
        """The whole function: `define HEAD { ... }`."""
        return "\n".join([f"define {head} {{", "entry:", *self.allocas, *self.lines, "}"])

    # -- plain emission -----------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def fresh(self, stem: str = "v") -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def op(self, type: str, text: str) -> LlvmValue:
        name = f"%v{self._names}"
        self._names += 1
        self.lines.append(f"  {name} = {text}")
        return LlvmValue(self, type, name)

    def const(self, type: str, number: int) -> LlvmValue:
        """An integer constant, wrapped to its width; for a float type, the float of that value."""
        if type in ("float", "double"):
            return LlvmValue(self, type, f"{float(number)!r}")
        bits = BITS[type]
        number = int(number) & ((1 << bits) - 1)  # a flag of an enum as its number: Python 3.10 writes its name
        return LlvmValue(self, type, str(number), number)

    def const_float(self, type: str, pattern: int) -> LlvmValue:
        """The float with this bit pattern, NaN payloads included."""
        return LlvmValue(self, type, f"bitcast (i{BITS[type]} {pattern} to {type})")

    def double(self, number: float) -> LlvmValue:
        """A constant of type double, exact."""
        return LlvmValue(self, "double", "0x" + struct.pack(">d", number).hex().upper())

    def undef(self, type: str) -> LlvmValue:
        """A value nobody may look at; zero, so that programs stay reproducible."""
        return LlvmValue(self, type, {"float": "0.0", "double": "0.0", "ptr": "null"}.get(type, "0"))

    # -- memory -------------------------------------------------------------------------------------------------------

    def ptr(self, address: LlvmValue) -> LlvmValue:
        return address.cast("inttoptr", "ptr")

    def offset(self, base: LlvmValue, nbytes: Number) -> LlvmValue:
        """The pointer `nbytes` (a number or an i64) past `base`."""
        if isinstance(nbytes, int):
            return base if nbytes == 0 else self.op("ptr", f"getelementptr i8, ptr {base.text}, i64 {nbytes}")
        return self.op("ptr", f"getelementptr i8, ptr {base.text}, i64 {nbytes.text}")

    def element(self, type: str, base: LlvmValue, index: LlvmValue) -> LlvmValue:
        """The pointer to element `index` of an array of `type` at `base`."""
        return self.op("ptr", f"getelementptr {type}, ptr {base.text}, {index.type} {index.text}")

    def load(self, type: str, pointer: LlvmValue, suffix: str = "") -> LlvmValue:
        atomic = "atomic " if suffix else ""
        tail = f" {suffix}, align {BITS[type] // 8}" if suffix else ""
        return self.op(type, f"load {atomic}{type}, ptr {pointer.text}{tail}")

    def store(self, value: LlvmValue, pointer: LlvmValue, suffix: str = "") -> None:
        value = value.clean()
        atomic = "atomic " if suffix else ""
        tail = f" {suffix}, align {value.bits // 8}" if suffix else ""
        self.line(f"store {atomic}{value.type} {value.text}, ptr {pointer.text}{tail}")

    # -- calls --------------------------------------------------------------------------------------------------------

    def intrinsic(self, name: str, *arguments: LlvmValue | bool) -> LlvmValue:
        """`llvm.NAME.TYPE`, overloaded on the type of its first argument; Python booleans are `i1` immediates."""
        overload = next(a.type for a in arguments if isinstance(a, LlvmValue))
        suffix = {"float": "f32", "double": "f64"}.get(overload, overload)
        texts = [f"i1 {str(a).lower()}" if isinstance(a, bool) else f"{a.type} {a.text}" for a in arguments]
        kinds = tuple("i1" if isinstance(a, bool) else a.type for a in arguments)
        full = f"{name}.{suffix}"
        self.module.declare(full, overload, kinds)
        result = self.op(overload, f"call {overload} @{full}({', '.join(texts)})")
        return result.soiled()

    def call(self, name: str, result: str, *arguments: LlvmValue) -> LlvmValue:
        """A call of an external function of the runtime, by its name."""
        self.module.declare(name, result, tuple(a.type for a in arguments))
        return self._call(name, result, arguments)

    def invoke(self, name: str, *arguments: LlvmValue) -> None:
        """A call of an external function or intrinsic without a result."""
        self.module.declare(name, "void", tuple(a.type for a in arguments))
        self.line(f"call {convention(name)}void @{name}({', '.join(f'{a.type} {a.text}' for a in arguments)})")

    def use(self, function: Callable[..., LlvmValue], *arguments: LlvmValue, **constants: object) -> LlvmValue:
        """A call of a helper: `function(emitter, *values, **constants)` writes its body once per module."""
        arguments = tuple(a.clean() for a in arguments)
        name, result = self.module.helper(function, tuple(a.type for a in arguments), constants)
        return self._call(name, result, arguments)

    def _call(self, name: str, result: str, arguments: tuple[LlvmValue, ...]) -> LlvmValue:
        text = f"call {convention(name)}{result} @{name}({', '.join(f'{a.type} {a.text}' for a in arguments)})"
        return self.op(result, text)

    # -- control flow -------------------------------------------------------------------------------------------------

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def jump(self, label: str) -> None:
        self.line(f"br label %{label}")

    def leave(self, label: str) -> None:
        """Jumps out of structured control flow; what is written next is never reached."""
        self.jump(label)
        self.label(self.fresh("dead"))

    def branch(self, condition: LlvmValue, then: str, otherwise: str) -> None:
        self.line(f"br i1 {condition.text}, label %{then}, label %{otherwise}")

    def var(self, type: str, initial: Number | None = None, *, align: int = 0) -> Var:
        name = f"%{self.fresh('s')}"
        self.allocas.append(f"  {name} = alloca {type}{f', align {align}' if align else ''}")
        variable = Var(self, type, name)
        if initial is not None:
            variable.set(initial)
        return variable

    @contextmanager
    def if_(self, condition: LlvmValue) -> Iterator[None]:
        then, end = self.fresh("then"), self.fresh("end")
        self.branch(condition, then, end)
        self.label(then)
        yield
        self.jump(end)
        self.label(end)

    @contextmanager
    def loop(self) -> Iterator[str]:
        """Repeats its body until the body jumps to the label that it is given."""
        head, end = self.fresh("loop"), self.fresh("done")
        self.jump(head)
        self.label(head)
        yield end
        self.jump(head)
        self.label(end)

    def break_if(self, condition: LlvmValue, label: str) -> None:
        more = self.fresh("more")
        self.branch(condition, label, more)
        self.label(more)

    @contextmanager
    def count(self, start: Number, stop: LlvmValue) -> Iterator[LlvmValue]:
        """`for i in range(start, stop)` over unsigned values."""
        i = self.var(stop.type, start)
        with self.loop() as end:
            now = i.get()
            self.break_if(now.uge(stop), end)
            yield now
            i.set(now + 1)

    def phi(self, type: str, incoming: list[tuple[LlvmValue, str]]) -> LlvmValue:
        result = self.op(type, f"phi {type} " + ", ".join(f"[ {v.text}, %{block} ]" for v, block in incoming))
        result.dirty = any(v.dirty for v, _ in incoming)
        return result
