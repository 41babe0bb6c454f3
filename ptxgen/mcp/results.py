"""What the tools give, with the schema that agents read."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

__all__ = [
    "ArrayAfter",
    "CaseLeftOut",
    "Change",
    "Checked",
    "Diagnostic",
    "Difference",
    "Emitted",
    "Explained",
    "Finding",
    "Hunted",
    "Place",
    "Ran",
    "Statistics",
    "Step",
]


class Place(BaseModel):
    """A line. `kind` is "ptx", "python", "template", "source" (which `.loc` names), "caller" or "declaration"."""

    kind: str
    file: str
    line: int
    column: int | None = None
    text: str = ""


class Diagnostic(BaseModel):
    """What the verifier or the parser says."""

    code: str
    severity: str
    message: str
    locations: list[Place]
    expected: str | None = None
    hint: str | None = None
    count: int = 1


class Checked(BaseModel):
    """`ok`: no error, so that an assembler takes it."""

    ok: bool
    errors: int
    warnings: int
    diagnostics: list[Diagnostic]
    omitted: int = Field(0, description="diagnostics that are left out here")


class Explained(BaseModel):
    """`found`: it is a name of PTX, CUDA or ptxgen; else the text has the nearest ones."""

    name: str
    found: bool
    text: str


class Step(BaseModel):
    """What a thread did, and where."""

    what: str
    instruction: str
    places: list[Place]
    lines: list[Place] = Field(description="in the source that .loc names, innermost first")


class Finding(BaseModel):
    """A mistake that was seen."""

    rule: str
    level: str = Field(description="error, warning or note")
    message: str
    kernel: str
    steps: list[Step]
    hint: str = ""
    case: str = Field("", description="the smallest launch that shows it")
    command: str = Field("", description="what finds it again")
    guesses: list[str] = []
    schedule: str = ""
    also: list[str] = Field([], description="codes of the verifier that say the same")


class ArrayAfter(BaseModel):
    """An argument after the launch; `values` are its first elements, flat."""

    argument: int
    type: str
    shape: list[int]
    values: list[float | int | str]


class Ran(BaseModel):
    """A launch on the CPU device. `problem` says why it did not run or end, "" where it did."""

    device: str
    kernel: str
    problem: str
    arrays: list[ArrayAfter]
    findings: list[Finding]


class CaseLeftOut(BaseModel):
    """Cases that could not be tried."""

    why: str
    times: int


class Hunted(BaseModel):
    """`complete`: the cases ended it, not the time."""

    kernel: str
    cases: int
    seed: int
    complete: bool
    guesses: list[str] = Field(description="what nobody stated of the launches")
    findings: list[Finding]
    skipped: list[CaseLeftOut]


class Change(BaseModel):
    """A change of meaning: "changed", "added", "removed" or "moved"."""

    kind: str
    function: str
    old: str
    new: str
    old_places: list[Place]
    new_places: list[Place]
    detail: str


class Difference(BaseModel):
    """`same`: registers, labels and the order of independent instructions aside."""

    same: bool
    counts: dict[str, int]
    changes: list[Change]
    omitted: int = Field(0, description="changes that are left out here")


class Emitted(BaseModel):
    """A kernel of ptxgen's library as PTX."""

    variant: str
    target: str
    ptx: str


class Statistics(BaseModel):
    """By function: instructions, registers, memory, occupancy, as `ptxgen stat --json` has them."""

    target: str
    version: str
    functions: list[dict[str, Any]]
