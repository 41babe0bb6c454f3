"""How a structure is written: its fields as ``name:token``, with scalars and structures by their names."""

from __future__ import annotations

import ctypes

from driver_ctypes.abi.constants import SCALARS
from driver_ctypes.typing import Any

CUdevice = ctypes.c_int
CUdeviceptr = ctypes.c_uint64

_known: dict[str, Any] = {}  # structures and unions by name


class Structure(ctypes.Structure):
    """A structure that others may name."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _known[cls.__name__] = cls


class Union(ctypes.Union):
    """A union that structures may name."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _known[cls.__name__] = cls


def fields(text: str) -> tuple[tuple[str, Any], ...]:
    """The fields ``name:token`` of *text*: a scalar, or a structure that is there already; ``token[8]`` is an array of 8."""
    found = []
    for name, _, token in [field.partition(":") for field in text.split()]:
        kind, _, count = token.partition("[")
        ctype = SCALARS.get(kind) or _known[kind]
        found.append((name, ctype * int(count[:-1]) if count else ctype))
    return tuple(found)
