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

__all__ = ["MOST_CALLERS", "Callers", "build_error", "caller", "calls_kernels", "is_of_room", "raised_at"]

F = TypeVar("F", bound="Callable[..., Any]")

_ROOM = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""The folder of ptxgen.builder: its rooms are one side of the line, user code the other."""

MOST_CALLERS = 16
"""So many callers of a helper are kept, the nearest ones."""

_roots: list[CodeType] = []
_inside: set[str] = set()
_outside: set[str] = set()
"""The files that were met, of the room and of user code. By name: a code object's hash is computed anew each time."""


def calls_kernels(function: F) -> F:
    """Mark the function that calls a kernel's own function: the walk to the callers ends there."""
    _roots.append(function.__code__)
    return function


def _is_outside(name: str) -> bool:
    """Is it a file of user code?"""
    if name not in _inside:
        # contextlib stands between the room and its user
        inside = name.startswith(_ROOM) or name.endswith("contextlib.py")
        (_inside if inside else _outside).add(name)
    return name in _outside


def _user_frame(frame: FrameType | None) -> FrameType | None:
    """The frame, or the innermost one that called it, which is outside the room."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name in _outside or _is_outside(name):
            return frame
        frame = frame.f_back
    return None


def caller(depth: int = 2) -> PythonPlace | None:
    """The user's place, no nearer than `depth` frames from here; None when there is no frame outside the room."""
    frame = _user_frame(sys._getframe(depth))
    return None if frame is None else (frame.f_code, frame.f_lasti)


_MOST_KNOWN = 64
"""Frames, with what their variables hold, that may be kept behind their return."""

_RESUMABLE = 0x20 | 0x80 | 0x200  # flags of code objects: generators, coroutines, asynchronous generators


class Callers:
    """The places that called the frames of user code under way, of one function that is being built: every instruction asks.

    While a frame runs, what called it waits, and its places stay as they are. Not so of one that can be left and resumed from
    elsewhere, as a generator's can: nothing is kept of it.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[FrameType, tuple[CodeType | int, ...]] = {}

    def find(self, depth: int = 2) -> PythonSource | None:
        """As `caller`, with the places that called it, up to the kernel's own function; without where there is no such one."""
        frame: FrameType | None = sys._getframe(depth)
        while frame is not None and frame.f_code.co_filename in _inside:
            frame = frame.f_back
        above = self._known.get(frame)  # type: ignore[arg-type]  # None is not there
        if above is None:
            frame = _user_frame(frame)
            above = self._above(frame) if frame is not None else ()
        return (frame.f_code, frame.f_lasti) + above if frame is not None else None

    def forget(self) -> None:
        """Let go of the frames."""
        self._known.clear()

    def _above(self, frame: FrameType) -> tuple[CodeType | int, ...]:
        """The places that called a frame of user code, the nearest ones, up to the kernel's own function; () where there is no
        such function."""
        known, new = self._known, [frame]
        while True:
            outer = new[-1].f_back
            if outer is not None and outer.f_code in _roots:
                above: tuple[CodeType | int, ...] = ()
                break
            caller = _user_frame(outer)
            if caller is None:
                return ()
            if caller in known:
                above = _called_from(caller, known[caller])
                break
            new.append(caller)
        if len(known) > _MOST_KNOWN:
            known.clear()
        while True:
            each = new.pop()
            if not each.f_code.co_flags & _RESUMABLE:
                known[each] = above
            if not new:
                return above
            above = _called_from(each, above)


def _called_from(frame: FrameType, above: tuple[CodeType | int, ...]) -> tuple[CodeType | int, ...]:
    """The places above what a frame calls, those above it given."""
    places = (frame.f_code, frame.f_lasti) + above
    return places if len(places) <= 2 * MOST_CALLERS else places[: 2 * MOST_CALLERS]


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
