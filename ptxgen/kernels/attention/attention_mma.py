"""O = softmax(Q K^T scale) V with mma.sync, for targets without wgmma: from sm_80 on (FlashAttention-2, Dao 2023).

A CTA of four warps takes a tile of queries, each warp all keys of some rows of it: the weights of a block of keys are A of the
product with V in the registers that they are computed in, and no warp waits for another one's sums. Keys and values come by
cp.async, a block ahead.

Floor: 4*queries*keys*d operations at the tensor cores' rate (312 TFLOP/s of bf16 on an A100's datasheet; half where causal). A
warp's 32 queries take each ldmatrix of K and V twice, so that shared memory keeps up.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import attention
from ptxgen.kernels.attention.attention_forward import (
    Form,
    Matrices,
    bound_of,
    check_mask,
    hide_unseen,
    is_edge,
    masked,
    swizzle_of,
    without,
)
from ptxgen.kernels.attention.online_softmax import Softmax
from ptxgen.kernels.attention.tile_order import heads_beside
from ptxgen.kernels.blocks.tiles import as_vectors, store
from ptxgen.kernels.cases import Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.tiles.device_tile import DeviceTile

__all__ = ["KERNEL", "VARIANTS", "attention_mma", "plan"]

E = TypeVar("E", bound=Value)
T = TypeVar("T")

THREADS = 128

BLOCKS = {64: (128, 128), 96: (128, 32), 128: (128, 64), 256: (64, 32)}
"""By d: queries of a tile and keys of a block, as many as registers and 99 KB of shared memory (sm_86, sm_89, sm_120) hold."""

BYTES = 16
"""Of one copy."""

Strides = tuple[int, int, int]
"""Elements from batch to batch, from head to head and from row to row; those of a row lie beside each other."""


@kernel(max_threads=THREADS)
def attention_mma(
    k: Builder, query_length: u32, key_length: u32, heads: u32, batch: u32, shared_heads: u32, group: u32,
    scale: f32, q: ptr[E], q_batch: u64, q_head: u64, q_row: u64, keys: ptr[E], keys_batch: u64, keys_head: u64, keys_row: u64,
    values: ptr[E], values_batch: u64, values_head: u64, values_row: u64, o: ptr[E], o_batch: u64, o_head: u64, o_row: u64,
    *log_sums: T, element: type[E] = bf16, d: int = 128, bm: int = 128, bn: int = 64,  # type: ignore[assignment]  # unless stated
    causal: bool = False, window: int | None = None, softcap: float = 0.0, types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """O of arrays (batch, heads, length, d), as `attention_hopper` has it; addresses and strides are multiples of 16 bytes."""
    check_mask(window, softcap, causal)
    form = Form(element, d, bn, 2, bm // 64, causal, window, softcap)
    swizzle = swizzle_of(element, d)
    tile_q = k.tile(element, (bm, d), swizzle=swizzle)
    tile_k = k.tile(element, (bn, d), stages=2, swizzle=swizzle)
    tile_v = k.tile(element, (d, bn), stages=2, swizzle=swizzle, major="MN")
    lines_q, lines_k, lines_v = (_Lines(k, each) for each in (tile_q, tile_k, tile_v))
    rows = bm // 4
    mine = k.tid.x // 32 * rows
    scores = k.warp_sums(rows, bn, element)
    left, right = scores.left(tile_q, mine), scores.right(tile_k, 0)
    parts = [k.warp_sums(rows, columns, element) for columns in _powers(d)]
    firsts = [sum(_powers(d)[:number]) for number in range(len(parts))]
    of_values = [part.right(tile_v, first) for part, first in zip(parts, firsts)]
    inner, factor = bound_of(k, softcap, scale)
    softmax = Softmax(k, scores, factor)
    pipe = k.copy_pipeline(2)
    schedule = Matrices(k, form, query_length, key_length, heads, batch, group)
    schedule.start()
    for tile in schedule.tiles(warps=True):
        shared = tile.head // shared_heads
        of_q = q.at(_start(tile.matrix, q_batch, tile.head, q_head))
        of_k = keys.at(_start(tile.matrix, keys_batch, shared, keys_head))
        of_v = values.at(_start(tile.matrix, values_batch, shared, values_head))
        # the number of keys that this warp's first query sees
        own = (tile.first + mine).to(s32) + tile.shift + 1
        last = tile.blocks - 1

        def fill(step: Any, slot: Any, of_k: Any = of_k, of_v: Any = of_v, last: u32 = last) -> None:
            """The keys and values of a block: behind the first one in memory, zeros."""
            first = (last - step) * bn
            lines_k.copy(of_k, keys_row, first, key_length, slot)
            lines_v.copy(of_v, values_row, first, key_length, slot)

        softmax.clear()
        for part in parts:
            part.clear()
        lines_q.copy(of_q, q_row, tile.first, query_length)
        for stage in pipe.stream(without(tile.blocks, tile.begin), fill):
            block = last - stage.step
            scores.clear()
            scores.add_product(left, right[stage.index])
            if inner is not None:
                for score in scores.values:
                    score.set(k.tanh(score * inner))
            with k.if_(is_edge(form, tile, block, ends=True)):
                hide_unseen(k, form, scores, tile, own, block)
            softmax.update()
            weights: Any = scores.to(element)
            for part, its in zip(parts, of_values):
                softmax.rescale(part)
                part.add_product(weights, its[stage.index])
        inverse = softmax.inverse()
        if log_sums:
            into: Any = log_sums[0]
            line = into.at((tile.matrix * heads + tile.head).to(u64) * query_length.to(u64))
            for number, each in enumerate(softmax.log_sums()):
                row = scores.row(number % 2, number // 2) + (tile.first + mine)
                with k.if_((row < query_length) & (k.lane % 4 == 0)):
                    line[row] = each
        start = o.at(_start(tile.matrix, o_batch, tile.head, o_head))
        for part, first in zip(parts, firsts):
            _scale_rows(part, inverse)
            _store_rows(k, part, element, start, o_row, (tile.first, mine), query_length, first)


KERNEL = attention_mma


def _powers(n: int) -> list[int]:
    """It as a sum of powers of two, the largest first: what a warp's sums may have of columns."""
    return [1 << bit for bit in reversed(range(n.bit_length())) if n >> bit & 1]


