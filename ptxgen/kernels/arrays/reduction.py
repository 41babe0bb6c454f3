"""Sum, minimum or maximum of n elements, in one launch.

Shapes: x[n] -> out[1]. f32, f64, u32 and s32 are reduced in their own type (u32 and s32 sums wrap); f16 and bf16 in f32,
which is also the type of `out`. Nothing (n=0) gives the identity: 0, or the largest or smallest value of the type. The
minimum and the maximum ignore NaN, as the instructions do.

Deterministic: the grid follows from n alone, every CTA reduces in a fixed order, and the CTA that finishes last reduces the
partial results in the order of their CTAs. So all devices, runs and drivers agree to the bit.

Floor: every element is read once; 2^28 f32 are 1.07 GB, 0.25 ms at an H200's 4.3 TB/s. Each thread keeps `unroll` 16-byte
loads in flight and as many independent accumulators as an access has elements; 1,024 CTAs of 256 threads are one wave on
an H200 (132 SMs of 8), so that nothing waits but the last ticket.

`partials` has room for MAX_CTAS accumulators; `ticket` is one u32 that is 0 before the first launch and again after each.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, f64, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP, combine, fold, group_reduce, identity
from ptxgen.kernels.blocks.tiles import as_vectors, load, tail, vector_tiles
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, integers, normal, rounded
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "MAX_CTAS", "OPERATIONS", "VARIANTS", "accumulator_of", "plan"]

E = TypeVar("E", bound=Value)
A = TypeVar("A", bound=Value)

OPERATIONS = ("sum", "min", "max")
THREADS = 256
UNROLL = 4
MAX_CTAS = 1024


@kernel(max_threads=THREADS)
def reduce(
    k: Builder, n: u64, x: ptr[E], out: ptr[A], partials: ptr[A], ticket: ptr[u32],
    *, element: type[E], accumulator: type[A], op: str, vector: int = 1, unroll: int = UNROLL,
) -> None:  # fmt: skip
    """`op` of x[0..n) into out[0]; `vector` elements an access, x aligned to them."""
    start = identity(op, accumulator)
    totals = [k.var(accumulator, start) for _ in range(vector)]
    tile = THREADS * unroll * vector
    for first in vector_tiles(k, n, tile, THREADS * unroll):
        place = as_vectors(x, vector).at(first)
        rows = [load(place, j * THREADS) for j in range(unroll)]
        for total, column in zip(totals, zip(*rows)):
            total.set(combine(k, op, total, fold(k, op, [each.to(accumulator) for each in column])))
    for i in tail(k, n, tile):
        totals[0].set(combine(k, op, totals[0], x[i].to(accumulator)))

    scratch = k.shared(accumulator, THREADS // WARP, name="warps")
    mine = group_reduce(k, op, fold(k, op, totals), THREADS, lambda: scratch)
    is_last = k.shared(u32, 1, name="is_last")
    with k.if_(k.tid.x == 0):
        partials.store(k.ctaid.x, mine)
        # Release our partial result, acquire everybody's; the ticket goes back to 0 at the last CTA (manual 9.7.13.5, .inc).
        taken = k.atomic_inc(ticket, 0, k.nctaid.x - 1, order="acq_rel")
        is_last[0] = (taken == k.nctaid.x - 1).to(u32)
    k.barrier()
    with k.if_(is_last[0] != 0):
        total = k.var(accumulator, start)
        for i in k.range(k.tid.x, k.nctaid.x, THREADS):
            total.set(combine(k, op, total, partials.load(i, "relaxed.gpu")))
        whole = group_reduce(k, op, total, THREADS, lambda: scratch)
        with k.if_(k.tid.x == 0):
            out[0] = whole


KERNEL = reduce


def accumulator_of(element: type[Value]) -> type[Value]:
    """The type that a reduction of these elements computes in, and that of its result."""
    return f32 if element in (f16, bf16) else element


def plan(
    n: int, x: Any, out: Any, partials: Any, ticket: Any,
    *, element: type[Value] = f32, op: str = "sum", vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """out[0] = op of x[:n]. Vectors as wide as x's alignment allows, unless stated."""
    lanes = vector or widest_vector(element.isa.bytes, common_alignment(x))
    launch = using(reduce, element=element, accumulator=accumulator_of(element), op=op, vector=lanes)
    grid = grid_for(n, THREADS * UNROLL * lanes, MAX_CTAS)
    return KernelPlan(launch, grid, THREADS, (n, x, out, partials, ticket))


def _case(n: int, rng: np.random.Generator, *, element: type[Value], op: str, vector: int) -> Case:
    """Sums are of small integers, also in floating point, so that every order of additions gives the same bits."""
    import numpy as np

    if not element.isa.is_float:
        bits = element.isa.bits - element.isa.is_signed
        x = integers(rng, n, element, -(1 << bits) if element.isa.is_signed else 0, (1 << bits) - 1)
    elif op == "sum":
        x = HostArray(rounded(rng.integers(-8, 9, n), element), element)
    else:
        x = normal(rng, n, element)
    result = accumulator_of(element)
    kind = numpy_name(result.isa)
    values = x.values.astype(kind)
    reduced = values.sum(dtype=kind) if op == "sum" else getattr(values, op)(initial=identity(op, result))
    return Case(
        arrays={
            "x": x,
            "out": HostArray(np.zeros(1, kind), result),
            "partials": HostArray(np.zeros(MAX_CTAS, kind), result),
            "ticket": HostArray(np.zeros(1, np.uint32), u32),
        },
        plan=lambda on: plan(
            n, on["x"], on["out"], on["partials"], on["ticket"], element=element, op=op, vector=vector
        ),
        expected={"out": np.array([reduced], kind), "ticket": np.zeros(1, np.uint32)},
        tolerance=Tolerance(0.0, "exact: sums are of small integers; extremes round nothing"),
    )


def _variant(op: str, element: type[Value], vector: int) -> Variant:
    tile = THREADS * UNROLL * vector
    return Variant(
        "reduction",
        f"{op}.{element.isa.name}" if vector > 1 else f"{op}.{element.isa.name}.scalar",
        using(reduce, element=element, accumulator=accumulator_of(element), op=op, vector=vector),
        partial(_case, element=element, op=op, vector=vector),
        sizes=(0, 1, 31, tile, 3 * tile + 257),
    )


VARIANTS = (
    _variant("sum", f32, 4),
    _variant("sum", f32, 1),
    _variant("sum", f64, 2),
    _variant("sum", u32, 4),
    _variant("sum", s32, 4),
    _variant("sum", f16, 8),
    _variant("sum", bf16, 8),
    _variant("min", f32, 4),
    _variant("max", f32, 4),
    _variant("min", s32, 4),
    _variant("max", u32, 4),
    _variant("max", f16, 8),
)
