"""Modules: code loaded onto a device, with the compiler's messages; and each kernel's attributes."""

from __future__ import annotations

import ctypes
from weakref import WeakValueDictionary

from driver_ctypes import errors
from driver_ctypes.arguments.signature import Signature
from driver_ctypes.errors import ArgumentError
from driver_ctypes.launch.kernel import LoadedKernel
from driver_ctypes.launch.sending import ConfiguredLaunch, configure_launch
from driver_ctypes.modules import jitlog
from driver_ctypes.modules.images import read_image, told_signature
from driver_ctypes.modules.jitlog import LONG_LOG_BYTES, Logged, Logs, compile_error
from driver_ctypes.modules.names import (
    NOT_FOUND,
    Declared,
    c_name,
    check_known,
    checked_signatures,
    declared,
    kernel_names,
    not_found,
    read_parameters,
)
from driver_ctypes.session.handle import Handle
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from driver_ctypes.validate import instance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.caches.process import CubinCache
    from driver_ctypes.launch.plan import Launcher
    from driver_ctypes.modules.jitlog import Resources
    from driver_ctypes.session.session import Session

_NOTHING = Declared({}, {})
_MAX_DYNAMIC_SHARED = 8  # CUfunction_attribute


class FunctionAttributes(NamedTuple):
    """A kernel's attributes, as the driver reports them; memory in bytes."""

    registers: int
    """Registers of each thread."""
    static_shared: int
    local: int
    """Local memory of each thread: its stack and spilled registers."""
    constant: int
    max_threads: int
    """Threads of the largest block that can be launched (the kernel's registers and .maxntid count)."""
    ptx_version: int
    """10 * major + minor of the target the PTX was for."""
    binary_version: int
    max_dynamic_shared: int


# FunctionAttributes' fields as CUfunction_attribute numbers
_ATTRIBUTES = (4, 1, 3, 2, 0, 5, 6, _MAX_DYNAMIC_SHARED)


class Module(Handle, Logged):
    """Loaded code, made by `Context.load`."""

    kind = "module"
    _destroy = "cuModuleUnload"

    def __init__(
        self,
        context: Session,
        handle: int,
        signatures: Mapping[str, Signature],
        info_log: str,
        line_map: Callable[[int], str | None] | None = None,
        *,
        milliseconds: float = 0.0,
        cached: bool = False,
        find_log: Callable[[], str] | None = None,
        told: Declared = _NOTHING,
    ) -> None:
        super().__init__(context, handle)
        self._info_log = info_log
        self._find_log = find_log
        self.milliseconds = milliseconds
        """The compile time that the driver reports; 0.0 where nothing had to be compiled."""
        self.cached = cached
        """Whether the code came from the cache on disk, and the log with it."""
        self.signatures: dict[str, Signature] = checked_signatures(signatures)
        self._declared = told
        self.line_map = line_map
        context.modules[handle] = self
        self._functions: WeakValueDictionary[str, Function] = WeakValueDictionary()  # a function keeps its module

    @property
    def handle(self) -> int:
        """The CUmodule."""
        return self._handle

    @property
    def info_log(self) -> str:
        """The compiler's info log; if the driver's own cache had the code, the log of its compilation, if that was
        kept. Empty for a binary.
        """
        find, self._find_log = self._find_log, None
        if find is not None and not self._info_log:
            self._info_log = find()
        return self._info_log

    @property
    def resources(self) -> dict[str, Resources]:
        """Registers, spills, stack, shared and constant memory of each kernel by name, from the log; from a driver that compiles
        on demand, as each function tells."""
        if self.context.driver.compiles_on_demand:
            return {name: self.function(name).resources for name in self.function_names()}
        return super().resources

    def function(self, name: str) -> Function:
        """The kernel called *name*. Raises NotFoundError listing those there are, ArgumentError if its
        signature contradicts the code.
        """
        self.check_open()
        function = self._functions.get(name)
        if function is None:
            handle = ctypes.c_void_p()
            self._look_up("cuModuleGetFunction", name, "kernel", ctypes.byref(handle))
            if self.signatures and name not in self.signatures:
                check_known(self.signatures, self.function_names(), name)
            function = Function(self, name, handle.value or 0, self.signatures.get(name))
            function = self._functions.setdefault(name, function)
        return function

    def global_(self, name: str) -> tuple[int, int]:
        """(device address, bytes) of a module variable. Raises NotFoundError."""
        self.check_open()
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self._look_up("cuModuleGetGlobal_v2", name, "variable", ctypes.byref(address), ctypes.byref(size))
        return address.value, size.value

    def explain_faults(self, explain: Callable[[], dict[str, Any] | None]) -> None:
        """At the context's first fault *explain* is asked what the module's kernels have left in host memory: until the code
        is unloaded, also where nobody holds this object any more. What it gives goes to the error: ``family``, a subclass
        of FatalError, and what that takes beside its base's fields; None where the fault is not theirs.
        """
        self.check_open()
        self.context.fault_explanations[self._handle] = explain

    def function_names(self) -> tuple[str, ...]:
        """Names of the module's kernels; before CUDA 12.4 only those with a signature."""
        symbols = "cuModuleGetFunctionCount", "cuModuleEnumerateFunctions", "cuFuncGetName"
        return kernel_names(self.context, *symbols, self._handle, self.signatures)

    def _look_up(self, symbol: str, name: str, what: str, *out: Any) -> None:
        code = self.context.try_call(symbol, *out, self._handle, c_name(name, what))
        if code == NOT_FOUND:
            raise not_found(self.context, symbol, what, name, self.function_names() if what == "kernel" else ())
        if code:
            raise self.context.error(symbol, code, detail=f"looking for {what} {name!r}")

    def close(self) -> None:
        """Unload the code. Its functions can no longer be launched."""
        self.context.launches.end(module=self)
        super().close()


