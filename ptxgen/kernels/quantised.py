"""y[c, r] = sum of W[r, k] x[c, k] for up to eight columns, W in blocks of GGML (ggml.py) or as codes with scales of their own
(scaled_codes.py), from templates/gemv.ptx.j2.

Shapes: w, u8, [rows, columns] as blocks, a row's beside each other and rows without gaps, at a multiple of 16 bytes;
x [batch, columns] of bf16 or f16, at multiples of 8 bytes; y [batch, rows] of f32, bf16 or f16. `columns` is a multiple of a
block's elements. A number for each row of W may be added (`bias`); with `glu`, W has 2 * rows, and y is silu or gelu of the sum
of row r times that of row rows + r: the gate and the upward projection of an MLP, whose sums never leave the registers.

The integers of a block and the activations are multiplied exactly, added up in f32 by the tensor cores, 32 at a time, and
scaled in f32: no activation is rounded to eight bits. NF4's values are rounded to the activations' type first, as bitsandbytes
does; e4m3's are exact in it.

Floor: W is read once: 4096 x 14336 of Q4_K are 33 MB, 7.4 us at 4.47 TB/s. Eight columns cost as much as one, since the tensor
cores take eight.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import bf16, f16, f32, u8
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, rounded, smallest, unit_roundoff
from ptxgen.kernels.ggml import FORMATS, random_blocks
from ptxgen.kernels.plan import KernelPlan, ceil_div
from ptxgen.kernels.scaled_codes import CODES, NF4, SCALES, Scaled, decoded, drawn, name_of
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value
    from ptxgen.kernels.ggml import Format
    from ptxgen.kernels.scaled_codes import Codes

__all__ = ["ACTIVATIONS", "BATCH", "GLU", "PLAIN", "RESULTS", "VARIANTS", "Finish", "about_format", "gemv", "plan"]

BATCH = 8
"""Most columns."""
ROWS = 16
WARPS = 8
PIECE = 256
"""Elements of a row that a warp takes at a time."""
PAIRS = 32 << 10
"""Bytes of shared memory for NF4's pairs of values: one for each byte and lane."""
ACTIVATIONS: tuple[type[Value], ...] = (bf16, f16)
RESULTS: tuple[type[Value], ...] = (bf16, f16, f32)
GLU = ("none", "silu", "gelu")

_kernels: dict[Any, TemplateKernel] = {}


def about_format(format: str) -> Format | Codes:
    """Elements and bytes of a block. BuildError for a format that there is not."""
    found = FORMATS.get(format) or CODES.get(format)
    if found is None:
        raise BuildError(f"no format {format!r}", hint=f"one of {', '.join((*FORMATS, *CODES))}")
    return found


def _pitch(format: str) -> int:
    """Bytes of a row's piece in shared memory: an odd number of 16, so that eight rows begin in different banks."""
    about = about_format(format)
    bytes_ = about.bytes * PIECE // about.elements
    chunks = ceil_div(bytes_ + (0 if about.bytes % 16 == 0 else 14), 16)
    return 16 * (chunks | 1)


def _stages(format: str) -> int:
    """Pieces of a warp on their way: as many as let two CTAs share an SM, from 3 on."""
    return 4 if _pitch(format) <= 208 else 3


def shared_bytes(format: str) -> int:
    """Dynamic shared memory of a CTA."""
    return WARPS * _stages(format) * ROWS * _pitch(format) + (PAIRS if format == "nf4" else 0)


class Finish(NamedTuple):
    """What happens to the sums: the type of the biases that are added, and which function gates their other half."""

    bias: type[Value] | None = None
    glu: str = "none"

    @property
    def parameters(self) -> dict[str, str]:
        """Those of the template."""
        return {"glu": self.glu, "bias": "none" if self.bias is None else self.bias.isa.name}


PLAIN = Finish()


