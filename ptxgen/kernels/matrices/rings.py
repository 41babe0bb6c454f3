"""The shared memory of a CTA of templates/gemv_blocks.ptx.j2: the activations, and rings of stages that bulk copies fill.

All activations are there from the beginning, so that what a product may have of them is limited, and so is the number of stages.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.kernels.matrices.ggml import FORMATS
from ptxgen.kernels.matrices.scaled_codes import CODES
from ptxgen.kernels.plan import ceil_div

if TYPE_CHECKING:
    from ptxgen.kernels.matrices.ggml import Format
    from ptxgen.kernels.matrices.scaled_codes import Codes

__all__ = ["PIECE", "ROWS", "Ring", "pays", "pitch_of", "ring_for", "width_of"]

PIECE = 256
"""Elements of a row that a warp takes at a time."""
ROWS = 16
"""Rows that warps take together."""
WARPS = 8
TEAMS = 2
"""Of eight warps, and one that copies. More of them are faster, but for their registers."""
STAGES = 4
"""At most; more gain nothing on an H200."""
MOST = 8
"""Columns."""
LONG = 24_000
"""Rows for which q6_k is faster: its numbers take the most to unpack, and the beginning of a kernel is longer."""


class Ring(NamedTuple):
    """Teams of a CTA, stages of each, and the dynamic shared memory of all, in bytes."""

    teams: int
    stages: int
    shared: int

    @property
    def template(self) -> str:
        """Its file."""
        return "gemv_blocks.ptx.j2"

    @property
    def threads(self) -> int:
        """Of a CTA."""
        return 32 * self.teams * (WARPS + 1)

    @property
    def parameters(self) -> dict[str, int]:
        """Those of the template."""
        return {"teams": self.teams, "stages": self.stages}


def width_of(batch: int) -> int:
    """Columns that the kernel is made for."""
    return 1 if batch == 1 else MOST


def pays(format: str, rows: int, batch: int) -> bool:
    """Whether it is faster than the other kernel, as measured on an H200."""
    if format == "q6_k":
        return batch > 4 or (batch == 1 and rows >= LONG)
    return batch != 2 and (format != "e4m3" or batch not in (3, 4))


def ring_for(format: str, columns: int, batch: int, room: int) -> Ring | None:
    """For a CTA that may have so many bytes of shared memory; None where the activations leave too few of them for two stages."""
    about: Format | Codes = FORMATS.get(format) or CODES[format]
    width, units = width_of(batch), PIECE // 32 * ceil_div(columns, PIECE)
    record = 16 if format == "q6_k" else 8
    if width == 1:
        fixed = units * (64 + record) + 128
    else:
        fixed = (batch + batch % 2) * (64 * units + 64) + MOST * units * record + 576
    slot = ROWS * pitch_of(about, columns % PIECE == 0, WARPS, behind=18)
    sums, barriers = 4 * ROWS * width * WARPS, 16
    stages = min(STAGES, (room - fixed) // (TEAMS * (slot + sums + barriers)))
    return Ring(TEAMS, stages, fixed + TEAMS * stages * slot) if stages > 1 else None


def pitch_of(about: Format | Codes, whole: bool, pieces: int, *, skew: int = 1, behind: int = 14) -> int:
    """Bytes from row to row of a stage with so many pieces of each: an odd number of 16, so that eight rows begin in different
    banks; with a `skew`, so many times 16 more than the pieces. Rows that do not begin at multiples of 16 bytes are copied from
    the one below on, and have `behind` bytes more."""
    bytes_ = about.bytes * PIECE // about.elements
    aligned = bytes_ % 16 == 0 and (whole or about.bytes % 16 == 0)
    chunks = ceil_div(pieces * bytes_ + (0 if aligned else behind), 16)
    return 16 * (chunks | 1 if skew == 1 else chunks + skew)
