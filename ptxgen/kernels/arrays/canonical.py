"""One form of each number: -0.0 as 0.0, every NaN as the same one, so that numbers are equal where their bits are.

Shapes: x[n] of f16, f32 or f64 -> y[n]. Floor: read and written once, 2*b*n bytes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f16, f32, f64, kernel, ptr, u32
from ptxgen.builder.values import Float
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import COLUMN
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan"]

E = TypeVar("E", bound=Float)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""

NAN = {2: 0x7E00, 4: 0x7FC0_0000, 8: 0x7FF8 << 48}
"""By bytes: the quiet NaN that numpy writes."""


@kernel(max_threads=THREADS)
def canonical(k: Builder, n: u32, x: ptr[E], y: ptr[E], *, element: type[E]) -> None:
    """y[i] = x[i] in its one form."""
    bits = COLUMN[element.isa.bytes]
    nan = k.const(bits, NAN[element.isa.bytes])
    for i in k.range(k.global_id.x, n, k.grid_size.x):
        value = x[i]
        found = k.var(bits, value.bits(bits))
        with k.pred(value == 0):
            found.set(0)
        with k.pred(k.is_nan(value)):
            found.set(nan)
        y.cast(bits)[i] = found


KERNEL = canonical


def plan(n: int, x: Any, y: Any, *, element: type[Float]) -> KernelPlan:
    """y[:n] = x[:n] in their one form."""
    return KernelPlan(using(canonical, element=element), grid_for(n, THREADS, CTAS), THREADS, (n, x, y))


def _case(n: int, rng: np.random.Generator, *, element: type[Float]) -> Case:
    import numpy as np

    kind = np.dtype(numpy_name(element.isa))
    pool = np.array([0.0, -0.0, 1.5, -2, np.inf, -np.inf, np.nan, -np.nan, 1e-7], kind)
    x = pool[rng.integers(0, len(pool), n)]
    bits: Any = np.dtype(f"u{kind.itemsize}")
    expected = np.where(x == 0, bits.type(0), np.where(np.isnan(x), bits.type(NAN[kind.itemsize]), x.view(bits)))
    unsigned = COLUMN[kind.itemsize]
    return Case(
        arrays={"x": HostArray(x.view(bits), unsigned), "y": HostArray(np.ones(n, bits), unsigned)},
        plan=lambda on: plan(n, on["x"].view(element), on["y"].view(element), element=element),
        expected={"y": expected},
        tolerance=EXACT,
    )


VARIANTS = tuple(
    Variant("canonical", element.isa.name, using(canonical, element=element), partial(_case, element=element), (0, 1, 1000))
    for element in (f16, f32, f64)
)  # fmt: skip
