"""Semaphores of another API or process, imported to be signalled and waited for in streams and graphs."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import structs
from driver_ctypes.errors import ArgumentError
from driver_ctypes.graphs.parameters import semaphore_params
from driver_ctypes.session.handle import Handle

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

_KINDS = {"opaque_fd": 1, "timeline_fd": 9}  # CUexternalSemaphoreHandleType


class ExternalSemaphore(Handle):
    """An imported semaphore; `import_semaphore` makes it."""

    kind = "external semaphore"
    _destroy = "cuDestroyExternalSemaphore"

    @property
    def handle(self) -> int:
        """The CUexternalSemaphore."""
        self.check_open()
        return self._handle

    def signal(self, value: int, stream: Any = None) -> None:
        """Set it to *value* after the work queued on *stream* so far."""
        self._queue("cuSignalExternalSemaphoresAsync", value, stream, signal=True)

    def wait(self, value: int, stream: Any = None) -> None:
        """Let later work of *stream* wait until it has reached *value*."""
        self._queue("cuWaitExternalSemaphoresAsync", value, stream, signal=False)

    def _queue(self, symbol: str, value: int, stream: Any, *, signal: bool) -> None:
        target = self.context.stream_from(stream)
        target.check_open()
        params, kept, _owners = semaphore_params([(self, value)], signal=signal)
        self.context.call(symbol, params.extSemArray, params.paramsArray, 1, target.handle)
        del kept
        capture = target.active_capture
        if capture is not None:
            capture.retain(self)


def import_semaphore(context: Session, descriptor: int, kind: str = "timeline_fd") -> ExternalSemaphore:
    """The semaphore behind a file descriptor, which is the driver's from then on: ``timeline_fd`` (a Vulkan timeline
    semaphore) or ``opaque_fd``. The emulated driver takes a file of at least 8 bytes, its counter, as either.
    """
    if kind not in _KINDS:
        raise ArgumentError(f"no kind of semaphore {kind!r}", hint=f"use one of {', '.join(_KINDS)}")
    description = structs.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC(type=_KINDS[kind])
    description.handle.fd = descriptor
    handle = ctypes.c_void_p()
    context.call("cuImportExternalSemaphore", ctypes.byref(handle), ctypes.byref(description))
    return ExternalSemaphore(context, handle.value or 0)
