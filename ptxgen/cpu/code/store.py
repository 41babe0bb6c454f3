"""Where compiled code is kept from one process to the next, as code generation sees it: nowhere, until the driver says.

What was made of a program depends on all that makes it. The object file of an LLVM text that is a part of the key depends on no
source of this package: it has a store of its own, which a process can ask before it has looked at any.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Store", "current_store", "set_store", "text_store"]


class Store(Protocol):
    """Data under keys of several parts. What code depends on beside these parts is the store's own business."""

    def get(self, *parts: str | bytes | int) -> bytes | None: ...

    def put(self, data: bytes, *parts: str | bytes | int) -> None: ...


_find: list[Callable[[], Store | None]] = [lambda: None, lambda: None]


def current_store() -> Store | None:
    """The process's store; None where there is none."""
    return _find[0]()


def text_store() -> Store | None:
    """The process's store of what was made of texts alone; None where there is none."""
    return _find[1]()


def set_store(find: Callable[[], Store | None], find_texts: Callable[[], Store | None]) -> None:
    """Let compiled code be kept in what `find` answers, that of texts in what `find_texts` does."""
    _find[:] = find, find_texts
