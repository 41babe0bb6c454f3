"""The errors for a program that this device does not run."""

from __future__ import annotations

from ptxgen import ir
from ptxgen.errors import Diagnostic, UnsupportedError

__all__ = ["UndefinedError", "undefined", "unsupported"]


class UndefinedError(UnsupportedError):
    """What the module leaves to another one, and nothing defines: a GPU's driver refuses it too."""


def unsupported(what: str, source: ir.Source | None = None, hint: str | None = None) -> UnsupportedError:
    """An UnsupportedError: `what` completes "the CPU device does not run", `source` is where."""
    return UnsupportedError(diagnostics=[_finding(what, source, hint)])


def undefined(what: str, source: ir.Source | None = None, hint: str | None = None) -> UndefinedError:
    """The same for what is declared and nowhere defined."""
    return UndefinedError(diagnostics=[_finding(what, source, hint)])


def _finding(what: str, source: ir.Source | None, hint: str | None) -> Diagnostic:
    return Diagnostic("PTX490", f"the CPU device does not run {what}", locations=ir.resolve(source), hint=hint)
