"""Devices, their contexts, and the streams of a context."""

from __future__ import annotations

import threading
from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from driver_ctypes.abi.constants import CU_STREAM_LEGACY
from driver_ctypes.abi.enums import CUlimit, CUstream_flags
from ptxgen.emulated_driver.errors.log import log
from ptxgen.emulated_driver.errors.refusal import CUresult, Refusal
from ptxgen.emulated_driver.state.capture import CapturingStream
from ptxgen.emulated_driver.state.gate import Gate
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.order import Moment, Timeline, host_waited_for_all, running

if TYPE_CHECKING:
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.sanitizer.tools import Sanitizer
    from ptxgen.emulated_driver.state.capture import Capture
    from ptxgen.emulated_driver.state.graph import NodeWork
    from ptxgen.emulated_driver.state.green import GreenContext
    from ptxgen.isa.products import Product

T = TypeVar("T")


_NON_BLOCKING = int(CUstream_flags.NON_BLOCKING)


def limits_of(product: Product) -> dict[int, int]:
    """The limits of a new context: what they are, or which part of the device's, as recorded on an H200 under driver 580."""
    return {
        CUlimit.STACK_SIZE: 1024,
        CUlimit.PRINTF_FIFO_SIZE: 8650752,
        CUlimit.MALLOC_HEAP_SIZE: 8388608,
        CUlimit.DEV_RUNTIME_PENDING_LAUNCH_COUNT: 2048,
        CUlimit.MAX_L2_FETCH_GRANULARITY: 64,
        CUlimit.PERSISTING_L2_CACHE_SIZE: 3 * product.l2 // 16 if product.l2_persisting else 0,
        CUlimit.SHMEM_SIZE: product.target.shared_optin,
        CUlimit.CIG_ENABLED: 0,
    }


class LoadedModule(Protocol):
    """A module, as the context knows it."""

    def close(self) -> None: ...


class Releasable(Protocol):
    """Memory, as the context knows it. `kind`: see Allocation."""

    @property
    def kind(self) -> str: ...

    @property
    def base(self) -> int: ...

    @property
    def size(self) -> int: ...

    def release(self) -> None: ...


