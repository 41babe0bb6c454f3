"""Texture and surface references, the driver's older way: variables of a module that memory is bound to.

The functions that take floats by value (bias and range of levels) are not offered: stubs.py passes words of integer registers."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUDA_ARRAY_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC
from ptxgen.cpu.textures import Address, Filter, ImageKind, ImageRecord
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.arrays import arrays, element_bytes, mipmaps
from ptxgen.emulated_driver.memory.textures import Resource, describe_resource, describe_sampling
from ptxgen.emulated_driver.modules.loading import module_of
from ptxgen.emulated_driver.pointers import copy_struct, need, put_f32, put_i32, put_u32, put_u64
from ptxgen.emulated_driver.state.handles import Handles

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.emulated_driver.modules.loading import Module

__all__ = ["TextureReference"]


class TextureReference:
    """A .texref or .surfref of a module: what is bound to it, and how it is sampled."""

    def __init__(self, module: Module, name: str, kind: ImageKind) -> None:
        self.module = module
        self.name = name
        self.kind = kind
        self.resource: CUDA_RESOURCE_DESC | None = None
        self.format = (32, 1)
        self.sampling = CUDA_TEXTURE_DESC(addressMode=(Address.CLAMP,) * 3, maxMipmapLevelClamp=1e9)

    def bind(self, resource: CUDA_RESOURCE_DESC) -> None:
        self.resource = resource
        self.changed()

    def changed(self) -> None:
        """The handle stands for what is bound now."""
        if self.resource is None:
            return
        program = self.module.program
        if program is None or self.name not in program.images:
            raise Refusal(enums.CUresult.ERROR_INVALID_HANDLE, f"the module of {self.name!r} was unloaded")
        record = ImageRecord(kind=self.kind)
        row = describe_resource(record, self.resource)
        describe_sampling(record, self.sampling)
        if row:
            record.filter, record.normalized, record.address[0] = Filter.POINT, 0, Address.BORDER
        program.arena.textures().change(program.images[self.name], record)


textures: Handles[TextureReference] = Handles("texture reference", counted=False)
surfaces: Handles[TextureReference] = Handles("surface reference", counted=False)
_known: dict[tuple[int, str], int] = {}
"""(id of a module, name) -> the handle that was given before."""


def _reference(module: Module, name: str, kind: ImageKind, table: Handles[TextureReference]) -> int:
    program = module.program
    if program is None or name not in program.images:
        raise Refusal(enums.CUresult.ERROR_NOT_FOUND, f"the module has no {kind.name.lower()} reference {name!r}")
    known = _known.get((id(module), name))
    found = table.find(known)
    if known is not None and found is not None and found.module is module:
        return known
    handle = _known[id(module), name] = table.add(TextureReference(module, name, kind))
    return handle


@entry("cuModuleGetTexRef", needs=INIT)
def get_texture(out: int | None, handle: int | None, name: bytes | None) -> None:
    need(out)
    put_u64(out, _reference(module_of(handle), (name or b"").decode(errors="replace"), ImageKind.TEXTURE, textures))


@entry("cuModuleGetSurfRef", needs=INIT)
def get_surface(out: int | None, handle: int | None, name: bytes | None) -> None:
    need(out)
    put_u64(out, _reference(module_of(handle), (name or b"").decode(errors="replace"), ImageKind.SURFACE, surfaces))


# --- what is bound ------------------------------------------------------------------------------------------------------


def _array(handle: int | None) -> CUDA_RESOURCE_DESC:
    arrays.get(handle)
    resource = CUDA_RESOURCE_DESC(resType=Resource.ARRAY)
    resource.res.array.hArray = handle
    return resource


@entry("cuTexRefSetArray", needs=INIT)
def set_array(reference: int | None, array: int | None, flags: int) -> None:
    """The flag CU_TRSA_OVERRIDE_FORMAT says that the array's format counts, as it always does here."""
    textures.get(reference).bind(_array(array))


@entry("cuTexRefSetMipmappedArray", needs=INIT)
def set_mipmapped_array(reference: int | None, array: int | None, flags: int) -> None:
    mipmaps.get(array)
    resource = CUDA_RESOURCE_DESC(resType=Resource.MIPMAPPED_ARRAY)
    resource.res.mipmap.hMipmappedArray = array
    textures.get(reference).bind(resource)


@entry("cuTexRefSetAddress_v2", needs=INIT)
def set_address(offset: int | None, reference: int | None, address: int, nbytes: int) -> None:
    found = textures.get(reference)
    resource = CUDA_RESOURCE_DESC(resType=Resource.LINEAR)
    row = resource.res.linear
    row.devPtr, row.sizeInBytes = address, nbytes
    row.format, row.numChannels = found.format
    found.bind(resource)
    if offset:
        put_u64(offset, 0)


@entry("cuTexRefSetAddress2D_v3", needs=INIT)
def set_address_2d(reference: int | None, description: int | None, address: int, pitch: int) -> None:
    flat = copy_struct(CUDA_ARRAY_DESCRIPTOR, description)
    resource = CUDA_RESOURCE_DESC(resType=Resource.PITCH2D)
    rows = resource.res.pitch2D
    rows.devPtr, rows.pitchInBytes, rows.width, rows.height = address, pitch, flat.Width, flat.Height
    rows.format, rows.numChannels = flat.Format, flat.NumChannels
    textures.get(reference).bind(resource)


