#!/usr/bin/env python3
"""The bug hunter: seconds until it has found races that were reported in public, in PTX that nvcc wrote from reduced sources.

    tools/bench/hunt.py [--json] [--tiny] [--compile] [--write]

Each source of tests/ptxgen/hunt/races is there twice, racing and mended. `ours` are the seconds until the first finding of the
race, with everything guessed; there is no peer, as no other tool runs these without a GPU. A finding in a mended version is an
error. With --compile, nvcc writes the PTX anew; without it, what it wrote is taken. --write puts the table into docs/hunting.md.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from ptxgen.hunt import Budget, Finding, PtxSubject, Report, find_bugs  # noqa: E402
from tools.bench._command import command, print_json  # noqa: E402
from tools.bench._page import BEGIN, END, updated  # noqa: E402

__all__ = ["FOLDER", "RACES", "Race", "hunted"]

FOLDER = ROOT / "tests" / "ptxgen" / "hunt" / "races"


PAGE = ROOT / "docs" / "hunting.md"


class Race(NamedTuple):
    """A source, the target that it is compiled for, where it was reported, and rules that find it."""

    name: str
    target: str
    reported: str
    rules: tuple[str, ...]


RACES = (
    Race(
        "cluster_scope",
        "90a",
        "triton-lang/triton, pull request 10922",
        ("race/read-after-write", "race/write-after-read"),
    ),
    Race("cluster_bins", "90a", "the same, of an atomic operation", ("race/write-after-write",)),
    Race("reused_stage", "80", "tile-ai/tilelang, issue 2613", ("race/write-after-read", "race/read-after-write")),
    Race("early_registers", "100a", "NVIDIA/cutlass, issue 2525", ("PTX550", "schedule")),
)


def compile_with_nvcc(race: Race, *, mended: bool) -> None:
    """Writes the PTX of a source, with names of files that mean the same everywhere."""
    out = FOLDER / f"{race.name}.{'mended' if mended else 'racing'}.ptx"
    options = ["-ptx", "-lineinfo", "-std=c++17", f"-arch=compute_{race.target}", *(["-DMENDED"] if mended else [])]
    subprocess.run(["nvcc", *options, f"{race.name}.cu", "-o", str(out)], cwd=FOLDER, check=True)
    text = out.read_text().replace(f"{FOLDER}/", "")
    out.write_text(re.sub(r'"/[^"]*/include/', '"include/', text))


def hunted(race: Race, *, mended: bool, cases: int) -> Report:
    """A hunt of so many cases, with everything guessed."""
    file = FOLDER / f"{race.name}.{'mended' if mended else 'racing'}.ptx"
    return find_bugs(PtxSubject(file.read_text(), file.name), program=file.name, budget=Budget(120.0, cases))


def row(race: Race, cases: int) -> tuple[dict[str, Any], Finding]:
    """The benchmark's row, and the first finding."""
    found = [each for each in hunted(race, mended=False, cases=cases).findings if each.rule in race.rules]
    alarms = hunted(race, mended=True, cases=cases).bugs
    assert found, f"{race.name}: nothing is found by {', '.join(race.rules)}"
    assert not alarms, f"{race.name}: an alarm on the mended version: {alarms[0]}"
    first = min(found, key=lambda each: each.seconds)
    told = {"name": f"{race.name} ({race.reported}): {first.rule}", "unit": "s", "ours": first.seconds}
    return {**told, "peers": {}, "ratio": None, "floor": None}, first


def write(found: list[tuple[dict[str, Any], Finding]]) -> None:
    """The table of docs/hunting.md."""
    lines = [BEGIN.format("hunt"), "| source | reported as | found by | seconds | where |", "|---|---|---|---|---|"]
    for race, (each, finding) in zip(RACES, found):
        where = ", ".join(f"`{step.lines[-1].file}:{step.lines[-1].line}`" for step in finding.steps)
        lines.append(f"| `{race.name}.cu` | {race.reported} | `{finding.rule}` | {each['ours']:.2f} | {where} |")
    text = "\n".join([*lines, END.format("hunt")]) + "\n"
    PAGE.write_text(updated(PAGE.read_text(), "hunt", text))


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--compile", action="store_true", help="write the PTX anew with nvcc")
    parser.add_argument("--write", action="store_true", help="put the table into docs/hunting.md")
    arguments = parser.parse_args()
    if arguments.compile:
        for race in RACES:
            for mended in (False, True):
                compile_with_nvcc(race, mended=mended)
    found = [row(race, 1 if arguments.tiny else 10) for race in RACES]
    if arguments.write:
        write(found)
    if arguments.json:
        print_json([each for each, _ in found])
        return
    for each, finding in found:
        print(f"{each['ours']:6.2f} s  {each['name']}")
        print("\n".join(f"          {line}" for line in str(finding).splitlines()[:9]))


if __name__ == "__main__":
    main()
