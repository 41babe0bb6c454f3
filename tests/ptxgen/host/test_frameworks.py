"""Arrays and streams of the frameworks on the GPU are taken as they are, on their streams, and ours are given to them, all
without a copy; on the CPU device they are refused, with the reason."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentError, ArgumentTypeError
from ptxgen import bf16, f32, u32

N = 1000
FRAMEWORKS = ["torch", "cupy", "numba.cuda", "jax.numpy"]


@px.kernel
def double(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = x[i] * 2.0


@px.kernel
def double_slowly(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    """The same after about 0.2 ms, so that whoever does not wait reads too early."""
    i = k.global_id.x
    for _ in k.range(200):
        k.ptx.nanosleep.u32(1000)
    with k.if_(i < n):
        y[i] = x[i] * 2.0


def framework(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed")


def ones(name: str, n: int = N) -> Any:
    """N float32 ones in GPU memory."""
    module = framework(name)
    if name == "torch":
        return module.ones(n, dtype=module.float32, device="cuda")
    if name == "cupy":
        return module.ones(n, dtype=module.float32)
    if name == "numba.cuda":
        return module.to_device(np.ones(n, np.float32))
    return framework("jax").jit(lambda: module.ones(n, module.float32))()


def host(array: Any) -> Any:
    """A framework's array on the host, after what its own stream has to do."""
    for way in ("cpu", "get", "copy_to_host"):
        if hasattr(array, way):
            return np.asarray(getattr(array, way)())
    return np.asarray(array)


# Arguments


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("bound", [False, True], ids=["kernel[...]", "bind"])
def test_an_array_of_a_framework_is_an_argument(dev: px.Device, name: str, bound: bool) -> None:
    x, y = ones(name), dev.zeros(N, px.f32)
    launch = double.bind(4, 256, device=dev) if bound else double[4, 256]
    for _ in range(3):
        launch(N, x, y)
    np.testing.assert_array_equal(y.numpy(), 2)


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", ["torch", "cupy", "numba.cuda"])
def test_kernels_write_into_a_framework_s_arrays(dev: px.Device, name: str) -> None:
    x, y = ones(name), ones(name)
    launch = double.bind(4, 256, device=dev)
    for _ in range(3):
        launch(N, x, y)
        launch(N, y, x)
    np.testing.assert_array_equal(host(x), 4.0**3)


@pytest.mark.cuda_only
def test_elements_and_devices_of_tensors_are_checked(dev: px.Device) -> None:
    torch = framework("torch")
    launch = double.bind(4, 256, device=dev)
    good = torch.ones(N, device="cuda")
    for _ in range(3):
        launch(N, good, good)
        for wrong in (
            good.double(),
            good.int(),
            good.to(torch.bfloat16),
            torch.ones(N, dtype=torch.complex64, device="cuda"),
        ):
            for use in (launch, double[4, 256]):
                with pytest.raises(ArgumentTypeError, match=r"x points to \.f32 elements, the array has"):
                    use(N, wrong, good)
        with pytest.raises(ArgumentTypeError, match="host memory"):
            launch(N, torch.ones(N), good)
    launch(N, torch.nn.Parameter(good), good)


# Streams


