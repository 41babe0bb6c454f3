"""Launches, streams and graphs, from a kernel object to its results."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import (
    ArgumentCountError,
    ArgumentError,
    ArgumentRangeError,
    ArgumentTypeError,
    CaptureError,
    ClosedError,
    DeviceNotFoundError,
    LaunchConfigError,
)
from ptxgen import f32, u32

if TYPE_CHECKING:
    from collections.abc import Callable


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])


@px.kernel
def put(k: px.Builder, where: px.ptr[u32], index: u32, value: u32) -> None:
    with k.if_(k.tid.x == 0):
        where[index] = value


@px.kernel
def copy4(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.tid.x
    y.vectors(4)[i] = x.vectors(4)[i]


class Pair(px.Struct):
    scale: f32
    count: u32


@px.kernel
def scaled(k: px.Builder, pair: Pair, y: px.ptr[f32]) -> None:
    i = k.tid.x
    with k.if_(i < pair.count):
        y[i] = pair.scale


def test_a_kernel_runs_where_its_arrays_are(dev: px.Device) -> None:
    x, y = dev.array(np.arange(300, dtype=np.float32)), dev.full(300, 1, px.f32)
    saxpy[2, 256](300, 2.0, x, y)
    np.testing.assert_array_equal(y.numpy(), 2 * np.arange(300, dtype=np.float32) + 1)


def test_a_bound_kernel_takes_only_arguments(dev: px.Device) -> None:
    x, y = dev.full(64, 3, px.f32), dev.zeros(64, px.f32)
    launch = saxpy.bind(1, 64, device=dev)
    for _ in range(3):
        launch(64, 1.0, x, y)
    np.testing.assert_array_equal(y.numpy(), 9)


def test_structures_go_by_value(dev: px.Device) -> None:
    y = dev.zeros(8, px.f32)
    scaled[1, 8](Pair(scale=1.5, count=5), y)
    np.testing.assert_array_equal(y.numpy(), [1.5] * 5 + [0] * 3)


@pytest.mark.parametrize(
    "error, arguments",
    [
        (ArgumentCountError, lambda x: (1, 2.0, x)),
        (ArgumentCountError, lambda x: (1, 2.0, x, x, x)),
        (ArgumentRangeError, lambda x: (-1, 2.0, x, x)),
        (ArgumentRangeError, lambda x: (1 << 32, 2.0, x, x)),
        (ArgumentTypeError, lambda x: (1.5, 2.0, x, x)),
        (ArgumentTypeError, lambda x: (1, "two", x, x)),
        (ArgumentTypeError, lambda x: (1, 2.0, np.zeros(3, np.float32), x)),
        (ArgumentTypeError, lambda x: (1, 2.0, None, x)),
    ],
)
def test_wrong_arguments(dev: px.Device, error: type[Exception], arguments: Callable[[Any], tuple[Any, ...]]) -> None:
    x = dev.zeros(3, px.f32)
    with pytest.raises(error):
        saxpy[1, 32](*arguments(x))
    saxpy[1, 32](3, 2.0, x, x)  # the device is still usable
    dev.synchronize()


@pytest.mark.parametrize(
    "grid, block, options",
    [
        (1, 2048, {}),
        (1, (1024, 2), {}),
        (0, 32, {}),
        (1, 0, {}),
        (1, 32, {"shared": 1 << 20}),
        ((1, 1, 1 << 20), 32, {}),
    ],
)
def test_launches_over_the_limit(dev: px.Device, grid: Any, block: Any, options: dict[str, int]) -> None:
    x = dev.zeros(3, px.f32)
    with pytest.raises(LaunchConfigError):
        saxpy[grid, block](3, 2.0, x, x, **options)


@px.kernel(threads=(32, 2))
def of_one_block(k: px.Builder, x: px.ptr[u32]) -> None:
    x[k.tid.y * 32 + k.tid.x] = 1


@px.kernel(max_threads=64)
def of_small_blocks(k: px.Builder, x: px.ptr[u32]) -> None:
    x[k.tid.x] = 1


@px.kernel(threads=32, cluster=2)
def of_clusters(k: px.Builder, x: px.ptr[u32]) -> None:
    x[k.ctaid.x * 32 + k.tid.x] = 1


@pytest.mark.parametrize(
    "kernel, grid, block, options, said",
    [
        (of_one_block, 1, 32, {}, r"block \(32, 1, 1\); the kernel was made for blocks of \(32, 2, 1\)"),
        (of_one_block, 1, 64, {}, r"block \(64, 1, 1\); (.|\n)*launch it with block=\(32, 2\)"),
        (of_one_block, 1, (32, 4), {}, r"\.reqntid"),
        (of_small_blocks, 1, 65, {}, r"has 65 threads; 64 are allowed(.|\n)*\.maxntid"),
        (of_clusters, 2, 64, {}, r"launch it with block=32,"),
        (of_clusters, 3, 32, {}, r"cluster \(2, 1, 1\) does not divide grid \(3, 1, 1\)"),
        (of_clusters, 4, 32, {"cluster": 4}, r"made for clusters of \(2, 1, 1\)"),
    ],
)
def test_launches_that_the_kernel_was_not_made_for(
    dev: px.Device, kernel: px.Kernel, grid: Any, block: Any, options: dict[str, int], said: str
) -> None:
    if kernel is of_clusters and dev.handle.compute_capability < (9, 0):
        pytest.skip("no clusters before sm_90")
    x = dev.zeros(128, u32)
    for launch in (lambda: kernel[grid, block](x, **options), lambda: kernel.bind(grid, block, device=dev, **options)):
        with pytest.raises(LaunchConfigError, match=said):
            launch()
    with pytest.raises(LaunchConfigError, match=said), dev.capture():
        kernel[grid, block](x, **options)


def test_launches_that_the_kernel_was_made_for(dev: px.Device) -> None:
    x = dev.zeros(64, u32)
    of_one_block[1, (32, 2)](x)
    of_one_block[1, [32, 2, 1]](x)
    of_small_blocks[1, 8](x)
    assert x.numpy().sum() == 64


@pytest.fixture(params=["kernel[...]", "bind"])
def launching(dev: px.Device, request: pytest.FixtureRequest) -> Callable[..., Callable[..., None]]:
    """A kernel's two ways to be launched; both are tried often enough to be on their quick path."""
    if request.param == "bind":
        return lambda kernel, grid, block: kernel.bind(grid, block, device=dev)
    return lambda kernel, grid, block: kernel[grid, block]


