"""A loaded kernel as launches know it, with what they keep on it."""

from __future__ import annotations

import ctypes

from driver_ctypes.lifetime import Single
from driver_ctypes.typing import TYPE_CHECKING, Any
from driver_ctypes.validate import member

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.abi.enums import CUfunction_attribute
    from driver_ctypes.arguments.signature import Signature
    from driver_ctypes.session.handle import Handle
    from driver_ctypes.session.session import Session


class LoadedKernel(Single):
    """The part of a `Function` that the rooms below ``modules`` use."""

    module: Handle
    """What it is loaded with; it keeps that loaded."""
    signature: Signature | None = None
    """Its parameters; None where neither the caller nor the driver told them."""

    def __init__(self, module: Handle, name: str, handle: int) -> None:
        self.module = module
        self.name = name
        self.handle = handle
        """The CUfunction."""
        self.context: Session = module.context
        self.required_block: tuple[int, int, int] | None = None
        """The one block that it can be launched with (.reqntid), where the program says so: the driver does not tell."""
        self.configs: dict[Any, Any] = {}
        """Launch configurations that were checked, by what was asked for; see `limits.check_config`."""
        self.slots: list[Any] = []
        """Memory of launches that are over; see `sending.borrowed_slot`."""
        self.converters: list[Callable[[Any], Any] | None] | None = None
        """Of each parameter, once there was a launch; see `arguments.signature.converter`."""
        self._attributes: dict[int, int] = {}

    def attribute(self, number: CUfunction_attribute | int) -> int:
        """One CUfunction_attribute."""
        key = kernel_attribute(number)
        value = self._attributes.get(key)
        if value is None:
            self.module.check_open()
            result = ctypes.c_int()
            self.context.call("cuFuncGetAttribute", ctypes.byref(result), key, self.handle)
            value = self._attributes[key] = result.value
        return value

    def set_attribute(self, number: CUfunction_attribute | int, value: int) -> None:
        """Set a CUfunction_attribute, for all launches of this kernel."""
        key = kernel_attribute(number)
        self.module.check_open()
        self.context.call("cuFuncSetAttribute", self.handle, key, value)
        self._attributes.pop(key, None)


def kernel_attribute(number: CUfunction_attribute | int) -> int:
    """The number of an attribute of a kernel. Raises ArgumentTypeError for what is none."""
    return member(number, "CUfunction_attribute", "kernel attribute")
