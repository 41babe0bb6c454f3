"""Counters of a CTA in shared memory: cleared, counted in by whole warps, and scanned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.kernels.blocks.collectives import WARP, warp_scan
from ptxgen.kernels.plan import ceil_div

if TYPE_CHECKING:
    from ptxgen.builder import Builder

__all__ = ["THREADS", "clear", "scan", "take_place", "words_for"]

THREADS = 512
"""Threads of a CTA that counts; the scan is made for so many."""
WARPS = THREADS // WARP
CROWD = 8
"""Lanes with one counter from which on a warp adds for all of them at once."""

SCANNED = WARPS * WARP * 4
"""Words that a CTA scans at a time; what it scans is padded to a multiple of them."""


def words_for(counters: int) -> int:
    """So many words at least, in whole pieces of a scan."""
    return ceil_div(counters, SCANNED) * SCANNED


def clear(k: Builder, words: Any, size: Any) -> None:
    """Zeros in `size` shared words, a multiple of SCANNED, with a barrier behind."""
    for i in k.range(k.tid.x, size // 4, THREADS):
        words.vectors(4)[i] = (0, 0, 0, 0)
    k.barrier()


def scan(k: Builder, words: Any, size: Any, name: str = "warp_totals") -> None:
    """Exclusive sums of `size` shared words, a multiple of SCANNED, in place. The CTA is in step before and after. `name`: of a
    shared array, in a kernel that scans at two places."""
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    rounds = size // SCANNED
    mine = words.vectors(4).at(warp * rounds * WARP + lane)
    carry = k.var(u32, 0)
    for r in k.range(rounds):
        values = list(mine.load(r * WARP))
        sums = [values[0]]
        for value in values[1:]:
            sums.append(sums[-1] + value)
        upto = warp_scan(k, sums[-1], WARP)
        before = carry + upto - sums[-1]
        mine.store(r * WARP, (before, *(before + each for each in sums[:-1])))
        carry += k.shfl_idx(upto, WARP - 1)
    totals = k.shared(u32, WARPS, name=name)
    with k.if_(lane == 0):
        totals[warp] = carry
    k.barrier()
    total = totals[lane % WARPS]
    before_warp = k.shfl_idx(warp_scan(k, total, WARPS) - total, warp)
    for r in k.range(rounds):
        mine.store(r * WARP, tuple(value + before_warp for value in mine.load(r * WARP)))
    k.barrier()


def take_place(k: Builder, counters: Any, index: Any, here: Any) -> Any:
    """counters[index] before this lane added one to it, for lanes that are `here`. The whole warp calls it."""
    place = k.var(u32, 0)
    lowest = k.clz(k.brev(k.ballot(here))) % WARP
    chosen = here & (index == k.shfl_idx(index, lowest))
    crowd = k.ballot(chosen)
    with k.if_else(k.popc(crowd) >= CROWD) as (together, alone):
        with together:
            before = k.popc(crowd & k.special("%lanemask_lt"))
            with k.if_(chosen & (before == 0)):
                place.set(k.atomic_add(counters, index, k.popc(crowd)))
            place.set(k.select(chosen, k.shfl_idx(place, lowest) + before, place))
            with k.if_(here & ~chosen):
                place.set(k.atomic_add(counters, index, 1))
        with alone, k.if_(here):
            place.set(k.atomic_add(counters, index, 1))
    return place
