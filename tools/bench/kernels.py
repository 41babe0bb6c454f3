#!/usr/bin/env python3
"""Throughput of the kernel library beside a device copy and PyTorch, and the time that emitting a kernel takes.

    tools/bench/kernels.py [--json] [--tiny] [--device cuda|cpu] [--tune] [NAME...]

Every kernel is checked against numpy first. Times are CUDA events' around batches of launches, the median of interleaved
rounds; where inputs would fit into the L2 cache, launches go round several sets of them. TB/s count the bytes that must
cross the memory interface, so a copy counts each byte twice. The floor is the memory's clock times its width, or, of a
matrix product, the f32 lanes times their clock. `--tune` shows the choices that the library has made beside the others.
On the CPU device the problems are small and the figures say nothing about the kernels.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from driver_ctypes.abi.enums import CUdevice_attribute as Attribute
from ptxgen import f16, f32, u8
from ptxgen.kernels import find
from ptxgen.kernels.arrays import histogram, reduction, scan
from ptxgen.kernels.elements import elementwise, saxpy, transpose
from ptxgen.kernels.matrices import matmul
from ptxgen.kernels.rows import softmax
from tools.bench._command import command, print_json

ROUNDS = 15
BATCH_MS = 4.0
CACHE = 128 << 20
"""Bytes: inputs smaller than this get several sets, so that the 60 MB of an H200's L2 cache hold none of them."""

COPY = "device copy"
"""The peer that moves two bytes an element's byte where saxpy moves three."""

Run = Callable[[int], Any]
"""One launch on the n-th set of inputs."""


class Bench(NamedTuple):
    """A kernel on a problem: what it moves or computes, how to launch it, and what else does the same."""

    name: str
    unit: str
    work: float  # bytes or operations of a launch
    bytes: int  # of one set of arrays
    make: Callable[[], tuple[Run, dict[str, Run]]]
    check: str = ""  # the catalogue's variant that shows that it is right


# ---- what is measured ------------------------------------------------------------------------------------------------


class Arrays:
    """Arrays with random contents on the device, and PyTorch's view of the same memory where it is there."""

    def __init__(self, dev: px.Device, torch: Any, tiny: bool) -> None:
        self.dev = dev
        self.torch = torch
        self._noise = np.random.default_rng(0).standard_normal(1 << (10 if tiny else 22), dtype=np.float32)

    def random(self, count: int, type_: Any) -> px.Array:
        """`count` elements, the same four million again and again; integers are small, and wrap where the type ends."""
        array = self.dev.empty(count, type_)
        is_float = type_.isa.is_float
        values = self._noise if is_float else np.abs(self._noise * 60).astype(np.uint32) & ((1 << type_.isa.bits) - 1)
        block = self.dev.array(values, type_)
        for start in range(0, array.nbytes, block.nbytes):
            size = min(block.nbytes, array.nbytes - start)
            self.dev.context.copy(array.pointer + start, block.pointer, size, stream=self.dev.current_stream)
        self.dev.synchronize()
        return array

    def tensor(self, array: px.Array, *shape: int) -> Any:
        found = self.torch.as_tensor(array, device="cuda")
        return found.view(shape) if shape else found


def sets_of(bytes_: int, enough: bool) -> int:
    """How many sets of inputs exceed the cache."""
    return min(32, max(1, math.ceil(CACHE / max(bytes_, 1)))) if enough else 1


def benches(arrays: Arrays, big: bool) -> Iterator[Bench]:
    """Every measurement; `big` problems for a GPU, small ones for the CPU device."""
    yield from streaming(arrays, big)
    yield from rows(arrays, big)
    yield from others(arrays, big)


def launches(arrays: Arrays, count: int, plan: Callable[[], Any]) -> Run:
    """Bound launches of `count` plans, each with arrays of its own."""
    bound = [plan().bind(arrays.dev) for _ in range(count)]
    return lambda i: bound[i % count]()


