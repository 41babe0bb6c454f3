"""A ring of stages between threads that fill shared memory and threads that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.copies import copy_commit, copy_wait
from ptxgen.builder.threads import warp
from ptxgen.builder.tiles.barriers import MemoryBarrier, mbarrier, turns
from ptxgen.builder.tiles.tensor_copies import publish_shared
from ptxgen.builder.tiles.tensor_memory import commit_products
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32
from ptxgen.ir import Immediate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.clusters import TileCluster

__all__ = ["CopyPipeline", "CopyStage", "Pipeline", "PipelineTurns", "Place", "Stage", "copy_pipeline", "pipeline"]


_FEW = 4
"""Steps below which stages are counted one by one: a division takes as many instructions."""


class Stage:
    """One stage in one round: `index` is its place in the ring (`tile[stage.index]`), `step` counts the rounds of the loop;
    `barrier` is what loads of a producer complete on."""

    __slots__ = ("barrier", "index", "step")

    def __init__(self, index: u32, step: Any, barrier: MemoryBarrier) -> None:
        self.index: u32 = index
        self.step: Any = step
        self.barrier: MemoryBarrier = barrier


class Place:
    """Where one side of the ring is: the stage, and the parity of its phase."""

    __slots__ = ("parity", "stage")

    def __init__(self, k: FunctionBuilder) -> None:
        self.stage: u32 = arithmetic.variable(k, u32, 0)
        self.parity: u32 = arithmetic.variable(k, u32, 0)

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

    A producer is one thread: `for stage in pipe.produce(steps)` waits until a stage is empty, and the body's loads fill it. With
    `copies` it is so many threads: the stage is full when their `k.copy_async` and the loads of tensor maps, if any, have come.
    Consumers are `consumers` warps: `for stage in pipe.consume(steps)` waits until it is full, and releases it behind the body.
    Both go on where their last loop ended, so that loops over tiles go on from stage to stage.
    """

    __slots__ = (
        "_consumed",
        "_peer",
        "_produced",
        "_releases",
        "builder",
        "cluster",
        "copies",
        "empty",
        "full",
        "products",
        "stages",
    )

    def __init__(
        self,
        k: FunctionBuilder,
        stages: int,
        consumers: int,
        cluster: TileCluster | None,
        copies: int | None,
        products: str | None,
    ) -> None:
        self.builder: FunctionBuilder = k
        self.stages: int = stages
        self.copies: int | None = copies
        self.products: str | None = products
        self.cluster: TileCluster | None = cluster if cluster is not None and cluster.tiles > 1 else None
        self.full: MemoryBarrier = mbarrier(k, copies or 1, stages)
        self.empty: MemoryBarrier = mbarrier(k, consumers * (self.cluster.peers if self.cluster else 1), stages)
        self._peer: u32 | None = None
        self._releases: Any = None
        if products != "use":
            lane = k.read_special(u32, "%laneid")
            self._peer = None if self.cluster is None else self.cluster.rank(lane)
            self._releases = lane == 0 if self.cluster is None else lane < self.cluster.peers
        self._produced = Place(k)
        self._consumed = Place(k)

    def produce(self, steps: Any = 1) -> Iterator[Stage]:
        """The next `steps` stages, each once it is empty. The body's loads complete `stage.barrier`, which announces their
        bytes; with `copies` all of these threads execute it, and one of them the loads. Where products fill the stages, the body
        is one thread's `add_product`."""
        k, place = self.builder, self._produced
        for step in structured.range_(k, steps):
            self.empty[place.stage].wait(place.parity ^ 1)
            full = self.full[place.stage]
            if self.products == "fill":
                k.emit("tcgen05.fence::after_thread_sync")
                yield Stage(place.stage, step, full)
                commit_products(k, full)
            elif self.copies is None:
                with full.transaction():
                    yield Stage(place.stage, step, full)
            else:
                yield Stage(place.stage, step, full)
                k.emit("cp.async.mbarrier.arrive.noinc.shared::cta.b64", full.operand())
            place.advance(self.stages)

    def consume(
        self, steps: Any = 1, *, in_flight: int | None = None, then: Callable[[], None] | None = None
    ) -> Iterator[Stage]:
        """The next `steps` stages, each once it is full; behind the body it is released. Where products use the stages, the body
        is one thread's `add_product`, and a stage is released when they are done.

        With `in_flight` (0 or 1) the body issues a wgmma group each step: all but that many are waited for behind it, and the
        stage is released whose group is complete. The loop ends with no group under way; `then` is called behind the last
        step, where the last group may still be.
        """
        k = self.builder
        place = self._consumed
        if in_flight not in (None, 0, 1):
            raise build_error("PTX221", f"in_flight={in_flight!r}", expected="None, 0 or 1")
        if self.products == "use" and in_flight is not None:
            raise build_error("PTX221", f"in_flight={in_flight} of products in tensor memory", expected="no in_flight")
        publishes = (
            self.copies is not None and in_flight is not None
        )  # wgmma reads by another proxy than cp.async writes
        if not in_flight:
            for step in structured.range_(k, steps):
                self.full[place.stage].wait(place.parity)
                if publishes:
                    publish_shared(k)
                yield Stage(place.stage, step, self.full[place.stage])
                if in_flight == 0:
                    k.emit("wgmma.wait_group.sync.aligned", Immediate(0))
                if self.products == "use":
                    commit_products(k, self.empty[place.stage])
                else:
                    with structured.if_(k, self._releases):
                        self._release(place.stage)
                place.advance(self.stages)
            if then is not None:
                then()
            return
        before = arithmetic.variable(k, u32, 0)
        for step in structured.range_(k, steps):
            self.full[place.stage].wait(place.parity)
            if publishes:
                publish_shared(k)
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

    def in_turns(self, which: u32, of: int) -> PipelineTurns:
        """The consumer of a warpgroup that is number `which` of `of`: they take work of as many steps in turn."""
        return PipelineTurns(self, which, of)

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


