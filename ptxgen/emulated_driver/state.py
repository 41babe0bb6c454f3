"""The state of the driver: the machine, its devices and contexts, what each thread has current, and the tables of
handles.

Handles are numbers that are never used twice; the high bits say the kind. So a stale or wrong handle is an error,
never a crash.
"""

from __future__ import annotations

import os
import threading
from itertools import count
from typing import TYPE_CHECKING, Generic, NamedTuple, NoReturn, TypeVar, cast

from ptxgen.cpu.options import LaunchOptions
from ptxgen.emulated_driver.logs import log
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_handle, invalid_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.arena import Arena
    from ptxgen.emulated_driver.memory.allocation import Allocation
    from ptxgen.emulated_driver.memory.pools import Pool
    from ptxgen.emulated_driver.modules.loading import Module
    from ptxgen.emulated_driver.streams.capture import Capture
    from ptxgen.emulated_driver.streams.stream import Stream

T = TypeVar("T")

_KIND_SHIFT = 36
_kinds = count(0x5C0)


class Handles(Generic[T]):
    """The live objects of one kind, by handle. Adding, looking up and removing are atomic."""

    def __init__(self, kind: str, *, counted: bool = True, stale: int = CUresult.ERROR_INVALID_HANDLE) -> None:
        self.kind = kind
        self.counted = counted  # does a caller have to destroy them?
        self._stale = stale
        self._tag = next(_kinds)
        self._numbers = count((self._tag << _KIND_SHIFT) + 16, 16)
        self._live: dict[int, T] = {}
        tables.append(cast("Handles[object]", self))

    def add(self, thing: T) -> int:
        handle = next(self._numbers)
        self._live[handle] = thing
        return handle

    def get(self, handle: int | None) -> T:
        found = self._live.get(handle or 0)
        if found is None:
            self._refuse(handle)
        return found

    def find(self, handle: int | None) -> T | None:
        return self._live.get(handle or 0)

    def remove(self, handle: int | None) -> T:
        """Takes it out; of two threads that try, one fails."""
        found = self._live.pop(handle or 0, None)
        if found is None:
            self._refuse(handle)
        return found

    def discard(self, handle: int) -> None:
        self._live.pop(handle, None)

    def move(self, handle: int, to: Handles[T]) -> None:
        """It is of another table from now on, under the same handle."""
        to._live[handle] = self.remove(handle)

    def _refuse(self, handle: int | None) -> NoReturn:
        if (handle or 0) >> _KIND_SHIFT == self._tag:
            raise Refusal(self._stale, f"{handle:#x} is a {self.kind} that was destroyed")
        raise invalid_handle(self.kind, handle)

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._live.values()))


tables: list[Handles[object]] = []


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
        from ptxgen.emulated_driver.streams.stream import Gate, Stream

        self.flags = flags
        self.alive = True
        self.fault = 0
        self.cause = ""
        self.id = next(_context_ids)
        self.limits = {0: 1024, 1: 8650752, 2: 8388608, 4: 2048, 5: 64, 6: 11796480, 7: 232448, 8: 0}
        self.cache_config = 0
        self.gate = Gate()
        self.legacy: Stream = Stream(self, handle=1)
        self.per_thread: dict[int, Stream] = {}
        self.modules: dict[int, Module] = {}
        self.allocations: dict[int, Allocation] = {}
        self.captures: list[Capture] = []
        self.owned: dict[int, Handles[object]] = {}
        self.peers: list[Context] = []

    def own(self, table: Handles[T], handle: int) -> int:
        """The object with that handle is taken out of its table when the context goes."""
        self.owned[handle] = cast("Handles[object]", table)
        return handle

    def disown(self, handle: int) -> None:
        self.owned.pop(handle, None)

    def running(self) -> list[Stream]:
        """Every stream that may have work."""
        from ptxgen.emulated_driver.streams.stream import streams

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
            for capture in list(self.captures):
                capture.spoil("the context went")
                capture.close()
            for module in list(self.modules.values()):
                module.close()
            for allocation in list(self.allocations.values()):
                allocation.release()
            for base in [base for base, known in registrations.items() if known.context is self]:
                del registrations[base]
            for handle, table in list(self.owned.items()):
                table.discard(handle)
            self.owned.clear()
            if self.peers:
                self.peers.clear()
                self.device.see_peers()


class Registration(NamedTuple):
    """Memory of the caller, registered with cuMemHostRegister."""

    base: int
    size: int
    flags: int
    context: Context


registrations: dict[int, Registration] = {}
_context_ids = count(1)
contexts: Handles[Context] = Handles("context", counted=False)


