"""Page-locked, registered and managed memory; copies and fills of rows and slices; memory that is exhausted."""

import gc

import numpy as np
import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUmem_advise
from driver_ctypes.memory.buffer import in_units
from tests.driver_ctypes.kit import filled, words


def test_kinds_of_page_locked_memory(context, add):
    for options in ({}, {"portable": False}, {"write_combined": True}, {"mapped": True}):
        with context.alloc_pinned(64, **options) as host:
            np.frombuffer(host.view, np.uint32)[:] = 5
            add.launch(1, 32, host.device_pointer, 16, 2)
            context.synchronize()
            assert np.frombuffer(host.view, np.uint32).tolist() == [7] * 16
            gc.collect()


def test_mapped_memory_is_an_argument(context, add, stream):
    with context.alloc_pinned(64, mapped=True) as host:
        np.frombuffer(host.view, np.uint32)[:] = 5
        launch = add.bind(1, 32, stream=stream)
        for _ in range(3):
            launch(host, 16, 2)
        stream.synchronize()
        assert np.frombuffer(host.view, np.uint32).tolist() == [11] * 16
        gc.collect()


def test_registered_memory(context, stream):
    data = np.arange(4096, dtype=np.uint32)
    with context.register(data) as host, context.alloc(data.nbytes) as x:
        assert (host.address, host.nbytes) == (data.ctypes.data, data.nbytes)
        context.copy_to_device(x, host, stream=stream)
        stream.synchronize()
        assert words(context, x, 3) == [0, 1, 2]
        with pytest.raises(dc.CudaError, match="ALREADY_REGISTERED"):
            context.register(data)
    held = bytearray(1 << 16)
    registered = context.register(held)
    with pytest.raises(BufferError):
        held.append(0)
    del registered
    gc.collect()
    context.synchronize()
    held.append(0)


def test_kernels_reach_registered_memory_in_place(context, add, stream):
    data = np.full(4096, 5, np.uint32)
    launch = add.bind(1, 32, stream=stream)
    with context.register(data, mapped=True) as host:
        assert host.device_pointer == host.address
        launch(host.device_pointer, 16, 2)
        stream.synchronize()
    assert data[:17].tolist() == [7] * 16 + [5]


NOT_TO_REGISTER = {
    "a number": (5, dc.ArgumentTypeError),
    "a list": ([1], dc.ArgumentTypeError),
    "nothing": (bytearray(), dc.ArgumentTypeError),
    "read-only bytes": (b"abc", dc.ArgumentError),
}


@pytest.mark.parametrize("source, kind", NOT_TO_REGISTER.values(), ids=NOT_TO_REGISTER)
def test_what_cannot_be_registered(context, source, kind):
    with pytest.raises(kind):
        context.register(source)


@pytest.mark.cpu_only
def test_managed_memory(context, stream, add):
    """Only on the CPU device: the GPUs that are lent take plain allocations."""
    with context.alloc_managed(64) as x:
        np.frombuffer(x.view, np.uint32)[:] = 1
        gc.collect()
        x.advise(CUmem_advise.SET_PREFERRED_LOCATION, context.device)
        x.prefetch(context.device, stream)
        add.launch(1, 32, x, 16, 1, stream=stream)
        x.prefetch(None, stream)
        stream.synchronize()
        view = np.frombuffer(x.view, np.uint32)
        assert view.tolist() == [2] * 16
        with pytest.raises(dc.Error, match="still in use"):
            x.close()
        del view
        gc.collect()


def test_regions(context, stream):
    """A 3 x 5 corner of a matrix of 8 columns, in both directions and on the device."""
    matrix = np.arange(64, dtype=np.uint32).reshape(8, 8)
    back = np.zeros((3, 5), np.uint32)
    with filled(context, matrix.ravel()) as x, context.alloc(60) as corner:
        inside = dc.Region(x, pitch=32, x=8, y=1)
        for on in (None, stream):
            context.memset(corner, 0, 60)
            context.copy_region(corner, inside, 20, 3, stream=on)
            context.copy_region(back, corner, 20, 3, stream=on)
            stream.synchronize()
            assert (back == matrix[1:4, 2:7]).all()
        context.copy_region(dc.Region(x, pitch=32), np.full((2, 2), 99, np.uint32), 8, 2)
        assert words(context, x, 10) == [99, 99, 2, 3, 4, 5, 6, 7, 99, 99]


def test_slices(context):
    cube = np.arange(24, dtype=np.uint32).reshape(2, 3, 4)
    back = np.zeros((2, 2, 2), np.uint32)
    with filled(context, cube.ravel()) as x:
        context.copy_region(back, dc.Region(x, pitch=16, rows=3, x=8, y=1), 8, 2, 2)
    assert (back == cube[:, 1:, 2:]).all()


@pytest.mark.parametrize(
    "region, extent, message",
    [
        ({"pitch": 16}, (32, 2, 1), "the pitch is 16"),
        ({"pitch": 32, "rows": 1}, (32, 2, 2), "2 rows, 1 are from slice to slice"),
        ({"pitch": 32}, (32, 9, 1), "ends after 288 bytes, the Buffer after 256"),
        ({"pitch": 32, "y": 7, "x": 8}, (32, 1, 1), "a row has 40 bytes"),
    ],
)
def test_regions_that_do_not_fit(context, region, extent, message):
    with context.alloc(256) as x, pytest.raises(dc.ArgumentRangeError, match=message):
        context.copy_region(dc.Region(x, **region), bytes(1024), *extent)


def test_rows(context, stream):
    with context.alloc_pitched(100, 4) as x:
        assert x.pitch >= 100
        assert x.nbytes == 4 * x.pitch
        for on in (None, stream):
            context.memset(x, 0, x.nbytes)
            context.memset_rows(x, 7, 25, 3, x.pitch, 4, stream=on)
            stream.synchronize()
            assert words(context, x, 1, offset=2 * x.pitch + 96) == [7]
            assert words(context, x, 1, offset=3 * x.pitch) == [0]
        with pytest.raises(dc.ArgumentRangeError, match="pitch 96"):
            context.memset_rows(x, 7, 25, 3, 96, 4)
    with pytest.raises(dc.ArgumentRangeError, match="4, 8 or 16"):
        context.alloc_pitched(100, 4, 3)


def test_exhausted_memory_says_who_has_it(context):
    with context.alloc(3 << 20):
        with pytest.raises(dc.OutOfMemoryError) as caught:
            context.alloc(1 << 50)
        held, size = context.live_handles()["buffer"], context.live_bytes()["buffer"]  # others of this process too
    text = str(caught.value)
    assert "1048576.0 GiB asked for;" in text
    assert f"{held} buffer(s) of {in_units(size)}" in text
    assert "are free" in text
    context.alloc(16).close()


@pytest.mark.cpu_only
def test_exhausted_memory_is_found_in_pools_and_garbage(python):
    """On a device of 64 MiB: half is garbage in a cycle, and a pool keeps the rest."""
    program = """
context = driver.device(0).primary_context()
pool = dc.create_pool(context)
pool.release_threshold = 1 << 30
stream = context.stream()
with pool.alloc(20 << 20, stream): pass
stream.synchronize()
import gc
gc.disable()
class Node: pass
node = Node(); node.self, node.buffer = node, context.alloc(24 << 20)
del node
free = context.memory_info()[0]
with context.alloc(60 << 20) as x:
    print(free < 60 << 20, x.nbytes >> 20, pool.reserved, context.live_handles().get("buffer"))
"""
    assert python(program, PTXGEN_CPU_MEMORY="64M") == "True 60 0 1"
