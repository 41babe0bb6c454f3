"""Memory that is kept and given out again: when a block comes again, and when it must not."""

from __future__ import annotations

import os
import threading

import pytest

import driver_ctypes as dc
from driver_ctypes.memory import caching
from driver_ctypes.memory.caching import ENVIRONMENT_VARIABLE

MIB = 1 << 20


@pytest.fixture
def allocator(context):
    context.allocator.enabled = True
    return context.allocator


def place(buffer):
    """Where it is, without letting it know that somebody asked."""
    return buffer._address


def test_a_dropped_block_comes_again(fake, context, allocator):
    first = place(context.alloc_cached(1000))
    second = context.alloc_cached(900)
    assert place(second) == first
    assert second.nbytes == 900
    other = context.alloc_cached(1000)
    assert place(other) != first
    second.close()
    assert place(context.alloc_cached(1024)) == first
    assert fake.symbols().count("cuMemAlloc_v2") == 2
    assert "cuMemFree_v2" not in fake.symbols()
    assert allocator.statistics() == (2, 2, 1, 1024)


def test_idle_blocks_are_no_handles(context, allocator):
    kept = context.alloc_cached(5000)
    context.alloc_cached(5000)
    assert context.live_handles() == {"buffer": 1}
    assert context.live_bytes() == {"buffer": 5120}
    kept.close()
    assert context.live_handles() == {}
    assert context.live_bytes() == {}
    assert allocator.statistics().idle_nbytes == 2 * 5120


@pytest.mark.parametrize("nbytes, size", [(0, 512), (1, 512), (512, 512), (513, 640), (1025, 1280), (MIB, MIB)])
def test_size_classes(nbytes, size):
    assert caching._class_of(nbytes) == size
    assert nbytes <= size
    assert nbytes <= 512 or size < 1.26 * nbytes


def test_what_is_freed_and_not_kept(fake, context, allocator, monkeypatch):
    monkeypatch.setattr(allocator, "_most", MIB)
    large = context.alloc_cached(2 * MIB)
    assert type(large) is dc.Buffer
    asked = context.alloc_cached(1000)
    assert asked.pointer
    retained = context.alloc_cached(1000)
    retained.graph_retain()
    retained.close()
    retained.graph_release()
    asked.close()
    part = context.alloc_cached(1000)[:10]
    del part
    context.synchronize()
    assert fake.symbols().count("cuMemFree_v2") == 3
    assert allocator.idle() == 0


def test_a_free_list_has_an_end(fake, context, allocator):
    blocks = allocator.list_for(1000, 0)
    blocks.most = 3
    kept = [context.alloc_cached(1000) for _ in range(5)]
    del kept
    context.synchronize()
    assert allocator.idle() == 3
    assert fake.symbols().count("cuMemFree_v2") == 2


def test_closed_memory_is_refused(context, allocator):
    buffer = context.alloc_cached(100)
    buffer.close()
    buffer.close()
    assert allocator.idle() == 1
    with pytest.raises(dc.ClosedError):
        _ = buffer.pointer


def test_other_streams_are_waited_for(fake, context, allocator):
    side = context.stream()
    first = place(context.alloc_cached(1000))
    fake.fail("cuEventQuery", 600, on_call=fake.counts["cuEventQuery"] + 1)  # work of the other stream is not done
    second = context.alloc_cached(1000)
    assert place(second) != first
    assert place(context.alloc_cached(1000)) == first
    assert ("cuEventRecord", threading.get_ident()) in fake.calls
    del side


def test_work_of_a_stream_that_is_gone_is_waited_for(fake, context, allocator):
    side = context.stream()
    block = context.alloc_cached(1000)
    first = place(block)
    side.close()
    del block
    for number in (1, 2):
        fake.fail("cuEventQuery", 600, on_call=fake.counts["cuEventQuery"] + number)
    kept = [context.alloc_cached(1000)]
    assert first not in map(place, kept)
    kept.append(context.alloc_cached(1000))
    assert place(kept[1]) == first
    again = place(context.alloc_cached(2000))  # the default stream is alone again
    assert place(context.alloc_cached(2000)) == again
    assert allocator._of[0].alone


