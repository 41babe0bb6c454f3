"""y[r, c] = f(x[r, c] + bias[c]), f one of gelu, relu and silu, and its backward, from templates/bias.ptx.j2.

| kernel | y | partial sums |
|---|---|---|
| forward | f(x + bias), gelu in its tanh form | |
| backward | g * f'(x + bias); of relu, 0 where x + bias is 0 or less | of y over each thread's rows, in f32, not rounded |

Shapes: x, g, y [rows, columns] of f32, bf16 or f16 (computed in f32, rounded once), elements of a row beside each other and rows
any number of elements apart; bias [columns] of their type; sums [partial_rows, columns] of f32, which `column_sums.py` adds up.

Floor: x (and g) read, y written. A thread keeps the biases of its columns and goes down the rows, four of them in flight.
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import bf16, f16, f32
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, Tolerance, Variant, normal, rounded, smallest, unit_roundoff
from ptxgen.kernels.elements.elementwise import OPERATIONS as FUNCTIONS
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, widest_vector
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["ELEMENTS", "OPERATIONS", "VARIANTS", "Layout", "bias", "choose", "plan"]

ELEMENTS: tuple[type[Value], ...] = (f32, bf16, f16)
OPERATIONS = ("gelu", "relu", "silu")
THREADS = 256
CTAS = 4
"""Of a processor: enough loads in flight, and few partial sums."""

_kernels: dict[Any, TemplateKernel] = {}


class Layout(NamedTuple):
    """`lanes` threads of `vector` columns each along a row; CTAs: `tiles` side by side, `groups` of them over the rows."""

    lanes: int
    vector: int
    tiles: int
    groups: int

    @property
    def partial_rows(self) -> int:
        """Rows of partial sums that the backward kernel writes."""
        return self.groups * (THREADS // self.lanes)


def bias(op: str, element: type[Value], vector: int, lanes: int, backward: bool = False) -> TemplateKernel:
    """The kernel, the same object every time. BuildError for an operation or a type that there is not."""
    if op not in OPERATIONS or element not in ELEMENTS:
        raise BuildError(f"bias and {op} of .{element.isa.name}", hint=f"{', '.join(OPERATIONS)} of f32, bf16 or f16")
    key = (op, element, vector, lanes, backward)
    if key not in _kernels:
        given: dict[str, Any] = {"type": element.isa.name, "vector": vector, "lanes": lanes, "backward": backward}
        _kernels[key] = TemplateKernel("bias", "bias.ptx.j2", op=op, **given, unroll=4 if vector < 8 else 2)
    return _kernels[key]


def choose(rows: int, columns: int, vector: int, *, processors: int = 132) -> Layout:
    """Lanes for the columns up to a CTA of them, and as many CTAs over the rows as fill the device."""
    lanes = 1
    while lanes * vector < columns and lanes < THREADS:
        lanes *= 2
    tiles = max(1, ceil_div(columns, lanes * vector))
    groups = min(ceil_div(rows, THREADS // lanes), max(1, ceil_div(CTAS * processors, tiles)))
    return Layout(lanes, vector, tiles, max(1, groups))


def plan(
    op: str, rows: int, columns: int, x: tuple[Any, int], offsets: Any, y: tuple[Any, int],
    gradient: tuple[Any, int] | None = None, sums: Any = None, *, element: type[Value] = f32, layout: Layout | None = None,
    processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """Arrays with the elements from row to row; with a gradient it is the backward kernel."""
    arrays = [x, *([] if gradient is None else [gradient]), y]
    if layout is None:
        steps = [step for _, step in arrays] if rows > 1 else []
        alignment = common_alignment(offsets, *(array for array, _ in arrays))
        layout = choose(
            rows, columns, widest_vector(element.isa.bytes, alignment, columns, *steps), processors=processors
        )
    launch = bias(op, element, layout.vector, layout.lanes, gradient is not None)
    arguments = [each for pair in arrays for each in pair]
    arguments += [offsets, *([] if gradient is None else [sums]), layout.tiles, rows, columns]
    return KernelPlan(launch, layout.tiles * layout.groups, THREADS, tuple(arguments))


def _case(
    size: tuple[int, int],
    rng: np.random.Generator,
    *,
    op: str,
    element: type[Value],
    vector: int,
    lanes: int,
    backward: bool,
) -> Case:
    import numpy as np

    rows, columns = size
    layout = choose(rows, columns, vector, processors=1)._replace(lanes=lanes)
    layout = layout._replace(tiles=max(1, ceil_div(columns, lanes * vector)), groups=2)
    x, g, y = (normal(rng, size, element, scale) for scale in (2.0, 1.0, 1.0))
    b = normal(rng, columns, element)
    sums = normal(rng, (layout.partial_rows, columns), f32)
    t = x.values.astype(np.float64) + b.values
    wide = (t, g.values.astype(np.float64)) if backward else (t,)
    unit, own = 2.0**-24, unit_roundoff(element)
    if op == "relu":
        exact = np.where(t <= 0, 0, wide[-1]) if backward else np.maximum(t, 0)
        limit = abs(exact) * 0
    else:
        about = FUNCTIONS[op + "_backward" * backward]
        exact = about.meaning(*wide)
        error = about.error(t) if about.error is not None else 0.0
        limit = abs((about.sizes or about.meaning)(*wide)) * (error + 2.0**-16 * (element is not f32))
    # the sum's rounding, through a slope of up to 1.13, backward of a slope that changes by up to 1 for 1
    shift = 2 * unit * (abs(t) + abs(x.values)) * (abs(wide[-1]) if backward else 1.0)
    limit = limit + (0 if backward and op == "relu" else shift)
    found, limits = {"y": rounded(exact, element)}, {"y": limit + 2 * own * abs(exact) + smallest(element)}
    if backward:
        part = np.zeros((layout.partial_rows, columns))
        bound = np.zeros_like(part)
        for row in range(rows):
            place = row % layout.partial_rows
            part[place] += exact[row]
            bound[place] += limit[row] + unit * (rows / layout.partial_rows + 2) * abs(exact[row])
        found["sums"], limits["sums"] = part, bound
    return Case(
        arrays={"x": x, "g": g, "y": y, "b": b, "sums": sums},
        plan=lambda on: plan(
            op, rows, columns, (on["x"], columns), on["b"], (on["y"], columns), (on["g"], columns) if backward else None,
            on["sums"], element=element, layout=layout,
        ),
        expected=found,
        tolerance=Tolerance(limits, "ex2.approx 2^-22.5 (manual 9.7.3.21), a rounding of the sum and one to the type"),
    )  # fmt: skip


def _variant(
    op: str, element: type[Value], vector: int, lanes: int, columns: tuple[int, ...], *, backward: bool = False
) -> Variant:
    given: dict[str, Any] = {"op": op, "element": element, "vector": vector, "lanes": lanes, "backward": backward}
    words = [op, element.isa.name, *(["backward"] * backward), f"lanes-{lanes}", *(["scalar"] * (vector == 1))]
    return Variant(
        "bias",
        ".".join(words),
        bias(**given),
        partial(_case, **given),
        sizes=((0, columns[0]), (1, columns[0]), *((37, n) for n in columns)),
    )


VARIANTS = (
    _variant("gelu", bf16, 8, 32, (8, 520)),
    _variant("silu", f32, 4, 256, (4, 1032)),
    _variant("relu", f16, 1, 4, (1, 3)),
    _variant("gelu", bf16, 8, 16, (8, 136), backward=True),
    _variant("silu", f32, 4, 32, (4, 200), backward=True),
    _variant("relu", f32, 1, 8, (1, 7), backward=True),
)
