"""The lines of a user's own source that `.loc` names (manual 11.5.3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from driver_ctypes.typing import NamedTuple
from ptxgen import ir
from ptxgen.errors import Location

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["SourceLine", "files_of", "source_lines"]

_INLINED_AT = re.compile(r"\binlined_at\s+(\d+)\s+(\d+)\s+(\d+)")


class SourceLine(NamedTuple):
    """A place in CUDA C++, Python or another source. `how` is "" for the instruction's own line, else "inlined at " or
    "called at "."""

    how: str
    place: Location

    def __str__(self) -> str:
        return f"{self.how}{self.place}  {self.place.excerpt()}".rstrip()


def files_of(module: ir.Module) -> dict[int, str]:
    """The names that `.file` gives."""
    return {item.index: item.name for item in module.items if isinstance(item, ir.FileDirective)}


def source_lines(directives: Sequence[ir.LineDirective], files: Mapping[int, str]) -> tuple[SourceLine, ...]:
    """Where an instruction comes from, innermost line first: `directives` has its own .loc, then those of the calls that the
    executor has expanded around it. Line 0 stands for no line, as in DWARF."""
    return tuple(_lines(directives, files))


def _lines(directives: Sequence[ir.LineDirective], files: Mapping[int, str]) -> Iterator[SourceLine]:
    how = ""
    for directive in directives:
        places = [(directive.file, directive.line, directive.column)]
        inlined = _INLINED_AT.search(directive.inlined or "")
        if inlined is not None:
            places.append((int(inlined[1]), int(inlined[2]), int(inlined[3])))
        for file, line, column in places:
            if line and file in files:
                yield SourceLine(how, Location("source", files[file], line, column or None))
            how = "inlined at "
        how = "called at "
