"""Scan and sort of arrays of any length, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import prefix
from ptxgen.ops import Scan, Sort

NUMPY = {u32: "u4", s32: "i4", f32: "f4", u64: "u8", s64: "i8", f64: "f8"}
NARROW = {u8: "u1", s8: "i1", u16: "u2", s16: "i2", f16: "f2"}


def random(element, n, seed=0):
    """Any bits for integers, any finite sizes for floats."""
    rng = np.random.default_rng(seed)
    kind = np.dtype({**NUMPY, **NARROW}[element])
    if kind == np.float16:
        return rng.standard_normal(n).astype(kind)
    if kind.kind == "f":
        return (rng.standard_normal(n) * 10.0 ** rng.integers(-20, 20, n)).astype(kind)
    return rng.integers(0, 256, n * kind.itemsize, dtype=np.uint8).view(kind)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("element", {**NUMPY, **NARROW})
def test_sort_is_numpys_stable_sort(dev, element, descending):
    with Sort(dev, element, 20_000, descending=descending, pairs=True) as sort:
        for n in (0, 1, 6144, 20_000):
            keys = random(element, n)
            keys[: n // 2] = keys[n - n // 2 :]  # every key twice, so that stability shows
            arrays = [dev.array(keys, element), dev.empty(n, element)]
            arrays += [dev.array(np.arange(n, dtype=np.uint32)), dev.empty(n, u32)]
            sort(*arrays)
            ordered = np.argsort(keys[::-1], kind="stable")[::-1] if descending else np.argsort(keys, kind="stable")
            order = n - 1 - ordered if descending else ordered
            assert np.array_equal(arrays[1].numpy(), keys[order])
            assert np.array_equal(arrays[3].numpy(), order)
            assert np.array_equal(arrays[0].numpy(), keys), "the input stays"


def test_floats_sort_by_total_order(dev):
    """IEEE 754-2019 5.10: negative NaN, -inf, -0, 0, inf, NaN."""
    bits = np.array([0x7FC00000, 0x80000000, 0xFFC00000, 0x00000000, 0x7F800000, 0xFF800000], np.uint32)
    keys, out = dev.array(bits.view(np.float32)), dev.empty(6, f32)
    with Sort(dev, f32, 6) as sort:
        sort(keys, out)
    assert [hex(b) for b in out.numpy().view(np.uint32)] == [
        "0xffc00000", "0xff800000", "0x80000000", "0x0", "0x7f800000", "0x7fc00000",
    ]  # fmt: skip


@pytest.mark.parametrize("descending", [False, True])
def test_every_half_is_sorted_by_total_order(dev, descending):
    """All bit patterns, NaNs of both signs among them, and a last tile that is filled up."""
    bits = np.random.default_rng(5).permutation(1 << 16).astype(np.uint16)
    keys, out = dev.array(bits.view(np.float16)), dev.empty(1 << 16, f16)
    with Sort(dev, f16, 1 << 16, descending=descending) as sort:
        sort(keys, out)
    order = np.concatenate([np.arange(0xFFFF, 0x7FFF, -1), np.arange(0x8000)])
    assert np.array_equal(out.numpy().view(np.uint16), order[::-1] if descending else order)


def test_few_bits_need_few_passes(dev):
    keys = random(u32, 5000) & 0xFFF
    with Sort(dev, u32, 5000, bits=12) as sort:
        assert sort.passes == 2
        out = dev.empty(5000, u32)
        sort(dev.array(keys), out)
    assert np.array_equal(out.numpy(), np.sort(keys))


@pytest.mark.parametrize("mask", [0, 0xFF, 0xFF00FF00, 0x00FFFF00, 0xFF000000])
def test_passes_without_a_choice_are_left_out(dev, mask):
    """One pass or several move nothing: where the keys are then, and which states are clear, the device finds out."""
    with Sort(dev, u32, 12_000, pairs=True) as sort:
        for n in (12_000, 5000, 9000):  # one object, whose scratch memory is divided differently each time
            keys = random(u32, n, n) & np.uint32(mask)
            out, places = dev.empty(n, u32), dev.empty(n, u32)
            sort(dev.array(keys), out, dev.array(np.arange(n, dtype=np.uint32)), places)
            order = np.argsort(keys, kind="stable")
            assert np.array_equal(out.numpy(), keys[order])
            assert np.array_equal(places.numpy(), order)


def test_up_to_4096_keys_are_one_launch(dev):
    with Sort(dev, u32, 5000) as sort:
        for n, launches in ((4096, 1), (4097, 5)):
            x, y = dev.array(random(u32, n)), dev.empty(n, u32)
            sort(x, y)
            with dev.capture() as graph:
                sort(x, y)
            assert len(graph.nodes()) == launches
            graph.close()


def test_one_object_serves_many_calls_and_graphs(dev):
    """Scratch is cleared by each call, in a graph too."""
    with Sort(dev, u32, 9000) as sort, Scan(dev, u32, 9000) as scan:
        first, second = random(u32, 9000, 1), random(u32, 7000, 2)
        x, y, z = dev.array(first), dev.empty(9000, u32), dev.empty(9000, u32)
        sort(dev.array(second), y)
        assert np.array_equal(y[:7000].numpy(), np.sort(second))
        sort(x, y)
        scan(y, z)
        with dev.capture() as graph:
            sort(x, y)
            scan(y, z)
        for seed in (3, 4):
            data = random(u32, 9000, seed)
            x.copy_from(data)
            graph.launch()
            assert np.array_equal(z.numpy(), np.cumsum(np.sort(data), dtype=np.uint32))
        graph.close()


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("element", {**NUMPY, **NARROW})
def test_scan_is_numpys_cumsum(dev, element, exclusive):
    kind = np.dtype({**NUMPY, **NARROW}[element])
    with Scan(dev, element, 100_003, exclusive=exclusive) as scan:
        for n in (0, 1, 8191, 8192, 100_003):
            host = np.random.default_rng(n).integers(-8 if kind.kind != "u" else 0, 9, n).astype(kind)
            x, y = dev.array(host, element), dev.empty(n, element)
            scan(x, y)
            wide = np.float32 if element is f16 else kind
            total = np.cumsum(host, dtype=wide)
            assert np.array_equal(y.numpy(), (total - host if exclusive else total).astype(kind))


@pytest.mark.parametrize("op, reference", [("min", np.minimum), ("max", np.maximum)])
def test_scan_by_min_and_max(dev, op, reference):
    host = random(s32, 30_000)
    x, y = dev.array(host), dev.empty(30_000, s32)
    with Scan(dev, s32, 30_000, op=op) as scan:
        scan(x, y)
    assert np.array_equal(y.numpy(), reference.accumulate(host))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("op, reference", [("min", np.minimum), ("max", np.maximum)])
@pytest.mark.parametrize("element", NARROW)
def test_small_types_have_their_own_ends(dev, element, op, reference, exclusive):
    """Before the first element stands the type's largest or smallest value; any alignment will do."""
    host = random(element, 9001)
    x, y = dev.array(host), dev.zeros(9001, element)
    with Scan(dev, element, 9000, op=op, exclusive=exclusive) as scan:
        scan(x[1:], y[1:])
    ends = (-np.inf, np.inf) if element is f16 else (np.iinfo(host.dtype).min, np.iinfo(host.dtype).max)
    upto = reference.accumulate(host[1:])
    nothing = np.array([ends[op == "min"]], host.dtype)
    expected = np.concatenate([nothing, upto[:-1]]) if exclusive else upto
    assert np.array_equal(y.numpy()[1:], expected)


