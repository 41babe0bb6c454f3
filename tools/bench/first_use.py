#!/usr/bin/env python3
"""What the first use of an operation costs a new process on the CPU device: without a cache, with an empty one, with a warm one.

    tools/bench/first_use.py [--json] [--tiny] [--rounds N]

Last, for a GPU, `module()` of a kernel alone: there the driver keeps its code, and ptxgen the verifier's verdicts and what the
library's templates made.

Milliseconds of processor time from the first call of an operation to its result (kernels built, verified, compiled, launched),
imports of ptxgen's own upper rooms not counted. Median of processes, the three kinds taking turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.bench._command import command, print_json  # noqa: E402

ROUNDS = 7

OPERATIONS = {
    "saxpy": """
@px.kernel
def saxpy(k: px.Builder, n: px.u32, a: px.f32, x: px.ptr[px.f32], y: px.ptr[px.f32]):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])
x, y = dev.zeros(1000, px.f32), dev.zeros(1000, px.f32)
def first():
    saxpy[4, 256](1000, 2.0, x, y)
""",
    "sort": """
from ptxgen.ops import Sort
x, y = dev.zeros(1000, px.u32), dev.zeros(1000, px.u32)
sort = Sort(dev, px.u32, 1000)
def first():
    sort(x, y)
""",
    "hash join": """
from ptxgen.ops import HashTable, Join
x, y = dev.zeros(4, px.u32), dev.zeros(3, px.u32)
def first():
    with HashTable(dev, y) as table, Join(table, x, 100) as join:
        join(x)
        join.pairs()
""",
    "e-graph discovery": """
from ptxgen.ops.egraph import Snapshot, discover, pack_image
image = pack_image(Snapshot.build([(10, "a", []), (20, "a", []), (30, "b", [10, 20]), (40, "b", [10, 20])]))
def first():
    discover(dev, image)
""",
}
FRAME = """
import time
import numpy
import ptxgen as px
dev = px.device("cpu")
{operation}
px.kernel, px.verify
dev.synchronize()
began = time.process_time()
first()
dev.synchronize()
print(1e3 * (time.process_time() - began))
"""
TEXTS = {
    "GEMM's text": "matrices.gemm",
    "attention's text": "attention.attention",
    "softmax's text": "rows.rows",
    "bias and gelu's text": "elements.bias",
}
"""Kernels of which `module()` alone is asked."""
TEXT_FRAME = """
import time
import ptxgen as px
from ptxgen.host import verdicts
from ptxgen.kernels.{room} import VARIANTS
px.kernel, px.verify
verdicts.keep()
began = time.process_time()
VARIANTS[0].module("sm_90a")
print(1e3 * (time.process_time() - began))
"""
PROGRAMS = {
    **{name: FRAME.format(operation=operation) for name, operation in OPERATIONS.items()},
    **{name: TEXT_FRAME.format(room=room) for name, room in TEXTS.items()},
}


def milliseconds(program: Path, folder: str, switch: str) -> float:
    """Of one process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PTXGEN_CACHE_DIR": folder, "PTXGEN_CACHE": switch}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout)


def main() -> None:
    parser = command(__doc__, device="cpu", on="the figures are of the CPU device")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as scripts:
        if options.tiny:  # the caller's cache serves as well
            kept = os.environ.get("PTXGEN_CACHE_DIR", kept)
        for name, text in PROGRAMS.items():
            program = Path(scripts, "program.py")
            program.write_text(text)
            filling = milliseconds(program, kept, "1")  # fills the cache, and Python's of byte code
            samples: dict[str, list[float]] = {kind: [filling] * options.tiny for kind in ("off", "empty", "warm")}
            for _ in range(0 if options.tiny else options.rounds):
                samples["off"].append(milliseconds(program, kept, "0"))
                with tempfile.TemporaryDirectory() as empty:
                    samples["empty"].append(milliseconds(program, empty, "1"))
                samples["warm"].append(milliseconds(program, kept, "1"))
            found = {kind: median(values) for kind, values in samples.items()}
            peers = {"no cache": round(found["off"], 1), "an empty cache": round(found["empty"], 1)}
            ratio = round(min(peers.values()) / found["warm"], 2)
            rows.append({
                "name": f"first {name}", "unit": "ms", "ours": round(found["warm"], 1), "peers": peers, "ratio": ratio,
                "floor": 0.0,
            })  # fmt: skip
    if options.json:
        print_json(rows)
        return
    print(f"ms of processor time, median of {options.rounds}")
    print(f"{'':26} {'no cache':>9} {'empty':>9} {'warm':>9} {'ratio':>7}")
    for row in rows:
        off, empty = row["peers"].values()
        print(f"{row['name']:26} {off:9.1f} {empty:9.1f} {row['ours']:9.1f} {row['ratio']:7.2f}")


if __name__ == "__main__":
    main()
