"""`@kernel`: a Python function becomes a kernel, printed, verified, or launched.

@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32], *, unroll: int = 1):
    ...

saxpy.module(target="sm_90a")          # the ir; print it for PTX text
saxpy[grid, block](n, a, x, y)         # launch it
saxpy.bind(grid, block)                # a callable that launches with the least possible work
"""

from __future__ import annotations

import os
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from ptxgen.builder.auto_target import build_for_lowest_target, build_kernels
from ptxgen.builder.builder import Builder
from ptxgen.builder.core.module_builder import ModuleBuilder, warn
from ptxgen.builder.declarations import Declaration, DeclaredFunction
from ptxgen.builder.judging import load_judged
from ptxgen.builder.launching import ConfiguredKernel
from ptxgen.builder.memory.alignment import Alignment
from ptxgen.builder.memory.pointers import global_pointer, ptr
from ptxgen.builder.memory.readonly import check_promises, read_only
from ptxgen.builder.memory.structs import Struct
from ptxgen.builder.signatures import KernelParameter, Signature, option_names, options_key, read_signature
from ptxgen.builder.tiles.tensor_maps import TensorMap
from ptxgen.builder.tiles.tensor_types import TensorArgument, UnstatedTensor
from ptxgen.builder.tracing import trace
from ptxgen.builder.values.vectors import vec
from ptxgen.collector import rarely_collected
from ptxgen.errors import BuildError
from ptxgen.ir import Address, Directive, Function, Instruction, Module, Symbol, Variable
from ptxgen.isa.forms import opcodes
from ptxgen.isa.types import TYPES
from ptxgen.text.printer import print_module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.builder.judging import Judge
    from ptxgen.builder.tiles.tensor_types import ImageType, TensorType
    from ptxgen.host import ArgumentKind, Device, KernelHandle

    Bound = int | tuple[int, ...] | Callable[..., Any] | None

__all__ = ["DEFAULT_TARGET", "Kernel", "argument_kinds", "kernel", "module"]

DEFAULT_TARGET = "sm_90a"
"""What `module()` builds for when nobody says."""

_MANY = 256  # configurations kept of a kernel: a program whose grids never come again must not grow


