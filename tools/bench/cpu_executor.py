#!/usr/bin/env python3
"""The CPU executor: time of a thread-instruction in five kernels, of first launches, and of small launches.

    tools/bench/cpu_executor.py [--json] [--tiny] [--tier auto|base|fast]

A thread-instruction is one PTX instruction of one thread. Every access is checked against the blocks of the arena. Peers do the
same work in numpy on one core; the floor is what memory bandwidth (a copy in the same run) or the multiply-add rate of one core
(numpy's matrix product) allows, counted in the same unit. Times are the best of several rounds.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from ptxgen.cpu import Arena, Kernel, LaunchOptions, compile_module  # noqa: E402
from ptxgen.text import parse  # noqa: E402
from tools.bench._command import command, print_json  # noqa: E402

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"

SAXPY = """
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
	.reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %d<8>;
	ld.param.u32 %r1, [n]; ld.param.f32 %f1, [a]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p, %r5, %r1; @%p bra DONE;
	mul.wide.u32 %d5, %r5, 4; add.s64 %d6, %d1, %d5; add.s64 %d7, %d2, %d5;
	ld.global.f32 %f2, [%d6]; ld.global.f32 %f3, [%d7];
	fma.rn.f32 %f4, %f1, %f2, %f3;
	st.global.f32 [%d7], %f4;
