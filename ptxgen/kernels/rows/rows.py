"""What is computed of each row of a matrix, forward and backward: a family of kernels from templates/rows.ptx.j2.

| op | y[r, c] |
|---|---|
| softmax, log_softmax | e^(x - max) / sum of them; x - max - log(sum) |
| cross_entropy | losses[r] = log(sum of e^x) - x[r, targets[r]]; 0 for a target outside of the row |
| layer_norm | (x - mean) * scale * weight + bias, scale = 1/sqrt(variance + eps) |
| rms_norm | x * scale * weight, scale = 1/sqrt(mean of x^2 + eps) |
| softmax_backward, log_softmax_backward | x (g - sum of x g) of the forward's result x; g - e^x * sum of g |
| cross_entropy_backward | (e^(x - logs) - [c is the target]) * gradients[r] |
| group_norm | as layer_norm, a row a group of `channels`, whose weight and bias are of each `area` neighbouring elements |
| group_norm_backward | as layer_norm_backward, without the sums over rows |
| channel_sums | d_weight[r] = sum of g x^, d_bias[r] = sum of g, a row a channel, with mean and scale of row r / channels |
| quantise | x * (127 / largest) as s8, or x * (448 / largest) as e4m3; scale[r] = largest |x| / 127 or / 448 |
| layer_norm_backward | scale (w g - mean of w g - x^ * mean of x^ w g), x^ = (x - mean) * scale |
| rms_norm_backward | the same without the means |

With `residual` a norm is of z = x + r, which is stored too. The norms' backward also makes the sums of g x^ and of g over each
group of rows, which `column_sums.py` adds up.

Shapes: x, g, r, y, z [rows, columns] of f32, f16 or bf16 (computed in f32), elements of a row beside each other and rows any
number of elements apart; weight and bias [columns]; targets, losses, mean, scale, logs, gradients [rows]. A row with NaN becomes
NaN, in softmax one with +inf or of nothing but -inf too, as the formulas say.

Floor: each element is read once and written once. So a row stays in registers: `lanes` threads of each of `cluster` CTAs hold
`items` elements each, all of a thread's loads in flight before the first is used. A row of more than 16,384 elements is shared by
the CTAs of a cluster, whose warps put their parts of its sums into each other's shared memory. A row beyond 131,072 elements is
read twice, and a shorter one where its sums take so many instructions that this is faster. What keeps sums over the rows, or the
weights of a long row, needs so many registers that a CTA would wait for each row: there `stages` rows are on their way into
shared memory.
Softmax's maximum and sum travel together (Milakov and Gimelshein, 2018), as do a layer norm's mean and squares (Chan,
Golub and LeVeque, 1979): one exchange a row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import bf16, e4m3, f16, f32, s8, s32, s64
from ptxgen.errors import BuildError
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.cases import Case, HostArray, Variant, normal
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, widest_vector
from ptxgen.kernels.rows.layouts import MOST_CTAS, ROOM, SUMMED, Layout, choose
from ptxgen.kernels.rows.rows_meaning import meaning
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from ptxgen.builder.values import Value

__all__ = [
    "ELEMENTS",
    "OPERATIONS",
    "VARIANTS",
    "Channels",
    "Layout",
    "Options",
    "choose",
    "layout_of",
    "partial_rows",
    "plan",
    "sums_channels",
]

ELEMENTS: tuple[type[Value], ...] = (f32, bf16, f16)

OPERATIONS = (
    "softmax", "log_softmax", "cross_entropy", "layer_norm", "rms_norm", "softmax_backward", "log_softmax_backward",
    "cross_entropy_backward", "layer_norm_backward", "rms_norm_backward", "group_norm", "group_norm_backward", "channel_sums",
    "quantise",
)  # fmt: skip

PROCESSORS = 132


class Channels(NamedTuple):
    """Of a group norm: groups of an image, channels of a group, elements of a channel."""

    groups: int
    channels: int
    area: int


class Options(NamedTuple):
    """What of a norm there is, what is kept for the backward kernel, and the type of targets. A `dependent` grid may begin before
    the one ahead ends, for whose results it waits itself: good for few rows; of many, the wait of each CTA costs (131,072 rows of
    1,024 bf16 at 80 % of a copy's speed by 99 %, H200)."""

    weighted: bool = False
    biased: bool = False
    residual: bool = False
    saved: bool = False
    places: type[Value] = s64
    result: type[Value] = s8
    dependent: bool = False


PLAIN = Options()
_NORMS = ("layer_norm", "rms_norm", "group_norm")

_kernels: dict[Any, TemplateKernel] = {}


def rows_kernel(op: str, element: type[Value], layout: Layout, options: Options = PLAIN) -> TemplateKernel:
    """The kernel, the same object every time."""
    layout = layout._replace(ctas=1)
    key = (op, element, layout, options)
    found = _kernels.get(key)
    if found is None:
        if op not in OPERATIONS:
            raise BuildError(f"no operation {op!r} on rows", hint=f"one of {', '.join(OPERATIONS)}")
        if element not in ELEMENTS:
            raise BuildError(f"{op} of .{element.isa.name}", hint=", ".join(each.isa.name for each in ELEMENTS))
        given = {**layout._asdict(), **options._asdict(), "index": options.places.isa.name}
        del given["places"], given["ctas"]
        given["result"] = options.result.isa.name
        found = _kernels[key] = TemplateKernel("rows", "rows.ptx.j2", op=op, type=element.isa.name, **given)
    return found


def _names(op: str, options: Options) -> tuple[list[str], list[str]]:
    """(arrays of rows, further pointers), in the kernel's order."""
    norm, entropy = op in _NORMS, op.startswith("cross_entropy")
    backward = op.endswith("backward")
    if op == "channel_sums":
        return ["x", "g"], ["mean", "scale", "d_weight", "d_bias"]
    arrays = ["x"] + ["g"] * (backward and not entropy) + ["r"] * options.residual
    arrays += ["y"] * (op != "cross_entropy") + ["z"] * options.residual
    others = ["weight"] * options.weighted + ["bias"] * options.biased + ["targets"] * entropy
    others += ["gradients"] * (op == "cross_entropy_backward") + ["losses"] * (op == "cross_entropy")
    if entropy:
        others += ["logs"] * (options.saved or backward)
    elif backward and not op.startswith(("softmax", "log")):
        layer, grouped = op.startswith("layer"), op.startswith("group")
        others += ["mean"] * (layer or grouped) + ["scale"]
        others += (["d_weight"] + ["d_bias"] * (layer or grouped)) * (options.saved if grouped else options.weighted)
    elif op == "quantise":
        others += ["scale"]
    elif norm and options.saved:
        others += ["mean"] * (op != "rms_norm") + ["scale"]
    return arrays, others


def _shared(op: str, layout: Layout, element: type[Value], options: Options) -> int:
    """Bytes of shared memory that a CTA's rows on their way need."""
    arrays = sum(name in ("x", "g", "r") for name in _names(op, options)[0])
    return layout.stages * arrays * layout.lanes * layout.items * element.isa.bytes


def layout_of(plan: KernelPlan) -> Layout:
    """How the threads of a plan share a row."""
    given: Any = plan.kernel
    return Layout(*(given.parameters[name] for name in Layout._fields if name != "ctas"))


def sums_channels(layout: Layout, channels: Channels) -> bool:
    """Whether a group norm's backward with this layout can store the sums of each channel: an access of a warp is of one."""
    return layout.lanes > WARP and not layout.reread and channels.area % (WARP * layout.vector) == 0


def partial_rows(plan: KernelPlan) -> int:
    """How many rows of partial sums a norm's backward kernel writes for each column."""
    layout = layout_of(plan)
    return plan.grid // layout.cluster * layout.rows


ClustersAtOnce = Callable[[TemplateKernel, int, int, int], int]
"""Of a kernel, CTAs of a cluster, threads and bytes of dynamic shared memory of a CTA: the clusters a device holds at once."""


def _groups(rows: int, layout: Layout, persistent: bool, processors: int) -> int:
    """CTAs or clusters. Of 18 or 16 SMs, or fewer, in a GPC not each has a place in a cluster of 8."""
    groups = max(1, ceil_div(rows, layout.rows))
    if layout.stages:
        usable = processors * (7 if layout.cluster > 1 else 8) // 8
        return min(groups, max(1, usable * layout.ctas // layout.cluster))
    resident = max(1, processors * max(1, 512 // layout.block) // layout.cluster)
    return min(groups, resident) if persistent else groups


def plan(
    op: str, rows: int, columns: int, arrays: Mapping[str, tuple[Any, int]], others: Mapping[str, Any] = {},
    *, element: type[Value] = f32, eps: float = 1e-5, options: Options = PLAIN, layout: Layout | None = None,
    channels: Channels | None = None, clusters: bool = True, processors: int = PROCESSORS, room: int = ROOM,
    clusters_at_once: ClustersAtOnce | None = None,
) -> KernelPlan:  # fmt: skip
    """`arrays`: (array, elements from row to row) by name; `others`: the further ones, of which d_weight and d_bias are
    [partial_rows, columns]. Of the device: has it clusters, its SMs, `room` as of `choose`, how many clusters it holds."""
    row_names, other_names = _names(op, options)
    if layout is None:
        vectors = [others[name] for name in ("weight", "bias") if name in other_names and channels is None]
        alignment = common_alignment(*(arrays[name][0] for name in row_names), *vectors)
        steps = [arrays[name][1] for name in row_names] if rows > 1 else []
        steps += [channels.area] if channels is not None else []
        vector = widest_vector(element.isa.bytes, alignment, columns, *steps)
        vector = 1 if op == "quantise" and vector < 4 else vector
        layout = choose(
            op, columns, vector, size=element.isa.bytes, clusters=clusters, room=room, residual=options.residual
        )
    options = options._replace(dependent=options.dependent and not layout.stages)
    launch = rows_kernel(op, element, layout, options)
    arguments: list[Any] = [each for name in row_names for each in arrays[name]]
    arguments += [others[name] for name in other_names]
    arguments += [eps] * (op in _NORMS) + [1 / max(columns, 1)] * ("norm" in op)
    if channels is not None:
        arguments += [channels.channels] if op == "channel_sums" else channels
    groups = _groups(rows, layout, op in SUMMED, processors)
    shared = _shared(op, layout, element, options) or None
    if layout.cluster > (1 if shared else MOST_CTAS) and clusters_at_once is not None:
        held = clusters_at_once(launch, layout.cluster, layout.block, shared or 0)
        if not held:
            raise BuildError(
                f"{op} of rows of {columns} elements", hint=f"this device has no cluster of {layout.cluster} CTAs"
            )
        groups = max(1, min(rows, held))
    given = (*arguments, rows, columns)
    return KernelPlan(
        launch, groups * layout.parts(columns), layout.block, given, shared, programmatic=options.dependent
    )


# The catalogue


def _case(
    size: tuple[int, int], rng: np.random.Generator, *, op: str, element: type[Value], layout: Layout, options: Options
) -> Case:
    import numpy as np

    rows, columns = size
    norm = "norm" in op or op == "channel_sums"
    given: dict[str, HostArray] = {}
    row_names, other_names = _names(op, options)
    for name in row_names:
        given[name] = normal(rng, size, element, 1.0 if norm or name == "g" else 4.0)
    channels = _CHANNELS._replace(area=columns // _CHANNELS.channels) if op in _GROUPED else None
    width = columns if channels is None else channels.groups * channels.channels
    for name in other_names:
        affine = name in ("weight", "bias")
        many = rows * _CHANNELS.channels if op == "group_norm_backward" and name.startswith("d_") else rows
        given[name] = normal(rng, width if affine else many, element if affine else f32)
    if "targets" in given:  # the last one is outside of the row
        places = rng.integers(0, max(columns, 1), rows, dtype=options.places.isa.name.replace("s", "int"))
        given["targets"] = HostArray(np.where(np.arange(rows) == 2, -100, places).astype(places.dtype), options.places)
    processors = 2
    if op == "quantise":
        given["y"] = HostArray(np.zeros(size, np.int8 if options.result is s8 else np.float32), options.result)
    for name in ("d_weight", "d_bias"):
        if name in given and op not in _GROUPED:
            given[name] = normal(rng, (_groups(rows, layout, True, processors) * layout.rows, columns), f32)
    if op in ("softmax_backward", "log_softmax_backward"):  # of a result of the forward kernel
        wide = given["x"].values.astype(np.float64)
        shifted = wide - wide.max(axis=1, keepdims=True) if columns else wide
        logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)) if columns else shifted
        given["x"] = HostArray(
            np.exp(logs).astype(np.float32) if op == "softmax_backward" else logs.astype(np.float32), f32
        )
        given["x"] = _as_element(given["x"], element)
    if op == "cross_entropy_backward":
        wide = given["x"].values.astype(np.float64)
        given["logs"] = HostArray(np.log(np.exp(wide).sum(axis=1)).astype(np.float32), f32)
    if norm and (op.endswith("backward") or op == "channel_sums"):
        given["scale"] = HostArray(abs(given["scale"].values) + np.float32(0.5), f32)
    inputs = {name: host.values for name, host in given.items()}
    expected, tolerance = meaning(op, inputs, element, eps=1e-5, options=options, channels=channels)
    sums = {name: given[name] for name in ("d_weight", "d_bias") if name in given and op not in _GROUPED}
    for name in sums:  # what the groups of rows have together is compared elsewhere; here, with one group
        if given[name].values.shape[0] == 1:
            expected[name] = expected[name][None, :]
        else:
            del expected[name]
    return Case(
        arrays=given,
        plan=lambda on: plan(
            op, rows, columns, {name: (on[name], columns) for name in row_names}, {name: on[name] for name in other_names},
            element=element, options=options, layout=layout, channels=channels, processors=processors,
        ),
        expected=expected,
        tolerance=tolerance,
    )  # fmt: skip


def _as_element(host: HostArray, element: type[Value]) -> HostArray:
    from ptxgen.kernels.cases import rounded

    return HostArray(rounded(host.values, element), element)


_GROUPED = ("group_norm", "group_norm_backward", "channel_sums")
_CHANNELS = Channels(2, 4, 0)
NEEDS_CLUSTERS = dict.fromkeys(("sm_75", "sm_80"), "clusters came with sm_90")


def _variant(op: str, element: type[Value], columns: tuple[int, ...], layout: Layout, **options: Any) -> Variant:
    what = Options(**options)
    words = [name for name in ("residual", "saved", "biased", "dependent") if options.get(name)]
    words += [what.result.isa.name] * (op == "quantise")
    words += ["s32"] * (what.places is s32) + ["scalar"] * (layout.vector == 1)
    words += ["split"] * layout.split + [f"stages-{layout.stages}"] * (layout.stages > 0)
    kind = f"cluster-{layout.cluster}" if layout.cluster > 1 else "reread" if layout.reread else f"lanes-{layout.lanes}"
    sizes = [(0, columns[0]), (1, columns[0]), *((layout.rows + 2, n) for n in columns)]
    sizes += [(9 * layout.stages, columns[-1])] * (layout.stages > 0)  # more than once around
    return Variant(
        "rows",
        ".".join([op, element.isa.name, kind, *words]),
        rows_kernel(op, element, layout, what),
        partial(_case, op=op, element=element, layout=layout, options=what),
        sizes=tuple(sizes),
        absent=NEEDS_CLUSTERS if layout.cluster > 1 or layout.stages else {},
    )


VARIANTS = (
    _variant("softmax", f32, (4, 1000, 1024), Layout(32, 32, 4)),
    _variant("softmax", f32, (4, 2000), Layout(64, 16, 4, 2)),
    _variant("softmax", bf16, (8, 16), Layout(2, 8, 8)),
    _variant("softmax", bf16, (8, 3000, 4096), Layout(128, 32, 8)),
    _variant("softmax", f32, (4, 3000), Layout(64, 16, 4, reread=True)),
    _variant("softmax", f16, (1, 33, 127), Layout(32, 8, 1)),
    _variant("log_softmax", f32, (4, 700), Layout(64, 16, 4)),
    _variant("log_softmax", bf16, (8, 4000), Layout(32, 32, 8, 4)),
    _variant("cross_entropy", bf16, (8, 3000), Layout(64, 16, 8, 4), saved=True),
    _variant("cross_entropy", f32, (1, 255), Layout(32, 8, 1), places=s32),
    _variant("cross_entropy_backward", bf16, (8, 2504), Layout(64, 16, 8, split=True)),
    _variant("cross_entropy_backward", f32, (4, 200), Layout(32, 8, 4), places=s32),
    _variant("layer_norm", f32, (4, 1000), Layout(32, 32, 4), weighted=True, biased=True),
    _variant("layer_norm", bf16, (8, 2000), Layout(64, 16, 8, 2), weighted=True, biased=True, saved=True),
    _variant("layer_norm", f32, (4, 3000), Layout(64, 8, 4, reread=True), weighted=True, biased=True, saved=True),
    _variant("rms_norm", bf16, (8, 1000), Layout(64, 16, 8), weighted=True),
    _variant("rms_norm", bf16, (8, 1000), Layout(64, 16, 8), weighted=True, residual=True, saved=True, dependent=True),
    _variant("rms_norm", f32, (4, 3000), Layout(64, 16, 4, 4), weighted=True),
    _variant("softmax_backward", f32, (4, 1000), Layout(64, 16, 4)),
    _variant("softmax_backward", bf16, (8, 1000), Layout(32, 16, 8, 2)),
    _variant("log_softmax_backward", f32, (4, 500), Layout(32, 16, 4)),
    _variant("layer_norm_backward", f32, (4, 500), Layout(64, 8, 4), weighted=True),
    _variant("layer_norm_backward", bf16, (8, 1000), Layout(64, 8, 8, 2), weighted=True),
    _variant("quantise", bf16, (8, 120, 128), Layout(16, 8, 8)),
    _variant("quantise", bf16, (8, 2000), Layout(64, 16, 8, 2), result=e4m3),
    _variant("quantise", f32, (1, 33), Layout(32, 8, 1)),
    _variant("group_norm", f32, (16, 800), Layout(32, 32, 4), weighted=True, biased=True),
    _variant("group_norm", bf16, (4, 1212), Layout(64, 8, 1, reread=True), weighted=True, saved=True),
    _variant("group_norm_backward", bf16, (32, 800), Layout(64, 16, 8), weighted=True),
    _variant("group_norm_backward", bf16, (1024, 2048), Layout(64, 16, 8, 2, stages=2), weighted=True, saved=True),
    _variant("group_norm_backward", f32, (16, 1264), Layout(64, 8, 4, reread=True), weighted=True),
    _variant("channel_sums", f32, (4, 100), Layout(32, 8, 4)),
    _variant("rms_norm_backward", bf16, (8, 248), Layout(32, 8, 8), weighted=True),
    _variant("softmax", f32, (4, 500, 512), Layout(64, 8, 4, stages=3)),
    _variant("layer_norm_backward", bf16, (8, 1000, 1024), Layout(64, 8, 8, 2, stages=2), weighted=True),
    _variant("cross_entropy_backward", bf16, (8, 504), Layout(64, 8, 8, stages=2)),
    _variant("rms_norm", bf16, (8, 1000), Layout(64, 16, 8, stages=2), weighted=True, residual=True, saved=True),
)  # fmt: skip
