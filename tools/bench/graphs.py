#!/usr/bin/env python3
"""Time of a graph's launch and of an update, in us, beside C and other bindings of the same run.

    tools/bench/graphs.py [--json] [--tiny] [--device cpu|cuda] [--kernels 20]

The graph has 20 kernels of one CTA that do nothing, launched back to back on one stream, and the stream is waited for at the
end of each round: it is the host's time or the device's, whichever is longer. C is a loop over `cuGraphLaunch`, made by
llvmlite; peers are cuda.core and PyTorch where they are installed. Rounds are interleaved.

On the CPU device the driver's function that updates a node is one that does nothing: what is measured is the binding.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import driver_ctypes as dc
from tools.bench._command import command, print_json

ROUNDS, LAUNCHES = 15, 400

PTX = """.version 7.0
.target sm_50
.address_size 64
.visible .entry idle(.param .u64 x, .param .u32 n) { ret; }
"""
SIGNATURE = dc.Signature([dc.Parameter("x", "pointer"), dc.Parameter("n", "u32")])

_LOOP = """
define i32 @loop(ptr %launch, ptr %graph, ptr %stream, i64 %times) {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %code = call i32 %launch(ptr %graph, ptr %stream)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %again, label %done
done:
  ret i32 %code
}
"""


def _emulated() -> Callable[[str, int], int]:
    from driver_ctypes.machine_code.texts import compile_functions
    from ptxgen.emulated_driver import open_driver

    resolve = open_driver()
    idle = compile_functions("define i32 @idle(ptr %exec, ptr %node, ptr %params) { ret i32 0 }", "idle")["idle"]
    return lambda symbol, version: idle if symbol == "cuGraphExecKernelNodeSetParams_v2" else resolve(symbol, version)


def open_context(kind: str) -> dc.Context:
    if kind == "cpu":
        dc.register_driver("cpu", _emulated, foreign_pointers=False)
    return dc.driver(kind).device(0).primary_context()


class Case:
    """A way to launch: `run(times)` launches so many graphs, and does not wait."""

    def __init__(self, name: str, run: Callable[[int], None]) -> None:
        self.name = name
        self.run = run
        self.rounds: list[float] = []


def once(launch: Callable[[], Any]) -> Callable[[int], None]:
    def run(times: int) -> None:
        for _ in range(times):
            launch()

    return run


def c_loop(context: dc.Context, graph: int, stream: int) -> Callable[[int], None]:
    from driver_ctypes.machine_code.texts import compile_functions

    address = compile_functions(_LOOP, "loop")["loop"]
    loop = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3, ctypes.c_size_t)(address)
    launch = ctypes.cast(context.driver.raw("cuGraphLaunch"), ctypes.c_void_p)

    def run(times: int) -> None:
        code = loop(launch, graph, stream, times)
        assert code == 0, f"cuGraphLaunch returned {code}"

    return run


def ours(context: dc.Context, kernels: int) -> tuple[list[Case], Callable[[], None], list[Any]]:
    """Our cases, how to wait for their work, and what must live meanwhile."""
    module = context.load(PTX, signatures={"idle": SIGNATURE})
    function, x, stream = module.function("idle"), context.alloc(64), context.stream()
    with stream.capture() as capture:
        for index in range(kernels):
            with capture.named(f"kernel {index}"):
                function.launch(1, 32, x, 7, stream=stream)
    execution = capture.graph.instantiate()
    execution.upload(stream)
    node, other = capture.graph.find("kernel 3"), context.alloc(64)
    cases = [
        Case("C loop", c_loop(context, execution.handle, stream.handle)),
        Case("exec.bind(stream)()", once(execution.bind(stream))),
        Case("exec.launch(stream)", once(lambda: execution.launch(stream))),
        Case("exec.update(node, x=...)", once(lambda: execution.update(node, x=other))),
        Case("exec.bind_update(node, x)(...)", once(partial(execution.bind_update(node, "x"), other))),
        Case("exec.bind_update(node, n)(7)", once(partial(execution.bind_update(node, "n"), 7))),
    ]
    return cases, stream.synchronize, [module, x, other, stream, capture, execution]


def cuda_core(kernels: int) -> list[Case]:
    try:
        from cuda.core import Device, LaunchConfig, ObjectCode, launch
    except ImportError:
        return []
    import numpy as np

    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = ObjectCode.from_ptx(PTX.encode()).get_kernel("idle")
    builder = stream.create_graph_builder().begin_building()
    for _ in range(kernels):
        launch(builder, LaunchConfig(grid=1, block=32), kernel, 0, np.int32(7))
    graph = builder.end_building().complete()
    return [Case("cuda.core graph.launch", once(lambda: graph.launch(stream)))]


def torch_case(kernels: int) -> list[Case]:
    try:
        import torch
    except ImportError:
        return []
    x = torch.zeros(32, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        x.add_(1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(kernels):
            x.add_(1)
    return [Case("torch CUDAGraph.replay", once(graph.replay))]


def measure(cases: list[Case], wait: Callable[[], None], launches: int) -> None:
    """Rounds of every case in turn; each ends when its work is done."""
    for _ in range(ROUNDS):
        for case in cases:
            wait()
            began = time.perf_counter()
            case.run(launches)
            wait()
            case.rounds.append((time.perf_counter() - began) / launches * 1e6)


def main() -> None:
    parser = command(__doc__, device="cpu")
    parser.add_argument("--kernels", type=int, default=20, help="kernels in the graph")
    options = parser.parse_args()
    if options.tiny:
        global ROUNDS, LAUNCHES
        ROUNDS, LAUNCHES = 1, 8
    context = open_context(options.device)
    cases, _wait, kept = ours(context, options.kernels)
    if options.device == "cuda":
        cases += cuda_core(options.kernels) + torch_case(options.kernels)
    measure(cases, context.synchronize, LAUNCHES if options.device == "cuda" else LAUNCHES // 8)
    times = {case.name: median(case.rounds) for case in cases}
    floor = times["C loop"]
    peers = {name: value for name, value in times.items() if not name.startswith(("C ", "exec."))}
    rows = [
        {
            "name": name,
            "unit": "us",
            "ours": value,
            "peers": peers,
            "ratio": min([*peers.values(), floor]) / value,
            "floor": floor,
        }
        for name, value in times.items()
        if name.startswith("exec.")
    ]
    if options.json:
        print_json(rows)
    else:
        print(f"a graph of {options.kernels} kernels on {context.device.name}, us each, median of {ROUNDS} rounds")
        for name, value in times.items():
            print(f"  {name:28} {value:9.2f}   {value / floor:6.2f} x C")
    del kept


if __name__ == "__main__":
    main()
