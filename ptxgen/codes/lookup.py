"""From a code to its row and to the functions that report it, and from a file back to its codes."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.codes.functions import functions_in
from ptxgen.codes.index import INDEX

if TYPE_CHECKING:
    from ptxgen.codes.code import Code

__all__ = ["ReportingFunction", "all_codes", "code_row", "codes_reported_by", "rules_of"]

_PACKAGE = Path(__file__).resolve().parents[1]


class ReportingFunction(NamedTuple):
    """A function that reports a code: its file, from the package on ("ptxgen/text/cursor.py"), its name in that file
    ("Cursor.unexpected"), and the line of its `def`; 0 where the source cannot be read."""

    file: str
    function: str
    line: int = 0

    @property
    def place(self) -> str:
        """As editors and terminals follow it: "ptxgen/text/cursor.py:80"."""
        return f"{self.file}:{self.line}" if self.line else self.file


def code_row(code: str) -> Code | None:
    """The row of a code such as "PTX412"; None where there is no such code."""
    entry = INDEX.get(code)
    if entry is None:
        return None
    rows: tuple[Code, ...] = import_module(entry.module).CODES
    return next(row for row in rows if row.code == code)


def all_codes() -> dict[str, Code]:
    """Every row, in the order of the codes. Imports each room that has some."""
    modules = dict.fromkeys(entry.module for entry in INDEX.values())
    rows: list[Code] = [row for module in modules for row in import_module(module).CODES]
    return {row.code: row for row in sorted(rows)}


def rules_of(code: str) -> tuple[ReportingFunction, ...]:
    """The functions that report a code, by file; () where there is no such code."""
    entry = INDEX.get(code)
    if entry is None:
        return ()
    return tuple(
        ReportingFunction(file, function, _lines(file).get(function, 0))
        for file, functions in entry.rules.items()
        for function in functions
    )


def codes_reported_by(place: str) -> dict[str, tuple[ReportingFunction, ...]]:
    """The codes that a file reports, or one function of it, each with the functions.

    `place` ends the path of a file: "ptxgen/text/cursor.py", "protocols/wgmma.py", "wgmma.py", "wgmma.py:84" or
    "wgmma.py:function". A line means the functions around it. {} where no such file reports a code.
    """
    path, _, inside = place.partition(":")
    found = {}
    for code, entry in INDEX.items():
        if any(_ends(file, path) for file in entry.rules):
            rules = tuple(rule for rule in rules_of(code) if _ends(rule.file, path) and _is_inside(rule, inside))
            if rules:
                found[code] = rules
    return found


@cache
def _spans(file: str) -> dict[str, tuple[int, int]]:
    """First and last line of each function of a file of this package; {} where its source cannot be read."""
    try:
        tree = ast.parse((_PACKAGE.parent / file).read_text("utf-8"))
    except (OSError, SyntaxError):
        return {}
    return {name: (node.lineno, node.end_lineno or node.lineno) for name, node in functions_in(tree).items()}


def _lines(file: str) -> dict[str, int]:
    return {name: first for name, (first, _) in _spans(file).items()}


def _ends(file: str, path: str) -> bool:
    return f"/{file}".endswith(f"/{path.removeprefix('./')}")


def _is_inside(rule: ReportingFunction, inside: str) -> bool:
    """Is the rule the function of that name, or one around that line? "" means every function."""
    if inside.isdigit():
        first, last = _spans(rule.file).get(rule.function, (0, -1))
        return first <= int(inside) <= last
    return inside in ("", rule.function, rule.function.rpartition(".")[2])
