"""A context: everything that lives on one device, as users hold it; and its streams.

`Session` is its base: how any thread calls the driver on it, and the handles on it. `MemoryCalls` and `ContextSettings`
are its methods for memory and for settings; here are those that create objects of rooms above the session.
"""

from __future__ import annotations

from driver_ctypes.contexts.settings import ContextSettings
from driver_ctypes.memory.calls import MemoryCalls
from driver_ctypes.modules.module import Module, load_module
from driver_ctypes.streams.hostcalls import synchronize
from driver_ctypes.streams.stream import Event, StreamBase, as_stream, create_event, create_stream, stream_priorities
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from driver_ctypes.abi.enums import CUjit_option
    from driver_ctypes.arguments.signature import Signature
    from driver_ctypes.caches.process import CubinCache
    from driver_ctypes.contexts.device import Device, Driver
    from driver_ctypes.graphs.capture import Capture, Mode
    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.modules.library import Library
    from driver_ctypes.modules.linker import Linker


class Stream(StreamBase):
    """A stream, made by `Context.stream`; or one that another library owns."""

    def capture(
        self,
        mode: Mode = "thread_local",
        *,
        into: Graph | None = None,
        after: Any = None,
        exclusive: bool = False,
        wait: float = 0.0,
    ) -> Capture:
        """``with stream.capture() as capture:`` records the body's work instead of running it; see `Capture`."""
        from driver_ctypes.graphs.capture import Capture

        return Capture(self, mode, into=into, after=after, exclusive=exclusive, wait=wait)


_LEGACY, _PER_THREAD = (0, 1), 2  # CU_STREAM_LEGACY and the NULL stream, which is that; CU_STREAM_PER_THREAD


class Context(MemoryCalls, ContextSettings):
    """A device's primary context, made by `Device.primary_context`; or another one, made by `Device.create_context`. A `with`
    block closes it.
    """

    device: Device
    """Its device."""
    driver: Driver
    """The driver it lives on."""

    def __init__(self, device: Device, handle: int, *, primary: bool = True) -> None:
        super().__init__(device, handle, primary=primary)
        self._default_stream: Stream | None = None

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what it creates------------------------------------------------------------------------------------------------

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
        return self.stream_of(_PER_THREAD, owned=False)

    def stream_of(self, handle: int, *, owned: bool) -> Stream:
        """The object for a CUstream, which it destroys where it is *owned*."""
        made = Stream(self, handle, owned=owned)
        if owned:
            if self.block_cache is not None:
                self.block_cache.note_stream(handle)
        elif handle not in _LEGACY and handle not in self._live["stream"]:
            self.share_memory()
        return made

    def stream(self, priority: int = 0, non_blocking: bool = True) -> Stream:
        """A new stream. Lower numbers are higher priorities; `stream_priorities` says which there are."""
        made: Stream = create_stream(self, priority, non_blocking)
        return made

    def stream_from(self, stream: Any) -> Stream:
        """The stream that *stream* means: None (the default one), a `Stream`, a CUstream as int, or an object with
        ``__cuda_stream__``. A foreign stream is used, never destroyed.
        """
        made: Stream = as_stream(self, stream)
        return made

    def stream_priorities(self) -> tuple[int, int]:
        """(least, greatest) stream priority; the greatest is the lower number."""
        return stream_priorities(self)

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
        maps a PTX line to its source place, for errors. *cache* keeps on disk what was compiled, of NVIDIA's driver, which
        keeps code itself, the log alone: a `CubinCache`, True for the process's `cubin_cache`, False for none; by default the
        process's on NVIDIA's driver, else none. Raises `JitError` with the compiler's messages.
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
        """The first of *candidates* ("sm_90a", ...; default: all possible ones, best first) for which the driver
        loads a kernel here. Raises NoLoadableTargetError with the driver's answer to each.
        """
        from driver_ctypes.modules.targets import loadable_target

        return loadable_target(self, candidates)

    def synchronize(self) -> None:
        """Wait for all work of the context, and the Python functions that its streams have called. Faults of earlier
        asynchronous work are raised here, and what the functions raised, those of graphs too (HostFunctionError).
        """
        synchronize(self)
