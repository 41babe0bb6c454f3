"""Libraries: code that belongs to no context, and its kernels, which become functions in each context that uses them.

    with context.load_library(ptx, signatures=...) as library:
        kernel = library.kernel("saxpy")
        kernel.function().launch(grid, block, n, 2.0, x, y)
        kernel.function(other_context).launch(...)

With ``CUDA_MODULE_LOADING`` LAZY (the default) a driver loads such code when it is first needed, at the latest in
`Kernel.function`. Needs CUDA 12.0.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from driver_ctypes.launch.kernel import kernel_attribute
from driver_ctypes.lifetime import Single
from driver_ctypes.modules import jitlog
from driver_ctypes.modules.images import read_image, told_signature
from driver_ctypes.modules.jitlog import LONG_LOG_BYTES, Logged, Logs, compile_error
from driver_ctypes.modules.module import Function, Module
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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.abi.enums import CUfunction_attribute
    from driver_ctypes.arguments.signature import Signature
    from driver_ctypes.session.device import DeviceBase
    from driver_ctypes.session.session import Session


_INVALID_IMAGE = 200
_FAILED = ("error", "fatal")


class Library(Handle, Logged):
    """Loaded code without a context, made by `Context.load_library`. It is freed with the context that loaded it."""

    kind = "library"
    _destroy = "cuLibraryUnload"

    def __init__(
        self,
        context: Session,
        handle: int,
        logs: Logs,
        signatures: Mapping[str, Signature],
        line_map: Callable[[int], str | None] | None,
        told: Declared,
    ) -> None:
        super().__init__(context, handle)
        self._logs = logs  # a driver that compiles later writes to it then
        self.signatures: dict[str, Signature] = checked_signatures(signatures)
        self._declared = told
        self.line_map = line_map
        self._kernels: WeakValueDictionary[str, Kernel] = WeakValueDictionary()  # a kernel keeps its library
        self._modules: WeakValueDictionary[Session, LibraryModule] = WeakValueDictionary()

    @property
    def handle(self) -> int:
        """The CUlibrary."""
        return self._handle

    @property
    def info_log(self) -> str:
        """The compiler's info log; empty if nothing was compiled yet; `Function.resources` has it later."""
        return self._logs.info

    def kernel(self, name: str) -> Kernel:
        """The kernel called *name*. Raises NotFoundError listing those there are."""
        self.check_open()
        kernel = self._kernels.get(name)
        if kernel is None:
            handle = ctypes.c_void_p()
            self._look_up("cuLibraryGetKernel", name, "kernel", ctypes.byref(handle))
            if self.signatures and name not in self.signatures:
                check_known(self.signatures, self.kernel_names(), name)
            kernel = self._kernels.setdefault(name, Kernel(self, name, handle.value or 0))
        return kernel

    def kernel_names(self) -> tuple[str, ...]:
        """Names of the library's kernels; before CUDA 12.4 only those with a signature."""
        self.check_open()
        symbols = "cuLibraryGetKernelCount", "cuLibraryEnumerateKernels", "cuKernelGetName"
        return kernel_names(self.context, *symbols, self._handle, self.signatures)

    def module(self, context: Session | None = None) -> Module:
        """The library's module in *context* (default: the one that loaded it). It lives as long as the library, and its
        ``close()`` frees nothing.
        """
        self.check_open()
        place = self.context if context is None else context
        module = self._modules.get(place)
        if module is None:
            handle = ctypes.c_void_p()
            place.call("cuLibraryGetModule", ctypes.byref(handle), self._handle)
            module = LibraryModule(self, place, handle.value or 0)
            module = self._modules.setdefault(place, module)
        return module

    def global_(self, name: str, context: Session | None = None) -> tuple[int, int]:
        """(device address, bytes) of a module variable in *context*. Raises NotFoundError."""
        return self._variable("cuLibraryGetGlobal", name, context or self.context)

    def managed(self, name: str) -> tuple[int, int]:
        """(address, bytes) of a ``.managed`` variable: one address for the host and every device. Raises NotFoundError."""
        return self._variable("cuLibraryGetManaged", name, self.context)

    def unified_function(self, name: str) -> int:
        """The address of a ``.unified`` function, which is the same on every device. Raises CudaError where there is none."""
        self.check_open()
        address = ctypes.c_void_p()
        code = self.context.try_call(
            "cuLibraryGetUnifiedFunction", ctypes.byref(address), self._handle, c_name(name, "function")
        )
        if code:
            raise self.context.error("cuLibraryGetUnifiedFunction", code, detail=f"looking for the function {name!r}")
        return address.value or 0

    def _variable(self, symbol: str, name: str, context: Session) -> tuple[int, int]:
        self.check_open()
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self._look_up(symbol, name, "variable", ctypes.byref(address), ctypes.byref(size), context=context)
        return address.value, size.value

    def _look_up(self, symbol: str, name: str, what: str, *out: Any, context: Session | None = None) -> None:
        place = context or self.context
        code = place.try_call(symbol, *out, self._handle, c_name(name, what))
        if code == NOT_FOUND:
            raise not_found(place, symbol, what, name, self.kernel_names() if what == "kernel" else ())
        if code:  # perhaps compiled only now
            detail = f"looking for {what} {name!r}"
            raise compile_error(place, symbol, code, self._logs, line_map=self.line_map, detail=detail)

    def close(self) -> None:
        """Unload the code in every context. Its functions can no longer be launched."""
        for module in list(self._modules.values()):
            module.end()
        super().close()


