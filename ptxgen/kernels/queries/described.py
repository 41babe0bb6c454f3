"""What an aggregating kernel is generated for, how it is shared out, and its scratch memory."""

from __future__ import annotations

import math

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import f64, s64, u32, u64
from ptxgen.kernels.blocks.collectives import identity as identity_of
from ptxgen.kernels.plan import ceil_div

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.kernels.queries.expressions import Expression
    from ptxgen.kernels.queries.reading import Source, Tiling

__all__ = [
    "EMPTY", "HEADER", "OVERFLOW", "PLACES", "Accumulator", "Key", "Output", "Query", "Shape", "cleared_header",
    "cleared_scratch", "identity", "scratch_words", "shape_of", "value_of", "word_of",
]  # fmt: skip

OVERFLOW = (1 << 32) - 1
"""`total` where the groups are too many."""

EMPTY = (1 << 64) - 1
"""The word of a slot that is free."""

PLACES = 64
"""Places of the table of the whole grid."""

HEADER = 2 + PLACES
"""Words in front of the partial results: a ticket, whether something did not fit, and the keys of the grid's table."""


class Accumulator(NamedTuple):
    """What is added up: `op` "sum", "min" or "max" of `value`'s values, which are of 32 or 64 bits; `value` None counts rows."""

    op: str
    value: Expression | None

    @property
    def element(self) -> type[Value]:
        """The type that it is added up in."""
        if self.value is None:
            return u64
        kind = self.value.type
        if self.op != "sum":
            return kind
        return f64 if kind.isa.is_float else s64 if kind.isa.is_signed else u64


class Key(NamedTuple):
    """A part of the key of a row's group: `bits` of the key's word from `shift` on have the order of the values."""

    value: Expression
    shift: int
    bits: int


class Output(NamedTuple):
    """A column of the result: `what` "key" of `keys[first]`, "value" of `accumulators[first]`, or "mean" of that one over the
    count in `accumulators[second]`."""

    what: str
    type: type[Value]
    first: int
    second: int = 0


class Query(NamedTuple):
    """What the kernel is generated for. `keys` is empty where there is one row; `limited`: how many rows there are says the
    device."""

    sources: tuple[Source, ...]
    predicate: Expression | None
    keys: tuple[Key, ...]
    accumulators: tuple[Accumulator, ...]
    outputs: tuple[Output, ...]


class Shape(NamedTuple):
    """Threads of a CTA, slots of its table (a power of two; 1 where there are no keys), and how many CTAs there are."""

    threads: int
    slots: int
    ctas: int


def shape_of(query: Query, rows: int, processors: int, shared: int, tiling: Tiling) -> Shape:
    """Two CTAs of 256 threads a multiprocessor, and a table of up to 32 slots in the shared memory of half of one. `shared`: the
    bytes that a CTA may have."""
    threads, slots, each = 256, 1, 8 * len(query.accumulators)
    if query.keys:
        room = min(shared, 112 << 10) - (4 << 10)
        slots = 32
        while slots > 8 and slots * each * threads > room:
            slots //= 2
        while threads > 32 and slots * each * threads > room:
            threads //= 2
    most = processors * (2 if query.keys else 4)
    return Shape(threads, slots, max(1, min(ceil_div(rows, threads * tiling.rows), most)))


def scratch_words(query: Query, shape: Shape) -> int:
    """Words of u64: the header, a mask a CTA, and the partial results."""
    return HEADER + shape.ctas * (1 + (PLACES if query.keys else 1) * len(query.accumulators))


def cleared_header() -> list[int]:
    """The header before the first launch; each leaves it so."""
    return [0, 0] + [EMPTY] * PLACES


def cleared_scratch(device: Device, query: Query, shape: Shape) -> Array:
    """Scratch memory for any number of launches, one at a time."""
    made = device.zeros(scratch_words(query, shape), u64)
    made[:HEADER].copy_from(cleared_header())
    return made


def identity(op: str, element: type[Value]) -> int | float:
    """What changes nothing. It is NaN for the smallest and largest of floats: what there is of NaNs alone, or of nothing."""
    return math.nan if element.isa.is_float and op != "sum" else identity_of(op, element)


def word_of(value: Any) -> Any:
    """A number as 64 bits."""
    return value.bits(u64) if value.isa.bits == 64 else value.bits(u32).to(u64)


def value_of(kind: type[Value], word: Any) -> Any:
    """And back."""
    if kind is u64:
        return word
    return word.bits(kind) if kind.isa.bits == 64 else word.to(u32) if kind is u32 else word.to(u32).bits(kind)
