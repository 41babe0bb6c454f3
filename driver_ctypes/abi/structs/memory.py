"""Memory, pools and copies."""

from __future__ import annotations

from driver_ctypes.abi.structs.tokens import Structure, fields


class CUmemLocation(Structure):
    _fields_ = fields("type:i32 id:i32")


class CUmemAccessDesc(Structure):
    _fields_ = fields("location:CUmemLocation flags:i32")


class CUmemPoolProps(Structure):
    _fields_ = fields("""
        allocType:i32 handleTypes:i32 location:CUmemLocation win32SecurityAttributes:ptr maxSize:size usage:u16
        reserved:u8[54]
    """)


class _AllocFlags(Structure):
    _fields_ = fields("compressionType:u8 gpuDirectRDMACapable:u8 usage:u16 reserved:u8[4]")


class CUmemAllocationProp(Structure):
    _fields_ = fields("""
        type:i32 requestedHandleTypes:i32 location:CUmemLocation win32HandleMetaData:ptr allocFlags:_AllocFlags
    """)


class CUmulticastObjectProp(Structure):
    _fields_ = fields("numDevices:u32 size:size handleTypes:u64 flags:u64")


class CUmemcpyAttributes(Structure):
    _fields_ = fields("srcAccessOrder:i32 srcLocHint:CUmemLocation dstLocHint:CUmemLocation flags:u32")


class CUDA_MEMCPY2D(Structure):
    _fields_ = fields("""
        srcXInBytes:size srcY:size srcMemoryType:i32 srcHost:ptr srcDevice:u64 srcArray:ptr srcPitch:size dstXInBytes:size
        dstY:size dstMemoryType:i32 dstHost:ptr dstDevice:u64 dstArray:ptr dstPitch:size WidthInBytes:size Height:size
    """)


class CUDA_MEMCPY3D(Structure):
    _fields_ = fields("""
        srcXInBytes:size srcY:size srcZ:size srcLOD:size srcMemoryType:i32 srcHost:ptr srcDevice:u64 srcArray:ptr
        reserved0:ptr srcPitch:size srcHeight:size dstXInBytes:size dstY:size dstZ:size dstLOD:size dstMemoryType:i32
        dstHost:ptr dstDevice:u64 dstArray:ptr reserved1:ptr dstPitch:size dstHeight:size WidthInBytes:size Height:size
        Depth:size
    """)


class CUDA_MEMCPY3D_PEER(Structure):
    """CUDA_MEMCPY3D with a context in place of each reserved pointer."""

    _fields_ = tuple(
        ({"reserved0": "srcContext", "reserved1": "dstContext"}.get(name, name), ctype)
        for name, ctype in CUDA_MEMCPY3D._fields_
    )


class CUDA_ARRAY_DESCRIPTOR(Structure):
    _fields_ = fields("Width:size Height:size Format:i32 NumChannels:u32")


class CUDA_ARRAY3D_DESCRIPTOR(Structure):
    _fields_ = fields("Width:size Height:size Depth:size Format:i32 NumChannels:u32 Flags:u32")


class CUDA_ARRAY_MEMORY_REQUIREMENTS(Structure):
    _fields_ = fields("size:size alignment:size reserved:u32[4]")
