"""Finding libcuda, and asking it for the right functions."""

import ctypes

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.functions import FUNCTIONS, prototype
from driver_ctypes.loading import libcuda
from tests.driver_ctypes.fake import Fake


class FakeDll:
    """A library that exports some functions, as ctypes shows them."""

    def __init__(self, **exports):
        self.__dict__.update(exports)


def export(symbol, handler):
    return prototype(symbol)(handler)


def ask_v2(answers, log):
    """A cuGetProcAddress_v2 that knows *answers* {(name, version): address}."""

    def handler(name, out, version, flags, status):
        log.append((name.decode(), version, flags))
        address = answers.get((name.decode(), version), 0)
        ctypes.c_void_p.from_address(out).value = address
        ctypes.c_int.from_address(status).value = 0 if address else 1
        return 0 if address else 500

    return export("cuGetProcAddress_v2", handler)


def library(monkeypatch, dll):
    monkeypatch.setattr(libcuda.ctypes, "CDLL", lambda path: dll)
    return libcuda.DriverLibrary("libcuda.so.1")


def test_the_row_s_version_is_asked_for(monkeypatch):
    log = []
    asked = library(monkeypatch, FakeDll(cuGetProcAddress_v2=ask_v2({("cuCtxSynchronize", 2000): 0x1000}, log)))
    assert asked("cuCtxSynchronize", 2000) == 0x1000
    assert log == [("cuCtxSynchronize", 2000, 0)]


def test_the_name_asked_for_has_no_version_ending(monkeypatch):
    log = []
    asked = library(monkeypatch, FakeDll(cuGetProcAddress_v2=ask_v2({("cuMemAlloc", 3020): 0x2000}, log)))
    assert asked("cuMemAlloc_v2", 3020) == 0x2000
    assert log == [("cuMemAlloc", 3020, 0)]


def test_an_export_serves_where_the_lookup_function_fails(monkeypatch):
    free = export("cuMemFree_v2", lambda pointer: 0)
    asked = library(monkeypatch, FakeDll(cuGetProcAddress_v2=ask_v2({}, []), cuMemFree_v2=free))
    assert asked("cuMemFree_v2", 3020) == ctypes.cast(free, ctypes.c_void_p).value
    assert asked("cuMemAlloc_v2", 3020) == 0


def test_the_older_lookup_function_serves_before_12_0(monkeypatch):
    def handler(name, out, version, flags):
        ctypes.c_void_p.from_address(out).value = 0x3000 + version
        return 0

    asked = library(monkeypatch, FakeDll(cuGetProcAddress=export("cuGetProcAddress", handler)))
    assert asked("cuMemAlloc_v2", 3020) == 0x3000 + 3020


def test_plain_exports_serve_where_there_is_no_lookup_function(monkeypatch):
    init = export("cuInit", lambda flags: 0)
    asked = library(monkeypatch, FakeDll(cuInit=init))
    assert asked("cuInit", 2000) == ctypes.cast(init, ctypes.c_void_p).value


def test_candidates_in_order(monkeypatch, tmp_path):
    monkeypatch.delenv(libcuda.ENVIRONMENT_VARIABLE, raising=False)
    maps = tmp_path / "maps"
    maps.write_text(
        "7f00-7f01 r-xp 00000000 08:01 123    /opt/driver with space/libcuda.so.580.1\n"
        "7f01-7f02 r--p 00000000 08:01 123    /opt/driver with space/libcuda.so.580.1\n"
        "7f02-7f03 r--p 00000000 08:01 124    /usr/lib/libc.so.6\n"
        "7f03-7f04 rw-p 00000000 00:00 0\n"
    )
    assert list(libcuda.candidates(str(maps), "x86_64")) == [
        "/opt/driver with space/libcuda.so.580.1",
        "libcuda.so.1",
        "/usr/lib/wsl/lib/libcuda.so.1",
        "/usr/local/nvidia/lib64/libcuda.so.1",
        "/run/opengl-driver/lib/libcuda.so.1",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
        "libcuda.so",
    ]
    arm = list(libcuda.candidates(str(maps), "aarch64"))
    assert "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1" in arm
    assert "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1" in arm
    assert arm[-1] == "libcuda.so"
    assert next(iter(libcuda.candidates(str(tmp_path / "none")))) == "libcuda.so.1"


def test_the_environment_variable_is_the_only_candidate(monkeypatch):
    monkeypatch.setenv(libcuda.ENVIRONMENT_VARIABLE, "/somewhere/libcuda.so.1")
    assert list(libcuda.candidates()) == ["/somewhere/libcuda.so.1"]
    with pytest.raises(dc.DriverNotFoundError) as caught:
        libcuda.find_libcuda()
    ((path, reason),) = caught.value.tried
    assert path == "/somewhere/libcuda.so.1"
    assert "No such file" in reason
    assert "PTXGEN_LIBCUDA is set" in caught.value.hint
    assert f"tried {path}: {reason}" in str(caught.value)


def test_a_library_that_is_no_driver_and_a_stub_are_passed_over(monkeypatch):
    real = Fake()
    init = export("cuInit", real.cuInit)
    dlls = {
        "libcuda.so.1": OSError("no such library"),
        "/usr/lib/wsl/lib/libcuda.so.1": FakeDll(),
        "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1": FakeDll(cuInit=export("cuInit", lambda flags: 34)),
        "libcuda.so": FakeDll(cuInit=init),
    }

    def load(path):
        if isinstance(dlls[path], OSError):
            raise dlls[path]
        return dlls[path]

    monkeypatch.setattr(libcuda.ctypes, "CDLL", load)
    monkeypatch.setattr(libcuda, "candidates", lambda: iter(dlls))
    assert libcuda.find_libcuda().path == "libcuda.so"

    dlls["libcuda.so"] = FakeDll(cuInit=export("cuInit", lambda flags: 34))
    with pytest.raises(dc.DriverNotFoundError) as caught:
        libcuda.find_libcuda()
    assert [reason for _, reason in caught.value.tried] == [
        "no such library",
        "it has no cuInit: not a CUDA driver",
        "it is the CUDA toolkit's stub, not the driver",
        "it is the CUDA toolkit's stub, not the driver",
    ]
    assert "stubs folder" in caught.value.hint


def test_every_function_is_asked_for_with_its_own_version(monkeypatch):
    log = []
    asked = library(monkeypatch, FakeDll(cuGetProcAddress_v2=ask_v2({}, log)))
    for spec in FUNCTIONS.values():
        asked(spec.symbol, spec.version)
    expected = [(s.name, s.version, 0) for s in FUNCTIONS.values() if s.name != "cuGetProcAddress"]
    assert log == expected
