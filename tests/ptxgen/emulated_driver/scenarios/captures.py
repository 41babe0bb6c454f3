"""Stream capture: every call in every mode, and the details."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import (
    PTX,
    SCENARIOS,
    Bench,
    Cu,
    Note,
    out,
    scenario,
    then,
)

CAPTURED_CALLS: dict[str, Callable[[Cu, Bench], Any]] = {
    "nothing": lambda cu, b: 0,
    "launch": lambda cu, b: cu.launch(b.empty, stream=b.stream),
    "launch on legacy": lambda cu, b: cu.launch(b.empty),
    "launch on legacy by name": lambda cu, b: cu.launch(b.empty, stream=1),
    "launch on per-thread": lambda cu, b: cu.launch(b.empty, stream=2),
    "launch on other": lambda cu, b: cu.launch(b.empty, stream=b.other),
    "launch on non-blocking": lambda cu, b: cu.launch(b.empty, stream=b.free),
    "launch of wrong block": lambda cu, b: cu.launch(b.empty, block=(2000, 1, 1), stream=b.stream),
    "context synchronize": lambda cu, b: cu.cuCtxSynchronize(),
    "stream synchronize": lambda cu, b: cu.cuStreamSynchronize(b.stream),
    "stream synchronize other": lambda cu, b: cu.cuStreamSynchronize(b.other),
    "stream synchronize legacy": lambda cu, b: cu.cuStreamSynchronize(None),
    "stream synchronize per-thread": lambda cu, b: cu.cuStreamSynchronize(2),
    "stream query": lambda cu, b: cu.cuStreamQuery(b.stream),
    "stream query other": lambda cu, b: cu.cuStreamQuery(b.other),
    "stream query legacy": lambda cu, b: cu.cuStreamQuery(None),
    "copy to device": lambda cu, b: cu.cuMemcpyHtoD_v2(b.p, b.host, 16),
    "copy to host": lambda cu, b: cu.cuMemcpyDtoH_v2(b.host, b.p, 16),
    "copy on device": lambda cu, b: cu.cuMemcpyDtoD_v2(b.p + 128, b.p, 16),
    "copy to device async": lambda cu, b: cu.cuMemcpyHtoDAsync_v2(b.p, b.pinned, 16, b.stream),
    "copy to device async pageable": lambda cu, b: cu.cuMemcpyHtoDAsync_v2(b.p, b.host, 16, b.stream),
    "copy to host async pageable": lambda cu, b: cu.cuMemcpyDtoHAsync_v2(b.host, b.p, 16, b.stream),
    "copy on device async": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p + 128, b.p, 16, b.stream),
    "copy async wild": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p, 0x1234, 16, b.stream),
    "copy async legacy": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p + 128, b.p, 16, None),
    "copy async 0": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p + 128, b.p, 0, b.stream),
    "memset": lambda cu, b: cu.cuMemsetD8_v2(b.p, 0, 16),
    "memset async": lambda cu, b: cu.cuMemsetD8Async(b.p, 0, 16, b.stream),
    "memset async legacy": lambda cu, b: cu.cuMemsetD8Async(b.p, 0, 16, None),
    "alloc": lambda cu, b: cu.cuMemAlloc_v2(out(), 16),
    "alloc pitch": lambda cu, b: cu.cuMemAllocPitch_v2(out(), out(c_size_t), 16, 4, 4),
    "free": lambda cu, b: cu.cuMemFree_v2(b.p),
    "alloc host": lambda cu, b: cu.cuMemHostAlloc(out(c_void_p), 16, 0),
    "free host": lambda cu, b: cu.cuMemFreeHost(b.pinned),
    "register": lambda cu, b: cu.cuMemHostRegister_v2(b.host, 256, 0),
    "managed": lambda cu, b: cu.cuMemAllocManaged(out(), 16, 1),
    "alloc async": lambda cu, b: cu.cuMemAllocAsync(out(), 16, b.stream),
    "alloc async other": lambda cu, b: cu.cuMemAllocAsync(out(), 16, b.other),
    "alloc async legacy": lambda cu, b: cu.cuMemAllocAsync(out(), 16, None),
    "free async of plain": lambda cu, b: cu.cuMemFreeAsync(b.p, b.stream),
    "memory info": lambda cu, b: cu.cuMemGetInfo_v2(out(c_size_t), out(c_size_t)),
    "pointer attribute": lambda cu, b: cu.cuPointerGetAttribute(out(), 2, b.p),
    "address range": lambda cu, b: cu.cuMemGetAddressRange_v2(out(), out(c_size_t), b.p),
    "event create": lambda cu, b: cu.cuEventCreate(out(c_void_p), 0),
    "event destroy": lambda cu, b: cu.cuEventDestroy_v2(b.recorded),
    "event query": lambda cu, b: cu.cuEventQuery(b.recorded),
    "event synchronize": lambda cu, b: cu.cuEventSynchronize(b.recorded),
    "event elapsed": lambda cu, b: cu.cuEventElapsedTime_v2(out(c_float), b.recorded, b.timed),
    "event record": lambda cu, b: cu.cuEventRecord(b.event, b.stream),
    "event record other": lambda cu, b: cu.cuEventRecord(b.event, b.other),
    "event record legacy": lambda cu, b: cu.cuEventRecord(b.event, None),
    "event record external": lambda cu, b: cu.cuEventRecordWithFlags(b.event, b.stream, 1),
    "captured event query": lambda cu, b: then(cu.cuEventRecord(b.event, b.stream), cu.cuEventQuery(b.event)),
    "captured event synchronize": lambda cu, b: then(cu.cuEventRecord(b.event, b.stream), cu.cuEventSynchronize(b.event)),
    "captured event elapsed": lambda cu, b: then(
        cu.cuEventRecord(b.event, b.stream), cu.cuEventElapsedTime_v2(out(c_float), b.recorded, b.event)
    ),
    "captured event destroy": lambda cu, b: then(cu.cuEventRecord(b.event, b.stream), cu.cuEventDestroy_v2(b.event)),
    "wait uncaptured": lambda cu, b: cu.cuStreamWaitEvent(b.stream, b.recorded, 0),
    "wait unrecorded": lambda cu, b: cu.cuStreamWaitEvent(b.stream, b.event, 0),
    "wait external": lambda cu, b: cu.cuStreamWaitEvent(b.stream, b.recorded, 1),
    "fork": lambda cu, b: then(
        cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.capturing(b.other)
    ),
    "fork and launch": lambda cu, b: then(
        cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.launch(b.empty, stream=b.other)
    ),
    "fork and join": lambda cu, b: then(
        cu.launch(b.empty, stream=b.stream),
        cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.launch(b.empty, stream=b.other),
        cu.cuEventRecord(b.timed, b.other), cu.cuStreamWaitEvent(b.stream, b.timed, 0),
    ),
    "fork and end there": lambda cu, b: then(
        cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.end_capture(b.other)[0]
    ),
    "fork to non-blocking": lambda cu, b: then(cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.free, b.event, 0)),
    "fork to legacy": lambda cu, b: then(cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(None, b.event, 0)),
    "stream create": lambda cu, b: cu.cuStreamCreate(out(c_void_p), 0),
    "stream destroy": lambda cu, b: cu.cuStreamDestroy_v2(b.stream),
    "stream destroy other": lambda cu, b: cu.cuStreamDestroy_v2(b.other),
    "stream flags": lambda cu, b: cu.cuStreamGetFlags(b.stream, out(c_uint32)),
    "stream priority": lambda cu, b: cu.cuStreamGetPriority(b.stream, out(c_int)),
    "stream context": lambda cu, b: cu.cuStreamGetCtx(b.stream, out(c_void_p)),
    "module load": lambda cu, b: cu.cuModuleLoadData(out(c_void_p), PTX),
    "module unload": lambda cu, b: cu.cuModuleUnload(b.module),
    "module function": lambda cu, b: cu.cuModuleGetFunction(out(c_void_p), b.module, b"store"),
    "module global": lambda cu, b: cu.cuModuleGetGlobal_v2(out(), out(c_size_t), b.module, b"answer"),
    "library load": lambda cu, b: cu.cuLibraryLoadData(out(c_void_p), PTX, None, None, 0, None, None, 0),
    "library kernel": lambda cu, b: cu.cuLibraryGetKernel(out(c_void_p), b.library, b"store"),
    "function attribute": lambda cu, b: cu.cuFuncGetAttribute(out(c_int), 0, b.empty),
    "function set attribute": lambda cu, b: cu.cuFuncSetAttribute(b.empty, 8, 60000),
    "function parameter": lambda cu, b: cu.cuFuncGetParamInfo(b.increment, 0, out(c_size_t), out(c_size_t)),
    "occupancy": lambda cu, b: cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(out(c_int), b.empty, 128, 0),
    "context limit": lambda cu, b: cu.cuCtxGetLimit(out(c_size_t), 0),
    "context set limit": lambda cu, b: cu.cuCtxSetLimit(0, 4096),
    "context create": lambda cu, b: cu.cuCtxCreate_v2(out(c_void_p), 0, 0),
    "context reset": lambda cu, b: cu.cuDevicePrimaryCtxReset_v2(0),
    "retain and release": lambda cu, b: then(cu.cuDevicePrimaryCtxRetain(out(c_void_p), 0), cu.cuDevicePrimaryCtxRelease_v2(0)),
    "begin again": lambda cu, b: cu.cuStreamBeginCapture_v2(b.stream, 1),
    "begin on legacy": lambda cu, b: cu.cuStreamBeginCapture_v2(None, 1),
    "end on other": lambda cu, b: cu.end_capture(b.other)[0],
    "end null": lambda cu, b: cu.cuStreamEndCapture(b.stream, None),
    "graph create": lambda cu, b: cu.cuGraphCreate(out(c_void_p), 0),
    "graph instantiate": lambda cu, b: cu.cuGraphInstantiateWithFlags(out(c_void_p), b.graph, 0),
    "graph launch": lambda cu, b: cu.cuGraphLaunch(b.executable, b.stream),
    "graph launch other": lambda cu, b: cu.cuGraphLaunch(b.executable, b.other),
    "graph upload": lambda cu, b: cu.cuGraphUpload(b.executable, b.stream),
    "graph executable destroy": lambda cu, b: cu.cuGraphExecDestroy(b.executable2),
    "host function": lambda cu, b: cu.cuLaunchHostFunc(b.stream, b.host_function, None),
    "callback": lambda cu, b: cu.cuStreamAddCallback(b.stream, b.callback, None, 0),
    "stream attribute": lambda cu, b: cu.cuStreamSetAttribute(b.stream, 3, (c_uint32 * 16)(1)),
    "pool trim": lambda cu, b: cu.cuMemPoolTrimTo(cu.get(c_void_p, "cuDeviceGetDefaultMemPool", 0), 0),
    "profiler": lambda cu, b: cu.cuProfilerStart(),
    "current": lambda cu, b: then(cu.cuCtxGetCurrent(out(c_void_p)), cu.cuCtxSetCurrent(b.context)),
    "cooperative": lambda cu, b: cu.cuLaunchCooperativeKernel(b.empty, 1, 1, 1, 1, 1, 1, 0, b.stream, None),
    "query exchange relaxed": lambda cu, b: then(
        cu.cuThreadExchangeStreamCaptureMode(byref(c_int(2))), cu.cuEventQuery(b.recorded), cu.cuMemAlloc_v2(out(), 16),
        cu.cuThreadExchangeStreamCaptureMode(byref(c_int(0))),
    ),
}  # fmt: skip


def capture_of(mode: int, flags: int) -> Callable[[Cu, Note], None]:
    def body(cu: Cu, note: Note) -> None:
        for name, call in CAPTURED_CALLS.items():
            bench = Bench(cu, flags)
            assert cu.cuStreamBeginCapture_v2(bench.stream, mode) == 0, name
            answer = call(cu, bench)
            if name in ("stream destroy", "context reset"):
                note(name, [answer])
                cu.cuDevicePrimaryCtxReset_v2(0)
                continue
            status = cu.capturing(bench.stream)
            code, graph = cu.end_capture(bench.stream)
            nodes = c_size_t()
            if graph:
                cu.cuGraphGetNodes(graph, None, byref(nodes))
            note(name, [answer, status, code, nodes.value])
            cu.cuDevicePrimaryCtxReset_v2(0)

    return body


for _mode, _name in enumerate(("global", "thread_local", "relaxed")):
    SCENARIOS[f"capture_{_name}"] = capture_of(_mode, 0)
    SCENARIOS[f"capture_{_name}_non_blocking"] = capture_of(_mode, 1)


@scenario
def capture_elsewhere(cu: Cu, note: Note) -> None:
    """What another thread may do while a capture is on."""
    import threading

    for mode in (0, 1, 2):
        for mine in (0, 1, 2):
            bench = Bench(cu, 1)
            answers: list[Any] = []

            def elsewhere(bench: Bench = bench, mine: int = mine, answers: list[Any] = answers) -> None:
                cu.cuCtxSetCurrent(bench.context)
                cu.cuThreadExchangeStreamCaptureMode(byref(c_int(mine)))
                answers.append(
                    [
                        cu.cuMemAlloc_v2(out(), 16), cu.cuEventQuery(bench.recorded), cu.cuStreamSynchronize(bench.other),
                        cu.launch(bench.empty, stream=bench.other), cu.launch(bench.empty, stream=bench.stream),
                        cu.cuMemcpyHtoD_v2(bench.p, bench.host, 16), cu.cuCtxSynchronize(), cu.end_capture(bench.stream)[0],
                    ]
                )  # fmt: skip

            cu.cuStreamBeginCapture_v2(bench.stream, mode)
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
            note(
                f"capture {mode}, thread {mine}",
                [answers[0], cu.capturing(bench.stream), cu.end_capture(bench.stream)[0]],
            )
            cu.cuDevicePrimaryCtxReset_v2(0)


@scenario
def capture_details(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    status, ident, graph, nodes, count = c_int(), c_uint64(), c_void_p(), c_void_p(), c_size_t()
    edges = c_void_p()
    note("begin on legacy", [cu.cuStreamBeginCapture_v2(None, 0), cu.cuStreamBeginCapture_v2(1, 0)])
    note("begin on per-thread", [cu.cuStreamBeginCapture_v2(2, 0), cu.capturing(2), cu.end_capture(2)[0]])
    note("begin mode 3", cu.cuStreamBeginCapture_v2(b.stream, 3))
    note("end without", cu.end_capture(b.stream)[0])
    note("is capturing legacy", [cu.cuStreamIsCapturing(None, byref(status)), status.value])
    note("is capturing null", cu.cuStreamIsCapturing(b.stream, None))
    info = lambda s: [
        cu.cuStreamGetCaptureInfo_v2(s, byref(status), byref(ident), byref(graph), byref(nodes), byref(count)), status.value,
    ]  # fmt: skip
    note("info without", info(b.stream))
    note("info legacy", info(None))
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    note("info", [*info(b.stream), ident.value > 0, bool(graph.value), count.value])
    note("info legacy while", info(None))
    cu.launch(b.empty, stream=b.stream)
    note("info after launch", [*info(b.stream), count.value])
    note(
        "info v3",
        [
            cu.cuStreamGetCaptureInfo_v3(b.stream, byref(status), byref(ident), None, None, byref(edges), byref(count)),
            count.value,
        ],
    )
    note("info v3 without edges", cu.cuStreamGetCaptureInfo_v3(b.stream, byref(status), None, None, None, None, None))
    inside = graph.value
    node = c_void_p()
    note("add node to it", cu.cuGraphAddEmptyNode(byref(node), inside, None, 0))
    note(
        "update set", [cu.cuStreamUpdateCaptureDependencies(b.stream, byref(node), 1, 1), *info(b.stream), count.value]
    )
    cu.launch(b.empty, stream=b.stream)
    note(
        "update add", [cu.cuStreamUpdateCaptureDependencies(b.stream, byref(node), 1, 0), *info(b.stream), count.value]
    )
    note("instantiate it", cu.cuGraphInstantiateWithFlags(out(c_void_p), inside, 0))
    note("destroy it", cu.cuGraphDestroy(inside))
    code, made = cu.end_capture(b.stream)
    note("end", [code, made == inside])
    note("nodes", [cu.cuGraphGetNodes(made, None, byref(count)), count.value])
    note("roots", [cu.cuGraphGetRootNodes(made, None, byref(count)), count.value])
    note("edges", [cu.cuGraphGetEdges(made, None, None, byref(count)), count.value])
    # arguments are copied while capturing; the graph runs later
    cu.cuMemsetD8_v2(b.p, 0, 256)
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    for _ in range(3):
        cu.cuLaunchKernel(b.increment, 1, 1, 1, 64, 1, 1, 0, b.stream, b.slots, None)
    b.value.value = 0
    code, made = cu.end_capture(b.stream)
    note("not run yet", cu.words(b.p, 1))
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", made, 0)
    note(
        "run",
        [
            [cu.cuGraphLaunch(executable, b.stream) for _ in range(5)],
            cu.cuStreamSynchronize(b.stream),
            cu.words(b.p, 2),
        ],
    )
    # two captures at once, joined wrongly
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    cu.cuStreamBeginCapture_v2(b.free, 0)
    note("merge", [cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.free, b.event, 0)])
    note("merge ends", [cu.end_capture(b.stream)[0], cu.end_capture(b.free)[0]])
    # an event of an ended capture
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    cu.cuEventRecord(b.event, b.stream)
    cu.end_capture(b.stream)
    note("event after its capture", [cu.cuEventQuery(b.event), cu.cuEventSynchronize(b.event)])
    note("elapsed after its capture", cu.cuEventElapsedTime_v2(out(c_float), b.recorded, b.event))
    note("wait after its capture", [cu.cuStreamWaitEvent(b.other, b.event, 0), cu.capturing(b.other)])
    # destroyed stream of a fork; a fork that begins with nothing captured
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    cu.cuEventRecord(b.event, b.stream)
    cu.cuStreamWaitEvent(b.free, b.event, 0)
    note("empty fork unjoined", cu.end_capture(b.stream)[0])
    note("fork stream after", cu.capturing(b.free))
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    note(
        "memory nodes",
        [
            cu.cuMemAllocAsync(byref(ident), 64, b.stream),
            cu.cuMemsetD8Async(ident, 1, 64, b.stream),
            cu.cuMemFreeAsync(ident, b.stream),
        ],
    )
    code, made = cu.end_capture(b.stream)
    many, kind = (c_void_p * 8)(), c_int()
    count.value = 8
    cu.cuGraphGetNodes(made, many, byref(count))
    kinds = []
    for index in range(count.value):
        cu.cuGraphNodeGetType(many[index], byref(kind))
        kinds.append(kind.value)
    note("memory node kinds", [code, kinds])
    note(
        "memory node run",
        [
            cu.cuGraphLaunch(cu.get(c_void_p, "cuGraphInstantiateWithFlags", made, 0), b.stream),
            cu.cuStreamSynchronize(b.stream),
        ],
    )


@scenario
def capture_threads(cu: Cu, note: Note) -> None:
    """A capture that another thread ends."""
    import threading

    for mode in (0, 1, 2):
        b = Bench(cu, 1)
        answers: list[Any] = []

        def elsewhere(b: Bench = b, answers: list[Any] = answers) -> None:
            cu.cuCtxSetCurrent(b.context)
            answers.append([cu.launch(b.empty, stream=b.stream), cu.capturing(b.stream), cu.end_capture(b.stream)[0]])

        cu.cuStreamBeginCapture_v2(b.stream, mode)
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        note(f"mode {mode}", [answers[0], cu.capturing(b.stream), cu.end_capture(b.stream)[0]])
        cu.cuDevicePrimaryCtxReset_v2(0)


@scenario
def capture_more(cu: Cu, note: Note) -> None:
    b = Bench(cu, 0)
    status, ident = c_int(), c_uint64()
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    note("is capturing legacy", [cu.cuStreamIsCapturing(None, byref(status)), cu.capturing(b.stream)])
    note(
        "info of legacy",
        [cu.cuStreamGetCaptureInfo_v2(None, byref(status), None, None, None, None), cu.capturing(b.stream)],
    )
    note("flags of legacy", [cu.cuStreamGetFlags(None, byref(status)), cu.capturing(b.stream)])
    note("priority of legacy", [cu.cuStreamGetPriority(None, byref(status)), cu.capturing(b.stream)])
    note("end", cu.end_capture(b.stream)[0])
    # unjoined work: what is left of it
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    cu.cuEventRecord(b.event, b.stream)
    cu.cuStreamWaitEvent(b.other, b.event, 0)
    cu.launch(b.empty, stream=b.other)
    note(
        "unjoined",
        [
            cu.end_capture(b.stream)[0],
            cu.capturing(b.stream),
            cu.capturing(b.other),
            cu.launch(b.empty, stream=b.other),
        ],
    )
    # an event recorded again outside a capture is a plain one
    cu.cuEventRecord(b.event, b.other)
    cu.cuStreamSynchronize(b.other)
    note("event recorded again", [cu.cuEventQuery(b.event), cu.cuEventSynchronize(b.event)])
    # a broken capture
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    cu.cuCtxSynchronize()
    note(
        "info of broken",
        [cu.cuStreamGetCaptureInfo_v2(b.stream, byref(status), byref(ident), None, None, None), status.value],
    )
    note(
        "work in broken",
        [
            cu.launch(b.empty, stream=b.stream),
            cu.cuEventRecord(b.event, b.stream),
            cu.cuMemsetD8Async(b.p, 0, 4, b.stream),
            cu.cuStreamWaitEvent(b.stream, b.recorded, 0),
            cu.cuMemAlloc_v2(out(), 16),
            cu.cuLaunchHostFunc(b.stream, b.host_function, None),
        ],
    )
    note("begin in broken", cu.cuStreamBeginCapture_v2(b.stream, 1))
    note("end of broken", [cu.end_capture(b.stream), cu.capturing(b.stream)])
    # destroying the stream that began, while another takes part
    lost = cu.stream(1)
    cu.cuStreamBeginCapture_v2(lost, 1)
    cu.cuEventRecord(b.event, lost)
    cu.cuStreamWaitEvent(b.other, b.event, 0)
    note(
        "lost origin",
        [
            cu.cuStreamDestroy_v2(lost),
            cu.cuStreamIsCapturing(b.other, byref(status)),
            status.value,
            cu.launch(b.empty, stream=b.other),
        ],
    )
    note("end of lost", [cu.end_capture(b.other)[0], cu.cuStreamIsCapturing(b.other, byref(status)), status.value])


@scenario
def capture_to_graph(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    number = c_size_t()
    begin = cu.cuStreamBeginCaptureToGraph
    note("begin", begin(b.stream, b.graph, (c_void_p * 1)(b.node), None, 1, 1))
    cu.launch(b.empty, stream=b.stream)
    code, graph = cu.end_capture(b.stream)
    note("end", [code, graph == b.graph])
    note(
        "nodes",
        [
            cu.cuGraphGetNodes(b.graph, None, byref(number)),
            number.value,
            cu.cuGraphGetEdges(b.graph, None, None, byref(number)),
            number.value,
        ],
    )
    note("begin null graph", begin(b.stream, None, None, None, 0, 1))
    note(
        "begin foreign node", begin(b.stream, cu.get(c_void_p, "cuGraphCreate", 0), (c_void_p * 1)(b.node), None, 1, 1)
    )
    note("begin anew", begin(b.stream, b.graph, None, None, 0, 1))
    cu.launch(b.empty, stream=b.stream)
    cu.cuCtxSynchronize()
    code, graph = cu.end_capture(b.stream)
    note("broken", [code, graph, cu.cuGraphGetNodes(b.graph, None, byref(number)), number.value])
