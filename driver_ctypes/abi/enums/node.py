"""Nodes of graphs and their edges: what every piece of work in a stream is, too."""

from enum import IntEnum


class CUgraphNodeType(IntEnum):
    """``CU_GRAPH_NODE_TYPE_...``"""

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    HOST = 3
    GRAPH = 4
    EMPTY = 5
    WAIT_EVENT = 6
    EVENT_RECORD = 7
    EXT_SEMAS_SIGNAL = 8
    EXT_SEMAS_WAIT = 9
    MEM_ALLOC = 10
    MEM_FREE = 11
    BATCH_MEM_OP = 12
    CONDITIONAL = 13
    MEMCPY_BATCH = 14
    RESERVED_16 = 16
    EXTERNAL_ENGINE = 17
    FABRIC_CPY_BATCH = 18


class CUgraphDependencyType(IntEnum):
    """``CU_GRAPH_DEPENDENCY_TYPE_...``"""

    DEFAULT = 0
    PROGRAMMATIC = 1


class CUgraphInstantiateResult(IntEnum):
    """``CUDA_GRAPH_INSTANTIATE_...``"""

    SUCCESS = 0
    ERROR = 1
    INVALID_STRUCTURE = 2
    NODE_OPERATION_NOT_SUPPORTED = 3
    MULTIPLE_CTXS_NOT_SUPPORTED = 4
    CONDITIONAL_HANDLE_UNUSED = 5
