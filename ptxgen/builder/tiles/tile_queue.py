"""Schedules whose CTAs ask for their next tile: an atomic counter, or the hardware's launch control of sm_100.

One thread asks while the CTA computes the tile before, and tells the others: through a ring of two words and their mbarriers
where roles go through the tiles on their own, else behind a barrier of the CTA.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory import arrays, atomics
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.threads import warp
from ptxgen.builder.tiles.barriers import mbarrier
from ptxgen.builder.tiles.pipeline import Place
from ptxgen.builder.tiles.schedule import Schedule
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import b128, pred, u32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.schedule import Tile

__all__ = ["DynamicTiles", "LaunchControlTiles", "dynamic_tiles", "launch_control_tiles"]

_SLOTS = 2
_NONE = 0xFFFFFFFF
"""The number of a tile that there is not."""

_CONTROLLED = 100
"""The first target with clusterlaunchcontrol (manual 9.7.13.16)."""


class _Ring:
    """Answers on their way from the thread that asks to the `readers` threads that go through the tiles, itself among them."""

    __slots__ = ("_place", "builder", "empty", "full")

    def __init__(self, k: FunctionBuilder, readers: int) -> None:
        self.builder = k
        self.full = mbarrier(k, 1, _SLOTS)
        self.empty = mbarrier(k, readers, _SLOTS)
        self._place = Place(k)

    @property
    def slot(self) -> u32:
        return self._place.stage

    def wait_empty(self) -> None:
        self.empty[self.slot].wait(self._place.parity ^ 1)

    def wait_full(self) -> None:
        self.full[self.slot].wait(self._place.parity)

    def release(self) -> None:
        """This thread has read the slot, and goes to the next one."""
        self.empty[self.slot].arrive()
        self._place.advance(_SLOTS)


class DynamicTiles(Schedule):
    """The next tile that nobody has, by a counter in global memory."""

    __slots__ = ("_counter", "_ring", "_words")

    def __init__(
        self, k: FunctionBuilder, rows: u32, columns: u32, counter: Any, readers: int | None, **how: Any
    ) -> None:
        super().__init__(k, rows, columns, **how)
        if not isinstance(counter, ptr) or counter.element is not u32 or counter.space not in ("", "global"):
            raise build_error("PTX220", f"the counter {counter!r:.60}", expected="a pointer to u32 in global memory")
        self._counter = counter
        self._words = arrays.shared(k, u32, _SLOTS).pointer
        self._ring = None if readers is None else _Ring(k, readers)

    def __iter__(self) -> Iterator[Tile]:
        k, ring = self.builder, self._ring
        order = self._order()
        number = arithmetic.variable(k, u32, self._first())
        one = k.read_special(u32, "%tid.x") == 0
        asked, slot = arithmetic.variable(k, u32, 0), arithmetic.variable(k, u32, 0)
        with structured.while_(k, lambda: number < order.count):
            with structured.if_(k, one):
                self._ask(asked, order.count)
                if ring is not None:
                    ring.wait_empty()
                    self._words.store(ring.slot, asked)
                    ring.full[ring.slot].arrive()
            yield self._tile(order, arithmetic.snapshot(number))
            if ring is not None:
                ring.wait_full()
                number.set(self._words.load(ring.slot))
                ring.release()
            else:  # two words in turn: who writes one again has passed the barrier behind which all have read it
                with structured.if_(k, one):
                    self._words.store(slot, asked)
                warp.barrier(k)
                number.set(self._words.load(slot))
                slot.set(slot ^ 1)

    def _ask(self, found: u32, count: u32) -> None:
        """The next number. Each tile's CTA asks once, so the last of `count` questions leaves the counter as it was."""
        k = self.builder
        old = atomics.atomic_add(k, self._counter, 0, 1)
        with structured.if_(k, old == count - 1):
            atomics.atomic_exch(k, self._counter, 0, 0)
        found.set(old + k.read_special(u32, "%nctaid.x"))


class LaunchControlTiles(Schedule):
    """A CTA for each tile, of which those that run take over others that have not started (manual 9.7.13.16)."""

    __slots__ = ("_answers", "_ring")

    def __init__(self, k: FunctionBuilder, rows: u32, columns: u32, readers: int, **how: Any) -> None:
        super().__init__(k, rows, columns, **how)
        self._answers = arrays.shared(k, b128, _SLOTS).pointer
        self._ring = _Ring(k, readers)

    def __iter__(self) -> Iterator[Tile]:
        k, ring = self.builder, self._ring
        order = self._order()
        number = arithmetic.variable(k, u32, self._first())
        one = k.read_special(u32, "%tid.x") == 0
        with structured.while_(k, lambda: number < order.count):
            with structured.if_(k, one):
                ring.wait_empty()
                full = ring.full[ring.slot]
                full.arrive_expecting(16)
                k.emit(
                    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128",
                    self._answers.element_address(ring.slot),
                    full.operand(),
                )
            yield self._tile(order, arithmetic.snapshot(number))
            ring.wait_full()
            answer = k.use(self._answers.load(ring.slot))
            taken = k.emit1(pred, "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", answer)
            # Only an answer that took a CTA over says which one.
            number.set(_NONE)
            with structured.if_(k, taken):
                k.emit1(u32, "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128", answer, into=number)
            k.emit("fence.proxy.async.shared::cta")  # what was read, before the next answer is written there
            ring.release()


def _check_readers(readers: int | None) -> None:
    if readers is not None and not 1 <= readers <= 1024:
        raise build_error("PTX221", f"{readers!r} threads that go through the tiles", expected="1 to 1024")


def dynamic_tiles(
    k: FunctionBuilder, rows: u32, columns: u32, counter: ptr[u32], *, readers: int | None = None, group: int = 8,
    order: str = "grouped", batch: Any = None, steps: Any = None,
) -> DynamicTiles:  # fmt: skip
    """As `k.persistent_tiles`, but a CTA that is done takes the next tile that nobody has: for tiles that take unequal times.

    `counter` is one u32 in global memory, 0 before the first launch; each launch leaves it 0, so that it can be repeated, also
    in a graph. All threads of the CTA go through the tiles together; or, where roles do so on their own, `readers` of them,
    thread 0 among them, and the schedule is made before `k.start_barriers` or `k.roles`. No thread goes through it twice.
    """
    _check_readers(readers)
    return DynamicTiles(k, rows, columns, counter, readers, group=group, order=order, batch=batch, steps=steps)


def launch_control_tiles(
    k: FunctionBuilder, rows: u32, columns: u32, *, readers: int, group: int = 8, order: str = "grouped",
    batch: Any = None, steps: Any = None,
) -> LaunchControlTiles:  # fmt: skip
    """As `k.dynamic_tiles`, but by the hardware of sm_100: the launch has a CTA for each tile, and one that is done takes the
    place of one that has not started. `readers` threads go through the tiles, thread 0 among them."""
    if k.target.sm < _CONTROLLED:
        raise build_error(
            "PTX220", f"launch control on {k.target}", expected="sm_100 or later", hint="k.dynamic_tiles(..., counter)"
        )
    _check_readers(readers)
    return LaunchControlTiles(k, rows, columns, readers, group=group, order=order, batch=batch, steps=steps)
