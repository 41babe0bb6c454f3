"""Where llvmlite lies, told without importing it."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder

__all__ = ["find_compiler"]


@cache
def find_compiler() -> str | None:
    """The folder of the package llvmlite; None where it is not installed."""
    if sys.modules.get("llvmlite", "") is None:  # how a program says that there is none
        return None
    spec = PathFinder.find_spec("llvmlite")
    if spec is None:  # it may come in another way than by the path
        from importlib.util import find_spec  # takes longer to import than a start can spare

        spec = find_spec("llvmlite")
    return os.path.dirname(spec.origin) if spec is not None and spec.origin else None
