"""Virtual memory management: addresses apart from memory."""

import gc
import os

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import words


@pytest.fixture
def unit(context):
    return dc.memory_granularity(context)


def test_memory_shows_where_it_is_mapped(context, unit, add):
    with dc.reserve_addresses(context, 2 * unit) as addresses, dc.create_memory(context, unit) as memory:
        with addresses.map(memory) as first, addresses.map(memory, unit) as second:
            assert second.pointer == first.pointer + unit
            context.memset(first.pointer, 3, 16, 4)
            add.launch(1, 32, second.pointer, 4, 1)
            assert words(context, first, 5) == [4, 4, 4, 4, 3]
            assert first.access() == "rw"
        with pytest.raises(dc.CudaError):
            context.memset(addresses.pointer, 0, 4)


def test_a_piece_outlives_its_handle(context, unit):
    with dc.reserve_addresses(context, unit) as addresses:
        memory = dc.create_memory(context, unit)
        with addresses.map(memory) as mapped:
            memory.close()
            context.memset(mapped.pointer, 1, 4)
            assert words(context, mapped, 1) == [0x01010101]


def test_rights(context, unit):
    with dc.reserve_addresses(context, unit) as addresses, dc.create_memory(context, unit) as memory:
        with addresses.map(memory, rights="") as mapped:
            assert mapped.access() == ""
            with pytest.raises(dc.CudaError):
                context.memset(mapped.pointer, 0, 4)
            mapped.set_access("r")
            assert mapped.access() == "r"
            words(context, mapped, 1)
            with pytest.raises(dc.ArgumentError, match="no rights 'w'"):
                mapped.set_access("w")


def test_bad_sizes_and_places(context, unit):
    with pytest.raises(dc.ArgumentRangeError, match="not a multiple of the granularity"):
        dc.create_memory(context, unit + 1)
    with pytest.raises(dc.ArgumentRangeError, match="not a multiple"):
        dc.reserve_addresses(context, 0)
    with pytest.raises(dc.ArgumentRangeError, match="not a power of two"):
        dc.reserve_addresses(context, unit, 3)
    with dc.reserve_addresses(context, unit) as addresses, dc.create_memory(context, 2 * unit) as memory:
        with pytest.raises(dc.ArgumentRangeError, match="do not fit a range"):
            addresses.map(memory)
    with dc.reserve_addresses(context, unit) as addresses, dc.create_memory(context, unit) as memory:
        with addresses.map(memory), pytest.raises(dc.CudaError):
            addresses.map(memory)
    with pytest.raises(dc.OutOfMemoryError, match="asked for"):
        dc.create_memory(context, 1 << 50)


def test_a_buffer_grows_in_place(context, unit, add):
    with dc.GrowableBuffer(context, 1000, room=8 * unit) as x:
        at = x.pointer
        assert (x.nbytes, x.capacity, x.room) == (1000, unit, 8 * unit)
        context.memset(x, 2, 250, 4)
        x.resize(3 * unit)
        assert (x.pointer, x.capacity) == (at, 3 * unit)
        context.memset(x.pointer + 2 * unit, 9, 4, 4)
        add.launch(1, 256, x, 250, 1)
        assert words(context, x, 2) == [3, 3]
        context.copy(x.pointer + unit - 8, x.pointer, 16)  # over the seam
        assert words(context, x, 4, offset=unit - 8) == [3, 3, 3, 3]
        x.resize(10)
        assert x.capacity == unit
        with pytest.raises(dc.ArgumentRangeError, match="more than the room"):
            x.resize(9 * unit)
    assert x.closed
    with pytest.raises(dc.ClosedError):
        add.launch(1, 1, x, 1, 1)


def test_what_is_dropped_is_freed_in_order(context, unit):
    dc.GrowableBuffer(context, 3 * unit, room=8 * unit)
    gc.collect()
    context.synchronize()
    assert "mapping" not in context.live_handles()


