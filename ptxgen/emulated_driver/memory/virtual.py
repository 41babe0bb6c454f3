"""Virtual memory management: reserved addresses, pieces of memory, and which piece shows where.

A piece is a file in memory (memfd), and mapping it is mapping the file: one piece at two addresses is the same memory,
and a process that is given the descriptor maps the same piece.
"""

from __future__ import annotations

import os

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUmemAccessDesc, CUmemAllocationProp, CUmemLocation
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import Mapping, mapping_of, mappings
from ptxgen.emulated_driver.memory.allocation import refuse_beyond
from ptxgen.emulated_driver.memory.multicast_objects import multicasts, shown
from ptxgen.emulated_driver.pointers import copy_struct, need, put_i32, put_struct, put_u64, struct
from ptxgen.emulated_driver.state.cpu_device import Device
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.machine import machine

GRANULARITY = 2 << 20  # bytes, as on an H200
_RIGHTS = (enums.CUmemAccess_flags.NONE, enums.CUmemAccess_flags.READ, enums.CUmemAccess_flags.READWRITE)
_PINNED = int(enums.CUmemAllocationType.PINNED)
_DEVICE = int(enums.CUmemLocationType.DEVICE)
_DESCRIPTOR = int(enums.CUmemAllocationHandleType.POSIX_FILE_DESCRIPTOR)
_NAME = "ptxgen-memory"


def open_file(name: str, size: int) -> int:
    """A descriptor of a new file in memory, full of zeros that take no room."""
    descriptor = os.memfd_create(name)
    os.ftruncate(descriptor, size)
    return descriptor


def file_name(descriptor: int) -> str:
    """The name that `open_file` gave; "" for any other descriptor."""
    try:
        found = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return ""
    return found.removeprefix("/memfd:").removesuffix(" (deleted)") if found.startswith("/memfd:") else ""


class PhysicalMemory:
    """Memory of cuMemCreate. It lives as long as a handle or a mapping."""

    def __init__(self, device: Device, size: int, properties: CUmemAllocationProp, descriptor: int) -> None:
        self.device = device
        self.size = size
        self.properties = properties
        self.descriptor = descriptor
        self.users = 0
        self.handles = 1
        self.handle = pieces.add(self)
        device.physical += size

    def let_go(self) -> None:
        """Closes the file when nothing needs it any more."""
        if not self.users and not self.handles:
            self.device.physical -= self.size
            os.close(self.descriptor)


pieces: Handles[PhysicalMemory] = Handles("piece of memory", stale=enums.CUresult.ERROR_INVALID_VALUE)


class ReservedRange:
    """Reserved addresses."""

    def __init__(self, device: Device, size: int, align: int) -> None:
        self.device = device
        self.size = size
        self.base = device.arena.reserve(size, align)
        ranges[self.base] = self
        self.handle = _reserved.add(self)

    def close(self) -> None:
        del ranges[self.base]
        _reserved.remove(self.handle)
        self.device.arena.release(self.base)

    def inside(self) -> list[Mapping]:
        return [m for m in list(mappings.values()) if self.base <= m.base < self.base + self.size]


ranges: dict[int, ReservedRange] = {}
_reserved: Handles[ReservedRange] = Handles("reserved range")


def _properties(address: int | None) -> CUmemAllocationProp:
    found = copy_struct(CUmemAllocationProp, address)
    if found.type != _PINNED or found.location.type != _DEVICE or found.requestedHandleTypes not in (0, _DESCRIPTOR):
        raise invalid_value("memory is pinned (1), on a device (1), and shared by no handle (0) or a descriptor (1)")
    return found


def _whole(size: int) -> None:
    if not size or size % GRANULARITY:
        raise invalid_value(f"{size} bytes: a multiple of {GRANULARITY}, the granularity, is needed")


