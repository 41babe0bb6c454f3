"""Rows of a table by their numbers, and the table's gradient: types, odd forms, indices that are no row, graphs, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, s8, s32, s64, u64
from ptxgen.ops import embedding, embedding_backward


def taken(table, indices):
    there = (indices >= 0) & (indices < len(table))
    found = table[np.where(there, indices, 0)] if len(table) else np.zeros((*indices.shape, table.shape[1]))
    return np.where(there[..., None], found, 0)


@pytest.mark.parametrize("element, columns", [(f32, 1), (f32, 260), (bf16, 37), (f16, 8), (s8, 5), (u64, 6)])
@pytest.mark.parametrize("shape", [(), (9,), (2, 3, 4), (0, 2)])
def test_rows_of_any_type(dev, element, columns, shape):
    rng = np.random.default_rng(columns)
    table = dev.array(rng.integers(0, 100, (11, columns)), element)
    indices = rng.integers(-3, 14, shape)
    for kind in (s64, s32):
        found = embedding(table, dev.array(np.asarray(indices), kind))
        assert found.type.name == element.isa.name
        assert np.array_equal(found.numpy(), taken(table.numpy(), np.asarray(indices)))


def test_indices_that_are_no_row_read_nothing(dev):
    table = dev.array(np.ones((3, 4), np.float32))
    wild = [-1, 3, 1 << 40, -(1 << 63), (1 << 63) - 1, (1 << 32) + 1, 2]
    assert embedding(table, dev.array(np.array(wild, np.int64))).numpy()[:, 0].tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert not embedding(dev.zeros((0, 4), f32), dev.array(np.array([0, 5], np.int64))).numpy().any()


@pytest.mark.parametrize(
    "rows, count, columns", [(7, 50, 12), (1, 9, 3), (300, 1000, 8), (70_000, 40, 5), (4, 0, 6), (40, 7, 530)]
)
@pytest.mark.parametrize("element", [f32, bf16])
def test_the_gradient_of_the_table(dev, rows, count, columns, element):
    rng = np.random.default_rng(rows)
    indices = rng.integers(-1, rows + 1, count)
    g = dev.array(rng.standard_normal((count, columns)).astype(np.float32), element)
    exact = np.zeros((rows, columns))
    there = (indices >= 0) & (indices < rows)
    np.add.at(exact, indices[there], g.numpy().astype(np.float64)[there])
    found = embedding_backward(g, dev.array(indices, s64), rows)
    assert np.allclose(found.numpy(), exact, rtol=1e-5 if element is f32 else 1e-2, atol=1e-4)
    wide = embedding_backward(g, dev.array(indices, s32), rows, dev.empty((rows, columns), f32))
    assert np.allclose(wide.numpy(), exact, rtol=1e-5, atol=1e-4)
    assert wide.numpy().tobytes() == embedding_backward(g, dev.array(indices, s64), rows, wide).numpy().tobytes()


def test_sums_are_in_the_order_of_the_indices(dev):
    g = np.float32([[1e8], [1], [-1e8], [1]])
    assert embedding_backward(dev.array(g), dev.array(np.zeros(4, np.int64)), 1).item() == 1.0


def test_a_graph_of_both(dev):
    table, indices = dev.array(np.arange(24, dtype=np.float32).reshape(6, 4)), dev.array(np.array([[5, 0], [5, 2]]))
    out, slope = dev.zeros((2, 2, 4), f32), dev.zeros((6, 4), f32)
    with dev.capture() as graph:
        embedding(table, indices, out)
        embedding_backward(out, indices, 6, slope)
    for _ in range(2):
        slope.fill(7)
        graph.launch()
        dev.synchronize()
        assert np.array_equal(slope.numpy(), table.numpy() * np.array([1, 0, 1, 0, 0, 2])[:, None])


def test_what_is_refused(dev):
    table, indices = dev.zeros((5, 4), f32), dev.array(np.array([1, 2]))
    with pytest.raises(px.BuildError, match=r"indices are .f32 of \(3,\)(.|\n)*s64 or s32"):
        embedding(table, dev.zeros(3, f32))
    with pytest.raises(px.BuildError, match=r"weight is .f32 of \(5,\)"):
        embedding(dev.zeros(5, f32), indices)
    with pytest.raises(px.BuildError, match=r"out is .f32 of \(2, 5\)(.|\n)*\(2, 4\)"):
        embedding(table, indices, dev.zeros((2, 5), f32))
    with pytest.raises(px.BuildError, match=r"out of shape \(2, 4\) .* overlaps weight"):
        embedding(table, indices, table[1:3])
    with pytest.raises(px.BuildError, match=r"gradient is .f32 of \(3, 4\)(.|\n)*of \(2, 'columns'\)"):
        embedding_backward(table[:3], indices, 5)
    with pytest.raises(px.BuildError, match=r"out is .bf16 of \(5, 4\)(.|\n)*without gaps"):
        embedding_backward(table[:2], indices, 5, dev.zeros((5, 4), bf16))
    with pytest.raises(px.BuildError, match="rows is -1"):
        embedding_backward(table[:2], indices, -1)
    assert embedding_backward(table[:2], indices, 5, explain=True).count("then") == 4
