"""The emulated driver beyond what hardware shows: its table, its log, leaks, faults on purpose, threads, processes."""

from __future__ import annotations

import ctypes
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from ctypes import byref, c_char, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

import pytest

from driver_ctypes.abi.functions import FUNCTIONS
from ptxgen.emulated_driver import inject, live_handles, open_driver
from ptxgen.emulated_driver.modules.images import pack
from tests.ptxgen.emulated_driver.scenarios.base import PTX, Cu

pytestmark = pytest.mark.cpu_only

ROOT = Path(__file__).parents[3]
lookup = open_driver()


def new_cu() -> Cu:
    return Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))


@pytest.fixture
def cu() -> Iterator[Cu]:
    """A driver with a context of the test's own, which must leave nothing behind."""
    driver = new_cu()
    assert driver.cuInit(0) == 0
    before = live_handles()
    context = driver.get(c_void_p, "cuCtxCreate_v2", 0, 0)
    yield driver
    assert driver.cuCtxDestroy_v2(context) == 0
    assert live_handles() == before


def python(code: str, **variables: str) -> str:
    """What a fresh interpreter prints; `cu` is a driver before cuInit there."""
    setup = (
        "from ctypes import *\n"
        "from ptxgen.emulated_driver import inject, live_handles, open_driver\n"
        "from driver_ctypes.abi.functions import FUNCTIONS\n"
        "from tests.ptxgen.emulated_driver.scenarios.base import Cu, PTX\n"
        "lookup = open_driver()\n"
        "cu = Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", setup + code],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def last_log(cu: Cu, since: int) -> str:
    buffer, size, iterator = (c_char * 25600)(), c_size_t(25600), c_uint32(since)
    assert cu.cuLogsDumpToMemory(byref(iterator), buffer, byref(size), 0) == 0
    return buffer.value.decode()


def log_position(cu: Cu) -> int:
    return int(cu.get(c_uint32, "cuLogsCurrent", 0))


# --- the table --------------------------------------------------------------------------------------------------------


def test_what_is_not_offered_has_no_address() -> None:
    assert lookup("cuGraphicsMapResources", 7000) == 0
    assert lookup("cuCheckpointProcessLock", 12080) == 0
    assert lookup("cuFuncGetParamCount", 13020) == 0  # CUDA 13.2: newer than this driver
    assert lookup("cuInit", 2000) == lookup("cuInit", 2000) != 0


def test_everything_driver_ctypes_needs_for_a_launch_is_there() -> None:
    needed = (
        "cuInit cuDevicePrimaryCtxRetain cuCtxSetCurrent cuMemAlloc_v2 cuMemcpyHtoDAsync_v2 cuModuleLoadDataEx "
        "cuModuleGetFunction cuLaunchKernelEx cuStreamSynchronize cuEventElapsedTime_v2 "
        "cuStreamBeginCapture_v2 cuGraphLaunch cuLogsDumpToMemory"
    )
    assert [symbol for symbol in needed.split() if not lookup(symbol, FUNCTIONS[symbol].version)] == []


@pytest.mark.parametrize("pointers", ["null", "zeros"])
def test_no_call_crashes_on_wild_handles(pointers: str) -> None:
    """Every function, with numbers for handles, and null or zero-filled memory for pointers: the process lives on."""
    code = """
import json, random, sys
from driver_ctypes.abi.functions import prototype
cu.start()
random.seed(7)
memory = (c_char * 65536)()
codes = {}
for symbol, spec in FUNCTIONS.items():
    address = lookup(symbol, spec.version)
    left_out = "cuLogsDumpToFile cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxRelease_v2 cuMemcpy cuMemcpyAsync"
    if not address or symbol in left_out.split():
        continue  # they end the test's context, or copy between host addresses as the caller says
    for attempt in range(6):
        args = []
        for _name, token in spec.args:
            kind = prototype(symbol)._argtypes_[len(args)]
            if token.endswith("_h"):
                args.append(random.choice([None, 1, 2, 0x1234, 2**63 + 5, 0x5C0000000010]))
            elif token.startswith("fnptr"):
                args.append(None)
            elif token.endswith("*") or token in ("ptr", "cstr"):
                args.append(None if POINTERS == "null" else memory if token != "cstr" else b"")
            elif hasattr(kind, "_fields_"):
                args.append(kind())
            else:
                args.append(random.choice([0, 1, 2, 3, 64]))
        codes.setdefault(symbol, []).append(prototype(symbol)(address)(*args))
        memset(memory, 0, 65536)
print(json.dumps(codes))
""".replace("POINTERS", repr(pointers))
    codes = json.loads(python(code))
    assert len(codes) > 200
    imports = {"cuMemImportFromShareableHandle", "cuMemPoolImportFromShareableHandle"}  # of a wrong descriptor: 999
    assert {symbol for symbol, answers in codes.items() if 999 in answers} <= imports


