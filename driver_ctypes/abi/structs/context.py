"""Contexts, and what devices and libraries tell."""

from __future__ import annotations

from driver_ctypes.abi.structs.tokens import Structure, fields


class CUexecAffinityParam(Structure):
    _fields_ = fields("type:i32 param:u32")


class CUctxCigParam(Structure):
    _fields_ = fields("sharedDataType:i32 sharedData:ptr")


class CUctxCreateParams(Structure):
    _fields_ = fields("execAffinityParams:ptr numExecAffinityParams:i32 cigParams:ptr")


class CUdevprop(Structure):
    _fields_ = fields("""
        maxThreadsPerBlock:i32 maxThreadsDim:i32[3] maxGridSize:i32[3] sharedMemPerBlock:i32 totalConstantMemory:i32
        SIMDWidth:i32 memPitch:i32 regsPerBlock:i32 clockRate:i32 textureAlign:i32
    """)


class CUlibraryHostUniversalFunctionAndDataTable(Structure):
    _fields_ = fields("functionTable:ptr functionWindowSize:size dataTable:ptr dataWindowSize:size")
