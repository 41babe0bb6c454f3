"""One run of the certifier: the questions, the answers, and what they differ in."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tools.certify.known import Known, explain
from tools.certify.mutations import mutants
from tools.certify.ours import our_verdicts
from tools.certify.positives import questions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.certify.positives import Question
    from tools.certify.verdicts import Place, Tool

__all__ = ["Result", "certify"]


class Result(NamedTuple):
    """`accepted` and `refused` count confirmed questions by opcode; `explained` counts differences by their entry."""

    names: int
    questions: int
    mutants: int
    accepted: Counter[str]
    refused: Counter[str]
    by_version: Counter[tuple[int, int]]
    by_target: Counter[str]
    agreed: Counter[str]
    explained: Counter[Known]
    unexplained: list[str]


def certify(
    tool: Tool, sample: float, count: int, seed: int, only: tuple[str, ...] = (), elsewhere: float = 1.0
) -> Result:
    """Ask everything; `sample` is the share of multiplied-out names, `count` the number of mutants.

    `elsewhere` is the share of the other names that is asked beyond the lowest place; see `questions`.
    """
    result = Result(0, 0, 0, Counter(), Counter(), Counter(), Counter(), Counter(), Counter(), [])
    names, asked = _forms(tool, questions(tool, sample, seed, only, elsewhere), result)
    told = _mutants(tool, count, seed, result) if count else 0
    return result._replace(names=names, questions=asked, mutants=told)


def _forms(tool: Tool, asked: Iterable[Question], result: Result) -> tuple[int, int]:
    jobs: dict[Place, list[Question]] = defaultdict(list)
    names = set()
    for question in asked:
        jobs[question.place].append(question)
        names.add(question.text.partition(" ")[0].rstrip(";"))
    answers = tool.many({place: [q.text for q in each] for place, each in jobs.items()})
    for place, each in jobs.items():
        for question, answer in zip(each, answers[place]):
            if (answer is None) is not question.legal:
                answer = tool.verdicts([question.text], place)[0]
            if (answer is None) is question.legal:
                (result.accepted if question.legal else result.refused)[question.form.opcode] += 1
                if question.legal:
                    result.by_version[place.version] += 1
                    result.by_target[place.target] += 1
            else:
                _differ(result, question.text, place, answer, "the table has it" if question.legal else None)
    return len(names), sum(map(len, jobs.values()))


def _mutants(tool: Tool, count: int, seed: int, result: Result) -> int:
    jobs: dict[Place, list[tuple[str, Question]]] = defaultdict(list)
    for name, question in mutants(tool, count, Random(seed)):
        jobs[question.place].append((name, question))
    answers = tool.many({place: [q.text for _, q in each] for place, each in jobs.items()})
    for place, each in jobs.items():
        for (name, question), answer, ours in zip(each, answers[place], our_verdicts([q.text for _, q in each], place)):
            if (answer is None) is not (ours is None):
                answer = tool.verdicts([question.text], place)[0]  # by itself: other errors may have touched this one
            if (answer is None) is (ours is None):
                result.agreed[name] += 1
            else:
                _differ(result, question.text, place, answer, ours)
    return count


def _differ(result: Result, text: str, place: Place, answer: str | None, ours: str | None) -> None:
    known = explain(text, answer, ours)
    if known is not None:
        result.explained[known] += 1
        return
    version = f"{place.version[0]}.{place.version[1]}"
    result.unexplained.append(
        f"{text}\n    PTX {version}, {place.target}\n    assembler: {answer or 'accepted'}\n    ptxgen: {ours or 'accepted'}"
    )
