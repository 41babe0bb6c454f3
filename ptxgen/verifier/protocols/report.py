"""How findings of protocols are gathered: what every path says of an instruction, before the findings for the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ptxgen.dataflow.paths.path_walk import PathWalk, WalkEvents

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from ptxgen.dataflow.paths.paths import PathEvent, Paths

__all__ = ["Verdicts"]

S = TypeVar("S", bound="Hashable")


class _Decided(Exception):
    """The rest of a walk cannot change what is reported."""


class Verdicts:
    """For each rule and position, whether some path kept it, and whether some broke it.

    The rules `always` are those that a path may break where another keeps them.
    """

    def __init__(self, always: str = "") -> None:
        self._always = always.split()
        self._marked: set[tuple[str, int, bool]] = set()
        self._judged: set[object] = set()
        self._rough = False
        self._open: set[tuple[str, int]] | None = None
        """The rules and positions that some path has still to keep; None where any rule may be broken."""

    def walk(
        self,
        paths: Paths,
        events: Iterable[PathEvent],
        start: S,
        step: Callable[[S, PathEvent], S],
        leave: Callable[[S, int], None] | None = None,
    ) -> bool:
        """Take a protocol along every path, as `path_walk.walk` does. What `step` notes elsewhere, it notes behind `mark`.

        Where they may be too many, first roughly: what no way breaks, on more ways than there are, no path breaks.
        """
        happening = WalkEvents(paths, events, leaving=leave is not None)
        walk = PathWalk(happening, step, leave)
        if walk.tangled:
            self._open = self._found_roughly(PathWalk(happening, step, leave, roughly=True), start)
            if self._open is not None and not self._open:
                return True
        try:
            return walk.run(start)
        except _Decided:
            self._marked.clear()
            return True

    def _found_roughly(self, walk: PathWalk, start: Hashable) -> set[tuple[str, int]] | None:
        """What is broken on some way, where that is nothing but rules that may be."""
        self._rough = True
        try:
            done = walk.run(start)
        except _Decided:
            done = False
        self._rough = False
        found = {(rule, position) for rule, position, broken in self._marked if broken}
        self._marked.clear()
        self._judged.clear()
        return found if done else None

    def mark(self, rule: str, position: int, broken: bool) -> None:
        if self._rough:
            if broken and rule not in self._always:
                raise _Decided
        elif self._open is not None and not broken:
            self._open.discard((rule, position))
            if not self._open:
                raise _Decided
        self._marked.add((rule, position, broken))

    def once(self, what: object) -> bool:
        """Is this asked for the first time?"""
        known = what in self._judged
        self._judged.add(what)
        return not known

    def always(self, rule: str) -> list[int]:
        """The positions where every path broke the rule, in text order."""
        return [position for position in self.ever(rule) if (rule, position, False) not in self._marked]

    def ever(self, rule: str) -> list[int]:
        """The positions where some path broke the rule, in text order."""
        return sorted(position for marked, position, broken in self._marked if marked == rule and broken)
