"""What a warp and a CTA compute together: reductions by shuffles, and through shared memory between warps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder import Builder, DeviceArray
    from ptxgen.builder.values import Value

__all__ = [
    "WARP", "combine", "cta_scan", "fold", "group_reduce", "identity", "warp_reduce", "warp_scan", "warps_before",
]  # fmt: skip

WARP = 32


def combine(k: Builder, op: str, a: Any, b: Any) -> Any:
    """a + b, or the smaller or larger of them (of a number and NaN, the number)."""
    return a + b if op == "sum" else k.min(a, b) if op == "min" else k.max(a, b)


def identity(op: str, element: type[Value]) -> int | float:
    """What changes nothing: 0, or the largest or smallest value of the type."""
    isa = element.isa
    if op == "sum":
        return 0
    if isa.is_float:
        return math.inf if op == "min" else -math.inf
    if op == "min":
        return (1 << (isa.bits - isa.is_signed)) - 1
    return -(1 << (isa.bits - 1)) if isa.is_signed else 0


def fold(k: Builder, op: str, values: Sequence[Any]) -> Any:
    """All values into one, as a balanced tree: depth log2(n), and rounding errors that grow as slowly."""
    row = list(values)
    while len(row) > 1:
        row = [combine(k, op, *row[i : i + 2]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
    return row[0]


def warp_reduce(k: Builder, op: str, value: Any, width: int = WARP) -> Any:
    """The reduction over each segment of `width` lanes, in every lane of it, and the same bits there: the tree is symmetric."""
    distance = width // 2
    while distance:
        value = combine(k, op, value, k.shfl_xor(value, distance))
        distance //= 2
    return value


def warp_scan(k: Builder, value: Any, width: int = WARP, op: str = "sum") -> Any:
    """Inclusive scan over segments of `width` lanes, by doubling distances (Hillis and Steele)."""
    distance = 1
    while distance < width:
        if value.isa.bits == 64:  # two shuffles, and neither's predicate is wanted
            below, exists = k.shfl_up(value, distance, width=width), k.lane % width >= distance
        else:
            below, exists = k.shfl_up(value, distance, width=width, valid=True)
        value = k.select(exists, combine(k, op, value, below), value)
        distance *= 2
    return value


def group_reduce(k: Builder, op: str, value: Any, threads: int, scratch: Callable[[], DeviceArray[Any]]) -> Any:
    """The reduction over groups of `threads` neighbouring threads, in every thread of the group.

    Up to a warp by shuffles alone; a larger group is the whole CTA, and one value a warp goes through the shared array that
    `scratch()` gives. All threads of the CTA take part. Between two such reductions over one array there must be a barrier.
    """
    value = warp_reduce(k, op, value, min(threads, WARP))
    if threads <= WARP:
        return value
    warps = threads // WARP
    shared = scratch()
    with k.if_(k.tid.x % WARP == 0):
        shared[k.tid.x // WARP] = value
    k.barrier()
    partial = shared[k.tid.x % warps]
    return warp_reduce(k, op, partial, warps)


def warps_before(
    k: Builder, value: Any, warps: int, op: str = "sum", nothing: int | float = 0, *, name: str = "totals"
) -> tuple[Any, Any]:
    """(what the warps before this one combine to, `nothing` for the first; what all of the CTA do), of what each warp's last lane
    has. `name` is that of the warps' values in shared memory. The CTA is in step behind."""
    warp, totals = k.tid.x // WARP, k.shared(type(value), warps, name=name)
    with k.if_(k.lane == WARP - 1):
        totals[warp] = value
    k.barrier()
    total = totals[k.lane % warps]
    upto = warp_scan(k, total, warps, op)
    if op == "sum" and not value.isa.is_float:
        before = upto - total
    else:
        before = k.select(k.lane % warps == 0, k.const(type(value), nothing), k.shfl_up(upto, 1, width=warps))
    return k.shfl_idx(before, warp), k.shfl_idx(upto, warps - 1)


def cta_scan(k: Builder, own: Any, threads: int) -> tuple[Any, Any]:
    """(the sum of the threads before, the sum of all) over a CTA of `threads`, all of which call it. Between two such scans by
    the same code there must be a barrier."""
    upto = warp_scan(k, own)
    if threads == WARP:
        return upto - own, k.shfl_idx(upto, WARP - 1)
    element = type(own)
    sums = k.shared(element, threads // WARP, name="sums").pointer
    with k.if_(k.lane == WARP - 1):
        sums[k.tid.x // WARP] = upto
    k.barrier()
    before, total = k.var(element, upto - own), k.var(element, 0)
    for warp in range(threads // WARP):
        before += k.select(k.tid.x // WARP > warp, sums[warp], k.const(element, 0))
        total += sums[warp]
    return before, total
