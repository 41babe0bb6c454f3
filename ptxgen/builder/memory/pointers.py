"""Pointers: `x[i]` loads, `x[i] = v` stores.

A pointer knows its element type and state space. Global, constant and local addresses are 64 bits wide, shared ones 32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.alignment import Alignment
from ptxgen.builder.memory.packing import Packing, alignment_of, check_in_memory, joined_words, packing, split_words
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.pairs import join, pair_type
from ptxgen.builder.values.scalars import Integer, Value, u32, u64
from ptxgen.builder.values.vectors import vec
from ptxgen.errors import AnnotationError
from ptxgen.ir import Address, Immediate, Register, Symbol, Vector
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder, ValueScope
    from ptxgen.builder.memory.bounded import Bounded
    from ptxgen.builder.memory.readonly import read_only
    from ptxgen.builder.values.scalars import pred
    from ptxgen.ir import Variable

__all__ = ["global_pointer", "ptr", "variable_pointer"]

E = TypeVar("E", bound="Value | vec")


class ptr(Value, Generic[E]):
    """`ptr[f32]`: a pointer to elements of a type. `x[i]`, `x[i] = v`, `x + i`, `x.vectors(4)[i]`, `x.at(i)`.

    `x.bounded(n)` sees n elements and nothing beyond them; `x.read_only()` loads alone.
    """

    __slots__ = ("alignment", "offset", "space")
    isa = TYPES["u64"]
    storage = TYPES["b64"]
    memory = "u64"
    element: ClassVar[Any]
    stride: ClassVar[int]  # bytes of an element
    aligned: ClassVar[int]  # bytes that an element in global memory is aligned to
    family: ClassVar[type[ptr[Any]]]  # ptr, or the subclass of it that was asked for an element
    operand: Register | Symbol
    _made: ClassVar[dict[Any, Any]] = {}

    def __class_getitem__(cls, element: Any) -> Any:
        if isinstance(element, TypeVar):
            return super().__class_getitem__(element)  # type: ignore[misc]
        made = cls._made.get((cls, element))
        if made is None:
            name = cls.__name__
            if not (isinstance(element, type) and issubclass(element, (Value, vec))):
                raise _no_element(name, element)
            stride = _size(element)
            aligned = alignment_of(stride, "global")
            members = {"element": element, "stride": stride, "aligned": aligned, "family": cls, "__slots__": ()}
            made = cls._made[cls, element] = type(f"{name}[{element.__name__}]", (cls,), members)
        return made

    def __init__(
        self,
        builder: FunctionBuilder,
        operand: Any,
        scope: ValueScope,
        *,
        space: str = "global",
        offset: int = 0,
        alignment: Alignment | None = None,
    ) -> None:
        super().__init__(builder, operand, scope)
        self.space: str = space
        self.offset: int = offset
        self.alignment: Alignment = alignment or Alignment()

    # Addresses

    @property
    def address(self) -> Any:
        """The address as a number, a u64; of shared memory the u32 that instructions on shared memory and matrix descriptors
        take. `k.pointer(address, element, space)` is the way back."""
        k = self.builder
        return (u64 if self._wide else u32)(k, self.flat(), k.scope)

    def bits(self, type: type[Any]) -> Any:
        """The address under another type of its size."""
        return self.address.bits(type)

    def to(self, type: type[Any], *modifiers: str) -> Any:
        """The address in another integer type; a pointer to other elements is `x.cast(f32)`."""
        return self.address.to(type, *modifiers)

    def set(self, value: object) -> None:
        raise build_error(
            "PTX326", "a pointer is not a variable", hint="x[i] with an index i = k.var(u32, 0) that changes"
        )

    def _compared(self, op: str, other: object) -> pred:
        if isinstance(other, ptr):
            if other.space != self.space:
                raise build_error("PTX220", f"a pointer to .{self.space} compared with one to .{other.space}")
            return arithmetic.compare(op, self.address, other.address)
        return arithmetic.compare(op, self.address, other)

    __hash__ = Value.__hash__

    def __eq__(self, other: object) -> pred:  # type: ignore[override]
        return self._compared("eq", other)

    def __ne__(self, other: object) -> pred:  # type: ignore[override]
        return self._compared("ne", other)

    @classmethod
    def selected(cls, k: FunctionBuilder, condition: pred, a: Any, b: Any) -> Any:
        """One of two pointers of one type and space."""
        if type(a) is not type(b):
            names = [type(each).__name__ for each in (a, b)]
            raise build_error("PTX220", f"select of {names[0]} and {names[1]}", hint="x.cast(f32) is a pointer to f32")
        if a.space != b.space:
            raise build_error(
                "PTX220", f"select of a pointer to .{a.space} and one to .{b.space}", hint="select what is loaded"
            )
        flat = arithmetic.select(k, condition, a.address, b.address)
        return type(a)(k, k.use(flat), k.scope, space=a.space, alignment=Alignment(a.alignment, b.alignment))

    @property
    def _wide(self) -> bool:
        return self.space != "shared"

    def base(self, k: FunctionBuilder) -> Register | Symbol:
        """What the address starts from, `offset` bytes before it: a register, or the name of a variable."""
        k.use(self)
        return self.operand

    def _in_register(self) -> Register:
        """The base in a register; a variable's address is read once a scope."""
        k = self.builder
        operand = self.base(k)
        if isinstance(operand, Register):
            return operand
        return k.once(("address", operand.name), self._read_address, operand)

    def _read_address(self, variable: Symbol) -> Register:
        k, bits = self.builder, 64 if self._wide else 32
        register = k.register(TYPES[f"b{bits}"])
        k.emit(f"mov.u{bits}", register, variable)
        return register

    def flat(self) -> Register:
        """The whole address in a register, the constant offset included."""
        k, base = self.builder, self._in_register()
        if not self.offset:
            return base
        target = k.register(base.type)
        k.emit(f"add.{'s64' if self._wide else 's32'}", target, base, Immediate(self.offset))
        return target

    def element_address(self, index: Any = 0) -> Address:
        """The ir address of an element; emits the instructions that compute it."""
        k = self.builder
        size = self.stride
        if isinstance(index, int):
            return Address(self.base(k), self.offset + index * size)
        if not isinstance(index, Integer) or index.isa.bits not in (32, 64):
            number = plain(index)
            if number is not index:
                return self.element_address(number)
            if isinstance(index, tuple):
                raise build_error(
                    "PTX220", f"a pointer has one dimension, not {len(index)}", hint="x[row * columns + column]"
                )
            if not isinstance(index, Value) and hasattr(type(index), "x"):
                raise build_error("PTX220", "an index is one number, not three", hint="k.tid.x, k.global_id.x")
            found = f".{index.isa.name}" if isinstance(index, Value) else type(index).__name__
            raise build_error("PTX220", f"an index is a 32- or 64-bit integer, not {found}", hint="index.to(u32)")
        if isinstance(index.operand, Immediate):
            return self.element_address(index.operand.value)
        return Address(self._advance(index, size), self.offset)

    def _advance(self, index: Integer, size: int) -> Register:
        """base + index * size; computed once a scope, so that `y[i] = f(y[i])` has one address."""
        k = self.builder
        base = self._in_register()
        by = k.use(index)
        assert isinstance(by, Register)
        if index.mutable:
            return self._offset(base, index, size)
        key = (base.name, by.name, size, index.isa.kind)  # one register may hold an index of either sign
        known: Register | None = k.find_kept(key)
        return k.keep(key, self._offset(base, index, size)) if known is None else known

    def _offset(self, base: Register, index: Integer, size: int) -> Register:
        k = self.builder
        sign = "s" if index.isa.is_signed else "u"
        if not self._wide:
            narrow = index if index.isa.bits == 32 else index.to(u32)
            target = k.register(TYPES["b32"])
            k.emit("mad.lo.u32", target, k.use(narrow), Immediate(size), base)
            return target
        target = k.register(TYPES["b64"])
        name = f"mad.wide.{sign}32" if index.isa.bits == 32 else f"mad.lo.{sign}64"
        k.emit(name, target, k.use(index), Immediate(size), base)
        return target

    def at(self, index: Any = 0) -> ptr[E]:
        """A pointer to an element: what an exact instruction takes as its address."""
        address = self.element_address(index)
        return self._like(address.base, address.offset, self.element)

    def __add__(self, index: Any) -> ptr[E]:
        return self.at(index)

    def _like(self, operand: Any, offset: int, element: Any) -> ptr[Any]:
        k = self.builder
        scope = self.scope if operand is self.operand else k.scope
        kind: type[ptr[Any]] = self.family.__class_getitem__(element)
        return kind(k, operand, scope, space=self.space, offset=offset, alignment=self.alignment)

    def vectors(self, lanes: int) -> ptr[Any]:
        """The same memory as vectors of `lanes` elements (2, 4, 8 or 16), which is aligned to their size, to 32 bytes at most
        (in shared memory 16): a variable is declared so, an argument is checked when the kernel is launched. BuildError for a
        pointer that is known to lie between vectors."""
        found = self._like(self.operand, self.offset, vec.__class_getitem__((self.element, lanes)))
        found.rely_on(alignment_of(found.stride, self.space))
        return found

    def cast(self, element: type[Any]) -> ptr[Any]:
        """The same memory as elements of another type."""
        return self._like(self.operand, self.offset, element)

    def read_only(self) -> read_only[Any]:
        """The same memory, which nobody writes while the kernel runs: loads take the read-only path, stores are refused."""
        from ptxgen.builder.memory.readonly import read_only

        kind: type[read_only[Any]] = read_only.__class_getitem__(self.element)
        return kind(
            self.builder,
            self.operand,
            self.scope,
            space=self.space,
            offset=self.offset,
            alignment=self.alignment,
        )

    def bounded(
        self, count: Any, beyond: Literal["first", "nearest"] | None = None, *, otherwise: Any = 0
    ) -> Bounded[E]:
        """The elements 0 to count - 1, and nothing else: see `Bounded`.

        Where the index is out of range a load gives `otherwise`, or with `beyond` the "first" element or the "nearest" one,
        of which there must be one; stores and atomics do nothing. `count` is a number or an integer value, which is no
        less than 0; vectors count as elements here, `x.bounded(n).vectors(4)` counts single ones.
        """
        from ptxgen.builder.memory.bounded import Bounded

        return Bounded(self, count, beyond, otherwise)

    # Access

    def _loading(self, qualifiers: tuple[str, ...]) -> tuple[str, ...]:
        """The qualifiers of a load."""
        return qualifiers

    def check_writable(self, what: str) -> None:
        """BuildError where `what`, a store or an atomic, must not be made through this pointer."""

    def __getitem__(self, index: Any) -> E:
        return self.load(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.store(index, value)

    def load(self, index: Any = 0, *qualifiers: str) -> E:
        """Load an element. Qualifiers follow the space: `x.load(i, "nc")` is ld.global.nc; `volatile`, `relaxed.gpu`,
        `acquire.gpu` and `weak` come before it, as the manual has them."""
        k = self.builder
        element = self.element
        qualifiers = self._loading(qualifiers)
        address = self.element_address(index)
        if not issubclass(element, vec):
            one: E = k.emit1(element, self._name("ld", qualifiers, element.memory), address)
            return one
        registers = self.registers()
        self._emit_load(registers, address, qualifiers)
        return self.value_of(registers)

    def registers(self) -> tuple[Register, ...]:
        """New registers that a load of an element writes."""
        k, element = self.builder, self.element
        if not issubclass(element, vec):
            return (k.register(element.storage),)
        how = self._packing()
        return tuple(k.register(how.storage) for _ in range(how.accesses * how.each))

    def _packing(self) -> Packing:
        """How an element, which is a vector, travels."""
        return packing(self.element, self.space, self.builder.target.sm)

    def load_into(self, registers: tuple[Register, ...], index: Any = 0, *qualifiers: str) -> None:
        """Load an element into registers that `registers()` made; the guard in force applies."""
        self._emit_load(registers, self.element_address(index), self._loading(qualifiers))

    def _emit_load(self, registers: tuple[Register, ...], address: Address, qualifiers: tuple[str, ...]) -> None:
        if not issubclass(self.element, vec):
            self.builder.emit(self._name("ld", qualifiers, self.element.memory), registers[0], address)
            return
        how = self._packing()
        name = self._name("ld", qualifiers, f"v{how.each}.{how.suffix}")
        for place, group in self._accesses(how.bytes, how.each, address, registers):
            self.builder.emit(name, Vector(group), place)

    def _accesses(
        self, bytes: int, each: int, address: Address, registers: tuple[Any, ...]
    ) -> Iterator[tuple[Address, tuple[Any, ...]]]:
        """The accesses of a vector, `each` registers a time: where, and which."""
        self.rely_on(alignment_of(self.stride, self.space))
        for number in range(len(registers) // each):
            place = Address(address.base, address.offset + number * bytes) if number else address
            yield place, registers[number * each :][:each]

    def value_of(self, registers: tuple[Register, ...]) -> E:
        """The element that was loaded into registers."""
        k, element = self.builder, self.element
        if not issubclass(element, vec):
            return element(k, registers[0], k.scope)  # type: ignore[no-any-return]
        scalar, ratio = element.element, element.lanes // len(registers)
        found: E
        if ratio == 1:
            found = element(tuple(scalar(k, register, k.scope) for register in registers))
        else:
            pairs, pair = registers if ratio == 2 else split_words(k, registers), pair_type(scalar)
            found = element((), pairs=tuple(pair(k, register, k.scope) for register in pairs))
        return found

    def store(self, index: Any, value: Any, *qualifiers: str) -> None:
        """Store an element; qualifiers as in `load`."""
        self.check_writable("a store")
        k = self.builder
        element = self.element
        if not issubclass(element, vec):
            operand = k.use(self._fitting(element, value))
            k.emit(self._name("st", qualifiers, element.memory), self.element_address(index), operand)
            return
        how = self._packing()
        parts, held = self._parts(value)
        address = self.element_address(index)
        registers, suffix = self._words(how, parts, held)
        each = len(registers) // how.accesses
        name = self._name("st", qualifiers, f"v{each}.{suffix}" if each > 1 else suffix)
        for place, group in self._accesses(how.bytes, each, address, registers):
            k.emit(name, place, Vector(group) if each > 1 else group[0])

    def _parts(self, value: Any) -> tuple[tuple[Any, ...], int]:
        """The registers that hold what is stored to a vector, and how many lanes each has."""
        k, element = self.builder, self.element
        if type(value) is element and value.pairs:
            return tuple(k.use(pair) for pair in value.pairs), 2
        values = list(value) if isinstance(value, (vec, tuple, list)) else [value] * element.lanes
        if len(values) != element.lanes:
            raise build_error("PTX202", f"{len(values)} values for a vector of {element.lanes}")
        return tuple(k.use(self._fitting(element.element, v)) for v in values), 1

    def _words(self, how: Packing, parts: tuple[Any, ...], held: int) -> tuple[tuple[Any, ...], str]:
        """Registers of a vector's lanes, `held` in each, as its stores take them, and how those name their type."""
        k, scalar = self.builder, self.element.element
        if held >= how.ratio:
            return parts, how.suffix if held == how.ratio else pair_type(scalar).isa.name
        if held == 1:
            parts = tuple(join(k, scalar, low, high) for low, high in zip(parts[::2], parts[1::2]))
        return (joined_words(k, parts) if how.ratio == 4 else parts), how.suffix

    def _fitting(self, element: type[Value], value: Any) -> Value:
        k = self.builder
        if isinstance(value, (int, float)):
            constant = arithmetic.constant(k, element, value)
            return constant
        if type(value) is element:
            return value
        number = plain(value)
        if number is not value:
            return self._fitting(element, number)
        found = f".{value.isa.name}" if isinstance(value, Value) else type(value).__name__
        raise build_error(
            "PTX220", f"{found} stored to .{element.isa.name} elements", hint=f"value.to({element.__name__})"
        )

    def rely_on(self, alignment: int) -> None:
        """An access counts on that many bytes of alignment. BuildError where the offset of the pointer is not a multiple."""
        if self.offset % alignment:
            raise build_error("PTX425", f"offset {self.offset} is not a multiple of the vector's {alignment} bytes")
        if self.stride > self.alignment.contiguous:
            raise build_error(
                "PTX425",
                f"a vector of {self.stride} bytes in a tile whose swizzle moves {self.alignment.contiguous} at a time",
                hint=f"vectors of {self.alignment.contiguous // _size(_scalar_of(self.element))} lanes, an at(row, column) each",
            )
        self.alignment.rely_on(alignment)

    def _name(self, op: str, qualifiers: tuple[str, ...], suffix: str) -> str:
        """`ld{.weak,.volatile,.relaxed.scope,...}.space{.cop,.nc,...}.suffix` (manual 9.7.9.8)."""
        if not qualifiers:
            return f"{op}.{self.space}.{suffix}" if self.space else f"{op}.{suffix}"
        words = [w for q in qualifiers for w in q.split(".")]
        early = [w for w in words if w in _BEFORE_SPACE]
        late = [w for w in words if w not in _BEFORE_SPACE]
        space = [self.space] if self.space else []
        return ".".join([op, *early, *space, *late, suffix])


_BEFORE_SPACE = frozenset(
    {"weak", "volatile", "relaxed", "acquire", "release", "cta", "cluster", "gpu", "sys", "mmio"}
)  # fmt: skip


ptr.family = ptr


def _no_element(name: str, element: Any) -> AnnotationError:
    """The error of `ptr[element]` where the element is not a type of values."""
    if isinstance(element, type) and hasattr(element, "layout"):  # a Struct
        return AnnotationError(
            f"{name}[{element.__name__}]: there are no pointers to structures",
            hint=f"an array a field, {name}[...] each; or {name}[u32] to their words, and x.cast(f32) for other types",
        )
    said = element.__name__ if isinstance(element, type) else repr(element)
    return AnnotationError(
        f"{name}[...] takes a ptxgen type such as {name}[f32], not {said}",
        hint=f"the types of values are px.u8 to px.f64, and vectors: {name}[px.vec[f32, 4]]",
    )


def _scalar_of(element: Any) -> type[Value]:
    """The type of a vector's lanes; of a single value, its own."""
    found: type[Value] = element.element if issubclass(element, vec) else element
    return found


def _size(element: Any) -> int:
    """Bytes of one element."""
    if not issubclass(element, vec):
        return int(element.isa.bytes)
    check_in_memory(element)
    return int(element.lanes * element.element.isa.bytes)


def variable_pointer(k: FunctionBuilder, element: Any, variable: Variable, scope: ValueScope) -> ptr[Any]:
    """A pointer to a variable."""
    kind: type[ptr[Any]] = ptr.__class_getitem__(element)
    return kind(k, Symbol(variable.name), scope, space=variable.space, alignment=Alignment(variable))


def global_pointer(k: FunctionBuilder, type_: Any, address: Any, alignment: Alignment | None = None) -> Any:
    """A pointer parameter: its generic address as a global one."""
    generic, converted = k.register(TYPES["b64"]), k.register(TYPES["b64"])
    k.emit("ld.param.u64", generic, address)
    k.emit("cvta.to.global.u64", converted, generic)
    return type_(k, converted, k.scope, alignment=alignment)
