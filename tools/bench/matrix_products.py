#!/usr/bin/env python3
"""Matrix instructions of the CPU executor: time of one that a warp executes, and what that makes in flops.

    tools/bench/matrix_products.py [--json] [--tiny] [--beside CHECKOUT]

The functions of the instructions are called by a loop of machine code, with ordinary operands. `--beside` measures those of
another checkout too, in rounds that take turns; each checkout has a process of its own.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__" and sys.argv[1:2] == ["--serve"]:
    sys.path.insert(0, sys.argv[2])  # the checkout that is measured
else:
    sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from ptxgen.cpu.jit import LoadedObject, Tier, load_object, object_code  # noqa: E402
from ptxgen.cpu.rt.matrix.functions import function_name, library_text  # noqa: E402
from ptxgen.isa.layouts import Layout, WgmmaDescriptor, layout  # noqa: E402

MMA = (
    "m16n8k16.row.col.f32.bf16.bf16.f32", "m16n8k16.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f16.f16.f16.f16",
    "m16n8k8.row.col.f32.tf32.tf32.f32", "m16n8k32.row.col.f32.e4m3.e4m3.f32",
)  # fmt: skip
WGMMA = (
    "m64n128k16.f32.bf16.bf16", "m64n128k16.f32.f16.f16", "m64n128k16.f16.f16.f16", "m64n128k8.f32.tf32.tf32",
    "m64n128k32.f32.e4m3.e4m3",
)  # fmt: skip
SHARED = 1 << 17
"""Bytes of shared memory, with A and B of wgmma."""
ROUNDS = 15
ROUND = 0.02
"""Seconds."""

LOOP = """
define void @loop(ptr %f, i64 %n, ptr %a, ptr %b, ptr %c, ptr %d) {
entry:
  br label %again
again:
  %i = phi i64 [0, %entry], [%next, %again]
  call void %f(ptr %a, ptr %b, ptr %c, ptr %d)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %again, label %out
out:
  ret void
}
"""


class Instruction:
    """One of them, ready to be called."""

    def __init__(self, op: str, *, fused: bool) -> None:
        without = "a" if op.startswith("wgmma") else ""
        name = function_name(op, 0, without)
        text = library_text(name, fused=True) if fused else library_text(name)
        self._keeps: list[LoadedObject] = [load_object(object_code(one, Tier.FAST)) for one in (LOOP, text)]
        loop, function = (one.addresses[symbol] for one, symbol in zip(self._keeps, ("loop", name)))
        self._loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(loop)
        self._function = function
        random = np.random.default_rng(1)
        fragments = [one for one in layout(op) if one.operand not in without]
        self._registers = np.concatenate(
            [ordinary(random, one.type, one.registers * 32).reshape(-1, 32) for one in fragments]
        )
        self._table = np.arange(len(self._registers), dtype=np.int32) * 128
        self._shared = ordinary(random, layout(op).a.type, SHARED // 4)
        descriptors = [WgmmaDescriptor(start, 16, 1024, "128B").encode() for start in (0, 8192)]
        self._parameters = np.array([*descriptors, self._shared.ctypes.data, SHARED, 0, 1, 0], np.uint64)

    def seconds(self, calls: int) -> float:
        """Of so many calls. D is what it was before, plus a product: it does not become large."""
        arguments = [one.ctypes.data for one in (self._registers, self._table, self._table, self._parameters)]
        began = time.perf_counter()
        self._loop(self._function, calls, *arguments)
        return time.perf_counter() - began


def ordinary(random: np.random.Generator, type: str, words: int) -> Any:
    """Normal numbers of a type as 32-bit words; of fp8 positive ones."""
    if type in ("f32", "tf32"):
        return random.standard_normal(words, dtype=np.float32).view(np.uint32)
    if type == "f16":
        return random.standard_normal(2 * words).astype(np.float16).view(np.uint32)
    if type == "bf16":
        return (
            (random.standard_normal(2 * words, dtype=np.float32).view(np.uint32) >> 16)
            .astype(np.uint16)
            .view(np.uint32)
        )
    return random.integers(0x20, 0x40, 4 * words, dtype=np.uint8).view(np.uint32)


def flops(op: str) -> int:
    of = layout(op)
    d: Layout = of.d
    return 2 * d.shape[0] * d.shape[1] * int(of.a.shape[1]) * 32 // d.lanes


def serve() -> None:
    """Answers lines `instruction mode calls` with seconds."""
    made: dict[str, Instruction] = {}
    for line in sys.stdin:
        op, mode, calls = line.split()
        try:
            if op + mode not in made:
                made[op + mode] = Instruction(op, fused=mode == "fast")
            print(made[op + mode].seconds(int(calls)), flush=True)
        except TypeError:  # a checkout without that mode
            print("nan", flush=True)


class Checkout:
    """A process that measures the functions of one."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--serve", str(root)] if sys.version_info >= (3, 11)
            else [sys.executable, __file__, "--serve", str(root)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def seconds(self, op: str, mode: str, calls: int) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(op, mode, calls, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline()) / calls

    def close(self) -> None:
        self._process.communicate()


def measured(op: str, mode: str, checkouts: list[Checkout], *, tiny: bool) -> dict[str, Any]:
    """A row: the best of rounds that take turns."""
    once = [one.seconds(op, mode, 1 if tiny else 20) for one in checkouts]
    sides = [
        (one, 1 if tiny else max(1, round(ROUND / first))) for one, first in zip(checkouts, once) if first == first
    ]
    found = [float("inf")] * len(sides)
    for _ in range(1 if tiny else ROUNDS):
        found = [min(best, one.seconds(op, mode, calls)) for best, (one, calls) in zip(found, sides)]
    ours, *others = (seconds * 1e9 for seconds in found)
    return {
        "name": f"{op}, {mode}",
        "unit": "ns/instruction of a warp",
        "ours": round(ours, 1),
        "peers": dict(zip(["the other checkout"], [round(ns, 1) for ns in others])),
        "ratio": round(others[0] / ours, 2) if others else None,
        "floor": None,
    }


def main() -> None:
    from tools.bench._command import command, print_json

    parser = command(__doc__, device="cpu", on="the figures are of the CPU executor")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="another checkout, measured in turns")
    options = parser.parse_args()
    checkouts = [Checkout(root) for root in (ROOT, options.beside) if root is not None]
    ops = [f"mma.sync.aligned.{shape}" for shape in MMA] + [f"wgmma.mma_async.sync.aligned.{shape}" for shape in WGMMA]
    rows = []
    for op, mode in [(op, mode) for mode in ("exact", "fast") for op in (ops[::5] if options.tiny else ops)]:
        row = measured(op, mode, checkouts, tiny=options.tiny)
        rows.append(row)
        if not options.json:
            speeds = "  ".join(f"{flops(op) / ns:7.2f} Gflop/s" for ns in (row["ours"], *row["peers"].values()))
            print(f"{row['name']:64} {row['ours']:9.0f} ns  {speeds}", flush=True)
    for one in checkouts:
        one.close()
    if options.json:
        print_json(rows)


if __name__ == "__main__":
    serve() if sys.argv[1:2] == ["--serve"] else main()
