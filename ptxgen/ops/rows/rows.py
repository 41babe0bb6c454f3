"""Softmax, norms and cross entropy of the rows of arrays of any library, and their backward (ptxgen.kernels.rows.rows)."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.launch.occupancy import max_active_clusters
from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import f32, s32, s64
from ptxgen.emulated_driver.numbers import CUdevice_attribute, CUfunction_attribute
from ptxgen.errors import BuildError
from ptxgen.kernels.rows import column_sums
from ptxgen.kernels.rows import rows as kernels
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import PreparedLaunch, prepare
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.kernels.plan import KernelPlan

__all__ = [
    "cross_entropy",
    "cross_entropy_backward",
    "layer_norm",
    "layer_norm_backward",
    "log_softmax",
    "log_softmax_backward",
    "rms_norm",
    "rms_norm_backward",
    "softmax",
    "softmax_backward",
]

_launches = LaunchCache()


class Rows(NamedTuple):
    """An array as rows: how many, of how many elements, how many elements apart."""

    height: int
    columns: int
    step: int


def as_rows(name: str, operand: Operand) -> Rows:
    """The rows along the last dimension. BuildError where its elements are not beside each other, or rows not at one distance."""
    size = operand.element.isa.bytes
    shape, strides = operand.shape, operand.strides
    if not shape:
        raise BuildError(f"{name} is a single element", hint="one dimension or more")
    count = math.prod(shape[:-1])
    step = shape[-1] * size
    lead = [(extent, stride) for extent, stride in zip(shape[:-1], strides[:-1]) if extent > 1]
    if lead:
        step = lead[-1][1]
    together = shape[-1] <= 1 or strides[-1] == size
    regular = all(one == extent * other for (_, one), (extent, other) in pairwise(lead))
    if count * shape[-1] and not (together and regular and step % size == 0 and step >= 0):
        raise BuildError(
            f"{name} of {shape} has strides of {strides} bytes",
            hint="elements of a row beside each other, rows at one distance: x.contiguous()",
        )
    return Rows(count, shape[-1], step // size)


def softmax(x: Any, out: Any = None, *, explain: bool = False) -> Any:
    """e^x / sum of e^x along the last dimension, of f32, bf16 or f16; returns `out`, which may be x itself.

    Rows may be at any distance. With `explain` nothing is launched: a text says which kernel it would be. BuildError for arrays
    that it cannot have.
    """
    return _run("softmax", (x,), out, explain=explain)


def log_softmax(x: Any, out: Any = None, *, explain: bool = False) -> Any:
    """x - max - log(sum of e^(x - max)) along the last dimension; as `softmax`."""
    return _run("log_softmax", (x,), out, explain=explain)


def softmax_backward(y: Any, gradient: Any, out: Any = None, *, explain: bool = False) -> Any:
    """The gradient of softmax's argument from its result and the gradient of that."""
    return _run("softmax_backward", (y, gradient), out, explain=explain)


def log_softmax_backward(y: Any, gradient: Any, out: Any = None, *, explain: bool = False) -> Any:
    """The gradient of log_softmax's argument from its result and the gradient of that."""
    return _run("log_softmax_backward", (y, gradient), out, explain=explain)


def layer_norm(
    x: Any, weight: Any = None, bias: Any = None, out: Any = None,
    *, eps: float = 1e-5, residual: Any = None, stored: Any = None, mean: Any = None, scale: Any = None, explain: bool = False,
) -> Any:  # fmt: skip
    """(x - mean) / sqrt(variance + eps) * weight + bias along the last dimension; returns `out`.

    With a `residual` it is the norm of x + residual, rounded after the norm, and `stored` gets that sum. `mean` and `scale`,
    both or none, get what `layer_norm_backward` needs: f32 arrays, an element a row.
    """
    return _run("layer_norm", (x, residual), out, (stored, weight, bias, mean, scale), eps=eps, explain=explain)


