"""Copies for convolutions: the columns of im2col, which the tensor memory accelerator picks from images (manual 5.5.4).

A tensor of images is C, W (, H (, D)), N, innermost first: an array (N, H, W, C). A filter stands on places of an image one after
the other, along W, then H, then from image to image; a copy brings the channels of one of the filter's elements at so many
places: rows of a tile, whose columns are channels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.addresses import own_shared
from ptxgen.builder.tiles.tensor_copies import REDUCTIONS, address_in, coordinate, further
from ptxgen.builder.tiles.tensor_types import ImageType
from ptxgen.builder.values import conversions
from ptxgen.builder.values.scalars import Integer, u16
from ptxgen.ir import Immediate, Vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.builder.tiles.barriers import MemoryBarrier
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.tiles.tensor_types import Tensor
    from ptxgen.ir import Address, Operand

__all__ = ["Images", "im2col"]

_PIXELS = 1024
"""Pixels of one copy at most (CUDA driver API, cuTensorMapEncodeIm2col)."""

_EDGES = {1: 1 << 15, 2: 1 << 7, 3: 1 << 4}
"""Spatial dimensions -> how far a corner may lie below 0; above, one less."""


class Images:
    """A tensor map of images, with the corners of the places where a filter may stand. `TensorMap.im2col` makes it."""

    __slots__ = ("lower", "steps", "tensor", "upper")

    def __init__(self, tensor: Tensor, lower: tuple[int, ...], upper: tuple[int, ...], steps: tuple[int, ...]) -> None:
        self.tensor: Tensor = tensor
        self.lower: tuple[int, ...] = lower
        self.upper: tuple[int, ...] = upper
        self.steps: tuple[int, ...] = steps

    def load(self, tile: DeviceTile, place: Any, barrier: MemoryBarrier, offsets: Any = None) -> None:
        """Copy the channels of one element of the filter at `tile.rows` places of it to a tile; `barrier` counts the bytes.

        `place` is (channel, w, h, n): where the filter stands first, from `lower` on. `offsets` (w, h) say which element of the
        filter it is, 0 or more, by default the first. What lies outside of an image arrives as zeros. One thread executes it.
        """
        k = self.tensor.builder
        moved = self._offsets(offsets)
        barrier.expect(tile.bytes)
        for there, where in self._columns(tile, place):
            name = f"cp.async.bulk.tensor.{len(where)}d.{own_shared(k)}.global.im2col.mbarrier::complete_tx::bytes"
            k.emit(name, there, address_in(self.tensor, where), barrier.operand(), moved)

    def prefetch(self, tile: DeviceTile, place: Any, offsets: Any = None) -> None:
        """Bring what `load` would copy into L2."""
        moved = self._offsets(offsets)
        for _, where in self._columns(tile, place):
            name = f"cp.async.bulk.prefetch.tensor.{len(where)}d.L2.global.im2col"
            self.tensor.builder.emit(name, address_in(self.tensor, where), moved)

    def store(self, tile: DeviceTile, place: Any) -> None:
        """Copy a tile to the pixels of so many places, as `TensorMap.store` does to boxes."""
        for there, where in self._columns(tile, place):
            name = f"cp.async.bulk.tensor.{len(where)}d.global.shared::cta.im2col_no_offs.bulk_group"
            self.tensor.builder.emit(name, address_in(self.tensor, where), there)

    def reduce(self, operation: str, tile: DeviceTile, place: Any) -> None:
        """As `store`, but each element there becomes that and the tile's, as in `TensorMap.reduce`."""
        if operation not in REDUCTIONS:
            raise build_error("PTX201", f"a reduction {operation!r}", expected=", ".join(REDUCTIONS))
        for there, where in self._columns(tile, place):
            name = f"cp.reduce.async.bulk.tensor.{len(where)}d.global.shared::cta.{operation}.im2col_no_offs.bulk_group"
            self.tensor.builder.emit(name, address_in(self.tensor, where), there)

    def _columns(self, tile: DeviceTile, place: Any) -> Iterator[tuple[Address, tuple[Operand, ...]]]:
        """(address in shared memory, coordinates) of each copy; the tensor's kind is noted and checked."""
        k, rank = self.tensor.builder, len(self.lower) + 2
        if not isinstance(place, (tuple, list)) or len(place) != rank:
            raise build_error(
                "PTX202", f"the place {place!r:.60}", expected=f"{rank} coordinates: channel, w, ..., image"
            )
        if tile.layout.major != "K" or tile.rows > _PIXELS:
            raise build_error(
                "PTX221", f"columns of im2col in {tile!r}", expected=f"a K-major tile of at most {_PIXELS} rows"
            )
        width = min(tile.layout.per_line, tile.columns)
        kind = ImageType(tile.element.isa, width, tile.rows, self.lower, self.upper, self.steps, tile.layout.swizzle)
        self.tensor.moves(kind)
        channel, *rest = place
        for x in range(0, tile.columns, width):
            where = (further(channel, x), *rest)
            yield tile.operand(tile.layout.plain_offset(0, x)), tuple(coordinate(k, each) for each in where)

    def _offsets(self, offsets: Any) -> Vector:
        k, count = self.tensor.builder, len(self.lower)
        given = (0,) * count if offsets is None else offsets
        if not isinstance(given, (tuple, list)) or len(given) != count:
            raise build_error(
                "PTX202", f"the offsets {offsets!r:.60}", expected=f"{count}: one a spatial dimension, w first"
            )
        found: list[Operand] = []
        for each in map(plain, given):
            if isinstance(each, int) and 0 <= each < 2 * _EDGES[count]:
                found.append(Immediate(each))
            elif isinstance(each, Integer):
                found.append(k.use(conversions.convert(each, u16)))
            else:
                raise build_error(
                    "PTX220", f"the offset {each!r:.60}", expected=f"an integer of 0 to {2 * _EDGES[count] - 1}"
                )
        return Vector(tuple(found))


def im2col(tensor: Tensor, lower: Sequence[int], upper: Sequence[int], steps: Sequence[int] | None = None) -> Images:
    """The map as one of images, for a filter that stands on every place of an image from `lower` to `upper`, w first.

    `lower` counts from the image's first pixel, `upper` from its last one: with `pad` pixels of zeros around an image and a
    filter of `size` elements, lower = -pad and upper = pad - (size - 1). `steps` are from place to place (default 1). All are
    Python's integers, of one to three spatial dimensions; the launch takes an array (N, H, W, C).
    """
    corners = tuple(map(plain, lower)), tuple(map(plain, upper))
    apart = (1,) * len(corners[0]) if steps is None else tuple(map(plain, steps))
    edge = _EDGES.get(len(corners[0]), 0)
    if not edge or any(len(each) != len(corners[0]) for each in (corners[1], apart)):
        raise build_error(
            "PTX202",
            f"im2col of corners {corners[0]} and {corners[1]}, steps {apart}",
            expected="1 to 3 numbers in each",
        )
    for what, numbers, low, high in (("corner", corners[0] + corners[1], -edge, edge - 1), ("step", apart, 1, 8)):
        for each in numbers:
            if type(each) is not int or not low <= each <= high:
                raise build_error(
                    "PTX221", f"im2col with a {what} of {each!r:.40}", expected=f"{low} to {high}, known while building"
                )
    return Images(tensor, *corners, apart)
