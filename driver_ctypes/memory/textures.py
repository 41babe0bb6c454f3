"""Texture and surface objects: how kernels read and write arrays. Each is a number that a kernel takes as a u64 parameter.

A texture reads a `CudaArray`, a `MipmappedArray`, or `Texels` in linear memory; a surface reads and writes an array that
was made with ``surface=True``. Both keep what they read. What the driver would change silently (a wrapped address of a
texture without normalized coordinates, a filter over integers) is refused here.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi.enums import (
    CUaddress_mode,
    CUdevice_attribute,
    CUfilter_mode,
    CUresourcetype,
    CUtexture_flags,
)
from driver_ctypes.arguments.parameter import as_pointer
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.memory.arrays import FORMATS, CudaArray, MipmappedArray, Texel
from driver_ctypes.session.handle import Handle
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.abi.structs import CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC
    from driver_ctypes.session.session import Session


_ADDRESS = {mode.name.lower(): mode for mode in CUaddress_mode}
_FILTER = {mode.name.lower(): mode for mode in CUfilter_mode}
_NORMALIZED = ("u8", "u16", "s8", "s16")  # integers that can be read as 0 to 1, or -1 to 1
_MOST_ANISOTROPY = 16


class Texels(NamedTuple):
    """Elements in linear memory: a row of `width`, or `height` rows that begin `pitch` bytes apart."""

    memory: Any
    """A buffer, or a device address."""
    format: str
    width: int
    height: int = 0
    pitch: int = 0
    """0: the buffer's own pitch, else rows without gaps."""
    channels: int = 1


_kept: dict[int, Handle] = {}
"""What each living object reads. From here, so that garbage collection finds an array only after its last texture is freed."""


class _Object(Handle):
    """A number for kernels, over memory that it keeps."""

    def __init__(self, context: Session, handle: int, source: Any) -> None:
        super().__init__(context, handle)
        self.source = source
        if isinstance(source, Handle):
            source.graph_retain()
            _kept[id(self)] = source

    @property
    def handle(self) -> int:
        """What a kernel gets. Raises ClosedError after close()."""
        self.check_open()
        return self._handle

    def __index__(self) -> int:
        return self.handle

    def _release(self) -> None:
        super()._release()
        kept = _kept.pop(id(self), None)
        if kept is not None:
            kept.graph_release()

    def _let_go(self) -> None:
        kept = _kept.pop(id(self), None)
        if kept is not None:
            self.context.defer_call(kept.graph_release)  # after this one's free, which was noted before


class Texture(_Object):
    """A texture object, made by `create_texture`."""

    kind = "texture object"
    _destroy = "cuTexObjectDestroy"


class Surface(_Object):
    """A surface object, made by `create_surface`."""

    kind = "surface object"
    _destroy = "cuSurfObjectDestroy"


