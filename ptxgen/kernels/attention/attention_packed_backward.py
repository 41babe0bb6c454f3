"""Gradients of attention of sequences behind each other in one array: the launches of the two kernels, and their cases."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f32, s32
from ptxgen.kernels.attention.attention import Kind
from ptxgen.kernels.attention.attention import reference as forward
from ptxgen.kernels.attention.attention_backward import BLOCKS, LIMIT, factors_of, form_options, reference
from ptxgen.kernels.attention.attention_gradients import CONSUMERS, ROWS
from ptxgen.kernels.attention.attention_packed import Lengths
from ptxgen.kernels.attention.attention_packed_gradients import attention_packed_backward_keys as KEYS
from ptxgen.kernels.attention.attention_packed_gradients import attention_packed_backward_queries as QUERIES
from ptxgen.kernels.attention.tile_order import heads_beside, in_turn
from ptxgen.kernels.cases import NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal, rounded
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["VARIANTS", "plan_keys", "plan_queries", "statistics_size"]


def statistics_size(heads: int, rows: int, batch: int) -> int:
    """Elements of f32 that the first kernel tells the second one of `batch` sequences in so many rows of queries."""
    return heads * (rows // ROWS + batch) * 2 * ROWS


def plan_queries(
    q: Any, keys: Any, values: Any, o: Any, d_o: Any, d_q: Any, log_sums: Any, query_starts: Any, key_starts: Any,
    statistics: Any, *, batch: int, longest: int, d_q_strides: tuple[int, int], scale: float | None = None, causal: bool = False,
    window: int | None = None, softcap: float = 0.0, element: type[Value] = bf16, processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """dQ and the statistics of arrays (1, heads, rows, d) of `batch` sequences of at most `longest` queries; strides are the
    elements from row to row and from head to head."""
    _, heads, rows, d = q.shape
    options = form_options(d, element, causal, window, softcap, keys.shape[2])
    chosen = using(QUERIES, bn=BLOCKS[d][0], **options)
    tiles = ceil_div(longest, ROWS * CONSUMERS)
    arguments = (
        query_starts, key_starts, rows, keys.shape[2], heads, batch, heads // keys.shape[1], longest,
        heads_beside(d, heads * batch, tiles, causal), *d_q_strides, *factors_of(scale, d), q, keys, values, o, d_o, d_q, d_q,
        log_sums, statistics,
    )  # fmt: skip
    return in_turn(chosen, arguments, tiles * heads * batch, processors, CONSUMERS)


def plan_keys(
    q: Any, keys: Any, values: Any, d_o: Any, d_keys: Any, d_values: Any, query_starts: Any, key_starts: Any, statistics: Any,
    *, batch: int, longest: int, d_k_strides: tuple[int, int], d_v_strides: tuple[int, int], scale: float | None = None,
    causal: bool = False, window: int | None = None, softcap: float = 0.0, element: type[Value] = bf16, processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """dK and dV of sequences of at most `longest` keys, behind the plan of the queries."""
    (_, heads, rows, d), (kv_heads, key_rows) = q.shape, keys.shape[1:3]
    options = form_options(d, element, causal, window, softcap, key_rows)
    chosen = using(KEYS, stages=BLOCKS[d][1], **options)
    tiles = ceil_div(longest, 64 * CONSUMERS)
    arguments = (
        query_starts, key_starts, rows, key_rows, kv_heads, batch, heads // kv_heads, longest,
        heads_beside(d, kv_heads * batch, tiles, causal), *d_k_strides, *d_v_strides, *factors_of(scale, d), q, keys, values,
        d_o, d_keys, d_values, d_keys, d_values, statistics,
    )  # fmt: skip
    return in_turn(chosen, arguments, tiles * kv_heads * batch, processors, CONSUMERS)


HEADS = 2


def _drawn(lengths: Lengths, rng: np.random.Generator, kind: Kind) -> tuple[dict[str, HostArray], Any, Any]:
    """(all arrays, the gradients, their limits). Rows of no sequence are NaN, and what lies in the results there stays."""
    import numpy as np

    element, d, sequences = kind.element, kind.d, range(len(lengths.queries))
    starts = [np.concatenate([[0], np.cumsum(each)]).astype(np.int32) for each in (lengths.queries, lengths.keys)]
    rows, key_rows = (int(each[-1]) + lengths.spare for each in starts)
    shape, key_shape = (1, HEADS, rows, d), (1, HEADS // kind.shared_heads, key_rows, d)
    arrays = {name: normal(rng, shape, element) for name in ("q", "o", "d_o", "d_q")}
    arrays |= {name: normal(rng, key_shape, element) for name in ("k", "v", "d_k", "d_v")}
    log_sums, told = np.zeros((HEADS, rows)), np.full((HEADS, rows // ROWS + len(sequences), 2, ROWS), np.nan)
    expected = {name: arrays[name].values.astype(np.float64) for name in ("d_q", "d_k", "d_v")}
    limits = {name: np.zeros(each.shape) for name, each in expected.items()}
    for one in sequences:
        mine, its = (slice(int(each[one]), int(each[one + 1])) for each in starts)
        q, o, slope = (arrays[name].values[:, :, mine] for name in ("q", "o", "d_o"))
        k, v = (arrays[name].values[:, :, its] for name in ("k", "v"))
        o[:] = rounded(forward(q, k, v, kind)[0], element)
        found = reference(q, k, v, o, slope, kind)
        log_sums[:, mine] = found["log_sums"][0]
        for name, part in (("d_q", mine), ("d_k", its), ("d_v", its)):
            expected[name][:, :, part], limits[name][:, :, part] = found[name], found["limits"][name]
        for block in range(ceil_div(lengths.queries[one], ROWS)):
            there = slice(block * ROWS, (block + 1) * ROWS)
            into = told[:, int(starts[0][one]) // ROWS + one + block]
            into[:] = [[np.inf], [0.0]]
            for which, name in enumerate(("bases", "dots")):
                known = found[name][0, :, there]
                into[:, which, : known.shape[1]] = known
    for name in ("q", "o", "d_o"):
        arrays[name].values[:, :, int(starts[0][-1]) :] = np.nan
    for name in ("k", "v"):
        arrays[name].values[:, :, int(starts[1][-1]) :] = np.nan
    arrays |= {
        "log_sums": HostArray(log_sums.astype(np.float32), f32), "query_starts": HostArray(starts[0], s32),
        "key_starts": HostArray(starts[1], s32), "statistics": HostArray(told.astype(np.float32).reshape(-1), f32),
    }  # fmt: skip
    return arrays, expected, limits


def _case(lengths: Lengths, rng: np.random.Generator, kind: Kind, of_keys: bool) -> Case:
    arrays, expected, limits = _drawn(lengths, rng, kind)
    stated: Any = {each: getattr(kind, each) for each in ("causal", "window", "softcap", "element")}
    stated |= {"processors": 3, "batch": len(lengths.queries)}
    strides = [(kind.d, arrays[name].values.shape[2] * kind.d) for name in ("q", "k")]
    starts = ["query_starts", "key_starts", "statistics"]
    make: Callable[..., KernelPlan]
    if of_keys:
        make, results, order = plan_keys, ["d_k", "d_v"], ["q", "k", "v", "d_o", "d_k", "d_v", *starts]
        stated |= {"longest": max(lengths.keys), "d_k_strides": strides[1], "d_v_strides": strides[1]}
    else:
        make, results, order = plan_queries, ["d_q"], ["q", "k", "v", "o", "d_o", "d_q", "log_sums", *starts]
        stated |= {"longest": max(lengths.queries), "d_q_strides": strides[0]}
    return Case(
        {name: arrays[name] for name in order},
        lambda on: make(*(on[name] for name in order), **stated),
        {name: expected[name] for name in results},
        Tolerance({name: limits[name] for name in results}, LIMIT),
    )


def _variant(name: str, of_keys: bool, *sizes: Lengths, **stated: Any) -> Variant:
    kind = Kind(**stated)
    options: dict[str, Any] = {"element": kind.element, "d": kind.d, "causal": kind.causal}
    chosen = (
        using(KEYS, stages=BLOCKS[kind.d][1], **options) if of_keys else using(QUERIES, bn=BLOCKS[kind.d][0], **options)
    )
    make = partial(_case, kind=kind, of_keys=of_keys)
    return Variant("attention_packed_backward", name, chosen, make, sizes, NEEDS_WGMMA)


LENGTHS = (Lengths((70, 0, 1, 140), (130, 5, 0, 300), 3), Lengths((130, 3, 200), (70, 3, 270)))

VARIANTS = (
    _variant("queries.d128.causal", False, *LENGTHS, causal=True, shared_heads=2),
    _variant("keys.d128.causal", True, *LENGTHS, causal=True, shared_heads=2),
)
