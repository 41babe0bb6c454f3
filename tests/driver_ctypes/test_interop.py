"""Arrays and streams of other libraries: read by every protocol, launched on their streams, ordered with ours.

The libraries here are stand-ins that speak the protocols; tests/ptxgen/host/test_frameworks.py has the real ones.
"""

import ctypes
import gc
import struct
import threading
import weakref

import numpy as np
import pytest

import driver_ctypes as dc
from driver_ctypes import lifetime
from driver_ctypes.interop import dlpack, elements
from driver_ctypes.trampoline import choice
from tests.driver_ctypes.fake import Fake

PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y) { ret; }\n"
THEIR_STREAM, OTHER_STREAM = 0x7777_0000, 0x8888_0000


@pytest.fixture(params=["native", "ctypes"], autouse=True)
def launcher_kind(request, monkeypatch):
    if request.param == "native" and choice.choose("").kind != "native":
        pytest.skip(f"no native launcher here: {choice.choose('').reason}")
    monkeypatch.setattr(choice, "_chosen", dc.LauncherInfo(request.param, "for this test"))
    return request.param


class Ordering(Fake):
    """The fake driver, with a record of what waits for what."""

    def __init__(self):
        super().__init__()
        self.order = []
        self.marks = {}

    def cuEventRecord(self, event, stream):
        self.marks[event] = stream or 0
        return super().cuEventRecord(event, stream)

    def cuStreamWaitEvent(self, stream, event, flags):
        self.order.append(f"{stream or 0:#x} waits for {self.marks[event]:#x}")
        return super().cuStreamWaitEvent(stream, event, flags)

    def cuLaunchKernelEx(self, *call):
        code = super().cuLaunchKernelEx(*call)
        self.order.append(f"launch on {self.launches[-1].stream or 0:#x}")
        return code


@pytest.fixture
def fake():
    return Ordering()


@pytest.fixture
def kernel(context):
    element = elements.Element("f32", "f", 32)
    signature = dc.Signature([dc.Parameter("x", "pointer", element=element), dc.Parameter("y", "pointer")])
    return context.load(PTX, signatures={"k": signature}).function("k")


# --- stand-ins --------------------------------------------------------------------------------------------------------


class CudaArray:
    """Like an array of CuPy or Numba."""

    def __init__(self, address=0x5000, typestr="<f4", stream=None, ordinal=None):
        self.__cuda_array_interface__ = {
            "data": (address, False), "shape": (4,), "typestr": typestr, "version": 3, "stream": stream,
        }  # fmt: skip
        if ordinal is not None:
            self.device = type("Device", (), {"id": ordinal})()


class DLPackArray:
    """Like an array of JAX: nothing but capsules."""

    def __init__(self, device=(2, 0), dtype=(2, 32), versioned=True, strides=None):
        self.device, self.dtype, self.versioned, self.strides = device, dtype, versioned, strides
        self.asked = []
        self.received = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if not self.versioned and "max_version" in options:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked.append(options)
        capsule = dlpack.give(self, 0x6000, (2, 3), self.dtype, self.device, self.versioned)
        if self.strides:
            kind = dlpack._KINDS[self.versioned]
            managed = kind.from_address(dlpack.capsule_pointer(capsule, dlpack._NAMES[self.versioned]))
            self.kept = (ctypes.c_int64 * 2)(*self.strides)
            managed.tensor.strides = ctypes.cast(self.kept, ctypes.POINTER(ctypes.c_int64))
        return capsule


class CoreBuffer(DLPackArray):
    """Like a Buffer of cuda-core: memory without elements, though its capsules say bytes."""

    __module__ = "cuda.core._memory"
    handle, memory_resource, is_device_accessible = 0x7000, None, True

    def __init__(self, ordinal=0):
        super().__init__(device=(2, ordinal), dtype=(0, 8))
        self.device_id = ordinal


class Tensor:
    """Like a tensor of PyTorch 2.10: its type has the C exchange table."""

    current = THEIR_STREAM
    module = "torch"

    def __init__(self, address=0x9000, dtype=(2, 32), ordinal=0):
        self.address, self.dtype, self.ordinal = address, dtype, ordinal
        self.__cuda_array_interface__ = {
            "data": (address, False), "shape": (1,), "typestr": "<f4", "version": 3, "stream": Tensor.current,
        }  # fmt: skip


