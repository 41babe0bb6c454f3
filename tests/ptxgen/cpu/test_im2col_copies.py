"""cp.async.bulk.tensor in the mode of im2col (manual 5.5.4), against a model in Python: the pixels of a box, in order."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import pytest

import driver_ctypes as dc
from ptxgen.isa.layouts import SWIZZLES
from tests.ptxgen.cpu.on_device import run_on
from tests.ptxgen.cpu.test_tensor_copies import COMPLETES, DATA, FILL, FILLED, OUT, READY, SIZES, WAIT, words


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

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return self.channels * self.pixels * SIZES[self.element]

    def places(self, *, with_offsets: bool = True):
        """(place in shared memory, place in the tensor or None) of each element."""
        size, swizzle = SIZES[self.element], SWIZZLES[self.swizzle]
        steps = (self.steps or (1,) * self.rank)[1:-1]
        axes = [
            range(low, extent + high, step)
            for low, extent, high, step in zip(self.lower, self.shape[1:-1], self.upper, steps)
        ]
        pixels = itertools.product(range(self.shape[-1] + 9), *reversed(axes))
        start = (self.at[-1], *reversed(self.at[1:-1]))
        pixels = itertools.islice(itertools.dropwhile(lambda p: p != start, pixels), self.pixels)
        offsets = self.offsets if with_offsets else (0,) * (self.rank - 2)
        for row, (n, *outer) in enumerate(pixels):
            place = [x + o for x, o in zip(reversed(outer), offsets)]
            for i in range(self.channels):
                whole = [self.at[0] + i, *place, n]
                inside = all(0 <= x < extent for x, extent in zip(whole, self.shape))
                linear = 0
                for x, extent in zip(reversed(whole), reversed(self.shape)):
                    linear = linear * extent + x
                yield swizzle.apply((row * self.channels + i) * size), linear * size if inside else None

    def maps(self, buffer: Any) -> list[Any]:
        return [
            dc.tensor_map_im2col(
                buffer, self.element, self.shape, self.lower, self.upper, self.channels, self.pixels,
                element_strides=self.steps, swizzle=self.swizzle, nan_fill=self.nan,
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
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_loads(device_name, column):
    offsets = "".join(f"mov.u16 %h{i}, {o}; " for i, o in enumerate(column.offsets))
    names = ", ".join(f"%h{i}" for i in range(len(column.offsets)))
    body = (
        READY
        + f"""
	{offsets}
	cp.async.bulk.prefetch.tensor.{column.rank}d.L2.global.im2col {column.operand}, {{{names}}};
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {column.nbytes};
	@%p9 cp.async.bulk.tensor.{column.rank}d.shared::cluster.global.im2col.{COMPLETES}
		[%r1], {column.operand}, [bar], {{{names}}};
"""
        + WAIT
        + OUT.format(words=column.nbytes // 4, base=0)
    )
    size = SIZES[column.element]
    expected = bytearray(column.nbytes)
    for to, source in column.places():
        outside = bytes.fromhex("f77f") if column.nan else bytes(size)
        expected[to : to + size] = outside if source is None else DATA[source : source + size]
    found = run_on(device_name, body, words=column.nbytes // 4, data=DATA, maps=column.maps, count=1, sm="90a")
    assert found == words(bytes(expected))


@pytest.mark.parametrize("name", ["3d", "from the middle", "past the last image", "4d", "5d", "swizzled"])
def test_stores(device_name, name):
    """Without offsets; pixels outside are left out."""
    column = COLUMNS[name]
    body = (
        READY
        + FILL
        + f"""
	@%p9 cp.async.bulk.tensor.{column.rank}d.global.shared::cta.im2col_no_offs.bulk_group {column.operand}, [%r1];
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.wait_group 0;"""
    )
    expected, size = bytearray(DATA), SIZES[column.element]
    for source, to in column.places(with_offsets=False):
        if to is not None:
            expected[to : to + size] = FILLED[source : source + size]
    found = run_on(device_name, body, words=0, data=DATA, maps=column.maps, count=1, sm="90a")
    assert found == words(bytes(expected))
