"""Whose line is it? The innermost frame outside this room, as (code object, instruction offset)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ptxgen.errors import BuildError, Diagnostic
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from types import FrameType

    from ptxgen.ir import PythonSource

__all__ = ["build_error", "caller", "is_of_room", "raised_at"]

_ROOM = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""The folder of ptxgen.builder: its rooms are one side of the line, user code the other."""

_inside: dict[str, bool] = {}  # by file name: a code object's hash is computed anew each time


def caller(depth: int = 2) -> PythonSource | None:
    """The user's place, no nearer than `depth` frames from here; None when there is no frame outside the room."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if name not in _inside:
            # contextlib stands between the room and its user
            _inside[name] = name.startswith(_ROOM) or name.endswith("contextlib.py")
        if not _inside[name]:
            return (code, frame.f_lasti)
        frame = frame.f_back
    return None


def is_of_room(file: str) -> bool:
    """Is it a file of this room?"""
    return file.startswith(_ROOM)


def raised_at(error: BaseException) -> PythonSource | None:
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
