"""libnvrtc.so.13 in its place, in front of a compiler that is made here: it "compiles" a program to the PTX that it was given."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from ptxgen.cpu.jit import library_object
from ptxgen.shim import nvrtc
from ptxgen.shim.environment import environment_for
from ptxgen.shim.shared_object import link

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the library is one of Linux on x86-64"
)
LIBRARY = "libnvrtc.so.13"
ROOT = Path(__file__).parents[3]
PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"
CUBIN = b"\x7fELF\2\1\1" + bytes(9) + b"\1\0" + bytes(46)  # one that may be linked

# A program is a pointer to its PTX. The first option is kept for the test to see; "-arch=compute_90" makes no cubin.
COMPILER = """
@first = dso_local global ptr null
@size = internal global i64 64
@cubin = internal constant [64 x i8] c"CUBIN"
declare i64 @strlen(ptr)
declare ptr @strcpy(ptr, ptr)
declare ptr @memcpy(ptr, ptr, i64)
@import.strlen = internal constant ptr @strlen
@import.strcpy = internal constant ptr @strcpy
@import.memcpy = internal constant ptr @memcpy
define i32 @nvrtcVersion(ptr %major, ptr %minor) nounwind {
  store i32 13, ptr %major
  store i32 0, ptr %minor
  ret i32 0
}
define i32 @nvrtcCompileProgram(ptr %program, i32 %count, ptr %options) nounwind {
  %option = load ptr, ptr %options
  store ptr %option, ptr @first
  %at = getelementptr i8, ptr %option, i64 6
  %letter = load i8, ptr %at
  %virtual = icmp eq i8 %letter, 99
  %bytes = select i1 %virtual, i64 0, i64 64
  store i64 %bytes, ptr @size
  ret i32 0
}
define i32 @nvrtcGetPTXSize(ptr %program, ptr %place) nounwind {
  %f = load volatile ptr, ptr @import.strlen
  %n = call i64 %f(ptr %program)
  %whole = add i64 %n, 1
  store i64 %whole, ptr %place
  ret i32 0
}
define i32 @nvrtcGetPTX(ptr %program, ptr %place) nounwind {
  %f = load volatile ptr, ptr @import.strcpy
  %r = call ptr %f(ptr %place, ptr %program)
  ret i32 0
}
define i32 @nvrtcGetCUBINSize(ptr %program, ptr %place) nounwind {
  %n = load i64, ptr @size
  store i64 %n, ptr %place
  ret i32 0
}
define i32 @nvrtcGetCUBIN(ptr %program, ptr %place) nounwind {
  %f = load volatile ptr, ptr @import.memcpy
  %r = call ptr %f(ptr %place, ptr @cubin, i64 64)
  ret i32 0
}
define i32 @nvrtcGetLTOIRSize(ptr %program, ptr %place) nounwind {
  store i64 0, ptr %place
  ret i32 0
}
define i32 @nvrtcGetLTOIR(ptr %program, ptr %place) nounwind {
  ret i32 7
}
""".replace('c"CUBIN"', 'c"' + "".join(f"\\{byte:02X}" for byte in CUBIN) + '"')

CLIENT = f"""
import ctypes
from ptxgen.emulated_driver.modules.images import is_relocatable, unpack
rtc = ctypes.CDLL("libnvrtc.so.13")
PTX = {PTX!r}
program = ctypes.c_char_p(PTX.encode())
def compile(*options):
    return rtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
def made(what):
    size = ctypes.c_size_t(99)
    assert rtc["nvrtcGet" + what + "Size"](program, ctypes.byref(size)) == 0
    room = ctypes.create_string_buffer(max(size.value, 1))
    code = rtc["nvrtcGet" + what](program, room) if size.value else 0
    return code, room.raw[:size.value]
"""


@pytest.fixture(scope="module")
def toolkit(tmp_path_factory):
    """A folder of packages: it stands ahead of those that this Python has, where NVIDIA's compiler may be."""
    home = tmp_path_factory.mktemp("toolkit")
    place = home / "nvidia" / "cu13" / "lib" / LIBRARY
    place.parent.mkdir(parents=True)
    place.write_bytes(link(library_object(COMPILER), LIBRARY, ["libc.so.6"], versioned=True))
    return home


def client(folder, text, packages=ROOT, **variables):
    """A program that finds these packages first."""
    path = os.pathsep.join((str(packages), str(ROOT)))
    environment = environment_for(folder, {"PYTHONPATH": path, "PATH": "/usr/bin:/bin", **variables})
    return subprocess.run(
        [sys.executable, "-c", CLIENT + text], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_cubins_and_link_time_code_are_images_of_the_ptx(folder, toolkit):
    found = client(
        folder,
        f"""
real = ctypes.CDLL({str(toolkit / "nvidia" / "cu13" / "lib" / LIBRARY)!r})
first = ctypes.c_char_p.in_dll(real, "first")
major, minor = ctypes.c_int(), ctypes.c_int()
assert rtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0 and major.value == 13
assert compile(b"-arch=sm_90") == 0 and first.value == b"-arch=sm_90"
code, image = made("CUBIN")
assert (code, unpack(image), is_relocatable(image)) == (0, PTX, True)
assert made("PTX") == (0, PTX.encode() + b"\\0") and made("LTOIR") == (0, b"")
assert compile(b"-arch=compute_90") == 0 and made("CUBIN") == (0, b"")
assert compile(b"-arch=sm_90", b"-dlto") == 0 and first.value == b"-rdc=true"
assert unpack(made("LTOIR")[1]) == PTX
assert compile(b"-arch=sm_90") == 0 and made("LTOIR") == (0, b"")
assert rtc.nvrtcGetCUBINSize(program, None) == 3
rtc.nvrtcGetErrorString.restype = ctypes.c_char_p
assert [rtc.nvrtcGetErrorString(n) for n in (0, 6, 10**6)] == [b"NVRTC_SUCCESS", b"NVRTC_ERROR_COMPILATION", b"unknown"]
assert rtc.nvrtcSetFlowCallback(program, None, None) == 11  # this release has no such function
print("right")
""",
        packages=toolkit,
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, "right\n", "")


def test_without_the_real_one_it_says_what_to_install(folder, tmp_path):
    if any((place / name).is_file() for name in nvrtc.LIBRARIES for place in nvrtc.places(name)):
        pytest.skip("NVIDIA's compiler is installed here")
    found = client(folder, "print(compile(b'-arch=sm_90'), compile(b'-arch=sm_90'))", CUDA_PATH=str(tmp_path))
    assert (found.returncode, found.stdout) == (0, "11 11\n")
    assert found.stderr.count("Fix: pip install nvidia-cuda-nvrtc") == 1


@pytest.mark.parametrize("library, offered", nvrtc.LIBRARIES.items())
def test_the_libraries_of_both_releases_have_their_names_and_versions(folder, library, offered):
    """As a loader sees them: the versions are the libraries' names, so that a program may be linked with either."""
    found = client(
        folder,
        f"""
loaded = ctypes.CDLL({library!r})
find = ctypes.CDLL(None)["dlvsym"]
find.argtypes, find.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p], ctypes.c_void_p
for name in {(*offered, "nvrtcGetErrorString")!r}:
    assert find(loaded._handle, name.encode(), {library.encode()!r}), name
    assert not find(loaded._handle, name.encode(), b"libnvrtc.so.7")
print("right")
""",
    )
    assert (found.returncode, found.stdout) == (0, "right\n"), found.stderr
