"""Python's collector of cycles, while a program is built and judged, and while a device is opened.

It comes after every 700 objects, and what is built lives on: its visits freed little, and took an eighth of a first use.
"""

from __future__ import annotations

import gc

from driver_ctypes.primitives import contextmanager

TYPE_CHECKING = False  # type checkers know the name without its import from `typing`, which takes 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["rarely_collected"]

_MANY = 100_000
"""Objects made and not freed after which it comes nevertheless, so that a very large program does not fill the memory."""

_inside: list[object] = []  # who is in a body, of any thread
_before: list[tuple[int, int, int]] = []


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Let it come rarely during the body. Bodies may be nested, and threads in theirs at once: the last to leave restores what
    stood before. A collector that is off, or comes more rarely, is left alone."""
    me = object()
    _inside.append(me)
    found = gc.get_threshold()
    if 0 < found[0] < _MANY:
        _before[:] = [found]
        gc.set_threshold(_MANY, *found[1:])
    try:
        yield
    finally:
        _inside.remove(me)
        if not _inside and _before and gc.get_threshold()[0] == _MANY:
            gc.set_threshold(*_before.pop())
