"""What `diagnose` says of a driver that works, one that is not there, and one without devices."""

import pytest

import driver_ctypes as dc
from driver_ctypes import drivers
from tests.driver_ctypes.fake import Fake


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    monkeypatch.setattr(drivers, "_factories", dict(drivers._factories))
    monkeypatch.setattr(drivers, "_opened", {})


def test_a_driver_that_works():
    fake = Fake(devices=2)
    dc.register_driver("mine", lambda: fake.resolve)
    found = dc.diagnose("mine")
    assert (found.usable, found.version, found.problem, found.advice) == (True, 13000, None, None)
    assert found.library is None
    assert [(device.ordinal, device.name, device.compute_capability) for device in found.devices] == [
        (0, "Fake GPU", (9, 0)),
        (1, "Fake GPU", (9, 0)),
    ]
    assert "cuTensorMapEncodeTiled" in found.missing
    assert "cuGraphAddNode_v3" in found.missing
    assert "cuMemAlloc_v2" not in found.missing


def test_a_driver_that_is_not_there(monkeypatch):
    monkeypatch.setenv("PTXGEN_LIBCUDA", "/nowhere/libcuda.so.1")
    found = dc.diagnose("cuda")
    assert not found.usable
    assert found.problem.startswith("no NVIDIA driver library was found")
    assert found.tried[0][0] == "/nowhere/libcuda.so.1"
    assert "PTXGEN_LIBCUDA" in found.advice


def test_a_driver_that_does_not_start():
    fake = Fake()
    fake.fail("cuInit", 803)
    dc.register_driver("mine", lambda: fake.resolve)
    found = dc.diagnose("mine")
    assert "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" in found.problem
    assert "reboot" in found.advice


def test_a_driver_without_devices():
    fake = Fake(devices=0)
    dc.register_driver("mine", lambda: fake.resolve)
    found = dc.diagnose("mine")
    assert not found.usable
    assert "no device" in found.problem
    assert "CUDA_VISIBLE_DEVICES" in found.advice
