"""What the command line of every benchmark has, and what it prints for programs.

`--tiny` is how a benchmark is tested: each part runs once, in the smallest form that goes through all of its code, on
`--device cpu` in the tests and on `--device cuda` in `tools/dev.py gpu`. Its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

__all__ = ["command", "print_json"]


def command(doc: str | None, *, device: str | None = None, on: str = "cuda or cpu") -> argparse.ArgumentParser:
    """The parser of a benchmark's arguments, with those that all have. `device` is the default, `on` says what it is for."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("--json", action="store_true", help="a list of rows for programs")
    parser.add_argument("--tiny", action="store_true", help="run every part once, as small as can be: a test")
    parser.add_argument("--device", choices=("cpu", "cuda"), default=device, help=on)
    return parser


def print_json(rows: Sequence[dict[str, Any]]) -> None:
    """Rows of name, unit, ours, peers, ratio and floor."""
    print(json.dumps(rows, indent=1, allow_nan=False))
