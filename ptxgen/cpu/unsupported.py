"""The error for a program that this device does not run."""

from __future__ import annotations

from ptxgen import ir
from ptxgen.errors import Diagnostic, UnsupportedError

__all__ = ["unsupported"]


def unsupported(what: str, source: ir.Source | None = None, hint: str | None = None) -> UnsupportedError:
    """An UnsupportedError: `what` completes "the CPU device does not run", `source` is where."""
    found = Diagnostic("PTX490", f"the CPU device does not run {what}", locations=ir.resolve(source), hint=hint)
    return UnsupportedError(diagnostics=[found])
