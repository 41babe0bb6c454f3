"""Lines of Python with the names that they read and bind, and their text: indented, folded, split into functions.

A function of thousands of lines compiles slowly, and Python nests no more than 20 `with` blocks. So a long list of lines becomes
several functions that the first one calls, and a body that is nested deeply becomes one: each takes the names that it reads and
returns those that are read behind it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Line", "folded", "joined", "names_read", "split", "text_of"]

WIDTH = 120
LONGEST = 250  # lines of a function
_ONE_ROW = 80
DEEPEST = 8  # nested `with`


class Line:
    """A statement, or the head of one with a body, whose lines are `together` or may be divided."""

    __slots__ = ("binds", "body", "reads", "text", "together")

    def __init__(
        self,
        text: str,
        reads: tuple[str, ...] = (),
        binds: tuple[str, ...] = (),
        body: list[Line] | None = None,
        *,
        together: bool = False,
    ) -> None:
        self.text = text
        self.reads = reads
        self.binds = binds
        self.body = body
        self.together = together


def _each(lines: list[Line]) -> Iterator[Line]:
    """The lines and those of their bodies."""
    stack = [iter(lines)]
    while stack:
        line = next(stack[-1], None)
        if line is None:
            stack.pop()
            continue
        yield line
        if line.body is not None:
            stack.append(iter(line.body))


def names_read(lines: list[Line]) -> Counter[str]:
    """How often each name is read."""
    return Counter(name for line in _each(lines) for name in line.reads)


def _count(lines: list[Line]) -> int:
    return sum(1 for _ in _each(lines))


def joined(lines: list[Line]) -> list[Line]:
    """The same lines, with `with` heads that stand alone in each other as one, where that fits on a row."""
    for line in lines:
        if line.body is not None:
            line.body = joined(line.body)
            inner = line.body[0] if len(line.body) == 1 else None
            if inner is not None and inner.body is not None and len(line.text) + len(inner.text) < _ONE_ROW:
                line.text = f"{line.text[:-1]}, {inner.text.removeprefix('with ')}"
                line.reads += inner.reads
                line.body, line.together = inner.body, inner.together
    return lines


class _Splitter:
    """Takes parts out of a function's lines. `parts` are functions, (name, parameters, lines)."""

    def __init__(self, lines: list[Line], new_name: Callable[[], str]) -> None:
        self._new_name = new_name
        self._reads = names_read(lines)
        self.parts: list[tuple[str, list[str], list[Line]]] = []

    def shorten(self, lines: list[Line], depth: int, *, together: bool = False) -> list[Line]:
        """The same lines, in functions where they are too many or nested too deeply."""
        for line in lines:
            if line.body is not None:
                inside = depth + max(1, line.text.count(" k."))  # of a head with several contexts
                deep = inside >= DEEPEST and not line.together
                line.body = self.shorten(line.body, 1 if deep else inside, together=line.together)
                if deep and line.body:
                    line.body = [self._taken(line.body)]
        if together or _count(lines) <= LONGEST:
            return lines
        made: list[Line] = []
        chunk: list[Line] = []
        for line in lines:
            if chunk and _count(chunk) + _count([line]) > LONGEST:
                made.append(self._taken(chunk))
                chunk = []
            chunk.append(line)
        return [*made, self._taken(chunk)]

    def _taken(self, lines: list[Line]) -> Line:
        """The call of a new function of these lines."""
        if len(lines) == 1 and lines[0].body is None:
            return lines[0]
        own, bound = names_read(lines), dict.fromkeys(name for line in _each(lines) for name in line.binds)
        taken = [name for name in own if name not in bound]
        given = [name for name in bound if self._reads[name] > own[name]]
        body = list(lines)
        if given:
            body.append(Line(f"return {', '.join(given)}", tuple(given)))
        name = self._new_name()
        self.parts.append((name, taken, body))
        self._reads.update(taken)  # the call reads them as well
        call = f"{name}({', '.join(['k', *taken])})"
        text = f"{', '.join(given)} = {call}" if given else call
        self._reads.subtract(own)
        return Line(text, tuple(taken), tuple(given))


