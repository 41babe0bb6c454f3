"""Modules: programs loaded into a context, their functions and global variables."""

from __future__ import annotations

from driver_ctypes.abi import enums, numbers
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_handle, invalid_value
from ptxgen.emulated_driver.modules.images import is_binary
from ptxgen.emulated_driver.modules.images import read as read_image
from ptxgen.emulated_driver.modules.jit import JitRefusal, Options, Source, compile_source, info_log, parse, refusal_log
from ptxgen.emulated_driver.modules.parameters import Parameters
from ptxgen.emulated_driver.pointers import need, put_i32, put_u32, put_u64
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.record import recorded

if TYPE_CHECKING:
    from ptxgen.cpu import Kernel, LoadedProgram
    from ptxgen.cpu.request import Request
    from ptxgen.emulated_driver.state.shape import Fit
    from ptxgen.isa.products import Product

STATIC_LIMIT = 48 << 10  # bytes of shared memory without asking for more


def _dims(kernel: Kernel, name: str) -> tuple[int, int, int]:
    """A directive of up to three extents; (0, 0, 0) when it is not there."""
    given = kernel.bounds.get(name, ())
    x, y, z = [*given, *[1] * (3 - len(given))] if given else [0, 0, 0]
    return x, y, z


_FEWEST_REGISTERS, _MOST_REGISTERS = 24, 255


