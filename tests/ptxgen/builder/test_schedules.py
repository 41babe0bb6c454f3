"""Schedules: every tile once, whoever asks for it; shares of a tile's steps that come together; on grids of any size."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f32, u32

SIZE = 32
"""Rows, columns and depth of the tiles here."""


@px.kernel
def visits(
    k: px.Builder, rows: u32, columns: u32, batch: u32, z: px.ptr[u32], counter: px.ptr[u32], *, schedule: str,
    readers: int | None = None, order: str = "grouped",
):  # fmt: skip
    """How often each tile is visited; with `readers` by two roles, of which the first one counts all."""
    more = {"counter": counter, "readers": readers} if schedule == "dynamic" else {}
    tiles = getattr(k, f"{schedule}_tiles")(rows, columns, batch=batch, order=order, group=3, **more)
    if readers is not None:
        k.start_barriers()
        with k.if_(k.tid.x == 0):
            for _ in tiles:
                k.reduce_add(z, rows * columns * batch, 1)
    with k.if_(k.tid.x >= k.ntid.x - 32):
        for row, column, matrix in tiles:
            with k.if_(k.tid.x % 32 == 0):
                k.reduce_add(z, (matrix * rows + row) * columns + column, 1)


@pytest.mark.parametrize("rows, columns, batch", [(1, 1, 1), (5, 7, 1), (9, 3, 2), (3, 0, 4)])
@pytest.mark.parametrize("schedule, grid, readers, order", [
    ("plain", None, None, "grouped"), ("plain", None, None, "hilbert"), ("persistent", 4, None, "hilbert"),
    ("dynamic", 1, None, "grouped"), ("dynamic", 5, None, "hilbert"), ("dynamic", 70, None, "grouped"),
    ("dynamic", 3, 33, "grouped"),
])  # fmt: skip
def test_each_tile_is_visited_once(dev, rows, columns, batch, schedule, grid, readers, order):
    if readers is not None and dev.target != "sm_90a":
        pytest.skip("mbarriers are waited for by instructions of sm_90")
    count = rows * columns * batch
    z, counter = dev.zeros(count + 1, u32), dev.zeros(1, u32)
    for launch in range(1, 3):
        visits[grid or max(count, 1), 32 if readers is None else 64](
            rows, columns, batch, z, counter, schedule=schedule, readers=readers, order=order
        )
        assert (z.numpy()[:count] == launch).all()
        assert z.numpy()[count] == (0 if readers is None else count * launch)
        assert counter.numpy()[0] == 0


def test_a_graph_repeats_a_dynamic_schedule(dev):
    z, counter = dev.zeros(13, u32), dev.zeros(1, u32)
    visits[3, 32](3, 4, 1, z, counter, schedule="dynamic")
    with dev.capture() as graph:
        visits[3, 32](3, 4, 1, z, counter, schedule="dynamic")
    for _ in range(3):
        graph.launch()
    dev.synchronize()
    assert (z.numpy()[:12] == 4).all()


@px.kernel
def curve(k: px.Builder, rows: u32, columns: u32, z: px.ptr[u32]):
    number = k.var(u32, 0)
    for row, column in k.persistent_tiles(rows, columns, order="hilbert"):
        z[number] = row * columns + column
        number += 1


def test_a_hilbert_curve_goes_from_tile_to_tile(dev):
    """Through rectangles of any sides: one step is diagonal where the longer side is odd and the shorter one even."""
    for rows, columns in [(1, 9), (8, 8), (5, 7), (12, 3), (13, 6), (31, 17), (4, 64)]:
        z = dev.zeros(rows * columns, u32)
        curve[1, 1](rows, columns, z)
        places = np.stack(np.divmod(z.numpy().astype(int), columns), 1)
        assert len({*map(tuple, places)}) == rows * columns
        steps = np.abs(np.diff(places, axis=0)).sum(1)
        longer, shorter = max(rows, columns), min(rows, columns)
        assert steps.max() <= 2
        assert (steps == 2).sum() <= (longer % 2 == 1 and shorter % 2 == 0)


@px.kernel(threads=64)
def product(
    k: px.Builder, m: u32, n: u32, depth: u32, a: px.ptr[bf16], b: px.ptr[bf16], c: px.ptr[f32], workspace: px.ptr[f32],
    counters: px.ptr[u32], *, schedule: str, parts: int = 2,
):  # fmt: skip
    """C = A B^T by two warps, each with half of a tile's rows; any schedule is one line."""
    tile_a, tile_b = k.tile(bf16, (SIZE, SIZE), swizzle="64B"), k.tile(bf16, (SIZE, SIZE), swizzle="64B")
    total = k.warp_sums(16, SIZE, bf16)
    half = k.tid.x // 32 * 16
    left, right = total.left(tile_a, half), total.right(tile_b, 0)
    down, across, steps = ((each + SIZE - 1) // SIZE for each in (m, n, depth))
    tiles = {
        "plain": lambda: k.plain_tiles(down, across, steps=steps),
        "persistent": lambda: k.persistent_tiles(down, across, steps=steps, order="hilbert"),
        "dynamic": lambda: k.dynamic_tiles(down, across, counters, steps=steps),
        "stream_k": lambda: k.stream_k_tiles(down, across, steps, workspace, counters),
        "split_k": lambda: k.split_k_tiles(down, across, steps, workspace, counters, parts=parts),
    }[schedule]()
    for tile in tiles:
        total.clear()
        row, column = tile.row * SIZE, tile.column * SIZE
        for step in k.range(tile.first, tile.last):
            k.barrier()
            for place in k.range(k.tid.x, SIZE * SIZE, 64):
                i, j = place // SIZE, place % SIZE
                at = step * SIZE + j
                tile_a.at(i, j).store(0, a.at((row + i) * depth).bounded(k.select(row + i < m, depth, 0)).load(at))
                tile_b.at(i, j).store(
                    0, b.at((column + i) * depth).bounded(k.select(column + i < n, depth, 0)).load(at)
                )
            k.barrier()
            total.add_product(left, right)
        with tile.whole(total):

            def write(value, i, j):
                with k.if_((i < m) & (j < n)):
                    c[i * n + j] = value
                return value

            total.map(write, row + half, column)


def multiplied(dev, size, schedule, grid, parts=2):
    m, n, depth = size
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-8, 9, (rows, depth)).astype(np.float32) / 8 for rows in (m, n))
    tiles = -(-m // SIZE) * -(-n // SIZE)
    a, b, c = dev.array(x, bf16), dev.array(y, bf16), dev.full((m, n), 7, f32)
    workspace, counters = dev.full(2 * grid * SIZE * SIZE, np.nan, f32), dev.zeros(tiles, u32)
    found = []
    for _ in range(2):
        product[grid, 64](m, n, depth, a, b, c, workspace, counters, schedule=schedule, parts=parts)
        found.append(c.numpy().copy())
        assert not counters.numpy().any()
    assert np.array_equal(*found)
    assert np.array_equal(found[0], x @ y.T)


@pytest.mark.parametrize("schedule, grid, parts", [
    ("plain", 6, 2), ("persistent", 4, 2), ("dynamic", 4, 2), ("stream_k", 1, 2), ("stream_k", 4, 2), ("stream_k", 6, 2),
    ("stream_k", 47, 2), ("split_k", 12, 2), ("split_k", 18, 3), ("split_k", 54, 9),
])  # fmt: skip
def test_a_product_by_every_schedule(dev, schedule, grid, parts):
    """Six tiles of six steps: shares that end within a tile, CTAs with less than a tile, with nothing."""
    multiplied(dev, (70, 33, 170), schedule, grid, parts)


@pytest.mark.parametrize("schedule", ["stream_k", "split_k"])
def test_sums_of_no_steps_are_zeros(dev, schedule):
    c, none = dev.full((5, 6), 7, f32), dev.zeros(1, bf16)
    product[4, 64](5, 6, 0, none, none, c, dev.zeros(8 * SIZE * SIZE, f32), dev.zeros(1, u32), schedule=schedule)
    assert not c.numpy().any()


@pytest.mark.parametrize("make, said", [
    (lambda k, x, z: list(k.plain_tiles(2, 2, order="spiral")), r"tiles in the order 'spiral'(.|\n)*'grouped' or 'hilbert'"),
    (lambda k, x, z: list(k.persistent_tiles(2, 2, group=0)), r"groups of 0 rows"),
    (lambda k, x, z: k.dynamic_tiles(2, 2, x), r"the counter (.|\n)*a pointer to u32 in global memory"),
    (lambda k, x, z: k.dynamic_tiles(2, 2, z, readers=0), r"0 threads that go through the tiles"),
    (lambda k, x, z: k.launch_control_tiles(2, 2, readers=32), r"launch control on sm_90a(.|\n)*k.dynamic_tiles"),
    (lambda k, x, z: k.stream_k_tiles(2, 2, 4, x, x), r"the counters (.|\n)*a pointer to u32"),
    (lambda k, x, z: k.stream_k_tiles(2, 2, 4, 5, z), r"the workspace 5(.|\n)*the sums' type"),
    (lambda k, x, z: k.split_k_tiles(2, 2, 4, x, z, parts=0), r"0 parts of a tile"),
    (lambda k, x, z: [t.first for t in k.plain_tiles(k.tid.x, 2)], r"the steps of a tile(.|\n)*steps= of it"),
    (lambda k, x, z: [t.matrix for t in k.plain_tiles(k.tid.x, 2)], r"the matrix of a tile without a batch"),
    (lambda k, x, z: [t.whole(k.sums(64, 64).map(abs)).__enter__() for t in k.stream_k_tiles(k.tid.x, 2, 4, x, z)], r"added up"),
    (lambda k, x, z: [t.whole(k.sums(64, 64)).__enter__() for t in k.stream_k_tiles(k.tid.x, 2, 4, z, z)],
     r"sums of .f32 in a workspace of .u32"),
])  # fmt: skip
def test_what_cannot_be_is_said_while_building(make, said):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32], z: px.ptr[u32]):
        make(k, x, z)

    with pytest.raises(px.BuildError, match=said):
        kernel.module(target="sm_90a")


