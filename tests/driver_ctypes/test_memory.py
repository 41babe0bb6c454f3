"""Device and pinned memory, copies and fills."""

import array
import ctypes
import gc

import numpy as np
import pytest

import driver_ctypes as dc


def test_a_buffer(fake, context):
    with context.alloc(100) as buffer:
        assert (buffer.nbytes, buffer.context, buffer.closed) == (100, context, False)
        assert buffer.pointer in fake.memory
    assert buffer.closed
    assert fake.live() == {}
    with pytest.raises(dc.ClosedError, match="this buffer is closed"):
        buffer.pointer
    buffer.close()
    assert fake.counts["cuMemFree_v2"] == 1


def test_an_empty_buffer_costs_nothing(fake, context):
    buffer = context.alloc(0)
    assert (buffer.pointer, buffer.nbytes) == (0, 0)
    buffer.close()
    assert fake.counts["cuMemAlloc_v2"] == fake.counts["cuMemFree_v2"] == 0


def test_too_much(context):
    with pytest.raises(dc.OutOfMemoryError, match="bytesize=1099511627776"):
        context.alloc(1 << 40)
    context.alloc(16)


@pytest.mark.parametrize(
    "size, kind", [(-1, dc.ArgumentRangeError), (1.5, dc.ArgumentTypeError), ("4", dc.ArgumentTypeError)]
)
def test_a_size_that_is_none(context, size, kind):
    with pytest.raises(kind):
        context.alloc(size)