def _register_limit(kernel: Kernel, asked: int, product: Product) -> int:
    """As ptxas 13.0 has it: what the kernel itself says comes before the option that was `asked` for (0: none), which is raised
    to a lower bound, and not heeded where it is too large."""
    whole = product.target.registers_total
    x, y, z = _dims(kernel, "maxntid") if "maxntid" in kernel.bounds else _dims(kernel, "reqntid")
    threads = x * y * z or 1
    if "maxnreg" in kernel.bounds:
        limit = kernel.bounds["maxnreg"][0]
    elif "minnctapersm" in kernel.bounds:
        limit = whole // (threads * max(kernel.bounds["minnctapersm"][0], 1))
    else:
        limit = max(asked, _FEWEST_REGISTERS) if 0 < asked <= _MOST_REGISTERS else _MOST_REGISTERS
    return min(limit, max(whole // threads, _FEWEST_REGISTERS), _MOST_REGISTERS)


class Function:
    """A kernel in a context: what a launch needs, ready to use."""

    __slots__ = (
        "_max_dynamic", "carveout", "cluster", "cluster_must_be_set", "cluster_policy", "fit", "handle", "kernel",
        "largest_cluster", "max_threads", "module", "name", "non_portable", "parameters", "requests", "required_block",
    )  # fmt: skip

    def __init__(self, module: Module, name: str, kernel: Kernel) -> None:
        self.module = module
        self.name = name
        self.kernel = kernel
        self.required_block = _dims(kernel, "reqntid")
        bound = _dims(kernel, "maxntid")
        self.max_threads = bound[0] * bound[1] * bound[2] or 1024
        self.cluster = _dims(kernel, "reqnctapercluster")
        (self.largest_cluster,) = kernel.bounds.get("maxclusterrank", (0,))
        self.cluster_must_be_set = "explicitcluster" in kernel.bounds
        self._max_dynamic: int | None = None
        self.carveout = numbers.CUshared_carveout.DEFAULT
        self.non_portable = 0
        self.cluster_policy = numbers.CUclusterSchedulingPolicy.DEFAULT
        self.fit: dict[tuple[object, ...], Fit] = {}  # of launch shapes that were found legal
        self.requests: dict[tuple[object, ...], Request] = {}  # of them, for the executor
        self.parameters = Parameters(kernel.parameters, kernel.parameter_bytes)
        self.handle = functions.add(self)

    def forget_shapes(self) -> None:
        """What was found of launch shapes is not so any more."""
        self.fit.clear()
        self.requests.clear()

    @property
    def product(self) -> Product:
        """The device that it runs on."""
        return self.module.context.device.product

    @property
    def registers(self) -> int:
        """Of a thread."""
        return self.module.registers_of(self.name)

    @property
    def max_dynamic(self) -> int:
        """Bytes of dynamic shared memory that a launch may ask for: what the kernel leaves, unless somebody has set a number."""
        if self._max_dynamic is None:
            self._max_dynamic = max(STATIC_LIMIT - self.kernel.static_shared, 0)
        return self._max_dynamic

    @max_dynamic.setter
    def max_dynamic(self, nbytes: int) -> None:
        self._max_dynamic = nbytes

    @property
    def alive(self) -> bool:
        return self.module.program is not None


class Module:
    """A program in a context. Its functions get handles when they are first asked for."""

    def __init__(self, context: Context, source: Source, *, counted: bool = True, registers: int = 0) -> None:
        """registers: the most of a thread's, 0 where the source may say it."""
        self.context = context
        self.source = source
        self.registers = registers or source.registers
        device = context.device
        self.program: LoadedProgram | None = compile_source(source, device.arena, device.product)
        self.functions: dict[str, Function] = {}
        self.table = modules if counted else library_modules
        self.handle = self.table.add(self)
        context.modules[self.handle] = self

    @property
    def constant_bytes(self) -> int:
        return self.source.relocatable.outline.constant_bytes

    def registers_of(self, name: str) -> int:
        """What a thread of a kernel uses: an estimate, and no more than the kernel or the compiler's option allows."""
        assert self.program is not None
        kernel = self.program.kernels[name]
        return min(kernel.registers, _register_limit(kernel, self.registers, self.context.device.product))

    def function(self, name: str) -> Function:
        assert self.program is not None
        kernel = self.program.kernels.get(name)
        if name in self.program.refused:
            reasons = "; ".join(map(str, self.program.refused[name]))
            for each in recorded:
                each.refused(name, reasons)
            raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, f"kernel {name!r}: {reasons}")
        if kernel is None:
            known = ", ".join(sorted(self.program.kernels)) or "none"
            raise Refusal(enums.CUresult.ERROR_NOT_FOUND, f"no kernel {name!r} in the module; it has: {known}")
        with self.context.lock:
            if name not in self.functions:
                self.functions[name] = Function(self, name, kernel)
            return self.functions[name]

    def variable(self, name: str) -> tuple[int, int]:
        assert self.program is not None
        found = self.program.globals.get(name)
        if found is None:
            raise Refusal(enums.CUresult.ERROR_NOT_FOUND, f"no variable {name!r} in the module")
        return found

    def close(self) -> None:
        """Handles first, so that no new work begins; then what runs in other threads is waited for."""
        self.table.discard(self.handle)
        self.context.modules.pop(self.handle, None)
        for function in self.functions.values():
            functions.discard(function.handle)
        for stream in self.context.running():
            with stream.lock:
                pass
        program, self.program = self.program, None
        if program is not None:
            program.close()


modules: Handles[Module] = Handles("module")
library_modules: Handles[Module] = Handles("module of a library", counted=False)
functions: Handles[Function] = Handles("function", counted=False)


def module_of(handle: int | None) -> Module:
    found = modules.find(handle) or library_modules.find(handle)
    if found is None:
        raise invalid_handle("module", handle)
    return found


def load(context: Context, image: bytes, options: Options) -> Module:
    """The module, with logs written back whether it loads or not."""
    try:
        source = parse(image, product=context.device.product)
        module = Module(context, source, registers=options.registers)
    except JitRefusal as refusal:
        options.write_logs("", refusal.error_log, 0.0)
        raise
    options.write_logs(loading_log(module, options), "", source.seconds)
    return module


def loading_log(module: Module, options: Options) -> str:
    """The info log: kernels that are refused, and with LOG_VERBOSE what the others use."""
    assert module.program is not None
    refused = refusal_log(module.program)
    used = info_log(module.source, module.registers_of) if options.flag(numbers.CUjit_option.LOG_VERBOSE) else ""
    return "\n".join(filter(None, (refused, used)))


@entry("cuModuleLoadData")
def module_load_data(context: Context, out: int | None, image: int | None) -> None:
    module_load_data_ex(context, out, image, 0, None, None)


@entry("cuModuleLoadDataEx")
def module_load_data_ex(
    context: Context, out: int | None, image: int | None, number: int, options: int | None, values: int | None
) -> None:
    need(out)
    put_u64(out, load(context, read_image(image), Options(number, options, values)).handle)


@entry("cuModuleLoadFatBinary")
def module_load_fat_binary(context: Context, out: int | None, image: int | None) -> None:
    module_load_data_ex(context, out, image, 0, None, None)


def read_file(name: bytes | None) -> bytes:
    if not name:
        raise invalid_value("no file name")
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError as error:
        raise Refusal(enums.CUresult.ERROR_FILE_NOT_FOUND, str(error)) from None
    return data if is_binary(data) else data.partition(b"\0")[0] or b"\0"


@entry("cuModuleLoad")
def module_load(context: Context, out: int | None, name: bytes | None) -> None:
    need(out)
    put_u64(out, load(context, read_file(name), Options(0, None, None)).handle)


@entry("cuModuleUnload", needs=INIT, unsafe=True)
def module_unload(handle: int | None) -> None:
    if library_modules.find(handle) is not None:
        raise Refusal(enums.CUresult.ERROR_NOT_PERMITTED, "the module belongs to a library: unload that")
    module = modules.get(handle)
    module.context.check()
    modules.remove(handle)
    module.close()


@entry("cuModuleGetLoadingMode", needs=INIT)
def module_get_loading_mode(out: int | None) -> None:
    put_i32(out, enums.CUmoduleLoadingMode.EAGER_LOADING)


@entry("cuModuleGetFunction")
def module_get_function(context: Context, out: int | None, handle: int | None, name: bytes | None) -> None:
    need(out)
    module = module_of(handle)
    if not name:
        raise invalid_value("no function name")
    put_u64(out, module.function(name.decode(errors="replace")).handle)


def _names(module: Module) -> list[str]:
    assert module.program is not None
    return list(module.program.kernels)


@entry("cuModuleGetFunctionCount")
def module_get_function_count(context: Context, out: int | None, handle: int | None) -> None:
    put_u32(out, len(_names(module_of(handle))))


@entry("cuModuleEnumerateFunctions")
def module_enumerate_functions(context: Context, out: int | None, room: int, handle: int | None) -> None:
    module = module_of(handle)
    need(out)
    assert out is not None
    for index, name in enumerate(_names(module)[:room]):
        put_u64(out + 8 * index, module.function(name).handle)


def put_variable(module: Module, address: int | None, size: int | None, name: bytes | None) -> None:
    if not name or not (address or size):
        raise invalid_value("a name and a place for the address or the size are needed")
    found, nbytes = module.variable(name.decode(errors="replace"))
    if address:
        put_u64(address, found)
    if size:
        put_u64(size, nbytes)


@entry("cuModuleGetGlobal_v2")
def module_get_global(
    context: Context, address: int | None, size: int | None, handle: int | None, name: bytes | None
) -> None:
    put_variable(module_of(handle), address, size, name)
