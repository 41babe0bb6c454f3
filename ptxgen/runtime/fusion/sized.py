"""A chain of programs for one number of elements: its stages, its plan, its launches, and the memory between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.runtime.dispatch.forms import own_form
from ptxgen.runtime.errors import InvalidProgramError
from ptxgen.runtime.fusion.chains import ProgramChain, fuse
from ptxgen.runtime.fusion.planner import FusionPlan, Stage, plan_launch_fusion
from ptxgen.runtime.memory.forms import shown
from ptxgen.runtime.programs.plans import DispatchConfig
from ptxgen.runtime.programs.rows import MOST_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline
    from ptxgen.runtime.dispatch.session import Session
    from ptxgen.runtime.memory.buffers import ResidentBuffer
    from ptxgen.runtime.programs.bindings import Binding
    from ptxgen.runtime.programs.program import Program

__all__ = ["SizedChain", "Traffic", "columns_read", "host_sizes"]

_ROWS_KEPT = 256
"""Lists of handles for which the buffers of each launch are remembered."""


class Traffic(NamedTuple):
    """The device work of a run: launches, and bytes of the chain that kernels read and write."""

    launches: int
    bytes: int


_Handles = tuple[list["ResidentBuffer"], list["ResidentBuffer"]]
"""Inputs and outputs of one dispatch."""


class _FusedGroup(NamedTuple):
    """One launch: programs `first` to `end - 1` of the chain, compiled as one."""

    first: int
    end: int
    pipeline: CompiledPipeline
    chain: ProgramChain


def columns_read(backend: Session, program: Program) -> frozenset[str]:
    """The bindings of which a program over rows reads one value for each column, and nothing else."""
    open_ = [b for b in program.bindings if b.takes_input and not b.elements]
    if (
        program.layout is None or program.layout.flat or len(open_) < 2
    ):  # then none is beside the row: it need not be built
        return frozenset()
    reach = backend.compiler.source_for(program, DispatchConfig()).built.reach
    rows = {name for name, what in reach if what == "row"}
    return frozenset(name for name, what in reach if what == "columns") - rows


def host_sizes(wanted: Sequence[Binding], counts: Mapping[str, int], n: int) -> dict[str, int]:
    """Bytes of each binding in a run of n elements: by *counts*, the elements of its data, by its own, or those of what it is
    like."""
    return {b.name: counts.get(b.name, b.elements or counts.get(b.like or "", n)) * b.size for b in wanted}


class SizedChain:
    """A chain over n elements on a backend."""

    def __init__(
        self,
        backend: Session,
        compile_: Callable[[Program, DispatchConfig], CompiledPipeline],
        chain: ProgramChain,
        columns: Sequence[frozenset[str]],
        n: int,
        budget_bytes: int,
        host: Collection[int],
    ) -> None:
        """*compile_*: that of the backend; *columns*: what `columns_read` returns of each program. LaunchFusionError where there
        is no plan."""
        self.backend, self.chain, self.n = backend, chain, n
        self._compile_one, self._columns = compile_, columns
        self.stages = tuple(self._stage(place, place in host) for place in range(len(chain.programs)))
        self.plan: FusionPlan = plan_launch_fusion(self.stages, budget_bytes)
        self._between: dict[tuple[bool, int], ResidentBuffer] = {}
        self._own: dict[str, ResidentBuffer] = {}
        self._rows: dict[tuple[Any, ...], tuple[int, tuple[_Handles, ...]]] = {}
        self._groups = self._compile([group.stage_ids for group in self.plan.groups])
        self._singles: tuple[_FusedGroup, ...] | None = None

    # --- its plan -----------------------------------------------------------------------------------------------------

    def _stage(self, place: int, host: bool) -> Stage:
        """A program as the planner sees it. What it needs beside what it takes and gives counts as scratch."""
        program = self.chain.programs[place]
        takes, gives = self.chain.inputs[place], self.chain.outputs[place]
        nbytes = {b.name: self._elements(place, b) * b.size for b in program.pointers}
        rest = sum(size for name, size in nbytes.items() if name not in (takes, gives))
        layout = program.layout
        columns = layout.columns if layout is not None and not layout.flat else 0
        alone = 0 if layout is not None else place + 1  # a program that holds no rows has a layout of its own
        return Stage(
            place,
            (alone * (MOST_COLUMNS + 1) + columns) & ((1 << 64) - 1),
            nbytes.get(takes or "", 0),
            nbytes.get(gives or "", 0),
            rest,
            host,
        )

    def _elements(self, place: int, binding: Binding) -> int:
        layout = self.chain.programs[place].layout
        if binding.elements or layout is None or not {binding.name, binding.like} & self._columns[place]:
            return binding.elements or self.n
        return layout.columns

    def _compile(self, groups: Sequence[Sequence[int]]) -> tuple[_FusedGroup, ...]:
        made = []
        for places in groups:
            members = [self.chain.programs[place] for place in places]
            pipeline = self._compile_one(fuse(members), DispatchConfig(element_count=self.n))
            made.append(_FusedGroup(places[0], places[-1] + 1, pipeline, ProgramChain.of(members)))
        return tuple(made)

    def _chosen(self, fused: bool) -> tuple[_FusedGroup, ...]:
        if fused:
            return self._groups
        if self._singles is None:
            self._singles = self._compile([[place] for place in range(len(self.chain.programs))])
        return self._singles

    def traffic(self, fused: bool) -> Traffic:
        """The device work of a run."""
        places = range(len(self.stages))
        launches = [(g.first, g.end) for g in self._groups] if fused else [(place, place + 1) for place in places]
        ends = sum(self.stages[first].input_bytes + self.stages[end - 1].output_bytes for first, end in launches)
        return Traffic(len(launches), ends)

    # --- running ------------------------------------------------------------------------------------------------------

    def run(self, wanted: Sequence[Binding], handles: Sequence[ResidentBuffer], fused: bool) -> None:
        """Queue all launches on these buffers, one for each of the bindings *wanted*."""
        groups = self._chosen(fused)
        key = fused, *handles
        generation, rows = self._rows.get(key, (-1, ()))
        if generation != self.backend.resident.generation:  # or else what lies between the launches may be gone
            buffers = {binding.name: handle for binding, handle in zip(wanted, handles)}
            rows = tuple([self._handles_of(group, buffers, fused) for group in groups])
            if len(self._rows) >= _ROWS_KEPT:
                self._rows.clear()
            self._rows[key] = self.backend.resident.generation, rows
        for group, row in zip(groups, rows):
            group.pipeline.dispatch(*row)

    def run_host(
        self, wanted: Sequence[Binding], data: Mapping[str, memoryview], sizes: Mapping[str, int], fused: bool
    ) -> list[bytes]:
        """Copy *data*, the bytes of each binding that takes input, run, and return the outputs. *sizes*: `host_sizes`'."""
        store = self.backend.resident
        held = {name: buffer.byte_len for name, buffer in self._own.items() if buffer in store}
        if held != sizes:
            self._free(self._own)
            self._own = {name: self.backend.allocate_resident(nbytes) for name, nbytes in sizes.items()}
        store.upload_many([(self._own[name], view) for name, view in data.items()])
        for binding in wanted:
            if binding.role == "output":
                store.zero(self._own[binding.name])
        self.run(wanted, [self._own[b.name] for b in wanted], fused)
        gives = [self._own[b.name] for b in wanted if b.gives_output]
        return store.download_ranges([buffer.part(0, buffer.byte_len) for buffer in gives])

    def _handles_of(self, group: _FusedGroup, buffers: dict[str, ResidentBuffer], fused: bool) -> _Handles:
        """The buffers of one launch."""
        chain = self.chain
        outer: dict[str, str] = {}
        for place, inner in enumerate(group.chain.names, start=group.first):
            outer |= {mine: chain.names[place].get(name, "") for name, mine in inner.items()}
        enters = group.chain.names[0].get(chain.inputs[group.first] or "") if group.first else None
        last = group.end < len(chain.programs)
        leaves = group.chain.names[-1].get(chain.outputs[group.end - 1] or "") if last else None
        found: _Handles = [], []
        for binding in group.pipeline.program.handles:
            if binding.name == enters:
                buffer = self._buffer(fused, group.first)
            elif binding.name == leaves:
                buffer = self._buffer(fused, group.end)
            else:
                buffer = buffers[outer[binding.name]]
            found[not binding.takes_input].append(buffer)
        return found

    def _buffer(self, fused: bool, place: int) -> ResidentBuffer:
        """What lies between program `place - 1` and program `place`; kept for the next run."""
        found = self._between.get((fused, place))
        if found is None or found not in self.backend.resident:  # a cleanup frees it
            nbytes = self.stages[place].input_bytes
            found = self._between[fused, place] = self.backend.allocate_resident(nbytes)
        return found

    def between(self, place: int, fused: bool) -> Any:
        """What program *place* took in the last run, as an array. InvalidProgramError where that never lay in memory."""
        found = self._between.get((fused, place))
        if found is None or found not in self.backend.resident:
            raise InvalidProgramError(
                f"what program {place} takes was not in memory in the last run",
                fix=f"pass host=({place},), or dispatch with fused=False",
            )
        taken = next(b for b in self.chain.programs[place].bindings if b.name == self.chain.inputs[place])
        return shown(self.backend.resident.download(found), own_form(taken, found.byte_len // taken.size))

    def _free(self, buffers: Mapping[Any, ResidentBuffer]) -> None:
        for buffer in buffers.values():
            if buffer in self.backend.resident:
                self.backend.free_resident(buffer)

    def close(self) -> None:
        """Wait for what was queued, and free the buffers between launches."""
        for group in (*self._groups, *(self._singles or ())):
            group.pipeline.close()
        self._free(self._between)
        self._free(self._own)
        self._between.clear()
        self._own.clear()
        self._rows.clear()
