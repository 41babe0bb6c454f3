"""The largest elements of rows and samples of those: any length and order, equals, NaN, parts of rows, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, s64
from ptxgen.kernels.rows import nucleus
from ptxgen.kernels.rows.largest import scores_of
from ptxgen.kernels.rows.nucleus import kept
from ptxgen.kernels.rows.topk import order_of, plan, split
from ptxgen.ops import sample, topk


def check(x, k, largest=True):
    values, indices = topk(x, k, largest=largest)
    exact = x.numpy()
    places = order_of(exact, k, largest)
    assert np.array_equal(indices.numpy(), places)
    expected = np.take_along_axis(exact, places, axis=-1)
    assert np.array_equal(values.numpy(), expected, equal_nan=True)
    assert np.array_equal(np.signbit(values.numpy()), np.signbit(expected))


@pytest.mark.parametrize(
    "columns, k, element",
    [
        (1, 1, f32),
        (7, 7, f32),
        (1000, 17, f32),
        (1024, 60, bf16),
        (4096, 2048, f16),
        (4097, 2048, f32),
        (16_384, 1024, f32),
        (9000, 1100, bf16),
        (20_011, 5, bf16),
    ],
)
def test_rows_of_any_length(dev, columns, k, element):
    x = np.random.default_rng(columns).standard_normal((2, columns)).astype(np.float32)
    check(dev.array(x, element), k)
    check(dev.array(x, element), k, largest=False)


@pytest.mark.parametrize("k", [1, 100, 2048])
@pytest.mark.parametrize("kind", ["equal", "two", "rising", "falling", "zeros", "nan", "infinities", "crowd"])
def test_orders_that_no_bound_suits(dev, kind, k):
    columns = 5000
    places = np.arange(columns)
    x = {
        "equal": np.full(columns, 3.5),
        "two": np.where(places % 3 == 0, 1.0, -1.0),
        "rising": places / 7,
        "falling": -places / 7,
        "zeros": np.where(places % 2 == 0, -0.0, 0.0),
        "nan": np.full(columns, np.nan),
        "infinities": np.where(places % 7 == 0, np.inf, np.where(places % 5 == 0, -np.inf, np.nan)),
        "crowd": 1 + places[::-1] * 1e-6,
    }[kind]
    for largest in (True, False):
        check(dev.array(x[None].astype(np.float32)), k, largest)


def test_any_rank_and_rows_at_a_distance(dev):
    x = np.random.default_rng(0).standard_normal((2, 3, 40)).astype(np.float32)
    check(dev.array(x, f16), 3)
    check(dev.array(x[0, 0]), 40)
    values, indices = dev.zeros((2, 5), f32), dev.zeros((2, 5), s64)
    plan(2, 30, 5, dev.array(x), values, indices, step=120).launch()
    assert np.array_equal(indices.numpy(), order_of(x[:, 0, :30], 5))
    values, indices = topk(dev.zeros((0, 9), f32), 2)
    assert values.shape == indices.shape == (0, 2)


def test_parts_of_few_rows_and_of_long_ones(dev):
    assert split(1, 1 << 18, 100, 4, processors=16).parts == 16
    assert split(1000, 1 << 18, 2048, 4).parts == 1
    assert split(1, 5000, 3000 // 2, 1).parts == 1
    x = np.random.default_rng(3).integers(-40, 40, (2, 70_001)).astype(np.float32)
    assert topk(dev.array(x), 200, explain=True).count("then") == 1
    check(dev.array(x), 200)
    assert ("topk_cluster" in topk(dev.array(x), 900, explain=True)) == (dev.target == "sm_90a")
    check(dev.array(x), 900)
    check(dev.array(x[:1]), 2000, largest=False)


def test_places_of_more_than_16_bits(dev):
    x = np.random.default_rng(4).standard_normal((1, 66_000)).astype(np.float32).round(1)
    array = dev.array(x, bf16)
    values, places = dev.empty((1, 900), bf16), dev.empty((1, 900), s64)
    plan(1, x.shape[1], 900, array, values, places, element=bf16, parts=1).launch()
    assert np.array_equal(places.numpy(), order_of(array.numpy(), 900))


def test_given_results_and_graphs(dev):
    x = dev.array(np.random.default_rng(5).standard_normal((3, 33_000)).astype(np.float32))
    values, indices = dev.zeros((3, 9), f32), dev.zeros((3, 9), s64)
    for _ in range(2):
        found = topk(x, 9, values, indices)
    assert found == (values, indices)
    with dev.capture() as graph:
        topk(x, 9, values, indices)
    indices.fill(0)
    graph.launch()
    dev.synchronize()
    assert np.array_equal(indices.numpy(), order_of(x.numpy(), 9))


def test_what_topk_refuses(dev):
    x = dev.zeros((4, 8), f32)
    for k in (0, 9, -1):
        with pytest.raises(px.BuildError, match=rf"k is {k}(.|\n)*1 to 8"):
            topk(x, k)
    with pytest.raises(px.BuildError, match="k is 2049"):
        topk(dev.zeros((1, 5000), f32), 2049)
    with pytest.raises(px.BuildError, match=r"topk of \.s64"):
        topk(dev.zeros((4, 8), s64), 1)
    with pytest.raises(px.BuildError, match=r"values is .f32 of \(4, 3\)(.|\n)*\(4, 2\)"):
        topk(x, 2, dev.zeros((4, 3), f32))
    with pytest.raises(px.BuildError, match=r"values of shape .* overlaps x"):
        topk(x, 8, x)


@pytest.mark.parametrize("top_k, top_p", [(3, 1.0), (None, 0.5), (50, 0.9), (1, 0.1), (None, 1e-9), (10_000, 0.999)])
@pytest.mark.parametrize("element", [f32, bf16])
def test_samples_of_the_likely_ones(dev, top_k, top_p, element):
    x = np.random.default_rng(8).standard_normal((40, 301)).astype(np.float32) * 3
    on = dev.array(x, element)
    values = dev.empty(40, element)
    found = sample(on, 11, temperature=1.5, top_k=top_k, top_p=top_p, offset=2, values=values).numpy()
    exact = on.numpy()
    stays = kept(exact, 1.5, min(top_k or 301, 301), top_p, margin=16)
    assert np.array_equal(found, np.where(stays, scores_of(exact, 1.5, 11, 2), -np.inf).argmax(axis=1))
    assert np.array_equal(values.numpy(), exact[np.arange(40), found])


def test_long_rows_of_samples(dev):
    """Sums of weights times a share that 64 bits do not hold."""
    x = np.random.default_rng(2).uniform(-2, 2, (3, 8191)).astype(np.float32)
    found = sample(dev.array(x), 5, temperature=4.0, top_p=0.3).numpy()
    stays = kept(x, 4.0, 8191, 0.3)
    assert 1500 < stays[0].sum() < 3000
    assert np.array_equal(found, np.where(stays, scores_of(x, 4.0, 5, 0), -np.inf).argmax(axis=1))


@pytest.mark.parametrize("element", [f32, f16])
@pytest.mark.parametrize("top_k, top_p, columns", [(1, 1.0, 50), (40, 0.9, 700), (64, 0.5, 9000), (700, 0.97, 1500)])
def test_a_short_list_gives_what_the_whole_row_gives(dev, top_k, top_p, columns, element):
    """To the bit, of rows with equals, NaN, infinities and both zeros, for one seed and offset after the other."""
    rng = np.random.default_rng(columns)
    x = rng.standard_normal((12, columns)).astype(np.float32) * 2
    x[1:4] = np.round(x[1:4])
    x[2, rng.integers(0, columns, 9)] = -0.0
    x[4, columns // 2] = np.nan
    x[5, columns // 3 :: 7] = np.inf
    x[6, 3:] = -np.inf
    x[7] = -np.inf
    x[8] = 0
    x[9] = np.round(x[9] * 4000)
    x[10] = np.sort(x[10])
    on = dev.array(x, element)
    out, whole = dev.zeros(12, s64), dev.zeros(12, s64)
    values, others = dev.zeros(12, element), dev.zeros(12, element)
    given = {"temperature": 0.8, "top_k": top_k, "top_p": top_p}
    for seed, offset in ((1, 0), (1, 1 << 40), ((1 << 64) - 1, 3)):
        sample(on, seed, out, **given, offset=offset, values=values)
        nucleus.plan(12, columns, on, whole, others, element=element, **given, seed=seed, offset=offset).launch()
        assert np.array_equal(out.numpy(), whole.numpy())
        assert np.array_equal(values.numpy().view(np.uint8), others.numpy().view(np.uint8))


def test_short_lists_of_rows_in_parts_and_in_graphs(dev):
    x = np.random.default_rng(2).standard_normal((2, 40_000)).astype(np.float32)
    on, out = dev.array(x), dev.zeros(2, s64)
    assert sample(on, 4, top_k=30, explain=True).count("then") == 2
    with dev.capture() as graph:
        sample(on, 4, out, top_k=30, top_p=0.8)
    graph.launch()
    dev.synchronize()
    stays = kept(x, 1.0, 30, 0.8, margin=16)
    assert np.array_equal(out.numpy(), np.where(stays, scores_of(x, 1.0, 4, 0), -np.inf).argmax(axis=1))
    assert np.array_equal(sample(on, 4, top_k=30, top_p=0.8).numpy(), out.numpy())


def test_what_stays_is_the_same_noise_s_choice(dev):
    x = dev.array(np.random.default_rng(9).standard_normal((64, 33)).astype(np.float32))
    plain = sample(x, 5).numpy()
    assert np.array_equal(sample(x, 5, top_k=33).numpy(), plain)
    assert np.array_equal(sample(x, 5, top_k=32, top_p=1.0).numpy() == plain, plain != x.numpy().argmin(axis=1))


def test_equals_and_special_numbers_in_samples(dev):
    """Of equals the first stay; a row of -inf alone has its first; +inf and NaN are taken."""
    equal = np.zeros((200, 10), np.float32)
    assert set(sample(dev.array(equal), 1, top_k=3).numpy()) == {0, 1, 2}
    assert set(sample(dev.array(equal), 1, top_p=0.4).numpy()) == {0, 1, 2, 3}
    inf, nan = np.inf, np.nan
    x = np.float32([[-inf] * 4, [0, 1, inf, inf], [0, nan, inf, nan], [-inf, 0, -inf, -inf], [-1e30, 1e30, 0, 0]])
    for options in ({"top_k": 2}, {"top_p": 0.7}, {"top_k": 3, "top_p": 0.9}):
        assert sample(dev.array(x), 3, **options).numpy().tolist() == [0, 2, 1, 1, 1]
    assert sample(dev.zeros((0, 5), f32), 1, top_k=2).shape == (0,)


def test_what_samples_refuse(dev):
    x = dev.zeros((2, 8), f32)
    for top_p in (0, 1.5, float("nan")):
        with pytest.raises(px.BuildError, match=f"top_p={top_p}"):
            sample(x, 1, top_p=top_p)
    with pytest.raises(px.BuildError, match=r"top_k is 0(.|\n)*1 or more"):
        sample(x, 1, top_k=0)
    with pytest.raises(px.BuildError, match=r"rows of 1048577(.|\n)*up to 1048576"):
        sample(dev.zeros((1, (1 << 20) + 1), f32), 1, top_p=0.5)
