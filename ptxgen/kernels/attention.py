"""Attention with the tensor cores of sm_90a: softmax(Q K^T scale) V, tile by tile, with the softmax of one block of keys under the
products of another (FlashAttention-3, Shah and others 2024)."""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, TensorMap, b32, bf16, f32, kernel, s32, u32

if TYPE_CHECKING:
    from ptxgen.builder.tiles.fragments import Sums

__all__ = ["attention_hopper"]

REGISTERS = {1: (None, None), 2: (24, 240), 3: (32, 160)}
"""Registers of the producer and of the consumers by the number of consuming warpgroups."""


@kernel
def attention_hopper(
    k: Builder, query_length: u32, key_length: u32, heads: u32, batch: u32, shared_heads: u32, scale: f32,
    q: TensorMap, keys: TensorMap, values: TensorMap, o: TensorMap,
    *, element: type = bf16, d: int = 128, bn: int = 128, stages: int = 2, consumers: int = 2, causal: bool = False,
    group: int = 1,
) -> None:  # fmt: skip
    """O = softmax(Q K^T scale / log2 e) V of arrays (batch, heads, length, d); `scale` is a power of two's factor: log2(e) / sqrt(d).

    `shared_heads` heads of Q have one head of K and V. `causal`: a query sees the keys up to its own place, counted from the ends.
    A query that sees no key has zeros. CTAs take tiles of 64 * consumers queries, `group` heads beside each other.
    """
    bm = 64 * consumers
    tile_q, tile_k = k.tile(element, (bm, d)), k.tile(element, (bn, d), stages=stages)
    tile_v, tile_o = k.tile(element, (d, bn), stages=stages, major="MN"), k.tile(element, (64, d), stages=consumers)
    pipe_q, pipe_k, pipe_v = (k.pipeline(n, consumers=4 * consumers) for n in (1, stages, stages))
    stored, turn = k.named_barrier(128, consumers), k.named_barrier(128 * consumers, consumers)
    shift = key_length.to(s32) - query_length.to(s32)
    tiles = (query_length + bm - 1) // bm

    def work() -> Any:
        """(head, matrix, first query, blocks of keys, those of them that every query of the tile sees) of each tile."""
        for row, column in k.persistent_tiles(heads * batch, tiles, group=group):
            first = (tiles - 1 - column if causal else column) * bm  # the longest ones first
            blocks, whole = (key_length + bn - 1) // bn, key_length // bn
            if causal:
                seen = k.max(first.to(s32) + shift + bm, 1).to(u32)
                blocks = k.min(blocks, (seen + bn - 1) // bn)
                whole = k.min(whole, k.max(first.to(s32) + shift + 1, 0).to(u32) // bn)
            yield row % heads, row // heads, first, blocks, whole

    producer, consumer = REGISTERS[consumers]
    with k.roles(load=(1, producer), attend=(consumers, consumer)) as (load, attend):
        with load, k.if_(k.tid.x == 0):
            for head, matrix, first, blocks, _ in work():
                shared = head // shared_heads
                for stage in pipe_q.produce(1):
                    q.load(tile_q, (0, first, head, matrix), stage.barrier)
                for block in k.range(blocks + 1):  # of one step, the keys of a block and the values of the one before
                    with k.if_(block < blocks):
                        for stage in pipe_k.produce(1):
                            keys.load(tile_k[stage.index], (0, (blocks - 1 - block) * bn, shared, matrix), stage.barrier)
                    with k.if_(block > 0):
                        for stage in pipe_v.produce(1):
                            values.load(tile_v[stage.index], (0, (blocks - block) * bn, shared, matrix), stage.barrier)
        with attend as mine:
            one = k.tid.x % 128 == 0
            scores, out = k.sums(64, bn), k.sums(64, d)
            softmax = Softmax(k, scores, scale)
            weights = scores.packed(element)
            if consumers == 2:
                with k.if_(mine == 1):
                    turn[0].arrive()
            for head, matrix, first, blocks, whole in work():
                mine_q = tile_q.part(mine * 64, rows=64)
                row = (first + mine * 64).to(s32) + shift + 1  # the number of keys that the tile's first query sees

                def hide(block: u32, row: s32 = row) -> None:
                    """Of the scores, those of keys that a query does not see."""
                    seen = [k.const(s32, 0) + key_length.to(s32)] * 2
                    if causal:
                        seen = [k.min(seen[half], scores.row(half).to(s32) + row) for half in range(2)]
                    start = (block * bn).to(s32)
                    for index, score in enumerate(scores.values):
                        visible = scores.column(index).to(s32) + start < seen[scores.half(index)]
                        score.set(k.select(visible, score, -math.inf))

                def step(block: u32, hides: bool) -> None:
                    """The scores of a block, under the product of the weights and the values of the one before."""
                    stage = pipe_k.take()
                    if consumers == 2:
                        turn[mine].sync()
                    scores.add_product(mine_q, tile_k[stage.index], keep=False)
                    before = pipe_v.take()
                    out.add_product(weights, tile_v[before.index])
                    if consumers == 2:
                        turn[1 - mine].arrive()
                    k.wgmma_wait(1)
                    pipe_k.release(stage)
                    if hides:
                        hide(block)
                    factors = softmax.update()
                    k.wgmma_wait(0)
                    pipe_v.release(before)
                    for index, value in enumerate(out.values):
                        value *= factors[out.half(index)]
                    scores.to(element, into=weights)

                softmax.clear()
                for value in out.values:
                    value.set(0)
                query = pipe_q.take()
                stage = pipe_k.take()
                scores.add_product(mine_q, tile_k[stage.index], keep=False)
                k.wgmma_wait(0)
                pipe_k.release(stage)
                hide(blocks - 1)
                softmax.update()
                scores.to(element, into=weights)
                rest = k.min(blocks - 1, whole)
                if causal:
                    for index in k.range(blocks - 1 - rest):
                        step(blocks - 2 - index, hides=True)
                for index in k.range(rest):
                    step(rest - 1 - index, hides=False)
                pipe_q.release(query)
                last = pipe_v.take()
                out.add_product(weights, tile_v[last.index])
                inverse = softmax.inverse()
                k.wgmma_wait(0)
                pipe_v.release(last)
                with k.if_(one):
                    k.bulk_wait(0)
                stored[mine].sync()
                for index, value in enumerate(out.values):
                    value *= inverse[out.half(index)]
                out.to(element).store(tile_o[mine])
                k.publish_shared()
                stored[mine].sync()
                with k.if_(one):
                    o.store(tile_o[mine], (0, first + mine * 64, head, matrix))
                    k.bulk_commit()
            with k.if_(one):
                k.bulk_wait(0)


class Softmax:
    """The softmax of a row's scores as they come, block by block: the largest one so far, and the sum of the weights."""

    def __init__(self, k: Builder, scores: Sums, scale: f32) -> None:
        self.k, self.scores, self.scale = k, scores, scale
        self.top = [k.var(f32, -math.inf) for _ in range(2)]
        self.total = [k.var(f32, 0) for _ in range(2)]

    def clear(self) -> None:
        """A new row."""
        for top, total in zip(self.top, self.total):
            top.set(-math.inf)
            total.set(0)

    def update(self) -> list[f32]:
        """The scores become weights, 2^(scale (score - the largest)); what earlier weights of each row are to be multiplied by."""
        k, factors = self.k, []
        highest = self.scores.reduce_rows(k.max)
        for values, high, top, total in zip(self.scores.halves(), highest, self.top, self.total):
            new = k.max(top, high)
            base = k.select(new == -math.inf, 0.0, new * self.scale)  # of a row without a key
            factors.append(k.exp2(k.fma(top, self.scale, -base), ftz=True))
            top.set(new)
            for value in values:
                value.set(k.exp2(k.fma(value, self.scale, -base), ftz=True))
            total.set(k.fma(total, factors[-1], _sum(values)))
        return factors

    def inverse(self) -> list[f32]:
        """What each row's sum of weighted values is to be multiplied by: 0 for a row without a key."""
        k, found = self.k, []
        for total in self.total:
            whole = total
            for lanes in (1, 2):
                whole = whole + k.shfl_xor(whole, lanes)
            found.append(k.select(whole == 0, 0.0, k.rcp(whole)))
        return found


def _sum(values: list[Any]) -> Any:
    """Four sums side by side, then together: short chains of additions."""
    parts = [reduce(lambda a, b: a + b, values[i::4]) for i in range(4)]
    return (parts[0] + parts[1]) + (parts[2] + parts[3])
