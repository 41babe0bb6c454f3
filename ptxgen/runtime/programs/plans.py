"""How one program is dispatched: what is bound where, and how much is launched. All of it before the driver is called."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.runtime.errors import InvalidProgramError, UnsupportedFeatureError, ValidationError
from ptxgen.runtime.programs.workgroups import choose, three_dimensions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.runtime.capabilities import Capabilities
    from ptxgen.runtime.programs.bindings import Binding
    from ptxgen.runtime.programs.program import Program

__all__ = [
    "BindingPlan",
    "DispatchConfig",
    "DispatchPlan",
    "LaunchPlan",
    "bytes_needed",
    "check_reach",
    "plan_dispatch",
    "resolve_cooperative",
    "resolve_fixpoint_iterations",
]

Dim3 = tuple[int, int, int]

MOST_ELEMENTS = (1 << 32) - 1
"""A parameter word holds so many."""

BINDING_ALIGNMENT = 16
"""Bytes that copies and buffers of bindings are padded to."""


class DispatchConfig(NamedTuple):
    """What a caller configures beyond the program.

    `element_count`, `workgroup` and `grid` (one to three numbers) override what follows from the bindings and the program; a
    grid makes the element count grid.x * workgroup.x unless that is set too. `tune`: an open workgroup is found by measuring
    (None: where `PTXGEN_AUTOTUNER` is 1). `split`: a program that waits for the whole grid is launched in parts, which the
    host puts in order (None: where the grid is not resident at once; True: always; False: never).

    `graph`: host dispatches replay a graph for each shape that is repeated (None: where that pays, see `graph_bytes`, and
    `PTXGEN_GRAPH_REPLAY` is not 0; True: always). `graph_bytes`: the most bytes that a dispatch copies, both ways together,
    for which replaying is taken to pay (None: `graphs.REPLAY_BYTES`). `cache_outputs`: return the outputs of inputs that were
    dispatched before without a launch. `speculation` "force" is refused: nothing here speculates.
    """

    element_count: int | None = None
    workgroup: int | tuple[int, ...] | None = None
    grid: int | tuple[int, ...] | None = None
    cooperative: bool = False
    fixpoint_iterations: int | None = None
    speculation: str | None = None
    tune: bool | None = None
    split: bool | None = None
    graph: bool | None = None
    graph_bytes: int | None = None
    cache_outputs: bool = False

    @property
    def threads(self) -> Dim3 | None:
        """The workgroup as three numbers. InvalidProgramError for what is none."""
        return None if self.workgroup is None else three_dimensions("workgroup", self.workgroup)

    @property
    def ctas(self) -> Dim3 | None:
        """The grid as three numbers. InvalidProgramError for what is none."""
        return None if self.grid is None else three_dimensions("grid", self.grid)


class BindingPlan(NamedTuple):
    """The bindings with as many elements as this dispatch has, by number."""

    bindings: tuple[Binding, ...]
    counts: tuple[int, ...]

    @property
    def input_indices(self) -> tuple[int, ...]:
        """Numbers of those that a dispatch supplies."""
        return tuple(b.number for b in self.bindings if b.takes_input)

    @property
    def output_indices(self) -> tuple[int, ...]:
        """Numbers of those that it gives back."""
        return tuple(b.number for b in self.bindings if b.gives_output)

    @property
    def shared_indices(self) -> tuple[int, ...]:
        """Numbers of those in shared memory."""
        return tuple(b.number for b in self.bindings if b.role == "shared")

    def nbytes(self, number: int) -> int:
        """Bytes of a binding."""
        return self.counts[number] * self.bindings[number].size


class LaunchPlan(NamedTuple):
    """What is launched. `param_words` go to the device; `workgroup` and `grid` count threads and CTAs."""

    element_count: int
    workgroup: tuple[int, int, int]
    grid: tuple[int, int, int]
    param_words: tuple[int, ...]
    max_binding_alignment: int

    @property
    def param_bytes(self) -> bytes:
        """The parameter words as the device reads them."""
        return struct.pack(f"<{len(self.param_words)}I", *self.param_words)

    @property
    def threads(self) -> int:
        """Threads of the whole grid."""
        return math.prod(self.grid) * math.prod(self.workgroup)


class DispatchPlan(NamedTuple):
    """Everything that is known of a dispatch before memory is."""

    bindings: BindingPlan
    launch: LaunchPlan
    cooperative: bool
    fixpoint_iterations: int


def bytes_needed(binding: Binding, nbytes: int) -> str | None:
    """What a binding takes that is given so many bytes; None where they fit."""
    if binding.elements:
        whole = binding.elements * binding.size
        return None if nbytes == whole else f"{whole} bytes"
    return f"a multiple of {binding.size} bytes" if nbytes % binding.size else None


def plan_bindings(program: Program, input_lengths: Sequence[int] | None) -> BindingPlan:
    """The bindings with their counts. *input_lengths* are bytes, in the order of the bindings that take input; None if a
    dispatch supplies nothing, and all counts are the program's own."""
    inputs = [b for b in program.bindings if b.takes_input]
    if input_lengths is None:
        lengths = [b.elements * b.size for b in inputs]
    elif len(input_lengths) != len(inputs):
        raise InvalidProgramError(
            f"program {program.name} takes {len(inputs)} inputs but received {len(input_lengths)}",
            fix=f"pass {', '.join(b.name for b in inputs) or 'none'}",
        )
    else:
        lengths = list(input_lengths)
    counts = [b.elements for b in program.bindings]
    for binding, nbytes in zip(inputs, lengths):
        needed = bytes_needed(binding, nbytes)
        if needed is not None:
            raise InvalidProgramError(
                f"program {program.name}: {binding.role} {binding.name!r} received {nbytes} bytes, not {needed}",
                fix=f"pass {needed}",
            )
        counts[binding.number] = nbytes // binding.size
    return BindingPlan(program.bindings, tuple(counts))


