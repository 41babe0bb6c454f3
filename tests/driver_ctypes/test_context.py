"""Contexts: current on any thread when needed, poisoned by a fault, ended by close or reset."""

import threading

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.fake import Fake


def on_a_thread(work):
    """Run *work* on a fresh thread and return what it returned."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


def test_the_primary_context_is_retained_once(fake, driver):
    context = driver.device(0).primary_context()
    assert driver.device(0).primary_context() is context
    assert fake.retained[0] == 1
    assert (context.device, context.driver, context.closed, context.poisoned) == (driver.device(0), driver, False, None)
    context.close()
    assert fake.retained[0] == 0
    assert driver.device(0).primary_context() is not context


def test_every_call_works_from_every_thread(fake, context, saxpy, stream):
    x = context.alloc(16)
    event = context.event()

    def work():
        assert getattr(fake.current, "value", 0) == 0
        other = context.alloc(8)
        context.memset(other, 0, 8)
        context.copy_to_device(other, b"12345678")
        saxpy.launch(1, 32, 1, 1.0, x, other, stream=stream)
        saxpy.launch(1, 32, 1, 1.0, x, other)
        event.record(stream)
        stream.synchronize()
        with stream.capture() as capture:
            saxpy.launch(1, 32, 1, 1.0, x, other, stream=stream)
        capture.graph.instantiate().launch(stream)
        other.close()
        return fake.current.value

    assert on_a_thread(work) == context.handle


def test_the_context_is_set_once_for_each_thread(fake, context):
    context.alloc(4).close()
    before = fake.counts["cuCtxSetCurrent"]
    for _ in range(5):
        context.alloc(4).close()
    assert fake.counts["cuCtxSetCurrent"] == before


def test_another_library_s_context_is_put_back(fake, context):
    fake.current.value = 0xBEEF
    seen = []
    allocate = fake.cuMemAlloc_v2
    fake.cuMemAlloc_v2 = lambda out, size: seen.append(fake.current.value) or allocate(out, size)
    context.alloc(4)
    assert seen == [context.handle]
    assert fake.current.value == 0xBEEF


def test_another_library_s_context_is_put_back_after_an_error(fake, context):
    context.check()
    fake.current.value = 0xBEEF
    fake.fail("cuMemAlloc_v2", 2, on_call=0)
    with pytest.raises(dc.OutOfMemoryError):
        context.alloc(4)
    assert fake.current.value == 0xBEEF


def test_a_context_that_another_library_made_current_meanwhile_does_not_confuse(fake, driver):
    """Two devices: what an allocation lands on depends on the current context alone."""
    fake.devices = 2
    two = Fake(devices=2)
    driver = two.open()
    first, second = (driver.device(i).primary_context() for i in range(2))
    seen = []
    allocate = two.cuMemAlloc_v2
    two.cuMemAlloc_v2 = lambda out, size: seen.append(two.current.value) or allocate(out, size)
    first.alloc(4)
    second.alloc(4)
    two.current.value = second.handle  # such as torch.cuda.set_device
    first.alloc(4)
    assert seen == [first.handle, second.handle, first.handle]
    assert two.current.value == second.handle


def test_memory_info_and_priorities(context):
    free, total = context.memory_info()
    buffer = context.alloc(1 << 20)
    assert (free - context.memory_info()[0], total) == (1 << 20, 1 << 30)
    assert context.stream_priorities() == (0, -5)
    buffer.close()


@pytest.mark.parametrize(
    "code, kind",
    [
        (700, dc.IllegalAddressError),
        (716, dc.MisalignedAddressError),
        (719, dc.LaunchFailedError),
        (710, dc.DeviceAssertError),
        (214, dc.FatalError),
    ],
)
def test_a_fault_poisons_the_context_and_is_named_ever_after(fake, context, code, kind):
    buffer = context.alloc(16)
    fake.sticky = code
    with pytest.raises(kind) as first:
        context.synchronize()
    assert context.poisoned.code == code
    assert str(context.poisoned) == str(first.value)
    before = len(fake.calls)
    for use in (
        context.synchronize,
        lambda: context.alloc(4),
        lambda: context.copy_to_device(buffer, b"x"),
        lambda: context.load(".visible .entry k() { ret; }"),
        context.stream,
        context.check,
    ):
        with pytest.raises(dc.ContextLostError, match="died earlier: cuCtxSynchronize failed") as later:
            use()
        assert (later.value.code, later.value.first.code) == (code, code)
    assert len(fake.calls) == before, "nothing is sent to a dead context"
    buffer.close()
    assert fake.counts["cuMemFree_v2"] == 0


def test_the_fault_tells_the_driver_s_log_and_the_last_launch(fake, context, saxpy, stream):
    saxpy.launch(4, 64, 1, 1.0, 0, 0, stream=stream)
    fake.sticky = 700
    stamp = "[11:53:52.302][1401][CUDA][E]"
    fake.logs.append(
        f"{stamp} kernel saxpy, CTA (3,0,0), thread (7,0,0), line 12: load from 0x10 is outside every buffer"
    )
    fake.logs.append(f"{stamp} Returning 700 (CUDA_ERROR_ILLEGAL_ADDRESS) from cuStreamSynchronize")
    with pytest.raises(dc.IllegalAddressError) as caught:
        stream.synchronize()
    assert "the driver's log: kernel saxpy, CTA (3,0,0)" in str(caught.value)
    assert "Returning" not in str(caught.value)
    assert "last launch on this context: kernel 'saxpy', grid (4, 1, 1), block (64, 1, 1)" in str(caught.value)
    assert "line 12: load from 0x10 is outside every buffer" in str(caught.value)
    assert "device.reset()" in str(caught.value)


def test_the_remembered_fault_keeps_no_frame_alive(fake, context):
    fake.sticky = 700
    with pytest.raises(dc.IllegalAddressError):
        context.synchronize()
    assert context.poisoned.__traceback__ is None


def test_a_bound_launcher_says_that_the_context_is_dead(fake, context, saxpy, stream):
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, 0, 0)
    fake.sticky = 719
    with pytest.raises(dc.LaunchFailedError, match="kernel 'saxpy'"):
        launcher(1, 1.0, 0, 0)
    with pytest.raises(dc.ContextLostError):
        launcher(1, 1.0, 0, 0)


def test_reset_opens_a_new_context(fake, driver):
    context = driver.device(0).primary_context()
    buffer = context.alloc(16)
    fake.sticky = 700
    with pytest.raises(dc.IllegalAddressError):
        context.synchronize()
    driver.device(0).reset()
    assert context.closed
    with pytest.raises(dc.ClosedError):
        buffer.pointer
    fresh = driver.device(0).primary_context()
    assert fresh is not context
    assert fresh.poisoned is None
    fresh.alloc(16).close()
    fresh.close()
    assert fake.retained[0] == 0


def test_an_ordinary_error_does_not_poison(fake, context):
    fake.fail("cuMemAlloc_v2", 2, on_call=1)
    fake.fail("cuMemAlloc_v2", 2, on_call=2)
    with pytest.raises(dc.OutOfMemoryError):
        context.alloc(16)
    assert context.poisoned is None
    context.alloc(16).close()


def test_close_frees_everything_children_first(fake, driver):
    context = driver.device(0).primary_context()
    stream = context.stream()
    keep = [context.alloc(4), context.alloc_pinned(4), context.event(), context.load(".visible .entry k() { ret; }")]
    with stream.capture() as capture:
        keep[3].function("k").launch(1, 1, stream=stream)
    keep += [capture.graph, capture.graph.instantiate(), stream]
    fake.calls.clear()
    context.close()
    assert [symbol for symbol in fake.symbols() if "Destroy" in symbol or "Free" in symbol or "Unload" in symbol] == [
        "cuGraphExecDestroy",
        "cuGraphDestroy",
        "cuEventDestroy_v2",
        "cuStreamDestroy_v2",
        "cuModuleUnload",
        "cuMemFree_v2",
        "cuMemFreeHost",
    ]
    assert fake.live() == {}
    for handle in keep:
        assert handle.closed
        handle.close()


def test_a_closed_context_refuses_everything(context):
    buffer, stream = context.alloc(4), context.stream()
    context.close()
    context.close()
    for use in (
        context.synchronize,
        lambda: context.alloc(4),
        stream.synchronize,
        lambda: buffer.pointer,
        context.event,
    ):
        with pytest.raises(dc.ClosedError):
            use()


def test_close_during_a_capture_ends_it(fake, context):
    stream = context.stream()
    with stream.capture():
        context.close()
    assert fake.capturing == {}
    assert fake.live() == {}
