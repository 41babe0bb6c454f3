"""The GEMM of sm_100a on the CPU device of that target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, e5m2, f16, f32, s8, s32
from ptxgen.errors import BuildError
from ptxgen.kernels import CATALOGUE
from ptxgen.kernels.matrices.gemm_blackwell import _variant

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIANTS = (
    *CATALOGUE["gemm_blackwell"],
    _variant("f16.mn", ((1, 136, 264, 72),), element=f16, result=f16, bn=192, major_a="MN", major_b="MN"),
    _variant("e4m3", ((1, 136, 80, 144),), element=e4m3, bn=64, epilogue=lambda k, value, row, column: value),
    _variant("e5m2", ((1, 40, 80, 48),), element=e5m2, bn=64),
    _variant("s8", ((1, 136, 136, 144),), element=s8, result=s32, bn=128),
)


@pytest.fixture
def blackwell() -> Iterator[px.Device]:
    dev = px.device("cpu:sm_100a")
    copies = dev.copies
    yield dev
    dev.copies = copies


@pytest.mark.cpu_only
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_results_are_those_of_numpy(blackwell, variant):
    for size in variant.sizes:
        outcome = variant.case(size).run(blackwell)
        assert outcome.passed, (size, outcome)


@pytest.mark.cpu_only
def test_results_where_everything_is_done_at_once(blackwell):
    blackwell.copies = "early"
    for size in VARIANTS[0].sizes:
        outcome = VARIANTS[0].case(size).run(blackwell)
        assert outcome.passed, (size, outcome)


@pytest.mark.cpu_only
def test_the_operation_takes_it(blackwell):
    dev, rng = blackwell, np.random.default_rng(0)
    x, y = (rng.integers(-3, 4, shape).astype("f4") for shape in ((3, 70, 64), (3, 64, 40)))
    c = dev.full((3, 70, 40), 2, bf16)
    given = {"epilogue": lambda k, value, row, column, c, alpha: value * alpha + c[row, column], "arguments": (c, 2.0)}
    assert "gemm_blackwell" in str(px.ops.matmul(dev.array(x, bf16), dev.array(y, bf16), c, explain=True))
    found = px.ops.matmul(dev.array(x, bf16), dev.array(y, bf16), c, **given)
    assert np.array_equal(found.numpy(), dev.array(x @ y * 2 + 2, bf16).numpy())


@pytest.mark.parametrize("columns,rows,type,text", [
    (600, 128, f32, "600 columns of tensor memory"), (512, 64, f32, "64x128 sums of .f32 in tensor memory"),
    (128, 128, f16, "128x128 sums of .f16 in tensor memory"), (64, 128, f32, "128 columns of tensor memory"),
])  # fmt: skip
def test_sums_that_do_not_fit(columns, rows, type, text):
    @px.kernel(threads=128)
    def wrong(k: px.Builder) -> None:
        with k.tensor_memory(columns) as memory:
            memory.sums(rows, 128, type)

    with pytest.raises(BuildError, match=text):
        wrong.module(target="sm_100a")


@pytest.mark.parametrize("element,shape,text", [
    (f16, (64, 64), "128x64 sums of <tile of 64x64 f16>"), (px.f64, (128, 16), r"products of \.f64 and \.f64 by tcgen05"),
])  # fmt: skip
def test_tiles_that_do_not_fit(element, shape, text):
    @px.kernel(threads=128)
    def wrong(k: px.Builder) -> None:
        tile, other = k.tile(element, shape), k.tile(element, (64, shape[1]))
        with k.tensor_memory(64) as memory:
            memory.sums(128, 64).add_product(tile, other)

    with pytest.raises(BuildError, match=text):
        wrong.module(target="sm_100a")


@pytest.mark.parametrize("options", [{"products": "use", "consumers": 4}, {}, {"products": "other", "consumers": 1}])
def test_a_pipeline_has_consumers_or_products_that_use_it(options):
    @px.kernel(threads=128)
    def wrong(k: px.Builder) -> None:
        k.pipeline(2, **options)

    with pytest.raises(BuildError, match="a pipeline with products="):
        wrong.module(target="sm_100a")
