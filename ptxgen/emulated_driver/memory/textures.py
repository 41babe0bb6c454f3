"""Texture and surface objects: the records that kernels read by a handle (ptxgen.cpu.textures)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC
from ptxgen.cpu.textures import Address, Filter, ImageFormat, ImageKind, ImageRecord, LevelRecord
from ptxgen.emulated_driver.calls.registry import entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import check_device_span
from ptxgen.emulated_driver.memory.arrays import DriverArray, arrays, element_bytes, image_format, mipmaps
from ptxgen.emulated_driver.pointers import copy_struct, need, put_struct, put_u64

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Context
    from ptxgen.emulated_driver.state.cpu_device import Device

__all__ = ["Resource", "describe_resource", "describe_sampling"]

Resource = enums.CUresourcetype
Flags = enums.CUtexture_flags
_INTEGERS = (ImageFormat.U8, ImageFormat.U16, ImageFormat.S8, ImageFormat.S16)  # those that can be read as 0 to 1


class ImageObject:
    """A texture or surface object, with the descriptions that it was made of."""

    def __init__(
        self, device: Device, resource: CUDA_RESOURCE_DESC, sampling: CUDA_TEXTURE_DESC | None, record: ImageRecord
    ) -> None:
        self.device = device
        self.resource = resource
        self.sampling = sampling
        self.handle = device.arena.textures().add(record)
        objects[device.ordinal, self.handle] = self


objects: dict[tuple[int, int], ImageObject] = {}
"""By the ordinal of the device, and the handle."""


def _find(context: Context, handle: int, *, surface: bool) -> ImageObject:
    found = objects.get((context.device.ordinal, handle))
    if found is None or (found.sampling is None) != surface:
        raise invalid_value(f"{handle:#x} is no {'surface' if surface else 'texture'} object")
    return found


# --- what it reads ------------------------------------------------------------------------------------------------------


def _describe_image(record: ImageRecord, levels: list[DriverArray], format: int, channels: int) -> None:
    """The fields of an image in arrays."""
    first = levels[0]
    record.format, record.channels = image_format(format, channels), channels
    record.texel_bytes, record.levels, record.layers = first.texel, len(levels), first.layers
    for number, level in enumerate(levels):
        record.level[number] = level.record()


def describe_resource(record: ImageRecord, resource: CUDA_RESOURCE_DESC) -> bool:
    """Fills in what is read; is it a row of plain memory, which is read by element alone?"""
    kind = resource.resType
    if kind == Resource.ARRAY:
        found = arrays.get(resource.res.array.hArray)
        _describe_image(record, [found], found.descriptor.Format, found.descriptor.NumChannels)
    elif kind == Resource.MIPMAPPED_ARRAY:
        whole = mipmaps.get(resource.res.mipmap.hMipmappedArray)
        _describe_image(record, whole.levels, whole.descriptor.Format, whole.descriptor.NumChannels)
    elif kind == Resource.LINEAR:
        line = resource.res.linear
        _describe_memory(
            record, line, line.sizeInBytes // element_bytes(line.format, line.numChannels), 1, line.sizeInBytes
        )
        return True
    elif kind == Resource.PITCH2D:
        rows = resource.res.pitch2D
        _describe_memory(record, rows, rows.width, rows.height, rows.pitchInBytes)
    else:
        raise invalid_value(f"resType {kind}: 0 to 3")
    return False


def _describe_memory(record: ImageRecord, place: object, width: int, height: int, pitch: int) -> None:
    """The fields of an image in plain memory."""
    address, format, channels = (getattr(place, name) for name in ("devPtr", "format", "numChannels"))
    size = element_bytes(format, channels)
    if not width or not height or pitch < width * size:
        raise invalid_value(f"{height} rows of {width} elements of {size} bytes, {pitch} bytes apart")
    check_device_span(address, (height - 1) * pitch + width * size)
    record.format, record.channels, record.texel_bytes, record.levels = (
        image_format(format, channels),
        channels,
        size,
        1,
    )
    record.level[0] = LevelRecord(address, pitch, pitch * height, width, height, 1, 0)


# --- how it reads -------------------------------------------------------------------------------------------------------


def describe_sampling(record: ImageRecord, sampling: CUDA_TEXTURE_DESC) -> None:
    """The fields of sampling, for a record whose format is known."""
    format = ImageFormat(record.format)
    integers = bool(sampling.flags & Flags.READ_AS_INTEGER)
    record.normalizes = int(format in _INTEGERS and not integers)
    record.srgb = int(bool(sampling.flags & Flags.SRGB) and record.normalizes and format is ImageFormat.U8)
    record.normalized = int(bool(sampling.flags & Flags.NORMALIZED_COORDINATES))
    record.seamless = int(bool(sampling.flags & Flags.SEAMLESS_CUBEMAP))
    filtered = record.normalizes or format in (ImageFormat.F16, ImageFormat.F32)
    record.filter = Filter.LINEAR if filtered and sampling.filterMode == enums.CUfilter_mode.LINEAR else Filter.POINT
    record.mip_filter = Filter.LINEAR if sampling.mipmapFilterMode == enums.CUfilter_mode.LINEAR else Filter.POINT
    for axis, mode in enumerate(sampling.addressMode):
        if mode not in set(Address):
            raise invalid_value(f"address mode {mode}: 0 to 3")
        turns = mode in (Address.WRAP, Address.MIRROR) and not record.normalized
        record.address[axis] = Address.CLAMP if turns else mode
    if record.seamless and record.filter == Filter.LINEAR:
        raise Refusal(
            enums.CUresult.ERROR_NOT_SUPPORTED, "a filter across the edges of a cube (seamless) is not offered"
        )
    record.bias, record.lowest = sampling.mipmapLevelBias, sampling.minMipmapLevelClamp
    record.highest = sampling.maxMipmapLevelClamp
    whole = not (record.normalizes or format in (ImageFormat.F16, ImageFormat.F32))
    for channel, value in enumerate(sampling.borderColor):
        record.border[channel] = int(value) & 0xFFFFFFFF if whole else struct.unpack("<I", struct.pack("<f", value))[0]


@entry("cuTexObjectCreate")
def texture_create(
    context: Context, out: int | None, resource: int | None, sampling: int | None, view: int | None
) -> None:
    need(out, resource, sampling)
    if view:
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "views of a resource as another format are not offered")
    what, how = copy_struct(CUDA_RESOURCE_DESC, resource), copy_struct(CUDA_TEXTURE_DESC, sampling)
    record = ImageRecord(kind=ImageKind.TEXTURE)
    row = describe_resource(record, what)
    describe_sampling(record, how)
    if row:
        record.filter, record.normalized = Filter.POINT, 0
        record.address[0] = Address.BORDER
    put_u64(out, ImageObject(context.device, what, how, record).handle)


def _destroy(context: Context, handle: int, *, surface: bool) -> None:
    found = _find(context, handle, surface=surface)
    del objects[found.device.ordinal, handle]
    found.device.arena.textures().remove(handle)


@entry("cuTexObjectDestroy")
def texture_destroy(context: Context, handle: int) -> None:
    _destroy(context, handle, surface=False)


@entry("cuTexObjectGetResourceDesc")
def texture_resource(context: Context, out: int | None, handle: int) -> None:
    put_struct(out, _find(context, handle, surface=False).resource)


@entry("cuTexObjectGetTextureDesc")
def texture_sampling(context: Context, out: int | None, handle: int) -> None:
    found = _find(context, handle, surface=False).sampling
    assert found is not None
    put_struct(out, found)


@entry("cuTexObjectGetResourceViewDesc")
def texture_view(context: Context, out: int | None, handle: int) -> None:
    """An H200 answers so for an object that was made without a view."""
    _find(context, handle, surface=False)
    raise invalid_value("the texture object has no view")


@entry("cuSurfObjectCreate")
def surface_create(context: Context, out: int | None, resource: int | None) -> None:
    need(out, resource)
    what = copy_struct(CUDA_RESOURCE_DESC, resource)
    if what.resType != Resource.ARRAY:
        raise invalid_value("a surface is of an array")
    if not arrays.get(what.res.array.hArray).descriptor.Flags & enums.CUDA_ARRAY3D_flags.SURFACE_LDST:
        raise invalid_value("the array was not made for surfaces (CUDA_ARRAY3D_SURFACE_LDST)")
    record = ImageRecord(kind=ImageKind.SURFACE)
    describe_resource(record, what)
    put_u64(out, ImageObject(context.device, what, None, record).handle)


@entry("cuSurfObjectDestroy")
def surface_destroy(context: Context, handle: int) -> None:
    _destroy(context, handle, surface=True)


@entry("cuSurfObjectGetResourceDesc")
def surface_resource(context: Context, out: int | None, handle: int) -> None:
    put_struct(out, _find(context, handle, surface=True).resource)
