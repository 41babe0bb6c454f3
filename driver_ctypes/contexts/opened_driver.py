"""A driver as users hold it: its function table and its devices.

`Driver`, `Device` and `Context` refer to each other, so the three files import each other: a driver creates its devices,
a device its contexts, and each refers to its owner.
"""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING

from driver_ctypes.contexts.device import Device
from driver_ctypes.errors import ArgumentTypeError, DeviceNotFoundError
from driver_ctypes.lifetime import note_open
from driver_ctypes.loading.table import FunctionTable

if TYPE_CHECKING:
    from driver_ctypes.loading.table import Resolve

_NO_DEVICE = 100


class Driver(FunctionTable):
    """One driver, opened: its version, its devices, and any of its functions by exported symbol."""

    def __init__(self, name: str, resolve: Resolve, *, foreign_pointers: bool = True, cache_code: bool = False) -> None:
        super().__init__(name, resolve, foreign_pointers=foreign_pointers, cache_code=cache_code)
        self._devices: tuple[Device, ...] | None = None
        self._lock = threading.Lock()  # of the list of devices
        note_open(self)

    def device_count(self) -> int:
        """How many devices the driver shows (``CUDA_VISIBLE_DEVICES`` hides some)."""
        return len(self.devices())

    def devices(self) -> tuple[Device, ...]:
        """Every device, by ordinal."""
        if self.dead:
            raise self.forked()
        if self._devices is None:
            self._open_devices()
        return self._devices or ()

    def _open_devices(self) -> None:
        """Those that are not known yet."""
        count = ctypes.c_int()
        code = self.raw("cuDeviceGetCount")(ctypes.byref(count))
        if code not in (0, _NO_DEVICE, 3):  # 3: cuInit found no device
            raise self.error("cuDeviceGetCount", code)
        with self._lock:  # another thread may have been quicker
            known = self._devices or ()
            self._devices = (*known, *[Device(self, ordinal) for ordinal in range(len(known), count.value)])

    def device(self, ordinal: int = 0) -> Device:
        """Device number *ordinal*. Raises DeviceNotFoundError."""
        devices = self.devices()
        if not hasattr(type(ordinal), "__index__"):
            raise ArgumentTypeError(f"a device's number is an integer, not {type(ordinal).__name__} {ordinal!r:.60}")
        if ordinal >= len(devices):  # the emulated driver adds devices as they are asked for
            self._open_devices()
            devices = self.devices()
        if not 0 <= ordinal < len(devices):
            have = f"devices 0 to {len(devices) - 1}" if len(devices) > 1 else f"{len(devices)} device(s)"
            raise DeviceNotFoundError(
                f"driver {self.name!r} has no device {ordinal}: it shows {have}",
                hint="ask driver.devices() for what is there; CUDA_VISIBLE_DEVICES may hide devices",
            )
        return devices[ordinal]

    def live_handles(self) -> dict[str, int]:
        """How many handles of each kind are not freed yet on its devices; kinds without any are left out."""
        total: dict[str, int] = {}
        for device in self._devices or ():
            for kind, count in device.live_handles().items():
                total[kind] = total.get(kind, 0) + count
        return total

    def die_in_child(self) -> None:
        """After fork, in the child: every entry raises ForkedProcessError from now on, on its devices too."""
        super().die_in_child()
        self._lock = threading.Lock()
        for device in self._devices or ():
            device.die_in_child()