@pytest.mark.parametrize("element", [u32, u64], ids=["u32", "u64"])
def test_sums_wrap_across_tiles_of_views(dev, element):
    """Sums of numbers of all sizes, of which the halves of 64-bit ones carry; n beside a tile, at every alignment there is."""
    kind, tile = np.dtype(NUMPY[element]), prefix.tile_of(element)
    host = np.random.default_rng(4).integers(0, 1 << kind.itemsize * 8, 3 * tile + 9, kind)
    x, y = dev.array(host, element), dev.empty(host.size, element)
    with Scan(dev, element, 3 * tile + 1) as scan:
        for n in (tile - 1, tile + 1, 3 * tile, 3 * tile + 1):
            for first in (0, 1, 2):
                y.fill(0)
                scan(x[first : first + n], y[first : first + n])
                total = np.cumsum(host[first : first + n], dtype=kind)
                assert np.array_equal(y.numpy(), np.concatenate([host[:first] * 0, total, host[first + n :] * 0]))


@pytest.mark.parametrize("element", [u32, u64], ids=["u32", "u64"])
def test_states_of_earlier_launches_are_nothing(dev, element):
    """Nobody clears them: launches of other sizes come between, and the count of launches begins anew."""
    kind, tile = np.dtype(NUMPY[element]), prefix.tile_of(element)
    with Scan(dev, element, 3 * tile) as scan:
        for launches in (None, (1 << 30) - 2, (1 << 32) - 2):
            if launches is not None:
                scan._ticket.copy_from(np.array([launches << 32], np.uint64))
            for n in (3 * tile, 2 * tile, 1, 3 * tile):
                host = np.random.default_rng(n).integers(0, 1 << 20, n, kind)
                x, y = dev.array(host, element), dev.empty(n, element)
                scan(x, y)
                assert np.array_equal(y.numpy(), np.cumsum(host, dtype=kind))


