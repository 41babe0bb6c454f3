#!/usr/bin/env python3
"""What a kernel launch costs: three pointers and an i32.

    tools/bench/launch.py [--json] [--tiny] [--device cpu|cuda] [--part host|gpu|threads] [--rounds N]

`host`: nanoseconds on the host, at a libcuda that does nothing (dummy/libcuda.c, built with the system's compiler), least of all
rounds: our native launcher and the ctypes one, beside cuda-core and cuda-bindings where they are installed, at the same library
in the same process. The floor is a call of the same function in a loop of machine code.

`gpu`: microseconds on the real driver, median of rounds, every queue drained in between. The floor is cuLaunchKernel (or
cuGraphLaunch) called in a loop of machine code. Peers in the same rounds: cuda-core, CuPy, Triton, PyTorch's smallest operation.

`threads`: 320,000 launches from 8 threads by each launcher, at a driver function that takes half a microsecond before it reads
the arguments: how many arrived with another thread's.

Without --part, all that this machine can run.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from timeit import Timer
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import driver_ctypes as dc
import ptxgen as px
from driver_ctypes.trampoline import choice
from tools.bench._command import command, print_json
from tools.bench.dummy import rows_at_dummy_library

Row = dict[str, Any]
Call = tuple[str, dict[str, Any]]
"""A statement to be timed, and the names in it."""

GRAPH_NODES = 20


@px.kernel
def idle(k: px.Builder, x: px.ptr[px.f32], y: px.ptr[px.f32], z: px.ptr[px.f32], n: px.s32) -> None:
    """Nothing at all: only the launch is measured."""


@contextmanager
def launcher_of(kind: str) -> Iterator[None]:
    """Bind kernels by this launcher in the body."""
    before = choice.launcher()
    choice._chosen = choice.choose(kind)
    try:
        yield
    finally:
        choice._chosen = before


def bound(dev: px.Device, kind: str, stream: Any) -> Callable[..., None]:
    with launcher_of(kind):
        return idle.bind(1, 32, device=dev, stream=stream)


def ours(dev: px.Device) -> dict[str, Call]:
    """Our ways to launch, from the quickest to the most convenient."""
    stream = dev.stream()
    arrays = [dev.zeros(256, px.f32) for _ in range(3)]
    names: dict[str, Any] = dict(zip("xyz", arrays), n=7, stream=stream, dev=dev, idle=idle)
    names |= {f"p{name}": names[name].pointer for name in "xyz"}
    addresses, taken = "f(px, py, pz, n)", "f(x, y, z, n)"
    native, fallback = (names | {"f": bound(dev, kind, stream)} for kind in ("native", "ctypes"))
    return {
        "native, addresses": (addresses, native),
        "native, our arrays": (taken, native),
        "native, default stream": (addresses, names | {"f": bound(dev, "native", None)}),
        "ctypes, addresses": (addresses, fallback),
        "ctypes, our arrays": (taken, fallback),
        "kernel[grid, block]": ("idle[1, 32](x, y, z, n)", names),
    }


# --- peers ------------------------------------------------------------------------------------------------------------


def cuda_core(dev: px.Device) -> dict[str, Call]:
    import numpy as np
    from cuda.core import Device, LaunchConfig, ObjectCode, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = ObjectCode.from_ptx(idle.ptx(target=dev.target).encode()).get_kernel("idle")
    x, y, z = (device.memory_resource.allocate(1024, stream=stream) for _ in range(3))
    names = {
        "launch": launch,
        "s": stream,
        "c": LaunchConfig(grid=1, block=32),
        "k": kernel,
        "x": x,
        "y": y,
        "z": z,
        "n": np.int32(7),
    }
    numbers = names | {"x": int(x.handle), "y": int(y.handle), "z": int(z.handle)}
    return {
        "cuda-core, addresses": ("launch(s, c, k, x, y, z, n)", numbers),
        "cuda-core, its buffers": ("launch(s, c, k, x, y, z, n)", names),
    }


def cuda_bindings(dev: px.Device) -> dict[str, Call]:
    from cuda.bindings import driver

    kernel, stream = idle.on(dev).function, dev.stream()
    names = {
        "launch": driver.cuLaunchKernel,
        "k": driver.CUfunction(kernel.handle),
        "s": driver.CUstream(stream.handle),
        "a": ((1, 2, 3, 7), (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)),
        "keep": (kernel, stream),
    }
    return {"cuda-bindings, addresses": ("launch(k, 1, 1, 1, 32, 1, 1, 0, s, a, 0)", names)}


def cupy(dev: px.Device) -> dict[str, Call]:
    import cupy
    import numpy as np

    source = 'extern "C" __global__ void idle(float* x, float* y, float* z, int n) {}'
    x, y, z = (cupy.zeros(256, cupy.float32) for _ in range(3))
    names = {"k": cupy.RawKernel(source, "idle"), "x": x, "y": y, "z": z, "n": np.int32(7)}
    mine = idle.bind(1, 32, device=dev)
    return {
        "CuPy RawKernel": ("k((1,), (32,), (x, y, z, n))", names),
        "native, CuPy arrays": ("f(x, y, z, 7)", names | {"f": mine}),
    }


def torch(dev: px.Device) -> dict[str, Call]:
    import torch

    x, y, z = (torch.zeros(256, device="cuda") for _ in range(3))
    names = {"x": x, "y": y, "z": z, "n": 7, "f": idle.bind(1, 32, device=dev), "idle": idle}
    return {
        "PyTorch add_": ("x.add_(1)", names),
        "native, PyTorch tensors": ("f(x, y, z, n)", names),
        "kernel[grid, block], tensors": ("idle[1, 32](x, y, z, n)", names),
    }


def triton(dev: px.Device) -> dict[str, Call]:
    import torch
    import triton as compiler

    @compiler.jit
    def nothing(x, y, z, n):  # type: ignore[no-untyped-def]
        pass

    x, y, z = (torch.zeros(256, device="cuda") for _ in range(3))
    return {"Triton": ("k[(1,)](x, y, z, 7)", {"k": nothing, "x": x, "y": y, "z": z})}


def our_graph(dev: px.Device) -> tuple[dict[str, Call], Callable[[int], None]]:
    """(ours, the same graph in a loop of machine code)."""
    with dev.capture() as graph:
        for _ in range(GRAPH_NODES):
            idle[1, 32](0, 0, 0, 7)
    stream = dev.stream()
    names: dict[str, Any] = {"graph": graph, "s": stream, "launch": graph.bind(stream)}
    calls: dict[str, Call] = {
        f"graph of {GRAPH_NODES}, bound": ("launch()", names),
        f"graph of {GRAPH_NODES}": ("graph.launch(s)", names),
    }
    return calls, machine_loop(dev, "cuGraphLaunch", graph._captured()[1].handle, stream.handle)


def torch_graph(dev: px.Device) -> dict[str, Call]:
    import torch

    launch = idle.bind(1, 32, device=dev)
    x = torch.zeros(256, device="cuda")
    launch(x, x, x, 7)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPH_NODES):
            launch(x, x, x, 7)
    return {f"PyTorch: graph of {GRAPH_NODES}": ("g.replay()", {"g": graph, "x": x})}


def optional(dev: px.Device, *peers: Callable[[px.Device], dict[str, Call]]) -> dict[str, Call]:
    """The calls of the peers that are there."""
    found: dict[str, Call] = {}
    for peer in peers:
        try:
            found |= peer(dev)
        except Exception as error:  # a peer's own affair; our figures do not wait for it
            print(f"without {peer.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
    return found


# --- floors -----------------------------------------------------------------------------------------------------------

_LOOPS = {
    "cuLaunchKernel": """
  call i32 %f(ptr %a, i32 1, i32 1, i32 1, i32 32, i32 1, i32 1, i32 0, ptr %b, ptr %parameters, ptr null)""",
    "cuLaunchKernelEx": "  call i32 %f(ptr %config, ptr %a, ptr %parameters, ptr null)",
    "cuGraphLaunch": "  call i32 %f(ptr %a, ptr %b)",
}


def machine_loop(dev: px.Device, symbol: str, a: int, b: int) -> Callable[[int], None]:
    """``loop(times)``: the driver function in a loop of machine code, with handles *a* (kernel or graph) and *b* (stream)."""
    from driver_ctypes.abi.structs import CUlaunchConfig
    from driver_ctypes.machine_code.texts import compile_functions

    name = "f"
    text = f"""define void @{name}(ptr %f, ptr %a, ptr %b, ptr %config, ptr %parameters, i64 %times) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{_LOOPS[symbol]}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %loop, label %end
