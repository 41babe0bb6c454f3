"""Images whose words about themselves are wrong: refused, and no memory is read that is not there."""

from __future__ import annotations

import ctypes
import mmap
import random
import struct
from collections.abc import Iterator
from ctypes import byref, c_uint64, c_void_p
from pathlib import Path

import pytest

from driver_ctypes.abi.functions import FUNCTIONS
from ptxgen.emulated_driver import live_handles, open_driver
from ptxgen.emulated_driver.modules.fatbins import FATBIN, WRAPPER
from ptxgen.emulated_driver.modules.images import pack
from tests.ptxgen.emulated_driver.scenarios.base import Cu

pytestmark = pytest.mark.cpu_only

lookup = open_driver()
PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
IMAGE = pack(PTX)
FATBINARY = struct.pack("<4sHHQ", FATBIN, 1, 16, 64 + len(PTX)) + struct.pack(
    "<HHIQIIHHIIIQQQ", 1, 1, 64, len(PTX), 0, 0, 0, 8, 80, 0, 0, 0, 0, 0
)
REFUSED = {1, 200, 209, 218, 222}


@pytest.fixture
def cu() -> Iterator[Cu]:
    driver = Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))
    assert driver.cuInit(0) == 0
    before = live_handles()
    context = driver.get(c_void_p, "cuCtxCreate_v2", 0, 0)
    yield driver
    assert driver.cuCtxDestroy_v2(context) == 0
    assert live_handles() == before


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[int]:
    """An address from which nothing can be read, behind a page that may be written: a file ends there."""
    file = tmp_path / "page"
    file.write_bytes(bytes(mmap.PAGESIZE))
    with file.open("r+b") as opened:
        libc = ctypes.CDLL(None)
        libc.mmap.restype, libc.mmap.argtypes = (
            c_void_p,
            [c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long],
        )
        base = libc.mmap(
            None, 2 * mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE, opened.fileno(), 0
        )
    yield base + mmap.PAGESIZE
    libc.munmap(c_void_p(base), ctypes.c_size_t(2 * mmap.PAGESIZE))


def loaded(cu: Cu, address: int) -> int:
    module = c_void_p()
    code = int(cu.cuModuleLoadData(byref(module), address))
    if not code:
        assert cu.cuModuleUnload(module) == 0
    return code


@pytest.mark.parametrize(
    "image",
    [
        PTX.encode(), IMAGE[:20], IMAGE[:-1], FATBINARY[:8], FATBINARY + PTX.encode()[:-1],
        WRAPPER + struct.pack("<IQ", 1, 1 << 40), WRAPPER + struct.pack("<IQ", 1, 1 << 63), WRAPPER, b"\x7fELF", b"\x7f",
        struct.pack("<4sHHQ", FATBIN, 1, 16, 1 << 62), struct.pack("<4sHHQ", FATBIN, 1, 16, (1 << 64) - 1),
    ],
)  # fmt: skip
def test_an_image_at_the_end_of_memory(cu: Cu, edge: int, image: bytes) -> None:
    """The text alone is whole, though nothing ends it."""
    ctypes.memmove(edge - len(image), image, len(image))
    assert loaded(cu, edge - len(image)) in ({0} if image == PTX.encode() else REFUSED)


def test_an_input_of_a_linker_that_is_shorter_than_its_caller_says(cu: Cu, edge: int) -> None:
    state = c_uint64()
    assert cu.cuLinkCreate_v2(0, None, None, byref(state)) == 0
    for size in (9, 1 << 40, (1 << 64) - 1):
        assert cu.cuLinkAddData_v2(state.value, 1, edge - 8, size, b"short", 0, None, None) == 1
    assert cu.cuLinkDestroy(state.value) == 0


@pytest.mark.parametrize("seed", range(2))
def test_damaged_images(cu: Cu, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(40):
        image = bytearray(draw.choice((IMAGE, FATBINARY + PTX.encode())))
        for _change in range(draw.randrange(1, 6)):
            image[draw.randrange(min(len(image), 100))] = draw.choice((0, 1, 0x7F, 0xFF, draw.randrange(256)))
        data = ctypes.create_string_buffer(bytes(image[: draw.choice((len(image), draw.randrange(len(image))))]))
        assert loaded(cu, ctypes.addressof(data)) in {0, *REFUSED}
