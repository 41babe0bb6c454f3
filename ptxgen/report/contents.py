"""Everything that a page says of a kernel, as values: what the templates get."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.profiler.counts import Counts
from ptxgen.dataflow.bodies.alive import alive_before, words
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.errors import Location, grouped
from ptxgen.ir import resolve
from ptxgen.isa.targets import find_target
from ptxgen.report import figures
from ptxgen.report.flow_graph import Graph, flow_graph
from ptxgen.report.listing import Line, alone, listing, printed_lines
from ptxgen.report.metrics import METRICS, Metric
from ptxgen.report.sources import SourceFile, anchor, sources
from ptxgen.resources import analyze
from ptxgen.resources.machines import machine_for
from ptxgen.resources.report import DEFAULT_THREADS, threads_of
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.cpu.profiler.counts import LaunchCounts
    from ptxgen.cpu.sanitizer.findings import Finding
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Function, Module
    from ptxgen.resources import KernelReport, Report

__all__ = ["Contents", "contents_of"]


class Row(NamedTuple):
    """A line of the listing: ids of the source lines that it comes from, registers alive before it, what was counted, the worst
    finding."""

    line: Line
    sources: tuple[str, ...]
    alive: int | None
    counts: Counts | None
    severity: str


class Note(NamedTuple):
    """A finding: `where` are its places, each with the id of a line of the page, or ""."""

    severity: str
    code: str
    text: str
    expected: str
    hint: str
    times: int
    where: tuple[tuple[str, str, str], ...]  # id, place, what is there


class Contents(NamedTuple):
    """Of one kernel. `launch` is there where it was run; `total` are its counts."""

    name: str
    module: str
    report: Report
    kernel: KernelReport
    threads: int
    rows: tuple[Row, ...]
    metrics: tuple[Metric, ...]
    files: tuple[SourceFile, ...]
    notes: tuple[Note, ...]
    graph: Graph
    curve: figures.Curve | None
    mix: tuple[figures.Mix, ...]
    roofline: figures.Roofline | None
    occupancies: tuple[figures.OccupancyRow, ...]
    launch: LaunchCounts | None
    total: Counts | None
    watched: bool


def contents_of(
    module: Module,
    kernel: str | None = None,
    *,
    launch: LaunchCounts | None = None,
    findings: Sequence[Finding] | None = None,
    threads: int | None = None,
    shared: int = 0,
    tool: str = "auto",
    folders: Sequence[str] = (),
) -> Contents:
    """Of a kernel of a module, the only one where none is named. `launch` is what px.profile counted of it, `findings` what the
    sanitizer found, None where it did not watch; `threads`, `shared` and `tool` as for `analyze`; of the files that `.loc` names,
    those in `folders` are shown. Raises what `analyze` raises, KeyError for a kernel that is not there."""
    function = _chosen(module, kernel)
    part = alone(module, function)
    said = verify(part, style=True)
    wrong = any(each.is_error for each in said)
    report = analyze(part, threads=threads, shared=shared, tool=tool, findings=None if wrong else said)
    found = report.kernel(function.name)
    size = threads or threads_of(function) or DEFAULT_THREADS
    lines = listing(module, function)
    files = sources(lines, folders)
    body = body_of(part, function.name)
    alive = alive_before(body, words(body))
    counted = {each.ptx_line: each.counts for each in launch.instructions} if launch is not None else {}
    printed = {(f"PTX of {module.name}", line): number for line, number in printed_lines(part, lines).items()}
    notes = _notes(printed, [*said, *report.losses], findings or (), lines, files)
    worst = _worst(notes)
    rows = tuple(_row(line, files, alive, counted, worst) for line in lines)
    by_position = {row.line.position: row for row in rows if row.line.position >= 0}
    counts = {position: row.counts for position, row in by_position.items() if row.counts is not None}
    graph = flow_graph(body, {position: row.line.number for position, row in by_position.items()}, counts)
    total = launch.total if launch is not None else None
    executed = [(each.op.partition(".")[0], each.counts) for each in launch.instructions] if launch is not None else []
    return Contents(
        found.name, module.name or "", report, found, size, rows,
        tuple(metric for metric in METRICS if metric.of_text or launch is not None), files, notes, graph, figures.curve(alive),
        figures.mix((i.opcode for i in function.instructions()), executed), _roofline(module, found, total),
        figures.occupancies(find_target(module.target), found, size), launch, total, findings is not None,
    )  # fmt: skip


def _chosen(module: Module, name: str | None) -> Function:
    """The kernel of that name, or the only one."""
    found = [f for f in module.entries if f.body is not None and name in (None, f.name)]
    if len(found) != 1:
        known = ", ".join(f.name for f in module.entries) or "none"
        raise KeyError(f"no kernel {name!r}; there are {known}" if name else f"not one kernel but: {known}")
    return found[0]


def _row(
    line: Line, files: Sequence[SourceFile], alive: Sequence[int], counted: dict[int, Counts], worst: dict[str, str]
) -> Row:
    ids = tuple(dict.fromkeys(name for place in line.places if (name := anchor(files, place))))
    severity = worst.get(f"p{line.number}", "")
    if line.instruction is None:
        return Row(line, ids, None, None, severity)
    return Row(line, ids, alive[line.position] if line.position >= 0 else None, counted.get(line.number), severity)


def _roofline(module: Module, kernel: KernelReport, total: Counts | None) -> figures.Roofline | None:
    """With the hottest region of the text, and the launch as a whole."""
    text = kernel.intensity
    points: list[tuple[str, float | None]] = [("text, hottest loop", text.flops_per_byte)] if text is not None else []
    kind = text.kind if text is not None else "f32"
    if total is not None and total.all_flops:
        kinds = {
            name: "matrix" if name.startswith("matrix") else "f64" if name == "f64" else "f32" for name in total.flops
        }
        kind = kinds[max(total.flops, key=lambda name: total.flops[name])]
        moved = max(total.global_bytes, 32 * total.global_sectors)
        points.append(("this launch", total.all_flops / moved if moved else None))
    return figures.roofline(machine_for(find_target(module.target)), kind, points)


# -- findings ---------------------------------------------------------------------------------------------------------


def _notes(
    printed: dict[tuple[str, int], int], diagnostics: Iterable[Diagnostic], findings: Sequence[Finding],
    lines: Sequence[Line], files: Sequence[SourceFile],
) -> tuple[Note, ...]:  # fmt: skip
    """`printed`: lines of the listing by places in the text of a module that no file says."""
    shown = {line.number for line in lines}
    known = {place: f"p{number}" for place, number in printed.items()}
    for line in lines:
        for place in resolve(line.instruction.source) if line.instruction is not None else ():
            if place.kind == "ptx":
                known.setdefault((place.file, place.line), f"p{line.number}")

    def where(places: Iterable[Location]) -> tuple[tuple[str, str, str], ...]:
        ids = ((known.get((each.file, each.line), "") or anchor(files, each), each) for each in places)
        return tuple((name, each.listed(), each.excerpt()) for name, each in ids)

    notes = [
        Note(
            each.severity,
            each.code,
            each.message,
            each.expected or "",
            each.hint or "",
            each.count,
            where(each.locations),
        )
        for each in grouped(diagnostics)
    ]
    for finding in findings:
        rows: list[tuple[str, str, str]] = []
        for access in (finding.access, finding.earlier):
            if access is not None:
                number = access.places[-1].line if access.places else 0  # of the text that the device was given
                told = f"CTA {access.cta}, thread {access.thread} {access.verb}"
                rows.append((f"p{number}" if number in shown else "", told, access.instruction))
        notes.append(Note("error", finding.tool, f"{finding.kind}: {finding.what}", "", finding.hint, 1, tuple(rows)))
    return tuple(notes)


def _worst(notes: Iterable[Note]) -> dict[str, str]:
    """The severity of each line that has a finding."""
    found: dict[str, str] = {}
    for note in notes:
        for place, _, _ in note.where:
            if place and found.get(place) != "error":
                found[place] = note.severity
    return found
