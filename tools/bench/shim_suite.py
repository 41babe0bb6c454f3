#!/usr/bin/env python3
"""Where the time of a CUDA program in Python goes on the CPU device: the client itself, loading its kernels, running them.

    tools/bench/shim_suite.py [--json] [--tiny] [--python PATH] [--] [ARGUMENTS of Python...]
    tools/bench/shim_suite.py --python ENV/bin/python -- -m unittest numba.cuda.tests.cudapy.test_matmul

Without arguments, a small program of ctypes. It runs under `ptxgen exec` and Python's profiler, which sees the driver's functions
too: they are Python in the same process. Seconds of processor time of the main thread by part, with the profiler's own; code of
kernels counts as launches. There is no peer, since NVIDIA's library needs a GPU.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.bench._command import command, print_json

ROOT = Path(__file__).resolve().parents[2]

SMALL = """
import ctypes
cuda, P, U64 = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p, ctypes.c_uint64
text = b'''.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a) { .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [a];
  ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 [%d], %r; ret; }'''
context, module, function, memory, number = P(), P(), P(), U64(), ctypes.c_uint32(0)
def call(name, *arguments):
    assert cuda[name](*arguments) == 0, name
call("cuInit", 0); call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0); call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), text)
call("cuModuleGetFunction", ctypes.byref(function), module, b"add")
call("cuMemAlloc_v2", ctypes.byref(memory), U64(4))
call("cuMemcpyHtoD_v2", memory, ctypes.byref(number), U64(4))
slots = (P * 1)(ctypes.addressof(memory))
for _ in range(1000):
    call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, slots, None)
call("cuMemcpyDtoH_v2", ctypes.byref(number), memory, U64(4))
assert number.value == 1000
"""

RUNNER = """
import cProfile, runpy, sys, time
kept, sys.argv = sys.argv[1], sys.argv[2:]
profile = cProfile.Profile(time.thread_time)
def run():
    if sys.argv[0] == "-m":
        del sys.argv[0]
        return runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    runpy.run_path(sys.argv[0], run_name="__main__")
try:
    profile.runcall(run)
finally:
    profile.dump_stats(kept)
"""

PARTS = (
    ("PTX read and judged", ("ptxgen/text/", "ptxgen/verifier/", "ptxgen/dataflow/", "ptxgen/ir/", "ptxgen/isa/")),
    (
        "kernels launched",
        ("ptxgen/cpu/executable.py", "ptxgen/cpu/finishing.py", "ptxgen/cpu/team.py", "ptxgen/emulated_driver/launch/"),
    ),
    ("kernels compiled", ("ptxgen/cpu/", "llvmlite/")),
    ("other calls of the driver", ("ptxgen/", "driver_ctypes/")),
    ("imports", ("<frozen importlib",)),
)
"""Parts by the files whose functions they are, the first that fits; what is left is the client's own."""
CLIENT = "the client"


def part_of(file: str) -> str:
    return next((name for name, places in PARTS if any(place in file for place in places)), CLIENT)


def seconds(python: str, arguments: list[str]) -> dict[str, float]:
    """By part, and "whole"."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "profile")
        program = arguments or [str(Path(folder, "small.py"))]
        if not arguments:
            Path(program[0]).write_text(SMALL)
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        started = [sys.executable, "-m", "ptxgen", "exec", "--quiet", "--", python, "-c", RUNNER, str(kept)]
        done = subprocess.run([*started, *program], env={**os.environ, "PYTHONPATH": path}, check=False)
        if not kept.is_file():
            raise SystemExit(f"the program left no profile; it ended with {done.returncode}")
        found = marshal.loads(kept.read_bytes())
    parts = dict.fromkeys([name for name, _ in PARTS] + [CLIENT], 0.0)
    for (file, _line, _name), (_calls, _all, own, _whole, callers) in found.items():
        if file == "~" and callers:  # a function of C is its callers'
            for (caller, _at, _called), (_n, _m, theirs, _t) in callers.items():
                parts[part_of(caller)] += theirs
        else:
            parts[part_of(file)] += own
    return {**parts, "whole": sum(parts.values())}


def main() -> None:
    parser = command(__doc__, device="cpu", on="cpu: there is no library of ours on a GPU")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="of the environment with the client")
    parser.add_argument("arguments", nargs="*", help="of that Python")
    given = parser.parse_args()
    if given.device == "cuda":
        print("nothing is measured: the library is of the CPU device", file=sys.stderr)
        return
    rows: list[dict[str, Any]] = [
        {"name": name, "unit": "s", "ours": value, "peers": {}, "ratio": None, "floor": None}
        for name, value in seconds(given.python, given.arguments).items()
    ]
    if given.json:
        print_json(rows)
        return
    whole = rows[-1]["ours"]
    for row in rows:
        print(f"{row['name']:28} {row['ours']:8.2f} s {row['ours'] / whole:6.1%}")


if __name__ == "__main__":
    main()
