"""What a device says of itself, and the functions that its driver has."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUdevice_attribute
from tests.driver_ctypes.kit import PTX, SIGNATURES, filled, open_driver, words

ROOT = Path(__file__).parents[3]


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


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "variable, value, said",
    [
        ("PTXGEN_CPU_DEVICES", "x", "not a number from 0 to 64"),
        ("PTXGEN_CPU_DEVICES", "-1", "not a number from 0 to 64"),
        ("PTXGEN_CPU_MEMORY", "1K", "at least 1M"),
        ("PTXGEN_CPU_CAPABILITY", "80", "such as 9.0"),
    ],
)
def test_a_variable_that_the_emulated_driver_cannot_use_is_named(variable, value, said):
    program = "import driver_ctypes as dc\nfrom tests.driver_ctypes.kit import open_driver\n" + (
        "try: open_driver('cpu')\nexcept dc.InitializationError as error: print(error)\nprint(dc.diagnose('cpu'))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), variable: value}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    error, _, report = done.stdout.partition("driver 'cpu'")
    for text in (error, report):
        assert f"{variable} is {value!r}" in text
        assert said in text
    assert "Fix: \n" not in report + "\n"


@pytest.mark.cpu_only
def test_an_empty_variable_is_none():
    program = "from tests.driver_ctypes.kit import open_driver\nprint(open_driver('cpu').device_count())"
    empty = {f"PTXGEN_CPU_{name}": "" for name in ("DEVICES", "MEMORY", "CAPABILITY")}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **empty}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
