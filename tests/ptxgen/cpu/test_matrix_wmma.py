"""wmma on both devices: load, multiply, store; what the products are is what mma gives (test_matrix_floats.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import b32
from ptxgen.cpu import KernelFault
from ptxgen.isa.forms import resolve
from ptxgen.isa.types import TYPES
from tests.ptxgen.cpu import tensor_cores
from tests.ptxgen.cpu.machine import BASE, FAST, run
from tests.ptxgen.cpu.matrix_kernels import Array
from tests.ptxgen.cpu.matrix_numbers import operands
from tests.ptxgen.cpu.test_matrix_integers import full, signed, wrapped

PAD = 16
"""Elements between the end of a line in memory and the next."""


def registers(k: px.Builder, name: str, operand: int) -> tuple[Any, ...]:
    return tuple(k.var(getattr(px, part.type.name)) for part in resolve(name)[0].operands[operand].parts)


def in_memory(matrices: Array, order: str, bits: int, pad: int) -> Array:
    """Matrices of bits one after the other, as 32-bit words."""
    lines = matrices if order == "row" else np.swapaxes(matrices, -1, -2)
    lines = np.pad(lines, ((0, 0), (0, 0), (0, pad)))
    if bits < 8:  # packed, the first in the lowest bits
        parts = lines.reshape(*lines.shape[:-1], -1, 8 // bits).astype(np.int64) & ((1 << bits) - 1)
        return (parts << bits * np.arange(8 // bits)).sum(-1).astype(np.uint8).reshape(-1).view(np.uint32)
    whole = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]
    return np.ascontiguousarray(lines.astype(np.int64).astype(whole)).reshape(-1).view(np.uint32)


def product(
    dev: px.Device, shape: str, types: tuple[str, str, str], name: str, orders: tuple[str, str, str], *matrices: Array
) -> Array:
    """D as bits, through memory with lines further apart than they are long. `types`: of A and B, of C, of D."""
    type_ab, type_c, type_d = types
    bits = {type_: TYPES[type_].bits for type_ in types}
    pad = 0 if bits[type_ab] < 8 else PAD
    loads = [
        f"wmma.load.{o}.sync.aligned.{order}.{shape}.{t}"
        for o, order, t in zip("abc", orders, (type_ab, type_ab, type_c))
    ]
    store = f"wmma.store.d.sync.aligned.{orders[2]}.{shape}.{type_d}"
    widths = [bits[type_ab], bits[type_ab], bits[type_c]]
    memory = [in_memory(m, order, width, pad) for m, order, width in zip(matrices, orders, widths)]
    count = len(matrices[0])
    sizes = [len(words) // count for words in memory]
    strides = [m.shape[2 if order == "row" else 1] + pad for m, order in zip(matrices, orders)]
    rows, columns = matrices[2].shape[1:]
    size_d = rows * columns * bits[type_d] // 32

    @px.kernel(threads=32)
    def run(k: px.Builder, d: px.ptr[b32], a: px.ptr[b32], b: px.ptr[b32], c: px.ptr[b32]) -> None:
        found = []
        for load, pointer, size, stride in zip(loads, (a, b, c), sizes, strides):
            fragment = registers(k, load, 0)
            k.ptx[load](fragment, pointer.at(k.ctaid.x * size), stride)
            found.append(fragment)
        sums = registers(k, name, 0)
        k.ptx[name](sums, *found)
        k.ptx[store](d.at(k.ctaid.x * size_d), sums)  # the default stride: lines without gaps

    result = dev.zeros(count * size_d, b32)
    run[count, 32](result, *(dev.array(words, b32) for words in memory))
    whole = {16: np.uint16, 32: np.uint32, 64: np.uint64}[bits[type_d]]
    found = result.numpy().view(np.uint32).view(whole)
    if orders[2] == "row":
        return found.reshape(count, rows, columns).astype(np.uint64).view(np.int64)
    return np.swapaxes(found.reshape(count, columns, rows), -1, -2).astype(np.uint64).view(np.int64)


def sizes(shape: str) -> tuple[int, int, int]:
    m, _, rest = shape[1:].partition("n")
    n, _, k = rest.partition("k")
    return int(m), int(n), int(k)


FLOATS = [
    ("m16n16k16", "f16", "f32", "f32", ("row", "col", "row")), ("m16n16k16", "f16", "f16", "f16", ("col", "row", "col")),
    ("m8n32k16", "f16", "f32", "f16", ("row", "row", "row")), ("m32n8k16", "f16", "f16", "f32", ("col", "col", "row")),
    ("m16n16k16", "bf16", "f32", "f32", ("col", "col", "col")), ("m8n32k16", "bf16", "f32", "f32", ("col", "row", "row")),
    ("m32n8k16", "bf16", "f32", "f32", ("row", "col", "col")), ("m16n16k8", "tf32", "f32", "f32", ("row", "row", "row")),
]  # fmt: skip


@pytest.mark.parametrize("shape,type_ab,type_c,type_d,orders", FLOATS)
def test_floats(
    device_name: str, shape: str, type_ab: str, type_c: str, type_d: str, orders: tuple[str, str, str]
) -> None:
    """Sums in f32 unless C and D are f16. tf32 is added in two steps of four, as sm_90 has no product of 16x16x8."""
    dev = px.device(device_name)
    if dev.target != "sm_90a":
        pytest.skip(f"the model is that of sm_90; this device is {dev.target}")
    m, n, k = sizes(shape)
    a, b, c = operands(f"{type_d}.{type_ab}.{type_ab}.{type_c}", m, n, k, 3)
    spelled = f"{type_d}.{type_c}" if type_ab == "f16" else f"{type_d}.{type_ab}.{type_ab}.{type_c}"
    name = f"wmma.mma.sync.aligned.{orders[0]}.{orders[1]}.{shape}.{spelled}"
    found = product(dev, shape, (type_ab, type_c, type_d), name, orders, a, b, c)
    sums = "f16" if type_c == type_d == "f16" else "f32"
    addend = tensor_cores.f16_as_f32(c) if type_c == "f16" and sums == "f32" else c
    groups = [np.arange(4), np.arange(4, 8)] if type_ab == "tf32" else None
    expected = tensor_cores.mma(a, b, addend, f"{sums}.{type_ab}.{type_ab}.{sums}", groups)
    if sums == "f32" and type_d == "f16":
        expected = tensor_cores.f32_as_f16(expected)
    np.testing.assert_array_equal(found, expected)


INTEGERS = [
    ("m16n16k16", "s8", ("row", "col", "row")), ("m8n32k16", "u8", ("col", "row", "col")),
    ("m32n8k16", "s8", ("col", "row", "row")), ("m8n8k32", "s4", ("row", "col", "row")), ("m8n8k32", "u4", ("row", "col", "col")),
]  # fmt: skip


@pytest.mark.parametrize("saturates", [False, True], ids=["wrap", "satfinite"])
@pytest.mark.parametrize("shape,type_ab,orders", INTEGERS)
def test_integers(device_name: str, shape: str, type_ab: str, orders: tuple[str, str, str], saturates: bool) -> None:
    m, n, k = sizes(shape)
    random = np.random.default_rng(7)
    a, b = full(random, type_ab, (3, m, k)), full(random, type_ab, (3, k, n))
    c = random.choice([-(1 << 31), -7, (1 << 31) - 1], (3, m, n))
    name = (
        f"wmma.mma.sync.aligned.{orders[0]}.{orders[1]}.{shape}.s32.{type_ab}.{type_ab}.s32{'.satfinite' * saturates}"
    )
    found = signed(product(px.device(device_name), shape, (type_ab, "s32", "s32"), name, orders, a, b, c))
    np.testing.assert_array_equal(
        found, np.clip(a @ b + c, -(1 << 31), (1 << 31) - 1) if saturates else wrapped(a @ b + c)
    )


def test_bits(device_name: str) -> None:
    random = np.random.default_rng(8)
    a, b, c = random.integers(0, 2, (3, 8, 128)), random.integers(0, 2, (3, 128, 8)), random.integers(-9, 9, (3, 8, 8))
    name = "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32"
    orders = ("row", "col", "row")
    found = signed(product(px.device(device_name), "m8n8k128", ("b1", "s32", "s32"), name, orders, a, b, c))
    np.testing.assert_array_equal(found, (a[:, :, None] ^ np.swapaxes(b, 1, 2)[:, None]).sum(-1) + c)


@pytest.mark.parametrize("orders", [("row", "col", "row"), ("col", "row", "col")])
def test_f64(device_name: str, orders: tuple[str, str, str]) -> None:
    random = np.random.default_rng(9)
    a, b, c = (random.integers(-9, 9, shape).astype(np.float64) for shape in ((2, 8, 4), (2, 4, 8), (2, 8, 8)))
    name = f"wmma.mma.sync.aligned.{orders[0]}.{orders[1]}.m8n8k4.f64.f64.f64.f64"
    bits = (m.view(np.int64) for m in (a, b, c))
    found = product(px.device(device_name), "m8n8k4", ("f64", "f64", "f64"), name, orders, *bits)
    np.testing.assert_array_equal(found.view(np.float64), a @ b + c)


# ---- the executor alone ----------------------------------------------------------------------------------------------------

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])


@TIERS
@pytest.mark.parametrize("space,pointer", [(".shared", ""), ("", "cvta.shared.u64 %d1, %d1;"), (".shared::cta", "")])
def test_shared_memory(space, pointer, options):
    result = run(
        f"""
	.shared .align 32 .b8 s[512];
	mov.u32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1;
	st.shared.b32 [%r2], %t; st.shared.b32 [%r2+128], %t; st.shared.b32 [%r2+256], %t;
	bar.warp.sync -1;
	cvt.u64.u32 %d1, %r1; {pointer}
	wmma.load.c.sync.aligned.row.m8n8k4{space}.f64 {{%g1, %g2}}, [%d1], 4;
	wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%out], {{%g1, %g2}}, 8;""",
        words=128,
        options=options,
    )
    assert result.u32 == [(8 * row + word) % 32 for row in range(8) for word in range(16)]


def test_a_line_outside_of_memory():
    """Rows 0 to 6 are there."""
    with pytest.raises(KernelFault, match="wmma reads 16 bytes at") as caught:
        run(
            "\twmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%g1}, [%in], 4;\n\tst.global.f64 [%out], %g1;",
            data=bytes(7 * 32),
        )
    assert caught.value.kind == "illegal address"


def test_a_line_that_is_not_aligned():
    with pytest.raises(KernelFault, match=r"wmma writes 16 bytes at .*, which is not a multiple of 16") as caught:
        run("\twmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%out+8], {%g1, %g2};", words=160)
    assert caught.value.kind == "misaligned address"
