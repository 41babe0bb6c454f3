"""A module on a device: its kernels with the signatures that the program states, and compiler messages at the user's lines."""

from __future__ import annotations

import re
from functools import partial

import driver_ctypes
from driver_ctypes.abi import enums
from driver_ctypes.arguments.parameter import Parameter
from driver_ctypes.arguments.signature import Signature
from driver_ctypes.errors import ArgumentError, LaunchConfigError, NotSupportedError
from driver_ctypes.lifetime import Life
from driver_ctypes.modules import jitlog
from driver_ctypes.trampoline.choice import is_decided
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.dataflow.bodies.kernel_layout import parameter_layout
from ptxgen.dataflow.bodies.launch_bounds import stated
from ptxgen.errors import Diagnostic, Location, UnsupportedError
from ptxgen.host.arrays import Array
from ptxgen.host.checks import watch_checks
from ptxgen.host.launcher_cache import CachedLaunch, LauncherCache, keep
from ptxgen.host.printed_lines import note_lines
from ptxgen.ir import Address, FileDirective, Symbol, resolve
from ptxgen.isa.products import find_product
from ptxgen.isa.targets import find_target
from ptxgen.text.printer import print_with_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from driver_ctypes.arguments.parameter import Structure
    from driver_ctypes.errors import JitMessage
    from ptxgen.host.machine import Device
    from ptxgen.ir import Function, Module, Variable
    from ptxgen.isa.types import ScalarType

__all__ = ["ArgumentKind", "KernelHandle", "Kernels", "UnknownKernelError", "load", "signature_of"]


class ArgumentKind(NamedTuple):
    """What the builder knows of a parameter beyond its PTX text: its name in Python, its driver_ctypes kind, for a pointer
    the type of the elements, and for bytes the structure that they are."""

    name: str
    kind: str
    element: ScalarType | None = None
    structure: Structure | None = None


Kinds = tuple[ArgumentKind, ...]

GRID_BARRIER = "_ptxgen_grid_barrier"
"""The counter of `ptxgen.runtime.grid_barrier` in a module."""

_OFTEN = 8
_OFTEN_AT_FIRST = 256  # on the CPU device, where a launch takes longer than all that a launcher saves of it


def signature_of(function: Function, kinds: Kinds | None = None) -> Signature:
    """The driver signature of a kernel. Without `kinds`, a 64-bit parameter is taken for a pointer: integers pass too."""
    rows = []
    for index, variable in enumerate(function.parameters):
        name, kind = kinds[index][:2] if kinds is not None else (variable.name, _kind(variable))
        if kind == "bytes":
            structure = kinds[index].structure if kinds is not None else None
            rows.append(Parameter(name, kind, size=variable.size, align=variable.alignment, structure=structure))
        elif kind == "pointer":
            element = kinds[index].element if kinds is not None else None
            rows.append(Parameter(name, kind, element=element, aligned=_alignment(variable)))
        else:
            rows.append(Parameter(name, kind))
    return Signature(tuple(rows))


def _alignment(variable: Variable) -> int:
    """Bytes that an address must be a multiple of: what vector accesses need. One element's own alignment is left to the
    device, which faults with the place of the access."""
    stated = variable.pointer[1] if variable.pointer is not None else None
    return stated if stated is not None and stated > _LARGEST_ELEMENT else 1


_LARGEST_ELEMENT = 8  # bytes


def _kind(variable: Variable) -> str:
    if variable.shape or variable.vector > 1:
        return "bytes"
    if variable.pointer is not None or variable.type.name in ("u64", "b64"):
        return "pointer"
    return {"b8": "u8", "b16": "u16", "b32": "u32"}.get(variable.type.name, variable.type.name)


def _required_block(entry: Function) -> tuple[int, int, int] | None:
    """What .reqntid says (manual 11.4.4)."""
    found = stated(entry, "reqntid")
    if not found:
        return None
    x, y, z = (*found, 1, 1)[:3]
    return x, y, z


