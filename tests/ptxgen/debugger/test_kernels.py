"""Kernels with everything that the executor has, paused many times: barriers, clusters, copies under way, wgmma, TMA.

tools/debug_sweep.py does the same with every variant of the library.
"""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen.kernels import find
from tools.debug_sweep import sweep

pytestmark = pytest.mark.cpu_only


@pytest.mark.parametrize("label", ["scan/u32.1024", "rows/softmax.f32.cluster-2", "gemm_mma/bf16", "gemm/bf16"])
def test_a_kernel_of_the_library_does_the_same(label):
    row = sweep(find(label), px.device("cpu:sm_90a"), 12)
    assert row.problem == ""
    assert row.steps > 100