def rms_norm(
    x: Any, weight: Any = None, out: Any = None,
    *, eps: float = 1e-6, residual: Any = None, stored: Any = None, scale: Any = None, explain: bool = False,
) -> Any:  # fmt: skip
    """x / sqrt(mean of x^2 + eps) * weight along the last dimension; the rest as of `layer_norm`."""
    return _run("rms_norm", (x, residual), out, (stored, weight, scale), eps=eps, explain=explain)


def layer_norm_backward(
    gradient: Any, x: Any, weight: Any, mean: Any, scale: Any,
    out: Any = None, d_weight: Any = None, d_bias: Any = None, *, explain: bool = False,
) -> Any:  # fmt: skip
    """(gradient of x, of weight, of bias) from that of the result, and from `mean` and `scale` of the forward. The gradients of
    weight and bias are f32; the sums over the rows have the same bits in every run. Without a weight there is that of x alone."""
    others = {"weight": weight, "mean": mean, "scale": scale}
    return _norm_backward(
        "layer_norm_backward", x, gradient, others, out, {"d_weight": d_weight, "d_bias": d_bias}, explain
    )


def rms_norm_backward(
    gradient: Any, x: Any, weight: Any, scale: Any, out: Any = None, d_weight: Any = None, *, explain: bool = False
) -> Any:
    """(gradient of x, of weight) from that of the result, and from `scale` of the forward; as `layer_norm_backward`."""
    return _norm_backward(
        "rms_norm_backward", x, gradient, {"weight": weight, "scale": scale}, out, {"d_weight": d_weight}, explain
    )


def cross_entropy(x: Any, targets: Any, out: Any = None, *, logs: Any = None, explain: bool = False) -> Any:
    """log(sum of e^x) - x[target] along the last dimension; returns `out`, f32, an element a row: 0 where the target, an s64 or
    s32, is outside of the row, as -100 is. `logs` gets the logarithms of the sums, for `cross_entropy_backward`."""
    return _run("cross_entropy", (x,), out, (targets, logs), explain=explain)


def cross_entropy_backward(
    gradients: Any, x: Any, targets: Any, logs: Any, out: Any = None, *, explain: bool = False
) -> Any:
    """The gradient of x: (softmax(x) - [column is the target]) * the row's gradient, an f32; `out` may be x itself."""
    return _run("cross_entropy_backward", (x,), out, (targets, gradients, logs), explain=explain)


_VECTORS = ("weight", "bias")


class _Names(NamedTuple):
    """What an operation calls its arrays of x's shape, what else it is given, and its result."""

    arrays: tuple[str, ...]
    others: tuple[str, ...] = ()
    result: str = "y"


_OPERATIONS = {
    "softmax": _Names(("x",)),
    "log_softmax": _Names(("x",)),
    "softmax_backward": _Names(("x", "g")),
    "log_softmax_backward": _Names(("x", "g")),
    "layer_norm": _Names(("x", "r"), ("z", "weight", "bias", "mean", "scale")),
    "rms_norm": _Names(("x", "r"), ("z", "weight", "scale")),
    "cross_entropy": _Names(("x",), ("targets", "logs"), "losses"),
    "cross_entropy_backward": _Names(("x",), ("targets", "gradients", "logs")),
}
_TOGETHER = {"layer_norm": (("r", "z"), ("mean", "scale")), "rms_norm": (("r", "z"),)}
"""Of which there are both or none."""


