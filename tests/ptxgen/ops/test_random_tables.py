"""Random tables of any column types, with repeated rows, empty sides and awkward values, beside plain Python.

Values come from small pools, so that rows repeat and parts of rows agree; the pools hold NaNs of both signs, zeros of both
signs, infinities and the ends of the integers. Rows are compared by their bits and ordered as the operations order them.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxgen import f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.kernels.blocks.collectives import identity
from ptxgen.kernels.joins.hash_search import LONG
from ptxgen.ops import (
    Dedup,
    Filter,
    HashTable,
    Join,
    JoinGraphs,
    RowSets,
    Scan,
    SegmentedReduce,
    SegmentedScan,
    Select,
    SemiJoin,
    Sort,
    empty_cache,
    join,
    merge,
)
from ptxgen.ops.arrays.filter import combine, compare
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.joins.pairs import NO_ROW

FLOATS = [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, -np.nan, 1e-40]
POOLS = {
    u8: [0, 1, 255], u16: [0, 1, 256, 65535], u32: [0, 1, 65536, 2**32 - 1], s32: [0, -1, 5, -(2**31), 2**31 - 1],
    u64: [0, 1, 2**32, 2**64 - 1], s64: [0, -1, 2**40, -(2**63)], f16: FLOATS, f32: FLOATS, f64: FLOATS,
    s8: [0, -1, 5, -128, 127], s16: [0, -1, 5, -(2**15), 2**15 - 1],
}  # fmt: skip
KINDS = {
    u8: "u1",
    u16: "u2",
    u32: "u4",
    s32: "i4",
    f32: "f4",
    u64: "u8",
    s64: "i8",
    f64: "f8",
    s8: "i1",
    s16: "i2",
    f16: "f2",
}
WIDE = [kind for kind in POOLS if kind.isa.bits >= 32]


@pytest.fixture(autouse=True, scope="module")
def cache_is_empty():
    yield
    empty_cache()


types = st.lists(st.sampled_from(list(POOLS)), min_size=1, max_size=3).map(tuple)
seeds = st.integers(0, 2**32 - 1)
sizes = st.one_of(st.integers(0, 40), st.sampled_from([255, 256, 257, 1000]))


def column(rng, kind, n):
    """n values of a type's pool."""
    return np.array(POOLS[kind], KINDS[kind])[rng.integers(0, len(POOLS[kind]), n)]


def table(rng, kinds, n):
    return [column(rng, kind, n) for kind in kinds]


def on_device(dev, columns, kinds):
    return [dev.array(each, kind) for each, kind in zip(columns, kinds)]


def bits(columns):
    """Every row as a tuple of bit patterns."""
    return list(zip(*[each.view(f"u{each.itemsize}").tolist() for each in columns]))


def order_of(array):
    """Every value as an integer in the order that sorting uses: IEEE 754's totalOrder for floats."""
    raw, width = array.view(f"u{array.itemsize}").tolist(), 8 * array.itemsize
    top = 1 << (width - 1)
    if array.dtype.kind == "u":
        return raw
    if array.dtype.kind == "i":
        return [word ^ top for word in raw]
    return [word ^ ((1 << width) - 1 if word & top else top) for word in raw]


def ordered_rows(columns):
    return list(zip(*[order_of(each) for each in columns]))


def found(pairs):
    return sorted(zip(pairs.left.numpy().tolist(), pairs.right.numpy().tolist()))


def pairs_of(probe, build, *, outer=False):
    rows = defaultdict(list)
    for row, key in enumerate(bits(build)):
        rows[key].append(row)
    expected = []
    for row, key in enumerate(bits(probe)):
        expected += [(row, other) for other in rows.get(key) or ([NO_ROW] if outer else [])]
    return sorted(expected)


runs = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 2 * LONG + 70)), max_size=4)
"""(key, rows that have it one after the other): buckets that a lane reads, and such that a warp reads."""


