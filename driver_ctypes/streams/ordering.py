"""Streams by their handles, of whichever library: ordered one after the other, and asked whether they capture."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from driver_ctypes.streams.event import create_event

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

_IMPLICIT = 906  # CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the default stream waits for a stream that captures


def order(context: Session, first: int, then: int) -> None:
    """Let what is queued on stream *then* from now on wait for what is queued on stream *first*: an event between."""
    with create_event(context, timing=False, blocking=False) as event:
        context.call("cuEventRecord", event.handle, first)
        context.call("cuStreamWaitEvent", then, event.handle, 0)


def captures(context: Session, handle: int) -> bool:
    """Whether anybody, perhaps another library, records a graph from this stream."""
    status = ctypes.c_int()
    code = context.try_call("cuStreamIsCapturing", handle, ctypes.byref(status))
    return code == _IMPLICIT if code else status.value != 0
