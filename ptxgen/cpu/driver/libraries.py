"""Libraries: programs without a context. A kernel of one becomes a function in each context that uses it."""

from __future__ import annotations

from driver_ctypes.abi.enums import CUjit_option
from ptxgen.cpu.driver.jit import JitRefusal, Options, Source, info_log, parse, read_image
from ptxgen.cpu.driver.modules import Function, Module, functions, put_variable, read_file
from ptxgen.cpu.driver.pointers import need, put_i32, put_u32, put_u64, texts
from ptxgen.cpu.driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.cpu.driver.state import Context, Handles, machine, thread
from ptxgen.cpu.driver.table import INIT, entry


class Library:
    """A legal program, and its module in each context that has asked for it."""

    def __init__(self, source: Source | None, refusal: JitRefusal | None) -> None:
        self._source = source
        self._refusal = refusal
        self.modules: dict[int, Module] = {}  # by context id: a context that was reset is another one
        self.kernels: dict[str, Kernel] = {}
        self.handle = libraries.add(self)

    @property
    def source(self) -> Source:
        """Refused when the program is: loading a library succeeds, using it does not."""
        if self._source is None:
            assert self._refusal is not None
            raise JitRefusal(self._refusal.code, self._refusal.error_log)
        return self._source

    def module(self, context: Context) -> Module:
        with context.lock:
            if context.id not in self.modules:
                self.modules[context.id] = Module(context, self.source, counted=False)
            return self.modules[context.id]

    def kernel(self, name: str) -> Kernel:
        if name not in {entry.name for entry in self.source.module.entries}:
            raise Refusal(CUresult.ERROR_NOT_FOUND, f"no kernel {name!r} in the library")
        return self.kernels.get(name) or self.kernels.setdefault(name, Kernel(self, name))

    def close(self) -> None:
        for module in self.modules.values():
            if module.program is not None:
                module.close()
        for kernel in self.kernels.values():
            kernels.discard(kernel.handle)


class Kernel:
    """A kernel of a library; what is set on it holds for its functions."""

    def __init__(self, library: Library, name: str) -> None:
        self.library = library
        self.name = name
        self.handle = kernels.add(self)

    def function(self, context: Context) -> Function:
        return self.library.module(context).function(self.name)


libraries: Handles[Library] = Handles("library")
kernels: Handles[Kernel] = Handles("kernel", counted=False)


def function_of(context: Context, handle: int | None) -> Function:
    """A function, or the current context's function of a kernel: launches take both."""
    found = functions.find(handle)
    if found is not None:
        return found
    kernel = kernels.find(handle)
    return kernel.function(context) if kernel is not None else functions.get(handle)


def _load(out: int | None, image: bytes, options: Options) -> None:
    """A program that is refused gives a library all the same, as with the real driver: the log says why, and its use
    fails.
    """
    try:
        source = parse(image)
    except JitRefusal as refusal:
        options.write_logs("", refusal.error_log, 0.0)
        if refusal.code != CUresult.ERROR_INVALID_PTX:
            raise
        put_u64(out, Library(None, refusal).handle)
        return
    library = Library(source, None)
    info = ""
    if options.flag(CUjit_option.LOG_VERBOSE) and thread.stack:  # registers are known once it is compiled
        program = library.module(thread.current()).program
        assert program is not None
        info = info_log(source, program)
    options.write_logs(info, "", source.seconds)
    put_u64(out, library.handle)


@entry("cuLibraryLoadData", needs=INIT)
def library_load_data(
    out: int | None, image: int | None, jit: int | None, jit_values: int | None, jit_number: int,
    options: int | None, values: int | None, number: int,
) -> None:  # fmt: skip
    need(out)
    if number:
        need(options)
    _load(out, read_image(image), Options(jit_number, jit, jit_values))


@entry("cuLibraryLoadFromFile", needs=INIT)
def library_load_from_file(
    out: int | None, name: bytes | None, jit: int | None, jit_values: int | None, jit_number: int,
    options: int | None, values: int | None, number: int,
) -> None:  # fmt: skip
    need(out)
    _load(out, read_file(name), Options(jit_number, jit, jit_values))


@entry("cuLibraryUnload", needs=INIT, unsafe=True)
def library_unload(handle: int | None) -> None:
    libraries.remove(handle).close()


@entry("cuLibraryGetKernel", needs=INIT)
def library_get_kernel(out: int | None, handle: int | None, name: bytes | None) -> None:
    need(out)
    if not name:
        raise invalid_value("no kernel name")
    put_u64(out, libraries.get(handle).kernel(name.decode(errors="replace")).handle)


@entry("cuLibraryGetKernelCount", needs=INIT)
def library_get_kernel_count(out: int | None, handle: int | None) -> None:
    put_u32(out, len(libraries.get(handle).source.module.entries))


@entry("cuLibraryEnumerateKernels", needs=INIT)
def library_enumerate_kernels(out: int | None, room: int, handle: int | None) -> None:
    library = libraries.get(handle)
    need(out)
    assert out is not None
    for index, function in enumerate(library.source.module.entries[:room]):
        put_u64(out + 8 * index, library.kernel(function.name).handle)


@entry("cuLibraryGetModule")
def library_get_module(context: Context, out: int | None, handle: int | None) -> None:
    put_u64(out, libraries.get(handle).module(context).handle)


@entry("cuLibraryGetGlobal")
def library_get_global(
    context: Context, address: int | None, size: int | None, handle: int | None, name: bytes | None
) -> None:
    put_variable(libraries.get(handle).module(context), address, size, name)


@entry("cuKernelGetFunction")
def kernel_get_function(context: Context, out: int | None, handle: int | None) -> None:
    put_u64(out, kernels.get(handle).function(context).handle)


@entry("cuKernelGetLibrary", needs=INIT)
def kernel_get_library(out: int | None, handle: int | None) -> None:
    put_u64(out, kernels.get(handle).library.handle)


@entry("cuKernelGetName", needs=INIT)
def kernel_get_name(out: int | None, handle: int | None) -> None:
    put_u64(out, texts.address(kernels.get(handle).name))


def _on(handle: int | None, ordinal: int) -> Function:
    """The kernel's function in the context that is current, which must be the device's, else in the primary context."""
    device = machine.device(ordinal)
    kernel = kernels.get(handle)
    current = thread.stack[-1] if thread.stack else device.primary
    return kernel.function((current if current.device is device else device.primary).check())


@entry("cuKernelGetAttribute", needs=INIT)
def kernel_get_attribute(out: int | None, attribute: int, handle: int | None, ordinal: int) -> None:
    from ptxgen.cpu.driver.functions import get_attribute

    put_i32(out, get_attribute(_on(handle, ordinal), attribute))


@entry("cuKernelSetAttribute", needs=INIT)
def kernel_set_attribute(attribute: int, value: int, handle: int | None, ordinal: int) -> None:
    from ptxgen.cpu.driver.functions import set_attribute

    set_attribute(_on(handle, ordinal), attribute, value)


@entry("cuKernelSetCacheConfig", needs=INIT)
def kernel_set_cache_config(handle: int | None, config: int, ordinal: int) -> None:
    machine.device(ordinal)
    kernels.get(handle)
    if config not in range(4):
        raise invalid_value(f"cache configuration {config}: 0 to 3")


@entry("cuKernelGetParamInfo")
def kernel_get_param_info(
    context: Context, handle: int | None, index: int, offset: int | None, size: int | None
) -> None:
    from ptxgen.cpu.driver.functions import put_parameter

    put_parameter(kernels.get(handle).function(context), index, offset, size)
