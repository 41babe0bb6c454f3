"""How many CTAs of a kernel a multiprocessor of a target holds, and what limits them.

The formula is `driver_ctypes.resident_blocks`; here it gets a target's limits in place of a device's.
"""

from __future__ import annotations

from typing import NamedTuple

from driver_ctypes.launch.occupancy import Limits, resident_blocks
from ptxgen.isa.targets import Target, find_target

__all__ = ["Occupancy", "limits", "occupancy"]

_PLENTY = 1 << 40


class Occupancy(NamedTuple):
    """CTAs of `threads` threads with `registers` a thread and `shared` bytes, on one multiprocessor.

    `warps`: that are resident; `fraction`: of those that it could hold. `limited_by`: "threads", "CTAs", "shared memory" or
    "registers"; the first of these where several do.
    """

    threads: int
    registers: int
    shared: int
    ctas: int
    warps: int
    fraction: float
    limited_by: str


def limits(target: Target) -> Limits:
    """A multiprocessor of a target; the number of multiprocessors is a device's affair, and 1 here."""
    return Limits(
        1, target.warp, target.max_threads, target.threads_total, target.ctas_total, target.registers_total,
        target.shared_total, target.shared_reserved,
    )  # fmt: skip


def occupancy(target: Target | str, threads: int, registers: int, shared: int = 0) -> Occupancy:
    """The occupancy of a kernel; `shared` is static and dynamic together, in bytes.

    Raises ValueError for threads that no CTA has. 0 CTAs where one alone does not fit.
    """
    chosen = find_target(target) if isinstance(target, str) else target
    if not 0 < threads <= chosen.max_threads:
        raise ValueError(f"{threads} threads: a CTA has 1 to {chosen.max_threads}")
    known = limits(chosen)
    free = known._replace(registers=_PLENTY, shared=_PLENTY, threads=_PLENTY, blocks=_PLENTY)
    alone = {
        "threads": free._replace(threads=known.threads),
        "CTAs": free._replace(blocks=known.blocks),
        "shared memory": free._replace(shared=known.shared),
        "registers": free._replace(registers=known.registers),
    }
    counts = {name: resident_blocks(each, threads, registers, shared) for name, each in alone.items()}
    ctas = min(counts.values())
    warps = ctas * -(-threads // chosen.warp)
    which = next(name for name, count in counts.items() if count == ctas)
    return Occupancy(threads, registers, shared, ctas, warps, warps * chosen.warp / chosen.threads_total, which)
