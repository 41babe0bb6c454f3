"""What stands before the cursor in its statement, which is unfinished: the words of its name, and which operand comes."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ptxgen.lsp.model.program import Program

__all__ = ["BeforeCursor", "before_cursor", "operand_of"]

_REMARK = re.compile(r"//[^\n]*\n?|/\*[\s\S]*?\*/")
_LABELS = re.compile(r"\s*(?:[A-Za-z_$%][\w$]*\s*:(?!:)\s*)*")
_LINE_STATEMENTS = re.compile(r"\s*\.(?:version|target|address_size|loc|loc_intermediate|file)\b[^\n]*\n")
_GUARD = re.compile(r"@\s*!?\s*[%$\w]+\s+")
_BEGINS = re.compile(r"\s*(?:@\s*!?\s*[%$\w]+\s+)?(?:[a-z][\w.:]*|\.[a-z]\w*)(?:\s|\Z)")
_NAME = re.compile(r"[A-Za-z][\w.:]*|\.[\w.]*")


class BeforeCursor(NamedTuple):
    """`text` is the statement up to the cursor, without guard, comments and labels; `name` its first word and `rest` what stands
    behind that, None where the cursor is still in the first word. `guard`: the cursor is in a guard."""

    text: str
    name: str
    rest: str | None
    guard: bool = False


def before_cursor(program: Program, offset: int) -> BeforeCursor:
    """The unfinished statement that a place ends."""
    text = _statement_text(program, offset)
    if text.startswith("@"):
        guard = _GUARD.match(text)
        if guard is None:
            return BeforeCursor(text, text.lstrip("@! "), None, guard=True)
        text = text[guard.end() :]
    name = _NAME.match(text)
    if name is None:
        return BeforeCursor(text, "", text if text else None)
    rest = None if name.end() == len(text) else text[name.end() :]
    return BeforeCursor(text, name[0], rest)


def _statement_text(program: Program, offset: int) -> str:
    index = bisect_right(program.starts, offset) - 1
    start = 0
    if index >= 0:
        start = program.starts[index] if program.ends[index] >= offset else program.ends[index] + 1
    text = _REMARK.sub(" ", program.text[start:offset])
    while (line := _LINE_STATEMENTS.match(text)) is not None:
        text = text[line.end() :]
    lines = text.split("\n")
    for number in range(len(lines) - 1, 0, -1):  # a line before may lack its semicolon
        above = next((line.strip() for line in reversed(lines[:number]) if line.strip()), "")
        if _BEGINS.match(lines[number]) and not above.endswith((",", "{", "(", "[", "=", "|", "+", "-")):
            text = "\n".join(lines[number:])
            break
    labels = _LABELS.match(text)
    return text[labels.end() :] if labels is not None else text


def operand_of(rest: str) -> tuple[int, list[tuple[str, int]], str]:
    """Of what stands behind a name: (the number of the operand that it ends in, the open brackets with the commas in each, the
    part of a word right before the cursor)."""
    count = 0
    brackets: list[tuple[str, int]] = []
    for sign in rest:
        if sign in "[{(":
            brackets.append((sign, 0))
        elif sign in "]})" and brackets:
            brackets.pop()
        elif sign == ",":
            if brackets:
                brackets[-1] = (brackets[-1][0], brackets[-1][1] + 1)
            else:
                count += 1
    word = re.search(r"[%$\w]*\Z", rest)
    return count, brackets, word[0] if word is not None else ""
