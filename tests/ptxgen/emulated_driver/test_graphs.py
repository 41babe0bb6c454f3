"""The emulated driver's graphs beyond what hardware was asked: conditions set by kernels, waits of threads, semaphores,
functions for a thread's own stream, faults on purpose.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
import time
from collections.abc import Iterator
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p
from typing import Any

import pytest

from driver_ctypes.abi import structs
from driver_ctypes.abi.functions import FUNCTIONS, prototype
from ptxgen.emulated_driver import inject, live_handles, open_driver
from ptxgen.emulated_driver.memory import memops
from tests.driver_ctypes import kit
from tests.ptxgen.emulated_driver.scenarios.base import Cu, kernel_params

pytestmark = pytest.mark.cpu_only

lookup = open_driver()

PROGRAM = (kit.COUNTDOWN + ".visible .entry stop() { trap; ret; }\n").encode()


@pytest.fixture
def cu() -> Iterator[Cu]:
    """A driver with a context of the test's own, which must leave nothing behind."""
    driver = Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))
    assert driver.cuInit(0) == 0
    before = live_handles()
    context = driver.get(c_void_p, "cuCtxCreate_v2", 0, 0)
    driver.context = context
    yield driver
    assert driver.cuCtxDestroy_v2(context) == 0
    assert live_handles() == before


class Graph:
    """A graph, destroyed with all its executables at the end of the `with` body."""

    def __init__(self, cu: Cu) -> None:
        self.cu = cu
        self.handle = cu.get(c_void_p, "cuGraphCreate", 0)
        self.executables: list[int] = []

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        for executable in self.executables:
            self.cu.cuGraphExecDestroy(executable)
        assert self.cu.cuGraphDestroy(self.handle) == 0

    def executable(self) -> int:
        self.executables.append(int(self.cu.get(c_void_p, "cuGraphInstantiateWithFlags", self.handle, 0)))
        return self.executables[-1]

    def conditional(self, kind: int, size: int, default: int) -> tuple[int, list[int]]:
        """(the condition's handle, the bodies)"""
        handle = int(self.cu.get(c_uint64, "cuGraphConditionalHandleCreate", self.handle, self.cu.context, default, 1))
        params = structs.CUgraphNodeParams(type=13)
        params.conditional.handle, params.conditional.type, params.conditional.size = handle, kind, size
        node = c_void_p()
        assert self.cu.cuGraphAddNode_v2(byref(node), self.handle, None, None, 0, byref(params)) == 0
        return handle, list((c_uint64 * size).from_address(params.conditional.phGraph_out))


def test_a_kernel_ends_a_while_node(cu: Cu) -> None:
    module = cu.load(PROGRAM)
    word = cu.alloc(4)
    with Graph(cu) as graph:
        condition, (body,) = graph.conditional(1, 1, 1)
        handle, pointer = c_uint64(condition), c_uint64(word)
        slots = (c_void_p * 2)(ctypes.addressof(handle), ctypes.addressof(pointer))
        params = kernel_params(cu.function(module, b"countdown"), slots, block=1)
        assert cu.cuGraphAddKernelNode_v2(byref(c_void_p()), body, None, 0, params) == 0
        executable = graph.executable()
        for rounds in (5, 1):
            cu.cuMemsetD32_v2(word, rounds, 1)
            assert cu.cuGraphLaunch(executable, None) == 0
            assert cu.words(word, 1) == [0]
    cu.cuModuleUnload(module)
    cu.cuMemFree_v2(word)


def test_a_fault_ends_a_while_node(cu: Cu) -> None:
    module = cu.load(PROGRAM)
    graph = Graph(cu)
    _condition, (body,) = graph.conditional(1, 1, 1)  # nobody ever changes it
    params = kernel_params(cu.function(module, b"stop"), None, block=1)
    assert cu.cuGraphAddKernelNode_v2(byref(c_void_p()), body, None, 0, params) == 0
    cu.cuGraphLaunch(graph.executable(), None)
    assert cu.cuCtxSynchronize() == 719
    graph.__exit__()


