"""The hunt: what the verifier says, then drawn cases, each watched and under every schedule; a finding once, its case shrunk."""

from __future__ import annotations

import random
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.executors import in_pieces
from ptxgen.hunt.findings import Finding, Report, Step
from ptxgen.hunt.outcomes import case_in_words, finding_of
from ptxgen.hunt.rules import level_of_code
from ptxgen.hunt.source_map import SourceMap
from ptxgen.hunt.worker import CaseWorker, try_cases
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor

    from ptxgen.hunt.domains import Number
    from ptxgen.hunt.subjects import Case, Subject

__all__ = ["Budget", "find_bugs"]

Numbers = dict[str, "Number"]
Result = tuple[str, dict[str, Any]]
"""A step of a case, and what Trials.run gave."""

_SHRINKING = 40
"""Cases that are tried to make that of one finding smaller."""
_REPEATS = 20
"""Draws that give nothing new, one after the other, before the cases count as exhausted."""
_PIECE = 4
"""Cases that an executor's worker gets at once: one takes a tenth of a second and more."""


class Budget(NamedTuple):
    """How long a hunt may last: so many seconds or cases, whichever is first; a launch at most `time_limit` seconds."""

    seconds: float = 60.0
    cases: int = 100
    time_limit: float = 10.0


USUAL = Budget()


def find_bugs(
    subject: Subject,
    *,
    program: str = "",
    budget: Budget = USUAL,
    seed: int = 0,
    tell: Callable[[str], None] = lambda said: None,
    executor: Executor | None = None,
) -> Report:
    """Hunts in a subject. `tell` hears of progress, in words. For a seed the cases are the same, and the findings too where the
    number of cases ends the hunt. The workers of an `executor`, of whatever machines, try the cases; findings are those of
    the same hunt without it, their cases are shrunk here. Raises WorkLostError where workers did not come back."""
    hunt = _Hunt(subject, budget, seed, tell)
    hunt.read_the_text()
    if not any(found.level == "error" for found in hunt.findings.values()):  # an illegal module does not run
        hunt.try_cases(executor)
    return Report(
        program, subject.entry.name, seed, tuple(hunt.findings.values()), hunt.cases, hunt.elapsed(), subject.guesses,
        tuple(hunt.skipped.items()), hunt.complete,
    )  # fmt: skip


