"""Writes ptxgen/isa/index.py from the table's rows, and ptxgen/cpu/lower/index.py from the lowerings: which file has an opcode.

    python tools/index_isa.py            write them
    python tools/index_isa.py --check    fail if a file is not what the rows and lowerings say
    python tools/index_isa.py --coverage sm_90a     how much of a target the CPU device runs; a minute

A new row or lowering works without this; a process that finds the index out of date takes longer to start.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ptxgen.cpu import lower
from ptxgen.cpu.lower import registry
from ptxgen.cpu.support import coverage
from ptxgen.isa import forms
from ptxgen.isa.notation import EFFECTS, TRAITS
from ptxgen.isa.targets import find_target

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "ptxgen" / "isa" / "table"
ROWS = ROOT / "ptxgen" / "isa" / "index.py"
LOWERINGS = ROOT / "ptxgen" / "cpu" / "lower" / "index.py"

HEAD_OF_ROWS = '''\
"""Of each chapter in table/: the size of its file, and its opcodes with the effects and traits of their rows. Of each opcode: the
newest PTX version that one of its forms needs.

Written by tools/index_isa.py from the rows; do not edit. A chapter whose file has another size is read instead.
"""

__all__ = ["INDEX", "NEWEST"]

INDEX: dict[str, tuple[int, dict[str, str]]] = {
'''

HEAD_OF_LOWERINGS = '''\
"""Opcode -> the files of this folder that lower it, the one with the most of its forms first.

Written by tools/index_isa.py from the lowerings; do not edit.
"""

__all__ = ["INDEX"]

INDEX = {
'''


def chapters() -> list[str]:
    """The chapters' names, in the order of their first sections in the manual."""
    names = [path.stem for path in TABLE.glob("*.py") if not path.stem.startswith("_")]
    return sorted(names, key=lambda name: (_section(name), name))


def _section(name: str) -> list[int]:
    chapter = forms._chapter(name)
    first = chapter.rows(chapter.opcodes[0])[0]
    return [int(part) for part in re.findall(r"\d+", first.section)]


def rows() -> str:
    """The text of the index of the rows."""
    lines = [HEAD_OF_ROWS]
    for name in chapters():
        lines.append(f'    "{name}": (\n        {(TABLE / f"{name}.py").stat().st_size},\n        {{\n')
        for opcode, words in forms._chapter(name).words().items():
            ordered = [word for word in (*EFFECTS, *TRAITS) if word in words]
            lines.append(f'            "{opcode}": "{" ".join(ordered)}",\n')
        lines.append("        },\n    ),\n")
    lines.append("}\n\nNEWEST = {\n")
    lines += [f'    "{opcode}": {_newest(opcode)},\n' for opcode in sorted(forms.opcodes())]
    return "".join([*lines, "}\n"])


def _newest(opcode: str) -> tuple[int, int]:
    """The newest version that a form of an opcode needs."""
    places = [place for form in forms.forms_of(opcode) for place in form.since]
    for form in forms.forms_of(opcode):
        places += [place for segment in form.segments for choice in segment.choices.values() for place in choice]
    return max([place.version for place in places])


def lowerings() -> str:
    """The text of the index of the lowerings."""
    for module in iter_modules(lower.__path__):
        import_module(f"{lower.__name__}.{module.name}")
    lines = [HEAD_OF_LOWERINGS]
    for opcode, entries in sorted(registry._by_opcode.items()):
        files = Counter(entry.function.__module__.rpartition(".")[2] for entry in entries)
        lines.append(f'    "{opcode}": "{" ".join(sorted(files, key=lambda name: (-files[name], name)))}",\n')
    return "".join([*lines, "}\n"])


def print_coverage(name: str) -> None:
    """What the CPU device runs of a target's instructions."""
    found = coverage(find_target(name))
    print(
        f"{name}: {found.whole} of {found.opcodes} opcodes whole, {found.part} in part; {found.run:,} of {found.names:,} names"
    )
    for opcode, count in found.missing.items():
        print(f"  {opcode:20} {count:,} names refused")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--coverage", metavar="TARGET")
    options = parser.parse_args()
    if options.coverage:
        print_coverage(options.coverage)
        return
    for file, text in ((ROWS, rows()), (LOWERINGS, lowerings())):
        if not options.check:
            file.write_text(text)
        elif file.read_text() != text:
            sys.exit(f"{file.relative_to(ROOT)} is out of date: python tools/index_isa.py")


if __name__ == "__main__":
    main()
