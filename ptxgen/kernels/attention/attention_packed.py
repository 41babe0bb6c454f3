"""Attention of sequences of different lengths behind each other in one array, with the logarithms of the sums.

The kernel is that of `attention`; a tile is of one sequence, and where a sequence's keys end within a block, the values behind
them, which are another sequence's, are overwritten by zeros before they are weighed by them. The last rows of a sequence are
stored row by row.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, f16, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.attention.attention import LIMIT, Kind, blocks_for, reference, score_factor
from ptxgen.kernels.attention.attention_forward import Form, Rows, Tile, forward, masked, seen_blocks
from ptxgen.kernels.attention.attention_rows import Strided
from ptxgen.kernels.attention.tile_order import heads_beside, in_turn, tiles_in_turn
from ptxgen.kernels.cases import NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "Lengths", "Sequences", "plan"]

E = TypeVar("E", bound=Value)


class Sequences:
    """The tiles of sequences in an array: sequence i has the rows from starts[i] up to starts[i + 1], of at most `total`."""

    def __init__(
        self, k: Builder, form: Form, starts: tuple[ptr[s32], ptr[s32]], totals: tuple[u32, u32], heads: u32, batch: u32,
        longest: u32, group: u32,
    ) -> None:  # fmt: skip
        self.k, self.form, self.starts, self.totals = k, form, starts, totals
        self.heads, self.batch, self.longest, self.group = heads, batch, longest, group

    def start(self) -> None:
        bm = 64 * self.form.consumers
        self.most = (self.longest + bm - 1) // bm

    def range(self, which: int, sequence: u32, warps: bool) -> tuple[u32, u32]:
        """(the first row of a sequence, its length); known to be the same in all lanes where whole warps ask."""
        k, total = self.k, self.totals[which]
        first, behind = (k.max(self.starts[which][sequence + further], 0).to(u32) for further in (0, 1))
        if warps:
            first, behind = (k.shfl_idx(each, 0) for each in (first, behind))
        first = k.min(first, total)
        return first, k.max(k.min(behind, total), first) - first

    def tiles(self, warps: bool) -> Iterator[Tile]:
        k, form, bm, bn = self.k, self.form, 64 * self.form.consumers, self.form.bn
        for row, column in tiles_in_turn(k, self.heads * self.batch, self.most, self.group, form.causal):
            sequence = row // self.heads
            query_row, queries = self.range(0, sequence, warps)
            count = (queries + bm - 1) // bm
            with k.if_(column < count):
                key_row, keys = self.range(1, sequence, warps)
                first = (count - 1 - column if form.causal else column) * bm
                shift = keys.to(s32) - queries.to(s32)
                blocks, whole = k.max((keys + bn - 1) // bn, 1), keys // bn
                part = seen_blocks(k, form, first, shift, blocks, whole)
                yield Tile(
                    row % self.heads, k.const(u32, 0), first, *part, queries, keys, shift, query_row, key_row,
                    sequence,
                )  # fmt: skip


@kernel
def attention_packed(
    k: Builder, query_starts: ptr[s32], key_starts: ptr[s32], query_rows: u32, key_rows: u32, heads: u32, batch: u32,
    shared_heads: u32, longest: u32, group: u32, o_row: u64, o_head: u64, scale: f32, q: TensorMap, keys: TensorMap,
    values: TensorMap, o: TensorMap, o_rows: ptr[E], log_sums: ptr[f32],
    *, element: type[E], d: int = 128, bn: int = 128, stages: int = 2, consumers: int = 2, causal: bool = False,
    window: int | None = None, softcap: float = 0.0, logs: bool = True,
) -> None:  # fmt: skip
    """O of arrays (1, heads, rows, d) in which sequences lie behind each other, and, if `logs`, `log_sums` (heads, rows).

    The rows of sequence i are those from starts[i] up to starts[i + 1]; none has more than `longest` queries. Rows of no sequence
    are not written. `o_rows` is where `o` begins, `o_row` and `o_head` the elements from row to row and from head to head.
    """
    form = Form(element, d, bn, stages, consumers, causal, window, softcap)
    schedule = Sequences(k, form, (query_starts, key_starts), (query_rows, key_rows), heads, batch, longest, group)
    rows = Rows(log_sums if logs else None, query_rows, heads, Strided(o_rows, o_row, o_head))
    forward(k, form, schedule, shared_heads, scale, q, keys, values, o, rows)


KERNEL = attention_packed


def plan(
    q: Any, keys: Any, values: Any, o: Any, o_rows: Any, log_sums: Any, query_starts: Any, key_starts: Any,
    *, batch: int, longest: int, o_strides: tuple[int, int], shared_heads: int = 1, scale: float | None = None,
    causal: bool = False, window: int | None = None, softcap: float = 0.0, element: type[Value] = bf16, processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """Arrays (1, heads, rows, d) of `batch` sequences; `o_rows` is O again, for its address, and `o_strides` the elements from
    row to row and from head to head. `log_sums` may be None."""
    _, heads, rows, d = q.shape
    bn, consumers = blocks_for(d)
    options = {"d": d, "bn": bn, "consumers": consumers, "causal": causal, **masked(window, softcap)}
    tiles = ceil_div(longest, 64 * consumers)
    factor, group = score_factor(scale, d), heads_beside(d, heads * batch, tiles, causal)
    arguments = (
        query_starts, key_starts, rows, keys.shape[2], heads, batch, shared_heads, longest, group, *o_strides, factor, q,
        keys, values, o, o_rows, 0 if log_sums is None else log_sums,
    )  # fmt: skip
    chosen = using(attention_packed, element=element, logs=log_sums is not None, **options)
    return in_turn(chosen, arguments, tiles * heads * batch, processors, consumers)


class Lengths(NamedTuple):
    """Queries and keys of each sequence, and rows behind the last one that are nobody's."""

    queries: tuple[int, ...]
    keys: tuple[int, ...]
    spare: int = 0


