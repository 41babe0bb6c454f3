"""CUDA arrays and mipmapped arrays. Here their layout is rows without gaps; layers, and the faces of cubes, are slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_MEMORY_REQUIREMENTS
from ptxgen.cpu.textures import MOST_LEVELS, ImageFormat, LevelRecord
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.allocation import Allocation
from ptxgen.emulated_driver.pointers import copy_struct, need, put_struct, put_u64
from ptxgen.emulated_driver.state.handles import Handles

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Context

__all__ = ["FORMATS", "DriverArray", "MipmappedArray", "arrays", "element_bytes", "image_format", "mipmaps"]

F = enums.CUarray_format
Flags = enums.CUDA_ARRAY3D_flags
FORMATS: dict[int, ImageFormat] = {
    F.UNSIGNED_INT8: ImageFormat.U8, F.UNSIGNED_INT16: ImageFormat.U16, F.UNSIGNED_INT32: ImageFormat.U32,
    F.SIGNED_INT8: ImageFormat.S8, F.SIGNED_INT16: ImageFormat.S16, F.SIGNED_INT32: ImageFormat.S32,
    F.HALF: ImageFormat.F16, F.FLOAT: ImageFormat.F32,
}  # fmt: skip
"""What arrays are made of here; the formats of video and compressed blocks are not offered."""
_ALIGNMENT = 512
_FACES = 6


def image_format(number: int, channels: int) -> ImageFormat:
    """The format by the driver's number; refused with a number of channels that none has."""
    if number not in FORMATS:
        raise Refusal(
            enums.CUresult.ERROR_NOT_SUPPORTED, f"format {number}: integers of 8 to 32 bits, f16 and f32 are offered"
        )
    if channels not in (1, 2, 4):
        raise invalid_value(f"{channels} channels: 1, 2 or 4")
    return FORMATS[number]


def element_bytes(number: int, channels: int) -> int:
    return image_format(number, channels).nbytes * channels


class DriverArray:
    """An array, or a level of a mipmapped one, in a block of memory from `offset` on."""

    def __init__(self, descriptor: CUDA_ARRAY3D_DESCRIPTOR, memory: Allocation, offset: int = 0) -> None:
        self.descriptor = descriptor
        self.memory = memory
        self.offset = offset
        self.whole: MipmappedArray | None = None
        self.texel = element_bytes(descriptor.Format, descriptor.NumChannels)

    @property
    def base(self) -> int:
        """The address of its first element. Refused when its context is gone."""
        if self.memory.released:
            raise Refusal(enums.CUresult.ERROR_INVALID_HANDLE, "the array's memory is gone with its context")
        return self.memory.base + self.offset

    @property
    def layers(self) -> int:
        """Of a layered array or a cube, 6 faces to one; 0 for any other."""
        grouped = self.descriptor.Flags & (Flags.LAYERED | Flags.CUBEMAP)
        return self.descriptor.Depth if grouped else 0

    @property
    def pitch(self) -> int:
        return int(self.descriptor.Width) * self.texel

    @property
    def rows(self) -> int:
        return max(int(self.descriptor.Height), 1)

    @property
    def slices(self) -> int:
        return max(int(self.descriptor.Depth), 1)

    @property
    def nbytes(self) -> int:
        return self.pitch * self.rows * self.slices

    def record(self) -> LevelRecord:
        """What generated code reads of it."""
        return LevelRecord(
            self.base, self.pitch, self.pitch * self.rows, self.descriptor.Width, self.rows, self.slices, 0
        )


