"""Keys and values to their pages, rows of tables and sums of columns: other forms than the catalogue's, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, s32, s64, u32
from ptxgen.ops import cache_append, column_sums, rotary


def arrays(dev, order="NHD", element=bf16, queries=1):
    """Two sequences with room for 12 keys each, in pages of 4; 3 heads of queries, 2 of keys, of 64."""
    shape = (6, 4, 2, 64) if order == "NHD" else (6, 2, 4, 64)
    qkv = np.random.default_rng(1).standard_normal((2, queries, 7, 64)).astype(np.float32)
    table = np.array([[4, 0, 2], [1, 3, 5]], np.int32)
    pages = [dev.full(shape, 9, element) for _ in range(2)]
    return (dev.array(qkv, element), *pages, dev.array(table), dev.array(np.array([6, 1], np.int32)))


@pytest.mark.parametrize("order", ["NHD", "HND"])
def test_it_is_rotary_and_two_copies(dev, order):
    """Of sequence 0 the keys 4 and 5, of sequence 1 key 0 alone, since it has but one key."""
    qkv, keys, values, table, lengths = arrays(dev, order, queries=2)
    turns = np.arange(12)[:, None] * np.linspace(1, 0.01, 32)
    cos, sin = (dev.array(each.astype(np.float32)) for each in (np.cos(turns), np.sin(turns)))
    q = cache_append(qkv, keys, values, table, lengths, cos, sin, order=order)
    turned = rotary(qkv, cos, sin, dev.array(np.array([[4, 5], [0, 0]], np.int32))).numpy()
    assert np.array_equal(q.numpy(), turned[:, :, :3])
    found_keys, found_values = (each.numpy() for each in (keys, values))
    if order == "HND":
        found_keys, found_values = found_keys.swapaxes(1, 2), found_values.swapaxes(1, 2)
    places = {(0, 0): (0, 0), (0, 1): (0, 1), (1, 0): (1, 1)}  # (page, row): (sequence, query)
    for page in range(6):
        for row in range(4):
            token = places.get((page, row))
            assert np.array_equal(found_keys[page, row], np.full((2, 64), 9) if token is None else turned[token][3:5])
            exact = np.full((2, 64), 9) if token is None else qkv.numpy()[token][5:]
            assert np.array_equal(found_values[page, row], exact)


def test_a_graph_appends_where_the_lengths_say_when_it_is_launched(dev):
    given = arrays(dev, element=f16)
    out = dev.empty((2, 1, 3, 64), f16)
    cache_append(*given, out=out)
    with dev.capture() as graph:
        cache_append(*given, out=out)
    given[1].fill(0)
    for lengths in ([2, 3], [13, 12]):  # one is beyond its pages
        given[4].copy_from(np.array(lengths, np.int32))
        graph.launch()
    written = (given[1].numpy() != 0).all(axis=(2, 3))
    assert np.argwhere(written).tolist() == [[1, 2], [4, 1], [5, 3]]
    assert np.array_equal(out.numpy(), given[0].numpy()[:, :, :3])


def test_infinities_and_nan_are_moved_as_they_are(dev):
    qkv, *rest = arrays(dev)
    special = np.full((2, 1, 7, 64), np.inf, np.float32)
    special[1] = np.nan
    qkv.copy_from(special)
    ones = dev.full((12, 32), 1, f32)
    cache_append(qkv, *rest, ones, dev.zeros((12, 32), f32))
    values = rest[1].numpy()
    assert np.isposinf(values[0, 1]).all()
    assert np.isnan(values[1, 0]).all()


@pytest.mark.parametrize(
    "changed, said",
    [
        ({0: ((2, 1, 4, 64), bf16)}, r"qkv \(2, 1, 4, 64\)"),
        ({0: ((2, 1, 7, 64), f32)}, r"qkv is .f32(.|\n)*all of bf16, or all of f16"),
        ({1: ((6, 4, 2, 64), f16)}, r"keys is .f16"),
        ({2: ((5, 4, 2, 64), bf16)}, r"values \(5, 4, 2, 64\)"),
        ({3: ((2, 3), s64)}, r"table is .s64(.|\n)*u32 or s32"),
        ({4: ((3,), s32)}, r"lengths \(3,\)"),
        ({5: ((11, 32), f32)}, r"cos is .f32 of \(11, 32\)(.|\n)*12 or more"),
        ({6: None}, "cos without sin"),
        ({7: ((2, 1, 3, 32), bf16)}, r"out is .bf16 of \(2, 1, 3, 32\)"),
    ],
)
def test_what_does_not_go_together_is_refused(dev, changed, said):
    known = [
        ((2, 1, 7, 64), bf16), *[((6, 4, 2, 64), bf16)] * 2, ((2, 3), u32), ((2,), s32), *[((12, 32), f32)] * 2,
        ((2, 1, 3, 64), bf16),
    ]  # fmt: skip
    given = [changed.get(place, each) for place, each in enumerate(known)]
    with pytest.raises(px.BuildError, match=said):
        cache_append(*(None if each is None else dev.zeros(*each) for each in given))


def test_an_overlap_and_an_order_are_refused(dev):
    qkv, keys, *rest = arrays(dev)
    with pytest.raises(px.BuildError, match="order 'DHN'"):
        cache_append(qkv, keys, *rest, order="DHN")
    with pytest.raises(px.BuildError, match=r"keys of shape(.|\n)*overlaps values"):
        cache_append(qkv, keys, keys, *rest[1:])


@pytest.mark.parametrize("element", [f32, f16])
def test_sums_of_columns(dev, element, nothing_is_left):
    x = np.random.default_rng(0).standard_normal((77, 40)).astype(np.float32)
    with dev.array(x, element) as given, column_sums(given) as sums:
        assert np.allclose(sums.numpy(), given.numpy().astype(np.float64).sum(axis=0), atol=1e-4)
        with pytest.raises(px.BuildError, match=r"x is .f32 of \(40,\)"):
            column_sums(sums)
        with (
            pytest.raises(px.BuildError, match=r"out is .f32 of \(40,\)(.|\n)*\(4,\)"),
            dev.zeros((3, 4), f32) as other,
        ):
            column_sums(other, sums)
