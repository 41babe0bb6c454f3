"""Memory of graphs: its address is fixed when the allocation node is made, and each launch allocates it anew."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.memory.allocation import Allocation
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Context


class GraphMemory:
    """Memory that an allocation node gives: its address is fixed when the node is made. Shared by the node, its
    clones and executables. `live` from a launch that allocates it until it is freed, in the graph or outside.
    """

    def __init__(self, context: Context, size: int, pool: int = 0) -> None:
        self._allocation = Allocation(context, size, "", pool=pool)
        self._users = 1
        self.device = context.device
        self.freed = False  # is there a node that frees it?
        self.live = False
        self.address = self._allocation.base
        self.size = size
        graph_memory[self.address] = self

    def retain(self) -> None:
        self._users += 1

    def release(self) -> None:
        self._users -= 1
        if not self._users:
            graph_memory.pop(self.address, None)
            if not self._allocation.released:  # its context may be gone
                self._allocation.release()

    def free(self) -> None:
        """A free outside the graph. Refused when no launch has left the memory allocated."""
        if not self.live:
            raise invalid_value(f"{self.address:#x} is memory of a graph that is not allocated now")
        self.live = False


graph_memory: dict[int, GraphMemory] = {}


def freed_memory(address: int) -> int:
    """The address of a graph's memory that no node frees yet: from now on one does."""
    memory = graph_memory.get(address)
    if memory is None or memory.freed:
        raise invalid_value(f"{address:#x} is not memory of a graph, or is freed already")
    memory.freed = True
    return address


class Alloc(NodeWork):
    """Memory for the nodes after it."""

    __slots__ = ("memory",)
    kind = numbers.CUgraphNodeType.MEM_ALLOC
    unique = True

    def __init__(self, memory: GraphMemory) -> None:
        self.memory = memory

    def run(self, context: ExecutionContext) -> None:
        self.memory.live = True
        note_use(self.memory.device.ordinal)

    def close(self) -> None:
        self.memory.release()


class Free(NodeWork):
    """The end of a graph's memory; the address stays reserved for the next launch."""

    __slots__ = ("address",)
    kind = numbers.CUgraphNodeType.MEM_FREE
    unique = True

    def __init__(self, address: int) -> None:
        self.address = address

    def run(self, context: ExecutionContext) -> None:
        memory = graph_memory.get(self.address)
        if memory is not None:
            memory.live = False


_high: dict[int, tuple[int, int]] = {}  # device -> most bytes that were used, and reserved, at once


def memory_in_use(ordinal: int) -> tuple[int, int]:
    """(used, reserved) bytes of a device's graphs now: of allocations that a launch has made, and of all."""
    mine = [memory for memory in list(graph_memory.values()) if memory.device.ordinal == ordinal]
    return sum(memory.size for memory in mine if memory.live), sum(memory.size for memory in mine)


def note_use(ordinal: int) -> tuple[int, int]:
    """The high marks, brought up to date."""
    used, reserved = memory_in_use(ordinal)
    high = _high.get(ordinal, (0, 0))
    _high[ordinal] = marks = max(used, high[0]), max(reserved, high[1])
    return marks


def reset_high(ordinal: int, which: int) -> None:
    """The mark of used (0) or reserved (1) bytes begins anew."""
    marks, now = list(note_use(ordinal)), memory_in_use(ordinal)
    marks[which] = now[which]
    _high[ordinal] = marks[0], marks[1]
