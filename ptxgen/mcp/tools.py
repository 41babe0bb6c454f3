"""The tools, a function each: what an agent is told of a tool is its signature and its docstring.

They run in a worker's process (worker.py), with the server's working folder as theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from ptxgen.mcp.programs import ProgramError, checked_arguments, module_of, text_of
from ptxgen.mcp.results import (
    Change,
    Checked,
    Diagnostic,
    Difference,
    Emitted,
    Explained,
    Finding,
    Hunted,
    Ran,
    Statistics,
)

if TYPE_CHECKING:
    from ptxgen.errors import Diagnostic as Found

__all__ = ["MOST_SECONDS", "TOOLS"]

MOST_SECONDS = 120.0
"""Of a launch or a hunt."""
_MOST_ROWS = 50
"""Diagnostics or changes of one answer."""

Ptx = Annotated[str | None, Field(description="PTX text; give this or path")]
File = Annotated[str | None, Field(description="a .ptx file below the server's working folder")]
Entry = Annotated[str | None, Field(description="the kernel, where there are several")]
Arguments = Annotated[
    list[str],
    Field(
        description="one for each parameter, in order: 10, 2.0, zeros:f32:1024, ones:..., arange:..., random:f32:64x32, "
        "edges:..., x.npy, bytes:00ff; for hunt also n=1..4096, k=32,64, x=random:f32:n*4, and _ for a guess"
    ),
]


def check(ptx: Ptx = None, path: File = None, style: bool = False) -> Checked:
    """Verify PTX: syntax, forms and types, targets, control flow, asynchronous protocols, races that the text shows. An error is
    what an assembler rejects, a warning what it takes although it cannot be meant; with `style`, advice as well."""
    from ptxgen.errors import PtxError
    from ptxgen.verifier import verify

    try:
        found: list[Found] = list(verify(module_of(ptx, path), style=style))
    except PtxError as error:
        found = list(error.diagnostics)
    errors = sum(each.count for each in found if each.is_error)
    warnings = sum(each.count for each in found if each.severity == "warning")
    shown = [Diagnostic.model_validate(each.to_dict()) for each in found[:_MOST_ROWS]]
    return Checked(
        ok=not errors, errors=errors, warnings=warnings, diagnostics=shown, omitted=max(len(found) - _MOST_ROWS, 0)
    )


def explain(
    name: Annotated[str, Field(description='"cp.async.bulk", "%tid", ".maxntid", "sm_90a", "PTX513"')],
) -> Explained:
    """What an instruction or its beginning, a directive, a special register, a target, a type, a diagnostic code or a name of
    CUDA C++ is: its forms and operands, since when and where it exists, what to do instead."""
    from ptxgen.verifier.explanation import explain as look_up

    if len(name) > 200 or "/" in name or name.endswith(".py"):
        raise ProgramError(f"{name[:200]!r} is no name of PTX")
    found = look_up(name)
    return Explained(name=found.name, found=found.found, text=str(found))


def run(
    ptx: Ptx = None,
    path: File = None,
    entry: Entry = None,
    arguments: Arguments = [],  # noqa: B006  # the schema's default; nobody changes it
    grid: Annotated[str, Field(description="CTAs: 4, 4x2 or 4x2x1")] = "1",
    block: Annotated[str, Field(description="threads of a CTA, likewise")] = "256",
    shared: Annotated[int | None, Field(description="bytes of dynamic shared memory")] = None,
    seconds: Annotated[float, Field(gt=0, le=MOST_SECONDS)] = 10.0,
) -> Ran:
    """Launch a kernel once on the CPU device, watched by the sanitizer: what its arrays hold afterwards, races, accesses out of
    bounds, uninitialised reads, faults and deadlocks with their lines."""
    from ptxgen.hunt import PtxSubject
    from ptxgen.hunt.outcomes import finding_of
    from ptxgen.hunt.trial import Trials

    text, name = text_of(ptx, path)
    texts = checked_arguments(arguments)
    subject = PtxSubject(text, name, entry, grid=grid, block=block, shared=None if shared is None else str(shared))
    if len(texts) != len(subject.entry.parameters):
        names = ", ".join(parameter.name for parameter in subject.entry.parameters)
        raise ProgramError(
            f"{len(texts)} arguments are given, and {subject.entry.name} has {len(subject.entry.parameters)}: {names}"
        )
    case = subject.case({key: domain.usual() for key, domain in subject.domains.items()})._replace(
        arguments=tuple(texts)
    )
    trials = Trials(subject.described())
    result = trials.run("launch", case._asdict(), seconds)
    found = [finding_of(row, case, result["schedule"], subject) for row in result["findings"]]
    return Ran(
        device=trials.device_name,
        kernel=subject.entry.name,
        problem=result["skipped"],
        arrays=result["arrays"],
        findings=[Finding.model_validate(each.to_dict()) for each in found],
    )


def hunt(
    ptx: Ptx = None,
    path: File = None,
    entry: Entry = None,
    arguments: Arguments = [],  # noqa: B006  # the schema's default; nobody changes it
    grid: Annotated[str | None, Field(description='CTAs: "4x2", "1..8", "(n+255)//256"; else a guess')] = None,
    block: Annotated[
        str | None, Field(description="threads of a CTA, likewise; else the directives, or a guess")
    ] = None,
    shared: Annotated[str | None, Field(description="bytes of dynamic shared memory, likewise")] = None,
    cluster: Annotated[str | None, Field(description="CTAs of a cluster; else the directives")] = None,
    cooperative: Annotated[bool, Field(description="launch all CTAs at once")] = False,
    seconds: Annotated[float, Field(gt=0, le=MOST_SECONDS)] = 20.0,
    cases: Annotated[int, Field(ge=1, le=1000)] = 50,
    seed: Annotated[int, Field(ge=0)] = 0,
) -> Hunted:
    """Launch a kernel on drawn inputs under the sanitizer and every schedule of the CPU device, and tell of races, missing waits
    and fences, deadlocks, wrong scopes, accesses out of bounds, uninitialised reads and results that depend on the schedule:
    each once, with the smallest launch that shows it."""
    from ptxgen.hunt import Budget, PtxSubject, find_bugs

    text, name = text_of(ptx, path)
    subject = PtxSubject(
        text,
        name,
        entry,
        arguments=checked_arguments(arguments),
        grid=grid,
        block=block,
        shared=shared,
        cluster=cluster,
        cooperative=cooperative,
    )
    report = find_bugs(subject, program=name, budget=Budget(seconds, cases, min(10.0, seconds)), seed=seed)
    return Hunted.model_validate(report.to_dict())


def diff(
    first_ptx: Ptx = None, first_path: File = None, second_ptx: Ptx = None, second_path: File = None
) -> Difference:
    """What changed in meaning from one program to another: added, removed, moved and changed instructions, with their lines.
    Names of registers and labels and the order of independent instructions are no change."""
    from ptxgen.compare import difference

    found = difference(module_of(first_ptx, first_path), module_of(second_ptx, second_path))
    shown = [Change.model_validate(each.to_dict()) for each in found.changes[:_MOST_ROWS]]
    return Difference(
        same=found.same, counts=found.counts, changes=shown, omitted=max(len(found.changes) - _MOST_ROWS, 0)
    )


def emit(
    variant: Annotated[str, Field(description='a variant of the library, such as "saxpy/f32"')],
    target: Annotated[str, Field(description="sm_75 ... sm_121a")] = "sm_90a",
) -> Emitted:
    """The PTX of a kernel of ptxgen's library, verified, for a target."""
    from ptxgen.isa.targets import find_target
    from ptxgen.kernels import CATALOGUE, find

    try:
        chosen, known = find(variant), find_target(target).name
    except KeyError:
        family = variant.partition("/")[0]
        near = [each.label for each in CATALOGUE[family]] if family in CATALOGUE else list(CATALOGUE)
        raise ProgramError(
            f"the library has no {variant!r}", hint=f"there are {', '.join(near[:_MOST_ROWS])}"
        ) from None
    except ValueError as unknown:
        raise ProgramError(str(unknown)) from None
    if known in chosen.absent:
        raise ProgramError(f"{variant} is not for {known}: {chosen.absent[known]}")
    return Emitted(variant=variant, target=known, ptx=str(chosen.module(known)))


def stat(ptx: Ptx = None, path: File = None) -> Statistics:
    """What a program is made of, by kernel: instructions by kind, live registers, memory traffic, arithmetic intensity,
    occupancy."""
    from ptxgen.resources import analyze

    report = analyze(module_of(ptx, path), assembled=False)
    return Statistics(
        target=report.target, version=report.version, functions=[function.to_dict() for function in report.functions]
    )


TOOLS: dict[str, tuple[Callable[..., BaseModel], type[BaseModel], Callable[[dict[str, Any]], float]]] = {
    "check": (check, Checked, lambda given: 30.0),
    "explain": (explain, Explained, lambda given: 30.0),
    "run": (run, Ran, lambda given: given["seconds"] + 30.0),
    "diff": (diff, Difference, lambda given: 60.0),
    "hunt": (hunt, Hunted, lambda given: given["seconds"] + 60.0),
    "emit": (emit, Emitted, lambda given: 60.0),
    "stat": (stat, Statistics, lambda given: 30.0),
}
"""Name -> function, what it gives, and after how many seconds it is ended, by its arguments."""