class Function(LoadedKernel):
    """A kernel of a module. It keeps the module loaded."""

    module: Module

    def __init__(self, module: Module, name: str, handle: int, signature: Signature | None) -> None:
        super().__init__(module, name, handle)
        if self.context.driver.has("cuFuncLoad"):
            self.context.call("cuFuncLoad", handle)  # now, and not lazily in the middle of a capture
        count = module._declared.counts.get(name)
        parameters = read_parameters(self.context, "Func", handle, count)
        sizes = [size for _offset, size in parameters] if parameters is not None else None
        if signature is not None and sizes is not None:
            self._check_signature(signature, sizes)
        self.signature: Signature | None = (
            told_signature(module._declared.heads, name, sizes) if signature is None else signature
        )
        self.context.kernels[handle] = self

    def __repr__(self) -> str:
        return f"<Function {self.name}{self.signature or '(?)'}>"

    @property
    def attributes(self) -> FunctionAttributes:
        """Registers, memory and limits of the kernel."""
        return FunctionAttributes(*[self.attribute(number) for number in _ATTRIBUTES])

    @property
    def resources(self) -> Resources:
        """What the kernel uses: from the compiler's log, or for a binary from the driver, which does not report barriers or
        how much of the stack is spills.
        """
        if not self.context.driver.compiles_on_demand:
            said = self.module.resources.get(self.name)
            if said is not None and said.registers:
                return said
        known = self.attributes
        return jitlog.Resources(
            registers=known.registers,
            shared=known.static_shared,
            constant=known.constant,
            stack=known.local,
            spill_stores=0 if not known.local else None,
            spill_loads=0 if not known.local else None,
        )

    @property
    def parameters(self) -> tuple[tuple[int, int], ...] | None:
        """(offset, bytes) of each parameter as the loaded code has them; None before CUDA 12.4."""
        self.module.check_open()
        return read_parameters(self.context, "Func", self.handle, self.module._declared.counts.get(self.name))

    def launch(
        self,
        grid: Any,
        block: Any,
        *args: Any,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        **attributes: Any,
    ) -> None:
        """Queue one launch: *grid* CTAs of *block* threads (ints or up to three), *shared* bytes of dynamic memory.

        *cluster* is in CTAs, and so is *grid*. The other *attributes*, most of them for sm_90 and newer:

        - ``programmatic=True``: programmatic dependent launch: it may begin before the preceding kernel of the stream has ended;
          it calls griddepcontrol.wait before it accesses what that one writes.
        - ``programmatic_event=event``, recorded when all CTAs have triggered (griddepcontrol.launch_dependents) or ended, or
          with ``(event, True)`` when all have begun; ``completion_event=event``, recorded when all have begun, or shortly after.
        - ``priority``, as for streams; ``carveout``, percent of shared memory preferred over L1; ``access_window``, an
          `AccessWindow`; ``domain`` and ``domain_map``, its memory-synchronisation domains; ``cluster_policy`` ("spread",
          "balance"); ``preferred_cluster``, a larger cluster where resources allow it; ``nvlink_balance``.

        Raises LaunchConfigError for what the device or the kernel does not
        allow, the argument errors of `Signature.convert`, and the driver's. Everything is checked before the driver is called.
        """
        configure_launch(self, grid, block, shared, stream, cluster, cooperative, attributes).launch_checked(args)

    def configure(
        self,
        grid: Any,
        block: Any,
        *,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        **attributes: Any,
    ) -> ConfiguredLaunch:
        """A launch with this configuration (see `launch`), checked once: its ``launch_checked(args)`` checks the arguments
        and launches. Between `launch` and `bind`: nothing is made ahead that only many launches are worth.
        """
        return configure_launch(self, grid, block, shared, stream, cluster, cooperative, attributes)

    def bind(
        self,
        grid: Any,
        block: Any,
        *,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        **attributes: Any,
    ) -> Launcher:
        """A callable that launches with this configuration (see `launch`), checked once: ``launcher(*args)``. The fastest
        way to launch, in particular on your own stream. Threads may share it.
        """
        from driver_ctypes.launch.plan import bind

        return bind(self, grid, block, shared, stream, cluster, cooperative, attributes)

    def _check_signature(self, signature: Signature, sizes: list[int]) -> None:
        declared = [param.size for param in signature.params]
        if declared != sizes:
            raise ArgumentError(
                f"the signature {self.name}{signature} has parameters of {declared} bytes, the loaded code of {sizes}",
                hint="take the signature from the same program that the module was made from",
            )


