"""Tensor copies of interleaved tensors (manual 5.5.6), against numpy: an array of slices of channels, padded all around.

Dimensions are W, (H, (D,)) slices of channels, N. An H200 did the same in 1,930 copies of all ranks and types, with every
coordinate outside once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import driver_ctypes as dc
from ptxgen.isa.layouts import SWIZZLES
from tests.ptxgen.cpu.on_device import run_on
from tests.ptxgen.cpu.test_tensor_copies import COMPLETES, DATA, FILL, FILLED, OUT, READY, WAIT, words

MARGIN = 8


class Sliced(NamedTuple):
    """A tensor whose elements are slices, W innermost; a box of it, or as many `pixels` of im2col from `at` on."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]  # bytes, of all dimensions but W
    at: tuple[int, ...]
    box: tuple[int, ...] = ()  # that of the slices does not matter
    element: str = "f16"
    interleave: str = "16B"
    swizzle: str = "none"
    steps: tuple[int, ...] | None = None
    nan: bool = False
    pixels: int = 0
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()
    offsets: tuple[int, ...] = ()

    @property
    def slice(self) -> int:
        return int(self.interleave[:2])

    def tensor(self, memory: np.ndarray) -> np.ndarray:
        """The tensor as an array of bytes: N, slices, ..., W, the bytes of a slice."""
        shape = (*reversed(self.shape), self.slice)
        return as_strided(memory, shape, (*reversed(self.strides), self.slice, 1))

    def index(self) -> Any:
        """Where the box's slices lie in the padded array."""
        steps = self.steps or (1,) * len(self.shape)
        box = (*self.box[:-2], 1, self.box[-1])
        return tuple(slice(MARGIN + a, MARGIN + a + b, s) for a, b, s in zip(self.at, box, steps))[::-1]

    def columns(self) -> list[tuple[int, ...]]:
        """The pixels of im2col, in order: coordinates in the padded array, N first."""
        *spatial, piece, batch = self.at
        starts = [range(low, n + high) for low, n, high in zip(self.lower, self.shape, self.upper)]
        every = [
            (image, piece, *reversed(place))
            for image in range(batch, batch + MARGIN)
            for place in (p[::-1] for p in np.ndindex(*(len(s) for s in reversed(starts))))
            for place in [tuple(s[i] for s, i in zip(starts, place))]
        ]
        first = every.index((batch, piece, *reversed(spatial)))
        moved = (0, 0, *reversed(self.offsets))
        return [tuple(MARGIN + a + b for a, b in zip(p, moved)) for p in every[first : first + self.pixels]]

    def loaded(self) -> bytes:
        fill = 0x7FF7 if self.nan else 0
        padded = np.pad(self.tensor(np.frombuffer(DATA, np.uint8)).view(np.uint16), MARGIN, constant_values=fill)
        padded = padded[..., MARGIN:-MARGIN]
        taken = np.stack([padded[p] for p in self.columns()]) if self.pixels else padded[self.index()]
        chunks = taken.reshape(-1, 8)
        placed = np.empty_like(chunks)
        for i, chunk in enumerate(chunks):
            placed[SWIZZLES[self.swizzle].apply(16 * i) // 16] = chunk
        return placed.tobytes()

    def maps(self, buffer: Any) -> list[Any]:
        shared = {
            "strides": self.strides, "interleave": self.interleave, "swizzle": self.swizzle, "nan_fill": self.nan,
            "element_strides": self.steps,
        }  # fmt: skip
        element: Any = self.element
        if self.pixels:
            channels = self.slice // 2
            corners = self.lower, self.upper
            return [dc.tensor_map_im2col(buffer, element, self.shape, *corners, channels, self.pixels, **shared)]
        return [dc.tensor_map(buffer, element, self.shape, self.box, **shared)]

    @property
    def source(self) -> str:
        return f"[%d3, {{{', '.join(map(str, self.at))}}}]"


THREE, FOUR = {"shape": (12, 5, 6), "strides": (192, 1024)}, {"shape": (12, 7, 3, 4), "strides": (192, 1344, 4032)}
WIDE = {"shape": (8, 5, 4), "strides": (256, 2048), "interleave": "32B", "swizzle": "32B"}
TILES = {
    "3d": Sliced(**THREE, at=(2, 1, 1), box=(8, 1, 3)),
    "4d": Sliced(**FOUR, at=(1, 2, 1, 0), box=(8, 3, 1, 2)),
    "5d": Sliced((8, 3, 2, 3, 2), (128, 512, 1024, 4096), (0, 1, 0, 2, 0), (8, 2, 2, 1, 2)),
    "32 bytes": Sliced(**WIDE, at=(0, 3, 1), box=(16, 1, 2)),
    "whatever the type and the box of slices": Sliced(**FOUR, at=(0, 0, 2, 1), box=(4, 2, 3, 2), element="u32"),
    "outside": Sliced(**FOUR, at=(8, -2, 0, 3), box=(8, 5, 1, 2)),
    "slices that there are not": Sliced(**THREE, at=(0, 5, 0), box=(8, 1, 2)),
    "nan": Sliced(**THREE, at=(-3, 4, 5), box=(8, 1, 2), nan=True),
    "steps, of W too": Sliced(**FOUR, at=(1, 0, 1, 0), box=(8, 5, 1, 4), steps=(2, 3, 1, 2)),
    "swizzled": Sliced(**FOUR, at=(0, 0, 0, 0), box=(8, 6, 1, 2), swizzle="128B"),
}
PIXELS = {
    "im2col 3d": Sliced(**THREE, at=(-1, 2, 0), pixels=20, lower=(-1,), upper=(-1,), offsets=(1,)),
    "im2col 4d": Sliced(**FOUR, at=(3, -1, 1, 1), pixels=40, lower=(-1, -1), upper=(-1, 0), offsets=(2, 1)),
    "im2col 32 bytes": Sliced(**WIDE, at=(0, 1, 1), pixels=9, lower=(0,), upper=(0,), offsets=(0,)),
}


@pytest.mark.parametrize("box", [*TILES.values(), *PIXELS.values()], ids=[*TILES, *PIXELS])
def test_loads(device_name, box):
    expected = box.loaded()
    mode, offsets = ("im2col", f", {{{', '.join(map(str, box.offsets))}}}") if box.pixels else ("tile", "")
    body = READY + FILL + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {len(expected)};
	@%p9 cp.async.bulk.tensor.{len(box.shape)}d.shared::cluster.global.{mode}.{COMPLETES}
		[%r1], {box.source}, [bar]{offsets};
""" + WAIT + OUT.format(words=len(expected) // 4, base=0)  # fmt: skip
    found = run_on(device_name, body, words=len(expected) // 4, data=DATA, maps=box.maps, count=1, sm="90a")
    assert found == words(expected)


@pytest.mark.parametrize("name, operation", [("4d", ""), ("5d", "add."), ("32 bytes", "")])
def test_stores_and_reductions(device_name, name, operation):
    box = TILES[name]._replace(element="u32")
    opcode = "cp.reduce.async.bulk" if operation else "cp.async.bulk"
    body = READY + FILL + f"""
	@%p9 {opcode}.tensor.{len(box.shape)}d.global.shared::cta.{operation}tile.bulk_group {box.source}, [%r1];
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.wait_group 0;"""  # fmt: skip
    expected = np.frombuffer(DATA, np.uint8).copy()
    strides = (*reversed(box.strides), box.slice, 1)
    places = as_strided(np.arange(len(DATA)), (*reversed(box.shape), box.slice), [8 * each for each in strides])
    padded = np.pad(places, [(MARGIN, MARGIN)] * len(box.shape) + [(0, 0)], constant_values=-1)
    for i, where in enumerate(padded[box.index()].reshape(-1, 16)):
        start = SWIZZLES[box.swizzle].apply(16 * i)
        given = np.frombuffer(FILLED[start : start + 16], np.uint32)
        if where[0] >= 0:
            expected[where] = (expected[where].view(np.uint32) * bool(operation) + given).view(np.uint8)
    found = run_on(device_name, body, words=0, data=DATA, maps=box.maps, count=1, sm="90a")
    assert found == words(expected.tobytes())
