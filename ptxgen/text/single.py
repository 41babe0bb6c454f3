"""One statement alone, finished or not, for editors: its tokens, and the instruction that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Register, SourceText
from ptxgen.text.cursor import Cursor, Unexpected
from ptxgen.text.lexer import END, Tokens
from ptxgen.text.operands import instruction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.ir import Instruction

__all__ = ["single_instruction", "tokens_of"]


def tokens_of(text: str) -> list[tuple[int, str]]:
    """(offset, token) of a text, without comments."""
    tokens = Tokens(text, len(text))
    while tokens.read_on():
        pass
    return [(start, token) for start, token in zip(tokens.starts, tokens.texts) if token != END]


def single_instruction(text: str, registers: Iterable[Register], symbols: Iterable[str]) -> Instruction | None:
    """The instruction that a text is, without its `;`, where these names are declared; None where it is none, or unfinished."""
    cursor = Cursor(SourceText(f"{text};", "<statement>"), common=False)
    while cursor.tokens.read_on():
        pass
    for register in registers:
        cursor.scope.register(register.name, register.type, register.lanes)
    for symbol in symbols:
        cursor.scope.symbol(symbol)
    try:
        found = instruction(cursor)
    except (Unexpected, RecursionError):
        return None
    return None if cursor.findings else found
