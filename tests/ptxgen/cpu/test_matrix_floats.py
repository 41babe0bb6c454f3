"""Floating-point mma, bit for bit what a model of sm_90's tensor cores says, on both devices (tensor_cores.py)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

import ptxgen as px
from ptxgen.isa.layouts import layout
from tests.ptxgen.cpu import tensor_cores
from tests.ptxgen.cpu.matrix_kernels import mma, wgmma
from tests.ptxgen.cpu.matrix_numbers import KINDS, operands, sparsity

if TYPE_CHECKING:
    from tests.ptxgen.cpu.tensor_cores import Array

EACH = 6
"""Products of every kind of operands."""

FORMS = [
    "m16n8k16.row.col.f32.f16.f16.f32", "m16n8k8.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f16.f16.f16.f16",
    "m16n8k8.row.col.f16.f16.f16.f16", "m16n8k16.row.col.f32.bf16.bf16.f32", "m16n8k8.row.col.f32.bf16.bf16.f32",
    "m16n8k8.row.col.f32.tf32.tf32.f32", "m16n8k4.row.col.f32.tf32.tf32.f32", "m16n8k32.row.col.f32.e4m3.e5m2.f32",
    "m16n8k32.row.col.f32.e5m2.e5m2.f32", "m16n8k16.row.col.f32.e4m3.e4m3.f32", "m16n8k32.row.col.f16.e4m3.e4m3.f16",
    "m16n8k16.row.col.f16.e5m2.e4m3.f16",
]  # fmt: skip
SPARSE = [
    "m16n8k32.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f16.f16.f16.f16", "m16n8k32.row.col.f32.bf16.bf16.f32",
    "m16n8k16.row.col.f32.tf32.tf32.f32", "m16n8k64.row.col.f32.e4m3.e5m2.f32",
]  # fmt: skip


@pytest.fixture
def hopper(device_name: str) -> px.Device:
    """The device under test, whose tensor cores must be those of the model."""
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip(f"the model is that of sm_90; this device is {device.target}")
    return device


def agree(found: Array, expected: Array, a: Array, b: Array, c: Array) -> None:
    """Every bit; else the first products that differ are shown."""
    wrong = np.argwhere(found != expected)
    shown = [
        f"{KINDS[n * len(KINDS) // len(found)]} [{i},{j}]: {found[n, i, j]:#x}, not {expected[n, i, j]:#x}; c {c[n, i, j]:#x}, "
        f"a {[f'{x:#x}' for x in a[n, i]]}, b {[f'{x:#x}' for x in b[n, :, j]]}"
        for n, i, j in wrong[:4]
    ]
    assert not shown, "\n".join([f"{len(wrong)} of {found.size} differ", *shown])


@pytest.mark.parametrize("form", FORMS)
def test_mma(hopper: px.Device, form: str) -> None:
    name = f"mma.sync.aligned.{form}"
    of, types = layout(name), form.split(".", 3)[3]
    a, b, c = operands(types, 16, 8, of.a.shape[1], EACH)
    agree(mma(hopper, name, of, a, b, c), tensor_cores.mma(a, b, c, types), a, b, c)


@pytest.mark.parametrize("form", SPARSE)
def test_sparse_mma(hopper: px.Device, form: str) -> None:
    """Factors that no stored element meets do not count, infinite ones neither."""
    name = f"mma.sp{'::ordered_metadata' * ('e4m3' in form)}.sync.aligned.{form}"
    of, types = layout(name), form.split(".", 3)[3]
    stored, fields = of.a.shape[1], of.metadata.shape[1]
    _, b, c = operands(types, 16, 8, of.b.shape[0], EACH)
    a = operands(types, 16, 8, stored, EACH)[0]
    metadata, where = sparsity(form, len(a), 16, fields)
    found = mma(hopper, name, of, a, b, c, metadata, selector=0)
    agree(found, tensor_cores.mma(a, b, c, types, where=where), a, b, c)


WGMMA = [
    "m64n8k16.f32.f16.f16", "m64n16k16.f16.f16.f16", "m64n24k16.f32.bf16.bf16", "m64n8k8.f32.tf32.tf32",
    "m64n8k32.f32.e4m3.e5m2", "m64n8k32.f32.e5m2.e4m3", "m64n16k32.f16.e4m3.e4m3",
]  # fmt: skip


@pytest.mark.parametrize("form", WGMMA)
def test_wgmma(hopper: px.Device, form: str) -> None:
    """The tensor cores do have products of fp8 here, whose sums keep 13 bits."""
    name = f"wgmma.mma_async.sync.aligned.{form}"
    of, types = layout(name), f"{form.partition('.')[2]}.{form.split('.')[1]}"
    a, b, c = operands(types, 64, of.d.shape[1], of.a.shape[1], 2)
    fp8 = ".e" in form
    model = {"fraction": 13 if fp8 else 25, "precision": 13 if fp8 and types.startswith("f32") else 0}
    groups = [np.arange(of.a.shape[1])]
    agree(wgmma(hopper, name, of, a, b, c), tensor_cores.mma(a, b, c, types, groups, chained=True, **model), a, b, c)


@pytest.mark.parametrize("form", ["m64n64k16.f32.bf16.bf16", "m64n64k16.f32.f16.f16"])
@pytest.mark.parametrize("majors", [("MN", "K"), ("K", "MN"), ("MN", "MN")])
def test_transposed_matrices_of_wgmma(hopper: px.Device, form: str, majors: tuple[str, str]) -> None:
    name, types = f"wgmma.mma_async.sync.aligned.{form}", f"{form.partition('.')[2]}.f32"
    a, b, c = operands(types, 64, 64, 16, 1)
    swizzle = "128B" if majors == ("MN", "MN") else "none"
    found = wgmma(hopper, name, layout(name), a, b, c, majors=majors, swizzle=swizzle)
    agree(found, tensor_cores.mma(a, b, c, types), a, b, c)


SPARSE_WGMMA = [
    "m64n8k32.f32.f16.f16", "m64n8k32.f16.f16.f16", "m64n16k32.f32.bf16.bf16", "m64n8k16.f32.tf32.tf32",
    "m64n8k64.f32.e4m3.e5m2",
]  # fmt: skip


@pytest.mark.parametrize("form", SPARSE_WGMMA)
def test_sparse_wgmma(hopper: px.Device, form: str) -> None:
    """Infinite factors that no stored element meets do not count here either."""
    name, types = f"wgmma.mma_async.sp.sync.aligned.{form}", f"{form.partition('.')[2]}.{form.split('.')[1]}"
    of = layout(name)
    columns, stored = of.d.shape[1], of.a.shape[1]
    _, b, c = operands(types, 64, columns, 2 * stored, 1)
    a = operands(types, 64, columns, stored, 1)[0]
    metadata, where = sparsity(form, len(a), 64, of.metadata.shape[1])
    found = wgmma(hopper, name, of, a, b, c, metadata=metadata)
    fp8 = ".e" in form
    model = {"fraction": 13 if fp8 else 25, "precision": 13 if fp8 else 0}
    groups = [np.arange(stored)]
    agree(found, tensor_cores.mma(a, b, c, types, groups, where=where, chained=True, **model), a, b, c)


@pytest.mark.parametrize("add,signs", [(False, (1, 1)), (True, (-1, 1)), (True, (1, -1)), (False, (-1, -1))])
def test_the_scales_of_wgmma(hopper: px.Device, add: bool, signs: tuple[int, int]) -> None:
    """Without scale-d what D was does not count, NaN neither."""
    name, types = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "f32.f16.f16.f32"
    a, b, c = operands(types, 64, 8, 16, 1)
    found = wgmma(hopper, name, layout(name), a, b, c, add=add, signs=signs)
    left, right = (m ^ 0x8000 if sign < 0 else m for m, sign in zip((a, b), signs))
    agree(found, tensor_cores.mma(left, right, c if add else np.zeros_like(c), types), a, b, c)


@pytest.mark.parametrize("sums", ["f32.f16.f16.f32", "f32.f16.f16.f16", "f16.f16.f16.f16"])
@pytest.mark.parametrize("order", ["row.col", "col.row"])
def test_the_four_products_of_m8n8k4(hopper: px.Device, order: str, sums: str) -> None:
    """sm_90 has no such instruction: its assembler writes chains of f32, rounded to nearest."""
    name = f"mma.sync.aligned.m8n8k4.{order}.{sums}"
    of = layout(name)
    a, b, c = operands(sums, 32, 32, 4, EACH)
    c = c[:, :, :8]
    expected = np.concatenate(
        [tensor_cores.chains(a[:, p : p + 8], b[:, :, p : p + 8], c[:, p : p + 8], sums) for p in range(0, 32, 8)],
        axis=1,
    )
    agree(mma(hopper, name, of, a, b, c), expected, a, b, c)


def fused(x: float, y: float, z: float, rounding: str) -> float:
    """x * y + z, rounded once."""
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    near = float(exact)  # Python rounds to nearest even
    step = {"rn": 0, "rz": -1 if exact > 0 else 1, "rm": -1, "rp": 1}[rounding]
    too_far = step * (Fraction(near) - exact) < 0
    return float(np.nextafter(near, step * np.inf)) if step and too_far else near


@pytest.mark.parametrize("shape", ["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"])
@pytest.mark.parametrize("rounding", ["rn", "rz", "rm", "rp"])
def test_f64_is_a_chain_in_the_order_of_k(hopper: px.Device, shape: str, rounding: str) -> None:
    name = f"mma.sync.aligned.{shape}.row.col.{rounding}.f64.f64.f64.f64"
    of = layout(name)
    random = np.random.default_rng(5)
    a, b, c = (random.standard_normal((2, *one.shape)) for one in (of.a, of.b, of.c))
    found = mma(hopper, name, of, *(m.view(np.int64) for m in (a, b, c))).view(np.float64)
    expected = c.copy()
    for index in np.ndindex(expected.shape):
        n, i, j = index
        for k in range(a.shape[-1]):
            expected[index] = fused(a[n, i, k], b[n, k, j], expected[index], rounding)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", ["m8n8k4", "m16n8k8"])
def test_f64_passes_nan_on(hopper: px.Device, shape: str) -> None:
    """As a chain of fma: of several, the NaN of B, of the sum so far, of A; made quiet."""
    name = f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64"
    of = layout(name)
    random = np.random.default_rng(6)
    a, b, c = (random.standard_normal((1, *one.shape)).view(np.int64) for one in (of.a, of.b, of.c))
    for matrix in (a, b, c):
        nan = 0x7FF0000000000000 | random.integers(1, 1 << 51, matrix.shape)
        matrix[:] = np.where(random.random(matrix.shape) < 0.1, nan, matrix)
    found = mma(hopper, name, of, a, b, c)
    for _, i, j in np.argwhere(np.isnan(found.view(np.float64))):
        total = int(c[0, i, j])
        for k in range(a.shape[-1]):
            patterns = (int(b[0, k, j]), total, int(a[0, i, k]))
            total = next((each | 1 << 51 for each in patterns if np.isnan(np.int64(each).view(np.float64))), 0)
        assert found[0, i, j] == total
    assert np.isnan(found.view(np.float64)).any()
