"""The process that tries cases: `python -m tools.fuzz._child NAME SEED FIRST STEP LAST SECONDS HEARTBEAT`.

Before each case it writes the case's number and the time into HEARTBEAT, so that the parent sees what hangs. Findings go to
stdout, a line of JSON each, those with one exception from one line once. With `--print NAME SEED NUMBER` it prints the case.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
import time
import traceback
from functools import partial
from pathlib import Path
from random import Random

from tools.fuzz._target import Target, load, reduced

ROOT = Path(__file__).resolve().parent.parent.parent
BEAT = struct.Struct("<qdq")
"""Number of the case under way (-1: getting ready; -2: finished), when it began, how many are done."""


def drawn(target: Target, seed: str, number: int) -> str:
    return target.draw(Random(f"{seed}:{number}"))


def signature(error: BaseException) -> str:
    """The exception and the innermost line of this repository that it came from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(ROOT))]
    own = [f for f in frames if "/tools/fuzz/" not in f.filename] or frames
    where = f"{Path(own[-1].filename).relative_to(ROOT)}:{own[-1].lineno}" if own else "?"
    return f"{type(error).__name__} at {where}"


def raised(target: Target, case: str) -> BaseException | None:
    try:
        target.judge(case)
    except Exception as error:
        return error
    return None


def run(name: str, seed: str, numbers: range, seconds: float, heartbeat: str) -> None:
    with open(heartbeat, "r+b") as file:
        beat = mmap.mmap(file.fileno(), BEAT.size)

    def tell(number: int, done: int) -> float:
        now = time.monotonic()
        beat[:] = BEAT.pack(number, now, done)  # at once: pack_into writes zeros first
        return now

    began = tell(-1, 0)
    target = load(name)
    known: set[str] = set()
    done = 0
    for number in numbers:
        if tell(number, done) - began > seconds:
            break
        case = drawn(target, seed, number)
        error = raised(target, case)
        done += 1
        if error is None or signature(error) in known:
            continue
        what = signature(error)
        known.add(what)
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        tell(-1, done)  # making it smaller takes as long as it takes
        small = reduced(case, partial(_same, target, what))
        finding = {"what": what, "case": number, "input": small, "trace": text[-6000:]}
        print(json.dumps(finding), flush=True)
    tell(-2, done)


def _same(target: Target, what: str, case: str) -> bool:
    error = raised(target, case)
    return error is not None and signature(error) == what


def main(arguments: list[str]) -> None:
    if arguments[0] == "--print":
        _, name, seed, number = arguments
        sys.stdout.write(drawn(load(name), seed, int(number)))
        return
    name, seed, first, step, last, seconds, heartbeat = arguments
    run(name, seed, range(int(first), int(last), int(step)), float(seconds), heartbeat)


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # what is left of random calls need not be put away
