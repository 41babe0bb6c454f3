"""Launches: what reaches the driver, from which thread, and what a bound launcher costs in checks."""

import gc
import struct
import threading

import pytest

import driver_ctypes as dc


def unpack(launch):
    n, a, x, y = (arg for arg in launch.args)
    return (*struct.unpack("<I", n), *struct.unpack("<f", a), *struct.unpack("<Q", x), *struct.unpack("<Q", y))


def test_launch_sends_configuration_and_arguments(fake, context, saxpy, stream):
    x, y = context.alloc(64), context.alloc(64)
    saxpy.launch((3, 2), 128, 16, 0.5, x, y, shared=1024, stream=stream)
    (launch,) = fake.launches
    assert (launch.kernel, launch.grid, launch.block) == ("saxpy", (3, 2, 1), (128, 1, 1))
    assert (launch.shared, launch.stream) == (1024, stream.handle)
    assert unpack(launch) == (16, 0.5, x.pointer, y.pointer)
    assert launch.attributes == {}


def test_bound_launcher_sends_the_same(fake, context, saxpy, stream):
    x = context.alloc(64)
    launcher = saxpy.bind((3, 2), 128, shared=1024, stream=stream)
    for n in range(5):
        launcher(n, n / 2, x, 0xFFFF_FFFF_FFFF_FFFF)
    assert [unpack(launch)[:2] for launch in fake.launches] == [(n, n / 2) for n in range(5)]
    assert {(launch.grid, launch.shared, launch.stream) for launch in fake.launches} == {
        ((3, 2, 1), 1024, stream.handle)
    }


@pytest.mark.parametrize("own_stream", [True, False], ids=["stream", "default stream"])
def test_80_000_launches_from_4_threads_each_with_its_own_arguments(fake, context, saxpy, own_stream):
    launcher = saxpy.bind(1, 32, stream=context.stream() if own_stream else None)
    start = threading.Barrier(4)

    def work(number):
        start.wait()
        for i in range(20_000):
            launcher(i, float(number), number, i)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_thread = {}
    for launch in fake.launches:
        by_thread.setdefault(launch.thread, []).append(unpack(launch))
    assert sorted(sent[0][2] for sent in by_thread.values()) == [0, 1, 2, 3]
    for sent in by_thread.values():
        number = sent[0][2]
        assert sent == [(i, float(number), number, i) for i in range(20_000)]


def test_arguments_of_every_kind_reach_the_kernel(fake, module, stream):
    function = module.function("mixed")
    args = (255, -2, 2**64 - 1, 1.5, 1 + 2**-7, 0.1, bytes(range(24)))
    function.launch(1, 1, *args)
    function.bind(1, 1, stream=stream)(*args)
    expected = [
        b"\xff", b"\xfe\xff", b"\xff" * 8, b"\0\x3e", b"\x81\x3f", struct.pack("<d", 0.1), bytes(range(24)),
    ]  # fmt: skip
    assert [launch.args for launch in fake.launches] == [expected, expected]


def test_a_kernel_without_parameters(fake, module, stream):
    function = module.function("empty")
    function.launch(1, 1)
    launcher = function.bind(1, 1, stream=stream)
    launcher()
    launcher()
    assert [launch.args for launch in fake.launches] == [[], [], []]
    with pytest.raises(dc.ArgumentCountError, match=r"empty\(\) takes 0 argument\(s\), 1 were given"):
        launcher(1)


BAD_ARGUMENTS = [
    ((), dc.ArgumentCountError, "takes 4 argument.s., 0 were given"),
    ((1, 1.0, 0), dc.ArgumentCountError, "also pass y"),
    ((1, 1.0, 0, 0, 0), dc.ArgumentCountError, "leave out the last 1"),
    ((-1, 1.0, 0, 0), dc.ArgumentRangeError, "argument 1 .n: u32.: -1 is outside 0 to 4294967295"),
    ((2**32, 1.0, 0, 0), dc.ArgumentRangeError, "outside 0 to 4294967295"),
    ((1.0, 1.0, 0, 0), dc.ArgumentTypeError, "argument 1 .n: u32.: expected an integer, found float 1.0"),
    ((1, "a", 0, 0), dc.ArgumentTypeError, "argument 2 .a: f32.: expected a number, found str 'a'"),
    ((1, 1e300, 0, 0), dc.ArgumentRangeError, "too large for f32"),
    ((1, 1.0, None, 0), dc.ArgumentTypeError, "pass 0 for a null pointer"),
    ((1, 1.0, 0, 1.5), dc.ArgumentTypeError, "argument 4 .y: pointer.: expected a device pointer"),
    ((1, 1.0, 0, -5), dc.ArgumentRangeError, "argument 4"),
]


@pytest.mark.parametrize("args, kind, message", BAD_ARGUMENTS)
def test_bad_arguments_reach_no_driver(fake, saxpy, stream, args, kind, message):
    launcher = saxpy.bind(1, 32, stream=stream)
    for use in (launcher, lambda *a: saxpy.launch(1, 32, *a), launcher):
        with pytest.raises(kind, match=message):
            use(*args)
        launcher(1, 1.0, 0, 0)  # neither a first nor a later refusal breaks the launcher
    assert fake.counts["cuLaunchKernelEx"] == 3


