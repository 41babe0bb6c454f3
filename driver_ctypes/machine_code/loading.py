"""Object files loaded without LLVM: placed in memory, with the names that they need found in the process."""

from __future__ import annotations

import ctypes

from driver_ctypes.machine_code.elf import place
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LoadedObject", "load_placed"]


class LoadedObject:
    """Loaded machine code; `addresses` of its exported functions hold as long as it lives."""

    __slots__ = ("_keeps", "addresses")

    def __init__(self, keeps: Any, addresses: Mapping[str, int]) -> None:
        self._keeps = keeps
        self.addresses = addresses


def load_placed(code: bytes, known: Mapping[str, int], needs: Sequence[LoadedObject] = ()) -> LoadedObject:
    """An object file in memory, which keeps `needs`. Names that it does not define are looked up in `known`, then in the process.

    RuntimeError where one is nowhere, UnknownObjectError for a file that is LLVM's to load, OSError where the system lets no code
    be made.
    """

    def resolve(name: str) -> int:
        found = known.get(name)
        return found if found is not None else _in_process(name)

    image = place(code, resolve)
    return LoadedObject((image.memory, *needs), image.exports)


def _in_process(name: str) -> int:
    try:
        return ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name))  # whose handle is that of the process
    except ValueError:
        raise RuntimeError(f"symbol not found: {name}") from None
