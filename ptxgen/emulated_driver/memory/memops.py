"""Memory operations in stream order: words written, and words waited for.

A wait that is not fulfilled yet keeps the calling thread, since work runs in it: another thread has to write the word,
by a stream or by a kernel's end. After `WAIT_TIMEOUT` seconds without, the wait is a fault of the context (LAUNCH_TIMEOUT).
"""

from __future__ import annotations

import ctypes
import time
from typing import NamedTuple

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, CUstreamBatchMemOpParams
from ptxgen.emulated_driver.calls.registry import entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import check_device_span, note_written
from ptxgen.emulated_driver.pointers import struct
from ptxgen.emulated_driver.state.context import Context, contexts
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork
from ptxgen.emulated_driver.state.order import waited_for_value
from ptxgen.emulated_driver.streams.stream import enqueue, stream_of

Kind = enums.CUstreamBatchMemOpType
WAIT_TIMEOUT = 20.0
_POLL_INTERVAL = 100e-6  # seconds between looks at a word
_BITS = {Kind.WAIT_VALUE_32: 32, Kind.WRITE_VALUE_32: 32, Kind.WAIT_VALUE_64: 64, Kind.WRITE_VALUE_64: 64}
Compare = enums.CUstreamWaitValue_flags
_COMPARISONS = (Compare.GEQ, Compare.EQ, Compare.AND, Compare.NOR)
_WAITS = (Kind.WAIT_VALUE_32, Kind.WAIT_VALUE_64)


