"""Nodes of graphs, and executable graphs."""

from __future__ import annotations

import driver_ctypes.abi.structs.memory  # noqa: F401  (CUDA_MEMCPY3D, CUmemPoolProps)
from driver_ctypes.abi.structs.tokens import Structure, Union, fields


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
