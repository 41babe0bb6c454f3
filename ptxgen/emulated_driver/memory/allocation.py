"""Device and host memory: allocation, what an address is, and its attributes.

Device addresses are host addresses inside the device's arena. Pinned host memory comes from the arena too, so
kernels can reach it; memory of the caller that is registered cannot be reached by kernels, and is refused a device
pointer.
"""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.abi.enums import CUmemorytype, CUpointer_attribute
from ptxgen.emulated_driver.pointers import get_u32, i32_array, need, put_i32, put_u32, put_u64, u64_array
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.emulated_driver.state import Context, Device, Registration, machine, registrations
from ptxgen.emulated_driver.table import INIT, entry

if TYPE_CHECKING:
    from collections.abc import Callable

PITCH = 512  # bytes: what rows of cuMemAllocPitch are aligned to
_HOST_FLAGS = 1 | 2 | 4  # portable, mapped, write-combined
_REGISTER_FLAGS = 1 | 2 | 4 | 8  # portable, mapped, io memory, read-only


class Shared(NamedTuple):
    """The file behind memory that other processes may map: a memfd of this process, and where in it."""

    descriptor: int
    offset: int = 0
    owned: bool = False
    """Is the file closed with the memory?"""


class Allocation:
    """A block that a caller asked for. `kind` is how live_handles() counts it; "" for the driver's own.

    A block of a page or more shares no page with another, so that it can be given a file to lie in.
    """

    __slots__ = (
        "base", "context", "device", "flags", "kind", "managed", "on_release", "pool", "released", "shared", "size",
        "sync_operations",
    )  # fmt: skip

    def __init__(
        self, context: Context, size: int, kind: str = "memory", *, flags: int = 0, managed: bool = False, pool: int = 0,
        pages: bool = False,
    ) -> None:  # fmt: skip
        self.context = context
        self.device = context.device
        self.size = size
        self.kind = kind
        self.flags = flags
        self.managed = managed
        self.pool = pool
        self.released = False
        self.shared: Shared | None = None
        self.on_release: Callable[[Allocation], None] | None = None
        self.sync_operations = 0
        device = context.device
        refuse_beyond(device, size)
        self.base = device.arena.allocate(size, mmap.PAGESIZE if pages or size >= mmap.PAGESIZE else 256)
        device.allocations[self.base] = context.allocations[self.base] = self

    @property
    def on_host(self) -> bool:
        return self.kind == "host memory"

    def lie_in(self, shared: Shared, *, keep: bool = True) -> None:
        """The block shows a file's contents from now on; with `keep`, its own contents go there first."""
        if keep:
            os.pwrite(shared.descriptor, self.device.arena.raw(self.base, self.size), shared.offset)
        self.device.arena.map_file(self.base, self.size, shared.descriptor, shared.offset)
        self.shared = shared

    def release(self) -> None:
        """Gives the block back. Of two threads that try, one fails."""
        if self.device.allocations.pop(self.base, None) is None:
            raise invalid_value(f"{self.base:#x} is no live allocation")
        self.released = True
        self.context.allocations.pop(self.base, None)
        if self.on_release is not None:
            self.on_release(self)
        if self.shared is not None:
            self.device.arena.unmap_file(self.base, self.size)
            if self.shared.owned:
                os.close(self.shared.descriptor)
        self.device.arena.free(self.base)


def refuse_beyond(device: Device, size: int) -> None:
    """Refuses more memory than the device has left."""
    free = device.total_memory - device.used_memory
    if size > free:
        raise Refusal(CUresult.ERROR_OUT_OF_MEMORY, f"{size} bytes asked for, {free} of {device.total_memory} are free")


