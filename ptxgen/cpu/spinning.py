"""Which threads of a launch without progress loop, around which access, on which address.

Where a warp loops is in its masks; what it reads there is found by running it once more with no memory at all: the first
access of its loop is then a fault, which tells the instruction, the lane and the address. The launch is lost anyway.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.fault import Waiting, space_of
from ptxgen.cpu.record_layout import RANK_SHIFT, WarpStatus, Window
from ptxgen.cpu.stopped import cluster_members, triple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.frame import Frame
    from ptxgen.cpu.stopped import StoppedKernel

__all__ = ["spinning_lanes"]

Place = tuple[int, int, int, int]
"""Number of the operation, address, bytes, window; no bytes where the address is not known."""


def spinning_lanes(kernel: StoppedKernel, frames: Sequence[Frame], warp_function: int) -> list[Waiting]:
    """One of the warps that loop around each place, with how many do. The launch, of these workers, cannot go on afterwards."""
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)(warp_function)
    found: dict[Place, list[tuple[record_layout.Cta, int, int]]] = {}
    for frame in frames:
        launch = frame.launch
        frame.forget_memory()
        for cta in frame.ctas():
            for w in range(launch.warps if cta.running else 0):
                address = cta.warps + w * launch.warp_stride
                lanes, operation = _looping(kernel.code.places, address)
                if lanes:
                    place = _probe(launch, run, address) or (operation, 0, 0, 0)
                    found.setdefault(place, []).append((cta, w, lanes))
    return [_told(kernel, frames[0].launch, place, warps) for place, warps in found.items()]


def _looping(places: tuple[int, ...], warp: int) -> tuple[int, int]:
    """(lanes that can run, an operation where some of them are)"""
    masks = (ctypes.c_uint32 * len(places)).from_address(warp + ctypes.sizeof(record_layout.Warp))
    lanes, operation = 0, -1
    for mask, number in zip(masks, places):
        if mask and number >= 0:
            lanes, operation = lanes | mask, number if operation < 0 else operation
    return lanes, operation


def _probe(launch: record_layout.LaunchRecord, run: ctypes._FuncPointer, warp: int) -> Place | None:
    """The first access that a warp makes when it goes on; None when it makes none that is checked."""
    launch.fault_kind = launch.fault_window = 0
    if run(warp) != WarpStatus.FAULT:
        return None
    return launch.fault_instruction, launch.fault_address, launch.fault_size, launch.fault_window


def _told(
    kernel: StoppedKernel,
    launch: record_layout.LaunchRecord,
    place: Place,
    warps: list[tuple[record_layout.Cta, int, int]],
) -> Waiting:
    number, address, nbytes, window = place
    cta, warp, lanes = warps[0]
    members = {member.rank: member for member in cluster_members(launch, cta)}
    instruction = kernel.instruction(number)
    notes = ["it loops"]
    if nbytes:
        space = space_of(instruction, window)
        start: int | None = address if kernel.arena.contains(address, nbytes) else None
        whose = ""
        if window in (Window.SHARED, Window.CLUSTER):
            owner = members.get(address >> RANK_SHIFT, cta) if kernel.code.ranked else cta
            address &= (1 << RANK_SHIFT) - 1
            start = owner.shared + address
            whose = f" of CTA {owner.rank} of the cluster" if window == Window.CLUSTER else ""
        value = None if start is None else int.from_bytes(ctypes.string_at(start, nbytes), "little")
        holds = "" if value is None else f", where 0x{value:x} is"
        notes = [f"it loops on {nbytes} bytes at 0x{address:x} ({space}{whose}){holds}"]
    if len(warps) > 1:
        notes.append(f"so do {len(warps) - 1} other warps")
    rank = cta.rank if len(members) > 1 else None
    return Waiting(triple(cta.ctaid), warp, lanes, instruction, "; ".join(notes), kernel.source_lines(number), rank)
