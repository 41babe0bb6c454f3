"""y = the numbers that blocks of GGML stand for, from templates/dequantise.ptx.j2, bit by bit what GGML's own functions give in
f32; and those of codes with scales of their own (scaled_codes.py), from templates/scaled.ptx.j2.

Shapes: w, u8, blocks beside each other -> y[n], f32, f16 or bf16; n is a multiple of a block's elements. A product of a scale
and a quant is exact in f32, so that its difference to the minimum is rounded once, whoever computes it.

Floor: w read and y written: 0.56 + 4 bytes an element of Q4_K in f32. Four neighbouring threads have 32 elements, eight each; of
codes a thread has eight.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f16, f32, u8
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, rounded
from ptxgen.kernels.matrices.ggml import FORMATS, random_blocks
from ptxgen.kernels.matrices.scaled_codes import CODES, Scaled, decoded, drawn, name_of
from ptxgen.kernels.plan import KernelPlan, grid_for
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["RESULTS", "VARIANTS", "dequantise", "plan", "plan_scaled"]

THREADS = 256
RESULTS: tuple[type[Value], ...] = (f32, f16, bf16)

_kernels: dict[Any, TemplateKernel] = {}


def dequantise(format: str, result: type[Value] = f32, scaled: Scaled | None = None) -> TemplateKernel:
    """The kernel of a format, the same object every time. BuildError for one that there is not."""
    if format not in (FORMATS if scaled is None else CODES):
        raise BuildError(f"no format {format!r}", hint=f"one of {', '.join((*FORMATS, *CODES))}")
    if result not in RESULTS:
        raise BuildError(f"{format} to .{result.isa.name}", hint="f32, f16 or bf16")
    key = (format, result, scaled and scaled._replace(rows=1))
    if key not in _kernels:
        given: dict[str, Any] = {"format": format, "result": result.isa.name, "threads": THREADS}
        template = "dequantise.ptx.j2" if scaled is None else "scaled.ptx.j2"
        given |= {} if scaled is None else scaled.parameters
        _kernels[key] = TemplateKernel("dequantise", template, **given)
    return _kernels[key]


def plan(format: str, n: int, w: Any, y: Any, *, result: type[Value] = f32) -> KernelPlan:
    """y[:n] of the blocks at w."""
    launch = dequantise(format, result)
    return KernelPlan(launch, grid_for(n // FORMATS[format].elements * 4, THREADS), THREADS, (n, w, y))


def plan_scaled(
    format: str, rows: int, columns: int, w: Any, y: Any, scaled: Scaled, scales: Any, zeros: Any = None,
    *, result: type[Value] = f32,
) -> KernelPlan:  # fmt: skip
    """y[rows, columns] of the codes at w."""
    launch, n = dequantise(format, result, scaled), rows * columns
    arguments = (n, w, y, columns, *scaled.arguments(rows, columns, scales, zeros))
    return KernelPlan(launch, grid_for(n // 8, THREADS), THREADS, arguments)


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


def _case_scaled(
    size: tuple[int, int], rng: np.random.Generator, *, format: str, result: type[Value], scaled: Scaled
) -> Case:
    import numpy as np

    w, scales, zeros = drawn(rng, format, *size, scaled)
    exact = decoded(format, w, scaled, scales, zeros)
    arrays = {"w": HostArray(w, u8), "y": HostArray(np.zeros(size, np.float32), result)}
    arrays |= {"scales": HostArray(scales, scaled.element)} | ({} if zeros is None else {"zeros": HostArray(zeros, u8)})
    return Case(
        arrays=arrays,
        plan=lambda on: plan_scaled(
            format, *size, on["w"], on["y"], scaled, on["scales"], on.get("zeros"), result=result
        ),
        expected={"y": rounded(exact, result)},
        tolerance=EXACT,
    )


def _scaled(format: str, result: type[Value], scaled: Scaled) -> Variant:
    columns = scaled.group or 32
    return Variant(
        "dequantise",
        f"{name_of(format, scaled)}.{result.isa.name}",
        dequantise(format, result, scaled),
        partial(_case_scaled, format=format, result=result, scaled=scaled),
        sizes=((0, columns), (1, columns), (131, 3 * columns)),
        absent=dict.fromkeys(("sm_75", "sm_80"), "cvt of e4m3 came with sm_89") if format == "e4m3" else {},
    )


def _variant(format: str, result: type[Value]) -> Variant:
    return Variant(
        "dequantise",
        f"{format}.{result.isa.name}",
        dequantise(format, result),
        partial(_case, format=format, result=result),
        sizes=(0, 1, 67),
    )


VARIANTS = (
    *(_variant(format, f32) for format in FORMATS),
    _variant("q4_k", bf16),
    _scaled("nf4", f32, Scaled(64)),
    _scaled("int4", bf16, Scaled(32, bf16, zeros=True)),
    _scaled("e4m3", f32, Scaled(128, rows=128)),
    _scaled("e4m3", f16, Scaled(0, f16)),
)
