"""Constants where registers may stand, and constants beyond their range: the verifier's verdict and the assembler's.

Each operand of each form that is read is replaced by constants in turn: small ones, those at the edges of what its row states and
just beyond, of the width of its type and one bit wider, floating ones; elements of vectors and coordinates too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.matching.operands import assign
from ptxgen.isa.examples import covering_names, examples
from ptxgen.isa.forms import forms_of, opcodes
from tools.certify.known import Known, explain
from tools.certify.mutations import split_operands
from tools.certify.ours import our_verdicts
from tools.certify.positives import needed_version, resolved_as
from tools.certify.verdicts import Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from ptxgen.isa.forms import OperandType
    from ptxgen.isa.notation import Form
    from tools.certify.verdicts import Tool

__all__ = ["Constant", "Outcome", "certify_constants", "constants", "constants_markdown"]

_FLOATS = ("0f3F800000", "0d3FF0000000000000")
_READ = frozenset({"value", "immediate", "vector", "address"})
_ELEMENT = re.compile(r"(?<=[{,\s])%\w+(?=[,}\s])")


class Constant(NamedTuple):
    """An instruction with a constant in it: of which row and operand, and where it is asked."""

    text: str
    place: Place
    form: Form
    operand: str


class Outcome(NamedTuple):
    """How many were asked, how many both take and both refuse, what the known differences explain, and what nothing does."""

    asked: int
    taken: int
    refused: int
    explained: Counter[Known]
    unexplained: list[str]

    def __str__(self) -> str:
        alike = f"{self.asked} asked, {self.taken} accepted by both, {self.refused} refused by both"
        return f"{alike}, {sum(self.explained.values())} explained, {len(self.unexplained)} not"


def constants_markdown(outcome: Outcome) -> str:
    """The part of the report about constants."""
    lines = [
        "",
        "## Constants",
        "",
        "Each operand that is read, replaced by constants: small ones, the edges of what its row states and what is beyond,",
        "floating ones; one element of a vector, or all of them.",
        "",
        "| asked | accepted by both | refused by both | explained | without a reason |",
        "|---|---|---|---|---|",
        f"| {outcome.asked} | {outcome.taken} | {outcome.refused} | {sum(outcome.explained.values())} "
        f"| {len(outcome.unexplained)} |",
        "",
        "| reason | instructions |",
        "|---|---|",
        *(f"| {known.reason} | {count} |" for known, count in outcome.explained.most_common()),
    ]
    return "\n".join([*lines, ""])


def certify_constants(tool: Tool, only: tuple[str, ...] = (), sample: tuple[Random, int] | None = None) -> Outcome:
    """Ask about every constant, or about a sample: (random, how many)."""
    every = list(constants(tool, only))
    if sample is not None and len(every) > sample[1]:
        every = sample[0].sample(every, sample[1])
    jobs: dict[Place, list[Constant]] = defaultdict(list)
    for constant in every:
        jobs[constant.place].append(constant)
    answers = tool.many({place: [constant.text for constant in each] for place, each in jobs.items()})
    outcome = Outcome(len(every), 0, 0, Counter(), [])
    taken = refused = 0
    for place, each in jobs.items():
        for constant, answer, ours in zip(each, answers[place], our_verdicts([c.text for c in each], place)):
            if (answer is None) is not (ours is None):
                answer = tool.verdicts([constant.text], place)[0]  # by itself: other errors may have touched this one
            if (answer is None) is not (ours is None):
                known = explain(constant.text, answer, ours)
                if known is not None:
                    outcome.explained[known] += 1
                else:
                    outcome.unexplained.append(_told(constant, answer, ours))
            elif answer is None:
                taken += 1
            else:
                refused += 1
    return outcome._replace(taken=taken, refused=refused)


def _told(constant: Constant, answer: str | None, ours: str | None) -> str:
    version = ".".join(map(str, constant.place.version))
    return (
        f"{constant.text}\n    operand {constant.operand} of {constant.form.syntax}, PTX {version}, {constant.place.target}\n"
        f"    assembler: {answer or 'accepted'}\n    ptxgen: {ours or 'accepted'}"
    )


def constants(tool: Tool, only: tuple[str, ...] = ()) -> Iterator[Constant]:
    """Every instruction that is asked about, in the order of the table."""
    for opcode in only or opcodes():
        for form in forms_of(opcode):
            for name in _names(form):
                resolved = resolved_as(name, form)
                if resolved is None or "param::func" in name or form.until is not None:
                    continue
                found = [(needed_version(resolved, target), target) for target in tool.targets]
                places = [Place(max(v, tool.versions[0]), t.name) for v, t in found if v is not None]
                for text in examples(name, resolved) if places else ():
                    op, _, rest = text[:-1].partition(" ")
                    operands = split_operands(rest)
                    wanted = assign(resolved.operands, len(operands)) or []
                    for index, operand in enumerate(wanted):
                        for changed in _changed(operands[index], operand):
                            put = ", ".join([*operands[:index], changed, *operands[index + 1 :]])
                            yield Constant(f"{op} {put};", places[0], form, operand.spec.name)


def _names(form: Form) -> list[str]:
    """The first and the last of the names that cover its modifiers: types differ most there."""
    names = covering_names(form)
    return list(dict.fromkeys([names[0], names[-1]])) if names else []


def _changed(written: str, operand: OperandType) -> Iterator[str]:
    """An operand with constants in it."""
    spec = operand.spec
    elements = spec.elements or (spec,)
    if any(each.written for each in elements) or spec.kind not in _READ or "|" in written:
        return
    if spec.kind in ("value", "immediate") and not written.startswith("{"):
        yield from _tried(operand)
        return
    first = _ELEMENT.search(written)
    if first is not None:
        part = operand.parts[-1] if operand.parts else operand
        for constant in _tried(part, few=True):
            yield written[: first.start()] + constant + written[first.end() :]
        if first.end() + 1 < len(written):
            yield from (_ELEMENT.sub(constant, written) for constant in ("0", *_FLOATS))


def _tried(operand: OperandType, *, few: bool = False) -> list[str]:
    """The constants to try in place of an operand."""
    spec, type_ = operand.spec, operand.type
    numbers = [0, 1] if few else [0, 1, -1, 2]
    if spec.range is not None:
        low, high = spec.range
        numbers += [low - 1, low, high, high + 1]
    if spec.hard is not None:
        low, high, step = spec.hard
        numbers += (
            [low, low + 1, low + step, low - step, high, high + step] if high - low < 1 << 40 else [step, step + 1]
        )
    if spec.values:
        numbers += [*spec.values[:2], *spec.values[-2:], spec.values[0] - 1, spec.values[-1] + 1, spec.values[0] + 1]
    if type_ is not None and not few and type_.kind in "bus":
        bits = min(type_.bits, 64)
        numbers += [(1 << bits - 1) - 1, (1 << bits) - 1] + ([1 << bits] if bits < 64 else [])
    kept = [n for n in dict.fromkeys(numbers) if -(1 << 63) <= n < 1 << 64]
    return [*map(str, kept), *_FLOATS]
