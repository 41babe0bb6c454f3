"""Pointer attributes, and the range that an address lies in."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_DEVICE_INVALID
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import block_of, mappings, registration_of
from ptxgen.emulated_driver.pointers import get_u32, i32_array, need, put_i32, put_u32, put_u64, u64_array
from ptxgen.emulated_driver.state.context import Context, primary_of
from ptxgen.emulated_driver.state.machine import machine


@entry("cuMemGetAddressRange_v2")
def mem_get_address_range(context: Context, base: int | None, size: int | None, address: int) -> None:
    block = block_of(address)
    if block is None:
        raise Refusal(enums.CUresult.ERROR_NOT_FOUND, f"{address:#x} is not in memory of this driver")
    if base:
        put_u64(base, block.base)
    if size:
        put_u64(size, block.size)


_PUT = {  # attribute -> how its value is written
    enums.CUpointer_attribute.MEMORY_TYPE: put_u32,
    enums.CUpointer_attribute.DEVICE_ORDINAL: put_i32,
    enums.CUpointer_attribute.SYNC_MEMOPS: put_u32,
    enums.CUpointer_attribute.IS_MANAGED: put_u32,
    enums.CUpointer_attribute.MAPPED: put_u32,
    enums.CUpointer_attribute.IS_LEGACY_CUDA_IPC_CAPABLE: put_u32,
    enums.CUpointer_attribute.IS_GPU_DIRECT_RDMA_CAPABLE: put_u32,
    enums.CUpointer_attribute.IS_HW_DECOMPRESS_CAPABLE: put_u32,
    enums.CUpointer_attribute.ACCESS_FLAGS: put_u32,
}


def _attribute(attribute: int, address: int) -> int:
    """The value; Refusal where the attribute does not apply to the address."""
    A = enums.CUpointer_attribute
    block, known = block_of(address), registration_of(address)
    if (block is None and known is None) or (block and block.allocation and not block.allocation.kind):
        raise invalid_value(f"{address:#x} is not in memory of this driver")
    allocation = block.allocation if block is not None else None
    on_host = known is not None or (allocation is not None and allocation.on_host)
    managed = allocation is not None and allocation.managed
    device = block.device if block is not None else known.context.device if known is not None else machine.devices[0]
    owner = allocation.context if allocation is not None else known.context if known is not None else primary_of(device)
    mapped = mappings.get(block.base) if block is not None and allocation is None else None
    base, size = (known.base, known.size) if known is not None else (0, 0)
    if block is not None:
        base, size = mapped.range if mapped is not None else (block.base, block.size)
    pool_handle = getattr(mapped.memory, "handle", 0) if mapped is not None and mapped.kind else 0
    values = {
        A.CONTEXT: owner.handle,
        A.MEMORY_TYPE: int(enums.CUmemorytype.HOST if on_host else enums.CUmemorytype.DEVICE),
        A.SYNC_MEMOPS: allocation.sync_operations if allocation is not None else 0,
        A.BUFFER_ID: base,
        A.IS_MANAGED: int(managed),
        A.DEVICE_ORDINAL: device.ordinal,
        A.IS_LEGACY_CUDA_IPC_CAPABLE: int(
            allocation is not None and not on_host and not managed and not allocation.pool
        ),
        A.RANGE_START_ADDR: base,
        A.RANGE_SIZE: size,
        A.MAPPED: 1,
        A.DEVICE_POINTER: address,
        A.ALLOWED_HANDLE_TYPES: 0,
        A.IS_GPU_DIRECT_RDMA_CAPABLE: 0,
        A.ACCESS_FLAGS: mapped.access.get(device.ordinal, 0)
        if mapped is not None
        else enums.CUmemAccess_flags.READWRITE,
        A.MEMPOOL_HANDLE: allocation.pool if allocation is not None else pool_handle,
        A.IS_HW_DECOMPRESS_CAPABLE: 0,
    }
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
            value = CU_DEVICE_INVALID if attribute == enums.CUpointer_attribute.DEVICE_ORDINAL else 0
        _put_attribute(place, attribute, value)


@entry("cuPointerSetAttribute", needs=INIT)
def pointer_set_attribute(value: int | None, attribute: int, address: int) -> None:
    """Only SYNC_MEMOPS can be set; synchronous copies are always synchronous here."""
    need(value)
    assert value is not None
    if attribute != enums.CUpointer_attribute.SYNC_MEMOPS:
        raise invalid_value(f"attribute {attribute} cannot be set")
    block = block_of(address)
    if block is None or block.allocation is None:
        raise invalid_value(f"{address:#x} is in no allocation")
    block.allocation.sync_operations = int(get_u32(value) != 0)
