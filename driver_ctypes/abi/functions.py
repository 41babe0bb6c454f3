"""The driver's functions: one row each, and the ctypes prototype a row stands for.

A row has the exported symbol; the version to give ``cuGetProcAddress``; the per-thread-default-stream twin, where there is
one; and the arguments as ``name:token``. Its further lines are indented.

*Symbol.* The name asked of ``cuGetProcAddress`` is the symbol without its ``_v2`` ending (`FunctionSpec.name`).

*Version.* It selects the ABI: it is the version that brought this very prototype, never the driver's own version.
Asking for ``cuCtxSynchronize`` with 13000 gives a function with one argument more. For the same reason a driver older
than a row's version lacks the row, even where ``cuGetProcAddress`` would answer with an older function of that name.

*Twin.* Suffix of the export that treats a NULL stream as the per-thread one, and after the slash the lowest version
that may ask ``cuGetProcAddress`` for it (flag 2) where that is not the row's version.

*Tokens.* ``u8 u16 u32 u64 i32 f32 size`` numbers; ``dev`` a CUdevice; ``enum`` four bytes; ``xxx_h`` an opaque handle;
``cstr`` a NUL-terminated string; ``ptr`` and ``T*`` pointers; ``fnptr<T>`` a callback; a structure's name alone is a
structure by value.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi.constants import SCALARS
from driver_ctypes.primitives import Mapping, cache
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class FunctionSpec(NamedTuple):
    """One function of the driver."""

    symbol: str
    """Exported symbol, such as ``cuMemAlloc_v2``."""
    name: str
    """Name for cuGetProcAddress, such as ``cuMemAlloc``."""
    version: int
    """1000 * major + 10 * minor of the CUDA version that brought this prototype."""
    suffix: str
    """``ptsz`` or ``ptds`` where a per-thread-default-stream twin exists, else empty."""
    ptds: int
    """Version that asks for that twin; 0 where there is none."""
    args: tuple[tuple[str, str], ...]
    """(name, token) of each argument; every function returns a CUresult."""


_TABLE = """
# Errors, init, version, symbol lookup
cuGetErrorName 6000 error:enum pStr:char**
cuGetErrorString 6000 error:enum pStr:char**
# 0 is the only flag; 100 no device, 34 stub library, 803 kernel module of another version
cuInit 2000 Flags:u32
# works before cuInit
cuDriverGetVersion 2020 driverVersion:i32*
# symbolFound: 0 found, 1 not found, 2 the version asked for is too low
cuGetProcAddress_v2 12000 symbol:cstr pfn:void** driverVersion:i32 flags:u64 symbolFound:enum*
cuGetProcAddress 11030 symbol:cstr pfn:void** driverVersion:i32 flags:u64
cuGetExportTable 3000 ppExportTable:void** pExportTableId:CUuuid*

# Device
cuDeviceGetCount 2000 count:i32*
cuDeviceGet 2000 device:dev* ordinal:i32
cuDeviceGetName 2000 name:char* len:i32 dev:dev
# the MIG instance's own UUID under MIG
cuDeviceGetUuid_v2 11040 uuid:CUuuid* dev:dev
# Windows only
cuDeviceGetLuid 10000 luid:char* deviceNodeMask:u32* dev:dev
cuDeviceTotalMem_v2 3020 bytes:size* dev:dev
cuDeviceGetAttribute 2000 pi:i32* attrib:enum dev:dev
cuDeviceGetByPCIBusId 4010 dev:dev* pciBusId:cstr
cuDeviceGetPCIBusId 4010 pciBusId:char* len:i32 dev:dev
cuDeviceGetP2PAttribute 8000 value:i32* attrib:enum srcDevice:dev dstDevice:dev
cuDeviceCanAccessPeer 4000 canAccessPeer:i32* dev:dev peerDev:dev
cuDeviceGetDefaultMemPool 11020 pool_out:memorypool_h* dev:dev
cuDeviceGetMemPool 11020 pool:memorypool_h* dev:dev
cuDeviceSetMemPool 11020 dev:dev pool:memorypool_h
cuDeviceGetGraphMemAttribute 11040 device:dev attr:enum value:ptr
cuDeviceSetGraphMemAttribute 11040 device:dev attr:enum value:ptr
cuDeviceGraphMemTrim 11040 device:dev
cuDeviceGetTexture1DLinearMaxWidth 11010 maxWidthInElements:size* format:enum numChannels:u32 dev:dev

# Primary context and context
cuDevicePrimaryCtxRetain 7000 pctx:context_h* dev:dev
cuDevicePrimaryCtxRelease_v2 11000 dev:dev
cuDevicePrimaryCtxReset_v2 11000 dev:dev
cuDevicePrimaryCtxSetFlags_v2 11000 dev:dev flags:u32
cuDevicePrimaryCtxGetState 7000 dev:dev flags:u32* active:i32*
# ctxCreateParams may be NULL
cuCtxCreate_v4 12050 pctx:context_h* ctxCreateParams:CUctxCreateParams* flags:u32 dev:dev
cuCtxCreate_v3 11040 pctx:context_h* paramsArray:CUexecAffinityParam* numParams:i32 flags:u32 dev:dev
cuCtxCreate_v2 3020 pctx:context_h* flags:u32 dev:dev
cuCtxDestroy_v2 4000 ctx:context_h
cuCtxPushCurrent_v2 4000 ctx:context_h
cuCtxPopCurrent_v2 4000 pctx:context_h*
cuCtxSetCurrent 4000 ctx:context_h
cuCtxGetCurrent 4000 pctx:context_h*
# asked for with 13000 or more this name gives the two-argument form below
cuCtxGetDevice 2000 device:dev*
cuCtxGetDevice_v2 13000 device:dev* ctx:context_h
# asked for with 13000 or more this name gives the form below, which takes the context
cuCtxSynchronize 2000
cuCtxSynchronize_v2 13000 ctx:context_h
cuCtxGetFlags 7000 flags:u32*
cuCtxSetFlags 12010 flags:u32
cuCtxGetId 12000 ctx:context_h ctxId:u64*
cuCtxGetApiVersion 3020 ctx:context_h version:u32*
cuCtxGetLimit 3010 pvalue:size* limit:enum
cuCtxSetLimit 3010 limit:enum value:size
cuCtxGetCacheConfig 3020 pconfig:enum*
cuCtxSetCacheConfig 3020 config:enum
cuCtxGetStreamPriorityRange 5050 leastPriority:i32* greatestPriority:i32*
cuCtxResetPersistingL2Cache 11000
cuCtxRecordEvent 12050 hCtx:context_h hEvent:event_h
cuCtxWaitEvent 12050 hCtx:context_h hEvent:event_h
cuCtxEnablePeerAccess 4000 peerContext:context_h Flags:u32
cuCtxDisablePeerAccess 4000 peerContext:context_h

# Module / function
cuModuleLoad 2000 module:module_h* fname:cstr
cuModuleLoadData 2000 module:module_h* image:ptr
# no length: PTX must end with NUL
cuModuleLoadDataEx 2010 module:module_h* image:ptr numOptions:u32 options:enum* optionValues:void**
cuModuleLoadFatBinary 2000 module:module_h* fatCubin:ptr
cuModuleUnload 2000 hmod:module_h
cuModuleGetLoadingMode 11070 mode:enum*
cuModuleGetFunction 2000 hfunc:function_h* hmod:module_h name:cstr
cuModuleGetFunctionCount 12040 count:u32* hmod:module_h
cuModuleEnumerateFunctions 12040 functions:function_h* numFunctions:u32 mod:module_h
cuModuleGetGlobal_v2 3020 dptr:u64* bytes:size* hmod:module_h name:cstr
cuFuncGetAttribute 2020 pi:i32* attrib:enum hfunc:function_h
cuFuncSetAttribute 9000 hfunc:function_h attrib:enum value:i32
cuFuncSetCacheConfig 3000 hfunc:function_h config:enum
cuFuncGetModule 11000 hmod:module_h* hfunc:function_h
cuFuncGetName 12030 name:char** hfunc:function_h
# count up paramIndex until INVALID_VALUE
cuFuncGetParamInfo 12040 func:function_h paramIndex:size paramOffset:size* paramSize:size*
cuFuncGetParamCount 13020 func:function_h paramCount:size*
cuFuncIsLoaded 12040 state:enum* hfunc:function_h
cuFuncLoad 12040 hfunc:function_h

