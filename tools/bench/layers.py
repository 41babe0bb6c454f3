#!/usr/bin/env python3
"""Group norm, bias with an activation, embedding and depthwise convolution beside PyTorch; the floor is a copy of the same run.

Medians of rounds in which all take turns, random data, arrays that no cache holds. The floor is the time of the bytes that must
be read and written at the rate of a copy's bytes. PyTorch runs as it is, forward compiled too; its results must be ours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import ops
from ptxgen.builder import bf16, f32, s64
from tools.bench._peers import compare
from tools.bench._timer import Timer

GROUPS = 32
TAPS = 4


class Work:
    """One row of the table: `shape` is that of x; of an embedding (indices, rows, columns). `floor` is known when it has been
    measured."""

    operations = 0.0

    def __init__(self, op: str, element: Any, shape: tuple[int, ...]) -> None:
        self.op, self.element, self.shape = op, element, shape
        self.floor = 0.0

    @property
    def name(self) -> str:
        return f"layers {self.element.isa.name}: {self.op} {'x'.join(map(str, self.shape))}"

    @property
    def moved(self) -> float:
        """Bytes of the large arrays that are read and written."""
        arrays = {"group_norm_backward": 3, "bias_gelu_backward": 3}.get(self.op, 2)
        elements = float(np.prod(self.shape))
        if self.op.startswith("embedding"):
            count, rows, columns = self.shape
            arrays, elements = 1, float((count + (rows if self.op.endswith("backward") else count)) * columns)
        return float(arrays * elements * self.element.isa.bytes)


def works() -> list[Work]:
    found = []
    for element in (f32, bf16):
        images = (64 * 4 // element.isa.bytes, 256, 64, 64)
        found += [Work(op, element, images) for op in ("group_norm", "group_norm_backward")]
        found += [
            Work(op, element, (2**28 // element.isa.bytes // 4096, 4096)) for op in ("bias_gelu", "bias_gelu_backward")
        ]
        found += [Work(op, element, (32768, 50304, 2048)) for op in ("embedding", "embedding_backward")]
        found += [Work("conv1d_depthwise", element, (16, 4096 * 2 // element.isa.bytes, 2048))]
    return found


TINY = [
    Work("group_norm", f32, (2, 32, 4, 6)), Work("group_norm_backward", bf16, (2, 64, 5)), Work("bias_gelu", bf16, (9, 24)),
    Work("bias_gelu_backward", f32, (9, 24)), Work("embedding", bf16, (20, 7, 16)), Work("embedding_backward", f32, (20, 7, 16)),
    Work("conv1d_depthwise", f32, (2, 3, 24)),
]  # fmt: skip


class Problem:
    """Arrays for a work and the call of ours: `make(name, shape, element)` gives an array of random numbers."""

    def __init__(self, work: Work, make: Callable[..., Any]) -> None:
        self.work, op, element, shape = work, work.op, work.element, work.shape
        self.given: dict[str, Any] = {}
        if op.startswith("embedding"):
            count, rows, columns = shape
            self.given = {"indices": make("indices", (count,), s64)}
            self.given["x"] = make("x", (count if op.endswith("backward") else rows, columns), element)
            self.outs = [make("out", (rows if op.endswith("backward") else count, columns), element)]
            return
        channels = shape[1]
        self.given["x"] = make("x", shape, element)
        if op.endswith("backward"):
            self.given["g"] = make("g", shape, element)
        self.given["weight"] = make("weight", (channels, TAPS) if op.startswith("conv") else (channels,), element)
        if not op.endswith("backward"):
            self.given["bias"] = make("bias", (channels,), element)
        self.outs = [make("out", shape, element)]
        if op == "group_norm_backward":
            self.given.update({name: make(name, (shape[0], GROUPS), f32) for name in ("mean", "scale")})
        if op.endswith("backward"):
            self.outs += [make("out", (channels,), f32) for _ in range(2 if op.startswith("group") else 1)]

    def run(self) -> None:
        """Ours."""
        op, a, outs = self.work.op, self.given, self.outs
        if op == "group_norm":
            ops.group_norm(a["x"], GROUPS, a["weight"], a["bias"], outs[0])
        elif op == "group_norm_backward":
            ops.group_norm_backward(a["g"], a["x"], GROUPS, a["weight"], a["mean"], a["scale"], *outs)
        elif op == "bias_gelu":
            ops.bias_gelu(a["x"], a["bias"], outs[0])
        elif op == "bias_gelu_backward":
            ops.bias_gelu_backward(a["g"], a["x"], a["weight"], *outs)
        elif op == "embedding":
            ops.embedding(a["x"], a["indices"], outs[0])
        elif op == "embedding_backward":
            ops.embedding_backward(a["x"], a["indices"], self.work.shape[1], outs[0])
        else:
            ops.conv1d_depthwise(a["x"], a["weight"], a["bias"], outs[0], silu=True)


def torch_function(torch: Any, work: Work) -> Callable[..., Any]:
    """What PyTorch does with the same arrays, by their names; its first result is ours."""
    f, aten, shape = torch.nn.functional, torch.ops.aten, work.shape
    if work.op == "group_norm":
        return lambda x, weight, bias: f.group_norm(x, GROUPS, weight, bias)
    if work.op == "group_norm_backward":
        area = int(np.prod(shape[2:]))

        def backward(x: Any, g: Any, weight: Any, mean: Any, scale: Any) -> Any:
            sizes = (shape[0], shape[1], area, GROUPS, [True, True, True])
            return aten.native_group_norm_backward(g, x, mean.to(x.dtype), scale.to(x.dtype), weight, *sizes)

        return backward
    if work.op == "bias_gelu":
        return lambda x, weight, bias: f.gelu(x + bias, approximate="tanh")
    if work.op == "bias_gelu_backward":

        def gelu_backward(x: Any, g: Any, weight: Any) -> Any:
            d_x = aten.gelu_backward(g, x + weight, approximate="tanh")
            return d_x, d_x.sum(0, dtype=torch.float32)

        return gelu_backward
    if work.op == "embedding":
        return lambda indices, x: f.embedding(indices, x)
    if work.op == "embedding_backward":
        return lambda indices, x: aten.embedding_dense_backward(x, indices, shape[1], -1, False)

    def convolution(x: Any, weight: Any, bias: Any) -> Any:
        return f.silu(f.conv1d(x, weight[:, None], bias, padding=TAPS - 1, groups=shape[1])[..., : shape[2]])

    return convolution


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of torch's; sets the floor."""
    dev, torch = timer.device, timer.torch
    runs: dict[str, Any] = {}
    if torch is None:
        problem = Problem(work, _host_arrays(dev, work))
    else:
        torch.manual_seed(0)
        kinds = {"f32": torch.float32, "bf16": torch.bfloat16}

        def make(name: str, shape: tuple[int, ...], element: Any) -> Any:
            if element is s64:
                return torch.randint(0, work.shape[1], shape, device="cuda")
            drawn = torch.randn(shape, device="cuda", dtype=kinds[element.isa.name])
            return drawn.abs() + 0.5 if name == "scale" else drawn

        problem = Problem(work, make)
        function = torch_function(torch, work)
        expected = function(**problem.given)
        expected = (expected[0] if isinstance(expected, tuple) else expected).float()
        problem.run()
        torch.cuda.synchronize()
        limit = (4e-2 if work.element is bf16 else 1e-3) * (expected.abs() + expected.abs().mean() + 1)
        assert ((problem.outs[0].float() - expected).abs() <= limit).all(), f"{work.name} is not PyTorch's"
        del expected, limit
        runs["torch"] = lambda: function(**problem.given)
        if "backward" not in work.op:
            torch._dynamo.reset()
            compiled = torch.compile(function, dynamic=False)
            compiled(**problem.given)
            runs["torch.compile"] = lambda: compiled(**problem.given)
    source, target = (dev.empty(2**28, px.u8) for _ in range(2))
    runs["ours"] = problem.run
    runs["copy"] = lambda: dev.context.copy(target.pointer, source.pointer, source.nbytes, stream=dev.current_stream)
    times = {name: 1e3 * each for name, each in timer.times(runs).items()}
    work.floor = times.pop("copy") * work.moved / (2 * source.nbytes)
    return times


