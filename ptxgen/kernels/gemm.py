"""C = A B^T with the tensor cores of sm_90a: TMA, a ring of stages, wgmma, one producing and one to three consuming
warpgroups."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, TensorMap, bf16, f32, kernel, ptr, u32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.tiles.barriers import NamedBarrier
    from ptxgen.builder.tiles.fragments import Sums

__all__ = ["gemm_hopper"]

PIECE = 64
"""Columns of C that one tensor copy stores: 128 bytes, the widest swizzle."""

REGISTERS = {1: (None, None), 2: (40, 232), 3: (32, 160)}
"""Registers of the producer and of the consumers by the number of consuming warpgroups; with one, each has enough."""


@kernel
def gemm_hopper(
    k: Builder, m: u32, n: u32, depth: u32, a: TensorMap, b: TensorMap, c: TensorMap, parts: ptr[f32], arrived: ptr[u32],
    *, element: type = bf16, bm: int = 128, bn: int = 256, bk: int = 64, stages: int = 4, group: int = 8,
    consumers: int = 2, multicast: tuple[int, int] = (1, 1), major_a: str = "K", major_b: str = "K", split: int = 1,
    transposed: bool = False, epilogue: Any = None,
) -> None:  # fmt: skip
    """C (m, n) = A (m, depth) B (n, depth)^T, sums in f32; with `transposed` C is (n, m), which suits an n of few rows.

    A CTA computes tiles of bm x bn, `consumers` warpgroups rows of each. An operand whose `major` is "MN" is given as (depth,
    m) or (depth, n). `split` CTAs share the depth of a tile: each adds its sums to `parts` (bm * bn words a CTA), and the last
    one to come, which `arrived` (a word a tile, zero at first and again at the end) tells, stores the tile. `epilogue(k, value,
    row, column)` is applied to each sum before it is rounded.
    """
    rows, width = bm // consumers, min(bn, PIECE)
    buffers = {0: 2, 1: 1, 3: 3}[bn // width % 2 and bn // width]  # such that a tile ends where the next one begins
    tile_a = k.tile(element, (bm, bk), stages=stages, major=major_a)
    tile_b = k.tile(element, (bn, bk), stages=stages, major=major_b)
    pieces = k.tile(element, (width, rows) if transposed else (rows, width), stages=(consumers, buffers))
    near = k.tile_cluster(*multicast)
    pipe = k.pipeline(stages, consumers=4 * consumers, cluster=near)
    stored, together = k.named_barrier(128, consumers), k.named_barrier(128 * consumers)
    down, across, steps = (m + bm - 1) // bm, (n + bn - 1) // bn, (depth + bk - 1) // bk

    wide = (across + multicast[1] - 1) // multicast[1] * multicast[1]

    def work() -> Any:
        """(row, column, first step, last step, part of the depth) of each tile of this CTA."""
        if split == 1:
            for row, column in k.persistent_tiles(down, across, group=group, cluster=near):
                yield row, column, k.const(u32, 0), steps, None
            return
        for row, column, part in k.persistent_tiles(down, across, group=group, cluster=near, batch=split):
            yield row, column, part * steps // split, (part + 1) * steps // split, part

    with k.if_(k.tid.x == 0):
        for tensor in (a, b, c):
            tensor.prefetch()
    k.launch_dependents()
    producer, consumer = REGISTERS[consumers]
    with k.roles(cluster=near, load=(1, producer), multiply=(consumers, consumer)) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for row, column, first, last, _ in work():
                for stage in pipe.produce(last - first):
                    at = (first + stage.step) * bk
                    place_a, place_b = _in_order(major_a, at, row * bm), _in_order(major_b, at, column * bn)
                    a.load(tile_a[stage.index], place_a, stage.barrier, among=near.in_row)
                    b.load(tile_b[stage.index], place_b, stage.barrier, among=near.in_column)
        with multiply as mine:
            one = k.tid.x % 128 == 0
            total = k.sums(rows, bn)
            for row, column, first, last, part in work():
                for stage in pipe.consume(last - first, in_flight=1):
                    left = tile_a[stage.index].part(mine * rows, rows=rows)
                    total.add_product(left, tile_b[stage.index], keep=stage.step > 0)
                with _where_whole(k, total, parts, arrived, row * wide + column, part, split, together):
                    for number, start in enumerate(range(0, bn, width)):
                        result = total.cut(start, width)
                        if epilogue is not None:
                            result = result.map(partial(epilogue, k), row * bm + mine * rows, column * bn + start)
                        piece = pieces[mine, number % buffers]
                        with k.if_(one):
                            k.bulk_wait(buffers - 1)
                        stored[mine].sync()
                        result.to(element).store(piece, transposed=transposed)
                        k.publish_shared()
                        stored[mine].sync()
                        with k.if_(one):
                            place = (column * bn + start, row * bm + mine * rows)
                            c.store(piece, place[::-1] if transposed else place)
                            k.bulk_commit()
            with k.if_(one):
                k.bulk_wait(0)
    near.sync()  # no CTA ends while another one still writes to it


def _in_order(major: str, along_k: u32, across: u32) -> tuple[u32, u32]:
    """Coordinates, innermost first."""
    return (along_k, across) if major == "K" else (across, along_k)


@contextmanager
def _where_whole(
    k: Builder,
    total: Sums,
    parts: ptr[f32],
    arrived: ptr[u32],
    tile: u32,
    part: u32 | None,
    split: int,
    together: NamedBarrier,
) -> Iterator[None]:
    """The body runs where the sums are those of the whole depth: everywhere, or in the CTA that comes last to the tile."""
    if part is None:
        yield
        return
    thread, threads = k.tid.x - 128, together.threads
    quads, each = parts.vectors(4), len(total.values) // 4
    place = (tile * split + part) * (each * threads) + thread
    for i in range(each):
        quads[place + i * threads] = total.values[4 * i : 4 * i + 4]
    number = k.shared(u32, 1)
    k.fence("gpu")
    together.sync()
    with k.if_(thread == 0):
        number[0] = k.atomic_inc(arrived, tile, split - 1)
    together.sync()
    with k.if_(k.shfl_idx(number[0], 0) == split - 1):
        k.fence("gpu")
        for value in total.values:
            value.set(0)
        for other in k.range(split):  # in this order whoever is last: the same sums in every launch
            place = (tile * split + other) * (each * threads) + thread
            for i in range(each):
                for value, addend in zip(total.values[4 * i :], quads[place + i * threads]):
                    value += addend
        yield
