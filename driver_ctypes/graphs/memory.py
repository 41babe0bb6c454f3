"""The device memory that graphs use (CUDA 11.4)."""

from __future__ import annotations

import ctypes

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from driver_ctypes.session.device import DeviceBase

_USED, _USED_HIGH, _RESERVED, _RESERVED_HIGH = range(4)  # CUgraphMem_attribute


class GraphMemory(NamedTuple):
    """Bytes that allocation nodes use, and that the driver has reserved for them; now, and at most since the reset."""

    used: int
    used_high: int
    reserved: int
    reserved_high: int


def graph_memory(device: DeviceBase) -> GraphMemory:
    """The memory of a device's graphs."""
    values = []
    for attribute in range(4):
        value = ctypes.c_uint64()
        device.driver.call("cuDeviceGetGraphMemAttribute", device.handle, attribute, ctypes.byref(value))
        values.append(value.value)
    return GraphMemory(*values)


def reset_graph_memory_high(device: DeviceBase) -> None:
    """Let the high marks begin anew."""
    for attribute in (_USED_HIGH, _RESERVED_HIGH):
        value = ctypes.c_uint64(0)
        device.driver.call("cuDeviceSetGraphMemAttribute", device.handle, attribute, ctypes.byref(value))


def trim_graph_memory(device: DeviceBase) -> None:
    """Give back what is reserved and not used."""
    device.driver.call("cuDeviceGraphMemTrim", device.handle)
