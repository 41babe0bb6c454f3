"""Launches: what reaches the driver, from which thread, and what a bound launcher costs in checks.

Every test runs with both launchers: that of machine code, and that of ctypes.
"""

import ctypes
import gc
import math
import struct
import sys
import threading

import numpy as np
import pytest

import driver_ctypes as dc
from driver_ctypes.trampoline import choice


@pytest.fixture(params=["native", "ctypes"], autouse=True)
def launcher_kind(request, monkeypatch):
    if request.param == "native" and choice.choose("").kind != "native":
        pytest.skip(f"no native launcher here: {choice.choose('').reason}")
    monkeypatch.setattr(choice, "_chosen", dc.LauncherInfo(request.param, "for this test"))
    return request.param


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
def test_40_000_launches_from_8_threads_each_with_its_own_arguments(fake, context, saxpy, own_stream):
    """tools/bench/launch.py --threads does it eight times as often, with a driver that takes its time."""
    launcher = saxpy.bind(1, 32, stream=context.stream() if own_stream else None)
    start = threading.Barrier(8)

    def work(number):
        start.wait()
        for i in range(5_000):
            launcher(i, float(number), number, i)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_thread = {}
    for launch in fake.launches:
        by_thread.setdefault(launch.thread, []).append(unpack(launch))
    assert sorted(sent[0][2] for sent in by_thread.values()) == list(range(8))
    for sent in by_thread.values():
        number = sent[0][2]
        assert sent == [(i, float(number), number, i) for i in range(5_000)]


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


def test_a_launcher_is_a_documented_function(saxpy, launcher_kind):
    launcher = saxpy.bind((4, 2), 128)
    assert launcher.__name__ == "saxpy"
    assert launcher.__doc__ == (
        "Launch kernel 'saxpy', grid (4, 2, 1), block (128, 1, 1), 0 bytes of dynamic shared memory: "
        "saxpy(n: u32, a: f32, x: pointer, y: pointer)"
    )
    kind = type(len) if launcher_kind == "native" else type(unpack)
    assert type(launcher) is kind


def test_arguments_have_no_keywords(fake, saxpy):
    launcher = saxpy.bind(1, 32)
    for keywords in ({"n": 1}, {"grid": 2}, {"stream": None}):
        with pytest.raises(TypeError, match="keyword"):
            launcher(1, 1.0, 0, 0, **keywords)
    assert fake.launches == []


def test_the_launcher_is_chosen_by_the_environment(launcher_kind):
    assert dc.launcher().kind == launcher_kind
    assert choice.choose(launcher_kind).kind == launcher_kind
    assert choice.choose("ctypes") == ("ctypes", "DRIVER_CTYPES_LAUNCHER asks for it")
    with pytest.raises(dc.Error, match=r"DRIVER_CTYPES_LAUNCHER='fast' names no launcher\n  Fix: set it to native or"):
        choice.choose("fast")


# --- every kind of argument, at the ends of its range ------------------------------------------------------------------

KINDS = "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 pointer".split()


def function_of(fake, context, *params):
    """A kernel with these parameters, and a launcher of it that has launched before."""
    sizes = {"pointer": "u64", "bytes": "b8", "opaque": "b8"}
    declared = ", ".join(
        f".param .{sizes.get(p.kind, p.kind).replace('bf16', 'b16')} {p.name}"
        + (f"[{p.size}]" if p.kind in ("bytes", "opaque") else "")
        for p in params
    )
    ptx = f".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k({declared}) {{ ret; }}\n"
    return context.load(ptx, signatures={"k": dc.Signature(params)}).function("k")


@pytest.fixture
def sent(fake, context, stream):
    """``sent(kind, value, size)``: the bytes that reach the driver, by a launcher that has launched before."""
    launchers = {}

    def send(kind, value, size=0):
        if (kind, size) not in launchers:
            launcher = function_of(fake, context, dc.Parameter("v", kind, size)).bind(1, 1, stream=stream)
            launcher(bytes(size) if size not in (0, 1, 2, 4, 8) or kind == "bytes" else 0)
            launchers[kind, size] = launcher
        fake.launches.clear()
        launchers[kind, size](value)
        (launch,) = fake.launches
        return launch.args[0]

    return send