class PipelineTurns:
    """Warpgroups that use the ring one after the other, each all stages of its work, while the others do something else."""

    __slots__ = ("_gap", "_of", "_pipe", "_turns", "_which")

    def __init__(self, pipe: Pipeline, which: u32, of: int) -> None:
        k = pipe.builder
        self._pipe, self._which, self._of = pipe, which, of
        self._turns = turns(k, of)
        self._turns.begin(which)
        self._gap = arithmetic.variable(k, u32, which)

    def consume(self, steps: Any = 1, *, in_flight: int | None = None) -> Iterator[Stage]:
        """As `Pipeline.consume`, in this warpgroup's turn; every turn has as many steps."""
        self._pipe.skip(self._gap * steps)
        self._gap.set(self._of - 1)
        self._turns.take(self._which)
        yield from self._pipe.consume(steps, in_flight=in_flight, then=lambda: self._turns.give(self._which))


def pipeline(
    k: FunctionBuilder, stages: int, *, consumers: int | None = None, cluster: TileCluster | None = None,
    copies: int | None = None, products: str | None = None,
) -> Pipeline:  # fmt: skip
    """A ring of stages that `consumers` warps use and one thread fills; or, by `k.copy_async`, `copies` threads. With `products`
    "use" one thread's products in tensor memory use the stages, and there are no `consumers`; with "fill" such products fill
    stages of sums. Declare it where every thread comes by, and `k.start_barriers()` (or `k.roles`) behind all of them. In a
    `cluster` whose CTAs load `among` each other, a stage is empty when the consumers of all CTAs of the row and the column are
    done with it."""
    if stages < 1:
        raise build_error("PTX221", f"a pipeline of {stages} stages", expected="1 or more")
    if copies is not None and not 1 <= copies <= 1024:
        raise build_error("PTX221", f"a pipeline that {copies!r} threads fill", expected="1 to 1024")
    if copies is not None and k.target.sm < _COPIES:
        raise build_error(
            "PTX220", f"a pipeline of asynchronous copies on {k.target}", expected="sm_80 or later",
            hint="k.copy_pipeline(stages), which copies through registers there",
        )  # fmt: skip
    if products not in (None, "use", "fill") or (products == "use") is (consumers is not None):
        raise build_error(
            "PTX221", f"a pipeline with products={products!r} and consumers={consumers!r}",
            expected='consumers, the warps that use the stages; or products="use"',
        )  # fmt: skip
    if products is not None and (cluster is not None or (copies is not None and products == "fill")):
        raise build_error("PTX221", "products in tensor memory with a cluster or copies", expected="one CTA's own")
    return Pipeline(k, stages, consumers or 1, cluster, copies, products)


_COPIES = 80
"""The first target with cp.async and mbarriers."""


class CopyStage:
    """One stage in one round: `index` is its place in the ring (`tile[stage.index]`), `step` counts the rounds of the loop."""

    __slots__ = ("index", "step")

    def __init__(self, index: u32, step: u32) -> None:
        self.index: u32 = index
        self.step: u32 = step


class CopyPipeline:
    """A ring of stages that all threads of the CTA fill, by `k.copy_async` or through registers, and use."""

    __slots__ = ("builder", "stages")

    def __init__(self, k: FunctionBuilder, stages: int) -> None:
        self.builder: FunctionBuilder = k
        self.stages: int = stages

    def stream(self, steps: u32, fill: Callable[[Any, Any], Callable[[], None] | None]) -> Iterator[CopyStage]:
        """`steps` stages, each once all threads' copies to it have come; the ring is empty before and after.

        `fill(step, index)` copies what is of a step to stage `index`, some steps ahead: also behind the last one, where it
        copies zeros or nothing. What it returns, if anything, is called behind the loop's body: it stores what was loaded to
        registers.
        """
        k, ahead = self.builder, self.stages - 1
        slot = arithmetic.variable(k, u32, 0)
        for step in range(ahead):  # not a loop: the verifier counts the groups
            _store(fill(step, step))
            copy_commit(k)
        for step in structured.range_(k, steps):
            copy_wait(k, ahead - 1)
            warp.barrier(k)
            free = arithmetic.select(k, slot == 0, ahead, slot - 1)  # that of the step before, which all have read
            store = fill(step + ahead, free)
            copy_commit(k)
            yield CopyStage(slot, step)
            _store(store)
            slot.set(arithmetic.select(k, slot == ahead, 0, slot + 1))
        copy_wait(k)
        warp.barrier(k)


def _store(behind: Callable[[], None] | None) -> None:
    if behind is not None:
        behind()


def copy_pipeline(k: FunctionBuilder, stages: int) -> CopyPipeline:
    """A ring of stages that all threads of the CTA fill together by `k.copy_async` and use together, on any target. One stage is
    filled while another one is read, so there are two or more."""
    if stages < 2:
        raise build_error("PTX221", f"a pipeline of {stages} stages", expected="2 or more")
    return CopyPipeline(k, stages)
