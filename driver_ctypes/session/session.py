"""An open context of a device: how any thread calls the driver on it, its errors, and its end.

Each call makes the context current on the calling thread if it is not, and puts back another library's context
afterwards. A fault is sticky: the first one is kept, and every later call names it.
"""

from __future__ import annotations

from weakref import WeakSet, WeakValueDictionary

from driver_ctypes import errors
from driver_ctypes.errors import ClosedError
from driver_ctypes.lifetime import Process
from driver_ctypes.loading.table import WRONG, call_corrected, check
from driver_ctypes.primitives import Lock, get_ident
from driver_ctypes.results import BENIGN_AT_SHUTDOWN, FATAL_CODES
from driver_ctypes.session.handles import HandleOwner, try_to
from driver_ctypes.session.launches import BoundLaunches, wait_while
from driver_ctypes.typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.errors import ContextLostError, CudaError
    from driver_ctypes.loading.table import FunctionTable
    from driver_ctypes.session.device import DeviceBase
    from driver_ctypes.session.launches import ActiveCapture


# How the emulated driver's fault texts name the kernel and the PTX line.
_FAULT_KERNEL = r"\bkernel ([\w$%]+),"
_FAULT_LINE = r"(?m)^\s*PTX:(\d+).*$"


class LoadedCode(Protocol):
    """What the text of a fault needs of a module: its kernels, and the source place of a PTX line."""

    line_map: Callable[[int], str | None] | None

    @property
    def signatures(self) -> Mapping[str, Any]: ...


class HostQueue(Protocol):
    """A stream's queue of Python functions."""

    def finish(self) -> None: ...


