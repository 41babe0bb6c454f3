"""The handles of a session: its live handles, how they are freed, and what garbage collection has noted."""

from __future__ import annotations

import ctypes
import warnings

from driver_ctypes import errors
from driver_ctypes.errors import CleanupWarning
from driver_ctypes.lifetime import ACCOUNTS, Single
from driver_ctypes.primitives import contextmanager, deque
from driver_ctypes.results import BENIGN_AT_SHUTDOWN
from driver_ctypes.typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driver_ctypes.errors import CudaError
    from driver_ctypes.loading.table import FunctionTable
    from driver_ctypes.session.launches import ActiveCapture

_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED
_EXCHANGE = "cuThreadExchangeStreamCaptureMode"
_HARSH = frozenset(
    {
        "cuMemUnmap", "cuMemFreeAsync", "cuTexObjectDestroy", "cuSurfObjectDestroy", "cuArrayDestroy",
        "cuMipmappedArrayDestroy",
    }
)  # fmt: skip
"""Functions that free memory without waiting for the work that uses it; cuMemFree waits by itself."""

_OF_NO_CONTEXT = ("graph exec", "graph", "library")  # these outlive a context that is reset or dead
_UNKNOWN_HANDLE = (1, 400)  # what a driver answers to a free of what it does not have

# Children before parents: the order in which everything is freed.
_CLOSING_ORDER = (
    "graph exec", "graph", "external semaphore", "event", "stream", "module", "library", "linker", "texture object",
    "surface object", "array", "mipmapped array", "opened buffer", "imported buffer", "buffer", "async buffer",
    "pinned buffer", "registered memory", "memory pool", "mapping", "physical memory", "reserved range",
)  # fmt: skip


class BlockCache(Protocol):
    """Memory that a context keeps and gives out again: `driver_ctypes.memory.caching`."""

    def trim(self) -> None: ...
    def end(self) -> None: ...
    def turn_off(self) -> None: ...
    def note_stream(self, handle: int) -> None: ...
    def note_end_of_stream(self, handle: int) -> None: ...
    def idle(self) -> int: ...
    def idle_nbytes(self) -> int: ...


