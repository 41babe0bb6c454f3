"""Every driver call of a graph's life fails in turn: the error is the driver's, nothing leaks, the next graph works.

And graphs at the end of a process, and after a fork.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, filled, open_driver, words

ROOT = Path(__file__).parents[2]


def life(context: dc.Context, put: dc.Function, x: dc.Buffer) -> None:
    """Captures, graphs built by hand, executables and updates: what a program does with graphs."""
    with context.stream() as stream, context.stream() as side:
        with stream.capture() as capture, capture.named("first"):
            put.launch(1, 1, x, 0, 1, stream=stream)
        with capture.graph.instantiate() as execution:
            execution.launch(stream)
            execution.update("first", value=2)
            execution.disable("first")
            execution.enable("first")
            execution.launch(stream)
        with context.graph() as graph:
            event = context.event(timing=False)
            start = graph.memset(x, 0, 4, 4, label="start")
            node = graph.kernel(put, 1, 1, x, 1, 3, after=start, priority=-1, label="put")
            graph.record(event, after=graph.host(int, after=graph.memcpy(bytearray(4), x, 4, after=node)))
            graph.batch([dc.write_value(x.pointer + 8, 5)], after=node, label="batch")
            graph.if_(graph.condition(default=1), after=node).body.kernel(put, 1, 1, x, 3, 4)
            graph.update("put", value=6)
            with stream.capture(into=graph, after=node) as inside, inside.fork(side):
                put.launch(1, 1, x, 0, 7, stream=side)
            graph.nodes(), graph.edges()
            with graph.instantiate() as execution:
                execution.upload(stream)
                execution.launch(stream)
                stream.synchronize()
                execution.update_from(graph)
        with context.graph() as plain:
            memory = plain.alloc(64)
            plain.free(memory, after=plain.memset(memory, 1, 4, after=memory))
            with context.graph() as outer:
                outer.child(plain, move=True)
                outer.instantiate().close()
        with context.graph() as small, context.graph() as large:
            small.empty()
            small.clone().close()
            large.child(small, after=large.empty())
            with small.instantiate() as execution:
                execution.update_from(large)
                execution.launch(stream)
        stream.synchronize()


@pytest.fixture(scope="module")
def context():
    return open_driver("cpu").device(0).primary_context()


@pytest.fixture(scope="module")
def put(context):
    return context.load(PTX, signatures=SIGNATURES).function("put")


CALLS = """
cuStreamBeginCapture_v2 cuStreamBeginCaptureToGraph cuStreamEndCapture cuStreamGetCaptureInfo_v3 cuLaunchKernelEx
cuStreamCreateWithPriority cuEventCreate cuEventRecord cuStreamWaitEvent
cuGraphCreate cuGraphClone cuGraphGetNodes cuGraphGetEdges_v2 cuGraphNodeGetType cuGraphKernelNodeGetParams_v2
cuGraphKernelNodeSetParams_v2 cuGraphKernelNodeSetAttribute cuGraphAddKernelNode_v2 cuGraphAddMemcpyNode
cuGraphAddMemsetNode cuGraphAddHostNode cuGraphAddEventRecordNode cuGraphAddEmptyNode cuGraphAddChildGraphNode
cuGraphChildGraphNodeGetGraph cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphAddBatchMemOpNode cuGraphAddNode_v2
cuGraphConditionalHandleCreate cuGraphInstantiateWithParams cuGraphExecUpdate_v2 cuGraphExecKernelNodeSetParams_v2
cuGraphNodeSetEnabled cuGraphUpload cuGraphLaunch cuStreamSynchronize
""".split()


@pytest.mark.cpu_only
@pytest.mark.parametrize("nth", [1, 2, 4])
@pytest.mark.parametrize("symbol", CALLS)
def test_a_call_that_fails_leaves_nothing_behind(context, put, symbol, nth):
    from ptxgen.emulated_driver import inject
    from ptxgen.emulated_driver import live_handles as driver_handles

    x = filled(context, [0] * 4)
    gc.collect()
    before, driver_before = context.live_handles(), driver_handles()
    error = None
    with inject(symbol, nth, 304):  # OPERATING_SYSTEM: nobody's answer to anything
        try:
            life(context, put, x)
        except dc.CudaError as raised:
            error = raised.code, str(raised)
    if error is None:
        assert nth > 1, f"{symbol} is not called at all"
    else:
        assert error[0] in (304, 901)
        assert symbol in error[1], "the error is about another call"
    gc.collect()
    assert context.live_handles() == before
    assert driver_handles() == driver_before
    life(context, put, x)
    assert words(context, x, 4) == [7, 6, 5, 4]
    x.close()


END = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.driver_ctypes.kit import *
import driver_ctypes as dc
context = open_driver("cpu").device(0).primary_context()
put = context.load(PTX, signatures=SIGNATURES).function("put")
x, stream = filled(context, [0] * 4), context.stream()
with stream.capture() as capture:
    put.launch(1, 1, x, 0, 1, stream=stream)
graph = context.graph()
graph.host(lambda: None, after=graph.memcpy(bytearray(16), x))
graph.if_(graph.condition(default=1)).body.memset(x, 1, 4)
executions = [capture.graph.instantiate(), graph.instantiate()]
launches = [execution.bind(stream) for execution in executions]
for launch in launches:
    launch()
"""


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "ending",
    [
        "",
        "context.close()",
        "del graph, capture",
        "capture = stream.capture(); capture.__enter__()",
        "raise SystemExit(0)",
    ],
)
def test_a_process_may_end_with_graphs_in_it(ending):
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", END + ending], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.cpu_only
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_uses_no_graph():
    code = """
capture = stream.capture()
capture.__enter__()
pid = os.fork()
if pid == 0:
    answers = []
    for use in (launches[0], executions[0].launch, graph.nodes, graph.instantiate, lambda: executions[1].update("put", x=x),
                lambda: graph.memset(x, 1, 1), lambda: capture.__exit__(None, None, None)):
        try:
            use()
        except dc.ForkedProcessError:
            answers.append("refused")
    print(answers.count("refused"), flush=True)
    del graph, capture, executions, launches
    os._exit(0)
os.waitpid(pid, 0)
capture.__exit__(None, None, None)
executions[0].launch(stream)
print("parent", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", END + "import os\n" + code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == ["7", "parent"], done.stderr