@pytest.mark.parametrize("count", [1 << 26, (1 << 64) - 1])
def test_a_length_that_is_garbage_is_refused(cu: Cu, count: int) -> None:
    """Of an array, and of a copy from the host, beyond whose ends there is no memory."""
    words, out, memory = (c_uint64 * 4)(), c_uint64(), cu.alloc(64)
    graph = cu.get(c_void_p, "cuGraphCreate", 0)
    assert cu.cuDeviceGetHostAtomicCapabilities(words, words, count, 0) == 1
    assert cu.cuGraphAddEmptyNode(byref(out), graph, words, count) == 1
    assert cu.cuMemcpyHtoD_v2(memory, words, count) == 1
    assert cu.cuMemcpy(ctypes.addressof(words), ctypes.addressof(words), count << 20 & (1 << 64) - 1) == 1
    assert cu.cuGraphDestroy(graph) == cu.cuMemFree_v2(memory) == 0


def test_a_name_that_is_no_text_is_not_found(cu: Cu) -> None:
    out, module = c_void_p(), cu.load()
    for symbol in ("cuModuleGetTexRef", "cuModuleGetSurfRef", "cuModuleGetFunction"):
        assert getattr(cu, symbol)(byref(out), module, b"\xff") == 500
    assert cu.cuModuleUnload(module) == 0


# --- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_says_why_a_call_was_refused(cu: Cu) -> None:
    here = log_position(cu)
    module = cu.load()
    assert cu.launch(cu.function(module, b"bounded"), block=(65, 1, 1)) == 1
    assert "65 threads in a block; 'bounded' allows 64" in last_log(cu, here)
    assert "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuLaunchKernel" in last_log(cu, here)


def test_a_fault_poisons_its_context_alone_and_the_log_names_kernel_and_thread(cu: Cu) -> None:
    other = cu.get(c_void_p, "cuCtxCreate_v2", 0, 0)
    here = log_position(cu)
    p = cu.alloc(64)
    store = cu.function(cu.load(), b"store")
    assert cu.launch(store, c_uint64(p), c_uint32(1), block=(17, 1, 1)) == 0
    assert cu.cuCtxSynchronize() == 700
    assert cu.cuMemAlloc_v2(byref(c_uint64()), 4) == 700
    text = last_log(cu, here)
    assert "illegal address" in text
    assert "store" in text
    assert "(16, 0, 0)" in text
    cu.cuCtxPopCurrent_v2(byref(c_void_p()))
    assert cu.cuCtxSynchronize() == 0
    assert cu.cuCtxDestroy_v2(other) == 0


def test_a_new_primary_context_works_after_a_fault() -> None:
    code = """
cu.start()
cu.launch(cu.function(cu.load(), b"stop"))
codes = [cu.cuCtxSynchronize(), cu.cuDevicePrimaryCtxReset_v2(0)]
cu.start()
p = cu.alloc(256)
cu.launch(cu.function(cu.load(), b"store"), c_uint64(p), c_uint32(5), block=(64, 1, 1))
print(codes, cu.cuCtxSynchronize(), cu.words(p, 64) == [5] * 64)
"""
    assert python(code) == "[719, 0] 0 True"


