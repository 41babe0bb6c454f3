"""How many blocks of a kernel are resident on a multiprocessor at once, and which block size makes the most of it.

The driver's answers come with `Function`-level questions (`max_active_blocks`, `max_block_size`, ...), and the same
numbers from a formula over a device's limits, for planning before there is a kernel, and for the emulated driver. The
formula is that of the CUDA C++ Programming Guide's "Compute Capabilities": registers are handed out to a warp in units of
256, and to four warps at a time; shared memory to a block in units of 128 bytes, with what the system reserves in it.

The search for a block size runs in Python: a Python callback inside the driver, which holds its locks, has deadlocked
programs.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.errors import ArgumentRangeError, ArgumentTypeError, LaunchConfigError
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from driver_ctypes.validate import index

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.session.device import DeviceBase

_REGISTER_UNIT = 256  # registers of a warp
_WARP_UNIT = 4  # warps that registers are handed out to together
_SHARED_UNIT = 128  # bytes of a block
_CACHING_OVERRIDE = 1  # CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE
_CLUSTER_DIMENSION = 4  # CUlaunchAttributeID
_INVALID_VALUE = 1


class Limits(NamedTuple):
    """What one device allows. Of a multiprocessor, where nothing else is said."""

    multiprocessors: int
    warp: int
    """Threads of a warp."""
    threads_per_block: int
    threads: int
    blocks: int
    registers: int
    shared: int
    """Bytes of shared memory."""
    reserved: int
    """Bytes of each block's shared memory that the system takes."""

    @classmethod
    def of(cls, device: DeviceBase) -> Limits:
        """Those of *device*, as its driver tells them. Raises ArgumentTypeError for anything else than a device."""
        if not hasattr(device, "attribute"):
            raise ArgumentTypeError(
                f"{type(device).__name__} {device!r:.60} is not a device", hint="context.device is one"
            )
        return cls.of_attributes(device.attribute)

    @classmethod
    def of_attributes(cls, attribute: Callable[[int], int]) -> Limits:
        """From CUdevice_attribute values."""
        return cls(*[attribute(number) for number in (16, 10, 1, 39, 106, 82, 81, 111)])


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def resident_blocks(limits: Limits, threads: int, registers: int, shared: int) -> int:
    """Blocks of *threads* threads, *registers* registers a thread and *shared* bytes (static and dynamic) that are
    resident on one multiprocessor; 0 where not even one is.
    """
    if not 0 < threads <= limits.threads_per_block:
        return 0
    warps = -(-threads // limits.warp)
    of_warp = _up(max(registers, 1) * limits.warp, _REGISTER_UNIT)
    by_registers = limits.registers // of_warp // _WARP_UNIT * _WARP_UNIT // warps
    by_shared = limits.shared // _up(max(shared + limits.reserved, 1), _SHARED_UNIT)
    return min(limits.blocks, limits.threads // limits.warp // warps, by_registers, by_shared)


def available_shared(limits: Limits, blocks: int, static: int) -> int:
    """Bytes of dynamic shared memory that each of *blocks* blocks may have beside *static* bytes; negative where even
    those do not fit. As the driver counts, what the system reserves is not taken off.
    """
    return limits.shared // blocks // _SHARED_UNIT * _SHARED_UNIT - static


def best_block(limits: Limits, most: int, blocks: Callable[[int], int]) -> tuple[int, int]:
    """(blocks of a multiprocessor, threads of a block) with the most threads resident; of equals the largest block.

    *blocks* tells how many blocks of that many threads are resident.
    """
    best = (0, 0, 0)
    for threads in dict.fromkeys([most, *range(most // limits.warp * limits.warp, 0, -limits.warp)]):
        resident = blocks(threads)
        best = max(best, (resident * threads, threads, resident))
    return best[2], best[1]


# --- what the driver says ---------------------------------------------------------------------------------------------


class BlockSize(NamedTuple):
    """What a search for the best block size has found."""

    threads: int
    """Threads of a block."""
    blocks_per_multiprocessor: int
    grid: int
    """Blocks that fill the whole device."""
    occupancy: float
    """Resident warps, as a part of what a multiprocessor can hold."""


def max_active_blocks(function: LoadedKernel, threads: int, shared: int = 0, *, caching_override: bool = True) -> int:
    """Blocks of *threads* threads with *shared* bytes of dynamic shared memory that are resident on a multiprocessor.

    Without *caching_override*, fewer where caching of global memory in L1 would need shared memory's room. Raises
    ArgumentRangeError for no threads, ClosedError.
    """
    function.module.check_open()
    _positive("threads", threads)
    result = ctypes.c_int()
    symbol = "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"
    flags = 0 if caching_override else _CACHING_OVERRIDE
    function.context.call(symbol, ctypes.byref(result), function.handle, threads, shared, flags)
    return result.value


def max_block_size(
    function: LoadedKernel, shared: int | Callable[[int], int] = 0, *, limit: int | None = None
) -> BlockSize:
    """The block size with the most threads resident, of at most *limit* threads.

    *shared* is dynamic shared memory in bytes, or a function that tells it for a number of threads. Raises
    LaunchConfigError where no block fits.
    """
    function.module.check_open()
    limits = Limits.of(function.context.device)
    most = function.attribute(0)  # MAX_THREADS_PER_BLOCK
    if limit is not None:
        _positive("limit", limit)
        most = min(most, limit)

    def blocks(threads: int) -> int:
        return max_active_blocks(function, threads, shared(threads) if callable(shared) else shared)

    resident, threads = best_block(limits, most, blocks)
    if not resident:
        raise LaunchConfigError(
            f"kernel {function.name!r}: no block of up to {most} threads fits a multiprocessor",
            limit="resident blocks", allowed=0, found=1,
            hint="ask for less shared memory; above 48 KiB the kernel's MAX_DYNAMIC_SHARED_SIZE_BYTES must be set",
        )  # fmt: skip
    warps = resident * -(-threads // limits.warp)
    return BlockSize(threads, resident, resident * limits.multiprocessors, warps * limits.warp / limits.threads)


def available_dynamic_shared(function: LoadedKernel, blocks: int, threads: int) -> int:
    """Bytes of dynamic shared memory that each of *blocks* blocks on a multiprocessor may have. Raises LaunchConfigError
    where so many are not resident with none of it.
    """
    function.module.check_open()
    _positive("blocks", blocks)
    _positive("threads", threads)
    context, result = function.context, ctypes.c_size_t()
    code = context.try_call(
        "cuOccupancyAvailableDynamicSMemPerBlock", ctypes.byref(result), function.handle, blocks, threads
    )
    if code == _INVALID_VALUE:
        context.driver.new_log()
        raise LaunchConfigError(
            f"kernel {function.name!r}: {blocks} blocks of {threads} threads are not resident on one multiprocessor",
            limit="resident blocks", allowed=max_active_blocks(function, threads), found=blocks,
        )  # fmt: skip
    if code:
        raise context.error("cuOccupancyAvailableDynamicSMemPerBlock", code)
    return result.value


def max_cluster_size(function: LoadedKernel, threads: int, shared: int = 0) -> int:
    """CTAs of the largest cluster that the kernel can be launched in; 8 at most where larger ones were not allowed
    (attribute NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
    """
    config, _attribute = _config(threads, shared, 0, 1)
    return _clusters("cuOccupancyMaxPotentialClusterSize", function, config)


def max_active_clusters(function: LoadedKernel, cluster: int, threads: int, shared: int = 0) -> int:
    """Clusters of *cluster* CTAs (of *threads* threads and *shared* bytes each) that are resident on the whole device."""
    _positive("cluster", cluster)
    config, attribute = _config(threads, shared, cluster, cluster)
    count = _clusters("cuOccupancyMaxActiveClusters", function, config)
    del attribute  # the configuration points to it
    return count


def _clusters(symbol: str, function: LoadedKernel, config: Any) -> int:
    function.module.check_open()
    result = ctypes.c_int()
    function.context.call(symbol, ctypes.byref(result), function.handle, ctypes.byref(config))
    return result.value


def _config(threads: int, shared: int, cluster: int, grid: int) -> tuple[Any, Any]:
    """A launch configuration, and the attribute that it points to."""
    from driver_ctypes.abi.launch_structs import CUlaunchAttribute, CUlaunchConfig

    _positive("threads", threads)
    attribute = CUlaunchAttribute(id=_CLUSTER_DIMENSION)
    attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = cluster, 1, 1
    config = CUlaunchConfig(grid, 1, 1, threads, 1, 1, shared)
    if cluster:
        config.attrs, config.numAttrs = ctypes.addressof(attribute), 1
    return config, attribute


def _positive(name: str, value: int) -> None:
    if index(value, name) < 1:
        raise ArgumentRangeError(f"{name}={value!r}: a positive number is needed")