def plan_dispatch(
    program: Program,
    config: DispatchConfig,
    capabilities: Capabilities,
    input_lengths: Sequence[int] | None = None,
    workgroup_for: Callable[[int], int] | None = None,
) -> DispatchPlan:
    """Everything about one dispatch. InvalidProgramError, ValidationError and UnsupportedFeatureError say what is wrong.

    *workgroup_for* chooses an open workgroup for a number of elements; without it, by the device's limits alone.
    """
    if config.speculation not in (None, "auto", "off", "force"):
        raise InvalidProgramError(f"speculation={config.speculation!r}", fix='use "auto", "off" or nothing')
    if config.speculation == "force":
        raise UnsupportedFeatureError("speculative dispatch", capabilities.device, fix="leave speculation out")
    bindings = plan_bindings(program, input_lengths)
    bindings, launch = _plan_launch(program, bindings, config, capabilities, workgroup_for)
    cooperative = resolve_cooperative(config, capabilities)
    return DispatchPlan(bindings, launch, cooperative, resolve_fixpoint_iterations(config))


def resolve_cooperative(config: DispatchConfig, capabilities: Capabilities) -> bool:
    """Whether the grid is launched whole. UnsupportedFeatureError where that is asked of a device that cannot."""
    if not config.cooperative:
        return False
    if not capabilities.grid_sync:
        raise UnsupportedFeatureError(
            f"cuda_cooperative_launch (compute_capability={capabilities.compute_capability}, "
            f"cooperative_launch={str(capabilities.cooperative_launch).lower()})",
            capabilities.device,
            fix="use a device of compute capability 6.0 or newer, or split the program where it waits for the whole grid",
        )
    return True