@px.kernel
def controlled(k: px.Builder, rows: u32, columns: u32, z: px.ptr[u32]):
    tiles = k.launch_control_tiles(rows, columns, readers=64)
    k.start_barriers()
    for row, column in tiles:
        k.reduce_add(z, row * columns + column, 1)


def test_they_assemble(assembles):
    assembles([controlled], targets=["sm_100a", "sm_120"])
    assembles([visits.using(schedule="dynamic", readers=33)], targets=["sm_90a", "sm_100a"])
    assembles([product.using(schedule="stream_k"), product.using(schedule="split_k")], targets=["sm_80", "sm_100a"])


@px.kernel
def specialised(
    k: px.Builder, m: u32, n: u32, depth: u32, a: px.TensorMap, b: px.TensorMap, c: px.ptr[f32], workspace: px.ptr[f32],
    counters: px.ptr[u32], *, schedule: str,
):  # fmt: skip
    """C = A B^T by a thread that loads and a warpgroup that multiplies, each going through the same tiles."""
    tile_a, tile_b = k.tile(bf16, (64, 64), stages=2), k.tile(bf16, (64, 64), stages=2)
    pipe, summed = k.pipeline(2, consumers=4), k.named_barrier(128)
    down, across, steps = ((each + 63) // 64 for each in (m, n, depth))
    tiles = {
        "persistent": lambda: k.persistent_tiles(down, across, steps=steps),
        "dynamic": lambda: k.dynamic_tiles(down, across, counters, steps=steps, readers=129),
        "launch_control": lambda: k.launch_control_tiles(down, across, steps=steps, readers=129),
        "stream_k": lambda: k.stream_k_tiles(down, across, steps, workspace, counters),
        "split_k": lambda: k.split_k_tiles(down, across, steps, workspace, counters, parts=3),
    }[schedule]()
    with k.roles(load=1, multiply=1) as (load, multiply):
        with load, k.if_(k.tid.x == 0):
            for tile in tiles:
                for stage in pipe.produce(tile.last - tile.first):
                    along = (tile.first + stage.step) * 64
                    a.load(tile_a[stage.index], (along, tile.row * 64), stage.barrier)
                    b.load(tile_b[stage.index], (along, tile.column * 64), stage.barrier)
        with multiply:
            sums = k.sums(64, 64)
            for tile in tiles:
                for stage in pipe.consume(tile.last - tile.first, in_flight=1):
                    sums.add_product(tile_a[stage.index], tile_b[stage.index], keep=stage.step > 0)
                with tile.whole(sums, among=summed, first=128):

                    def write(value, i, j):
                        with k.if_((i < m) & (j < n)):
                            c[i * n + j] = value

                    sums.map(write, tile.row * 64, tile.column * 64)


@pytest.mark.parametrize("schedule, grid", [
    ("persistent", 4), ("dynamic", 4), ("dynamic", 1), ("stream_k", 4), ("stream_k", 7), ("split_k", 18),
])  # fmt: skip
def test_roles_go_through_the_same_tiles(dev, schedule, grid):
    if dev.target != "sm_90a":
        pytest.skip("tensor copies and wgmma are instructions of sm_90a")
    rng = np.random.default_rng(3)
    x, y = (rng.integers(-4, 5, (rows, 200)).astype(np.float32) for rows in (130, 70))
    c, workspace, counters = dev.full((130, 70), 9, f32), dev.full(2 * grid * 4096, np.nan, f32), dev.zeros(6, u32)
    a, b = dev.array(x, bf16), dev.array(y, bf16)
    for _ in range(2):
        specialised[grid, 256](130, 70, 200, a, b, c, workspace, counters, schedule=schedule)
        assert np.array_equal(c.numpy(), x @ y.T)
        assert not counters.numpy().any()
