"""Launches: every kind of argument, from many threads, and refusals that leave the device usable."""

from __future__ import annotations

import struct
import threading

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUdevice_attribute
from tests.driver_ctypes.kit import filled, words


@pytest.mark.parametrize("how", ["launch", "bind", "default stream"])
def test_launches(context, module, stream, how):
    function = module.function("add")
    x = filled(context, range(1000))
    if how == "launch":
        function.launch(8, 128, x, 1000, 5, stream=stream)
    else:
        function.bind(8, 128, stream=stream if how == "bind" else None)(x, 1000, 5)
    context.synchronize()
    assert words(context, x, 1000) == list(range(5, 1005))


def test_arguments_of_every_kind(context, module, stream):
    out = context.alloc(80)
    args = (200, -12345, 4_000_000_000, -(2**62), 1 + 2**-10, 1 + 2**-7, 0.1, 0.1, bytes(range(16)))
    expected = struct.pack(
        "<B7xh6xI4xqe6xH6xf4xd16s", *args[:5], 0x3F81, *args[6:8], args[8]
    )  # fmt: skip
    mask = struct.pack("<B7xh6xI4xqe6xH6xf4xd16s", 255, -1, 2**32 - 1, -1, -0.0, 65535, -0.0, -0.0, b"\xff" * 16)
    written = [i for i, byte in enumerate(mask) if byte] + [32, 33, *range(48, 52), *range(56, 64)]
    for launch in (
        lambda *a: module.function("echo").launch(1, 1, *a, stream=stream),
        module.function("echo").bind(1, 1, stream=stream),
    ):
        context.memset(out, 0, 80)
        launch(out, *args)
        stream.synchronize()
        back = bytearray(80)
        context.copy_to_host(back, out)
        assert [back[i] for i in written] == [expected[i] for i in written]


@pytest.mark.parametrize("own_stream", [True, False], ids=["stream", "default stream"])
def test_80_000_launches_from_4_threads_none_wrong(context, module, own_stream):
    count = 20_000
    out = context.alloc(4 * count * 8)
    context.memset(out, 0, 4 * count * 8)
    shared = module.function("put_long").bind(1, 1, stream=context.stream() if own_stream else None)
    start = threading.Barrier(4)

    def work(number):
        start.wait()
        for i in range(number * count, (number + 1) * count):
            shared(out, i, i * 0x1_0000_0001)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    context.synchronize()
    values = words(context, out, 4 * count, "Q")
    assert [i for i, value in enumerate(values) if value != i * 0x1_0000_0001] == []


def test_a_fresh_thread_needs_no_preparation(context, module):
    results = []

    def work():
        stream = context.stream(non_blocking=False)  # behind the NULL stream's launch
        x = filled(context, [1])
        module.function("add").launch(1, 32, x, 1, 1)
        module.function("add").bind(1, 32, stream=stream)(x, 1, 1)
        context.synchronize()
        results.append(words(context, x, 1))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [[3]]


def test_a_launcher_used_first_on_a_thread_without_context(context, module, stream):
    x = filled(context, [1])
    launcher = module.function("add").bind(1, 32, stream=stream)
    launcher(x, 1, 1)
    thread = threading.Thread(target=launcher, args=(x, 1, 1))
    thread.start()
    thread.join()
    stream.synchronize()
    assert words(context, x, 1) == [3]


def test_much_dynamic_shared_memory(context, module, stream):
    most = context.device.attribute(CUdevice_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    x = filled(context, [0])
    function = module.function("through_shared")
    for size in (1024, 49152, most):
        function.launch(1, 32, x, size - 4, shared=size, stream=stream)
        stream.synchronize()
        assert words(context, x, 1) == [77]
        context.memset(x, 0, 4)
    with pytest.raises(dc.LaunchConfigError, match="MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"):
        function.launch(1, 32, x, 0, shared=most + 1)


def test_clusters_and_cooperative_launches(context, module, stream):
    x = filled(context, range(512))
    add = module.function("add")
    if context.device.attribute(CUdevice_attribute.CLUSTER_LAUNCH):
        add.launch(4, 128, x, 512, 1, cluster=2, stream=stream)
        add.bind(4, 128, cluster=(4, 1, 1), stream=stream)(x, 512, 1)
    else:
        with pytest.raises(dc.LaunchConfigError, match="no clusters"):
            add.launch(4, 128, x, 512, 1, cluster=2, stream=stream)
        add.launch(4, 128, x, 512, 2, stream=stream)
    add.launch(4, 128, x, 512, 1, cooperative=True, stream=stream)
    stream.synchronize()
    assert words(context, x, 512) == list(range(3, 515))
    with pytest.raises(dc.LaunchConfigError, match="can be resident at once"):
        add.launch(1 << 20, 1024, x, 512, 1, cooperative=True, stream=stream)


@pytest.mark.parametrize(
    "grid, block, options, kind",
    [
        (1, 2048, {}, dc.LaunchConfigError),
        (1, (1, 1, 65), {}, dc.LaunchConfigError),
        (2**31, 1, {}, dc.LaunchConfigError),
        ((1, 65536), 1, {}, dc.LaunchConfigError),
        (0, 1, {}, dc.LaunchConfigError),
        (1, 32, {"shared": 1 << 20}, dc.LaunchConfigError),
        (6, 32, {"cluster": 4}, dc.LaunchConfigError),
    ],
)
def test_bad_configurations_leave_the_device_usable(context, module, grid, block, options, kind):
    x = filled(context, [1])
    with pytest.raises(kind):
        module.function("add").launch(grid, block, x, 1, 1, **options)
    module.function("add").launch(1, 32, x, 1, 1)
    assert words(context, x, 1) == [2]


@pytest.mark.parametrize(
    "args, kind",
    [
        ((), dc.ArgumentCountError),
        ((0, 1), dc.ArgumentCountError),
        ((0, 1, 1, 1), dc.ArgumentCountError),
        ((0, -1, 1), dc.ArgumentRangeError),
        ((0, 2**32, 1), dc.ArgumentRangeError),
        ((0, 1.5, 1), dc.ArgumentTypeError),
        ((None, 1, 1), dc.ArgumentTypeError),
        ((b"host", 1, 1), dc.ArgumentTypeError),
    ],
)
def test_bad_arguments_leave_the_device_usable(context, module, stream, args, kind):
    x = filled(context, [1])
    add = module.function("add")
    for launch in (add.bind(1, 32, stream=stream), lambda *a: add.launch(1, 32, *a, stream=stream)):
        with pytest.raises(kind):
            launch(*args)
        launch(x, 1, 1)
    stream.synchronize()
    assert words(context, x, 1) == [3]
