"""How findings of protocols are gathered: first what every path says of an instruction, then the findings for the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["Verdicts", "line_of"]


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


def line_of(body: CheckedBody, position: int) -> str:
    """`file:line (instruction)` of an instruction, to name it in a finding about another."""
    from ptxgen.ir import resolve

    instruction = body.instructions[position]
    places = resolve(instruction.source)
    return f"{instruction.op}" + (f" at {places[0]}" if places else "")
