"""O = softmax(Q K^T scale) V with the tensor cores of sm_90a, tile by tile (FlashAttention-3, Shah and others 2024).

Floor: 4*queries*keys*d operations at the 989 TFLOP/s of bf16 that an H200's datasheet has (half where causal), and one 2^x a
score: 16 a clock and multiprocessor, so that for d = 128 the exponentials take half as long as the products. So the softmax of
one block of keys is computed under the products of another: within a warpgroup (the scores of the next block are asked for
before the weights of this one are used), and between two (named barriers let one issue its products while the other one is at
its exponentials). What remains are the ends of a tile and the waves of tiles; of causal ones, whose lengths differ, `tile_order`
makes even shares.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, f16, f32, kernel, ptr, u32
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.attention.attention_forward import Form, Matrices, Rows, forward, masked
from ptxgen.kernels.attention.tile_order import heads_beside, in_turn
from ptxgen.kernels.cases import NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal, rounded, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = [
    "KERNEL", "LIMIT", "VARIANTS", "Kind", "blocks_for", "case", "plan", "reference", "score_factor",
]  # fmt: skip

T = TypeVar("T")


@kernel
def attention_hopper(
    k: Builder, query_length: u32, key_length: u32, heads: u32, batch: u32, shared_heads: u32, group: u32,
    scale: f32, q: TensorMap, keys: TensorMap, values: TensorMap, o: TensorMap,
    *log_sums: T, element: type[Value] = bf16, d: int = 128, bn: int = 128, stages: int = 2, consumers: int = 2,
    causal: bool = False, window: int | None = None, softcap: float = 0.0, types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """O of arrays (batch, heads, length, d): weights are 2^(scale (score - largest)), so `scale` is log2(e) times the usual one.

    `shared_heads` heads of Q have one head of K and V. `causal`: a query sees the keys up to its own place, counted from the
    ends; where a `window` is stated, its own and so many before it. `softcap` c: scores are c tanh(score / c). A query that
    sees no key has zeros. With `types` of `LOGS` there is another parameter, (batch, heads, query_length), which gets the
    logarithms of the sums. CTAs take tiles of 64 * consumers queries, `group` heads beside each other (`tile_order`).
    """
    form = Form(element, d, bn, stages, consumers, causal, window, softcap)
    schedule = Matrices(k, form, query_length, key_length, heads, batch, group)
    given: Any = log_sums
    rows = Rows(given[0], query_length, heads) if given else None
    forward(k, form, schedule, shared_heads, scale, q, keys, values, o, rows)


KERNEL = attention_hopper

LOGS = (ptr[f32],)
"""The type of the parameter for the logarithms of the sums."""

BLOCKS = {64: (128, 3), 96: (128, 2), 128: (128, 2), 256: (64, 2)}
"""By d: keys of a block and consuming warpgroups (measured on an H200 where d is 64 or 128)."""


def blocks_for(d: int) -> tuple[int, int]:
    """(keys of a block, consuming warpgroups) for a head of d elements: as many as registers hold. BuildError for another d."""
    if d not in BLOCKS:
        raise BuildError(f"attention of heads of {d} elements", hint=f"one of {', '.join(map(str, BLOCKS))}")
    return BLOCKS[d]


def plan(
    q: Any, keys: Any, values: Any, o: Any, *, batch: int, heads: int, query_length: int, key_length: int, d: int,
    shared_heads: int = 1, scale: float | None = None, causal: bool = False, element: type[Value] = bf16,
    window: int | None = None, softcap: float = 0.0, processors: int = 132, bn: int = 0, consumers: int = 0, log_sums: Any = None,
) -> KernelPlan:  # fmt: skip
    """Arrays (batch, heads, length, d), of K and V heads // `shared_heads` heads; `scale` 1/sqrt(d) unless stated. BuildError
    for a type or a d that there is no kernel for. `log_sums` (batch, heads, query_length) gets the logarithms of the sums."""
    if element not in (bf16, f16):
        raise BuildError(f"no attention of .{element.isa.name}", hint="bf16 or f16")
    chosen = blocks_for(d)
    bn, consumers = bn or chosen[0], consumers or chosen[1]
    kernel = using(
        attention_hopper,
        element=element,
        d=d,
        bn=bn,
        consumers=consumers,
        causal=causal,
        **masked(window, softcap),
        **({} if log_sums is None else {"types": LOGS}),
    )
    tiles = ceil_div(query_length, 64 * consumers)
    arguments = (
        query_length,
        key_length,
        heads,
        batch,
        shared_heads,
        heads_beside(d, heads * batch, tiles, causal),
        score_factor(scale, d),
        q,
        keys,
        values,
        o,
        *(() if log_sums is None else (log_sums,)),
    )
    return in_turn(kernel, arguments, tiles * heads * batch, processors, consumers)


def score_factor(scale: float | None, d: int) -> float:
    """What scores are multiplied by before 2^x: `scale` is 1/sqrt(d) unless stated."""
    return math.log2(math.e) * (scale if scale is not None else 1 / math.sqrt(d))


class Kind(NamedTuple):
    """What a case is of."""

    d: int = 128
    element: type[Value] = bf16
    causal: bool = False
    shared_heads: int = 1
    window: int | None = None
    softcap: float = 0.0


def reference(q: Any, keys: Any, values: Any, kind: Kind) -> tuple[Any, Any, Any]:
    """(O, the logarithms of the sums, how far off O may be), of (..., heads, length, d), in float64."""
    import numpy as np

    x, y, z = (each.astype(np.float64) for each in (q, keys, values))
    y, z = (np.repeat(each, kind.shared_heads, -3) for each in (y, z))
    scores = x @ y.swapaxes(-1, -2) / math.sqrt(kind.d)
    if kind.softcap:
        scores = kind.softcap * np.tanh(scores / kind.softcap)
    places, own = np.arange(y.shape[-2]), np.arange(x.shape[-2])[:, None] + (y.shape[-2] - x.shape[-2])
    hidden = (places > own) if kind.causal else np.zeros(scores.shape[-2:], bool)
    if kind.window is not None:
        hidden = hidden | (places < own - kind.window)
    scores = np.where(hidden, -np.inf, scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        top = scores.max(-1, keepdims=True, initial=-np.inf)
        weights = np.nan_to_num(np.exp(scores - top))
        total = weights.sum(-1, keepdims=True)
        log_sums = np.where(total > 0, top + np.log(total), -np.inf)[..., 0]
        weights /= np.maximum(total, 1e-300)
    expected = weights @ z
    error = unit_roundoff(kind.element)
    slack = 2.0**-10 + 2.0**-9 * kind.softcap  # tanh has a relative error of 2^-11
    return expected, log_sums, (weights @ np.abs(z)) * (2 * error + slack) + np.abs(expected) * error + 2.0**-20


LIMIT = "the weights and the result are rounded to the element; 2^x has 2 ulp, scores an f32 sum's error"


def case(
    size: tuple[int, int, int, int], rng: np.random.Generator, kind: Kind, planned: Callable[..., KernelPlan] = plan
) -> Case:
    """A problem of (batch, heads, queries, keys) for `plan`, or another one's that takes the same."""
    import numpy as np

    batch, heads, queries, keys = size
    d, element = kind.d, kind.element
    q = normal(rng, (batch, heads, queries, d), element)
    k, v = (normal(rng, (batch, heads // kind.shared_heads, keys, d), element) for _ in range(2))
    expected, _, limit = reference(q.values, k.values, v.values, kind)
    zeros = HostArray(rounded(np.zeros((batch, heads, queries, d)), element), element)
    return Case(
        {"q": q, "k": k, "v": v, "o": zeros},
        lambda given: planned(
            given["q"], given["k"], given["v"], given["o"], batch=batch, heads=heads, query_length=queries, key_length=keys,
            processors=2, **kind._asdict(),
        ),
        {"o": expected},
        Tolerance(limit, LIMIT),
    )  # fmt: skip


def _variant(name: str, sizes: tuple[Any, ...], **stated: Any) -> Variant:
    kind = Kind(**stated)
    bn, consumers = blocks_for(kind.d)
    options = {
        "d": kind.d,
        "bn": bn,
        "consumers": consumers,
        "causal": kind.causal,
        **masked(kind.window, kind.softcap),
    }
    kernel = using(attention_hopper, element=kind.element, **options)
    return Variant("attention", name, kernel, partial(case, kind=kind), sizes, NEEDS_WGMMA)


VARIANTS = (
    _variant("d128", ((1, 2, 200, 330), (1, 1, 1, 1))),
    _variant("d128.causal", ((1, 2, 200, 300), (1, 1, 200, 100)), causal=True),
    _variant("d64", ((2, 2, 200, 130),), d=64, shared_heads=2, element=f16),
    _variant("d96.causal", ((1, 1, 130, 260),), d=96, causal=True),
    _variant("d256", ((1, 1, 130, 100),), d=256),
    _variant("d64.window-100", ((1, 1, 130, 700), (1, 1, 70, 40)), d=64, causal=True, window=100, softcap=5.0),
)
