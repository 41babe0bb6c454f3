"""Each call of each feature fails in turn: the error says which, nothing is left behind, and the next try works."""

import gc

import numpy as np
import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import filled

pytestmark = pytest.mark.cpu_only  # NVIDIA's driver does not fail on request

MIB = 1 << 20


def pools(context, stream):
    with dc.create_pool(context, limit=8 * MIB, shareable=True) as pool:
        pool.release_threshold = MIB
        with pool.alloc(64, stream) as x:
            dc.export_buffer(x)
        pool.trim()
        assert pool.used == 0
        pool.set_access("rw", [context.device])
        pool.access(context.device)
    with context.alloc_async(64, stream):
        dc.current_pool(context)


def virtual(context, stream):
    unit = dc.memory_granularity(context)
    with dc.reserve_addresses(context, unit) as addresses, dc.create_memory(context, unit) as memory:
        with addresses.map(memory) as mapped:
            mapped.access()
    with dc.GrowableBuffer(context, 1, room=4 * unit) as x:
        x.resize(2 * unit)


def host_memory(context, stream):
    with context.alloc_pinned(64, mapped=True) as host:
        assert host.device_pointer
    with context.register(bytearray(8192)):
        pass
    with context.alloc_managed(64) as x:
        x.prefetch()


def regions(context, stream):
    with filled(context, range(64)) as x, context.alloc_pitched(32, 2) as y:
        context.copy_region(y, dc.Region(x, pitch=64), 32, 2, stream=stream)
        context.copy_region(np.zeros((2, 8), np.uint32), y, 32, 2)
        context.memset_rows(y, 1, 8, 2, y.pitch, 4, stream=stream)


def streams(context, stream):
    seen = []
    stream.call(lambda: seen.append(1))
    stream.synchronize()
    with context.alloc(64) as x:
        stream.memory_operations(dc.write_value(x, 1), dc.wait_value(x, 1))
    assert stream.priority == 0
    assert seen == [1]


def contexts(context, stream):
    own = context.device.create_context()
    try:
        own.set_limit(0, 2048)
        own.set_flags(1)
        with own.current():
            pass
    finally:
        own.close()


def sharing(context, stream):
    with context.alloc(8192) as x, context.event(timing=False, interprocess=True) as event:
        dc.memory_handle(x)
        event.ipc_handle()
        dc.tensor_map(x, "u8", (64, 64), (64, 8)).replace_address(x)
        dc.pointer_info(context, x.pointer)
        with dc.profile(context):
            dc.copy_peer(x, x, 16, stream)


FEATURES = {feature.__name__: feature for feature in (pools, virtual, host_memory, regions, streams, contexts, sharing)}
QUIET = {  # their failure is an answer, no reason to fail, or they are asked once
    "cuDeviceGetAttribute", "cuCtxGetCurrent", "cuCtxSetCurrent", "cuThreadExchangeStreamCaptureMode",
    "cuLogsDumpToMemory", "cuGetErrorName", "cuGetErrorString", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2",
    "cuCtxCreate_v2", "cuCtxDestroy_v2",
}  # fmt: skip


def calls_of(context, stream, feature):
    """The driver functions that a feature calls, in order, each once."""
    from ptxgen.emulated_driver import counting

    with counting() as used:
        feature(context, stream)
    return list(dict.fromkeys(used))


def first_of(error):
    """The text of the first error of several: what could not be freed makes freeing what it lies in fail too."""
    while isinstance(error.__context__, dc.CudaError):
        error = error.__context__
    return str(error)


@pytest.mark.parametrize("name", FEATURES)
def test_every_call_may_fail(context, stream, name):
    from ptxgen.emulated_driver import inject

    feature = FEATURES[name]
    calls = calls_of(context, stream, feature)
    assert len(calls) > 3
    for symbol in calls:
        if symbol in QUIET:
            continue
        kept = context.live_handles()
        with inject(symbol, 1, 304):
            with pytest.raises(dc.CudaError) as caught:
                feature(context, stream)
            assert f"{symbol} failed: CUDA_ERROR_OPERATING_SYSTEM (304)" in first_of(caught.value), symbol
        del caught  # its traceback keeps what the feature made
        gc.collect()
        context.synchronize()
        assert context.live_handles() == kept, symbol  # a free that failed is tried again
        feature(context, stream)