def _start(matrix: u32, of_matrix: u64, head: u32, of_head: u64) -> u64:
    return matrix.to(u64) * of_matrix + head.to(u64) * of_head


def _scale_rows(part: Any, factors: Sequence[f32]) -> None:
    for values, factor in zip(part.halves(), factors):
        for value in values:
            value *= factor


def _store_rows(
    k: Builder, part: Any, element: type[Value], start: Any, o_row: u64, top: tuple[u32, u32], end: u32, column: int
) -> None:  # fmt: skip
    """A warp's sums to the rows from the sum of `top` on, as far as these are before `end`, and the columns from `column` on."""
    lines, columns, runs = part.runs(element, 4)
    for row, run in zip(lines, runs):
        place = row + (top[0] + top[1])
        pointer = start.at(place.to(u64) * o_row)
        with k.pred(place < end):
            for each, found in zip(columns, run):
                store(as_vectors(pointer.at((each + column).to(u64)), 4), 0, found)


class _Lines:
    """This thread's part of copies of rows to a tile, whose lines they are: some of its lines, of each the same 16 bytes of some
    spans."""

    def __init__(self, k: Builder, tile: DeviceTile) -> None:
        self.k, self.tile, self.along_k = k, tile, tile.layout.major == "K"
        self.lanes = BYTES // tile.element.isa.bytes
        lines, length = (tile.rows, tile.columns) if self.along_k else (tile.columns, tile.rows)
        pieces = length // self.lanes
        in_span = pieces & -pieces  # threads beside each other along a line
        self.apart, self.span = THREADS // in_span, in_span * self.lanes
        self.hops, self.spans = lines // self.apart, length // self.span
        self.line, self.column = k.tid.x // in_span, k.tid.x % in_span * self.lanes
        self.offset = tile.offset_of(*self._ordered(self.line, self.column))

    def copy(self, source: ptr[Any], row: u64, first: u32, end: u32, slot: Any = None) -> None:
        """Begin to copy the rows from `first` on, `row` elements apart; those from `end` on become zeros."""
        k = self.k
        into = self.tile if slot is None else self.tile[slot]
        place = first + self.line
        pointer = source.at(k.fma(place.to(u64), row, self.column.to(u64)))
        for hop in range(self.hops):
            count = k.select(place + hop * self.apart < end, k.const(u32, self.lanes), 0)
            for span in range(self.spans):
                where = into.beyond(self.offset, *self._ordered(hop * self.apart, span * self.span))
                k.copy_async(where, pointer.at(span * self.span), BYTES, count=count)
            if hop < self.hops - 1:
                pointer = pointer.at(row * self.apart)

    def _ordered(self, line: Any, column: Any) -> tuple[Any, Any]:
        """A place of the tile."""
        return (line, column) if self.along_k else (column, line)


