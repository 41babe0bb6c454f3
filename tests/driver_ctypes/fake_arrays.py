"""The fake driver with arrays, textures and surfaces: arrays are host memory, the objects record what they were made of."""

from __future__ import annotations

import ctypes
from typing import Any

from driver_ctypes.abi import structs
from driver_ctypes.abi.enums import CUdevice_attribute
from tests.driver_ctypes.fake import INVALID_HANDLE, INVALID_VALUE, Fake, write

LIMITS = {
    "TEXTURE_ALIGNMENT": 512, "TEXTURE_PITCH_ALIGNMENT": 32, "MAXIMUM_TEXTURE1D_WIDTH": 131072,
    "MAXIMUM_TEXTURE2D_WIDTH": 131072, "MAXIMUM_TEXTURE2D_HEIGHT": 65536, "MAXIMUM_TEXTURE2D_GATHER_WIDTH": 32768,
    "MAXIMUM_TEXTURE2D_GATHER_HEIGHT": 32768, "MAXIMUM_TEXTURE3D_WIDTH": 16384, "MAXIMUM_TEXTURE3D_HEIGHT": 16384,
    "MAXIMUM_TEXTURE3D_DEPTH": 16384, "MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE": 8192,
    "MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE": 8192, "MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE": 32768,
    "MAXIMUM_TEXTURE1D_LAYERED_WIDTH": 32768, "MAXIMUM_TEXTURE1D_LAYERED_LAYERS": 2048,
    "MAXIMUM_TEXTURE2D_LAYERED_WIDTH": 32768, "MAXIMUM_TEXTURE2D_LAYERED_HEIGHT": 32768,
    "MAXIMUM_TEXTURE2D_LAYERED_LAYERS": 2048, "MAXIMUM_TEXTURECUBEMAP_WIDTH": 32768,
    "MAXIMUM_SURFACE2D_WIDTH": 131072, "MAXIMUM_SURFACE2D_HEIGHT": 32768, "MAXIMUM_TEXTURE1D_LINEAR_WIDTH": 1 << 28,
    "MAXIMUM_TEXTURE2D_LINEAR_WIDTH": 131072, "MAXIMUM_TEXTURE2D_LINEAR_HEIGHT": 65000,
    "MAXIMUM_TEXTURE2D_LINEAR_PITCH": 2097120,
}  # fmt: skip
"""Of an H200."""

_BYTES = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 16: 2, 32: 4}


def copied(kind: Any, address: int) -> Any:
    """The structure at an address of the caller's."""
    return kind.from_buffer_copy(ctypes.string_at(address, ctypes.sizeof(kind)))


class FakeArrays(Fake):
    """`arrays` has (descriptor, memory) by handle; `textures` and `surfaces` (resource, sampling)."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes = dict.fromkeys(range(1, 148), 0) | self.attributes
        self.attributes |= {int(CUdevice_attribute[name]): value for name, value in LIMITS.items()}
        self.arrays: dict[int, tuple[Any, Any]] = {}
        self.mipmaps: dict[int, list[int]] = {}
        self.textures: dict[int, tuple[Any, Any]] = {}
        self.surfaces: dict[int, tuple[Any, Any]] = {}

    def _array(self, descriptor: Any) -> int:
        nbytes = descriptor.Width * max(1, descriptor.Height) * max(1, descriptor.Depth)
        memory = ctypes.create_string_buffer(nbytes * descriptor.NumChannels * _BYTES[descriptor.Format])
        handle = self.handle()
        self.arrays[handle] = descriptor, memory
        return handle

    def cuArray3DCreate_v2(self, out, descriptor):
        if code := self._context():
            return code
        request = copied(structs.CUDA_ARRAY3D_DESCRIPTOR, descriptor)
        write(ctypes.c_void_p, out, self._array(request))

    def cuArrayDestroy(self, handle):
        used = {entry[0].res.array.hArray for entry in (*self.textures.values(), *self.surfaces.values())}
        if handle in used:
            return INVALID_VALUE
        return self._context() or self._drop(self.arrays, handle)

    def cuMipmappedArrayCreate(self, out, descriptor, levels):
        if code := self._context():
            return code
        request, handles = copied(structs.CUDA_ARRAY3D_DESCRIPTOR, descriptor), []
        for number in range(levels):
            level = copied(structs.CUDA_ARRAY3D_DESCRIPTOR, descriptor)
            level.Width, level.Height = (
                max(1, request.Width >> number),
                request.Height and max(1, request.Height >> number),
            )
            handles.append(self._array(level))
        handle = self.handle()
        self.mipmaps[handle] = handles
        write(ctypes.c_void_p, out, handle)

    def cuMipmappedArrayGetLevel(self, out, handle, number):
        if handle not in self.mipmaps:
            return INVALID_HANDLE
        write(ctypes.c_void_p, out, self.mipmaps[handle][number])

    def cuMipmappedArrayDestroy(self, handle):
        for level in self.mipmaps.get(handle, ()):
            del self.arrays[level]
        return self._context() or self._drop(self.mipmaps, handle)

    def _object(self, table: dict[int, tuple[Any, Any]], out: Any, resource: Any, sampling: Any) -> int:
        if code := self._context():
            return code
        handle = self.handle()
        table[handle] = copied(structs.CUDA_RESOURCE_DESC, resource), sampling
        write(ctypes.c_uint64, out, handle)
        return 0

    def cuTexObjectCreate(self, out, resource, sampling, view):
        return self._object(self.textures, out, resource, copied(structs.CUDA_TEXTURE_DESC, sampling))

    def cuTexObjectDestroy(self, handle):
        return self._context() or self._drop(self.textures, handle)

    def cuSurfObjectCreate(self, out, resource):
        return self._object(self.surfaces, out, resource, None)

    def cuSurfObjectDestroy(self, handle):
        return self._context() or self._drop(self.surfaces, handle)

    def cuMemcpy3D_v2(self, params):
        request = copied(structs.CUDA_MEMCPY3D, params)
        for z in range(request.Depth):
            for y in range(request.Height):
                places = [self._place(request, side, y, z) for side in ("dst", "src")]
                ctypes.memmove(*places, request.WidthInBytes)

    def cuMemcpy3DAsync_v2(self, params, stream):
        return self.cuMemcpy3D_v2(params)

    def _place(self, request: Any, side: str, y: int, z: int) -> int:
        def get(field: str) -> int:
            return getattr(request, side + field) or 0

        kind = get("MemoryType")
        if kind == 3:
            descriptor, memory = self.arrays[get("Array")]
            base, pitch = (
                ctypes.addressof(memory),
                descriptor.Width * descriptor.NumChannels * _BYTES[descriptor.Format],
            )
            rows = max(1, descriptor.Height)
        else:
            base, pitch, rows = get("Host") if kind == 1 else get("Device"), get("Pitch"), get("Height")
        return base + ((get("Z") + z) * rows + get("Y") + y) * pitch + get("XInBytes")
