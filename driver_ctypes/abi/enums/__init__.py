"""The driver's enumerations, under their C names; members lose the common prefix.

``CU_STREAM_NON_BLOCKING`` is ``CUstream_flags.NON_BLOCKING``.

A member whose rest would begin with a digit keeps the last word of its prefix: ``CU_TENSOR_MAP_SWIZZLE_32B`` is
``CUtensorMapSwizzle.SWIZZLE_32B``. Values up to CUDA 13.5; an older driver refuses what it does not know.

Each theme is one module, made on first use: all of them together cost 10 ms.
"""

# ruff: noqa: F403 (a star import for the type checker only: the names stand once, in the themes)

from __future__ import annotations

from driver_ctypes.lazy import exports
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driver_ctypes.abi.enums.attribute import *
    from driver_ctypes.abi.enums.device import *
    from driver_ctypes.abi.enums.graph import *
    from driver_ctypes.abi.enums.launch import *
    from driver_ctypes.abi.enums.memory import *
    from driver_ctypes.abi.enums.module import *
    from driver_ctypes.abi.enums.node import *
    from driver_ctypes.abi.enums.result import *
    from driver_ctypes.abi.enums.stream import *
    from driver_ctypes.abi.enums.tensor import *

_EXPORTS = {
    "result": "CUresult CUdriverProcAddressQueryResult CUdriverProcAddress_flags",
    "attribute": "CUdevice_attribute",
    "device": "CUdevice_P2PAttribute CUcomputemode CUctx_flags CUlimit",
    "module": (
        "CUfunction_attribute CUfunc_cache CUshared_carveout CUjit_option CUjitInputType CUjit_target "
        "CUjit_fallback CUjit_cacheMode CUlibraryOption CUmoduleLoadingMode CUoccupancy_flags"
    ),
    "stream": (
        "CUstream_flags CUevent_flags CUevent_record_flags CUevent_wait_flags CUstreamCaptureMode "
        "CUstreamCaptureStatus CUstreamUpdateCaptureDependencies_flags CUstreamWaitValue_flags "
        "CUstreamWriteValue_flags CUstreamBatchMemOpType CUstreamMemoryBarrier_flags"
    ),
    "launch": "CUlaunchAttributeID CUclusterSchedulingPolicy CUsynchronizationPolicy CUlaunchMemSyncDomain",
    "node": "CUgraphNodeType CUgraphDependencyType CUgraphInstantiateResult",
    "graph": (
        "CUgraphInstantiate_flags CUgraphExecUpdateResult "
        "CUgraphConditionalNodeType CUgraphChildGraphNodeOwnership "
        "CUgraphDebugDot_flags CUgraphMem_attribute CUuserObject_flags CUuserObjectRetain_flags "
        "CUexternalSemaphoreHandleType"
    ),
    "memory": (
        "CUmemorytype CUmemAttach_flags CUmemLocationType CUmemAllocationType CUmemAllocationHandleType "
        "CUmemAccess_flags CUmemAllocationGranularity_flags CUmemPool_attribute CUpointer_attribute "
        "CUmem_advise CUmemcpySrcAccessOrder CUipcMem_flags"
    ),
    "tensor": (
        "CUarray_format CUtensorMapDataType CUtensorMapInterleave CUtensorMapSwizzle CUtensorMapL2promotion "
        "CUtensorMapFloatOOBfill CUtensorMapIm2ColWideMode CUDA_ARRAY3D_flags CUresourcetype CUaddress_mode "
        "CUfilter_mode CUtexture_flags"
    ),
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
