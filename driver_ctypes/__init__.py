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

The rooms, from the ground up; each says in its docstring what belongs there, and imports only those before it:

* ``abi``: the driver's interface as data; `errors`: every exception; `results`: what each result code means
* `lifetime`: who frees what, and when; `integers`: numbers and enumerations, checked
* ``caches``: compiled code on disk; ``trampoline``: the native launcher; ``loading``: libcuda, the table, diagnosis
* ``interop``: other libraries' arrays; ``arguments``: signatures, and values as bytes; ``streams``: streams and events
* ``memory``: all kinds of it, copies, textures; ``launch``: how a kernel is launched, and its limits
* ``modules``: code, linking, logs; ``graphs``: work recorded and replayed
* ``contexts``: devices, contexts, and how threads enter them; `profiler`: ranges with names

A name that the package exports stands in `_ROOMS` below, beside the file that has it.

Importing this package costs nothing: each name below is loaded on first use. It imports nothing of ptxgen.
"""

# ruff: noqa: F403 (star imports for the type checker only: the names stand once, below)

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing's own costs 9 ms, more than everything else here
if TYPE_CHECKING:
    from typing import Any

    from driver_ctypes.arguments.parameter import *
    from driver_ctypes.arguments.signature import *
    from driver_ctypes.caches.code import *
    from driver_ctypes.caches.cubins import *
    from driver_ctypes.caches.folder import *
    from driver_ctypes.caches.jit import *
    from driver_ctypes.caches.process import *
    from driver_ctypes.contexts.context import *
    from driver_ctypes.contexts.device import *
    from driver_ctypes.errors import *
    from driver_ctypes.graphs.capture import *
    from driver_ctypes.graphs.conditional import *
    from driver_ctypes.graphs.definition import *
    from driver_ctypes.graphs.executable import *
    from driver_ctypes.graphs.inventory import *
    from driver_ctypes.graphs.memory import *
    from driver_ctypes.graphs.node import *
    from driver_ctypes.graphs.parameters import *
    from driver_ctypes.graphs.semaphore import *
    from driver_ctypes.launch.attributes import *
    from driver_ctypes.launch.occupancy import *
    from driver_ctypes.loading.diagnosis import *
    from driver_ctypes.loading.drivers import *
    from driver_ctypes.loading.table import *
    from driver_ctypes.memory.accounting import *
    from driver_ctypes.memory.arrays import *
    from driver_ctypes.memory.buffer import *
    from driver_ctypes.memory.host import *
    from driver_ctypes.memory.ipc import *
    from driver_ctypes.memory.peer import *
    from driver_ctypes.memory.pointers import *
    from driver_ctypes.memory.pools import *
    from driver_ctypes.memory.regions import *
    from driver_ctypes.memory.tensormap import *
    from driver_ctypes.memory.textures import *
    from driver_ctypes.memory.virtual import *
    from driver_ctypes.modules.cubin import *
    from driver_ctypes.modules.jitlog import *
    from driver_ctypes.modules.library import *
    from driver_ctypes.modules.linker import *
    from driver_ctypes.modules.module import *
    from driver_ctypes.modules.targets import *
    from driver_ctypes.profiler import *
    from driver_ctypes.streams.event import *
    from driver_ctypes.streams.stream import *
    from driver_ctypes.trampoline.choice import *

_ROOMS = {
    "errors": (
        "Error DriverNotFoundError NotAvailableError DeviceNotFoundError ClosedError ForkedProcessError "
        "SubinterpreterError ArgumentError ArgumentCountError ArgumentTypeError ArgumentRangeError "
        "LaunchConfigError CacheError CacheUnwritableError CacheFullError CacheUnsafeError CacheCorruptError "
        "CacheWarning NoLoadableTargetError CleanupWarning HostFunctionError CudaError InitializationError "
        "OutOfMemoryError InvalidHandleError NotFoundError NotReadyError NotSupportedError GraphUpdateError "
        "CaptureError LaunchError FatalError IllegalAddressError MisalignedAddressError IllegalInstructionError "
        "LaunchTimeoutError DeviceAssertError LaunchFailedError ContextLostError JitError LinkError"
    ),
    "profiler": "nvtx_range profile",
    "arguments.parameter": "Parameter",
    "arguments.signature": "Signature",
    "caches.code": "CacheStatistics CodeStore",
    "caches.cubins": "CubinCache",
    "caches.folder": "cache_folder",
    "caches.jit": "JitCacheSettings configure_jit_cache",
    "caches.process": "code_store cubin_cache set_cubin_cache",
    "contexts.context": "Context",
    "contexts.device": "Device",
    "graphs.capture": "Capture",
    "graphs.conditional": "Condition device_runtime load_with_device_runtime",
    "graphs.definition": "Graph",
    "graphs.executable": "GraphExec",
    "graphs.inventory": "GraphEdge GraphNode",
    "graphs.memory": "GraphMemory graph_memory reset_graph_memory_high trim_graph_memory",
    "graphs.node": "ChildNode ConditionalNode Dependency MemoryNode Node",
    "graphs.parameters": "MemoryOperation wait_value write_value",
    "graphs.semaphore": "ExternalSemaphore import_semaphore",
    "launch.attributes": "AccessWindow",
    "launch.occupancy": (
        "BlockSize Limits available_dynamic_shared max_active_blocks max_active_clusters max_block_size "
        "max_cluster_size resident_blocks"
    ),
    "loading.diagnosis": "Diagnosis diagnose",
    "loading.drivers": "driver driver_names live_handles register_driver",
    "loading.table": "Driver",
    "memory.accounting": "Allocation MemoryAccount MemoryCounts MemoryLeakError memory_account",
    "memory.arrays": "CudaArray MipmappedArray create_array create_mipmapped_array",
    "memory.buffer": "Buffer",
    "memory.host": "ManagedBuffer PinnedBuffer RegisteredMemory",
    "memory.ipc": "OpenedBuffer memory_handle open_event open_memory",
    "memory.peer": "PeerAttributes can_access_peer copy_peer disable_peer enable_peer peer_attributes",
    "memory.pointers": "PointerInfo pointer_info",
    "memory.pools": (
        "AsyncBuffer ImportedBuffer MemoryPool create_pool current_pool default_pool export_buffer import_pool "
        "set_current_pool"
    ),
    "memory.regions": "Region",
    "memory.tensormap": "TensorMap TensorMapError tensor_map tensor_map_im2col",
    "memory.textures": "Surface Texels Texture create_surface create_texture",
    "memory.virtual": (
        "GrowableBuffer MappedMemory PhysicalMemory Reservation create_memory import_memory memory_granularity "
        "reserve_addresses"
    ),
    "modules.cubin": "cubin_resources",
    "modules.jitlog": "JitMessage Resources",
    "modules.library": "Kernel Library",
    "modules.linker": "Linked Linker link",
    "modules.module": "Function FunctionAttributes Module",
    "modules.targets": "TargetTrial loadable_target target_candidates try_targets",
    "streams.event": "Event",
    "streams.stream": "Stream",
    "trampoline.choice": "LauncherInfo launcher",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOM_OF])
