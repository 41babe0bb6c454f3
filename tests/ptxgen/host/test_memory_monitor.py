"""Devices' memory over time, and accounts of what a program allocates, frees and copies."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.memory.accounting import MemoryLeakError


@pytest.fixture
def dev(device_name):
    return px.device(device_name)


# Memory over time


def test_a_look_at_a_device(dev):
    (found,) = px.monitor([dev])
    assert (found.name, found.product) == (dev.name, dev.handle.name)
    assert 0 < found.total == dev.handle.total_memory
    assert 0 <= found.used == found.total - found.free
    assert found.percent == pytest.approx(100 * found.used / found.total)
    assert str(found).startswith(f"[{dev.name}] {dev.handle.name}: ")
    assert found.to_dict()["used"] == found.used


def test_every_device_is_looked_at(dev):
    assert dev.name in [found.name for found in px.monitor()]


def test_what_is_allocated_is_used(dev):
    (before,) = px.monitor([dev])
    with dev.context.alloc(64 << 20):
        (after,) = px.monitor([dev])
    assert after.used - before.used >= 64 << 20


def test_looks_come_in_time(dev):
    began = time.monotonic()
    looks = []
    for look in px.watch(0.02, times=4, of=[dev]):
        looks.append(look[0].seconds)
        if len(looks) == 2:
            time.sleep(0.05)  # one look is missed, the others keep to the beat
    took = time.monotonic() - began
    assert len(looks) == 4
    assert looks == sorted(looks)
    assert 0.06 <= took < 1


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"seconds": -1.0}, {"times": 0}])
def test_periods_that_are_none(dev, wrong):
    with pytest.raises(ValueError, match="both are more than 0"):
        px.watch(of=[dev], **wrong)


# Accounts


def test_an_account_of_everything(dev):
    with px.memory_account() as account:
        x = dev.array(np.arange(256, dtype=np.float32))
        y = dev.empty(1000, px.u8)
        x.numpy()
        dev.context.copy(y.pointer, x.pointer, 100)
        y.close()
    total = account.total
    assert (total.allocations, total.frees) == (2, 1)
    assert (total.allocated, total.outstanding, total.peak) == (2024, 1024, 2024)
    assert (total.host_to_device, total.device_to_host, total.on_device) == (1024, 1024, 100)
    assert account.by_device == {dev.name: total}
    assert account.by_thread == {threading.current_thread().name: total}
    x.close()
    assert account.total.outstanding == 0
    account.check()


def test_a_leak_names_who_allocated_what_and_where(dev):
    with px.memory_account() as account:
        kept = dev.zeros(100, px.f32)
    with pytest.raises(MemoryLeakError) as caught:
        account.check()
    (allocation,) = caught.value.allocations
    assert (allocation.device, allocation.kind, allocation.nbytes) == (dev.name, "buffer", 400)
    assert allocation.address == kept.pointer
    assert allocation.where.startswith(f"{__file__}:")
    assert "400 bytes of device memory in 1 allocation(s) are not freed" in str(caught.value)
    assert f"by {threading.current_thread().name}" in str(caught.value)
    del kept
    account.check()  # what only garbage held is freed first


def test_what_was_there_before_is_not_counted(dev):
    before = dev.zeros(10, px.u32)
    with px.memory_account() as account:
        before.close()
    assert account.total == dc.MemoryCounts()
    account.check()


def test_accounts_may_overlap(dev):
    with px.memory_account() as outer:
        x = dev.zeros(10, px.u32)
        with px.memory_account() as inner:
            y = dev.zeros(20, px.u32)
        x.close()
        assert (outer.total.outstanding, inner.total.outstanding) == (80, 80)
    y.close()
    assert (outer.total.peak, inner.total.peak) == (120, 80)
    assert ACCOUNTS == []


def test_a_free_counts_for_the_thread_that_allocated(dev):
    made = []

    def work():
        made.append(dev.zeros(25, px.u32))

    with px.memory_account() as account:
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()
        own = dev.zeros(5, px.u32)
        made[0].close()
        here, there = account.by_thread[threading.current_thread().name], account.by_thread["worker"]
        assert (there.allocations, there.frees, there.outstanding, there.peak) == (1, 1, 0, 100)
        assert (here.outstanding, here.peak) == (20, 20)
        assert account.total.peak == 120
        own.close()


def test_memory_of_pools_and_streams_counts_too(dev):
    context = dev.context
    with context.stream() as stream, px.memory_account() as account:
        buffer = context.alloc_async(4096, stream)
        context.copy_to_device(buffer.pointer, bytes(64), 64, stream)
        stream.synchronize()
        assert account.total.outstanding == 4096
        assert account.total.host_to_device == 64
        buffer.close()
        stream.synchronize()
    account.check()
    assert account.total.frees == 1


def test_captured_copies_are_not_made_yet(dev):
    x, y = dev.zeros(16, px.u32), dev.zeros(16, px.u32)
    with px.memory_account() as account:
        with dev.capture() as graph:
            y.copy_from(x)
        graph.launch()
        dev.synchronize()
    assert account.total.on_device == 0


def test_regions_count_their_bytes(dev):
    host = np.arange(64, dtype=np.uint8).reshape(8, 8)
    with dev.context.alloc(64) as buffer, px.memory_account() as account:
        dev.context.copy_region(buffer, host, 8, 4)
    assert account.total.host_to_device == 32


@pytest.mark.cpu_only
def test_a_reset_takes_everything_with_it(dev):
    with px.memory_account() as account:
        dev.zeros(10, px.u32)
        kept = dev.zeros(10, px.u32)
        dev.reset()
    assert kept.shape == (10,)
    assert account.total.outstanding == 0
    account.check()


def test_a_closed_account_waits_for_nothing(dev):
    with px.memory_account() as account:
        kept = dev.zeros(10, px.u32)
    assert account in ACCOUNTS
    account.close()
    assert account not in ACCOUNTS
    kept.close()
    assert account.total.outstanding == 40  # as it was


def test_launches_and_frees_without_an_account_tell_nobody(dev):
    assert ACCOUNTS == []
    dev.zeros(10, px.u32).close()
    assert ACCOUNTS == []


def test_what_was_dropped_is_not_outstanding(dev):
    with px.memory_account() as account:
        array = dev.array(np.zeros(300, np.uint32))
        assert account.total.outstanding == 1200
        del array
        assert account.total.outstanding == account.by_device[dev.name].outstanding == 0
        assert [counts.outstanding for counts in account.by_thread.values()] == [0]
        assert account.total.frees == 1
