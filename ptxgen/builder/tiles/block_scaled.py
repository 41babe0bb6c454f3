"""Sums of products of elements that share factors of scale in blocks along K: mma of sm_120a (manual 9.7.14.3)."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.mma import MmaSums, check_extents, has_scaled, scaled_way
from ptxgen.builder.values.scalars import e4m3, e5m2, u8

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["BLOCK_FORMATS", "BlockFormat", "block_scaled_sums", "find_format"]


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
    about = find_format(format)
    check_extents(rows, columns, 32)
    if not has_scaled(k):
        raise build_error("PTX220", f"{format} on {k.target}", expected="sm_120a")
    if about.bits == 8 and not set(elements) <= {e4m3, e5m2}:
        raise build_error("PTX220", f"{format} of {elements!r:.80}", expected="e4m3 or e5m2")
    left, right = (each.isa.name for each in elements) if about.bits == 8 else ("e2m1", "e2m1")
    return MmaSums(
        k, rows, columns, elements[1] if about.bits == 8 else u8, scaled_way(about.kind, left, right, about.factor)
    )


def find_format(format: str) -> BlockFormat:
    """One of `BLOCK_FORMATS`. BuildError for another."""
    about = BLOCK_FORMATS.get(format)
    if about is None:
        raise build_error("PTX201", f"the format {format!r}", expected=", ".join(BLOCK_FORMATS))
    return about
