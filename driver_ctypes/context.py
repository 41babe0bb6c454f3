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

from driver_ctypes import memory
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
from driver_ctypes.stream import Stream, as_stream, create_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.abi.enums import CUjit_option
    from driver_ctypes.capture import Capture
    from driver_ctypes.device import Device
    from driver_ctypes.drivers import Driver
    from driver_ctypes.launch import Plan
    from driver_ctypes.memory import Buffer, PinnedBuffer
    from driver_ctypes.module import Function
    from driver_ctypes.signature import Signature

_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED

# How the emulated driver's fault texts name the kernel and the PTX line.
_FAULT_KERNEL = re.compile(r"\bkernel ([\w$%]+),")
_FAULT_LINE = re.compile(r"^\s*PTX:(\d+).*$", re.MULTILINE)

# Children before parents: the order in which close() frees what is still there.
_CLOSING_ORDER = ("graph exec", "graph", "event", "stream", "module", "buffer", "pinned buffer")


class Context:
    """A device's primary context. Made by `Device.primary_context`."""

    def __init__(self, device: Device, handle: int) -> None:
        self._device = device
        self._driver = device.driver
        self._handle = handle
        self._functions = device.driver.functions
        self._threads = device.driver.threads
        self._closed = False
        self._poison: CudaError | None = None
        self._lock = threading.Lock()
        self._live: dict[str, set[int]] = {kind: set() for kind in _CLOSING_ORDER}
        self._destroyers: dict[str, str] = {}
        self._deferred: deque[tuple[str, str, int] | Callable[[], None]] = deque()
        self._captures: list[Capture] = []
        self._plans: WeakSet[Plan] = WeakSet()
        self._modules: WeakValueDictionary[int, Module] = WeakValueDictionary()  # by CUmodule, in order of loading
        self._last_launch: object = None  # its str() goes into a fault's message
        self._default_stream: Stream | None = None
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
            raise ClosedError(
                f"the context of {self._device!r} is closed", hint="device.primary_context() opens a new one"
            )
        if self._poison is not None:
            raise self._lost(self._poison)

    # --- its end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free everything that lives on it, children first, and give the primary context back."""
        if self.closed:
            return
        with self._lock:
            for capture in list(self._captures):
                capture._abort()
            for kind in _CLOSING_ORDER:
                for handle in sorted(self._live[kind]):
                    self._destroy_handle(kind, self._destroyers[kind], handle)
            self._abandon()

    def _abandon(self) -> None:
        """Forget everything without freeing it one by one: releasing or resetting the context does that."""
        if self._closed:
            return
        self._closed = True
        self._revoke_plans()
        self._deferred.clear()
        self._names.clear()
        for handles in self._live.values():
            handles.clear()
        self._threads.ask()
        if self._threads.slot.value == self._handle and not self._driver.dead:
            self._functions["cuCtxSetCurrent"](None)
        code = self._device._release_primary_context()
        if code and code not in BENIGN_AT_SHUTDOWN and self._poison is None:
            raise self._driver.error("cuDevicePrimaryCtxRelease_v2", code)

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
        code = code or self._functions["cuCtxSetCurrent"](self._handle)
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
        return error

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

    def _adopt(self, kind: str, destroy: str, handle: int) -> None:
        self._destroyers[kind] = destroy
        self._live[kind].add(handle)

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
        try:
            self._live[kind].remove(handle)
        except KeyError:
            return
        if self._poison is not None:
            return  # a dead context's handles went with it
        previous = self._enter()
        try:
            code = self._functions[destroy](handle)
        finally:
            if previous:
                self._leave(previous)
        if code and code not in BENIGN_AT_SHUTDOWN:
            raise self._error(destroy, code, (handle,))

    def _revoke_plans(self, stream: Stream | None = None, module: Module | None = None) -> None:
        """Send the next launch of every bound launcher (of that stream, of that module) through the checked path."""
        for plan in list(self._plans):
            if (stream is None or plan.stream is stream) and (module is None or plan.function.module is module):
                plan.slots.clear()

    # --- what it makes ------------------------------------------------------------------------------------------------

    @property
    def default_stream(self) -> Stream:
        """The NULL stream, which waits for every blocking stream of the context and cannot be captured."""
        stream = self._default_stream
        if stream is None:
            stream = self._default_stream = Stream(self, 0, owned=False)
        return stream

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

    def event(self, timing: bool = True, blocking: bool = False) -> Event:
        """A new event. With *blocking*, a thread that synchronizes on it sleeps instead of spinning."""
        return create_event(self, timing, blocking)

    def alloc(self, nbytes: int) -> Buffer:
        """*nbytes* bytes of device memory, aligned to 256 bytes at least. Raises OutOfMemoryError."""
        return memory.allocate(self, nbytes)

    def alloc_pinned(self, nbytes: int) -> PinnedBuffer:
        """*nbytes* bytes of page-locked host memory, which asynchronous copies need to be asynchronous."""
        return memory.allocate_pinned(self, nbytes)

    def load(
        self,
        image: str | bytes,
        *,
        signatures: Mapping[str, Signature] | None = None,
        line_map: Callable[[int], str | None] | None = None,
        options: Mapping[CUjit_option | int, int] | None = None,
    ) -> Module:
        """Load PTX text, a cubin or a fatbin.

        *signatures* gives each kernel's parameters by name; without, the driver is asked for their sizes. *line_map*
        tells the source place of a PTX line, for errors. Raises `JitError` with the compiler's messages.
        """
        return load_module(self, image, signatures or {}, line_map, options or {})

    # --- memory -------------------------------------------------------------------------------------------------------

    def memory_info(self) -> tuple[int, int]:
        """(free, total) bytes of device memory."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def synchronize(self) -> None:
        """Wait for all work of the context. Faults of earlier asynchronous work are raised here."""
        self.call("cuCtxSynchronize")

    def copy_to_device(self, dst: Any, src: Any, nbytes: int | None = None, stream: Any = None) -> None:
        """Copy host memory (a buffer, or an address with *nbytes*) to device memory; see `memory.copy_to_device`."""
        memory.copy_to_device(self, dst, src, nbytes, stream)

    def copy_to_host(self, dst: Any, src: Any, nbytes: int | None = None, stream: Any = None) -> None:
        """Copy device memory to host memory (a writable buffer, or an address with *nbytes*)."""
        memory.copy_to_host(self, dst, src, nbytes, stream)

    def copy(self, dst: Any, src: Any, nbytes: int, stream: Any = None) -> None:
        """Copy device memory to device memory."""
        memory.copy_on_device(self, dst, src, nbytes, stream)

    def memset(self, dst: Any, value: int, count: int, width: int = 1, stream: Any = None) -> None:
        """Set *count* elements of *width* (1, 2 or 4) bytes to *value*."""
        memory.memset(self, dst, value, count, width, stream)
