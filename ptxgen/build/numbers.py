"""numpy's scalars among the operands: each stands for the Python number that it holds."""

from __future__ import annotations

from typing import Any

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """The Python number of a numpy scalar (or of an array without dimensions); anything else as it is. numpy is not imported."""
    if getattr(value, "dtype", None) is None or getattr(value, "shape", None) != ():
        return value
    return value.item()
