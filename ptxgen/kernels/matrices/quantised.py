"""y[c, r] = sum of W[r, k] x[c, k] for up to eight columns, W in blocks of GGML (ggml.py), as codes with scales of their own
(scaled_codes.py), or as numbers of x's type.

Shapes: w, u8, [rows, columns] as blocks, a row's beside each other and rows without gaps, at a multiple of 16 bytes;
x [batch, columns] of bf16 or f16, at multiples of 8 bytes; y [batch, rows] of f32, bf16 or f16. `columns` is a multiple of a
block's elements. A number for each row of W may be added (`bias`); with `glu`, W has 2 * rows, and y is silu or gelu of the sum
of row r times that of row rows + r: the gate and the upward projection of an MLP, whose sums never leave the registers.

There are two kernels. From sm_90 on, templates/gemv_blocks.ptx.j2 takes blocks and codes other than NF4 where the activations fit
into shared memory: they become f16 there, times a power of two for each 32 of them, so that what lies below 2^-36 of the largest
is lost. A block's integers are the bits of subnormal f16s, one instruction a pair; products are exact, and the tensor cores add
them up in f32, 32 at a time, which are scaled in f32. An infinite activation gives an infinity or NaN.

All else is for templates/gemv.ptx.j2, whose numbers have the activations' type; NF4's values are rounded to it. With bf16,
integers below 64 are multiplied as 128 more than they are, which one `prmt` a pair makes of them; 128 times the sum of a unit's
activations is taken away again, so that an infinite activation gives NaN.

Floors, for 28672 x 8192 of Q4_0 on an H200: W is read once, 132 MB, 29 us as fast as a sum reads; of a warp's 190 instructions
for 16 x 256 elements 125 are of the ALU, which takes one in two clocks: 15 us. Copies alone, without a product, take 31.3 us:
what is between two kernels of a stream costs 2.3. With `constant` W is on its way before the kernel ahead has ended
(griddepcontrol).
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import bf16, f16, f32, u8
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, rounded, smallest, unit_roundoff
from ptxgen.kernels.matrices.ggml import FORMATS, random_blocks
from ptxgen.kernels.matrices.rings import PIECE, ROWS, Ring, pays, pitch_of, ring_for, width_of
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


class Pipeline(NamedTuple):
    """Warps of a CTA, and pieces of each that are on their way."""

    warps: int
    stages: int

    @property
    def template(self) -> str:
        """Its file."""
        return "gemv.ptx.j2"

    @property
    def parameters(self) -> dict[str, int]:
        """Those of the template."""
        return self._asdict()


PIPELINES = (Pipeline(8, 3), Pipeline(8, 2), Pipeline(4, 2))
"""The first that fits is taken. A fourth stage takes from the L1 cache what activations need: up to a fifth slower on an H200."""
PAIRS = 32 << 10
"""Bytes of NF4's pairs of values: one for each byte and lane."""
CTAS = 264
"""Two CTAs on each of an H200's 132 SMs, which go through the rows together. On other devices a matter of speed alone."""
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


def in_runs(format: str, width: int, warps: int) -> bool:
    """Whether a CTA's warps copy together, eight of them two rows each, as the template has it."""
    if warps != 8:
        return False
    return format in DENSE or format == "q6_k" or (width < BATCH and format in ("q4_0", "q4_1", "q5_0", "q8_0", "q4_k"))


def pipeline_for(format: str, width: int, whole: bool, room: int) -> Pipeline:
    """The one of a CTA that may have so many bytes of shared memory."""
    for each in PIPELINES:
        sums = 128 * width * each.warps
        if shared_bytes(format, width, whole, each) + sums <= room:
            return each
    raise BuildError(f"{format} in {room} bytes of shared memory", hint="a device from sm_80 on")


def shared_bytes(format: str, width: int, whole: bool, pipeline: Pipeline = PIPELINES[0]) -> int:
    """Dynamic shared memory of a CTA: stages, and NF4's pairs. A stage has for each warp, or for all together, 16 rows of pieces,
    an odd number of 16 bytes apart, so that eight rows begin in different banks; of dense ones, of which a lane reads 16 bytes at
    a time, an odd number of 64."""
    warps, stages = pipeline
    runs = in_runs(format, width, warps)
    pitch = pitch_of(about_format(format), whole, warps if runs else 1, skew=4 if format in DENSE else 1)
    return stages * (1 if runs else warps) * ROWS * pitch + (PAIRS if format == "nf4" else 0)


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
    *, width: int = BATCH, whole: bool = False, constant: bool = False, by: Pipeline | Ring = PIPELINES[0],
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
    kept = scaled and scaled._replace(rows=1)
    key = (format, element, result, kept, finish, width, whole, constant, by.template, *by.parameters.values())
    if key not in _kernels:
        given: dict[str, Any] = {"format": format, "type": element.isa.name, "result": result.isa.name}
        given |= ({} if scaled is None else scaled.parameters) | finish.parameters
        given |= {"width": width, "whole": whole, "constant": constant} | by.parameters
        _kernels[key] = TemplateKernel("gemv", by.template, **given)
    return _kernels[key]


