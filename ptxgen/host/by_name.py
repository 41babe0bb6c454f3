"""Functions of a caller whose parameters say, by their names, which arguments they are called with: `grid=lambda x: ...`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["ByName", "by_name"]


class ByName:
    """A function and the names that it asks for; a constant asks for none."""

    __slots__ = ("function", "names")

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...]) -> None:
        self.function: Callable[..., Any] = function
        self.names: tuple[str, ...] = names

    def __call__(self, known: Mapping[str, Any]) -> Any:
        return self.function(*[known[name] for name in self.names])


def by_name(what: str, function: Any, known: Collection[str]) -> ByName:
    """A function of some of these names, or a constant. BuildError, about *what*, where a parameter is none of them."""
    if not callable(function) or isinstance(function, type):
        return ByName(lambda: function, ())
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise BuildError(f"{what}: {function!r:.60} does not tell its parameters", hint="a lambda, or a def") from None
    for each in parameters:
        named = each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        if not named or (each.name not in known and each.default is each.empty):
            raise BuildError(
                f"{what}: its parameter {str(each)!r} names no argument", hint=f"one of {', '.join(known)}"
            )
    return ByName(function, tuple(each.name for each in parameters if each.name in known))
