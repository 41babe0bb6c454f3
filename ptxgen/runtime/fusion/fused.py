"""A chain of programs, launched as few times as a fusion plan allows.

The plan (`fusion.plan_launch_fusion`) groups neighbouring programs for a memory budget; each group is one program
(`chains.fuse`), compiled and dispatched by the backend, and what one group leaves for the next is in a resident buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.runtime.dispatch.formats import HostFormat
from ptxgen.runtime.errors import BackendError, InvalidProgramError, ValidationError
from ptxgen.runtime.fusion.chains import ProgramChain, fuse
from ptxgen.runtime.fusion.planner import FusionPlan, Stage, plan_launch_fusion
from ptxgen.runtime.programs.plans import DispatchConfig
from ptxgen.runtime.programs.rows import MOST_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ptxgen.runtime.backend import Backend
    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline
    from ptxgen.runtime.memory.buffers import ResidentBuffer
    from ptxgen.runtime.programs.bindings import Binding
    from ptxgen.runtime.programs.program import Program

__all__ = ["FusedPipeline", "Traffic"]

_ROWS_KEPT = 256
"""Lists of handles for which the buffers of each launch are remembered."""


class Traffic(NamedTuple):
    """The device work of a run: launches, and bytes of the chain that kernels read and write."""

    launches: int
    bytes: int


class _FusedGroup(NamedTuple):
    """One launch: programs `first` to `end - 1` of the chain, compiled as one."""

    first: int
    end: int
    pipeline: CompiledPipeline
    chain: ProgramChain


class FusedPipeline:
    """`FusedPipeline(backend, programs, n)`: programs over n elements, each taking what the one before it gives.

    `dispatch(inputs)` and `dispatch_resident(handles)` take what `bindings` lists, the bindings that no program hands on, as a
    `CompiledPipeline` does. `plan` is the fusion plan; `traffic()` says what a run asks of the device, `unfused_traffic()` what
    launching every program alone would: the difference is what the plan says it avoids, each avoided byte having been
    written once and read once. `dispatch(..., fused=False)` launches every program alone; both give the same bits.

    `budget_bytes` is the plan's, for each group: by default all programs of one layout are fused. `host` are the places of
    programs before which the host looks: `between(place)` downloads what the last run left there.
    """

    def __init__(
        self,
        backend: Backend,
        programs: Sequence[Program],
        n: int,
        *,
        budget_bytes: int = (1 << 64) - 1,
        host: Collection[int] = (),
    ) -> None:
        """LaunchFusionError where there is no plan, ValidationError where programs do not fit together or host is not a place in
        the chain."""
        self.backend, self.n = backend, n
        self.chain = ProgramChain.of(programs)
        self.programs, self.bindings = self.chain.programs, self.chain.bindings
        for place in host:
            if not 0 < place < len(programs):
                raise ValidationError(
                    f"host={sorted(host)} in a chain of {len(programs)} programs",
                    fix=f"name programs from 1 to {len(programs) - 1}",
                )
        self.stages = tuple(self._stage(place, place in host) for place in range(len(programs)))
        self.plan: FusionPlan = plan_launch_fusion(self.stages, budget_bytes)
        self.closed = False
        self._between: dict[tuple[bool, int], ResidentBuffer] = {}
        self._own: dict[str, ResidentBuffer] = {}
        self._rows: dict[tuple[Any, ...], tuple[int, tuple[tuple[ResidentBuffer, ...], ...]]] = {}
        self._groups = self._compile([group.stage_ids for group in self.plan.groups])
        self._singles: tuple[_FusedGroup, ...] | None = None
        self._last_run = True  # whether the last run was a fused one

    def _stage(self, place: int, host: bool) -> Stage:
        """A program as the planner sees it. What it needs beside what it takes and gives counts as scratch."""
        program = self.programs[place]
        ends = self.chain.inputs[place], self.chain.outputs[place]
        sizes = [self._bytes(b) if b.name == end else 0 for end in ends for b in program.bindings]
        inputs, outputs = sum(sizes[: len(program.bindings)]), sum(sizes[len(program.bindings) :])
        rest = sum(self._bytes(b) for b in program.pointers if b.name not in ends)
        layout = program.layout
        columns = layout.columns if layout is not None and not layout.flat else 0
        alone = 0 if layout is not None else place + 1  # a program that holds no rows has a layout of its own
        return Stage(place, (alone * (MOST_COLUMNS + 1) + columns) & ((1 << 64) - 1), inputs, outputs, rest, host)

    def _bytes(self, binding: Binding) -> int:
        return (binding.elements or self.n) * binding.size

    def _compile(self, groups: Sequence[Sequence[int]]) -> tuple[_FusedGroup, ...]:
        made = []
        for places in groups:
            members = [self.programs[place] for place in places]
            pipeline = self.backend.compile(fuse(members), DispatchConfig(element_count=self.n))
            made.append(_FusedGroup(places[0], places[-1] + 1, pipeline, ProgramChain.of(members)))
        return tuple(made)

    def _chosen(self, fused: bool) -> tuple[_FusedGroup, ...]:
        if self.closed:
            raise BackendError("this fused pipeline is closed", fix="make it anew")
        if fused:
            return self._groups
        if self._singles is None:
            self._singles = self._compile([[place] for place in range(len(self.programs))])
        return self._singles

    # --- running ------------------------------------------------------------------------------------------------------

    @property
    def handles(self) -> tuple[Binding, ...]:
        """The bindings that `dispatch_resident` is given buffers for, in their order."""
        return tuple(b for b in self.bindings if b.takes_handle)

    def dispatch_resident(self, handles: Sequence[ResidentBuffer], *, fused: bool = True) -> None:
        """Queue all launches on the backend's stream. InvalidProgramError for another number of handles, or too short ones."""
        groups = self._chosen(fused)
        wanted = self.handles
        if len(handles) != len(wanted):
            raise InvalidProgramError(
                f"the chain takes {len(wanted)} resident buffer handles but received {len(handles)}",
                fix=f"pass one for each of {', '.join(b.name for b in wanted)}",
            )
        key = fused, *handles
        generation, rows = self._rows.get(key, (-1, ()))
        if generation != self.backend.resident.generation:  # or else what lies between the launches may be gone
            buffers = {binding.name: handle for binding, handle in zip(wanted, handles)}
            rows = tuple([self._handles_of(group, buffers, fused) for group in groups])
            if len(self._rows) >= _ROWS_KEPT:
                self._rows.clear()
            self._rows[key] = self.backend.resident.generation, rows
        for group, row in zip(groups, rows):
            group.pipeline.dispatch_resident(row)
        self._last_run = fused

    def _handles_of(
        self, group: _FusedGroup, buffers: dict[str, ResidentBuffer], fused: bool
    ) -> tuple[ResidentBuffer, ...]:
        """The buffers of one launch, in the order of its bindings."""
        outer: dict[str, str] = {}
        for place, inner in enumerate(group.chain.names, start=group.first):
            outer |= {mine: self.chain.names[place].get(name, "") for name, mine in inner.items()}
        enters = group.chain.names[0].get(self.chain.inputs[group.first] or "") if group.first else None
        last = group.end < len(self.programs)
        leaves = group.chain.names[-1].get(self.chain.outputs[group.end - 1] or "") if last else None
        found = []
        for binding in group.pipeline.program.handles:
            if binding.name == enters:
                found.append(self._buffer(fused, group.first))
            elif binding.name == leaves:
                found.append(self._buffer(fused, group.end))
            else:
                found.append(buffers[outer[binding.name]])
        return tuple(found)

    def _buffer(self, fused: bool, place: int) -> ResidentBuffer:
        """What lies between program `place - 1` and program `place`; kept, so that a graph may hold it."""
        found = self._between.get((fused, place))
        if found is None or found not in self.backend.resident:  # a cleanup frees it
            nbytes = self.stages[place].input_bytes
            found = self._between[fused, place] = self.backend.allocate_resident(nbytes)
        return found

    def dispatch(self, inputs: Sequence[Any], *, fused: bool = True) -> list[bytes]:
        """Copy the inputs, run, and return the outputs, both in the order of `bindings`."""
        takes = [b for b in self.handles if b.takes_input]
        if len(inputs) != len(takes):
            raise InvalidProgramError(
                f"the chain takes {len(takes)} inputs but received {len(inputs)}",
                fix=f"pass {', '.join(b.name for b in takes) or 'none'}",
            )
        store = self.backend.resident
        if not all(buffer in store for buffer in self._own.values()) or not self._own:
            self._chosen(fused)
            self._own = {b.name: self.backend.allocate_resident(self._bytes(b)) for b in self.handles}
        store.upload_many([(self._own[b.name], HostFormat(b).bytes_of(data)) for b, data in zip(takes, inputs)])
        for binding in self.handles:
            if binding.role == "output":
                store.zero(self._own[binding.name])
        self.dispatch_resident([self._own[b.name] for b in self.handles], fused=fused)
        gives = [self._own[b.name] for b in self.handles if b.gives_output]
        return store.download_ranges([buffer.part(0, buffer.byte_len) for buffer in gives])

    def between(self, place: int) -> bytes:
        """What program *place* took in the last run. InvalidProgramError where that never lay in memory."""
        found = self._between.get((self._last_run, place))
        if found is None or found not in self.backend.resident:
            raise InvalidProgramError(
                f"what program {place} takes was not in memory in the last run",
                fix=f"pass host=({place},), or dispatch with fused=False",
            )
        return self.backend.download(found)

    # --- what it costs ------------------------------------------------------------------------------------------------

    def traffic(self) -> Traffic:
        """The device work of a fused run."""
        return self._traffic([(group.first, group.end) for group in self._groups])

    def unfused_traffic(self) -> Traffic:
        """The device work if each program is launched alone."""
        return self._traffic([(place, place + 1) for place in range(len(self.programs))])

    def _traffic(self, launches: Sequence[tuple[int, int]]) -> Traffic:
        ends = sum(self.stages[first].input_bytes + self.stages[end - 1].output_bytes for first, end in launches)
        return Traffic(len(launches), ends)

    def close(self) -> None:
        """Wait for what was queued, and free the buffers between launches."""
        if self.closed:
            return
        self.closed = True
        for group in (*self._groups, *(self._singles or ())):
            group.pipeline.close()
        for buffer in (*self._between.values(), *self._own.values()):
            if buffer in self.backend.resident:
                self.backend.free_resident(buffer)
        self._between.clear()
        self._own.clear()
        self._rows.clear()

    def __enter__(self) -> FusedPipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
