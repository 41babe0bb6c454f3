#!/usr/bin/env python3
"""Lines a second of the parser and the verifier on PTX that is large in one way: the bounds of docs/support.md.

    tools/bench/large_ptx.py [--json] [--tiny] [--lines N] [NAME ...]

The peer is a quarter of the same text: a ratio far below 1 is work that grows faster than the text.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ptxgen.errors import PtxError
from ptxgen.text import parse
from ptxgen.verifier import verify
from tools.bench._command import command, print_json
from tools.bench._large_ptx import PROGRAMS


def lines_a_second(text: str) -> dict[str, float]:
    """Of the parser, and of the verifier where the text is PTX."""
    lines = text.count("\n")
    began = time.process_time()
    try:
        module = parse(text)
    except PtxError:
        return {"parse": lines / (time.process_time() - began)}
    parsed = time.process_time()
    verify(module)
    return {"parse": lines / (parsed - began), "verify": lines / (time.process_time() - parsed)}


def rows(names: list[str], lines: int) -> list[dict[str, Any]]:
    """One row for each program and each of the two."""
    found: list[dict[str, Any]] = []
    for name in names:
        make: Callable[[int], str] = PROGRAMS[name]
        lines_a_second(make(min(lines, 40)))  # what is read once
        quarter, whole = lines_a_second(make(max(lines // 4, 2))), lines_a_second(make(lines))
        for what in whole.keys() & quarter.keys():
            found.append(
                {
                    "name": f"{what} {name}",
                    "unit": "lines/s",
                    "ours": whole[what],
                    "peers": {"a quarter of it": quarter[what]},
                    "ratio": whole[what] / quarter[what],
                    "floor": None,
                }
            )
    return sorted(found, key=lambda row: str(row["name"]))


def main() -> None:
    parser = command(__doc__, on="the figures are of the host: no device is used")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("--lines", type=int, default=8000)
    options = parser.parse_args()
    measured = rows(options.names or list(PROGRAMS), 40 if options.tiny else options.lines)
    if options.json:
        print_json(measured)
        return
    for each in measured:
        print(f"{each['name']:32} {each['ours']:12,.0f} lines/s   {each['ratio']:5.2f} of a quarter's")


if __name__ == "__main__":
    main()