def _run(
    op: str, arrays: tuple[Any, ...], out: Any, others: tuple[Any, ...] = (), *, eps: float = 0.0, explain: bool = False
) -> Any:  # fmt: skip
    key, known, (out,) = _launches.find((op, eps) if eps else op, (*arrays, *others), (out,), skip=explain)
    if known is None:
        x, names = read("x", arrays[0]), _OPERATIONS[op]
        if out is None:
            shape, element = (x.shape[:-1], f32) if op == "cross_entropy" else (x.shape, x.element)
            out = empty_like(arrays[0], x.device, shape, element)
        named = zip((*names.arrays, names.result, *names.others), (*arrays, out, *others))
        rest = {name: read(_NAMES.get(name, name), each) for name, each in named if each is not None}
        for one, other in _TOGETHER.get(op, ()):
            if (one in rest) != (other in rest):
                here, away = (_NAMES.get(name, name) for name in ((one, other) if one in rest else (other, one)))
                raise BuildError(f"{here} without {away}")
        found = {name: rest.pop(name) for name in names.arrays if name in rest}
        outs: dict[str, Operand] = {name: rest.pop(name) for name in ("y", "z") if name in rest}
        plan = _planned(op, found, outs, rest, eps)
        if explain:
            return plan.explained
        known = prepare(plan, x.device, stream_of(x.device, *found.values(), *outs.values(), *rest.values()))
        _launches.keep(key, known, (out,))
    known.run(*arrays, *others, out)
    return out


_NAMES = {"g": "gradient", "r": "residual", "y": "out", "z": "stored"}


def _checked(op: str, arrays: Mapping[str, Operand], others: Mapping[str, Operand]) -> tuple[Rows, dict[str, int]]:
    """(the rows, elements from row to row of each array). BuildError where arrays do not belong together."""
    x = arrays["x"]
    same_device(**{_NAMES.get(name, name): each for name, each in ({**arrays, **others}).items()})
    if x.element not in kernels.ELEMENTS:
        raise BuildError(f"{op} of .{x.element.isa.name}", hint=", ".join(each.isa.name for each in kernels.ELEMENTS))
    steps: dict[str, int] = {}
    for name, each in arrays.items():
        if each.shape != x.shape or each.element is not x.element:
            raise BuildError(
                f"{_NAMES.get(name, name)} is .{each.element.isa.name} of {each.shape}",
                hint=f".{x.element.isa.name} of {x.shape}, as x",
            )
        steps[name] = as_rows(_NAMES.get(name, name), each).step
    rows = as_rows("x", x)
    if rows.height >= 1 << 31 or rows.columns >= 1 << 31:
        raise BuildError(f"{op} of {rows.height} rows of {rows.columns} elements", hint="less than 2^31 of both")
    for name, each in others.items():
        shape = (rows.columns,) if name in _VECTORS else x.shape[:-1]
        elements = (x.element,) if name in _VECTORS else (s64, s32) if name == "targets" else (f32,)
        if each.shape != shape or each.element not in elements or not each.contiguous:
            known = " or ".join(f".{element.isa.name}" for element in elements)
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape} with strides of {each.strides} bytes",
                hint=f"{known} of {shape}, without gaps",
            )
    return rows, steps


_WRITTEN = ("losses", "logs", "mean", "scale", "y", "z")


_FEW_ROWS = 128
"""Up to which an RMS norm's grid begins before the one ahead ends, as in a decode step."""


def _planned(
    op: str, arrays: Mapping[str, Operand], results: Mapping[str, Operand], others: Mapping[str, Operand], eps: float,
    partials: Mapping[str, Any] = {},
) -> KernelPlan:  # fmt: skip
    every = {**arrays, **results}
    rows, steps = _checked(op, every, others)
    backward = op.endswith("backward")
    inputs = {**arrays, **{name: each for name, each in others.items() if backward or name not in _WRITTEN}}
    written = {**results, **{name: each for name, each in others.items() if name not in inputs}}
    for name, each in written.items():
        own = _NAMES.get(name, name)
        check_apart(each, {n: e for n, e in inputs.items() if n in arrays}, name=own, in_place=name in results)
        check_apart(each, {n: e for n, e in {**inputs, **written}.items() if n not in arrays and n != name}, name=own)
    options = kernels.Options(
        weighted="weight" in others, biased="bias" in others, residual="r" in arrays,
        saved=("logs" in others or "scale" in others) and not backward,
        places=others["targets"].element if "targets" in others else s64,
        dependent=op == "rms_norm" and rows.height <= _FEW_ROWS,
    )  # fmt: skip
    place = arrays["x"].device
    return kernels.plan(
        op, rows.height, rows.columns, {name: (each, steps[name]) for name, each in every.items()}, {**others, **partials},
        element=arrays["x"].element, eps=eps, options=options, **device_facts(place),
    )  # fmt: skip