# Library / kernel (context independent, 12.0+)
cuLibraryLoadData 12000 library:library_h* code:ptr jitOptions:enum* jitOptionsValues:void** numJitOptions:u32
    libraryOptions:enum* libraryOptionValues:void** numLibraryOptions:u32
cuLibraryLoadFromFile 12000 library:library_h* fileName:cstr jitOptions:enum* jitOptionsValues:void** numJitOptions:u32
    libraryOptions:enum* libraryOptionValues:void** numLibraryOptions:u32
cuLibraryUnload 12000 library:library_h
cuLibraryGetKernel 12000 pKernel:kernel_h* library:library_h name:cstr
cuLibraryGetKernelCount 12040 count:u32* lib:library_h
cuLibraryEnumerateKernels 12040 kernels:kernel_h* numKernels:u32 lib:library_h
cuLibraryGetModule 12000 pMod:module_h* library:library_h
cuLibraryGetGlobal 12000 dptr:u64* bytes:size* library:library_h name:cstr
cuLibraryGetManaged 12000 dptr:u64* bytes:size* library:library_h name:cstr
cuLibraryGetUnifiedFunction 12000 fptr:void** library:library_h symbol:cstr
# the CUfunction for the current context
cuKernelGetFunction 12000 pFunc:function_h* kernel:kernel_h
cuKernelGetLibrary 12050 pLib:library_h* kernel:kernel_h
cuKernelGetAttribute 12000 pi:i32* attrib:enum kernel:kernel_h dev:dev
# order differs from cuFuncSetAttribute
cuKernelSetAttribute 12000 attrib:enum val:i32 kernel:kernel_h dev:dev
cuKernelSetCacheConfig 12000 kernel:kernel_h config:enum dev:dev
cuKernelGetName 12030 name:char** hfunc:kernel_h
cuKernelGetParamInfo 12040 kernel:kernel_h paramIndex:size paramOffset:size* paramSize:size*
cuKernelGetParamCount 13020 kernel:kernel_h paramCount:size*

# JIT linker
cuLinkCreate_v2 6050 numOptions:u32 options:enum* optionValues:void** stateOut:linkstate_h*
cuLinkAddData_v2 6050 state:linkstate_h type:enum data:ptr size:size name:cstr numOptions:u32 options:enum*
    optionValues:void**
cuLinkAddFile_v2 6050 state:linkstate_h type:enum path:cstr numOptions:u32 options:enum* optionValues:void**
# the cubin belongs to the link state: copy it before cuLinkDestroy
cuLinkComplete 5050 state:linkstate_h cubinOut:void** sizeOut:size*
cuLinkDestroy 5050 state:linkstate_h

# Memory: allocate / free / query
cuMemGetInfo_v2 3020 free:size* total:size*
cuMemAlloc_v2 3020 dptr:u64* bytesize:size
cuMemAllocPitch_v2 3020 dptr:u64* pPitch:size* WidthInBytes:size Height:size ElementSizeBytes:u32
cuMemFree_v2 3020 dptr:u64
cuMemAllocHost_v2 3020 pp:void** bytesize:size
cuMemFreeHost 2000 p:ptr
cuMemHostAlloc 2020 pp:void** bytesize:size Flags:u32
cuMemHostRegister_v2 6050 p:ptr bytesize:size Flags:u32
cuMemHostUnregister 4000 p:ptr
cuMemHostGetDevicePointer_v2 3020 pdptr:u64* p:ptr Flags:u32
cuMemHostGetFlags 2030 pFlags:u32* p:ptr
cuMemAllocManaged 6000 dptr:u64* bytesize:size flags:u32
cuMemGetAddressRange_v2 3020 pbase:u64* psize:size* dptr:u64
cuPointerGetAttribute 4000 data:ptr attribute:enum ptr:u64
cuPointerGetAttributes 7000 numAttributes:u32 attributes:enum* data:void** ptr:u64
cuPointerSetAttribute 6000 value:ptr attribute:enum ptr:u64
# location by value
cuMemAdvise_v2 12020 devPtr:u64 count:size advice:enum location:CUmemLocation
# location by value
cuMemPrefetchAsync_v2 12020 ptsz devPtr:u64 count:size location:CUmemLocation flags:u32 hStream:stream_h
cuMemRangeGetAttribute 8000 data:ptr dataSize:size attribute:enum devPtr:u64 count:size
cuMemRangeGetAttributes 8000 data:void** dataSizes:size* attributes:enum* numAttributes:size devPtr:u64 count:size

# Memory: stream-ordered allocator
cuMemAllocAsync 11020 ptsz dptr:u64* bytesize:size hStream:stream_h
cuMemFreeAsync 11020 ptsz dptr:u64 hStream:stream_h
cuMemAllocFromPoolAsync 11020 ptsz dptr:u64* bytesize:size pool:memorypool_h hStream:stream_h
cuMemPoolCreate 11020 pool:memorypool_h* poolProps:CUmemPoolProps*
cuMemPoolDestroy 11020 pool:memorypool_h
cuMemPoolTrimTo 11020 pool:memorypool_h minBytesToKeep:size
cuMemPoolGetAttribute 11020 pool:memorypool_h attr:enum value:ptr
cuMemPoolSetAttribute 11020 pool:memorypool_h attr:enum value:ptr
cuMemPoolGetAccess 11020 flags:enum* memPool:memorypool_h location:CUmemLocation*
cuMemPoolSetAccess 11020 pool:memorypool_h map:CUmemAccessDesc* count:size
cuMemPoolExportToShareableHandle 11020 handle_out:ptr pool:memorypool_h handleType:enum flags:u64
cuMemPoolImportFromShareableHandle 11020 pool_out:memorypool_h* handle:ptr handleType:enum flags:u64
cuMemPoolExportPointer 11020 shareData_out:CUmemPoolPtrExportData* ptr:u64
cuMemPoolImportPointer 11020 ptr_out:u64* pool:memorypool_h shareData:CUmemPoolPtrExportData*

# Memory: virtual memory management
cuMemAddressReserve 10020 ptr:u64* size:size alignment:size addr:u64 flags:u64
cuMemAddressFree 10020 ptr:u64 size:size
cuMemCreate 10020 handle:u64* size:size prop:CUmemAllocationProp* flags:u64
cuMemRelease 10020 handle:u64
cuMemMap 10020 ptr:u64 size:size offset:size handle:u64 flags:u64
cuMemUnmap 10020 ptr:u64 size:size
cuMemSetAccess 10020 ptr:u64 size:size desc:CUmemAccessDesc* count:size
cuMemGetAccess 10020 flags:u64* location:CUmemLocation* ptr:u64
cuMemGetAllocationGranularity 10020 granularity:size* prop:CUmemAllocationProp* option:enum
cuMemGetAllocationPropertiesFromHandle 10020 prop:CUmemAllocationProp* handle:u64
cuMemExportToShareableHandle 10020 shareableHandle:ptr handle:u64 handleType:enum flags:u64
cuMemImportFromShareableHandle 10020 handle:u64* osHandle:ptr shHandleType:enum
cuMemRetainAllocationHandle 11000 handle:u64* addr:ptr

