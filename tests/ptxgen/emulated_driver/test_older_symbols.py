"""Symbols of older CUDA versions, as programs built for those ask for them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import CFUNCTYPE, byref, c_float, c_int, c_uint32, c_uint64, c_void_p

import pytest

from driver_ctypes.abi import structs
from driver_ctypes.abi.enums import CUresult
from driver_ctypes.abi.functions import FUNCTIONS, prototype
from ptxgen.emulated_driver import live_handles
from ptxgen.emulated_driver.calls.registry import ENTRIES
from ptxgen.emulated_driver.table import OLDER_NAMES, address_of, import_all
from tests.ptxgen.emulated_driver.scenarios.base import Cu

pytestmark = pytest.mark.cpu_only

lookup = address_of

STORE = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry store(.param .u64 out, .param .u32 value)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [value];
	st.global.u32 [%rd1], %r1;
	ret;
}
\0"""


def asked(name: str, version: int) -> str | None:
    """The symbol that cuGetProcAddress gives for a name and a version; None where it finds none."""
    found, status = c_uint64(), c_int()
    get = prototype("cuGetProcAddress_v2")(lookup("cuGetProcAddress_v2", 12000))
    assert get(name.encode(), byref(found), version, 0, byref(status)) == 0
    known = {lookup(s.symbol, s.version): s.symbol for s in FUNCTIONS.values() if s.name == name}
    return known[found.value] if found.value else None


@pytest.fixture
def cu() -> Iterator[Cu]:
    driver = Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))
    assert driver.cuInit(0) == 0
    before = live_handles()
    context = driver.get(c_void_p, "cuCtxCreate_v2", 0, 0)
    yield driver
    assert driver.cuCtxDestroy_v2(context) == 0
    assert live_handles() == before


@pytest.mark.parametrize(
    "name, version, symbol",
    [
        ("cuStreamBeginCapture", 9020, None),
        ("cuStreamBeginCapture", 10000, "cuStreamBeginCapture"),
        ("cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"),
        ("cuEventElapsedTime", 2000, "cuEventElapsedTime"),
        ("cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"),
        ("cuGetProcAddress", 11030, "cuGetProcAddress"),
        ("cuGetProcAddress", 12000, "cuGetProcAddress_v2"),
        ("cuGraphExecKernelNodeSetParams", 11080, "cuGraphExecKernelNodeSetParams"),
        ("cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"),
        ("cuGraphKernelNodeGetParams", 11080, "cuGraphKernelNodeGetParams"),
        ("cuGraphKernelNodeSetParams", 11080, "cuGraphKernelNodeSetParams"),
        ("cuMemcpyBatchAsync", 12080, "cuMemcpyBatchAsync"),
        ("cuMemcpyBatchAsync", 13000, "cuMemcpyBatchAsync_v2"),
        ("cuStreamGetCaptureInfo", 10010, "cuStreamGetCaptureInfo"),
    ],
)
def test_a_version_gives_the_function_of_its_time(name: str, version: int, symbol: str | None) -> None:
    assert asked(name, version) == symbol


@pytest.mark.parametrize("name, newer", OLDER_NAMES.items())
def test_an_older_name_is_the_newer_function(name: str, newer: str) -> None:
    assert lookup(name, 2000) == lookup(newer, FUNCTIONS[newer].version) != 0
    assert asked(name, 2000) in (newer, name)


def test_what_devices_do_to_memory_that_is_not_theirs(cu: Cu) -> None:
    """Add, and, exchange, floating-point add: by peers if there are two, of the host's memory not."""
    found, operations = (c_uint32 * 4)(9, 9, 9, 9), (c_int * 4)(0, 5, 8, 10)
    assert cu.cuDeviceGetHostAtomicCapabilities(found, operations, 4, 0) == 0
    assert list(found) == [0, 0, 0, 0]
    assert cu.cuDeviceGetP2PAtomicCapabilities(found, operations, 4, 0, 0) == CUresult.ERROR_INVALID_DEVICE
    assert cu.cuDeviceGetHostAtomicCapabilities(found, (c_int * 1)(13), 1, 0) == CUresult.ERROR_INVALID_VALUE
    assert cu.cuDeviceGetHostAtomicCapabilities(found, operations, 0, 0) == CUresult.ERROR_INVALID_VALUE