def resolve_fixpoint_iterations(config: DispatchConfig) -> int:
    """How often the kernel is launched on the same memory: once unless asked otherwise."""
    asked = config.fixpoint_iterations
    if asked is None:
        return 1
    if not _is_whole(asked) or asked < 1:
        raise InvalidProgramError(f"fixpoint_iterations={asked!r}", fix="use 1 or more, or leave it out for one launch")
    return asked


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def check_reach(program: Program, plan: DispatchPlan, reach: Sequence[tuple[str, str]]) -> None:
    """InvalidProgramError where the program's row would go past the end of a binding. *reach* is `Built`'s."""
    if program.layout is None:
        return
    count = plan.launch.element_count
    lengths = {b.name: n for b, n in zip(plan.bindings.bindings, plan.bindings.counts)}
    for name, what in reach:
        needed = count if what == "row" else min(count, program.layout.columns)
        if lengths[name] < needed:
            whose = "rows of the launch have" if what == "row" else "columns of a row are"
            raise InvalidProgramError(
                f"program {program.name}: {name!r} has {lengths[name]} elements, the {whose} {needed}",
                fix=f"pass as many elements to each; or ask for less with DispatchConfig(element_count={lengths[name]})"
                if what == "row"
                else f"pass {needed} elements",
            )


# --- launches ---------------------------------------------------------------------------------------------------------


def _plan_launch(
    program: Program,
    bindings: BindingPlan,
    config: DispatchConfig,
    capabilities: Capabilities,
    workgroup_for: Callable[[int], int] | None,
) -> tuple[BindingPlan, LaunchPlan]:
    if program.shared_bytes > capabilities.shared_memory_per_block:
        raise ValidationError(
            f"program {program.name}: {program.shared_bytes} bytes of shared bindings, the device has "
            f"{capabilities.shared_memory_per_block} for a CTA",
            fix="use smaller tiles",
        )
    workgroup = _fixed_workgroup(program, config)
    if workgroup is not None:
        _check_workgroup(program.name, workgroup, capabilities)
    count = _element_count(program, bindings, config, workgroup)
    if workgroup is None:
        chosen = (
            workgroup_for(count)
            if workgroup_for is not None
            else choose(capabilities, count, _by_threads(capabilities))
        )
        workgroup = chosen, 1, 1
    grid = config.ctas or _grid(program, count, workgroup)
    _check_dims(program.name, "grid", grid, capabilities.max_grid_dim)
    counts = tuple([_count_of(b, n, bindings, count) for b, n in zip(bindings.bindings, bindings.counts)])
    for binding, number in zip(bindings.bindings, counts):
        if number > MOST_ELEMENTS:
            raise ValidationError(
                f"program {program.name}: {binding.name!r} has {number} elements",
                fix=f"dispatch at most {MOST_ELEMENTS}",
            )
    words = (count, *counts)
    alignment = max([BINDING_ALIGNMENT, *[b.size for b in bindings.bindings]])
    return BindingPlan(bindings.bindings, counts), LaunchPlan(count, workgroup, grid, words, alignment)


def _fixed_workgroup(program: Program, config: DispatchConfig) -> tuple[int, int, int] | None:
    """The configured value, or what the program declares; None where it is open."""
    if config.tune and (config.threads or program.workgroup):
        raise InvalidProgramError(
            f"program {program.name}: its workgroup is {config.threads or program.workgroup}, there is nothing to tune",
            fix="leave the workgroup out of the program and of the configuration, or tune out of it",
        )
    if program.layout is not None and config.threads not in (None, program.workgroup):
        raise InvalidProgramError(
            f"program {program.name}: a workgroup of {config.threads} for rows that {program.layout.threads} threads hold",
            fix="leave the workgroup out: the length of a row says how many threads hold it",
        )
    if program.workgroup is None and config.threads is not None and config.threads[1:] != (1, 1):
        raise InvalidProgramError(
            f"program {program.name}: a workgroup of {config.threads} for threads that know their index in x alone",
            fix="use (threads, 1, 1)",
        )
    return config.threads or program.workgroup


