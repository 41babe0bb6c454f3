"""Managed memory: all memory of the CPU device is the host's too, so advice changes nothing; it is kept to be asked for."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_DEVICE_CPU, CU_DEVICE_INVALID
from driver_ctypes.abi.structs import CUmemLocation
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.memory.addresses import block_of, check_device_span
from ptxgen.emulated_driver.memory.advice import Advice, RangeAttribute
from ptxgen.emulated_driver.memory.allocation import Allocation, allocate
from ptxgen.emulated_driver.pointers import i32_array, need, put_i32, u64_array
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.streams.stream import stream_of

Place = enums.CUmemLocationType
_ATTACH_FLAGS = (enums.CUmemAttach_flags.GLOBAL, enums.CUmemAttach_flags.HOST, enums.CUmemAttach_flags.SINGLE)
_HOSTS = (Place.HOST, Place.HOST_NUMA, Place.HOST_NUMA_CURRENT)
_ADVICE: WeakKeyDictionary[Allocation, Advice] = WeakKeyDictionary()


@entry("cuMemAllocManaged", unsafe=True)
def mem_alloc_managed(context: Context, out: int | None, size: int, flags: int) -> None:
    if flags not in (enums.CUmemAttach_flags.GLOBAL, enums.CUmemAttach_flags.HOST):
        raise invalid_value(f"flags {flags}: 1 (global) or 2 (host)")
    allocate(context, out, size, managed=True)


def check_managed(address: int, nbytes: int, location: CUmemLocation | None = None) -> Advice:
    """Refuses what is not managed memory, and no place to go to; else what was advised of the allocation."""
    block = block_of(address)
    if not nbytes or block is None or block.allocation is None or not block.allocation.managed:
        raise invalid_value(f"{address:#x} is not managed memory")
    check_device_span(address, nbytes)
    if location is not None and location.type == Place.DEVICE:
        machine.device(location.id)
    elif location is not None and location.type not in _HOSTS:
        raise invalid_value(f"location type {location.type}: 1 (device), 2, 3 or 4 (host)")
    return _ADVICE.setdefault(block.allocation, Advice())


@entry("cuMemAdvise_v2", needs=INIT)
def mem_advise(address: int, nbytes: int, advice: int, location: CUmemLocation) -> None:
    if advice not in set(enums.CUmem_advise):
        raise invalid_value(f"advice {advice}: 1 to 6")
    check_managed(address, nbytes, location).advise(address, nbytes, advice, location)


@entry("cuMemAdvise", needs=INIT)
def mem_advise_v1(address: int, nbytes: int, advice: int, device: int) -> None:
    mem_advise(address, nbytes, advice, _place(device))


def _place(device: int) -> CUmemLocation:
    """Of the older functions: a device's number, or -1 for the host."""
    return CUmemLocation(Place.HOST, 0) if device == CU_DEVICE_CPU else CUmemLocation(Place.DEVICE, device)


@entry("cuMemPrefetchAsync_v2")
def mem_prefetch_async(
    context: Context, address: int, nbytes: int, location: CUmemLocation, flags: int, stream: int | None
) -> None:
    if flags:
        raise invalid_value("cuMemPrefetchAsync takes flags 0")
    where = stream_of(context, stream)
    if where.capture is not None:
        where.capture.refuse("prefetching cannot be captured")
    check_managed(address, nbytes, location).prefetched(address, nbytes, location)


@entry("cuMemPrefetchAsync")
def mem_prefetch_async_v1(context: Context, address: int, nbytes: int, device: int, stream: int | None) -> None:
    mem_prefetch_async(context, address, nbytes, _place(device), 0, stream)


@entry("cuStreamAttachMemAsync")
def stream_attach_mem_async(context: Context, stream: int | None, address: int, nbytes: int, flags: int) -> None:
    where = stream_of(context, stream)
    if where.capture is not None:
        where.capture.refuse("attaching memory cannot be captured")
    block = block_of(address)
    if flags not in _ATTACH_FLAGS or block is None or block.allocation is None or not block.allocation.managed:
        raise invalid_value(f"{address:#x} is not managed memory, or the flags {flags} are not 1, 2 or 4")


@entry("cuMemRangeGetAttribute", needs=INIT)
def mem_range_get_attribute(out: int | None, size: int, attribute: int, address: int, nbytes: int) -> None:
    """4 bytes; of ACCESSED_BY an array of devices, whose rest is CU_DEVICE_INVALID."""
    need(out)
    assert out is not None
    found = check_managed(address, nbytes).answer(attribute, address, nbytes)
    if not size or size % 4 or (size != 4 and attribute != RangeAttribute.ACCESSED_BY):
        raise invalid_value(f"attribute {attribute} in {size} bytes: 4, or of the devices (3) a multiple of 4")
    for index in range(size // 4):
        put_i32(out + 4 * index, found[index] if index < len(found) else CU_DEVICE_INVALID)


@entry("cuMemRangeGetAttributes", needs=INIT)
def mem_range_get_attributes(
    out: int | None, sizes: int | None, attributes: int | None, number: int, address: int, nbytes: int
) -> None:
    need(out, sizes, attributes)
    if not 0 < number <= len(RangeAttribute):
        raise invalid_value(f"{number} attributes: 1 to {len(RangeAttribute)}")
    for place, size, attribute in zip(u64_array(out, number), u64_array(sizes, number), i32_array(attributes, number)):
        mem_range_get_attribute(place, size, attribute, address, nbytes)
