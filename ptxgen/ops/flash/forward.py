"""Attention for arrays of any library."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi.enums import CUdevice_attribute
from ptxgen.builder import bf16, f16, f32
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import attention as kernels
from ptxgen.ops.arguments import check_count
from ptxgen.ops.launches import LaunchCache, prepare
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["attention", "check_numbers"]

_launches = LaunchCache()


def attention(
    q: Any, k: Any, v: Any, out: Any = None,
    *, log_sums: Any = None, causal: bool = False, scale: float | None = None, window: int | None = None, softcap: float = 0.0,
    explain: bool = False,
) -> Any:  # fmt: skip
    """softmax(Q K^T scale) V of arrays (batch, heads, length, d) of bf16 or f16; returns `out`, of the shape of `q`.

    K and V have the heads of Q or a part of them, which as many heads of Q share. d is 64, 96, 128 or 256, its elements beside
    each other; the other dimensions may have any strides of multiples of 16 bytes, so that (batch, length, heads, d) is a view.
    `scale` is 1/sqrt(d) unless stated. `causal`: a query sees the keys up to its own place, counted from the ends; one that
    sees none has zeros. With a `window` (and `causal`) it sees itself and that many keys before, and blocks of keys that nobody
    sees are not loaded. `softcap` c: scores are c tanh(score / c), with a relative error of 2^-11. Each window and each bound
    makes a kernel of its own. `log_sums` (batch, heads, length of q) of f32 gets the natural logarithms of the sums of e^score,
    -inf for a query that sees no key. With `explain` nothing is launched: the kernel and its parameters are returned as text.

    BuildError for shapes, types, devices or strides that it cannot have.
    """
    options = (causal, scale, window, softcap)
    key, known = (None, None) if out is None or explain else _launches.find(options, q, k, v, log_sums, out)
    if known is None:
        query, keys, values = read("q", q), read("k", k), read("v", v)
        if out is None:
            out = empty_like(q, query.device, query.shape, query.element)
        result = read("out", out)
        logs = None if log_sums is None else _logs(log_sums, query)
        if logs is not None:
            check_apart(logs, {"q": query, "k": keys, "v": values, "out": result}, name="log_sums")
        same_device(q=query, k=keys, v=values, out=result)
        plan = _planned(query, keys, values, result, logs, *options)
        if explain:
            return plan.explained
        known = prepare(plan, query.device, stream_of(query.device, query, keys, values, result))
        _launches.keep(key, known)
    known.run(q, k, v, log_sums, out)
    return out


def _logs(log_sums: Any, query: Operand) -> Operand:
    """Where the logarithms of the sums go. BuildError for another shape, type, device, or gaps."""
    logs = read("log_sums", log_sums)
    same_device(q=query, log_sums=logs)
    if logs.shape != query.shape[:3] or logs.element is not f32 or not logs.contiguous:
        raise BuildError(
            f"log_sums is .{logs.element.isa.name} of {logs.shape} with strides of {logs.strides} bytes",
            hint=f".f32 of {query.shape[:3]}, without gaps",
        )
    return logs


def check_numbers(scale: float | None, window: int | None, softcap: float) -> None:
    """BuildError for numbers that change no scores in a way that there is."""
    if scale is not None and not 0 < scale < math.inf:
        raise BuildError(f"scale={scale}", hint="a positive number")
    if window is not None:
        check_count("window", window, most=MOST)
    if not 0 <= softcap < math.inf:
        raise BuildError(f"softcap={softcap}", hint="a positive number, or 0 for none")


MOST = (1 << 31) - 1 - (1 << 16)
"""The largest window: places are s32."""


def _planned(
    q: Operand, k: Operand, v: Operand, out: Operand, logs: Operand | None, causal: bool, scale: float | None,
    window: int | None, softcap: float,
) -> KernelPlan:  # fmt: skip
    named = {"q": q, "k": k, "v": v, "out": out}
    for name, each in named.items():
        if len(each.shape) != 4 or 0 in each.shape:
            raise BuildError(f"{name} has the shape {each.shape}", hint="(batch, heads, length, d), none of them 0")
        if each.element is not q.element or each.element not in (bf16, f16):
            raise BuildError(f"{name} has elements of .{each.element.isa.name}", hint="all of bf16, or all of f16")
        if not each.mappable:
            raise BuildError(
                f"{name} has strides of {each.strides} bytes at {each.address:#x}",
                hint="elements of a head beside each other, everything else at multiples of 16 bytes",
            )
    batch, heads, queries, d = q.shape
    keys, shared = k.shape[2], heads // k.shape[1]
    expected = (batch, k.shape[1], keys, d)
    if k.shape != expected or v.shape != expected or heads % k.shape[1] or out.shape != q.shape:
        raise BuildError(
            f"attention of {q.shape} with keys {k.shape}, values {v.shape}, result {out.shape}",
            hint=f"keys and values of {(batch, 'heads', 'length', d)}, the heads a divisor of {heads}; a result as q",
        )
    check_apart(out, {"q": q}, in_place=True)
    check_apart(out, {"k": k, "v": v})
    check_numbers(scale, window, softcap)
    if q.device.target != "sm_90a":
        raise BuildError(f"attention on {q.device.target}", hint="sm_90a")
    processors = q.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT)
    return kernels.plan(
        q, k, v, out, batch=batch, heads=heads, query_length=queries, key_length=keys, d=d, shared_heads=shared, scale=scale,
        causal=causal, window=window, softcap=softcap, element=q.element, processors=processors, log_sums=logs,
    )  # fmt: skip
