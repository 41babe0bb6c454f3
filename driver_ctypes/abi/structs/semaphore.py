"""Semaphores and memory of other APIs."""

from __future__ import annotations

from driver_ctypes.abi.structs.tokens import Structure, Union, fields


class _Win32Handle(Structure):
    _fields_ = fields("handle:ptr name:ptr")


class _SemaphoreHandle(Union):
    _fields_ = fields("fd:i32 win32:_Win32Handle nvSciSyncObj:ptr")


class CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC(Structure):
    _fields_ = fields("type:i32 handle:_SemaphoreHandle flags:u32 reserved:u32[16]")


class _Fence(Structure):
    _fields_ = fields("value:u64")


class _NvSciSync(Union):
    _fields_ = fields("fence:ptr reserved:u64")


class _SignalKeyedMutex(Structure):
    _fields_ = fields("key:u64")


class _WaitKeyedMutex(Structure):
    _fields_ = fields("key:u64 timeoutMs:u32")


class _SignalParams(Structure):
    _fields_ = fields("fence:_Fence nvSciSync:_NvSciSync keyedMutex:_SignalKeyedMutex reserved:u32[12]")


class CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS(Structure):
    _fields_ = fields("params:_SignalParams flags:u32 reserved:u32[16]")


class _WaitParams(Structure):
    _fields_ = fields("fence:_Fence nvSciSync:_NvSciSync keyedMutex:_WaitKeyedMutex reserved:u32[10]")


class CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS(Structure):
    _fields_ = fields("params:_WaitParams flags:u32 reserved:u32[16]")


class CUDA_EXTERNAL_MEMORY_HANDLE_DESC(Structure):
    _fields_ = fields("type:i32 handle:_SemaphoreHandle size:u64 flags:u32 reserved:u32[16]")


class CUDA_EXTERNAL_MEMORY_BUFFER_DESC(Structure):
    _fields_ = fields("offset:u64 size:u64 flags:u32 reserved:u32[16]")
