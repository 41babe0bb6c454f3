"""The binding on a real driver: the emulated one, or with ``--device cuda`` NVIDIA's. Nothing here knows which."""

from __future__ import annotations

import array
import ctypes
import gc
import os
import struct
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUdevice_attribute

ROOT = Path(__file__).parents[2]

PTX = """.version 7.8
.target sm_75
.address_size 64

.extern .shared .align 16 .b8 dynamic[];
.visible .global .align 4 .u32 counter = 5;

.visible .entry add(.param .u64 x, .param .u32 n, .param .u32 k)
{
    .reg .pred %p<2>; .reg .u32 %r<6>; .reg .u64 %d<4>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [k];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r3, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %d2, %r3, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r4, [%d3];
    add.u32 %r4, %r4, %r2;
    st.global.u32 [%d3], %r4;
DONE:
    ret;
}

.visible .entry put(.param .u64 x, .param .u32 slot, .param .u64 value)
{
    .reg .u32 %r<2>; .reg .u64 %d<5>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [slot];
    ld.param.u64 %d2, [value];
    mul.wide.u32 %d3, %r1, 8;
    add.u64 %d4, %d1, %d3;
    st.global.u64 [%d4], %d2;
    ret;
}

.visible .entry echo(.param .u64 out, .param .u8 a, .param .s16 b, .param .u32 c, .param .s64 d, .param .b16 e,
                     .param .b16 f, .param .f32 g, .param .f64 h, .param .align 8 .b8 i[16])
{
    .reg .b16 %h<6>; .reg .b32 %r<3>; .reg .b64 %d<6>;
    ld.param.u64 %d1, [out];
    ld.param.u8 %h1, [a];
    ld.param.u16 %h2, [b];
    ld.param.u32 %r1, [c];
    ld.param.u64 %d2, [d];
    ld.param.b16 %h3, [e];
    ld.param.b16 %h4, [f];
    ld.param.b32 %r2, [g];
    ld.param.b64 %d3, [h];
    ld.param.b64 %d4, [i];
    ld.param.b64 %d5, [i+8];
    st.global.u8 [%d1], %h1;
    st.global.u16 [%d1+8], %h2;
    st.global.u32 [%d1+16], %r1;
    st.global.u64 [%d1+24], %d2;
    st.global.b16 [%d1+32], %h3;
    st.global.b16 [%d1+40], %h4;
    st.global.b32 [%d1+48], %r2;
    st.global.b64 [%d1+56], %d3;
    st.global.b64 [%d1+64], %d4;
    st.global.b64 [%d1+72], %d5;
    ret;
}

.visible .entry through_shared(.param .u64 x, .param .u32 last)
{
    .reg .u32 %r<5>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [last];
    mov.u32 %r2, dynamic;
    add.u32 %r3, %r2, %r1;
    mov.u32 %r4, 77;
    st.shared.u32 [%r3], %r4;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%d1], %r4;
    ret;
}

.visible .entry nothing()
{
    ret;
}
"""

POINTER, U32, U64 = (dc.Parameter("x", "pointer"), dc.Parameter("n", "u32"), dc.Parameter("value", "u64"))
SIGNATURES = {
    "add": dc.Signature([POINTER, U32, dc.Parameter("k", "u32")]),
    "put": dc.Signature([POINTER, dc.Parameter("slot", "u32"), U64]),
    "echo": dc.Signature(
        [dc.Parameter("out", "pointer")]
        + [dc.Parameter(*p) for p in zip("abcdefgh", ("u8", "s16", "u32", "s64", "f16", "bf16", "f32", "f64"))]
        + [dc.Parameter("i", "bytes", 16, 8)]
    ),
    "through_shared": dc.Signature([POINTER, dc.Parameter("last", "u32")]),
    "nothing": dc.Signature([]),
}


def open_driver(name):
    if name == "cpu":
        from ptxgen.cpu.driver import open_driver

        dc.register_driver("cpu", open_driver, foreign_pointers=False)
    return dc.driver(name)


