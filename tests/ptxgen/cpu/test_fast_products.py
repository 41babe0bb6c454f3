"""The fast mode: products of the tensor cores as chains of fused multiply-adds in f32, on the CPU device alone."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen.cpu import LaunchOptions
from ptxgen.isa.layouts import layout
from tests.ptxgen.cpu import tensor_cores
from tests.ptxgen.cpu.machine import run
from tests.ptxgen.cpu.matrix_kernels import mma, wgmma
from tests.ptxgen.cpu.matrix_numbers import operands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.ptxgen.cpu.tensor_cores import Array

pytestmark = pytest.mark.cpu_only

FORMS = [
    "m16n8k16.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f16.f16.f16.f16",
    "m16n8k4.row.col.f32.tf32.tf32.f32", "m16n8k32.row.col.f32.e4m3.e5m2.f32",
]  # fmt: skip
WGMMA = ["m64n8k16.f16.f16.f16", "m64n24k16.f32.bf16.bf16", "m64n8k32.f32.e5m2.e4m3"]


@pytest.fixture
def fast() -> Iterator[px.Device]:
    device = px.device("cpu")
    device.products = "fast"
    yield device
    device.products = "exact"


def value(bits: Array, type: str) -> Array:
    """As f64; of tf32 without the bits that it does not have."""
    numbers = tensor_cores.decode(bits, type)
    finite = numbers.significand * 2.0 ** (numbers.exponent - numbers.fraction)
    finite = np.where((numbers.significand == 0) & (bits != 0), -0.0, finite)  # the only other zero
    return np.where(numbers.special != 0, numbers.special, finite)


def chain(a: Array, b: Array, c: Array, types: str) -> Array:
    """The bits of C plus the products in the order of K, each rounded to nearest f32."""
    type_d, type_a, type_b, type_c = types.split(".")
    x, y = value(a, type_a), value(b, type_b)
    with np.errstate(all="ignore"):
        total = value(c, type_c).astype(np.float32)
        for k in range(a.shape[-1]):
            total = tensor_cores.rounded_to_f32(total.astype(np.float64), x[:, :, k, None] * y[:, None, k, :])
        bits = np.where(np.isnan(total), 0x7FFFFFFF, total.view(np.uint32).astype(np.int64))
    return tensor_cores.f32_as_f16(bits) if type_d == "f16" else bits


def agree(found: Array, expected: Array) -> None:
    assert np.count_nonzero(found != expected) == 0, (found[found != expected][:4], expected[found != expected][:4])


@pytest.mark.parametrize("form", FORMS)
def test_mma(fast: px.Device, form: str) -> None:
    name, types = f"mma.sync.aligned.{form}", form.split(".", 3)[3]
    of = layout(name)
    a, b, c = operands(types, 16, 8, of.a.shape[1], 3)
    agree(mma(fast, name, of, a, b, c), chain(a, b, c, types))


@pytest.mark.parametrize("form", WGMMA)
def test_wgmma(fast: px.Device, form: str) -> None:
    name, types = f"wgmma.mma_async.sync.aligned.{form}", f"{form.partition('.')[2]}.{form.split('.')[1]}"
    of = layout(name)
    a, b, c = operands(types, 64, of.d.shape[1], of.a.shape[1], 1)
    agree(wgmma(fast, name, of, a, b, c), chain(a, b, c, types))


BODY = """
	mov.b32 %r1, 0x3c003c00; mov.b32 %r2, 0x3c013c01; mov.b32 %r3, 0x4f000001;
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r4, %r5, %r6, %r7}, {%r1, %r1, %r1, %r1}, {%r2, %r2},
		{%r3, %r3, %r3, %r3};
	mad.wide.u32 %d1, %t, 4, %out; st.global.b32 [%d1], %r4;"""


def test_a_launch_says_which_it_had() -> None:
    """2^31 + 256 and sixteen products of 1 + 2^-10: fused multiply-adds lose them all, the tensor cores none but fractions."""
    results: dict[str, Any] = {
        how: run(BODY, words=32, options=LaunchOptions(products=how)) for how in ("exact", "fast")
    }
    assert {how: result.stats.products for how, result in results.items()} == {"exact": "exact", "fast": "fast"}
    assert set(results["fast"].u32) == {0x4F000001}
    plain = run(
        "\tmad.wide.u32 %d1, %t, 4, %out; st.global.b32 [%d1], %t;", words=32, options=LaunchOptions(products="fast")
    )
    assert plain.stats.products == "exact"


def test_other_words_are_refused() -> None:
    with pytest.raises(ValueError, match='products is "exact" or "fast", not \'quick\''):
        LaunchOptions(products="quick")


@pytest.mark.parametrize("how,said", [("fast", "fast"), ("quick", "PTXGEN_CPU_PRODUCTS is 'quick', not exact or fast")])
def test_the_environment(how: str, said: str) -> None:
    code = "import ptxgen as px; d = px.device('cpu'); d.context; print(d.products)"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PTXGEN_CPU_PRODUCTS": how},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said in ran.stdout + ran.stderr
