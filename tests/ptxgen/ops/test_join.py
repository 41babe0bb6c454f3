"""Joins of device columns, beside loops in Python."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from ptxgen import u8, u16, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.blocks.lookback import PREFIX
from ptxgen.kernels.joins import hash_build, hash_partition, hash_probe, hash_search
from ptxgen.kernels.joins.hash_join import NO_ROW
from ptxgen.ops import HashTable, Join, JoinOverflowError, SemiJoin
from ptxgen.ops.joins.keys import Keys
from ptxgen.ops.launches import launch_all


def pairs_of(probe, build, *, outer=False):
    """Every (probe row, build row) with equal keys; keys are tuples."""
    rows = defaultdict(list)
    for row, key in enumerate(build):
        rows[key].append(row)
    found = []
    for row, key in enumerate(probe):
        matches = rows.get(key, [])
        found += [(row, other) for other in matches or ([NO_ROW] if outer else [])]
    return sorted(found)


def keys(columns):
    return list(zip(*[column.tolist() for column in columns]))


def found(pairs):
    return sorted(zip(pairs.left.numpy().tolist(), pairs.right.numpy().tolist()))


def test_left_1232_joins_right_224_in_four_rows(dev):
    left, right = dev.array(np.array([1, 2, 3, 2], np.uint32)), dev.array(np.array([2, 2, 4], np.uint32))
    with HashTable(dev, right) as table, Join(table, left, 100) as join:
        join(left)
        pairs = join.pairs()
        assert pairs.total == 4
        assert not pairs.overflowed
        assert found(pairs) == [(1, 0), (1, 1), (3, 0), (3, 1)]


COLUMNS = {
    "u32": [np.uint32],
    "u64": [np.uint64],
    "u8": [np.uint8],
    "f32": [np.float32],
    "u8+u16+u32": [np.uint8, np.uint16, np.uint32],
    "u64+u32": [np.uint64, np.uint32],
    "five": [np.uint64, np.uint8, np.uint32, np.uint8, np.uint16],
}


@pytest.mark.parametrize("kinds", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("outer", [False, True], ids=["inner", "outer"])
def test_keys_of_any_columns(dev, kinds, outer):
    """Few different values a column, so that keys repeat and parts of keys agree."""
    rng = np.random.default_rng(len(kinds))
    spread = 40 if len(kinds) == 1 else 3
    build, probe = ([rng.integers(0, spread, n).astype(kind) for kind in kinds] for n in (300, 500))
    on_build, on_probe = ([dev.array(column) for column in side] for side in (build, probe))
    expected = pairs_of(keys(probe), keys(build), outer=outer)
    with HashTable(dev, on_build) as table, Join(table, on_probe, len(expected), outer=outer) as join:
        join(on_probe)
        assert found(join.pairs()) == expected


@pytest.mark.parametrize("n, m", [(0, 0), (0, 5), (5, 0), (1, 1)])
def test_empty_sides(dev, n, m):
    build, probe = dev.array(np.zeros(n, np.uint32)), dev.array(np.zeros(m, np.uint32))
    with HashTable(dev, build) as table, Join(table, probe, 10) as join, Join(table, probe, 10, outer=True) as outer:
        join(probe)
        outer(probe)
        assert join.pairs().total == n * m
        assert outer.pairs().total == max(n, 1) * m


def test_one_key_a_thousand_times(dev):
    build, probe = dev.array(np.full(1000, 7, np.uint32)), dev.array(np.full(300, 7, np.uint32))
    with HashTable(dev, build) as table, Join(table, probe, 300_000) as join:
        join(probe)
        assert found(join.pairs()) == [(i, j) for i in range(300) for j in range(1000)]


def check_a_join(dev, build, probe):
    """The pairs in order of the probe rows, and the same ones in both semi-joins, beside a sort and a search by numpy."""
    order = np.argsort(build, kind="stable")
    low, high = (np.searchsorted(build[order], probe, side=side) for side in ("left", "right"))
    left = np.repeat(np.arange(probe.size), high - low)
    right = np.concatenate([np.zeros(0, int), *(np.sort(order[a:b]) for a, b in zip(low, high))])
    on_build, on_probe = dev.array(build), dev.array(probe)
    with HashTable(dev, on_build) as table, Join(table, on_probe, left.size) as join:
        join(on_probe)
        pairs = join.pairs()
        assert (pairs.total, pairs.left.size) == (left.size, left.size)
        assert np.array_equal(pairs.left.numpy(), left)
        got = pairs.right.numpy()
        assert np.array_equal(got[np.lexsort((got, left))], right)
        for anti in (False, True):
            with SemiJoin(table, on_probe, anti=anti) as matching:
                matching(on_probe)
                assert np.array_equal(matching.rows().numpy(), np.nonzero((high > low) != anti)[0])
        return table.division


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
@pytest.mark.parametrize("rows", [2047, 2049, 8191, 20_000, 33_333])
def test_tables_of_one_partition_and_of_many(dev, kind, rows):
    """Some keys occur several times, some never; the upper halves of 64-bit ones are all that differs."""
    rng = np.random.default_rng(rows)
    build, probe = (rng.integers(0, rows, n).astype(kind) << kind(32 if kind is np.uint64 else 0) for n in (rows, 3001))
    division = check_a_join(dev, build, probe)
    assert (division.parts > 0) == (rows * 2 * np.dtype(kind).itemsize > hash_partition.PARTITION)


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
@pytest.mark.parametrize("among", [1, 2, 10])
def test_one_partition_holds_what_all_should(dev, kind, among):
    """One row in 1, 2 or 10 has the same key, so that its partition has no room in shared memory, and whole warps meet in one
    counter; few probe rows ask for it."""
    rng = np.random.default_rng(among)
    build, probe = (rng.integers(0, 1 << 32, n).astype(kind) for n in (40_000, 300))
    build[::among] = 7
    probe[:100] = build[1:101]
    probe[[0, 299]] = 7
    division = check_a_join(dev, build, probe)
    even = hash_build.room_of(40_000, division, 2 * np.dtype(kind).itemsize, 232_448)
    assert 40_000 // among > even


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
def test_a_device_with_less_shared_memory_has_smaller_tiles_and_no_room(dev, kind):
    """48 KiB: rows are brought together in smaller tiles, buckets are filled in global memory where a partition is too large."""
    entry = 2 * np.dtype(kind).itemsize
    small, large = (hash_partition.divide(10_000_000, entry, shared << 10) for shared in (48, 227))
    assert small.buckets == large.buckets
    assert small.partitions > large.partitions
    small, large = (hash_partition.divide(1 << 31, entry, shared << 10) for shared in (48, 227))
    assert small.buckets < large.buckets
    rng = np.random.default_rng(3)
    build = rng.integers(0, 30_000, 30_000).astype(kind)
    with HashTable(dev, dev.array(build)) as table:
        before = table.starts.numpy()
        table._shared = 40 << 10
        table.starts.fill(0)
        table.entries.fill(0)
        table.build(dev.array(build))
        words = table.entries.numpy()[: 30_000 * entry // 4].reshape(30_000, -1)
        assert np.array_equal(table.starts.numpy(), before)
        rows = words[:, entry // 8]
        assert np.array_equal(np.sort(rows), np.arange(30_000))
        assert np.array_equal(words[:, 0], build[rows].astype(np.uint32))


def test_a_table_takes_fewer_rows_than_it_was_made_for(dev):
    """Of 30,000 it was made for: many, few, one, none."""
    keys_ = np.random.default_rng(8).integers(0, 1 << 32, 30_000, dtype=np.uint32)
    on_device = dev.array(keys_)
    with HashTable(dev, on_device) as table, Join(table, on_device, 30_000) as join:
        for rows in (29_999, 1000, 1, 0):
            table.build(on_device[:rows])
            join(on_device)
            pairs = join.pairs()
            assert np.array_equal(pairs.left.numpy(), np.nonzero(np.isin(keys_, keys_[:rows]))[0])
            assert np.array_equal(keys_[pairs.left.numpy()], keys_[pairs.right.numpy()])


@pytest.mark.parametrize("kinds", [[np.uint32], [np.uint64], [np.uint64, np.uint32]], ids=["u32", "u64", "hashed"])
@pytest.mark.parametrize("outer", [False, True], ids=["inner", "outer"])
def test_a_bucket_that_a_whole_warp_reads(dev, kinds, outer):
    """300 of 700 build rows have one key, which each seventh probe row asks for; some ask for what nobody has."""
    assert hash_search.LONG < 300
    build = [np.arange(700).astype(kind) for kind in kinds]
    probe = [(np.arange(90) * 9).astype(kind) for kind in kinds]
    for side, which in ((build, slice(100, 400)), (probe, slice(None, None, 7))):
        for column in side:
            column[which] = 5
    expected = pairs_of(keys(probe), keys(build), outer=outer)
    on_build, on_probe = ([dev.array(column) for column in side] for side in (build, probe))
    with HashTable(dev, on_build) as table, Join(table, on_probe, len(expected) // 2, outer=outer) as join:
        join(on_probe)
        pairs = join.pairs()
        assert pairs.total == len(expected)
        assert pairs.left.numpy().tolist() == [row for row, _ in expected[: len(expected) // 2]]
        assert set(found(pairs)) <= set(expected)
        assert len(set(found(pairs))) == len(expected) // 2
        assert found(join.pairs(grow=True)) == expected


@pytest.mark.parametrize("kinds", [[np.uint32], [np.uint64], [np.uint64, np.uint32]], ids=["u32", "u64", "hashed"])
def test_a_bucket_that_a_whole_warp_reads_for_marks(dev, kinds):
    """Two keys have 300 rows each, of which each seventh probe row asks for one. One bucket for all: rows that nobody has read
    it to its end, and so do those whose only row is its last."""
    build = [np.arange(700).astype(kind) for kind in kinds]
    probe = [(np.arange(90) * 9).astype(kind) for kind in kinds]
    for column in build:
        column[:300], column[300:600] = 5, 700
    for column in probe:
        column[::7], column[1::7] = 5, 700
    expected = np.array([key in set(keys(build)) for key in keys(probe)])
    on_build, on_probe = ([dev.array(column) for column in side] for side in (build, probe))
    with HashTable(dev, on_build) as table:
        for division in (table.division, hash_partition.Division(0, 0)):
            table.division = division
            table.build(on_build)
            with SemiJoin(table, on_probe) as matching:
                matching(on_probe)
                assert np.array_equal(matching.rows().numpy(), np.nonzero(expected)[0])


def test_wide_keys_lie_beyond_2_32_words(dev):
    """The match is row 2^31 + 1 of the build side, whose three words are far behind where its keys are said to begin."""
    words, row = 3, (1 << 31) + 1
    key = np.array([1, 2, 3], np.uint32)
    tag = np.array([fnv1a(key.tobytes())], np.uint64)
    on_key, on_tag, marks = dev.array(key), dev.array(tag), dev.zeros(1, u8)
    starts, entry = (
        dev.array(np.array([0, 1], np.uint32)),
        np.array([tag[0] & 0xFFFFFFFF, tag[0] >> 32, row, 0], np.uint64),
    )
    keys_begin = on_key.pointer - 4 * words * row & (1 << 64) - 1
    hash_probe.marks_plan(
        1, on_tag, 0, starts, dev.array(entry.astype(np.uint32)), on_key, keys_begin, None, marks, words=words
    ).launch()
    assert marks.numpy().tolist() == [1]


def test_where_there_is_no_memory_for_all_pairs_the_join_still_works(dev, monkeypatch):
    build, probe = dev.array(np.full(10, 7, np.uint32)), dev.array(np.full(10, 7, np.uint32))
    with HashTable(dev, build) as table, Join(table, probe, 25) as join:
        join(probe)
        with monkeypatch.context() as full:
            empty = type(dev).empty
            full.setattr(type(dev), "empty", lambda dev, n, kind: empty(dev, n, kind) if n < 100 else 1 / 0)
            with pytest.raises(ZeroDivisionError):
                join.pairs(grow=True)
        join(probe)
        assert join.pairs().total == 100
        assert found(join.pairs(grow=True)) == [(i, j) for i in range(10) for j in range(10)]


def test_what_does_not_fit_is_counted_and_not_written(dev):
    build, probe = dev.array(np.full(10, 7, np.uint32)), dev.array(np.full(10, 7, np.uint32))
    with HashTable(dev, build) as table, Join(table, probe, 25) as join:
        join(probe)
        pairs = join.pairs()
        assert (pairs.total, pairs.left.size, pairs.overflowed) == (100, 25, True)
        assert set(found(pairs)) <= {(i, j) for i in range(10) for j in range(10)}


def test_pairs_beyond_32_bits_are_counted_and_nothing_is_written(dev):
    """The second tile of a probe whose first one is said to have 2^32 - 5 pairs; a match a row."""
    rows = 2 * hash_probe.TILE
    build, probe = dev.zeros(1, u32), dev.zeros(rows, u32)
    states = dev.zeros(hash_probe.scratch_words(rows), u64)
    states[:2].copy_from(np.array([PREFIX << 32 | (1 << 32) - 5, PREFIX << 32], np.uint64))
    with HashTable(dev, build) as table, Join(table, probe, rows) as join:
        join.left.fill(9)
        plan = hash_probe.pairs_plan(
            rows, probe, table.mask, table.starts, table.entries, table.entries, table.entries, None, join._chunks, states,
            dev.array(np.ones(1, np.uint64)), join.total, rows, join.left, join.right, words=0,
        )  # fmt: skip
        plan._replace(grid=1).launch()
        with pytest.raises(JoinOverflowError) as caught:
            join.pairs()
        assert set(join.left.numpy().tolist()) == {9}
    assert caught.value.total == (1 << 32) - 5 + hash_probe.TILE


def test_a_total_beyond_32_bits_is_exact_and_an_error(dev):
    """70,000 x 70,000 rows of one key; counted, for nothing can be written."""
    ones = dev.array(np.ones(70_000, np.uint32))
    with HashTable(dev, ones) as table, Join(table, ones, 10) as join:
        join.total.copy_from(np.array([70_000**2], np.uint64))  # as counting would leave it
        with pytest.raises(JoinOverflowError) as caught:
            join.pairs()
    assert caught.value.total == 4_900_000_000
    assert "4900000000" in str(caught.value)


def test_there_is_room_for_what_was_found(dev):
    rng = np.random.default_rng(9)
    build, probe = rng.integers(0, 20, 60, np.uint32), rng.integers(0, 20, 90, np.uint32)
    on_probe = dev.array(probe)
    with HashTable(dev, dev.array(build)) as table, Join(table, on_probe, 3) as join:
        join(on_probe)
        assert join.pairs().overflowed
        pairs = join.pairs(grow=True)
        assert not pairs.overflowed
        assert found(pairs) == pairs_of(keys([probe]), keys([build]))
        join(on_probe[:10])
        assert found(join.pairs()) == pairs_of(keys([probe[:10]]), keys([build]))


def test_room_is_made_for_what_is_there_now(dev):
    """Between a call and its pairs the table changes, and the keys do."""
    on_probe = dev.array(np.array([1, 2, 3, 3], np.uint32))
    with HashTable(dev, dev.array(np.array([1, 2, 3], np.uint32))) as table, Join(table, on_probe, 2) as join:
        join(on_probe)
        table.build(dev.array(np.array([3, 3, 3], np.uint32)))
        pairs = join.pairs(grow=True)
        assert pairs.total == 6
        assert found(pairs) == [(2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2)]
        join.close()
    with HashTable(dev, dev.array(np.array([1, 2, 3], np.uint32))) as table, Join(table, on_probe, 2) as join:
        join(on_probe)
        on_probe.copy_from(np.array([9, 9, 9, 1], np.uint32))
        assert found(join.pairs(grow=True)) == [(3, 0)]


def test_a_graph_goes_on_reading_the_columns_it_was_captured_with(dev):
    build, first, second = (
        [dev.array(np.array(a, np.uint32)), dev.array(np.array(b, np.uint16))]
        for a, b in (([1, 2, 3], [7, 8, 9]), ([1, 2], [7, 8]), ([3, 5], [9, 9]))
    )
    with HashTable(dev, build) as table, Join(table, first, 10) as join:
        join(first)
        with dev.capture() as graph:
            join(first)
        for _ in range(2):
            join(second)
            assert found(join.pairs()) == [(0, 2)]
            graph.launch()
            assert found(join.pairs()) == [(0, 0), (1, 1)]
        graph.close()


def test_columns_of_both_sides_are_brought_together(dev):
    """An outer join's table: the key and a column of the probe side, a column of the build side, 9 where there is no row."""
    names, ages = np.array([2, 3, 5], np.uint32), np.array([20, 30, 50], np.uint16)
    keys_, prices = np.array([3, 4, 2], np.uint32), np.array([1.5, 2.5, 3.5])
    probe, build = [dev.array(keys_), dev.array(prices)], [dev.array(ages)]
    with HashTable(dev, dev.array(names)) as table, Join(table, probe[0], 3, outer=True) as join:
        join(probe[0])
        pairs = join.pairs()
        got = [column.numpy().tolist() for column in pairs.gather(probe, build, fill=9)]
        two = [
            column.numpy().tolist()
            for column in pairs.gather([probe[0]], [*build, dev.array(names.astype("f4"))], fill=(1, -1.5))
        ]
        with pytest.raises(BuildError, match="fill has 2 numbers for 1 columns of the build side"):
            pairs.gather(probe, build, fill=[1, 2])
    assert sorted(zip(*got)) == [(2, 3.5, 20), (3, 1.5, 30), (4, 2.5, 9)]
    assert sorted(zip(*two)) == [(2, 20, 2.0), (3, 30, 3.0), (4, 1, -1.5)]