# Memory: copy and set
cuMemcpy 4000 ptds/7000 dst:u64 src:u64 ByteCount:size
cuMemcpyAsync 4000 ptsz/7000 dst:u64 src:u64 ByteCount:size hStream:stream_h
cuMemcpyHtoD_v2 3020 ptds/7000 dstDevice:u64 srcHost:ptr ByteCount:size
cuMemcpyDtoH_v2 3020 ptds/7000 dstHost:ptr srcDevice:u64 ByteCount:size
cuMemcpyDtoD_v2 3020 ptds/7000 dstDevice:u64 srcDevice:u64 ByteCount:size
cuMemcpyHtoDAsync_v2 3020 ptsz/7000 dstDevice:u64 srcHost:ptr ByteCount:size hStream:stream_h
cuMemcpyDtoHAsync_v2 3020 ptsz/7000 dstHost:ptr srcDevice:u64 ByteCount:size hStream:stream_h
cuMemcpyDtoDAsync_v2 3020 ptsz/7000 dstDevice:u64 srcDevice:u64 ByteCount:size hStream:stream_h
cuMemcpy2D_v2 3020 ptds/7000 pCopy:CUDA_MEMCPY2D*
cuMemcpy2DUnaligned_v2 3020 ptds/7000 pCopy:CUDA_MEMCPY2D*
cuMemcpy2DAsync_v2 3020 ptsz/7000 pCopy:CUDA_MEMCPY2D* hStream:stream_h
cuMemcpy3D_v2 3020 ptds/7000 pCopy:CUDA_MEMCPY3D*
cuMemcpy3DAsync_v2 3020 ptsz/7000 pCopy:CUDA_MEMCPY3D* hStream:stream_h
cuMemcpyPeer 4000 ptds/7000 dstDevice:u64 dstContext:context_h srcDevice:u64 srcContext:context_h ByteCount:size
cuMemcpyPeerAsync 4000 ptsz/7000 dstDevice:u64 dstContext:context_h srcDevice:u64 srcContext:context_h ByteCount:size
    hStream:stream_h
# the 12.8 form had one more argument (failIdx)
cuMemcpyBatchAsync_v2 13000 ptsz dsts:u64* srcs:u64* sizes:size* count:size attrs:CUmemcpyAttributes* attrIdxs:size*
    numAttrs:size hStream:stream_h
# failIdx: the copy that was refused, or SIZE_MAX where it is none of them
cuMemcpyBatchAsync 12080 ptsz dsts:u64* srcs:u64* sizes:size* count:size attrs:CUmemcpyAttributes* attrIdxs:size*
    numAttrs:size failIdx:size* hStream:stream_h
cuMemsetD8_v2 3020 ptds/7000 dstDevice:u64 uc:u8 N:size
cuMemsetD16_v2 3020 ptds/7000 dstDevice:u64 us:u16 N:size
cuMemsetD32_v2 3020 ptds/7000 dstDevice:u64 ui:u32 N:size
cuMemsetD8Async 3020 ptsz/7000 dstDevice:u64 uc:u8 N:size hStream:stream_h
cuMemsetD16Async 3020 ptsz/7000 dstDevice:u64 us:u16 N:size hStream:stream_h
cuMemsetD32Async 3020 ptsz/7000 dstDevice:u64 ui:u32 N:size hStream:stream_h
cuMemsetD2D8Async 3020 ptsz/7000 dstDevice:u64 dstPitch:size uc:u8 Width:size Height:size hStream:stream_h
cuMemsetD2D16Async 3020 ptsz/7000 dstDevice:u64 dstPitch:size us:u16 Width:size Height:size hStream:stream_h
cuMemsetD2D32Async 3020 ptsz/7000 dstDevice:u64 dstPitch:size ui:u32 Width:size Height:size hStream:stream_h

# Streams and events
cuStreamCreate 2000 phStream:stream_h* Flags:u32
cuStreamCreateWithPriority 5050 phStream:stream_h* flags:u32 priority:i32
cuStreamDestroy_v2 4000 hStream:stream_h
cuStreamSynchronize 2000 ptsz/7000 hStream:stream_h
cuStreamQuery 2000 ptsz/7000 hStream:stream_h
cuStreamWaitEvent 3020 ptsz/7000 hStream:stream_h hEvent:event_h Flags:u32
# the 12.5 form has one more argument (green context)
cuStreamGetCtx 9020 ptsz hStream:stream_h pctx:context_h*
cuStreamGetPriority 5050 ptsz/7000 hStream:stream_h priority:i32*
cuStreamGetFlags 5050 ptsz/7000 hStream:stream_h flags:u32*
cuStreamGetId 12000 ptsz hStream:stream_h streamId:u64*
cuStreamGetDevice 12080 ptsz hStream:stream_h device:dev*
cuStreamGetAttribute 11000 ptsz hStream:stream_h attr:enum value:CUstreamAttrValue*
cuStreamSetAttribute 11000 ptsz hStream:stream_h attr:enum param:CUstreamAttrValue*
cuStreamCopyAttributes 11000 ptsz dstStream:stream_h srcStream:stream_h
cuStreamAddCallback 5000 ptsz/7000 hStream:stream_h callback:fnptr<CUstreamCallback> userData:ptr flags:u32
cuLaunchHostFunc 10000 ptsz hStream:stream_h fn:fnptr<CUhostFn> userData:ptr
# syncMode 0 blocks, 1 spins
cuLaunchHostFunc_v2 13020 ptsz hStream:stream_h fn:fnptr<CUhostFn> userData:ptr syncMode:u32
cuStreamAttachMemAsync 6000 ptsz/7000 hStream:stream_h dptr:u64 length:size flags:u32
cuStreamWaitValue32_v2 11070 ptsz stream:stream_h addr:u64 value:u32 flags:u32
cuStreamWriteValue32_v2 11070 ptsz stream:stream_h addr:u64 value:u32 flags:u32
cuStreamWaitValue64_v2 11070 ptsz stream:stream_h addr:u64 value:u64 flags:u32
cuStreamWriteValue64_v2 11070 ptsz stream:stream_h addr:u64 value:u64 flags:u32
cuStreamBatchMemOp_v2 11070 ptsz stream:stream_h count:u32 paramArray:CUstreamBatchMemOpParams* flags:u32
cuEventCreate 2000 phEvent:event_h* Flags:u32
cuEventDestroy_v2 4000 hEvent:event_h
cuEventRecord 2000 ptsz/7000 hEvent:event_h hStream:stream_h
cuEventRecordWithFlags 11010 ptsz hEvent:event_h hStream:stream_h flags:u32
cuEventQuery 2000 hEvent:event_h
cuEventSynchronize 2000 hEvent:event_h
cuEventElapsedTime_v2 12080 pMilliseconds:f32* hStart:event_h hEnd:event_h
cuEventElapsedTime 2000 pMilliseconds:f32* hStart:event_h hEnd:event_h

# External semaphores: fences of another API, imported
cuImportExternalSemaphore 10000 extSem_out:externalsemaphore_h* semHandleDesc:CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC*
cuDestroyExternalSemaphore 10000 extSem:externalsemaphore_h
cuSignalExternalSemaphoresAsync 10000 ptsz extSemArray:externalsemaphore_h*
    paramsArray:CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* numExtSems:u32 stream:stream_h
cuWaitExternalSemaphoresAsync 10000 ptsz extSemArray:externalsemaphore_h*
    paramsArray:CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* numExtSems:u32 stream:stream_h

# Stream capture
# the 10.0 form has no mode
cuStreamBeginCapture_v2 10010 ptsz hStream:stream_h mode:enum
# without a mode: global
cuStreamBeginCapture 10000 ptsz hStream:stream_h
cuStreamBeginCaptureToGraph 12030 ptsz hStream:stream_h hGraph:graph_h dependencies:graphnode_h*
    dependencyData:CUgraphEdgeData* numDependencies:size mode:enum
cuStreamEndCapture 10000 ptsz hStream:stream_h phGraph:graph_h*
cuStreamIsCapturing 10000 ptsz hStream:stream_h captureStatus:enum*
cuStreamGetCaptureInfo_v3 12030 ptsz hStream:stream_h captureStatus_out:enum* id_out:u64* graph_out:graph_h*
    dependencies_out:graphnode_h** edgeData_out:CUgraphEdgeData** numDependencies_out:size*
