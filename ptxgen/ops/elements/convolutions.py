"""Causal depthwise convolution of arrays of any library (ptxgen.kernels.elements.conv_depthwise)."""

from __future__ import annotations

import math
from typing import Any

from ptxgen.errors import BuildError
from ptxgen.kernels.elements import conv_depthwise as kernels
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, prepare
from ptxgen.ops.operands import check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.rows.rows import as_rows

__all__ = ["conv1d_depthwise"]

_launches = LaunchCache()


def conv1d_depthwise(
    x: Any, weight: Any, bias: Any = None, out: Any = None, *, silu: bool = False, explain: bool = False
) -> Any:
    """out[b, c, t] = bias[c] + sum over j of weight[c, j] * x[b, c, t - (taps - 1) + j], or silu of it; returns `out`.

    x is (batch, channels, length) of f32, bf16 or f16, with rows at one distance; what is ahead of a row's first element counts
    as zeros. weight is (channels, taps), up to 32 taps, bias (channels,), of x's type without gaps. With `explain` nothing is
    launched: a text says which kernel it would be. BuildError for arrays that it cannot have.
    """
    key, known, (out,) = _launches.find(silu, (x, weight, bias), (out,), skip=explain)
    if known is None:
        source, factors = read("x", x), read("weight", weight)
        named = {"x": source, "weight": factors} | ({} if bias is None else {"bias": read("bias", bias)})
        if source.element not in kernels.ELEMENTS or len(source.shape) != 3 or math.prod(source.shape) >= 1 << 31:
            raise BuildError(
                f"conv1d_depthwise of .{source.element.isa.name} of {source.shape}",
                hint="(batch, channels, length) of f32, bf16 or f16, less than 2^31 elements",
            )
        if out is None:
            out = empty_like(x, source.device, source.shape, source.element)
        result = read("out", out)
        same_device(**named, out=result)
        channels, taps = source.shape[1], factors.shape[1] if len(factors.shape) == 2 else 0
        if not 1 <= taps <= kernels.MOST_TAPS:
            raise BuildError(
                f"weight is an array of {factors.shape}", hint=f"({channels}, taps), 1 to {kernels.MOST_TAPS} taps"
            )
        shapes = {"weight": (channels, taps), "bias": (channels,), "out": source.shape}
        for name, each in {**named, "out": result}.items():
            shape = shapes.get(name, source.shape)
            gaps = name in ("weight", "bias") and not each.contiguous
            if each.shape != shape or each.element is not source.element or gaps:
                raise BuildError(
                    f"{name} is .{each.element.isa.name} of {each.shape}", hint=f".{source.element.isa.name} of {shape}"
                )
        check_apart(result, named)
        rows, step = as_rows("x", source), as_rows("out", result).step
        if not math.prod(source.shape):
            return NOTHING if explain else out
        plan = kernels.plan(
            rows.height, channels, rows.columns, taps, (source, rows.step), (result, step), factors, named.get("bias"),
            smooth=silu, element=source.element,
        )  # fmt: skip
        if explain:
            return plan.explained
        known = prepare(plan, source.device, stream_of(source.device, *named.values(), result))
        _launches.keep(key, known, (out,))
    known.run(x, weight, bias, out)
    return out
