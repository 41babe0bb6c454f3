"""The driver's loose constants, those that stand in no enumeration; and its scalar types."""

from __future__ import annotations

import ctypes

from driver_ctypes.typing import Any

SCALARS: dict[str, Any] = {
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
    "i32": ctypes.c_int,
    "f32": ctypes.c_float,
    "size": ctypes.c_size_t,
    "dev": ctypes.c_int,
    "enum": ctypes.c_int,
    "char": ctypes.c_char,
    "cstr": ctypes.c_char_p,
    "ptr": ctypes.c_void_p,
}
"""The ctypes type of each token: of a parameter in `functions`, and of a field in `structs`."""

CU_STREAM_LEGACY = 1  # stream handles: the default stream that waits for all blocking ones
CU_STREAM_PER_THREAD = 2

CU_LAUNCH_PARAM_END = 0  # keys of the ``extra`` array of a launch
CU_LAUNCH_PARAM_BUFFER_POINTER = 1
CU_LAUNCH_PARAM_BUFFER_SIZE = 2

CU_MEMHOSTALLOC_PORTABLE = 1
CU_MEMHOSTALLOC_DEVICEMAP = 2
CU_MEMHOSTALLOC_WRITECOMBINED = 4

CU_MEMHOSTREGISTER_PORTABLE = 1
CU_MEMHOSTREGISTER_DEVICEMAP = 2
CU_MEMHOSTREGISTER_IOMEMORY = 4
CU_MEMHOSTREGISTER_READ_ONLY = 8

CU_GRAPH_COND_ASSIGN_DEFAULT = 1
CU_GRAPH_KERNEL_NODE_PORT_DEFAULT = 0
CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1
CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER = 2

CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS = 2

CU_DEVICE_CPU = -1
CU_DEVICE_INVALID = -2

CU_IPC_HANDLE_SIZE = 64