class Session(HandleOwner):
    """The base of every call on a context. Users have a `Context`, which is one."""

    device: DeviceBase
    """Its device."""
    driver: FunctionTable
    """The driver it lives on."""

    def __init__(self, device: DeviceBase, handle: int, *, primary: bool = True) -> None:
        super().__init__()
        self.device = device
        self.driver = device.driver
        self.handle = handle
        """The CUcontext."""
        self.primary = primary
        """Whether it is its device's primary context."""
        self.closed: bool = False
        """Whether it was closed or reset, or belongs to the parent of this forked process."""
        self.poisoned: CudaError | None = None
        """The first fault on this context, or None while it is well."""
        self.functions: dict[str, Any] = device.driver.functions
        self.captures: list[ActiveCapture] = []  # that streams of it have begun
        self.launches: BoundLaunches = BoundLaunches()
        self.peers: WeakSet[Session] = WeakSet()  # whose memory it reaches
        self.modules: WeakValueDictionary[int, LoadedCode] = WeakValueDictionary()  # by CUmodule, in order of loading
        self.fault_explanations: dict[
            int, Callable[[], dict[str, Any] | None]
        ] = {}  # by CUmodule, until it is unloaded
        self.kernels: WeakValueDictionary[int, Any] = WeakValueDictionary()  # by CUfunction, for graphs' inventory
        self.host_queues: WeakSet[HostQueue] = WeakSet()
        self._threads = device.driver.threads
        self._ending = 0  # the thread that closes it
        self._inside: list[None] = []  # as many as calls of the driver are under way
        self._closing = Lock()
        self.driver.sessions.add(self)

    def __repr__(self) -> str:
        state = " closed" if self.closed else " poisoned" if self.poisoned else ""
        which = "" if self.primary else f" {self.handle:#x}"
        return f"<Context{which} of {self.device!r}{state}>"

    # --- what rooms above make ----------------------------------------------------------------------------------------

    if TYPE_CHECKING:
        # Rooms that stand below streams are given a `Session` and hand these on; `Context` defines them.

        def stream_of(self, handle: int, *, owned: bool) -> Any:
            """The `Stream` for a CUstream, which it destroys where it is *owned*."""

        def stream_from(self, stream: Any) -> Any:
            """The `Stream` that *stream* means; see `Context.stream_from`."""

        @property
        def default_stream(self) -> Any:
            """The `Stream` for the NULL stream, the same each time."""

    # --- calling the driver -------------------------------------------------------------------------------------------

    def call(self, symbol: str, *args: Any) -> None:
        """Call a driver function with this context current; raise the family's `CudaError` where it fails."""
        code = self.try_call(symbol, *args)
        if code:
            raise self.error(symbol, code, args)

    def try_call(self, symbol: str, *args: Any) -> int:
        """The same for functions whose failure is an answer: returns the code."""
        inside = self._inside
        inside.append(None)
        try:
            if self.closed or self._ending or self.poisoned is not None:
                self.check()
            function = self.functions[symbol]
            if self.deferred:
                self.collect()
            if self.device.orphans:
                self.device.close_orphans()
            previous = self.enter()
            try:
                check(symbol)(args)
                code: int = function(*args)
            except WRONG:
                code = call_corrected(function, symbol, args)
            finally:
                if previous:
                    self.leave(previous)
        finally:
            inside.pop()
        return code

    def run(self, prepared: Callable[[], int]) -> int:
        """Call a function of the driver whose arguments are prepared, with this context current; returns the code."""
        inside = self._inside
        inside.append(None)
        try:
            if self._ending:
                self.check()
            previous = self.enter()
            try:
                return prepared()
            finally:
                if previous:
                    self.leave(previous)
        finally:
            inside.pop()

    def check(self) -> None:
        """Raise what any call would raise: ForkedProcessError, ClosedError, or ContextLostError after a fault."""
        if self.driver.dead:
            raise self.driver.forked()
        if self.closed:
            again = "primary_context" if self.primary else "create_context"
            raise ClosedError(
                f"the context of {self.device!r} is closed",
                hint=f"device.{again}() opens a new one; make the array, stream or kernel again there",
            )
        if self._ending not in (0, get_ident()):
            raise ClosedError(
                f"the context of {self.device!r} is being closed by another thread",
                hint="close it when the threads that use it have ended",
            )
        if self.poisoned is not None:
            raise self._lost(self.poisoned)

    def enter(self) -> int:
        """Make it current on this thread. Returns the other context to put back by `leave`, or 0."""
        thread = self._threads
        code = thread.ask()
        current = thread.slot.value or 0
        if current == self.handle and not code:
            return 0
        if code:
            raise self.error("cuCtxGetCurrent", code)
        code = self.functions["cuCtxSetCurrent"](self.handle)
        if code:
            raise self.error("cuCtxSetCurrent", code, (self.handle,))
        return current

    def leave(self, previous: int) -> None:
        """Make the context current again that `enter` returned."""
        self.functions["cuCtxSetCurrent"](previous)

    # --- its end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free everything that lives on it, children first; give the primary context back, or destroy another one.

        A handle that cannot be freed does not prevent others from being freed: the first such error is raised in the end.
        """
        if self.closed:
            return
        failures: list[CudaError] = []
        with self._closing:
            self._ending = get_ident()
            self.launches.end()
            wait_while(lambda: bool(self._inside))  # for the calls of other threads that have begun
            for capture in list(self.captures):
                try_to(failures, capture.abort)
            if self.block_cache is not None:
                self.block_cache.end()
            failures += self.free_all()
            try_to(failures, self.abandon)
        if failures:
            raise failures[0]

    def __del__(self, _process: type[Process] = Process) -> None:  # a default outlives the module's names
        """A created context without references is destroyed by the device's next call; the device keeps its primary context."""
        if not (self.closed or self.primary or _process.closing):
            self.device.orphans.append(self)

    def destroy(self, kind: str, destroy: str, handle: int) -> None:
        """Free a handle, once. While a stream of this context captures, the free is deferred."""
        super().destroy(kind, destroy, handle)
        if kind == "module" and handle not in self._live[kind]:
            self.fault_explanations.pop(handle, None)

    def abandon(self) -> None:
        """Forget everything without freeing it one by one: releasing or resetting the context does that."""
        if self.closed:
            return
        self._ending = get_ident()
        self.closed = True
        self.launches.revoke()
        self.kernels.clear()
        self.fault_explanations.clear()
        self.forget_all()
        self._threads.ask()
        if self._threads.slot.value == self.handle and not self.driver.dead:
            self.functions["cuCtxSetCurrent"](None)
        symbol, code = self.device.end_session(self)
        if code and code not in BENIGN_AT_SHUTDOWN and self.poisoned is None:
            raise self.driver.error(symbol, code)

    def die_in_child(self) -> None:
        """After fork, in the child: nothing on it can be used, and nothing of it is freed."""
        self.closed = True
        self._closing = Lock()
        self.launches.revoke()
        self.forget_all()

    # --- its health ---------------------------------------------------------------------------------------------------

    def error(self, symbol: str, code: int, args: tuple[Any, ...] = (), detail: str = "", **more: Any) -> CudaError:
        """The exception for a failed call. Remembers the first fault, and what broke a capture."""
        for capture in self.captures:
            capture.note_failure(symbol, code)
        if self._ending not in (0, get_ident()):
            self.driver.new_log()
            raise ClosedError(
                f"the context of {self.device!r} was closed by another thread while {symbol} was called",
                hint="close it when the threads that use it have ended",
            )
        if code not in FATAL_CODES:
            return self.driver.error(symbol, code, args, detail=detail, **more)
        if self.poisoned is not None:
            return self._lost(self.poisoned)
        detail = self._fault_detail(detail)
        more.update(self._told_by_kernels())
        error = self.driver.error(symbol, code, args, detail=detail, explain=self._with_source, **more)
        from copy import copy

        self.poisoned = copy(error)  # a copy has no traceback, which would keep the frames' buffers alive
        self.launches.revoke()
        return error

    def _told_by_kernels(self) -> dict[str, Any]:
        """What the kernels of a module have told of the fault, as fields of the error."""
        for explain in list(self.fault_explanations.values()):
            try:
                told = explain()
            except Exception:  # the fault is told all the same
                told = None
            if told is not None:
                return told
        return {}

    def _fault_detail(self, detail: str) -> str:
        lost = "the context is lost; device.reset() opens a new one where the driver allows it"
        if not detail and self.launches.last_launch:
            detail = f"last launch on this context: {self.launches.last_launch}"
        return f"{detail}\n  {lost}" if detail else lost

    def _with_source(self, log: str) -> str:
        """A fault's text, with the source place of the PTX line that it names, where the kernel's module has a line map."""
        import re

        kernel, line = re.search(_FAULT_KERNEL, log), re.search(_FAULT_LINE, log)
        if kernel is None or line is None:
            return log
        for module in reversed(list(self.modules.values())):
            place = errors.source_place(module.line_map, int(line[1])) if kernel[1] in module.signatures else None
            if place and place not in log:
                return f"{log[: line.end()]}\n{line[0].partition('PTX:')[0]}{place}{log[line.end() :]}"
        return log

    def _lost(self, first: CudaError) -> ContextLostError:
        return errors.ContextLostError(
            f"the context of {self.device!r} died earlier: {first.args[0]}",
            first=first,
            function=first.function,
            code=first.code,
            name=first.name,
            text=first.text,
            hint="correct the first fault; then device.reset() on an emulated device, a new process on a GPU",
        )
