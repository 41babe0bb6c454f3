"""CUDA arrays: memory with an opaque layout, which kernels access by textures and surfaces, and the host only by copies.

    with dc.create_array(context, "f32", 640, 480) as array:
        array.write(image)
        with dc.create_texture(array, filter="linear") as texture:
            kernel.launch(grid, block, texture, out)

`Context.copy_region` copies in two and three dimensions, between regions of pitched memory, on the host and on devices,
and of arrays. An array that is closed while a texture, a surface or a graph uses it is freed when the last of them closes.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi.enums import CUarray_format, CUDA_ARRAY3D_flags, CUdevice_attribute
from driver_ctypes.arguments.parameter import as_pointer
from driver_ctypes.errors import ArgumentError, ArgumentRangeError
from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.memory.buffer import demand, size_of
from driver_ctypes.memory.copies import HostMemory
from driver_ctypes.session.handle import Handle
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from driver_ctypes.session.device import DeviceBase
    from driver_ctypes.session.session import Session


FORMATS = {
    "u8": (CUarray_format.UNSIGNED_INT8, 1),
    "u16": (CUarray_format.UNSIGNED_INT16, 2),
    "u32": (CUarray_format.UNSIGNED_INT32, 4),
    "s8": (CUarray_format.SIGNED_INT8, 1),
    "s16": (CUarray_format.SIGNED_INT16, 2),
    "s32": (CUarray_format.SIGNED_INT32, 4),
    "f16": (CUarray_format.HALF, 2),
    "f32": (CUarray_format.FLOAT, 4),
}
"""Each format's number and its bytes a channel."""

_CHANNELS = (1, 2, 4)
_FACES = 6


class Texel(NamedTuple):
    """An element of an array or texture: `channels` values of a format."""

    format: str
    channels: int

    @property
    def nbytes(self) -> int:
        """Its bytes."""
        return FORMATS[self.format][1] * self.channels

    @classmethod
    def of(cls, format: str, channels: int) -> Texel:
        """Raises ArgumentError for what no array is made of."""
        if format not in FORMATS:
            raise ArgumentError(f"no array is of {format!r}", hint=f"formats are {', '.join(FORMATS)}")
        if channels not in _CHANNELS:
            raise ArgumentRangeError(f"an element has 1, 2 or 4 channels, not {channels!r}")
        return cls(format, channels)

    def __str__(self) -> str:
        return self.format if self.channels == 1 else f"{self.format}x{self.channels}"


