"""Exact accounts of device memory: what a part of a program allocates, frees and copies, by device and by thread.

    with memory_account() as account:
        work()
    account.check()                 # MemoryLeakError names everything that was allocated and is still there
    print(account.total.peak)

While no account is open, an allocation, a free or a copy costs one check of an empty list, and a launch nothing. The list
(`lifetime.ACCOUNTS`) is where the package finds them.
"""

from __future__ import annotations

import gc
import os
import sys
import threading

from driver_ctypes.errors import Error
from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import FrameType

    from driver_ctypes.session.session import Session


_KINDS = frozenset({"buffer", "async buffer", "physical memory", "array", "mipmapped array"})
"""Handles that are device memory of this process."""
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # the package


class MemoryLeakError(Error):
    """Device memory that was allocated while an account was open is still there. `allocations` has it."""

    def __init__(self, allocations: tuple[Allocation, ...]) -> None:
        self.allocations = allocations
        rows = "".join(f"\n  {allocation}" for allocation in allocations[:20])
        more = f"\n  ... and {len(allocations) - 20} more" if len(allocations) > 20 else ""
        nbytes = sum(allocation.nbytes for allocation in allocations)
        super().__init__(
            f"{nbytes} bytes of device memory in {len(allocations)} allocation(s) are not freed{rows}{more}",
            hint="close() them, or drop the last reference",
        )


class Allocation(NamedTuple):
    """Device memory that is not freed yet. `where` is the innermost line outside of this package and of ptxgen."""

    device: str
    kind: str
    address: int
    nbytes: int
    thread: str
    where: str

    def __str__(self) -> str:
        return f"{self.kind} of {self.nbytes} bytes at {self.address:#x} on {self.device}, by {self.thread} at {self.where}"


class MemoryCounts(NamedTuple):
    """What was done while an account was open: numbers of allocations and frees, the rest in bytes.

    `outstanding` is what was allocated and not freed since, `peak` its maximum. A free counts for the thread that
    allocated.
    """

    allocations: int = 0
    frees: int = 0
    allocated: int = 0
    outstanding: int = 0
    peak: int = 0
    host_to_device: int = 0
    device_to_host: int = 0
    on_device: int = 0


