"""Layouts drawn: as text in 120 columns, and as SVG.

A cell is a run of elements of one row that lie side by side in one register (or one column of tensor memory), so a row of A
for bf16 is eight cells `T0 r0`, not sixteen. SVG is written by hand: a drawing is rectangles and words on a grid, and a plotting
library would be a large dependency for less control over them.
"""

from __future__ import annotations

from html import escape
from itertools import groupby

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.isa.layouts.mixed_radix import LayoutError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.isa.layouts.mixed_radix import Layout

__all__ = ["svg", "text"]

VIEWS = ("matrix", "lanes")
COLOURS = ("lane", "register")
MOST_ROWS = 400
"""Rows of text after which a drawing is cut, with a line that says so."""


class Cell(NamedTuple):
    """Elements of one row, columns `first` to `last`, that share a register; `lane` and `register` of its first owner.

    `cta` is None for registers; in tensor memory -1 where there is but one, and `register` is the column there.
    """

    row: int
    first: int
    last: int
    lane: int
    register: int
    cta: int | None
    copies: int
    slice: int

    @property
    def label(self) -> str:
        more = "+" if self.copies > 1 else ""
        if self.cta is None:
            return f"T{self.lane}{more} r{self.register}"
        return f"{f'#{self.cta} ' if self.cta >= 0 else ''}L{self.lane}{more} c{self.register}"


def _cells(layout: Layout, row: int) -> list[Cell]:
    """The cells of a row, left to right."""
    found: list[Cell] = []
    memory = "register" not in layout.axes
    for column in range(layout.shape[1]):
        owners = layout.owners(row, column)
        place = owners[0]
        register = place.column if memory else place.register
        last = found[-1] if found else None
        if last is not None and (last.lane, last.register) == (place.lane, register) and last.slice + 1 == place.slice:
            found[-1] = last._replace(last=column, slice=place.slice)
        else:
            cta = None if not memory else place.cta if layout.size("cta") > 1 else -1
            found.append(Cell(row, column, column, place.lane, register, cta, len(owners), place.slice))
    return found


def _heading(layout: Layout) -> list[str]:
    rows, columns = layout.shape
    lines = [
        f"{layout.name}  operand {layout.operand}: {rows} x {columns} of .{layout.type}",
        f"  {layout.formula}",
    ]
    facts = [f"manual {layout.source}"] if layout.source[:1].isdigit() else [layout.source] if layout.source else []
    if layout.copies > 1:
        facts.append(f"each element in {layout.copies} places (+)")
    if layout.shift:
        facts.append(f"an element is {layout.bits} bits wide and starts at bit {layout.shift} of them")
    if layout.note:
        facts.append(layout.note)
    return [*lines, *(f"  {fact}" for fact in facts)]


def text(layout: Layout, *, view: str = "matrix", width: int = 120) -> str:
    """Who holds each element ("matrix"), or what each lane holds ("lanes"). Lines are at most `width` wide."""
    if view not in VIEWS:
        raise LayoutError(f"no view {view!r} of a layout", hint=f"one of {', '.join(VIEWS)}")
    body = list(_matrix(layout, width) if view == "matrix" else _lanes(layout, width))
    if len(body) > MOST_ROWS:
        body = [*body[:MOST_ROWS], f"... and {len(body) - MOST_ROWS} more lines: ask where() or draw it as SVG"]
    return "\n".join([*_heading(layout), "", *body]) + "\n"


