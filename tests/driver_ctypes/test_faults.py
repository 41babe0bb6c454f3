"""Every driver call that a program makes fails in turn: the error is the right one and names the call, nothing leaks, and
the next launch works, or says that the context is lost.

The demo's path is built from a kernel of the library: load, copy, launch, read back, bind, capture, replay, close. One
kernel is taken through every call it makes; of one kernel of each family a seeded sample of its calls fails. All calls of
all kernels:

    PTXGEN_FAULTS=all pytest tests/driver_ctypes/test_faults.py
"""

from __future__ import annotations

import gc
import os
import random

import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen.kernels import CATALOGUE, find

pytestmark = pytest.mark.cpu_only

WHOLE = os.environ.get("PTXGEN_FAULTS") == "all"
EVERY = [variant for variants in CATALOGUE.values() for variant in (variants if WHOLE else variants[:1])]
SLOW = () if WHOLE else ("attention_backward", "attention_packed", "attention_packed_backward", "group_merge")
"""Families whose launches make the calls of others, and whose kernels take the longest to compile."""
CHOSEN = [variant for variant in EVERY if "sm_90a" not in variant.absent and variant.family not in SLOW]
SAMPLE = 2  # calls of each kernel's path that fail in an ordinary run
SYSTEM = 304  # OPERATING_SYSTEM: nobody's answer to anything

# The first error is about the call that failed, but for these: what a caller asks, and goes on without an answer.
ANSWERS = {"cuThreadExchangeStreamCaptureMode", "cuGetProcAddress_v2"}


@pytest.fixture(scope="module")
def dev():
    return px.device("cpu")


def path(variant, dev):
    """What a program does with a kernel; True if both results are right."""
    case = variant.case(variant.sizes[0], seed=1)
    arrays, plan = case.on(dev)
    plan.launch()
    right = case.compare(arrays).passed
    launch = plan.bind(dev)
    arrays, plan = case.on(dev)
    with dev.capture() as graph:
        plan.launch()
    graph.launch()
    right &= case.compare(arrays).passed
    graph.close()
    del launch
    return right


def end(dev):
    """Close everything. What the emulated driver still holds after that was leaked."""
    from ptxgen.emulated_driver import live_handles

    gc.collect()
    if not dev.handle.primary_context().closed:
        dev.context.close()
    left = live_handles()
    if left:
        dev.reset()
    return left


def calls_of(variant, dev):
    """The driver calls of the path from a fresh context on, in order."""
    from ptxgen.emulated_driver import counting

    path(variant, dev)  # what is done once in a process is done
    end(dev)
    with counting() as calls:
        assert path(variant, dev)
    assert end(dev) == {}
    return calls


def outcome(variant, dev, fault):
    """The error that the path ends with under *fault*, as (class, function, text); None where it goes through. What garbage
    collection has left and cannot be freed is a warning, which counts as an error here.
    """
    try:
        with fault:
            assert path(variant, dev)
    except (dc.Error, dc.CleanupWarning) as error:
        found = type(error), getattr(error, "function", ""), str(error)
        while error is not None:  # the frames' variables are what must not leak
            error.__traceback__, error = None, error.__context__
        return found
    return None


def fail_call(variant, dev, calls, nth):
    from ptxgen.emulated_driver import inject

    symbol = calls[nth - 1]
    found = outcome(variant, dev, inject("*", nth, SYSTEM))
    where = f"{variant.label}: call {nth}, {symbol}"
    if found is None:
        assert symbol in ANSWERS, f"{where}: its failure went unnoticed"
    else:
        kind, function, text = found
        assert kind in (dc.CudaError, dc.CleanupWarning), where
        if kind is dc.CudaError:
            assert function == symbol, f"{where}: the error is about {function}"
        assert f"{symbol} failed: CUDA_ERROR_OPERATING_SYSTEM (304)" in text, where
    assert path(variant, dev), f"{where}: the next launch is wrong"
    assert end(dev) == {}, f"{where}: something leaked"


