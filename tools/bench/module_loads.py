#!/usr/bin/env python3
"""How long the CPU device takes to load a large module, in ms of processor time: in a process that finds nothing on disk, and in
the next one; and the first launch of one of its kernels.

    tools/bench/module_loads.py [--json] [--tiny] [--rounds N] [--ptx FILE ...]

Without files the module has 32 copies of a kernel of the library, 1.5 MB of PTX. The peer is the same load with all kernels
compiled at once, as a log of what each uses (JIT_LOG_VERBOSE) asks for. Median of processes, the kinds taking turns.
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

ROUNDS = 5
KERNELS = 32
GOLDEN = ROOT / "golden" / "radix_sort" / "u32.sm_90a.ptx"
PROGRAM = """
import sys, time
import ptxgen as px
from driver_ctypes.abi.enums import CUjit_option
context = px.device("cpu").context
text = open(sys.argv[1]).read()
options = {CUjit_option.LOG_VERBOSE: 1} if sys.argv[2] == "all" else {}
began = time.process_time()
module = context.load(text, options=options)
loaded = time.process_time()
name = module.function_names()[0]
module.function(name).attributes
print(1e3 * (loaded - began), 1e3 * (time.process_time() - loaded))
"""


def copies(number: int) -> str:
    """A module with so many copies of one kernel of the library."""
    head, entry, body = GOLDEN.read_text("utf-8").partition(".visible .entry ")
    name = body.partition("(")[0]
    return head + "".join(f"{entry}{name}_{i}({body.partition('(')[2]}" for i in range(number))


def milliseconds(text: Path, folder: str, how: str) -> tuple[float, float]:
    """(of the load, of what the first kernel takes then) in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PTXGEN_CACHE_DIR": folder, "PTXGEN_CACHE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, text, how], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    load, first = map(float, done.stdout.split())
    return load, first


def row(text: Path, rounds: int) -> list[dict[str, Any]]:
    """Two rows for one module: its first load and the next process's, each beside a load that compiles every kernel."""
    samples: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for how in ("needed", "all"):
            with tempfile.TemporaryDirectory() as folder:
                for which in ("first", "next"):
                    samples.setdefault((which, how), []).append(milliseconds(text, folder, how))
    found = []
    for which in ("first", "next"):
        ours, peer = (median(load for load, _ in samples[which, how]) for how in ("needed", "all"))
        kernel = median(first for _, first in samples[which, "needed"])
        found.append({
            "name": f"{text.stem}: {which} load", "unit": "ms", "ours": round(ours, 1),
            "peers": {"every kernel compiled": round(peer, 1), "and one kernel then": round(ours + kernel, 1)},
            "ratio": round(peer / ours, 2), "floor": 0.0,
        })  # fmt: skip
    return found


def main() -> None:
    parser = command(__doc__, device="cpu", on="the figures are of the CPU device")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--ptx", nargs="+", type=Path, default=[], metavar="FILE")
    options = parser.parse_args()
    rounds = 1 if options.tiny else options.rounds
    with tempfile.TemporaryDirectory() as folder:
        files = options.ptx or [Path(folder, "library.ptx")]
        if not options.ptx:
            files[0].write_text(copies(1 if options.tiny else KERNELS), "utf-8")
        rows = [each for file in files for each in row(file, rounds)]
    if options.json:
        print_json(rows)
        return
    print(f"ms of processor time, median of {rounds}")
    for each in rows:
        told = ", ".join(f"{peer} {value:.1f}" for peer, value in each["peers"].items())
        print(f"{each['name']:28} {each['ours']:8.1f}   {told}")


if __name__ == "__main__":
    main()