@pytest.mark.parametrize("exclusive", [False, True])
def test_the_smallest_so_far_passes_nans_over(dev, exclusive):
    host = np.array([np.nan, 3, np.nan, 2, 5], np.float32)
    x, y = dev.array(host), dev.empty(5, f32)
    with Scan(dev, f32, 5, op="min", exclusive=exclusive) as scan:
        scan(x, y)
    assert y.numpy().tolist() == ([np.inf] * 2 + [3, 3, 2] if exclusive else [np.inf, 3, 3, 2, 2])


def test_a_view_that_is_not_aligned_is_scanned_too(dev):
    host = np.ones(10_001, np.float32)
    x, y = dev.array(host), dev.zeros(10_001, f32)
    with Scan(dev, f32, 10_000) as scan:
        scan(x[1:], y[1:])
    assert np.array_equal(y.numpy(), np.arange(10_001, dtype=np.float32))


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda dev: Scan(dev, px.bf16, 10), "no scan of .bf16"),
        (lambda dev: Scan(dev, px.ptr[u32], 10), "no scan of <class 'ptxgen.builder.memory.pointers.ptr[u32]'>"),
        (
            lambda dev: Scan(dev, u32, 1 << 40),
            "most is 1099511627776: an array of .u32 and the scratch memory take 4098 GiB, ",
        ),
        (lambda dev: Scan(dev, u32, 1 << 40), "\n  Fix: at most "),
        (lambda dev: Scan(dev, u32, 10**400), "most is an integer of 1329 bits"),
        (lambda dev: Scan(dev, u32, 10, op="mul"), "no scan by 'mul'"),
        (lambda dev: Sort(dev, px.bf16, 10), "no sort of .bf16"),
        (lambda dev: Sort(dev, u8, 10, bits=9), "bits=9 of .u8"),
        (lambda dev: Sort(dev, s32, 10, bits=8), "bits=8 of .s32"),
        (lambda dev: Sort(dev, u32, 10, bits=33), "bits=33 of .u32"),
        (lambda dev: Sort(dev, u32, 1 << 30), "2^30"),
        (lambda dev: Sort(dev, u32, 10)(dev.zeros(11, u32), dev.zeros(11, u32)), "at most 10"),
        (lambda dev: Sort(dev, u32, 10)(dev.zeros(10, u32), dev.zeros(9, u32)), "at least 10"),
        (lambda dev: Sort(dev, u32, 10)(dev.zeros(10, f32), dev.zeros(10, u32)), "expected .u32"),
        (lambda dev: Sort(dev, u32, 10)([1], dev.zeros(10, u32)), "not a device array"),
        (lambda dev: Sort(dev, u32, 1)(*[dev.zeros(1, u32) for _ in range(4)]), "pairs=True"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
