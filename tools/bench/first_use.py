#!/usr/bin/env python3
"""What the first use of an operation costs a new process: without a cache, with an empty one, with a warm one.

    tools/bench/first_use.py [--json] [--tiny] [--rounds N]

On the CPU device: milliseconds of processor time from the first call of an operation to its result (kernels built, verified,
compiled, launched), imports of ptxgen's own upper rooms not counted.

For a GPU, a kernel of each family of the library, at a driver that takes 200 ms to compile it and does nothing else
(dummy/libcuda.c): milliseconds by the clock from the plan of a launch until it is launched, beside those 200. The kernel is
verified while the driver compiles, so this needs two cores.

Median of processes, the three kinds taking turns.
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
from tools.bench.dummy import dummy_library  # noqa: E402

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
FAMILIES = {
    "norm or softmax": "rows.rows",
    "bias and gelu": "elements.bias",
    "quantised product": "matrices.quantised",
    "GEMM": "matrices.gemm",
    "attention": "attention.attention",
    "packed attention": "attention.attention_packed",
    "attention's gradients": "attention.attention_backward",
    "attention's decoding": "attention.attention_decode",
    "elementwise": "elements.elementwise",
    "transpose": "elements.transpose",
    "top-k": "rows.topk",
    "column sums": "rows.column_sums",
    "scan": "arrays.prefix",
    "sort": "arrays.radix_sort",
    "selection": "arrays.select",
    "join": "joins.hash_probe",
    "query": "queries.aggregate",
    "e-graph": "egraph.egraph",
}
"""A kernel's file for each; its first variant is launched. In tiny form the first few."""
FEW = 2
AT_A_DRIVER = """
import time
import numpy
import ptxgen as px
{operation}
px.kernel, px.verify
dev = px.device("cuda")
dev.context, dev.target
context, loads = type(dev.context), []
load = context.load
context.load = lambda *given, **named: (loads.append(None), load(*given, **named))[1]
{inputs}
began = time.perf_counter()
first()
print(1e3 * (time.perf_counter() - began) - {compilation} * len(loads))
"""
OF_LIBRARY = """
case = VARIANTS[0].case()
arrays = {name: host.to(dev) for name, host in case.arrays.items()}
def first():
    case.plan(arrays).launch()
"""
FUSED = """
from typing import Annotated
from ptxgen import f32, ptr, runtime as rt
Rows, Like = Annotated[ptr[f32], rt.input_()], Annotated[ptr[f32], rt.output(like="x")]
@rt.program
def center(k: px.Builder, x: Rows, y: Like, row: rt.Row):
    values = row.load(x)
    top = row.reduce("max", values)
    row.store(y, [value - top for value in values])
@rt.program
def exponentials(k: px.Builder, x: Rows, y: Like, row: rt.Row):
    row.store(y, [k.exp(value) for value in row.load(x)])
"""
FUSED_INPUTS = """
backend = rt.Backend(dev)
x = numpy.zeros((8, 1000), numpy.float32)
def first():
    backend.compile(rt.fuse([program.in_rows(1000) for program in (center, exponentials)])).dispatch([x])
"""
OPERATIONS_AT_A_DRIVER = {
    "ops.softmax": "x = dev.zeros((64, 1024), px.f32)\ndef first():\n    ops.softmax(x)",
    "ops.matmul": "x = dev.zeros((256, 256), px.bf16)\ndef first():\n    ops.matmul(x, x)",
    "ops.attention": "x = dev.zeros((1, 128, 4, 64), px.bf16)\ndef first():\n    ops.attention(x, x, x)",
    "ops.sort": "x = dev.zeros(1000, px.u32)\ndef first():\n    ops.sort(x)",
}
"""Calls of operations, which make a launcher of machine code besides. In tiny form the first one."""
COMPILATION = 200
"""Milliseconds that the driver takes."""


def at_a_driver(tiny: bool) -> dict[str, str]:
    """Programs of the first use of each family."""
    compilation = 0 if tiny else COMPILATION
    rooms = dict(list(FAMILIES.items())[: FEW if tiny else None])
    parts = {name: (f"from ptxgen.kernels.{room} import VARIANTS", OF_LIBRARY) for name, room in rooms.items()}
    for name in list(OPERATIONS_AT_A_DRIVER)[: 1 if tiny else None]:
        parts[name] = f"from ptxgen import ops\n{name}", OPERATIONS_AT_A_DRIVER[name]
    if not tiny:
        parts["fused programs"] = FUSED, FUSED_INPUTS
    return {
        f"{name}, GPU": AT_A_DRIVER.format(operation=operation, inputs=inputs, compilation=compilation)
        for name, (operation, inputs) in parts.items()
    }


def milliseconds(program: Path, place: dict[str, str], folder: str, switch: str) -> float:
    """Of one process."""
    environment = {
        **os.environ, **place, "PYTHONPATH": str(ROOT), "PTXGEN_CACHE_DIR": folder, "PTXGEN_CACHE": switch,
        "OPENBLAS_NUM_THREADS": "1",  # numpy's threads spin at first
    }  # fmt: skip
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout)


def rows_of(programs: dict[str, str], place: dict[str, str], rounds: int, tiny: bool) -> list[dict[str, Any]]:
    """A row for each program. `place` is set for its processes."""
    rows = []
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as scripts:
        if tiny:  # the caller's cache serves as well
            kept = os.environ.get("PTXGEN_CACHE_DIR", kept)
        for name, text in programs.items():
            program = Path(scripts, "program.py")
            program.write_text(text)
            filling = milliseconds(program, place, kept, "1")  # fills the cache, and Python's of byte code
            samples: dict[str, list[float]] = {kind: [filling] * tiny for kind in ("off", "empty", "warm")}
            for _ in range(0 if tiny else rounds):
                samples["off"].append(milliseconds(program, place, kept, "0"))
                with tempfile.TemporaryDirectory() as empty:
                    samples["empty"].append(milliseconds(program, place, empty, "1"))
                samples["warm"].append(milliseconds(program, place, kept, "1"))
            found = {kind: median(values) for kind, values in samples.items()}
            peers = {"no cache": round(found["off"], 1), "an empty cache": round(found["empty"], 1)}
            ratio = round(min(peers.values()) / found["warm"], 2)
            rows.append({
                "name": f"first {name}", "unit": "ms", "ours": round(found["warm"], 1), "peers": peers, "ratio": ratio,
                "floor": 0.0,
            })  # fmt: skip
    return rows


def main() -> None:
    parser = command(__doc__, device="cpu", on="the figures are of the CPU device, and of a driver that does nothing")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    programs = {name: FRAME.format(operation=operation) for name, operation in OPERATIONS.items()}
    rows = rows_of(programs, {}, options.rounds, options.tiny)
    with dummy_library() as place:
        if place:
            place |= {"DUMMYCUDA_ANY_KERNEL": "1", "DUMMYCUDA_LOAD_MS": str(0 if options.tiny else COMPILATION)}
            rows += rows_of(at_a_driver(options.tiny), place, options.rounds, options.tiny)
    if options.json:
        print_json(rows)
        return
    print(f"ms, median of {options.rounds}: processor time on the CPU device, by the clock beside a GPU's driver")
    print(f"{'':34} {'no cache':>9} {'empty':>9} {'warm':>9} {'ratio':>7}")
    for row in rows:
        off, empty = row["peers"].values()
        print(f"{row['name']:34} {off:9.1f} {empty:9.1f} {row['ours']:9.1f} {row['ratio']:7.2f}")


if __name__ == "__main__":
    main()
