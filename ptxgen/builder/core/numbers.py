"""numpy's scalars among the operands: each stands for the Python number that it holds."""

from __future__ import annotations

from typing import Any

__all__ = ["plain", "shown"]


def shown(number: object) -> str:
    """A number as a message holds it: of an integer of many digits, how many bits it has."""
    if isinstance(number, int) and number.bit_length() > 128:
        return f"an integer of {number.bit_length()} bits"
    return repr(number)


def plain(value: Any) -> Any:
    """The Python number of a numpy scalar (or of an array without dimensions); anything else as it is. numpy is not imported."""
    if getattr(value, "dtype", None) is None or getattr(value, "shape", None) != ():
        return value
    return value.item()