class MemoryOperation(NamedTuple):
    """One write or wait. Barriers order what is in order here anyway, so that they do nothing."""

    kind: int
    address: int = 0
    value: int = 0
    flags: int = 0

    @property
    def bits(self) -> int:
        return _BITS[Kind(self.kind)]

    def check(self) -> None:
        if self.kind == Kind.BARRIER:
            if self.flags not in (enums.CUstreamMemoryBarrier_flags.SYS, enums.CUstreamMemoryBarrier_flags.GPU):
                raise invalid_value(f"barrier flags {self.flags}: 0 (system) or 1 (device)")
            return
        if self.kind == Kind.FLUSH_REMOTE_WRITES:
            raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "the device does not flush remote writes")
        if self.kind not in _BITS:
            raise invalid_value(f"memory operation {self.kind} is not offered")
        if self.kind in _WAITS and self.flags & Compare.FLUSH:
            raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "the device does not flush remote writes")
        if self.flags not in (_COMPARISONS if self.kind in _WAITS else (0,)):
            raise invalid_value(f"flags {self.flags:#x} of memory operation {self.kind}")
        if not self.address or self.address % (self.bits // 8):
            raise invalid_value(f"{self.address:#x} is not aligned to {self.bits // 8} bytes")
        check_device_span(self.address, self.bits // 8)

    def run(self, context: ExecutionContext) -> None:
        if self.kind == Kind.BARRIER:
            return
        word = (ctypes.c_uint32 if self.bits == 32 else ctypes.c_uint64).from_address(self.address)
        if self.kind in _WAITS:
            self._wait(word, context)
        else:
            word.value = self.value
            note_written(self.address, self.bits // 8)

    def _wait(self, word: ctypes.c_uint32 | ctypes.c_uint64, context: ExecutionContext) -> None:
        deadline = time.monotonic() + WAIT_TIMEOUT
        while not self._fulfilled(word.value):
            if time.monotonic() > deadline:
                context.fail(
                    enums.CUresult.ERROR_LAUNCH_TIMEOUT,
                    f"a stream waited {WAIT_TIMEOUT:g} s for the word at {self.address:#x} ({word.value:#x}; {self.value:#x} was"
                    " waited for): work of the CPU device runs in the calling thread, so write the word first or in another",
                )
                return
            time.sleep(_POLL_INTERVAL)
        waited_for_value()

    def _fulfilled(self, found: int) -> bool:
        mask = (1 << self.bits) - 1
        if self.flags == Compare.GEQ:  # cyclic: the difference as a signed number is not negative
            return (found - self.value) & mask < 1 << self.bits - 1
        if self.flags == Compare.EQ:
            return found == self.value
        if self.flags == Compare.AND:
            return found & self.value != 0
        return ~(found | self.value) & mask != 0


class MemoryOperations(NodeWork):
    """A batch of operations, in order."""

    __slots__ = ("context", "kept_alive", "operations")
    kind = enums.CUgraphNodeType.BATCH_MEM_OP

    def __init__(self, context: Context, operations: list[MemoryOperation]) -> None:
        self.context = context
        self.operations = operations
        self.kept_alive: object = None
        self.check()

    def check(self) -> None:
        for operation in self.operations:
            operation.check()

    def run(self, context: ExecutionContext) -> None:
        for operation in self.operations:
            if not context.fault:
                operation.run(context)

    def params(self) -> CUDA_BATCH_MEM_OP_NODE_PARAMS_v2:
        """As cuGraphBatchMemOpNodeGetParams tells it; the array lives as long as the node's work."""
        array = (CUstreamBatchMemOpParams * max(len(self.operations), 1))()
        for place, operation in zip(array, self.operations):
            place.operation = operation.kind
            if operation.kind == Kind.BARRIER:
                place.memoryBarrier.flags = operation.flags
            else:
                place.waitValue.address, place.waitValue.flags = operation.address, operation.flags
                place.waitValue.value64 = operation.value
        self.kept_alive = array
        return CUDA_BATCH_MEM_OP_NODE_PARAMS_v2(
            self.context.handle, len(self.operations), ctypes.addressof(array) if self.operations else None, 0
        )


def read_operations(count: int, array: int | None) -> list[MemoryOperation]:
    if count and not array:
        raise invalid_value("the array of operations is null")
    if count > 256:
        raise invalid_value(f"{count} operations: a batch has at most 256")
    operations = []
    for index in range(count):
        params = struct(CUstreamBatchMemOpParams, (array or 0) + index * ctypes.sizeof(CUstreamBatchMemOpParams))
        kind = params.operation
        if kind == Kind.BARRIER:
            operations.append(MemoryOperation(kind, flags=params.memoryBarrier.flags))
        else:
            value = params.waitValue.value64 if _BITS.get(kind) == 64 else params.waitValue.value
            operations.append(MemoryOperation(kind, params.waitValue.address, value, params.waitValue.flags))
    return operations


def batch_of(params: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2) -> MemoryOperations:
    """The work of a batch node's parameters."""
    if params.flags or not params.ctx:
        raise invalid_value("flags must be 0 and the context not null")
    operations = read_operations(params.count, params.paramArray)
    if any(operation.kind == Kind.BARRIER for operation in operations):
        raise invalid_value("a batch node has no barriers")
    return MemoryOperations(contexts.get(params.ctx).check(), operations)


def _one(context: Context, handle: int | None, kind: Kind, address: int, value: int, flags: int) -> None:
    stream = stream_of(context, handle)
    enqueue(stream, MemoryOperations(context, [MemoryOperation(kind, address, value, flags)]))


@entry("cuStreamWriteValue32_v2")
def stream_write_value_32(context: Context, handle: int | None, address: int, value: int, flags: int) -> None:
    _one(context, handle, Kind.WRITE_VALUE_32, address, value, flags)


@entry("cuStreamWriteValue64_v2")
def stream_write_value_64(context: Context, handle: int | None, address: int, value: int, flags: int) -> None:
    _one(context, handle, Kind.WRITE_VALUE_64, address, value, flags)


@entry("cuStreamWaitValue32_v2")
def stream_wait_value_32(context: Context, handle: int | None, address: int, value: int, flags: int) -> None:
    _one(context, handle, Kind.WAIT_VALUE_32, address, value, flags)


@entry("cuStreamWaitValue64_v2")
def stream_wait_value_64(context: Context, handle: int | None, address: int, value: int, flags: int) -> None:
    _one(context, handle, Kind.WAIT_VALUE_64, address, value, flags)


@entry("cuStreamBatchMemOp_v2")
def stream_batch_mem_op(context: Context, handle: int | None, count: int, array: int | None, flags: int) -> None:
    stream = stream_of(context, handle)
    if flags:
        raise invalid_value(f"flags {flags} of a batch: 0")
    work = MemoryOperations(context, read_operations(count, array))
    if count:
        enqueue(stream, work)
