"""Whole small modules, one verdict each: what stands outside instructions cannot be asked line by line.

A planted error keeps the assembler from generating code and from linking, so that its front end alone judges.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.assembler import nvjitlink
from ptxgen.assembler.pool import WorkerDied, WorkerHung, cpu_count
from ptxgen.errors import PtxSyntaxError
from ptxgen.text import parse
from ptxgen.verifier import verify
from tools.certify.verdicts import CRASH, TIME_LIMIT

if TYPE_CHECKING:
    from ptxgen.isa.targets import Target
    from tools.certify.verdicts import Tool

__all__ = ["Case", "Outcome", "ask", "rows_markdown"]

_PLANTED = "\n.visible .entry planted_() {\nplanted.u32 %r1;\n}\n"
_LINE = re.compile(r"line (\d+); (error|fatal)\s*: (.*)")


class Case(NamedTuple):
    """A module's text without its head, where it is asked, and what the rows say the assembler will say.

    `options` are those of .target.
    """

    text: str
    version: tuple[int, int]
    target: Target
    legal: bool
    about: str
    options: str = ""
    whole: bool = False

    def module(self) -> str:
        head = f".version {self.version[0]}.{self.version[1]}\n.target {self.target.name}{self.options}\n.address_size 64\n"
        return head + self.text


class Outcome(NamedTuple):
    """How many modules were asked, and every difference: from the row, or between the verifier and the assembler."""

    questions: int
    accepted: int
    refused: int
    unexplained: list[str]

    def __str__(self) -> str:
        counts = f"{self.questions} modules, {self.accepted} accepted, {self.refused} refused"
        return f"{counts}, {len(self.unexplained)} not as the rows say"


def rows_markdown(rows: dict[str, Outcome]) -> str:
    """The part of the report about what is not an instruction."""
    lines = [
        "",
        "## Directives, special registers and targets",
        "",
        "Small modules, each judged by the assembler and by the verifier: at the minimum, just below it, in the wrong place,",
        "with the wrong type or argument, and on every target.",
        "",
        "| what | modules | accepted | refused | differences |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {what} | {o.questions} | {o.accepted} | {o.refused} | {len(o.unexplained)} |" for what, o in rows.items()
    ]
    return "\n".join([*lines, ""])


def ask(tool: Tool, cases: list[Case]) -> Outcome:
    """The assembler's and the verifier's verdict on every case."""
    with ThreadPoolExecutor(cpu_count()) as threads:
        answers = list(threads.map(lambda case: _verdict(tool, case), cases))
    differences = []
    for case, answer in zip(cases, answers):
        ours = _ours(case)
        if (answer is None) is not case.legal or (ours is None) is not (answer is None):
            differences.append(
                f"{case.about}\n    PTX {case.version[0]}.{case.version[1]}, {case.target.name}{case.options}\n"
                f"    assembler: {answer or 'accepted'}\n    ptxgen: {ours or 'accepted'}\n"
                f"    the row: {'there' if case.legal else 'not there'}"
            )
    accepted = sum(answer is None for answer in answers)
    return Outcome(len(cases), accepted, len(cases) - accepted, differences)


def _verdict(tool: Tool, case: Case) -> str | None:
    """None when the assembler has nothing against the module, else its words."""
    text = case.module()
    lines = text.count("\n") + 1
    try:
        data = text if case.whole else text + _PLANTED
        cubin, log = nvjitlink.run(tool.path, data.encode(), case.target.name, (), "case.ptx", TIME_LIMIT)
    except (WorkerDied, WorkerHung):
        return CRASH
    if case.whole:
        return None if cubin else log.strip()
    heard = False
    for message in _LINE.finditer(log):
        if int(message[1]) <= lines:
            return message[3]
        heard = True
    return None if heard else log.strip() or "no word"


def _ours(case: Case) -> str | None:
    try:
        findings = verify(parse(case.module()))
    except PtxSyntaxError as error:
        return str(error.diagnostics[0].message)
    return next((f"{f.code} {f.message}" for f in findings if f.is_error), None)
