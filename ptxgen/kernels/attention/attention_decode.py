"""Attention of one query token a sequence (or a few), over keys and values in pages: softmax(q K^T scale) V.

Floor: each key and value is read once. The arithmetic of a group's heads is little, if all of them are computed from one
read: they are the rows of mma.sync. So a kernel is as fast as it keeps loads under way: one warp fills a ring of stages, 160
to 200 KB of an SM's shared memory, by tensor copies, and four others use it, each a quarter of a block's keys with a softmax
of its own, so that they meet only where a sequence ends.

The blocks of keys of all sequences and heads are shared out evenly over the CTAs, whatever the lengths (Stream-K, Osama and
others 2023; FlashInfer, Ye and others 2025, plans the same on the host). The lengths are read by the kernel: a captured graph
serves lengths that change. Where CTAs share a head, each leaves its part in memory, and the last one to come adds them up, in
a fixed order.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, b32, bf16, f16, f32, kernel, ptr, u32, u64
from ptxgen.builder.values import Float
from ptxgen.errors import BuildError
from ptxgen.kernels.attention.attention import score_factor
from ptxgen.kernels.attention.attention_forward import check_mask, masked, swizzle_of
from ptxgen.kernels.attention.online_softmax import Softmax
from ptxgen.kernels.attention.split_keys import Finish, Share, padded
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.tiles.pipeline import Stage

__all__ = [
    "KERNEL", "ORDERS", "VARIANTS", "Layout", "attention_decode", "check", "layout_of", "plan", "reference", "scratch_of",
    "workers_for",
]  # fmt: skip

E = TypeVar("E", bound=Float)

SHARED = 227 * 1024 - 2048
"""Bytes of shared memory for tiles; the rest is for barriers and the parts' maxima (CUDA guide, compute capability 9.0)."""

BLOCK = 64
"""Keys of a block: 16, the depth of one mma, for each of four warps."""

WORKERS = 132
"""CTAs of a launch where nothing else is said: the SMs of an H200, one on each."""


ORDERS = {"NHD": 2, "HND": 1}
"""Which dimension of the pages counts their heads."""


class Layout(NamedTuple):
    """How a launch is laid out: `consumers` warpgroups compute 16 rows each, a head's rows take `row_blocks` of those, or `turns`
    warpgroups take the blocks of keys in turn. The ring has `stages`, a multiple of `turns`."""

    consumers: int
    row_blocks: int
    turns: int
    stages: int


