"""Tensors in the host's memory, which kernels of the CPU device reach in place (`ptxgen.host.lending`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.interop.elements import foreign_element
from ptxgen.builder import SCALARS
from ptxgen.host import device
from ptxgen.host.lending import Span, lent
from ptxgen.ops.operands import Operand

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from ptxgen.host import Device

__all__ = ["cpu_device", "lend", "operand_of"]


def cpu_device() -> Device:
    """That of CPU tensors."""
    return device("cpu")


def lend(tensors: Iterable[Any]) -> AbstractContextManager[None]:
    """In the body, kernels of the CPU device reach these tensors of the host and nothing around them; see `lent`."""
    return lent(cpu_device(), [_span(each) for each in tensors])


def _span(tensor: Any) -> Span:
    """From its first element to its last one; strides of PyTorch are never negative."""
    if not tensor.numel():
        return Span(0, 0)
    reach = sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride()))
    return Span(tensor.data_ptr(), (reach + 1) * tensor.element_size())


def operand_of(tensor: Any) -> Operand:
    """A tensor of the host as operations of `px.ops` take it, while it is lent. ArgumentTypeError for elements that kernels do
    not have."""
    element = SCALARS.get(getattr(foreign_element(tensor), "name", ""))
    if element is None:
        raise ArgumentTypeError(f"kernels have no type for {tensor.dtype}", hint="integers or real numbers")
    size = tensor.element_size()
    strides = tuple([size * each for each in tensor.stride()])
    return Operand(tensor.data_ptr(), tuple(tensor.shape), strides, element, cpu_device(), None)
