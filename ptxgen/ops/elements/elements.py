"""Functions of each element of arrays of any library (ptxgen.kernels.elements.elementwise)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import SCALARS, e4m3, e5m2
from ptxgen.errors import BuildError
from ptxgen.kernels.elements import elementwise as kernels
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.operands import FP8, Operand, check_apart, check_target, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from ptxgen.builder.values import Value

__all__ = [
    "cast",
    "elementwise",
    "geglu",
    "gelu",
    "gelu_backward",
    "silu",
    "silu_backward",
    "swiglu",
    "swiglu_backward",
]

_launches = LaunchCache()


def elementwise(op: str, *inputs: Any, out: Any = None, explain: bool = False) -> Any:
    """out[i] = op(x[i]) or op(x[i], y[i]) for "add", "exp" and the others of `ptxgen.kernels.elements.elementwise.OPERATIONS`.

    Arrays have one shape and one type, without gaps; `out`, which is returned, may be one of the inputs. With `explain` nothing
    is launched: a text says which kernel it would be. BuildError for arrays that it cannot have.
    """
    return _run(op, inputs, (out,), None, explain)[0]


def gelu(x: Any, out: Any = None) -> Any:
    """0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), of f32, bf16 or f16."""
    return _run("gelu", (x,), (out,))[0]


def silu(x: Any, out: Any = None) -> Any:
    """x / (1 + e^-x), of f32, bf16 or f16."""
    return _run("silu", (x,), (out,))[0]


def swiglu(gate: Any, up: Any, out: Any = None) -> Any:
    """silu(gate) * up."""
    return _run("swiglu", (gate, up), (out,))[0]


def geglu(gate: Any, up: Any, out: Any = None) -> Any:
    """gelu(gate) * up."""
    return _run("geglu", (gate, up), (out,))[0]


def gelu_backward(gradient: Any, x: Any, out: Any = None) -> Any:
    """The gradient of gelu's argument."""
    return _run("gelu_backward", (x, gradient), (out,))[0]


def silu_backward(gradient: Any, x: Any, out: Any = None) -> Any:
    """The gradient of silu's argument."""
    return _run("silu_backward", (x, gradient), (out,))[0]


def swiglu_backward(gradient: Any, gate: Any, up: Any, d_gate: Any = None, d_up: Any = None) -> tuple[Any, Any]:
    """The gradients of swiglu's arguments, by one kernel."""
    one, other = _run("swiglu_backward", (gate, up, gradient), (d_gate, d_up))
    return one, other


def cast(x: Any, element: type[Value], out: Any = None) -> Any:
    """x as another type: f32, bf16, f16, e4m3, e5m2 or s8, rounded to nearest even; fp8 and s8 saturate."""
    return _run("cast", (x,), (out,), element)[0]


def _run(
    op: str, inputs: tuple[Any, ...], outs: tuple[Any, ...], element: type[Value] | None = None, explain: bool = False
) -> Any:
    key, known, outs = _launches.find((op, element), inputs, outs, skip=explain)
    if known is None:
        operation = kernels.OPERATIONS.get(op)
        if operation is None:
            raise BuildError(f"no elementwise operation {op!r}", hint=f"one of {', '.join(kernels.OPERATIONS)}")
        if len(inputs) != operation.inputs:
            raise BuildError(f"elementwise {op} takes {operation.inputs} arrays, not {len(inputs)}")
        if operation.makes and SCALARS.get(getattr(getattr(element, "isa", None), "name", "")) is None:
            raise BuildError(f"{op} to {element!r}", hint=", ".join(each.isa.name for each in operation.makes))
        found = [read(_INPUTS[i], each) for i, each in enumerate(inputs)]
        x = found[0]
        kind = element or x.element
        outs = tuple(empty_like(inputs[0], x.device, x.shape, kind) if out is None else out for out in outs)
        results = [read("out", out) for out in outs]
        _check(op, found, results, kind)
        if {x.element, kind} & {e4m3, e5m2}:
            check_target(f"cast of .{x.element.isa.name} to .{kind.isa.name}", x.device, FP8)
        plan = kernels.plan(op, math.prod(x.shape), *found, *results, element=x.element, result=element)
        if explain:
            return (plan.explained,)
        known = prepare(plan, x.device, stream_of(x.device, *found, *results))
        _launches.keep(key, known, outs)
    known.run(*inputs, *outs)
    return outs


_INPUTS = ("x", "y", "w")


def _check(op: str, inputs: list[Operand], results: list[Operand], kind: type[Value]) -> None:
    """BuildError where arrays do not belong together."""
    x = inputs[0]
    named = {_INPUTS[i]: each for i, each in enumerate(inputs)}
    outs = {"out" if not i else f"result {i + 1}": each for i, each in enumerate(results)}
    same_device(**named, **outs)
    for name, each in {**named, **outs}.items():
        expected = kind if name in outs else x.element
        if each.shape != x.shape or each.element is not expected:
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape}", hint=f".{expected.isa.name} of {x.shape}"
            )
        if (each.strides != x.strides and not (each.contiguous and x.contiguous)) or not _dense(each):
            raise BuildError(f"{name} of {each.shape} has strides of {each.strides} bytes", hint="without gaps")
    for name, each in outs.items():
        check_apart(each, named, name=name, in_place=kind is x.element)
        check_apart(each, {other: o for other, o in outs.items() if other != name}, name=name)


def _dense(operand: Operand) -> bool:
    """Whether its elements are beside each other in some order of the dimensions; of none they are."""
    if 0 in operand.shape:
        return True
    expected = operand.element.isa.bytes
    for stride, extent in sorted(zip(operand.strides, operand.shape)):
        if extent > 1:
            if stride != expected:
                return False
            expected *= extent
    return True
