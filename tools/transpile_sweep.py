#!/usr/bin/env python3
"""PTX files as programs of the builder, and back: is it Python, does it build the same instructions, and the same machine code?

    tools/transpile_sweep.py                 every golden
    tools/transpile_sweep.py FILES...        these files, and those under folders
    tools/transpile_sweep.py --tool ptxas    which assembler compares the machine code; by default the one that ptxgen takes

A file that ptxgen's parser or verifier refuses counts as refused, where an assembler refuses it as well. Any other that does not
come back is listed with its reason, and makes this exit with 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from driver_ctypes.modules.cubin import machine_code
from ptxgen.assembler import AssembleError, AssemblerMissing, assemble
from ptxgen.errors import Error, PtxSyntaxError, VerifyError
from ptxgen.ir import Module
from ptxgen.isa.targets import find_target
from ptxgen.text import parse
from ptxgen.transpile import differences, rebuilt, transpile

ROOT = Path(__file__).resolve().parent.parent
OLDEST = 75  # what assemblers of CUDA 13 make code for; a program for an older target is assembled for this one
TRIES = 3
OUTCOMES = {
    "same code": "the same machine code",
    "same instructions": "the same instructions, which no assembler here takes",
    "refused": "not legal PTX",
    "no Python": "no Python that compiles",
    "other instructions": "Python that builds other instructions",
    "other code": "other machine code",
}


class Verdict(NamedTuple):
    """What became of a file, `OUTCOMES`, why, the lines of PTX and of Python, and the seconds that writing took."""

    outcome: str
    why: str = ""
    ptx: int = 0
    python: int = 0
    seconds: float = 0.0


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tools/transpile_sweep.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="PTX files and folders of them; without, golden/")
    parser.add_argument("--tool", default="auto", help="the assembler")
    parser.add_argument("--keep-lines", action="store_true", help="with .loc, .file and the sections of debugging data")
    parser.add_argument("-q", "--quiet", action="store_true", help="only what is wrong, and the sums")
    chosen = parser.parse_args(words)
    paths = [each for path in chosen.files or [ROOT / "golden"] for each in _files(path)]
    total: Counter[str] = Counter()
    ptx = python = 0
    seconds = 0.0
    for path in paths:
        verdict = judged(
            path.read_text("utf-8", "replace"), path.name, chosen.tool, keep_lines=chosen.keep_lines or None
        )
        total[verdict.outcome] += 1
        ptx, python, seconds = ptx + verdict.ptx, python + verdict.python, seconds + verdict.seconds
        if not chosen.quiet or verdict.outcome not in ("same code", "refused"):
            print(f"{verdict.outcome:18} {path}  {verdict.why}", flush=True)
    print(f"{len(paths)} files, {ptx:,} lines of PTX as {python:,} of Python, written in {seconds:.1f} s")
    for outcome, meaning in OUTCOMES.items():
        print(f"  {total[outcome]:5} {meaning}")
    return int(any(total[outcome] for outcome in ("no Python", "other instructions", "other code")))


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.ptx")) if path.is_dir() else [path]


def judged(text: str, name: str, tool: str = "auto", *, keep_lines: bool | None = None) -> Verdict:
    """What becomes of a program that is written as Python and built again."""
    try:
        module = parse(text, name)
        began = time.perf_counter()
        program = transpile(module, name=name, keep_lines=keep_lines)
        seconds = time.perf_counter() - began
        compile(program, name, "exec")
    except (PtxSyntaxError, VerifyError) as error:
        taken = _taken(text, name, tool)
        return Verdict("no Python" if taken else "refused", _first(error))
    except (Error, SyntaxError, RecursionError) as error:
        return Verdict("no Python", _first(error))
    sizes = (text.count("\n"), program.count("\n"), seconds)
    try:
        again = rebuilt(program)
    except Error as error:
        return Verdict("other instructions", _first(error), *sizes)
    differing = differences(module, again, limit=1)
    if differing:
        return Verdict("other instructions", differing[0], *sizes)
    return _compared(text, again, tool)._replace(ptx=sizes[0], python=sizes[1], seconds=sizes[2])


def _compared(text: str, again: Module, tool: str) -> Verdict:
    target = again.target if find_target(again.target).sm >= OLDEST else f"sm_{OLDEST}"
    why = ""
    for options in ((), ("-c",)):  # what calls functions of other modules is assembled as a part of a program

        def code(of: str, with_: str = tool, options: tuple[str, ...] = options) -> dict[str, bytes]:
            return machine_code(assemble(of, target, tool=with_, options=options).cubin)

        try:
            first = code(text)
        except AssemblerMissing as error:
            return Verdict("same instructions", _first(error))
        except AssembleError as error:
            why = _first(error)
            continue
        try:
            return _judged_code(code, text, str(again), first)
        except AssembleError as error:
            return Verdict("other code", _first(error))
    return Verdict("same instructions", why)


def _judged_code(code: Callable[..., dict[str, bytes]], text: str, again: str, first: dict[str, bytes]) -> Verdict:
    """ptxas 13.0 makes several codes of one text, now and then: any of them will do, or else what nvJitLink makes."""
    second = code(again)
    if first == second:
        return Verdict("same code")
    parts = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    firsts = [first, *(code(text) for _ in range(TRIES))]
    if all(each == first for each in firsts):
        return Verdict("other code", f"in {', '.join(parts[:3])}")
    if any(code(again) in firsts for _ in range(TRIES)) or code(text, "nvjitlink") == code(again, "nvjitlink"):
        return Verdict("same code", "one of those that the assembler makes of the text")
    return Verdict("other code", f"in {', '.join(parts[:3])}, which the assembler does not make the same twice")


def _taken(text: str, name: str, tool: str) -> bool:
    """Does an assembler take the program that we refuse?"""
    try:
        assemble(text, name=name, tool=tool, options=("-c",))
    except AssembleError:
        return False
    return True


def _first(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
