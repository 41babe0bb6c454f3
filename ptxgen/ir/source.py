"""Where an instruction came from, at no cost until somebody asks.

`frame.f_lineno` walks the code object's line table (14 us in a 1,500-line function); the pair (code object, last
instruction offset) costs nothing and holds the same knowledge.
"""

from __future__ import annotations

from types import CodeType

from ptxgen.errors import Location

__all__ = ["PythonSource", "Source", "resolve"]

PythonSource = tuple[CodeType, int]
"""(code object, `f_lasti`) of the innermost frame outside ptxgen.builder."""

Source = PythonSource | Location | tuple[Location, ...]
"""A Python place, a line of PTX text, or (PTX line, template line)."""


def resolve(source: Source | None) -> tuple[Location, ...]:
    """The places a source stands for, best one first; () when unknown."""
    if source is None:
        return ()
    if isinstance(source, Location):
        return (source,)
    first = source[0]
    if isinstance(first, Location):
        return tuple(place for place in source if isinstance(place, Location))
    code, lasti = source
    if not isinstance(code, CodeType) or not isinstance(lasti, int):
        return ()
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= lasti < end and number is not None:
            line = number
    return (Location("python", code.co_filename, line),)
