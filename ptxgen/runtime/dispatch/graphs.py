"""When host dispatches replay a graph, and the graphs that a pipeline keeps for that.

A replayed graph saves host work on each dispatch: 51 us of a dispatch of one launch on an H200, 63 us of one of eight, however
large it is (measured from 256 to 16 Mi elements). That is two thirds of a small dispatch, 6 % of one that copies 8 MiB, and
lost in the noise of one that copies 32 MiB; so there is a limit, above which a graph would only hold memory.

A batch side by side lets the host fill one lane while the device works on another. Two lanes are enough for that; more of them
let kernels with few CTAs run at the same time. But all lanes' staging memory should stay in the processor's cache: 17 lanes of
2 MiB take 1.06 times as long as one dispatch after the other, 4 lanes 0.93 times. So lanes share 8 MiB, and are at least two.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ptxgen.runtime.dispatch.replay import GraphReplay
from ptxgen.runtime.dispatch.tuning import from_host
from ptxgen.runtime.environment import flag
from ptxgen.runtime.memory.pools import size_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline
    from ptxgen.runtime.dispatch.shapes import DispatchShape
    from ptxgen.runtime.dispatch.tuning import Fill

__all__ = ["MOST_GRAPHS", "REPLAY_BYTES", "GraphShelf", "lanes_for"]

MOST_GRAPHS = 32
"""Recorded graphs that a pipeline keeps; those of the shape that was used longest ago go."""

REPLAY_BYTES = 8 << 20
"""The most bytes that a dispatch copies, both ways together, for which replaying it pays."""

_LANES = 2, 32
_SM_PER_LANE = 8
_STAGED = 8 << 20
_VRAM_SHARE = 64


def lanes_for(batches: int, shape_bytes: int, multiprocessors: int, total_memory: int) -> int:
    """How many dispatches of a batch run side by side: one for 8 multiprocessors, as many as stage 8 MiB together, from 2 to 32,
    within a 64th of the device's memory, and at least one."""
    nbytes = max(1, size_class(shape_bytes))
    wanted = min(max(min(-(-multiprocessors // _SM_PER_LANE), _STAGED // nbytes), _LANES[0]), _LANES[1])
    return max(1, min(batches, wanted, total_memory // _VRAM_SHARE // nbytes))


class GraphShelf:
    """The recorded graphs of one pipeline, by shape. The pipeline's lock guards it."""

    def __init__(self, pipeline: CompiledPipeline) -> None:
        self._pipeline = pipeline
        self._replays: OrderedDict[tuple[int, ...], list[GraphReplay]] = OrderedDict()
        self._seen: dict[tuple[int, ...], int] = {}
        config = pipeline.config
        self.wanted = config.graph if config.graph is not None else flag("PTXGEN_GRAPH_REPLAY", True)
        """Whether anything is replayed at all."""

    def __len__(self) -> int:
        return sum(map(len, self._replays.values()))

    def pays(self, shape: DispatchShape) -> bool:
        """Whether a dispatch of that shape should replay."""
        config = self._pipeline.config
        if shape.empty:
            return False
        if not self.wanted or config.graph:
            return self.wanted
        return shape.layout.copied <= (REPLAY_BYTES if config.graph_bytes is None else config.graph_bytes)

    def replay(self, lengths: tuple[int, ...], inputs: Sequence[Any]) -> GraphReplay | None:
        """The graph that a dispatch of inputs of these lengths replays; None where it is to go directly: the first
        time that a shape comes, and where replaying does not pay."""
        known = self._replays.get(lengths)
        if known:
            return known[0]
        if self._seen.get(lengths, 0) < 0:
            return None
        with self._pipeline.lock:
            if len(self._seen) > 64 * MOST_GRAPHS:
                self._seen.clear()
            if not self.pays(self._pipeline.shape(lengths, self._fill(inputs))):
                self._seen[lengths] = -1
                return None
            self._seen[lengths] = times = self._seen.get(lengths, 0) + 1
            return None if times < 2 else self.lanes(lengths, 1)[0]

    def _fill(self, inputs: Sequence[Any]) -> Fill | None:
        return from_host(inputs) if self._pipeline.tuner.measures else None

    def lanes(self, lengths: tuple[int, ...], number: int) -> list[GraphReplay]:
        """So many recorded graphs of a shape, each with its own memory and stream."""
        with self._pipeline.lock:
            shape = self._pipeline.shape(lengths)
            lanes = self._replays.setdefault(lengths, [])
            while len(lanes) < number:
                lanes.append(GraphReplay(shape))
            self._replays.move_to_end(lengths)
            while len(self) > max(MOST_GRAPHS, number):
                self.drop(next(iter(self._replays)))
            return lanes[:number]

    def drop(self, lengths: tuple[int, ...]) -> None:
        """Forget the graphs of a shape. A thread that replays one keeps it, and may want the pipeline's lock meanwhile."""
        for replay in self._replays.pop(lengths, []):
            replay.retire()

    def take_all(self) -> list[GraphReplay]:
        """Every graph, which the caller closes."""
        with self._pipeline.lock:
            held = [replay for replays in self._replays.values() for replay in replays]
            self._replays.clear()
        return held

    # --- batches ------------------------------------------------------------------------------------------------------

    def run_batch(self, batch: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """See `CompiledPipeline.dispatch`."""
        results: list[list[Any]] = [[] for _ in batch]
        groups: dict[tuple[int, ...], list[int]] = {}
        for index, inputs in enumerate(batch):
            groups.setdefault(self._pipeline.lengths(inputs), []).append(index)
        for lengths, members in groups.items():
            self._run_lanes(lengths, members, batch, results)
        return results

    def _run_lanes(
        self, lengths: tuple[int, ...], members: list[int], batch: Sequence[Sequence[Any]], results: list[list[Any]]
    ) -> None:
        pipeline = self._pipeline
        shape = pipeline.shape(lengths, self._fill(batch[members[0]]))
        in_order = shape.state is not None or shape.loaded.stream_order is not None
        number = 1 if in_order else pipeline.lanes_for(len(members), shape.layout.nbytes)
        if number == 1 or not self.pays(shape):
            for index in members:
                results[index] = pipeline.run(batch[index])
            return
        lanes = self.lanes(lengths, number)
        running: dict[int, tuple[GraphReplay, int]] = {}
        try:
            for place, index in enumerate(members):
                lane = place % number
                if lane in running:
                    replay, before = running.pop(lane)
                    results[before] = replay.finish()
                if lanes[lane].try_begin(batch[index]):
                    running[lane] = lanes[lane], index
                else:  # another thread's dispatch is on this lane
                    results[index] = pipeline.dispatch(batch[index], wait=False).await_result()
        finally:
            for replay, before in running.values():
                results[before] = replay.finish()
        chunks = -(-len(members) // number)
        pipeline.backend.telemetry.add(graph_batched_replay_chunks=chunks, graph_batched_replay_lanes=len(members))
