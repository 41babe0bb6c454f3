"""The lease of a capture: which captures may go on at the same time, and who holds the one in the way.

A global capture forbids what every other thread does (allocating, freeing, synchronising), so it has its context alone,
and so has each capture that asks for it. The others share: each has its own stream.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

from driver_ctypes.errors import CaptureError
from driver_ctypes.lifetime import renew_in_child

if TYPE_CHECKING:
    from types import FrameType

    from driver_ctypes.session.capture import ActiveCapture

_changed = threading.Condition()
renew_in_child(globals(), "_changed", threading.Condition)
_OURS = ("driver_ctypes", "ptxgen", "contextlib")  # modules whose frames are not the caller's


def acquire(capture: ActiveCapture, wait: float) -> None:
    """Enter *capture* among its context's. Raises CaptureError naming the holder where one is in the way for *wait*
    seconds; a capture of the same thread is not waited for.
    """
    captures = capture.stream.context.captures
    until = time.monotonic() + wait
    with _changed:
        while True:
            holder = next((other for other in captures if other.exclusive or capture.exclusive), None)
            if holder is None:
                captures.append(capture)
                return
            left = until - time.monotonic()
            if left <= 0 or holder.thread is threading.current_thread():
                raise _refused(capture, holder)
            _changed.wait(left)


def release(capture: ActiveCapture) -> None:
    """*capture* has ended."""
    with _changed:
        capture.stream.context.captures.remove(capture)
        _changed.notify_all()


def _refused(capture: ActiveCapture, holder: ActiveCapture) -> CaptureError:
    who = "this capture" if capture.exclusive and not holder.exclusive else "the other one"
    return CaptureError(
        f"thread {holder.thread.name!r} is capturing {holder.stream!r} in mode {holder.mode}, since {holder.place}; {who} "
        "needs the context alone",
        hint="let it end, pass wait=seconds, or capture both in mode 'thread_local' without exclusive=True",
    )


def caller() -> str:
    """Where the program called this package: "file.py:12, in main"."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame = frame.f_back
    if frame is None:
        return "an unknown place"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}, in {frame.f_code.co_name}"
