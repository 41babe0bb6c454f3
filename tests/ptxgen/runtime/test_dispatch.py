"""A program, compiled once and dispatched in every way; every figure of the telemetry that follows from it."""

from __future__ import annotations

import gc
import threading
from typing import Annotated

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, ptr, u32
from ptxgen.runtime import Backend, DispatchConfig, Params, inout, input_, output, program
from ptxgen.runtime.errors import (
    BackendError,
    CooperativeResidencyError,
    DispatchError,
    InvalidProgramError,
    UnsupportedFeatureError,
    ValidationError,
)
from ptxgen.runtime.memory.buffers import as_bytes
from tests.ptxgen.runtime.samples import (
    as_floats,
    as_words,
    blend,
    floats,
    open_scale,
    ramp,
    ranks,
    raw,
    scale,
    step,
    words,
)

DIRECT = DispatchConfig(graph=False)


@pytest.mark.parametrize("config", [None, DIRECT], ids=["graph", "direct"])
def test_changing_inputs_and_shapes(backend: Backend, config: DispatchConfig | None) -> None:
    pipeline = backend.compile(scale, config)
    for n in (1, 1000, 7, 1000, 1000, 7):
        for start in (0, 5):
            (y,) = pipeline.dispatch([ramp(n, start)])
            assert (as_floats(y) == 2 * ramp(n, start)).all()


