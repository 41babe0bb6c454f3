"""What topk.py gives, by the CTAs of a cluster for each row: of few long rows many elements.

Shapes and order: as topk.py; x[rows, columns] -> values[rows, count], places[rows, count].

Floor: x is read once from memory. Each access of a thread is a group, and the largest keys of `count` groups bound what can be
among the first `count`: of independent numbers few more elements reach that bound, since there are at least twice as many groups.
`cutoff` (ranks.py) finds its upper 22 bits over the whole cluster. Each CTA lists those of its elements that reach it and sorts
them (bitonic.py); an element's place in the result is its place in its own list and in all others, which a binary search finds
in their CTAs' shared memory. Where a list has no room, the exact `cutoff` of all that reach the bound leaves `count` elements.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, kernel, ptr, s64, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.bitonic import EACH, Entries, sort_descending
from ptxgen.kernels.blocks.collectives import fold
from ptxgen.kernels.blocks.peers import Peers
from ptxgen.kernels.blocks.ranks import Histogram, cutoff, place_in, rank_key
from ptxgen.kernels.blocks.tiles import as_vectors, load_where
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, using
from ptxgen.kernels.rows.topk import MOST, Form, any_of, drawn_rows, order_of, vector_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan", "shares", "topk_cluster"]

E = TypeVar("E", bound=Float)

CTAS = (8, 4)
"""Of the cluster of one row, and of each of several, of which more find room at once (measured, H200)."""
THREADS = 512
ITEMS = 16
"""Elements of a thread that are on their way together."""
ROOM = 2 * MOST
"""Entries of the list."""
BELOW = 42
"""The bits of a rank below those that the bound has: 22 bits, which are all of bf16 and f16."""


@kernel(max_threads=THREADS)
def topk_cluster(
    k: Builder, columns: u32, count: u32, flip: u32, x: ptr[E], step: u64, values: ptr[E], places: ptr[s64],
    *, element: type[E], vector: int = 1, ctas: int = CTAS[0], unroll: int = 1,
) -> None:  # fmt: skip
    """A cluster a row; `flip`: all ones for the smallest."""
    peers = Peers.of(k, ctas)
    row = k.ctaid.x // ctas
    source = x.at(row.to(u64) * step)
    elements = _Elements(k, peers, source, columns, Form(k, element, flip, narrow=False), vector, unroll)
    shared = Histogram.of(k, peers)
    entries = Entries(k.dynamic_shared(u64).pointer, u64)
    listed = k.shared(u32, 1, name="listed").pointer
    last, exactly, most = k.var(u64, 0), k.var(u32, 0), k.var(u32, 0)

    def over(body: Callable[..., None]) -> None:
        """The largest of each access; then all elements that reach the bound."""
        with k.if_else(exactly == 0) as (first, then):
            with first:
                elements.each_largest(body)
            with then:
                elements.each_from(last, body)

    def append(rank: Any) -> None:
        at = k.atomic_add(listed, 0, 1)
        with k.if_(at < ROOM):
            entries[at] = rank

    with k.while_():
        stop = k.select(exactly == 0, k.const(u32, BELOW), k.const(u32, 0))
        last.set(cutoff(k, shared, THREADS, over, count.to(u64), stop=stop))
        with k.pred(k.tid.x == 0):
            listed[0] = 0
        k.barrier()
        elements.each_from(last, append)
        peers.sync()
        counts = [k.var(u32, number) for number in peers.everywhere(listed, 0)]
        most.set(fold(k, "max", counts))
        with k.if_(most <= ROOM):
            k.break_()
        exactly.set(1)
    own = listed[0]
    size = k.max(k.const(u32, 1) << (32 - k.clz(own - 1)), k.const(u32, EACH))
    for i in k.range(own + k.tid.x, size, THREADS):
        entries[i] = 0
    k.barrier()
    sort_descending(k, entries, size, THREADS)
    peers.sync()
    target = row.to(u64) * count.to(u64)
    for i in k.range(k.tid.x, k.min(own, count), THREADS):
        rank = entries[i]
        at = _place(k, peers, entries, listed, most, rank)
        with k.if_(at < count):
            place = place_in(rank)
            values.at(target)[at] = source[place]
            places.at(target)[at] = place.to(u64).bits(s64)
    peers.sync()  # none ends while others search its list


class _Elements:
    """The elements of a row, as the threads of a cluster read them."""

    def __init__(
        self, k: Builder, peers: Peers, source: Any, columns: u32, form: Form, vector: int, unroll: int
    ) -> None:
        self.k, self.source, self.form, self.vector, self.unroll = k, source, form, vector, unroll
        self.many, self.accesses, self.apart = as_vectors(source, vector), columns // vector, peers.ctas * THREADS
        self.rank = peers.rank

    def each(self, body: Callable[[Any, list[Any], list[Any]], None]) -> None:
        """`body(first, inside, keys)` for `unroll` accesses of the thread at a time; some are behind the row's end."""
        k, apart = self.k, self.apart
        for first in k.range(self.rank * THREADS + k.tid.x, self.accesses, apart * self.unroll):
            inside = [first + j * apart < self.accesses for j in range(self.unroll)]
            raw = [[k.var(self.source.element, 0) for _ in range(self.vector)] for _ in inside]
            for j, found in enumerate(raw):
                load_where(k, inside[j], self.many, first + j * apart, found)
            body(first, inside, [self.form.key(value) for found in raw for value in found])

    def each_largest(self, body: Callable[[Any], None]) -> None:
        """`body(rank)` for the largest of each access."""

        def groups(_: Any, inside: list[Any], keys: list[Any]) -> None:
            for j, there in enumerate(inside):
                with self.k.if_(there):
                    body(fold(self.k, "max", keys[j * self.vector :][: self.vector]).to(u64) << 32)

        self.each(groups)

    def each_from(self, last: Any, body: Callable[[Any], None]) -> None:
        """`body(rank)` for the elements from the rank `last` on: few have any, just read, so that they are read again."""
        k, vector = self.k, self.vector

        def few(first: Any, inside: list[Any], keys: list[Any]) -> None:
            least = (last >> 32).to(u32)
            bits = [
                k.select(inside[i // vector] & (key >= least), k.const(u32, 1 << i), k.const(u32, 0))
                for i, key in enumerate(keys)
            ]
            left = k.var(u32, any_of(bits))
            with k.while_(lambda: left != 0):
                bit = k.clz(k.brev(left))
                left.set(left & (left - 1))
                place = (first + bit // vector * self.apart) * vector + bit % vector
                rank = rank_key(self.form.key(self.source[place]), place)
                with k.if_(rank >= last):
                    body(rank)

        self.each(few)


KERNEL = topk_cluster


def _place(k: Builder, peers: Peers, entries: Entries, listed: Any, most: Any, rank: Any) -> Any:
    """How many entries of all CTAs' sorted lists, of up to `most` each, are before that of this rank."""
    lists = [peers.address(entries.pointer, peer) for peer in range(peers.ctas)]
    found = [k.var(u32, 0) for _ in lists]
    lengths = peers.everywhere(listed, 0)
    step = k.var(u32, k.const(u32, 1) << (31 - k.clz(most)))
    with k.while_(lambda: step != 0):
        tried = [first + step for first in found]
        others = [k.var(u64, 0) for _ in lists]
        for start, length, last, other in zip(lists, lengths, tried, others):
            with k.pred(last <= length):
                k.ptx["ld.shared::cluster.u64"](other, [start + entries.place(last - 1) * 8])
        for first, last, other in zip(found, tried, others):
            first.set(k.select(other > rank, last, first))
        step.set(step >> 1)
    return fold(k, "sum", found)


def shares(rows: int, columns: int, count: int, vector: int, *, processors: int = 132) -> bool:
    """Whether it is faster than parts of rows (measured, H200): few rows, a large k, and twice as many groups as that."""
    return count > 768 and 8 * rows <= processors and columns >= max(32768, 2 * count * vector)


def plan(
    rows: int, columns: int, count: int, x: Any, values: Any, places: Any, *, step: int | None = None, element: type[Float] = f32,
    largest: bool = True, vector: int | None = None, ctas: int | None = None, unroll: int | None = None,
) -> KernelPlan:  # fmt: skip
    """One launch; count is at most the number of accesses of a row."""
    distance = columns if step is None else step
    if vector is None:
        vector = vector_of(x, columns, distance if rows > 1 else 0, element)
    ctas, unroll = ctas or CTAS[rows > 1], unroll or min(4, ITEMS // vector)
    launch = using(topk_cluster, element=element, vector=vector, ctas=ctas, unroll=unroll)
    arguments = (columns, count, 0 if largest else 0xFFFF_FFFF, x, distance, values, places)
    return KernelPlan(launch, rows * ctas, THREADS, arguments, shared=8 * ROOM)


def _case(size: tuple[int, int, int], rng: np.random.Generator, *, element: type[Float], **how: int) -> Case:
    import numpy as np

    rows, columns, count = size
    x, largest = drawn_rows(rng, rows, columns, element), columns % 2 == 0
    places = order_of(x.values, count, largest)
    return Case(
        arrays={
            "x": x,
            "values": HostArray(np.zeros((rows, count), x.values.dtype), element),
            "places": HostArray(np.full((rows, count), -7), s64),
        },
        plan=lambda on: plan(
            rows, columns, count, on["x"], on["values"], on["places"], element=element, largest=largest, **how
        ),
        expected={"values": np.take_along_axis(x.values, places, axis=1), "places": places},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Float], vector: int, ctas: int, unroll: int, sizes: tuple[Any, ...]) -> Variant:
    words = ["scalar"] * (vector == 1) + [f"ctas-{ctas}", f"unroll-{unroll}"]
    how: dict[str, Any] = {"element": element, "vector": vector, "ctas": ctas, "unroll": unroll}
    return Variant(
        "topk_cluster",
        ".".join([element.isa.name, *words]),
        using(topk_cluster, **how),
        partial(_case, **how),
        sizes=sizes,
        absent={"sm_75": "clusters came with sm_90", "sm_80": "clusters came with sm_90"},
    )


VARIANTS = (_variant(f32, 4, 2, 1, ((1, 64, 3), (7, 9004, 700), (3, 20_000, 2048))),)