class MipmappedArray:
    """An array with ever smaller levels, in one block."""

    def __init__(self, context: Context, descriptor: CUDA_ARRAY3D_DESCRIPTOR, count: int) -> None:
        self.descriptor = descriptor
        sizes = [_level(descriptor, number) for number in range(count)]
        places, end = [], 0
        for each in sizes:
            places.append(end)
            end += -(-_nbytes(each) // _ALIGNMENT) * _ALIGNMENT
        self.memory = Allocation(context, end, "")
        self.levels = [DriverArray(each, self.memory, place) for each, place in zip(sizes, places)]
        self.handles = [arrays.add(level) for level in self.levels]
        for level in self.levels:
            level.whole = self


arrays: Handles[DriverArray] = Handles("array")
mipmaps: Handles[MipmappedArray] = Handles("mipmapped array")


def _nbytes(d: CUDA_ARRAY3D_DESCRIPTOR) -> int:
    return int(element_bytes(d.Format, d.NumChannels) * d.Width * max(d.Height, 1) * max(d.Depth, 1))


def _level(d: CUDA_ARRAY3D_DESCRIPTOR, number: int) -> CUDA_ARRAY3D_DESCRIPTOR:
    """The description of a level: extents are halved, layers and faces are not."""

    def half(extent: int) -> int:
        return max(extent >> number, 1) if extent else 0

    depth = d.Depth if d.Flags & (Flags.LAYERED | Flags.CUBEMAP) else half(d.Depth)
    return CUDA_ARRAY3D_DESCRIPTOR(half(d.Width), half(d.Height), depth, d.Format, d.NumChannels, d.Flags)


def _checked(address: int | None) -> CUDA_ARRAY3D_DESCRIPTOR:
    d = copy_struct(CUDA_ARRAY3D_DESCRIPTOR, address)
    image_format(d.Format, d.NumChannels)
    known = Flags.LAYERED | Flags.SURFACE_LDST | Flags.CUBEMAP | Flags.TEXTURE_GATHER
    if d.Flags & ~int(known):
        raise Refusal(
            enums.CUresult.ERROR_NOT_SUPPORTED, f"flags {d.Flags:#x}: layered, surface, cube map and gather are offered"
        )
    if not d.Width or (d.Depth and not d.Height and not d.Flags & Flags.LAYERED):
        raise invalid_value(f"{d.Width} x {d.Height} x {d.Depth} elements: width first, then height, then depth")
    if d.Flags & Flags.LAYERED and not d.Depth:
        raise invalid_value("a layered array of no layers")
    if d.Flags & Flags.CUBEMAP:
        whole = d.Depth % _FACES == 0 if d.Flags & Flags.LAYERED else d.Depth == _FACES
        if d.Width != d.Height or not d.Depth or not whole:
            raise invalid_value(f"a cube map of {d.Width} x {d.Height} with {d.Depth} faces: square, six to a cube")
    return d


@entry("cuArrayCreate_v2", unsafe=True)
def array_create(context: Context, out: int | None, description: int | None) -> None:
    flat = copy_struct(CUDA_ARRAY_DESCRIPTOR, description)
    _create(context, out, CUDA_ARRAY3D_DESCRIPTOR(flat.Width, flat.Height, 0, flat.Format, flat.NumChannels, 0))


@entry("cuArray3DCreate_v2", unsafe=True)
def array_3d_create(context: Context, out: int | None, description: int | None) -> None:
    _create(context, out, _checked(description))


def _create(context: Context, out: int | None, d: CUDA_ARRAY3D_DESCRIPTOR) -> None:
    need(out)
    if not d.Width:
        raise invalid_value("an array of no elements")
    put_u64(out, arrays.add(DriverArray(d, Allocation(context, _nbytes(d), ""))))


@entry("cuArrayDestroy", needs=INIT, unsafe=True)
def array_destroy(handle: int | None) -> None:
    found = arrays.get(handle)
    if found.whole is not None:
        raise invalid_value("a level is destroyed with its mipmapped array")
    arrays.remove(handle)
    if not found.memory.released:
        found.memory.release()


@entry("cuArrayGetDescriptor_v2", needs=INIT)
def get_descriptor(out: int | None, handle: int | None) -> None:
    d = arrays.get(handle).descriptor
    put_struct(out, CUDA_ARRAY_DESCRIPTOR(d.Width, d.Height, d.Format, d.NumChannels))


@entry("cuArray3DGetDescriptor_v2", needs=INIT)
def get_3d_descriptor(out: int | None, handle: int | None) -> None:
    put_struct(out, arrays.get(handle).descriptor)


@entry("cuArrayGetMemoryRequirements", needs=INIT)
def get_memory_requirements(out: int | None, handle: int | None, device: int) -> None:
    put_struct(out, CUDA_ARRAY_MEMORY_REQUIREMENTS(arrays.get(handle).nbytes, _ALIGNMENT))


@entry("cuMipmappedArrayCreate", unsafe=True)
def mipmapped_array_create(context: Context, out: int | None, description: int | None, count: int) -> None:
    """More levels than there can be are as many as there can be, as on an H200."""
    need(out)
    d = _checked(description)
    grouped = d.Flags & (Flags.LAYERED | Flags.CUBEMAP)
    most = max(d.Width, d.Height, 0 if grouped else d.Depth).bit_length()
    if not count:
        raise invalid_value("a mipmapped array of no levels")
    put_u64(out, mipmaps.add(MipmappedArray(context, d, min(count, most, MOST_LEVELS))))


@entry("cuMipmappedArrayDestroy", needs=INIT, unsafe=True)
def mipmapped_array_destroy(handle: int | None) -> None:
    found = mipmaps.remove(handle)
    for level in found.handles:
        arrays.discard(level)
    if not found.memory.released:
        found.memory.release()


@entry("cuMipmappedArrayGetLevel", needs=INIT)
def get_level(out: int | None, handle: int | None, number: int) -> None:
    need(out)
    found = mipmaps.get(handle)
    if number >= len(found.levels):
        raise invalid_value(f"level {number} of {len(found.levels)}")
    put_u64(out, found.handles[number])
