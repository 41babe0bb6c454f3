"""Sets of rows, beside Python's."""

from __future__ import annotations

import numpy as np
import pytest

from ptxgen import f32, u32
from ptxgen.errors import BuildError
from ptxgen.ops import RowSets

TABLES = {"u32": [np.uint32], "u32+u32": [np.uint32, np.uint32], "u8+f64+s32": [np.uint8, np.float64, np.int32]}
KINDS = {"union": set.union, "intersection": set.intersection, "difference": set.difference}


@pytest.mark.parametrize("kinds", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("n, m", [(0, 0), (0, 5), (5, 0), (1, 1), (1000, 3000)])
def test_rows_of_two_tables(dev, kinds, n, m):
    rng = np.random.default_rng(n)
    spread = {1: 2000, 2: 40, 3: 12}[len(kinds)]
    sides = [[rng.integers(0, spread, size).astype(kind) for kind in kinds] for size in (n, m)]
    left, right = (set(zip(*[column.tolist() for column in side])) for side in sides)
    given = [[dev.array(column) for column in side] for side in sides]
    with RowSets(dev, given[0], n + m) as sets:
        for kind, of_python in KINDS.items():
            getattr(sets, kind)(*given)
            found = list(zip(*[column.numpy().tolist() for column in sets.rows()]))
            assert found == sorted(of_python(left, right))


@pytest.mark.parametrize("n, m", [(5000, 1), (1, 5000), (4608, 4700)])
def test_a_union_of_many_elements(dev, n, m):
    """They are sorted from both sides, whose last tiles are not full, with keys of all ones among them."""
    rng = np.random.default_rng(m)
    left, right = (0xFFFFFFFF - rng.integers(0, 3000, size).astype(np.uint32) for size in (n, m))
    with RowSets(dev, dev.array(left), n + m) as sets:
        for _ in range(2):
            sets.union(dev.array(left), dev.array(right))
            assert np.array_equal(sets.rows()[0].numpy(), np.union1d(left, right))


def test_a_set_operation_is_captured(dev):
    left, right = dev.array(np.array([1, 2, 2, 3], np.uint32)), dev.array(np.array([2, 4], np.uint32))
    with RowSets(dev, left, 6) as sets:
        with dev.capture() as graph:
            sets.difference(left, right)
        for other, expected in (([2, 4], [1, 3]), ([1, 3], [2])):
            right.copy_from(np.array(other, np.uint32))
            graph.launch()
            assert sets.rows()[0].numpy().tolist() == expected
        graph.close()


def test_bad_input_is_named(dev):
    with RowSets(dev, dev.zeros(3, u32), 5) as sets:
        with pytest.raises(BuildError, match=r"the right side has columns of \.f32, expected \.u32"):
            sets.union(dev.zeros(3, u32), dev.zeros(3, f32))
        with pytest.raises(BuildError, match="3 and 3 rows, this operation was made for at most 5"):
            sets.union(dev.zeros(3, u32), dev.zeros(3, u32))
