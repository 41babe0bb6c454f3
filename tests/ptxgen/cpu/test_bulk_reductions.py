"""cp.reduce.async.bulk and its tensor form (manual 9.7.9.25.4.2 and 9.7.9.25.5.3): every operation and type."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

import driver_ctypes as dc
from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import run
from tests.ptxgen.cpu.on_device import run_on
from tests.ptxgen.cpu.test_tensor_copies import MAP, map_of
from tests.ptxgen.cpu.test_tensor_copies import Box as TensorBox

if TYPE_CHECKING:
    from collections.abc import Callable

CODES = {
    "u32": "I",
    "s32": "i",
    "b32": "I",
    "u64": "Q",
    "s64": "q",
    "b64": "Q",
    "f32": "f",
    "f64": "d",
    "f16": "e",
    "f32_ftz": "f",
}
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "inc": lambda a, b: 0 if a >= b else a + 1,
    "dec": lambda a, b: b if a == 0 or a > b else a - 1,
}
GLOBAL = [
    *((f"{op}.{type}", type) for op in ("and", "or", "xor") for type in ("b32", "b64")),
    *((f"{op}.{type}", type) for op in ("min", "max") for type in ("u32", "s32", "u64", "s64", "f16", "bf16")),
    *((f"add.{type}", type) for type in ("u32", "s32", "u64", "f32", "f64")),
    *((f"add.noftz.{type}", type) for type in ("f16", "bf16")),
    ("inc.u32", "u32"),
    ("dec.u32", "u32"),
]
SHARED = [
    *((f"{op}.b32", "b32") for op in ("and", "or", "xor")),
    *((f"{op}.{type}", type) for op in ("add", "min", "max") for type in ("u32", "s32")),
    ("inc.u32", "u32"), ("dec.u32", "u32"), ("add.u64", "u64"),
]  # fmt: skip
TENSOR = [
    *((op, type) for op in ("and", "or", "xor") for type in ("u32", "s32", "u64")),
    *((op, type) for op in ("min", "max") for type in ("u32", "s32", "u64", "s64", "f16", "bf16")),
    *(("add", type) for type in ("u32", "s32", "u64", "f32", "f32_ftz", "f64", "f16", "bf16")),
    ("inc", "u32"), ("dec", "u32"),
]  # fmt: skip
NBYTES = 128


def pack(numbers: list[int], type: str) -> bytes:
    """Small integers as numbers of a type."""
    if type == "bf16":
        return b"".join(struct.pack("<f", n)[2:] for n in numbers)
    return struct.pack(f"<{len(numbers)}{CODES[type]}", *numbers)


def numbers(type: str, factor: int) -> list[int]:
    """As many small integers as `NBYTES` hold; some negative where the type has such."""
    count = NBYTES // len(pack([0], type))
    low = 100 if type[0] in "ub" and type != "bf16" else 0
    return [low + factor * (i + 3) % 97 - (48 if low == 0 else 0) for i in range(count)]


def reduced(operation: str, type: str) -> bytes:
    """What memory holds afterwards; the numbers are small enough that every float is exact."""
    name = operation.partition(".")[0]
    return pack([OPERATIONS[name](a, b) for a, b in zip(numbers(type, 5), numbers(type, 31))], type)


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


READY = """
	.shared .align 128 .b32 tile[64]; .shared .align 8 .b64 bar;
	mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1; mad.wide.u32 %d1, %t, 4, %in;
	setp.eq.u32 %p9, %t, 0;
	@%p9 mbarrier.init.shared::cta.b64 [bar], 1;
	ld.global.u32 %r3, [%d1+128]; st.shared.u32 [%r2], %r3;
	ld.global.u32 %r3, [%d1]; st.shared.u32 [%r2+128], %r3;
	fence.mbarrier_init.release.cluster; fence.proxy.async;
	bar.sync 0;
