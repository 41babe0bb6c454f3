"""Who brings arrays gets arrays, in the type and shape of what the outputs are like; who brings bytes gets bytes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, ptr, u8
from ptxgen.runtime import Backend, DispatchConfig, FusedPipeline, Params, input_, output, program
from ptxgen.runtime.errors import InvalidProgramError
from tests.ptxgen.runtime.samples import floats, ramp, ranks, scale, step
from tests.ptxgen.runtime.test_fused import add, shift
from tests.ptxgen.runtime.test_state import running

DIRECT = DispatchConfig(graph=False)


@program(workgroup=64)
def kinds(
    k: px.Builder,
    x: Annotated[ptr[f32], input_()],
    codes: Annotated[ptr[u8], input_()],
    half: Annotated[ptr[f16], output(like="x")],
    brain: Annotated[ptr[bf16], output(like="x")],
    same: Annotated[ptr[u8], output(like="codes")],
    pairs: Annotated[ptr[px.vec[f32, 2]], output(3)],
    params: Params,
) -> None:
    i = k.global_id.x
    with k.if_(i < params.element_count):
        half[i] = x[i].to(f16)
        brain[i] = x[i].to(bf16)
        same[i] = codes[i]


@pytest.mark.parametrize("config", [None, DIRECT, DispatchConfig(cache_outputs=True)], ids=["graph", "direct", "kept"])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 2, 3), (), (0, 4)], ids=str)
def test_an_output_has_the_type_and_shape_of_its_input(
    backend: Backend, config: DispatchConfig | None, shape: tuple[int, ...]
) -> None:
    pipeline, x = backend.compile(scale, config), np.ones(shape, np.float32)
    for _ in range(3):
        (y,) = pipeline.dispatch([x])
        assert (y.dtype, y.shape) == (x.dtype, shape)
        assert (y == 2).all()
        y[...] = 0  # it is the caller's


def test_every_way_to_dispatch_keeps_it(backend: Backend) -> None:
    pipeline, x = backend.compile(scale), ramp(6).reshape(2, 3)
    found = [
        *pipeline.dispatch([x]),
        *pipeline.dispatch([x], wait=False).await_result(),
        *pipeline.dispatch([x], timed=True).outputs,
        *pipeline.dispatch([[x]] * 2, batch=True)[1],
        *pipeline.record([x])([x]),
        *pipeline.dispatch([x], [np.empty((2, 3), np.float32)]),
        *map(backend.download, pipeline.dispatch([x], resident=True)),
        *map(backend.download, pipeline.dispatch([backend.upload_resident(x)])),
    ]
    assert all((y == 2 * x).all() and y.shape == (2, 3) for y in found)


def test_other_types_keep_the_shape(backend: Backend) -> None:
    x, codes = ramp(6).reshape(2, 3), np.arange(6, dtype=np.int8).reshape(3, 2)
    half, brain, same, pairs = backend.compile(kinds).dispatch([x, codes])
    assert [(a.dtype.name, a.shape) for a in (half, brain, same, pairs)] == [
        ("float16", (2, 3)), ("uint16", (2, 3)), ("int8", (3, 2)), ("float32", (3, 2))
    ]  # fmt: skip
    assert (half == x).all()
    assert (same == codes).all()


def test_what_is_changed_stays_what_it_is(backend: Backend) -> None:
    (x,) = backend.compile(step).dispatch([np.arange(4, dtype=np.int32).reshape(2, 2)])
    assert (x.dtype, x.tolist()) == (np.int32, [[1, 3], [5, 7]])
    x, total = backend.compile(ranks, DispatchConfig(cooperative=True)).dispatch([np.ones(64, np.uint32)])
    assert (x.shape, total.shape, total.tolist()) == ((64,), (1,), [192])


@pytest.mark.parametrize("data", [floats(1, 2), bytearray(floats(1, 2)), memoryview(ramp(2)), ramp(2).view(np.uint8)])
def test_bytes_give_bytes(backend: Backend, data: Any) -> None:
    pipeline = backend.compile(scale)
    for _ in range(2):
        (y,) = pipeline.dispatch([data])
        assert type(y) is bytes


def test_the_caller_says_what_an_output_is_like(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    for config in (None, DIRECT):
        pipeline = backend.compile(scale, config)
        for data in (floats(1, 2, 3, 4), ramp(4)):
            (y,) = pipeline.dispatch([data], like=[np.empty((2, 2), np.float32)])
            assert y.shape == (2, 2)
    (z,) = pipeline.dispatch([backend.device.array(ramp(4))], like=[np.empty((2, 2), np.float32)])
    assert z.shape == (2, 2)
    for like, why in [([], "like= names 0 arrays for 1 outputs"), ([ramp(3)], "'y' has 16 bytes, like= names a float32"),
                      ([b"1234"], "like= names a bytes")]:  # fmt: skip
        with pytest.raises(InvalidProgramError, match=why):
            pipeline.dispatch([ramp(4)], like=like)


def test_shapes_are_said_in_elements(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    plans = [pipeline.plan([6]), pipeline.plan([(2, 3)]), pipeline.plan([ramp(6)])]
    assert {plan.launch.element_count for plan in plans} == {6}
    with pytest.raises(InvalidProgramError, match=r"'six' elements of 'x'. Fix: pass a number, a shape, or an array"):
        pipeline.plan(["six"])
    buffer = backend.allocate_resident((2, 3), f32)
    assert (buffer.byte_len, backend.download(buffer).shape) == (24, (2, 3))
    assert type(backend.download(backend.allocate_resident(24))) is bytes


def test_options_that_do_not_fit(backend: Backend) -> None:
    pipeline, x = backend.compile(scale), backend.device.array(ramp(4))
    for use, why in [
        (lambda: pipeline.dispatch([x], timed=True), "timed=True for a dispatch of scale whose outputs stay on the dev"),
        (lambda: pipeline.dispatch([x], wait=False), "wait=False for a dispatch of scale whose outputs stay"),
        (lambda: pipeline.dispatch([ramp(4)], [ramp(4)], wait=False), r"await_result_into\(out\)"),
        (lambda: pipeline.dispatch([[ramp(4)]], batch=True, timed=True), "batch of 1 dispatches of scale with another"),
        (lambda: pipeline.dispatch([[ramp(4)]], [], batch=True), "batch of 1 dispatches of scale with 0 lists"),
    ]:  # fmt: skip
        with pytest.raises(InvalidProgramError, match=why):
            use()  # type: ignore[no-untyped-call]


def test_a_chain_takes_what_a_pipeline_takes(backend: Backend) -> None:
    """Any number of elements, in arrays of any shape, on the host, on the device, and in resident buffers."""
    dev = backend.device
    with FusedPipeline(backend, [shift, add], host=(1,)) as pipeline:
        for shape in [(6,), (2, 3), (1,), (100, 7), (0, 3)]:
            x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
            wanted = x + np.float32(0.3) + x
            (y,) = pipeline.dispatch([x, x])
            assert (y.shape, y.dtype) == (shape, np.float32)
            assert (y == wanted).all()
            out = np.empty_like(x)
            assert pipeline.dispatch([x, x], [out])[0] is out
            assert (out == wanted).all()
            (z,) = pipeline.dispatch([dev.array(x), dev.array(x)])
            assert (z.shape, (z.numpy() == wanted).all()) == (shape, True)
            mine = dev.zeros(shape, f32)
            assert pipeline.dispatch([dev.array(x), dev.array(x)], [mine])[0] is mine
            assert (mine.numpy() == wanted).all()
        assert type(pipeline.dispatch([floats(1), floats(2)])[0]) is bytes
        with pytest.raises(InvalidProgramError, match="gives 1 outputs, 0 buffers"):
            pipeline.dispatch([x, x], [])
        with pytest.raises(InvalidProgramError, match="'y' has 8 bytes, the array 12"):
            pipeline.dispatch([dev.array(ramp(2)), dev.array(ramp(2))], [dev.zeros(3, f32)])


def test_state_is_an_array(backend: Backend) -> None:
    total = backend.compile(running).state.read("total")
    assert (total.dtype, total.tolist()) == (np.uint32, [0])
