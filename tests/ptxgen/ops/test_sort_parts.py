"""Segmented and partial sorts, beside numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ptxgen import f32, s16, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays.radix_keys import random_keys, reference_order
from ptxgen.ops import PartialSort, SegmentedSort, Sort


def same_bits(array, expected):
    return np.array_equal(array.numpy().view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("element", [u32, f32, u64, s16])
def test_the_first_are_those_of_a_whole_sort(dev, element, descending):
    rng = np.random.default_rng(3)
    n = 9000
    with PartialSort(dev, element, n, 700, descending=descending, pairs=True) as sort:
        for size, mask in ((n, -1), (n, 0xFF00), (5000, 0), (300, -1), (0, -1)):
            keys = random_keys(rng, size, element)
            keys.view(f"u{element.isa.bytes}")[:] &= np.array(mask).astype(f"u{element.isa.bytes}")
            places = np.arange(size, dtype=np.uint32)
            out, moved = dev.empty(700, element), dev.empty(700, u32)
            sort(dev.array(keys, element), out, dev.array(places), moved)
            order = reference_order(keys, element, descending)[:700]
            assert same_bits(out[: len(order)], keys[order])
            assert np.array_equal(moved[: len(order)].numpy(), order)


@pytest.mark.parametrize("first", [0, 1, 5000])
def test_as_many_as_are_wanted(dev, first):
    keys = np.random.default_rng(first).integers(0, 50, 3000).astype(np.uint32)
    with PartialSort(dev, u32, 3000, first) as sort, dev.zeros(5000, u32) as out:
        sort(dev.array(keys), out)
        expected = np.zeros(5000, np.uint32)
        expected[: min(first, 3000)] = np.sort(keys)[:first]
        assert np.array_equal(out.numpy(), expected)


@pytest.mark.parametrize("element", [f32, u64])
def test_each_segment_is_sorted(dev, element):
    rng = np.random.default_rng(5)
    sizes = [0, 1, 7, 300, 0, 5000, 64, 2]
    offsets = np.concatenate([[3], 3 + np.cumsum(sizes)]).astype(np.uint32)
    n = int(offsets[-1]) + 4
    keys = random_keys(rng, n, element)
    zeros = np.zeros_like(keys)
    with SegmentedSort(dev, element, n, descending=True) as sort, dev.array(zeros, element) as out:
        sort(dev.array(keys, element), dev.array(offsets), out)
        for begin, end in itertools.pairwise(offsets):
            zeros[begin:end] = keys[begin:end][reference_order(keys[begin:end], element, True)]
        assert same_bits(out, zeros), "what is in no segment stays"


@pytest.mark.parametrize(
    "sizes",
    [
        [16] * 400 + [300, 5000, 9000],
        ([0, 1] * 4 + [15] * 8) * 150,
        [1000] * 6,
        [3000, 3000, 2, 4096, 5],
        [4097, 7, 12_000, 0, 20],
    ],
    ids=["short", "by turns", "hundreds", "middle", "long"],
)
def test_payloads_go_with_their_keys(dev, sizes):
    """Stably: of each kind of segment many keys are equal."""
    rng = np.random.default_rng(6)
    offsets = np.concatenate([[5], 5 + np.cumsum(sizes)]).astype(np.uint32)
    keys = rng.integers(0, 500, offsets[-1] + 3).astype(np.uint32)
    places = np.arange(len(keys), dtype=np.uint32)
    expected = np.zeros_like(places)
    for begin, end in itertools.pairwise(offsets):
        expected[begin:end] = begin + np.argsort(keys[begin:end], kind="stable")
    with SegmentedSort(dev, u32, len(keys), pairs=True) as sort:
        out, moved = dev.zeros(len(keys), u32), dev.zeros(len(keys), u32)
        for _ in range(2):
            sort(dev.array(keys), dev.array(offsets), out, dev.array(places), moved)
            assert np.array_equal(moved.numpy(), expected)
            assert np.array_equal(out.numpy()[5:-3], keys[expected[5:-3]])


def test_segments_that_share_keys_harm_nothing(dev):
    """There is no room for the lists of all of them."""
    offsets = np.array([0, 9000, 1, 9000, 2, 9000, 0, 4096, 1, 5000], np.uint32)
    keys = dev.array(np.arange(9000, dtype=np.uint32))
    with SegmentedSort(dev, u32, 9000, pairs=True) as sort, dev.zeros(9000, u32) as out, dev.zeros(9000, u32) as moved:
        sort(keys, dev.array(offsets), out, keys, moved)
        assert (out.numpy() < 9000).all()


def test_offsets_that_are_none(dev):
    """Beyond the keys, and going back."""
    with SegmentedSort(dev, u32, 5) as sort, dev.zeros(5, u32) as out:
        sort(dev.array(np.array([5, 4, 3, 2, 1], np.uint32)), dev.array(np.array([3, 1, 3, 900, 7], np.uint32)), out)
        assert out.numpy().tolist() == [0, 3, 4, 1, 2]
        sort(dev.zeros(5, u32), dev.zeros(1, u32), out)
        assert out.numpy().tolist() == [0, 3, 4, 1, 2], "no segments"


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda d: PartialSort(d, u32, 10, -1), "first is -1"),
        (lambda d: PartialSort(d, u32, 10, 5)(d.zeros(10, u32), d.zeros(4, u32)), "at least 5"),
        (lambda d: PartialSort(d, u32, 10, 5)(*[d.zeros(10, u32) for _ in range(4)]), "pairs=True"),
        (lambda d: Sort(d, u32, 10, pairs=True, payload=s16), "payloads of .s16\n  Fix: u32 or u64"),
        (lambda d: SegmentedSort(d, u32, 10)(d.zeros(10, u32), d.zeros(0, u32), d.zeros(10, u32)), "at least 1"),
        (lambda d: SegmentedSort(d, u32, 10)(d.zeros(11, u32), d.zeros(2, u32), d.zeros(11, u32)), "at most 10"),
        (lambda d: SegmentedSort(d, u32, 10)(*[d.zeros(10, u32) for _ in range(5)]), "pairs=True"),
    ],
)
def test_what_is_wrong_is_said(dev, call, message):
    with pytest.raises(BuildError, match=message):
        call(dev)
