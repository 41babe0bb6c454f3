"""A ring of stages between threads that fill shared memory and threads that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.barriers import MemoryBarrier, mbarrier, named_barrier
from ptxgen.builder.tiles.roles import WARPGROUP
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32
from ptxgen.ir import Immediate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.clusters import TileCluster

__all__ = ["Pipeline", "Stage", "Turns", "pipeline"]


_FEW = 4
"""Steps below which stages are counted one by one: a division takes as many instructions."""


class Stage:
    """One stage in one round: `index` is its place in the ring (`tile[stage.index]`), `step` counts the rounds of the loop;
    `barrier` is what loads of a producer complete on."""

    __slots__ = ("barrier", "index", "step")

    def __init__(self, index: u32, step: Any, barrier: MemoryBarrier) -> None:
        self.index = index
        self.step = step
        self.barrier = barrier


class Place:
    """Where one side of the ring is: the stage, and the parity of its phase."""

    __slots__ = ("parity", "stage")

    def __init__(self, k: FunctionBuilder) -> None:
        self.stage = arithmetic.variable(k, u32, 0)
        self.parity = arithmetic.variable(k, u32, 0)

    def advance(self, stages: int) -> None:
        """To the next stage; behind the last one comes the first, in the next phase."""
        k = self.stage.builder
        if stages == 1:
            self.parity.set(self.parity ^ 1)
            return
        self.stage += 1
        with structured.if_(k, self.stage == stages):
            self.stage.set(0)
            self.parity.set(self.parity ^ 1)


class Pipeline:
    """`stages` stages, each with a barrier that it is full and one that it is empty.

    A producer is one thread: `for stage in pipe.produce(steps)` waits until a stage is empty, and the body's loads fill it.
    Consumers are `consumers` warps: `for stage in pipe.consume(steps)` waits until it is full, and releases it behind the body.
    Both go on where their last loop ended, so that loops over tiles go on from stage to stage.
    """

    __slots__ = ("_consumed", "_peer", "_produced", "_releases", "builder", "cluster", "empty", "full", "stages")

    def __init__(self, k: FunctionBuilder, stages: int, consumers: int, cluster: TileCluster | None) -> None:
        self.builder = k
        self.stages = stages
        self.cluster = cluster if cluster is not None and cluster.tiles > 1 else None
        self.full = mbarrier(k, 1, stages)
        self.empty = mbarrier(k, consumers * (self.cluster.peers if self.cluster else 1), stages)
        lane = k.read_special(u32, "%laneid")
        self._peer = None if self.cluster is None else self.cluster.rank(lane)
        self._releases = lane == 0 if self.cluster is None else lane < self.cluster.peers
        self._produced = Place(k)
        self._consumed = Place(k)

    def produce(self, steps: Any = 1) -> Iterator[Stage]:
        """The next `steps` stages, each once it is empty. The body's loads complete `stage.barrier`, which announces their
        bytes."""
        place = self._produced
        for step in structured.range_(self.builder, steps):
            self.empty[place.stage].wait(place.parity ^ 1)
            full = self.full[place.stage]
            with full.transaction():
                yield Stage(place.stage, step, full)
            place.advance(self.stages)

    def consume(
        self, steps: Any = 1, *, in_flight: int | None = None, then: Callable[[], None] | None = None
    ) -> Iterator[Stage]:
        """The next `steps` stages, each once it is full; behind the body it is released.

        With `in_flight` (0 or 1) the body issues a wgmma group each step: all but that many are waited for behind it, and the
        stage is released whose group is complete. The loop ends with no group under way; `then` is called behind the last
        step, where the last group may still be.
        """
        k = self.builder
        place = self._consumed
        if in_flight not in (None, 0, 1):
            raise build_error("PTX221", f"in_flight={in_flight!r}", expected="None, 0 or 1")
        if not in_flight:
            for step in structured.range_(k, steps):
                self.full[place.stage].wait(place.parity)
                yield Stage(place.stage, step, self.full[place.stage])
                if in_flight == 0:
                    k.emit("wgmma.wait_group.sync.aligned", Immediate(0))
                with structured.if_(k, self._releases):
                    self._release(place.stage)
                place.advance(self.stages)
            if then is not None:
                then()
            return
        before = arithmetic.variable(k, u32, 0)
        for step in structured.range_(k, steps):
            self.full[place.stage].wait(place.parity)
            yield Stage(place.stage, step, self.full[place.stage])
            k.emit("wgmma.wait_group.sync.aligned", Immediate(1))
            with structured.if_(k, (step > 0) & self._releases):  # the group of the step before is complete
                self._release(before)
            before.set(place.stage)
            place.advance(self.stages)
        if then is not None:
            then()
        k.emit("wgmma.wait_group.sync.aligned", Immediate(0))
        any_steps = self._releases if isinstance(steps, int) else self._releases & (steps > 0)
        with structured.if_(k, any_steps):
            self._release(before)

    def in_turns(self, which: u32, of: int) -> Turns:
        """The consumer of a warpgroup that is number `which` of `of`: they take work of as many steps in turn."""
        return Turns(self, which, of)

    def skip(self, steps: Any = 1) -> None:
        """A consumer leaves out the next `steps` stages, which others use and release.

        The barriers' phases have one bit: the next stage that it takes must not be two rounds ahead of the one that is filled.
        With the stages a multiple of `steps + 1`, or behind a barrier with those others (`in_turns`), that is so.
        """
        place = self._consumed
        if isinstance(steps, int) and steps < _FEW:
            for _ in range(steps):
                place.advance(self.stages)
            return
        after = place.stage + steps
        rounds = after // self.stages
        place.stage.set(after - rounds * self.stages)
        place.parity.set(place.parity ^ (rounds & 1))

    def take(self) -> Stage:
        """A consumer's next stage, once it is full; `release` it when the warp has read it."""
        place = self._consumed
        self.full[place.stage].wait(place.parity)
        index = arithmetic.snapshot(place.stage)
        place.advance(self.stages)
        return Stage(index, 0, self.full[index])

    def release(self, stage: Stage) -> None:
        """The warp has read a stage that it took; all its lanes execute it."""
        with structured.if_(self.builder, self._releases):
            self._release(stage.index)

    def _release(self, stage: u32) -> None:
        """This thread has arrived: each warp does once, in each CTA that fills stages here."""
        if self._peer is None:
            self.empty[stage].arrive()
        else:
            self.empty[stage].arrive_remote(self._peer)


