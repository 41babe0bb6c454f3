"""Selections of elements, the rest of them, heads of runs, and random rows, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

from ptxgen import f32, s16, u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.ops import Dedup, Filter, GroupBy, Select
from ptxgen.ops.arrays.permutations import random_rows


def is_odd(k, x):
    return (x & 1) != 0


@pytest.mark.parametrize("n", [0, 1, 255, 20_000])
def test_elements_and_the_rest(dev, n):
    x = np.random.default_rng(n).integers(0, 100, n).astype(np.uint32)
    on, out, rest = dev.array(x), dev.empty(n, u32), dev.empty(n, u32)
    for op, value, chosen in ((is_odd, 0, x % 2 == 1), ("lt", 30, x < 30)):
        for values in (True, False):
            with Select(dev, u32, n, op=op, values=values) as select:
                select(on, out, value, rest=rest)
                count = select.count()
            source = x if values else np.arange(n)
            assert np.array_equal(out.numpy()[:count], source[chosen])
            assert np.array_equal(rest.numpy()[: n - count], source[~chosen])


@pytest.mark.parametrize("kind, element", [("i2", s16), ("f4", f32)])
def test_elements_of_any_type(dev, kind, element):
    x = np.random.default_rng(0).integers(-5, 5, 3000).astype(kind)
    on, out, rest = dev.array(x), dev.empty(3000, element), dev.empty(3000, element)
    with Select(dev, element, 3000, op="lt", values=True) as select:
        select(on, out, 2, rest=rest)
        count = select.count()
    assert np.array_equal(out.numpy()[:count], x[x < 2])
    assert np.array_equal(rest.numpy()[: 3000 - count], x[x >= 2])


@pytest.mark.parametrize("kind, element", [(np.uint8, u8), (np.uint64, u64)])
@pytest.mark.parametrize("n, many", [(0, 1), (1, 1 << 23), (9000, 1 << 23), (9000, 9000)])
def test_heads_of_runs(dev, kind, element, n, many, monkeypatch):
    monkeypatch.setattr("ptxgen.kernels.arrays.select.MANY", many)
    x = np.repeat(np.random.default_rng(n).integers(0, 200, n), 3)[:n].astype(kind)
    heads = np.append(np.ones(min(n, 1), bool), x[1:] != x[:-1])
    on, out = dev.array(x), dev.empty(n, u32)
    with Select(dev, element, n, op="change") as select:
        select(on, out)
        assert np.array_equal(out.numpy()[: select.count()], np.nonzero(heads)[0])


def test_a_nan_is_the_same_as_one_of_its_bits(dev):
    x = dev.array(np.array([np.nan, np.nan, 0.0, -0.0, 1.0], np.float32))
    with Select(dev, f32, 5, op="change") as select:
        out = dev.empty(5, u32)
        select(x, out)
        assert out.numpy()[: select.count()].tolist() == [0, 2, 3, 4]


@pytest.mark.parametrize("n", [0, 1, 7000])
def test_a_filter_parts_columns(dev, n):
    rng = np.random.default_rng(n)
    mask, columns = (
        rng.integers(0, 2, n).astype(np.uint8),
        [rng.integers(0, 200, n).astype(k) for k in ("u1", "u4", "f8")],
    )
    on = [dev.array(column) for column in columns]
    outs, rests = ([dev.empty(n, column.type) for column in on] for _ in range(2))
    with Filter(dev, n) as rows:
        rows(dev.array(mask), on, outs, rests)
        count = rows.count()
        assert np.array_equal(rows.rows.numpy()[:count], np.nonzero(mask)[0])
    for column, out, rest in zip(columns, outs, rests):
        assert np.array_equal(out.numpy()[:count], column[mask != 0])
        assert np.array_equal(rest.numpy()[: n - count], column[mask == 0])


@pytest.mark.parametrize("kind", ["u1", "i4", "f8"])
@pytest.mark.parametrize("n", [0, 1, 5000])
def test_different_values_in_order(dev, kind, n):
    x = np.random.default_rng(n).integers(0, 90, n).astype(kind)
    on = dev.array(x)
    with Dedup(dev, on, values=True) as dedup:
        dedup(on)
        assert np.array_equal(dedup.rows().numpy(), np.unique(x))


@pytest.mark.parametrize("n, most", [(0, 1), (1, 1), (6000, 3), (6000, 5000)])
def test_runs_are_reduced_where_they_are(dev, n, most):
    """Run-length encoding and reduction by key; a key may come back."""
    rng = np.random.default_rng(n + most)
    lengths = rng.integers(1, most + 1, n)
    keys = np.repeat(rng.integers(0, 5, n).astype(np.uint32), lengths)[:n]
    values = rng.integers(0, 100, n).astype(np.int32)
    starts = np.nonzero(np.append(np.ones(min(n, 1), bool), keys[1:] != keys[:-1]))[0]
    on, on_values = dev.array(keys), dev.array(values)
    with GroupBy(dev, on, presorted=True) as by:
        by.aggregate(on, {"length": ("count",), "sum": ("sum", on_values), "low": ("min", on_values)})
        (found,), results = by.rows()
        assert np.array_equal(found.numpy(), keys[starts])
        assert np.array_equal(results["length"].numpy(), np.diff(starts, append=n))
        if n:
            assert np.array_equal(results["sum"].numpy(), np.add.reduceat(values, starts, dtype=np.int64))
            assert np.array_equal(results["low"].numpy(), np.minimum.reduceat(values, starts))


@pytest.mark.parametrize("n", [0, 1, 2, 1000, 4097])
def test_a_random_permutation_has_every_row_once(dev, n):
    out, other = dev.empty(n, u32), dev.empty(n, u32)
    random_rows(out, seed=7)
    random_rows(other, seed=8)
    assert np.array_equal(np.sort(out.numpy()), np.arange(n))
    assert n < 1000 or (out.numpy() != other.numpy()).mean() > 0.99


def test_a_sample_is_drawn_evenly(dev):
    """100 of 1,000 rows, 200 times: each row about 20 times, within 6 standard deviations."""
    out, counts = dev.empty(100, u32), np.zeros(1000, int)
    for seed in range(200):
        random_rows(out, rows=1000, seed=seed)
        assert len(set(out.numpy().tolist())) == 100
        counts[out.numpy()] += 1
    assert abs(counts - 20).max() < 6 * np.sqrt(200 * 0.1 * 0.9)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: Select(d, u32, 3, op="above"), "no comparison 'above'"),
        (lambda d: Select(d, u32, 3, values=True)(d.zeros(3, u32), d.zeros(3, u64)), "expected .u32"),
        (lambda d: Filter(d, 3)(d.zeros(3, u8), d.zeros(3, u32), d.zeros(3, u32), d.zeros(2, u32)), "at least 3"),
        (lambda d: random_rows(d.zeros(3, u32), rows=2, seed=0), "3 different rows of 2"),
        (lambda d: random_rows(d.zeros(3, u32), seed=2**64), "seed is"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
