"""Graphs, user objects and external semaphores."""

from enum import IntEnum, IntFlag


class CUgraphInstantiate_flags(IntFlag):
    """``CUDA_GRAPH_INSTANTIATE_FLAG_...``"""

    AUTO_FREE_ON_LAUNCH = 1
    UPLOAD = 2
    DEVICE_LAUNCH = 4
    USE_NODE_PRIORITY = 8


class CUgraphExecUpdateResult(IntEnum):
    """``CU_GRAPH_EXEC_UPDATE_...``"""

    SUCCESS = 0
    ERROR = 1
    ERROR_TOPOLOGY_CHANGED = 2
    ERROR_NODE_TYPE_CHANGED = 3
    ERROR_FUNCTION_CHANGED = 4
    ERROR_PARAMETERS_CHANGED = 5
    ERROR_NOT_SUPPORTED = 6
    ERROR_UNSUPPORTED_FUNCTION_CHANGE = 7
    ERROR_ATTRIBUTES_CHANGED = 8


class CUgraphConditionalNodeType(IntEnum):
    """``CU_GRAPH_COND_TYPE_...``"""

    IF = 0
    WHILE = 1
    SWITCH = 2


class CUgraphChildGraphNodeOwnership(IntEnum):
    """``CU_GRAPH_CHILD_GRAPH_OWNERSHIP_...``"""

    INVALID = -1
    CLONE = 0
    MOVE = 1


class CUgraphDebugDot_flags(IntFlag):
    """``CU_GRAPH_DEBUG_DOT_FLAGS_...``"""

    VERBOSE = 1
    RUNTIME_TYPES = 2
    KERNEL_NODE_PARAMS = 4
    MEMCPY_NODE_PARAMS = 8
    MEMSET_NODE_PARAMS = 16
    HOST_NODE_PARAMS = 32
    EVENT_NODE_PARAMS = 64
    EXT_SEMAS_SIGNAL_NODE_PARAMS = 128
    EXT_SEMAS_WAIT_NODE_PARAMS = 256
    KERNEL_NODE_ATTRIBUTES = 512
    HANDLES = 1024
    MEM_ALLOC_NODE_PARAMS = 2048
    MEM_FREE_NODE_PARAMS = 4096
    BATCH_MEM_OP_NODE_PARAMS = 8192
    EXTRA_TOPO_INFO = 16384
    CONDITIONAL_NODE_PARAMS = 32768
    MEMCPY_BATCH_NODE_PARAMS = 0x10000
    FABRIC_CPY_BATCH_NODE_PARAMS = 0x20000


class CUgraphMem_attribute(IntEnum):
    """``CU_GRAPH_MEM_ATTR_...``"""

    USED_MEM_CURRENT = 0
    USED_MEM_HIGH = 1
    RESERVED_MEM_CURRENT = 2
    RESERVED_MEM_HIGH = 3


class CUuserObject_flags(IntFlag):
    NO_DESTRUCTOR_SYNC = 1


class CUuserObjectRetain_flags(IntFlag):
    MOVE = 1


class CUexternalSemaphoreHandleType(IntEnum):
    """``CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_...``"""

    OPAQUE_FD = 1
    OPAQUE_WIN32 = 2
    OPAQUE_WIN32_KMT = 3
    D3D12_FENCE = 4
    D3D11_FENCE = 5
    NVSCISYNC = 6
    D3D11_KEYED_MUTEX = 7
    D3D11_KEYED_MUTEX_KMT = 8
    TIMELINE_SEMAPHORE_FD = 9
    TIMELINE_SEMAPHORE_WIN32 = 10
