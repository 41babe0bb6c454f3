"""Stages as programs over one layout, and the kernels that a fusion plan makes of them.

A stage is a function of the builder, a row and its values to the row's new values. It computes on each thread's values, in
registers, and what the threads of a row compute together (`row.reduce`) goes through shuffles and shared memory; so a group
of stages is one kernel that loads its first stage's input, stores its last one's output, and keeps all between in registers.
Every stage does the same operations in the same order alone and in a group: results are equal bit for bit.

Two layouts: `rows` x `columns`, a CTA a row, in which stages may reduce over rows; and flat, n elements in tiles, for stages
that look at one element at a time.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.build import Builder, kernel, ptr, u32, u64
from ptxgen.build.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.collectives import WARP, fold, group_reduce, identity
from ptxgen.kernels.plan import ceil_div, using
from ptxgen.runtime.fusion import Plan, Stage, plan_launch_fusion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.device import Array, Device

__all__ = ["FusedPipeline", "Program", "Row", "Traffic"]

X = TypeVar("X", bound=Value)
Y = TypeVar("Y", bound=Value)

TILE = 2048
"""Elements of a tile in the flat layout."""

MOST_COLUMNS = 16384
"""1,024 threads with 16 values each."""


class Program(NamedTuple):
    """A stage: `body(k, row, values)` returns the new values, one for each; `input` and `output` are their types.

    A body that uses `row.reduce` says `rowwise=True`. `host`: what comes before this stage must be in memory when it begins,
    because the host looks at it.
    """

    id: int
    body: Callable[[Builder, Row, list[Any]], list[Any]]
    input: type[Value]
    output: type[Value]
    rowwise: bool = False
    host: bool = False


class Row:
    """What a stage knows of the row, or tile, that its CTA works on."""

    def __init__(self, k: Builder, threads: int, inside: Sequence[Any]) -> None:
        self._k, self._threads, self._inside = k, threads, inside
        self._reductions = 0

    def reduce(self, op: str, values: Sequence[Any]) -> Any:
        """The "sum", "min" or "max" over the whole row, in every thread: in a fixed order, so the same in every run."""
        k, element = self._k, type(values[0])
        nothing = k.const(element, identity(op, element))
        held = [k.select(inside, value, nothing) for inside, value in zip(self._inside, values)]
        mine = fold(k, op, held)
        self._reductions += 1
        name = f"row_{self._reductions}"  # each reduction has its own: none waits for the one before it to be read
        return group_reduce(
            k, op, mine, self._threads, lambda: k.shared(element, max(1, self._threads // WARP), name=name)
        )


def _threads(threads: int, **_: Any) -> int:
    return threads


@kernel(threads=_threads)
def fused(
    k: Builder, n: u64, columns: u32, x: ptr[X], y: ptr[Y], *,
    bodies: tuple[Any, ...], input: type[X], output: type[Y], threads: int, items: int,
) -> None:  # fmt: skip
    """One row of `columns` elements a CTA, the last one as far as n goes; all bodies in turn."""
    begin = k.ctaid.x.to(u64) * columns.to(u64)
    left = n - begin
    length = k.select(left < columns.to(u64), left.to(u32), columns)
    inside = [k.tid.x + i * threads < length for i in range(items)]
    source, target = x.at(begin + k.tid.x.to(u64)), y.at(begin + k.tid.x.to(u64))
    values: list[Any] = [k.var(input, 0) for _ in range(items)]
    for i, (value, condition) in enumerate(zip(values, inside)):
        with k.pred(condition):
            value.set(source[i * threads])
    row = Row(k, threads, inside)
    for body in bodies:
        values = body(k, row, values)
        if len(values) != items:
            raise BuildError(f"stage {body.__name__} returned {len(values)} values for {items}")
    for i, (value, condition) in enumerate(zip(values, inside)):
        with k.if_(condition):
            target[i * threads] = value


class Traffic(NamedTuple):
    """What a run asks of the device: launches, and bytes that kernels read and write."""

    launches: int
    bytes: int


class _Launch(NamedTuple):
    """One kernel of a run."""

    programs: tuple[Program, ...]
    threads: int
    items: int


class FusedPipeline:
    """`FusedPipeline(device, programs, n, columns=...)`: the stages planned for a budget, as few kernels as the plan allows.

    `pipeline(x, y)` launches the groups on the current stream, `pipeline.unfused(x, y)` each stage alone; both give the same
    bits. `plan` is the fusion plan; `traffic()` and `unfused_traffic()` count what each asks of the device: the difference is
    what the plan says it avoids, each avoided byte having been written once and read once.

    n elements; with `columns`, n/columns rows of so many (at most 16,384), else one flat array, in which no stage may be
    rowwise. `budget_bytes` is the plan's: by default all stages of one layout are joined.
    """

    def __init__(
        self,
        device: Device,
        programs: Sequence[Program],
        n: int,
        *,
        columns: int | None = None,
        budget_bytes: int = (1 << 64) - 1,
    ) -> None:
        if not programs:
            raise BuildError("a pipeline without stages")
        if columns is None and any(program.rowwise for program in programs):
            raise BuildError("a rowwise stage in a flat layout", hint="columns=...")
        if columns is not None and not (0 < columns <= MOST_COLUMNS and n % columns == 0):
            raise BuildError(f"{n} elements in rows of {columns}", hint=f"whole rows of 1 to {MOST_COLUMNS}")
        for before, after in itertools.pairwise(programs):
            if before.output is not after.input:
                raise BuildError(
                    f"stage {before.id} gives .{before.output.isa.name}, stage {after.id} takes .{after.input.isa.name}"
                )
        self.device, self.programs, self.n = device, tuple(programs), n
        self.columns = columns if columns is not None else TILE
        self._shape = self._threads_for(self.columns)
        layout = n * (MOST_COLUMNS + 1) + (columns or 0)  # two layouts are one when their extents are
        self.stages = tuple(
            Stage(p.id, layout, n * p.input.isa.bytes, n * p.output.isa.bytes, 0, p.host) for p in programs
        )
        self.plan: Plan = plan_launch_fusion(self.stages, budget_bytes)
        by_id = {program.id: program for program in programs}
        self._groups = tuple(self._launch([by_id[id] for id in group.stage_ids]) for group in self.plan.groups)
        self._singles = tuple(self._launch([program]) for program in programs)
        self._between: dict[tuple[int, bool], Array] = {}

    @staticmethod
    def _threads_for(columns: int) -> tuple[int, int]:
        """(threads of a CTA, values of a thread): four values or more where the row is long enough, at most 1,024 threads."""
        threads = WARP
        while threads < 1024 and threads * 4 < columns:
            threads *= 2
        return threads, ceil_div(columns, threads)

    def _launch(self, programs: Sequence[Program]) -> _Launch:
        return _Launch(tuple(programs), *self._shape)

    def __call__(self, x: Array, y: Array) -> None:
        """Launch the plan's groups on the current stream."""
        self._run(self._groups, x, y, True)

    def unfused(self, x: Array, y: Array) -> None:
        """Launch every stage alone, through memory."""
        self._run(self._singles, x, y, False)

    def _run(self, launches: tuple[_Launch, ...], x: Array, y: Array, grouped: bool) -> None:
        first, last = self.programs[0], self.programs[-1]
        for name, array, element in (("x", x, first.input), ("y", y, last.output)):
            if array.type is not element.isa or array.size != self.n:
                raise BuildError(f"{name} is {array!r}, expected {self.n} elements of .{element.isa.name}")
        source = x
        for number, launch in enumerate(launches):
            target = y if number == len(launches) - 1 else self._buffer(number, grouped, launch.programs[-1].output)
            how = {"threads": launch.threads, "items": launch.items}
            bodies = tuple(program.body for program in launch.programs)
            chosen = using(
                fused, bodies=bodies, input=launch.programs[0].input, output=launch.programs[-1].output, **how
            )
            grid = max(1, ceil_div(self.n, self.columns))
            chosen[grid, launch.threads](self.n, self.columns, source, target)
            source = target

    def _buffer(self, number: int, grouped: bool, element: type[Value]) -> Array:
        """The array between two launches; kept, so that a graph may hold it."""
        found = self._between.get((number, grouped))
        if found is None:
            found = self._between[number, grouped] = self.device.empty(self.n, element)
        return found

    def traffic(self) -> Traffic:
        """What a fused run asks of the device."""
        return self._traffic(self._groups)

    def unfused_traffic(self) -> Traffic:
        """What running each stage alone asks of it."""
        return self._traffic(self._singles)

    def _traffic(self, launches: tuple[_Launch, ...]) -> Traffic:
        ends = sum(each.programs[0].input.isa.bytes + each.programs[-1].output.isa.bytes for each in launches)
        return Traffic(len(launches), self.n * ends)

    def close(self) -> None:
        """Free the arrays between launches."""
        for array in self._between.values():
            array.close()
        self._between.clear()

    def __enter__(self) -> FusedPipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