def load_module(
    context: Session,
    image: str | bytes,
    signatures: Mapping[str, Signature],
    line_map: Callable[[int], str | None] | None,
    options: Mapping[Any, int],
    cache: CubinCache | bool | None,
) -> Module:
    """Load *image*; see `Context.load`."""
    data, ptx = read_image(image)
    told = declared(data, ptx)
    kept = chosen_cache(context, cache) if ptx else None
    if kept is not None and not context.driver.cache_code and context.driver.has("cuLinkCreate_v2"):
        from driver_ctypes.modules.linker import compile_with_cache

        code = compile_with_cache(context, data, options, kept)
        if code is not None:
            try:
                handle, _logs = _load(context, code.image, {}, "", None)
            except errors.JitError:
                kept.reject(code.key)  # it is what was written, yet this driver does not take it
            else:
                return Module(
                    context, handle, signatures, code.log, line_map, milliseconds=code.milliseconds, cached=code.hit,
                    told=told,
                )  # fmt: skip
    handle, logs = _load(context, data, options, ptx, line_map)
    find_log = None
    if kept is not None and context.driver.cache_code:
        find_log = _keep_log(context, data, options, logs.info, kept)
    return Module(
        context, handle, signatures, logs.info, line_map, milliseconds=logs.milliseconds, find_log=find_log, told=told
    )


def _keep_log(
    context: Session, data: bytes, options: Mapping[Any, int], info: str, kept: CubinCache
) -> Callable[[], str] | None:
    """A driver that finds the code in its own cache writes no log, so the log of each compilation is kept. Returns how to
    find the one of this load, if it wrote none.
    """
    from driver_ctypes.caches.code import key_of
    from driver_ctypes.modules.linker import code_key

    def key() -> str:
        return key_of(code_key(context, data.rstrip(b"\0"), options), "log")

    if info:
        kept.put(key(), b"", info)
        return None

    def find() -> str:
        entry = kept.get(key())
        return entry.log if entry is not None else ""

    return find


def chosen_cache(context: Session, cache: CubinCache | bool | None) -> CubinCache | None:
    """The cache that a load of PTX uses: the one passed, the process's for True, none for False, and for None the process's on
    a driver that keeps code itself (`cache_code`).

    Such a driver compiles a program as a whole, and its linker does not: it ignores setmaxnreg, serialises wgmma, uses other
    registers, and may move dynamic shared memory off its alignment. So its code is never taken from the linker, and the cache
    has only the logs.
    """
    if cache is False or (cache is None and not context.driver.cache_code):
        return None
    if cache is None or cache is True:
        from driver_ctypes.caches.process import cubin_cache

        return cubin_cache()
    from driver_ctypes.caches.process import CubinCache

    return instance(cache, CubinCache, "cache", "True for the process's own, False for none, or CubinCache(folder)")


def _load(
    context: Session, data: bytes, options: Mapping[Any, int], ptx: str, line_map: Callable[[int], str | None] | None
) -> tuple[int, Logs]:
    """A CUmodule and the logs, at the second try with room for long ones."""
    handle = ctypes.c_void_p()
    verbose = not context.driver.compiles_on_demand
    logs = Logs(options, verbose=verbose)
    for attempt in (logs, None):
        logs = attempt or Logs(options, LONG_LOG_BYTES, verbose=verbose)
        args = (ctypes.byref(handle), data, logs.count, logs.keys, logs.values)
        code = context.try_call("cuModuleLoadDataEx", *args)
        if not code:
            return handle.value or 0, logs
        if not logs.full:
            break
    raise compile_error(context, "cuModuleLoadDataEx", code, logs, ptx, line_map)
