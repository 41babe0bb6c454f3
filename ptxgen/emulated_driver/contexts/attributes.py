"""What a device says of itself, by the number of the attribute.

What all devices have in common is as recorded on an H200 under driver 580; limits are those of the device's product and target.
What is not named is 0: it is 0 on an H200 too, or it would promise what this driver does not offer (textures and
surfaces, RDMA, fabrics, kernels that use tensor maps).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from driver_ctypes.abi.enums import CUdevice_attribute

if TYPE_CHECKING:
    from ptxgen.isa.products import Product

_COMMON = """
MAX_SHARED_MEMORY_PER_BLOCK 49152
MAX_PITCH 2147483647
TEXTURE_ALIGNMENT 512
GPU_OVERLAP 1
CAN_MAP_HOST_MEMORY 1
SURFACE_ALIGNMENT 512
CONCURRENT_KERNELS 1
ASYNC_ENGINE_COUNT 3
UNIFIED_ADDRESSING 1
STREAM_PRIORITIES_SUPPORTED 1
GLOBAL_L1_CACHE_SUPPORTED 1
LOCAL_L1_CACHE_SUPPORTED 1
MANAGED_MEMORY 1
CONCURRENT_MANAGED_ACCESS 1
COMPUTE_PREEMPTION_SUPPORTED 1
COOPERATIVE_LAUNCH 1
HOST_REGISTER_SUPPORTED 1
VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED 1
HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED 1
READ_ONLY_HOST_REGISTER_SUPPORTED 1
MEMORY_POOLS_SUPPORTED 1
MEMPOOL_SUPPORTED_HANDLE_TYPES 1
CAN_USE_64_BIT_STREAM_MEM_OPS 1
IPC_EVENT_SUPPORTED 1
NUMA_ID -1
"""

_KNOWN = range(1, 148)  # what a driver of CUDA 13.0 knows
_SHARED_STATIC = 48 << 10


@cache
def attributes_of(product: Product) -> dict[int, int]:
    """Every attribute but those that number the device."""
    target = product.target
    values = dict.fromkeys(_KNOWN, 0)
    named = {
        **{name: int(value) for name, value in (row.split() for row in _COMMON.strip().splitlines())},
        **dict(zip(("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR"), product.capability)),
        **dict(zip(("MAX_BLOCK_DIM_X", "MAX_BLOCK_DIM_Y", "MAX_BLOCK_DIM_Z"), target.max_block)),
        **dict(zip(("MAX_GRID_DIM_X", "MAX_GRID_DIM_Y", "MAX_GRID_DIM_Z"), target.max_grid)),
        "MAX_THREADS_PER_BLOCK": target.max_threads,
        "MAX_THREADS_PER_MULTIPROCESSOR": target.threads_total,
        "MAX_BLOCKS_PER_MULTIPROCESSOR": target.ctas_total,
        "MAX_REGISTERS_PER_BLOCK": target.registers_total,
        "MAX_REGISTERS_PER_MULTIPROCESSOR": target.registers_total,
        "MAX_SHARED_MEMORY_PER_BLOCK": _SHARED_STATIC,
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": target.shared_optin,
        "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": target.shared_total,
        "RESERVED_SHARED_MEMORY_PER_BLOCK": target.shared_reserved,
        "TOTAL_CONSTANT_MEMORY": target.constant_bytes,
        "WARP_SIZE": target.warp,
        "CLUSTER_LAUNCH": int(target.max_cluster > 0),
        "MULTIPROCESSOR_COUNT": product.multiprocessors,
        "CLOCK_RATE": product.clock,
        "MEMORY_CLOCK_RATE": product.memory_clock,
        "GLOBAL_MEMORY_BUS_WIDTH": product.bus,
        "L2_CACHE_SIZE": product.l2,
        "MAX_PERSISTING_L2_CACHE_SIZE": product.l2_persisting,
        "MAX_ACCESS_POLICY_WINDOW_SIZE": 128 << 20 if product.l2_persisting else 0,
        "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO": product.f64_ratio,
        "MEM_SYNC_DOMAIN_COUNT": 4 if target.sm >= 90 else 1,
        "CAN_USE_STREAM_WAIT_VALUE_NOR": int(target.sm >= 70),
    }
    values.update({int(CUdevice_attribute[name]): value for name, value in named.items()})
    return values
