"""The emulated driver's occupancy calculation and that of the binding: two implementations of the same documented rules.

Each is compared with the answers of an H200, and the two with each other where nothing was recorded.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driver_ctypes.launch import occupancy as binding
from ptxgen.emulated_driver.contexts.attributes import attributes_of
from ptxgen.emulated_driver.launch import residency
from ptxgen.isa.products import PLAIN, PRODUCTS, Product

LIMITS = binding.Limits.of_attributes(attributes_of(PLAIN).__getitem__)
RECORDED = json.loads((Path(__file__).parent / "data" / "h200.json").read_text())["occupancy_of_kernels"]

THREADS = (32, 64, 96, 128, 160, 256, 384, 512, 768, 1024)
DYNAMIC = (0, 1000, 20000, 100000, 200000)
BLOCKS = (1, 2, 3, 4, 8, 16, 32)
MAX_SHARED = 227 << 10


def _emulated(threads: int, registers: int, shared: int) -> int:
    return residency.active_blocks(PLAIN.target, threads, registers, shared)


def _available(blocks: int, static: int) -> int:
    return residency.dynamic_shared_memory_for(PLAIN.target, blocks, static)


def _binding(threads: int, registers: int, shared: int) -> int:
    return binding.resident_blocks(LIMITS, threads, registers, shared)


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=lambda product: product.name)
def test_the_two_agree_on_every_product(product: Product) -> None:
    limits = binding.Limits.of_attributes(attributes_of(product).__getitem__)
    for threads in (32, 96, 256, 800, 1024):
        for registers in (16, 40, 96, 255):
            for shared in (0, 1, 20_000, 48 << 10, product.target.shared_optin, product.target.shared_total + 1):
                ours = residency.active_blocks(product.target, threads, registers, shared)
                assert ours == binding.resident_blocks(limits, threads, registers, shared), (threads, registers, shared)


@pytest.mark.parametrize("formula", [_emulated, _binding])
@pytest.mark.parametrize("label", RECORDED)
def test_active_blocks_are_those_of_an_h200(label: str, formula: object) -> None:
    registers, most, *answers = RECORDED[label]
    static = int(label.split()[2])
    assert callable(formula)
    ours = [formula(t, registers, static + d) if t <= most else 0 for t in THREADS for d in DYNAMIC]
    assert ours == answers[:50]


@pytest.mark.parametrize("label", RECORDED)
def test_the_best_block_size_is_that_of_an_h200(label: str) -> None:
    registers, most, *answers = RECORDED[label]
    static = int(label.split()[2])
    for search in (residency.potential_block_size, lambda limit, of: binding.best_block(LIMITS, limit, of)):
        blocks, threads = search(most, lambda t: _emulated(t, registers, static))
        assert [0, blocks * PLAIN.multiprocessors, threads] == answers[50]


@pytest.mark.parametrize("label", RECORDED)
def test_available_dynamic_shared_memory_is_that_of_an_h200(label: str) -> None:
    registers, _most, *answers = RECORDED[label]
    static = int(label.split()[2])
    for available in (_available, lambda n, s: binding.available_shared(LIMITS, n, s)):
        rooms = [available(number, static) for number in BLOCKS]
        fits = [room >= 0 and number <= _emulated(64, registers, 0) for room, number in zip(rooms, BLOCKS)]
        assert [min(r, MAX_SHARED - static) if ok else -1 for r, ok in zip(rooms, fits)] == answers[51:]


@pytest.mark.parametrize("registers", range(1, 256, 6))
def test_the_emulated_driver_and_the_binding_agree(registers: int) -> None:
    """Every number of warps, and shared memory around each step of its allocation unit."""
    for threads in (-1, 0, 1, 31, 33, *range(32, 1025, 32), 1025):
        for shared in (*range(0, MAX_SHARED + 1, 6089), 127, 128, 129, 48 << 10, (48 << 10) + 1, MAX_SHARED, 228 << 10):
            assert _emulated(threads, registers, shared) == _binding(threads, registers, shared), (threads, shared)


def test_shared_memory_alone_agrees_closely() -> None:
    for shared in range(0, MAX_SHARED + 2, 31):
        assert _emulated(32, 16, shared) == _binding(32, 16, shared), shared


@pytest.mark.parametrize("limit", [1, 31, 32, 33, 100, 640, 1000, 1023, 1024])
def test_block_size_searches_agree(limit: int) -> None:
    for registers in range(8, 256, 13):
        for shared in (0, 5000, 60000, MAX_SHARED):
            of = lambda t, r=registers, s=shared: _emulated(t, r, s)
            assert residency.potential_block_size(limit, of) == binding.best_block(LIMITS, limit, of)


def test_available_shared_memory_agrees() -> None:
    for blocks in range(1, 33):
        for static in range(0, MAX_SHARED, 4999):
            theirs = binding.available_shared(LIMITS, blocks, static)
            assert _available(blocks, static) == theirs, (blocks, static)