@entry("cuMemGetAllocationGranularity", needs=INIT)
def get_granularity(out: int | None, properties: int | None, option: int) -> None:
    need(out, properties)
    if option not in set(enums.CUmemAllocationGranularity_flags):
        raise invalid_value(f"option {option}: 0 (minimum) or 1 (recommended)")
    put_u64(out, GRANULARITY)


@entry("cuMemAddressReserve", needs=INIT)
def address_reserve(out: int | None, size: int, align: int, hint: int, flags: int) -> None:
    """The address asked for is a hint that is not followed."""
    need(out)
    _whole(size)
    if flags or align & (align - 1):
        raise invalid_value(f"alignment {align}, flags {flags}: a power of two (or 0), and 0")
    put_u64(out, ReservedRange(machine.devices[0], size, max(align, GRANULARITY)).base)


@entry("cuMemAddressFree", needs=INIT)
def address_free(address: int, size: int) -> None:
    found = ranges.get(address)
    if found is None or found.size != size:
        raise invalid_value(f"no range of {size} bytes is reserved at {address:#x}")
    if found.inside() or any(address <= base < address + size for base in shown):
        raise invalid_value("memory is still mapped in the range: cuMemUnmap comes first")
    found.close()


@entry("cuMemCreate", needs=INIT)
def create(out: int | None, size: int, properties: int | None, flags: int) -> None:
    need(out, properties)
    wanted = _properties(properties)
    _whole(size)
    if flags:
        raise invalid_value(f"flags {flags}: 0")
    device = machine.device(wanted.location.id)
    refuse_beyond(device, size)
    descriptor = open_file(f"{_NAME}-{device.ordinal}", size)
    put_u64(out, PhysicalMemory(device, size, wanted, descriptor).handle)


@entry("cuMemRelease", needs=INIT)
def release(handle: int) -> None:
    """What is mapped stays until it is unmapped."""
    if multicasts.find(handle) is not None:
        whole = multicasts.remove(handle)
        for binding in list(whole.bindings):
            whole.unbind(binding)
        return
    piece = pieces.named(handle)
    piece.handles -= 1
    if not piece.handles:
        pieces.remove(handle)
    piece.let_go()


@entry("cuMemGetAllocationPropertiesFromHandle", needs=INIT)
def get_properties(out: int | None, handle: int) -> None:
    put_struct(out, pieces.named(handle).properties)


@entry("cuMemRetainAllocationHandle", needs=INIT)
def retain(out: int | None, address: int | None) -> None:
    need(out)
    found = mapping_of(address or 0)
    if found is None or not isinstance(found.memory, PhysicalMemory):
        raise invalid_value(f"nothing of cuMemCreate is mapped at {address or 0:#x}")
    piece = found.memory
    if pieces.find(piece.handle) is None:  # released before
        piece.handle = pieces.add(piece)
    piece.handles += 1
    put_u64(out, piece.handle)


# --- mappings ---------------------------------------------------------------------------------------------------------


def _range_of(address: int, size: int) -> ReservedRange:
    for found in list(ranges.values()):
        if found.base <= address and address + size <= found.base + found.size:
            return found
    raise invalid_value(f"{size} bytes at {address:#x} do not lie in a reserved range")


@entry("cuMemMap", needs=INIT)
def map_(address: int, size: int, offset: int, handle: int, flags: int) -> None:
    if flags:
        raise invalid_value(f"flags {flags}: 0")
    multicast = multicasts.find(handle)
    if multicast is not None:
        _range_of(address, size)
        if offset or size != multicast.size or address % GRANULARITY or address in shown:
            raise invalid_value(
                f"only all {multicast.size} bytes of the multicast object can be mapped, at free addresses"
            )
        multicast.show(address)
        return
    piece = pieces.named(handle)
    if offset or size != piece.size or address % GRANULARITY:
        raise Refusal(
            enums.CUresult.ERROR_NOT_SUPPORTED,
            f"{size} bytes from {offset} at {address:#x}: only a whole piece ({piece.size} bytes) can be mapped, at a"
            f" multiple of {GRANULARITY}",
        )
    found = _range_of(address, size)
    if any(m.base < address + size and address < m.base + m.size for m in found.inside()):
        raise invalid_value(f"something is mapped at {address:#x} already")
    found.device.arena.map_file(address, size, piece.descriptor)
    Mapping(found.device, address, size, range_=(found.base, found.size), memory=piece)
    piece.users += 1


