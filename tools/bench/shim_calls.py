#!/usr/bin/env python3
"""What calls of our libcuda.so.1 cost a program in C: queries, launches, copies, allocations.

    tools/bench/shim_calls.py [--json] [--tiny] [--rounds N]

First, milliseconds to write the library. Then nanoseconds of one call, the least of many short rounds, of shim_calls.c, which the
system's compiler builds and links with the library. The program is not Python: the library starts one in it. There is no peer,
since NVIDIA's library needs a GPU.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ptxgen.shim.library import shared_python, write_library
from tools.bench._command import command, print_json

SOURCE = Path(__file__).with_suffix(".c")


def rows(rounds: int, turns: int) -> list[dict[str, Any]]:
    """A row for the library, and one for each call where there are a C compiler and a shared library of Python."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        write_library(Path(folder))
        found = [_row("library written", "ms", 1e3 * (time.perf_counter() - began))]
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None or shared_python() is None:
            missing = "no C compiler" if compiler is None else "no shared library of Python"
            print(f"{missing} here: no call is measured", file=sys.stderr)
            return found
        program = Path(folder, "calls")
        subprocess.run([compiler, "-O2", "-w", SOURCE, "-o", program, f"-L{folder}", "-lcuda"], check=True)
        done = subprocess.run(
            [program, str(rounds), str(turns)], env={**os.environ, "LD_LIBRARY_PATH": folder}, stdout=subprocess.PIPE,
            text=True, check=True,
        )  # fmt: skip
    figures = (line.split("\t") for line in done.stdout.splitlines())
    return found + [_row(name, "ns", float(value)) for name, value in figures]


def _row(name: str, unit: str, value: float) -> dict[str, Any]:
    return {"name": name, "unit": unit, "ours": value, "peers": {}, "ratio": None, "floor": None}


def main() -> None:
    parser = command(__doc__, device="cpu", on="cpu: there is no library of ours on a GPU")
    parser.add_argument("--rounds", type=int, default=100)
    given = parser.parse_args()
    if given.device == "cuda":
        print("nothing is measured: the library is of the CPU device", file=sys.stderr)
        found = []
    else:
        found = rows(1 if given.tiny else given.rounds, 2 if given.tiny else 50)
    if given.json:
        print_json(found)
        return
    for row in found:
        print(f"{row['name']:30} {row['ours']:10.1f} {row['unit']}")


if __name__ == "__main__":
    main()
