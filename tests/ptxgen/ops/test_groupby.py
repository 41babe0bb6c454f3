"""Groups and their counts, sums, minima and maxima, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ptxgen as px
from ptxgen import f32, f64, u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.ops import GroupBy

VALUES = {
    "u8": (np.uint8, np.uint64), "s8": (np.int8, np.int64), "u16": (np.uint16, np.uint64), "s16": (np.int16, np.int64),
    "f16": (np.float16, np.float64),
    "u32": (np.uint32, np.uint64), "s32": (np.int32, np.int64), "u64": (np.uint64, np.uint64),
    "s64": (np.int64, np.int64), "f32": (np.float32, np.float64), "f64": (np.float64, np.float64),
}  # fmt: skip


def drawn(rng, n, kind):
    """Values whose sums are exact: whole ones for floats, up to the type's ends for integers, which wrap as numpy's do."""
    if kind().dtype.kind == "f":
        return rng.integers(-1000, 1000, n).astype(kind)
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max, n, dtype=kind, endpoint=True)


@pytest.mark.parametrize("kind, wide", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("n, groups", [(0, 1), (1, 1), (17, 17), (5000, 3), (5000, 5000), (6000, 700)])
def test_reductions_of_each_group(dev, kind, wide, n, groups):
    rng = np.random.default_rng(n + groups)
    keys, values = rng.integers(0, groups, n).astype(np.uint32), drawn(rng, n, kind)
    flags = np.where((keys + 1) % 3 == 0, rng.integers(0, 2, n), (keys % 3) * rng.integers(1, 9, n)).astype(kind)
    on_keys, on_values = dev.array(keys), dev.array(values)
    different, first, inverse, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    count = len(different)
    with GroupBy(dev, on_keys) as by:
        by(on_keys)
        assert by.count() == count
        outs = {"sizes": dev.empty(n, u32), "keys": dev.empty(n, u32), "sum": dev.array(np.zeros(n, wide))}
        outs |= {name: dev.array(np.zeros(n, kind)) for name in ("min", "max", "first")}
        outs |= {"mean": dev.empty(n, f64), "any": dev.empty(n, u8), "all": dev.empty(n, u8)}
        by.sizes(outs["sizes"])
        by.first(on_keys, outs["keys"])
        by.first(on_values, outs["first"])
        by.sum(on_values, outs["sum"])
        by.mean(on_values, outs["mean"])
        by.any(dev.array(flags), outs["any"])
        by.all(dev.array(flags), outs["all"])
        by.min(on_values, outs["min"])
        by.max(on_values, outs["max"])
        found = {name: array[:count].numpy() for name, array in outs.items()}
    sums = np.zeros(count, wide)
    np.add.at(sums, inverse, values.astype(wide))
    rows = [values[inverse == g] for g in range(count)]
    assert np.array_equal(found["sizes"], sizes)
    assert np.array_equal(found["keys"], different)
    assert np.array_equal(found["first"], values[first])
    assert np.array_equal(found["sum"], sums)
    means = np.bincount(inverse, values.astype(np.float64), count) / sizes
    rounding = 0 if values.itemsize < 8 or values.dtype.kind == "f" else n * 2.0**-53 * 2.0**64
    assert (np.abs(found["mean"] - means) <= rounding).all()
    assert np.array_equal(found["any"], [flags[inverse == g].any() for g in range(count)])
    assert np.array_equal(found["all"], [flags[inverse == g].all() for g in range(count)])
    assert np.array_equal(found["min"], np.array([each.min() for each in rows], kind))
    assert np.array_equal(found["max"], np.array([each.max() for each in rows], kind))


def test_what_is_computed_of_groups_is_captured(dev):
    keys, values = dev.array(np.array([1, 0, 1], np.int8)), dev.zeros(3, px.s16)
    means, every = dev.empty(3, f64), dev.empty(3, u8)
    with GroupBy(dev, keys) as by:
        with dev.capture() as graph:
            by(keys)
            by.mean(values, means)
            by.all(values, every)
        for first, expected, flags in ((-3, [-3.0, 6.5], [1, 1]), (0, [0.0, 6.5], [0, 1])):
            keys.copy_from(np.array([5, -5, 5], np.int8))
            values.copy_from(np.array([6, first, 7], np.int16))
            graph.launch()
            assert means.numpy()[:2].tolist() == expected
            assert every.numpy()[:2].tolist() == flags
        graph.close()


def test_nan_is_not_zero_and_makes_means_nan(dev):
    keys, values = dev.zeros(2, u32), dev.array(np.array([np.nan, 0.0], np.float16))
    mean, flags = dev.empty(2, f64), dev.empty(2, u8)
    with GroupBy(dev, keys) as by:
        by(keys)
        by.mean(values, mean)
        by.any(values, flags)
        assert np.isnan(mean.numpy()[0])
        assert flags.numpy()[0] == 1
        by.all(values, flags)
        assert flags.numpy()[0] == 0


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_nothing_but_nan_has_no_smallest_value(dev, kind):
    """In groups of one row, of many, and of more than a thread reads."""
    sizes, nan = [1, 2, 3, 1000], np.nan
    keys = np.repeat(np.arange(4, dtype=np.uint32), sizes)
    values = np.full(keys.size, nan, kind)
    values[2] = 5
    on_keys, element = dev.array(keys), f32 if kind is np.float32 else f64
    out = dev.empty(keys.size, element)
    with GroupBy(dev, on_keys) as by:
        by(on_keys)
        for reduce in (by.min, by.max):
            reduce(dev.array(values), out)
            assert np.array_equal(out[:4].numpy(), [nan, 5, nan, nan], equal_nan=True)


def test_keys_of_several_columns(dev):
    rng = np.random.default_rng(2)
    keys = [rng.integers(0, 5, 2000).astype(kind) for kind in (np.uint8, np.float32)]
    values = rng.integers(0, 100, 2000).astype(np.uint32)
    expected = {}
    for *key, value in zip(*keys, values):
        expected[tuple(key)] = expected.get(tuple(key), 0) + int(value)
    given, sums = [dev.array(key) for key in keys], dev.empty(2000, u64)
    parts = [dev.empty(2000, u8), dev.empty(2000, f32)]
    with GroupBy(dev, given) as by:
        by(given)
        by.sum(dev.array(values), sums)
        for key, part in zip(given, parts):
            by.first(key, part)
        n = by.count()
    found = dict(zip(zip(*[part[:n].numpy().tolist() for part in parts]), sums[:n].numpy().tolist()))
    assert found == expected
    assert list(found) == sorted(expected)


@pytest.mark.parametrize("n, groups", [(0, 1), (1, 1), (17, 17), (5000, 3), (5000, 5000)])
def test_rows_know_their_groups(dev, n, groups):
    keys = np.random.default_rng(n).integers(0, groups, n).astype(np.uint32)
    on_keys, ids = dev.array(keys), dev.full(n, 77, u32)
    with GroupBy(dev, on_keys) as by:
        by(on_keys)
        by.ids(ids)
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        assert np.array_equal(ids.numpy(), inverse)
        count = by.count()
        order, starts = by.order.numpy(), by.starts.numpy()[:count]
    assert np.array_equal(order, np.argsort(keys, kind="stable"))
    assert np.array_equal(order[starts], first)


def exact_logsumexp(values):
    """By sums in as many digits as numpy has; of the largest value and the rest, so that nothing overflows."""
    top = values.max()
    if np.isnan(values).any() or np.isinf(top):
        return np.nan if np.isnan(values).any() else float(top)
    with np.errstate(under="ignore"):
        rest = np.exp(values.astype(np.longdouble) - np.longdouble(top)).sum()
    return float(np.longdouble(top) + np.log(rest))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    "n, groups, scale", [(0, 1, 1), (1, 1, 1), (3000, 40, 1), (3000, 3000, 1), (2000, 3, 1e4), (500, 2, 0)]
)
def test_logsumexp_of_each_group(dev, kind, n, groups, scale):
    """Values of all sizes, also such that exp of them has no f64; equal ones; each to 4 ulp of the larger part."""
    rng = np.random.default_rng(n + groups)
    keys, values = rng.integers(0, groups, n).astype(np.uint32), (scale * rng.standard_normal(n)).astype(kind)
    on_keys, out = dev.array(keys), dev.zeros(n, f64)
    with GroupBy(dev, on_keys) as by:
        by(on_keys)
        by.logsumexp(dev.array(values), out)
        found = out.numpy()[: by.count()]
    expected = np.array([exact_logsumexp(values[keys == key]) for key in np.unique(keys)])
    size = np.maximum(np.abs(expected), np.log(max(n, 2)))
    assert (np.abs(found - expected) <= 4 * 2.0**-52 * size).all()


def test_logsumexp_of_what_is_not_finite(dev):
    inf, nan = np.inf, np.nan
    groups = [[inf, 1.0], [inf, inf], [-inf, -inf], [-inf, 2.0], [nan, 1.0], [nan, inf], [nan], [-inf, inf]]
    keys = np.repeat(np.arange(len(groups)), [len(group) for group in groups]).astype(np.uint32)
    on_keys, out = dev.array(keys), dev.zeros(len(keys), f64)
    with GroupBy(dev, on_keys) as by:
        by(on_keys)
        by.logsumexp(dev.array(np.concatenate(groups)), out)
        found = out.numpy()[: len(groups)]
    assert np.array_equal(found, [inf, inf, -inf, 2.0, nan, nan, nan, inf], equal_nan=True)


def test_logsumexp_is_captured_after_a_first_call(dev):
    keys, values, out = dev.array(np.array([1, 0, 1], np.uint32)), dev.zeros(3, f64), dev.zeros(3, f64)
    with GroupBy(dev, keys) as by:
        by(keys)
        by.logsumexp(values, out)
        with dev.capture() as graph:
            by.logsumexp(values, out)
        values.copy_from(np.array([5.0, 1.0, 5.0]))
        graph.launch()
        assert out.numpy()[:2].tolist() == [1.0, 5.0 + np.log(2)]
        graph.close()


keys_and_values = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(-100, 100)), max_size=60)


@given(keys_and_values)
def test_random_groups_of_two_columns(dev, rows):
    keys, more, values = (np.array(column, kind) for column, kind in zip(zip(*rows) if rows else ((), (), ()), "IBi"))
    given_ = [dev.array(keys), dev.array(more)]
    on_values, sums, sizes = dev.array(values), dev.zeros(len(rows), px.s64), dev.zeros(len(rows), u32)
    with GroupBy(dev, given_) as by:
        by(given_)
        by.sum(on_values, sums)
        by.sizes(sizes)
        n = by.count()
    expected = {}
    for key, other, value in rows:
        expected.setdefault((key, other), []).append(value)
    ordered = sorted(expected)
    assert n == len(ordered)
    assert sums.numpy()[:n].tolist() == [sum(expected[key]) for key in ordered]
    assert sizes.numpy()[:n].tolist() == [len(expected[key]) for key in ordered]


def test_floating_point_sums_are_the_same_bits_in_every_run(dev):
    """One group of many pieces, whose sum depends on the order of addition."""
    rng = np.random.default_rng(4)
    keys, values = dev.array(np.zeros(20_000, np.uint32)), dev.array(rng.standard_normal(20_000))
    sums = set()
    with GroupBy(dev, keys) as by:
        for _ in range(3):
            out = dev.zeros(20_000, px.f64)
            by(keys)
            by.sum(values, out)
            sums.add(bytes(out[:1].bytes()))
    assert len(sums) == 1
    assert abs(np.frombuffer(sums.pop())[0] - values.numpy().sum()) < 1e-9


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d, by: by.sum(d.zeros(3, u8), d.zeros(3, u32)), "expected .u64"),
        (lambda d, by: by.sum(d.zeros(3, px.bf16), d.zeros(3, f64)), "integers of 8 to 64 bits, f16, f32 or f64"),
        (lambda d, by: by.mean(d.zeros(3, f32), d.zeros(3, f32)), "out is an array of .f32, expected .f64"),
        (lambda d, by: by.any(d.zeros(3, f32), d.zeros(3, f32)), "out is an array of .f32, expected .u8"),
        (lambda d, by: by.all(d.zeros(3, u8), d.zeros(2, u8)), "at least 3"),
        (lambda d, by: by.min(d.zeros(3, px.s8), d.zeros(3, px.s32)), "out is an array of .s32, expected .s8"),
        (lambda d, by: by.sum(d.zeros(3, u32), d.zeros(3, u32)), "expected .u64"),
        (lambda d, by: by.logsumexp(d.zeros(3, u64), d.zeros(3, f64)), "no logsumexp of .u64 values"),
        (lambda d, by: by.logsumexp(d.zeros(3, f32), d.zeros(3, f32)), "out is an array of .f32, expected .f64"),
        (lambda d, by: by.logsumexp(d.zeros(2, f32), d.zeros(3, f64)), "values have 2 rows, the keys had 3"),
        (lambda d, by: by.ids(d.zeros(2, u32)), "at least 3"),
        (lambda d, by: by.min(d.zeros(3, u32), d.zeros(2, u32)), "at least 3"),
        (lambda d, by: by.max(d.zeros(4, u32), d.zeros(4, u32)), "values have 4 rows, the keys had 3"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    keys = dev.zeros(3, u32)
    with GroupBy(dev, keys) as by:
        by(keys)
        with pytest.raises(BuildError) as caught:
            wrong(dev, by)
    assert says in str(caught.value)
