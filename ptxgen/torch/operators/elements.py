"""Activations, biases, embeddings and rotary positions."""

from __future__ import annotations

from typing import Any

from ptxgen import ops
from ptxgen.torch.framework import torch
from ptxgen.torch.operators.row import float32, operator


def _like(x: Any, *_: Any) -> tuple[Any, ...]:
    return (torch.empty_like(x),)


@operator("gelu_backward(Tensor gradient, Tensor x) -> Tensor", make=lambda gradient, x: _like(x))
def gelu_backward(gradient: Any, x: Any, d_x: Any) -> None:
    ops.gelu_backward(gradient, x, d_x)


@operator("gelu(Tensor x) -> Tensor", make=_like, backward=lambda gradient, x: gelu_backward(_as(gradient, x), x))
def gelu(x: Any, y: Any) -> None:
    ops.gelu(x, y)


@operator("silu_backward(Tensor gradient, Tensor x) -> Tensor", make=lambda gradient, x: _like(x))
def silu_backward(gradient: Any, x: Any, d_x: Any) -> None:
    ops.silu_backward(gradient, x, d_x)


@operator("silu(Tensor x) -> Tensor", make=_like, backward=lambda gradient, x: silu_backward(_as(gradient, x), x))
def silu(x: Any, y: Any) -> None:
    ops.silu(x, y)


@operator(
    "swiglu_backward(Tensor gradient, Tensor gate, Tensor up) -> (Tensor, Tensor)",
    make=lambda gradient, gate, up: (torch.empty_like(gate), torch.empty_like(up)),
)
def swiglu_backward(gradient: Any, gate: Any, up: Any, d_gate: Any, d_up: Any) -> None:
    ops.swiglu_backward(gradient, gate, up, d_gate, d_up)


@operator(
    "swiglu(Tensor gate, Tensor up) -> Tensor", make=_like,
    backward=lambda gradient, gate, up: dict(zip(("gate", "up"), swiglu_backward(_as(gradient, gate), gate, up))),
)  # fmt: skip
def swiglu(gate: Any, up: Any, y: Any) -> None:
    ops.swiglu(gate, up, y)


@operator(
    "geglu(Tensor gate, Tensor up) -> Tensor", make=_like,
    backward=lambda gradient, gate, up: {
        "gate": gelu_backward(_as(gradient, gate) * up, gate), "up": _as(gradient, gate) * gelu(gate)
    },
)  # fmt: skip
def geglu(gate: Any, up: Any, y: Any) -> None:
    ops.geglu(gate, up, y)


def _as(gradient: Any, x: Any) -> Any:
    """A gradient whose elements lie as those of x: one that was spread over a shape has strides of 0."""
    return gradient if gradient.stride() == x.stride() else torch.empty_like(x).copy_(gradient)


# --- with a bias ------------------------------------------------------------------------------------------------------


def _biased(name: str, forward: Any, back: Any) -> None:
    @operator(
        f"bias_{name}_backward(Tensor gradient, Tensor x, Tensor bias) -> (Tensor, Tensor)",
        make=lambda gradient, x, bias: (torch.empty_like(x), float32(x, bias.shape)),
    )
    def backward_operator(gradient: Any, x: Any, bias: Any, d_x: Any, d_bias: Any) -> None:
        back(gradient, x, bias, d_x, d_bias)

    def gradients(gradient: Any, x: Any, bias: Any) -> dict[str, Any]:
        d_x, d_bias = backward_operator(gradient.contiguous(), x, bias)
        return {"x": d_x, "bias": d_bias.to(bias.dtype)}

    @operator(f"bias_{name}(Tensor x, Tensor bias) -> Tensor", make=_like, backward=gradients)
    def forward_operator(x: Any, bias: Any, y: Any) -> None:
        forward(x, bias, y)


_biased("gelu", ops.bias_gelu, ops.bias_gelu_backward)
_biased("relu", ops.bias_relu, ops.bias_relu_backward)
_biased("silu", ops.bias_silu, ops.bias_silu_backward)


# --- embeddings and positions -----------------------------------------------------------------------------------------


@operator(
    "embedding_backward(Tensor gradient, Tensor indices, int rows) -> Tensor",
    make=lambda gradient, indices, rows: (gradient.new_empty((rows, gradient.shape[-1])),),
)
def embedding_backward(gradient: Any, indices: Any, rows: int, d_weight: Any) -> None:
    ops.embedding_backward(gradient, indices, rows, d_weight)


@operator(
    "embedding(Tensor weight, Tensor indices) -> Tensor",
    make=lambda weight, indices: (weight.new_empty((*indices.shape, weight.shape[1])),),
    backward=lambda gradient, weight, indices: {
        "weight": embedding_backward(gradient.contiguous(), indices, weight.shape[0])
    },
)
def embedding(weight: Any, indices: Any, y: Any) -> None:
    ops.embedding(weight, indices, y)


def _turned_back(gradient: Any, cos: Any, sin: Any, positions: Any, interleaved: Any, inverse: Any) -> dict[str, Any]:
    return {"x": rotary(gradient.contiguous(), cos, sin, positions, interleaved, not inverse)}


@operator(
    "rotary(Tensor x, Tensor cos, Tensor sin, Tensor? positions=None, bool interleaved=False, bool inverse=False) -> Tensor",
    make=_like, backward=_turned_back,
)  # fmt: skip
def rotary(x: Any, cos: Any, sin: Any, positions: Any, interleaved: bool, inverse: bool, y: Any) -> None:
    ops.rotary(x, cos, sin, positions, y, interleaved=interleaved, inverse=inverse)
