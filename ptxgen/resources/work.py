"""Arithmetic and traffic of a kernel, loop by loop, and which of the two its hottest loop waits for (the roofline model).

Counts are of one turn: how often a loop goes round is the launch's affair, and a ratio does not need it. Traffic is what a warp
moves: sectors of 32 bytes where addresses are known relative to each other, the bytes themselves where not. Work that the text
does not size (bulk copies of a size that comes with the launch, tcgen05.mma, whose shape is a descriptor's) makes it partial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.memory.access_patterns import SECTOR, Pattern
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.ir import resolve
from ptxgen.isa.arithmetic import flops
from ptxgen.isa.targets import find_target
from ptxgen.resources.machines import machine_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.loops import Loop

__all__ = ["Intensity", "RooflineRegion", "intensity"]


class RooflineRegion(NamedTuple):
    """The body (`depth` 0), or a loop so deep in others; `where` is the place of its first instruction. Counts are of a warp."""

    depth: int
    where: str
    flops: dict[str, float]
    """By kind: "f32" (and smaller), "f64", "matrix"."""
    bytes: float
    partial: bool


class Intensity(NamedTuple):
    """The hottest region's operations a byte, beside what the machine does: `bound` is "memory", "arithmetic", or "" where one
    of the two is not there at all."""

    region: RooflineRegion
    kind: str
    flops_per_byte: float | None
    ridge: float | None
    machine: str
    bound: str


def _is_unsized(op: str) -> bool:
    """Does it move or compute what the text does not size?"""
    return op.startswith(("cp.async.bulk", "cp.reduce", "tcgen05.mma", "multimem"))


def regions(body: Body, accesses: Iterable[Pattern]) -> list[RooflineRegion]:
    """The body and each of its loops, the outer ones first; a loop's counts are part of those of what is around it."""
    moved: dict[int, float] = {}
    for access in accesses:
        if access.space == "global":
            sectors = access.brought
            bytes_ = WARP_SIZE * access.size if sectors is None else SECTOR * sectors
            moved[access.position] = moved.get(access.position, 0.0) + bytes_
    loops = body.loops[::-1]
    every = range(len(body.instructions))
    found = [_region(body, 0, every, moved)] if body.instructions else []
    for loop in loops:
        depth = sum(other.blocks >= loop.blocks for other in loops)
        found.append(_region(body, depth, _positions(body, loop), moved))
    return found


def _positions(body: Body, loop: Loop) -> list[int]:
    blocks = body.flow.blocks
    return [p for index in sorted(loop.blocks) for p in range(blocks[index].start, blocks[index].end)]


def _region(body: Body, depth: int, positions: Iterable[int], moved: dict[int, float]) -> RooflineRegion:
    counts: dict[str, float] = {}
    bytes_, partial, first = 0.0, False, -1
    for position in positions:
        first = position if first < 0 else first
        op = body.instructions[position].op
        kind, each = flops(op)
        if each:
            counts[kind] = counts.get(kind, 0.0) + WARP_SIZE * each
        bytes_ += moved.get(position, 0.0)
        partial = partial or _is_unsized(op)
    places = resolve(body.instructions[first].source) if first >= 0 else ()
    return RooflineRegion(depth, str(places[0]) if places else "", counts, bytes_, partial)


def intensity(body: Body, accesses: Iterable[Pattern]) -> Intensity | None:
    """The roofline of the hottest region: the deepest loop with arithmetic or traffic in it, of equals that with the most.

    None for a kernel with neither.
    """
    working = [r for r in regions(body, accesses) if r.flops or r.bytes or r.partial]
    if not working:
        return None
    hot = max(working, key=lambda r: (r.depth, sum(r.flops.values()), r.bytes))
    kind = max(hot.flops, key=lambda k: hot.flops[k], default="f32")
    machine = machine_for(find_target(body.module.target))
    ridge = None if machine is None else machine.ridge(kind)
    ratio = sum(hot.flops.values()) / hot.bytes if hot.bytes else None
    bound = ""
    if ratio is not None and ridge is not None and not hot.partial:
        bound = "memory" if ratio < ridge else "arithmetic"
    return Intensity(hot, kind, ratio, ridge, machine.product if machine else "", bound)
