"""The first kernel of attention's gradients: dQ of blocks of queries, and what the second one needs to know of them."""

from __future__ import annotations

import math

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.attention.attention_forward import (
    Form,
    Matrices,
    bound_of,
    check_mask,
    hide_unseen,
    is_edge,
    swizzle_of,
    without,
)
from ptxgen.kernels.attention.attention_gradients import (
    CONSUMERS,
    REGISTERS,
    ROWS,
    Statistics,
    bound,
    scaled,
    steepness,
)
from ptxgen.kernels.attention.attention_rows import Strided, clear, moved, store_rows

if TYPE_CHECKING:
    from ptxgen.builder.tiles.pipeline import Pipeline
    from ptxgen.kernels.attention.attention_forward import Schedule, Tile

__all__ = ["attention_backward_queries", "queries_body"]


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


class SharedStorage(NamedTuple):
    """Tiles of shared memory, K and V also with their elements along the keys, and what says whose turn they are."""

    q: Any
    d_o: Any
    o: Any
    k: Any
    v: Any
    turned_k: Any
    turned_v: Any
    queries: Pipeline
    keys: Pipeline
    stored: Any


def shared_storage(k: Builder, form: Form) -> SharedStorage:
    """Lay out the shared memory of a CTA."""
    element, d, bn = form.element, form.d, form.bn
    swizzle = swizzle_of(element, d)
    q, d_o, o = (k.tile(element, (ROWS, d), stages=CONSUMERS, swizzle=swizzle) for _ in range(3))
    keys, values = (k.tile(element, (bn, d), stages=form.stages, swizzle=swizzle) for _ in range(2))
    turned_k, turned_v = (
        k.tile(element, (d, bn), stages=form.stages, swizzle=swizzle, major="MN", over=each) for each in (keys, values)
    )
    pipelines = k.pipeline(1, consumers=4 * CONSUMERS), k.pipeline(form.stages, consumers=4 * CONSUMERS)
    stored = k.named_barrier(128, CONSUMERS)
    return SharedStorage(q, d_o, o, keys, values, turned_k, turned_v, *pipelines, stored)


