"""A device's attributes by readable names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driver_ctypes.contexts.device import Device


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
