"""Parts of resident buffers, which of them are one copy, and host data as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.runtime.errors import InvalidProgramError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.runtime.memory.resident import ResidentBuffer

__all__ = ["Range", "Run", "as_bytes", "runs_of"]


class Range(NamedTuple):
    """Part of a resident buffer, in bytes."""

    buffer: ResidentBuffer
    offset: int
    nbytes: int


class Run(NamedTuple):
    """Bytes of one buffer that are one copy: parts that were named one after the other and lie so; `members` are their places
    among all parts."""

    buffer: ResidentBuffer
    offset: int
    nbytes: int
    members: tuple[int, ...]


def runs_of(parts: Sequence[Range]) -> list[Run]:
    """The parts in order, those that lie side by side joined; empty ones are left out."""
    found: list[Run] = []
    for place, part in enumerate(parts):
        if not part.nbytes:
            continue
        last = found[-1] if found else None
        if last is not None and last.buffer is part.buffer and last.offset + last.nbytes == part.offset:
            found[-1] = Run(last.buffer, last.offset, last.nbytes + part.nbytes, (*last.members, place))
        else:
            found.append(Run(part.buffer, part.offset, part.nbytes, (place,)))
    return found


def as_bytes(data: Any) -> memoryview:
    """Host data as its bytes. InvalidProgramError for what has no contiguous memory."""
    try:
        view = memoryview(data)
        return view if view.format == "B" and view.ndim == 1 else view.cast("B")
    except TypeError as error:
        on_device = hasattr(type(data), "_life") or hasattr(data, "__cuda_array_interface__")
        raise InvalidProgramError(
            f"{type(data).__name__} is no contiguous host memory: {error}",
            fix="pass arrays in device memory to dispatch_arrays" if on_device else "pass bytes or a contiguous array",
        ) from None
