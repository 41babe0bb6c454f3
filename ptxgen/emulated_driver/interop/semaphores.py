"""External semaphores: counters that another process or API shares with the device.

A GPU imports fences of graphics APIs. This device imports a *counter file*: the descriptor of a file (a memfd, for
example) whose first eight bytes are an unsigned counter. A signal stores its value there, a wait waits until the counter
has reached its value. Both kinds of file descriptor (opaque, timeline) mean that.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import time
from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import (
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
)
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.memops import WAIT_TIMEOUT
from ptxgen.emulated_driver.pointers import need, put_u64, struct, u64_array
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.order import waited_for_value
from ptxgen.emulated_driver.streams.stream import enqueue, stream_of

if TYPE_CHECKING:
    from typing import Any

Type = enums.CUexternalSemaphoreHandleType
_POLL_INTERVAL = 100e-6  # seconds between looks at a counter


class Semaphore:
    """An imported counter. The descriptor is the driver's from then on, as with a GPU's."""

    def __init__(self, context: Context, descriptor: int) -> None:
        try:
            if os.fstat(descriptor).st_size < 8:
                raise Refusal(enums.CUresult.ERROR_OPERATING_SYSTEM, "a counter file has at least 8 bytes")
            self._map = mmap.mmap(descriptor, 8)
        except OSError as error:
            raise Refusal(enums.CUresult.ERROR_OPERATING_SYSTEM, f"file descriptor {descriptor}: {error}") from None
        os.close(descriptor)
        self.counter = ctypes.c_uint64.from_buffer(self._map)
        self.handle = context.own(semaphores, semaphores.add(self))


semaphores: Handles[Semaphore] = Handles("external semaphore", stale=enums.CUresult.ERROR_INVALID_VALUE)


class SemaphoreWork(NodeWork):
    """Semaphores with the values to be stored or waited for."""

    __slots__ = ("fences", "flags", "kept_alive")

    def __init__(self, fences: list[tuple[Semaphore, int]], flags: int = 0) -> None:
        self.fences = fences
        self.flags = flags
        self.kept_alive: object = None

    def check(self) -> None:
        for semaphore, _value in self.fences:
            semaphores.get(semaphore.handle)

    def params(self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1:
        """As the node's getter tells it; the arrays live as long as the node's work."""
        number = len(self.fences)
        handles = (ctypes.c_uint64 * max(number, 1))(*[semaphore.handle for semaphore, _value in self.fences])
        values = (_params_of(type(self)) * max(number, 1))()
        for place, (_semaphore, value) in zip(values, self.fences):
            place.params.fence.value = value
        self.kept_alive = (handles, values)
        return CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1(ctypes.addressof(handles), ctypes.addressof(values), number)


class SemaphoreSignal(SemaphoreWork):
    __slots__ = ()
    kind = enums.CUgraphNodeType.EXT_SEMAS_SIGNAL

    def run(self, context: ExecutionContext) -> None:
        for semaphore, value in self.fences:
            semaphore.counter.value = value


class SemaphoreWait(SemaphoreWork):
    __slots__ = ()
    kind = enums.CUgraphNodeType.EXT_SEMAS_WAIT

    def run(self, context: ExecutionContext) -> None:
        deadline = time.monotonic() + WAIT_TIMEOUT
        for semaphore, value in self.fences:
            while semaphore.counter.value < value:
                if time.monotonic() > deadline:
                    context.fail(
                        enums.CUresult.ERROR_LAUNCH_TIMEOUT,
                        f"a stream waited {WAIT_TIMEOUT:g} s for an external semaphore to reach {value}; it is at"
                        f" {semaphore.counter.value}",
                    )
                    return
                time.sleep(_POLL_INTERVAL)
        waited_for_value()


def _params_of(kind: type[SemaphoreWork]) -> Any:
    return CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS if kind is SemaphoreSignal else CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS


def semaphore_work(kind: type[SemaphoreWork], handles: int | None, array: int | None, number: int) -> SemaphoreWork:
    """The work of semaphores and their parameters; none at all is legal, and does nothing."""
    found = [semaphores.get(handle) for handle in u64_array(handles, number)]
    if number:
        need(array)
    each = (_params_of(kind) * number).from_address(array) if number else ()
    if any(params.flags for params in each):
        raise invalid_value("flags of external semaphores must be 0")
    return kind([(semaphore, params.params.fence.value) for semaphore, params in zip(found, each)])


def semaphore_node(kind: type[SemaphoreWork], params: Any) -> SemaphoreWork:
    """The same from a node's parameters."""
    return semaphore_work(kind, params.extSemArray, params.paramsArray, params.numExtSems)


@entry("cuImportExternalSemaphore")
def import_external_semaphore(context: Context, out: int | None, description: int | None) -> None:
    need(out)
    wanted = struct(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, description)
    if wanted.type not in set(Type) or wanted.flags or any(wanted.reserved):
        raise invalid_value(f"semaphore type {wanted.type}, flags {wanted.flags}")
    if wanted.type not in (Type.OPAQUE_FD, Type.TIMELINE_SEMAPHORE_FD):
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "the CPU device imports file descriptors of counter files")
    put_u64(out, Semaphore(context, wanted.handle.fd).handle)


@entry("cuDestroyExternalSemaphore", needs=INIT)
def destroy_external_semaphore(handle: int | None) -> None:
    if not handle:
        raise invalid_value("the semaphore is null")
    semaphores.remove(handle)


@entry("cuSignalExternalSemaphoresAsync")
def signal_external_semaphores(
    context: Context, handles: int | None, params: int | None, number: int, stream: int | None
) -> None:
    enqueue(stream_of(context, stream), semaphore_work(SemaphoreSignal, handles, params, number))


@entry("cuWaitExternalSemaphoresAsync")
def wait_external_semaphores(
    context: Context, handles: int | None, params: int | None, number: int, stream: int | None
) -> None:
    enqueue(stream_of(context, stream), semaphore_work(SemaphoreWait, handles, params, number))