class KernelHandle:
    """A kernel loaded on a device; launch it or bind it."""

    __slots__ = ("_launchers", "_module", "_variables", "_whole", "device", "entry", "function", "has_launchers")

    def __init__(
        self,
        device: Device,
        module: driver_ctypes.Module,
        entry: Function,
        variables: tuple[Variable, ...],
    ) -> None:
        self.device: Device = device
        self.entry: Function = entry
        self._module = module
        self._variables = tuple(v for v in variables if v.space in ("global", "const"))
        self.function: driver_ctypes.Function = module.function(entry.name)
        self.function.required_block = _required_block(entry)
        self._whole = any(v.name == GRID_BARRIER for v in variables) and _names(entry, GRID_BARRIER)
        self._launchers: LauncherCache = {}  # for the default stream
        self.has_launchers: bool = False
        """Whether a configuration has come so often that it has a launcher."""

    def __repr__(self) -> str:
        return f"<kernel {self.entry.name} on {self.device.name}>"

    @property
    def stale(self) -> bool:
        """True once the device was reset: the module is gone with its context."""
        return self.function.context.closed

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
        shared: int | None = None,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        **attributes: Any,
    ) -> None:
        """Launch on a stream (default: the device's current one, or that of a framework whose array is among the
        arguments). Arguments are checked against the signature: number, types, ranges, elements, alignment. *attributes* are
        those of `driver_ctypes.Function.launch`. `shared` is dynamic shared memory in bytes: by default what the kernel
        planned."""
        if shared is None:
            shared = self.entry.dynamic_shared
        if stream is None and self.device.chosen.stream is not None:
            stream = self.device.chosen_stream
        configuration = {"shared": shared, "stream": stream, "cluster": cluster, "cooperative": cooperative}
        cache: LauncherCache | None = None
        known: CachedLaunch | None = None
        key = (self, grid, block, shared, cluster, cooperative)
        if not attributes:
            cache = self._launchers if stream is None else getattr(stream, "launchers", None)
            try:
                known = cache.get(key) if cache is not None else None
            except TypeError:  # a grid that is a list
                cache = None
        if known is None:
            self._check_whole(grid, cooperative)
            self._check_shared(shared)
            configured = self.function.configure(grid, block, **configuration, **attributes)
            configured.launch_checked(arguments)
            if cache is not None:
                keep(cache, key, configured)
        elif known.launcher is not None:
            known.launcher(*arguments)
        else:
            known.configured.launch_checked(arguments)
            known.times += 1
            if known.times >= _OFTEN and self._is_worth_a_launcher(known.times):
                known.launcher = self.function.bind(grid, block, **configuration)
                self.has_launchers = True

    def _check_whole(self, grid: Any, cooperative: bool) -> None:
        """Only a cooperative launch promises that all CTAs are there, so that they can wait for each other."""
        if self._whole and not cooperative and grid not in (1, (1,), (1, 1), (1, 1, 1)):
            raise LaunchConfigError(
                f"kernel {self.entry.name!r} waits for its whole grid, and a grid of {grid} need not be resident at once",
                hint="launch it with cooperative=True",
            )

    def _check_shared(self, shared: int) -> None:
        """Less than the kernel planned would be another's memory, or none."""
        if shared < self.entry.dynamic_shared:
            raise LaunchConfigError(
                f"kernel {self.entry.name!r} plans {self.entry.dynamic_shared} bytes of shared memory, and shared={shared}",
                hint="leave out shared=",
            )

    def launcher(self, grid: Any, block: Any) -> Callable[..., None] | None:
        """What launches this configuration where no stream was chosen; None until it came often."""
        try:
            known = self._launchers.get((self, grid, block, self.entry.dynamic_shared, None, False))
        except TypeError:
            return None
        return known.launcher if known is not None else None

    def _is_worth_a_launcher(self, times: int) -> bool:
        """Does the configuration come so often? The first launcher of a process takes 0.1 s to make, which a few launches on
        the CPU device do not save."""
        return times >= _OFTEN_AT_FIRST or self.device.kind != "cpu" or is_decided()

    def bind(
        self,
        grid: Any,
        block: Any,
        *,
        shared: int | None = None,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        **attributes: Any,
    ) -> Callable[..., None]:
        """A launcher for one configuration: it checks all that `launch` checks, and takes the least time. Without a
        stream it uses the one chosen on the device now; where none is, a framework's array brings its own."""
        shared = self.entry.dynamic_shared if shared is None else shared
        self._check_whole(grid, cooperative)
        self._check_shared(shared)
        place = self.device.chosen_stream if stream is None else stream
        attributes.update(shared=shared, stream=place, cluster=cluster, cooperative=cooperative)
        return self.function.bind(grid, block, **attributes)


class UnknownKernelError(ArgumentError, KeyError):
    """A module has no kernel of that name."""

    def __str__(self) -> str:  # KeyError's own shows its message in quotes
        return f"{self.args[0]}\n  Fix: {self.hint}"


class Kernels(dict[str, KernelHandle]):
    """A module's kernels by name. `refused` are those that the CPU device does not run, each with what tells the reason."""

    __slots__ = ("refused",)

    def __init__(
        self, handles: Mapping[str, KernelHandle], refused: Mapping[str, Callable[[], UnsupportedError]]
    ) -> None:
        super().__init__(handles)
        self.refused: Mapping[str, Callable[[], UnsupportedError]] = refused

    def __missing__(self, name: str) -> KernelHandle:
        if name in self.refused:
            raise self.refused[name]()
        raise UnknownKernelError(f"the module has no kernel {name!r}", hint=f"it has: {', '.join(self) or 'none'}")


