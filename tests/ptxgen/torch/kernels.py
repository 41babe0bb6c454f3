"""Operators that the tests share: registered once a process, as PyTorch keeps them."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

import ptxgen as px
from ptxgen import f32, s32, u32

torch: Any = pytest.importorskip("torch", reason="PyTorch, the extra `torch`, is not installed")

E = TypeVar("E")


@px.kernel
def square_kernel(k: px.Builder, n: u32, x: px.ptr[E], y: px.ptr[E], *, element: type[E]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = x[i] * x[i]


@px.kernel
def mix_kernel(
    k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32], sum: px.ptr[f32], product: px.ptr[f32], a: f32 = 2.0
) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        sum[i] = k.fma(a, x[i], y[i])
        product[i] = x[i] * y[i]


@px.kernel
def add_into_kernel(k: px.Builder, n: u32, step: s32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    """y[i] += x[i * step]"""
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = y[i] + x[i * step.bits(u32)]


LAUNCH: Any = {"grid": lambda x: -(-x.numel() // 128), "block": 128, "scalars": {"n": lambda x: x.numel()}}


square = px.torch.custom_op(
    "ptxgen_tests::square", square_kernel, **LAUNCH, out={"y": lambda x: torch.empty_like(x)},
    options={"element": lambda x: px.torch.element_type(x.dtype)},
    backward=lambda gradient, x: 2 * gradient * x, vmap="elementwise", autocast=torch.float32,
)  # fmt: skip
"""x^2 of any type of floats."""

mix = px.torch.custom_op(
    "ptxgen_tests::mix", mix_kernel, **LAUNCH,
    out={"sum": lambda x: torch.empty_like(x), "product": lambda x: torch.empty_like(x)},
    backward=lambda gradient, x, y, a: {
        "x": a * gradient[0] + y * gradient[1], "y": gradient[0] + x * gradient[1],
    },
)  # fmt: skip
"""(a x + y, x y)."""

add_into = px.torch.custom_op(
    "ptxgen_tests::add_into", add_into_kernel,
    **{**LAUNCH, "scalars": {**LAUNCH["scalars"], "step": lambda x: x.stride(0)}}, mutates=("y",), strided=("x",),
)  # fmt: skip
"""y += x, x of one dimension with any stride."""
