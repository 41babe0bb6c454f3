"""A document's text -> its report: syntax, the verifier's findings, and the hints of the analyses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.errors import Diagnostic, Location, PtxError, TemplateError
from ptxgen.ir import Module
from ptxgen.isa.forms import resolve
from ptxgen.isa.targets import TARGETS
from ptxgen.lsp.background.hints import hints_of
from ptxgen.lsp.background.report import Finding, Report
from ptxgen.lsp.languages import regions_of
from ptxgen.lsp.model.positions import Span
from ptxgen.text import parse
from ptxgen.text.template_limits import TemplateLimits
from ptxgen.verifier import verify
from ptxgen.verifier.instruction.forms import unknown_form
from ptxgen.dataflow.matching.nearest import nearest_instruction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ptxgen.lsp.model.region import Region

__all__ = ["Job", "judge"]

_LIMITS = TemplateLimits(seconds=5.0)
_ASM_TARGET = "sm_103a"
"""For asm statements, whose target nobody says, where no lower target has all of it."""


class Job(NamedTuple):
    """A version of a document. `parameters` are a template's, as texts; `style`: advice (6xx) is wanted too."""

    name: str
    text: str
    language: str
    version: int
    parameters: Mapping[str, str] = {}
    style: bool = False


def judge(job: Job) -> Report:
    """What is found in a document."""
    report = _JUDGES[job.language](job)
    findings = tuple(sorted(report.findings, key=lambda finding: finding.span))
    return report._replace(findings=findings)


# ---- PTX


def _ptx(job: Job) -> Report:
    (region,) = regions_of(job.text, job.language)
    return _module(job, region, region.text)


def _python(job: Job) -> Report:
    findings: list[Finding] = []
    hints = []
    for region in regions_of(job.text, job.language):
        if region.kind == "name":
            findings += _instruction_name(region)
        elif not region.holes:
            report = _module(job, region, region.text)
            findings += report.findings
            hints += report.hints
    return Report(job.version, tuple(findings), tuple(hints), True)


def _module(job: Job, region: Region, text: str) -> Report:
    try:
        module = parse(text, name=job.name)
        diagnostics = verify(module, style=job.style)
    except PtxError as error:
        found = (_finding(each, region, text) for each in error.diagnostics)
        return Report(job.version, tuple(found))
    found = (_finding(each, region, text) for each in diagnostics)
    starts = _line_starts(text)
    hints = hints_of(module, lambda place: starts[place.line - 1] + (place.column or 1) - 1)
    moved = tuple(hint._replace(offset=hint.offset + region.span.start) for hint in hints)
    return Report(job.version, tuple(found), moved, True)


def _finding(diagnostic: Diagnostic, region: Region, text: str, *, shift: int = 0) -> Finding:
    """A diagnostic with its place in the document; `shift` characters stand before the region's own in the text."""
    place = next((each for each in diagnostic.locations if each.kind == "ptx"), None)
    offset = 0
    if place is not None:
        offset = _line_starts(text)[place.line - 1] + (place.column or 1) - 1
    span = _extent(text, offset, diagnostic.code)
    start = min(max(span.start - shift, 0), len(region.text))
    end = min(max(span.end - shift, start), len(region.text))
    others = tuple(_other(each) for each in diagnostic.locations if each is not place and each.kind != "ptx")
    return _made(diagnostic, Span(start, end).moved(region.span.start), others)


def _made(diagnostic: Diagnostic, span: Span, places: tuple[tuple[str, int, str], ...]) -> Finding:
    count = f" ({diagnostic.count} times)" if diagnostic.count > 1 else ""
    return Finding(
        diagnostic.code, diagnostic.severity, diagnostic.message + count, span, diagnostic.expected or "",
        diagnostic.hint or "", places,
    )  # fmt: skip


def _other(place: Location) -> tuple[str, int, str]:
    return place.file, place.line, place.excerpt()


_starts_of: dict[str, list[int]] = {}


def _line_starts(text: str) -> list[int]:
    """The offsets of the lines as the parser counts them."""
    found = _starts_of.get(text)
    if found is None:
        _starts_of.clear()
        found = _starts_of[text] = [0, *(end.end() for end in re.finditer("\n", text))]
    return found


_TOKEN = re.compile(r"[.%$\w]+(?:::\w+|\.\w+)*|\S")


