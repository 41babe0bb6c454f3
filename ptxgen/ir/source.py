"""Where an instruction came from, at no cost until somebody asks.

`frame.f_lineno` walks the code object's line table (14 us in a 1,500-line function); the pair (code object, last
instruction offset) costs nothing and holds the same knowledge.
"""

from __future__ import annotations

from types import CodeType

from ptxgen.errors import Location

__all__ = ["PythonPlace", "PythonSource", "Source", "line_of", "resolve"]

PythonPlace = tuple[CodeType, int]
"""(code object, `f_lasti`) of a frame; -1, which a frame has before its first instruction, for the function itself."""

PythonSource = PythonPlace | tuple[CodeType | int, ...]
"""(code object, `f_lasti`) of the innermost frame outside ptxgen.builder, followed by those of its callers up to the kernel's
own function: a helper's line alone does not say which of its calls is meant."""

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
