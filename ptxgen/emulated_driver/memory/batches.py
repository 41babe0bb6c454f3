"""Many copies, prefetches or discards in one call (CUDA 13.0). Each is checked before any of them is done."""

from __future__ import annotations

from itertools import pairwise

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUDA_MEMCPY3D_BATCH_OP, CUmemcpy3DOperand, CUmemcpyAttributes, CUmemLocation
from ptxgen.emulated_driver.calls.registry import entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.copies import UNIFIED, Copy, Side, flat
from ptxgen.emulated_driver.memory.managed import check_managed
from ptxgen.emulated_driver.pointers import need, put_u64, u64_array
from ptxgen.emulated_driver.state.context import Context, Stream
from ptxgen.emulated_driver.streams.stream import enqueue, stream_of

Order = enums.CUmemcpySrcAccessOrder
_ORDERS = (Order.STREAM, Order.DURING_API_CALL, Order.ANY)
_NONE_OF_THEM = (1 << 64) - 1  # SIZE_MAX, as failIdx
_POINTER, _ARRAY = 1, 2  # CUmemcpy3DOperandType of cuda.h
_MOST = 1 << 20  # operations of a call


def _stream(context: Context, handle: int | None) -> Stream:
    stream = stream_of(context, handle)
    if stream.is_legacy:
        raise invalid_value("a batch goes to a stream, not to the legacy default one")
    if stream.capture is not None:
        stream.capture.refuse("batches cannot be captured")
    return stream


def _count(number: int, flags: int = 0) -> int:
    if not 0 < number <= _MOST or flags:
        raise invalid_value(f"{number} operations with flags {flags}: at least one, and flags 0")
    return number


def _kinds(indices: list[int], kinds: int, number: int) -> None:
    """Each kind holds from its index on, up to the next one's."""
    if not 0 < kinds <= number or indices[0] != 0 or any(a >= b for a, b in pairwise(indices)):
        raise invalid_value("the first index is 0, and each is greater than the one before")
    if indices[-1] >= number:
        raise invalid_value(f"index {indices[-1]}: there are {number} operations")


@entry("cuMemcpyBatchAsync_v2")
def memcpy_batch_async(
    context: Context, targets: int | None, sources: int | None, sizes: int | None, number: int, attributes: int | None,
    indices: int | None, kinds: int, handle: int | None,
) -> None:  # fmt: skip
    stream = _stream(context, handle)
    need(targets, sources, sizes, attributes, indices)
    _count(number)
    _kinds(u64_array(indices, min(kinds, number)), kinds, number)
    for attribute in (CUmemcpyAttributes * kinds).from_address(attributes or 0):
        if attribute.srcAccessOrder not in _ORDERS:
            raise invalid_value(f"source access order {attribute.srcAccessOrder}: 1, 2 or 3")
    each = zip(u64_array(targets, number), u64_array(sources, number), u64_array(sizes, number))
    copies = [flat(UNIFIED, target, UNIFIED, source, size) for target, source, size in each]
    if None in copies:
        raise invalid_value("a copy of no bytes")
    for copy in copies:
        assert copy is not None
        enqueue(stream, copy)


@entry("cuMemcpyBatchAsync")
def memcpy_batch_async_v1(
    context: Context, targets: int | None, sources: int | None, sizes: int | None, number: int, attributes: int | None,
    indices: int | None, kinds: int, failed: int | None, handle: int | None,
) -> None:  # fmt: skip
    """It says which copy was refused; all are checked before the first begins, so that none of them is."""
    if failed:
        put_u64(failed, _NONE_OF_THEM)
    memcpy_batch_async(context, targets, sources, sizes, number, attributes, indices, kinds, handle)


@entry("cuMemcpy3DBatchAsync")
def memcpy_3d_batch_async_v1(
    context: Context, number: int, operations: int | None, failed: int | None, flags: int, handle: int | None
) -> None:
    if failed:
        put_u64(failed, _NONE_OF_THEM)
    memcpy_3d_batch_async(context, number, operations, flags, handle)


@entry("cuMemcpy3DBatchAsync_v2")
def memcpy_3d_batch_async(
    context: Context, number: int, operations: int | None, flags: int, handle: int | None
) -> None:
    stream = _stream(context, handle)
    need(operations)
    copies = [_copy_of(one) for one in (CUDA_MEMCPY3D_BATCH_OP * _count(number, flags)).from_address(operations or 0)]
    for copy in copies:
        enqueue(stream, copy)


def _copy_of(operation: CUDA_MEMCPY3D_BATCH_OP) -> Copy:
    extent = operation.extent
    if not extent.width or not extent.height or not extent.depth or operation.srcAccessOrder not in _ORDERS:
        raise invalid_value("an operation has an extent, and a source access order of 1, 2 or 3")
    target, source = [_side(operand, extent.width, extent.height) for operand in (operation.dst, operation.src)]
    work = Copy(target, source, extent.width, extent.height, extent.depth)
    work.check()
    return work


def _side(operand: CUmemcpy3DOperand, width: int, height: int) -> Side:
    """Row length and layer height are in bytes and rows here; 0 means no gap."""
    if operand.type == _ARRAY:
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "the CPU device has no arrays")
    place = operand.op.ptr
    row, rows = place.rowLength or width, place.layerHeight or height
    if operand.type != _POINTER or not place.ptr or row < width or rows < height:
        raise invalid_value("an operand is a pointer (1), its rows and layers no smaller than the extent")
    return Side(UNIFIED, place.ptr, row, row * rows)


def _ranges(pointers: int | None, sizes: int | None, number: int, flags: int) -> list[tuple[int, int]]:
    need(pointers, sizes)
    _count(number, flags)
    return list(zip(u64_array(pointers, number), u64_array(sizes, number)))


def _places(locations: int | None, indices: int | None, kinds: int, number: int) -> list[CUmemLocation]:
    """The location of each operation."""
    need(locations, indices)
    starts = u64_array(indices, min(kinds, number))
    _kinds(starts, kinds, number)
    known = list((CUmemLocation * kinds).from_address(locations or 0))
    ends = [*starts[1:], number]
    return [location for location, start, end in zip(known, starts, ends) for _ in range(start, end)]


@entry("cuMemPrefetchBatchAsync")
def mem_prefetch_batch_async(
    context: Context, pointers: int | None, sizes: int | None, number: int, locations: int | None, indices: int | None,
    kinds: int, flags: int, handle: int | None,
) -> None:  # fmt: skip
    _stream(context, handle)
    ranges = _ranges(pointers, sizes, number, flags)
    for (address, nbytes), location in zip(ranges, _places(locations, indices, kinds, number)):
        check_managed(address, nbytes, location).prefetched(address, nbytes, location)


@entry("cuMemDiscardBatchAsync")
def mem_discard_batch_async(
    context: Context, pointers: int | None, sizes: int | None, number: int, flags: int, handle: int | None
) -> None:
    """What is discarded is undefined on hardware; here it stays as it was."""
    _stream(context, handle)
    for address, nbytes in _ranges(pointers, sizes, number, flags):
        check_managed(address, nbytes)


@entry("cuMemDiscardAndPrefetchBatchAsync")
def mem_discard_and_prefetch_batch_async(
    context: Context, pointers: int | None, sizes: int | None, number: int, locations: int | None, indices: int | None,
    kinds: int, flags: int, handle: int | None,
) -> None:  # fmt: skip
    mem_prefetch_batch_async(context, pointers, sizes, number, locations, indices, kinds, flags, handle)
