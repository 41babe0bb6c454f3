"""The driver's structures and unions, under their C names.

Natural alignment gives the documented size and every documented offset (x86-64 and aarch64), so there is no
``_pack_``. Pointers and handles are ``ptr``, device addresses ``u64``, enums ``i32``. Zero-filled is the
right start for all of them: reserved fields are checked.

A name in ``cuda.h`` that means one of several versions has its version here (``CUDA_KERNEL_NODE_PARAMS_v2``).

Each theme is one module, made on first use: all of them together cost 2 ms.
"""

# ruff: noqa: F403 (a star import for the type checker only: the names stand once, in the themes)

from __future__ import annotations

from driver_ctypes.lazy import exports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from driver_ctypes.abi.structs.context import *
    from driver_ctypes.abi.structs.graph import *
    from driver_ctypes.abi.structs.launch import *
    from driver_ctypes.abi.structs.memory import *
    from driver_ctypes.abi.structs.operation import *
    from driver_ctypes.abi.structs.semaphore import *
    from driver_ctypes.abi.structs.sharing import *
    from driver_ctypes.abi.structs.texture import *
    from driver_ctypes.abi.structs.tokens import CUdevice as CUdevice
    from driver_ctypes.abi.structs.tokens import CUdeviceptr as CUdeviceptr

_EXPORTS = {
    "tokens": "CUdevice CUdeviceptr",
    "sharing": "CUuuid CUipcEventHandle CUipcMemHandle CUmemPoolPtrExportData",
    "context": (
        "CUexecAffinityParam CUctxCigParam CUctxCreateParams CUdevprop CUlibraryHostUniversalFunctionAndDataTable"
    ),
    "launch": (
        "CUlaunchConfig CUaccessPolicyWindow CUlaunchMemSyncDomainMap CUlaunchAttributeValue "
        "CUlaunchAttribute CUDA_LAUNCH_PARAMS"
    ),
    "memory": (
        "CUmemLocation CUmemAccessDesc CUmemPoolProps CUmemAllocationProp CUmulticastObjectProp "
        "CUmemcpyAttributes CUDA_MEMCPY2D CUDA_MEMCPY3D CUDA_MEMCPY3D_PEER CUDA_ARRAY_DESCRIPTOR "
        "CUDA_ARRAY3D_DESCRIPTOR CUDA_ARRAY_MEMORY_REQUIREMENTS"
    ),
    "texture": "CUDA_RESOURCE_DESC CUDA_TEXTURE_DESC CUDA_RESOURCE_VIEW_DESC",
    "operation": "CUextent3D CUoffset3D CUmemcpy3DOperand CUDA_MEMCPY3D_BATCH_OP CUtensorMap CUstreamBatchMemOpParams",
    "semaphore": (
        "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS "
        "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS CUDA_EXTERNAL_MEMORY_HANDLE_DESC "
        "CUDA_EXTERNAL_MEMORY_BUFFER_DESC"
    ),
    "graph": (
        "CUDA_KERNEL_NODE_PARAMS_v1 CUDA_KERNEL_NODE_PARAMS_v2 CUDA_KERNEL_NODE_PARAMS_v3 "
        "CUDA_MEMSET_NODE_PARAMS_v1 CUDA_MEMSET_NODE_PARAMS_v2 CUDA_HOST_NODE_PARAMS_v1 "
        "CUDA_HOST_NODE_PARAMS_v2 CUDA_CONDITIONAL_NODE_PARAMS CUDA_CHILD_GRAPH_NODE_PARAMS "
        "CUDA_EVENT_RECORD_NODE_PARAMS CUDA_EVENT_WAIT_NODE_PARAMS CUDA_MEMCPY_NODE_PARAMS "
        "CUDA_MEM_ALLOC_NODE_PARAMS_v1 CUDA_MEM_ALLOC_NODE_PARAMS_v2 CUDA_MEM_FREE_NODE_PARAMS "
        "CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1 "
        "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1 CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 "
        "CUgraphNodeParams CUgraphEdgeData CUDA_GRAPH_INSTANTIATE_PARAMS CUgraphExecUpdateResultInfo"
    ),
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
