"""Which bytes of shared memory each thread accesses, in each iteration of the loops that it stands in."""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING

from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.threads.active_threads import ActiveThreads
from ptxgen.dataflow.threads.loop_iterations import first_iterations
from ptxgen.dataflow.threads.thread_integers import both
from ptxgen.dataflow.threads.thread_values import first_threads
from ptxgen.ir import Address

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.dataflow.memory.shared_accesses import SharedAccess
    from ptxgen.dataflow.threads.thread_integers import Leaf, ThreadIntegers, Threads
    from ptxgen.dataflow.threads.thread_values import ThreadValues

__all__ = ["AccessedBytes", "Visit"]

_MOST_VISITS = 32
"""So many iterations of loops are looked at for an access."""


class Visit:
    """An access as it is made once: the address of each thread, with the values that they have then."""

    def __init__(
        self,
        access: SharedAccess,
        address: ThreadIntegers,
        values: ThreadValues,
        enters: Threads,
        active: ActiveThreads,
    ) -> None:
        self.size: int = access.size
        self.position: int = access.position
        self.address: ThreadIntegers = address
        self.values: ThreadValues = values
        self._enters = enters
        self._active = active

    @lazy
    def _ordered(self) -> list[int]:
        return sorted(self.address.parts)

    @property
    def low(self) -> int:
        """The lowest address."""
        return self._ordered[0]

    @property
    def high(self) -> int:
        """The highest address."""
        return self._ordered[-1]

    @lazy
    def own(self) -> bool:
        """Is no byte of two threads?"""
        return min(map(sub, self._ordered[1:], self._ordered), default=self.size) >= self.size

    @lazy
    def active(self) -> Threads | None:
        """The threads that make it; None where that is not known."""
        active = self._active.at(self.position)
        return None if active is None else both(active, self._enters)


class AccessedBytes:
    """The first threads of a body's CTA; what is found out of an access is kept."""

    def __init__(self, body: Body, threads: ThreadValues | None = None) -> None:
        self.body = body
        self.threads: ThreadValues = threads or body.analysis(first_threads)
        self._addresses: dict[int, ThreadIntegers | None] = {}
        self._places: dict[int, tuple[ThreadIntegers | None, int]] = {}
        self.active: ActiveThreads = ActiveThreads(body, self.threads)
        self._visits: dict[tuple[int, tuple[int, ...]], list[Visit]] = {}
        self._active: dict[tuple[ThreadValues, tuple[Loop, ...]], ActiveThreads] = {}
        """By the values of threads in an iteration, and the loops that it is one of."""

    def in_iteration(self, threads: ThreadValues) -> AccessedBytes:
        """The same where threads have these values."""
        return AccessedBytes(self.body, threads)

    def address(self, access: SharedAccess) -> ThreadIntegers | None:
        """Its address, in whatever iteration it is made."""
        position = access.position
        if position not in self._addresses:
            base, offset = self.place(access)
            self._addresses[position] = base if base is None or not offset else base.plus(offset)
        return self._addresses[position]

    def place(self, access: SharedAccess) -> tuple[ThreadIntegers | None, int]:
        """Its address as what the text adds a number to, one object for all that is added to it, and that number."""
        position = access.position
        found = self._places.get(position)
        if found is None:
            address = address_of(self.body, position)
            base = None if address.coordinates else self.threads.of(address.base, position)
            found = self._places[position] = (base, address.offset)
        return found

    def is_steady(self, access: SharedAccess) -> bool:
        """Is all that is not known of its address the same for the CTA and as long as the kernel runs?"""
        address, _ = self.place(access)
        return address is not None and all(_is_steady(self.body, leaf) for leaf, _ in address.base)

    def variable(self, access: SharedAccess) -> str | None:
        """The one variable that an access lies in."""
        address, _ = self.place(access)
        named = [leaf[1] for leaf, _ in address.base if leaf[0] == "symbol"] if address is not None else []
        return str(named[0]) if len(named) == 1 else None

    def visits(self, access: SharedAccess, loops: tuple[Loop, ...] = ()) -> list[Visit]:
        """What an access does in each iteration of these loops around it (outermost first); [] where that is not known."""
        key = access.position, tuple(loop.head for loop in loops)
        if key not in self._visits:
            self._visits[key] = [
                visit
                for threads, enters in self._rounds(self.threads, self.threads.everyone, loops)
                if (visit := self._visit(access, threads, enters, loops)) is not None
            ]
        return self._visits[key]

    def _rounds(
        self, threads: ThreadValues, enters: Threads, loops: tuple[Loop, ...]
    ) -> list[tuple[ThreadValues, Threads]]:
        if not loops:
            return [(threads, enters)]
        found: list[tuple[ThreadValues, Threads]] = []
        for one, into in first_iterations(threads, loops[0], _MOST_VISITS):
            found += self._rounds(one, both(enters, into), loops[1:])
            if len(found) >= _MOST_VISITS:
                break
        return found or self._rounds(threads, enters, loops[1:])

    def _visit(
        self, access: SharedAccess, threads: ThreadValues, enters: Threads, loops: tuple[Loop, ...]
    ) -> Visit | None:
        if threads is self.threads:
            address, active = self.address(access), self.active
        else:
            address = threads.of(address_of(self.body, access.position), access.position)
            active = self._active_in(threads, loops)
        if address is None or not all(_is_steady(self.body, leaf) for leaf, _ in address.base):
            return None
        return Visit(access, address, threads, enters, active)

    def _active_in(self, threads: ThreadValues, loops: tuple[Loop, ...]) -> ActiveThreads:
        found = self._active.get((threads, loops))
        if found is None:
            found = self._active[threads, loops] = ActiveThreads(self.body, threads, loops)
        return found


def address_of(body: Body, position: int) -> Address:
    """The address operand of an access."""
    return next(operand for operand in body.instructions[position].operands if type(operand) is Address)


def _is_steady(body: Body, leaf: Leaf) -> bool:
    """Has it one value as long as the kernel runs: no loop computes it anew?"""
    if leaf[0] not in ("value", "at"):
        return True
    where = leaf[2] if leaf[0] == "value" else leaf[1]
    assert isinstance(where, int)
    if where < 0:
        return False
    block = body.flow.block_at(where).index
    return all(block not in loop.blocks for loop in body.loops)
