"""HTML for notebooks, small and escaped: what `_repr_html_` of a value is made of, in whatever room the value lives.

Only these functions write tags, and they escape all that they are given: names and comments of a program are its author's words.
Colours are left to the notebook, so that both light and dark ones can be read.
"""

from __future__ import annotations

TYPE_CHECKING = False  # this file is loaded with the values, and `typing` takes 5 ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["MOST_LINES", "MOST_ROWS", "Html", "box", "listing", "table"]

MOST_LINES, MOST_ROWS = 200, 100
"""Of a listing and of a table; what is beyond is counted."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def _escaped(text: object) -> str:
    if isinstance(text, Html):
        return text
    from html import escape

    return escape(str(text))


def box(title: object, *parts: object) -> str:
    """A value: its title, and under it what else there is to see. Parts that are no Html are text."""
    inner = "".join(part if isinstance(part, Html) else f"<div>{_escaped(part)}</div>" for part in parts)
    return f'<div style="margin:.3em 0"><div><b>{_escaped(title)}</b></div>{inner}</div>'


def listing(text: str) -> Html:
    """Lines of a program or of numbers, as they are; of many, the first."""
    lines = text.rstrip("\n").split("\n")
    shown = lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        shown.append(f"... {len(lines) - MOST_LINES:,} more lines")
    style = "margin:.3em 0;max-height:30em;overflow:auto;line-height:1.35;text-align:left"
    return Html(f'<pre style="{style}">{_escaped(chr(10).join(shown))}</pre>')


def table(columns: Sequence[object], rows: Iterable[Sequence[object]]) -> Html:
    """A table with a heading; of many rows, the first."""
    found = list(rows)
    head = "".join(f'<th scope="col" style="text-align:left">{_escaped(cell)}</th>' for cell in columns)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{_escaped(cell)}</td>' for cell in row) + "</tr>"
        for row in found[:MOST_ROWS]
    )
    more = f"<div>... {len(found) - MOST_ROWS:,} more rows</div>" if len(found) > MOST_ROWS else ""
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}")
