"""From what a trial gives, plain data, to findings."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ptxgen.cpu.sanitizer.findings import text_of
from ptxgen.dataflow.bodies.launch_bounds import stated
from ptxgen.hunt.findings import Finding, Step, locations
from ptxgen.hunt.rules import rule_of
from ptxgen.hunt.source_map import SourceMap
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from ptxgen.hunt.subjects import Case, Subject

__all__ = ["case_in_words", "finding_of"]


def finding_of(
    row: dict[str, Any], case: Case, schedule: str, subject: Subject, sources: SourceMap | None = None
) -> Finding:
    """The finding that a row of `Trials.run` is."""
    rule = rule_of(row["tool"], row["kind"])
    steps = tuple(
        Step(each["what"], each["instruction"], subject.places(locations(each["places"])), locations(each["lines"]))
        for each in row["steps"]
    )
    level = {"": rule.level, "arguments": rule.uncertain, "shape": "note"}[subject.uncertain]
    message, hint = row["what"], row["hint"] or rule.help
    if row["tool"] == "schedules":
        argument: int = row["argument"]
        steps = _writers(argument, subject, sources or SourceMap(subject.module))
        message = f"argument {argument}, {subject.argument_name(argument)}: {message}"
        if subject.order:
            level, hint = "note", f"{subject.order}: then this may be as it should"
        elif _needs_a_guessed_grid(case, subject):
            level = "note"
    return Finding(
        rule.id, level, message, subject.entry.name, steps, hint, case_in_words(case), subject.command(case), subject.guesses,
        schedule,
    )  # fmt: skip


def _needs_a_guessed_grid(case: Case, subject: Subject) -> bool:
    """Does it take several CTAs, or clusters, and may the kernel be for one alone?"""
    least = stated(subject.entry, "reqnctapercluster") or (1,)
    return prod(case.grid) > prod(least) and any(guess.startswith("grid:") for guess in subject.guesses)


def _writers(argument: int, subject: Subject, sources: SourceMap) -> tuple[Step, ...]:
    """Where the array of an argument is written, as far as that shows; else the kernel."""
    writer = subject.writer(argument)
    if writer is None:
        return (Step("", f".entry {subject.entry.name}", subject.places(tuple(resolve(subject.entry.source)))),)
    places = tuple(resolve(writer.source))
    return (
        Step(
            "the array is written by",
            text_of(writer),
            subject.places(places),
            sources.lines(places[0] if places else None),
        ),
    )


def case_in_words(case: Case) -> str:
    """For people: the shape, and the arguments, long ones cut."""
    if case.problem is not None:
        return f"problem {case.problem[0]}, seed {case.problem[1]}"
    shape = f"grid {'x'.join(map(str, case.grid))}, block {'x'.join(map(str, case.block))}"
    given = " ".join(text if len(text) < 60 else f"{text[:57]}..." for text in case.arguments)
    return f"{shape}, arguments {given}" if given else shape
