"""Streams' own threads' work, Python functions in streams, values, attributes, events of several processes."""

import threading
import time

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUlaunchAttributeID
from tests.driver_ctypes.kit import filled, words


def test_what_a_stream_says_of_itself(context):
    least, greatest = context.stream_priorities()
    with context.stream(priority=greatest) as quick, context.stream(non_blocking=False) as other:
        assert (quick.priority, quick.non_blocking) == (greatest, True)
        assert (other.priority, other.non_blocking) == (0, False)
        assert quick.id != other.id
        assert least >= greatest


def test_attributes(context, stream):
    value = stream.attribute(CUlaunchAttributeID.PRIORITY)
    assert value.priority == 0
    value.priority = -1
    stream.set_attribute(CUlaunchAttributeID.PRIORITY, value)
    assert stream.attribute(CUlaunchAttributeID.PRIORITY).priority == stream.priority == -1
    with pytest.raises(dc.CudaError, match="INVALID_VALUE"):
        stream.attribute(CUlaunchAttributeID.COOPERATIVE)


def test_each_thread_s_default_stream(context, add):
    with filled(context, [0] * 32) as x:

        def work():
            stream = context.per_thread_stream
            for _ in range(10):
                add.launch(1, 32, x, 32, 1, stream=stream)
            stream.synchronize()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
            thread.join()
        assert words(context, x, 2) == [20, 20]


def test_functions_are_called_in_order_after_the_work_before(context, stream, add):
    seen = []
    with filled(context, [0]) as x:
        for k in range(5):
            add.launch(1, 1, x, 1, 1, stream=stream)
            stream.call(lambda k=k: seen.append(k))
        stream.synchronize()
        assert seen == [0, 1, 2, 3, 4]
        assert words(context, x, 1) == [5]


def test_a_function_may_call_the_driver_and_wait_for_its_own_stream(context, stream):
    seen = []

    def function():
        stream.synchronize()
        seen.append(context.memory_info()[1] > 0)

    stream.call(function)
    context.synchronize()
    assert seen == [True]