def test_what_a_device_says_that_has_nothing_to_say(cu: Cu) -> None:
    function = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)(lambda *_: None)
    listener = ctypes.cast(function, c_void_p)
    assert cu.get(c_uint64, "cuDeviceGetTexture1DLinearMaxWidth", 0x20, 4, 0) == 1 << 28
    place = c_uint64()
    assert cu.cuDeviceRegisterAsyncNotification(0, listener, None, byref(place)) == 0
    assert cu.cuDeviceUnregisterAsyncNotification(0, place.value) == 0
    assert cu.cuDeviceUnregisterAsyncNotification(0, place.value) == CUresult.ERROR_INVALID_VALUE
    assert cu.cuDeviceRegisterAsyncNotification(0, None, None, byref(place)) == CUresult.ERROR_INVALID_VALUE


def test_every_function_that_is_registered_has_a_row() -> None:
    """One without a row raised KeyError where it was looked up by name."""
    import_all()
    assert [symbol for symbol in ENTRIES if symbol not in FUNCTIONS] == []
    assert all(lookup(symbol, FUNCTIONS[symbol].version) for symbol in ENTRIES)


def test_the_older_lookup_answers_with_an_error() -> None:
    get = prototype("cuGetProcAddress")(lookup("cuGetProcAddress", 11030))
    found = c_uint64()
    assert get(b"cuInit", byref(found), 11030, 0) == 0
    assert found.value == lookup("cuInit", 2000)
    assert get(b"cuNothing", byref(found), 11030, 0) == CUresult.ERROR_NOT_FOUND
    assert get(b"cuStreamBeginCapture", byref(found), 9020, 0) == CUresult.ERROR_NOT_FOUND
    assert get(b"cuInit", None, 11030, 0) == CUresult.ERROR_INVALID_VALUE


def test_what_is_not_offered_is_found_and_answers_so() -> None:
    """As of NVIDIA's driver, which has every function of its headers: a client that finds one missing may give up at once."""
    get, found, status = prototype("cuGetProcAddress_v2")(lookup("cuGetProcAddress_v2", 12000)), c_uint64(), c_int()
    for name, version in (
        ("cuGraphicsMapResources", 7000),
        ("cuCheckpointProcessLock", 12080),
    ):
        assert get(name.encode(), byref(found), version, 0, byref(status)) == 0
        assert status.value == 0
        assert ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)(found.value)(None, None) == CUresult.ERROR_NOT_SUPPORTED
    assert get(b"cuCheckpointProcessLock", byref(found), 2000, 0, byref(status)) == 0
    assert (found.value, status.value) == (0, 2)  # VERSION_NOT_SUFFICIENT
    assert lookup("cuCheckpointProcessLock", 12080) == 0  # a binding of this process asks what there is


def test_batches_of_copies_by_their_first_forms(cu: Cu) -> None:
    memory, stream = cu.get(c_uint64, "cuMemAlloc_v2", 16), cu.get(c_void_p, "cuStreamCreate", 1)
    numbers = (c_uint32 * 2)(7, 8)
    targets, sources = (c_uint64 * 1)(memory), (c_uint64 * 1)(ctypes.addressof(numbers))
    sizes, indices, failed = (ctypes.c_size_t * 1)(8), (ctypes.c_size_t * 1)(0), ctypes.c_size_t(5)
    kind = structs.CUmemcpyAttributes()
    kind.srcAccessOrder = 1
    each = [ctypes.addressof(one) for one in (targets, sources, sizes)]
    more = [ctypes.addressof(one) for one in (kind, indices)]
    assert cu.cuMemcpyBatchAsync(*each, 1, *more, 1, ctypes.addressof(failed), stream) == 0
    assert cu.cuStreamSynchronize(stream) == 0
    assert cu.words(memory, 2) == [7, 8]
    sizes[0] = 0
    assert cu.cuMemcpyBatchAsync(*each, 1, *more, 1, ctypes.addressof(failed), stream) == CUresult.ERROR_INVALID_VALUE
    assert failed.value == (1 << 64) - 1
    assert cu.cuMemcpy3DBatchAsync(0, None, ctypes.addressof(failed), 0, stream) == CUresult.ERROR_INVALID_VALUE
    status, number = c_int(), c_uint64()
    assert cu.cuStreamGetCaptureInfo(stream, ctypes.addressof(status), ctypes.addressof(number)) == 0
    assert status.value == 0
    assert cu.cuStreamDestroy_v2(stream) == 0
    assert cu.cuMemFree_v2(memory) == 0


