"""What is found out about one version of a document. Places are offsets into its text."""

from __future__ import annotations

from typing import NamedTuple

from ptxgen.lsp.model.positions import Span

__all__ = ["Finding", "Hint", "Report"]


class Finding(NamedTuple):
    """A diagnostic with its place in the document. `expected` and `hint` are the diagnostic's; `places` are others that it names,
    (file, line from 1, what is there)."""

    code: str
    severity: str
    message: str
    span: Span
    expected: str = ""
    hint: str = ""
    places: tuple[tuple[str, int, str], ...] = ()


class Hint(NamedTuple):
    """A few words behind a line. `kind`: "needs" (version or target), "live" (registers), "banks" (wavefronts, sectors)."""

    offset: int
    text: str
    kind: str
    tip: str = ""


class Report(NamedTuple):
    """The findings and hints of a version. `parsed`: the text has no syntax error. A program with errors has no hints."""

    version: int
    findings: tuple[Finding, ...] = ()
    hints: tuple[Hint, ...] = ()
    parsed: bool = False
