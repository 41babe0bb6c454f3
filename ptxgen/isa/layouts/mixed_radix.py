"""A layout: which place (lane, register, slice) holds which element (row, column) of a matrix.

It is written as digits. A place's lane, register and slice are each a number in mixed radix, lowest digit first, and every
digit moves through the matrix by a step of its own:

    lane 4:2c 8:r   register 2:8r 2:8c   slice 2:c

reads: the lowest digit of the lane counts 4 and moves two columns a count, the next counts 8 and moves one row; the register's
digits move 8 rows and 8 columns; the slice (the element within the register, from its lowest bits) moves one column. `4:0`
is a digit that moves nothing: its values all hold the same element. `4:=1` is a digit of which only the value 1 holds
anything. So a layout is a few numbers, the map is a sum, and its inverse a division per digit.
"""

from __future__ import annotations

from itertools import product
from math import prod

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.errors import PtxError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Digit", "Layout", "LayoutError", "MatrixElement", "RegisterPlace", "TensorMemoryPlace"]


class LayoutError(PtxError):
    """A layout, tile or descriptor that does not exist, or a question outside of it."""


class MatrixElement(NamedTuple):
    """A matrix element's position."""

    row: int
    column: int


class RegisterPlace(NamedTuple):
    """Where an element lies in registers. `slice` counts elements within the register, from the lowest bits.

    In a warpgroup's layout the lane is 0 to 127: 32 * (warp within the warpgroup) + %laneid.
    """

    lane: int
    register: int
    slice: int = 0


class TensorMemoryPlace(NamedTuple):
    """Where an element lies in tensor memory: `cta` within the CTA pair, lane (manual: datapath), 32-bit column.

    `slice` counts elements within the column's 32 bits, from the lowest.
    """

    cta: int
    lane: int
    column: int
    slice: int = 0


class Digit(NamedTuple):
    """`way`: "r" or "c" (each count moves `step` rows or columns), "0" (moves nothing), "=" (only the value `step` is used)."""

    size: int
    step: int
    way: str

    def __str__(self) -> str:
        if self.way == "0":
            return f"{self.size}:0"
        if self.way == "=":
            return f"{self.size}:={self.step}"
        return f"{self.size}:{self.step if self.step != 1 else ''}{self.way}"


def _digits(text: str) -> tuple[Digit, ...]:
    found = []
    for word in text.split():
        size, _, move = word.partition(":")
        if int(size) == 1:
            continue
        if move == "0":
            found.append(Digit(int(size), 0, "0"))
        elif move.startswith("="):
            found.append(Digit(int(size), int(move[1:]), "="))
        else:
            found.append(Digit(int(size), int(move[:-1] or 1), move[-1]))
    return tuple(found)


_DRAWN = 1024
"""Elements of the largest matrix that a notebook shows as a drawing."""


