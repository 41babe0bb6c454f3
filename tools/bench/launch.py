#!/usr/bin/env python3
"""Host time of one kernel launch, in us: three pointers and an i32, a grid of one CTA that does nothing.

    tools/bench/launch.py [--json] [--device cpu|cuda]

The floor is a C-to-C call of the same driver function: what `cuLaunchKernelEx` itself costs. Peers launch the same PTX in the
same run, rounds interleaved: cuda.core, CuPy, and PyTorch's smallest in-place operation for scale.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px

ROUNDS, LAUNCHES = 15, 2000


@px.kernel
def idle(k: px.Builder, x: px.ptr[px.f32], y: px.ptr[px.f32], z: px.ptr[px.f32], n: px.s32) -> None:
    """Nothing at all: only the launch is measured."""


def ours(dev: px.Device) -> dict[str, Callable[[], None]]:
    """Our ways to launch, from the quickest to the most convenient, and a graph of 20 launches."""
    arrays = [dev.zeros(256, px.f32) for _ in range(3)]
    pointers = [array.pointer for array in arrays]
    stream = dev.stream()
    bound = idle.bind(1, 32, device=dev, stream=stream)
    handle = idle.on(dev)
    with dev.capture() as graph:
        for _ in range(20):
            idle[1, 32](*arrays, 7)
    return {
        "bound, addresses": lambda: bound(*pointers, 7),
        "bound, arrays": lambda: bound(*arrays, 7),
        "handle.launch": lambda: handle.launch(1, 32, (*arrays, 7), stream=stream),
        "kernel[grid, block]": lambda: idle[1, 32](*arrays, 7),
        "graph of 20 launches": lambda: graph.launch(stream),
    }


def cuda_core(dev: px.Device) -> dict[str, Callable[[], None]]:
    import numpy as np
    from cuda.core import Device, LaunchConfig, ObjectCode, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = ObjectCode.from_ptx(idle.ptx(target=dev.target).encode()).get_kernel("idle")
    buffers = [device.memory_resource.allocate(1024, stream=stream) for _ in range(3)]
    config, count = LaunchConfig(grid=1, block=32), np.int32(7)
    return {"cuda.core launch": lambda: launch(stream, config, kernel, *buffers, count)}


def cupy(dev: px.Device) -> dict[str, Callable[[], None]]:
    import cupy
    import numpy as np

    source = 'extern "C" __global__ void idle(float* x, float* y, float* z, int n) {}'
    kernel = cupy.RawKernel(source, "idle")
    arrays = [cupy.zeros(256, cupy.float32) for _ in range(3)]
    count = np.int32(7)
    return {"cupy RawKernel": lambda: kernel((1,), (32,), (*arrays, count))}


def torch(dev: px.Device) -> dict[str, Callable[[], None]]:
    import torch

    tensor = torch.zeros(256, device="cuda")
    return {"torch add_": lambda: tensor.add_(1)}


def measure(calls: dict[str, Callable[[], None]], wait: Callable[[], None]) -> dict[str, float]:
    """Median us a call over interleaved rounds; the queue is drained between rounds."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            call()
            wait()
            began = time.perf_counter()
            for _ in range(LAUNCHES):
                call()
            samples[name].append((time.perf_counter() - began) / LAUNCHES * 1e6)
            wait()
    return {name: median(values) for name, values in samples.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--device", default=None, help="cpu or cuda (default: the GPU if there is one)")
    options = parser.parse_args()
    dev = px.device(options.device)
    mine = ours(dev)
    peers: dict[str, Callable[[], None]] = {}
    if dev.kind == "cuda":
        for peer in (cuda_core, cupy, torch):
            try:
                peers |= peer(dev)
            except ImportError as missing:
                print(f"{peer.__name__}: {missing}", file=sys.stderr)
    found = measure(mine | peers, dev.synchronize)
    others = {name: round(found[name], 3) for name in peers}
    best = min(others.values(), default=None)
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "unit": "us",
            "ours": round(found[name], 3),
            "peers": others,
            "ratio": round(best / found[name], 2) if best and "graph" not in name else None,
            "floor": None,
        }
        for name in mine
    ]
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"host time of a launch on {dev!r}, us")
    for name, value in found.items():
        print(f"  {name:24} {value:8.2f}")


if __name__ == "__main__":
    main()
