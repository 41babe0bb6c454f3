"""Who asked for work: the user's own Python line, for findings about it."""

from __future__ import annotations

import os
import sys

import driver_ctypes.abi
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from ptxgen.errors import Location

__all__ = ["calling_lines", "is_watched", "set_watched"]

_watched = [False]


def set_watched(watched: bool) -> None:
    """Whether racecheck watches what the machine does."""
    _watched[0] = watched


def is_watched() -> bool:
    return _watched[0]


def _above(file: str, folders: int) -> str:
    """The folder that many above a file."""
    for _ in range(folders):
        file = os.path.dirname(file)
    return file


_OURS = (f"{_above(__file__, 3)}/", f"{_above(driver_ctypes.abi.__file__, 2)}/", "<frozen", "<driver_ctypes", "<ptxgen")
_LIBRARY = os.path.dirname(os.__file__)
"""Of Python: what stands between a user's `with` and us."""


def calling_lines() -> tuple[Location, ...]:
    """The innermost line of Python that is neither ours nor of Python's library; nothing where a C program calls."""
    from ptxgen.errors import Location

    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_OURS) and os.path.dirname(file) != _LIBRARY:
            return (Location("python", file, frame.f_lineno),)
        frame = frame.f_back
    return ()