@pytest.fixture(scope="module")
def context(device_name):
    return open_driver(device_name).device(0).primary_context()


@pytest.fixture(scope="module")
def module(context):
    return context.load(PTX, signatures=SIGNATURES)


@pytest.fixture
def stream(context):
    with context.stream() as stream:
        yield stream


@pytest.fixture(autouse=True)
def nothing_leaks(context, module):
    gc.collect()
    before = context.live_handles()
    yield
    gc.collect()
    after = context.live_handles()
    after.pop("stream", None)  # the fixture's own
    before.pop("stream", None)
    assert after == before


def words(context, buffer, count, kind="I"):
    """The buffer's contents; reading them waits for the work before."""
    back = array.array(kind, bytes(count * array.array(kind).itemsize))
    context.copy_to_host(back, buffer)
    return back.tolist()


def filled(context, values, kind="I"):
    data = array.array(kind, values)
    buffer = context.alloc(len(data) * data.itemsize)
    context.copy_to_device(buffer, data)
    return buffer


def test_what_the_device_is(context):
    device = context.device
    assert context.driver.version >= 12000
    assert device.name
    assert len(device.uuid) == 36
    assert device.compute_capability >= (7, 5)
    assert device.total_memory > 1 << 28
    attributes = device.attributes()
    assert attributes[CUdevice_attribute.WARP_SIZE] == 32
    assert len(attributes) > 100
    free, total = context.memory_info()
    assert 0 < free <= total


def test_functions_of_the_table(context):
    """NVIDIA's driver has every function that is not newer than it is; the emulated one has those used here."""
    found = dc.diagnose(context.driver.name)
    assert found.usable
    missing = {each.symbol: each.since for each in found.missing}
    assert not {"cuLaunchKernelEx", "cuGraphInstantiateWithParams", "cuLogsDumpToMemory"} & set(missing)
    if context.driver.name == "cuda":
        windows_only = {"cuDeviceGetLuid"}
        gone = [s for s, since in missing.items() if since <= found.version and s not in windows_only]
        assert gone == []


def test_copies_and_fills(context, stream):
    one, two = context.alloc(4096), context.alloc(4096)
    data = array.array("I", range(1024))
    back = array.array("I", bytes(4096))
    context.copy_to_device(one, data)
    context.copy(two, one, 4096)
    context.copy_to_host(back, two)
    assert back == data
    context.memset(two, 7, 4096)
    context.memset(two.pointer + 16, 0x1234, 8, 2)
    context.memset(two.pointer + 64, 0xDEADBEEF, 4, 4)
    context.copy_to_host(back, two)
    assert back[:4].tolist() == [0x07070707] * 4
    assert back[4:8].tolist() == [0x12341234] * 4
    assert back[16:20].tolist() == [0xDEADBEEF] * 4
    context.memset(one, 1, 1024, 4, stream=stream)
    context.copy(two, one, 2048, stream=stream)
    context.copy_to_host(back, two, stream=stream)
    stream.synchronize()
    assert back[:512].tolist() == [1] * 512
    assert back[512] == 0x07070707


def test_pinned_memory(context, stream):
    pinned = context.alloc_pinned(4096)
    pinned.view[:] = bytes(range(256)) * 16
    buffer = context.alloc(4096)
    context.copy_to_device(buffer, pinned, stream=stream)
    stream.synchronize()
    pinned.view[:] = bytes(4096)
    context.copy_to_host(pinned, buffer, stream=stream)
    stream.synchronize()
    assert bytes(pinned.view) == bytes(range(256)) * 16


def test_events(context, module, stream):
    buffer = context.alloc(1 << 20)
    start = stream.record()
    context.memset(buffer, 1, 1 << 20, stream=stream)
    end = stream.record()
    end.synchronize()
    assert end.query()
    assert stream.query()
    assert 0 <= end.elapsed_ms(start) < 1000
    other = context.stream()
    other.wait(end)
    other.synchronize()


