"""Where an instruction came from, at no cost until somebody asks.

`frame.f_lineno` walks the code object's line table (14 us in a 1,500-line function); the pair (code object, last
instruction offset) costs nothing and holds the same knowledge. So does the pair (text, offset) of what was parsed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from types import CodeType
from typing import TYPE_CHECKING

from ptxgen.errors import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PythonPlace", "PythonSource", "Source", "SourceText", "TextPlace", "line_of", "resolve"]

_BLANK = re.compile(r"\s*", re.ASCII)


class SourceText:
    """PTX text that statements come from, or a part of it: what turns an offset into a line and a column.

    `text[start]` is offset 0, on line `first_line` of the file `name`. A part begins where a line does. `template`, when the
    text was rendered, has the place in the template for each line.
    Where `line_start` is given, `first_line` begins at that index instead, and nothing before it is asked for.
    """

    __slots__ = ("_line_starts", "first_line", "name", "start", "template", "text")

    def __init__(
        self,
        text: str,
        name: str,
        template: Sequence[Location] | None = None,
        *,
        start: int = 0,
        first_line: int = 1,
        line_start: int | None = None,
    ) -> None:
        self.text: str = text
        self.name: str = name
        self.template: Sequence[Location] | None = template
        self.start: int = start
        self.first_line: int = first_line
        self._line_starts = [start if line_start is None else line_start]

    def keep(self, text: str) -> None:
        """Hold on to the part's own text alone."""
        self.text = text
        self.start = 0
        self._line_starts = [0]

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self.first_line + self._index(self.start + offset)

    def places(self, offset: int) -> tuple[Location, ...]:
        """The place of an offset, with the text of its line, and that in the template."""
        at = self.start + offset
        index = self._index(at)
        first = self._line_starts[index]
        end = self.text.find("\n", first)
        line = self.first_line + index
        text = self.text[first : end if end >= 0 else len(self.text)]
        place = Location("ptx", self.name, line, at - first + 1, text)
        return (place,) if self.template is None else (place, self.template[line - 1])

    def statement(self, offset: int) -> tuple[Location, ...]:
        """The places of the statement that begins behind the blanks at an offset."""
        found = _BLANK.match(self.text, self.start + offset)
        return self.places(offset if found is None else found.end() - self.start)

    def _index(self, at: int) -> int:
        """Which line, from 0; lines are found up to the one that is asked for."""
        starts = self._line_starts
        while starts[-1] <= at:
            end = self.text.find("\n", starts[-1])
            if end < 0:
                end = len(self.text)  # a line start that no offset reaches
            starts.append(end + 1)
        return bisect_right(starts, at) - 1


TextPlace = tuple[SourceText, int]
"""(text, offset of the statement or of the blanks before it)."""

PythonPlace = tuple[CodeType, int]
"""(code object, `f_lasti`) of a frame; -1, which a frame has before its first instruction, for the function itself."""

PythonSource = PythonPlace | tuple[CodeType | int, ...]
"""(code object, `f_lasti`) of the innermost frame outside ptxgen.builder, followed by those of its callers up to the kernel's
own function: a helper's line alone does not say which of its calls is meant."""

Source = PythonSource | TextPlace | Location | tuple[Location, ...]
"""A Python place, a place in PTX text, or the Locations that it stands for."""


def resolve(source: Source | None) -> tuple[Location, ...]:
    """The places a source stands for, best one first; () when unknown."""
    if source is None:
        return ()
    if isinstance(source, Location):
        return (source,)
    first = source[0]
    if isinstance(first, SourceText):
        offset = source[1]
        assert isinstance(offset, int)
        return first.statement(offset)
    if isinstance(first, Location):
        return tuple(place for place in source if isinstance(place, Location))
    frames = zip(source[::2], source[1::2])
    lines = [line_of(code, lasti) for code, lasti in frames if isinstance(code, CodeType) and isinstance(lasti, int)]
    # A lambda stands on its caller's line: once is enough.
    found = [each for n, each in enumerate(lines) if n == 0 or each != lines[n - 1]]
    return tuple(Location("caller" if n else "python", file, line) for n, (file, line) in enumerate(found))


def line_of(code: CodeType, lasti: int) -> tuple[str, int]:
    """(file, line) of a place in a code object."""
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= lasti < end and number is not None:
            line = number
    return code.co_filename, line
