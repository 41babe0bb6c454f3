"""Textures and surfaces."""

from __future__ import annotations

from driver_ctypes.abi.structs.tokens import Structure, Union, fields


class _ResourceArray(Structure):
    _fields_ = fields("hArray:ptr")


class _ResourceMipmap(Structure):
    _fields_ = fields("hMipmappedArray:ptr")


class _ResourceLinear(Structure):
    _fields_ = fields("devPtr:u64 format:i32 numChannels:u32 sizeInBytes:size")


class _ResourcePitch2D(Structure):
    _fields_ = fields("devPtr:u64 format:i32 numChannels:u32 width:size height:size pitchInBytes:size")


class _Resource(Union):
    _fields_ = fields("""
        array:_ResourceArray mipmap:_ResourceMipmap linear:_ResourceLinear pitch2D:_ResourcePitch2D reserved:i32[32]
    """)


class CUDA_RESOURCE_DESC(Structure):
    _fields_ = fields("resType:i32 res:_Resource flags:u32")


class CUDA_TEXTURE_DESC(Structure):
    _fields_ = fields("""
        addressMode:i32[3] filterMode:i32 flags:u32 maxAnisotropy:u32 mipmapFilterMode:i32 mipmapLevelBias:f32
        minMipmapLevelClamp:f32 maxMipmapLevelClamp:f32 borderColor:f32[4] reserved:i32[12]
    """)


class CUDA_RESOURCE_VIEW_DESC(Structure):
    _fields_ = fields("""
        format:i32 width:size height:size depth:size firstMipmapLevel:u32 lastMipmapLevel:u32 firstLayer:u32 lastLayer:u32
        reserved:u32[16]
    """)
