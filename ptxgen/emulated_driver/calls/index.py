"""File of the emulated driver -> the driver functions that it has.

Written by tools/index_driver.py from the functions; do not edit.
"""

__all__ = ["INDEX"]

INDEX = {
    "contexts.context": """
        cuCtxCreate_v2 cuCtxCreate_v3 cuCtxCreate_v4 cuCtxDestroy_v2 cuCtxGetApiVersion cuCtxGetCacheConfig
        cuCtxGetCurrent cuCtxGetDevice cuCtxGetDevice_v2 cuCtxGetFlags cuCtxGetId cuCtxGetLimit cuCtxPopCurrent_v2
        cuCtxPushCurrent_v2 cuCtxResetPersistingL2Cache cuCtxSetCacheConfig cuCtxSetCurrent cuCtxSetFlags
        cuCtxSetLimit cuCtxSynchronize cuCtxSynchronize_v2 cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRelease_v2
        cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxRetain cuDevicePrimaryCtxSetFlags_v2
    """,
    "contexts.device_queries": """
        cuDeviceGet cuDeviceGetAttribute cuDeviceGetByPCIBusId cuDeviceGetCount cuDeviceGetName cuDeviceGetPCIBusId
        cuDeviceGetTexture1DLinearMaxWidth cuDeviceGetUuid_v2 cuDeviceTotalMem_v2 cuDriverGetVersion cuInit
        cuProfilerStart cuProfilerStop
    """,
    "contexts.notifications": """
        cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification
    """,
    "contexts.peer": """
        cuCtxDisablePeerAccess cuCtxEnablePeerAccess cuDeviceCanAccessPeer cuDeviceGetHostAtomicCapabilities
        cuDeviceGetP2PAtomicCapabilities cuDeviceGetP2PAttribute
    """,
    "export_tables": """
        cuGetExportTable
    """,
    "graphs.attributes": """
        cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeSetAttribute
    """,
    "graphs.conditionals": """
        cuGraphConditionalHandleCreate
    """,
    "graphs.drawing": """
        cuGraphDebugDotPrint
    """,
    "graphs.editing": """
        cuGraphAddDependencies cuGraphAddDependencies_v2 cuGraphClone cuGraphCreate cuGraphDestroy cuGraphDestroyNode
        cuGraphGetEdges cuGraphGetEdges_v2 cuGraphGetNodes cuGraphGetRootNodes cuGraphNodeFindInClone
        cuGraphNodeGetDependencies cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes
        cuGraphNodeGetDependentNodes_v2 cuGraphNodeGetType cuGraphRemoveDependencies cuGraphRemoveDependencies_v2
    """,
    "graphs.executables": """
        cuGraphExecBatchMemOpNodeSetParams cuGraphExecChildGraphNodeSetParams cuGraphExecDestroy
        cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent
        cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
        cuGraphExecGetFlags cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams
        cuGraphExecKernelNodeSetParams_v2 cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams
        cuGraphExecNodeSetParams cuGraphInstantiateWithFlags cuGraphInstantiateWithParams cuGraphInstantiate_v2
        cuGraphLaunch cuGraphNodeGetEnabled cuGraphNodeSetEnabled cuGraphUpload
    """,
    "graphs.memory": """
        cuDeviceGetGraphMemAttribute cuDeviceGraphMemTrim cuDeviceSetGraphMemAttribute
    """,
    "graphs.nodes": """
        cuGraphAddBatchMemOpNode cuGraphAddChildGraphNode cuGraphAddEmptyNode cuGraphAddEventRecordNode
        cuGraphAddEventWaitNode cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode
        cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddKernelNode_v2 cuGraphAddMemAllocNode cuGraphAddMemFreeNode
        cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphAddNode cuGraphAddNode_v2
    """,
    "graphs.params": """
        cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams cuGraphChildGraphNodeGetGraph
        cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent
        cuGraphEventWaitNodeSetEvent cuGraphExternalSemaphoresSignalNodeGetParams
        cuGraphExternalSemaphoresSignalNodeSetParams cuGraphExternalSemaphoresWaitNodeGetParams
        cuGraphExternalSemaphoresWaitNodeSetParams cuGraphHostNodeGetParams cuGraphHostNodeSetParams
        cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetParams
        cuGraphKernelNodeSetParams_v2 cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams
        cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams cuGraphMemsetNodeSetParams
        cuGraphNodeSetParams
    """,
    "graphs.updates": """
        cuGraphExecUpdate cuGraphExecUpdate_v2
    """,
    "graphs.userobjects": """
        cuGraphReleaseUserObject cuGraphRetainUserObject cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain
    """,
    "interop.ipc": """
        cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle cuIpcOpenMemHandle_v2
    """,
    "interop.semaphores": """
        cuDestroyExternalSemaphore cuImportExternalSemaphore cuSignalExternalSemaphoresAsync
        cuWaitExternalSemaphoresAsync
    """,
    "launch.kernels": """
        cuLaunchCooperativeKernel cuLaunchKernel cuLaunchKernelEx
    """,
    "launch.occupancy": """
        cuOccupancyAvailableDynamicSMemPerBlock cuOccupancyMaxActiveBlocksPerMultiprocessor
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cuOccupancyMaxActiveClusters
        cuOccupancyMaxPotentialBlockSize cuOccupancyMaxPotentialBlockSizeWithFlags cuOccupancyMaxPotentialClusterSize
    """,
    "legacy": """
        cuCtxDetach cuCtxGetSharedMemConfig cuCtxSetSharedMemConfig cuDeviceComputeCapability
        cuDeviceGetExecAffinitySupport cuDeviceGetProperties cuFuncSetBlockShape cuFuncSetSharedMemConfig
    """,
    "logs_api": """
        cuGetErrorName cuGetErrorString cuLogsCurrent cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback
        cuLogsUnregisterCallback
    """,
    "memory.arrays": """
        cuArray3DCreate_v2 cuArray3DGetDescriptor_v2 cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor_v2
        cuArrayGetMemoryRequirements cuMipmappedArrayCreate cuMipmappedArrayDestroy cuMipmappedArrayGetLevel
    """,
    "memory.batches": """
        cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync cuMemPrefetchBatchAsync cuMemcpy3DBatchAsync
        cuMemcpy3DBatchAsync_v2 cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
    """,
    "memory.copies": """
        cuMemcpy cuMemcpy2DAsync_v2 cuMemcpy2DUnaligned_v2 cuMemcpy2D_v2 cuMemcpy3DAsync_v2 cuMemcpy3DPeer
        cuMemcpy3DPeerAsync cuMemcpy3D_v2 cuMemcpyAsync cuMemcpyAtoA_v2 cuMemcpyAtoD_v2 cuMemcpyAtoHAsync_v2
        cuMemcpyAtoH_v2 cuMemcpyDtoA_v2 cuMemcpyDtoDAsync_v2 cuMemcpyDtoD_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoH_v2
        cuMemcpyHtoAAsync_v2 cuMemcpyHtoA_v2 cuMemcpyHtoDAsync_v2 cuMemcpyHtoD_v2 cuMemcpyPeer cuMemcpyPeerAsync
        cuMemsetD16Async cuMemsetD16_v2 cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async cuMemsetD2D32_v2
        cuMemsetD2D8Async cuMemsetD2D8_v2 cuMemsetD32Async cuMemsetD32_v2 cuMemsetD8Async cuMemsetD8_v2
    """,
    "memory.device_memory": """
        cuMemAllocPitch_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemGetInfo_v2
    """,
    "memory.host_memory": """
        cuMemAllocHost_v2 cuMemFreeHost cuMemHostAlloc cuMemHostGetDevicePointer_v2 cuMemHostGetFlags
        cuMemHostRegister_v2 cuMemHostUnregister
    """,
    "memory.managed": """
        cuMemAdvise cuMemAdvise_v2 cuMemAllocManaged cuMemPrefetchAsync cuMemPrefetchAsync_v2 cuMemRangeGetAttribute
        cuMemRangeGetAttributes cuStreamAttachMemAsync
    """,
    "memory.memops": """
        cuStreamBatchMemOp_v2 cuStreamWaitValue32_v2 cuStreamWaitValue64_v2 cuStreamWriteValue32_v2
        cuStreamWriteValue64_v2
    """,
    "memory.multicast": """
        cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindMem cuMulticastCreate cuMulticastGetGranularity
        cuMulticastUnbind
    """,
    "memory.pointer_attributes": """
        cuMemGetAddressRange_v2 cuPointerGetAttribute cuPointerGetAttributes cuPointerSetAttribute
    """,
    "memory.pool_sharing": """
        cuMemPoolExportPointer cuMemPoolExportToShareableHandle cuMemPoolImportFromShareableHandle
        cuMemPoolImportPointer
    """,
    "memory.pools": """
        cuDeviceGetDefaultMemPool cuDeviceGetMemPool cuDeviceSetMemPool cuMemAllocAsync cuMemAllocFromPoolAsync
        cuMemFreeAsync cuMemGetDefaultMemPool cuMemGetMemPool cuMemPoolCreate cuMemPoolDestroy cuMemPoolGetAccess
        cuMemPoolGetAttribute cuMemPoolSetAccess cuMemPoolSetAttribute cuMemPoolTrimTo cuMemSetMemPool
    """,
    "memory.tensormaps": """
        cuTensorMapEncodeIm2col cuTensorMapEncodeIm2colWide cuTensorMapEncodeTiled cuTensorMapReplaceAddress
    """,
    "memory.textures": """
        cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc cuTexObjectCreate cuTexObjectDestroy
        cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc cuTexObjectGetTextureDesc
    """,
    "memory.virtual": """
        cuMemAddressFree cuMemAddressReserve cuMemCreate cuMemExportToShareableHandle cuMemGetAccess
        cuMemGetAllocationGranularity cuMemGetAllocationPropertiesFromHandle cuMemImportFromShareableHandle cuMemMap
        cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess cuMemUnmap
    """,
    "modules.functions": """
        cuFuncGetAttribute cuFuncGetModule cuFuncGetName cuFuncGetParamInfo cuFuncIsLoaded cuFuncLoad
        cuFuncSetAttribute cuFuncSetCacheConfig cuKernelGetAttribute cuKernelGetParamInfo cuKernelSetAttribute
        cuKernelSetCacheConfig
    """,
    "modules.libraries": """
        cuKernelGetFunction cuKernelGetLibrary cuKernelGetName cuLibraryEnumerateKernels cuLibraryGetGlobal
        cuLibraryGetKernel cuLibraryGetKernelCount cuLibraryGetManaged cuLibraryGetModule cuLibraryGetUnifiedFunction
        cuLibraryLoadData cuLibraryLoadFromFile cuLibraryUnload
    """,
    "modules.linker": """
        cuLinkAddData_v2 cuLinkAddFile_v2 cuLinkComplete cuLinkCreate_v2 cuLinkDestroy
    """,
    "modules.loading": """
        cuModuleEnumerateFunctions cuModuleGetFunction cuModuleGetFunctionCount cuModuleGetGlobal_v2
        cuModuleGetLoadingMode cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuModuleUnload
    """,
    "modules.references": """
        cuModuleGetSurfRef cuModuleGetTexRef cuSurfRefGetArray cuSurfRefSetArray cuTexRefGetAddressMode
        cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags
        cuTexRefGetFormat cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias
        cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode
        cuTexRefSetAddress_v2 cuTexRefSetArray cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags
        cuTexRefSetFormat cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode cuTexRefSetMipmappedArray
    """,
    "streams.capture": """
        cuStreamBeginCapture cuStreamBeginCaptureToGraph cuStreamBeginCapture_v2 cuStreamEndCapture
        cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2 cuStreamGetCaptureInfo_v3 cuStreamIsCapturing
        cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_v2 cuThreadExchangeStreamCaptureMode
    """,
    "streams.events": """
        cuCtxRecordEvent cuCtxWaitEvent cuEventCreate cuEventDestroy_v2 cuEventElapsedTime cuEventElapsedTime_v2
        cuEventQuery cuEventRecord cuEventRecordWithFlags cuEventSynchronize cuStreamWaitEvent
    """,
    "streams.green": """
        cuCtxFromGreenCtx cuCtxGetDevResource cuDevResourceGenerateDesc cuDevSmResourceSplitByCount
        cuDeviceGetDevResource cuGreenCtxCreate cuGreenCtxDestroy cuGreenCtxGetDevResource cuGreenCtxGetId
        cuGreenCtxRecordEvent cuGreenCtxStreamCreate cuGreenCtxWaitEvent cuStreamGetCtx_v2 cuStreamGetGreenCtx
    """,
    "streams.stream": """
        cuCtxGetStreamPriorityRange cuLaunchHostFunc cuStreamAddCallback cuStreamCopyAttributes cuStreamCreate
        cuStreamCreateWithPriority cuStreamDestroy_v2 cuStreamGetAttribute cuStreamGetCtx cuStreamGetDevice
        cuStreamGetFlags cuStreamGetId cuStreamGetPriority cuStreamQuery cuStreamSetAttribute cuStreamSynchronize
    """,
    "table": """
        cuGetProcAddress cuGetProcAddress_v2
    """,
}