def layout_of(d: int, group: int, queries: int = 1) -> Layout:
    """The layout for `group` heads of `queries` rows that share keys and values. BuildError for what the kernel cannot do."""
    rows = group * queries
    if d not in (64, 96, 128, 256) or not 1 <= group <= 16 or not 1 <= queries <= 8:
        raise BuildError(
            f"decoding with d = {d}, {group} heads a group and {queries} queries",
            hint="d is 64, 96, 128 or 256, a group has 1 to 16 heads, and there are 1 to 8 queries",
        )
    consumers = 2 if rows > 16 and d <= 128 else 1
    turns = 2 if rows <= 16 and d <= 128 else 1  # a block's keys come faster than one warpgroup uses them
    scratch = consumers * turns * 4 * padded(rows) * d * 4
    stages = min(12, (SHARED - scratch) // (BLOCK * d * 4)) // turns * turns
    return Layout(consumers, ceil_div(rows, 16 * consumers), turns, stages)


def scratch_of(d: int, group: int, queries: int, batch: int, kv_heads: int, workers: int = WORKERS) -> tuple[int, int]:
    """(f32 of `parts`, u32 of `arrived`) that a launch needs; `arrived` is zero before the first one, and after each."""
    consumers, row_blocks, *_ = layout_of(d, group, queries)
    items = batch * kv_heads * row_blocks
    return (items + workers) * 16 * consumers * (d + 4), items


def workers_for(items: int, processors: int = WORKERS) -> int:
    """CTAs of a launch of so many items (sequences by heads): such that each has the same part of one, or whole ones, where that
    takes most of the multiprocessors. Heads of the same keys, which lie beside each other, are then read at the same time
    (d = 96, 128 items: 92 % of a copy's bandwidth by 128 CTAs, 75 % by 132)."""
    even = (each for each in range(processors, 0, -1) if items % each == 0 or each % items == 0)
    return found if (found := next(even)) >= 0.95 * processors else processors


@kernel
def attention_decode(
    k: Builder, batch: u32, kv_heads: u32, table_pages: u32, scale: f32, q: ptr[E], keys: TensorMap, values: TensorMap,
    table: ptr[u32], lengths: ptr[u32], o: ptr[E], parts: ptr[f32], arrived: ptr[u32],
    *, element: type[E], d: int = 128, page_size: int = 64, group: int = 1, queries: int = 1, order: str = "NHD",
    window: int | None = None, softcap: float = 0.0,
) -> None:  # fmt: skip
    """O = softmax(q K^T scale / log2 e) V; `scale` is a power of two's factor: log2(e) / sqrt(d).

    q and O are (batch, queries, kv_heads * group, d). Key t of sequence s is row t % page_size of page table[s, t // page_size],
    `table` having `table_pages` columns; the pages are (pages, page_size, kv_heads * d), or with the `order` "HND" (pages,
    kv_heads, page_size, d). `lengths` counts the keys of each sequence, those of its queries included: query j sees all but the
    last queries - 1 - j, and where a `window` is stated its own and so many before it. `softcap` c: scores are
    c tanh(score / c). A query that sees no key has zeros. `parts` and `arrived` are scratch memory: see `scratch_of`.
    """
    consumers, row_blocks, turns, stages = layout_of(d, group, queries)
    box = math.gcd(page_size, BLOCK)
    if box < 8 or order not in ORDERS:
        raise BuildError(f"pages of {page_size} keys, order {order!r}", hint="a multiple of 8 keys; NHD or HND")
    check_mask(window, softcap)
    rows, swizzle = group * queries, swizzle_of(element, d)
    tile_k, tile_v = (k.tile(element, (BLOCK, d), stages=stages, swizzle=swizzle) for _ in range(2))
    pipe = k.pipeline(stages, consumers=4 * consumers)
    k.launch_dependents()
    with k.if_(k.tid.x == 0):
        for tensor in (keys, values):
            tensor.prefetch()
    k.wait_for_dependencies()
    reach = None if window is None else queries + window
    share = Share(k, lengths, batch, table_pages * page_size, items=kv_heads * row_blocks, block=BLOCK, reach=reach)
    finish = Finish(k, share, parts, arrived, d, min(rows, 16 * consumers), consumers, turns)

    def load_block(block: u32, line: ptr[u32], head: u32, length: u32) -> None:
        """The keys and values of a block, whose pages the table's `line` has; behind the sequence's end zeros."""
        starts = [block * BLOCK + each for each in range(0, BLOCK, box)]
        pages = [k.var(u32, 0xFFFFFFFF) for _ in starts]  # no such page: zeros come, and nothing is read
        for page, start in zip(pages, starts):
            with k.pred(start < length):
                page.set(line[start // page_size])
        for stage in pipe.produce(1):
            for number, (page, start) in enumerate(zip(pages, starts)):
                row = start % page_size
                corner = (head * d, row, page) if order == "NHD" else (0, row, head, page)
                for tensor, tile in ((keys, tile_k), (values, tile_v)):
                    tensor.load(tile[stage.index].part(number * box, rows=box), corner, stage.barrier)

    with k.roles(load=1, attend=consumers * turns) as (load, attend):
        with load, k.if_(k.tid.x == 0):
            for sequence, item, length, first, last in share.items():
                line = table.at(sequence.to(u64) * table_pages.to(u64))
                for block in k.range(first, last):
                    load_block(block, line, item // row_blocks, length)
        with attend as warpgroup:
            warp = Warp(k, element, tile_k, tile_v, scale, window, softcap)
            # A warpgroup has rows of its own, or all rows and, in turn, blocks: so many go to others before its next one.
            turn, mine = (k.var(u32, warpgroup), 0) if turns > 1 else (0, warpgroup)
            pipe.skip(turn)
            for sequence, item, length, first, last in share.items():
                row = (item % row_blocks * consumers + mine) * 16 + k.lane // 4
                head = item // row_blocks
                row_of = partial(_Row, sequence=sequence, head=head, kv_heads=kv_heads, group=group, queries=queries)
                mine_rows = [row_of(row + 8 * half) for half in range(2)]
                query = _load_query(k, q, mine_rows, rows, d)
                seen = [k.max(length + each.query + 1, queries) - queries for each in mine_rows]
                warp.clear()
                whole = (k.max(length + 1, queries) - queries) // BLOCK
                for block in k.range(first + turn, last, turns):
                    stage = pipe.take()
                    pipe.skip(turns - 1)
                    warp.step(stage, block, whole, query, seen, length)
                    pipe.release(stage)
                if isinstance(turn, u32):
                    turn.set((turn + (turns - 1) * (last - first)) % turns)
                finish.part(warpgroup, warp.softmax, warp.out)
                for index, total, sums in finish.whole(sequence, item):
                    place = row_of(item % row_blocks * (16 * consumers) + index // (d // 4))
                    with k.if_(place.row < rows):
                        inverse = k.select(total == 0, 0.0, k.rcp(total))
                        quad = place.index.to(u64) * (d // 4) + (index % (d // 4)).to(u64)
                        o.vectors(4)[quad] = (k.vec(*sums) * inverse).to(element)


class Warp:
    """One of the warps that attend: 16 rows, and a quarter of the keys of each block of its warpgroup."""

    def __init__(
        self, k: Builder, element: type[Float], tile_k: DeviceTile, tile_v: DeviceTile, scale: f32, window: int | None,
        softcap: float,
    ) -> None:  # fmt: skip
        self.k, self.element, self.tile_k, self.tile_v, self.window = k, element, tile_k, tile_v, window
        self.scores, self.out = k.sums(64, BLOCK // 4), k.sums(64, tile_k.columns)  # of a warp: its 16 rows
        self.softmax = Softmax(k, self.scores, k.const(f32, math.log2(math.e) * softcap) if softcap else scale)
        self.first_key = k.tid.x // 32 % 4 * 16
        self.places_k, self.places_v = (
            _places(k, tile, self.first_key, trans=trans) for tile, trans in ((tile_k, False), (tile_v, True))
        )
        self.masks = [k.var(b32) for _ in range(2)]
        self.inner = scale * (1 / (math.log2(math.e) * softcap)) if softcap else None

    def clear(self) -> None:
        """Begin anew."""
        self.softmax.clear()
        for value in self.out.values:
            value.set(0)
        for mask in self.masks:
            mask.set(0xFFFFFFFF)

    def step(self, stage: Stage, block: u32, whole: u32, query: list[list[b32]], seen: list[u32], length: u32) -> None:
        """The scores of this warp's keys of a block, and the values they weigh."""
        k, element, scores, out, softmax = self.k, self.element, self.scores, self.out, self.softmax
        for score in scores.values:
            score.set(0)
        for index, words in enumerate(_matrices(k, self.tile_k[stage.index], self.places_k, trans=False)):
            for half in range(2):
                _multiply(k, element, scores.values[4 * half :][:4], query[index], words[2 * half :][:2])
        if self.inner is not None:
            for score in scores.values:
                score.set(k.tanh(score * self.inner))
        hidden = block >= whole
        if self.window is not None:
            hidden = hidden | (block * BLOCK + (self.window + 1) < length)
        with k.if_(hidden):
            self._hide(block, seen, length)
        softmax.update()
        softmax.rescale(out)
        packed: Any = scores.to(element)
        weights = packed.step(0)
        for index, words in enumerate(_matrices(k, self.tile_v[stage.index], self.places_v, trans=True)):
            words = tuple(word & mask for word, mask in zip(words, self.masks * 2))
            for half in range(2):
                _multiply(k, element, out.values[8 * index + 4 * half :][:4], weights, words[2 * half :][:2])
        k.syncwarp()

    def _hide(self, block: u32, seen: list[u32], length: u32) -> None:
        """Scores of keys that a query does not see; and the bits of values behind the sequence's end, which may be NaN: a
        weight of zero does not take that away."""
        k, scores = self.k, self.scores
        places = [scores.column(index) + self.first_key + block * BLOCK for index in range(8)]
        for index, (score, place) in enumerate(zip(scores.values, places)):
            upto = seen[scores.half(index)]
            visible = place < upto
            if self.window is not None:
                visible = visible & (place + (self.window + 1) >= upto)
            score.set(k.select(visible, score, -math.inf))
        for mask, place in zip(self.masks, places[::4]):
            mask.set(_mask(k, place, length))


KERNEL = attention_decode


class _Row:
    """Row `row` of a group: its heads beside each other, one query after the other. `index` is the row of q and O as matrices
    of d columns."""

    def __init__(self, row: u32, sequence: u32, head: u32, kv_heads: u32, group: int, queries: int) -> None:
        self.row, self.query = row, row // group
        self.index = ((sequence * queries + self.query) * kv_heads + head) * group + row % group


def _load_query(k: Builder, q: Any, mine: list[_Row], rows: int, d: int) -> list[list[b32]]:
    """A's registers of each step along d: this thread's two rows, zeros where there is none."""
    words = [[k.var(b32, 0) for _ in range(4)] for _ in range(d // 16)]
    for half, row in enumerate(mine):
        with k.if_(row.row < rows):
            line = q.cast(b32).at(row.index.to(u64) * (d // 2) + (k.lane % 4).to(u64))
            for index, step in enumerate(words):
                step[half].set(line[index * 8])
                step[2 + half].set(line[index * 8 + 4])
    return words


def _places(k: Builder, tile: DeviceTile, row: u32, *, trans: bool) -> list[u32]:
    """Where in a stage this lane's row of four matrices of 8 by 8 lies, for each 16 columns of one of the tile's lines.

    They are 16 x 16 elements from `row` on, B of two products: of keys, rows are B's columns; of values (`trans`) its depth."""
    lane, layout = k.lane, tile.layout
    if trans:
        start = layout.offset(row + lane % 16, lane // 16 * 8)
    else:
        start = layout.offset(row + lane // 16 * 8 + lane % 8, lane // 8 % 2 * 8)
    return [start ^ (column * 2) if column else start for column in range(0, layout.per_line, 16)]


def _matrices(k: Builder, tile: DeviceTile, places: list[u32], *, trans: bool) -> Iterator[tuple[b32, ...]]:
    """B's registers of the products of each 16 columns, the first half of them for the first product."""
    layout, start = tile.layout, tile.address
    near = [start + place for place in places]
    load = k.ptx[f"ldmatrix.sync.aligned.m8n8.x4{'.trans' if trans else ''}.shared.b16"]
    for column in range(0, tile.columns, 16):
        line, within = divmod(column, layout.per_line)
        words = tuple(k.var(b32) for _ in range(4))
        load(words, [near[within // 16], line * layout.block])
        yield words


def _multiply(k: Builder, element: Any, sums: Any, a: Any, b: Any) -> None:
    """sums += A B, 16 x 8 by a depth of 16."""
    name = element.isa.name
    k.ptx[f"mma.sync.aligned.m16n8k16.row.col.f32.{name}.{name}.f32"](tuple(sums), tuple(a), tuple(b), tuple(sums))


def _mask(k: Builder, key: u32, length: u32) -> b32:
    """The bits of two neighbouring keys' values that lie within the sequence."""
    low = k.select(key < length, k.const(u32, 0xFFFF), 0)
    high = k.select(key + 1 < length, k.const(u32, 0xFFFF0000), 0)
    return (low | high).bits(b32)


def plan(
    q: Any, keys: Any, values: Any, table: Any, lengths: Any, o: Any, parts: Any, arrived: Any,
    *, element: type[Float] = bf16, order: str = "NHD", scale: float | None = None, workers: int | None = None,
    processors: int = WORKERS, window: int | None = None, softcap: float = 0.0,
) -> KernelPlan:  # fmt: skip
    """O = softmax(q K^T scale) V for q and O (batch, queries, heads, d), by default with scale 1 / sqrt(d).

    Keys and values are (pages, page_size, kv_heads, d), or with the `order` "HND" (pages, kv_heads, page_size, d); `table` is
    (batch, pages of a sequence) and `lengths` (batch). Keys and values that lie together are pages too, whose table counts up.
    """
    check(q, keys, values, table, lengths, o, order=order)
    batch, queries, heads, d = q.shape
    pages, page_size, kv_heads = keys.shape[:3] if order == "NHD" else [keys.shape[i] for i in (0, 2, 1)]
    group = heads // kv_heads
    layout = layout_of(d, group, queries)
    if order == "NHD":
        keys, values = (each.reshape(pages, page_size, kv_heads * d) for each in (keys, values))
    chosen = using(
        attention_decode, element=element, d=d, page_size=page_size, group=group, queries=queries, order=order,
        **masked(window, softcap)
    )  # fmt: skip
    factor = score_factor(scale, d)
    arguments = (batch, kv_heads, table.shape[1], factor, q, keys, values, table, lengths, o, parts, arrived)
    if workers is None:
        workers = workers_for(batch * kv_heads * layout.row_blocks, processors)
    return KernelPlan(chosen, workers, 128 * (1 + layout.consumers * layout.turns), arguments, programmatic=True)


def check(q: Any, keys: Any, values: Any, table: Any, lengths: Any, o: Any, *, order: str) -> None:
    """BuildError for arrays that do not go together."""
    shapes = [tuple(each.shape) for each in (q, keys, values, table, lengths, o)]
    of_q, of_keys, of_values, of_table, of_lengths, of_o = shapes
    right = order in ORDERS and [len(shape) for shape in shapes] == [4, 4, 4, 2, 1, 4] and of_o == of_q
    if right:
        kv_heads = of_keys[ORDERS[order]]
        right = of_keys == of_values and of_keys[3] == of_q[3] and kv_heads > 0 and of_q[2] % kv_heads == 0
    if not right or of_table[:1] != of_q[:1] or of_lengths != of_q[:1]:
        names = ("q", "keys", "values", "table", "lengths", "o")
        raise BuildError(
            f"decoding, order {order!r}, of {', '.join(f'{name} {shape}' for name, shape in zip(names, shapes))}",
            hint="q and o (batch, queries, heads, d); keys and values (pages, page_size, kv_heads, d), or with HND (pages, "
            "kv_heads, page_size, d), whose heads divide q's; table (batch, pages of a sequence); lengths (batch)",
        )


class Problem(NamedTuple):
    """Sequences of so many keys each, shared out over so many CTAs."""

    lengths: tuple[int, ...]
    workers: int = 3
    kv_heads: int = 2


def case(
    problem: Problem, rng: np.random.Generator,
    *, element: type[Float], d: int, page_size: int, group: int, queries: int, order: str,
    window: int | None = None, softcap: float = 0.0,
) -> Case:  # fmt: skip
    import numpy as np

    lengths, workers, kv_heads = problem
    batch, longest = len(lengths), max(1, *(ceil_div(n, page_size) for n in lengths))
    count = batch * longest + 1
    shape = (count, page_size, kv_heads, d) if order == "NHD" else (count, kv_heads, page_size, d)
    q = normal(rng, (batch, queries, kv_heads * group, d), element)
    keys, values = (normal(rng, shape, element) for _ in range(2))
    table = rng.permutation(count)[: batch * longest].reshape(batch, longest).astype(np.uint32)
    needed, arrivals = scratch_of(d, group, queries, batch, kv_heads, workers)
    given = (q.values, keys.values, values.values, table, lengths, order, unit_roundoff(element))
    expected, limit = reference(*given, window=window, softcap=softcap)
    arrays = {
        "q": q, "keys": keys, "values": values, "table": HostArray(table, u32),
        "lengths": HostArray(np.array(lengths, np.uint32), u32), "o": normal(rng, q.values.shape, element),
        "parts": HostArray(np.full(needed, np.nan, np.float32), f32), "arrived": HostArray(np.zeros(arrivals, np.uint32), u32),
    }  # fmt: skip
    return Case(
        arrays=arrays,
        plan=lambda on: plan(
            *(on[name] for name in arrays), element=element, order=order, workers=workers, window=window, softcap=softcap
        ),
        expected={"o": expected},
        tolerance=Tolerance(limit, "weights and results rounded to the type, sums in f32"),
    )  # fmt: skip


def reference(
    q: Any, keys: Any, values: Any, table: Any, lengths: Any, order: str, roundoff: float,
    *, window: int | None = None, softcap: float = 0.0,
) -> tuple[Any, Any]:  # fmt: skip
    """(O in float64, how far off a result may be: twice the roundings of the weights and of the result)."""
    import numpy as np

    _, queries, heads, d = q.shape
    if order == "HND":
        keys, values = keys.swapaxes(1, 2), values.swapaxes(1, 2)
    kv_heads = keys.shape[2]
    found, limit = np.zeros(q.shape), np.zeros(q.shape)
    for s, length in enumerate(lengths):
        wide_k, wide_v = (
            each[table[s]].reshape(-1, kv_heads, d)[:length].astype(np.float64) for each in (keys, values)
        )
        for j in range(queries):
            seen = length - (queries - 1 - j)
            if seen <= 0:
                continue
            least = 0 if window is None else max(0, seen - 1 - window)
            for h in range(heads):
                k_, v_ = (each[least:seen, h // (heads // kv_heads)] for each in (wide_k, wide_v))
                with np.errstate(all="ignore"):
                    scores = k_ @ q[s, j, h].astype(np.float64) / math.sqrt(d)
                    if softcap:
                        scores = softcap * np.tanh(scores / softcap)
                    weights = np.exp(scores - scores.max())
                    weights /= weights.sum()
                    found[s, j, h] = weights @ v_
                    limit[s, j, h] = (weights @ np.abs(v_) + np.abs(found[s, j, h])) * (
                        2 * roundoff + 2.0**-9 * softcap
                    ) + 1e-5
    return found, limit


def _variant(
    name: str, element: type[Float], d: int, page_size: int, group: int, *problems: Problem, **others: Any
) -> Variant:
    chosen = {
        "element": element,
        "d": d,
        "page_size": page_size,
        "group": group,
        "queries": 1,
        "order": "NHD",
        **others,
    }
    return Variant(
        "attention_decode",
        name,
        using(attention_decode, **chosen),
        partial(case, **chosen),
        problems,
        {
            "sm_75": "tensor copies are of sm_90 on",
            "sm_80": "tensor copies are of sm_90 on",
            "sm_120": "the ring takes more shared memory than its 99 KB",
        },
    )


VARIANTS = (
    _variant("bf16.d-128.group-4", bf16, 128, 64, 4, Problem((0,)), Problem((1, 63, 64)), Problem((65, 0, 400), 5)),
    _variant("f16.d-64.page-16", f16, 64, 16, 8, Problem((17, 130), 2)),
    _variant("bf16.d-96.page-128", bf16, 96, 128, 1, Problem((129, 5), 2)),
    _variant("bf16.d-256.HND", bf16, 256, 64, 16, Problem((100,), 3), order="HND"),
    _variant("bf16.d-128.queries-4", bf16, 128, 16, 8, Problem((2, 70, 200), 4), queries=4),
    _variant("bf16.d-64.window-70", bf16, 64, 16, 4, Problem((2, 70, 300), 3), queries=2, window=70, softcap=5.0),
)
