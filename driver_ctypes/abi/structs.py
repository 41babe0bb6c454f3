"""The driver's structures and unions, under their C names.

Natural alignment gives the documented size and every documented offset (x86-64 and aarch64), so there is no
``_pack_``. Pointers and handles are ``c_void_p``, device addresses ``c_uint64``, enums ``c_int``. Zero-filled is the
right start for all of them: reserved fields are checked.

A name in ``cuda.h`` that means one of several versions has its version here (``CUDA_KERNEL_NODE_PARAMS_v2``).
"""

from __future__ import annotations

from ctypes import (
    Structure,
    Union,
    c_char,
    c_float,
    c_int,
    c_size_t,
    c_ubyte,
    c_uint32,
    c_uint64,
    c_ushort,
    c_void_p,
)

CUdevice = c_int
CUdeviceptr = c_uint64


# --- identification and sharing ---------------------------------------------------------------------------------------


class CUuuid(Structure):
    _fields_ = (("bytes", c_ubyte * 16),)


class CUipcEventHandle(Structure):
    _fields_ = (("reserved", c_ubyte * 64),)


class CUipcMemHandle(Structure):
    _fields_ = (("reserved", c_ubyte * 64),)


class CUmemPoolPtrExportData(Structure):
    _fields_ = (("reserved", c_ubyte * 64),)


# --- contexts ---------------------------------------------------------------------------------------------------------


class CUexecAffinityParam(Structure):
    _fields_ = (("type", c_int), ("param", c_uint32))


class CUctxCigParam(Structure):
    _fields_ = (("sharedDataType", c_int), ("sharedData", c_void_p))


class CUctxCreateParams(Structure):
    _fields_ = (("execAffinityParams", c_void_p), ("numExecAffinityParams", c_int), ("cigParams", c_void_p))


class CUdevprop(Structure):
    _fields_ = (
        ("maxThreadsPerBlock", c_int),
        ("maxThreadsDim", c_int * 3),
        ("maxGridSize", c_int * 3),
        ("sharedMemPerBlock", c_int),
        ("totalConstantMemory", c_int),
        ("SIMDWidth", c_int),
        ("memPitch", c_int),
        ("regsPerBlock", c_int),
        ("clockRate", c_int),
        ("textureAlign", c_int),
    )


class CUlibraryHostUniversalFunctionAndDataTable(Structure):
    _fields_ = (
        ("functionTable", c_void_p),
        ("functionWindowSize", c_size_t),
        ("dataTable", c_void_p),
        ("dataWindowSize", c_size_t),
    )


# --- launch -----------------------------------------------------------------------------------------------------------


class CUlaunchConfig(Structure):
    _fields_ = (
        ("gridDimX", c_uint32),
        ("gridDimY", c_uint32),
        ("gridDimZ", c_uint32),
        ("blockDimX", c_uint32),
        ("blockDimY", c_uint32),
        ("blockDimZ", c_uint32),
        ("sharedMemBytes", c_uint32),
        ("hStream", c_void_p),
        ("attrs", c_void_p),
        ("numAttrs", c_uint32),
    )


class CUaccessPolicyWindow(Structure):
    _fields_ = (
        ("base_ptr", c_void_p),
        ("num_bytes", c_size_t),
        ("hitRatio", c_float),
        ("hitProp", c_int),
        ("missProp", c_int),
    )


class CUlaunchMemSyncDomainMap(Structure):
    _fields_ = (("default_", c_ubyte), ("remote", c_ubyte))


class _Dim3(Structure):
    _fields_ = (("x", c_uint32), ("y", c_uint32), ("z", c_uint32))


class _ProgrammaticEvent(Structure):
    _fields_ = (("event", c_void_p), ("flags", c_int), ("triggerAtBlockStart", c_int))


class _LaunchCompletionEvent(Structure):
    _fields_ = (("event", c_void_p), ("flags", c_int))


class _DeviceUpdatableKernelNode(Structure):
    _fields_ = (("deviceUpdatable", c_int), ("devNode", c_void_p))


