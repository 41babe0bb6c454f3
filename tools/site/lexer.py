"""Colours for PTX on the site's pages."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["PtxLexer"]


class PtxLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """PTX: directives, instructions with their modifiers, registers, numbers, comments."""

    name = "PTX"
    aliases: ClassVar = ["ptx"]
    tokens: ClassVar = {
        "root": [
            (r"//[^\n]*", Comment.Single),
            (r"/\*.*?\*/", Comment.Multiline),
            (r'"[^"\n]*"', String),
            (r"\.[a-zA-Z_]\w*", Keyword),
            (r"[$%]?[\w$]+(?=\s*:(?!:))", Name.Label),
            (r"%[\w$.]+", Name.Variable),
            (r"0[fFdD][0-9a-fA-F]+|0[xX][0-9a-fA-F]+U?|-?\d+(\.\d+)?U?", Number),
            (r"[a-z]\w*(\.[\w:]+)+", Name.Function),
            (r"[$\w]+", Name),
            (r"[{}()\[\],;]", Punctuation),
            (r"[@!|<>=+\-*&^~?:/_]", Operator),
            (r"\s+", Text.Whitespace),
        ]
    }
