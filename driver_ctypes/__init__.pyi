"""The public names of the package for type checkers, which take any name at all from a module with `__getattr__`."""

from driver_ctypes.abi.enums import (
    CUaddress_mode,
    CUarray_format,
    CUclusterSchedulingPolicy,
    CUcomputemode,
    CUctx_flags,
    CUDA_ARRAY3D_flags,
    CUdevice_attribute,
    CUdevice_P2PAttribute,
    CUdriverProcAddress_flags,
    CUdriverProcAddressQueryResult,
    CUevent_flags,
    CUevent_record_flags,
    CUevent_wait_flags,
    CUexternalSemaphoreHandleType,
    CUfilter_mode,
    CUfunc_cache,
    CUfunction_attribute,
    CUgraphChildGraphNodeOwnership,
    CUgraphConditionalNodeType,
    CUgraphDebugDot_flags,
    CUgraphDependencyType,
    CUgraphExecUpdateResult,
    CUgraphInstantiate_flags,
    CUgraphInstantiateResult,
    CUgraphMem_attribute,
    CUgraphNodeType,
    CUipcMem_flags,
    CUjit_cacheMode,
    CUjit_fallback,
    CUjit_option,
    CUjit_target,
    CUjitInputType,
    CUlaunchAttributeID,
    CUlaunchMemSyncDomain,
    CUlibraryOption,
    CUlimit,
    CUmem_advise,
    CUmemAccess_flags,
    CUmemAllocationGranularity_flags,
    CUmemAllocationHandleType,
    CUmemAllocationType,
    CUmemAttach_flags,
    CUmemcpySrcAccessOrder,
    CUmemLocationType,
    CUmemorytype,
    CUmemPool_attribute,
    CUmoduleLoadingMode,
    CUoccupancy_flags,
    CUpointer_attribute,
    CUresourcetype,
    CUresult,
    CUshared_carveout,
    CUstream_flags,
    CUstreamBatchMemOpType,
    CUstreamCaptureMode,
    CUstreamCaptureStatus,
    CUstreamMemoryBarrier_flags,
    CUstreamUpdateCaptureDependencies_flags,
    CUstreamWaitValue_flags,
    CUstreamWriteValue_flags,
    CUsynchronizationPolicy,
    CUtensorMapDataType,
    CUtensorMapFloatOOBfill,
    CUtensorMapIm2ColWideMode,
    CUtensorMapInterleave,
    CUtensorMapL2promotion,
    CUtensorMapSwizzle,
    CUtexture_flags,
    CUuserObject_flags,
    CUuserObjectRetain_flags,
)
from driver_ctypes.arguments.parameter import Parameter
from driver_ctypes.arguments.signature import Signature
from driver_ctypes.caches.code import CacheStatistics, CodeStore
from driver_ctypes.caches.folder import cache_folder
from driver_ctypes.caches.jit import JitCacheSettings, configure_jit_cache
from driver_ctypes.caches.process import CubinCache, code_store, cubin_cache, set_cubin_cache
from driver_ctypes.contexts.context import Context, Stream
from driver_ctypes.contexts.device import Device, Driver
from driver_ctypes.drivers.diagnosis import Diagnosis, diagnose
from driver_ctypes.drivers.registry import driver, driver_names, live_handles, register_driver
from driver_ctypes.errors import (
    ArgumentCountError,
    ArgumentError,
    ArgumentRangeError,
    ArgumentTypeError,
    CacheCorruptError,
    CacheError,
    CacheFullError,
    CacheUnsafeError,
    CacheUnwritableError,
    CacheWarning,
    CaptureError,
    CleanupWarning,
    ClosedError,
    ContextLostError,
    CudaError,
    DeviceAssertError,
    DeviceNotFoundError,
    DriverNotFoundError,
    Error,
    FatalError,
    ForkedProcessError,
    GraphUpdateError,
    HostFunctionError,
    IllegalAddressError,
    IllegalInstructionError,
    InitializationError,
    InvalidHandleError,
    JitError,
    JitMessage,
    LaunchConfigError,
    LaunchError,
    LaunchFailedError,
    LaunchTimeoutError,
    LinkError,
    MisalignedAddressError,
    NoLoadableTargetError,
    NotAvailableError,
    NotFoundError,
    NotReadyError,
    NotSupportedError,
    OutOfMemoryError,
    SubinterpreterError,
)
from driver_ctypes.graphs.capture import Capture
from driver_ctypes.graphs.conditional import Condition, device_runtime, load_with_device_runtime
from driver_ctypes.graphs.definition import ChildNode, ConditionalNode, Graph, MemoryNode
from driver_ctypes.graphs.executable import GraphExec
from driver_ctypes.graphs.inventory import GraphEdge, GraphNode
from driver_ctypes.graphs.memory import GraphMemory, graph_memory, reset_graph_memory_high, trim_graph_memory
from driver_ctypes.graphs.node import Dependency, Node
from driver_ctypes.graphs.parameters import ExternalSemaphore, import_semaphore
from driver_ctypes.launch.attributes import AccessWindow
from driver_ctypes.launch.occupancy import (
    BlockSize,
    Limits,
    available_dynamic_shared,
    max_active_blocks,
    max_active_clusters,
    max_block_size,
    max_cluster_size,
    resident_blocks,
)
from driver_ctypes.launch.plan import Launcher
from driver_ctypes.memory.accounting import Allocation, MemoryAccount, MemoryCounts, MemoryLeakError, memory_account
from driver_ctypes.memory.arrays import CudaArray, MipmappedArray, Region, create_array, create_mipmapped_array
from driver_ctypes.memory.buffer import Buffer, BufferPart
from driver_ctypes.memory.caching import AllocatorStatistics, CachedBuffer, CachingAllocator
from driver_ctypes.memory.host import ManagedBuffer, PinnedBuffer, RegisteredMemory
from driver_ctypes.memory.peer import (
    OpenedBuffer,
    PeerAttributes,
    PointerInfo,
    can_access_peer,
    copy_peer,
    disable_peer,
    enable_peer,
    memory_handle,
    open_event,
    open_memory,
    peer_attributes,
    pointer_info,
)
from driver_ctypes.memory.pools import (
    AsyncBuffer,
    ImportedBuffer,
    MemoryPool,
    create_pool,
    current_pool,
    default_pool,
    export_buffer,
    import_pool,
    set_current_pool,
)
from driver_ctypes.memory.tensormap import TensorMap, TensorMapError, tensor_map, tensor_map_im2col
from driver_ctypes.memory.textures import Surface, Texels, Texture, create_surface, create_texture
from driver_ctypes.memory.virtual import (
    GrowableBuffer,
    MappedMemory,
    PhysicalMemory,
    Reservation,
    create_memory,
    import_memory,
    memory_granularity,
    reserve_addresses,
)
from driver_ctypes.modules.cubin import cubin_resources
from driver_ctypes.modules.jitlog import Resources
from driver_ctypes.modules.library import Kernel, Library
from driver_ctypes.modules.linker import Linked, Linker, link
from driver_ctypes.modules.module import Function, FunctionAttributes, Module
from driver_ctypes.modules.targets import TargetTrial, loadable_target, target_candidates, try_targets
from driver_ctypes.profiler import nvtx_range, profile
from driver_ctypes.streams.memory_operations import MemoryOperation, wait_value, write_value
from driver_ctypes.streams.stream import Event
from driver_ctypes.trampoline.choice import LauncherInfo, launcher

