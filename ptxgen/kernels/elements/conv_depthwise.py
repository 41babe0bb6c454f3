"""y[b, c, t] = f(bias[c] + sum over j of weight[c, j] * x[b, c, t - (taps - 1) + j]), from templates/conv_depthwise.ptx.j2.

A causal convolution of each channel with weights of its own, as Mamba has it ahead of its scan (Gu and Dao, 2023); elements ahead
of a row's first are zeros; f is silu or nothing.

Shapes: x, y [rows, length] of f32, bf16 or f16 (computed in f32, rounded once), row b * channels + c, elements of a row beside
each other and rows any number of elements apart; weight [channels, taps], bias [channels] of their type.

Floor: x read, y written. A thread has 16 bytes of a row; those ahead of them, which its neighbour has, come from the L1 cache.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f16, f32
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, Tolerance, Variant, normal, rounded, smallest, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, widest_vector
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["ELEMENTS", "MOST_TAPS", "VARIANTS", "conv_depthwise", "plan"]

ELEMENTS: tuple[type[Value], ...] = (f32, bf16, f16)
MOST_TAPS = 32
THREADS = 256
UNROLL = 2

_kernels: dict[Any, TemplateKernel] = {}


def conv_depthwise(
    element: type[Value], taps: int, vector: int, lanes: int, biased: bool = False, smooth: bool = False
) -> TemplateKernel:
    """The kernel, the same object every time. BuildError for a type or a number of taps that there is not."""
    if element not in ELEMENTS or not 1 <= taps <= MOST_TAPS:
        raise BuildError(
            f"a convolution of .{element.isa.name} with {taps} taps", hint=f"f32, bf16 or f16, 1 to {MOST_TAPS}"
        )
    key = (element, taps, vector, lanes, biased, smooth)
    if key not in _kernels:
        given: dict[str, Any] = {"taps": taps, "vector": vector, "lanes": lanes, "biased": biased, "smooth": smooth}
        _kernels[key] = TemplateKernel(
            "conv_depthwise", "conv_depthwise.ptx.j2", type=element.isa.name, unroll=UNROLL, **given
        )
    return _kernels[key]


def plan(
    rows: int, channels: int, length: int, taps: int, x: tuple[Any, int], y: tuple[Any, int], weight: Any, bias: Any = None,
    *, smooth: bool = False, element: type[Value] = f32, vector: int | None = None, lanes: int | None = None,
) -> KernelPlan:  # fmt: skip
    """x and y with the elements from row to row."""
    if vector is None:
        steps = [x[1], y[1]] if rows > 1 else []
        vector = widest_vector(element.isa.bytes, common_alignment(x[0], y[0]), length, *steps)
        vector = vector if vector >= taps - 1 else 1
    if lanes is None:
        lanes = 1
        while lanes * vector * UNROLL < length and lanes < THREADS:
            lanes *= 2
    launch = conv_depthwise(element, taps, vector, lanes, bias is not None, smooth)
    tiles = max(1, ceil_div(length, lanes * vector * UNROLL))
    groups = max(1, ceil_div(rows, THREADS // lanes))
    own = (weight,) if bias is None else (weight, bias)
    return KernelPlan(launch, tiles * groups, THREADS, (*x, *y, *own, rows, channels, length, tiles))


def _case(
    size: tuple[int, int, int], rng: np.random.Generator, *, element: type[Value], taps: int, vector: int, lanes: int,
    biased: bool, smooth: bool,
) -> Case:  # fmt: skip
    import numpy as np

    batch, channels, length = size
    rows = batch * channels
    x, y = normal(rng, (rows, length), element), normal(rng, (rows, length), element)
    weight, bias = normal(rng, (channels, taps), element), normal(rng, channels, element)
    wide = np.pad(x.values.astype(np.float64), ((0, 0), (taps - 1, 0)))
    factors = np.tile(weight.values.astype(np.float64), (batch, 1))
    exact = np.tile(bias.values.astype(np.float64) * biased, batch)[:, None] + np.zeros((rows, length))
    sizes = abs(exact)
    for j in range(taps):
        term = factors[:, j : j + 1] * wide[:, j : j + length]
        exact, sizes = exact + term, sizes + abs(term)
    limit = sizes * 2.0**-24 * (taps + 1)
    if smooth:
        exact = exact / (1 + np.exp(-exact))
        limit = 1.2 * limit + abs(exact) * (2.0**-21 if element is f32 else 2.0**-16)
    limit = limit + abs(exact) * 2 * unit_roundoff(element) + smallest(element)
    return Case(
        arrays={"x": x, "y": y, "weight": weight, "bias": bias},
        plan=lambda on: plan(
            rows, channels, length, taps, (on["x"], length), (on["y"], length), on["weight"], on["bias"] if biased else None,
            smooth=smooth, element=element, vector=vector, lanes=lanes,
        ),
        expected={"y": rounded(exact, element)},
        tolerance=Tolerance(limit, "a rounding an addition, silu's 2^-21, one to the type"),
    )  # fmt: skip


def _variant(
    element: type[Value], taps: int, vector: int, lanes: int, lengths: tuple[int, ...], *, biased: bool, smooth: bool
) -> Variant:
    given: dict[str, Any] = {
        "element": element, "taps": taps, "vector": vector, "lanes": lanes, "biased": biased, "smooth": smooth
    }  # fmt: skip
    words = [element.isa.name, f"taps-{taps}", f"lanes-{lanes}", *(["biased"] * biased), *(["silu"] * smooth)]
    return Variant(
        "conv_depthwise",
        ".".join(words + ["scalar"] * (vector == 1)),
        conv_depthwise(**given),
        partial(_case, **given),
        sizes=((0, 3, lengths[0]), (1, 1, lengths[0]), *((3, 5, n) for n in lengths)),
    )


VARIANTS = (
    _variant(bf16, 4, 8, 32, (8, 520), biased=True, smooth=True),
    _variant(f32, 3, 4, 256, (4, 2052), biased=False, smooth=False),
    _variant(f16, 5, 1, 8, (1, 21), biased=True, smooth=False),
)
