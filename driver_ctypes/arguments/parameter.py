"""One parameter of a kernel: its kind, size and alignment, what a pointer points to; and Python values that stand for memory:
the address that each stands for, and what its elements are.
"""

from __future__ import annotations

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.arrays import foreign_address, is_foreign
from driver_ctypes.interop.elements import foreign_element
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from driver_ctypes.interop.arrays import Foreign
    from driver_ctypes.interop.elements import ElementType
    from driver_ctypes.session.session import Session


def as_pointer(value: Any, context: Session) -> int:
    """The device address that *value* stands for.

    An int is taken as it is. An object with an int ``pointer`` and a ``context`` (`Buffer`, a device array), or with
    a ``device_pointer`` (page-locked host memory that is mapped), must belong
    to *context*, or to one whose memory it reaches (`Context.enable_peers`). Arrays of the frameworks are read
    where the driver takes foreign memory (see `interop.arrays`). Everything else is an ArgumentTypeError; for host arrays
    its hint is to copy them first.
    """
    if type(value) is int:
        return value
    owner = getattr(value, "context", None)
    pointer = getattr(value, "pointer", None)
    if pointer is None and hasattr(type(value), "device_pointer"):  # host memory that kernels may reach
        pointer = value.device_pointer
    if owner is not None and isinstance(pointer, int):
        if owner is not context and owner not in context.peers:
            raise ArgumentError(
                f"the {type(value).__name__} lives on {owner!r}, and is used on {context!r}",
                hint="copy it over (driver_ctypes.copy_peer), or allocate it in the context that uses it"
                if owner.device is context.device
                else "copy it over (driver_ctypes.copy_peer), let the one reach the other's memory "
                "(context.enable_peers), or pass its .pointer where that memory was given access",
            )
        return pointer
    address = foreign_address(value, context)
    if address is not None:
        return address
    if _is_host_memory(value):
        raise ArgumentTypeError(
            f"{type(value).__name__} is host memory, which a kernel cannot reach",
            hint="copy it to the device first (context.alloc and copy_to_device, or dev.array), and pass that; "
            "pass a structure by value as its bytes: array.tobytes()",
        )
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        hint = "pass 0 for a null pointer" if value is None else "pass a Buffer, a device array, or an address as int"
        raise ArgumentTypeError(f"expected a device pointer, found {type(value).__name__} {value!r:.60}", hint=hint)
    return int(value.__index__())


def element_of(value: Any) -> ElementType | None:
    """The type of an array's elements: its own attribute ``type``, or what the framework says; None for no array."""
    element = getattr(value, "type", None)
    if hasattr(element, "bits") and hasattr(element, "kind"):
        return element
    return foreign_element(value)


def _is_host_memory(value: Any) -> bool:
    """Whether *value* is an array or buffer of host memory; numpy's integer scalars are numbers, not memory."""
    if hasattr(value, "__dlpack__"):
        return True
    if hasattr(type(value), "__index__"):
        return False
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def is_device_memory(value: Any) -> bool:
    return hasattr(value, "pointer") or is_foreign(value)


# kind -> (code of the struct module, bytes). bf16 is passed as its bit pattern. `bytes` and `opaque` have any size.
KINDS: dict[str, tuple[str, int]] = {
    "u8": ("B", 1),
    "s8": ("b", 1),
    "u16": ("H", 2),
    "s16": ("h", 2),
    "u32": ("I", 4),
    "s32": ("i", 4),
    "u64": ("Q", 8),
    "s64": ("q", 8),
    "f16": ("e", 2),
    "bf16": ("H", 2),
    "f32": ("f", 4),
    "f64": ("d", 8),
    "pointer": ("Q", 8),
}
SIZED = ("bytes", "opaque")
MAYBE_POINTER = (8, "opaque")  # of the size of a pointer
INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")


def same_bits(actual: ElementType, element: ElementType) -> bool:
    """Whether an array of *actual* may stand where a kernel points to *element*: the same type, integers of one size
    whatever their sign, or untyped bits of the same size.
    """
    if actual is element:
        return True
    if actual.bits != element.bits:
        return False
    integers = actual.kind in ("u", "s") and element.kind in ("u", "s")
    return integers or "b" in (actual.kind, element.kind) or actual.name == element.name