class Mapping:
    """Memory at reserved addresses: a piece of cuMemMap, or another process's that was opened here.

    `access` has each device's right to it: 1 read, 3 read and write.
    """

    __slots__ = ("access", "base", "device", "kind", "memory", "range", "size")

    def __init__(
        self, device: Device, base: int, size: int, kind: str = "", *, range_: tuple[int, int] | None = None,
        memory: object = None,
    ) -> None:  # fmt: skip
        self.device = device
        self.base = base
        self.size = size
        self.kind = kind  # how live_handles() counts it; "" where something else is counted for it
        self.range = range_ or (base, size)
        self.memory = memory
        self.access: dict[int, int] = {}
        mappings[base] = self

    def give_access(self, device: Device, flags: int) -> None:
        """The device may read (1), or read and write (3), or neither (0)."""
        self.access.pop(device.ordinal, None)
        device.arena.revoke(self.base)
        if flags:
            self.access[device.ordinal] = flags
            device.arena.grant(self.base, self.size, read_only=flags == 1)

    def close(self) -> None:
        """No device reaches it any more, and the addresses show nothing of it."""
        if mappings.pop(self.base, None) is None:
            raise invalid_value(f"nothing is mapped at {self.base:#x}")
        for ordinal in list(self.access):
            machine.devices[ordinal].arena.revoke(self.base)
        self.device.arena.unmap_file(self.base, self.size)


mappings: dict[int, Mapping] = {}
"""What is mapped, by its first address."""


def mapping_of(address: int) -> Mapping | None:
    return next((m for m in list(mappings.values()) if m.base <= address < m.base + m.size), None)


class Block(NamedTuple):
    """What an address lies in. `allocation` is None for a variable of a module."""

    device: Device
    base: int
    size: int
    allocation: Allocation | None


def block_of(address: int) -> Block | None:
    """The live block of any device that the address lies in."""
    for device in machine.devices:
        found = device.arena.block_of(address) if device.allocations or device.used_memory else None
        if found is not None:
            return Block(device, *found, device.allocations.get(found[0]))
    mapped = mapping_of(address) if mappings else None
    return Block(mapped.device, mapped.base, mapped.size, None) if mapped is not None and mapped.access else None


def registration_of(address: int) -> Registration | None:
    return next((r for r in list(registrations.values()) if r.base <= address < r.base + r.size), None)


def check_device_span(address: int, nbytes: int) -> None:
    """Refuses a range that does not lie in one block of memory the driver knows."""
    block = block_of(address)
    if block is None:
        known = registration_of(address)
        if known is None:
            raise invalid_value(f"{address:#x} is not in memory of this driver")
        base, size = known.base, known.size
    else:
        base, size = block.base, block.size
    while address + nbytes > base + size and base in mappings:  # neighbours that are mapped make one range
        after = mappings.get(base + size)
        if after is None or not after.access:
            break
        size += after.size
    if address + nbytes > base + size:
        raise invalid_value(f"{nbytes} bytes at {address:#x} go beyond the {size} bytes allocated at {base:#x}")


def check_host_span(address: int | None, nbytes: int) -> None:
    """Refuses null, and addresses in a device's range that are not allocated. The rest is the caller's word."""
    if not address:
        raise invalid_value("the host pointer is null")
    known = registration_of(address)
    if known is not None and address + nbytes > known.base + known.size:
        raise invalid_value(f"{nbytes} bytes at {address:#x} go beyond the {known.size} bytes registered")
    for device in machine.devices:
        if device.used_memory and device.arena.base <= address < device.arena.base + device.arena.size:
            check_device_span(address, nbytes)


def allocate(context: Context, out: int | None, size: int, **traits: object) -> None:
    need(out)
    if size == 0:
        raise invalid_value("0 bytes asked for")
    allocation = Allocation(context, size, **traits)  # type: ignore[arg-type]
    put_u64(out, allocation.base)


@entry("cuMemAlloc_v2", unsafe=True)
def mem_alloc(context: Context, out: int | None, size: int) -> None:
    allocate(context, out, size)


