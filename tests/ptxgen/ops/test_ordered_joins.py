"""Joins whose pairs are in order: sort-merge and nested-loop, beside loops in Python."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxgen import bf16, f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.errors import BuildError
from ptxgen.ops import JoinOverflowError, LoopJoin, MergeJoin, SortedTable
from ptxgen.ops.joins.pairs import NO_ROW

NUMPY = {u32: "u4", s32: "i4", f32: "f4", u64: "u8", s64: "i8", f64: "f8"}
NUMPY |= {u8: "u1", s8: "i1", u16: "u2", s16: "i2", f16: "f2"}


def in_order(pairs):
    return list(zip(pairs.left.numpy().tolist(), pairs.right.numpy().tolist()))


def equal_pairs(probe, build, *, outer=False):
    """In order of the probe rows, then of the build rows; bits are compared."""
    left, right = (side.view(f"u{side.itemsize}").tolist() for side in (probe, build))
    found = []
    for row, key in enumerate(left):
        matches = [other for other, there in enumerate(right) if there == key]
        found += [(row, other) for other in matches or ([NO_ROW] if outer else [])]
    return found


def drawn(rng, element, n):
    return rng.integers(0 if element.isa.kind == "u" else -4, 9, n).astype(NUMPY[element])


@pytest.mark.parametrize("outer", [False, True], ids=["inner", "outer"])
@pytest.mark.parametrize("element", NUMPY)
def test_a_merge_join_is_in_order(dev, element, outer):
    rng = np.random.default_rng(1)
    for n, m in ((0, 0), (0, 5), (5, 0), (1, 1), (300, 70)):
        probe, build = drawn(rng, element, n), drawn(rng, element, m)
        on_probe = dev.array(probe, element)
        with SortedTable(dev, dev.array(build, element)) as table, MergeJoin(table, n, 1, outer=outer) as join:
            join(on_probe)
            assert in_order(join.pairs(grow=True)) == equal_pairs(probe, build, outer=outer)


def test_bits_are_compared_by_a_merge_join(dev):
    """0.0 and -0.0 differ, a NaN equals itself and no other NaN."""
    values = np.array([0x00000000, 0x80000000, 0x7FC00000, 0xFFC00000, 0x7FC00001, 0x7F800000], np.uint32).view(
        np.float32
    )
    keys = dev.array(np.concatenate([values, values[::-1]]))
    with SortedTable(dev, keys) as table, MergeJoin(table, 12, 24) as join:
        join(keys)
        assert in_order(join.pairs()) == sorted((i, j) for i in range(12) for j in (i, 11 - i))


def test_one_key_with_most_of_the_pairs(dev):
    probe = np.array([3, 7, 5, 7], np.uint32)
    build = np.array([7] * 2000 + [5], np.uint32)
    with SortedTable(dev, dev.array(build)) as table, MergeJoin(table, 4, 5000) as join:
        join(dev.array(probe))
        assert in_order(join.pairs()) == equal_pairs(probe, build)


def test_what_does_not_fit_is_counted_and_grows(dev):
    ones = dev.array(np.ones(10, np.uint32))
    with SortedTable(dev, ones) as table, MergeJoin(table, 10, 25) as join:
        join(ones)
        assert (join.pairs().total, join.pairs().left.size, join.pairs().overflowed) == (100, 25, True)
        assert in_order(join.pairs()) == [(i // 10, i % 10) for i in range(25)]
        assert in_order(join.pairs(grow=True)) == [(i // 10, i % 10) for i in range(100)]
        join(ones)
        assert not join.pairs().overflowed


def test_a_total_beyond_32_bits_is_counted_exactly_and_nothing_written(dev):
    """70,000 x 70,000 rows of one key: 4.9 * 10^9 pairs, more than 2^32."""
    ones = dev.array(np.ones(70_000, np.uint32))
    with SortedTable(dev, ones) as table, MergeJoin(table, 70_000, 10) as join:
        join.left.fill(7)
        join(ones)
        with pytest.raises(JoinOverflowError, match="4900000000 pairs, at most 4294967295") as caught:
            join.pairs()
        assert caught.value.total == 4_900_000_000
        assert join.left.numpy().tolist() == [7] * 10


def test_a_presorted_column_is_taken_as_it_is(dev):
    build = np.array([1, 2, 2, 4], np.uint32)
    with SortedTable(dev, dev.array(build), most=8, presorted=True) as table, MergeJoin(table, 4, 10) as join:
        assert table.order.numpy()[:4].tolist() == [0, 1, 2, 3]
        join(dev.array(np.array([2, 3, 4, 1], np.uint32)))
        assert in_order(join.pairs()) == [(0, 1), (0, 2), (2, 3), (3, 0)]
        with pytest.raises(BuildError, match="not sorted: 2 keys are before their neighbour"):
            table.build(dev.array(np.array([3, 2, 5, 1], np.uint32)))


def test_a_merge_join_is_captured(dev):
    rng = np.random.default_rng(3)
    build, probe = dev.empty(50, u32), dev.empty(80, u32)
    with SortedTable(dev, build) as table, MergeJoin(table, 80, 4000) as join:
        with dev.capture() as graph:
            table.build(build)
            join(probe)
        for _ in range(2):
            data = rng.integers(0, 20, 50, np.uint32), rng.integers(0, 20, 80, np.uint32)
            build.copy_from(data[0])
            probe.copy_from(data[1])
            graph.launch()
            assert in_order(join.pairs()) == equal_pairs(data[1], data[0])
        graph.close()


COMPARE = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}


@pytest.mark.parametrize("op", COMPARE)
@pytest.mark.parametrize("element", [u32, s64, f32], ids=str)
def test_a_loop_join_holds_any_comparison(dev, element, op):
    rng = np.random.default_rng(2)
    with LoopJoin(dev, element, op, 600, 1) as join:
        for n, m in ((0, 5), (5, 0), (1, 1), (600, 300)):
            probe, build = drawn(rng, element, n), drawn(rng, element, m)
            if element is f32 and n > 5:
                probe[::7], build[:2] = np.nan, (np.nan, -0.0)
            join(dev.array(probe, element), dev.array(build, element))
            rows = np.nonzero(COMPARE[op](probe[:, None], build[None, :]))
            assert in_order(join.pairs(grow=True)) == list(zip(*[side.tolist() for side in rows]))


@pytest.mark.parametrize("element", [u8, s8, u16, s16, f16], ids=str)
def test_a_loop_join_of_small_types(dev, element):
    least = 0 if element.isa.kind == "u" else -3
    probe, build = ((np.arange(n) + least).astype(NUMPY[element]) for n in (9, 5))
    with LoopJoin(dev, element, "lt", 9, 40) as join:
        join(dev.array(probe), dev.array(build))
        assert in_order(join.pairs()) == [(i, j) for i in range(9) for j in range(5) if i < j]


def test_left_1232_joins_right_224_in_four_rows(dev):
    """The reference's vector, in order by both."""
    left, right = dev.array(np.array([1, 2, 3, 2], np.uint32)), dev.array(np.array([2, 2, 4], np.uint32))
    expected = [(1, 0), (1, 1), (3, 0), (3, 1)]
    with SortedTable(dev, right) as table, MergeJoin(table, 4, 10) as merge, LoopJoin(dev, u32, "eq", 4, 10) as loop:
        merge(left)
        loop(left, right)
        assert in_order(merge.pairs()) == in_order(loop.pairs()) == expected