end:
  ret void
}}"""
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, ctypes.c_int64)(compile_functions(text, name)[name])
    target = ctypes.cast(dev.context.driver.raw(symbol), ctypes.c_void_p)
    config = CUlaunchConfig(1, 1, 1, 32, 1, 1, 0, b)
    values = (ctypes.c_uint64 * 4)(0, 0, 0, 7)
    places = (ctypes.c_void_p * 4)(*[ctypes.addressof(values) + 8 * i for i in range(4)])

    def loop(times: int) -> None:
        function(target, a, b, ctypes.addressof(config), ctypes.addressof(places), times)

    loop.keep = (values, config, places, dev)  # type: ignore[attr-defined]
    return loop


# --- measuring --------------------------------------------------------------------------------------------------------


def measure(
    calls: dict[str, Call], loops: dict[str, Callable[[int], None]], number: int, rounds: int, wait: Callable[[], None]
) -> dict[str, list[float]]:
    """Seconds a call of each, round by round. Each round has its own order, and each sample begins warm: what ran before
    it (a framework's launch uses most of a core's caches) is not charged to it.
    """
    timed = {name: Timer(statement, globals=names).timeit for name, (statement, names) in calls.items()}
    timed |= {name: partial(_timed, loop) for name, loop in loops.items()}
    samples: dict[str, list[float]] = {name: [] for name in timed}
    order, shuffle = list(timed), Random(0).shuffle
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            timed[name](number // 10)
            wait()
            samples[name].append(timed[name](number) / number)
    wait()
    return samples


def _timed(loop: Callable[[int], None], times: int) -> float:
    began = time.perf_counter()
    loop(times)
    return time.perf_counter() - began


def rows_of(found: dict[str, float], unit: str, floor: str, peers: tuple[str, ...], names: list[str]) -> list[Row]:
    """One row for each of ours, beside the peers' and the floor's figures."""
    others = {name: round(found[name], 3) for name in found if name.startswith(peers)}
    best = min(others.values(), default=None)
    return [
        {
            "name": name,
            "unit": unit,
            "ours": round(found[name], 3),
            "peers": others,
            "ratio": round(best / found[name], 2) if best else None,
            "floor": round(found[floor], 3),
        }
        for name in names
        if name in found
    ]


# --- the parts --------------------------------------------------------------------------------------------------------


def host_part(rounds: int, tiny: bool) -> list[Row]:
    """In a process that finds the dummy library in the driver's place."""
    return rows_at_dummy_library(__file__, rounds, tiny)


