"""Softmax and norms along the last dimension."""

from __future__ import annotations

from typing import Any

from ptxgen import ops
from ptxgen.jax.calls import custom_call
from ptxgen.jax.operations.elements import differentiable

__all__ = ["log_softmax", "rms_norm", "softmax"]

_softmax = differentiable(ops.softmax, ops.softmax_backward, keeps="result", axes="... n")
_log_softmax = differentiable(ops.log_softmax, ops.log_softmax_backward, keeps="result", axes="... n")


def softmax(x: Any) -> Any:
    """e^x / sum of e^x along the last dimension, of f32, bf16 or f16."""
    return _softmax(x)


def log_softmax(x: Any) -> Any:
    """x - max - log(sum of e^(x - max)) along the last dimension, of f32, bf16 or f16."""
    return _log_softmax(x)


def rms_norm(x: Any, weight: Any, *, eps: float = 1e-6) -> Any:
    """x / sqrt(mean of x^2 + eps) * weight along the last dimension, of f32, bf16 or f16; `weight` is a row of that type."""
    return _norm(x, weight, eps=float(eps))


def _forward(x: Any, weight: Any, out: Any, *, eps: float) -> None:
    ops.rms_norm(x, weight, out, eps=eps)


def _forward_saving(x: Any, weight: Any, out: Any, scale: Any, *, eps: float) -> None:
    ops.rms_norm(x, weight, out, eps=eps, scale=scale)


def _backward(gradient: Any, x: Any, weight: Any, scale: Any, d_x: Any, d_weight: Any) -> None:
    ops.rms_norm_backward(gradient, x, weight, scale, d_x, d_weight)


def _like(shape: Any, dtype: Any) -> Any:
    import jax

    return jax.ShapeDtypeStruct(shape, dtype)


_norm = custom_call(
    _forward, out=lambda x, weight, eps: x, sharding_rule="... n, n -> ... n", whole=("n",), replayed=True
)
_norm_saving = custom_call(
    _forward_saving,
    out=lambda x, weight, eps: (x, _like(x.shape[:-1], "float32")),
    sharding_rule="... n, n -> ... n, ...",
    whole=("n",),
    replayed=True,
)
_norm_gradients = custom_call(
    _backward, out=lambda gradient, x, weight, scale: (x, _like(weight.shape, "float32")), replayed=True
)


def _fwd(x: Any, weight: Any, *, eps: float) -> tuple[Any, Any]:
    out, scale = _norm_saving(x, weight, eps=eps)
    return out, (x, weight, scale)


def _bwd(kept: Any, gradient: Any, *, eps: float) -> tuple[Any, Any]:
    x, weight, scale = kept
    d_x, d_weight = _norm_gradients(gradient, x, weight, scale)
    return d_x, d_weight.astype(weight.dtype)


_norm.defvjp(_fwd, _bwd)
