"""The parser's place in the text: the current token, what names mean there, and the findings so far.

Codes of syntax findings: PTX101 not a token of PTX; PTX102 missing semicolon; PTX103 unexpected token; PTX104 braces
that do not match; PTX105 module header; PTX106 unknown or misplaced directive; PTX107 unknown type; PTX108 constant
expression.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING

from ptxgen.errors import Diagnostic
from ptxgen.isa.forms import opcodes_with
from ptxgen.text.lexer import END, Tokens
from ptxgen.text.scope import ParserScope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.ir import Source, SourceText

__all__ = ["BARE_OPCODES", "SPACES", "STATEMENT_DIRECTIVES", "Cursor", "Unexpected", "is_name", "nearest"]

SPACES = frozenset((".const", ".global", ".local", ".param", ".shared", ".tex"))
"""State spaces that a variable is declared in."""

STATEMENT_DIRECTIVES = frozenset((*SPACES, ".reg", ".align", ".attribute", ".pragma", ".loc", ".loc_intermediate"))
"""What a directive in a function's body starts with (manual 4.3.1)."""

BARE_OPCODES = opcodes_with("control")
"""Opcodes without modifiers: a line that starts with one is a new statement."""

_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$%")


_REST_OF_LINE = re.compile(r"[ \t\r]*\n")


class Unexpected(Exception):
    """The statement at hand cannot be read further. `finding` says why; the parser notes it and goes on behind it."""

    def __init__(self, finding: Diagnostic) -> None:
        self.finding = finding


def is_name(text: str) -> bool:
    """Is this token an identifier, dotted or not (but not the sink `_`)?"""
    return text[0] in _NAME_START and (len(text) > 1 or text.isalpha())


def nearest(text: str, known: Iterable[str]) -> str | None:
    """The hint "did you mean ...?" when something known is close."""
    import difflib

    found = difflib.get_close_matches(text, sorted(known), n=1, cutoff=0.6)
    return f"did you mean {found[0]!r}?" if found else None