class CUlaunchAttributeValue(Union):
    """Also ``CUstreamAttrValue`` and ``CUkernelNodeAttrValue``."""

    _fields_ = (
        ("pad", c_char * 64),
        ("accessPolicyWindow", CUaccessPolicyWindow),
        ("cooperative", c_int),
        ("syncPolicy", c_int),
        ("clusterDim", _Dim3),
        ("clusterSchedulingPolicyPreference", c_int),
        ("programmaticStreamSerializationAllowed", c_int),
        ("programmaticEvent", _ProgrammaticEvent),
        ("launchCompletionEvent", _LaunchCompletionEvent),
        ("priority", c_int),
        ("memSyncDomainMap", CUlaunchMemSyncDomainMap),
        ("memSyncDomain", c_int),
        ("preferredClusterDim", _Dim3),
        ("deviceUpdatableKernelNode", _DeviceUpdatableKernelNode),
        ("sharedMemCarveout", c_uint32),
        ("nvlinkUtilCentricScheduling", c_uint32),
        ("portableClusterSizeMode", c_int),
        ("sharedMemoryMode", c_int),
    )


class CUlaunchAttribute(Structure):
    _fields_ = (("id", c_int), ("pad", c_char * 4), ("value", CUlaunchAttributeValue))


class CUDA_LAUNCH_PARAMS(Structure):
    _fields_ = (
        ("function", c_void_p),
        ("gridDimX", c_uint32),
        ("gridDimY", c_uint32),
        ("gridDimZ", c_uint32),
        ("blockDimX", c_uint32),
        ("blockDimY", c_uint32),
        ("blockDimZ", c_uint32),
        ("sharedMemBytes", c_uint32),
        ("hStream", c_void_p),
        ("kernelParams", c_void_p),
    )


# --- memory -----------------------------------------------------------------------------------------------------------


class CUmemLocation(Structure):
    _fields_ = (("type", c_int), ("id", c_int))


class CUmemAccessDesc(Structure):
    _fields_ = (("location", CUmemLocation), ("flags", c_int))


class CUmemPoolProps(Structure):
    _fields_ = (
        ("allocType", c_int),
        ("handleTypes", c_int),
        ("location", CUmemLocation),
        ("win32SecurityAttributes", c_void_p),
        ("maxSize", c_size_t),
        ("usage", c_ushort),
        ("reserved", c_ubyte * 54),
    )


class _AllocFlags(Structure):
    _fields_ = (
        ("compressionType", c_ubyte),
        ("gpuDirectRDMACapable", c_ubyte),
        ("usage", c_ushort),
        ("reserved", c_ubyte * 4),
    )


class CUmemAllocationProp(Structure):
    _fields_ = (
        ("type", c_int),
        ("requestedHandleTypes", c_int),
        ("location", CUmemLocation),
        ("win32HandleMetaData", c_void_p),
        ("allocFlags", _AllocFlags),
    )


class CUmulticastObjectProp(Structure):
    _fields_ = (("numDevices", c_uint32), ("size", c_size_t), ("handleTypes", c_uint64), ("flags", c_uint64))


class CUmemcpyAttributes(Structure):
    _fields_ = (
        ("srcAccessOrder", c_int),
        ("srcLocHint", CUmemLocation),
        ("dstLocHint", CUmemLocation),
        ("flags", c_uint32),
    )


class CUDA_MEMCPY2D(Structure):
    _fields_ = (
        ("srcXInBytes", c_size_t),
        ("srcY", c_size_t),
        ("srcMemoryType", c_int),
        ("srcHost", c_void_p),
        ("srcDevice", c_uint64),
        ("srcArray", c_void_p),
        ("srcPitch", c_size_t),
        ("dstXInBytes", c_size_t),
        ("dstY", c_size_t),
        ("dstMemoryType", c_int),
        ("dstHost", c_void_p),
        ("dstDevice", c_uint64),
        ("dstArray", c_void_p),
        ("dstPitch", c_size_t),
        ("WidthInBytes", c_size_t),
        ("Height", c_size_t),
    )


class CUDA_MEMCPY3D(Structure):
    _fields_ = (
        ("srcXInBytes", c_size_t),
        ("srcY", c_size_t),
        ("srcZ", c_size_t),
        ("srcLOD", c_size_t),
        ("srcMemoryType", c_int),
        ("srcHost", c_void_p),
        ("srcDevice", c_uint64),
        ("srcArray", c_void_p),
        ("reserved0", c_void_p),
        ("srcPitch", c_size_t),
        ("srcHeight", c_size_t),
        ("dstXInBytes", c_size_t),
        ("dstY", c_size_t),
        ("dstZ", c_size_t),
        ("dstLOD", c_size_t),
        ("dstMemoryType", c_int),
        ("dstHost", c_void_p),
        ("dstDevice", c_uint64),
        ("dstArray", c_void_p),
        ("reserved1", c_void_p),
        ("dstPitch", c_size_t),
        ("dstHeight", c_size_t),
        ("WidthInBytes", c_size_t),
        ("Height", c_size_t),
        ("Depth", c_size_t),
    )


