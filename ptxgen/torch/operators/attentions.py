"""Attention, of whole sequences, of packed ones, and of the last queries of many."""

from __future__ import annotations

from typing import Any

from ptxgen import ops
from ptxgen.torch.framework import torch
from ptxgen.torch.operators.row import float32, operator

_SCORES = "bool causal=False, float? scale=None, int? window=None, float softcap=0.0"
"""What attention does to scores."""


def _scores(causal: bool, scale: Any, window: Any, softcap: float) -> dict[str, Any]:
    return {"causal": causal, "scale": scale, "window": window, "softcap": softcap}


def _like(*tensors: Any) -> tuple[Any, ...]:
    return tuple(torch.empty_like(each) for each in tensors)


@operator(
    f"attention_backward(Tensor gradient, Tensor q, Tensor k, Tensor v, Tensor out, Tensor log_sums, {_SCORES})"
    " -> (Tensor, Tensor, Tensor)",
    make=lambda gradient, q, k, v, *_: _like(q, k, v),
)
def attention_backward(
    gradient: Any, q: Any, k: Any, v: Any, out: Any, log_sums: Any, causal: bool, scale: Any, window: Any, softcap: float,
    d_q: Any, d_k: Any, d_v: Any,
) -> None:  # fmt: skip
    ops.attention_backward(gradient, q, k, v, out, log_sums, d_q, d_k, d_v, **_scores(causal, scale, window, softcap))


def _attention_gradient(
    gradient: Any, q: Any, k: Any, v: Any, out: Any, log_sums: Any, causal: Any, scale: Any, window: Any, softcap: Any
) -> dict[str, Any]:
    found = attention_backward(gradient[0].contiguous(), q, k, v, out, log_sums, causal, scale, window, softcap)
    return dict(zip("qkv", found))


@operator(
    f"attention_forward(Tensor q, Tensor k, Tensor v, {_SCORES}) -> (Tensor, Tensor)",
    make=lambda q, *_: (torch.empty_like(q), float32(q, q.shape[:3])), backward=_attention_gradient,
)  # fmt: skip
def attention_forward(
    q: Any, k: Any, v: Any, causal: bool, scale: Any, window: Any, softcap: float, out: Any, log_sums: Any
) -> None:
    ops.attention(q, k, v, out, log_sums=log_sums, **_scores(causal, scale, window, softcap))


@operator(
    f"attention(Tensor q, Tensor k, Tensor v, {_SCORES}) -> Tensor",
    make=lambda q, *_: _like(q),
    recorded=attention_forward,
)
def attention(q: Any, k: Any, v: Any, causal: bool, scale: Any, window: Any, softcap: float, out: Any) -> None:
    ops.attention(q, k, v, out, **_scores(causal, scale, window, softcap))


@operator(
    "attention_packed_backward(Tensor gradient, Tensor q, Tensor k, Tensor v, Tensor out, Tensor log_sums,"
    f" Tensor query_starts, Tensor key_starts, int? longest=None, {_SCORES}) -> (Tensor, Tensor, Tensor)",
    make=lambda gradient, q, k, v, *_: tuple(torch.zeros_like(each) for each in (q, k, v)),
)
def attention_packed_backward(
    gradient: Any, q: Any, k: Any, v: Any, out: Any, log_sums: Any, query_starts: Any, key_starts: Any, longest: Any,
    causal: bool, scale: Any, window: Any, softcap: float, d_q: Any, d_k: Any, d_v: Any,
) -> None:  # fmt: skip
    """Rows of no sequence have zeros."""
    ops.attention_packed_backward(
        gradient, q, k, v, out, log_sums, query_starts, key_starts, d_q, d_k, d_v, longest=longest,
        **_scores(causal, scale, window, softcap),
    )  # fmt: skip


def _packed_gradient(
    gradient: Any, q: Any, k: Any, v: Any, out: Any, log_sums: Any, query_starts: Any, key_starts: Any, longest: Any, causal: Any,
    scale: Any, window: Any, softcap: Any,
) -> dict[str, Any]:  # fmt: skip
    found = attention_packed_backward(
        gradient[0].contiguous(),
        q,
        k,
        v,
        out,
        log_sums,
        query_starts,
        key_starts,
        longest,
        causal,
        scale,
        window,
        softcap,
    )
    return dict(zip("qkv", found))


_PACKED = f"(Tensor q, Tensor k, Tensor v, Tensor query_starts, Tensor key_starts, int? longest=None, {_SCORES})"


@operator(
    f"attention_packed_forward{_PACKED} -> (Tensor, Tensor)",
    make=lambda q, *_: (torch.empty_like(q), float32(q, (q.shape[1], q.shape[0]))), backward=_packed_gradient,
)  # fmt: skip
def attention_packed_forward(
    q: Any, k: Any, v: Any, query_starts: Any, key_starts: Any, longest: Any, causal: bool, scale: Any, window: Any,
    softcap: float, out: Any, log_sums: Any,
) -> None:  # fmt: skip
    ops.attention_packed(
        q,
        k,
        v,
        query_starts,
        key_starts,
        out,
        log_sums=log_sums,
        longest=longest,
        **_scores(causal, scale, window, softcap),
    )


@operator(f"attention_packed{_PACKED} -> Tensor", make=lambda q, *_: _like(q), recorded=attention_packed_forward)
def attention_packed(
    q: Any, k: Any, v: Any, query_starts: Any, key_starts: Any, longest: Any, causal: bool, scale: Any, window: Any,
    softcap: float, out: Any,
) -> None:  # fmt: skip
    ops.attention_packed(
        q, k, v, query_starts, key_starts, out, longest=longest, **_scores(causal, scale, window, softcap)
    )


@operator(
    "attention_decode(Tensor q, Tensor keys, Tensor values, Tensor table, Tensor lengths, str order='NHD', float? scale=None,"
    " int? window=None, float softcap=0.0) -> Tensor",
    make=lambda q, *_: _like(q),
)
def attention_decode(
    q: Any,
    keys: Any,
    values: Any,
    table: Any,
    lengths: Any,
    order: str,
    scale: Any,
    window: Any,
    softcap: float,
    out: Any,
) -> None:
    ops.attention_decode(q, keys, values, table, lengths, out, order=order, scale=scale, window=window, softcap=softcap)