def plan(
    format: str, rows: int, columns: int, batch: int, w: Any, x: Any, y: Any, *, x_step: int, y_step: int,
    element: type[Value] = bf16, result: type[Value] = bf16, scaled: Scaled | None = None, scales: Any = None, zeros: Any = None,
    finish: Finish = PLAIN, bias: Any = None, constant: bool = False, room: int = 227 << 10, bulk: bool | None = None,
) -> KernelPlan:  # fmt: skip
    """`rows` of the result; `x_step`, `y_step`: elements from column to column; `constant`: as in `gemv`; `room`: bytes of shared
    memory that a CTA may have; `bulk`: by bulk copies, which devices have from sm_90 on, or not; None: as it is faster."""
    whole = columns > 0 and columns % PIECE == 0
    if bulk is None:
        bulk = pays(format, rows, batch)
    ring = None if format in (*DENSE, "nf4") or not bulk else ring_for(format, columns, batch, room)
    by: Pipeline | Ring
    if ring is None:
        width = 1 << (batch - 1).bit_length()
        by = pipeline = pipeline_for(format, width, whole, room)
        teams, block, shared = 1, 32 * pipeline.warps, shared_bytes(format, width, whole, pipeline)
        ctas = CTAS // 2 if format in DENSE else CTAS
    else:
        width, by = width_of(batch), ring
        teams, block, shared, ctas = ring.teams, ring.threads, ring.shared, CTAS // 2
    launch = gemv(format, element, result, scaled, finish, width=width, whole=whole, constant=constant, by=by)
    arguments: tuple[Any, ...] = (w, x, x_step, y, y_step, rows, columns, batch)
    if scaled is not None:
        arguments += scaled.arguments(rows, columns, scales, zeros)
    if finish.bias is not None:
        arguments += (bias,)
    each = teams * (ROWS if finish.glu == "none" else ROWS // 2)
    grid = max(1, min(ceil_div(rows, each), ctas))
    return KernelPlan(launch, grid, block, arguments, shared=shared, programmatic=True)


def _case(
    size: tuple[int, int, int], rng: np.random.Generator, *, format: str, element: type[Value], result: type[Value],
    scaled: Scaled | None = None, finish: Finish = PLAIN, bulk: bool = True,
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
            bulk=bulk,
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
    finish: Finish = PLAIN, bulk: bool = True,
) -> Variant:  # fmt: skip
    shape = _Shape(width, whole)
    parts = ["biased"] * (finish.bias is not None) + [finish.glu] * (finish.glu != "none")
    unit = about_format(format).elements if scaled is None else scaled.group or about_format(format).elements
    named = format if scaled is None else name_of(format, scaled)
    ring = ring_for(format, 10 * PIECE, width, 227 << 10) if bulk else None
    absent = _NO_MMA | ({"sm_80": "cvt of e4m3 came with sm_89"} if format == "e4m3" else {})
    return Variant(
        "quantised",
        ".".join([*["bulk"] * bulk, named, *parts, element.isa.name, result.isa.name, shape.name]),
        gemv(format, element, result, scaled, finish, width=width, whole=whole, by=ring or PIPELINES[0]),
        partial(_case, format=format, element=element, result=result, scaled=scaled, finish=finish, bulk=bulk),
        sizes=shape.sizes(unit),
        absent=absent | (_NO_BULK if bulk else {}),
    )


_NO_BULK = {"sm_80": "cp.async.bulk came with sm_90"}

VARIANTS = (
    _variant("q4_0", bf16, f32, 1),
    _variant("q5_0", f16, bf16, 1, whole=False),
    _variant("q8_0", bf16, f32, 8, whole=False),
    _variant("q4_k", bf16, bf16, 1),
    _variant("q5_k", bf16, f32, 8),
    _variant("q6_k", bf16, f32, 1),
    _variant("int4", bf16, f32, 8, scaled=Scaled(128, bf16, zeros=True)),
    _variant("e4m3", bf16, f32, 1, scaled=Scaled(0)),
    _variant("int4", bf16, f32, 1, whole=False, scaled=Scaled(64, bf16, zeros=True), finish=Finish(bf16, "gelu")),
    _variant("q4_0", bf16, f32, 1, bulk=False),
    _variant("q5_0", f16, bf16, 4, whole=False, bulk=False),
    _variant("q6_k", bf16, f32, 2, bulk=False),
    _variant("nf4", bf16, f32, 1, scaled=Scaled(64), bulk=False),
    _variant("e4m3", f16, f32, 2, scaled=Scaled(128, rows=128), bulk=False),
    _variant("q5_k", bf16, f32, 8, bulk=False),
    _variant("bf16", bf16, bf16, 1, finish=Finish(glu="silu"), bulk=False),
    _variant(
        "int4", bf16, f32, 2, whole=False, scaled=Scaled(64, bf16, zeros=True), finish=Finish(bf16, "gelu"), bulk=False
    ),
)
