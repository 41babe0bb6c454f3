#!/usr/bin/env python3
"""Kernels on rows and elements, forward and backward, beside PyTorch as it is and compiled; the floor is a copy of the same run.

Each work has 2^26 elements an array (2^27 of bf16), which no cache holds; medians of rounds in which all take turns, random data.
The floor is the time of the bytes that must be read and written at the speed of the device's copy, measured in the same rounds.
Of what writes no large array it is the time in which a sum of f32 reads as many bytes: behind a copy, the cache would still be
writing tens of megabytes to memory while the next one is timed.

`--compile` makes torch.compile's kernels of all rows, by several processes, and keeps them in its cache; the table itself then
takes a minute.
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
from ptxgen.kernels.elements import elementwise
from ptxgen.kernels.rows.rows import Options
from ptxgen.kernels.rows.rows_meaning import meaning
from tools.bench._peers import compare
from tools.bench._timer import Timer

ROWS = (
    "softmax", "softmax_backward", "log_softmax", "layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward",
    "cross_entropy", "cross_entropy_backward", "argmax",
)  # fmt: skip
ELEMENTS = ("add", "exp", "tanh", "gelu", "silu", "swiglu", "gelu_backward", "swiglu_backward", "cast")
COLUMNS = (1024, 8192, 131072)
EPS = 1e-5


class Work:
    """One row of the table. `floor` is known when it has been measured."""

    operations = 0.0

    def __init__(self, op: str, element: Any, rows: int, columns: int) -> None:
        self.op, self.element, self.rows, self.columns = op, element, rows, columns
        self.floor = 0.0

    @property
    def name(self) -> str:
        kind = "rows" if self.op in ROWS else "elements"
        return f"{kind} {self.element.isa.name}: {self.op} {self.rows}x{self.columns}"

    @property
    def moved(self) -> float:
        """Bytes of the large arrays that are read and written."""
        size = self.element.isa.bytes
        reads, writes = _ARRAYS.get(self.op, (1, 1))
        written = writes * size if self.op != "cast" else 6 - size
        return float(self.rows * self.columns * (reads * size + written))


_ARRAYS = {
    "softmax_backward": (2, 1), "layer_norm_backward": (2, 1), "rms_norm_backward": (2, 1), "cross_entropy": (1, 0),
    "argmax": (1, 0),
    "add": (2, 1), "swiglu": (2, 1), "gelu_backward": (2, 1), "swiglu_backward": (3, 2),
}  # fmt: skip
"""Large arrays that are read and written, where not one and one."""


def works() -> list[Work]:
    found = []
    for element in (f32, bf16):
        count = 2**28 // element.isa.bytes
        for op in ROWS:
            longest = 65536 if op.endswith("norm_backward") else COLUMNS[-1]
            found += [Work(op, element, count // columns, columns) for columns in (*COLUMNS[:-1], longest)]
        found += [Work(op, element, count // 8192, 8192) for op in ELEMENTS]
    return found


def other_type(element: Any) -> Any:
    return bf16 if element is f32 else f32


class Problem:
    """Arrays for a work and the calls of ours: `make(name, shape, element)` gives an array of random numbers."""

    def __init__(self, work: Work, make: Callable[..., Any]) -> None:
        self.work, op, element = work, work.op, work.element
        shape, rows = (work.rows, work.columns), (work.rows,)
        self.given: dict[str, Any] = {"x": make("x", shape, element)}
        if op.endswith("backward") and op != "cross_entropy_backward":
            self.given["g"] = make("g", shape, element)
        if op in ("add", "swiglu", "swiglu_backward"):
            self.given["y"] = make("y", shape, element)
        if "norm" in op:
            self.given["weight"] = make("weight", shape[1:], element)
        if op == "layer_norm":
            self.given["bias"] = make("bias", shape[1:], element)
        if op.endswith("norm_backward"):
            self.given["scale"] = make("scale", rows, f32)
            if op.startswith("layer"):
                self.given["mean"] = make("mean", rows, f32)
        if op.startswith("cross_entropy"):
            self.given["targets"] = make("targets", rows, s64)
            if op.endswith("backward"):
                self.given.update(gradients=make("gradients", rows, f32), logs=make("logs", rows, f32))
        kind = other_type(element) if op == "cast" else element
        short = {"cross_entropy": f32, "argmax": s64}.get(op)
        self.out = make("out", shape if short is None else rows, kind if short is None else short)
        self.more = [
            make("more", shape[1:], f32) for _ in range({"layer_norm_backward": 2, "rms_norm_backward": 1}.get(op, 0))
        ]
        if op == "swiglu_backward":
            self.more = [make("more", shape, element)]

    def run(self) -> None:
        """Ours."""
        op, x, out, a = self.work.op, self.given["x"], self.out, self.given
        if op in ("softmax", "log_softmax"):
            getattr(ops, op)(x, out)
        elif op == "softmax_backward":
            ops.softmax_backward(x, a["g"], out)
        elif op == "layer_norm":
            ops.layer_norm(x, a["weight"], a["bias"], out, eps=EPS)
        elif op == "rms_norm":
            ops.rms_norm(x, a["weight"], out, eps=EPS)
        elif op == "layer_norm_backward":
            ops.layer_norm_backward(a["g"], x, a["weight"], a["mean"], a["scale"], out, *self.more)
        elif op == "rms_norm_backward":
            ops.rms_norm_backward(a["g"], x, a["weight"], a["scale"], out, *self.more)
        elif op == "cross_entropy":
            ops.cross_entropy(x, a["targets"], out)
        elif op == "argmax":
            ops.argmax(x, out)
        elif op == "cross_entropy_backward":
            ops.cross_entropy_backward(a["gradients"], x, a["targets"], a["logs"], out)
        elif op == "cast":
            ops.cast(x, other_type(self.work.element), out)
        elif op == "gelu_backward":
            ops.gelu_backward(a["g"], x, out)
        elif op == "swiglu_backward":
            ops.swiglu_backward(a["g"], x, a["y"], out, self.more[0])
        else:
            ops.elementwise(op, *([x, a["y"]] if "y" in a else [x]), out=out)


def _torch_function(torch: Any, work: Work) -> tuple[Any, tuple[str, ...]]:
    """(what PyTorch does, the names of its arguments); a tuple of results where there are several, the first as ours."""
    f, op = torch.nn.functional, work.op
    columns = (work.columns,)
    aten = torch.ops.aten
    if op == "softmax":
        return (lambda x: f.softmax(x, -1)), ("x",)
    if op == "log_softmax":
        return (lambda x: f.log_softmax(x, -1)), ("x",)
    if op == "softmax_backward":
        return (lambda g, x: aten._softmax_backward_data(g, x, -1, x.dtype)), ("g", "x")
    if op == "layer_norm":
        return (lambda x, w, b: f.layer_norm(x, columns, w, b, EPS)), ("x", "weight", "bias")
    if op == "rms_norm":
        return (lambda x, w: f.rms_norm(x, columns, w, EPS)), ("x", "weight")
    if op == "layer_norm_backward":
        return (
            lambda g, x, w, m, s: aten.native_layer_norm_backward(
                g, x, columns, m[:, None], s[:, None], w, w, [True, True, True]
            )
        ), ("g", "x", "weight", "mean", "scale")
    if op == "rms_norm_backward":

        def backward(g: Any, x: Any, w: Any, s: Any) -> Any:
            plain = x.float() * s[:, None]
            weighed = g.float() * w.float()
            d_x = s[:, None] * (weighed - plain * (weighed * plain).mean(1, keepdim=True))
            return d_x.to(x.dtype), (g.float() * plain).sum(0)

        return backward, ("g", "x", "weight", "scale")
    if op == "cross_entropy":
        return (lambda x, t: f.cross_entropy(x, t, reduction="none").float()), ("x", "targets")
    if op == "cross_entropy_backward":

        def entropy(x: Any, t: Any, logs: Any, gradients: Any) -> Any:
            shares = torch.exp(x.float() - logs[:, None])
            here = torch.arange(x.shape[1], device=x.device)[None, :] == t[:, None]
            return ((shares - here.float()) * gradients[:, None]).to(x.dtype)

        return entropy, ("x", "targets", "logs", "gradients")
    if op == "argmax":
        return (lambda x: x.argmax(-1)), ("x",)
    if op == "gelu":
        return (lambda x: f.gelu(x, approximate="tanh")), ("x",)
    if op == "gelu_backward":
        return (lambda g, x: aten.gelu_backward(g, x, approximate="tanh")), ("g", "x")
    if op == "silu":
        return f.silu, ("x",)
    if op == "swiglu":
        return (lambda x, y: f.silu(x) * y), ("x", "y")
    if op == "swiglu_backward":
        return (lambda g, x, y: (aten.silu_backward(g * y, x), f.silu(x) * g)), ("g", "x", "y")
    if op == "cast":
        kind = getattr(torch, {"bf16": "bfloat16", "f32": "float32"}[other_type(work.element).isa.name])
        return (lambda x: x.to(kind)), ("x",)
    return getattr(torch, op), ("x", "y") if op == "add" else ("x",)


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of torch's; sets the floor."""
    dev, torch = timer.device, timer.torch
    rng = np.random.default_rng(0)
    runs: dict[str, Any] = {}
    if torch is None:
        noise = rng.standard_normal(1 << 22, dtype=np.float32)
        problem = Problem(work, lambda name, shape, element: _repeated(dev, name, shape, element, noise, work.columns))
        runs["ours"] = problem.run
    else:
        problem, function, tensors = _beside(torch, work)
        expected = function(*tensors)
        problem.run()
        torch.cuda.synchronize()
        _compare(work, problem.out, expected[0] if isinstance(expected, tuple) else expected)
        del expected
        compiled = _compiled(torch, function, tensors)
        runs = {"ours": problem.run, "torch": lambda: function(*tensors), "torch.compile": lambda: compiled(*tensors)}
    source = dev.empty(2**26, f32).fill(0)
    with ops.Reduce(dev, f32) as summed:
        if work.op in _ARRAYS and _ARRAYS[work.op][1] == 0:
            total, floor_bytes = dev.empty(1, f32), source.nbytes
            runs["floor"] = lambda: summed(source, total)
        else:
            target, floor_bytes = dev.empty(2**28, px.u8), 2 * source.nbytes
            runs["floor"] = lambda: dev.context.copy(
                target.pointer, source.pointer, source.nbytes, stream=dev.current_stream
            )
        times = {name: 1e3 * each for name, each in timer.times(runs).items()}
    work.floor = times.pop("floor") * work.moved / floor_bytes
    return times


