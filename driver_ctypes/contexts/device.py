"""A driver and its devices as users hold them: what a device is, what it can do, and its primary context."""

from __future__ import annotations

import ctypes

from driver_ctypes import errors
from driver_ctypes.errors import ArgumentTypeError, DeviceNotFoundError
from driver_ctypes.lifetime import note_open
from driver_ctypes.loading.table import FunctionTable
from driver_ctypes.primitives import Lock
from driver_ctypes.session.device import DeviceBase
from driver_ctypes.typing import TYPE_CHECKING
from driver_ctypes.validate import member

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.abi.enums import CUctx_flags, CUdevice_attribute
    from driver_ctypes.contexts.context import Context
    from driver_ctypes.loading.table import Resolve


class Attributes:
    """Each ``CU_DEVICE_ATTRIBUTE_...`` as an attribute in lower case, asked of the driver on first use.

    Raises AttributeError for a name that is none, CudaError for an attribute that the driver is too old to know.
    """

    __slots__ = ("_device",)

    def __init__(self, device: Device) -> None:
        self._device = device

    def __getattr__(self, name: str) -> int:
        from driver_ctypes.abi.enums import CUdevice_attribute

        try:
            attribute = CUdevice_attribute[name.upper()]
        except KeyError:
            from difflib import get_close_matches

            closest = get_close_matches(name, dir(self), 1)
            hint = f"; {closest[0]} is meant?" if closest else ""
            raise AttributeError(f"devices have no attribute {name!r}{hint}") from None
        return self._device.attribute(attribute)

    def __dir__(self) -> list[str]:
        from driver_ctypes.abi.enums import CUdevice_attribute

        return sorted(name.lower() for name in CUdevice_attribute.__members__ if name != "MAX")

    def __repr__(self) -> str:
        return f"<Attributes of {self._device!r}>"


_INVALID_VALUE = 1


class Device(DeviceBase):
    """One device of a driver. Made by `Driver.device`, and the same object each time."""

    driver: Driver
    _primary: Context | None

    def __init__(self, driver: Driver, ordinal: int) -> None:
        super().__init__(driver, ordinal)
        self._target: str | None = None

    @property
    def name(self) -> str:
        """The product's name."""
        text = ctypes.create_string_buffer(256)
        self.driver.call("cuDeviceGetName", text, len(text), self.handle)
        return text.value.decode(errors="replace")

    @property
    def uuid(self) -> str:
        """The device's UUID in the usual groups, without nvidia-smi's ``GPU-``; a MIG instance has its own."""
        from driver_ctypes.abi.structs import CUuuid

        value = CUuuid()
        self.driver.call("cuDeviceGetUuid_v2", ctypes.byref(value), self.handle)
        digits = bytes(value.bytes).hex()
        return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])

    @property
    def total_memory(self) -> int:
        """Bytes of device memory."""
        size = ctypes.c_size_t()
        self.driver.call("cuDeviceTotalMem_v2", ctypes.byref(size), self.handle)
        return size.value

    @property
    def limits(self) -> Attributes:
        """Every attribute by its name in lower case: ``device.limits.max_threads_per_block``."""
        return Attributes(self)

    @property
    def pci_bus_id(self) -> str:
        """Its address on the PCI bus, such as ``0000:3B:00.0``."""
        text = ctypes.create_string_buffer(32)
        self.driver.call("cuDeviceGetPCIBusId", text, len(text), self.handle)
        return text.value.decode()

    def attributes(self) -> dict[CUdevice_attribute, int]:
        """Every attribute that both this package and the driver know."""
        from driver_ctypes.abi.enums import CUdevice_attribute

        known = {}
        for attribute in CUdevice_attribute:
            try:
                known[attribute] = self.attribute(attribute)
            except errors.CudaError as error:
                if error.code != _INVALID_VALUE:
                    raise
        return known

    def primary_context(self) -> Context:
        """The device's primary context, which frameworks on the same device share; retained once until it is closed."""
        context = self._primary
        if context is None or context.closed:
            from driver_ctypes.contexts.context import Context

            with self._lock:
                context = self._primary
                if context is None or context.closed:
                    handle = ctypes.c_void_p()
                    self.driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(handle), self.handle)
                    context = self._primary = Context(self, handle.value or 0)
        return context

    def loadable_target(self, candidates: Iterable[str] | None = None) -> str:
        """The best target that the driver loads here, found by trying; see `Context.loadable_target`. The default
        candidates are tried once in a process.
        """
        if candidates is not None:
            return self.primary_context().loadable_target(candidates)
        if self._target is None:
            self._target = self.primary_context().loadable_target()
        return self._target

    def create_context(self, flags: CUctx_flags | int = 0) -> Context:
        """A context beside the primary one, with its own memory, modules and streams. It lives until it is
        closed, or until nothing refers to it or to an object on it. *flags* says how threads wait for it. Raises CudaError.
        """
        from driver_ctypes.contexts.context import Context

        handle = ctypes.c_void_p()
        self.driver.call("cuCtxCreate_v2", ctypes.byref(handle), member(flags, "CUctx_flags", "flags"), self.handle)
        self.driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))  # creating has made it current
        context = Context(self, handle.value or 0, primary=False)
        self._others.add(context)
        return context

    def primary_state(self) -> tuple[int, bool]:
        """(flags, whether it is active in this process) of the primary context."""
        flags, active = ctypes.c_uint32(), ctypes.c_int()
        self.driver.call("cuDevicePrimaryCtxGetState", self.handle, ctypes.byref(flags), ctypes.byref(active))
        return flags.value, bool(active.value)

    def set_primary_flags(self, flags: CUctx_flags | int) -> None:
        """How threads wait for the primary context (``CUctx_flags.SCHED_...``), for every library of this process."""
        self.driver.call("cuDevicePrimaryCtxSetFlags_v2", self.handle, member(flags, "CUctx_flags", "flags"))

    def reset(self) -> None:
        """Destroy the primary context with everything in it, for every library of this process; the next
        `primary_context` is a new one.

        After a fault an emulated device is usable again. On a GPU where the process must end, FatalError is
        raised.
        """
        context, self._primary = self._primary, None
        if context is not None:
            context.abandon()
        self.driver.call("cuDevicePrimaryCtxReset_v2", self.handle)


_NO_DEVICE = 100


class Driver(FunctionTable):
    """One driver, opened: its version, its devices, and any of its functions by exported symbol."""

    def __init__(self, name: str, resolve: Resolve, *, foreign_pointers: bool = True, cache_code: bool = False) -> None:
        super().__init__(name, resolve, foreign_pointers=foreign_pointers, cache_code=cache_code)
        self._devices: tuple[Device, ...] | None = None
        self._lock = Lock()  # of the list of devices
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
        self._lock = Lock()
        for device in self._devices or ():
            device.die_in_child()
