"""Who asked for work: the user's own Python line, for findings about it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import driver_ctypes.abi
from ptxgen.errors import Location

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["calling_lines", "is_watched", "set_watched"]

_watched = [False]


def set_watched(watched: bool) -> None:
    """Whether racecheck watches what the machine does."""
    _watched[0] = watched


def is_watched() -> bool:
    return _watched[0]


_OURS = tuple(f"{folder}/" for folder in (Path(__file__).parents[2], Path(driver_ctypes.abi.__file__).parents[1]))
_LIBRARY = f"{Path(sys.modules['contextlib'].__file__ or '').parent}/"
"""Of Python: what stands between a user's `with` and us."""


def calling_lines() -> tuple[Location, ...]:
    """The innermost line of Python that is neither ours nor of Python's library; nothing where a C program calls."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((*_OURS, "<frozen", "<driver_ctypes", "<ptxgen")) and Path(file).parent != Path(
            _LIBRARY
        ):
            return (Location("python", file, frame.f_lineno),)
        frame = frame.f_back
    return ()
