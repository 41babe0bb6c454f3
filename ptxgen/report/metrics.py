"""What the heat of a line may be: one row for each number that the page offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.profiler.counts import Counts

__all__ = ["METRICS", "Metric", "short"]


class Metric(NamedTuple):
    """`of` gives the number of an instruction that was counted; `of_text`: it is known without a run, and None does."""

    name: str
    what: str
    of: Callable[[Counts], float]
    of_text: bool = False


METRICS = (
    Metric("warps", "executions by a warp", lambda c: c.warps),
    Metric("threads", "executions by a thread whose guard holds", lambda c: c.active),
    Metric("idle lanes", "lanes that take no part in an execution", lambda c: 32 * c.warps - c.active),
    Metric("divergent", "branches after which the threads of a warp part", lambda c: c.divergent),
    Metric("global bytes", "bytes of global memory that threads ask for", lambda c: c.global_bytes),
    Metric("sectors", "sectors of 32 bytes that requests of global memory touch", lambda c: c.global_sectors),
    Metric(
        "excess sectors",
        "sectors that neighbouring addresses would spare",
        lambda c: c.global_sectors - c.global_fewest,
    ),
    Metric("wavefronts", "turns of shared memory's banks", lambda c: c.shared_wavefronts),
    Metric("conflicts", "turns that other addresses would spare", lambda c: c.conflicts),
    Metric("flops", "floating-point operations", lambda c: c.all_flops),
    Metric("live registers", "32-bit registers alive before the instruction", lambda c: 0, of_text=True),
)


def short(value: float) -> str:
    """A number in few characters: 1234567 is 1.23M."""
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}" if value != int(value) else str(int(value))