@given(runs, st.lists(st.integers(0, 7), max_size=70), seeds, st.sampled_from([("u4",), ("u8",), ("u8", "u2", "u4")]))
def test_joins_of_few_keys(dev, built, asked, seed, kinds):
    """Whatever one key's rows are and whoever asks for it, in any order; 6 and 7 are nobody's."""
    rng = np.random.default_rng(seed)
    numbers = np.repeat([key for key, _ in built], [rows for _, rows in built]).astype(np.int64)
    build, probe = rng.permutation(numbers), np.array(asked, np.int64)
    on_build, on_probe = ([dev.array(side.astype(kind)) for kind in kinds] for side in (build, probe))
    matches = [np.nonzero(build == key)[0] for key in probe]
    expected = [(row, other) for row, rows in enumerate(matches) for other in rows]
    with HashTable(dev, on_build) as table_, Join(table_, on_probe, 999) as join, SemiJoin(table_, on_probe) as some:
        join(on_probe)
        some(on_probe)
        assert join.pairs().total == len(expected)
        assert found(join.pairs(grow=True)) == expected
        assert some.rows().numpy().tolist() == [row for row, rows in enumerate(matches) if len(rows)]


@given(types, seeds, sizes, sizes, st.booleans())
def test_joins(dev, kinds, seed, n, m, outer):
    rng = np.random.default_rng(seed)
    probe, build = table(rng, kinds, n), table(rng, kinds, m)
    on_probe, on_build = (on_device(dev, side, kinds) for side in (probe, build))
    expected, matched = pairs_of(probe, build), set(bits(build))
    with HashTable(dev, on_build) as built:
        with Join(built, on_probe, 50, outer=outer) as join:
            join(on_probe)
            assert found(join.pairs(grow=True)) == pairs_of(probe, build, outer=outer)
        for anti in (False, True):
            with SemiJoin(built, on_probe, anti=anti) as matching:
                matching(on_probe)
                rows = [row for row, key in enumerate(bits(probe)) if (key in matched) != anti]
                assert matching.rows().numpy().tolist() == rows
        with JoinGraphs(dev, auto_output_cap=3000) as graphs:
            for _ in range(2):
                assert found(graphs.inner(on_build, on_probe)) == expected
                pairs = graphs.indexed(built, on_probe, 7)
                assert pairs.total == len(expected)
                assert set(found(pairs)) <= set(expected)


@given(types, seeds, sizes)
def test_different_rows(dev, kinds, seed, n):
    given_ = table(np.random.default_rng(seed), kinds, n)
    on = on_device(dev, given_, kinds)
    first = {}
    for row, key in enumerate(ordered_rows(given_)):
        first.setdefault(key, row)
    with Dedup(dev, on) as dedup:
        dedup(on)
        assert dedup.rows().numpy().tolist() == [first[key] for key in sorted(first)]


@given(types, seeds, sizes, sizes)
def test_sets(dev, kinds, seed, n, m):
    rng = np.random.default_rng(seed)
    sides = [table(rng, kinds, size) for size in (n, m)]
    left, right = (dict(zip(ordered_rows(side), bits(side))) for side in sides)
    wanted = {
        "union": left.keys() | right.keys(), "intersection": left.keys() & right.keys(),
        "difference": left.keys() - right.keys(),
    }  # fmt: skip
    with RowSets(dev, on_device(dev, sides[0], kinds), n + m) as sets:
        for name, keys in wanted.items():
            getattr(sets, name)(*(on_device(dev, side, kinds) for side in sides))
            expected = [(left | right)[key] for key in sorted(keys)]
            assert bits([each.numpy() for each in sets.rows()]) == expected


@given(st.sampled_from(list(POOLS)), seeds, sizes, st.booleans())
def test_sorts(dev, kind, seed, n, descending):
    keys = column(np.random.default_rng(seed), kind, n)
    with Sort(dev, kind, n, descending=descending, pairs=True) as sort:
        out, moved = dev.empty(n, kind), dev.empty(n, u32)
        sort(dev.array(keys, kind), out, dev.array(np.arange(n, dtype=np.uint32)), moved)
    places = order_of(keys)
    order = sorted(range(n), key=places.__getitem__, reverse=descending)  # Python's sort is stable in both directions
    assert moved.numpy().tolist() == order
    assert bits([out.numpy()]) == bits([keys[order]])


