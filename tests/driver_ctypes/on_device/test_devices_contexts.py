"""What a device says of itself, contexts beside the primary one, limits and flags."""

import gc
import threading

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUctx_flags, CUdevice_attribute, CUfunc_cache, CUlimit
from tests.driver_ctypes.kit import PTX, SIGNATURES, filled, words


def test_every_attribute_has_a_readable_name(context):
    limits = context.device.limits
    assert limits.max_threads_per_block == context.device.attribute(CUdevice_attribute.MAX_THREADS_PER_BLOCK) == 1024
    assert limits.warp_size == 32
    assert {name.lower() for name in CUdevice_attribute.__members__} - set(dir(limits)) == {"max"}
    with pytest.raises(AttributeError, match="'max_thread_per_block'; max_threads_per_block is meant"):
        limits.max_thread_per_block


def test_a_place_on_the_bus(context):
    assert context.device.pci_bus_id.count(":") == 2


def test_a_context_of_one_s_own_is_apart(context):
    own = context.device.create_context(CUctx_flags.SCHED_SPIN)
    assert (own.primary, context.primary) == (False, True)
    assert own.flags & CUctx_flags.SCHED_MASK == CUctx_flags.SCHED_SPIN
    with own.stream() as stream, filled(own, [1, 2, 3]) as x:
        add = own.load(PTX, signatures=SIGNATURES).function("add")
        add.launch(1, 32, x, 3, 10, stream=stream)
        stream.synchronize()
        assert words(own, x, 3) == [11, 12, 13]
        with pytest.raises(dc.ArgumentError, match="lives on"):
            context.memset(x, 0, 12)
    own.close()
    with pytest.raises(dc.ClosedError, match="create_context"):
        own.alloc(4)
    context.check()


def test_making_a_context_does_not_make_it_current(context):
    context.synchronize()
    own = context.device.create_context()
    with context.alloc(4) as buffer:
        assert dc.pointer_info(context, buffer.pointer).context == context.handle
    own.close()


def test_closing_a_context_frees_what_it_holds(context):
    own = context.device.create_context()
    buffer, stream = own.alloc(1 << 20), own.stream()
    assert context.device.live_handles()["context"] == 2
    assert own.live_bytes() == {"buffer": 1 << 20}
    own.close()
    assert (buffer.closed, stream.closed) == (True, True)
    assert context.device.live_handles()["context"] == 1


def test_limits(context):
    own = context.device.create_context()
    assert own.limit(CUlimit.STACK_SIZE) >= 1024
    assert own.set_limit(CUlimit.STACK_SIZE, 4000) == 4000
    with pytest.raises(dc.CudaError, match="INVALID_VALUE"):
        own.set_limit(CUlimit.STACK_SIZE, 1 << 40)
    with pytest.raises(dc.CudaError, match="UNSUPPORTED_LIMIT"):
        own.limit(CUlimit.DEV_RUNTIME_SYNC_DEPTH)
    own.close()


def test_flags_and_cache(context):
    own = context.device.create_context()
    own.set_flags(CUctx_flags.SCHED_YIELD)
    assert own.flags & CUctx_flags.SCHED_MASK == CUctx_flags.SCHED_YIELD
    own.cache_config = CUfunc_cache.SHARED
    assert own.cache_config is CUfunc_cache.SHARED
    own.reset_persisting_l2()
    own.close()
    flags, active = context.device.primary_state()
    assert active
    assert flags >= 0


def test_current_for_other_libraries(context):
    own = context.device.create_context()
    ask = context.driver.raw("cuCtxGetCurrent")
    from ctypes import byref, c_void_p

    found = c_void_p()
    with own.current():
        ask(byref(found))
        assert found.value == own.handle
    own.close()
    context.synchronize()


def test_a_profiler_range_and_a_named_one(context, stream):
    with dc.profile(context), dc.nvtx_range("fill"), context.alloc(64) as buffer:
        context.memset(buffer, 0, 64, stream=stream)


def test_what_an_address_is(context):
    with context.alloc(100) as device, context.alloc_pinned(100) as host:
        info = dc.pointer_info(context, device.pointer + 7)
        assert (info.kind, info.device, info.base, info.nbytes) == ("device", 0, device.pointer, 100)
        assert (info.context, info.managed, info.mapped, info.pool) == (context.handle, False, True, 0)
        assert dc.pointer_info(context, host.address).host == host.address
        assert dc.pointer_info(context, host.address).kind == "host"
    assert dc.pointer_info(context, 0x1234) == dc.PointerInfo("unknown", None, 0, 0, 0, 0, False, False, 0)


@pytest.mark.parametrize("what", ["context", "module", "stream"])
def test_closing_what_threads_launch_on(context, what):
    own = context.device.create_context()
    add = own.load(PTX, signatures=SIGNATURES).function("add")
    x, stream = own.alloc(4096), own.stream()
    said, begun = [], threading.Barrier(4)

    def work():
        launch = add.bind(1, 32, stream=stream)
        launch(x, 32, 1)
        begun.wait()
        try:
            while True:
                launch(x, 32, 1)
        except dc.Error as error:
            said.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    begun.wait()
    {"context": own, "module": add.module, "stream": stream}[what].close()
    for thread in threads:
        thread.join()
    assert [type(error) for error in said] == [dc.ClosedError] * 3, said
    own.close()
    context.synchronize()


def test_a_with_block_closes_a_context(context):
    with context.device.create_context() as own:
        x = own.alloc(64)
    assert own.closed
    assert x.closed
    context.check()


def test_a_context_that_nobody_knows_is_destroyed(context):
    gc.collect()
    context.synchronize()
    before = context.device.live_handles()["context"]
    own = context.device.create_context()
    kept = own.alloc(64)
    own.stream(), own.default_stream, own.load(PTX, signatures=SIGNATURES).function("add").bind(1, 1)
    del own
    gc.collect()
    context.synchronize()
    assert context.device.live_handles()["context"] == before + 1  # what lives on it keeps it
    context_of_kept = kept.context
    with context.stream().capture():
        del kept, context_of_kept
        gc.collect()
    assert len(context.device.orphans) == 1
    context.synchronize()
    assert not context.device.orphans
    assert context.device.live_handles()["context"] == before