class Device:
    """One emulated device: which product it is, its memory and its primary context."""

    def __init__(self, ordinal: int, product: Product, total_memory: int, unit: int = 1) -> None:
        self.ordinal = ordinal
        self.product = product
        self.total_memory = total_memory
        self.unit = unit  # of bytes that kernels reach of a block, where memcheck does not watch
        self.lock = threading.RLock()
        self.retained = 0
        self.primary_flags = 0
        self.physical = 0  # bytes of cuMemCreate
        self.watcher: Sanitizer | None = None  # is told of what is left when a context ends
        self._tools: frozenset[str] = frozenset()  # of the sanitizer, that watch now
        self.held = 0  # bytes that pools keep and nobody uses
        self.made_arena: Arena | None = None
        """Its memory, if anybody has asked for it yet: `arena` makes it."""
        self.primary = Context(self, primary=True)

    @property
    def arena(self) -> Arena:
        """Reserved on first use. The arena keeps a sixteenth of its range for the executor."""
        if self.made_arena is None:
            from ptxgen.cpu.arena import Arena

            with self.lock:
                if self.made_arena is None:
                    arena = Arena(-(-self.total_memory * 16 // 15 // 65536) * 65536 + (1 << 24))
                    arena.round_up(self.unit)
                    self.made_arena = arena
        return self.made_arena

    @property
    def used_memory(self) -> int:
        return (self.made_arena.in_use if self.made_arena is not None else 0) + self.physical + self.held

    def watch(self, sanitizer: Sanitizer | None) -> None:
        """From now on its memory is kept as these tools need it; with None, as at first."""
        before, self._tools = self._tools, sanitizer.tools if sanitizer is not None else frozenset()
        self.watcher = sanitizer if "memcheck" in self._tools else None
        if "racecheck" in self._tools - before:
            self.arena.history.forget()
        if "initcheck" in self._tools - before:  # in between, nobody noted what was written
            self.arena.track_writes()
        if self.watcher is not None:
            self.arena.keep_freed(self.arena.size // 4)
            self.arena.round_up(1)
        elif self.made_arena is not None:
            self.made_arena.keep_freed(0)
            self.made_arena.round_up(self.unit)

    def see_peers(self) -> None:
        """Kernels reach the memory of every device that a context of this one has enabled."""
        peers = {peer.device for context in contexts if context.device is self for peer in context.peers if peer.alive}
        self.arena.set_peers([device.arena for device in sorted(peers, key=lambda device: device.ordinal)])


class Context:
    """A context: what was made in it dies with it. `alive` is False for a primary context that nobody retains."""

    def __init__(self, device: Device, flags: int = 0, *, primary: bool = False) -> None:
        self.device = device
        self.primary = primary
        self.handle = contexts.add(self)
        self.lock = threading.RLock()
        self.revive(flags)
        self.alive = not primary

    def revive(self, flags: int) -> None:
        """A fresh start: nothing in it, no fault."""
        self.flags = flags
        self.alive = True
        self.fault = 0
        self.cause = ""
        self.id = next(_context_ids)
        self.limits: dict[int, int] = limits_of(self.device.product)
        self.cache_config = 0
        self.gate = Gate()
        self.legacy: Stream = Stream(self, handle=CU_STREAM_LEGACY)
        self.per_thread: dict[int, Stream] = {}
        self.modules: dict[int, LoadedModule] = {}  # by handle
        self.memory: dict[int, Releasable] = {}  # by base address: allocations, registered memory of the caller
        self.captures: list[Capture] = []
        self.owned: dict[int, Handles[object]] = {}
        self.peers: list[Context] = []
        self.destroyed: dict[bool, Moment] = {True: {}, False: {}}

    def own(self, table: Handles[T], handle: int) -> int:
        """The object with that handle is taken out of its table when the context goes."""
        self.owned[handle] = cast("Handles[object]", table)
        return handle

    def disown(self, handle: int) -> None:
        self.owned.pop(handle, None)

    def running(self) -> list[Stream]:
        """Every stream that may have work."""
        mine = [stream for stream in streams if stream.context is self]
        return [self.legacy, *list(self.per_thread.values()), *mine]

    def fail(self, code: int, cause: str) -> None:
        """A fault: from now on every call that needs the context answers `code`."""
        if not self.fault:
            self.fault, self.cause = int(code), cause
            log.error(cause)

    def check(self) -> Context:
        if not self.alive:
            raise Refusal(CUresult.ERROR_CONTEXT_IS_DESTROYED, "the current context was destroyed")
        if self.fault:
            raise Refusal(self.fault)
        return self

    def close(self) -> None:
        """Everything made in it goes; its memory too."""
        with self.lock:
            self.alive = False
            host_waited_for_all(self)
            for capture in list(self.captures):
                capture.invalidate("the context went")
                capture.close()
            for module in list(self.modules.values()):
                module.close()
            for memory in list(self.memory.values()):
                if self.device.watcher is not None and not self.fault and memory.kind == "memory":
                    from ptxgen.cpu.sanitizer.findings import leak

                    self.device.watcher.add(leak(memory.base, memory.size))
                memory.release()
            for handle, table in list(self.owned.items()):
                table.discard(handle)
            self.owned.clear()
            if self.peers:
                self.peers.clear()
                self.device.see_peers()


class Stream(CapturingStream):
    """A stream of a context."""

    __slots__ = (
        "__weakref__",
        "attributes",
        "context",
        "flags",
        "green",
        "handle",
        "id",
        "is_legacy",
        "line",
        "lock",
        "priority",
    )  # fmt: skip

    def __init__(self, context: Context, flags: int = 0, priority: int = 0, *, handle: int = 0) -> None:
        super().__init__(blocking=not flags & _NON_BLOCKING)
        self.context = context
        self.flags = flags
        self.priority = priority
        self.is_legacy = handle == CU_STREAM_LEGACY
        self.lock = threading.Lock()
        self.line = Timeline()
        self.attributes: dict[int, bytes] = {}
        self.green: GreenContext | None = None
        self.handle = handle or context.own(streams, streams.add(self))
        self.id = handle if handle and handle < 16 else self.handle

    def do(self, work: NodeWork) -> None:
        """Runs the work in this stream's order."""
        gate = self.context.gate if self.blocking else None
        if gate is not None:
            gate.enter(self.is_legacy)
        try:
            with self.lock:
                running.stream = self
                work.run(self.context)
        finally:
            if gate is not None:
                gate.leave(self.is_legacy)


streams: Handles[Stream] = Handles("stream")
contexts: Handles[Context] = Handles("context", counted=False)
_context_ids = count(1)
