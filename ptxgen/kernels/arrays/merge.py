"""Two sorted arrays as one, stably: of equal keys those of the first array come first; with u32 payloads, or keys alone.

Shapes: a[n], b[m] -> out[n + m], of integers of 8 to 64 bits, f16, f32 or f64 in the order that radix_sort sorts by (IEEE 754's
totalOrder for floats); payload_a[n], payload_b[m] -> payload[n + m]. `firsts` is scratch, `scratch_words(...)` of u32.

Merge path (S. Odeh, O. Green et al., "Merge Path: Parallel Merging Made Simple", 2012): where output d begins, there are as many
keys of a before it as the first place says whose key is above that of b across the diagonal. `merge_places` finds where each
CTA's tile begins in a, a warp a tile, 32 places at a time: in `merge` the CTAs would wait for that. A tile's keys are loaded in
order into shared memory, in which each thread finds its own place, merges a few keys, and from which they are written in order.

Floor: keys and payloads are read and written once; 2^27 u32 with as many, 2^30 bytes each way, at an H200's 4.3 TB/s: 0.50 ms.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f32, f64, kernel, ptr, s16, s32, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import ordered_bits, original, random_keys, reference_order
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ptxgen.builder import Kernel

__all__ = ["KERNEL", "VARIANTS", "places_plan", "plan", "scratch_words"]

K = TypeVar("K", bound=Value)

THREADS = 256
SEARCHERS = 128
"""Threads of a CTA that finds where tiles begin: a tile each."""
ITEMS = {4: 23, 8: 9}
"""Keys that a thread merges, by their bytes in shared memory: odd numbers, so that neighbours' keys lie in different banks."""
WITH_PAYLOAD = {4: 15, 8: 7}
"""The same of pairs, whose places a thread holds too."""


@kernel(threads=SEARCHERS)
def merge_places(
    k: Builder, n: u32, a: ptr[K], m: u32, b: ptr[K], tile: u32, tiles: u32, firsts: ptr[u32], *, element: type[K],
    descending: bool,
) -> None:  # fmt: skip
    """firsts[t] = how many keys of a are before tile t, for each and for what is behind the last one; a thread each."""
    number = k.global_id.x

    def at(keys: Any, place: Any) -> Any:
        return ordered_bits(k, keys[place], descending)

    with k.if_(number <= tiles):
        place = k.min(number * tile, n + m)
        firsts[number] = _first_keys(k, place, n, m, lambda i, j: at(a, i) <= at(b, j))


def _first_keys(k: Builder, place: Any, n: Any, m: Any, before: Callable[[Any, Any], Any]) -> Any:
    """How many keys of the first array are before a place of the result: the first i for which not `before(i, place - 1 - i)`."""
    low, high = k.var(u32, k.select(place > m, place - m, 0)), k.var(u32, k.min(place, n))
    with k.while_(lambda: low < high):
        middle = low + ((high - low) >> 1)
        first = before(middle, place - 1 - middle)
        low.set(k.select(first, middle + 1, low))
        high.set(k.select(first, high, middle))
    return low


@kernel(threads=THREADS, max_registers=48)
def merge(
    k: Builder, n: u32, a: ptr[K], m: u32, b: ptr[K], out: ptr[K], payload_a: ptr[u32], payload_b: ptr[u32],
    payload: ptr[u32], firsts: ptr[u32], *, element: type[K], pairs: bool, descending: bool,
) -> None:  # fmt: skip
    """A CTA a tile of THREADS * items keys of the result, whose keys of a are from firsts[tile] to before the next one's."""
    items, wide = items_of(element, pairs=pairs), _wide(element)
    tile = THREADS * items
    begin = k.ctaid.x * tile
    with k.if_(begin >= n + m):
        k.return_()
    bounds = firsts.at(k.ctaid.x)
    first_a = bounds[0]
    count_a, first_b = bounds[1] - first_a, begin - first_a
    my = _Share(k, tile, items, n + m - begin, count_a)

    keys = k.shared(wide, tile + 1, name="keys").pointer
    with k.if_(k.tid.x == 0):
        keys[tile] = 0  # which a thread reads that has taken the last key of b
    sides = a.at(first_a), b.at(first_b)
    my.load(sides, keys, lambda key: ordered_bits(k, key, descending).to(wide), (1 << wide.isa.bits) - 1)
    k.barrier()
    merged, sources = my.merge(keys)
    k.barrier()
    my.put_back(keys, merged)
    if not pairs:
        k.barrier()
    else:
        places = k.shared(u32, tile, name="places").pointer
        my.put_back(places, sources)
        k.barrier()
        moved = my.gather((payload_a.at(first_a), payload_b.at(first_b)), places, keys)
    bits = k.types[f"u{element.isa.bits}"]
    found = [keys.at(k.tid.x).load(i * THREADS) for i in range(items)]
    my.store(out.at(begin), [original(k, key.to(bits), element, descending) for key in found])
    if pairs:
        my.store(payload.at(begin), moved)


KERNEL = merge


