"""`record FILE [NAME...]`: the answers of this machine's GPU driver. `one NAME`: those of one program, in this process.

`emulated [NAME...]`: those of the emulated driver, on stdout.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.ptxgen.emulated_driver.scenarios import SCENARIOS, Cu, run
from tests.ptxgen.emulated_driver.scenarios.graph_kinds import LATER


def libcuda() -> Callable[[str], int]:
    library = ctypes.CDLL("libcuda.so.1")

    def lookup(symbol: str) -> int:
        return ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0

    return lookup


def one(name: str) -> None:
    {**SCENARIOS, **LATER}[name](Cu(libcuda()), lambda label, value: print(json.dumps([label, value]), flush=True))


def emulated(*names: str) -> None:
    """The emulated driver's answers: one line of JSON for each program, each in a process forked before cuInit."""
    from driver_ctypes.abi.functions import FUNCTIONS
    from ptxgen.cpu import compile_module  # noqa: F401  (imported once, for all)
    from ptxgen.emulated_driver import open_driver

    lookup = open_driver()
    for name in names or SCENARIOS:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                answers = run(name, lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))
                print(json.dumps([name, answers]))
            except BaseException:
                print(json.dumps([name, {"ended": traceback.format_exc()}]))
            sys.stdout.flush()
            os._exit(0)
        _pid, status = os.waitpid(child, 0)
        if status:
            print(json.dumps([name, {"ended": f"status {status}"}]))


def answers_of(name: str) -> tuple[str, dict[str, Any]]:
    command = ["timeout", "150", sys.executable, "-m", __spec__.name.removesuffix(".__main__"), "one", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    answers = dict(json.loads(line) for line in done.stdout.splitlines())
    if done.returncode:
        answers["ended"] = [done.returncode, done.stderr[-1500:]]
    print(f"{name}: {len(answers)} answers, exit {done.returncode} {done.stderr[-300:]}", flush=True)
    return name, answers


def as_text(everything: dict[str, dict[str, Any]]) -> str:
    """JSON with one answer in each line, so that a change shows as a line."""
    programs = []
    for name, answers in everything.items():
        lines = [f"  {json.dumps(label)}: {json.dumps(value)}" for label, value in answers.items()]
        programs.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(programs) + "\n}\n"


def record(path: str, *names: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        everything = dict(pool.map(answers_of, names or SCENARIOS))
    with open(path, "w", encoding="utf-8") as file:
        file.write(as_text(everything))


if __name__ == "__main__":
    {"record": record, "one": one, "emulated": emulated}[sys.argv[1]](*sys.argv[2:])
