"""mbarriers in shared memory, and named barriers of part of a CTA."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory import arrays
from ptxgen.builder.threads.warp import word
from ptxgen.builder.tiles.addresses import address_at
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import b64, pred, u32
from ptxgen.ir import Address, Immediate, Sink

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder, ValueScope
    from ptxgen.builder.memory.pointers import ptr
    from ptxgen.ir import Instruction

__all__ = [
    "MemoryBarrier",
    "NamedBarrier",
    "Turns",
    "mbarrier",
    "named_barrier",
    "start_barriers",
    "sync_cluster",
    "turns",
]

_NAMED = 16
"""Named barriers of a CTA (manual 9.7.13.1)."""

_HOPPER = 90
"""The first target with clusters, and with mbarriers that suspend who waits."""


class MemoryBarrier:
    """One mbarrier, or several in a row: `barrier[stage]` is one of them (manual 9.7.13.15).

    A phase is complete when `arrivals` threads have arrived and the bytes that were announced have come. `load` of a tensor map
    announces its own.
    """

    __slots__ = ("_transaction", "arrivals", "builder", "count", "pointer")

    def __init__(self, k: FunctionBuilder, pointer: ptr[Any], arrivals: int, count: int) -> None:
        self.builder: FunctionBuilder = k
        self.pointer: ptr[Any] = pointer
        self.arrivals: int = arrivals
        self.count: int = count
        self._transaction: _Transaction | None = None

    def __getitem__(self, index: Any) -> MemoryBarrier:
        number = plain(index)
        if isinstance(number, int) and not 0 <= number < self.count:
            raise build_error("PTX221", f"mbarrier {number} of {self.count}", expected=f"0 to {self.count - 1}")
        return MemoryBarrier(self.builder, self.pointer.at(index), self.arrivals, 1)

    def operand(self) -> Address:
        """Its address as an operand."""
        return Address(self.pointer.base(self.builder), self.pointer.offset)

    def init(self) -> None:
        """Make it ready; one thread, before any other uses it. `k.start_barriers` does it for all."""
        for index in range(self.count):
            place = self.pointer.at(index)
            self.builder.emit(
                "mbarrier.init.shared::cta.b64",
                Address(place.base(self.builder), place.offset),
                Immediate(self.arrivals),
            )

    def arrive(self) -> None:
        """This thread has arrived; its reads and writes before happen before those behind a wait."""
        self.builder.emit("mbarrier.arrive.shared::cta.b64", Sink(), self.operand())

    def arrive_remote(self, rank: Any) -> None:
        """This thread has arrived at the same mbarrier of the CTA with that rank in the cluster."""
        k = self.builder
        remote = k.emit1(u32, "mapa.shared::cluster.u32", self.pointer.flat(), word(k, rank, "rank"))
        k.emit("mbarrier.arrive.shared::cluster.b64", Sink(), address_at(k, remote))

    def arrive_expecting(self, bytes: int) -> None:
        """This thread has arrived, and so many bytes are to come in this phase."""
        self.builder.emit(_ARRIVE_EXPECT, Sink(), self.operand(), Immediate(bytes))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """The body's loads, of one thread, come in this phase: it arrives once and announces their bytes together."""
        k = self.builder
        self._transaction = transaction = _Transaction(
            k.emit(_ARRIVE_EXPECT, Sink(), self.operand(), Immediate(0)), k.scope
        )
        yield
        self._transaction = None
        if not transaction.bytes:
            raise build_error(
                "PTX327", "a transaction without a load", hint="x.load(tile, (x, y), barrier) in its body"
            )
        transaction.arrival.operands = (*transaction.arrival.operands[:2], Immediate(transaction.bytes))

    def expect(self, bytes: int) -> None:
        """So many bytes more are to come in this phase."""
        transaction, k = self._transaction, self.builder
        if transaction is None:
            k.emit("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", self.operand(), Immediate(bytes))
        elif transaction.scope is not k.scope or k.guard is not None:
            raise build_error(
                "PTX327",
                "a load under control flow inside a transaction: its bytes are announced in any case",
                hint="the transaction inside the control flow, or barrier.expect(bytes) and barrier.arrive()",
            )
        else:
            transaction.bytes += bytes

    def wait(self, parity: Any) -> None:
        """Until the phase of this parity (0 or 1, the first is 0) is complete; of one that has not begun, the one before it
        is."""
        k = self.builder
        phase = word(k, parity, "parity")

        def pending() -> pred:
            waits = "try_wait" if k.target.sm >= _HOPPER else "test_wait"
            return ~k.emit1(pred, f"mbarrier.{waits}.parity.shared::cta.b64", self.operand(), phase)

        with structured.while_(k, pending):
            pass


_ARRIVE_EXPECT = "mbarrier.arrive.expect_tx.shared::cta.b64"


class _Transaction:
    """An arrival whose bytes are known at its end."""

    __slots__ = ("arrival", "bytes", "scope")

    def __init__(self, arrival: Instruction, scope: ValueScope) -> None:
        self.arrival = arrival
        self.scope = scope
        self.bytes = 0


