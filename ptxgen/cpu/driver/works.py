"""Work that only graphs have: empty and child nodes, and memory whose address is fixed when its node is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.driver.memory import Allocation
from ptxgen.cpu.driver.refusal import invalid_value
from ptxgen.cpu.driver.streams import Stream, Work

if TYPE_CHECKING:
    from ptxgen.cpu.driver.graph import Executable, Graph
    from ptxgen.cpu.driver.state import Context


class Empty(Work):
    """A node that only orders others."""

    __slots__ = ()
    kind = 5

    def run(self, stream: Stream) -> None:
        pass


class Child(Work):
    """A graph inside a graph: the node owns it."""

    __slots__ = ("graph",)
    kind = 4

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class ChildSteps(Work):
    """A child graph in an executable."""

    __slots__ = ("steps",)
    kind = 4

    def __init__(self, steps: Executable) -> None:
        self.steps = steps

    def check(self) -> None:
        self.steps.check()

    def run(self, stream: Stream) -> None:
        self.steps.run(stream)


class GraphMemory:
    """Memory that an allocation node gives: its address is fixed when the node is made. Shared by the node, its
    clones and executables.
    """

    def __init__(self, context: Context, size: int, pool: int = 0) -> None:
        self._allocation = Allocation(context, size, "", pool=pool)
        self._users = 1
        self.freed = False  # is there a node that frees it?
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


graph_memory: dict[int, GraphMemory] = {}


def freed_memory(address: int) -> int:
    """The address of a graph's memory that no node frees yet: from now on one does."""
    memory = graph_memory.get(address)
    if memory is None or memory.freed:
        raise invalid_value(f"{address:#x} is not memory of a graph, or is freed already")
    memory.freed = True
    return address


class Alloc(Work):
    """Memory for the nodes after it."""

    __slots__ = ("memory",)
    kind = 10

    def __init__(self, memory: GraphMemory) -> None:
        self.memory = memory

    def run(self, stream: Stream) -> None:
        pass


class Free(Work):
    """The end of a graph's memory; the address stays reserved for the next launch."""

    __slots__ = ("address",)
    kind = 11

    def __init__(self, address: int) -> None:
        self.address = address

    def run(self, stream: Stream) -> None:
        pass
