"""Writing LLVM IR as text: values with operators, straight-line emission, a little structured control flow.

Text and not `llvmlite.ir`: it is faster to make, it can say all that LLVM accepts, and what is printed is what is compiled.
Only core instructions and long-stable intrinsics are used, so the same text serves LLVM 20 and later.

The native launcher of driver_ctypes has a writer of its own (`driver_ctypes.trampoline.shared`): that package stands without
this one, and this room without a driver.
"""

from __future__ import annotations

import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu.value import BITS, LlvmValue, OneLaneError, Var, shaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ptxgen.cpu.value import Number

__all__ = ["BITS", "Emitter", "LlvmValue", "ModuleText", "Var", "convention"]


LARGEST_INLINED = 64
"""Lines of a helper that optimised code takes in whole; calls cost it its floating-point registers."""


RARE = frozenset({"cluster_address", "cluster_pointer", "fault", "load_lanes", "resolve", "store_lanes"})
"""Functions of the run-time library that loops hardly ever call: they leave all registers as they are, and loops keep theirs.
They call nothing but each other: else they would save every register that there is."""


def convention(name: str) -> str:
    """How a function of the library is called, before the type of its result."""
    return "preserve_allcc " if name in RARE else ""


def _suffix(type: str, lanes: int) -> str:
    """What an overloaded intrinsic's name has for a type, or for a vector of so many."""
    name = {"float": "f32", "double": "f64", "ptr": "p0"}.get(type, type)
    return f"v{lanes}{name}" if lanes else name