def _beside(torch: Any, work: Work) -> tuple[Problem, Any, list[Any]]:
    """The problem in PyTorch's arrays, what PyTorch does, and the arrays that it takes."""
    torch.manual_seed(0)
    problem = Problem(work, lambda name, shape, element: _tensor(torch, name, shape, element, work.columns))
    if work.op == "softmax_backward":  # it takes a result of the forward
        x = problem.given["x"]
        x.copy_(torch.softmax(x, -1))
    function, names = _torch_function(torch, work)
    return problem, function, [problem.given[name] for name in names]


def _compiled(torch: Any, function: Any, tensors: list[Any]) -> Any:
    torch._dynamo.reset()
    compiled = torch.compile(function, dynamic=False)
    compiled(*tensors)
    return compiled


def build(work: Work) -> None:
    """Make torch.compile's kernels, which its cache keeps."""
    import torch

    _, function, tensors = _beside(torch, work)
    _compiled(torch, function, tensors)


wrong: list[str] = []
"""Rows whose result is not PyTorch's: said at once, and counted at the end."""


def _compare(work: Work, ours: Any, theirs: Any) -> None:
    """Of the largest number of each row, as a part of which sums over rows are right."""
    size = theirs.float().abs()
    limit = (2e-2 if work.element is bf16 else 1e-3) * (
        size + (size.amax(-1, keepdim=True) if size.dim() > 1 else size.amax())
    )
    error = ((ours.float() - theirs.float()).abs() / (limit + 1e-6)).max().item()
    if not error <= 1:
        wrong.append(work.name)
        print(f"{work.name}: WRONG by {error:.3g} times what is allowed", file=sys.stderr, flush=True)


