"""O = softmax(Q K^T scale) V with the tensor cores of sm_90a, tile by tile (FlashAttention-3, Shah and others 2024).

Floor: 4*queries*keys*d operations at the 989 TFLOP/s of bf16 that an H200's datasheet has (half where causal), and one 2^x a
score: 16 a clock and multiprocessor, so that for d = 128 the exponentials take half as long as the products. So the softmax of
one block of keys is computed under the products of another: within a warpgroup (the scores of the next block are asked for
before the weights of this one are used), and between two (named barriers let one issue its products while the other one is at
its exponentials). What remains are the ends of a tile and the waves of tiles; causal tiles are taken longest first.
"""

from __future__ import annotations

import math
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, TensorMap, bf16, f16, f32, kernel, s32, u32
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, rounded, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from ptxgen.builder.tiles.fragments import Sums


__all__ = ["KERNEL", "VARIANTS", "blocks_for", "plan"]

REGISTERS = {1: (None, None), 2: (24, 240), 3: (32, 160)}
"""Registers of the producer and of the consumers by the number of consuming warpgroups."""


@kernel
def attention_hopper(
    k: Builder, query_length: u32, key_length: u32, heads: u32, batch: u32, shared_heads: u32, scale: f32,
    q: TensorMap, keys: TensorMap, values: TensorMap, o: TensorMap,
    *, element: type[Value] = bf16, d: int = 128, bn: int = 128, stages: int = 2, consumers: int = 2, causal: bool = False,
    group: int = 1,
) -> None:  # fmt: skip
    """O of arrays (batch, heads, length, d): weights are 2^(scale (score - largest)), so `scale` is log2(e) times the usual one.

    `shared_heads` heads of Q have one head of K and V. `causal`: a query sees the keys up to its own place, counted from the
    ends. A query that sees no key has zeros. CTAs take tiles of 64 * consumers queries, `group` heads beside each other.
    """
    bm = 64 * consumers
    swizzle = "128B" if d % 64 == 0 else "64B"
    tile_q = k.tile(element, (64, d), stages=consumers, swizzle=swizzle)
    tile_k = k.tile(element, (bn, d), stages=stages, swizzle=swizzle)
    tile_v = k.tile(element, (d, bn), stages=stages, swizzle=swizzle, major="MN")
    alone = d <= 128  # else the result takes the place of the queries
    tile_o = k.tile(element, (64, d), stages=consumers, swizzle=swizzle, over=None if alone else tile_q)
    pipe_q, pipe_k, pipe_v = (k.pipeline(n, consumers=4 * consumers) for n in (1, stages, stages))
    stored, turns = k.named_barrier(128, consumers), k.turns(2 if consumers == 2 else 1)
    shift = key_length.to(s32) - query_length.to(s32)
    tiles = (query_length + bm - 1) // bm

    def work() -> Iterator[tuple[Any, ...]]:
        """(head, matrix, first query, blocks of keys, those of them that every query of the tile sees) of each tile."""
        for row, column in k.persistent_tiles(heads * batch, tiles, group=group):
            first = (tiles - 1 - column if causal else column) * bm  # the longest ones first
            blocks, whole = (key_length + bn - 1) // bn, key_length // bn
            if causal:
                seen = k.max(first.to(s32) + shift + bm, 1).to(u32)
                blocks = k.min(blocks, (seen + bn - 1) // bn)
                whole = k.min(whole, k.max(first.to(s32) + shift + 1, 0).to(u32) // bn)
            yield row % heads, row // heads, first, blocks, whole

    k.launch_dependents()
    producer, consumer = REGISTERS[consumers]
    with k.roles(load=(1, producer), attend=(consumers, consumer)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for head, matrix, first, blocks, _ in work():
                shared = head // shared_heads
                for stage in pipe_q.produce(1):
                    for number in range(consumers):
                        q.load(tile_q[number], (0, first + 64 * number, head, matrix), stage.barrier)
                for block in k.range(blocks + 1):  # of one step, the keys of a block and the values of the one before
                    with k.if_(block < blocks):
                        for stage in pipe_k.produce(1):
                            keys.load(
                                tile_k[stage.index], (0, (blocks - 1 - block) * bn, shared, matrix), stage.barrier
                            )
                    with k.if_(block > 0):
                        for stage in pipe_v.produce(1):
                            values.load(tile_v[stage.index], (0, (blocks - block) * bn, shared, matrix), stage.barrier)
        with attend as mine:
            one, mine_q = k.tid.x % 128 == 0, tile_q[mine]
            scores, out = k.sums(64, bn), k.sums(64, d)
            softmax = Softmax(k, scores, scale)
            weights = scores.packed(element)
            turns.begin(mine)
            for head, matrix, first, blocks, whole in work():
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
                    with turns.of(mine):
                        scores.add_product(mine_q, tile_k[stage.index], keep=False)
                        before = pipe_v.take()
                        out.add_product(weights, tile_v[before.index])
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
                if alone:
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
                    if not alone:
                        k.bulk_wait(0)
                if not alone:
                    stored[mine].sync()
                    pipe_q.release(query)
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
        """The scores become weights, 2^(scale (score - the largest)); what earlier weights of each row are to be multiplied
        by."""
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


KERNEL = attention_hopper

BLOCKS = {64: (128, 3), 96: (128, 2), 128: (128, 2), 256: (64, 2)}
"""By d: keys of a block and consuming warpgroups (measured on an H200 where d is 64 or 128)."""


def blocks_for(d: int, causal: bool) -> tuple[int, int]:
    """(keys of a block, consuming warpgroups) for a head of d elements. BuildError for another d."""
    if d not in BLOCKS:
        raise BuildError(f"attention of heads of {d} elements", hint=f"one of {', '.join(map(str, BLOCKS))}")
    return {(128, False): (160, 2), (64, True): (192, 2)}.get((d, causal), BLOCKS[d])


def plan(
    q: Any, keys: Any, values: Any, o: Any, *, batch: int, heads: int, query_length: int, key_length: int, d: int,
    shared_heads: int = 1, scale: float | None = None, causal: bool = False, element: type[Value] = bf16,
    processors: int = 132, bn: int = 0, consumers: int = 0,
) -> KernelPlan:  # fmt: skip
    """Arrays (batch, heads, length, d), of K and V heads // `shared_heads` heads; `scale` 1/sqrt(d) unless stated. BuildError
    for a type or a d that there is no kernel for."""
    if element not in (bf16, f16):
        raise BuildError(f"no attention of .{element.isa.name}", hint="bf16 or f16")
    chosen = blocks_for(d, causal)
    bn, consumers = bn or chosen[0], consumers or chosen[1]
    group = min((4 if query_length <= SHORT else 16) if causal else (16 if d == 64 else 1), heads * batch)
    kernel = using(attention_hopper, element=element, d=d, bn=bn, consumers=consumers, causal=causal, group=group)
    tiles = ceil_div(query_length, 64 * consumers) * heads * batch
    factor = math.log2(math.e) * (scale if scale is not None else 1 / math.sqrt(d))
    arguments = (query_length, key_length, heads, batch, shared_heads, factor, q, keys, values, o)
    return KernelPlan(kernel, max(1, min(tiles, processors)), 128 * (1 + consumers), arguments, programmatic=True)


SHORT = 2048
"""Queries up to which four causal heads beside each other are enough to even out their tiles (measured, H200)."""


def _case(
    size: tuple[int, int, int, int], rng: np.random.Generator, *, d: int, element: type[Value], causal: bool, shared_heads: int
) -> Case:  # fmt: skip
    import numpy as np

    batch, heads, queries, keys = size
    q = normal(rng, (batch, heads, queries, d), element)
    k, v = (normal(rng, (batch, heads // shared_heads, keys, d), element) for _ in range(2))
    x, y, z = (each.values.astype(np.float64) for each in (q, k, v))
    y, z = (np.repeat(each, shared_heads, 1) for each in (y, z))
    scores = x @ y.swapaxes(2, 3) / math.sqrt(d)
    if causal:
        scores = np.where(np.tril(np.ones((queries, keys), bool), keys - queries), scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.nan_to_num(np.exp(scores - scores.max(-1, keepdims=True)))
        weights /= np.maximum(weights.sum(-1, keepdims=True), 1e-300)
    expected = weights @ z
    error = unit_roundoff(element)
    limit = (weights @ np.abs(z)) * (2 * error + 2.0**-10) + np.abs(expected) * error + 2.0**-20
    zeros = HostArray(rounded(np.zeros((batch, heads, queries, d)), element), element)
    return Case(
        {"q": q, "k": k, "v": v, "o": zeros},
        lambda given: plan(
            given["q"], given["k"], given["v"], given["o"], batch=batch, heads=heads, query_length=queries, key_length=keys,
            d=d, shared_heads=shared_heads, causal=causal, element=element, processors=2,
        ),
        {"o": expected},
        Tolerance(limit, "the weights and the result are rounded to the element; 2^x has 2 ulp, scores an f32 sum's error"),
    )  # fmt: skip


_ABSENT = dict.fromkeys(("sm_75", "sm_80", "sm_100a", "sm_120"), "wgmma is an instruction of sm_90a")


def _variant(
    name: str, sizes: tuple[Any, ...], *, d: int = 128, causal: bool = False, element: type[Value] = bf16, shared: int = 1
) -> Variant:  # fmt: skip
    bn, consumers = blocks_for(d, causal)
    kernel = using(attention_hopper, element=element, d=d, bn=bn, consumers=consumers, causal=causal)
    make = partial(_case, d=d, element=element, causal=causal, shared_heads=shared)
    return Variant("attention", name, kernel, make, sizes, _ABSENT)


VARIANTS = (
    _variant("d128", ((1, 2, 200, 330), (1, 1, 1, 1))),
    _variant("d128.causal", ((1, 2, 200, 300), (1, 1, 200, 100)), causal=True, shared=1),
    _variant("d64", ((2, 2, 200, 130),), d=64, shared=2, element=f16),
    _variant("d96.causal", ((1, 1, 130, 260),), d=96, causal=True),
    _variant("d256", ((1, 1, 130, 100),), d=256),
)