def test_vector_accesses_need_aligned_pointers(dev: px.Device, launching: Callable[..., Any]) -> None:
    x, y = dev.array(np.arange(8, dtype=np.float32)), dev.zeros(8, px.f32)
    launch = launching(copy4, 1, 2)
    for _ in range(12):
        launch(x, y)
        with pytest.raises(ArgumentError, match="16-byte alignment"):
            launch(x[1:], y)
    np.testing.assert_array_equal(y.numpy(), np.arange(8))


def test_an_array_of_another_element_type_is_refused(dev: px.Device, launching: Callable[..., Any]) -> None:
    x, wrong = dev.zeros(4, px.f32), dev.zeros(4, px.f64)
    launch, store = launching(saxpy, 1, 32), launching(put, 1, 32)
    for _ in range(12):
        launch(4, 1.0, x, x)
        with pytest.raises(ArgumentTypeError, match=r"y points to \.f32 elements, the array has \.f64"):
            launch(4, 1.0, x, wrong)
        launch(4, 1.0, x, wrong.view(px.f32))
        store(dev.zeros(4, px.s32), 0, 1)  # a change of signedness is none of the bits
        launch(4, 1.0, x, dev.zeros(4, px.b32))


def test_a_closed_array_and_its_views_are_refused(dev: px.Device, launching: Callable[..., Any]) -> None:
    x, y = dev.zeros(8, px.f32), dev.zeros(8, px.f32)
    part = x[4:]
    launch = launching(saxpy, 1, 32)
    for _ in range(12):
        launch(4, 1.0, part, y)
    x.close()
    for closed in (x, part):
        with pytest.raises(ClosedError, match="closed"):
            launch(4, 1.0, closed, y)
    launch(4, 1.0, y, y)


def test_structures_go_to_a_bound_kernel_too(dev: px.Device, launching: Callable[..., Any]) -> None:
    y = dev.zeros(8, px.f32)
    launch = launching(scaled, 1, 8)
    for count in range(12):
        launch(Pair(scale=1.5, count=count % 5 + 1), y)
    np.testing.assert_array_equal(y.numpy(), [1.5] * 5 + [0] * 3)


def test_a_configuration_that_comes_again_keeps_one_launcher(dev: px.Device) -> None:
    x = dev.zeros(4, px.f32)
    with dev.stream() as stream, dev.use(stream):
        for _ in range(12):
            saxpy[1, 32](4, 1.0, x, x)
            saxpy[[1], [32]](4, 1.0, x, x)  # a list cannot be remembered, and need not be
        (cached,) = stream.launchers.values()
        assert cached.launcher.__name__ == "saxpy"
        for grid in range(1, 600):
            saxpy[grid, 32](0, 1.0, x, x)
        assert len(stream.launchers) <= 256
    assert not stream.launchers


def test_nobody_chose_a_stream(dev: px.Device) -> None:
    assert dev.chosen_stream is None
    with dev.stream() as stream, dev.use(stream) as current:
        assert dev.chosen_stream is current is stream
    assert dev.chosen_stream is None