def _extent(text: str, offset: int, code: str) -> Span:
    """How far a finding reaches: a syntax error is one word, any other a statement, as far as that stands on its line."""
    if offset >= len(text):
        return Span(max(len(text.rstrip()) - 1, 0), len(text.rstrip()))
    if code < "PTX2":
        word = _TOKEN.match(text, offset)
        if word is not None:
            return Span(*word.span())
        return Span(max(offset - 1, 0), max(offset, 1))  # behind the last word of a line
    line_end = text.find("\n", offset)
    line_end = len(text) if line_end < 0 else line_end
    stop = text.find(";", offset, line_end)
    end = line_end if stop < 0 else stop
    return Span(offset, max(offset + len(text[offset:end].rstrip()), offset + 1))


# ---- templates


def _template(job: Job) -> Report:
    from ptxgen.text.template import render_source

    (region,) = regions_of(job.text, job.language)
    try:
        module = render_source(job.text, job.name, job.parameters, limits=_LIMITS)
        diagnostics: tuple[Diagnostic, ...] = tuple(verify(module, style=job.style))
        parsed = True
    except PtxError as error:
        diagnostics, parsed = error.diagnostics, not isinstance(error, TemplateError)
    return Report(job.version, tuple(_at_template_line(each, job, region) for each in diagnostics), (), parsed)


def _at_template_line(diagnostic: Diagnostic, job: Job, region: Region) -> Finding:
    """The line of this template, or the first one where another file is meant; what was rendered there is named."""
    starts = _line_starts(job.text)
    own = next((p for p in diagnostic.locations if p.kind == "template" and p.file == job.name), None)
    others = tuple(_other(p) for p in diagnostic.locations if p is not own and p.kind in ("template", "ptx"))
    line = min(own.line, len(starts)) if own is not None else 1
    end = job.text.find("\n", starts[line - 1])
    end = len(job.text) if end < 0 else end
    text = job.text[starts[line - 1] : end]
    start = starts[line - 1] + len(text) - len(text.lstrip())
    return _made(diagnostic, Span(start, max(start, starts[line - 1] + len(text.rstrip()))), others)


# ---- names of instructions in Python, asm statements


def _instruction_name(region: Region) -> Iterator[Finding]:
    name = region.text.strip()
    if not resolve(name) and "{" not in name:
        code, message = unknown_form(name)
        yield Finding(code, "error", message, region.span, hint=nearest_instruction(name) or "")


def _cuda(job: Job) -> Report:
    findings: list[Finding] = []
    for region in regions_of(job.text, job.language):
        if region.text.strip():
            findings += _asm(job, region)
    return Report(job.version, tuple(findings), (), True)


_OUTSIDE = re.compile(r"PTX[56]|PTX30[37]|PTX31|PTX42[13]")
"""Codes that a single asm statement cannot be blamed for: what the statements around it do, and limits of whole programs."""


def _asm(job: Job, region: Region) -> Iterator[Finding]:
    """The statement as the body of a function whose parameters are its operands, for the lowest target that has it all."""
    text = region.text
    constants = [name for name, type_ in region.operands.items() if not type_]
    for name in sorted(constants, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?![\w$])", lambda match: "1".rjust(len(match[0])), text)
    parameters = ", ".join(f".reg .{type_} {name}" for name, type_ in region.operands.items() if type_)
    head = f".version 9.0\n.target {_ASM_TARGET}\n.address_size 64\n.visible .func asm_statement({parameters})\n{{\n"
    whole = f"{head}{text}\n}}\n"
    try:
        module = parse(whole, name=job.name)
        diagnostics = tuple(_for_some_target(module))
    except PtxError as error:
        diagnostics = error.diagnostics
    lines = text.split("\n")
    for each in diagnostics:
        if each.severity != "error" or _OUTSIDE.match(each.code):
            continue
        line = each.locations[0].line - head.count("\n") - 1 if each.locations else 0
        written = region.text.split("\n")[line] if 0 <= line < len(lines) else ""
        if any(re.search(rf"{re.escape(name)}(?![\w$])", written) for name in constants) and each.code in ("PTX205", "PTX204"):
            continue  # a constant that only the C++ compiler knows
        yield _finding(each, region, whole, shift=len(head))


def _for_some_target(module: Module) -> list[Diagnostic]:
    """The findings for the target with the fewest errors: the lowest that has it all, else the newest."""
    try:
        return verify(module, target="auto")
    except ValueError:
        return min(
            (verify(module, target=name) for name in (*TARGETS,)[::-1][:12]),
            key=lambda found: sum(each.is_error for each in found),
        )


_JUDGES: dict[str, Callable[[Job], Report]] = {"ptx": _ptx, "template": _template, "python": _python, "cuda": _cuda}
