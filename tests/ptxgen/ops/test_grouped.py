"""`grouped_matmul`: groups of any size, transposed views, graphs whose counts change, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, s32, u32
from ptxgen.ops import grouped_matmul, transposed


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


def whole(seed, *shape):
    """Numbers whose products every type holds exactly."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float32)


def expected(x, y, ends, before):
    found = before.copy()
    for g, (first, last) in enumerate(zip((0, *ends), ends)):
        found[first:last] = x[first:last] @ y[g]
    return found


@pytest.mark.parametrize("element", [bf16, f16, e4m3])
def test_rows_of_no_group_stay(dev, element):
    ends = (3, 3, 200, 264)
    x, y = whole(0, 270, 80), whole(1, 4, 80, 40)
    a, rows = dev.array(x, element), dev.array(np.array(ends, np.int32))
    b = transposed(dev.array(np.ascontiguousarray(y.swapaxes(1, 2)), element))
    out = dev.full((270, 40), 7, bf16 if element is e4m3 else element)
    assert grouped_matmul(a, b, rows, out) is out
    assert np.array_equal(out.numpy(), expected(x, y, ends, np.full((270, 40), 7, np.float32)))
    made = grouped_matmul(a, b, rows)
    assert np.array_equal(made.numpy()[:264], out.numpy()[:264])


def test_groups_with_room(dev):
    counts = np.array([0, 5, 130], np.int32)
    x, y = whole(0, 3, 130, 72), whole(1, 3, 72, 136)
    out = dev.full((3, 130, 136), 7, bf16)
    grouped_matmul(dev.array(x, bf16), dev.array(y, bf16), dev.array(counts), out)
    for g, count in enumerate(counts):
        assert np.array_equal(out.numpy()[g, :count], x[g, :count] @ y[g])
        assert (out.numpy()[g, count:] == 7).all()


def test_a_graph_serves_counts_that_change_and_keeps_its_arrays(dev):
    x, y = whole(2, 140, 64), whole(3, 2, 64, 24)
    a, b, rows, out = (
        dev.array(x, bf16),
        dev.array(y, bf16),
        dev.array(np.array([10, 140], np.int32)),
        dev.zeros((140, 24), bf16),
    )
    grouped_matmul(a, b, rows, out)
    with dev.capture() as graph:
        grouped_matmul(a, b, rows, out)
    del a, b
    for ends in ((130, 140), (0, 0), (1, 139)):
        rows.copy_from(np.array(ends, np.int32))
        out.fill(0)
        graph.launch()
        dev.synchronize()
        assert np.array_equal(out.numpy(), expected(x, y, ends, np.zeros((140, 24), np.float32)))


def test_an_epilogue_sees_the_rows_of_the_whole_array(dev):
    x, y = whole(4, 70, 64), whole(5, 2, 64, 16)
    rows = dev.array(np.array([3, 70], np.int32))
    found = grouped_matmul(
        dev.array(x, bf16),
        dev.array(y, bf16),
        rows,
        epilogue=lambda k, value, row, column: value + (row % 8 * 2).to(f32),
    )
    assert np.array_equal(found.numpy(), expected(x, y, (3, 70), np.zeros((70, 16))) + (np.arange(70) % 8 * 2)[:, None])


def test_an_epilogue_reads_arrays_of_each_group(dev):
    x, y = whole(4, 70, 64), whole(5, 2, 64, 16)
    rows, bias = dev.array(np.array([3, 70], np.int32)), whole(6, 2, 1, 16)

    def add(k, value, row, column, bias, factor):
        return k.fma(value, factor, bias[0, column])

    arguments = (dev.array(bias, f32), 0.5)
    found = grouped_matmul(dev.array(x, bf16), dev.array(y, bf16), rows, epilogue=add, arguments=arguments)
    sums = expected(x, y, (3, 70), np.zeros((70, 16)))
    assert np.array_equal(found.numpy(), dev.array(sums / 2 + bias[(np.arange(70) >= 3) * 1, 0], bf16).numpy())


