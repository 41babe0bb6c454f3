"""Devices, arrays, current streams, capture, and loaded kernels: a thin Pythonic layer over driver_ctypes.

A device is a GPU ("cuda") or this machine's processor ("cpu") behind the same driver API. May import driver_ctypes and the
rooms below; knows nothing of how a program was made.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.host.arrays import Array
    from ptxgen.host.capture import Graph
    from ptxgen.host.loading import ArgumentKind, KernelHandle, signature_of
    from ptxgen.host.machine import Device, current_device, device, device_of, devices

__all__ = [
    "ArgumentKind",
    "Array",
    "Device",
    "Graph",
    "KernelHandle",
    "current_device",
    "device",
    "device_of",
    "devices",
    "signature_of",
]

_EXPORTS = {
    "arrays": "Array",
    "capture": "Graph",
    "loading": "ArgumentKind KernelHandle signature_of",
    "machine": "Device current_device device device_of devices",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
