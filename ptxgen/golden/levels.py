"""How closely what is emitted must be what is pinned. One row of `LEVELS` for each degree.

    exact       the text, to the byte
    semantic    what it means: registers and labels may have other names, independent instructions another order
    resources   what an assembler makes of it now may not need more than what the same assembler makes of the pinned text

To add one, write a function of the two texts and add its row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.errors import ArgumentRangeError

if TYPE_CHECKING:
    from ptxgen.ir import Module
    from ptxgen.resources import Limit

__all__ = ["LEVELS", "PINNED", "Judgement", "judge"]


class Judgement(NamedTuple):
    """`difference` in words, "" for none; `fails`: it is more than the level lets pass."""

    difference: str
    fails: bool


PINNED = "pinned"
"""What messages call the pinned text when it is parsed."""

Limits = Mapping[str, "Limit"]


def judge(level: str, label: str, pinned: str, emitted: str, limits: Limits | None = None) -> Judgement:
    """Compare two texts of PTX; `label` says which they are, `limits` are for the level "resources" alone.

    Raises ArgumentRangeError for a level that there is not, or one that has no limits; beside "exact", PtxSyntaxError for text
    that is not PTX; for "resources" also what `ptxgen.analyze` raises, and AssemblerMissing.
    """
    if level not in LEVELS:
        raise ArgumentRangeError(f"there is no level {level!r}", hint=" or ".join(map(repr, LEVELS)))
    if limits is not None and level != "resources":
        raise ArgumentRangeError(f"level={level!r} has no limits", hint='level="resources"')
    return Judgement("", False) if pinned == emitted else LEVELS[level](label, pinned, emitted, limits)


def _exact(label: str, pinned: str, emitted: str, _: Limits | None) -> Judgement:
    from ptxgen.compare import text_difference

    lines = text_difference(pinned, emitted, f"{label} (pinned)", f"{label} (emitted now)")
    # Texts that differ in line ends alone make an empty diff.
    return Judgement("\n".join(lines) or "only line ends or the end of the file differ", True)


def _semantic(_: str, pinned: str, emitted: str, __: Limits | None) -> Judgement:
    from ptxgen.compare import difference

    found = difference(*_parsed(pinned, emitted))
    return Judgement("", False) if found.same else Judgement(str(found), True)


def _resources(_: str, pinned: str, emitted: str, limits: Limits | None) -> Judgement:
    from ptxgen.assembler import AssemblerMissing
    from ptxgen.resources import METRICS, Limit, analyze, compare

    once = Limit(1, None)
    bounds = {"registers": Limit(10, None), "spills": once, "stack": once, "shared": once, **(limits or {})}
    reports = [analyze(module) for module in _parsed(pinned, emitted)]
    for report in reports:
        if any(function.kernel and function.resources is None for function in report.functions):
            raise AssemblerMissing(f"registers and spills are not known: {report.assembler}")
    found = compare(reports[0], reports[1], bounds)
    lines = [
        f"{change.kernel}: {change.before:.4g} -> {change.after:.4g} {METRICS[change.metric].meaning}"
        + (f" ({_bound(bounds[change.metric], METRICS[change.metric].unit)})" if change.verdict else "")
        for change in found.changes
        if change.metric in bounds and change.before != change.after
    ]
    alone = [("pinned", found.only_first), ("emitted now", found.only_second)]
    lines += [f"only in what is {which}: {', '.join(names)}" for which, names in alone if names]
    return Judgement("\n".join(lines), bool(found.verdict or found.only_first or found.only_second))


def _bound(limit: Limit, unit: str) -> str:
    bound = limit.critical if limit.warn is None else limit.warn
    return f"{bound:g} {unit} worse is too much" if unit else f"{bound:g} more is too much"


def _parsed(pinned: str, emitted: str) -> tuple[Module, Module]:
    from ptxgen.text import parse

    return parse(pinned, name=PINNED), parse(emitted, name="emitted")


LEVELS: Mapping[str, Callable[[str, str, str, Limits | None], Judgement]] = {
    "exact": _exact,
    "semantic": _semantic,
    "resources": _resources,
}
"""By name: (label, pinned text, emitted text, limits) -> judgement, of texts that differ."""