class Kernel:
    """A kernel function. `using(...)` fixes compile-time parameters."""

    def __init__(
        self, function: Callable[..., Any], bounds: dict[str, Any], options: dict[str, Any] | None = None
    ) -> None:
        self._function = function
        self._bounds = bounds
        self._options = options or {}
        self._signature: Signature | None = None
        self._general: Kernel | None = None  # of which it is one with parameters fixed: they share a signature
        self._loaded: dict[
            Any, KernelHandle
        ] = {}  # by (device, compile-time parameters); by device where none are stated
        self._configured: dict[Any, ConfiguredKernel] = {}  # by (grid, block)
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in self._options.items())
        return f"<kernel {self.__name__}({options})>"

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, table

        signature, known = self.signature, {**self.signature.options, **self._options}
        to_fix = {name for name in signature.required if name not in self._options}
        parameters = (signature if to_fix else signature.typed(known)).parameters
        rows = [(each.name, each.type.__name__, "at launch") for each in parameters]
        for name, value in known.items():
            shown = "to be fixed" if name in to_fix else value.__name__ if isinstance(value, type) else repr(value)
            rows.append((name, shown, "at compile time"))
        about = (self.__doc__ or "").strip().partition("\n")[0]
        return box(
            f"kernel {self.__name__}", *([about] if about else []), table(("parameter", "type or value", "given"), rows)
        )

    @property
    def signature(self) -> Signature:
        """The launch's parameters and the compile-time ones."""
        if self._signature is None:
            general = self._general
            self._signature = read_signature(self._function) if general is None else general.signature
        return self._signature

    @property
    def function(self) -> Callable[..., Any]:
        """The Python function that it was made of."""
        return self._function

    @property
    def fixed(self) -> dict[str, Any]:
        """The compile-time parameters that `using` has fixed."""
        return dict(self._options)

    def using(self, **options: Any) -> Kernel:
        """The same kernel with compile-time parameters fixed."""
        chosen = {**self._options, **options}
        if not options.keys() <= set(option_names(self._function)):
            self.signature.chosen(self.__name__, {**dict.fromkeys(self.signature.required), **chosen})
        made = Kernel(self._function, self._bounds, chosen)
        made._general = self
        return made

    def extended(self, ahead: tuple[KernelParameter, ...], begin: Callable[..., None], name: str) -> Kernel:
        """The same kernel by another name with parameters `ahead` of its own: `begin(k, function, *arguments, **options)` is
        traced in the place of `function(k, *arguments, **options)`."""
        function = self._function

        def traced(k: Builder, *arguments: Any, **options: Any) -> None:
            begin(k, function, *arguments, **options)

        traced.__name__, traced.__doc__ = name, function.__doc__
        made = Kernel(traced, self._bounds, self._options)
        made._signature = self.signature._replace(parameters=(*ahead, *self.signature.parameters))
        return made

    def module(
        self,
        *,
        target: str = DEFAULT_TARGET,
        version: str | tuple[int, int] = "auto",
        strict: bool = False,
        lines: bool | None = None,
        **options: Any,
    ) -> Module:
        """Build the module of this one kernel. VerifyError when it is not legal for the target; with `strict` also when the
        verifier warns. `lines` as for `px.module`."""
        chosen = self.using(**options) if options else self
        return module(chosen, target=target, version=version, strict=strict, lines=lines)

    def ptx(self, **how: Any) -> str:
        """The PTX text of `module(...)`."""
        return print_module(self.module(**how))

    def add_to(self, into: ModuleBuilder) -> Function:
        """Trace the kernel into a module that is being built."""
        signature = self.signature
        options = signature.chosen(self.__name__, self._options)
        signature = signature.typed(options)
        k = Builder(into, into.unique(self.__name__))
        arguments: list[Any] = []
        parameters: list[tuple[Any, str, Alignment]] = []
        for parameter in signature.parameters:
            name = _in_ptx(parameter.name)
            alignment = Alignment()
            arguments.append(_load(k, name, parameter.type, alignment))
            parameters.append((parameter.type, name, alignment))
        source = (self._function.__code__, -1)
        for (
            statement
        ) in k.statements:  # what loads the parameters belongs to the kernel's own line, not to whoever builds it
            if isinstance(statement, Instruction):
                statement.source = source
        returned = trace(k, self._function, arguments, options)
        if returned is not None:
            raise BuildError(f"kernel {self.__name__} returns {returned!r}", hint="store results through a pointer")
        function = Function(
            k.name,
            is_entry=True,
            parameters=tuple(_variable(type_, name, alignment) for type_, name, alignment in parameters),
            linkage="visible",
            directives=(*_directives(self._bounds, options), *k.directives),
            body=k.finish(source),
            source=source,
            dynamic_shared=k.shared_memory.bytes,
            tensors=k.tensors,
        )
        into.items.append(function)
        promised = {name for type_, name, _ in parameters if issubclass(type_, read_only)}
        if promised:
            check_promises(into, function, promised)
        return function

    # Launching

    def __call__(self, *arguments: object, **options: object) -> NoReturn:
        raise BuildError(
            f"the kernel {self.__name__} is called without a grid and a block",
            hint=f"{self.__name__}[grid, block](...) launches it; a function that kernels call is made by @px.func",
        )

    def __getitem__(self, shape: Any) -> ConfiguredKernel:
        try:
            return self._configured[shape]
        except (KeyError, TypeError):
            pass
        if not isinstance(shape, tuple) or len(shape) != 2:
            raise BuildError(
                f"{self.__name__}[...] takes a grid and a block", hint=f"{self.__name__}[grid, block](...)"
            )
        made = ConfiguredKernel(self, *shape)
        if made.is_of_integers:  # else a launch refuses it: kept, 1.0 would be found in place of 1
            if len(self._configured) >= _MANY:
                self._configured.clear()
            try:
                self._configured[shape] = made
            except TypeError:  # a grid that is a list is configured anew each time
                pass
        return made

    def check_positional(self, options: dict[str, Any]) -> None:
        """BuildError where a parameter of the launch is given by its name."""
        names = [parameter.name for parameter in self.signature.parameters]
        wrong = next((name for name in options if name in names), None)
        if wrong is not None:
            raise BuildError(
                f"{self.__name__}: {wrong!r} is a parameter of the launch, and those are positional",
                hint=f"{self.__name__}[grid, block]({', '.join(names)}); keywords are compile-time parameters",
            )

    def on(self, device: Device | None = None, **options: Any) -> KernelHandle:
        """The kernel loaded on a device (default: the current one), built for its target. Loaded once."""
        if device is None:
            from ptxgen.host import current_device

            place = current_device()
        else:
            place = device
        if not options:
            known = self._loaded.get(place)
            if known is not None and not known.function.context.closed:
                return known
        chosen = self.signature.chosen(self.__name__, {**self._options, **options})
        try:
            key = (place, options_key(chosen))
            known = self._loaded.get(key)
        except TypeError:
            raise BuildError(
                f"{self.__name__}: compile-time parameters must be hashable: {chosen}",
                hint="a tuple in place of a list",
            ) from None
        if known is None or known.stale:
            with rarely_collected():
                built, judge = _built((self.using(**chosen),), place.target)
                kinds = {self.__name__: argument_kinds(self.signature.typed(chosen), built.entries[0].tensors)}
                known = self._loaded[key] = load_judged(place, built, judge, kinds)[self.__name__]
        if not options:
            self._loaded[place] = known
        return known

    def bind(
        self,
        grid: Any,
        block: Any,
        *,
        shared: int | None = None,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        attributes: Mapping[str, Any] | None = None,
        device: Device | None = None,
        **options: Any,
    ) -> Callable[..., None]:
        """A launcher for one configuration: everything that can be checked beforehand is. Call it with the arguments.

        `shared` is dynamic shared memory in bytes, by default what the kernel planned. Without a stream, it is the stream
        current on the device now. `attributes` are the other ones of a launch: see `driver_ctypes.Function.launch`.
        """
        handle = self.on(device, **options)
        launcher = handle.bind(
            grid, block, shared=shared, stream=stream, cluster=cluster, cooperative=cooperative, **(attributes or {})
        )
        if not self.signature.defaults:
            return launcher
        completed = self.signature.completed
        return lambda *arguments: launcher(*completed(arguments))


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(
    *,
    max_threads: Bound = None,
    threads: Bound = None,
    min_ctas: Bound = None,
    max_registers: Bound = None,
    cluster: Bound = None,
) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    function: Callable[..., Any] | None = None,
    *,
    max_threads: Bound = None,
    threads: Bound = None,
    min_ctas: Bound = None,
    max_registers: Bound = None,
    cluster: Bound = None,
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a function whose first parameter is the builder.

    Parameters before `*` are the launch's, annotated with device types; the last of them may have defaults. Those after it are
    fixed while building.
    `max_threads` and `threads` bound or fix the CTA's size (.maxntid, .reqntid), `min_ctas` the CTAs an SM should hold,
    `cluster` the cluster's size in CTAs. Each may be a function of the compile-time parameters.
    """
    bounds = {
        "maxntid": max_threads, "reqntid": threads, "minnctapersm": min_ctas, "maxnreg": max_registers,
        "reqnctapercluster": cluster,
    }  # fmt: skip
    stated = {name: value for name, value in bounds.items() if value is not None}
    return _kernel(function, stated) if function is not None else lambda f: _kernel(f, stated)


_RESERVED = frozenset(
    {"target", "version", "strict", "lines", "device", "shared", "stream", "cluster", "cooperative", "attributes"}
)


_SUSPENDED = 0x20 | 0x80 | 0x200
"""CO_GENERATOR, CO_COROUTINE and CO_ASYNC_GENERATOR of `inspect`."""


def _kernel(function: Callable[..., Any], bounds: dict[str, Any]) -> Kernel:
    if not isinstance(function, FunctionType):
        raise BuildError(f"@px.kernel makes a kernel of a function, not of {function!r:.60}", hint="def f(k, x): ...")
    code = function.__code__
    if code.co_flags & _SUSPENDED:
        raise BuildError(
            f"kernel {function.__name__} is a generator or asynchronous", hint="no yield, and no async def"
        )
    taken = [n for n in code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount] if n in _RESERVED]
    if taken:
        raise BuildError(
            f"kernel {function.__name__}: a compile-time parameter cannot be called {taken[0]!r}",
            hint=f"{', '.join(sorted(_RESERVED))} are keywords of module() and of a launch",
        )
    return Kernel(function, bounds)


def module(
    *kernels: Kernel | Declaration | DeclaredFunction,
    target: str = DEFAULT_TARGET,
    version: str | tuple[int, int] = "auto",
    strict: bool = False,
    lines: bool | None = None,
    target_options: tuple[str, ...] = (),
    address_size: int = 64,
) -> Module:
    """One module of several kernels; they share its variables and device functions. What `px.declare` declares stands where it
    is named, among the kernels. `target_options` are those of `.target`, such as "debug".

    `version` "auto" is the lowest PTX version that is enough, `target` "auto" the lowest target: the lowest number, and of one
    number the baseline before `f` before `a`. What a kernel builds may depend on its target; it is built for the lowest one
    for which it then needs no higher.

    With `lines` each instruction says the Python line that built it (`.loc`), so that profilers and debuggers show it; None is
    what the environment says: PTXGEN_LINES=1, for launches too.
    """
    with rarely_collected():
        built, judge = _built(kernels, target, version, strict, lines, target_options, address_size)
        if judge is not None:
            warn(judge())
    return built


def _built(
    kernels: tuple[Kernel | Declaration | DeclaredFunction, ...],
    target: str,
    version: str | tuple[int, int] = "auto",
    strict: bool = False,
    lines: bool | None = None,
    target_options: tuple[str, ...] = (),
    address_size: int = 64,
) -> tuple[Module, Judge]:
    """The module, and what is left to judge of it."""
    for each in kernels:
        if not isinstance(each, (Kernel, Declaration, DeclaredFunction)):
            raise BuildError(f"a module is made of kernels, not of {each!r:.60}", hint="@px.kernel makes one")
    into = build_for_lowest_target(kernels) if target == "auto" else build_kernels(kernels, target)
    if lines is None:
        lines = os.environ.get("PTXGEN_LINES", "") not in ("", "0")
    into.target_options, into.address_size = target_options, address_size
    name = next((each.__name__ for each in kernels if not isinstance(each, Declaration)), "<module>")
    return into.finish(name, version, strict=strict, lines=lines)


def _directives(bounds: dict[str, Any], options: dict[str, Any]) -> list[Directive]:
    found = []
    for name, bound in bounds.items():
        value = bound(**options) if callable(bound) else bound
        if value is not None:
            found.append(Directive(name, tuple(value) if isinstance(value, tuple) else (value,)))
    return found


def _in_ptx(name: str) -> str:
    """A parameter's name in PTX, which cannot be that of an opcode."""
    return name if name not in opcodes() else f"{name}_"


