"""Host data is of its binding's type, or plain bytes: nothing else is taken for it."""

from __future__ import annotations

import array
import ctypes
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, ptr, u32
from ptxgen.runtime import Backend, DispatchConfig, Params, input_, output, persistent, program
from ptxgen.runtime.dispatch.formats import HostFormat
from ptxgen.runtime.errors import InvalidProgramError
from ptxgen.runtime.programs.bindings import Binding
from tests.ptxgen.runtime.samples import ramp, scale, step

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline

WRONG = "input x is float64, binding x is f32"


@program(workgroup=64)
def remember(
    k: px.Builder,
    x: Annotated[ptr[f32], input_()],
    kept: Annotated[ptr[f32], persistent(4)],
    y: Annotated[ptr[f32], output(like="x")],
    params: Params,
) -> None:
    """y = x + kept[0]."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        y[i] = x[i] + kept[0]


def binding_of(element: Any) -> Binding:
    return Binding("x", 0, "input", ptr[element], 4, 0, None)


@pytest.mark.parametrize(
    "use",
    [
        lambda p, x: p.dispatch([x]),
        lambda p, x: p.dispatch([x], [bytearray(20)]),
        lambda p, x: p.dispatch([x], wait=False),
        lambda p, x: p.dispatch([x], wait=False, timed=True).await_timed_result(),
        lambda p, x: p.dispatch([[ramp(5)], [x]], batch=True),
        lambda p, x: p.dispatch([x], resident=True),
        lambda p, x: p.record([x.size])([x]),
    ],
    ids=["dispatch", "into", "async", "timed", "batch", "to_resident", "record"],
)
def test_another_type_is_refused_by_every_way_to_dispatch(
    backend: Backend, use: Callable[[CompiledPipeline, Any], object]
) -> None:
    with pytest.raises(InvalidProgramError, match=WRONG) as error:
        use(backend.compile(scale), np.arange(5.0))
    assert error.value.fix == ".astype(np.float32), or .view(np.uint8) for raw bytes"


def test_the_output_cache_does_not_answer_for_another_type(backend: Backend) -> None:
    pipeline = backend.compile(scale, DispatchConfig(cache_outputs=True))
    pipeline.dispatch([ramp(4)])
    with pytest.raises(InvalidProgramError, match="input x is uint32"):
        pipeline.dispatch([ramp(4).view(np.uint32)])


@pytest.mark.parametrize("graph", [True, False])
def test_outputs_of_another_type_are_refused(backend: Backend, graph: bool) -> None:
    pipeline = backend.compile(scale, DispatchConfig(graph=graph))
    for _ in range(3):
        with pytest.raises(InvalidProgramError, match="output y is float64, binding y is f32") as error:
            pipeline.dispatch([ramp(4)], [np.zeros(2)])
        assert "pass an array of np.float32" in error.value.fix
    raw = np.zeros(4, np.float32)
    pipeline.dispatch([ramp(4)], [raw.view(np.uint8)])
    assert (raw == 2 * ramp(4)).all()


def test_state_is_of_its_type(backend: Backend) -> None:
    pipeline = backend.compile(remember)
    pipeline.state.write("kept", np.float32([3, 0, 0, 0]))
    (y,) = pipeline.dispatch([ramp(4)])
    assert (np.frombuffer(y, np.float32) == ramp(4) + 3).all()
    with pytest.raises(InvalidProgramError, match="input kept is float64, binding kept is f32"):
        pipeline.state.write("kept", np.zeros(2))


def test_integers_may_differ_in_sign(backend: Backend) -> None:
    (x,) = backend.compile(step).dispatch([np.arange(5, dtype=np.int32)])
    assert np.frombuffer(x, np.uint32).tolist() == [1, 3, 5, 7, 9]
    with pytest.raises(InvalidProgramError, match=r"input x is int64, binding x is u32. Fix: .astype\(np.uint32\)"):
        backend.compile(step).dispatch([np.arange(5)])


@pytest.mark.parametrize(
    "element, data",
    [
        (f32, b"\0" * 8), (f32, array.array("f", [1])), (f32, (ctypes.c_float * 2)()), (f32, np.zeros(8, np.uint8)),
        (u32, (ctypes.c_int * 2)()), (px.u64, np.zeros(2, np.int64)), (px.u64, (ctypes.c_long * 2)()),
        (px.b32, np.zeros(2, np.float32)), (px.b32, np.zeros(2, np.int32)), (px.f16, np.zeros(2, np.float16)),
        (px.bf16, np.zeros(2, np.uint16)), (px.f64, np.zeros(2)), (px.vec[f32, 2], np.zeros(4, np.float32)),
        (px.vec[f32, 2], np.zeros(4, np.complex64)), (px.u8, np.zeros(4, bool)), (f32, np.zeros((2, 2), np.float32)),
    ],
)  # fmt: skip
def test_what_fits(element: Any, data: Any) -> None:
    assert HostFormat(binding_of(element)).bytes_of(data).tobytes() == bytes(memoryview(data).cast("B"))


@pytest.mark.parametrize(
    "element, data, text",
    [
        (f32, array.array("d", [1]), r'is float64, .* Fix: pass np.float32 data, or memoryview\(data\).cast\("B"\)'),
        (f32, np.zeros(2, np.int32), "is int32"),
        (f32, np.zeros(2, ">f4"), "is float32 of the other byte order"),
        (f32, np.zeros(2, np.complex64), "is complex64"),
        (f32, np.zeros(2, [("a", "f4"), ("b", "f4")]), "is void64"),
        (f32, np.zeros(2, bool), "is bool"),
        (px.bf16, np.zeros(2, np.float16), r"is float16, .* Fix: .astype\(ml_dtypes.bfloat16\)"),
        (px.b32, np.zeros(2), "is float64"),
        (px.u64, np.zeros(2, np.int32), "is int32"),
        (f32, np.zeros((4, 4), np.float32)[:, :2], "not contiguous host memory"),
        (f32, [1.0], "list is not contiguous host memory"),
    ],
)
def test_what_does_not(element: Any, data: Any, text: str) -> None:
    with pytest.raises(InvalidProgramError, match=text):
        HostFormat(binding_of(element)).bytes_of(data)


def test_arrays_of_ml_dtypes() -> None:
    ml = pytest.importorskip("ml_dtypes", reason="the formats that numpy lacks come from it")
    data = np.ones((2, 2), ml.bfloat16)
    assert HostFormat(binding_of(px.bf16)).bytes_of(data).tobytes() == data.tobytes()
    with pytest.raises(InvalidProgramError, match="input x is bfloat16, binding x is f32"):
        HostFormat(binding_of(f32)).bytes_of(data)
    with pytest.raises(InvalidProgramError, match="input x is float8_e5m2, binding x is bf16"):
        HostFormat(binding_of(px.bf16)).bytes_of(np.ones(2, ml.float8_e5m2))
