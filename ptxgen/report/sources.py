"""The files that a program was made from, as far as its lines come from them.

Names in `.file` are data of whoever wrote the PTX: a page that is passed on must not carry files of this machine that they point
at. So such a file is shown only where it lies in one of the folders that the caller names.
"""

from __future__ import annotations

import linecache
import os
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.report.listing import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.errors import Location
    from ptxgen.report.listing import Line, Word

__all__ = ["SourceFile", "SourceRow", "anchor", "sources"]

_AROUND = 4
"""Lines shown before and behind one that PTX comes from."""
_MOST = 4000
"""Lines of one file."""
_LONGEST = 400
"""Characters of a line."""


class SourceRow(NamedTuple):
    """A line of a file; `number` 0 for a gap. `made`: how many instructions come from it."""

    number: int
    words: tuple[Word, ...]
    made: int


class SourceFile(NamedTuple):
    """A file by its number on the page. `missing` says why its text is not shown, where it is not."""

    number: int
    name: str
    rows: tuple[SourceRow, ...]
    missing: str


def sources(lines: Iterable[Line], folders: Sequence[str]) -> tuple[SourceFile, ...]:
    """The files that lines of PTX come from, in the order in which they come."""
    made: dict[str, dict[int, int]] = {}
    kinds: dict[str, str] = {}
    for line in lines:
        for place in line.places:
            counts = made.setdefault(place.file, {})
            counts[place.line] = counts.get(place.line, 0) + 1
            kinds.setdefault(place.file, place.kind)
    return tuple(_file(index, name, made[name], kinds[name], folders) for index, name in enumerate(made))


def anchor(files: Sequence[SourceFile], place: Location) -> str:
    """The id of a place's line on the page; "" where it is not there."""
    number = next((file.number for file in files if file.name == place.file), -1)
    return f"s{number}-{place.line}" if number >= 0 else ""


def _file(index: int, name: str, made: dict[int, int], kind: str, folders: Sequence[str]) -> SourceFile:
    if kind == "source" and not _inside(name, folders):
        return SourceFile(index, name, _bare(made), "outside the folders whose files are shown")
    text = linecache.getlines(name)
    if not text:
        return SourceFile(index, name, _bare(made), "not found here")
    rows: list[SourceRow] = []
    last = 0
    for number in sorted({n for line in made for n in range(line - _AROUND, line + _AROUND + 1)})[:_MOST]:
        if not 1 <= number <= len(text):
            continue
        if last and number > last + 1:
            rows.append(SourceRow(0, (), 0))
        shown = text[number - 1].rstrip("\n")[:_LONGEST].expandtabs(4)
        rows.append(SourceRow(number, tuple(words_of(shown, ptx=False)), made.get(number, 0)))
        last = number
    return SourceFile(index, name, tuple(rows), "")


def _bare(made: dict[int, int]) -> tuple[SourceRow, ...]:
    """Numbers without text."""
    return tuple(SourceRow(number, (), made[number]) for number in sorted(made)[:_MOST])


def _inside(name: str, folders: Sequence[str]) -> bool:
    """Does the file, links followed, lie in one of the folders?"""
    file = os.path.realpath(name)
    return any(os.path.commonpath([file, os.path.realpath(folder)]) == os.path.realpath(folder) for folder in folders)
