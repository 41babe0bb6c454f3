"""Group norm of arrays of any library, forward and backward (ptxgen.kernels.rows.rows)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import f32
from ptxgen.errors import BuildError
from ptxgen.kernels.rows import column_sums
from ptxgen.kernels.rows import rows as kernels
from ptxgen.ops.arguments import check_count
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import explained, prepare, prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.rows.rows import device_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ptxgen.builder.values import Value
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["group_norm", "group_norm_backward"]

_launches = LaunchCache()


def group_norm(
    x: Any, groups: int, weight: Any = None, bias: Any = None, out: Any = None,
    *, eps: float = 1e-5, mean: Any = None, scale: Any = None, explain: bool = False,
) -> Any:  # fmt: skip
    """(x - mean) / sqrt(variance + eps) * weight[channel] + bias[channel], x (images, channels, ...) of f32, bf16 or f16 without
    gaps; returns `out`, which may be x.

    Mean and variance are of a group of channels / groups neighbouring channels of one image, which is read once up to 131,072
    elements of f32, 16,384 of 16 bits.
    `mean` and `scale`, both or none, get what `group_norm_backward` needs: f32 of (images, groups). With `explain` nothing is
    launched: a text says which kernel it would be. BuildError for arrays that it cannot have.
    """
    if (mean is None) != (scale is None):
        raise BuildError("mean without scale" if scale is None else "scale without mean")
    others = {"weight": weight, "bias": bias, "mean": mean, "scale": scale}
    given = (x, *others.values())
    key, known, (out,) = _launches.find((groups, eps), given, (out,), skip=explain)
    if known is None:
        source, sizes = _groups_of(x, groups)
        if out is None:
            out = empty_like(x, source.device, source.shape, source.element)
        result = read("out", out)
        rest = {name: read(name, each) for name, each in others.items() if each is not None}
        _check(source, sizes, {"out": result}, rest)
        _check_written(
            ("out", *(name for name in rest if name in ("mean", "scale"))), {"x": source, "out": result, **rest}
        )
        options = kernels.Options(weighted="weight" in rest, biased="bias" in rest, saved="scale" in rest)
        plan = _planned("group_norm", source, sizes, {"x": source, "y": result}, rest, options, eps)
        if explain:
            return plan.explained
        known = prepare(plan, source.device, stream_of(source.device, source, result, *rest.values()))
        _launches.keep(key, known, (out,))
    known.run(*given, out)
    return out


def group_norm_backward(
    gradient: Any, x: Any, groups: int, weight: Any, mean: Any, scale: Any,
    out: Any = None, d_weight: Any = None, d_bias: Any = None, *, explain: bool = False,
) -> Any:  # fmt: skip
    """(gradient of x, of weight, of bias) from that of the result, and from `mean` and `scale` of the forward. The gradients of
    weight and bias are f32; their sums have the same bits in every run. Without a weight there is that of x alone."""
    weighted = weight is not None
    if not weighted and (d_weight is not None or d_bias is not None):
        raise BuildError("d_weight or d_bias without weight", hint="a weight, of ones where there is none")
    skip, given = explain or bool(running_captures), (x, gradient, weight, mean, scale)
    key, known, (out, d_weight, d_bias) = _launches.find(
        ("backward", groups), given, (out, d_weight, d_bias), skip=skip
    )
    if known is None:
        source, sizes = _groups_of(x, groups)
        place, channels = source.device, (source.shape[1],)
        out = empty_like(x, place, source.shape, source.element) if out is None else out
        if weighted:
            d_weight, d_bias = (empty_like(x, place, channels, f32) if d is None else d for d in (d_weight, d_bias))
        arrays = {"gradient": read("gradient", gradient), "out": read("out", out)}
        rest = {"mean": read("mean", mean), "scale": read("scale", scale)}
        if weighted:
            rest |= {
                "weight": read("weight", weight),
                "d_weight": read("d_weight", d_weight),
                "d_bias": read("d_bias", d_bias),
            }
        _check(source, sizes, arrays, rest)
        _check_written(("out", *(name for name in rest if name.startswith("d_"))), {"x": source, **arrays, **rest})
        plans, scratch = _backward_plans(source, sizes, arrays, rest)
        if explain:
            return explained(plans)
        stream = stream_of(place, source, *arrays.values(), *rest.values())
        known = prepare_chain(plans, place, stream, scratch)
        _launches.keep(key, known, (out, d_weight, d_bias))
    known.run(*given, out, d_weight, d_bias)
    return (out, d_weight, d_bias) if weighted else out


def _backward_plans(
    x: Operand, sizes: kernels.Channels, arrays: Mapping[str, Operand], rest: Mapping[str, Operand]
) -> tuple[list[KernelPlan], tuple[Any, ...]]:
    """(the launches, what is between them): the gradient of x and of each channel of an image its sums, by one kernel where that
    can; these over the images."""
    arrays = {"x": x, "g": arrays["gradient"], "y": arrays["out"]}
    others = {name: rest[name] for name in ("weight", "mean", "scale") if name in rest}
    plan = _planned("group_norm_backward", x, sizes, arrays, others, kernels.Options(weighted="weight" in rest))
    if "weight" not in rest:
        return [plan], ()
    images, channels = x.shape[:2]
    totals = [rest[name] for name in ("d_weight", "d_bias")]
    parts: list[Any] = list(totals)
    if images != 1:
        with x.device.context.beside_captures():
            parts = [x.device.empty(images * channels, f32) for _ in totals]
    sums = {"d_weight": parts[0], "d_bias": parts[1]}
    if kernels.sums_channels(kernels.layout_of(plan), sizes):
        options = kernels.Options(weighted=True, saved=True)
        plans = [_planned("group_norm_backward", x, sizes, arrays, {**others, **sums}, options)]
    else:  # the sums are ahead of the gradient of x, which may take the place of what is read
        read_alone = {name: arrays[name] for name in ("x", "g")}
        plans = [_planned("channel_sums", x, sizes, read_alone, {**others, **sums}, kernels.PLAIN), plan]
    if images == 1:
        return plans, ()
    plans.append(column_sums.plan_all(images, channels, list(zip(parts, totals))))
    return plans, tuple(parts)


def _planned(
    op: str, x: Operand, sizes: kernels.Channels, arrays: Mapping[str, Any], others: Mapping[str, Any],
    options: kernels.Options, eps: float = 0.0,
) -> KernelPlan:  # fmt: skip
    columns = sizes.area if op == "channel_sums" else sizes.channels * sizes.area
    rows = math.prod(x.shape) // max(columns, 1)
    place = x.device
    return kernels.plan(
        op, rows, columns, {name: (each, columns) for name, each in arrays.items()}, others, element=x.element, eps=eps,
        options=options, channels=sizes, **device_facts(place),
    )  # fmt: skip


def _groups_of(x: Any, groups: int) -> tuple[Operand, kernels.Channels]:
    """(x, its sizes). BuildError where it has no such groups."""
    source = read("x", x)
    every = math.prod(source.shape)
    if source.element not in kernels.ELEMENTS or 0 in source.shape[1:] or len(source.shape) < 2 or every >= 1 << 31:
        raise BuildError(
            f"group_norm of .{source.element.isa.name} of {source.shape}",
            hint="(images, channels, ...) of f32, bf16 or f16, of an image one element or more, less than 2^31 in all",
        )
    check_count("groups", groups, least=1)
    channels = source.shape[1]
    if channels % groups:
        raise BuildError(f"{groups} groups of {channels} channels", hint="a divisor")
    return source, kernels.Channels(groups, channels // groups, math.prod(source.shape[2:]))


def _check(x: Operand, sizes: kernels.Channels, arrays: Mapping[str, Operand], others: Mapping[str, Operand]) -> None:
    """BuildError where arrays do not belong together."""
    same_device(x=x, **arrays, **others)
    for name, each in {"x": x, **arrays, **others}.items():
        kind: type[Value] = f32
        shape: tuple[int, ...] = (x.shape[0], sizes.groups)
        if name in ("x", *arrays):
            kind, shape = x.element, x.shape
        elif name in ("weight", "bias"):
            kind, shape = x.element, (x.shape[1],)
        elif name.startswith("d_"):
            shape = (x.shape[1],)
        if each.shape != shape or each.element is not kind or not each.contiguous:
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape} with strides of {each.strides} bytes",
                hint=f".{kind.isa.name} of {shape}, without gaps",
            )


def _check_written(names: Iterable[str], every: Mapping[str, Operand]) -> None:
    """BuildError where a result overlaps an input or another result; out may be x or the gradient."""
    for name in names:
        own = ("x", "gradient") if name == "out" else ()
        check_apart(every[name], {n: e for n, e in every.items() if n in own}, name=name, in_place=True)
        check_apart(every[name], {n: e for n, e in every.items() if n != name and n not in own}, name=name)
