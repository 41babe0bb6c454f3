"""Host memory: page-locked memory of the driver, and memory of the caller that is registered."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import (
    CU_MEMHOSTALLOC_DEVICEMAP,
    CU_MEMHOSTALLOC_PORTABLE,
    CU_MEMHOSTALLOC_WRITECOMBINED,
    CU_MEMHOSTREGISTER_DEVICEMAP,
    CU_MEMHOSTREGISTER_IOMEMORY,
    CU_MEMHOSTREGISTER_PORTABLE,
    CU_MEMHOSTREGISTER_READ_ONLY,
)
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import Registration, block_of, registration_of, registrations
from ptxgen.emulated_driver.memory.allocation import Allocation, owned
from ptxgen.emulated_driver.pointers import need, put_u32, put_u64
from ptxgen.emulated_driver.state.context import Context

_HOST_FLAGS = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED
# As recorded: the address space is one, so that all pinned memory is mapped.
_REPORTED_FLAGS = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED
_REGISTER_FLAGS = (
    CU_MEMHOSTREGISTER_PORTABLE
    | CU_MEMHOSTREGISTER_DEVICEMAP
    | CU_MEMHOSTREGISTER_IOMEMORY
    | CU_MEMHOSTREGISTER_READ_ONLY
)


@entry("cuMemHostAlloc", unsafe=True)
def mem_host_alloc(context: Context, out: int | None, size: int, flags: int) -> None:
    need(out)
    if flags & ~_HOST_FLAGS:
        raise invalid_value(f"flags {flags:#x}: the known ones are 1, 2 and 4")
    put_u64(out, Allocation(context, size, "host memory", flags=flags).base if size else 0)


@entry("cuMemAllocHost_v2", unsafe=True)
def mem_alloc_host(context: Context, out: int | None, size: int) -> None:
    mem_host_alloc(context, out, size, 0)


@entry("cuMemFreeHost", needs=INIT, unsafe=True)
def mem_free_host(address: int | None) -> None:
    if not address:
        return
    allocation = owned(address)
    if not allocation.on_host:
        raise invalid_value(f"{address:#x} is device memory: cuMemFree")
    allocation.context.check()
    allocation.release()


@entry("cuMemHostRegister_v2", unsafe=True)
def mem_host_register(context: Context, address: int | None, size: int, flags: int) -> None:
    if not address or not size or flags & ~_REGISTER_FLAGS:
        raise invalid_value("a pointer, a size and flags 1, 2, 4, 8 are needed")
    inside = block_of(address)
    if inside is not None and not (inside.allocation and inside.allocation.on_host):
        raise invalid_value(f"{address:#x} is device memory")
    if any(address < r.base + r.size and r.base < address + size for r in list(registrations.values())) or block_of(
        address
    ):
        raise Refusal(enums.CUresult.ERROR_HOST_MEMORY_ALREADY_REGISTERED, f"{address:#x} is registered already")
    Registration(address, size, flags, context).open()


@entry("cuMemHostUnregister", needs=INIT, unsafe=True)
def mem_host_unregister(address: int | None) -> None:
    if not address:
        raise invalid_value("the pointer is null")
    known = registrations.get(address)
    if known is None:
        inside = registration_of(address)
        raise (
            invalid_value(f"the memory was registered at {inside.base:#x}")
            if inside
            else Refusal(enums.CUresult.ERROR_HOST_MEMORY_NOT_REGISTERED, f"{address:#x} is not registered")
        )
    known.release()


@entry("cuMemHostGetDevicePointer_v2")
def mem_host_get_device_pointer(context: Context, out: int | None, address: int | None, flags: int) -> None:
    if flags or not address:
        raise invalid_value("flags must be 0 and the pointer not null")
    block = block_of(address)
    pinned = block is not None and block.allocation is not None and block.allocation.on_host
    if not pinned and registration_of(address) is None:
        raise invalid_value(f"{address:#x} is not pinned host memory")
    put_u64(out, address)


@entry("cuMemHostGetFlags")
def mem_host_get_flags(context: Context, out: int | None, address: int | None) -> None:
    block = block_of(address or 0)
    known = registration_of(address or 0)
    if block is not None and block.allocation is not None and block.allocation.on_host:
        put_u32(out, (block.allocation.flags | CU_MEMHOSTALLOC_DEVICEMAP) & _REPORTED_FLAGS)
    elif known is not None:
        put_u32(out, known.flags)
    else:
        raise invalid_value(f"{address or 0:#x} is not pinned host memory")
