"""What a device says of itself, and the functions that its driver has."""

from __future__ import annotations

import ctypes

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUdevice_attribute
from tests.driver_ctypes.kit import PTX, SIGNATURES, filled, open_driver, words


def test_what_the_device_is(context):
    device = context.device
    assert context.driver.version >= 12000
    assert device.name
    assert len(device.uuid) == 36
    assert device.compute_capability >= (7, 5)
    assert device.total_memory > 1 << 28
    attributes = device.attributes()
    assert attributes[CUdevice_attribute.WARP_SIZE] == 32
    assert len(attributes) > 100
    free, total = context.memory_info()
    assert 0 < free <= total


def test_functions_of_the_table(context):
    """NVIDIA's driver has every function that is not newer than it is; the emulated one has those used here."""
    found = dc.diagnose(context.driver.name)
    assert found.usable
    missing = {each.symbol: each.since for each in found.missing}
    assert not {"cuLaunchKernelEx", "cuGraphInstantiateWithParams", "cuLogsDumpToMemory"} & set(missing)
    if context.driver.name == "cuda":
        windows_only = {"cuDeviceGetLuid"}
        gone = [s for s, since in missing.items() if since <= found.version and s not in windows_only]
        assert gone == []


def test_ordinals_that_are_not_there(context):
    with pytest.raises(dc.DeviceNotFoundError):
        context.driver.device(context.driver.device_count())


@pytest.mark.cuda_only
def test_two_devices(device_name):
    """What runs where is decided by the object, whatever context another library has made current."""
    driver = open_driver(device_name)
    if driver.device_count() < 2:
        pytest.skip("one GPU only")
    contexts = [driver.device(i).primary_context() for i in (0, 1)]
    functions = [context.load(PTX, signatures=SIGNATURES).function("add") for context in contexts]
    for current in (*contexts, None):
        driver.call("cuCtxSetCurrent", current.handle if current else None)
        for context, function in zip(contexts, functions):
            x = filled(context, [1])
            stream = context.stream()
            function.launch(1, 32, x, 1, 1)
            function.bind(1, 32)(x, 1, 1)
            function.bind(1, 32, stream=stream)(x, 1, 1)
            launcher = function.bind(1, 32, stream=stream)
            launcher(x, 1, 1)
            launcher(x, 1, 1)
            stream.synchronize()
            context.synchronize()
            assert words(context, x, 1) == [6]
            now = ctypes.c_void_p()
            driver.call("cuCtxGetCurrent", ctypes.byref(now))
            assert now.value == (current or contexts[0]).handle
    x = filled(contexts[0], [1])
    with pytest.raises(dc.ArgumentError, match="lives on"):
        functions[1].launch(1, 32, x, 1, 1)
