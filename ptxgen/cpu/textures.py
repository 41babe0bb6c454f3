"""Textures, surfaces and samplers of a device: records that generated code reads, and the table of their handles.

A handle is a number that a kernel gets as a `.b64`, and the place of its record in the table. Who makes a record is the driver:
`ptxgen.emulated_driver.memory.textures`.
"""

from __future__ import annotations

import ctypes
import threading
from enum import IntEnum
from typing import Protocol

__all__ = [
    "CAPACITY", "MOST_LEVELS", "Address", "Filter", "ImageFormat", "ImageKind", "ImageRecord", "LevelRecord", "TextureTable",
]  # fmt: skip

U32, U64, F32 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_float
CAPACITY = 1 << 20
"""Handles are below it, as on a GPU; 0 is none."""
MOST_LEVELS = 16


class ImageKind(IntEnum):
    """What a handle stands for."""

    TEXTURE = 1
    SURFACE = 2
    SAMPLER = 3


class ImageFormat(IntEnum):
    """How a channel is stored."""

    U8 = 0
    U16 = 1
    U32 = 2
    S8 = 3
    S16 = 4
    S32 = 5
    F16 = 6
    F32 = 7

    @property
    def nbytes(self) -> int:
        return (1, 2, 4, 1, 2, 4, 2, 4)[self]


class Address(IntEnum):
    """Which element stands for one outside: CUaddress_mode."""

    WRAP = 0
    CLAMP = 1
    MIRROR = 2
    BORDER = 3


class Filter(IntEnum):
    """CUfilter_mode."""

    POINT = 0
    LINEAR = 1


class LevelRecord(ctypes.Structure):
    """One level of an image; extents are 1 in dimensions that it does not have. Layers, and the faces of cubes, are depth."""

    _fields_ = [
        ("base", U64),
        ("pitch", U64),  # bytes from row to row
        ("slice", U64),  # bytes from slice to slice
        ("width", U32),
        ("height", U32),
        ("depth", U32),
        ("pad", U32),
    ]


class ImageRecord(ctypes.Structure):
    """What a handle leads to. The sampling fields are of textures and samplers, the others of textures and surfaces."""

    _fields_ = [
        ("kind", U32),  # ImageKind
        ("format", U32),  # ImageFormat
        ("channels", U32),
        ("texel_bytes", U32),
        ("levels", U32),
        ("layers", U32),  # of an array, 6 to a cube; 0: it is none
        ("normalizes", U32),  # integers are read as 0 to 1, or -1 to 1
        ("srgb", U32),
        # sampling
        ("normalized", U32),  # coordinates go from 0 to 1
        ("filter", U32),
        ("mip_filter", U32),
        ("seamless", U32),
        ("address", U32 * 3),
        ("bias", F32),
        ("lowest", F32),  # level
        ("highest", F32),
        ("border", U32 * 4),  # bits of the channels
        ("pad", U32 * 2),
        ("level", LevelRecord * MOST_LEVELS),
    ]


class Windows(Protocol):
    """Where memory of the executor comes from: an `arena.Arena`."""

    def open_window(self, nbytes: int) -> int: ...

    def close_window(self, address: int) -> None: ...


class TextureTable:
    """The handles of a device. Records lie in a part of the arena that kernels do not reach."""

    def __init__(self, arena: Windows) -> None:
        self._arena = arena
        self._lock = threading.Lock()
        self._next = 1
        self._free: list[int] = []
        self.address = arena.open_window(8 * CAPACITY)
        self._zero = arena.open_window(64)  # the element of an image that nobody has bound
        self._entries = (U64 * CAPACITY).from_address(self.address)

    def add(self, record: ImageRecord) -> int:
        """A new handle for the record, of which a copy is kept. Raises MemoryError."""
        if not record.level[0].base:
            record.level[0] = LevelRecord(self._zero, 16, 16, 1, 1, 1, 0)
        place = self._arena.open_window(ctypes.sizeof(ImageRecord))
        ctypes.memmove(place, ctypes.addressof(record), ctypes.sizeof(ImageRecord))
        with self._lock:
            if not self._free and self._next == CAPACITY:
                raise MemoryError(f"more than {CAPACITY - 1} textures and surfaces")
            handle = self._free.pop() if self._free else self._next
            self._next = max(self._next, handle + 1)
            self._entries[handle] = place
        return handle

    def change(self, handle: int, record: ImageRecord) -> None:
        """The handle stands for another record from now on."""
        ctypes.memmove(self._entries[handle], ctypes.addressof(record), ctypes.sizeof(ImageRecord))

    def remove(self, handle: int) -> None:
        """The handle stands for nothing any more; using it is a fault."""
        with self._lock:
            place, self._entries[handle] = self._entries[handle], 0
            self._free.append(handle)
        self._arena.close_window(place)
