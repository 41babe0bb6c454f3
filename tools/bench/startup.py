#!/usr/bin/env python3
"""What `import ptxgen` and its neighbours add to bare Python, in ms of processor time: medians of whole processes, interleaved.

    tools/bench/startup.py [--json] [--tiny]

The peers are what a program would import instead: numpy, and llvmlite and jinja2, which ptxgen loads only when it needs them.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.bench._command import command, print_json  # noqa: E402

RUNS = 15
BARE = "pass"
OURS = {
    "import ptxgen": "import ptxgen",
    "import driver_ctypes": "import driver_ctypes",
    "build a kernel": "import ptxgen; ptxgen.kernel, ptxgen.f32",
    "open the CPU device": "import ptxgen; ptxgen.device('cpu')",
    "first launch of PTX": "import ptxgen as px; exec(PTX)",
    "first launch": "import ptxgen as px; exec(SAXPY)",
    "ptxgen exec": "import runpy; sys.argv[1:] = ['exec', '--quiet', 'true']; runpy.run_module('ptxgen', run_name='__main__')",
    "ptxgen --help": "from ptxgen.cli import main; sys.argv[1:] = ['--help']; main()",
    "ptxgen check": "from ptxgen.cli import main; sys.argv[1:] = ['check', CHECKED]; main()",
    "pytest plugin": "import pytest, ptxgen.golden.plugin",
}
SAXPY = """
@px.kernel
def saxpy(k: px.Builder, n: px.u32, a: px.f32, x: px.ptr[px.f32], y: px.ptr[px.f32]):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])
dev = px.device("cpu")
x, y = dev.zeros(1000, px.f32), dev.zeros(1000, px.f32)
saxpy[4, 256](1000, 2.0, x, y)
dev.synchronize()
"""
"""A whole program, with its code on disk from an earlier run."""

CHECKED = str(ROOT / "golden" / "saxpy" / "bf16.sm_75.ptx")
"""What `ptxgen check` is given."""

PTX = """
context = px.device("cpu").context
memory = context.alloc(4)
context.load('''
.version 7.0
.target sm_80
.address_size 64
.visible .entry put(.param .u64 out) { .reg .u64 %a; ld.param.u64 %a, [out]; st.global.u32 [%a], 7; ret; }
''').function("put").launch(1, 1, memory)
context.synchronize()
"""
"""The same without a builder."""

PEERS = {
    "numpy": "import numpy",
    "llvmlite": "import llvmlite.binding",
    "jinja2": "import jinja2",
    "pytest": "import pytest",
    "click": "import click",
}

BESIDE = {"pytest plugin": "pytest", "ptxgen --help": "click", "ptxgen check": "click"}
"""What stands on one of the peers is compared with that one."""


def milliseconds(statement: str) -> float:
    """One process that runs the statement and ends."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); SAXPY, PTX, CHECKED = {SAXPY!r}, {PTX!r}, {CHECKED!r}; {statement}"
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime)


def importable(statement: str) -> bool:
    return not subprocess.run([sys.executable, "-c", statement], capture_output=True, check=False).returncode


def main() -> None:
    parser = command(__doc__, on="the figures are of the host: no device is used")
    options = parser.parse_args()
    runs = 1 if options.tiny else RUNS
    peers = {name: statement for name, statement in PEERS.items() if importable(statement)}
    statements = {"": BARE, **OURS, **peers}
    for statement in () if options.tiny else statements.values():  # byte code and file caches
        milliseconds(statement)
    samples: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(runs):
        for name, statement in statements.items():
            samples[name].append(milliseconds(statement))
    bare = median(samples[""])
    added = {name: median(values) - bare for name, values in samples.items()}
    rows: list[dict[str, Any]] = []
    for name in OURS:
        beside = BESIDE.get(name)
        chosen = {p: added[p] for p in peers if p == beside or (beside is None and p not in BESIDE.values())}
        best = min(chosen.values(), default=None)
        rows.append({
            "name": name, "unit": "ms of processor time added to bare Python", "ours": round(added[name], 2),
            "peers": {peer: round(value, 2) for peer, value in chosen.items()},
            "ratio": best and round(best / max(added[name], 0.01), 2), "floor": 0.0,
        })  # fmt: skip
    if options.json:
        print_json(rows)
        return
    print(f"bare Python {bare:.1f} ms; below, ms added to it (median of {runs})")
    for row in rows:
        told = ", ".join(f"{peer} {value:.1f}" for peer, value in row["peers"].items())
        print(f"{row['name']:22} {row['ours']:7.1f}   {told}")


if __name__ == "__main__":
    main()