def test_compile_time_parameters_are_checked(dev: px.Device) -> None:
    x = dev.zeros(3, px.f32)
    with pytest.raises(px.BuildError, match="no compile-time parameter 'unrol'"):
        saxpy[1, 32](3, 2.0, x, x, unrol=2)


# Streams


def test_each_thread_has_its_own_current_stream(dev: px.Device) -> None:
    found = []
    with dev.stream() as stream, dev.use(stream):
        assert dev.current_stream is stream
        thread = threading.Thread(target=lambda: found.append(dev.current_stream))
        thread.start()
        thread.join()
    assert found == [dev.context.default_stream]


def test_work_on_two_streams_is_ordered_by_an_event(dev: px.Device) -> None:
    y = dev.zeros(4, px.u32)
    dev.synchronize()
    with dev.stream() as first, dev.stream() as second, dev.event() as event:
        with dev.use(first):
            put[1, 32](y, 0, 5)
        event.record(first)
        second.wait(event)
        with dev.use(second):
            put[1, 32](y, 0, 6)
        second.synchronize()
    assert y.numpy()[0] == 6


def test_events_measure_time(dev: px.Device) -> None:
    y = dev.zeros(4, px.u32)
    with dev.event() as start, dev.event() as end, dev.stream() as stream, dev.use(stream):
        start.record(stream)
        put[1, 32](y, 0, 5)
        end.record(stream)
        end.synchronize()
        assert end.elapsed_ms(start) >= 0


# Graphs


def test_a_graph_of_20_launches_replays_100_times(dev: px.Device) -> None:
    x, y = dev.full(1000, 1, px.f32), dev.zeros(1000, px.f32)
    with dev.capture() as graph:
        for _ in range(20):
            saxpy[4, 256](1000, 1.0, x, y)
    assert len(graph) == 20
    np.testing.assert_array_equal(y.numpy(), 0)  # capturing runs nothing
    for _ in range(100):
        graph.launch()
    np.testing.assert_array_equal(y.numpy(), 2000)
    graph.close()


def test_a_graph_tells_what_is_in_it(dev: px.Device) -> None:
    x, y = dev.zeros(10, px.f32), dev.zeros(10, px.f32)
    with dev.capture() as graph:
        saxpy[(2, 1), 128](10, 2.5, x, y)
        y.fill(0)
    kinds = [node.kind for node in graph.nodes()]
    assert sorted(kinds) == ["kernel", "memset"]
    node = graph.nodes()[kinds.index("kernel")]
    assert node.name == "saxpy"
    assert tuple(node.grid) == (2, 1, 1)
    assert tuple(node.block) == (128, 1, 1)
    assert dict(node.arguments or ()) == {"n": 10, "a": 2.5, "x": x.pointer, "y": y.pointer}
    graph.close()


def test_a_graph_keeps_its_arrays_alive(dev: px.Device) -> None:
    y = dev.zeros(4, px.u32)
    with dev.capture() as graph:
        temporary = dev_copy(dev, y)
    del temporary
    graph.launch()
    dev.synchronize()
    graph.close()


def dev_copy(dev: px.Device, y: px.Array) -> px.Array:
    """A kernel launch whose array nobody else holds."""
    put[1, 32](y, 1, 3)
    return y[1:]


def test_a_body_that_raises_leaves_stream_and_device_usable(dev: px.Device) -> None:
    y = dev.zeros(4, px.u32)
    with pytest.raises(ZeroDivisionError), dev.capture() as graph:
        put[1, 32](y, 0, 1)
        1 / 0
    with pytest.raises(CaptureError):
        graph.launch()
    assert dev.current_stream is dev.context.default_stream
    put[1, 32](y, 2, 7)
    np.testing.assert_array_equal(y.numpy(), [0, 0, 7, 0])
    with dev.capture() as again:
        put[1, 32](y, 3, 8)
    again.launch()
    np.testing.assert_array_equal(y.numpy(), [0, 0, 7, 8])
    again.close()


def test_what_cuda_refuses_in_a_capture_is_refused(dev: px.Device) -> None:
    y = dev.zeros(4, px.u32)
    with pytest.raises(CaptureError), dev.capture():
        put[1, 32](y, 0, 1)
        dev.current_stream.synchronize()
    put[1, 32](y, 1, 7)
    np.testing.assert_array_equal(y.numpy(), [0, 7, 0, 0])


# Many threads


@pytest.mark.parametrize("bound", [True, False])
def test_20000_launches_from_each_of_4_threads(dev: px.Device, bound: bool) -> None:
    """Every launch writes its own value to its own place; with a shared argument buffer some would be another's."""
    rounds = 20_000 if bound else 500
    y = dev.zeros(4 * rounds, px.u32)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with dev.stream() as stream, dev.use(stream):
                launch = put.bind(1, 1, device=dev, stream=stream) if bound else put[1, 1]
                for index in range(number * rounds, (number + 1) * rounds):
                    launch(y, index, index + 1)
                stream.synchronize()
        except BaseException as error:
            failures.append(error)

    put.on(dev)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    np.testing.assert_array_equal(y.numpy(), np.arange(1, 4 * rounds + 1))


