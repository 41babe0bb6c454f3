"""What a difference consists of: changes as values, in words and as plain data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ptxgen.errors import Location

__all__ = ["KINDS", "Change", "Difference"]

KINDS = ("changed", "added", "removed", "moved")
"""What may have happened to an instruction, a declaration or a directive."""

_SIGNS = {"changed": "!", "added": "+", "removed": "-", "moved": "~"}


class Change(NamedTuple):
    """One change of meaning. `old` and `new` are the PTX of the two sides, "" on the side where there is nothing.

    `function` is the function's name, "" for what stands outside of functions. The places are the best first: a line of Python or
    a template, the line of PTX, the line of the source that `.loc` names. `detail` says in words what is different.
    """

    kind: str
    function: str
    old: str = ""
    new: str = ""
    old_places: tuple[Location, ...] = ()
    new_places: tuple[Location, ...] = ()
    detail: str = ""

    def __str__(self) -> str:
        sign = _SIGNS[self.kind]
        if self.kind == "changed":
            lines = [_line("-", self.old, self.old_places), _line("+", self.new, self.new_places)]
        elif self.kind == "moved":
            lines = [_line(sign, self.new or self.old, self.new_places or self.old_places)]
        else:
            lines = [_line(sign, self.new or self.old, self.new_places or self.old_places)]
        return "\n".join([*lines, *([f"    {self.detail}"] if self.detail else [])])

    def to_dict(self) -> dict[str, object]:
        """Plain data, for JSON."""
        return {
            "kind": self.kind,
            "function": self.function,
            "old": self.old,
            "new": self.new,
            "old_places": [_place(place) for place in self.old_places],
            "new_places": [_place(place) for place in self.new_places],
            "detail": self.detail,
        }


def _line(sign: str, text: str, places: tuple[Location, ...]) -> str:
    where = ", ".join(str(place) for place in places)
    return f"{sign} {text:<60} {where}".rstrip()


def _place(place: Location) -> dict[str, object]:
    return {"kind": place.kind, "file": place.file, "line": place.line}


class Difference(NamedTuple):
    """The changes from one module to another, in the order of the functions and of their instructions."""

    changes: tuple[Change, ...]

    @property
    def same(self) -> bool:
        """Do the two mean the same, as far as structure shows?"""
        return not self.changes

    @property
    def counts(self) -> dict[str, int]:
        """How many changes there are of each kind, in the order of `KINDS`."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in KINDS}

    def __str__(self) -> str:
        if self.same:
            return "no difference in meaning"
        lines = [", ".join(f"{count} {kind}" for kind, count in self.counts.items() if count)]
        function = None
        for change in self.changes:
            if change.function != function:
                function = change.function
                lines.append(f"@@ {function or 'module'} @@")
            lines.append(str(change))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """Plain data, for JSON."""
        return {"same": self.same, "counts": self.counts, "changes": [change.to_dict() for change in self.changes]}
