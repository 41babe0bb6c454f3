"""Functions of the caller's whose parameters say what they are called with: `lambda x, n: ...`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["ByName", "by_name"]


class ByName:
    """A function, and the names of what it is called with; or a constant, which asks for nothing."""

    __slots__ = ("function", "names")

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...]) -> None:
        self.function = function
        self.names = names

    def __call__(self, known: Mapping[str, Any]) -> Any:
        return self.function(*[known[name] for name in self.names])


def by_name(what: str, function: Any, known: Collection[str]) -> ByName:
    """A function of some of the names, or a constant. BuildError where a parameter is none of them."""
    if not callable(function) or isinstance(function, type):
        return ByName(lambda: function, ())
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise BuildError(f"{what}: {function!r:.60} does not say its parameters", hint="a lambda, or a def") from None
    for each in parameters:
        fixed = each.kind not in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        if fixed or (each.name not in known and each.default is each.empty):
            raise BuildError(
                f"{what}: its parameter {str(each)!r} names nothing of the operator", hint=f"one of {', '.join(known)}"
            )
    return ByName(function, tuple(each.name for each in parameters if each.name in known))