def test_ptx_errors_come_as_ptxas_lines(cu: Cu) -> None:
    text = PTX.replace(b"mov.u32 %r2, %ctaid.x;", b"mov.u32 %r2, %nonsense;", 1)
    log, module = (c_char * 4096)(), c_void_p()
    options, values = (c_int * 2)(5, 6), (c_void_p * 2)(ctypes.addressof(log), 4096)
    assert cu.cuModuleLoadDataEx(byref(module), text, 2, options, values) == 218
    line = text[: text.index(b"%nonsense")].count(b"\n") + 1
    lines = log.value.decode().splitlines()
    assert lines[0].startswith(f"ptxas application ptx input, line {line}; error   : ")
    assert lines[-1] == "ptxas fatal   : Ptx assembly aborted due to errors"
    assert values[1] == len(log.value)


def test_a_module_of_machine_code_is_refused(cu: Cu) -> None:
    assert cu.cuModuleLoadData(byref(c_void_p()), b"\x7fELF\x02\x01\x01") == 209


# --- leaks and faults on purpose --------------------------------------------------------------------------------------


def test_live_handles_counts_each_kind(cu: Cu) -> None:
    before = live_handles()
    stream, event, module, p, graph = (
        cu.stream(),
        cu.event(),
        cu.load(),
        cu.alloc(8),
        cu.get(c_void_p, "cuGraphCreate", 0),
    )
    pinned = cu.get(c_void_p, "cuMemHostAlloc", 64, 0)
    grown = {kind: n - before.get(kind, 0) for kind, n in live_handles().items() if n != before.get(kind, 0)}
    assert grown == {"event": 1, "graph": 1, "host memory": 1, "memory": 1, "module": 1, "stream": 1}
    for code in (
        cu.cuStreamDestroy_v2(stream), cu.cuEventDestroy_v2(event), cu.cuModuleUnload(module), cu.cuMemFree_v2(p),
        cu.cuGraphDestroy(graph), cu.cuMemFreeHost(pinned),
    ):  # fmt: skip
        assert code == 0
    assert live_handles() == before


def test_destroying_a_context_takes_all_that_was_made_in_it(cu: Cu) -> None:
    before = live_handles()
    context = cu.get(c_void_p, "cuCtxCreate_v2", 0, 0)
    stream, event, _module, p = cu.stream(), cu.event(), cu.load(), cu.alloc(100)
    assert cu.cuCtxDestroy_v2(context) == 0
    assert live_handles() == before
    assert [cu.cuStreamQuery(stream), cu.cuEventQuery(event), cu.cuMemFree_v2(p)] == [400, 709, 1]


def test_inject_makes_the_nth_call_fail_and_only_that(cu: Cu) -> None:
    with inject("cuMemAlloc_v2", 2, 2):
        codes = [cu.cuMemAlloc_v2(byref(c_uint64()), 16) for _ in range(3)]
    assert codes == [0, 2, 0]


def test_an_injected_fatal_code_poisons_every_context_of_the_device() -> None:
    code = """
cu.start()
with inject("cuStreamSynchronize", 1, 719):
    print(cu.cuStreamSynchronize(None))
print(cu.cuCtxSynchronize())
"""
    assert python(code).split() == ["719", "719"]


def test_inject_refuses_an_unknown_function() -> None:
    with pytest.raises(KeyError, match="cuNothing"), inject("cuNothing", 1, 1):
        pass


