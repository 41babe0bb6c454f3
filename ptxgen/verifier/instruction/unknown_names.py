"""What to say of a name that means nothing: the nearest that does, or what is missing for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.isa.specials import SPECIALS
from ptxgen.isa.suggestions import similar_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.dataflow.bodies.scope import NameScope
    from ptxgen.verifier.program.context import Site

__all__ = ["names_in_sight", "remedy"]

_NUMBERED = re.compile(r"(.*?)(0|[1-9]\d*)")

_DIGITS = "0123456789"

_LONGEST = 100
"""A name that is longer is not taken apart."""


def remedy(site: Site, name: str) -> tuple[str | None, str]:
    """(what is needed, what to write instead) where a register, variable or function of that name is not known."""
    ending = _range_that_ends_in_a_digit(site.scope, name)
    if ending is not None:
        return f"a range whose name does not end in a digit: {name} is read as {name.rstrip(_DIGITS)}<...>'s", ending
    longer = _longer_range(site.scope, name)
    if longer is not None:
        return longer
    nearest = similar_names if site.context.wants_hint() else _nothing
    if site.instruction.opcode == "call":
        found = nearest(name, [f.name for f in site.context.module.functions if not f.is_entry], 1)
        return "a device function, declared before its use", found[0] if found else f".extern .func {name};"
    if site.instruction.op.startswith("ld.param") and site.function.parameters and not name.startswith("%"):
        names = [parameter.name for parameter in site.function.parameters]
        found = nearest(name, names, 1)
        return f"a parameter of {site.function.name}: {', '.join(names)}", found[0] if found else names[0]
    known = [*names_in_sight(site.scope), *(SPECIALS if name.startswith("%") else ())]
    found = nearest(name, known, 1)
    return None, found[0] if found else "declare it before its use"


def _nothing(name: str, known: Iterable[str], count: int) -> list[str]:
    return []


def names_in_sight(scope: NameScope | None) -> Iterator[str]:
    """Every name that a use there may mean, the inner ones first."""
    while scope is not None:
        yield from scope.names
        scope = scope.parent


def _range_that_ends_in_a_digit(scope: NameScope | None, name: str) -> str | None:
    """For %r21 where there is `%r2<20>`: such a declaration as could be meant."""
    digits = len(name) - len(name.rstrip(_DIGITS)) if len(name) <= _LONGEST else 0
    while scope is not None:
        for length in range(len(name) - digits + 1, len(name) + 1):
            declaration = scope.ranges.get(name[:length])
            if declaration is not None:
                return f".reg .{declaration.type.name} {name[:length]}_<{declaration.count}>;"
        scope = scope.parent
    return None


def _longer_range(scope: NameScope | None, name: str) -> tuple[str, str] | None:
    """For %r20 where `%r<20>` ends with %r19."""
    match = _NUMBERED.fullmatch(name) if len(name) <= _LONGEST else None
    while match is not None and scope is not None:
        declaration = scope.ranges.get(match[1])
        if declaration is not None:
            count = declaration.count or 0
            return (
                f"{match[1]}0 to {match[1]}{count - 1}, as they are declared",
                f".reg .{declaration.type.name} {match[1]}<{int(match[2]) + 1}>;",
            )
        scope = scope.parent
    return None