class LibraryModule(Module):
    """A library's code in one context. The library owns it."""

    def __init__(self, library: Library, context: Session, handle: int) -> None:
        super().__init__(context, 0, library.signatures, library.info_log, library.line_map, told=library._declared)
        self._handle = handle
        self.library = library
        context.modules[handle] = self

    def check_open(self) -> None:
        self.library.check_open()
        super().check_open()

    def _release(self) -> None:
        self._handle = 0

    def end(self) -> None:
        self.context.launches.end(module=self)
        self._closed = True

    def __del__(self, *_: object) -> None:
        """Nothing is freed with it."""


class Kernel(Single):
    """A kernel of a library. It keeps the library loaded. `function` gives what can be launched in a context."""

    def __init__(self, library: Library, name: str, handle: int) -> None:
        self.library = library
        self.name = name
        self.handle = handle
        self.context: Session = library.context

    def __repr__(self) -> str:
        return f"<Kernel {self.name}{self.signature or '(?)'}>"

    @property
    def signature(self) -> Signature | None:
        """Its parameters: as passed to `Context.load_library`, else as its PTX text declares them, else as the driver reports
        their sizes.
        """
        signature = self.library.signatures.get(self.name)
        if signature is not None:
            return signature
        parameters = self.parameters
        sizes = [size for _offset, size in parameters] if parameters is not None else None
        return told_signature(self.library._declared.heads, self.name, sizes)

    @property
    def parameters(self) -> tuple[tuple[int, int], ...] | None:
        """(offset, bytes) of each parameter as the loaded code has them; None before CUDA 12.4."""
        self.library.check_open()
        return read_parameters(self.context, "Kernel", self.handle, self.library._declared.counts.get(self.name))

    def function(self, context: Session | None = None) -> Function:
        """The kernel in *context* (default: the one that loaded the library). Raises JitError if it is compiled only
        now and refused.
        """
        return self.library.module(context).function(self.name)

    def attribute(self, number: CUfunction_attribute | int, device: DeviceBase | None = None) -> int:
        """One CUfunction_attribute, on *device* (default: the library's)."""
        self.library.check_open()
        value = ctypes.c_int()
        place = device or self.context.device
        self.context.call(
            "cuKernelGetAttribute", ctypes.byref(value), kernel_attribute(number), self.handle, place.ordinal
        )
        return value.value

    def set_attribute(self, number: CUfunction_attribute | int, value: int, device: DeviceBase | None = None) -> None:
        """Set a CUfunction_attribute for all launches of this kernel on *device*, in every context."""
        self.library.check_open()
        place = device or self.context.device
        self.context.call("cuKernelSetAttribute", kernel_attribute(number), value, self.handle, place.ordinal)


def load_library(
    context: Session,
    image: str | bytes,
    signatures: Mapping[str, Signature],
    line_map: Callable[[int], str | None] | None,
    options: Mapping[Any, int],
) -> Library:
    """See `Context.load_library`."""
    data, ptx = read_image(image)
    if not context.driver.has("cuLibraryLoadData"):
        context.driver.raw("cuLibraryLoadData")  # raises, naming the version
    logs = Logs(options, LONG_LOG_BYTES, verbose=not context.driver.compiles_on_demand)
    handle = ctypes.c_void_p()
    args = (ctypes.byref(handle), data, logs.keys, logs.values, logs.count, None, None, 0)
    code = context.try_call("cuLibraryLoadData", *args)
    if code:
        raise compile_error(context, "cuLibraryLoadData", code, logs, ptx, line_map)
    library = Library(context, handle.value or 0, logs, signatures, line_map, declared(data, ptx))
    if any(message.severity in _FAILED for message in jitlog.parse(logs.errors)):
        try:  # drivers load such an image all the same, and return the compiler's error when a kernel is requested
            module = ctypes.c_void_p()
            code = context.try_call("cuLibraryGetModule", ctypes.byref(module), library.handle)
            raise compile_error(context, "cuLibraryLoadData", code or _INVALID_IMAGE, logs, ptx, line_map)
        finally:
            library.close()
    return library
