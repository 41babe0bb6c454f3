"""A report as SARIF 2.1.0: what the standard and GitHub's code scanning ask of a file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ptxgen.errors import Location
from ptxgen.hunt import Finding, Report, Step
from ptxgen.hunt.sarif import sarif

ROOT = Path("/project")
PTX = Location("ptx", "/project/out dir/k.ptx", 7, 2, "ld.shared.u32 %r1, [%r2];")
SOURCE = Location("source", "/project/src/k.cu", 3, 5, "x = box[i];")
ELSEWHERE = Location("source", "/opt/include/header.h", 9, None, "return *p;")
REPORT = Report(
    "k.ptx",
    "k",
    0,
    (
        Finding(
            "race/read-after-write", "error", "no order", "k",
            (Step("reads", "ld.shared.u32 %r1, [%r2];", (PTX,), (ELSEWHERE, SOURCE)), Step("wrote", "st.shared;", (PTX,))),
            "a barrier", "grid 1", "ptxgen hunt k.ptx", ("n: a number",), "late, budget 1",
        ),
        Finding("PTX507", "warning", "no barrier", "k", (Step("", "ld.shared", (PTX,), (ELSEWHERE,)),)),
        Finding("schedule", "note", "differs", "k", ()),
    ),
    3,
    1.0,
    skipped=(("too slow", 2),),
)  # fmt: skip


@pytest.fixture(scope="module")
def log() -> dict[str, Any]:
    made = sarif([REPORT], "1.2.3", ROOT)
    loaded: dict[str, Any] = json.loads(json.dumps(made, allow_nan=False))
    return loaded


def test_the_log_is_of_one_run_of_the_tool(log: dict[str, Any]) -> None:
    assert set(log) == {"$schema", "version", "runs"}
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    driver = log["runs"][0]["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("ptxgen hunt", "1.2.3")
    assert log["runs"][0]["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is True
    assert [note["message"]["text"] for note in invocation["toolExecutionNotifications"]] == [
        "2 cases of k were left out: too slow"
    ]


def test_every_result_names_a_rule_that_is_described(log: dict[str, Any]) -> None:
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        assert re.fullmatch("[0-9a-f]{32}", result["partialFingerprints"]["ptxgenFinding/v1"])
    assert next(rule for rule in rules if rule["id"] == "PTX507")["shortDescription"]["text"].startswith(
        "shared memory goes"
    )


def test_locations_are_relative_encoded_uris_and_regions_begin_at_1(log: dict[str, Any]) -> None:
    found = [
        place
        for result in log["runs"][0]["results"]
        for place in [*result.get("locations", ()), *result["relatedLocations"]]
    ]
    assert found
    for place in found:
        physical = place["physicalLocation"]
        assert physical["region"]["startLine"] >= 1
        assert physical["region"].get("startColumn", 1) >= 1
        uri = physical["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file:///)?[\w./%-]+", uri)
        assert "project" not in uri
    ids = [place["id"] for place in log["runs"][0]["results"][0]["relatedLocations"]]
    assert ids == list(range(len(ids)))


def test_a_result_lies_in_the_source_of_the_project_else_in_the_ptx(log: dict[str, Any]) -> None:
    first, second, third = log["runs"][0]["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/k.cu"
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "out%20dir/k.ptx"
    assert "locations" not in third
    assert first["properties"]["command"] == "ptxgen hunt k.ptx"
    assert "Again: ptxgen hunt k.ptx" in first["message"]["text"]


def test_the_fingerprint_stays_when_lines_move() -> None:
    moved = Location("ptx", PTX.file, 99, 2, PTX.text)
    finding = REPORT.findings[0]
    steps = tuple(step._replace(places=(moved,)) for step in finding.steps)
    logs = [sarif([REPORT._replace(findings=(each,))], "1", ROOT) for each in (finding, finding._replace(steps=steps))]
    prints = [log["runs"][0]["results"][0]["partialFingerprints"] for log in logs]
    assert prints[0] == prints[1]
