"""Scan of the segments of an array in one pass: runs of equal keys, or pieces between offsets (segmented_reduce.py reduces them).

y[i] = x[first of its segment] + ... + x[i], or (exclusive) all of the segment before x[i]; also min and max.

Shapes: x[n] and keys[n], of 1, 2, 4 or 8 bytes, or offsets[segments + 1] of u32, ascending -> y[n]. Elements are integers of 8 to
64 bits, f16, f32 and f64; narrower ones than 32 bits are computed in 32. What lies before the first offset or behind the last is
a segment of its own. `states` and `ticket` are scratch that is zero before the first launch, as of prefix.py. In place if y is x.

A tile in which a segment begins has nothing to tell of the tiles before it: its own total, from there on, is a prefix
(lookback.py), and so the tiles behind look no farther. A thread holds neighbours, so it finds the segment of its first one by a
binary search of the offsets, and walks on.

Floor: elements, and keys, are read once, and results written once: of u32 by keys of u32 12*n bytes; 2^28 at an H200's 4.3 TB/s
take 0.75 ms.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, f64, kernel, ptr, s32, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.prefix import AHEAD, computed, prefetch
from ptxgen.kernels.blocks.collectives import WARP, combine, identity
from ptxgen.kernels.blocks.lookback import before_tile, publish_total, take_turn, words_of
from ptxgen.kernels.blocks.tiles import as_vectors, load_items, store
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, integers
from ptxgen.kernels.joins.hash_join import COLUMN
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ptxgen.builder import Kernel

__all__ = ["KERNEL", "VARIANTS", "WAYS", "first_offset", "plan", "scratch_words"]

E = TypeVar("E", bound=Value)
H = TypeVar("H", bound=Value)

THREADS = 256
WARPS = THREADS // WARP
ITEM_BYTES = 64
"""What a thread holds: neighbours, so that most of a segment is added up without shuffles."""
WAYS = ("inclusive", "exclusive")
NONE = 0xFFFFFFFF
"""An offset that no element has."""


class _Part:
    """What a piece of the array adds up to: `value` from the last place on where a segment begins, `begun` if there is one (u32,
    not 0)."""

    def __init__(self, begun: Any, value: Any) -> None:
        self.begun, self.value = begun, value

    def then(self, k: Builder, op: str, other: _Part) -> _Part:
        """This piece and the one behind it."""
        value = k.select(other.begun != 0, other.value, combine(k, op, self.value, other.value))
        return _Part(self.begun | other.begun, value)


def _shifted(k: Builder, part: _Part, distance: int, width: int) -> _Part:
    return _Part(*(k.shfl_up(each, distance, width=width) for each in (part.begun, part.value)))


def _scan_lanes(k: Builder, op: str, part: _Part, width: int) -> _Part:
    """Inclusive scan over segments of `width` lanes."""
    distance = 1
    while distance < width:
        both = _shifted(k, part, distance, width).then(k, op, part)
        there = k.lane % width >= distance
        part = _Part(k.select(there, both.begun, part.begun), k.select(there, both.value, part.value))
        distance *= 2
    return part


def _exclusive(k: Builder, part: _Part, width: int, nothing: int | float) -> _Part:
    """From an inclusive scan, the exclusive one."""
    before, first = _shifted(k, part, 1, width), k.lane % width == 0
    empty = k.const(type(part.value), nothing)
    return _Part(k.select(first, k.const(u32, 0), before.begun), k.select(first, empty, before.value))


@kernel(threads=THREADS, min_ctas=lambda *, element, **_: 4 if computed(element).isa.bytes == 4 else 3)
def segmented_scan(
    k: Builder, n: u32, x: ptr[E], y: ptr[E], heads: ptr[H], segments: u32, states: ptr[u64], ticket: ptr[u64], *,
    element: type[E], head: type[H], keyed: bool, way: str, op: str, vector: int, head_vector: int,
) -> None:  # fmt: skip
    """A CTA a tile of THREADS * items elements; `heads` are keys where it is `keyed`, else offsets. `vector` elements, and
    `head_vector` keys, an access."""
    turn = take_turn(k, ticket)
    inside, nothing = computed(element), identity(op, element)
    items = items_of(element)
    first = turn.tile * (THREADS * items) + k.tid.x * items
    there = [first + j < n for j in range(items)]
    full = first + (items - 1) < n
    if k.target.sm >= 90 and vector * element.isa.bytes == 16:
        size = THREADS * items
        ahead = turn.tile.to(u64) * size + AHEAD * size
        prefetch(k, x, ahead, n.to(u64), size * element.isa.bytes)
        if keyed and head_vector * head.isa.bytes == 16:
            prefetch(k, heads, ahead, n.to(u64), size * head.isa.bytes)
    values = [k.var(inside, nothing) for _ in range(items)]
    raw = [k.var(element) for _ in range(items)]
    load_items(k, full, there, x.at(first), raw, vector=vector)
    for value, each, here in zip(values, raw, there):
        value.set(k.select(here, each.to(inside), k.const(inside, nothing)))
    if keyed:
        begins = _by_keys(k, first, full, there, heads, head, head_vector)
    else:
        number, next_ = _find(k, first, items, heads, segments)
        walk = _Walk(k, heads, segments, number, next_)
        begins = [walk.to(first + j, begin=first + j == 0) for j in range(items)]
    # The thread's own items; then the warp's threads, and the tile's warps.
    upto = [_Part(begins[0], values[0])]
    for begin, value in zip(begins[1:], values[1:]):
        upto.append(upto[-1].then(k, op, _Part(begin, value)))
    own = upto[-1]
    lanes = _scan_lanes(k, op, own, WARP)
    warp = k.tid.x // WARP
    flags, totals = k.shared(u32, WARPS, name="flags"), k.shared(inside, WARPS, name="totals")
    with k.if_(k.lane == WARP - 1):
        flags[warp] = lanes.begun
        totals[warp] = lanes.value
    k.barrier()
    warps = _scan_lanes(k, op, _Part(flags[k.lane % WARPS], totals[k.lane % WARPS]), WARPS)
    whole = _Part(*(k.shfl_idx(each, WARPS - 1) for each in (warps.begun, warps.value)))
    closed = whole.begun != 0
    publish_total(k, states, turn, whole.value, closed=closed)
    before_warps = _exclusive(k, warps, WARPS, nothing)
    before_warp = _Part(*(k.shfl_idx(each, warp) for each in (before_warps.begun, before_warps.value)))
    before = before_warp.then(k, op, _exclusive(k, lanes, WARP, nothing))

    found = before_tile(k, op, states, turn, whole.value, nothing, closed=closed)
    carried = _Part(k.const(u32, 0), found).then(k, op, before)
    scanned = [carried.then(k, op, part).value for part in upto]
    results = [each.to(element) for each in scanned]
    if way == "exclusive":
        befores = [carried.value.to(element), *results[:-1]]
        empty = k.const(element, nothing)
        results = [k.select(begin != 0, empty, each) for begin, each in zip(begins, befores)]
    target = y.at(first)
    with k.if_else(full) as (whole_items, some):
        with whole_items:
            for j in range(0, items, vector):
                store(as_vectors(target, vector), j // vector, results[j : j + vector])
        with some:
            for j, (here, each) in enumerate(zip(there, results)):
                with k.pred(here):
                    target.store(j, each)


KERNEL = segmented_scan


def _by_keys(
    k: Builder, first: Any, full: Any, there: Sequence[Any], keys: Any, head: type[Value], vector: int
) -> list[Any]:
    """For each item whether a segment begins there: whether its key is another one than that before it."""
    own = [k.var(head) for _ in there]
    load_items(k, full, there, keys.at(first), own, vector=vector)
    before = k.var(head, 0)
    with k.if_((first != 0) & there[0]):
        before.set(keys.at(first)[-1])
    begins = [k.select((first == 0) | (own[0] != before), k.const(u32, 1), 0)]
    return begins + [k.select(a != b, k.const(u32, 1), 0) for a, b in pairwise(own)]


def first_offset(k: Builder, place: Any, offsets: Any, segments: Any) -> Any:
    """How many offsets are before a place of the warp's, found by all lanes."""
    low, high = k.var(u32, 0), k.var(u32, segments + 1)
    with k.while_(lambda: low < high):
        step = k.max((high - low) // WARP, 1)
        probed = low + (k.lane + 1) * step - 1
        holds = k.var(u32, 0)
        with k.if_(probed < high):
            holds.set(k.select(offsets[probed] < place, k.const(u32, 1), 0))
        count = k.popc(k.ballot(holds != 0))
        low += count * step
        with k.if_(count < WARP):
            high.set(k.min(high, low + step - 1))
    return low


def _find(k: Builder, place: Any, items: int, offsets: Any, segments: Any) -> tuple[Any, Any]:
    """(how many offsets are before a place, the next one), where neighbouring threads have places `items` apart: first of the
    warp's first place, by all lanes, and where an offset is among the others, each thread for itself."""
    begin = k.shfl_idx(place, 0)
    low, next_ = first_offset(k, begin, offsets, segments), k.var(u32, NONE)

    def read_next() -> None:
        with k.pred(low <= segments):
            next_.set(offsets[low])

    read_next()
    with k.if_(next_ < begin + WARP * items):
        high = k.var(u32, segments + 1)
        with k.while_(lambda: low < high):
            middle = low + ((high - low) >> 1)
            with k.if_else(offsets[middle] < place) as (behind, before):
                with behind:
                    low.set(middle + 1)
                with before:
                    high.set(middle)
        next_.set(NONE)
        read_next()
    return low, next_


class _Walk:
    """From place to place along the offsets: `number` of them are not behind it, and the `next` one is."""

    def __init__(self, k: Builder, offsets: Any, segments: Any, number: Any, next_: Any) -> None:
        self._k, self._offsets, self._segments = k, offsets, segments
        self.number, self.next = k.var(u32, number), k.var(u32, next_)

    def to(self, place: Any, *, begin: Any = None) -> Any:
        """Go to a place, the one behind the last; whether an offset is this place, or else `begin`, as u32."""
        k = self._k
        begins = k.var(u32, 0 if begin is None else k.select(begin, k.const(u32, 1), 0))
        with k.while_(lambda: self.next == place):
            begins.set(1)
            self.number.set(self.number + 1)
            self.next.set(NONE)
            with k.pred(self.number <= self._segments):
                self.next.set(self._offsets[self.number])
        return begins


def items_of(element: type[Value]) -> int:
    """Elements a thread holds."""
    return ITEM_BYTES // computed(element).isa.bytes


def scratch_words(n: int, element: type[Value]) -> int:
    """u64 words of scratch for n elements: the states of the tiles and the ticket."""
    return ceil_div(max(n, 1), THREADS * items_of(element)) * words_of(computed(element)) + 1


def plan(
    n: int, x: Any, y: Any, heads: Any, segments: int, states: Any, ticket: Any, *, element: type[Value], op: str = "sum",
    way: str = "inclusive", keyed: bool = False,
) -> KernelPlan:  # fmt: skip
    """y = the scan of x[:n]; `heads` are keys, or offsets of so many segments. The scratch is zero before the first launch."""
    head = COLUMN[heads.type.bytes] if keyed else u32
    kernel_ = _using(
        element, head, op, way, keyed=keyed, vector=_vector(element, x, y), head_vector=_vector(head, heads) if keyed else 1
    )  # fmt: skip
    grid = grid_for(n, THREADS * items_of(element))
    return KernelPlan(kernel_, grid, THREADS, (n, x, y, heads.view(head), segments, states, ticket))


def _vector(element: type[Value], *arrays: Any) -> int:
    """Elements an access."""
    return min(8, min(16, max(element.isa.bytes, common_alignment(*arrays))) // element.isa.bytes)


def _using(
    element: type[Value], head: type[Value], op: str, way: str, *, keyed: bool, vector: int, head_vector: int
) -> Kernel:
    return using(
        segmented_scan, element=element, head=head, keyed=keyed, way=way, op=op, vector=vector, head_vector=head_vector,
    )  # fmt: skip


def _case(
    n: int, rng: np.random.Generator, *, element: type[Value], op: str, way: str, key: type[Value] | None
) -> Case:  # fmt: skip
    """Small integers: floating-point sums are exact in any order. Segments of none, of one and of many elements."""
    import numpy as np

    kind = np.dtype(numpy_name(element.isa))
    if element.isa.is_float:
        x = HostArray(rng.integers(-8, 9, n).astype(kind), element)
    else:
        x = integers(rng, n, element, 0, (1 << min(31, element.isa.bits - element.isa.is_signed)) - 1)
    cuts = np.sort(rng.integers(n // 50, n + 9, 7 if n % 2 else n // 3 + 2)).astype(np.uint32)
    if key is None:
        heads, bounds = HostArray(cuts, u32), cuts.astype(np.int64).clip(0, n)
    else:
        parts = np.diff(np.unique(np.concatenate([[0], cuts.clip(0, n), [n]])))
        heads = HostArray(np.repeat(rng.permutation(len(parts)) % 250, parts).astype(numpy_name(key.isa)), key)
        bounds = np.flatnonzero(np.diff(heads.values)) + 1
    ufunc = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
    pieces = np.split(x.values, bounds)
    scans = [ufunc.accumulate(each, dtype=numpy_name(computed(element).isa)).astype(kind) for each in pieces]
    if way == "exclusive":
        nothing = np.array([identity(op, element)], kind)
        scans = [np.concatenate([nothing, each[:-1]])[: len(each)] for each in scans]
    expected = np.concatenate(scans)
    scratch = scratch_words(n, element)
    return Case(
        arrays={
            "x": x, "heads": heads, "y": HostArray(np.zeros_like(expected), element),
            "states": HostArray(np.zeros(scratch, np.uint64), u64), "ticket": HostArray(np.zeros(1, np.uint64), u64),
        },
        plan=lambda on: plan(
            n, on["x"], on["y"], on["heads"], len(cuts) - 1, on["states"], on["ticket"], element=element, op=op, way=way,
            keyed=key is not None,
        ),
        expected={"y": expected},
        tolerance=Tolerance(0.0, "exact: integers wrap, and the floating inputs are small integers"),
    )  # fmt: skip


def _variant(
    element: type[Value], op: str = "sum", way: str = "inclusive", *, key: type[Value] | None = None
) -> Variant:
    head = u32 if key is None else COLUMN[key.isa.bytes]
    vector = min(8, 16 // element.isa.bytes)
    kernel_ = _using(
        element, head, op, way, keyed=key is not None, vector=vector,
        head_vector=1 if key is None else min(8, 16 // key.isa.bytes),
    )  # fmt: skip
    name = (
        f"{op}.{element.isa.name}"
        + f".{way}" * (way != "inclusive")
        + (".offsets" if key is None else f".{key.isa.name}")
    )
    tile = THREADS * items_of(element)
    case = partial(_case, element=element, op=op, way=way, key=key)
    return Variant("segmented_scan", name, kernel_, case, sizes=(0, 1, tile - 1, tile, 3 * tile + 77))


VARIANTS = (
    _variant(u32),
    _variant(f32, key=u32),
    _variant(s32, "max", "exclusive", key=u8),
    _variant(u64, way="exclusive"),
    _variant(f64, "min", key=u64),
    _variant(u8, key=u16),
)
