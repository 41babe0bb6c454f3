"""Drivers by name, their functions by symbol, and their devices."""

import sys
import threading
from types import SimpleNamespace

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUdevice_attribute
from driver_ctypes.drivers import registry as drivers
from tests.driver_ctypes.fake import Fake


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """Names registered in a test are gone after it."""
    monkeypatch.setattr(drivers, "_factories", dict(drivers._factories))
    monkeypatch.setattr(drivers, "_opened", {})


def test_a_registered_driver_is_opened_once_on_first_use(fake):
    opened = []
    dc.register_driver("mine", lambda: opened.append(1) or fake.resolve)
    assert "mine" in dc.driver_names()
    assert opened == []
    assert dc.driver("mine") is dc.driver("mine")
    assert opened == [1]
    assert (dc.driver("mine").name, dc.driver("mine").version) == ("mine", 13000)


def test_many_threads_open_a_driver_once(fake):
    opened = []
    dc.register_driver("mine", lambda: opened.append(1) or fake.resolve)
    threads = [threading.Thread(target=dc.driver, args=("mine",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened == [1]


def test_an_open_driver_is_not_replaced_behind_its_users(fake):
    dc.register_driver("mine", lambda: Fake().resolve)
    dc.register_driver("mine", lambda: fake.resolve)  # before first use
    dc.driver("mine")
    assert fake.counts["cuInit"] == 1
    with pytest.raises(dc.Error, match="already open"):
        dc.register_driver("mine", lambda: fake.resolve)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(dc.DriverNotFoundError, match=r"'nope'; there are: .*cuda"):
        dc.driver("nope")


def test_the_cpu_driver_offers_its_memory_to_nobody_whoever_registers_it():
    from ptxgen.emulated_driver import open_driver

    dc.register_driver("cpu", open_driver)
    context = dc.driver("cpu").device(0).create_context()
    with context, context.alloc(16) as buffer:
        for ask in (buffer.__dlpack_device__, buffer.__dlpack__):
            with pytest.raises(BufferError, match="emulated device"):
                ask()
        assert not hasattr(buffer, "__cuda_array_interface__")


def test_entry_points_are_looked_at_for_an_unknown_name_only(monkeypatch, fake):
    def factory():
        return fake.resolve

    factory.foreign_pointers = False
    asked = []
    point = SimpleNamespace(name="plugin", load=lambda: factory)
    monkeypatch.setattr(drivers, "_entry_points", lambda: asked.append(1) or {"plugin": point})
    dc.register_driver("mine", lambda: fake.resolve)
    dc.driver("mine")
    assert asked == []
    plugin = dc.driver("plugin")
    assert plugin.name == "plugin"
    assert plugin.foreign_pointers is False


def test_functions_are_bound_on_first_use(fake, driver):
    assert "cuMemAlloc_v2" not in fake.asked
    assert driver.raw("cuMemAlloc_v2") is driver.raw("cuMemAlloc_v2")
    assert fake.asked["cuMemAlloc_v2"] == 3020
    with pytest.raises(dc.ArgumentError, match=r"'cuMemAlloc_v3' is not a function .*\n  Fix: cuMemAlloc_v2 is meant"):
        driver.raw("cuMemAlloc_v3")


def test_a_function_that_the_table_does_not_know_is_not_there(driver, context):
    assert not driver.has("cuFuture")
    for call in (driver.call, context.call):
        with pytest.raises(dc.ArgumentError, match="'cuFuture' is not a function of the driver's table"):
            call("cuFuture", 1)


def test_a_function_newer_than_the_driver_is_not_asked_for():
    """cuGetProcAddress would answer with an older function of the same name and another ABI."""
    fake = Fake(version=12020)
    driver = fake.open()
    with pytest.raises(
        dc.NotAvailableError, match=r"cuCtxSynchronize_v2 needs a driver for CUDA 13.0; .* is for 12.2"
    ) as e:
        driver.raw("cuCtxSynchronize_v2")
    assert (e.value.symbol, e.value.needed, e.value.found) == ("cuCtxSynchronize_v2", 13000, 12020)
    assert "cuCtxSynchronize_v2" not in fake.asked
    assert not driver.has("cuCtxSynchronize_v2")
    assert driver.has("cuCtxSynchronize")


def test_a_function_that_the_driver_lacks(fake):
    fake.lacks.add("cuMemAlloc_v2")
    driver = fake.open()
    with pytest.raises(dc.NotAvailableError, match=r"driver 'fake' \(CUDA 13.0\) has no cuMemAlloc_v2"):
        driver.device(0).primary_context().alloc(4)


def test_an_older_function_with_the_same_prototype_stands_in():
    fake = Fake(version=12020)
    context = fake.open().device(0).primary_context()
    start, end = context.event(), context.event()
    assert end.elapsed_ms(start) == 1.5
    assert fake.asked["cuEventElapsedTime"] == 2000
    assert "cuEventElapsedTime_v2" not in fake.asked


def test_a_raw_call_is_checked(fake, driver):
    fake.fail("cuCtxSetCurrent", 1)
    with pytest.raises(dc.CudaError, match=r"cuCtxSetCurrent failed: CUDA_ERROR_INVALID_VALUE \(1\): invalid argument"):
        driver.call("cuCtxSetCurrent", 0x10)
    driver.call("cuCtxSetCurrent", 0x10)


def test_an_argument_that_has_no_c_type_is_named(driver):
    context = driver.device(0).primary_context()
    with pytest.raises(
        dc.ArgumentTypeError, match="cuStreamCreateWithPriority: priority cannot be str 'high'; it is a i32"
    ):
        context.stream(priority="high")
    with pytest.raises(dc.ArgumentTypeError, match=r"cuCtxSetCurrent: ctx cannot be float 1\.5"):
        driver.call("cuCtxSetCurrent", 1.5)
    with pytest.raises(dc.ArgumentCountError, match=r"cuMemGetInfo_v2 takes 2 argument\(s\), 1 were given"):
        context.call("cuMemGetInfo_v2", None)
    with pytest.raises(dc.ArgumentTypeError, match="a device's number is an integer, not str 'gpu'"):
        driver.device("gpu")
    context.close()


@pytest.mark.parametrize("code, words", [(34, "stub"), (803, "reboot"), (999, "cuInit failed"), (802, "try again")])
def test_a_driver_that_does_not_start(fake, code, words):
    fake.fail("cuInit", code)
    with pytest.raises(dc.InitializationError, match=words) as caught:
        fake.open()
    assert caught.value.code == code


def test_a_driver_without_devices_opens(fake):
    driver = Fake(devices=0).open()
    assert driver.device_count() == 0
    with pytest.raises(dc.DeviceNotFoundError, match=r"has no device 0: it shows 0 device\(s\)"):
        driver.device(0)


@pytest.mark.parametrize("ordinal", [2, -1, 100])
def test_a_device_that_is_not_there(ordinal):
    driver = Fake(devices=2).open()
    with pytest.raises(dc.DeviceNotFoundError, match=f"has no device {ordinal}: it shows devices 0 to 1"):
        driver.device(ordinal)
    assert driver.device(1) is driver.devices()[1]


def test_what_a_device_is(driver):
    device = driver.device(0)
    assert (device.name, device.ordinal, device.driver) == ("Fake GPU", 0, driver)
    assert device.uuid == "00010203-0405-0607-0809-0a0b0c0d0e0f"
    assert device.total_memory == 1 << 30
    assert device.compute_capability == (9, 0)


def test_attributes_are_asked_for_once(fake, driver):
    device = driver.device(0)
    assert device.attribute(CUdevice_attribute.WARP_SIZE) == device.attribute(10) == 32
    assert fake.counts["cuDeviceGetAttribute"] == 1
    with pytest.raises(dc.CudaError):
        device.attribute(149)
    known = device.attributes()
    assert known[CUdevice_attribute.MAX_THREADS_PER_BLOCK] == 1024
    assert len(known) == len(fake.attributes)


def test_the_logs_since_the_last_look(fake, driver):
    fake.logs.append("first")
    assert driver.new_log() == "first"
    assert driver.new_log() == ""
    fake.logs += ["second", "third"]
    assert driver.new_log() == "second\nthird"


def test_an_error_tells_the_log_since_the_last_look(fake, driver):
    fake.logs += ["[11:53:52.302][1401][CUDA][E] the size must not be 0"]
    assert "\n  the driver's log: the size must not be 0" in str(driver.error("cuMemAlloc_v2", 1))
    assert "log" not in str(driver.error("cuMemAlloc_v2", 1))


def test_lines_about_other_threads_wait_for_them(fake, driver):
    seen = []
    ready, look = threading.Event(), threading.Event()

    def other():
        fake.logs.append(f"[11:53:52.302][{threading.get_ident()}][CUDA][E] theirs")
        fake.logs.append("and its second line")
        ready.set()
        look.wait()
        seen.append(str(driver.error("cuMemAlloc_v2", 1)))

    thread = threading.Thread(target=other)
    thread.start()
    ready.wait()
    fake.logs.append(f"[11:53:52.303][{threading.get_native_id()}][CUDA][E] mine")
    assert driver.new_log() == "mine"
    look.set()
    thread.join()
    assert "the driver's log: theirs\n    and its second line" in seen[0]
    fake.logs.append(f"[11:53:52.304][{thread.ident}][CUDA][E] of a thread that has ended")
    assert driver.new_log() == "of a thread that has ended"


def test_a_fault_tells_the_lines_of_every_thread(fake, driver):
    stop, started = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: (started.set(), stop.wait()))
    thread.start()
    started.wait()
    fake.logs.append(f"[11:53:52.302][{thread.ident}][CUDA][E] a fault in its kernel")
    assert "a fault in its kernel" in str(driver.error("cuCtxSynchronize", 700))
    stop.set()
    thread.join()


@pytest.mark.parametrize("fake", [Fake(version=12080), Fake(lacks=("cuLogsDumpToMemory",))], ids=["old", "without"])
def test_a_driver_without_logs_has_none(fake):
    assert fake.open().new_log() == ""


def test_the_cuda_driver_says_what_it_tried(monkeypatch):
    monkeypatch.setenv("PTXGEN_LIBCUDA", "/nowhere/libcuda.so.1")
    with pytest.raises(dc.DriverNotFoundError, match=r"tried /nowhere/libcuda\.so\.1"):
        dc.driver("cuda")


def test_nothing_is_left_of_a_driver_that_failed_to_open(fake):
    fake.fail("cuInit", 999)
    dc.register_driver("mine", lambda: fake.resolve)
    with pytest.raises(dc.InitializationError):
        dc.driver("mine")
    assert dc.driver("mine").version == 13000
    assert sys.maxsize != dc.driver("mine").version
