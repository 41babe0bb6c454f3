"""y[c, r] = sum of W[r, k] x[c, k] for up to eight columns, W in blocks of GGML (ggml.py), as codes with scales of their own
(scaled_codes.py), or as numbers of x's type, from templates/gemv.ptx.j2.

Shapes: w, u8, [rows, columns] as blocks, a row's beside each other and rows without gaps, at a multiple of 16 bytes;
x [batch, columns] of bf16 or f16, at multiples of 8 bytes; y [batch, rows] of f32, bf16 or f16. `columns` is a multiple of a
block's elements. A number for each row of W may be added (`bias`); with `glu`, W has 2 * rows, and y is silu or gelu of the sum
of row r times that of row rows + r: the gate and the upward projection of an MLP, whose sums never leave the registers.

The integers of a block and the activations are multiplied exactly, added up in f32 by the tensor cores, 32 at a time, and
scaled in f32: no activation is rounded to eight bits. NF4's values are rounded to the activations' type first, as bitsandbytes
does; e4m3's are exact in it. With bf16, integers below 64 are multiplied as 128 more than they are, which one `prmt` a pair
makes of them; 128 times the sum of a unit's activations is taken away again, so that an infinite activation gives NaN.

Floor: W is read once: 4096 x 14336 of Q4_K are 33 MB, 7.4 us at 4.47 TB/s. The tensor cores take eight columns; with fewer,
units of elements that share a scale lie beside each other in them, so that a lane scales eight times fewer sums. What is left is
the unpacking: about 150 of a warp's 280 instructions for 16 x 256 elements are of the ALU, which takes one in two clocks, and
4.47 TB/s give 480 clocks for them. Under 10 us the time between two kernels of a stream counts as much: with `constant` W is on
its way before the kernel ahead has ended (griddepcontrol).
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import bf16, f16, f32, u8
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, rounded, smallest, unit_roundoff
from ptxgen.kernels.matrices.ggml import FORMATS, random_blocks
from ptxgen.kernels.matrices.scaled_codes import CODES, NF4, SCALES, Codes, Scaled, decoded, drawn, name_of
from ptxgen.kernels.plan import KernelPlan, ceil_div
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value
    from ptxgen.kernels.matrices.ggml import Format

__all__ = [
    "ACTIVATIONS",
    "BATCH",
    "DENSE",
    "GLU",
    "PLAIN",
    "RESULTS",
    "VARIANTS",
    "Finish",
    "about_format",
    "gemv",
    "plan",
]

BATCH = 8
"""Most columns."""
ROWS = 16
WARPS = 8
STAGES = 3
"""Pieces of a warp on their way. A fourth takes from the L1 cache what the activations need: up to a fifth slower."""
CTAS = 264
"""Two CTAs on each of an H200's 132 SMs, which go through the rows together. On other devices a matter of speed alone."""
PIECE = 256
"""Elements of a row that a warp takes at a time."""
PAIRS = 32 << 10
"""Bytes of shared memory for NF4's pairs of values: one for each byte and lane."""
ACTIVATIONS: tuple[type[Value], ...] = (bf16, f16)
RESULTS: tuple[type[Value], ...] = (bf16, f16, f32)
GLU = ("none", "silu", "gelu")
DENSE = {each.name: each for each in (Codes("bf16", 64), Codes("f16", 64))}
"""Weights that are numbers of the activations' type."""

_kernels: dict[Any, TemplateKernel] = {}


def about_format(format: str) -> Format | Codes:
    """Elements and bytes of a block. BuildError for a format that there is not."""
    found = FORMATS.get(format) or CODES.get(format) or DENSE.get(format)
    if found is None:
        raise BuildError(f"no format {format!r}", hint=f"one of {', '.join((*FORMATS, *CODES, *DENSE))}")
    return found


def in_runs(format: str, width: int) -> bool:
    """Whether a CTA's warps copy together, as the template has it."""
    return format in DENSE or format == "q6_k" or (width < BATCH and format in ("q4_0", "q4_1", "q5_0", "q8_0", "q4_k"))


def shared_bytes(format: str, width: int, whole: bool) -> int:
    """Dynamic shared memory of a CTA: stages, and NF4's pairs. A stage has for each warp, or for all together, 16 rows of pieces,
    an odd number of 16 bytes apart, so that eight rows begin in different banks; of dense ones, of which a lane reads 16 bytes at
    a time, an odd number of 64."""
    about, runs = about_format(format), in_runs(format, width)
    bytes_ = about.bytes * PIECE // about.elements
    aligned = bytes_ % 16 == 0 and (whole or about.bytes % 16 == 0)
    chunks = ceil_div((WARPS if runs else 1) * bytes_ + (0 if aligned else 14), 16)
    pitch = 16 * (chunks + 4 if format in DENSE else chunks | 1)
    return STAGES * (1 if runs else WARPS) * ROWS * pitch + (PAIRS if format == "nf4" else 0)


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
    format: str, element: type[Value] = bf16, result: type[Value] = bf16, scaled: Scaled | None = None, finish: Finish = PLAIN,
    *, width: int = BATCH, whole: bool = False, constant: bool = False,
) -> TemplateKernel:  # fmt: skip
    """The kernel of a format, of activations and results of these types, for up to `width` columns (1, 2, 4 or 8), `whole`: of a
    multiple of 256 elements; `constant`: no kernel ahead in the stream writes W. The same object every time. BuildError for
    others."""
    about_format(format)
    if format in DENSE and format != element.isa.name:
        raise BuildError(f"weights of {format} and activations of .{element.isa.name}", hint="the same type")
    if element not in ACTIVATIONS or result not in RESULTS:
        raise BuildError(
            f"activations of .{element.isa.name}, a result of .{result.isa.name}", hint="bf16 or f16; bf16, f16 or f32"
        )
    if finish.glu not in GLU or finish.bias not in (None, *SCALES):
        raise BuildError(f"{finish}", hint=f"glu is one of {', '.join(GLU)}, biases are f32, bf16 or f16")
    key = (format, element, result, scaled and scaled._replace(rows=1), finish, width, whole, constant)
    if key not in _kernels:
        given: dict[str, Any] = {"format": format, "type": element.isa.name, "result": result.isa.name}
        given |= ({} if scaled is None else scaled.parameters) | finish.parameters
        given |= {"width": width, "whole": whole, "warps": WARPS, "stages": STAGES, "constant": constant}
        _kernels[key] = TemplateKernel("gemv", "gemv.ptx.j2", **given)
    return _kernels[key]


