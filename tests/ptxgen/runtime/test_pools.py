"""Pools of memory by size class, and of streams and events."""

from __future__ import annotations

import logging

import pytest

import ptxgen as px
from ptxgen.runtime.errors import DeviceMemoryError, InvalidProgramError
from ptxgen.runtime.memory.leases import LaunchResources, Shelf, elapsed_ns
from ptxgen.runtime.memory.pools import SizeClassPool, size_class, slots


class Block:
    def __init__(self, nbytes: int) -> None:
        self.nbytes, self.closed = nbytes, False

    def close(self) -> None:
        self.closed = True


def pool(budget: int) -> SizeClassPool[Block]:
    return SizeClassPool(Block, budget)


@pytest.mark.parametrize("nbytes, bucket", [(0, 1), (1, 1), (2, 2), (3, 4), (4096, 4096), (4097, 8192)])
def test_classes_are_powers_of_two(nbytes: int, bucket: int) -> None:
    assert size_class(nbytes) == bucket


@pytest.mark.parametrize(
    "bucket, budget, number", [(1 << 20, 256 << 20, 256), (1, 1 << 30, 1024), (1 << 30, 1 << 20, 1)]
)
def test_slots_of_a_class(bucket: int, budget: int, number: int) -> None:
    assert slots(bucket, budget) == number


def test_a_released_block_comes_back() -> None:
    blocks = pool(1 << 20)
    first = blocks.acquire(1000)
    assert first is not None
    assert first.nbytes == 1024
    blocks.release(first)
    assert blocks.acquire(513) is first
    assert blocks.acquire(513) is not first
    found = blocks.statistics()
    assert (found.hits, found.misses, found.cached_bytes, found.allocated_bytes) == (1, 2, 0, 2048)


def test_nothing_is_no_block() -> None:
    blocks = pool(1)
    assert blocks.acquire(0) is None
    blocks.release(None)
    assert blocks.statistics() == (0, 0, 0, 0, 0)
    with pytest.raises(InvalidProgramError, match=r"an allocation of -1 bytes. Fix: "):
        blocks.acquire(-1)


def test_past_the_budget_the_longest_unused_goes_of_whichever_class() -> None:
    blocks = pool(4096)
    old, large = blocks.acquire(1024), blocks.acquire(2048)
    blocks.release(old)
    blocks.release(large)
    new = [blocks.acquire(1024) for _ in range(2)]  # the old one, and a new one
    assert new[0] is old
    other = blocks.acquire(512)
    for each in (other, *new):
        blocks.release(each)
    assert large is not None
    assert large.closed
    assert not any(each is not None and each.closed for each in (other, *new))
    assert blocks.statistics().evictions == 1
    assert blocks.statistics().cached_bytes == 2560


def test_a_block_larger_than_the_budget_is_closed_at_once() -> None:
    blocks = pool(1024)
    huge = blocks.acquire(4096)
    blocks.release(huge)
    assert huge is not None
    assert huge.closed
    assert blocks.statistics().allocated_bytes == 0


def test_clear_and_discard() -> None:
    blocks = pool(1 << 20)
    kept, thrown = blocks.acquire(64), blocks.acquire(64)
    blocks.release(kept)
    blocks.discard(thrown)
    assert kept is not None
    assert thrown is not None
    assert (kept.closed, thrown.closed) == (False, True)
    assert blocks.clear() == 64
    assert kept.closed
    with blocks.lease(10) as leased:
        assert leased is not None
    assert blocks.statistics().cached_bytes == 16


class Work:
    """A stream, or an event, that is in flight for as long as it is told."""

    def __init__(self) -> None:
        self.done, self.closed = True, False

    def query(self) -> bool:
        return self.done

    def close(self) -> None:
        self.closed = True


def test_what_may_be_in_flight_is_not_lent_again(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf("stream", Work, 4)
    busy = shelf.acquire()
    busy.done = False
    with caplog.at_level(logging.ERROR, "ptxgen.runtime"):
        shelf.release(busy)
    assert "a stream is not reused: it has not finished" in caplog.text
    assert (len(shelf), shelf.aside) == (0, 1)
    assert shelf.acquire() is not busy
    shelf.clear()
    assert busy.closed


def test_no_more_are_kept_than_the_capacity() -> None:
    shelf = Shelf("event", Work, 2)
    borrowed = [shelf.acquire() for _ in range(3)]
    for each in borrowed:
        shelf.release(each)
    assert len(shelf) == 2
    assert [each.closed for each in borrowed] == [False, False, True]
    with shelf.lease() as again:
        assert again is borrowed[1]


def test_launch_resources(device_name: str) -> None:
    context = px.device(device_name).context
    before = context.live_handles()
    resources = LaunchResources(context)
    for shelf in (resources.streams, resources.events, resources.timing_events):
        shelf.release(shelf.acquire())
    with resources.timing_events.lease() as event:
        assert event.timing
    assert resources.counts() == (1, 1, 1, 0)
    resources.clear()
    assert context.live_handles() == before


def test_streams_of_the_pool_are_never_the_null_stream(device_name: str) -> None:
    resources = LaunchResources(px.device(device_name).context)
    with (
        resources.streams.lease() as stream,
        resources.events.lease() as event,
        resources.timing_events.lease() as timed,
    ):
        assert stream.handle != 0
        assert stream.non_blocking
        assert (event.timing, timed.timing) == (False, True)
    resources.clear()


class At:
    """An event at some milliseconds."""

    def __init__(self, ms: float) -> None:
        self.ms = ms

    def elapsed_ms(self, start: At) -> float:
        return self.ms - start.ms


@pytest.mark.parametrize("ms, ns", [(0.0, 0), (0.0015, 1500), (2.0000004, 2000000), (1000.0, 10**9)])
def test_elapsed_time_is_rounded_to_nanoseconds(ms: float, ns: int) -> None:
    assert elapsed_ns(At(0.0), At(ms)) == ns  # type: ignore[arg-type]


def test_the_budget_is_nine_tenths_without_what_is_held(backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(backend.context), "memory_info", lambda _: (7000, 10000))
    assert backend._room() == 6300  # of what is free
    kept = backend.device_pool.acquire(1)
    backend.device_pool.release(kept)
    backend.resident.allocate(4000)
    assert backend._room() == 9000 - 4000 - 1
    for nbytes, fits in ((4096, True), (4097, False)):  # as the pool counts: 8,192 for 4,097
        if fits:
            backend.preflight(nbytes)
        else:
            with pytest.raises(
                DeviceMemoryError, match="needs 8192 bytes of device memory, 5000 are within the budget"
            ):
                backend.preflight(nbytes)
    assert backend.cached_transient_allocation_bytes == 0  # given back before it was refused


def test_the_budget_is_checked_before_memory_is_asked_for(backend) -> None:
    with pytest.raises(DeviceMemoryError, match=r"within the budget. Fix: free resident buffers") as caught:
        backend.take(backend.capabilities.total_memory)
    assert caught.value.requested > caught.value.available
    with pytest.raises(MemoryError):
        backend.allocate_resident(backend.capabilities.total_memory)


def test_what_the_pool_keeps_is_given_back_where_memory_is_short(backend, monkeypatch: pytest.MonkeyPatch) -> None:
    backend.device_pool.release(backend.device_pool.acquire(1 << 20))
    monkeypatch.setattr(backend, "_room", lambda: 0 if backend.cached_transient_allocation_bytes else 1 << 30)
    backend.preflight(1 << 20)
    assert backend.cached_transient_allocation_bytes == 0
