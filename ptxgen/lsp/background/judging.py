"""A document's text -> its report: first its syntax, then what the verifier finds and the analyses hint at.

`Judge` keeps what was read of each document, so that the next version is read only where it changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.errors import Diagnostic, PtxError, TemplateError
from ptxgen.lsp.background.embedded import of_asm, of_name
from ptxgen.lsp.background.findings import TextLines, in_region, in_template
from ptxgen.lsp.background.hints import hints_of
from ptxgen.lsp.background.report import Finding, Hint, Report
from ptxgen.lsp.languages import regions_of
from ptxgen.lsp.model.positions import difference
from ptxgen.text import parse
from ptxgen.text.document import Document
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ptxgen.ir import Module
    from ptxgen.lsp.model.region import Region

__all__ = ["Job", "Judge"]

_KEPT = 16
"""Documents that are kept as they were read last."""


class Job(NamedTuple):
    """A version of a document. `parameters` are a template's, as texts; `style`: advice (6xx) is wanted too."""

    name: str
    text: str
    language: str
    version: int
    parameters: Mapping[str, str] = {}
    style: bool = False


class Judge:
    """What it read of each document by name."""

    def __init__(self) -> None:
        self._read: dict[str, Document] = {}

    def syntax(self, job: Job) -> Report:
        """The syntax errors of a version; only PTX has a report of its own for them."""
        if job.language != "ptx":
            return Report(job.version, parsed=True)
        document = self._document(job)
        (region,) = regions_of(job.text, job.language)
        found = _sorted(in_region(each, region, TextLines(job.text)) for each in document.diagnostics)
        return Report(job.version, found, parsed=not found)

    def all(self, job: Job) -> Report:
        """Every finding about a version, and its hints."""
        if job.language == "template":
            return self._template(job)
        findings: list[Finding] = []
        hints: list[Hint] = []
        for region in regions_of(job.text, job.language):
            if region.kind == "name":
                findings += of_name(region)
            elif region.kind == "statements":
                findings += of_asm(region, job.name) if region.text.strip() else ()
            elif not region.holes:
                found = self._module(job, region)
                findings += found[0]
                hints += found[1]
        return Report(job.version, _sorted(findings), tuple(hints), parsed=True)

    def formatted(self, job: Job) -> str | None:
        """PTX as `ptxgen fmt` prints it; None where it has syntax errors."""
        document = self._document(job)
        if document.diagnostics:
            return None
        printed = str(document.module)
        return printed if printed.endswith("\n") else printed + "\n"

    def _document(self, job: Job) -> Document:
        """What is read of a version: the parts that changed since the last one."""
        last = self._read.pop(job.name, None)
        if last is None:
            found = Document(job.text, job.name)
        else:
            start, end, text = difference(last.text, job.text)
            found = last if start == end and not text else last.edit(start, end, text)
        self._read[job.name] = found
        while len(self._read) > _KEPT:
            del self._read[next(iter(self._read))]
        return found

    def _module(self, job: Job, region: Region) -> tuple[list[Finding], tuple[Hint, ...]]:
        lines = TextLines(region.text)
        hints: tuple[Hint, ...] = ()
        try:
            module = self._parsed(job, region)
            diagnostics: Iterable[Diagnostic] = verify(module, style=job.style)
            if not any(each.is_error for each in diagnostics):  # the analyses are of legal programs
                found = hints_of(module, lines.offset)
                hints = tuple(hint._replace(offset=hint.offset + region.span.start) for hint in found)
        except PtxError as error:
            diagnostics = error.diagnostics
        return [in_region(each, region, lines) for each in diagnostics], hints

    def _parsed(self, job: Job, region: Region) -> Module:
        if job.language != "ptx":
            return parse(region.text, name=job.name)
        document = self._document(job)
        if document.diagnostics:
            raise PtxError("", document.diagnostics)
        return document.module

    def _template(self, job: Job) -> Report:
        from pathlib import Path

        from ptxgen.text.template import render_settings

        parsed = True
        try:
            module = render_settings(Path(job.name), job.parameters, source=job.text)
            diagnostics: Iterable[Diagnostic] = verify(module, style=job.style)
        except PtxError as error:
            diagnostics, parsed = error.diagnostics, not isinstance(error, TemplateError)
        lines = TextLines(job.text)
        return Report(job.version, _sorted(in_template(each, job.name, lines) for each in diagnostics), parsed=parsed)


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.span))
