"""A hand-written binding of the CUDA driver (libcuda), usable alone: ctypes, no compiler, nothing else to install.

    import driver_ctypes as dc

    device = dc.driver("cuda").device(0)
    context = device.primary_context()
    module = context.load(ptx, signatures={"saxpy": dc.Signature([dc.Parameter("n", "u32"), ...])})
    with context.stream() as stream, context.alloc(4 * n) as x:
        launch = module.function("saxpy").bind(grid, block, stream=stream)
        launch(n, 2.0, x, y)
        stream.synchronize()

A driver is a table of C function pointers. NVIDIA's fills it from libcuda, another one (`register_driver`, or an entry
point of the group ``driver_ctypes.drivers``) with callbacks, and nothing here distinguishes them.

The rooms, from the ground up; each says in its docstring what belongs there, and imports only those before it:

* `lazy`: names loaded on first use; `hashing`: digests; `typing`: names of annotations; `primitives`: locks, caches;
  ``abi``: the driver's interface as data; `errors`: every exception; `results`: what each result code means
* `lifetime`: the process's end and forks; `validate`: checks of what callers pass
* ``caches``: compiled code on disk; ``machine_code``: functions made at run time; ``trampoline``: the native launcher;
  ``loading``: libcuda, the table of functions
* ``session``: an open context as all rooms above use it: calls, errors, handles and how they are freed
* ``interop``: other libraries' arrays; ``arguments``: signatures, and values as bytes; ``streams``: streams and events
* ``memory``: all kinds of it, copies, textures; ``launch``: how a kernel is launched, and its limits
* ``modules``: code, linking, logs; ``graphs``: graphs, executable graphs, stream capture
* ``contexts``: drivers, devices, contexts and streams as users hold them
* ``drivers``: drivers by name, and diagnosis; `profiler`: ranges with names

docs/lifetimes.md says who owns what, and what closing waits for.

A name that the package exports is listed in `_EXPORTS` below, with the file that has it, and in ``__init__.pyi``.

Importing this package is cheap: each name below is loaded on first use. It imports nothing of ptxgen.
"""

from __future__ import annotations

from driver_ctypes.lazy import exports

__version__ = "0.1.0"

