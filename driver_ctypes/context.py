"""A context: everything that lives on one device, and the one way in which any thread calls the driver on it.

Each call makes the context current on the calling thread if it is not, and puts back another library's context
afterwards. A fault poisons the context: the first one is remembered, and every later call names it.
"""

from __future__ import annotations

import ctypes
import re
import threading
import warnings
from collections import deque
from copy import copy
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, WeakValueDictionary

from driver_ctypes.calls import MemoryCalls
from driver_ctypes.errors import (
    BENIGN_AT_SHUTDOWN,
    FATAL_CODES,
    CleanupWarning,
    ClosedError,
    ContextLostError,
    CudaError,
)
from driver_ctypes.event import Event, create_event
from driver_ctypes.module import Module, load_module
from driver_ctypes.settings import ContextSettings
from driver_ctypes.stream import Stream, as_stream, create_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from driver_ctypes.abi.enums import CUjit_option
    from driver_ctypes.cache import CubinCache
    from driver_ctypes.device import Device
    from driver_ctypes.drivers import Driver
    from driver_ctypes.graphs.capture import Capture
    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.graphs.launching import Replay
    from driver_ctypes.hostcalls import HostCalls
    from driver_ctypes.launch import Plan
    from driver_ctypes.library import Library
    from driver_ctypes.linker import Linker
    from driver_ctypes.module import Function
    from driver_ctypes.signature import Signature

_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED
_PER_THREAD = 2  # CU_STREAM_PER_THREAD
_HARSH = frozenset({"cuMemUnmap", "cuMemFreeAsync"})
"""What takes memory away without waiting for the work that uses it; cuMemFree waits by itself."""

_OF_NO_CONTEXT = ("graph exec", "graph", "library")  # these outlive a context that is reset or dead
_UNKNOWN_HANDLE = (1, 400)  # what a driver answers to a free of what it does not have

# How the emulated driver's fault texts name the kernel and the PTX line.
_FAULT_KERNEL = re.compile(r"\bkernel ([\w$%]+),")
_FAULT_LINE = re.compile(r"^\s*PTX:(\d+).*$", re.MULTILINE)

# Children before parents: the order in which close() frees what is still there.
_CLOSING_ORDER = (
    "graph exec", "graph", "external semaphore", "event", "stream", "module", "library", "linker", "opened buffer",
    "imported buffer", "buffer", "async buffer", "pinned buffer", "registered memory", "memory pool", "mapping",
    "physical memory", "reserved range",
)  # fmt: skip


