"""cuLogs*: the log for callers, and error names and texts."""

from __future__ import annotations

import ctypes
from itertools import count

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import NOTHING, entry
from ptxgen.emulated_driver.errors.log import log
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import get_u32, get_u64, need, put_u32, put_u64, texts

_ERROR = 0  # CUlogLevel
_handles = count(1)

_MAX_DUMP = 25600  # bytes that cuLogsDumpToMemory gives at most (header of 12.9)


@entry("cuGetErrorName", needs=NOTHING)
def get_error_name(error: int, text: int | None) -> None:
    _put_text(error, 0, text)


@entry("cuGetErrorString", needs=NOTHING)
def get_error_string(error: int, text: int | None) -> None:
    _put_text(error, 1, text)


def _put_text(error: int, which: int, text: int | None) -> None:
    from ptxgen.emulated_driver.errors.results import RESULTS

    found = RESULTS.get(error)
    put_u64(text, texts.address(found[which]) if found else 0)
    if found is None:
        raise invalid_value(f"{error} is not a CUresult")


@entry("cuLogsCurrent", needs=NOTHING)
def logs_current(iterator: int | None, flags: int) -> None:
    put_u32(iterator, log.next & 0xFFFFFFFF)


@entry("cuLogsDumpToMemory", needs=NOTHING)
def logs_dump_to_memory(iterator: int | None, buffer: int | None, size: int | None, flags: int) -> None:
    """The entries since the iterator, or all; the iterator moves on. A buffer that is too small gets nothing."""
    need(buffer, size)
    assert buffer is not None
    assert size is not None
    entries, after = log.since(get_u32(iterator) if iterator else 0)
    room = min(get_u64(size), _MAX_DUMP)
    text = "".join(entries).encode()
    while len(text) >= _MAX_DUMP and entries:  # the newest ones, as the driver does
        entries.pop(0)
        text = "".join(entries).encode()
    if len(text) >= room:
        put_u64(size, 0)
        raise Refusal(enums.CUresult.ERROR_INVALID_VALUE)
    ctypes.memmove(buffer, text + b"\0", len(text) + 1)
    put_u64(size, len(text))
    if iterator:
        put_u32(iterator, after & 0xFFFFFFFF)


@entry("cuLogsDumpToFile", needs=NOTHING)
def logs_dump_to_file(iterator: int | None, path: bytes | None, flags: int) -> None:
    if not path:
        raise invalid_value("no file name")
    entries, after = log.since(get_u32(iterator) if iterator else 0)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(entries)
    except OSError as error:
        raise Refusal(enums.CUresult.ERROR_OPERATING_SYSTEM, str(error)) from None
    if iterator:
        put_u32(iterator, after & 0xFFFFFFFF)


@entry("cuLogsRegisterCallback", needs=NOTHING)
def logs_register_callback(function: int | None, data: int | None, out: int | None) -> None:
    """The function is called with every entry, in the thread whose call made it."""
    need(function, out)
    assert function is not None
    listener = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)
    call, handle = listener(function), next(_handles)
    log.listeners[handle] = lambda text: call(data, _ERROR, text, len(text))
    put_u64(out, handle)


@entry("cuLogsUnregisterCallback", needs=NOTHING)
def logs_unregister_callback(handle: int | None) -> None:
    if log.listeners.pop(handle or 0, None) is None:
        raise invalid_value(f"{handle or 0:#x} is not a callback of the log")
