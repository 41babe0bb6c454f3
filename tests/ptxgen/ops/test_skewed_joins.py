"""Joins where some keys have very many rows, beside dictionaries in Python."""

from __future__ import annotations

import numpy as np
import pytest

from ptxgen import u32
from ptxgen.kernels.joins.hash_frequent import WORDS, find_plan
from ptxgen.kernels.joins.hash_join import NO_ROW
from ptxgen.ops import Closure, HashTable, Join, JoinGraphs, JoinOverflowError, SemiJoin

KINDS = pytest.mark.parametrize("kind", [np.uint32, np.uint64], ids=["u32", "u64"])


def sides(kind, seed=0, build_rows=6000, probe_rows=900):
    """Two frequent keys of the build side, 7 with 3,000 rows and 11 with 1,100, which few probe rows have."""
    rng = np.random.default_rng(seed)
    build, probe = rng.integers(20, 3000, build_rows), rng.integers(20, 4000, probe_rows)
    build[:3000], build[3000:4100] = 7, 11
    probe[[0, 400, 401, probe_rows - 1]], probe[600] = 7, 11
    return rng.permutation(build).astype(kind), probe.astype(kind)


def pairs_of(probe, build, *, outer=False):
    rows = {}
    for row, key in enumerate(build.tolist()):
        rows.setdefault(key, []).append(row)
    return [(i, row) for i, key in enumerate(probe.tolist()) for row in rows.get(key, [NO_ROW] if outer else [])]


def check(pairs, expected):
    """The same pairs; the rows of the probe side in order."""
    left, right = pairs.left.numpy(), pairs.right.numpy()
    assert pairs.total == len(expected)
    assert np.array_equal(left, np.array([row for row, _ in expected], np.uint32)[: len(left)])
    if len(left) == len(expected):
        assert sorted(zip(left.tolist(), right.tolist())) == expected
    else:
        assert set(zip(left.tolist(), right.tolist())) <= set(expected)


@KINDS
@pytest.mark.parametrize("outer", [False, True], ids=["inner", "outer"])
def test_a_join_with_frequent_keys(dev, kind, outer):
    build, probe = sides(kind)
    expected = pairs_of(probe, build, outer=outer)
    on_probe = dev.array(probe)
    with HashTable(dev, dev.array(build), share_frequent=True) as table:
        assert table._frequent.numpy()[0] == 2
        with Join(table, on_probe, 3500, outer=outer) as join:  # the second row of 7 does not fit
            join(on_probe)
            check(join.pairs(), expected)
            check(join.pairs(grow=True), expected)


@pytest.mark.parametrize("anti", [False, True], ids=["semi", "anti"])
def test_rows_with_a_frequent_key_are_marked(dev, anti):
    build, probe = sides(np.uint32)
    on_probe = dev.array(probe)
    with HashTable(dev, dev.array(build), share_frequent=True) as table, SemiJoin(table, on_probe, anti=anti) as some:
        some(on_probe)
        assert np.array_equal(some.rows().numpy(), np.nonzero(np.isin(probe, build) != anti)[0])


def test_a_table_is_filled_anew_with_other_frequent_keys(dev):
    """None, two, and every row the same."""
    _, probe = sides(np.uint32)
    on_probe = dev.array(probe)
    with HashTable(dev, dev.empty(6000, u32), share_frequent=True) as table, Join(table, on_probe, 0) as join:
        for build in (np.arange(6000, dtype=np.uint32), sides(np.uint32, 5)[0], np.full(6000, 7, np.uint32), probe[:0]):
            table.build(dev.array(build))
            join(on_probe)
            check(join.pairs(grow=True), pairs_of(probe, build))


def test_a_graph_joins_frequent_keys(dev):
    build, probe = (dev.array(side) for side in sides(np.uint32))
    with (
        HashTable(dev, build, share_frequent=True) as table,
        HashTable(dev, build, share_frequent=False) as plain,
        JoinGraphs(dev, enabled=True) as graphs,
    ):
        for seed in (1, 2):
            other = sides(np.uint32, seed)
            build.copy_from(other[0])
            probe.copy_from(other[1])
            for each in (table, plain, table):
                each.build(build)
                check(graphs.indexed(each, probe, 20_000), pairs_of(other[1], other[0]))
        assert graphs.statistics.captures == 2


def test_probe_rows_of_one_warp_share_a_long_bucket(dev):
    """A key that is not frequent enough to be kept apart: 40 rows beside each other have it, and each seventh of the others."""
    build = np.concatenate([np.full(300, 5), np.arange(100, 800)]).astype(np.uint32)
    probe = np.arange(60, 260).astype(np.uint32)
    probe[10:50], probe[::7] = 5, 5
    on_probe = dev.array(probe)
    with HashTable(dev, dev.array(build)) as table, Join(table, on_probe, 5000) as join:
        join(on_probe)
        check(join.pairs(), pairs_of(probe, build))
        check(join.pairs(grow=True), pairs_of(probe, build))


def test_as_many_pairs_as_no_memory_holds_are_counted(dev):
    """70,000 by 70,000 rows of one key: 4.9 * 10^9 pairs, of which none is looked at."""
    ones = dev.array(np.ones(70_000, np.uint32))
    with HashTable(dev, ones) as table, Join(table, ones, 10) as join:
        join(ones)
        with pytest.raises(JoinOverflowError, match="4900000000") as caught:
            join.pairs(grow=True)
    assert caught.value.total == 70_000**2


def test_more_frequent_tags_than_one_fingerprint_holds(dev):
    """Each of 40 keys has 2.5 % of the rows: all are found, whatever their order."""
    tags = np.random.default_rng(1).permutation(np.repeat(np.arange(40, dtype=np.uint32) * 77, 2000))
    frequent = dev.empty(WORDS, u32)
    find_plan(len(tags), dev.array(tags), frequent).launch()
    words = frequent.numpy()
    assert words[0] == 40
    assert sorted(words[-2048:][:80:2].tolist()) == [77 * i for i in range(40)]


def test_a_closure_keeps_its_edges_in_buckets(dev):
    """A vertex with more edges than a frequent key has rows."""
    targets = np.arange(1, 70_001, dtype=np.uint32)
    with Closure(dev, 70_000, 70_000) as closure:
        closure(dev.array(np.zeros(70_000, np.uint32)), dev.array(targets))
        assert np.array_equal(np.sort(closure.pairs().right.numpy()), targets)
