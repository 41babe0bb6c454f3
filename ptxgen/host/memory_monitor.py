"""The memory of this machine's devices, now and over time, and exact accounts of what a program does with it."""

from __future__ import annotations

import time

from driver_ctypes.memory.accounting import MemoryAccount, memory_account
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.host.machine import Device, devices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["DeviceMemory", "MemoryAccount", "memory_account", "monitor", "watch"]

_GIB = 1 << 30


class DeviceMemory(NamedTuple):
    """A device and its memory in bytes, as the driver counts it for all processes; `seconds` since the epoch when asked."""

    name: str
    product: str
    total: int
    free: int
    seconds: float

    @property
    def used(self) -> int:
        """Bytes that are not free, whoever has them."""
        return self.total - self.free

    @property
    def percent(self) -> float:
        """Used memory, of 100."""
        return 100 * self.used / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"[{self.name}] {self.product}: {self.used / _GIB:.1f} of {self.total / _GIB:.1f} GiB used ({self.percent:.0f} %)"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**self._asdict(), "used": self.used, "percent": self.percent}


def monitor(of: Iterable[Device] | None = None) -> list[DeviceMemory]:
    """The memory of these devices, or of all of this machine, GPUs first.

    Asking opens a device's primary context, which takes some hundred MiB of a GPU's memory while this process lives.
    """
    return [_look(device) for device in (devices() if of is None else of)]


def _look(device: Device) -> DeviceMemory:
    free, total = device.context.memory_info()
    return DeviceMemory(device.name, device.handle.name, total, free, time.time())


def watch(
    seconds: float = 1.0, *, times: int | None = None, of: Iterable[Device] | None = None
) -> Iterator[list[DeviceMemory]]:
    """`monitor()` at once and then every so many seconds, `times` times, or for ever.

    The next look is due a whole period after the one before was due, however long the caller takes; looks that came too late are
    not made up for. Raises ValueError for a period that is not positive, or no times.
    """
    if not seconds > 0 or (times is not None and times < 1):
        raise ValueError(f"every {seconds} seconds, {times} times: both are more than 0")
    watched = tuple(devices() if of is None else of)
    return _looks(seconds, times, watched)


def _looks(seconds: float, times: int | None, watched: tuple[Device, ...]) -> Iterator[list[DeviceMemory]]:
    due, count = time.monotonic(), 0
    while True:
        yield monitor(watched)
        count += 1
        if count == times:
            return
        late = time.monotonic() - due
        due += seconds * (1 + int(late / seconds))
        time.sleep(max(0.0, due - time.monotonic()))