cuStreamGetCaptureInfo_v2 11030 ptsz hStream:stream_h captureStatus_out:enum* id_out:u64* graph_out:graph_h*
    dependencies_out:graphnode_h** numDependencies_out:size*
cuStreamGetCaptureInfo 10010 ptsz hStream:stream_h captureStatus_out:enum* id_out:u64*
cuStreamUpdateCaptureDependencies_v2 12030 ptsz hStream:stream_h dependencies:graphnode_h*
    dependencyData:CUgraphEdgeData* numDependencies:size flags:u32
cuStreamUpdateCaptureDependencies 11030 ptsz hStream:stream_h dependencies:graphnode_h* numDependencies:size flags:u32
cuThreadExchangeStreamCaptureMode 10010 mode:enum*
cuStreamBeginRecaptureToGraph 13030 hStream:stream_h mode:enum hGraph:graph_h
    callbackFunc:fnptr<CUgraphRecaptureCallback> userData:ptr

# Launch
cuLaunchKernel 4000 ptsz/7000 f:function_h gridDimX:u32 gridDimY:u32 gridDimZ:u32 blockDimX:u32 blockDimY:u32
    blockDimZ:u32 sharedMemBytes:u32 hStream:stream_h kernelParams:void** extra:void**
cuLaunchKernelEx 11060 ptsz config:CUlaunchConfig* f:function_h kernelParams:void** extra:void**
cuLaunchCooperativeKernel 9000 ptsz f:function_h gridDimX:u32 gridDimY:u32 gridDimZ:u32 blockDimX:u32 blockDimY:u32
    blockDimZ:u32 sharedMemBytes:u32 hStream:stream_h kernelParams:void**

# Occupancy
cuOccupancyMaxActiveBlocksPerMultiprocessor 6050 numBlocks:i32* func:function_h blockSize:i32 dynamicSMemSize:size
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags 7000 numBlocks:i32* func:function_h blockSize:i32
    dynamicSMemSize:size flags:u32
# pass no Python callback: the driver calls it under a lock (deadlock with the GIL)
cuOccupancyMaxPotentialBlockSize 6050 minGridSize:i32* blockSize:i32* func:function_h
    blockSizeToDynamicSMemSize:fnptr<CUoccupancyB2DSize> dynamicSMemSize:size blockSizeLimit:i32
cuOccupancyMaxPotentialBlockSizeWithFlags 7000 minGridSize:i32* blockSize:i32* func:function_h
    blockSizeToDynamicSMemSize:fnptr<CUoccupancyB2DSize> dynamicSMemSize:size blockSizeLimit:i32 flags:u32
cuOccupancyAvailableDynamicSMemPerBlock 10020 dynamicSmemSize:size* func:function_h numBlocks:i32 blockSize:i32
cuOccupancyMaxPotentialClusterSize 11070 clusterSize:i32* func:function_h config:CUlaunchConfig*
cuOccupancyMaxActiveClusters 11070 numClusters:i32* func:function_h config:CUlaunchConfig*

# Graphs: build
cuGraphCreate 10000 phGraph:graph_h* flags:u32
cuGraphDestroy 10000 hGraph:graph_h
cuGraphClone 10000 phGraphClone:graph_h* originalGraph:graph_h
cuGraphNodeFindInClone 10000 phNode:graphnode_h* hOriginalNode:graphnode_h hClonedGraph:graph_h
cuGraphDestroyNode 10000 hNode:graphnode_h
# dependencyData may be NULL
cuGraphAddNode_v2 12030 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h*
    dependencyData:CUgraphEdgeData* numDependencies:size nodeParams:CUgraphNodeParams*
cuGraphAddNode 12020 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    nodeParams:CUgraphNodeParams*
# host, event and semaphore params grew (ctx, gCtx, syncMode)
cuGraphAddNode_v3 13041 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h*
    dependencyData:CUgraphEdgeData* numDependencies:size nodeParams:CUgraphNodeParams*
# 72-byte params
cuGraphAddKernelNode_v2 12000 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    nodeParams:CUDA_KERNEL_NODE_PARAMS*
# 56-byte params
cuGraphAddKernelNode 10000 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    nodeParams:CUDA_KERNEL_NODE_PARAMS*
cuGraphAddMemcpyNode 10000 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    copyParams:CUDA_MEMCPY3D* ctx:context_h
# 40-byte params and the context beside them
cuGraphAddMemsetNode 10000 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    memsetParams:CUDA_MEMSET_NODE_PARAMS* ctx:context_h
cuGraphAddHostNode 10000 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    nodeParams:CUDA_HOST_NODE_PARAMS*
cuGraphAddChildGraphNode 10000 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    childGraph:graph_h
cuGraphAddEmptyNode 10000 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
cuGraphAddEventRecordNode 11010 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    event:event_h
cuGraphAddEventWaitNode 11010 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    event:event_h
cuGraphAddMemAllocNode 11040 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    nodeParams:CUDA_MEM_ALLOC_NODE_PARAMS*
cuGraphAddMemFreeNode 11040 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    dptr:u64
cuGraphAddBatchMemOpNode 11070 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h* numDependencies:size
    nodeParams:CUDA_BATCH_MEM_OP_NODE_PARAMS*
cuGraphAddExternalSemaphoresSignalNode 11020 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h*
    numDependencies:size nodeParams:CUDA_EXT_SEM_SIGNAL_NODE_PARAMS*
cuGraphAddExternalSemaphoresWaitNode 11020 phGraphNode:graphnode_h* hGraph:graph_h dependencies:graphnode_h*
    numDependencies:size nodeParams:CUDA_EXT_SEM_WAIT_NODE_PARAMS*
cuGraphConditionalHandleCreate 12030 pHandle_out:u64* hGraph:graph_h ctx:context_h defaultLaunchValue:u32 flags:u32
cuGraphAddDependencies_v2 12030 hGraph:graph_h from:graphnode_h* to:graphnode_h* edgeData:CUgraphEdgeData*
    numDependencies:size
cuGraphAddDependencies 10000 hGraph:graph_h from:graphnode_h* to:graphnode_h* numDependencies:size
cuGraphRemoveDependencies_v2 12030 hGraph:graph_h from:graphnode_h* to:graphnode_h* edgeData:CUgraphEdgeData*
    numDependencies:size
cuGraphRemoveDependencies 10000 hGraph:graph_h from:graphnode_h* to:graphnode_h* numDependencies:size

# Graphs: inspect
cuGraphGetNodes 10000 hGraph:graph_h nodes:graphnode_h* numNodes:size*
cuGraphGetRootNodes 10000 hGraph:graph_h rootNodes:graphnode_h* numRootNodes:size*
cuGraphGetEdges_v2 12030 hGraph:graph_h from:graphnode_h* to:graphnode_h* edgeData:CUgraphEdgeData* numEdges:size*
cuGraphGetEdges 10000 hGraph:graph_h from:graphnode_h* to:graphnode_h* numEdges:size*
cuGraphNodeGetType 10000 hNode:graphnode_h type:enum*
cuGraphNodeGetDependencies_v2 12030 hNode:graphnode_h dependencies:graphnode_h* edgeData:CUgraphEdgeData*
    numDependencies:size*
cuGraphNodeGetDependencies 10000 hNode:graphnode_h dependencies:graphnode_h* numDependencies:size*
cuGraphNodeGetDependentNodes_v2 12030 hNode:graphnode_h dependentNodes:graphnode_h* edgeData:CUgraphEdgeData*
    numDependentNodes:size*
