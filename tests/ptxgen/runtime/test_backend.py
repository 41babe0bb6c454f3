"""Acquiring a backend, its counters as text, its errors, and its end."""

from __future__ import annotations

import re
from typing import Annotated

import pytest

import ptxgen as px
from driver_ctypes.caches.code import DEFAULT_LIMIT
from driver_ctypes.errors import ContextLostError, CudaError, JitError, LaunchConfigError, OutOfMemoryError
from ptxgen.runtime import Backend, Params, errors, inout, program
from ptxgen.runtime.code import compiler
from ptxgen.runtime.code.caches import ValidationCache
from ptxgen.runtime.dispatch import graphs
from ptxgen.runtime.dispatch.outputs import OutputCache
from ptxgen.runtime.memory import leases, pools
from ptxgen.runtime.telemetry import COUNTERS, MOST, Telemetry, of_launches
from tests.ptxgen.runtime.samples import floats, ramp, scale


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXGEN_PTX_SOURCE_CACHE_DIR", str(tmp_path))


def test_by_ordinal_by_name_and_by_device(device_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXGEN_DEVICE", device_name)
    for which in (None, 0, device_name, f"{device_name}:0", px.device(device_name)):
        with Backend.acquire(which) as backend:
            assert backend.name == f"{device_name}:0"
            assert backend.capabilities.ordinal == 0
    with pytest.raises(errors.BackendError, match=r"no device .*Fix: ptxgen info"):
        Backend.acquire(99)


def test_a_closed_backend(device_name: str) -> None:
    backend = Backend.acquire(device_name)
    pipeline = backend.compile(scale)
    backend.close()
    backend.close()
    for use in (lambda: backend.compile(scale), backend.warm_up, lambda: backend.allocate_resident(4)):
        with pytest.raises(errors.BackendError, match=r"the backend of .* is closed. Fix: acquire it anew"):
            use()
    with pytest.raises(errors.BackendError, match="closed"):
        pipeline.dispatch([floats(1)])


@pytest.mark.cpu_only  # on a GPU a fault ends the process's use of the device
def test_a_fault_loses_the_device_and_says_so(device_name: str) -> None:
    device = px.device(device_name)
    backend = Backend.acquire(device)
    try:
        pipeline = backend.compile(scale)
        x = backend.allocate_resident(4096)
        pipeline.dispatch([x], [x])
        backend.synchronize()
        bound = pipeline._handles._launches[x, None, x]
        bound.arguments = (1 << 60, 1 << 60, bound.arguments[-1])  # addresses that nobody has
        pipeline.dispatch([x], [x])
        lost = r"the device's context is lost.*Fix: "
        with pytest.raises(errors.DeviceLostError, match=f"(?s)waiting for dispatches: {lost}") as caught:
            backend.synchronize()
        assert caught.value.variant == "DeviceLost"
        for use in (lambda: pipeline.dispatch([ramp(4)]), lambda: backend.allocate_resident(8), backend.cleanup):
            with pytest.raises(errors.DeviceLostError, match=f"(?s){lost}"):
                use()
        with pytest.raises(errors.DeviceLostError):
            pipeline.dispatch([x], [x])
        backend.close()
    finally:
        device.reset()


@program(workgroup=32)
def checked(k: px.Builder, x: Annotated[px.ptr[px.f32], inout()], params: Params) -> None:
    i = k.global_id.x
    with k.if_(i < params.element_count):
        k.check(x[i] < 3.0, "x[{}] is {}", i, x[i])
        x[i] = 7.0


@pytest.mark.cpu_only
def test_a_check_that_fails_is_the_cause(device_name: str) -> None:
    device = px.device(device_name)
    backend = Backend.acquire(device)
    try:
        pipeline = backend.compile(checked)
        with pytest.raises(errors.DeviceLostError, match=r"check failed: x\[3\] is 3") as caught:
            pipeline.dispatch([ramp(8)])
        assert isinstance(caught.value.__cause__, px.CheckFailedError)
        backend.close()
    finally:
        device.reset()


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "driver, kind, variant",
    [
        (OutOfMemoryError("full", code=2), errors.DeviceMemoryError, "DeviceOutOfMemory"),
        (ContextLostError("gone", first=CudaError("x")), errors.DeviceLostError, "DeviceLost"),
        (JitError("bad ptx"), errors.KernelCompileError, "KernelCompileFailed"),
        (CudaError("refused", code=400), errors.DispatchError, "DispatchFailed"),
        (LaunchConfigError("too large"), errors.DispatchError, "DispatchFailed"),
    ],
)
def test_what_the_driver_raises(driver: Exception, kind: type[errors.BackendError], variant: str) -> None:
    with pytest.raises(kind) as caught, errors.translated("testing", "cpu:0"):
        raise driver
    assert caught.value.variant == variant
    assert caught.value.__cause__ is driver
    assert re.fullmatch(r"(?s).+\. Fix: .+\.", str(caught.value))
    assert caught.value.fix