SOURCES = {
    "bytes": b"\1\0\2\0\3\0\4\0",
    "bytearray": bytearray(b"\1\0\2\0\3\0\4\0"),
    "memoryview": memoryview(b"\1\0\2\0\3\0\4\0"),
    "array": array.array("H", [1, 2, 3, 4]),
    "numpy": np.array([1, 2, 3, 4], np.uint16),
    "numpy read-only": np.frombuffer(b"\1\0\2\0\3\0\4\0", np.uint16),
    "numpy 2d": np.array([[1, 2], [3, 4]], np.uint16),
    "ctypes": (ctypes.c_uint16 * 4)(1, 2, 3, 4),
    "numpy records": np.array([(0x20001, 0x40003)], [("One", "u4"), ("Other", "u4")]),
    "numpy dates": np.array([0x4000300020001], np.int64).view("datetime64[s]"),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_there_and_back(context, stream, source, asynchronous):
    on = stream if asynchronous else None
    one, two = context.alloc(8), context.alloc(8)
    back = np.zeros(4, np.uint16)
    context.copy_to_device(one, source, stream=on)
    context.copy(two, one, 8, stream=on)
    context.copy_to_host(back, two, stream=on)
    stream.synchronize()
    assert back.tolist() == [1, 2, 3, 4]


def test_the_asynchronous_form_goes_to_its_stream(fake, context, stream):
    buffer = context.alloc(8)
    context.copy_to_device(buffer, b"12345678", stream=stream)
    context.memset(buffer, 0, 8, stream=stream)
    used = [symbol for symbol in fake.symbols() if symbol.startswith("cuMem")]
    assert used == ["cuMemAlloc_v2", "cuMemcpyHtoDAsync_v2", "cuMemsetD8Async"]


def test_addresses_and_parts(context):
    buffer = context.alloc(8)
    context.memset(buffer, 0, 8)
    context.copy_to_device(buffer.pointer + 4, b"abcd")
    back = bytearray(2)
    context.copy_to_host(back, buffer.pointer + 5, 2)
    assert back == b"bc"
    host = (ctypes.c_char * 4)()
    context.copy_to_host(ctypes.addressof(host), buffer.pointer + 4, 4)
    assert host.raw == b"abcd"
    context.copy_to_device(buffer, ctypes.addressof(host))
    context.copy_to_host(back, buffer.pointer)
    assert back == b"ab"


@pytest.mark.parametrize(
    "copy, kind, message",
    [
        (lambda c, b: c.copy_to_device(b, b"123456789"), dc.ArgumentRangeError, "9 bytes do not fit the Buffer of 8"),
        (lambda c, b: c.copy_to_device(b, b"12", 4), dc.ArgumentRangeError, "the host side has 2"),
        (lambda c, b: c.copy_to_host(bytearray(9), b), dc.ArgumentRangeError, "9 bytes do not fit"),
        (lambda c, b: c.copy(b, b, 16), dc.ArgumentRangeError, "16 bytes do not fit"),
        (lambda c, b: c.copy_to_host(b"12345678", b), dc.ArgumentError, "writable"),
        (lambda c, b: c.copy_to_device(b, np.zeros((4, 4), np.uint8)[:, ::2]), dc.ArgumentError, "contiguous"),
        (lambda c, b: c.copy_to_device(b, [1, 2]), dc.ArgumentTypeError, "list is not host memory"),
        (lambda c, b: c.copy_to_device(b, np.array([1, None])), dc.ArgumentTypeError, "ndarray holds Python objects"),
        (
            lambda c, b: c.copy_to_device(b, np.ma.masked_array([1], [1])),
            dc.ArgumentTypeError,
            "masked array loses its mask",
        ),
        (
            lambda c, b: c.copy_to_host(np.ma.masked_array([1], [1]), b),
            dc.ArgumentTypeError,
            "masked array loses its mask",
        ),
        (lambda c, b: c.copy_to_host(np.array([None]), b), dc.ArgumentTypeError, "ndarray holds Python objects"),
        (lambda c, b: c.copy_to_host((ctypes.py_object * 1)(), b), dc.ArgumentTypeError, "holds Python objects"),
        (lambda c, b: c.copy_to_host(np.zeros(1, [("x", object)]), b), dc.ArgumentTypeError, "holds Python objects"),
        (lambda c, b: c.copy_to_device(b.pointer, 0x1000), dc.ArgumentTypeError, "pass nbytes"),
        (lambda c, b: c.copy_to_device(np.zeros(8), b"12345678"), dc.ArgumentTypeError, "host memory"),
        (lambda c, b: c.copy_to_device(None, b"12345678"), dc.ArgumentTypeError, "device pointer"),
        (lambda c, b: c.memset(b, 256, 8), dc.ArgumentRangeError, r"256 does not fit 1 byte"),
        (lambda c, b: c.memset(b, 0, 9), dc.ArgumentRangeError, "9 bytes do not fit"),
        (lambda c, b: c.memset(b, 0, 3, 4), dc.ArgumentRangeError, "12 bytes do not fit"),
        (lambda c, b: c.memset(b, 0, 1, 8), dc.ArgumentRangeError, "1, 2 or 4 bytes"),
        (lambda c, b: c.memset(b.pointer + 1, 0, 1, 4), dc.ArgumentRangeError, "not aligned to 4 bytes"),
        (lambda c, b: c.memset(b, 1.5, 1), dc.ArgumentTypeError, "integer"),
        (lambda c, b: c.memset(0, 1, 1), dc.ArgumentRangeError, "at a null pointer"),
        (lambda c, b: c.copy(b, 0, 4), dc.ArgumentRangeError, "at a null pointer"),
        (lambda c, b: c.copy_to_host(bytearray(4), 0), dc.ArgumentRangeError, "at a null pointer"),
    ],
)
def test_bad_copies_and_fills_reach_no_driver(fake, context, copy, kind, message):
    buffer = context.alloc(8)
    before = len(fake.calls)
    with pytest.raises(kind, match=message):
        copy(context, buffer)
    assert len(fake.calls) == before


def test_a_buffer_of_another_context_is_refused(fake, context):
    other = fake.open("other").device(0).primary_context()
    with pytest.raises(dc.ArgumentError, match="lives on"):
        other.copy_to_device(context.alloc(4), b"1234")


@pytest.mark.parametrize(
    "value, width, expected",
    [(0xAB, 1, b"\xab" * 8), (-1, 1, b"\xff" * 8), (0x1234, 2, b"\x34\x12" * 4), (0x01020304, 4, b"\4\3\2\1" * 2)],
)
def test_memset(context, stream, value, width, expected):
    for on in (None, stream):
        buffer, back = context.alloc(8), bytearray(8)
        context.memset(buffer, value, 8 // width, width, stream=on)
        context.copy_to_host(back, buffer)
        assert back == expected


def test_a_host_buffer_is_held_open_only_during_the_copy(context):
    source = bytearray(b"12345678")
    context.copy_to_device(context.alloc(8), source)
    source.append(0)  # would raise BufferError while exported


def test_pinned_memory(fake, context):
    pinned = context.alloc_pinned(16)
    assert pinned.nbytes == 16
    view = np.frombuffer(pinned.view, np.float32)
    view[:] = [1, 2, 3, 4]
    buffer = context.alloc(16)
    context.copy_to_device(buffer, pinned)
    view[:] = 0
    context.copy_to_host(pinned, buffer)
    assert view.tolist() == [1, 2, 3, 4]
    with pytest.raises(dc.Error, match="still in use"):
        pinned.close()
    del view
    pinned.close()
    assert fake.pinned == {}
    with pytest.raises(dc.ClosedError):
        pinned.address


def test_a_view_keeps_pinned_memory(fake, context):
    view = context.alloc_pinned(4).view
    gc.collect()
    context.synchronize()
    assert len(fake.pinned) == 1
    view[:] = b"abcd"
    view.release()
    del view
    gc.collect()
    context.synchronize()
    assert fake.pinned == {}
