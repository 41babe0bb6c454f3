#!/usr/bin/env python3
"""The tests on every supported Python found here, and on the oldest and newest packages that pyproject.toml allows.

    tools/dev.py matrix                 all tests on each Python with the newest packages, then on the oldest with the lowest
    tools/dev.py matrix --quick         a selection of about two minutes of each
    tools/dev.py matrix --ends          only the oldest and the newest Python beside the one that runs this (what .ci/run does)
    tools/dev.py matrix --only 3.10     only this one; with --lowest, with the lowest packages
    tools/dev.py matrix --extra torch   with the packages of another extra too: the tests that skip without them
    tools/dev.py matrix -- ARGS         these arguments to pytest

Interpreters are looked for on PATH, under ~/.pyenv/versions and where uv keeps its own. Each has an environment in .matrix,
made at the first run. The lowest packages are what `>=` in pyproject.toml names, so a bound that is too low fails here.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.dev import ROOT, Environment, Trouble, make_venv, pip_of, run_tests, say

FOLDER = ROOT / ".matrix"
SUPPORTED = range(10, 30)
"""Minor versions of Python 3, as `requires-python` has them; of later ones, those that exist."""
EXTRAS = "test"
QUICK = (
    "tests/test_imports.py", "tests/test_lazy.py", "tests/ptxgen/text", "tests/ptxgen/ir", "tests/ptxgen/cpu/test_bulk_copies.py",
    "tests/ptxgen/cpu/test_mbarriers.py", "tests/ptxgen/cpu/test_control.py", "tests/ptxgen/emulated_driver/test_functions.py",
    "tests/ptxgen/emulated_driver/test_stubs.py",
    "tests/ptxgen/builder/test_memory.py", "tests/ptxgen/builder/test_python_control_flow.py", "tests/ptxgen/host/test_arrays.py",
    "tests/ptxgen/cli/test_check.py", "tests/driver_ctypes/test_abi.py", "tests/driver_ctypes/test_memory.py",
    "tests/driver_ctypes/test_launch.py",
)  # fmt: skip
"""What Pythons differ in: imports, enums in texts, buffers, ctypes, generated code, source lines of frames, the command line."""


class Interpreter(NamedTuple):
    """A Python found here: (minor, micro) of 3.minor.micro."""

    version: tuple[int, int]
    path: str

    def __str__(self) -> str:
        return f"3.{self.version[0]}"


def found() -> list[Interpreter]:
    """One interpreter for each supported minor version, the last micro version of each, oldest first."""
    candidates = [sys.executable, *(shutil.which(f"python3.{minor}") for minor in SUPPORTED)]
    for home in (Path.home() / ".pyenv/versions", Path.home() / ".local/share/uv/python"):
        candidates += sorted(map(str, home.glob("*/bin/python3")))
    best: dict[int, Interpreter] = {}
    for path in filter(None, candidates):
        one = asked(path)
        if one is not None and (one.version[0] not in best or one.version > best[one.version[0]].version):
            best[one.version[0]] = one
    return [best[minor] for minor in sorted(best)]


def asked(path: str) -> Interpreter | None:
    """What a candidate says of itself; None for what does not start (a shim without a version), and for other Pythons."""
    question = "import sys; print(sys.implementation.name, *sys.version_info[:4], sys._base_executable)"
    try:
        done = subprocess.run([path, "-c", question], capture_output=True, text=True, check=False, timeout=20)
        name, major, minor, micro, level, base = done.stdout.strip().split(" ", 5)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    fits = (name, major, level) == ("cpython", "3", "final") and int(minor) in SUPPORTED
    return Interpreter((int(minor), int(micro)), base) if fits else None


def lowest(more: Sequence[str] = ()) -> list[str]:
    """`name==bound` of every package that the run needs, those of `more` extras too, from the `>=` of pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    lists = [re.search(r"^dependencies = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)]
    lists += [re.search(rf"^{extra} = \[(.*)\]", text, re.MULTILINE) for extra in (*wanted_extras(text), EXTRAS, *more)]
    bounds = [pair for part in lists if part for pair in re.findall(r'"([\w-]+)>=([\d.]+)"', part.group(1))]
    return sorted({f"{name}=={bound}" for name, bound in bounds})


def wanted_extras(text: str) -> list[str]:
    """The extras that `test` consists of."""
    row = re.search(rf"^{EXTRAS} = \[(.*)\]", text, re.MULTILINE)
    inner = re.search(r"ptxgen\[([\w,-]+)\]", row.group(1)) if row else None
    return inner.group(1).split(",") if inner else []


def environment(one: Interpreter, pins: list[str], more: Sequence[str] = ()) -> Environment:
    """The environment of an interpreter in .matrix, made where it is not there or packages changed."""
    folder = FOLDER / "-".join([str(one), *more, *(["lowest"] if pins else [])])
    python = folder / "bin" / "python"
    project = (ROOT / "pyproject.toml").read_bytes()
    identity = hashlib.blake2b(project + repr((one, pins, more)).encode(), digest_size=16).hexdigest()
    stamp = folder / "matrix-stamp"
    if not (python.exists() and stamp.exists() and stamp.read_text() == identity):
        FOLDER.mkdir(exist_ok=True)
        make_venv(one.path, folder)
        command = [
            *pip_of(python),
            "install",
            "--disable-pip-version-check",
            "-q",
            "--editable",
            f".[{','.join([EXTRAS, *more])}]",
            *pins,
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            told = "\n    ".join((done.stderr or done.stdout).strip().splitlines()[-4:])
            raise Trouble(f"the packages for {folder.name} cannot be installed:\n    {told}")
        stamp.write_text(identity)
    return Environment(str(python), borrowed=False)


def arguments_of(words: list[str]) -> argparse.Namespace:
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(prog="tools/dev.py matrix", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a selection of about two minutes")
    parser.add_argument("--ends", action="store_true", help="only the oldest and the newest Python beside this one")
    parser.add_argument("--only", metavar="3.N", help="only this Python")
    parser.add_argument("--lowest", action="store_true", help="with --only: the lowest packages, not the newest")
    parser.add_argument("--extra", action="append", default=[], metavar="NAME", help="an extra of pyproject.toml, too")
    parser.add_argument("--list", action="store_true", help="say what would run, and end")
    chosen = parser.parse_args(words[:cut])
    if chosen.lowest and not chosen.only:
        parser.error("--lowest is of one Python: name it with --only (without, the oldest runs with both)")
    chosen.tests = words[cut + 1 :]
    return chosen


def runs(chosen: argparse.Namespace, known: list[Interpreter]) -> list[tuple[Interpreter, bool]]:
    """(interpreter, with the lowest packages) of each run."""
    if chosen.only:
        fits = [one for one in known if str(one) == chosen.only]
        if not fits:
            raise Trouble(f"no Python {chosen.only} here; there are {', '.join(map(str, known))}")
        return [(fits[0], chosen.lowest)]
    if chosen.ends:
        others = [one for one in known if one.version[0] != sys.version_info.minor]
        return [(one, False) for one in dict.fromkeys([*others[:1], *others[-1:]])]
    return [*((one, False) for one in known), (known[0], True)]


def main(words: list[str]) -> int:
    chosen = arguments_of(words)
    known = found()
    todo = runs(chosen, known)
    if not todo:
        say(f"no other Python than {known[0]} here: nothing to compare")
        return 0
    say("Pythons: " + ", ".join(f"{one}{' with the lowest packages' if low else ''}" for one, low in todo))
    if chosen.list:
        return 0
    workers = len(os.sched_getaffinity(0))
    tests = [*(QUICK if chosen.quick else ()), *(chosen.tests or ["-n", str(workers), "--dist", "loadfile"])]
    rows: list[tuple[str, int, str]] = []
    for one, low in todo:
        name = f"{one}{' lowest' if low else ''}"
        began = time.perf_counter()
        try:
            status, lines = run_tests(
                environment(one, lowest(chosen.extra) if low else [], chosen.extra),
                None,
                ["-p", "no:cacheprovider", "-q", *tests],
            )
            told = lines[-1] if lines else "nothing was said"
        except Trouble as trouble:
            status, told = (0 if chosen.ends else 1), f"not tried: {trouble}"
        rows.append((name, status, f"{told} ({time.perf_counter() - began:.0f} s)"))
    for name, status, told in rows:
        say(f"{name:12} {'FAILED' if status else 'ok':6} {told}")
    return int(any(status for _, status, _ in rows))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Trouble as trouble:
        say(str(trouble))
        sys.exit(2)
