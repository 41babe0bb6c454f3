"""log(sum(exp(values))) by groups, without overflow: the exponentials of what is below the group's largest value, and the
logarithm of their sum.

`shifted_exp` makes terms[row] = exp(values[row] - largest[group of the row]), which a reduction by runs (segments.py) adds up;
`add_log` makes out[g] = largest[g] + log(sums[g]). Shapes: values[n] of f32 or f64, numbers[n] of u32, largest[groups] of the
values' type, terms[n], sums[groups] and out[groups] of f64. A group with a NaN becomes NaN, one with +inf and no NaN +inf, one of
nothing but -inf becomes -inf.

exp and log are in f64, which PTX has no instructions for: e^x = 2^n e^r with n the nearest integer of x log2(e) and |r| below
0.35, by Taylor's series of 14 terms (the next one is below 2^-59); log(s) = e log(2) + 2 artanh((m-1)/(m+1)) with m from 0.71 to
1.42, 12 terms of the series. Both are within 2 ulp here, where x is not positive and s not below 1.

Floor: values and numbers read, terms written and read, (b + 20)*n bytes for values of b bytes, and the largest of each row's
group, which come from the cache where groups are few.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, f64, kernel, ptr, u32, u64
from ptxgen.builder.values import Float
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "add_log_plan", "shifted_exp_plan"]

E = TypeVar("E", bound=Float)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""

LN2_HIGH = float.fromhex("0x1.62e42fefa0000p-1")
"""log(2) to 33 bits: its product with an exponent is exact."""
LN2_LOW = float.fromhex("0x1.cf79abc9e3b3ap-40")
"""The rest: log(2) - LN2_HIGH."""
ROUND = 1.5 * 2.0**52
"""Added to a number below 2^51 in size: the nearest integer, in the lowest bits."""
TINY = -708.0
"""exp of what is below has no normal f64, and changes no sum that has a 1."""


def _exp(k: Builder, x: Any) -> Any:
    """e^x of an f64 that is not positive; 0 below TINY, NaN of a NaN."""
    shifted = k.fma(x, math.log2(math.e), k.const(f64, ROUND))
    n = shifted - ROUND
    rest = k.fma(n, -LN2_LOW, k.fma(n, -LN2_HIGH, x))
    found: Any = k.const(f64, 1 / math.factorial(13))
    for i in reversed(range(13)):
        found = k.fma(found, rest, k.const(f64, 1 / math.factorial(i)))
    exponent = shifted.bits(u64).to(u32) + 1023
    scale = (exponent.to(u64) << 52).bits(f64)
    return k.select(x < TINY, k.const(f64, 0.0), found * scale)


def _log(k: Builder, s: Any) -> Any:
    """log(s) of a normal f64, NaN of a NaN."""
    bits = s.bits(u64)
    high = (bits >> 32).to(u32)
    large = (high & 0xFFFFF) >= 0x6A09E  # the significand is above the square root of 2
    exponent = (high >> 20) - k.select(large, k.const(u32, 1022), 1023)
    one = k.select(large, k.const(u64, 0x3FE << 52), 0x3FF << 52)
    m = ((bits & ((1 << 52) - 1)) | one).bits(f64)
    e = exponent.bits(k.types["s32"]).to(f64)
    f = (m - 1.0) / (m + 1.0)
    square = f * f
    series: Any = k.const(f64, 2 / 23)
    for i in reversed(range(11)):
        series = k.fma(series, square, k.const(f64, 2 / (2 * i + 1)))
    found = k.fma(e, k.const(f64, LN2_HIGH), k.fma(e, k.const(f64, LN2_LOW), series * f))
    return k.select(s == s, found, s)


@kernel(max_threads=THREADS)
def shifted_exp(
    k: Builder, n: u32, values: ptr[E], numbers: ptr[u32], largest: ptr[E], terms: ptr[f64], *, element: type[E]
) -> None:
    """terms[row] = exp(values[row] - largest[numbers[row]]); 1 where both are the same, infinite or not."""
    for row in k.range(k.global_id.x, n, k.grid_size.x):
        value, top = values[row], largest[numbers[row]]
        terms[row] = k.select(value == top, k.const(f64, 1.0), _exp(k, value.to(f64) - top.to(f64)))


@kernel(max_threads=THREADS)
def add_log(
    k: Builder, n: u32, groups: ptr[u32], largest: ptr[E], sums: ptr[f64], out: ptr[f64], *, element: type[E]
) -> None:
    """out[g] = largest[g] + log(sums[g]). out may be sums."""
    for g in k.range(k.global_id.x, k.min(n, groups[0]), k.grid_size.x):
        top = largest[g]
        out[g] = (top if element is f64 else top.to(f64)) + _log(k, sums[g])


KERNEL = shifted_exp


def shifted_exp_plan(
    n: int, values: Any, numbers: Any, largest: Any, terms: Any, *, element: type[Float]
) -> KernelPlan:
    """The terms of n rows."""
    launch = using(shifted_exp, element=element)
    return KernelPlan(launch, grid_for(n, THREADS, CTAS), THREADS, (n, values, numbers, largest, terms))


def add_log_plan(n: int, groups: Any, largest: Any, sums: Any, out: Any, *, element: type[Float]) -> KernelPlan:
    """The results of at most n groups."""
    launch = using(add_log, element=element)
    return KernelPlan(launch, grid_for(n, THREADS, CTAS), THREADS, (n, groups, largest, sums, out))


_EDGES = (0.0, -1e-300, -1e-9, -0.34, -0.35, -1.0, -700.0, -707.9, -709.0, -1e6, -math.inf)


def _exp_case(n: int, rng: np.random.Generator, *, element: type[Float]) -> Case:
    """Differences of all sizes below 0, a NaN among them."""
    import numpy as np

    drawn = -(10.0 ** rng.uniform(-6, 3, n))
    drawn[: len(_EDGES)] = _EDGES[:n]
    if n > len(_EDGES):
        drawn[-1] = np.nan
    values, largest = drawn.astype(numpy_name(element.isa)), np.array([0.0, 2.5], numpy_name(element.isa))
    numbers = (np.arange(n) % 2).astype(np.uint32)
    exponents = values.astype(np.float64) - largest[numbers].astype(np.float64)
    with np.errstate(under="ignore"):
        exact = np.exp(exponents.astype(np.longdouble))
    exact = np.where(exponents < TINY, 0, exact).astype(np.float64)
    return Case(
        arrays={
            "values": HostArray(values, element), "numbers": HostArray(numbers, u32), "largest": HostArray(largest, element),
            "terms": HostArray(np.zeros(n), f64),
        },
        plan=lambda on: shifted_exp_plan(n, on["values"], on["numbers"], on["largest"], on["terms"], element=element),
        expected={"terms": exact},
        tolerance=Tolerance(np.abs(np.nan_to_num(exact)) * 2.0**-51, "2 ulp: the series and its last rounding"),
    )  # fmt: skip


def _log_case(n: int, rng: np.random.Generator, *, element: type[Float]) -> Case:
    """Sums from 1 to 2^32, and those next to 1 and to the square root of 2."""
    import numpy as np

    sums = 2.0 ** rng.uniform(0, 32, n)
    edges = (1.0, 1 + 2.0**-52, 1 + 2.0**-20, math.sqrt(2), 1.4142, 1.4143, 2.0, 4294967295.0)
    sums[: len(edges)] = edges[:n]
    if n > len(edges):
        sums[-1] = np.nan
    largest = rng.integers(-3, 4, n).astype(numpy_name(element.isa))
    logs = np.log(sums.astype(np.longdouble))
    exact = (largest.astype(np.longdouble) + logs).astype(np.float64)
    size = np.abs(largest.astype(np.float64)) + np.nan_to_num(logs.astype(np.float64))
    return Case(
        arrays={
            "groups": HostArray(np.array([n], np.uint32), u32), "largest": HostArray(largest, element),
            "sums": HostArray(sums, f64),
            "out": HostArray(np.zeros(n), f64),
        },
        plan=lambda on: add_log_plan(n, on["groups"], on["largest"], on["sums"], on["out"], element=element),
        expected={"out": exact},
        tolerance=Tolerance(size * 2.0**-51, "2 ulp of the logarithm, one rounding of the sum"),
    )  # fmt: skip


_SIZES = (0, 1, 100, 3 * THREADS + 7)

VARIANTS = tuple(
    Variant(
        "logsumexp",
        f"{name}.{element.isa.name}",
        using(kernel_, element=element),
        partial(case, element=element),
        _SIZES,
    )
    for element in (f32, f64)
    for name, kernel_, case in (("exp", shifted_exp, _exp_case), ("log", add_log, _log_case))
)
