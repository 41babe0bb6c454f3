"""The second kernel of attention's gradients: dK and dV of blocks of keys, with scores whose rows are keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, f32, kernel, ptr, s32, u32
from ptxgen.builder.tiles.fragments import pack
from ptxgen.builder.values import Value
from ptxgen.kernels.attention.attention_forward import Form, bound_of, check_mask, swizzle_of, without
from ptxgen.kernels.attention.attention_gradients import (
    CONSUMERS,
    FULL,
    REGISTERS,
    ROWS,
    KeyTile,
    Statistics,
    bound,
    scaled,
    steepness,
)
from ptxgen.kernels.attention.attention_rows import Strided, clear, moved, store_rows
from ptxgen.kernels.attention.tile_order import tiles_in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.tiles.fragments import Sums
    from ptxgen.builder.tiles.pipeline import Pipeline, Stage

__all__ = ["attention_backward_keys", "keys_body", "seeing_blocks"]


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


class SharedStorage(NamedTuple):
    """Tiles of shared memory, Q and dO also with their elements along the queries, and what says whose turn they are. `known`:
    a block of statistics as it lies in memory, bases, then D."""

    k: Any
    v: Any
    q: Any
    d_o: Any
    turned_q: Any
    turned_d: Any
    known: Any
    keys: Pipeline
    queries: Pipeline
    stored: Any


def shared_storage(k: Builder, form: Form) -> SharedStorage:
    """Lay out the shared memory of a CTA."""
    element, d, stages = form.element, form.d, form.stages
    swizzle = swizzle_of(element, d)
    keys, values = (k.tile(element, (64, d), stages=CONSUMERS, swizzle=swizzle) for _ in range(2))
    q, d_o = (k.tile(element, (ROWS, d), stages=stages, swizzle=swizzle) for _ in range(2))
    turned_q, turned_d = (
        k.tile(element, (d, ROWS), stages=stages, swizzle=swizzle, major="MN", over=each) for each in (q, d_o)
    )
    known = k.tile(f32, (8, 2 * ROWS // 8), stages=stages, swizzle="none")
    pipelines = k.pipeline(1, consumers=4 * CONSUMERS), k.pipeline(stages, consumers=4 * CONSUMERS)
    stored = k.named_barrier(128, CONSUMERS)
    return SharedStorage(keys, values, q, d_o, turned_q, turned_d, known, *pipelines, stored)


def keys_body(
    k: Builder, form: Form, schedule: KeySchedule, shared_heads: u32, factors: tuple[f32, f32], arrays: tuple[Any, ...],
    told: Statistics, into: tuple[Strided, Strided] | None = None,
) -> None:  # fmt: skip
    """The whole second kernel. `into` are dK and dV where sequences lie behind each other in one array."""
    check_mask(form.window, form.softcap, form.causal)
    *sources, d_keys, d_values = arrays
    at = shared_storage(k, form)
    k.launch_dependents()
    loading, attending = FULL if form.d == 128 else REGISTERS
    with k.roles(load=(1, loading), attend=(CONSUMERS, attending)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in schedule.tiles(warps=False):
                load_tile(k, at, tile, shared_heads, sources, told)
        with attend as mine:
            warpgroup = Warpgroup(k, form, at, mine, factors, into)
            for tile in schedule.tiles(warps=True):
                start = tile.first + mine * 64
                for value in (*warpgroup.total_k.values, *warpgroup.total_v.values):
                    value.set(0)
                taken = warpgroup.take()
                for _ in k.range(shared_heads):
                    warpgroup.add_up(tile, start)
                warpgroup.store(tile, start, d_keys, d_values)
                at.keys.release(taken)


def load_tile(
    k: Builder, at: SharedStorage, tile: KeyTile, shared_heads: u32, sources: list[Any], told: Statistics
) -> None:  # fmt: skip
    """The keys and values of a tile, and of each head that shares them the blocks of queries that see them, with their dO."""
    q, keys, values, d_o = sources
    for stage in at.keys.produce(1):
        for part in range(CONSUMERS):
            place = (0, moved(tile.first + part * 64, tile.key_row), tile.head, tile.matrix)
            keys.load(at.k[part], place, stage.barrier)
            values.load(at.v[part], place, stage.barrier)
    for sharing in k.range(shared_heads):
        query_head = tile.head * shared_heads + sharing
        for stage in at.queries.produce(without(tile.end, tile.least)):
            block = stage.step + tile.least
            place = (0, moved(block * ROWS, tile.query_row), query_head, tile.matrix)
            line = told.line(tile, query_head, block)
            q.load(at.q[stage.index], place, stage.barrier)
            d_o.load(at.d_o[stage.index], place, stage.barrier)
            stage.barrier.expect(2 * ROWS * 4)
            k.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](
                at.known[stage.index].operand(), told.values.at(line), 2 * ROWS * 4, stage.barrier.operand()
            )


class Warpgroup:
    """One of the warpgroups that attend: the sums of dK and dV of 64 keys of one tile after the other."""

    def __init__(
        self, k: Builder, form: Form, at: SharedStorage, mine: u32, factors: tuple[f32, f32],
        into: tuple[Strided, Strided] | None,
    ) -> None:  # fmt: skip
        scale, self.natural = factors
        self.k, self.form, self.at, self.mine, self.into = k, form, at, mine, into
        self.one = k.tid.x % 128 == 0
        self.scores, self.slopes = k.sums(64, ROWS), k.sums(64, ROWS)
        self.total_k, self.total_v = k.sums(64, form.d), k.sums(64, form.d)
        self.weights, self.packed = self.scores.packed(form.element), self.slopes.packed(form.element)
        self.held = [self.total_k.packed(form.element) for _ in range(2)] if holds(form) and into is None else None
        self.inner, self.factor = bound_of(k, form.softcap, scale)

    def take(self) -> Stage:
        """The keys and values of the next tile, in registers where these have room."""
        taken = self.at.keys.take()
        if self.held:
            for fragment, filled in zip(self.held, (self.at.k, self.at.v)):
                fragment.load(filled[self.mine])
        return taken

    def add_up(self, tile: KeyTile, start: u32) -> None:
        """dS^T Q and P^T dO over the blocks of one head's queries, into `total_k` and `total_v`."""
        k, at, form, mine, scores, slopes = self.k, self.at, self.form, self.mine, self.scores, self.slopes
        in_flight = 1 if form.stages > 2 else 0
        for stage in at.queries.consume(without(tile.end, tile.least), in_flight=in_flight):
            first = (stage.step + tile.least) * ROWS
            if self.into is not None:
                with k.if_(first + ROWS > tile.queries):
                    others = (each[stage.index] for each in (at.turned_q, at.turned_d))
                    clear(k, others, tile.queries - first, 1, at.stored[mine])
            scores.add_product(self.held[0] if self.held else at.k[mine], at.q[stage.index], keep=False)
            slopes.add_product(self.held[1] if self.held else at.v[mine], at.d_o[stage.index], keep=False)
            k.wgmma_wait(1)
            bound(k, scores, self.inner)
            if form.causal:
                _hide_keys(k, form, scores, start, first.to(s32) + tile.shift)
            pairs = at.known[stage.index].at(0, 0).vectors(2)
            self._weigh(pairs)
            self.total_v.add_product(self.weights, at.turned_d[stage.index])
            k.wgmma_wait(1)
            for index in range(0, len(scores.values), 4):
                dots = pairs[k.lane % 4 + (index + ROWS // 2)]
                for beside in range(4):
                    slope = slopes.values[index + beside]
                    slope.set(scores.values[index + beside] * (slope - dots[beside % 2]))
            slopes.to(form.element, into=self.packed)
            self.total_k.add_product(self.packed, at.turned_q[stage.index])
            k.syncwarp()  # all lanes have read what is known of the queries

    def _weigh(self, pairs: Any) -> None:
        """Scores become weights, also packed ones; `pairs` begin with the bases of the block's queries."""
        k, scores, words = self.k, self.scores, self.weights.words
        for index in range(0, len(scores.values), 4):
            bases = pairs[k.lane % 4 + index]
            four = scores.values[index : index + 4]
            made = [k.exp2(k.fma(each, self.factor, -bases[i % 2]), ftz=True) for i, each in enumerate(four)]
            for half, word in enumerate(words[index // 2 :][:2]):
                pack(k, made[2 * half :][:2], self.form.element, into=word)
            for score, weight in zip(four, made):
                score.set(weight if self.inner is None else weight * steepness(k, score))

    def store(self, tile: KeyTile, start: u32, d_keys: Any, d_values: Any) -> None:
        """dK and dV, over the tiles of K and V."""
        k, at, mine, one = self.k, self.at, self.mine, self.one
        at.stored[mine].sync()  # the products of all four warps have read K and V
        results = [total.to(self.form.element) for total in (scaled(self.total_k, self.natural), self.total_v)]
        if self.into is not None:
            with k.if_(start + 64 > tile.keys):
                for strided, result in zip(self.into, results):
                    store_rows(k, strided, tile.head, tile.key_row, start, tile.keys, result)
        for result, filled in zip(results, (at.k, at.v)):
            result.store(filled[mine])
        k.publish_shared()
        at.stored[mine].sync()
        with k.if_(one if self.into is None else one & (start + 64 <= tile.keys)):
            place = (0, moved(start, tile.key_row), tile.head, tile.matrix)
            d_keys.store(at.k[mine], place)
            d_values.store(at.v[mine], place)
            k.bulk_commit()
            k.bulk_wait(0)
        at.stored[mine].sync()


def holds(form: Form) -> bool:
    """Whether a tile's keys and values are in registers: products with 64 queries whose operands both lie in shared memory take
    all that it gives (a sixth of the time, measured on an H200). Not where a loop has branches beside products under way: there
    ptxas 13.0 gives these registers to the weights as well."""
    return form.d == 64 and not form.causal


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
