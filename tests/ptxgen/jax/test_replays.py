"""What an operation launched is replayed by machine code, called as XLA does, with the emulated driver behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f32, ops
from ptxgen.jax.handlers import new_handler
from ptxgen.jax.targets import OperationTarget
from ptxgen.ops.launches import Fill, prepare
from tools.bench._xla_frames import Xla

pytestmark = pytest.mark.cpu_only


class Called:
    """An operation's handler; `entered` counts how often Python ran it."""

    def __init__(self, run: Any) -> None:
        self.device = px.device("cpu")
        self.entered = 0

        def counted(operands: Any, results: Any, attributes: Any) -> None:
            self.entered += 1
            run(*operands, *results, **attributes)

        self.target = OperationTarget("tested", counted, "cpu")
        self.handler = new_handler(self.target.state, None, replays=True)
        self.stream = self.device.stream()
        self.xla = Xla(self.stream.handle)

    def __call__(self, operands: Any, results: Any) -> str | None:
        found = self.xla.call(self.handler, self.xla.frame(operands, results, {}))
        self.stream.synchronize()
        return found


def drawn(dev: px.Device, seed: int, *shape: int) -> Any:
    return dev.array(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def test_other_buffers_of_the_same_form() -> None:
    called = Called(lambda x, weight, y: ops.rms_norm(x, weight, y, eps=1e-6))
    dev = called.device
    for seed in range(4):
        x, weight, y = drawn(dev, seed, 5, 64), drawn(dev, seed + 9, 64), dev.zeros((5, 64), f32)
        assert called([x, weight], [y]) is None
        exact = x.numpy() / np.sqrt((x.numpy() ** 2).mean(-1, keepdims=True) + 1e-6) * weight.numpy()
        assert np.allclose(y.numpy(), exact, atol=1e-5)
    assert called.entered == 1
    assert called.target.state.under_way == 0


def test_tensor_maps_are_moved() -> None:
    """On sm_90a a product of bf16 loads its tiles by tensor maps."""
    called = Called(lambda a, b, out: ops.matmul(a, b, out))
    dev = called.device
    for seed in range(3):
        numbers = [np.random.default_rng(seed + each).integers(-4, 5, (128, 128)) for each in (0, 9)]
        a, b = (dev.array(each.astype(np.float32), bf16) for each in numbers)
        out = dev.zeros((128, 128), bf16)
        assert called([a, b], [out]) is None
        exact = dev.array((numbers[0] @ numbers[1]).astype(np.float32), bf16)
        assert np.array_equal(out.numpy(), exact.numpy())
    assert called.entered == 1
    assert any(place.structure for each in called.target.kept[0] for place in each.places)


def test_several_launches_with_their_scratch() -> None:
    called = Called(lambda g, x, weight, scale, d_x, d_w: ops.rms_norm_backward(g, x, weight, scale, d_x, d_w))
    dev = called.device
    found = []
    for _ in range(3):
        g, x, weight = drawn(dev, 1, 300, 64), drawn(dev, 2, 300, 64), drawn(dev, 3, 64)
        scale = dev.array((1 / np.sqrt((x.numpy() ** 2).mean(-1) + 1e-6)).astype(np.float32))
        d_x, d_w = dev.zeros((300, 64), f32), dev.zeros(64, f32)
        assert called([g, x, weight, scale], [d_x, d_w]) is None
        found.append((d_x.numpy(), d_w.numpy()))
    assert called.entered == 1
    for each in found[1:]:
        assert all(np.array_equal(one, other) for one, other in zip(each, found[0]))
    exact = (g.numpy() * x.numpy() * scale.numpy()[:, None]).sum(0)
    assert np.allclose(found[0][1], exact, atol=1e-3)


def test_zeros_into_a_result() -> None:
    def run(x: Any, y: Any) -> None:
        prepare(Fill(y), y.device, y.device.current_stream.handle).run()
        ops.silu(x, y[:64])

    called = Called(run)
    dev = called.device
    for seed in range(3):
        x, y = drawn(dev, seed, 64), dev.array(np.ones(128, np.float32))
        assert called([x], [y]) is None
        assert not y.numpy()[64:].any()
        assert y.numpy()[:64].any()
    assert called.entered == 1


def test_each_stream_has_its_own() -> None:
    called = Called(lambda x, y: ops.silu(x, y))
    dev = called.device
    x, y = drawn(dev, 1, 64), dev.zeros(64, f32)
    first, second = called.stream, dev.stream()
    for stream in (first, second, first, second):
        called.stream, called.xla.stream = stream, stream.handle
        assert called([x], [y]) is None
    assert called.entered == 2


def test_another_boundary_is_pythons() -> None:
    called = Called(lambda x, y: ops.silu(x, y))
    dev = called.device
    x, y = drawn(dev, 1, 128), dev.zeros(64, f32)
    for begin in (0, 16, 0):
        part = x[begin : begin + 64]
        assert called([("f32", part.pointer, (64,))], [y]) is None
        exact = part.numpy() / (1 + np.exp(-part.numpy()))
        assert np.allclose(y.numpy(), exact, atol=1e-6)
    assert called.entered == 2


def test_what_the_function_raises_is_an_error_each_time() -> None:
    def run(x: Any, y: Any) -> None:
        raise ValueError("not today")

    called = Called(run)
    x = drawn(called.device, 1, 64)
    for _ in range(2):
        assert "ValueError: not today" in (called([x], [x]) or "")


def test_buffers_that_share_memory_are_pythons() -> None:
    called = Called(lambda x, y: ops.silu(x, y))
    for _ in range(2):
        x = drawn(called.device, 1, 64)
        assert called([x], [x]) is None
    assert called.entered == 2


def test_after_a_reset_it_is_recorded_anew() -> None:
    called = Called(lambda x, y: ops.silu(x, y))
    dev = called.device
    for _ in range(2):
        x, y = drawn(dev, 1, 64), dev.zeros(64, f32)
        for _ in range(2):
            assert called([x], [y]) is None
        assert y.numpy().any()
        dev.reset()
        called.stream = dev.stream()
        called.xla.stream = called.stream.handle
    assert called.entered == 2
