"""A device: what it is, what it can do, and its primary context."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from driver_ctypes.errors import CudaError
from driver_ctypes.session.device import DeviceBase
from driver_ctypes.validate import member

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.abi.enums import CUctx_flags, CUdevice_attribute
    from driver_ctypes.contexts.attributes import Attributes
    from driver_ctypes.contexts.context import Context
    from driver_ctypes.contexts.opened_driver import Driver

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
        from driver_ctypes.contexts.attributes import Attributes

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
            except CudaError as error:
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
