"""What one launch hands to the driver."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig

if TYPE_CHECKING:
    from driver_ctypes.arguments.signature import Signature
    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.launch.limits import Config

_CONFIG = struct.Struct("<7I4xQQI4x")  # CUlaunchConfig: grid, block, shared bytes, stream, attributes, their number
_COOPERATIVE, _CLUSTER_DIMENSION = 2, 4  # CUlaunchAttributeID
_MOST_ATTRIBUTES = 16  # of one launch: as many as there are, and room


class Slot:
    """One launch's memory: argument bytes, pointers to them, configuration, and the call that sends them."""

    __slots__ = ("attributes", "buffer", "call", "config", "pointers")

    def __init__(self, function: LoadedKernel, signature: Signature) -> None:
        self.buffer: ctypes.Array[ctypes.c_char] = ctypes.create_string_buffer(signature.size or 1)
        base = ctypes.addressof(self.buffer)
        count = len(signature.params) or 1
        self.pointers: ctypes.Array[ctypes.c_void_p] = (ctypes.c_void_p * count)(*[base + o for o in signature.offsets])
        self.config: CUlaunchConfig = CUlaunchConfig()
        self.attributes: ctypes.Array[CUlaunchAttribute] = (CUlaunchAttribute * _MOST_ATTRIBUTES)()
        self.call: Callable[[], int] = partial(
            function.context.driver.untyped("cuLaunchKernelEx"),
            ctypes.byref(self.config),
            ctypes.c_void_p(function.handle),
            ctypes.byref(self.pointers),
            ctypes.c_void_p(),
        )

    def configure(self, config: Config, stream: int) -> None:
        """Set grid, block, shared memory, stream and attributes."""
        number = 0
        if config.cluster is not None:
            dims = self.attributes[number].value.clusterDim
            self.attributes[number].id = _CLUSTER_DIMENSION
            dims.x, dims.y, dims.z = config.cluster
            number += 1
        if config.cooperative:
            self.attributes[number].id = _COOPERATIVE
            self.attributes[number].value.cooperative = 1
            number += 1
        for attribute in config.attributes:
            self.attributes[number].id = attribute.number
            self.attributes[number].value = CUlaunchAttributeValue.from_buffer_copy(attribute.value)
            number += 1
        address = ctypes.addressof(self.attributes) if number else 0
        _CONFIG.pack_into(self.config, 0, *config.grid, *config.block, config.shared, stream, address, number)


class LastLaunch(NamedTuple):
    """What a fault's message says of the launch before it. It keeps neither kernel nor stream alive."""

    kernel: str
    config: Config

    def __str__(self) -> str:
        return f"kernel {self.kernel!r}, {self.config}"
