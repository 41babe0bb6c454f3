"""Softmax, norms, cross entropy, and the largest elements of rows."""

from __future__ import annotations

from typing import Any

from ptxgen import ops
from ptxgen.torch.framework import torch
from ptxgen.torch.operators.row import float32, operator


@operator("softmax_backward(Tensor y, Tensor gradient) -> Tensor", make=lambda y, gradient: (torch.empty_like(y),))
def softmax_backward(y: Any, gradient: Any, out: Any) -> None:
    ops.softmax_backward(y, gradient, out)


@operator(
    "softmax(Tensor x) -> Tensor", make=lambda x: (torch.empty_like(x),),
    backward=lambda gradient, y: softmax_backward(y, gradient.contiguous()),
)  # fmt: skip
def softmax(x: Any, y: Any) -> None:
    ops.softmax(x, y)


@operator("log_softmax_backward(Tensor y, Tensor gradient) -> Tensor", make=lambda y, gradient: (torch.empty_like(y),))
def log_softmax_backward(y: Any, gradient: Any, out: Any) -> None:
    ops.log_softmax_backward(y, gradient, out)


@operator(
    "log_softmax(Tensor x) -> Tensor", make=lambda x: (torch.empty_like(x),),
    backward=lambda gradient, y: log_softmax_backward(y, gradient.contiguous()),
)  # fmt: skip
def log_softmax(x: Any, y: Any) -> None:
    ops.log_softmax(x, y)


# --- norms ------------------------------------------------------------------------------------------------------------


def _of_weight(x: Any, weight: Any) -> Any:
    """Where the gradient of a weight goes: one a column, none without a weight."""
    return float32(x, x.shape[-1:] if weight is not None else (0,))


def _present(**tensors: Any) -> dict[str, Any]:
    """Arguments that are there: the results of what is not there have no elements."""
    return {name: each for name, each in tensors.items() if 0 not in each.shape}


def _typed(gradient: Any, weight: Any) -> Any:
    return gradient.to(weight.dtype) if weight is not None else None


@operator(
    "rms_norm_backward(Tensor gradient, Tensor x, Tensor? weight, Tensor scale) -> (Tensor, Tensor)",
    make=lambda gradient, x, weight, scale: (torch.empty_like(x), _of_weight(x, weight)),
)
def rms_norm_backward(gradient: Any, x: Any, weight: Any, scale: Any, d_x: Any, d_weight: Any) -> None:
    ops.rms_norm_backward(gradient, x, weight, scale, d_x, **_present(d_weight=d_weight))


def _rms_norm_gradient(gradient: Any, x: Any, weight: Any, scale: Any) -> dict[str, Any]:
    d_x, d_weight = rms_norm_backward(gradient[0].contiguous(), x, weight, scale)
    return {"x": d_x, "weight": _typed(d_weight, weight)}


@operator(
    "rms_norm_forward(Tensor x, Tensor? weight=None, float eps=1e-06) -> (Tensor, Tensor)",
    make=lambda x, weight, eps: (torch.empty_like(x), float32(x, x.shape[:-1])), backward=_rms_norm_gradient,
)  # fmt: skip
def rms_norm_forward(x: Any, weight: Any, eps: float, y: Any, scale: Any) -> None:
    ops.rms_norm(x, weight, y, eps=eps, scale=scale)


@operator(
    "rms_norm(Tensor x, Tensor? weight=None, float eps=1e-06) -> Tensor", make=lambda x, *_: (torch.empty_like(x),),
    recorded=rms_norm_forward,
)  # fmt: skip
def rms_norm(x: Any, weight: Any, eps: float, y: Any) -> None:
    ops.rms_norm(x, weight, y, eps=eps)


