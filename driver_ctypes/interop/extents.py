"""Shape and strides of an array, whichever library it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentTypeError

if TYPE_CHECKING:
    from driver_ctypes.interop.arrays import Foreign

__all__ = ["extents_of"]


def extents_of(array: Any, found: Foreign | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(shape in elements, strides in bytes) of an array of ours, PyTorch's, CuPy's, or one with an interface dictionary or
    DLPack; *found* is what `interop.arrays` read of it. Raises ArgumentTypeError for what has no shape."""
    shape = getattr(array, "shape", None)
    if shape is None:
        raise ArgumentTypeError(
            f"{type(array).__name__} has no shape", hint="pass an array, or a view of the buffer: dev.asarray(...)"
        )
    shape = tuple([int(n) for n in shape])
    strides = getattr(array, "strides", None)
    if strides is not None:
        return shape, tuple([int(n) for n in strides])
    stride, size = getattr(array, "stride", None), getattr(array, "element_size", None)
    if callable(stride) and callable(size):  # PyTorch
        bytes_ = int(size())
        return shape, tuple([int(n) * bytes_ for n in stride()])
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None and interface.get("strides") is not None:
        return shape, tuple([int(n) for n in interface["strides"]])
    return shape, _contiguous(shape, _itemsize(array, found))


def _itemsize(array: Any, found: Foreign | None) -> int:
    if found is not None and found.element is not None:
        return found.element.bits // 8
    size = getattr(getattr(array, "dtype", None), "itemsize", None) or getattr(array, "itemsize", None)
    if not isinstance(size, int):
        raise ArgumentTypeError(f"{type(array).__name__} does not say how large its elements are", hint="pass an array")
    return size


def _contiguous(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    strides = [size] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)