def streaming(arrays: Arrays, big: bool) -> Iterator[Bench]:
    n = 1 << (28 if big else 16)
    torch = arrays.torch

    def bench_saxpy() -> tuple[Run, dict[str, Run]]:
        x, y = arrays.random(n, f32), arrays.random(n, f32)
        bound = saxpy.plan(n, 1e-3, x, y).bind(arrays.dev)
        stream, context = arrays.dev.current_stream, arrays.dev.context
        peers: dict[str, Run] = {COPY: lambda i: context.copy(y.pointer, x.pointer, x.nbytes, stream=stream)}
        if torch:
            a, b = arrays.tensor(x), arrays.tensor(y)
            peers["torch add_"] = lambda i: b.add_(a, alpha=1e-3)
        return lambda i: bound(), peers

    def bench_sum(element: Any) -> Callable[[], tuple[Run, dict[str, Run]]]:
        def make() -> tuple[Run, dict[str, Run]]:
            x, out = arrays.random(n, element), arrays.dev.zeros(1, f32)
            partials, ticket = arrays.dev.zeros(reduction.MAX_CTAS, f32), arrays.dev.zeros(1, px.u32)
            bound = reduction.plan(n, x, out, partials, ticket, element=element).bind(arrays.dev)
            peers: dict[str, Run] = {}
            if torch:
                tensor = arrays.tensor(x)
                peers["torch sum"] = lambda i: tensor.sum(dtype=torch.float32)
            return lambda i: bound(), peers

        return make

    def bench_map(op: str, function: str, **options: Any) -> Callable[[], tuple[Run, dict[str, Run]]]:
        def make() -> tuple[Run, dict[str, Run]]:
            inputs = [arrays.random(n, f32) for _ in range(elementwise.OPERATIONS[op].inputs)]
            z = arrays.dev.empty(n, f32)
            bound = elementwise.plan(op, n, *inputs, z).bind(arrays.dev)
            peers: dict[str, Run] = {}
            if torch:
                tensors = [arrays.tensor(x) for x in inputs]
                call = getattr(torch, function, None) or getattr(torch.nn.functional, function)
                peers[f"torch {function}"] = lambda i: call(*tensors, **options)
            return lambda i: bound(), peers

        return make

    size = 4 * n
    yield Bench("saxpy f32", "TB/s", 3 * size, 2 * size, bench_saxpy, "saxpy/f32")
    yield Bench("sum f32", "TB/s", size, size, bench_sum(f32), "reduction/sum.f32")
    yield Bench("sum f16", "TB/s", size // 2, size // 2, bench_sum(f16), "reduction/sum.f16")
    yield Bench("add f32", "TB/s", 3 * size, 3 * size, bench_map("add", "add"), "elementwise/add.f32")
    yield Bench("exp f32", "TB/s", 2 * size, 2 * size, bench_map("exp", "exp"), "elementwise/exp.f32")
    yield Bench("tanh f32", "TB/s", 2 * size, 2 * size, bench_map("tanh", "tanh"), "elementwise/tanh.f32")
    gelu = bench_map("gelu", "gelu", approximate="tanh")
    yield Bench("gelu f32", "TB/s", 2 * size, 2 * size, gelu, "elementwise/gelu.f32")


def rows(arrays: Arrays, big: bool) -> Iterator[Bench]:
    torch = arrays.torch

    def bench(kind: str, height: int, width: int, element: Any) -> Callable[[], tuple[Run, dict[str, Run]]]:
        def make() -> tuple[Run, dict[str, Run]]:
            count = sets_of(2 * height * width * element.isa.bytes, big)
            inputs = [arrays.random(height * width, element) for _ in range(count)]
            outputs = [arrays.dev.empty(height * width, element) for _ in range(count)]
            pairs = iter(zip(inputs, outputs))
            ours = launches(arrays, count, lambda: plans[kind](height, width, *next(pairs), element))
            peers: dict[str, Run] = {}
            if torch:
                tensors = [arrays.tensor(x, height, width) for x in inputs]
                name, call = theirs[kind]
                peers[name] = lambda i: call(tensors[i % count])
            return ours, peers

        return make

    plans: dict[str, Callable[..., Any]] = {
        "softmax": lambda h, w, x, y, e: softmax.plan(h, w, x, y, element=e),
        "transpose": lambda h, w, x, y, e: transpose.plan(h, w, x, y, element=e),
        "scan": lambda h, w, x, y, e: scan.plan(w, x, y, rows=h, element=e),
    }
    theirs: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "softmax": ("torch softmax", lambda x: torch.softmax(x, 1)),
        "transpose": ("torch t().contiguous()", lambda x: x.t().contiguous()),
        "scan": ("torch cumsum", lambda x: x.cumsum(1)),
    }
    problems = [
        ("softmax", 65536, 128, f32, "softmax/f32.columns-128"),
        ("softmax", 4096, 1024, f32, "softmax/f32.columns-1024"),
        ("softmax", 65536, 1024, f32, "softmax/f32.columns-1024"),
        ("softmax", 65536, 1024, f16, "softmax/f16.columns-1024"),
        ("softmax", 8192, 8192, f32, "softmax/f32.columns-8192"),
        ("softmax", 1024, 131072, f32, "softmax/f32.online"),
        ("transpose", 16384, 16384, u8, "transpose/b8"),
        ("transpose", 16384, 16384, f16, "transpose/b16"),
        ("transpose", 16384, 16384, f32, "transpose/b32"),
        ("transpose", 16383, 16381, f32, "transpose/b32.scalar"),
        ("scan", 65536, 1024, f32, "scan/f32.1024"),
    ]
    for kind, height, width, element, variant in problems:
        height = height if big else max(1, height >> 10)
        size = 2 * height * width * element.isa.bytes
        name = f"{kind} {element.isa.name} {height}x{width}"
        yield Bench(name, "TB/s", size, size, bench(kind, height, width, element), variant)


