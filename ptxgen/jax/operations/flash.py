"""Attention."""

from __future__ import annotations

from typing import Any

from ptxgen import ops
from ptxgen.jax.calls import custom_call

__all__ = ["attention"]


def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    causal: bool = False,
    scale: float | None = None,
    window: int | None = None,
    softcap: float = 0.0,
) -> Any:
    """softmax(Q K^T scale) V of arrays (batch, heads, length, d) of bf16 or f16, as `px.ops.attention`, with its gradients
    (d up to 128)."""
    options: dict[str, Any] = {"causal": bool(causal), "softcap": float(softcap)}
    options |= {} if scale is None else {"scale": float(scale)}
    options |= {} if window is None else {"window": int(window)}
    return _attention(q, k, v, **options)


def _flat(array: Any) -> Any:
    """Dimensions before the last three are one batch."""
    return array.reshape(-1, *array.shape[-3:]) if len(array.shape) > 4 else array


def _forward(q: Any, k: Any, v: Any, out: Any, **options: Any) -> None:
    ops.attention(_flat(q), _flat(k), _flat(v), _flat(out), **options)


def _forward_saving(q: Any, k: Any, v: Any, out: Any, log_sums: Any, **options: Any) -> None:
    logs = log_sums.reshape(-1, *log_sums.shape[-2:])
    ops.attention(_flat(q), _flat(k), _flat(v), _flat(out), log_sums=logs, **options)


def _backward(
    d_out: Any, q: Any, k: Any, v: Any, out: Any, log_sums: Any, d_q: Any, d_k: Any, d_v: Any, **options: Any
) -> None:
    logs = log_sums.reshape(-1, *log_sums.shape[-2:])
    results = (_flat(d_q), _flat(d_k), _flat(d_v))
    ops.attention_backward(_flat(d_out), _flat(q), _flat(k), _flat(v), _flat(out), logs, *results, **options)


def _logs_like(q: Any) -> Any:
    import jax

    return jax.ShapeDtypeStruct(q.shape[:-1], "float32")


_QUERIES, _KEYS = "... h q d", "... g k d"
_SPLIT: dict[str, Any] = {"vmap_method": "broadcast_all", "whole": ("h", "g", "q", "k", "d"), "replayed": True}
"""The compiler splits batches: heads of Q that share one of K belong together."""

_attention = custom_call(
    _forward, out=lambda q, k, v, **_: q, sharding_rule=f"{_QUERIES}, {_KEYS}, {_KEYS} -> {_QUERIES}", **_SPLIT
)
_saving = custom_call(
    _forward_saving, out=lambda q, k, v, **_: (q, _logs_like(q)),
    sharding_rule=f"{_QUERIES}, {_KEYS}, {_KEYS} -> {_QUERIES}, ... h q", **_SPLIT,
)  # fmt: skip
_gradients = custom_call(
    _backward, out=lambda d_out, q, k, v, out, log_sums, **_: (q, k, v),
    sharding_rule=f"{_QUERIES}, {_QUERIES}, {_KEYS}, {_KEYS}, {_QUERIES}, ... h q -> {_QUERIES}, {_KEYS}, {_KEYS}", **_SPLIT,
)  # fmt: skip


def _fwd(q: Any, k: Any, v: Any, **options: Any) -> tuple[Any, Any]:
    out, logs = _saving(q, k, v, **options)
    return out, (q, k, v, out, logs)


def _bwd(kept: Any, d_out: Any, **options: Any) -> Any:
    return _gradients(d_out, *kept, **options)


_attention.defvjp(_fwd, _bwd)