def gemv(
    format: str, element: type[Value] = bf16, result: type[Value] = bf16, scaled: Scaled | None = None, finish: Finish = PLAIN
) -> TemplateKernel:  # fmt: skip
    """The kernel of a format, of activations and results of these types, the same object every time. BuildError for others."""
    about_format(format)
    if element not in ACTIVATIONS or result not in RESULTS:
        raise BuildError(
            f"activations of .{element.isa.name}, a result of .{result.isa.name}", hint="bf16 or f16; bf16, f16 or f32"
        )
    if finish.glu not in GLU or finish.bias not in (None, *SCALES):
        raise BuildError(f"{finish}", hint=f"glu is one of {', '.join(GLU)}, biases are f32, bf16 or f16")
    key = (format, element, result, scaled and scaled._replace(rows=1), finish)
    if key not in _kernels:
        given: dict[str, Any] = {"format": format, "type": element.isa.name, "result": result.isa.name}
        given |= ({} if scaled is None else scaled.parameters) | finish.parameters
        _kernels[key] = TemplateKernel("gemv", "gemv.ptx.j2", **given, warps=WARPS, stages=_stages(format))
    return _kernels[key]


def plan(
    format: str, rows: int, columns: int, batch: int, w: Any, x: Any, y: Any, *, x_step: int, y_step: int,
    element: type[Value] = bf16, result: type[Value] = bf16, scaled: Scaled | None = None, scales: Any = None, zeros: Any = None,
    finish: Finish = PLAIN, bias: Any = None,
) -> KernelPlan:  # fmt: skip
    """`rows` of the result; `x_step`, `y_step`: elements from column to column."""
    launch = gemv(format, element, result, scaled, finish)
    arguments: tuple[Any, ...] = (w, x, x_step, y, y_step, rows, columns, batch)
    if scaled is not None:
        arguments += scaled.arguments(rows, columns, scales, zeros)
    if finish.bias is not None:
        arguments += (bias,)
    each = ROWS if finish.glu == "none" else ROWS // 2
    return KernelPlan(launch, max(1, ceil_div(rows, each)), 32 * WARPS, arguments, shared=shared_bytes(format))