def _tell_tensor(value, out):
    code, bits = value.dtype
    ctypes.memmove(
        out, struct.pack("<QiiiBBHQQQ", value.address - 16, 2, value.ordinal, 1, code, bits, 1, 0, 0, 16), 48
    )
    return 0


def _tell_stream(kind, ordinal, out):
    ctypes.c_uint64.from_address(out).value = Tensor.current
    return 0


_CALLBACKS = (
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(_tell_tensor),
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)(_tell_stream),
)
_TABLE = dlpack.Table(1, 3)
_TABLE.dltensor_from_py_object_no_sync = ctypes.cast(_CALLBACKS[0], ctypes.c_void_p)
_TABLE.current_work_stream = ctypes.cast(_CALLBACKS[1], ctypes.c_void_p)
_FUTURE = dlpack.Table(2, 0, ctypes.addressof(_TABLE))  # a younger table leads to the older one
_EXCHANGE_NAME = b"dlpack_exchange_api"
Tensor.__dlpack_c_exchange_api__ = dlpack._new(ctypes.addressof(_FUTURE), _EXCHANGE_NAME, None)


def sent(fake):
    return [tuple(int.from_bytes(arg, "little") for arg in launch.args) for launch in fake.launches]


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "array, address",
    [
        (CudaArray(), 0x5000),
        (CudaArray(0), 0),
        (DLPackArray(), 0x6000),
        (DLPackArray(versioned=False), 0x6000),
        (DLPackArray(device=(13, 0)), 0x6000),
        (Tensor(), 0x9000),
        (CoreBuffer(), 0x7000),
    ],
    ids=["interface", "empty", "dlpack", "old dlpack", "managed memory", "exchange table", "cuda-core"],
)
def test_an_array_of_another_library_is_its_address(fake, kernel, array, address):
    launcher = kernel.bind(1, 1)
    for _ in range(3):
        launcher(array, 0x1234)
    kernel.launch(1, 1, array, 0x1234)
    assert sent(fake) == [(address, 0x1234)] * 4


@pytest.mark.parametrize(
    "array, error, message",
    [
        (CudaArray(typestr="<f8"), dc.ArgumentTypeError, r"x points to \.f32 elements, the array has \.f64"),
        (CudaArray(typestr="<c8"), dc.ArgumentTypeError, r"the array has \.complex64"),
        (DLPackArray(dtype=(4, 16)), dc.ArgumentTypeError, r"the array has \.bf16"),
        (DLPackArray(dtype=(0, 32)), dc.ArgumentTypeError, r"the array has \.s32"),
        (CoreBuffer(ordinal=1), dc.ArgumentError, "the CoreBuffer lives on CUDA device 1"),
        (CudaArray(ordinal=3), dc.ArgumentError, "the CudaArray lives on CUDA device 3"),
        (DLPackArray(device=(2, 1)), dc.ArgumentError, "the DLPackArray lives on CUDA device 1"),
        (DLPackArray(device=(1, 0)), dc.ArgumentTypeError, "is host memory, which a kernel cannot reach"),
        (np.zeros(4, np.float32), dc.ArgumentTypeError, "ndarray is host memory"),
    ],
)
def test_what_is_wrong_with_an_array_is_said_with_its_place(fake, kernel, array, error, message):
    launcher = kernel.bind(1, 1)
    launcher(0, 0)
    for use in (launcher, launcher, lambda *args: kernel.launch(1, 1, *args)):
        with pytest.raises(error, match=r"k: argument 1 \(x: pointer\): .*" + message):
            use(array, 0)
    assert len(fake.launches) == 1


def test_a_tensor_that_the_launcher_knows_is_still_checked(fake, kernel):
    launcher = kernel.bind(1, 1)
    for _ in range(3):
        launcher(Tensor(), 0)
    for wrong, message in ((Tensor(dtype=(2, 64)), "f64"), (Tensor(ordinal=1), "device 1")):
        wrong.__cuda_array_interface__["typestr"] = "<f8" if "64" in message else "<f4"
        if wrong.ordinal:
            wrong.device = type("Device", (), {"id": 1})()
        with pytest.raises(dc.ArgumentError, match=message):
            launcher(wrong, 0)
    launcher(Tensor(0xA000), Tensor(0xB000))
    assert sent(fake)[-1] == (0xA000, 0xB000)
    assert len(fake.launches) == 4