class MemoryAccount:
    """What happens to device memory from `__enter__` to `__exit__`, on every device and thread of this process.

    Memory that was allocated before does not count, whenever it is freed. After the end only frees are added, so that `check` can
    be called later. Copies that a stream captures do not count, and neither do allocations and copies of graphs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], MemoryCounts] = {}
        self._live: dict[tuple[int, str, int], Allocation] = {}
        self._contexts: dict[int, Session] = {}
        self._levels: dict[tuple[str, str], list[int]] = {}
        """By (what, name): outstanding and peak of a device, of a thread, of everything."""
        self._open = False

    def __enter__(self) -> MemoryAccount:
        self._open = True
        ACCOUNTS.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False
        if not self._live:
            self._leave_accounts()

    def __repr__(self) -> str:
        total = self.total
        state = "open" if self._open else "ended"
        return f"<MemoryAccount {state}: {total.allocations} allocations, {total.frees} frees, {total.outstanding} bytes there>"

    def close(self) -> None:
        """Forget what is still there: its frees are not waited for any longer."""
        with self._lock:
            self._live.clear()
        self._leave_accounts()

    def _leave_accounts(self) -> None:
        if self in ACCOUNTS:
            ACCOUNTS.remove(self)

    # --- what is asked ------------------------------------------------------------------------------------------------

    @property
    def total(self) -> MemoryCounts:
        """Everything. Memory without references counts as freed; `live` also collects garbage in reference cycles."""
        self._free_dropped()
        return self._sum("", "")

    @property
    def by_device(self) -> dict[str, MemoryCounts]:
        """By device: "cuda:0", "cpu:0"."""
        self._free_dropped()
        return {name: self._sum("device", name) for name in sorted({device for device, _ in self._counts})}

    @property
    def by_thread(self) -> dict[str, MemoryCounts]:
        """By the name of the thread."""
        self._free_dropped()
        return {name: self._sum("thread", name) for name in sorted({thread for _, thread in self._counts})}

    @property
    def live(self) -> tuple[Allocation, ...]:
        """What is not freed yet, in the order of allocation; garbage is collected first."""
        gc.collect()
        self._free_dropped()
        with self._lock:
            return tuple(self._live.values())

    def _free_dropped(self) -> None:
        """Finalizers only note what is to be freed; do it now."""
        for context in list(self._contexts.values()):
            if not context.closed and context.poisoned is None:
                context.collect()

    def check(self) -> None:
        """Raise MemoryLeakError where something that was allocated is still there."""
        left = self.live
        if left:
            raise MemoryLeakError(left)

    def _sum(self, what: str, name: str) -> MemoryCounts:
        with self._lock:
            rows = [
                counts
                for (device, thread), counts in self._counts.items()
                if not what or name == (device if what == "device" else thread)
            ]
            outstanding, peak = self._levels.get((what, name), (0, 0))
        added = [sum(column) for column in zip(*rows)] or [0] * len(MemoryCounts._fields)
        return MemoryCounts(*added)._replace(outstanding=outstanding, peak=peak)

    # --- notifications ------------------------------------------------------------------------------------------------

    def note_allocation(self, context: Session, kind: str, address: int, nbytes: int) -> None:
        """A handle with memory was made."""
        if kind not in _KINDS or not self._open:
            return
        allocation = Allocation(_name(context), kind, address, nbytes, threading.current_thread().name, _caller())
        with self._lock:
            self._contexts[id(context)] = context
            self._live[id(context), kind, address] = allocation
            self._add(allocation.device, allocation.thread, outstanding=nbytes, allocations=1, allocated=nbytes)

    def note_free(self, context: Session, kind: str, address: int) -> None:
        """Such a handle was freed."""
        with self._lock:
            allocation = self._live.pop((id(context), kind, address), None)
            if allocation is not None:
                self._add(allocation.device, allocation.thread, outstanding=-allocation.nbytes, frees=1)
            finished = not self._open and not self._live
        if finished:
            self._leave_accounts()

    def note_end(self, context: Session) -> None:
        """A context was closed, with everything on it."""
        for _, kind, address in [key for key in list(self._live) if key[0] == id(context)]:
            self.note_free(context, kind, address)

    def note_copy(self, context: Session, way: str, nbytes: int) -> None:
        """Bytes were copied, or the copy was queued: "HtoD", "DtoH", "DtoD"."""
        if self._open:
            with self._lock:
                self._add(_name(context), threading.current_thread().name, **{_WAYS[way]: nbytes})

    def _add(self, device: str, thread: str, *, outstanding: int = 0, **more: int) -> None:
        """Under the lock."""
        counts = self._counts.get((device, thread), MemoryCounts())
        self._counts[device, thread] = counts._replace(**{name: getattr(counts, name) + n for name, n in more.items()})
        for key in (("", ""), ("device", device), ("thread", thread)) if outstanding else ():
            level = self._levels.setdefault(key, [0, 0])
            level[0] += outstanding
            level[1] = max(level)


def memory_account() -> MemoryAccount:
    """An account of device memory, to be opened by `with`. Several may be open at once."""
    return MemoryAccount()


_WAYS = {"HtoD": "host_to_device", "DtoH": "device_to_host", "DtoD": "on_device"}


def _name(context: Session) -> str:
    return f"{context.device.driver.name}:{context.device.ordinal}"


def _caller() -> str:
    """The innermost line that is in none of our packages."""
    frame: FrameType | None = sys._getframe(2)
    ours = (_HERE, os.path.join(os.path.dirname(_HERE.rstrip(os.sep)), "ptxgen") + os.sep)
    while frame is not None and frame.f_code.co_filename.startswith(ours):
        frame = frame.f_back
    return "an unknown place" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
