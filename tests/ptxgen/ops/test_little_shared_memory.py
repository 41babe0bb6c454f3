"""Devices of sm_75, whose CTAs have 64 KiB of shared memory: tiles are made smaller, or an error says what is needed."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f64, u8, u16, u32, u64
from ptxgen.kernels.arrays import radix_sort, radix_tile
from ptxgen.ops import SegmentedSort, Sort, empty_cache, matmul

ROOM = 64 << 10
pytestmark = pytest.mark.cpu_only


@pytest.fixture(scope="module")
def turing():
    yield px.device("cpu:sm_75")
    empty_cache()


@pytest.mark.parametrize("element", [u8, u16, u32, u64, f64])
@pytest.mark.parametrize("payload", [0, 4, 8])
def test_tiles_fit(element, payload):
    each = element.isa.bytes + payload
    for tiling in radix_sort.tilings_of(element, pairs=payload > 0, wide=payload == 8, room=ROOM):
        assert 0 < tiling.size * each + radix_sort.STATIC <= ROOM
    most = radix_tile.most_for(element, ROOM, pairs=payload > 0)
    assert most in (2048, 4096)
    assert most * (element.isa.bytes + 4 * (payload > 0)) + radix_tile.STATIC <= ROOM
    assert radix_tile.most_for(element, radix_sort.ROOM, pairs=payload > 0) == radix_tile.MOST


def test_wide_keys_are_sorted(turing):
    n = 3000
    x, numbers = np.random.default_rng(0).integers(0, 256, n, np.uint64), np.arange(n, dtype=np.uint32)
    out, moved = turing.empty(n, u64), turing.empty(n, u32)
    with Sort(turing, u64, n, pairs=True, bits=8) as sort:
        sort(turing.array(x), out, turing.array(numbers), moved)
    assert np.array_equal(moved.numpy(), np.argsort(x, kind="stable"))


def test_bf16_is_multiplied_as_f32(turing):
    a, b = (np.random.default_rng(seed).integers(-4, 5, (16, 16)).astype(np.float32) for seed in (1, 2))
    assert np.array_equal(matmul(turing.array(a, bf16), turing.array(b, bf16)).numpy(), a @ b)


def test_what_does_not_fit_is_said(turing):
    with pytest.raises(px.BuildError, match=r"segmented sort of \.u64 on sm_75, with 65536 bytes(.|\n)*sm_80"):
        SegmentedSort(turing, u64, most=10)
    SegmentedSort(turing, u32, most=10).close()
