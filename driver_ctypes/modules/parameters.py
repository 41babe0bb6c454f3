"""The parameters of loaded kernels: what is known before the driver is asked, and how it is asked.

Before CUDA 13.2 a driver does not say how many parameters a kernel has, and asking for one too many is an error, which tools like
compute-sanitizer report. The PTX text and cubins say how many there are; only of a fatbin the driver is asked until it fails.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.modules.headers import count_parameters, entry_heads
from driver_ctypes.modules.images import LinkedImage, is_cubin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.session.session import Session

_INVALID_VALUE = 1


class Declared(NamedTuple):
    """What an image says of its kernels, by their names: the heads of PTX entries, and how many parameters they have."""

    heads: Mapping[str, str]
    counts: Mapping[str, int]


def declared(image: bytes, ptx: str) -> Declared:
    """What PTX text, a cubin, or a cubin that was linked here says; nothing for other images."""
    heads = entry_heads(ptx) if ptx else image.heads if isinstance(image, LinkedImage) else {}
    counts = {name: count_parameters(head) for name, head in heads.items()}
    if not ptx and is_cubin(image):
        from driver_ctypes.modules.cubin import parameter_counts

        counts |= parameter_counts(image)
    return Declared(heads, counts)


def read_parameters(context: Session, kind: str, handle: int, count: int | None) -> tuple[tuple[int, int], ...] | None:
    """(offset, bytes) of each of *count* parameters of a function or a kernel (*kind*: "Func", "Kernel"); of as many as the
    driver says where the count is not known. None where the driver does not tell (before CUDA 12.4).
    """
    symbol = f"cu{kind}GetParamInfo"
    if not context.driver.has(symbol):
        return None
    if count is None and context.driver.has(f"cu{kind}GetParamCount"):
        number = ctypes.c_size_t()
        context.call(f"cu{kind}GetParamCount", handle, ctypes.byref(number))
        count = number.value
    found: list[tuple[int, int]] = []
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    while len(found) != count:
        args = (handle, len(found), ctypes.byref(offset), ctypes.byref(size))
        code = context.try_call(symbol, *args)
        if code == _INVALID_VALUE:
            context.driver.new_log()
            break
        if code:
            raise context.error(symbol, code, args)
        found.append((offset.value, size.value))
    return tuple(found)
