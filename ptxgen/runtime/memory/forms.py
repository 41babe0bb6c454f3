"""What host data is beside its bytes: a numpy dtype and a shape, which results keep."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from ptxgen.host.formats import numpy_module

__all__ = ["Form", "form_of", "shown"]


class Form(NamedTuple):
    """A numpy dtype and a shape."""

    dtype: Any
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Elements of such an array."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of such an array."""
        return int(self.dtype.itemsize) * self.size


def form_of(data: Any) -> Form | None:
    """The form of a numpy array; None for bytes and other buffers."""
    dtype = getattr(data, "dtype", None)
    return Form(dtype, data.shape) if hasattr(dtype, "itemsize") and hasattr(dtype, "kind") else None


def shown(data: memoryview | bytes, form: Form | None) -> Any:
    """A copy of *data*: bytes, or a numpy array that may be written."""
    return bytes(data) if form is None else numpy_module().ndarray(form.shape, form.dtype, bytearray(data))
