#!/usr/bin/env python3
"""Every variant of the kernel library under the debugger: paused many times, run again, it gives what an ordinary launch gives.

    tools/debug_sweep.py [NAME...] [--pauses 40] [--target sm_90a]

Prints a row for each: steps, pauses, seconds, and what is wrong, if anything is. Exit status 1 if any differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ptxgen as px
from ptxgen.debugger import debug
from ptxgen.errors import Error
from ptxgen.kernels import CATALOGUE

if TYPE_CHECKING:
    from ptxgen.host import Device
    from ptxgen.kernels import Variant


class Swept(NamedTuple):
    """What became of a variant; `problem` is "" where all is well."""

    label: str
    steps: int
    pauses: int
    seconds: float
    problem: str


def sweep(variant: Variant, dev: Device, pauses: int) -> Swept:
    """One variant: to the end in one go, then from the beginning again with pauses in between, which go back now and then."""
    case = variant.case()
    arrays, plan = case.on(dev)
    try:
        session = debug(plan.launch)
    except px.DebugError:  # nothing to launch
        return Swept(variant.label, 0, 0, 0.0, "")
    draw = random.Random(variant.label)
    began = time.perf_counter()
    with session:
        first = session.resume()
        steps, problem = session.step_number, ""
        if first.why != "end":
            return Swept(variant.label, steps, 0, 0.0, str(first))
        contents = {name: array.numpy().tobytes() for name, array in arrays.items()}
        for moment in sorted(draw.randrange(steps) for _ in range(pauses)):
            stop = session.goto(moment)
            if stop.step != moment or stop.instruction is None:
                problem = f"step {moment}: {stop}"
            if stop.thread is not None and not stop.thread.exited:
                stop.thread.registers()
            if draw.random() < 0.05:
                session.reverse_stepi()
        session.resume()
        if session.step_number != steps:
            problem = f"{session.step_number} steps with pauses, {steps} without"
        if {name: array.numpy().tobytes() for name, array in arrays.items()} != contents:
            problem = "other results with pauses"
    if not problem and not case.compare(arrays).passed:
        problem = "wrong results"
    return Swept(variant.label, steps, pauses, time.perf_counter() - began, problem)


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="kernels or variants; all without any")
    parser.add_argument("--pauses", type=int, default=40)
    parser.add_argument("--target", default="sm_90a")
    given = parser.parse_args()
    dev = px.device(f"cpu:{given.target}")
    failed = 0
    for variant in (each for family in CATALOGUE.values() for each in family):
        named = not given.names or variant.family in given.names or variant.label in given.names
        if not named or given.target in variant.absent:
            continue
        try:
            row = sweep(variant, dev, given.pauses)
        except Error as wrong:
            row = Swept(variant.label, 0, 0, 0.0, f"{type(wrong).__name__}: {wrong}")
        failed += bool(row.problem)
        print(f"{row.label:44} {row.steps:>10,} steps {row.seconds:7.2f} s  {row.problem}", flush=True)
    print(f"{failed} differ")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
