"""Which capture records a stream, found by its CUstream: the driver reports it for every stream that joined,
whichever call made it join and whichever object names it now.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from driver_ctypes.interop.streams import LEGACY
from driver_ctypes.lifetime import in_child

if TYPE_CHECKING:
    from driver_ctypes.session.capture import ActiveCapture
    from driver_ctypes.session.session import Session

_ACTIVE = 1  # CU_STREAM_CAPTURE_STATUS_ACTIVE
_NEVER_CAPTURED = (0, LEGACY)

running_captures: list[ActiveCapture] = []  # of every context: streams of one may join the capture of another
in_child(running_captures.clear)


def begun(capture: ActiveCapture) -> None:
    """*capture* records from now on. No launch of its context takes the fast path meanwhile, so that each checks whether
    it is recorded.
    """
    running_captures.append(capture)
    capture.stream.context.launches.revoke()


def ended(capture: ActiveCapture) -> None:
    """It does so no longer."""
    if capture in running_captures:
        running_captures.remove(capture)


def anything_captures() -> bool:
    """Whether a capture of this package runs, in a context that is still there."""
    return any(not capture.stream.context.closed for capture in tuple(running_captures))


def capture_of(context: Session, stream: int) -> ActiveCapture | None:
    """The capture of this package that records what is queued on a CUstream. Costs nothing while there is none."""
    if not running_captures or stream in _NEVER_CAPTURED:
        return None
    identity = capture_state(context, stream)[0]
    if not identity:
        return None
    found = [
        one
        for one in tuple(running_captures)
        if one.identity == identity and one.stream.context.driver is context.driver
    ]
    return found[0] if found else None


def capture_state(context: Session, stream: int) -> tuple[int, int]:
    """(the number of the capture that a stream takes part in, the CUgraph it is recorded into); 0 where there is none, or
    one that is broken.
    """
    status, identity, graph = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_void_p()
    out = ctypes.byref(status), ctypes.byref(identity), ctypes.byref(graph), None
    rest = (None, None) if context.driver.has("cuStreamGetCaptureInfo_v3") else (None,)
    context.call(f"cuStreamGetCaptureInfo_v{len(rest) + 1}", stream, *out, *rest)
    return (identity.value, graph.value or 0) if status.value == _ACTIVE else (0, 0)
