"""What a hunt has found: a finding as a value, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.errors import Location

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Finding", "Report", "Step"]


class Step(NamedTuple):
    """What a thread did. `places` are those of the PTX, the Python function or the template, `lines` those of the source that
    `.loc` names, innermost first."""

    what: str
    instruction: str
    places: tuple[Location, ...] = ()
    lines: tuple[Location, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for what comes from one line of the source, or else of the PTX: copies of an unrolled loop are one."""
        found = self.lines or self.places[:1]
        return tuple((place.file, place.line, place.column) for place in found) or (self.instruction,)

    def listed(self) -> list[str]:
        """As lines of a report."""
        told = [f"  {self.what}: {self.instruction}" if self.what else f"  {self.instruction}"]
        return told + [f"    {place}  {place.excerpt()}".rstrip() for place in (*self.places[:1], *self.lines)]

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "instruction": self.instruction,
            "places": [_plain(place) for place in self.places],
            "lines": [_plain(place) for place in self.lines],
        }


def _plain(place: Location) -> dict[str, Any]:
    return {"kind": place.kind, "file": place.file, "line": place.line, "column": place.column, "text": place.excerpt()}


class Finding(NamedTuple):
    """One mistake, however often it was seen.

    rule: its id (`rules.RULES`), or a code of the verifier. level: "error", "warning" or "note". steps: the accesses that are at
    odds, the threads that wait. case: the smallest launch that shows it, in words; command: what finds it again; both "" for
    what the verifier says of the text. guesses: what of that launch nobody stated. schedule: the one that shows it, where it is
    not the usual one. also: codes of the verifier that say the same. seconds: after which it was found.
    """

    rule: str
    level: str
    message: str
    kernel: str
    steps: tuple[Step, ...] = ()
    hint: str = ""
    case: str = ""
    command: str = ""
    guesses: tuple[str, ...] = ()
    schedule: str = ""
    also: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the same mistake. Two accesses that race do so whichever of them comes first."""
        if self.is_race:
            return ("race", *sorted(map(repr, (step.key for step in self.steps))))
        return (self.rule, *(step.key for step in self.steps[:1]), *(() if self.steps else (self.message,)))

    @property
    def is_race(self) -> bool:
        """Is it that two accesses are not ordered?"""
        return self.rule.startswith("race/")

    def __str__(self) -> str:
        told = [f"{self.level} {self.rule}: {self.message}", f"  kernel {self.kernel}"]
        for step in self.steps:
            told += step.listed()
        told += [f"  schedule: {self.schedule}"] if self.schedule else []
        told += [f"  also:    {', '.join(self.also)}, as the verifier reads it"] if self.also else []
        told += [f"  instead: {self.hint}"] if self.hint else []
        told += [f"  again:   {self.command}"] if self.command else []
        told += [f"  guessed: {guess}" for guess in self.guesses]
        return "\n".join(told)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`. Times are left out: it is the same for a seed."""
        found = self._asdict()
        del found["seconds"]
        return {
            **found,
            "steps": [step.to_dict() for step in self.steps],
            "guesses": list(self.guesses),
            "also": list(self.also),
        }


class Report(NamedTuple):
    """A hunt's end. `cases` were tried; `skipped` says why some could not be, each reason once with how often."""

    program: str
    kernel: str
    seed: int
    findings: tuple[Finding, ...]
    cases: int
    seconds: float
    guesses: tuple[str, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    complete: bool = True
    """Whether the cases, and not the time, ended it."""

    @property
    def bugs(self) -> tuple[Finding, ...]:
        """The findings that are more than notes."""
        return tuple(found for found in self.findings if found.level != "note")

    def to_dict(self) -> dict[str, Any]:
        return {
            "program": self.program,
            "kernel": self.kernel,
            "seed": self.seed,
            "cases": self.cases,
            "complete": self.complete,
            "guesses": list(self.guesses),
            "skipped": [{"why": why, "times": times} for why, times in self.skipped],
            "findings": [found.to_dict() for found in self.findings],
        }


def locations(rows: Iterable[dict[str, Any]]) -> tuple[Location, ...]:
    """From plain data back to values."""
    return tuple(Location(row["kind"], row["file"], row["line"], row["column"], row["text"] or None) for row in rows)
