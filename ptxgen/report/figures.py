"""What the page draws: the registers alive along the text, the mix of instructions, the roofline, occupancy by target."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa.targets import TARGETS
from ptxgen.resources.machines import MACHINES
from ptxgen.resources.mix import GROUPS, group
from ptxgen.resources.residency import Occupancy, occupancy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.cpu.profiler.counts import Counts
    from ptxgen.isa.targets import Target
    from ptxgen.resources import KernelReport
    from ptxgen.resources.machines import MachinePeaks

__all__ = ["Curve", "Mix", "OccupancyRow", "Roofline", "curve", "mix", "occupancies", "roofline"]

_POINTS = 600


class Curve(NamedTuple):
    """Registers alive along the text as a path in a box of 100 x 100. `most` of them before the instruction at `at`."""

    path: str
    most: int
    at: int
    at_x: float
    length: int


def curve(alive: Sequence[int]) -> Curve | None:
    """Of more instructions than there are points, each point has the most of its part. None without any."""
    most = max(alive, default=0)
    if not most:
        return None
    step = max(1, -(-len(alive) // _POINTS))
    parts = [max(alive[n : n + step]) for n in range(0, len(alive), step)]
    wide = 100 / len(parts)
    top = "".join(f"V{100 - 100 * n / most:.4g}H{(i + 1) * wide:.4g}" for i, n in enumerate(parts))
    at = alive.index(most)
    return Curve(f"M0 100{top}V100Z", most, at, 100 * (at + 0.5) / len(alive), len(alive))


class Mix(NamedTuple):
    """A kind of instructions: how many, and the executions by warps where there are some; both as parts of the whole too."""

    name: str
    number: int
    part: float
    executed: int
    executed_part: float


def mix(instructions: Iterable[str], executed: Iterable[tuple[str, Counts]]) -> tuple[Mix, ...]:
    """By the groups of `resources.mix`; given are opcodes, and opcodes with what was counted."""
    names = (*GROUPS, "other")
    counts, runs = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for opcode in instructions:
        counts[group(opcode)] += 1
    for opcode, each in executed:
        runs[group(opcode)] += each.warps
    whole, all_runs = sum(counts.values()) or 1, sum(runs.values()) or 1
    return tuple(
        Mix(n, counts[n], 100 * counts[n] / whole, runs[n], 100 * runs[n] / all_runs) for n in names if counts[n]
    )


class OccupancyRow(NamedTuple):
    """A product and what one of its multiprocessors holds."""

    product: str
    target: str
    own: bool
    held: Occupancy


def occupancies(own: Target, kernel: KernelReport, threads: int) -> tuple[OccupancyRow, ...]:
    """On each machine that is known; () where no assembler has said how many registers a thread takes."""
    if kernel.resources is None or kernel.occupancy is None:
        return ()
    registers, shared = kernel.resources.registers, kernel.occupancy.shared
    return tuple(
        OccupancyRow(
            peaks.product, f"sm_{sm}", sm == own.sm, occupancy(TARGETS[f"sm_{sm}"], threads, registers, shared)
        )
        for sm, peaks in MACHINES.items()
    )


class Point(NamedTuple):
    """A kernel on the roofline: operations a byte, the most operations a second there, and where that is drawn."""

    name: str
    intensity: float
    reachable: float
    x: float
    y: float


class Tick(NamedTuple):
    label: str
    at: float


class Roofline(NamedTuple):
    """The roofs of a machine as a path, with marks along both axes, in a box of 100 x 100. `kind` is that of the upper roof."""

    machine: str
    kind: str
    peak: float
    memory: float
    ridge: float
    roof: str
    points: tuple[Point, ...]
    xs: tuple[Tick, ...]
    ys: tuple[Tick, ...]


_LEAST, _MOST = -2.0, 4.0
"""Powers of ten of operations a byte that are drawn."""


def roofline(machine: MachinePeaks | None, kind: str, points: Iterable[tuple[str, float | None]]) -> Roofline | None:
    """`points` are names and operations a byte. None for a target without a machine that is known."""
    if machine is None:
        return None
    peak: float = getattr(machine, kind)
    high = log10(peak) + 0.5
    low = log10(machine.memory) + _LEAST

    def x_of(intensity: float) -> float:
        return 100 * (min(max(log10(intensity), _LEAST), _MOST) - _LEAST) / (_MOST - _LEAST)

    def y_of(rate: float) -> float:
        return 100 - 100 * (log10(rate) - low) / (high - low)

    ridge = machine.ridge(kind)
    roof = f"M0 100L{x_of(ridge):.4g} {y_of(peak):.4g}H100"
    known = [
        Point(name, at, min(peak, at * machine.memory), x_of(at), y_of(max(min(peak, at * machine.memory), 10**low)))
        for name, at in points
        if at
    ]
    xs = [Tick(_power(n), x_of(10.0**n)) for n in range(int(_LEAST), int(_MOST) + 1)]
    ys = [Tick(_rate(10.0**n), y_of(10.0**n)) for n in range(int(low) + 1, int(high) + 1)]
    return Roofline(machine.product, kind, peak, machine.memory, ridge, roof, tuple(known), tuple(xs), tuple(ys))


def _power(n: int) -> str:
    return f"{10.0**n:g}"


def _rate(value: float) -> str:
    for unit, name in ((1e15, "P"), (1e12, "T"), (1e9, "G")):
        if value >= unit:
            return f"{value / unit:g} {name}"
    return f"{value:g}"
