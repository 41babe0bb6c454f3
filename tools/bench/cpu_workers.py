#!/usr/bin/env python3
"""The CPU device on several cores: how many times as fast as on one, beside a C loop and numpy on as many threads.

    tools/bench/cpu_workers.py [--json] [--tiny] [--workers N]

Rounds are interleaved: in each, everything runs once on one thread and once on N, which is as many as the process may use
cores. A gain is the median over the rounds. Kernels of arithmetic stand beside a C loop (Mandelbrot, compiled by the system's C
compiler; where there is none, the rows have no peer), those of memory beside numpy on N threads. The last row is a launch that is
too short to have several workers: it takes no longer where it may have them.
"""

from __future__ import annotations

import ctypes
import itertools
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from ptxgen.cpu import Kernel, LaunchOptions  # noqa: E402
from ptxgen.cpu.cores import cores  # noqa: E402
from tools.bench._command import command, print_json  # noqa: E402
from tools.bench.cpu_executor import HISTOGRAM, MANDELBROT, MATMUL, REDUCE, SAXPY, Bench  # noqa: E402

C_LOOP = r"""
#include <pthread.h>
#include <stdatomic.h>
typedef struct { int width; unsigned *out; atomic_int next; } Job;
static void *rows(void *p)
{
    Job *job = p;
    int width = job->width, row;
    while ((row = atomic_fetch_add(&job->next, 1)) < width)
        for (int column = 0; column < width; column++) {
            float cr = column * (3.0f / width) - 2, ci = row * (2.0f / width) - 1, x = 0, y = 0;
            unsigned n = 0;
            while (n < 256 && x * x + y * y <= 4) {
                float t = x * x - y * y + cr;
                y = 2 * x * y + ci;
                x = t;
                n++;
            }
            job->out[row * width + column] = n;
        }
    return 0;
}
void mandelbrot(int width, unsigned *out, int threads)
{
    Job job = {width, out, 0};
    pthread_t others[64];
    for (int i = 1; i < threads; i++) pthread_create(&others[i], 0, rows, &job);
    rows(&job);
    for (int i = 1; i < threads; i++) pthread_join(others[i], 0);
}
"""


class Row(NamedTuple):
    name: str
    unit: str
    ours: float
    peers: dict[str, float]
    floor: float | None

    def to_dict(self) -> dict[str, Any]:
        best = max(self.peers.values(), default=None)
        better = self.ours if self.unit == "times" else 1 / self.ours
        peer = None if best is None else best if self.unit == "times" else 1 / best
        return {
            "name": self.name, "unit": self.unit, "ours": round(self.ours, 3),
            "peers": {name: round(value, 3) for name, value in self.peers.items()},
            "ratio": None if peer is None else round(better / peer, 3), "floor": self.floor,
        }  # fmt: skip


Timed = Callable[[int], object]
"""Does its work on that many threads."""


def gains(work: dict[str, Timed], threads: int, rounds: int) -> dict[str, float]:
    """How many times as fast each is on `threads` threads: the median over the rounds."""
    found: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, run in work.items():
            seconds = []
            for number in (1, threads):
                began = time.perf_counter()
                run(number)
                seconds.append(time.perf_counter() - began)
            found[name].append(seconds[0] / seconds[1])
    return {name: statistics.median(each) for name, each in found.items()}