def others(arrays: Arrays, big: bool) -> Iterator[Bench]:
    torch = arrays.torch
    n, side = 1 << (28 if big else 16), 4096 if big else 128

    def bench_histogram() -> tuple[Run, dict[str, Run]]:
        x, counts = arrays.random(n, u8), arrays.dev.zeros(256, px.u32)
        bound = histogram.plan(n, 256, x, counts, element=u8).bind(arrays.dev)
        peers: dict[str, Run] = {}
        if torch:
            tensor = arrays.tensor(x)
            peers["torch bincount"] = lambda i: torch.bincount(tensor, minlength=256)
        return lambda i: bound(), peers

    def bench_matmul() -> tuple[Run, dict[str, Run]]:
        a, b, c = (arrays.random(side * side, f32) for _ in range(3))
        bound = matmul.plan(side, side, side, 1.0, a, b, 0.0, c).bind(arrays.dev)
        peers: dict[str, Run] = {}
        if torch:
            torch.backends.cuda.matmul.allow_tf32 = False
            left, right = arrays.tensor(a, side, side), arrays.tensor(b, side, side)
            out = arrays.tensor(c, side, side)
            peers["torch mm (f32)"] = lambda i: torch.mm(left, right, out=out)
        return lambda i: bound(), peers

    yield Bench("histogram u8, 256 bins", "TB/s", n, n, bench_histogram, "histogram/u8")
    yield Bench(f"matmul f32 {side}", "TFLOP/s", 2 * side**3, 12 * side**2, bench_matmul, "matmul/tile-128x128x8")