@operator(
    "layer_norm_backward(Tensor gradient, Tensor x, Tensor? weight, Tensor mean, Tensor scale) -> (Tensor, Tensor, Tensor)",
    make=lambda gradient, x, weight, mean, scale: (torch.empty_like(x), _of_weight(x, weight), _of_weight(x, weight)),
)
def layer_norm_backward(
    gradient: Any, x: Any, weight: Any, mean: Any, scale: Any, d_x: Any, d_weight: Any, d_bias: Any
) -> None:
    ops.layer_norm_backward(gradient, x, weight, mean, scale, d_x, **_present(d_weight=d_weight, d_bias=d_bias))


def _layer_norm_gradient(gradient: Any, x: Any, weight: Any, bias: Any, mean: Any, scale: Any) -> dict[str, Any]:
    ones = torch.ones_like(x[..., :1, :].reshape(-1)[: x.shape[-1]]) if weight is None and bias is not None else weight
    d_x, d_weight, d_bias = layer_norm_backward(gradient[0].contiguous(), x, ones, mean, scale)
    return {"x": d_x, "weight": _typed(d_weight, weight), "bias": _typed(d_bias, bias)}


@operator(
    "layer_norm_forward(Tensor x, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> (Tensor, Tensor, Tensor)",
    make=lambda x, weight, bias, eps: (torch.empty_like(x), float32(x, x.shape[:-1]), float32(x, x.shape[:-1])),
    backward=_layer_norm_gradient,
)
def layer_norm_forward(x: Any, weight: Any, bias: Any, eps: float, y: Any, mean: Any, scale: Any) -> None:
    ops.layer_norm(x, weight, bias, y, eps=eps, mean=mean, scale=scale)


@operator(
    "layer_norm(Tensor x, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
    make=lambda x, *_: (torch.empty_like(x),), recorded=layer_norm_forward,
)  # fmt: skip
def layer_norm(x: Any, weight: Any, bias: Any, eps: float, y: Any) -> None:
    ops.layer_norm(x, weight, bias, y, eps=eps)


# --- losses and choices -----------------------------------------------------------------------------------------------


@operator(
    "cross_entropy_backward(Tensor gradient, Tensor x, Tensor targets, Tensor logs) -> Tensor",
    make=lambda gradient, x, targets, logs: (torch.empty_like(x),),
)
def cross_entropy_backward(gradient: Any, x: Any, targets: Any, logs: Any, d_x: Any) -> None:
    ops.cross_entropy_backward(gradient, x, targets, logs, d_x)


@operator(
    "cross_entropy_forward(Tensor x, Tensor targets) -> (Tensor, Tensor)",
    make=lambda x, targets: (float32(x, targets.shape), float32(x, targets.shape)),
    backward=lambda gradient, x, targets, logs: {
        "x": cross_entropy_backward(gradient[0].contiguous(), x, targets, logs)
    },
)
def cross_entropy_forward(x: Any, targets: Any, losses: Any, logs: Any) -> None:
    ops.cross_entropy(x, targets, losses, logs=logs)


@operator(
    "cross_entropy(Tensor x, Tensor targets) -> Tensor", make=lambda x, targets: (float32(x, targets.shape),),
    recorded=cross_entropy_forward,
)  # fmt: skip
def cross_entropy(x: Any, targets: Any, losses: Any) -> None:
    ops.cross_entropy(x, targets, losses)


@operator(
    "argmax(Tensor x) -> Tensor", make=lambda x: (x.new_empty(x.shape[:-1], dtype=torch.int64),)
)  # fmt: skip
def argmax(x: Any, places: Any) -> None:
    ops.argmax(x, places)


@operator(
    "topk(Tensor x, int k, bool largest=True) -> (Tensor, Tensor)",
    make=lambda x, k, largest: (x.new_empty((*x.shape[:-1], k)), x.new_empty((*x.shape[:-1], k), dtype=torch.int64)),
)
def topk(x: Any, k: int, largest: bool, values: Any, indices: Any) -> None:
    ops.topk(x, k, values, indices, largest=largest)
