"""Two reports side by side: what changed, which one is better, and whether a change is more than a limit allows."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentRangeError, ArgumentTypeError
from ptxgen.resources.report import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.modules.jitlog import Resources
    from ptxgen.resources.report import KernelReport

__all__ = ["LIMITS", "METRICS", "Change", "Comparison", "Limit", "Metric", "best", "compare", "metrics", "spilled"]


class Metric(NamedTuple):
    """A number about a kernel: what it counts, whether more of it is better, the unit in which changes are judged ("%", "pp" for
    percentage points, "" for the number itself)."""

    meaning: str
    more_is_better: bool
    unit: str


METRICS = {
    "registers": Metric("registers a thread, of the assembler", False, "%"),
    "spills": Metric("bytes that spilled registers store and load, of the assembler", False, ""),
    "stack": Metric("bytes of stack a thread, of the assembler", False, ""),
    "shared": Metric("bytes of static shared memory", False, "%"),
    "instructions": Metric("instructions of PTX", False, "%"),
    "occupancy": Metric("resident warps, per cent of a multiprocessor's", True, "pp"),
    "efficiency": Metric("used part of the moved sectors of global memory, per cent", True, "pp"),
    "conflicts": Metric("how many times longer the banks of shared memory work than they must", False, "%"),
    "warnings": Metric("the verifier's warnings about the module", False, ""),
}
"""Every number that is compared, in order."""


class _Bounds(NamedTuple):
    warn: float | None
    critical: float | None


class Limit(_Bounds):
    """How much worse a metric may become, in its unit, before it is a warning, and before it is critical; None: never.

    ArgumentRangeError for a bound below 0 or NaN, and for one that is critical before it is a warning.
    """

    __slots__ = ()

    def __new__(cls, warn: float | None, critical: float | None) -> Limit:
        for name, bound in (("warn", warn), ("critical", critical)):
            if bound is None:
                continue
            if isinstance(bound, bool) or not isinstance(bound, (int, float)):
                raise ArgumentTypeError(f"{name} is {bound!r}, expected a number or None")
            if math.isnan(bound) or bound < 0:
                raise ArgumentRangeError(f"{name} is {bound!r}", hint="0 or more; None for no such limit")
        if warn is not None and critical is not None and critical < warn:
            raise ArgumentRangeError(
                f"critical at {critical!r}, before the warning at {warn!r}", hint=f"Limit({critical!r}, {warn!r})"
            )
        return super().__new__(cls, warn, critical)


LIMITS: Mapping[str, Limit] = {
    "registers": Limit(10, 25),
    "spills": Limit(1, None),
    "instructions": Limit(15, 50),
    "occupancy": Limit(10, 25),
    "warnings": Limit(2, None),
}
"""The limits where nobody says others."""


class Change(NamedTuple):
    """A metric of a kernel in two programs. `worse` is by how much, in the metric's unit: negative where it became better.

    `better` is 1 or 2 for the program that has the better number, 0 where they are equal; `verdict` "", "warn" or "critical".
    """

    kernel: str
    metric: str
    before: float
    after: float
    worse: float
    better: int
    verdict: str


class Comparison(NamedTuple):
    """Two modules: the changes, and the names of kernels that only one of them has."""

    changes: tuple[Change, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The worst of the changes' verdicts."""
        found = {change.verdict for change in self.changes}
        return next((verdict for verdict in ("critical", "warn") if verdict in found), "")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON; a change from nothing has no number."""
        rows = [change._asdict() for change in self.changes]
        for row in rows:
            if row["worse"] == float("inf"):
                row["worse"] = None
        return {**self._asdict(), "changes": rows, "verdict": self.verdict}


def spilled(used: Resources | None) -> int | None:
    """Bytes that spilled registers store and load; None where it is not known."""
    if used is None or used.spill_stores is None or used.spill_loads is None:
        return None
    return used.spill_stores + used.spill_loads


def metrics(report: Report, kernel: KernelReport) -> dict[str, float]:
    """The metrics that are known of a kernel."""
    used, held, memory = kernel.resources, kernel.occupancy, kernel.memory
    found: dict[str, float | None] = {
        "registers": None if used is None else used.registers,
        "spills": spilled(used),
        "stack": None if used is None else used.stack,
        "shared": kernel.shared,
        "instructions": kernel.instructions,
        "occupancy": None if held is None else 100 * held.fraction,
        "efficiency": None if memory.efficiency is None else 100 * memory.efficiency,
        "conflicts": memory.conflicts,
        "warnings": len(report.warnings),
    }
    return {name: value for name, value in found.items() if value is not None}


def best(metric: str, values: list[float]) -> list[int]:
    """The places of the best of these values: several where they are equal."""
    top = max(values) if METRICS[metric].more_is_better else min(values)
    return [place for place, value in enumerate(values) if value == top]


def compare(first: Report, second: Report, limits: Mapping[str, Limit] = LIMITS) -> Comparison:
    """The changes of each kernel, by name; of modules with one kernel each, of these two. Raises ArgumentRangeError for a
    limit on what is not a metric, ArgumentTypeError for what is not a report or a limit."""
    for report in (first, second):
        if not isinstance(report, Report):
            raise ArgumentTypeError(f"{type(report).__name__} is not a report", hint="analyze(module)")
    unknown = [name for name in limits if name not in METRICS]
    if unknown:
        raise ArgumentRangeError(f"no metric {', '.join(map(str, unknown))}", hint=", ".join(METRICS))
    for name, limit in limits.items():
        if not isinstance(limit, Limit):
            raise ArgumentTypeError(f"the limit of {name} is {limit!r}", hint="Limit(warn, critical)")
    ours, theirs = ({f.name: f for f in report.functions} for report in (first, second))
    pairs = [(name, ours[name], theirs[name]) for name in ours if name in theirs]
    if not pairs and len(ours) == len(theirs) == 1:
        (one,), (other,) = ours.values(), theirs.values()
        pairs = [(one.name, one, other)]
    changes = []
    for name, one, other in pairs:
        before, after = metrics(first, one), metrics(second, other)
        for metric in METRICS:
            if metric in before and metric in after:
                new = _new_warnings(first, second) if metric == "warnings" else None
                changes.append(_change(name, metric, before[metric], after[metric], limits.get(metric), new))
    met = {name for pair in pairs for name in (pair[1].name, pair[2].name)}
    return Comparison(
        tuple(changes),
        tuple(name for name in ours if name not in met),
        tuple(name for name in theirs if name not in met),
    )


def _new_warnings(first: Report, second: Report) -> int:
    """Warnings of the second that the first has not, code by code: others that went do not make up for them."""
    before, after = (Counter(finding.code for finding in report.warnings) for report in (first, second))
    return (after - before).total()


def _change(kernel: str, metric: str, before: float, after: float, limit: Limit | None, new: int | None) -> Change:
    kind = METRICS[metric]
    worse = before - after if kind.more_is_better else after - before
    if kind.unit == "%":
        worse = 100 * worse / before if before else (float("inf") if worse else 0.0)
    better = 0 if before == after else 2 if worse < 0 else 1
    judged = worse if new is None else new
    verdict = ""
    if limit is not None:
        over = [
            name for name in ("warn", "critical") if (bound := getattr(limit, name)) is not None and judged >= bound
        ]
        verdict = over[-1] if judged > 0 and over else ""
    return Change(kernel, metric, before, after, worse, better, verdict)