def test_arrays_out_of_the_driver_s_reach_are_refused(fake):
    context = fake.open("arena", foreign_pointers=False).device(0).primary_context()
    launcher = context.load(PTX).function("k").bind(1, 1)
    launcher(0, 0)
    for array in (CudaArray(), DLPackArray(), Tensor()):
        with pytest.raises(dc.ArgumentTypeError, match="another library's CUDA memory, out of reach"):
            launcher(array, 0)
    context.close()


def test_an_exception_of_the_array_goes_on(kernel):
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise ZeroDivisionError("broken")

    launcher = kernel.bind(1, 1)
    launcher(0, 0)
    for use in (launcher, lambda *args: kernel.launch(1, 1, *args)):
        with pytest.raises(ZeroDivisionError, match="broken"):
            use(Broken(), 0)


class Refusing(Tensor):
    """A tensor whose table raises: PyObject_Size stands for it, which refuses what has no length."""


_REFUSING = dlpack.Table(1, 3)
_REFUSING.dltensor_from_py_object_no_sync = ctypes.cast(ctypes.pythonapi.PyObject_Size, ctypes.c_void_p)
_REFUSING.current_work_stream = _TABLE.current_work_stream
Refusing.__dlpack_c_exchange_api__ = dlpack._new(ctypes.addressof(_REFUSING), _EXCHANGE_NAME, None)


def test_a_tensor_that_its_table_refuses_is_read_another_way(fake, kernel):
    launcher = kernel.bind(1, 1)
    for _ in range(3):
        launcher(Refusing(), 0)
        launcher(Tensor(), Refusing())
    assert sent(fake) == [(0x9000, 0), (0x9000, 0x9000)] * 3


# --- whose stream -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("array", [CudaArray(stream=THEIR_STREAM), Tensor()], ids=["interface", "exchange table"])
def test_a_launch_without_a_stream_follows_the_framework_s(fake, kernel, array):
    launcher = kernel.bind(1, 1)
    for _ in range(3):
        launcher(array, 0)
    kernel.launch(1, 1, array, 0)
    assert fake.order == [f"launch on {THEIR_STREAM:#x}"] * 4
    launcher(0, 0)
    assert fake.order[-1] == "launch on 0x0"


def test_it_follows_where_the_framework_goes(fake, kernel, monkeypatch):
    launcher = kernel.bind(1, 1)
    for stream in (THEIR_STREAM, OTHER_STREAM, 1, 0, THEIR_STREAM):
        monkeypatch.setattr(Tensor, "current", stream)
        launcher(Tensor(), Tensor())
    streams = [THEIR_STREAM, OTHER_STREAM, 0, 0, THEIR_STREAM]
    assert fake.order == [f"launch on {stream:#x}" for stream in streams]


@pytest.mark.parametrize("array", [CudaArray(stream=THEIR_STREAM), Tensor()], ids=["interface", "exchange table"])
def test_a_chosen_stream_is_ordered_with_the_framework_s_before_and_after(fake, kernel, stream, array):
    launcher = kernel.bind(1, 1, stream=stream)
    ours = f"{stream.handle:#x}"
    expected = [
        f"{ours} waits for {THEIR_STREAM:#x}", f"launch on {ours}", f"{THEIR_STREAM:#x} waits for {ours}",
    ]  # fmt: skip
    for use in (launcher, launcher, launcher, lambda *args: kernel.launch(1, 1, *args, stream=stream)):
        fake.order.clear()
        use(array, 0)
        assert fake.order == expected
    fake.order.clear()
    launcher(CudaArray(), 0)  # its library says that nothing is pending
    launcher(CudaArray(stream=stream.handle), 0)
    assert fake.order == [f"launch on {ours}"] * 2


