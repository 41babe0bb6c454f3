"""What the kernels on rows mean, in float64, and how far from it they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.kernels.cases import Tolerance, smallest, unit_roundoff

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["meaning"]

U = 2.0**-24


def meaning(
    op: str,
    given: Mapping[str, np.ndarray[Any, Any]],
    element: type[Value],
    *,
    eps: float,
    options: Any,
    channels: Any = None,
) -> tuple[dict[str, np.ndarray[Any, Any]], Tolerance]:
    """(what each result must be, how far it may be). Of a group norm, the weights of `channels` are those of their elements."""
    import numpy as np

    wide = {name: values.astype(np.float64) for name, values in given.items() if name != "targets"}
    for name in ("weight", "bias") if channels is not None else ():
        if name in wide:
            each = np.repeat(wide[name].reshape(channels.groups, -1), channels.area, axis=1)
            wide[name] = each[np.arange(len(given["x"])) % channels.groups]
    if op == "channel_sums":
        group = np.arange(len(given["x"])) // channels.channels
        wide.update({name: wide[name][group] for name in ("mean", "scale")})
    with np.errstate(all="ignore"):
        expected, limits = _FUNCTIONS[op](wide, given, eps, options)
        if channels is not None and op != "channel_sums" and "d_weight" in given:
            parts = {name: wide[name].reshape(-1, channels.area) for name in ("x", "g")}
            parts |= {name: np.repeat(wide[name], channels.channels) for name in ("mean", "scale")}
            sums, bounds = _channel_sums(parts, given, eps, options)
            expected, limits = {**expected, **sums}, {**limits, **bounds}
        for name in expected:
            if op == "quantise":
                continue
            own = 0.0 if expected[name].ndim == 1 else unit_roundoff(element)
            own = 0.0 if name in ("d_weight", "d_bias") else own
            limits[name] = limits[name] + abs(np.nan_to_num(expected[name])) * own + smallest(element)
    return expected, Tolerance(
        limits, "ex2.approx 2^-22.5 (manual 9.7.3.21), the roundings of exponents and sums, one to the type"
    )


def _logs(x: Any) -> tuple[Any, Any]:
    """(x - max, log of the sum of e^ of it), of each row."""
    import numpy as np

    top = x.max(axis=1, keepdims=True) if x.shape[1] else np.zeros((len(x), 1))
    shifted = x - top
    return shifted, np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def _depth(x: Any) -> float:
    """Relative error of a sum over a row: a tree, or a few dozen additions a thread before it."""
    return U * (64.0 + float(x.shape[1]) / 256)


def _softmax(wide: Any, given: Any, eps: float, options: Any) -> Any:
    import numpy as np

    shifted, logs = _logs(wide["x"])
    y = np.exp(shifted - logs)
    return {"y": y}, {"y": y * (_depth(y) + U * 4 * 64)}


def _log_softmax(wide: Any, given: Any, eps: float, options: Any) -> Any:
    shifted, logs = _logs(wide["x"])
    y = shifted - logs
    return {"y": y}, {"y": 4 * U * abs(y) + _depth(y) + 64 * U}


def _cross_entropy(wide: Any, given: Any, eps: float, options: Any) -> Any:
    import numpy as np

    x, targets = wide["x"], given["targets"]
    shifted, logs = _logs(x)
    counted = (targets >= 0) & (targets < x.shape[1])
    places = np.where(counted, targets, 0)
    losses = np.where(counted, logs[:, 0] - shifted[np.arange(len(x)), places], 0.0)
    found, limits = {"losses": losses}, {"losses": 4 * U * abs(losses) + _depth(x) + 64 * U}
    if options.saved:
        found["logs"] = (logs + x.max(axis=1, keepdims=True))[:, 0]
        limits["logs"] = 4 * U * abs(found["logs"]) + _depth(x) + 64 * U
    return found, limits


def _cross_entropy_backward(wide: Any, given: Any, eps: float, options: Any) -> Any:
    import numpy as np

    x, targets = wide["x"], given["targets"]
    counted = (targets >= 0) & (targets < x.shape[1])
    one = np.zeros_like(x)
    one[np.flatnonzero(counted), targets[counted]] = 1
    shares = np.exp(x - wide["logs"][:, None])
    y = (shares - one) * wide["gradients"][:, None] * counted[:, None]
    return {"y": y}, {"y": (U * 4 * 64 * shares + 2 * U) * abs(wide["gradients"][:, None])}


def _norm(wide: Any, given: Any, eps: float, options: Any, *, layer: bool) -> Any:
    import numpy as np

    x = wide["x"] + wide.get("r", 0.0)
    mean = x.mean(axis=1, keepdims=True) if layer and x.shape[1] else np.zeros((len(x), 1))
    scale = 1 / np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True) + eps)
    plain = (x - mean) * scale
    y = plain * wide.get("weight", 1.0) + wide.get("bias", 0.0)
    size = (
        abs(plain * wide.get("weight", 1.0)) + abs(wide.get("bias", 0.0)) + abs(mean * scale * wide.get("weight", 1.0))
    )
    found: Any = {"y": y}
    limits: Any = {"y": size * (_depth(x) + 16 * U) + 8 * U * scale * abs(wide.get("weight", 1.0))}
    if options.residual:
        found["z"], limits["z"] = x, U * abs(x)
    if options.saved:
        found["scale"], limits["scale"] = scale[:, 0], scale[:, 0] * (_depth(x) + 16 * U)
        if layer:
            found["mean"], limits["mean"] = mean[:, 0], _depth(x) + 16 * U * abs(mean[:, 0])
    return found, limits


def _softmax_backward(wide: Any, given: Any, eps: float, options: Any) -> Any:
    x, g = wide["x"], wide["g"]
    total = (x * g).sum(axis=1, keepdims=True)
    y = x * (g - total)
    return {"y": y}, {"y": abs(x) * (abs(x * g).sum(axis=1, keepdims=True) * _depth(x) + 4 * U * (abs(g) + abs(total)))}


def _log_softmax_backward(wide: Any, given: Any, eps: float, options: Any) -> Any:
    import numpy as np

    x, g = wide["x"], wide["g"]
    shares, total = np.exp(x), g.sum(axis=1, keepdims=True)
    y = g - shares * total
    sizes = abs(g).sum(axis=1, keepdims=True)
    return {"y": y}, {"y": 4 * U * abs(g) + shares * (sizes * _depth(x) + abs(total) * U * 4 * 64)}


def _norm_backward(wide: Any, given: Any, eps: float, options: Any, *, layer: bool) -> Any:
    x, g, scale = wide["x"], wide["g"], wide["scale"][:, None]
    mean = wide["mean"][:, None] if layer else 0.0
    plain = (x - mean) * scale
    weighed = g * wide.get("weight", 1.0)
    columns = max(x.shape[1], 1)
    one = (weighed * plain).sum(axis=1, keepdims=True) / columns
    other = weighed.sum(axis=1, keepdims=True) / columns if layer else 0.0
    y = scale * (weighed - other - plain * one)
    size = abs(weighed) + abs(plain) * (abs(weighed * plain).sum(axis=1, keepdims=True) / columns)
    size = size + abs(weighed).sum(axis=1, keepdims=True) / columns
    found: Any = {"y": y}
    limits: Any = {"y": scale * size * (_depth(x) + 16 * U)}
    if "d_weight" in given:
        found["d_weight"], limits["d_weight"] = (
            (g * plain).sum(axis=0),
            (abs(g * plain).sum(axis=0) + 1) * (64 + len(x)) * U,
        )
    if "d_bias" in given:
        found["d_bias"], limits["d_bias"] = g.sum(axis=0), (abs(g).sum(axis=0) + 1) * (64 + len(x)) * U
    return found, limits


def _channel_sums(wide: Any, given: Any, eps: float, options: Any) -> Any:
    plain = (wide["x"] - wide["mean"][:, None]) * wide["scale"][:, None]
    found: Any = {"d_weight": (wide["g"] * plain).sum(axis=1), "d_bias": wide["g"].sum(axis=1)}
    depth = _depth(plain) + 4 * U
    sizes = abs(wide["g"]) * (abs(plain) + 4 * U * abs(wide["mean"] * wide["scale"])[:, None])
    return found, {"d_weight": sizes.sum(axis=1) * depth, "d_bias": abs(wide["g"]).sum(axis=1) * depth}


def _quantise(wide: Any, given: Any, eps: float, options: Any) -> Any:
    """Each step in f32, as the kernel has it; the last rounding is to a whole number, or to fp8."""
    import numpy as np

    from ptxgen.kernels.cases import rounded

    x = given["x"].astype(np.float32)
    most = np.float32(127 if options.result.isa.name == "s8" else 448)
    largest = abs(x).max(axis=1, keepdims=True, initial=0.0)
    factor = np.where(largest == 0, np.float32(0), most / np.where(largest == 0, np.float32(1), largest))
    scaled = x * factor
    y = np.clip(np.rint(scaled), -128, 127).astype(np.int8) if most == 127 else rounded(scaled, options.result)
    return {"y": y, "scale": (largest / most)[:, 0]}, {"y": 0.0, "scale": 0.0}


def _layer(function: Any) -> tuple[Any, Any]:
    from functools import partial

    return partial(function, layer=True), partial(function, layer=False)


_FUNCTIONS: dict[str, Any] = {
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "cross_entropy": _cross_entropy,
    "quantise": _quantise,
    "cross_entropy_backward": _cross_entropy_backward,
    "layer_norm": _layer(_norm)[0],
    "rms_norm": _layer(_norm)[1],
    "softmax_backward": _softmax_backward,
    "log_softmax_backward": _log_softmax_backward,
    "group_norm": _layer(_norm)[0],
    "group_norm_backward": _layer(_norm_backward)[0],
    "channel_sums": _channel_sums,
    "layer_norm_backward": _layer(_norm_backward)[0],
    "rms_norm_backward": _layer(_norm_backward)[1],
}
