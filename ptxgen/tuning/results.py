"""What came out of tuning: a row for each candidate, a result for each class of shapes, and the table that shows them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.kernels.space import as_shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.kernels.space import Config, Shape, ShapeClass

__all__ = ["ClassResult", "Progress", "Row", "TuneResult"]

_SHOWN = 40
"""Candidates that a printed table has; `rows` has them all."""


class Progress(NamedTuple):
    """How far tuning is with a class of shapes: `stage` is "build", "assemble", "load", "check" or "time". `config` is what is
    launched for the first time now, which is told before, so that one that hangs is known; `best` the fastest so far."""

    shape_class: ShapeClass
    stage: str
    done: int
    total: int
    config: str = ""
    best: str = ""


class Row(NamedTuple):
    """A candidate. `microseconds`: the median for each shape that was timed; `reason`: why it was dropped, "" for one that was
    timed to the end. `registers` of a thread and `spills` in bytes as the assembler says, `shared` in bytes of a CTA, static and
    dynamic; None where it is not known."""

    config: Config
    microseconds: Mapping[Shape, float]
    reason: str = ""
    threads: int | None = None
    registers: int | None = None
    spills: int | None = None
    shared: int | None = None

    @property
    def score(self) -> float | None:
        """The geometric mean of the times; None where a shape has none."""
        if not self.microseconds:
            return None
        product = 1.0
        for each in self.microseconds.values():
            product *= each ** (1 / len(self.microseconds))
        return product

    @property
    def order(self) -> float:
        """The score, or infinity: what candidates are sorted by."""
        score = self.score
        return math.inf if score is None else score

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        times = {"x".join(map(str, shape)): us for shape, us in self.microseconds.items()}
        return {**self._asdict(), "config": dict(self.config), "microseconds": times}


class ClassResult(NamedTuple):
    """The candidates for the shapes of one class, the fastest first, then what was dropped. `winner` is None where none is left.

    `source`: "measured", or "kept" where an earlier call had found the winner; then there are no rows. `removed`: what rules of
    the space removed, with the counts. `assembler`: whose figures registers and spills are, or why there are none.
    """

    shape_class: ShapeClass
    shapes: tuple[Shape, ...]
    winner: Config | None
    rows: tuple[Row, ...]
    source: str
    removed: tuple[tuple[str, int], ...] = ()
    assembler: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            **self._asdict(),
            "winner": None if self.winner is None else dict(self.winner),
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        shapes = ", ".join("x".join(map(str, shape)) for shape in self.shapes)
        lines = [f"{shapes}: {'nothing is left' if self.winner is None else self.winner} ({self.source})"]
        if self.rows:
            cells = [_cells(row) for row in self.rows[:_SHOWN]]
            lines += _table(("us", "threads", "registers", "spills", "shared", "configuration", "dropped"), cells)
        if len(self.rows) > _SHOWN:
            lines.append(f"  ... and {len(self.rows) - _SHOWN} more")
        lines += [f"  {count} removed by {text}" for text, count in self.removed]
        lines += [f"  registers and spills: {self.assembler}"] if self.assembler else []
        return "\n".join(lines)


class TuneResult(NamedTuple):
    """What `tune` found on a device: a result for each class of shapes, in the order of the shapes."""

    kernel: str
    device: str
    classes: tuple[ClassResult, ...]

    @property
    def winner(self) -> Config:
        """The winner where all shapes are of one class; `of(shape)` says it of several. LookupError there."""
        if len(self.classes) != 1:
            raise LookupError(f"there are {len(self.classes)} classes of shapes: ask `of(shape)`")
        found = self.classes[0].winner
        assert found is not None
        return found

    def of(self, shape: Any) -> Config:
        """The winner of a shape's class. LookupError for a shape that was not tuned."""
        wanted = as_shape(shape)
        for each in self.classes:
            if wanted in each.shapes and each.winner is not None:
                return each.winner
        raise LookupError(f"{wanted} was not tuned; there are {[s for each in self.classes for s in each.shapes]}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**self._asdict(), "classes": [each.to_dict() for each in self.classes]}

    def __str__(self) -> str:
        return "\n".join([f"{self.kernel} on {self.device}", *map(str, self.classes)])


def _cells(row: Row) -> tuple[str, ...]:
    score = row.score
    figures = (row.threads, row.registers, row.spills, row.shared)
    time = "-" if score is None else f"{score:.2f}"
    return (time, *("-" if figure is None else str(figure) for figure in figures), str(row.config), row.reason)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under their heads; figures to the right, the last two to the left."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    figures = len(head) - 2
    return [
        "  " + "  ".join(
            cell.rjust(width) if i < figures else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in (head, *rows)
    ]  # fmt: skip