def fnv1a(data):
    found = 0xCBF29CE484222325
    for byte in data:
        found = ((found ^ byte) * 0x100000001B3) % (1 << 64)
    return found


def test_the_oracle_is_fnv_1a():
    """Published values of the 64-bit function."""
    assert [fnv1a(text) for text in (b"", b"a", b"foobar")] == [
        0xCBF29CE484222325,
        0xAF63DC4C8601EC8C,
        0x85944171F73967E8,
    ]


@pytest.mark.parametrize("sizes", [(8, 1), (4, 4, 4), (1,) * 9, (2, 8, 4, 1, 1), (8,) * 5, (1, 2) * 6])
def test_keys_are_packed_without_gaps_and_hashed(dev, sizes):
    """Bytes of the columns one after the other, the last word filled with zeros; their FNV-1a-64 is the tag."""
    rng = np.random.default_rng(len(sizes))
    columns = [rng.integers(0, 256, (20, size), np.uint8).view(f"u{size}").reshape(-1) for size in sizes]
    rows = [b"".join(column[row].tobytes() for column in columns) for row in range(20)]
    side = Keys(dev, [dev.array(column) for column in columns])
    (count, tags, packed), plans = side.read([dev.array(column) for column in columns])
    launch_all(plans)
    assert count == 20
    assert tags.numpy().tolist() == [fnv1a(row) for row in rows]
    width = -(-sum(sizes) // 4) * 4
    assert packed.numpy().tobytes() == b"".join(row.ljust(width, b"\0") for row in rows)
    side.close()


def test_a_key_of_many_columns(dev):
    """40 columns, which differ in the last one alone."""
    build, probe = ([dev.zeros(30, u32) for _ in range(39)] for _ in range(2))
    last = np.arange(30, dtype=np.uint32)
    build.append(dev.array(last % 7))
    probe.append(dev.array(last % 11))
    with HashTable(dev, build) as table, Join(table, probe, 200) as join:
        join(probe)
        assert found(join.pairs()) == pairs_of(keys([last % 11]), keys([last % 7]))


@pytest.mark.parametrize("anti", [False, True], ids=["semi", "anti"])
def test_semi_and_anti_joins_keep_the_order(dev, anti):
    rng = np.random.default_rng(5)
    build, probe = rng.integers(0, 1000, 400, dtype=np.uint32), rng.integers(0, 1000, 5000, dtype=np.uint32)
    on_probe = dev.array(probe)
    with HashTable(dev, dev.array(build)) as table, SemiJoin(table, on_probe, anti=anti) as matching:
        matching(on_probe)
        assert np.array_equal(matching.rows().numpy(), np.nonzero(np.isin(probe, build) != anti)[0])


def test_a_table_is_filled_anew_and_a_join_captured(dev):
    rng = np.random.default_rng(6)
    build, probe = dev.empty((2, 500), u32), dev.empty((2, 800), u32)
    build_columns, probe_columns = list(build), list(probe)
    with HashTable(dev, build_columns) as table, Join(table, probe_columns, 5000) as join:
        table.build(build_columns)
        join(probe_columns)
        with dev.capture() as graph:
            table.build(build_columns)
            join(probe_columns)
        for _ in range(3):
            build_data, probe_data = (rng.integers(0, 30, (2, n), dtype=np.uint32) for n in (500, 800))
            build.copy_from(build_data)
            probe.copy_from(probe_data)
            graph.launch()
            assert found(join.pairs()) == pairs_of(keys(probe_data), keys(build_data))
        graph.close()


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda dev: HashTable(dev, []), "without columns"),
        (lambda dev: HashTable(dev, [dev.zeros(3, u32), dev.zeros(4, u32)]), "column 1 of a key has 4 rows"),
        (lambda dev: HashTable(dev, [[1, 2]]), "column 0 of a key is [1, 2]"),
        (
            lambda dev: Join(HashTable(dev, dev.zeros(3, u32)), dev.zeros(3, u64), 5),
            "a probe key has columns of .u64, expected .u32",
        ),
        (lambda dev: Join(HashTable(dev, dev.zeros(3, u32)), dev.zeros(3, u32), 1 << 33), "most_pairs is 8589934592"),
        (lambda dev: Join(HashTable(dev, dev.zeros(3, u32)), dev.zeros(3, u32), 5)(dev.zeros(4, u32)), "at most 3"),
        (
            lambda dev: Join(HashTable(dev, dev.zeros(3, u32)), dev.zeros(3, u32), 5)(dev.zeros(3, u16)),
            "a key has columns of .u16, expected .u32",
        ),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)


def test_bits_are_compared(dev):
    """0.0 and -0.0 differ, a NaN equals itself."""
    build = dev.array(np.array([0.0, -0.0, np.nan], np.float32))
    with HashTable(dev, build) as table, Join(table, build, 10) as join:
        join(build)
        assert found(join.pairs()) == [(0, 0), (1, 1), (2, 2)]


def test_key_columns_may_be_new_while_a_graph_is_recorded(dev):
    """Of several columns too, which are packed: they are arguments of the kernel."""
    old, new = ([dev.array(np.array(values, kind)) for kind in ("u1", "u4")] for values in ([1, 2, 3], [7, 2, 7]))
    with HashTable(dev, old) as table, SemiJoin(table, old) as some:
        some(old)
        with dev.capture() as graph:
            table.build(new)
            some(new)
        assert some.rows().numpy().tolist() == [0, 1, 2]
        new[1].copy_from(np.array([7, 3, 7], np.uint32))
        table.build(old)
        graph.launch()
        assert some.rows().numpy().tolist() == [0, 1, 2]
        graph.close()
        some(old)
        assert some.rows().numpy().tolist() == []