def test_a_module(context, module):
    function = module.function("add")
    attributes = function.attributes
    assert 0 < attributes.registers < 256
    assert attributes.max_threads == 1024
    assert attributes.static_shared == 0
    assert attributes.max_dynamic_shared >= 49152
    address, size = module.global_("counter")
    assert size == 4
    assert words(context, address, 1) == [5]
    assert sorted(module.function_names()) == sorted(SIGNATURES)
    with pytest.raises(dc.NotFoundError, match=r"there are: .*add"):
        module.function("sub")
    with pytest.raises(dc.NotFoundError):
        module.global_("sub")


def test_the_driver_knows_the_parameters_sizes(context):
    function = context.load(PTX).function("echo")
    assert [param.size for param in function.signature.params] == [8, 1, 2, 4, 8, 2, 2, 4, 8, 16]
    wrong = {"add": SIGNATURES["put"]}
    with pytest.raises(dc.ArgumentError, match=r"parameters of \[8, 4, 8\] bytes, the loaded code of \[8, 4, 4\]"):
        context.load(PTX, signatures=wrong).function("add")


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
    shared = module.function("put").bind(1, 1, stream=context.stream() if own_stream else None)
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
        stream = context.stream()
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


def test_a_graph_of_20_launches_replays_100_times(context, module, stream):
    x = filled(context, range(256))
    launcher = module.function("add").bind(1, 256, stream=stream)
    with stream.capture() as capture:
        for k in range(20):
            launcher(x, 256, k)
    assert words(context, x, 2) == [0, 1]
    execution = capture.graph.instantiate()
    execution.upload(stream)
    for _ in range(100):
        execution.launch(stream)
    stream.synchronize()
    assert words(context, x, 256) == [i + 100 * 190 for i in range(256)]


def test_the_inventory_of_a_graph(context, module, stream):
    x = context.alloc(4096)
    with stream.capture() as capture:
        context.memset(x, 3, 1024, 4, stream=stream)
        module.function("add").launch((2, 2), 128, x, 1024, 7, stream=stream)
        module.function("nothing").launch(1, 1, stream=stream)
        context.copy(x.pointer + 2048, x, 2048, stream=stream)
    fill, add, nothing, copy = sorted(capture.graph.nodes(), key=lambda n: ["memset", "kernel", "memcpy"].index(n.kind))
    if add.name == "nothing":
        add, nothing = nothing, add
    assert (fill.details["dst"], fill.details["value"], fill.details["width"]) == (x.pointer, 3, 1024)
    assert (add.kind, add.name, add.grid, add.block) == ("kernel", "add", (2, 2, 1), (128, 1, 1))
    assert add.arguments == (("x", x.pointer), ("n", 1024), ("k", 7))
    assert (nothing.name, nothing.arguments) == ("nothing", ())
    assert (copy.details["dst"], copy.details["src"], copy.details["bytes"]) == (x.pointer + 2048, x.pointer, 2048)
    handles = [fill.handle, add.handle, nothing.handle, copy.handle]
    assert {(e.source, e.target) for e in capture.graph.edges()} == set(pairwise(handles))


def test_a_captured_body_that_raises(context, module, stream):
    x = filled(context, [1])
    with pytest.raises(ZeroDivisionError), stream.capture():
        module.function("add").launch(1, 32, x, 1, 1, stream=stream)
        raise ZeroDivisionError
    stream.synchronize()
    module.function("add").launch(1, 32, x, 1, 1, stream=stream)
    with stream.capture() as capture:
        module.function("add").launch(1, 32, x, 1, 1, stream=stream)
    capture.graph.instantiate().launch(stream)
    stream.synchronize()
    assert words(context, x, 1) == [3]


