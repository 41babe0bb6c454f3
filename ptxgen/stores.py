"""Where compiled code, and what the verifier had nothing to say of, are kept from one process to the next: nowhere, until a
device says. At the bottom of the floors, so that whoever opens one says so without loading what makes either.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Store", "are_verdicts_kept", "current_store", "keep_verdicts", "kept_verdict", "set_store", "verdict_found",
]  # fmt: skip


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
    _find[:] = [find]


_asked: list[Callable[[str], str | None]] = []
_told: list[Callable[[str, str], None]] = []


def keep_verdicts(ask: Callable[[str], str | None], tell: Callable[[str, str], None]) -> None:
    """Let verdicts of the verifier outlive the process: `tell(digest, verdict)` is told of new ones, `ask(digest)` gives the
    verdict that an earlier process has found, or None."""
    _asked[:], _told[:] = [ask], [tell]


def are_verdicts_kept() -> bool:
    """Do verdicts outlive the process?"""
    return bool(_asked)


def kept_verdict(digest: str) -> str | None:
    """What an earlier process has found; None where none has."""
    return next((found for ask in _asked if (found := ask(digest)) is not None), None)


def verdict_found(digest: str, verdict: str) -> None:
    """The verifier has found it in this process."""
    for tell in _told:
        tell(digest, verdict)
