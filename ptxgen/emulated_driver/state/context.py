"""The contexts of devices, and the streams of a context."""

from __future__ import annotations

from itertools import count

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_STREAM_LEGACY
from driver_ctypes.primitives import Lock, RLock
from driver_ctypes.typing import TYPE_CHECKING, Protocol, TypeVar, cast
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.errors.log import log
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.state.capture import CapturingStream
from ptxgen.emulated_driver.state.gate import Gate
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.order import Moment, Timeline, host_waited_for_all, running

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.capture import Capture
    from ptxgen.emulated_driver.state.cpu_device import Device
    from ptxgen.emulated_driver.state.graph import NodeWork
    from ptxgen.emulated_driver.state.green import GreenContext
    from ptxgen.isa.products import Product

T = TypeVar("T")


_NON_BLOCKING = numbers.CUstream_flags.NON_BLOCKING


def limits_of(product: Product) -> dict[int, int]:
    """The limits of a new context: what they are, or which part of the device's, as recorded on an H200 under driver 580."""
    limit = numbers.CUlimit
    return {
        limit.STACK_SIZE: 1024,
        limit.PRINTF_FIFO_SIZE: 8650752,
        limit.MALLOC_HEAP_SIZE: 8388608,
        limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT: 2048,
        limit.MAX_L2_FETCH_GRANULARITY: 64,
        limit.PERSISTING_L2_CACHE_SIZE: 3 * product.l2 // 16 if product.l2_persisting else 0,
        limit.SHMEM_SIZE: product.target.shared_optin,
        limit.CIG_ENABLED: 0,
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


class Context:
    """A context: what was made in it dies with it. `alive` is False for a primary context that nobody retains."""

    def __init__(self, device: Device, flags: int = 0, *, primary: bool = False) -> None:
        self.device = device
        self.primary = primary
        self.handle = contexts.add(self)
        self.lock = RLock()
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
            raise Refusal(enums.CUresult.ERROR_CONTEXT_IS_DESTROYED, "the current context was destroyed")
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
                see_peers(self.device)


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
        self.lock = Lock()
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
_primary: dict[Device, Context] = {}


def primary_of(device: Device) -> Context:
    """The primary context of a device, made when it is first asked for."""
    with device.lock:
        found = _primary.get(device)
        if found is None:
            found = _primary[device] = Context(device, primary=True)
        return found


def see_peers(device: Device) -> None:
    """Kernels reach the memory of every device that a context of this one has enabled."""
    peers = {peer.device for context in contexts if context.device is device for peer in context.peers if peer.alive}
    device.arena.set_peers([each.arena for each in sorted(peers, key=lambda each: each.ordinal)])
