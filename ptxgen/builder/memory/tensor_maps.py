"""Tensor maps as parameters: 128 bytes passed by value, of which the tensor instructions take the generic address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.abi.structs import CUtensorMap
from driver_ctypes.arguments.pointers import as_pointer
from driver_ctypes.errors import ArgumentTypeError
from ptxgen.builder.values.scalars import u64
from ptxgen.ir import Symbol

if TYPE_CHECKING:
    from driver_ctypes.contexts.context import Context
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["TensorMap"]


class TensorMap:
    """A parameter type: a 128-byte tensor map, 64-byte aligned (manual 5.5.8); `driver_ctypes.tensor_map` makes one.

    In the kernel it is the base of a tensor's address, `[map, (x, y)]`; `address` is its generic address as a number, `name` the
    parameter's.
    """

    __slots__ = ("address", "name")

    def __init__(self, name: str, address: u64) -> None:
        self.name = name
        self.address = address

    def __repr__(self) -> str:
        return f"<tensor map {self.name}>"

    @classmethod
    def in_kernel(cls, k: FunctionBuilder, parameter: str) -> TensorMap:
        """The map as a kernel sees it."""
        address = k.emit1(u64, "cvta.param.u64", Symbol(parameter))
        return cls(parameter, address)

    @classmethod
    def packed(cls, value: Any, context: Context) -> bytes:
        """Its bytes, for a launch. ArgumentTypeError for anything but a tensor map, ArgumentError and ClosedError where its
        memory is another context's or closed."""
        if not isinstance(value, CUtensorMap):
            raise ArgumentTypeError(
                f"expected a tensor map, found {type(value).__name__} {value!r:.60}",
                hint='pass driver_ctypes.tensor_map(array, "f16", shape, box)',
            )
        memory = getattr(value, "memory", None)
        if memory is not None:
            as_pointer(memory, context)
        return bytes(value)
