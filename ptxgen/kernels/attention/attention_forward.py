"""The tile of a forward attention kernel of sm_90a: products, softmax and stores of the queries of one tile after the other.

What the kernels of `attention` and `attention_packed` have in common. Where the tiles come from (`Matrices`, `Sequences`) is
theirs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ptxgen.builder import Builder, f32, ptr, s32, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.attention.attention_rows import Strided, clear, moved, store_rows
from ptxgen.kernels.attention.online_softmax import RAISED, Softmax
from ptxgen.kernels.attention.tile_order import tiles_in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.tiles.fragments import Fragment, Sums
    from ptxgen.builder.tiles.pipeline import Stage
    from ptxgen.builder.values import Value

__all__ = [
    "REGISTERS", "Form", "Matrices", "Rows", "Scales", "Schedule", "Tile", "bound_of", "check_mask", "forward", "hide_unseen",
    "is_edge", "masked", "seen_blocks", "swizzle_of", "without",
]  # fmt: skip

REGISTERS = {1: (None, None), 2: (24, 240), 3: (32, 160)}
"""Registers of the producer and of the consumers by the number of consuming warpgroups."""


class Form(NamedTuple):
    """What is known of a kernel when it is built. `window`: keys before its own place that a query sees, None for all;
    `softcap`: the bound c of scores, c tanh(score / c), 0 for none. Of fp8 the `result` is of another type, and V lies by
    columns: (batch, heads, d, keys), its keys in `fragments.FP8_ORDER`."""

    element: type[Value]
    d: int
    bn: int
    stages: int
    consumers: int
    causal: bool
    window: int | None = None
    softcap: float = 0.0
    result: type[Value] | None = None

    @property
    def narrow(self) -> bool:
        """Whether the elements are fp8."""
        return self.element.isa.bits == 8


def check_mask(window: int | None, softcap: float, causal: bool = True) -> None:
    """BuildError for a window and a bound of scores that no kernel can have."""
    if window is not None and (window < 0 or not causal):
        raise BuildError(f"a window of {window} keys, causal={causal}", hint="0 or more, with causal=True")
    if not 0 <= softcap < math.inf:
        raise BuildError(f"softcap={softcap}", hint="a positive number, or 0 for none")


def masked(window: int | None, softcap: float) -> dict[str, Any]:
    """Of the kernel's options, those that are used: a kernel without them is the same object however it was asked for."""
    return ({} if window is None else {"window": window}) | ({"softcap": softcap} if softcap else {})


def bound_of(k: Builder, softcap: float, scale: f32) -> tuple[f32 | None, f32]:
    """(a, b): a score s of 2^(scale s) becomes b tanh(a s) where it is bounded, else b s, and a is None."""
    if not softcap:
        return None, scale
    return scale * (1 / (math.log2(math.e) * softcap)), k.const(f32, math.log2(math.e) * softcap)


class Tile(NamedTuple):
    """64 queries for each consuming warpgroup. Of the blocks of keys from `begin` up to `blocks`, those up to `whole` end before
    any of the queries' own places, and those from `low` on are in all of their windows."""

    head: u32
    matrix: u32
    first: u32
    blocks: u32
    whole: u32
    begin: Any
    low: Any
    queries: u32
    keys: u32
    shift: s32
    query_row: Any = 0
    """Where its sequence's queries begin in their array, and its keys."""
    key_row: Any = 0
    sequence: Any = 0
    """Which of the sequences in its arrays it is of."""


class Schedule(Protocol):
    def start(self) -> None:
        """Compute what all tiles have in common."""

    def tiles(self, warps: bool) -> Iterator[Tile]:
        """The CTA's tiles; whole `warps` go through them, or one thread."""


