#!/usr/bin/env python3
"""A Hopper matrix product loaded with and without the cache of compiled code: the same results, at the same speed.

    tools/bench/cache_gemm.py [--json] [--tiny] [--device cuda|cpu] [--size N] [--rounds N]

The kernel has all that a linker may change: TMA into dynamic shared memory that must lie at a multiple of 1,024 bytes, behind
static shared memory; wgmma with its accumulators in registers; setmaxnreg for a producer and a consumer warpgroup. Its text is
loaded without a cache, with an empty one and with a full one, and as a cubin of ptxas where there is one that knows the target.
Every result is compared with numpy's, and bit for bit with the first. Times are CUDA events' around batches of launches, the
median of interleaved rounds. The last lines say what the driver's linker makes of the same text, which no load uses.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import driver_ctypes as dc
import ptxgen as px
from ptxgen import b64, bf16, f32, u32, u64
from ptxgen.isa.layouts import SharedTile
from tools.bench._command import command, print_json

ROUNDS, BATCH = 15, 20
SIZE, TINY = 4096, 384  # tiny: more steps than stages
TARGET = "sm_90a"

ROWS, COLUMNS, DEPTH, STAGES = 64, 128, 64, 4  # of a CTA's tile; elements of a step; steps on their way
A_BYTES, B_BYTES = ROWS * DEPTH * 2, COLUMNS * DEPTH * 2
STAGE = A_BYTES + B_BYTES
SHARED = STAGES * STAGE
TILE_A = SharedTile(ROWS, DEPTH, "bf16", major="K", swizzle="128B")
TILE_B = SharedTile(COLUMNS, DEPTH, "bf16", major="K", swizzle="128B")
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"

Launch = Callable[[], None]


def wait(k: px.Builder, barrier: Any, parity: Any) -> None:
    """Until the phase of that parity is complete."""

    def pending() -> Any:
        done = k.var(px.pred)
        k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, barrier, parity)
        return ~done

    with k.while_(pending):
        pass


@px.kernel(threads=256, min_ctas=1)
def product(k: px.Builder, n: u32, depth: u32, a: px.TensorMap, b: px.TensorMap, c: px.ptr[f32]) -> None:
    """C = A B^T, a tile a CTA: the first warpgroup fetches, the second multiplies."""
    base = k.dynamic_shared(bf16, align=1024).address
    full, empty = k.shared(b64, STAGES), k.shared(b64, STAGES)
    first = k.tid.x == 0
    with k.if_(first):
        for stage in range(STAGES):
            k.ptx.mbarrier.init.shared__cta.b64(full.at(stage), 1)
            k.ptx.mbarrier.init.shared__cta.b64(empty.at(stage), 128)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()
    row, column = k.ctaid.y * ROWS, k.ctaid.x * COLUMNS
    with k.if_else(k.shfl_idx(k.tid.x // 128, 0) == 0) as (producer, consumer):
        with producer:
            k.ptx.setmaxnreg.dec.sync.aligned.u32(40)
            with k.if_(first):
                for step in k.range(depth // DEPTH):
                    stage, turn = step % STAGES, step // STAGES % 2
                    wait(k, empty.at(stage), turn ^ 1)
                    k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, full.at(stage), STAGE)
                    at = base + stage * STAGE
                    k.ptx[LOAD]([at, 0], [a, (step * DEPTH, row)], full.at(stage))
                    k.ptx[LOAD]([at, A_BYTES], [b, (step * DEPTH, column)], full.at(stage))
        with consumer:
            k.ptx.setmaxnreg.inc.sync.aligned.u32(232)
            sums = tuple(k.var(f32, 0) for _ in range(COLUMNS // 2))
            for step in k.range(depth // DEPTH):
                stage, turn = step % STAGES, step // STAGES % 2
                wait(k, full.at(stage), turn)
                left = ((base + stage * STAGE) >> 4).to(u64)
                right = ((base + stage * STAGE + A_BYTES) >> 4).to(u64)
                k.ptx.wgmma.fence.sync.aligned()
                for inner in range(0, DEPTH, 16):
                    k.ptx.wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16(
                        sums,
                        left + TILE_A.wgmma(0, column=inner).encode(),
                        right + TILE_B.wgmma(0, column=inner).encode(),
                        1, 1, 1, 0, 0,
                    )  # fmt: skip
                k.ptx.wgmma.commit_group.sync.aligned()
                k.ptx.wgmma.wait_group.sync.aligned(0)
                k.ptx.mbarrier.arrive.shared__cta.b64(px.sink, empty.at(stage))
            line = row + k.tid.x // 32 % 4 * 16 + k.lane // 4
            place = column + k.lane % 4 * 2
            for number, value in enumerate(sums):  # of 8 columns a lane has two, in rows 8 apart
                block, high, odd = number // 4, number // 2 % 2, number % 2
                c[(line + high * 8) * n + place + (block * 8 + odd)] = value


class Problem:
    """Operands on a device, and the arguments of a launch."""

    def __init__(self, device: px.Device, size: int) -> None:
        self.device, self.size, self.stream = device, size, device.stream()
        random = np.random.default_rng(0)
        x, y = (random.standard_normal((size, size), dtype=np.float32) for _ in range(2))
        self.a, self.b = device.array(x, bf16), device.array(y, bf16)
        self.c = device.zeros((size, size), f32)
        maps = [
            dc.tensor_map(operand, "bf16", shape=(size, size), box=(DEPTH, rows), swizzle="128B")
            for operand, rows in ((self.a, ROWS), (self.b, COLUMNS))
        ]
        self.grid = size // COLUMNS, size // ROWS
        self.arguments = (size, size, *maps, self.c)

    def launch(self, module: Any) -> Launch:
        """A launch of the kernel of a loaded module on this problem."""
        launcher = module.function("product").bind(self.grid, 256, shared=SHARED, stream=self.stream)
        return lambda: launcher(*self.arguments)

    def result(self, launch: Launch) -> np.ndarray[Any, Any]:
        """What one launch writes."""
        self.c.fill(0)
        self.device.synchronize()
        launch()
        self.device.synchronize()
        return np.array(self.c.numpy())

    def expected(self) -> np.ndarray[Any, Any]:
        left, right = (operand.numpy().astype(np.float32) for operand in (self.a, self.b))
        product_: np.ndarray[Any, Any] = left @ right.T
        return product_


def loads(context: Any, text: str, folder: str) -> Iterator[tuple[str, Any]]:
    """(how it was loaded, the module): without a cache first."""
    cache = dc.CubinCache(folder)
    whole = context.load(text, cache=False)
    yield "uncached", whole
    yield "empty cache", context.load(text, cache=cache)
    yield "cached", context.load(text, cache=cache)
    if context.driver.name == "cuda":
        try:
            signatures = {"product": whole.function("product").signature}  # a cubin has sizes alone
            yield "ptxas", context.load(px.assemble(text, tool="ptxas").cubin, signatures=signatures)
        except px.AssembleError as missing:
            print(f"without a cubin of ptxas: {missing}", file=sys.stderr)


def microseconds(problem: Problem, launch: Launch, batch: int) -> float:
    """Of a launch in a batch on the device."""
    begin = problem.stream.record()
    for _ in range(batch):
        launch()
    end = problem.stream.record()
    end.synchronize()
    return 1e3 * float(end.elapsed_ms(begin)) / batch


def linked(context: Any, text: str) -> list[str]:
    """What the driver's linker makes of the text."""
    try:
        image = dc.link(context, [text])
    except dc.LinkError as refused:
        return [f"linked: {refused}"]
    return [f"linked: {message.text}" for message in image.warnings] or ["linked: the linker gives up nothing"]


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="rows and columns of the matrices")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    size, rounds, batch = (TINY, 1, 1) if options.tiny else (options.size, options.rounds, BATCH)
    if size < COLUMNS or size % COLUMNS:
        parser.error(f"--size {size}: a multiple of {COLUMNS}")
    device = px.device(options.device)
    if options.device == "cuda" and device.handle.compute_capability[0] != 9:
        print_json([]) if options.json else print(f"{device!r} is not a Hopper: nothing is measured")
        return
    text = str(product.module(target=TARGET))
    with tempfile.TemporaryDirectory() as folder:
        problem = Problem(device, size)
        context = device.context
        launches = {how: problem.launch(module) for how, module in loads(context, text, folder)}
        expected, bits = problem.expected(), {how: problem.result(launch) for how, launch in launches.items()}
        for how, found in bits.items():
            worst = float(np.abs(found - expected).max() / np.abs(expected).max())
            assert worst < 1e-3, f"{how}: an error of {worst:.2e} of the largest element"
            assert np.array_equal(found, bits["uncached"]), f"{how}: other bits than without a cache"
        samples: dict[str, list[float]] = {how: [] for how in launches}
        for _ in range(rounds):
            for how, launch in launches.items():
                samples[how].append(microseconds(problem, launch, batch))
        times = {how: median(values) for how, values in samples.items()}
        said = linked(context, text)
    peers = {how: round(time, 2) for how, time in times.items() if how != "cached"}
    row = {
        "name": f"product {size}", "unit": "us", "ours": round(times["cached"], 2), "peers": peers,
        "ratio": round(times["uncached"] / times["cached"], 3), "floor": None,
    }  # fmt: skip
    if options.json:
        print_json([row])
        return
    for how, time in times.items():
        print(
            f"{how:12} {time:9.1f} us  {2e-6 * size**3 / time:7.1f} TFLOP/s  {times['uncached'] / time:6.3f} x uncached"
        )
    print(f"{len(bits)} results of {size}x{size} are the same bits, and right", *said, sep="\n")


if __name__ == "__main__":
    main()