@pytest.mark.cuda_only
@pytest.mark.parametrize("native", [True, False], ids=["native", "ctypes"])
def test_launches_follow_torch_s_current_stream(dev: px.Device, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from driver_ctypes import LauncherInfo
    from driver_ctypes.trampoline import choice

    torch = framework("torch")
    monkeypatch.setattr(choice, "_chosen", LauncherInfo("native" if native else "ctypes", "for this test"))
    slowly = double_slowly.bind(4, 256, device=dev)
    x, y = torch.ones(N, device="cuda"), torch.zeros(N, device="cuda")
    torch.cuda.synchronize()
    for _ in range(3):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(4):
                slowly(N, x, y)
                x = y + 0  # on the same stream: no synchronisation in between
            assert float(x.sum()) == N * 16
            x = torch.ones(N, device="cuda")


@pytest.mark.cuda_only
def test_launches_follow_cupy_s_current_stream(dev: px.Device) -> None:
    cupy = framework("cupy")
    slowly = double_slowly.bind(4, 256, device=dev)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x, y = cupy.ones(N, cupy.float32), cupy.zeros(N, cupy.float32)
        for _ in range(4):
            slowly(N, x, y)
            x = y + 0
        stream.synchronize()
        assert float(x.sum()) == N * 16


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_a_chosen_stream_is_ordered_with_the_framework_s(dev: px.Device, name: str) -> None:
    """Our stream is not theirs, and neither side synchronises."""
    slowly = double_slowly.bind(4, 256, device=dev, stream=dev.stream())
    x, y = ones(name), ones(name)
    for _ in range(4):
        slowly(N, x, y)
        x = y + 0
    assert float(x.sum()) == N * 16


@pytest.mark.cuda_only
def test_our_arrays_and_tensors_on_a_side_stream(dev: px.Device) -> None:
    torch = framework("torch")
    ours = dev.zeros(N, px.f32)
    with torch.cuda.stream(torch.cuda.Stream()):
        x = torch.ones(N, device="cuda")
        for _ in range(3):
            double_slowly[4, 256](N, x, ours)
            double_slowly[4, 256](N, ours, x)
    np.testing.assert_array_equal(ours.numpy(), 2 * 4.0**2)


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", ["torch", "cupy", "numba.cuda"])
def test_a_framework_s_stream_is_a_stream(dev: px.Device, name: str) -> None:
    module = framework(name)
    if name == "torch":
        theirs = module.cuda.Stream()
    else:
        theirs = module.cuda.Stream(non_blocking=True) if name == "cupy" else module.stream()
    x, y = dev.full(N, 3, px.f32), dev.zeros(N, px.f32)
    dev.synchronize()
    double[4, 256](N, x, y, stream=theirs)
    with dev.use(theirs) as stream:
        assert stream.handle != 0
        np.testing.assert_array_equal(y.numpy(), 6)
        double.bind(4, 256, device=dev)(N, y, x)
        np.testing.assert_array_equal(x.numpy(), 12)


@pytest.mark.cuda_only
def test_frameworks_take_our_stream(dev: px.Device) -> None:
    torch, stream = framework("torch"), dev.stream()
    assert stream.__cuda_stream__() == (0, stream.handle)
    with torch.cuda.stream(torch.cuda.ExternalStream(stream.handle)):
        x = torch.ones(N, device="cuda")
        double.bind(4, 256, device=dev)(N, x, x)
        assert float(x.sum()) == 2 * N


@pytest.mark.cuda_only
def test_our_kernels_in_torch_s_graph(dev: px.Device) -> None:
    """A launch follows torch's stream into torch's own capture."""
    torch = framework("torch")
    x, y = torch.ones(N, device="cuda"), torch.zeros(N, device="cuda")
    launch = double.bind(4, 256, device=dev)
    launch(N, x, y)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch(N, x, y)
        x.copy_(y)
    for _ in range(5):
        graph.replay()
    assert float(x.sum()) == N * 2.0**5


# Sharing memory


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_s_array_is_an_array_of_ours_without_a_copy(dev: px.Device, name: str) -> None:
    theirs = ones(name).reshape(10, 100)
    ours = dev.asarray(theirs)
    assert (ours.shape, ours.type.name, ours.device) == ((10, 100), "f32", dev)
    assert dev.asarray(ours) is ours
    np.testing.assert_array_equal(ours.numpy(), 1)
    if name != "jax.numpy":  # whose arrays never change
        double[4, 256](N, ours, ours)
        dev.synchronize()
        np.testing.assert_array_equal(host(theirs), 2)
    copy = dev.array(theirs)
    assert copy.pointer != ours.pointer
    np.testing.assert_array_equal(copy.numpy(), ours.numpy())


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", ["torch", "cupy", "numba.cuda", "jax.dlpack"])
def test_a_framework_shares_our_array(dev: px.Device, name: str) -> None:
    module, x = framework(name), dev.full((4, 5), 3, px.f32)
    if name == "torch":
        theirs = module.from_dlpack(x)
    elif name == "numba.cuda":
        theirs = module.as_cuda_array(x)
    else:
        theirs = module.from_dlpack(x)
    assert tuple(theirs.shape) == (4, 5)
    x.fill(4)
    dev.synchronize()
    np.testing.assert_array_equal(host(theirs), 4)


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_shared_memory_outlives_our_array(dev: px.Device, name: str) -> None:
    module = framework(name)
    x = dev.full(N, 7, px.f32)
    theirs = module.from_dlpack(x)
    x.close()
    others = [dev.zeros(N, px.f32) for _ in range(8)]
    assert float(theirs.sum()) == 7 * N
    del theirs, x, others
    gc.collect()


@pytest.mark.cuda_only
def test_bf16_is_shared_although_numpy_does_not_know_it(dev: px.Device) -> None:
    torch = framework("torch")
    theirs = torch.arange(8, device="cuda").to(torch.bfloat16)
    ours = dev.asarray(theirs)
    assert ours.type is bf16.isa
    np.testing.assert_array_equal(ours.numpy(), np.arange(8))
    assert torch.from_dlpack(ours).dtype is torch.bfloat16
    np.testing.assert_array_equal(dev.array(theirs.cpu(), bf16).numpy(), np.arange(8))


@pytest.mark.cuda_only
def test_arrays_with_gaps_are_refused(dev: px.Device) -> None:
    torch, cupy = framework("torch"), framework("cupy")
    for array in (torch.ones(4, 6, device="cuda").t(), cupy.ones((4, 6))[:, ::2]):
        with pytest.raises(ArgumentError, match="do not lie in C order without gaps"):
            dev.asarray(array)


@pytest.mark.cuda_only
def test_the_rules_of_dlpack(dev: px.Device) -> None:
    x = dev.zeros(4, px.f32)
    assert x.__dlpack_device__() == (2, 0)
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 1)))
    assert '"dltensor"' in repr(x.__dlpack__())
    with pytest.raises(ValueError, match="stream 0 is ambiguous"):
        x.__dlpack__(stream=0)
    with pytest.raises(BufferError, match="not copied to"):
        x.__dlpack__(dl_device=(1, 0))