def test_every_variant_has_its_class() -> None:
    classes = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
    assert sorted(each.variant for each in classes) == [
        "CooperativeResidencyExceeded", "DeviceLost", "DeviceOutOfMemory", "DispatchFailed", "InvalidProgram",
        "KernelCompileFailed", "Other", "PoisonedLock", "UnsupportedFeature", "Validation",
    ]  # fmt: skip


def test_a_replay_that_nobody_finishes(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxgen.runtime.dispatch.replay.PATIENCE", 0.01)
    with backend.compile(scale).record([1]) as replay:
        replay.try_begin([floats(1)])
        with pytest.raises(errors.PoisonedLockError, match=r"has been under way for .*Fix: find the thread"):
            replay([floats(1)])
        replay.finish()


# --- telemetry --------------------------------------------------------------------------------------------------------


def test_counters_of_a_dispatch(backend: Backend) -> None:
    backend.compile(scale).dispatch([ramp(100)])
    counts = backend.telemetry_snapshot()
    assert counts["kernel_launches"] == 1
    assert (counts["launched_elements"], counts["scheduled_thread_slots"], counts["wasted_thread_slots"]) == (
        100,
        128,
        28,
    )
    assert (counts["param_upload_bytes"], counts["readback_bytes"]) == (12, 400)
    assert counts.logical_thread_utilization_bps == 10_000 * 100 // 128
    assert counts.logical_thread_waste_bps == 10_000 * 28 // 128
    assert counts.logical_elements_per_thread_slot_bps == 7812
    assert counts["occupancy_measured_launches"] == 1
    backend.reset_telemetry()
    assert set(backend.telemetry_snapshot().counters.values()) == {0}
    assert backend.telemetry_snapshot().logical_thread_utilization_bps == 0
    assert backend.cached_module_count == 1


OF_THE_REFERENCE = """
    host_to_device_bytes device_to_host_bytes readback_bytes transient_allocation_bytes_requested
    resident_allocation_bytes_requested param_upload_bytes kernel_launches cuda_graph_launches
    cuda_graph_materialized_cache_hits cuda_graph_batched_replay_chunks cuda_graph_batched_replay_lanes sync_points
    host_upload_operations device_readback_operations timed_dispatches timed_device_measurements
    timed_dispatches_missing_device_time timed_wall_ns_total timed_device_ns_total timed_device_ns_max
    timed_enqueue_ns_total timed_wait_ns_total scheduled_thread_slots scheduled_thread_slot_overflows
    telemetry_counter_overflows resident_borrowed_fallback_dispatches launched_elements wasted_thread_slots
    device_pool_hits device_pool_misses launch_occupancy_bps_sum occupancy_measured_launches occupancy_unmeasured_launches
""".split()


def test_every_counter_of_the_reference_is_there_without_its_prefix() -> None:
    names = [name.removeprefix("cuda_") for name in OF_THE_REFERENCE]
    assert set(COUNTERS) - set(names) == {"graph_kernel_launches", "tuning_launches"}
    assert set(names) <= set(COUNTERS)
    snapshot = Telemetry().snapshot()
    for derived in ("utilization_bps", "waste_bps"):
        assert getattr(snapshot, f"logical_thread_{derived}") == 0
    assert snapshot.logical_elements_per_thread_slot_bps == 0


def test_the_limits_of_the_reference() -> None:
    assert (leases.CAPACITY, pools.DEVICE_BUDGET, pools.PINNED_BUDGET) == (128, 256 << 20, 128 << 20)
    assert (compiler.SOURCES, compiler.SOURCES_KEPT, compiler.SOURCE_BYTES) == (512, 256, 256 << 20)
    assert (compiler.MODULES, compiler.MODULES_KEPT) == (2048, 1024)
    assert (OutputCache.MOST, OutputCache.MOST_BYTES, graphs.MOST_GRAPHS) == (32, 8 << 20, 32)
    assert (ValidationCache().most, DEFAULT_LIMIT) == (8192, 1 << 30)


def test_accessors_of_a_backend(backend: Backend) -> None:
    backend.compile(scale).dispatch([ramp(1000)])
    assert backend.cached_module_count == 1
    assert backend.pipeline_cache_snapshot().entries == backend.ptx_source_cache_snapshot().entries == 1
    assert backend.cached_transient_allocation_bytes == backend.allocated_transient_allocation_bytes == 8192
    assert backend.cached_launch_resource_counts() == (1, 0)
    assert backend.cached_launch_resource_counts_detailed() == (1, 0, 0, 0)
    assert backend.ptx_disk_cache_dir().name == "ptx-cache"


def test_occupancy_is_counted_with_each_launch(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = backend.compile(scale)
    for _ in range(3):
        pipeline.dispatch([ramp(100)])
    counts = backend.telemetry_snapshot()
    assert counts["occupancy_measured_launches"] == 3
    assert counts["launch_occupancy_bps_sum"] % 3 == 0
    assert 0 < counts["launch_occupancy_bps_sum"] <= 30_000
    monkeypatch.setattr(type(backend.compiler), "resident_blocks", lambda *_: None)
    pipeline.dispatch([ramp(200)])
    assert backend.telemetry_snapshot()["occupancy_unmeasured_launches"] == 1


def test_the_text_that_prometheus_reads(backend: Backend) -> None:
    backend.compile(scale).dispatch([ramp(100)])
    text = backend.prometheus()
    assert f'ptxgen_cuda_kernel_launches{{device="{backend.name}"}} 1\n' in text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) == len(COUNTERS) + 3
    for line in lines:
        assert re.fullmatch(r'ptxgen_cuda_\w+\{device="\w+:\d"\} \d+', line)
    assert text.count("# TYPE") == text.count("# HELP") == len(lines)


def test_labels_are_escaped() -> None:
    assert r'{a="\"\\\n"} 0' in Telemetry().snapshot().prometheus(a='"\\\n')


def test_counters_stay_within_64_bits() -> None:
    telemetry = Telemetry()
    telemetry.add(kernel_launches=MOST + 5)
    telemetry.tally(of_launches("graph_kernel_launches", 1, 1, MOST + 1)).launches += 1
    found = telemetry.snapshot()
    assert found["kernel_launches"] == MOST
    assert found["scheduled_thread_slot_overflows"] == 1
    assert found["telemetry_counter_overflows"] == 2


def test_everything_at_once(backend: Backend) -> None:
    backend.compile(scale).dispatch([ramp(10)])
    kept = backend.upload_resident(ramp(10))
    found = backend.observability_snapshot()
    assert (found.resident_buffers, found.resident_bytes) == (1, 40)
    assert found.modules.entries == found.sources.entries == 1
    assert found.device_pool.cached_bytes == backend.cached_transient_allocation_bytes > 0
    assert found.resources == backend.cached_launch_resource_counts_detailed()
    assert kept.byte_len == 40


def test_a_snapshot_is_a_mapping(backend: Backend) -> None:
    backend.compile(scale).dispatch([ramp(10)])
    found = backend.telemetry_snapshot()
    assert dict(found.items()) == found.counters == dict(found)
    assert list(found) == list(found.keys()) == list(COUNTERS)
    assert ("kernel_launches" in found, "nothing" in found, found.get("nothing"), len(found)) == (
        True,
        False,
        None,
        len(COUNTERS),
    )
