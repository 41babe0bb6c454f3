"""Elements for which a condition holds, in order and in one pass: their places, themselves, and rows of other columns.

The condition is `flags[i] OP value`, or any function of the element, or "change": the element's bits differ from those of the one
before, which makes the heads of runs. Shapes: flags[n] of integers of 8 to 64 bits, f16, f32 or f64; columns[c][n]; outs[how
many] of each; total[1] of u32; n below 2^32. What does not hold may go to `rests[n - how many]`, in order too. `states` and
`ticket` are scratch that is zero before the first launch: a u64 a tile, and one.

Floor: the flags and columns are read once, what is chosen is written once. A warp takes 32 neighbouring elements at a time, a
ballot says where each one goes, and decoupled look-back (see lookback.py) how many there are in the tiles before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f64, kernel, ptr, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP, warps_before
from ptxgen.kernels.blocks.lookback import before_tile, publish_total, take_turn
from ptxgen.kernels.blocks.tiles import load_items
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import COLUMN
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ptxgen.builder import Kernel

__all__ = ["COMPARISONS", "KERNEL", "VARIANTS", "Condition", "Outputs", "holds", "plan", "scratch_words"]

E = TypeVar("E", bound=Value)
T = TypeVar("T", bound=Value)
Condition = Callable[[Builder, Any], Any]
"""From an element to a predicate."""

THREADS = 256
FLIGHT = 4
"""Elements of a column that a thread has in flight."""
BYTES = 128
"""What a thread holds, with the elements before, if it has those too; where rows of other columns or the rest are written, half,
which then does not spill."""
REGISTERS = 64
"""Of a thread, so that an SM has room for four CTAs: tiles wait for those before them, so what counts is how much is under way
(see prefix.py). Of 2^28 u32 on an H200, 96 KB of them on an SM take 0.44 ms to select a tenth, 128 KB 0.41."""
AHEAD = 264
"""Tiles between a tile and the one that it brings into the L2 cache."""
LINE = 128
"""Bytes of a line of the L2 cache."""
PAUSE = 2000
"""Nanoseconds before a tile looks back."""

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def holds(op: str, a: Any, b: Any) -> Any:
    """The predicate `a OP b`."""
    return {
        "eq": lambda: a == b, "ne": lambda: a != b, "lt": lambda: a < b, "le": lambda: a <= b,
        "gt": lambda: a > b, "ge": lambda: a >= b,
    }[op]()  # fmt: skip


@kernel(threads=THREADS, max_registers=REGISTERS)
def select(
    k: Builder, n: u32, flags: ptr[E], value: E, total: ptr[u32], states: ptr[u64], ticket: ptr[u64], *pointers: T,
    element: type[E], op: str | Condition, places: bool, own: bool, columns: int, rest: bool, types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """A CTA a tile of THREADS*items elements. The last tile writes the total.

    `pointers` are the columns, then the outputs of what is chosen: `places`, the `own` elements, the columns; then, if there is a
    `rest`, the same outputs of that.
    """
    turn = take_turn(k, ticket)
    tile = turn.tile
    items = items_of(element, op, alone=not columns and not rest)
    size = THREADS * items
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    place = warp * (WARP * items) + lane
    begin = tile * size
    at, left = begin + place, n - begin
    inside = [place + i * WARP < left for i in range(items)]
    _prefetch(k, flags, begin, left, size)
    loaded: list[Any] = [k.var(element) for _ in inside]
    load_items(k, left >= size, inside, flags.at(at), loaded, step=WARP)
    others = _before(k, flags, at, inside[0], loaded) if op == "change" else loaded

    mine, bits = k.var(u32, 0), k.var(u32, 0)  # how many the warp has chosen; which ones this thread has
    for i, (here, element_, other) in enumerate(zip(inside, loaded, others)):
        holds_ = _meets(k, op, element_, other if op == "change" else value)
        chosen = here & (holds_ | (at == 0) if op == "change" and i == 0 else holds_)
        mine += k.popc(k.ballot(chosen))
        with k.pred(chosen):
            bits |= 1 << i

    before_warp, whole = warps_before(k, mine, THREADS // WARP)
    publish_total(k, states, turn, whole)
    before = before_tile(k, "sum", states, turn, whole, 0, pause=PAUSE)
    with k.if_((k.tid.x == 0) & (left <= size)):
        total[0] = before + whole
    base = before + before_warp
    outs: Any = pointers[columns:]
    chosen_outs, rest_outs = (outs[: len(outs) // 2], outs[len(outs) // 2 :]) if rest else (outs, ())

    def write(number: int, first: int, values: list[Any]) -> None:
        """The values of items `first` and on to output `number`. What the ballots say is found again: it would take registers."""
        for i, value in enumerate(values, first):
            row = at + i * WARP
            chosen = (bits & (1 << i)) != 0
            lanes = k.ballot(chosen)
            to = next_ + k.popc(lanes & k.special("%lanemask_lt"))
            with k.pred(chosen):
                chosen_outs[number][to] = row if value is None else value
            if rest:
                with k.pred(inside[i] & ~chosen):
                    rest_outs[number][row - to] = row if value is None else value
            next_.set(next_ + k.popc(lanes))

    next_ = k.var(u32, base)
    for number, values in enumerate([*[[None] * items] * places, *[loaded] * own]):
        next_.set(base)
        write(number, 0, values)
    given: Any = pointers[:columns]
    for c, column in enumerate(given):
        next_.set(base)
        for first in range(0, items, FLIGHT):
            write(places + own + c, first, _loaded(k, column.at(at).at(first * WARP), inside[first : first + FLIGHT]))


def _loaded(k: Builder, source: Any, inside: Sequence[Any]) -> list[Any]:
    """A thread's elements, those that are there."""
    found = [k.var(source.element) for _ in inside]
    for i, (variable, condition) in enumerate(zip(found, inside)):
        with k.pred(condition):
            variable.set(source[i * WARP])
    return found


