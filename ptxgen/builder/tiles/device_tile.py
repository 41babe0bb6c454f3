"""A tile of a matrix in planned shared memory: addresses, descriptors and pointers of its parts, with its swizzle."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.alignment import Alignment
from ptxgen.builder.memory.arrays import known_index
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.tiles.addresses import address_at
from ptxgen.builder.values.scalars import u32, u64
from ptxgen.ir import Symbol
from ptxgen.isa.layouts.mixed_radix import LayoutError
from ptxgen.isa.types import ScalarType

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.ir import Address
    from ptxgen.isa.layouts.shared import SharedTile

__all__ = ["DeviceTile", "start_of_plan", "tile"]


class DeviceTile:
    """A tile of `rows` along M (or N) by `columns` along K, in one or more stages; `tile[stage]` is that of one stage.

    `layout` says which byte holds which element: the part's own start is `offset` bytes after what `register` holds (the
    start of the planned memory where there is no register). `part` is a tile within the tile.
    """

    __slots__ = ("builder", "columns", "element", "layout", "offset", "register", "rows", "stages")

    def __init__(
        self,
        k: FunctionBuilder,
        element: Any,
        layout: SharedTile,
        offset: int,
        *,
        stages: tuple[int, ...] = (),
        register: u32 | None = None,
        rows: int = 0,
        columns: int = 0,
    ) -> None:
        self.builder: FunctionBuilder = k
        self.element: Any = element
        self.layout: SharedTile = layout
        self.offset: int = offset
        self.stages: tuple[int, ...] = stages
        self.register: u32 | None = register
        self.rows: int = rows or layout.rows
        self.columns: int = columns or layout.columns

    def __repr__(self) -> str:
        stages = f" in {'x'.join(map(str, self.stages))} stages" if self.stages else ""
        return f"<tile of {self.rows}x{self.columns} {self.layout.type}{stages}>"

    @property
    def bytes(self) -> int:
        """Size of one stage."""
        return self.rows * self.columns * self.layout.bits // 8

    # ---- parts ----------------------------------------------------------------------------------------------------------

    def __getitem__(self, stage: Any) -> DeviceTile:
        """The tile of one stage: a Python integer or a device value below the number of stages, of each dimension of them."""
        places = stage if isinstance(stage, tuple) else (stage,)
        if len(places) != len(self.stages):
            raise build_error("PTX202", f"{len(places)} indices into the stages {self.stages} of {self!r}")
        found, each = self, self.layout.bytes * math.prod(self.stages)
        for place, extent in zip(map(known_index, places), self.stages):
            if isinstance(place, int) and not 0 <= place < extent:
                raise build_error("PTX221", f"stage {place} of {self!r}", expected=f"0 to {extent - 1}")
            each //= extent
            found = found._moved(place * each)
        found.stages = ()
        return found

    def part(self, row: Any = 0, column: Any = 0, *, rows: int | None = None, columns: int | None = None) -> DeviceTile:
        """The tile from (row, column) on, by default to the end; a device value is a multiple of whole atoms of the swizzle
        (8 rows and 128 bytes of a K-major tile with 128B), which is checked for Python's integers alone."""
        row, column = known_index(row), known_index(column)
        found = []
        for what, first, extent, asked in (("row", row, self.rows, rows), ("column", column, self.columns, columns)):
            known = first if isinstance(first, int) else 0
            size = extent - known if asked is None else asked
            if known < 0 or size < 1 or known + size > extent:
                raise build_error(
                    "PTX221", f"{size} {what}s from {known} on in {self!r}", expected=f"within {extent} {what}s"
                )
            found.append(size)
        try:
            self.layout.start(*[each if isinstance(each, int) else 0 for each in (row, column)])
        except LayoutError as wrong:
            raise build_error("PTX221", str(wrong.args[0]), hint=wrong.hint) from None
        moved = self._moved(self.layout.plain_offset(row, column))
        moved.rows, moved.columns = found
        return moved

    def _moved(self, by: Any) -> DeviceTile:
        """The same so many bytes further."""
        register, offset = self.register, self.offset
        if isinstance(by, int):
            offset += by
        else:
            register = by + self._base()
        return DeviceTile(
            self.builder,
            self.element,
            self.layout,
            offset,
            stages=self.stages,
            register=register,
            rows=self.rows,
            columns=self.columns,
        )

    def _check_stage(self) -> None:
        """BuildError for what is asked of one stage where none was chosen: it would be the first one."""
        if math.prod(self.stages) > 1:
            raise build_error("PTX202", f"no stage of {self!r} is chosen", hint="tile[stage]")

    # ---- addresses ------------------------------------------------------------------------------------------------------

    def _base(self) -> u32:
        """What `offset` counts from."""
        return self.register if self.register is not None else start_of_plan(self.builder)

    @property
    def address(self) -> u32:
        """Where it starts in shared memory, in bytes."""
        return self._base() + self.offset if self.offset else self._base()

    def operand(self, further: int = 0) -> Address:
        """Its address as an operand, so many bytes further."""
        self._check_stage()
        return address_at(self.builder, self._base(), self.offset + further)

    def at(self, row: Any, column: Any) -> ptr[Any]:
        """A pointer to an element, the swizzle applied; rows and columns are Python's integers or device values."""
        self._check_stage()
        row, column = known_index(row), known_index(column)
        start = self.layout.offset(row, column)
        if isinstance(start, int):
            return self._pointer(self._base(), self.offset + start)
        return self._pointer(start + self._base(), self.offset)

    def offset_of(self, row: Any, column: Any) -> Any:
        """The bytes from a stage's start to an element, the swizzle applied: computed once, `beyond` finds it in each stage."""
        return self.layout.offset(known_index(row), known_index(column))

    def beyond(self, offset: u32, row: int = 0, column: int = 0) -> ptr[Any]:
        """A pointer to the element that is so many rows and columns from the one whose `offset_of` is given.

        No sum of rows or of columns may carry: what is added here is a multiple of a power of two above what varies there.
        """
        k = self.builder
        further = self.layout.offset(row, column)
        within = (
            further % self.layout.pattern.span
        )  # the swizzle is linear: within a span an exclusive or, above it an addition
        moved = k.once(("within", k.use(offset), within), _flipped, offset, within) if within else offset
        return self._pointer(moved + self._base(), self.offset + further - within)

    def _pointer(self, base: u32, offset: int) -> ptr[Any]:
        k, kind = self.builder, ptr.__class_getitem__(self.element)
        alignment = Alignment(contiguous=self.layout.pattern.atom)
        found: ptr[Any] = kind(k, k.use(base), base.scope, space="shared", offset=offset, alignment=alignment)
        return found

    def descriptor(self, row: int = 0, column: int = 0) -> u64:
        """The matrix descriptor of the part from (row, column) on, for wgmma: `column` is a step along K."""
        return self._described(_wgmma_descriptor(self.layout, row, column))

    def tensor_descriptor(self, row: int = 0, column: int = 0) -> u64:
        """The same for tcgen05."""
        return self._described(_tcgen05_descriptor(self.layout, row, column))

    def _described(self, fixed: int) -> u64:
        """A descriptor of a tile at 0, moved to this one's address."""
        self._check_stage()
        k = self.builder
        base = self._base()
        high = k.once(("descriptor", k.use(base)), _sixteenths, base)
        return high + (fixed + (self.offset >> 4))