class _Hunt:
    def __init__(self, subject: Subject, budget: Budget, seed: int, tell: Callable[[str], None]) -> None:
        self.subject = subject
        self.budget = budget
        self.seed = seed
        self.tell = tell
        self.findings: dict[tuple[object, ...], Finding] = {}
        self.skipped: Counter[str] = Counter()
        self.cases = 0
        self.complete = True
        self._began = time.monotonic()
        self._sources = SourceMap(subject.module)
        self._worker = CaseWorker(subject.described(), budget.time_limit)

    def elapsed(self) -> float:
        return time.monotonic() - self._began

    def out_of_time(self) -> bool:
        return self.elapsed() >= self.budget.seconds

    # -- the verifier -------------------------------------------------------------------------------------------------

    def read_the_text(self) -> None:
        """Every finding of the verifier but advice."""
        for found in verify(self.subject.module):
            written = [place for place in found.locations if place.kind != "declaration"]
            ptx = next((place for place in written if place.kind == "ptx"), None)
            step = Step(
                "",
                written[0].excerpt() if written else "",
                self.subject.places(tuple(written)),
                self._sources.lines(ptx),
            )
            hint = found.hint or found.expected or ""
            level = level_of_code(found.code, found.severity)
            self._keep(
                Finding(
                    found.code, level, found.message, self.subject.entry.name, (step,), hint, seconds=self.elapsed()
                )
            )

    # -- cases --------------------------------------------------------------------------------------------------------

    def try_cases(self, executor: Executor | None) -> None:
        """Draws until the budget is spent, or nothing new is drawn; each case's findings are taken in order of the draws."""
        drawn = self._cases()
        for numbers, steps in self._here(drawn) if executor is None else self._elsewhere(drawn, executor):
            self.cases += 1
            case = case_in_words(self.subject.case(numbers))
            self.tell(f"case {self.cases}, {self.elapsed():.1f} s, {len(self.findings)} findings: {case}")
            for do, result in steps:
                self._take(do, numbers, result)

    def _cases(self) -> Iterator[Numbers]:
        """The numbers of different cases, as many as the budget has."""
        tried: set[Case] = set()
        repeats = number = 0
        while len(tried) < self.budget.cases and repeats < _REPEATS:
            numbers = self._drawn(number)
            number += 1
            case = self.subject.case(numbers)
            repeats = repeats + 1 if case in tried else 0
            if not repeats:
                tried.add(case)
                yield numbers

    def _here(self, drawn: Iterable[Numbers]) -> Iterator[tuple[Numbers, Iterable[Result]]]:
        for numbers in drawn:
            if self.out_of_time():
                self.complete = False
                return
            yield numbers, self._worker.steps(self.subject.case(numbers))

    def _elsewhere(self, drawn: Iterable[Numbers], executor: Executor) -> Iterator[tuple[Numbers, Iterable[Result]]]:
        """The same, in the same order, as far as an executor's workers come in time."""
        numbers = list(drawn)
        cases = [self.subject.case(each) for each in numbers]
        attempt = partial(try_cases, self.subject.described(), self.budget.time_limit)
        done: dict[Case, list[Result]] = {}
        following = 0
        for case, steps in in_pieces(executor, attempt, cases, size=_PIECE):
            done[case] = steps
            while following < len(cases) and cases[following] in done:
                yield numbers[following], done.pop(cases[following])
                following += 1
            if self.out_of_time():
                self.complete = following == len(cases)
                return

    def _drawn(self, number: int) -> Numbers:
        """The numbers of the case of a number: the usual ones first."""
        rng = random.Random(f"{self.seed}/{number}")
        domains = self.subject.domains.items()
        return {name: domain.usual() if number == 0 else domain.draw(rng) for name, domain in domains}

    def _take(self, do: str, numbers: Numbers, result: dict[str, Any]) -> None:
        """What a step of a case found."""
        case = self.subject.case(numbers)
        if result["skipped"] and not (result["timed_out"] and do == "watch"):
            self.skipped[result["skipped"]] += 1
        for row in sorted(result["findings"], key=lambda row: row["tool"] != "racecheck"):
            found = self._finding(row, case, result["schedule"])
            if found.key in self.findings or self._follows_from_a_race(found):
                continue
            seconds = self.elapsed()
            if found.level != "note":
                found = self._smallest(do, numbers, found)
            self._keep(found._replace(seconds=seconds))

    def _follows_from_a_race(self, found: Finding) -> bool:
        """Whoever races may read too early, and gives other results by another schedule: that is no mistake of its own."""
        races = [each for each in self.findings.values() if each.is_race]
        if found.rule == "schedule":
            return bool(races)
        reads = found.steps[0].key if found.rule.startswith("uninitialised-read") and found.steps else None
        return any(step.key == reads for race in races for step in race.steps)

    def _smallest(self, do: str, numbers: Numbers, found: Finding) -> Finding:
        """The same finding by a case that is as small as it becomes, one number after the other."""
        best, left = found, _SHRINKING
        again = True
        while again and left > 0:
            again = False
            for name, domain in self.subject.domains.items():
                for value in domain.simpler(numbers[name]):
                    if left <= 0 or self.out_of_time():
                        return best
                    left -= 1
                    smaller = {**numbers, name: value}
                    case = self.subject.case(smaller)
                    result = self._worker.run(do, case)
                    same = [self._finding(row, case, result["schedule"]) for row in result["findings"]]
                    same = [each for each in same if each.key == found.key]
                    if same:
                        numbers, best, again = smaller, same[0], True
                        break
        return best

    def _finding(self, row: dict[str, Any], case: Case, schedule: str) -> Finding:
        return finding_of(row, case, schedule, self.subject, self._sources)

    def _keep(self, found: Finding) -> None:
        if found.key not in self.findings:
            if found.is_race:
                found = self._with_what_the_verifier_says(found)
            self.findings[found.key] = found
            self.tell(f"found {found.level} {found.rule}: {found.message}")

    def _with_what_the_verifier_says(self, race: Finding) -> Finding:
        """The race, with the code of the verifier that says it of one of its accesses, which then is no finding of its own."""
        ends = [step.key for step in race.steps]
        same = [found for found in self.findings.values() if found.rule == "PTX507" and found.steps[0].key in ends]
        for found in same:
            del self.findings[found.key]
            race = race._replace(also=(found.rule,), seconds=min(race.seconds, found.seconds))
        return race
