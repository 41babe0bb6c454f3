"""Programs joined by a fusion plan: the same bits as the programs alone, and what the plan says they save."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, ptr, s32
from ptxgen.errors import BuildError
from ptxgen.runtime import Backend, DispatchConfig, FusedPipeline, Params, Row, fuse, inout, input_, output, program
from ptxgen.runtime.errors import InvalidProgramError, ValidationError
from ptxgen.runtime.fusion.planner import StageOverBudgetError
from tests.ptxgen.runtime.samples import as_floats, ramp, raw

Floats = Annotated[ptr[f32], input_()]
Out = Annotated[ptr[f32], output(like="x")]


@program
def scale(k: px.Builder, x: Floats, y: Out, row: Row, *, factor: float = 1.7) -> None:
    row.store(y, [value * factor for value in row.load(x)])


@program
def shift(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    row.store(y, [value + 0.3 for value in row.load(x)])


@program
def curve(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    row.store(y, [k.fma(value, value, value) / (value * value + 1.0) for value in row.load(x)])


@program
def halve(k: px.Builder, x: Floats, y: Annotated[ptr[f16], output(like="x")], row: Row) -> None:
    row.store(y, [value.to(f16) for value in row.load(x)])


@program
def widen(k: px.Builder, x: Annotated[ptr[f16], input_()], y: Out, row: Row) -> None:
    row.store(y, [value.to(f32) for value in row.load(x)])


@program
def center(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    values = row.load(x)
    top = row.reduce("max", values)
    row.store(y, [value - top for value in values])


@program
def normalise(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    values = row.load(x)
    total = row.reduce("sum", [value * value for value in values])
    row.store(y, [value * k.rsqrt(total + 1e-6) for value in values])


@program
def quantise(k: px.Builder, x: Floats, y: Annotated[ptr[s32], output(like="x")], row: Row) -> None:
    row.store(y, [(value * 127.0).to(s32) for value in row.load(x)])


@program
def add(k: px.Builder, x: Floats, other: Annotated[ptr[f32], input_()], y: Out, row: Row) -> None:
    row.store(y, [a + b for a, b in zip(row.load(x), row.load(other))])


@program
def weigh(
    k: px.Builder, x: Floats, gamma: Annotated[ptr[f32], input_()], y: Out, sums: Annotated[ptr[f32], output(like="x")],
    params: Params, row: Row,
) -> None:  # fmt: skip
    """y = x * gamma of its column; sums = x + the lengths of all."""
    values = row.load(x)
    lengths = (params.length("x") + params.length("y") + params.element_count).to(f32)
    row.store(sums, [value + lengths for value in values])
    row.store(y, [a * b for a, b in zip(values, row.load_columns(gamma))])


FLAT = [scale, shift, curve]
ROWS = [shift, center, halve, widen, normalise, quantise]


def rows_of(columns: int) -> list[Any]:
    return [each.in_rows(columns) for each in ROWS]


def data(n: int) -> np.ndarray:
    return np.random.default_rng(n).standard_normal(n).astype(np.float32)


@pytest.mark.parametrize("n", [1, 2047, 2048, 5000])
def test_elementwise_programs_are_one_kernel_with_the_same_bits(backend: Backend, n: int) -> None:
    with FusedPipeline(backend, FLAT, n) as pipeline:
        assert pipeline.plan.launch_count == 1
        assert raw(pipeline.dispatch([data(n)])) == raw(pipeline.dispatch([data(n)], fused=False))


def test_the_result_is_right(backend: Backend) -> None:
    x = np.linspace(-3, 3, 1000, dtype=np.float32)
    (y,) = backend.compile(fuse(FLAT)).dispatch([x])
    v = x.astype(np.float64) * 1.7 + 0.3
    assert np.allclose(as_floats(y), (v * v + v) / (v * v + 1), rtol=1e-5, atol=1e-6)


def test_a_program_over_rows_is_a_program_alone(backend: Backend) -> None:
    x = data(300)
    (y,) = backend.compile(normalise.in_rows(100)).dispatch([x])
    rows = x.reshape(3, 100).astype(np.float64)
    assert np.allclose(as_floats(y).reshape(3, 100), rows / np.sqrt((rows**2).sum(1, keepdims=True)), rtol=1e-5)


@pytest.mark.parametrize("columns", [1, 31, 32, 100, 129, 1000, 4096])
def test_programs_that_reduce_over_rows_fuse_too(backend: Backend, columns: int) -> None:
    with FusedPipeline(backend, rows_of(columns), 3 * columns) as pipeline:
        assert pipeline.plan.launch_count == 1
        x = data(3 * columns)
        assert raw(pipeline.dispatch([x])) == raw(pipeline.dispatch([x], fused=False))


@pytest.mark.parametrize("budget", [10**9, 1000 * (4 + 4 + 4), 1000 * 8])
@pytest.mark.parametrize("host", [(), (1,), (3,)])
def test_what_is_saved_is_what_the_plan_says(backend: Backend, budget: int, host: tuple[int, ...]) -> None:
    """An avoided byte is one that is not written and not read again; launches are counted where they happen."""
    with FusedPipeline(backend, rows_of(100), 1000, budget_bytes=budget, host=host) as pipeline:
        plan, fused, unfused = pipeline.plan, pipeline.traffic(), pipeline.unfused_traffic()
        assert fused.launches == plan.launch_count
        assert unfused.launches - fused.launches == plan.avoided_launches
        assert unfused.bytes - fused.bytes == 2 * plan.avoided_intermediate_bytes
        found = []
        for how, traffic in ((True, fused), (False, unfused)):
            before = backend.telemetry_snapshot()["kernel_launches"]
            found.append(raw(pipeline.dispatch([data(1000)], fused=how)))
            assert backend.telemetry_snapshot()["kernel_launches"] - before == traffic.launches
        assert found[0] == found[1]


def test_what_the_host_looks_at_lies_in_memory(backend: Backend) -> None:
    x = data(100)
    with FusedPipeline(backend, FLAT, 100, host=(2,)) as pipeline:
        pipeline.dispatch([x])
        assert np.allclose(as_floats(pipeline.between(2)), x * np.float32(1.7) + np.float32(0.3), rtol=1e-6)
        with pytest.raises(InvalidProgramError, match=r"was not in memory in the last run. Fix: pass host=\(1,\)"):
            pipeline.between(1)
        pipeline.dispatch([x], fused=False)
        assert (as_floats(pipeline.between(1)) == x * np.float32(1.7)).all()


def test_other_bindings_of_joined_programs_are_bindings_of_the_whole(backend: Backend) -> None:
    joined = fuse([shift.in_rows(10), weigh.in_rows(10), add.in_rows(10)])
    assert [(b.name, b.role) for b in joined.bindings] == [
        ("x", "input"), ("gamma", "input"), ("sums", "output"), ("other", "input"), ("y", "output"),
    ]  # fmt: skip
    x, gamma, other = data(40), data(10), data(41)[:40]
    sums, y = backend.compile(joined).dispatch([x, gamma, other])
    shifted = x + np.float32(0.3)
    assert (as_floats(sums) == shifted + np.float32(120)).all()
    assert (as_floats(y) == (shifted.reshape(4, 10) * gamma).reshape(-1) + other).all()


def test_names_that_come_twice_get_their_programs_place(backend: Backend) -> None:
    joined = fuse([add, add, add])
    assert [b.name for b in joined.bindings] == ["x", "other", "other_1", "other_2", "y"]
    (y,) = backend.compile(joined).dispatch([ramp(5), ramp(5, 10), ramp(5, 20), ramp(5, 30)])
    assert (as_floats(y) == 4 * ramp(5) + 60).all()


def test_a_joined_program_joins_again(backend: Backend) -> None:
    whole, parts = fuse(FLAT), fuse([fuse(FLAT[:2]), FLAT[2]])
    assert [b.name for b in parts.bindings] == ["x", "y"]
    results = [raw(backend.compile(made).dispatch([data(77)])) for made in (whole, parts)]
    assert results[0] == results[1]
    assert fuse([scale]) is scale


def test_a_joined_program_is_known_by_its_parts() -> None:
    assert fuse(FLAT).key == fuse(FLAT).key
    assert fuse(FLAT).portable
    assert fuse(FLAT).key != fuse(FLAT[::-1]).key
    assert fuse([scale.using(factor=2.0), shift]).key != fuse([scale, shift]).key
    assert fuse(FLAT).name == "scale_shift_curve"


def test_resident_buffers_go_through_a_chain(backend: Backend) -> None:
    with FusedPipeline(backend, [shift, add], 100) as pipeline:
        x, other, y = (
            backend.upload_resident(ramp(100)),
            backend.upload_resident(ramp(100)),
            backend.allocate_resident(400),
        )
        assert [b.name for b in pipeline.handles] == ["x", "other", "y"]
        pipeline.dispatch([x, other], [y])
        assert (as_floats(backend.download(y)) == ramp(100) + np.float32(0.3) + ramp(100)).all()
        with pytest.raises(InvalidProgramError, match=r"expected 3 resident buffer handle\(s\) but received 1"):
            pipeline.dispatch([x], [])


def test_buffers_that_come_again_go_where_they_went(backend: Backend) -> None:
    def run(pipeline: FusedPipeline, x: Any, y: Any) -> Any:
        pipeline.dispatch([x], [y])
        return as_floats(backend.download(y))

    with FusedPipeline(backend, FLAT, 100, host=(1,)) as pipeline:
        one, other = (backend.upload_resident(ramp(100, start)) for start in (0, 7))
        y, z = backend.allocate_resident(400), backend.allocate_resident(400)
        first = run(pipeline, one, y)
        for _ in range(2):
            assert (run(pipeline, one, z) == first).all()
            assert not (run(pipeline, other, y) == first).all()
            assert (run(pipeline, one, y) == first).all()
        backend.free_resident(z)
        assert (run(pipeline, one, y) == first).all()
        with pytest.raises(InvalidProgramError):
            run(pipeline, one, z)
        backend.synchronize()
        backend.free_resident(next(iter(pipeline._last._between.values())))  # a cleanup would
        assert (run(pipeline, one, y) == first).all()


def test_programs_without_rows_are_launched_alone(backend: Backend) -> None:
    from tests.ptxgen.runtime.samples import scale as by_threads

    with FusedPipeline(backend, [shift, by_threads, by_threads, shift, scale], 100) as pipeline:
        assert [group.stage_ids for group in pipeline.plan.groups] == [(0,), (1,), (2,), (3, 4)]
        (y,) = pipeline.dispatch([ramp(100)])
        assert np.allclose(as_floats(y), ((ramp(100) + 0.3) * 4 + 0.3) * 1.7, rtol=1e-6)


def test_rows_of_other_lengths_are_other_layouts(backend: Backend) -> None:
    with FusedPipeline(backend, [shift.in_rows(10), center.in_rows(20), shift], 100) as pipeline:
        assert pipeline.plan.launch_count == 3
        pipeline.dispatch([ramp(100)])


def test_each_binding_has_the_length_of_its_data(backend: Backend) -> None:
    """Weights have one value for each column, and are no reason to leave a group."""
    chain = [shift.in_rows(10), weigh.in_rows(10), add.in_rows(10)]
    x, gamma, other = data(40), data(10), data(41)[:40]
    with FusedPipeline(backend, chain, budget_bytes=40 * 4 * 6 + 40) as pipeline:
        fused = raw(pipeline.dispatch([x, gamma, other]))
        assert pipeline.plan.launch_count == 1
        assert [stage.scratch_bytes for stage in pipeline.stages] == [0, 40 + 160, 160]
        assert fused == raw(pipeline.dispatch([x, gamma, other], fused=False))
        assert fused == raw(backend.compile(fuse(chain)).dispatch([x, gamma, other]))
        with pytest.raises(InvalidProgramError, match="'gamma' has 9 elements, the columns of a row are 10"):
            pipeline.dispatch([x, gamma[:9], other])
        with pytest.raises(InvalidProgramError, match="'other' has 39 elements, the rows of the launch have 40"):
            pipeline.dispatch([x, gamma, other[:39]])
        assert fused == raw(pipeline.dispatch([x, gamma, other]))


def test_each_dispatch_says_how_many_elements(backend: Backend) -> None:
    with FusedPipeline(backend, FLAT, host=(1,)) as pipeline:
        with pytest.raises(ValidationError, match=r"nothing was dispatched yet. Fix: pass n, or dispatch"):
            pipeline.traffic()
        alone = backend.compile(fuse(FLAT))
        for n in (100, 2049, 1, 100, 0):
            assert raw(pipeline.dispatch([data(n)])) == raw(alone.dispatch([data(n)]))
            if n:
                assert pipeline.plan.groups[0].required_bytes == 8 * n
                assert (as_floats(pipeline.between(1)) == data(n) * np.float32(1.7)).all()
        for n in (7, 300):
            x, y = backend.upload_resident(data(n)), backend.allocate_resident(4 * n)
            pipeline.dispatch([x], [y])
            assert [backend.download(y)] == raw(alone.dispatch([data(n)]))
        with pytest.raises(InvalidProgramError, match=r"'x' received 6 bytes. Fix: pass a multiple of 4 bytes"):
            pipeline.dispatch([b"123456"])


def test_sizes_that_come_no_more_are_forgotten(backend: Backend) -> None:
    with FusedPipeline(backend, FLAT, host=(1,)) as pipeline:
        for n in range(1, 40):
            pipeline.dispatch([data(n)])
        assert len(backend.resident) == 32 * 3


@program
def ones(k: px.Builder, y: Annotated[ptr[f32], output()], row: Row) -> None:
    row.store(y, [k.const(f32, 1.0)] * row.items)


def test_a_chain_without_an_input_is_told_how_many_elements(backend: Backend) -> None:
    with pytest.raises(ValidationError, match="program ones takes no input that says how many elements there are"):
        FusedPipeline(backend, [ones, shift])
    with FusedPipeline(backend, [ones, shift], 5) as pipeline:
        assert (as_floats(*pipeline.dispatch([])) == np.float32(1) + np.float32(0.3)).all()
    for wrong in (0, -1, 1 << 32, 2.0, True):
        with pytest.raises(ValidationError, match=r"elements. Fix: pass 1 to 4294967295, or leave n out"):
            FusedPipeline(backend, FLAT, wrong)


def test_it_gives_everything_back(backend: Backend) -> None:
    pipeline = FusedPipeline(backend, FLAT, 100, host=(1,))
    pipeline.dispatch([ramp(100)])
    assert len(backend.resident) == 3
    pipeline.close()
    pipeline.close()
    assert len(backend.resident) == 0
    with pytest.raises(px.Error, match="closed"):
        pipeline.dispatch([ramp(100)])


def test_it_works_after_a_cleanup_and_outlives_the_backend(backend: Backend, device_name: str) -> None:
    with FusedPipeline(backend, FLAT, 100, host=(1,)) as pipeline:
        first = raw(pipeline.dispatch([ramp(100)]))
        backend.cleanup()
        with pytest.raises(InvalidProgramError, match="was not in memory"):
            pipeline.between(1)
        assert raw(pipeline.dispatch([ramp(100)])) == first
    other = Backend.acquire(device_name)
    left = FusedPipeline(other, FLAT, 100)
    left.dispatch([ramp(100)])
    other.close()
    left.close()


# --- what is refused --------------------------------------------------------------------------------------------------


@program
def by_address(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    row.store(y, [x[k.tid.x] for _ in range(row.items)])


@program
def twice(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    for _ in range(2):
        row.store(y, row.load(x))


@program
def never(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    row.load(x)


@program
def too_few(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    row.store(y, row.load(x)[:1])


@program
def in_place(k: px.Builder, x: Annotated[ptr[f32], inout()], row: Row) -> None:
    row.store(x, row.load(x))


@pytest.mark.parametrize(
    "programs, error, says",
    [
        ([], ValidationError, "a chain of no programs"),
        ([shift, center], BuildError, "a reduction over a tile of a flat array"),
        ([shift, shift.in_rows(10)], ValidationError, "shift has rows of 10, shift tiles of a flat array"),
        ([halve, shift], ValidationError, r"gives ptr\[f16\] 'y', program shift takes ptr\[f32\] 'x'"),
        ([in_place, shift], ValidationError, "in_place has no output"),
        ([shift, in_place], ValidationError, "in_place has no input"),
        ([shift, by_address], BuildError, "an element is loaded from 'y', which is handed on in registers"),
        ([twice, shift], BuildError, "'y' is stored twice"),
        ([never, shift], ValidationError, "program never does not store 'y'"),
        ([too_few, shift], BuildError, "1 values are stored to a row that has 4"),
    ],
)
def test_programs_that_do_not_fit_together(programs: list[Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        fuse(programs).ptx("sm_90a")


def test_rows_that_no_cta_holds() -> None:
    for wrong, says in [
        (lambda: shift.in_rows(16385), "rows of 16385. Fix: use 1 to 16384"),
        (lambda: fuse(FLAT).in_rows(10), "was made of others"),
        (lambda: fuse(FLAT).using(factor=1.0), "was made of others"),
        (lambda: program(workgroup=32)(scale_function), "leave the workgroup out"),
        (lambda: program(columns=5)(plain), "rows of 5 and asks for no Row"),
        (lambda: program(plain).in_rows(5), "does not ask for a Row"),
    ]:
        with pytest.raises(ValidationError, match=says):
            wrong()


def plain(k: px.Builder, x: Floats) -> None: ...


def scale_function(k: px.Builder, x: Floats, y: Out, row: Row) -> None: ...


def test_a_pipeline_that_has_no_plan(backend: Backend) -> None:
    with pytest.raises(StageOverBudgetError, match="stage 0 requires 800 bytes but budget allows 799"):
        FusedPipeline(backend, [shift], 100, budget_bytes=799)
    with pytest.raises(ValidationError, match=r"host=\[3\] in a chain of 3 programs. Fix: name programs from 1 to 2"):
        FusedPipeline(backend, FLAT, 100, host=(3,))
    with FusedPipeline(backend, FLAT, 100) as pipeline:
        with pytest.raises(InvalidProgramError, match="takes 1 inputs but received 0"):
            pipeline.dispatch([])
        with pytest.raises(
            InvalidProgramError, match=r"'x' has 9 elements, this pipeline is for 100. Fix: leave n out"
        ):
            pipeline.dispatch([ramp(9)])


def test_rows_keep_their_threads(backend: Backend) -> None:
    with pytest.raises(InvalidProgramError, match="for rows that 32 threads hold"):
        backend.compile(shift.in_rows(100), DispatchConfig(workgroup=(64, 1, 1)))