class ModuleText:
    """The text of one LLVM module: declarations and helper functions are added when something first uses them."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.declarations: dict[str, str] = {}
        self.functions: list[str] = []
        self.tables: dict[tuple[str | int, ...], str] = {}
        """(name, numbers) of a table of i32 -> its symbol."""
        self._helpers: dict[tuple[object, ...], tuple[str, str, int]] = {}

    def declare(self, name: str, result: str, arguments: tuple[str, ...]) -> None:
        if name not in self.declarations:
            self.declarations[name] = f"declare {convention(name)}{result} @{name}({', '.join(arguments)})"

    def helper(
        self, function: Callable[..., LlvmValue], types: tuple[tuple[str, int], ...], constants: dict[str, object]
    ) -> tuple[str, str, int]:
        """(name, result type, its lanes) of the LLVM function that `function` writes for these arguments, (type, lanes), and
        constants. Raises OneLaneError."""
        known = (function, types, tuple(constants.items()))
        found = self._helpers.get(known)
        if found is None:
            suffixes = (f"v{lanes}{type}" if lanes else type for type, lanes in types)
            name = ".".join([function.__name__, *(str(c) for c in constants.values() if c), *suffixes])
            if any(
                name == other for other, *_ in self._helpers.values()
            ):  # True may stand for several of its constants
                name += f".{len(self._helpers)}"
            e = Emitter(self)
            given = [LlvmValue(e, type, f"%a{i}", lanes=lanes) for i, (type, lanes) in enumerate(types)]
            result = function(e, *given, **constants).clean()
            if e.strict and any(lanes for _, lanes in types):
                raise OneLaneError
            e.line(f"ret {result.kind} {result.text}")
            arguments = ", ".join(f"{a.kind} {a.text}" for a in given)
            inline = "alwaysinline " if len(e.lines) <= LARGEST_INLINED and not e.allocas else ""
            attributes = "noinline strictfp nounwind" if e.strict else f"{inline}nounwind"
            self.functions.append(e.function(f"internal {result.kind} @{name}({arguments}) {attributes}"))
            found = self._helpers[known] = (name, result.type, result.lanes)
        return found

    def __str__(self) -> str:
        tables = [
            f"{symbol} = private constant [{len(numbers)} x i32] [{', '.join(f'i32 {n}' for n in numbers)}]"
            for (_, *numbers), symbol in self.tables.items()
        ]
        return "\n".join([*self.heads, *tables, *self.declarations.values(), *self.functions, ""])


class Emitter:
    """Writes the body of one LLVM function, in order."""

    def __init__(self, module: ModuleText) -> None:
        self.module = module
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.block = "entry"  # label of the block being written, for phi
        self.strict = False  # uses constrained floating point: the function must not be inlined or reordered
        self.invariant: set[str] = set()  # names of values that are known from the entry on
        self.spread: tuple[list[str], dict[str, LlvmValue]] | None = None  # before the loop in hand: see `splat`
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

    def op(self, type: str, text: str, lanes: int = 0) -> LlvmValue:
        name = f"%v{self._names}"
        self._names += 1
        self.lines.append(f"  {name} = {text}")
        return LlvmValue(self, type, name, None, False, lanes)

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

    def table(self, name: str, numbers: Sequence[int]) -> LlvmValue:
        """The pointer to constant i32s, the same for the same numbers; `name` says what they are."""
        tables = self.module.tables
        text = tables.setdefault((name, *numbers), f"@{name}.{len(tables)}")
        return LlvmValue(self, "ptr", text)

    # -- several lanes ------------------------------------------------------------------------------------------------

    def splat(self, value: LlvmValue, lanes: int) -> LlvmValue:
        """A value that is the same in every lane, as a vector; in a loop over groups of lanes made before it, if it can be."""
        if self.spread is not None and value.text in self.invariant:
            (before, known), body = self.spread, self.lines
            if value.text not in known:
                self.lines = before
                known[value.text] = self._splat(value, lanes)
                self.lines = body
            return known[value.text]
        return self._splat(value, lanes)

    def _splat(self, value: LlvmValue, lanes: int) -> LlvmValue:
        kind = shaped(value.type, lanes)
        first = self.op(value.type, f"insertelement {kind} poison, {value.type} {value.one().text}, i64 0", lanes)
        zeros = f"<{lanes} x i32> zeroinitializer"
        result = self.op(value.type, f"shufflevector {kind} {first.text}, {kind} poison, {zeros}", lanes)
        result.dirty = value.dirty
        return result

    def numbered(self, type: str, lanes: int, step: int = 1) -> LlvmValue:
        """0, step, 2 step and so on."""
        return LlvmValue(self, type, f"<{', '.join(f'{type} {i * step}' for i in range(lanes))}>", lanes=lanes)

    def shuffle(self, a: LlvmValue, b: LlvmValue, picked: Iterable[int]) -> LlvmValue:
        """The elements of two vectors, one behind the other, by their numbers."""
        numbers = [f"i32 {i}" for i in picked]
        text = f"shufflevector {a.kind} {a.text}, {b.kind} {b.text}, <{len(numbers)} x i32> <{', '.join(numbers)}>"
        return self.op(a.type, text, len(numbers))

    def extract(self, value: LlvmValue, lane: LlvmValue) -> LlvmValue:
        """What a lane, a number, has of a value."""
        if not value.lanes:
            return value
        text = f"extractelement {value.kind} {value.text}, {lane.kind} {lane.text}"
        found = self.op(value.type, text)
        found.dirty = value.dirty
        return found

    def offsets(self, base: LlvmValue, nbytes: LlvmValue) -> LlvmValue:
        """The pointers that are so many bytes past `base`, in each lane, as signed numbers."""
        return self.op("ptr", f"getelementptr i8, ptr {base.text}, {nbytes.kind} {nbytes.text}", nbytes.lanes)

    def lanes_set(self, mask: LlvmValue) -> LlvmValue:
        """A vector of i1 as an integer of as many bits."""
        bits = f"i{mask.lanes}"
        return self.op(bits, f"bitcast {mask.kind} {mask.text} to {bits}")

    # -- memory -------------------------------------------------------------------------------------------------------

    def ptr(self, address: LlvmValue) -> LlvmValue:
        return address.cast("inttoptr", "ptr")

    def offset(self, base: LlvmValue, nbytes: Number) -> LlvmValue:
        """The pointer `nbytes` (a number or an i64) past `base`."""
        if base.lanes or (not isinstance(nbytes, int) and nbytes.lanes):
            raise OneLaneError
        if isinstance(nbytes, int):
            return base if nbytes == 0 else self.op("ptr", f"getelementptr i8, ptr {base.text}, i64 {nbytes}")
        return self.op("ptr", f"getelementptr i8, ptr {base.text}, i64 {nbytes.text}")

    def element(self, type: str, base: LlvmValue, index: LlvmValue) -> LlvmValue:
        """The pointer to element `index` of an array of `type` at `base`."""
        if index.lanes:
            raise OneLaneError
        return self.op("ptr", f"getelementptr {type}, ptr {base.text}, {index.type} {index.text}")

    def load_vector(self, type: str, pointer: LlvmValue, lanes: int) -> LlvmValue:
        """So many values from a pointer on, one for each lane."""
        return self.op(type, f"load {shaped(type, lanes)}, ptr {pointer.text}, align {BITS[type] // 8}", lanes)

    def store_vector(self, value: LlvmValue, pointer: LlvmValue) -> None:
        self.line(f"store {value.kind} {value.text}, ptr {pointer.text}, align {value.bits // 8}")

    # Masked accesses are written as up to LLVM 21; later ones read that, too.

    def masked_load(self, type: str, pointer: LlvmValue, mask: LlvmValue) -> LlvmValue:
        """`load_vector` of the lanes in the mask, a vector of i1; zero in the others."""
        return self._masked_read("load", type, pointer, mask)

    def masked_gather(self, type: str, pointers: LlvmValue, mask: LlvmValue) -> LlvmValue:
        """The value at each lane's pointer, for the lanes in the mask."""
        return self._masked_read("gather", type, pointers, mask)

    def _masked_read(self, name: str, type: str, pointer: LlvmValue, mask: LlvmValue) -> LlvmValue:
        result, bits = shaped(type, mask.lanes), mask.kind
        full = f"llvm.masked.{name}.{_suffix(type, mask.lanes)}.{_suffix('ptr', pointer.lanes)}"
        self.module.declare(full, result, (pointer.kind, "i32", bits, result))
        given = f"{pointer.kind} {pointer.text}, i32 {BITS[type] // 8}, {bits} {mask.text}, {result} zeroinitializer"
        return self.op(type, f"call {result} @{full}({given})", mask.lanes)

    def masked_store(self, value: LlvmValue, pointer: LlvmValue, mask: LlvmValue) -> None:
        """Stores the values of the lanes in the mask from a pointer on, each in its lane's place."""
        self._masked_write("store", value, pointer, mask)

    def masked_scatter(self, value: LlvmValue, pointers: LlvmValue, mask: LlvmValue) -> None:
        """Stores each lane's value at its pointer, for the lanes in the mask, in their order."""
        self._masked_write("scatter", value, pointers, mask)

    def _masked_write(self, name: str, value: LlvmValue, pointer: LlvmValue, mask: LlvmValue) -> None:
        full = f"llvm.masked.{name}.{_suffix(value.type, value.lanes)}.{_suffix('ptr', pointer.lanes)}"
        self.module.declare(full, "void", (value.kind, pointer.kind, "i32", mask.kind))
        given = f"{pointer.kind} {pointer.text}, i32 {value.bits // 8}, {mask.kind} {mask.text}"
        self.line(f"call void @{full}({value.kind} {value.text}, {given})")

    def load(self, type: str, pointer: LlvmValue, suffix: str = "") -> LlvmValue:
        atomic = "atomic " if suffix else ""
        tail = f" {suffix}, align {BITS[type] // 8}" if suffix else ""
        if pointer.lanes:
            raise OneLaneError
        return self.op(type, f"load {atomic}{type}, ptr {pointer.text}{tail}")

    def store(self, value: LlvmValue, pointer: LlvmValue, suffix: str = "") -> None:
        if value.lanes or pointer.lanes:
            raise OneLaneError
        value = value.clean()
        atomic = "atomic " if suffix else ""
        tail = f" {suffix}, align {value.bits // 8}" if suffix else ""
        self.line(f"store {atomic}{value.type} {value.text}, ptr {pointer.text}{tail}")

    # -- calls --------------------------------------------------------------------------------------------------------

    def intrinsic(self, name: str, *arguments: LlvmValue | bool) -> LlvmValue:
        """`llvm.NAME.TYPE`, overloaded on the type of its first argument; Python booleans are `i1` immediates."""
        values = [a for a in arguments if isinstance(a, LlvmValue)]
        lanes, type = 0, values[0].type
        for value in values:
            lanes = lanes or value.lanes
        kinds, texts = [], []
        for a in arguments:
            if isinstance(a, bool):
                kinds.append("i1")
                texts.append(f"i1 {str(a).lower()}")
            else:
                kinds.append(shaped(a.type, lanes) if lanes else a.type)
                texts.append(f"{kinds[-1]} {(a.spread(lanes) if lanes else a).text}")
        full = f"{name}.{_suffix(type, lanes)}"
        self.module.declare(full, kinds[0], tuple(kinds))
        result = self.op(type, f"call {kinds[0]} @{full}({', '.join(texts)})", lanes)
        return result.soiled()

    def call(self, name: str, result: str, *arguments: LlvmValue) -> LlvmValue:
        """A call of an external function of the runtime, by its name."""
        self.module.declare(name, result, tuple(a.type for a in arguments))
        given = ", ".join(f"{a.type} {a.one().text}" for a in arguments)
        return self.op(result, f"call {convention(name)}{result} @{name}({given})")

    def invoke(self, name: str, *arguments: LlvmValue) -> None:
        """A call of an external function or intrinsic without a result."""
        self.module.declare(name, "void", tuple(a.type for a in arguments))
        self.line(f"call {convention(name)}void @{name}({', '.join(f'{a.type} {a.one().text}' for a in arguments)})")

    def use(self, function: Callable[..., LlvmValue], *arguments: LlvmValue, **constants: object) -> LlvmValue:
        """A call of a helper: `function(emitter, *values, **constants)` writes its body once per module."""
        arguments = tuple(a.clean() for a in arguments)
        name, type, lanes = self.module.helper(function, tuple((a.type, a.lanes) for a in arguments), constants)
        given = ", ".join(f"{a.kind} {a.text}" for a in arguments)
        return self.op(type, f"call {shaped(type, lanes)} @{name}({given})", lanes)

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
        self.line(f"br i1 {condition.one().text}, label %{then}, label %{otherwise}")

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

    @contextmanager
    def each_bit(self, bits: LlvmValue) -> Iterator[LlvmValue]:
        """Its body runs for each bit of an integer that is set, from the lowest on: its number."""
        left = self.var(bits.type, bits)
        with self.loop() as end:
            now = left.get()
            self.break_if(now.eq(0), end)
            left.set(now & (now - 1))
            yield self.intrinsic("llvm.cttz", now, True)

    def phi(self, type: str, incoming: list[tuple[LlvmValue, str]]) -> LlvmValue:
        lanes = incoming[0][0].lanes
        edges = ", ".join(f"[ {v.text}, %{block} ]" for v, block in incoming)
        result = self.op(type, f"phi {shaped(type, lanes)} {edges}", lanes)
        result.dirty = any(v.dirty for v, _ in incoming)
        return result
