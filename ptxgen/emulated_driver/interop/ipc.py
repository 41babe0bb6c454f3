"""Memory and events of other processes, by the handles of cuIpcGetMemHandle and cuIpcGetEventHandle.

A handle names the process, and the file in memory that the allocation has been moved to; who opens it maps the same
file. An event needs no such thing: work runs when it is enqueued, so that what one process has recorded is over for
every other one.
"""

from __future__ import annotations

import mmap
import os
import struct
from itertools import count
from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_IPC_HANDLE_SIZE
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_handle, invalid_value
from ptxgen.emulated_driver.memory.addresses import Mapping, block_of, mappings
from ptxgen.emulated_driver.memory.allocation import Shared
from ptxgen.emulated_driver.memory.virtual import open_file
from ptxgen.emulated_driver.pointers import need, put_bytes, put_u64
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.streams.events import DISABLE_TIMING, INTERPROCESS, Event, events

if TYPE_CHECKING:
    from driver_ctypes.abi.structs import CUipcEventHandle, CUipcMemHandle

_MEMORY = struct.Struct("<8sQQQQQ")  # mark, process, descriptor, bytes, device, number of the file
_MEMORY_MARK, _EVENT_MARK = b"ptxgenM1", b"ptxgenE1"
_EVENT = struct.Struct("<8sQQ")  # mark, process, event
_LAZY_PEER_ACCESS = int(enums.CUipcMem_flags.LAZY_ENABLE_PEER_ACCESS)
_numbers = count(1)


def _file(number: int) -> str:
    return f"ptxgen-ipc-{number}"


@entry("cuIpcGetMemHandle")
def ipc_get_mem_handle(context: Context, out: int | None, address: int) -> None:
    """The handle is the whole allocation's. Its contents move to a file, so nothing may write it meanwhile."""
    need(out)
    block = block_of(address)
    allocation = block.allocation if block is not None else None
    if allocation is None or allocation.on_host or allocation.managed or allocation.pool or not allocation.kind:
        raise invalid_value(f"{address:#x} is not memory of cuMemAlloc")
    if allocation.size < mmap.PAGESIZE:
        raise Refusal(
            enums.CUresult.ERROR_NOT_SUPPORTED,
            f"{allocation.size} bytes: the CPU device shares allocations of a page ({mmap.PAGESIZE} bytes) or more",
        )
    number = 0
    if allocation.shared is None:
        number = next(_numbers)
        descriptor = open_file(_file(number), -(-allocation.size // mmap.PAGESIZE) * mmap.PAGESIZE)
        for stream in context.running():
            with stream.lock:  # another thread's work has come to its end
                pass
        allocation.lie_in(Shared(descriptor, owned=True))
        _numbers_of[descriptor] = number
    shared = allocation.shared
    assert shared is not None
    number = number or _numbers_of[shared.descriptor]
    device = allocation.device.ordinal
    data = _MEMORY.pack(_MEMORY_MARK, os.getpid(), shared.descriptor, allocation.size, device, number)
    put_bytes(out, data.ljust(CU_IPC_HANDLE_SIZE, b"\0"))


_numbers_of: dict[int, int] = {}  # descriptor -> number of its file


@entry("cuIpcOpenMemHandle_v2")
def ipc_open_mem_handle(context: Context, out: int | None, handle: CUipcMemHandle, flags: int) -> None:
    need(out)
    if flags != _LAZY_PEER_ACCESS:
        raise invalid_value(f"flags {flags}: 1 (peer access where it is needed)")
    mark, process, descriptor, size, ordinal, number = _MEMORY.unpack_from(bytes(handle.reserved))
    if mark != _MEMORY_MARK:
        raise invalid_value("this is not a handle of cuIpcGetMemHandle")
    if process == os.getpid():
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, "the memory is this process's own: use its address")
    path = f"/proc/{process}/fd/{descriptor}"
    try:
        known = os.readlink(path).startswith(f"/memfd:{_file(number)} ")
        opened = os.open(path, os.O_RDWR) if known else -1
    except OSError as error:
        raise Refusal(enums.CUresult.ERROR_MAP_FAILED, f"process {process} does not give its memory: {error}") from None
    if opened < 0:
        raise Refusal(enums.CUresult.ERROR_MAP_FAILED, f"process {process} has freed that memory")
    device = machine.device(ordinal)
    try:
        base = device.arena.reserve(size)
        device.arena.map_file(base, size, opened)
    finally:
        os.close(opened)
    Mapping(device, base, size, "opened memory").give_access(device, enums.CUmemAccess_flags.READWRITE)
    if context.device is not device:
        mappings[base].give_access(context.device, enums.CUmemAccess_flags.READWRITE)
    put_u64(out, base)


@entry("cuIpcCloseMemHandle")
def ipc_close_mem_handle(context: Context, address: int) -> None:
    mapping = mappings.get(address)
    if mapping is None or mapping.kind != "opened memory":
        raise invalid_value(f"{address:#x} is not memory of cuIpcOpenMemHandle")
    mapping.close()
    mapping.device.arena.release(address)


# --- events -----------------------------------------------------------------------------------------------------------


@entry("cuIpcGetEventHandle", needs=INIT)
def ipc_get_event_handle(out: int | None, handle: int | None) -> None:
    need(out, handle)
    event = events.get(handle)
    if not event.flags & INTERPROCESS:
        raise invalid_handle("event made for other processes", handle)
    put_bytes(out, _EVENT.pack(_EVENT_MARK, os.getpid(), event.handle).ljust(CU_IPC_HANDLE_SIZE, b"\0"))


@entry("cuIpcOpenEventHandle")
def ipc_open_event_handle(context: Context, out: int | None, handle: CUipcEventHandle) -> None:
    need(out)
    mark, process, _number = _EVENT.unpack_from(bytes(handle.reserved))
    if mark != _EVENT_MARK:
        raise Refusal(enums.CUresult.ERROR_MAP_FAILED, "this is not a handle of cuIpcGetEventHandle")
    if process == os.getpid():
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, "the event is this process's own")
    put_u64(out, Event(context, INTERPROCESS | DISABLE_TIMING).handle)
