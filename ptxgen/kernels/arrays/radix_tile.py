"""Few keys sorted by one CTA in one launch, all passes in its shared memory: stably, with or without 32-bit payloads.

Each pass is that of `radix_sort` for a single tile: count by digit, scan, put in order. A pass in which all keys have the same
digit ends after the counts.

Shapes and order as in radix_sort.py; n up to `MOST`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, kernel, ptr, s8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import digit_of, ordered_bits, original, passes_of, random_keys, reference_order
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.digits import BITS, DIGITS, DigitRows
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "MOST", "VARIANTS", "plan"]

K = TypeVar("K", bound=Value)

THREADS = 512
ITEMS = (1, 2, 4, 8)
MOST = THREADS * ITEMS[-1]


@kernel(threads=THREADS)
def radix_tile(
    k: Builder, n: u32, keys: ptr[K], sorted_: ptr[K], payload: ptr[u32], moved: ptr[u32],
    *, element: type[K], passes: int, items: int, descending: bool, pairs: bool,
) -> None:  # fmt: skip
    """sorted_[:n] = keys[:n] in order, n at most threads*items. Dynamic shared memory: the keys, then the payloads."""
    size, unsigned = THREADS * items, k.types[f"u{element.isa.bits}"]
    ranks = DigitRows.of(k, THREADS)
    staged = k.dynamic_shared(unsigned).pointer
    beside = k.dynamic_shared(u32).pointer.at(size * element.isa.bytes // 4)
    first = k.tid.x // WARP * (WARP * items) + k.lane
    held = [k.var(unsigned, (1 << element.isa.bits) - 1) for _ in range(items)]
    taken = [k.var(u32, 0) for _ in range(items * pairs)]
    k.wait_for_dependencies()
    for i, each in enumerate(held):
        with k.if_(first + i * WARP < n):
            each.set(ordered_bits(k, keys[first + i * WARP], descending))
            if pairs:
                taken[i].set(payload[first + i * WARP])
    for number in k.range(passes):
        shift = number * BITS
        ranks.clear()
        ranks.count(digit_of(each, shift) for each in held)
        k.barrier()
        counts, total = ranks.totals()
        # What fills the tile counts as the last digit.
        whole = k.select(k.tid.x == DIGITS - 1, k.const(u32, size), n)
        with k.if_(~k.barrier_any((k.tid.x < DIGITS) & (total == whole))):
            ranks.spread(counts, total)
            k.barrier()
            for i, (each, place) in enumerate(zip(held, ranks.places(held, lambda each: digit_of(each, shift)))):
                staged[place] = each
                if pairs:
                    beside[place] = taken[i]
            k.barrier()
            for i, each in enumerate(held):
                each.set(staged[first + i * WARP])
                if pairs:
                    taken[i].set(beside[first + i * WARP])
    for i, each in enumerate(held):
        with k.if_(first + i * WARP < n):
            sorted_[first + i * WARP] = original(k, each, element, descending)
            if pairs:
                moved[first + i * WARP] = taken[i]


KERNEL = radix_tile


def plan(
    n: int, keys: Any, sorted_: Any, payload: Any = None, moved: Any = None,
    *, element: type[Value], passes: int | None = None, descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort keys[:n], n at most MOST, and payload[:n] with them if there is one."""
    items = next(each for each in ITEMS if n <= THREADS * each)
    pairs = payload is not None
    launch = using(
        radix_tile, element=element, passes=passes or passes_of(element), items=items, descending=descending, pairs=pairs
    )
    others = (payload, moved) if pairs else (0, 0)
    shared = THREADS * items * (element.isa.bytes + 4 * pairs)
    return KernelPlan(launch, 1, THREADS, (n, keys, sorted_, *others), shared)


def _case(n: int, rng: np.random.Generator, *, element: type[Value], descending: bool, pairs: bool) -> Case:
    import numpy as np

    keys, payload = random_keys(rng, n, element), np.arange(n, dtype=np.uint32)
    order = reference_order(keys, element, descending)
    more = {"payload": HostArray(payload, u32), "moved": HostArray(np.zeros(n, np.uint32), u32)} if pairs else {}
    return Case(
        arrays={"keys": HostArray(keys, element), "sorted": HostArray(np.zeros(n, keys.dtype), element), **more},
        plan=lambda on: plan(
            n, on["keys"], on["sorted"], on.get("payload"), on.get("moved"), element=element, descending=descending
        ),
        expected={"sorted": keys[order], **({"moved": payload[order]} if pairs else {})},
        tolerance=EXACT,
    )


def _variant(name: str, element: type[Value], most: int, *, descending: bool = False, pairs: bool = False) -> Variant:
    chosen: dict[str, Any] = {"element": element, "descending": descending, "pairs": pairs}
    kernel_ = plan(most, 0, 0, *((0, 0) if pairs else ()), element=element, descending=descending).kernel
    return Variant("radix_tile", name, kernel_, partial(_case, **chosen), sizes=(most // 2 + 1, most - 77, most))


VARIANTS = (
    _variant("u32.1024", u32, 1024),
    _variant("f32.descending.4096", f32, 4096, descending=True),
    _variant("u64.pairs.2048", u64, 2048, pairs=True),
    _variant("s8.512", s8, 512),
)
