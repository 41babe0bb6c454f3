"""A device: what it is, what it can do, and its primary context."""

from __future__ import annotations

import ctypes
import threading
from collections import deque
from typing import TYPE_CHECKING
from weakref import WeakSet

from driver_ctypes.contexts.context import Context
from driver_ctypes.errors import CudaError
from driver_ctypes.lifetime import Single
from driver_ctypes.validate import member

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.abi.enums import CUctx_flags, CUdevice_attribute
    from driver_ctypes.contexts.attributes import Attributes
    from driver_ctypes.loading.table import Driver

_INVALID_VALUE = 1
_COMPUTE_CAPABILITY_MAJOR = 75
_COMPUTE_CAPABILITY_MINOR = 76


class Device(Single):
    """One device of a driver. Made by `Driver.device`, and the same object each time."""

    def __init__(self, driver: Driver, ordinal: int) -> None:
        self.driver = driver
        self.ordinal = ordinal
        handle = ctypes.c_int()
        driver.call("cuDeviceGet", ctypes.byref(handle), ordinal)
        self._handle = handle.value
        self._attributes: dict[int, int] = {}
        self._context: Context | None = None
        self._others: WeakSet[Context] = WeakSet()  # beside the primary one, while they are open
        self._orphans: deque[Context] = deque()  # of them, those that garbage collection has found
        self._target: str | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Device {self.driver.name}:{self.ordinal}>"

    @property
    def name(self) -> str:
        """The product's name."""
        text = ctypes.create_string_buffer(256)
        self.driver.call("cuDeviceGetName", text, len(text), self._handle)
        return text.value.decode(errors="replace")

    @property
    def uuid(self) -> str:
        """The device's UUID in the usual groups, without nvidia-smi's ``GPU-``; a MIG instance has its own."""
        from driver_ctypes.abi.structs import CUuuid

        value = CUuuid()
        self.driver.call("cuDeviceGetUuid_v2", ctypes.byref(value), self._handle)
        digits = bytes(value.bytes).hex()
        return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])

    @property
    def total_memory(self) -> int:
        """Bytes of device memory."""
        size = ctypes.c_size_t()
        self.driver.call("cuDeviceTotalMem_v2", ctypes.byref(size), self._handle)
        return size.value

    @property
    def compute_capability(self) -> tuple[int, int]:
        """(major, minor): (9, 0) runs sm_90 code."""
        return self.attribute(_COMPUTE_CAPABILITY_MAJOR), self.attribute(_COMPUTE_CAPABILITY_MINOR)

    def attribute(self, attribute: CUdevice_attribute | int) -> int:
        """An attribute's value. Raises CudaError (INVALID_VALUE) for one that the driver does not know."""
        key = member(attribute, "CUdevice_attribute", "device attribute")
        value = self._attributes.get(key)
        if value is None:
            result = ctypes.c_int()
            self.driver.call("cuDeviceGetAttribute", ctypes.byref(result), key, self._handle)
            value = self._attributes[key] = result.value
        return value

    @property
    def limits(self) -> Attributes:
        """Every attribute by its name in lower case: ``device.limits.max_threads_per_block``."""
        from driver_ctypes.contexts.attributes import Attributes

        return Attributes(self)

    @property
    def pci_bus_id(self) -> str:
        """Where it sits on the PCI bus, such as ``0000:3B:00.0``."""
        text = ctypes.create_string_buffer(32)
        self.driver.call("cuDeviceGetPCIBusId", text, len(text), self._handle)
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
        context = self._context
        if context is None or context.closed:
            with self._lock:
                context = self._context
                if context is None or context.closed:
                    handle = ctypes.c_void_p()
                    self.driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(handle), self._handle)
                    context = self._context = Context(self, handle.value or 0)
        return context

    def loadable_target(self, candidates: Iterable[str] | None = None) -> str:
        """The best target that the driver can really load here, found by trying; see `Context.loadable_target`. The default
        candidates are tried once in a process.
        """
        if candidates is not None:
            return self.primary_context().loadable_target(candidates)
        if self._target is None:
            self._target = self.primary_context().loadable_target()
        return self._target

    def create_context(self, flags: CUctx_flags | int = 0) -> Context:
        """A context of one's own beside the primary one: its memory, modules and streams are apart. It stays until it is
        closed, or nobody knows it or anything on it any more. *flags* says how threads wait for it. Raises CudaError.
        """
        handle = ctypes.c_void_p()
        self.driver.call("cuCtxCreate_v2", ctypes.byref(handle), member(flags, "CUctx_flags", "flags"), self._handle)
        self.driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))  # creating has made it current
        context = Context(self, handle.value or 0, primary=False)
        self._others.add(context)
        return context

    def _close_orphans(self) -> None:
        """Destroy contexts that nobody knows any more, unless a stream captures: that would break its capture."""
        if any(context._captures for context in (self._context, *self._others) if context is not None):
            return
        while self._orphans:
            try:
                orphan = self._orphans.popleft()
            except IndexError:  # another thread was quicker
                return
            orphan.close()

    def primary_state(self) -> tuple[int, bool]:
        """(flags, whether anybody in this process retains it) of the primary context."""
        flags, active = ctypes.c_uint32(), ctypes.c_int()
        self.driver.call("cuDevicePrimaryCtxGetState", self._handle, ctypes.byref(flags), ctypes.byref(active))
        return flags.value, bool(active.value)

    def set_primary_flags(self, flags: CUctx_flags | int) -> None:
        """How threads wait for the primary context (``CUctx_flags.SCHED_...``), for every library of this process."""
        self.driver.call("cuDevicePrimaryCtxSetFlags_v2", self._handle, member(flags, "CUctx_flags", "flags"))

    def live_handles(self) -> dict[str, int]:
        """How many handles of each kind are not freed yet on this device; kinds without any are left out."""
        total: dict[str, int] = {}
        if self._orphans and not self.driver.dead:
            self._close_orphans()
        for context in (self._context, *self._others):
            if context is not None and not context.closed:
                for kind, count in {"context": 1, **context.live_handles()}.items():
                    total[kind] = total.get(kind, 0) + count
        return total

    def reset(self) -> None:
        """Destroy the primary context with everything in it, for every library of this process; the next
        `primary_context` is a new one.

        After a fault this is the way back on an emulated device. A GPU whose process must end says so by raising
        FatalError.
        """
        context, self._context = self._context, None
        if context is not None:
            context._abandon()
        self.driver.call("cuDevicePrimaryCtxReset_v2", self._handle)

    def _end_context(self, context: Context) -> tuple[str, int]:
        """Give the primary context back, or destroy another one: the function called, and the driver's code."""
        if context.primary:
            return "cuDevicePrimaryCtxRelease_v2", self.driver.raw("cuDevicePrimaryCtxRelease_v2")(self._handle)
        self._others.discard(context)
        return "cuCtxDestroy_v2", self.driver.raw("cuCtxDestroy_v2")(context.handle)

    def _die_in_child(self) -> None:
        self._lock = threading.Lock()
        self._orphans.clear()
        for context in (self._context, *self._others):
            if context is not None:
                context._die_in_child()