@pytest.mark.parametrize(
    "symbol", ["cuMemAlloc_v2", "cuMemAllocAsync", "cuMemCreate", "cuMemHostAlloc", "cuMemAllocManaged"]
)
def test_memory_that_is_full_for_a_moment_is_asked_again(context, stream, symbol):
    from ptxgen.emulated_driver import inject

    unit = dc.memory_granularity(context)
    makers = {
        "cuMemAlloc_v2": lambda: context.alloc(64),
        "cuMemAllocAsync": lambda: context.alloc_async(64, stream),
        "cuMemCreate": lambda: dc.create_memory(context, unit),
        "cuMemHostAlloc": lambda: context.alloc_pinned(64),
        "cuMemAllocManaged": lambda: context.alloc_managed(64),
    }
    with inject(symbol, 1, 2):
        makers[symbol]().close()
    with inject(symbol, 1, 2), inject(symbol, 2, 2), pytest.raises(dc.OutOfMemoryError, match="asked for"):
        makers[symbol]()


def test_a_lost_context_says_so_everywhere(python):
    program = """
from ptxgen.emulated_driver import inject
context = driver.device(0).primary_context()
pool, x, stream = dc.create_pool(context), context.alloc(64), context.stream()
grown = dc.GrowableBuffer(context, 1, room=1 << 23)
with inject("cuMemsetD8_v2", 1, 700):
    try: context.memset(x, 0, 64)
    except dc.IllegalAddressError: pass
uses = dict(alloc=lambda: context.alloc_async(4), pool=lambda: pool.alloc(4), call=lambda: stream.call(print),
    grow=lambda: grown.resize(1 << 22), register=lambda: context.register(bytearray(8192)), limit=lambda: context.limit(0),
    info=lambda: dc.pointer_info(context, 5), map=lambda: dc.tensor_map(x, "u8", (64,), (16,)),
    handle=lambda: dc.memory_handle(x), operations=lambda: stream.memory_operations(dc.write_value(x, 1)))
for name, use in uses.items():
    try: use(); print("lived", name)
    except dc.ContextLostError as error: assert error.first.code == 700
for thing in (pool, x, grown, stream): thing.close()
context.device.reset()
print(context.device.primary_context().alloc(4).nbytes)
"""
    assert python(program) == "4"


def test_a_forked_child_refuses_every_feature(python):
    program = """
context = driver.device(0).primary_context()
pool, x, stream = dc.create_pool(context), context.alloc(8192), context.stream()
grown, event = dc.GrowableBuffer(context, 1, room=1 << 23), context.event(timing=False, interprocess=True)
own = context.device.create_context()
if not os.fork():
    uses = dict(alloc=lambda: context.alloc_async(4), pool=lambda: pool.alloc(4), call=lambda: stream.call(print),
        grow=lambda: grown.resize(1 << 22), register=lambda: context.register(bytearray(8192)), own=lambda: own.alloc(4),
        limit=lambda: context.limit(0), handle=lambda: dc.memory_handle(x), event=event.ipc_handle,
        create=lambda: dc.create_pool(context), peer=lambda: dc.can_access_peer(context.device, context.device),
        another=lambda: context.device.create_context())
    for name, use in uses.items():
        try: use(); print("lived", name)
        except (dc.ForkedProcessError, dc.ClosedError): pass
    for thing in (pool, x, grown, event, stream, own): thing.close()
    print("child", flush=True)
    os._exit(0)
os.wait()
for thing in (pool, x, grown, event, stream, own): thing.close()
print(context.live_handles())
"""
    assert python(program).splitlines() == ["child", "{}"]


def test_the_first_to_hear_of_a_fault_may_be_a_free(python):
    program = """
import gc, warnings
warnings.simplefilter("error")
context = driver.device(0).primary_context()
bad = context.load(
    ".version 7.0\\n.target sm_50\\n.address_size 64\\n.visible .entry bad(.param .u64 x) {"
    " .reg .u64 %d<2>; ld.param.u64 %d1, [x]; st.global.u32 [%d1 + 1099511627776], 1; ret; }",
    signatures={"bad": dc.Signature([dc.Parameter("x", "pointer")])},
).function("bad")
buffer = context.alloc(64)
try:
    bad.launch(1, 1, buffer)
    del buffer
    gc.collect()
    context.synchronize()
except dc.IllegalAddressError as error: print("kernel 'bad'" in str(error))
try: context.synchronize()
except dc.ContextLostError as error: print(type(error.first).__name__)
"""
    assert python(program).splitlines() == ["True", "IllegalAddressError"]