@pytest.mark.parametrize("wait", ["context", "other", "both"])
def test_functions_never_wait_for_each_other(context, stream, wait):
    """Each waits for the device, and the program for both."""
    met, seen = threading.Barrier(2), []
    with context.stream() as other:

        def function(mine, its):
            met.wait(20)
            if wait != "other":
                context.synchronize()
            if wait != "context":
                its.synchronize()
            met.wait(20)
            seen.append(mine)

        stream.call(lambda: function(stream, other))
        other.call(lambda: function(other, stream))
        stream.call(lambda: 1 // 0)
        waiter = threading.Thread(target=other.synchronize)
        waiter.start()
        waiter.join(30)
        assert not waiter.is_alive()
        with pytest.raises(dc.HostFunctionError, match="ZeroDivisionError"):
            context.synchronize()
        assert set(seen) == {stream, other}


def test_what_is_no_event(context, stream):
    with context.stream() as other, context.event() as event:
        for act in (stream.record, stream.wait, event.elapsed_ms):
            with pytest.raises(dc.ArgumentTypeError, match=r"an event is needed, not Stream(.|\n)*stream.record\(\)"):
                act(other)
            with pytest.raises(dc.ArgumentTypeError, match="an event is needed, not int 5"):
                act(5)
        with pytest.raises(dc.ArgumentTypeError, match="an event is needed, not NoneType"):
            stream.wait(None)
    for act in (stream.record, stream.wait):
        with pytest.raises(dc.ClosedError, match="this event is closed"):
            act(event)


def test_the_stream_does_not_wait_for_a_slow_function(context, stream, add):
    release = threading.Event()
    with filled(context, [0]) as x:
        stream.call(release.wait)
        add.launch(1, 1, x, 1, 1, stream=stream)
        event = stream.record()
        event.synchronize()
        release.set()
        stream.synchronize()


def test_what_a_function_raises_is_raised_by_the_next_synchronisation(context, stream):
    stream.call(lambda: 1 // 0)
    stream.call(lambda: 1 // 0)
    with pytest.raises(dc.HostFunctionError, match=r"ZeroDivisionError.*\(2 functions raised\)") as caught:
        stream.synchronize()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    stream.synchronize()
    with pytest.raises(dc.ArgumentTypeError, match="int is not callable"):
        stream.call(5)


def test_functions_of_many_threads_while_others_hold_their_breath(context):
    """Functions that need the interpreter, while threads are inside driver calls all the time: nothing hangs."""
    counts = []

    def work():
        with context.stream() as stream:
            for _ in range(25):
                stream.call(lambda: counts.append(1))
                stream.synchronize()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(counts) == 100


def test_a_closed_stream_still_calls_what_was_queued(context):
    seen = threading.Event()
    stream = context.stream()
    stream.call(seen.set)
    stream.close()
    assert seen.wait(10)


def test_in_a_capture_a_function_becomes_a_node(context, stream):
    seen = []
    with stream.capture() as capture:
        stream.call(lambda: seen.append(1))
    with capture.graph as graph, graph.instantiate() as executable:
        for _ in range(3):
            executable.launch(stream)
        stream.synchronize()
    assert seen == [1, 1, 1]


def test_values_written_and_waited_for(context, stream):
    with filled(context, [0] * 4) as x:
        stream.memory_operations(
            dc.write_value(x, 5), dc.wait_value(x, 5, "=="), dc.write_value(x.pointer + 8, 1 << 40, bits=64)
        )
        stream.synchronize()
        assert words(context, x, 4) == [5, 0, 0, 1 << 8]


def test_a_wait_is_over_when_the_host_s_thread_writes(context, add):
    """The stream waits for a word that another stream writes later, from another thread."""
    with filled(context, [0, 0]) as x, context.stream() as waiting, context.stream() as writing:
        thread = threading.Timer(0.05, lambda: writing.memory_operations(dc.write_value(x, 1)))
        thread.start()
        waiting.memory_operations(dc.wait_value(x, 1))
        add.launch(1, 1, x.pointer + 4, 1, 7, stream=waiting)
        waiting.synchronize()
        thread.join()
        assert words(context, x, 2) == [1, 7]


def test_times(context, stream):
    start = stream.record()
    time.sleep(0.01)
    end = stream.record()
    end.synchronize()
    assert end.elapsed_ms(start) >= 0
    with pytest.raises(dc.InvalidHandleError) as caught:
        context.event().elapsed_ms(start)
    assert caught.value.hint == "record both events first"
    with pytest.raises(dc.ArgumentError, match="no timing"):
        context.event(interprocess=True)


PARENT = """
import subprocess
context = driver.device(0).primary_context()
stream, x = context.stream(), context.alloc(1 << 21)
event = context.event(timing=False, interprocess=True)
context.memset(x, 3, 1 << 19, 4, stream=stream)
event.record(stream)
handles = dc.memory_handle(x).hex(), event.ipc_handle().hex()
child = subprocess.run([sys.executable, "-c", CHILD, *handles], capture_output=True, text=True)
print(child.stdout.strip(), child.stderr[-500:], words(context, x, 2))
for opens in (lambda: dc.open_memory(context, bytes.fromhex(handles[0]), 1 << 21),
              lambda: dc.open_event(context, bytes.fromhex(handles[1])), lambda: dc.open_memory(context, b"12", 1)):
    try:
        opens()
    except dc.ArgumentError as error:
        print(str(error).splitlines()[0])
x.close()
"""
CHILD = """
context = driver.device(0).primary_context()
stream = context.stream()
event = dc.open_event(context, bytes.fromhex(sys.argv[2]))
try:
    dc.open_memory(context, bytes.fromhex(sys.argv[1]), 1 << 30)
    print("more than there is was opened")
except dc.ArgumentRangeError:
    pass
with dc.open_memory(context, bytes.fromhex(sys.argv[1]), 1 << 21) as x:
    stream.wait(event)
    context.load(PTX, signatures=SIGNATURES).function("add").launch(1, 32, x, 2, 5, stream=stream)
    stream.synchronize()
    print(words(context, x, 3))
event.close(); stream.close()
"""


def test_memory_and_events_of_another_process(python, device_name):
    from tests.driver_ctypes.kit import START

    child = START.format(name=device_name) + CHILD
    assert python(f"CHILD = {child!r}\n{PARENT}").splitlines() == [
        "[8, 8, 3]  [8, 8]",
        "the handle is this process's own, which the driver does not open",
        "the handle is this process's own, which the driver does not open",
        "a handle has 64 bytes, not 2",
    ]


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
