"""Modules: code loaded onto a device, with the compiler's messages; and what is known of each kernel."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from driver_ctypes import jitlog
from driver_ctypes.errors import JIT_CODES, ArgumentError, ArgumentTypeError
from driver_ctypes.launch import Launcher, Slot, bind, launch
from driver_ctypes.lifetime import Handle
from driver_ctypes.signature import Signature, signature_from_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.context import Context
    from driver_ctypes.jitlog import JitMessage, Resources
    from driver_ctypes.limits import Config

# CUjit_option
_INFO_LOG, _INFO_LOG_SIZE, _ERROR_LOG, _ERROR_LOG_SIZE, _LOG_VERBOSE = 3, 4, 5, 6, 12
_LOG_BYTES = 1 << 14
_LONG_LOG_BYTES = 1 << 20

_INVALID_VALUE = 1
_MAX_DYNAMIC_SHARED = 8  # CUfunction_attribute


class FunctionAttributes(NamedTuple):
    """What the driver knows of a kernel; memory in bytes."""

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


class Module(Handle):
    """Loaded code, made by `Context.load`."""

    kind = "module"
    _destroy = "cuModuleUnload"

    def __init__(
        self,
        context: Context,
        handle: int,
        signatures: Mapping[str, Signature],
        info_log: str,
        line_map: Callable[[int], str | None] | None = None,
    ) -> None:
        super().__init__(context, handle)
        self.info_log = info_log
        self.signatures = dict(signatures)
        self.line_map = line_map
        context._modules[handle] = self
        self._functions: WeakValueDictionary[str, Function] = WeakValueDictionary()  # a function keeps its module

    @property
    def handle(self) -> int:
        """The CUmodule."""
        return self._handle

    @property
    def messages(self) -> tuple[JitMessage, ...]:
        """What the PTX compiler said: warnings, and what each kernel uses. Empty where its binary was cached."""
        return jitlog.parse(self.info_log)

    @property
    def resources(self) -> dict[str, Resources]:
        """Registers, spills, stack and shared memory of each kernel by name, from the same log."""
        return jitlog.resources(self.info_log)

    def function(self, name: str) -> Function:
        """The kernel called *name*. Raises NotFoundError listing those there are, ArgumentError where the signature
        given for it contradicts the code.
        """
        self._check_open()
        function = self._functions.get(name)
        if function is None:
            handle = ctypes.c_void_p()
            self._look_up("cuModuleGetFunction", name, "kernel", ctypes.byref(handle))
            function = Function(self, name, handle.value or 0, self.signatures.get(name))
            function = self._functions.setdefault(name, function)
        return function

    def global_(self, name: str) -> tuple[int, int]:
        """(device address, bytes) of a module variable. Raises NotFoundError."""
        self._check_open()
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self._look_up("cuModuleGetGlobal_v2", name, "variable", ctypes.byref(address), ctypes.byref(size))
        return address.value, size.value

    def function_names(self) -> tuple[str, ...]:
        """Names of the module's kernels; before CUDA 12.4 only those with a signature."""
        context = self.context
        if not all(
            map(context.driver.has, ("cuModuleEnumerateFunctions", "cuModuleGetFunctionCount", "cuFuncGetName"))
        ):
            return tuple(self.signatures)
        count = ctypes.c_uint()
        context.call("cuModuleGetFunctionCount", ctypes.byref(count), self._handle)
        handles = (ctypes.c_void_p * count.value)()
        if count.value:
            context.call("cuModuleEnumerateFunctions", handles, count.value, self._handle)
        names = []
        for handle in handles:
            name = ctypes.c_char_p()
            context.call("cuFuncGetName", ctypes.byref(name), handle)
            names.append((name.value or b"").decode(errors="replace"))
        return tuple(names)

    def _look_up(self, symbol: str, name: str, what: str, *out: Any) -> None:
        code = self.context._try(symbol, *out, self._handle, name.encode())
        if code == 500:
            names = self.function_names() if what == "kernel" else ()
            detail = f"no {what} is called {name!r}" + (f"; there are: {', '.join(names)}" if names else "")
            hint = f'a {what} must be .visible; C++ names are mangled unless extern "C"'
            raise self.context._error(symbol, code, detail=detail, hint=hint)
        if code:
            raise self.context._error(symbol, code, detail=f"looking for {what} {name!r}")

    def close(self) -> None:
        """Unload the code. Its functions cannot be launched any more."""
        self.context._revoke_plans(module=self)
        super().close()