cuGraphNodeGetDependentNodes 10000 hNode:graphnode_h dependentNodes:graphnode_h* numDependentNodes:size*
cuGraphKernelNodeGetParams_v2 12000 hNode:graphnode_h nodeParams:CUDA_KERNEL_NODE_PARAMS*
cuGraphKernelNodeSetParams_v2 12000 hNode:graphnode_h nodeParams:CUDA_KERNEL_NODE_PARAMS*
# 56-byte params
cuGraphKernelNodeGetParams 10000 hNode:graphnode_h nodeParams:CUDA_KERNEL_NODE_PARAMS*
cuGraphKernelNodeSetParams 10000 hNode:graphnode_h nodeParams:CUDA_KERNEL_NODE_PARAMS*
cuGraphKernelNodeGetAttribute 11000 hNode:graphnode_h attr:enum value_out:CUkernelNodeAttrValue*
cuGraphKernelNodeSetAttribute 11000 hNode:graphnode_h attr:enum value:CUkernelNodeAttrValue*
cuGraphKernelNodeCopyAttributes 11000 dst:graphnode_h src:graphnode_h
cuGraphMemcpyNodeGetParams 10000 hNode:graphnode_h nodeParams:CUDA_MEMCPY3D*
cuGraphMemcpyNodeSetParams 10000 hNode:graphnode_h nodeParams:CUDA_MEMCPY3D*
cuGraphMemsetNodeGetParams 10000 hNode:graphnode_h nodeParams:CUDA_MEMSET_NODE_PARAMS*
cuGraphMemsetNodeSetParams 10000 hNode:graphnode_h nodeParams:CUDA_MEMSET_NODE_PARAMS*
cuGraphHostNodeGetParams 10000 hNode:graphnode_h nodeParams:CUDA_HOST_NODE_PARAMS*
cuGraphHostNodeSetParams 10000 hNode:graphnode_h nodeParams:CUDA_HOST_NODE_PARAMS*
cuGraphChildGraphNodeGetGraph 10000 hNode:graphnode_h phGraph:graph_h*
cuGraphEventRecordNodeGetEvent 11010 hNode:graphnode_h event_out:event_h*
cuGraphEventRecordNodeSetEvent 11010 hNode:graphnode_h event:event_h
cuGraphEventWaitNodeGetEvent 11010 hNode:graphnode_h event_out:event_h*
cuGraphEventWaitNodeSetEvent 11010 hNode:graphnode_h event:event_h
cuGraphMemAllocNodeGetParams 11040 hNode:graphnode_h params_out:CUDA_MEM_ALLOC_NODE_PARAMS*
cuGraphMemFreeNodeGetParams 11040 hNode:graphnode_h dptr_out:u64*
cuGraphBatchMemOpNodeGetParams 11070 hNode:graphnode_h nodeParams_out:CUDA_BATCH_MEM_OP_NODE_PARAMS*
cuGraphBatchMemOpNodeSetParams 11070 hNode:graphnode_h nodeParams:CUDA_BATCH_MEM_OP_NODE_PARAMS*
cuGraphExternalSemaphoresSignalNodeGetParams 11020 hNode:graphnode_h params_out:CUDA_EXT_SEM_SIGNAL_NODE_PARAMS*
cuGraphExternalSemaphoresSignalNodeSetParams 11020 hNode:graphnode_h nodeParams:CUDA_EXT_SEM_SIGNAL_NODE_PARAMS*
cuGraphExternalSemaphoresWaitNodeGetParams 11020 hNode:graphnode_h params_out:CUDA_EXT_SEM_WAIT_NODE_PARAMS*
cuGraphExternalSemaphoresWaitNodeSetParams 11020 hNode:graphnode_h nodeParams:CUDA_EXT_SEM_WAIT_NODE_PARAMS*
cuGraphNodeSetParams 12020 hNode:graphnode_h nodeParams:CUgraphNodeParams*
cuGraphNodeSetParams_v2 13041 hNode:graphnode_h nodeParams:CUgraphNodeParams*
cuGraphNodeGetParams 13020 hNode:graphnode_h nodeParams:CUgraphNodeParams*
cuGraphGetId 13010 hGraph:graph_h graphId:u32*
cuGraphExecGetId 13010 hGraphExec:graphexec_h graphId:u32*
cuGraphNodeGetLocalId 13010 hNode:graphnode_h nodeId:u32*
cuGraphNodeGetToolsId 13010 hNode:graphnode_h toolsNodeId:u64*
cuGraphNodeGetContainingGraph 13010 hNode:graphnode_h phGraph:graph_h*
cuGraphDebugDotPrint 11030 hGraph:graph_h path:cstr flags:u32

# Graphs: instantiate, launch, update
cuGraphInstantiateWithFlags 11040 phGraphExec:graphexec_h* hGraph:graph_h flags:u64
cuGraphInstantiateWithParams 12000 ptsz phGraphExec:graphexec_h* hGraph:graph_h
    instantiateParams:CUDA_GRAPH_INSTANTIATE_PARAMS*
cuGraphInstantiate_v2 11000 phGraphExec:graphexec_h* hGraph:graph_h phErrorNode:graphnode_h* logBuffer:char*
    bufferSize:size
cuGraphExecGetFlags 12000 hGraphExec:graphexec_h flags:u64*
cuGraphUpload 11010 ptsz hGraph:graphexec_h hStream:stream_h
cuGraphLaunch 10000 ptsz hGraph:graphexec_h hStream:stream_h
cuGraphExecDestroy 10000 hGraphExec:graphexec_h
# result in a 24-byte struct
cuGraphExecUpdate_v2 12000 hGraphExec:graphexec_h hGraph:graph_h resultInfo:CUgraphExecUpdateResultInfo*
cuGraphExecUpdate 10020 hGraphExec:graphexec_h hGraph:graph_h hErrorNode_out:graphnode_h* updateResult_out:enum*
cuGraphExecNodeSetParams 12020 hGraphExec:graphexec_h hNode:graphnode_h nodeParams:CUgraphNodeParams*
cuGraphExecKernelNodeSetParams_v2 12000 hGraphExec:graphexec_h hNode:graphnode_h nodeParams:CUDA_KERNEL_NODE_PARAMS*
# 56-byte params
cuGraphExecKernelNodeSetParams 10010 hGraphExec:graphexec_h hNode:graphnode_h nodeParams:CUDA_KERNEL_NODE_PARAMS*
cuGraphExecMemcpyNodeSetParams 10020 hGraphExec:graphexec_h hNode:graphnode_h copyParams:CUDA_MEMCPY3D* ctx:context_h
cuGraphExecMemsetNodeSetParams 10020 hGraphExec:graphexec_h hNode:graphnode_h memsetParams:CUDA_MEMSET_NODE_PARAMS*
    ctx:context_h
cuGraphExecHostNodeSetParams 10020 hGraphExec:graphexec_h hNode:graphnode_h nodeParams:CUDA_HOST_NODE_PARAMS*
cuGraphExecChildGraphNodeSetParams 11010 hGraphExec:graphexec_h hNode:graphnode_h childGraph:graph_h
cuGraphExecEventRecordNodeSetEvent 11010 hGraphExec:graphexec_h hNode:graphnode_h event:event_h
cuGraphExecEventWaitNodeSetEvent 11010 hGraphExec:graphexec_h hNode:graphnode_h event:event_h
cuGraphExecBatchMemOpNodeSetParams 11070 graphExec:graphexec_h node:graphnode_h
    nodeParams:CUDA_BATCH_MEM_OP_NODE_PARAMS*
cuGraphExecExternalSemaphoresSignalNodeSetParams 11020 hGraphExec:graphexec_h hNode:graphnode_h
    nodeParams:CUDA_EXT_SEM_SIGNAL_NODE_PARAMS*
cuGraphExecExternalSemaphoresWaitNodeSetParams 11020 hGraphExec:graphexec_h hNode:graphnode_h
    nodeParams:CUDA_EXT_SEM_WAIT_NODE_PARAMS*
cuGraphNodeSetEnabled 11060 hGraphExec:graphexec_h hNode:graphnode_h isEnabled:u32
cuGraphNodeGetEnabled 11060 hGraphExec:graphexec_h hNode:graphnode_h isEnabled:u32*

