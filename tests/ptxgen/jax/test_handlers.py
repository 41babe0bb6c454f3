"""The machine code of a kernel's handler, called as XLA does, with the emulated driver behind it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import IllegalAddressError
from ptxgen import f32, u32
from ptxgen.jax import abi
from ptxgen.jax.handlers import KernelCall, Passed, new_handler
from ptxgen.jax.programs import Program
from ptxgen.jax.targets import KernelTarget
from tools.bench._xla_frames import Xla

pytestmark = pytest.mark.cpu_only


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], 1.0)


CALL = KernelCall(
    (
        Passed("attribute", name="value.n", size=4),
        Passed("attribute", name="value.a", size=4),
        Passed("operand", 0, types=(11,), aligned=16),
        Passed("result", 0, types=(11,)),
    ),
    block=(32, 1, 1), shared=0, cluster=None, cooperative=False,
)  # fmt: skip


class Called:
    """A handler, and what it is called with."""

    def __init__(self, call: KernelCall = CALL) -> None:
        self.device = px.device("cpu")
        self.target = KernelTarget(Program(saxpy), call, "cpu")
        self.handler = new_handler(self.target.state, call)
        self.stream = self.device.stream()
        self.xla = Xla(self.stream.handle)
        self.x = self.device.array(np.arange(100, dtype=np.float32))
        self.y = self.device.zeros(100, f32)

    def __call__(self, operands: Any = None, attributes: Any = None, **more: Any) -> str | None:
        stated = {"grid": [4, 1, 1], "value.a": 2.0, "value.n": 100} if attributes is None else attributes
        frame = self.xla.frame([self.x] if operands is None else operands, [self.y], stated, **more)
        found = self.xla.call(self.handler, frame)
        if found is None:
            self.stream.synchronize()
        return found


@pytest.fixture
def called() -> Called:
    return Called()


def test_it_reports_the_oldest_version_of_the_interface_and_that_graphs_may_capture_it(called: Called) -> None:
    metadata = called.xla.metadata(called.handler)
    assert (metadata.version.major, metadata.version.minor) == abi.VERSION == (0, 1)
    assert metadata.traits == abi.COMMAND_BUFFER_COMPATIBLE


def test_it_launches_with_buffers_and_attributes_of_any_order(called: Called) -> None:
    assert called() is None
    assert called(attributes={"value.n": 100, "grid": [4, 1, 1], "other": 7, "value.a": 2.0}) is None
    assert called.y.numpy().tolist() == [2 * i + 1 for i in range(100)]


def test_python_is_entered_once(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    entered = []
    slow = KernelTarget.slow
    monkeypatch.setattr(KernelTarget, "slow", lambda self, *given: entered.append(1) or slow(self, *given))
    called = Called()
    for _ in range(3):
        assert called() is None
    assert len(entered) == 1
    assert called.target.state.under_way == 0


def test_initialising_loads_and_launches_nothing(called: Called) -> None:
    assert called(stage=abi.INITIALIZE) is None
    assert called.target.state.loaded == 1
    assert not called.y.numpy().any()


@pytest.mark.parametrize(
    "operands, attributes, told",
    [
        ([], None, "no buffer for 'x'"),
        ([("u32", 256, (100,))], None, "'x' is of XLA's type 8"),
        ([("f32", 260, (100,))], None, "no multiple of 16"),
        (None, {"grid": [4, 1, 1], "value.a": 2.0}, "no attribute 'value.n'"),
        (None, {"value.n": 100, "value.a": 2.0}, "no attribute 'grid'"),
    ],
)
def test_what_does_not_fit_is_an_error(called: Called, operands: Any, attributes: Any, told: str) -> None:
    assert called() is None
    assert told in (called(operands, attributes) or "")
    assert called() is None  # and the next call goes on


def test_what_the_driver_refuses_is_an_error(called: Called) -> None:
    assert called() is None
    assert "cuLaunchKernelEx" in (called(attributes={"grid": [4, 70000, 1], "value.a": 2.0, "value.n": 100}) or "")
    assert called() is None


def test_a_configuration_that_no_kernel_has_is_an_error() -> None:
    called = Called(CALL._replace(block=(2048, 1, 1)))
    assert "LaunchConfigError" in (called() or "")


def test_after_a_reset_the_kernel_is_loaded_anew() -> None:
    called = Called()
    assert called() is None
    called.device.reset()
    called.stream = called.device.stream()
    called.xla.stream = called.stream.handle
    called.x, called.y = called.device.array(np.ones(100, np.float32)), called.device.zeros(100, f32)
    assert called() is None
    assert called.y.numpy().tolist() == [3.0] * 100


def test_a_fault_is_told_by_every_later_call() -> None:
    called = Called()
    assert called() is None
    x, called.x = called.x, ("f32", 1 << 40, (100,))
    with pytest.raises(IllegalAddressError):  # of the stream's synchronisation, which XLA does
        called()
    assert "ContextLostError" in (called() or "")
    x.device.reset()


def test_a_cluster_and_a_cooperative_launch_are_launch_attributes() -> None:
    called = Called(CALL._replace(cluster=(2, 1, 1), cooperative=True))
    assert called() is None
    assert called.y.numpy().tolist() == [2 * i + 1 for i in range(100)]


@pytest.mark.filterwarnings("ignore:.*fork")  # Python and JAX warn of forks beside threads
def test_in_a_forked_child_it_is_an_error() -> None:
    called = Called()
    assert called() is None
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        told = "it crashed"
        try:
            told = (
                called.xla.call(called.handler, called.xla.frame([("f32", 256, (4,))], [("f32", 256, (4,))], {}))
                or "nothing"
            )
        finally:
            os.write(write, told.encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as told_there:
        assert "ForkedProcessError" in told_there.read()
    os.waitpid(child, 0)
    assert called() is None
