"""Kernels and variables of loaded code by their names: those there are, and what is said of one that is not there."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.contexts.context import Context
    from driver_ctypes.errors import CudaError

NOT_FOUND = 500


def kernel_names(
    context: Context, count: str, enumerate_: str, name: str, owner: int, otherwise: Iterable[str]
) -> tuple[str, ...]:
    """Names of the kernels of the module or library *owner*, by the three functions of its kind; *otherwise* where the
    driver lacks one of them (before CUDA 12.4).
    """
    if not all(map(context.driver.has, (count, enumerate_, name))):
        return tuple(otherwise)
    number = ctypes.c_uint()
    context.call(count, ctypes.byref(number), owner)
    handles = (ctypes.c_void_p * number.value)()
    if number.value:
        context.call(enumerate_, handles, number.value, owner)
    names = []
    for handle in handles:
        text = ctypes.c_char_p()
        context.call(name, ctypes.byref(text), handle)
        names.append((text.value or b"").decode(errors="replace"))
    return tuple(names)


def not_found(context: Context, symbol: str, what: str, name: str, names: Iterable[str]) -> CudaError:
    """The exception for a kernel or variable (*what*) that loaded code does not have."""
    known = ", ".join(names)
    detail = f"no {what} is called {name!r}" + (f"; there are: {known}" if known else "")
    return context._error(
        symbol, NOT_FOUND, detail=detail, hint=f'a {what} must be .visible; C++ names are mangled unless extern "C"'
    )