columns = st.lists(st.integers(0, 6), max_size=40).map(lambda values: np.array(values, np.uint32))


@given(columns, columns, st.booleans())
def test_random_sides(dev, probe, build, outer):
    on_probe, on_build = dev.array(probe), dev.array(build)
    with SortedTable(dev, on_build) as table, MergeJoin(table, probe.size, 4, outer=outer) as merge:
        merge(on_probe)
        assert in_order(merge.pairs(grow=True)) == equal_pairs(probe, build, outer=outer)
    with LoopJoin(dev, u32, "eq", probe.size, 4) as loop:
        loop(on_probe, on_build)
        assert in_order(loop.pairs(grow=True)) == equal_pairs(probe, build)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: SortedTable(d, d.zeros(3, bf16)), "integers of 8 to 64 bits, f16, f32 or f64"),
        (lambda d: SortedTable(d, [1]), "the column is [1]"),
        (lambda d: SortedTable(d, d.zeros(3, u32), most=2), "at most 2"),
        (lambda d: SortedTable(d, d.zeros(3, u32), most=1 << 30), "fewer than"),
        (lambda d: MergeJoin(None, 3, 3), "None is not a SortedTable"),
        (lambda d: MergeJoin(SortedTable(d, d.zeros(3, u32)), 3, -1), "most_pairs is -1"),
        (lambda d: MergeJoin(SortedTable(d, d.zeros(3, u32)), -1, 3), "most is -1"),
        (lambda d: MergeJoin(SortedTable(d, d.zeros(3, u32)), 3, 3)(d.zeros(3, f32)), "expected .u32"),
        (lambda d: MergeJoin(SortedTable(d, d.zeros(3, u32)), 3, 3)(d.zeros(4, u32)), "at most 3"),
        (lambda d: LoopJoin(d, u32, "like", 3, 3), "no comparison 'like'"),
        (lambda d: LoopJoin(d, None, "eq", 3, 3), "no nested-loop join of None"),
        (lambda d: LoopJoin(d, u32, "eq", 3, 3)(d.zeros(4, u32), d.zeros(1, u32)), "probe has 4 elements"),
        (lambda d: LoopJoin(d, u32, "eq", 3, 3)(d.zeros(3, u32), d.zeros(1, s32)), "build is an array of .s32"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
