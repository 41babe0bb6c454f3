"""The ELF writer: what a loader, a linker and the tools for such files find in its files."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
import sys

import pytest

from ptxgen.cpu.jit import library_object
from ptxgen.shim.exports import FUNCTIONS, VARIABLES
from ptxgen.shim.shared_object import link

pytestmark = pytest.mark.skipif(sys.platform != "linux" or sys.maxsize < 2**32, reason="ELF files of 64 bits")

TEXT = """
declare i64 @strlen(ptr)
@import.strlen = internal constant ptr @strlen
@text = internal constant [6 x i8] c"hello\\00"
@pointer = internal global ptr @text
@counter = dso_local global i64 0
@table = internal global [2 x ptr] [ptr @one, ptr @two]
define internal i32 @one() nounwind { ret i32 1 }
define internal i32 @two() nounwind { ret i32 2 }
define i32 @pick(i64 %n) nounwind {
  %at = getelementptr [2 x ptr], ptr @table, i64 0, i64 %n
  %f = load ptr, ptr %at
  %r = call i32 %f()
  ret i32 %r
}
define i64 @size() nounwind {
  %f = load volatile ptr, ptr @import.strlen
  %p = load volatile ptr, ptr @pointer
  %n = call i64 %f(ptr %p)
  %old = load i64, ptr @counter
  %new = add i64 %old, %n
  store i64 %new, ptr @counter
  ret i64 %new
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("elf") / "libsample.so.1"
    path.write_bytes(link(library_object(TEXT), "libsample.so.1", ["libc.so.6"]))
    return path


def test_code_data_and_imports_work(library):
    loaded = ctypes.CDLL(str(library))
    assert [loaded.pick(0), loaded.pick(1)] == [1, 2]
    assert loaded.size() == 5
    assert loaded.size() == 10
    assert ctypes.c_uint64.in_dll(loaded, "counter").value == 10
    with pytest.raises(AttributeError):
        loaded["one"]


def test_exports_have_the_version_that_programs_ask_for(tmp_path):
    """As a program linked against such a library does: by dlvsym, which finds no other version."""
    path = tmp_path / "libsample.so.1"
    path.write_bytes(link(library_object(TEXT), "libsample.so.1", ["libc.so.6"], versioned=True))
    loaded, find = ctypes.CDLL(str(path)), ctypes.CDLL(None).dlvsym
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    pick = find(loaded._handle, b"pick", b"libsample.so.1")
    assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64)(pick)(1) == 2
    assert find(loaded._handle, b"pick", b"libsample.so.2") is None
    assert loaded.size() == 5


def test_no_memory_is_both_written_and_executed(library):
    data = library.read_bytes()
    (at,) = struct.unpack_from("<Q", data, 32)
    segments = [
        struct.unpack_from("<IIQQQQQQ", data, at + 56 * n) for n in range(struct.unpack_from("<H", data, 56)[0])
    ]
    loads = [segment for segment in segments if segment[0] == 1]
    assert [segment[1] for segment in loads] == [4, 5, 6]
    assert all(segment[2] == segment[3] and segment[2] % 4096 == 0 for segment in loads)
    assert 0x6474E552 in [segment[0] for segment in segments]  # PT_GNU_RELRO


def test_a_call_past_the_data_is_refused():
    text = "declare i64 @strlen(ptr)\ndefine i64 @f(ptr %p) nounwind {\n %n = call i64 @strlen(ptr %p)\n ret i64 %n\n}"
    with pytest.raises(ValueError, match=r"strlen is called in code|a relocation of kind"):
        link(library_object(text), "libsample.so.1", [])


def test_the_tools_for_such_files_read_it(library):
    nm, readelf = shutil.which("nm"), shutil.which("readelf")
    if nm is None or readelf is None:
        pytest.skip("nm and readelf are of binutils, which is not installed here")
    shown = subprocess.run([nm, "-D", library], capture_output=True, text=True, check=True).stdout.split()
    assert {"pick", "size", "counter", "strlen"} <= set(shown)
    told = subprocess.run([readelf, "-aW", library], capture_output=True, text=True, check=True)
    assert "Warning" not in told.stdout + told.stderr
    assert "Error" not in told.stdout + told.stderr


def test_the_names_are_those_that_were_recorded():
    assert len(FUNCTIONS) + len(VARIABLES) == 707
    assert len(set(FUNCTIONS)) == len(FUNCTIONS)
    assert sum(name.startswith("cudbg") for name in (*FUNCTIONS, *VARIABLES)) == 33
