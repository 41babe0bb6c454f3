"""What a remark of the author takes back, and where."""

from __future__ import annotations

__all__ = ["Allowance"]


class Allowance:
    """Codes that are allowed at the positions `start` to `end - 1` of a body; `end` None: to its end."""

    __slots__ = ("codes", "end", "start", "used")

    def __init__(self, codes: tuple[str, ...], start: int, end: int | None) -> None:
        self.codes = codes
        self.start = start
        self.end = end
        self.used: set[str] = set()
