"""Fat binaries, objects and archives: what NVIDIA's tools make, laid out here by hand; PTX is taken out of them and runs."""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref, c_size_t, c_uint64, c_void_p
from ctypes.util import find_library

import pytest

from driver_ctypes.abi.functions import FUNCTIONS
from ptxgen.emulated_driver import open_driver
from ptxgen.emulated_driver.modules.fatbins import ARCHIVE, ContainerError, fatbins_in
from tests.ptxgen.emulated_driver.scenarios.base import Cu

pytestmark = pytest.mark.cpu_only

lookup = open_driver()
PTX, CUBIN = 1, 2
LZ4, ZSTD = 0x2000, 0x8000


@pytest.fixture
def cu():
    return Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))


def program(target: str, value: int, name: str = "k") -> bytes:
    return (
        f".version 8.0\n.target {target}\n.address_size 64\n.visible .entry {name}(.param .u64 p) {{\n.reg .b64 %d;\n"
        f"ld.param.u64 %d, [p]; st.global.u32 [%d], {value}; ret; }}\n"
    ).encode()


def lz4(data: bytes) -> bytes:
    """Literals alone, and a run of the last byte, which is longer than its distance."""
    kept = data.rstrip(data[-1:]) + data[-1:]
    made, rest, run = bytearray(), len(kept) - 15, len(data) - len(kept) - 19
    assert run >= 0
    made += b"\xff" + (b"\xff" * (rest // 255) + bytes((rest % 255,))) + kept
    return bytes(made) + b"\1\0" + b"\xff" * (run // 255) + bytes((run % 255,))


def zstd(data: bytes) -> bytes:
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = c_size_t
    room = ctypes.create_string_buffer(len(data) + 1024)
    count = library.ZSTD_compress(room, c_size_t(len(room)), data, c_size_t(len(data)), 3)
    return room.raw[:count]


def entry(content: bytes, target: int, kind: int = PTX, flags: int = 0, whole: int = 0) -> bytes:
    size = -(-len(content) // 8) * 8
    compressed = len(content) if flags else 0
    fields = kind, 0x101, 64, size, compressed, 0, 0, 8, target, 0, 0, 0x11 | flags, 0, whole
    head = struct.pack("<HHIQIIHHIIIQQQ", *fields)
    return head + content.ljust(size, b"\0")


def fatbin(*entries: bytes) -> bytes:
    content = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(content)) + content


def object_of(*fatbins: bytes, section: bytes = b".nv_fatbin") -> bytes:
    """An object of a host compiler."""
    names, content = b"\0.shstrtab\0" + section + b"\0", b"".join(fatbins)
    at = -(-(64 + len(names) + len(content)) // 8) * 8
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 1, 62, 1, 0, 0, at, 0, 64, 0, 0, 64, 3, 1)
    rows = (
        bytes(64),
        struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 64, len(names), 0, 0, 1, 0),
        struct.pack("<IIQQQQIIQQ", 11, 1, 2, 0, 64 + len(names), len(content), 0, 0, 8, 0),
    )
    return (head + names + content).ljust(at, b"\0") + b"".join(rows)


def archive_of(*members: bytes) -> bytes:
    rows = [
        b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"m.o/", 0, 0, 0, b"644", len(each)) + each + b"\n" * (len(each) % 2)
        for each in members
    ]
    return ARCHIVE + b"".join(rows)


def padded(target: str, value: int) -> bytes:
    return program(target, value) + b"\0" * 64


COMPRESSED = {"plain": (lambda data: data, 0), "lz4": (lz4, LZ4), "zstd": (zstd, ZSTD)}


def loaded(cu, image, name=b"k") -> int:
    """What a kernel of an image writes."""
    cu.start()
    module, p = c_void_p(), cu.alloc(4)
    assert cu.cuModuleLoadData(byref(module), image) == 0
    assert cu.launch(cu.function(module.value, name), c_uint64(p)) == 0
    return cu.words(p, 1)[0]


@pytest.mark.parametrize("way", COMPRESSED)
def test_the_newest_ptx_that_this_device_takes(cu, way):
    compress, flags = COMPRESSED[way]
    if way == "zstd" and find_library("zstd") is None:
        pytest.skip("libzstd.so.1 is not installed here")
    targets = {"sm_80": 1, "sm_90": 2, "sm_90a": 3, "sm_120": 4}
    entries = [
        entry(compress(padded(target, value)), int(target[3:].rstrip("a")), PTX, flags, len(padded(target, value)))
        for target, value in targets.items()
    ]
    assert loaded(cu, fatbin(*entries, entry(b"\x7fELF", 90, CUBIN))) == 3


def test_the_structure_of_nvcc_that_points_to_one(cu):
    image = ctypes.create_string_buffer(fatbin(entry(program("sm_80", 7), 80)))
    wrapper = ctypes.create_string_buffer(struct.pack("<IIQQ", 0x466243B1, 1, ctypes.addressof(image), 0))
    assert loaded(cu, wrapper) == 7
    module = c_void_p()
    assert cu.cuModuleLoadFatBinary(byref(module), wrapper) == 0
    nowhere = ctypes.create_string_buffer(struct.pack("<IIQQ", 0x466243B1, 1, ctypes.addressof(wrapper), 0))
    assert cu.cuModuleLoadFatBinary(byref(module), nowhere) == 200  # INVALID_IMAGE


@pytest.mark.parametrize(
    "entries, said",
    [
        ([entry(b"\x7fELF", 90, CUBIN)], "holds machine code of a GPU\n  Fix: keep the PTX"),
        ([entry(program("sm_120", 1), 120)], "holds PTX for sm_120 alone"),
    ],
)
def test_machine_code_alone_is_refused_with_what_to_do(cu, entries, said):
    cu.start()
    module, log = c_void_p(), ctypes.create_string_buffer(1000)
    options, values = (ctypes.c_int * 2)(5, 6), (c_void_p * 2)(ctypes.addressof(log), 1000)
    assert cu.cuModuleLoadDataEx(byref(module), fatbin(*entries), 2, options, values) == 209  # NO_BINARY_FOR_GPU
    assert said in log.value.decode()


def test_a_file_of_one(cu, tmp_path):
    cu.start()
    module, file = c_void_p(), tmp_path / "k.fatbin"
    file.write_bytes(fatbin(entry(program("sm_80", 5), 80)))
    assert cu.cuModuleLoad(byref(module), str(file).encode()) == 0


LINKED = {
    "fatbin": (2, fatbin(entry(program("sm_80", 9), 80))),
    "object": (3, object_of(fatbin(entry(program("sm_80", 9), 80)))),
    "relocatable object": (3, object_of(fatbin(entry(program("sm_80", 9), 80)), section=b"__nv_relfatbin")),
    "archive": (
        4,
        archive_of(
            b"odd", object_of(fatbin(entry(program("sm_80", 9), 80)), fatbin(entry(program("sm_80", 8, "other"), 80)))
        ),
    ),
}


@pytest.mark.parametrize("kind", LINKED)
def test_inputs_of_a_linker(cu, kind):
    cu.start()
    state, image, size = c_void_p(), c_void_p(), c_size_t()
    number, data = LINKED[kind]
    assert cu.cuLinkCreate_v2(0, None, None, byref(state)) == 0
    assert cu.cuLinkAddData_v2(state, number, data, len(data), b"input", 0, None, None) == 0
    assert cu.cuLinkComplete(state, byref(image), byref(size)) == 0
    assert loaded(cu, ctypes.string_at(image.value, size.value)) == 9
    assert cu.cuLinkDestroy(state) == 0


def test_an_object_of_machine_code_is_no_input(cu):
    cu.start()
    state, data = c_void_p(), object_of(fatbin(entry(b"\x7fELF", 90, CUBIN)))
    assert cu.cuLinkCreate_v2(0, None, None, byref(state)) == 0
    assert cu.cuLinkAddData_v2(state, 3, data, len(data), b"input", 0, None, None) == 209
    assert cu.cuLinkDestroy(state) == 0


WHOLE = fatbin(entry(lz4(padded("sm_80", 1)), 80, PTX, LZ4, len(padded("sm_80", 1))))


@pytest.mark.parametrize(
    "data",
    [
        WHOLE[:-8],
        fatbin(entry(lz4(padded("sm_80", 1)), 80, PTX, LZ4, 1 << 40)),
        fatbin(entry(lz4(padded("sm_80", 1)), 80, PTX, LZ4, 5)),
        fatbin(entry(b"\x10a\xff\xff", 80, PTX, LZ4, 100)),
        fatbin(entry(b"\xf0\xff\xff\xff", 80, PTX, LZ4, 100)),
        fatbin(entry(b"no frame of it", 80, PTX, ZSTD, 100)),
        fatbin(entry(b"", 80)[:4] + struct.pack("<I", 3) + entry(b"", 80)[8:]),
        ARCHIVE + b"x" * 100,
    ],
    ids=["cut", "huge", "too long", "before its begin", "no end of a length", "no zstd", "header", "archive"],
)
def test_damage_is_an_error(data):
    with pytest.raises(ContainerError):
        list(fatbins_in(data))


def test_any_damage_is_an_error_or_a_text():
    """Every byte of a container changed, and every length of it."""
    data = archive_of(object_of(WHOLE))
    for at in range(len(data)):
        for changed in (data[:at], data[:at] + bytes((data[at] ^ 0x81,)) + data[at + 1 :]):
            try:
                assert all(isinstance(text, str) for each in fatbins_in(changed) for text in each.ptx)
            except ContainerError:
                pass
