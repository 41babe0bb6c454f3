"""A device of a driver, as sessions see it: its attributes, and the sessions that are open on it."""

from __future__ import annotations

import ctypes

from driver_ctypes.lifetime import Single
from driver_ctypes.primitives import Lock, WeakSet, deque
from driver_ctypes.typing import TYPE_CHECKING, Protocol
from driver_ctypes.validate import member

if TYPE_CHECKING:
    from driver_ctypes.abi.enums import CUdevice_attribute
    from driver_ctypes.loading.table import FunctionTable
    from driver_ctypes.session.handles import BlockCache
    from driver_ctypes.session.launches import ActiveCapture


_COMPUTE_CAPABILITY_MAJOR = 75
_COMPUTE_CAPABILITY_MINOR = 76


class OpenSession(Protocol):
    """A `Session`, as its device knows it."""

    primary: bool
    closed: bool
    handle: int
    captures: list[ActiveCapture]
    block_cache: BlockCache | None

    def live_handles(self) -> dict[str, int]: ...
    def close(self) -> None: ...
    def die_in_child(self) -> None: ...


class DeviceBase(Single):
    """The part of a `Device` that the rooms below ``contexts`` use."""

    driver: FunctionTable
    """The driver that shows it."""

    def __init__(self, driver: FunctionTable, ordinal: int) -> None:
        self.driver = driver
        self.ordinal = ordinal
        handle = ctypes.c_int()
        driver.call("cuDeviceGet", ctypes.byref(handle), ordinal)
        self.handle: int = handle.value
        """The CUdevice."""
        self.orphans: deque[OpenSession] = deque()
        """Sessions beside the primary one that garbage collection has found; the next call closes them."""
        self._attributes: dict[int, int] = {}
        self._primary: OpenSession | None = None
        self._others: WeakSet[OpenSession] = WeakSet()  # beside the primary one, while they are open
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<Device {self.driver.name}:{self.ordinal}>"

    @property
    def compute_capability(self) -> tuple[int, int]:
        """(major, minor): (9, 0) runs sm_90 code."""
        return self.attribute(_COMPUTE_CAPABILITY_MAJOR), self.attribute(_COMPUTE_CAPABILITY_MINOR)

    def attribute(self, attribute: CUdevice_attribute | int) -> int:
        """An attribute's value. Raises CudaError (INVALID_VALUE) for one unknown to the driver."""
        key = member(attribute, "CUdevice_attribute", "device attribute")
        value = self._attributes.get(key)
        if value is None:
            result = ctypes.c_int()
            self.driver.call("cuDeviceGetAttribute", ctypes.byref(result), key, self.handle)
            value = self._attributes[key] = result.value
        return value

    # --- its sessions -------------------------------------------------------------------------------------------------

    def sessions(self) -> list[OpenSession]:
        """Every session that is known on it, the primary one first; closed ones may be among them."""
        return [session for session in (self._primary, *self._others) if session is not None]

    def end_session(self, session: OpenSession) -> tuple[str, int]:
        """Give the primary context back, or destroy another one: the function called, and the driver's code."""
        if session.primary:
            return "cuDevicePrimaryCtxRelease_v2", self.driver.raw("cuDevicePrimaryCtxRelease_v2")(self.handle)
        self._others.discard(session)
        return "cuCtxDestroy_v2", self.driver.raw("cuCtxDestroy_v2")(session.handle)

    def close_orphans(self) -> None:
        """Destroy contexts without references, unless a stream captures: that would invalidate its capture."""
        if any(session.captures for session in self.sessions()):
            return
        while self.orphans:
            try:
                orphan = self.orphans.popleft()
            except IndexError:  # another thread was quicker
                return
            orphan.close()

    def live_handles(self) -> dict[str, int]:
        """How many handles of each kind are not freed yet on this device; kinds without any are left out."""
        total: dict[str, int] = {}
        if self.orphans and not self.driver.dead:
            self.close_orphans()
        for session in self.sessions():
            if not session.closed:
                for kind, count in {"context": 1, **session.live_handles()}.items():
                    total[kind] = total.get(kind, 0) + count
        return total

    def die_in_child(self) -> None:
        """After fork, in the child: its sessions belong to the parent."""
        self._lock = Lock()
        self.orphans.clear()
        for session in self.sessions():
            session.die_in_child()
