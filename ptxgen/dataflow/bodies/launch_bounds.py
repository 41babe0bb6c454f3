"""The numbers that a kernel's performance-tuning and cluster directives state (manual 11.4, 11.7)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.ir import Function

__all__ = ["cta_extents", "cta_threads", "product", "stated"]


_OF_THREADS = ("reqntid", "maxntid")
_MOST_THREADS = 1024


def stated(function: Function, *names: str) -> tuple[int, ...]:
    """The numbers of the first of these directives that the function has; () where it has none of them, or where they are of
    more threads than any CTA has, which is an error elsewhere: analyses keep a value for each thread."""
    for name in names:
        directive = function.directive(name)
        if directive is not None:
            numbers = tuple(number for number in directive.arguments if isinstance(number, int))
            possible = name not in _OF_THREADS or 0 < prod(numbers) <= _MOST_THREADS
            return numbers if possible else ()
    return ()


def product(function: Function, *names: str) -> int | None:
    """The product of those numbers; None without them."""
    numbers = stated(function, *names)
    return prod(numbers) if numbers else None


def cta_extents(function: Function) -> tuple[int, ...]:
    """The CTA's extents: what .reqntid says, or the most that .maxntid allows; () where neither stands."""
    return stated(function, "reqntid", "maxntid")


def cta_threads(function: Function) -> int | None:
    """The threads of a CTA, or the most of them; None where no directive says it."""
    return product(function, "reqntid", "maxntid")
