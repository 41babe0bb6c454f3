"""A report as SARIF 2.1.0 (OASIS standard of 2020), which GitHub's code scanning and editors read.

A result lies where the source that `.loc` names is, if that file is in the folder, else in the PTX; all other places are related
locations. What finds it again, and what was guessed, is in the result's message and properties.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ptxgen.codes.lookup import code_row
from ptxgen.hunt.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.errors import Location
    from ptxgen.hunt.findings import Finding, Report, Step

__all__ = ["sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(reports: Sequence[Report], version: str, root: Path | None = None) -> dict[str, Any]:
    """The reports as one run of a tool of that version. `root`: paths below it are relative, by default the working folder."""
    root = (root or Path.cwd()).resolve()
    found = [each for report in reports for each in report.findings]
    names = list(dict.fromkeys(each.rule for each in found))
    driver = {"name": "ptxgen hunt", "version": version, "rules": [_rule(name) for name in names]}
    skipped = [
        {"level": "note", "message": {"text": f"{times} cases of {report.kernel} were left out: {why}"}}
        for report in reports
        for why, times in report.skipped
    ]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": skipped}],
        "results": [_result(each, names.index(each.rule), root) for each in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    row = next((rule for rule in RULES.values() if rule.id == name), None)
    code = code_row(name)
    if row is not None:
        meaning, help, level = row.meaning, row.help, row.level
    elif code is not None:
        meaning, help, level = (
            code.meaning,
            f"{code.cause}. Instead: {code.remedy}",
            "warning" if "warning" in code.severity else "error",
        )
    else:
        meaning, help, level = name, name, "error"
    return {
        "id": name,
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": help},
        "help": {"text": help},
        "defaultConfiguration": {"level": level},
    }


def _result(found: Finding, index: int, root: Path) -> dict[str, Any]:
    told = [found.message]
    told += [f"Instead: {found.hint}"] if found.hint else []
    told += [f"Again: {found.command}"] if found.command else []
    places = [(step, place) for step in found.steps for place in (*step.lines, *step.places[:1]) if place.line >= 1]
    first = next((place for _, place in places if place.kind == "source" and _is_below(place.file, root)), None)
    first = first or next((place for _, place in places if place.kind != "source"), None)
    properties = {"kernel": found.kernel, "case": found.case, "command": found.command, "guesses": list(found.guesses)}
    properties.update({"schedule": found.schedule} if found.schedule else {})
    result: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": found.level,
        "message": {"text": "\n".join(told)},
        "partialFingerprints": {"ptxgenFinding/v1": _fingerprint(found)},
        "properties": properties,
        "relatedLocations": [
            {"id": number, "message": {"text": _told(step)}, **_physical(place, root)}
            for number, (step, place) in enumerate(places)
        ],
    }
    if first is not None:
        logical = [{"name": found.kernel, "fullyQualifiedName": found.kernel, "kind": "function"}]
        result["locations"] = [{**_physical(first, root), "logicalLocations": logical}]
    return result


def _told(step: Step) -> str:
    return f"{step.what}: {step.instruction}" if step.what else step.instruction


def _physical(place: Location, root: Path) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": place.line}
    if place.column:
        region["startColumn"] = place.column
    excerpt = place.excerpt()
    if excerpt:
        region["snippet"] = {"text": excerpt}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file, root)}, "region": region}}


def _is_below(file: str, root: Path) -> bool:
    path = Path(file)
    return (path.resolve() if path.is_absolute() else (root / path).resolve()).is_relative_to(root)


def _uri(file: str, root: Path) -> str:
    path = Path(file)
    if path.is_absolute() and _is_below(file, root):
        path = path.resolve().relative_to(root)
    text = quote(PurePath(path).as_posix())
    return f"file://{text}" if path.is_absolute() else text


def _fingerprint(found: Finding) -> str:
    """The same while the instructions and what is said of them stay, wherever they move to."""
    parts = [found.rule, found.kernel, *(step.instruction for step in found.steps)]
    return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