def test_a_stream_waits_for_a_word_that_another_thread_writes(cu: Cu) -> None:
    word, first, second = cu.alloc(8), cu.stream(1), cu.stream(1)
    cu.cuMemsetD8_v2(word, 0, 8)
    done: list[float] = []

    def wait() -> None:
        cu.cuCtxSetCurrent(cu.context)
        assert cu.cuStreamWaitValue64_v2(first, word, 1 << 40, 0) == 0
        done.append(time.monotonic())

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.05)
    assert done == []
    assert cu.cuStreamWriteValue64_v2(second, word, 1 << 40, 0) == 0
    waiting.join(10)
    assert len(done) == 1
    for stream in (first, second):
        cu.cuStreamDestroy_v2(stream)
    cu.cuMemFree_v2(word)


def test_a_wait_that_nobody_fulfils_is_a_fault(cu: Cu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memops, "WAIT_TIMEOUT", 0.02)
    word, stream = cu.alloc(4), cu.stream(1)
    cu.cuMemsetD8_v2(word, 0, 4)
    assert cu.cuStreamWaitValue32_v2(stream, word, 7, 1) == 0
    assert cu.cuStreamSynchronize(stream) == 702


@pytest.mark.parametrize(
    "found, wanted, flags, fulfilled",
    [
        (7, 7, 0, True), (6, 7, 0, False), (2, 0xFFFFFFFF, 0, True), (0x80000010, 7, 0, False),  # >=, cyclic
        (7, 7, 1, True), (8, 7, 1, False),  # ==
        (6, 2, 2, True), (6, 1, 2, False),  # &
        (6, 1, 3, True), (0xFFFFFFF0, 0xF, 3, False),  # nor
    ],
)  # fmt: skip
def test_ways_to_wait(found: int, wanted: int, flags: int, fulfilled: bool) -> None:
    assert memops.MemoryOperation(1, 0, wanted, flags)._fulfilled(found) is fulfilled


def counter_file() -> tuple[int, mmap.mmap]:
    """(a descriptor to be imported, the caller's own view of the counter)"""
    descriptor = os.memfd_create("counter")
    os.ftruncate(descriptor, 4096)
    return descriptor, mmap.mmap(descriptor, 8)


def test_external_semaphores_signal_and_wait(cu: Cu) -> None:
    descriptor, view = counter_file()
    description = structs.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC(type=9)
    description.handle.fd = descriptor
    semaphore = cu.get(c_void_p, "cuImportExternalSemaphore", byref(description))
    counter = c_uint64.from_buffer(view)
    handles = (c_uint64 * 1)(semaphore)
    signal = (structs.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS * 1)()
    wait = (structs.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS * 1)()
    signal[0].params.fence.value, wait[0].params.fence.value = 5, 4
    assert cu.cuSignalExternalSemaphoresAsync(handles, signal, 1, None) == 0
    assert counter.value == 5
    assert cu.cuWaitExternalSemaphoresAsync(handles, wait, 1, None) == 0
    with Graph(cu) as graph:
        node, other = c_void_p(), c_void_p()
        signal[0].params.fence.value = 9
        params = structs.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1(ctypes.addressof(handles), ctypes.addressof(signal), 1)
        assert cu.cuGraphAddExternalSemaphoresSignalNode(byref(node), graph.handle, None, 0, byref(params)) == 0
        params.paramsArray = ctypes.addressof(wait)
        needs = (c_void_p * 1)(node)
        assert cu.cuGraphAddExternalSemaphoresWaitNode(byref(other), graph.handle, needs, 1, byref(params)) == 0
        executable = graph.executable()
        assert cu.cuGraphLaunch(executable, None) == 0
        assert counter.value == 9
        signal[0].params.fence.value = 11
        params.paramsArray = ctypes.addressof(signal)
        assert cu.cuGraphExecExternalSemaphoresSignalNodeSetParams(executable, node, byref(params)) == 0
        assert cu.cuGraphLaunch(executable, None) == 0
        assert counter.value == 11
        got = structs.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1()
        assert cu.cuGraphExternalSemaphoresSignalNodeGetParams(node, byref(got)) == 0
        told = structs.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.from_address(got.paramsArray)
        assert (got.numExtSems, told.params.fence.value) == (1, 9)
    assert cu.cuDestroyExternalSemaphore(semaphore) == 0
    assert cu.cuSignalExternalSemaphoresAsync(handles, signal, 1, None) == 1
    del counter
    view.close()