def _matrix(layout: Layout, width: int) -> Iterator[str]:
    """Blocks of columns that fit the width, one under the other."""
    rows = [_cells(layout, row) for row in range(layout.shape[0])]
    longest = max(len(cell.label) for row in rows for cell in row)
    starts = sorted({cell.first for row in rows for cell in row})
    heads = {start: str(start) for start in starts}
    across = max(longest, max(map(len, heads.values()))) + 2
    each = max((width - 6) // across, 1)
    for block in range(0, len(starts), each):
        shown = starts[block : block + each]
        yield "      " + "".join(heads[start].ljust(across) for start in shown).rstrip()
        for number, row in enumerate(rows):
            labels = {cell.first: cell.label for cell in row}
            yield f"{number:>4}  " + "".join(labels.get(start, "").ljust(across) for start in shown).rstrip()
        if block + each < len(starts):
            yield ""


def _lanes(layout: Layout, width: int) -> Iterator[str]:
    """One line a lane (wrapped): register: row, columns."""
    memory = "register" not in layout.axes
    held: dict[tuple[int, ...], list[str]] = {}

    def owner(place: tuple[int, ...]) -> tuple[int, ...]:
        return (place[0], place[1]) if memory else (place[0],)

    for key, group in groupby(layout, key=lambda found: owner(found[0])):
        parts = []
        for register, pieces in groupby(group, key=lambda found: found[0][2 if memory else 1]):
            parts.append(f"{'c' if memory else 'r'}{register}: {_extent([element for _, element in pieces])}")
        held[key] = parts
    across = max(len(part) for parts in held.values() for part in parts) + 2
    for key, parts in held.items():
        head = f"#{key[0]} L{key[1]}" if memory else f"T{key[0]}"
        each = max((width - 9) // across, 1)
        for start in range(0, len(parts), each):
            line = "".join(part.ljust(across) for part in parts[start : start + each])
            yield f"{head if start == 0 else '':<8} {line}".rstrip()


def _extent(elements: list[tuple[int, int]]) -> str:
    """(1,2..3) for a run along a row or a column, else every element."""
    rows = [row for row, _ in elements]
    columns = [column for _, column in elements]
    if len(elements) == 1:
        return f"({rows[0]},{columns[0]})"
    if len(set(rows)) == 1 and columns == list(range(columns[0], columns[0] + len(columns))):
        return f"({rows[0]},{columns[0]}..{columns[-1]})"
    if len(set(columns)) == 1 and rows == list(range(rows[0], rows[0] + len(rows))):
        return f"({rows[0]}..{rows[-1]},{columns[0]})"
    return " ".join(f"({row},{column})" for row, column in elements)


# ---- SVG -----------------------------------------------------------------------------------------------------------------

_CELL = 22
_TOP = 64
_LEFT = 40
_UNIT_WIDTH = 8.2
"""Pixels of a character of the label's 12-pixel monospace font, with room."""


def _colour(layout: Layout, cell: Cell, by: str) -> str:
    """A pastel: neighbouring numbers get hues far apart (the golden angle), so that they are told apart side by side."""
    number = cell.lane if by == "lane" else cell.register
    return f"hsl({round(number * 137.508) % 360} 65% {84 - 8 * (number // 8 % 2)}%)"


def svg(layout: Layout, *, colour: str = "lane") -> str:
    """The matrix as an SVG document: a rectangle a cell, labelled with lane and register, coloured by one of them."""
    if colour not in COLOURS:
        raise LayoutError(f"no colours by {colour!r}", hint=f"one of {', '.join(COLOURS)}")
    rows = [_cells(layout, row) for row in range(layout.shape[0])]
    labels = max(len(cell.label) for row in rows for cell in row)
    shortest = min(cell.last - cell.first + 1 for row in rows for cell in row)
    unit = max((labels + 1) * _UNIT_WIDTH / shortest, 3.0)
    heading = _heading(layout)
    across = max(_LEFT + layout.shape[1] * unit + 10, max(map(len, heading)) * 6.8 + 20)
    top = _TOP + 16 * max(len(heading) - 2, 0)
    down = top + layout.shape[0] * _CELL + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down}" '
        f'viewBox="0 0 {across:.0f} {down}" font-family="monospace" font-size="12">',
        f"<title>{escape(layout.name)} {layout.operand}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, line in enumerate(heading):
        weight = ' font-weight="bold"' if number == 0 else ""
        parts.append(
            f'<text x="10" y="{20 + 16 * number}" font-size="11"{weight} xml:space="preserve">{escape(line.strip())}</text>'
        )
    for start in sorted({cell.first for row in rows for cell in row}):
        parts.append(
            f'<text x="{_LEFT + start * unit + 2:.1f}" y="{top - 5}" fill="#666" font-size="10">{start}</text>'
        )
    for number, row in enumerate(rows):
        y = top + number * _CELL
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 15}" fill="#666" font-size="10" text-anchor="end">{number}</text>')
        for cell in row:
            x, wide = _LEFT + cell.first * unit, (cell.last - cell.first + 1) * unit
            columns = f"{cell.first}" if cell.first == cell.last else f"{cell.first} to {cell.last}"
            parts.append(
                f"<g><title>row {cell.row}, column {columns}: {escape(cell.label)}</title>"
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{_CELL}" fill="{_colour(layout, cell, colour)}" '
                f'stroke="#555" stroke-width="0.6"/>'
                f'<text x="{x + wide / 2:.1f}" y="{y + 15}" text-anchor="middle">{escape(cell.label)}</text></g>'
            )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
