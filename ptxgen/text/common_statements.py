"""The common statements of a body, read without tokens: nearly all that compilers write.

One pattern recognises

    [@p | @!p] opcode [operands] ;      .reg .type name, name<count> ;      {      }
    label:                              .loc file line column [, function_name ..., inlined_at ...]

at the end of a line, before a `//` comment or, but for labels and .loc, before another statement on the line, and a line with
such a comment only; `common_operands` says which operands are common. Whatever else there is, and everything that is wrong, is
left to the general parser, which goes on from there. `tools/fuzz/parser.py` holds the two to the same module, places and errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.ir import Block, Comment, Instruction, Label, LineDirective, Not, Register, Symbol
from ptxgen.text.bounds import NESTED
from ptxgen.text.common_operands import NAME, NUMBER, Uncommon
from ptxgen.text.declarations import FUNDAMENTAL, declare_register
from ptxgen.text.lexer import OPCODE, comment_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.ir import Operand, RegisterDeclaration, Statement
    from ptxgen.text.common_operands import CommonOperands
    from ptxgen.text.cursor import Cursor

__all__ = ["Opened", "common_statements"]

Opened = list[tuple[list["Statement"], int]]
"""Blocks of which each is in the one before: their statements so far, and the offset of their `{`."""

_LAST = r"(?=[ \t\r]*(?://[^\n]*)?\n)"
"""Looks whether the line ends here."""

_NEXT = r"(?=[ \t\r]*(?://[^\n]*)?\n(?:\s|//[^\n]*\n)*"
"""Looks at what follows on the next lines, behind comments."""

_DECLARED = rf"{NAME}(?:<{NUMBER}>)?"

_STATEMENT = re.compile(
    rf"""
    \s*
    (?: (?:@(!?{NAME})[ \t]+)? ({OPCODE}) (?:[ \t]+([^;"/\n]*))? ;
      | ({NAME})[ \t]*: {_NEXT}(?:[^\s./]|\.(?!branchtargets|calltargets|callprototype)))
      | \.loc[ \t]+({NUMBER}[ \t]+{NUMBER}[ \t]+{NUMBER} (?:
            ,[ \t]*function_name[ \t]+{NAME}(?:\+{NUMBER})?,[ \t]*inlined_at[ \t]+{NUMBER}[ \t]+{NUMBER}[ \t]+{NUMBER} {_LAST}
          | {_NEXT}[^\s/,;]) ))
      | ([{{}}])
      | \.reg[ \t]+(\.\w+[ \t]+{_DECLARED}(?:,[ \t]*{_DECLARED})*)[ \t]*;
      | (?=//)
    )
    [ \t\r]* (?: (//[^\n]*)? \n | (?=[A-Za-z@.{{}}]) )
  | # nothing: what stands here is not common
    """,
    re.VERBOSE | re.ASCII,
)

_INLINED = re.compile(r"\d+[ \t]+\d+[ \t]+\d+,\s*function_name\s+([\w$%]+)(?:\+(\d+))?,\s*inlined_at\s+(.*)", re.ASCII)


def common_statements(c: Cursor, at: int, end: int, statements: list[Statement], depth: int) -> tuple[int, Opened]:
    """Read the common statements from offset `at` up to `end`, of a block at a depth; the body of a function has depth 1.

    The answer is where they stop, and the blocks that are open there, inside that of `statements`.
    """
    part, base, opcodes, operands = c.part, c.base, c.opcodes, c.scope.common
    operand, append = operands.__getitem__, statements.append
    outer: list[list[Statement]] = []
    opened: Opened = []
    for match in _STATEMENT.finditer(c.tokens.source, at, end):
        guard, op, written, label, _line, brace, _registers, comment = match.groups()
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
        elif brace is not None:
            if brace == "}":
                if not opened:
                    break
                opened.pop()
                statements = outer.pop()
                c.scope.leave()
            else:
                if depth + len(opened) >= NESTED:
                    break
                opened.append(([], match.start(6)))
                statements.append(Block(opened[-1][0]))
                outer.append(statements)
                statements = opened[-1][0]
                c.scope.enter()
            operands = c.scope.common
            operand, append = operands.__getitem__, statements.append
            if comment is not None:
                append(Comment(comment_text(comment)))
        elif label is not None:
            append(Label(label, (part, match.start() - base)))
            if comment is not None:
                append(Comment(comment_text(comment)))
        else:
            made = _directive(c, match)
            if made is None:
                break
            if comment is not None:
                append(Comment(comment_text(comment)))
            statements += made
        at = match.end()
    return at, opened


def _directive(c: Cursor, match: re.Match[str]) -> Sequence[Statement] | None:
    """A directive, or a comment alone, which is none; None for what is not common."""
    line, registers, comment = match.group(5, 7, 8)
    if line is not None:
        return (_line_directive(line),)
    if registers is None:
        return None if comment is None else ()
    type_, names = registers.split(None, 1)
    if type_ not in FUNDAMENTAL:
        return None
    found: list[RegisterDeclaration] = []
    for each in names.split(","):
        name, _, count = each.strip(" \t>").partition("<")
        source = (c.part, match.start() - c.base)
        declare_register(c, found, name, int(count) if count else None, FUNDAMENTAL[type_], source=source)
    return found


def _guard(operands: CommonOperands, text: str) -> Register | Symbol | Not:
    found = operands[text]
    register = found.operand if isinstance(found, Not) else found
    if not isinstance(register, (Register, Symbol)):
        raise Uncommon
    return found  # type: ignore[return-value]


def _line_directive(text: str) -> LineDirective:
    """`1 2 3`, `1 2 3, function_name label+4, inlined_at 1 2 3`."""
    file, line, column, *_ = text.replace(",", " ").split(None, 3)
    inlined = None
    if "," in text:
        match = _INLINED.fullmatch(text)
        assert match is not None
        label, offset, place = match.groups()
        inlined = f"function_name {label}{f'+{offset}' if offset else ''}, inlined_at {' '.join(place.split())}"
    return LineDirective(int(file), int(line), int(column), inlined)
