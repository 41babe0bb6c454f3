"""Who frees what and when: close, garbage collection, exit, fork, and a count of what is left."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.conftest import PTX

ROOT = Path(__file__).parents[2]


def make(context):
    """One object of every kind, with the state that each keeps in the driver."""
    stream = context.stream()
    function = context.load(PTX).function("empty")
    with stream.capture() as capture:
        function.launch(1, 1, stream=stream)
    graph = capture.graph
    return [stream, function, context.alloc(4), context.alloc_pinned(4), context.event(), graph, graph.instantiate()]


KINDS = {"stream": 1, "module": 1, "buffer": 1, "pinned buffer": 1, "event": 1, "graph": 1, "graph exec": 1}


def test_live_handles(fake, context):
    assert context.live_handles() == {}
    objects = make(context)
    assert context.live_handles() == KINDS
    everywhere = dc.live_handles()  # other drivers' handles count too
    assert all(everywhere[kind] >= count for kind, count in {**KINDS, "context": 1}.items())
    objects.pop().close()
    assert "graph exec" not in context.live_handles()
    objects.clear()
    gc.collect()
    assert context.live_handles() == {}
    assert fake.live() == {}


def test_a_finalizer_calls_no_driver(fake, context):
    objects = make(context)
    fake.calls.clear()
    objects.clear()
    gc.collect()
    assert fake.calls == []
    context.memory_info()
    freed = [symbol for symbol in fake.symbols() if "Destroy" in symbol or "Free" in symbol or "Unload" in symbol]
    assert len(freed) == 7
    assert freed.index("cuGraphExecDestroy") < freed.index("cuGraphDestroy") < freed.index("cuModuleUnload")
    assert fake.live() == {}


def test_no_object_is_in_a_reference_cycle(fake, context):
    """So that what is dropped is freed by the next call, without waiting for the collector."""
    gc.collect()
    gc.disable()
    try:
        objects = make(context)
        launcher = objects[1].bind(1, 1, stream=objects[0])
        launcher()
        objects[1].launch(1, 1)
        objects[4].record(objects[0])
        view = objects[3].view
        del objects, launcher, view
        context.memory_info()
        assert fake.live() == {}
    finally:
        gc.enable()


def test_garbage_of_another_thread_is_freed_by_whoever_calls_next(fake, context):
    thread = threading.Thread(target=make, args=(context,))
    thread.start()
    thread.join()
    gc.collect()
    context.synchronize()
    assert fake.live() == {}
    free = next(thread for symbol, thread in fake.calls if symbol == "cuMemFree_v2")
    assert free == threading.get_ident()


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_nothing_of_the_driver_has_a_second_owner(fake, context, way):
    things = [*make(context), context, context.device, context.driver]
    for thing in things:
        with pytest.raises(dc.ArgumentTypeError, match=r"cannot be copied or pickled\n  Fix: use the object itself"):
            way(thing)
        with pytest.raises(dc.ArgumentTypeError):
            way([thing]) if way is not copy.copy else way(thing)
    things.clear()
    gc.collect()
    context.synchronize()
    assert fake.live() == {}


def test_closing_twice_and_closing_garbage_frees_once(fake, context):
    buffer = context.alloc(4)
    buffer.close()
    buffer.close()
    del buffer
    gc.collect()
    context.synchronize()
    assert fake.counts["cuMemFree_v2"] == 1


def test_many_threads_closing_one_object_free_it_once(fake, context):
    buffers = [context.alloc(4) for _ in range(50)]
    start = threading.Barrier(4)

    def work():
        start.wait()
        for buffer in buffers:
            buffer.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fake.counts["cuMemFree_v2"] == 50


def test_a_with_block_closes(fake, context):
    with context.alloc(4), context.stream(), context.event(), context.load(PTX):
        assert len(fake.live()) == 4
    assert fake.live() == {}


def test_a_free_that_fails_in_the_background_is_a_warning(fake, context):
    buffers = [context.alloc(4) for _ in range(2)]
    fake.fail("cuMemFree_v2", 1)
    buffers.clear()
    gc.collect()
    with pytest.warns(dc.CleanupWarning, match=r"1 object\(s\) .* could not be freed; first: cuMemFree_v2 failed"):
        context.synchronize()
    assert context.live_handles() == {}


def test_a_free_that_fails_in_close_raises(fake, context):
    buffer = context.alloc(4)
    fake.fail("cuMemFree_v2", 1)
    with pytest.raises(dc.CudaError, match="cuMemFree_v2"):
        buffer.close()
    buffer.close()


@pytest.mark.parametrize("code", [4, 201, 709])
def test_a_driver_that_shuts_down_is_no_error(fake, context, code):
    fake.fail("cuMemFree_v2", code)
    context.alloc(4).close()


def test_what_a_lost_context_held_is_not_freed(fake, context):
    objects = make(context)
    fake.sticky = 700
    with pytest.raises(dc.IllegalAddressError):
        context.synchronize()
    before = len(fake.calls)
    for thing in objects:
        getattr(thing, "close", lambda: None)()
    of_no_context = {"cuGraphDestroy", "cuGraphExecDestroy"}  # these are the process's, and outlive every context
    assert {symbol for symbol, _thread in fake.calls[before:]} <= of_no_context


def run(program):
    """Run *program* in a fresh interpreter and return its output."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


