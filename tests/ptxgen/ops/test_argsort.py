"""The order of rows of one column or several, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u8, u32
from ptxgen.errors import BuildError
from ptxgen.ops import ArgSort

KINDS = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]


def drawn(rng, n, kind):
    """Values of which many are equal."""
    return (rng.integers(-5, 6, n) if np.dtype(kind).kind != "u" else rng.integers(0, 11, n)).astype(kind)


def order_of(columns, descending):
    """numpy's stable order, of ranks that are negated where a column descends."""
    ranks = [np.unique(column, return_inverse=True)[1] for column in columns]
    return np.lexsort([-rank if down else rank for rank, down in zip(ranks, descending)][::-1])


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column(dev, kind, descending):
    rng = np.random.default_rng(1)
    most = 7001
    with dev.array(drawn(rng, most, kind)) as column, ArgSort(dev, column, descending=descending) as argsort:
        for n in (0, 1, 33, most):
            values = drawn(rng, n, kind)
            with dev.array(values) as x, dev.empty(n, u32) as out:
                argsort(x, out)
                assert np.array_equal(out.numpy(), order_of([values], [descending]))
                assert np.array_equal(x.numpy(), values)


@pytest.mark.parametrize(
    "kinds, descending",
    [
        (("u4", "f4"), (False, True)), (("i1", "i1"), (True, False)), (("f2", "u8", "i2"), (False, False, True)),
        (("u1", "u1", "u1", "u1"), (True, True, True, True)), (("i8", "u1", "f8", "u1", "u2"), (False, True, False, False, True)),
    ],
)  # fmt: skip
def test_rows_are_ordered_as_tuples_are(dev, kinds, descending):
    rng = np.random.default_rng(len(kinds))
    for n in (0, 1, 3001):
        columns = [drawn(rng, n, kind) for kind in kinds]
        given, out = [dev.array(column) for column in columns], dev.empty(n, u32)
        with ArgSort(dev, given, descending=descending) as argsort:
            argsort(given, out)
        assert np.array_equal(out.numpy(), order_of(columns, descending))


def test_an_order_is_captured(dev):
    rng = np.random.default_rng(3)
    given, out = [dev.zeros(500, px.s32), dev.zeros(500, u8)], dev.empty(500, u32)
    with ArgSort(dev, given, most=600, descending=[True, False]) as argsort:
        with dev.capture() as graph:
            argsort(given, out)
        for _ in range(2):
            columns = [drawn(rng, 500, "i4"), drawn(rng, 500, "u1")]
            for array, column in zip(given, columns):
                array.copy_from(column)
            graph.launch()
            assert np.array_equal(out.numpy(), order_of(columns, [True, False]))
        graph.close()


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d, a: ArgSort(d, []), "a table without columns"),
        (lambda d, a: ArgSort(d, d.zeros(3, px.bf16)), "column 0 of a table is"),
        (lambda d, a: ArgSort(d, d.zeros(3, u32), descending=[True, False]), "descending has 2 elements for 1 columns"),
        (lambda d, a: ArgSort(d, d.zeros(3, u32), most=1 << 30), "fewer than"),
        (lambda d, a: ArgSort(d, d.zeros(3, u32), most=-1), "most is -1"),
        (lambda d, a: a(d.zeros(4, f32), d.zeros(4, u32)), "4 rows, this operation was made for at most 3"),
        (lambda d, a: a(d.zeros(3, u32), d.zeros(3, u32)), "columns of .u32, expected .f32"),
        (lambda d, a: a(d.zeros(3, f32), d.zeros(2, u32)), "out has 2 elements, expected at least 3"),
        (lambda d, a: a(d.zeros(3, f32), d.zeros(3, f32)), "out is an array of .f32, expected .u32"),
        (lambda d, a: a((x := d.zeros(3, u32)).view(f32), x), "out and column 0 share memory"),
        (lambda d, a: a([1.0], d.zeros(3, u32)), "column 0 of a table is 1.0"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with ArgSort(dev, dev.zeros(3, f32)) as argsort, pytest.raises(BuildError) as caught:
        wrong(dev, argsort)
    assert says in str(caught.value)
