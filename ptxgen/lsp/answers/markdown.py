"""An explanation as Markdown, as editors show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.verifier.explanation import Explanation
    from ptxgen.verifier.explanation.pages import Topic

__all__ = ["code_block", "explained", "table"]

_LONGEST_TABLE = 24
"""Rows; what is longer is in the page of `ptxgen explain`."""


def code_block(text: str, language: str = "ptx") -> str:
    """Text as it stands; a row of backquotes in it does not end the block."""
    fence = "```" if "```" not in text else "~~~~"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def table(rows: Sequence[Sequence[str]], *, headed: bool = False) -> str:
    """Rows under each other; the first is a heading with `headed`."""
    width = max(map(len, rows))
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    head, body = (filled[0], filled[1:]) if headed else ([""] * width, filled)
    shown = body[:_LONGEST_TABLE]
    lines = [_row(head), _row(["---"] * width), *map(_row, shown)]
    if len(body) > len(shown):
        lines.append(_row([f"... {len(body) - len(shown)} more", *[""] * (width - 1)]))
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    for sign in "\\|<>*_`":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def explained(page: Explanation, *, without: Iterable[str] = ()) -> str:
    """A page of `ptxgen explain`, but for the topics under some headings."""
    parts = [f"**`{page.name}`** {_escaped(page.title)}"]
    for topic in page.topics:
        if topic.heading in without:
            continue
        if topic.heading:
            parts.append(f"**{topic.heading}**")
        parts.append(_topic(topic))
    return "\n\n".join(parts)


def _topic(topic: Topic) -> str:
    if topic.code or (topic.heading in ("Form", "Syntax") and len(topic.rows) == 1):
        return code_block(topic.rows[0][0])
    if all(len(row) == 1 for row in topic.rows):
        return "\n".join(f"- {_escaped(row[0])}" for row in topic.rows)
    return table(topic.rows, headed=topic.heading == "Operands")
