"""Arrays of the frameworks on the GPU are taken as they are; on the CPU device they are refused, with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentTypeError
from ptxgen import f32, u32

N = 1000


@px.kernel
def double(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = x[i] * 2.0


def ones(framework: str) -> Any:
    """N float32 ones in GPU memory."""
    module = pytest.importorskip(framework, reason=f"{framework} is not installed")
    if framework == "torch":
        return module.ones(N, dtype=module.float32, device="cuda")
    if framework == "cupy":
        return module.ones(N, dtype=module.float32)
    if framework == "numba.cuda":
        return module.to_device(np.ones(N, np.float32))
    return pytest.importorskip("jax").jit(lambda: module.ones(N, module.float32))().block_until_ready()


@pytest.mark.cuda_only
@pytest.mark.parametrize("framework", ["torch", "cupy", "numba.cuda", "jax.numpy"])
def test_an_array_of_a_framework_is_an_argument(dev: px.Device, framework: str) -> None:
    x, y = ones(framework), dev.zeros(N, px.f32)
    double[4, 256](N, x, y)
    np.testing.assert_array_equal(y.numpy(), 2)


@pytest.mark.cuda_only
@pytest.mark.parametrize("framework", ["torch", "cupy"])
def test_a_framework_reads_our_arrays(dev: px.Device, framework: str) -> None:
    module = pytest.importorskip(framework, reason=f"{framework} is not installed")
    x = dev.full((4, 5), 3, px.f32)
    theirs = module.as_tensor(x, device="cuda") if framework == "torch" else module.asarray(x)
    assert tuple(theirs.shape) == (4, 5)
    assert float(theirs.sum()) == 60


@pytest.mark.cpu_only
def test_gpu_memory_is_not_the_cpu_devices(dev: px.Device) -> None:
    class Tensor:
        """What a tensor on a GPU shows."""

        __cuda_array_interface__ = {  # noqa: RUF012
            "shape": (N,), "typestr": "<f4", "data": (0x7F0000000000, False), "version": 3, "strides": None,
        }  # fmt: skip

    with pytest.raises(ArgumentTypeError):
        double[4, 256](N, Tensor(), dev.zeros(N, px.f32), device=dev)