def test_every_call_of_the_demo_fails_in_turn(dev):
    variant = find("saxpy/f32")
    calls = calls_of(variant, dev)
    assert {"cuModuleLoadDataEx", "cuMemAlloc_v2", "cuLaunchKernelEx", "cuGraphLaunch", "cuGraphDestroy"} <= set(calls)
    for nth in range(1, len(calls) + 1):
        fail_call(variant, dev, calls, nth)


@pytest.mark.parametrize("variant", CHOSEN, ids=lambda variant: variant.label)
def test_calls_of_kernels_fail(dev, variant):
    calls = calls_of(variant, dev)
    every = range(1, len(calls) + 1)
    chosen = every if WHOLE else random.Random(variant.label).sample(every, SAMPLE)
    for nth in chosen:
        fail_call(variant, dev, calls, nth)


FATAL = {
    700: dc.IllegalAddressError,
    716: dc.MisalignedAddressError,
    719: dc.LaunchFailedError,
    214: dc.FatalError,
}


@pytest.mark.parametrize("code", FATAL)
def test_a_lost_device_is_said_to_be_lost_and_a_reset_brings_it_back(dev, code):
    from ptxgen.emulated_driver import device_lost

    variant = find("saxpy/f32")
    calls = calls_of(variant, dev)
    for after in range(3, len(calls), 1 if WHOLE else 7):  # from the first call on the opened context
        where = f"after {after} calls, in {calls[after]}"
        found = outcome(variant, dev, device_lost(after, code))
        assert found is not None, where
        kind, _function, text = found
        assert issubclass(kind, dc.FatalError), where
        assert str(code) in text, where
        if dev.context.poisoned is not None:
            assert kind in (FATAL[code], dc.ContextLostError), where
            again = outcome(variant, dev, device_lost(1 << 30, code))
            assert again[0] is dc.ContextLostError, where
            assert f"({code})" in again[2], where
            assert "device.reset()" in again[2], where
        dev.reset()
        assert path(variant, dev), where
        assert end(dev) == {}, where


def test_a_device_lost_in_a_capture_takes_the_capture_with_it(dev):
    from ptxgen.emulated_driver import device_lost, live_handles

    assert end(dev) == {}
    stream = dev.context.stream()
    with pytest.raises(dc.FatalError), stream.capture():
        with device_lost():
            dev.context.alloc(64)
    dev.reset()
    del stream
    gc.collect()
    assert live_handles() == {}


def test_full_memory_loses_nothing(dev):
    from ptxgen.emulated_driver import memory_full

    variant = find("saxpy/f32")
    path(variant, dev)
    assert end(dev) == {}
    for after in range(4):
        kind, function, text = outcome(variant, dev, memory_full(after))
        assert kind is dc.OutOfMemoryError
        assert function == "cuMemAlloc_v2"
        assert "free" in text
        assert path(variant, dev)
        assert end(dev) == {}


def test_an_open_context_that_fails_to_close_frees_all_it_can(dev):
    from ptxgen.emulated_driver import inject, live_handles

    context = dev.context
    kept = [context.alloc(64) for _ in range(3)] + [context.stream(), context.event()]
    with inject("cuMemFree_v2", 1, SYSTEM), pytest.raises(dc.CudaError, match="cuMemFree_v2 failed"):
        context.close()
    assert context.closed
    assert all(thing.closed for thing in kept)
    assert live_handles().keys() <= {"memory"}  # which went with its context
    assert live_handles() == {}


def test_faults_are_counted_and_end_with_their_body(dev):
    from ptxgen.emulated_driver import counting, inject

    context = dev.context
    with inject("cuMemAlloc_v2", 2, SYSTEM, times=2) as fault, counting() as calls:
        context.alloc(64).close()
        for _ in range(2):
            with pytest.raises(dc.CudaError):
                context.alloc(64)
        context.alloc(64).close()
    assert fault.failed == ["cuMemAlloc_v2"] * 2
    assert calls.count("cuMemAlloc_v2") == 4
    context.alloc(64).close()
    with pytest.raises(KeyError, match="cuFrob"), inject("cuFrob"):
        pass
