"""Handles: numbers that stand for the driver's objects. No number is used twice, and its high bits say the kind; so a
stale or wrong handle is an error, never a crash.
"""

from __future__ import annotations

from itertools import count

from driver_ctypes.typing import TYPE_CHECKING, Generic, NoReturn, TypeVar, cast
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_handle, invalid_value

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

_INVALID_HANDLE = 400  # CUresult
_KIND_SHIFT = 36
_kinds = count(0x5C0)


class Handles(Generic[T]):
    """The live objects of one kind, by handle. Adding, looking up and removing are atomic."""

    def __init__(self, kind: str, *, counted: bool = True, stale: int = _INVALID_HANDLE) -> None:
        self.kind = kind
        self.counted = counted  # does a caller have to destroy them?
        self._stale = stale
        self._tag = next(_kinds)
        self._numbers = count((self._tag << _KIND_SHIFT) + 16, 16)
        self.live: dict[int, T] = {}  # by handle
        tables.append(cast("Handles[object]", self))

    def add(self, thing: T) -> int:
        handle = next(self._numbers)
        self.live[handle] = thing
        return handle

    def get(self, handle: int | None) -> T:
        found = self.live.get(handle or 0)
        if found is None:
            self._refuse(handle)
        return found

    def find(self, handle: int | None) -> T | None:
        return self.live.get(handle or 0)

    def named(self, handle: int | None) -> T:
        """What the handle of a call names; any other one is INVALID_VALUE."""
        found = self.find(handle)
        if found is None:
            raise invalid_value(f"{handle or 0:#x} is not a live {self.kind}")
        return found

    def remove(self, handle: int | None) -> T:
        """Takes it out; of two threads that try, one fails."""
        found = self.live.pop(handle or 0, None)
        if found is None:
            self._refuse(handle)
        return found

    def discard(self, handle: int) -> None:
        self.live.pop(handle, None)

    def move(self, handle: int, to: Handles[T]) -> None:
        """It is of another table from now on, under the same handle."""
        to.live[handle] = self.remove(handle)

    def _refuse(self, handle: int | None) -> NoReturn:
        if (handle or 0) >> _KIND_SHIFT == self._tag:
            raise Refusal(self._stale, f"{handle:#x} is a {self.kind} that was destroyed")
        raise invalid_handle(self.kind, handle)

    def __len__(self) -> int:
        return len(self.live)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self.live.values()))


tables: list[Handles[object]] = []
