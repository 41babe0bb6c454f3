"""How many blocks of a kernel are resident on a multiprocessor of the stated device (compute capability 9.0).

The emulated driver's own calculation, by the rules of the CUDA Occupancy Calculator (`cuda_occupancy.h`) and of the CUDA C++
Programming Guide, "Compute Capabilities". It shares nothing with `driver_ctypes.launch.occupancy`; a test compares the two,
and both with the answers of an H200.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.emulated_driver.modules.loading import Function

MULTIPROCESSORS = 132
WARP_SIZE = 32
MAX_THREADS_PER_BLOCK = 1024
MAX_WARPS = 64
"""Resident on a multiprocessor; so are all the limits below."""
MAX_BLOCKS = 32

SUB_PARTITIONS = 4
"""A warp stays in one of them, and takes its registers there."""
REGISTERS_OF_SUB_PARTITION = 65536 // SUB_PARTITIONS
REGISTER_ALLOCATION_UNIT = 256
"""Registers of a warp are a multiple of this."""

SHARED_MEMORY = 228 << 10
"""The largest of the carve-outs (0, 8, 16, 32, 64, 100, 132, 164, 196, 228 KiB). The driver takes the smallest that gives the
most resident blocks, so that the largest one is the limit."""
SHARED_MEMORY_RESERVED = 1 << 10
"""Bytes that the system takes of each block's shared memory."""
SHARED_MEMORY_ALLOCATION_UNIT = 128


def warps_of(threads: int) -> int:
    return (threads + WARP_SIZE - 1) // WARP_SIZE


def blocks_limited_by_registers(warps: int, registers: int) -> int:
    """Blocks of that many warps whose registers fit, at *registers* a thread."""
    units = (max(registers, 1) * WARP_SIZE + REGISTER_ALLOCATION_UNIT - 1) // REGISTER_ALLOCATION_UNIT
    warps_of_sub_partition = REGISTERS_OF_SUB_PARTITION // (units * REGISTER_ALLOCATION_UNIT)
    return SUB_PARTITIONS * warps_of_sub_partition // warps


def blocks_limited_by_shared_memory(shared: int) -> int:
    """Blocks whose shared memory fits, at *shared* bytes (static and dynamic) each."""
    units = (shared + SHARED_MEMORY_RESERVED + SHARED_MEMORY_ALLOCATION_UNIT - 1) // SHARED_MEMORY_ALLOCATION_UNIT
    return SHARED_MEMORY // SHARED_MEMORY_ALLOCATION_UNIT // units


def active_blocks(threads: int, registers: int, shared: int) -> int:
    """Resident blocks of *threads* threads with *registers* registers a thread and *shared* bytes of shared memory; 0 where
    not even one fits.
    """
    if threads < 1 or threads > MAX_THREADS_PER_BLOCK:
        return 0
    warps = warps_of(threads)
    return min(
        MAX_BLOCKS,
        MAX_WARPS // warps,
        blocks_limited_by_registers(warps, registers),
        blocks_limited_by_shared_memory(shared),
    )


def blocks_per_sm(function: Function, threads: int, shared: int) -> int:
    """The same of a kernel. `shared` is dynamic shared memory, in bytes."""
    if shared > function.max_dynamic:
        return 0
    return active_blocks(threads, function.kernel.registers, function.kernel.static_shared + shared)


def dynamic_shared_memory_for(blocks: int, static: int) -> int:
    """Bytes of dynamic shared memory that each of *blocks* resident blocks may have; negative where the *static* bytes do not
    fit. As recorded on an H200, what the system reserves is not taken off.
    """
    units = SHARED_MEMORY // SHARED_MEMORY_ALLOCATION_UNIT // blocks
    return units * SHARED_MEMORY_ALLOCATION_UNIT - static


def potential_block_size(limit: int, blocks: Callable[[int], int]) -> tuple[int, int]:
    """(resident blocks, threads of a block) with the most threads resident; the largest block of several that are equal.

    Tried are the limit and the multiples of a warp below it, from the largest down. *blocks* tells how many blocks of that
    many threads are resident.
    """
    best_blocks = best_threads = 0
    aligned = warps_of(limit) * WARP_SIZE
    while aligned > 0:
        threads = min(aligned, limit)
        resident = blocks(threads)
        if resident * threads > best_blocks * best_threads:
            best_blocks, best_threads = resident, threads
        aligned -= WARP_SIZE
    return best_blocks, best_threads
