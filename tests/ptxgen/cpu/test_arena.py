"""Device memory: allocation, views, and what is told about addresses."""

from __future__ import annotations

import itertools
import random

import pytest

from ptxgen.cpu import Arena
from ptxgen.cpu.arena import GAP, READ_ONLY

MEGABYTE = 1 << 20


@pytest.fixture
def arena():
    made = Arena(16 * MEGABYTE)
    yield made
    made.close()


def test_blocks_are_aligned_and_apart(arena):
    sizes = [1, 255, 256, 257, 4096, 0]
    blocks = [arena.allocate(n) for n in sizes]
    assert all(b % 256 == 0 and arena.base <= b < arena.base + arena.size for b in blocks)
    assert arena.in_use == sum(sizes)
    spans = sorted((b, b + n) for b, n in zip(blocks, sizes))
    assert all(end + GAP <= start for (_, end), (start, _) in itertools.pairwise(spans))
    assert arena.allocate(10, align=1 << 16) % (1 << 16) == 0


def test_memory_is_zero_at_first_and_keeps_what_is_written(arena):
    block = arena.allocate(100)
    view = arena.view(block, 100)
    assert bytes(view) == bytes(100)
    view[10:13] = b"abc"
    assert bytes(arena.view(block + 10, 3)) == b"abc"


def test_freed_memory_is_used_again(arena):
    first = arena.allocate(5 * MEGABYTE)
    second = arena.allocate(5 * MEGABYTE)
    arena.free(first)
    assert arena.in_use == 5 * MEGABYTE
    assert arena.allocate(5 * MEGABYTE) == first
    arena.free(first)
    arena.free(second)
    assert arena.in_use == 0
    arena.free(arena.allocate(14 * MEGABYTE))


def test_no_room(arena):
    arena.allocate(8 * MEGABYTE)
    with pytest.raises(MemoryError, match=r"no room for 8388608 bytes: 8388608 of 16777216 bytes are in use"):
        arena.allocate(8 * MEGABYTE)
    with pytest.raises(ValueError, match="cannot allocate -1 bytes"):
        arena.allocate(-1)


def test_addresses_that_are_not_blocks(arena):
    block = arena.allocate(100)
    with pytest.raises(ValueError, match="not the start of a live allocation"):
        arena.free(block + 4)
    arena.free(block)
    with pytest.raises(ValueError, match="not the start of a live allocation"):
        arena.free(block)
    with pytest.raises(ValueError, match="do not lie in a live allocation"):
        arena.view(block, 1)


def test_who_owns_an_address(arena):
    block = arena.allocate(100)
    assert arena.block_of(block) == arena.block_of(block + 99) == (block, 100)
    assert arena.block_of(block + 100) is None
    assert arena.contains(block + 50, 50)
    assert not arena.contains(block + 50, 51)
    assert not arena.contains(block - 1, 1)
    later = arena.allocate(256)
    assert arena.neighbours(block + 120) == ((block, 100), (later, 256))
    assert arena.neighbours(block - 1) == (None, (block, 100))
    assert arena.neighbours(later) == ((later, 256), None)
    empty = arena.allocate(0)
    assert arena.block_of(empty) == (empty, 0)


def test_addresses_are_the_same_in_every_run():
    """Reserved at a fixed place when it is free: a second arena beside the first gets the next one."""
    one = Arena(MEGABYTE)
    base = one.base
    one.close()
    two = Arena(MEGABYTE)
    assert two.base == base
    two.close()


def test_the_table_changes_with_the_blocks(arena):
    empty = arena.table()
    assert (empty.count, arena.table() is empty) == (0, True)
    a, b = arena.allocate(10), arena.allocate(20, read_only=True)
    assert list(arena.table().pairs) == [a, 10, b, 20 | 1 << 63]
    assert empty.count == 0
    arena.free(a)
    assert list(arena.table().pairs) == [b, 20 | 1 << 63]


def test_windows_are_not_blocks(arena):
    window = arena.open_window(5000)
    assert arena.base <= window < arena.base + arena.size
    assert arena.block_of(window) is None
    arena.raw(window, 5000)[:] = b"\xff" * 5000
    neighbour = arena.open_window(300)
    arena.raw(neighbour, 300)[:] = b"\xee" * 300
    arena.close_window(window)
    assert bytes(arena.raw(neighbour, 300)) == b"\xee" * 300
    assert arena.open_window(5000) == window
    assert bytes(arena.raw(window, 5000)) == bytes(5000)


def test_a_long_history(arena):
    """Random allocations and frees: blocks never overlap, and all room comes back."""
    rng = random.Random(7)
    live: dict[int, int] = {}
    for _ in range(2000):
        if live and rng.random() < 0.48:
            address = rng.choice(list(live))
            arena.free(address)
            del live[address]
        else:
            size = rng.choice([1, 300, 5000, rng.randrange(60000)])
            live[arena.allocate(size)] = size
    assert arena.in_use == sum(live.values())
    spans = sorted((a, a + max(n, 1)) for a, n in live.items())
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    assert [arena.block_of(a + n - 1) for a, n in live.items() if n] == [(a, n) for a, n in live.items() if n]
    for address in live:
        arena.free(address)
    arena.free(arena.allocate(15 * MEGABYTE - 256))


def test_a_closed_arena_says_so(arena):
    block, window = arena.allocate(10), arena.open_window(10)
    arena.close()
    assert not arena.is_open
    for use in (
        lambda: arena.allocate(1),
        lambda: arena.free(block),
        lambda: arena.view(block, 1),
        lambda: arena.open_window(1),
    ):
        with pytest.raises(ValueError, match="the arena is closed"):
            use()
    arena.close_window(window)
    arena.close()


def test_blocks_may_be_touched_in_whole_units(arena):
    """What a GPU lets pass: cuMemAlloc gives units of 512 bytes. Nobody else's bytes are in them."""
    blocks = {arena.allocate(size): size for size in (1, 40, 512, 513, 0, 5000)}
    arena.allocate(16, read_only=True)
    exact = list(arena.table().pairs)
    arena.round_up(512)
    rounded = list(arena.table().pairs)
    assert rounded[::2] == exact[::2]
    assert [word & ~READ_ONLY for word in rounded[1::2]] == [
        -(-(word & ~READ_ONLY) // 512) * 512 for word in exact[1::2]
    ]
    assert [bool(word & READ_ONLY) for word in rounded[1::2]] == [False] * len(blocks) + [True]
    assert all(end <= start for end, start in zip(map(sum, zip(rounded[:-2:2], rounded[1:-2:2])), rounded[2::2]))
    assert all(arena.block_of(base) == (base, size) for base, size in blocks.items())
    arena.round_up(1)
    assert list(arena.table().pairs) == exact
