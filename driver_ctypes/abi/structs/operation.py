"""Copies in batches, tensor maps, memory operations of streams."""

from __future__ import annotations

import driver_ctypes.abi.structs.memory  # noqa: F401  (CUmemLocation)
from driver_ctypes.abi.structs.tokens import Structure, Union, fields


class CUextent3D(Structure):
    _fields_ = fields("width:size height:size depth:size")


class CUoffset3D(Structure):
    _fields_ = fields("x:size y:size z:size")


class _OperandPointer(Structure):
    _fields_ = fields("ptr:u64 rowLength:size layerHeight:size locHint:CUmemLocation")


class _OperandArray(Structure):
    _fields_ = fields("array:ptr offset:CUoffset3D")


class _Operand(Union):
    _fields_ = fields("ptr:_OperandPointer array:_OperandArray")


class CUmemcpy3DOperand(Structure):
    _fields_ = fields("type:i32 op:_Operand")


class CUDA_MEMCPY3D_BATCH_OP(Structure):
    _fields_ = fields("src:CUmemcpy3DOperand dst:CUmemcpy3DOperand extent:CUextent3D srcAccessOrder:i32 flags:u32")


class CUtensorMap(Structure):
    """128 opaque bytes. The encode functions want a 64-byte aligned address, which ctypes does not promise: over-
    allocate, round up.
    """

    _fields_ = fields("opaque:u64[16]")


class _Value(Union):
    _fields_ = fields("value:u32 value64:u64")


class _WaitValue(Structure):
    _anonymous_ = ("either",)
    _fields_ = fields("operation:i32 address:u64 either:_Value flags:u32 alias:u64")


class _MemoryBarrier(Structure):
    _fields_ = fields("operation:i32 flags:u32")


class CUstreamBatchMemOpParams(Union):
    _fields_ = fields("""
        operation:i32 waitValue:_WaitValue writeValue:_WaitValue memoryBarrier:_MemoryBarrier pad:u64[6]
    """)
