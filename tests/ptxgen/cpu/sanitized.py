"""Programs with a mistake for the sanitizer's tests. Lines that end in `// A` and `// B` are those that the report must name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.cpu.sanitizer.tools import Sanitizer
from tests.ptxgen.cpu.machine import BASE, entry, run

if TYPE_CHECKING:
    from ptxgen.cpu.sanitizer.findings import Finding

HEADER_LINES = 3
"""Of machine.HEADER, before what `run` is given."""


class Found(NamedTuple):
    """What a tool says of a program: findings as (kind, line of the access, line of the earlier one), with the marks for the
    lines that have one."""

    findings: tuple[Finding, ...]
    told: list[tuple[str, str | int, str | int]]


def watch(
    body: str, *tools: str, before: str = "", tier: str = "base", waits: str = "stated", watchdog: float | None = None,
    **shape: Any,
) -> Found:  # fmt: skip
    """Runs `body` as `machine.run` does, watched by these tools."""
    sanitizer = Sanitizer(tools)
    run(
        body,
        before=before,
        options=BASE.replaced(sanitizer=sanitizer, tier=tier, waits=waits, watchdog=watchdog or BASE.watchdog),
        **shape,
    )
    lines = (before + entry("test", body)).split("\n")
    marks = {number + HEADER_LINES: line.split("//")[1].strip() for number, line in enumerate(lines, 1) if "//" in line}
    told = []
    for finding in sanitizer.findings:
        ends = []
        for access in (finding.access, finding.earlier):
            line = access.places[0].line if access is not None else 0
            ends.append(marks.get(line or 0, line or 0))
        told.append((finding.kind, ends[0], ends[1]))
    return Found(sanitizer.findings, told)
