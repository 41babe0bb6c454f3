"""z[i] = op(x[i]), or op(x[i], y[i]): a family of kernels from one template, templates/elementwise.ptx.j2.

Shapes: x[n], y[n] -> z[n]. The types of each operation are in OPERATIONS; f16 and bf16 are computed in f32 and rounded
once. Arithmetic and sqrt are exactly rounded; exp, tanh, sigmoid, silu and gelu are accurate to about 2^-21 in f32. min and max
of a number and NaN give the number; relu keeps NaN; gelu is the tanh form, 0.5x(1 + tanh(sqrt(2/pi)(x + 0.044715x^3))).
swiglu and geglu are silu(x) y and gelu(x) y; the backward ones take x (and y) and then the gradient of the result, swiglu's
gives those of x and of y. cast makes any floating-point type of up to 32 bits or s8 of any other, rounded to nearest even,
saturating for fp8 and s8.

Floor: (inputs + 1) * n elements cross the memory interface: 2^28 f32 added are 3.22 GB, 0.75 ms at an H200's 4.3 TB/s; its f32
units could do 100 operations an element in that time, so even tanh, with about 35, is bound by memory.
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import bf16, e4m3, e5m2, f16, f32, f64, s8, s32, u32
from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.cases import (
    EXACT,
    Case,
    HostArray,
    Tolerance,
    Variant,
    integers,
    normal,
    rounded,
    smallest,
    unit_roundoff,
)
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, widest_vector
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["OPERATIONS", "VARIANTS", "ElementwiseOperation", "elementwise", "plan"]

THREADS = 128
"""With 256, a transform of 2^28 f32 on an H200 takes 3 % longer than a copy; with 128 as long."""

_FLOATS = (f16, bf16, f32, f64)
_HALVES = (f16, bf16, f32)
_ALL = (*_FLOATS, s32, u32)


class ElementwiseOperation(NamedTuple):
    """What an operation takes, what it means in numpy, and how far in f32 a result may be from that.

    `error(x)` bounds the relative error; None: it is exactly rounded. `scale` spreads the random inputs of a case. `sizes` are of
    what the results are sums of, where those may cancel. `results`: how many; `makes`: the types that a result may have.
    """

    inputs: int
    types: tuple[type[Value], ...]
    meaning: Callable[..., Any]
    error: Callable[[Any], Any] | None = None
    scale: float = 1.0
    sizes: Callable[..., Any] | None = None
    results: int = 1
    makes: tuple[type[Value], ...] = ()


def _sigmoid(x: Any) -> Any:
    import numpy as np

    return 1 / (1 + np.exp(-x))


def _gelu_exponent(x: Any) -> Any:
    return 1.5957691216057308 * (x + 0.044715 * x * x * x)


def _silu_parts(x: Any) -> tuple[Any, Any]:
    """The derivative of silu is their sum."""
    s = _sigmoid(x)
    return s, x * s * (1 - s)


def _gelu_parts(x: Any) -> tuple[Any, Any]:
    s = _sigmoid(_gelu_exponent(x))
    return s, x * s * (1 - s) * 1.5957691216057308 * (1 + 3 * 0.044715 * x * x)


def _swiglu_backward(x: Any, y: Any, gradient: Any) -> tuple[Any, Any]:
    return sum(_silu_parts(x)) * y * gradient, x * _sigmoid(x) * gradient


def _swiglu_sizes(x: Any, y: Any, gradient: Any) -> tuple[Any, Any]:
    return sum(map(abs, _silu_parts(x))) * abs(y * gradient), abs(x * _sigmoid(x) * gradient)


def _min(x: Any, y: Any) -> Any:
    import numpy as np

    return np.fmin(x, y)


def _max(x: Any, y: Any) -> Any:
    import numpy as np

    return np.fmax(x, y)


def _divided(x: Any, y: Any) -> Any:
    """Integers truncate toward zero, as div does."""
    import numpy as np

    if x.dtype.kind == "f":
        return x / y
    return (np.sign(x) * np.sign(y) * (np.abs(x.astype(np.int64)) // np.abs(y.astype(np.int64)))).astype(x.dtype)


def _relu(x: Any) -> Any:
    import numpy as np

    return np.where(x < 0, x.dtype.type(0), x)


def _sqrt(x: Any) -> Any:
    import numpy as np

    return np.sqrt(x)


def _exp(x: Any) -> Any:
    import numpy as np

    return np.exp(x)


def _tanh(x: Any) -> Any:
    import numpy as np

    return np.tanh(x)


# ex2.approx is good to 2^-22.5 (manual 9.7.3.21); two of them and a few roundings make 2^-21.
_U = 2.0**-24

OPERATIONS: dict[str, ElementwiseOperation] = {
    "add": ElementwiseOperation(2, _ALL, lambda x, y: x + y),
    "sub": ElementwiseOperation(2, _ALL, lambda x, y: x - y),
    "mul": ElementwiseOperation(2, _ALL, lambda x, y: x * y),
    "div": ElementwiseOperation(2, _ALL, _divided),
    "min": ElementwiseOperation(2, _ALL, _min),
    "max": ElementwiseOperation(2, _ALL, _max),
    "abs": ElementwiseOperation(1, (*_FLOATS, s32), abs),
    "neg": ElementwiseOperation(1, (*_FLOATS, s32), lambda x: -x),
    "relu": ElementwiseOperation(1, (*_FLOATS, s32), _relu),
    "sqrt": ElementwiseOperation(1, _FLOATS, _sqrt),
    "exp": ElementwiseOperation(1, _HALVES, _exp, lambda x: 2.0**-21, 20.0),
    "tanh": ElementwiseOperation(1, _HALVES, _tanh, lambda x: 2.0**-21, 2.0),
    "sigmoid": ElementwiseOperation(1, _HALVES, _sigmoid, lambda x: 2.0**-21, 8.0),
    "silu": ElementwiseOperation(1, _HALVES, lambda x: x * _sigmoid(x), lambda x: 2.0**-21, 8.0),
    "gelu": ElementwiseOperation(
        1, _HALVES, lambda x: x * _sigmoid(_gelu_exponent(x)), lambda x: 2.0**-21 + 4 * _U * abs(_gelu_exponent(x)), 2.0
    ),
    "swiglu": ElementwiseOperation(2, _HALVES, lambda x, y: x * _sigmoid(x) * y, lambda x: 2.0**-21, 2.0),
    "geglu": ElementwiseOperation(
        2, _HALVES, lambda x, y: x * _sigmoid(_gelu_exponent(x)) * y, lambda x: 2.0**-21 + 4 * _U * abs(_gelu_exponent(x)), 2.0
    ),
    "silu_backward": ElementwiseOperation(
        2, _HALVES, lambda x, g: sum(_silu_parts(x)) * g, lambda x: 2.0**-21, 2.0,
        lambda x, g: sum(map(abs, _silu_parts(x))) * abs(g),
    ),
    "gelu_backward": ElementwiseOperation(
        2, _HALVES, lambda x, g: sum(_gelu_parts(x)) * g, lambda x: 2.0**-21 + 4 * _U * abs(_gelu_exponent(x)), 2.0,
        lambda x, g: sum(map(abs, _gelu_parts(x))) * abs(g),
    ),
    "swiglu_backward": ElementwiseOperation(3, _HALVES, _swiglu_backward, lambda x: 2.0**-21, 2.0, _swiglu_sizes, 2),
    "cast": ElementwiseOperation(1, (*_HALVES, e4m3, e5m2, s8), lambda x: x, makes=(*_HALVES, e4m3, e5m2, s8)),
}  # fmt: skip

_kernels: dict[tuple[str, str, str, int], TemplateKernel] = {}


def _unroll(op: str, element: type[Value], result: type[Value] | None) -> int:
    """Accesses to each input that a thread has in flight: on an H200 two of one array, one of each of several, and of what is
    written narrower four, each 1 to 3 % quicker than the others."""
    if OPERATIONS[op].inputs > 1:
        return 1
    return 4 if result is not None and result.isa.bytes < element.isa.bytes else 2


def elementwise(op: str, element: type[Value], vector: int = 1, result: type[Value] | None = None) -> TemplateKernel:
    """The kernel of an operation and a type, `vector` elements an access. BuildError for one that there is not."""
    operation = OPERATIONS.get(op)
    if operation is None:
        raise BuildError(f"no elementwise operation {op!r}", hint=f"one of {', '.join(OPERATIONS)}")
    if element not in operation.types:
        known = ", ".join(each.isa.name for each in operation.types)
        raise BuildError(f"elementwise {op} has no .{element.isa.name} form", hint=f"one of {known}")
    if (result is not None) != bool(operation.makes) or (result is not None and result not in operation.makes):
        known = ", ".join(each.isa.name for each in operation.makes) or "the type of its inputs alone"
        raise BuildError(f"elementwise {op} to {result.isa.name if result else None}", hint=known)
    made = result.isa.name if result is not None else ""
    key = (op, element.isa.name, made, vector)
    if key not in _kernels:
        _kernels[key] = TemplateKernel(
            "elementwise",
            "elementwise.ptx.j2",
            op=op,
            type=element.isa.name,
            **({"result": made} if made else {}),
            vector=vector,
            unroll=_unroll(op, element, result),
            threads=THREADS,
        )
    return _kernels[key]


def _widest(element: type[Value], result: type[Value], arrays: tuple[Any, ...]) -> int:
    """Elements of an access that suits both types: 16 bytes of the larger one. Bytes go four or more at a time, or one."""
    if element is result:
        lanes = widest_vector(element.isa.bytes, common_alignment(*arrays))
    else:
        most = max(element.isa.bytes, result.isa.bytes)
        lanes = min(16 // most, *(common_alignment(a) // t.isa.bytes for a, t in zip(arrays, (element, result))))
    return 1 if lanes < 4 and min(element.isa.bytes, result.isa.bytes) == 1 else max(1, min(lanes, 16))


def plan(
    op: str,
    n: int,
    *arrays: Any,
    element: type[Value] = f32,
    vector: int | None = None,
    result: type[Value] | None = None,
) -> KernelPlan:
    """z[:n] = op(x[:n], ...); `arrays` are the inputs and the results. A tile a CTA; vectors as wide as the alignment allows."""
    launch = elementwise(op, element, vector or _widest(element, result or element, arrays), result)
    inputs, results = OPERATIONS[op].inputs, OPERATIONS[op].results
    if len(arrays) != inputs + results:
        what = "an output" if results == 1 else f"{results} outputs"
        raise BuildError(f"elementwise {op} takes {inputs} inputs and {what}, not {len(arrays)} arrays")
    grid = grid_for(n, THREADS * launch.parameters["unroll"] * launch.parameters["vector"])
    return KernelPlan(launch, grid, THREADS, (n, *arrays))


def _inputs(op: str, n: int, rng: np.random.Generator, element: type[Value]) -> list[HostArray]:
    operation = OPERATIONS[op]
    if element is s8:
        return [integers(rng, n, element, -128, 127)]
    if element.isa.is_float:
        scale = min(operation.scale, 2.0) if element is f16 else operation.scale
        hosts = [normal(rng, n, element, scale) for _ in range(operation.inputs)]
        if op == "sqrt":
            return [HostArray(abs(host.values), element) for host in hosts]
        return hosts
    low, high = (-(1 << 31) + 1, (1 << 31) - 1) if element.isa.is_signed else (0, (1 << 32) - 1)
    hosts = [integers(rng, n, element, low, high) for _ in range(operation.inputs)]
    if op == "div":
        hosts[1] = integers(rng, n, element, 1, 1000)
    return hosts


def _case(
    n: int, rng: np.random.Generator, *, op: str, element: type[Value], vector: int, result: type[Value] | None = None
) -> Case:
    import numpy as np

    operation = OPERATIONS[op]
    hosts = _inputs(op, n, rng, element)
    computed = f32 if element.isa.bits < 32 else element
    made = result or element
    with np.errstate(over="ignore"):
        if operation.error is None:  # numpy rounds as PTX does, in the type that PTX computes in
            exact = operation.meaning(*(host.values.astype(numpy_name(computed.isa)) for host in hosts))
            tolerance = EXACT
            every = [np.clip(np.rint(exact), -128, 127).astype(np.int8)] if made is s8 else [rounded(exact, made)]
            every = every if made.isa.is_float or made is s8 else [exact]
        else:
            wide = [host.values.astype(np.float64) for host in hosts]
            found, sizes = operation.meaning(*wide), (operation.sizes or operation.meaning)(*wide)
            every, sizes = ([found], [sizes]) if operation.results == 1 else (list(found), list(sizes))
            limits = [
                abs(size) * operation.error(wide[0]) + abs(each) * 2 * unit_roundoff(element) + smallest(element)
                for each, size in zip(every, sizes)
            ]
            tolerance = Tolerance(
                dict(zip(_RESULTS, limits)),
                "ex2.approx: 2^-22.5 (manual 9.7.3.21), twice, with the roundings around it",
            )
            every = [rounded(each, element) for each in every]
    names, results = _SOURCES[: operation.inputs], _RESULTS[: operation.results]
    zeros = HostArray(
        np.zeros(n, np.int8 if made is s8 else numpy_name(f32.isa if made.isa.bits < 32 else made.isa)), made
    )
    return Case(
        arrays={**dict(zip(names, hosts)), **dict.fromkeys(results, zeros)},
        plan=lambda on: plan(
            op, n, *(on[name] for name in (*names, *results)), element=element, vector=vector, result=result
        ),
        expected=dict(zip(results, every)),
        tolerance=tolerance,
    )


_SOURCES, _RESULTS = ("x", "y", "w"), ("z", "v")
_NO_FP8 = dict.fromkeys(("sm_75", "sm_80"), "conversions of fp8 came with sm_89")


def _variant(op: str, element: type[Value], *, vector: int | None = None, result: type[Value] | None = None) -> Variant:
    lanes = vector or 16 // max(element.isa.bytes, (result or element).isa.bytes)
    tile = THREADS * _unroll(op, element, result) * lanes
    return Variant(
        "elementwise",
        f"{op}.{element.isa.name}"
        + (f".{result.isa.name}" if result else "")
        + (f".vector-{vector}" if vector else ""),
        elementwise(op, element, lanes, result),
        partial(_case, op=op, element=element, vector=lanes, result=result),
        sizes=(0, 1, 257, tile, 2 * tile + 19),
        absent=_NO_FP8 if {element, result} & {e4m3, e5m2} else {},
    )


VARIANTS = (
    _variant("add", f32),
    _variant("add", f16),
    _variant("sub", u32),
    _variant("mul", f64),
    _variant("mul", bf16, vector=2),
    _variant("div", f32),
    _variant("div", s32),
    _variant("min", f32),
    _variant("max", s32),
    _variant("abs", s32),
    _variant("neg", f16),
    _variant("relu", f32),
    _variant("relu", f16, vector=1),
    _variant("sqrt", f32),
    _variant("sqrt", f64),
    _variant("exp", f32),
    _variant("exp", f16),
    _variant("tanh", f32),
    _variant("sigmoid", f32),
    _variant("silu", bf16),
    _variant("gelu", f32),
    _variant("gelu", f16),
    _variant("swiglu", bf16),
    _variant("geglu", bf16),
    _variant("silu_backward", bf16),
    _variant("gelu_backward", f32),
    _variant("swiglu_backward", bf16),
    _variant("cast", f32, result=bf16),
    _variant("cast", bf16, result=f32),
    _variant("cast", bf16, result=e4m3),
    _variant("cast", e5m2, result=f16),
    _variant("cast", f32, result=s8),
    _variant("cast", s8, result=bf16, vector=1),
)
