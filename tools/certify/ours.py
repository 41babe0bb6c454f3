"""The verifier's verdict about many instructions: what it calls an error, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.check import forms, verify
from ptxgen.errors import PtxSyntaxError
from ptxgen.text import parse
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
        for finding in _verify(module):
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


def _verify(module: Module) -> list[Diagnostic]:
    """The findings without their hints, which cost milliseconds each and change no verdict."""
    nearest = forms.nearest_form
    forms.nearest_form = lambda op: None
    try:
        return verify(module)
    finally:
        forms.nearest_form = nearest
