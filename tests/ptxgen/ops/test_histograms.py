"""Histograms of values and of bins between edges, beside numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ptxgen import f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import binning
from ptxgen.kernels.arrays.edge_grid import cells_of
from ptxgen.ops import Histogram, bincount, empty_cache, histogram
from tests.ptxgen.ops.frameworks import Interface, let_in

NUMPY = {
    u8: "u1", s8: "i1", u16: "u2", s16: "i2", u32: "u4", s32: "i4", u64: "u8", s64: "i8", f16: "f2", f32: "f4", f64: "f8",
}  # fmt: skip
ELEMENTS = pytest.mark.parametrize("element", NUMPY, ids=NUMPY.values())


@pytest.fixture(autouse=True, scope="module")
def cache_is_empty():
    yield
    empty_cache()


def drawn(kind, n, seed=0):
    """Numbers around 0, or above; of floats some are NaN, infinite and -0.0."""
    rng = np.random.default_rng(seed)
    if np.dtype(kind).kind == "f":
        values = (rng.standard_normal(n) * 20).astype(kind)
        values[rng.random(n) < 0.1] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 30, -30])
        return values
    info = np.iinfo(kind)
    return rng.integers(max(info.min, -100), min(info.max, 100) + 1, n).astype(kind)


def finite(x):
    return x[np.isfinite(x)] if x.dtype.kind == "f" else x


@ELEMENTS
@pytest.mark.parametrize(
    "bins, extent", [(10, (-30, 30)), (1, (0, 0)), (7, (-0.3, 99.7)), (255, (3, 90)), (1000, (-50.5, 1e4))]
)
def test_even_bins_are_numpys(dev, element, bins, extent):
    x = drawn(NUMPY[element], 3000)
    counts, edges = histogram(dev.array(x), bins, extent)
    expected, theirs = np.histogram(
        x, bins, tuple(np.float64(each) for each in extent) if x.dtype != np.float16 else extent
    )
    if x.dtype in (np.float16, np.float32):
        expected, theirs = np.histogram(x, bins, extent)
    assert np.array_equal(edges.numpy(), theirs.astype(edges.numpy().dtype))
    assert np.array_equal(counts.numpy(), expected)


@ELEMENTS
def test_the_elements_own_range(dev, element):
    """numpy computes edges of f16 and f32 in that type, so that their last bits differ; the counts are those of our edges."""
    for n in (0, 1, 500):
        x = finite(drawn(NUMPY[element], n, 3))
        for bins in (1, 10, 333):
            counts, edges = histogram(dev.array(x), bins)
            narrow = element in (f16, f32)
            np.testing.assert_allclose(
                edges.numpy(), np.linspace(*ends(x), bins + 1), rtol=0, atol=0.05 if narrow else 1e-9
            )
            expected = np.histogram(x, edges.numpy() if narrow else bins)[0]
            assert np.array_equal(counts.numpy(), expected)
            assert counts.numpy().sum() == len(x)


def ends(x):
    """A range as numpy finds it."""
    low, high = (float(x.min()), float(x.max())) if len(x) else (0.0, 1.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


@ELEMENTS
@pytest.mark.parametrize("edges", [[0, 1], [-5.5, 0, 0, 0.1, 7, 7, 200], [-1e30, 3.7, 1e30], [-100, -50, -49.999, 100]])
def test_ranges_are_numpys(dev, element, edges):
    x = drawn(NUMPY[element], 2000, 1)
    if element in (u64, s64):
        edges = [each for each in edges if abs(each) < 1e9] + [1e30 if edges[-1] == 1e30 else 1000]
    counts, _ = histogram(dev.array(x), edges)
    assert np.array_equal(counts.numpy(), np.histogram(x, np.array(edges, float))[0])


GRIDS = {
    "linear": [-30, -29.5, 0, 0, 0.25, 1, 30], "logarithmic": np.geomspace(1e-3, 1e3, 40).tolist(),
    "infinite": [-np.inf, -1, 0.5, 7, np.inf], "alike": [3, 3], "two": [-5, 40], "wide": [-1e38, 0, 1e38],
}  # fmt: skip


@pytest.mark.parametrize("edges", GRIDS.values(), ids=GRIDS)
@pytest.mark.parametrize("element", [f16, f32, f64, s8, s32, u64])
def test_a_grid_finds_the_same_bins(dev, element, edges, monkeypatch):
    """Of many elements; here few are many."""
    x = np.abs(drawn(NUMPY[element], 3000, 2)) if element is u64 else drawn(NUMPY[element], 3000, 2)
    if element is u64:
        edges = np.clip(edges, 0, 1e18).tolist()
    on, counts = dev.array(x), []
    for many in (1, 1 << 60):
        monkeypatch.setattr(binning, "MANY", many)
        with Histogram.ranges(dev, element, edges) as ranges:
            ranges(on)
            counts.append(ranges.counts.numpy())
    assert np.array_equal(*counts)


def test_cells_are_those_in_which_edges_crowd_least():
    assert cells_of(np.linspace(-7, 9, 100).tolist(), f32).kind == "linear"
    assert cells_of(np.geomspace(1e-6, 1e6, 100).tolist(), f32).kind == "logarithmic"
    assert cells_of([-np.inf, 5, np.inf], f64).kind == ""


@pytest.mark.parametrize("element", [u8, s8, u16, s32, u32, s64, u64])
def test_the_ends_of_types(dev, element):
    """Every value from end to end, or those at both ends; edges beyond them."""
    info = np.iinfo(NUMPY[element])
    x = np.array([info.min, info.min, info.min + 1, info.max - 1, info.max, info.max], NUMPY[element])
    for edges in (
        [info.min, info.min + 1, info.max],
        [info.min - 0.5, 0.5, float(info.max) * 4],
        [-math.inf, 1, math.inf],
    ):
        with Histogram.ranges(dev, element, edges) as counted:
            counted(dev.array(x))
            low, high = [int((x < each).sum()) for each in edges[:-1]], len(x)
            assert counted.counts.numpy().tolist() == np.diff([*low, high]).tolist()


@pytest.mark.parametrize("kind", [np.uint64, np.int64])
def test_all_elements_lie_in_their_own_range_though_edges_round(dev, kind):
    x = np.array([2**62 + 255, 2**62 + 257, 2**60 + 1, 2**60 + 127, 6675426607891946679], kind)
    for bins in (1, 3, 1000):
        counts, edges = histogram(dev.array(x), bins)
        assert counts.numpy().sum() == len(x)
        np.testing.assert_allclose(edges.numpy(), np.histogram(x, bins)[1], rtol=1e-15)


def test_a_last_edge_that_is_open(dev):
    x = dev.array(np.array([0, 1, 2, 3, 3, 4], np.float32))
    for closed, last in ((True, 3), (False, 1)):
        with Histogram.ranges(dev, f32, [0, 2, 3], closed=closed) as counted:
            counted(x)
            assert counted.counts.numpy().tolist() == [2, last]
        with Histogram.even(dev, f32, 3, 0, 3, closed=closed) as counted:
            counted(x)
            assert counted.counts.numpy().tolist() == [1, 1, last]


@pytest.mark.parametrize("bins", [60_000, 300_000])
@pytest.mark.parametrize("element", [u16, u32, f32])
def test_more_bins_than_shared_memory_holds(dev, element, bins):
    if element is u16:
        bins = min(bins, 65_536)
    x = np.random.default_rng(0).integers(0, min(bins + 99, 65_536), 5000).astype(NUMPY[element])
    if element is f32:
        counts, _ = histogram(dev.array(x), bins, (0, bins))
        assert np.array_equal(counts.numpy(), np.histogram(x, bins, (0, bins))[0])
    else:
        with Histogram(dev, element, bins) as counted:
            counted(dev.array(x))
            counted.add(dev.array(x[:100]))
            expected = np.bincount(x, minlength=bins)[:bins] + np.bincount(x[:100], minlength=bins)[:bins]
            assert np.array_equal(counted.counts.numpy(), expected)


@pytest.mark.parametrize("channels, active", [(4, 3), (3, 3), (2, 1)])
def test_channels(dev, channels, active):
    pixels = np.random.default_rng(0).integers(0, 256, (700, channels), np.uint8)
    x = dev.array(pixels)
    with Histogram(dev, u8, 256, channels=channels, active=active) as values:
        values(x)
        expected = [np.bincount(pixels[:, c], minlength=256) for c in range(active)]
        assert np.array_equal(values.counts.numpy(), expected)
    with Histogram.even(dev, u8, 10, 0, 255, channels=channels, active=active) as even:
        even(x)
        even.add(x)
        expected = [2 * np.histogram(pixels[:, c], 10, (0, 255))[0] for c in range(active)]
        assert np.array_equal(even.counts.numpy(), expected)


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "i4"])
def test_bincount(dev, kind, monkeypatch):
    x = np.random.default_rng(0).integers(0, 90, 400).astype(kind)
    for given, least in ((x, 0), (x, 200), (x[:0], 0), (x[:0], 5)):
        assert np.array_equal(bincount(dev.array(given), least).numpy(), np.bincount(given, minlength=least))
    let_in(monkeypatch, dev)
    assert np.array_equal(bincount(Interface(dev.array(x))).numpy(), np.bincount(x))


def test_edges_are_not_taken_for_the_ends_of_a_range(dev):
    x = dev.array(np.array([1.5, 2.5, 2.6], np.float32))
    for bins, extent, expected in ((1, (2, 3), [2]), ([1, 2, 3], None, [1, 2]), (1, None, [3]), (1, (2, 3), [2])):
        assert histogram(x, bins, extent)[0].numpy().tolist() == expected


def test_a_histogram_is_captured(dev):
    x = dev.array(np.arange(100, dtype=np.float32))
    with dev.capture() as graph:
        counts, _ = histogram(x, 4, (0, 100))
        with pytest.raises(BuildError, match="histogram without a range waits for the size of its result"):
            histogram(x)
    for scale in (1, 2):
        x.copy_from(np.arange(100, dtype=np.float32) / scale)
        graph.launch()
        assert np.array_equal(counts.numpy(), np.histogram(np.arange(100) / scale, 4, (0, 100))[0])
    graph.close()


def test_more_bins_than_a_byte_has_values(dev):
    x = np.arange(700, dtype=np.uint8)
    assert np.array_equal(bincount(dev.array(x), 1000).numpy(), np.bincount(x, minlength=1000))
    with Histogram(dev, u8, 300) as counted:
        counted(dev.array(x))
        assert np.array_equal(counted.counts.numpy(), np.bincount(x, minlength=300))


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: histogram(d.zeros(3, f32), 0), "bins is 0\n  Fix: 1 or more"),
        (lambda d: histogram(d.zeros(3, f32), 4, (3, 1)), "4 bins from 3 to 1"),
        (lambda d: histogram(d.zeros(3, f32), 4, (0, math.inf)), "4 bins from 0 to inf"),
        (lambda d: histogram(d.zeros(3, f16), 4, (0, 1e6)), "numbers that .f16 has"),
        (lambda d: histogram(d.zeros(3, f32), [1, 3, 2]), "edge 2 is 2.0, behind 3.0\n  Fix: ascending edges"),
        (lambda d: histogram(d.zeros(3, f32), [1, math.nan]), "edge 1 is nan"),
        (lambda d: histogram(d.zeros(3, f32), [1]), "1 edges\n  Fix: two or more"),
        (lambda d: Histogram.ranges(d, u64, [0, 1 << 65, 1 << 66]), "for .u64\n  Fix: edges from 0 to"),
        (lambda d: Histogram(d, u8, 9, channels=3)(d.zeros(10, u8)), "x has 10 elements of 3 channels"),
        (lambda d: Histogram(d, u8, 9, channels=3, active=4), "active is 4\n  Fix: 1 to 3"),
        (lambda d: bincount(d.array(np.array([3, -1], np.int32))), "x has numbers below 0"),
        (lambda d: bincount(d.zeros(3, f32)), "no bincount of .f32"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
