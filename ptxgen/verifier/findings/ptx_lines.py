"""The PTX lines of findings about programs that no PTX file says: kernels in Python, ir made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module
    from ptxgen.verifier.program.context import Finding

__all__ = ["with_ptx_lines"]


def with_ptx_lines(module: Module, findings: Sequence[Finding]) -> list[Diagnostic]:
    """The diagnostics; those without a place in PTX text get the line on which the module, printed, has the instruction."""
    if all(finding.body is None or finding.position < 0 or _has_line(finding.diagnostic) for finding in findings):
        return [finding.diagnostic for finding in findings]
    from ptxgen.text.printer import print_with_lines

    text, items = print_with_lines(module)
    lines = text.split("\n")
    at = {id(item): number for number, item in enumerate(items, 1) if item is not None}
    return [_with_line(module, finding, at, lines) for finding in findings]


def _has_line(diagnostic: Diagnostic) -> bool:
    return any(place.kind == "ptx" for place in diagnostic.locations)


def _with_line(module: Module, finding: Finding, at: dict[int, int], lines: list[str]) -> Diagnostic:
    found = finding.diagnostic
    if finding.body is None or not 0 <= finding.position < len(finding.body.instructions) or _has_line(found):
        return found
    number = at.get(id(finding.body.instructions[finding.position]))
    if number is None:
        return found
    place = Location("ptx", f"PTX of {module.name}", number, None, lines[number - 1])
    return found.changed(locations=(*found.locations, place))
