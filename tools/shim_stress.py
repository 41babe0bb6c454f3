#!/usr/bin/env python3
"""Programs that use our libcuda.so.1 with threads, forks, signals and untimely ends, many times each: none may crash.

    tools/shim_stress.py [NAME...] [--runs 1000] [--jobs N] [--valgrind] [--python PATH]
    tools/shim_stress.py --list

The hosts are those of tools/shim_programs, in C++, and Python programs with workers in C++. A run is right if it ends with the
status that the host should end with. With --valgrind each host runs once, and a finding with a frame of ours is wrong too.
--python takes another interpreter (3.10 to 3.13, with ptxgen in it) to write the library and to run the Python hosts. Exit status
1 if any run was wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "tools" / "shim_programs" / "host.cpp"

SETUP = """
import ctypes, os, sys, threading
workers = ctypes.CDLL(sys.argv[1])
cuda = ctypes.CDLL("libcuda.so.1")
def calls(turns):
    version = ctypes.c_int()
    for _ in range(turns):
        assert cuda.cuDriverGetVersion(ctypes.byref(version)) == 0 and cuda.cuInit(0) == 0
"""
PYTHON_HOSTS = {
    "python": "threads = [threading.Thread(target=calls, args=(200,)) for _ in range(4)]\n"
    "for thread in threads: thread.start()\n"
    "wrong = workers.work_from(8, 5, 0)\n"
    "for thread in threads: thread.join()\n"
    "sys.exit(wrong)",
    "python-gil": "sys.exit(ctypes.PyDLL(sys.argv[1]).work_from(0, 0, 0))",  # the first call has the GIL
    "python-end": "workers.work_from(4, 10**6, 1)",  # the interpreter ends while they go on
    "python-fork": "workers.work_from(2, 3, 0)\n"
    "if os.fork() == 0: os._exit(0 if cuda.cuCtxSynchronize() != 0 else 1)\n"
    "sys.exit(os.WEXITSTATUS(os.wait()[1]) or workers.work_from(2, 3, 0))",
}
"""Python programs, in the order of what is said of them; `work_from` (threads, turns, whether to leave them running)."""

PROGRAMS = (
    "threads",
    "first",
    "fork",
    "exit",
    "_exit",
    "exec",
    "signals",
    "interrupt",
    "dlclose",
    "statics",
    "endless",
    "short",
)
ENDS = {"interrupt": -signal.SIGINT}
"""The status of a host that does not end with 0."""


class Built(NamedTuple):
    """What is run, and in which environment."""

    program: Path
    workers: Path
    python: str
    environment: dict[str, str]


class Outcome(NamedTuple):
    """Of all runs of a host. `first`: what the first wrong run said."""

    name: str
    runs: int
    wrong: int
    seconds: float
    first: str


WRITE = """
import sys
from pathlib import Path
from ptxgen.shim.library import shared_python, write_library
write_library(Path(sys.argv[1]))
sys.exit(0 if shared_python() else "this Python has no shared library, which a host that is not Python needs")
"""


def build(folder: Path, python: str) -> Built:
    """The library of an interpreter, and the hosts. SystemExit where they cannot be made."""
    written = subprocess.run([python, "-c", WRITE, folder], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    if written.returncode:
        raise SystemExit(f"{python} writes no library that these hosts can use")
    return hosts(folder, python)


def hosts(folder: Path, python: str) -> Built:
    """The hosts, linked with the library in a folder."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        raise SystemExit("no C++ compiler is installed here")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LD_LIBRARY_PATH": str(folder)}
    program, workers = folder / "host", folder / "libworkers.so"
    common = [compiler, "-std=c++17", "-g", str(SOURCE), f"-L{folder}", "-lcuda", "-lpthread", "-ldl"]
    subprocess.run([*common, "-o", str(program)], check=True)
    subprocess.run([*common, "-DLIBRARY", "-shared", "-fPIC", "-o", str(workers)], check=True)
    return Built(program, workers, python, environment)


def command_of(name: str, built: Built) -> list[str]:
    if name in PYTHON_HOSTS:
        return [built.python, "-c", SETUP + PYTHON_HOSTS[name], str(built.workers)]
    return [str(built.program), name]


def run(name: str, built: Built, limit: float, before: tuple[str, ...] = ()) -> str:
    """Run a host once. What was wrong, "" where nothing was."""
    command = [*before, *command_of(name, built)]
    try:
        done = subprocess.run(
            command, env=built.environment, capture_output=True, text=True, errors="replace", timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return f"not done after {limit:.0f} s"
    if done.returncode == ENDS.get(name, 0):
        return ""
    return f"status {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}"


def stress(name: str, built: Built, runs: int, limit: float, jobs: int = 1) -> Outcome:
    """Run a host so many times, `jobs` of them at once."""
    began = time.perf_counter()
    with ThreadPoolExecutor(jobs) as pool:
        said = list(pool.map(lambda _: run(name, built, limit), range(runs)))
    wrong = [f"run {number}: {text}" for number, text in enumerate(said, 1) if text]
    return Outcome(name, runs, len(wrong), time.perf_counter() - began, wrong[0] if wrong else "")


FRAME = re.compile(
    r"^==\d+==\s+(?:at|by) 0x[0-9A-F]+: .*\((?:in )?\S*(?:libcuda|libnvJitLink|libnvrtc)\.so", re.MULTILINE
)
"""A frame of a library of ours in what valgrind says."""


def under_valgrind(name: str, built: Built, limit: float) -> Outcome:
    """Run once under memcheck; findings that concern Python's or LLVM's own memory are not ours."""
    began = time.perf_counter()
    with tempfile.NamedTemporaryFile("r", suffix=".valgrind") as log:
        options = ("valgrind", f"--log-file={log.name}", "--error-limit=no", "--smc-check=all-non-file")
        plain = built._replace(environment={**built.environment, "PYTHONMALLOC": "malloc"})
        said = run(name, plain, limit, options)
        found = [each for each in re.split(r"\n==\d+== \n", log.read()) if FRAME.search(each)]
    return Outcome(name, 1, int(bool(said or found)), time.perf_counter() - began, said or "\n".join(found[:1]))


def main() -> None:
    names = [*PROGRAMS, *PYTHON_HOSTS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--runs", type=int, default=1000, help="of each host (default: 1000)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many runs at once (default: 1)")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="for a run (default: 60)")
    parser.add_argument("--valgrind", action="store_true", help="each host once, under memcheck")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="the interpreter (default: this one)")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    given = parser.parse_args()
    if given.list:
        print("\n".join(names))
        return
    unknown = [name for name in given.names if name not in names]
    if unknown:
        parser.error(f"no host {unknown[0]!r}; there are {', '.join(names)}")
    bad = False
    with tempfile.TemporaryDirectory(prefix="ptxgen-stress-") as folder:
        built = build(Path(folder), given.python)
        for name in given.names or names:
            if given.valgrind:
                outcome = under_valgrind(name, built, 20 * given.limit)
            else:
                outcome = stress(name, built, given.runs, given.limit, given.jobs)
            bad |= outcome.wrong > 0
            each = outcome.seconds / max(outcome.runs, 1)
            print(f"{name:12} {outcome.runs:6} runs, {outcome.wrong} wrong, {each:.2f} s each", flush=True)
            if outcome.first:
                print(outcome.first, flush=True)
    sys.exit(int(bad))


if __name__ == "__main__":
    main()
