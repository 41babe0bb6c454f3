"""A tile of A or B in shared memory as the tensor cores read it: which byte holds which element, and the descriptors of it.

The canonical layouts of manual 9.7.15.5.1.2 (wgmma) and 9.7.16.3.3 (tcgen05). They are built of atoms: 8 lines of `span` bytes,
`span` being the swizzle's (16 without one: a core matrix of 8 x 16 bytes). K-major: a line is a row of the matrix (a column of
B), the bytes of a line go along K. MN-major: a line is a position along K, its bytes go along M (or N).

The manual leaves the two strides between atoms to the program. Here atoms follow each other along the lines first, so that a
block of `span` bytes by all lines is what one tensor copy with a box of that width writes.
"""

from __future__ import annotations

from functools import cached_property
from numbers import Integral
from typing import Any, overload

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.layouts.descriptors import Tcgen05Descriptor, WgmmaDescriptor
from ptxgen.isa.layouts.mixed_radix import LayoutError, MatrixElement
from ptxgen.isa.layouts.numbers import element_bits
from ptxgen.isa.layouts.swizzle import Swizzle, find_swizzle

__all__ = ["SharedTile"]

STEP = 32
"""Bytes along K that one wgmma or tcgen05.mma takes of A and B (manual 9.7.15.2: K is 256 bits)."""


def _sum(*terms: Any) -> Any:
    """The sum, with Python's integers added up first, and left out where they are 0."""
    constant: Any = 0
    found: Any = None
    for each in terms:
        if isinstance(each, (int, Integral)):
            constant += each
        else:
            found = each if found is None else found + each
    return constant if found is None else found + constant if constant else found


class _Stated(NamedTuple):
    rows: int
    columns: int
    type: str
    major: str = "K"
    swizzle: str = "128B"


