"""Multicast objects: memory of several devices behind one range of addresses, which only `multimem` reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUmulticastObjectProp
from ptxgen.cpu.multicast import MOST_REPLICAS
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import block_of, check_device_span
from ptxgen.emulated_driver.memory.multicast_objects import Binding, MulticastObject, multicasts
from ptxgen.emulated_driver.memory.virtual import GRANULARITY, PhysicalMemory, ReservedRange, pieces
from ptxgen.emulated_driver.pointers import copy_struct, need, put_u64
from ptxgen.emulated_driver.state.machine import machine

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.cpu_device import Device


@entry("cuMulticastGetGranularity", needs=INIT)
def get_granularity(out: int | None, properties: int | None, option: int) -> None:
    need(out, properties)
    put_u64(out, GRANULARITY)


@entry("cuMulticastCreate", needs=INIT)
def create(out: int | None, properties: int | None) -> None:
    need(out, properties)
    wanted = copy_struct(CUmulticastObjectProp, properties)
    if not 0 < wanted.numDevices <= MOST_REPLICAS or not wanted.size or wanted.size % GRANULARITY or wanted.flags:
        raise invalid_value(
            f"{wanted.numDevices} devices (1 to {MOST_REPLICAS}), {wanted.size} bytes (a multiple of {GRANULARITY}), flags 0"
        )
    if wanted.handleTypes:
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "multicast objects are not shared with other processes here")
    put_u64(out, multicasts.add(MulticastObject(wanted.size, wanted.numDevices)))


@entry("cuMulticastAddDevice", needs=INIT)
def add_device(handle: int, ordinal: int) -> None:
    found, device = multicasts.named(handle), machine.device(ordinal)
    if device in found.devices or len(found.devices) == found.count:
        raise invalid_value(f"device {ordinal} is in the object, or it has its {found.count} devices")
    found.devices.append(device)


def _check(found: MulticastObject, device: Device, offset: int, size: int) -> None:
    """May memory of the device be bound now?"""
    if len(found.devices) < found.count or device not in found.devices:
        raise invalid_value(f"the object has {found.count} devices, all of which are added before memory is bound")
    if offset or size != found.size:
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, f"only memory of all {found.size} bytes can be bound")
    if any(b.device is device for b in found.bindings):
        raise invalid_value("memory of the device is bound already")


@entry("cuMulticastBindMem", needs=INIT)
def bind_memory(handle: int, offset: int, memory: int, start: int, size: int, flags: int) -> None:
    found, piece = multicasts.named(handle), pieces.find(memory)
    if piece is None or flags or start or size != piece.size:
        raise invalid_value(f"{memory:#x} is not memory of cuMemCreate, or not all of it is to be bound (flags 0)")
    _check(found, piece.device, offset, size)
    here = ReservedRange(piece.device, size, GRANULARITY)
    piece.device.arena.map_file(here.base, size, piece.descriptor)
    piece.users += 1
    found.bind(Binding(piece.device, here.base, lambda: _let_go(piece, here)))


def _let_go(piece: PhysicalMemory, here: ReservedRange) -> None:
    here.close()
    piece.users -= 1
    piece.let_go()


@entry("cuMulticastBindAddr", needs=INIT)
def bind_address(handle: int, offset: int, address: int, size: int, flags: int) -> None:
    found = multicasts.named(handle)
    check_device_span(address, size)
    block = block_of(address)
    if block is None or flags:
        raise invalid_value(f"{address:#x} is not memory of a device, or flags {flags}: 0")
    _check(found, block.device, offset, size)
    found.bind(Binding(block.device, address, lambda: None))


@entry("cuMulticastUnbind", needs=INIT)
def unbind(handle: int, ordinal: int, offset: int, size: int) -> None:
    found, device = multicasts.named(handle), machine.device(ordinal)
    binding = next((b for b in found.bindings if b.device is device), None)
    if binding is None or offset or size != found.size:
        raise invalid_value(f"nothing of device {ordinal} is bound to {size} bytes from {offset} on")
    found.unbind(binding)