def test_a_shape_that_comes_again_is_replayed_and_nothing_is_remembered(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    for _ in range(5):
        pipeline.dispatch([ramp(100)])
    counts = backend.telemetry_snapshot()
    assert (counts["kernel_launches"], counts["graph_launches"], counts["graph_kernel_launches"]) == (1, 4, 4)
    assert counts["graph_materialized_cache_hits"] == 0


def test_graphs_are_turned_off_by_the_environment(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXGEN_GRAPH_REPLAY", "0")
    pipeline = backend.compile(scale)
    for _ in range(3):
        pipeline.dispatch([ramp(100)])
    assert backend.telemetry_snapshot()["graph_launches"] == 0


def test_the_output_cache_is_there_only_when_it_is_asked_for(backend: Backend) -> None:
    pipeline = backend.compile(scale, DispatchConfig(cache_outputs=True))
    first = raw(pipeline.dispatch([ramp(9)]))
    assert raw(pipeline.dispatch([ramp(9)])) == first
    assert as_floats(pipeline.dispatch([ramp(9, 1)])[0])[0] == 2
    assert backend.telemetry_snapshot()["graph_materialized_cache_hits"] == 1


def test_the_output_cache_holds_32_entries_and_the_oldest_goes(backend: Backend) -> None:
    pipeline = backend.compile(scale, DispatchConfig(cache_outputs=True))
    for start in range(40):
        pipeline.dispatch([floats(start)])
    outputs = pipeline._host.outputs
    assert outputs is not None
    assert len(outputs) == 32
    assert outputs.get(outputs.key([floats(7)])) is None


def test_roles(backend: Backend) -> None:
    """Bindings go by their numbers; a uniform is brought, shared memory is not, an output is as long as it says."""
    pipeline = backend.compile(blend)
    a = ramp(128)
    (mixed,) = pipeline.dispatch([a, floats(10, 0.5)])
    assert (as_floats(mixed) == a * 10 + a.reshape(-1, 2)[:, ::-1].reshape(-1) * 0.5).all()


@program(workgroup=64)
def lengths(
    k: px.Builder,
    x: Annotated[ptr[f32], input_()],
    y: Annotated[ptr[f32], input_()],
    found: Annotated[ptr[u32], output(3)],
    params: Params,
) -> None:
    """What the parameter words say."""
    for i, word in enumerate((params.element_count, params.length("x"), params.length("y"))):
        found[i] = word


@pytest.mark.parametrize("config", [None, DIRECT], ids=["graph", "direct"])
def test_an_input_may_be_empty_beside_others(backend: Backend, config: DispatchConfig | None) -> None:
    """Its length is 0, not that of the launch: the kernel would read what is not there."""
    pipeline = backend.compile(lengths, config)
    for n, m in [(5, 0), (0, 7), (5, 0), (5, 7)]:
        (found,) = pipeline.dispatch([ramp(n), ramp(m)])
        assert as_words(found) == [3, n, m]


def test_a_dispatch_of_nothing_is_refused_when_it_is_compiled(backend: Backend) -> None:
    with pytest.raises(InvalidProgramError, match=r"a dispatch of 0 elements\. Fix: "):
        backend.compile(scale, DispatchConfig(element_count=0))


@program(workgroup=64)
def every_role(
    k: px.Builder,
    x: Annotated[ptr[u32], input_()],
    w: Annotated[ptr[u32], input_()],
    changed: Annotated[ptr[u32], inout()],
    like_x: Annotated[ptr[u32], output(like="x")],
    total: Annotated[ptr[u32], output(1)],
    params: Params,
) -> None:
    """Writes past the end where a launch has more elements than x."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        like_x[i] = x[i] + w[0]
        k.atomic_add(total, 0, 1)


@pytest.mark.parametrize("config", [DispatchConfig(), DispatchConfig(graph=True), DispatchConfig(cache_outputs=True)])
def test_a_dispatch_of_empty_arrays_launches_nothing(backend: Backend, config: DispatchConfig) -> None:
    pipeline = backend.compile(scale, config)
    nothing = b""
    for _ in range(3):
        assert pipeline.dispatch([nothing]) == [b""]
    pipeline.dispatch([nothing], [bytearray()])
    assert pipeline.dispatch([nothing], wait=False).await_result() == [b""]
    assert pipeline.dispatch([nothing], wait=False, timed=True).await_timed_result().outputs == [b""]
    assert pipeline.dispatch([[nothing], [floats(1)], [nothing]], batch=True) == [[b""], [floats(2)], [b""]]
    assert pipeline.record([0])([nothing]) == [b""]
    assert pipeline.dispatch([floats(3)]) == [floats(6)]
    counts = backend.telemetry_snapshot()
    assert counts["kernel_launches"] + counts["graph_kernel_launches"] == 2


def test_outputs_that_are_like_an_empty_input(backend: Backend) -> None:
    pipeline = backend.compile(every_role)
    empty = b""
    assert pipeline.dispatch([empty, words(1, 2, 3), empty]) == [b"", b"", words(0)]
    assert pipeline.dispatch([words(1), words(3), empty]) == [b"", words(4), words(1)]


def test_an_open_workgroup_of_no_elements_is_not_measured(backend: Backend) -> None:
    pipeline = backend.compile(open_scale, DispatchConfig(tune=True))
    assert pipeline.dispatch([b""]) == [b""]
    assert backend.telemetry_snapshot()["tuning_launches"] == 0


def test_inputs_that_are_no_list(backend: Backend) -> None:
    with pytest.raises(InvalidProgramError, match=r"scale takes a list of inputs, not NoneType. Fix: pass \[x, ...\]"):
        backend.compile(scale).dispatch(None)  # type: ignore[arg-type]


def test_a_mask_is_not_lost(backend: Backend) -> None:
    masked = np.ma.masked_array(ramp(4), mask=[0, 1, 0, 0])
    with pytest.raises(InvalidProgramError, match=r"input x is a masked array, .*Fix: pass .filled\(value\), or .data"):
        backend.compile(scale).dispatch([masked])
    assert raw(backend.compile(scale).dispatch([masked.filled(0)])) == [floats(0, 0, 4, 6)]
    with pytest.raises(InvalidProgramError, match=r"a masked array loses its mask(.|\n)*array.filled\(value\)"):
        as_bytes(masked)


def test_nothing_of_a_backend_is_recorded(backend: Backend) -> None:
    """What would run at once inside a capture is refused there, and works before and after it."""
    pipeline = backend.compile(scale)
    x, y = backend.upload_resident(ramp(4)), backend.allocate_resident(16)
    pipeline.dispatch([x], [y])
    bound = pipeline.bind([x], [y])
    uses = [
        lambda: pipeline.dispatch([ramp(4)]),
        lambda: pipeline.dispatch([ramp(4)], [bytearray(16)]),
        lambda: pipeline.dispatch([ramp(4)], wait=False),
        lambda: pipeline.dispatch([[ramp(4)]], batch=True),
        lambda: pipeline.dispatch([x], resident=True),
        lambda: pipeline.dispatch([x], [y]),
        lambda: pipeline.record([4]),
        bound,
        lambda: bound.batch(2),
        lambda: backend.resident.zero(y),
        lambda: backend.resident.upload(y, ramp(4)),
        lambda: backend.resident.upload_async(y, ramp(4)),
        lambda: backend.download(y),
        lambda: backend.allocate_resident(8),
    ]
    before = backend.telemetry_snapshot()["kernel_launches"]
    with backend.device.capture() as graph:
        for use in uses:
            with pytest.raises(
                DispatchError, match=r"inside dev.capture\(\) would not be recorded. Fix: do it outside"
            ):
                use()
    assert len(graph) == 0
    graph.close()
    assert backend.telemetry_snapshot()["kernel_launches"] == before
    bound()
    bound.close()
    assert as_floats(backend.download(y)).tolist() == [0, 2, 4, 6]


def test_a_binding_that_goes_in_and_comes_out(backend: Backend) -> None:
    assert as_words(backend.compile(step).dispatch([words(0, 1, 2)])[0]) == [1, 3, 5]


@pytest.mark.parametrize("graph", [False, True])
def test_fixpoint_iterations_launch_again_on_the_same_memory(backend: Backend, graph: bool) -> None:
    pipeline = backend.compile(step, DispatchConfig(fixpoint_iterations=4, graph=graph))
    for _ in range(2):
        assert as_words(pipeline.dispatch([words(0, 1)])[0]) == [15, 31]
    counts = backend.telemetry_snapshot()
    assert counts["kernel_launches"] + counts["graph_kernel_launches"] == 8


def test_compile_time_parameters(backend: Backend) -> None:
    assert as_floats(backend.compile(scale.using(factor=3.0)).dispatch([floats(2)])[0]) == [6]


def test_into_buffers_of_the_caller(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    out = np.zeros(10, np.float32)
    for start in range(3):
        pipeline.dispatch([ramp(10, start)], [out])
        assert (out == 2 * ramp(10, start)).all()
    with pytest.raises(InvalidProgramError, match="has 40 bytes; the buffer has 20"):
        pipeline.dispatch([ramp(10)], [np.zeros(5, np.float32)])
    with pytest.raises(InvalidProgramError, match="read-only"):
        pipeline.dispatch([ramp(10)], [bytes(40)])
    with pytest.raises(InvalidProgramError, match="gives 1 outputs, 0 buffers"):
        pipeline.dispatch([ramp(10)], [])
    pipeline.dispatch([ramp(10)], [out])


def test_pending_dispatches(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    pending = [pipeline.dispatch([ramp(50, n)], wait=False) for n in range(4)]
    for n, each in reversed(list(enumerate(pending))):
        assert (as_floats(each.await_result()[0]) == 2 * ramp(50, n)).all()
        assert each.is_ready()
    with pytest.raises(DispatchError, match=r"taken already. Fix: keep what await_result gave"):
        pending[0].await_result()
    out = np.zeros(50, np.float32)
    pipeline.dispatch([ramp(50)], wait=False).await_result_into([out])
    assert (out == 2 * ramp(50)).all()


def test_a_pending_dispatch_that_is_dropped_is_taken_back(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    pipeline.dispatch([ramp(5)], wait=False)
    gc.collect()
    lent = backend.allocated_transient_allocation_bytes - backend.cached_transient_allocation_bytes
    assert lent > 0
    backend.sweep(wait=True)
    assert backend.allocated_transient_allocation_bytes == backend.cached_transient_allocation_bytes


@pytest.mark.parametrize("begin", ["pending", "timed", "recorded"])
def test_what_garbage_collection_finds_in_a_cycle_is_taken_back(backend: Backend, begin: str) -> None:
    """Its stream is in that cycle too, and must be open when the backend waits for it."""
    pipeline = backend.compile(scale)
    held = {
        "pending": lambda: pipeline.dispatch([ramp(5)], wait=False),
        "timed": lambda: pipeline.dispatch([ramp(5)], wait=False, timed=True),
        "recorded": lambda: pipeline.record([5]),
    }[begin]()
    cycle: list[object] = [held]
    cycle.append(cycle)
    del cycle, held
    gc.collect()
    assert backend.allocated_transient_allocation_bytes > backend.cached_transient_allocation_bytes
    backend.sweep(wait=True)
    assert backend.allocated_transient_allocation_bytes == backend.cached_transient_allocation_bytes
    assert backend.cached_launch_resource_counts_detailed().leaked == 0
    (y,) = pipeline.dispatch([ramp(5)])
    assert (as_floats(y) == 2 * ramp(5)).all()


def test_a_pending_dispatch_outlives_a_cleanup_and_the_backend(backend: Backend, device_name: str) -> None:
    kept = backend.compile(scale).dispatch([ramp(5)], wait=False)
    backend.cleanup()
    assert (as_floats(kept.await_result()[0]) == 2 * ramp(5)).all()
    other = Backend.acquire(device_name)
    kept = other.compile(scale).dispatch([ramp(5)], wait=False)
    other.close()
    assert (as_floats(kept.await_result()[0]) == 2 * ramp(5)).all()


def test_a_pending_dispatch_outlives_its_shape(backend: Backend) -> None:
    pipeline = backend.compile(scale, DIRECT)
    kept = pipeline.dispatch([ramp(500)], wait=False)
    for n in range(1, 40):
        pipeline.dispatch([ramp(n)])
    assert (as_floats(kept.await_result()[0]) == 2 * ramp(500)).all()


def test_times(backend: Backend) -> None:
    result = backend.compile(scale).dispatch([ramp(1000)], wait=False, timed=True).await_timed_result()
    assert (as_floats(result.outputs[0]) == 2 * ramp(1000)).all()
    assert result.wall_ns >= result.enqueue_ns > 0
    assert result.device_ns is not None
    counts = backend.telemetry_snapshot()
    assert (counts["timed_dispatches"], counts["timed_device_measurements"]) == (1, 1)
    assert counts["timed_wall_ns_total"] == result.wall_ns
    assert counts["timed_device_ns_max"] == result.device_ns


def test_a_batch_keeps_its_order_whatever_the_shapes(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    batch = [[ramp(n, start)] for start, n in enumerate((4, 9, 4, 4, 9, 4, 300, 4))]
    for outputs, inputs in zip(pipeline.dispatch(batch, batch=True), batch):
        assert (as_floats(outputs[0]) == 2 * inputs[0]).all()
    assert pipeline.dispatch([], batch=True) == []


def test_recorded_graphs(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    with pipeline.record([100]) as replay:
        assert (as_floats(replay([ramp(100)])[0]) == 2 * ramp(100)).all()
        assert (as_floats(replay.again()[0]) == 2 * ramp(100)).all()
        assert (as_floats(replay([ramp(100, 3)])[0]) == 2 * ramp(100, 3)).all()
        assert replay.try_begin([ramp(100)])
        assert not replay.try_begin([ramp(100)])
        assert (as_floats(replay.finish()[0]) == 2 * ramp(100)).all()
        with pytest.raises(InvalidProgramError, match="received 40 bytes, this shape was recorded for 400"):
            replay([ramp(10)])
        with pytest.raises(InvalidProgramError, match="takes 1 inputs but received 2"):
            replay([ramp(100), ramp(100)])
    assert not replay.try_begin([ramp(100)])
    with pytest.raises(BackendError, match="is closed"):
        replay([ramp(100)])


def test_a_program_that_changes_its_inputs_is_not_replayed_on_them(backend: Backend) -> None:
    with backend.compile(step).record([2]) as replay:
        assert as_words(replay([words(0, 1)])[0]) == [1, 3]
        with pytest.raises(InvalidProgramError, match="changes its inputs"):
            replay.again()
    with backend.compile(scale).record([2]) as fresh, pytest.raises(InvalidProgramError, match="no inputs"):
        fresh.again()


def test_threads_share_a_pipeline(backend: Backend) -> None:
    pipeline, wrong = backend.compile(scale), []

    def work(start: int) -> None:
        for n in range(20):
            (y,) = pipeline.dispatch([ramp(64, start + n)])
            if not (as_floats(y) == 2 * ramp(64, start + n)).all():
                wrong.append((start, n))

    threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_with_more_shapes_than_are_kept(backend: Backend) -> None:
    pipeline, wrong = backend.compile(scale), []

    def work(start: int) -> None:
        for n in range(60):
            x = ramp(1 + (n * 7 + start) % 40, n)
            out = np.zeros_like(x)
            pipeline.dispatch([x], [out])
            if not (out == 2 * x).all():
                wrong.append((start, n))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(pipeline._shapes) == 32


# --- resident buffers -------------------------------------------------------------------------------------------------


def test_resident_dispatch(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    x, y = backend.upload_resident(ramp(100)), backend.allocate_resident(400)
    for start in range(3):
        backend.resident.upload(x, ramp(100, start))
        pipeline.dispatch([x], [y])
        assert (as_floats(backend.download(y)) == 2 * ramp(100, start)).all()
    with pytest.raises(
        InvalidProgramError,
        match=r"^CUDA resident dispatch expected 2 resident buffer handle\(s\) but received 1\. Fix: ",
    ):
        pipeline.dispatch([x], [])
    small = backend.allocate_resident(8)
    with pytest.raises(InvalidProgramError, match="output 'y' needs 400 bytes"):
        pipeline.dispatch([x], [small])


def test_rows_of_resident_buffers(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    inputs = [[backend.upload_resident(ramp(n, n))] for n in (3, 5, 3)]
    outs = [[backend.allocate_resident(n, f32)] for n in (3, 5, 3)]
    assert pipeline.dispatch(inputs, outs, batch=True) == outs
    assert [backend.download(y).tolist() for (y,) in outs] == [(2 * ramp(n, n)).tolist() for n in (3, 5, 3)]
    before = backend.telemetry_snapshot()["kernel_launches"]
    assert before == 3
    with pytest.raises(InvalidProgramError, match="expected 2 resident buffer handle"):
        pipeline.dispatch(inputs[:2], [outs[0], []], batch=True)
    assert backend.telemetry_snapshot()["kernel_launches"] == before
    many = [backend.allocate_resident(n, f32) for n in range(1, 41)]
    rows = [[backend.upload_resident(ramp(n))] for n in range(1, 41)]
    pipeline.dispatch(rows, [[y] for y in many], batch=True)  # more shapes than a pipeline keeps
    assert all((backend.download(y) == 2 * ramp(y.byte_len // 4)).all() for y in many)


def test_a_freed_buffer_is_not_dispatched(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    x, y = backend.upload_resident(ramp(100)), backend.allocate_resident(400)
    pipeline.dispatch([x], [y])
    backend.synchronize()
    backend.free_resident(y)
    with pytest.raises(InvalidProgramError, match="was freed"):
        pipeline.dispatch([x], [y])


def test_a_bound_dispatch(backend: Backend) -> None:
    pipeline = backend.compile(step)
    x = backend.upload_resident(words(0, 1))
    with pipeline.bind([x]) as dispatch:
        dispatch()
        dispatch.batch(3)
        assert as_words(backend.download(x)) == [15, 31]
        assert dispatch.timed() is not None
        assert as_words(backend.download(x)) == [31, 63]
        with pytest.raises(InvalidProgramError, match=r"is in flight. Fix: wait"):
            backend.free_resident(x)
        with pytest.raises(InvalidProgramError, match="1 resident buffers are in flight"):
            backend.resident.clear()
        with pytest.raises(InvalidProgramError, match="a batch of 0"):
            dispatch.batch(0)
    backend.free_resident(x)
    with pytest.raises(BackendError, match="is closed"):
        dispatch()


# --- cooperative ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", [False, True])
def test_a_barrier_of_the_whole_grid(backend: Backend, graph: bool) -> None:
    pipeline = backend.compile(ranks, DispatchConfig(cooperative=True, element_count=256, graph=graph))
    for first in (1, 2):
        x = np.full(256, first, np.uint32)
        seen, total = pipeline.dispatch([x])
        assert as_words(total) == [3 * 256 * first]
        assert set(as_words(seen)) == {(1 + 2 + 3) * 256 * first}


def test_a_program_that_waits_for_the_grid_says_so(backend: Backend) -> None:
    with pytest.raises(ValidationError, match=r"waits for the whole grid. Fix: compile it with .*cooperative=True"):
        backend.compile(ranks, DispatchConfig(element_count=64)).dispatch([words(*range(64))])


def test_a_grid_that_is_not_resident_at_once(backend: Backend) -> None:
    pipeline = backend.compile(ranks, DispatchConfig(cooperative=True))
    with pytest.raises(CooperativeResidencyError, match="Fix: launch at most that many CTAs") as caught:
        pipeline.dispatch([bytes(4 * 64 * 100_000)])
    assert caught.value.blocks == 100_000
    assert caught.value.variant == "CooperativeResidencyExceeded"


# --- its end ----------------------------------------------------------------------------------------------------------


def test_a_pipeline_works_after_a_cleanup(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    for _ in range(2):
        for _ in range(3):
            assert as_floats(pipeline.dispatch([floats(4)])[0]) == [8]
        backend.cleanup()
        assert backend.cached_module_count == 0
        assert backend.cached_transient_allocation_bytes == 0
        assert backend.cached_launch_resource_counts() == (0, 0)
    pipeline.close()
    with pytest.raises(BackendError, match="closed"):
        pipeline.dispatch([floats(4)])


def test_a_pipeline_keeps_32_shapes(backend: Backend) -> None:
    pipeline = backend.compile(scale, DIRECT)
    for n in range(1, 40):
        pipeline.dispatch([ramp(n)])
    assert len(pipeline._shapes) == 32


def test_wrong_inputs(backend: Backend) -> None:
    pipeline = backend.compile(blend)
    for inputs, what in [
        ([ramp(4)], "takes 2 inputs but received 1"),
        ([ramp(4), floats(1, 2, 3)], "uniform 'weights' received 12 bytes, not 8 bytes"),
        ([bytes(5), floats(1, 2)], "input 'a' received 5 bytes, not a multiple of 4"),
        ([3, floats(1, 2)], "int is not contiguous host memory"),
    ]:
        with pytest.raises(InvalidProgramError, match=f"{what}.*Fix: "):
            pipeline.dispatch(inputs)


def test_what_is_no_program_is_not_compiled(backend: Backend) -> None:
    with pytest.raises(ValidationError, match="decorate the kernel function"):
        backend.compile(len)  # type: ignore[arg-type]


def test_a_backend_says_which_device_it_is_of(backend: Backend) -> None:
    """In errors and in ids, on the CPU device too."""
    assert backend.capabilities.device == backend.name == backend.device.name
    assert backend.compile(scale).id.partition(":")[0] == backend.device.kind
    with pytest.raises(UnsupportedFeatureError, match=f"{backend.name} does not support"):
        backend.compile(scale, DispatchConfig(speculation="force"))