class Form(NamedTuple):
    """The extents of an array in elements; height 0: one dimension, depth 0: two. Layers, and the faces of cubes, are depth."""

    width: int
    height: int
    depth: int
    layered: bool = False
    cubemap: bool = False
    surface: bool = False
    gather: bool = False

    @property
    def name(self) -> str:
        """As the names of the device's limits have it."""
        dimensions = "CUBEMAP" if self.cubemap else "1D" if not self.height else "3D" if self._solid else "2D"
        return dimensions + ("_LAYERED" if self.layered else "")

    @property
    def _solid(self) -> bool:
        return bool(self.depth) and not self.layered

    @property
    def flags(self) -> int:
        """CUDA_ARRAY3D_..."""
        options = zip(
            ("LAYERED", "SURFACE_LDST", "CUBEMAP", "TEXTURE_GATHER"),
            (self.layered, self.surface, self.cubemap, self.gather),
        )
        return sum(CUDA_ARRAY3D_flags[name] for name, on in options if on)

    def level(self, number: int) -> Form:
        """The extents of a smaller level of a mipmap."""
        width, height = (max(1, extent >> number) if extent else 0 for extent in (self.width, self.height))
        halved = self._solid and not self.cubemap
        return self._replace(width=width, height=height, depth=max(1, self.depth >> number) if halved else self.depth)

    def most_levels(self) -> int:
        """How many levels there can be, down to a single element."""
        sides = (self.width, self.height, self.depth if self._solid and not self.cubemap else 0)
        return max(sides).bit_length()

    def check(self, device: DeviceBase) -> None:
        """Raises ArgumentError for extents that make no array, ArgumentRangeError for such as the device does not take."""
        if not self.width or (self.depth and not self.height and not self.layered):
            raise ArgumentRangeError(
                f"an array of {self.width} x {self.height} x {self.depth}: width first, then height, then depth",
                hint="1D: width; 2D: width, height; 3D: all three; layers and faces are depth",
            )
        if self.layered and not self.depth:
            raise ArgumentRangeError("an array of no layers", hint="depth= is the number of layers")
        if self.cubemap:
            whole = self.depth % _FACES == 0 if self.layered else self.depth == _FACES
            if self.width != self.height or not self.depth or not whole:
                raise ArgumentRangeError(
                    f"a cube map of {self.width} x {self.height} with {self.depth} faces",
                    hint="its faces are square, six of them, or with layered=True a multiple of six",
                )
        if self.gather and (self.name != "2D"):
            raise ArgumentError(f"only 2D arrays are gathered from, not {self.name}")
        for family in ["TEXTURE", *(["SURFACE"] if self.surface else [])]:
            self._check_limits(device, family)

    def _check_limits(self, device: DeviceBase, family: str) -> None:
        name = self.name + ("_GATHER" if self.gather and family == "TEXTURE" else "")
        if self.name == "3D" and family == "TEXTURE" and self._over(device, f"{family}3D", "_ALTERNATE") is None:
            return  # long and thin ones have limits of their own
        over = self._over(device, f"{family}{name}")
        if over is not None:
            limit, allowed, found = over
            raise ArgumentRangeError(f"an array of {found}: {limit} of {device!r} is {allowed}")

    def _over(self, device: DeviceBase, prefix: str, suffix: str = "") -> tuple[str, int, str] | None:
        """The first limit that is exceeded; a limit that the device does not report is not checked."""
        third = "LAYERS" if self.layered else "DEPTH"
        known = False
        for side, extent in (("WIDTH", self.width), ("HEIGHT", self.height), (third, self.depth)):
            limit = f"MAXIMUM_{prefix}_{side}{suffix}"
            if not extent or limit not in CUdevice_attribute.__members__:
                continue
            allowed = device.attribute(CUdevice_attribute[limit])
            known = known or allowed > 0
            if allowed and extent > allowed:
                return limit, allowed, f"{side.lower()} {extent}"
        return None if known or not suffix else ("", 0, "")


class CudaArray(Handle):
    """An array on a device, made by `create_array`."""

    kind = "array"
    _destroy = "cuArrayDestroy"

    def __init__(self, context: Session, handle: int, texel: Texel, form: Form, *, owned: bool = True) -> None:
        self.texel = texel
        self.form = form
        super().__init__(context, handle if owned else 0, nbytes=self.nbytes)
        self._handle = handle
        self._owned = owned

    @property
    def handle(self) -> int:
        """The CUarray. Raises ClosedError after close()."""
        self.check_open()
        return self._handle

    @property
    def rows(self) -> tuple[int, int, int]:
        """(bytes of a row, rows, slices), as copies count them."""
        return self.form.width * self.texel.nbytes, max(1, self.form.height), max(1, self.form.depth)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        width, height, depth = self.rows
        return width * height * depth

    def write(self, source: Any, stream: Any = None) -> None:
        """Fill the whole array from host or device memory without gaps."""
        copy_region(self.context, self, source, self.rows, stream)

    def read(self, target: Any, stream: Any = None) -> None:
        """Copy the whole array to host or device memory without gaps."""
        copy_region(self.context, target, self, self.rows, stream)

    def __repr__(self) -> str:
        form = self.form
        extents = " x ".join(str(extent) for extent in (form.width, form.height, form.depth) if extent)
        state = " closed" if self.closed else ""
        return f"<{type(self).__name__} {form.name} {self.texel} {extents} on {self.context.device!r}{state}>"


