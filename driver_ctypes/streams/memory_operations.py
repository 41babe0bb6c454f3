"""Words of device memory that are written or waited for in the order of a stream's work: stream memory operations."""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import structs
from driver_ctypes.arguments.parameter import as_pointer
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.session.session import Session


class MemoryOperation(NamedTuple):
    """A word written or waited for in the order of the work: make one with `write_value` or `wait_value`."""

    kind: int
    """CUstreamBatchMemOpType"""
    address: Any
    value: int
    flags: int = 0


_WAITS = {">=": 0, "==": 1, "&": 2, "nor": 3}  # CUstreamWaitValue_flags


def write_value(address: Any, value: int, bits: int = 32) -> MemoryOperation:
    """Write a word of 32 or 64 *bits* to device memory (a buffer, or an address aligned to the word)."""
    return MemoryOperation({32: 2, 64: 5}[_bits(bits)], address, _fitting(value, bits))


def wait_value(address: Any, value: int, when: str = ">=", bits: int = 32) -> MemoryOperation:
    """Wait until a word is ``>=`` (cyclically) or ``==`` *value*, has a bit of it (``&``), or lacks a bit that *value*
    lacks too (``nor``).
    """
    if when not in _WAITS:
        raise ArgumentError(f"no way to wait {when!r}", hint=f"use one of {', '.join(_WAITS)}")
    return MemoryOperation({32: 1, 64: 4}[_bits(bits)], address, _fitting(value, bits), _WAITS[when])


def _bits(bits: int) -> int:
    if bits not in (32, 64):
        raise ArgumentRangeError(f"a word has 32 or 64 bits, not {bits}")
    return bits


def _fitting(value: int, bits: int) -> int:
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise ArgumentRangeError(f"{value} does not fit {bits} bits")
    return value % (1 << bits)


def batch_params(
    context: Session, operations: Sequence[MemoryOperation]
) -> tuple[structs.CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, Any, tuple[Any, ...]]:
    """(the driver's structure, what it points to, owners)."""
    if not operations or not all(isinstance(operation, MemoryOperation) for operation in operations):
        raise ArgumentTypeError("a batch is a list of memory operations", hint="driver_ctypes.write_value, wait_value")
    array = (structs.CUstreamBatchMemOpParams * len(operations))()
    for place, operation in zip(array, operations):
        address = as_pointer(operation.address, context)
        size = 8 if operation.kind in (4, 5) else 4
        if address % size:
            raise ArgumentRangeError(f"a word of {size} bytes at {address:#x} is not aligned")
        place.operation = operation.kind
        place.waitValue.address, place.waitValue.flags = address, operation.flags
        place.waitValue.value64 = operation.value
    params = structs.CUDA_BATCH_MEM_OP_NODE_PARAMS_v2(context.handle, len(operations), ctypes.addressof(array), 0)
    return params, array, tuple([operation.address for operation in operations])
