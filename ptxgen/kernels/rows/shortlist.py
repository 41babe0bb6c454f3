"""out[r] = one of the few likely elements of row r, which `topk` (topk.py) has found, with their probabilities: the sample that
`nucleus` (nucleus.py) takes of the whole row, to the bit.

Shapes: x[rows, count] of f32, f16 or bf16, the first `count` elements in their order, and places[rows, count] of s64, where in
the row each of them was -> out[rows] of s64, one of those places, values[rows] of x's type.

Floor: 12 bytes an element, of a list that has just been written. In a list in order, the elements that reach top_p are those
before which the weights' sum is below the wanted one: a scan finds them, where a whole row needs a radix select.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f32, kernel, ptr, s64, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.collectives import WARP, cta_scan, group_reduce
from ptxgen.kernels.blocks.ranks import number_key, rank_key
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, normal
from ptxgen.kernels.plan import KernelPlan, using
from ptxgen.kernels.rows.largest import noise_of, scores_of
from ptxgen.kernels.rows.nucleus import kept, part_of, share_of, weight_of
from ptxgen.kernels.rows.topk import order_of

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan", "shortlist"]

E = TypeVar("E", bound=Float)

CTA = 256
"""Threads of a list of more than `SHORT` elements."""
SHORT = 64


@kernel(max_threads=lambda threads, **_: threads)
def shortlist(
    k: Builder, count: u32, x: ptr[E], places: ptr[s64], out: ptr[s64], values: ptr[E], scale: f32, top_p: u64, seed: u64,
    offset: u64, *, element: type[E], threads: int, valued: bool = False,
) -> None:  # fmt: skip
    """A CTA a list, a thread some neighbours in it. top_p: 2^32 for all."""
    row = k.ctaid.x
    start = row.to(u64) * count.to(u64)
    source, whence = x.at(start), places.at(start)
    each = (count + (threads - 1)) // threads
    first = k.min(k.tid.x * each, count)
    last = k.min(first + each, count)
    highest = source[0].to(f32)
    before, wanted = k.var(u64, 0), k.var(u64, 1)
    with k.if_(top_p >> 32 == 0):
        own = k.var(u64, 0)
        for i in k.range(first, last):
            own += weight_of(k, source[i].to(f32), highest, scale).to(u64)
        below, total = cta_scan(k, own, threads)
        before.set(below)
        wanted.set(part_of(k, total, top_p))

    best, where = k.var(u64, 0), k.var(u32, 0)
    for i in k.range(first, last):
        value = source[i].to(f32)
        mass = weight_of(k, value, highest, scale)
        with k.if_((top_p >> 32 != 0) | ((mass > 0) & (before < wanted))):
            place = whence[i].bits(u64).to(u32)
            score = k.fma(value, scale, noise_of(k, place, row, 1, seed, offset)[0])
            found = rank_key(number_key(k, score), place)
            better = found > best
            best.set(k.select(better, found, best))
            where.set(k.select(better, i, where))
        before += mass.to(u64)
    top = group_reduce(k, "max", best, threads, lambda: k.shared(u64, threads // WARP, name="tops"))
    with k.if_(best == top):  # of one thread: no two ranks are alike, and the first element stays
        out[row] = whence[where]
        if valued:
            values[row] = source[where]


KERNEL = shortlist


def plan(
    rows: int, count: int, x: Any, places: Any, out: Any, values: Any = None, *, element: type[Float] = f32,
    temperature: float = 1.0, top_p: float = 1.0, seed: int = 0, offset: int = 0,
) -> KernelPlan:  # fmt: skip
    """Lists of `count` elements one behind the other; 0 < top_p <= 1."""
    threads = WARP if count <= SHORT else CTA
    launch = using(shortlist, element=element, threads=threads, valued=values is not None)
    arguments = (
        count, x, places, out, 0 if values is None else values, 1 / temperature, share_of(top_p), seed, offset,
    )  # fmt: skip
    return KernelPlan(launch, rows, threads, arguments)


def _case(size: tuple[int, int, int], rng: np.random.Generator, *, element: type[Float]) -> Case:
    """Where nothing is so close that a rounding of the weights or of the noise decides."""
    import numpy as np

    rows, columns, count = size
    x = normal(rng, (rows, columns), element, 2.0)
    seed, offset, temperature, top_p = 0x0123_4567_89AB_CDEF, 5, 0.7, 0.83
    places = order_of(x.values, count)
    stays = kept(x.values, temperature, count, top_p, margin=32 + columns // 8)
    scores = np.where(stays, scores_of(x.values, temperature, seed, offset), -np.inf)
    order = np.sort(scores, axis=1)
    assert columns == 1 or (order[:, -1] - order[:, -2] > 1e-4).all()
    drawn = scores.argmax(axis=1)
    return Case(
        arrays={
            "x": HostArray(np.take_along_axis(x.values, places, axis=1), element),
            "places": HostArray(places, s64),
            "out": HostArray(np.full(rows, -7, np.int64), s64),
            "values": normal(rng, rows, element),
        },
        plan=lambda on: plan(
            rows, count, on["x"], on["places"], on["out"], on["values"], element=element, temperature=temperature, top_p=top_p,
            seed=seed, offset=offset,
        ),
        expected={"out": drawn, "values": x.values[np.arange(rows), drawn]},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Float], threads: int, sizes: tuple[Any, ...]) -> Variant:
    return Variant(
        "shortlist",
        f"{element.isa.name}.threads-{threads}",
        using(shortlist, element=element, threads=threads, valued=True),
        partial(_case, element=element),
        sizes=sizes,
    )


VARIANTS = (_variant(f32, WARP, ((1, 1, 1), (3, 100, 40))), _variant(bf16, CTA, ((2, 1300, 300),)))