def _check_workgroup(name: str, workgroup: tuple[int, int, int], capabilities: Capabilities) -> None:
    _check_dims(name, "workgroup", workgroup, capabilities.max_block_dim)
    if math.prod(workgroup) > capabilities.max_threads_per_block:
        raise ValidationError(
            f"program {name}: a workgroup of {workgroup} has {math.prod(workgroup)} threads, the device allows "
            f"{capabilities.max_threads_per_block}",
            fix="use a smaller workgroup",
        )


def _by_threads(capabilities: Capabilities) -> Callable[[int], int]:
    """CTAs that are resident on a multiprocessor as far as threads limit them: all that is known without a kernel."""
    return lambda size: capabilities.max_threads_per_sm // size


def _element_count(
    program: Program, bindings: BindingPlan, config: DispatchConfig, workgroup: tuple[int, int, int] | None
) -> int:
    """The configured count; the elements of a grid in x; the largest output whose count is known; the largest input. 0 if
    all inputs are empty: then nothing is launched."""
    if config.element_count is not None:
        count = config.element_count
        if not _is_whole(count):
            raise InvalidProgramError(f"element_count={count!r}", fix="give a positive number, or leave it out")
    elif config.ctas is not None:
        if workgroup is None:
            raise InvalidProgramError(
                f"program {program.name}: a grid of {config.ctas} and no workgroup",
                fix="pass DispatchConfig(workgroup=...) or element_count with it",
            )
        count = config.ctas[0] * (program.layout.columns if program.layout is not None else workgroup[0])
    else:
        found = list(zip(bindings.bindings, bindings.counts))
        written = [_count_of(b, n, bindings, 0) for b, n in found if b.gives_output]
        read = [n for b, n in found if b.role == "input"] or [n for b, n in found if b.takes_input]
        if _is_empty(bindings):
            return 0
        count = max(written, default=0) or max(read, default=0)
    if not 0 < count <= MOST_ELEMENTS:
        raise InvalidProgramError(
            f"program {program.name}: a dispatch of {count} elements",
            fix=f"pass inputs that are not empty, or an element_count from 1 to {MOST_ELEMENTS}",
        )
    return count


def _is_empty(bindings: BindingPlan) -> bool:
    """Whether all inputs without a declared count are empty, or all outputs of that kind."""
    found = [(b, n) for b, n in zip(bindings.bindings, bindings.counts) if not b.elements]
    inputs = [n for b, n in found if b.takes_input]
    outputs = [
        _count_of(b, n, bindings, 0) for b, n in found if b.gives_output and (b.takes_input or b.like is not None)
    ]
    return any(counts and not any(counts) for counts in (inputs, outputs))


def _count_of(binding: Binding, count: int, bindings: BindingPlan, otherwise: int) -> int:
    """A binding's own count, that of the binding it is like, or the launch's."""
    if count or binding.takes_input or binding.role == "shared":
        return count
    if binding.like is not None:
        return next(n for b, n in zip(bindings.bindings, bindings.counts) if b.name == binding.like)
    return otherwise


def _grid(program: Program, count: int, workgroup: tuple[int, int, int]) -> tuple[int, int, int]:
    if program.layout is not None:
        return -(-count // program.layout.columns), 1, 1
    if workgroup[1:] != (1, 1):
        raise InvalidProgramError(
            f"program {program.name}: a workgroup of {workgroup} says no grid by itself",
            fix="pass DispatchConfig(grid=(x, y, z))",
        )
    return -(-count // workgroup[0]), 1, 1


def _check_dims(name: str, what: str, dims: tuple[int, ...], allowed: tuple[int, int, int]) -> None:
    for axis, dim, most in zip("xyz", dims, allowed):
        if dim > most:
            raise ValidationError(
                f"program {name}: a {what} of {dims}, the device allows {most} in {axis}",
                fix=f"use another axis, or several elements for each thread so that the {what} shrinks",
            )
