"""How many entries of each bin come from the CTAs before each: see group_cache.py."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, kernel, ptr, u32
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.counters import THREADS
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import zeros
from ptxgen.kernels.plan import KernelPlan, ceil_div

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "offsets_plan"]

WARPS = THREADS // WARP


@kernel(threads=THREADS)
def group_offsets(k: Builder, ctas: u32, each: u32, bins: u32, counts: ptr[u32], totals: ptr[u32]) -> None:
    """counts[cta, b] becomes the sum of those of the CTAs before, totals[b] that of all. A CTA a warp's width of bins, of which
    each warp adds up `each` rows."""
    k.launch_dependents()
    k.wait_for_dependencies()
    warp = k.tid.x // WARP
    column, first = counts.at(k.ctaid.x * WARP + k.lane), k.min(warp * each, ctas)
    last = first + k.min(ctas - first, each)
    sums = k.shared(u32, (WARPS, WARP), name="sums").pointer.at(k.lane)
    own = k.var(u32, 0)
    for cta in k.range(first, last):
        own += column[cta * bins]
    sums[warp * WARP] = own
    k.barrier()
    before = k.var(u32, 0)
    for other in k.range(warp):
        before += sums[other * WARP]
    for cta in k.range(first, last):
        count = column[cta * bins]
        column[cta * bins] = before
        before += count
    with k.if_(warp == WARPS - 1):
        totals[k.ctaid.x * WARP + k.lane] = before


KERNEL = group_offsets


def offsets_plan(ctas: int, bins: int, counts: Any, totals: Any) -> KernelPlan:
    """Of so many bins, a multiple of a warp's width."""
    arguments = (ctas, ceil_div(ctas, WARPS), bins, counts, totals)
    return KernelPlan(group_offsets, bins // WARP, THREADS, arguments, programmatic=True)


def _case(ctas: int, rng: np.random.Generator, *, bins: int) -> Case:
    import numpy as np

    counts = rng.integers(0, 100, (ctas, bins)).astype(np.uint32)
    upto = np.cumsum(counts, axis=0, dtype=np.uint32)
    return Case(
        arrays={"counts": HostArray(counts.reshape(-1), u32), "totals": zeros(bins)},
        plan=lambda on: offsets_plan(ctas, bins, on["counts"], on["totals"]),
        expected={"counts": (upto - counts).reshape(-1), "totals": upto[-1]},
        tolerance=EXACT,
    )


VARIANTS = (Variant("group_offsets", "u32", group_offsets, partial(_case, bins=64), (1, 5, 264)),)
