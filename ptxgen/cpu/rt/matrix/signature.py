"""The LLVM signature of all functions of matrix instructions: see functions.py."""

from __future__ import annotations

__all__ = ["ARGUMENTS", "PREFIX"]

PREFIX = "matrix."
ARGUMENTS = ("ptr", "ptr", "ptr", "ptr")
"""warp, table, scalars, rows."""
