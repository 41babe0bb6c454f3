"""A context: everything that lives on one device, and the one way in which any thread calls the driver on it.

`Entry` makes it current and turns failures into errors, `Handles` frees what lives on it, `MemoryCalls` and
`ContextSettings` are its words for memory and for settings; here are its life, its calls, and what it makes.
"""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, WeakValueDictionary

from driver_ctypes.contexts.handles import Handles, try_to
from driver_ctypes.contexts.settings import ContextSettings
from driver_ctypes.errors import CudaError
from driver_ctypes.lifetime import _Process
from driver_ctypes.loading.checking import WRONG, check
from driver_ctypes.loading.table import call_corrected
from driver_ctypes.memory.calls import MemoryCalls
from driver_ctypes.modules.module import Module, load_module
from driver_ctypes.results import BENIGN_AT_SHUTDOWN
from driver_ctypes.streams.event import Event, create_event
from driver_ctypes.streams.hostcalls import tell_of_graphs
from driver_ctypes.streams.stream import Stream, as_stream, create_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from driver_ctypes.abi.enums import CUjit_option
    from driver_ctypes.arguments.signature import Signature
    from driver_ctypes.caches.cubins import CubinCache
    from driver_ctypes.contexts.device import Device
    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.modules.library import Library
    from driver_ctypes.modules.linker import Linker
    from driver_ctypes.modules.module import Function
    from driver_ctypes.streams.hostcalls import HostCalls

_PER_THREAD = 2  # CU_STREAM_PER_THREAD


class Context(Handles, MemoryCalls, ContextSettings):
    """A device's primary context, made by `Device.primary_context`; or another one, made by `Device.create_context`. A `with`
    block closes it.
    """

    def __init__(self, device: Device, handle: int, *, primary: bool = True) -> None:
        super().__init__(device, handle, primary=primary)
        self._lock = threading.Lock()
        self._default_stream: Stream | None = None
        self._callers: WeakSet[HostCalls] = WeakSet()  # streams' queues of Python functions
        self._names: WeakValueDictionary[int, Function] = WeakValueDictionary()  # by CUfunction, for graphs' inventory

    # --- its end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free everything that lives on it, children first; give the primary context back, or destroy another one.

        What cannot be freed keeps nothing else from being freed: the first such error is raised in the end.
        """
        if self.closed:
            return
        failures: list[CudaError] = []
        with self._lock:
            self._ending = threading.get_ident()
            self._end_plans()
            self._quiesce()
            for capture in list(self._captures):
                try_to(failures, capture._abort)
            failures += self._free_all()
            try_to(failures, self._abandon)
        if failures:
            raise failures[0]

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, _process: type[_Process] = _Process) -> None:  # a default outlives the module's names
        """One of one's own that nobody knows any more is destroyed by the device's next call; a primary one is kept by it."""
        if not (self._closed or self._primary or _process.closing):
            self._device._orphans.append(self)

    def _abandon(self) -> None:
        """Forget everything without freeing it one by one: releasing or resetting the context does that."""
        if self._closed:
            return
        self._ending = threading.get_ident()
        self._closed = True
        self._revoke_plans()
        self._names.clear()
        self._forget_all()
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
        self._forget_all()

    # --- calling the driver -------------------------------------------------------------------------------------------

    def call(self, symbol: str, *args: Any) -> None:
        """Call a driver function with this context current; raise the family's `CudaError` where it fails."""
        code = self._try(symbol, *args)
        if code:
            raise self._error(symbol, code, args)

    def _try(self, symbol: str, *args: Any) -> int:
        """The same for functions whose failure is an answer: returns the code."""
        inside = self._inside
        inside.append(None)
        try:
            if self._closed or self._ending or self._poison is not None:
                self.check()
            function = self._functions[symbol]
            if self._deferred:
                self.collect()
            if self._device._orphans:
                self._device._close_orphans()
            previous = self._enter()
            try:
                check(symbol)(args)
                code: int = function(*args)
            except WRONG:
                code = call_corrected(function, symbol, args)
            finally:
                if previous:
                    self._leave(previous)
        finally:
            inside.pop()
        return code

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

        *signatures* gives each kernel's parameters by name; without, PTX text is read for what it declares of them, and
        of binaries the driver is asked for their sizes. *line_map*
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
        from driver_ctypes.modules.library import load_library

        return load_library(self, image, signatures or {}, line_map, options or {})

    def linker(self, options: Mapping[CUjit_option | int, int] | None = None) -> Linker:
        """A linker of PTX, cubins, fatbins, objects and libraries for this context's device; see `linker`."""
        from driver_ctypes.modules.linker import create_linker

        return create_linker(self, options or {})

    def loadable_target(self, candidates: Iterable[str] | None = None) -> str:
        """The first of *candidates* ("sm_90a", ...; default: all that could do, best first) for which the driver really
        loads a kernel here. Raises NoLoadableTargetError with the driver's answer to each.
        """
        from driver_ctypes.modules.targets import loadable_target

        return loadable_target(self, candidates)

    def synchronize(self) -> None:
        """Wait for all work of the context, and the Python functions that its streams have called. Faults of earlier
        asynchronous work are raised here, and what the functions raised, those of graphs too (HostFunctionError).
        """
        self.call("cuCtxSynchronize")
        if self._callers:
            for stream in list(self._callers):
                stream.finish()
        tell_of_graphs(self)
