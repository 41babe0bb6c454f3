"""Tiles in planned shared memory, tensor maps made of arrays, pipelines, roles, fragments, clusters."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from driver_ctypes import ArgumentError, ArgumentTypeError
from driver_ctypes.errors import LaunchConfigError
from ptxgen import bf16, e4m3, f16, f32, s32, u32
from ptxgen.isa.layouts import SharedTile


@pytest.fixture(autouse=True)
def hopper(dev):
    if dev.target != "sm_90a":
        pytest.skip("tensor copies and wgmma are instructions of sm_90a")


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32)


# ---- shared memory --------------------------------------------------------------------------------------------------------


@px.kernel
def plans(k: px.Builder, z: px.ptr[u32]):
    first, second = k.tile(bf16, (64, 64), stages=3), k.tile(f32, (16, 32), swizzle="128B")
    small = k.tile(bf16, (8, 16), swizzle="32B")
    again = k.tile(bf16, (64, 64), over=first)
    z[0], z[1], z[2], z[3] = first[0].address, second.address, small.address, again.address
    z[4], z[5] = first[2].address, first[k.tid.x + 1].address


def test_regions_follow_each_other_at_their_alignment(dev):
    z = dev.zeros(6, u32)
    plans[1, 1](z)
    start, *rest = z.numpy().astype(int)
    assert start % 1024 == 0
    assert [each - start for each in rest] == [3 * 8192, 3 * 8192 + 2048, 0, 2 * 8192, 8192]
    assert plans.module(target="sm_90a").entries[0].dynamic_shared == 3 * 8192 + 2048 + 256


def test_a_launch_provides_what_the_kernel_planned_and_no_less(dev):
    z = dev.zeros(6, u32)
    plans.bind(1, 1, device=dev)(z)
    plans[1, 1](z, shared=60000)
    with pytest.raises(LaunchConfigError, match=r"plans 26880 bytes of shared memory, and shared=1024"):
        plans[1, 1](z, shared=1024)


@px.kernel
def writes_elements(k: px.Builder, z: px.ptr[f32], *, major: str, swizzle: str, shape: tuple):
    """Each element by its place, then the memory as it lies."""
    tile = k.tile(f32, shape, major=major, swizzle=swizzle)
    with k.if_(k.tid.x < 32):
        for i in k.range(k.tid.x, shape[0] * shape[1], 32):
            tile.at(i // shape[1], i % shape[1]).store(0, i.to(f32))
    k.barrier()
    plain = k.pointer(tile.address, f32, space="shared")
    for i in k.range(k.tid.x, shape[0] * shape[1], 32):
        z[i] = plain[i]


@pytest.mark.parametrize("major", ["K", "MN"])
@pytest.mark.parametrize("swizzle", ["none", "32B", "64B", "128B"])
def test_elements_lie_where_the_layout_says(dev, major, swizzle):
    if major == "MN":
        shape = (64, 16)
    else:
        shape = (16, 64)
    layout = SharedTile(*shape, "f32", major=major, swizzle=swizzle)
    z = dev.zeros(shape[0] * shape[1], f32)
    writes_elements[1, 32](z, major=major, swizzle=swizzle, shape=shape)
    found = z.numpy()
    for row in range(shape[0]):
        for column in range(shape[1]):
            assert found[layout.offset(row, column) // 4] == row * shape[1] + column


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda k: k.tile("bf16", (64, 64)), r"a tile of 'bf16'(.|\n)*a scalar type"),
        (lambda k: k.tile(bf16, (64, 60)), r"a tile of 64x60 bf16(.|\n)*columns in multiples of 64"),
        (lambda k: k.tile(bf16, (256, 64), stages=8), r"262,144 bytes of planned shared memory(.|\n)*232,448 on sm_90a"),
        (lambda k: k.tile(bf16, (64, 64), stages=0), r"0 stages"),
        (lambda k: k.tile(bf16, (64, 64), stages=2)[2], r"stage 2 of <tile of 64x64 bf16 in 2 stages>(.|\n)*0 to 1"),
        (lambda k: k.tile(bf16, (64, 64), stages=(2, 3))[1], r"1 indices into the stages \(2, 3\)"),
        (lambda k: k.tile(bf16, (64, 128)).part(rows=65), r"65 rows from 0 on(.|\n)*within 64 rows"),
        (lambda k: k.tile(bf16, (64, 128)).part(4), r"no descriptor starts at row 4"),
        (lambda k: k.tile(bf16, (64, 64), over=k.tile(bf16, (8, 64))), r"8192 bytes over(.|\n)*at most the 1024 bytes"),
        (lambda k: (k.dynamic_shared(f32), k.tile(bf16, (64, 64))), r"begin at one address"),
        (lambda k: (k.tile(bf16, (64, 64)), k.dynamic_shared(f32)), r"begin at one address"),
        (lambda k: k.sums(60, 64), r"sums of 60 rows"),
        (lambda k: k.sums(64, 12).add_product(k.tile(bf16, (64, 64)), k.tile(bf16, (16, 64))), r"A of rows x K"),
        (lambda k: k.sums(64, 64).cut(4, 8), r"columns 4 to 12 of 64"),
        (lambda k: k.sums(64, 64).to(px.u8), r"a fragment of 64 columns in \.u8"),
        (lambda k: k.sums(64, 64).to(bf16).store(k.tile(bf16, (64, 128))), r"a fragment of 64x64 16-bit values stored to"),
        (lambda k: k.sums(64, 128).to(e4m3).store(k.tile(e4m3, (64, 128))), r"a fragment of \.e4m3 stored by stmatrix"),
        (lambda k: k.sums(64, 128).to(bf16).load(k.tile(bf16, (64, 128))), r"a fragment of \.bf16 loaded by ldmatrix"),
        (
            lambda k: k.warp_sums(16, 16, f16).add_product(k.warp_sums(16, 16, bf16).to(bf16), None),
            r"16 rows of sums of 16 rows of packed \.bf16(.|\n)*16 rows of \.f16",
        ),
        (lambda k: k.sums(64, 24).to(e4m3), r"a fragment of 24 columns in \.e4m3(.|\n)*a multiple of 16"),
        (lambda k: k.sums(64, 64, s32).to(e4m3), r"packed to \.e4m3(.|\n)*floating-point values"),
        (lambda k: k.mbarrier(0), r"an mbarrier of 0 arrivals"),
        (lambda k: k.named_barrier(100), r"a barrier of 100 threads"),
        (lambda k: k.named_barrier(128, 16), r"17 named barriers(.|\n)*at most 16"),
        (lambda k: k.tile_cluster(3, 4), r"a cluster of 3x4x1 CTAs"),
        (lambda k: k.turns(0), r"turns of 0 warpgroups"),
        (lambda k: k.turns(17), r"17 named barriers"),
        (lambda k: k.pipeline(0, consumers=4), r"a pipeline of 0 stages"),
        (lambda k: list(k.pipeline(2, consumers=4).consume(1, in_flight=2)), r"in_flight=2"),
        (lambda k: k.bulk_wait(-1), r"waiting for all but -1 groups"),
        (lambda k: k.wgmma_wait(8), r"waiting for all but 8 groups"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_while_building(make, said):
    @px.kernel
    def kernel(k: px.Builder):
        make(k)

    with pytest.raises(px.BuildError, match=said):
        kernel.module(target="sm_90a")


# ---- tensor maps of arrays ------------------------------------------------------------------------------------------------


@px.kernel(threads=32)
def copies(k: px.Builder, x: px.TensorMap, y: px.TensorMap, column: u32, row: u32):
    """A tile of two boxes from x to y."""
    tile, loaded = k.tile(f16, (16, 128)), k.mbarrier()
    k.start_barriers()
    with k.if_(k.tid.x == 0):
        x.prefetch()
        x.prefetch(tile, (column, row))
        with loaded.transaction():
            x.load(tile, (column, row), loaded)
        loaded.wait(0)
        y.store(tile, (0, 0))
        k.bulk_commit()
        k.bulk_wait(0)


def test_a_launch_makes_the_maps_of_its_arrays(dev):
    values = numbers(40, 200)
    x, y = dev.array(values, f16), dev.zeros((16, 128), f16)
    copies[1, 32](x, y, 8, 3)
    assert np.array_equal(y.numpy(), values[3:19, 8:136])
    copies[1, 32](x, y, 152, 30)  # what lies outside is 0
    expected = np.zeros((16, 128), np.float32)
    expected[:10, :48] = values[30:, 152:]
    assert np.array_equal(y.numpy(), expected)


def test_a_map_of_a_driver_call_is_checked_against_the_kernel(dev):
    x, y = dev.zeros((40, 200), f16), dev.zeros((16, 128), f16)
    right = dc.tensor_map(x, "f16", shape=(200, 40), box=(64, 16), swizzle="128B")
    copies[1, 32](right, y, 0, 0)
    wrong = dc.tensor_map(x, "f16", shape=(200, 40), box=(64, 8), swizzle="128B")
    with pytest.raises(ArgumentError, match=r"boxes of 64x8 f16(.|\n)*boxes of 64x16 .f16, swizzle 128B"):
        copies[1, 32](wrong, y, 0, 0)


@pytest.mark.parametrize(
    "make, error, said",
    [
        (lambda dev: dev.zeros((40, 200), f32), ArgumentTypeError, r"a tensor map of .f16, the array has .f32"),
        (lambda dev: dev.zeros((2, 40, 200), f16), ArgumentError, r"3 dimensions \(2, 40, 200\), the tensor map has 2"),
        (lambda dev: dev.zeros((40, 201), f16), ArgumentError, r"strides\[0\] is 402(.|\n)*multiple of 16"),
        (lambda dev: np.zeros((40, 200), np.float16), ArgumentTypeError, r"host memory"),
        (lambda dev: 5, ArgumentTypeError, r"int has no shape"),
    ],
)
def test_an_array_that_has_no_such_map_is_an_error_of_the_launch(dev, make, error, said):
    with pytest.raises(error, match=said) as caught:
        copies[1, 32](make(dev), dev.zeros((16, 128), f16), 0, 0)
    assert "argument 1 (x: TensorMap of boxes of 64x16 .f16, swizzle 128B)" in str(caught.value)


def test_a_graph_keeps_the_arrays_of_its_maps(dev):
    values = numbers(40, 200)
    x, y = dev.array(values, f16), dev.zeros((16, 128), f16)
    copies[1, 32](x, y, 0, 0)
    with dev.capture() as graph:
        copies[1, 32](x, y, 8, 3)
    del x
    graph.launch()
    dev.synchronize()
    assert np.array_equal(y.numpy(), values[3:19, 8:136])


@px.kernel(threads=32)
def stated(k: px.Builder, x: px.TensorMap[f32, (32, 4), "128B"], z: px.ptr[f32]):  # noqa: F722
    x.prefetch()
    z[k.tid.x] = 1.0


def test_a_stated_map_is_that_of_the_annotation(dev):
    assert px.TensorMap[f32, (32, 4), "128B"] is px.TensorMap[f32, (32, 4), 128]
    stated[1, 32](dev.zeros((8, 64), f32), dev.zeros(32, f32))
    with pytest.raises(ArgumentTypeError, match=r"a tensor map of .f32, the array has .f16"):
        stated[1, 32](dev.zeros((8, 64), f16), dev.zeros(32, f32))


@pytest.mark.parametrize(
    "key, said",
    [
        (("x", (1,)), "TensorMap.* of 'x'"),
        ((f32, (0,)), r"box \(0,\)"),
        ((f32, (257, 2)), r"box \(257, 2\)"),
        ((f32, 5), "box 5"),
        ((f32, (32,), "129B"), "swizzle '129B'"),
    ],
)
def test_a_map_that_cannot_be_stated(key, said):
    with pytest.raises(px.AnnotationError, match=said):
        px.TensorMap[key]


def test_two_kinds_of_tile_need_two_maps():
    @px.kernel
    def kernel(k: px.Builder, x: px.TensorMap):
        loaded = k.mbarrier()
        k.start_barriers()
        with loaded.transaction():
            x.load(k.tile(f16, (16, 64)), (0, 0), loaded)
            x.load(k.tile(f16, (32, 64)), (0, 0), loaded)

    with pytest.raises(px.BuildError, match=r"boxes of 64x16 .f16(.|\n)*takes boxes of 64x32(.|\n)*second parameter"):
        kernel.module(target="sm_90a")


# ---- pipelines, roles, fragments ------------------------------------------------------------------------------------------


@px.kernel
def scaled_sums(
    k: px.Builder, depth: u32, a: px.TensorMap, b: px.TensorMap, c: px.TensorMap, top: px.ptr[f32], *, stages: int = 2,
    in_flight: int | None = 0, major_a: str = "K", major_b: str = "K", transposed: bool = False,
):  # fmt: skip
    """C = 2 A B^T + row of one tile of 64 x 32 in f32, and the largest sum of each row."""
    tile_a, tile_b = (k.tile(bf16, (n, 64), stages=stages, major=m) for n, m in ((64, major_a), (64, major_b)))
    out = k.tile(f32, (64, 64))
    pipe = k.pipeline(stages, consumers=4)
    with k.roles(load=1, multiply=1) as (load, multiply):
        with load, k.if_(k.tid.x == 0):
            for stage in pipe.produce(depth // 64):
                for tensor, tile, major in ((a, tile_a, major_a), (b, tile_b, major_b)):
                    place = (stage.step * 64, 0) if major == "K" else (0, stage.step * 64)
                    tensor.load(tile[stage.index], place, stage.barrier)
        with multiply:
            sums = k.sums(64, 64)
            for stage in pipe.consume(depth // 64, in_flight=in_flight):
                sums.add_product(tile_a[stage.index], tile_b[stage.index])
            for half, largest in enumerate(sums.reduce_rows(k.max)):
                top[sums.row(half)] = largest
            sums.map(lambda value, row, column: value * 2.0 + row.to(f32)).store(out, transposed=transposed)
            k.publish_shared()
            k.barrier(1, 128)
            with k.if_(k.tid.x == 128):
                c.store(out, (0, 0))
                k.bulk_commit()
                k.bulk_wait(0)


@pytest.mark.parametrize("options", [
    {}, {"in_flight": 1}, {"stages": 1}, {"stages": 3, "in_flight": 1}, {"major_a": "MN"}, {"major_b": "MN"},
    {"major_a": "MN", "major_b": "MN", "transposed": True}, {"transposed": True},
])  # fmt: skip
def test_a_product_through_the_pipeline(dev, options):
    x, y = numbers(64, 256), numbers(64, 256, seed=1)
    a, b = (
        dev.array(np.ascontiguousarray(v.T if options.get(m) == "MN" else v), bf16)
        for v, m in ((x, "major_a"), (y, "major_b"))
    )
    c, top = dev.zeros((64, 64), f32), dev.zeros(64, f32)
    scaled_sums[1, 256](256, a, b, c, top, **options)
    product = x @ y.T
    expected = 2 * product + np.arange(64, dtype=np.float32)[:, None]
    assert np.array_equal(c.numpy(), expected.T if options.get("transposed") else expected)
    assert np.array_equal(top.numpy(), product.max(1))


def test_no_steps_leave_the_pipeline_as_it_was(dev):
    a, b = (dev.array(numbers(64, 64, seed=n), bf16) for n in range(2))
    c, top = dev.full((64, 64), 7, f32), dev.zeros(64, f32)
    scaled_sums[1, 256](0, a, b, c, top, in_flight=1)
    assert np.array_equal(c.numpy(), np.repeat(np.arange(64, dtype=np.float32)[:, None], 64, 1))


@px.kernel
def sums_in_turn(
    k: px.Builder, items: u32, steps: u32, x: px.TensorMap, z: px.ptr[f32], *, stages: int, groups: int, ordered: bool
):
    """z[item, thread] is the sum over the item's steps, each item added up by one of the warpgroups."""
    tile = k.tile(f32, (8, 32), stages=stages)
    pipe = k.pipeline(stages, consumers=4)
    with k.roles(load=1, add=groups) as (load, add):
        with load, k.if_(k.tid.x == 0):
            for stage in pipe.produce(items * steps):
                x.load(tile[stage.index], (0, stage.step * 8), stage.barrier)
        with add as mine:
            thread = k.tid.x % 128
            turns = pipe.in_turns(mine, groups) if ordered else pipe
            if not ordered:
                pipe.skip(mine)
            for item in k.range(mine, items, groups):
                total = k.var(f32, 0)
                for stage in turns.consume(steps):
                    for row in (thread // 32, thread // 32 + 4):
                        total += tile[stage.index].at(row, thread % 32)[0]
                    k.syncwarp()
                if not ordered:
                    pipe.skip(groups - 1)
                z[item * 128 + thread] = total


@pytest.mark.parametrize(
    "stages, groups, steps, ordered",
    [
        (2, 2, 3, True),
        (5, 2, 2, True),
        (3, 3, 7, True),
        (1, 2, 2, True),
        (4, 2, 1, False),
        (3, 3, 1, False),
        (10, 5, 1, False),
    ],
)
def test_warpgroups_take_the_stages_in_turn(dev, stages, groups, steps, ordered):
    items = 7
    x = numbers(items * steps * 8, 32)
    z = dev.zeros((items, 128), f32)
    sums_in_turn[1, 128 * (1 + groups)](
        items, steps, dev.array(x, f32), z, stages=stages, groups=groups, ordered=ordered
    )
    assert np.array_equal(z.numpy(), x.reshape(items, 2 * steps, 128).sum(1))


@px.kernel(min_ctas=1)
def products_of_held_rows(k: px.Builder, steps: u32, x: px.TensorMap, y: px.TensorMap, z: px.ptr[f32]):
    """x times the sum of all y, with the rows of x in registers."""
    left, right = k.tile(f16, (64, 64)), k.tile(f16, (32, 64), stages=2)
    once, pipe = k.pipeline(1, consumers=4), k.pipeline(2, consumers=4)
    with k.roles(load=1, multiply=1) as (load, multiply):
        with load, k.if_(k.tid.x == 0):
            for stage in once.produce(1):
                x.load(left, (0, 0), stage.barrier)
            for stage in pipe.produce(steps):
                y.load(right[stage.index], (0, stage.step * 32), stage.barrier)
        with multiply:
            total, held = k.sums(64, 32), k.sums(64, 64).packed(f16)
            rows = once.take()
            held.load(left)
            once.release(rows)
            for stage in pipe.consume(steps, in_flight=1):
                total.add_product(held, right[stage.index], keep=stage.step > 0)
            total.map(lambda value, row, column: z.store(row * 32 + column, value))


def test_a_fragment_that_is_loaded_is_the_left_side_of_many_products(dev):
    x, y, z = numbers(64, 64), numbers(5, 32, 64, seed=1), dev.zeros((64, 32), f32)
    products_of_held_rows[1, 256](5, dev.array(x, f16), dev.array(y.reshape(-1, 64), f16), z)
    assert np.array_equal(z.numpy(), x @ y.sum(0).T)


def test_the_roles_state_their_threads_and_their_registers():
    def roles(**shares):
        @px.kernel
        def kernel(k: px.Builder):
            with k.roles(**shares) as bodies:
                for body in bodies:
                    with body:
                        k.syncwarp()

        return str(kernel.module(target="sm_90a"))

    text = roles(load=(1, 40), multiply=(2, 232))
    assert ".reqntid 384, 1, 1" in text
    assert "setmaxnreg.dec.sync.aligned.u32 40;" in text
    assert "setmaxnreg.inc.sync.aligned.u32 232;" in text
    with pytest.raises(px.BuildError, match=r"roles of 384 threads and 66560 registers(.|\n)*65536"):
        roles(load=(1, 40), multiply=(2, 240))
    with pytest.raises(px.BuildError, match=r"the role load=\(1, 41\)"):
        roles(load=(1, 41))
    with pytest.raises(px.BuildError, match=r"roles of 1152 threads"):
        roles(load=9)


def test_a_role_without_a_body_and_roles_without_with():
    @px.kernel
    def forgets(k: px.Builder):
        with k.roles(load=1, multiply=1) as (load, _):
            with load:
                k.syncwarp()

    with pytest.raises(px.BuildError, match="the role 'multiply' has no body"):
        forgets.module(target="sm_90a")

    @px.kernel
    def never_opens(k: px.Builder):
        k.roles(load=1)

    with pytest.raises(px.BuildError, match="without `with`"):
        never_opens.module(target="sm_90a")


@pytest.mark.parametrize(
    "body, said",
    [
        (lambda k, x, tile, loaded: None, r"a transaction without a load"),
        (
            lambda k, x, tile, loaded: [x.load(tile, (0, 0), loaded) for _ in [0] for _ in _opened(k)],
            r"a load under control flow inside a transaction",
        ),
        (lambda k, x, tile, loaded: x.load(tile, (0,), loaded), r"2 to 5, innermost first"),
        (lambda k, x, tile, loaded: x.load(tile, (0, 1.5), loaded), r"the coordinate 1.5"),
    ],
)
def test_transactions_count_what_they_can(body, said):
    @px.kernel
    def kernel(k: px.Builder, x: px.TensorMap):
        tile, loaded = k.tile(f16, (16, 64)), k.mbarrier()
        k.start_barriers()
        with loaded.transaction():
            body(k, x, tile, loaded)

    with pytest.raises(px.BuildError, match=said):
        kernel.module(target="sm_90a")


def _opened(k):
    with k.if_(k.tid.x == 0):
        yield


@px.kernel
def alternates(k: px.Builder, counter: px.ptr[u32], z: px.ptr[u32], rounds: u32, *, groups: int):
    """Which warpgroup comes when; the later ones begin first where they may."""
    turns = k.turns(groups)
    with k.roles(work=groups) as (work,), work as mine:
        turns.begin(mine)
        for _ in k.range(rounds):
            with turns.of(mine), k.if_(k.tid.x % 128 == 0):
                z[k.atomic_add(counter, 0, 1)] = mine


@pytest.mark.parametrize("groups", [1, 2, 3, 4])
def test_warpgroups_take_turns(dev, groups):
    z = dev.full(groups * 5, 99, u32)
    alternates[1, 128 * groups](dev.zeros(1, u32), z, 5, groups=groups)
    assert z.numpy().tolist() == [*range(groups)] * 5
    text = str(alternates.module(target="sm_90a", groups=groups))
    assert ("bar.arrive" in text) == (groups > 1)


# ---- schedules and clusters -----------------------------------------------------------------------------------------------


@px.kernel
def visits(k: px.Builder, rows: u32, columns: u32, batch: u32, z: px.ptr[u32], *, group: int, shape: tuple = (1, 1)):
    """How often each tile is visited, clusters' own ones outside of the result left out."""
    near = k.tile_cluster(*shape)
    for row, column, matrix in k.persistent_tiles(rows, columns, group=group, cluster=near, batch=batch):
        with k.if_((row < rows) & (column < columns) & (k.tid.x == 0)):
            k.reduce_add(z, (matrix * rows + row) * columns + column, 1)


@pytest.mark.parametrize("rows, columns, batch", [(1, 1, 1), (5, 7, 1), (9, 3, 2), (3, 1, 4)])
@pytest.mark.parametrize(
    "group, shape, grid", [(1, (1, 1), 1), (4, (1, 1), 5), (8, (2, 1), 6), (2, (2, 2), 8), (1, (1, 2), 2)]
)
def test_each_tile_is_visited_once(dev, rows, columns, batch, group, shape, grid):
    z = dev.zeros(rows * columns * batch, u32)
    visits[grid, 32](rows, columns, batch, z, group=group, shape=shape)
    assert (z.numpy() == 1).all()


@px.kernel
def shares(k: px.Builder, x: px.TensorMap, y: px.TensorMap, z: px.ptr[u32], *, rows: int, columns: int):
    """Every CTA of a row or a column gets the whole tile, of which each loads a part."""
    near = k.tile_cluster(rows, columns)
    tile = k.tile(s32, (32, 32), stages=2)
    loaded = k.mbarrier()
    k.start_barriers(cluster=True)
    with k.if_(k.tid.x == 0):
        with loaded.transaction():
            x.load(tile[0], (0, near.row * 32), loaded, among=near.in_row)
            y.load(tile[1], (0, near.column * 32), loaded, among=near.in_column)
    loaded.wait(0)
    word = k.pointer(tile[0].address, u32, space="shared")
    for i in range(0, 2048, 32):
        z[k.ctaid.x * 2048 + i + k.tid.x] = word[i + k.tid.x]
    near.sync()


@pytest.mark.parametrize("rows, columns", [(1, 1), (2, 1), (1, 2), (2, 2), (2, 4)])
def test_the_ctas_of_a_cluster_load_for_each_other(dev, rows, columns):
    x = dev.array(np.arange(32 * 32 * 4, dtype=np.int32).reshape(128, 32))
    z = dev.zeros(rows * columns * 2048, u32)
    shares[rows * columns, 32](x, x, z, rows=rows, columns=columns)
    found = z.numpy().reshape(rows * columns, 2, 1024)
    for rank in range(rows * columns):
        for part, first in enumerate((rank // columns, rank % columns)):
            assert set(found[rank, part]) == set(range(first * 1024, first * 1024 + 1024)), (rank, part)


def test_they_assemble(assembles):
    assembles([copies, plans.using(), scaled_sums.using(in_flight=1)], targets=["sm_90a"])
    assembles([copies, visits.using(group=4, shape=(2, 2))], targets=["sm_90a", "sm_100a", "sm_120"])
