"""How findings of protocols are gathered: what every path says of an instruction, before the findings for the reader."""

from __future__ import annotations

__all__ = ["Verdicts"]


class Verdicts:
    """For each rule and position, on how many paths it was kept and broken."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, int], list[int]] = {}

    def mark(self, rule: str, position: int, broken: bool) -> None:
        counts = self._counts.setdefault((rule, position), [0, 0])
        counts[broken] += 1

    def always(self, rule: str) -> list[int]:
        """The positions where every path broke the rule, in text order."""
        return sorted(p for (r, p), (kept, broken) in self._counts.items() if r == rule and broken and not kept)

    def ever(self, rule: str) -> list[int]:
        """The positions where some path broke the rule, in text order."""
        return sorted(p for (r, p), (_, broken) in self._counts.items() if r == rule and broken)
