"""What launches have counted so far."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ptxgen import ir
from ptxgen.cpu.profiler.counts import Counts, InstructionCounts, LaunchCounts
from ptxgen.isa.arithmetic import flop_type, flops

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.flat import Op
    from ptxgen.dataflow.bodies.source_lines import SourceLine
    from ptxgen.errors import Location

__all__ = ["Profiler"]

Row = tuple[int, ...]
"""Counters of an operation, in the order of `counters.FIELDS`."""


Shape = tuple["Dim3", "Dim3", "Dim3 | None", int]
"""Grid, block, cluster and bytes of shared memory: what tells launches of a kernel apart, see LaunchCounts."""


class ProfiledKernel(Protocol):
    """What a profile asks of a kernel: an `executable.Kernel`."""

    name: str

    @property
    def operations(self) -> Sequence[Op]: ...

    def source_lines(self, number: int) -> tuple[SourceLine, ...]: ...


class _Place(NamedTuple):
    """An instruction, and its operations: one for each copy of its function."""

    instruction: ir.Instruction
    operations: tuple[int, ...]
    places: tuple[Location, ...]
    lines: tuple[SourceLine, ...]


class Profiler:
    """Collects the counts of launches; safe to use from several threads. `locate` adds to an instruction's places, of the kernel
    of a name, the lines that the PTX was made from."""

    def __init__(self, locate: Callable[[str, ir.Instruction], tuple[Location, ...]] | None = None) -> None:
        self._locate = locate or (lambda _, instruction: ir.resolve(instruction.source))
        self._lock = threading.Lock()
        self._places: dict[ProfiledKernel, tuple[_Place, ...]] = {}
        self._rows: dict[tuple[ProfiledKernel, Shape], list[Row]] = {}
        self._times: dict[tuple[ProfiledKernel, Shape], int] = {}

    def __repr__(self) -> str:
        return f"<profiler: {sum(self._times.values())} launches>"

    def add(self, kernel: ProfiledKernel, shape: Shape, rows: list[Row]) -> None:
        """A launch has ended, and counted that."""
        key = (kernel, shape)
        with self._lock:
            if kernel not in self._places:
                self._places[kernel] = tuple(self._placed(kernel))
            known = self._rows.get(key)
            self._rows[key] = rows if known is None else [_sum(pair) for pair in zip(known, rows)]
            self._times[key] = self._times.get(key, 0) + 1

    def _placed(self, kernel: ProfiledKernel) -> list[_Place]:
        """The instructions of a kernel, and of the functions that it calls, in the order of their text."""
        groups: dict[int, list[Op]] = {}
        for op in kernel.operations[:-1]:  # the last is the end of a text without `ret`
            if op.origin.opcode != "call" or op.opcode in _CALLS:  # arguments are copied by operations of their own
                groups.setdefault(id(op.origin), []).append(op)
        found = []
        for group in groups.values():
            origin = group[0].origin
            places = self._locate(kernel.name, origin)
            found.append(_Place(origin, tuple(op.index for op in group), places, kernel.source_lines(group[0].index)))
        return sorted(found, key=_order)

    @property
    def launches(self) -> tuple[LaunchCounts, ...]:
        """What was counted, kernel by kernel and shape by shape, in the order of their first launches."""
        with self._lock:
            return tuple(
                LaunchCounts(
                    kernel.name, *shape, self._times[kernel, shape],
                    tuple(_counts(place, rows) for place in self._places[kernel]),
                )
                for (kernel, shape), rows in self._rows.items()
            )  # fmt: skip


_CALLS = frozenset({"call", "assertfail", "vprintf"})


def _sum(rows: Sequence[Row]) -> Row:
    return tuple(map(sum, zip(*rows)))


def _order(place: _Place) -> tuple[int, int]:
    own = place.places[-1] if place.places else None
    return (own.line, own.column or 0) if own is not None else (0, 0)


def _counts(place: _Place, rows: Sequence[Row]) -> InstructionCounts:
    from ptxgen.text import format_instruction

    instruction = place.instruction
    warps, threads, active, *rest = _sum([rows[number] for number in place.operations])
    if instruction.pred is None:
        active = threads
    kind, each = flops(instruction.op)
    done = {flop_type(instruction.op): each * active} if kind and active else {}
    counts = Counts._make([warps, threads, active, *rest, done])
    return InstructionCounts(format_instruction(instruction), instruction.op, place.places, place.lines, counts)