def test_a_capture_without_a_mode_and_an_update_of_a_node_by_its_older_structure(cu: Cu) -> None:
    module = cu.get(c_void_p, "cuModuleLoadData", STORE)
    store = cu.get(c_void_p, "cuModuleGetFunction", module, b"store")
    stream, memory = cu.get(c_void_p, "cuStreamCreate", 1), cu.get(c_uint64, "cuMemAlloc_v2", 8)
    pointer, value = c_uint64(memory), c_uint32(1)
    slots = (c_void_p * 2)(ctypes.addressof(pointer), ctypes.addressof(value))

    assert cu.cuStreamBeginCapture(stream) == 0
    assert cu.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, ctypes.addressof(slots), 0) == 0
    graph = _end(cu, stream)
    node, count = c_void_p(), ctypes.c_size_t(1)
    assert cu.cuGraphGetNodes(graph, ctypes.addressof(node), ctypes.addressof(count)) == 0
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0)

    old = structs.CUDA_KERNEL_NODE_PARAMS_v1()
    assert cu.cuGraphKernelNodeGetParams(node, ctypes.addressof(old)) == 0
    assert (old.func, old.gridDimX, old.blockDimX) == (store, 1, 1)

    value.value = 2
    old.kernelParams = ctypes.addressof(slots)
    assert cu.cuGraphExecKernelNodeSetParams(executable, node, ctypes.addressof(old)) == 0
    assert _stored(cu, executable, stream, memory) == 2

    value.value = 3
    assert cu.cuGraphKernelNodeSetParams(node, ctypes.addressof(old)) == 0
    again = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0)
    assert _stored(cu, again, stream, memory) == 3
    assert cu.cuGraphExecKernelNodeSetParams(executable, node, None) == CUresult.ERROR_INVALID_VALUE

    for each in (executable, again):
        assert cu.cuGraphExecDestroy(each) == 0
    assert cu.cuGraphDestroy(graph) == cu.cuStreamDestroy_v2(stream) == cu.cuMemFree_v2(memory) == 0
    assert cu.cuModuleUnload(module) == 0


def test_the_time_between_events_by_the_older_name(cu: Cu) -> None:
    events = [cu.get(c_void_p, "cuEventCreate", 0) for _ in range(2)]
    for event in events:
        assert cu.cuEventRecord(event, 0) == 0
    took = c_float(-1)
    assert cu.cuEventElapsedTime(ctypes.addressof(took), *events) == 0
    assert took.value >= 0
    assert [cu.cuEventDestroy_v2(event) for event in events] == [0, 0]


def _end(cu: Cu, stream: int) -> int:
    graph = c_void_p()
    assert cu.cuStreamEndCapture(stream, ctypes.addressof(graph)) == 0
    assert graph.value
    return graph.value


def _stored(cu: Cu, executable: int, stream: int, memory: int) -> int:
    found = c_uint32()
    assert cu.cuGraphLaunch(executable, stream) == cu.cuStreamSynchronize(stream) == 0
    assert cu.cuMemcpyDtoH_v2(ctypes.addressof(found), memory, 4) == 0
    return found.value
