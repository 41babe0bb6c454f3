"""Parts of buffers, and memory that other libraries take: numpy, DLPack, the interface of CUDA arrays."""

import gc
import sys

import numpy as np
import pytest

import driver_ctypes as dc
from driver_ctypes.interop import dlpack
from tests.driver_ctypes.kit import filled, words


def test_a_part_is_memory_of_its_own_size(context, stream, put):
    with filled(context, range(8)) as x:
        part = x[8:24]
        assert (part.nbytes, part.pointer, part.buffer, part.closed) == (16, x.pointer + 8, x, False)
        assert words(context, part, 4) == [2, 3, 4, 5]
        context.memset(part, 0, 16)
        context.copy_to_device(x[-4:], b"\7\0\0\0")
        context.copy(x[:4], x[28:], 4)
        put.launch(1, 1, part, 0, 9)
        launch = put.bind(1, 1, stream=stream)
        for slot in (1, 2, 3):
            launch(part, slot, slot)
        stream.synchronize()
        assert words(context, x, 8) == [7, 1, 9, 1, 2, 3, 6, 7]
        assert words(context, part[4:][4:8], 1) == [2]
        assert x[24:8].nbytes == x[32:].nbytes == 0
        with pytest.raises(dc.ArgumentRangeError, match="20 bytes do not fit the BufferPart of 16 bytes"):
            context.memset(part, 0, 20)
    with pytest.raises(dc.ClosedError):
        part.pointer
    with pytest.raises(dc.ClosedError):
        launch(part, 0, 0)


def test_a_part_keeps_its_buffer(context):
    part = filled(context, range(8))[4:8]
    gc.collect()
    assert words(context, part, 1) == [1]


def test_a_graph_keeps_the_buffer_of_a_part(context, stream, put, x):
    part = x[8:16]
    with stream.capture() as capture:
        put.launch(1, 1, part, 0, 5, stream=stream)
    with capture.graph as graph, graph.instantiate() as execution:
        x.close()
        execution.launch(stream)
        stream.synchronize()


@pytest.mark.parametrize("part", [3, "4:8", None, (1, 2), slice(0, 8, 2), slice("a", None), slice(0.5, 2)])
def test_what_is_no_part(x, part):
    with pytest.raises(dc.ArgumentError):
        x[part]


def test_numpy_is_not_given_device_memory(x):
    for memory in (x, x[4:]):
        with pytest.raises(dc.ArgumentTypeError, match="is device memory, which numpy cannot see"):
            np.asarray(memory)


def test_numpy_takes_host_memory_as_it_is(context):
    for make in (context.alloc_pinned, context.alloc_managed):
        with make(16) as host:
            context.synchronize()
            array = np.asarray(host)
            array[:] = range(16)
            assert bytes(host.view) == bytes(range(16))
            assert np.asarray(host, np.int32).dtype == np.int32
            with pytest.raises(dc.Error, match="still in use"):
                host.close()
            if sys.version_info >= (3, 12):
                assert np.frombuffer(host, np.uint32)[0] == 0x03020100
            shared = np.from_dlpack(host)
            assert shared.tolist() == list(range(16))
            del array, shared
            gc.collect()
            context.live_handles()


class Tensor:
    """Host memory that speaks DLPack alone, as PyTorch's tensors of the processor do."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__()


def test_host_memory_by_dlpack(context, x):
    source, back = Tensor(np.arange(8, dtype=np.uint32)), Tensor(np.zeros(8, np.uint32))
    context.copy_to_device(x, source)
    context.copy_to_host(back, x)
    assert back.array.tolist() == list(range(8))
    with pytest.raises(dc.ArgumentError, match="do not lie in C order"):
        context.copy_to_device(x, Tensor(np.zeros((4, 4), np.uint8)[:, ::2]))
    with pytest.raises(dc.ArgumentRangeError, match="64 bytes do not fit"):
        context.copy_to_device(x, Tensor(np.zeros(8)))


@pytest.mark.cpu_only
def test_an_emulated_device_s_memory_stays_there(x):
    assert not hasattr(x, "__cuda_array_interface__")
    with pytest.raises(BufferError, match="emulated device's own arena"):
        x.__dlpack__()


@pytest.mark.cuda_only
def test_a_gpu_s_memory_is_given(context, x):
    others = context.live_handles()["buffer"] - 1
    part = x[4:12]
    assert part.__cuda_array_interface__["shape"] == (8,)
    assert part.__cuda_array_interface__["data"] == (x.pointer + 4, False)
    assert part.__dlpack_device__() == (dlpack.CUDA, context.device.ordinal)
    taken = dlpack.take(part, stream=1)
    assert (taken.fields.data, taken.shape) == (x.pointer + 4, (8,))
    x.close()
    assert context.live_handles()["buffer"] == others + 1  # still there for its receiver
    taken.release()
    gc.collect()
    assert context.live_handles().get("buffer", 0) == others
