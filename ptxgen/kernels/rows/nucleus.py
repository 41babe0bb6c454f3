"""out[r] = an element of row r with the probability of softmax(x / temperature) among the likely ones: the top k, the top p.

Shapes: x[rows, columns] of f32, f16 or bf16, rows any number of elements apart -> out[rows] of s64, values[rows] of x's type.

The elements are in the order of ranks.py: largest first, of equals the first one first. The first `top_k` of them are left. Of
these an element weighs e^((x - largest) / temperature), in f32, as a whole number of 2^-23; the fewest of them, from the first
one on, stay whose weights together reach `top_p`, rounded down to 2^-32, of the weights of all that are left (Holtzman and
others, "The curious case of neural text degeneration", 2020); those of weight 0 do not. An element that stays is taken where its
x / temperature and the Gumbel noise of its place in the row (largest.py: the same noise, whatever top_k and top_p are) have the
largest sum. Of a row with NaN, or +inf, the first of these is taken.

Floor: x is read from memory once, and from the L2 cache a few times, for each 11 bits of the order that tell the last element
from the others. The CTAs of a cluster share a row where there are few, and add up what they have counted. Weights are integers,
so that every run gives the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f32, kernel, ptr, s64, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.peers import Peers
from ptxgen.kernels.blocks.ranks import Histogram, cutoff, number_key, place_in, rank_key
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, normal
from ptxgen.kernels.plan import KernelPlan, using
from ptxgen.kernels.rows.largest import noise_of, scores_of
from ptxgen.kernels.rows.topk import order_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = [
    "KERNEL",
    "MOST_COLUMNS",
    "VARIANTS",
    "kept",
    "nucleus",
    "part_of",
    "plan",
    "share_of",
    "shared_by",
    "weight_of",
]

E = TypeVar("E", bound=Float)

THREADS = 512
UNROLL = 4
PART = 12
"""Bits of a weight that are added up in a word."""
UNIT = 1 << 23
MOST_COLUMNS = 1 << 20
"""Sums of 2^20 parts of 12 bits fit in a word."""
MOST_CTAS = 4
"""That share a row: what more of them save, adding up costs."""
LOG2_E = 1.4426950408889634


@kernel(max_threads=THREADS)
def nucleus(
    k: Builder, columns: u32, x: ptr[E], step: u64, out: ptr[s64], values: ptr[E], scale: f32, top_k: u32, top_p: u64, seed: u64,
    offset: u64, *, element: type[E], ctas: int = 1, valued: bool = False,
) -> None:  # fmt: skip
    """`ctas` CTAs of a cluster a row. top_k: `columns` for all; top_p: 2^32 for all."""
    peers = Peers.of(k, ctas)
    row = k.ctaid.x // ctas
    source = x.at(row.to(u64) * step)
    shared = Histogram.of(k, peers, 2)
    partial_ = k.shared(u64, THREADS // WARP, name="partial").pointer

    def each(body: Callable[[Any, Any], None]) -> None:
        for i in k.range(peers.rank * THREADS + k.tid.x, columns, ctas * THREADS, unroll=UNROLL):
            body(i, source[i].to(f32))

    def rank(i: Any, value: Any) -> Any:
        return rank_key(number_key(k, value), i)

    def over_row(op: str, value: Any) -> Any:
        """Of all threads, in each of them."""
        peers.sync()
        return peers.reduce(op, value, THREADS, partial_)

    first = k.var(u64, 0)
    each(lambda i, value: first.set(k.max(first, rank(i, value))))
    highest = source[place_in(over_row("max", first))].to(f32)

    def weight(value: Any) -> Any:
        return weight_of(k, value, highest, scale)

    last = k.var(u64, 0)  # the rank of the last one that stays
    total = k.var(u64, 0)

    def add(i: Any, value: Any) -> None:
        total.set(total + k.select(rank(i, value) >= last, weight(value).to(u64), k.const(u64, 0)))

    for phase in k.range(2):
        weighed = phase == 1
        with k.if_((weighed & (top_p >> 32 == 0)) | (~weighed & (top_k < columns))):
            wanted = k.var(u64, top_k.to(u64))
            with k.if_(weighed):
                each(add)
                wanted.set(part_of(k, over_row("sum", total), top_p))

            def over(body: Callable[..., None]) -> None:
                def judge(i: Any, value: Any) -> None:
                    own = rank(i, value)
                    with k.if_(own >= last):
                        mass = weight(value)
                        body(own, mass & ((1 << PART) - 1), mass >> PART)

                each(judge)

            last.set(k.max(last, cutoff(k, shared, THREADS, over, wanted, weighed)))

    best = k.var(u64, 0)

    def draw(i: Any, value: Any) -> None:
        stays = (rank(i, value) >= last) & ((top_p >> 32 != 0) | (weight(value) > 0))
        with k.if_(stays):
            score = k.fma(value, scale, noise_of(k, i, row, 1, seed, offset)[0])
            best.set(k.max(best, rank(i, score)))

    for i in k.range(peers.rank * THREADS + k.tid.x, columns, ctas * THREADS):
        draw(i, source[i].to(f32))
    place = place_in(over_row("max", best))
    with k.if_((k.tid.x == 0) & (peers.rank == 0)):
        out[row] = place.to(u64).bits(s64)
        if valued:
            values[row] = source[place]
    if ctas > 1:
        peers.sync()  # none ends while others read what it has found


KERNEL = nucleus


def share_of(top_p: float) -> int:
    """In 2^-32, rounded down: a share of 0.4 of ten equal elements is four of them."""
    return max(1, int(top_p * 2.0**32))


def weight_of(k: Builder, value: f32, highest: f32, scale: f32) -> Any:
    """e^((value - highest) scale), a u32 in 2^-23; of the highest one, and of NaN, 1."""
    power = k.exp2((value - highest) * (scale * LOG2_E))
    heaviest = (value == highest) | k.is_nan(power)
    return k.select(heaviest, k.const(u32, UNIT), (power * float(UNIT)).to(u32, "rni"))


def part_of(k: Builder, total: u64, part: u64) -> Any:
    """total * part / 2^32, rounded up; both are below 2^44."""
    high, low = k.mulhi(total, part), total * part
    rest = k.select(low & 0xFFFF_FFFF != 0, k.const(u64, 1), k.const(u64, 0))
    return (high << 32) + (low >> 32) + rest


def shared_by(rows: int, columns: int, processors: int) -> int:
    """CTAs of a cluster that share a row: of few rows as many as there are processors for, of 4,096 elements at least."""
    most = min(MOST_CTAS, columns // 4096, 2 * processors // max(rows, 1))
    return 1 << max(most, 1).bit_length() - 1


def plan(
    rows: int, columns: int, x: Any, out: Any, values: Any = None, *, step: int | None = None, element: type[Float] = f32,
    temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0, seed: int = 0, offset: int = 0, ctas: int = 1,
) -> KernelPlan:  # fmt: skip
    """`step`: elements from row to row; 0 < top_p <= 1; `ctas` of a cluster share a row (see `shared_by`)."""
    launch = using(nucleus, element=element, ctas=ctas, valued=values is not None)
    arguments = (
        columns, x, columns if step is None else step, out, 0 if values is None else values, 1 / temperature,
        columns if top_k is None else top_k, share_of(top_p), seed, offset,
    )  # fmt: skip
    return KernelPlan(launch, rows * ctas, THREADS, arguments)


def kept(
    x: np.ndarray[Any, Any], temperature: float, top_k: int, top_p: float, *, margin: int = 0
) -> np.ndarray[Any, Any]:
    """Which elements stay; where weights that are `margin` units off might change that, AssertionError."""
    import numpy as np

    order = order_of(x, x.shape[1])
    values = np.take_along_axis(x.astype(np.float64), order, axis=1)
    with np.errstate(invalid="ignore"):
        power = np.exp((values - values[:, :1]) / temperature)
    weights = np.where((values == values[:, :1]) | np.isnan(power), UNIT, np.rint(np.nan_to_num(power) * UNIT)).astype(
        np.int64
    )
    weights[:, top_k:] = 0
    total = weights.sum(axis=1, keepdims=True)
    wanted = -(-total.astype(object) * share_of(top_p) // 2**32).astype(np.int64)  # products of up to 2^75
    before = weights.cumsum(axis=1) - weights
    assert (abs(before - wanted)[:, 1:top_k] > margin).all() or top_p == 1
    stays = (before < wanted) & (weights > 0) if top_p < 1 else np.arange(x.shape[1])[None] < top_k
    return np.take_along_axis(np.broadcast_to(stays, x.shape), order.argsort(axis=1), axis=1)


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Float], ctas: int) -> Case:
    """Where nothing is so close that a rounding of the weights or of the noise decides."""
    import numpy as np

    rows, columns = size
    x = normal(rng, size, element, 2.0)
    seed, offset, temperature, top_k, top_p = 0x0123_4567_89AB_CDEF, 5, 0.7, max(1, columns // 3), 0.83
    stays = kept(x.values, temperature, top_k, top_p, margin=32 + columns // 8)
    scores = np.where(stays, scores_of(x.values, temperature, seed, offset), -np.inf)
    if columns > 1:
        order = np.sort(scores, axis=1)
        assert (order[:, -1] - order[:, -2] > 1e-4).all()
    places = scores.argmax(axis=1)
    return Case(
        arrays={"x": x, "out": HostArray(np.full(rows, -7, np.int64), s64), "values": normal(rng, rows, element)},
        plan=lambda on: plan(
            rows, columns, on["x"], on["out"], on["values"], element=element, temperature=temperature, top_k=top_k, top_p=top_p,
            seed=seed, offset=offset, ctas=ctas,
        ),
        expected={"out": places, "values": x.values[np.arange(rows), places]},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Float], ctas: int = 1) -> Variant:
    return Variant(
        "nucleus",
        element.isa.name + (f".ctas-{ctas}" if ctas > 1 else ""),
        using(nucleus, element=element, ctas=ctas, valued=True),
        partial(_case, element=element, ctas=ctas),
        sizes=((1, 1), (3, 100), (2, 1300)),
        absent={"sm_75": "clusters came with sm_90", "sm_80": "clusters came with sm_90"} if ctas > 1 else {},
    )


VARIANTS = (_variant(f32), _variant(bf16, 4))
