"""Work that only graphs have: empty, child and conditional nodes, and memory whose address is fixed when its node is
made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.emulated_driver.memory.allocation import Allocation
from ptxgen.emulated_driver.refusal import invalid_value
from ptxgen.emulated_driver.streams.stream import Stream, Work

if TYPE_CHECKING:
    from ptxgen.emulated_driver.graphs.conditionals import Condition
    from ptxgen.emulated_driver.graphs.graph import Executable, Graph
    from ptxgen.emulated_driver.state import Context


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


# --- conditions -------------------------------------------------------------------------------------------------------

_WHILE, _SWITCH = 1, 2  # CUgraphConditionalNodeType


class Conditional(Work):
    """Bodies of which a condition's value chooses; the node owns them."""

    __slots__ = ("bodies", "condition", "told", "type")
    kind = 13

    def __init__(self, condition: Condition, type_: int, bodies: list[Graph]) -> None:
        self.condition = condition
        self.type = type_
        self.bodies = bodies
        self.told: object = None


class ConditionalSteps(Work):
    """A conditional node in an executable."""

    __slots__ = ("bodies", "condition", "type")
    kind = 13

    def __init__(self, work: Conditional, bodies: list[Executable]) -> None:
        self.condition = work.condition
        self.type = work.type
        self.bodies = bodies

    def check(self) -> None:
        for body in self.bodies:
            body.check()

    def run(self, stream: Stream) -> None:
        """IF runs its first body for a value other than 0, else its second if there is one; WHILE its body as long as
        the value is not 0; SWITCH the body of the value's number, if there is one.
        """
        if self.type == _WHILE:
            while self.condition.value and not stream.context.fault:
                self.bodies[0].run(stream)
            return
        value = self.condition.value
        chosen = value if self.type == _SWITCH else int(not value)
        if chosen < len(self.bodies):
            self.bodies[chosen].run(stream)


# --- memory -----------------------------------------------------------------------------------------------------------


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


class Alloc(Work):
    """Memory for the nodes after it."""

    __slots__ = ("memory",)
    kind = 10

    def __init__(self, memory: GraphMemory) -> None:
        self.memory = memory

    def run(self, stream: Stream) -> None:
        self.memory.live = True
        note_use(self.memory.device.ordinal)


class Free(Work):
    """The end of a graph's memory; the address stays reserved for the next launch."""

    __slots__ = ("address",)
    kind = 11

    def __init__(self, address: int) -> None:
        self.address = address

    def run(self, stream: Stream) -> None:
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
