#!/usr/bin/env python3
"""What a dispatch of a compiled pipeline costs.

    tools/bench/runtime.py [--json] [--tiny] [--part host|device] [--device cpu|cuda] [--rounds N]

`host`: nanoseconds of a dispatch on resident buffers over the bare launch of the same kernel, at a libcuda that does nothing
(dummy/libcuda.c), least of all rounds. The floor is the bare launch; the goal is less than 2,000 ns over it.

`device`: microseconds from host data to host data, each dispatch with other inputs than the one before, median of rounds: as
the backend chooses, always as a replayed graph, and always directly (a copy, a fill, a launch, a copy back). Beside them, where
it is installed, PyTorch on the same data. Each round begins with another of them. A program of 8 launches shows what a graph
saves where there are more. Then batches; the launch on resident buffers beside the bare one on this driver; an open workgroup
as the model chooses it, beside declared ones and the measured one, many launches at a time; and chains of programs over rows,
joined and each alone, with what joining them saves as a share of what was to be expected. Host and device work side by side, so
that is the larger of what each of them saves: the host, the launches that are not made, at the cost of queueing one; the device,
the same at the cost of one that does next to nothing in a graph, and the bytes that are not moved, at the speed of a device
copy of such an array in a graph.

Without --part, both; the device is the GPU where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from ptxgen.runtime import Backend, DispatchConfig, FusedPipeline, Params, Row, input_, output, program
from tools.bench._command import command, print_json
from tools.bench.dummy import rows_at_dummy_library

Line = dict[str, Any]
GOAL_NS = 2000
SIZES: tuple[int, ...] = tuple(1 << power for power in range(8, 25, 2))
TIMES = 100  # most calls of a dispatch in a round
CHAINS: tuple[tuple[int, int], ...] = (
    (4096, 256),
    (4096, 1024),
    (16384, 1024),
    (4096, 4096),
    (4096, 16384),
    (65536, 1024),
)
"""Rows and columns: the first four fit an H200's L2 cache, of 50 MB, at least in part."""
SHARE = 0.8
"""Of the predicted fall, which is the goal."""


@program(workgroup=256)
def scale(
    k: px.Builder,
    x: Annotated[px.ptr[px.f32], input_()],
    y: Annotated[px.ptr[px.f32], output()],
    params: Params,
) -> None:
    """y = 2 x."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        y[i] = x[i] * 2.0


@program
def open_scale(
    k: px.Builder,
    x: Annotated[px.ptr[px.f32], input_()],
    y: Annotated[px.ptr[px.f32], output()],
    params: Params,
) -> None:
    """y = 2 x, whatever the workgroup."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        y[i] = x[i] * 2.0


Floats = Annotated[px.ptr[px.f32], input_()]
Like = Annotated[px.ptr[px.f32], output(like="x")]


@program
def shift(k: px.Builder, x: Floats, y: Like, row: Row) -> None:
    """y = x + 1."""
    row.store(y, [value + 1.0 for value in row.load(x)])


@program
def center(k: px.Builder, x: Floats, y: Like, row: Row) -> None:
    """y = x less the largest of its row."""
    values = row.load(x)
    top = row.reduce("max", values)
    row.store(y, [value - top for value in values])


def row(name: str, unit: str, ours: float, peers: dict[str, float], floor: float | None = None) -> Line:
    best = min(peers.values(), default=None)
    return {
        "name": name,
        "unit": unit,
        "ours": round(ours, 3),
        "peers": {peer: round(value, 3) for peer, value in peers.items()},
        "ratio": round(best / ours, 2) if best else None,
        "floor": round(floor, 3) if floor is not None else None,
    }


def per_call(call: Callable[[], Any], times: int) -> float:
    """Seconds of a call, of so many in a loop."""
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) / times


def interleaved(
    calls: dict[str, Callable[[], Any]], times: int, rounds: int, wait: Callable[[], Any]
) -> dict[str, list[float]]:
    """Seconds a call of each, round by round."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(10):
            call()
    names = list(calls)
    for number in range(rounds):
        for place in range(len(names)):
            name = names[(number + place) % len(names)]
            calls[name]()  # in the memory that the one before it has left behind
            wait()
            found[name].append(per_call(calls[name], times))
    wait()
    return found


def resident_calls(backend: Backend) -> dict[str, Callable[[], Any]]:
    """The bare launch, and the dispatches of the same kernel on the same buffers."""
    pipeline = backend.compile(scale)
    handles = backend.allocate_resident(1024), backend.allocate_resident(1024)
    bound = pipeline.bind(handles[:1], handles[1:])
    launch = bound._launch
    bare, arguments = launch.plain, launch.arguments
    assert bare is not None
    x, y, words = arguments

    return {
        "bare launch": lambda: bare(x, y, words),
        "dispatch": lambda: pipeline.dispatch(handles[:1], handles[1:]),
        "bound": bound,
    }


# --- host -------------------------------------------------------------------------------------------------------------


def host_part(rounds: int, tiny: bool) -> list[Line]:
    """In a process that finds the dummy library in the driver's place."""
    return rows_at_dummy_library(__file__, rounds, tiny, DUMMYCUDA_POINTERS="3")


