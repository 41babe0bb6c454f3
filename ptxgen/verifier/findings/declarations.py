"""Where the variables are declared that findings name: to the author of a kernel in Python, `shared_0` is `tile`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.errors import Location
from ptxgen.ir import Variable, resolve

if TYPE_CHECKING:
    from ptxgen.verifier.program.context import Finding

__all__ = ["with_declarations"]

_GENERATED = re.compile(r"\b(?:shared|local)_\d+\b")
"""Names that the builder gives where the author has stated none."""


def with_declarations(finding: Finding) -> Finding:
    """The finding with the Python line that declares each variable of a generated name in its message."""
    diagnostic, body = finding.diagnostic, finding.body
    names = dict.fromkeys(_GENERATED.findall(diagnostic.message))
    if body is None or body.function.body is None or not names:
        return finding
    places = _declared(finding, names)
    if not places:
        return finding
    return finding._replace(diagnostic=diagnostic.changed(locations=(*diagnostic.locations, *places)))


def _declared(finding: Finding, names: dict[str, None]) -> list[Location]:
    assert finding.body is not None
    assert finding.body.function.body is not None
    found = []
    for item in finding.body.function.body.statements:
        if isinstance(item, Variable) and item.name in names:
            place = next((each for each in resolve(item.source) if each.kind == "python"), None)
            found += [Location("declaration", place.file, place.line)] if place is not None else []
    return found
