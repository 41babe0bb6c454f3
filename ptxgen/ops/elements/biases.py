"""An activation of x + bias along the last dimension and its gradient, of any library's arrays (ptxgen.kernels.elements.bias)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import f32
from ptxgen.errors import BuildError
from ptxgen.kernels.elements import bias as kernels
from ptxgen.kernels.plan import common_alignment, widest_vector
from ptxgen.kernels.rows import column_sums
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import PreparedLaunch, prepare, prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.rows.rows import as_rows, processors_of

if TYPE_CHECKING:
    from ptxgen.builder.values import Value

__all__ = ["bias_gelu", "bias_gelu_backward", "bias_relu", "bias_relu_backward", "bias_silu", "bias_silu_backward"]

_launches = LaunchCache()


def bias_gelu(x: Any, bias: Any, out: Any = None, *, explain: bool = False) -> Any:
    """gelu(x + bias) along the last dimension, in the tanh form, of f32, bf16 or f16; returns `out`, which may be x.

    bias has the length and the type of x's rows, which may be at any distance. With `explain` nothing is launched: a text says
    which kernel it would be. BuildError for arrays that it cannot have.
    """
    return _run("gelu", (x, bias), (out,), explain)


def bias_relu(x: Any, bias: Any, out: Any = None, *, explain: bool = False) -> Any:
    """x + bias where it is positive or NaN, else 0; as `bias_gelu`."""
    return _run("relu", (x, bias), (out,), explain)


def bias_silu(x: Any, bias: Any, out: Any = None, *, explain: bool = False) -> Any:
    """silu(x + bias); as `bias_gelu`."""
    return _run("silu", (x, bias), (out,), explain)


def bias_gelu_backward(
    gradient: Any, x: Any, bias: Any, out: Any = None, d_bias: Any = None, *, explain: bool = False
) -> Any:
    """(gradient of x, of bias) from that of the result; `out` may be x or the gradient. That of bias is f32, of numbers that are
    not yet rounded to x's type, and has the same bits in every run."""
    return _run("gelu", (x, bias, gradient), (out, d_bias), explain)


def bias_relu_backward(
    gradient: Any, x: Any, bias: Any, out: Any = None, d_bias: Any = None, *, explain: bool = False
) -> Any:
    """As `bias_gelu_backward`; 0 where x + bias is 0 or less."""
    return _run("relu", (x, bias, gradient), (out, d_bias), explain)


def bias_silu_backward(
    gradient: Any, x: Any, bias: Any, out: Any = None, d_bias: Any = None, *, explain: bool = False
) -> Any:
    """As `bias_gelu_backward`."""
    return _run("silu", (x, bias, gradient), (out, d_bias), explain)


def _run(op: str, inputs: tuple[Any, ...], outs: tuple[Any, ...], explain: bool) -> Any:
    backward = len(outs) > 1
    skip = explain or (backward and bool(running_captures))
    key, known, outs = _launches.find(op, inputs, outs, skip=skip)
    if known is None:
        named = {name: read(name, each) for name, each in zip(("x", "bias", "gradient"), inputs)}
        x = named["x"]
        if len(x.shape) < 1:
            raise BuildError("x is a single element", hint="one dimension or more")
        made: list[tuple[tuple[int, ...], type[Value]]] = [(x.shape, x.element), (x.shape[-1:], f32)]
        outs = tuple(empty_like(inputs[0], x.device, *made[i]) if out is None else out for i, out in enumerate(outs))
        results = {name: read(name, each) for name, each in zip(("out", "d_bias"), outs)}
        known, said = _prepared(op, named, results)
        if explain:
            return said
        _launches.keep(key, known, outs)
    known.run(*inputs, *outs)
    return outs if backward else outs[0]


def _prepared(op: str, named: dict[str, Operand], results: dict[str, Operand]) -> tuple[PreparedLaunch, str]:
    """The kernel, and backward one behind it that adds up its partial sums."""
    x, out, g = named["x"], results["out"], named.get("gradient")
    steps = _check(op, named, results)
    place, rows = x.device, as_rows("x", x)
    stream = stream_of(place, *named.values(), *results.values())
    arrays = {name: each for name, each in {**named, **results}.items() if name not in ("bias", "d_bias")}
    vector = widest_vector(
        x.element.isa.bytes, common_alignment(named["bias"], *arrays.values()), rows.columns,
        *(steps.values() if rows.height > 1 else ()),
    )  # fmt: skip
    layout = kernels.choose(rows.height, rows.columns, vector, processors=processors_of(place))
    sums: Any = None
    if g is not None:
        with place.context.beside_captures():
            sums = place.empty(layout.partial_rows * rows.columns, f32)
    plan = kernels.plan(
        op, rows.height, rows.columns, (x, steps["x"]), named["bias"], (out, steps["out"]),
        None if g is None else (g, steps["gradient"]), sums, element=x.element, layout=layout,
    )  # fmt: skip
    said = plan.explained
    if g is None:
        return prepare(plan, place, stream), said
    adding = column_sums.plan(layout.partial_rows, rows.columns, sums, results["d_bias"])
    return prepare_chain((plan, adding), place, stream, (sums,)), said


def _check(op: str, named: dict[str, Operand], results: dict[str, Operand]) -> dict[str, int]:
    """Elements from row to row of each array. BuildError where arrays do not belong together."""
    x, every = named["x"], {**named, **results}
    same_device(**every)
    if x.element not in kernels.ELEMENTS:
        raise BuildError(f"bias and {op} of .{x.element.isa.name}", hint="f32, bf16 or f16")
    steps: dict[str, int] = {}
    for name, each in every.items():
        short = name in ("bias", "d_bias")
        shape = x.shape[-1:] if short else x.shape
        kind: type[Value] = f32 if name == "d_bias" else x.element
        if each.shape != shape or each.element is not kind or (short and not each.contiguous):
            raise BuildError(f"{name} is .{each.element.isa.name} of {each.shape}", hint=f".{kind.isa.name} of {shape}")
        if not short:
            steps[name] = as_rows(name, each).step
    if max(as_rows("x", x)[:2]) >= 1 << 31:
        raise BuildError(f"bias and {op} of {x.shape}", hint="less than 2^31 rows, of less than 2^31 elements")
    own = {name: each for name, each in named.items() if name != "bias"}
    check_apart(results["out"], own, in_place=True)
    check_apart(results["out"], {"bias": named["bias"]})
    if "d_bias" in results:
        check_apart(results["d_bias"], {**named, "out": results["out"]}, name="d_bias")
    return steps