# The CPU device


class Tensor:
    """What a tensor on a GPU shows."""

    __cuda_array_interface__ = {  # noqa: RUF012
        "shape": (N,), "typestr": "<f4", "data": (0x7F0000000000, False), "version": 3, "strides": None,
    }  # fmt: skip


@pytest.mark.cpu_only
@pytest.mark.parametrize("bound", [False, True], ids=["kernel[...]", "bind"])
def test_gpu_memory_is_not_the_cpu_devices(dev: px.Device, bound: bool) -> None:
    y = dev.zeros(N, px.f32)
    launch = double.bind(4, 256, device=dev) if bound else lambda *args: double[4, 256](*args, device=dev)
    launch(N, y, y)
    with pytest.raises(ArgumentTypeError, match="another library's CUDA memory, out of reach"):
        launch(N, Tensor(), y)
    with pytest.raises(ArgumentTypeError, match="another library's CUDA memory"):
        dev.asarray(Tensor())


@pytest.mark.cpu_only
def test_the_cpu_devices_memory_is_its_own(dev: px.Device) -> None:
    x = dev.zeros(4, px.f32)
    with pytest.raises(BufferError, match=r"lies in the device's own arena; array.numpy\(\) copies it"):
        x.__dlpack__()
    assert not hasattr(x, "__cuda_array_interface__")
    np.testing.assert_array_equal(dev.asarray(np.arange(4, dtype=np.float32)).numpy(), np.arange(4))