def create_texture(
    source: CudaArray | MipmappedArray | Texels,
    *,
    context: Session | None = None,
    address: str | Sequence[str] = "clamp",
    filter: str = "point",
    read: str = "element",
    normalized_coordinates: bool = False,
    srgb: bool = False,
    border: Sequence[float] = (),
    anisotropy: int = 0,
    mipmap_filter: str = "point",
    mipmap_bias: float = 0.0,
    mipmap_clamp: tuple[float, float] | None = None,
    seamless_cubemap: bool = False,
) -> Texture:
    """A texture of *source*. *context* is needed only where that is `Texels` at a bare address.

    *address*: the address mode of coordinates outside, "clamp" or "border" (whose value is *border*), with normalized coordinates
    also "wrap" and "mirror"; one for each dimension, or one for all. *filter*: "point", or "linear" between elements.
    *read*: "element" as it is, or "normalized" (integers of 8 and 16 bits as 0 to 1, or -1 to 1); *srgb* makes 8 bits linear
    on the way. *mipmap_...* and *anisotropy* are of a `MipmappedArray`, the clamp in levels.

    Raises ArgumentError for an invalid combination, ArgumentRangeError for what the device does not support.
    """
    from driver_ctypes.abi.structs import CUDA_TEXTURE_DESC

    resource, texel, place, kept = _resource(source, context)
    modes = [address] * 3 if isinstance(address, str) else [*address, *["clamp"] * 3][:3]
    sampling = CUDA_TEXTURE_DESC(
        addressMode=tuple(_choice("address", mode, _ADDRESS) for mode in modes),
        filterMode=_choice("filter", filter, _FILTER),
        maxAnisotropy=anisotropy,
        mipmapFilterMode=_choice("mipmap_filter", mipmap_filter, _FILTER),
        mipmapLevelBias=mipmap_bias,
    )
    _check_read(texel, filter, read, srgb)
    _check_coordinates(source, modes, filter, normalized_coordinates, border)
    flags = CUtexture_flags(0)
    if read == "element":
        flags |= CUtexture_flags.READ_AS_INTEGER
    if normalized_coordinates:
        flags |= CUtexture_flags.NORMALIZED_COORDINATES
    if srgb:
        flags |= CUtexture_flags.SRGB
    if seamless_cubemap:
        if not getattr(getattr(source, "form", None), "cubemap", False):
            raise ArgumentError("seamless_cubemap is of cube maps")
        flags |= CUtexture_flags.SEAMLESS_CUBEMAP
    sampling.flags = int(flags)
    if border:
        sampling.borderColor[: len(border)] = [float(value) for value in border]
    _set_mipmap(sampling, source, anisotropy, mipmap_filter, mipmap_bias, mipmap_clamp)
    handle = ctypes.c_uint64()
    place.call("cuTexObjectCreate", ctypes.byref(handle), ctypes.byref(resource), ctypes.byref(sampling), None)
    return Texture(place, handle.value, kept)


def create_surface(array: CudaArray) -> Surface:
    """A surface of an array, or of a level, that was made with ``surface=True``. Raises ArgumentError for another."""
    if not isinstance(array, CudaArray):
        raise ArgumentTypeError(f"a surface is of a CudaArray, not of {type(array).__name__}")
    if not array.form.surface:
        raise ArgumentError(f"{array!r} was not made for surfaces", hint="create_array(..., surface=True)")
    resource, _texel, place, _kept = _resource(array, None)
    handle = ctypes.c_uint64()
    place.call("cuSurfObjectCreate", ctypes.byref(handle), ctypes.byref(resource))
    return Surface(place, handle.value, array)


# --- what it reads ----------------------------------------------------------------------------------------------------


def _resource(source: Any, context: Session | None) -> tuple[CUDA_RESOURCE_DESC, Texel, Session, Any]:
    """(the driver's description, an element, the context, what must be kept)."""
    from driver_ctypes.abi.structs import CUDA_RESOURCE_DESC

    resource = CUDA_RESOURCE_DESC()
    if isinstance(source, CudaArray):
        resource.resType = CUresourcetype.ARRAY
        resource.res.array.hArray = source.handle
    elif isinstance(source, MipmappedArray):
        resource.resType = CUresourcetype.MIPMAPPED_ARRAY
        resource.res.mipmap.hMipmappedArray = source.handle
    elif isinstance(source, Texels):
        return _linear(resource, source, context)
    else:
        raise ArgumentTypeError(
            f"a texture is of an array or of Texels, not of {type(source).__name__}",
            hint="Texels(buffer, format, width) describes plain memory",
        )
    return resource, source.texel, source.context, source