class Layout:
    """The layout of one operand. Iterating gives (place, element) in the order of places.

    `name` says whose it is; `shape` is (rows, columns) of the matrix as it is stored; `type` the PTX type of an element, and
    `bits` the room one element takes in a register, in which it starts at bit `shift`. `source` is the manual's section, or
    what else the layout is known from. `axes` maps the parts of a place to their digits.
    """

    __slots__ = ("axes", "bits", "name", "note", "operand", "shape", "shift", "source", "type")

    def __init__(
        self,
        name: str,
        operand: str,
        type: str,
        shape: tuple[int, int],
        axes: dict[str, str],
        *,
        bits: int,
        shift: int = 0,
        source: str = "",
        note: str = "",
    ) -> None:
        self.name: str = name
        self.operand: str = operand
        self.type: str = type
        self.shape: tuple[int, int] = shape
        self.axes: dict[str, tuple[Digit, ...]] = {axis: _digits(text) for axis, text in axes.items()}
        self.bits: int = bits
        self.shift: int = shift
        self.source: str = source
        self.note: str = note
        self._check("r", shape[0])
        self._check("c", shape[1])

    def _check(self, way: str, extent: int) -> None:
        """The digits that move one way, sorted by step, count every row (column) once: that makes the map invertible."""
        reached = 1
        for digit in sorted((d for digits in self.axes.values() for d in digits if d.way == way), key=lambda d: d.step):
            if digit.step != reached:
                raise LayoutError(f"{self.name}.{self.operand}: digit {digit} after {reached} in {self.formula}")
            reached *= digit.size
        if reached != extent:
            raise LayoutError(f"{self.name}.{self.operand}: {self.formula} reaches {reached}{way} of {extent}")

    # ---- what it is ---------------------------------------------------------------------------------------------------

    @property
    def formula(self) -> str:
        """The digits as text, in the notation that the module describes."""
        return "   ".join(f"{axis} {' '.join(map(str, digits)) or '1'}" for axis, digits in self.axes.items())

    def size(self, axis: str) -> int:
        """How many values a part of a place has: `layout.size("register")`."""
        if axis not in self.axes:
            raise LayoutError(
                f"{self.name}.{self.operand} has no {axis}s", hint=f"its places are {', '.join(self.axes)}"
            )
        return prod(digit.size for digit in self.axes[axis])

    @property
    def lanes(self) -> int:
        """Lanes that take part: 32 of a warp, 128 of a warpgroup or of tensor memory."""
        return self.size("lane")

    @property
    def registers(self) -> int:
        """Registers of the operand in each lane."""
        return self.size("register")

    @property
    def slices(self) -> int:
        """Elements in one register (or in one 32-bit column of tensor memory)."""
        return self.size("slice")

    @property
    def register_bits(self) -> int:
        """Bits of one register: 64 for f64, else 32."""
        return max(32, self.bits * self.slices)

    @property
    def copies(self) -> int:
        """How many places hold each element: 1, or more where it is replicated."""
        return prod(digit.size for digits in self.axes.values() for digit in digits if digit.way == "0")

    def __repr__(self) -> str:
        return f"<{self.name}.{self.operand}: {self.shape[0]}x{self.shape[1]} {self.type}; {self.formula}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "name": self.name, "operand": self.operand, "type": self.type, "shape": list(self.shape), "bits": self.bits,
            "shift": self.shift, "copies": self.copies, "source": self.source, "note": self.note,
            "axes": {axis: [list(digit) for digit in digits] for axis, digits in self.axes.items()},
        }  # fmt: skip

    # ---- both directions ------------------------------------------------------------------------------------------------

    def _place(self, *parts: int) -> Any:
        return RegisterPlace(*parts) if "register" in self.axes else TensorMemoryPlace(*parts)

    def element(self, *place: int) -> MatrixElement | None:
        """The element at a place: `layout.element(lane, register, slice)`, or `layout.element(*where)`; trailing parts may
        be left out and are 0. None where nothing lies. Raises LayoutError for a place outside of the operand.
        """
        if len(place) > len(self.axes):
            raise LayoutError(f"{self.name}.{self.operand}: a place has {len(self.axes)} parts: {', '.join(self.axes)}")
        row = column = 0
        for (axis, digits), part in zip(self.axes.items(), (*place, *(0,) * (len(self.axes) - len(place)))):
            if not 0 <= part < self.size(axis):
                raise LayoutError(
                    f"{self.name}.{self.operand} has no {axis} {part}", hint=f"{axis}s are 0 to {self.size(axis) - 1}"
                )
            for size, step, way in digits:
                part, value = divmod(part, size)
                if way == "r":
                    row += value * step
                elif way == "c":
                    column += value * step
                elif way == "=" and value != step:
                    return None
        return MatrixElement(row, column)

    def owners(self, row: int, column: int) -> tuple[Any, ...]:
        """Every place that holds an element, lowest first. Raises LayoutError for one outside of the matrix."""
        rows, columns = self.shape
        for what, given, extent in (("row", row, rows), ("column", column, columns)):
            if not 0 <= given < extent:
                raise LayoutError(
                    f"{self.name}.{self.operand} has no {what} {given}",
                    hint=f"it is {rows}x{columns}: {what}s are 0 to {extent - 1}",
                )
        choices = []
        for digits in self.axes.values():
            values: list[int] = [0]
            weight = 1
            for size, step, way in digits:
                if way == "0":
                    each: Sequence[int] = range(size)
                else:
                    each = (step,) if way == "=" else (((row if way == "r" else column) // step) % size,)
                values = [value + weight * one for one in each for value in values]
                weight *= size
            choices.append(sorted(values))
        return tuple(self._place(*parts) for parts in product(*choices))

    def where(self, row: int, column: int) -> Any:
        """The place that holds an element (the first one, if it is replicated: see `owners`)."""
        return self.owners(row, column)[0]

    def __iter__(self) -> Iterator[tuple[Any, MatrixElement]]:
        for parts in product(*(range(self.size(axis)) for axis in self.axes)):
            element = self.element(*parts)
            if element is not None:
                yield self._place(*parts), element

    # ---- values ---------------------------------------------------------------------------------------------------------

    def pack(self, matrix: Any, *, raw: bool = False) -> list[list[int]]:
        """A matrix as the registers of each lane: result[lane][register] is a register's bits.

        `matrix[row][column]` are numbers, rounded to nearest even into the layout's type; or with `raw`, an element's bits.
        Places without an element are 0. Raises LayoutError for a matrix of another shape or a number that the type
        cannot hold.
        """
        from ptxgen.isa.layouts.numbers import encode

        rows, columns = self.shape
        if len(matrix) != rows or any(len(matrix[row]) != columns for row in range(rows)):
            found = f"{len(matrix)}x{len(matrix[0]) if len(matrix) else 0}"
            raise LayoutError(f"{self.name}.{self.operand} is {rows}x{columns}, not {found}")
        lanes = [[0] * self.registers for _ in range(self.lanes)]
        for (lane, register, piece), (row, column) in self:
            value = matrix[row][column]
            bits = int(value) & ((1 << self.bits) - 1) if raw else encode(value, self.type)
            lanes[lane][register] |= bits << (piece * self.bits + (0 if raw else self.shift))
        return lanes

    def unpack(self, registers: Any, *, raw: bool = False) -> list[list[Any]]:
        """The matrix that registers hold: `registers[lane][register]` are bits. The inverse of `pack`.

        Raises LayoutError where the copies of a replicated element differ.
        """
        from ptxgen.isa.layouts.numbers import decode

        rows, columns = self.shape
        matrix: list[list[Any]] = [[None] * columns for _ in range(rows)]
        for (lane, register, piece), (row, column) in self:
            bits = (int(registers[lane][register]) >> (piece * self.bits)) & ((1 << self.bits) - 1)
            value = bits if raw else decode(bits >> self.shift, self.type)
            known = matrix[row][column]
            if known is not None and known != value and value == value:
                raise LayoutError(
                    f"{self.name}.{self.operand}: copies of row {row}, column {column} differ: {known} and {value}"
                )
            matrix[row][column] = value
        return matrix

    # ---- pictures -------------------------------------------------------------------------------------------------------

    def text(self, *, view: str = "matrix", width: int = 120) -> str:
        """The layout drawn as text: "matrix" shows who holds each element, "lanes" what each lane holds."""
        from ptxgen.isa.layouts.draw import text

        return text(self, view=view, width=width)

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, listing

        rows, columns = self.shape
        return self.svg() if rows * columns <= _DRAWN else box(repr(self), listing(self.text()))

    def svg(self, *, colour: str = "lane") -> str:
        """The layout drawn as an SVG document, cells coloured by "lane" or by "register"."""
        from ptxgen.isa.layouts.draw import svg

        return svg(self, colour=colour)
