"""Launches that the device decides about."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import u32
from ptxgen.kernels.gates import gated
from ptxgen.kernels.plan import KernelPlan, using


@px.kernel(threads=32)
def counted(k: px.Builder, n: u32, out: px.ptr[u32], *, step: int) -> None:
    with k.if_(k.tid.x < n):
        out[k.tid.x] += step


@pytest.mark.parametrize("gate, expected", [(0, [1, 1, 1, 0]), (1, [5, 5, 0, 0]), (2, [0, 0, 0, 0])])
def test_only_what_is_wanted_does_anything(device_name, gate, expected):
    dev = px.device(device_name)
    out, chosen = dev.zeros(4, u32), dev.array(np.array([gate], np.uint32))
    for wanted, n, step in ((0, 3, 1), (1, 2, 5)):
        gated(KernelPlan(using(counted, step=step), 1, 32, (n, out)), chosen, wanted).launch()
    assert out.numpy().tolist() == expected


def test_a_kernel_is_made_once():
    plan = KernelPlan(using(counted, step=1), 1, 32, (1, 0))
    first, again = (gated(plan, 0, 1).kernel for _ in range(2))
    assert first is again
    assert first.__name__ == "gated_counted"