class Context(MemoryCalls, ContextSettings):
    """A device's primary context, made by `Device.primary_context`; or another one, made by `Device.create_context`."""

    def __init__(self, device: Device, handle: int, *, primary: bool = True) -> None:
        self._device = device
        self._primary = primary
        self._driver = device.driver
        self._handle = handle
        self._functions = device.driver.functions
        self._threads = device.driver.threads
        self._closed = False
        self._poison: CudaError | None = None
        self._lock = threading.Lock()
        self._live: dict[str, set[int]] = {kind: set() for kind in _CLOSING_ORDER}
        self._destroyers: dict[str, str] = {}
        self._notes: dict[
            tuple[str, int], tuple[int, tuple[int, ...]]
        ] = {}  # of a handle: its bytes, what frees it too
        self._deferred: deque[tuple[str, str, int] | Callable[[], None]] = deque()
        self._refused: set[tuple[str, int]] = set()  # handles whose free failed once
        self._captures: list[Capture] = []
        self._plans: WeakSet[Plan | Replay] = WeakSet()
        self._modules: WeakValueDictionary[int, Module] = WeakValueDictionary()  # by CUmodule, in order of loading
        self._last: object = None  # launched last; its str() goes into a fault's message
        self._launched = ctypes.c_uint64()  # the number of the plan whose native launch was the last, or 0
        self._default_stream: Stream | None = None
        self._callers: WeakSet[HostCalls] = WeakSet()  # streams' queues of Python functions
        self._names: WeakValueDictionary[int, Function] = WeakValueDictionary()  # by CUfunction, for graphs' inventory

    def __repr__(self) -> str:
        state = " closed" if self._closed else " poisoned" if self._poison else ""
        return f"<Context of {self._device!r}{state}>"

    # --- what it is ---------------------------------------------------------------------------------------------------

    @property
    def device(self) -> Device:
        """Its device."""
        return self._device

    @property
    def driver(self) -> Driver:
        """The driver it lives on."""
        return self._driver

    @property
    def handle(self) -> int:
        """The CUcontext."""
        return self._handle

    @property
    def primary(self) -> bool:
        """Whether it is its device's primary context."""
        return self._primary

    @property
    def closed(self) -> bool:
        """Whether it was closed or reset, or belongs to the parent of this forked process."""
        return self._closed

    @property
    def poisoned(self) -> CudaError | None:
        """The first fault on this context, or None while it is well."""
        return self._poison

    def check(self) -> None:
        """Raise what any call would raise: ForkedProcessError, ClosedError, or ContextLostError after a fault."""
        if self._driver.dead:
            raise self._driver._forked()
        if self._closed:
            again = "primary_context" if self._primary else "create_context"
            raise ClosedError(f"the context of {self._device!r} is closed", hint=f"device.{again}() opens a new one")
        if self._poison is not None:
            raise self._lost(self._poison)

    # --- its end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free everything that lives on it, children first; give the primary context back, or destroy another one.

        What cannot be freed keeps nothing else from being freed: the first such error is raised in the end.
        """
        if self.closed:
            return
        failures: list[CudaError] = []
        with self._lock:
            for capture in list(self._captures):
                _try_to(failures, capture._abort)
            for kind in _CLOSING_ORDER:
                for handle in sorted(self._live[kind]):
                    _try_to(failures, self._destroy_handle, kind, self._destroyers[kind], handle)
            _try_to(failures, self._abandon)
        if failures:
            raise failures[0]

    def _abandon(self) -> None:
        """Forget everything without freeing it one by one: releasing or resetting the context does that."""
        if self._closed:
            return
        self._closed = True
        self._revoke_plans()
        self._deferred.clear()
        self._names.clear()
        self._notes.clear()
        if not self._driver.dead:
            for kind in _OF_NO_CONTEXT:
                for handle in sorted(self._live[kind]):
                    self._functions[self._destroyers[kind]](handle)
        for handles in self._live.values():
            handles.clear()
        self._threads.ask()
        if self._threads.slot.value == self._handle and not self._driver.dead:
            self._functions["cuCtxSetCurrent"](None)
        symbol, code = self._device._end_context(self)
        if code and code not in BENIGN_AT_SHUTDOWN and self._poison is None:
            raise self._driver.error(symbol, code)

    def _die_in_child(self) -> None:
        self._closed = True
        self._lock = threading.Lock()
        self._revoke_plans()
        self._deferred.clear()
        for handles in self._live.values():
            handles.clear()

    # --- calling the driver -------------------------------------------------------------------------------------------

    def call(self, symbol: str, *args: Any) -> None:
        """Call a driver function with this context current; raise the family's `CudaError` where it fails."""
        code = self._try(symbol, *args)
        if code:
            raise self._error(symbol, code, args)

    def _try(self, symbol: str, *args: Any) -> int:
        """The same for functions whose failure is an answer: returns the code."""
        if self._closed or self._poison is not None:
            self.check()
        function = self._functions[symbol]
        if self._deferred:
            self.collect()
        previous = self._enter()
        try:
            code: int = function(*args)
        finally:
            if previous:
                self._leave(previous)
        return code

    def _enter(self) -> int:
        """Make it current on this thread. Returns the other context to put back, or 0."""
        thread = self._threads
        code = thread.ask()
        current = thread.slot.value or 0
        if current == self._handle and not code:
            return 0
        if code:
            raise self._error("cuCtxGetCurrent", code)
        code = self._functions["cuCtxSetCurrent"](self._handle)
        if code:
            raise self._error("cuCtxSetCurrent", code, (self._handle,))
        return current

    def _leave(self, previous: int) -> None:
        self._functions["cuCtxSetCurrent"](previous)

    def _error(self, symbol: str, code: int, args: tuple[Any, ...] = (), detail: str = "", **more: Any) -> CudaError:
        """The exception for a failed call. Remembers the first fault, and what broke a capture."""
        for capture in self._captures:
            capture._note_failure(symbol, code)
        if code not in FATAL_CODES:
            return self._driver.error(symbol, code, args, detail=detail, **more)
        if self._poison is not None:
            return self._lost(self._poison)
        detail = self._fault_detail(detail)
        error = self._driver.error(symbol, code, args, detail=detail, explain=self._with_source, **more)
        self._poison = copy(error)  # a copy has no traceback, which would keep the frames' buffers alive
        self._revoke_plans()
        return error

    @property
    def _last_launch(self) -> object:
        """What was launched last. A native launcher only leaves its plan's number."""
        number = self._launched.value
        launched = [plan.launched for plan in list(self._plans) if plan.number == number] if number else []
        return launched[0] if launched else self._last

    @_last_launch.setter
    def _last_launch(self, launched: object) -> None:
        self._last = launched
        self._launched.value = 0

    def _fault_detail(self, detail: str) -> str:
        lost = "the context is lost; device.reset() opens a new one where the driver allows it"
        if not detail and self._last_launch:
            detail = f"last launch on this context: {self._last_launch}"
        return f"{detail}\n  {lost}" if detail else lost

    def _with_source(self, log: str) -> str:
        """A fault's text, with the source place of the PTX line that it names, where the kernel's module has a line map."""
        kernel, line = _FAULT_KERNEL.search(log), _FAULT_LINE.search(log)
        if kernel is None or line is None:
            return log
        for module in reversed(list(self._modules.values())):
            place = module.line_map(int(line[1])) if module.line_map and kernel[1] in module.signatures else None
            if place:
                return f"{log[: line.end()]}\n{line[0].partition('PTX:')[0]}{place}{log[line.end() :]}"
        return log

    def _lost(self, first: CudaError) -> ContextLostError:
        return ContextLostError(
            f"the context of {self._device!r} died earlier: {first.args[0]}",
            first=first,
            function=first.function,
            code=first.code,
            name=first.name,
            text=first.text,
            hint="correct the first fault; then device.reset() on an emulated device, a new process on a GPU",
        )

    # --- what lives on it ---------------------------------------------------------------------------------------------

    def live_handles(self) -> dict[str, int]:
        """How many handles of each kind are not freed yet; kinds without any are left out."""
        if not self.closed and self._deferred and not self._captures:
            self.collect()
        return {kind: len(handles) for kind, handles in self._live.items() if handles}

    def collect(self) -> None:
        """Free now what garbage collection has left behind; nothing while a stream of this context captures."""
        if self._captures or self.closed:
            return
        failures = []
        guarded = self._exchange_capture_mode(_RELAXED)
        try:
            while self._deferred:
                try:
                    self._free_one()
                except CudaError as error:
                    failures.append(str(error))
        finally:
            if guarded is not None:
                self._exchange_capture_mode(guarded)
        if failures:
            message = f"{len(failures)} object(s) left to garbage collection could not be freed; first: {failures[0]}"
            warnings.warn(message, CleanupWarning, stacklevel=3)

    def _free_one(self) -> None:
        """One deferred free; what only it kept alive may leave more behind."""
        try:
            item = self._deferred.popleft()
        except IndexError:  # another thread was quicker
            return
        if callable(item):
            item()
        else:
            self._destroy_handle(*item)

    def _exchange_capture_mode(self, mode: int) -> int | None:
        """Set this thread's capture mode and return the one before: a free must not break another library's capture."""
        if not self._driver.has("cuThreadExchangeStreamCaptureMode"):
            return None
        value = ctypes.c_int(mode)
        code = self._functions["cuThreadExchangeStreamCaptureMode"](ctypes.byref(value))
        return None if code else value.value

    def _adopt(self, kind: str, destroy: str, handle: int, nbytes: int = 0, more: tuple[int, ...] = ()) -> None:
        """From now on the context frees *handle*; *more* are the further arguments of *destroy*."""
        self._destroyers[kind] = destroy
        if nbytes or more:
            self._notes[kind, handle] = nbytes, more
        self._live[kind].add(handle)

    def _forget(self, kind: str, handle: int) -> bool:
        """Somebody else frees *handle*. False where it is freed already."""
        try:
            self._live[kind].remove(handle)
        except KeyError:
            return False
        self._notes.pop((kind, handle), None)
        return True

    def live_bytes(self) -> dict[str, int]:
        """Bytes of memory of each kind that is not freed yet; kinds without any are left out."""
        total: dict[str, int] = {}
        for (kind, _handle), (nbytes, _more) in list(self._notes.items()):
            total[kind] = total.get(kind, 0) + nbytes
        return {kind: total[kind] for kind in _CLOSING_ORDER if total.get(kind)}

    def _defer(self, kind: str, destroy: str, handle: int) -> None:
        """Called by finalizers: only notes the handle."""
        if not self.closed:
            self._deferred.append((kind, destroy, handle))

    def _defer_call(self, call: Callable[[], None]) -> None:
        """The same for what is more than one handle."""
        if not self.closed:
            self._deferred.append(call)

    def _destroy_handle(self, kind: str, destroy: str, handle: int) -> None:
        """Free a handle once, whoever asks first. While a stream of this context captures, later."""
        if self.closed:
            return
        if self._captures:
            self._deferred.append((kind, destroy, handle))
            return
        nbytes, more = self._notes.get((kind, handle), (0, ()))
        if not self._forget(kind, handle):
            return
        if self._poison is not None:  # a dead context's handles went with it
            if kind in _OF_NO_CONTEXT:
                self._functions[destroy](handle)
            return
        try:
            previous = self._enter()
            try:
                if destroy in _HARSH:
                    waited = self._functions["cuCtxSynchronize"]()
                    if waited:
                        raise self._error("cuCtxSynchronize", waited, ())
                code = self._functions[destroy](handle, *more)
            finally:
                if previous:
                    self._leave(previous)
            if code and code not in BENIGN_AT_SHUTDOWN:
                raise self._error(destroy, code, (handle,))
        except CudaError as error:
            self._try_again(kind, destroy, handle, nbytes, more, error.code)
            raise
        self._refused.discard((kind, handle))

    def _try_again(self, kind: str, destroy: str, handle: int, nbytes: int, more: tuple[int, ...], code: int) -> None:
        """A free failed: the handle is still there. The next call tries once more, and after that `close`."""
        if self._poison is not None and kind not in _OF_NO_CONTEXT:
            return
        first = (kind, handle) not in self._refused
        if first or code not in _UNKNOWN_HANDLE:
            self._adopt(kind, destroy, handle, nbytes, more)
        if first:
            self._refused.add((kind, handle))
            self._deferred.append((kind, destroy, handle))

    def _revoke_plans(self, stream: Stream | None = None, module: Module | None = None) -> None:
        """Send the next launch of every bound launcher (of that stream, of that module) through the checked path."""
        for plan in list(self._plans):
            if (stream is None or plan.stream is stream) and (module is None or plan.function.module is module):
                plan.revoke()

    # --- what it makes ------------------------------------------------------------------------------------------------

    @property
    def default_stream(self) -> Stream:
        """The NULL stream, which waits for every blocking stream of the context and cannot be captured."""
        stream = self._default_stream
        if stream is None:
            stream = self._default_stream = Stream(self, 0, owned=False)
        return stream

    @property
    def per_thread_stream(self) -> Stream:
        """The calling thread's own default stream, which does not wait for other threads' ones (CU_STREAM_PER_THREAD)."""
        return Stream(self, _PER_THREAD, owned=False)

    def stream(self, priority: int = 0, non_blocking: bool = True) -> Stream:
        """A new stream. Lower numbers are higher priorities; `stream_priorities` says which there are."""
        return create_stream(self, priority, non_blocking)

    def stream_from(self, stream: Any) -> Stream:
        """The stream that *stream* means: None (the default one), a `Stream`, a CUstream as int, or an object with
        ``__cuda_stream__``. A foreign stream is used, never destroyed.
        """
        return as_stream(self, stream)

    def stream_priorities(self) -> tuple[int, int]:
        """(least, greatest) stream priority; the greatest is the lower number."""
        least, greatest = ctypes.c_int(), ctypes.c_int()
        self.call("cuCtxGetStreamPriorityRange", ctypes.byref(least), ctypes.byref(greatest))
        return least.value, greatest.value

    def event(self, timing: bool = True, blocking: bool = False, interprocess: bool = False) -> Event:
        """A new event. With *blocking*, a thread that synchronizes on it sleeps instead of spinning; with *interprocess*
        (and no timing) its `Event.ipc_handle` opens it in another process.
        """
        return create_event(self, timing, blocking, interprocess)

    def graph(self) -> Graph:
        """A new graph without nodes, to be built by hand; `Stream.capture` records one instead."""
        from driver_ctypes.graphs.definition import create_graph

        return create_graph(self)

    def load(
        self,
        image: str | bytes,
        *,
        signatures: Mapping[str, Signature] | None = None,
        line_map: Callable[[int], str | None] | None = None,
        options: Mapping[CUjit_option | int, int] | None = None,
        cache: CubinCache | bool | None = None,
    ) -> Module:
        """Load PTX text, a cubin or a fatbin.

        *signatures* gives each kernel's parameters by name; without, the driver is asked for their sizes. *line_map*
        tells the source place of a PTX line, for errors. *cache* keeps what was compiled on disk: a `CubinCache`, True for
        the process's `cubin_cache`, False for none; by default what `set_cubin_cache` or ``PTXGEN_CACHE=1`` chose, and
        on NVIDIA's driver only. Raises `JitError` with the compiler's messages.
        """
        return load_module(self, image, signatures or {}, line_map, options or {}, cache)

    def load_library(
        self,
        image: str | bytes,
        *,
        signatures: Mapping[str, Signature] | None = None,
        line_map: Callable[[int], str | None] | None = None,
        options: Mapping[CUjit_option | int, int] | None = None,
    ) -> Library:
        """Load the same as a library: code for every context, of which kernels are taken one by one. Raises as `load`
        does, and NotAvailableError before CUDA 12.0.
        """
        from driver_ctypes.library import load_library

        return load_library(self, image, signatures or {}, line_map, options or {})

    def linker(self, options: Mapping[CUjit_option | int, int] | None = None) -> Linker:
        """A linker of PTX, cubins, fatbins, objects and libraries for this context's device; see `linker`."""
        from driver_ctypes.linker import create_linker

        return create_linker(self, options or {})

    def loadable_target(self, candidates: Iterable[str] | None = None) -> str:
        """The first of *candidates* ("sm_90a", ...; default: all that could do, best first) for which the driver really
        loads a kernel here. Raises NoLoadableTargetError with the driver's answer to each.
        """
        from driver_ctypes.targets import loadable_target

        return loadable_target(self, candidates)

    def synchronize(self) -> None:
        """Wait for all work of the context, and the Python functions that its streams have called. Faults of earlier
        asynchronous work are raised here.
        """
        self.call("cuCtxSynchronize")
        if self._callers:
            for stream in list(self._callers):
                stream.finish()


def _try_to(failures: list[CudaError], action: Callable[..., None], *args: Any) -> None:
    """Do it, and note what went wrong instead of raising it."""
    try:
        action(*args)
    except CudaError as error:
        failures.append(error)