def plan(
    format: str, rows: int, columns: int, batch: int, w: Any, x: Any, y: Any, *, x_step: int, y_step: int,
    element: type[Value] = bf16, result: type[Value] = bf16, scaled: Scaled | None = None, scales: Any = None, zeros: Any = None,
    finish: Finish = PLAIN, bias: Any = None, constant: bool = False,
) -> KernelPlan:  # fmt: skip
    """`rows` of the result; `x_step`, `y_step`: elements from column to column; `constant`: as in `gemv`."""
    width, whole = 1 << (batch - 1).bit_length(), columns > 0 and columns % PIECE == 0
    launch = gemv(format, element, result, scaled, finish, width=width, whole=whole, constant=constant)
    arguments: tuple[Any, ...] = (w, x, x_step, y, y_step, rows, columns, batch)
    if scaled is not None:
        arguments += scaled.arguments(rows, columns, scales, zeros)
    if finish.bias is not None:
        arguments += (bias,)
    each = ROWS if finish.glu == "none" else ROWS // 2
    grid = max(1, min(ceil_div(rows, each), CTAS // 2 if format in DENSE else CTAS))
    return KernelPlan(launch, grid, 32 * WARPS, arguments, shared=shared_bytes(format, width, whole), programmatic=True)


def _case(
    size: tuple[int, int, int], rng: np.random.Generator, *, format: str, element: type[Value], result: type[Value],
    scaled: Scaled | None = None, finish: Finish = PLAIN,
) -> Case:  # fmt: skip
    import numpy as np

    below, columns, batch = size
    rows = below if finish.glu == "none" else 2 * below  # of the weights
    more: dict[str, HostArray] = {}
    if format in DENSE:
        w = normal(rng, (rows, columns), element)
        weights = w.values.astype(np.float64)
    elif scaled is None:
        about = FORMATS[format]
        blocks = random_blocks(rng, about, rows * columns // about.elements)
        w, weights = HostArray(blocks, u8), about.decode(blocks).reshape(rows, columns).astype(np.float64)
    else:
        blocks, scales, zeros = drawn(rng, format, rows, columns, scaled)
        w = HostArray(blocks, u8)
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
        arrays={"w": w, "x": x, "y": normal(rng, (batch, below), result), **more},
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


class _Shape(NamedTuple):
    """What a variant's kernel is made for: so many columns, and whether rows are whole pieces."""

    width: int
    whole: bool

    @property
    def name(self) -> str:
        return f"columns-{self.width}{'.whole' if self.whole else ''}"

    def sizes(self, unit: int) -> tuple[tuple[int, int, int], ...]:
        """Rows, columns of a multiple of `unit`, activations."""
        least, more = (PIECE, 10 * PIECE) if self.whole else (unit, 9 * unit)
        few = self.width // 2 + 1
        return (1, least, self.width), (5, more, few), (35, more, self.width)


def _variant(
    format: str, element: type[Value], result: type[Value], width: int, *, whole: bool = True, scaled: Scaled | None = None,
    finish: Finish = PLAIN,
) -> Variant:  # fmt: skip
    shape = _Shape(width, whole)
    parts = ["biased"] * (finish.bias is not None) + [finish.glu] * (finish.glu != "none")
    unit = about_format(format).elements if scaled is None else scaled.group or about_format(format).elements
    named = format if scaled is None else name_of(format, scaled)
    return Variant(
        "quantised",
        ".".join([named, *parts, element.isa.name, result.isa.name, shape.name]),
        gemv(format, element, result, scaled, finish, width=width, whole=whole),
        partial(_case, format=format, element=element, result=result, scaled=scaled, finish=finish),
        sizes=shape.sizes(unit),
        absent=_NO_MMA | ({"sm_80": "cvt of e4m3 came with sm_89"} if format == "e4m3" else {}),
    )


VARIANTS = (
    _variant("q4_0", bf16, f32, 1),
    _variant("q4_1", bf16, f32, 2),
    _variant("q5_0", f16, bf16, 4, whole=False),
    _variant("q8_0", bf16, f32, 1),
    _variant("q5_k", bf16, f32, 8),
    _variant("q6_k", bf16, f32, 2),
    _variant("nf4", bf16, f32, 1, scaled=Scaled(64)),
    _variant("int4", bf16, f32, 8, scaled=Scaled(128, bf16, zeros=True)),
    _variant("int4", f16, f16, 1, whole=False, scaled=Scaled(32, f16)),
    _variant("e4m3", bf16, f32, 1, scaled=Scaled(0)),
    _variant("e4m3", f16, f32, 2, scaled=Scaled(128, rows=128)),
    _variant("q4_k", bf16, bf16, 1),
    _variant("bf16", bf16, bf16, 1, finish=Finish(glu="silu")),
    _variant("int4", bf16, f32, 2, whole=False, scaled=Scaled(64, bf16, zeros=True), finish=Finish(bf16, "gelu")),
)