def queries_body(
    k: Builder, form: Form, schedule: Schedule, shared_heads: u32, factors: tuple[f32, f32], arrays: tuple[Any, ...],
    log_sums: ptr[f32], rows: u32, told: Statistics, into: Strided | None = None,
) -> None:  # fmt: skip
    """The whole first kernel; `log_sums` has so many `rows` a head. `into` is dQ where sequences lie behind each other in one
    array: rows behind a sequence's end are another's, do not count, and stay as they are."""
    check_mask(form.window, form.softcap, form.causal)
    *sources, d_q = arrays
    at = shared_storage(k, form)
    schedule.start()
    k.launch_dependents()
    loading, attending = REGISTERS
    with k.roles(load=(1, loading), attend=(CONSUMERS, attending)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in schedule.tiles(warps=False):
                load_tile(k, form, at, tile, tile.head // shared_heads, sources)
        with attend as mine:
            warpgroup = Warpgroup(k, form, at, mine, factors, into)
            for tile in schedule.tiles(warps=True):
                start = tile.first + mine * ROWS
                query = at.queries.take()
                less, dots = warpgroup.statistics(tile, start, log_sums, rows, told)
                warpgroup.add_up(tile, start, less, dots)
                warpgroup.store(tile, start, d_q)
                at.queries.release(query)


def load_tile(k: Builder, form: Form, at: SharedStorage, tile: Tile, shared: u32, sources: list[Any]) -> None:
    """The queries of a tile with their O and dO, and the blocks of keys and values that they see, of the head `shared`."""
    q, keys, values, o, d_o = sources
    for stage in at.queries.produce(1):
        for part in range(CONSUMERS):
            place = (0, moved(tile.first + part * ROWS, tile.query_row), tile.head, tile.matrix)
            for source, filled in ((q, at.q), (d_o, at.d_o), (o, at.o)):
                source.load(filled[part], place, stage.barrier)
    for stage in at.keys.produce(without(tile.blocks, tile.begin)):
        row = moved((tile.blocks - 1 - stage.step) * form.bn, tile.key_row)
        place = (0, row, shared, tile.matrix)
        keys.load(at.k[stage.index], place, stage.barrier)
        values.load(at.v[stage.index], place, stage.barrier)


class Warpgroup:
    """One of the warpgroups that attend: the sums of dQ of 64 queries of one tile after the other."""

    def __init__(
        self, k: Builder, form: Form, at: SharedStorage, mine: u32, factors: tuple[f32, f32], into: Strided | None
    ) -> None:  # fmt: skip
        scale, self.natural = factors
        self.k, self.form, self.at, self.mine, self.into = k, form, at, mine, into
        self.one = k.tid.x % 128 == 0
        self.scores, self.slopes, self.total = k.sums(64, form.bn), k.sums(64, form.bn), k.sums(64, form.d)
        self.packed = self.slopes.packed(form.element)
        self.inner, self.factor = bound_of(k, form.softcap, scale)

    def statistics(
        self, tile: Tile, start: u32, log_sums: ptr[f32], rows: u32, told: Statistics
    ) -> tuple[list[f32], list[f32]]:
        """Of a thread's two rows, what is added to scores (minus their bases), and D; both also for the second kernel."""
        k, at, mine, scores = self.k, self.at, self.mine, self.scores
        less, dots = [], []
        for half in range(2):
            row = scores.row(half)
            dot = _dot(k, at.d_o[mine], at.o[mine], row)
            if self.into is not None:
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
        return less, dots

    def add_up(self, tile: Tile, start: u32, less: list[f32], dots: list[f32]) -> None:
        """dS K over the blocks of keys, into `total`."""
        k, at, form, mine, scores, slopes = self.k, self.at, self.form, self.mine, self.scores, self.slopes
        for value in self.total.values:
            value.set(0)
        own = start.to(s32) + tile.shift
        for stage in at.keys.consume(without(tile.blocks, tile.begin), in_flight=1):
            block = tile.blocks - 1 - stage.step
            if self.into is not None:
                with k.if_((block + 1) * form.bn > tile.keys):
                    others = (each[stage.index] for each in (at.turned_k, at.turned_v))
                    clear(k, others, tile.keys - block * form.bn, 1, at.stored[mine])
            scores.add_product(at.q[mine], at.k[stage.index], keep=False)
            slopes.add_product(at.d_o[mine], at.v[stage.index], keep=False)
            k.wgmma_wait(1)
            bound(k, scores, self.inner)
            for index, score in enumerate(scores.values):
                weight = k.exp2(k.fma(score, self.factor, less[scores.half(index)]), ftz=True)
                score.set(weight if self.inner is None else weight * steepness(k, score))
            # Behind the weights, which are computed under the product: ptxas would move the wait for it ahead of them.
            with k.if_(is_edge(form, tile, block, ends=True)):
                hide_unseen(k, form, scores, tile, own + 1, block, 0.0)
            k.wgmma_wait(0)
            for index, (score, slope) in enumerate(zip(scores.values, slopes.values)):
                slope.set(score * (slope - dots[scores.half(index)]))
            slopes.to(form.element, into=self.packed)
            self.total.add_product(self.packed, at.turned_k[stage.index])

    def store(self, tile: Tile, start: u32, d_q: Any) -> None:
        """dQ, over the tile of O."""
        k, at, mine, one = self.k, self.at, self.mine, self.one
        at.stored[mine].sync()  # all have read O
        result = scaled(self.total, self.natural).to(self.form.element)
        if self.into is not None:
            with k.if_(start + ROWS > tile.queries):
                store_rows(k, self.into, tile.head, tile.query_row, start, tile.queries, result)
        result.store(at.o[mine])
        k.publish_shared()
        at.stored[mine].sync()
        with k.if_(one if self.into is None else one & (start + ROWS <= tile.queries)):
            d_q.store(at.o[mine], (0, moved(start, tile.query_row), tile.head, tile.matrix))
            k.bulk_commit()
            k.bulk_wait(0)
        at.stored[mine].sync()


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