def _load(k: Builder, name: str, type_: Any, alignment: Alignment) -> Any:
    """A parameter's value at the top of the kernel."""
    if issubclass(type_, Struct):
        return type_.in_kernel(k, name)
    if issubclass(type_, TensorMap):
        return type_.in_kernel(k, name)
    if issubclass(type_, ptr):
        return global_pointer(k, type_, Address(Symbol(name)), alignment)
    return k.emit1(type_, f"ld.param.{type_.memory}", Address(Symbol(name)))


def _variable(type_: Any, name: str, alignment: Alignment) -> Variable:
    if issubclass(type_, Struct):
        layout = type_.layout()
        return Variable("param", TYPES["b8"], name, shape=(layout.size,), align=layout.align)
    if issubclass(type_, TensorMap):
        return Variable("param", TYPES["b8"], name, shape=(128,), align=64)
    if issubclass(type_, ptr):
        return Variable("param", TYPES["u64"], name, pointer=("global", max(type_.aligned, alignment.bytes)))
    return Variable("param", TYPES[type_.memory], name)


def argument_kinds(signature: Signature, tensors: Mapping[str, TensorType | ImageType]) -> tuple[ArgumentKind, ...]:
    """What a launch checks its arguments against; `tensors` is what the tensor maps are of, where the kernel says it."""
    from ptxgen.host import ArgumentKind

    found = []
    for name, type_, _ in signature.parameters:
        if issubclass(type_, TensorMap):
            found.append(ArgumentKind(name, "bytes", structure=_tensor(tensors.get(_in_ptx(name)))))
        elif issubclass(type_, Struct):
            found.append(ArgumentKind(name, "bytes", structure=type_))
        elif issubclass(type_, ptr):
            element = type_.element.element if issubclass(type_.element, vec) else type_.element
            found.append(ArgumentKind(name, "pointer", getattr(element, "isa", None)))
        else:
            found.append(ArgumentKind(name, _KIND.get(type_.isa.name, type_.isa.name)))
    return tuple(found)


def _tensor(stated: TensorType | ImageType | None) -> TensorArgument | UnstatedTensor:
    return TensorArgument(stated) if stated is not None else UnstatedTensor()


_KIND = {
    "b8": "u8",
    "b16": "u16",
    "b32": "u32",
    "b64": "u64",
    "b128": "bytes",
    "e4m3": "u8",
    "e5m2": "u8",
    "f16x2": "u32",
}
"""Types whose arguments are given as their bits; those of a b128 are 16 bytes."""
