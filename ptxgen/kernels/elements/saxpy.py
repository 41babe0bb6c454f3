"""y = a*x + y, for n elements of f16, bf16, f32 or f64.

Floor: 3n elements cross the memory interface (x and y in, y out): n=2^28 in f32 are 3.22 GB, 0.75 ms at the 4.3 TB/s that a
device copy reaches on an H200. So nothing matters but keeping enough bytes in flight: each thread issues 2*unroll independent
16-byte loads before it uses the first, and full occupancy holds 2048 threads on an SM: 128 KiB in flight where about 32 KiB
cover the latency. The CTAs are independent and short, so the hardware's own scheduler balances the SMs; the
grid-stride loop serves grids that are smaller than the problem.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, f64, kernel, ptr, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.tiles import as_vectors, tail, vector_tiles
from ptxgen.kernels.cases import Case, Tolerance, Variant, normal, smallest, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan"]

E = TypeVar("E", bound=Float)

THREADS = 256
UNROLL = 2


@kernel(max_threads=THREADS)
def saxpy(
    k: Builder, n: u64, a: E, x: ptr[E], y: ptr[E], *, element: type[E], vector: int = 1, unroll: int = UNROLL
) -> None:
    """`vector` elements an access (x and y aligned to them), `unroll` accesses to x and as many to y in flight a thread."""
    tile = THREADS * unroll * vector
    for first in vector_tiles(k, n, tile, THREADS * unroll):
        from_x, from_y = as_vectors(x, vector).at(first), as_vectors(y, vector).at(first)
        xs, ys = ([place[j * THREADS] for j in range(unroll)] for place in (from_x, from_y))
        for j, (u, v) in enumerate(zip(xs, ys)):
            from_y[j * THREADS] = k.fma(a, u, v)
    for i in tail(k, n, tile):
        y[i] = k.fma(a, x[i], y[i])


KERNEL = saxpy


def plan(
    n: int, a: float, x: Any, y: Any, *, element: type[Float] = f32, vector: int | None = None, unroll: int = UNROLL
) -> KernelPlan:
    """y[:n] = a*x[:n] + y[:n]. A tile a CTA; vectors as wide as the arrays' alignment allows, unless stated."""
    lanes = vector or widest_vector(element.isa.bytes, common_alignment(x, y))
    launch = using(saxpy, element=element, vector=lanes, unroll=unroll)
    return KernelPlan(launch, grid_for(n, THREADS * unroll * lanes), THREADS, (n, a, x, y))


def _case(n: int, rng: np.random.Generator, *, element: type[Float], vector: int) -> Case:
    import numpy as np

    x, y = normal(rng, n, element), normal(rng, n, element)
    a = 1.5 if element.isa.bits < 32 else float(np.float32(rng.standard_normal()))
    product = a * x.values.astype(np.float64)
    exact = product + y.values.astype(np.float64)
    limit = unit_roundoff(element) * (np.abs(product) + 2 * np.abs(exact)) + smallest(element)
    return Case(
        arrays={"x": x, "y": y},
        plan=lambda on: plan(n, a, on["x"], on["y"], element=element, vector=vector),
        expected={"y": exact},
        tolerance=Tolerance(limit, "u|y| for fma's rounding, and as much for that of the reference's product and sum"),
    )


def _variant(element: type[Float], vector: int) -> Variant:
    tile = THREADS * UNROLL * vector
    return Variant(
        "saxpy",
        element.isa.name if vector > 1 else f"{element.isa.name}.scalar",
        using(saxpy, element=element, vector=vector),
        partial(_case, element=element, vector=vector),
        sizes=(0, 1, 255, tile, 2 * tile + 17),
    )


VARIANTS = (_variant(f32, 4), _variant(f32, 1), _variant(f64, 2), _variant(f16, 8), _variant(bf16, 8))
