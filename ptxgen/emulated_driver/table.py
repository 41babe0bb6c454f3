"""The table: which symbols there are, and the C callbacks made from them, each on first use.

The functions stand in the rooms that `_AREAS` names, registered with `calls.registry.entry`.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import enums
from driver_ctypes.abi.functions import FUNCTIONS
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.primitives import RLock, cache
from driver_ctypes.typing import TYPE_CHECKING, Any
from ptxgen.emulated_driver.calls.callbacks import callback, per_thread_callback, unsupported_callback
from ptxgen.emulated_driver.calls.index import INDEX
from ptxgen.emulated_driver.calls.registry import ENTRIES, NOTHING, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.modules import keeping  # noqa: F401  (whoever compiles or verifies from now on keeps it)
from ptxgen.emulated_driver.state.machine import VERSION, driver_version

if TYPE_CHECKING:
    from collections.abc import Callable

_AREAS = (
    "contexts.device_queries", "contexts.notifications", "contexts.context", "contexts.peer", "logs_api",
    "streams.stream", "streams.events", "streams.capture", "streams.green",
    "memory.device_memory", "memory.host_memory", "memory.pointer_attributes", "memory.managed", "memory.virtual",
    "memory.pools", "memory.pool_sharing", "memory.tensormaps", "memory.copies", "memory.batches", "memory.memops",
    "memory.arrays", "memory.textures", "memory.multicast",
    "modules.loading", "modules.references", "modules.functions", "modules.libraries", "modules.linker",
    "interop.ipc", "interop.semaphores",
    "launch.kernels", "launch.occupancy",
    "graphs.editing", "graphs.drawing", "graphs.memory", "graphs.conditionals", "graphs.nodes", "graphs.params",
    "graphs.attributes", "graphs.executables", "graphs.updates", "graphs.userobjects",
    "legacy", "export_tables",
)  # fmt: skip

OLDER_NAMES = {
    f"cu{name}": f"cu{name}_v2"
    for name in (
        "CtxCreate", "CtxDestroy", "CtxPopCurrent", "CtxPushCurrent", "DeviceGetUuid", "DevicePrimaryCtxRelease",
        "DevicePrimaryCtxReset", "DevicePrimaryCtxSetFlags", "EventDestroy", "GraphInstantiate", "IpcOpenMemHandle",
        "LinkAddData", "LinkAddFile", "LinkCreate", "MemHostRegister", "StreamDestroy",
    )
}  # fmt: skip
"""Exports of older CUDA versions, and the newer ones that take the same arguments. Those whose addresses have 32 bits are not
offered: the device's have more."""

AREA_OF = {symbol: area for area, symbols in INDEX.items() for symbol in symbols.split()}
_callbacks: dict[str, Any] = {}
_addresses: dict[str, int] = {}
_for_python: dict[str, Any] = {}  # callbacks without machine code in front
_exported: Callable[[str], int] | None = None
_lock = RLock()
renew_in_child(globals(), "_lock", RLock)
_PER_THREAD_SUFFIXES = ("_ptsz", "_ptds")


@cache
def import_all() -> None:
    """Imports the files of the areas, which fill ENTRIES."""
    for area in _AREAS:
        __import__(f"ptxgen.emulated_driver.{area}")


def _is_offered(symbol: str) -> bool:
    """Is there such a function? Its file is imported, and no other: all of them take longer than the rest of a start. Where the
    index does not know it, every file is asked, so that a new function works before tools/index_driver.py has run."""
    if symbol not in ENTRIES:
        area = AREA_OF.get(symbol)
        if area is not None:
            __import__(f"ptxgen.emulated_driver.{area}")
        else:
            import_all()
    return symbol in ENTRIES


def _is_known(symbol: str) -> bool:
    """Is it offered, by the version that this driver states?"""
    return _is_offered(symbol) and FUNCTIONS[symbol].version <= driver_version()


def address_of(symbol: str, version: int = VERSION) -> int:
    """The address of a driver function, or with the suffix that its row has, of the form whose null stream is the
    thread's own; 0 when it is not offered, or newer than this driver.
    """
    symbol = OLDER_NAMES.get(symbol, symbol)
    base, suffix = (symbol[:-5], symbol[-5:]) if symbol.endswith(_PER_THREAD_SUFFIXES) else (symbol, "")
    with _lock:
        if not _is_known(base) or suffix[1:] not in ("", FUNCTIONS[base].suffix):
            return 0
        if symbol not in _addresses:
            from ptxgen.emulated_driver.calls.kept import in_front_of
            from ptxgen.emulated_driver.calls.stubs import answer_at_the_end, stub_for

            made = per_thread_callback(base) if suffix else callback(base)
            # where the stack has no room, none of the two is kept
            address = in_front_of(symbol, stub_for(made, answer_at_the_end(symbol)))
            _callbacks[symbol], _addresses[symbol] = made, address
        return _addresses[symbol]