def test_a_file_that_is_no_counter_is_refused(cu: Cu) -> None:
    description = structs.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC(type=1)
    description.handle.fd = empty = os.memfd_create("empty")
    assert cu.cuImportExternalSemaphore(byref(c_void_p()), byref(description)) == 304
    os.close(empty)
    description.type = 4  # a Direct3D fence
    assert cu.cuImportExternalSemaphore(byref(c_void_p()), byref(description)) == 801


def test_every_stream_function_has_its_twin(cu: Cu) -> None:
    """The suffix of a row gives the form whose null stream is the thread's own; another suffix gives nothing."""
    twins = [spec for spec in FUNCTIONS.values() if spec.suffix and lookup(spec.symbol, spec.version)]
    assert len(twins) > 60
    for spec in twins:
        address = lookup(f"{spec.symbol}_{spec.suffix}", spec.version)
        assert address not in (0, lookup(spec.symbol, spec.version)), spec.symbol
        assert lookup(f"{spec.symbol}_{'ptds' if spec.suffix == 'ptsz' else 'ptsz'}", spec.version) == 0


def test_a_twins_null_stream_captures(cu: Cu) -> None:
    def twin(symbol: str) -> Any:
        return prototype(symbol)(lookup(f"{symbol}_ptsz", FUNCTIONS[symbol].version))

    graph, count = c_void_p(), c_size_t()
    word = cu.alloc(4)
    assert twin("cuStreamBeginCapture_v2")(None, 1) == 0
    assert twin("cuMemsetD32Async")(word, 5, 1, None) == 0
    status = c_int()
    assert (twin("cuStreamIsCapturing")(None, byref(status)), status.value) == (0, 1)
    assert twin("cuStreamEndCapture")(None, byref(graph)) == 0
    assert (cu.cuGraphGetNodes(graph, None, byref(count)), count.value) == (0, 1)
    cu.cuGraphDestroy(graph)
    cu.cuMemFree_v2(word)


GRAPH_FUNCTIONS = [
    symbol
    for symbol, spec in FUNCTIONS.items()
    if lookup(symbol, spec.version) and ("Graph" in symbol or "Capture" in symbol or "Semaphore" in symbol)
]


@pytest.mark.parametrize("symbol", GRAPH_FUNCTIONS)
def test_faults_on_purpose_reach_every_function(cu: Cu, symbol: str) -> None:
    kinds = prototype(symbol)._argtypes_
    arguments = [
        kind() if issubclass(kind, ctypes.Structure) else None if kind is c_void_p else kind(0) for kind in kinds
    ]
    with inject(symbol, 1, 2):
        assert getattr(cu, symbol)(*arguments) == 2
    assert getattr(cu, symbol)(*arguments) != 2, "the second call is itself again"


def test_what_the_driver_580_exports_of_graphs_is_offered() -> None:
    """But for what came with CUDA 13.1 and later, every graph function of the table."""
    missing = [
        symbol
        for symbol, spec in FUNCTIONS.items()
        if "Graph" in symbol and "Graphics" not in symbol and spec.version <= 13000 and not lookup(symbol, spec.version)
    ]
    assert missing == []
