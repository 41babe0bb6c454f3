"""Products of elements that share factors of scale in blocks along K: the sums of a warp on sm_120a (manual 9.7.14.3).

The factors of an operand are in the layout that cuBLAS, CUTLASS and PyTorch have for sm_100 and sm_120 alike: 512 bytes for 128
rows and four factors along K, of which 16 neighbours are those of rows r, r + 32, r + 64 and r + 96. An mma takes four factors
of a row in a register, and those of two rows of A, or of one of B, from chosen threads of each quad: with row r in the lane
that has r // 8 in its quad, a lane reads what no other lane has, for all of a warp's products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.device_tile import tile
from ptxgen.builder.tiles.fragments import lane_of
from ptxgen.builder.tiles.mma import MmaSums, check_extents, has_scaled, scaled_way
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import e4m3, e5m2, u8, u32

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.tiles.pipeline import Stage
    from ptxgen.builder.tiles.tensor_maps import TensorMap

__all__ = ["BAND", "BLOCK_FORMATS", "BlockFormat", "FactorTile", "block_scaled_sums", "factor_tile"]

BAND = 128
"""Rows whose factors lie together."""

LINES, LINE = 8, 16
"""Those of them and four along K: lines, and the words of each."""

WORD = 4
"""Factors of a word."""

GROUP = 32
"""Rows of which each lane has one."""


class BlockFormat(NamedTuple):
    """Elements of `bits`, `block` of which along K share a factor, and the kind of mma that takes them."""

    kind: str
    bits: int
    block: int
    factor: str

    def factors(self, elements: Any) -> Any:
        """Of so many elements along K, the last block's among them."""
        return (elements + (self.block - 1)) // self.block


BLOCK_FORMATS = {
    "mxfp8": BlockFormat("mxf8f6f4", 8, 32, "ue8m0"),
    "mxfp4": BlockFormat("mxf4", 4, 32, "ue8m0"),
    "nvfp4": BlockFormat("mxf4nvf4", 4, 16, "ue4m3"),
}
"""OCP's microscaling formats and NVIDIA's: elements of e4m3 or e5m2 ("mxfp8"), or of e2m1, two a byte, the first one lowest."""


def block_scaled_sums(
    k: FunctionBuilder, rows: int, columns: int, format: str, elements: tuple[Any, Any] = (e4m3, e4m3)
) -> MmaSums:
    """Sums of a warp as `k.warp_sums`, whose `add_product` takes factors of each block. `format` is one of `BLOCK_FORMATS`,
    `elements` those of A and of B where they are of 8 bits; tiles of e2m1 are of u8. sm_120a."""
    about = _found(format)
    check_extents(rows, columns, GROUP)
    if not has_scaled(k):
        raise build_error("PTX220", f"{format} on {k.target}", expected="sm_120a")
    if about.bits == 8 and not set(elements) <= {e4m3, e5m2}:
        raise build_error("PTX220", f"{format} of {elements!r:.80}", expected="e4m3 or e5m2")
    left, right = (each.isa.name for each in elements) if about.bits == 8 else ("e2m1", "e2m1")
    return MmaSums(
        k, rows, columns, elements[1] if about.bits == 8 else u8, scaled_way(about.kind, left, right, about.factor)
    )


def _found(format: str) -> BlockFormat:
    about = BLOCK_FORMATS.get(format)
    if about is None:
        raise build_error("PTX201", f"the format {format!r}", expected=", ".join(BLOCK_FORMATS))
    return about


class FactorTile:
    """The factors of a tile of `rows` rows: `bands` of 128, of which `tile` has the lines, `words` along K after each other. A
    word may be that of several steps of the ring, of which each has `count` factors."""

    __slots__ = ("bands", "count", "tile", "words")

    def __init__(self, tile: DeviceTile, bands: int, words: int, count: int) -> None:
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
        lane = lane_of(self.tile.builder)
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
            mask = _mask(tile.builder, blocks - stage.step * about.count, word)
            found.append([value & mask for value in values])
        return found


def _mask(k: FunctionBuilder, rest: u32, word: int) -> u32:
    """The bits of a word's factors, of which there are `rest` from word 0 on."""
    behind = rest - arithmetic.minimum(k, rest, WORD * word) if word else rest
    bits = arithmetic.minimum(k, behind, WORD) * 8
    return (arithmetic.constant(k, u32, 1) << bits) - 1  # shl by 32 gives 0


def factor_tile(k: FunctionBuilder, rows: int, columns: int, format: str, *, stages: int) -> FactorTile:
    """Planned shared memory for the factors of tiles of `rows` by `columns` elements, in stages. A tile of fewer than 128 rows
    has those of a whole band."""
    count, rest = divmod(columns, _found(format).block)
    words = max(1, count // WORD)
    if rest or count not in (1, 2, 4 * words) or (rows % BAND and BAND % rows):
        raise build_error(
            "PTX221", f"factors of a tile of {rows} x {columns} {format}",
            expected="128 rows, or a part or multiple of them; columns of 1, 2 or 4 blocks, or a multiple of 4",
        )  # fmt: skip
    bands = max(1, rows // BAND)
    return FactorTile(tile(k, u32, (bands * words * LINES, LINE), stages=stages, swizzle="64B"), bands, words, count)
