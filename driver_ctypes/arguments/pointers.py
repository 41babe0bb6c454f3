"""Python values that stand for memory: the address that each stands for, and what its elements are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.arrays import foreign_address, is_foreign
from driver_ctypes.interop.elements import foreign_element

if TYPE_CHECKING:
    from driver_ctypes.interop.elements import ElementType
    from driver_ctypes.session.session import Session


def as_pointer(value: Any, context: Session) -> int:
    """The device address that *value* stands for.

    An int is taken as it is. An object with an int ``pointer`` and a ``context`` (`Buffer`, a device array), or with
    a ``device_pointer`` (page-locked host memory that is mapped), must belong
    to *context*, or to one whose memory it reaches (`Context.enable_peers`). Arrays of the frameworks are read
    where the driver takes foreign memory (see `interop.arrays`). Everything else is an ArgumentTypeError; for host arrays
    its hint is to copy them first.
    """
    if type(value) is int:
        return value
    owner = getattr(value, "context", None)
    pointer = getattr(value, "pointer", None)
    if pointer is None and hasattr(type(value), "device_pointer"):  # host memory that kernels may reach
        pointer = value.device_pointer
    if owner is not None and isinstance(pointer, int):
        if owner is not context and owner not in context.peers:
            raise ArgumentError(
                f"the {type(value).__name__} lives on {owner!r}, and is used on {context!r}",
                hint="copy it over (driver_ctypes.copy_peer), or allocate it in the context that uses it"
                if owner.device is context.device
                else "copy it over (driver_ctypes.copy_peer), let the one reach the other's memory "
                "(context.enable_peers), or pass its .pointer where that memory was given access",
            )
        return pointer
    address = foreign_address(value, context)
    if address is not None:
        return address
    if _is_host_memory(value):
        raise ArgumentTypeError(
            f"{type(value).__name__} is host memory, which a kernel cannot reach",
            hint="copy it to the device first (context.alloc and copy_to_device, or dev.array), and pass that; "
            "pass a structure by value as its bytes: array.tobytes()",
        )
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        hint = "pass 0 for a null pointer" if value is None else "pass a Buffer, a device array, or an address as int"
        raise ArgumentTypeError(f"expected a device pointer, found {type(value).__name__} {value!r:.60}", hint=hint)
    return int(value.__index__())


def element_of(value: Any) -> ElementType | None:
    """The type of an array's elements: its own attribute ``type``, or what the framework says; None for no array."""
    element = getattr(value, "type", None)
    if hasattr(element, "bits") and hasattr(element, "kind"):
        return element
    return foreign_element(value)


def _is_host_memory(value: Any) -> bool:
    """Whether *value* is an array or buffer of host memory; numpy's integer scalars are numbers, not memory."""
    if hasattr(value, "__dlpack__"):
        return True
    if hasattr(type(value), "__index__"):
        return False
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def is_device_memory(value: Any) -> bool:
    return hasattr(value, "pointer") or is_foreign(value)
