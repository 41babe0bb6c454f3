"""Tensor memory of sm_100: sums of tcgen05 that live there, and the rows that threads take out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory import arrays
from ptxgen.builder.tiles.addresses import address_at
from ptxgen.builder.tiles.fragments import converted, pack
from ptxgen.builder.values.scalars import Value, bf16, f16, f32, s32, u32
from ptxgen.ir import Immediate, Vector
from ptxgen.isa.layouts.mixed_radix import LayoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.barriers import MemoryBarrier
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.values.scalars import pred

__all__ = ["RowFragment", "TensorMemory", "TensorSums", "commit_products", "tensor_memory"]

LANES, COLUMNS = 128, 512
"""Of a CTA's tensor memory (manual 9.7.16.2)."""

_DEPTH = 32
"""Bytes along K of one tcgen05.mma."""

_CHUNKS = (128, 64, 32, 16, 8, 4, 2, 1)
"""Columns that one tcgen05.ld takes."""

_KINDS = {"bf16": "f16", "f16": "f16", "f32": "tf32", "e4m3": "f8f6f4", "e5m2": "f8f6f4", "s8": "i8", "u8": "i8"}
"""Elements -> the instruction's kind."""

_GROUP = "cta_group::1"


class TensorMemory:
    """The CTA's tensor memory that `k.tensor_memory` has allocated; `sums` takes columns of it, one behind the other."""

    __slots__ = ("address", "builder", "columns", "taken")

    def __init__(self, k: FunctionBuilder, address: u32, columns: int) -> None:
        self.builder: FunctionBuilder = k
        self.address: u32 = address
        self.columns: int = columns
        self.taken: int = 0

    def sums(self, rows: int, columns: int, type: Any = f32, *, stages: int | None = None) -> TensorSums:
        """Sums of `rows` (128) by `columns` (16 to 256, in sixteens) of f32, or s32; with `stages`, `sums[stage]` are those of
        one."""
        if rows != LANES or columns % 16 or not 16 <= columns <= 256 or type not in (f32, s32):
            raise build_error(
                "PTX221",
                f"{rows}x{columns} sums of .{type.isa.name} in tensor memory",
                expected="128 rows, 16 to 256 columns in sixteens, of f32 or s32",
            )
        first, size = self.taken, columns * (stages or 1)
        if first + size > self.columns:
            raise build_error(
                "PTX221", f"{first + size} columns of tensor memory", expected=f"the {self.columns} that are allocated"
            )
        self.taken += size
        return TensorSums(self.builder, self.address, first, columns, type, stages)


