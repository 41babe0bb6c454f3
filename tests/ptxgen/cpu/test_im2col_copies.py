"""cp.async.bulk.tensor in the mode of im2col (manual 5.5.4), against a model in Python: the pixels of a box, in order."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, NamedTuple

import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen.cpu import KernelFault
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.memory.tensormaps import encode_im2col_wide
from ptxgen.isa.layouts import SWIZZLES
from tests.ptxgen.cpu.machine import run
from tests.ptxgen.cpu.on_device import run_on
from tests.ptxgen.cpu.test_tensor_copies import COMPLETES, DATA, FILL, FILLED, MAP, OUT, READY, SIZES, WAIT, words


class Column(NamedTuple):
    """Pixels of a tensor C, W, (H, (D,)) N, from the pixel `at` on. `lower` and `upper` are the corners of the box, `offsets`
    where in a filter."""

    element: str
    shape: tuple[int, ...]
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    channels: int
    pixels: int
    at: tuple[int, ...]
    offsets: tuple[int, ...]
    steps: tuple[int, ...] | None = None
    swizzle: str = "none"
    nan: bool = False
    strides: tuple[int, ...] | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return self.channels * self.pixels * SIZES[self.element]

    @property
    def row(self) -> int:
        """Bytes that a pixel takes in shared memory: those of its swizzle's span where it is narrower."""
        return max(self.channels * SIZES[self.element], SWIZZLES[self.swizzle].span)

    @property
    def taken(self) -> int:
        """Bytes from the beginning of the column to its end in shared memory."""
        return self.pixels * self.row

    @property
    def is_inside(self) -> bool:
        """Do the corners leave no pixel outside the tensor? Others cannot be stored."""
        return min(self.lower) >= 0 and max(self.upper) <= 0

    def places(self, *, stores: bool = False):
        """(place in shared memory, place in the tensor or None) of each element. What stores knows no offsets, and goes on to
        a multiple of 16 bytes at the last channel."""
        size, swizzle = SIZES[self.element], SWIZZLES[self.swizzle]
        shape = (-(-self.shape[0] * size // 16) * 16 // size, *self.shape[1:]) if stores else self.shape
        pitch = [size]
        for extent in self.shape[:-1]:
            pitch.append(pitch[-1] * extent)
        pitch[1:] = self.strides or pitch[1:]
        *steps, batch = (self.steps or (1,) * self.rank)[1:]
        axes = [
            range(low, extent + high, step)
            for low, extent, high, step in zip(self.lower, self.shape[1:-1], self.upper, steps)
        ]
        pixels = itertools.product(range(self.at[-1], self.shape[-1] + 9 * batch, batch), *reversed(axes))
        start = (self.at[-1], *reversed(self.at[1:-1]))
        pixels = itertools.islice(itertools.dropwhile(lambda p: p != start, pixels), self.pixels)
        offsets = (0,) * (self.rank - 2) if stores else self.offsets
        for row, (n, *outer) in enumerate(pixels):
            place = [x + o for x, o in zip(reversed(outer), offsets)]
            for i in range(self.channels):
                whole = [self.at[0] + i, *place, n]
                inside = all(0 <= x < extent for x, extent in zip(whole, shape))
                linear = sum(x * p for x, p in zip(whole, pitch))
                yield swizzle.apply(row * self.row + i * size), linear if inside else None

    def maps(self, buffer: Any) -> list[Any]:
        return [
            dc.tensor_map_im2col(
                buffer, self.element, self.shape, self.lower, self.upper, self.channels, self.pixels,
                element_strides=self.steps, swizzle=self.swizzle, nan_fill=self.nan, strides=self.strides,
            )
        ]  # fmt: skip

    @property
    def operand(self) -> str:
        return f"[%d3, {{{', '.join(map(str, self.at))}}}]"


COLUMNS = {
    "3d": Column("f16", (16, 12, 4), (0,), (0,), 8, 16, (8, 0, 1), (0,)),
    "a filter of 3": Column("f16", (16, 12, 4), (-1,), (-1,), 8, 20, (0, -1, 0), (2,)),
    "from the middle": Column("f32", (8, 10, 3), (-1,), (-1,), 8, 16, (0, 4, 1), (1,)),
    "past the last image": Column("f32", (8, 10, 3), (0,), (0,), 4, 32, (4, 3, 1), (0,)),
    "channels outside": Column("f32", (12, 10, 3), (0,), (0,), 8, 16, (8, 0, 0), (0,)),
    "steps": Column("u8", (32, 21, 5), (-2,), (-2,), 16, 24, (16, -2, 1), (3,), (1, 2, 1)),
    "4d": Column("f16", (8, 9, 7, 2), (-1, -1), (-1, -1), 8, 64, (0, 7, 4, 0), (0, 0)),
    "4d with offsets": Column("bf16", (16, 9, 7, 2), (-1, -1), (-1, -1), 8, 50, (8, -1, -1, 1), (2, 1)),
    "4d with steps": Column("f32", (4, 12, 9, 3), (-1, -2), (-2, -1), 4, 48, (0, 3, 2, 0), (1, 2), (1, 2, 2, 1)),
    "5d": Column("f16", (8, 5, 4, 6, 3), (-1, 0, -1), (-1, 0, -1), 8, 80, (0, 2, 1, 3, 0), (2, 0, 1)),
    "nan": Column("f16", (16, 12, 4), (-1,), (-1,), 8, 20, (0, -1, 3), (0,), nan=True),
    "swizzled": Column("f16", (64, 9, 7, 2), (-1, -1), (-1, -1), 64, 24, (0, -1, 2, 0), (1, 2), swizzle="128B"),
    "swizzled inside": Column("f16", (64, 9, 7, 2), (0, 0), (0, 0), 64, 24, (0, 6, 2, 0), (1, 2), swizzle="128B"),
    "narrower than its swizzle": Column(
        "f16", (16, 9, 7, 2), (0, 0), (0, 0), 8, 24, (8, 6, 2, 0), (1, 2), swizzle="128B"
    ),
    "smaller than the tensor": Column("f32", (8, 10, 3), (1,), (-2,), 8, 16, (0, 4, 1), (1,)),
    "4d inside": Column("f16", (8, 9, 7, 2), (1, 0), (0, -1), 8, 64, (0, 7, 4, 0), (0, 0)),
    "4d inside with steps": Column("f32", (4, 12, 9, 3), (0, 1), (-1, 0), 4, 48, (0, 2, 3, 0), (1, 2), (1, 2, 2, 1)),
    "5d inside": Column("f16", (8, 5, 4, 6, 3), (0, 1, 0), (0, 0, -1), 8, 80, (0, 2, 1, 3, 0), (2, 0, 1)),
    "every other image": Column("f32", (4, 12, 5), (0,), (-1,), 4, 20, (0, 5, 1), (0,), (1, 5, 2)),
    "channels to the end": Column("f16", (13, 6, 5), (0,), (0,), 8, 16, (8, 2, 0), (1,), strides=(32, 192)),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_loads(device_name, column):
    offsets = "".join(f"mov.u16 %h{i}, {o}; " for i, o in enumerate(column.offsets))
    names = ", ".join(f"%h{i}" for i in range(len(column.offsets)))
    body = (
        READY
        + FILL
        + f"""
	{offsets}
	cp.async.bulk.prefetch.tensor.{column.rank}d.L2.global.im2col {column.operand}, {{{names}}};
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {column.nbytes};
	@%p9 cp.async.bulk.tensor.{column.rank}d.shared::cluster.global.im2col.{COMPLETES}
		[%r1], {column.operand}, [bar], {{{names}}};
"""
        + WAIT
        + OUT.format(words=column.taken // 4, base=0)
    )
    size = SIZES[column.element]
    expected = bytearray(FILLED[: column.taken])
    for to, source in column.places():
        outside = bytes.fromhex("f77f") if column.nan else bytes(size)
        expected[to : to + size] = outside if source is None else DATA[source : source + size]
    found = run_on(device_name, body, words=column.taken // 4, data=DATA, maps=column.maps, count=1, sm="90a")
    assert found == words(bytes(expected))


STORED = {name: column for name, column in COLUMNS.items() if column.is_inside}


@pytest.mark.parametrize("column", STORED.values(), ids=STORED)
def test_stores(device_name, column):
    """Without offsets; pixels of images that do not exist are left out."""
    body = (
        READY
        + FILL
        + f"""
	@%p9 cp.async.bulk.tensor.{column.rank}d.global.shared::cta.im2col_no_offs.bulk_group {column.operand}, [%r1];
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.wait_group 0;"""
    )
    expected, size = bytearray(DATA), SIZES[column.element]
    for source, to in column.places(stores=True):
        if to is not None:
            expected[to : to + size] = FILLED[source : source + size]
    found = run_on(device_name, body, words=0, data=DATA, maps=column.maps, count=1, sm="90a")
    assert found == words(bytes(expected))


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "column, copy, said",
    [
        (COLUMNS["3d"], "load {4, 0, 1}", "8 bytes from the beginning of the tensor's rows"),
        (COLUMNS["3d"], "load {8, 12, 1}", "coordinate 1 is 12, outside the box that the corners"),
        (COLUMNS["3d"], "load {8, -1, 1}", "coordinate 1 is -1, outside the box that the corners"),
        (COLUMNS["a filter of 3"], "load {0, -2, 0}", "coordinate 1 is -2, outside"),
        (COLUMNS["smaller than the tensor"], "load {0, 0, 0}", "coordinate 1 is 0, outside"),
        (COLUMNS["4d"], "load {0, 0, 6, 0}", "coordinate 2 is 6, outside"),
        (COLUMNS["3d"], "prefetch {8, 12, 1}", "coordinate 1 is 12, outside"),
        (COLUMNS["3d"], "store {8, 0, -1}", "coordinate 2 is -1: what stores"),
        (COLUMNS["from the middle"], "store {0, 4, 1}", "pixels outside the tensor in dimension 1"),
        (Column("f16", (8, 9, 7, 2), (0, 0), (0, 1), 8, 8, (0,) * 4, (0, 0)), "store {0, 4, 1, 0}", "in dimension 2"),
    ],
)  # fmt: skip
def test_mistakes(column, copy, said):
    """Illegal instructions on an H200 too. The tensor lies at 0x1000, where nothing is allocated."""
    what, at = copy.split(" ", 1)
    dim, offsets = f"{column.rank}d", ", ".join(["0"] * (column.rank - 2))
    text = {
        "load": f"cp.async.bulk.tensor.{dim}.shared::cta.global.im2col.{COMPLETES} [%r1], [%d3, {at}], [bar], {{{offsets}}};",
        "prefetch": f"cp.async.bulk.prefetch.tensor.{dim}.L2.global.im2col [%d3, {at}], {{{offsets}}};",
        "store": f"cp.async.bulk.tensor.{dim}.global.shared::cta.im2col_no_offs.bulk_group [%d3, {at}], [%r1];",
    }[what]
    context = px.device("cpu").handle.primary_context()
    made = dc.tensor_map_im2col(
        0x1000,
        column.element,
        column.shape,
        column.lower,
        column.upper,
        column.channels,
        column.pixels,
        context=context,
    )
    with pytest.raises(KernelFault) as caught:
        run(f"{MAP}\t{text}", block=(1, 1, 1), data=bytes(64) + bytes(made))
    assert caught.value.kind == "tensor coordinates"
    assert said in str(caught.value)


# -- im2col::w, sm_100 (as the manual's text reads; no such device was at hand) -------------------------------------------


class Wide(NamedTuple):
    """Pixels along W of a tensor of f16, from `at` on, and in the images behind with the same H and D; then `halo` more.
    `parts`: 128 pixels, with a halo behind each 32."""

    shape: tuple[int, ...]
    corners: tuple[int, int]
    channels: int
    pixels: int
    at: tuple[int, ...]
    halo: int
    offset: int
    step: int = 1
    parts: bool = False

    @property
    def mode(self) -> str:
        return "im2col::w::128" if self.parts else "im2col::w"

    def rows(self) -> list[tuple[int, ...]]:
        """The coordinates of the pixels, behind the channels."""
        _, width, *_ = self.shape
        first, end = self.corners[0], width + self.corners[1]
        w, *still, n = self.at[1:]
        found, part = [], 32 if self.parts else self.pixels
        for number in range(128 if self.parts else self.pixels):
            if number and w + self.step < end:
                w += self.step
            elif number:
                w, n = first, n + 1
            found.append((w + self.offset, *still, n))
            if number % part == part - 1:
                found += [(w + self.offset + self.step * (1 + i), *still, n) for i in range(self.halo)]
        return found

    def maps(self, buffer: Any) -> list[bytes]:
        strides, made = [2], (ctypes.c_uint64 * 16)()
        for extent in self.shape[:-1]:
            strides.append(strides[-1] * extent)
        steps = (ctypes.c_uint32 * 5)(1, self.step, 1, 1, 1)
        outer = (ctypes.c_uint64 * 4)(*strides[1:])
        extents = (ctypes.c_uint64 * 5)(*self.shape)
        encode_im2col_wide(
            ctypes.addressof(made), 6, len(self.shape), getattr(buffer, "pointer", buffer), ctypes.addressof(extents),
            ctypes.addressof(outer), *self.corners, self.channels, self.pixels,
            ctypes.addressof(steps), 0, int(self.parts), 3, 0, 0,
        )  # fmt: skip
        return [bytes(made)]


WIDES = {
    "3d": Wide((64, 9, 7), (0, 0), 64, 20, (0, 3, 2), 2, 0),
    "4d": Wide((64, 9, 3, 7), (0, 0), 64, 20, (0, 3, 1, 2), 2, 0),
    "5d, without halo": Wide((16, 5, 2, 3, 8), (0, -1), 16, 12, (0, 1, 1, 2, 3), 0, 1),
    "begins before the box": Wide((32, 7, 7), (1, -1), 32, 17, (0, -1, 2), 1, 1),
    "steps": Wide((64, 9, 6), (-1, 0), 64, 18, (0, -1, 1), 1, 0, step=2),
    "parts": Wide((8, 9, 3, 22), (0, 0), 8, 5, (0, 3, 1, 2), 2, 0, parts=True),
    "to the end": Wide((8, 9, 22), (0, 0), 8, 32, (0, 3, 20), 3, 2),
}


@pytest.mark.cpu_only
@pytest.mark.parametrize("wide", WIDES.values(), ids=WIDES)
def test_pixels_along_w(wide):
    """A pixel takes the span of the swizzle."""
    rows = wide.rows()
    dim, operand = f"{len(wide.shape)}d", f"[%d3, {{{', '.join(map(str, wide.at))}}}]"
    body = READY + FILL + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {len(rows) * wide.channels * 2};
	@%p9 cp.async.bulk.prefetch.tensor.{dim}.L2.global.{wide.mode} {operand}, {{{wide.halo}, {wide.offset}}};
	@%p9 cp.async.bulk.tensor.{dim}.shared::cluster.global.{wide.mode}.{COMPLETES}
		[%r1], {operand}, [bar], {{{wide.halo}, {wide.offset}}};
""" + WAIT + OUT.format(words=2048, base=0)  # fmt: skip
    expected = bytearray(FILLED.ljust(8192, b"\0"))
    for row, place in enumerate(rows):
        inside = all(0 <= x < extent for x, extent in zip(place, wide.shape[1:]))
        at = 0
        for x, extent in zip(reversed(place), reversed(wide.shape[1:])):
            at = at * extent + x
        for i in range(0, 2 * wide.channels, 2):
            to, source = SWIZZLES["128B"].apply(128 * row + i), 2 * at * wide.shape[0] + i
            if to < len(expected):
                expected[to : to + 2] = DATA[source : source + 2] if inside else bytes(2)
    body = body.replace("tile[8192]", "tile[32768]")
    found = run_on("cpu:sm_100a", body, words=2048, data=DATA, maps=wide.maps, count=1, sm="100a", version="8.8")
    assert found == words(bytes(expected))


@pytest.mark.cpu_only
def test_maps_of_im2col_w_have_rules():
    px.device("cpu:sm_100a")
    good = WIDES["3d"]
    for wrong, said in (
        (good._replace(corners=(9, 0)), "leave nothing"), (good._replace(pixels=1025), "1 to 1024"),
        (good._replace(shape=(64, 9)), "rank 2"), (good._replace(channels=72), "narrower"),
    ):  # fmt: skip
        with pytest.raises(Refusal) as caught:
            wrong.maps(1 << 20)
        assert said in caught.value.text
