"""Workgroups that programs leave open: who may, which is chosen, and what measuring remembers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import ptxgen as px
from driver_ctypes.errors import CacheWarning
from ptxgen import f32, ptr, u32
from ptxgen.runtime import Backend, DispatchConfig, Params, inout, persistent, program, shared
from ptxgen.runtime.code.disk import TunedStore
from ptxgen.runtime.errors import InvalidProgramError, ValidationError
from ptxgen.runtime.programs.plans import plan_dispatch
from ptxgen.runtime.programs.workgroups import SIZES, candidates, choose
from tests.ptxgen.runtime.samples import as_floats, as_words, open_scale, ramp, scale, words
from tests.ptxgen.runtime.test_plans import CAPS

if TYPE_CHECKING:
    from pathlib import Path


def by_registers(registers: int) -> Any:
    """Resident CTAs of a kernel with so many registers a thread, on a multiprocessor of 65,536 and 2,048 threads."""
    return lambda size: min(32, 2048 // size, 65536 // (registers * size))


# --- the model --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "elements, registers, size",
    [
        (1, 16, 32),  # one warp is enough
        (256, 16, 32),  # over eight multiprocessors rather than one
        (132 * 256, 16, 256),  # a CTA each
        (132 * 64, 16, 64),
        (1 << 22, 16, 512),  # full occupancy, and balance within a few percent
        (1 << 22, 72, 128),  # 7 CTAs of 128 are 896 threads, 3 of 256 are 768
        (1 << 22, 128, 512),
        (1 << 22, 255, 256),
    ],
)
def test_what_the_model_chooses(elements: int, registers: int, size: int) -> None:
    assert choose(CAPS, elements, by_registers(registers)) == size


def test_it_chooses_the_same_every_time() -> None:
    for elements in (1, 1000, 12345, 1 << 20):
        assert len({choose(CAPS, elements, by_registers(40)) for _ in range(5)}) == 1


def test_it_never_chooses_what_does_not_fit() -> None:
    small = CAPS._replace(max_threads_per_block=256, max_block_dim=(128, 1, 1))
    assert set(candidates(small, by_registers(16))) == {32, 64, 128}
    assert choose(CAPS, 1 << 20, lambda size: int(size == 1024)) == 1024
    with pytest.raises(ValidationError, match=r"no workgroup fits a multiprocessor. Fix: use fewer registers"):
        choose(CAPS, 1, lambda _: 0)


def test_override_then_declared_then_tuner() -> None:
    def workgroup(made: Any, **config: Any) -> tuple[int, int, int]:
        plan = plan_dispatch(made, DispatchConfig(**config), CAPS, [400], lambda elements: 512)
        return plan.launch.workgroup

    assert workgroup(scale, workgroup=(64, 1, 1)) == (64, 1, 1)
    assert workgroup(scale) == (128, 1, 1)
    assert workgroup(open_scale) == (512, 1, 1)
    assert workgroup(open_scale, workgroup=(96, 1, 1)) == (96, 1, 1)
    assert plan_dispatch(open_scale, DispatchConfig(), CAPS, [400]).launch.workgroup == (32, 1, 1)


@pytest.mark.parametrize(
    "made, config, says",
    [
        (open_scale, {"grid": (2, 1, 1)}, r"a grid of \(2, 1, 1\) and no workgroup. Fix: pass DispatchConfig"),
        (open_scale, {"workgroup": (8, 8, 1)}, "that know their index in x alone"),
        (scale, {"tune": True}, "there is nothing to tune"),
        (open_scale, {"tune": True, "workgroup": (64, 1, 1)}, "there is nothing to tune"),
    ],
)
def test_what_is_refused(made: Any, config: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidProgramError, match=says):
        plan_dispatch(made, DispatchConfig(**config), CAPS, [400])


# --- who may leave it open --------------------------------------------------------------------------------------------

X = Annotated[ptr[f32], inout()]


def tid(k: px.Builder, x: X, params: Params) -> None:
    x[k.tid.x] = 1.0


def tid_and_index(k: px.Builder, x: X, params: Params) -> None:
    i = k.global_id.x
    with k.if_(i < params.element_count):
        x[i] = (k.tid.x & 3).to(f32)


def stride(k: px.Builder, x: X, params: Params) -> None:
    i = k.global_id.x + k.nctaid.x * k.ntid.x
    with k.if_(i < params.element_count):
        x[i] = 1.0


def lanes(k: px.Builder, x: X, params: Params) -> None:
    x[k.global_id.x] = k.lane.to(f32)


def shuffle(k: px.Builder, x: X, params: Params) -> None:
    i = k.global_id.x
    x[i] = k.shfl_xor(x[i], 1)


def barrier(k: px.Builder, x: X, params: Params) -> None:
    k.barrier()
    x[k.global_id.x] = 1.0


def tile(k: px.Builder, x: X, t: Annotated[ptr[f32], shared(8)], params: Params) -> None:
    t[0] = x[k.global_id.x]


def second_axis(k: px.Builder, x: X, params: Params) -> None:
    x[k.global_id.y] = 1.0


def counts_nothing(k: px.Builder, x: X) -> None:
    x[k.global_id.x] = 1.0


@px.func
def helper(k: px.Builder, v: u32) -> u32:
    return v + k.tid.x


def in_a_function(k: px.Builder, x: X, params: Params) -> None:
    x[helper(k.global_id.x)] = 1.0


@pytest.mark.parametrize(
    "function, why",
    [
        (tid, r"uses %tid.x beside the global index at .*test_workgroups.py:\d+"),
        (tid_and_index, "uses %tid.x beside"),
        (stride, "reads %nctaid.x"),
        (lanes, "reads %laneid"),
        (shuffle, "threads work together .shfl"),
        (barrier, "threads work together .bar"),
        (tile, "has shared memory"),
        (second_axis, r"reads %(tid|ntid|ctaid).y"),
        (counts_nothing, "takes no Params"),
        (in_a_function, "uses %tid.x beside"),
    ],
)
def test_a_program_that_knows_its_workgroup_declares_it(function: Any, why: str) -> None:
    with pytest.raises(ValidationError, match=rf"leaves its workgroup open, but .*{why}(?s:.*)Fix: declare it"):
        program(function).ptx("sm_90a")
    program(workgroup=64)(function).ptx("sm_90a")


# --- on the device ----------------------------------------------------------------------------------------------------


def test_an_open_workgroup_follows_the_number_of_elements(backend: Backend) -> None:
    pipeline = backend.compile(open_scale)
    sizes = set()
    for n in (1, 100, 1 << 16, 1 << 18):
        (y,) = pipeline.dispatch([ramp(n)])
        assert (as_floats(y) == 2 * ramp(n)).all()
        sizes.add(pipeline.plan([n]).launch.workgroup[0])
    assert len(sizes) > 1
    assert sizes <= set(SIZES)


def test_a_kernel_with_bounded_threads_is_not_launched_with_more(backend: Backend) -> None:
    pipeline = backend.compile(open_scale)
    pipeline.tuner.resident = lambda size: 2048 // size if size <= 64 else 0  # type: ignore[method-assign]
    assert pipeline.plan([1 << 20]).launch.workgroup == (64, 1, 1)


@pytest.fixture
def tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PTXGEN_TUNED_CACHE_DIR", str(tmp_path / "tuned"))
    return tmp_path / "tuned"


TUNE = DispatchConfig(tune=True)


@pytest.mark.parametrize("graph", [False, True])
def test_measuring_changes_no_result_and_is_done_once_a_class(tuned: Path, backend: Backend, graph: bool) -> None:
    pipeline = backend.compile(open_scale, TUNE._replace(graph=graph))
    for n in (1000, 1000, 1001, 513):  # one class
        (y,) = pipeline.dispatch([ramp(n)])
        assert (as_floats(y) == 2 * ramp(n)).all()
    once = backend.telemetry_snapshot()["tuning_launches"]
    sizes = len(candidates(backend.capabilities, pipeline.tuner.resident))
    assert 6 * sizes <= once <= (1 + 5 * 32) * sizes  # one that is not counted, and five of up to 32 at once
    pipeline.dispatch([ramp(2000)])  # another one
    assert backend.telemetry_snapshot()["tuning_launches"] >= once + 6 * sizes
    assert len(list(tuned.rglob("*.tuned"))) == 2


def test_short_dispatches_are_measured_several_at_a_time(backend: Backend) -> None:
    @program
    def add_one(k: px.Builder, x: Annotated[ptr[u32], inout()], params: Params) -> None:
        i = k.global_id.x
        with k.if_(i < params.element_count):
            x[i] = x[i] + 1

    at_once = backend.compile(open_scale, TUNE).tuner._at_once
    assert [at_once(ns) for ns in (0, 1000, 50_000, 150_000, 1e9)] == [32, 32, 4, 1, 1]
    assert backend.compile(add_one, TUNE).tuner._at_once(1000) == 1  # it would find other data


def test_the_winner_is_the_fastest(tuned: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    times = dict.fromkeys(SIZES, 100.0) | {512: 50.0}
    monkeypatch.setattr(
        "ptxgen.runtime.dispatch.tuning.WorkgroupTuner._time",
        lambda self, shapes, fill: {size: times[size] for size in shapes},
    )
    pipeline = backend.compile(open_scale, TUNE)
    pipeline.dispatch([ramp(1000)])
    assert pipeline.plan([1000]).launch.workgroup == (512, 1, 1)
    times[512] = 98.0  # not clearly better than what the model chooses
    pipeline.dispatch([ramp(3000)])
    assert pipeline.plan([3000]).launch.workgroup == backend.compile(open_scale).plan([3000]).launch.workgroup


def test_another_backend_finds_the_winner_on_disk(tuned: Path, backend: Backend, device_name: str) -> None:
    backend.compile(open_scale, TUNE).dispatch([ramp(1000)])
    (path,) = tuned.rglob("*.tuned")
    key = path.parent.name + path.stem
    store = TunedStore(tuned)
    found = store.get(key)
    assert found is not None
    assert json.loads(found.image)["workgroup"] in SIZES
    store.put(key, b'{"workgroup": 1024}')
    with Backend.acquire(device_name) as second:
        pipeline = second.compile(open_scale, TUNE)
        pipeline.dispatch([ramp(1000)])
        assert second.telemetry_snapshot()["tuning_launches"] == 0
        assert pipeline.plan([1000]).launch.workgroup == (1024, 1, 1)
        assert second.compile(open_scale).plan([1000]).launch.workgroup != (1024, 1, 1)  # it did not ask
    path.write_bytes(path.read_bytes().replace(b"1024", b"7777"))
    with Backend.acquire(device_name) as third, pytest.warns(CacheWarning, match=f"{path} was damaged"):
        third.compile(open_scale, TUNE).dispatch([ramp(1000)])


def test_resident_buffers_are_measured_on_copies(tuned: Path, backend: Backend) -> None:
    @program
    def double(
        k: px.Builder, x: Annotated[ptr[u32], inout()], runs: Annotated[ptr[u32], persistent(1)], params: Params
    ) -> None:
        i = k.global_id.x
        with k.if_(i < params.element_count):
            x[i] = x[i] * 2
            k.atomic_add(runs, 0, 1)

    pipeline = backend.compile(double, TUNE)
    x = backend.upload_resident(words(1, 2, 3))
    pipeline.dispatch([x], [])
    assert as_words(backend.download(x)) == [2, 4, 6]
    assert as_words(pipeline.state.read("runs")) == [3]
    assert backend.telemetry_snapshot()["tuning_launches"] > 0


def test_the_environment_asks_for_measuring(
    tuned: Path, device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTXGEN_AUTOTUNER", "1")
    monkeypatch.setenv("PTXGEN_PTX_SOURCE_CACHE_DIR", str(tmp_path / "ptx"))
    with Backend.acquire(device_name) as backend:
        backend.compile(scale).dispatch([ramp(10)])  # its workgroup is declared
        assert backend.telemetry_snapshot()["tuning_launches"] == 0
        backend.compile(open_scale).dispatch([ramp(10)])
        assert backend.telemetry_snapshot()["tuning_launches"] > 0
        before = backend.telemetry_snapshot()["tuning_launches"]
        backend.compile(open_scale, DispatchConfig(tune=False)).dispatch([ramp(10000)])
        assert backend.telemetry_snapshot()["tuning_launches"] == before
