"""Launches and their attributes."""

from __future__ import annotations

from driver_ctypes.abi.structs.tokens import Structure, Union, fields


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
