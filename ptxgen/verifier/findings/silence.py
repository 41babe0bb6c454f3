"""Warnings that the author has taken back, where they stand in the program (never errors).

`# ptxgen: ignore[PTX501]` on a Python line, or `// ptxgen: ignore[PTX501]` on a PTX line or the one before it, is for that line.
`// ptxgen: allow[PTX501]` in a body is from there to `// ptxgen: end allow[PTX501]` or the end of its `{}`; `k.allow("PTX501")`
writes it. Several codes have commas between them; `PTX5xx` is a whole group. The comments are part of the program: printed,
parsed and pinned with it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.errors import Diagnostic, Location
from ptxgen.ir import resolve
from ptxgen.verifier.program.allowance import REMARK, split_codes
from ptxgen.verifier.program.context import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["silenced", "unknown_codes"]

_GROUP = re.compile(r"PTX[1-6]xx\Z")


def silenced(context: VerifierContext) -> list[Finding]:
    """The findings of a run, in text order, without those taken back; remarks that say something wrong are findings too."""
    remarked = [body for body in context.bodies if body.remarks]
    if not context.findings and not remarked and not context.style:
        return []
    lines: dict[Location, _Remark] = {}
    kept = [finding for finding in context.findings if not _is_silenced(finding, lines)]
    if context.style:
        _read_all_lines(context, lines)
    for place, remark in lines.items():
        kept += _judge(context, remark.codes, remark.used, remark.finding, (place,))
    for body in remarked:
        for allowance in body.allowances:
            position = min(allowance.start, len(body.instructions) - 1)
            source = body.instructions[position].source if position >= 0 else body.function.source
            at = Finding(body.ordinal, position, _NONE, body)
            kept += _judge(context, allowance.codes, allowance.used, at, resolve(source))
    kept.sort(key=lambda finding: finding[:2])
    return kept


class _Remark:
    """The codes that a line ignores, the finding at which the line was read, and the codes that were used."""

    __slots__ = ("codes", "finding", "used")

    def __init__(self, codes: tuple[str, ...], finding: Finding) -> None:
        self.codes = codes
        self.finding = finding
        self.used: set[str] = set()


_NONE = Diagnostic("", "")


def unknown_codes(codes: Iterable[str]) -> list[str]:
    """Those of the codes that belong neither to a diagnostic nor to a group (PTX5xx)."""
    from ptxgen.codes.index import INDEX

    return [code for code in codes if not (code in INDEX or _GROUP.match(code))]


def _covering(codes: tuple[str, ...], code: str) -> str | None:
    """Which of the codes stands for this one."""
    return code if code in codes else family if (family := f"{code[:4]}xx") in codes else None


def _is_silenced(finding: Finding, lines: dict[Location, _Remark]) -> bool:
    """Has the author taken this finding back? Notes the lines with remarks that were looked at."""
    diagnostic, found = finding.diagnostic, False
    for place in diagnostic.locations:
        codes = () if place.kind == "ptx" and finding.position >= 0 else _ignored_on(place)
        if not codes:  # remarks in the PTX of a body are allowances
            continue
        remark = lines.setdefault(_line(place), _Remark(codes, finding))
        covering = None if diagnostic.is_error else _covering(codes, diagnostic.code)
        if covering is not None:
            remark.used.add(covering)
            found = True
    if diagnostic.is_error or finding.body is None:
        return False if diagnostic.is_error else found
    for allowance in finding.body.allowances:
        end = len(finding.body.instructions) if allowance.end is None else allowance.end
        inside = allowance.start <= finding.position < end or (finding.position < 0 and allowance.start == 0)
        covering = _covering(allowance.codes, diagnostic.code) if inside else None
        if covering is not None:
            allowance.used.add(covering)
            found = True
    return found


def _ignored_on(place: Location) -> tuple[str, ...]:
    """The codes that the remarks on a line name."""
    text = place.excerpt()
    if "ptxgen:" not in text:
        return ()
    return tuple(code for kind, codes in REMARK.findall(text) if kind == "ignore" for code in split_codes(codes))


def _line(place: Location) -> Location:
    """A place without its column."""
    return Location(place.kind, place.file, place.line, None, place.text)


def _read_all_lines(context: VerifierContext, lines: dict[Location, _Remark]) -> None:
    """The remarks on every line of Python and of templates that an instruction comes from; in PTX they are allowances."""
    seen: set[Location] = set()
    for body in context.bodies:
        for position, instruction in enumerate(body.instructions):
            for place in resolve(instruction.source):
                line = _line(place)
                if place.kind == "ptx" or line in seen:
                    continue
                seen.add(line)
                codes = _ignored_on(place)
                if codes and line not in lines:
                    lines[line] = _Remark(codes, Finding(body.ordinal, position, _NONE, body))


def _judge(
    context: VerifierContext, codes: tuple[str, ...], used: set[str], at: Finding, places: tuple[Location, ...]
) -> list[Finding]:
    """PTX690 for codes that do not exist, PTX691 (style) for those that took nothing back."""
    unknown = unknown_codes(codes)
    unused = [code for code in codes if code not in used and code not in unknown]
    if unknown:
        finding = Diagnostic(
            "PTX690",
            f"there is no diagnostic {' or '.join(unknown)} to take back",
            severity="warning",
            locations=places,
            expected="a code such as PTX501, or PTX5xx for its group",
        )
    elif unused and context.style:
        finding = Diagnostic(
            "PTX691",
            f"{', '.join(unused)} is taken back, and there is no such warning here",
            severity="warning",
            locations=places,
            hint="delete the remark; errors cannot be taken back",
        )
    else:
        return []
    return [at._replace(diagnostic=finding)]
