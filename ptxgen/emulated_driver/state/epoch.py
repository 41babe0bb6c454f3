"""The epoch: a number that changes whenever an answer may change that machine code keeps (`calls.kept`).

Whatever changes such an answer calls `changed` afterwards: what is current in a thread, which contexts there are, a fork, a host
function that begins.
"""

from __future__ import annotations

import ctypes
from itertools import count

__all__ = ["changed", "keep_nothing", "word"]

_numbers = count(2)
_nothing = False

word = ctypes.c_uint64(1)
"""Read by machine code. While it is 0, no answer is kept or given again."""


def changed() -> None:
    """No answer that was kept until now is given again."""
    if not _nothing:
        word.value = next(_numbers)


def keep_nothing(nothing: bool) -> None:
    """Whether every call reaches Python from now on: while failures are injected, or calls counted."""
    global _nothing
    _nothing = nothing
    word.value = 0 if nothing else next(_numbers)