class TensorSums:
    """128 rows by `columns` sums in tensor memory, a lane for each row. One thread adds products to them; the four warps of a
    warpgroup take them out, each thread the columns of its row."""

    __slots__ = ("_base", "_first", "builder", "columns", "stages", "type")
    rows = LANES

    def __init__(self, k: FunctionBuilder, base: u32, first: int, columns: int, type: Any, stages: int | None) -> None:
        self.builder: FunctionBuilder = k
        self._base, self._first = base, first
        self.columns: int = columns
        self.type: Any = type
        self.stages: int | None = stages

    def __getitem__(self, stage: Any) -> TensorSums:
        """Those of one stage: a Python integer or a device value."""
        number = plain(stage)
        if self.stages is None or (isinstance(number, int) and not 0 <= number < self.stages):
            raise build_error(
                "PTX221", f"stage {stage!r:.20} of sums in {self.stages or 1}", expected="a stage of them"
            )
        if isinstance(number, int):
            base, first = self._base, self._first + number * self.columns
        else:
            base, first = number * self.columns + self._base, self._first
        return TensorSums(self.builder, base, first, self.columns, self.type, None)

    def add_product(self, a: DeviceTile, b: DeviceTile, *, keep: pred | bool = True) -> None:
        """sums = sums * keep + A B^T, asynchronously, by the one thread that executes it: A a tile of 128 by K, B one of
        `columns` by K. `commit_products`, or a pipeline with `products=`, says when it is done."""
        k = self.builder
        if a.rows != LANES or b.rows != self.columns or a.columns != b.columns or self.stages is not None:
            raise build_error(
                "PTX221",
                f"{LANES}x{self.columns} sums of {a!r} by {b!r}",
                expected="A of 128 x K, B of columns x K, and one stage of the sums",
            )
        kind, descriptor = self._instruction(a, b)
        place = address_at(k, self._base, self._first)
        first = k.truth(keep) if isinstance(keep, Value) else Immediate(int(bool(plain(keep))))
        for column in range(0, a.columns, _DEPTH * 8 // b.layout.bits):
            left, right = (k.use(each.tensor_descriptor(0, column)) for each in (a, b))
            scale = first if column == 0 else Immediate(1)
            k.emit(f"tcgen05.mma.{_GROUP}.kind::{kind}", place, left, right, descriptor, scale)

    def _instruction(self, a: DeviceTile, b: DeviceTile) -> tuple[str, Immediate]:
        """(the instruction's kind, its descriptor)."""
        names = [each.element.isa.name for each in (a, b)]
        kinds = {_KINDS.get(name) for name in names}
        (kind, *others) = kinds
        if kind is None or others:
            raise build_error(
                "PTX220", f"products of .{names[0]} and .{names[1]} by tcgen05", expected=", ".join(_KINDS)
            )
        type_a, type_b = ("tf32" if name == "f32" else name for name in names)
        from ptxgen.isa.layouts.instruction import InstructionDescriptor

        try:
            found = InstructionDescriptor(
                kind, LANES, self.columns, type_a, type_b, d=self.type.isa.name,
                transpose_a=a.layout.major == "MN", transpose_b=b.layout.major == "MN",
            )  # fmt: skip
            found.check_shape(1)
        except LayoutError as wrong:
            raise build_error("PTX221", str(wrong.args[0]), hint=wrong.hint) from None
        return kind, Immediate(found.encode())

    def cut(self, column: int, columns: int) -> RowFragment:
        """The sums of some columns in registers, by the 128 threads of a warpgroup: each has its own row."""
        if column < 0 or columns < 1 or column + columns > self.columns or self.stages is not None:
            raise build_error(
                "PTX221", f"columns {column} to {column + columns} of {self.columns}", expected="those of a stage"
            )
        k = self.builder
        lanes = k.once("tensor lanes", _lanes, k)
        values: list[Any] = []
        k.emit("tcgen05.fence::after_thread_sync")
        start = lanes + self._base
        while len(values) < columns:
            count = next(each for each in _CHUNKS if each <= columns - len(values))
            registers = tuple(k.register(self.type.storage) for _ in range(count))
            place = address_at(k, start, self._first + column + len(values))
            k.emit(f"tcgen05.ld.sync.aligned.32x32b.x{count}.b32", Vector(registers), place)
            values += [self.type(k, each, k.scope) for each in registers]
        k.emit("tcgen05.wait::ld.sync.aligned")
        k.emit("tcgen05.fence::before_thread_sync")
        return RowFragment(k, values)

    def load(self) -> RowFragment:
        """`cut` of all columns."""
        return self.cut(0, self.columns)


class RowFragment:
    """A row of 128 in each thread of a warpgroup: `values` are its columns."""

    __slots__ = ("builder", "values")

    def __init__(self, k: FunctionBuilder, values: Sequence[Any]) -> None:
        self.builder: FunctionBuilder = k
        self.values: tuple[Any, ...] = tuple(values)

    @property
    def columns(self) -> int:
        """How many there are."""
        return len(self.values)

    @property
    def row(self) -> u32:
        """The thread's row."""
        return self.builder.once("row of a fragment", _row, self.builder)

    def map(self, function: Callable[..., Any], row: Any = 0, column: Any = 0) -> RowFragment:
        """`function(value)` or `function(value, row, column)` of each value; the fragment's first is at (row, column)."""
        import inspect

        if len(inspect.signature(function).parameters) < 3:
            return RowFragment(self.builder, [function(value) for value in self.values])
        mine = self.row + row
        return RowFragment(
            self.builder, [function(value, mine, index + column) for index, value in enumerate(self.values)]
        )

    def reduce_rows(self, combine: Callable[[Any, Any], Any]) -> Any:
        """The row reduced to one value; `combine` is associative."""
        found = list(self.values)
        while len(found) > 1:
            found = [combine(*found[i : i + 2]) if i + 1 < len(found) else found[i] for i in range(0, len(found), 2)]
        return found[0]

    def to(self, type: Any) -> RowFragment:
        """The values converted; those of 16-bit types are two in a register, and can only be stored."""
        if type.isa.bits == 32:
            return self.map(lambda value: converted(value, type))
        if type not in (bf16, f16) or self.columns % 2:
            raise build_error("PTX220", f"a row of .{type.isa.name}", expected="f16 or bf16 in pairs, or a 32-bit type")
        pairs = zip(self.values[::2], self.values[1::2])
        return RowFragment(self.builder, [pack(self.builder, pair, type) for pair in pairs])

    def store(self, tile: DeviceTile) -> None:
        """Write the row to that of a K-major tile in shared memory, of 128 rows and of elements of 16 (packed) or 32 bits."""
        each = 32 // tile.layout.bits
        if (tile.rows, tile.columns) != (LANES, self.columns * each) or tile.layout.major != "K" or each not in (1, 2):
            raise build_error(
                "PTX221",
                f"rows of {self.columns} registers stored to {tile!r}",
                expected="a K-major tile of 128 rows, of as many elements of 32 bits, or twice as many of 16",
            )
        k = self.builder
        start = k.once(("row of a tile", tile.layout), tile.offset_of, self.row, 0)
        for first in range(0, self.columns, 4):
            words = tuple(k.use(word) for word in self.values[first : first + 4])
            place = tile.beyond(start, 0, first * each).element_address()
            k.emit(f"st.shared.v4.{'b32' if each == 2 else tile.element.memory}", place, Vector(words))


def _row(k: FunctionBuilder) -> u32:
    return k.read_special(u32, "%tid.x") % LANES


def _lanes(k: FunctionBuilder) -> u32:
    """Where the warp's quarter of the lanes begins, as an address in tensor memory has it."""
    return k.read_special(u32, "%tid.x") // 32 % 4 << 21


def commit_products(k: FunctionBuilder, barrier: MemoryBarrier) -> None:
    """The mbarrier gets an arrival when all products that this thread has asked for are done."""
    k.emit(f"tcgen05.commit.{_GROUP}.mbarrier::arrive::one.shared::cluster.b64", barrier.operand())


@structured.in_with("tensor_memory")
def tensor_memory(k: FunctionBuilder, columns: int) -> Iterator[TensorMemory]:
    """`with k.tensor_memory(columns) as memory:` allocates so many columns of tensor memory for its body, rounded up to a power
    of two from 32 to 512. Every thread of the CTA comes by, before and behind."""
    if not 1 <= columns <= COLUMNS:
        raise build_error("PTX221", f"{columns} columns of tensor memory", expected=f"1 to {COLUMNS}")
    size = max(32, 1 << (columns - 1).bit_length())
    place = arrays.shared(k, u32, 1)
    first = k.read_special(u32, "%tid.x") < 32
    with structured.if_(k, first):
        k.emit(f"tcgen05.alloc.{_GROUP}.sync.aligned.shared::cta.b32", place.pointer.element_address(), Immediate(size))
        k.emit(f"tcgen05.relinquish_alloc_permit.{_GROUP}.sync.aligned")
    k.emit("tcgen05.fence::before_thread_sync")
    k.emit("bar.sync", Immediate(0))
    k.emit("tcgen05.fence::after_thread_sync")
    address: u32 = place[0]
    yield TensorMemory(k, address, columns)
    k.emit("tcgen05.fence::before_thread_sync")
    k.emit("bar.sync", Immediate(0))
    k.emit("tcgen05.fence::after_thread_sync")
    with structured.if_(k, first):
        k.emit(f"tcgen05.dealloc.{_GROUP}.sync.aligned.b32", k.use(address), Immediate(size))
