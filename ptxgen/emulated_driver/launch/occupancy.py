"""cuOccupancy*: how many blocks and clusters are resident on the device. Those of an H200 agree with its driver's answers."""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.launch.kernels import read_config
from ptxgen.emulated_driver.launch.residency import (
    active_blocks,
    blocks_per_sm,
    dynamic_shared_memory_for,
    potential_block_size,
)
from ptxgen.emulated_driver.modules.libraries import function_of
from ptxgen.emulated_driver.modules.loading import Function
from ptxgen.emulated_driver.pointers import need, put_i32, put_u64
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.shape import NO_CLUSTER
from ptxgen.isa.products import Product
from ptxgen.isa.targets import Target

_FLAGS = (enums.CUoccupancy_flags.DEFAULT, enums.CUoccupancy_flags.DISABLE_CACHING_OVERRIDE)
_BLOCKS_OF_CLUSTERS = 8  # of a multiprocessor that can belong to clusters

_BLOCK_TO_SHARED = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)


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
    if flags not in _FLAGS:
        raise invalid_value(f"occupancy flags {flags}: 0 or 1")
    _blocks(context, out, handle, threads, shared)


def _best(function: Function, shared_of: int | None, shared: int, limit: int) -> tuple[int, int]:
    """(blocks of a full device, threads of a block)."""

    def blocks(threads: int) -> int:
        needed = _BLOCK_TO_SHARED(shared_of)(threads) if shared_of else shared
        return blocks_per_sm(function, threads, needed)

    best, threads = potential_block_size(min(function.max_threads, limit or Target.max_threads), blocks)
    return best * function.product.multiprocessors, threads


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
    if flags not in _FLAGS:
        raise invalid_value(f"occupancy flags {flags}: 0 or 1")
    max_potential_block_size(context, grid, block, handle, shared_of, shared, limit)


@entry("cuOccupancyAvailableDynamicSMemPerBlock")
def available_dynamic_shared(context: Context, out: int | None, handle: int | None, blocks: int, threads: int) -> None:
    """What each of `blocks` blocks on a multiprocessor may have. As recorded, the reserved part is not taken off."""
    function = function_of(context, handle)
    if blocks <= 0 or threads <= 0:
        raise invalid_value(f"{blocks} blocks of {threads} threads")
    target = function.product.target
    room = dynamic_shared_memory_for(target, blocks, function.kernel.static_shared)
    if room < 0 or blocks > active_blocks(target, threads, function.registers, 0):
        raise invalid_value(f"{blocks} blocks of {threads} threads do not fit a multiprocessor")
    put_u64(out, min(room, function.max_dynamic))


# --- clusters ---------------------------------------------------------------------------------------------------------


def _multiprocessors_for(product: Product, ctas: int, blocks: int) -> int:
    """How many of the multiprocessors clusters of that many CTAs can use, `blocks` on each. They lie in groups of up to 18, and
    a cluster does not leave its group. Where nothing was recorded they are taken for groups of 16.
    """
    if ctas <= 2:
        return product.multiprocessors
    if product.clusters is None:
        return product.multiprocessors // 16 * 16
    return product.clusters[2 * (ctas > product.target.max_cluster) + (ctas > 2 * blocks)]


@entry("cuOccupancyMaxActiveClusters")
def max_active_clusters(context: Context, out: int | None, handle: int | None, config: int | None) -> None:
    need(out)
    shape, _stream, _attributes = read_config(config)
    function = function_of(context, handle)
    x, y, z = shape.cluster if shape.cluster != NO_CLUSTER else function.cluster
    ctas = x * y * z
    if ctas and any(extent % size for extent, size in zip(shape.grid, (x, y, z))):
        raise Refusal(
            enums.CUresult.ERROR_INVALID_CLUSTER_SIZE, f"clusters of {(x, y, z)} do not divide grid {shape.grid}"
        )
    target = function.product.target
    if ctas > max(target.max_cluster, 1) and not function.non_portable:
        raise Refusal(
            enums.CUresult.ERROR_INVALID_CLUSTER_SIZE,
            f"{ctas} CTAs in a cluster: more than {target.max_cluster} need NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
        )
    bx, by, bz = shape.block
    blocks = min(blocks_per_sm(function, bx * by * bz, shape.shared), _BLOCKS_OF_CLUSTERS)
    fits = blocks and 0 < ctas <= target.largest_cluster
    put_i32(out, _multiprocessors_for(function.product, ctas, blocks) * blocks // ctas if fits else 0)


@entry("cuOccupancyMaxPotentialClusterSize")
def max_potential_cluster_size(context: Context, out: int | None, handle: int | None, config: int | None) -> None:
    shape, _stream, _attributes = read_config(config)
    function = function_of(context, handle)
    bx, by, bz = shape.block
    fits = blocks_per_sm(function, bx * by * bz, shape.shared) > 0
    target = function.product.target
    put_i32(out, (target.largest_cluster if function.non_portable else target.max_cluster) if fits else 0)
