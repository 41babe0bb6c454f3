"""The table: which symbols there are, and the C callbacks made from them, each on first use.

A driver function is a Python function with the C prototype's arguments (pointers as int or None), registered with
`entry`. It returns nothing on success and raises Refusal otherwise; no exception ever crosses into C.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from driver_ctypes.abi.functions import FUNCTIONS, prototype
from driver_ctypes.lifetime import renew_in_child
from ptxgen.emulated_driver import fault_injection
from ptxgen.emulated_driver.interrupts import deliver, is_end_of_callback, of_a_handler
from ptxgen.emulated_driver.logs import log
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.emulated_driver.rules import refuse_unsafe
from ptxgen.emulated_driver.state import machine, thread

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = 13000
"""What cuDriverGetVersion answers: functions of later CUDA versions are absent."""

NOTHING, INIT, CONTEXT = 0, 1, 2
"""What a function needs: nothing, cuInit, or a current context, which it gets as its first argument."""

_PER_THREAD = 2  # CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
_UNKNOWN = int(CUresult.ERROR_UNKNOWN)
_NO_ROOM = int(CUresult.ERROR_OPERATING_SYSTEM)  # what a call answers that Python has no stack for

_AREAS = (
    "contexts.device_queries", "contexts.context", "contexts.peer",
    "memory.allocation", "memory.managed", "memory.virtual", "memory.pools", "memory.tensormaps", "memory.copies",
    "memory.batches",
    "streams.stream", "streams.events", "streams.capture", "streams.memops",
    "modules.loading", "modules.functions", "modules.libraries", "modules.linker",
    "launch.kernels", "launch.occupancy",
    "graphs.editing", "graphs.drawing", "graphs.memory", "graphs.conditionals", "graphs.nodes", "graphs.params",
    "graphs.attributes", "graphs.executables", "graphs.updates", "graphs.userobjects",
    "interop.ipc", "interop.semaphores",
    "logs_api", "legacy",
)  # fmt: skip

F = TypeVar("F", bound="Callable[..., None]")


class Entry(NamedTuple):
    function: Callable[..., None]
    needs: int
    unsafe: bool


ENTRIES: dict[str, Entry] = {}


def entry(symbol: str, *, needs: int = CONTEXT, unsafe: bool = False) -> Callable[[F], F]:
    """Registers a driver function under its exported symbol.

    `unsafe`: it may not be called while a capture of the wrong mode goes on ("potentially unsafe API call").
    """

    def register(function: F) -> F:
        ENTRIES[symbol] = Entry(function, needs, unsafe)
        return function

    return register


# --- from C and back --------------------------------------------------------------------------------------------------


def _callback(symbol: str) -> Any:
    """A C function pointer for an entry. All checks that are the same everywhere are here."""
    function, needs, unsafe = ENTRIES[symbol]

    def call(*args: Any) -> int:
        try:
            try:
                if fault_injection.active or fault_injection.counts:
                    fault_injection.strike(symbol)
                if needs:
                    if not machine.ready:
                        raise Refusal(CUresult.ERROR_NOT_INITIALIZED, machine.why_not_ready)
                    if thread.in_host_function:
                        raise Refusal(CUresult.ERROR_NOT_PERMITTED, "a host function may not call the driver")
                if unsafe and machine.captures:
                    refuse_unsafe()
                if needs == CONTEXT:
                    function(thread.current(), *args)
                else:
                    function(*args)
            except Refusal as refusal:
                return _refused(symbol, refusal)
            except Exception as error:
                if of_a_handler(error):
                    raise
                return _failed(symbol, error)
            return 0
        except RecursionError:  # there is no room for a word about it, nor for any other call
            return _NO_ROOM
        except BaseException as error:
            try:
                return _left(symbol, error)
            except RecursionError:
                return _NO_ROOM

    is_end_of_callback(call)
    return prototype(symbol)(call)


def _refused(symbol: str, refusal: Refusal) -> int:
    if refusal.code != CUresult.ERROR_NOT_READY:
        log.refused(symbol, refusal.code, refusal.text)
    return refusal.code


def _failed(symbol: str, error: Exception) -> int:
    """An exception that no driver function should raise: told in the log, never lost."""
    if isinstance(error, MemoryError):
        return _refused(symbol, Refusal(CUresult.ERROR_OUT_OF_MEMORY, str(error)))
    import traceback

    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return _refused(symbol, Refusal(CUresult.ERROR_UNKNOWN, f"the emulated driver failed:\n{text}"))


def _left(symbol: str, error: BaseException) -> int:
    """What a signal handler has raised, KeyboardInterrupt and SystemExit cannot cross C; the caller gets them all the same."""
    log.refused(symbol, CUresult.ERROR_UNKNOWN, f"the call was ended by {type(error).__name__}")
    deliver(error)
    return _UNKNOWN


def _twin(symbol: str) -> Any:
    """The same for the form of a function for which a null stream is the calling thread's own."""
    plain = _callback(symbol)

    def call(*args: Any) -> int:
        before, thread.own_stream = thread.own_stream, True
        try:
            code: int = plain(*args)
            return code
        finally:
            thread.own_stream = before

    is_end_of_callback(call)
    return prototype(symbol)(call)


