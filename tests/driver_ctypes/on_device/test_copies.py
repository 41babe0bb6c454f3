"""Copies and fills, page-locked memory, and more memory than there is."""

from __future__ import annotations

import array

import pytest

import driver_ctypes as dc


def test_copies_and_fills(context, stream):
    one, two = context.alloc(4096), context.alloc(4096)
    data = array.array("I", range(1024))
    back = array.array("I", bytes(4096))
    context.copy_to_device(one, data)
    context.copy(two, one, 4096)
    context.copy_to_host(back, two)
    assert back == data
    context.memset(two, 7, 4096)
    context.memset(two.pointer + 16, 0x1234, 8, 2)
    context.memset(two.pointer + 64, 0xDEADBEEF, 4, 4)
    context.copy_to_host(back, two)
    assert back[:4].tolist() == [0x07070707] * 4
    assert back[4:8].tolist() == [0x12341234] * 4
    assert back[16:20].tolist() == [0xDEADBEEF] * 4
    context.memset(one, 1, 1024, 4, stream=stream)
    context.copy(two, one, 2048, stream=stream)
    context.copy_to_host(back, two, stream=stream)
    stream.synchronize()
    assert back[:512].tolist() == [1] * 512
    assert back[512] == 0x07070707


def test_pinned_memory(context, stream):
    pinned = context.alloc_pinned(4096)
    pinned.view[:] = bytes(range(256)) * 16
    buffer = context.alloc(4096)
    context.copy_to_device(buffer, pinned, stream=stream)
    stream.synchronize()
    pinned.view[:] = bytes(4096)
    context.copy_to_host(pinned, buffer, stream=stream)
    stream.synchronize()
    assert bytes(pinned.view) == bytes(range(256)) * 16


def test_more_memory_than_there_is(context):
    with pytest.raises(dc.OutOfMemoryError):
        context.alloc(1 << 50)
    context.alloc(1 << 20).close()