@given(st.sampled_from(WIDE), seeds, st.integers(0, 20_000), st.sampled_from(["sum", "min", "max"]), st.booleans())
@settings(max_examples=25)
def test_scans(dev, kind, seed, n, op, exclusive):
    """Small whole numbers: sums of floats are exact."""
    x = np.random.default_rng(seed).integers(-9 if KINDS[kind][0] != "u" else 0, 10, n).astype(KINDS[kind])
    with Scan(dev, kind, n, op=op, exclusive=exclusive) as scan:
        y = dev.empty(n, kind)
        scan(dev.array(x, kind), y)
    ufunc = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
    info = np.iinfo if x.dtype.kind in "iu" else lambda kind: np.finfo(kind)
    nothing = {"sum": 0, "min": np.inf, "max": -np.inf}[op]
    if x.dtype.kind != "f" and op != "sum":
        nothing = info(x.dtype).max if op == "min" else info(x.dtype).min
    expected = ufunc.accumulate(x, dtype=x.dtype)
    if exclusive:
        expected = np.concatenate([np.array([nothing], x.dtype), expected[:-1]])[:n]
    assert np.array_equal(y.numpy(), expected)


@given(st.sampled_from([s8, u32, f32, f64]), seeds, sizes, sizes, st.booleans())
@settings(max_examples=12)
def test_merges(dev, kind, seed, n, m, descending):
    """As a stable sort of both, one behind the other."""
    rng = np.random.default_rng(seed)
    both = [column(rng, kind, size) for size in (n, m)]
    both = [each[sorted(range(len(each)), key=order_of(each).__getitem__, reverse=descending)] for each in both]
    rows = [np.arange(n, dtype=np.uint32), np.arange(n, n + m, dtype=np.uint32)]
    joined = np.concatenate(both)
    order = sorted(range(n + m), key=order_of(joined).__getitem__, reverse=descending)
    sides, payloads = (tuple([dev.array(each) for each in given_]) for given_ in (both, rows))
    with dev.empty(n + m, kind) as out, dev.empty(n + m, u32) as moved:
        merge(*sides, out, payload=payloads, out_payload=moved, descending=descending)
        assert moved.numpy().tolist() == order
        assert bits([out.numpy()]) == bits([joined[order]])
        assert bits([merge(*sides, descending=descending).numpy()]) == bits([joined[order]])