class Function:
    """A kernel of a module. It keeps the module loaded."""

    def __init__(self, module: Module, name: str, handle: int, signature: Signature | None) -> None:
        self.module = module
        self.name = name
        self.handle = handle
        self.context = module.context
        self._attributes: dict[int, int] = {}
        if self.context.driver.has("cuFuncLoad"):
            self.context.call("cuFuncLoad", handle)  # now, and not lazily in the middle of a capture
        sizes = self._parameter_sizes()
        if signature is not None and sizes is not None:
            self._check_signature(signature, sizes)
        if signature is None and sizes is not None:
            signature = signature_from_sizes(sizes)
        self.signature = signature
        self.context._names[handle] = self
        self._configs: dict[Any, Config] = {}  # launch configurations already checked
        self._slots: list[Slot] = []
        self._converters: list[Callable[[Any], Any] | None] | None = None

    def __repr__(self) -> str:
        return f"<Function {self.name}{self.signature or '(?)'}>"

    @property
    def attributes(self) -> FunctionAttributes:
        """Registers, memory and limits of the kernel."""
        return FunctionAttributes(*[self.attribute(number) for number in _ATTRIBUTES])

    def attribute(self, number: int) -> int:
        """One CUfunction_attribute."""
        value = self._attributes.get(number)
        if value is None:
            self.module._check_open()
            result = ctypes.c_int()
            self.context.call("cuFuncGetAttribute", ctypes.byref(result), int(number), self.handle)
            value = self._attributes[int(number)] = result.value
        return value

    def set_attribute(self, number: int, value: int) -> None:
        """Set a CUfunction_attribute, for all launches of this kernel."""
        self.module._check_open()
        self.context.call("cuFuncSetAttribute", self.handle, int(number), value)
        self._attributes.pop(int(number), None)

    def launch(
        self,
        grid: Any,
        block: Any,
        *args: Any,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
    ) -> None:
        """Queue one launch: *grid* CTAs of *block* threads (ints or up to three), *shared* bytes of dynamic memory.

        *cluster* is in CTAs, and so is *grid*. Raises LaunchConfigError for what the device or the kernel does not
        allow, the argument errors of `Signature.convert`, and the driver's. Nothing is sent before all is checked.
        """
        launch(self, grid, block, args, shared, stream, cluster, cooperative)

    def bind(
        self,
        grid: Any,
        block: Any,
        *,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
    ) -> Launcher:
        """A callable that launches with this configuration, checked once: ``launcher(*args)``. The quickest way in, and
        quickest with a stream of one's own. Threads may share it.
        """
        return bind(self, grid, block, shared, stream, cluster, cooperative)

    def _parameter_sizes(self) -> list[int] | None:
        """Bytes of each parameter, from the driver; None before CUDA 12.4."""
        if not self.context.driver.has("cuFuncGetParamInfo"):
            return None
        sizes: list[int] = []
        offset, size = ctypes.c_size_t(), ctypes.c_size_t()
        while True:
            args = (self.handle, len(sizes), ctypes.byref(offset), ctypes.byref(size))
            code = self.context._try("cuFuncGetParamInfo", *args)
            if code == _INVALID_VALUE:
                self.context.driver.new_log()
                return sizes
            if code:
                raise self.context._error("cuFuncGetParamInfo", code, args)
            sizes.append(size.value)

    def _check_signature(self, signature: Signature, sizes: list[int]) -> None:
        told = [param.size for param in signature.params]
        if told != sizes:
            raise ArgumentError(
                f"the signature {self.name}{signature} has parameters of {told} bytes, the loaded code of {sizes}",
                hint="take the signature from the same program that the module was made from",
            )