def mbarrier(k: FunctionBuilder, arrivals: int = 1, count: int = 1) -> MemoryBarrier:
    """`count` mbarriers in shared memory, each for so many arrivals a phase; `k.start_barriers()` makes them ready."""
    if not 1 <= arrivals < 1 << 20:
        raise build_error("PTX221", f"an mbarrier of {arrivals} arrivals", expected="1 to 1048575 (manual 9.7.13.15.2)")
    made = MemoryBarrier(k, arrays.shared(k, b64, count).pointer, arrivals, count)
    k.unstarted.append(made)
    return made


def start_barriers(k: FunctionBuilder, *, cluster: bool = False) -> None:
    """Make all mbarriers ready that were declared so far: one thread initialises them, and all wait for it.

    Every thread of the CTA executes it; with `cluster` every thread of the cluster, which may then arrive remotely.
    """
    first = k.read_special(u32, "%tid.x") == 0
    with structured.if_(k, first):
        for each in k.unstarted:
            each.init()
        if k.target.sm >= _HOPPER:
            k.emit("fence.mbarrier_init.release.cluster")
    k.unstarted.clear()
    if cluster:
        sync_cluster(k)
    else:
        k.emit("bar.sync", Immediate(0))


def sync_cluster(k: FunctionBuilder) -> None:
    """Wait for all threads of the cluster; every thread executes it."""
    k.emit("barrier.cluster.arrive.release.aligned")
    k.emit("barrier.cluster.wait.acquire.aligned")


class NamedBarrier:
    """One of the CTA's 16 barriers, for `threads` of its threads; of several, `barrier[index]` is one."""

    __slots__ = ("builder", "count", "index", "threads")

    def __init__(self, k: FunctionBuilder, index: Any, threads: int, count: int) -> None:
        self.builder: FunctionBuilder = k
        self.index: Any = index
        self.threads: int = threads
        self.count: int = count

    def __getitem__(self, which: Any) -> NamedBarrier:
        number = plain(which)
        if isinstance(number, int) and not 0 <= number < self.count:
            raise build_error("PTX221", f"barrier {number} of {self.count}", expected=f"0 to {self.count - 1}")
        return NamedBarrier(self.builder, which + self.index, self.threads, 1)

    def sync(self) -> None:
        """Arrive and wait until all its threads have arrived."""
        self.builder.emit("bar.sync", word(self.builder, self.index, "index"), Immediate(self.threads))

    def arrive(self) -> None:
        """Arrive without waiting: others wait for this thread."""
        self.builder.emit("bar.arrive", word(self.builder, self.index, "index"), Immediate(self.threads))


def named_barrier(k: FunctionBuilder, threads: int, count: int = 1) -> NamedBarrier:
    """`count` barriers, each for `threads` threads (a multiple of 32). BuildError where the 16 of a CTA are used up; barrier 0
    is `k.barrier()`'s."""
    if threads <= 0 or threads % 32:
        raise build_error("PTX205", f"a barrier of {threads} threads", expected="a positive multiple of 32")
    first = k.named_barriers
    if first + count > _NAMED:
        raise build_error("PTX205", f"{first + count} named barriers", expected=f"at most {_NAMED}")
    k.named_barriers += count
    return NamedBarrier(k, first, threads, count)


class Turns:
    """`groups` warpgroups that do a part of their work one after the other, round by round: while one of them issues to the
    tensor cores, the others do something else (ping-pong). Of one group nothing is emitted."""

    __slots__ = ("_barriers", "builder", "groups")

    def __init__(self, k: FunctionBuilder, groups: int) -> None:
        self.builder: FunctionBuilder = k
        self.groups: int = groups
        self._barriers = named_barrier(k, 2 * _WARPGROUP, groups) if groups > 1 else None

    def begin(self, group: Any) -> None:
        """Group 0 may go first: every thread of the groups executes it once, before the first turn."""
        if self._barriers is not None:
            with structured.if_(self.builder, group == self.groups - 1):
                self._barriers[0].arrive()

    @contextmanager
    def of(self, group: Any) -> Iterator[None]:
        """The body runs when the group before has done its own of this round. Every group goes through as many rounds."""
        self.take(group)
        yield
        self.give(group)

    def take(self, group: Any) -> None:
        """Wait for this group's turn."""
        if self._barriers is not None:
            self._barriers[group].sync()

    def give(self, group: Any) -> None:
        """The next group's turn begins."""
        if self._barriers is None:
            return
        if self.groups == 2:
            after = 1 - group
        else:
            after = arithmetic.select(self.builder, group == self.groups - 1, 0, group + 1)
        self._barriers[after].arrive()


_WARPGROUP = 128


def turns(k: FunctionBuilder, groups: int) -> Turns:
    """Turns of the `groups` warpgroups of a role: `turns.begin(mine)`, then in its loop `with turns.of(mine):`. It takes as many
    of the CTA's named barriers."""
    if groups < 1:
        raise build_error("PTX221", f"turns of {groups} warpgroups", expected="1 or more")
    return Turns(k, groups)