def split(lines: list[Line], new_name: Callable[[], str]) -> tuple[list[Line], list[tuple[str, list[str], list[Line]]]]:
    """A function's lines, and the functions that were taken out of it in the order in which they are called."""
    splitter = _Splitter(lines, new_name)
    rest = splitter.shorten(lines, 1)
    while _count(rest) > LONGEST and any(len(line.text) < 10_000 for line in rest):
        before = _count(rest)
        rest = splitter.shorten(rest, 1)
        if _count(rest) >= before:
            break
    return rest, splitter.parts


def text_of(lines: list[Line], indent: int = 0) -> list[str]:
    """The rows of text."""
    found: list[str] = []
    if all(line.text.startswith("#") for line in lines):
        lines = [*lines, Line("pass")]
    for line in lines:
        pad = "    " * indent
        rows = folded(line.text, WIDTH - len(pad))
        found += [pad + row if row else "" for row in rows]
        if line.body is not None:
            found += text_of(line.body, indent + 1)
    return found


_CLOSES = {"(": ")", "[": "]", "{": "}"}
_FEW = 12
_KEEP = "  # fmt: skip"


def folded(text: str, width: int) -> list[str]:
    """A statement in rows of no more than so many characters, broken as formatters do: what stands in its last brackets on a row
    of its own, or each part on one. Where that are many, as registers of a fragment are, rows are filled, and formatters told."""
    if len(text) <= width or text.startswith("#") or "\n" in text:
        return text.split("\n")
    rows = _folded(text, width)
    many = sum(_is_filled(row) for row in rows)
    return [*rows[:-1], rows[-1] + _KEEP] if many else rows


def _is_filled(row: str) -> bool:
    return row.startswith("    ") and row.endswith(",") and len(_parts(row.strip())) > 1


def _folded(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    names, equals, value = text.partition(" = ")
    if equals and len(names) > width // 2 and "(" not in names and len(_parts(names)) > 1:
        rest = _folded(f") = {value}", width)
        return ["(", *_filled(_parts(names), width), *rest]
    if text.startswith("return ") and len(_parts(text)) > 1:
        return ["return (", *_filled(_parts(text.removeprefix("return ")), width), ")"]
    found = _brackets(text)
    if found is None:
        return [text]
    start, end = found
    head, inside, tail = text[: start + 1], text[start + 1 : end], text[end:]
    parts = _parts(inside)
    if len(parts) < 2 and not any(mark in inside for mark in _CLOSES):
        return [text]
    if len(inside) + 4 <= width and len(parts) > 1:
        return [head, f"    {inside.rstrip(',').rstrip()}", tail]
    if len(parts) > _FEW:
        return [head, *_filled(parts, width), tail]
    return [head, *[f"    {row}" for part in parts for row in _folded(f"{part},", width - 4)], tail]


def _filled(parts: list[str], width: int) -> list[str]:
    """The parts, as many on a row as fit."""
    rows: list[str] = []
    row = "   "
    for part in parts:
        if len(row) + len(part) + 2 > width and row.strip():
            rows.append(row)
            row = "   "
        row += f" {part},"
    return [*rows, row]


def _code(text: str) -> Iterator[tuple[int, str]]:
    """The characters of Python text that are in no string, and where each is."""
    quote, at = "", 0
    while at < len(text):
        sign = text[at]
        if quote:
            if sign == "\\":
                at += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'":
            quote = sign
        else:
            yield at, sign
        at += 1


def _brackets(text: str) -> tuple[int, int] | None:
    """Where the last outermost brackets of a statement begin and end."""
    stack: list[int] = []
    found = None
    for at, sign in _code(text):
        if sign in _CLOSES:
            stack.append(at)
        elif sign in _CLOSES.values() and stack:
            start = stack.pop()
            if not stack:
                found = start, at
    return found


def _parts(inside: str) -> list[str]:
    """What commas outside of brackets separate."""
    parts: list[str] = []
    start = depth = 0
    for at, sign in _code(inside):
        if sign in _CLOSES:
            depth += 1
        elif sign in _CLOSES.values():
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(inside[start:at].strip())
            start = at + 1
    rest = inside[start:].strip()
    return [*parts, rest] if rest else parts