def _repeated(dev: px.Device, name: str, shape: tuple[int, ...], element: Any, noise: Any, columns: int) -> Any:
    """The same four million numbers again and again."""
    if element is s64 and name == "out":
        return dev.empty(shape, s64)
    if element is s64:
        return dev.array(np.random.default_rng(1).integers(0, columns, shape), s64)
    array = dev.empty(shape, element)
    if name in ("out", "more"):
        return array
    block = dev.array(abs(noise) + 0.5 if name == "scale" else noise, element)
    for start in range(0, array.nbytes, block.nbytes):
        size = min(block.nbytes, array.nbytes - start)
        dev.context.copy(array.pointer + start, block.pointer, size, stream=dev.current_stream)
    dev.synchronize()
    return array


def _tensor(torch: Any, name: str, shape: tuple[int, ...], element: Any, columns: int) -> Any:
    kind = {"f32": torch.float32, "bf16": torch.bfloat16}.get(element.isa.name)
    if kind is None:
        return torch.randint(0, columns, shape, device="cuda")
    if name in ("out", "more"):
        return torch.empty(shape, device="cuda", dtype=kind)
    drawn = torch.randn(shape, device="cuda", dtype=kind)
    return drawn.abs() + 0.5 if name == "scale" else drawn


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    dev, rng = px.device("cpu"), np.random.default_rng(0)

    def make(name: str, shape: tuple[int, ...], element: Any) -> Any:
        if element is s64:
            return dev.array(rng.integers(0, work.columns, shape), s64)
        drawn = rng.standard_normal(shape).astype(np.float32)
        return dev.array(abs(drawn) + 0.5 if name == "scale" else drawn, element)

    problem = Problem(work, make)
    began = time.perf_counter()
    problem.run()
    taken = time.perf_counter() - began
    values = {name: array.numpy() for name, array in problem.given.items()}
    if work.op == "argmax":
        expected, limit = values["x"].argmax(axis=1), 0
    elif work.op in ROWS:
        found, tolerance = meaning(work.op, values, work.element, eps=EPS, options=Options())
        expected, limit = next(iter(found.items()))[1], next(iter(tolerance.limit.items()))[1]
    else:
        wide = [values[name].astype(np.float64) for name in ("x", "y", "g") if name in values]
        exact = elementwise.OPERATIONS[work.op].meaning(*wide)
        expected = exact[0] if isinstance(exact, tuple) else exact
        limit = 2.0**-7 * (abs(expected) + 1e-2)
    assert (abs(problem.out.numpy() - expected) <= limit).all(), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    tiny = [Work(op, (f32, bf16)[i % 2], 6, 256) for i, op in enumerate((*ROWS, *ELEMENTS))]
    compare(__doc__, works(), tiny, on_gpu=on_gpu, on_cpu=on_cpu, build=build)
    sys.exit(f"wrong: {', '.join(wrong)}" if wrong else 0)
