"""y = the numbers that blocks of GGML stand for, from templates/dequantise.ptx.j2; bit by bit what GGML's own functions give in
f32.

Shapes: w, u8, blocks beside each other -> y[n], f32, f16 or bf16; n is a multiple of a block's elements. A product of a scale
and a quant is exact in f32, so that its difference to the minimum is rounded once, whoever computes it.

Floor: w read and y written: 0.56 + 4 bytes an element of Q4_K in f32. Four neighbouring threads have 32 elements, eight each.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f16, f32, u8
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, rounded
from ptxgen.kernels.ggml import FORMATS, random_blocks
from ptxgen.kernels.plan import KernelPlan, grid_for
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["RESULTS", "VARIANTS", "dequantise", "plan"]

THREADS = 256
RESULTS: tuple[type[Value], ...] = (f32, f16, bf16)

_kernels: dict[Any, TemplateKernel] = {}


def dequantise(format: str, result: type[Value] = f32) -> TemplateKernel:
    """The kernel of a format, the same object every time. BuildError for one that there is not."""
    if format not in FORMATS:
        raise BuildError(f"no format {format!r}", hint=f"one of {', '.join(FORMATS)}")
    if result not in RESULTS:
        raise BuildError(f"{format} to .{result.isa.name}", hint="f32, f16 or bf16")
    key = (format, result)
    if key not in _kernels:
        given: dict[str, Any] = {"format": format, "result": result.isa.name, "threads": THREADS}
        _kernels[key] = TemplateKernel("dequantise", "dequantise.ptx.j2", **given)
    return _kernels[key]


def plan(format: str, n: int, w: Any, y: Any, *, result: type[Value] = f32) -> KernelPlan:
    """y[:n] of the blocks at w."""
    launch = dequantise(format, result)
    return KernelPlan(launch, grid_for(n // FORMATS[format].elements * 4, THREADS), THREADS, (n, w, y))


def _case(count: int, rng: np.random.Generator, *, format: str, result: type[Value]) -> Case:
    import numpy as np

    blocks = random_blocks(rng, FORMATS[format], count)
    exact = FORMATS[format].decode(blocks).reshape(-1)
    return Case(
        arrays={"w": HostArray(blocks, u8), "y": HostArray(np.zeros(exact.size, np.float32), result)},
        plan=lambda on: plan(format, exact.size, on["w"], on["y"], result=result),
        expected={"y": rounded(exact, result)},
        tolerance=EXACT,
    )


def _variant(format: str, result: type[Value]) -> Variant:
    return Variant(
        "dequantise",
        f"{format}.{result.isa.name}",
        dequantise(format, result),
        partial(_case, format=format, result=result),
        sizes=(0, 1, 67),
    )


VARIANTS = (*(_variant(format, f32) for format in FORMATS), _variant("q4_k", bf16))