@pytest.mark.parametrize(
    "forbidden, symbol",
    [
        (lambda context, stream: stream.synchronize(), "cuStreamSynchronize"),
        (lambda context, stream: context.synchronize(), "cuCtxSynchronize"),
        (lambda context, stream: context.alloc(16), "cuMemAlloc_v2"),
    ],
    ids=["stream.synchronize", "context.synchronize", "alloc"],
)
def test_what_cannot_be_captured(context, module, stream, forbidden, symbol):
    with pytest.raises(dc.CaptureError, match=symbol), stream.capture():
        forbidden(context, stream)
    with (
        pytest.raises(dc.CaptureError, match=f"first call that failed inside the capture was {symbol}"),
        stream.capture(),
        pytest.raises(dc.CaptureError),
    ):
        forbidden(context, stream)
    stream.synchronize()
    with stream.capture() as capture:
        module.function("nothing").launch(1, 1, stream=stream)
    assert len(capture.graph.nodes()) == 1


def test_captures_that_cannot_begin(context, stream):
    with pytest.raises(dc.CaptureError), context.default_stream.capture():
        pass
    with stream.capture(), pytest.raises(dc.CaptureError), stream.capture():
        pass
    stream.synchronize()


def test_streams_join_a_capture(context, module, stream):
    x = filled(context, [0, 0])
    side = context.stream()
    add = module.function("add")
    with stream.capture() as capture:
        add.launch(1, 32, x, 2, 1, stream=stream)
        side.wait(stream.record())
        add.launch(1, 32, x.pointer + 4, 1, 10, stream=side)
        add.launch(1, 32, x, 1, 100, stream=stream)
        stream.wait(side.record())
        add.launch(1, 32, x, 2, 1, stream=stream)
    assert len(capture.graph.nodes()) == 4
    assert len(capture.graph.edges()) == 4
    capture.graph.instantiate().launch(stream)
    stream.synchronize()
    assert words(context, x, 2) == [102, 12]


def test_an_unjoined_stream_breaks_the_capture(context, module, stream):
    side = context.stream()
    with pytest.raises(dc.CaptureError), stream.capture():
        side.wait(stream.record())
        module.function("nothing").launch(1, 1, stream=side)
    stream.synchronize()
    side.synchronize()


def test_the_graph_owns_its_buffers_and_code(context, stream):
    x = filled(context, [1])
    function = context.load(PTX, signatures=SIGNATURES).function("add")
    with stream.capture() as capture:
        function.launch(1, 32, x, 1, 1, stream=stream)
    execution = capture.graph.instantiate()
    address = x.pointer
    x.close()
    function.module.close()
    del x, function, capture
    gc.collect()
    context.synchronize()
    for _ in range(3):
        execution.launch(stream)
    stream.synchronize()
    assert words(context, address, 1) == [4]
    execution.close()


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


@pytest.mark.parametrize(
    "old, new",
    [
        ("add.u64 %d3", "frob.u64 %d3"),
        ("add.u64 %d3, %d1, %d2;", "add.u64 %d3, %d1, %r1;"),
        ("bra DONE", "bra NOWHERE"),
    ],
    ids=["opcode", "type", "label"],
)
def test_refused_ptx_names_its_line(context, old, new):
    line = PTX[: PTX.index(old)].count("\n") + 1
    with pytest.raises(dc.JitError) as caught:
        context.load(PTX.replace(old, new, 1), line_map=lambda n: f"source.py:{n}")
    error = caught.value
    assert any(message.line == line for message in error.messages), error
    assert f"> {line:5} |" in str(error)
    assert f"from source.py:{line}" in str(error)


@pytest.mark.parametrize("image", ["", "hello world", ".version 99.0\n.target sm_75\n.address_size 64\n"])
def test_an_image_that_is_none(context, image):
    with pytest.raises(dc.CudaError):
        context.load(image)
    context.synchronize()


def test_more_memory_than_there_is(context):
    with pytest.raises(dc.OutOfMemoryError):
        context.alloc(1 << 50)
    context.alloc(1 << 20).close()


def test_ordinals_that_are_not_there(context):
    with pytest.raises(dc.DeviceNotFoundError):
        context.driver.device(context.driver.device_count())


