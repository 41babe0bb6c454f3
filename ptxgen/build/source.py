"""Whose line is it? The innermost frame outside this room, as (code object, instruction offset)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ptxgen.errors import BuildError, Diagnostic
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from ptxgen.ir import PythonSource

__all__ = ["build_error", "caller"]

_ROOM = os.path.dirname(os.path.abspath(__file__)) + os.sep
_inside: dict[CodeType, bool] = {}


def caller() -> PythonSource | None:
    """The user's place; None when there is no frame outside the room."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        inside = _inside.get(code)
        if inside is None:
            # contextlib and generators of the standard library stand between the room and its user
            name = code.co_filename
            inside = _inside[code] = name.startswith(_ROOM) or name.endswith("contextlib.py")
        if not inside:
            return (code, frame.f_lasti)
        frame = frame.f_back
    return None


def build_error(
    code: str, message: str, *, expected: str | None = None, hint: str | None = None, source: PythonSource | None = None
) -> BuildError:
    """A BuildError that names the user's line."""
    places = resolve(source or caller())
    return BuildError("", [Diagnostic(code, message, locations=places, expected=expected, hint=hint)])