class SharedTile(_Stated):
    """A tile in shared memory: `rows` along M (or N) by `columns` along K, of a PTX type, in one of the canonical layouts.

    B is taken as N x K: `rows` counts its columns. `major` is "K" or "MN"; `swizzle` one of `SWIZZLES`. Offsets are bytes
    from the tile's start, which must be a multiple of `alignment`. Raises LayoutError for a tile that has no such layout.
    """

    def __init__(self, rows: int, columns: int, type: str, major: str = "K", swizzle: str = "128B") -> None:
        if self.major not in ("K", "MN"):
            raise LayoutError(f"a tile cannot be {self.major!r}-major", hint='"K" or "MN"')
        pattern, each = self.pattern, self.per_line
        if pattern.flip or pattern.atom == 64:
            raise LayoutError(
                f"the tensor cores do not read swizzle {pattern.name}", hint="tensor copies alone have it"
            )
        if pattern.atom == 32 and (self.major == "K" or self.bits != 32):
            raise LayoutError(
                f"{self.major}-major {self.type} with swizzle {pattern.name}", hint="MN-major 32-bit types only"
            )
        if self.major == "MN" and self.bits < 8:
            raise LayoutError(f"MN-major {self.type}", hint='major="K"')
        along, across = (self.columns, self.rows) if self.major == "K" else (self.rows, self.columns)
        if along % each or across % self.lines or along < each or across < self.lines:
            names = ("columns", "rows") if self.major == "K" else ("rows", "columns")
            raise LayoutError(
                f"a tile of {self.rows}x{self.columns} {self.type}, {self.major}-major with swizzle {pattern.name}",
                hint=f"{names[0]} in multiples of {each} ({pattern.span} bytes), {names[1]} of {self.lines}",
            )

    # ---- its measures -----------------------------------------------------------------------------------------------------

    @cached_property
    def bits(self) -> int:
        """Bits of an element in memory."""
        return element_bits(self.type)

    @cached_property
    def pattern(self) -> Swizzle:
        """The swizzle."""
        return find_swizzle(self.swizzle)

    @property
    def per_line(self) -> int:
        """Elements in one line of an atom."""
        return self.pattern.span * 8 // self.bits

    @property
    def lines(self) -> int:
        """Lines of an atom: 8, or 4 where the atomicity is 32 bytes."""
        return 4 if self.pattern.atom == 32 else 8

    @property
    def bytes(self) -> int:
        """Size of the tile."""
        return self.rows * self.columns * self.bits // 8

    @property
    def alignment(self) -> int:
        """What the tile's address must be a multiple of for a base offset of 0."""
        return max(self.pattern.pattern, 16)

    @property
    def atom(self) -> int:
        """Bytes of an atom; what follows after it along the lines is that far away."""
        return self.lines * self.pattern.span

    @property
    def block(self) -> int:
        """Bytes of a column of atoms: `span` bytes by all lines; the next block along a line is that far away."""
        return self.pattern.span * (self.rows if self.major == "K" else self.columns)

    @property
    def leading(self) -> int:
        """The leading dimension byte offset of the descriptors."""
        if self.pattern.name == "none":
            return self.block if self.major == "K" else self.atom
        return 16 if self.major == "K" else self.block  # K-major with a swizzle: not used, assumed to be 1 (times 16)

    @property
    def stride(self) -> int:
        """The stride dimension byte offset of the descriptors."""
        return self.block if self.pattern.name == "none" and self.major == "MN" else self.atom

    # ---- both directions ----------------------------------------------------------------------------------------------------

    # Rows and columns are Python's integers or a builder's; for the latter, which are not checked, instructions are emitted.

    @overload
    def plain_offset(self, row: int, column: int) -> int: ...
    @overload
    def plain_offset(self, row: Any, column: Any) -> Any: ...
    def plain_offset(self, row: Any, column: Any) -> Any:
        """The byte offset before the swizzle: what a tensor copy without one would use."""
        self._check(row, column)
        line, along = (row, column) if self.major == "K" else (column, row)
        per_line, bits = self.per_line, self.bits
        one_block = per_line == (self.columns if self.major == "K" else self.rows)
        blocks, within = (0, along) if one_block else (along // per_line, along % per_line)
        return _sum(
            blocks * self.block,
            line * self.pattern.span,
            within * (bits // 8) if bits >= 8 else within // (8 // bits),
        )

    @overload
    def offset(self, row: int, column: int) -> int: ...
    @overload
    def offset(self, row: Any, column: Any) -> Any: ...
    def offset(self, row: Any, column: Any) -> Any:
        """The byte offset of an element from the tile's start (of the byte that holds it, for 4-bit types)."""
        return self.pattern.apply(self.plain_offset(row, column))

    def element(self, offset: int) -> MatrixElement:
        """The element whose first bits lie at a byte offset. Raises LayoutError outside of the tile."""
        if not 0 <= offset < self.bytes:
            raise LayoutError(f"offset {offset} in a tile of {self.bytes} bytes", hint=f"0 to {self.bytes - 1}")
        blocks, rest = divmod(self.pattern.apply(offset), self.block)
        line, within = divmod(rest, self.pattern.span)
        along = blocks * self.per_line + within * 8 // self.bits
        return MatrixElement(line, along) if self.major == "K" else MatrixElement(along, line)

    def _check(self, row: Any, column: Any) -> None:
        for what, given, extent in (("row", row, self.rows), ("column", column, self.columns)):
            if isinstance(given, (int, Integral)) and not 0 <= int(given) < extent:
                raise LayoutError(
                    f"no {what} {given} in a tile of {self.rows}x{self.columns}", hint=f"0 to {extent - 1}"
                )

    # ---- descriptors --------------------------------------------------------------------------------------------------------

    def start(self, row: int = 0, column: int = 0) -> int:
        """The byte offset that a descriptor of the part from (row, column) on starts at.

        Rows in whole atoms; columns in steps of 32 bytes along K (16 bytes without a swizzle). Within an atom's line the
        address is simply advanced: the hardware swizzles whole addresses, so the base offset stays 0.
        """
        self._check(row, column)
        if self.major == "K":
            whole = row % self.lines == 0 and column * self.bits % (128 if self.pattern.name == "none" else 256) == 0
        else:
            whole = row % self.per_line == 0 and column % self.lines == 0
        if not whole:
            raise LayoutError(
                f"no descriptor starts at row {row}, column {column}",
                hint=f"rows of whole atoms ({self.lines if self.major == 'K' else self.per_line}), columns of one step along K",
            )
        return self.plain_offset(row, column)

    def wgmma(self, address: int, row: int = 0, column: int = 0) -> WgmmaDescriptor:
        """The descriptor of the part from (row, column) on, for a tile at `address`: give `column` for each step along K."""
        self._aligned(address)
        if self.major == "MN" and self.bits != 16:
            raise LayoutError(f"wgmma reads {self.type} K-major only", hint='major="K" (9.7.15.5.2)')
        if self.pattern.atom == 32:
            raise LayoutError(f"wgmma has no swizzle {self.pattern.name}")
        at = address + self.start(row, column)
        return WgmmaDescriptor(at & 0x3FFFF, self.leading, self.stride, self.pattern.name)

    def tcgen05(self, address: int, row: int = 0, column: int = 0) -> Tcgen05Descriptor:
        """The same for tcgen05.mma."""
        self._aligned(address)
        if self.major == "MN" and self.bits == 32 and self.pattern.atom != 32:
            raise LayoutError(
                "tcgen05 reads MN-major 32-bit types with 32-byte atoms only", hint='swizzle="128B_ATOM_32B"'
            )
        at = address + self.start(row, column)
        return Tcgen05Descriptor(at & 0x3FFFF, self.leading, self.stride, self.pattern.name)

    def _aligned(self, address: int) -> None:
        if address % self.alignment:
            raise LayoutError(
                f"a tile with swizzle {self.pattern.name} at {address:#x}", hint=f"align it to {self.alignment} bytes"
            )
