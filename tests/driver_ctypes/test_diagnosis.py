"""What `diagnose` says of a driver that works, one that is not there, and one without devices."""

import pytest

import driver_ctypes as dc
from driver_ctypes.drivers import diagnosis
from driver_ctypes.drivers import registry as drivers
from driver_ctypes.drivers.diagnosis import Host, inspect_host
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
    missing = {each.symbol: each.since for each in found.missing}
    assert missing["cuTensorMapEncodeTiled"] == 12000
    assert missing["cuGraphAddNode_v3"] > found.version
    assert "cuMemAlloc_v2" not in missing


def test_a_driver_that_is_not_there(monkeypatch):
    monkeypatch.setenv("PTXGEN_LIBCUDA", "/nowhere/libcuda.so.1")
    found = dc.diagnose("cuda")
    assert not found.usable
    assert found.problem.startswith("no NVIDIA driver library was found")
    assert found.candidates[0].library == "/nowhere/libcuda.so.1"
    assert "PTXGEN_LIBCUDA" in found.advice


PLAIN = Host("Linux", "x86_64", False, None, None, (), (), False)


def look_at(monkeypatch, **machine):
    """What the machine is taken for."""
    host = PLAIN._replace(**machine)
    monkeypatch.setattr(diagnosis, "inspect_host", lambda: host)


def test_a_driver_that_does_not_start(monkeypatch):
    fake = Fake()
    fake.fail("cuInit", 803)
    dc.register_driver("mine", lambda: fake.resolve)
    look_at(monkeypatch, kernel_module="580.159.04")
    found = dc.diagnose("mine")
    assert "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" in found.problem
    assert "loaded: 580.159.04" in found.problem
    assert "reboot" in found.advice


@pytest.mark.parametrize(
    "code, machine, what, advice",
    [
        (803, {"container": "Docker"}, "different versions", "must come from the host"),
        (999, {"unreadable": ("/dev/nvidia0",)}, "may not open /dev/nvidia0", "group"),
        (999, {}, "/dev/nvidia-uvm is not there", "nvidia-modprobe"),
        (802, {}, "CUDA_ERROR_SYSTEM_NOT_READY", "fabric manager"),
    ],
)
def test_why_a_driver_does_not_start(monkeypatch, code, machine, what, advice):
    fake = Fake()
    fake.fail("cuInit", code)
    dc.register_driver("mine", lambda: fake.resolve)
    look_at(monkeypatch, **machine)
    found = dc.diagnose("mine")
    assert what in found.problem
    assert advice in found.advice


@pytest.mark.parametrize(
    "machine, advice",
    [
        ({"wsl": True}, "driver for Windows"),
        ({"container": "Kubernetes"}, "nvidia.com/gpu"),
        ({"kernel_module": "580.159.04"}, "user-space libraries of version 580.159.04"),
        ({}, "install the NVIDIA driver"),
    ],
    ids=["WSL", "container", "kernel module only", "nothing"],
)
def test_why_there_is_no_library(monkeypatch, machine, advice):
    def nothing():
        raise dc.DriverNotFoundError("no NVIDIA driver library was found", tried=[("libcuda.so.1", "no such file")])

    dc.register_driver("mine", nothing)
    look_at(monkeypatch, **machine)
    found = dc.diagnose("mine")
    assert found.candidates == (("libcuda.so.1", "no such file"),)
    assert advice in found.advice
    assert "looked at libcuda.so.1: no such file" in str(found)


def test_a_stub_is_said_to_be_one(monkeypatch):
    def stub():
        raise dc.DriverNotFoundError(
            "no NVIDIA driver library was found", tried=[("libcuda.so", "it is the CUDA toolkit's stub")], hint="stubs"
        )

    dc.register_driver("mine", stub)
    look_at(monkeypatch, wsl=True)
    assert dc.diagnose("mine").advice == "stubs"


