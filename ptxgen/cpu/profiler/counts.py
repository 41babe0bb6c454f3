"""What was counted, as values: of an instruction, of a line, of a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ptxgen.cpu.fault import Dim3
    from ptxgen.dataflow.bodies.source_lines import SourceLine
    from ptxgen.errors import Location

__all__ = ["Counts", "InstructionCounts", "LaunchCounts", "LineCounts"]


class Counts(NamedTuple):
    """Sums over a launch, or several.

    `warps`, `threads`: executions. `active`: those by threads whose guard holds. `divergent`: branches after which the threads
    of a warp go different ways. Of global memory, `global_requests`: executions by a warp that accesses it, `global_sectors`: of
    32 bytes, that these touch, `global_fewest`: sectors that would hold the bytes, `global_bytes`: that threads ask for. Of
    shared memory likewise, in `shared_wavefronts`, turns of the 32 banks. `local_bytes`: of local memory. `flops`: floating-point
    operations by type, see `ptxgen.isa.arithmetic`.
    """

    warps: int = 0
    threads: int = 0
    active: int = 0
    divergent: int = 0
    global_requests: int = 0
    global_sectors: int = 0
    global_fewest: int = 0
    global_bytes: int = 0
    shared_requests: int = 0
    shared_wavefronts: int = 0
    shared_fewest: int = 0
    shared_bytes: int = 0
    local_bytes: int = 0
    flops: Mapping[str, float] = {}

    @property
    def lanes(self) -> float | None:
        """Threads that take part when a warp executes; None where none does."""
        return self.threads / self.warps if self.warps else None

    @property
    def conflicts(self) -> int:
        """Turns of the banks that different addresses would spare."""
        return self.shared_wavefronts - self.shared_fewest

    @property
    def sectors_per_request(self) -> float | None:
        """Of global memory; None without requests."""
        return self.global_sectors / self.global_requests if self.global_requests else None

    @property
    def all_flops(self) -> float:
        """Of every type together."""
        return sum(self.flops.values())

    def metrics(self) -> dict[str, float]:
        """Under the names that Nsight Compute gives such counts of an instruction on its source page."""
        return {
            "inst_executed": self.warps,
            "thread_inst_executed": self.threads,
            "thread_inst_executed_true": self.active,
            "smsp__branch_targets_threads_divergent": self.divergent,
            "memory_l2_theoretical_sectors_global": self.global_sectors,
            "memory_l2_theoretical_sectors_global_ideal": self.global_fewest,
            "derived__memory_l2_theoretical_sectors_global_excessive": self.global_sectors - self.global_fewest,
            "memory_l1_wavefronts_shared": self.shared_wavefronts,
            "memory_l1_wavefronts_shared_ideal": self.shared_fewest,
            "derived__memory_l1_wavefronts_shared_excessive": self.conflicts,
        }

    @staticmethod
    def sum(each: Iterable[Counts]) -> Counts:
        """Of several instructions, or of one in several launches."""
        found = list(each)
        flops: dict[str, float] = {}
        for counts in found:
            for name, number in counts.flops.items():
                flops[name] = flops.get(name, 0.0) + number
        columns = map(sum, zip(*(counts[:-1] for counts in found)))
        return Counts._make([*(columns if found else Counts()[:-1]), dict(sorted(flops.items()))])


class InstructionCounts(NamedTuple):
    """An instruction of a kernel, or of a function that it calls: its text, where it stands (`places` as of a finding: the
    Python function's line or the template's, then that of the PTX), the lines that `.loc` names, and what was counted."""

    text: str
    op: str
    places: tuple[Location, ...]
    lines: tuple[SourceLine, ...]
    counts: Counts

    @property
    def line(self) -> tuple[str, int]:
        """(file, line) of what was written: of the source that .loc names, else of Python or a template, else of the PTX."""
        place = self.lines[0].place if self.lines else self.places[0] if self.places else None
        return (place.file, place.line) if place is not None else ("", 0)

    @property
    def ptx_line(self) -> int:
        """Of the text that the device was given, which is the last of the places; 0 where there is none."""
        return self.places[-1].line if self.places else 0


class LineCounts(NamedTuple):
    """A line of source. `instructions`: so many come from it; `warps` and `threads` of `counts` are sums over them."""

    file: str
    line: int
    text: str
    instructions: int
    counts: Counts

    @property
    def place(self) -> str:
        """The file without its folders, and the line."""
        return f"{self.file.rpartition('/')[2]}:{self.line}"


class LaunchCounts(NamedTuple):
    """Launches of one kernel with one shape, together. `shared`: bytes of a CTA, static and dynamic; `instructions` in the order
    of the text, those that were never executed among them."""

    kernel: str
    grid: Dim3
    block: Dim3
    cluster: Dim3 | None
    shared: int
    launches: int
    instructions: tuple[InstructionCounts, ...]

    @property
    def total(self) -> Counts:
        """Of all instructions."""
        return Counts.sum(each.counts for each in self.instructions)

    def lines(self) -> tuple[LineCounts, ...]:
        """By line of source, those of a file together, in order."""
        groups: dict[tuple[str, int], list[InstructionCounts]] = {}
        for each in self.instructions:
            groups.setdefault(each.line, []).append(each)
        return tuple(
            LineCounts(file, line, _excerpt(group[0]), len(group), Counts.sum(one.counts for one in group))
            for (file, line), group in sorted(groups.items())
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        rows = [
            {
                "text": each.text,
                "ptx_line": each.ptx_line,
                "file": each.line[0],
                "line": each.line[1],
                **each.counts._asdict(),
            }
            for each in self.instructions
        ]
        return {**self._asdict(), "instructions": rows, "total": self.total._asdict()}

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, table

        columns = (
            "line",
            "source",
            "warps",
            "lanes",
            "divergent",
            "sectors",
            "fewest",
            "wavefronts",
            "fewest",
            "flops",
        )
        rows = [
            (
                each.place, each.text, f"{c.warps:,}", "" if c.lanes is None else f"{c.lanes:.3g}", c.divergent,
                c.global_sectors, c.global_fewest, c.shared_wavefronts, c.shared_fewest, f"{c.all_flops:,.15g}",
            )
            for each in self.lines()
            for c in (each.counts,)
        ]  # fmt: skip
        return box(self, table(columns, rows))

    def __str__(self) -> str:
        shape = f"grid {_extents(self.grid)}, block {_extents(self.block)}"
        times = f", {self.launches} launches" if self.launches > 1 else ""
        return f"{self.kernel}: {shape}{times}"


def _excerpt(of: InstructionCounts) -> str:
    place = of.lines[0].place if of.lines else of.places[0] if of.places else None
    return place.excerpt() if place is not None else of.text


def _extents(extents: Dim3) -> str:
    found = list(extents)
    while len(found) > 1 and found[-1] == 1:
        found.pop()
    return "x".join(map(str, found))