"""
FINISH = "\t@%p9 cp.async.bulk.commit_group;\n\t@%p9 cp.async.bulk.wait_group 0;"


def data(type: str) -> bytes:
    return pack(numbers(type, 5), type) + pack(numbers(type, 31), type)


@pytest.mark.parametrize("operation, type", GLOBAL)
def test_global_memory(device_name, operation, type):
    body = READY + f"\t@%p9 cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation} [%in], [%r1], 128;\n{FINISH}"
    found = run_on(device_name, body, words=0, data=data(type), sm="90")
    assert found == words(reduced(operation, type) + data(type)[128:])


@pytest.mark.parametrize("operation, type", SHARED)
def test_shared_memory(device_name, operation, type):
    body = (
        READY
        + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	@%p9 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{operation} [%r1+128], [%r1], 128, [bar];
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p8, [bar], 0;
	@!%p8 bra WAIT;
	ld.shared.u32 %r3, [%r2+128]; st.global.u32 [%o], %r3;"""
    )
    found = run_on(device_name, body, data=data(type), sm="90", options={"cluster": (1, 1, 1)})
    assert found == words(reduced(operation, type))


@pytest.mark.parametrize("operation, type", TENSOR)
def test_tensors(device_name, operation, type):
    """The last row lies outside, and so do the last elements of the others: a box of 4 rows on 3 rows of a tensor whose rows
    have one element less than 16 bytes. Reductions go by 16 bytes, and do that element too."""
    size = len(pack([0], type))
    body = (
        READY
        + f"""
	mov.u64 %d3, m0; cvta.param.u64 %d3, %d3;
	@%p9 cp.reduce.async.bulk.tensor.2d.global.shared::cta.{operation}.tile.bulk_group [%d3, {{0, 0}}], [%r1];
{FINISH}"""
    )
    expected = bytearray(data(type))
    for row in range(3):
        here = slice(32 * row, 32 * row + 16)
        expected[here] = reduced(operation, type)[here]

    def maps(buffer):
        return [dc.tensor_map(buffer, type, (16 // size - 1, 3), (32 // size, 4), strides=(32,))]

    found = run_on(device_name, body, words=0, data=data(type), maps=maps, count=1, sm="90a")
    assert found == words(bytes(expected))


@pytest.mark.parametrize("element, keeps", [(None, True), ("f32", True), ("tf32", True), ("f32_ftz", False)])
def test_sums_and_subnormals(device_name, element, keeps):
    """Bulk reductions keep them, in tensors of f32_ftz they are zeros, before and afterwards."""
    cases = [  # a, b, their sum, the same with zeros for subnormals
        (1, 1, 2, 0), (0x80000001, 0, 0x80000001, 0), (0x80400000, 0x80000000, 0x80400000, 0x80000000),
        (0x00800000, 0x80000001, 0x007FFFFF, 0x00800000), (0x00800000, 0x80FFFFFF, 0x807FFFFF, 0x80000000),
        (0x00800000, 1, 0x00800001, 0x00800000), (0x7FC12345, 1, 0x7FFFFFFF, 0x7FFFFFFF), (0x3F800000, 1, 0x3F800000, 0x3F800000),
    ]  # fmt: skip
    columns = [[case[i] for case in cases] for i in range(4)]
    copy, maps = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%in], [%r1], 32;", None
    if element is not None:
        copy = "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%d3, {0}], [%r1];"

        def maps(buffer):
            return [dc.tensor_map(buffer, element, (8,), (8,))]

    address = "mov.u64 %d3, m0; cvta.param.u64 %d3, %d3;" if maps else ""
    body = f"{READY}\t{address}\n\t@%p9 {copy}\n{FINISH}"
    given = struct.pack("<8I96x8I96x", *columns[0], *columns[1])
    found = run_on(device_name, body, words=0, data=given, maps=maps, count=1 if maps else 0, sm="90a")
    assert found[:8] == columns[2 if keeps else 3]


def test_a_sum_of_many_ctas(device_name):
    body = (
        READY
        + f"""
	st.shared.u32 [%r2], %t; fence.proxy.async; bar.sync 0;
	@%p9 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r1], 128;
{FINISH}"""
    )
    assert run_on(device_name, body, grid=20, data=bytes(256), sm="90") == [20 * t for t in range(32)]


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "operation, element", [("min", "f32"), ("and", "s64"), ("add", "s64"), ("inc", "s32"), ("add", "u8")]
)
def test_a_reduction_that_the_tensor_has_no_type_for(operation, element):
    """An illegal instruction on an H200 too."""
    data = bytes(64) + map_of(TensorBox(element, (64, 32), (16, 8), (0, 0)), 0x1000)
    copy = f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{operation}.tile.bulk_group [%d3, {{128, 0}}], [%r1];"
    with pytest.raises(KernelFault, match="the reduction is none for the type") as caught:
        run(MAP + copy, block=(1, 1, 1), data=data)
    assert caught.value.kind == "tensor map"
