"""PyTorch's types of elements, and those of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.arguments.parameter import same_bits
from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.interop.elements import element_named
from ptxgen.builder import SCALARS
from ptxgen.torch.framework import torch

if TYPE_CHECKING:
    from driver_ctypes.interop.elements import ElementType
    from ptxgen.builder.values import Value

__all__ = ["element_of", "element_type", "fits"]


def element_of(dtype: Any) -> ElementType | None:
    """What PTX calls the elements of a tensor; None for a type that it does not have."""
    return element_named(str(dtype).rpartition(".")[2])


def element_type(dtype: Any) -> type[Value]:
    """The type of kernels for a `torch.dtype`: f32 for torch.float32, bf16 for torch.bfloat16. ArgumentTypeError for a type that
    kernels do not have (complex numbers)."""
    element = element_of(dtype) if isinstance(dtype, torch.dtype) else None
    found = SCALARS.get(element.name) if element is not None else None
    if found is None:
        raise ArgumentTypeError(f"kernels have no type for {dtype}", hint="a torch.dtype of integers or real numbers")
    return found


def fits(dtype: Any, wanted: Any) -> bool:
    """May a pointer to `wanted` (None for one of any type) be to elements of `dtype`? Signed or not makes no difference."""
    element = element_of(dtype)
    return element is not None and (wanted is None or same_bits(element, wanted))
