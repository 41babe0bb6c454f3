"""Declarations in a text of PTX: registers, variables, parameters, labels, functions, each with the span of its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.lsp.model.positions import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Declaration", "declared_by", "declared_label", "declared_routine", "parameters_of"]

_SPACES = ("reg", "const", "global", "local", "param", "shared", "tex")
_WORDS = re.compile(r"\s*(?:\.align\s+\w+|\.attribute\s*\((?:[^()]|\([^()]*\))*\)|\.([A-Za-z_]\w*))")
_NAME = re.compile(r"\s*([A-Za-z_$%][\w$]*)\s*(?:<\s*(\w+)\s*>)?([^,={]*)")
_VECTORS = ("v2", "v4", "v8")


class Declaration(NamedTuple):
    """A declared name. `kind` is "register", "variable", "parameter", "label", "table", "prototype", "kernel" or "function".

    Registers and variables have a `type` ("b32") and a `space`. `members` is the number of a family `%r<9>`, whose `name` is the
    prefix. `shape` is what stands behind the name, such as `[64]`; `lanes` is 2 or 4 for a vector.
    """

    name: str
    kind: str
    span: Span
    type: str = ""
    space: str = ""
    members: int | None = None
    shape: str = ""
    lanes: int = 1

    def has(self, index: str) -> bool:
        """Is there a member of the family with this number?"""
        return len(index) <= 10 and (index == "0" or index[0] != "0") and int(index) < (self.members or 0)

    @property
    def written(self) -> str:
        """The declaration of this name alone, as PTX says it."""
        if not self.space:
            return {"label": f"{self.name}:", "kernel": f".entry {self.name}", "function": f".func {self.name}"}.get(
                self.kind, f"{self.name}: .{self.type}"
            )
        vector = f".v{self.lanes} " if self.lanes > 1 else ""
        count = "" if self.members is None else f"<{self.members if self.members < _ANY else '...'}>"
        return f".{self.space} {vector}.{self.type} {self.name}{count}{self.shape}"


_ANY = 2**32
"""The count of a family that a template fills in."""


def declared_label(name: str, start: int, directive: str) -> Declaration:
    """A label, or what `.branchtargets` and the like declare."""
    kind = {"": "label", "callprototype": "prototype"}.get(directive, "table")
    return Declaration(name, kind, Span(start, start + len(name)), directive)


def declared_routine(header: re.Match[str]) -> Declaration:
    kind = "kernel" if header["kind"] == "entry" else "function"
    return Declaration(header["name"], kind, Span(*header.span("name")))


def declared_by(text: str, start: int, end: int) -> Iterator[Declaration]:
    """What the statement `text[start:end]` declares: nothing, if it is none of .reg, .shared and the like."""
    words, at = _words(text, start, end)
    space = next((word for word in words if word in _SPACES), None)
    if space is None:
        return
    type_ = next((word for word in reversed(words) if word not in _VECTORS and word not in _SPACES), "")
    lanes = next((int(word[1:]) for word in words if word in _VECTORS), 1)
    kind = "register" if space == "reg" else "variable"
    for piece, offset in _pieces(text, at, end):
        match = _NAME.match(text, offset, offset + len(piece))
        if match is not None:
            yield _declaration(match, kind, type_, space, lanes)


def _declaration(match: re.Match[str], kind: str, type_: str, space: str, lanes: int) -> Declaration:
    count = None if match[2] is None else int(match[2]) if match[2].isdigit() else _ANY
    return Declaration(match[1], kind, Span(*match.span(1)), type_, space, count, "".join(match[3].split()), lanes)


def parameters_of(header: re.Match[str], part: str) -> Iterator[Declaration]:
    """The parameters or results in the list that a group of a function's header holds."""
    if header[part] is None:
        return
    for piece, offset in _pieces(header.string, *header.span(part)):
        words, at = _words(header.string, offset, offset + len(piece))
        match = _NAME.match(header.string, at, offset + len(piece))
        if match is None or not words:
            continue
        pointer = words.index("ptr") if "ptr" in words else len(words)
        type_ = next((word for word in reversed(words[:pointer]) if word not in _SPACES and word not in _VECTORS), "")
        kind, space = ("register", "reg") if words[0] == "reg" else ("parameter", "param")
        yield _declaration(match, kind, type_, space, 1)


def _words(text: str, start: int, end: int) -> tuple[list[str], int]:
    """The words with a dot that stand first, and where they end."""
    words = []
    while (match := _WORDS.match(text, start, end)) is not None:
        if match[1]:
            words.append(match[1])
        start = match.end()
    return words, start


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """What stands between commas outside of braces, with where it starts."""
    depth = 0
    for at in range(start, end):
        sign = text[at]
        if sign in "{([":
            depth += 1
        elif sign in "})]":
            depth -= 1
        elif sign == "," and depth == 0:
            yield text[start:at], start
            start = at + 1
    if text[start:end].strip():
        yield text[start:end], start
