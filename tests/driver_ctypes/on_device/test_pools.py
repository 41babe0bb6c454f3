"""Stream-ordered memory, and pools of it."""

import gc

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import filled, words

MIB = 1 << 20


@pytest.fixture
def held(context, nothing_leaks):
    """How many buffers of pools are held besides those that others of this process keep, as `px.ops` does for its next call."""
    others = context.live_handles().get("async buffer", 0)
    return lambda: context.live_handles().get("async buffer", 0) - others


def test_memory_in_stream_order(context, stream, add, held):
    x = context.alloc_async(4096, stream)
    context.memset(x, 1, 1024, 4, stream=stream)
    add.launch(4, 256, x, 1024, 5, stream=stream)
    stream.synchronize()
    assert words(context, x, 1024) == [6] * 1024
    assert held() == 1
    x.close()
    x.close()
    with pytest.raises(dc.ClosedError):
        x.pointer


def test_memory_of_no_bytes(context, stream):
    with context.alloc_async(0, stream) as x:
        assert (x.pointer, x.nbytes) == (0, 0)


def test_freed_on_another_stream_and_after_its_own_was_closed(context, stream):
    other = context.stream()
    one, two = context.alloc_async(64, other), context.alloc_async(64, other)
    other.synchronize()
    one.close(stream)
    other.close()
    two.close()


def test_what_is_dropped_is_freed_by_the_next_call(context, stream, held):
    context.alloc_async(1 << 20, stream)
    gc.collect()
    assert held() == 0


def test_a_pool_keeps_up_to_its_threshold(context, stream):
    with dc.create_pool(context) as pool:
        assert (pool.release_threshold, pool.used, pool.reserved) == (0, 0, 0)
        pool.release_threshold = 1 << 40
        x = pool.alloc(40 * MIB, stream)
        assert (pool.used, pool.used_high) == (40 * MIB, 40 * MIB)
        assert pool.reserved >= 40 * MIB
        address = x.pointer
        x.close()
        stream.synchronize()
        assert pool.used == 0
        assert pool.reserved >= 40 * MIB
        with pool.alloc(40 * MIB, stream) as again:
            assert again.pointer == address
            assert dc.pointer_info(context, again.pointer).pool == pool.handle
        stream.synchronize()
        pool.trim()
        assert pool.reserved == 0
        assert pool.reserved_high >= 40 * MIB
        pool.reset_high()
        assert (pool.used_high, pool.reserved_high) == (0, 0)


def test_a_limit(context, stream):
    with dc.create_pool(context, limit=64 * MIB) as pool, pool.alloc(40 * MIB, stream):
        with pytest.raises(dc.OutOfMemoryError, match=r"40.0 MiB asked for; .* are free"):
            pool.alloc(40 * MIB, stream)


def test_ways_of_reuse(context):
    with dc.create_pool(context) as pool:
        assert all(pool.reuse.values())
        pool.set_reuse(allow_opportunistic=False)
        assert pool.reuse == {
            "follow_event_dependencies": True,
            "allow_opportunistic": False,
            "allow_internal_dependencies": True,
        }
        with pytest.raises(dc.ArgumentError, match="no way of reuse"):
            pool.set_reuse(magic=True)


def test_the_device_s_pools(context, stream):
    default = dc.default_pool(context)
    assert dc.current_pool(context).handle == default.handle
    with dc.create_pool(context) as pool:
        dc.set_current_pool(pool)
        with context.alloc_async(64, stream) as x:
            assert dc.pointer_info(context, x.pointer).pool == pool.handle
        dc.set_current_pool(default)
    default.close()  # not ours to destroy
    assert dc.default_pool(context).access(context.device) == "rw"
    with pytest.raises(dc.ArgumentError, match="no rights"):
        default_again = dc.default_pool(context)
        default_again.set_access("w", [context.device])


def test_a_capture_refuses_and_lives(context, stream, add):
    x = context.alloc_async(64, stream)
    with stream.capture() as capture:
        with pytest.raises(dc.CaptureError, match="cannot allocate"):
            context.alloc_async(64, stream)
        with pytest.raises(dc.CaptureError, match="cannot free"):
            x.close()
        add.launch(1, 16, x, 16, 1, stream=stream)
    capture.graph.close()
    x.close()


def test_freed_while_another_stream_captures_it_goes_later(context, stream, add, held):
    x, y = context.alloc_async(64, stream), filled(context, [0] * 16)
    stream.synchronize()
    with context.stream() as other:
        with other.capture() as capture:
            x.close()
            add.launch(1, 16, y, 16, 1, stream=other)
        with capture.graph as graph, graph.instantiate() as executable:
            executable.launch(other)
            assert words(context, y, 1) == [1]
    assert held() == 0
    y.close()


def test_bound_launches_take_every_kind_of_buffer(context, stream, add):
    with dc.GrowableBuffer(context, 64, room=1 << 22) as grown, context.alloc_async(64, stream) as x:
        launch = add.bind(1, 16, stream=stream)
        for memory in (grown, x):
            context.memset(memory, 1, 16, 4, stream=stream)
            launch(memory, 16, 4)
            stream.synchronize()
            assert words(context, memory, 2) == [5, 5]
    with pytest.raises(dc.ClosedError):
        launch(grown, 16, 4)
    with pytest.raises(dc.ClosedError):
        launch(x, 16, 4)


def test_a_closed_pool_refuses(context, stream):
    pool = dc.create_pool(context)
    pool.close()
    with pytest.raises(dc.ClosedError, match="memory pool is closed"):
        pool.alloc(64, stream)


PARENT = """
import subprocess
context = driver.device(0).primary_context()
stream = context.stream()
pool = dc.create_pool(context, shareable=True)
x = pool.alloc(1 << 20, stream)
context.memset(x, 7, 1 << 18, 4)
descriptor = pool.export()
os.set_inheritable(descriptor, True)
child = subprocess.run([sys.executable, "-c", CHILD, str(descriptor), dc.export_buffer(x).hex()], pass_fds=[descriptor],
                       capture_output=True, text=True)
print(child.stdout.strip(), child.stderr[-500:], words(context, x, 2))
x.close(); pool.close(); stream.close()
print(context.live_handles())
"""
CHILD = """
context = driver.device(0).primary_context()
pool = dc.import_pool(context, int(sys.argv[1]))
x = pool.import_buffer(bytes.fromhex(sys.argv[2]), 1 << 20)
context.load(PTX, signatures=SIGNATURES).function("add").launch(1, 32, x, 2, 5)
print(words(context, x, 3), dc.pointer_info(context, x.pointer).nbytes)
x.close(); pool.close()
print(context.live_handles().get("imported buffer"))
"""


def test_a_pool_of_another_process(python, device_name):
    from tests.driver_ctypes.kit import START

    child = START.format(name=device_name) + CHILD
    out = python(f"CHILD = {child!r}\n{PARENT}").splitlines()
    assert out == ["[12, 12, 7] 1048576", "None  [12, 12]", "{}"]


def test_a_pool_that_was_not_made_to_be_shared_says_so(context):
    with dc.create_pool(context) as pool, pytest.raises(dc.CudaError) as caught:
        pool.export()
    assert "shareable=True" in caught.value.hint