def _host_arrays(dev: px.Device, work: Work) -> Callable[..., Any]:
    rng = np.random.default_rng(0)

    def make(name: str, shape: tuple[int, ...], element: Any) -> Any:
        if element is s64:
            return dev.array(rng.integers(0, work.shape[1], shape), s64)
        drawn = rng.standard_normal(shape, dtype=np.float32)
        return dev.array(abs(drawn) + np.float32(0.5) if name == "scale" else drawn, element)

    return make


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device; the first result checked against numpy where that is a line."""
    dev = px.device("cpu")
    problem = Problem(work, _host_arrays(dev, work))
    began = time.perf_counter()
    problem.run()
    found = problem.outs[0].numpy().astype(np.float64)
    taken = time.perf_counter() - began
    a = {name: array.numpy() for name, array in problem.given.items()}
    expected: Any = np.nan
    if work.op == "group_norm":
        rows = a["x"].astype(np.float64).reshape(work.shape[0], GROUPS, -1)
        plain = (rows - rows.mean(axis=2, keepdims=True)) / np.sqrt(rows.var(axis=2, keepdims=True) + 1e-5)
        own = [a[name].reshape(-1, *[1] * (len(work.shape) - 2)) for name in ("weight", "bias")]
        expected = plain.reshape(work.shape) * own[0] + own[1]
    elif work.op == "embedding":
        expected = a["x"][a["indices"]]
    elif work.op == "embedding_backward":
        expected = np.zeros(found.shape)
        np.add.at(expected, a["indices"], a["x"].astype(np.float64))
    close = np.abs(found - expected) <= (2e-2 if work.element is bf16 else 1e-4) * (1 + np.abs(expected))
    assert np.isfinite(found).all(), f"{work.name} is not finite"
    assert (close | np.isnan(expected)).all(), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    compare(__doc__, works(), TINY, on_gpu=on_gpu, on_cpu=on_cpu)
