"""The tile of a forward attention kernel of sm_90a: products, softmax and stores of the queries of one tile after the other.

What the kernels of `attention` and `attention_packed` have in common. Where the tiles come from (`Matrices`, `Sequences`) is
theirs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f32, ptr, s32, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.attention.attention_rows import Strided, clear, moved, store_rows
from ptxgen.kernels.attention.online_softmax import RAISED, Softmax
from ptxgen.kernels.attention.tile_order import tiles_in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.tiles.fragments import Fragment, Sums
    from ptxgen.builder.tiles.pipeline import Pipeline, Stage
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


class SharedStorage(NamedTuple):
    """Tiles of shared memory, and the pipelines and barriers that say whose turn they are. `alone`: whether the result has a
    place of its own, not that of the queries."""

    q: Any
    k: Any
    v: Any
    o: Any
    alone: bool
    queries: Pipeline
    keys: Pipeline
    values: Pipeline
    stored: Any
    turns: Any
    cleared: Any


def shared_storage(k: Builder, form: Form) -> SharedStorage:
    """Lay out the shared memory of a CTA."""
    element, d, bn, stages, consumers = form.element, form.d, form.bn, form.stages, form.consumers
    result_type = form.result or element
    swizzle = swizzle_of(element, d)
    tile_q = k.tile(element, (64, d), stages=consumers, swizzle=swizzle)
    tile_k = k.tile(element, (bn, d), stages=stages, swizzle=swizzle)
    if form.narrow:  # of fp8 wgmma takes both operands with the elements along K beside each other
        tile_v = k.tile(element, (d, bn), stages=stages, swizzle=swizzle_of(element, bn))
    else:
        tile_v = k.tile(element, (d, bn), stages=stages, swizzle=swizzle, major="MN")
    alone = d <= 128 or form.narrow
    over = None if alone else tile_q
    tile_o = k.tile(result_type, (64, d), stages=consumers, swizzle=swizzle_of(result_type, d), over=over)
    queries, keys, values = (k.pipeline(n, consumers=4 * consumers) for n in (1, stages, stages))
    stored, turns = k.named_barrier(128, consumers), k.turns(2 if consumers == 2 else 1)
    cleared = k.named_barrier(128 * consumers)
    return SharedStorage(tile_q, tile_k, tile_v, tile_o, alone, queries, keys, values, stored, turns, cleared)


def forward(
    k: Builder, form: Form, schedule: Schedule, shared_heads: u32, scale: f32, q: Any, keys: Any, values: Any, o: Any,
    rows: Rows | None = None, scales: Scales | None = None,
) -> None:  # fmt: skip
    """The whole kernel: one warpgroup loads, the others attend. With `rows.o` sequences lie behind each other in one array."""
    check_mask(form.window, form.softcap, form.causal)
    at = shared_storage(k, form)
    schedule.start()
    k.launch_dependents()
    producer, consumer = REGISTERS[form.consumers]
    with k.roles(load=(1, producer), attend=(form.consumers, consumer)) as (load, attend):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in schedule.tiles(warps=False):
                load_tile(k, form, at, tile, tile.head // shared_heads, q, keys, values)
        with attend as mine:
            warpgroup = Warpgroup(k, form, at, mine, scale, rows)
            for tile in schedule.tiles(warps=True):
                of_values = warpgroup.scaled(scales, tile, shared_heads)
                query, inverse = warpgroup.attend(tile, of_values)
                warpgroup.store(tile, query, inverse, o)
            with k.if_(warpgroup.one):
                k.bulk_wait(0)


def load_tile(
    k: Builder, form: Form, at: SharedStorage, tile: Tile, shared: u32, q: Any, keys: Any, values: Any
) -> None:
    """The queries of a tile, and all blocks of keys and values that they see, the last first, of the head `shared`."""
    head, matrix, first, blocks, bn = tile.head, tile.matrix, tile.first, tile.blocks, form.bn
    for stage in at.queries.produce(1):
        for number in range(form.consumers):
            q.load(at.q[number], (0, moved(first + 64 * number, tile.query_row), head, matrix), stage.barrier)
    count = without(blocks, tile.begin)
    for block in k.range(count + 1):  # of one step, the keys of a block and the values of the one before
        with k.if_(block < count):
            for stage in at.keys.produce(1):
                into = at.k[stage.index]
                row = moved((blocks - 1 - block) * bn, tile.key_row)
                keys.load(into, (0, row, shared, matrix), stage.barrier)
        with k.if_(block > 0):
            for stage in at.values.produce(1):
                into = at.v[stage.index]
                row = moved((blocks - block) * bn, tile.key_row)
                place = (row, 0) if form.narrow else (0, row)
                values.load(into, (*place, shared, matrix), stage.barrier)


class Warpgroup:
    """One of the warpgroups that attend: its scores, its softmax and its sums, of 64 queries of one tile after the other."""

    def __init__(self, k: Builder, form: Form, at: SharedStorage, mine: u32, scale: f32, rows: Rows | None) -> None:
        self.k, self.form, self.at, self.mine, self.scale, self.rows = k, form, at, mine, scale, rows
        self.one, self.q = k.tid.x % 128 == 0, at.q[mine]
        self.scores, self.out = k.sums(64, form.bn), k.sums(64, form.d)
        self.inner, factor = bound_of(k, form.softcap, scale)
        self.softmax = Softmax(k, self.scores, factor, *(RAISED if form.narrow else ()))
        self.weights = self.scores.packed(form.element)
        at.turns.begin(mine)

    @property
    def packed(self) -> bool:
        """Whether what lies behind a sequence's end is another's."""
        return self.rows is not None and self.rows.o is not None

    def scaled(self, scales: Scales | None, tile: Tile, shared_heads: u32) -> f32 | None:
        """Take a tile's factors into its scores; that of its result, None for 1."""
        if scales is None or not scales.arrays:
            return None if scales is None else scales.value
        of_q, of_k, of_v = scales.of(tile, tile.head // shared_heads)
        self.inner, factor = bound_of(self.k, self.form.softcap, self.scale * of_q * of_k)
        self.softmax.multiply(factor)
        return scales.value * of_v

    def attend(self, tile: Tile, of_values: f32 | None) -> tuple[Stage, list[f32]]:
        """Sum a tile's weighted values into `out`. Gives the stage of its queries, and what the sums of each row are to be
        multiplied by."""
        k, at, scores, out, weights, softmax = self.k, self.at, self.scores, self.out, self.weights, self.softmax
        form, element, blocks, begin = self.form, self.form.element, tile.blocks, tile.begin
        own = (
            (tile.first + self.mine * 64).to(s32) + tile.shift + 1
        )  # the number of keys that the tile's first query sees
        softmax.clear()
        for value in out.values:
            value.set(0)
        query = at.queries.take()
        stage = at.keys.take()
        scores.add_product(self.q, at.k[stage.index], keep=False)
        k.wgmma_wait(0)
        at.keys.release(stage)
        self._weigh(tile, own, blocks - 1, is_edge(form, tile, blocks - 1, ends=True))
        scores.to(element, into=weights)
        for index in k.range(blocks - 1 - begin):
            # the scores of a block, under the product of the weights and the values of the one before
            block = blocks - 2 - index
            stage = at.keys.take()
            with at.turns.of(self.mine):
                scores.add_product(self.q, at.k[stage.index], keep=False)
                before = self._take_values(tile, block + 1, in_turn=at.turns.groups > 1)
                out.add_product(weights, at.v[before.index])
            k.wgmma_wait(1)
            at.keys.release(stage)
            self._weigh(tile, own, block, is_edge(form, tile, block))
            k.wgmma_wait(0)
            at.values.release(before)
            # Weights are packed beside the last 2^x; not those of fp8, whose sums are rescaled often (measured, H200).
            if form.narrow:
                softmax.rescale(out)
            scores.to(element, into=weights)
            if not form.narrow:
                softmax.rescale(out)
        if at.alone:
            at.queries.release(query)
        last = self._take_values(tile, k.const(u32, 0) + begin)
        out.add_product(weights, at.v[last.index])
        inverse = softmax.inverse()
        if of_values is not None:
            inverse = [each * of_values for each in inverse]
        k.wgmma_wait(0)
        at.values.release(last)
        return query, inverse

    def _weigh(self, tile: Tile, own: s32, block: u32, edge: Any) -> None:
        """The scores of a block become weights; an `edge` has keys that somebody does not see."""
        k = self.k
        if self.inner is not None:
            for score in self.scores.values:
                score.set(k.tanh(score * self.inner))
        if edge is not None:
            with k.if_(edge):
                hide_unseen(k, self.form, self.scores, tile, own, block)
        self.softmax.update()

    def _take_values(self, tile: Tile, block: u32, *, in_turn: bool = False) -> Stage:
        """The values of a block; what lies behind the sequence's end is another's, and becomes zeros before anyone reads it: in
        the first warpgroup's turn, or where there are no turns by all of them."""
        k, at, form = self.k, self.at, self.form
        found = at.values.take()
        if self.packed:
            edge = (block + 1) * form.bn > tile.keys
            with k.if_(edge & (self.mine == 0) if in_turn else edge):
                consumers, done = (1, at.stored[0]) if in_turn else (form.consumers, at.cleared)
                clear(k, [at.v[found.index]], tile.keys - block * form.bn, consumers, done)
        return found

    def store(self, tile: Tile, query: Stage, inverse: list[f32], o: Any) -> None:
        """Multiply the sums by the `inverse` of their rows' weights, and store them."""
        k, at, mine, out, rows, one = self.k, self.at, self.mine, self.out, self.rows, self.one
        with k.if_(one):
            k.bulk_wait(0)
        at.stored[mine].sync()
        for index, value in enumerate(out.values):
            value *= inverse[out.half(index)]
        result: Any = out.to(self.form.result or self.form.element)
        if rows is not None:
            start = tile.first + mine * 64
            if rows.log_sums is not None:
                _store_log_sums(k, rows, rows.log_sums, tile, start, self.softmax, self.scores)
            if rows.o is not None:
                with k.if_(start + 64 > tile.queries):
                    store_rows(k, rows.o, tile.head, tile.query_row, start, tile.queries, result)
        result.store(at.o[mine])
        k.publish_shared()
        at.stored[mine].sync()
        with k.if_(one & (start + 64 <= tile.queries) if self.packed else one):
            o.store(at.o[mine], (0, moved(tile.first + mine * 64, tile.query_row), tile.head, tile.matrix))
            k.bulk_commit()
            if not at.alone:
                k.bulk_wait(0)
        if not at.alone:
            at.stored[mine].sync()
            at.queries.release(query)


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
