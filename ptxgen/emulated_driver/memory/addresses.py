"""What lies at an address: an allocation, a mapping, registered memory of the caller; and whether a range lies in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_MEMHOSTREGISTER_READ_ONLY
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.memory.allocation import allocations
from ptxgen.emulated_driver.pointers import HIGHEST, bytes_at
from ptxgen.emulated_driver.state.machine import machine

if TYPE_CHECKING:
    from ptxgen.emulated_driver.memory.allocation import Allocation
    from ptxgen.emulated_driver.state.context import Context
    from ptxgen.emulated_driver.state.cpu_device import Device

_LONG = 1 << 20
"""Bytes of a copy beside which asking whether memory goes on so far costs nothing."""


class Mapping:
    """Memory at reserved addresses: a piece of cuMemMap, or another process's that was opened here.

    `access` has each device's right to it (CUmemAccess_flags).
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
        """The device may read, or read and write, or neither (CUmemAccess_flags)."""
        self.access.pop(device.ordinal, None)
        device.arena.revoke(self.base)
        if flags:
            self.access[device.ordinal] = flags
            device.arena.grant(self.base, self.size, read_only=flags == enums.CUmemAccess_flags.READ)

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


class Registration(NamedTuple):
    """Memory of the caller, registered with cuMemHostRegister: kernels of every device reach it where it is."""

    base: int
    size: int
    flags: int
    context: Context
    kind: str = "registered memory"

    def open(self) -> None:
        registrations[self.base] = self.context.memory[self.base] = self
        for device in machine.devices:
            device.arena.grant(self.base, self.size, read_only=bool(self.flags & CU_MEMHOSTREGISTER_READ_ONLY))

    def release(self) -> None:
        registrations.pop(self.base, None)
        self.context.memory.pop(self.base, None)
        for device in machine.devices:
            device.arena.revoke(self.base)


registrations: dict[int, Registration] = {}


class MemoryBlock(NamedTuple):
    """What an address lies in. `allocation` is None for a variable of a module."""

    device: Device
    base: int
    size: int
    allocation: Allocation | None


def block_of(address: int) -> MemoryBlock | None:
    """The live block of any device that the address lies in."""
    for device in machine.devices:
        found = device.made_arena.block_of(address) if device.made_arena is not None else None
        if found is not None:
            return MemoryBlock(device, *found, allocations.get(found[0]))
    mapped = mapping_of(address) if mappings else None
    return MemoryBlock(mapped.device, mapped.base, mapped.size, None) if mapped is not None and mapped.access else None


def registration_of(address: int) -> Registration | None:
    if not registrations:
        return None
    return next((r for r in list(registrations.values()) if r.base <= address < r.base + r.size), None)


def is_pageable(address: int) -> bool:
    """Is it memory of the host that no driver function knows?"""
    return block_of(address) is None and registration_of(address) is None


def check_device_span(address: int, nbytes: int) -> None:
    """Refuses a range that does not lie in one block of memory the driver knows."""
    for device in machine.devices:  # what most copies are of
        found = device.made_arena.block_of(address) if device.made_arena is not None else None
        if found is not None and address + nbytes <= found[0] + found[1]:
            return
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
    """Refuses null, addresses in a device's range that are not allocated, and lengths that go on beyond the end of memory. The
    rest is the caller's word."""
    if not address:
        raise invalid_value("the host pointer is null")
    if address + nbytes > HIGHEST or (nbytes > _LONG and not bytes_at(address + nbytes - 1, 1)):
        raise invalid_value(f"{nbytes} bytes at {address:#x}: memory ends before")
    known = registration_of(address)
    if known is not None and address + nbytes > known.base + known.size:
        raise invalid_value(f"{nbytes} bytes at {address:#x} go beyond the {known.size} bytes registered")
    for device in machine.devices:
        arena = device.made_arena
        if arena is not None and arena.base <= address < arena.base + arena.size:
            check_device_span(address, nbytes)


def note_written(address: int, nbytes: int) -> None:
    """The host or a copy has written there, for the sanitizer of the device whose memory it is."""
    for device in machine.devices:
        if device.made_arena is not None:
            device.made_arena.note_written(address, nbytes)