# User objects (lifetime of things referenced by graphs)
cuUserObjectCreate 11030 object_out:userobject_h* ptr:ptr destroy:fnptr<CUhostFn> initialRefcount:u32 flags:u32
cuUserObjectRetain 11030 object:userobject_h count:u32
cuUserObjectRelease 11030 object:userobject_h count:u32
cuGraphRetainUserObject 11030 graph:graph_h object:userobject_h count:u32 flags:u32
cuGraphReleaseUserObject 11030 graph:graph_h object:userobject_h count:u32

# IPC
cuIpcGetMemHandle 4010 pHandle:CUipcMemHandle* dptr:u64
# handle by value, 64 bytes
cuIpcOpenMemHandle_v2 11000 pdptr:u64* handle:CUipcMemHandle Flags:u32
cuIpcCloseMemHandle 4010 dptr:u64
cuIpcGetEventHandle 4010 pHandle:CUipcEventHandle* event:event_h
# handle by value, 64 bytes
cuIpcOpenEventHandle 4010 phEvent:event_h* handle:CUipcEventHandle

# Tensor maps (TMA)
cuTensorMapEncodeTiled 12000 tensorMap:CUtensorMap* tensorDataType:enum tensorRank:u32 globalAddress:ptr globalDim:u64*
    globalStrides:u64* boxDim:u32* elementStrides:u32* interleave:enum swizzle:enum l2Promotion:enum oobFill:enum
cuTensorMapEncodeIm2col 12000 tensorMap:CUtensorMap* tensorDataType:enum tensorRank:u32 globalAddress:ptr globalDim:u64*
    globalStrides:u64* pixelBoxLowerCorner:i32* pixelBoxUpperCorner:i32* channelsPerPixel:u32 pixelsPerColumn:u32
    elementStrides:u32* interleave:enum swizzle:enum l2Promotion:enum oobFill:enum
cuTensorMapEncodeIm2colWide 12080 tensorMap:CUtensorMap* tensorDataType:enum tensorRank:u32 globalAddress:ptr
    globalDim:u64* globalStrides:u64* pixelBoxLowerCornerWidth:i32 pixelBoxUpperCornerWidth:i32 channelsPerPixel:u32
    pixelsPerColumn:u32 elementStrides:u32* interleave:enum mode:enum swizzle:enum l2Promotion:enum oobFill:enum
cuTensorMapReplaceAddress 12000 tensorMap:CUtensorMap* globalAddress:ptr

# Profiler / logs / green contexts
cuProfilerStart 4000
cuProfilerStop 4000
cuLogsRegisterCallback 12090 callbackFunc:fnptr<CUlogsCallback> userData:ptr callback:logscallbackhandle_h*
cuLogsUnregisterCallback 12090 callback:logscallbackhandle_h
cuLogsCurrent 12090 iterator:u32* flags:u32
cuLogsDumpToFile 12090 iterator:u32* pathToFile:cstr flags:u32
cuLogsDumpToMemory 12090 iterator:u32* buffer:char* size:size* flags:u32
cuDeviceGetDevResource 12040 dev:dev result:CUdevResource* type:enum
cuDevSmResourceSplitByCount 12040 result:CUdevResource* nbGroups:u32* input:CUdevResource* remaining:CUdevResource*
    useFlags:u32 minCount:u32
cuDevResourceGenerateDesc 12040 phDesc:devresourcedesc_h* resources:CUdevResource* nbResources:u32
cuGreenCtxCreate 12040 phCtx:greenctx_h* desc:devresourcedesc_h dev:dev flags:u32
cuGreenCtxDestroy 12040 hCtx:greenctx_h
cuCtxFromGreenCtx 12040 pContext:context_h* hCtx:greenctx_h
cuGreenCtxStreamCreate 12050 phStream:stream_h* greenCtx:greenctx_h flags:u32 priority:i32

# Arrays and mipmapped arrays
cuArray3DCreate_v2 3020 pHandle:array_h* pAllocateArray:CUDA_ARRAY3D_DESCRIPTOR*
cuArray3DGetDescriptor_v2 3020 pArrayDescriptor:CUDA_ARRAY3D_DESCRIPTOR* hArray:array_h
cuArrayCreate_v2 3020 pHandle:array_h* pAllocateArray:CUDA_ARRAY_DESCRIPTOR*
cuArrayDestroy 2000 hArray:array_h
cuArrayGetDescriptor_v2 3020 pArrayDescriptor:CUDA_ARRAY_DESCRIPTOR* hArray:array_h
cuArrayGetMemoryRequirements 11060 memoryRequirements:CUDA_ARRAY_MEMORY_REQUIREMENTS* array:array_h device:dev
cuArrayGetPlane 11020 pPlaneArray:array_h* hArray:array_h planeIdx:u32
cuArrayGetSparseProperties 11010 sparseProperties:CUDA_ARRAY_SPARSE_PROPERTIES* array:array_h
cuMipmappedArrayCreate 5000 pHandle:mipmappedarray_h* pMipmappedArrayDesc:CUDA_ARRAY3D_DESCRIPTOR* numMipmapLevels:u32
cuMipmappedArrayDestroy 5000 hMipmappedArray:mipmappedarray_h
cuMipmappedArrayGetLevel 5000 pLevelArray:array_h* hMipmappedArray:mipmappedarray_h level:u32
cuMipmappedArrayGetMemoryRequirements 11060 memoryRequirements:CUDA_ARRAY_MEMORY_REQUIREMENTS* mipmap:mipmappedarray_h
    device:dev
cuMipmappedArrayGetSparseProperties 11010 sparseProperties:CUDA_ARRAY_SPARSE_PROPERTIES* mipmap:mipmappedarray_h

# Texture and surface objects
cuSurfObjectCreate 5000 pSurfObject:u64* pResDesc:CUDA_RESOURCE_DESC*
cuSurfObjectDestroy 5000 surfObject:u64
cuSurfObjectGetResourceDesc 5000 pResDesc:CUDA_RESOURCE_DESC* surfObject:u64
cuTexObjectCreate 5000 pTexObject:u64* pResDesc:CUDA_RESOURCE_DESC* pTexDesc:CUDA_TEXTURE_DESC*
    pResViewDesc:CUDA_RESOURCE_VIEW_DESC*
cuTexObjectDestroy 5000 texObject:u64
cuTexObjectGetResourceDesc 5000 pResDesc:CUDA_RESOURCE_DESC* texObject:u64
cuTexObjectGetResourceViewDesc 5000 pResViewDesc:CUDA_RESOURCE_VIEW_DESC* texObject:u64
cuTexObjectGetTextureDesc 5000 pTexDesc:CUDA_TEXTURE_DESC* texObject:u64