# Devices


def test_devices_by_name(device_name: str) -> None:
    assert px.device(device_name) is px.device(f"{device_name}:0")
    assert px.device(px.device(device_name)) is px.device(device_name)
    assert px.device(device_name) in px.devices()


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "cpu:99", "tpu:0", "cuda:99"])
def test_a_device_that_is_not_there(name: str) -> None:
    with pytest.raises((DeviceNotFoundError, px.Error)):
        px.device(name)


def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, device_name: str) -> None:
    monkeypatch.setenv("PTXGEN_DEVICE", device_name)
    assert px.device().kind == device_name


def test_modules_load_from_text(dev: px.Device) -> None:
    module = px.parse(saxpy.ptx(target=dev.target), name="saxpy.ptx")
    kernel = dev.load(module)["saxpy"]
    x, y = dev.full(4, 1, px.f32), dev.zeros(4, px.f32)
    kernel.launch(1, 32, (4, 3.0, x, y))
    np.testing.assert_array_equal(y.numpy(), 3)
    assert [name for name, _, _ in kernel.parameters] == ["n", "a", "x", "y"]


def test_ptx_that_the_driver_refuses_names_both_lines(dev: px.Device) -> None:
    from driver_ctypes import JitError

    text = saxpy.ptx(target=dev.target).replace("mad.lo.u32", "mad.lo.f99")
    with pytest.raises(JitError) as caught:
        dev.context.load(text)
    assert "mad.lo.f99" in str(caught.value)
    assert caught.value.messages


# Faults


@px.kernel
def stray(k: px.Builder, x: px.ptr[f32], distance: px.u64) -> None:
    x[distance] = 1.0


@pytest.mark.cpu_only
def test_an_out_of_bounds_access_is_an_error_that_names_the_place(dev: px.Device) -> None:
    import driver_ctypes

    x = dev.zeros(4, px.f32)
    with pytest.raises(driver_ctypes.IllegalAddressError) as caught:
        stray[1, 1](x, 1 << 50)
        dev.synchronize()
    text = str(caught.value)
    assert "stray" in text
    assert "st.global.f32" in text
    assert "test_launch.py:" in text  # the line of Python that made the instruction
    assert "x[distance] = 1.0" in text
    with pytest.raises(driver_ctypes.Error, match="stray"):  # poisoned, and says by what
        put[1, 32](dev.zeros(4, px.u32), 0, 1)
    dev.reset()
    y = dev.zeros(4, px.u32)
    put[1, 32](y, 0, 5)
    np.testing.assert_array_equal(y.numpy(), [5, 0, 0, 0])


@px.kernel
def counting(k: px.Builder) -> None:
    total = k.global_("total", u32, 2, values=[5, 0])
    k.reduce_add(total, 1, 1)


def test_module_variables_are_arrays_of_the_host(dev: px.Device) -> None:
    counting[2, 32](device=dev)
    total = counting.on(dev).variable("total")
    np.testing.assert_array_equal(total.numpy(), [5, 64])
    total.copy_from([1, 2])
    np.testing.assert_array_equal(total.numpy(), [1, 2])
    with pytest.raises(ArgumentError, match="it has: total"):
        counting.on(dev).variable("sum")


def test_the_other_attributes_of_a_launch(dev: px.Device) -> None:
    y = dev.zeros(4, px.u32)
    put[1, 32](y, 0, 5, attributes={"programmatic": True, "carveout": 50})
    put.bind(1, 32, attributes={"priority": -1})(y, 1, 6)
    put.on(dev).launch(1, 32, (y, 2, 7), domain=1)
    np.testing.assert_array_equal(y.numpy(), [5, 6, 7, 0])
    with pytest.raises(LaunchConfigError, match="launches have no attribute 'colour'"):
        put[1, 32](y, 0, 5, attributes={"colour": 1})


@px.kernel
def halves(k: px.Builder, v: px.b128, x: px.ptr[px.u64]) -> None:
    low, high = k.var(px.u64), k.var(px.u64)
    k.ptx.mov.b128((low, high), v)
    x[0], x[1] = low, high


def test_128_bits_are_given_as_bytes(dev: px.Device) -> None:
    x = dev.zeros(2, px.u64)
    halves[1, 1](bytes(range(16)), x)
    assert x.numpy().tobytes() == bytes(range(16))
    with pytest.raises(ArgumentTypeError, match=r"argument 1 \(v: bytes\): expected 16 bytes"):
        halves[1, 1](5, x)
