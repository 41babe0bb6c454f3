"""Findings about PTX inside of other languages: modules and names of instructions in Python, asm statements in CUDA C++."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.dataflow.matching.nearest import nearest_instruction
from ptxgen.errors import PtxError
from ptxgen.isa.forms import resolve
from ptxgen.isa.targets import TARGETS
from ptxgen.lsp.background.findings import TextLines, in_region
from ptxgen.lsp.background.report import Finding
from ptxgen.text import parse
from ptxgen.verifier import verify
from ptxgen.verifier.instruction.forms import unknown_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module
    from ptxgen.lsp.model.region import Region

__all__ = ["of_asm", "of_name"]

_ELSEWHERE = re.compile(r"PTX[56]|PTX3[03][37]|PTX31|PTX42[13]")
"""Codes that a single asm statement cannot be blamed for: what the statements around it do, and limits of whole programs."""
_OF_CONSTANTS = frozenset({"PTX204", "PTX205"})


def of_name(region: Region) -> Iterator[Finding]:
    """The name of an instruction in `k.ptx["..."]` that is none."""
    name = region.text.strip()
    if not resolve(name) and "{" not in name:
        code, message = unknown_form(name)
        yield Finding(code, "error", message, region.span, hint=nearest_instruction(name) or "")


def of_asm(region: Region, name: str) -> Iterator[Finding]:
    """Errors of an asm statement: it is the body of a function whose parameters are its operands, for the lowest target that has
    it all."""
    text, constants = region.text, [each for each, type_ in region.operands.items() if not type_]
    for each in sorted(constants, key=len, reverse=True):
        text = re.sub(_use(each), lambda match: "1".rjust(len(match[0])), text)
    parameters = ", ".join(f".reg .{type_} {each}" for each, type_ in region.operands.items() if type_)
    head = f".version 9.0\n.target sm_90a\n.address_size 64\n.visible .func asm_statement({parameters})\n{{\n"
    lines = TextLines(f"{head}{text}\n}}\n")
    try:
        found = tuple(_for_some_target(parse(lines.text, name=name)))
    except PtxError as error:
        found = error.diagnostics
    for diagnostic in found:
        if not diagnostic.is_error or _ELSEWHERE.match(diagnostic.code):
            continue
        finding = in_region(diagnostic, region, lines, shift=len(head))
        start = finding.span.start - region.span.start
        written = region.text[start : region.text.find(";", start)]
        if finding.code not in _OF_CONSTANTS or not any(re.search(_use(constant), written) for constant in constants):
            yield finding  # else only the C++ compiler knows the constant


def _use(name: str) -> str:
    return rf"{re.escape(name)}(?![\w$])"


def _for_some_target(module: Module) -> list[Diagnostic]:
    """The findings for the lowest target that has it all; where none has, for the one with the fewest errors."""
    try:
        return verify(module, target="auto")
    except ValueError:
        newest = [target.name for target in TARGETS.values() if target.suffix == "a"]
        return min((verify(module, target=each) for each in newest), key=lambda found: sum(f.is_error for f in found))