@given(st.sampled_from([s32, f64]), seeds, st.integers(0, 9000), st.sampled_from(["sum", "max"]), st.booleans())
@settings(max_examples=12)
def test_segments(dev, kind, seed, n, op, exclusive):
    """Small whole numbers: sums of floats are exact. Segments of nothing, of much, and beyond the end; keys of any bits."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-9 if KINDS[kind][0] != "u" else 0, 10, n).astype(KINDS[kind])
    offsets = np.sort(rng.integers(0, n + 5, rng.integers(1, 40))).astype(np.uint32)
    keys = np.repeat(column(rng, kind, 300), rng.integers(1, 60, 300))[:n]
    ufunc = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
    nothing = np.array([identity(op, kind)], x.dtype)

    def scanned(pieces):
        found = [ufunc.accumulate(each, dtype=x.dtype) for each in pieces if len(each)]
        return np.concatenate([x[:0], *([np.append(nothing, each[:-1]) for each in found] if exclusive else found)])

    runs_ = np.flatnonzero(np.diff(keys.view(f"u{keys.itemsize}"))) + 1
    cuts = offsets.clip(0, n).astype(np.int64)
    on, at, by = dev.array(x, kind), dev.array(offsets), dev.array(keys, kind)
    with (
        SegmentedScan(dev, kind, n, op=op, exclusive=exclusive) as scan,
        SegmentedReduce(dev, kind, n, op=op) as reduce,
    ):
        assert np.array_equal(scan(on, at).numpy(), scanned(np.split(x, cuts)))
        m = len(keys)
        assert np.array_equal(scan.by_key(on[:m], by).numpy(), scanned(np.split(x[:m], runs_)))
        sums = [ufunc.reduce(each, dtype=x.dtype, initial=nothing[0]) for each in np.split(x, cuts)[1:-1]]
        assert np.array_equal(reduce(on, at).numpy(), np.array(sums, x.dtype))


@given(st.sampled_from([(f32,), (u64, u16, s32)]), seeds, st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=8)
def test_outer_joins(dev, kinds, seed, n, m):
    """Of left and right, of both, and of a table with itself; in order of the side that is kept."""
    rng = np.random.default_rng(seed)
    left, right = table(rng, kinds, n), table(rng, kinds, m)
    on_left, on_right = (on_device(dev, side, kinds) for side in (left, right))

    def pairs(how, *sides):
        first, second = (rows.numpy().tolist() for rows in join(*sides, how=how))
        return list(zip(first, second))

    mirrored = [(row, other) for other, row in pairs_of(right, left, outer=True)]
    found = pairs("right", on_left, on_right)
    assert sorted(found) == sorted(mirrored)
    assert [row for _, row in found] == sorted(row for _, row in found)
    alone = [pair for pair in mirrored if pair[0] == NO_ROW]
    assert sorted(pairs("full", on_left, on_right)) == sorted([*pairs_of(left, right, outer=True), *alone])
    assert sorted(pairs("inner", on_left, on_left)) == pairs_of(left, left)


COMPARE = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
LOGIC = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor, "andnot": lambda a, b: a & ~b}


@given(st.sampled_from(list(POOLS)), seeds, sizes, st.sampled_from(list(COMPARE)), st.sampled_from(list(LOGIC)))
def test_filters(dev, kind, seed, n, op, logic):
    rng = np.random.default_rng(seed)
    a, b, number = column(rng, kind, n), column(rng, kind, n), column(rng, kind, 1)[0]
    on_a, on_b, masks = dev.array(a, kind), dev.array(b, kind), [dev.empty(n, u8) for _ in range(2)]
    compare(on_a, op, on_b, masks[0])
    compare(on_a, op, number, masks[1])
    columns_, constants = COMPARE[op](a, b), COMPARE[op](a, number)
    assert [mask.numpy().astype(bool).tolist() for mask in masks] == [columns_.tolist(), constants.tolist()]
    combine(masks[0], logic, masks[1], masks[0])
    kept = LOGIC[logic](columns_, constants)
    with Filter(dev, n) as rows, Select(dev, u8, n) as select:
        outs, places = [dev.empty(n, kind), dev.empty(n, kind)], dev.empty(n, u32)
        rows(masks[0], [on_a, on_b], outs)
        select(masks[0], places)
        count = rows.count()
        assert places.numpy()[:count].tolist() == np.nonzero(kept)[0].tolist()
        assert [bits([out.numpy()[:count]]) for out in outs] == [bits([each[kept]]) for each in (a, b)]


@given(st.sampled_from(list(POOLS)), seeds, sizes, st.integers(1, 30))
def test_gathers(dev, kind, seed, n, m):
    rng = np.random.default_rng(seed)
    given_, (fill,) = column(rng, kind, m), column(rng, kind, 1)
    rows = rng.integers(0, m, n).astype(np.uint32)
    rows[::5] = NO_ROW
    limit = int(rng.integers(0, n + 1))
    out = dev.zeros(n, kind)
    gather(dev.array(rows), dev.array(given_, kind), out, limit=dev.array(np.array([limit], np.uint32)), fill=fill)
    raw = given_.view(f"u{given_.itemsize}")
    bits_of_fill = int(fill.view(raw.dtype))
    expected = [bits_of_fill if row == NO_ROW else int(raw[row]) for row in rows[:limit].tolist()] + [0] * (n - limit)
    assert out.numpy().view(raw.dtype).tolist() == expected


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("kind", list(POOLS), ids=str)
def test_tables_of_no_row_and_of_one(dev, kind, n):
    given_ = column(np.random.default_rng(1), kind, n)
    on = dev.array(given_, kind)
    with Dedup(dev, on) as dedup, RowSets(dev, on, 2 * n) as sets:
        dedup(on)
        assert dedup.rows().size == n
        sets.union(on, on)
        assert bits([sets.rows()[0].numpy()]) == bits([given_])
        sets.difference(on, on)
        assert sets.rows()[0].size == 0