class Turns:
    """Warpgroups that use the ring one after the other, each all stages of its work, while the others do something else."""

    __slots__ = ("_gap", "_next", "_of", "_pipe", "_turn", "_which")

    def __init__(self, pipe: Pipeline, which: u32, of: int) -> None:
        k = pipe.builder
        self._pipe, self._which, self._of = pipe, which, of
        self._turn = named_barrier(k, 2 * WARPGROUP, of)
        self._next = arithmetic.select(k, which == of - 1, 0, which + 1)
        self._gap = arithmetic.variable(k, u32, which)
        with structured.if_(k, which == of - 1):
            self._turn[0].arrive()

    def consume(self, steps: Any = 1, *, in_flight: int | None = None) -> Iterator[Stage]:
        """As `Pipeline.consume`, in this warpgroup's turn; every turn has as many steps."""
        self._pipe.skip(self._gap * steps)
        self._gap.set(self._of - 1)
        self._turn[self._which].sync()
        yield from self._pipe.consume(steps, in_flight=in_flight, then=self._turn[self._next].arrive)


def pipeline(k: FunctionBuilder, stages: int, *, consumers: int, cluster: TileCluster | None = None) -> Pipeline:
    """A ring of stages that `consumers` warps use and one thread fills. Declare it where every thread comes by, and
    `k.start_barriers()` (or `k.roles`) behind all of them. In a `cluster` whose CTAs load `among` each other, a stage is empty
    when the consumers of all CTAs of the row and the column are done with it."""
    if stages < 1:
        raise build_error("PTX221", f"a pipeline of {stages} stages", expected="1 or more")
    return Pipeline(k, stages, consumers, cluster)
