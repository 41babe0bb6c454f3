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
point of the group ``driver_ctypes.drivers``) with callbacks, and nothing here can tell them apart.

The rooms. ``abi`` is the driver's interface as data. `loader` finds libcuda, `drivers` holds the table, `diagnosis`
says what is missing. `errors` and `jitlog` turn result codes and compiler logs into exceptions and data. `lifetime`
decides who frees what and when, `context` (over `entry` and `handles`) is the one way by which any thread calls the
driver. On that stand `memory`,
`stream`, `event`, `module` with `library`, `linker`, `cache` and `targets`, `signature` with `limits` and `launch`, and
the package `graphs`.

Importing this package costs nothing: each name below is loaded on first use. It imports nothing of ptxgen.
"""

# ruff: noqa: F403 (star imports for the type checker only: the names stand once, below)

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing's own costs 9 ms, more than everything else here
if TYPE_CHECKING:
    from typing import Any

    from driver_ctypes.accounting import *
    from driver_ctypes.arrays import *
    from driver_ctypes.cache import *
    from driver_ctypes.context import *
    from driver_ctypes.cubin import *
    from driver_ctypes.device import *
    from driver_ctypes.diagnosis import *
    from driver_ctypes.drivers import *
    from driver_ctypes.errors import *
    from driver_ctypes.event import *
    from driver_ctypes.graphs.capture import *
    from driver_ctypes.graphs.conditional import *
    from driver_ctypes.graphs.definition import *
    from driver_ctypes.graphs.executable import *
    from driver_ctypes.graphs.inventory import *
    from driver_ctypes.graphs.memory import *
    from driver_ctypes.graphs.node import *
    from driver_ctypes.graphs.parameters import *
    from driver_ctypes.graphs.semaphore import *
    from driver_ctypes.hostmemory import *
    from driver_ctypes.ipc import *
    from driver_ctypes.jitcache import *
    from driver_ctypes.jitlog import *
    from driver_ctypes.launchattributes import *
    from driver_ctypes.library import *
    from driver_ctypes.linker import *
    from driver_ctypes.memory import *
    from driver_ctypes.module import *
    from driver_ctypes.occupancy import *
    from driver_ctypes.peer import *
    from driver_ctypes.pointers import *
    from driver_ctypes.pools import *
    from driver_ctypes.profiler import *
    from driver_ctypes.regions import *
    from driver_ctypes.signature import *
    from driver_ctypes.stream import *
    from driver_ctypes.targets import *
    from driver_ctypes.tensormap import *
    from driver_ctypes.textures import *
    from driver_ctypes.trampoline import *
    from driver_ctypes.virtual import *

_ROOMS = {
    "accounting": "Allocation MemoryAccount MemoryCounts MemoryLeakError memory_account",
    "arrays": "CudaArray MipmappedArray create_array create_mipmapped_array",
    "cache": "CacheStatistics CubinCache cache_folder cubin_cache set_cubin_cache",
    "context": "Context",
    "cubin": "cubin_resources",
    "device": "Device",
    "diagnosis": "Diagnosis diagnose",
    "drivers": "Driver driver driver_names live_handles register_driver",
    "errors": (
        "Error DriverNotFoundError NotAvailableError DeviceNotFoundError ClosedError ForkedProcessError "
        "SubinterpreterError "
        "ArgumentError ArgumentCountError ArgumentTypeError ArgumentRangeError LaunchConfigError "
        "CacheError CacheUnwritableError CacheFullError CacheUnsafeError CacheCorruptError CacheWarning "
        "NoLoadableTargetError "
        "CleanupWarning HostFunctionError CudaError InitializationError OutOfMemoryError InvalidHandleError NotFoundError "
        "NotReadyError NotSupportedError GraphUpdateError CaptureError LaunchError FatalError "
        "IllegalAddressError MisalignedAddressError IllegalInstructionError LaunchTimeoutError "
        "DeviceAssertError LaunchFailedError ContextLostError JitError LinkError"
    ),
    "event": "Event",
    "graphs.capture": "Capture",
    "graphs.conditional": "Condition device_runtime load_with_device_runtime",
    "graphs.definition": "Graph",
    "graphs.executable": "GraphExec",
    "graphs.inventory": "GraphEdge GraphNode",
    "graphs.memory": "GraphMemory graph_memory reset_graph_memory_high trim_graph_memory",
    "graphs.node": "ChildNode ConditionalNode Dependency MemoryNode Node",
    "graphs.parameters": "MemoryOperation wait_value write_value",
    "graphs.semaphore": "ExternalSemaphore import_semaphore",
    "jitcache": "JitCacheSettings configure_jit_cache",
    "jitlog": "JitMessage Resources",
    "launchattributes": "AccessWindow",
    "library": "Kernel Library",
    "linker": "Linked Linker link",
    "hostmemory": "ManagedBuffer PinnedBuffer RegisteredMemory",
    "ipc": "OpenedBuffer memory_handle open_event open_memory",
    "memory": "Buffer",
    "module": "Function FunctionAttributes Module",
    "occupancy": (
        "BlockSize Limits available_dynamic_shared max_active_blocks max_active_clusters max_block_size max_cluster_size "
        "resident_blocks"
    ),
    "peer": "PeerAttributes can_access_peer copy_peer disable_peer enable_peer peer_attributes",
    "pointers": "PointerInfo pointer_info",
    "pools": (
        "AsyncBuffer ImportedBuffer MemoryPool create_pool current_pool default_pool export_buffer import_pool "
        "set_current_pool"
    ),
    "profiler": "nvtx_range profile",
    "regions": "Region",
    "signature": "Parameter Signature",
    "stream": "Stream",
    "targets": "TargetTrial loadable_target target_candidates try_targets",
    "tensormap": "TensorMap TensorMapError tensor_map tensor_map_im2col",
    "textures": "Surface Texels Texture create_surface create_texture",
    "trampoline": "LauncherInfo launcher",
    "virtual": (
        "GrowableBuffer MappedMemory PhysicalMemory Reservation create_memory import_memory memory_granularity "
        "reserve_addresses"
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOM_OF])