class CUDA_MEMCPY3D_PEER(Structure):
    """CUDA_MEMCPY3D with a context in place of each reserved pointer."""

    _fields_ = tuple(
        ({"reserved0": "srcContext", "reserved1": "dstContext"}.get(name, name), ctype)
        for name, ctype in CUDA_MEMCPY3D._fields_
    )


class CUDA_ARRAY_DESCRIPTOR(Structure):
    _fields_ = (("Width", c_size_t), ("Height", c_size_t), ("Format", c_int), ("NumChannels", c_uint32))


class CUDA_ARRAY3D_DESCRIPTOR(Structure):
    _fields_ = (
        ("Width", c_size_t),
        ("Height", c_size_t),
        ("Depth", c_size_t),
        ("Format", c_int),
        ("NumChannels", c_uint32),
        ("Flags", c_uint32),
    )


class CUDA_ARRAY_MEMORY_REQUIREMENTS(Structure):
    _fields_ = (("size", c_size_t), ("alignment", c_size_t), ("reserved", c_uint32 * 4))


# --- textures and surfaces --------------------------------------------------------------------------------------------


class _ResourceArray(Structure):
    _fields_ = (("hArray", c_void_p),)


class _ResourceMipmap(Structure):
    _fields_ = (("hMipmappedArray", c_void_p),)


class _ResourceLinear(Structure):
    _fields_ = (("devPtr", c_uint64), ("format", c_int), ("numChannels", c_uint32), ("sizeInBytes", c_size_t))


class _ResourcePitch2D(Structure):
    _fields_ = (
        ("devPtr", c_uint64),
        ("format", c_int),
        ("numChannels", c_uint32),
        ("width", c_size_t),
        ("height", c_size_t),
        ("pitchInBytes", c_size_t),
    )


class _Resource(Union):
    _fields_ = (
        ("array", _ResourceArray),
        ("mipmap", _ResourceMipmap),
        ("linear", _ResourceLinear),
        ("pitch2D", _ResourcePitch2D),
        ("reserved", c_int * 32),
    )


class CUDA_RESOURCE_DESC(Structure):
    _fields_ = (("resType", c_int), ("res", _Resource), ("flags", c_uint32))


class CUDA_TEXTURE_DESC(Structure):
    _fields_ = (
        ("addressMode", c_int * 3),
        ("filterMode", c_int),
        ("flags", c_uint32),
        ("maxAnisotropy", c_uint32),
        ("mipmapFilterMode", c_int),
        ("mipmapLevelBias", c_float),
        ("minMipmapLevelClamp", c_float),
        ("maxMipmapLevelClamp", c_float),
        ("borderColor", c_float * 4),
        ("reserved", c_int * 12),
    )


class CUDA_RESOURCE_VIEW_DESC(Structure):
    _fields_ = (
        ("format", c_int),
        ("width", c_size_t),
        ("height", c_size_t),
        ("depth", c_size_t),
        ("firstMipmapLevel", c_uint32),
        ("lastMipmapLevel", c_uint32),
        ("firstLayer", c_uint32),
        ("lastLayer", c_uint32),
        ("reserved", c_uint32 * 16),
    )


# --- copies in batches, tensor maps, memory operations ----------------------------------------------------------------


class CUextent3D(Structure):
    _fields_ = (("width", c_size_t), ("height", c_size_t), ("depth", c_size_t))


class CUoffset3D(Structure):
    _fields_ = (("x", c_size_t), ("y", c_size_t), ("z", c_size_t))


class _OperandPointer(Structure):
    _fields_ = (("ptr", c_uint64), ("rowLength", c_size_t), ("layerHeight", c_size_t), ("locHint", CUmemLocation))


class _OperandArray(Structure):
    _fields_ = (("array", c_void_p), ("offset", CUoffset3D))


class _Operand(Union):
    _fields_ = (("ptr", _OperandPointer), ("array", _OperandArray))


class CUmemcpy3DOperand(Structure):
    _fields_ = (("type", c_int), ("op", _Operand))


class CUDA_MEMCPY3D_BATCH_OP(Structure):
    _fields_ = (
        ("src", CUmemcpy3DOperand),
        ("dst", CUmemcpy3DOperand),
        ("extent", CUextent3D),
        ("srcAccessOrder", c_int),
        ("flags", c_uint32),
    )