def test_an_argument_s_own_exception_goes_on(saxpy, stream):
    class Odd:
        def __index__(self):
            raise ZeroDivisionError("odd")

    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    for use in (launcher, lambda *a: saxpy.launch(1, 32, *a)):
        with pytest.raises(ZeroDivisionError, match="odd"):
            use(Odd(), 1.0, 0, 0)


def test_an_argument_that_launches_while_it_is_converted_disturbs_nobody(fake, saxpy, stream):
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(0, 0.0, 0, 0)

    class Nested:
        def __index__(self):
            launcher(7, 7.0, 7, 7)
            return 1

    fake.launches.clear()
    launcher(5, 5.0, 5, Nested())
    launcher(5, 5.0, Nested(), 5)
    values = [unpack(launch) for launch in fake.launches]
    assert values == [(7, 7.0, 7, 7), (5, 5.0, 5, 1), (7, 7.0, 7, 7), (5, 5.0, 1, 5)]


def test_a_bound_launcher_asks_for_no_context_where_stream_and_kernel_carry_it(fake, saxpy, stream):
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    fake.calls.clear()
    launcher(1, 1.0, 0, 0)
    assert fake.symbols() == ["cuLaunchKernelEx"]


@pytest.mark.parametrize("own_stream", [True, False], ids=["stream", "default stream"])
def test_a_driver_that_wants_the_context_gets_it(fake, context, saxpy, own_stream):
    fake.launch_needs_context = True
    launcher = saxpy.bind(1, 32, stream=context.stream() if own_stream else None)
    launcher(1, 1.0, 0, 0)
    thread = threading.Thread(target=launcher, args=(2, 1.0, 0, 0))
    thread.start()
    thread.join()
    assert [unpack(launch)[0] for launch in fake.launches] == [1, 2]


def test_the_default_stream_means_this_context_s(fake, context, saxpy):
    launcher = saxpy.bind(1, 32)
    launcher(1, 1.0, 0, 0)
    fake.current.value = 0xBEEF
    seen = []
    fake.on_launch = lambda kernel: seen.append(fake.current.value)
    launcher(1, 1.0, 0, 0)
    assert seen == [context.handle]
    assert fake.current.value == 0xBEEF


@pytest.mark.parametrize(
    "code, kind", [(701, dc.LaunchError), (720, dc.LaunchError), (400, dc.InvalidHandleError), (1, dc.CudaError)]
)
def test_a_launch_that_the_driver_refuses(fake, saxpy, stream, code, kind):
    launcher = saxpy.bind((2, 3), 64, stream=stream, shared=8)
    launcher(1, 1.0, 0, 0)
    fake.fail("cuLaunchKernelEx", code, on_call=0)
    for use in (launcher, lambda *a: saxpy.launch((2, 3), 64, *a, shared=8, stream=stream)):
        with pytest.raises(kind, match=r"launching kernel 'saxpy', grid \(2, 3, 1\), block \(64, 1, 1\), 8 bytes"):
            use(1, 1.0, 0, 0)
    fake.failures.clear()
    launcher(1, 1.0, 0, 0)


def test_closing_what_a_launcher_uses_closes_it(fake, context, module, saxpy):
    stream = context.stream()
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    stream.close()
    with pytest.raises(dc.ClosedError, match="stream is closed"):
        launcher(1, 1.0, 0, 0)
    with pytest.raises(dc.ClosedError, match="stream is closed"):
        saxpy.launch(1, 32, 1, 1.0, 0, 0, stream=stream)
    launcher = saxpy.bind(1, 32)
    launcher(1, 1.0, 0, 0)
    module.close()
    with pytest.raises(dc.ClosedError, match="module is closed"):
        launcher(1, 1.0, 0, 0)
    assert fake.counts["cuLaunchKernelEx"] == 2


def test_a_launcher_keeps_what_it_uses(fake, context, stream):
    from tests.driver_ctypes.conftest import PTX, SIGNATURES

    launcher = context.load(PTX, signatures=SIGNATURES).function("saxpy").bind(1, 32, stream=context.stream())
    gc.collect()
    launcher(1, 1.0, 0, 0)
    assert len(fake.launches) == 1


def test_a_launcher_is_a_documented_function(saxpy):
    launcher = saxpy.bind((4, 2), 128)
    assert launcher.__name__ == "saxpy"
    assert launcher.__doc__ == (
        "Launch kernel 'saxpy', grid (4, 2, 1), block (128, 1, 1), 0 bytes of dynamic shared memory: "
        "saxpy(n: u32, a: f32, x: pointer, y: pointer)"
    )


def test_a_closed_buffer_or_one_of_another_context_is_no_argument(fake, context, saxpy, stream):
    x = context.alloc(16)
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, x, x)
    x.close()
    for use in (launcher, lambda *a: saxpy.launch(1, 32, *a)):
        with pytest.raises(dc.ClosedError, match=r"argument 3 \(x: pointer\): this buffer is closed"):
            use(1, 1.0, x, 0)
    foreign = fake.open("other").device(0).primary_context().alloc(16)
    with pytest.raises(dc.ArgumentError, match=r"argument 4 \(y: pointer\): the Buffer lives on"):
        launcher(1, 1.0, 0, foreign)
