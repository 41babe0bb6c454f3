"""The structures of launches, apart from `structs`, since making all takes 2 ms; and how one is written: by ``name:token``."""

from __future__ import annotations

import ctypes

from driver_ctypes.abi.constants import SCALARS
from driver_ctypes.typing import Any

_known: dict[str, Any] = {}  # structures and unions by name


class Structure(ctypes.Structure):
    """A structure that others may name."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _known[cls.__name__] = cls


class Union(ctypes.Union):
    """A union that structures may name."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _known[cls.__name__] = cls


def fields(text: str) -> tuple[tuple[str, Any], ...]:
    """The fields ``name:token`` of *text*: a scalar, or a structure that is there already; ``token[8]`` is an array of 8."""
    found = []
    for name, _, token in [field.partition(":") for field in text.split()]:
        kind, _, count = token.partition("[")
        ctype = SCALARS.get(kind) or _known[kind]
        found.append((name, ctype * int(count[:-1]) if count else ctype))
    return tuple(found)


class CUlaunchConfig(Structure):
    _fields_ = fields("""
        gridDimX:u32 gridDimY:u32 gridDimZ:u32 blockDimX:u32 blockDimY:u32 blockDimZ:u32 sharedMemBytes:u32 hStream:ptr
        attrs:ptr numAttrs:u32
    """)


class CUaccessPolicyWindow(Structure):
    _fields_ = fields("base_ptr:ptr num_bytes:size hitRatio:f32 hitProp:i32 missProp:i32")


class CUlaunchMemSyncDomainMap(Structure):
    _fields_ = fields("default_:u8 remote:u8")


class _Dim3(Structure):
    _fields_ = fields("x:u32 y:u32 z:u32")


class _ProgrammaticEvent(Structure):
    _fields_ = fields("event:ptr flags:i32 triggerAtBlockStart:i32")


class _LaunchCompletionEvent(Structure):
    _fields_ = fields("event:ptr flags:i32")


class _DeviceUpdatableKernelNode(Structure):
    _fields_ = fields("deviceUpdatable:i32 devNode:ptr")


class CUlaunchAttributeValue(Union):
    """Also ``CUstreamAttrValue`` and ``CUkernelNodeAttrValue``."""

    _fields_ = fields("""
        pad:char[64] accessPolicyWindow:CUaccessPolicyWindow cooperative:i32 syncPolicy:i32 clusterDim:_Dim3
        clusterSchedulingPolicyPreference:i32 programmaticStreamSerializationAllowed:i32
        programmaticEvent:_ProgrammaticEvent launchCompletionEvent:_LaunchCompletionEvent priority:i32
        memSyncDomainMap:CUlaunchMemSyncDomainMap memSyncDomain:i32 preferredClusterDim:_Dim3
        deviceUpdatableKernelNode:_DeviceUpdatableKernelNode sharedMemCarveout:u32 nvlinkUtilCentricScheduling:u32
        portableClusterSizeMode:i32 sharedMemoryMode:i32
    """)


class CUlaunchAttribute(Structure):
    _fields_ = fields("id:i32 pad:char[4] value:CUlaunchAttributeValue")


class CUDA_LAUNCH_PARAMS(Structure):
    _fields_ = fields("""
        function:ptr gridDimX:u32 gridDimY:u32 gridDimZ:u32 blockDimX:u32 blockDimY:u32 blockDimZ:u32 sharedMemBytes:u32
        hStream:ptr kernelParams:ptr
    """)


class CUtensorMap(Structure):
    """128 opaque bytes. The encode functions want a 64-byte aligned address, which ctypes does not promise: over-
    allocate, round up.
    """

    _fields_ = fields("opaque:u64[16]")