def at_dummy_library(rounds: int, tiny: bool) -> list[Line]:
    calls = resident_calls(Backend.acquire("cuda"))
    samples = interleaved(calls, 20 if tiny else 20_000, rounds, lambda: None)
    found = {name: 1e9 * min(times) for name, times in samples.items()}
    return resident_rows(found, "a driver that does nothing")


def resident_rows(found: dict[str, float], driver: str) -> list[Line]:
    bare = found["bare launch"]
    return [
        row(f"{name}, over the bare launch, {driver}", "ns", found[name] - bare, {"goal": GOAL_NS}, bare)
        for name in ("dispatch", "bound")
    ]


# --- device -----------------------------------------------------------------------------------------------------------


def device_part(name: str | None, rounds: int) -> list[Line]:
    with Backend.acquire(name) as backend:
        rows = []
        for n in SIZES:
            rows += host_rows(backend, n, 1, rounds)
        rows += [line for n in SIZES[:8:3] for line in host_rows(backend, n, 8, rounds)]
        rows += [batch_row(backend, n, rounds) for n in SIZES[:7]]
        rows += [workgroup_row(backend, n, rounds) for n in SIZES]
        for length in (2, 6):
            rows += [line for shape in CHAINS for line in fusion_rows(backend, *shape, length, rounds)]
        found = interleaved(resident_calls(backend), 5 * TIMES, rounds, backend.synchronize)
        rows += resident_rows({name: 1e9 * median(times) for name, times in found.items()}, "this driver")
    return rows


def inputs_of(n: int) -> list[Any]:
    """Several inputs, no two equal."""
    import numpy as np

    return [np.arange(start, start + n, dtype=np.float32) for start in range(8)]


