"""Whose line is it? The innermost frame outside this room and its callers, as code objects and instruction offsets."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.errors import BuildError, Diagnostic
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    from ptxgen.ir import PythonPlace, PythonSource

__all__ = ["MOST_CALLERS", "build_error", "caller", "callers", "calls_kernels", "is_of_room", "raised_at"]

F = TypeVar("F", bound="Callable[..., Any]")

_ROOM = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""The folder of ptxgen.builder: its rooms are one side of the line, user code the other."""

MOST_CALLERS = 16
"""So many callers of a helper are kept, the nearest ones."""

_roots: list[CodeType] = []
_inside: dict[str, bool] = {}  # by file name: a code object's hash is computed anew each time


def calls_kernels(function: F) -> F:
    """Mark the function that calls a kernel's own function: the walk to the callers ends there."""
    _roots.append(function.__code__)
    return function


def _is_inside(name: str) -> bool:
    # contextlib stands between the room and its user
    _inside[name] = found = name.startswith(_ROOM) or name.endswith("contextlib.py")
    return found


def _user_frame(frame: FrameType | None) -> FrameType | None:
    """The frame, or the innermost one that called it, which is outside the room."""
    while frame is not None:
        name = frame.f_code.co_filename
        try:
            inside = _inside[name]
        except KeyError:
            inside = _is_inside(name)
        if not inside:
            return frame
        frame = frame.f_back
    return None


def caller(depth: int = 2) -> PythonPlace | None:
    """The user's place, no nearer than `depth` frames from here; None when there is no frame outside the room."""
    frame = _user_frame(sys._getframe(depth))
    return None if frame is None else (frame.f_code, frame.f_lasti)


def callers(depth: int = 2) -> PythonSource | None:
    """As `caller`, with the places that called it, up to the kernel's own function."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:  # as `_user_frame`: every instruction comes here
        code = frame.f_code
        name = code.co_filename
        try:
            inside = _inside[name]
        except KeyError:
            inside = _is_inside(name)
        outer = frame.f_back
        if not inside:
            if outer is None or outer.f_code in _roots:  # the kernel's own function
                return (code, frame.f_lasti)
            return (code, frame.f_lasti, *_outer(outer))
        frame = outer
    return None


def _outer(frame: FrameType | None) -> list[CodeType | int]:
    """The frames of user code from one up to the kernel's own function; [] where there is no such function."""
    found: list[CodeType | int] = []
    while (frame := _user_frame(frame)) is not None:
        found += (frame.f_code, frame.f_lasti)
        frame = frame.f_back
        if frame is not None and frame.f_code in _roots:
            return found[: 2 * MOST_CALLERS]
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
