"""Groups and their counts, sums, minima and maxima, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.ops import GroupBy

VALUES = {
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
    on_keys, on_values = dev.array(keys), dev.array(values)
    different, first, inverse, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    count = len(different)
    with GroupBy(dev, on_keys) as by:
        by(on_keys)
        assert by.count() == count
        outs = {"sizes": dev.empty(n, u32), "keys": dev.empty(n, u32), "sum": dev.array(np.zeros(n, wide))}
        outs |= {name: dev.array(np.zeros(n, kind)) for name in ("min", "max", "first")}
        by.sizes(outs["sizes"])
        by.first(on_keys, outs["keys"])
        by.first(on_values, outs["first"])
        by.sum(on_values, outs["sum"])
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
    assert np.array_equal(found["min"], np.array([each.min() for each in rows], kind))
    assert np.array_equal(found["max"], np.array([each.max() for each in rows], kind))


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
        (lambda d, by: by.sum(d.zeros(3, u8), d.zeros(3, u32)), "no sum of .u8 values"),
        (lambda d, by: by.sum(d.zeros(3, u32), d.zeros(3, u32)), "expected .u64"),
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
