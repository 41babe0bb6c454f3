"""Gradients of attention: the launches of the kernels of `query_gradients` and `key_gradients`, and their cases.

The floor and the recipe are said there.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import ptxgen.kernels.attention.attention as forward
from ptxgen.builder import bf16, f16, f32
from ptxgen.errors import BuildError
from ptxgen.kernels.attention.attention import Kind
from ptxgen.kernels.attention.attention_forward import check_mask, masked
from ptxgen.kernels.attention.attention_gradients import CONSUMERS, ROWS
from ptxgen.kernels.attention.key_gradients import attention_backward_keys as KEYS
from ptxgen.kernels.attention.query_gradients import attention_backward_queries as QUERIES
from ptxgen.kernels.attention.tile_order import heads_beside, in_turn
from ptxgen.kernels.cases import NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal, rounded, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = [
    "BLOCKS", "VARIANTS", "factors_of", "form_options", "plan_keys", "plan_queries", "reference", "statistics_size",
]  # fmt: skip

BLOCKS = {64: (128, 3), 96: (96, 3), 128: (80, 2)}
"""By d: keys of a block of the kernel for dQ, of which shared memory holds three; and blocks of queries in that of the kernel for
dK and dV: a third one where registers hold what a product under way has."""


def statistics_size(batch: int, heads: int, query_length: int) -> int:
    """Elements of f32 that the first kernel tells the second one."""
    return batch * heads * ceil_div(query_length, ROWS) * 2 * ROWS


def form_options(
    d: int, element: type[Value], causal: bool, window: int | None, softcap: float, key_length: int
) -> dict[str, Any]:
    """What both kernels are built with. A window of all keys is none, which keeps its numbers within those of places.
    BuildError for a d, a type or a mask that there is no kernel for."""
    if d not in BLOCKS:
        raise BuildError(
            f"gradients of attention of heads of {d} elements", hint=f"one of {', '.join(map(str, BLOCKS))}"
        )
    if element not in (bf16, f16):
        raise BuildError(f"no gradients of attention of .{element.isa.name}", hint="bf16 or f16")
    check_mask(window, softcap, causal)
    least = None if window is None or window >= key_length else window
    return {"element": element, "d": d, "causal": causal, **masked(least, softcap)}


def factors_of(scale: float | None, d: int) -> tuple[float, float]:
    """(log2(e) times the factor of scores, the factor): 1/sqrt(d) unless stated."""
    natural = scale if scale is not None else 1 / math.sqrt(d)
    return natural * math.log2(math.e), natural


def plan_queries(
    q: Any, keys: Any, values: Any, o: Any, d_o: Any, d_q: Any, log_sums: Any, statistics: Any, *, scale: float | None = None,
    causal: bool = False, window: int | None = None, softcap: float = 0.0, element: type[Value] = bf16, processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """dQ and the statistics of arrays (batch, heads, length, d). BuildError for a type or a d that there is no kernel for."""
    batch, heads, query_length, d = q.shape
    options = form_options(d, element, causal, window, softcap, keys.shape[2])
    chosen = using(QUERIES, bn=BLOCKS[d][0], **options)
    tiles = ceil_div(query_length, ROWS * CONSUMERS)
    arguments = (
        query_length, keys.shape[2], heads, batch, heads // keys.shape[1], heads_beside(d, heads * batch, tiles, causal),
        *factors_of(scale, d), q, keys, values, o, d_o, d_q, log_sums, statistics,
    )  # fmt: skip
    return in_turn(chosen, arguments, tiles * heads * batch, processors, CONSUMERS)


def plan_keys(
    q: Any, keys: Any, values: Any, d_o: Any, d_keys: Any, d_values: Any, statistics: Any, *, scale: float | None = None,
    causal: bool = False, window: int | None = None, softcap: float = 0.0, element: type[Value] = bf16, processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """dK and dV, behind the plan of the queries."""
    batch, heads, query_length, d = q.shape
    kv_heads, key_length = keys.shape[1:3]
    options = form_options(d, element, causal, window, softcap, key_length)
    chosen = using(KEYS, stages=BLOCKS[d][1], **options)
    tiles = ceil_div(key_length, 64 * CONSUMERS)
    arguments = (
        query_length, key_length, kv_heads, batch, heads // kv_heads, heads_beside(d, kv_heads * batch, tiles, causal),
        *factors_of(scale, d), q, keys, values, d_o, d_keys, d_values, statistics,
    )  # fmt: skip
    return in_turn(chosen, arguments, tiles * kv_heads * batch, processors, CONSUMERS)


def reference(q: Any, keys: Any, values: Any, o: Any, d_o: Any, kind: Kind) -> dict[str, Any]:
    """Of arrays (batch, heads, length, d), in float64: "d_q", "d_k", "d_v" and their limits, "log_sums", "bases", "dots"."""
    import numpy as np

    x, y, z, result, slope = (each.astype(np.float64) for each in (q, keys, values, o, d_o))
    (batch, heads, queries, d), shared = x.shape, kind.shared_heads
    y, z = (np.repeat(each, shared, 1) for each in (y, z))
    scores = x @ y.swapaxes(2, 3) / math.sqrt(d)
    steepness = np.ones_like(scores)
    if kind.softcap:
        scores = kind.softcap * np.tanh(scores / kind.softcap)
        steepness = 1 - (scores / kind.softcap) ** 2
    if kind.causal:
        ones, behind = np.ones(scores.shape[2:], bool), y.shape[2] - queries
        seen = np.tril(ones, behind)
        if kind.window is not None:
            seen &= ~np.tril(ones, behind - kind.window - 1)
        scores = np.where(seen, scores, -np.inf)
    top = scores.max(-1, initial=-1e30)
    with np.errstate(divide="ignore"):
        log_sums = top + np.log(np.exp(scores - top[..., None]).sum(-1))
    bases = np.where(np.isneginf(log_sums), np.inf, log_sums)
    weights = np.exp(scores - bases[..., None])
    dots, slopes = (slope * result).sum(-1), slope @ z.swapaxes(2, 3)
    inner = weights * steepness * (slopes - dots[..., None]) / math.sqrt(d)
    size = weights * (np.abs(slope) @ np.abs(z).swapaxes(2, 3) * 2.0**-12 + np.abs(slopes) + np.abs(dots)[..., None])
    error, turned = unit_roundoff(kind.element), (0, 1, 3, 2)
    slack = 2.0**-9 * (1 + kind.softcap)  # 2^x, sums of f32, and a tanh with a relative error of 2^-11
    rough = 2 * error * np.abs(inner) + slack * size / math.sqrt(d)

    def of_keys(each: Any) -> Any:
        return each.reshape(batch, heads // shared, shared, *each.shape[2:]).sum(2)

    found = {
        "d_q": inner @ y,
        "d_k": of_keys(inner.transpose(turned) @ x),
        "d_v": of_keys(weights.transpose(turned) @ slope),
    }
    limits = {
        "d_q": rough @ np.abs(y),
        "d_k": of_keys(rough.transpose(turned) @ np.abs(x)),
        "d_v": of_keys(weights.transpose(turned) @ np.abs(slope)) * (2 * error + slack),
    }
    limits = {name: limit + np.abs(found[name]) * error + 2.0**-18 for name, limit in limits.items()}
    return {**found, "limits": limits, "log_sums": log_sums, "bases": bases * math.log2(math.e), "dots": dots}


LIMIT = "weights, their gradients and the results are rounded to the element; 2^x has 2 ulp, f32 sums their errors"


def _statistics(found: dict[str, Any]) -> Any:
    """The bases and D of each 64 queries, as the kernels have them."""
    import numpy as np

    parts = []
    for name, outside in (("bases", np.inf), ("dots", 0.0)):
        batch, heads, queries = found[name].shape
        padded = np.full((batch, heads, ceil_div(queries, ROWS) * ROWS), outside, np.float32)
        padded[..., :queries] = found[name]
        parts.append(padded.reshape(-1, 1, ROWS))
    return np.concatenate(parts, 1).reshape(-1)


def _case(size: tuple[int, int, int, int], rng: np.random.Generator, kind: Kind, of_keys: bool) -> Case:
    import numpy as np

    batch, heads, queries, keys = size
    element, shape = kind.element, (batch, heads, queries, kind.d)
    q, d_o = (normal(rng, shape, element) for _ in range(2))
    k, v = (normal(rng, (batch, heads // kind.shared_heads, keys, kind.d), element) for _ in range(2))
    o = HostArray(rounded(forward.reference(q.values, k.values, v.values, kind)[0], element), element)
    found = reference(q.values, k.values, v.values, o.values, d_o.values, kind)
    statistics = _statistics(found)

    def empty(like: HostArray) -> HostArray:
        return HostArray(rounded(np.zeros(like.values.shape), element), element)

    stated: Any = {each: getattr(kind, each) for each in ("causal", "window", "softcap", "element")} | {"processors": 2}
    arrays = {"q": q, "k": k, "v": v, "d_o": d_o}
    if of_keys:
        arrays |= {"d_k": empty(k), "d_v": empty(v), "statistics": HostArray(statistics, f32)}
        names = ("q", "k", "v", "d_o", "d_k", "d_v", "statistics")
        expected = {name: found[name] for name in ("d_k", "d_v")}
        limits = {name: found["limits"][name] for name in expected}
        return Case(
            arrays, lambda on: plan_keys(*(on[name] for name in names), **stated), expected, Tolerance(limits, LIMIT)
        )
    arrays |= {
        "o": o, "d_q": empty(q), "log_sums": HostArray(found["log_sums"].astype(np.float32), f32),
        "statistics": HostArray(np.zeros_like(statistics), f32),
    }  # fmt: skip
    order = ("q", "k", "v", "o", "d_o", "d_q", "log_sums", "statistics")
    limits = {"d_q": found["limits"]["d_q"], "statistics": 2.0**-14 + 2.0**-16 * np.abs(statistics)}
    return Case(
        arrays,
        lambda on: plan_queries(*(on[name] for name in order), **stated),
        {"d_q": found["d_q"], "statistics": statistics},
        Tolerance(limits, LIMIT),
    )


def _variant(name: str, of_keys: bool, sizes: tuple[Any, ...], **stated: Any) -> Variant:
    kind = Kind(**stated)
    options: dict[str, Any] = {"element": kind.element, "d": kind.d, "causal": kind.causal}
    options |= masked(kind.window, kind.softcap)
    chosen = (
        using(KEYS, stages=BLOCKS[kind.d][1], **options) if of_keys else using(QUERIES, bn=BLOCKS[kind.d][0], **options)
    )
    make = partial(_case, kind=kind, of_keys=of_keys)
    return Variant("attention_backward", name, chosen, make, sizes, NEEDS_WGMMA)


WINDOWED = ((1, 1, 130, 500), (1, 1, 330, 150))

VARIANTS = (
    _variant(
        "queries.d128.causal", False, ((1, 2, 70, 200), (1, 2, 150, 130), (1, 2, 1, 1)), causal=True, shared_heads=2
    ),
    _variant("keys.d128.causal", True, ((1, 2, 70, 200), (1, 2, 150, 130), (1, 2, 1, 1)), causal=True, shared_heads=2),
    _variant("queries.d64.window-100", False, WINDOWED, d=64, causal=True, window=100, softcap=3.0),
    _variant("keys.d64.window-100", True, WINDOWED, d=64, causal=True, window=100, softcap=3.0),
)
