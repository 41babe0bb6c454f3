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

from ptxgen.builder import Builder, f32, f64, kernel, ptr, s16, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import ordered_bits, original, random_keys, reference_order
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ptxgen.builder import Kernel

__all__ = ["KERNEL", "VARIANTS", "places_plan", "plan", "scratch_words"]

K = TypeVar("K", bound=Value)

THREADS = 256
WARPS = THREADS // WARP
ITEMS = {4: 15, 8: 9}
"""Keys that a thread merges, by their bytes in shared memory: odd numbers, so that neighbours' keys lie in different banks."""
WITH_PAYLOAD = {4: 11, 8: 7}
"""The same of pairs, whose places a thread holds too."""


@kernel(threads=THREADS)
def merge_places(
    k: Builder, n: u32, a: ptr[K], m: u32, b: ptr[K], tile: u32, tiles: u32, firsts: ptr[u32], *, element: type[K],
    descending: bool,
) -> None:  # fmt: skip
    """firsts[t] = how many keys of a are before tile t, for each and for what is behind the last one; a warp each."""
    number = k.ctaid.x * WARPS + k.tid.x // WARP

    def at(keys: Any, place: Any) -> Any:
        return ordered_bits(k, keys[place], descending)

    with k.if_(number <= tiles):
        place = k.min(number * tile, n + m)
        found = _by_warp(k, place, n, m, lambda i, j: at(a, i) <= at(b, j))
        with k.if_(k.lane == 0):
            firsts[number] = found


@kernel(threads=THREADS, min_ctas=lambda *, pairs, **_: 3 if pairs else 4)
def merge(
    k: Builder, n: u32, a: ptr[K], m: u32, b: ptr[K], out: ptr[K], payload_a: ptr[u32], payload_b: ptr[u32],
    payload: ptr[u32], firsts: ptr[u32], *, element: type[K], pairs: bool, descending: bool,
) -> None:  # fmt: skip
    """A CTA a tile of THREADS * items keys of the result, whose keys of a are from firsts[tile] to before the next one's."""
    with k.if_(n + m == 0):
        k.return_()
    items = items_of(element, pairs=pairs)
    tile = THREADS * items
    begin = k.ctaid.x * tile
    end = k.min(begin + tile, n + m)
    bounds = firsts.at(k.ctaid.x)
    first_a = bounds[0]
    count_a = bounds[1] - first_a
    first_b, count = begin - first_a, end - begin

    keys = k.shared(_wide(element), tile, name="keys")
    numbers = [k.tid.x + i * THREADS for i in range(items)]
    loaded = _load(k, numbers, count_a, count, a.at(first_a), b.at(first_b), element)
    for number, value in zip(numbers, loaded):
        with k.pred(number < count):
            keys[number] = ordered_bits(k, value, descending).to(_wide(element))
    k.barrier()

    mine = k.min(k.tid.x * items, count)
    sources, merged = _merge_items(k, keys, mine, count_a, count, items)
    _put_back(k, keys, merged)
    target = out.at(begin)
    for number in numbers:
        with k.pred(number < count):
            target[number] = original(k, keys[number].to(_bits(k, element)), element, descending)
    if not pairs:
        return
    moved = k.shared(u32, tile, name="payloads")
    for number, value in zip(
        numbers, _load(k, numbers, count_a, count, payload_a.at(first_a), payload_b.at(first_b), u32)
    ):
        with k.pred(number < count):
            moved[number] = value
    k.barrier()
    taken = [moved[source] for source in sources]
    _put_back(k, moved, taken)
    payloads = payload.at(begin)
    for number in numbers:
        with k.pred(number < count):
            payloads[number] = moved[number]


KERNEL = merge


def _put_back(k: Builder, shared: Any, values: list[Any]) -> None:
    """Each thread's neighbouring elements of the result over what all threads have read."""
    k.barrier()
    for i, value in enumerate(values):
        shared[k.tid.x * len(values) + i] = value
    k.barrier()


def _load(
    k: Builder, numbers: list[Any], count_a: Any, count: Any, a: Any, b: Any, element: type[Value]
) -> list[Any]:  # fmt: skip
    """The thread's elements of a tile, those of a before those of b, all in flight together."""
    values = [k.var(element, 0) for _ in numbers]
    for number, value in zip(numbers, values):
        with k.pred(number < count_a):
            value.set(a[number])
        with k.pred((number >= count_a) & (number < count)):
            value.set(b[number - count_a])
    return values


def _by_warp(k: Builder, place: Any, n: Any, m: Any, before: Callable[[Any, Any], Any]) -> Any:
    """How many keys of the first array are before a place of the result: the first i for which not `before(i, place - 1 - i)`.
    The whole warp calls it; 32 of them at a time."""
    low = k.var(u32, k.select(place > m, place - m, 0))
    high = k.var(u32, k.min(place, n))
    with k.while_(lambda: low < high):
        step = k.max((high - low) // WARP, 1)
        probed = low + (k.lane + 1) * step - 1
        holds = k.var(u32, 0)
        with k.if_(probed < high):
            holds.set(k.select(before(probed, place - 1 - probed), k.const(u32, 1), 0))
        count = k.popc(k.ballot(holds != 0))
        low += count * step
        with k.if_(count < WARP):
            high.set(k.min(high, low + step - 1))
    return low


def _merge_items(k: Builder, keys: Any, mine: Any, count_a: Any, count: Any, items: int) -> tuple[list[Any], list[Any]]:
    """(where each of a thread's keys comes from, the keys), from the place `mine` on; those of a lie before those of b."""
    count_b = count - count_a
    low, high = k.var(u32, k.select(mine > count_b, mine - count_b, 0)), k.var(u32, k.min(mine, count_a))
    with k.while_(lambda: low < high):
        middle = low + ((high - low) >> 1)
        with k.if_else(keys[middle] <= keys[count_a + (mine - 1 - middle)]) as (before, behind):
            with before:
                low.set(middle + 1)
            with behind:
                high.set(middle)
    i, j = low, k.var(u32, count_a + (mine - low))
    last = count - 1  # a place that may be read
    left, right = (k.var(type(key), key) for key in (keys[k.min(i, last)], keys[k.min(j, last)]))
    sources, merged = [], []
    for _ in range(items):
        first = (j >= count) | ((i < count_a) & (left <= right))
        sources.append(k.min(k.select(first, i, j), last))
        merged.append(k.select(first, left, right))
        i.set(k.select(first, i + 1, i))
        j.set(k.select(first, j, j + 1))
        following = keys[k.min(k.select(first, i, j), last)]
        left.set(k.select(first, following, left))
        right.set(k.select(first, right, following))
    return sources, merged


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
    return KernelPlan(kernel_, grid_for(tiles + 1, WARPS), THREADS, (n, a, m, b, tile, tiles, firsts))


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