def choices(arrays: Arrays, big: bool) -> Iterator[Bench]:
    """What `--tune` compares: the compile-time parameters that a plan has chosen, and others."""
    n, side = 1 << (28 if big else 16), 4096 if big else 128

    def of_saxpy(unroll: int) -> Callable[[], tuple[Run, dict[str, Run]]]:
        def make() -> tuple[Run, dict[str, Run]]:
            x, y = arrays.random(n, f32), arrays.random(n, f32)
            bound = saxpy.plan(n, 1e-3, x, y, unroll=unroll).bind(arrays.dev)
            return lambda i: bound(), {}

        return make

    def of_matmul(tiling: matmul.Tiling) -> Callable[[], tuple[Run, dict[str, Run]]]:
        def make() -> tuple[Run, dict[str, Run]]:
            a, b, c = (arrays.random(side * side, f32) for _ in range(3))
            bound = matmul.plan(side, side, side, 1.0, a, b, 0.0, c, tiling=tiling).bind(arrays.dev)
            return lambda i: bound(), {}

        return make

    def of_softmax(lanes: int, items: int) -> Callable[[], tuple[Run, dict[str, Run]]]:
        def make() -> tuple[Run, dict[str, Run]]:
            height = 65536 if big else 64
            x, y = arrays.random(height * 1024, f32), arrays.dev.empty(height * 1024, f32)
            plan = softmax.plan(height, 1024, x, y, lanes=lanes, items=items, online=False)
            bound = plan.bind(arrays.dev)
            return lambda i: bound(), {}

        return make

    for unroll in (1, 2, 4):
        yield Bench(f"saxpy unroll={unroll}", "TB/s", 12 * n, 8 * n, of_saxpy(unroll))
    for m, n_, depth, ctas in (
        (128, 128, 8, 1),
        (128, 128, 8, 2),
        (128, 128, 16, 1),
        (128, 64, 8, 3),
        (64, 128, 16, 3),
    ):
        name = f"matmul tile {m}x{n_}x{depth}, {ctas} CTAs"
        tiling = matmul.Tiling(m, n_, depth, ctas=ctas)
        yield Bench(name, "TFLOP/s", 2 * side**3, 12 * side**2, of_matmul(tiling))
    height = 65536 if big else 64
    for lanes, items in ((32, 32), (64, 16), (128, 8), (256, 4)):
        name = f"softmax 1024 lanes={lanes}"
        yield Bench(name, "TB/s", 8 * height * 1024, 8 * height * 1024, of_softmax(lanes, items))


# ---- how it is measured ----------------------------------------------------------------------------------------------


def milliseconds(dev: px.Device, contestants: dict[str, Run], rounds: int, batch_ms: float) -> dict[str, float]:
    """The median time of one launch of each, in rounds that alternate between them."""
    stream = dev.current_stream
    begin, end = dev.event(), dev.event()

    def batch(run: Run, count: int) -> float:
        begin.record(stream)
        for i in range(count):
            run(i)
        end.record(stream)
        end.synchronize()
        return end.elapsed_ms(begin) / count

    counts = {}
    for name, run in contestants.items():
        batch(run, 2)
        counts[name] = max(1, min(200, math.ceil(batch_ms / max(batch(run, 2), 1e-3))))
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            samples[name].append(batch(run, counts[name]))
    return {name: median(values) for name, values in samples.items()}


def ceilings(dev: px.Device) -> dict[str, float]:
    """TB/s of the memory's pins (two transfers a clock) and TFLOP/s of the f32 lanes (128 an SM, two operations a clock)."""
    if dev.kind != "cuda":
        return {"TB/s": 0.0, "TFLOP/s": 0.0}
    read = dev.handle.attribute
    clock, width = (
        read(Attribute.MEMORY_CLOCK_RATE),
        read(Attribute.GLOBAL_MEMORY_BUS_WIDTH),
    )
    sms, core = read(Attribute.MULTIPROCESSOR_COUNT), read(Attribute.CLOCK_RATE)
    return {"TB/s": clock * 1e3 * 2 * width / 8 / 1e12, "TFLOP/s": sms * 128 * 2 * core * 1e3 / 1e12}


def throughput(dev: px.Device, bench: Bench, floor: float, tiny: bool) -> dict[str, Any]:
    if bench.check and not tiny and not find(bench.check).case().run(dev).passed:
        raise SystemExit(f"{bench.check} is wrong on {dev.name}")
    ours, peers = bench.make()
    rounds = 1 if tiny else ROUNDS if dev.kind == "cuda" else 3
    times = milliseconds(dev, {"ours": ours, **peers}, rounds, 0.0 if tiny else BATCH_MS)
    rates = {name: bench.work * (2 / 3 if name == COPY else 1) / (ms * 1e-3) / 1e12 for name, ms in times.items()}
    mine = rates.pop("ours")
    return row(bench.name, bench.unit, mine, rates, floor, higher_is_better=True)