def answer_exports(find: Callable[[str], int]) -> None:
    """Have cuGetProcAddress answer what a shared library exports: `find` gives an export's address, 0 where there is none."""
    global _exported
    _exported = find


def _answer(symbol: str) -> int:
    """What cuGetProcAddress answers for a symbol. NVIDIA's driver has every function of the headers: one that is not offered
    here answers NOT_SUPPORTED when it is called."""
    exported = _exported(symbol) if _exported is not None else 0
    if exported:
        return exported
    symbol = OLDER_NAMES.get(symbol, symbol)
    with _lock:
        if symbol not in _addresses and not address_of(symbol):
            from ptxgen.emulated_driver.calls.stubs import stub_for

            made = unsupported_callback(symbol)
            address = stub_for(made)
            _callbacks[symbol], _addresses[symbol] = made, address
        return _addresses[symbol]


_OPENING = frozenset({"cuInit", "cuDriverGetVersion", "cuLogsCurrent", "cuDeviceGetCount", "cuDeviceGet"})
"""What a client in Python calls to open a device."""


def resolve(symbol: str, version: int = VERSION) -> int:
    """`address_of` for a client in Python. The machine code in front of callbacks is for callers in C (`calls.stubs`), and takes
    half as long to load as all else that opens a device: there is none in front of what Python calls for that."""
    if symbol not in _OPENING:
        return address_of(symbol, version)
    with _lock:
        if not _is_known(symbol):
            return 0
        if symbol not in _for_python:
            _for_python[symbol] = callback(symbol)
        return ctypes.cast(_for_python[symbol], ctypes.c_void_p).value or 0


def open_driver() -> Callable[[str, int], int]:
    """The factory for `driver_ctypes.register_driver`: a function from (symbol, version) to an address, or 0.

    There is one emulated driver in a process, as there is one libcuda: every call gives the same one.
    """
    return resolve


resolve.compiles_on_demand = True  # type: ignore[attr-defined]  # of modules, kernel by kernel
open_driver.foreign_pointers = False  # type: ignore[attr-defined]  # its memory is not CUDA memory


@entry("cuGetProcAddress_v2", needs=NOTHING)
def get_proc_address(symbol: bytes | None, pfn: int | None, version: int, flags: int, found: int | None) -> None:
    """The newest function of that name that is not newer than the version asked for; an export that no row has, older still."""
    query = enums.CUdriverProcAddressQueryResult
    if symbol is None or not pfn or flags not in set(enums.CUdriverProcAddress_flags) or version > driver_version():
        if found:
            ctypes.c_int32.from_address(found).value = query.SYMBOL_NOT_FOUND
        raise invalid_value(
            f"cuGetProcAddress takes a name, a place, a version up to {driver_version()} and flags 0, 1 or 2"
        )
    name = symbol.decode(errors="replace")
    known = [spec for spec in FUNCTIONS.values() if spec.name == name and spec.version <= driver_version()]
    per_thread = flags == enums.CUdriverProcAddress_flags.PER_THREAD_DEFAULT_STREAM
    fit = [spec for spec in known if (spec.ptds if per_thread and spec.suffix else spec.version) <= version]
    best = max(fit, key=lambda spec: spec.version, default=None)
    suffix = f"_{best.suffix}" if best and per_thread and best.suffix else ""
    older = 0
    if best is None and name in OLDER_NAMES:
        older = _answer(name)
    elif _exported is not None and not known:
        older = _exported(name)  # of interfaces that have no row: OpenGL, EGL, VDPAU
    ctypes.c_uint64.from_address(pfn).value = _answer(best.symbol + suffix) if best else older
    if found:
        answer = query.VERSION_NOT_SUFFICIENT if known else query.SYMBOL_NOT_FOUND
        ctypes.c_int32.from_address(found).value = query.SUCCESS if best or older else answer


@entry("cuGetProcAddress", needs=NOTHING)
def get_proc_address_v1(symbol: bytes | None, pfn: int | None, version: int, flags: int) -> None:
    """As the newer one, which says what it found: a name that there is not is an error here."""
    get_proc_address(symbol, pfn, version, flags, None)
    if not pfn or not ctypes.c_uint64.from_address(pfn).value:
        name = (symbol or b"").decode(errors="replace")
        raise Refusal(enums.CUresult.ERROR_NOT_FOUND, f"no function {name!r} of version {version} or older")