is_end_of_callback(_left)
_callbacks: dict[str, Any] = {}
_lock = threading.RLock()
renew_in_child(globals(), "_lock", threading.RLock)
_TWINS = ("_ptsz", "_ptds")


@cache
def _areas() -> None:
    """Imports the files of the areas, which fill ENTRIES."""
    for area in _AREAS:
        import_module(f"ptxgen.emulated_driver.{area}")


def address_of(symbol: str, version: int = VERSION) -> int:
    """The address of a driver function, or with the suffix that its row has, of the form whose null stream is the
    thread's own; 0 when it is not offered, or newer than this driver.
    """
    base, suffix = (symbol[:-5], symbol[-5:]) if symbol.endswith(_TWINS) else (symbol, "")
    with _lock:
        _areas()
        if base not in ENTRIES or FUNCTIONS[base].version > VERSION or suffix[1:] not in ("", FUNCTIONS[base].suffix):
            return 0
        if symbol not in _callbacks:
            _callbacks[symbol] = _twin(base) if suffix else _callback(base)
    return ctypes.cast(_callbacks[symbol], ctypes.c_void_p).value or 0


def open_driver() -> Callable[[str, int], int]:
    """The factory for `driver_ctypes.register_driver`: a function from (symbol, version) to an address, or 0.

    There is one emulated driver in a process, as there is one libcuda: every call gives the same one.
    """
    return address_of


@entry("cuGetProcAddress_v2", needs=NOTHING)
def get_proc_address(symbol: bytes | None, pfn: int | None, version: int, flags: int, found: int | None) -> None:
    """The newest function of that name that is not newer than the version asked for."""
    if symbol is None or not pfn or flags not in (0, 1, 2) or version > VERSION:
        if found:
            ctypes.c_int32.from_address(found).value = 1
        raise invalid_value(f"cuGetProcAddress takes a name, a place, a version up to {VERSION} and flags 0, 1 or 2")
    _areas()
    name = symbol.decode(errors="replace")
    known = [spec for spec in FUNCTIONS.values() if spec.name == name and address_of(spec.symbol)]
    twins = flags == _PER_THREAD
    fit = [spec for spec in known if (spec.ptds if twins and spec.suffix else spec.version) <= version]
    best = max(fit, key=lambda spec: spec.version, default=None)
    suffix = f"_{best.suffix}" if best and twins and best.suffix else ""
    ctypes.c_uint64.from_address(pfn).value = address_of(best.symbol + suffix) if best else 0
    if found:
        ctypes.c_int32.from_address(found).value = 0 if best else 2 if known else 1