@lru_cache(1024, typed=True)
def _wgmma_descriptor(layout: SharedTile, row: int, column: int) -> int:
    """The descriptor of a part of a tile at 0: loops over K ask for the same ones."""
    return layout.wgmma(0, row, column).encode()


@lru_cache(1024, typed=True)
def _tcgen05_descriptor(layout: SharedTile, row: int, column: int) -> int:
    """The same for tcgen05."""
    return layout.tcgen05(0, row, column).encode()


def _flipped(offset: u32, bits: int) -> u32:
    return offset ^ bits


def _sixteenths(address: u32) -> u64:
    """An address as descriptors have it, without its low four bits."""
    return (address >> 4).to(u64)


def start_of_plan(k: FunctionBuilder) -> u32:
    """Where the planned shared memory starts; read once a scope."""
    return k.once("planned", k.emit1, u32, "mov.u32", Symbol("dynamic_shared"))


def tile(
    k: FunctionBuilder,
    element: Any,
    shape: tuple[int, int],
    *,
    stages: int | tuple[int, ...] = (),
    major: str = "K",
    swizzle: str = "128B",
    over: DeviceTile | None = None,
) -> DeviceTile:
    """A tile of `shape` = (rows along M or N, columns along K) in the kernel's planned shared memory.

    With `stages` there are so many of them, `tile[stage]`; of several dimensions `tile[i, j]`. `major` is "K" or "MN", which of
    the two lies together in memory; `swizzle` as a tensor map has it. With `over` it takes the memory of another tile, which is
    then no longer used: the program puts a barrier between them. The kernel's launch provides the memory that all tiles need.
    BuildError for a tile that the tensor cores have no layout for.
    """
    type_ = getattr(element, "isa", None)
    if not isinstance(type_, ScalarType):
        raise build_error("PTX220", f"a tile of {element!r:.60}", expected="a scalar type: bf16, f32, s8")
    extents = (stages,) if isinstance(stages, int) else tuple(stages)
    if any(each < 1 for each in extents):
        raise build_error("PTX221", f"{stages} stages", expected="1 or more")
    given: Any = shape
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise build_error("PTX221", f"a tile of {shape!r:.60}", expected="(rows, columns)")
    from ptxgen.isa.layouts.shared import SharedTile

    try:
        layout = SharedTile(*shape, type_.name, major=major, swizzle=swizzle)
    except LayoutError as wrong:
        raise build_error("PTX221", str(wrong.args[0]), hint=wrong.hint) from None
    size = layout.bytes * math.prod(extents)
    if over is None:
        offset = k.shared_memory.take(size, layout.alignment)
    else:
        offset = over.offset
        room = over.layout.bytes * math.prod(over.stages)
        if over.register is not None or size > room or offset % layout.alignment:
            raise build_error(
                "PTX221", f"{size} bytes over {over!r}", expected=f"at most the {room} bytes of a whole tile"
            )
    return DeviceTile(k, element, layout, offset, stages=extents)
