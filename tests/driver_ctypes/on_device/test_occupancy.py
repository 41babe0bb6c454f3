"""Occupancy: the driver's answers, the same from the formula, and the search for a block size."""

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES

SHARED_48K = 48 << 10


def test_the_formula_agrees_with_the_driver(context, add):
    limits = dc.Limits.of(context.device)
    registers = add.attribute(4)
    for threads in (1, 32, 33, 128, 256, 640, 1024):
        for shared in (0, 1000, 16 << 10, SHARED_48K):
            ours = dc.resident_blocks(limits, threads, registers, shared)
            assert dc.max_active_blocks(add, threads, shared) == ours, (threads, shared)
    assert dc.resident_blocks(limits, 2048, 16, 0) == 0


def test_the_best_block_size_fills_the_device(context, add):
    best = dc.max_block_size(add)
    assert best.threads * best.blocks_per_multiprocessor <= context.device.limits.max_threads_per_multiprocessor
    assert best.occupancy == 1.0
    assert best.grid == best.blocks_per_multiprocessor * context.device.limits.multiprocessor_count
    assert dc.max_block_size(add, limit=100).threads == 64  # 32 blocks of 64 are more threads than 21 of 96
    calls = []
    narrow = dc.max_block_size(add, lambda threads: calls.append(threads) or 40 * threads)
    assert narrow.threads * 40 <= SHARED_48K
    assert len(calls) > 10


def test_no_block_fits(context, add):
    with pytest.raises(dc.LaunchConfigError, match="no block of up to"):
        dc.max_block_size(add, 1 << 20)


def test_shared_memory_that_is_left(context, add):
    one, two = (dc.available_dynamic_shared(add, blocks, 64) for blocks in (1, 8))
    assert one >= two > 0
    with pytest.raises(dc.LaunchConfigError, match="not resident on one multiprocessor"):
        dc.available_dynamic_shared(add, 1000, 64)
    with pytest.raises(dc.ArgumentRangeError):
        dc.available_dynamic_shared(add, 0, 64)


def test_clusters(context, add):
    if not context.device.limits.cluster_launch:
        pytest.skip("clusters came with compute capability 9.0")
    assert dc.max_cluster_size(add, 128) == 8
    one, four = dc.max_active_clusters(add, 1, 256), dc.max_active_clusters(add, 4, 256)
    assert one > four > 0
    with pytest.raises(dc.CudaError, match="CLUSTER"):
        dc.max_active_clusters(add, 16, 256)


@pytest.mark.parametrize("threads", [0, -1])
def test_bad_numbers(add, threads):
    with pytest.raises(dc.ArgumentRangeError, match="positive"):
        dc.max_active_blocks(add, threads)


def test_a_kernel_of_an_unloaded_module(context):
    module = context.load(PTX, signatures=SIGNATURES)
    add = module.function("add")
    module.close()
    for ask in (
        lambda: dc.max_active_blocks(add, 128),
        lambda: dc.max_block_size(add),
        lambda: dc.available_dynamic_shared(add, 1, 128),
        lambda: dc.max_cluster_size(add, 128),
        lambda: dc.max_active_clusters(add, 1, 128),
    ):
        with pytest.raises(dc.ClosedError, match="this module is closed"):
            ask()
