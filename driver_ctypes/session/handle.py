"""The base of every object that owns a driver handle, and how living graphs hold such objects.

What a graph uses is *retained* by it: ``close()`` on a retained object forbids further use, and the last graph's close
frees it.
"""

from __future__ import annotations

from driver_ctypes.errors import ClosedError
from driver_ctypes.lifetime import Process, Single, renew_in_child
from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING, ClassVar, TypeVar

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

_H = TypeVar("_H", bound="Handle")

_lock = Lock()  # for all counts of graphs; never taken by a finalizer
renew_in_child(globals(), "_lock")


class Retained(Single):
    """What living graphs may use: when it is closed meanwhile, the last of them frees it."""

    _retained = 0  # by how many graphs
    _closed = False

    def close(self) -> None:
        """Free it now. Closing twice does nothing; what a living graph uses is freed when that graph closes."""
        with _lock:
            self._closed = True
            if self._retained:
                return
        self._release()

    def _release(self) -> None:
        """Free it; once."""

    def graph_retain(self) -> None:
        """One graph more uses it."""
        with _lock:
            self._retained += 1

    def graph_release(self) -> None:
        """One graph less uses it. The last one frees it where ``close()`` was asked for meanwhile."""
        with _lock:
            self._retained -= 1
            if self._retained:
                return
        if self._closed:
            self._release()
        else:
            self._unused()

    def _unused(self) -> None:
        """The last graph has released it, and it stays open."""


class Handle(Retained):
    """Base of every object that owns one driver handle of a context."""

    context: Session
    """The context it lives in."""
    kind: ClassVar[str]  # its name in messages and in live_handles()
    _destroy: ClassVar[str]  # the driver function that frees it
    _handle = 0

    def __init__(self, context: Session, handle: int, *, nbytes: int = 0, more: tuple[int, ...] = ()) -> None:
        self.context = context
        if handle:
            context.adopt(self.kind, self._destroy, handle, nbytes, more)
            self._handle = handle

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""
        return self._closed or self.context.closed

    def _release(self) -> None:
        handle, self._handle = self._handle, 0
        if handle:
            self.context.destroy(self.kind, self._destroy, handle)

    def check_open(self) -> None:
        """Raise ClosedError where it is closed, and what its context raises where that is dead or lost."""
        if self._closed or self.context.closed:
            self.context.check()  # a dead driver or a lost context says more than "closed"
            raise ClosedError(
                f"this {self.kind} is closed", hint="keep it open, or its `with` block running, while it is used"
            )

    def __del__(self, _process: type[Process] = Process) -> None:  # a default outlives the module's names
        if self._handle and not _process.closing:
            self.context.defer(self.kind, self._destroy, self._handle)
            self._let_go()

    def _let_go(self) -> None:
        """Other work that a collected object leaves for the next call; called by the finalizer."""

    def __enter__(self: _H) -> _H:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<{type(self).__name__} {self._handle:#x} on {self.context.device!r}{state}>"