@entry("cuMemAllocPitch_v2", unsafe=True)
def mem_alloc_pitch(
    context: Context, out: int | None, pitch: int | None, width: int, height: int, element: int
) -> None:
    need(out, pitch)
    if element not in (4, 8, 16) or not width or not height:
        raise invalid_value(f"{width} x {height} bytes in elements of {element}: elements have 4, 8 or 16")
    row = -(-width // PITCH) * PITCH
    allocate(context, out, row * height)
    put_u64(pitch, row)


@entry("cuMemFree_v2", needs=INIT, unsafe=True)
def mem_free(address: int) -> None:
    """Any context's memory may be freed; a faulty context refuses."""
    if address == 0 or _free_graph_memory(address):
        return
    allocation = owned(address)
    if allocation.on_host:
        raise invalid_value(f"{address:#x} is host memory: cuMemFreeHost")
    allocation.context.check()
    allocation.release()


def _free_graph_memory(address: int) -> bool:
    """Memory that a graph's launch has left allocated may be freed like any other."""
    from ptxgen.emulated_driver.graphs.node_work import graph_memory

    found = graph_memory.get(address)
    if found is not None:
        found.free()
    return found is not None


def owned(address: int) -> Allocation:
    """The allocation that begins there."""
    for device in machine.devices:
        found = device.allocations.get(address)
        if found is not None and found.kind:
            return found
    raise invalid_value(f"no allocation begins at {address:#x}")


@entry("cuMemGetInfo_v2")
def mem_get_info(context: Context, free: int | None, total: int | None) -> None:
    device = context.device
    if free:
        put_u64(free, max(device.total_memory - device.used_memory, 0))
    if total:
        put_u64(total, device.total_memory)


# --- host memory ------------------------------------------------------------------------------------------------------


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
        raise Refusal(CUresult.ERROR_HOST_MEMORY_ALREADY_REGISTERED, f"{address:#x} is registered already")
    registrations[address] = Registration(address, size, flags, context)


@entry("cuMemHostUnregister", needs=INIT, unsafe=True)
def mem_host_unregister(address: int | None) -> None:
    if not address:
        raise invalid_value("the pointer is null")
    if registrations.pop(address, None) is None:
        inside = registration_of(address)
        raise (
            invalid_value(f"the memory was registered at {inside.base:#x}")
            if inside
            else Refusal(CUresult.ERROR_HOST_MEMORY_NOT_REGISTERED, f"{address:#x} is not registered")
        )


@entry("cuMemHostGetDevicePointer_v2")
def mem_host_get_device_pointer(context: Context, out: int | None, address: int | None, flags: int) -> None:
    if flags or not address:
        raise invalid_value("flags must be 0 and the pointer not null")
    block = block_of(address)
    if block is None and registration_of(address):
        raise Refusal(
            CUresult.ERROR_NOT_SUPPORTED,
            f"{address:#x} is registered memory of the caller, which kernels of the CPU device cannot reach;"
            " allocate it with cuMemHostAlloc",
        )
    if block is None or block.allocation is None or not block.allocation.on_host:
        raise invalid_value(f"{address:#x} is not pinned host memory")
    put_u64(out, address)


@entry("cuMemHostGetFlags")
def mem_host_get_flags(context: Context, out: int | None, address: int | None) -> None:
    block = block_of(address or 0)
    known = registration_of(address or 0)
    if block is not None and block.allocation is not None and block.allocation.on_host:
        put_u32(out, (block.allocation.flags | 2) & 6)  # mapped and portable always: the address space is one
    elif known is not None:
        put_u32(out, known.flags)
    else:
        raise invalid_value(f"{address or 0:#x} is not pinned host memory")


# --- what an address is -----------------------------------------------------------------------------------------------


@entry("cuMemGetAddressRange_v2")
def mem_get_address_range(context: Context, base: int | None, size: int | None, address: int) -> None:
    block = block_of(address)
    if block is None:
        raise Refusal(CUresult.ERROR_NOT_FOUND, f"{address:#x} is not in memory of this driver")
    if base:
        put_u64(base, block.base)
    if size:
        put_u64(size, block.size)


_PUT = {  # attribute -> how its value is written
    CUpointer_attribute.MEMORY_TYPE: put_u32,
    CUpointer_attribute.DEVICE_ORDINAL: put_i32,
    CUpointer_attribute.SYNC_MEMOPS: put_u32,
    CUpointer_attribute.IS_MANAGED: put_u32,
    CUpointer_attribute.MAPPED: put_u32,
    CUpointer_attribute.IS_LEGACY_CUDA_IPC_CAPABLE: put_u32,
    CUpointer_attribute.IS_GPU_DIRECT_RDMA_CAPABLE: put_u32,
    CUpointer_attribute.IS_HW_DECOMPRESS_CAPABLE: put_u32,
    CUpointer_attribute.ACCESS_FLAGS: put_u32,
}


def _attribute(attribute: int, address: int) -> int:
    """The value; Refusal where the attribute does not apply to the address."""
    A = CUpointer_attribute
    block, known = block_of(address), registration_of(address)
    if (block is None and known is None) or (block and block.allocation and not block.allocation.kind):
        raise invalid_value(f"{address:#x} is not in memory of this driver")
    allocation = block.allocation if block is not None else None
    on_host = known is not None or (allocation is not None and allocation.on_host)
    managed = allocation is not None and allocation.managed
    device = block.device if block is not None else known.context.device if known is not None else machine.devices[0]
    owner = allocation.context if allocation is not None else known.context if known is not None else device.primary
    mapped = mappings.get(block.base) if block is not None and allocation is None else None
    base, size = (known.base, known.size) if known is not None else (0, 0)
    if block is not None:
        base, size = mapped.range if mapped is not None else (block.base, block.size)
    pool_handle = getattr(mapped.memory, "handle", 0) if mapped is not None and mapped.kind else 0
    values = {
        A.CONTEXT: owner.handle,
        A.MEMORY_TYPE: int(CUmemorytype.HOST if on_host else CUmemorytype.DEVICE),
        A.SYNC_MEMOPS: allocation.sync_operations if allocation is not None else 0,
        A.BUFFER_ID: base,
        A.IS_MANAGED: int(managed),
        A.DEVICE_ORDINAL: device.ordinal,
        A.IS_LEGACY_CUDA_IPC_CAPABLE: int(
            allocation is not None and not on_host and not managed and not allocation.pool
        ),
        A.RANGE_START_ADDR: base,
        A.RANGE_SIZE: size,
        A.MAPPED: int(known is None),
        A.ALLOWED_HANDLE_TYPES: 0,
        A.IS_GPU_DIRECT_RDMA_CAPABLE: 0,
        A.ACCESS_FLAGS: mapped.access.get(device.ordinal, 0) if mapped is not None else 3,
        A.MEMPOOL_HANDLE: allocation.pool if allocation is not None else pool_handle,
        A.IS_HW_DECOMPRESS_CAPABLE: 0,
    }
    if known is None:
        values[A.DEVICE_POINTER] = address
    if mapped is not None:
        values[A.MAPPING_SIZE], values[A.MAPPING_BASE_ADDR] = mapped.size, mapped.base
    if on_host or managed:
        values[A.HOST_POINTER] = address
    if attribute not in values:
        raise invalid_value(f"attribute {attribute} does not apply to {address:#x}")
    return values[A(attribute)]


def _put_attribute(out: int | None, attribute: int, value: int) -> None:
    _PUT.get(attribute, put_u64)(out, value)  # type: ignore[call-overload]


@entry("cuPointerGetAttribute", needs=INIT)
def pointer_get_attribute(out: int | None, attribute: int, address: int) -> None:
    need(out)
    _put_attribute(out, attribute, _attribute(attribute, address))


@entry("cuPointerGetAttributes", needs=INIT)
def pointer_get_attributes(number: int, attributes: int | None, out: int | None, address: int) -> None:
    """Attributes that do not apply get 0 (no device: -2), and the call succeeds."""
    if not number:
        raise invalid_value("no attribute is asked for")
    for attribute, place in zip(i32_array(attributes, number), u64_array(out, number)):
        try:
            value = _attribute(attribute, address)
        except Refusal:
            value = -2 if attribute == CUpointer_attribute.DEVICE_ORDINAL else 0
        _put_attribute(place, attribute, value)


@entry("cuPointerSetAttribute", needs=INIT)
def pointer_set_attribute(value: int | None, attribute: int, address: int) -> None:
    """Only SYNC_MEMOPS can be set; synchronous copies are always synchronous here."""
    need(value)
    assert value is not None
    if attribute != CUpointer_attribute.SYNC_MEMOPS:
        raise invalid_value(f"attribute {attribute} cannot be set")
    block = block_of(address)
    if block is None or block.allocation is None:
        raise invalid_value(f"{address:#x} is in no allocation")
    block.allocation.sync_operations = int(get_u32(value) != 0)
