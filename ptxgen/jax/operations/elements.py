"""Functions of single elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen import ops
from ptxgen.jax.calls import custom_call

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["differentiable", "gelu", "silu", "swiglu"]


def differentiable(
    forward: Callable[..., Any], backward: Callable[..., Any], *, keeps: str, operands: int = 1, axes: str = "..."
) -> Callable[..., Any]:
    """An operation whose results are like its operands. `keeps` says what `backward` takes beside the gradient: the "operands"
    behind it, or the "result" before it. `axes` are those of each of the `operands`: the compiler splits those of "..." alone."""
    whole = tuple(name for name in axes.split() if name != "...")
    gradients = operands if keeps == "operands" else 1
    call = custom_call(
        forward,
        out=lambda *given: given[0],
        vmap_method="broadcast_all",
        sharding_rule=_rule(axes, operands, 1),
        whole=whole,
        replayed=True,
    )
    gradient = custom_call(
        backward, out=_gradients_like(keeps), vmap_method="broadcast_all", sharding_rule=_rule(axes, gradients + 1, gradients),
        whole=whole, replayed=True,
    )  # fmt: skip

    def fwd(*given: Any) -> tuple[Any, Any]:
        result = call(*given)
        return result, given if keeps == "operands" else (result,)

    def bwd(kept: tuple[Any, ...], cotangent: Any) -> tuple[Any, ...]:
        found = gradient(cotangent, *kept) if keeps == "operands" else gradient(*kept, cotangent)
        return found if isinstance(found, tuple) else (found,)

    call.defvjp(fwd, bwd)
    return call


def _rule(axes: str, operands: int, results: int) -> str:
    """The rule of arrays that all have these axes."""
    return f"{', '.join([axes] * operands)} -> {', '.join([axes] * results)}"


def _gradients_like(keeps: str) -> Callable[..., Any]:
    """One for each operand that is kept; one where the result is."""

    def results(*given: Any) -> Any:
        return tuple(given[1:]) if keeps == "operands" and len(given) > 2 else given[0]

    return results


_silu = differentiable(ops.silu, ops.silu_backward, keeps="operands")
_gelu = differentiable(ops.gelu, ops.gelu_backward, keeps="operands")
_swiglu = differentiable(ops.swiglu, ops.swiglu_backward, keeps="operands", operands=2)


def silu(x: Any) -> Any:
    """x / (1 + e^-x), of f32, bf16 or f16."""
    return _silu(x)


def gelu(x: Any) -> Any:
    """0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), of f32, bf16 or f16."""
    return _gelu(x)


def swiglu(gate: Any, up: Any) -> Any:
    """silu(gate) * up, of arrays of one shape and type."""
    return _swiglu(gate, up)
