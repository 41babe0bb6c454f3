"""Different rows, groups and sets in no certain order, beside numpy and beside the ways that sort."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.joins.hash_join import MIX_32
from ptxgen.ops import Dedup, GroupBy, RowSets
from ptxgen.ops.arrays import hash_groups
from ptxgen.ops.arrays.hash_groups import HashGroups

TABLES = {
    "u8": ["u1"], "u32": ["u4"], "s64": ["i8"], "f16": ["f2"], "u32+u8": ["u4", "u1"], "u64+u16+f32": ["u8", "u2", "f4"],
}  # fmt: skip
EVERY = ("sum", "mean", "min", "max", "any", "all", "first")


def drawn(rng, kinds, n, groups):
    return [rng.integers(0, max(2, min(groups if i == 0 else 3, 100 if kind == "u1" else 2000)), n).astype(kind)
            for i, kind in enumerate(kinds)]  # fmt: skip


def rows_of(columns):
    return list(zip(*[column.view(f"u{column.itemsize}").tolist() for column in columns]))


@pytest.mark.parametrize("kinds", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("n, groups", [(0, 1), (1, 1), (9000, 2000)])
def test_the_first_of_equal_rows(dev, kinds, n, groups):
    columns = drawn(np.random.default_rng(n), kinds, n, groups)
    first = {}
    for row, key in enumerate(rows_of(columns)):
        first.setdefault(key, row)
    on = [dev.array(column) for column in columns]
    with Dedup(dev, on, ordered=False) as dedup:
        for _ in range(2):
            dedup(on)
            assert sorted(dedup.rows().numpy().tolist()) == sorted(first.values())


@pytest.mark.parametrize("kind", ["u4", "i8"])
@pytest.mark.parametrize("n, groups", [(1, 1), (40_000, 10), (40_000, 3000), (40_000, 10**9)])
def test_few_groups_and_many(dev, kind, n, groups):
    """Those that find room in the tables of the first launch, those that do not, and both; the key of all ones is among them."""
    rng = np.random.default_rng(groups)
    keys = np.iinfo(kind).max - rng.integers(0, groups, n).astype(kind)
    keys[: n // 3] = keys[0]  # one key with a third of the rows
    values = rng.integers(0, 2**32, n, dtype=np.uint32)
    different, first, inverse, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    sums = np.zeros(len(different), np.uint64)
    np.add.at(sums, inverse, values.astype(np.uint64))
    on, on_values = dev.array(keys), dev.array(values)
    query = {"sum": ("sum", on_values), "rows": ("count",), "first": ("first", on_values)}
    with GroupBy(dev, on, ordered=False) as by:
        by.aggregate(on, query)
        (found,), results = by.rows()
        order = np.argsort(found.numpy())
        results = {name: array.numpy()[order] for name, array in results.items()}
        found = found.numpy()[order]
        assert by.count() == len(different)
    assert np.array_equal(found, different)
    assert np.array_equal(results["sum"], sums)
    assert np.array_equal(results["rows"], sizes)
    assert np.array_equal(results["first"], values[first])


@pytest.mark.parametrize("table, value", [("u32", "f2"), ("u64+u16+f32", "f8")])
def test_both_ways_compute_the_same(dev, table, value):
    rng, kinds = np.random.default_rng(3), TABLES[table]
    keys, values = drawn(rng, kinds, 3000, 400), rng.integers(-50 if value[0] != "u" else 0, 50, 3000).astype(value)
    if value[0] == "f":
        values[::7] = np.nan
    on, on_values = [dev.array(key) for key in keys], dev.array(values)
    query = {op: (op, on_values) for op in EVERY} | {"count": ("count",), "again": ("sum", on_values)}
    tables = []
    for ordered in (True, False):
        with GroupBy(dev, on, ordered=ordered) as by:
            by.aggregate(on, query)
            columns, results = by.rows()
            found = [each.numpy() for each in (*columns, *results.values())]
        order = np.lexsort([found[i] for i in reversed(range(len(kinds)))])
        assert not ordered or np.array_equal(order, np.arange(len(order)))
        tables.append([column[order] for column in found])
    for one, other in zip(*tables):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def unmixed(hashes):
    """The keys of u32 whose mix these are: each step of the mix, backwards."""
    found = hashes.astype(np.uint64)
    for shift, factor in reversed(MIX_32):
        if factor is not None:
            found = found * np.uint64(pow(factor, -1, 2**32)) & np.uint64(2**32 - 1)
        found ^= (found >> np.uint64(shift)) ^ (found >> np.uint64(2 * shift))
    return found.astype(np.uint32)


def test_many_groups_are_sorted_once_the_host_has_read_of_them(dev, monkeypatch):
    """And few are hashed again."""
    monkeypatch.setattr(hash_groups, "SORTED_FROM", 50)
    ways = []
    monkeypatch.setattr(HashGroups, "plans", lambda *a, _plans=HashGroups.plans, **o: ways.append(1) or _plans(*a, **o))
    rng = np.random.default_rng(3)
    few, many = rng.integers(0, 9, 3000).astype(np.uint32), rng.integers(0, 900, 3000).astype(np.uint32)
    values = dev.array(np.arange(3000, dtype=np.uint64))
    with (
        Dedup(dev, dev.array(few), ordered=False) as rows,
        Dedup(dev, dev.array(few), ordered=False, values=True) as keys,
        GroupBy(dev, dev.array(few), ordered=False) as by,
        RowSets(dev, dev.array(few), 6000, ordered=False) as sets,
    ):
        for given, hashed in ((many, 4), (many, 0), (few, 0), (few, 4)):
            ways.clear()
            for each in (rows, keys, by, sets):  # what is launched again is not planned again
                each.launches._cache.clear()
            on = dev.array(given)
            different, first, inverse = np.unique(given, return_index=True, return_inverse=True)
            rows(on)
            assert sorted(rows.rows().numpy().tolist()) == sorted(first.tolist())
            keys(on)
            assert np.array_equal(np.sort(keys.rows().numpy()), different)
            by.aggregate(
                on, {"sum": ("sum", values), "mean": ("mean", values), "rows": ("count",), "first": ("first", values)}
            )
            (found,), results = by.rows()
            order = np.argsort(found.numpy())
            expected = np.bincount(inverse, np.arange(3000))
            assert np.array_equal(results["sum"].numpy()[order], expected)
            assert np.array_equal(results["mean"].numpy()[order], expected / np.bincount(inverse))
            assert np.array_equal(results["first"].numpy()[order], first)
            with pytest.raises(BuildError, match="are not kept"):
                by.sizes(values.view(u32))
            sets.union(on, on)
            assert np.array_equal(np.sort(sets.rows()[0].numpy()), different)
            assert len(ways) == hashed


def test_before_the_host_has_read_anything_the_device_finds_out(dev, monkeypatch):
    """Whichever way it takes, and takes again with other keys, nothing of the other way is left in the results."""
    monkeypatch.setattr(hash_groups, "SAMPLED_FROM", 1)
    rng, n = np.random.default_rng(3), 6000
    few, many = rng.integers(0, 9, n).astype(np.uint32), rng.permutation(n).astype(np.uint32)
    with Dedup(dev, dev.array(few), ordered=False, values=True) as keys:
        for given, chosen in ((many, 1), (few, 0), (many, 1)):
            keys(dev.array(given))
            assert int(keys._many._gate.numpy()[0]) == chosen
            assert np.array_equal(np.sort(keys.rows().numpy()), np.unique(given))
            keys._many.found = None


def test_keys_that_all_have_one_bin_are_found_in_rounds(dev):
    """More different keys in one bin than a table holds, as an attacker would choose them."""
    keys = unmixed(np.repeat(np.arange(20_000, dtype=np.uint32), 3))  # their hashes have nothing above bit 15
    on = dev.array(keys)
    with Dedup(dev, on, ordered=False, values=True) as dedup:
        dedup(on)
        assert np.array_equal(np.sort(dedup.rows().numpy()), np.unique(keys))


@pytest.mark.parametrize("kind", ["f2", "f8"])
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("values", [True, False])
def test_numbers_are_equal_or_bits_are(dev, kind, ordered, values):
    x = np.array([np.nan, 0.0, -0.0, -np.nan, 2.0, 0.0, -np.inf, np.nan], kind)
    on = dev.array(x)
    bits = x.view(f"u{x.itemsize}")
    numbers = np.where(np.isnan(x), bits[0], np.where(x == 0, 0, bits)).astype(bits.dtype)
    for equal, keys in (("bits", bits), ("numbers", numbers)):
        different, first = np.unique(keys, return_index=True)
        with Dedup(dev, on, ordered=ordered, equal=equal, values=values) as dedup:
            dedup(on)
            found = dedup.rows().numpy()
        assert sorted(found.view(bits.dtype).tolist() if values else found.tolist()) == sorted(
            (different if values else first).tolist()
        )


def test_values_of_floats_sum_to_within_their_rounding(dev):
    rng = np.random.default_rng(5)
    keys, values = rng.integers(0, 5, 20_000).astype(np.uint32), rng.standard_normal(20_000).astype(np.float32)
    on, on_values = dev.array(keys), dev.array(values)
    with GroupBy(dev, on, ordered=False) as by:
        by.aggregate(on, {"sum": ("sum", on_values)})
        (found,), results = by.rows()
        sums = dict(zip(found.numpy().tolist(), results["sum"].numpy().tolist()))
    for key, total in sums.items():
        assert abs(total - values[keys == key].sum(dtype=np.float64)) < 20_000 * 2.0**-53 * np.abs(values).sum()


def test_aggregates_of_several_columns_are_captured(dev):
    keys, prices, amounts = dev.zeros(4, u32), dev.zeros(4, f32), dev.zeros(4, u64)
    out = {"most": dev.empty(4, f32), "sold": dev.empty(4, u64)}
    with GroupBy(dev, keys, ordered=False) as by:
        query = {"most": ("max", prices), "sold": ("sum", amounts)}
        with dev.capture() as graph:
            by.aggregate(keys, query, out=out)  # makes scratch memory, beside the capture
        keys.copy_from(np.array([7, 9, 7, 7], np.uint32))
        prices.copy_from(np.array([1.5, -2, 4, 3], np.float32))
        amounts.copy_from(np.array([2**60, 1, 2**60, 5], np.uint64))
        graph.launch()
        (found,), results = by.rows()
        rows = sorted(zip(found.numpy().tolist(), *(results[name].numpy().tolist() for name in ("most", "sold"))))
        assert rows == [(7, 4.0, 2**61 + 5), (9, -2.0, 1)]
        graph.close()


@pytest.mark.parametrize("kinds", [["u4"], ["u8", "u2", "f4"]], ids=str)
@pytest.mark.parametrize("n, m", [(0, 0), (0, 5), (400, 0), (3000, 5000)])
def test_sets(dev, kinds, n, m):
    rng = np.random.default_rng(n + m)
    sides = [drawn(rng, kinds, size, 1500) for size in (n, m)]
    left, right = (set(rows_of(side)) for side in sides)
    on = [[dev.array(column) for column in side] for side in sides]
    with RowSets(dev, on[0], n + m, ordered=False) as sets:
        for name in ("union", "intersection", "difference"):
            getattr(sets, name)(*on)
            found = rows_of([column.numpy() for column in sets.rows()])
            assert len(found) == len(set(found))
            assert set(found) == getattr(left, name)(right)


@pytest.mark.parametrize("seed", range(10))
def test_random_groups(dev, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 80))
    pool = np.array([0, 1, 5, 2**32 - 1], np.uint32)
    rows = list(zip(pool[rng.integers(0, 4, n)].tolist(), rng.integers(-100, 100, n).tolist()))
    keys, values = (np.array(column, kind) for column, kind in zip(zip(*rows) if rows else ((), ()), ("u4", "i4")))
    on, on_values = dev.array(keys), dev.array(values)
    expected = {}
    for key, value in rows:
        expected.setdefault(key, []).append(value)
    with GroupBy(dev, on, ordered=False) as by:
        by.aggregate(on, {"sum": ("sum", on_values), "min": ("min", on_values)})
        (found,), results = by.rows()
        got = zip(found.numpy().tolist(), results["sum"].numpy().tolist(), results["min"].numpy().tolist())
        assert sorted(got) == sorted((key, sum(each), min(each)) for key, each in expected.items())


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d, by, keys: by(keys), "by.aggregate(...)"),
        (lambda d, by, keys: by.sizes(d.zeros(3, u32)), "groups in no order are not kept"),
        (lambda d, by, keys: by.aggregate(keys, {"x": ("median", keys)}), "no aggregate 'median'"),
        (lambda d, by, keys: by.aggregate(keys, {"x": ("sum",)}), "'sum' of 0 columns"),
        (lambda d, by, keys: by.aggregate(keys, {"x": ("count", keys)}), "'count' of 1 columns"),
        (lambda d, by, keys: by.aggregate(keys, {"x": ("sum", d.zeros(2, u32))}), "the column has 2 rows, the keys have 3"),
        (lambda d, by, keys: by.aggregate(keys, {"x": ("sum", keys)}, out={}), "out has nothing"),
        (lambda d, by, keys: by.aggregate(keys, {"x": ("sum", keys)}, out={"x": d.zeros(3, u32)}), "expected .u64"),
        (lambda d, by, keys: by.aggregate(d.zeros(9, u32), {}), "9 rows"),
        (lambda d, by, keys: by.aggregate(d.zeros(3, f32), {}), "columns of .f32, expected .u32"),
        (lambda d, by, keys: Dedup(d, [keys, keys], values=True), "the values of 2 columns"),
        (lambda d, by, keys: Dedup(d, keys, equal="value"), "no equality by 'value'"),
        (lambda d, by, keys: GroupBy(d, keys, ordered=False, presorted=True), "presorted groups in no order"),
    ],
)  # fmt: skip
def test_bad_input_is_named(dev, wrong, says):
    keys = dev.zeros(3, u32)
    with GroupBy(dev, keys, ordered=False) as by, pytest.raises(BuildError) as caught:
        wrong(dev, by, keys)
    assert says in str(caught.value)


def test_nothing_is_found_by_the_sanitizer(dev):
    """Few groups and many, in one call each."""
    if dev.kind != "cpu":
        pytest.skip("the sanitizer is the CPU device's")
    with px.sanitize():
        for groups in (5, 9000):
            keys = dev.array(np.random.default_rng(1).integers(0, groups, 9000).astype(np.uint32))
            for ordered in (True, False):
                with GroupBy(dev, keys, ordered=ordered) as by:
                    by.aggregate(keys, {"sum": ("sum", keys), "max": ("max", keys)})
                    assert by.count() == len(np.unique(keys.numpy()))
