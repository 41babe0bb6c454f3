"""PTX text -> tokens (manual 4.1 to 4.5), comments set aside, when the parser comes to them.

One compiled pattern; a token is its text and its offset. Names keep their dotted tail (`ld.global.f32`, `%tid.x`):
opcodes and special registers are looked up whole. What is not a token of PTX becomes a token of its own and is reported
when the parser meets it. Written by hand, as the parser is: parser generators stop at the first error or give up its place,
and are several times slower on the megabytes that compilers write.
"""

from __future__ import annotations

import re
from bisect import bisect_left

__all__ = ["BLANKS", "END", "OPCODE", "Tokens", "comment_text"]

OPCODE = r"[A-Za-z][\w$]*(?:\.\w+(?:::\d+:\d+|::\w+)*)*"
"""The pattern of an opcode with its modifiers, `.sp::2:4` among them, and of an identifier."""

_TOKEN = re.compile(
    OPCODE
    + r"""
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

BLANKS = " \t\n\r\f\v"
"""What may stand between tokens. Python's own idea of blanks has more, which are no tokens of PTX."""

END = "\0"
"""The text of the tokens after the last one."""

_LOOKAHEAD = 4
"""How many there are, so that looking a few tokens ahead needs no check."""

_FIRST = 240
"""Characters that are read at first: a few lines."""


class Tokens:
    """The tokens of a text from some place on, as far as they were asked for.

    `texts[i]` starts at offset `starts[i]`; the last ones of the text are END. A comment is (index of the token after it,
    offset, text). Where an index is past the tokens that are there, the lists raise IndexError: `read_on` adds more. They are
    always the same lists.
    """

    __slots__ = ("_size", "comments", "complete", "end", "source", "starts", "texts")

    def __init__(self, source: str, size: int = _FIRST) -> None:
        self.source: str = source
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.comments: list[tuple[int, int, str]] = []
        self.end: int = 0
        self.complete: bool = False
        self._size = size

    def seek(self, offset: int) -> None:
        """Begin anew at an offset that no token stands across."""
        self.texts.clear()
        self.starts.clear()
        self.comments.clear()
        self.end = offset
        self.complete = False
        self._size = _FIRST

    def read_on(self) -> bool:
        """Add the tokens of the next lines, each time of more; False where there are none."""
        if self.complete:
            return False
        source, first = self.source, self.end
        while True:
            end = source.find("\n", first + self._size) + 1 or len(source)
            self._size *= 2
            texts: list[str] = _TOKEN.findall(source, first, end)
            starts = [match.start() for match in _TOKEN.finditer(source, first, end)]
            # A comment or a text of another language goes on behind the last of these lines.
            if end == len(source) or not texts or starts[-1] + len(texts[-1]) < end:
                break
        if source.find("//", first, end) >= 0 or source.find("/*", first, end) >= 0:
            texts, starts = self._set_comments_aside(texts, starts)
        self.texts += texts
        self.starts += starts
        self.end = end
        self.complete = end == len(source)
        if self.complete:
            self.texts += [END] * _LOOKAHEAD
            self.starts += [len(source.rstrip(BLANKS))] * _LOOKAHEAD
        return True

    def _set_comments_aside(self, texts: list[str], starts: list[int]) -> tuple[list[str], list[int]]:
        kept: list[str] = []
        offsets: list[int] = []
        before = len(self.texts)
        for text, start in zip(texts, starts):
            if text[:2] in ("//", "/*"):
                self.comments.append((before + len(kept), start, text))
            else:
                kept.append(text)
                offsets.append(start)
        return kept, offsets

    def index(self, offset: int) -> int:
        """The index of the first token from an offset on, among those that are there: at the end of the text an END."""
        index = bisect_left(self.starts, offset)
        return min(index, len(self.texts) - _LOOKAHEAD) if self.complete else index

    def starts_line(self, index: int) -> bool:
        """Is this token the first one on its line? The first of them all is."""
        return index == 0 or self.source.find("\n", self.starts[index - 1], self.starts[index]) >= 0


def comment_text(text: str) -> str:
    """A comment without its marks and the one space that the printer puts beside them."""
    if text[1] == "/":
        text = text[2:].rstrip("\r")
        return text[1:] if text[:1] == " " else text
    text = text[2:-2].replace("\r\n", "\n")
    text = text[1:] if text[:1] == " " else text
    return text[:-1] if text[-1:] == " " else text