def _prefetch(k: Builder, flags: Any, begin: Any, left: Any, size: int) -> None:
    """Bring a tile that will soon be wanted into the L2 cache, a line a thread."""
    each = LINE // flags.element.isa.bytes
    ahead = AHEAD * size + k.tid.x * each
    with k.if_((k.tid.x * each < size) & (ahead < left)):
        k.ptx.prefetch.global_.L2([flags.at(begin).at(ahead)])


def _before(k: Builder, flags: Any, at: Any, here: Any, loaded: Sequence[Any]) -> list[Any]:
    """The element before each of the thread's: that of the lane below, or for the first lane that of the last one before."""
    first = k.var(flags.element, 0)
    with k.pred((k.lane == 0) & here & (at != 0)):
        first.set(flags.at(at)[-1])
    below = [k.shfl_idx(element, (k.lane + WARP - 1) % WARP) for element in loaded]
    return [k.select(k.lane == 0, last, own) for last, own in zip([first, *below], below)]


def _meets(k: Builder, op: str | Condition, element: Any, value: Any) -> Any:
    if op == "change":
        return element != value
    return holds(op, element, value) if isinstance(op, str) else op(k, element)


KERNEL = select


def items_of(element: type[Value], op: str | Condition, *, alone: bool) -> int:
    """Elements that a thread has; `alone`: no rows of other columns are with them, and what is not chosen is not written. More
    would spill before sm_90."""
    items = BYTES // element.isa.bytes
    return (min(32, items) // 2 if op == "change" else min(28, items)) // (1 if alone else 2)


def scratch_words(n: int, element: type[Value], op: str | Condition) -> int:
    """u64 words of scratch for n elements: the states of the tiles and the ticket."""
    return ceil_div(max(n, 1), THREADS * items_of(element, op, alone=False)) + 1


class Outputs(NamedTuple):
    """Where what is chosen goes: the places, the elements themselves, and rows of the columns."""

    places: Any = None
    own: Any = None
    columns: tuple[Any, ...] = ()

    def seen_as(self, element: type[Value]) -> list[Any]:
        """All of them: the elements in the type that they are read in, rows of columns as their bits."""
        places = [] if self.places is None else [self.places]
        own = [] if self.own is None else [self.own.view(element)]
        return [*places, *own, *(each.view(COLUMN[each.type.bytes]) for each in self.columns)]


def plan(
    n: int, flags: Any, value: int | float, total: Any, states: Any, ticket: Any, *, element: type[Value],
    op: str | Condition = "ne", columns: tuple[Any, ...] = (), outs: Outputs, rests: Outputs | None = None,
) -> KernelPlan:  # fmt: skip
    """What the condition holds for, of n rows; columns are moved as their bits. The scratch must be zero."""
    if op == "change":
        element = COLUMN[element.isa.bytes]
    items = items_of(element, op, alone=not columns and rests is None)
    kernel_ = _using(
        element, op, tuple(COLUMN[column.type.bytes] for column in columns), places=outs.places is not None,
        own=outs.own is not None, rest=rests is not None,
    )  # fmt: skip
    moved = [each.view(COLUMN[each.type.bytes]) for each in columns]
    written = [each for part in (outs, rests) if part is not None for each in part.seen_as(element)]
    arguments = (n, flags.view(element), value, total, states, ticket, *moved, *written)
    return KernelPlan(kernel_, grid_for(n, THREADS * items), THREADS, arguments)


def _using(
    element: type[Value], op: str | Condition, columns: tuple[type[Value], ...] = (), *, places: bool, own: bool, rest: bool
) -> Kernel:  # fmt: skip
    outs = (*[u32] * places, *[element] * own, *columns)
    types = tuple(ptr.__class_getitem__(each) for each in (*columns, *outs, *(outs if rest else ())))
    return using(select, element=element, op=op, places=places, own=own, columns=len(columns), rest=rest, types=types)


def _case(
    n: int, rng: np.random.Generator, *, element: type[Value], op: str | Condition, columns: tuple[type[Value], ...] = (),
    places: bool = False, own: bool = False, rest: bool = False,
) -> Case:  # fmt: skip
    """Few different values, so that the condition holds and fails often."""
    import numpy as np

    flags = rng.integers(0, 4, n).astype(numpy_name(element.isa))
    if op == "change":
        chosen = np.append(np.ones(min(n, 1), bool), np.diff(flags.astype(np.int64)) != 0)
    elif isinstance(op, str):
        chosen = getattr(np, _NUMPY[op])(flags, 1)
    else:
        chosen = flags % 2 == 1
    given = [rng.integers(0, 200, n).astype(numpy_name(each.isa)) for each in columns]
    sources = [*[np.arange(n, dtype=np.uint32)] * places, *[flags] * own, *given]
    arrays = {f"column{i}": HostArray(each, kind) for i, (each, kind) in enumerate(zip(given, columns))}
    expected = {"total": np.array([chosen.sum()], np.uint32)}
    kinds: tuple[type[Value], ...] = (*[u32] * places, *[element] * own, *columns)
    for name, rows in (("out", chosen), ("rest", ~chosen)) if rest else (("out", chosen),):
        for i, (source, kind) in enumerate(zip(sources, kinds)):
            out = np.zeros(n, source.dtype)
            arrays[f"{name}{i}"] = HostArray(out, kind)
            expected[f"{name}{i}"] = np.concatenate([source[rows], out[rows.sum() :]])

    def outputs(on: Any, name: str) -> Outputs:
        found = [on[f"{name}{i}"] for i in range(len(sources))]
        first, second = found[0] if places else None, found[places] if own else None
        return Outputs(first, second, tuple(found[places + own :]))

    return Case(
        arrays={
            "flags": HostArray(flags, element), "total": HostArray(np.zeros(1, np.uint32), u32),
            "states": HostArray(np.zeros(scratch_words(n, element, op), np.uint64), u64),
            "ticket": HostArray(np.zeros(1, np.uint64), u64), **arrays,
        },
        plan=lambda on: plan(
            n, on["flags"], 1 if isinstance(op, str) else 0, on["total"], on["states"], on["ticket"], element=element, op=op,
            columns=tuple(on[f"column{i}"] for i in range(len(columns))), outs=outputs(on, "out"),
            rests=outputs(on, "rest") if rest else None,
        ),
        expected=expected,
        tolerance=EXACT,
    )  # fmt: skip


_NUMPY = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def _is_odd(k: Builder, x: Any) -> Any:
    return (x & 1) != 0


def _variant(name: str, element: type[Value], op: str | Condition, **how: Any) -> Variant:
    chosen: dict[str, Any] = {"places": False, "own": False, "rest": False, **how}
    tile = THREADS * items_of(element, op, alone=not chosen.get("columns") and not chosen["rest"])
    sizes = (0, 1, tile - 1, tile, 3 * tile + 77)
    return Variant("select", name, _using(element, op, **chosen), partial(_case, element=element, op=op, **how), sizes)


VARIANTS = (
    _variant("ne.u8", u8, "ne", places=True),
    _variant("ge.f64", f64, "ge", places=True),
    _variant("odd.u32.own", u32, _is_odd, own=True),
    _variant("ne.u8.columns", u8, "ne", columns=(u32, u64), places=True),
    _variant("lt.u32.own.rest", u32, "lt", own=True, rest=True),
    _variant("ne.u8.columns.rest", u8, "ne", columns=(u16,), rest=True),
    _variant("change.u32", u32, "change", places=True, own=True),
)
