"""Multicast objects, and the ranges of addresses at which they are mapped."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.emulated_driver.state.cpu_device import Device

__all__ = ["Binding", "MulticastObject", "multicasts", "shown"]


class Binding(NamedTuple):
    """Memory of a device behind an object: this process has it from `address` on. `release` is called when it is unbound."""

    device: Device
    address: int
    release: Callable[[], None]


class MulticastObject:
    """What cuMulticastCreate makes: `count` devices with `size` bytes each."""

    def __init__(self, size: int, count: int) -> None:
        self.size = size
        self.count = count
        self.devices: list[Device] = []
        self.bindings: list[Binding] = []

    def bind(self, binding: Binding) -> None:
        self.bindings.append(binding)
        self._tell()

    def unbind(self, binding: Binding) -> None:
        self.bindings.remove(binding)
        self._tell()
        binding.release()

    def show(self, base: int) -> None:
        """The object is at these addresses from now on."""
        shown[base] = self
        self._tell()

    def hide(self, base: int) -> None:
        del shown[base]
        for device in machine.devices:
            device.arena.multicast().remove(base)

    def _tell(self) -> None:
        """Each device of the object reaches it where it is mapped, once all of them have bound memory."""
        for base in [base for base, each in shown.items() if each is self]:
            for device in self.devices:
                device.arena.multicast().remove(base)
                if len(self.bindings) == self.count:
                    device.arena.multicast().add(base, self.size, [b.address for b in self.bindings])


multicasts: Handles[MulticastObject] = Handles("multicast object", stale=enums.CUresult.ERROR_INVALID_VALUE)
shown: dict[int, MulticastObject] = {}
"""What is mapped, by its first address."""