def test_each_stream_has_its_own_blocks(context, allocator):
    side = context.stream()
    first = place(context.alloc_cached(1000, side))
    assert place(context.alloc_cached(1000)) != first
    assert place(context.alloc_cached(1000, side)) != place(context.alloc_cached(1000))
    side.close()
    assert allocator.list_for(1000, side.handle) is None


def test_others_streams_end_it(fake, context, allocator):
    block = context.alloc_cached(1000)
    context.alloc_cached(1000)
    context.stream_from(0x5000)
    assert not allocator.enabled
    assert allocator.idle() == 0
    del block
    assert type(context.alloc_cached(1000)) is dc.Buffer
    assert fake.symbols().count("cuMemFree_v2") >= 2


def test_a_stream_of_ours_by_its_number_does_not(context, allocator):
    side = context.stream()
    context.stream_from(side.handle)
    context.stream_from(None)
    assert allocator.enabled


def test_nothing_is_taken_while_a_graph_is_recorded(context, allocator):
    first = place(context.alloc_cached(1000))
    with context.stream().capture(), context.beside_captures():
        assert place(context.alloc_cached(1000)) != first


def test_an_account_sees_every_allocation(context, allocator):
    kept = context.alloc_cached(1000)
    context.alloc_cached(1000)
    with dc.memory_account() as account:
        buffer = context.alloc_cached(1000)
        assert account.total.allocated == 1000
        kept.close()
        buffer.close()
    account.check()
    assert account.total.frees == 1


def test_memory_that_is_out_takes_what_is_idle(fake, context, allocator):
    context.alloc_cached(1000)
    fake.fail("cuMemAlloc_v2", 2, on_call=fake.counts["cuMemAlloc_v2"] + 1)
    context.alloc(100)
    assert allocator.idle() == 0
    assert fake.symbols().count("cuMemFree_v2") == 1
    context.alloc_cached(1000)
    context.trim()
    assert allocator.idle() == 0


def test_the_end_of_the_context_frees_all(fake, context, allocator):
    context.stream()
    kept = context.alloc_cached(1000)
    context.alloc_cached(1000)
    context.alloc_cached(1000)
    context.close()
    assert not fake.memory
    assert not fake.events
    del kept
    with pytest.raises(dc.ClosedError):
        allocator.alloc(1000)


def test_a_free_that_fails_is_told(fake, context, allocator):
    context.alloc_cached(1000)
    fake.fail("cuMemFree_v2", 1)
    with pytest.raises(dc.CudaError):
        allocator.trim()


@pytest.mark.parametrize("chosen, kept", [("0", False), ("1", True), (None, False)])
def test_when_memory_is_kept(driver, chosen, kept, monkeypatch):
    """By default not on an emulated device, whose sanitizer must see each allocation."""
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    if chosen:
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, chosen)
    context = driver.device(0).primary_context()
    monkeypatch.setattr(driver, "foreign_pointers", False)
    assert context.allocator.enabled is kept
    context.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_frees_nothing(context, allocator):
    kept = context.alloc_cached(1000)
    context.alloc_cached(1000)
    child = os.fork()
    if not child:
        try:
            assert allocator.idle() == 0
            kept.close()
            del kept
            allocator.alloc(1000)
        except dc.ForkedProcessError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_get_blocks_of_their_own(context, allocator):
    """Blocks that are written and read while other threads take and give back: none is given out twice."""
    wrong = []

    def work(number):
        for _ in range(300):
            mine = [context.alloc_cached(1000) for _ in range(3)]
            for buffer in mine:
                context.memset(place(buffer), number, 1000)
            for buffer in mine:
                found = bytearray(1000)
                context.copy_to_host(found, place(buffer))
                if found != bytes([number]) * 1000:
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert context.live_handles() == {}