@pytest.mark.parametrize(
    "ends, taken",
    [
        ((-5, 0, 0), (0, 0, 0)),
        ((5, 3, 8), (5, 5, 8)),
        ((3, 2**31 - 1, 4), (3, 8, 8)),
        ((9, -(2**31), 7), (8, 8, 8)),
    ],
)
def test_a_group_ends_behind_the_one_before_and_within_the_rows(dev, ends, taken):
    x, y = whole(6, 8, 64), whole(7, 3, 64, 16)
    out = dev.full((8, 16), 7, bf16)
    grouped_matmul(dev.array(x, bf16), dev.array(y, bf16), dev.array(np.array(ends, np.int32)), out)
    assert np.array_equal(out.numpy(), expected(x, y, taken, np.full((8, 16), 7, np.float32)))


def test_a_group_has_no_more_rows_than_there_is_room_for(dev):
    x, y = whole(8, 3, 5, 64), whole(9, 3, 64, 16)
    out = dev.full((3, 5, 16), 7, bf16)
    counts = dev.array(np.array([2**31 - 1, -1, 6], np.int32))
    grouped_matmul(dev.array(x, bf16), dev.array(y, bf16), counts, out)
    found = out.numpy()
    assert np.array_equal(found[[0, 2]], x[[0, 2]] @ y[[0, 2]])
    assert (found[1] == 7).all()


def test_explain_launches_nothing(dev):
    a, b, out = dev.zeros((8, 64), bf16), dev.zeros((2, 64, 16), bf16), dev.full((8, 16), 7, bf16)
    assert "gemm_grouped" in grouped_matmul(a, b, dev.zeros(2, s32), out, explain=True)
    assert (out.numpy() == 7).all()


@pytest.mark.parametrize(
    "shapes, elements, said",
    [
        (((8, 64), (2, 72, 16), (2,)), (bf16, bf16, s32), r"grouped_matmul of \(8, 64\) and \(2, 72, 16\)"),
        (((8, 64), (64, 16), (2,)), (bf16, bf16, s32), r"\(groups, depth, n\)"),
        (((3, 8, 64), (2, 64, 16), (2,)), (bf16, bf16, s32), r"grouped_matmul of \(3, 8, 64\)"),
        (((8, 64), (2, 64, 16), (2,)), (bf16, f16, s32), r"grouped_matmul of .bf16 and .f16"),
        (((8, 64), (2, 64, 16), (2,)), (f32, f32, s32), r"grouped_matmul of .f32"),
        (((8, 64), (2, 64, 16), (3,)), (bf16, bf16, s32), r"rows is .s32 of shape \(3,\)"),
        (((8, 64), (2, 64, 16), (2,)), (bf16, bf16, u32), r"rows is .u32"),
        (((8, 0), (2, 0, 16), (2,)), (bf16, bf16, s32), r"over a depth of 0"),
        (((8, 60), (2, 60, 16), (2,)), (bf16, bf16, s32), r"a of shape \(8, 60\) has strides"),
        (
            ((8, 64), (2, 64, 16), (2,)),
            (e4m3, e4m3, s32),
            r"b of shape \(2, 16, 64\) has strides(.|\n)*along the depth",
        ),
    ],
)
def test_what_has_no_kernel_is_refused(dev, shapes, elements, said):
    a, b, rows = (dev.zeros(shape, element) for shape, element in zip(shapes, elements))
    with pytest.raises(px.BuildError, match=said):
        grouped_matmul(a, b, rows)


def test_the_result_must_fit(dev):
    a, b, rows = dev.zeros((8, 64), bf16), dev.zeros((2, 64, 16), bf16), dev.zeros(2, s32)
    for out in (dev.zeros((8, 8), bf16), dev.zeros((8, 16), f32), transposed(dev.zeros((16, 8), bf16))):
        with pytest.raises(px.BuildError, match=r"out is(.|\n)*\.bf16 of \(8, 16\), without gaps"):
            grouped_matmul(a, b, rows, out)


def test_a_result_that_overlaps_what_is_read(dev):
    wide, b, rows = dev.zeros((17, 8), bf16), dev.zeros((2, 8, 8), bf16), dev.array(np.array([3, 16], np.int32))

    def add(k, value, row, column, c):
        return value + c[row, column]

    with pytest.raises(px.BuildError, match="overlaps a "):
        grouped_matmul(wide[1:], b, rows, wide[:16])
    with pytest.raises(px.BuildError, match="overlaps argument 0"):
        grouped_matmul(dev.zeros((16, 8), bf16), b, rows, wide[:16], epilogue=add, arguments=(wide[1:],))