def in_a_process(device_name, program):
    """Run *program* in a process of its own, with ``context``, ``module`` and ``stream`` made."""
    start = (
        "import ctypes, gc, os, pytest\nimport driver_ctypes as dc\n"
        "from tests.driver_ctypes.test_on_device import *\n"
        f"context = open_driver({device_name!r}).device(0).primary_context()\n"
        "module, stream = context.load(PTX, signatures=SIGNATURES), context.stream()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", start + program],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_a_fault_poisons_the_context_and_names_itself(device_name):
    said = in_a_process(
        device_name,
        """
x = context.alloc(64)
module.function("put").launch(1, 1, 0x10, 0, 1, stream=stream)
try:
    stream.synchronize()
except dc.IllegalAddressError as error:
    print("put" in str(error), error.code, context.poisoned.code)
for use in (context.synchronize, lambda: context.alloc(4), lambda: module.function("add").launch(1, 1, x, 1, 1)):
    try:
        use()
    except dc.ContextLostError as error:
        print(error.first.code)
x.close(); stream.close(); module.close()
del x, stream, module
gc.collect()
try:
    context.device.reset()
    fresh = context.device.primary_context()
    print("recovered", fresh.poisoned, fresh.alloc(64).nbytes)
except dc.FatalError as error:
    print("recovered None 64" if context.driver.name == "cuda" else error)
""",
    )
    assert said == "True 700 700\n700\n700\n700\nrecovered None 64\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_refuses(device_name):
    said = in_a_process(
        device_name,
        """
launcher = module.function("nothing").bind(1, 1, stream=stream)
launcher()
child = os.fork()
if not child:
    for use in (launcher, context.synchronize, lambda: context.alloc(4), lambda: context.driver.devices()):
        try:
            use()
        except dc.ForkedProcessError:
            print("refused", flush=True)
    os._exit(0)
os.waitpid(child, 0)
launcher()
stream.synchronize()
print("parent lives")
""",
    )
    assert said == "refused\n" * 4 + "parent lives\n"


def test_leaving_everything_to_the_end_of_the_process(device_name):
    said = in_a_process(
        device_name,
        """
with stream.capture() as capture:
    module.function("nothing").launch(1, 1, stream=stream)
keep = [capture.graph.instantiate(), context.alloc(64), context.alloc_pinned(64), context.event()]
keep.append(keep)
del keep
print("done")
""",
    )
    assert said == "done\n"


def test_close_gives_everything_back(device_name):
    said = in_a_process(
        device_name,
        """
keep = [context.alloc(64), context.alloc_pinned(64), context.event()]
context.close()
print(dc.live_handles(), all(thing.closed for thing in keep))
again = context.device.primary_context()
again.alloc(64).close()
print(again is context)
""",
    )
    assert said == "{} True\nFalse\n"


@pytest.mark.cuda_only
def test_two_devices(device_name):
    """What runs where is decided by the object, whatever context another library has made current."""
    driver = open_driver(device_name)
    if driver.device_count() < 2:
        pytest.skip("one GPU only")
    contexts = [driver.device(i).primary_context() for i in (0, 1)]
    functions = [context.load(PTX, signatures=SIGNATURES).function("add") for context in contexts]
    for current in (*contexts, None):
        driver.call("cuCtxSetCurrent", current.handle if current else None)
        for context, function in zip(contexts, functions):
            x = filled(context, [1])
            stream = context.stream()
            function.launch(1, 32, x, 1, 1)
            function.bind(1, 32)(x, 1, 1)
            function.bind(1, 32, stream=stream)(x, 1, 1)
            launcher = function.bind(1, 32, stream=stream)
            launcher(x, 1, 1)
            launcher(x, 1, 1)
            stream.synchronize()
            context.synchronize()
            assert words(context, x, 1) == [6]
            now = ctypes.c_void_p()
            driver.call("cuCtxGetCurrent", ctypes.byref(now))
            assert now.value == (current or contexts[0]).handle
    x = filled(contexts[0], [1])
    with pytest.raises(dc.ArgumentError, match="lives on"):
        functions[1].launch(1, 32, x, 1, 1)