# Texture and surface references (deprecated)
cuModuleGetSurfRef 3000 pSurfRef:surfref_h* hmod:module_h name:cstr
cuModuleGetTexRef 2000 pTexRef:texref_h* hmod:module_h name:cstr
cuParamSetTexRef 2000 hfunc:function_h texunit:i32 hTexRef:texref_h
cuSurfRefGetArray 3000 phArray:array_h* hSurfRef:surfref_h
cuSurfRefSetArray 3000 hSurfRef:surfref_h hArray:array_h Flags:u32
cuTexRefCreate 2000 pTexRef:texref_h*
cuTexRefDestroy 2000 hTexRef:texref_h
cuTexRefGetAddressMode 2000 pam:enum* hTexRef:texref_h dim:i32
cuTexRefGetAddress_v2 3020 pdptr:u64* hTexRef:texref_h
cuTexRefGetArray 2000 phArray:array_h* hTexRef:texref_h
cuTexRefGetBorderColor 8000 pBorderColor:f32* hTexRef:texref_h
cuTexRefGetFilterMode 2000 pfm:enum* hTexRef:texref_h
cuTexRefGetFlags 2000 pFlags:u32* hTexRef:texref_h
cuTexRefGetFormat 2000 pFormat:enum* pNumChannels:i32* hTexRef:texref_h
cuTexRefGetMaxAnisotropy 5000 pmaxAniso:i32* hTexRef:texref_h
cuTexRefGetMipmapFilterMode 5000 pfm:enum* hTexRef:texref_h
cuTexRefGetMipmapLevelBias 5000 pbias:f32* hTexRef:texref_h
cuTexRefGetMipmapLevelClamp 5000 pminMipmapLevelClamp:f32* pmaxMipmapLevelClamp:f32* hTexRef:texref_h
cuTexRefGetMipmappedArray 5000 phMipmappedArray:mipmappedarray_h* hTexRef:texref_h
cuTexRefSetAddress2D_v3 4010 hTexRef:texref_h desc:CUDA_ARRAY_DESCRIPTOR* dptr:u64 Pitch:size
cuTexRefSetAddressMode 2000 hTexRef:texref_h dim:i32 am:enum
cuTexRefSetAddress_v2 3020 ByteOffset:size* hTexRef:texref_h dptr:u64 bytes:size
cuTexRefSetArray 2000 hTexRef:texref_h hArray:array_h Flags:u32
cuTexRefSetBorderColor 8000 hTexRef:texref_h pBorderColor:f32*
cuTexRefSetFilterMode 2000 hTexRef:texref_h fm:enum
cuTexRefSetFlags 2000 hTexRef:texref_h Flags:u32
cuTexRefSetFormat 2000 hTexRef:texref_h fmt:enum NumPackedComponents:i32
cuTexRefSetMaxAnisotropy 5000 hTexRef:texref_h maxAniso:u32
cuTexRefSetMipmapFilterMode 5000 hTexRef:texref_h fm:enum
cuTexRefSetMipmapLevelBias 5000 hTexRef:texref_h bias:f32
cuTexRefSetMipmapLevelClamp 5000 hTexRef:texref_h minMipmapLevelClamp:f32 maxMipmapLevelClamp:f32
cuTexRefSetMipmappedArray 5000 hTexRef:texref_h hMipmappedArray:mipmappedarray_h Flags:u32

# Copies to and from arrays, between contexts, in batches; fills of rows
cuMemcpy3DBatchAsync_v2 13000 ptsz numParams:size opList:CUDA_MEMCPY3D_BATCH_OP* flags:u64 hStream:stream_h
cuMemcpy3DBatchAsync 12080 ptsz numParams:size opList:CUDA_MEMCPY3D_BATCH_OP* failIdx:size* flags:u64 hStream:stream_h
cuMemcpy3DPeer 4000 ptds/7000 pCopy:CUDA_MEMCPY3D_PEER*
cuMemcpy3DPeerAsync 4000 ptsz/7000 pCopy:CUDA_MEMCPY3D_PEER* hStream:stream_h
cuMemcpyAtoA_v2 3020 ptds/7000 dstArray:array_h dstOffset:size srcArray:array_h srcOffset:size ByteCount:size
cuMemcpyAtoD_v2 3020 ptds/7000 dstDevice:u64 srcArray:array_h srcOffset:size ByteCount:size
cuMemcpyAtoHAsync_v2 3020 ptsz/7000 dstHost:ptr srcArray:array_h srcOffset:size ByteCount:size hStream:stream_h
cuMemcpyAtoH_v2 3020 ptds/7000 dstHost:ptr srcArray:array_h srcOffset:size ByteCount:size
cuMemcpyDtoA_v2 3020 ptds/7000 dstArray:array_h dstOffset:size srcDevice:u64 ByteCount:size
cuMemcpyHtoAAsync_v2 3020 ptsz/7000 dstArray:array_h dstOffset:size srcHost:ptr ByteCount:size hStream:stream_h
cuMemcpyHtoA_v2 3020 ptds/7000 dstArray:array_h dstOffset:size srcHost:ptr ByteCount:size
cuMemsetD2D16_v2 3020 ptds/7000 dstDevice:u64 dstPitch:size us:u16 Width:size Height:size
cuMemsetD2D32_v2 3020 ptds/7000 dstDevice:u64 dstPitch:size ui:u32 Width:size Height:size
cuMemsetD2D8_v2 3020 ptds/7000 dstDevice:u64 dstPitch:size uc:u8 Width:size Height:size

# Memory: more
cuMemAdvise 8000 devPtr:u64 count:size advice:enum device:dev
cuMemBatchDecompressAsync 12060 ptsz paramsArray:CUmemDecompressParams* count:size flags:u32 errorIndex:size*
    stream:stream_h
cuMemDiscardAndPrefetchBatchAsync 13000 ptsz dptrs:u64* sizes:size* count:size prefetchLocs:CUmemLocation*
    prefetchLocIdxs:size* numPrefetchLocs:size flags:u64 hStream:stream_h
cuMemDiscardBatchAsync 13000 ptsz dptrs:u64* sizes:size* count:size flags:u64 hStream:stream_h
cuMemGetDefaultMemPool 13000 pool_out:memorypool_h* location:CUmemLocation* type:enum
cuMemGetHandleForAddressRange 11070 handle:ptr dptr:u64 size:size handleType:enum flags:u64
cuMemGetMemPool 13000 pool_out:memorypool_h* location:CUmemLocation* type:enum
cuMemMapArrayAsync 11010 ptsz mapInfoList:CUarrayMapInfo* count:u32 hStream:stream_h
cuMemPrefetchAsync 8000 ptsz devPtr:u64 count:size dstDevice:dev hStream:stream_h
cuMemPrefetchBatchAsync 13000 ptsz dptrs:u64* sizes:size* count:size prefetchLocs:CUmemLocation* prefetchLocIdxs:size*
    numPrefetchLocs:size flags:u64 hStream:stream_h
cuMemSetMemPool 13000 location:CUmemLocation* type:enum pool:memorypool_h

# Memory of other APIs
cuDestroyExternalMemory 10000 extMem:externalmemory_h
cuExternalMemoryGetMappedBuffer 10000 devPtr:u64* extMem:externalmemory_h bufferDesc:CUDA_EXTERNAL_MEMORY_BUFFER_DESC*
cuExternalMemoryGetMappedMipmappedArray 10000 mipmap:mipmappedarray_h* extMem:externalmemory_h
    mipmapDesc:CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC*
cuGraphicsMapResources 3000 ptsz/7000 count:u32 resources:graphicsresource_h* hStream:stream_h
cuGraphicsResourceGetMappedMipmappedArray 5000 pMipmappedArray:mipmappedarray_h* resource:graphicsresource_h
cuGraphicsResourceGetMappedPointer_v2 3020 pDevPtr:u64* pSize:size* resource:graphicsresource_h
cuGraphicsResourceSetMapFlags_v2 6050 resource:graphicsresource_h flags:u32
cuGraphicsSubResourceGetMappedArray 3000 pArray:array_h* resource:graphicsresource_h arrayIndex:u32 mipLevel:u32
cuGraphicsUnmapResources 3000 ptsz/7000 count:u32 resources:graphicsresource_h* hStream:stream_h
cuGraphicsUnregisterResource 3000 resource:graphicsresource_h
cuImportExternalMemory 10000 extMem_out:externalmemory_h* memHandleDesc:CUDA_EXTERNAL_MEMORY_HANDLE_DESC*

# Multicast
cuMulticastAddDevice 12010 mcHandle:u64 dev:dev
cuMulticastBindAddr 12010 mcHandle:u64 mcOffset:size memptr:u64 size:size flags:u64
cuMulticastBindMem 12010 mcHandle:u64 mcOffset:size memHandle:u64 memOffset:size size:size flags:u64
cuMulticastCreate 12010 mcHandle:u64* prop:CUmulticastObjectProp*
cuMulticastGetGranularity 12010 granularity:size* prop:CUmulticastObjectProp* option:enum
cuMulticastUnbind 12010 mcHandle:u64 dev:dev mcOffset:size size:size

