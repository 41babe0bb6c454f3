"""cp.async.bulk.tensor in tiled mode (manual 9.7.9.25.5), against a model in Python of boxes, swizzles and fills."""

from __future__ import annotations

import itertools
import random
import struct
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen.cpu import KernelFault
from ptxgen.errors import UnsupportedError
from ptxgen.isa.layouts import SWIZZLES
from tests.ptxgen.cpu.machine import load, run
from tests.ptxgen.cpu.on_device import run_on

COMPLETES = "mbarrier::complete_tx::bytes"
SIZES = {"u8": 1, "f16": 2, "bf16": 2, "f32": 4, "u32": 4, "s32": 4, "f64": 8, "s64": 8, "tf32": 4, "f32_ftz": 4}
BYTES = 16384


class Box(NamedTuple):
    """A tensor of bytes 0, 1, 2, ... and a box of it; extents innermost first, `at` the coordinates."""

    element: str
    shape: tuple[int, ...]
    box: tuple[int, ...]
    at: tuple[int, ...]
    swizzle: str = "none"
    steps: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    nan: bool = False

    @property
    def pitch(self) -> tuple[int, ...]:
        """Bytes from one element to the next, of each dimension."""
        found = [SIZES[self.element]]
        for extent in self.shape[:-1]:
            found.append(found[-1] * extent)
        return (found[0], *self.strides) if self.strides else tuple(found)

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(-(-b // s) for b, s in zip(self.box, self.steps or (1,) * len(self.box)))

    @property
    def nbytes(self) -> int:
        return prod(self.counts) * SIZES[self.element]

    @property
    def row(self) -> int:
        """Bytes that a row takes in shared memory: those of its swizzle's span where it is narrower."""
        return max(self.counts[0] * SIZES[self.element], SWIZZLES[self.swizzle].span)

    @property
    def taken(self) -> int:
        """Bytes from the beginning of the box to its end in shared memory."""
        return prod(self.counts[1:]) * self.row

    def places(self, base: int, *, stores: bool = False):
        """(place in shared memory, place in the tensor or None) of each element; the box begins at `base`. What stores does
        so by 16 bytes, and goes on to a multiple of 16 at the end of a row of the tensor."""
        swizzle, size = SWIZZLES[self.swizzle], SIZES[self.element]
        steps = self.steps or (1,) * len(self.shape)
        shape = (-(-self.shape[0] * size // 16) * 16 // size, *self.shape[1:]) if stores else self.shape
        for row, outer in enumerate(itertools.product(*(range(n) for n in reversed(self.counts[1:])))):
            for column in range(self.counts[0]):
                at = [c + i * s for c, i, s in zip(self.at, (column, *reversed(outer)), steps)]
                inside = all(0 <= a < n for a, n in zip(at, shape))
                place = swizzle.apply(base + row * self.row + column * size)
                yield place, sum(a * p for a, p in zip(at, self.pitch)) if inside else None

    def maps(self, buffer: Any) -> list[Any]:
        return [
            dc.tensor_map(
                buffer, self.element, self.shape, self.box, strides=self.strides, element_strides=self.steps,
                swizzle=self.swizzle, nan_fill=self.nan,
            )
        ]  # fmt: skip

    @property
    def operand(self) -> str:
        return f"[%d3, {{{', '.join(map(str, self.at))}}}]"


DATA = bytes((7 * i + i // 256) & 0xFF for i in range(BYTES))

BOXES = {
    "1d": Box("u32", (100,), (64,), (8,)),
    "2d": Box("f32", (64, 32), (16, 8), (16, 4)),
    "3d": Box("f16", (32, 8, 6), (16, 4, 3), (8, 2, 1)),
    "4d": Box("u8", (32, 4, 4, 8), (16, 2, 3, 2), (16, 1, 1, 3)),
    "5d": Box("bf16", (16, 3, 4, 3, 4), (8, 2, 2, 3, 2), (8, 1, 0, 0, 1)),
    "f64": Box("f64", (16, 16), (4, 6), (6, 5)),
    "rows that are no multiple of 16 bytes": Box("f16", (61, 16), (16, 4), (48, 5), strides=(128,)),
    "one element too many": Box("u32", (17, 16), (8, 4), (16, 5), strides=(80,)),
    "1d to the end": Box("u32", (101,), (64,), (60,)),
    "bytes": Box("u8", (91, 16), (32, 4), (64, 3), strides=(96,)),
    "strides": Box("f32", (12, 20), (8, 6), (4, 3), strides=(64,)),
    "beyond the end": Box("f32", (20, 10), (16, 8), (12, 6)),
    "before the beginning": Box("f16", (32, 16), (16, 8), (-8, -5)),
    "wholly outside": Box("u32", (32, 16), (8, 4), (64, -100)),
    "wholly beyond the end": Box("u32", (32, 16), (8, 4), (0, 1 << 20)),
    "around": Box("u32", (4, 3), (16, 8), (-4, -2)),
    "nan": Box("f16", (24, 10), (16, 8), (16, 6), nan=True),
    "nan f32": Box("f32", (20, 10), (16, 8), (-4, 6), nan=True),
    "steps": Box("f32", (32, 30), (8, 12), (4, 5), steps=(1, 3)),
    "steps before the beginning": Box("u8", (32, 16, 8), (32, 9, 6), (-16, -4, -1), steps=(1, 4, 2)),
    "steps to the end": Box("f32", (32, 30), (8, 12), (28, 23), steps=(1, 5)),
    "32B": Box("f32", (32, 32), (8, 16), (8, 2), swizzle="32B"),
    "64B": Box("f16", (64, 32), (32, 16), (16, 2), swizzle="64B"),
    "128B": Box("bf16", (64, 64), (64, 16), (0, 32), swizzle="128B"),
    "128B of 3d": Box("f32", (40, 8, 8), (32, 3, 4), (16, 6, 2), swizzle="128B"),
    "narrower than its swizzle": Box("f16", (64, 32), (16, 24), (8, 0), swizzle="128B"),
    "16 bytes in 32B": Box("f32", (32, 32), (4, 11), (8, 2), swizzle="32B"),
    "48 bytes in 64B": Box("f16", (64, 32), (24, 10), (8, 1), swizzle="64B"),
    "narrow, of 3d and with steps": Box("u8", (32, 16, 8), (16, 5, 3), (16, 2, 6), swizzle="128B", steps=(1, 2, 1)),
}


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


READY = """
	.shared .align 1024 .b8 tile[8192];
	.shared .align 8 .b64 bar;
	mov.u32 %r1, tile; mov.u64 %d3, m0; cvta.param.u64 %d3, %d3;
	setp.eq.u32 %p9, %t, 0;
	@%p9 mbarrier.init.shared::cta.b64 [bar], 1;
	fence.mbarrier_init.release.cluster;
	bar.sync 0;
"""
WAIT = """
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p8, [bar], 0;
	@!%p8 bra WAIT;
"""
OUT = """
	mov.u32 %r2, %t;
EACH: setp.ge.u32 %p1, %r2, {words}; @%p1 bra DONE;
	mad.lo.u32 %r3, %r2, 4, %r1; ld.shared.u32 %r4, [%r3+{base}]; mad.wide.u32 %d4, %r2, 4, %out; st.global.u32 [%d4], %r4;
	add.u32 %r2, %r2, %r0; bra EACH;
DONE:
"""
FILL = """
	mov.u32 %r2, %t;
FILL: setp.ge.u32 %p1, %r2, 2048; @%p1 bra FILLED;
	mad.lo.u32 %r3, %r2, 4, %r1; mad.lo.u32 %r4, %r2, 0x3050709, 0x1020304; st.shared.u32 [%r3], %r4;
	add.u32 %r2, %r2, %r0; bra FILL;
FILLED: fence.proxy.async.shared::cta;
	bar.sync 0;
"""
FILLED = struct.pack("<2048I", *((i * 0x3050709 + 0x1020304) & 0xFFFFFFFF for i in range(2048)))


def load_of(box: Box, *, base: int = 0, space: str = "shared::cluster", mode: str = ".tile") -> str:
    dim = f"{len(box.shape)}d"
    return f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {box.nbytes};
	@%p9 cp.async.bulk.tensor.{dim}.{space}.global{mode}.{COMPLETES} [%r1+{base}], {box.operand}, [bar];
"""


def loaded(box: Box, data: bytes = DATA, base: int = 0) -> bytes:
    """The shared memory that a load into FILLED leaves, from `base` on, where the box begins."""
    size = SIZES[box.element]
    fill = bytes.fromhex("f77f") * (size // 2) if box.nan else bytes(size)
    memory = bytearray(FILLED)
    for to, source in box.places(base):
        memory[to : to + size] = fill if source is None else data[source : source + size]
    return bytes(memory[base : base + box.taken])


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_loads(device_name, box):
    body = READY + FILL + load_of(box) + WAIT + OUT.format(words=box.taken // 4, base=0)
    found = run_on(device_name, body, words=box.taken // 4, data=DATA, maps=box.maps, count=1, sm="90a", version="8.0")
    assert found == words(loaded(box))


@pytest.mark.parametrize("swizzle, base", [("none", 128), ("32B", 384), ("64B", 256), ("128B", 640)])
def test_a_swizzle_goes_by_the_address(device_name, swizzle, base):
    """Boxes that do not begin where the pattern does."""
    box = Box("u32", (8, 32), (8, 16), (0, 3), swizzle=swizzle)
    count = box.taken // 4
    body = READY + FILL + load_of(box, base=base) + WAIT + OUT.format(words=count, base=base)
    found = run_on(device_name, body, words=count, data=DATA, maps=box.maps, count=1, sm="90a")
    assert found == words(loaded(box, base=base))


STORED = {name: box for name, box in BOXES.items() if not box.nan and min(box.at) >= 0}
"""Boxes that begin before the tensor cannot be stored."""


@pytest.mark.parametrize("box", STORED.values(), ids=STORED)
def test_stores(device_name, box):
    """What lies outside the tensor is left out, but for the rest of 16 bytes."""
    body = (
        READY
        + FILL
        + f"""
	@%p9 cp.async.bulk.tensor.{len(box.shape)}d.global.shared::cta.tile.bulk_group {box.operand}, [%r1];
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.wait_group 0;"""
    )
    expected, size = bytearray(DATA), SIZES[box.element]
    for source, to in box.places(0, stores=True):
        if to is not None:
            expected[to : to + size] = FILLED[source : source + size]
    found = run_on(device_name, body, words=0, data=DATA, maps=box.maps, count=1, sm="90a")
    assert found == words(bytes(expected))


@pytest.mark.parametrize("element, expected", [
    ("f32_ftz", [0x3F800001, 0x00000001, 0x807FFFFF, 0x00800000, 0x7FC12345, 0xFF800000, 0x7F7FFFFF, 0x3F803000]),
    ("tf32", [0x3F800000, 0, 0x80800000, 0x00800000, 0x7FFFE000, 0xFF800000, 0x7F800000, 0x3F804000]),
])  # fmt: skip
def test_types_that_convert(device_name, element, expected):
    """Loads round to the 10 bits of tf32, to nearest even, with one NaN for all; of f32_ftz they keep subnormals."""
    bits = [0x3F800001, 0x00000001, 0x807FFFFF, 0x00800000, 0x7FC12345, 0xFF800000, 0x7F7FFFFF, 0x3F803000]
    box = Box(element, (8,), (8,), (0,))
    body = READY + load_of(box) + WAIT + OUT.format(words=8, base=0)
    found = run_on(device_name, body, words=8, data=struct.pack("<8I", *bits), maps=box.maps, count=1, sm="90a")
    assert found == expected


def test_the_fill_is_not_converted(device_name):
    box = Box("tf32", (4,), (8,), (0,), nan=True)
    body = READY + load_of(box) + WAIT + OUT.format(words=8, base=0)
    data = struct.pack("<4I", 0x3F800001, 0x7FC12345, 0x3F803000, 0x00000001)
    found = run_on(device_name, body, words=8, data=data, maps=box.maps, count=1, sm="90a")
    assert found == [0x3F800000, 0x7FFFE000, 0x3F804000, 0, *[0x7FF77FF7] * 4]


@pytest.mark.parametrize("space, mode, version", [("shared::cta", ".tile", "8.6"), ("shared::cluster", "", "8.0")])
def test_other_spellings(device_name, space, mode, version):
    box = BOXES["2d"]
    body = (
        READY
        + f"""
	prefetch.tensormap [%d3];
	cp.async.bulk.prefetch.tensor.2d.L2.global.tile {box.operand};
	mov.u32 %r5, {box.at[0]}; mov.u32 %r6, {box.at[1]};
"""
        + load_of(box, space=space, mode=mode).replace("{16, 4}", "{%r5, %r6}")
        + WAIT
        + OUT.format(words=128, base=0)
    )
    found = run_on(device_name, body, words=128, data=DATA, maps=box.maps, count=1, sm="90a", version=version)
    assert found == words(loaded(box))


def test_several_boxes_of_several_tensors_in_one_phase(device_name):
    boxes = [BOXES["128B"], BOXES["2d"]]
    body = (
        READY
        + f"""
	mov.u64 %d5, m1; cvta.param.u64 %d5, %d5; mov.u16 %h1, 1;
	createpolicy.fractional.L2::evict_first.b64 %d6, 1.0;
	@!%p9 bra WAIT;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {boxes[0].nbytes + boxes[1].nbytes};
	cp.async.bulk.tensor.2d.shared::cluster.global.{COMPLETES}.multicast::cluster.L2::cache_hint
		[%r1], {boxes[0].operand}, [bar], %h1, %d6;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.{COMPLETES} [%r1+2048], {boxes[1].operand.replace("%d3", "%d5")}, [bar];
"""
        + WAIT
        + OUT.format(words=640, base=0)
    )
    found = run_on(
        device_name,
        body,
        words=640,
        data=DATA,
        maps=lambda b: [*boxes[0].maps(b), *boxes[1].maps(b)],
        count=2,
        sm="90a",
    )
    assert found == words(loaded(boxes[0]) + loaded(boxes[1]))


# -- four rows, sm_100 (as the manual says; no such device was at hand) ---------------------------------------------------

ROWS = {
    "rows": (Box("f32", (64, 32), (16, 1), (16, 0)), (5, 30, 2, 7)),
    "some outside": (Box("f16", (61, 32), (32, 1), (48, 0), strides=(128,), swizzle="64B"), (31, -1, 40, 0)),
    "one row several times": (Box("bf16", (64, 64), (64, 1), (0, 0), swizzle="128B"), (9, 9, 63, 9)),
    "nan": (Box("f16", (64, 16), (16, 1), (0, 0), nan=True), (3, 16, 0, 1 << 30)),
}


def rows_of(box: Box, rows: tuple[int, ...], *, stores: bool = False):
    """(place in shared memory, place in the tensor or None): a box of four rows, of which row i is `rows[i]` of the tensor."""
    for i, row in enumerate(rows):
        for to, source in box._replace(at=(box.at[0], row)).places(0, stores=stores):
            yield SWIZZLES[box.swizzle].apply(SWIZZLES[box.swizzle].apply(to) + i * box.row), source


@pytest.mark.cpu_only
@pytest.mark.parametrize("box, rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("space", ["shared::cta", "shared::cluster"])
def test_rows_are_gathered(box, rows, space):
    operand, count = f"[%d3, {{{', '.join(map(str, (box.at[0], *rows)))}}}]", box.row
    body = READY + FILL + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {4 * box.nbytes};
	@%p9 cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 {operand};
	@%p9 cp.async.bulk.tensor.2d.{space}.global.tile::gather4.{COMPLETES} [%r1], {operand}, [bar];
""" + WAIT + OUT.format(words=count, base=0)  # fmt: skip
    size, memory = SIZES[box.element], bytearray(FILLED)
    fill = bytes.fromhex("f77f") * (size // 2) if box.nan else bytes(size)
    for to, source in rows_of(box, rows):
        memory[to : to + size] = fill if source is None else DATA[source : source + size]
    found = run_on("cpu:sm_100a", body, words=count, data=DATA, maps=box.maps, count=1, sm="100a", version="8.8")
    assert found == words(bytes(memory[: 4 * count]))


@pytest.mark.cpu_only
@pytest.mark.parametrize("name", ["rows", "some outside"])
def test_rows_are_scattered(name):
    box, rows = ROWS[name]
    operand = f"[%d3, {{{', '.join(map(str, (box.at[0], *rows)))}}}]"
    body = READY + FILL + f"""
	@%p9 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group {operand}, [%r1];
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.wait_group 0;"""  # fmt: skip
    expected, size = bytearray(DATA), SIZES[box.element]
    for source, to in rows_of(box, rows, stores=True):
        if to is not None:
            expected[to : to + size] = FILLED[source : source + size]
    found = run_on("cpu:sm_100a", body, words=0, data=DATA, maps=box.maps, count=1, sm="100a", version="8.8")
    assert found == words(bytes(expected))


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "number, swizzle", [*enumerate(("128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"))]
)
@pytest.mark.parametrize("end", [64, 61])
def test_a_map_is_given_another_atomicity(number, swizzle, end):
    """In a copy of the map, in global memory; by the swizzles of ptxgen.isa.layouts."""
    box = Box("u8", (end + 64, 16), (128, 16), (0, 0), swizzle="128B", strides=(128,))
    change = f"""
	add.u64 %d5, %in, {BYTES}; add.u64 %d6, %in, {BYTES};
	tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d5], {number};
	fence.proxy.tensormap::generic.acquire.gpu [%d5], 128;
"""
    copy = "".join(f"ld.param.b64 %d7, [m0+{8 * i}]; st.global.b64 [%d5+{8 * i}], %d7; " for i in range(16))
    change = change.replace("\ttensormap", f"\t{copy}\n\ttensormap")
    body = READY + FILL + change + load_of(box._replace(swizzle="128B")).replace("%d3", "%d5") + WAIT
    body += OUT.format(words=512, base=0)
    data = DATA + bytes(128)
    found = run_on("cpu:sm_100a", body, words=512, data=data, maps=box.maps, count=1, sm="100a", version="8.8")
    assert found == words(loaded(box._replace(swizzle=swizzle), data))


@pytest.mark.parametrize("swizzle", ["128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"])
def test_the_driver_makes_maps_of_every_atomicity(swizzle):
    box = Box("u8", (125, 16), (128, 16), (0, 0), swizzle=swizzle, strides=(128,))
    body = READY + FILL + load_of(box._replace(swizzle="128B")) + WAIT + OUT.format(words=512, base=0)
    found = run_on("cpu:sm_100a", body, words=512, data=DATA, maps=box.maps, count=1, sm="100a", version="8.8")
    assert found == words(loaded(box, DATA))


# -- what a GPU may do either way ----------------------------------------------------------------------------------------


@pytest.mark.cpu_only
def test_who_does_not_wait_reads_what_was_there(device_name):
    box = BOXES["2d"]
    body = READY + FILL + load_of(box) + OUT.format(words=128, base=0)
    assert run_on(device_name, body, words=128, data=DATA, maps=box.maps, count=1, sm="90a") == words(FILLED[:512])


# -- mistakes ------------------------------------------------------------------------------------------------------------


def map_of(box: Box, address: int, change: int | None = None) -> bytes:
    """The tensor map of memory at an address; `change` flips a bit of what begins with word 1."""
    context = px.device("cpu").handle.primary_context()
    made = dc.tensor_map(
        address, box.element, box.shape, box.box, strides=box.strides, element_strides=box.steps, swizzle=box.swizzle,
        context=context,
    )  # fmt: skip
    found = bytearray(bytes(made))
    if change is not None:
        found[8 + change // 8] ^= 1 << change % 8
    return bytes(found)


MAP = """
	.shared .align 1024 .b8 tile[2048];
	.shared .align 8 .b64 bar;
	mov.u32 %r1, tile; mbarrier.init.shared::cta.b64 [bar], 1; add.u64 %d3, %in, 64; mov.u64 %d4, 0;
"""
LOAD_2D = f"cp.async.bulk.tensor.2d.shared::cluster.global.tile.{COMPLETES}"
STORE_2D = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
ADD_2D = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
PREFETCH_2D = "cp.async.bulk.prefetch.tensor.2d.L2.global.tile"


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "copy, change, kind, said",
    [
        (f"{LOAD_2D} [%r1+64], [%d3, {{92, 0}}], [bar];", None, "misaligned address", "0x40, which is not a multiple of 128"),
        (f"{LOAD_2D} [%r1+1920], [%d3, {{92, 0}}], [bar];", None, "illegal address", "of .shared memory, which has 2056 bytes"),
        (f"{LOAD_2D} [%r1], [%d3+32, {{0, 0}}], [bar];", None, "misaligned address", "not a multiple of 64"),
        (f"{LOAD_2D} [%r1], [%d4, {{0, 0}}], [bar];", None, "illegal address", "cp.async reads 128 bytes at 0x0"),
        (f"{LOAD_2D} [%r1], [%d3, {{0, 0}}], [tile];", None, "mbarrier invalid", "no mbarrier at 0x0"),
        (f"{LOAD_2D} [%r1], [%d3, {{0, 0}}], [bar];", 0, "tensor map", "maps are for tiles, im2col, im2col::w or im2col::w::128"),
        (f"{LOAD_2D} [%r1], [%d3, {{0, 0}}], [bar];", 5, "tensor map", "of another rank"),
        (f"{LOAD_2D} [%r1], [%d3, {{0, 0}}], [bar];", 11, "tensor map", "interleaves"),
        (f"{STORE_2D} [%d3, {{0, 0}}], [%r1];", 10, "tensor map", "of a padded type, b4x16_p64 or b6x16_p32, which copies only"),
        (f"{LOAD_2D} [%r1], [%d3, {{0, 0}}], [bar];", None, "illegal address", "cp.async reads 1856 bytes at 0x1"),
        (f"{LOAD_2D} [%r1], [%d3, {{60, 31}}], [bar];", None, "illegal address", "cp.async reads 16 bytes at 0x2ff0"),
        (f"{STORE_2D} [%d3, {{0, 0}}], [%r1];", None, "illegal address", "cp.async writes 1856 bytes at 0x1"),
        (f"{STORE_2D} [%d3, {{92, 0}}], [%r1+16];", None, "misaligned address", "reads"),
        (f"{LOAD_2D} [%r1], [%d3, {{2, 0}}], [bar];", None, "tensor coordinates", "8 bytes from the beginning of the tensor's"),
        (f"{LOAD_2D} [%r1], [%d3, {{-1, -50}}], [bar];", None, "tensor coordinates", "begins -4 bytes"),
        (f"{PREFETCH_2D} [%d3, {{1, 0}}];", None, "tensor coordinates", "4 bytes"),
        (f"{PREFETCH_2D} [%d3, {{0, 0}}];", 5, "tensor map", "of another rank"),
        (f"{STORE_2D} [%d3, {{1, 0}}], [%r1];", None, "tensor coordinates", "4 bytes"),
        (f"{STORE_2D} [%d3, {{-4, 0}}], [%r1];", None, "tensor coordinates", "coordinate 0 is -4"),
        (f"{STORE_2D} [%d3, {{64, -100}}], [%r1];", None, "tensor coordinates", "coordinate 1 is -100"),
        (f"{ADD_2D} [%d3, {{0, -1}}], [%r1];", None, "tensor coordinates", "coordinate 1 is -1: what stores and reduces"),
    ],
)  # fmt: skip
def test_mistakes(copy, change, kind, said):
    """The tensor lies at 0x1000, where nothing is allocated."""
    data = bytes(64) + map_of(BOXES["2d"], 0x1000, change)
    with pytest.raises(KernelFault) as caught:
        run(MAP + "\t" + copy, block=(1, 1, 1), data=data)
    assert caught.value.kind == kind
    assert said in str(caught.value)
    assert "test.ptx:" in str(caught.value)


@pytest.mark.cpu_only
def test_a_type_that_there_is_not():
    data = bytes(64) + map_of(Box("s32", (64, 32), (16, 8), (0, 0)), 0x1000, 10)
    with pytest.raises(KernelFault, match="of a type that the CPU device does not know"):
        run(f"{MAP}\t{LOAD_2D} [%r1], [%d3, {{0, 0}}], [bar];", block=(1, 1, 1), data=data)


@pytest.mark.cpu_only
def test_a_narrow_box_takes_the_span_of_its_swizzle():
    """20 rows of 16 bytes, 128 bytes apart, in 2056 bytes of shared memory."""
    data = bytes(64) + map_of(Box("f32", (64, 32), (4, 20), (0, 0), swizzle="128B"), 0x1000)
    with pytest.raises(KernelFault, match=r"writes 2560 bytes at 0x0 of \.shared memory, which has 2056"):
        run(f"{MAP}\t{LOAD_2D} [%r1], [%d3, {{128, 0}}], [bar];", block=(1, 1, 1), data=data)


@pytest.mark.cpu_only
def test_a_store_goes_on_to_16_bytes(device_name):
    """Seven words of memory, and the eighth is not there."""
    box = Box("u32", (7,), (8,), (0,))
    body = READY + FILL + f"\t@%p9 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group {box.operand}, [%r1];"
    with pytest.raises(dc.IllegalAddressError, match=r"writes 32 bytes at .*; the nearest has 28 bytes"):
        run_on(device_name, body, words=0, data=bytes(28), maps=box.maps, count=1, sm="90a")
    px.device(device_name).reset()


@pytest.mark.cpu_only
def test_the_driver_says_illegal_instruction(device_name):
    """As an H200's does."""
    box = Box("u32", (32, 16), (8, 4), (3, 0))
    with pytest.raises(dc.IllegalInstructionError, match="12 bytes from the beginning of the tensor's rows"):
        run_on(device_name, READY + load_of(box), data=DATA, maps=box.maps, count=1, sm="90a")
    px.device(device_name).reset()


@pytest.mark.cpu_only
def test_a_map_that_no_driver_made():
    """A box of 255 rows of 256 words: one bit more than the driver would take."""
    data = bytes(64) + map_of(Box("f32", (256, 256), (128, 255), (0, 0)), 0x1000, 47 * 8 + 7)
    with pytest.raises(KernelFault, match="larger than shared memory") as caught:
        run(f"{MAP}\t{LOAD_2D} [%r1], [%d3, {{0, 0}}], [bar];", block=(1, 1, 1), data=data)
    assert caught.value.kind == "tensor map"


WRECK = """
	mov.u64 %d5, 0xffffffffffff0000; st.global.u64 [%d3], %d5; st.global.u64 [%d3+8], %d5;
	st.global.u64 [%d3+16], %d5; st.global.u64 [%d3+32], %d5; st.global.u64 [%d3+48], %d5; st.global.u64 [%d3+56], %d5;
"""
"""Stores over most words of a map."""


@pytest.mark.cpu_only
@pytest.mark.parametrize("copy", ["load", "store", "reduce"])
def test_a_map_is_read_when_its_copy_is_issued(copy):
    """The kernel stores to the map while the copy is under way: what was checked is what is done."""
    data = np.arange(64, dtype=np.uint32)
    device = px.device("cpu")
    x, out = device.array(data), device.zeros(64, px.u32)
    made = dc.tensor_map(x, "u32", (16, 4), (16, 4), context=device.context)
    memory = device.array(np.frombuffer(bytes(made) + bytes(128), np.uint8))
    operand = "[%d3, {0, 0}]"
    moved = {
        "load": f"cp.async.bulk.tensor.2d.shared::cluster.global.tile.{COMPLETES} [%r1], {operand}, [bar];",
        "store": f"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group {operand}, [%r1];",
        "reduce": f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group {operand}, [%r1];",
    }[copy]
    end = WAIT if copy == "load" else "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    text = f"""
.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 map, .param .u64 out) {{
	.reg .pred %p<10>; .reg .b32 %r<5>; .reg .b64 %d<6>; .reg .b64 %map, %out;
	.shared .align 1024 .b8 tile[2048];
	.shared .align 8 .b64 bar;
	ld.param.u64 %map, [map]; ld.param.u64 %out, [out]; mov.u32 %r1, tile;
	mov.u64 %d3, %map; mbarrier.init.shared::cta.b64 [bar], 1;
	mov.u32 %r2, 0;
FILL: mad.lo.u32 %r3, %r2, 4, %r1; mov.u32 %r4, 1000; st.shared.u32 [%r3], %r4;
	add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 64; @%p1 bra FILL;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
	{moved}
	{WRECK}
	{end}
	mov.u32 %r2, 0;
COPY: mad.lo.u32 %r3, %r2, 4, %r1; ld.shared.u32 %r4, [%r3]; mad.wide.u32 %d4, %r2, 4, %out; st.global.u32 [%d4], %r4;
	add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 64; @%p1 bra COPY;
	ret;
}}
"""
    device.load(text)["k"].launch(1, 1, (memory, out))
    device.synchronize()
    assert list(out.numpy()) == list(data if copy == "load" else [1000] * 64)
    assert list(x.numpy()) == list({"load": data, "store": 0 * data + 1000, "reduce": data + 1000}[copy])


@pytest.mark.cpu_only
def test_a_forged_map_that_reaches_the_end_of_memory():
    """Its rows lie below 2^64, and the last one ends at 0: a sum that wraps is no way around the check."""
    found = bytearray(map_of(Box("u8", (4096,), (256,), (0,)), 0x1000))
    found[:8] = struct.pack("<Q", 2**64 - 256)
    with pytest.raises(KernelFault, match="illegal address"):
        run(
            f"{MAP}\tcp.async.bulk.tensor.1d.shared::cluster.global.tile.{COMPLETES} [%r1], [%d3, {{0}}], [bar];{WAIT}",
            block=(1, 1, 1),
            data=bytes(64) + bytes(found),
        )


@pytest.mark.cpu_only
@pytest.mark.parametrize("copy", ["load", "store"])
def test_forged_maps_fault_or_stay_in_memory(copy):
    """Random bits of maps changed: the copy touches memory of the device or is a fault, and never ends the process."""
    rng = random.Random(7)
    operation = f"{LOAD_2D} [%r1], [%d3, {{0, 0}}], [bar];" if copy == "load" else f"{STORE_2D} [%d3, {{0, 0}}], [%r1];"
    kinds = set()
    for _ in range(150):
        found = bytearray(map_of(BOXES["2d"], 1 << 50))  # one bit further there is no memory of the device
        for _ in range(rng.randrange(1, 6)):
            found[rng.randrange(64)] ^= 1 << rng.randrange(8)
        if rng.random() < 0.3:
            found[:8] = struct.pack("<Q", rng.choice([2**64 - 16, 2**63, 2**47, 2**64 - 4096]))
        with pytest.raises(KernelFault) as caught:
            run(f"{MAP}\t{operation}", block=(1, 1, 1), data=bytes(64) + bytes(found))
        kinds.add(caught.value.kind)
    assert {"tensor map", "illegal address"} <= kinds


@pytest.mark.cpu_only
def test_what_does_not_run_is_refused_by_name():
    copy = "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs::w.bulk_group"
    with pytest.raises(UnsupportedError, match=copy):
        load(
            ".version 9.4\n.target sm_107a\n.address_size 64\n"
            f".visible .entry k() {{ .reg .b32 %r<2>; .reg .b64 %d<4>; {copy} [%d3, {{0, 0, 0}}], [%r1]; ret; }}"
        )


REPLACED = """
	.shared .align 128 .b8 held[128];
	mov.u32 %r1, held; mov.u32 %r2, 0;
FILL:
	add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], 0; add.u32 %r2, %r2, 4; setp.lt.u32 %p1, %r2, 128; @%p1 bra FILL;
	mov.u64 %d1, 0x123456789000; mov.u64 %d2, 0x5432109870; mov.u32 %r4, 37;
	tensormap.replace.tile.global_address.shared::cta.b1024.b64 [held], %d1;
	tensormap.replace.tile.rank.shared::cta.b1024.b32 [held], 2;
	tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [held], 11;
	tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [held], 3;
	tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [held], 1, %d2;
	tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [held], 2, %r4;
	tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [held], 0, %r4;
	tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [held], 3, %r4;
	tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [held], 1, 3;
	tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%out], [held], 128;
"""


def test_fields_of_a_map_are_replaced_as_an_h200_does_it():
    """Words as ptxgen.emulated_driver.memory.tensormaps has them, and as an H200 has left them."""
    words = run(REPLACED, words=32).u32
    expected = [0] * 32
    expected[0], expected[1] = 0x56789000, 0x1234
    expected[2] = 2 << 4 | 7 << 7 | 3 << 13 | 1 << 16
    expected[4], expected[7] = 0x5432109870 >> 4 & 0xFFFFFFFF, (0x5432109870 >> 36) << 4
    expected[10] = 36
    expected[13] = 36 << 24 | 2 << 3
    expected[14] = 36 << 16
    assert words == expected
