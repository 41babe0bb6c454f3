"""The thread that calls a stream's Python functions, and the semaphore by which the driver tells it that one is due."""

from __future__ import annotations

import ctypes
import threading

from driver_ctypes.errors import ArgumentTypeError, HostFunctionError
from driver_ctypes.primitives import cache, deque
from driver_ctypes.typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.session.session import Session

__all__ = ["Caller", "HostCalls", "raise_first"]

_SEMAPHORE_BYTES = 64  # sem_t has 32 on Linux
_INTERRUPTED = 4  # EINTR


def raise_first(errors: list[BaseException], who: str, what: str, others: str) -> NoReturn:
    """Raise HostFunctionError for the first of *errors*, which is its cause."""
    more = f" ({len(errors)} {what} raised)" if len(errors) > 1 else ""
    raise HostFunctionError(
        f"{who} raised {type(errors[0]).__name__}: {errors[0]}{more}",
        hint=f"{others} ran on: what depends on the function's work may be wrong",
    ) from errors[0]


@cache
def _semaphores() -> Any:
    """The C library with semaphores; None where its are not usable (macOS, Windows)."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        library.sem_init.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
        library.sem_wait.argtypes = [ctypes.c_void_p]
        probe = ctypes.create_string_buffer(_SEMAPHORE_BYTES)
        usable = library.sem_init(probe, 0, 1) == 0 and library.sem_wait(probe) == 0
    except (AttributeError, OSError, TypeError):
        return None
    return library if usable else None


class _Native:
    """A semaphore that the driver posts."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._memory = ctypes.create_string_buffer(_SEMAPHORE_BYTES)
        library.sem_init(self._memory, 0, 0)
        self.function = ctypes.cast(library.sem_post, ctypes.c_void_p).value or 0
        self.data = ctypes.addressof(self._memory)

    def post(self) -> None:
        self._library.sem_post(self._memory)

    def wait(self) -> None:
        while self._library.sem_wait(self._memory) and ctypes.get_errno() == _INTERRUPTED:
            pass


class _Portable:
    """The same where the C library's semaphores do not serve: the driver calls Python, which only counts."""

    def __init__(self) -> None:
        self._semaphore = threading.Semaphore(0)
        self._thunk = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _data: self._semaphore.release())
        self.function = ctypes.cast(self._thunk, ctypes.c_void_p).value or 0
        self.data = 0

    def post(self) -> None:
        self._semaphore.release()

    def wait(self) -> None:
        self._semaphore.acquire()


class Caller(threading.Thread):
    """A thread that calls a stream's functions."""


class HostCalls:
    """The functions of one stream. Its thread runs while there is a function to come, and holds what the driver posts."""

    def __init__(self, context: Session) -> None:
        library = _semaphores()
        self._semaphore = _Native(library) if library is not None else _Portable()
        self._functions: deque[Callable[[], Any]] = deque()
        self._changed = threading.Condition()
        self._waiting = 0  # functions that have not returned
        self._errors: list[BaseException] = []
        self._thread: Caller | None = None
        context.host_queues.add(self)

    def queue(self, context: Session, stream: int, function: Callable[[], Any]) -> None:
        """Call *function* after the work of *stream* so far. Raises ArgumentTypeError for what cannot be called."""
        if not callable(function):
            raise ArgumentTypeError(
                f"{type(function).__name__} is not callable", hint="pass a function of no arguments"
            )
        with self._changed:
            self._waiting += 1
            self._functions.append(function)
            try:
                context.call("cuLaunchHostFunc", stream, self._semaphore.function, self._semaphore.data)
            except BaseException:
                self._functions.pop()
                self._waiting -= 1
                raise
            if self._thread is None or not self._thread.is_alive():
                self._thread = Caller(target=self._run, name="driver_ctypes host functions", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._semaphore.wait()
            function = self._functions.popleft()
            try:
                function()
            except BaseException as error:  # the next synchronisation raises it
                self._errors.append(error)
            del function
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()
                if not self._waiting:
                    self._thread = None
                    return

    def finish(self) -> None:
        """Wait for every function that is due, and raise HostFunctionError for the first that raised. Called by
        such a function, of this stream or another, it does neither.
        """
        if isinstance(threading.current_thread(), Caller):
            return
        with self._changed:
            while self._waiting:
                self._changed.wait()
        if self._errors:
            errors, self._errors = self._errors, []
            raise_first(errors, "a function that the stream called", "functions", "the stream's other work")
