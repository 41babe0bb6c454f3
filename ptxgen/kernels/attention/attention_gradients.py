"""Gradients of attention with the tensor cores of sm_90a, in two kernels that recompute the weights (FlashAttention-2 and 3).

With weights P = 2^(scale score - base), dP = dO V^T and D = rowsum(dO O), dS = P (dP - D) gives dQ = dS K, dK = dS^T Q and
dV = P^T dO; of scores c tanh(score / c), dS has the factor 1 - tanh^2 too. The first kernel goes over the keys of each block of
queries and makes dQ; the second one over the queries of each block of keys and makes dK and dV, with scores whose rows are keys,
so that what it multiplies by is in registers. Seven products where one kernel would have five, but no sums that several CTAs add
to: each run has the same bits.

Floor: the seven products, 14*queries*keys*d operations (half where causal) at the 989 TFLOP/s of bf16 of an H200's datasheet.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ptxgen.builder import Builder, TensorMap, bf16, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.tiles.fragments import pack
from ptxgen.builder.values import Value
from ptxgen.kernels.attention.attention_forward import (
    Form,
    Matrices,
    bound_of,
    check_mask,
    hide_unseen,
    is_edge,
    without,
)
from ptxgen.kernels.attention.attention_rows import Strided, clear, moved, store_rows
from ptxgen.kernels.attention.tile_order import tiles_in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.tiles.fragments import Sums
    from ptxgen.kernels.attention.attention_forward import Schedule, Tile

__all__ = [
    "CONSUMERS", "ROWS", "KeyTile", "Statistics", "attention_backward_keys", "attention_backward_queries", "keys_body",
    "queries_body", "seeing_blocks",
]  # fmt: skip

ROWS = 64
"""Queries of a block of statistics: their bases, then their D."""

CONSUMERS = 2

REGISTERS = (40, 232)
"""Of a thread that loads, of one that multiplies; `FULL` where the sums of dK and dV alone take 128."""
FULL = (24, 240)


class Statistics(NamedTuple):
    """What the first kernel tells the second one: `values` has a block for each 64 queries, `blocks` a head of all `heads`.
    Sequences in one array have so many that none has another's: the first of sequence i is starts[i] // 64 + i.
    """

    values: ptr[f32]
    blocks: u32
    heads: u32
    shared: u32 | int = 1
    """`heads` times this: where the head of queries is known, a product that a register would hold is made anew."""

    def line(self, tile: Tile | KeyTile, head: u32, block: u32) -> u64:
        """Where a block of a head's queries begins."""
        if not isinstance(tile.sequence, int):
            block = block + (tile.query_row // ROWS + tile.sequence)
        return ((tile.matrix * self.heads * self.shared + head) * self.blocks + block).to(u64) * (2 * ROWS)


class KeyTile(NamedTuple):
    """64 keys for each consuming warpgroup, from `first` on; of the blocks of queries, those from `least` up to `end` see one."""

    head: u32
    matrix: u32
    first: u32
    least: Any
    end: u32
    shift: s32
    queries: u32
    keys: u32
    query_row: Any = 0
    """As in `Tile`."""
    key_row: Any = 0
    sequence: Any = 0


class KeySchedule(Protocol):
    def tiles(self, warps: bool) -> Iterator[KeyTile]:
        """The CTA's tiles; whole `warps` go through them, or one thread."""


def seeing_blocks(k: Builder, form: Form, first: u32, shift: s32, blocks: u32) -> tuple[Any, u32]:
    """Of so many blocks of queries, (the first, the one behind the last) of which one sees a key of the tile from `first` on."""
    if not form.causal:
        return 0, blocks
    least = k.min(k.max(first.to(s32) - shift, 0).to(u32) // ROWS, blocks)
    if form.window is None:
        return least, blocks
    seeing = k.max(first.to(s32) + (64 * form.consumers + form.window) - shift, 0).to(u32)
    return least, k.max(k.min((seeing + (ROWS - 1)) // ROWS, blocks), least)


class KeyMatrices:
    """The tiles of keys of arrays (batch, heads, length, d)."""

    def __init__(
        self, k: Builder, form: Form, query_length: u32, key_length: u32, kv_heads: u32, batch: u32, group: u32
    ) -> None:  # fmt: skip
        self.k, self.form, self.kv_heads, self.lengths = k, form, kv_heads, (query_length, key_length)
        self.rows, self.group = kv_heads * batch, group
        self.count = (key_length + (64 * form.consumers - 1)) // (64 * form.consumers)
        self.blocks = (query_length + (ROWS - 1)) // ROWS
        self.shift = key_length.to(s32) - query_length.to(s32)

    def tiles(self, warps: bool) -> Iterator[KeyTile]:
        for row, place in tiles_in_turn(self.k, self.rows, self.count, self.group, self.form.causal):
            first = place * (64 * self.form.consumers)
            part = seeing_blocks(self.k, self.form, first, self.shift, self.blocks)
            yield KeyTile(row % self.kv_heads, row // self.kv_heads, first, *part, self.shift, *self.lengths)


@kernel(min_ctas=1)
def attention_backward_queries(
    k: Builder, query_length: u32, key_length: u32, heads: u32, batch: u32, shared_heads: u32, group: u32,
    scale: f32, natural: f32, q: TensorMap, keys: TensorMap, values: TensorMap, o: TensorMap, d_o: TensorMap, d_q: TensorMap,
    log_sums: ptr[f32], statistics: ptr[f32],
    *, element: type[Value] = bf16, d: int = 128, bn: int = 80, stages: int = 3, causal: bool = False,
    window: int | None = None, softcap: float = 0.0,
) -> None:  # fmt: skip
    """dQ of arrays (batch, heads, length, d), and the statistics of each 64 queries: what is subtracted from scores, and D.

    `scale` is log2(e) times `natural`, the factor of scores. `log_sums` (batch, heads, query_length) are the natural logarithms
    that forward gives. A query that sees no key, or that there is not, has the base infinity: its weights are 0. `causal`,
    `window` and `softcap` are those of forward; keys outside of all windows are not loaded.
    """
    form = Form(element, d, bn, stages, CONSUMERS, causal, window, softcap)
    schedule = Matrices(k, form, query_length, key_length, heads, batch, group)
    told = Statistics(statistics, (query_length + (ROWS - 1)) // ROWS, heads)
    queries_body(
        k, form, schedule, shared_heads, (scale, natural), (q, keys, values, o, d_o, d_q), log_sums, query_length, told
    )


def queries_body(
    k: Builder, form: Form, schedule: Schedule, shared_heads: u32, factors: tuple[f32, f32], arrays: tuple[Any, ...],
    log_sums: ptr[f32], rows: u32, told: Statistics, into: Strided | None = None,
) -> None:  # fmt: skip
    """The whole first kernel; `log_sums` has so many `rows` a head. `into` is dQ where sequences lie behind each other in one
    array: rows behind a sequence's end are another's, do not count, and stay as they are."""
    check_mask(form.window, form.softcap, form.causal)
    element, d, bn = form.element, form.d, form.bn
    (scale, natural), (q, keys, values, o, d_o, d_q) = factors, arrays
    swizzle = "128B" if d % 64 == 0 else "64B"
    tile_q, tile_d, tile_o = (k.tile(element, (ROWS, d), stages=CONSUMERS, swizzle=swizzle) for _ in range(3))
    tile_k, tile_v = (k.tile(element, (bn, d), stages=form.stages, swizzle=swizzle) for _ in range(2))
    turned_k, turned_v = (
        k.tile(element, (d, bn), stages=form.stages, swizzle=swizzle, major="MN", over=each)
        for each in (tile_k, tile_v)
    )
    pipe_q, pipe_k = k.pipeline(1, consumers=4 * CONSUMERS), k.pipeline(form.stages, consumers=4 * CONSUMERS)
    stored = k.named_barrier(128, CONSUMERS)
    schedule.start()
    k.launch_dependents()
    loading, attending = REGISTERS
    with k.roles(load=(1, loading), attend=(CONSUMERS, attending)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in schedule.tiles(warps=False):
                shared = tile.head // shared_heads
                for stage in pipe_q.produce(1):
                    for part in range(CONSUMERS):
                        place = (0, moved(tile.first + part * ROWS, tile.query_row), tile.head, tile.matrix)
                        for source, filled in ((q, tile_q), (d_o, tile_d), (o, tile_o)):
                            source.load(filled[part], place, stage.barrier)
                for stage in pipe_k.produce(without(tile.blocks, tile.begin)):
                    row = moved((tile.blocks - 1 - stage.step) * bn, tile.key_row)
                    place = (0, row, shared, tile.matrix)
                    keys.load(tile_k[stage.index], place, stage.barrier)
                    values.load(tile_v[stage.index], place, stage.barrier)
        with attend as mine:
            one = k.tid.x % 128 == 0
            scores, slopes, total = k.sums(64, bn), k.sums(64, bn), k.sums(64, d)
            packed = slopes.packed(element)
            inner, factor = bound_of(k, form.softcap, scale)
            for tile in schedule.tiles(warps=True):
                start = tile.first + mine * ROWS
                query = pipe_q.take()
                less, dots = [], []  # what is added to scores: minus their bases
                for half in range(2):
                    row = scores.row(half)
                    dot = _dot(k, tile_d[mine], tile_o[mine], row)
                    if into is not None:
                        dot = k.select(row + start < tile.queries, dot, 0.0)
                    dots.append(dot)
                    base = k.var(f32, math.inf)
                    line = (tile.matrix * told.heads + tile.head).to(u64) * rows.to(u64)
                    with k.if_(row + start < tile.queries):
                        known = log_sums[line + moved(row + start, tile.query_row).to(u64)]
                        base.set(k.select(known == -math.inf, math.inf, known * math.log2(math.e)))
                    less.append(-base)
                    with k.if_((start < tile.queries) & (k.tid.x % 4 == 0)):
                        line = told.line(tile, tile.head, start // ROWS) + row.to(u64)
                        told.values[line], told.values[line + ROWS] = base, dot
                for value in total.values:
                    value.set(0)
                own = start.to(s32) + tile.shift
                for stage in pipe_k.consume(without(tile.blocks, tile.begin), in_flight=1):
                    block = tile.blocks - 1 - stage.step
                    if into is not None:
                        with k.if_((block + 1) * bn > tile.keys):
                            for each in (turned_k, turned_v):
                                clear(k, each[stage.index], tile.keys - block * bn)
                            k.publish_shared()
                            stored[mine].sync()
                    scores.add_product(tile_q[mine], tile_k[stage.index], keep=False)
                    slopes.add_product(tile_d[mine], tile_v[stage.index], keep=False)
                    k.wgmma_wait(1)
                    _bound(k, scores, inner)
                    for index, score in enumerate(scores.values):
                        weight = k.exp2(k.fma(score, factor, less[scores.half(index)]), ftz=True)
                        score.set(weight if inner is None else weight * _steepness(k, score))
                    # Behind the weights, which are computed under the product: ptxas would move the wait for it ahead of them.
                    with k.if_(is_edge(form, tile, block, ends=True)):
                        hide_unseen(k, form, scores, tile, own + 1, block, 0.0)
                    k.wgmma_wait(0)
                    for index, (score, slope) in enumerate(zip(scores.values, slopes.values)):
                        slope.set(score * (slope - dots[scores.half(index)]))
                    slopes.to(element, into=packed)
                    total.add_product(packed, turned_k[stage.index])
                stored[mine].sync()  # all have read O
                result = _scaled(total, natural).to(element)
                if into is not None:
                    with k.if_(start + ROWS > tile.queries):
                        store_rows(k, into, tile.head, tile.query_row, start, tile.queries, result)
                result.store(tile_o[mine])
                k.publish_shared()
                stored[mine].sync()
                with k.if_(one if into is None else one & (start + ROWS <= tile.queries)):
                    d_q.store(tile_o[mine], (0, moved(start, tile.query_row), tile.head, tile.matrix))
                    k.bulk_commit()
                    k.bulk_wait(0)
                stored[mine].sync()
                pipe_q.release(query)


def _dot(k: Builder, left: Any, right: Any, row: u32) -> f32:
    """The product of a row of two tiles, added up in the four lanes that share it."""
    found = k.var(f32, 0)
    for index in k.range(left.columns // 8):
        at = [each.at(row, index * 8 + k.lane % 4 * 2) for each in (left, right)]
        for further in range(2):
            x, y = (each[further].to(f32) for each in at)
            found.set(k.fma(x, y, found))
    for lanes in (1, 2):
        found.set(found + k.shfl_xor(found, lanes))
    return found


def _bound(k: Builder, scores: Sums, inner: f32 | None) -> None:
    """Scores become tanh(score / c) where there is a bound c."""
    if inner is not None:
        for score in scores.values:
            score.set(k.tanh(score * inner))


def _steepness(k: Builder, bounded: f32) -> f32:
    """1 - tanh^2: the derivative of a bounded score; 0 for -inf, which stands for a key that is not seen."""
    return k.max(k.fma(-bounded, bounded, 1.0), 0.0)


def _scaled(total: Sums, factor: f32) -> Any:
    return total.map(lambda value: value * factor)


@kernel(min_ctas=1)
def attention_backward_keys(
    k: Builder, query_length: u32, key_length: u32, kv_heads: u32, batch: u32, shared_heads: u32, group: u32,
    scale: f32, natural: f32, q: TensorMap, keys: TensorMap, values: TensorMap, d_o: TensorMap, d_keys: TensorMap,
    d_values: TensorMap, statistics: ptr[f32],
    *, element: type[Value] = bf16, d: int = 128, stages: int = 2, causal: bool = False,
    window: int | None = None, softcap: float = 0.0,
) -> None:  # fmt: skip
    """dK and dV of arrays (batch, heads, length, d), with the statistics of `attention_backward_queries`.

    A warpgroup has 64 keys, and goes over the queries of all heads that share them, one head after the other. Queries that see
    none of the CTA's keys are not loaded.
    """
    form = Form(element, d, ROWS, stages, CONSUMERS, causal, window, softcap)
    schedule = KeyMatrices(k, form, query_length, key_length, kv_heads, batch, group)
    told = Statistics(statistics, schedule.blocks, kv_heads, shared_heads)
    keys_body(k, form, schedule, shared_heads, (scale, natural), (q, keys, values, d_o, d_keys, d_values), told)


def keys_body(
    k: Builder, form: Form, schedule: KeySchedule, shared_heads: u32, factors: tuple[f32, f32], arrays: tuple[Any, ...],
    told: Statistics, into: tuple[Strided, Strided] | None = None,
) -> None:  # fmt: skip
    """The whole second kernel. `into` are dK and dV where sequences lie behind each other in one array."""
    check_mask(form.window, form.softcap, form.causal)
    element, d, stages = form.element, form.d, form.stages
    (scale, natural), (q, keys, values, d_o, d_keys, d_values) = factors, arrays
    swizzle = "128B" if d % 64 == 0 else "64B"
    tile_k, tile_v = (k.tile(element, (64, d), stages=CONSUMERS, swizzle=swizzle) for _ in range(2))
    tile_q, tile_d = (k.tile(element, (ROWS, d), stages=stages, swizzle=swizzle) for _ in range(2))
    turned_q, turned_d = (
        k.tile(element, (d, ROWS), stages=stages, swizzle=swizzle, major="MN", over=each) for each in (tile_q, tile_d)
    )
    known = k.tile(f32, (8, 2 * ROWS // 8), stages=stages, swizzle="none")  # as it lies in memory: bases, then D
    pipe_k, pipe_q = k.pipeline(1, consumers=4 * CONSUMERS), k.pipeline(stages, consumers=4 * CONSUMERS)
    stored = k.named_barrier(128, CONSUMERS)
    k.launch_dependents()
    loading, attending = FULL if d == 128 else REGISTERS
    with k.roles(load=(1, loading), attend=(CONSUMERS, attending)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in schedule.tiles(warps=False):
                for stage in pipe_k.produce(1):
                    for part in range(CONSUMERS):
                        place = (0, moved(tile.first + part * 64, tile.key_row), tile.head, tile.matrix)
                        keys.load(tile_k[part], place, stage.barrier)
                        values.load(tile_v[part], place, stage.barrier)
                for sharing in k.range(shared_heads):
                    query_head = tile.head * shared_heads + sharing
                    for stage in pipe_q.produce(without(tile.end, tile.least)):
                        block = stage.step + tile.least
                        place = (0, moved(block * ROWS, tile.query_row), query_head, tile.matrix)
                        line = told.line(tile, query_head, block)
                        q.load(tile_q[stage.index], place, stage.barrier)
                        d_o.load(tile_d[stage.index], place, stage.barrier)
                        stage.barrier.expect(2 * ROWS * 4)
                        k.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](
                            known[stage.index].operand(), told.values.at(line), 2 * ROWS * 4, stage.barrier.operand()
                        )  # fmt: skip
        with attend as mine:
            one = k.tid.x % 128 == 0
            scores, slopes = k.sums(64, ROWS), k.sums(64, ROWS)
            total_k, total_v = k.sums(64, d), k.sums(64, d)
            weights, packed = scores.packed(element), slopes.packed(element)
            inner, factor = bound_of(k, form.softcap, scale)
            for tile in schedule.tiles(warps=True):
                start = tile.first + mine * 64
                for value in (*total_k.values, *total_v.values):
                    value.set(0)
                taken = pipe_k.take()
                for _ in k.range(shared_heads):
                    for stage in pipe_q.consume(without(tile.end, tile.least), in_flight=1 if stages > 2 else 0):
                        first = (stage.step + tile.least) * ROWS
                        if into is not None:
                            with k.if_(first + ROWS > tile.queries):
                                for each in (turned_q, turned_d):
                                    clear(k, each[stage.index], tile.queries - first)
                                k.publish_shared()
                                stored[mine].sync()
                        scores.add_product(tile_k[mine], tile_q[stage.index], keep=False)
                        slopes.add_product(tile_v[mine], tile_d[stage.index], keep=False)
                        k.wgmma_wait(1)
                        _bound(k, scores, inner)
                        if form.causal:
                            _hide_keys(k, form, scores, start, first.to(s32) + tile.shift)
                        pairs = known[stage.index].at(0, 0).vectors(2)
                        for index in range(0, len(scores.values), 4):
                            bases = pairs[k.lane % 4 + index]
                            four = scores.values[index : index + 4]
                            made = [k.exp2(k.fma(each, factor, -bases[i % 2]), ftz=True) for i, each in enumerate(four)]
                            for half, word in enumerate(weights.words[index // 2 :][:2]):
                                pack(k, made[2 * half :][:2], element, into=word)
                            for score, weight in zip(four, made):
                                score.set(weight if inner is None else weight * _steepness(k, score))
                        total_v.add_product(weights, turned_d[stage.index])
                        k.wgmma_wait(1)
                        for index in range(0, len(scores.values), 4):
                            dots = pairs[k.lane % 4 + (index + ROWS // 2)]
                            for beside in range(4):
                                slope = slopes.values[index + beside]
                                slope.set(scores.values[index + beside] * (slope - dots[beside % 2]))
                        slopes.to(element, into=packed)
                        total_k.add_product(packed, turned_q[stage.index])
                        k.syncwarp()  # all lanes have read what is known of the queries
                stored[mine].sync()  # the products of all four warps have read K and V
                results = [total.to(element) for total in (_scaled(total_k, natural), total_v)]
                if into is not None:
                    with k.if_(start + 64 > tile.keys):
                        for strided, result in zip(into, results):
                            store_rows(k, strided, tile.head, tile.key_row, start, tile.keys, result)
                for result, filled in zip(results, (tile_k, tile_v)):
                    result.store(filled[mine])
                k.publish_shared()
                stored[mine].sync()
                with k.if_(one if into is None else one & (start + 64 <= tile.keys)):
                    place = (0, moved(start, tile.key_row), tile.head, tile.matrix)
                    d_keys.store(tile_k[mine], place)
                    d_values.store(tile_v[mine], place)
                    k.bulk_commit()
                    k.bulk_wait(0)
                stored[mine].sync()
                pipe_k.release(taken)


def _hide_keys(k: Builder, form: Form, scores: Sums, start: u32, own: s32) -> None:
    """Of scores whose rows are keys from `start` on, those that a query does not see; `own` is the first query's own place."""
    edge = own < (start + 63).to(s32)
    if form.window is not None:
        edge = edge | (own + (ROWS - 1) - form.window > start.to(s32))
    with k.if_(edge):
        for index, score in enumerate(scores.values):
            key, place = (scores.row(scores.half(index)) + start).to(s32), scores.column(index).to(s32) + own
            visible = key <= place
            if form.window is not None:
                visible = visible & (key >= place - form.window)
            score.set(k.select(visible, score, -math.inf))
