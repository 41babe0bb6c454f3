"""What the remarks of a body take back, and where: `ignore[...]`, `allow[...]` and `end allow[...]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.bodies.body import Remarks

__all__ = ["REMARK", "Allowance", "allowances", "split_codes"]

REMARK = re.compile(r"ptxgen:\s*(ignore|allow)\s*\[([^\]]*)\]")
_END = re.compile(r"ptxgen:\s*end\s+allow\b(?:\s*\[([^\]]*)\])?")


class Allowance:
    """Codes that are allowed at the positions `start` to `end - 1` of a body; `end` None: to its end."""

    __slots__ = ("codes", "end", "start", "used")

    def __init__(self, codes: tuple[str, ...], start: int, end: int | None) -> None:
        self.codes: tuple[str, ...] = codes
        self.start: int = start
        self.end: int | None = end
        self.used: set[str] = set()


def allowances(remarks: Iterable[Remarks]) -> list[Allowance]:
    """What the remarks take back, in text order. An `allow` ends at its `end allow`, or with its `{}`."""
    found: list[Allowance] = []
    for block in remarks:
        opened: list[Allowance] = []
        for position, text in block.lines:
            found += _read(text, position, opened)
        for allowance in opened:
            allowance.end = block.end
    found.sort(key=lambda allowance: allowance.start)
    return found


def _read(text: str, position: int, opened: list[Allowance]) -> list[Allowance]:
    """The allowances of one remark; `opened` are those still open in its `{}`."""
    end = _END.search(text)
    if end is not None:
        codes = split_codes(end[1] or "")
        for index in range(len(opened) - 1, -1, -1):
            if not codes or opened[index].codes == codes:
                opened.pop(index).end = position
                break
        return []
    found = []
    for kind, named in REMARK.findall(text):
        allowance = Allowance(split_codes(named), position, position + 1 if kind == "ignore" else None)
        found.append(allowance)
        if kind == "allow":
            opened.append(allowance)
    return found


def split_codes(codes: str) -> tuple[str, ...]:
    """The codes of a list with commas between them."""
    return tuple(code.strip() for code in codes.split(",") if code.strip())