DONE:	ret;
}
"""

_STEPS = "\n".join(
    f"\tld.shared.f32 %f4, [%r18+{4 * i}]; ld.shared.f32 %f5, [%r19+{64 * i}]; fma.rn.f32 %f1, %f4, %f5, %f1;"
    for i in range(16)
)

MATMUL = f"""
.visible .entry matmul(.param .u32 n, .param .u64 a, .param .u64 b, .param .u64 c)
{{
	.reg .pred %p; .reg .b32 %r<22>; .reg .f32 %f<6>; .reg .b64 %d<8>; .shared .align 4 .f32 s[256]; .shared .align 4 .f32 t[256];
	ld.param.u32 %r1, [n]; ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y;
	shl.b32 %r6, %r5, 4; add.u32 %r6, %r6, %r3; shl.b32 %r7, %r4, 4; add.u32 %r7, %r7, %r2;
	mul.lo.u32 %r8, %r6, %r1; add.u32 %r9, %r8, %r2; mul.wide.u32 %d4, %r9, 4; add.u64 %d4, %d1, %d4;
	mad.lo.u32 %r10, %r3, %r1, %r7; mul.wide.u32 %d5, %r10, 4; add.u64 %d5, %d2, %d5;
	shl.b32 %r11, %r1, 6; cvt.u64.u32 %d6, %r11;
	shl.b32 %r12, %r3, 4; add.u32 %r13, %r12, %r2; shl.b32 %r13, %r13, 2;
	mov.u32 %r14, s; mov.u32 %r15, t; add.u32 %r16, %r14, %r13; add.u32 %r17, %r15, %r13;
	shl.b32 %r18, %r12, 2; add.u32 %r18, %r14, %r18; shl.b32 %r19, %r2, 2; add.u32 %r19, %r15, %r19;
	mov.f32 %f1, 0f00000000; mov.u32 %r20, 0;
LOOP:	ld.global.f32 %f2, [%d4]; ld.global.f32 %f3, [%d5]; st.shared.f32 [%r16], %f2; st.shared.f32 [%r17], %f3;
	bar.sync 0;
{_STEPS}
	bar.sync 0;
	add.u64 %d4, %d4, 64; add.u64 %d5, %d5, %d6; add.u32 %r20, %r20, 16; setp.lt.u32 %p, %r20, %r1; @%p bra LOOP;
	add.u32 %r21, %r8, %r7; mul.wide.u32 %d7, %r21, 4; add.u64 %d7, %d3, %d7; st.global.f32 [%d7], %f1;
	ret;
}}
"""

REDUCE = """
.visible .entry reduce(.param .u32 n, .param .u64 x, .param .u64 out)
{
	.reg .pred %p<3>; .reg .b32 %r<13>; .reg .f32 %f<6>; .reg .b64 %d<5>; .shared .align 4 .f32 s[256];
	ld.param.u32 %r1, [n]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %nctaid.x;
	mad.lo.u32 %r6, %r3, %r4, %r2; mul.lo.u32 %r7, %r4, %r5; mov.f32 %f1, 0f00000000;
	setp.ge.u32 %p1, %r6, %r1; @%p1 bra TREE;
LOOP:	mul.wide.u32 %d3, %r6, 4; add.u64 %d4, %d1, %d3; ld.global.f32 %f2, [%d4]; add.f32 %f1, %f1, %f2;
	add.u32 %r6, %r6, %r7; setp.lt.u32 %p1, %r6, %r1; @%p1 bra LOOP;
TREE:	shl.b32 %r8, %r2, 2; mov.u32 %r9, s; add.u32 %r9, %r9, %r8; st.shared.f32 [%r9], %f1;
	bar.sync 0;
	shr.u32 %r10, %r4, 1;
STEP:	setp.ge.u32 %p1, %r2, %r10; @%p1 bra SKIP;
	shl.b32 %r11, %r10, 2; add.u32 %r12, %r9, %r11;
	ld.shared.f32 %f3, [%r9]; ld.shared.f32 %f4, [%r12]; add.f32 %f3, %f3, %f4; st.shared.f32 [%r9], %f3;
SKIP:	bar.sync 0;
	shr.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra STEP;
	setp.ne.u32 %p1, %r2, 0; @%p1 bra END;
	ld.shared.f32 %f5, [s]; red.global.add.f32 [%d2], %f5;
END:	ret;
}
"""

HISTOGRAM = """
.visible .entry histogram(.param .u32 n, .param .u64 x, .param .u64 out)
{
	.reg .pred %p; .reg .b32 %r<11>; .reg .b64 %d<6>; .shared .align 4 .u32 s[256];
	ld.param.u32 %r1, [n]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %nctaid.x;
	mad.lo.u32 %r6, %r3, %r4, %r2; mul.lo.u32 %r7, %r4, %r5;
	mov.u32 %r8, s; mad.lo.u32 %r9, %r2, 4, %r8; mov.u32 %r10, 0; st.shared.u32 [%r9], %r10;
	bar.sync 0;
LOOP:	setp.ge.u32 %p, %r6, %r1; @%p bra DONE;
	cvt.u64.u32 %d3, %r6; add.u64 %d4, %d1, %d3; ld.global.u8 %r10, [%d4]; mad.lo.u32 %r10, %r10, 4, %r8;
	red.shared.add.u32 [%r10], 1;
	add.u32 %r6, %r6, %r7; bra LOOP;
DONE:	bar.sync 0;
	ld.shared.u32 %r10, [%r9]; mad.wide.u32 %d5, %r2, 4, %d2; red.global.add.u32 [%d5], %r10;
	ret;
}
"""

MANDELBROT = """
.visible .entry mandelbrot(.param .u32 w, .param .u64 out)
{
	.reg .pred %p; .reg .b32 %r<9>; .reg .f32 %f<11>; .reg .b64 %d<4>;
	ld.param.u32 %r1, [w]; ld.param.u64 %d1, [out];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
	rem.u32 %r6, %r5, %r1; div.u32 %r7, %r5, %r1;
	cvt.rn.f32.u32 %f1, %r6; cvt.rn.f32.u32 %f2, %r7; cvt.rn.f32.u32 %f3, %r1; rcp.approx.f32 %f3, %f3;
	mul.f32 %f1, %f1, %f3; mul.f32 %f2, %f2, %f3;
	fma.rn.f32 %f1, %f1, 0f40400000, 0fC0000000; fma.rn.f32 %f2, %f2, 0f40000000, 0fBF800000;
	mov.f32 %f4, 0f00000000; mov.f32 %f5, 0f00000000; mov.u32 %r8, 0;
LOOP:	mul.f32 %f6, %f4, %f4; mul.f32 %f7, %f5, %f5; add.f32 %f8, %f6, %f7; setp.gt.f32 %p, %f8, 0f40800000; @%p bra DONE;
	sub.f32 %f9, %f6, %f7; add.f32 %f10, %f4, %f4; fma.rn.f32 %f5, %f10, %f5, %f2; add.f32 %f4, %f9, %f1;
	add.u32 %r8, %r8, 1; setp.lt.u32 %p, %r8, 256; @%p bra LOOP;
DONE:	mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r8;
	ret;
}
"""

NEW_PROCESS = f"""
import struct, sys, time
sys.path.insert(0, {str(ROOT)!r})
import llvmlite.binding
import ptxgen.cpu.program
from ptxgen.cpu import Arena, compile_module, warm_up
from ptxgen.text import parse
module = parse({HEADER + SAXPY!r}, "saxpy.ptx")
arena = Arena()
x = arena.allocate(1024)
if sys.argv[1] == "opened":  # what opening the device does
    warm_up()
    time.sleep(0.1)