class _ModuleMemory:
    """A module variable's memory: it lives as long as its module, which this keeps."""

    __slots__ = ("_life", "context", "module", "pointer")

    def __init__(self, module: driver_ctypes.Module, pointer: int) -> None:
        self.module = module
        self.pointer = pointer
        self.context = module.context
        self._life = Life(module.context)

    def close(self) -> None:
        """Nothing: the memory goes with the module."""


def load(
    device: Device, module: Module, kinds: Mapping[str, Kinds] | None = None
) -> tuple[driver_ctypes.Module, dict[str, KernelHandle]]:
    """Load a module on a device. JitError of the driver's compiler names the PTX line and where it came from; UnsupportedError
    what the CPU device does not run, where it runs no kernel of the module: else it comes when such a kernel is asked for."""
    text, items = print_with_lines(module)
    signatures = {f.name: signature_of(f, (kinds or {}).get(f.name)) for f in module.entries}

    def source_of(line: int) -> str | None:
        item = items[line - 1] if 0 < line <= len(items) else None
        places = resolve(getattr(item, "source", None))
        return f"{places[0]}  {places[0].excerpt()}" if places else None

    try:
        loaded = device.context.load(text, signatures=signatures, line_map=source_of, options=_options(module))
    except driver_ctypes.JitError as refused:
        if device.kind == "cpu" and refused.code == enums.CUresult.ERROR_NOT_SUPPORTED:
            raise _unsupported(refused.messages, refused.log, items) from None
        if not _loadable(module.target, device):
            refused.hint = (
                f"the module is for {module.target}, the device loads {device.target}: build it with target=dev.target"
            )
        raise
    watch_checks(device.context, module, loaded)
    if device.kind == "cpu":
        note_lines(loaded, items)
    unable = _refused(loaded, items) if device.kind == "cpu" else {}
    handles = {}
    for entry in module.entries:
        if entry.name not in unable:
            try:
                handles[entry.name] = KernelHandle(device, loaded, entry, module.variables)
            except NotSupportedError as reason:  # the log had no room for it
                if device.kind != "cpu":
                    raise
                unable[entry.name] = partial(UnsupportedError, str(reason))
    return loaded, Kernels(handles, unable)


def _options(module: Module) -> dict[enums.CUjit_option | int, int]:
    """A module that names source files (`module(lines=True)`) has a table of its lines in the code, for profilers."""
    named = any(isinstance(item, FileDirective) for item in module.items)
    return {_GENERATE_LINE_INFO: 1} if named else {}


_GENERATE_LINE_INFO = 13  # CUjit_option
_REFUSED = re.compile(r"kernel '([^']+)': (.*)")


def _refused(loaded: driver_ctypes.Module, items: Sequence[Any]) -> dict[str, Callable[[], UnsupportedError]]:
    """The kernels that the CPU device says not to run, with the reasons."""
    messages: dict[str, list[JitMessage]] = {}
    for message in jitlog.parse(loaded.info_log) if "warning" in loaded.info_log else ():
        found = _REFUSED.fullmatch(message.text) if message.severity == "warning" else None
        if found is not None:
            messages.setdefault(found[1], []).append(message._replace(text=found[2]))
    return {name: partial(_unsupported, each, "", items) for name, each in messages.items()}


def _unsupported(messages: Sequence[JitMessage], log: str, items: Sequence[Any]) -> UnsupportedError:
    """The same as a finding at the program's own lines."""
    found = []
    for message in messages:
        if message.line is not None:
            item = items[message.line - 1] if 0 < message.line <= len(items) else None
            places = resolve(getattr(item, "source", None)) or (Location("ptx", "PTX", message.line),)
            found.append(
                Diagnostic("PTX490", message.text, locations=places, hint='run it on a GPU: px.device("cuda")')
            )
    return UnsupportedError("" if found else log, found)


def _names(entry: Function, symbol: str) -> bool:
    """Whether an instruction of the kernel addresses a variable."""
    return any(
        isinstance(operand, Address) and isinstance(operand.base, Symbol) and operand.base.name == symbol
        for instruction in entry.instructions()
        for operand in instruction.operands
    )


def _loadable(target: str, device: Device) -> bool:
    """Does the device load modules for a target? Those of an architecture's or a family's own features are for that alone."""
    try:
        asked = find_target(target)
    except ValueError:
        return True  # the compiler's own message says so
    return find_product(device.target).takes(asked)
