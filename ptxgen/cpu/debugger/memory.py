"""What a paused thread can address, by state space; and the memory of the device as it was before the launch."""

from __future__ import annotations

import ctypes
from bisect import bisect
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ptxgen.cpu.arena import READ_ONLY
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from ptxgen.cpu.arena import AllocationTable, Arena
    from ptxgen.cpu.debugger.state import WarpState
    from ptxgen.cpu.frame import Frame

__all__ = ["SPACES", "DeviceMemory", "place_of"]

SPACES = ("global", "shared", "local", "param", "const", "generic")
"""State spaces that can be looked at. In .shared, .local and .param addresses are offsets in the thread's own window."""


class Paused(Protocol):
    """What an address is looked up in: an `execution.Execution`."""

    @property
    def frame(self) -> Frame: ...

    @property
    def arena(self) -> Arena: ...


class Place(NamedTuple):
    """Bytes of this machine's memory."""

    address: int
    nbytes: int


def place_of(paused: Paused, space: str, address: int, nbytes: int, warp: WarpState, lane: int) -> Place:
    """Where `nbytes` at an address of a state space lie, for a lane of a warp. Raises DebugError where they are not there."""
    launch = paused.frame.launch
    windows = {
        "shared": (warp.cta.shared, launch.shared_bytes),
        "local": (warp.local(lane), launch.local_bytes),
        "param": (launch.param, launch.param_bytes),
    }
    if space in windows:
        base, size = windows[space]
        if address < 0 or address + nbytes > size:
            raise DebugError(f"{nbytes} bytes at {address:#x} of .{space} memory, which has {size} bytes")
        return Place(base + address, nbytes)
    if space not in SPACES:
        raise DebugError(f"there is no state space {space!r} to look at", hint=f"one of {', '.join(SPACES)}")
    own = space == "generic" and any(
        base <= address and address + nbytes <= base + size for base, size in windows.values()
    )
    if not own and not _holds(paused.arena.table(), address, nbytes):
        raise DebugError(f"{nbytes} bytes at {address:#x} of .{space} memory lie in no allocation")
    return Place(address, nbytes)


class DeviceMemory:
    """Copies of every allocation that kernels may write, as they are now: at most `most` bytes, else none, and `complete` is
    False."""

    def __init__(self, table: AllocationTable, most: int) -> None:
        pairs = table.pairs
        blocks = [(pairs[i], pairs[i + 1]) for i in range(0, 2 * table.count, 2)]
        self._blocks = [Place(base, nbytes) for base, nbytes in blocks if not nbytes & READ_ONLY]
        self.bytes = sum(nbytes for _, nbytes in self._blocks)
        self.complete = self.bytes <= most
        self._copies = [ctypes.string_at(*block) for block in self._blocks] if self.complete else []

    def restore(self, arena: Arena) -> None:
        """They are again what they were. Raises DebugError where one was freed since."""
        table = arena.table()
        gone = [block for block in self._blocks if not _holds(table, *block)]
        if gone:
            raise DebugError(
                f"memory of {gone[0].nbytes} bytes that the launch began with was freed: it cannot run again",
                hint="keep the arrays of the launch as long as its session",
            )
        for block, copy in zip(self._blocks, self._copies):
            ctypes.memmove(block.address, copy, block.nbytes)
            arena.note_written(block.address, block.nbytes)


def _holds(table: AllocationTable, address: int, nbytes: int) -> bool:
    """Do these bytes lie in one block?"""
    index = bisect(range(table.count), address, key=lambda i: table.pairs[2 * i]) - 1
    if index < 0:
        return False
    base, size = table.pairs[2 * index], table.pairs[2 * index + 1] & ~READ_ONLY
    return address + nbytes <= base + size