def case(lengths: Lengths, rng: np.random.Generator, kind: Kind, heads: int = 2) -> Case:
    import numpy as np

    d, element = kind.d, kind.element
    starts = [np.concatenate([[0], np.cumsum(each)]).astype(np.int32) for each in (lengths.queries, lengths.keys)]
    rows, key_rows = (int(each[-1]) + lengths.spare for each in starts)
    q = normal(rng, (1, heads, rows, d), element)
    k, v = (normal(rng, (1, heads // kind.shared_heads, max(1, key_rows), d), element) for _ in range(2))
    k.values[:, :, int(starts[1][-1]) :] = v.values[:, :, int(starts[1][-1]) :] = np.nan  # nobody's
    before = normal(rng, q.values.shape, element)
    sums = HostArray(rng.standard_normal((heads, rows), dtype=np.float32), f32)
    sums_limit = 2.0**-12 * (np.arange(rows) < starts[0][-1])
    expected, limit = before.values.astype(np.float64), np.zeros(q.values.shape)
    log_sums = sums.values.astype(np.float64)
    for one in range(len(lengths.queries)):
        mine, its = (slice(int(each[one]), int(each[one + 1])) for each in starts)
        part = reference(q.values[0, :, mine], k.values[0, :, its], v.values[0, :, its], kind)
        expected[0, :, mine], log_sums[:, mine], limit[0, :, mine] = part
    arrays = {
        "q": q, "k": k, "v": v, "o": before, "log_sums": sums, "query_starts": HostArray(starts[0], s32),
        "key_starts": HostArray(starts[1], s32),
    }  # fmt: skip
    options: Any = {each: getattr(kind, each) for each in ("shared_heads", "causal", "window", "softcap", "element")}
    return Case(
        arrays,
        lambda on: plan(
            on["q"], on["k"], on["v"], on["o"], on["o"], on["log_sums"], on["query_starts"], on["key_starts"],
            batch=len(lengths.queries), longest=max(lengths.queries), o_strides=(d, rows * d), processors=3, **options,
        ),
        {"o": expected, "log_sums": log_sums},
        Tolerance({"o": limit, "log_sums": sums_limit}, LIMIT),
    )  # fmt: skip


def _variant(name: str, *sizes: Lengths, **stated: Any) -> Variant:
    kind = Kind(**stated)
    bn, consumers = blocks_for(kind.d)
    options = {
        "d": kind.d,
        "bn": bn,
        "consumers": consumers,
        "causal": kind.causal,
        **masked(kind.window, kind.softcap),
    }
    kernel = using(attention_packed, element=kind.element, **options)
    return Variant("attention_packed", name, kernel, partial(case, kind=kind), sizes, NEEDS_WGMMA)


VARIANTS = (
    _variant("d128", Lengths((70, 0, 1, 140), (130, 5, 0, 300), 3)),
    _variant("d64.causal", Lengths((130, 3, 200), (70, 3, 270)), d=64, element=f16, causal=True, shared_heads=2),
)