def test_two_frameworks_are_ordered_too(fake, kernel):
    launcher = kernel.bind(1, 1)
    expected = [
        f"{THEIR_STREAM:#x} waits for {OTHER_STREAM:#x}",
        f"launch on {THEIR_STREAM:#x}",
        f"{OTHER_STREAM:#x} waits for {THEIR_STREAM:#x}",
    ]
    for _ in range(3):
        fake.order.clear()
        launcher(Tensor(), CudaArray(stream=OTHER_STREAM))
        assert fake.order == expected


def test_memory_of_ours_orders_our_stream_with_the_framework_s(fake, context, kernel):
    launcher = kernel.bind(1, 1)
    with context.alloc(64) as buffer:
        for _ in range(3):
            fake.order.clear()
            launcher(Tensor(), buffer)
            assert fake.order == [
                f"{THEIR_STREAM:#x} waits for 0x0", f"launch on {THEIR_STREAM:#x}", f"0x0 waits for {THEIR_STREAM:#x}",
            ]  # fmt: skip


def test_nothing_is_ordered_while_a_graph_is_recorded(fake, kernel, stream):
    launcher = kernel.bind(1, 1, stream=stream)
    for _ in range(3):
        launcher(Tensor(), 0)
    fake.order.clear()
    tensor = Tensor()
    with stream.capture() as capture:
        launcher(tensor, 0)
    assert not [line for line in fake.order if "waits" in line]
    assert any(owner is tensor for owner in capture.graph.owners)


def test_a_capsule_is_asked_for_on_the_launch_s_stream(kernel, stream):
    array = DLPackArray()
    kernel.bind(1, 1, stream=stream)(array, 0)
    kernel.bind(1, 1)(array, 0)
    assert [asked["stream"] for asked in array.asked] == [stream.handle, 1]


def test_the_order_leaves_no_events(fake, context, kernel, stream):
    for _ in range(5):
        kernel.launch(1, 1, Tensor(), 0, stream=stream)
    assert "event" not in context.live_handles()
    assert not fake.events


# --- streams of others ------------------------------------------------------------------------------------------------


class CudaStream:
    def __init__(self, version=0):
        self.version = version

    def __cuda_stream__(self):
        return self.version, THEIR_STREAM


def of_library(home, **attributes):
    return type("Stream", (), {"__module__": f"{home}.streams", **attributes})()


@pytest.mark.parametrize(
    "stream, handle",
    [
        (CudaStream(), THEIR_STREAM),
        (of_library("torch", cuda_stream=5), 5),
        (of_library("cupy", ptr=6), 6),
        (of_library("numba", handle=ctypes.c_void_p(7)), 7),
        (of_library("numba", handle=ctypes.c_void_p(0)), 0),
        (THEIR_STREAM, THEIR_STREAM),
    ],
)
def test_streams_of_every_library_are_streams(fake, context, kernel, stream, handle):
    assert context.stream_from(stream).handle == handle
    kernel.launch(1, 1, 0, 0, stream=stream)
    kernel.bind(1, 1, stream=stream)(0, 0)
    assert [launch.stream or 0 for launch in fake.launches] == [handle] * 2


def test_a_foreign_stream_lives_as_long_as_ours_that_means_it(context):
    import weakref

    theirs = CudaStream()
    seen = weakref.ref(theirs)
    ours = context.stream_from(theirs)
    del theirs
    assert seen() is not None
    assert ours.__cuda_stream__() == (0, THEIR_STREAM)
    del ours
    assert seen() is None


def test_what_is_no_stream(context):
    for wrong in (object(), "stream", 1.5, of_library("torch")):
        with pytest.raises(dc.ArgumentTypeError, match="is not a stream"):
            context.stream_from(wrong)
    with pytest.raises(dc.ArgumentTypeError, match="speaks version 3 of __cuda_stream__; 0 is known"):
        context.stream_from(CudaStream(3))


# --- CuPy -------------------------------------------------------------------------------------------------------------


class CuPyMemory:
    def __init__(self, ptr, device_id=0):
        self.ptr, self.device_id = ptr, device_id


class CuPyArray:
    """Like cupy.ndarray: its memory tells the address, its library the stream."""

    __slots__ = ("data", "dtype")

    def __init__(self, address=0xA000, dtype=np.float32, ordinal=0):
        self.data, self.dtype = CuPyMemory(address, ordinal), np.dtype(dtype)