@entry("cuTexRefGetArray", needs=INIT)
def get_array(out: int | None, reference: int | None) -> None:
    found = textures.get(reference).resource
    if found is None or found.resType != Resource.ARRAY:
        raise invalid_value("no array is bound to the reference")
    put_u64(out, found.res.array.hArray or 0)


@entry("cuTexRefGetMipmappedArray", needs=INIT)
def get_mipmapped_array(out: int | None, reference: int | None) -> None:
    found = textures.get(reference).resource
    if found is None or found.resType != Resource.MIPMAPPED_ARRAY:
        raise invalid_value("no mipmapped array is bound to the reference")
    put_u64(out, found.res.mipmap.hMipmappedArray or 0)


@entry("cuTexRefGetAddress_v2", needs=INIT)
def get_address(out: int | None, reference: int | None) -> None:
    found = textures.get(reference).resource
    if found is None or found.resType not in (Resource.LINEAR, Resource.PITCH2D):
        raise invalid_value("no memory is bound to the reference")
    put_u64(out, found.res.linear.devPtr if found.resType == Resource.LINEAR else found.res.pitch2D.devPtr)


@entry("cuSurfRefSetArray", needs=INIT)
def set_surface_array(reference: int | None, array: int | None, flags: int) -> None:
    surfaces.get(reference).bind(_array(array))


@entry("cuSurfRefGetArray", needs=INIT)
def get_surface_array(out: int | None, reference: int | None) -> None:
    found = surfaces.get(reference).resource
    if found is None:
        raise invalid_value("no array is bound to the reference")
    put_u64(out, found.res.array.hArray or 0)


# --- how it is sampled --------------------------------------------------------------------------------------------------


@entry("cuTexRefSetFormat", needs=INIT)
def set_format(reference: int | None, format: int, channels: int) -> None:
    """Of memory that is bound later; an array has its own."""
    element_bytes(format, channels)
    textures.get(reference).format = format, channels


@entry("cuTexRefGetFormat", needs=INIT)
def get_format(format: int | None, channels: int | None, reference: int | None) -> None:
    found = textures.get(reference).format
    for out, value in zip((format, channels), found):
        if out:
            put_i32(out, value)


@entry("cuTexRefSetAddressMode", needs=INIT)
def set_address_mode(reference: int | None, axis: int, mode: int) -> None:
    if not 0 <= axis < 3 or mode not in set(Address):
        raise invalid_value(f"address mode {mode} of dimension {axis}: 0 to 3, of 0 to 2")
    found = textures.get(reference)
    found.sampling.addressMode[axis] = mode
    found.changed()


@entry("cuTexRefGetAddressMode", needs=INIT)
def get_address_mode(out: int | None, reference: int | None, axis: int) -> None:
    if not 0 <= axis < 3:
        raise invalid_value(f"dimension {axis}: 0 to 2")
    put_i32(out, textures.get(reference).sampling.addressMode[axis])


@entry("cuTexRefSetBorderColor", needs=INIT)
def set_border(reference: int | None, colour: int | None) -> None:
    need(colour)
    found = textures.get(reference)
    found.sampling.borderColor[:] = (ctypes.c_float * 4).from_address(colour or 0)[:]
    found.changed()


@entry("cuTexRefGetBorderColor", needs=INIT)
def get_border(out: int | None, reference: int | None) -> None:
    need(out)
    for channel, value in enumerate(textures.get(reference).sampling.borderColor):
        put_f32((out or 0) + 4 * channel, value)


@entry("cuTexRefGetMipmapLevelBias", needs=INIT)
def get_bias(out: int | None, reference: int | None) -> None:
    put_f32(out, textures.get(reference).sampling.mipmapLevelBias)


@entry("cuTexRefGetMipmapLevelClamp", needs=INIT)
def get_levels(lowest: int | None, highest: int | None, reference: int | None) -> None:
    found = textures.get(reference).sampling
    put_f32(lowest, found.minMipmapLevelClamp)
    put_f32(highest, found.maxMipmapLevelClamp)


def _register_fields() -> None:
    """A function that sets a field of the sampling, and one that tells it."""

    def field(name: str, member: str, put: Callable[[int | None, Any], None]) -> None:
        @entry(f"cuTexRefSet{name}", needs=INIT)
        def set_field(reference: int | None, value: Any) -> None:
            found = textures.get(reference)
            setattr(found.sampling, member, value)
            found.changed()

        @entry(f"cuTexRefGet{name}", needs=INIT)
        def get_field(out: int | None, reference: int | None) -> None:
            put(out, getattr(textures.get(reference).sampling, member))

    field("Flags", "flags", put_u32)
    field("FilterMode", "filterMode", put_i32)
    field("MipmapFilterMode", "mipmapFilterMode", put_i32)
    field("MaxAnisotropy", "maxAnisotropy", put_i32)


_register_fields()
