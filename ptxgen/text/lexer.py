"""PTX text -> tokens (manual 4.1 to 4.5), comments set aside.

One compiled pattern; a token is its text and its offset. Names keep their dotted tail (`ld.global.f32`, `%tid.x`):
opcodes and special registers are looked up whole. What is not a token of PTX becomes a token of its own and is reported
when the parser meets it. Written by hand, as the parser is: parser generators stop at the first error or give up its place,
and are several times slower on the megabytes that compilers write.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ptxgen.errors import Location

__all__ = ["END", "Tokens"]

_TOKEN = re.compile(
    r"""
      [A-Za-z][\w$]*(?:\.\w+(?:::\d+:\d+|::\w+)*)*  # opcode with its modifiers (.sp::2:4), identifier
    | [%$_][\w$]+(?:\.\w+)*                     # %register.x, $label, _identifier
    | 0[xXbBfFdD]\w*                            # hexadecimal, binary, bits of a float
    | \.?\d[\w.$]*(?:(?<=[\d.][eE])[+-]\d+)?    # other numbers; .1d of a detached modifier
    | \.source_begin[ \t\r]*\n(?:[^\n]*\n)*?(?:[ \t]*\.source_end[ \t\r]*(?=\n|\Z)|[^\n]*\Z)  # another language (manual 11.5.6)
    | \.[A-Za-z_][\w$]*(?:::\w+)*               # directive, type, detached modifier
    | //[^\n]* | /\*[\s\S]*?(?:\*/|\Z)          # comments; an unfinished one runs to the end
    | "[^"\n]*"
    | <<|>>|<=|>=|==|!=|&&|\|\|
    | \S
    """,
    re.VERBOSE | re.ASCII,
)

END = "\0"
"""The text of the tokens after the last one."""

_LOOKAHEAD = 4
"""How many there are, so that looking a few tokens ahead needs no check."""


class Tokens:
    """A text cut into tokens.

    `texts[i]` starts at offset `starts[i]`; the last ones are END. A comment is (index of the token after it, offset, text).
    """

    __slots__ = ("_line_starts", "comments", "lines", "name", "source", "starts", "texts")

    def __init__(self, source: str, name: str) -> None:
        texts: list[str] = _TOKEN.findall(source)
        starts = [match.start() for match in _TOKEN.finditer(source)]
        self.source = source
        self.name = name
        self.comments: list[tuple[int, int, str]] = []
        if "//" in source or "/*" in source:
            texts, starts = self._set_comments_aside(texts, starts)
        texts += [END] * _LOOKAHEAD
        starts += [len(source.rstrip())] * _LOOKAHEAD
        self.texts = texts
        self.starts = starts
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", source))]
        self.lines = source.split("\n")

    def _set_comments_aside(self, texts: list[str], starts: list[int]) -> tuple[list[str], list[int]]:
        kept: list[str] = []
        offsets: list[int] = []
        for text, start in zip(texts, starts):
            if text[:2] in ("//", "/*"):
                self.comments.append((len(kept), start, text))
            else:
                kept.append(text)
                offsets.append(start)
        return kept, offsets

    def line(self, offset: int) -> int:
        """The line, from 1, of an offset into the text."""
        return bisect_right(self._line_starts, offset)

    def location(self, offset: int) -> Location:
        """The place of an offset, with the text of its line."""
        line = bisect_right(self._line_starts, offset)
        return Location("ptx", self.name, line, offset - self._line_starts[line - 1] + 1, self.lines[line - 1])

    def starts_line(self, index: int) -> bool:
        """Is this token the first one on its line?"""
        return index == 0 or self.line(self.starts[index - 1]) < self.line(self.starts[index])