CuPyArray.__module__ = "cupy"


@pytest.fixture
def cupy(monkeypatch):
    """The library, whose current stream is `cupy.current.ptr`."""
    import sys
    from types import SimpleNamespace

    current = SimpleNamespace(ptr=THEIR_STREAM)
    library = SimpleNamespace(current=current, cuda=SimpleNamespace(get_current_stream=lambda: library.current))
    monkeypatch.setitem(sys.modules, "cupy", library)
    return library


def test_arrays_of_cupy_again_and_again(fake, context, kernel, cupy):
    launch = kernel.bind(1, 1, stream=THEIR_STREAM)
    for number in range(1, 6):
        launch(CuPyArray(0x1000 * number), CuPyArray(0x100 * number, np.int64))
    found = [tuple(int.from_bytes(arg, "little") for arg in one.args) for one in fake.launches]
    assert found == [(0x1000 * n, 0x100 * n) for n in range(1, 6)]
    assert [one.stream for one in fake.launches] == [THEIR_STREAM] * 5
    assert not [line for line in fake.order if "waits" in line]


def test_what_changes_between_launches_of_cupy_s_arrays_is_seen(fake, context, kernel, cupy):
    from types import SimpleNamespace

    launch = kernel.bind(1, 1, stream=THEIR_STREAM)

    def settled():
        for _ in range(3):
            launch(CuPyArray(), CuPyArray())
        fake.launches.clear()
        fake.order.clear()

    settled()
    with pytest.raises(dc.ArgumentTypeError, match="f64"):
        launch(CuPyArray(dtype=np.float64), CuPyArray())
    with pytest.raises(dc.ArgumentError, match="CUDA device 1"):
        launch(CuPyArray(ordinal=1), CuPyArray())
    with pytest.raises(dc.ArgumentCountError):
        launch(CuPyArray())
    assert not fake.launches

    settled()
    buffer = context.alloc(64)
    launch(buffer, 0x30)
    launch(CuPyArray(0xB000), CuPyArray(0xC000))
    launch(CuPyArray(0xB000), Tensor(0xD000))
    assert [int.from_bytes(one.args[0], "little") for one in fake.launches] == [buffer.pointer, 0xB000, 0xB000]
    assert int.from_bytes(fake.launches[-1].args[1], "little") == 0xD000
    buffer.close()

    settled()
    cupy.current = SimpleNamespace(ptr=OTHER_STREAM)
    launch(CuPyArray(), CuPyArray())
    assert fake.order == [
        f"{THEIR_STREAM:#x} waits for {OTHER_STREAM:#x}",
        f"launch on {THEIR_STREAM:#x}",
        f"{OTHER_STREAM:#x} waits for {THEIR_STREAM:#x}",
    ]


def test_a_launch_without_a_stream_follows_cupy_s(fake, context, kernel, cupy):
    from types import SimpleNamespace

    launch = kernel.bind(1, 1)
    for ptr in (0, 0, 0, OTHER_STREAM, OTHER_STREAM, 0):
        cupy.current = SimpleNamespace(ptr=ptr)
        launch(CuPyArray(), CuPyArray())
    assert [one.stream or 0 for one in fake.launches] == [0, 0, 0, OTHER_STREAM, OTHER_STREAM, 0]


# --- capsules ---------------------------------------------------------------------------------------------------------


class Giver:
    """Gives one capsule, once."""

    def __init__(self, capsule):
        self.capsules = [capsule]

    def __dlpack__(self, **options):
        return self.capsules.pop()