_EXPORTS = {
    "errors": (
        "Error DriverNotFoundError NotAvailableError DeviceNotFoundError ClosedError ForkedProcessError "
        "SubinterpreterError ArgumentError ArgumentCountError ArgumentTypeError ArgumentRangeError "
        "LaunchConfigError CacheError CacheUnwritableError CacheFullError CacheUnsafeError CacheCorruptError "
        "CacheWarning NoLoadableTargetError CleanupWarning HostFunctionError CudaError InitializationError "
        "OutOfMemoryError InvalidHandleError NotFoundError NotReadyError NotSupportedError GraphUpdateError "
        "CaptureError LaunchError FatalError IllegalAddressError MisalignedAddressError IllegalInstructionError "
        "LaunchTimeoutError DeviceAssertError LaunchFailedError ContextLostError JitError JitMessage LinkError"
    ),
    "profiler": "nvtx_range profile",
    "abi.enums": (
        "CUDA_ARRAY3D_flags CUaddress_mode CUarray_format CUclusterSchedulingPolicy CUcomputemode CUctx_flags "
        "CUdevice_P2PAttribute CUdevice_attribute CUdriverProcAddressQueryResult CUdriverProcAddress_flags "
        "CUevent_flags CUevent_record_flags CUevent_wait_flags CUexternalSemaphoreHandleType CUfilter_mode "
        "CUfunc_cache CUfunction_attribute CUgraphChildGraphNodeOwnership CUgraphConditionalNodeType "
        "CUgraphDebugDot_flags CUgraphDependencyType CUgraphExecUpdateResult CUgraphInstantiateResult "
        "CUgraphInstantiate_flags CUgraphMem_attribute CUgraphNodeType CUipcMem_flags CUjitInputType "
        "CUjit_cacheMode CUjit_fallback CUjit_option CUjit_target CUlaunchAttributeID CUlaunchMemSyncDomain "
        "CUlibraryOption CUlimit CUmemAccess_flags CUmemAllocationGranularity_flags CUmemAllocationHandleType "
        "CUmemAllocationType CUmemAttach_flags CUmemLocationType CUmemPool_attribute CUmem_advise "
        "CUmemcpySrcAccessOrder CUmemorytype CUmoduleLoadingMode CUoccupancy_flags CUpointer_attribute "
        "CUresourcetype CUresult CUshared_carveout CUstreamBatchMemOpType CUstreamCaptureMode CUstreamCaptureStatus "
        "CUstreamMemoryBarrier_flags CUstreamUpdateCaptureDependencies_flags CUstreamWaitValue_flags "
        "CUstreamWriteValue_flags CUstream_flags CUsynchronizationPolicy CUtensorMapDataType "
        "CUtensorMapFloatOOBfill CUtensorMapIm2ColWideMode CUtensorMapInterleave CUtensorMapL2promotion "
        "CUtensorMapSwizzle CUtexture_flags CUuserObjectRetain_flags CUuserObject_flags"
    ),
    "arguments.parameter": "Parameter",
    "arguments.signature": "Signature",
    "caches.code": "CacheStatistics CodeStore",
    "caches.process": "CubinCache code_store cubin_cache set_cubin_cache",
    "caches.folder": "cache_folder",
    "caches.jit": "JitCacheSettings configure_jit_cache",
    "contexts.context": "Context Stream",
    "contexts.device": "Device Driver",
    "graphs.capture": "Capture",
    "graphs.conditional": "Condition device_runtime load_with_device_runtime",
    "graphs.definition": "ChildNode ConditionalNode Graph MemoryNode",
    "graphs.executable": "GraphExec",
    "graphs.inventory": "GraphEdge GraphNode",
    "graphs.memory": "GraphMemory graph_memory reset_graph_memory_high trim_graph_memory",
    "graphs.node": "Dependency Node",
    "streams.memory_operations": "MemoryOperation wait_value write_value",
    "graphs.parameters": "ExternalSemaphore import_semaphore",
    "launch.attributes": "AccessWindow",
    "launch.plan": "Launcher",
    "launch.occupancy": (
        "BlockSize Limits available_dynamic_shared max_active_blocks max_active_clusters max_block_size "
        "max_cluster_size resident_blocks"
    ),
    "drivers.diagnosis": "Diagnosis diagnose",
    "drivers.registry": "driver driver_names live_handles register_driver",
    "memory.accounting": "Allocation MemoryAccount MemoryCounts MemoryLeakError memory_account",
    "memory.arrays": "CudaArray MipmappedArray Region create_array create_mipmapped_array",
    "memory.buffer": "Buffer BufferPart",
    "memory.caching": "AllocatorStatistics CachedBuffer CachingAllocator",
    "memory.host": "ManagedBuffer PinnedBuffer RegisteredMemory",
    "memory.peer": (
        "OpenedBuffer PeerAttributes PointerInfo can_access_peer copy_peer disable_peer enable_peer memory_handle "
        "open_event open_memory peer_attributes pointer_info"
    ),
    "memory.pools": (
        "AsyncBuffer ImportedBuffer MemoryPool create_pool current_pool default_pool export_buffer import_pool "
        "set_current_pool"
    ),
    "memory.tensormap": "TensorMap TensorMapError tensor_map tensor_map_im2col",
    "memory.textures": "Surface Texels Texture create_surface create_texture",
    "memory.virtual": (
        "GrowableBuffer MappedMemory PhysicalMemory Reservation create_memory import_memory memory_granularity "
        "reserve_addresses"
    ),
    "modules.cubin": "cubin_resources",
    "modules.jitlog": "Resources",
    "modules.library": "Kernel Library",
    "modules.linker": "Linked Linker link",
    "modules.module": "Function FunctionAttributes Module",
    "modules.targets": "TargetTrial loadable_target target_candidates try_targets",
    "streams.stream": "Event",
    "trampoline.choice": "LauncherInfo launcher",
}

__all__ = sorted(" ".join(_EXPORTS.values()).split())

__getattr__, __dir__ = exports(__name__, _EXPORTS)
