"""Where llvmlite lies, told without importing it."""

from __future__ import annotations

import os
import sys

from driver_ctypes.primitives import cache

__all__ = ["find_compiler"]


@cache
def find_compiler() -> str | None:
    """The folder of the package llvmlite; None where it is not installed."""
    if sys.modules.get("llvmlite", "") is None:  # how a program says that there is none
        return None
    for folder in sys.path:
        package = os.path.join(folder, "llvmlite")
        if os.path.isfile(os.path.join(package, "__init__.py")):
            return package
    from importlib.util import find_spec  # it may come in another way than by a folder of the path

    spec = find_spec("llvmlite")
    return os.path.dirname(spec.origin) if spec is not None and spec.origin else None