@pytest.fixture
def clean(context, recwarn):
    """Nothing is left behind, and nobody warns of it."""
    context.synchronize()
    before = context.live_handles()
    yield
    gc.collect()
    context.synchronize()
    assert context.live_handles() == before
    assert not [str(warning.message) for warning in recwarn]


def test_a_range_closed_under_a_mapping_stays_as_long(context, unit, clean):
    with dc.create_memory(context, unit) as memory, dc.reserve_addresses(context, unit) as addresses:
        mapped = addresses.map(memory)
    assert addresses.closed
    with pytest.raises(dc.ClosedError):
        addresses.map(memory)
    context.memset(mapped, 1, 4)
    assert words(context, mapped, 1) == [0x01010101]
    mapped.close()
    mapped.close()
    assert "reserved range" not in context.live_handles()


@pytest.mark.parametrize("closed", [False, True])
def test_garbage_in_a_cycle_is_freed_in_order(context, unit, clean, closed):
    for round_ in range(4):
        memory, addresses = dc.create_memory(context, unit), dc.reserve_addresses(context, 2 * unit)
        things = [memory, addresses, addresses.map(memory), addresses.map(memory, unit)]
        if closed:
            addresses.close()
        if round_ % 2:
            things.reverse()
        things.append(things)
        grown = dc.GrowableBuffer(context, 2 * unit, room=4 * unit)
        grown.resize(3 * unit)
        cycle = [grown]
        cycle.append(cycle)
        del memory, addresses, things, grown, cycle
        gc.collect()
        context.synchronize()


def test_a_collected_mapping_lets_its_range_go(context, unit, clean):
    memory, addresses = dc.create_memory(context, unit), dc.reserve_addresses(context, unit)
    addresses.map(memory)
    context.synchronize()
    with addresses.map(memory) as again:
        assert again.pointer == addresses.pointer
    addresses.close()
    assert "reserved range" not in context.live_handles()
    memory.close()


def test_a_graph_keeps_what_grows(context, unit, add, stream, clean):
    x, graph = dc.GrowableBuffer(context, 2 * unit, room=4 * unit), context.graph()
    context.memset(x, 0, x.nbytes)
    graph.kernel(add, 1, 32, x, 1, 1)
    with stream.capture(into=graph):
        add.launch(1, 32, x.pointer + unit, 1, 2, stream=stream)
    with graph.instantiate() as execution:
        graph.close()
        at = x.pointer
        x.resize(16)
        assert (x.nbytes, x.capacity) == (16, 2 * unit)
        execution.launch(stream)
        assert words(context, at + unit, 1) == [2]
        x.close()
        with pytest.raises(dc.ClosedError):
            x.pointer
        with pytest.raises(dc.ClosedError):
            add.launch(1, 32, x, 1, 1)
        with pytest.raises(dc.ClosedError):
            x.resize(unit)
        execution.launch(stream)
        assert (words(context, at, 1), words(context, at + unit, 1)) == ([2], [4])
    assert "mapping" not in context.live_handles()


def test_it_shrinks_when_the_graph_is_gone(context, unit, add, clean):
    with dc.GrowableBuffer(context, unit, room=4 * unit) as x:
        x.resize(3 * unit)
        with context.graph() as graph:
            graph.kernel(add, 1, 32, x, 1, 1)
            x.resize(16)
            assert x.capacity == 3 * unit
        assert x.capacity == unit


def test_shared_by_a_descriptor(context, unit):
    with dc.create_memory(context, unit, shareable=True) as memory:
        descriptor = memory.export()
        with dc.import_memory(context, descriptor, unit) as same, dc.reserve_addresses(context, 2 * unit) as addresses:
            os.close(descriptor)
            with addresses.map(memory) as one, addresses.map(same, unit) as two:
                context.memset(one.pointer, 5, 4)
                assert words(context, two, 1) == [0x05050505]
    with dc.create_memory(context, unit) as private, pytest.raises(dc.CudaError, match="INVALID_VALUE"):
        private.export()
