"""Whose line is it? The innermost frame outside this room and its callers, as code objects and instruction offsets."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ptxgen.errors import BuildError, Diagnostic
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from ptxgen.ir import PythonPlace, PythonSource

__all__ = ["build_error", "caller", "callers", "is_of_room", "raised_at"]

_ROOM = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""The folder of ptxgen.builder: its rooms are one side of the line, user code the other."""

_TRACING = os.path.join(_ROOM, "tracing.py")
"""The file that calls a kernel's own function: the walk to the callers ends there."""

_MOST_CALLERS = 16
"""So many callers of a helper are kept, the nearest ones."""

_inside: dict[str, bool] = {}  # by file name: a code object's hash is computed anew each time


def _is_inside(name: str) -> bool:
    # contextlib stands between the room and its user
    _inside[name] = found = name.startswith(_ROOM) or name.endswith("contextlib.py")
    return found


def caller(depth: int = 2) -> PythonPlace | None:
    """The user's place, no nearer than `depth` frames from here; None when there is no frame outside the room."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if not (_inside[name] if name in _inside else _is_inside(name)):
            return (code, frame.f_lasti)
        frame = frame.f_back
    return None


def callers(depth: int = 2) -> PythonSource | None:
    """As `caller`, with the places that called it, up to the kernel's own function."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if not (_inside[name] if name in _inside else _is_inside(name)):
            outer = frame.f_back
            if outer is None or outer.f_code.co_filename == _TRACING:  # the kernel's own function
                return (code, frame.f_lasti)
            return (code, frame.f_lasti, *_outer(outer))
        frame = frame.f_back
    return None


def _outer(frame: FrameType | None) -> list[CodeType | int]:
    """The frames of user code from one up to the kernel's own function; [] where there is no such function."""
    found: list[CodeType | int] = []
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if name == _TRACING:
            return found[: 2 * _MOST_CALLERS]
        if not (_inside[name] if name in _inside else _is_inside(name)):
            found += (code, frame.f_lasti)
        frame = frame.f_back
    return []


def is_of_room(file: str) -> bool:
    """Is it a file of this room?"""
    return file.startswith(_ROOM)


def raised_at(error: BaseException) -> PythonPlace | None:
    """The user's place nearest to where an exception was raised."""
    found, step = None, error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if not is_of_room(code.co_filename):
            found = (code, step.tb_lasti)
        step = step.tb_next
    return found


def build_error(
    code: str,
    message: str,
    *,
    expected: str | None = None,
    hint: str | None = None,
    source: PythonSource | None = None,
    kind: type[BuildError] = BuildError,
) -> BuildError:
    """A BuildError, or one of its kinds, that names the user's line."""
    places = resolve(source or caller())
    return kind("", [Diagnostic(code, message, locations=places, expected=expected, hint=hint)])
