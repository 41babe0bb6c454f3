"""How large a part of PTX text may be. What is larger is an error with a code (PTX111), never a long wait or a full memory.

The length of a text and the number of its statements have no bound: work and memory grow with them in proportion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.text.cursor import Cursor

__all__ = ["DIGITS", "NESTED", "PARENTHESES", "VARIABLES", "check_bound"]

NESTED = 100
"""`{}` in one another: scopes of a function, lists of an initialiser."""

PARENTHESES = 50
"""Parentheses in one another in a constant expression, and signs and `?` in a row."""

VARIABLES = 65_536
"""The variables that one `name<count>` declares. Registers so declared are made when they are used: theirs is 2**32."""

DIGITS = 100
"""The characters of a number."""


def check_bound(c: Cursor, found: int, most: int, what: str, *, at: int | None = None) -> None:
    """Raise the error for a part of the text that is larger than it may be."""
    if found > most:
        raise c.unexpected(
            f"at most {most:,} {what}",
            at=c.i if at is None else at,
            code="PTX111",
            message="nested too deeply" if what == "levels" else f"{found:,} {what}",
        )
