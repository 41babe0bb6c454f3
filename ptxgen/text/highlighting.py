"""Pygments lexers of PTX and of PTX templates: colours on pages, in terminals and notebooks.

Tokens are those of the parser (`lexer.py`), and what a word is the tables say: opcodes, types, directives and special
registers. A new row is known at once. Every text comes back as it was, character by character.

Pygments, which the extras `cli` and `docs` bring, finds these by their entry points. Its own lexer of PTX has the name `ptx`
first; for a file's name, and by the name `ptxgen`, it takes this one.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from pygments.lexer import DelegatingLexer, Lexer
from pygments.lexers.templates import DjangoLexer
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String, Whitespace

from ptxgen.isa.directives import directives
from ptxgen.isa.forms import opcodes
from ptxgen.isa.spaces import SPACES, WINDOW
from ptxgen.isa.specials import SPECIALS, is_special
from ptxgen.isa.types import TYPES
from ptxgen.text.lexer import _TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Token = tuple[int, Any, str]

__all__ = ["PtxLexer", "PtxTemplateLexer"]

_STATEMENT_ENDS = frozenset(";{}:")
_PUNCTUATION = frozenset("{}()[],;:@|<>")


class PtxLexer(Lexer):  # type: ignore[misc]  # Pygments has no types
    """PTX, of any version and target that ptxgen knows."""

    name = "PTX"
    url = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
    aliases = ("ptxgen", "ptx")
    filenames = ("*.ptx",)
    mimetypes = ("text/x-ptx",)
    priority = 0.5  # over the lexer of that file name in Pygments

    def get_tokens_unprocessed(self, text: str) -> Iterator[Token]:
        """(offset, kind, text) of everything in the text."""
        end, begins, before = 0, True, ""
        found = list(_TOKEN.finditer(text))
        for at, match in enumerate(found):
            if match.start() > end:
                yield end, Whitespace, text[end : match.start()]
            end, token = match.end(), match[0]
            if token[:2] in ("//", "/*"):
                yield match.start(), Comment.Single if token[1] == "/" else Comment.Multiline, token
                continue
            labels = begins and at + 1 < len(found) and found[at + 1][0] == ":"
            start = match.start()
            for kind, part in _parts(token, begins, labels):
                yield start, kind, part
                start += len(part)
            # After a guard an instruction begins too: @p add, @!p add.
            begins = token in _STATEMENT_ENDS or (begins and token in ("@", "!")) or (begins and before in ("@", "!"))
            before = token
        if end < len(text):
            yield end, Whitespace, text[end:]

    @staticmethod
    def analyse_text(text: str) -> float:
        """How surely this is PTX: both directives that a module begins with are in it."""
        return 1.0 if ".version" in text and ".target" in text else 0.0


class PtxTemplateLexer(DelegatingLexer):  # type: ignore[misc]
    """A Jinja template of PTX."""

    name = "PTX with Jinja"
    aliases = ("ptx+jinja",)
    filenames = ("*.ptx.j2", "*.ptx.jinja")
    priority = 0.5

    def __init__(self, **options: Any) -> None:
        super().__init__(PtxLexer, DjangoLexer, **options)


@lru_cache(4096)
def _parts(token: str, begins: bool, labels: bool) -> tuple[tuple[Any, str], ...]:
    """(kind, text) of the parts of a token: of an instruction's name where one `begins`, else the token itself."""
    first = token[0]
    opcode, *modifiers = token.split(".")
    if labels:
        kind = Name.Label
    elif first.isalpha() and (begins or modifiers) and opcode in _opcodes():
        return ((Keyword, opcode), *((_modifier(word), f".{word}") for word in modifiers))
    elif first == "." and not token[1:2].isdigit():
        kind = _dotted(token)
    elif first.isdigit() or first == ".":
        kind = _number(token)
    elif first == '"':
        kind = String.Double if len(token) > 1 else Operator
    elif first in "%$_" and len(token) > 1:
        kind = _register(token)
    elif first.isalpha():
        kind = Name
    else:
        kind = Punctuation if token in _PUNCTUATION else Operator
    return ((kind, token),)


def _modifier(word: str) -> Any:
    return Keyword.Type if word in TYPES else Keyword.Namespace if word in _SPACES else Name.Decorator


_SPACES = frozenset(SPACES) | WINDOW.keys()


def _dotted(token: str) -> Any:
    word = token[1:]
    if word in TYPES:
        return Keyword.Type
    if token.startswith(".source_begin"):
        return Literal
    return Keyword.Declaration if word in _SPACES or token in _directives() else Name.Decorator


def _register(token: str) -> Any:
    if is_special(token) or token in _vectors():
        return Name.Variable.Magic
    return Name.Variable if token[0] == "%" else Name


def _number(token: str) -> Any:
    if token[:2] in ("0x", "0X"):
        return Number.Hex
    if token[:2] in ("0b", "0B"):
        return Number.Bin
    return Number.Float if token[:2].lower() in ("0f", "0d") or "." in token else Number.Integer


@cache
def _opcodes() -> frozenset[str]:
    return frozenset(opcodes())


@cache
def _directives() -> Mapping[str, object]:
    return {row.name: row for row in directives()}


@cache
def _vectors() -> frozenset[str]:
    """Special registers that are vectors, by the name of the whole: %tid."""
    return frozenset(name.rpartition(".")[0] for name in SPECIALS if "." in name)