def plan(
    q: Any, keys: Any, values: Any, o: Any, *, batch: int, heads: int, query_length: int, key_length: int, d: int,
    shared_heads: int = 1, scale: float | None = None, causal: bool = False, element: type[Value] = bf16,
    window: int | None = None, softcap: float = 0.0, log_sums: Any = None, **_: Any,
) -> KernelPlan:  # fmt: skip
    """As `attention.plan`, for any target from sm_80 on."""
    if d not in BLOCKS:
        raise BuildError(f"attention of heads of {d} elements", hint=f"one of {', '.join(map(str, BLOCKS))}")
    if element not in (bf16, f16):
        raise BuildError(f"no attention of .{element.isa.name} with mma.sync", hint="bf16 or f16")
    logs = () if log_sums is None else (log_sums,)
    kernel = using(attention_mma, **_options(element, d, causal, window, softcap, len(logs)))
    tiles = ceil_div(query_length, BLOCKS[d][0])
    factor, group = attention.score_factor(scale, d), heads_beside(d, heads * batch, tiles, causal)
    size = element.isa.bytes
    arrays: list[Any] = []
    for array in (q, keys, values, o):
        arrays += [array, *(stride // size for stride in array.strides[:3])]
    arguments = (query_length, key_length, heads, batch, shared_heads, group, factor, *arrays, *logs)
    return KernelPlan(kernel, max(1, tiles * heads * batch), THREADS, arguments)


def _options(
    element: type[Value], d: int, causal: bool, window: int | None, softcap: float, logs: int
) -> dict[str, Any]:  # fmt: skip
    bm, bn = BLOCKS[d]
    found = {
        "element": element,
        "d": d,
        "bm": bm,
        "bn": bn,
        "causal": causal,
        **masked(window, softcap),
    }
    return found | ({"types": (ptr[f32],) * logs} if logs else {})


_ABSENT = {"sm_75": "mma.m16n8k16 and cp.async came with sm_80"}


def _variant(name: str, sizes: tuple[Any, ...], **stated: Any) -> Variant:
    kind = attention.Kind(**stated)
    options = _options(kind.element, kind.d, kind.causal, kind.window, kind.softcap, 0)
    return Variant(
        "attention_mma",
        name,
        using(attention_mma, **options),
        partial(attention.case, kind=kind, planned=plan),
        sizes,
        _ABSENT,
    )


VARIANTS = (
    _variant("d128.causal", ((1, 2, 200, 150), (1, 1, 1, 1)), causal=True),
    _variant(
        "d96.window-50", ((1, 2, 70, 130),), d=96, causal=True, window=50, softcap=5.0, element=f16, shared_heads=2
    ),
)
