"""How many blocks fit on a multiprocessor of the stated device, by the rules of compute capability 9.0.

CUDA C++ Programming Guide, "Compute Capabilities"; the answers agree with those recorded on an H200.
"""

from __future__ import annotations

import ctypes

from ptxgen.cpu.driver.launch import LARGEST_CLUSTER, NO_CLUSTER, PORTABLE_CLUSTER, read_config
from ptxgen.cpu.driver.libraries import function_of
from ptxgen.cpu.driver.modules import Function
from ptxgen.cpu.driver.pointers import put_i32, put_u64
from ptxgen.cpu.driver.refusal import invalid_value
from ptxgen.cpu.driver.state import Context
from ptxgen.cpu.driver.table import entry

SM_COUNT = 132
THREADS, WARPS, BLOCKS, REGISTERS = 2048, 64, 32, 65536  # of one multiprocessor
SHARED = 228 << 10  # bytes of one multiprocessor
RESERVED = 1 << 10  # bytes the system takes from each block's
WARP = 32
_REGISTER_UNIT, _WARP_UNIT, _SHARED_UNIT = 256, 4, 128  # what is handed out at a time
_MAX_THREADS = 1024

_BLOCK_TO_SHARED = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def blocks_per_sm(function: Function, threads: int, shared: int) -> int:
    """0 when a block does not fit at all. `shared` is dynamic shared memory, in bytes."""
    if threads > _MAX_THREADS or shared > function.max_dynamic:
        return 0
    warps = -(-threads // WARP)
    of_warp = _up(max(function.kernel.registers, 1) * WARP, _REGISTER_UNIT)
    by_registers = REGISTERS // of_warp // _WARP_UNIT * _WARP_UNIT // warps
    by_shared = SHARED // _up(function.kernel.static_shared + shared + RESERVED, _SHARED_UNIT)
    return min(BLOCKS, WARPS // warps, by_registers, by_shared)


def _blocks(context: Context, out: int | None, handle: int | None, threads: int, shared: int) -> None:
    if threads <= 0:
        raise invalid_value(f"a block of {threads} threads")
    put_i32(out, blocks_per_sm(function_of(context, handle), threads, shared))


@entry("cuOccupancyMaxActiveBlocksPerMultiprocessor")
def max_active_blocks(context: Context, out: int | None, handle: int | None, threads: int, shared: int) -> None:
    _blocks(context, out, handle, threads, shared)


@entry("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def max_active_blocks_with_flags(
    context: Context, out: int | None, handle: int | None, threads: int, shared: int, flags: int
) -> None:
    if flags not in (0, 1):
        raise invalid_value(f"occupancy flags {flags}: 0 or 1")
    _blocks(context, out, handle, threads, shared)


def _best(function: Function, shared_of: int | None, shared: int, limit: int) -> tuple[int, int]:
    """(blocks of a full device, threads of a block): the most threads resident; of equals the largest block."""
    most = min(function.max_threads, limit or _MAX_THREADS)
    best = (0, 0, 0)
    for threads in dict.fromkeys([most, *range(most // WARP * WARP, 0, -WARP)]):
        needed = _BLOCK_TO_SHARED(shared_of)(threads) if shared_of else shared
        blocks = blocks_per_sm(function, threads, needed)
        best = max(best, (blocks * threads, threads, blocks))
    return best[2] * SM_COUNT, best[1]


@entry("cuOccupancyMaxPotentialBlockSize")
def max_potential_block_size(
    context: Context,
    grid: int | None,
    block: int | None,
    handle: int | None,
    shared_of: int | None,
    shared: int,
    limit: int,
) -> None:
    blocks, threads = _best(function_of(context, handle), shared_of, shared, limit)
    put_i32(grid, blocks)
    put_i32(block, threads)


@entry("cuOccupancyMaxPotentialBlockSizeWithFlags")
def max_potential_block_size_with_flags(
    context: Context, grid: int | None, block: int | None, handle: int | None, shared_of: int | None, shared: int,
    limit: int, flags: int,
) -> None:  # fmt: skip
    if flags not in (0, 1):
        raise invalid_value(f"occupancy flags {flags}: 0 or 1")
    max_potential_block_size(context, grid, block, handle, shared_of, shared, limit)


@entry("cuOccupancyAvailableDynamicSMemPerBlock")
def available_dynamic_shared(context: Context, out: int | None, handle: int | None, blocks: int, threads: int) -> None:
    """What each of `blocks` blocks on a multiprocessor may have. As recorded, the reserved part is not taken off."""
    function = function_of(context, handle)
    if blocks <= 0 or threads <= 0:
        raise invalid_value(f"{blocks} blocks of {threads} threads")
    room = SHARED // blocks // _SHARED_UNIT * _SHARED_UNIT - function.kernel.static_shared
    put_u64(out, min(max(room, 0), function.max_dynamic))


@entry("cuOccupancyMaxActiveClusters")
def max_active_clusters(context: Context, out: int | None, handle: int | None, config: int | None) -> None:
    shape, _stream = read_config(config)
    x, y, z = shape.cluster if shape.cluster != NO_CLUSTER else (1, 1, 1)
    bx, by, bz = shape.block
    put_i32(out, SM_COUNT * blocks_per_sm(function_of(context, handle), bx * by * bz, shape.shared) // (x * y * z))


@entry("cuOccupancyMaxPotentialClusterSize")
def max_potential_cluster_size(context: Context, out: int | None, handle: int | None, config: int | None) -> None:
    shape, _stream = read_config(config)
    function = function_of(context, handle)
    bx, by, bz = shape.block
    fits = blocks_per_sm(function, bx * by * bz, shape.shared) > 0
    put_i32(out, (LARGEST_CLUSTER if function.non_portable else PORTABLE_CLUSTER) if fits else 0)
