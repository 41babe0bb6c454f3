"""How findings of protocols are gathered: what every path says of an instruction, before the findings for the reader."""

from __future__ import annotations

__all__ = ["Verdicts"]


class Verdicts:
    """For each rule and position, whether some path kept it, and whether some broke it."""

    def __init__(self) -> None:
        self._marked: set[tuple[str, int, bool]] = set()

    def mark(self, rule: str, position: int, broken: bool) -> None:
        self._marked.add((rule, position, broken))

    def always(self, rule: str) -> list[int]:
        """The positions where every path broke the rule, in text order."""
        return [position for position in self.ever(rule) if (rule, position, False) not in self._marked]

    def ever(self, rule: str) -> list[int]:
        """The positions where some path broke the rule, in text order."""
        return sorted(position for marked, position, broken in self._marked if marked == rule and broken)
