"""Devices, arrays, current streams, capture, and loaded kernels: a thin Pythonic layer over driver_ctypes.

A device is a GPU ("cuda") or this machine's processor ("cpu") behind the same driver API. May import driver_ctypes and the
rooms below; knows nothing of how a program was made.
"""

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