def seen_blocks(k: Builder, form: Form, first: u32, shift: s32, blocks: u32, whole: u32) -> tuple[Any, Any, Any, Any]:
    """(`blocks`, `whole`, `begin`, `low`) of the tile whose first query is `first`, of what there would be without a mask."""
    begin: Any = 0
    low: Any = 0
    bm, bn = 64 * form.consumers, form.bn
    if form.causal:
        seen = k.max(first.to(s32) + shift + bm, 1).to(u32)
        blocks = k.min(blocks, (seen + bn - 1) // bn)
        whole = k.min(whole, k.max(first.to(s32) + shift + 1, 0).to(u32) // bn)
    if form.window is not None:
        least = first.to(s32) + shift - form.window  # the first query's first key
        begin = k.min(k.max(least, 0).to(u32) // bn, blocks - 1)
        low = (k.max(least + (bm - 1), 0).to(u32) + (bn - 1)) // bn
    return blocks, whole, begin, low


class Matrices:
    """The tiles of arrays (batch, heads, length, d)."""

    def __init__(
        self, k: Builder, form: Form, query_length: u32, key_length: u32, heads: u32, batch: u32, group: u32
    ) -> None:  # fmt: skip
        self.k, self.form, self.heads, self.batch, self.group = k, form, heads, batch, group
        self.query_length, self.key_length = query_length, key_length

    def start(self) -> None:
        bm = 64 * self.form.consumers
        self.shift = self.key_length.to(s32) - self.query_length.to(s32)
        self.count = (self.query_length + bm - 1) // bm

    def tiles(self, warps: bool) -> Iterator[Tile]:
        k, form, bm, bn = self.k, self.form, 64 * self.form.consumers, self.form.bn
        for row, place in tiles_in_turn(k, self.heads * self.batch, self.count, self.group, form.causal):
            first = (self.count - 1 - place if form.causal else place) * bm  # the last queries see the most
            blocks, whole = (self.key_length + bn - 1) // bn, self.key_length // bn
            part = seen_blocks(k, form, first, self.shift, blocks, whole)
            yield Tile(
                row % self.heads, row // self.heads, first, *part, self.query_length, self.key_length, self.shift
            )


class Rows(NamedTuple):
    """Results by rows, beside the stores of whole tiles: the logarithms of the sums, if wanted (`log_sums`, of `stride` rows a
    head and `heads` heads), and O itself (`o`) where rows behind a tile's end are another sequence's."""

    log_sums: ptr[f32] | None
    stride: u32
    heads: u32
    o: Strided | None = None


class Scales(NamedTuple):
    """What elements of fp8 are to be multiplied by: those of V by `value`; and where there are `arrays`, for Q, K and V, also by
    what stands there for the matrix and the one of `heads` heads of K."""

    value: f32
    arrays: tuple[Any, ...] = ()
    heads: Any = 0

    def of(self, tile: Tile, head: u32) -> list[f32]:
        """The factors of Q, K and V of a tile."""
        place = tile.matrix.to(u64) * self.heads.to(u64) + head.to(u64)
        return [each[place] for each in self.arrays]


def forward(
    k: Builder, form: Form, schedule: Schedule, shared_heads: u32, scale: f32, q: Any, keys: Any, values: Any, o: Any,
    rows: Rows | None = None, scales: Scales | None = None,
) -> None:  # fmt: skip
    """The whole kernel: one warpgroup loads, the others attend. With `rows.o` sequences lie behind each other in one array."""
    check_mask(form.window, form.softcap, form.causal)
    element, d, bn, stages, consumers = form.element, form.d, form.bn, form.stages, form.consumers
    result_type = form.result or element
    packed = rows is not None and rows.o is not None
    swizzle = swizzle_of(element, d)
    tile_q = k.tile(element, (64, d), stages=consumers, swizzle=swizzle)
    tile_k = k.tile(element, (bn, d), stages=stages, swizzle=swizzle)
    if form.narrow:  # of fp8 wgmma takes both operands with the elements along K beside each other
        tile_v = k.tile(element, (d, bn), stages=stages, swizzle=swizzle_of(element, bn))
    else:
        tile_v = k.tile(element, (d, bn), stages=stages, swizzle=swizzle, major="MN")
    alone = d <= 128 or form.narrow  # else the result takes the place of the queries
    over = None if alone else tile_q
    tile_o = k.tile(result_type, (64, d), stages=consumers, swizzle=swizzle_of(result_type, d), over=over)
    pipe_q, pipe_k, pipe_v = (k.pipeline(n, consumers=4 * consumers) for n in (1, stages, stages))
    stored, turns = k.named_barrier(128, consumers), k.turns(2 if consumers == 2 else 1)
    schedule.start()

    k.launch_dependents()
    producer, consumer = REGISTERS[consumers]
    with k.roles(load=(1, producer), attend=(consumers, consumer)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in schedule.tiles(warps=False):
                head, matrix, first, blocks, begin = tile.head, tile.matrix, tile.first, tile.blocks, tile.begin
                shared = head // shared_heads
                for stage in pipe_q.produce(1):
                    for number in range(consumers):
                        q.load(
                            tile_q[number],
                            (0, moved(first + 64 * number, tile.query_row), head, matrix),
                            stage.barrier,
                        )
                count = without(blocks, begin)
                for block in k.range(count + 1):  # of one step, the keys of a block and the values of the one before
                    with k.if_(block < count):
                        for stage in pipe_k.produce(1):
                            into = tile_k[stage.index]
                            row = moved((blocks - 1 - block) * bn, tile.key_row)
                            keys.load(into, (0, row, shared, matrix), stage.barrier)
                    with k.if_(block > 0):
                        for stage in pipe_v.produce(1):
                            into = tile_v[stage.index]
                            row = moved((blocks - block) * bn, tile.key_row)
                            place = (row, 0) if form.narrow else (0, row)
                            values.load(into, (*place, shared, matrix), stage.barrier)
        with attend as mine:
            one, mine_q = k.tid.x % 128 == 0, tile_q[mine]
            scores, out = k.sums(64, bn), k.sums(64, d)
            inner, factor = bound_of(k, form.softcap, scale)
            softmax = Softmax(k, scores, factor, *(RAISED if form.narrow else ()))
            weights = scores.packed(element)
            turns.begin(mine)
            for tile in schedule.tiles(warps=True):
                head, matrix, first, blocks, begin = tile.head, tile.matrix, tile.first, tile.blocks, tile.begin
                of_values = None if scales is None else scales.value
                if scales is not None and scales.arrays:
                    of_q, of_k, of_v = scales.of(tile, head // shared_heads)
                    inner, factor = bound_of(k, form.softcap, scale * of_q * of_k)
                    softmax.multiply(factor)
                    of_values = scales.value * of_v
                # the number of keys that the tile's first query sees
                own = (first + mine * 64).to(s32) + tile.shift + 1

                def weigh(block: u32, edge: Any, own: s32 = own, tile: Tile = tile, inner: f32 | None = inner) -> None:
                    """The scores of a block become weights; an `edge` has keys that somebody does not see."""
                    if inner is not None:
                        for score in scores.values:
                            score.set(k.tanh(score * inner))
                    if edge is not None:
                        with k.if_(edge):
                            hide_unseen(k, form, scores, tile, own, block)
                    softmax.update()

                def take_values(block: u32, tile: Tile = tile) -> Stage:
                    """The values of a block; what lies behind the sequence's end is another's, and becomes zeros."""
                    found = pipe_v.take()
                    if packed:
                        with k.if_((block + 1) * bn > tile.keys):
                            clear(k, tile_v[found.index], tile.keys - block * bn)
                            k.publish_shared()
                            stored[mine].sync()
                    return found

                softmax.clear()
                for value in out.values:
                    value.set(0)
                query = pipe_q.take()
                stage = pipe_k.take()
                scores.add_product(mine_q, tile_k[stage.index], keep=False)
                k.wgmma_wait(0)
                pipe_k.release(stage)
                weigh(blocks - 1, is_edge(form, tile, blocks - 1, ends=True))
                scores.to(element, into=weights)
                for index in k.range(blocks - 1 - begin):
                    # the scores of a block, under the product of the weights and the values of the one before
                    block = blocks - 2 - index
                    stage = pipe_k.take()
                    with turns.of(mine):
                        scores.add_product(mine_q, tile_k[stage.index], keep=False)
                        before = take_values(block + 1)
                        out.add_product(weights, tile_v[before.index])
                    k.wgmma_wait(1)
                    pipe_k.release(stage)
                    weigh(block, is_edge(form, tile, block))
                    k.wgmma_wait(0)
                    pipe_v.release(before)
                    # Weights are packed beside the last 2^x; not those of fp8, whose sums are rescaled often (measured, H200).
                    if form.narrow:
                        softmax.rescale(out)
                    scores.to(element, into=weights)
                    if not form.narrow:
                        softmax.rescale(out)
                if alone:
                    pipe_q.release(query)
                last = take_values(k.const(u32, 0) + begin)
                out.add_product(weights, tile_v[last.index])
                inverse = softmax.inverse()
                if of_values is not None:
                    inverse = [each * of_values for each in inverse]
                k.wgmma_wait(0)
                pipe_v.release(last)
                with k.if_(one):
                    k.bulk_wait(0)
                stored[mine].sync()
                for index, value in enumerate(out.values):
                    value *= inverse[out.half(index)]
                result: Any = out.to(result_type)
                if rows is not None:
                    start = first + mine * 64
                    if rows.log_sums is not None:
                        _store_log_sums(k, rows, rows.log_sums, tile, start, softmax, scores)
                    if rows.o is not None:
                        with k.if_(start + 64 > tile.queries):
                            store_rows(k, rows.o, head, tile.query_row, start, tile.queries, result)
                result.store(tile_o[mine])
                k.publish_shared()
                stored[mine].sync()
                with k.if_(one & (start + 64 <= tile.queries) if packed else one):
                    o.store(tile_o[mine], (0, moved(first + mine * 64, tile.query_row), head, matrix))
                    k.bulk_commit()
                    if not alone:
                        k.bulk_wait(0)
                if not alone:
                    stored[mine].sync()
                    pipe_q.release(query)
            with k.if_(one):
                k.bulk_wait(0)


def is_edge(form: Form, tile: Tile, block: u32, *, ends: bool = False) -> Any:
    """Whether a block has keys that somebody does not see; None where only the last one can, which `ends`."""
    edge = block >= tile.whole if form.causal or ends else None
    if form.window is not None:
        edge = edge | (block < tile.low)
    return edge


def hide_unseen(
    k: Builder, form: Form, scores: Fragment, tile: Tile, own: s32, block: u32, hidden: float = -math.inf
) -> None:  # fmt: skip
    """Of the scores of a block, those of keys that a query does not see become `hidden`; the first query sees `own`."""
    lines = [(line % 2, line // 2) for line in range(2 * scores.rows // scores.block)]
    first = scores.column(0).to(s32) + (block * form.bn).to(s32)  # this thread's first key
    behind = [tile.keys.to(s32) - first] * len(lines)
    least = None
    if form.causal:
        seen = [scores.row(*line).to(s32) + own - first for line in lines]
        behind = [k.min(*both) for both in zip(behind, seen)]
        if form.window is not None:
            least = [each - (form.window + 1) for each in seen]
    each = scores.columns // 2  # a thread's values of its two rows
    for number, score in enumerate(scores.values):
        index = number % each
        place, line = index // 4 * 8 + index % 2, number // each * 2 + scores.half(index)
        visible = behind[line] > place
        if least is not None:
            visible = visible & (least[line] <= place)
        score.set(k.select(visible, score, hidden))


def without(blocks: u32, begin: Any) -> u32:
    """The blocks that are left behind the first `begin`."""
    return blocks if isinstance(begin, int) else blocks - begin


def _store_log_sums(
    k: Builder, rows: Rows, log_sums: ptr[f32], tile: Tile, start: u32, softmax: Softmax, scores: Sums
) -> None:  # fmt: skip
    for half, each in enumerate(softmax.log_sums()):
        row = scores.row(half) + start
        with k.if_((row < tile.queries) & (k.tid.x % 4 == 0)):
            line = (tile.matrix * rows.heads + tile.head).to(u64) * rows.stride.to(u64)
            log_sums[line + moved(row, tile.query_row).to(u64)] = each


def swizzle_of(element: type[Value], columns: int) -> str:
    """The widest swizzle that whole rows of a tile have."""
    size = columns * element.isa.bytes
    return next(f"{span}B" for span in (128, 64, 32) if size % span == 0)