class Owner:
    def __init__(self):
        self.memory = (ctypes.c_float * 6)(*range(6))

    def capsule(self, versioned):
        return dlpack.give(self, ctypes.addressof(self.memory), (2, 3), (2, 32), (dlpack.CPU, 0), versioned)

    def __dlpack_device__(self):
        return (dlpack.CPU, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self.capsule(max_version is not None)


@pytest.fixture(autouse=True)
def callbacks(launcher_kind):
    dlpack._callbacks.cache_clear()
    yield
    dlpack._callbacks.cache_clear()


def test_numpy_takes_what_is_given():
    owner = Owner()
    array = np.from_dlpack(owner)
    np.testing.assert_array_equal(array, np.arange(6, dtype=np.float32).reshape(2, 3))
    owner.memory[5] = 50
    assert array[1, 2] == 50  # no copy


@pytest.mark.parametrize("versioned", [True, False])
def test_the_owner_lives_until_the_receiver_lets_go(versioned):
    import weakref

    owner = Owner()
    seen = weakref.ref(owner)
    taken = dlpack.take(Giver(owner.capsule(versioned)))
    del owner
    gc.collect()
    assert seen() is not None
    assert (taken.shape, taken.contiguous, taken.read_only) == ((2, 3), True, False)
    assert np.ctypeslib.as_array(ctypes.cast(taken.fields.data, ctypes.POINTER(ctypes.c_float)), (6,))[5] == 5
    thread = threading.Thread(target=taken.release)  # any thread may
    thread.start()
    thread.join()
    del taken
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("versioned", [True, False])
def test_a_capsule_that_nobody_takes_gives_its_tensor_back(versioned):
    import weakref

    owner = Owner()
    seen = weakref.ref(owner)
    capsule = owner.capsule(versioned)
    del owner
    assert seen() is not None

    def refuses(capsule):
        raise KeyError("no, thanks")  # the capsule goes while an exception is on its way

    with pytest.raises(KeyError, match="no, thanks"):
        refuses(capsule)
    del capsule
    gc.collect()
    assert seen() is None


def test_a_capsule_is_taken_once():
    class Once:
        capsule = Owner().capsule(True)

        def __dlpack__(self, **options):
            return self.capsule

    dlpack.take(Once())
    with pytest.raises(dc.ArgumentTypeError, match="no tensor of DLPack 1"):
        dlpack.take(Once())


@pytest.mark.parametrize("strides, contiguous", [((3, 1), True), ((1, 2), False), ((6, 1), False)])
def test_gaps_are_seen(strides, contiguous):
    assert dlpack.take(DLPackArray(strides=strides)).contiguous is contiguous


def test_elements_by_every_name():
    assert elements.element_of_typestr("<f2") == ("f16", "f", 16)
    assert elements.element_of_typestr("|b1") == ("u8", "u", 8)
    assert elements.element_of_typestr("<V2") is None
    assert elements.element_of_dtype(4, 16) == elements.element_named("bfloat16") == ("bf16", "f", 16)
    assert elements.element_of_dtype(10, 8) == elements.element_named("float8_e4m3fn") == ("e4m3", "f", 8)
    assert elements.foreign_element(np.zeros(1, np.uint16)) == ("u16", "u", 16)
    assert elements.foreign_element(5) is None


# --- tensor maps ------------------------------------------------------------------------------------------------------


class Mapping(Fake):
    """A driver of GPUs that writes the address into a tensor map, and nothing else."""

    def cuTensorMapEncodeTiled(self, place, kind, rank, address, *more):
        ctypes.c_uint64.from_address(place).value = address
        return 0


@pytest.mark.parametrize("array", [CudaArray(0x5000), Tensor(0x5000)])
def test_a_tensor_map_of_another_library_s_array_finds_its_context(array, monkeypatch):
    monkeypatch.setattr(lifetime.Process, "drivers", weakref.WeakSet())
    context = Mapping().open("cuda").device(0).primary_context()
    made = dc.tensor_map(array, "f32", shape=(4,), box=(4,))
    assert int.from_bytes(bytes(made)[:8], "little") == 0x5000
    assert made.memory is array
    assert made._context is context
    context.close()


def test_a_tensor_map_of_an_array_before_a_driver_is_open_says_so(monkeypatch):
    monkeypatch.setattr(lifetime.Process, "drivers", weakref.WeakSet())
    with pytest.raises(dc.ArgumentTypeError, match="no driver is open here"):
        dc.tensor_map(CudaArray(0x5000), "f32", shape=(4,), box=(4,))


def test_a_tensor_map_of_host_memory_says_so():
    with pytest.raises(dc.ArgumentTypeError, match="does not say which context"):
        dc.tensor_map(np.zeros(4, np.float32), "f32", shape=(4,), box=(4,))