def _covered(address: int, size: int) -> list[Mapping]:
    """The mappings in a range, none of which it may cut."""
    found = _range_of(address, size)
    parts = [m for m in found.inside() if m.base < address + size and address < m.base + m.size]
    if any(m.base < address or m.base + m.size > address + size for m in parts):
        raise invalid_value(f"{size} bytes at {address:#x} cut a mapping")
    return sorted(parts, key=lambda m: m.base)


@entry("cuMemUnmap", needs=INIT)
def unmap(address: int, size: int) -> None:
    if address in shown:
        shown[address].hide(address)
        return
    for mapping in _covered(address, size):
        mapping.close()
        piece = mapping.memory
        assert isinstance(piece, PhysicalMemory)
        piece.users -= 1
        piece.let_go()


@entry("cuMemSetAccess", needs=INIT)
def set_access(address: int, size: int, descriptions: int | None, number: int) -> None:
    """The devices of a multicast object may always use its addresses, with multimem."""
    if address in shown and size == shown[address].size:
        return
    parts = _covered(address, size)
    if not number or not descriptions or sum(m.size for m in parts) != size:
        raise invalid_value(f"{size} bytes at {address:#x} must be mapped, and a right be given to at least one device")
    rights = []
    for wanted in (CUmemAccessDesc * number).from_address(descriptions):
        known = wanted.location.type == _DEVICE and 0 <= wanted.location.id < len(machine.devices)
        if not known or wanted.flags not in _RIGHTS:
            raise invalid_value("rights are none (0), read (1) or read and write (3), of devices")
        rights.append((machine.devices[wanted.location.id], wanted.flags))
    for mapping in parts:
        for device, flags in rights:
            mapping.give_access(device, flags)


@entry("cuMemGetAccess", needs=INIT)
def get_access(out: int | None, location: int | None, address: int) -> None:
    need(out)
    where, mapping = struct(CUmemLocation, location), mapping_of(address)
    if mapping is None or where.type != _DEVICE:
        raise invalid_value(f"nothing is mapped at {address:#x}, or the location is not a device")
    put_u64(out, mapping.access.get(machine.device(where.id).ordinal, 0))


# --- other processes --------------------------------------------------------------------------------------------------


@entry("cuMemExportToShareableHandle", needs=INIT)
def export(out: int | None, handle: int, kind: int, flags: int) -> None:
    need(out)
    piece = pieces.named(handle)
    if flags or kind != _DESCRIPTOR or not piece.properties.requestedHandleTypes & kind:
        raise invalid_value("memory is exported as a descriptor (1), and must have been created for it")
    put_i32(out, os.dup(piece.descriptor))


@entry("cuMemImportFromShareableHandle", needs=INIT)
def import_(out: int | None, descriptor: int | None, kind: int) -> None:
    """The descriptor stays the caller's."""
    need(out)
    if kind != _DESCRIPTOR:
        raise invalid_value(f"handle type {kind}: a descriptor (1)")
    name, _, ordinal = file_name(descriptor or 0).rpartition("-")
    if name != _NAME:
        raise Refusal(enums.CUresult.ERROR_UNKNOWN, f"descriptor {descriptor} is not memory of this driver")
    properties = CUmemAllocationProp(type=_PINNED, requestedHandleTypes=_DESCRIPTOR)
    properties.location.type, properties.location.id = _DEVICE, int(ordinal)
    copied = os.dup(descriptor or 0)
    put_u64(out, PhysicalMemory(machine.device(int(ordinal)), os.fstat(copied).st_size, properties, copied).handle)