class CUtensorMap(Structure):
    """128 opaque bytes. The encode functions want a 64-byte aligned address, which ctypes does not promise: over-
    allocate, round up.
    """

    _fields_ = (("opaque", c_uint64 * 16),)


class _Value(Union):
    _fields_ = (("value", c_uint32), ("value64", c_uint64))


class _WaitValue(Structure):
    _anonymous_ = ("either",)
    _fields_ = (
        ("operation", c_int),
        ("address", c_uint64),
        ("either", _Value),
        ("flags", c_uint32),
        ("alias", c_uint64),
    )


class _MemoryBarrier(Structure):
    _fields_ = (("operation", c_int), ("flags", c_uint32))


class CUstreamBatchMemOpParams(Union):
    _fields_ = (
        ("operation", c_int),
        ("waitValue", _WaitValue),
        ("writeValue", _WaitValue),
        ("memoryBarrier", _MemoryBarrier),
        ("pad", c_uint64 * 6),
    )


# --- external semaphores ----------------------------------------------------------------------------------------------


class _Win32Handle(Structure):
    _fields_ = (("handle", c_void_p), ("name", c_void_p))


class _SemaphoreHandle(Union):
    _fields_ = (("fd", c_int), ("win32", _Win32Handle), ("nvSciSyncObj", c_void_p))


class CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC(Structure):
    _fields_ = (("type", c_int), ("handle", _SemaphoreHandle), ("flags", c_uint32), ("reserved", c_uint32 * 16))


class _Fence(Structure):
    _fields_ = (("value", c_uint64),)


class _NvSciSync(Union):
    _fields_ = (("fence", c_void_p), ("reserved", c_uint64))


class _SignalKeyedMutex(Structure):
    _fields_ = (("key", c_uint64),)


class _WaitKeyedMutex(Structure):
    _fields_ = (("key", c_uint64), ("timeoutMs", c_uint32))


class _SignalParams(Structure):
    _fields_ = (
        ("fence", _Fence),
        ("nvSciSync", _NvSciSync),
        ("keyedMutex", _SignalKeyedMutex),
        ("reserved", c_uint32 * 12),
    )


class CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS(Structure):
    _fields_ = (("params", _SignalParams), ("flags", c_uint32), ("reserved", c_uint32 * 16))


class _WaitParams(Structure):
    _fields_ = (
        ("fence", _Fence),
        ("nvSciSync", _NvSciSync),
        ("keyedMutex", _WaitKeyedMutex),
        ("reserved", c_uint32 * 10),
    )


class CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS(Structure):
    _fields_ = (("params", _WaitParams), ("flags", c_uint32), ("reserved", c_uint32 * 16))


# --- memory of other APIs ---------------------------------------------------------------------------------------------


class CUDA_EXTERNAL_MEMORY_HANDLE_DESC(Structure):
    _fields_ = (
        ("type", c_int),
        ("handle", _SemaphoreHandle),
        ("size", c_uint64),
        ("flags", c_uint32),
        ("reserved", c_uint32 * 16),
    )


class CUDA_EXTERNAL_MEMORY_BUFFER_DESC(Structure):
    _fields_ = (("offset", c_uint64), ("size", c_uint64), ("flags", c_uint32), ("reserved", c_uint32 * 16))


# --- graphs -----------------------------------------------------------------------------------------------------------


class CUDA_KERNEL_NODE_PARAMS_v1(Structure):
    _fields_ = (
        ("func", c_void_p),
        ("gridDimX", c_uint32),
        ("gridDimY", c_uint32),
        ("gridDimZ", c_uint32),
        ("blockDimX", c_uint32),
        ("blockDimY", c_uint32),
        ("blockDimZ", c_uint32),
        ("sharedMemBytes", c_uint32),
        ("kernelParams", c_void_p),
        ("extra", c_void_p),
    )


class CUDA_KERNEL_NODE_PARAMS_v2(Structure):
    _fields_ = (*CUDA_KERNEL_NODE_PARAMS_v1._fields_, ("kern", c_void_p), ("ctx", c_void_p))


class CUDA_KERNEL_NODE_PARAMS_v3(Structure):
    _fields_ = CUDA_KERNEL_NODE_PARAMS_v2._fields_


class CUDA_MEMSET_NODE_PARAMS_v1(Structure):
    _fields_ = (
        ("dst", c_uint64),
        ("pitch", c_size_t),
        ("value", c_uint32),
        ("elementSize", c_uint32),
        ("width", c_size_t),
        ("height", c_size_t),
    )