def c_loop(width: int) -> Timed | None:
    """The Mandelbrot set in C, compiled; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "loop.c"), Path(folder, "loop.so")
        source.write_text(C_LOOP)
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
        loop = ctypes.CDLL(str(library)).mandelbrot
    out = np.zeros(width * width, np.uint32)
    return lambda threads: loop(width, ctypes.c_void_p(out.ctypes.data), threads)


def numpy_saxpy(x: np.ndarray, y: np.ndarray) -> Timed:
    """y += 2 x, each thread a part."""
    scratch = np.empty_like(x)

    def of(begin: int, end: int) -> None:
        np.multiply(x[begin:end], 2, out=scratch[begin:end])
        np.add(y[begin:end], scratch[begin:end], out=y[begin:end])

    def run(threads: int) -> None:
        bounds = [len(x) * i // threads for i in range(threads + 1)]
        others = [threading.Thread(target=of, args=each) for each in list(itertools.pairwise(bounds))[1:]]
        for thread in others:
            thread.start()
        of(bounds[0], bounds[1])
        for thread in others:
            thread.join()

    return run


class WorkersBench(Bench):
    def __init__(self, threads: int, tiny: bool) -> None:
        super().__init__("fast")
        self.threads = threads
        self.tiny = tiny
        self.rounds = 1 if tiny else 15

    def launches(self, kernel: Kernel, grid: tuple[int, int, int], block: tuple[int, int, int], params: bytes) -> Timed:
        options = {number: LaunchOptions(tier="fast", workers=number) for number in (1, self.threads)}
        return lambda workers: kernel.launch(grid, block, params, options=options[workers])

    def arithmetic(self) -> list[Row]:
        width, edge, n = (32, 32, 1 << 12) if self.tiny else (512, 512, 1 << 24)
        picture, _ = self.array(np.zeros(width * width, np.uint32))
        a, b, c = (self.array(self.rng.random((edge, edge), dtype=np.float32))[0] for _ in range(3))
        bytes_, _ = self.array(self.rng.integers(0, 256, n, dtype=np.uint8))
        out, _ = self.array(np.zeros(256, np.uint32))
        work: dict[str, Timed] = {
            f"mandelbrot, {width}, {width * width // 256} CTAs": self.launches(
                self.kernel(MANDELBROT), (width * width // 256, 1, 1), (256, 1, 1), struct.pack("<I4xQ", width, picture)
            ),
            f"matrix multiply, {edge}, {(edge // 16) ** 2} CTAs": self.launches(
                self.kernel(MATMUL), (edge // 16, edge // 16, 1), (16, 16, 1), struct.pack("<I4xQQQ", edge, a, b, c)
            ),
            "histogram, 64 CTAs": self.launches(
                self.kernel(HISTOGRAM), (64, 1, 1), (256, 1, 1), struct.pack("<I4xQQ", n, bytes_, out)
            ),
        }
        loop = c_loop(width)
        peer = {"C": loop} if loop is not None else {}
        return self.rows({**work, **peer}, tuple(peer))

    def memory(self) -> list[Row]:
        n = 1 << 12 if self.tiny else 1 << 24
        x, xs = self.array(self.rng.random(n, dtype=np.float32))
        y, ys = self.array(np.zeros(n, np.float32))
        work: dict[str, Timed] = {
            f"saxpy, {n >> 20} Mi": self.launches(
                self.kernel(SAXPY), (n // 256, 1, 1), (256, 1, 1), struct.pack("<IfQQ", n, 2.0, x, y)
            ),
            f"reduction, {n >> 20} Mi": self.launches(
                self.kernel(REDUCE), (64, 1, 1), (256, 1, 1), struct.pack("<I4xQQ", n, x, y)
            ),
            "numpy": numpy_saxpy(xs, ys.copy()),
        }
        return self.rows(work, ("numpy",))

    def rows(self, work: dict[str, Timed], peers: tuple[str, ...]) -> list[Row]:
        for run in work.values():
            run(1), run(self.threads)
        found = gains(work, self.threads, self.rounds)
        beside = {name: found[name] for name in peers}
        return [Row(name, "times", found[name], beside, self.threads) for name in work if name not in peers]

    def short(self) -> list[Row]:
        kernel = self.kernel(SAXPY)
        x = self.arena.allocate(1 << 14)
        run = self.launches(kernel, (16, 1, 1), (128, 1, 1), struct.pack("<IfQQ", 2048, 2.0, x, x))
        count = 20 if self.tiny else 3000
        times: dict[int, list[float]] = {1: [], self.threads: []}
        for _ in range(self.rounds):
            for number, found in times.items():
                began = time.perf_counter()
                for _ in range(count):
                    run(number)
                found.append((time.perf_counter() - began) / count * 1e6)
        alone, may = (min(found) for found in times.values())
        return [Row("launch of 16 CTAs that may have workers", "us", may, {"1 worker": alone}, None)]


def main() -> None:
    parser = command(__doc__, device="cpu", on="the figures are of the CPU executor")
    parser.add_argument("--workers", type=int, default=max(cores(), 2), help="threads (default: one a core)")
    options = parser.parse_args()
    bench = WorkersBench(options.workers, options.tiny)
    rows = [*bench.arithmetic(), *bench.memory(), *bench.short()]
    if options.json:
        print_json([row.to_dict() for row in rows])
        return
    for row in rows:
        told = row.to_dict()
        peers = "".join(f"  {peer} {value:.2f}" for peer, value in row.peers.items())
        ratio = "" if told["ratio"] is None else f"  ratio {told['ratio']:.2f}"
        print(f"{row.name:44} {row.ours:8.2f} {row.unit:6}{peers}{ratio}")


if __name__ == "__main__":
    main()
