"""Attention for arrays of any library."""

from __future__ import annotations

import math
from typing import Any

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import bf16, e4m3, f16
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.isa.targets import find_target
from ptxgen.kernels.attention import attention as kernels
from ptxgen.kernels.attention import attention_mma
from ptxgen.ops.arguments import check_count
from ptxgen.ops.flash import fp8
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, explained, prepare, prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, read_dense, same_device, stream_of

__all__ = ["attention", "check_numbers"]

_launches = LaunchCache()


def attention(
    q: Any, k: Any, v: Any, out: Any = None,
    *, log_sums: Any = None, causal: bool = False, scale: float | None = None, window: int | None = None, softcap: float = 0.0,
    scales: Any = None, explain: bool = False,
) -> Any:  # fmt: skip
    """softmax(Q K^T scale) V of arrays (batch, heads, length, d) of bf16, f16 or e4m3; returns `out`, of the shape of `q`.

    K and V have the heads of Q or a part of them, which as many heads of Q share. d is 64, 96, 128 or 256, its elements beside
    each other; the other dimensions may have any strides of multiples of 16 bytes, so that (batch, length, heads, d) is a view.
    `scale` is 1/sqrt(d) unless stated. `causal`: a query sees the keys up to its own place, counted from the ends; one that
    sees none has zeros. With a `window` (and `causal`) it sees itself and that many keys before, and blocks of keys that nobody
    sees are not loaded. `softcap` c: scores are c tanh(score / c), with a relative error of 2^-11. Each window and each bound
    makes a kernel of its own. `log_sums` (batch, heads, length of q) of f32 gets the natural logarithms of the sums of e^score,
    -inf for a query that sees no key.

    Of e4m3 `out` is bf16 (or f16), and `scales` is what Q, K and V are multiplied by: three numbers, or three arrays (batch,
    heads of K) of f32. V is first turned into scratch memory of as many bytes, which belongs to the stream, or to the graph where
    it is captured; weights are rounded to e4m3. With `explain` nothing is launched: the kernel and its parameters are
    returned as text.

    By wgmma on sm_90a, by mma.sync on other targets from sm_80 on. BuildError for shapes, types, devices or strides that it
    cannot have.
    """
    options = (causal, scale, window, softcap)
    numbers, factors = fp8.parted(scales)
    skip = explain or bool(running_captures)
    key, known, (out,) = _launches.find((*options, numbers), (q, k, v, log_sums, factors), (out,), skip=skip)
    if known is None:
        query, keys, values = read("q", q), read("k", k), read("v", v)
        narrow = query.element is e4m3
        if scales is not None and not narrow:
            raise BuildError(f"scales for q of .{query.element.isa.name}", hint="of e4m3 alone")
        if out is None:
            out = empty_like(q, query.device, query.shape, bf16 if narrow else query.element)
        result = read("out", out)
        logs = None if log_sums is None else read_dense("log_sums", log_sums, query.shape[:3], q=query)
        if logs is not None:
            check_apart(logs, {"q": query, "k": keys, "v": values, "out": result}, name="log_sums")
        same_device(q=query, k=keys, v=values, out=result)
        stream = stream_of(query.device, query, keys, values, result)
        _check(query, keys, values, result, *options)
        if 0 in query.shape:
            return NOTHING if explain else out
        stated: dict[str, Any] = {
            "causal": causal, "scale": scale, "window": window, "softcap": softcap, "log_sums": logs,
            "processors": query.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT), **_sizes(query, keys),
        }  # fmt: skip
        if narrow:
            first, second, columns = fp8.planned(query, keys, values, result, numbers, factors, stream, explain, stated)
            if explain:
                return explained((first, second))
            known = prepare_chain((first, second), query.device, stream, (columns,))
        else:
            planner = kernels.plan if query.device.target == "sm_90a" else attention_mma.plan
            plan = planner(query, keys, values, result, element=query.element, **stated)
            if explain:
                return plan.explained
            known = prepare(plan, query.device, stream)
        _launches.keep(key, known, (out,))
    known.run(q, k, v, log_sums, out, factors)
    return out


def _sizes(q: Operand, k: Operand) -> dict[str, int]:
    """The extents, as the kernels' plans take them."""
    batch, heads, queries, d = q.shape
    sizes = {"batch": batch, "heads": heads, "query_length": queries, "key_length": k.shape[2], "d": d}
    return sizes | {"shared_heads": heads // k.shape[1]}


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


def _check(
    q: Operand, k: Operand, v: Operand, out: Operand, causal: bool, scale: float | None, window: int | None, softcap: float
) -> None:  # fmt: skip
    """BuildError for what the kernels cannot take."""
    results = (bf16, f16) if q.element is e4m3 else (q.element,)
    for name, each in {"q": q, "k": k, "v": v, "out": out}.items():
        if len(each.shape) != 4 or (0 in each.shape and 0 not in q.shape[:3]):
            raise BuildError(f"{name} has the shape {each.shape}", hint="(batch, heads, length, d), none of them 0")
        if each.element not in (results if name == "out" else (q.element,)) or q.element not in (bf16, f16, e4m3):
            raise BuildError(
                f"{name} has elements of .{each.element.isa.name}",
                hint="all of bf16, or all of f16; or q, k and v of e4m3 and a result of bf16 or f16",
            )
        if not (each.mappable or 0 in each.shape):
            raise BuildError(
                f"{name} has strides of {each.strides} bytes at {each.address:#x}",
                hint="elements of a head beside each other, everything else at multiples of 16 bytes",
            )
    batch, heads, _, d = q.shape
    expected = (batch, k.shape[1], k.shape[2], d)
    if k.shape != expected or v.shape != expected or heads % max(k.shape[1], 1) or out.shape != q.shape:
        raise BuildError(
            f"attention of {q.shape} with keys {k.shape}, values {v.shape}, result {out.shape}",
            hint=f"keys and values of {(batch, 'heads', 'length', d)}, the heads a divisor of {heads}; a result as q",
        )
    check_apart(out, {"q": q}, in_place=q.element is not e4m3)
    check_apart(out, {"k": k, "v": v})
    check_numbers(scale, window, softcap)
    target = q.device.target
    if target != "sm_90a" and (q.element is e4m3 or find_target(target).sm < 80):
        raise BuildError(
            f"attention of .{q.element.isa.name} on {target}", hint="of bf16 and f16 from sm_80 on, of e4m3 on sm_90a"
        )