START = """
import atexit, os, sys
import driver_ctypes as dc
from tests.driver_ctypes.conftest import PTX
from tests.driver_ctypes.fake import Fake
from tests.driver_ctypes.test_lifetime import make
fake = Fake()
context = fake.open().device(0).primary_context()
"""


@pytest.mark.parametrize("keep", ["objects = make(context)", "sys.keep = make(context)", "make(context)"])
@pytest.mark.parametrize("extra, said", [("", ""), ("fake.calls.append(1)", "1")], ids=["exit", "a call is heard"])
def test_nothing_is_called_at_interpreter_exit(keep, extra, said):
    program = f"""{START}
{keep}

class Shouting(list):
    def append(self, call, write=os.write):
        write(1, repr(call).encode())

fake.calls = Shouting()
{extra}
"""
    assert run(program) == said


def test_close_works_during_exit():
    program = f"""{START}
buffer = context.alloc(4)
atexit.register(buffer.close)
atexit.register(lambda: atexit.register(lambda: None))
atexit.register(lambda: print("live", dc.live_handles()))
"""
    assert run(program) == "live {'context': 1, 'buffer': 1}\n"


def test_a_cycle_left_at_exit_is_silent():
    program = f"""{START}
class Node: pass
node = Node(); node.self, node.held = node, make(context)
del node
"""
    assert run(program) == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_refuses_everything():
    program = f"""{START}
function = context.load(PTX).function("empty")
stream = context.stream()
launcher, default = function.bind(1, 1, stream=stream), function.bind(1, 1)
launcher(); default()
buffer, event = context.alloc(4), context.event()
with stream.capture() as capture:
    launcher()
graph = capture.graph
execution = graph.instantiate()
body = context.stream().capture()
body.__enter__()
child = os.fork()
if not child:
    uses = dict(end=lambda: body.__exit__(None, None, None),
        launcher=launcher, default=default, launch=lambda: function.launch(1, 1), alloc=lambda: context.alloc(4),
        pointer=lambda: buffer.pointer, copy=lambda: context.copy_to_device(buffer, b"1234"), sync=stream.synchronize,
        record=event.record, replay=execution.launch, nodes=graph.nodes, bind=lambda: function.bind(1, 1),
        load=lambda: context.load(PTX), devices=context.driver.devices, raw=lambda: context.driver.raw("cuInit"),
        call=lambda: context.driver.call("cuInit", 0), capture=lambda: stream.capture().__enter__(),
        attribute=lambda: context.device.attribute(16), name=lambda: context.device.name, check=context.check,
        primary=context.device.primary_context, synchronize=context.synchronize, reset=context.device.reset,
    )
    before, survivors = len(fake.calls), []
    for name, use in uses.items():
        try:
            use()
            survivors.append(name)
        except dc.ForkedProcessError as error:
            assert "spawn" in error.hint
    for thing in (buffer, event, execution, graph, function.module, stream, context):
        thing.close()
    del buffer, event, execution, graph, function, stream
    print("child", survivors, len(fake.calls) - before, dc.live_handles(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
body.__exit__(None, None, None)
launcher()
print("parent", dc.live_handles()["buffer"])
"""
    assert run(program) == "child [] 0 {}\nparent 1\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_child_may_open_what_the_parent_had_not():
    program = f"""{START}
dc.register_driver("later", lambda: Fake().resolve)
if not os.fork():
    print(dc.driver("later").device(0).primary_context().alloc(4).nbytes, flush=True)
    os._exit(0)
os.wait()
"""
    assert run(program) == "4\n"


def test_importing_the_package_loads_nothing_of_it():
    program = (
        "import sys; bare = set(sys.modules); import driver_ctypes; "
        "print(sorted(name for name in set(sys.modules) - bare if 'driver_ctypes' in name or name in ('ctypes', 'typing')))"
    )
    assert run(program) == "['driver_ctypes', 'driver_ctypes.lazy']\n"


def test_every_public_name_is_there():
    names = [name for name in dir(dc) if not name.startswith("_")]
    assert {"driver", "Driver", "Signature", "JitError", "diagnose", "live_handles"} <= set(names)
    for name in names:
        getattr(dc, name)
    with pytest.raises(AttributeError, match="frobnicate"):
        dc.frobnicate


def test_the_package_needs_nothing_but_the_standard_library():
    program = (
        "import sys; bare = set(sys.modules); import driver_ctypes as dc\n"
        "for name in dir(dc): getattr(dc, name)\n"
        "print({name.partition('.')[0] for name in set(sys.modules) - bare} - set(sys.stdlib_module_names))"
    )
    assert run(program) == "{'driver_ctypes'}\n"
