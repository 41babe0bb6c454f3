"""A module on a device: its kernels with the signatures that the program states, and compiler messages at the user's lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes import ArgumentError, ArgumentTypeError, Parameter, Signature
from ptxgen.check import parameter_layout
from ptxgen.device.arrays import Array
from ptxgen.ir import resolve
from ptxgen.isa.types import ScalarType
from ptxgen.text.printer import print_with_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import driver_ctypes
    from ptxgen.device.machine import Device
    from ptxgen.ir import Function, Module, Variable

__all__ = ["ArgumentKind", "KernelHandle", "load", "signature_of"]


class ArgumentKind(NamedTuple):
    """What the builder knows of a parameter beyond its PTX text: its name in Python, its driver_ctypes kind, and for a pointer
    the type of the elements."""

    name: str
    kind: str
    element: ScalarType | None = None


Kinds = tuple[ArgumentKind, ...]


def signature_of(function: Function, kinds: Kinds | None = None) -> Signature:
    """The driver signature of a kernel. Without `kinds`, a 64-bit parameter is taken for a pointer: integers pass too."""
    rows = []
    for index, variable in enumerate(function.parameters):
        name, kind = kinds[index][:2] if kinds is not None else (variable.name, _kind(variable))
        if kind == "bytes":
            rows.append(Parameter(name, kind, size=variable.size, align=variable.alignment))
        else:
            rows.append(Parameter(name, kind))
    return Signature(tuple(rows))


def _kind(variable: Variable) -> str:
    if variable.shape or variable.vector > 1:
        return "bytes"
    if variable.pointer is not None or variable.type.name in ("u64", "b64"):
        return "pointer"
    return {"b8": "u8", "b16": "u16", "b32": "u32"}.get(variable.type.name, variable.type.name)


class KernelHandle:
    """A kernel loaded on a device; launch it or bind it."""

    __slots__ = ("_alignments", "_elements", "_module", "_variables", "device", "entry", "function")

    def __init__(
        self,
        device: Device,
        module: driver_ctypes.Module,
        entry: Function,
        variables: tuple[Variable, ...],
        kinds: Kinds = (),
    ) -> None:
        self.device = device
        self.entry = entry
        self._module = module
        self._variables = tuple(v for v in variables if v.space in ("global", "const"))
        self.function = module.function(entry.name)
        self._elements = tuple((i, kind.name, kind.element) for i, kind in enumerate(kinds) if kind.element is not None)
        # pointers whose kernel makes vector accesses: (position, bytes)
        self._alignments = tuple(
            (index, p.pointer[1])
            for index, p in enumerate(entry.parameters)
            if p.pointer is not None and (p.pointer[1] or 0) > 8
        )

    def __repr__(self) -> str:
        return f"<kernel {self.entry.name} on {self.device.name}>"

    @property
    def stale(self) -> bool:
        """True once the device was reset: the module is gone with its context."""
        return self.function.context is not self.device.context

    @property
    def parameters(self) -> tuple[tuple[str, int, int], ...]:
        """(name, offset, size in bytes) of each parameter."""
        return parameter_layout(self.entry)[0]

    def variable(self, name: str) -> Array:
        """A `.global` or `.const` variable of the module, as an array of its elements."""
        declared = next((v for v in self._variables if v.name == name), None)
        if declared is None:
            names = ", ".join(v.name for v in self._variables) or "none"
            raise ArgumentError(f"{self.entry.name}'s module has no variable {name!r}", hint=f"it has: {names}")
        pointer, nbytes = self._module.global_(name)
        count = nbytes // declared.type.bytes
        return Array(self.device, _ModuleMemory(self._module, pointer), declared.type, (count,))

    def launch(
        self,
        grid: Any,
        block: Any,
        arguments: tuple[Any, ...],
        *,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
    ) -> None:
        """Launch on a stream (default: the device's current one). Arguments are checked against the signature."""
        place = self.device.current_stream if stream is None else stream
        given = tuple(_host_value(argument) for argument in arguments)
        self._check_elements(given)
        self._check_alignment(given)
        self.function.launch(grid, block, *given, shared=shared, stream=place, cluster=cluster, cooperative=cooperative)

    def bind(
        self,
        grid: Any,
        block: Any,
        *,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
    ) -> Callable[..., None]:
        """A launcher for one configuration. It checks count, types and ranges of its arguments, but neither what an array's
        elements are nor how a part of an array is aligned; structures are passed to it as `.pack()` bytes."""
        place = self.device.current_stream if stream is None else stream
        return self.function.bind(grid, block, shared=shared, stream=place, cluster=cluster, cooperative=cooperative)

    def _check_elements(self, arguments: tuple[Any, ...]) -> None:
        """An array of another element type is a mistake; untyped bits, signedness and plain addresses pass."""
        for index, name, element in self._elements:
            given = getattr(arguments[index], "type", None) if index < len(arguments) else None
            if isinstance(given, ScalarType) and given is not element and not _same_bits(given, element):
                raise ArgumentTypeError(
                    f"{self.entry.name}: {name} points to .{element.name} elements, the array has .{given.name}",
                    hint=f"dev.array(..., {element.name}), or array.view({element.name}) for the same bytes",
                )

    def _check_alignment(self, arguments: tuple[Any, ...]) -> None:
        for index, alignment in self._alignments:
            if index >= len(arguments):
                return
            argument = arguments[index]
            address = argument if isinstance(argument, int) else getattr(argument, "pointer", 0)
            if isinstance(address, int) and address % (alignment or 1):
                name = self.entry.parameters[index].name
                raise ArgumentError(
                    f"{self.entry.name}: {name} is at {address:#x}, its vector accesses need {alignment}-byte alignment",
                    hint="a whole array, or a part that begins at a multiple of that",
                )


class _ModuleMemory:
    """A module variable's memory: it lives as long as its module, which this keeps."""

    __slots__ = ("context", "module", "pointer")

    def __init__(self, module: driver_ctypes.Module, pointer: int) -> None:
        self.module = module
        self.pointer = pointer
        self.context = module.context

    def close(self) -> None:
        """Nothing: the memory goes with the module."""


def _same_bits(given: ScalarType, element: ScalarType) -> bool:
    """Integers of one size are one type to a pointer, and untyped bits are any type of their size."""
    return given.bits == element.bits and ("b" in (given.kind, element.kind) or (given.is_integer and element.is_integer))


def _host_value(argument: Any) -> Any:
    """A structure as its bytes; everything else as it is."""
    pack = getattr(argument, "pack", None)
    return pack() if pack is not None and hasattr(type(argument), "layout") else argument


def load(
    device: Device, module: Module, kinds: Mapping[str, Kinds] | None = None
) -> tuple[driver_ctypes.Module, dict[str, KernelHandle]]:
    """Load a module on a device. JitError of the driver's compiler names the PTX line and where it came from."""
    text, items = print_with_lines(module)
    signatures = {f.name: signature_of(f, (kinds or {}).get(f.name)) for f in module.entries}

    def source_of(line: int) -> str | None:
        item = items[line - 1] if 0 < line <= len(items) else None
        places = resolve(getattr(item, "source", None))
        return f"{places[0]}  {places[0].excerpt()}" if places else None

    loaded = device.context.load(text, signatures=signatures, line_map=source_of)
    return loaded, {
        f.name: KernelHandle(device, loaded, f, module.variables, (kinds or {}).get(f.name, ())) for f in module.entries
    }
