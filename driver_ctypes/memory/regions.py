"""Copies of two and three dimensions: regions of pitched memory, on the host and on devices."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.arguments.pointers import as_pointer
from driver_ctypes.errors import ArgumentRangeError
from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.memory.arrays import CudaArray
from driver_ctypes.memory.buffer import size_of
from driver_ctypes.memory.viewed import HostMemory

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

_HOST, _DEVICE, _ARRAY = 1, 2, 3  # CUmemorytype


class Region(NamedTuple):
    """The place where a copy begins, in memory of rows and slices."""

    memory: Any
    """A buffer or device address, an array, or host memory (an object with a buffer, a `PinnedBuffer`)."""
    pitch: int = 0
    """Bytes from row to row; 0 for rows without gaps."""
    rows: int = 0
    """Rows from slice to slice; 0 for slices without gaps."""
    x: int = 0
    """The first byte of a row that is copied."""
    y: int = 0
    """The first row."""
    z: int = 0
    """The first slice."""
    host: bool | None = None
    """Whether a bare address is one of the host; None: of the device."""


class _ArraySide:
    """A side of the copy that is an array, which has its own rows and slices."""

    host = None

    def __init__(self, region: Region, extent: tuple[int, int, int]) -> None:
        self.owner: CudaArray = region.memory
        self.handle = self.owner.handle
        self.origin = size_of(region.x), size_of(region.y), size_of(region.z)
        if region.pitch or region.rows or region.host:
            raise ArgumentRangeError(
                "an array has rows and slices of its own", hint="leave pitch=, rows= and host= out"
            )
        element = self.owner.texel.nbytes
        if self.origin[0] % element or extent[0] % element:
            raise ArgumentRangeError(
                f"{extent[0]} bytes from byte {self.origin[0]} of a row are not whole elements of {element} bytes"
            )
        for name, first, count, have in zip(("row's bytes", "rows", "slices"), self.origin, extent, self.owner.rows):
            if first + count > have:
                raise ArgumentRangeError(f"the region ends after {first + count} {name}, {self.owner!r} after {have}")

    def close(self) -> None:
        """There is nothing to give back."""

    def write_to(self, params: Any, name: str) -> None:
        """Fill in the side called *name* of a CUDA_MEMCPY3D."""
        setattr(params, f"{name}MemoryType", _ARRAY)
        setattr(params, f"{name}Array", self.handle)
        for field, value in zip(("XInBytes", "Y", "Z"), self.origin):
            setattr(params, name + field, value)


def _side(context: Session, value: Any, extent: tuple[int, int, int], *, writable: bool) -> _Side | _ArraySide:
    region = value if isinstance(value, Region) else Region(value)
    if isinstance(region.memory, CudaArray):
        return _ArraySide(region, extent)
    return _Side(context, region, extent, writable=writable)


class _Side:
    """One side of the copy that is plain memory, with host memory held open."""

    def __init__(self, context: Session, region: Region, extent: tuple[int, int, int], *, writable: bool) -> None:
        width, height, depth = extent
        self.owner = region.memory
        self.pitch = region.pitch or getattr(region.memory, "pitch", 0) or region.x + width
        self.rows = region.rows or region.y + height
        if self.pitch < region.x + width:
            raise ArgumentRangeError(f"a row has {region.x + width} bytes, the pitch is {self.pitch}")
        if depth > 1 and self.rows < region.y + height:
            raise ArgumentRangeError(f"a slice has {region.y + height} rows, {self.rows} are from slice to slice")
        self.x, self.y, self.z = size_of(region.x), size_of(region.y), size_of(region.z)
        self.host: HostMemory | None = None
        if region.host or (region.host is None and _is_host(region.memory)):
            self.host = HostMemory(region.memory, writable=writable)
            self.address, have = self.host.address, self.host.nbytes
        else:
            self.address, have = as_pointer(region.memory, context), getattr(region.memory, "nbytes", None)
        last = ((self.z + depth - 1) * self.rows + self.y + height - 1) * self.pitch + self.x + width
        if isinstance(have, int) and last > have:
            self.close()
            raise ArgumentRangeError(
                f"the region ends after {last} bytes, the {type(region.memory).__name__} after {have}",
                hint="check pitch, rows and origin; all but rows, y and z count bytes",
            )

    def close(self) -> None:
        """Give the host memory back."""
        if self.host is not None:
            self.host.__exit__()

    def write_to(self, params: Any, name: str) -> None:
        """Fill in the side called *name* of a CUDA_MEMCPY3D."""
        kind = _HOST if self.host is not None else _DEVICE
        setattr(params, f"{name}MemoryType", kind)
        setattr(params, f"{name}{'Host' if kind == _HOST else 'Device'}", self.address)
        for field, value in (
            ("Pitch", self.pitch), ("Height", self.rows), ("XInBytes", self.x), ("Y", self.y), ("Z", self.z),
        ):  # fmt: skip
            setattr(params, name + field, value)


def _is_host(memory: Any) -> bool:
    if isinstance(memory, int) or hasattr(memory, "pointer") or hasattr(memory, "__cuda_array_interface__"):
        return False
    return not hasattr(memory, "__dlpack_device__") or memory.__dlpack_device__()[0] in (1, 3)  # host, page-locked


def copy_region(context: Session, dst: Any, src: Any, extent: tuple[int, int, int], stream: Any) -> None:
    """Copy *extent* (bytes of a row, rows, slices). Raises ArgumentRangeError if a side has less memory."""
    from driver_ctypes.abi.structs import CUDA_MEMCPY3D

    width, height, depth = (size_of(number) for number in extent)
    if not width or not height or not depth:
        return
    target = _side(context, dst, (width, height, depth), writable=True)
    try:
        source = _side(context, src, (width, height, depth), writable=False)
    except BaseException:
        target.close()
        raise
    try:
        params = CUDA_MEMCPY3D(WidthInBytes=width, Height=height, Depth=depth)
        target.write_to(params, "dst")
        source.write_to(params, "src")
        if stream is None:
            context.call("cuMemcpy3D_v2", ctypes.byref(params))
            _note(context, source, target, width * height * depth)
            return
        queue = context.stream_from(stream)
        queue.check_open()
        context.call("cuMemcpy3DAsync_v2", ctypes.byref(params), queue.handle)
        capture = queue.active_capture
        if capture is not None:
            for side in (target, source):
                if side.host is not None:
                    capture.retain_host(side.owner, writable=side is target)
                else:
                    capture.retain(side.owner)
        else:
            _note(context, source, target, width * height * depth)
    finally:
        target.close()
        source.close()


def _note(context: Session, source: _Side | _ArraySide, target: _Side | _ArraySide, nbytes: int) -> None:
    """Tell the accounts that are open."""
    if source.host is not None and target.host is not None:
        return
    way = "HtoD" if source.host is not None else "DtoH" if target.host is not None else "DtoD"
    for account in tuple(ACCOUNTS):
        account.note_copy(context, way, nbytes)
