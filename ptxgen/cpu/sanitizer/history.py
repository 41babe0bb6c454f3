"""What racecheck keeps of earlier launches on an arena: the epochs that were theirs, and who ran where.

Work that nothing orders (streams without an event between them, nodes of a graph without a path) may overlap on a GPU, whatever
the order here. The driver says of a launch which earlier ones it comes after: a `LaunchOrder`. Copies and fills are launches
without a kernel.
"""

from __future__ import annotations

import threading

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple, Protocol
from ptxgen.cpu.sanitizer.state_layout import EPOCHS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen import ir
    from ptxgen.cpu.sanitizer.shapes import LaunchShape
    from ptxgen.dataflow.bodies.source_lines import SourceLine
    from ptxgen.errors import Location

__all__ = ["History", "HostCall", "LaunchOrder", "NumberedKernel", "PastLaunch", "pairs"]

KEPT = 256
"""Launches whose accesses can be told of; those of older ones count as ordered."""


class HostCall(NamedTuple):
    """What the host has asked for, in words ("memset of 256 bytes"), where it is in a graph ("node 3 of a graph", else ""), and
    the user's line."""

    what: str
    node: str
    places: tuple[Location, ...]


class LaunchOrder(Protocol):
    """Where a launch stands among others, as streams and events order them."""

    @property
    def stream(self) -> int: ...

    @property
    def number(self) -> int:
        """Of the launch among those of its stream, from 1 on."""

    @property
    def call(self) -> HostCall:
        """Who asked for it."""

    def comes_after(self, stream: int, number: int) -> bool:
        """Is the launch of that number in that stream, and are all before it, ordered before this one?"""


class NumberedKernel(Protocol):
    """A kernel whose instructions are known by their numbers: an `executable.Kernel`."""

    name: str

    def instruction(self, number: int) -> ir.Instruction: ...

    def source_lines(self, number: int) -> tuple[SourceLine, ...]: ...


class Memory(Protocol):
    """An arena."""

    def forget_accesses(self) -> None: ...


class PastLaunch(NamedTuple):
    """A launch that has ended; one without a kernel is a copy or a fill. `log` has (column, epoch, number of the CTA) of each
    CTA, as CtaStart has them."""

    first: int
    last: int
    kernel: NumberedKernel | None
    shape: LaunchShape
    log: bytes
    order: LaunchOrder | None


class History:
    """Of one arena; its lock is held while a launch is watched."""

    def __init__(self, arena: Memory) -> None:
        self.lock = threading.RLock()
        self.next = 1
        self.age = 0
        """How often epochs have begun anew: what was made before is worth nothing."""
        self._arena = arena
        self._past: list[PastLaunch] = []

    def forget(self) -> None:
        """What was launched so far counts as ordered."""
        with self.lock:
            self._past.clear()

    def begin(self, order: LaunchOrder | None) -> list[PastLaunch]:
        """Those that the launch which begins now is not ordered after."""
        if self.next > EPOCHS // 2:
            self._arena.forget_accesses()
            self._past.clear()
            self.next = 1
            self.age += 1
        if order is None:
            return []
        return [
            past for past in self._past
            if past.order is not None and not order.comes_after(past.order.stream, past.order.number)
        ]  # fmt: skip

    def end(self, past: PastLaunch) -> None:
        """The launch has ended."""
        self.next = max(past.last + 1, self.next)
        self._past.append(past)
        del self._past[:-KEPT]

    def find(self, epoch: int) -> PastLaunch | None:
        """Whose epoch it was."""
        return next((past for past in reversed(self._past) if past.first <= epoch <= past.last), None)


def pairs(launches: Sequence[PastLaunch]) -> list[int]:
    """The epochs of launches, from and to, one after the other."""
    return [epoch for past in launches for epoch in (past.first, past.last)]
