"""When a dispatch replays a graph, and how batches go side by side."""

from __future__ import annotations

import numpy as np
import pytest

from ptxgen.runtime import Backend, DispatchConfig
from ptxgen.runtime.dispatch.graphs import REPLAY_BYTES, lanes_for
from tests.ptxgen.runtime.samples import as_floats, as_words, ramp, ranks, scale

MIB = 1 << 20


def graphs_of(backend: Backend, n: int, times: int = 3, **config: object) -> int:
    """Replays of so many dispatches of n elements, which copy 8 bytes for each."""
    pipeline = backend.compile(scale, DispatchConfig(**config))  # type: ignore[arg-type]
    before = backend.telemetry_snapshot()["graph_launches"]
    for start in range(times):
        (y,) = pipeline.dispatch([ramp(n, start)])
        assert (as_floats(y) == 2 * ramp(n, start)).all()
    return backend.telemetry_snapshot()["graph_launches"] - before


def test_small_dispatches_replay_and_large_ones_go_directly(backend: Backend) -> None:
    most = REPLAY_BYTES // 8
    assert graphs_of(backend, 256) == 2
    assert graphs_of(backend, most) == 2
    assert graphs_of(backend, most + 64) == 0


def test_the_configuration_decides_otherwise(backend: Backend) -> None:
    large = REPLAY_BYTES // 8 + 64
    assert graphs_of(backend, large, graph=True) == 2
    assert graphs_of(backend, large, graph_bytes=1 << 30) == 2
    assert graphs_of(backend, 256, graph_bytes=0) == 0
    assert graphs_of(backend, 256, graph=False) == 0
    assert graphs_of(backend, 256, graph=False, graph_bytes=1 << 30) == 0


@pytest.mark.parametrize(
    "batches, nbytes, multiprocessors, memory, lanes",
    [
        (1, 1, 132, 1 << 34, 1),
        (5, 1, 132, 1 << 34, 5),
        (1000, 1, 132, 1 << 34, 17),  # one for 8 multiprocessors, rounded up
        (1000, 1, 8, 1 << 34, 2),  # at least two
        (1000, 1, 1000, 1 << 34, 32),  # at most 32
        (1000, MIB, 132, 1 << 34, 8),  # 8 MiB together
        (1000, 3 * MIB, 132, 1 << 34, 2),  # as the pool counts, by powers of two
        (1000, 1 << 27, 132, 1 << 34, 2),  # at least two; a 64th of the memory
        (1000, 1 << 30, 132, 1 << 34, 1),
    ],
)
def test_lanes(batches: int, nbytes: int, multiprocessors: int, memory: int, lanes: int) -> None:
    assert lanes_for(batches, nbytes, multiprocessors, memory) == lanes


def test_a_batch_goes_side_by_side_where_that_pays(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    small = [[ramp(100, start)] for start in range(20)]
    lanes = pipeline.lanes_for(20, 1024)
    for _ in range(2):
        assert [as_floats(y)[0] for (y,) in pipeline.dispatch(small, batch=True)] == [2 * n for n in range(20)]
    counts = backend.telemetry_snapshot()
    assert counts["graph_batched_replay_chunks"] == 2 * -(-20 // lanes)
    assert counts["graph_batched_replay_lanes"] == 40
    large = [[ramp(REPLAY_BYTES // 8 + 64, start)] for start in range(2)]
    pipeline.dispatch(large, batch=True)
    assert backend.telemetry_snapshot()["graph_batched_replay_lanes"] == 40


def test_no_more_than_32_graphs_are_kept(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    for n in range(1, 40):
        for _ in range(2):
            pipeline.dispatch([ramp(n)])
    assert len(pipeline._host.graphs) == 32


def test_dispatches_that_share_a_grid_barrier_run_in_order(backend: Backend) -> None:
    """Its counter is one for the module: two grids that count on it at once would miss each other."""
    pipeline = backend.compile(ranks, DispatchConfig(cooperative=True))
    shape = pipeline.shape((256,))
    assert shape.loaded.stream_order is not None
    order: list[str] = []
    ordered = shape.loaded.stream_order.after_earlier
    shape.loaded.stream_order.after_earlier = lambda stream: order.append("one") or ordered(stream)  # type: ignore[method-assign, func-returns-value]
    x = np.ones(64, np.uint32)
    for pending in [pipeline.dispatch([x], wait=False) for _ in range(3)]:
        assert set(as_words(pending.await_result()[0])) == {6 * 64}
    assert [set(as_words(seen)) for seen, _ in pipeline.dispatch([[x]] * 3, batch=True)] == [{6 * 64}] * 3
    assert len(order) >= 6
