"""Free what a run holds, whatever happened: in reverse order, all of it, and a failure to free is what the caller hears of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["AllOrNone", "Held"]


class Closable(Protocol):
    def close(self) -> object: ...


T = TypeVar("T", bound=Closable)


class Held:
    """`with Held() as held: x = held.add(...)`: everything added is closed at the end.

    An error of closing wins over an error of the body, which becomes its cause: memory that cannot be freed means that the
    device is in a state that the body's error does not tell of.
    """

    def __init__(self, *handles: Closable) -> None:
        self._handles: list[Closable] = list(handles)

    def add(self, handle: T) -> T:
        """Close this too."""
        self._handles.append(handle)
        return handle

    def close(self) -> None:
        """Close all, the last first. Raises the first error, after all were tried."""
        first: BaseException | None = None
        while self._handles:
            try:
                self._handles.pop().close()
            except BaseException as error:
                first = first or error
        if first is not None:
            raise first

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except BaseException as failed:
            if error is not None:
                raise failed from error
            raise


class AllOrNone(Held):
    """`with AllOrNone() as held:` closes what was added only if the body fails: for what is made of several parts."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            super().__exit__(kind, error, trace)
