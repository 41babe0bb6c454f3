"""The barrier of a whole grid in a plain kernel: no host resets its counter, and no two launches need be alike."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
import ptxgen.runtime as rt
from ptxgen import u32

ROUNDS = 5


@px.kernel
def rotate(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32], rounds: u32) -> None:
    """Each round reads what another CTA wrote in the round before."""
    i = k.global_id.x
    n = k.nctaid.x * k.ntid.x
    other = (i + k.ntid.x) % n
    with k.range(0, rounds) as _:
        y.store(i, x.load(other, "relaxed", "gpu") + 1, "relaxed", "gpu")
        rt.grid_barrier(k)
        x.store(i, y.load(i, "relaxed", "gpu"), "relaxed", "gpu")
        rt.grid_barrier(k)


@pytest.fixture
def dev(device_name: str) -> px.Device:
    return px.device(device_name)


def test_launches_of_every_size_one_after_another(dev: px.Device) -> None:
    for ctas in (3, 2, 1, 5, 4, 7, 1, 2):
        n = ctas * 32
        x, y = dev.array(np.arange(n, dtype=np.uint32)), dev.zeros(n, u32)
        rotate[ctas, 32](x, y, ROUNDS, cooperative=True)
        expected = np.roll(np.arange(n, dtype=np.uint32), -32 * ROUNDS) + ROUNDS
        np.testing.assert_array_equal(x.numpy(), expected)


def test_grids_of_three_dimensions(dev: px.Device) -> None:
    @px.kernel
    def count(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32]) -> None:
        k.atomic_add(x, 0, 1)
        rt.grid_barrier(k)
        with k.if_(k.tid.x == 0):
            k.atomic_max(y, 0, x.load(0, "relaxed", "gpu"))
            k.atomic_add(y, 1, (x.load(0, "relaxed", "gpu") != 2 * 3 * 2 * 32).to(u32))

    x, y = dev.zeros(1, u32), dev.zeros(2, u32)
    count[(2, 3, 2), 32](x, y, cooperative=True)
    assert y.numpy().tolist() == [384, 0]


def test_only_a_cooperative_launch_has_its_whole_grid(dev: px.Device) -> None:
    x, y = dev.zeros(64, u32), dev.zeros(64, u32)
    for launch in (rotate[2, 32], lambda *arguments: rotate.bind(2, 32, device=dev)(*arguments)):
        with pytest.raises(dc.LaunchConfigError, match="whole grid") as caught:
            launch(x, y, 1)
        assert "cooperative=True" in str(caught.value)
    rotate[1, 32](x, y, 1)
    assert x.numpy()[:32].tolist() == [1] * 32
