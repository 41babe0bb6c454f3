"""Lines and columns as the protocol counts them: from 0, columns in UTF-16 code units, three kinds of line ends."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["LINE_END", "Edit", "Lines", "Position", "Span", "difference", "shifted", "units"]

S = TypeVar("S", str, list[str])

LINE_END = re.compile(r"\r\n|\n|\r")


class Position(NamedTuple):
    """A line and a column, both from 0; the column counts UTF-16 code units."""

    line: int
    character: int


class Span(NamedTuple):
    """From the character at offset `start` up to, and without, the one at `end`."""

    start: int
    end: int

    def __contains__(self, offset: object) -> bool:
        """Does it touch the place before that offset? The place behind its last character counts."""
        return isinstance(offset, int) and self.start <= offset <= self.end

    def moved(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)


class Edit(NamedTuple):
    """Put `text` in place of a span."""

    span: Span
    text: str


class Lines:
    """A text with the offsets at which its lines start. Changing it makes a new one."""

    __slots__ = ("_ascii", "_starts", "text")

    def __init__(self, text: str, starts: list[int] | None = None) -> None:
        self.text = text
        self._starts = [0, *(end.end() for end in LINE_END.finditer(text))] if starts is None else starts
        self._ascii = text.isascii()

    def __len__(self) -> int:
        return len(self._starts)

    def span(self, line: int) -> Span:
        """The characters of a line without those that end it."""
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def line(self, offset: int) -> int:
        """The line that the character at an offset is in."""
        return bisect_right(self._starts, offset) - 1

    def offset(self, line: int, character: int) -> int:
        """The offset of a position. One outside of the text means the nearest place in it, as the protocol wants it."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self.span(line)
        character = max(character, 0)
        if not self._ascii:
            character = _characters(self.text[start:end], character)
        return min(start + character, end)

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = self.line(offset)
        start = self._starts[line]
        if self._ascii:
            return Position(line, offset - start)
        return Position(line, units(self.text[start:offset]))

    def positions(self, span: Span) -> tuple[Position, Position]:
        """Those of a span's start and end."""
        first = self.position(span.start)
        following = self._starts[first.line + 1] if first.line + 1 < len(self._starts) else len(self.text) + 1
        if self._ascii and span.start <= span.end < following:
            return first, Position(first.line, first.character + span.end - span.start)
        return first, self.position(span.end)

    def places(self, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The lines and columns of offsets in ascending order, of thousands in a few milliseconds."""
        line = start = 0
        following = 0  # where the next line starts: the first offset looks for its line
        for offset in offsets:
            if offset >= following:
                line = self.line(offset)
                start = self._starts[line]
                following = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text) + 1
            yield line, offset - start if self._ascii else units(self.text[start:offset])

    def edited(self, edits: Sequence[Edit]) -> Lines:
        """The lines after edits, none of which touches another, the last one in the text first."""
        if len(edits) == 1:
            return self._replaced(*edits[0])
        parts, end = [], len(self.text)
        for edit in edits:
            parts += [self.text[edit.span.end : end], edit.text]
            end = edit.span.start
        parts.append(self.text[:end])
        return Lines("".join(reversed(parts)))

    def _replaced(self, span: Span, text: str) -> Lines:
        whole = self.text[: span.start] + text + self.text[span.end :]
        # A \r before the span or a \n behind it may pair up with the new text: those lines are looked at again.
        first = max(bisect_left(self._starts, span.start) - 1, 0)
        behind = bisect_right(self._starts, span.end + 1)
        begin, shift = self._starts[first], len(text) - (span.end - span.start)
        stop = self._starts[behind] + shift if behind < len(self._starts) else len(whole)
        between = [end.end() for end in LINE_END.finditer(whole, begin, stop)]
        if behind < len(self._starts):  # the line there begins where the one before ends
            between = [start for start in between if start < stop]
        return Lines(whole, self._starts[: first + 1] + between + shifted(self._starts[behind:], shift))


def shifted(offsets: list[int], by: int) -> list[int]:
    """Offsets behind an edit that makes the text longer by so much."""
    return [offset + by for offset in offsets] if by else offsets


def units(text: str) -> int:
    """How many UTF-16 code units a text is."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(line: str, units: int) -> int:
    """How many characters of a line so many UTF-16 code units are; half of a pair counts as none."""
    for index, sign in enumerate(line):
        units -= 1 + (sign > "\uffff")
        if units < 0:
            return index
    return len(line)


def difference(old: S, new: S) -> tuple[int, int, S]:
    """The edit that makes the new text, or list, of the old one: (start, end, what stands there now)."""
    start = _common(old, new)
    most = min(len(old), len(new)) - start
    end = _common(old[len(old) - most :][::-1], new[len(new) - most :][::-1]) if most else 0
    return start, len(old) - end, new[start : len(new) - end]


def _common(one: S, other: S) -> int:
    """How many signs at the beginning are the same: halving, for comparing slices is quick."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