def _linear(
    resource: CUDA_RESOURCE_DESC, texels: Texels, context: Session | None
) -> tuple[CUDA_RESOURCE_DESC, Texel, Session, Any]:
    place = context or getattr(texels.memory, "context", None)
    if place is None:
        raise ArgumentError("the memory does not say its context", hint="pass context=")
    texel = Texel.of(texels.format, texels.channels)
    address, have = as_pointer(texels.memory, place), getattr(texels.memory, "nbytes", None)
    row = texels.width * texel.nbytes
    pitch = texels.pitch or getattr(texels.memory, "pitch", 0) or row
    nbytes = (texels.height - 1) * pitch + row if texels.height else row
    if not row or pitch < row:
        raise ArgumentRangeError(f"rows of {row} bytes that begin {pitch} bytes apart")
    if isinstance(have, int) and nbytes > have:
        raise ArgumentRangeError(f"the texels take {nbytes} bytes, the {type(texels.memory).__name__} has {have}")
    limit = CUdevice_attribute
    rules = [("address", address, limit.TEXTURE_ALIGNMENT, True)]
    if texels.height:
        rules += [
            ("pitch", pitch, limit.TEXTURE_PITCH_ALIGNMENT, True),
            ("pitch", pitch, limit.MAXIMUM_TEXTURE2D_LINEAR_PITCH, False),
            ("width", texels.width, limit.MAXIMUM_TEXTURE2D_LINEAR_WIDTH, False),
            ("height", texels.height, limit.MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, False),
        ]
    else:
        rules.append(("width", texels.width, limit.MAXIMUM_TEXTURE1D_LINEAR_WIDTH, False))
    for name, value, attribute, multiple in rules:
        allowed = place.device.attribute(attribute)
        if allowed and (value % allowed if multiple else value > allowed):
            what = "must be a multiple of" if multiple else "may be at most"
            raise ArgumentRangeError(f"the {name} {value} {what} {allowed} ({attribute.name})")
    number = FORMATS[texel.format][0]
    if texels.height:
        resource.resType = CUresourcetype.PITCH2D
        rows = resource.res.pitch2D
        rows.devPtr, rows.format, rows.numChannels = address, number, texel.channels
        rows.width, rows.height, rows.pitchInBytes = texels.width, texels.height, pitch
    else:
        resource.resType = CUresourcetype.LINEAR
        line = resource.res.linear
        line.devPtr, line.format, line.numChannels, line.sizeInBytes = address, number, texel.channels, nbytes
    return resource, texel, place, texels.memory


# --- how it reads -----------------------------------------------------------------------------------------------------


def _choice(what: str, name: str, choices: dict[str, Any]) -> int:
    if name not in choices:
        raise ArgumentError(f"{what} {name!r}", hint=f"it is one of {', '.join(choices)}")
    return int(choices[name])


def _check_read(texel: Texel, filter: str, read: str, srgb: bool) -> None:
    if read not in ("element", "normalized"):
        raise ArgumentError(f"read {read!r}", hint="it is one of element, normalized")
    if read == "normalized" and texel.format not in _NORMALIZED:
        raise ArgumentError(f"elements of {texel} are not normalized", hint=f"those of {', '.join(_NORMALIZED)} are")
    if filter == "linear" and read == "element" and not texel.format.startswith("f"):
        raise ArgumentError(
            f"elements of {texel} are not filtered as they are", hint='read="normalized", or a format of floats'
        )
    if srgb and (texel.format != "u8" or read != "normalized"):
        raise ArgumentError("srgb is of u8 elements that are read normalized")


def _check_coordinates(source: Any, modes: list[str], filter: str, normalized: bool, border: Sequence[float]) -> None:
    turning = [mode for mode in modes if mode in ("wrap", "mirror")]
    if turning and not normalized:
        raise ArgumentError(f"address {turning[0]!r} needs normalized coordinates", hint="normalized_coordinates=True")
    if border and ("border" not in modes or len(border) > 4):
        raise ArgumentError("border has up to four values, for address='border'")
    if isinstance(source, Texels) and not source.height and (filter == "linear" or normalized or border):
        raise ArgumentError(
            "a row of linear memory is read by element: no filter, no border, no normalized coordinates",
            hint="rows (height=) or an array have them",
        )


def _set_mipmap(
    sampling: CUDA_TEXTURE_DESC,
    source: Any,
    anisotropy: int,
    filter: str,
    bias: float,
    clamp: tuple[float, float] | None,
) -> None:
    if not isinstance(source, MipmappedArray):
        if anisotropy or bias or clamp is not None or filter != "point":
            raise ArgumentError("mipmap_... and anisotropy are of a MipmappedArray", hint="create_mipmapped_array")
        return
    if not 0 <= anisotropy <= _MOST_ANISOTROPY:
        raise ArgumentRangeError(f"anisotropy is 0 to {_MOST_ANISOTROPY}, not {anisotropy}")
    lowest, highest = (0.0, source.levels - 1.0) if clamp is None else clamp
    if not 0 <= lowest <= highest:
        raise ArgumentRangeError(f"mipmap_clamp is (lowest, highest) level, not {clamp}")
    sampling.minMipmapLevelClamp, sampling.maxMipmapLevelClamp = lowest, highest
