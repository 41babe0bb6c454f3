"""The verifier's verdict about many instructions: what it calls an error, line by line.

The verifier's walk alone, which judges instruction by instruction: what it finds in a body as a whole are warnings about flow,
and these bodies are lists of instructions without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.scope import enter
from ptxgen.errors import PtxSyntaxError
from ptxgen.ir import Function
from ptxgen.isa.targets import find_target
from ptxgen.text import parse
from ptxgen.verifier.instruction.checks import check_instructions
from ptxgen.verifier.program.context import VerifierContext
from tools.certify.verdicts import MODULE_TAIL, module_head

if TYPE_CHECKING:
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module
    from tools.certify.verdicts import Place

__all__ = ["our_verdicts"]


def our_verdicts(lines: list[str], place: Place) -> list[str | None]:
    """For each instruction None if the verifier has no error about it, else its first words."""
    found: list[str | None] = [None] * len(lines)
    head = module_head(place)
    kept = list(range(len(lines)))
    while kept:
        try:
            module = parse("\n".join([*head, *(lines[i] for i in kept), *MODULE_TAIL]))
        except PtxSyntaxError as error:
            bad = set()
            for finding in error.diagnostics:
                for where in finding.locations[:1]:
                    at = where.line - 1 - len(head)
                    if 0 <= at < len(kept):
                        bad.add(at)
                        found[kept[at]] = f"{finding.code} {finding.message}"
            if not bad:
                return _halves(lines, place)
            kept = [i for at, i in enumerate(kept) if at not in bad]
            continue
        for finding in _findings(module):
            for where in finding.locations[:1]:
                at = where.line - 1 - len(head)
                if finding.is_error and 0 <= at < len(kept):
                    found[kept[at]] = found[kept[at]] or f"{finding.code} {finding.message}"
        break
    return found


def _halves(lines: list[str], place: Place) -> list[str | None]:
    """Of lines that the parser does not tell apart; one of them is wrong."""
    if len(lines) == 1:
        return ["PTX1xx the module cannot be read"]
    middle = len(lines) // 2
    return our_verdicts(lines[:middle], place) + our_verdicts(lines[middle:], place)


def _findings(module: Module) -> list[Diagnostic]:
    """The findings without their hints, which cost milliseconds each and change no verdict."""
    context = VerifierContext(module, find_target(module.target), hints=False)
    for item in module:
        enter(item, context.names)
        if isinstance(item, Function) and item.body is not None:
            check_instructions(context, item)
    return [finding.diagnostic for finding in context.findings]
