"""The lines of a user's own source that `.loc` names (manual 11.5.3)."""

from __future__ import annotations

import re

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen import ir
from ptxgen.errors import Location

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["INLINED", "InlinedCalls", "SourceLine", "files_of", "source_lines"]

_INLINED_AT = re.compile(r"\binlined_at\s+(\d+)\s+(\d+)\s+(\d+)")


INLINED = "inlined at "


class SourceLine(NamedTuple):
    """A place in CUDA C++, Python or another source. `how` is "" for the instruction's own line, else INLINED or "called at "."""

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


class InlinedCalls:
    """Of directives in their order: each names the place that it is inlined at, and the directive of that place comes before it,
    with the next one."""

    _MOST = 64

    def __init__(self) -> None:
        self._tails: dict[tuple[int, int, int], list[str]] = {}

    def around(self, directive: ir.LineDirective) -> ir.LineDirective:
        """A directive whose tail has all places that it is inlined at, the innermost first."""
        own, tails = (directive.file, directive.line, directive.column), [directive.inlined or ""]
        at = _INLINED_AT.search(tails[0])
        if at is not None:
            tails += self._tails.get((int(at[1]), int(at[2]), int(at[3])), ())[: self._MOST]
        self._tails[own] = tails
        if len(tails) == 1:
            return directive
        return ir.LineDirective(*own, ", ".join(tail for tail in tails if tail))


def _lines(directives: Sequence[ir.LineDirective], files: Mapping[int, str]) -> Iterator[SourceLine]:
    how = ""
    for directive in directives:
        places = [(directive.file, directive.line, directive.column)]
        for at in _INLINED_AT.finditer(directive.inlined or ""):
            places.append((int(at[1]), int(at[2]), int(at[3])))
        for file, line, column in places:
            if line and file in files:
                yield SourceLine(how, Location("source", files[file], line, column or None))
            how = INLINED
        how = "called at "
