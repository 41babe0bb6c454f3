"""Factors of scale in shared memory, as block-scaled products read them.

The layout is that of cuBLAS, CUTLASS and PyTorch for sm_100 and sm_120 alike: 512 bytes for a band of 128 rows and four factors
along K, of which 16 neighbours are those of rows r, r + 32, r + 64 and r + 96. An mma takes four factors of a row in a register,
and those of two rows of A, or of one of B, from chosen threads of each four: where row r of 32 is that of thread r // 8 of quad
r % 8, a lane reads what no other lane has, for all of a warp's products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder import u32
from ptxgen.builder.tiles.block_scaled import find_format
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from ptxgen.builder import Builder, TensorMap
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.tiles.pipeline import Stage

__all__ = ["BAND", "WORD", "FactorTile", "factor_tile"]

BAND = 128
"""Rows whose factors lie together."""

LINES, LINE = 8, 16
"""Those of them and four along K: lines, and the words of each."""

WORD = 4
"""Factors of a word."""

GROUP = 32
"""Rows of which each lane has one."""


class FactorTile:
    """The factors of a tile of `rows` rows: `bands` of 128, of which `tile` has the lines, `words` along K after each other. A
    word may be that of several steps of the ring, of which each has `count` factors."""

    __slots__ = ("bands", "count", "k", "tile", "words")

    def __init__(self, k: Builder, tile: DeviceTile, bands: int, words: int, count: int) -> None:
        self.k: Builder = k
        self.tile: DeviceTile = tile
        self.bands: int = bands
        self.words: int = words
        self.count: int = count

    def load(self, tensor: TensorMap, stage: Stage, band: u32, matrix: u32) -> None:
        """Copy those of a stage, from a matrix's band on, through a map of u32 (matrices, bands, lines along K, 16); its barrier
        counts the bytes. What lies outside of the tensor arrives as zeros. One thread executes it."""
        lines = LINES * self.words
        first = stage.step * self.count // (WORD * self.words) * lines
        for number in range(self.bands):
            part = self.tile[stage.index].part(number * lines, rows=lines)
            tensor.load(part, (0, first, band + number, matrix), stage.barrier)

    def of(self, first: u32, rows: int) -> FactorRows:
        """Those of a warp's `rows` rows from row `first` on, a multiple of their number: found once for all stages."""
        lane = self.k.tid.x % 32
        row = lane % 4 * 8 + lane // 4
        band, group = first // BAND, first % BAND // GROUP
        offset = self.tile.offset_of(band * (LINES * self.words) + row // 4, row % 4 * 4) + group * 4
        return FactorRows(self, offset, rows // GROUP)


class FactorRows:
    """The factors of a warp's rows. A lane has those of one row of each 32."""

    __slots__ = ("groups", "offset", "tile")

    def __init__(self, tile: FactorTile, offset: u32, groups: int) -> None:
        self.tile: FactorTile = tile
        self.offset: u32 = offset
        self.groups: int = groups

    def read(self, stage: Stage, blocks: u32, row: u32 | int = 0) -> list[list[u32]]:
        """Those of a stage, as `add_product` takes them. K has `blocks` of them in all: what stands behind is taken as the
        smallest factor, since it may be a NaN. The warp's rows begin `row` rows further."""
        about, found = self.tile, []
        tile = about.tile[stage.index]
        for word in range(about.words):
            place = tile.beyond(self.offset, word * LINES).at(row // GROUP)
            values = list(place.vectors(self.groups).load()) if self.groups > 1 else [place.load()]
            if about.count < WORD:
                values = [value >> stage.step * about.count * 8 % 32 for value in values]
            mask = _mask(about.k, blocks - stage.step * about.count, word)
            found.append([value & mask for value in values])
        return found


def _mask(k: Builder, rest: u32, word: int) -> u32:
    """The bits of a word's factors, of which there are `rest` from word 0 on."""
    behind = rest - k.min(rest, WORD * word) if word else rest
    return (k.const(u32, 1) << k.min(behind, WORD) * 8) - 1  # shl by 32 gives 0


def factor_tile(k: Builder, rows: int, columns: int, format: str, *, stages: int) -> FactorTile:
    """Planned shared memory for the factors of tiles of `rows` by `columns` elements, in stages. A tile of fewer than 128 rows
    has those of a whole band."""
    count, rest = divmod(columns, find_format(format).block)
    words = max(1, count // WORD)
    if rest or count not in (1, 2, 4 * words) or (rows % BAND and BAND % rows):
        raise BuildError(
            f"factors of a tile of {rows} x {columns} {format}",
            hint="128 rows, or a part or multiple of them; columns of 1, 2 or 4 blocks, or a multiple of 4",
        )
    bands = max(1, rows // BAND)
    lines = k.tile(u32, (bands * words * LINES, LINE), stages=stages, swizzle="64B")
    return FactorTile(k, lines, bands, words, count)