class MipmappedArray(Handle):
    """An array with ever smaller levels, made by `create_mipmapped_array`."""

    kind = "mipmapped array"
    _destroy = "cuMipmappedArrayDestroy"

    def __init__(self, context: Session, handle: int, texel: Texel, form: Form, levels: int) -> None:
        self.texel = texel
        self.form = form
        self.levels = levels
        whole = [CudaArray(context, 0, texel, form.level(number), owned=False).nbytes for number in range(levels)]
        super().__init__(context, handle, nbytes=sum(whole))

    @property
    def handle(self) -> int:
        """The CUmipmappedArray. Raises ClosedError after close()."""
        self.check_open()
        return self._handle

    def level(self, number: int) -> CudaArray:
        """One level, 0 the largest. It lives as long as the whole, and its ``close()`` frees nothing."""
        if not 0 <= number < self.levels:
            raise ArgumentRangeError(f"level {number} of an array with {self.levels}")
        found = ctypes.c_void_p()
        self.context.call("cuMipmappedArrayGetLevel", ctypes.byref(found), self.handle, number)
        return _Level(self, found.value or 0, number)


class _Level(CudaArray):
    """A level of a mipmapped array, which owns it."""

    def __init__(self, whole: MipmappedArray, handle: int, number: int) -> None:
        super().__init__(whole.context, handle, whole.texel, whole.form.level(number), owned=False)
        self.whole = whole

    def check_open(self) -> None:
        self.whole.check_open()
        super().check_open()

    def graph_retain(self) -> None:
        self.whole.graph_retain()

    def graph_release(self) -> None:
        self.whole.graph_release()

    def _release(self) -> None:
        self._handle = 0

    def __del__(self, *_: object) -> None:
        """Nothing is freed with it."""


def create_array(
    context: Session,
    format: str,
    width: int,
    height: int = 0,
    depth: int = 0,
    *,
    channels: int = 1,
    layered: bool = False,
    cubemap: bool = False,
    surface: bool = False,
    gather: bool = False,
) -> CudaArray:
    """A new array of *width* (x *height* (x *depth*)) elements of *channels* values of *format* ("u8" to "f32").

    *layered*: depth is a number of layers; *cubemap*: of faces, six for a cube. *surface*: kernels may write it through a
    surface; *gather*: tld4 reads it. Raises ArgumentError for an impossible combination, ArgumentRangeError for what the device
    does not support.
    """
    texel, form = _checked(context, format, channels, width, height, depth, layered, cubemap, surface, gather)
    handle, descriptor = ctypes.c_void_p(), _descriptor(texel, form)
    nbytes = CudaArray(context, 0, texel, form, owned=False).nbytes
    demand(context, nbytes, "cuArray3DCreate_v2", ctypes.byref(handle), ctypes.byref(descriptor))
    return CudaArray(context, handle.value or 0, texel, form)


def create_mipmapped_array(
    context: Session,
    format: str,
    width: int,
    height: int = 0,
    depth: int = 0,
    *,
    levels: int = 0,
    channels: int = 1,
    layered: bool = False,
    cubemap: bool = False,
    surface: bool = False,
    gather: bool = False,
) -> MipmappedArray:
    """The same with *levels* levels, each half as wide as the one before; 0: down to a single element."""
    texel, form = _checked(context, format, channels, width, height, depth, layered, cubemap, surface, gather)
    chosen = levels or form.most_levels()
    if not 0 < chosen <= form.most_levels():
        raise ArgumentRangeError(f"{chosen} levels: this array has 1 to {form.most_levels()}")
    handle, descriptor = ctypes.c_void_p(), _descriptor(texel, form)
    nbytes = 2 * form.width * max(1, form.height) * max(1, form.depth) * texel.nbytes
    demand(context, nbytes, "cuMipmappedArrayCreate", ctypes.byref(handle), ctypes.byref(descriptor), chosen)
    return MipmappedArray(context, handle.value or 0, texel, form, chosen)


def _checked(
    context: Session, format: str, channels: int, width: int, height: int, depth: int, *ways: bool
) -> tuple[Texel, Form]:
    texel = Texel.of(format, channels)
    form = Form(size_of(width), size_of(height), size_of(depth), *ways)
    form.check(context.device)
    return texel, form


def _descriptor(texel: Texel, form: Form) -> ctypes.Structure:
    from driver_ctypes.abi.structs import CUDA_ARRAY3D_DESCRIPTOR

    number = FORMATS[texel.format][0]
    return CUDA_ARRAY3D_DESCRIPTOR(form.width, form.height, form.depth, number, texel.channels, form.flags)


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