def host_rows(backend: Backend, n: int, launches: int, rounds: int) -> list[Line]:
    """A dispatch from host data to host data, with other inputs each time."""
    import numpy as np

    data = inputs_of(n)
    turn = iter(range(1 << 60))
    config = DispatchConfig(fixpoint_iterations=launches)
    chosen = backend.compile(scale, config)
    replayed = backend.compile(scale, config._replace(graph=True))
    direct = backend.compile(scale, config._replace(graph=False))
    for pipeline in (chosen, replayed, direct):
        for x in data:
            (y,) = pipeline.dispatch([x])
            assert (np.frombuffer(y, np.float32) == 2 * x).all()
    calls: dict[str, Callable[[], Any]] = {
        "as chosen": lambda: chosen.dispatch([data[next(turn) % 8]]),
        "graph": lambda: replayed.dispatch([data[next(turn) % 8]]),
        "direct": lambda: direct.dispatch([data[next(turn) % 8]]),
    }
    if launches == 1:
        calls |= torch_call(backend, data)
    times = max(2, min(TIMES, (1 << 22) // n))
    found = {
        name: 1e6 * median(values) for name, values in interleaved(calls, times, rounds, backend.synchronize).items()
    }
    for pipeline in (chosen, replayed, direct):
        pipeline.close()
    ours = found.pop("as chosen")
    what = f"{n} elements" + (f", {launches} launches" if launches > 1 else "")
    return [row(f"dispatch, changing inputs, {what}", "us", ours, found)]


def torch_call(backend: Backend, data: list[Any]) -> dict[str, Callable[[], Any]]:
    """The same by PyTorch, where it is installed."""
    if backend.device.kind != "cuda":
        return {}
    try:
        import torch
    except ImportError:
        return {}
    turn = iter(range(1 << 60))
    tensors = [torch.from_numpy(x) for x in data]
    return {"PyTorch": lambda: (tensors[next(turn) % 8].cuda() * 2).cpu().numpy().tobytes()}


def batch_row(backend: Backend, n: int, rounds: int) -> Line:
    """A dispatch of a batch, beside as many one after the other; 64 or as many as give 64 MiB."""
    batch = [[x] for x in inputs_of(n) * 8][: max(8, (1 << 24) // n)]
    pipeline = backend.compile(scale, DispatchConfig(graph=True))
    calls: dict[str, Callable[[], Any]] = {
        "batch": lambda: pipeline.dispatch(batch, batch=True),
        "one by one": lambda: [pipeline.dispatch(inputs) for inputs in batch],
    }
    found = {
        name: 1e6 * median(values) / len(batch)
        for name, values in interleaved(calls, 2, rounds, backend.synchronize).items()
    }
    pipeline.close()
    return row(
        f"a dispatch of a batch of {len(batch)}, {n} elements",
        "us",
        found["batch"],
        {"one by one": found["one by one"]},
    )


def workgroup_row(backend: Backend, n: int, rounds: int) -> Line:
    """A launch on resident buffers with an open workgroup, beside declared ones, in microseconds: one of many in a graph."""
    x, y = backend.allocate_resident(4 * n), backend.allocate_resident(4 * n)
    configs = {f"{size} threads": DispatchConfig(workgroup=(size, 1, 1)) for size in (64, 128, 256, 512, 1024)}
    configs |= {"modelled": DispatchConfig(tune=False), "measured": DispatchConfig(tune=True)}
    bound = {name: backend.compile(open_scale, config).bind([x], [y]) for name, config in configs.items()}
    launches = min(TIMES, max(10, (1 << 24) // n))

    def timed(name: str) -> Callable[[], Any]:
        def call() -> None:
            bound[name].batch(launches)
            backend.synchronize()

        return call

    found = {
        name: 1e6 * median(values) / launches
        for name, values in interleaved({each: timed(each) for each in bound}, 1, rounds, backend.synchronize).items()
    }
    for dispatch in bound.values():
        dispatch.close()
    for buffer in (x, y):
        backend.free_resident(buffer)
    return row(f"open workgroup, {n} elements", "us", found.pop("modelled"), found)


def fusion_rows(backend: Backend, rows: int, columns: int, length: int, rounds: int) -> list[Line]:
    """Programs over rows, joined by the plan and each alone, on resident buffers; and how much of the fall that was to be
    expected is there."""
    n = rows * columns
    chain = [each.in_rows(columns) for each in (shift, center, shift, center, shift, center)[:length]]
    x, y = backend.allocate_resident(4 * n), backend.allocate_resident(4 * n)
    few = backend.allocate_resident(1024), backend.allocate_resident(1024)
    small = backend.compile(scale).bind(few)

    def launches(times: int) -> None:
        for _ in range(times):
            small()

    with FusedPipeline(backend, chain, n) as pipeline:
        calls: dict[str, Callable[[], Any]] = {
            "joined": lambda: pipeline.dispatch([x], [y]),
            "each alone": lambda: pipeline.dispatch([x], [y], fused=False),
        }
        for times in (1, 9):
            calls[f"copies {times}"] = copies_of(backend, x.pointer, y.pointer, 4 * n, times)
            calls[f"host {times}"] = partial(launches, times)
            calls[f"device {times}"] = partial(small.batch, times)
        found = interleaved(
            {name: waited(backend, call) for name, call in calls.items()}, 5, rounds, backend.synchronize
        )
        alone, joined = pipeline.unfused_traffic(), pipeline.traffic()
    small.close()
    for buffer in (x, y, *few):
        backend.free_resident(buffer)
    times_us = {name: 1e6 * median(values) for name, values in found.items()}
    copy, host, device = [(times_us[f"{what} 9"] - times_us[f"{what} 1"]) / 8 for what in ("copies", "host", "device")]
    fewer = alone.launches - joined.launches
    saved = max(fewer * host, fewer * device + (alone.bytes - joined.bytes) / (8 * n) * copy)
    share = (times_us["each alone"] - times_us["joined"]) / saved
    what = f"a chain of {length} over {rows} x {columns}"
    peers = {"each alone": times_us["each alone"], "predicted": times_us["each alone"] - saved}
    return [
        row(what, "us", times_us["joined"], peers, copy),
        {**row(f"{what}: its fall beside the predicted", "", share, {"goal": SHARE}), "ratio": round(share / SHARE, 2)},
    ]


def waited(backend: Backend, call: Callable[[], Any]) -> Callable[[], Any]:
    """The call, and the wait for what it queued."""

    def both() -> None:
        call()
        backend.synchronize()

    return both


def copies_of(backend: Backend, source: int, target: int, nbytes: int, times: int) -> Callable[[], None]:
    """What queues so many device copies, one after the other."""
    graph = backend.context.graph()
    node: Any = ()
    for _ in range(times):
        node = graph.memcpy(target, source, nbytes, after=node)
    return graph.instantiate().bind(backend.tickets.stream)


def main() -> None:
    parser = command(__doc__, on="of the part device; default: the GPU where there is one")
    parser.add_argument("--part", choices=("host", "device"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--at-dummy-library", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.at_dummy_library:
        print(json.dumps(at_dummy_library(options.rounds, options.tiny)), flush=True)
        os._exit(0)  # the dummy library was never meant to be torn down
    if options.tiny:
        global SIZES, CHAINS, TIMES
        SIZES, CHAINS, TIMES, options.rounds = SIZES[:1], ((8, 256),), 2, 1
    rows = host_part(options.rounds, options.tiny) if options.part != "device" else []
    rows += device_part(options.device, options.rounds) if options.part != "host" else []
    if options.json:
        print_json(rows)
        return
    for each in rows:
        peers = ", ".join(f"{name} {value:g}" for name, value in each["peers"].items())
        floor = f"   floor {each['floor']:g}" if each["floor"] is not None else ""
        print(f"{each['name']:62} {each['ours']:10g} {each['unit']}   {peers}   ratio {each['ratio']}{floor}")


if __name__ == "__main__":
    main()