@pytest.mark.parametrize("kind", [k for k in KINDS if k[0] in "us"])
def test_integers_at_the_ends_of_their_range(sent, kind):
    bits = int(kind[1:])
    low, high = (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for value in {low, low + 1, 0, 1, 100, high - 1, high, min(2**30 - 1, high), min(2**30, high), min(2**60, high)}:
        assert sent(kind, value) == (value % 2**bits).to_bytes(bits // 8, "little"), value
    for value in (low - 1, high + 1, 2**64, -(2**63) - 1, 2**200):
        with pytest.raises(dc.ArgumentRangeError, match=rf"is outside {low} to {high}\n  Fix"):
            sent(kind, value)
    for value in (np.int8(7), np.uint64(7), True):
        assert sent(kind, value) == int(value).to_bytes(bits // 8, "little")
    for value in (1.0, "1", None, [1]):
        with pytest.raises(dc.ArgumentTypeError, match="expected an integer"):
            sent(kind, value)


@pytest.mark.parametrize("kind, code", [("f16", "e"), ("f32", "f"), ("f64", "d")])
def test_floats_at_the_ends_of_their_range(sent, kind, code):
    largest = {"f16": 65504.0, "f32": float(np.finfo(np.float32).max), "f64": sys.float_info.max}[kind]
    values = [
        0.0,
        -0.0,
        -1.0,
        0.1,
        1e-7,
        5e-324,
        largest,
        -largest,
        math.inf,
        -math.inf,
        3,
        -1,
        2**20 if kind != "f16" else 9,
    ]
    for value in values:
        assert sent(kind, value) == struct.pack("<" + code, value), value
    assert math.isnan(struct.unpack("<" + code, sent(kind, math.nan))[0])
    assert sent(kind, np.float32(0.25)) == sent(kind, True and 0.25)
    if kind != "f64":
        with pytest.raises(dc.ArgumentRangeError, match=f"too large for {kind}"):
            sent(kind, largest * 1.01)
    for value in ("1", None, 1j):
        with pytest.raises(dc.ArgumentTypeError, match="expected a number"):
            sent(kind, value)
    with pytest.raises(dc.ArgumentRangeError):
        sent(kind, 10**400)


def test_bf16_is_rounded_once_and_the_same_on_both_launchers(sent):
    random = np.random.default_rng(0)
    values = random.standard_normal(300) * 10.0 ** random.integers(-45, 39, 300)
    ties = [
        1 + 2**-8,
        1 + 3 * 2**-8,
        1 + 2**-8 + 2**-40,
        1 + 2**-8 - 2**-40,
        1 + 3 * 2**-8 - 2**-50,
        2.0**-133 * 1.5,
        -1.0,
        7,
    ]
    for value in [*values.tolist(), *ties, 0.0, -0.0, math.inf, -math.inf, math.nan, 3.3895e38]:
        assert sent("bf16", value) == struct.pack("<H", dc_bf16(value)), value
    for value in (3.3962e38, 1e39, 1e300):
        with pytest.raises(dc.ArgumentRangeError, match="too large for bf16"):
            sent("bf16", value)


def dc_bf16(value):
    from driver_ctypes.arguments.signature import bf16_bits

    return bf16_bits(value)


def test_pointers_at_the_ends_of_their_range(sent, context):
    for value in (0, 1, 2**30 - 1, 2**30, 0x7F00_0000_0000, 2**60, 2**63, 2**64 - 1):
        assert sent("pointer", value) == sent("opaque", value, 8) == value.to_bytes(8, "little")
    assert sent("opaque", -1, 8) == b"\xff" * 8
    with context.alloc(64) as buffer:
        assert sent("pointer", buffer) == sent("opaque", buffer, 8) == buffer.pointer.to_bytes(8, "little")
        assert sent("pointer", buffer) == buffer.pointer.to_bytes(8, "little")  # by what the launcher has learned
    for value in (None, 1.5, "x", b"x", True):
        with pytest.raises(dc.ArgumentTypeError, match=r"expected a device pointer|is host memory"):
            sent("pointer", value)
    for value in (-1, 2**64):
        with pytest.raises(dc.ArgumentRangeError):
            sent("pointer", value)


def test_structures_by_value(sent):
    class Pair(ctypes.Structure):
        _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_float))

    class Laid:
        layout = None

        def pack(self):
            return b"laid out"

    assert sent("bytes", b"12345678", 8) == b"12345678"
    assert sent("bytes", bytearray(b"12345678"), 8) == b"12345678"
    assert sent("bytes", Pair(1, 1.0), 8) == bytes(Pair(1, 1.0))
    assert sent("bytes", Laid(), 8) == b"laid out"
    assert sent("opaque", b"123", 3) == b"123"
    for value in (b"1234567", b"123456789", b""):
        with pytest.raises(dc.ArgumentTypeError, match="expected exactly 8 bytes"):
            sent("bytes", value, 8)
    with pytest.raises(dc.ArgumentTypeError, match="expected 8 bytes, found int"):
        sent("bytes", 5, 8)


def test_what_is_only_known_by_size(sent):
    for size in (1, 2, 4):
        bits = 8 * size
        for value in (0, -1, 2**bits - 1, -(2 ** (bits - 1))):
            assert sent("opaque", value, size) == (value % 2**bits).to_bytes(size, "little")
        for value in (2**bits, -(2 ** (bits - 1)) - 1):
            with pytest.raises(dc.ArgumentRangeError, match=f"does not fit {size} bytes"):
                sent("opaque", value, size)


# --- what a pointer points to -----------------------------------------------------------------------------------------


class Element:
    def __init__(self, name):
        self.name, self.kind, self.bits = name, name[0], int(name[1:])


F32, F64, U32, S32, B32 = (Element(name) for name in ("f32", "f64", "u32", "s32", "b32"))


class Array:
    """A part of a buffer that says what is in it: the slots are what a native launcher reads."""

    __slots__ = ("_address", "_life", "buffer", "context", "type")

    def __init__(self, buffer, type, offset=0):
        self.buffer, self.type, self.context = buffer, type, buffer.context
        self._address, self._life = buffer.pointer + offset, buffer._life

    @property
    def pointer(self):
        return self.buffer.pointer and self._address


@pytest.fixture
def pointing(fake, context, stream):
    """A kernel whose pointer wants f32 elements at multiples of 16 bytes; and its two ways to be launched."""
    function = function_of(fake, context, dc.Parameter("x", "pointer", element=F32, aligned=16))
    return function.bind(1, 1, stream=stream), lambda *args: function.launch(1, 1, *args, stream=stream)


def test_arrays_of_other_elements_are_refused(fake, context, pointing):
    with context.alloc(256) as buffer:
        for launch in pointing:
            for _ in range(3):
                launch(Array(buffer, F32))
                with pytest.raises(
                    dc.ArgumentTypeError,
                    match=r"k: argument 1 \(x: pointer\): x points to .f32 elements, the array has .f64",
                ):
                    launch(Array(buffer, F64))
                with pytest.raises(dc.ArgumentTypeError, match=r"the array has \.u32"):
                    launch(Array(buffer, U32))
                launch(Array(buffer, B32))  # bits are anything of their size
                launch(buffer)  # and a buffer says nothing
                launch(buffer.pointer)
    assert {launch.args[0] for launch in fake.launches} == {buffer._address.to_bytes(8, "little")}
    assert len(fake.launches) == 24


def test_signs_do_not_matter_to_a_pointer(fake, context, stream):
    launcher = function_of(fake, context, dc.Parameter("x", "pointer", element=U32)).bind(1, 1, stream=stream)
    with context.alloc(256) as buffer:
        for element in (U32, S32, B32, S32, U32):
            launcher(Array(buffer, element))
        with pytest.raises(dc.ArgumentTypeError, match=r"points to \.u32 elements, the array has \.f32"):
            launcher(Array(buffer, F32))


def test_parts_that_are_not_aligned_are_refused(fake, context, pointing):
    with context.alloc(256) as buffer:
        for launch in pointing:
            launch(Array(buffer, F32))
            launch(Array(buffer, F32, 32))
            for argument in (Array(buffer, F32, 8), buffer.pointer + 4, 1):
                with pytest.raises(dc.ArgumentError, match="its vector accesses need 16-byte alignment"):
                    launch(argument)
    assert len(fake.launches) == 4


def test_a_closed_array_or_one_of_another_context_is_refused_although_the_launcher_knows_its_kind(
    fake, context, pointing
):
    launcher, _ = pointing
    buffer = context.alloc(64)
    array = Array(buffer, F32)
    for _ in range(3):
        launcher(array)
    buffer.close()
    with pytest.raises(dc.ClosedError, match=r"argument 1 \(x: pointer\): this buffer is closed"):
        launcher(array)
    foreign = fake.open("other").device(0).primary_context().alloc(64)
    with pytest.raises(dc.ArgumentError, match="the Array lives on"):
        launcher(Array(foreign, F32))
    with context.alloc(64) as fresh:
        launcher(Array(fresh, F32))


# --- what a launch leaves behind --------------------------------------------------------------------------------------


def test_launches_and_refusals_leave_no_references(fake, context, saxpy, stream):
    launcher = saxpy.bind(1, 32, stream=stream)
    big, number, scale = 2**40 + 12345, 2**31 + 7, 0.123
    with context.alloc(64) as x:
        wrong = [(number, scale, x), (number, "no", x, big), (2**90, scale, x, big), (number, scale, None, big)]

        def once():
            launcher(number, scale, x, big)
            for args in wrong:
                try:
                    launcher(*args)
                except dc.ArgumentError:
                    pass

        once()
        once()
        fake.launches.clear()
        things = (x, x._life, big, number, scale, None, launcher, *wrong)
        before = [sys.getrefcount(thing) for thing in things]
        for _ in range(2_000):
            once()
            fake.launches.clear()
        after = [sys.getrefcount(thing) for thing in things]
    assert [abs(a - b) for a, b in zip(after, before)] == pytest.approx([0] * len(things), abs=8)


def test_a_launcher_goes_when_nobody_has_it(context, saxpy, stream):
    import weakref

    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    plans = [weakref.ref(plan) for plan in context.launches]
    del launcher
    assert [ref() for ref in plans] == [None]  # by reference counts alone


def test_the_gil_is_free_while_the_driver_works(fake, saxpy, stream):
    """The driver's launch waits for another thread, which can only come if the launch holds no lock of Python's."""
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    entered, seen = threading.Event(), threading.Event()

    def other():
        assert entered.wait(10)
        seen.set()

    def blocks(kernel):
        entered.set()
        assert seen.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    fake.on_launch = blocks
    launcher(2, 1.0, 0, 0)
    thread.join()
    assert seen.is_set()


def test_a_fault_names_the_last_launch_whoever_launched_it(fake, context, saxpy, module, stream):
    saxpy.launch((9, 1, 1), 32, 1, 1.0, 0, 0)
    launcher = saxpy.bind((7, 1, 1), 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    launcher(1, 1.0, 0, 0)
    assert "grid (7, 1, 1)" in str(context.launches.last_launch)
    module.function("empty").launch(3, 1)
    assert "kernel 'empty'" in str(context.launches.last_launch)
    launcher(1, 1.0, 0, 0)
    del launcher
    assert "grid (7, 1, 1)" in str(context.launches.last_launch)


def test_no_launch_reaches_a_context_that_died(fake, context, saxpy, stream):
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    fake.fail("cuLaunchKernelEx", 700)
    with pytest.raises(dc.IllegalAddressError):
        launcher(1, 1.0, 0, 0)
    sent = fake.counts["cuLaunchKernelEx"]
    for use in (launcher, lambda *args: saxpy.launch(1, 32, *args, stream=stream)):
        with pytest.raises(dc.ContextLostError, match="died earlier"):
            use(1, 1.0, 0, 0)
    assert fake.counts["cuLaunchKernelEx"] == sent


def test_a_launch_after_a_revocation_in_its_middle_is_checked_again(fake, context, saxpy):
    stream = context.stream()
    launcher = saxpy.bind(1, 32, stream=stream)
    fake.on_launch = lambda kernel: stream.close()
    launcher(1, 1.0, 0, 0)  # the first one is checked, and would open the way for quick ones
    fake.on_launch = None
    with pytest.raises(dc.ClosedError, match="stream is closed"):
        launcher(1, 1.0, 0, 0)


def test_a_capture_keeps_what_a_launcher_uses(fake, context, saxpy, stream):
    launcher = saxpy.bind(1, 32, stream=stream)
    x = context.alloc(64)
    for _ in range(3):
        launcher(1, 1.0, x, x)
    with stream.capture() as capture:
        launcher(2, 1.0, x, x)
    assert any(owner is x for owner in capture.graph.owners)
    launcher(3, 1.0, x, x)
    assert [unpack(launch)[0] for launch in fake.launches] == [1, 1, 1, 3]


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
