"""Segments of few keys, each sorted in the registers of some lanes of a warp.

Batcher's bitonic network (K. E. Batcher, "Sorting networks and their applications", AFIPS 1968), in the form in which all
comparisons go the same way. A group of `lanes` lanes takes a segment; a lane holds neighbouring places of it, so that the many
comparisons of near places need no shuffle. A warp takes the smallest network that all of its segments fit into. Segments of
more keys are left alone, or have been listed (segment_lists.py) for a second launch, in which each has a warp. Keys are compared
as `ordered_bits`; with payloads, keys of the same bits by where they were, which keeps their order.

Shapes and order as in radix_segments.py.

Floor: keys and payloads are read and written once, 2^24 u32 in 0.03 ms at an H200's 4.3 TB/s.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f32, kernel, ptr, u32
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import ordered_bits, original, random_keys, reference_order
from ptxgen.kernels.arrays.segment_lists import FEW, FEWEST, Work
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "WARPS", "Network", "listed_plan", "network_for", "network_plan"]

K = TypeVar("K", bound=Value)

THREADS = 256


class Network(NamedTuple):
    """Lanes of a segment, and how many keys a lane may have: each of these is a network of its own."""

    lanes: int
    items: tuple[int, ...]

    @property
    def most(self) -> int:
        """Keys of a segment."""
        return self.lanes * self.items[-1]


WARPS = Network(WARP, (2, 4, FEWEST // WARP))
NETWORKS = {8: Network(4, (2, 4, 8)), 16: Network(8, (2, 4, 8)), 32: Network(16, (2, 4, 8)), 128: WARPS}
"""By how many keys segments have in the mean, at most: with room for four times as many, the last for twice. Segments that are
alike take those for twice as many; of lengths at random few are left out."""
CTAS = 132 * 8
"""That take listed segments: as many as fill an H200's SMs."""


def network_for(n: int, segments: int) -> Network | None:
    """That for n keys in so many segments; None where they are too long."""
    return next((network for mean, network in NETWORKS.items() if n <= mean * segments), None)


