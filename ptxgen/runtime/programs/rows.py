"""Programs over rows: a CTA holds one row, or one tile of a flat array, in the registers of its threads.

A program whose last parameter is a `Row` loads whole rows, computes on the values of its thread, and stores them:

    @program
    def normalise(k, x: Annotated[ptr[f32], input_()], y: Annotated[ptr[f32], output(like="x")], row: Row):
        values = row.load(x)
        total = row.reduce("sum", [v * v for v in values])
        row.store(y, [v * k.rsqrt(total) for v in values])

Such programs can be joined (`ptxgen.runtime.fusion.fused`): what one stores and the next loads then stays in registers, as a
`Carried` in the place of the pointer. Value i of a thread is element i * threads + tid of the row, so loads and stores of
neighbouring threads are of neighbouring elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import u64
from ptxgen.errors import BuildError
from ptxgen.kernels.blocks.collectives import WARP, fold, group_reduce, identity
from ptxgen.kernels.plan import ceil_div

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.builder import Builder, u32
    from ptxgen.builder.values import Value

__all__ = ["MOST_COLUMNS", "TILE", "Carried", "Row", "RowLayout", "layout_for"]

TILE = 2048
"""Elements of a tile of a flat array."""

MOST_COLUMNS = 16384
"""1,024 threads with 16 values each."""


class RowLayout(NamedTuple):
    """How a CTA holds a row of `columns` elements: `items` values in each of `threads` threads. `flat`: a row is only a tile
    of an array."""

    columns: int
    threads: int
    items: int
    flat: bool


def layout_for(columns: int | None) -> RowLayout:
    """Four values a thread or more where the row is long enough, at most 1,024 threads; None: tiles of a flat array."""
    length = TILE if columns is None else columns
    threads = WARP
    while threads < 1024 and threads * 4 < length:
        threads *= 2
    return RowLayout(length, threads, ceil_div(length, threads), columns is None)


class Carried:
    """A row that one program hands to the next in registers, where alone each would have a pointer."""

    def __init__(self, name: str, element: type[Value]) -> None:
        self.name, self.element = name, element
        self.values: list[Any] | None = None

    def _refuse(self, what: str) -> BuildError:
        return BuildError(
            f"{what} {self.name!r}, which is handed on in registers here",
            hint="row.load and row.store alone reach what joined programs hand on; or let the host look between them",
        )

    def __getitem__(self, index: object) -> Any:
        raise self._refuse("an element is loaded from")

    def __setitem__(self, index: object, value: object) -> None:
        raise self._refuse("an element is stored to")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._refuse(f"{name!r} is asked of")


class Row:
    """The row, or tile, that this CTA works on. `length`: its elements, less than the columns at the end of the data."""

    def __init__(
        self,
        k: Builder,
        layout: RowLayout,
        element_count: u32,
        memory: Mapping[str, Any],
        reach: set[tuple[str, str]],
    ) -> None:
        """*memory* has the pointers of the bindings by name; *reach* gets what is loaded from them and stored to them, for a
        dispatch to check their lengths (see `Built`)."""
        self._k, self.layout = k, layout
        self._names, self._reach = {id(pointer): name for name, pointer in memory.items()}, reach
        self._begin: u64 = k.ctaid.x.to(u64) * layout.columns
        left = element_count.to(u64) - self._begin
        columns = k.const(u64, layout.columns)
        self.length: u32 = k.select(left < columns, left, columns).to(type(element_count))
        self._inside = [k.tid.x + i * layout.threads < self.length for i in range(layout.items)]
        self._reductions = 0

    @property
    def items(self) -> int:
        """Values of a thread."""
        return self.layout.items

    def load(self, source: Any) -> list[Any]:
        """This thread's values of the row; zeros behind its end."""
        if isinstance(source, Carried):
            if source.values is None:
                raise BuildError(f"{source.name!r} is loaded before it was stored", hint="store it with row.store")
            return list(source.values)
        self._reaches(source, "row")
        return self._load(source.at(self._begin + self._k.tid.x.to(u64)))

    def load_columns(self, source: Any) -> list[Any]:
        """The values of an array that every row shares (weights, say), at the columns of this thread's values."""
        if self.layout.flat:
            raise BuildError("a flat array has no columns", hint="in_rows(columns)")
        self._reaches(source, "columns")
        return self._load(source.at(self._k.tid.x.to(u64)))

    def _reaches(self, pointer: Any, what: str) -> None:
        """Note it of a binding. For a pointer that the program computes, the program is responsible for its bounds."""
        name = self._names.get(id(pointer))
        if name is not None:
            self._reach.add((name, what))

    def _load(self, place: Any) -> list[Any]:
        k = self._k
        values: list[Any] = [k.var(place.element, 0) for _ in self._inside]
        for i, (value, inside) in enumerate(zip(values, self._inside)):
            with k.pred(inside):
                value.set(place[i * self.layout.threads])
        return values

    def store(self, target: Any, values: Sequence[Any]) -> None:
        """Store this thread's values of the row; those behind its end are not."""
        if len(values) != self.items:
            raise BuildError(f"{len(values)} values are stored to a row that has {self.items} in a thread")
        if isinstance(target, Carried):
            if target.values is not None:
                raise BuildError(f"{target.name!r} is stored twice", hint="store it once, at the end")
            target.values = [self._typed(target, value) for value in values]
            return
        self._reaches(target, "row")
        k = self._k
        place = target.at(self._begin + k.tid.x.to(u64))
        for i, (value, inside) in enumerate(zip(values, self._inside)):
            with k.if_(inside):
                place[i * self.layout.threads] = value

    def _typed(self, target: Carried, value: Any) -> Any:
        """The value that memory of the target's type would hold."""
        if isinstance(value, (int, float)):
            return self._k.const(target.element, value)
        if type(value) is not target.element:
            raise BuildError(f"{value!r} is stored to {target.name!r}, which has .{target.element.isa.name}")
        return value

    def reduce(self, op: str, values: Sequence[Any]) -> Any:
        """The "sum", "min" or "max" over the whole row, in every thread: in a fixed order, so the same in every run."""
        if self.layout.flat:
            raise BuildError("a reduction over a tile of a flat array means nothing", hint="in_rows(columns)")
        k, element, threads = self._k, type(values[0]), self.layout.threads
        nothing = k.const(element, identity(op, element))
        held = [k.select(inside, value, nothing) for inside, value in zip(self._inside, values)]
        self._reductions += 1
        name = f"row_{self._reductions}"  # each reduction has its own: none waits for the one before it to be read
        return group_reduce(
            k, op, fold(k, op, held), threads, lambda: k.shared(element, max(1, threads // WARP), name=name)
        )