# Checkpoints
cuCheckpointProcessCheckpoint 12080 pid:i32 args:CUcheckpointCheckpointArgs*
cuCheckpointProcessGetRestoreThreadId 12080 pid:i32 tid:i32*
cuCheckpointProcessGetState 12080 pid:i32 state:enum*
cuCheckpointProcessLock 12080 pid:i32 args:CUcheckpointLockArgs*
cuCheckpointProcessRestore 12080 pid:i32 args:CUcheckpointRestoreArgs*
cuCheckpointProcessUnlock 12080 pid:i32 args:CUcheckpointUnlockArgs*

# Devices, contexts, functions, streams: more
cuCtxAttach 2000 pctx:context_h* flags:u32
cuCtxDetach 2000 ctx:context_h
cuCtxGetExecAffinity 11040 pExecAffinity:CUexecAffinityParam* type:enum
cuCtxGetSharedMemConfig 4020 pConfig:enum*
cuCtxSetSharedMemConfig 4020 config:enum
cuDeviceComputeCapability 2000 major:i32* minor:i32* dev:dev
cuDeviceGetExecAffinitySupport 11040 pi:i32* type:enum dev:dev
cuDeviceGetHostAtomicCapabilities 13000 capabilities:u32* operations:enum* count:u32 dev:dev
cuDeviceGetNvSciSyncAttributes 10020 nvSciSyncAttrList:ptr dev:dev flags:i32
cuDeviceGetP2PAtomicCapabilities 13000 capabilities:u32* operations:enum* count:u32 srcDevice:dev dstDevice:dev
cuDeviceGetProperties 2000 prop:CUdevprop* dev:dev
cuFlushGPUDirectRDMAWrites 11030 target:enum scope:enum
cuFuncSetBlockShape 2000 hfunc:function_h x:i32 y:i32 z:i32
cuFuncSetSharedMemConfig 4020 hfunc:function_h config:enum
cuFuncSetSharedSize 2000 hfunc:function_h bytes:u32
cuLaunch 2000 f:function_h
cuLaunchCooperativeKernelMultiDevice 9000 launchParamsList:CUDA_LAUNCH_PARAMS* numDevices:u32 flags:u32
cuLaunchGrid 2000 f:function_h grid_width:i32 grid_height:i32
cuLaunchGridAsync 2000 f:function_h grid_width:i32 grid_height:i32 hStream:stream_h
cuParamSetSize 2000 hfunc:function_h numbytes:u32
cuParamSetf 2000 hfunc:function_h offset:i32 value:f32
cuParamSeti 2000 hfunc:function_h offset:i32 value:u32
cuParamSetv 2000 hfunc:function_h offset:i32 ptr:ptr numbytes:u32
cuStreamGetCtx_v2 12050 ptsz hStream:stream_h pctx:context_h* pGreenCtx:greenctx_h*
cuCtxGetDevResource 12040 hCtx:context_h resource:CUdevResource* type:enum
cuGreenCtxGetDevResource 12040 hCtx:greenctx_h resource:CUdevResource* type:enum
cuGreenCtxRecordEvent 12040 hCtx:greenctx_h hEvent:event_h
cuGreenCtxWaitEvent 12040 hCtx:greenctx_h hEvent:event_h
cuGreenCtxGetId 12090 greenCtx:greenctx_h greenCtxId:u64*
cuStreamGetGreenCtx 12040 hStream:stream_h phCtx:greenctx_h*
cuCoredumpGetAttribute 12010 attrib:enum value:ptr size:size*
cuCoredumpGetAttributeGlobal 12010 attrib:enum value:ptr size:size*
cuCoredumpSetAttribute 12010 attrib:enum value:ptr size:size*
cuCoredumpSetAttributeGlobal 12010 attrib:enum value:ptr size:size*
cuDeviceRegisterAsyncNotification 12040 device:dev callbackFunc:fnptr<CUasyncCallback> userData:ptr
    callback:asynccallback_h*
cuDeviceUnregisterAsyncNotification 12040 device:dev callback:asynccallback_h
"""

# Newer symbols whose older export has the same prototype: what a driver without the newer one is asked for.
SAME_PROTOTYPE = {"cuEventElapsedTime_v2": ("cuEventElapsedTime", 2000)}


class _Rows(Mapping[str, FunctionSpec]):
    """The table by symbol. A row is read when somebody asks for it: a process calls few of the functions."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._specs: dict[str, FunctionSpec] = {}

    def __getitem__(self, symbol: str) -> FunctionSpec:
        spec = self._specs.get(symbol)
        if spec is None:
            spec = self._specs[symbol] = _spec(self._row(symbol))
        return spec

    def __contains__(self, symbol: object) -> bool:
        return isinstance(symbol, str) and (symbol in self._specs or self._begin(symbol) >= 0)

    def __iter__(self) -> Iterator[str]:
        return iter([line.partition(" ")[0] for line in self._table.splitlines() if line and line[0] not in "# "])

    def __len__(self) -> int:
        return sum(1 for _symbol in self)

    def _begin(self, symbol: str) -> int:
        """The line break before its row; -1 where there is none."""
        return self._table.find(f"\n{symbol} ") if symbol.isidentifier() else -1

    def _row(self, symbol: str) -> str:
        """Its line, with those that go on with it."""
        begin = self._begin(symbol) + 1
        if not begin:
            raise KeyError(symbol)
        end = self._table.index("\n", begin)
        while self._table.startswith(" ", end + 1):
            end = self._table.index("\n", end + 1)
        return self._table[begin:end]


def _spec(row: str) -> FunctionSpec:
    symbol, version, *args = row.split()
    twin = args.pop(0) if args and args[0].startswith("pt") and ":" not in args[0] else ""
    suffix, _, ptds = twin.partition("/")
    name = symbol[:-3] if symbol[-3:-1] == "_v" else symbol
    pairs = tuple([(pair[0], pair[2]) for pair in [arg.partition(":") for arg in args]])
    return FunctionSpec(symbol, name, int(version), suffix, int(ptds or version) if suffix else 0, pairs)


FUNCTIONS: Mapping[str, FunctionSpec] = _Rows(_TABLE)


def _ctype(token: str) -> Any:
    if token.endswith(("*", "_h")) or token.startswith("fnptr<"):
        return ctypes.c_void_p  # takes None, an int, byref(...), an array, bytes, or a callback object
    if token in SCALARS:
        return SCALARS[token]
    return _structure(token)  # only few functions take one by value


def _pointee(token: str) -> Any:
    """The type of what a pointer points to; None where a structure of that name is not described."""
    inner = token[:-1]
    if inner.endswith(("*", "_h")) or inner == "void":
        return ctypes.c_char_p if inner == "char*" else ctypes.c_void_p
    if inner in SCALARS:
        return SCALARS[inner]
    return _structure(inner)


def _structure(name: str) -> Any:
    """None where it is not described. Those of launches are made without all others."""
    from driver_ctypes.abi import launch_structs

    found = getattr(launch_structs, name, None)
    if found is None:
        from driver_ctypes.abi import structs

        found = getattr(structs, name, None)
    return found


@cache
def parameter_types(symbol: str) -> tuple[Any, ...]:
    """The types of *symbol*'s parameters for a caller in Python: as `prototype` has them, but that a pointer is one to what
    it points to, so that ctypes refuses a ``byref`` of something else.
    """
    types = []
    for _name, token in FUNCTIONS[symbol].args:
        pointee = _pointee(token) if token.endswith("*") else None
        types.append(ctypes.POINTER(pointee) if pointee is not None else _ctype(token))
    return tuple(types)


@cache
def prototype(symbol: str) -> Any:
    """The CFUNCTYPE of *symbol*: returns a C int (CUresult) and releases the GIL during the call.

    It makes both directions: ``prototype(s)(address)`` calls a driver, ``prototype(s)(python_function)`` emulates one.
    Raises KeyError for a symbol that is not in the table.
    """
    return ctypes.CFUNCTYPE(ctypes.c_int, *[_ctype(token) for _, token in FUNCTIONS[symbol].args])