def at_dummy_library(rounds: int, tiny: bool) -> list[Row]:
    dev = px.device("cuda")
    mine = ours(dev)
    calls = mine | optional(dev, cuda_core, cuda_bindings)
    loop = machine_loop(dev, "cuLaunchKernelEx", 1, 1)
    found = measure(calls, {"C loop": loop}, 100 if tiny else 100_000, rounds, lambda: None)
    least = {name: 1e9 * min(samples) for name, samples in found.items()}
    return rows_of(least, "ns", "C loop", ("cuda-core", "cuda-bindings"), list(mine))


def gpu_part(rounds: int, tiny: bool) -> list[Row]:
    try:
        dev = px.device("cuda")
    except dc.Error as error:
        print(f"no GPU: {error.args[0]}", file=sys.stderr)
        return []
    mine = ours(dev)
    calls = mine | optional(dev, cuda_core, cupy, torch, triton)
    kernel, stream = idle.on(dev).function, dev.stream()
    loops = {
        "C: cuLaunchKernel": machine_loop(dev, "cuLaunchKernel", kernel.handle, stream.handle),
        "C: cuLaunchKernelEx": machine_loop(dev, "cuLaunchKernelEx", kernel.handle, stream.handle),
    }
    found = measure(calls, loops, 20 if tiny else 2_000, rounds, dev.synchronize)
    typical = {name: 1e6 * median(samples) for name, samples in found.items()}
    brought = [name for name in typical if name.startswith(("native", "kernel[")) and name not in mine]
    peers = ("cuda-core", "CuPy", "PyTorch", "Triton")
    rows = rows_of(typical, "us", "C: cuLaunchKernel", peers, [*mine, *brought, "C: cuLaunchKernelEx"])
    calls, loop = our_graph(dev)
    found = measure(
        calls | optional(dev, torch_graph), {"C: cuGraphLaunch": loop}, 10 if tiny else 500, rounds, dev.synchronize
    )
    typical = {name: 1e6 * median(samples) for name, samples in found.items()}
    return rows + rows_of(typical, "us", "C: cuGraphLaunch", ("PyTorch",), list(calls))


