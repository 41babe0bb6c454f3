"""Docstrings, which are plain text, as reStructuredText that shows them so.

Backticks are code, indented lines are examples, lines that begin with `*` or `-` are a list. Nothing else is markup: what Sphinx
would read as such is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["restructured"]

_SPAN = re.compile(r"(`{1,2})(?=\S)(.+?)(?<=\S)\1(?!`)")
_ITEM = re.compile(r"[*-] (?=\S)")
_MARKUP = re.compile(r"([\\`*_|]|::)")
_ENUMERATED = re.compile(r"\(?(\d+|[A-Za-z]|[ivxlc]+|#)[.)] ")


def restructured(lines: Sequence[str]) -> list[str]:
    """The lines of a docstring as lines of reStructuredText."""
    made: list[str] = []
    for kind, part in _parts(lines):
        if kind == "example":
            made += [".. code-block:: text", "", *(f"   {line}" if line else "" for line in part), ""]
        elif kind == "item":
            first, *rest = _paragraph(_ITEM.sub("", "\n".join(part), count=1))
            made += [f"* {first}", *(f"  {line}" for line in rest), ""]
        else:
            made += [*_paragraph("\n".join(part)), ""]
    return made


def _parts(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Paragraphs, items of lists and indented examples; blank lines part the first two, not the lines of an example."""
    kind, part = "", list[str]()
    for line in lines:
        indented = line[:1].isspace()
        if kind == "item" and indented:
            now = "item"
        elif not line.strip():
            now = "example" if kind == "example" else ""
        elif indented:
            now = "example"
        else:
            now = "item" if _ITEM.match(line) else "text"
        begins = now != kind or (now == "item" and not indented)
        if begins:
            if part and kind:
                yield kind, _dedented(kind, part)
            kind, part = now, []
        part.append(line)
    if part and kind:
        yield kind, _dedented(kind, part)


def _dedented(kind: str, part: list[str]) -> list[str]:
    if kind != "example":
        return [line.strip() for line in part]
    while not part[-1].strip():
        part.pop()
    margin = min(len(line) - len(line.lstrip()) for line in part if line.strip())
    return [line[margin:] for line in part]


def _paragraph(text: str) -> list[str]:
    return [_begun(line) for line in _inline(text).split("\n")]


def _begun(line: str) -> str:
    """A line whose beginning is no markup: not a list, an option, a field, a directive, a test or the rule below a heading."""
    if _ENUMERATED.match(line) or re.match(r"[^\w\s\\`'\"(\[{]", line):
        return "\\" + line
    return line


def _inline(text: str) -> str:
    """Text with its code marked, and everything else escaped. Code may go over the end of a line."""
    made, at = "", 0
    for match in _SPAN.finditer(text.replace("\n", "\0")):
        before, behind = text[at : match.start()], text[match.end() : match.end() + 1]
        made += _escaped(before) + "\\ " * bool(re.search(r"[\w)]$", before))
        made += f"``{match[2].replace(chr(0), ' ')}``" + "\\ " * bool(re.match(r"[\w(]", behind))
        at = match.end()
    return made + _escaped(text[at:])


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda match: "".join(f"\\{each}" for each in match[0]), text)