class _Share(NamedTuple):
    """A thread's part of a tile of the result, of which `left` keys are there and `count_a` come from a. In shared memory they
    lie before those of b, and behind these lies what no key comes after: so every tile is merged as a whole one."""

    k: Builder
    tile: int
    items: int
    left: Any
    count_a: Any

    def each(self, work: Callable[[range], None]) -> None:
        """Do what is to be done with elements a CTA's width apart: with all in flight, or where the tile is not full, with those
        that are there."""
        k = self.k
        with k.if_else(self.left >= self.tile) as (whole, partial_):
            with whole:
                work(range(self.items))
            with partial_:
                for i in range(self.items):
                    with k.if_(k.tid.x + i * THREADS < self.left):
                        work(range(i, i + 1))

    def load(self, sides: tuple[Any, Any], shared: Any, read: Callable[[Any], Any], last: int) -> None:
        """Keys of both sides into shared memory."""
        k = self.k
        own_a, own_b = self.count_a.to(s32) - k.tid.x.to(s32), k.tid.x.to(s32) - self.count_a.to(s32)
        from_a, from_b, mine = sides[0].at(k.tid.x), sides[1].at(own_b), shared.at(k.tid.x)
        with k.if_(self.left < self.tile):
            for i in range(self.items):
                mine[i * THREADS] = last

        def work(some: range) -> None:
            loaded = [k.select(own_a > i * THREADS, from_a, from_b)[i * THREADS] for i in some]
            for i, each in zip(some, loaded):
                mine[i * THREADS] = read(each)

        self.each(work)

    def merge(self, keys: Any) -> tuple[list[Any], list[Any]]:
        """(the thread's neighbouring keys of the result, where in shared memory each of them lies). Addresses and keys are
        variables that exact loads write, guarded: so a step takes eight instructions."""
        k, count_a, size = self.k, self.count_a, keys.element.isa.bytes
        load = k.ptx[f"ld.shared.u{8 * size}"]
        mine = k.tid.x * self.items
        i = _first_keys(k, mine, count_a, self.tile - count_a, lambda i, j: keys[i] <= keys[count_a + j])
        at_a, at_b = (k.var(u32, keys.at(place).address) for place in (i, count_a + (mine - i)))
        end_a, end_b = keys.at(count_a).address, keys.at(self.tile).address
        left, right = (k.var(keys.element) for _ in range(2))
        load(left, [at_a])
        load(right, [at_b])
        merged, places = [], []
        for _ in range(self.items):
            first = (at_b >= end_b) | ((at_a < end_a) & (left <= right))
            merged.append(k.select(first, left, right))
            places.append(k.select(first, at_a, at_b))
            if len(merged) < self.items:
                load(left, [at_a, size], pred=first)
                load(right, [at_b, size], pred=~first)
                with k.pred(first):
                    at_a += size
                with k.pred(~first):
                    at_b += size
        return merged, places

    def put_back(self, shared: Any, values: list[Any]) -> None:
        """The thread's neighbouring elements of the result into shared memory."""
        mine = shared.at(self.k.tid.x * self.items)
        for i, value in enumerate(values):
            mine[i] = value

    def gather(self, sides: tuple[Any, Any], places: Any, keys: Any) -> list[Any]:
        """Payloads of both sides, of elements a CTA's width apart whose keys lay at these `places` of shared memory."""
        k, base, size = self.k, keys.address, keys.element.isa.bytes
        from_a, from_b = sides[0], sides[1].at(-self.count_a.to(s32))
        values = [k.var(u32, 0) for _ in range(self.items)]

        def work(some: range) -> None:
            taken = [(places.at(k.tid.x).load(i * THREADS) - base) // size for i in some]
            for i, place in zip(some, taken):
                values[i].set(k.select(place < self.count_a, from_a, from_b)[place])

        self.each(work)
        return values

    def store(self, out: Any, values: list[Any]) -> None:
        """Elements a CTA's width apart."""
        mine = out.at(self.k.tid.x)

        def work(some: range) -> None:
            for i in some:
                mine[i * THREADS] = values[i]

        self.each(work)


def items_of(element: type[Value], *, pairs: bool) -> int:
    """Keys that a thread merges."""
    return (WITH_PAYLOAD if pairs else ITEMS)[_wide(element).isa.bytes]


def _wide(element: type[Value]) -> type[Value]:
    """In which keys lie in shared memory, in order."""
    return u64 if element.isa.bits == 64 else u32


def _bits(k: Builder, element: type[Value]) -> Any:
    return k.types[f"u{element.isa.bits}"]


def scratch_words(n: int, element: type[Value], *, pairs: bool) -> int:
    """u32 words of scratch for n keys in all."""
    return ceil_div(n, THREADS * items_of(element, pairs=pairs)) + 2


def places_plan(
    n: int, a: Any, m: int, b: Any, firsts: Any, *, element: type[Value], pairs: bool, descending: bool = False
) -> KernelPlan:
    """Where the tiles begin."""
    tile = THREADS * items_of(element, pairs=pairs)
    tiles = grid_for(n + m, tile)
    kernel_ = using(merge_places, element=element, descending=descending)
    return KernelPlan(kernel_, grid_for(tiles + 1, SEARCHERS), SEARCHERS, (n, a, m, b, tile, tiles, firsts))


def plan(
    n: int, a: Any, m: int, b: Any, out: Any, firsts: Any, payload_a: Any = None, payload_b: Any = None,
    payload: Any = None, *, element: type[Value], descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """out = a[:n] and b[:m] in order; with payloads, these too. `firsts` are those of `places_plan`."""
    pairs = payload is not None
    payloads = (payload_a, payload_b, payload) if pairs else (0, 0, 0)
    kernel_ = _using(element, pairs=pairs, descending=descending)
    grid = grid_for(n + m, THREADS * items_of(element, pairs=pairs))
    return KernelPlan(kernel_, grid, THREADS, (n, a, m, b, out, *payloads, firsts))


def _using(element: type[Value], *, pairs: bool, descending: bool) -> Kernel:
    return using(merge, element=element, pairs=pairs, descending=descending)


def _sides(n: int, rng: np.random.Generator, element: type[Value], descending: bool) -> list[Any]:
    """Two thirds and one third of n keys, of which many are equal, each sorted."""
    keys = random_keys(rng, n, element)
    keys[::3] = keys[: len(keys[::3])]
    return [side[reference_order(side, element, descending)] for side in (keys[: n - n // 3], keys[n - n // 3 :])]


def _firsts(sides: list[Any], element: type[Value], *, pairs: bool, descending: bool) -> Any:
    """`merge_places` by numpy."""
    import numpy as np

    order = reference_order(np.concatenate(sides), element, descending)
    before = np.concatenate([[0], np.cumsum(order < len(sides[0]))])
    tile = THREADS * items_of(element, pairs=pairs)
    places = np.arange(max(1, ceil_div(len(order), tile)) + 1) * tile
    return before[places.clip(0, len(order))].astype(np.uint32)


def _case(n: int, rng: np.random.Generator, *, element: type[Value], pairs: bool, descending: bool) -> Case:
    import numpy as np

    sides = _sides(n, rng, element, descending)
    both = np.concatenate(sides)
    order = reference_order(both, element, descending)
    arrays = {"a": HostArray(sides[0], element), "b": HostArray(sides[1], element)}
    arrays["firsts"] = HostArray(_firsts(sides, element, pairs=pairs, descending=descending), u32)
    arrays["out"] = HostArray(np.zeros_like(both), element)
    expected = {"out": both[order]}
    if pairs:
        payloads = rng.integers(0, 2**32, n, np.uint32)
        arrays |= {
            "payload_a": HostArray(payloads[: len(sides[0])], u32),
            "payload_b": HostArray(payloads[len(sides[0]) :], u32),
        }
        arrays["payload"], expected["payload"] = HostArray(np.zeros(n, np.uint32), u32), payloads[order]
    names = ("payload_a", "payload_b", "payload") if pairs else ()
    return Case(
        arrays=arrays,
        plan=lambda on: plan(
            len(sides[0]), on["a"], len(sides[1]), on["b"], on["out"], on["firsts"], *[on[name] for name in names],
            element=element, descending=descending,
        ),
        expected=expected,
        tolerance=EXACT,
    )  # fmt: skip


def _places_case(n: int, rng: np.random.Generator, *, element: type[Value], descending: bool) -> Case:
    import numpy as np

    sides = _sides(n, rng, element, descending)
    expected = _firsts(sides, element, pairs=False, descending=descending)
    return Case(
        arrays={
            "a": HostArray(sides[0], element), "b": HostArray(sides[1], element),
            "firsts": HostArray(np.full(len(expected), 7, np.uint32), u32),
        },
        plan=lambda on: places_plan(
            len(sides[0]), on["a"], len(sides[1]), on["b"], on["firsts"], element=element, pairs=False,
            descending=descending,
        ),
        expected={"firsts": expected},
        tolerance=EXACT,
    )  # fmt: skip


def _places_variant(element: type[Value], *, descending: bool = False) -> Variant:
    how: dict[str, Any] = {"element": element, "descending": descending}
    name = f"places.{element.isa.name}" + ".descending" * descending
    return Variant("merge", name, using(merge_places, **how), partial(_places_case, **how), sizes=(0, 1, 100, 30_000))


def _variant(element: type[Value], *, pairs: bool = False, descending: bool = False) -> Variant:
    how: dict[str, Any] = {"element": element, "pairs": pairs, "descending": descending}
    tile = THREADS * items_of(element, pairs=pairs)
    name = element.isa.name + ".pairs" * pairs + ".descending" * descending
    return Variant("merge", name, _using(**how), partial(_case, **how), sizes=(0, 1, 100, tile, 3 * tile + 77))


VARIANTS = (
    _variant(u32),
    _variant(u32, pairs=True),
    _variant(u64, pairs=True),
    _variant(f64),
    _variant(f32, pairs=True, descending=True),
    _variant(s16),
    _variant(u8, descending=True),
    _places_variant(u32),
    _places_variant(f64, descending=True),
)
