"""`kernel[grid, block](...)` often: from some repetition on it takes a short way, which must not change what it does."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentCountError, ArgumentError, ArgumentTypeError, ClosedError
from ptxgen import f32, u32
from ptxgen.builder.launching import ConfiguredKernel
from ptxgen.kernels.plan import using

OFTEN = 20


@px.kernel
def increase(k: px.Builder, by: u32, x: px.ptr[u32]) -> None:
    i = k.tid.x
    x[i] = x[i] + by


@px.kernel
def increase_by(k: px.Builder, x: px.ptr[u32], *, by: int = 1) -> None:
    i = k.tid.x
    x[i] = x[i] + by


def often(x: px.Array, by: int = 1) -> ConfiguredKernel:
    """The launch after it came often; *x* grew by so much as many times."""
    for _ in range(OFTEN):
        increase[1, 32](by, x)
    launch = increase[1, 32]
    assert launch._short_way is not None
    return launch


def test_results_and_arguments(dev: px.Device) -> None:
    x, y = dev.zeros(32, u32), dev.zeros(32, u32)
    often(x)
    increase[1, 32](5, y)
    increase[1, 16](7, y)
    np.testing.assert_array_equal(x.numpy(), np.full(32, OFTEN))
    np.testing.assert_array_equal(y.numpy(), np.repeat([12, 5], 16))


def test_mistakes_are_found_as_before(dev: px.Device) -> None:
    x = dev.zeros(32, u32)
    launch = often(x)
    with pytest.raises(ArgumentCountError):
        launch(1)
    with pytest.raises(ArgumentCountError):
        launch(1, x, x)
    with pytest.raises(ArgumentTypeError):
        launch(1, dev.zeros(32, px.f32))
    with pytest.raises(ArgumentTypeError):
        launch(1, "x")
    with pytest.raises(px.BuildError, match="positional"):
        launch(1, x, by=3)
    gone = dev.zeros(32, u32)
    gone.close()
    with pytest.raises(ClosedError):
        launch(1, gone)
    np.testing.assert_array_equal(x.numpy(), np.full(32, OFTEN))


def test_a_chosen_stream_is_used(dev: px.Device) -> None:
    x = dev.zeros(32, u32)
    launch = often(x)
    dev.synchronize()
    side = dev.stream()
    with dev.use(side):
        launch(100, x)
    side.synchronize()
    with dev.capture() as graph:
        launch(1000, x)
    assert len(graph) == 1
    launch(1, x)
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), np.full(32, OFTEN + 1101))
    graph.close()
    side.close()


def test_a_stream_chosen_by_another_thread_is_its_own(dev: px.Device) -> None:
    x = dev.zeros(32, u32)
    launch = often(x)
    seen: list[Any] = []
    side = dev.stream()

    def other() -> None:
        seen.append(dev.chosen_stream)
        launch(1, x)

    with dev.use(side):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert dev.chosen_stream is side
    assert seen == [None]
    dev.synchronize()
    np.testing.assert_array_equal(x.numpy(), np.full(32, OFTEN + 1))
    side.close()


def test_compile_time_parameters_are_heard(dev: px.Device) -> None:
    x = dev.zeros(32, u32)
    for _ in range(OFTEN):
        increase_by[1, 32](x)
    assert increase_by[1, 32]._short_way is not None
    increase_by[1, 32](x, by=50)
    increase_by.using(by=500)[1, 32](x)
    increase_by[1, 32](x)
    np.testing.assert_array_equal(x.numpy(), np.full(32, OFTEN + 551))


@pytest.mark.cpu_only
def test_after_a_reset(device_name: str) -> None:
    """A reset closes every launcher; the kernel is loaded anew for arrays made afterwards."""
    dev = px.device(device_name)
    launch = often(dev.zeros(32, u32))
    old = dev.zeros(32, u32)
    dev.reset()
    with pytest.raises(ClosedError):
        launch(1, old)
    x = dev.zeros(32, u32)
    launch(1, x)
    np.testing.assert_array_equal(x.numpy(), np.ones(32))


def test_grids_that_cannot_be_kept(dev: px.Device) -> None:
    x = dev.zeros(32, u32)
    for _ in range(OFTEN):
        increase[[1], [32]](1, x)
    for number in range(1, 400):  # more than are kept
        increase[1, (8, 1, 1)](0, x) if number % 2 else increase[number, 1](0, x)
    assert len(increase._configured) <= 256
    np.testing.assert_array_equal(x.numpy(), np.full(32, OFTEN))


@pytest.mark.parametrize("shape", [1, (1,), (1, 2, 3), [1, 32]])
def test_a_grid_and_a_block_are_asked_for(shape: Any) -> None:
    with pytest.raises(px.BuildError, match="a grid and a block"):
        increase[shape]


def test_an_address_instead_of_an_array(dev: px.Device) -> None:
    """Nothing says then which device it is but the choice of the process."""
    x = dev.zeros(32, u32)
    launch = often(x)
    if dev is px.device():
        launch(1, x.pointer)
        assert int(x.numpy()[0]) == OFTEN + 1
    else:
        with pytest.raises(ArgumentError):
            launch(1, -1)


@px.kernel
def increase_often(k: px.Builder, x: px.ptr[u32], by: u32 = 3, times: u32 = 2) -> None:
    i = k.tid.x
    x[i] = x[i] + by * times


def test_the_last_parameters_may_have_defaults(dev: px.Device) -> None:
    x = dev.zeros(32, u32)
    bound = increase_often.bind(1, 32, device=dev)
    launches = (increase_often[1, 32], bound)
    for count in range(OFTEN):
        for launch in launches:
            launch(x)
            launch(x, 5)
            launch(x, 5, 7)
        assert x.numpy()[31] == (count + 1) * 2 * (6 + 10 + 35)
    for launch in launches:
        with pytest.raises(ArgumentCountError, match="also pass x, by, times"):
            launch()
        with pytest.raises(ArgumentCountError, match="leave out the last 1"):
            launch(x, 1, 2, 3)
        with pytest.raises(ArgumentError, match="times: u32"):
            launch(x, 1, -1)


@px.kernel
def put(k: px.Builder, x: px.ptr[f32], *, value: float) -> None:
    x[0] = value


def test_parameters_that_are_equal_and_not_the_same(dev: px.Device) -> None:
    x = dev.zeros(1, f32)
    for value in (0.0, -0.0, 0.0):
        put[1, 1](x, value=value)
        assert str(x.item()) == str(value)
    assert put.on(dev, value=1) is not put.on(dev, value=True)
    assert using(put, value=0.0) is not using(put, value=-0.0)
    assert using(put, value=0.0) is using(put, value=0.0)


def test_threads_repeat_the_same_launches(dev: px.Device) -> None:
    """Which of them makes a launcher first is open."""
    failures = []
    ready = threading.Barrier(4)

    def work() -> None:
        x = dev.zeros(32, u32)
        ready.wait()
        try:
            for block in range(1, 30):
                for _ in range(OFTEN):
                    increase[1, block](1, x)
            assert x.numpy()[0] == 29 * OFTEN
        except BaseException as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failures == []