def device_facts(place: Any) -> dict[str, Any]:
    """What `kernels.plan` asks of a device."""
    return {
        "clusters": has_clusters(place),
        "processors": processors_of(place),
        "room": int(place.handle.attribute(CUdevice_attribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)) * 7 // 8,
        "clusters_at_once": partial(_clusters_at_once, place),
    }


def _clusters_at_once(place: Any, kernel: Any, cluster: int, block: int, shared: int) -> int:
    function = kernel.on(place).function
    function.set_attribute(CUfunction_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
    return max_active_clusters(function, cluster, block, shared)


def processors_of(place: Any) -> int:
    """Its SMs."""
    return int(place.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT))


def has_clusters(place: Any) -> bool:
    """Whether kernels may be launched in clusters."""
    return bool(place.handle.attribute(CUdevice_attribute.CLUSTER_LAUNCH))


def _norm_backward(
    op: str, x: Any, gradient: Any, others: Mapping[str, Any], out: Any, sums: Mapping[str, Any], explain: bool
) -> Any:
    weighted = others["weight"] is not None
    given, skip = (x, gradient, *others.values()), explain or bool(running_captures)
    key, known, made = _launches.find(op, given, (out, *sums.values()), skip=skip)
    if known is None:
        source, slope = read("x", x), read("gradient", gradient)
        place = source.device
        shapes = [(source.shape, source.element), *([(source.shape[-1:], f32)] * len(sums) if weighted else ())]
        results = [empty_like(x, place, *shape) if each is None else each for each, shape in zip(made, shapes)]
        made = (*results, *made[len(results) :])
        result = read("out", made[0])
        rest = {name: read(name, each) for name, each in others.items() if each is not None}
        totals = {name: read(name, each) for name, each in zip(sums, made[1:]) if each is not None}
        if not weighted and totals:
            raise BuildError(f"{next(iter(totals))} without weight", hint="a weight, of ones where there is none")
        known, plan = _backward_launch(op, source, slope, result, rest, totals)
        if explain:
            return plan.explained
        _launches.keep(key, known, made)
    known.run(*given, *made)
    return made if weighted else made[0]


def _backward_launch(
    op: str, x: Operand, g: Operand, out: Operand, others: dict[str, Operand], totals: dict[str, Operand]
) -> tuple[PreparedLaunch, KernelPlan]:
    """The kernel, and one behind it that adds up the sums of groups of rows."""
    place = x.device
    rows = as_rows("x", x)
    for name, each in totals.items():
        if each.shape != (rows.columns,) or each.element is not f32 or not each.contiguous:
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape}", hint=f".f32 of {(rows.columns,)}, without gaps"
            )
        check_apart(each, {"x": x, "gradient": g, "out": out, **others}, name=name)
    stream = stream_of(place, x, g, out, *others.values(), *totals.values())
    partials: dict[str, Any] = {}
    plan = _planned(op, {"x": x, "g": g}, {"y": out}, others, 0.0, dict.fromkeys(totals))
    if totals:
        height = kernels.partial_rows(plan)
        with place.context.beside_captures():
            partials = {name: place.empty(height * rows.columns, f32) for name in totals}
        plan = _planned(op, {"x": x, "g": g}, {"y": out}, others, 0.0, partials)
    first = prepare(plan, place, stream, tuple(partials.values()))
    if not totals:
        return first, plan
    adding = column_sums.plan_all(height, rows.columns, [(partials[name], totals[name]) for name in totals])
    return first.changed(then=(prepare(adding, place, stream),)), plan
