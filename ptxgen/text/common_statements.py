"""The common statements of a body, each on a line of its own, read without tokens: nearly all that compilers write.

One pattern recognises a line

    [@p | @!p] opcode [operands] ;      label:      .loc file line column [, function_name ..., inlined_at ...]

alone or before a `//` comment, and a line with that comment only; `common_operands` says which operands are common. Whatever
else there is, and everything that is wrong, is left to the general parser, which goes on from there. `tools/fuzz/parser.py`
holds the two to the same module, places and errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.ir import Comment, Instruction, Label, LineDirective, Not, Register, Symbol
from ptxgen.text.common_operands import NAME, NUMBER, Uncommon
from ptxgen.text.lexer import OPCODE, comment_text

if TYPE_CHECKING:
    from ptxgen.ir import Operand, Statement
    from ptxgen.text.common_operands import CommonOperands
    from ptxgen.text.cursor import Cursor

__all__ = ["common_statements"]

_NEXT = r"(?=[ \t\r]*(?://[^\n]*)?\n(?:\s|//[^\n]*\n)*"
"""Looks at what follows on the next lines, behind comments."""

_STATEMENT = re.compile(
    rf"""
    \s*
    (?: (?:@(!?{NAME})[ \t]+)? ({OPCODE}) (?:[ \t]+([^;"/\n]*))? ;
      | ({NAME})[ \t]*: {_NEXT}(?:[^\s./]|\.(?!branchtargets|calltargets|callprototype)))
      | \.loc[ \t]+({NUMBER}[ \t]+{NUMBER}[ \t]+{NUMBER} (?:
            ,[ \t]*function_name[ \t]+{NAME}(?:\+{NUMBER})?,[ \t]*inlined_at[ \t]+{NUMBER}[ \t]+{NUMBER}[ \t]+{NUMBER}
          | {_NEXT}[^\s/,;]) ))
      | (?=//)
    )
    [ \t\r]* (//[^\n]*)? \n
  | # nothing: the line is not common
    """,
    re.VERBOSE | re.ASCII,
)

_INLINED = re.compile(r"\d+[ \t]+\d+[ \t]+\d+,\s*function_name\s+([\w$%]+)(?:\+(\d+))?,\s*inlined_at\s+(.*)", re.ASCII)


def common_statements(c: Cursor, at: int, end: int, statements: list[Statement]) -> int:
    """Read the common statements from offset `at`, where a line begins, up to `end`; where they stop is the answer."""
    part, base, opcodes, operands = c.part, c.base, c.opcodes, c.scope.common
    operand, append = operands.__getitem__, statements.append
    for match in _STATEMENT.finditer(c.tokens.source, at, end):
        guard, op, written, label, line, comment = match.groups()
        if op is not None:
            try:
                if written is None:
                    found: tuple[Operand, ...] = ()
                elif "{" in written:
                    found = operands.of(written)
                else:
                    try:
                        found = tuple(map(operand, written.split(", ")))
                    except Uncommon:
                        found = operands.of(written)
                pred = None if guard is None else _guard(operands, guard)
            except Uncommon:
                break
            if op not in opcodes:
                if op == "call" or op[:5] == "call.":
                    break
                opcodes[op] = op
            if comment is not None:
                append(Comment(comment_text(comment)))
            append(Instruction(opcodes[op], found, pred, (part, match.start() - base)))
        elif label is not None:
            append(Label(label, (part, match.start() - base)))
            if comment is not None:
                append(Comment(comment_text(comment)))
        elif line is not None or comment is not None:
            if comment is not None:
                append(Comment(comment_text(comment)))
            if line is not None:
                append(_line(line))
        else:
            break
        at = match.end()
    return at


def _guard(operands: CommonOperands, text: str) -> Register | Symbol | Not:
    found = operands[text]
    register = found.operand if isinstance(found, Not) else found
    if not isinstance(register, (Register, Symbol)):
        raise Uncommon
    return found  # type: ignore[return-value]


def _line(text: str) -> LineDirective:
    """`1 2 3`, `1 2 3, function_name label+4, inlined_at 1 2 3`."""
    file, line, column, *_ = text.replace(",", " ").split(None, 3)
    inlined = None
    if "," in text:
        match = _INLINED.fullmatch(text)
        assert match is not None
        label, offset, place = match.groups()
        inlined = f"function_name {label}{f'+{offset}' if offset else ''}, inlined_at {' '.join(place.split())}"
    return LineDirective(int(file), int(line), int(column), inlined)
