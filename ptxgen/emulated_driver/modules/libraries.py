"""Libraries: programs without a context. A kernel of one becomes a function in each context that uses it."""

from __future__ import annotations

from driver_ctypes.abi import enums, numbers
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.modules.images import read as read_image
from ptxgen.emulated_driver.modules.jit import JitRefusal, Options, Source, parse
from ptxgen.emulated_driver.modules.loading import Function, Module, functions, loading_log, put_variable, read_file
from ptxgen.emulated_driver.pointers import i32_array, need, put_u32, put_u64, texts
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.thread import thread

_OPTIONS = (numbers.CUlibraryOption.HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE, numbers.CUlibraryOption.BINARY_IS_PRESERVED)


class Library:
    """A legal program, and its module in each context that has asked for it."""

    def __init__(self, registers: int) -> None:
        """registers: as `Module` has them."""
        self.registers = registers
        self.source: Source | None = None
        self.refusal: JitRefusal | None = None
        self.modules: dict[int, Module] = {}  # by context id: a context that was reset is another one
        self.kernels: dict[str, Kernel] = {}
        self.handle = libraries.add(self)

    def entries(self) -> list[str]:
        """The names of its kernels; none when the program was refused."""
        return [f.name for f in self.source.module.entries] if self.source and not self.refusal else []

    def module(self, context: Context) -> Module:
        with context.lock:
            if context.id not in self.modules:
                self.modules[context.id] = Module(context, self.legal(), counted=False, registers=self.registers)
            return self.modules[context.id]

    def legal(self) -> Source:
        """The program; raises what the compiler said of it."""
        if self.refusal is not None:
            raise JitRefusal(self.refusal.code, self.refusal.error_log)
        assert self.source is not None
        return self.source

    def kernel(self, name: str) -> Kernel:
        self.legal()
        if name not in self.entries():
            raise Refusal(enums.CUresult.ERROR_NOT_FOUND, f"no kernel {name!r} in the library")
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
    """Succeeds whatever the image is, as with the real driver: the log says what is wrong."""
    library = Library(options.registers)
    put_u64(out, library.handle)
    try:
        library.source = parse(image)
        module = library.module(thread.stack[-1]) if thread.stack and thread.stack[-1].alive else None
    except JitRefusal as refusal:
        library.refusal = refusal
        options.write_logs("", refusal.error_log, 0.0)
        return
    options.write_logs(loading_log(module, options) if module is not None else "", "", library.source.seconds)


@entry("cuLibraryLoadData", needs=INIT)
def library_load_data(
    out: int | None, image: int | None, jit: int | None, jit_values: int | None, jit_number: int,
    options: int | None, values: int | None, number: int,
) -> None:  # fmt: skip
    need(out)
    if number:
        need(options)
    if any(option not in _OPTIONS for option in i32_array(options, number)):
        raise invalid_value("a library option is unknown: 0 and 1 are known")
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
    put_u32(out, len(libraries.get(handle).entries()))


@entry("cuLibraryEnumerateKernels", needs=INIT)
def library_enumerate_kernels(out: int | None, room: int, handle: int | None) -> None:
    library = libraries.get(handle)
    need(out)
    assert out is not None
    for index, name in enumerate(library.entries()[:room]):
        put_u64(out + 8 * index, library.kernel(name).handle)


@entry("cuLibraryGetModule")
def library_get_module(context: Context, out: int | None, handle: int | None) -> None:
    put_u64(out, libraries.get(handle).module(context).handle)


@entry("cuLibraryGetGlobal")
def library_get_global(
    context: Context, address: int | None, size: int | None, handle: int | None, name: bytes | None
) -> None:
    put_variable(libraries.get(handle).module(context), address, size, name)


@entry("cuLibraryGetManaged", needs=INIT)
def library_get_managed(address: int | None, size: int | None, handle: int | None, name: bytes | None) -> None:
    library = libraries.get(handle)
    if not name or not (address or size):
        raise invalid_value("a name and a place for the address or the size are needed")
    text = name.decode(errors="replace")
    declared = {v.name: v for v in library.legal().module.variables}
    if text not in declared or "managed" not in declared[text].attributes:
        raise Refusal(enums.CUresult.ERROR_NOT_FOUND, f"no managed variable {text!r} in the library")
    put_variable(library.module(_anywhere(library)), address, size, name)


def _anywhere(library: Library) -> Context:
    """The context whose module has the library's managed variables: there is one of each for all."""
    return (
        next((module.context for module in library.modules.values() if module.context.alive), None) or thread.current()
    )


@entry("cuLibraryGetUnifiedFunction", needs=INIT)
def library_get_unified_function(out: int | None, handle: int | None, name: bytes | None) -> None:
    """The executor gives no function an address, so no library has any of these."""
    libraries.get(handle)
    need(out)
    raise invalid_value("library does not have unified functions/data")


@entry("cuKernelGetFunction")
def kernel_get_function(context: Context, out: int | None, handle: int | None) -> None:
    put_u64(out, kernels.get(handle).function(context).handle)


@entry("cuKernelGetLibrary", needs=INIT)
def kernel_get_library(out: int | None, handle: int | None) -> None:
    put_u64(out, kernels.get(handle).library.handle)


@entry("cuKernelGetName", needs=INIT)
def kernel_get_name(out: int | None, handle: int | None) -> None:
    need(handle)
    put_u64(out, texts.address(kernels.get(handle).name))