def load_module(
    context: Context,
    image: str | bytes,
    signatures: Mapping[str, Signature],
    line_map: Callable[[int], str | None] | None,
    options: Mapping[Any, int],
) -> Module:
    """Load *image*; see `Context.load`."""
    data, ptx = _image(image)
    values = {int(option): int(value) for option, value in options.items()}
    reserved = sorted({_INFO_LOG, _INFO_LOG_SIZE, _ERROR_LOG, _ERROR_LOG_SIZE} & values.keys())
    if reserved:
        raise ArgumentError(f"JIT options {reserved} are the log buffers, which load() provides", hint="leave them out")
    values.setdefault(_LOG_VERBOSE, 1)
    code, handle, info, errors = _load(context, data, values, _LOG_BYTES)
    if code and len(errors) >= _LOG_BYTES - 2:
        code, handle, info, errors = _load(context, data, values, _LONG_LOG_BYTES)
    if code in JIT_CODES:
        raise context._error(
            "cuModuleLoadDataEx",
            code,
            log=errors,
            info=info,
            messages=jitlog.parse(errors),
            ptx=ptx,
            line_map=line_map,
        )
    if code:
        raise context._error("cuModuleLoadDataEx", code, detail=errors)
    return Module(context, handle, signatures, info, line_map)


def _load(context: Context, data: bytes, options: Mapping[int, int], log_bytes: int) -> tuple[int, int, str, str]:
    """One load: (code, module, info log, error log). Option values go into the pointer slots themselves."""
    info, errors = ctypes.create_string_buffer(log_bytes), ctypes.create_string_buffer(log_bytes)
    slots = {
        **options,
        _INFO_LOG: ctypes.addressof(info),
        _INFO_LOG_SIZE: log_bytes,
        _ERROR_LOG: ctypes.addressof(errors),
        _ERROR_LOG_SIZE: log_bytes,
    }
    keys = (ctypes.c_int * len(slots))(*slots)
    values = (ctypes.c_void_p * len(slots))(*slots.values())
    handle = ctypes.c_void_p()
    code = context._try("cuModuleLoadDataEx", ctypes.byref(handle), data, len(slots), keys, values)
    return code, handle.value or 0, _text(info), _text(errors)


def _text(buffer: Any) -> str:
    return str(buffer.value.decode(errors="replace"))


def _image(image: Any) -> tuple[bytes, str]:
    """(bytes for the driver, PTX text if it is PTX). The driver takes no length, so a short image would be read beyond
    its end: text is NUL-terminated, and a binary's own length is checked.
    """
    if isinstance(image, str):
        image = image.encode()
    elif not isinstance(image, bytes):
        try:
            image = bytes(memoryview(image))
        except TypeError:
            raise ArgumentTypeError(
                f"an image is PTX text or bytes, not {type(image).__name__}", hint="pass str, bytes, or a buffer"
            ) from None
    length = _binary_length(image)
    if length is None:
        if b"\0" in image.rstrip(b"\0"):
            raise ArgumentError(
                "PTX text with a NUL in it: the driver would stop there", hint="pass the whole text only"
            )
        return image, image.rstrip(b"\0").decode(errors="replace")
    if length > len(image):
        raise ArgumentError(
            f"the binary is truncated: its header promises {length} bytes, it has {len(image)}",
            hint="read the whole file",
        )
    return image, ""


def _binary_length(image: bytes) -> int | None:
    """Bytes that a cubin's or fatbin's header promises; None for anything else, which is text then."""
    if image[:4] == b"\x7fELF":
        if len(image) < 64:
            return 64
        sections = int.from_bytes(image[40:48], "little")  # e_shoff, e_shentsize * e_shnum
        return sections + int.from_bytes(image[58:60], "little") * int.from_bytes(image[60:62], "little")
    if image[:4] == b"\x50\xed\x55\xba":
        return int.from_bytes(image[6:8], "little") + int.from_bytes(image[8:16], "little")
    return None