class Cursor:
    """`texts[i]` is the current token, and `op` the opcode being read.

    Tokens are read as far as the text was asked for: an index past them is an IndexError, for which the parser reads on
    and begins the statement anew, from its `mark`. `seek` goes to a place behind lines that were read without tokens.

    With `common`, what compilers write is read by patterns, without tokens.

    `whole` turns the offsets of the text into places. `part`, which begins at offset `base`, is what sources are of: the text,
    or a part of a document's.
    """

    __slots__ = (
        "base",
        "common",
        "findings",
        "i",
        "op",
        "opcodes",
        "part",
        "scope",
        "taken",
        "taken_to",
        "texts",
        "tokens",
        "whole",
    )

    def __init__(self, whole: SourceText, *, common: bool = True) -> None:
        self.whole: SourceText = whole
        self.part: SourceText = whole
        self.base: int = 0
        self.common: bool = common
        self.tokens: Tokens = Tokens(whole.text) if common else Tokens(whole.text, len(whole.text))
        self.texts: list[str] = self.tokens.texts
        self.i: int = 0
        self.op: str = ""
        self.opcodes: dict[str, str] = {}
        self.scope: ParserScope = ParserScope()
        self.findings: list[Diagnostic] = []
        self.taken: int = 0
        """How many of the tokens' comments are in the ir already."""
        self.taken_to: int = 0
        """Where the last comment ends that is in the ir."""

    def mark(self) -> tuple[int, int, int, int, int]:
        """What `back` takes to begin a statement anew."""
        return self.i, self.taken, self.taken_to, len(self.findings), len(self.scope.log)

    def back(self, mark: tuple[int, int, int, int, int]) -> None:
        """Forget what was read since a mark. Names that were declared stay: they are declared again."""
        self.i, self.taken, self.taken_to, findings, names = mark
        del self.findings[findings:]
        del self.scope.log[names:]

    def seek(self, offset: int) -> None:
        """Go to an offset behind everything that was read, or back to that of an item."""
        tokens = self.tokens
        if not (tokens.texts and tokens.starts[0] <= offset < tokens.end):
            tokens.seek(offset)
            tokens.read_on()
        self.i = tokens.index(offset)
        self.count_taken(offset)

    def count_taken(self, offset: int = 0) -> None:
        """See which of the tokens' comments the ir has, and those before an offset."""
        behind = max(offset, self.taken_to)
        self.taken = bisect_left(self.tokens.comments, behind, key=itemgetter(1))

    def line_behind(self) -> int | None:
        """Where the line behind the last token begins, and behind the last comment taken; None where more stands before it."""
        if not self.i:
            return None if self.texts else self.tokens.end
        rest = _REST_OF_LINE.match(self.tokens.source, max(self.taken_to, self._end(self.i - 1)))
        if rest is None or any(start < rest.end() for _, start, _ in self.tokens.comments[self.taken : self.taken + 1]):
            return None  # a comment inside a wrong statement is for the next one
        return rest.end()

    def source(self, index: int) -> Source:
        """Where token `index` stands."""
        return (self.part, self.tokens.starts[index] - self.base)

    def finding(
        self, code: str, message: str, *, offset: int, expected: str | None = None, hint: str | None = None
    ) -> Diagnostic:
        return Diagnostic(code, message, locations=self.whole.places(offset), expected=expected, hint=hint)

    def unexpected(
        self,
        expected: str,
        *,
        at: int | None = None,
        code: str = "PTX103",
        message: str | None = None,
        hint: str | None = None,
    ) -> Unexpected:
        """The error for token `at`, by default the current one of a statement, where the grammar expects another."""
        index = self.i if at is None else at
        text, offset = self.texts[index], self.tokens.starts[index]
        if message is None:
            message = f"unexpected {describe(text)}"
            if not _is_token(text):
                code, message = "PTX101", f"{describe(text)} is not a token of PTX"
                hint = hint or ("the string has no end on its line" if text == '"' else None)
            elif at is None and self.begins_statement(index) and self.tokens.starts_line(index):
                # What is missing is missing on the line before, not where the next statement starts.
                message = f"unexpected end of line after {self.texts[index - 1]!r}"
                offset = self._end(index - 1)
        return Unexpected(self.finding(code, message, offset=offset, expected=expected, hint=hint))

    def expect(self, text: str, after: str = "") -> None:
        """Step over a token that must come now."""
        if self.texts[self.i] != text:
            raise self.unexpected(f"{text!r}{after and ' after ' + after}")
        self.i += 1

    def expect_name(self, what: str) -> str:
        """Step over an identifier without dots and return it."""
        text = self.texts[self.i]
        if not is_name(text) or "." in text:
            raise self.unexpected(what)
        self.i += 1
        return text

    def expect_semicolon(self, others: str = "") -> None:
        """Step over the `;` that ends a statement.

        A missing one is noted on the line it belongs to, that of the token before, and reading goes on from there.
        """
        text = self.texts[self.i]
        if text == ";":
            self.i += 1
            return
        if text in (END, "}") or self.begins_statement(self.i):
            self.findings.append(self.missing_semicolon())
            return
        raise self.unexpected(f"{others}';'")

    def begins_statement(self, index: int) -> bool:
        """Does this token look like the first one of a statement, rather than like a part of an unfinished one?"""
        text = self.texts[index]
        if text == "@" or text in STATEMENT_DIRECTIVES or (text != END and self.texts[index + 1] == ":"):
            return True
        opcode = text in BARE_OPCODES or ("." in text and text[0].isalpha())
        if text in BARE_OPCODES and self.texts[index + 1] == ",":
            return False  # a function may be called exit
        return opcode and self.tokens.starts_line(index)

    def missing_semicolon(self) -> Diagnostic:
        """The finding, placed right behind the token before the current one."""
        hint = f"write ';' after {self.texts[self.i - 1]!r}"
        message = "missing ';' at the end of the statement"
        return self.finding("PTX102", message, offset=self._end(self.i - 1), hint=hint)

    def _end(self, index: int) -> int:
        """The offset behind token `index`."""
        return self.tokens.starts[index] + len(self.texts[index])


def describe(text: str) -> str:
    """A token as a message names it."""
    return "end of text" if text == END else repr(text)


def _is_token(text: str) -> bool:
    return len(text) > 1 or text in ",;:{}[]()|!@+-*/%&^~<>=?._" + END or (text.isascii() and text.isalnum())
