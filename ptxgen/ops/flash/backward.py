"""Gradients of attention, for arrays of any library."""

from __future__ import annotations

from typing import Any

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import bf16, f16, f32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import attention_backward as kernels
from ptxgen.ops.flash.forward import check_numbers
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.scratch import stream_scratch

__all__ = ["attention_backward"]

_launches = LaunchCache()


def attention_backward(
    d_out: Any, q: Any, k: Any, v: Any, out: Any, log_sums: Any, d_q: Any = None, d_k: Any = None, d_v: Any = None,
    *, causal: bool = False, scale: float | None = None, window: int | None = None, softcap: float = 0.0,
    explain: bool = False,
) -> Any:  # fmt: skip
    """The gradients of `attention(q, k, v, out, log_sums=log_sums, ...)` for that of `out`: (`d_q`, `d_k`, `d_v`).

    Arrays (batch, heads, length, d) of bf16 or f16, d 64, 96 or 128; `log_sums` as forward wrote them; `causal`, `scale`,
    `window` and `softcap` as they were then. Heads of Q that share one of K and V add to its gradients. Each run has the same
    bits: nothing is added by atomics. Without `d_q`, `d_k`, `d_v` new arrays are made; they overlap no other array. Its scratch
    memory, 8 bytes a query and head, belongs to the stream, or to the graph where it is captured. With `explain` nothing is
    launched: the two kernels are returned as text.

    BuildError for shapes, types, devices or strides that it cannot have; sm_90a.
    """
    options, given = (causal, scale, window, softcap), (d_out, q, k, v, out, log_sums)
    skip = explain or bool(running_captures)
    key, known, results = _launches.find(options, given, (d_q, d_k, d_v), skip=skip)
    if known is None:
        found = {name: read(name, each) for name, each in zip(("d_out", "q", "k", "v", "out", "log_sums"), given)}
        place = found["q"].device
        made = []
        for name, into, like in zip(("d_q", "d_k", "d_v"), results, (q, k, v)):
            of = found[name[2]]
            made.append(empty_like(like, place, of.shape, of.element) if into is None else into)
            found[name] = read(name, made[-1])
        results = (made[0], made[1], made[2])
        same_device(**found)
        check_numbers(scale, window, softcap)
        _check(found)
        stream = stream_of(place, *found.values())
        batch, heads, queries, _ = found["q"].shape
        size = kernels.statistics_size(batch, heads, queries)
        scratch = None if explain else stream_scratch(place, stream, (size, 1))[0]
        stated: dict[str, Any] = {
            "scale": scale, "causal": causal, "window": window, "softcap": softcap, "element": found["q"].element,
            "processors": place.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT),
        }  # fmt: skip
        slope, query, keys, values, result, logs, *gradients = found.values()
        d_query, d_keys, d_values = gradients
        first = kernels.plan_queries(query, keys, values, result, slope, d_query, logs, scratch, **stated)
        second = kernels.plan_keys(query, keys, values, slope, d_keys, d_values, scratch, **stated)
        if explain:
            return "\n".join(plan.explained for plan in (first, second))
        known = prepare_chain((first, second), place, stream, (scratch,))
        _launches.keep(key, known, results)
    known.run(*given, *results)
    return results


def _check(found: dict[str, Operand]) -> None:
    """BuildError for what the kernels cannot take."""
    q, k = found["q"], found["k"]
    for name, each in found.items():
        if name == "log_sums":
            continue
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
    of_keys = (batch, k.shape[1], k.shape[2], d)
    expected = {
        "k": of_keys, "v": of_keys, "d_k": of_keys, "d_v": of_keys, "out": q.shape, "d_out": q.shape, "d_q": q.shape,
        "log_sums": (batch, heads, queries),
    }  # fmt: skip
    for name, shape in expected.items():
        if found[name].shape != shape:
            raise BuildError(f"{name} has the shape {found[name].shape} beside q of {q.shape}", hint=f"{shape}")
    if heads % k.shape[1]:
        raise BuildError(f"{heads} heads of q share {k.shape[1]} of k", hint="a divisor")
    logs = found["log_sums"]
    if logs.element is not f32 or not logs.contiguous:
        raise BuildError(
            f"log_sums is .{logs.element.isa.name} with strides of {logs.strides} bytes", hint=".f32, without gaps"
        )
    for name in ("d_q", "d_k", "d_v"):
        check_apart(found[name], {other: each for other, each in found.items() if other != name}, name=name)
    if q.device.target != "sm_90a":
        raise BuildError(f"attention_backward on {q.device.target}", hint="sm_90a")