def row(
    name: str, unit: str, ours: float, peers: dict[str, float], floor: float, *, higher_is_better: bool
) -> dict[str, Any]:
    best = (max if higher_is_better else min)(peers.values(), default=None)
    ratio = None if best is None else ours / best if higher_is_better else best / ours
    rounded = {peer: round(value, 3) for peer, value in peers.items()}
    return {
        "name": name,
        "unit": unit,
        "ours": round(ours, 3),
        "peers": rounded,
        "ratio": ratio and round(ratio, 3),
        "floor": round(floor, 3),
    }


def emission(rounds: int = 40) -> Iterator[dict[str, Any]]:
    """Time to build, verify and print, warm; the front page's saxpy, and kernels of the library."""

    @px.kernel
    def front_page(k: px.Builder, n: px.u32, a: px.f32, x: px.ptr[px.f32], y: px.ptr[px.f32]) -> None:
        i = k.global_id.x
        with k.if_(i < n):
            y[i] = k.fma(a, x[i], y[i])

    kernels = {
        "saxpy of the front page": front_page,
        "saxpy/f32": find("saxpy/f32").kernel,
        "softmax/f32.columns-128": find("softmax/f32.columns-128").kernel,
        "softmax/f32.columns-1024": find("softmax/f32.columns-1024").kernel,
        "elementwise/add.f32": find("elementwise/add.f32").kernel,
        "matmul/tile-128x128x8": find("matmul/tile-128x128x8").kernel,
    }
    for name, kernel in kernels.items():
        samples = []
        for _ in range(rounds):
            began = time.perf_counter()
            text = str(kernel.module(target="sm_90a"))
            samples.append(1e3 * (time.perf_counter() - began))
        lines = len(text.splitlines())
        yield row(f"emit {name} ({lines} lines)", "ms", median(samples[rounds // 4 :]), {}, 0.0, higher_is_better=False)


# ---- what is printed -------------------------------------------------------------------------------------------------


def line_of(found: dict[str, Any]) -> str:
    peers = ", ".join(f"{name} {value:.3f}" for name, value in found["peers"].items())
    ratio = f"{found['ratio']:.3f}" if found["ratio"] else ""
    floor = f"{found['floor']:.2f}" if found["floor"] else ""
    return f"{found['name']:<42}{found['ours']:>9.3f} {found['unit']:<8}{ratio:>7}{floor:>8}  {peers}"


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of measurements; all of them if none is given")
    parser.add_argument("--tune", action="store_true")
    options = parser.parse_args()
    dev = px.device(options.device)
    big = dev.kind == "cuda" and not options.tiny
    on_gpu = dev.kind == "cuda"
    try:
        import torch
    except ImportError:
        torch = None
    arrays = Arrays(dev, torch if on_gpu and torch is not None and torch.cuda.is_available() else None, options.tiny)
    limits = ceilings(dev)

    def wanted(name: str) -> bool:
        return not options.names or any(part in name for part in options.names)

    if not options.json:
        print(f"{dev.name}, {dev.handle.name}; PyTorch {'beside it' if arrays.torch else 'is not here'}")
        print(f"{'':<42}{'ours':>9} {'':<8}{'ratio':>7}{'floor':>8}  peers")
    found = []
    for bench in (choices if options.tune else benches)(arrays, big):
        if wanted(bench.name):
            result = throughput(dev, bench, limits[bench.unit], options.tiny)
            found.append(result)
            if not options.json:
                print(line_of(result), flush=True)
    for result in () if options.tune else emission(2 if options.tiny else 40):
        if wanted(result["name"]):
            found.append(result)
            if not options.json:
                print(line_of(result), flush=True)
    if options.json:
        print_json(found)


if __name__ == "__main__":
    main()
