"""Where compiled code is kept from one process to the next, as code generation sees it: nowhere, until the driver says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Store", "current_store", "set_store"]


class Store(Protocol):
    """Data under keys of several parts. What code depends on beside these parts is the store's own business."""

    def get(self, *parts: str | bytes | int) -> bytes | None: ...

    def put(self, data: bytes, *parts: str | bytes | int) -> None: ...


_find: list[Callable[[], Store | None]] = [lambda: None]


def current_store() -> Store | None:
    """The process's store; None where there is none."""
    return _find[0]()


def set_store(find: Callable[[], Store | None]) -> None:
    """Let compiled code be kept in what `find` answers."""
    _find[0] = find
