"""PTX in Python's strings: whole modules (`px.parse(\"\"\"...\"\"\")`), and names of instructions (`k.ptx["ld.global.f32"]`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.lsp.languages.blanks import Blanked
from ptxgen.lsp.languages.jinja import mask_jinja
from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.region import Region

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["string_regions"]

_STRING = re.compile(
    r"""\#[^\n]*
      | (?P<prefix>[rRbBuUfFtT]{0,2})
        (?:(?P<long>\"\"\"|''')(?P<of_long>(?:\\[\s\S]|(?!(?P=long))[^\\])*)(?:(?P=long)|\Z)
          |(?P<quote>["'])(?P<of_short>(?:\\[\s\S]|(?!(?P=quote))[^\\\n])*)(?:(?P=quote)|(?=\n)|\Z))""",
    re.VERBOSE,
)
_MODULE = re.compile(r"^[ \t]*\.version[ \t]+[\d{]", re.MULTILINE)
_FIRST_ESCAPED = re.compile(r"\\n[ \t]*\.version[ \t]+\d")
_CHAIN = re.compile(r"\bptx\[\s*\Z")
_ESCAPE = re.compile(r"\\(?:\r\n|[\s\S])")
_FIELD = re.compile(r"\{\{|\}\}|\{[^{}\n]*\}")


def string_regions(source: str) -> tuple[Region, ...]:
    """The strings that hold a module, or name an instruction of the builder."""
    if ".version" not in source and ".ptx[" not in source:
        return ()
    return tuple(_regions(source))


def _regions(source: str) -> Iterator[Region]:
    for string in _STRING.finditer(source):
        group = "of_long" if string["long"] else "of_short"
        content = string[group]
        if content is None:
            continue
        span = Span(*string.span(group))
        if _MODULE.search(content) or _FIRST_ESCAPED.search(content):
            yield _module(source, span, string["prefix"].lower())
        elif content and _CHAIN.search(source, max(string.start() - 40, 0), string.start()):
            yield Region(span, content, "name")


def _module(source: str, span: Span, prefix: str) -> Region:
    text = Blanked(source, span)
    if "r" not in prefix:
        for escape in _ESCAPE.finditer(source, *span):
            text.put(escape.start(), " " * (len(escape[0]) - 1) + ("\n" if escape[0] in ("\\n", "\\\n") else " "))
    if "f" in prefix or "t" in prefix:
        for field in _FIELD.finditer(source, *span):
            if field[0] in ("{{", "}}"):
                text.put(field.start(), " " + field[0][0])
            else:
                text.hole(*field.span())
    elif re.compile(r"\{%|\{\{").search(source, *span):
        mask_jinja(text, source, span)
    return Region(span, text.text, holes=text.holes, foreign=text.foreign)
