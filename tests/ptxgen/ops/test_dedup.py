"""Different rows of tables, beside Python's tuples."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.errors import BuildError
from ptxgen.ops import Dedup

TABLES = {
    "u32": [np.uint32], "f64": [np.float64], "u8": [np.uint8], "s64+u8": [np.int64, np.uint8],
    "u16+s32+f32": [np.uint16, np.int32, np.float32], "four": [np.uint64, np.uint8, np.uint8, np.uint32],
}  # fmt: skip


@pytest.mark.parametrize("kinds", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("n", [0, 1, 2, 5000])
def test_the_first_of_equal_rows_in_order_of_the_rows(dev, kinds, n):
    rng = np.random.default_rng(n)
    spread = 40 if len(kinds) == 1 else 4
    columns = [(rng.integers(0, spread, n) - (kind().dtype.kind != "u") * 2).astype(kind) for kind in kinds]
    first = {}
    for row, values in enumerate(zip(*[column.tolist() for column in columns])):
        first.setdefault(values, row)
    given = [dev.array(column) for column in columns]
    with Dedup(dev, given) as dedup:
        dedup(given)
        assert dedup.rows().numpy().tolist() == [first[values] for values in sorted(first)]


def test_rows_are_equal_when_their_bits_are(dev):
    x = np.array([np.nan, 0.0, -0.0, np.nan, 0.0, -np.inf], np.float32)
    given = dev.array(x)
    with Dedup(dev, given) as dedup:
        dedup(given)
        assert dedup.rows().numpy().tolist() == [5, 2, 1, 0]  # totalOrder: -inf, -0.0, 0.0, NaN


def test_a_call_is_captured_and_takes_fewer_rows(dev):
    rng = np.random.default_rng(3)
    left, right = dev.empty(3000, u32), dev.empty(3000, u32)
    with Dedup(dev, [left, right], most=9000) as dedup:
        with dev.capture() as graph:
            dedup([left, right])
        for _ in range(3):
            data = rng.integers(0, 20, (2, 3000)).astype(np.uint32)
            left.copy_from(data[0])
            right.copy_from(data[1])
            graph.launch()
            expected = np.unique(data.T, axis=0, return_index=True)[1]
            assert np.array_equal(dedup.rows().numpy(), expected)
        graph.close()


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: Dedup(d, []), "a table without columns"),
        (lambda d: Dedup(d, [d.zeros(2, u32), d.zeros(3, u32)]), "column 1 of a table has 3 rows, column 0 has 2"),
        (lambda d: Dedup(d, d.zeros(2, px.bf16)), "column 0 of a table is"),
        (lambda d: Dedup(d, d.zeros(2, u32))(d.zeros(2, f32)), "a table has columns of .f32, expected .u32"),
        (lambda d: Dedup(d, d.zeros(2, u32))(d.zeros(3, u32)), "at most 2"),
        (lambda d: Dedup(d, d.zeros(2, u32), most=1 << 30), "fewer than"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