def _case(
    size: tuple[int, int, int], rng: np.random.Generator, *, format: str, element: type[Value], result: type[Value],
    scaled: Scaled | None = None, finish: Finish = PLAIN,
) -> Case:  # fmt: skip
    import numpy as np

    below, columns, batch = size
    rows = below if finish.glu == "none" else 2 * below  # of the weights
    more: dict[str, HostArray] = {}
    if scaled is None:
        about = FORMATS[format]
        blocks = random_blocks(rng, about, rows * columns // about.elements)
        weights = about.decode(blocks).reshape(rows, columns).astype(np.float64)
    else:
        blocks, scales, zeros = drawn(rng, format, rows, columns, scaled)
        values = rounded(np.array(NF4, np.float32), element)
        weights = decoded(format, blocks, scaled, scales, zeros, values=values).astype(np.float64)
        more = {"scales": HostArray(scales, scaled.element)}
        more |= {} if zeros is None else {"zeros": HostArray(zeros, u8)}
    likely = abs(weights).max(initial=2.0**-9) * columns**0.5  # sums about 1, where the functions bend
    x = normal(rng, (batch, columns), element, scale=1.0 if finish.glu == "none" else 1 / likely)
    wide = x.values.astype(np.float64)
    exact = wide @ weights.T
    # Each scale times a quant, and each minimum, is at most four times the largest weight.
    size_ = abs(wide).sum(axis=1, keepdims=True) * 4 * abs(weights).max(axis=1, initial=0.0)[None, :]
    limit = size_ * 2.0**-20
    if finish.bias is not None:
        more["bias"] = normal(rng, rows, finish.bias)
        exact = exact + more["bias"].values.astype(np.float64)
        limit = limit + abs(exact) * 2.0**-24
    if finish.glu != "none":
        exact, limit = gated(finish.glu, exact, limit, 2.0**-20 if result is f32 else 2.0**-15)
    limit = limit + abs(exact) * unit_roundoff(result) + smallest(result)
    return Case(
        arrays={"w": HostArray(blocks, u8), "x": x, "y": normal(rng, (batch, below), result), **more},
        plan=lambda on: plan(
            format, below, columns, batch, on["w"], on["x"], on["y"], x_step=columns, y_step=below, element=element,
            result=result, scaled=scaled, scales=on.get("scales"), zeros=on.get("zeros"), finish=finish, bias=on.get("bias"),
        ),
        expected={"y": exact},
        tolerance=Tolerance(
            limit, "products of integers and activations are exact; 16 roundings or fewer of sums in f32"
        ),
    )  # fmt: skip


def gated(glu: str, sums: Any, limit: Any, function: float) -> tuple[Any, Any]:
    """The first half of the rows through the function, times the other half, and how far off it may be: neither derivative is
    over 1.2, and the function itself is good to `function`."""
    import numpy as np

    gate, up = np.split(sums, 2, axis=1)
    of_gate, of_up = np.split(limit, 2, axis=1)
    angle = gate if glu == "silu" else np.sqrt(8 / np.pi) * (gate + 0.044715 * gate**3)
    value = gate / (1 + np.exp(-angle))
    return value * up, 1.2 * of_gate * (abs(up) + of_up) + abs(value) * of_up + abs(value * up) * function


_NO_MMA = {"sm_75": "mma.m16n8k16 and cp.async came with sm_80"}


def _variant(format: str, element: type[Value], result: type[Value]) -> Variant:
    small = FORMATS[format].elements
    return Variant(
        "quantised",
        f"{format}.{element.isa.name}.{result.isa.name}",
        gemv(format, element, result),
        partial(_case, format=format, element=element, result=result),
        sizes=((1, small, 1), (5, 9 * small, 8), (35, 2560 if small < 256 else 4096, 3)),
        absent=_NO_MMA,
    )


def _finished(format: str, result: type[Value], finish: Finish, scaled: Scaled | None = None) -> Variant:
    parts = ["biased"] * (finish.bias is not None) + [finish.glu] * (finish.glu != "none")
    small = about_format(format).elements if scaled is None else scaled.group
    return Variant(
        "quantised",
        ".".join([format if scaled is None else name_of(format, scaled), *parts, result.isa.name]),
        gemv(format, bf16, result, scaled, finish),
        partial(_case, format=format, element=bf16, result=result, scaled=scaled, finish=finish),
        sizes=((1, small, 1), (13, 10 * small, 3)),
        absent=_NO_MMA,
    )


def _scaled(format: str, element: type[Value], result: type[Value], scaled: Scaled) -> Variant:
    columns = scaled.group or 32
    return Variant(
        "quantised",
        f"{name_of(format, scaled)}.{element.isa.name}.{result.isa.name}",
        gemv(format, element, result, scaled),
        partial(_case, format=format, element=element, result=result, scaled=scaled),
        sizes=((1, columns, 1), (5, 9 * columns, 8), (131, 2560, 3)),
        absent=_NO_MMA | ({"sm_80": "cvt of e4m3 came with sm_89"} if format == "e4m3" else {}),
    )


VARIANTS = (
    *(_variant(format, bf16, f32) for format in ("q4_0", "q8_0", "q4_k", "q6_k")),
    _variant("q5_0", f16, bf16),
    _scaled("nf4", bf16, f32, Scaled(64)),
    _scaled("int4", bf16, f32, Scaled(128, bf16, zeros=True)),
    _scaled("int4", f16, f16, Scaled(32, f16)),
    _scaled("e4m3", bf16, f32, Scaled(0)),
    _scaled("e4m3", f16, f32, Scaled(128, rows=128)),
    _finished("q4_k", bf16, Finish(glu="silu")),
    _finished("q4_0", f32, Finish(f32)),
    _finished("int4", f32, Finish(bf16, "gelu"), Scaled(64, bf16, zeros=True)),
)
