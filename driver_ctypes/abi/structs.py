"""The driver's structures and unions, under their C names.

Natural alignment gives the documented size and every documented offset (x86-64 and aarch64), so there is no
``_pack_``. Pointers and handles are ``ptr``, device addresses ``u64``, enums ``i32``. Zero-filled is the
right start for all of them: reserved fields are checked.

A name in ``cuda.h`` that means one of several versions has its version here (``CUDA_KERNEL_NODE_PARAMS_v2``).
"""

from __future__ import annotations

from ctypes import c_int, c_uint64

from driver_ctypes.abi.launch_structs import CUDA_LAUNCH_PARAMS as CUDA_LAUNCH_PARAMS
from driver_ctypes.abi.launch_structs import CUaccessPolicyWindow as CUaccessPolicyWindow
from driver_ctypes.abi.launch_structs import CUlaunchAttribute as CUlaunchAttribute
from driver_ctypes.abi.launch_structs import CUlaunchAttributeValue as CUlaunchAttributeValue
from driver_ctypes.abi.launch_structs import CUlaunchConfig as CUlaunchConfig
from driver_ctypes.abi.launch_structs import CUlaunchMemSyncDomainMap as CUlaunchMemSyncDomainMap
from driver_ctypes.abi.launch_structs import CUtensorMap as CUtensorMap
from driver_ctypes.abi.launch_structs import Structure, Union, fields

CUdevice = c_int
CUdeviceptr = c_uint64


# --- identification and sharing ---------------------------------------------------------------------------------------


class CUuuid(Structure):
    _fields_ = fields("bytes:u8[16]")


class CUipcEventHandle(Structure):
    _fields_ = fields("reserved:u8[64]")


class CUipcMemHandle(Structure):
    _fields_ = fields("reserved:u8[64]")


class CUmemPoolPtrExportData(Structure):
    _fields_ = fields("reserved:u8[64]")


# --- contexts ---------------------------------------------------------------------------------------------------------


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


# --- memory -----------------------------------------------------------------------------------------------------------


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


# --- textures and surfaces --------------------------------------------------------------------------------------------


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


# --- copies in batches, tensor maps, memory operations ----------------------------------------------------------------


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


# --- external semaphores ----------------------------------------------------------------------------------------------


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


# --- memory of other APIs ---------------------------------------------------------------------------------------------


class CUDA_EXTERNAL_MEMORY_HANDLE_DESC(Structure):
    _fields_ = fields("type:i32 handle:_SemaphoreHandle size:u64 flags:u32 reserved:u32[16]")


class CUDA_EXTERNAL_MEMORY_BUFFER_DESC(Structure):
    _fields_ = fields("offset:u64 size:u64 flags:u32 reserved:u32[16]")


# --- graphs -----------------------------------------------------------------------------------------------------------


class CUDA_KERNEL_NODE_PARAMS_v1(Structure):
    _fields_ = fields("""
        func:ptr gridDimX:u32 gridDimY:u32 gridDimZ:u32 blockDimX:u32 blockDimY:u32 blockDimZ:u32 sharedMemBytes:u32
        kernelParams:ptr extra:ptr
    """)


class CUDA_KERNEL_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_KERNEL_NODE_PARAMS_v1._fields_ + fields("kern:ptr ctx:ptr")


class CUDA_KERNEL_NODE_PARAMS_v3(Structure):
    _fields_ = CUDA_KERNEL_NODE_PARAMS_v2._fields_


class CUDA_MEMSET_NODE_PARAMS_v1(Structure):
    _fields_ = fields("dst:u64 pitch:size value:u32 elementSize:u32 width:size height:size")


class CUDA_MEMSET_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_MEMSET_NODE_PARAMS_v1._fields_ + fields("ctx:ptr")


class CUDA_HOST_NODE_PARAMS_v1(Structure):
    _fields_ = fields("fn:ptr userData:ptr")


class CUDA_HOST_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_HOST_NODE_PARAMS_v1._fields_


class CUDA_CONDITIONAL_NODE_PARAMS(Structure):
    _fields_ = fields("handle:u64 type:i32 size:u32 phGraph_out:ptr ctx:ptr")


class CUDA_CHILD_GRAPH_NODE_PARAMS(Structure):
    """``ownership`` came with 12.9; an older driver reads only ``graph``."""

    _fields_ = fields("graph:ptr ownership:i32")


class CUDA_EVENT_RECORD_NODE_PARAMS(Structure):
    _fields_ = fields("event:ptr")


class CUDA_EVENT_WAIT_NODE_PARAMS(Structure):
    _fields_ = fields("event:ptr")


class CUDA_MEMCPY_NODE_PARAMS(Structure):
    _fields_ = fields("flags:i32 reserved:i32 copyCtx:ptr copyParams:CUDA_MEMCPY3D")


class CUDA_MEM_ALLOC_NODE_PARAMS_v1(Structure):
    _fields_ = fields("poolProps:CUmemPoolProps accessDescs:ptr accessDescCount:size bytesize:size dptr:u64")


class CUDA_MEM_ALLOC_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_MEM_ALLOC_NODE_PARAMS_v1._fields_


class CUDA_MEM_FREE_NODE_PARAMS(Structure):
    _fields_ = fields("dptr:u64")


class CUDA_BATCH_MEM_OP_NODE_PARAMS_v1(Structure):
    _fields_ = fields("ctx:ptr count:u32 paramArray:ptr flags:u32")


class CUDA_BATCH_MEM_OP_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1._fields_


class CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1(Structure):
    _fields_ = fields("extSemArray:ptr paramsArray:ptr numExtSems:u32")


class CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1._fields_


class CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1(Structure):
    _fields_ = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1._fields_


class CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2(Structure):
    _fields_ = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1._fields_


class _NodeUnion(Union):
    _fields_ = fields("""
        reserved1:u64[29] kernel:CUDA_KERNEL_NODE_PARAMS_v3 memcpy:CUDA_MEMCPY_NODE_PARAMS memset:CUDA_MEMSET_NODE_PARAMS_v2
        host:CUDA_HOST_NODE_PARAMS_v2 graph:CUDA_CHILD_GRAPH_NODE_PARAMS eventWait:CUDA_EVENT_WAIT_NODE_PARAMS
        eventRecord:CUDA_EVENT_RECORD_NODE_PARAMS extSemSignal:CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2
        extSemWait:CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 alloc:CUDA_MEM_ALLOC_NODE_PARAMS_v2 free:CUDA_MEM_FREE_NODE_PARAMS
        memOp:CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 conditional:CUDA_CONDITIONAL_NODE_PARAMS
    """)


class CUgraphNodeParams(Structure):
    """The driver checks that what the node type does not use is zero."""

    _anonymous_ = ("node",)
    _fields_ = fields("type:i32 reserved0:i32[3] node:_NodeUnion reserved2:u64")


class CUgraphEdgeData(Structure):
    _fields_ = fields("from_port:u8 to_port:u8 type:u8 reserved:u8[5]")


class CUDA_GRAPH_INSTANTIATE_PARAMS(Structure):
    _fields_ = fields("flags:u64 hUploadStream:ptr hErrNode_out:ptr result_out:i32")


class CUgraphExecUpdateResultInfo(Structure):
    _fields_ = fields("result:i32 errorNode:ptr errorFromNode:ptr")
