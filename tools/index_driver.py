"""Writes ptxgen/emulated_driver/calls/index.py: which file of the emulated driver has a function.

    python tools/index_driver.py            write it
    python tools/index_driver.py --check    fail if the file is not what the functions say

A new function works without this; a process that finds the index out of date takes longer to start.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ptxgen.emulated_driver import table  # noqa: E402
from ptxgen.emulated_driver.calls.registry import ENTRIES  # noqa: E402

PLACES = ROOT / "ptxgen" / "emulated_driver" / "calls" / "index.py"
HEAD = '''\
"""File of the emulated driver -> the driver functions that it has.

Written by tools/index_driver.py from the functions; do not edit.
"""

__all__ = ["INDEX"]

INDEX = {
'''


def places() -> str:
    """The text of the index."""
    table.import_all()
    package = table.__name__.rpartition(".")[0]
    found: dict[str, list[str]] = {}
    for symbol, offered in sorted(ENTRIES.items()):
        found.setdefault(offered.function.__module__.removeprefix(f"{package}."), []).append(symbol)
    rows = []
    for area, symbols in sorted(found.items()):
        lines = [f"        {line}\n" for line in wrap(" ".join(symbols), 110)]
        rows.append(f'    "{area}": """\n{"".join(lines)}    """,\n')
    return "".join([HEAD, *rows, "}\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.check:
        PLACES.write_text(places())
    elif PLACES.read_text() != places():
        sys.exit(f"{PLACES.relative_to(ROOT)} is out of date: python tools/index_driver.py")


if __name__ == "__main__":
    main()