class Device:
    """One emulated device: its memory and its primary context."""

    def __init__(self, ordinal: int, total_memory: int) -> None:
        self.ordinal = ordinal
        self.total_memory = total_memory
        self.lock = threading.RLock()
        self.retained = 0
        self.primary_flags = 0
        self.allocations: dict[int, Allocation] = {}  # by base address, over all contexts
        self.default_pool: Pool | None = None
        self.pool: Pool | None = None
        self.physical = 0  # bytes of cuMemCreate
        self.held = 0  # bytes that pools keep and nobody uses
        self._arena: Arena | None = None
        self.primary = Context(self, primary=True)

    @property
    def arena(self) -> Arena:
        """Reserved on first use. The arena keeps a sixteenth of its range for the executor."""
        if self._arena is None:
            from ptxgen.cpu.arena import Arena

            with self.lock:
                if self._arena is None:
                    self._arena = Arena(-(-self.total_memory * 16 // 15 // 65536) * 65536 + (1 << 24))
        return self._arena

    @property
    def used_memory(self) -> int:
        return (self._arena.in_use if self._arena is not None else 0) + self.physical + self.held

    def see_peers(self) -> None:
        """Kernels reach the memory of every device that a context of this one has enabled."""
        peers = {peer.device for context in contexts if context.device is self for peer in context.peers if peer.alive}
        self.arena.set_peers([device.arena for device in sorted(peers, key=lambda device: device.ordinal)])


class Machine:
    """The whole: nothing is there before cuInit, and nothing after a fork."""

    def __init__(self) -> None:
        self.ready = False
        self.why_not_ready = "cuInit was not called"
        self.forked = False
        self.capability = (9, 0)
        self.options = LaunchOptions()
        self.devices: list[Device] = []
        self.captures: list[Capture] = []  # all that go on, in any context
        self._lock = threading.Lock()

    def start(self) -> None:
        if self.forked:
            raise Refusal(CUresult.ERROR_NOT_INITIALIZED, self.why_not_ready)
        with self._lock:
            if not self.ready:
                self.capability = _capability(os.environ.get("PTXGEN_CPU_CAPABILITY") or "9.0")
                memory = _bytes("PTXGEN_CPU_MEMORY", os.environ.get("PTXGEN_CPU_MEMORY") or str(_physical_memory()))
                self.options = LaunchOptions(copies=_copies())
                self.devices = [Device(ordinal, memory) for ordinal in range(_device_count())]
                if not self.devices:
                    raise Refusal(CUresult.ERROR_NO_DEVICE, "PTXGEN_CPU_DEVICES is 0")
                self.ready = True

    def device(self, ordinal: int) -> Device:
        if not 0 <= ordinal < len(self.devices):
            raise Refusal(CUresult.ERROR_INVALID_DEVICE, f"device {ordinal}: there are {len(self.devices)}")
        return self.devices[ordinal]

    def live_handles(self) -> dict[str, int]:
        counts = {table.kind: len(table) for table in tables if table.counted}
        counts["primary context"] = sum(device.retained for device in self.devices)
        counts["registered memory"] = len(registrations)
        counts["context"] = sum(1 for context in contexts if not context.primary)
        from ptxgen.emulated_driver.memory.allocation import mappings

        held = [allocation.kind for device in self.devices for allocation in list(device.allocations.values())]
        for kind in [*held, *[mapping.kind for mapping in list(mappings.values())]]:
            if kind:
                counts[kind] = counts.get(kind, 0) + 1
        return {kind: number for kind, number in sorted(counts.items()) if number}

    def after_fork(self) -> None:
        log.after_fork()
        self._lock = threading.Lock()
        if self.ready:
            self.ready = False
            self.forked = True
            self.why_not_ready = "this process was forked from one that had called cuInit; start workers with 'spawn'"


def _device_count() -> int:
    text = os.environ.get("PTXGEN_CPU_DEVICES") or "1"
    if not text.isdecimal() or int(text) > 64:
        raise invalid_value(f"PTXGEN_CPU_DEVICES is {text!r}, not a number from 0 to 64")
    return int(text)


def _copies() -> str:
    text = os.environ.get("PTXGEN_CPU_COPIES", "late")
    if text not in ("late", "early"):
        raise invalid_value(f"PTXGEN_CPU_COPIES is {text!r}, not late or early")
    return text


def _capability(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    if not (major.isdecimal() and minor.isdecimal() and len(minor) == 1):
        raise invalid_value(f"PTXGEN_CPU_CAPABILITY is {text!r}, not a compute capability such as 9.0")
    return int(major), int(minor)


def _bytes(variable: str, text: str) -> int:
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    digits = text[:-1] if unit > 1 else text
    if not digits.isdecimal() or int(digits) * unit < 1 << 20:
        raise invalid_value(f"{variable} is {text!r}, not a number of bytes (at least 1M) with K, M or G after it")
    return int(digits) * unit


def _physical_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 20) * (1 << 20)


class Thread(threading.local):
    """What belongs to the calling thread."""

    def __init__(self) -> None:
        self.stack: list[Context] = []
        self.capture_mode = 0
        self.in_host_function = False
        self.own_stream = False  # in a `_ptsz` or `_ptds` function, whose null stream is the thread's own

    def current(self) -> Context:
        """The current context, fit for work. Raises Refusal when there is none, it is gone or had a fault."""
        if not self.stack:
            raise Refusal(CUresult.ERROR_INVALID_CONTEXT, "no context is current in this thread")
        context = self.stack[-1]
        if context.fault or not context.alive:
            context.check()
        return context


machine = Machine()
thread = Thread()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=machine.after_fork)
