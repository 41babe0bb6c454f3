"""Checks of what callers pass: whole numbers (whatever has ``__index__``, as numpy's integers have) in the
range that the receiver has, members of enumerations, objects of a kind. C itself would cut off what does not fit.
"""

from __future__ import annotations

from driver_ctypes.errors import ArgumentRangeError, ArgumentTypeError
from driver_ctypes.typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

K = TypeVar("K")


def index(value: Any, what: str = "") -> int:
    """*value* as an int; the message begins with *what* it is for. Raises ArgumentTypeError for what is not a whole number."""
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        hint = "convert it with int()" if hasattr(type(value), "__float__") else None
        where = f"{what}: " if what else ""
        message = f"{where}expected an integer, found {type(value).__name__} {value!r:.60}"
        raise ArgumentTypeError(message, hint=hint) from None


def whole(value: Any, what: str, low: int, high: int) -> int:
    """The same from *low* to *high*, both included. Raises ArgumentRangeError, ArgumentTypeError."""
    number = index(value, what)
    if not low <= number <= high:
        raise ArgumentRangeError(f"{what}: {number} is outside {low} to {high}")
    return number


def member(value: Any, kind: str, what: str) -> int:
    """The number of a member of the enumeration *kind* of ``abi.enums``, or the number itself. Raises ArgumentTypeError for
    a member of another one, for a name, and for what is not a number.
    """
    if type(value) is int or type(value).__name__ == kind:
        return int(value)
    from enum import Enum

    if isinstance(value, Enum):
        raise ArgumentTypeError(
            f"{what}: {type(value).__name__}.{value.name} is not a {kind}", hint=_meant(value.name, kind)
        )
    if isinstance(value, str):
        raise ArgumentTypeError(f"{what}: {value!r} is a name; a member of {kind} is meant", hint=_meant(value, kind))
    return index(value, f"{what} (a {kind})")


def instance(value: Any, kind: type[K], what: str, hint: str | None = None) -> K:
    """*value*, which must be of the class *kind*. Raises ArgumentTypeError."""
    if not isinstance(value, kind):
        raise ArgumentTypeError(
            f"{what}: expected a {kind.__name__}, found {type(value).__name__} {value!r:.60}", hint=hint
        )
    return value


def _meant(name: str, kind: str) -> str:
    from driver_ctypes.abi import enums

    closest = nearest(name.upper(), getattr(enums, kind).__members__)
    return f"{kind}.{closest} is meant?" if closest else f"take it from {kind}: driver_ctypes.{kind}"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of *names* that is most like *name*, or has it as a part; None where nothing is like it."""
    from difflib import get_close_matches

    known = list(names)
    close = get_close_matches(name, known, 1)
    return close[0] if close else next((each for each in known if name and name in each), None)