# A driver's launch that takes its time, then checks that the arguments belong together and counts those that do not.
_CHECKING = """
@wrong = global i64 0
@total = global i64 0
define i32 @launch(ptr %config, ptr %function, ptr %parameters, ptr %extra) {
entry:
  br label %wait
wait:
  %i = phi i64 [ 0, %entry ], [ %next, %wait ]
  call void asm sideeffect "", ""()
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %wait, label %read
read:
  %px = load volatile ptr, ptr %parameters
  %x = load volatile i64, ptr %px
  %qy = getelementptr ptr, ptr %parameters, i64 1
  %py = load volatile ptr, ptr %qy
  %y = load volatile i64, ptr %py
  %qz = getelementptr ptr, ptr %parameters, i64 2
  %pz = load volatile ptr, ptr %qz
  %z = load volatile i64, ptr %pz
  %qn = getelementptr ptr, ptr %parameters, i64 3
  %pn = load volatile ptr, ptr %qn
  %n = load volatile i32, ptr %pn
  %wide = sext i32 %n to i64
  %twice = shl i64 %x, 1
  %thrice = add i64 %twice, %x
  %sum = add i64 %x, %wide
  %a = icmp ne i64 %y, %thrice
  %b = icmp ne i64 %z, %sum
  %bad = or i1 %a, %b
  %count = zext i1 %bad to i64
  %w = atomicrmw add ptr @wrong, i64 %count seq_cst
  %t = atomicrmw add ptr @total, i64 1 seq_cst
  ret i32 0
}
"""


def threads_part(launches: int = 320_000, threads: int = 8) -> list[Row]:
    """Each launcher in turn, from all threads at once."""
    from driver_ctypes.machine_code.texts import compile_functions

    rows = []
    for kind in ("native", "ctypes"):
        found = compile_functions(_CHECKING, "launch", "wrong", "total")
        dev = px.device("cpu")
        function = idle.on(dev).function
        table = dev.context.driver.functions
        real = table["cuLaunchKernelEx"]
        dev.context.driver._untyped.clear()
        table["cuLaunchKernelEx"] = type(real)(found["launch"])
        try:
            with launcher_of(kind), dev.stream() as stream:
                launcher = function.bind(1, 32, stream=stream)
                _launch_from(launcher, threads, launches // threads)
        finally:
            table["cuLaunchKernelEx"] = real
            dev.context.driver._untyped.clear()
            function.slots.clear()
        wrong, total = (ctypes.c_uint64.from_address(found[name]).value for name in ("wrong", "total"))
        if total != launches:
            raise SystemExit(f"{kind}: {total} launches arrived instead of {launches}")
        name = f"wrong of {launches} launches from {threads} threads, {kind}"
        rows.append({"name": name, "unit": "launches", "ours": wrong, "peers": {}, "ratio": None, "floor": 0})
    return rows


def _launch_from(launcher: Callable[..., None], threads: int, each: int) -> None:
    start = threading.Barrier(threads)

    def work(number: int) -> None:
        start.wait()
        base = number << 32
        for i in range(each):
            launcher(base + i, 3 * (base + i), base + i + number, number)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main() -> None:
    parser = command(__doc__, on="cuda leaves out the part threads, cpu the part gpu; default: all that can run")
    parser.add_argument("--part", choices=("host", "gpu", "threads"), help="only this (default: all that can run)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--at-dummy-library", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.at_dummy_library:
        print(json.dumps(at_dummy_library(options.rounds, options.tiny)), flush=True)
        os._exit(0)  # the dummy library was never meant to be torn down
    rounds = 1 if options.tiny else options.rounds
    parts: dict[str, Callable[[], list[Row]]] = {
        "host": lambda: host_part(rounds, options.tiny),
        "gpu": lambda: gpu_part(rounds, options.tiny),
        "threads": lambda: threads_part(*(800, 4) if options.tiny else ()),
    }
    if options.device:
        del parts["gpu" if options.device == "cpu" else "threads"]
    rows = [row for name, part in parts.items() if options.part in (None, name) for row in part()]
    if options.json:
        print_json(rows)
        return
    for row in rows:
        beside = ", ".join(f"{name} {value}" for name, value in row["peers"].items())
        print(
            f"{row['name']:34} {row['ours']:9} {row['unit']:3} floor {row['floor']}"
            + (f"  ({beside})" if beside else "")
        )


if __name__ == "__main__":
    main()