def test_a_bug_in_the_driver_is_a_code_and_a_traceback_in_the_log(cu: Cu, monkeypatch: pytest.MonkeyPatch) -> None:
    import ptxgen.emulated_driver.streams.events as events

    def broken(*_args: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(events, "record", broken)
    here, event = log_position(cu), cu.event()
    assert cu.cuEventRecord(event, None) == 999
    assert "ZeroDivisionError: on purpose" in last_log(cu, here)


def test_an_interrupted_kernel_raises_in_python_and_leaves_the_context_usable() -> None:
    code = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
cu.start()
body = b"(.param .u64 p) {.reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p]; L: ld.u32 %r, [%d]; add.u32 %r, %r, 1;"
head = b".version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry k"
function, p = cu.function(cu.load(head + body + b"st.u32 [%d], %r; bra L; }"), b"k"), cu.alloc(4)
running = threading.Event()
running.set()

def interrupt():  # again, as a person would: one that arrives while Python cleans up is lost
    while running.is_set():
        time.sleep(1)
        if running.is_set():
            os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    cu.launch(function, c_uint64(p))
    time.sleep(10)
except KeyboardInterrupt:
    running.clear()
    print("interrupted", cu.cuCtxSynchronize(), cu.cuMemAlloc_v2(byref(c_uint64()), 4))
"""
    assert python(code) == "interrupted 0 0"


# --- memory -----------------------------------------------------------------------------------------------------------


def test_pinned_memory_is_the_kernels_too(cu: Cu) -> None:
    pinned = cu.get(c_void_p, "cuMemHostAlloc", 256, 2)
    store = cu.function(cu.load(), b"store")
    assert cu.launch(store, c_uint64(pinned), c_uint32(6), block=(64, 1, 1)) == 0
    assert list((c_uint32 * 64).from_address(pinned)) == [6] * 64
    assert cu.cuMemFreeHost(pinned) == 0


@pytest.mark.parametrize("element", [1, 2, 4])
def test_fills_of_every_element_size_and_length(cu: Cu, element: int) -> None:
    p = cu.alloc(40000)
    host = (ctypes.c_uint8 * 40000)()
    fill = getattr(cu, f"cuMemsetD{8 * element}_v2")
    for count in (1, 3, 1023, 1024, 1025, 9999):
        value = 0x12345678 & ((1 << 8 * element) - 1)
        assert cu.cuMemsetD8_v2(p, 0, 40000) == 0
        assert fill(p, value, count) == 0
        assert cu.cuMemcpyDtoH_v2(host, p, 40000) == 0
        assert bytes(host) == (value.to_bytes(element, "little") * count).ljust(40000, b"\0")


def test_memory_of_the_device_is_limited() -> None:
    code = """
cu.start()
free, total = c_size_t(), c_size_t()
first = cu.cuMemAlloc_v2(byref(c_uint64()), 3 << 20)
second = cu.cuMemAlloc_v2(byref(c_uint64()), 2 << 20)
cu.cuMemGetInfo_v2(byref(free), byref(total))
print(first, second, free.value >> 20, total.value >> 20)
"""
    assert python(code, PTXGEN_CPU_MEMORY="4M") == "0 2 1 4"


# --- several devices, several processes -------------------------------------------------------------------------------


def test_two_devices_have_their_own_memory() -> None:
    code = """
cu.cuInit(0)
count = cu.get(c_int, "cuDeviceGetCount")
contexts = [cu.get(c_void_p, "cuDevicePrimaryCtxRetain", i) for i in range(count)]
pointers, functions = [], []
for context in contexts:
    cu.cuCtxSetCurrent(context)
    pointers.append(cu.alloc(256))
    functions.append(cu.function(cu.load(), b"store"))
cu.cuCtxSetCurrent(contexts[0])
cu.cuMemsetD32_v2(pointers[0], 7, 64)
copied = cu.cuMemcpyPeer(pointers[1], contexts[1], pointers[0], contexts[0], 256), cu.words(pointers[1], 1)
ordinal = c_int()
where = cu.cuPointerGetAttribute(byref(ordinal), 9, pointers[1]), ordinal.value
foreign = cu.launch(functions[0], c_uint64(pointers[1]), c_uint32(1)), cu.cuCtxSynchronize()
cu.cuCtxSetCurrent(contexts[1])
print(count, copied, where, foreign, cu.cuCtxSynchronize())
"""
    assert python(code, PTXGEN_CPU_DEVICES="2") == "2 (0, [7]) (0, 1) (0, 700) 0"


@pytest.mark.parametrize("setting, code", [("0", 100), ("many", 1)])
def test_a_wrong_number_of_devices(setting: str, code: int) -> None:
    assert python("print(cu.cuInit(0))", PTXGEN_CPU_DEVICES=setting) == str(code)


def test_a_stated_capability_takes_its_own_targets() -> None:
    code = """
cu.start()
text = b".version 8.8\\n.target sm_100a\\n.address_size 64\\n.visible .entry k() { ret; }"
major = c_int()
cu.cuDeviceGetAttribute(byref(major), 75, 0)
print(major.value, cu.cuModuleLoadData(byref(c_void_p()), text))
"""
    assert python(code, PTXGEN_CPU_CAPABILITY="10.0") == "10 0"
    assert python(code) == "9 218"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_is_refused_and_lives() -> None:
    code = """
import os
cu.start()
p = cu.alloc(64)
child = os.fork()
if child == 0:
    codes = [cu.cuMemAlloc_v2(byref(c_uint64()), 4), cu.cuInit(0), cu.cuMemFree_v2(p), cu.cuCtxSynchronize()]
    os._exit(0 if codes == [3, 3, 3, 3] else 1)
print(os.waitpid(child, 0)[1], cu.cuMemFree_v2(p))
"""
    assert python(code) == "0 0"


# --- threads ----------------------------------------------------------------------------------------------------------


def in_threads(number: int, body: Callable[[int], None]) -> None:
    """Runs `body(index)` in threads; the first exception of any is raised here."""
    failed: list[BaseException] = []

    def run(index: int) -> None:
        try:
            body(index)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_launches_of_four_threads_carry_their_own_arguments(cu: Cu) -> None:
    context, module = cu.get(c_void_p, "cuCtxGetCurrent"), cu.load()
    store, p, rounds = cu.function(module, b"store"), cu.alloc(4 * 4 * 1000), 1000

    def body(index: int) -> None:
        cu.cuCtxSetCurrent(context)
        stream = cu.stream(index % 2)
        for turn in range(rounds):
            assert (
                cu.launch(
                    store, c_uint64(p + 4 * (index * rounds + turn)), c_uint32(index * rounds + turn), stream=stream
                )
                == 0
            )

    in_threads(4, body)
    assert cu.words(p, 4 * rounds) == list(range(4 * rounds))


@pytest.mark.parametrize("own_streams", [False, True], ids=["legacy stream", "legacy beside blocking streams"])
def test_work_that_must_not_overlap_does_not(cu: Cu, own_streams: bool) -> None:
    """A read-modify-write of the same word: right only if every launch is alone."""
    context, module = cu.get(c_void_p, "cuCtxGetCurrent"), cu.load()
    increment, p = cu.function(module, b"increment"), cu.alloc(4096)
    cu.cuMemsetD8_v2(p, 0, 4096)
    alone = threading.Lock()

    def body(index: int) -> None:
        cu.cuCtxSetCurrent(context)
        stream = cu.stream() if own_streams and index == 0 else 0
        for _ in range(300):
            if stream:  # one blocking stream against the legacy one
                assert cu.launch(increment, c_uint64(p), block=(256, 1, 1), stream=stream) == 0
            else:
                with alone if own_streams else threading.Lock():
                    assert cu.launch(increment, c_uint64(p), block=(256, 1, 1)) == 0

    in_threads(3, body)
    assert cu.words(p, 256) == [900] * 256


def test_contexts_are_current_per_thread(cu: Cu) -> None:
    def body(_index: int) -> None:
        assert cu.cuCtxSynchronize() == 201

    in_threads(2, body)
    assert cu.cuCtxSynchronize() == 0


def test_captures_of_threads_do_not_mix(cu: Cu) -> None:
    context, module = cu.get(c_void_p, "cuCtxGetCurrent"), cu.load()
    empty = cu.function(module, b"empty")
    random.seed(5)

    def body(index: int) -> None:
        cu.cuCtxSetCurrent(context)
        stream, count = cu.stream(1), c_size_t()
        for _ in range(50):
            length = random.randint(1, 9)
            assert cu.cuStreamBeginCapture_v2(stream, 1) == 0
            for _ in range(length):
                assert cu.launch(empty, stream=stream) == 0
            code, graph = cu.end_capture(stream)
            assert (code, cu.cuGraphGetNodes(graph, None, byref(count)), count.value) == (0, 0, length)
            assert cu.cuGraphDestroy(graph) == 0

    in_threads(4, body)


def test_events_measure_time(cu: Cu) -> None:
    start, end, milliseconds = cu.event(), cu.event(), ctypes.c_float()
    cu.cuEventRecord(start, None)
    time.sleep(0.02)
    cu.cuEventRecord(end, None)
    assert cu.cuEventElapsedTime_v2(byref(milliseconds), start, end) == 0
    assert 20 <= milliseconds.value < 20_000


def test_memcheck_tells_of_memory_that_is_left_when_a_context_ends() -> None:
    answer = python(
        "assert cu.cuInit(0) == 0\n"
        "from ptxgen.emulated_driver.state.machine import machine\n"
        "context = cu.get(c_void_p, 'cuCtxCreate_v2', 0, 0)\n"
        "freed, left = (cu.get(c_uint64, 'cuMemAlloc_v2', size) for size in (512, 1000))\n"
        "cu.get(c_void_p, 'cuMemAllocHost_v2', 64)\n"
        "assert cu.cuMemFree_v2(freed) == 0 and cu.cuCtxDestroy_v2(context) == 0\n"
        "(finding,) = machine.from_environment.untold()\n"
        "print(finding.kind, finding.address == left, finding.size)",
        PTXGEN_SANITIZE="memcheck",
    )
    assert answer.split() == ["leak", "True", "1000"]


MANY = "\n".join(
    [
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {bounds} {{",
        ".reg .b64 %d; .reg .b32 %r<61>; ld.param.u64 %d, [a];",
        *(f"ld.global.u32 %r{n}, [%d+{4 * n}];" for n in range(60)),
        *(f"st.global.u32 [%d+{4 * n}], %r{59 - n};" for n in range(60)),
        "ret; }}",
    ]
)


@pytest.mark.parametrize(
    "bounds, asked, most",
    [
        ("", 0, 255), ("", 32, 32), ("", 3, 24), ("", 300, 255), (".maxnreg 40", 0, 40), (".maxnreg 40", 32, 40),
        (".maxntid 1024", 0, 64), (".maxntid 256 .minnctapersm 5", 0, 51), (".maxntid 256 .minnctapersm 5", 24, 51),
    ],
)  # fmt: skip
def test_registers_are_limited_as_a_compiler_does_it(cu: Cu, bounds: str, asked: int, most: int) -> None:
    """By the kernel's own words, else by the option: of the driver's loading, of its linker, and of an image."""
    text = MANY.format(bounds=bounds)
    options, values = (c_int * 1)(0), (c_void_p * 1)(asked)
    number = int(asked > 0)
    state, image = c_void_p(), c_void_p()
    assert cu.cuLinkCreate_v2(number, options, values, byref(state)) == 0
    assert cu.cuLinkAddData_v2(state, 1, text.encode(), len(text), b"k", 0, None, None) == 0
    assert cu.cuLinkComplete(state, byref(image), None) == 0
    loads = [(pack(text, registers=asked), 0), (text.encode(), number), (image, 0)]
    for data, count in loads:
        module = cu.get(c_void_p, "cuModuleLoadDataEx", data, count, options, values)
        function = cu.get(c_void_p, "cuModuleGetFunction", module, b"k")
        assert cu.get(c_int, "cuFuncGetAttribute", 4, function) == min(most, 70)
        assert cu.cuModuleUnload(module) == 0
    assert cu.cuLinkDestroy(state) == 0
