"""Two programs side by side: what became worse, by how much, and which one has the better number."""

from __future__ import annotations

import json

import pytest

import ptxgen as px
from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.modules.jitlog import Resources
from ptxgen.errors import Diagnostic
from ptxgen.resources import LIMITS, Limit, Report, compare, occupancy
from ptxgen.resources.changes import best, metrics
from ptxgen.resources.report import KernelReport, MemoryAccesses


def report(
    *,
    name: str = "k",
    instructions: int = 100,
    registers: int | None = 41,
    spills: int | None = 0,
    warnings: tuple[str, ...] = (),
) -> Report:
    resources = None if registers is None else Resources(registers=registers, spill_stores=spills, spill_loads=0)
    kernel = KernelReport(
        name, True, instructions, {}, {}, {}, 1, 0, 0, 8, MemoryAccesses({}, 0.5, None, 0, ()), None, resources,
        None if registers is None else occupancy("sm_90a", 256, registers),
    )  # fmt: skip
    found = tuple(Diagnostic(code, "", severity="warning") for code in warnings)
    return Report("sm_90a", "8.0", 10, (kernel,), found, "")


def verdicts(first: Report, second: Report) -> dict[str, str]:
    return {change.metric: change.verdict for change in compare(first, second).changes if change.verdict}


@pytest.mark.parametrize(
    "first, second, expected",
    [
        ({}, {}, {}),
        ({"instructions": 100}, {"instructions": 114}, {}),
        ({"instructions": 100}, {"instructions": 115}, {"instructions": "warn"}),
        ({"instructions": 100}, {"instructions": 150}, {"instructions": "critical"}),
        ({"instructions": 150}, {"instructions": 100}, {}),
        ({"registers": 41}, {"registers": 45}, {}),
        ({"registers": 30}, {"registers": 33}, {"registers": "warn", "occupancy": "critical"}),  # 100 % to 75 %
        ({"registers": 128}, {"registers": 160}, {"registers": "critical", "occupancy": "warn"}),  # 25 % to 12.5 %
        ({"registers": 160}, {"registers": 128}, {}),
        ({}, {"spills": 4}, {"spills": "warn"}),
        ({"spills": 8}, {"spills": 4}, {}),
        ({}, {"warnings": ("PTX501",)}, {}),
        ({}, {"warnings": ("PTX501", "PTX507")}, {"warnings": "warn"}),
        ({"warnings": ("PTX501", "PTX507")}, {"warnings": ("PTX303", "PTX304")}, {"warnings": "warn"}),  # other ones
        ({"registers": None}, {"registers": 200}, {}),  # nothing to compare with
    ],
)
def test_limits(first: dict[str, object], second: dict[str, object], expected: dict[str, str]) -> None:
    assert verdicts(report(**first), report(**second)) == expected  # type: ignore[arg-type]


def test_the_worst_verdict_stands_for_all() -> None:
    worse = report(instructions=200, spills=4)
    assert compare(report(), worse).verdict == "critical"
    assert compare(report(), report(spills=4)).verdict == "warn"
    assert compare(worse, report()).verdict == ""


def test_own_limits() -> None:
    limits = {**LIMITS, "instructions": Limit(None, 300), "registers": Limit(1, 2)}
    found = compare(report(), report(instructions=399, registers=42), limits)
    assert {c.metric: c.verdict for c in found.changes if c.verdict} == {"registers": "critical"}


@pytest.mark.parametrize(
    "limits, says",
    [
        ({"speed": Limit(1, 2)}, "no metric speed\n  Fix: registers, spills"),
        ({3: Limit(1, 2)}, "no metric 3"),
        ({"spills": (1, 2)}, r"the limit of spills is \(1, 2\)\n  Fix: Limit"),
    ],
)
def test_limits_on_what_is_no_metric_are_refused(limits: dict[str, Limit], says: str) -> None:
    with pytest.raises(px.Error, match=says):
        compare(report(), report(), limits)


def test_what_is_no_report_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"str is not a report\n  Fix: analyze\(module\)"):
        compare(report(), "text")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bounds, says",
    [
        ((50, 10), r"critical at 10, before the warning at 50\n  Fix: Limit\(10, 50\)"),
        ((-5, None), "warn is -5\n  Fix: 0 or more"),
        ((None, float("nan")), "critical is nan"),
        (("1", 2), "warn is '1', expected a number or None"),
    ],
)
def test_limits_that_cannot_be_are_refused(bounds: tuple[float | None, float | None], says: str) -> None:
    with pytest.raises(px.Error, match=says):
        Limit(*bounds)


def test_who_is_better() -> None:
    found = {c.metric: (c.better, c.worse) for c in compare(report(), report(registers=64, instructions=90)).changes}
    assert found["registers"] == (1, pytest.approx(56.1, abs=0.1))
    assert found["instructions"] == (2, -10.0)
    assert found["occupancy"] == (1, 12.5)
    assert found["efficiency"] == (0, 0.0)
    assert best("occupancy", [25.0, 50.0, 50.0]) == [1, 2]
    assert best("registers", [25.0, 50.0]) == [0]


def test_kernels_go_by_name() -> None:
    one, other = report(name="a"), report(name="b", instructions=300)
    assert compare(one, other).verdict == "critical"  # one kernel each: these are meant
    both = one._replace(functions=(*one.functions, *other.functions))
    found = compare(both, other)
    assert {change.kernel for change in found.changes} == {"b"}
    assert (found.only_first, found.only_second) == (("a",), ())


def test_from_nothing_to_something_is_json_too() -> None:
    first, second = report(), report()
    kernel = second.kernel()._replace(shared=64)
    found = compare(first, second._replace(functions=(kernel,)))
    (shared,) = [change for change in found.changes if change.metric == "shared"]
    assert shared.worse == float("inf")
    rows = json.loads(json.dumps(found.to_dict(), allow_nan=False))["changes"]
    assert next(row["worse"] for row in rows if row["metric"] == "shared") is None


def test_what_is_not_known_is_no_metric() -> None:
    unknown = report(registers=None)
    assert set(metrics(unknown, unknown.kernel())) == {"shared", "instructions", "efficiency", "warnings"}


def test_spills_may_be_unknown_where_registers_are_known() -> None:
    found = report(spills=None)
    numbers = metrics(found, found.kernel())
    assert (numbers["registers"], "spills" in numbers) == (41, False)