__version__: str

__all__ = [
    "AccessWindow", "Allocation", "AllocatorStatistics", "ArgumentCountError", "ArgumentError", "ArgumentRangeError",
    "ArgumentTypeError", "AsyncBuffer", "BlockSize", "Buffer", "BufferPart", "CUDA_ARRAY3D_flags", "CUaddress_mode",
    "CUarray_format", "CUclusterSchedulingPolicy", "CUcomputemode", "CUctx_flags", "CUdevice_P2PAttribute",
    "CUdevice_attribute", "CUdriverProcAddressQueryResult", "CUdriverProcAddress_flags", "CUevent_flags",
    "CUevent_record_flags", "CUevent_wait_flags", "CUexternalSemaphoreHandleType", "CUfilter_mode", "CUfunc_cache",
    "CUfunction_attribute", "CUgraphChildGraphNodeOwnership", "CUgraphConditionalNodeType", "CUgraphDebugDot_flags",
    "CUgraphDependencyType", "CUgraphExecUpdateResult", "CUgraphInstantiateResult", "CUgraphInstantiate_flags",
    "CUgraphMem_attribute", "CUgraphNodeType", "CUipcMem_flags", "CUjitInputType", "CUjit_cacheMode", "CUjit_fallback",
    "CUjit_option", "CUjit_target", "CUlaunchAttributeID", "CUlaunchMemSyncDomain", "CUlibraryOption", "CUlimit",
    "CUmemAccess_flags", "CUmemAllocationGranularity_flags", "CUmemAllocationHandleType", "CUmemAllocationType",
    "CUmemAttach_flags", "CUmemLocationType", "CUmemPool_attribute", "CUmem_advise", "CUmemcpySrcAccessOrder",
    "CUmemorytype", "CUmoduleLoadingMode", "CUoccupancy_flags", "CUpointer_attribute", "CUresourcetype", "CUresult",
    "CUshared_carveout", "CUstreamBatchMemOpType", "CUstreamCaptureMode", "CUstreamCaptureStatus",
    "CUstreamMemoryBarrier_flags", "CUstreamUpdateCaptureDependencies_flags", "CUstreamWaitValue_flags",
    "CUstreamWriteValue_flags", "CUstream_flags", "CUsynchronizationPolicy", "CUtensorMapDataType",
    "CUtensorMapFloatOOBfill", "CUtensorMapIm2ColWideMode", "CUtensorMapInterleave", "CUtensorMapL2promotion",
    "CUtensorMapSwizzle", "CUtexture_flags", "CUuserObjectRetain_flags", "CUuserObject_flags", "CacheCorruptError",
    "CacheError", "CacheFullError", "CacheStatistics", "CacheUnsafeError", "CacheUnwritableError", "CacheWarning",
    "CachedBuffer", "CachingAllocator", "Capture", "CaptureError", "ChildNode", "CleanupWarning", "ClosedError",
    "CodeStore", "Condition", "ConditionalNode", "Context", "ContextLostError", "CubinCache", "CudaArray", "CudaError",
    "Dependency", "Device", "DeviceAssertError", "DeviceNotFoundError", "Diagnosis", "Driver", "DriverNotFoundError",
    "Error", "Event", "ExternalSemaphore", "FatalError", "ForkedProcessError", "Function", "FunctionAttributes",
    "Graph", "GraphEdge", "GraphExec", "GraphMemory", "GraphNode", "GraphUpdateError", "GrowableBuffer",
    "HostFunctionError", "IllegalAddressError", "IllegalInstructionError", "ImportedBuffer", "InitializationError",
    "InvalidHandleError", "JitCacheSettings", "JitError", "JitMessage", "Kernel", "LaunchConfigError", "LaunchError",
    "LaunchFailedError", "LaunchTimeoutError", "Launcher", "LauncherInfo", "Library", "Limits", "LinkError", "Linked",
    "Linker", "ManagedBuffer", "MappedMemory", "MemoryAccount", "MemoryCounts", "MemoryLeakError", "MemoryNode",
    "MemoryOperation", "MemoryPool", "MipmappedArray", "MisalignedAddressError", "Module", "NoLoadableTargetError",
    "Node", "NotAvailableError", "NotFoundError", "NotReadyError", "NotSupportedError", "OpenedBuffer",
    "OutOfMemoryError", "Parameter", "PeerAttributes", "PhysicalMemory", "PinnedBuffer", "PointerInfo", "Region",
    "RegisteredMemory", "Reservation", "Resources", "Signature", "Stream", "SubinterpreterError", "Surface",
    "TargetTrial", "TensorMap", "TensorMapError", "Texels", "Texture", "available_dynamic_shared", "cache_folder",
    "can_access_peer", "code_store", "configure_jit_cache", "copy_peer", "create_array", "create_memory",
    "create_mipmapped_array", "create_pool", "create_surface", "create_texture", "cubin_cache", "cubin_resources",
    "current_pool", "default_pool", "device_runtime", "diagnose", "disable_peer", "driver", "driver_names",
    "enable_peer", "export_buffer", "graph_memory", "import_memory", "import_pool", "import_semaphore", "launcher",
    "link", "live_handles", "load_with_device_runtime", "loadable_target", "max_active_blocks", "max_active_clusters",
    "max_block_size", "max_cluster_size", "memory_account", "memory_granularity", "memory_handle", "nvtx_range",
    "open_event", "open_memory", "peer_attributes", "pointer_info", "profile", "register_driver", "reserve_addresses",
    "reset_graph_memory_high", "resident_blocks", "set_cubin_cache", "set_current_pool", "target_candidates",
    "tensor_map", "tensor_map_im2col", "trim_graph_memory", "try_targets", "wait_value", "write_value",
]  # fmt: skip
