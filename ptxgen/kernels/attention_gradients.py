"""Gradients of attention with the tensor cores of sm_90a, in two kernels that recompute the weights (FlashAttention-2 and 3).

With weights P = 2^(scale score - base), dP = dO V^T and D = rowsum(dO O), dS = P (dP - D) gives dQ = dS K, dK = dS^T Q and
dV = P^T dO. The first kernel goes over the keys of each block of queries and makes dQ; the second one over the queries of each
block of keys and makes dK and dV, with scores whose rows are keys, so that what it multiplies by is in registers. Seven products
where one kernel would have five, but no sums that several CTAs add to: each run has the same bits.

Floor: the seven products, 14*queries*keys*d operations (half where causal) at the 989 TFLOP/s of bf16 of an H200's datasheet.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, TensorMap, bf16, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.attention_forward import Form, Matrices

if TYPE_CHECKING:
    from ptxgen.builder.tiles.fragments import Sums

__all__ = ["CONSUMERS", "ROWS", "attention_backward_keys", "attention_backward_queries"]

ROWS = 64
"""Queries of a block of statistics: their bases, then their D."""

CONSUMERS = 2

REGISTERS = (40, 232)
"""Of a thread that loads, of one that multiplies; `FULL` where the sums of dK and dV alone take 128."""
FULL = (24, 240)


@kernel(min_ctas=1)
def attention_backward_queries(
    k: Builder, query_length: u32, key_length: u32, heads: u32, batch: u32, shared_heads: u32, scale: f32, natural: f32,
    q: TensorMap, keys: TensorMap, values: TensorMap, o: TensorMap, d_o: TensorMap, d_q: TensorMap, log_sums: ptr[f32],
    statistics: ptr[f32],
    *, element: type[Value] = bf16, d: int = 128, bn: int = 96, stages: int = 2, causal: bool = False, group: int = 1,
) -> None:  # fmt: skip
    """dQ of arrays (batch, heads, length, d), and the statistics of each 64 queries: what is subtracted from scores, and D.

    `scale` is log2(e) times `natural`, the factor of scores. `log_sums` (batch, heads, query_length) are the natural logarithms
    that forward gives. A query that sees no key, or that there is not, has the base infinity: its weights are 0.
    """
    swizzle = "128B" if d % 64 == 0 else "64B"
    tile_q, tile_d, tile_o = (k.tile(element, (ROWS, d), stages=CONSUMERS, swizzle=swizzle) for _ in range(3))
    tile_k, tile_v = (k.tile(element, (bn, d), stages=stages, swizzle=swizzle) for _ in range(2))
    turned_k = k.tile(element, (d, bn), stages=stages, swizzle=swizzle, major="MN", over=tile_k)
    pipe_q, pipe_k = k.pipeline(1, consumers=4 * CONSUMERS), k.pipeline(stages, consumers=4 * CONSUMERS)
    stored = k.named_barrier(128, CONSUMERS)
    schedule = Matrices(
        k, Form(element, d, bn, stages, CONSUMERS, causal, group), query_length, key_length, heads, batch
    )
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
                        place = (0, tile.first + part * ROWS, tile.head, tile.matrix)
                        for source, into in ((q, tile_q), (d_o, tile_d), (o, tile_o)):
                            source.load(into[part], place, stage.barrier)
                for stage in pipe_k.produce(tile.blocks):
                    place = (0, (tile.blocks - 1 - stage.step) * bn, shared, tile.matrix)
                    keys.load(tile_k[stage.index], place, stage.barrier)
                    values.load(tile_v[stage.index], place, stage.barrier)
        with attend as mine:
            one = k.tid.x % 128 == 0
            scores, slopes, total = k.sums(64, bn), k.sums(64, bn), k.sums(64, d)
            packed = slopes.packed(element)
            for tile in schedule.tiles(warps=True):
                start = tile.first + mine * ROWS
                query = pipe_q.take()
                bases, dots = [], []
                for half in range(2):
                    row = scores.row(half)
                    dots.append(_dot(k, tile_d[mine], tile_o[mine], row))
                    bases.append(k.var(f32, math.inf))
                    line = (tile.matrix * heads + tile.head).to(u64) * query_length.to(u64)
                    with k.if_(row + start < query_length):
                        known = log_sums[line + (row + start).to(u64)]
                        bases[half].set(k.select(known == -math.inf, math.inf, known * math.log2(math.e)))
                    with k.if_((start < query_length) & (k.tid.x % 4 == 0)):
                        block = (tile.matrix * heads + tile.head) * (
                            (query_length + (ROWS - 1)) // ROWS
                        ) + start // ROWS
                        line = block.to(u64) * (2 * ROWS) + row.to(u64)
                        statistics[line], statistics[line + ROWS] = bases[half], dots[half]
                for value in total.values:
                    value.set(0)
                own = start.to(s32) + tile.shift
                for stage in pipe_k.consume(tile.blocks, in_flight=0):
                    block = tile.blocks - 1 - stage.step
                    scores.add_product(tile_q[mine], tile_k[stage.index], keep=False)
                    slopes.add_product(tile_d[mine], tile_v[stage.index], keep=False)
                    k.wgmma_wait(1)
                    with k.if_(block >= tile.whole):
                        for index, score in enumerate(scores.values):
                            place, half = (scores.column(index) + block * bn).to(s32), scores.half(index)
                            visible = place < key_length.to(s32)
                            if causal:
                                visible = visible & (place <= scores.row(half).to(s32) + own)
                            score.set(k.select(visible, score, -math.inf))
                    for index, score in enumerate(scores.values):
                        score.set(k.exp2(k.fma(score, scale, -bases[scores.half(index)]), ftz=True))
                    k.wgmma_wait(0)
                    for index, (score, slope) in enumerate(zip(scores.values, slopes.values)):
                        slope.set(score * (slope - dots[scores.half(index)]))
                    slopes.to(element, into=packed)
                    total.add_product(packed, turned_k[stage.index])
                stored[mine].sync()  # all have read O
                _scaled(total, natural).to(element).store(tile_o[mine])
                k.publish_shared()
                stored[mine].sync()
                with k.if_(one):
                    d_q.store(tile_o[mine], (0, start, tile.head, tile.matrix))
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


def _scaled(total: Sums, factor: f32) -> Any:
    return total.map(lambda value: value * factor)


@kernel(min_ctas=1)
def attention_backward_keys(
    k: Builder, query_length: u32, key_length: u32, kv_heads: u32, batch: u32, shared_heads: u32, scale: f32, natural: f32,
    q: TensorMap, keys: TensorMap, values: TensorMap, d_o: TensorMap, d_keys: TensorMap, d_values: TensorMap,
    statistics: ptr[f32],
    *, element: type[Value] = bf16, d: int = 128, stages: int = 2, causal: bool = False, group: int = 1,
) -> None:  # fmt: skip
    """dK and dV of arrays (batch, heads, length, d), with the statistics of `attention_backward_queries`.

    A warpgroup has 64 keys, and goes over the queries of all heads that share them, one head after the other.
    """
    swizzle = "128B" if d % 64 == 0 else "64B"
    tile_k, tile_v = (k.tile(element, (64, d), stages=CONSUMERS, swizzle=swizzle) for _ in range(2))
    tile_q, tile_d = (k.tile(element, (ROWS, d), stages=stages, swizzle=swizzle) for _ in range(2))
    turned_q, turned_d = (
        k.tile(element, (d, ROWS), stages=stages, swizzle=swizzle, major="MN", over=each) for each in (tile_q, tile_d)
    )
    known = k.tile(f32, (8, 2 * ROWS // 8), stages=stages, swizzle="none")  # as it lies in memory: bases, then D
    pipe_k, pipe_q = k.pipeline(1, consumers=4 * CONSUMERS), k.pipeline(stages, consumers=4 * CONSUMERS)
    stored = k.named_barrier(128, CONSUMERS)
    each = 64 * CONSUMERS
    blocks, shift = (query_length + (ROWS - 1)) // ROWS, key_length.to(s32) - query_length.to(s32)
    tiles = k.persistent_tiles(kv_heads * batch, (key_length + (each - 1)) // each, group=group)

    def begin(first: u32) -> Any:
        """The first block of queries of which one sees a key from `first` on."""
        return k.min(k.max(first.to(s32) - shift, 0).to(u32) // ROWS, blocks) if causal else 0

    k.launch_dependents()
    loading, attending = FULL if d == 128 else REGISTERS
    with k.roles(load=(1, loading), attend=(CONSUMERS, attending)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for row, column in tiles:
                head, matrix, first = row % kv_heads, row // kv_heads, column * each
                for stage in pipe_k.produce(1):
                    for part in range(CONSUMERS):
                        place = (0, first + part * 64, head, matrix)
                        keys.load(tile_k[part], place, stage.barrier)
                        values.load(tile_v[part], place, stage.barrier)
                least = begin(first)
                for sharing in k.range(shared_heads):
                    query_head = head * shared_heads + sharing
                    for stage in pipe_q.produce(blocks - least):
                        block = stage.step + least
                        place = (0, block * ROWS, query_head, matrix)
                        q.load(tile_q[stage.index], place, stage.barrier)
                        d_o.load(tile_d[stage.index], place, stage.barrier)
                        line = (matrix * kv_heads * shared_heads + query_head) * blocks + block
                        stage.barrier.expect(2 * ROWS * 4)
                        k.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](
                            known[stage.index].operand(), statistics.at(line.to(u64) * (2 * ROWS)), 2 * ROWS * 4,
                            stage.barrier.operand(),
                        )  # fmt: skip
        with attend as mine:
            one = k.tid.x % 128 == 0
            scores, slopes = k.sums(64, ROWS), k.sums(64, ROWS)
            total_k, total_v = k.sums(64, d), k.sums(64, d)
            weights, packed = scores.packed(element), slopes.packed(element)
            for row, column in tiles:
                head, matrix, first = row % kv_heads, row // kv_heads, column * each
                start, least = first + mine * 64, begin(first)
                for value in (*total_k.values, *total_v.values):
                    value.set(0)
                taken = pipe_k.take()
                for _ in k.range(shared_heads):
                    for stage in pipe_q.consume(blocks - least, in_flight=0):
                        scores.add_product(tile_k[mine], tile_q[stage.index], keep=False)
                        slopes.add_product(tile_v[mine], tile_d[stage.index], keep=False)
                        k.wgmma_wait(1)
                        pairs = known[stage.index].at(0, 0).vectors(2)
                        if causal:
                            own = ((stage.step + least) * ROWS).to(
                                s32
                            ) + shift  # the last key that the first query sees
                            with k.if_(own < (start + 63).to(s32)):
                                for index, score in enumerate(scores.values):
                                    key = (scores.row(scores.half(index)) + start).to(s32)
                                    score.set(k.select(key <= scores.column(index).to(s32) + own, score, -math.inf))
                        for index in range(0, len(scores.values), 4):
                            bases = pairs[k.lane % 4 + index]
                            for beside in range(4):
                                score = scores.values[index + beside]
                                score.set(k.exp2(k.fma(score, scale, -bases[beside % 2]), ftz=True))
                        scores.to(element, into=weights)
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
                for total, into in ((_scaled(total_k, natural), tile_k), (total_v, tile_v)):
                    total.to(element).store(into[mine])
                k.publish_shared()
                stored[mine].sync()
                with k.if_(one):
                    place = (0, start, head, matrix)
                    d_keys.store(tile_k[mine], place)
                    d_values.store(tile_v[mine], place)
                    k.bulk_commit()
                    k.bulk_wait(0)
                stored[mine].sync()
                pipe_k.release(taken)