def test_a_driver_without_devices(monkeypatch):
    fake = Fake(devices=0)
    dc.register_driver("mine", lambda: fake.resolve)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    look_at(monkeypatch)
    found = dc.diagnose("mine")
    assert not found.usable
    assert "no device" in found.problem
    assert "CUDA_VISIBLE_DEVICES" in found.advice
    look_at(monkeypatch, container="Podman")
    assert "the container has no /dev/nvidia*" in dc.diagnose("mine").problem
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    found = dc.diagnose("mine")
    assert "CUDA_VISIBLE_DEVICES is ''" in found.problem
    assert found.environment["CUDA_VISIBLE_DEVICES"] == ""


def test_missing_functions_stand_under_the_version_that_brought_them():
    fake = Fake(version=12020)
    dc.register_driver("mine", lambda: fake.resolve)
    text = str(dc.diagnose("mine"))
    assert "missing, since CUDA 12.4: " in text
    assert "cuFuncGetParamInfo" in text.partition("since CUDA 12.4: ")[2].partition("\n")[0]


def test_launcher_and_caches(monkeypatch, tmp_path):
    from driver_ctypes.caches import process

    monkeypatch.setenv("PTXGEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(process._Process, "chosen", False)
    fake = Fake()
    dc.register_driver("mine", lambda: fake.resolve)
    dc.cubin_cache().put("ab" * 32, b"code")
    found = dc.diagnose("mine")
    assert found.launcher.split()[0] in ("native", "ctypes")
    assert (found.code_cache.folder, found.code_cache.entries) == (str(tmp_path / "cubin"), 1)
    assert found.jit_cache.enabled
    assert found.environment["PTXGEN_CACHE_DIR"] == str(tmp_path)
    monkeypatch.setenv("PTXGEN_CACHE", "0")
    monkeypatch.setattr(process._Process, "chosen", False)
    assert dc.diagnose("mine").code_cache.folder is None
    monkeypatch.setattr(process._Process, "chosen", False)


def tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue Oct 1 00:00:00 UTC 2026\nGCC version: 12\n"
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n"


@pytest.mark.parametrize(
    "files, expected",
    [
        ({"proc/driver/nvidia/version": VERSION, "dev/nvidia0": "", "dev/nvidiactl": ""},
         {"kernel_module": "580.159.04", "device_nodes": ("/dev/nvidia0", "/dev/nvidiactl")}),
        ({"proc/driver/nvidia/version": OPEN}, {"kernel_module": "570.86.15"}),
        ({"proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n", "dev/dxg": ""},
         {"wsl": True, "device_nodes": ("/dev/dxg",)}),
        ({".dockerenv": ""}, {"container": "Docker"}),
        ({"run/.containerenv": ""}, {"container": "Podman"}),
        ({"proc/1/cgroup": "0::/kubepods/besteffort/pod1\n"}, {"container": "Kubernetes"}),
        ({"etc/nv_tegra_release": "# R36\n"}, {"tegra": True}),
        ({}, {}),
    ],
)  # fmt: skip
def test_what_files_say_of_a_machine(tmp_path, files, expected):
    found = inspect_host(tree(tmp_path, files), "Linux", "x86_64")
    assert found == PLAIN._replace(**expected)


def test_a_mismatch_of_library_and_kernel_module(monkeypatch):
    class Found:
        path, file, build, tried = "libcuda.so.1", "/usr/lib/libcuda.so.570.86.15", "", (("/a", "no such file"),)

        def __init__(self, resolve):
            self.resolve = resolve

        def __call__(self, symbol, version):
            return self.resolve(symbol, version)

    fake = Fake()
    dc.register_driver("mine", lambda: Found(fake.resolve))
    look_at(monkeypatch, kernel_module="580.159.04")
    found = dc.diagnose("mine")
    assert found.usable
    assert found.problem is None
    assert "the library is of driver 570.86.15, the kernel module of 580.159.04" in found.findings[0].what
    assert [candidate.taken for candidate in found.candidates] == [False, True]


def test_on_windows_there_is_one_library(monkeypatch):
    from driver_ctypes.loading import libcuda

    monkeypatch.delenv(libcuda.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr(libcuda.sys, "platform", "win32")
    assert list(libcuda.candidates()) == ["nvcuda.dll"]
