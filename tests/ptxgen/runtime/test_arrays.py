"""Arrays in device memory go into pipelines and come out of them without a copy; resident buffers and arrays share memory."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Annotated

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentError, ClosedError
from ptxgen import f16, f32, ptr, u32
from ptxgen.runtime import Backend, DispatchConfig, Params, grid_barrier, inout, input_, output, persistent, program
from ptxgen.runtime.errors import DispatchError, InvalidProgramError
from tests.ptxgen.runtime.samples import as_floats, ramp, ranks, scale, step, words


def ramp_on(backend: Backend, n: int = 1000, start: float = 0) -> px.Array:
    return backend.device.array(ramp(n, start))


@px.kernel
def add_one(k: px.Builder, n: u32, x: ptr[f32]) -> None:
    """After about 0.2 ms on a GPU, so that whoever does not wait reads too early."""
    i = k.global_id.x
    for _ in k.range(200):
        k.ptx.nanosleep.u32(1000)
    with k.if_(i < n):
        x[i] = x[i] + 1.0


@pytest.fixture(scope="module")
def slow(device_name: str) -> Callable[[px.Array], None]:
    """x -> x + 1, slowly; loaded before a test counts what lives on the device."""
    add_one.on(px.device(device_name))
    return lambda array: add_one[math.ceil(array.size / 128), 128](array.size, array)


# --- dispatches on arrays ---------------------------------------------------------------------------------------------


def test_arrays_go_in_and_come_out(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    for n in (1, 1000, 7, 1000):
        x = ramp_on(backend, n, n)
        (y,) = pipeline.dispatch([x])
        assert (y.numpy() == 2 * ramp(n, n)).all()
        assert (x.numpy() == ramp(n, n)).all()
    counts = backend.telemetry_snapshot()
    assert counts["kernel_launches"] == 4
    assert counts["transient_allocation_bytes_requested"] == counts["device_to_host_bytes"] == 0


def test_outputs_of_ones_own(backend: Backend) -> None:
    pipeline, x, y = backend.compile(scale), ramp_on(backend), ramp_on(backend)
    assert pipeline.dispatch([x], [y]) == [y]
    assert (y.numpy() == 2 * ramp(1000)).all()
    assert pipeline.dispatch([y], out=[y]) == [y]
    assert (y.numpy() == 4 * ramp(1000)).all()


def test_what_goes_in_and_comes_out_is_changed_in_place(backend: Backend) -> None:
    x = backend.device.array(np.arange(3, dtype=np.uint32))
    (found,) = backend.compile(step).dispatch([x])
    assert found is x
    assert x.numpy().tolist() == [1, 3, 5]


def test_views_are_taken_where_they_lie(backend: Backend) -> None:
    whole = ramp_on(backend)
    (y,) = backend.compile(scale).dispatch([whole[10:20]], [whole[500:510]])
    assert y.pointer == whole.pointer + 2000
    expected = ramp(1000)
    expected[500:510] = 2 * expected[10:20]
    assert (whole.numpy() == expected).all()


@program
def like_and_open(
    k: px.Builder,
    x: Annotated[ptr[f32], input_()],
    y: Annotated[ptr[f16], output(like="x")],
    total: Annotated[ptr[u32], output(1)],
    params: Params,
) -> None:
    i = k.global_id.x
    with k.if_(i < params.element_count):
        y[i] = x[i].to(f16)
        k.atomic_add(total, 0, 1)


def test_new_outputs_are_zeros_in_the_shape_and_type_that_fits(backend: Backend) -> None:
    x = backend.device.array(ramp(12).reshape(3, 4))
    y, total = backend.compile(like_and_open).dispatch([x])
    assert (y.shape, y.type.name, total.shape, total.numpy().tolist()) == ((3, 4), "f16", (1,), [12])
    assert (y.numpy() == ramp(12).reshape(3, 4)).all()


def test_empty_arrays(backend: Backend) -> None:
    y, total = backend.compile(like_and_open).dispatch([backend.device.empty((0, 4), f32)])
    assert (y.shape, total.numpy().tolist()) == ((0, 4), [0])
    assert backend.telemetry_snapshot()["kernel_launches"] == 0


def test_dispatches_come_in_the_order_of_the_current_stream(backend: Backend, slow: Callable[[px.Array], None]) -> None:
    pipeline, device = backend.compile(scale), backend.device
    for stream in (device.context.default_stream, device.stream()):
        with device.use(stream):
            x = device.array(ramp(1000))
            for _ in range(2):
                slow(x)
                pipeline.dispatch([x], [x])
            assert (x.numpy() == ((ramp(1000) + 1) * 2 + 1) * 2).all()
        stream.close()


@program(workgroup=32)
def counted(
    k: px.Builder,
    x: Annotated[ptr[u32], inout()],
    runs: Annotated[ptr[u32], persistent(32)],
    params: Params,
) -> None:
    i = k.global_id.x
    with k.if_(i < params.element_count):
        runs[i] = runs[i] + 1
        x[i] = runs[i]


def test_state_and_grid_barriers(backend: Backend) -> None:
    device = backend.device
    pipeline = backend.compile(counted)
    x = device.zeros(8, u32)
    pipeline.dispatch([words(*range(8))])
    pipeline.dispatch([x])
    assert x.numpy().tolist() == [2] * 8
    whole = backend.compile(ranks, DispatchConfig(cooperative=True))
    ones = device.full(128, 1, u32)
    (found, total) = whole.dispatch([ones])
    assert found is ones
    assert total.numpy().tolist() == [384]


@program(workgroup=32)
def in_parts(k: px.Builder, x: Annotated[ptr[u32], inout()], total: Annotated[ptr[u32], output(1)]) -> None:
    from_before = x[k.global_id.x] * 3
    k.atomic_add(total, 0, 1)
    grid_barrier(k)
    x[k.global_id.x] = from_before + total[0]


def test_a_program_in_parts_shares_its_scratch_with_resident_dispatches(backend: Backend) -> None:
    pipeline = backend.compile(in_parts, DispatchConfig(cooperative=True, split=True))
    n = 32 * 50
    handles = [backend.upload_resident(np.full(n, 5, np.uint32)), backend.upload_resident(words(0))]
    x = backend.device.full(n, 7, u32)
    pipeline.dispatch(handles[:1], handles[1:])
    pipeline.dispatch([x])
    assert (x.numpy() == 21 + n).all()
    assert (np.frombuffer(backend.download(handles[0]), np.uint32) == 15 + n).all()


def test_a_capture_records_it(backend: Backend) -> None:
    pipeline, x, y = backend.compile(scale), ramp_on(backend), ramp_on(backend)
    pipeline.dispatch([x], [y])
    before = backend.telemetry_snapshot()["kernel_launches"]
    with backend.device.capture() as graph:
        pipeline.dispatch([x], [y])
        with pytest.raises(DispatchError, match=r"without out. Fix: pass out="):
            pipeline.dispatch([x])
        with pytest.raises(
            DispatchError, match=r"the first dispatch of scale on arrays of these lengths inside dev.cap"
        ):
            pipeline.dispatch([x[:5]], [y[:5]])
    assert len(graph) == 1
    assert backend.telemetry_snapshot()["kernel_launches"] == before
    x.fill(3)
    backend.cleanup()  # what the graph uses stays
    gc.collect()
    graph.launch()
    assert (y.numpy() == 6).all()
    graph.close()


def test_a_capture_does_not_record_what_dispatches_share(backend: Backend) -> None:
    pipeline, x = backend.compile(counted), backend.device.zeros(8, u32)
    pipeline.dispatch([x])
    with (
        backend.device.capture() as graph,
        pytest.raises(DispatchError, match=r"that has state.*Fix: dispatch it outside"),
    ):
        pipeline.dispatch([x], [])
    graph.close()


def test_what_is_no_array_of_the_device(backend: Backend) -> None:
    pipeline, x = backend.compile(scale), ramp_on(backend, 4)
    closed = ramp_on(backend, 4)
    closed.close()
    for inputs, outputs, what in [
        ([ramp(4)], [x], r"Array is not contiguous host memory.*Fix: backend.adopt\(array\) takes an array in dev"),
        ([x], [ramp(4)], r"output y is ndarray, which is not in the device's memory. Fix: dev.array\(data\) copies it"),
        ([x], [None], "output y is NoneType, which is not in the device's memory"),
        (
            [x.view(u32)],
            None,
            r"input x is an array of u32, binding x is f32. Fix: convert it, or pass its .view\(px.u8\)",
        ),
        ([closed], None, "input x: .* is closed. Fix: keep it open while it is used"),
        ([x, x], None, "takes 1 inputs but received 2"),
        ([x], [], "gives 1 outputs, 0 arrays were passed. Fix: pass y"),
        ([x], [x[:3]], "'output y' has 16 bytes, the array 12. Fix: pass an array of 16 bytes"),
        ([x], [x.view(f16)], "output y is an array of f16, binding y is f32"),
        ([x.view(px.u8)[:3]], None, "received 3 bytes, not a multiple of 4"),
        ([x.view(px.u8)[1:5]], None, "input x begins at an address that 4 does not divide, as ptr"),
    ]:
        with pytest.raises(InvalidProgramError, match=what):
            pipeline.dispatch(inputs, outputs)
    assert pipeline.dispatch([x.view(px.u8)])[0].numpy().tolist() == [0, 2, 4, 6]


def test_integers_may_differ_in_sign(backend: Backend) -> None:
    x = backend.device.array(np.arange(3, dtype=np.int32))
    assert backend.compile(step).dispatch([x])[0].numpy().tolist() == [1, 3, 5]


# --- resident buffers in arrays, arrays in resident buffers -----------------------------------------------------------


def test_an_array_as_a_resident_buffer(backend: Backend, slow: Callable[[px.Array], None]) -> None:
    pipeline, x, y = backend.compile(scale), ramp_on(backend), ramp_on(backend)
    handles = backend.adopt(x), backend.adopt(y)
    assert [handle.pointer for handle in handles] == [x.pointer, y.pointer]
    assert backend.resident.nbytes == 0
    for _ in range(3):
        slow(x)
        pipeline.dispatch(handles[:1], handles[1:])
        slow(y)
    assert (y.numpy() == 2 * (ramp(1000) + 3) + 1).all()
    with pipeline.bind(handles[:1], handles[1:]) as bound:
        slow(x)
        bound()
        bound.batch(2)
        slow(y)
        assert (y.numpy() == 2 * (ramp(1000) + 4) + 1).all()
        with pytest.raises(InvalidProgramError, match="is in flight"):
            backend.free_resident(handles[0])
    backend.synchronize()
    for handle in handles:
        backend.free_resident(handle)
    assert (x.numpy() == ramp(1000) + 4).all()  # the array stays what it is


def test_uploads_downloads_and_zeros_of_an_adopted_array_come_in_order(
    backend: Backend, slow: Callable[[px.Array], None]
) -> None:
    x = ramp_on(backend)
    handle = backend.adopt(x)
    slow(x)
    assert (as_floats(backend.download(handle)) == ramp(1000) + 1).all()
    slow(x)
    backend.resident.upload(handle, ramp(1000, 5))
    assert (x.numpy() == ramp(1000, 5)).all()
    slow(x)
    backend.resident.zero(handle)
    slow(x)
    assert (x.numpy() == 1).all()
    backend.synchronize()
    slow(x)
    backend.resident.upload_async(handle, ramp(1000, 7))
    slow(x)
    assert (x.numpy() == ramp(1000, 8)).all()


def test_an_array_that_is_closed_while_it_is_adopted(backend: Backend) -> None:
    pipeline, y = backend.compile(scale), backend.allocate_resident(4000)
    for dropped in (False, True):
        x = ramp_on(backend)
        handle = backend.adopt(x)
        pipeline.dispatch([handle], [y])
        if dropped:
            del x
            gc.collect()
            pipeline.dispatch([handle], [y])  # it is held
        else:
            x.close()
            with pytest.raises(InvalidProgramError, match=r"is closed.*Fix: keep it open until the buffer is freed"):
                pipeline.dispatch([handle], [y])
        assert (as_floats(backend.download(y)) == 2 * ramp(1000)).all()
        backend.free_resident(handle)


def test_what_cannot_be_adopted(backend: Backend) -> None:
    for data, what in [
        (ramp(4), "the array is ndarray, which is not in the device's memory"),
        (backend.device.empty(0, f32), "a resident buffer of 0 bytes"),
    ]:
        with pytest.raises(InvalidProgramError, match=what):
            backend.adopt(data)


def test_a_resident_buffer_as_an_array(backend: Backend, slow: Callable[[px.Array], None]) -> None:
    pipeline = backend.compile(scale)
    x, y = backend.upload_resident(ramp(1000)), backend.allocate_resident(4000)
    pipeline.dispatch([x], [y])  # prepared before there are arrays
    arrays = x.array(f32), y.array(f32, (10, 100))
    assert (arrays[0].pointer, arrays[1].shape) == (x.pointer, (10, 100))
    assert (arrays[1].numpy() == 2 * ramp(1000).reshape(10, 100)).all()
    for _ in range(3):
        slow(arrays[0])
        pipeline.dispatch([x], [y])
        slow(arrays[1])
    assert (arrays[1].numpy().reshape(-1) == 2 * (ramp(1000) + 3) + 1).all()
    (z,) = pipeline.dispatch([arrays[0]])
    assert (z.numpy() == 2 * (ramp(1000) + 3)).all()
    backend.synchronize()
    backend.free_resident(x)
    with pytest.raises(ClosedError):
        arrays[0].numpy()
    with pytest.raises(InvalidProgramError, match="was freed"):
        x.array(f32)


def test_an_array_of_an_adopted_array(backend: Backend) -> None:
    whole = ramp_on(backend)
    handle = backend.adopt(whole[100:200])
    view = handle.array(u32, (50, 2))
    assert (view.pointer, view.shape, view.type.name) == (whole.pointer + 400, (50, 2), "u32")
    backend.free_resident(handle)
    assert view.numpy().view(np.float32).reshape(-1)[0] == 100


def test_arrays_that_a_resident_buffer_is_not(backend: Backend) -> None:
    handle = backend.allocate_resident(10)
    for type_, shape in ((f32, None), (f16, (2, 2)), (px.u8, (11,))):
        with pytest.raises(
            InvalidProgramError, match=r"as an array of .*Fix: pass a type and a shape of as many bytes"
        ):
            handle.array(type_, shape)
    pipeline, x = backend.compile(step), backend.allocate_resident(8)
    with (
        pipeline.bind([x]),
        pytest.raises(InvalidProgramError, match=r"in flight. Fix: make arrays of it before it is bound"),
    ):
        x.array(u32)
    x.array(u32)


# --- the frameworks ---------------------------------------------------------------------------------------------------


@pytest.mark.cuda_only
@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_arrays_of_the_frameworks_go_in_and_come_out(backend: Backend, name: str) -> None:
    module = pytest.importorskip(name, reason=f"{name} is not installed")
    where = {"device": "cuda"} if name == "torch" else {}
    x = module.arange(1000, dtype=module.float32, **where)
    y = module.zeros_like(x)
    pipeline = backend.compile(scale)
    (found,) = pipeline.dispatch([x], [y])
    assert found is y
    assert bool((y == 2 * x).all())
    (ours,) = pipeline.dispatch([x])
    assert (ours.numpy() == 2 * ramp(1000)).all()
    side = module.cuda.Stream()
    with module.cuda.stream(side) if name == "torch" else side:
        z = x + 1
        pipeline.dispatch([z], [y])
        assert bool((y == 2 * z).all())
    handle = backend.adopt(x)
    assert handle.pointer == (x.data_ptr() if name == "torch" else x.data.ptr)
    with pytest.raises((InvalidProgramError, ArgumentError)):
        pipeline.dispatch([x[::2]])
