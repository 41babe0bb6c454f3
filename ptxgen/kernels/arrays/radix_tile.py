"""Few keys sorted by one CTA in one launch, all passes in its shared memory: stably, with or without 32-bit payloads.

Each pass is that of `radix_sort` for a single tile: count by digit, scan, put in order. A pass in which all keys have the same
digit ends after the counts.

Shapes and order as in radix_sort.py; n up to `MOST`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, kernel, ptr, s8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import digit_of, ordered_bits, original, passes_of, random_keys, reference_order
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.digits import BITS, DIGITS, DigitRows
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["ITEMS", "KERNEL", "MOST", "THREADS", "VARIANTS", "TileSort", "most_for", "plan", "shared_bytes"]

K = TypeVar("K", bound=Value)

THREADS = 512
ITEMS = (1, 2, 4, 8)
MOST = THREADS * ITEMS[-1]
STATIC = 17 << 10
"""Bytes of shared memory for counters, beside the keys, or fewer."""


class TileSort(NamedTuple):
    """What a CTA needs to sort a tile of threads*items keys: its shared memory, and what the keys are."""

    k: Builder
    ranks: DigitRows
    staged: Any
    beside: Any
    element: type[Any]
    passes: int
    items: int
    descending: bool
    pairs: bool

    @classmethod
    def of(
        cls, k: Builder, *, element: type[Any], passes: int, items: int, descending: bool, pairs: bool
    ) -> TileSort:  # fmt: skip
        """Dynamic shared memory: the keys, then the payloads."""
        staged = k.dynamic_shared(k.types[f"u{element.isa.bits}"]).pointer
        beside = k.dynamic_shared(u32).pointer.at(THREADS * items * element.isa.bytes // 4)
        ranks = DigitRows.of(k, THREADS)
        return cls(k, ranks, staged, beside, element, passes, items, descending, pairs)

    @property
    def first(self) -> Any:
        """The thread's first key in the tile; the others follow a warp's width apart."""
        return self.k.tid.x // WARP * (WARP * self.items) + self.k.lane

    def bits_of(self, key: Any) -> Any:
        """A key as `ordered_bits`."""
        return ordered_bits(self.k, key, self.descending)

    def fetch(self, keys: Any, payload: Any, left: u32) -> tuple[list[Any], list[Any]]:
        """(the thread's keys as `ordered_bits`, its payloads, or variables for them); behind the last key ones, which no key
        comes after."""
        k, first = self.k, self.first
        bits = [
            k.var(k.types[f"u{self.element.isa.bits}"], (1 << self.element.isa.bits) - 1) for _ in range(self.items)
        ]
        taken = [k.var(u32, 0) for _ in range(self.items * self.pairs)]
        for i, each in enumerate(bits):
            with k.if_(first + i * WARP < left):
                each.set(self.bits_of(keys[first + i * WARP]))
                if self.pairs and payload is not None:
                    taken[i].set(payload[first + i * WARP])
        return bits, taken

    def sort(self, keys: Any, sorted_: Any, payload: Any, moved: Any, n: u32) -> None:
        """Sort n keys, no more than a tile."""
        k, first = self.k, self.first
        bits, taken = self.fetch(keys, payload, n)
        # What fills the tile counts as the last digit.
        self.order(bits, taken, lambda: k.select(k.tid.x == DIGITS - 1, k.const(u32, THREADS * self.items), n))
        for i, each in enumerate(bits):
            with k.if_(first + i * WARP < n):
                sorted_[first + i * WARP] = original(k, each, self.element, self.descending)
                if self.pairs:
                    moved[first + i * WARP] = taken[i]

    def order(self, bits: list[Any], taken: list[Any], whole: Callable[[], Any]) -> None:
        """Put the tile in the order of its keys; `whole()` of those of one digit, the thread's, are all that there are."""
        for number in self.k.range(self.passes):
            self.order_by(bits, taken, bits, partial(digit_of, shift=number * BITS), whole)

    def order_by(
        self, bits: list[Any], taken: list[Any], keys: list[Any], digit: Callable[[Any], u32], whole: Callable[[], Any]
    ) -> None:
        """Put the tile in the order of a digit of `keys`, of which the thread has one for each of its `bits`."""
        k, ranks, first = self.k, self.ranks, self.first
        ranks.clear()
        ranks.count_keys(digit(each) for each in keys)
        k.barrier()
        counts, total = ranks.totals()
        all_ = whole()
        with k.if_(~k.barrier_any((k.tid.x < DIGITS) & (total == all_))):
            ranks.spread(counts, total)
            k.barrier()
            for i, place in enumerate(ranks.places(keys, digit)):
                self.staged[place] = bits[i]
                if self.pairs:
                    self.beside[place] = taken[i]
            k.barrier()
            for i, each in enumerate(bits):
                each.set(self.staged[first + i * WARP])
                if self.pairs:
                    taken[i].set(self.beside[first + i * WARP])


@kernel(threads=THREADS)
def radix_tile(
    k: Builder, n: u32, keys: ptr[K], sorted_: ptr[K], payload: ptr[u32], moved: ptr[u32],
    *, element: type[K], passes: int, items: int, descending: bool, pairs: bool,
) -> None:  # fmt: skip
    """sorted_[:n] = keys[:n] in order, n at most threads*items."""
    tile = TileSort.of(k, element=element, passes=passes, items=items, descending=descending, pairs=pairs)
    tile.sort(keys, sorted_, payload, moved, n)


KERNEL = radix_tile


def plan(
    n: int, keys: Any, sorted_: Any, payload: Any = None, moved: Any = None,
    *, element: type[Value], passes: int | None = None, descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort keys[:n], n at most MOST, and payload[:n] with them if there is one."""
    items = next(each for each in ITEMS if n <= THREADS * each)
    pairs = payload is not None
    launch = using(
        radix_tile,
        element=element,
        passes=passes or passes_of(element),
        items=items,
        descending=descending,
        pairs=pairs,
    )
    others = (payload, moved) if pairs else (0, 0)
    return KernelPlan(launch, 1, THREADS, (n, keys, sorted_, *others), shared_bytes(element, items, pairs))


def shared_bytes(element: type[Value], items: int, pairs: bool) -> int:
    """Dynamic shared memory of a `TileSort`."""
    return THREADS * items * (element.isa.bytes + 4 * pairs)


def most_for(element: type[Value], room: int, *, pairs: bool) -> int:
    """The most keys that one CTA sorts where it may have so many bytes of shared memory."""
    return THREADS * max(items for items in ITEMS if shared_bytes(element, items, pairs) + STATIC <= room)


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
    _variant("u64.pairs.2048", u64, 2048, pairs=True),
    _variant("s8.512", s8, 512),
)
