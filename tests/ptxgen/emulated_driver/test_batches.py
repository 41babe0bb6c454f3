"""The emulated driver's batches, its older functions, and who listens to its log."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.structs import (
    CUDA_MEMCPY3D_BATCH_OP,
    CUdevprop,
    CUmemAccessDesc,
    CUmemcpyAttributes,
    CUmemLocation,
    CUmemPoolProps,
)
from tests.driver_ctypes.kit import filled, open_driver, words

pytestmark = pytest.mark.cpu_only

DEVICE, CPU, NODE, NOWHERE = CUmemLocation(1, 0), CUmemLocation(2, 0), CUmemLocation(3, 0), CUmemLocation(0, 0)


@pytest.fixture(scope="module")
def context():
    return open_driver("cpu").device(0).primary_context()


@pytest.fixture
def stream(context):
    with context.stream() as stream:
        yield stream


def longs(*values):
    return (c_uint64 * len(values))(*values)


def sizes(*values):
    return (c_size_t * len(values))(*values)


def copy_batch(context, stream, targets, sources, lengths, *, order=1, starts=(0,)):
    attributes = (CUmemcpyAttributes * len(starts))(*[CUmemcpyAttributes(order)] * len(starts))
    args = longs(*targets), longs(*sources), sizes(*lengths), len(targets), attributes, sizes(*starts), len(starts)
    context.call("cuMemcpyBatchAsync_v2", *args, stream.handle)


def test_copies_of_all_directions_in_one_call(context, stream):
    with filled(context, [1, 2, 3, 4]) as x, filled(context, [0] * 4) as y:
        host = (ctypes.c_uint32 * 2)(7, 8)
        back = (ctypes.c_uint32 * 2)()
        copy_batch(
            context,
            stream,
            [y.pointer, y.pointer + 8, ctypes.addressof(back)],
            [x.pointer, ctypes.addressof(host), x.pointer + 8],
            [8, 8, 8],
            starts=(0, 1),
        )
        assert words(context, y, 4) == [1, 2, 7, 8]
        assert list(back) == [3, 4]


def test_a_batch_with_one_wrong_copy_does_none(context, stream):
    with filled(context, [1, 2]) as x, filled(context, [0, 0]) as y:
        for wrong in (
            {"lengths": [4, 99]},
            {"lengths": [4, 0]},
            {"order": 9},
            {"starts": (1,)},
            {"starts": (0, 5)},
        ):
            given = {"lengths": [4, 4], **wrong}
            with pytest.raises(dc.CudaError) as caught:
                copy_batch(context, stream, [y.pointer, y.pointer + 4], [x.pointer, x.pointer + 4], **given)
            assert caught.value.code == 1
        with pytest.raises(dc.CudaError, match="not to the legacy default one"):
            copy_batch(context, context.default_stream, [y.pointer], [x.pointer], [4])
        assert words(context, y, 2) == [0, 0]


def test_boxes_are_copied_with_their_pitches(context, stream):
    with filled(context, range(16)) as x, filled(context, [0] * 4) as y:
        operation = CUDA_MEMCPY3D_BATCH_OP(srcAccessOrder=1)
        operation.extent.width, operation.extent.height, operation.extent.depth = 8, 2, 1
        operation.src.type = operation.dst.type = 1
        operation.src.op.ptr.ptr, operation.src.op.ptr.rowLength = x.pointer + 20, 16
        operation.dst.op.ptr.ptr = y.pointer
        context.call("cuMemcpy3DBatchAsync_v2", 1, byref(operation), 0, stream.handle)
        assert words(context, y, 4) == [5, 6, 9, 10]
        operation.src.type = 2
        with pytest.raises(dc.NotSupportedError, match="the CPU device has no arrays"):
            context.call("cuMemcpy3DBatchAsync_v2", 1, byref(operation), 0, stream.handle)


def test_managed_memory_is_advised_moved_and_discarded(context, stream):
    with context.alloc_managed(8192) as x, filled(context, [1]) as plain:
        pair = longs(x.pointer, x.pointer + 4096), sizes(4096, 4096), 2
        places = (CUmemLocation * 2)(DEVICE, CPU), sizes(0, 1), 2
        context.call("cuMemPrefetchBatchAsync", *pair, *places, 0, stream.handle)
        context.call("cuMemDiscardBatchAsync", *pair, 0, stream.handle)
        context.call("cuMemDiscardAndPrefetchBatchAsync", *pair, *places, 0, stream.handle)
        for device in (0, -1):
            context.call("cuMemAdvise", x.pointer, 4096, 3, device)
            context.call("cuMemPrefetchAsync", x.pointer, 4096, device, stream.handle)
        with pytest.raises(dc.CudaError, match="is not managed memory"):
            context.call("cuMemDiscardBatchAsync", longs(plain.pointer), sizes(4), 1, 0, stream.handle)
        with pytest.raises(dc.CudaError):
            context.call("cuMemAdvise", x.pointer, 4096, 3, 7)


READ_MOSTLY, PREFERRED, ACCESSED_BY, LAST_PREFETCH, PREFERRED_TYPE, PREFERRED_ID = range(1, 7)


def test_what_was_advised_of_managed_memory_is_told(context, stream):
    def told(attribute, start=0, nbytes=8192, numbers=1):
        answer = (c_int * numbers)()
        context.call("cuMemRangeGetAttribute", answer, 4 * numbers, attribute, x.pointer + start, nbytes)
        return list(answer)

    with context.alloc_managed(8192) as x:
        every = READ_MOSTLY, PREFERRED, ACCESSED_BY, LAST_PREFETCH, PREFERRED_TYPE
        assert [told(attribute) for attribute in every] == [[0], [-2], [-2], [-2], [0]]
        context.call("cuMemAdvise", x.pointer, 4096, 1, 0)  # read mostly, one half
        assert [told(READ_MOSTLY, *half) for half in ((0, 4096), (4096, 4096), (0, 8192))] == [[1], [0], [0]]
        context.call("cuMemAdvise", x.pointer + 4096, 4096, 1, 0)
        assert told(READ_MOSTLY) == [1]
        context.call("cuMemAdvise", x.pointer, 8192, 2, 0)
        assert told(READ_MOSTLY) == [0]

        context.call("cuMemAdvise_v2", x.pointer, 8192, 3, CUmemLocation(3, 0))  # preferred: NUMA node 0
        assert [told(PREFERRED), told(PREFERRED_TYPE), told(PREFERRED_ID)] == [[-1], [3], [0]]
        context.call("cuMemAdvise", x.pointer, 4096, 3, 0)
        assert [told(PREFERRED, *half) for half in ((0, 4096), (4096, 4096), (0, 8192))] == [[0], [-1], [-2]]
        context.call("cuMemAdvise", x.pointer, 8192, 4, 0)
        assert told(PREFERRED) == [-2]

        for device in (0, -1):
            context.call("cuMemAdvise", x.pointer, 8192, 5, device)
        assert sorted(told(ACCESSED_BY, numbers=3)) == [-2, -1, 0]
        context.call("cuMemAdvise", x.pointer, 8192, 6, 0)
        assert told(ACCESSED_BY, numbers=3) == [-1, -2, -2]

        context.call("cuMemPrefetchAsync", x.pointer, 8192, 0, stream.handle)
        answers = c_int(9), c_int(9)
        pointers = (c_void_p * 2)(*map(ctypes.addressof, answers))
        context.call("cuMemRangeGetAttributes", pointers, sizes(4, 4), (c_int * 2)(1, 4), 2, x.pointer, 8192)
        assert [answer.value for answer in answers] == [0, 0]
        for wrong in ((9, 4), (PREFERRED, 8), (ACCESSED_BY, 6)):
            with pytest.raises(dc.CudaError, match="attribute"):
                context.call("cuMemRangeGetAttribute", byref(answers[0]), wrong[1], wrong[0], x.pointer, 8192)


def test_batches_break_a_capture(context, stream):
    with filled(context, [1]) as x, pytest.raises(dc.CaptureError, match="batches cannot be captured"):
        with stream.capture():
            copy_batch(context, stream, [x.pointer], [x.pointer], [4])


def test_pools_by_location(context):
    pool, default = c_void_p(), c_void_p()
    with dc.create_pool(context) as mine:
        context.call("cuMemGetDefaultMemPool", byref(default), byref(DEVICE), 1)
        context.call("cuMemSetMemPool", byref(DEVICE), 1, mine.handle)
        context.call("cuMemGetMemPool", byref(pool), byref(DEVICE), 1)
        assert pool.value == mine.handle != default.value
        context.call("cuMemSetMemPool", byref(DEVICE), 1, default)
    with pytest.raises(dc.CudaError, match="on a device"):
        context.call("cuMemGetMemPool", byref(pool), byref(NOWHERE), 1)


@pytest.mark.parametrize(
    "place,kind,is_managed", [(CPU, 1, 0), (NODE, 1, 0), (CPU, 2, 1), (DEVICE, 2, 1), (NOWHERE, 2, 1)]
)
def test_pools_of_the_host_and_of_managed_memory(context, stream, place, kind, is_managed):
    pool, address, number = c_void_p(), c_uint64(), c_int()
    wanted = CUmemPoolProps(allocType=kind, location=place)
    context.call("cuMemPoolCreate", byref(pool), byref(wanted))
    context.call("cuMemAllocFromPoolAsync", byref(address), 1000, pool, stream.handle)
    for attribute, expected in ((2, 2 if is_managed else 1), (8, is_managed)):  # kind of memory, managed
        context.call("cuPointerGetAttribute", byref(number), attribute, address)
        assert number.value == expected
    ctypes.memset(address.value, 7, 1000)  # the host reaches it
    rights = CUmemAccessDesc(location=DEVICE, flags=3)
    context.call("cuMemPoolSetAccess", pool, byref(rights), 1)
    context.call("cuMemPoolGetAccess", byref(number), pool, byref(DEVICE))
    assert number.value == 3
    context.call("cuMemFreeAsync", address, stream.handle)
    context.call("cuMemPoolDestroy", pool)


def test_older_functions_say_what_newer_ones_do(context, stream):
    driver, major, minor, properties = context.driver, c_int(), c_int(), CUdevprop()
    driver.call("cuDeviceComputeCapability", byref(major), byref(minor), 0)
    assert (major.value, minor.value) == context.device.compute_capability
    driver.call("cuDeviceGetProperties", byref(properties), 0)
    assert properties.maxThreadsPerBlock == context.device.limits.max_threads_per_block
    assert properties.SIMDWidth == 32
    for config in (0, 1, 2):
        context.call("cuCtxSetSharedMemConfig", config)
    context.call("cuCtxGetSharedMemConfig", byref(major))
    assert major.value == 1
    driver.call("cuDeviceGetExecAffinitySupport", byref(minor), 0, 0)
    assert minor.value == 0
    owner, green = c_void_p(), c_void_p(5)
    context.call("cuStreamGetCtx_v2", stream.handle, byref(owner), byref(green))
    assert (owner.value, green.value) == (context.handle, None)


def test_a_listener_hears_every_entry_of_the_log(context):
    kind = ctypes.CFUNCTYPE(None, c_void_p, c_int, ctypes.c_char_p, c_size_t)
    heard = []
    listener = kind(lambda data, level, text, length: heard.append((data, level, text.decode(), length)))
    handle = c_void_p()
    context.driver.call("cuLogsRegisterCallback", ctypes.cast(listener, c_void_p), 77, byref(handle))
    with pytest.raises(dc.CudaError):
        context.limit(99)
    context.driver.call("cuLogsUnregisterCallback", handle)
    with pytest.raises(dc.CudaError):
        context.limit(99)
    (data, level, text, length), (_, _, result, _) = heard
    assert (data, level, length) == (77, 0, len(text))
    assert "limit 99 is unknown" in text
    assert "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuCtxGetLimit" in result
    with pytest.raises(dc.CudaError, match="is not a callback of the log"):
        context.driver.call("cuLogsUnregisterCallback", handle)
