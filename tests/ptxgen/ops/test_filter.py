"""Masks, compaction and gathering of columns, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, s32, u8, u16, u32
from ptxgen.errors import BuildError
from ptxgen.ops import Filter, Select, arguments
from ptxgen.ops.arrays.filter import combine, compare, invert
from ptxgen.ops.arrays.gather import gather

KINDS = [np.uint8, np.uint16, np.uint32, np.int32, np.float32, np.uint64, np.int64, np.float64]
OPS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", OPS)
def test_columns_compare_as_in_numpy(dev, kind, op):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 3, 300).astype(kind) for _ in range(2))
    mask = dev.empty(300, u8)
    for other, given in ((b, dev.array(b)), (1, 1)):
        compare(dev.array(a), op, given, mask)
        assert np.array_equal(mask.numpy(), OPS[op](a, other))


def test_a_nan_is_unequal_to_everything(dev):
    x = dev.array(np.array([np.nan, 1.0], np.float32))
    mask = dev.empty(2, u8)
    assert [(compare(x, op, x, mask), mask.numpy().tolist())[1] for op in ("eq", "ne", "ge")] == [
        [0, 1],
        [1, 0],
        [0, 1],
    ]


def test_masks_combine_in_place(dev):
    a, b = (np.array(bits, np.uint8) for bits in ([0, 0, 1, 1], [0, 1, 0, 7]))
    for op, expected in {"and": [0, 0, 0, 1], "or": [0, 1, 1, 1], "xor": [0, 1, 1, 0], "andnot": [0, 0, 1, 0]}.items():
        left = dev.array(a)
        combine(left, op, dev.array(b), left)
        assert left.numpy().tolist() == expected
    mask = dev.array(b)
    invert(mask, mask)
    assert mask.numpy().tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("n", [0, 1, 100, 10_000])
def test_columns_are_compacted_by_a_query(dev, n):
    """select c, a from ... where 10 <= a and (a < b or c == 3)"""
    rng = np.random.default_rng(n)
    a, b = (rng.integers(-50, 50, n).astype(np.int32) for _ in range(2))
    c = rng.integers(0, 5, n).astype(np.uint8)
    columns = [dev.array(x) for x in (a, b, c)]
    mask, more = dev.empty(n, u8), dev.empty(n, u8)
    outs = [dev.zeros(n, u8), dev.zeros(n, s32)]
    with Filter(dev, n) as rows:
        with dev.capture() as graph:  # nothing in it waits
            compare(columns[0], "lt", columns[1], mask)
            compare(columns[2], "eq", 3, more)
            combine(mask, "or", more, mask)
            compare(columns[0], "ge", 10, more)
            combine(mask, "and", more, mask)
            rows(mask, [columns[2], columns[0]], outs)
        graph.launch()
        holds = ((a < b) | (c == 3)) & (a >= 10)
        count = rows.count()
        assert count == holds.sum()
        assert np.array_equal(rows.rows[:count].numpy(), np.nonzero(holds)[0])
        assert np.array_equal(outs[0][:count].numpy(), c[holds])
        assert np.array_equal(outs[1][:count].numpy(), a[holds])
        graph.close()


@pytest.mark.parametrize("op, holds", [("lt", np.less), ("ge", np.greater_equal), ("ne", np.not_equal)])
@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", "f2"])
def test_places_and_masks_of_small_types(dev, kind, op, holds):
    values = np.random.default_rng(6).integers(0 if kind[0] == "u" else -9, 9, 999).astype(kind)
    column, mask, places = dev.array(values), dev.empty(999, u8), dev.empty(999, u32)
    compare(column, op, 3, mask)
    with Select(dev, getattr(px, column.type.name), 999, op=op) as select:
        select(column, places, 3)
        assert np.array_equal(places[: select.count()].numpy(), np.nonzero(holds(values, 3))[0])
    assert np.array_equal(mask.numpy(), holds(values, 3))


@pytest.mark.parametrize("kind", KINDS)
def test_gather_moves_bits_and_fills_where_there_is_no_row(dev, kind):
    column = np.arange(10).astype(kind)
    rows = np.array([3, 0xFFFFFFFF, 9, 3], np.uint32)
    out = dev.empty(4, dev.array(column).type)
    gather(dev.array(rows), dev.array(column), out)
    assert out.numpy().tolist() == [3, 0, 9, 3]
    gather(dev.array(rows), dev.array(column), out, fill=column[7])
    assert out.numpy().tolist() == [3, 7, 9, 3]


@pytest.mark.parametrize(
    "element, fill, bits",
    [
        (f32, 1.5, 0x3FC00000), (f32, float("nan"), 0x7FC00000), (f32, -0.0, 0x80000000), (f32, 3, 0x40400000),
        (px.f64, -1.5, 0xBFF8 << 48), (px.f16, -2, 0xC000), (px.bf16, 1.5, 0x3FC0), (px.e4m3, 1.0, 0x38), (px.s8, -1, 0xFF),
        (px.s16, -2, 0xFFFE), (px.s32, -1, 0xFFFFFFFF), (px.s64, np.int64(-1), (1 << 64) - 1), (u16, 65535, 65535),
        (px.b32, 0xFFC00000, 0xFFC00000),
    ],
)  # fmt: skip
def test_a_fill_is_a_number_of_the_columns_type(dev, element, fill, bits):
    rows, column, out = dev.array(np.array([0xFFFFFFFF], np.uint32)), dev.zeros(1, element), dev.zeros(1, element)
    for each in (0, fill):  # -0.0 is equal to 0
        gather(rows, column, out, fill=each)
    assert int.from_bytes(out.bytes(), "little") == bits


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: compare(d.zeros(3, u32), "like", 1, d.zeros(3, u8)), "no comparison 'like'"),
        (lambda d: compare(d.zeros(3, u32), "eq", 1.5, d.zeros(3, u8)), "b is 1.5, expected an integer"),
        (lambda d: compare(d.zeros(3, u32), "eq", d.zeros(3, f32), d.zeros(3, u8)), "expected .u32"),
        (lambda d: compare(d.zeros(3, u32), "eq", 1, d.zeros(2, u8)), "at least 3"),
        (lambda d: compare([1], "eq", 1, d.zeros(2, u8)), "a is [1]"),
        (lambda d: combine(d.zeros(3, u8), "nand", d.zeros(3, u8), d.zeros(3, u8)), "no combination 'nand'"),
        (lambda d: gather(d.zeros(3, u32), d.zeros(3, u16), d.zeros(3, u8)), "an array of .u8"),
        (lambda d: gather(d.zeros(3, u32), d.zeros(3, u8), d.zeros(2, u8)), "at least 3"),
        (lambda d: gather(d.zeros(3, u32), [1], d.zeros(3, u8)), "column is [1]"),
        (lambda d: gather(d.zeros(3, u32), d.zeros(3, u8), d.zeros(3, u8), fill=-1), "fill is -1, which .u8 cannot be"),
        (lambda d: gather(d.zeros(3, u32), d.zeros(3, u8), d.zeros(3, u8), fill=1.5), "expected an integer for .u8"),
        (
            lambda d: gather(d.zeros(3, u32), d.zeros(3, f32), d.zeros(3, f32), fill="x"),
            "fill is 'x', expected a number",
        ),
        (lambda d: gather(d.zeros(3, u32), d.zeros(3, px.f16), d.zeros(3, px.f16), fill=1e9), "too large for .f16"),
        (lambda d: compare(d.zeros(3, f32), "eq", 10**400, d.zeros(3, u8)), "b is an integer of 1329 bits, too large"),
        (lambda d: Filter(d, 3)(d.zeros(3, u8), [d.zeros(3, u8)], []), "1 columns go into 0 arrays"),
        (
            lambda d: Filter(d, 3)(d.zeros(3, u8), [d.zeros(2, u8)], [d.zeros(3, u8)]),
            "the columns have 2 rows, the mask 3",
        ),
        (lambda d: Filter(d, 2)(d.zeros(3, u8), [], []), "at most 2"),
        (lambda d: Filter(d, 1 << 32), "0 to 4293918720"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda d: compare(d.zeros(3, u32), "eq", 1, d.zeros(3, u8)),
        lambda d: combine(d.zeros(3, u8), "and", d.zeros(3, u8), d.zeros(3, u8)),
        lambda d: invert(d.zeros(3, u8), d.zeros(3, u8)),
        lambda d: gather(d.zeros(3, u32), d.zeros(3, u8), d.zeros(3, u8)),
    ],
    ids=["compare", "combine", "invert", "gather"],
)
def test_more_rows_than_a_grid_can_step_over_are_refused(dev, monkeypatch, call):
    """A thread's next row would be counted past 2^32 and begin again; here, 2 stands for the most."""
    monkeypatch.setattr(arguments, "MOST_ROWS", 2)
    with pytest.raises(BuildError, match="3 elements, this operation was made for at most 2"):
        call(dev)