class Structure(Protocol):
    """A structure passed by value whose fields are known."""

    @property
    def __name__(self) -> str: ...

    def packed(self, value: Any, context: Session) -> bytes:
        """The bytes of *value*. Raises ArgumentError and its kind, naming the field, for what is not such a structure or has a
        field that does not fit or is not of *context*; ClosedError for closed memory.
        """
        ...


class ArrayStructure(Structure, Protocol):
    """A structure that is made of an array: a tensor map."""

    def over(self, address: int, array: Any, context: Session, found: Foreign | None = None) -> bytes:
        """The bytes for an array at an address; *found* is what another library's array says of itself."""
        ...


def takes_arrays(param: Parameter) -> bool:
    """Whether an argument may be an array of which its bytes are made."""
    return hasattr(type(param.structure), "over")


class _Fields(NamedTuple):
    name: str
    kind: str
    size: int
    align: int
    element: ElementType | None
    aligned: int
    structure: Structure | None


class Parameter(_Fields):
    """One parameter: *kind* is u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 pointer, or bytes (a structure or array).

    ``opaque`` is a parameter of which only the size is known, as the driver reports it. *size* and *align* are
    bytes; numbers and pointers have their own.

    A pointer may say what it points to: arrays of other elements than *element* are refused, and so is every address
    that is not a multiple of *aligned* bytes. Bytes may say what *structure* they are: then that alone is taken, or a
    ``bytes`` object of its size.
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str,
        kind: str,
        size: int = 0,
        align: int = 0,
        element: ElementType | None = None,
        aligned: int = 1,
        structure: Structure | None = None,
    ) -> Parameter:
        """Raises ArgumentError for an unknown kind, a size that contradicts it, an align that is not a power of two, or
        an element or alignment of something that is not a pointer.
        """
        known = KINDS.get(kind)
        if known is None and kind not in SIZED:
            raise ArgumentError(
                f"parameter {name!r} has unknown kind {kind!r}",
                name=name,
                hint=f"use one of {', '.join([*KINDS, *SIZED])}",
            )
        natural = known[1] if known else 0
        if natural and size not in (0, natural):
            raise ArgumentError(f"parameter {name!r}: a {kind} has {natural} bytes, not {size}", name=name)
        size = size or natural
        if size <= 0:
            raise ArgumentError(f"parameter {name!r}: {kind} needs a size", name=name)
        align = align or natural or 1
        if align <= 0 or align & (align - 1):
            raise ArgumentError(f"parameter {name!r}: alignment {align} is not a power of two", name=name)
        if aligned <= 0 or aligned & (aligned - 1):
            raise ArgumentError(f"parameter {name!r}: an address aligned to {aligned} is not a power of two", name=name)
        if kind != "pointer" and (element is not None or aligned != 1):
            raise ArgumentError(f"parameter {name!r}: a {kind} points to nothing", name=name, hint="kind='pointer'")
        if kind != "bytes" and structure is not None:
            raise ArgumentError(f"parameter {name!r}: a {kind} is not a structure", name=name, hint="kind='bytes'")
        return super().__new__(cls, name, kind, size, align, element, aligned, structure)

    def check_pointee(self, value: Any, address: int) -> None:
        """Raise ArgumentTypeError where *value* is an array of other elements, ArgumentError where *address* is not
        aligned as the kernel's accesses need it. Plain addresses have no elements.
        """
        if self.element is not None and type(value) is not int:
            found = element_of(value)
            if found is not None and not same_bits(found, self.element):
                raise ArgumentTypeError(
                    f"{self.name} points to .{self.element.name} elements, the array has .{found.name}",
                    hint=f"make it an array of {self.element.name}, or view its bytes as that: array.view(...)",
                )
        if address & (self.aligned - 1):
            raise ArgumentError(
                f"{self.name} is at {address:#x}, its vector accesses need {self.aligned}-byte alignment",
                hint="pass a whole array, or a part that begins at a multiple of that",
            )

    @property
    def code(self) -> str:
        """The parameter's format for the struct module."""
        return KINDS[self.kind][0] if self.kind in KINDS else f"{self.size}s"