class CUDA_MEMSET_NODE_PARAMS_v2(Structure):
    _fields_ = (*CUDA_MEMSET_NODE_PARAMS_v1._fields_, ("ctx", c_void_p))


class CUDA_HOST_NODE_PARAMS_v1(Structure):
    _fields_ = (("fn", c_void_p), ("userData", c_void_p))


class CUDA_HOST_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_HOST_NODE_PARAMS_v1._fields_


class CUDA_CONDITIONAL_NODE_PARAMS(Structure):
    _fields_ = (
        ("handle", c_uint64),
        ("type", c_int),
        ("size", c_uint32),
        ("phGraph_out", c_void_p),
        ("ctx", c_void_p),
    )


class CUDA_CHILD_GRAPH_NODE_PARAMS(Structure):
    """``ownership`` came with 12.9; an older driver reads only ``graph``."""

    _fields_ = (("graph", c_void_p), ("ownership", c_int))


class CUDA_EVENT_RECORD_NODE_PARAMS(Structure):
    _fields_ = (("event", c_void_p),)


class CUDA_EVENT_WAIT_NODE_PARAMS(Structure):
    _fields_ = (("event", c_void_p),)


class CUDA_MEMCPY_NODE_PARAMS(Structure):
    _fields_ = (("flags", c_int), ("reserved", c_int), ("copyCtx", c_void_p), ("copyParams", CUDA_MEMCPY3D))


class CUDA_MEM_ALLOC_NODE_PARAMS_v1(Structure):
    _fields_ = (
        ("poolProps", CUmemPoolProps),
        ("accessDescs", c_void_p),
        ("accessDescCount", c_size_t),
        ("bytesize", c_size_t),
        ("dptr", c_uint64),
    )


class CUDA_MEM_ALLOC_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_MEM_ALLOC_NODE_PARAMS_v1._fields_


class CUDA_MEM_FREE_NODE_PARAMS(Structure):
    _fields_ = (("dptr", c_uint64),)


class CUDA_BATCH_MEM_OP_NODE_PARAMS_v1(Structure):
    _fields_ = (("ctx", c_void_p), ("count", c_uint32), ("paramArray", c_void_p), ("flags", c_uint32))


class CUDA_BATCH_MEM_OP_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1._fields_


class CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1(Structure):
    _fields_ = (("extSemArray", c_void_p), ("paramsArray", c_void_p), ("numExtSems", c_uint32))


class CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1._fields_


class CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1(Structure):
    _fields_ = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1._fields_


class CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1._fields_


class _NodeUnion(Union):
    _fields_ = (
        ("reserved1", c_uint64 * 29),
        ("kernel", CUDA_KERNEL_NODE_PARAMS_v3),
        ("memcpy", CUDA_MEMCPY_NODE_PARAMS),
        ("memset", CUDA_MEMSET_NODE_PARAMS_v2),
        ("host", CUDA_HOST_NODE_PARAMS_v2),
        ("graph", CUDA_CHILD_GRAPH_NODE_PARAMS),
        ("eventWait", CUDA_EVENT_WAIT_NODE_PARAMS),
        ("eventRecord", CUDA_EVENT_RECORD_NODE_PARAMS),
        ("extSemSignal", CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2),
        ("extSemWait", CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2),
        ("alloc", CUDA_MEM_ALLOC_NODE_PARAMS_v2),
        ("free", CUDA_MEM_FREE_NODE_PARAMS),
        ("memOp", CUDA_BATCH_MEM_OP_NODE_PARAMS_v2),
        ("conditional", CUDA_CONDITIONAL_NODE_PARAMS),
    )


class CUgraphNodeParams(Structure):
    """The driver checks that what the node type does not use is zero."""

    _anonymous_ = ("node",)
    _fields_ = (("type", c_int), ("reserved0", c_int * 3), ("node", _NodeUnion), ("reserved2", c_uint64))


class CUgraphEdgeData(Structure):
    _fields_ = (("from_port", c_ubyte), ("to_port", c_ubyte), ("type", c_ubyte), ("reserved", c_ubyte * 5))


class CUDA_GRAPH_INSTANTIATE_PARAMS(Structure):
    _fields_ = (("flags", c_uint64), ("hUploadStream", c_void_p), ("hErrNode_out", c_void_p), ("result_out", c_int))


class CUgraphExecUpdateResultInfo(Structure):
    _fields_ = (("result", c_int), ("errorNode", c_void_p), ("errorFromNode", c_void_p))
