"""The GEMMs of sm_120 on the CPU device of that target: its own, and those with factors of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import cubin_resources
from ptxgen import bf16, e4m3, e5m2, f16, f32, u8
from ptxgen.errors import BuildError
from ptxgen.kernels import CATALOGUE
from ptxgen.kernels.blocks.factor_tiles import factor_tile
from ptxgen.kernels.matrices import factors, gemm_block_scaled, gemm_tma

if TYPE_CHECKING:
    from collections.abc import Iterator

TMA, SCALED = gemm_tma._variant, gemm_block_scaled._variant
PINNED = (CATALOGUE["gemm_tma"][0], CATALOGUE["gemm_block_scaled"][0])
TURNED = {"element": f16, "result": f16, "major_a": "MN", "major_b": "MN", "tiling": gemm_tma.SMALL}
OTHERS = (
    TMA("f16.mn", (2, 72, 72, 72), **TURNED),
    SCALED("mxfp8", (1, 40, 7, 112), elements=(e5m2, e4m3), result=f32, tiling=gemm_block_scaled.LARGE),
)
"""More are in tests/ptxgen/ops/test_block_scaled.py."""


@pytest.fixture
def dev() -> Iterator[px.Device]:
    found = px.device("cpu:sm_120a")
    copies = found.copies
    yield found
    found.copies = copies


@pytest.mark.cpu_only
@pytest.mark.parametrize("variant", [*PINNED, *OTHERS], ids=lambda variant: variant.label)
def test_results_are_those_of_numpy(dev, variant):
    for size in variant.sizes:
        outcome = variant.case(size).run(dev)
        assert outcome.passed, (size, outcome)


@pytest.mark.cpu_only
@pytest.mark.parametrize("variant", PINNED, ids=lambda variant: variant.label)
@pytest.mark.parametrize("copies", ["early", "late"])
def test_results_whenever_copies_come(dev, copies, variant):
    dev.copies = copies
    assert variant.case(variant.sizes[0]).run(dev).passed


def test_it_runs_on_sm_90_too(device_name):
    variant = PINNED[0]
    assert variant.case().run(px.device(device_name)).passed


def test_the_largest_tiles_fit_into_the_registers_and_the_99_kb_of_sm_120(assembler):
    large = (
        TMA("", tiling=gemm_tma.LARGE).module("sm_120"),
        SCALED("nvfp4", tiling=gemm_block_scaled.LARGE).module("sm_120a"),
    )
    for module in large:
        assert module.entries[0].dynamic_shared <= 98 << 10  # beside the barriers, aligned to 1 KB
        built = assembler(str(module), verbose=True)
        assert [used.stack for used in cubin_resources(built.cubin, built.log).values()] == [0]


@pytest.mark.parametrize("m, n, batch, tile", [
    (4096, 4096, 1, (128, 128)), (1536, 1536, 1, (128, 128)), (1024, 1024, 1, (128, 64)), (5, 4096, 1, (64, 64)),
])  # fmt: skip
def test_the_tiles_are_those_whose_waves_take_least(m, n, batch, tile):
    assert gemm_tma.choose(m, n, batch, 132)[:2] == tile
    assert gemm_tma.choose(m, n, batch, 132, gemm_block_scaled.TIMES)[:2] == tile


def test_fp8_takes_the_instruction_with_factors_where_it_is():
    variant = TMA("e4m3", tiling=gemm_tma.SMALL, element=e4m3)
    assert "kind::mxf8f6f4.block_scale" in str(variant.module("sm_120a"))
    assert "block_scale" not in str(variant.module("sm_120"))


def test_copies_to_its_own_shared_memory_say_so():
    """Else the assembler for sm_120 calls a function where an address is another CTA's."""
    variant = PINNED[0]
    assert "shared::cluster.global" not in str(variant.module("sm_120"))
    assert "shared::cluster.global" in str(variant.module("sm_90a"))


def test_the_layout_of_factors_is_the_documented_one():
    x = np.arange(130 * 6).reshape(1, 130, 6).astype(np.uint8)
    found = factors.blocked(x)
    for row, block in ((0, 0), (33, 2), (127, 5), (129, 4)):
        place = (row // 128 * 2 + block // 4) * 512 + row % 32 * 16 + row % 128 // 32 * 4 + block % 4
        assert found[place] == x[0, row, block]
    assert found.size == factors.blocked_size(130, 6) == 2 * 2 * 512


@pytest.mark.parametrize("target, wrong, said", [
    ("sm_120", lambda k: k.block_scaled_sums(32, 32, "mxfp8"), "mxfp8 on sm_120"),
    ("sm_120a", lambda k: k.block_scaled_sums(32, 32, "fp6"), "the format 'fp6'"),
    ("sm_120a", lambda k: k.block_scaled_sums(16, 32, "nvfp4"), "sums of 16 rows"),
    ("sm_120a", lambda k: k.block_scaled_sums(32, 32, "mxfp8", (u8, e4m3)), "mxfp8 of"),
    ("sm_120a", lambda k: factor_tile(k, 96, 128, "nvfp4", stages=2), "a tile of 96 x 128 nvfp4"),
    ("sm_120a", lambda k: factor_tile(k, 128, 96, "mxfp8", stages=2), "a tile of 128 x 96 mxfp8"),
])  # fmt: skip
def test_what_is_not_there(target, wrong, said):
    @px.kernel(threads=128)
    def kernel(k: px.Builder) -> None:
        wrong(k)

    with pytest.raises(BuildError, match=said):
        kernel.module(target=target)


def test_a_gemm_of_other_elements():
    with pytest.raises(BuildError, match=r"no GEMM of \.u8"):
        gemm_tma.plan(0, 0, 0, m=8, n=8, depth=16, element=u8, result=bf16)
