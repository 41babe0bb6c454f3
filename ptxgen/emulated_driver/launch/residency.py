"""How many blocks of a kernel are resident on a multiprocessor of the device.

The emulated driver's own calculation, by the rules of the CUDA Occupancy Calculator (`cuda_occupancy.h`) and of the CUDA C++
Programming Guide, "Compute Capabilities". It shares nothing with `driver_ctypes.launch.occupancy`; a test compares the two,
and both with the answers of an H200. Of a target's shared memory the largest carve-out counts (on an H200 there are those of
0, 8, 16, 32, 64, 100, 132, 164, 196 and 228 KiB): the driver takes the smallest that gives the most resident blocks.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.isa.targets import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.emulated_driver.modules.loading import Function

SUB_PARTITIONS = 4
"""A warp stays in one of them, and takes its registers there."""
REGISTER_ALLOCATION_UNIT = 256
"""Registers of a warp are a multiple of this."""
SHARED_MEMORY_ALLOCATION_UNIT = 128


def warps_of(threads: int) -> int:
    return (threads + Target.warp - 1) // Target.warp


def blocks_limited_by_registers(target: Target, warps: int, registers: int) -> int:
    """Blocks of that many warps whose registers fit, at *registers* a thread."""
    units = (max(registers, 1) * target.warp + REGISTER_ALLOCATION_UNIT - 1) // REGISTER_ALLOCATION_UNIT
    of_sub_partition = target.registers_total // SUB_PARTITIONS
    return SUB_PARTITIONS * (of_sub_partition // (units * REGISTER_ALLOCATION_UNIT)) // warps


def blocks_limited_by_shared_memory(target: Target, shared: int) -> int:
    """Blocks whose shared memory fits, at *shared* bytes (static and dynamic) each."""
    units = (shared + target.shared_reserved + SHARED_MEMORY_ALLOCATION_UNIT - 1) // SHARED_MEMORY_ALLOCATION_UNIT
    return target.shared_total // SHARED_MEMORY_ALLOCATION_UNIT // max(units, 1)


def active_blocks(target: Target, threads: int, registers: int, shared: int) -> int:
    """Resident blocks of *threads* threads with *registers* registers a thread and *shared* bytes of shared memory; 0 where
    not even one fits.
    """
    if threads < 1 or threads > target.max_threads:
        return 0
    warps = warps_of(threads)
    return min(
        target.ctas_total,
        target.warps_total // warps,
        blocks_limited_by_registers(target, warps, registers),
        blocks_limited_by_shared_memory(target, shared),
    )


def blocks_per_sm(function: Function, threads: int, shared: int) -> int:
    """The same of a kernel. `shared` is dynamic shared memory, in bytes."""
    if shared > function.max_dynamic:
        return 0
    return active_blocks(function.product.target, threads, function.registers, function.kernel.static_shared + shared)


def dynamic_shared_memory_for(target: Target, blocks: int, static: int) -> int:
    """Bytes of dynamic shared memory that each of *blocks* resident blocks may have; negative where the *static* bytes do not
    fit. As recorded on an H200, what the system reserves is not taken off.
    """
    units = target.shared_total // SHARED_MEMORY_ALLOCATION_UNIT // blocks
    return units * SHARED_MEMORY_ALLOCATION_UNIT - static


def potential_block_size(limit: int, blocks: Callable[[int], int]) -> tuple[int, int]:
    """(resident blocks, threads of a block) with the most threads resident; the largest block of several that are equal.

    Tried are the limit and the multiples of a warp below it, from the largest down. *blocks* tells how many blocks of that
    many threads are resident.
    """
    best_blocks = best_threads = 0
    aligned = warps_of(limit) * Target.warp
    while aligned > 0:
        threads = min(aligned, limit)
        resident = blocks(threads)
        if resident * threads > best_blocks * best_threads:
            best_blocks, best_threads = resident, threads
        aligned -= Target.warp
    return best_blocks, best_threads
