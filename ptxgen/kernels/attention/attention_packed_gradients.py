"""Gradients of attention of sequences of different lengths behind each other in one array.

The two kernels are those of `attention_gradients`; a tile is of one sequence. Where a sequence ends within a block, the rows
behind it, which are another's, are overwritten by zeros in shared memory before anything is multiplied by them, and the last rows
of a sequence are stored row by row. Blocks of statistics are a sequence's own: it has as many as it begins, and sequence i's
first one is starts[i] // 64 + i, so that no two sequences share one, and rows // 64 + sequences are enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ptxgen.builder import Builder, TensorMap, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.attention.attention_forward import Form
from ptxgen.kernels.attention.attention_gradients import CONSUMERS, ROWS, KeyTile, Statistics
from ptxgen.kernels.attention.attention_packed import Sequences
from ptxgen.kernels.attention.attention_rows import Strided
from ptxgen.kernels.attention.key_gradients import keys_body, seeing_blocks
from ptxgen.kernels.attention.query_gradients import queries_body
from ptxgen.kernels.attention.tile_order import tiles_in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["attention_packed_backward_keys", "attention_packed_backward_queries"]

E = TypeVar("E", bound=Value)


class KeySequences:
    """The tiles of keys of sequences in an array, whose `longest` has the most keys."""

    def __init__(self, sequences: Sequences) -> None:
        self.sequences = sequences
        sequences.start()

    def tiles(self, warps: bool) -> Iterator[KeyTile]:
        of = self.sequences
        k, form, each = of.k, of.form, 64 * of.form.consumers
        for row, place in tiles_in_turn(k, of.heads * of.batch, of.most, of.group, form.causal):
            sequence, first = row // of.heads, place * each
            key_row, keys = of.range(1, sequence, warps)
            with k.if_(first < keys):
                query_row, queries = of.range(0, sequence, warps)
                shift = keys.to(s32) - queries.to(s32)
                part = seeing_blocks(k, form, first, shift, (queries + (ROWS - 1)) // ROWS)
                yield KeyTile(
                    row % of.heads, k.const(u32, 0), first, *part, shift, queries, keys, query_row, key_row,
                    sequence,
                )  # fmt: skip


@kernel(min_ctas=1)
def attention_packed_backward_queries(
    k: Builder, query_starts: ptr[s32], key_starts: ptr[s32], query_rows: u32, key_rows: u32, heads: u32, batch: u32,
    shared_heads: u32, longest: u32, group: u32, d_q_row: u64, d_q_head: u64, scale: f32, natural: f32, q: TensorMap,
    keys: TensorMap, values: TensorMap, o: TensorMap, d_o: TensorMap, d_q: TensorMap, d_q_rows: ptr[E], log_sums: ptr[f32],
    statistics: ptr[f32],
    *, element: type[E], d: int = 128, bn: int = 80, stages: int = 3, causal: bool = False,
    window: int | None = None, softcap: float = 0.0,
) -> None:  # fmt: skip
    """dQ of arrays (1, heads, rows, d), and the statistics of each sequence's blocks of 64 queries.

    The rows of sequence i are those from starts[i] up to starts[i + 1], within the rows that there are; none has more than
    `longest` queries. Rows of no sequence are not written. `log_sums` (heads, rows). `d_q_rows` is where `d_q` begins, `d_q_row`
    and `d_q_head` the elements from row to row and from head to head.
    """
    form = Form(element, d, bn, stages, CONSUMERS, causal, window, softcap)
    schedule = Sequences(k, form, (query_starts, key_starts), (query_rows, key_rows), heads, batch, longest, group)
    told = Statistics(statistics, query_rows // ROWS + batch, heads)
    queries_body(
        k, form, schedule, shared_heads, (scale, natural), (q, keys, values, o, d_o, d_q), log_sums, query_rows, told,
        Strided(d_q_rows, d_q_row, d_q_head),
    )  # fmt: skip


@kernel(min_ctas=1)
def attention_packed_backward_keys(
    k: Builder, query_starts: ptr[s32], key_starts: ptr[s32], query_rows: u32, key_rows: u32, kv_heads: u32, batch: u32,
    shared_heads: u32, longest: u32, group: u32, d_k_row: u64, d_k_head: u64, d_v_row: u64, d_v_head: u64, scale: f32,
    natural: f32, q: TensorMap, keys: TensorMap, values: TensorMap, d_o: TensorMap, d_keys: TensorMap, d_values: TensorMap,
    d_key_rows: ptr[E], d_value_rows: ptr[E], statistics: ptr[f32],
    *, element: type[E], d: int = 128, stages: int = 2, causal: bool = False,
    window: int | None = None, softcap: float = 0.0,
) -> None:  # fmt: skip
    """dK and dV of arrays (1, heads, rows, d), with the statistics of `attention_packed_backward_queries`; no sequence has more
    than `longest` keys."""
    form = Form(element, d, ROWS, stages, CONSUMERS, causal, window, softcap)
    sequences = Sequences(k, form, (query_starts, key_starts), (query_rows, key_rows), kv_heads, batch, longest, group)
    told = Statistics(statistics, query_rows // ROWS + batch, kv_heads, shared_heads)
    keys_body(
        k, form, KeySequences(sequences), shared_heads, (scale, natural), (q, keys, values, d_o, d_keys, d_values), told,
        (Strided(d_key_rows, d_k_row, d_k_head), Strided(d_value_rows, d_v_row, d_v_head)),
    )  # fmt: skip
