"""One step of Adam, AdamW or Lion over all parameters, in place, from templates/optimiser.ptx.j2.

Shapes: parameters p[n] and gradients g[n] of f32, bf16 or f16; moments m[n] and v[n] (not Lion's) of f32. Arithmetic is f32,
and p is
rounded once. With `squares`, an f32 on the device that has the sum of the squares of all gradients, these are scaled down to
a norm of `most` in passing, as torch.nn.utils.clip_grad_norm_ does.

    adam, adamw   g += decay p (adam); p *= 1 - rate decay (adamw); m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
                  p -= rate / (1 - beta1^step) m / (sqrt(v / (1 - beta2^step)) + eps)     (Kingma and Ba; Loshchilov and Hutter)
    lion          p = p (1 - rate decay) - rate sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 - beta2) g        (Chen et al.)

Floor: p, g, m, v read, p, m, v written: 28 bytes a parameter of f32.
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import bf16, f16, f32
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, smallest, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["ELEMENTS", "OPERATIONS", "VARIANTS", "Rates", "optimiser", "plan"]

THREADS = 256
OPERATIONS = ("adam", "adamw", "lion")
ELEMENTS: tuple[type[Value], ...] = (f32, bf16, f16)


class Rates(NamedTuple):
    """The numbers of a step; `step` counts from 1."""

    rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    decay: float = 0.0
    step: int = 1
    most: float = 1.0

    def numbers(self, op: str, clipped: bool) -> tuple[float, ...]:
        """Those that the kernel takes."""
        corrected = self.rate if op == "lion" else self.rate / (1 - self.beta1**self.step)
        decay = self.decay if op == "adam" else 1 - self.rate * self.decay
        found = [corrected, decay, self.beta1, 1 - self.beta1, self.beta2, 1 - self.beta2]
        found += [] if op == "lion" else [(1 - self.beta2**self.step) ** -0.5, self.eps]
        return (*found, *([self.most] if clipped else []))


USUAL = Rates()

_kernels: dict[Any, TemplateKernel] = {}


def optimiser(op: str, element: type[Value] = f32, vector: int = 1, *, clipped: bool = False) -> TemplateKernel:
    """The kernel, the same object every time. BuildError for one that there is not."""
    if op not in OPERATIONS or element not in ELEMENTS:
        raise BuildError(f"no optimiser {op!r} of .{element.isa.name}", hint="adam, adamw or lion, of f32, bf16 or f16")
    key = (op, element, vector, clipped)
    if key not in _kernels:
        given: dict[str, Any] = {
            "op": op,
            "type": element.isa.name,
            "clipped": clipped,
            "vector": vector,
            "threads": THREADS,
        }
        _kernels[key] = TemplateKernel("optimiser", "optimiser.ptx.j2", **given)
    return _kernels[key]


def plan(
    op: str, n: int, p: Any, g: Any, m: Any, v: Any = None,
    *, element: type[Value] = f32, rates: Rates = USUAL, squares: Any = None, vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """A step over n parameters. Lion has no v."""
    states = (m,) if op == "lion" else (m, v)
    if vector is None:
        fits = common_alignment(*states) >= 16 and common_alignment(p, g) >= 4 * element.isa.bytes
        vector = 4 if fits else 1
    launch = optimiser(op, element, vector, clipped=squares is not None)
    pointers = () if squares is None else (squares,)
    arguments = (n, *rates.numbers(op, squares is not None), *pointers, p, g, *states)
    return KernelPlan(launch, grid_for(n, THREADS * vector), THREADS, arguments)


def _case(n: int, rng: np.random.Generator, *, op: str, element: type[Value], vector: int, clipped: bool) -> Case:
    import numpy as np

    rates = Rates(1e-2, 0.9, 0.95, 1e-8, 0.1, 3, 0.5)
    p, g, m = normal(rng, n, element), normal(rng, n, element), normal(rng, n, f32, 0.1)
    v = HostArray(abs(normal(rng, n, f32, 0.1).values), f32)
    wide: list[Any] = [each.values.astype(np.float64) for each in (p, g, m, v)]
    squares = HostArray(np.array([(wide[1] ** 2).sum()], np.float32), f32)
    factor = min(1.0, rates.most / (float(squares.values[0]) ** 0.5 + 1e-6)) if clipped else 1.0
    expected = _step(op, wide[0], wide[1], wide[2], wide[3], rates, factor)
    sizes = {"p": abs(wide[0]) + rates.rate * 8, "m": abs(wide[2]) + abs(wide[1]), "v": abs(wide[3]) + wide[1] ** 2}
    limits = {name: sizes[name] * 16 * 2.0**-24 for name in sizes}
    limits["p"] = limits["p"] + abs(expected["p"]) * unit_roundoff(element) + smallest(element)
    if op == "lion":
        del expected["v"], limits["v"]
    arrays = {"p": p, "g": g, "m": m, "v": v, "squares": squares}
    return Case(
        arrays=arrays,
        plan=lambda on: plan(
            op, n, on["p"], on["g"], on["m"], on["v"], element=element, rates=rates, vector=vector,
            squares=on["squares"] if clipped else None,
        ),
        expected=expected,
        tolerance=Tolerance(limits, "a dozen roundings in f32, one to the type"),
    )  # fmt: skip


def _step(op: str, p: Any, g: Any, m: Any, v: Any, rates: Rates, factor: float) -> dict[str, Any]:
    """The step in float64."""
    import numpy as np

    g = g * factor
    if op == "lion":
        moved = p * (1 - rates.rate * rates.decay) - rates.rate * np.sign(rates.beta1 * m + (1 - rates.beta1) * g)
        return {"p": moved, "m": rates.beta2 * m + (1 - rates.beta2) * g, "v": v}
    if op == "adam":
        g = g + rates.decay * p
    else:
        p = p * (1 - rates.rate * rates.decay)
    m, v = rates.beta1 * m + (1 - rates.beta1) * g, rates.beta2 * v + (1 - rates.beta2) * g * g
    root = np.sqrt(v / (1 - rates.beta2**rates.step)) + rates.eps
    return {"p": p - rates.rate / (1 - rates.beta1**rates.step) * m / root, "m": m, "v": v}


def _variant(op: str, element: type[Value], vector: int = 4, *, clipped: bool = False) -> Variant:
    given: dict[str, Any] = {"op": op, "element": element, "vector": vector, "clipped": clipped}
    words = ["clipped"] * clipped + ["scalar"] * (vector == 1)
    return Variant(
        "optimiser",
        ".".join([op, element.isa.name, *words]),
        optimiser(op, element, vector, clipped=clipped),
        partial(_case, **given),
        sizes=(0, 1, 257, 2 * THREADS * vector + 19),
    )


VARIANTS = (
    _variant("adam", f32),
    _variant("adamw", bf16, clipped=True),
    _variant("adamw", f32),
    _variant("lion", f32),
)