@kernel(threads=THREADS)
def segment_networks(
    k: Builder, n: u32, segments: u32, keys: ptr[K], sorted_: ptr[K], payload: ptr[u32], moved: ptr[u32], offsets: ptr[u32],
    work: ptr[u32], middle: ptr[u32],
    *, element: type[K], network: Network, descending: bool, pairs: bool, listed: bool,
) -> None:  # fmt: skip
    """The segments that are short enough; `listed`: those that segment_lists.py has listed for it, a warp each."""
    lanes, items = network.lanes, network.items[-1]
    word = k.types[f"u{max(32, element.isa.bits)}"]
    staged = k.shared(word, THREADS * items, name="staged", align=16).pointer
    beside = k.shared(u32, THREADS * items if pairs else 4, name="beside", align=16).pointer

    def sort(number: Any, there: Any) -> None:
        """The segments of a warp, one for each group of lanes."""
        begin, count = k.var(u32, 0), k.var(u32, 0)
        with k.if_(there):
            begin.set(k.min(offsets[number], n))
            end = k.min(offsets[number + 1], n)
            with k.if_((begin < end) & (end - begin <= network.most)):
                count.set(end - begin)
        arrays = _Arrays(
            k, keys.at(begin), sorted_.at(begin), payload.at(begin), moved.at(begin), element, descending, pairs
        )
        more = [k.any(count > each * lanes) for each in (0, *network.items)]
        for each, above, beyond in zip(network.items, more, more[1:]):
            with k.if_(above & ~beyond):  # warps may take different networks: each has memory for the largest
                place = k.tid.x // WARP * (WARP * items) + k.lane // lanes * (lanes * each)
                _sort(k, arrays, k.lane % lanes, lanes, each, count, word, staged.at(place), beside.at(place))

    if not listed:
        number = k.global_id.x // lanes
        sort(number, number < segments)
        return
    assert lanes == WARP, "a warp a segment"
    for place in k.range(k.global_id.x // WARP, k.min(work[FEW], segments), k.grid_size.x // WARP):
        sort(middle[segments - 1 - place], k.const(u32, 0) == 0)
        k.syncwarp()


class _Arrays(NamedTuple):
    """Of one segment."""

    k: Builder
    keys: Any
    sorted_: Any
    payload: Any
    moved: Any
    element: type[Any]
    descending: bool
    pairs: bool


def _sort(
    k: Builder, arrays: _Arrays, lane: Any, lanes: int, items: int, count: Any, word: Any, staged: Any, beside: Any
) -> None:  # fmt: skip
    """One network: what fills it are ones, behind all keys."""
    taken = [lane + i * lanes for i in range(items)]
    bits = [k.var(word, (1 << word.isa.bits) - 1) for _ in taken]
    for each, place in zip(bits, taken):
        with k.if_(place < count):
            found = ordered_bits(k, arrays.keys[place], arrays.descending)
            each.set(found if found.isa is word.isa else found.to(word))
    rows = [k.var(u32, place) for place in taken] if arrays.pairs else []
    _network(k, bits, rows, lane, lanes)
    held = [(staged, bits), *[(beside, rows)] * arrays.pairs]
    for memory, values in held:
        vector = min(items, 16 // values[0].isa.bytes)
        for i in range(0, items, vector):
            memory.at(lane * items + i).vectors(vector)[0] = tuple(values[i : i + vector])
    k.syncwarp()
    for place in taken:
        with k.if_(place < count):
            key, narrow = staged[place], k.types[f"u{arrays.element.isa.bits}"]
            key = key if key.isa is narrow.isa else key.to(narrow)
            arrays.sorted_[place] = original(k, key, arrays.element, arrays.descending)
            if arrays.pairs:
                arrays.moved[place] = arrays.payload[beside[place]]


def _network(k: Builder, bits: list[Any], rows: list[Any], lane: Any, lanes: int) -> None:
    """Sort lanes * items keys, lane by lane; `rows` go with them and decide between equal ones."""
    items = len(bits)
    size = 2
    while size <= lanes * items:
        if size <= items:
            _inside(k, bits, rows, size - 1, size // 2)
        else:
            across = size // items
            _across(k, bits, rows, lane, across - 1, across // 2, lanes, mirrored=True)
        distance = size // 4
        while distance:
            if distance < items:
                _inside(k, bits, rows, distance, distance)
            else:
                _across(k, bits, rows, lane, distance // items, distance // items, lanes, mirrored=False)
            distance //= 2
        size *= 2


def _inside(k: Builder, bits: list[Any], rows: list[Any], mask: int, lower: int) -> None:
    """Compare a lane's own keys: that at i, which has not the bit `lower`, with that at i ^ mask."""
    for i in range(len(bits)):
        if i & lower:
            continue
        a, b = bits[i], bits[i ^ mask]
        if not rows:
            low, high = k.min(a, b), k.max(a, b)
            a.set(low)
            b.set(high)
            continue
        p, q = rows[i], rows[i ^ mask]
        swap = (b < a) | ((b == a) & (q < p))
        new = [k.select(swap, y, x) for x, y in ((a, b), (b, a), (p, q), (q, p))]
        for each, value in zip((a, b, p, q), new):
            each.set(value)


def _across(
    k: Builder, bits: list[Any], rows: list[Any], lane: Any, mask: int, lower: int, lanes: int, *, mirrored: bool
) -> None:  # fmt: skip
    """Compare with the keys of lane ^ mask: those at the same places, or from behind. The lane without the bit `lower` keeps the
    smaller ones."""
    first = lane & lower == 0
    others = [k.shfl_xor(each, mask) for each in (reversed(bits) if mirrored else bits)]
    if not rows:
        for each, other in zip(bits, others):
            each.set(k.select(first, k.min(each, other), k.max(each, other)))
        return
    theirs = [k.shfl_xor(each, mask) for each in (reversed(rows) if mirrored else rows)]
    for each, other, row, their in zip(bits, others, rows, theirs):
        less = (other < each) | ((other == each) & (their < row))
        takes = ~(less ^ first)
        each.set(k.select(takes, other, each))
        row.set(k.select(takes, their, row))


KERNEL = segment_networks


def network_plan(
    n: int, segments: int, network: Network, keys: Any, sorted_: Any, offsets: Any, payload: Any = None, moved: Any = None, *,
    element: type[Value], descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort the segments that the network has room for."""
    others = (0, 0) if payload is None else (payload, moved)
    how: dict[str, Any] = {"element": element, "descending": descending, "pairs": payload is not None}
    grid = max(1, ceil_div(segments * network.lanes, THREADS))
    arguments = (n, segments, keys, sorted_, *others, offsets, offsets, offsets)
    return KernelPlan(using(segment_networks, network=network, listed=False, **how), grid, THREADS, arguments)


def listed_plan(
    layout: Work, keys: Any, sorted_: Any, offsets: Any, work: Any, payload: Any = None, moved: Any = None, *,
    element: type[Value], descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort those of the others that a warp has room for, which are listed from the end of the list of middle segments on."""
    others = (0, 0) if payload is None else (payload, moved)
    how: dict[str, Any] = {"element": element, "descending": descending, "pairs": payload is not None}
    grid = max(1, min(CTAS, ceil_div(layout.most_middle * WARP, THREADS)))
    arguments = (layout.n, layout.most_middle, keys, sorted_, *others, offsets, work, work[layout.middle :])
    return KernelPlan(using(segment_networks, network=WARPS, listed=True, **how), grid, THREADS, arguments)


def _case(
    lengths: Sequence[int],
    rng: np.random.Generator,
    *,
    element: type[Value],
    network: Network,
    descending: bool,
    pairs: bool,
) -> Case:
    """Segments of these lengths, of which those that are too long stay as they are; and some keys in none."""
    import numpy as np

    offsets = np.concatenate([[3], 3 + np.cumsum(lengths)]).astype(np.uint32)
    n = int(offsets[-1]) + 2
    keys, payload = random_keys(rng, n, element), np.arange(n, dtype=np.uint32)
    sorted_, moved = np.zeros_like(keys), np.zeros_like(payload)
    for begin, length in zip(offsets.tolist(), lengths):
        if length <= network.most:
            order = begin + reference_order(keys[begin : begin + length], element, descending)
            sorted_[begin : begin + length], moved[begin : begin + length] = keys[order], order
    more = {"payload": HostArray(payload, u32), "moved": HostArray(np.zeros(n, np.uint32), u32)} if pairs else {}
    return Case(
        arrays={
            "keys": HostArray(keys, element), "sorted": HostArray(np.zeros(n, keys.dtype), element),
            "offsets": HostArray(offsets, u32), **more,
        },
        plan=lambda on: network_plan(
            n, len(lengths), network, on["keys"], on["sorted"], on["offsets"], on.get("payload"), on.get("moved"),
            element=element, descending=descending,
        ),
        expected={"sorted": sorted_, **({"moved": moved} if pairs else {})},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(
    element: type[Value], network: Network, lengths: tuple[int, ...], *, descending: bool = False, pairs: bool = False
) -> Variant:
    how: dict[str, Any] = {"element": element, "network": network, "descending": descending, "pairs": pairs}
    name = f"{element.isa.name}.{network.lanes}" + ".pairs" * pairs + ".descending" * descending
    launch = using(segment_networks, listed=False, **how)
    return Variant("segment_networks", name, launch, partial(_case, **how), ((0,), lengths))


VARIANTS = (
    _variant(u32, Network(4, (2, 4)), (8, 0, 1, 17, 16, *range(15))),
    _variant(f32, Network(4, (2,)), (8, 9, 3, *[5] * 9), descending=True, pairs=True),
)
