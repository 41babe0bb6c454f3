"""Memory, pools, pointers and sharing."""

from enum import IntEnum, IntFlag


class CUmemorytype(IntEnum):
    """``CU_MEMORYTYPE_...``"""

    HOST = 1
    DEVICE = 2
    ARRAY = 3
    UNIFIED = 4


class CUmemAttach_flags(IntFlag):
    """``CU_MEM_ATTACH_...``"""

    GLOBAL = 1
    HOST = 2
    SINGLE = 4


class CUmemLocationType(IntEnum):
    """``CU_MEM_LOCATION_TYPE_...``"""

    INVALID = 0
    NONE = 0
    DEVICE = 1
    HOST = 2
    HOST_NUMA = 3
    HOST_NUMA_CURRENT = 4
    INVISIBLE = 5
    DEVICE_LOCALITY_DOMAIN = 6
    MAX = 0x7FFFFFFF


class CUmemAllocationType(IntEnum):
    """``CU_MEM_ALLOCATION_TYPE_...``"""

    INVALID = 0
    PINNED = 1
    MANAGED = 2
    MAX = 0x7FFFFFFF


class CUmemAllocationHandleType(IntFlag):
    """``CU_MEM_HANDLE_TYPE_...``"""

    NONE = 0
    POSIX_FILE_DESCRIPTOR = 1
    WIN32 = 2
    WIN32_KMT = 4
    FABRIC = 8
    MAX = 0x7FFFFFFF


class CUmemAccess_flags(IntEnum):
    """``CU_MEM_ACCESS_FLAGS_PROT_...``"""

    NONE = 0
    READ = 1
    READWRITE = 3
    MAX = 0x7FFFFFFF


class CUmemAllocationGranularity_flags(IntEnum):
    """``CU_MEM_ALLOC_GRANULARITY_...``"""

    MINIMUM = 0
    RECOMMENDED = 1


class CUmemPool_attribute(IntEnum):
    """``CU_MEMPOOL_ATTR_...``"""

    REUSE_FOLLOW_EVENT_DEPENDENCIES = 1
    REUSE_ALLOW_OPPORTUNISTIC = 2
    REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3
    RELEASE_THRESHOLD = 4
    RESERVED_MEM_CURRENT = 5
    RESERVED_MEM_HIGH = 6
    USED_MEM_CURRENT = 7
    USED_MEM_HIGH = 8
    ALLOCATION_TYPE = 9
    EXPORT_HANDLE_TYPES = 10
    LOCATION_ID = 11
    LOCATION_TYPE = 12
    MAX_POOL_SIZE = 13
    HW_DECOMPRESS_ENABLED = 14
    LOCALITY_DOMAIN_ID = 15


class CUpointer_attribute(IntEnum):
    """``CU_POINTER_ATTRIBUTE_...``"""

    CONTEXT = 1
    MEMORY_TYPE = 2
    DEVICE_POINTER = 3
    HOST_POINTER = 4
    P2P_TOKENS = 5
    SYNC_MEMOPS = 6
    BUFFER_ID = 7
    IS_MANAGED = 8
    DEVICE_ORDINAL = 9
    IS_LEGACY_CUDA_IPC_CAPABLE = 10
    RANGE_START_ADDR = 11
    RANGE_SIZE = 12
    MAPPED = 13
    ALLOWED_HANDLE_TYPES = 14
    IS_GPU_DIRECT_RDMA_CAPABLE = 15
    ACCESS_FLAGS = 16
    MEMPOOL_HANDLE = 17
    MAPPING_SIZE = 18
    MAPPING_BASE_ADDR = 19
    MEMORY_BLOCK_ID = 20
    IS_HW_DECOMPRESS_CAPABLE = 21
    LOCALITY_DOMAIN_ORDINAL = 22


class CUmem_advise(IntEnum):
    """``CU_MEM_ADVISE_...``"""

    SET_READ_MOSTLY = 1
    UNSET_READ_MOSTLY = 2
    SET_PREFERRED_LOCATION = 3
    UNSET_PREFERRED_LOCATION = 4
    SET_ACCESSED_BY = 5
    UNSET_ACCESSED_BY = 6


class CUmemcpySrcAccessOrder(IntEnum):
    """``CU_MEMCPY_SRC_ACCESS_ORDER_...``"""

    INVALID = 0
    STREAM = 1
    DURING_API_CALL = 2
    ANY = 3
    MAX = 0x7FFFFFFF


class CUipcMem_flags(IntFlag):
    LAZY_ENABLE_PEER_ACCESS = 1
