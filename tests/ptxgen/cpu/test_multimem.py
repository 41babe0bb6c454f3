"""multimem on two places behind one range of addresses."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import arena, run
from tests.ptxgen.cpu.oracle import decode, encode

NBYTES = 256


@pytest.fixture
def places():
    """(the multicast address, views of the two places behind it)."""
    memory = arena()
    base = memory.reserve(NBYTES)
    both = [memory.allocate(NBYTES) for _ in range(2)]
    memory.multicast().add(base, NBYTES, both)
    yield base, [np.frombuffer(memory.view(place, NBYTES), np.uint8) for place in both]
    memory.multicast().remove(base)
    memory.release(base)
    for place in both:
        memory.free(place)


def call(base, body):
    return run("ld.global.u64 %d1, [%in]; mad.wide.u32 %d1, %t, 4, %d1;" + body, data=struct.pack("<Q", base))


def test_a_store_goes_to_each_place(places):
    base, views = places
    call(base, "multimem.st.relaxed.gpu.global.u32 [%d1], %t;")
    assert all(view.view(np.uint32)[:32].tolist() == list(range(32)) for view in views)


@pytest.mark.parametrize(
    "operation, function",
    [("add", np.add), ("min", np.minimum), ("max", np.maximum)],
)
def test_integers_are_reduced(places, operation, function):
    base, (one, other) = places
    one.view(np.int32)[:32], other.view(np.int32)[:32] = np.arange(32) - 5, 20 - np.arange(32)
    expected = function(one.view(np.int32)[:32], other.view(np.int32)[:32]).tolist()
    assert call(base, f"multimem.ld_reduce.{operation}.s32 %r1, [%d1]; st.global.u32 [%o], %r1;").s32 == expected


@pytest.mark.parametrize(
    "operation, function", [("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)]
)
def test_bits_are_reduced(places, operation, function):
    base, (one, other) = places
    one.view(np.uint32)[:32], other.view(np.uint32)[:32] = np.arange(32) * 12345, np.arange(32) * 54321
    expected = function(one.view(np.uint32)[:32], other.view(np.uint32)[:32]).tolist()
    assert (
        call(base, f"multimem.ld_reduce.acquire.sys.{operation}.b32 %r1, [%d1]; st.global.u32 [%o], %r1;").u32
        == expected
    )


def test_floats_and_pairs_of_halves_are_added(places):
    base, (one, other) = places
    one.view(np.float32)[:32], other.view(np.float32)[:32] = 0.5, np.arange(32)
    assert call(base, "multimem.ld_reduce.add.f32 %f1, [%d1]; st.global.f32 [%o], %f1;").f32 == [
        t + 0.5 for t in range(32)
    ]
    one.view(np.float16)[:64], other.view(np.float16)[:64] = 2048, 1.5
    for precise in ("", ".acc::f32"):
        found = call(base, f"multimem.ld_reduce.add{precise}.f16x2 %r1, [%d1]; st.global.u32 [%o], %r1;")
        assert np.frombuffer(found.data, np.float16).tolist() == [2050.0] * 64


EIGHTS = {"e4m3": [0x38, 0x3C, 0x40, 0x7E, 0x08, 0xB8], "e5m2": [0x3C, 0x3E, 0x40, 0x7B, 0x04, 0xBC]}
"""1, 1.5, 2, the largest number, the least normal one, -1."""


@pytest.mark.parametrize("format", EIGHTS)
@pytest.mark.parametrize("operation, acc", [("add", ""), ("add", ".acc::f16"), ("min", ""), ("max", "")])
def test_fp8_is_reduced(places, operation, acc, format):
    """Sums are rounded to nearest even, to at most the largest number; no device was at hand."""
    base, (one, other) = places
    codes = np.array(EIGHTS[format], np.uint8)
    one[:128], other[:128] = np.resize(codes, 128), np.resize(np.repeat(codes, len(codes)), 128)
    found = call(base, f"multimem.ld_reduce.{operation}{acc}.{format}x4 %r1, [%d1]; st.global.u32 [%o], %r1;").data
    for x, y, result in zip(one.tolist(), other.tolist(), found):
        values = decode(x, format), decode(y, format)
        expected = {"add": sum, "min": min, "max": max}[operation](values)
        assert result == encode(expected, format, satfinite=True), (hex(x), hex(y))


def test_vectors_of_fp8_are_stored_and_reduced(places):
    base, views = places
    body = """mov.b16 %h1, 0x38; mov.b16 %h2, 0x40; setp.ne.u32 %p1, %t, 0;
	@!%p1 multimem.st.v4.e4m3 [%d1], {%h1, %h2, %h1, %h1};
	bar.warp.sync 0xffffffff;
	@!%p1 multimem.ld_reduce.add.v4.e4m3 {%h3, %h4, %h5, %h6}, [%d1];
	cvt.u32.u16 %r1, %h4; st.global.u32 [%o], %r1;"""
    assert call(base, body).u32[0] == 0x48  # 2 + 2
    assert all(view[:4].tolist() == [0x38, 0x40, 0x38, 0x38] for view in views)


def test_a_reduction_changes_each_place(places):
    base, views = places
    for view in views:
        view.view(np.uint32)[:32] = 7
    call(base, "multimem.red.relaxed.gpu.add.u32 [%d1], %t;")
    assert all(view.view(np.uint32)[:32].tolist() == [t + 7 for t in range(32)] for view in views)


def test_vectors(places):
    base, views = places
    call(base, "and.b32 %r2, %t, 3; setp.eq.u32 %p1, %r2, 0; mov.f32 %f1, 0f3F800000; "
         "@%p1 multimem.st.v4.f32 [%d1], {%f1, %f1, %f1, %f1};")  # fmt: skip
    assert all((view.view(np.float32)[:32] == 1).all() for view in views)


def test_other_addresses_are_a_fault(places):
    with pytest.raises(KernelFault, match="do not lie in memory that a multicast object is mapped to"):
        call(places[0] + NBYTES - 4, "multimem.st.u32 [%d1], %t;")
    with pytest.raises(KernelFault, match="misaligned address"):
        call(places[0] + 2, "multimem.st.u32 [%d1], %t;")
