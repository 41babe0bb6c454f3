"""The bug hunter: launches a kernel, whoever wrote its PTX, on drawn inputs and looks for races, missing waits, deadlocks,
accesses out of bounds, wrong scopes, and results that depend on when asynchronous work is done.

    search      the hunt: draw a case, try it, keep each finding once, shrink its case; `find_bugs` and `Report`
    findings    a finding as a value, with where, since when and how to have it again
    rules       the rules by id: what each means; one row a rule
    domains     the values that a number of a case is drawn from, as they are written, and how a value becomes simpler
    usage       what the PTX shows of a kernel's parameters: pointers, and the types of what they point to
    arguments   from what is stated of the arguments, and what is guessed, to the arguments of a case
    subjects    what is hunted in: a kernel of PTX text, or a variant of the library on its own problems
    trial, worker   one case in a process of its own: watched by the sanitizer, or under each schedule
    outcomes    from what a trial gives to findings
    source_map  from a line of PTX to the lines of the source that `.loc` names
    sarif       a report as SARIF 2.1.0

The verifier, the sanitizer and the schedules find; this room draws the inputs, and tells. What none of them sees belongs into
their rooms. To have a new kind of finding reported, give it its row in rules.py. Every case runs in a worker process: one that
crashes or never ends costs that case. May import everything up to `golden`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.hunt.findings import Finding, Report, Step
    from ptxgen.hunt.search import Budget, find_bugs
    from ptxgen.hunt.subjects import LibrarySubject, PtxSubject

__all__ = ["Budget", "Finding", "LibrarySubject", "PtxSubject", "Report", "Step", "find_bugs"]

_EXPORTS = {
    "findings": "Finding Report Step",
    "search": "Budget find_bugs",
    "subjects": "LibrarySubject PtxSubject",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
