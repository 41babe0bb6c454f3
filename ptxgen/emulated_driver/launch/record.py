"""What ran: counts of launches and what became of them, for those who ask for it."""

from __future__ import annotations

from collections import Counter

__all__ = ["LaunchRecord", "record", "recorded"]


class LaunchRecord:
    """`launches` by kernel; `refused` and `faults` have a kernel's first text of each."""

    def __init__(self) -> None:
        self.launches: Counter[str] = Counter()
        self.refused: dict[str, str] = {}
        self.faults: dict[str, str] = {}

    def as_dict(self) -> dict[str, dict[str, int] | dict[str, str]]:
        """For JSON."""
        return {"launches": dict(self.launches), "refused": self.refused, "faults": self.faults}


recorded: list[LaunchRecord] = []
"""The records that are kept: each launch asks, so it is a list that is empty."""


def record() -> LaunchRecord:
    """Launches from now on, for as long as the process lives."""
    made = LaunchRecord()
    recorded.append(made)
    return made
