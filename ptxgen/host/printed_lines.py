"""What the lines of PTX on a CPU device were printed from: a finding and a profile name the Python function's lines by it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ptxgen.ir import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    import driver_ctypes
    from ptxgen.errors import Location

__all__ = ["note_lines", "written_at"]

_loaded: WeakKeyDictionary[driver_ctypes.Module, Sequence[object]] = WeakKeyDictionary()


def note_lines(loaded: driver_ctypes.Module, items: Sequence[object]) -> None:
    """A module was loaded; `items` are what its lines of PTX were printed from."""
    _loaded[loaded] = items


def written_at(kernel: str, places: tuple[Location, ...], instruction: str) -> tuple[Location, ...]:
    """An instruction's places in PTX text, behind those of what it was printed from: in the module that was loaded last and has
    that kernel, and on that line such an instruction."""
    line = places[0].line if places else 0
    for loaded, items in reversed(list(_loaded.items())):
        item = items[line - 1] if kernel in loaded.signatures and 0 < line <= len(items) else None
        op = getattr(item, "op", None)
        if op is not None and op in instruction:
            return (*resolve(getattr(item, "source", None)), *places)
    return places
