"""Dispatches of host data: the inputs are copied to the device, and the outputs come back as arrays or as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.runtime.dispatch.graphs import GraphShelf
from ptxgen.runtime.dispatch.outputs import OutputCache
from ptxgen.runtime.dispatch.pending import PendingDispatch
from ptxgen.runtime.dispatch.tuning import from_host
from ptxgen.runtime.memory.forms import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline

__all__ = ["HostDispatches"]


class HostDispatches:
    """Those of one pipeline: directly, as replayed graphs where that pays, or answered from outputs of before."""

    def __init__(self, pipeline: CompiledPipeline) -> None:
        self._pipeline = pipeline
        self.graphs = GraphShelf(pipeline)
        self.outputs = OutputCache() if pipeline.config.cache_outputs else None

    def run(self, inputs: Sequence[Any], like: Sequence[Any] | None = None) -> list[Any]:
        """A dispatch that is never answered from outputs of before; its outputs."""
        if not self._pipeline.backend.marked:
            return self._run(inputs, like)
        with self._pipeline.backend.range(f"dispatch {self._pipeline.program.name}"):
            return self._run(inputs, like)

    def _run(self, inputs: Sequence[Any], like: Sequence[Any] | None) -> list[Any]:
        lengths = self._pipeline.lengths(inputs)
        replay = self.graphs.replay(lengths, inputs) if self.graphs.wanted else None
        if replay is not None and replay.try_begin(inputs, like):
            return replay.finish()
        return self.begin(inputs, like).await_result()

    def into(self, inputs: Sequence[Any], out: Sequence[Any]) -> list[Any]:
        """The same into writable buffers."""
        lengths = self._pipeline.lengths(inputs)
        replay = self.graphs.replay(lengths, inputs) if self.graphs.wanted else None
        if replay is not None and replay.try_begin(inputs):
            replay.finish_into(out)
        else:
            self.begin(inputs).await_result_into(out)
        return list(out)

    def remembered(self, inputs: Sequence[Any], like: Sequence[Any] | None, cache: OutputCache) -> list[Any]:
        """A dispatch, or the outputs of an equal one of before."""
        pipeline = self._pipeline
        forms = pipeline.shape(pipeline.lengths(inputs)).forms_for(inputs, like)
        key = cache.key(inputs)
        found = cache.get(key)
        if found is not None:
            pipeline.backend.telemetry.add(graph_materialized_cache_hits=1)
        else:
            found = [bytes(output) for output in self.run(inputs)]
            cache.put(key, found)
        return [shown(output, form) for output, form in zip(found, forms)]

    def begin(
        self, inputs: Sequence[Any], like: Sequence[Any] | None = None, *, timed: bool = False
    ) -> PendingDispatch:
        """Queue a dispatch on a stream of its own."""
        pipeline = self._pipeline
        lengths = pipeline.lengths(inputs)
        with pipeline.lock:
            shape = pipeline.shape(lengths, from_host(inputs) if pipeline.tuner.measures else None).hold()
        return PendingDispatch(shape, inputs, like, timed=timed)