began = time.perf_counter()
compile_module(module, arena).kernels["saxpy"].launch((1, 1, 1), (256, 1, 1), struct.pack("<IfQQ", 256, 2.0, x, x))
print((time.perf_counter() - began) * 1e3)
"""


TINY = False


class Row(NamedTuple):
    name: str
    unit: str
    ours: float
    peers: dict[str, float]
    floor: float | None

    def to_dict(self) -> dict[str, Any]:
        best = min(self.peers.values(), default=None)
        return {
            "name": self.name,
            "unit": self.unit,
            "ours": round(self.ours, 4),
            "peers": {peer: round(value, 4) for peer, value in self.peers.items()},
            "ratio": round(best / self.ours, 2) if best is not None else None,
            "floor": None if self.floor is None else round(self.floor, 4),
        }


def best_of(call: Callable[[], object], rounds: int = 7) -> float:
    """Seconds of the quickest round."""
    times = []
    for _ in range(1 if TINY else rounds):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


class Bench:
    def __init__(self, tier: str) -> None:
        self.arena = Arena()
        self.options = LaunchOptions(tier=tier)
        self.rounds = 7
        self.rng = np.random.default_rng(1)

    def kernel(self, source: str) -> Kernel:
        return next(iter(compile_module(parse(HEADER + source, "bench.ptx"), self.arena).kernels.values()))

    def array(self, values: np.ndarray) -> tuple[int, np.ndarray]:
        """(device address, the array that lies there)."""
        address = self.arena.allocate(values.nbytes)
        there = np.frombuffer(self.arena.view(address, values.nbytes), dtype=values.dtype).reshape(values.shape)
        there[...] = values
        return address, there

    def per_instruction(
        self,
        name: str,
        kernel: Kernel,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        params: bytes,
        peer: Callable[[], object],
        floor: Callable[[], object] | None,
    ) -> Row:
        """ns per thread-instruction of a launch, and of peer and floor for as many instructions."""

        def launch() -> int:
            return kernel.launch(grid, block, params, options=self.options).instructions

        count = launch()
        launch()
        unit = 1e9 / count
        return Row(
            name, "ns/thread-instruction", best_of(launch, self.rounds) * unit,
            {"numpy": best_of(peer, self.rounds) * unit}, best_of(floor, self.rounds) * unit if floor else None,
        )  # fmt: skip

    def kernels(self) -> list[Row]:
        n, edge, width = (1 << 12, 32, 32) if TINY else (1 << 22, 512, 512)
        count = str(n) if TINY else "4 Mi"
        x, xs = self.array(self.rng.random(n, dtype=np.float32))
        y, ys = self.array(np.zeros(n, np.float32))
        a, as_ = self.array(self.rng.random((edge, edge), dtype=np.float32))
        b, bs = self.array(self.rng.random((edge, edge), dtype=np.float32))
        c, cs = self.array(np.zeros((edge, edge), np.float32))
        out, outs = self.array(np.zeros(256, np.uint32))
        bytes_, bytess = self.array(self.rng.integers(0, 256, n, dtype=np.uint8))
        picture, pictures = self.array(np.zeros(width * width, np.uint32))
        copied = np.empty(n, np.float32)

        def copy_both() -> None:
            np.copyto(copied, xs)
            np.copyto(copied, ys)

        rows = [
            self.per_instruction(
                f"saxpy, {count}", self.kernel(SAXPY), (n // 256, 1, 1), (256, 1, 1), struct.pack("<IfQQ", n, 2.0, x, y),
                lambda: np.multiply(xs, 2.0) + ys, copy_both,
            ),
            self.per_instruction(
                f"matrix multiply, {edge}", self.kernel(MATMUL), (edge // 16, edge // 16, 1), (16, 16, 1),
                struct.pack("<I4xQQQ", edge, a, b, c), lambda: as_ @ bs, lambda: as_ @ bs,
            ),
            self.per_instruction(
                f"reduction, {count}", self.kernel(REDUCE), (64, 1, 1), (256, 1, 1), struct.pack("<I4xQQ", n, x, out),
                lambda: xs.sum(), lambda: np.copyto(copied, xs),
            ),
            self.per_instruction(
                f"histogram, {count}", self.kernel(HISTOGRAM), (64, 1, 1), (256, 1, 1), struct.pack("<I4xQQ", n, bytes_, out),
                lambda: np.bincount(bytess, minlength=256), None,
            ),
            self.per_instruction(
                f"mandelbrot, {width}", self.kernel(MANDELBROT), (width * width // 256, 1, 1), (256, 1, 1),
                struct.pack("<I4xQ", width, picture), lambda: mandelbrot(width), None,
            ),
        ]  # fmt: skip
        assert np.allclose(cs, as_ @ bs, rtol=1e-3)
        assert pictures.max() == 256
        del outs
        return rows

    def first_launches(self) -> list[Row]:
        x = self.arena.allocate(1024)
        params = struct.pack("<IfQQ", 256, 2.0, x, x)
        module = parse(HEADER + SAXPY, "saxpy.ptx")

        def first() -> None:
            program = compile_module(module, self.arena)
            program.kernels["saxpy"].launch((1, 1, 1), (256, 1, 1), params)
            program.close()

        first()

        def in_new_process(mode: str) -> float:
            command = [sys.executable, "-c", NEW_PROCESS, mode]
            return min(
                float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                for _ in range(1 if TINY else 5)
            )

        rows = [Row("first launch, ir to result", "ms", best_of(first, 15) * 1e3, {}, None)]
        for name, mode in (("device opened before", "opened"), ("nothing before", "cold")):
            rows.append(Row(f"first launch, new process, {name}", "ms", in_new_process(mode), {}, None))
        return rows

    def small_launches(self) -> list[Row]:
        kernel = self.kernel(SAXPY)
        x = self.arena.allocate(1024)
        params = struct.pack("<IfQQ", 32, 2.0, x, x)
        count = 20 if TINY else 5000

        def many() -> None:
            for _ in range(count):
                kernel.launch((1, 1, 1), (32, 1, 1), params)

        def crowd() -> None:
            threads = [threading.Thread(target=many) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return [
            Row("launch of one warp", "us", best_of(many) / count * 1e6, {}, None),
            Row("launch of one warp, 4 threads at once", "us", best_of(crowd, 3) / (4 * count) * 1e6, {}, None),
        ]


def mandelbrot(width: int) -> np.ndarray:
    """The picture in numpy, all points in each round, those that escaped masked out."""
    re, im = np.meshgrid(np.arange(width) / width * 3 - 2, np.arange(width) / width * 2 - 1)
    c = (re + 1j * im).astype(np.complex64)
    z = np.zeros_like(c)
    rounds = np.zeros(c.shape, np.uint32)
    alive = np.ones(c.shape, bool)
    for _ in range(256):
        alive &= (z.real * z.real + z.imag * z.imag) <= 4
        rounds += alive
        z = np.where(alive, z * z + c, z)
    return rounds


def main() -> None:
    parser = command(__doc__, device="cpu", on="the figures are of the CPU executor")
    parser.add_argument("--tier", choices=("auto", "base", "fast"), default="auto")
    options = parser.parse_args()
    global TINY
    TINY = options.tiny
    bench = Bench(options.tier)
    rows = [*bench.kernels(), *bench.first_launches(), *bench.small_launches()]
    if options.json:
        print_json([row.to_dict() for row in rows])
        return
    for row in rows:
        peers = "".join(f"  {peer} {value:.3f}" for peer, value in row.peers.items())
        floor = "" if row.floor is None else f"  floor {row.floor:.3f}"
        print(f"{row.name:44} {row.ours:8.3f} {row.unit:22}{peers}{floor}")


if __name__ == "__main__":
    main()