class HandleOwner(Single):
    """The part of a `Session` that counts handles and frees each of them once."""

    if TYPE_CHECKING:  # what the session has
        driver: FunctionTable
        functions: dict[str, Any]
        closed: bool
        poisoned: CudaError | None
        captures: list[ActiveCapture]

        def enter(self) -> int: ...

        def leave(self, previous: int) -> None: ...

        def error(self, symbol: str, code: int, args: tuple[Any, ...] = ()) -> CudaError: ...

    def __init__(self) -> None:
        self._live: dict[str, set[int]] = {kind: set() for kind in _CLOSING_ORDER}
        self._destroyers: dict[str, str] = {}
        self._notes: dict[
            tuple[str, int], tuple[int, tuple[int, ...]]
        ] = {}  # of a handle: its bytes, what frees it too
        self._refused: set[tuple[str, int]] = set()  # handles whose free failed once
        self.deferred: deque[tuple[str, str, int] | Callable[[], None]] = deque()
        """What garbage collection has noted for the next call to free or to do."""
        self.block_cache: BlockCache | None = None
        """What keeps device memory for the next use; none before somebody asks."""
        self.own: list[tuple[str, int]] = []
        """What the context has for itself, (what frees it, handle): freed with it, and no handle of the program."""
        self.memory_is_shared = False
        """Whether work that this package does not see may use its memory: that of other libraries' streams, of other devices."""

    def share_memory(self) -> None:
        """From now on work that this package does not see may use the memory: none is kept for the next use any more."""
        self.memory_is_shared = True
        if self.block_cache is not None:
            self.block_cache.turn_off()

    def live(self, kind: str) -> frozenset[int]:
        """The handles of a kind that are not freed yet."""
        return frozenset(self._live[kind])

    def live_handles(self) -> dict[str, int]:
        """How many handles of each kind are not freed yet; kinds without any are left out, and so is idle memory."""
        if not self.closed and self.deferred and not self.captures:
            self.collect()
        counts = {kind: len(handles) for kind, handles in self._live.items()}
        if self.block_cache is not None:
            counts["buffer"] -= self.block_cache.idle()
        return {kind: count for kind, count in counts.items() if count}

    def collect(self) -> None:
        """Free now what garbage collection has noted; nothing while a stream of this context captures.

        Raises a fault of earlier work, if a free is the first call that reports it.
        """
        if self.captures or self.closed:
            return
        failures: list[CudaError] = []
        guarded = self._exchange_capture_mode(_RELAXED)
        try:
            while self.deferred:
                try:
                    self._free_one()
                except errors.CudaError as error:
                    failures.append(error)
        finally:
            self._restore_capture_mode(guarded)
        if failures and self.poisoned is not None and failures[0].code == self.poisoned.code:
            raise failures[0]
        if failures:
            message = f"{len(failures)} object(s) left to garbage collection could not be freed; first: {failures[0]}"
            warnings.warn(message, CleanupWarning, stacklevel=3)

    def _free_one(self) -> None:
        """One deferred free; what only it kept alive may leave more behind."""
        try:
            item = self.deferred.popleft()
        except IndexError:  # another thread was quicker
            return
        if callable(item):
            item()
        else:
            self.destroy(*item)

    @contextmanager
    def beside_captures(self) -> Iterator[None]:
        """What this thread calls here is no part of a capture, of this library or of another, and does not break one."""
        guarded = self._exchange_capture_mode(_RELAXED)
        try:
            yield
        finally:
            self._restore_capture_mode(guarded)

    def _exchange_capture_mode(self, mode: int) -> int | None:
        """Set this thread's capture mode and return the one before: a free must not break another library's capture."""
        exchange = self.functions.get(_EXCHANGE)  # which is there once the driver was asked
        if exchange is None:
            if not self.driver.has(_EXCHANGE):
                return None
            exchange = self.functions[_EXCHANGE]
        value = ctypes.c_int(mode)
        code = exchange(ctypes.byref(value))
        return None if code else value.value

    def _restore_capture_mode(self, mode: int | None) -> None:
        if mode is not None and self._exchange_capture_mode(mode) is None:
            self._exchange_capture_mode(mode)  # a thread left as it is now would let a capture be broken

    def adopt(self, kind: str, destroy: str, handle: int, nbytes: int = 0, more: tuple[int, ...] = ()) -> None:
        """From now on the session frees *handle*; *more* are the further arguments of *destroy*."""
        self._destroyers[kind] = destroy
        if nbytes or more:
            self._notes[kind, handle] = nbytes, more
        self._live[kind].add(handle)
        if nbytes and ACCOUNTS:
            for account in tuple(ACCOUNTS):
                account.note_allocation(self, kind, handle, nbytes)

    def forget(self, kind: str, handle: int) -> bool:
        """Somebody else frees *handle*. False where it is freed already."""
        try:
            self._live[kind].remove(handle)
        except KeyError:
            return False
        if self._notes.pop((kind, handle), None) is not None and ACCOUNTS:
            for account in tuple(ACCOUNTS):
                account.note_free(self, kind, handle)
        return True

    def live_bytes(self) -> dict[str, int]:
        """Bytes of memory of each kind that is not freed yet; kinds without any are left out, and so is idle memory."""
        total: dict[str, int] = {}
        for (kind, _handle), (nbytes, _more) in list(self._notes.items()):
            total[kind] = total.get(kind, 0) + nbytes
        if self.block_cache is not None:
            total["buffer"] = total.get("buffer", 0) - self.block_cache.idle_nbytes()
        return {kind: total[kind] for kind in _CLOSING_ORDER if total.get(kind)}

    def defer(self, kind: str, destroy: str, handle: int) -> None:
        """Called by finalizers: only notes the handle."""
        if not self.closed:
            self.deferred.append((kind, destroy, handle))

    def defer_call(self, call: Callable[[], None]) -> None:
        """The same for what is more than one handle."""
        if not self.closed:
            self.deferred.append(call)

    def destroy(self, kind: str, destroy: str, handle: int) -> None:
        """Free a handle, once. While a stream of this context captures, the free is deferred."""
        if self.closed:
            return
        if self.captures:
            self.deferred.append((kind, destroy, handle))
            return
        nbytes, more = self._notes.get((kind, handle), (0, ()))
        if not self.forget(kind, handle):
            return
        if self.poisoned is not None:  # a dead context's handles went with it
            if kind in _OF_NO_CONTEXT:
                self.functions[destroy](handle)
            return
        try:
            previous = self.enter()
            try:
                if kind == "stream" and self.block_cache is not None:
                    self.block_cache.note_end_of_stream(handle)
                if destroy in _HARSH:
                    waited = self.functions["cuCtxSynchronize"]()
                    if waited:
                        raise self.error("cuCtxSynchronize", waited, ())
                code = self.functions[destroy](handle, *more)
            finally:
                if previous:
                    self.leave(previous)
            if code and code not in BENIGN_AT_SHUTDOWN:
                raise self.error(destroy, code, (handle,))
        except errors.CudaError as error:
            self._try_again(kind, destroy, handle, nbytes, more, error.code)
            raise
        self._refused.discard((kind, handle))

    def _try_again(self, kind: str, destroy: str, handle: int, nbytes: int, more: tuple[int, ...], code: int) -> None:
        """A free failed: the handle is still there. The next call tries once more, and after that `close`."""
        if self.poisoned is not None and kind not in _OF_NO_CONTEXT:
            return
        first = (kind, handle) not in self._refused
        if first or code not in _UNKNOWN_HANDLE:
            self.adopt(kind, destroy, handle, nbytes, more)
        if first:
            self._refused.add((kind, handle))
            self.deferred.append((kind, destroy, handle))

    # --- the end of all of them ---------------------------------------------------------------------------------------

    def free_all(self) -> list[CudaError]:
        """Free every handle, children first; what could not be freed."""
        failures: list[CudaError] = []
        for kind in _CLOSING_ORDER:
            for handle in sorted(self._live[kind]):
                try_to(failures, self.destroy, kind, self._destroyers[kind], handle)
        previous = self.enter() if self.own and self.poisoned is None else 0
        while self.own and self.poisoned is None:
            destroy, handle = self.own.pop()
            self.functions[destroy](handle)
        if previous:
            self.leave(previous)
        return failures

    def forget_all(self) -> None:
        """Every handle is lost with the context, except those of no context, which are freed."""
        for account in tuple(ACCOUNTS):
            account.note_end(self)
        if self.block_cache is not None:
            self.block_cache.end()
        self.deferred.clear()
        self.own.clear()
        self._notes.clear()
        if not self.driver.dead:
            for kind in _OF_NO_CONTEXT:
                for handle in sorted(self._live[kind]):
                    self.functions[self._destroyers[kind]](handle)
        for handles in self._live.values():
            handles.clear()


def try_to(failures: list[CudaError], action: Callable[..., None], *args: Any) -> None:
    """Do it, and note what went wrong instead of raising it."""
    try:
        action(*args)
    except errors.CudaError as error:
        failures.append(error)
